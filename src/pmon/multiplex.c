// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides which event uses which counter: some events count only in some counters, so one that came first may have to move. */

#include "base/text.h"
#include "machine/users.h"
#include "pmon/counter.h"
#include "pmon/pmon.h"
#include "pmon/session.h"

enum { FREE = -1 };

struct matching {
	const struct unc_pmon_box *pbox;
	struct unc_accumulator *const *accumulators;
	bool force;                 /* counters enabled by other programs may be used */
	int who[UNC_PMON_SLOTS];    /* index of an accumulator, or FREE */
	bool asked[UNC_PMON_SLOTS]; /* already tried in this search */
};

bool unc_slot_can_count(const struct unc_slot *slot, const struct unc_event *event)
{
	if (slot->fixed || event->fixed)
		return slot->fixed && event->fixed;
	return event->counters >> slot->index & 1;
}

static bool may_have(const struct matching *m, unsigned slot, unsigned accumulator)
{
	return !m->pbox->slots[slot].left && (m->force || !m->pbox->slots[slot].enabled) &&
	       unc_slot_can_count(&m->pbox->slots[slot], m->accumulators[accumulator]->event);
}

/* Takes a free slot, else one whose event can move to another: an augmenting path of a bipartite matching. */
static bool place(struct matching *m, unsigned accumulator)
{
	for (unsigned i = m->pbox->n_slots; i-- > 0;) {
		if (m->who[i] == FREE && may_have(m, i, accumulator)) {
			m->who[i] = (int)accumulator;
			return true;
		}
	}
	for (unsigned i = m->pbox->n_slots; i-- > 0;) {
		if (m->asked[i] || m->who[i] == FREE || !may_have(m, i, accumulator))
			continue;
		m->asked[i] = true;
		if (place(m, (unsigned)m->who[i])) {
			m->who[i] = (int)accumulator;
			return true;
		}
	}
	return false;
}

static bool place_one(struct matching *m, unsigned accumulator, bool force)
{
	for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
		m->asked[i] = false;
	m->force = force;
	return place(m, accumulator);
}

bool unc_slots_match(const struct unc_pmon_box *pbox, struct unc_accumulator *const *accumulators, unsigned n,
		     bool force, struct unc_mux_set *ret_set)
{
	struct matching m = {.pbox = pbox, .accumulators = accumulators};
	struct unc_mux_set mux_set = {{0}};

	for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
		m.who[i] = FREE;
	if (n > pbox->n_slots)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!place_one(&m, i, false) && !(force && place_one(&m, i, true)))
			return false;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		mux_set.of[i] = m.who[i] == FREE ? NULL : accumulators[m.who[i]];
	*ret_set = mux_set;
	return true;
}

/*
 * Sets that want the same counters.  Mux sets only fill up, so one that had no room for one set has none for another of the same
 * kind.
 */
struct kind {
	uint32_t counters[UNC_PMON_SLOTS]; /* of each member, as in struct unc_event */
	unsigned n;
	size_t from; /* the first mux set that may have room */
};

struct plan { /* plan for one box */
	struct unc_ctx *ctx;
	struct unc_session *s;
	struct unc_pmon_box *pbox;
	struct unc_request **requests; /* requests of the box, in the order in which they were added; owned */
	unsigned n;
	uint64_t *controls; /* controls of all its accumulators, sorted; owned */
	struct kind *kinds; /* owned */
	size_t n_kinds;
};

struct set { /* events of general counters that are counted together */
	struct unc_request *requests[UNC_PMON_SLOTS];
	struct unc_accumulator *members[UNC_PMON_SLOTS]; /* accumulators of the requests */
	unsigned n;                                      /* number of events; may exceed the size of the arrays */
};

/* ---- errors ---- */

