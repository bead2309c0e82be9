// SPDX-License-Identifier: GPL-2.0-or-later
/* Starts a session: checks that its boxes can be used, plans what will be written, and puts that on disk first. */
#include <stdlib.h>

#include "base/err.h"
#include "machine/claim.h"
#include "machine/house.h"
#include "machine/uncertain.h"
#include "pmon/counter.h"
#include "pmon/session.h"

void unc_session_forget(struct unc_pmon_box *pbox)
{
	free(pbox->tallies);
	free(pbox->turns);
	free(pbox->observed);
	unc_wanted_free(pbox->clock_event);
	pbox->observed = NULL;
	pbox->clock_event = NULL;
	pbox->clock.slot = NULL;
	pbox->tallies = NULL;
	pbox->turns = NULL;
	pbox->n_tallies = pbox->n_turns = 0;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].tally = NULL;
		pbox->slots[i].ours = false;
	}
}

/* Checks whether this box can be used at all, before anything is written anywhere. */
static int look(struct unc_session *s, struct unc_pmon_box *pbox)
{
	const struct unc_box *box = pbox->box;
	int rc;

	unc_session_forget(pbox);
	rc = unc_pmon1_inspect(pbox);
	if (rc < 0 || s->cfg.observe)
		return rc;
	pbox->foreign |= s->shared;
	unc_pmon_see_left(pbox);
	if (pbox->left)
		return unc_pmon_check_left(pbox);
	if (pbox->foreign && pbox->frozen)
		rc = unc_fail(
			s->machine->ctx, UNC_EBUSY,
			"%s (%s): somebody has frozen the box with a counter enabled, so nothing counts there now; try "
			"again when it is released, or stop whoever counts there",
			box->name, box->pci);
	else if (pbox->foreign && pbox->freezes)
		rc = unc_fail(s->machine->ctx, UNC_EBUSY,
			      "%s (%s): somebody else counts there, and freezing would stop that too; measure "
			      "without --freeze, and without sets in braces, which freeze too",
			      box->name, box->pci);
	return rc < 0 ? unc_house_tell(box, rc) : rc;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the longest time between two reads in which no counter can wrap unseen. */
static uint64_t poll_ns(const struct unc_session *s)
{
	uint64_t shortest = UINT64_MAX;

	if (s->cfg.observe)
		return unc_observe_poll_ns(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		const struct unc_pmon_box *pbox = &s->pboxes[i];
		const struct unc_unit *unit = pbox->box->unit;

		for (unsigned k = 0; k < pbox->n_tallies; k++)
			shortest = sooner(shortest, pbox->tallies[k].wrap_ns);
		if (pbox->clock.slot)
			shortest = sooner(shortest,
					  unc_wrap_ns(&unc_box_clock_event, unit->max_clock_hz, unit->counter_bits));
	}
	return shortest / 4;
}

/* A session that only observes claims nothing and has nothing to put on disk. */
static int plan_observing(struct unc_session *s)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = look(s, &s->pboxes[i]);
	return rc < 0 ? rc : unc_observe_plan(s);
}

/* Plans all that can be known before anything is written anywhere, and puts it on disk. */
static int plan(struct unc_session *s)
{
	int rc = UNC_OK;

	if (s->cfg.observe)
		return plan_observing(s);
	/* Claims come first, so that no other process begins to write between our look and our plan. */
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = unc_claim_box(s->pboxes[i].box, s);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = look(s, &s->pboxes[i]);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = unc_turns_plan(s, i);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = unc_pmon1_plan(&s->pboxes[i], s);
	return rc == 0 ? unc_gate_ready(s->machine) : rc;
}

/* Gives up the claims: nothing was written, so other processes may use the boxes again. */
static void leave(struct unc_session *s)
{
	struct unc_saved_msg why;

	unc_msg_save(s->machine->ctx, &why);
	unc_gate_restore(s->machine, s);
	unc_msg_restore(s->machine->ctx, &why);
}

static void note_shortest(const struct unc_session *s)
{
	uint64_t quickest_ns = 0;

	for (size_t i = 0; i < s->n_pboxes; i++)
		if (s->pboxes[i].quickest_ns > quickest_ns)
			quickest_ns = s->pboxes[i].quickest_ns;
	unc_note_shortest(s->machine->ctx, quickest_ns, s->cfg.interval_ns, s->takes_turns ? UNC_TURN_NS : 0);
}

int unc_session_start(struct unc_session *s)
{
	int rc;

	if (s->started || s->set_open || s->n_requests == 0)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s",
				s->set_open ? "a set was begun and not ended"
					    : "a session starts once, with at least one event");
	rc = plan(s);
	if (rc < 0) {
		leave(s);
		return rc;
	}
	s->started = true;
	unc_suspend_init(&s->suspend, s->machine);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++) {
		s->pboxes[i].interval_ns = s->cfg.interval_ns;
		rc = s->cfg.observe ? unc_observe_start(&s->pboxes[i]) : unc_pmon_start(&s->pboxes[i], s);
		s->takes_turns |= s->pboxes[i].n_turns > 1;
	}
	s->poll_ns = poll_ns(s);
	s->read_mono_ns = s->turn_mono_ns = unc_machine_mono_ns(s->machine);
	s->looked_ns = unc_machine_raw_ns(s->machine);
	s->rate_mono_ns = s->cfg.observe || s->takes_turns ? UINT64_MAX : s->read_mono_ns + UNC_RATE_NS;
	if (rc == 0)
		note_shortest(s);
	return rc;
}
