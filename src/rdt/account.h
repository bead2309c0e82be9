/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of what IA32_QM_CTR said: a status, and bytes.  Pure arithmetic. */
#ifndef UNC_RDT_ACCOUNT_H
#define UNC_RDT_ACCOUNT_H

#include "uncore.h"

/* How the counters of a machine count. */
struct unc_llc_meter {
	uint64_t unit_bytes;
	uint64_t full_speed; /* bytes per second, of one L3 */
	uint64_t mask;       /* as wide as a bandwidth counter */
	uint64_t wrap_ns;    /* the shortest time in which one wraps; UINT64_MAX: never */
	uint64_t factor;     /* of the erratum, in 2^-20 */
};
/* Of unit_bytes, full_speed, counter_bits and factor of the machine. */
void unc_llc_meter_init(struct unc_llc_meter *meter, const struct unc_llc_info *info);

struct unc_llc_reading { /* one value as it was read */
	enum unc_llc_status status;
	uint64_t data;                /* with UNC_LLC_OK */
	unsigned n_unavailable;       /* QM_CTR said so, that often after one selection */
	bool was_forgotten;           /* AMD: hardware begins at 0 again, and would not say so again */
	uint64_t before_ns, after_ns; /* raw time around the read of IA32_QM_CTR */
};

/* An event of an RMID on one L3, or on one of the nodes that share it. */
struct unc_llc_account {
	bool has_baseline;
	bool lost;            /* of what moved since since_ns, something is not known */
	uint64_t raw;         /* last read */
	uint64_t earliest_ns; /* and when: before_ns, */
	uint64_t raw_ns;      /* the middle of the two, */
	uint64_t blur_ns;     /* which may be wrong by so much */
	uint64_t units;       /* moved since since_ns */
	uint64_t since_ns, since_blur_ns;
};

/*
 * A bandwidth counter was read.  UNC_LLC_OK: unc_llc_moved() has a number; UNC_LLC_STALE: it was read, but some of what was
 * moved is not known; else why it was not read: what it counts meanwhile is in the next number.
 */
enum unc_llc_status unc_llc_account(struct unc_llc_account *account, const struct unc_llc_meter *meter,
				    const struct unc_llc_reading *reading);
/* What was moved until now is not known (suspend). */
void unc_llc_lose(struct unc_llc_account *account);
/* Until the last reading; the account begins anew there. */
void unc_llc_moved(struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected,
		   struct unc_llc_value *ret_value);
/* The same where there is no number to be had. */
void unc_llc_begin(struct unc_llc_account *account);
/*
 * Bytes that the counter showed when it began, and those moved until the last reading: what it would show if it never wrapped.  It goes
 * on.
 */
uint64_t unc_llc_shown(const struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected);

/* When both ends of what moved were read: the interval, and by how much its ends may be wrong together. */
struct unc_llc_span {
	uint64_t begin_ns, end_ns, doubt_ns;
};
/* Of what unc_llc_moved() would say now. */
struct unc_llc_span unc_llc_span(const struct unc_llc_account *account);

struct unc_llc_part { /* total or local */
	uint64_t bytes;
	struct unc_llc_span span;
};
/*
 * What moved and was not local, and by how much that may be wrong: by what moved in the doubtful part of both intervals, and in the
 * time between the reads of both counters, and by one unit of a counter.  False where more is local than total by more than that:
 * then there is no number.
 */
bool unc_llc_remote(const struct unc_llc_part *total, const struct unc_llc_part *local, uint64_t unit_bytes,
		    uint64_t *ret_bytes, uint64_t *ret_uncertain_bytes);

/* What is owned of the cache.  UNC_LLC_ERROR where that is more than a number holds. */
void unc_llc_owned(const struct unc_llc_reading *reading, const struct unc_llc_meter *meter,
		   struct unc_llc_value *ret_value);

/* Of two statuses the one that is worse to have in a sum. */
enum unc_llc_status unc_llc_worse(enum unc_llc_status a, enum unc_llc_status b);
/* sum, which began as all zeros, and a part of it: a number only where all parts have one, and one can hold it. */
void unc_llc_add_value(struct unc_llc_value *sum, const struct unc_llc_value *part);

#endif
