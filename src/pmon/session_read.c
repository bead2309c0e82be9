// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a session: its boxes one after the other, also between two public reads, and the counts of each event. */
#include "base/err.h"
#include "machine/uncertain.h"
#include "pmon/session.h"

void unc_session_look_for_suspend(struct unc_session *s)
{
	if (!unc_was_suspended(&s->suspend, s->machine))
		return;
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_pmon_suspended(&s->pboxes[i]);
}

/* True if it is time for the next turn; then the next turn begins now. */
static bool turn_over(struct unc_session *s)
{
	uint64_t now_ns;

	if (!s->takes_turns)
		return false;
	now_ns = unc_machine_mono_ns(s->machine);
	if (now_ns - s->turn_mono_ns < UNC_TURN_NS)
		return false;
	s->turn_mono_ns = now_ns;
	return true;
}

void unc_session_doubt(struct unc_count *count, uint64_t doubt_ns)
{
	if (count->flags & UNC_COUNT_NO_NUMBER)
		return;
	count->uncertainty_percent = unc_uncertainty_percent(doubt_ns, count->running_ns);
	if (unc_is_late(doubt_ns, count->running_ns))
		count->flags |= UNC_COUNT_LATE;
}

/* For an event that is counted all the time: the interval from its own counter's previous read to this one. */
static void fill_times(const struct unc_slot *slot, struct unc_count *count)
{
	count->interval_ns = count->enabled_ns = count->running_ns = slot->raw_ns - slot->start_ns;
	count->time_ns = slot->raw_ns;
	unc_session_doubt(count, slot->start_doubt_ns + slot->doubt_ns);
}

/* For an event that is multiplexed: the time at which its box was last read, and the time in which the event was counted. */
static void fill_turn_times(const struct unc_pmon_box *pbox, const struct unc_tally *tally, struct unc_count *count)
{
	uint64_t interval_ns = pbox->end_ns > pbox->begin_ns ? pbox->end_ns - pbox->begin_ns : 0;

	/* An event that ran all the time was not read exactly at the ends of that interval. */
	if (interval_ns < tally->running_ns)
		interval_ns = tally->running_ns;
	count->interval_ns = count->enabled_ns = interval_ns;
	count->running_ns = tally->running_ns;
	count->time_ns = pbox->end_ns;
	if (count->flags & UNC_COUNT_NO_NUMBER)
		return;
	if (count->running_ns == 0)
		count->flags |= UNC_COUNT_NOT_RUN;
	else if (count->running_ns < interval_ns)
		count->flags |= UNC_COUNT_SCALED;
	unc_session_doubt(count, tally->doubt_ns);
}

/* True for a number that no look has confirmed yet. */
static bool is_pending(const struct unc_session *s, const struct unc_pmon_box *pbox, const struct unc_count *count)
{
	return s->cfg.confirm_later && pbox->unlooked && !(count->flags & UNC_COUNT_NO_NUMBER);
}

static void fill_count(const struct unc_session *s, struct unc_request *request, uint64_t real_offset_ns,
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
	request->total += count->delta;
	count->total = request->total;
	if (is_pending(s, pbox, count))
		count->flags |= UNC_COUNT_PENDING;
}

static int visit(struct unc_session *s, size_t pbox, bool over, bool look)
{
	return s->cfg.observe ? unc_observe_visit(s, pbox) : unc_pmon_visit(&s->pboxes[pbox], over, look, s);
}

/* True if this read must look at all boxes; then notes the time of the look. */
static bool look_now(struct unc_session *s)
{
	uint64_t now_ns = unc_machine_raw_ns(s->machine);

	if (s->cfg.confirm_later && now_ns - s->looked_ns < UNC_LOOK_NS)
		return false;
	s->looked_ns = now_ns;
	return true;
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
	bool over, look;
	int rc = UNC_OK;

	if (!s->started || n != s->n_requests)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"a session that was started gives one count per event added");
	unc_session_look_for_suspend(s);
	over = turn_over(s);
	look = look_now(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		int failure = visit(s, i, over, look);

		s->pboxes[i].failing = failure < 0;
		if (failure < 0) {
			failed++;
			rc = failure;
		}
	}
	unc_session_look_for_suspend(s); /* a suspend may also come between two boxes */
	unc_session_note_stopped(s);
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

/* For the counts of one read: notes in which boxes a counter moved. */
static void see_movement(struct unc_session *s, const struct unc_count *counts)
{
	for (size_t i = 0; i < s->n_pboxes; i++)
		s->pboxes[i].row_moved = false;
	for (size_t i = 0; i < s->n_requests; i++)
		s->pboxes[s->requests[i].pbox].row_moved |= counts[i].flags & UNC_COUNT_PENDING && counts[i].delta > 0;
}

/* True if a signal ended the run before the rate of the box's clock was known. */
static bool is_unmeasured(const struct unc_session *s, const struct unc_pmon_box *pbox)
{
	return s->rate_mono_ns != UINT64_MAX && !unc_box_clock_is_known(pbox);
}

