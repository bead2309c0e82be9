/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the checks of cache monitoring share: the L3 caches that may be used, questions to IA32_QM_CTR, RMIDs that nobody carries,
 * and data that a CPU takes into its cache on purpose.  Registers, numbers of RMIDs and what a unit is are rdt/'s.
 */
#ifndef UNC_CHECK_MONITORING_H
#define UNC_CHECK_MONITORING_H

#include "check/check.h"
#include "rdt/llc.h"

#define UNC_MON_MB UINT64_C(1000000)

struct unc_mon_l3 {
	struct unc_llc_domain *domain; /* the session's */
	struct unc_llc_cpu
		*cpu;   /* that is given RMIDs, and makes traffic: not the one that is asked, where there are two */
	unsigned node;  /* its NUMA node, as the operating system numbers it */
	bool shared;    /* which is of other sockets too: their memory is interleaved */
	uint64_t bytes; /* of the cache, or of the CPU's part of it where that is divided */
	uint64_t reach; /* of that, what its class of service may fill */
	char name[24];  /* "l3 0" */
};

struct unc_mon {
	struct unc_check *c; /* outlives it */
	struct unc_llc *llc; /* owned; never started: its registers and arithmetic, and whose the writes are */
	bool busy;           /* somebody uses cache monitoring */
	int told; /* of check/monitoring_scope.c: what a map is to be told of QM_EVTSEL was; 0: nothing yet */
	unsigned unavailable; /* IA32_QM_CTR was so this often after a selection, and then had an answer */
	char why[UNC_MSG_MAX];
};

/* check/monitoring_l3s.c */

/*
 * A result for each L3 that is looked at in this depth: skipped with the reason, or each() is called.  Behind it traffic is stopped
 * and every register put back.  each() fails as a check's run() does, or with what an access failed with, its sentence in the context.
 */
int unc_mon_each(struct unc_check *c, int (*each)(struct unc_mon *mon, struct unc_mon_l3 *l3));
/* From now on that CPU of the L3 is given RMIDs, and makes traffic. */
void unc_mon_use_cpu(const struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_llc_cpu *cpu);
/* What an access failed with becomes of the result: skipped, where somebody else has it or it may not be; else as unc_check_broke(). */
int unc_mon_broke(struct unc_check *c, int rc);

/* check/monitoring_rmid.c */

/* One that nobody carries and that owns nothing, if there is one; it is not found again.  UNC_EBUSY: there is none. */
int unc_mon_find_rmid(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned *ret_rmid);
/* Gives it to the L3's CPU, whose class of service stays.  UNC_EIO: it does not stick. */
int unc_mon_give(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid);
/* What the CPU's part of the cache has of it; what hardware does not follow (AMD) owns nothing.  UNC_EIO: no number is to be had. */
int unc_mon_owned(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid, uint64_t *ret_bytes);
/* Of all RMIDs of an L3, or of the CPU's part of it alone, and how many of them have something. */
struct unc_mon_sum {
	uint64_t bytes;
	unsigned n;
};
int unc_mon_owned_by_all(struct unc_mon *mon, struct unc_mon_l3 *l3, bool part_alone, struct unc_mon_sum *ret_sum);
/* Do RMIDs compete for it, so that one may get less than it should?  Of the part of a class of service that cannot be told. */
int unc_mon_is_full(struct unc_mon *mon, struct unc_mon_l3 *l3, bool *ret_full);
/* As IA32_QM_EVTSEL numbers that RMID of the CPU's part. */
unsigned unc_mon_physical(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid);

/* check/monitoring_select.c */

/* Before the first write there: it is in the journal on disk, whatever will be selected. */
int unc_mon_plan_selector(struct unc_mon *mon, struct unc_box *box);

/* check/monitoring_walk.c */

/* The L3's CPU loads a buffer of its own node again and again, until unc_mon_rest(). */
int unc_mon_walk(struct unc_mon *mon, const struct unc_mon_l3 *l3, uint64_t size_bytes);
/* Until so much was loaded.  UNC_EIO: it was not, in a time in which ten times as much should be. */
int unc_mon_walked(struct unc_mon *mon, uint64_t bytes);
int unc_mon_rest(struct unc_mon *mon);

enum { UNC_MON_WALKS = 3 }; /* a buffer so often: other lines give way to it one by one */
/* Under an RMID, which the CPU is given: what it owned before, and once the buffer was walked so often; which goes on. */
struct unc_mon_under {
	unsigned rmid;
	uint64_t size;
	uint64_t before, behind; /* found out */
};
int unc_mon_walk_under(struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_mon_under *under);
/* False: occupancy is not monitored, and the result is skipped. */
bool unc_mon_has_occupancy(struct unc_mon *mon);
/* How much an RMID owns, as evidence. */
void unc_mon_see(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid, const char *what,
		 uint64_t bytes);
uint64_t unc_mon_gained(uint64_t before, uint64_t after); /* 0 where it lost */
double unc_mon_mb(uint64_t bytes);

/* check/monitoring_*.c: the checks */
int unc_mon_cpuid(struct unc_check *c);
int unc_mon_assoc(struct unc_check *c);
int unc_mon_rmids(struct unc_check *c);
int unc_mon_error(struct unc_check *c);
int unc_mon_scope(struct unc_check *c);
int unc_mon_occupancy(struct unc_check *c);
int unc_mon_follows(struct unc_check *c);
int unc_mon_falls(struct unc_check *c);
int unc_mon_sum(struct unc_check *c);
int unc_mon_bandwidth(struct unc_check *c);

#endif
