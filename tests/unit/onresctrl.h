/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's resctrl on a simulated machine: its files in a folder, its numbers from IA32_QM_CTR, which it reads by the second hand. */
#ifndef UNC_TESTS_ONRESCTRL_H
#define UNC_TESTS_ONRESCTRL_H

#include "onllc.h"
#include "rdt/rdt.h"
#include "tree.h"
#include "uncore/xcheck.h"

#define ONRESCTRL_LOAD                                                                                                 \
	"format: uncorectl-load/1\ncpus:\n"                                                                            \
	"  0: {occupancy: 8e6, total: 4e9, local: 3e9}\n"                                                              \
	"  1: {occupancy: 6e6, total: 2e9, local: 1e9}\n"                                                              \
	"  2: {occupancy: 4e6, total: 1e9, local: 9e8}\n"                                                              \
	"  4: {occupancy: 5e6, total: 3e9, local: 2e9}\n"

enum { ONRESCTRL_GROUPS = 8, ONRESCTRL_L3S = 4, ONRESCTRL_ROWS = 64 };

struct onresctrl_group {
	char path[64]; /* below the mount */
	unsigned rmid;
	bool there;
	uint64_t prev[ONRESCTRL_L3S][3], chunks[ONRESCTRL_L3S][3];
};

struct onresctrl {
	struct onllc x; /* first: the machine */
	struct tree tree;
	char mount[64];            /* "sys/fs/resctrl" */
	struct unc_xcheck_cfg cfg; /* until it is opened, with the first group that is added */
	struct unc_xcheck *xc;
	struct unc_xcheck_row rows[ONRESCTRL_ROWS];
	size_t n;
	bool hw_id;
	double factor;    /* of all that it says; 1 */
	unsigned bits;    /* of a counter */
	unsigned snc;     /* nodes of an L3; 1 */
	unsigned n_rmids; /* of them all */
	uint64_t looked_ns;
	unsigned cpu[ONRESCTRL_L3S], id[ONRESCTRL_L3S], n_l3s; /* it reads there */
	struct onresctrl_group groups[ONRESCTRL_GROUPS];
};

/* After closing what was open: a machine on which resctrl is mounted: root group, and nothing else; CPUs: a list of all. */
void onresctrl_open(struct onresctrl *k, const char *model, const char *common, const char *own);
/* The same of a kernel that does not know of clusters, as before Linux 6.11: it takes units as CPUID has them. */
void onresctrl_open_old(struct onresctrl *k, const char *model, const char *common, const char *own);
/* The same with traffic on CPUs 0, 1, 2 and 4. */
void onresctrl_open_loaded(struct onresctrl *k, const char *model, const char *common, const char *own);
/* BDX_16, and a group "jobs" of CPUs 0 and 1 with RMID 5. */
void onresctrl_open_bdx(struct onresctrl *k, bool hw_id);
/* The same, with the group "jobs" to be cross-checked, from now on. */
void onresctrl_begin(struct onresctrl *k, bool hw_id);
/* On a machine that is open: the root group of CPUs 1 to 3, and a group "jobs" of CPU 0, which is cross-checked from now on. */
void onresctrl_begin_one(struct onresctrl *k, unsigned rmid);
void onresctrl_close(struct onresctrl *k);
/* Each test of the file opens k, a variable that this defines; it is closed afterwards. */
#define EACH_ON_RESCTRL(k)                                                                                             \
	static struct onresctrl k;                                                                                     \
	static void end(void)                                                                                          \
	{                                                                                                              \
		onresctrl_close(&k);                                                                                   \
	}                                                                                                              \
	EACH(NULL, end)

/* A group with its RMID, CPUs, and tasks ("" or "17\n18\n"). */
void onresctrl_group(struct onresctrl *k, const char *path, unsigned rmid, const char *cpus, const char *tasks);
/* A group of these CPUs, which carry its RMID. */
void onresctrl_run(struct onresctrl *k, const char *path, unsigned rmid, unsigned first, unsigned last);
void onresctrl_drop(struct onresctrl *k, const char *path);
/* A file of a group, and of the machine. */
void onresctrl_put(struct onresctrl *k, const char *path, const char *name, const char *text);
/* A task that is on that CPU now. */
void onresctrl_task(struct onresctrl *k, unsigned tid, char state, unsigned cpu);
/* CPUs from first to last carry that RMID. */
void onresctrl_carry(struct onresctrl *k, unsigned first, unsigned last, unsigned rmid);
/* The kernel looks at its counters, as it does every second, and says what they say. */
void onresctrl_update(struct onresctrl *k);
/* Opens the cross-check, if it is not yet.  This may fail: */
int onresctrl_try(struct onresctrl *k, const char *group);
/* What must succeed: */
void onresctrl_add(struct onresctrl *k, const char *group);
void onresctrl_start(struct onresctrl *k);
void onresctrl_watch(struct onresctrl *k, const char *group); /* both */
void onresctrl_sample(struct onresctrl *k, uint64_t ns);      /* so much later */
/* Asks for the rows, as onresctrl_start() and onresctrl_sample() do. */
void onresctrl_rows(struct onresctrl *k);
/* The row of an event of a group ("jobs", "" the root) on an L3; it must be there. */
struct unc_xcheck_row *onresctrl_row(struct onresctrl *k, const char *group, unsigned l3, const char *event);
/* That row, or each, has that verdict, and this in its reason. */
struct unc_xcheck_row *onresctrl_is(struct onresctrl *k, const char *group, unsigned l3, const char *event,
				    enum unc_xcheck_verdict verdict, const char *why);
void onresctrl_are(struct onresctrl *k, enum unc_xcheck_verdict verdict, const char *why);
/* All rows are OK, and the kernel's number is ours. */
void onresctrl_agrees(struct onresctrl *k);
void onresctrl_goes_on(struct onresctrl *k); /* so also a second later */

#endif
