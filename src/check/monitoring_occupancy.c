// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache occupancy: does it rise, follow the RMID, fall, and add up to no more than the cache? */
#include "check/monitoring.h"

/* ==== RMIDs that no CPU carries, and what they own ==== */

enum { LOOKED_AT = 64 }; /* how many free RMIDs are examined to find one that owns nothing */

/* The number that IA32_QM_EVTSEL uses for that RMID of the CPU's part. */
static unsigned physical(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid)
{
	return rmid + l3->cpu->part * mon->llc->n_rmids;
}

/* number: as IA32_QM_EVTSEL uses it. */
static uint64_t read_owned(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned number)
{
	struct unc_llc *llc = mon->llc;
	struct unc_llc_reading reading;
	struct unc_llc_value value;
	uint64_t evtsel = 0;

	if (!mon->rc)
		mon->rc = unc_llc_select(llc, UNC_LLC_OCCUPANCY, number, &evtsel);
	if (!mon->rc)
		mon->rc = unc_llc_read_value(llc, l3->domain, evtsel, NULL, &reading);
	if (mon->rc)
		return 0;
	unc_llc_owned(&reading, &llc->meter, &value);
	if (value.status != UNC_LLC_OK && (value.status != UNC_LLC_UNAVAILABLE || !llc->rdt->amd))
		mon->rc = unc_fail(mon->c->m->ctx, UNC_EIO, "occupancy of RMID %u: %s", number,
				   value.status == UNC_LLC_UNAVAILABLE ? "IA32_QM_CTR says Unavailable each time"
				   : value.status == UNC_LLC_DISTURBED
					   ? "IA32_QM_EVTSEL does not keep what was written, three times in a row: "
					     "another program changes it, or hardware does not hold it"
					   : "IA32_QM_CTR says Error");
	return value.bytes;
}

/*
 * How much of the CPU's part of the cache the RMID owns; an RMID that hardware does not track (AMD) owns nothing.  UNC_EIO: no
 * number can be read.
 */
static uint64_t owned_by(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid)
{
	return read_owned(mon, l3, physical(mon, l3, rmid));
}

struct owned {
	uint64_t bytes;
	unsigned n; /* RMIDs that own something */
};

/* The sum of all RMIDs of an L3, or of the CPU's part of it alone. */
static struct owned owned_by_all(struct unc_mon *mon, struct unc_mon_l3 *l3, bool part_alone)
{
	unsigned from = part_alone ? physical(mon, l3, 0) : 0,
		 n = part_alone ? mon->llc->n_rmids : mon->llc->rdt->info.cpuid_max_rmid + 1;
	struct owned sum = {0};

	for (unsigned i = 0; i < n && !mon->rc; i++) {
		uint64_t bytes = read_owned(mon, l3, from + i);

		sum.bytes += bytes;
		sum.n += bytes > 0;
	}
	return sum;
}

/*
 * Finds an RMID that no CPU carries, and that owns nothing if there is such a one; it is not found again.  UNC_EBUSY: there is
 * none.
 */
static unsigned find_rmid(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	unsigned from = info->exact_rmid < mon->llc->n_rmids ? info->exact_rmid : mon->llc->n_rmids - 1, best = 0,
		 n = 0;
	/* The limit below which Linux takes an RMID out of limbo (resctrl_rmid_realloc_threshold). */
	uint64_t clean = l3->domain->l3->bytes / mon->llc->n_rmids, least = UINT64_MAX, bytes;

	for (unsigned rmid = from; rmid > 0 && n < LOOKED_AT && least > clean && !mon->rc; rmid--) {
		if (l3->domain->taken[rmid])
			continue;
		n++;
		bytes = owned_by(mon, l3, rmid);
		if (bytes < least)
			best = rmid;
		least = bytes < least ? bytes : least;
	}
	if (!mon->rc && !best)
		mon->rc = unc_fail(mon->c->m->ctx, UNC_EBUSY,
				   "no RMID is left: there are %u (1-%u), and others carry all of them", from, from);
	l3->domain->taken[best] |= !mon->rc;
	return best;
}

