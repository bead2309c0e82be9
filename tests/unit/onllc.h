/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of cache monitoring have in common: a simulated machine whose MSRs can fail, and a second hand on them. */
#ifndef UNC_TESTS_ONLLC_H
#define UNC_TESTS_ONLLC_H

#include "onsim.h"

/* Intel SDM vol. 3, "Intel Resource Director Technology": written here by hand. */
enum { R_EVTSEL = 0xc8d, R_QM_CTR = 0xc8e, R_PQR = 0xc8f };
enum { QM_OCCUPANCY = 1, QM_TOTAL = 2, QM_LOCAL = 3 };

/* CPUs 0-3 and 8-11 on the L3 of package 0, 4-7 and 12-15 on that of package 1. */
#define BDX_16   "sockets=2,cores=4"
#define BDX_UNIT UINT64_C(73728) /* bytes per unit on an E5-2697 v4: CPUID 0xf.1 EBX is 0x12000 */
#define BDX_L3   (UINT64_C(45) << 20)
enum { BDX_MAX_RMID = 143, BDX_EXACT_RMID = 127 };

enum { ONLLC_ROWS = 600, ONLLC_CPUS = 128 };
struct onllc {
	struct onsim o;
	struct unc_llc *llc;
	struct unc_llc_row rows[ONLLC_ROWS];
	struct unc_llc_row_info infos[ONLLC_ROWS];
	size_t n;
};

/*
 * A machine of clock=step that was opened for writing, and monitoring on it; NULL: nothing special.  Closes what x has open before: x is
 * static, or all zeros.
 */
void onllc_open(struct onllc *x, const char *model, const char *common, const char *own, const struct unc_llc_cfg *cfg);
/* A bdx whose CPUs make that load: the lines below "cpus:". */
void onllc_open_load(struct onllc *x, const char *common, const char *load, const char *own,
		     const struct unc_llc_cfg *cfg);
/* The same with groups ("name", "0-3", ...), which has started. */
#define ONLLC(x, model, common, own, cfg, ...)                                                                         \
	onllc_begin(x, model, common, own, cfg, (const char *const[]){__VA_ARGS__, NULL})
void onllc_begin(struct onllc *x, const char *model, const char *common, const char *own, const struct unc_llc_cfg *cfg,
		 const char *const *groups);
/* Adds such groups, and starts. */
#define ONLLC_GROUPS(x, ...) onllc_groups(x, (const char *const[]){__VA_ARGS__, NULL})
void onllc_groups(struct onllc *x, const char *const *groups);
/* The machine alone. */
void onllc_machine(struct onllc *x, const char *model, const char *common, const char *own);
/* A list as Linux writes it.  onllc_try_group() may fail. */
int onllc_try_group(struct onllc *x, const char *name, const char *cpus);
void onllc_group(struct onllc *x, const char *name, const char *cpus);
/* Where it starts, infos and n are of its rows. */
int onllc_try_start(struct onllc *x);
void onllc_start(struct onllc *x); /* these five must succeed */
void onllc_read(struct onllc *x);
void onllc_read_after(struct onllc *x, uint64_t ns); /* so much later, not slept in the library */
void onllc_stop(struct onllc *x);                    /* monitoring alone; this may fail: */
int onllc_try_stop(struct onllc *x);
void onllc_close(struct onllc *x); /* and the machine */

/* Defines x.  What a test of the file has open in it is closed after the test. */
#define EACH_ON_LLC(x)                                                                                                 \
	static struct onllc x;                                                                                         \
	static void close_llc(void)                                                                                    \
	{                                                                                                              \
		onllc_close(&x);                                                                                       \
	}                                                                                                              \
	EACH(NULL, close_llc)

/* Compares the flags of all rows: FLAGS_ARE(&x, 0, UNC_LLC_LATE). */
#define FLAGS_ARE(x, ...)                                                                                              \
	onllc_flags_are(x, (const unsigned[]){__VA_ARGS__}, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned),      \
			__FILE__, __LINE__)
void onllc_flags_are(struct onllc *x, const unsigned *flags, size_t n, const char *file, int line);
/* Compares the status of each value of a row. */
#define STATUS_IS(x, row, occupancy, total, local)                                                                     \
	onllc_status_is(x, row, (const unsigned[]){occupancy, total, local}, __FILE__, __LINE__)
void onllc_status_is(struct onllc *x, size_t row, const unsigned status[UNC_LLC_EVENTS], const char *file, int line);

/* The other hand, whose accesses take no time and leave no trace. */
uint64_t onllc_peek(struct onllc *x, unsigned cpu, uint32_t number);
void onllc_poke(struct onllc *x, unsigned cpu, uint32_t number, uint64_t value);
/* What really is so, now. */
struct unc_sim_llc onllc_truth(struct onllc *x, unsigned l3, unsigned rmid);
/* That moved, as a counter of whole units tells it: from one truth to another. */
uint64_t onllc_moved(uint64_t before, uint64_t after, uint64_t unit);

/* Every IA32_PQR_ASSOC and IA32_QM_EVTSEL. */
struct onllc_state {
	size_t n;
	uint64_t pqr[ONLLC_CPUS], evtsel[ONLLC_CPUS];
};
struct onllc_state onllc_state(struct onllc *x);
/* They are as they were then. */
void onllc_is_as(struct onllc *x, const struct onllc_state *found);
/* How many registers differ. */
unsigned onllc_differ(const struct onllc_state *a, const struct onllc_state *b);

#endif
