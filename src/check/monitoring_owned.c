// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache occupancy: a CPU loads a buffer of known size under an RMID that no other CPU carries.  Intel SDM vol. 3, "Cache Occupancy
 * Monitoring Technology and Resource Monitoring ID".  A line belongs to the RMID that brought it in, until it is evicted; so each
 * RMID gets its own buffer.
 */
#include "check/monitoring.h"

enum {
	PER_CENT = 15,      /* tolerance of an occupancy */
	AND_MB = 2,         /* smallest tolerance: what a CPU's own caches hold need not be in the L3 */
	FULL_PER_CENT = 90, /* above this RMIDs compete for the cache */
	SMALLEST_MB = 4,    /* smallest buffer that gives a meaningful result */
};

static uint64_t part_of(uint64_t bytes, unsigned per_cent)
{
	return bytes / 100 * per_cent;
}

static uint64_t tolerance(uint64_t size)
{
	uint64_t part = part_of(size, PER_CENT);

	return part > AND_MB * UNC_MON_MB ? part : AND_MB * UNC_MON_MB;
}

/* ---- occupancy ---- */

int unc_mon_is_full(struct unc_mon *mon, struct unc_mon_l3 *l3, bool *ret_full)
{
	struct unc_mon_sum sum = {0};
	int rc = unc_mon_owned_by_all(mon, l3, true, &sum);

	*ret_full = l3->reach < l3->bytes || sum.bytes >= part_of(l3->bytes, FULL_PER_CENT);
	return rc;
}

static void judge_size(struct unc_mon *mon, const struct unc_mon_l3 *l3, const struct unc_mon_under *w)
{
	uint64_t rose = unc_mon_gained(w->before, w->behind), off = rose > w->size ? rose - w->size : w->size - rose;
	unsigned rmid = unc_mon_physical(mon, l3, w->rmid);

	if (off > tolerance(w->size))
		unc_check_fail(
			mon->c,
			"cpu %u walked %.1f MB under RMID %u, whose occupancy rose by %.1f MB (from %.1f to %.1f): "
			"more than 15 %% and 2 MB off",
			l3->cpu->number, unc_mon_mb(w->size), rmid, unc_mon_mb(rose), unc_mon_mb(w->before),
			unc_mon_mb(w->behind));
	if (w->behind > l3->bytes)
		unc_check_fail(mon->c, "RMID %u owns %.1f MB of an L3 of %.1f MB", rmid, unc_mon_mb(w->behind),
			       unc_mon_mb(l3->bytes));
	unc_check_pass(mon->c, "cpu %u walked %.1f MB under RMID %u, and its occupancy rose by %.1f MB, from %.1f MB",
		       l3->cpu->number, unc_mon_mb(w->size), rmid, unc_mon_mb(rose), unc_mon_mb(w->before));
}

/* *ret_full: the occupancy rose too little, and the cache is full. */
static int measure(struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_mon_under *w, bool *ret_full)
{
	int rc = unc_mon_find_rmid(mon, l3, &w->rmid);

	*ret_full = false;
	if (rc == 0)
		rc = unc_mon_walk_under(mon, l3, w);
	if (rc == 0 && unc_mon_gained(w->before, w->behind) + tolerance(w->size) < w->size)
		rc = unc_mon_is_full(mon, l3, ret_full);
	if (rc < 0)
		return rc;
	unc_mon_see(mon, l3, w->rmid, "before its CPU walked the buffer", w->before);
	unc_mon_see(mon, l3, w->rmid, "behind that", w->behind);
	return unc_mon_rest(mon);
}

/* If RMIDs compete for a full cache, it tries smaller buffers. */
static int occupancy(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct unc_mon_under w = {.size = l3->reach};
	bool full = true;
	int rc = UNC_OK;

	if (!unc_mon_has_occupancy(mon))
		return UNC_OK;
	while (rc == 0 && full && (w.size == l3->reach || w.size / 2 >= SMALLEST_MB * UNC_MON_MB)) {
		w.size /= 2;
		rc = measure(mon, l3, &w, &full);
	}
	if (rc == 0 && full)
		unc_check_skip(
			mon->c,
			"the cache is full of what others want: of %.1f MB that cpu %u walked under RMID %u %.1f MB "
			"stayed, which says nothing",
			unc_mon_mb(w.size), l3->cpu->number, unc_mon_physical(mon, l3, w.rmid),
			unc_mon_mb(unc_mon_gained(w.before, w.behind)));
	else if (rc == 0)
		judge_size(mon, l3, &w);
	return rc;
}

int unc_mon_occupancy(struct unc_check *c)
{
	return unc_mon_each(c, occupancy);
}

/* ---- the sum of all RMIDs ---- */

/* RMIDs are read one after the other while lines change owners, so the lowest of this many sums counts. */
enum { SUMS = 3 };

static int sum(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	uint64_t bytes = l3->domain->l3->bytes;
	struct unc_mon_sum lowest = {.bytes = UINT64_MAX}, now;
	unsigned rmid = 0;
	int rc;

	if (!unc_mon_has_occupancy(mon))
		return UNC_OK;
	rc = unc_mon_find_rmid(mon, l3, &rmid);
	if (rc == 0)
		rc = unc_mon_give(mon, l3, rmid);
	if (rc == 0)
		rc = unc_mon_walk(mon, l3, l3->bytes);
	if (rc == 0)
		rc = unc_mon_walked(mon, UNC_MON_WALKS * l3->bytes);
	for (unsigned i = 0; i < SUMS && rc == 0 && lowest.bytes > bytes; i++) {
		rc = unc_mon_owned_by_all(mon, l3, false, &now);
		if (rc == 0 && now.bytes < lowest.bytes)
			lowest = now;
	}
	if (rc < 0)
		return rc;
	unc_check_see(mon->c, &(struct unc_check_seen){
				      .what = "all RMIDs together", .name = "bytes owned", .read = lowest.bytes});
	if (lowest.bytes > bytes + info->unit_bytes * lowest.n)
		unc_check_fail(mon->c, "%u RMIDs together own %.1f MB of an L3 of %.1f MB", lowest.n,
			       unc_mon_mb(lowest.bytes), unc_mon_mb(bytes));
	else if (!lowest.n)
		unc_check_skip(mon->c, "no RMID owns anything, also not what cpu %u walked (monitoring.occupancy)",
			       l3->cpu->number);
	else
		unc_check_pass(mon->c, "%u of %u RMIDs own something, together %.1f MB of an L3 of %.1f MB", lowest.n,
			       info->cpuid_max_rmid + 1, unc_mon_mb(lowest.bytes), unc_mon_mb(bytes));
	return UNC_OK;
}

int unc_mon_sum(struct unc_check *c)
{
	return unc_mon_each(c, sum);
}
