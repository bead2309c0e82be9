// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides which event uses which counter: some events count only in some counters, so one that came first may have to move. */
#include "pmon/pmon.h"

enum { NOBODY = -1 };

struct matching {
	const struct unc_pmon_box *pbox;
	struct unc_tally *const *tallies;
	bool force;                 /* counters enabled by other programs may be used */
	int who[UNC_PMON_SLOTS];    /* index of an accumulator, or NOBODY */
	bool asked[UNC_PMON_SLOTS]; /* already tried in this search */
};

bool unc_slot_can_count(const struct unc_slot *slot, const struct unc_event *event)
{
	if (slot->fixed || event->fixed)
		return slot->fixed && event->fixed;
	return event->counters >> slot->index & 1;
}

static bool may_have(const struct matching *m, unsigned slot, unsigned tally)
{
	return !m->pbox->slots[slot].left && (m->force || !m->pbox->slots[slot].enabled) &&
	       unc_slot_can_count(&m->pbox->slots[slot], m->tallies[tally]->event);
}

/* Takes a free slot, else one whose event can move to another: an augmenting path of a bipartite matching. */
static bool place(struct matching *m, unsigned tally)
{
	for (unsigned i = m->pbox->n_slots; i-- > 0;) {
		if (m->who[i] == NOBODY && may_have(m, i, tally)) {
			m->who[i] = (int)tally;
			return true;
		}
	}
	for (unsigned i = m->pbox->n_slots; i-- > 0;) {
		if (m->asked[i] || m->who[i] == NOBODY || !may_have(m, i, tally))
			continue;
		m->asked[i] = true;
		if (place(m, (unsigned)m->who[i])) {
			m->who[i] = (int)tally;
			return true;
		}
	}
	return false;
}

static bool place_one(struct matching *m, unsigned tally, bool force)
{
	for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
		m->asked[i] = false;
	m->force = force;
	return place(m, tally);
}

bool unc_slots_match(const struct unc_pmon_box *pbox, struct unc_tally *const *tallies, unsigned n, bool force,
		     struct unc_turn *ret_turn)
{
	struct matching m = {.pbox = pbox, .tallies = tallies};
	struct unc_turn turn = {{0}};

	for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
		m.who[i] = NOBODY;
	if (n > pbox->n_slots)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!place_one(&m, i, false) && !(force && place_one(&m, i, true)))
			return false;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		turn.of[i] = m.who[i] == NOBODY ? NULL : tallies[m.who[i]];
	*ret_turn = turn;
	return true;
}
