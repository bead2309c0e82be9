/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns readings of IA32_QM_CTR into a status and bytes.  Pure arithmetic. */
#ifndef UNC_RDT_ACCOUNT_H
#define UNC_RDT_ACCOUNT_H

#include "uncore.h"

/* How the bandwidth counters of a machine count. */
struct unc_llc_meter {
	uint64_t unit_bytes;
	uint64_t full_speed; /* bytes per second, for one L3 */
	uint64_t mask;       /* as many bits as a bandwidth counter has */
	uint64_t wrap_ns;    /* the shortest time in which a counter wraps; UINT64_MAX: never */
	uint64_t factor;     /* correction for the erratum, in 2^-20 */
};
/* Fills the meter from unit_bytes, full_speed, counter_bits and factor of the machine. */
void unc_llc_meter_init(struct unc_llc_meter *meter, const struct unc_llc_info *info);

struct unc_llc_reading { /* one value as read */
	enum unc_llc_status status;
	uint64_t ctr;           /* IA32_QM_CTR */
	uint64_t data;          /* of it; valid with UNC_LLC_OK */
	unsigned n_unavailable; /* how often QM_CTR was Unavailable after one selection, including the last time */
	bool was_forgotten;     /* AMD: hardware starts again at 0, and would not report that a second time */
	uint64_t before_ns, after_ns; /* raw time around the read of IA32_QM_CTR */
};

/* The count of one event of an RMID, on one L3 or on one of the nodes that share it. */
struct unc_llc_account {
	bool has_baseline;
	bool lost;            /* an unknown part of what moved since since_ns is missing */
	uint64_t raw;         /* value of the last read */
	uint64_t earliest_ns; /* before_ns of the last read */
	uint64_t raw_ns;      /* middle of before_ns and after_ns of the last read */
	uint64_t blur_ns;     /* uncertainty of raw_ns */
	uint64_t units;       /* moved since since_ns */
	uint64_t since_ns, since_blur_ns;
};

/*
 * Adds a reading of a bandwidth counter.  UNC_LLC_OK: unc_llc_moved() has a number; UNC_LLC_STALE: it was read, but part of what
 * was moved is not known; else the reason why it was not read: what it counts until the next reading is in the next number.
 */
enum unc_llc_status unc_llc_account(struct unc_llc_account *account, const struct unc_llc_meter *meter,
				    const struct unc_llc_reading *reading);
/* What was moved until now is not known (suspend). */
void unc_llc_lose(struct unc_llc_account *account);
/* Reports what moved until the last reading; the account begins again there. */
void unc_llc_moved(struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected,
		   struct unc_llc_value *ret_value);
/* Begins the account again at the last reading, without a number. */
void unc_llc_begin(struct unc_llc_account *account);
/*
 * Returns the bytes that the counter showed when the account began, plus those moved until the last reading: what it would show
 * if it never wrapped.  The account goes on.
 */
uint64_t unc_llc_shown(const struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected);

/* The times at which both ends of an interval were read, and the sum of their uncertainties. */
struct unc_llc_span {
	uint64_t begin_ns, end_ns, doubt_ns;
};
/* Returns the span that unc_llc_moved() would report now. */
struct unc_llc_span unc_llc_span(const struct unc_llc_account *account);

struct unc_llc_part { /* the total or the local part */
	uint64_t bytes;
	struct unc_llc_span span;
};
/*
 * Reports what moved and was not local, and its uncertainty: what moved in the doubtful part of both intervals and in the time
 * between the reads of both counters, plus one unit of a counter.  False if local exceeds total by more than that: then there is
 * no number.
 */
bool unc_llc_remote(const struct unc_llc_part *total, const struct unc_llc_part *local, uint64_t unit_bytes,
		    uint64_t *ret_bytes, uint64_t *ret_uncertain_bytes);

/* Reports the occupancy of a reading.  UNC_LLC_ERROR if it does not fit into a number. */
void unc_llc_owned(const struct unc_llc_reading *reading, const struct unc_llc_meter *meter,
		   struct unc_llc_value *ret_value);

/* Returns the status that a sum has if its parts have these two. */
enum unc_llc_status unc_llc_worse(enum unc_llc_status a, enum unc_llc_status b);
/* Adds a part to sum, which began as all zeros.  The sum has a number only if all parts have one and it fits. */
void unc_llc_add_value(struct unc_llc_value *sum, const struct unc_llc_value *part);
/* Adds a row to sum, which began as all zeros except has_remote. */
void unc_llc_add_row(struct unc_llc_row *sum, const struct unc_llc_row *part);

#endif
