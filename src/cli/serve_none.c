// SPDX-License-Identifier: GPL-2.0-or-later
/* A build where libmicrohttpd was not installed. */
#include "cli/cli.h"

static int serve_run(const struct globals *globals, int argc, char **argv)
{
	return refuse(EXIT_NOT_HERE,
		      "serve: this uncorectl was built without libmicrohttpd; install libmicrohttpd-dev and "
		      "build again, or take `uncorectl mem --format prometheus -o FILE`");
}

const struct command serve_command = {"serve", "(left out of this build)", serve_run};
