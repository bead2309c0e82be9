// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine as another process left it, and what differs from that. */
#define _GNU_SOURCE
#include "safety.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/sim.h"

/* Of BOX_CTL: Sandy Bridge-EP, Intel 327043-001, chapter "iMC". */
enum { FRZ_EN = 1 << 16, EN = 1 << 22, OV_CTR1 = 1 << 2 };
#define FIXED_FOUND UINT64_C(0x223456789a)

void wrong(struct world *w, const char *fmt, ...)
{
	size_t len = strlen(w->result->told);
	va_list args;

	w->result->wrong++;
	len += (size_t)snprintf(w->result->told + len, sizeof(w->result->told) - len, "%s: ", w->doing);
	if (len > sizeof(w->result->told) - 400)
		return;
	va_start(args, fmt);
	vsnprintf(w->result->told + len, 390, fmt, args);
	va_end(args);
	strcat(w->result->told, "\n");
}

_Noreturn static void die(const struct world *w, const char *what)
{
	printf("not ok safety: %s: %s: %s\n", w->folder, what, strerror(errno));
	exit(1);
}

static void get(const struct world *w, struct unc_sim_state *state)
{
	if (!state_get(w->state, state))
		die(w, "the state cannot be read");
}

static void name_machine(struct world *w)
{
	if (w->command->is & SAMPLED)
		snprintf(w->machine, sizeof(w->machine), "sim:%s,clock=step,state=%s", w->command->machine, w->state);
	else if (w->command->is & CACHES)
		snprintf(w->machine, sizeof(w->machine), "sim:bdx,sockets=1,cores=%d,threads=1,clock=step,state=%s",
			 CPUS, w->state);
	else
		snprintf(w->machine, sizeof(w->machine), "sim:snbep,sockets=1,clock=step,%s,state=%s",
			 w->command->machine, w->state);
}

/* AMD's registers of a node: of a data fabric 4 or 16 controls and as many counters, then those of UMCs (sim/amd.c). */
enum { OLD_DF_CTRS = 4 };

static bool is_node_counter(const struct world *w, unsigned k)
{
	enum { UMCS = 2 * UNC_SIM_DF_CTRS };

	if (strncmp(w->command->machine, "zen2,", 5) == 0)
		return k >= OLD_DF_CTRS;
	return k < UMCS ? k >= UNC_SIM_DF_CTRS : k >= UMCS + UNC_SIM_UMC_CTRS;
}

/* What people leave behind: controls without enable, a status that was not cleared, classes of service, a selector. */
static void be_found(const struct world *w, struct unc_sim_state *state)
{
	/* Sapphire Rapids has no enable: a control that is not 0 belongs to another program. */
	bool all_zero = strncmp(w->command->machine, "spr,", 4) == 0;

	for (unsigned i = 0; i < CHANNELS; i++) {
		struct unc_sim_imc *imc = &state->imc[i];

		if (w->command->is & SAMPLED) {
			imc->fixed_ctr = FIXED_FOUND + i;
			imc->box_status = i == 1 ? OV_CTR1 : 0;
		}

		for (unsigned k = 0; k < UNC_SIM_CTRS; k++) {
			imc->ctl[k] = all_zero ? 0 : 0x01000000 * (k + 1) + 0x0304;
			imc->ctr[k] = UINT64_C(0x123456789a) + k;
		}
	}
	for (unsigned k = 0; k < UNC_SIM_MSRS_OF_NODE && strncmp(w->command->machine, "zen", 3) == 0; k++)
		state->nodes[0].msrs[k] = is_node_counter(w, k) ? 0x1234567 + k : 0x10a; /* as perf leaves them */
	for (unsigned i = 0; i < CPUS && (w->command->is & CACHES); i++) {
		state->threads[i].pqr_assoc = UINT64_C(0x300000000) * i;
		state->threads[i].selector.evtsel = UINT64_C(0x700000002);
	}
}

