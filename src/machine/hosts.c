// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of machine.  The only file of this folder that includes os/ and sim/. */
#include <string.h>

#include "access/replay.h"
#include "base/err.h"
#include "machine/machine.h"
#include "os/linux/host.h"
#include "sim/sim.h"

static int live_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	(void)args;
	return unc_linux_host_open(ctx, NULL, wake_fd, ret_host);
}

static int root_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	if (!*args)
		return unc_fail(ctx, UNC_EARG, "root: names no directory; write root:DIR");
	return unc_linux_host_open(ctx, args, wake_fd, ret_host);
}

static int replay_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	if (!*args)
		return unc_fail(ctx, UNC_EARG, "replay: names no file; write replay:FILE");
	return unc_replay_open(ctx, args, wake_fd, ret_host);
}

static const struct {
	const char *name; /* with a colon if arguments follow */
	int (*open)(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host);
} kinds[] = {
	{"live", live_open},
	{"root:", root_open},
	{"sim:", unc_sim_open},
	{"replay:", replay_open},
};

int unc_machine_host_open(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].name);
		bool takes_args = kinds[i].name[len - 1] == ':';

		if (strncmp(name, kinds[i].name, len) == 0 && (takes_args || !name[len]))
			return kinds[i].open(ctx, name + len, wake_fd, ret_host);
	}
	return unc_fail(
		ctx, UNC_EARG,
		"\"%s\": no such kind of machine; there are live, root:DIR, sim:MODEL[,KEY=VALUE]... and replay:FILE",
		name);
}
