// SPDX-License-Identifier: GPL-2.0-or-later
/* DCLK, the clock of a channel's memory: how fast is it, is it as fast as its neighbours, and as JEDEC and the firmware say? */
#include "check/clock.h"

#include <math.h>

#include "machine/smbios.h"

/* ==== clock.jedec and clock.smbios ==== */

/* Is the clock one that memory can have, and the one that the firmware reports? */

/* ---- JEDEC ---- */

/*
 * JESD79-3F, JESD79-4 and JESD79-5, speed bins: the names are rounded, and the rates are multiples of 400/3 MT/s.  So DDR4-2133 has 16
 * of them, 2133.33 MT/s.  DCLK is half of the rate; of DDR5 it is a quarter by intel/perfmon (Granite Rapids), and no source says
 * which of both it is on Sapphire Rapids.
 */
static const struct family {
	const char *name;
	unsigned first, last, step; /* multiples of 400/3 MT/s */
	bool ddr5;
} families[] = {
	{"DDR3", 6, 16, 2, false},
	{"DDR4", 12, 24, 2, false},
	{"DDR5", 24, 54, 3, true},
	{"DDR5", 60, 66, 6, true},
};
static const size_t n_families = sizeof(families) / sizeof(families[0]);
/* The tolerance for the clocks of boards, and for clocks that are spread against interference (by half a percent). */
static const double near = 0.01;

struct nearest {
	char names[48];
	unsigned thirds, per_clock; /* transfers in a clock */
	double mhz;                 /* of such a clock */
};

static struct nearest nearest(double mhz, bool ddr5)
{
	struct nearest best = {.names = ""};

	for (size_t i = 0; i < 2 * n_families; i++) {
		const struct family *family = &families[i / 2];
		unsigned per_clock = i % 2 ? 4 : 2;

		for (unsigned n = family->first; n <= family->last && family->ddr5 == ddr5; n += family->step) {
			struct nearest such = {.thirds = n, .per_clock = per_clock, .mhz = n * 400.0 / 3 / per_clock};

			if (per_clock == 2 || ddr5)
				best = !best.thirds || fabs(mhz - such.mhz) < fabs(mhz - best.mhz) ? such : best;
		}
	}
	for (const struct family *family = families; family < families + n_families; family++)
		if (family->ddr5 == ddr5 && best.thirds >= family->first && best.thirds <= family->last)
			unc_text_join(best.names, sizeof(best.names), " and ", "%s-%u", family->name,
				      best.thirds * 400 / 3);
	return best;
}

static void report_jedec(struct unc_check *c, size_t i)
{
	const struct unc_clock_seen *seen = unc_clock_begin(c, i);
	const struct unc_unit *unit = c->boxes[i].box->unit;
	double mhz, doubt, most_mhz = (double)unit->max_clock_hz / 1e6, off;
	struct nearest best;

	if (!seen)
		return;
	mhz = unc_clock_mhz(seen->clock.rate);
	doubt = unc_clock_doubt_mhz(seen->clock.rate);
	best = nearest(mhz, unit->box_type >= 0 || unit->kind == UNC_MSR); /* parts with tables, and UMCs, have DDR5 */
	off = (mhz - best.mhz) / best.mhz;
	if (fabs(mhz - best.mhz) > near * best.mhz + doubt)
		unc_check_fail(c,
			       "%.4f MHz +- %.4f, so %.2f MT/s, is %+.2f %% from the nearest speed that memory has, %s "
			       "(%.4f MHz)",
			       mhz, doubt, best.per_clock * mhz, 100 * off, best.names, best.mhz);
	else if (most_mhz > 0 && seen->clock.rate.low / 1e6 > most_mhz * (1 + near))
		unc_check_fail(c, "%.4f MHz +- %.4f is above the %.0f MHz that the map allows for %s", mhz, doubt,
			       most_mhz, unit->title);
	else
		unc_check_pass(c, "%.4f MHz is that of %s (%.4f MHz) %+.3f %%", mhz, best.names, best.mhz, 100 * off);
}

/* ---- SMBIOS ---- */

static bool agrees(const struct unc_smbios_speed *speed, const struct unc_clock_seen *seen, unsigned per_clock)
{
	double mts = per_clock * unc_clock_mhz(seen->clock.rate);

	return fabs(mts - speed->mts) <= near * speed->mts + per_clock * unc_clock_doubt_mhz(seen->clock.rate);
}

