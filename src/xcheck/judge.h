/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic of a cross-check, and its verdict with a message.  Pure functions: they know no host, and of perf and resctrl
 * only the name for the message.
 *
 * A bracket is raw_before <= the kernel's own reading <= raw_after, of the same counter.  So from bracket A to bracket B the
 * kernel's count must lie between B.before - A.after and B.after - A.before, whatever the rate did in between.  raw, which is
 * B.before - A.before, differs from any correct count by at most max(B.after - B.before, A.after - A.before): the uncertainty.
 * Any other number that was read inside both brackets differs by no more.
 */
#ifndef UNC_XCHECK_JUDGE_H
#define UNC_XCHECK_JUDGE_H

#include "xcheck/xcheck.h"

struct unc_judged {       /* what is known about one event in one interval */
	const char *who;  /* source of the kernel's number, for messages: "perf", "resctrl" */
	const char *unit; /* "counts", "bytes" */
	const struct unc_xcheck_bracket *from, *to;
	/* Compares the values at the end, as for occupancy, and not a gain: from is not used. */
	bool level;
	bool has_kernel, has_raw; /* was read at both ends */
	bool has_ours;
	uint64_t ours;       /* gain in this interval, read inside the brackets */
	unsigned width_bits; /* width of the counter in raw; 64: a sum that never wraps */
	uint64_t wraps;      /* how often that counter wrapped, as seen by readings in between */
	uint64_t most;       /* the most that hardware can count in this interval; UINT64_MAX: not known */
	double tolerance;    /* as in unc_xcheck_cfg, but not negative */
	uint64_t slack;      /* absolute tolerance, used if it is more than tolerance; 0: none */
	bool has_times;      /* enabled_ns and running_ns of the brackets are valid */
	/* The counter in which the kernel has the event, "CTR[0]", at both ends; NULL: not found.  Both must be the same. */
	const char *counter_from, *counter_to;
	const char *not_found;   /* if counter_to is NULL, what was seen instead; NULL: nothing */
	const char *stood_still; /* why counts that are all 0 prove nothing; NULL: they do */
	/* Known before any number is looked at, as messages; NULL: nothing. */
	const char *wrong; /* the kernel counts another event, so it differs */
	bool gone;         /* unknown says that the counter does not answer, but the kernel's number is still judged */
	const char *unknown;   /* why there is nothing to compare */
	const char *ours_lost; /* why our own number is missing since this interval; perf's is still compared */
};

struct unc_judgement {
	struct unc_xcheck_row row; /* verdict, the numbers and what they may differ by; the rest is not set */
	char why[UNC_XCHECK_WHY];  /* "" with UNC_XCHECK_OK, unless ours was lost */
};
void unc_judge(const struct unc_judged *judged, struct unc_judgement *ret_judgement);

/*
 * True if the kernel's number has gained what that counter has, within the uncertainty: for the same counter that must be exact.
 */
bool unc_brackets_agree(const struct unc_xcheck_bracket *from, const struct unc_xcheck_bracket *to, unsigned width_bits,
			uint64_t wraps);
/* True if a bracket that took so long is so much longer than the fastest (0: not known yet) that it should be taken again. */
bool unc_bracket_is_wide(uint64_t took_ns, uint64_t fastest_ns);

#endif