static void confirm_count(const struct unc_session *s, const struct unc_request *request, struct unc_count *count)
{
	const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];

	if (!(count->flags & UNC_COUNT_PENDING))
		return;
	count->flags &= ~(unsigned)UNC_COUNT_PENDING;
	count->flags |= pbox->tallies[request->tally].look_flags;
	if ((pbox->rows_unproven && !pbox->row_moved) || is_unmeasured(s, pbox))
		count->flags |= UNC_COUNT_UNCONFIRMED;
	if (count->flags & UNC_COUNT_NO_NUMBER)
		count->delta = 0;
}

/*
 *
 * Looks at the boxes that were read since the last look, and judges what was read.  all: at the start, looks at all boxes, only
 * to measure the rates of their clocks.  Counts that wait for a look carry its failure in their flags.
 */
static int look_at_boxes(struct unc_session *s, bool all)
{
	int rc = UNC_OK;

	unc_session_look_for_suspend(s);
	if (!all)
		s->looked_ns = unc_machine_raw_ns(s->machine);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		int failure = all || s->pboxes[i].unlooked ? unc_pmon_look(&s->pboxes[i], !all) : UNC_OK;

		rc = failure < 0 ? failure : rc;
	}
	unc_session_note_stopped(s);
	return rc;
}

static uint64_t after(uint64_t since_ns, uint64_t ns)
{
	return ns > UINT64_MAX - since_ns ? UINT64_MAX : since_ns + ns;
}

static bool rates_known(const struct unc_session *s)
{
	for (size_t i = 0; i < s->n_pboxes; i++)
		if (!unc_box_clock_is_known(&s->pboxes[i]))
			return false;
	return true;
}

static void measure_rates(struct unc_session *s)
{
	look_at_boxes(s, true);
	s->rate_mono_ns =
		++s->n_rates < UNC_RATES && !rates_known(s) ? after(s->rate_mono_ns, UNC_RATE_NS) : UINT64_MAX;
}

/*
 *
 * A run may end before the looks of its start: without a rate, no clock shows that its box stood still for a part of that time.
 */
static void measure_rates_now(struct unc_session *s)
{
	struct unc_host *host = s->machine->host;

	while (s->rate_mono_ns != UINT64_MAX && !rates_known(s)) {
		if (host->ops->sleep_until(host, s->rate_mono_ns) < 0)
			return;
		measure_rates(s);
	}
}

int unc_session_confirm(struct unc_session *s, struct unc_count *counts, size_t n)
{
	bool unlooked = false;
	int rc;

	if (!s->started || n % s->n_requests != 0)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"counts are confirmed as they were read: every count of each read");
	for (size_t i = 0; i < s->n_pboxes; i++)
		unlooked |= s->pboxes[i].unlooked;
	if (unlooked)
		measure_rates_now(s);
	rc = unlooked ? look_at_boxes(s, false) : UNC_OK;
	for (size_t i = 0; i < n; i++)
		s->requests[i % s->n_requests].total -= counts[i].delta;
	for (size_t i = 0; i < n; i++) {
		struct unc_request *request = &s->requests[i % s->n_requests];

		if (i % s->n_requests == 0)
			see_movement(s, &counts[i]);
		confirm_count(s, request, &counts[i]);
		request->total += counts[i].delta;
		counts[i].total = request->total;
	}
	for (size_t i = 0; i < s->n_pboxes; i++) {
		s->pboxes[i].rows_unproven = false;
		for (unsigned k = 0; k < s->pboxes[i].n_tallies; k++)
			s->pboxes[i].tallies[k].look_flags = 0;
	}
	return rc;
}

/*
 *
 * Visits boxes between two public reads: those whose turn is over, or all of them.  A failure is in the counts of the next public
 * read.
 */
static void visit_between(struct unc_session *s, bool everybody)
{
	bool over = turn_over(s), look = everybody && look_now(s);

	unc_session_look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		bool failing = pbox->failing;

		if (!everybody && pbox->n_turns < 2)
			continue;
		pbox->failing = visit(s, i, over, look) < 0;
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
		/*
		 * The time counts from the last read, not from now: a caller that sleeps often and reads rarely must not let a
		 * counter wrap.
		 */
		uint64_t poll_due = after(s->read_mono_ns, s->poll_ns), due = poll_due, until;
		int rc;

		if (s->takes_turns && after(s->turn_mono_ns, UNC_TURN_NS) < due)
			due = after(s->turn_mono_ns, UNC_TURN_NS);
		if (s->rate_mono_ns < due)
			due = s->rate_mono_ns;
		until = due < mono_ns ? due : mono_ns;
		rc = host->ops->sleep_until(host, until);
		if (rc < 0 || until == mono_ns)
			return rc;
		if (until == s->rate_mono_ns) {
			measure_rates(s);
			continue;
		}
		visit_between(s, until == poll_due);
	}
}