static void report_smbios(struct unc_check *c, const struct unc_smbios_speeds *firmware,
			  const struct unc_clock_seen *seen)
{
	double mhz = unc_clock_mhz(seen->clock.rate);
	unsigned most = 2;
	char told[200] = "";

	for (size_t i = 0; i < firmware->n; i++) {
		const struct unc_smbios_speed *speed = &firmware->list[i];
		/* Transfers in a cycle that agree with the speed; 1: the speed is the clock; 0: none do. */
		unsigned per_clock = agrees(speed, seen, 2) ? 2
				     : speed->ddr5 && agrees(speed, seen, 4)
					     ? 4
					     : speed->may_be_clock && agrees(speed, seen, 1);

		if (per_clock) {
			unc_check_pass(c, "%.2f MT/s, and firmware has set memory up for %u %s (devices: %zu)",
				       (per_clock == 4 ? 4 : 2) * mhz, speed->mts,
				       per_clock == 1 ? "MHz, which is the clock" : "MT/s", speed->n_devices);
			return;
		}
		most = speed->ddr5 ? 4 : most;
		unc_text_join(told, sizeof(told), ", ", "%u (devices: %zu)", speed->mts, speed->n_devices);
	}
	unc_check_fail(c, "%.2f MT/s, but firmware has set memory up for other speeds, in MT/s: %s", most * mhz, told);
}

static int run_smbios(struct unc_check *c)
{
	struct unc_smbios_speeds firmware = {0};
	int rc = unc_smbios_speeds_read(c->m, &firmware);
	const char *lacks = !firmware.n_devices     ? "holds no memory device (type 17)"
			    : !firmware.n_installed ? "has places for memory, and says that all are empty"
			    : !firmware.n ? "does not tell for which speed memory was set up (type 17, offset 0x20)"
					  : NULL;

	if (rc < 0 && rc != UNC_ENOMEM) {
		unc_check_begin(c, "machine");
		unc_check_skip(c, "what firmware says of memory (SMBIOS) cannot be read: %s", c->m->ctx->msg);
	} else if (rc == 0 && lacks) {
		unc_check_begin(c, "machine");
		unc_check_skip(c, "the SMBIOS table of this machine %s%s", lacks,
			       firmware.broken ? "; it is malformed" : "");
	}
	for (size_t i = 0; i < c->n_boxes && rc == 0 && !lacks; i++) {
		const struct unc_clock_seen *seen = unc_clock_begin(c, i);

		if (seen)
			report_smbios(c, &firmware, seen);
	}
	unc_smbios_speeds_clear(&firmware);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

/* ==== clock.rate and clock.equal ==== */

/* Does the event disagree with the fixed counter, while that ticks? */
static bool is_against(const struct unc_clock_seen *seen)
{
	return seen->event.slot != UNC_CLOCK_NONE && seen->clock.ticks &&
	       !unc_span_meet(seen->clock.rate, seen->event.rate);
}

/* If the map doubts the event and it disagrees on every channel, that is what silicon does: some sources say that it counts nothing. */
static void doubt_rate(struct unc_window *w)
{
	const struct unc_clock_seen *seen = &w->c->clocks->seen[w->i];

	if (seen->measured && seen->event.slot != UNC_CLOCK_NONE && seen->clock.ticks)
		unc_doubt_add(w->ws->doubts,
			      unc_unit_event(w->b->box->unit, unc_drive_clock_event(w->b))->verify != NULL,
			      is_against(seen));
}

static void report_rate(struct unc_window *w)
{
	const struct unc_clock_seen *seen = &w->c->clocks->seen[w->i];
	bool excused = unc_doubt_excuses(w->ws->doubts);
	const struct unc_check_box *b = w->b;
	struct unc_check *c = w->c;
	double mhz = unc_clock_mhz(seen->clock.rate), doubt = unc_clock_doubt_mhz(seen->clock.rate);
	const struct unc_slot *slot;
	double ms = (double)(seen->clock.last.before_ns - seen->clock.first.before_ns) / 1e6;
	const char *name, *event = unc_drive_clock_event(b);
	char agrees[160] = "";

	if (!seen->measured) {
		unc_check_fail(c, "%s", seen->why);
		return;
	}
	slot = &b->pbox.slots[seen->clock.slot];
	name = b->name[seen->clock.slot];
	unc_check_see(c, unc_seen(b->box, slot->ctr, slot->index, "at the beginning", seen->clock.first.value));
	unc_check_see(c, unc_seen(b->box, slot->ctr, slot->index, "at the end", seen->clock.last.value));
	if (!seen->clock.ticks)
		unc_check_fail(c, "the clock does not tick: in %.3f ms %s did not move", ms, name);
	else if (is_against(seen) && !excused)
		unc_check_fail(c, "%s says %.4f MHz +- %.4f, and event %s in %s %.4f MHz +- %.4f", name, mhz, doubt,
			       event, b->name[seen->event.slot], unc_clock_mhz(seen->event.rate),
			       unc_clock_doubt_mhz(seen->event.rate));
	if (seen->event.slot != UNC_CLOCK_NONE && excused)
		snprintf(agrees, sizeof(agrees), "; event %s, which the map doubts, counts %" PRIu64 " meanwhile",
			 event, seen->event.ticks);
	else if (seen->event.slot != UNC_CLOCK_NONE)
		snprintf(agrees, sizeof(agrees), "; event %s in %s agrees", event, b->name[seen->event.slot]);
	unc_check_pass(c, "%.4f MHz +- %.4f, so %.2f MT/s, by %s over %.3f ms%s", mhz, doubt, 2 * mhz, name, ms,
		       agrees);
	if (excused && unc_window_tells(w))
		unc_check_tested(c, event, "%s", seen->event.ticks ? "does not count the clock" : "counts nothing");
}

static const struct unc_windows_def rate = {0, NULL, doubt_rate, report_rate};

/* ---- equal ---- */

/* Is it a channel of that socket whose clock ticks? */
static bool is_peer(const struct unc_check *c, size_t i, unsigned socket)
{
	const struct unc_clock_seen *seen = &c->clocks->seen[i];

	return c->boxes[i].box->socket == socket && seen->measured && seen->clock.ticks;
}

/* With how many channels of its socket, itself included, it can have one clock. */
static size_t friends(const struct unc_check *c, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < c->n_boxes; k++)
		n += is_peer(c, k, c->boxes[i].box->socket) &&
		     unc_span_meet(c->clocks->seen[i].clock.rate, c->clocks->seen[k].clock.rate);
	return n;
}

