// SPDX-License-Identifier: GPL-2.0-or-later
/* A session from opening to closing: which events are to be counted in which boxes, and whether these can be used. */
#include "pmon/session.h"

#include "machine/users.h"
#include "pmon/counter.h"
#include "pmon/free1.h"
#include "pmon/nest1.h"
#include "pmon/reading.h"

/* Checks whether a box whose BOX_CTL was left changed can be used.  UNC_EBUSY: it stands still, or it is to be frozen. */
static int pmon_check_left(struct unc_pmon_box *pbox)
{
	enum { TICKS_NS = 10000 };
	const char *who = unc_gate_left(pbox->box, pbox->regs.box_ctl, 0);
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	bool runs = true;

	/* The box's clock, if enabled, shows whether the box stands still. */
	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		int rc = slot->fixed && slot->enabled ? unc_slot_moves(pbox, slot, TICKS_NS, &runs) : UNC_OK;

		if (rc < 0)
			return rc;
	}
	if (pbox->frozen || !runs)
		return unc_fail(ctx, UNC_EBUSY,
				"%s (%s): it stands still: it was left frozen by %s; `uncorectl recover` puts it back",
				pbox->box->name, pbox->box->pci, who);
	if (pbox->freezes)
		return unc_fail(ctx, UNC_EBUSY,
				"%s (%s): BOX_CTL, which freezes it, was left changed by %s; `uncorectl recover` puts "
				"it back; or measure without %s, and without sets in braces, which freeze too",
				pbox->box->name, pbox->box->pci, who, unc_setting(ctx, "--freeze"));
	return UNC_OK;
}

/* Starts a session: checks that its boxes can be used, plans what will be written, and puts that on disk first. */

/* Frees what a start had planned in a box. */
static void session_forget(struct unc_pmon_box *pbox)
{
	free(pbox->accumulators);
	free(pbox->mux_sets);
	free(pbox->observed);
	unc_wanted_free(pbox->clock_event);
	unc_nest1_forget(pbox);
	pbox->observed = NULL;
	pbox->clock_event = NULL;
	pbox->clock.slot = NULL;
	pbox->accumulators = NULL;
	pbox->mux_sets = NULL;
	pbox->n_accumulators = 0;
	pbox->n_mux_sets = 0;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].accumulator = NULL;
		pbox->slots[i].ours = false;
	}
}

/* Checks whether this box can be used at all, before anything is written anywhere. */
static int check_box(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	const struct unc_box *box = pbox->box;
	int rc;

	session_forget(pbox);
	if (pbox->always)
		return pbox->always->reach(s, number);
	rc = unc_pmon1_inspect(pbox);
	if (rc < 0 || s->cfg.observe)
		return rc;
	/* What a killed process has left is not touched before `recover`, as if that process still counted there. */
	pbox->left = pbox->regs.box_ctl && unc_gate_left(box, pbox->regs.box_ctl, 0);
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].left = unc_gate_left(box, pbox->slots[i].ctl, pbox->slots[i].index) != NULL;
	pbox->foreign |= s->shared || pbox->left;
	if (pbox->left)
		return pmon_check_left(pbox);
	if (pbox->foreign && pbox->frozen)
		rc = unc_fail(s->machine->ctx, UNC_EBUSY,
			      "%s (%s): another program has frozen the box with a counter enabled, so nothing counts "
			      "there now; try again when it is released, or stop the program that counts there",
			      box->name, box->pci);
	else if (pbox->foreign && pbox->freezes)
		rc = unc_fail(s->machine->ctx, UNC_EBUSY,
			      "%s (%s): another program counts there, and freezing would stop that too; measure "
			      "without %s, and without sets in braces, which freeze too",
			      box->name, box->pci, unc_setting(s->machine->ctx, "--freeze"));
	return rc < 0 ? unc_users_text(box, rc) : rc;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the longest time between two reads in which no counter can wrap unseen. */
