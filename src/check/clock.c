// SPDX-License-Identifier: GPL-2.0-or-later
/* DCLK, the clock of a channel's memory: does it tick, how fast, and as fast as its neighbours? */
#include "check/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "check/window.h"

#define MHZ(hz) ((hz) / 1e6)

static double ms_between(const struct unc_clock_seen *seen)
{
	return (double)(seen->last.before_ns - seen->first.before_ns) / 1e6;
}

static void show(struct unc_check *c, const struct unc_check_box *b, const struct unc_clock_seen *seen)
{
	const struct unc_slot *slot = &b->pbox.slots[seen->slot];

	unc_check_see(c, &(struct unc_check_seen){.what = "at the beginning",
						  .box = b->box,
						  .reg = slot->ctr,
						  .index = slot->index,
						  .read = seen->first.value});
	unc_check_see(c, &(struct unc_check_seen){.what = "at the end",
						  .box = b->box,
						  .reg = slot->ctr,
						  .index = slot->index,
						  .read = seen->last.value});
}

/* Does the event disagree with the fixed counter, while that ticks? */
static bool is_against(const struct unc_clock_seen *seen)
{
	return seen->event_slot != UNC_CLOCK_NONE && seen->ticks && !unc_clock_may_agree(seen->rate, seen->event_rate);
}

/*
 * If the map doubts the event and it disagrees on every channel, that is what silicon does: some sources say that it counts
 * nothing.
 */
static bool is_excused(const struct unc_check *c)
{
	struct unc_doubt doubt = {0};

	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_clock_seen *seen = &c->clocks->seen[i];
		const struct unc_check_box *b = &c->boxes[i];

		if (!b->usable || !seen->measured || seen->event_slot == UNC_CLOCK_NONE || !seen->ticks)
			continue;
		unc_doubt_add(&doubt, unc_unit_event(b->box->unit, unc_drive_clock_event(b))->verify != NULL,
			      is_against(seen));
	}
	return unc_doubt_excuses(&doubt);
}

static void judge_rate(struct unc_check *c, const struct unc_check_box *b, const struct unc_clock_seen *seen,
		       bool excused)
{
	double mhz = MHZ(unc_clock_middle(seen->rate)), doubt = MHZ(unc_clock_doubt(seen->rate));
	char name[UNC_GATE_TEXT], other[UNC_GATE_TEXT];

	unc_clock_slot_name(b, seen->slot, name);
	show(c, b, seen);
	if (!seen->ticks) {
		unc_check_fail(c, "the clock does not tick: in %.3f ms %s did not move", ms_between(seen), name);
		return;
	}
	if (seen->event_slot == UNC_CLOCK_NONE) {
		unc_check_pass(c, "%.4f MHz +- %.4f, so %.2f MT/s, by %s over %.3f ms", mhz, doubt, 2 * mhz, name,
			       ms_between(seen));
		return;
	}
	unc_clock_slot_name(b, seen->event_slot, other);
	if (excused)
		unc_check_pass(
			c,
			"%.4f MHz +- %.4f, so %.2f MT/s, by %s over %.3f ms; event %s, which the map doubts, counts "
			"%" PRIu64 " meanwhile",
			mhz, doubt, 2 * mhz, name, ms_between(seen), unc_drive_clock_event(b), seen->event_ticks);
	else if (is_against(seen))
		unc_check_fail(c, "%s says %.4f MHz +- %.4f, and event %s in %s %.4f MHz +- %.4f", name, mhz, doubt,
			       unc_drive_clock_event(b), other, MHZ(unc_clock_middle(seen->event_rate)),
			       MHZ(unc_clock_doubt(seen->event_rate)));
	else
		unc_check_pass(c, "%.4f MHz +- %.4f, so %.2f MT/s, by %s over %.3f ms; event %s in %s agrees", mhz,
			       doubt, 2 * mhz, name, ms_between(seen), unc_drive_clock_event(b), other);
}

static int run_rate(struct unc_check *c)
{
	int rc = unc_clocks_measure(c);
	bool excused = rc == 0 && is_excused(c), told = false;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		const struct unc_clock_seen *seen = &c->clocks->seen[i];

		if (!unc_check_begin_box(c, &c->boxes[i], false))
			continue;
		if (seen->measured)
			judge_rate(c, &c->boxes[i], seen, excused);
		else
			unc_check_fail(c, "%s", seen->why);
		if (seen->measured && excused && !told) {
			unc_check_tested(c, unc_drive_clock_event(&c->boxes[i]), "%s",
					 seen->event_ticks ? "does not count the clock" : "counts nothing");
			told = true;
		}
	}
	return rc;
}

/* ---- equal ---- */

struct peers { /* channels of a socket whose clocks tick */
	const struct unc_clock_seen **seen;
	const struct unc_check_box **boxes;
	size_t n;
};

