// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of POWER chips (nest1).  The microcode adds to words in memory every few ms, to one group of them after the other.  It
 * increments the word in front of a group before that and the word after it afterwards, so these tell whether a read saw half of an update,
 * and how many updates there were (open-power/occ, gpe1_24x7.c).  A read that begins before an update and ends within it sees both equal:
 * so a count may be of one update more or less, which its uncertainty has in it.
 */
#include "pmon/nest1.h"

#include "machine/areas.h"
#include "machine/gate.h"
#include "map/area.h"

enum { TRIES = 8 };
#define NS_PER_MS UINT64_C(1000000)
static const uint64_t runs = UNC_AREA_RUNS;

void unc_nest1_forget(struct unc_pmon_box *pbox)
{
	if (pbox->owns_nest)
		free(pbox->nest);
	pbox->owns_nest = false;
	pbox->nest = NULL;
}

/*
 * Checks that a chip counts, or with cfg.start that it can, and finds what its boxes share.  Fails as unc_area_check(), unc_box_reach(),
 * unc_gate_plan(); UNC_ENOSUP: the area is longer than one read.
 */
static int reach(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number], *first = s->pboxes;
	struct unc_ctx *ctx = s->machine->ctx;
	int rc = UNC_OK;

	while (first != pbox && (first->box->socket != pbox->box->socket || !first->nest))
		first++;
	if (first == pbox) {
		rc = unc_box_reach(pbox->box);
		if (rc == 0 && pbox->box->unit->area.bytes > UNC_NEST_BYTES)
			rc = unc_fail(ctx, UNC_ENOSUP, "%s: its counters take more than one read", pbox->box->name);
		if (rc < 0)
			return rc;
		pbox->nest = calloc(1, sizeof(*pbox->nest));
		if (!pbox->nest)
			return unc_fail(ctx, UNC_ENOMEM, "out of memory");
		pbox->owns_nest = true;
		pbox->nest->space = pbox->box->space;
		rc = unc_area_check(pbox->nest->space, &pbox->nest->speed);
		pbox->nest->starts = rc == UNC_EBUSY && s->cfg.start;
		if (pbox->nest->starts)
			rc = unc_gate_plan(
				pbox->box,
				&(struct unc_gate_intent){.reg = unc_unit_reg(pbox->box->unit, UNC_AREA_STATUS_NAME),
							  .values = &runs,
							  .n_values = 1},
				s);
	}
	pbox->nest = first->nest;
	return rc;
}

int unc_nest1_start(struct unc_session *s)
{
	/* Its slowest group takes 12 ms for an update.  The first one after a pause has what was counted before, so the second is waited for. */
	enum { SLOWEST_NS = 12000000 };
	struct unc_machine *m = s->machine;
	unsigned n = 0, speed = 0;
	int rc = UNC_OK;

	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes && rc == 0; pbox++) {
		if (!pbox->nest)
			continue;
		if (pbox->owns_nest && pbox->nest->starts) {
			rc = unc_gate_write(pbox->box, unc_unit_reg(pbox->box->unit, UNC_AREA_STATUS_NAME), 0, runs, s);
			if (rc == 0)
				rc = unc_area_check(pbox->nest->space, &pbox->nest->speed);
			speed = pbox->nest->speed > speed ? pbox->nest->speed : speed;
			n++;
		}
		pbox->update_ns = pbox->box->unit->area.update_ms * NS_PER_MS * (pbox->nest->speed + 1);
	}
	if (rc == 0 && n)
		rc = unc_machine_sleep_until(m, unc_machine_mono_ns(m) + UINT64_C(2) * SLOWEST_NS * (speed + 1));
	if (rc == 0 && n && !m->dry_run)
		unc_note(m->ctx, "the microcode of %u chip%s was paused; it runs until this ends", n,
			 n == 1 ? "" : "s");
	return rc;
}

static uint64_t word_at(const struct unc_nest *nest, uint32_t off)
{
	return unc_le64(nest->bytes + off);
}

static uint32_t group_of(const struct unc_pmon_box *pbox, unsigned i)
{
	uint32_t off = pbox->first + pbox->at[i];

	return off - off % UNC_AREA_GROUP;
}

