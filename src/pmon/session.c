// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "machine/claim.h"
#include "machine/house.h"
#include "pmon/session.h"

/* A turn lasts so long at least: less would be spent more on changing than on counting. */
enum { TURN_NS = 10000000 };

int unc_session_open(struct unc_machine *m, const struct unc_session_cfg *cfg, struct unc_session **ret_session)
{
	struct unc_session *s;

	if (m->map->no_counters)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	if (cfg->observe && (cfg->freeze || cfg->force))
		return unc_fail(m->ctx, UNC_EARG, "who only observes writes no register: no freeze, and no force");
	s = calloc(1, sizeof(*s));
	if (!s)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	s->machine = m;
	s->cfg = *cfg;
	*ret_session = s;
	return UNC_OK;
}

static int pbox_of(struct unc_session *s, struct unc_box *box, size_t *ret_index)
{
	void *more;
	int rc;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		if (s->pboxes[i].box == box) {
			*ret_index = i;
			return UNC_OK;
		}
	}
	more = unc_array_more(s->pboxes, s->n_pboxes, sizeof(*s->pboxes));
	if (!more)
		return unc_fail(s->machine->ctx, UNC_ENOMEM, "out of memory");
	s->pboxes = more;
	rc = unc_pmon1_init(box, &s->pboxes[s->n_pboxes]);
	if (rc < 0)
		return rc;
	s->pboxes[s->n_pboxes].freezes = s->cfg.freeze;
	*ret_index = s->n_pboxes++;
	return UNC_OK;
}

static int add_request(struct unc_session *s, struct unc_box *box, struct unc_request **ret_request)
{
	struct unc_ctx *ctx = s->machine->ctx;
	struct unc_request *requests;
	size_t pbox;
	int rc = box->presence == UNC_PRESENT ? pbox_of(s, box, &pbox) : unc_fail(ctx, box->rc, "%s", box->why);

	if (rc < 0)
		return rc;
	requests = unc_array_more(s->requests, s->n_requests, sizeof(*s->requests));
	if (!requests)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	s->requests = requests;
	*ret_request = &requests[s->n_requests++];
	**ret_request = (struct unc_request){.pbox = pbox, .set = s->set_open ? s->n_sets : ++s->n_sets};
	s->pboxes[pbox].freezes |= s->set_freezes;
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
	rc = add_request(s, box, &request);
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
		return unc_fail(
			s->machine->ctx, UNC_EARG,
			"a set that is read frozen: who only observes stops no box, for which a register is written");
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

/* What a start that failed had planned. */
static void forget_plan(struct unc_pmon_box *pbox)
{
	free(pbox->tallies);
	free(pbox->turns);
	free(pbox->observed);
	pbox->observed = NULL;
	pbox->tallies = NULL;
	pbox->turns = NULL;
	pbox->n_tallies = pbox->n_turns = 0;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].tally = NULL;
		pbox->slots[i].ours = false;
	}
}

/* Whether this box can be used at all, before anything is written anywhere. */
static int look(struct unc_session *s, struct unc_pmon_box *pbox)
{
	const struct unc_box *box = pbox->box;
	int rc;

	forget_plan(pbox);
	rc = unc_pmon1_inspect(pbox);
	if (rc < 0 || s->cfg.observe)
		return rc;
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

/* When counters must be read lest one wrap unseen. */
static uint64_t poll_ns(const struct unc_session *s)
{
	uint64_t shortest = UINT64_MAX;

	if (s->cfg.observe)
		return unc_observe_poll_ns(s);
	for (size_t i = 0; i < s->n_pboxes; i++)
		for (unsigned k = 0; k < s->pboxes[i].n_tallies; k++)
			if (s->pboxes[i].tallies[k].wrap_ns < shortest)
				shortest = s->pboxes[i].tallies[k].wrap_ns;
	return shortest / 4;
}

/* Who only looks claims nothing and has nothing for the disk. */
static int plan_observing(struct unc_session *s)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = look(s, &s->pboxes[i]);
	return rc < 0 ? rc : unc_observe_plan(s);
}

