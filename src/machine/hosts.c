// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of machine.  The only file of this folder that includes os/ and sim/. */

#include "access/replay.h"
#include "machine/machine.h"
#ifdef UNC_EFI
#include "os/efi/host.h"
#else
#include "catalogue/catalogue.h"
#include "os/linux/host.h"
#include "sim/sim.h"
#endif

struct kind {
	const char *name, *needs; /* with a colon if arguments follow; what these name, if there must be any */
	int (*open)(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host);
};

#ifdef UNC_EFI /* a build for firmware */

static const struct kind kinds[] = {
	{"live", NULL, unc_efi_host_open},
};
static const char there_are[] = "only live, since this build is for firmware";

bool unc_machine_simulated(size_t i, const char **ret_name, const char **ret_part, const char **ret_cpu)
{
	(void)i, (void)ret_name, (void)ret_part, (void)ret_cpu;
	return false;
}

int unc_machine_catalogue(struct unc_machine *m)
{
	(void)m;
	return UNC_ENODEV;
}

#else

static int live_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	return unc_linux_host_open(ctx, *args ? args : NULL, false, wake_fd, ret_host);
}

static int ecam_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	(void)args;
	return unc_linux_host_open(ctx, NULL, true, wake_fd, ret_host);
}

static const struct kind kinds[] = {
	{"live", NULL, live_open},
	{"live,ecam", NULL, ecam_open},
	{"root:", "directory; write root:DIR", live_open},
	{"sim:", NULL, unc_sim_open},
	{"replay:", "file; write replay:FILE", unc_replay_open},
};
static const char there_are[] = "live, live,ecam, root:DIR, sim:MODEL[,KEY=VALUE]... and replay:FILE";

bool unc_machine_simulated(size_t i, const char **ret_name, const char **ret_part, const char **ret_cpu)
{
	return unc_sim_list(i, ret_name, ret_part, ret_cpu);
}

int unc_machine_catalogue(struct unc_machine *m)
{
	size_t len;
	char *tree;
	int rc = unc_catalogue_pack(m->host, &tree, &len);

	return rc < 0 ? rc : unc_catalogue_parse(m->ctx, "device tree", tree, len, &m->map);
}

#endif

bool unc_machine_is_live(const char *name)
{
	return !name || strcmp(name, "live") == 0 || strcmp(name, "live,ecam") == 0;
}

int unc_machine_host_open(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host)
{
	const char *model, *part, *cpu;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].name);
		bool takes_args = kinds[i].name[len - 1] == ':';

		if (strncmp(name, kinds[i].name, len) != 0 || (!takes_args && name[len]))
			continue;
		if (kinds[i].needs && !name[len])
			return unc_fail(ctx, UNC_EARG, "%s names no %s", kinds[i].name, kinds[i].needs);
		return kinds[i].open(ctx, name + len, wake_fd, ret_host);
	}
	for (size_t i = 0; unc_machine_simulated(i, &model, &part, &cpu); i++)
		if (strncmp(name, model, strlen(model)) == 0 && strchr(",", name[strlen(model)]))
			return unc_fail(ctx, UNC_EARG, "\"%s\": no such kind of machine; the simulated one is sim:%s",
					name, name);
	return unc_fail(ctx, UNC_EARG, "\"%s\": no such kind of machine; there are %s", name, there_are);
}