/* The clock of the channel that has most friends is the right one. */
static void report_equal(struct unc_check *c, unsigned socket)
{
	const struct unc_clock_seen *seen = c->clocks->seen;
	size_t n = 0, first = 0, best = 0;
	double doubt = 0;
	char names[400] = "";

	for (size_t i = 0; i < c->n_boxes; i++) {
		if (!is_peer(c, i, socket))
			continue;
		if (n++ == 0)
			first = best = i;
		if (friends(c, i) > friends(c, best))
			best = i;
		if (unc_clock_doubt_mhz(seen[i].clock.rate) > doubt)
			doubt = unc_clock_doubt_mhz(seen[i].clock.rate);
	}
	for (size_t i = 0; i < c->n_boxes; i++)
		if (is_peer(c, i, socket) && !unc_span_meet(seen[i].clock.rate, seen[best].clock.rate))
			unc_text_join(names, sizeof(names), ", ", "%s %.4f", c->boxes[i].box->name,
				      unc_clock_mhz(seen[i].clock.rate));
	unc_check_begin_socket(c, socket);
	if (n < 2)
		unc_check_skip(c, "%s of its channels has a clock that could be measured: there is nothing to compare",
			       n ? "only one" : "none");
	else if (*names)
		unc_check_fail(c, "%s has %.4f MHz as have %zu of %zu channels, but %s MHz; each is known to +- %.4f",
			       c->boxes[best].box->name, unc_clock_mhz(seen[best].clock.rate), friends(c, best), n,
			       names, doubt);
	else
		unc_check_pass(c, "%zu channels have %.4f MHz, each known to +- %.4f", n,
			       unc_clock_mhz(seen[first].clock.rate), doubt);
}

/* The first check that is run measures for all except steady. */
static const struct unc_check_def clock_defs[] = {
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .windows = &rate, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"clock.rate",
		   "the clock of each channel's memory ticks, and where two counters can count it they agree how fast",
		   "327043-001 section 2.5, FIXED_CTR; 329468-002, DCLOCKTICKS", .writes = true, .ms = {21, 201, 501}}},
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .socket = report_equal, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"clock.equal", "all channels of a socket have the same clock",
		   "327043-001 section 2.5: one memory controller, one DCLK", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .box = report_jedec, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"clock.jedec", "the clock of each channel is one that memory can have",
		   "JESD79-3F, JESD79-4: speed bins", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .run = run_smbios, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"clock.smbios", "memory runs as fast as the firmware says that it has set it up",
		   "DSP0134 section 7.18, memory device (type 17)", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .windows = &unc_clock_steady, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"clock.steady", "the clock of each channel goes on, always at the same rate",
		   "327043-001 section 2.5, FIXED_CTR", .writes = true, .ms = {101, 1001, 5001}}},
};

const struct unc_check_theme unc_check_clock = {clock_defs, sizeof(clock_defs) / sizeof(clock_defs[0])};

/* ==== the table of after.clock ==== */

/* Looks at the channels once more after all other checks, since a channel may stop only after a while. */

static const struct unc_check_def after_defs[] = {
	{UNC_CHECK_COUNTING, .measure = unc_clocks_measure, .windows = &unc_clock_after, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"after.clock",
		   "after all other checks the clock of each channel still runs as it did when it was measured",
		   "327043-001 section 2.5, FIXED_CTR", .writes = true, .ms = {5, 16, 51}}},
};

const struct unc_check_theme unc_check_after = {after_defs, sizeof(after_defs) / sizeof(after_defs[0])};
