/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds every value of monitoring against what the simulated machine knows to be so. */
#ifndef UNC_TESTS_LLC_ORACLE_H
#define UNC_TESTS_LLC_ORACLE_H

#include "onllc.h"

struct llc_span { /* something that was between the two when it was read */
	uint64_t lo, hi;
};

struct llc_moment { /* what is known of a reading */
	struct llc_span time, moved;
	bool known;
};

struct llc_truths { /* of every row, at one time */
	uint64_t ns;
	struct unc_sim_llc rows[ONLLC_ROWS];
};

struct llc_oracle {
	struct onllc *x; /* not owned */
	struct unc_llc_info info;
	bool local_mode;  /* sub-NUMA clustering: a group has an RMID of each node's range */
	bool exact;       /* reading takes no time */
	bool undisturbed; /* since the last read no other process touched anything: there must be numbers */
	bool steady;      /* while it is read, CPUs carry what they carry */
	bool hijacked;    /* another process may have given a CPU another RMID, ever */
	bool unassigned;  /* counters that were assigned (ABMC) may be lost, by a suspend */
	struct llc_moment since[ONLLC_ROWS][UNC_LLC_EVENTS];
	unsigned long numbers, wrong; /* values that were compared; what was not as it must be */
};

void llc_oracle_init(struct llc_oracle *oracle, struct onllc *x);
/* Behind unc_llc_start(). */
void llc_oracle_started(struct llc_oracle *oracle);
void llc_oracle_truths(struct llc_oracle *oracle, struct llc_truths *ret_truths);
/* x->rows were read between the two. */
void llc_oracle_check(struct llc_oracle *oracle, const struct llc_truths *before, const struct llc_truths *after);

#endif