/* Fails because another program has, or a killed one left changed, the last counter that could count the event. */
static int taken(const struct plan *p, const struct unc_event *event, const struct unc_slot *slot)
{
	int rc;

	if (slot->left)
		return unc_fail(p->ctx, UNC_EBUSY,
				"%s (%s): no counter is free for %s: %s[%u] at 0x%x was left changed by %s; `uncorectl "
				"recover` puts it back",
				p->pbox->box->name, p->pbox->box->pci, event->name, slot->ctl->name, slot->index,
				unc_reg_off(slot->ctl, slot->index),
				unc_gate_left(p->pbox->box, slot->ctl, slot->index));
	rc = unc_fail(p->ctx, UNC_EBUSY,
		      "%s (%s): no counter is free for %s: %s[%u] at 0x%x holds 0x%08" PRIx64
		      ", enabled by another program (perf, another tool, the firmware); stop that, or %s to take "
		      "it and give it back at exit",
		      p->pbox->box->name, p->pbox->box->pci, event->name, slot->ctl->name, slot->index,
		      unc_reg_off(slot->ctl, slot->index), slot->found, unc_setting(p->ctx, "--force"));
	return unc_users_text(p->pbox->box, rc);
}

static bool is_taken(const struct plan *p, const struct unc_slot *slot)
{
	return slot->left || (slot->enabled && !p->s->cfg.force);
}

static int no_counter(const struct plan *p, const struct unc_event *event)
{
	const struct unc_pmon_box *pbox = p->pbox;

	for (unsigned i = pbox->n_slots; i-- > 0;) {
		const struct unc_slot *slot = &pbox->slots[i];

		if (is_taken(p, slot) && unc_slot_can_count(slot, event))
			return taken(p, event, slot);
	}
	if (p->s->cfg.multiplex || pbox->n_mux_sets == 0)
		return unc_fail(p->ctx, UNC_EARG, "%s: no counter of %s can count %s", pbox->box->name,
				pbox->box->unit->title, event->name);
	return unc_fail(
		p->ctx, UNC_EBUSY,
		"%s: this session already uses every counter that can count %s, and its events are not multiplexed",
		pbox->box->name, event->name);
}

static unsigned general(const struct unc_pmon_box *pbox, bool free_ones)
{
	unsigned n = 0;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		n += !pbox->slots[i].fixed && !(free_ones && (pbox->slots[i].enabled || pbox->slots[i].left));
	return n;
}

/* Explains why a set would not fit even into an empty mux set. */
static int never_fits(const struct plan *p, const struct set *set)
{
	const struct unc_pmon_box *pbox = p->pbox;
	bool force = p->s->cfg.force;
	const char *left = NULL;
	struct unc_mux_set mux_set;
	char counters[32] = "";
	unsigned fit = 0;

	if (set->n > general(pbox, false))
		return unc_fail(p->ctx, UNC_EARG, "%s: a set of %u events does not fit into the %u counters of a box",
				pbox->box->name, set->n, general(pbox, false));
	for (unsigned i = 0; i < set->n; i++)
		if (!unc_slots_match(pbox, &set->members[i], 1, force, &mux_set))
			return no_counter(p, set->members[i]->event);
	if (unc_slots_match(pbox, set->members, set->n, true, &mux_set))
		return unc_users_text(pbox->box,
				      unc_fail(p->ctx, UNC_EBUSY,
					       "%s (%s): a set of %u events needs as many counters at once, and %u are "
					       "free: other programs have enabled the others; stop that, or %s to "
					       "take them and give them back at exit",
					       pbox->box->name, pbox->box->pci, set->n, general(pbox, true),
					       unc_setting(p->ctx, "--force")));
	for (unsigned i = 0; i < pbox->n_slots && !left; i++)
		if (pbox->slots[i].left && !pbox->slots[i].fixed)
			left = unc_gate_left(pbox->box, pbox->slots[i].ctl, pbox->slots[i].index);
	if (left)
		return unc_fail(p->ctx, UNC_EBUSY,
				"%s (%s): a set of %u events needs as many counters at once, and %u are free: others "
				"were left changed by %s; `uncorectl recover` puts them back",
				pbox->box->name, pbox->box->pci, set->n, general(pbox, true), left);
	while (fit < set->n && unc_slots_match(pbox, set->members, fit + 1, true, &mux_set))
		fit++;
	for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
		if (set->members[fit]->event->counters >> i & 1)
			unc_text_join(counters, sizeof(counters), ",", "%u", i);
	return unc_fail(
		p->ctx, UNC_EARG,
		"%s: this set cannot be counted at once: %s is for counters %s alone, which its other events need too",
		pbox->box->name, set->members[fit]->event->name, counters);
}