/* All that can be known before anything is written anywhere: then it is on the disk. */
static int plan(struct unc_session *s)
{
	int rc = UNC_OK;

	if (s->cfg.observe)
		return plan_observing(s);
	/* First of all, so that nobody begins to write between our look and our plan. */
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

/* Nothing was written: the boxes are anybody's again. */
static void leave(struct unc_session *s)
{
	struct unc_saved_msg why;

	unc_msg_save(s->machine->ctx, &why);
	unc_gate_restore(s->machine, s);
	unc_msg_restore(s->machine->ctx, &why);
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
		rc = s->cfg.observe ? unc_observe_start(&s->pboxes[i]) : unc_pmon_start(&s->pboxes[i], s);
		s->takes_turns |= s->pboxes[i].n_turns > 1;
	}
	s->poll_ns = poll_ns(s);
	s->read_mono_ns = s->turn_mono_ns = unc_machine_mono_ns(s->machine);
	return rc;
}

static void look_for_suspend(struct unc_session *s)
{
	if (!unc_was_suspended(&s->suspend, s->machine))
		return;
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_pmon_suspended(&s->pboxes[i]);
}

/* Is it time for the next turn?  Then that time is now. */
static bool turn_over(struct unc_session *s)
{
	uint64_t now_ns;

	if (!s->takes_turns)
		return false;
	now_ns = unc_machine_mono_ns(s->machine);
	if (now_ns - s->turn_mono_ns < TURN_NS)
		return false;
	s->turn_mono_ns = now_ns;
	return true;
}

/* Of an event that is counted all the time: from its own counter's last read to this one. */
static void fill_times(const struct unc_slot *slot, struct unc_count *count)
{
	count->interval_ns = count->enabled_ns = count->running_ns = slot->raw_ns - slot->start_ns;
	count->time_ns = slot->raw_ns;
}

/* Of one that takes turns: whenever its box was read. */
static void fill_turn_times(const struct unc_pmon_box *pbox, const struct unc_tally *tally, struct unc_count *count)
{
	uint64_t interval_ns = pbox->end_ns > pbox->begin_ns ? pbox->end_ns - pbox->begin_ns : 0;

	count->interval_ns = count->enabled_ns = interval_ns;
	count->running_ns = tally->running_ns < interval_ns ? tally->running_ns : interval_ns;
	count->time_ns = pbox->end_ns;
	if (count->flags & UNC_COUNT_NO_NUMBER)
		return;
	if (count->running_ns == 0)
		count->flags |= UNC_COUNT_NOT_RUN;
	else if (count->running_ns < interval_ns)
		count->flags |= UNC_COUNT_SCALED;
	if (count->running_ns && unc_pmon_is_doubtful(pbox, tally))
		count->flags |= UNC_COUNT_LATE;
}

static void fill_count(const struct unc_session *s, const struct unc_request *request, uint64_t real_offset_ns,
		       struct unc_count *count)
{
	const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];
	const struct unc_tally *tally = &pbox->tallies[request->tally];

	*count = (struct unc_count){.flags = unc_pmon_flags(pbox, tally),
				    .scale = request->wanted->event.scale,
				    .unit = request->wanted->event.unit};
	if (pbox->n_turns > 1)
		fill_turn_times(pbox, tally, count);
	else
		fill_times(&pbox->slots[request->slot], count);
	count->time_ns += real_offset_ns;
	count->delta = count->flags & UNC_COUNT_NO_NUMBER ? 0 : tally->delta;
	count->total = tally->total + count->delta;
}

static int visit(struct unc_session *s, size_t pbox, bool over)
{
	return s->cfg.observe ? unc_observe_visit(s, pbox) : unc_pmon_visit(&s->pboxes[pbox], over, s);
}

double unc_count_value(const struct unc_count *count)
{
	if (count->flags & UNC_COUNT_NO_NUMBER || count->running_ns == 0)
		return 0;
	return (double)count->delta * count->scale * ((double)count->enabled_ns / (double)count->running_ns);
}