/* Gives the RMID to the L3's CPU, which keeps its class of service.  UNC_EIO: the write does not stick. */
static void give(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	unsigned number = mon->llc->rdt->snc == UNC_SNC_LOCAL ? physical(mon, l3, rmid) : rmid;
	struct unc_box *box = l3->cpu->box;
	uint64_t now;

	unc_mon_write_rmid(mon, box, unc_mon_read(mon, box, regs->pqr), number);
	now = unc_mon_read(mon, box, regs->pqr);
	if (!mon->rc && unc_field_get(regs->pqr_rmid, now) != number)
		mon->rc = unc_fail(mon->c->m->ctx, UNC_EIO,
				   "%s: %s: RMID %u was written, but it reads 0x%016" PRIx64
				   ": the write did not stick, or another program changed it at once",
				   box->name, regs->pqr->name, number, now);
}

/* ==== walks under an RMID ==== */

#define SETTLE_NS UINT64_C(2000000) /* wait for what the CPU loads by itself, before the first read */
enum { WALKS = 3 };                 /* how often a buffer is loaded: other lines give way to it gradually */

/* An RMID that the CPU is given: what it owned before, and after the buffer was walked WALKS times; the walk goes on. */
struct under {
	unsigned rmid;
	uint64_t size;
	uint64_t before, behind; /* bytes that it owned before and after the walks */
};