/* ---- mux sets ---- */

/*
 * An event that another set already counts in this mux set is not counted twice: its accumulator serves both.  The same event twice
 * within one set uses two counters, since the user may want to compare counters.
 */
static struct unc_accumulator *find_same(const struct unc_pmon_box *pbox, const struct unc_mux_set *mux_set,
					 const struct unc_accumulator *accumulator, struct unc_accumulator *const *used,
					 unsigned n_used)
{
	for (unsigned i = pbox->n_slots; i-- > 0;) {
		struct unc_accumulator *other = mux_set->of[i];
		bool free = other && other->control == accumulator->control;

		for (unsigned k = 0; k < n_used; k++)
			free &= used[k] != other;
		if (free)
			return other;
	}
	return NULL;
}

/* Adds the set to the mux set, if it fits. */
static bool try_mux_set(const struct plan *p, struct unc_mux_set *mux_set, const struct set *set)
{
	struct unc_accumulator *members[UNC_PMON_SLOTS], *counted[UNC_PMON_SLOTS];
	unsigned n = 0;

	if (set->n > p->pbox->n_slots)
		return false;
	for (unsigned i = p->pbox->n_slots; i-- > 0;)
		if (mux_set->of[i])
			members[n++] = mux_set->of[i];
	for (unsigned i = 0; i < set->n; i++) {
		struct unc_accumulator *same = find_same(p->pbox, mux_set, set->members[i], counted, i);

		counted[i] = same ? same : set->members[i];
		if (same)
			continue;
		if (n == general(p->pbox, false))
			return false;
		members[n++] = set->members[i];
	}
	if (!unc_slots_match(p->pbox, members, n, p->s->cfg.force, mux_set))
		return false;
	for (unsigned i = 0; i < set->n; i++)
		set->requests[i]->accumulator = counted[i];
	return true;
}