static bool is_torn(const struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_running; i++) {
		uint32_t group = group_of(pbox, i);

		if (group < pbox->box->unit->area.heads_end &&
		    word_at(pbox->nest, group) != word_at(pbox->nest, group + UNC_AREA_TAIL))
			return true;
	}
	return false;
}

static int read_area(struct unc_pmon_box *pbox)
{
	struct unc_nest *nest = pbox->nest;
	struct unc_machine *m = pbox->box->machine;

	nest->when.before_ns = unc_machine_raw_ns(m);
	nest->rc = unc_read_block(nest->space, 0, nest->bytes, pbox->box->unit->area.bytes);
	nest->when.after_ns = unc_machine_raw_ns(m);
	return nest->rc;
}

/* Takes the counters, from a new read if the box is the chip's first.  UNC_EIO: in no read they were all of one update. */
static int take(struct unc_pmon_box *pbox, struct unc_block *block)
{
	struct unc_nest *nest = pbox->nest;
	struct unc_machine *m = pbox->box->machine;
	bool again = pbox->owns_nest || nest->rc < 0;

	for (unsigned try = 0; try < TRIES && (again || is_torn(pbox)); try++) {
		if (read_area(pbox) < 0)
			return nest->rc;
		again = false;
	}
	if (is_torn(pbox))
		return unc_fail(m->ctx, UNC_EIO, "chip %u: %d reads in a row saw half of an update; measure again",
				pbox->box->socket, TRIES);
	block->when = nest->when;
	for (unsigned i = 0; i < pbox->n_running; i++)
		memcpy(block->counters[i], nest->bytes + pbox->first + pbox->at[i], sizeof(block->counters[i]));
	return UNC_OK;
}

/* Finds how many updates there were at least in a ns.  Returns their number since the last sample. */
static uint64_t see_updates(const struct unc_pmon_box *pbox, unsigned i, uint64_t ns)
{
	struct unc_slot *slot = pbox->running[i];
	uint64_t n = word_at(pbox->nest, group_of(pbox, i) + UNC_AREA_TAIL) - slot->updates;
	double least = n > 1 && ns ? (double)(n - 1) / (double)ns : 0, known = 1 / (double)pbox->update_ns;

	least = least < known ? least : known; /* updates that were made up for are no measure */
	if (least > slot->update_rate)
		slot->update_rate = least;
	return n;
}

/* At the start: reads the area to find how often updates come, until that is known. */
static int look(struct unc_pmon_box *pbox)
{
	enum { ENOUGH = 16 }; /* updates, for a rate that is low by a sixteenth at most */
	int rc = pbox->starting && pbox->owns_nest ? read_area(pbox) : UNC_OK;

	for (unsigned i = 0; i < pbox->n_running && pbox->starting && rc == 0; i++)
		pbox->rate_known |= see_updates(pbox, i, pbox->nest->when.after_ns - pbox->times.earliest_ns) > ENOUGH;
	return rc;
}

static void judge(struct unc_pmon_box *pbox, const struct unc_block *block)
{
	uint64_t ns = block->when.after_ns - pbox->times.earliest_ns;
	bool stands = false;

	for (unsigned i = 0; i < pbox->n_running; i++) {
		struct unc_slot *slot = pbox->running[i];
		uint64_t n = slot->has_baseline ? see_updates(pbox, i, ns) : 0;

		/* Updates come at a steady rate: too few of them mean that the microcode was paused for a part of the time. */
		if (slot->has_baseline)
			stands |= !n || (double)(n + 1) < 0.95 * slot->update_rate * (double)ns;
		slot->updates = word_at(pbox->nest, group_of(pbox, i) + UNC_AREA_TAIL);
	}
	/* The first update after a pause may have counts of the time before it. */
	pbox->stood_still = stands || pbox->stands;
	pbox->stands = stands;
	pbox->unproven = false;
}

const struct unc_pmon_way unc_nest1_way = {
	.reach = reach,
	.read = take,
	.look = look,
	.judge = judge,
	.stopped = "its updates did not come as before: the kernel paused them, as it does when the last perf "
		   "event of the nest is closed, or the interval is shorter than their period",
};
