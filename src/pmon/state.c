// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports what a box is doing, without changing it. */
#include <string.h>

#include "pmon/event_text.h"
#include "pmon/pmon.h"

static int counter_moves(struct unc_pmon_box *pbox, const struct unc_slot *slot, bool *ret_moves)
{
	uint64_t first, second;
	int rc;

	rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &first);
	if (rc == 0)
		rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &second);
	if (rc == 0 && first != second)
		*ret_moves = true;
	return rc;
}

/* Checks whether the clock ticks within a pause.  The pause is there because a package that is asleep may wake up soon. */
static int clock_ticks(struct unc_pmon_box *pbox, const struct unc_slot *slot, bool *ret_ticks)
{
	enum { PAUSE_NS = 1000000 };
	struct unc_machine *m = pbox->box->machine;
	uint64_t first, second;
	int rc;

	*ret_ticks = false;
	rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &first);
	if (rc == 0)
		unc_machine_sleep_until(m, unc_machine_mono_ns(m) + PAUSE_NS);
	if (rc == 0)
		rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &second);
	*ret_ticks = rc == 0 && first != second;
	return rc;
}

/*
 *
 * No counter moved: finds out whether the box stands still or has nothing to count.  Only a clock, or BOX_CTL on parts where it
 * reads back, shows that.
 */
static int look_whether_it_stands(struct unc_pmon_box *pbox, struct unc_box_state *state)
{
	const struct unc_slot *clock = unc_box_clock_of_others(pbox);
	bool ticks = false;
	int rc = clock ? clock_ticks(pbox, clock, &ticks) : UNC_OK;

	if (rc == 0 && (clock ? !ticks : pbox->frozen))
		state->use = UNC_USE_STOPPED;
	else if (ticks)
		state->use = UNC_USE_COUNTING;
	return rc;
}

static void tell_event(const struct unc_box *box, const struct unc_slot *slot, struct unc_slot_state *state)
{
	struct unc_wanted what;

	if (slot->found == unc_reg_blank(slot->ctl))
		return;
	unc_wanted_decode(box, slot->ctl, slot->found, &what);
	memcpy(state->event, what.text, sizeof(state->event));
}

int unc_box_state(struct unc_box *box, struct unc_box_state *ret_state)
{
	struct unc_box_state state = {.use = UNC_USE_IDLE};
	struct unc_pmon_box pbox;
	bool moves = false;
	int rc;

	rc = unc_pmon1_init(box, &pbox);
	if (rc == 0)
		rc = unc_pmon1_inspect(&pbox);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < pbox.n_slots; i++) {
		const struct unc_slot *slot = &pbox.slots[i];

		state.slots[state.n_slots++] = (struct unc_slot_state){
			.reg = slot->ctl->name,
			.index = slot->index,
			.offset = unc_reg_off(slot->ctl, slot->index),
			.control = slot->found,
			.enabled = slot->enabled,
		};
		tell_event(box, slot, &state.slots[i]);
		if (slot->enabled)
			rc = counter_moves(&pbox, slot, &moves);
		if (rc < 0)
			return rc;
	}
	state.frozen = pbox.frozen;
	if (pbox.foreign)
		state.use = moves ? UNC_USE_COUNTING : UNC_USE_TAKEN;
	if (!moves)
		rc = look_whether_it_stands(&pbox, &state);
	if (rc == 0)
		*ret_state = state;
	return rc;
}
