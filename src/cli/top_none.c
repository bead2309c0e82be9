// SPDX-License-Identifier: GPL-2.0-or-later
/* A build where ncursesw was not installed. */
#include "cli/cli.h"

static int top_run(const struct globals *globals, int argc, char **argv)
{
	return refuse(EXIT_NOT_HERE, "top: this uncorectl was built without ncursesw, which draws it; install "
				     "libncurses-dev and build again, or take `uncorectl mem`");
}

const struct command top_command = {"top", "(left out of this build)", top_run};