static uint64_t poll_ns(const struct unc_session *s)
{
	/*
	 * perf writes the controls that are observed whenever one of its events starts or stops, every few ms if its events are
	 * multiplexed: more frequent looks miss fewer of these changes.  A look costs two reads per box.
	 */
	enum { LOOK_NS = 100000000 };
	uint64_t shortest = s->cfg.observe ? 4 * (uint64_t)LOOK_NS : UINT64_MAX;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		const struct unc_pmon_box *pbox = &s->pboxes[i];
		const struct unc_unit *unit = pbox->box->unit;
		const struct unc_event *event = s->cfg.observe ? NULL /* any */ : &unc_box_clock_event;

		if (s->cfg.observe || pbox->clock.slot)
			shortest = sooner(shortest, unc_wrap_ns(event, unit->max_clock_hz, unit->counter_bits));
		for (unsigned k = 0; k < pbox->n_accumulators && !s->cfg.observe; k++)
			shortest = sooner(shortest, pbox->accumulators[k].wrap_ns);
	}
	return shortest / 4;
}

/* Plans all that can be known before anything is written anywhere, and puts it on disk.  One that only observes claims nothing. */
static int plan(struct unc_session *s)
{
	int rc = UNC_OK;

	/* Claims come first, so that no other process begins to write between our look and our plan. */
	for (size_t i = 0; i < s->n_pboxes && rc == 0 && !s->cfg.observe; i++)
		rc = s->pboxes[i].always ? UNC_OK : unc_claim_box(s->pboxes[i].box, s);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = check_box(s, i);
	if (rc == 0 && s->cfg.observe)
		return unc_observe_plan(s);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = s->pboxes[i].always ? unc_free1_plan(s, i) : unc_mux_plan(s, i);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = s->pboxes[i].always ? UNC_OK : unc_pmon1_plan(&s->pboxes[i], s);
	return rc == 0 ? unc_gate_ready(s->machine) : rc;
}

int unc_session_start(struct unc_session *s)
{
	struct unc_saved_msg why;
	uint64_t quickest_ns = 0;
	bool observes = false;
	int rc;

	if (s->started || s->set_open || s->n_requests == 0)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s",
				s->set_open ? "a set was begun and not ended"
					    : "a session starts once, with at least one event");
	/* Counters that always run need no other program to be observed. */
	for (size_t i = 0; i < s->n_pboxes; i++)
		observes |= !s->pboxes[i].always;
	s->cfg.observe &= observes;
	rc = plan(s);
	if (rc < 0) { /* nothing was written, so other processes may use the boxes again */
		unc_msg_save(s->machine->ctx, &why);
		unc_gate_restore(s->machine, s);
		unc_msg_restore(s->machine->ctx, &why);
		return rc;
	}
	s->started = true;
	unc_suspend_init(&s->suspend, s->machine);
	rc = unc_nest1_start(s);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++) {
		s->pboxes[i].interval_ns = s->cfg.interval_ns;
		rc = s->cfg.observe ? unc_observe_start(&s->pboxes[i]) : unc_pmon_start(&s->pboxes[i], s);
		s->is_multiplexed |= s->pboxes[i].n_mux_sets > 1;
		quickest_ns = s->pboxes[i].quickest_ns > quickest_ns ? s->pboxes[i].quickest_ns : quickest_ns;
	}
	s->poll_ns = poll_ns(s);
	s->read_mono_ns = s->mux_mono_ns = unc_machine_mono_ns(s->machine);
	s->looked_ns = unc_machine_raw_ns(s->machine);
	s->rate_mono_ns = s->cfg.observe || s->is_multiplexed ? UINT64_MAX : s->read_mono_ns + UNC_RATE_NS;
	if (rc == 0)
		unc_note_shortest(s->machine->ctx, quickest_ns, s->cfg.interval_ns, s->is_multiplexed ? UNC_MUX_NS : 0);
	return rc;
}

int unc_session_open(struct unc_machine *m, const struct unc_session_cfg *cfg, struct unc_session **ret_session)
{
	struct unc_session *s;

	if (m->map->no_counters)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	if (cfg->observe && (cfg->freeze || cfg->force))
		return unc_fail(m->ctx, UNC_EARG,
				"a session that only observes writes no register: no freeze, and no force");
	s = calloc(1, sizeof(*s));
	if (!s)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	s->machine = m;
	s->cfg = *cfg;
	*ret_session = s;
	return UNC_OK;
}

