// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache occupancy: a CPU loads a buffer of known size under an RMID that nobody else carries.  Intel SDM vol. 3, "Cache Occupancy
 * Monitoring Technology and Resource Monitoring ID".  A line belongs to the RMID that brought it in, until it is evicted; so each
 * RMID gets a buffer of its own.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/monitoring.h"

enum {
	WALKS = 3,           /* a buffer so often: other lines give way to it one by one */
	PER_CENT = 15,       /* an occupancy is right to within so much, */
	AND_MB = 2,          /* or so much: what a CPU's own caches hold need not be in the L3 */
	FULL_PER_CENT = 90,  /* from here on RMIDs compete */
	STAYS_PER_CENT = 90, /* of an occupancy that does not fall */
	SMALLEST_MB = 4,     /* of a buffer that says something all the same */
};
#define SETTLE_NS UINT64_C(2000000) /* what the CPU does without us comes in */

static uint64_t part_of(uint64_t bytes, unsigned per_cent)
{
	return bytes / 100 * per_cent;
}

static uint64_t tolerance(uint64_t size)
{
	uint64_t part = part_of(size, PER_CENT);

	return part > AND_MB * UNC_MON_MB ? part : AND_MB * UNC_MON_MB;
}

static double mb(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

static uint64_t gained(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

/* How much an RMID owns, as evidence. */
static void see(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid, const char *what, uint64_t bytes)
{
	char name[60];

	snprintf(name, sizeof(name), "%s RMID %u, bytes owned", l3->name, unc_mon_physical(mon, l3, rmid));
	unc_check_see(mon->c, &(struct unc_check_seen){.what = what, .name = name, .read = bytes});
}

static bool has_occupancy(struct unc_mon *mon)
{
	if (mon->llc->rdt->info.events & 1 << UNC_LLC_OCCUPANCY)
		return true;
	unc_check_skip(mon->c, "this CPU does not monitor occupancy: CPUID 0xF.1 EDX bit 0 is 0");
	return false;
}

/* Under an RMID: what it owned before, and once the buffer was walked; which goes on. */
struct walk {
	unsigned rmid;
	uint64_t size;
	uint64_t before, behind;
};

static int walk(struct unc_mon *mon, struct unc_mon_l3 *l3, struct walk *walk)
{
	int rc = unc_mon_give(mon, l3, walk->rmid);

	if (rc == 0)
		rc = unc_check_wait(mon->c, SETTLE_NS);
	if (rc == 0)
		rc = unc_mon_owned(mon, l3, walk->rmid, &walk->before);
	if (rc == 0)
		rc = unc_mon_walk(mon, l3, walk->size);
	if (rc == 0)
		rc = unc_mon_walked(mon, WALKS * walk->size);
	return rc == 0 ? unc_mon_owned(mon, l3, walk->rmid, &walk->behind) : rc;
}

/* ---- occupancy ---- */

/* Too little: others want the cache as well, and there is none left; of the part of a class alone that cannot be told. */
static int is_full(struct unc_mon *mon, struct unc_mon_l3 *l3, bool *ret_full)
{
	struct unc_mon_sum sum = {0};
	int rc = unc_mon_owned_by_all(mon, l3, true, &sum);

	*ret_full = l3->reach < l3->bytes || sum.bytes >= part_of(l3->bytes, FULL_PER_CENT);
	return rc;
}

static void judge_size(struct unc_mon *mon, const struct unc_mon_l3 *l3, const struct walk *w)
{
	uint64_t rose = gained(w->before, w->behind), off = rose > w->size ? rose - w->size : w->size - rose;
	unsigned rmid = unc_mon_physical(mon, l3, w->rmid);

	if (off > tolerance(w->size))
		unc_check_fail(
			mon->c,
			"cpu %u walked %.1f MB under RMID %u, whose occupancy rose by %.1f MB (from %.1f to %.1f): "
			"more than 15 %% and 2 MB off",
			l3->cpu->number, mb(w->size), rmid, mb(rose), mb(w->before), mb(w->behind));
	if (w->behind > l3->bytes)
		unc_check_fail(mon->c, "RMID %u owns %.1f MB of an L3 of %.1f MB", rmid, mb(w->behind), mb(l3->bytes));
	unc_check_pass(mon->c, "cpu %u walked %.1f MB under RMID %u, and its occupancy rose by %.1f MB, from %.1f MB",
		       l3->cpu->number, mb(w->size), rmid, mb(rose), mb(w->before));
}

/* *ret_full: it rose too little, and the cache is full. */
static int measure(struct unc_mon *mon, struct unc_mon_l3 *l3, struct walk *w, bool *ret_full)
{
	int rc = unc_mon_find_rmid(mon, l3, &w->rmid);

	*ret_full = false;
	if (rc == 0)
		rc = walk(mon, l3, w);
	if (rc == 0 && gained(w->before, w->behind) + tolerance(w->size) < w->size)
		rc = is_full(mon, l3, ret_full);
	if (rc < 0)
		return rc;
	see(mon, l3, w->rmid, "before its CPU walked the buffer", w->before);
	see(mon, l3, w->rmid, "behind that", w->behind);
	return unc_mon_rest(mon);
}

/* Where RMIDs compete for a full cache, with less. */
static int occupancy(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct walk w = {.size = l3->reach};
	bool full = true;
	int rc = UNC_OK;

	if (!has_occupancy(mon))
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
			mb(w.size), l3->cpu->number, unc_mon_physical(mon, l3, w.rmid), mb(gained(w.before, w.behind)));
	else if (rc == 0)
		judge_size(mon, l3, &w);
	return rc;
}

int unc_mon_occupancy(struct unc_check *c)
{
	return unc_mon_each(c, occupancy);
}

/* ---- it goes with the RMID ---- */

struct rmids {
	unsigned rmid;
	uint64_t owned[3]; /* at first, when the first one was walked under, when the second one was */
};

static int own(struct unc_mon *mon, struct unc_mon_l3 *l3, struct rmids of[3], unsigned when)
{
	static const char *const whens[] = {"at first", "behind the walk under the first RMID",
					    "behind that under the second"};
	int rc = UNC_OK;

	for (unsigned i = 0; i < 3 && rc == 0; i++) {
		rc = unc_mon_owned(mon, l3, of[i].rmid, &of[i].owned[when]);
		if (rc == 0)
			see(mon, l3, of[i].rmid, whens[when], of[i].owned[when]);
	}
	return rc;
}

/* Under the second one much more is walked, so that the lines of the first are not found in the cache again. */
static uint64_t size_of_walk(const struct unc_mon_l3 *l3, unsigned nth)
{
	return nth ? 2 * l3->bytes : l3->reach / 4;
}

/* MB that an RMID got in one of the two walks. */
static double got(const struct rmids *of, unsigned walk)
{
	return mb(gained(of->owned[walk], of->owned[walk + 1]));
}

/* What an RMID has to get in a walk, at least. */
static double least_of(const struct unc_mon_l3 *l3)
{
	return mb(size_of_walk(l3, 0)) / 2;
}

/*
 * In a walk its RMID got too little, and neither of the others got it.  Where others want the cache much more that can be so; but something
 * of what was brought in last is always there.
 */
static bool is_crowded_out(const struct unc_mon_l3 *l3, const struct rmids of[3])
{
	bool lost = false;

	for (unsigned i = 0; i < 2; i++) {
		if (got(&of[i], i) >= least_of(l3))
			continue;
		if (mb(of[i].owned[i + 1]) < least_of(l3) / 10 || got(&of[!i], i) >= least_of(l3) ||
		    got(&of[2], i) >= least_of(l3))
			return false;
		lost = true;
	}
	return lost;
}

static void judge_moves(struct unc_mon *mon, const struct unc_mon_l3 *l3, const struct rmids of[3])
{
	unsigned cpu = l3->cpu->number, numbers[3];
	double least = least_of(l3);

	for (unsigned i = 0; i < 3; i++)
		numbers[i] = unc_mon_physical(mon, l3, of[i].rmid);
	for (unsigned i = 0; i < 2; i++)
		if (got(&of[i], i) < least)
			unc_check_fail(
				mon->c,
				"cpu %u carried RMID %u while it walked %.1f MB, but that RMID got %.1f MB, RMID %u "
				"%.1f MB and RMID %u %.1f MB",
				cpu, numbers[i], mb(size_of_walk(l3, i)), got(&of[i], i), numbers[!i], got(&of[!i], i),
				numbers[2], got(&of[2], i));
	for (unsigned i = 0; i < 2; i++)
		if (got(&of[2], i) > least)
			unc_check_fail(mon->c, "nobody carried RMID %u, but it got %.1f MB while cpu %u walked %.1f MB",
				       numbers[2], got(&of[2], i), cpu, mb(size_of_walk(l3, i)));
	unc_check_pass(mon->c,
		       "cpu %u walked %.1f MB under RMID %u, which got %.1f MB, then %.1f MB under RMID %u, which got "
		       "%.1f MB; RMID %u beside them got %.1f MB",
		       cpu, mb(size_of_walk(l3, 0)), numbers[0], got(&of[0], 0), mb(size_of_walk(l3, 1)), numbers[1],
		       got(&of[1], 1), numbers[2], got(&of[2], 0) + got(&of[2], 1));
}

static int walk_under(struct unc_mon *mon, struct unc_mon_l3 *l3, struct rmids of[3], unsigned i)
{
	struct walk w = {.rmid = of[i].rmid, .size = size_of_walk(l3, i)};
	int rc = walk(mon, l3, &w);

	if (rc == 0)
		rc = own(mon, l3, of, i + 1);
	return rc == 0 ? unc_mon_rest(mon) : rc;
}

static int follows(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct rmids of[3] = {{0}};
	bool full = false;
	int rc = UNC_OK;

	if (!has_occupancy(mon))
		return UNC_OK;
	for (unsigned i = 0; i < 3 && rc == 0; i++)
		rc = unc_mon_find_rmid(mon, l3, &of[i].rmid);
	if (rc == 0)
		rc = own(mon, l3, of, 0);
	for (unsigned i = 0; i < 2 && rc == 0; i++)
		rc = walk_under(mon, l3, of, i);
	if (rc == 0 && is_crowded_out(l3, of))
		rc = is_full(mon, l3, &full);
	if (rc == 0 && full)
		unc_check_skip(
			mon->c,
			"the cache is full of what others want: of what cpu %u walked under two RMIDs %.1f and %.1f MB "
			"stayed, which says nothing",
			l3->cpu->number, got(&of[0], 0), got(&of[1], 1));
	else if (rc == 0)
		judge_moves(mon, l3, of);
	return rc;
}

int unc_mon_follows(struct unc_check *c)
{
	return unc_mon_each(c, follows);
}

/* ---- it falls ---- */

/* Others are walked in until half of it is gone, or so much was loaded that all of it should be. */
static int evict(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid, uint64_t had, uint64_t *ret_has)
{
	uint64_t most = l3->bytes * unc_check_times(mon->c, 6, 10, 20), step = l3->bytes / 4, loaded = 0;
	const struct unc_check_plot_of plot = {
		.title = "what the former RMID owns", .x_unit = "MB loaded under another", .y_unit = "MB"};
	int rc = UNC_OK;

	unc_check_begin_plot(mon->c, &plot);
	unc_check_point(mon->c, 0, mb(had));
	*ret_has = had;
	while (rc == 0 && *ret_has > had / 2 && loaded < most) {
		loaded += step;
		rc = unc_mon_walked(mon, loaded);
		if (rc == 0)
			rc = unc_mon_owned(mon, l3, rmid, ret_has);
		if (rc == 0)
			unc_check_point(mon->c, mb(loaded), mb(*ret_has));
	}
	if (rc < 0)
		return rc;
	see(mon, l3, rmid, "behind walks under another RMID", *ret_has);
	/* An L3 that adapts (Ivy Bridge on) may keep much of what is not used any more, while data pass by that come but once. */
	if (*ret_has > part_of(had, STAYS_PER_CENT))
		unc_check_fail(
			mon->c,
			"RMID %u owned %.1f MB, and still %.1f MB after its CPU had loaded %.1f MB under another RMID, "
			"into an L3 of %.1f MB",
			unc_mon_physical(mon, l3, rmid), mb(had), mb(*ret_has), mb(loaded), mb(l3->bytes));
	else
		unc_check_pass(mon->c,
			       "RMID %u owned %.1f MB, and %.1f MB after its CPU had loaded %.1f MB under another RMID",
			       unc_mon_physical(mon, l3, rmid), mb(had), mb(*ret_has), mb(loaded));
	return UNC_OK;
}

static int falls(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct walk first = {.size = l3->reach / 4};
	unsigned second = 0;
	uint64_t has;
	int rc = UNC_OK;

	if (!has_occupancy(mon))
		return UNC_OK;
	rc = unc_mon_find_rmid(mon, l3, &first.rmid);
	if (rc == 0)
		rc = unc_mon_find_rmid(mon, l3, &second);
	if (rc == 0)
		rc = walk(mon, l3, &first);
	if (rc == 0)
		rc = unc_mon_rest(mon);
	if (rc < 0)
		return rc;
	see(mon, l3, first.rmid, "behind a walk under it", first.behind);
	if (first.behind < first.size / 4) {
		unc_check_skip(mon->c,
			       "RMID %u owns %.1f MB only after its CPU walked %.1f MB, too little to see it fall (see "
			       "monitoring.occupancy)",
			       unc_mon_physical(mon, l3, first.rmid), mb(first.behind), mb(first.size));
		return UNC_OK;
	}
	rc = unc_mon_give(mon, l3, second);
	if (rc == 0)
		rc = unc_mon_walk(mon, l3, 2 * l3->bytes);
	return rc == 0 ? evict(mon, l3, first.rmid, first.behind, &has) : rc;
}

int unc_mon_falls(struct unc_check *c)
{
	return unc_mon_each(c, falls);
}

/* ---- all together ---- */

enum { SUMS = 3 }; /* an RMID is read after the other, while lines change hands: the lowest of so many sums */

static int sum(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	uint64_t bytes = l3->domain->l3->bytes;
	struct unc_mon_sum lowest = {.bytes = UINT64_MAX}, now;
	unsigned rmid = 0;
	int rc;

	if (!has_occupancy(mon))
		return UNC_OK;
	rc = unc_mon_find_rmid(mon, l3, &rmid);
	if (rc == 0)
		rc = unc_mon_give(mon, l3, rmid);
	if (rc == 0)
		rc = unc_mon_walk(mon, l3, l3->bytes);
	if (rc == 0)
		rc = unc_mon_walked(mon, WALKS * l3->bytes);
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
		unc_check_fail(mon->c, "%u RMIDs together own %.1f MB of an L3 of %.1f MB", lowest.n, mb(lowest.bytes),
			       mb(bytes));
	else
		unc_check_pass(mon->c, "%u of %u RMIDs own something, together %.1f MB of an L3 of %.1f MB", lowest.n,
			       info->cpuid_max_rmid + 1, mb(lowest.bytes), mb(bytes));
	return UNC_OK;
}

int unc_mon_sum(struct unc_check *c)
{
	return unc_mon_each(c, sum);
}