static void gather(const struct unc_check *c, unsigned socket, struct peers *peers)
{
	peers->n = 0;
	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_clock_seen *seen = &c->clocks->seen[i];

		if (c->boxes[i].box->socket != socket || !seen->measured || !seen->ticks)
			continue;
		peers->seen[peers->n] = seen;
		peers->boxes[peers->n++] = &c->boxes[i];
	}
}

/* With how many channels, itself included, it can have one clock. */
static size_t friends(const struct peers *peers, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < peers->n; k++)
		n += unc_clock_may_agree(peers->seen[i]->rate, peers->seen[k]->rate);
	return n;
}

static void judge_equal(struct unc_check *c, const struct peers *peers)
{
	size_t best = 0, n = 0;
	char names[400] = "";
	double doubt = 0;

	for (size_t i = 1; i < peers->n; i++)
		if (friends(peers, i) > friends(peers, best))
			best = i;
	for (size_t i = 0, used = 0; i < peers->n; i++) {
		if (unc_clock_doubt(peers->seen[i]->rate) > doubt)
			doubt = unc_clock_doubt(peers->seen[i]->rate);
		if (unc_clock_may_agree(peers->seen[i]->rate, peers->seen[best]->rate))
			continue;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s %.4f", n++ ? ", " : "",
						 peers->boxes[i]->box->name,
						 MHZ(unc_clock_middle(peers->seen[i]->rate)));
	}
	if (n)
		unc_check_fail(c, "%s has %.4f MHz as have %zu of %zu channels, but %s MHz; each is known to +- %.4f",
			       peers->boxes[best]->box->name, MHZ(unc_clock_middle(peers->seen[best]->rate)),
			       friends(peers, best), peers->n, names, MHZ(doubt));
	else
		unc_check_pass(c, "%zu channels have %.4f MHz, each known to +- %.4f", peers->n,
			       MHZ(unc_clock_middle(peers->seen[0]->rate)), MHZ(doubt));
}

static void equal_of_socket(struct unc_check *c, unsigned socket, struct peers *peers)
{
	char subject[24];

	gather(c, socket, peers);
	snprintf(subject, sizeof(subject), "socket%u", socket);
	unc_check_begin(c, subject);
	if (peers->n < 2)
		unc_check_skip(c, "%s of its channels has a clock that could be measured: there is nothing to compare",
			       peers->n ? "only one" : "none");
	else
		judge_equal(c, peers);
}

static bool is_first_of_socket(const struct unc_check *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (c->boxes[k].box->socket == c->boxes[i].box->socket)
			return false;
	return true;
}

static int run_equal(struct unc_check *c)
{
	struct peers peers = {0};
	int rc = unc_clocks_measure(c);

	if (rc < 0)
		return rc;
	peers.seen = calloc(c->n_boxes, sizeof(const void *));
	peers.boxes = calloc(c->n_boxes, sizeof(const void *));
	if (!peers.seen || !peers.boxes)
		rc = unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < c->n_boxes && rc == 0; i++)
		if (is_first_of_socket(c, i))
			equal_of_socket(c, c->boxes[i].box->socket, &peers);
	free(peers.seen);
	free(peers.boxes);
	return rc;
}

/* The first check that is run measures for all except steady. */
static const struct unc_check_def defs[] = {
	{
		.about = {.name = "clock.rate",
			  .proves =
				  "the clock of each channel's memory ticks, and where two counters can count it they "
				  "agree how fast",
			  .src = "327043-001 section 2.5, FIXED_CTR; 329468-002, DCLOCKTICKS",
			  .ms = {21, 201, 501},
			  .writes = true},
		.counts = true,
		.run = run_rate,
	},
	{
		.about = {.name = "clock.equal",
			  .proves = "all channels of a socket have the same clock",
			  .src = "327043-001 section 2.5: one memory controller, one DCLK",
			  .ms = {1, 1, 1},
			  .writes = true},
		.counts = true,
		.run = run_equal,
	},
	{
		.about = {.name = "clock.jedec",
			  .proves = "the clock of each channel is one that memory can have",
			  .src = "JESD79-3F, JESD79-4: speed bins",
			  .ms = {1, 1, 1},
			  .writes = true},
		.counts = true,
		.run = unc_clock_run_jedec,
	},
	{
		.about = {.name = "clock.smbios",
			  .proves = "memory runs as fast as the firmware says that it has set it up",
			  .src = "DSP0134 section 7.18, memory device (type 17)",
			  .ms = {1, 1, 1},
			  .writes = true},
		.counts = true,
		.run = unc_clock_run_smbios,
	},
	{
		.about = {.name = "clock.steady",
			  .proves = "the clock of each channel goes on, always at the same rate",
			  .src = "327043-001 section 2.5, FIXED_CTR",
			  .ms = {101, 1001, 5001},
			  .writes = true},
		.counts = true,
		.run = unc_clock_run_steady,
	},
};

const struct unc_check_theme unc_check_clock = {defs, sizeof(defs) / sizeof(defs[0])};