static int add_request(struct unc_session *s, struct unc_box *box, struct unc_request **ret_request)
{
	struct unc_ctx *ctx = s->machine->ctx;
	struct unc_request request = {.set = s->set_open ? s->n_sets : s->n_sets + 1};
	struct unc_pmon_box pbox;
	int rc = UNC_OK;

	if (box->presence != UNC_PRESENT)
		return unc_fail(ctx, box->rc, "%s", box->why);
	while (request.pbox < s->n_pboxes && s->pboxes[request.pbox].box != (box->counted_by ? box->counted_by : box))
		request.pbox++;
	if (request.pbox == s->n_pboxes) {
		rc = unc_free1_init(box, &pbox) ? UNC_OK : unc_pmon1_init(box, &pbox);
		if (rc == 0 && s->cfg.freeze && !pbox.regs.box_ctl)
			rc = unc_fail(ctx, UNC_ENOSUP,
				      "%s: no register stops its counters as a whole: measure without %s", box->name,
				      unc_setting(ctx, "--freeze"));
		pbox.freezes = s->cfg.freeze;
		if (rc == 0)
			rc = unc_list_add(ctx, &s->pboxes, &s->n_pboxes, &pbox, sizeof(pbox));
	}
	if (rc == 0)
		rc = unc_list_add(ctx, &s->requests, &s->n_requests, &request, sizeof(request));
	if (rc < 0)
		return rc;
	*ret_request = &s->requests[s->n_requests - 1];
	s->n_sets = request.set;
	/* Where nothing stops them, the counters of a set are read one after the other. */
	s->pboxes[request.pbox].freezes |= s->set_freezes && s->pboxes[request.pbox].regs.box_ctl;
	return UNC_OK;
}

int unc_session_add(struct unc_session *s, struct unc_box *box, const char *event, size_t *ret_index)
{
	struct unc_wanted *wanted = NULL;
	struct unc_request *request;
	int rc;

	if (s->started)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s: the session has started already", event);
	rc = unc_wanted_new(box, event, &wanted);
	if (rc < 0)
		return rc;
	rc = add_request(s, wanted->by ? wanted->by : box, &request);
	if (rc < 0) {
		unc_wanted_free(wanted);
		return rc;
	}
	request->wanted = wanted;
	if (ret_index)
		*ret_index = s->n_requests - 1;
	return UNC_OK;
}

int unc_session_add_counter(struct unc_session *s, struct unc_box *box, size_t slot, size_t *ret_index)
{
	struct unc_request *request;
	int rc;

	if (s->started || !s->cfg.observe)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s: %s", box->name,
				s->started ? "the session has started already"
					   : "a counter by its number is for sessions that only observe");
	rc = add_request(s, box, &request);
	if (rc < 0)
		return rc;
	if (slot >= s->pboxes[request->pbox].n_slots) {
		s->n_requests--;
		return unc_fail(s->machine->ctx, UNC_ENOREG, "%s: a box of %s has %u counters, and no number %zu",
				box->name, box->unit->title, s->pboxes[request->pbox].n_slots, slot);
	}
	request->slot = (unsigned)slot;
	request->observing.any = true;
	if (ret_index)
		*ret_index = s->n_requests - 1;
	return UNC_OK;
}

const char *unc_session_event(const struct unc_session *s, size_t index)
{
	if (index >= s->n_requests)
		return NULL;
	return s->requests[index].observing.any ? unc_observe_event(s, &s->requests[index])
						: s->requests[index].wanted->text;
}

int unc_session_begin_set(struct unc_session *s, bool freeze)
{
	if (s->started || s->set_open)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s",
				s->started ? "the session has started already" : "a set within a set");
	if (freeze && s->cfg.observe)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"a set that is read frozen: freezing writes a register, and an observer writes none");
	s->set_open = true;
	s->set_freezes = freeze;
	s->n_sets++;
	return UNC_OK;
}

