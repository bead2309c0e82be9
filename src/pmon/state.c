// SPDX-License-Identifier: GPL-2.0-or-later
/* What a box is doing, without changing it. */
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
	*ret_state = state;
	return UNC_OK;
}
