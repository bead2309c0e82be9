/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the checks of cache monitoring share: the L3 caches that may be used, requests to IA32_QM_CTR, RMIDs that no CPU carries,
 * and data that a CPU loads into its cache on purpose.  The registers, the numbers of RMIDs and the size of a unit come from rdt/.
 */
#ifndef UNC_CHECK_MONITORING_H
#define UNC_CHECK_MONITORING_H

#include "check/check.h"
#include "rdt/llc.h"

#define UNC_MON_MB UINT64_C(1000000)

struct unc_mon_l3 {
	struct unc_llc_domain *domain; /* owned by the session */
	/* The CPU that is given RMIDs and makes traffic; not the one that reads the counters, if there are two. */
	struct unc_llc_cpu *cpu;
	unsigned node;          /* NUMA node of the CPU, as the operating system numbers it */
	bool shared;            /* the node is of other sockets too: their memory is interleaved */
	uint64_t bytes;         /* size of the cache, or of the CPU's part of it if that is divided */
	uint64_t reach;         /* how much of that its class of service may fill */
	char name[UNC_L3_NAME]; /* "socket0.l3-0" */
};

struct unc_mon {
	struct unc_check *c;  /* outlives it */
	struct unc_llc *llc;  /* owned; never started: it gives registers and arithmetic, and owns the writes */
	bool busy;            /* another program uses cache monitoring */
	const char *told;     /* of monitoring.scope: what was reported of QM_EVTSEL for the map; NULL: nothing yet */
	unsigned unavailable; /* how often IA32_QM_CTR was Unavailable after a selection, and gave an answer later */
	int rc;               /* the first failure: what follows does nothing, and returns 0 */
	char why[UNC_MSG_MAX];
};

/* ---- the caches (check/monitoring.c) ---- */

/*
 * The frame of these checks, unc_mon_check(), leaves a result for each L3 that is checked in this depth: it is skipped with the
 * reason, or they are called.  After that traffic is stopped and every register put back.  They leave mon->rc as a check's run()
 * returns it, or as the error of an access that failed, with its sentence in the context; the functions below do nothing once it is set.
 */

/* From now on that CPU of the L3 is given RMIDs, and makes traffic. */
void unc_mon_use_cpu(const struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_llc_cpu *cpu);
/*
 * Notes a failed access in the result: skipped if another program has the hardware or access is not permitted, else as
 * unc_check_broke().
 */
int unc_mon_broke(struct unc_check *c, int rc);

/* ---- accesses (check/monitoring.c) ---- */

uint64_t unc_mon_read(struct unc_mon *mon, struct unc_box *box, const struct unc_reg *reg);
/* Writes the RMID of IA32_PQR_ASSOC, which held was. */
void unc_mon_write_rmid(struct unc_mon *mon, struct unc_box *box, uint64_t was, unsigned rmid);
/* The value of IA32_PQR_ASSOC with another RMID. */
uint64_t unc_mon_with_rmid(struct unc_mon *mon, uint64_t was, uint64_t rmid);

/* ---- walks (check/monitoring.c) ---- */

/* The L3's CPU loads a buffer of its own node again and again, until unc_mon_rest(). */
void unc_mon_walk(struct unc_mon *mon, const struct unc_mon_l3 *l3, uint64_t size_bytes);
/* Waits until that much was loaded.  UNC_EIO: it was not, in a time in which ten times as much should be. */
void unc_mon_walked(struct unc_mon *mon, uint64_t bytes);
void unc_mon_rest(struct unc_mon *mon);
void unc_mon_wait(struct unc_mon *mon, uint64_t ns);

/* check/monitoring_*.c: the checks */
int unc_mon_cpuid(struct unc_check *c);
void unc_mon_assoc(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_rmids(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_error(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_scope(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_occupancy(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_follows(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_falls(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_sum(struct unc_mon *mon, struct unc_mon_l3 *l3);
void unc_mon_bandwidth(struct unc_mon *mon, struct unc_mon_l3 *l3);

#endif