static double mb(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

/* 0 if it lost some. */
static uint64_t gained(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

/* Notes how much an RMID owns, as evidence. */
static void see_owned(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid, const char *what,
		      uint64_t bytes)
{
	char name[60];

	snprintf(name, sizeof(name), "%s RMID %u, bytes owned", l3->name, physical(mon, l3, rmid));
	unc_check_see(mon->c, unc_seen_value(name, what, bytes));
}

static void walk_under(struct unc_mon *mon, struct unc_mon_l3 *l3, struct under *under)
{
	give(mon, l3, under->rmid);
	unc_mon_wait(mon, SETTLE_NS);
	under->before = owned_by(mon, l3, under->rmid);
	unc_mon_walk(mon, l3, under->size);
	unc_mon_walked(mon, WALKS * under->size);
	under->behind = owned_by(mon, l3, under->rmid);
}

/* ==== monitoring.occupancy and monitoring.sum ==== */

/*
 * Cache occupancy: a CPU loads a buffer of known size under an RMID that no other CPU carries.  Intel SDM vol. 3, "Cache Occupancy
 * Monitoring Technology and Resource Monitoring ID".  A line belongs to the RMID that brought it in, until it is evicted; so each
 * RMID gets its own buffer.
 */

enum {
	PER_CENT = 15,      /* tolerance of an occupancy */
	AND_MB = 2,         /* smallest tolerance: what a CPU's own caches hold need not be in the L3 */
	FULL_PER_CENT = 90, /* above this RMIDs compete for the cache */
	SMALLEST_MB = 4,    /* smallest buffer that gives a meaningful result */
};

static uint64_t tolerance(uint64_t size)
{
	uint64_t part = size / 100 * PER_CENT;

	return part > AND_MB * UNC_MON_MB ? part : AND_MB * UNC_MON_MB;
}

/* ---- occupancy ---- */

/*
 * Do RMIDs compete for the cache, so that one may get less than it should?  Always true if the class of service may fill only a
 * part, since nothing is known of that part.
 */
static bool is_full(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct owned sum = owned_by_all(mon, l3, true);

	return l3->reach < l3->bytes || sum.bytes >= l3->bytes / 100 * FULL_PER_CENT;
}

/* If the occupancy rises too little, and RMIDs compete for a full cache, it tries smaller buffers. */
void unc_mon_occupancy(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct under w = {.size = l3->reach};
	uint64_t rose, off;
	unsigned rmid;
	bool full = true;

	while (!mon->rc && full && (w.size == l3->reach || w.size / 2 >= SMALLEST_MB * UNC_MON_MB)) {
		w.size /= 2;
		w.rmid = find_rmid(mon, l3);
		walk_under(mon, l3, &w);
		full = !mon->rc && gained(w.before, w.behind) + tolerance(w.size) < w.size && is_full(mon, l3);
		if (mon->rc)
			return;
		see_owned(mon, l3, w.rmid, "before its CPU walked the buffer", w.before);
		see_owned(mon, l3, w.rmid, "after that", w.behind);
		unc_mon_rest(mon);
	}
	if (mon->rc)
		return;
	rose = gained(w.before, w.behind);
	off = rose > w.size ? rose - w.size : w.size - rose;
	rmid = physical(mon, l3, w.rmid);
	if (full) {
		unc_check_skip(mon->c,
			       "the cache is full of what others want: of %.1f MB that cpu %u walked under RMID %u "
			       "%.1f MB stayed, which says nothing",
			       mb(w.size), l3->cpu->number, rmid, mb(rose));
		return;
	}
	if (off > tolerance(w.size))
		unc_check_fail(mon->c,
			       "cpu %u walked %.1f MB under RMID %u, whose occupancy rose by %.1f MB (from %.1f to "
			       "%.1f): more than 15 %% and 2 MB off",
			       l3->cpu->number, mb(w.size), rmid, mb(rose), mb(w.before), mb(w.behind));
	if (w.behind > l3->bytes)
		unc_check_fail(mon->c, "RMID %u owns %.1f MB of an L3 of %.1f MB", rmid, mb(w.behind), mb(l3->bytes));
	unc_check_pass(mon->c, "cpu %u walked %.1f MB under RMID %u, and its occupancy rose by %.1f MB, from %.1f MB",
		       l3->cpu->number, mb(w.size), rmid, mb(rose), mb(w.before));
}

/* ---- the sum of all RMIDs ---- */

/* RMIDs are read one after the other while lines change owners, so the lowest of this many sums counts. */
enum { SUMS = 3 };

void unc_mon_sum(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	uint64_t bytes = l3->domain->l3->bytes;
	struct owned lowest = {.bytes = UINT64_MAX}, now;

	give(mon, l3, find_rmid(mon, l3));
	unc_mon_walk(mon, l3, l3->bytes);
	unc_mon_walked(mon, WALKS * l3->bytes);
	for (unsigned i = 0; i < SUMS && !mon->rc && lowest.bytes > bytes; i++) {
		now = owned_by_all(mon, l3, false);
		if (!mon->rc && now.bytes < lowest.bytes)
			lowest = now;
	}
	if (mon->rc)
		return;
	unc_check_see(mon->c, unc_seen_value("bytes owned", "all RMIDs together", lowest.bytes));
	if (lowest.bytes > bytes + info->unit_bytes * lowest.n)
		unc_check_fail(mon->c, "%u RMIDs together own %.1f MB of an L3 of %.1f MB", lowest.n, mb(lowest.bytes),
			       mb(bytes));
	else if (!lowest.n)
		unc_check_skip(mon->c, "no RMID owns anything, also not what cpu %u walked (monitoring.occupancy)",
			       l3->cpu->number);
	else
		unc_check_pass(mon->c, "%u of %u RMIDs own something, together %.1f MB of an L3 of %.1f MB", lowest.n,
			       info->cpuid_max_rmid + 1, mb(lowest.bytes), mb(bytes));
}

/* ==== monitoring.follows and monitoring.falls ==== */

/* ---- occupancy follows the RMID ---- */

struct rmids {
	unsigned rmid;
	/* Occupancy at first, after the walk under the first RMID, and after the walk under the second one. */
	uint64_t owned[3];
};

static void own(struct unc_mon *mon, struct unc_mon_l3 *l3, struct rmids *of, unsigned n, unsigned when)
{
	static const char *const whens[] = {"at first", "after the walk under the first RMID",
					    "after that under the second"};

	for (unsigned i = 0; i < n; i++) {
		of[i].owned[when] = owned_by(mon, l3, of[i].rmid);
		if (!mon->rc)
			see_owned(mon, l3, of[i].rmid, whens[when], of[i].owned[when]);
	}
}

/* Much more is walked under the second one, so that the lines of the first are not found in the cache again. */
static uint64_t size_of_walk(const struct unc_mon_l3 *l3, unsigned nth)
{
	return nth ? 2 * l3->bytes : l3->reach / 4;
}

/* MB that an RMID gained in one of the two walks. */
static double got(const struct rmids *of, unsigned walk)
{
	return mb(gained(of->owned[walk], of->owned[walk + 1]));
}

/* The RMID of that walk got too little: finds the one that got it. */
static void report_who_got(struct unc_mon *mon, struct unc_mon_l3 *l3, const struct rmids *of, unsigned walk)
{
	uint64_t most = 0;
	char other[80] = "no other one owns anything, except perhaps RMID 0";
	unsigned who = 0;

	for (unsigned rmid = 1; rmid < mon->llc->n_rmids; rmid++) {
		uint64_t bytes = owned_by(mon, l3, rmid);

		who = bytes > most ? rmid : who;
		most = bytes > most ? bytes : most;
	}
	if (mon->rc)
		return;
	if (who)
		snprintf(other, sizeof(other), "now RMID %u owns most, %.1f MB", physical(mon, l3, who), mb(most));
	unc_check_fail(mon->c, "cpu %u carried RMID %u while it walked %.1f MB, but that RMID got %.1f MB; %s",
		       l3->cpu->number, physical(mon, l3, of->rmid), mb(size_of_walk(l3, walk)), got(of, walk), other);
}

static double least_gain(const struct unc_mon_l3 *l3)
{
	return mb(size_of_walk(l3, 0)) / 2;
}

/*
 * of: n RMIDs, whose occupancy is read afterwards; of[nth] should be the first to gain.  If other programs want the cache much more,
 * it gets less than it should, but it always has some of what was loaded last: then true.
 */
static bool walk(struct unc_mon *mon, struct unc_mon_l3 *l3, struct rmids *of, unsigned n, unsigned nth)
{
	struct under w = {.rmid = of[nth].rmid, .size = size_of_walk(l3, nth)};
	bool crowded = false;

	walk_under(mon, l3, &w);
	own(mon, l3, of, n, nth + 1);
	if (!mon->rc && got(&of[nth], nth) < least_gain(l3)) {
		crowded = mb(of[nth].owned[nth + 1]) >= least_gain(l3) / 10 && is_full(mon, l3);
		if (!crowded)
			report_who_got(mon, l3, &of[nth], nth);
	}
	unc_mon_rest(mon);
	return crowded && !mon->rc;
}

/* ---- with each CPU ---- */

struct others { /* the CPUs of the L3 except the one that was tried first */
	unsigned walked, crowded_out;
};

/*
 * PQR_ASSOC may have no effect on a single CPU, so in full depth each one is tried: it carries an RMID for one walk, which another
 * CPU may get afterwards.
 */
static void walk_of_others(struct unc_mon *mon, const struct unc_mon_l3 *l3, struct others *others)
{
	for (size_t i = 0; i < l3->domain->n_cpus && mon->c->cfg.depth == UNC_CHECK_FULL && !mon->rc; i++) {
		struct unc_mon_l3 other = *l3;
		struct rmids of = {0};
		bool crowded;

		if (&l3->domain->cpus[i] == l3->cpu)
			continue;
		unc_mon_use_cpu(mon, &other, &l3->domain->cpus[i]);
		of.rmid = find_rmid(mon, &other);
		own(mon, &other, &of, 1, 0);
		crowded = walk(mon, &other, &of, 1, 0);
		give(mon, &other, other.cpu->rmid);
		if (mon->rc)
			return;
		l3->domain->taken[of.rmid] = false;
		others->walked++;
		others->crowded_out += crowded;
	}
}

static void report_moves(struct unc_mon *mon, const struct unc_mon_l3 *l3, const struct rmids of[3],
			 const struct others *others)
{
	unsigned cpu = l3->cpu->number, numbers[3];
	char more[120] = "";

	if (others->walked)
		snprintf(more, sizeof(more), "; so did the RMID of each of %u other CPUs%s",
			 others->walked - others->crowded_out,
			 others->crowded_out ? "; for the rest the cache was too full to tell" : "");

	for (unsigned i = 0; i < 3; i++)
		numbers[i] = physical(mon, l3, of[i].rmid);
	for (unsigned i = 0; i < 2; i++)
		if (got(&of[2], i) > least_gain(l3))
			unc_check_fail(mon->c, "no CPU carried RMID %u, but it got %.1f MB while cpu %u walked %.1f MB",
				       numbers[2], got(&of[2], i), cpu, mb(size_of_walk(l3, i)));
	unc_check_pass(mon->c,
		       "cpu %u walked %.1f MB under RMID %u, which got %.1f MB, then %.1f MB under RMID %u, which got "
		       "%.1f MB; RMID %u beside them got %.1f MB%s",
		       cpu, mb(size_of_walk(l3, 0)), numbers[0], got(&of[0], 0), mb(size_of_walk(l3, 1)), numbers[1],
		       got(&of[1], 1), numbers[2], got(&of[2], 0) + got(&of[2], 1), more);
}

void unc_mon_follows(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct rmids of[3] = {{0}};
	struct others others = {0};
	bool crowded = false;

	for (unsigned i = 0; i < 3; i++)
		of[i].rmid = find_rmid(mon, l3);
	own(mon, l3, of, 3, 0);
	for (unsigned i = 0; i < 2 && !crowded; i++)
		crowded = walk(mon, l3, of, 3, i);
	give(mon, l3, l3->cpu->rmid);
	walk_of_others(mon, l3, &others);
	if (!mon->rc && crowded)
		unc_check_skip(mon->c,
			       "the cache is full of what others want: of what cpu %u walked too little stayed to tell "
			       "whose it is",
			       l3->cpu->number);
	else if (!mon->rc)
		report_moves(mon, l3, of, &others);
}

/* ---- occupancy falls ---- */

enum { STAYS_PER_CENT = 90 }; /* an occupancy that stays above this does not fall */

/* Loads other lines until half of the RMID's lines are gone, or so much was loaded that all of them should be. */
static void evict(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid, uint64_t had)
{
	uint64_t most = l3->bytes * unc_check_times(mon->c, 6, 10, 20), step = l3->bytes / 4, loaded = 0, has = had;
	const struct unc_check_plot plot = {
		.title = "what the former RMID owns", .x_unit = "MB loaded under another", .y_unit = "MB"};

	unc_check_begin_plot(mon->c, &plot);
	unc_check_point(mon->c, 0, mb(had));
	while (!mon->rc && has > had / 2 && loaded < most) {
		loaded += step;
		unc_mon_walked(mon, loaded);
		has = owned_by(mon, l3, rmid);
		if (!mon->rc)
			unc_check_point(mon->c, mb(loaded), mb(has));
	}
	if (mon->rc)
		return;
	see_owned(mon, l3, rmid, "after walks under another RMID", has);
	/*
	 * An adaptive L3 (Ivy Bridge on) may keep much that is not used any more, while data that are used only once pass through.
	 */
	if (has > had / 100 * STAYS_PER_CENT)
		unc_check_fail(mon->c,
			       "RMID %u owned %.1f MB, and still %.1f MB after its CPU had loaded %.1f MB under "
			       "another RMID, into an L3 of %.1f MB",
			       physical(mon, l3, rmid), mb(had), mb(has), mb(loaded), mb(l3->bytes));
	else
		unc_check_pass(mon->c,
			       "RMID %u owned %.1f MB, and %.1f MB after its CPU had loaded %.1f MB under another RMID",
			       physical(mon, l3, rmid), mb(had), mb(has), mb(loaded));
}

void unc_mon_falls(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct under first = {.size = l3->reach / 4};
	unsigned second;

	first.rmid = find_rmid(mon, l3);
	second = find_rmid(mon, l3);
	walk_under(mon, l3, &first);
	unc_mon_rest(mon);
	if (mon->rc)
		return;
	see_owned(mon, l3, first.rmid, "after a walk under it", first.behind);
	if (first.behind < first.size / 4) {
		unc_check_skip(mon->c,
			       "RMID %u owns %.1f MB only after its CPU walked %.1f MB, too little to see it fall (see "
			       "monitoring.occupancy)",
			       physical(mon, l3, first.rmid), mb(first.behind), mb(first.size));
		return;
	}
	give(mon, l3, second);
	unc_mon_walk(mon, l3, 2 * l3->bytes);
	evict(mon, l3, first.rmid, first.behind);
}