static int compare_controls(const void *a, const void *b)
{
	return unc_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* True if another event of this box has the same control as one of the set. */
static bool shares(const struct plan *p, const struct set *set)
{
	const uint64_t *end = p->controls + p->pbox->n_accumulators, *one;

	for (unsigned i = 0; i < set->n; i++) {
		one = bsearch(&set->members[i]->control, p->controls, p->pbox->n_accumulators, sizeof(*one),
			      compare_controls);
		if (one && ((one > p->controls && one[-1] == *one) || (one + 1 < end && one[1] == *one)))
			return true;
	}
	return false;
}

/* Finds or adds the kind of a set.  NULL: out of memory. */
static struct kind *kind_of(struct plan *p, const struct set *set)
{
	struct kind kind = {.n = set->n};

	for (unsigned i = 0; i < set->n; i++)
		kind.counters[i] = set->requests[i]->wanted->event.counters;
	for (size_t i = 0; i < p->n_kinds; i++)
		if (p->kinds[i].n == kind.n && memcmp(p->kinds[i].counters, kind.counters, sizeof(kind.counters)) == 0)
			return &p->kinds[i];
	return unc_array_add(&p->kinds, &p->n_kinds, &kind, sizeof(kind)) ? &p->kinds[p->n_kinds - 1] : NULL;
}

static int add_mux_set(const struct plan *p, const struct unc_mux_set *mux_set)
{
	return unc_list_add(p->ctx, &p->pbox->mux_sets, &p->pbox->n_mux_sets, mux_set, sizeof(*mux_set));
}

static int add_set(struct plan *p, const struct set *set)
{
	struct unc_mux_set alone = {{0}};
	struct kind *kind;
	bool shared;

	if (set->n > UNC_PMON_SLOTS)
		return never_fits(p, set);
	kind = kind_of(p, set);
	if (!kind)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	shared = shares(p, set);
	for (size_t i = shared ? 0 : kind->from; i < p->pbox->n_mux_sets; i++) {
		if (!try_mux_set(p, &p->pbox->mux_sets[i], set))
			continue;
		if (!shared)
			kind->from = i;
		return UNC_OK;
	}
	if (!try_mux_set(p, &alone, set))
		return never_fits(p, set);
	if (p->pbox->n_mux_sets > 0 && !p->s->cfg.multiplex)
		return no_counter(p, set->members[0]->event);
	kind->from = p->pbox->n_mux_sets;
	return add_mux_set(p, &alone);
}

/* Packs the sets into mux sets, without events of the fixed counter, which is always on. */
static int pack(struct plan *p)
{
	int rc = UNC_OK;

	for (unsigned i = 0, first; i < p->n && rc == 0;) {
		struct set set = {.n = 0};

		for (first = i; i < p->n && p->requests[i]->set == p->requests[first]->set; i++) {
			struct unc_request *request = p->requests[i];

			if (request->wanted->event.fixed)
				continue;
			if (set.n < UNC_PMON_SLOTS) {
				set.requests[set.n] = request;
				set.members[set.n] = request->accumulator;
			}
			set.n++;
		}
		if (set.n)
			rc = add_set(p, &set);
	}
	return rc;
}

/* ---- accumulators ---- */

static int fill_accumulator(const struct plan *p, struct unc_accumulator *accumulator, const struct unc_event *event,
			    uint64_t control)
{
	const struct unc_unit *unit = p->pbox->box->unit;
	const struct unc_pmon_regs *regs = &p->pbox->regs;

	if (event->fixed && !(regs->fixed_en && regs->fixed_ctr))
		return unc_fail(p->ctx, UNC_EARG, "%s: %s has no fixed counter", p->pbox->box->name, unit->title);
	*accumulator = (struct unc_accumulator){
		.event = event,
		.control = event->fixed ? unc_reg_blank(regs->fixed_ctl) : control,
		.wrap_ns = unc_wrap_ns(event, unit->max_clock_hz, unit->counter_bits),
	};
	if (!event->fixed && !regs->en)
		return UNC_OK;
	return unc_field_set(p->ctx, event->fixed ? regs->fixed_en : regs->en, 1, &accumulator->control);
}

/* Makes an accumulator for each event; all events of the fixed counter share one. */
static int make_accumulators(const struct plan *p)
{
	struct unc_pmon_box *pbox = p->pbox;
	struct unc_accumulator *fixed = NULL;
	int rc = UNC_OK;

	pbox->accumulators = calloc(p->n + 1, sizeof(*pbox->accumulators));
	if (!pbox->accumulators)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	for (unsigned i = 0; i < p->n && rc == 0; i++) {
		struct unc_request *request = p->requests[i];
		const struct unc_wanted *wanted = request->wanted;

		request->accumulator = wanted->event.fixed ? fixed : NULL;
		if (request->accumulator)
			continue;
		request->accumulator = &pbox->accumulators[pbox->n_accumulators++];
		if (wanted->event.fixed)
			fixed = request->accumulator;
		rc = fill_accumulator(p, request->accumulator, &wanted->event, wanted->control);
	}
	return rc;
}

/* The fixed counter runs in every mux set, if an event of it was added. */
static int add_fixed(const struct plan *p)
{
	struct unc_pmon_box *pbox = p->pbox;
	const struct unc_request *request = NULL;
	unsigned slot = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < p->n && !request; i++)
		request = p->requests[i]->wanted->event.fixed ? p->requests[i] : NULL;
	if (!request)
		return UNC_OK;
	while (!pbox->slots[slot].fixed)
		slot++;
	if (is_taken(p, &pbox->slots[slot]))
		return taken(p, &request->wanted->event, &pbox->slots[slot]);
	if (pbox->n_mux_sets == 0)
		rc = add_mux_set(p, &(struct unc_mux_set){{0}});
	for (unsigned i = 0; i < pbox->n_mux_sets; i++)
		pbox->mux_sets[i].of[slot] = request->accumulator;
	return rc;
}

/* ---- the clock ---- */

/* True if an event of the session counts the clock in this slot, in every mux set. */
static bool is_asked_clock(const struct unc_pmon_box *pbox, unsigned i)
{
	const struct unc_slot *slot = &pbox->slots[i];
	const struct unc_accumulator *accumulator = pbox->mux_sets[0].of[i];

	for (unsigned k = 1; k < pbox->n_mux_sets; k++)
		if (pbox->mux_sets[k].of[i] != accumulator)
			return false;
	return accumulator && (slot->fixed || (pbox->clock_event && unc_wanted_is(pbox->box, pbox->clock_event,
										  slot->ctl, accumulator->control)));
}