int unc_session_end_set(struct unc_session *s)
{
	if (!s->set_open)
		return unc_fail(s->machine->ctx, UNC_EARG, "no set was begun");
	s->set_open = s->set_freezes = false;
	return UNC_OK;
}

/*
 * Counters in which something was seen that we did not do.  A counter may jump because another program cleared it, because it is
 * narrower than its map says, or because a carry came late.  Only evidence makes it another program's counter.
 */

enum { EVIDENCE_MAX = 600 };

/* A bound driver counts nothing by itself: a program that counts through it has a perf event open. */
static int find_program(const struct unc_pmon_box *pbox, char evidence[EVIDENCE_MAX])
{
	struct unc_finding *findings = NULL;
	size_t n = 0;
	int rc = unc_users_find(pbox->box->machine, UNC_USERS_OF_BOX, pbox->box, &findings, &n);

	evidence[0] = '\0';
	for (size_t i = 0; i < n && rc == 0 && !evidence[0]; i++)
		if (findings[i].kind != UNC_FOUND_DRIVER)
			snprintf(evidence, EVIDENCE_MAX, "%s [%s]", findings[i].sentence, findings[i].evidence);
	free(findings);
	return rc;
}

/*
 * Decides, before controls are put back, about disputed ones that hold what we wrote.  With evidence that another program counts
 * there they are left on, since perf programs the same event to the same value; without evidence they are ours, and no longer
 * disputed.  Both outcomes are noted.
 */
static void decide_disputed(struct unc_pmon_box *pbox)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	const char *box = pbox->box->name;

	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		char name[UNC_GATE_TEXT], evidence[EVIDENCE_MAX];
		uint64_t now;

		if (!slot->disputed || unc_reg_get(pbox->box, slot->ctl, slot->index, &now) < 0 ||
		    !unc_pmon1_is_ours(slot, now))
			continue;
		unc_gate_reg_text(slot->ctl, slot->index, name);
		if (slot->seen_other)
			snprintf(evidence, sizeof(evidence), "it held another value meanwhile");
		else if (find_program(pbox, evidence) < 0)
			snprintf(evidence, sizeof(evidence), "which could not be looked for");
		slot->disputed = evidence[0];
		if (slot->disputed) {
			unc_gate_keep(pbox->box, slot->ctl, slot->index);
			unc_note(ctx,
				 "%s: %s: another program may count there (%s), so it stays on; if none does, "
				 "`uncorectl reg set '%s.%s%s%s=0' --write --keep` switches it off",
				 box, name, evidence, box, name, slot->en ? "." : "", slot->en ? slot->en->name : "");
		} else {
			unc_note(ctx,
				 "%s: the counter of %s jumped by more than it can count, but its control holds what "
				 "we wrote and no other program was found: it is put back",
				 box, name);
		}
	}
}

/* A box in which another program counts by now keeps its BOX_CTL: putting it back could freeze that program's counters. */
static void spare_others(struct unc_session *s)
{
	if (s->started)
		unc_session_look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];

		if (pbox->resumed)
			unc_pmon_visit(pbox, false, true, s);
		decide_disputed(pbox);
	}
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		const struct unc_journal_entry *entry = NULL;

		if (pbox->regs.box_ctl)
			entry = unc_journal_find(&s->machine->journal, pbox->box, pbox->regs.box_ctl, 0);
		if (!entry || !entry->written || unc_pmon1_inspect(pbox) < 0 || !pbox->foreign)
			continue;
		unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		unc_note(s->machine->ctx, "%s: another program counts there now: BOX_CTL stays as it is, released",
			 pbox->box->name);
	}
}

int unc_session_close(struct unc_session *s)
{
	int rc;

	if (!s)
		return UNC_OK;
	if (!s->cfg.observe)
		spare_others(s);
	rc = unc_gate_restore(s->machine, s);
	unc_session_note_who_stopped(s); /* this takes long, so it comes after everything is put back */
	for (size_t i = 0; i < s->n_requests; i++)
		unc_wanted_free(s->requests[i].wanted);
	free(s->requests);
	for (size_t i = 0; i < s->n_pboxes; i++)
		session_forget(&s->pboxes[i]);
	free(s->pboxes);
	free(s);
	return rc;
}