int unc_session_read(struct unc_session *s, struct unc_count *ret_counts, size_t n)
{
	uint64_t offset_ns = unc_machine_real_ns(s->machine) - unc_machine_raw_ns(s->machine);
	size_t failed = 0;
	bool over;
	int rc = UNC_OK;

	if (!s->started || n != s->n_requests)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"a session that was started gives one count per event added");
	look_for_suspend(s);
	over = turn_over(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		int failure = visit(s, i, over);

		s->pboxes[i].failing = failure < 0;
		if (failure < 0) {
			failed++;
			rc = failure;
		}
	}
	look_for_suspend(s); /* between two boxes, even */
	s->read_mono_ns = unc_machine_mono_ns(s->machine);
	for (size_t i = 0; i < n; i++) {
		if (s->cfg.observe)
			unc_observe_fill(s, &s->requests[i], offset_ns, &ret_counts[i]);
		else
			fill_count(s, &s->requests[i], offset_ns, &ret_counts[i]);
	}
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_pmon_next_interval(&s->pboxes[i]);
	return failed == s->n_pboxes ? rc : UNC_OK;
}

static uint64_t after(uint64_t since_ns, uint64_t ns)
{
	return ns > UINT64_MAX - since_ns ? UINT64_MAX : since_ns + ns;
}

/* In between two public reads: whose turn is over, or everybody.  A failure is in the counts of the next public read. */
static void visit_between(struct unc_session *s, bool everybody)
{
	bool over = turn_over(s);

	look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		bool failing = pbox->failing;

		if (!everybody && pbox->n_turns < 2)
			continue;
		pbox->failing = visit(s, i, over) < 0;
		if (pbox->failing && !failing)
			unc_note(s->machine->ctx, "%s", s->machine->ctx->msg);
	}
	if (everybody)
		s->read_mono_ns = unc_machine_mono_ns(s->machine);
}

int unc_session_sleep_until(struct unc_session *s, uint64_t mono_ns)
{
	struct unc_host *host = s->machine->host;

	if (!s->started)
		return unc_fail(s->machine->ctx, UNC_EARG, "a session that has not started is not waited for");
	if (mono_ns == UINT64_MAX && host->stands_still)
		return UNC_EAGAIN;
	for (;;) {
		/* From the last read on, not from now: who sleeps often and reads seldom must not let a counter wrap. */
		uint64_t poll_due = after(s->read_mono_ns, s->poll_ns), due = poll_due, until;
		int rc;

		if (s->takes_turns && after(s->turn_mono_ns, TURN_NS) < due)
			due = after(s->turn_mono_ns, TURN_NS);
		until = due < mono_ns ? due : mono_ns;
		rc = host->ops->sleep_until(host, until);
		if (rc < 0 || until == mono_ns)
			return rc;
		visit_between(s, until == poll_due);
	}
}

/* A box in which somebody else counts by now keeps its BOX_CTL: putting it back could freeze him. */
static void spare_others(struct unc_session *s)
{
	if (s->started)
		look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];

		if (pbox->resumed)
			unc_pmon_visit(pbox, false, s);
	}
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		const struct unc_journal_entry *entry =
			unc_journal_find(&s->machine->journal, pbox->box, pbox->regs.box_ctl, 0);

		if (!entry || !entry->written || unc_pmon1_inspect(pbox) < 0 || !pbox->foreign)
			continue;
		unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		unc_note(s->machine->ctx, "%s: somebody else counts there by now: BOX_CTL stays as it is, released",
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
	for (size_t i = 0; i < s->n_pboxes && !s->cfg.observe; i++)
		unc_pmon_leave_disputed(&s->pboxes[i]);
	rc = unc_gate_restore(s->machine, s);
	for (size_t i = 0; i < s->n_requests; i++)
		unc_wanted_free(s->requests[i].wanted);
	free(s->requests);
	for (size_t i = 0; i < s->n_pboxes; i++)
		forget_plan(&s->pboxes[i]);
	free(s->pboxes);
	free(s);
	return rc;
}