/* Another user's counter is never reprogrammed to count the clock, not even with cfg.force. */
static bool is_spare(const struct unc_pmon_box *pbox, unsigned i)
{
	const struct unc_slot *slot = &pbox->slots[i];

	for (unsigned k = 0; k < pbox->n_mux_sets; k++)
		if (pbox->mux_sets[k].of[i])
			return false;
	return !slot->enabled && !slot->left &&
	       (slot->fixed || (pbox->clock_event && unc_slot_can_count(slot, &pbox->clock_event->event)));
}

/*
 * Chooses the box's clock: a counter that the session uses for it in any case, else a spare one, else another program's.  The
 * fixed counter is the last of the slots, and the first choice: it cannot count anything else.
 */
static int add_clock(const struct plan *p)
{
	struct unc_pmon_box *pbox = p->pbox;
	struct unc_slot *slot = NULL;
	int rc = UNC_OK;

	pbox->clock = (struct unc_box_clock){0};
	pbox->shared = p->s->shared;
	unc_box_clock_find_event(pbox);
	for (unsigned i = pbox->n_slots; i-- > 0 && !slot;)
		slot = is_asked_clock(pbox, i) ? &pbox->slots[i] : NULL;
	if (!slot && !pbox->shared) {
		for (unsigned i = pbox->n_slots; i-- > 0 && !slot;)
			slot = is_spare(pbox, i) ? &pbox->slots[i] : NULL;
		if (slot) /* it counts the clock in every mux set */
			rc = fill_accumulator(p, &pbox->clock_accumulator,
					      slot->fixed ? &unc_box_clock_event : &pbox->clock_event->event,
					      slot->fixed ? 0 : pbox->clock_event->control);
		for (unsigned k = 0; k < pbox->n_mux_sets && slot && rc == 0; k++)
			pbox->mux_sets[k].of[slot - pbox->slots] = &pbox->clock_accumulator;
	}
	pbox->clock.slot = slot;
	if (!slot && !pbox->shared)
		unc_box_clock_borrow(pbox);
	return rc;
}

/* ---- the plan of a box ---- */

/* Notes the slot of each request.  An accumulator has the same slot in every mux set that contains it. */
static void note_slots(const struct plan *p)
{
	struct unc_pmon_box *pbox = p->pbox;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->control = slot->control_before = slot->found;
		for (unsigned k = 0; k < pbox->n_mux_sets; k++) {
			slot->ours |= pbox->mux_sets[k].of[i] != NULL;
			if (pbox->mux_sets[k].of[i])
				pbox->mux_sets[k].of[i]->slot = i;
		}
	}
	for (unsigned i = 0; i < p->n; i++)
		p->requests[i]->slot = p->requests[i]->accumulator->slot;
}

int unc_mux_plan(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	struct plan p = {.ctx = s->machine->ctx, .s = s, .pbox = pbox};
	int rc;

	/* A box has no request if its first one could not be added. */
	p.requests = calloc(s->n_requests + 1, sizeof(*p.requests));
	p.controls = calloc(s->n_requests + 1, sizeof(*p.controls));
	for (size_t i = 0; p.requests && i < s->n_requests; i++)
		if (s->requests[i].pbox == number)
			p.requests[p.n++] = &s->requests[i];
	rc = p.requests && p.controls ? make_accumulators(&p) : unc_fail(p.ctx, UNC_ENOMEM, "out of memory");
	for (unsigned i = 0; p.controls && i < pbox->n_accumulators; i++)
		p.controls[i] = pbox->accumulators[i].control;
	if (rc == 0) {
		qsort(p.controls, pbox->n_accumulators, sizeof(*p.controls), compare_controls);
		rc = pack(&p);
	}
	if (rc == 0)
		rc = add_fixed(&p);
	if (rc == 0)
		rc = add_clock(&p);
	if (rc == 0)
		note_slots(&p);
	free(p.requests);
	free(p.controls);
	free(p.kinds);
	return rc;
}