void world_prepare(struct world *w)
{
	struct unc_host *host;
	struct unc_ctx *ctx;

	w->before = state_new();
	w->after = state_new();
	snprintf(w->state, sizeof(w->state), "%s/state", w->folder);
	snprintf(w->journals, sizeof(w->journals), "%s/journals", w->folder);
	snprintf(w->err, sizeof(w->err), "%s/err", w->folder);
	snprintf(w->trace, sizeof(w->trace), "%s/trace", w->folder);
	snprintf(w->mount, sizeof(w->mount), "%s/mount", w->folder);
	if (!w->before || !w->after || mkdir(w->folder, 0700) < 0)
		die(w, "no folder");
	name_machine(w);
	if (unc_new(&ctx) < 0 || unc_sim_open(ctx, w->machine + strlen("sim:"), -1, &host) < 0)
		die(w, "no machine");
	unc_host_close(host);
	unc_free(ctx);
	get(w, w->before);
	be_found(w, w->before);
}

void world_make(struct world *w)
{
	if (!state_put(w->state, w->before, w->server > 0))
		die(w, "the state cannot be written");
	w->counted = false;
	drop_journals(w->journals);
}

bool world_has_journal(const struct world *w, char *text, size_t size)
{
	DIR *dir = opendir(w->journals);
	struct dirent *entry;
	bool has = false;

	while (dir && !has && (entry = readdir(dir))) {
		has = entry->d_name[0] != '.';
		snprintf(text, size, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return has;
}

struct differing {
	unsigned n;
	char *text;
	size_t size;
};

static void compare(struct differing *d, const char *what, unsigned i, unsigned k, uint64_t before, uint64_t after)
{
	if (before != after && d->n++ == 0)
		snprintf(d->text, d->size, "%s %u.%u is 0x%" PRIx64 ", was 0x%" PRIx64, what, i, k, after, before);
}

static void compare_all(struct differing *d, const char *what, unsigned i, const uint64_t *before,
			const uint64_t *after, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		compare(d, what, i, k, before[k], after[k]);
}

/* What cannot be read back may be left as the documents have an idle box: armed. */
static void compare_channel(const struct world *w, struct differing *d, unsigned i)
{
	const struct unc_sim_imc *before = &w->before->imc[i], *after = &w->after->imc[i];
	uint32_t idle = strstr(w->command->machine, "frz_en=wo") ? FRZ_EN : 0;
	unsigned kernels = strstr(w->command->machine, "perf=on") ? 2 : 0; /* events that are compared */
	bool counters = w->command->is & COUNTERS && !w->counted;

	/* The kernel's driver takes the lowest, and leaves its event there without enable. */
	for (unsigned k = 0; k < UNC_SIM_CTRS; k++)
		if (k >= kernels || after->ctl[k] & EN)
			compare(d, "CTL of channel", i, k, before->ctl[k], after->ctl[k]);
	for (unsigned k = 0; k < UNC_SIM_CTRS && counters; k++)
		compare(d, "CTR of channel", i, k, before->ctr[k], after->ctr[k]);
	if (counters)
		compare(d, "FIXED_CTR of channel", i, 0, before->fixed_ctr, after->fixed_ctr);
	compare(d, "FIXED_CTL of channel", i, 0, before->fixed_ctl, after->fixed_ctl);
	compare(d, "BOX_CTL of channel", i, 0, before->box_ctl, after->box_ctl & ~idle);
	compare(d, "BOX_STATUS of channel", i, 0, before->box_status, after->box_status);
	compare(d, "the global freeze of channel", i, 0, before->frozen_global, after->frozen_global);
}

unsigned world_differs(struct world *w, char *text, size_t size)
{
	struct differing d = {0, text, size};
	const struct unc_sim_state *before = w->before, *after = w->after;

	get(w, w->after);
	for (unsigned i = 0; i < UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX; i++)
		compare_channel(w, &d, i);
	for (unsigned i = 0; i < UNC_SIM_CPUS_MAX; i++) {
		compare(&d, "PQR_ASSOC of CPU", i, 0, before->threads[i].pqr_assoc, after->threads[i].pqr_assoc);
		compare(&d, "QM_EVTSEL of CPU", i, 0, before->threads[i].selector.evtsel,
			after->threads[i].selector.evtsel);
		compare(&d, "L3_QOS_ABMC_CFG of CPU", i, 0, before->threads[i].abmc_cfg, after->threads[i].abmc_cfg);
		compare_all(&d, "MSR of CPU", i, before->threads[i].msrs, after->threads[i].msrs, UNC_SIM_MSRS_OF_CPU);
	}
	for (unsigned i = 0; i < UNC_SIM_SOCKETS_MAX; i++)
		compare(&d, "the global freeze of package", i, 0, before->packages[i].frozen,
			after->packages[i].frozen);
	for (unsigned i = 0; i < UNC_SIM_SOCKETS_MAX; i++)
		compare_all(&d, "MSR of package", i, before->packages[i].msrs, after->packages[i].msrs,
			    UNC_SIM_MSRS_OF_PACKAGE);
	/* Controls of data fabrics and memory controllers of AMD; every second one is a counter. */
	for (unsigned i = 0; i < UNC_SIM_NODES_MAX; i++)
		for (unsigned k = 0; k < UNC_SIM_MSRS_OF_NODE; k++)
			if (!is_node_counter(w, k))
				compare(&d, "MSR of node", i, k, before->nodes[i].msrs[k], after->nodes[i].msrs[k]);
	for (unsigned i = 0; i < UNC_SIM_L3S_MAX; i++) {
		compare(&d, "QM_EVTSEL of L3", i, 0, before->l3s[i].selector.evtsel, after->l3s[i].selector.evtsel);
		compare_all(&d, "MSR of L3", i, before->l3s[i].msrs, after->l3s[i].msrs, UNC_SIM_MSRS_OF_L3);
		for (unsigned k = 0; k < UNC_SIM_ABMC_COUNTERS; k++)
			compare(&d, "counter of L3", i, k, before->l3s[i].abmc[k].cfg, after->l3s[i].abmc[k].cfg);
		for (unsigned k = 0; k < UNC_SIM_BANDWIDTHS; k++)
			compare(&d, "QOS_EVT_CFG of L3", i, k, before->l3s[i].bandwidths[k],
				after->l3s[i].bandwidths[k]);
	}
	if (after->n_violations)
		wrong(w, "a rule of the manual was broken");
	return d.n;
}

static bool mounted(const struct world *w)
{
	char path[PATH_TEXT + 16];

	snprintf(path, sizeof(path), "%s/truth.json", w->mount);
	return access(path, F_OK) == 0;
}

bool world_mount(struct world *w, const struct death *death)
{
	char machine[PATH_TEXT + 200];
	int status;

	mkdir(w->mount, 0700);
	name_killer(machine, sizeof(machine), w->machine, death);
	w->server = fork();
	if (w->server == 0) {
		dup2(open(w->err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 2);
		execl(w->tools->simfs, w->tools->simfs, machine, w->mount, (char *)NULL);
		_exit(99);
	}
	for (unsigned tries = 0; tries < 1000 && w->server > 0; tries++) {
		if (mounted(w)) {
			snprintf(w->machine, sizeof(w->machine), "root:%s", w->mount);
			return true;
		}
		if (waitpid(w->server, &status, WNOHANG) == w->server)
			w->server = 0;
		usleep(5000);
	}
	world_unmount(w);
	return false;
}

void world_unmount(struct world *w)
{
	if (w->server > 0) {
		kill(w->server, SIGTERM);
		waitpid(w->server, NULL, 0);
	}
	w->server = 0;
	if (mounted(w))
		umount2(w->mount, MNT_DETACH);
	name_machine(w);
}
