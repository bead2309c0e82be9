// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads are cas_count.rd, or its two halves, or all bursts minus the writes; the same for writes (Intel 327043-001, table 2-67: the
 * bits of umask add up).  A counter with a threshold counts clocks, so it is none of these events.
 */
#include "cli/mem_observe.h"

#define LATE_PERCENT 0.2

static const char *const names[MEM_EVENTS] = {
	[MEM_RD] = "cas_count.rd",   [MEM_RD_REG] = "cas_count.rd_reg", [MEM_RD_UNDERFILL] = "cas_count.rd_underfill",
	[MEM_WR] = "cas_count.wr",   [MEM_WR_WMM] = "cas_count.wr_wmm", [MEM_WR_RMM] = "cas_count.wr_rmm",
	[MEM_ALL] = "cas_count.all",
};

int mem_observe_add(struct unc_session *session, struct unc_box *box, size_t *ret_n)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < MEM_EVENTS && rc == 0; i++)
		rc = unc_session_add(session, box, names[i], NULL);
	if (rc == 0)
		*ret_n = MEM_EVENTS;
	return rc;
}

static bool given(const struct unc_count *count)
{
	return !(count->flags & UNC_COUNT_NO_NUMBER);
}

/* The possible error in counts, times 100. */
static double doubt_of(const struct unc_count *count)
{
	return (double)count->delta * count->uncertainty_percent;
}

/* The sum of both, or one minus the other, which may be far less certain than each of them. */
static struct unc_count combine(const struct unc_count *one, const struct unc_count *other, bool less)
{
	struct unc_count count = *one;
	double doubt = doubt_of(one) + doubt_of(other);

	count.flags |= other->flags;
	if (!less)
		count.delta += other->delta;
	else /* the two were read at slightly different times */
		count.delta -= other->delta < count.delta ? other->delta : count.delta;
	count.uncertainty_percent = 0;
	if (doubt > 0)
		count.uncertainty_percent = doubt < 100 * (double)count.delta ? doubt / (double)count.delta : 100;
	if (given(&count) && count.uncertainty_percent > LATE_PERCENT)
		count.flags |= UNC_COUNT_LATE;
	return count;
}

/* Prefers a count that has a number; else one that fails for another reason than that no program counts it. */
static const struct unc_count *better(const struct unc_count *one, const struct unc_count *other)
{
	if (given(one) || !given(other))
		return given(one) || !(one->flags & UNC_COUNT_UNPROGRAMMED) || other->flags & UNC_COUNT_UNPROGRAMMED
			       ? one
			       : other;
	return other;
}

void mem_observe_counts(const struct unc_count *counts, struct unc_count *ret_read, struct unc_count *ret_write)
{
	struct unc_count halves, rest;

	halves = combine(&counts[MEM_RD_REG], &counts[MEM_RD_UNDERFILL], false);
	*ret_read = *better(&counts[MEM_RD], &halves);
	halves = combine(&counts[MEM_WR_WMM], &counts[MEM_WR_RMM], false);
	*ret_write = *better(&counts[MEM_WR], &halves);
	if (given(ret_read) == given(ret_write))
		return;
	rest = combine(&counts[MEM_ALL], given(ret_read) ? ret_read : ret_write, true);
	if (given(ret_read))
		*ret_write = *better(ret_write, &rest);
	else
		*ret_read = *better(ret_read, &rest);
}
