/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic of a cross-check, and its verdict with a sentence.  Pure functions: they know no host, and neither
 * perf nor resctrl but by the name that the sentence gives it.
 *
 * A bracket is raw_before <= the kernel's own reading <= raw_after, of the same counter.  So from bracket A to
 * bracket B the kernel's count must lie between B.before - A.after and B.after - A.before, whatever the rate did in
 * between.  raw, which is B.before - A.before, is at most max(B.after - B.before, A.after - A.before) off any count
 * that is right: the uncertainty.  Whatever else was read inside both brackets is off by no more.
 */
#ifndef UNC_XCHECK_JUDGE_H
#define UNC_XCHECK_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore.h"
#include "xcheck/xcheck.h"

struct unc_judged {       /* what is known of one event in one interval */
	const char *who;  /* says the kernel's number: "perf", "resctrl" */
	const char *unit; /* "counts", "bytes" */
	const struct unc_xcheck_bracket *from, *to;
	/* What is there at the end is compared, as of occupancy, and no gain: from is not looked at. */
	bool level;
	bool has_kernel, has_raw; /* was read at both ends */
	bool has_ours;
	uint64_t ours;       /* in this interval, read inside the brackets */
	unsigned width_bits; /* of the counter that is raw; 64: of a sum that never wraps */
	uint64_t wraps;      /* how often that counter came round, as readings in between saw it */
	uint64_t most;       /* hardware can count in this interval; UINT64_MAX: not known */
	double tolerance;    /* as unc_xcheck_cfg has it, and not negative */
	uint64_t slack;      /* so much may they differ besides, where that is more than tolerance; 0 */
	bool has_times;      /* enabled_ns and running_ns of the brackets are to be looked at */
	/* The counter that the kernel has it in, "CTR[0]", then and now; NULL: not found.  Both must be the same. */
	const char *counter_from, *counter_to;
	const char *not_found;   /* where counter_to is NULL, what was seen instead; NULL: nothing */
	const char *stood_still; /* where all counts are 0, why that tells nothing; NULL: it does */
	/* Known before any number is looked at, as sentences; NULL: nothing. */
	const char *wrong; /* the kernel counts something else: it differs */
	bool gone;         /* unknown says that the counter does not answer: what the kernel makes of that is judged */
	const char *unknown; /* there is nothing to compare */
	const char
		*ours_lost; /* since this interval we have no number of our own; told, and no reason not to compare */
};

struct unc_judgement {
	enum unc_xcheck_verdict verdict;
	bool has_kernel, has_raw, has_ours;
	uint64_t kernel, raw, ours, uncertainty;
	uint64_t tolerated;       /* besides uncertainty */
	char why[UNC_XCHECK_WHY]; /* "" with UNC_XCHECK_OK, unless ours was lost */
};
void unc_judge(const struct unc_judged *judged, struct unc_judgement *ret_judgement);

/*
 * Has the kernel's number gained what that counter has, but for what is uncertain?  Of one and the same counter it
 * must, to the last count.
 */
bool unc_brackets_agree(const struct unc_xcheck_bracket *from, const struct unc_xcheck_bracket *to, unsigned width_bits,
			uint64_t wraps);
/* Did this bracket take so much longer than the fastest (0: not known yet) that it is to be taken again? */
bool unc_bracket_is_wide(const struct unc_xcheck_bracket *bracket, uint64_t fastest_ns);

#endif
