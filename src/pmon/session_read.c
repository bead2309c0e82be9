// SPDX-License-Identifier: GPL-2.0-or-later
/* One visit to a box: stops it, reads it, gives its counters to the next mux set, and releases it. */
#include "machine/uncertain.h"
#include "pmon/pmon.h"
#include "pmon/session.h"

/* Stopping a box in which another program has begun to count would stop that program's counters too. */
static bool may_freeze(struct unc_pmon_box *pbox)
{
	if (pbox->freezes && pbox->foreign) {
		pbox->freezes = false;
		pbox->quickest_ns = 0; /* reads are of another kind from now on */
		unc_pmon_aim(pbox);
		unc_note(pbox->box->machine->ctx,
			 "%s: another program has begun to count there: it is read without freezing from now on",
			 pbox->box->name);
	}
	return pbox->freezes;
}

/*
 * Takes the first look after the machine was suspended.  If the registers were lost, nothing counts for us any more, and nothing
 * is written there again: they may be another program's by now.
 */
static int read_resumed(struct unc_pmon_box *pbox)
{
	int rc = unc_pmon_read(pbox, NULL, UNC_READ_AND_LOOK);

	if (rc < 0)
		return rc;
	pbox->resumed = false;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->lost |= pbox->slots[i].stolen;
	if (pbox->lost) {
		pbox->freezes = false;
		if (pbox->regs.box_ctl)
			unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		for (unsigned i = 0; i < pbox->n_slots; i++)
			if (pbox->slots[i].stolen)
				unc_gate_keep(pbox->box, pbox->slots[i].ctl, pbox->slots[i].index);
		unc_note(pbox->box->machine->ctx,
			 "%s: its control registers were lost while the machine was suspended; start again to measure "
			 "it",
			 pbox->box->name);
	}
	return UNC_OK;
}

/* Switches to the next mux set, after the last one was read and its controls were looked at. */
static int next_mux_set(struct unc_pmon_box *pbox, const struct unc_stop *stop, const void *owner)
{
	int rc, baseline;

	pbox->mux_set = (pbox->mux_set + 1) % pbox->n_mux_sets;
	rc = unc_pmon1_switch(pbox, &pbox->mux_sets[pbox->mux_set], owner);
	unc_pmon_aim(pbox);
	baseline = unc_pmon_read(pbox, stop, UNC_READ_BASELINE);
	pbox->checked = false; /* what was written is read back before its counts are used */
	return rc < 0 ? rc : baseline;
}

static int release(struct unc_pmon_box *pbox, const void *owner)
{
	const struct unc_box_clock *clock = &pbox->clock;
	bool watched = clock->slot && !clock->slot->stolen && clock->has_from && clock->ticked && !pbox->stood_still &&
		       unc_box_clock_is_in_block(pbox);
	uint64_t before_ns = unc_machine_raw_ns(pbox->box->machine), after_ns;
	int rc = unc_pmon1_release(pbox, !watched, owner);

	after_ns = unc_machine_raw_ns(pbox->box->machine);
	/* The time is the middle of the first release write; if that write was lost, the release came with a later one. */
	pbox->released_ns = before_ns + (after_ns - before_ns) / 2 / (watched ? 1 : 2);
	pbox->clock.since = (struct unc_stop){before_ns, after_ns};
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].times->from_ns = pbox->released_ns;
		pbox->slots[i].times->from_doubt_ns = after_ns - pbox->released_ns;
	}
	return rc;
}

static int stop_box(struct unc_pmon_box *pbox, struct unc_stop *ret_stop, const void *owner)
{
	struct unc_machine *m = pbox->box->machine;
	int rc;

	ret_stop->before_ns = unc_machine_raw_ns(m);
	rc = unc_pmon1_freeze(pbox, owner);
	ret_stop->after_ns = unc_machine_raw_ns(m);
	return rc;
}

/* If a box is stopped for reading, all its counts also begin at one instant. */
static int first_baseline(struct unc_pmon_box *pbox, const void *owner)
{
	struct unc_stop stop;
	int rc, released;

	if (!may_freeze(pbox))
		return unc_pmon_read(pbox, NULL, UNC_READ_BASELINE);
	rc = stop_box(pbox, &stop, owner);
	if (rc == 0)
		rc = unc_pmon_read(pbox, &stop, UNC_READ_BASELINE);
	released = release(pbox, owner);
	pbox->quickest_ns = unc_half_ns(stop.before_ns, stop.after_ns) + pbox->slots[0].times->from_doubt_ns;
	return rc < 0 ? rc : released;
}

/* Comes before the first baseline, so that the clock covers all the time that is counted. */
static int start_clock(struct unc_pmon_box *pbox)
{
	enum { INTERRUPTED_NS = 1000000 };
	const struct unc_slot *slot = pbox->clock.slot;
	uint64_t now_ns;

	if (!slot)
		return UNC_OK;
	if (!slot->rested_ns)
		return unc_box_clock_is_in_block(pbox) ? UNC_OK : unc_pmon_look(pbox, false);
	now_ns = unc_machine_raw_ns(pbox->box->machine);
	/* If the start was interrupted, a stop of that length in the first count would not be seen. */
	if (now_ns - slot->rested_ns > INTERRUPTED_NS)
		return unc_pmon_look(pbox, false);
	unc_box_clock_begin(pbox, slot->rested, slot->rested_ns, now_ns);
	return UNC_OK;
}

int unc_pmon_start(struct unc_pmon_box *pbox, const void *owner)
{
	int rc;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].accumulator = pbox->mux_sets[0].of[i];
	pbox->owner = owner;
	unc_pmon_aim(pbox);
	rc = pbox->always ? UNC_OK : unc_pmon1_program(pbox, owner);
	pbox->checked = true;
	pbox->shortest_ns = UINT64_MAX;
	pbox->frozen = false; /* it was released */
	pbox->clock.by_look = pbox->n_mux_sets < 2;
	if (rc == 0)
		rc = start_clock(pbox);
	if (rc == 0)
		rc = first_baseline(pbox, owner);
	for (unsigned i = 0; i < pbox->n_running; i++)
		pbox->end_ns = pbox->running[i]->times->raw_ns;
	unc_pmon_next_interval(pbox);
	return rc;
}

static int visit_stopped(struct unc_pmon_box *pbox, bool switch_mux_set, enum unc_how how, const void *owner)
{
	struct unc_stop stop;
	int rc, released;

	rc = stop_box(pbox, &stop, owner);
	rc = rc < 0 ? unc_pmon_missing(pbox, rc) : unc_pmon_read(pbox, &stop, how);
	if (rc == 0 && switch_mux_set)
		rc = next_mux_set(pbox, &stop, owner);
	released = release(pbox, owner);
	if (released < 0) /* it may stand still from now on: its next value is not a count of the next interval */
		rc = unc_pmon_missing(pbox, released);
	return rc;
}

int unc_pmon_visit(struct unc_pmon_box *pbox, bool switch_mux_set, bool look, const void *owner)
{
	enum unc_how how;
	int rc;

	switch_mux_set = switch_mux_set && pbox->n_mux_sets > 1 && !pbox->lost;
	how = switch_mux_set || look ? UNC_READ_AND_LOOK : UNC_READ;
	if (pbox->resumed)
		return read_resumed(pbox);
	if (may_freeze(pbox) || (switch_mux_set && !pbox->foreign && pbox->regs.box_ctl))
		return visit_stopped(pbox, switch_mux_set, how, owner);
	rc = unc_pmon_read(pbox, NULL, how);
	return rc == 0 && switch_mux_set ? next_mux_set(pbox, NULL, owner) : rc;
}

/* Reads a session: its boxes one after the other, also between two public reads, and the counts of each event. */

/* What was counted until a suspend is lost, and the next read looks at the controls. */
void unc_session_look_for_suspend(struct unc_session *s)
{
	if (!unc_was_suspended(&s->suspend, s->machine))
		return;
	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes; pbox++) {
		for (unsigned k = 0; k < pbox->n_slots; k++) {
			pbox->slots[k].has_baseline = false;
			pbox->slots[k].lost = UNC_COUNT_GAP;
		}
		for (unsigned k = 0; k < pbox->n_accumulators; k++)
			pbox->accumulators[k].flags |= UNC_COUNT_GAP;
		pbox->checked = false;
		pbox->resumed = true;
		unc_box_clock_forget(pbox);
	}
}

/* True if it is time for the next mux set; then that begins now. */
static bool switch_mux_set(struct unc_session *s)
{
	uint64_t now_ns;

	if (!s->is_multiplexed)
		return false;
	now_ns = unc_machine_mono_ns(s->machine);
	if (now_ns - s->mux_mono_ns < UNC_MUX_NS)
		return false;
	s->mux_mono_ns = now_ns;
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

/* For an event that is multiplexed: the time at which its box was last read, and the time in which the event was counted. */
static void fill_multiplexed_times(const struct unc_pmon_box *pbox, const struct unc_accumulator *accumulator,
				   uint64_t real_offset_ns, struct unc_count *count)
{
	uint64_t interval_ns = pbox->end_ns > pbox->begin_ns ? pbox->end_ns - pbox->begin_ns : 0;

	/* An event that ran all the time was not read exactly at the ends of that interval. */
	if (interval_ns < accumulator->running_ns)
		interval_ns = accumulator->running_ns;
	count->interval_ns = count->enabled_ns = interval_ns;
	count->running_ns = accumulator->running_ns;
	count->time_ns = pbox->end_ns + real_offset_ns;
	if (count->flags & UNC_COUNT_NO_NUMBER)
		return;
	if (count->running_ns == 0)
		count->flags |= UNC_COUNT_NOT_RUN;
	else if (count->running_ns < interval_ns)
		count->flags |= UNC_COUNT_SCALED;
	unc_session_doubt(count, accumulator->doubt_ns);
}

struct interval { /* between two reads of a counter, as its times say */
	const struct unc_times *times;
	uint64_t ns, time_ns;
	double uncertainty_percent;
	unsigned flags; /* of a count that has a number */
};

static void find_interval(const struct unc_session *s, const struct unc_pmon_box *pbox, const struct unc_times *times,
			  uint64_t real_offset_ns, struct interval *interval)
{
	uint64_t doubt_ns = times->start_doubt_ns + times->doubt_ns;

	interval->times = times;
	interval->ns = times->raw_ns - times->start_ns;
	interval->time_ns = times->raw_ns + real_offset_ns;
	interval->uncertainty_percent = unc_uncertainty_percent(doubt_ns, interval->ns);
	interval->flags = pbox->n_mux_sets < 2 && unc_is_late(doubt_ns, interval->ns) ? UNC_COUNT_LATE : 0;
	if (s->cfg.confirm_later && pbox->unlooked)
		interval->flags |= UNC_COUNT_PENDING; /* no look has confirmed the number yet */
}

static void fill_count(const struct unc_pmon_box *pbox, const struct interval *interval, uint64_t real_offset_ns,
		       struct unc_request *request, struct unc_count *count)
{
	const struct unc_accumulator *accumulator = request->accumulator;

	count->flags = accumulator->flags;
	count->scale = request->wanted->event.scale;
	count->unit = request->wanted->event.unit;
	if (pbox->n_mux_sets > 1) {
		/* A box whose registers were lost has stopped multiplexing. */
		if (pbox->lost && !(accumulator->flags & UNC_COUNT_GAP))
			count->flags |= UNC_COUNT_STOLEN;
		fill_multiplexed_times(pbox, accumulator, real_offset_ns, count);
	} else { /* it is counted all the time: the interval from its own counter's previous read to this one */
		count->interval_ns = count->enabled_ns = count->running_ns = interval->ns;
		count->time_ns = interval->time_ns;
		count->uncertainty_percent = interval->uncertainty_percent;
	}
	if (count->flags & UNC_COUNT_NO_NUMBER) {
		count->delta = 0;
		count->uncertainty_percent = 0;
	} else {
		count->delta = accumulator->delta;
		count->flags |= interval->flags;
		request->total += count->delta;
	}
	count->total = request->total;
}

static int visit(struct unc_session *s, struct unc_pmon_box *pbox, bool over, bool look)
{
	if (s->cfg.observe)
		return unc_observe_visit(s, (size_t)(pbox - s->pboxes));
	if (!over && !look && !pbox->resumed && !pbox->freezes) /* mostly */
		return unc_pmon_read(pbox, NULL, UNC_READ);
	return unc_pmon_visit(pbox, over, look, s);
}

static void fill_counts(const struct unc_session *s, uint64_t real_offset_ns, struct unc_count *counts)
{
	struct interval interval = {0};

	for (struct unc_request *request = s->requests; request < s->requests + s->n_requests; request++, counts++) {
		const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];
		const struct unc_times *times = pbox->slots[request->slot].times;

		/* All counters of a box may have the same. */
		if (times != interval.times)
			find_interval(s, pbox, times, real_offset_ns, &interval);
		fill_count(pbox, &interval, real_offset_ns, request, counts);
	}
}

/* True if this read must look at all boxes; then notes the time of the look. */
static bool is_look_due(struct unc_session *s)
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
	over = switch_mux_set(s);
	look = is_look_due(s);
	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes; pbox++) {
		int failure = visit(s, pbox, over, look);

		pbox->failing = failure < 0;
		if (failure < 0) {
			failed++;
			rc = failure;
		}
	}
	unc_session_look_for_suspend(s); /* a suspend may also come between two boxes */
	unc_session_note_stopped(s);
	s->read_mono_ns = unc_machine_mono_ns(s->machine);
	for (size_t i = 0; i < n && s->cfg.observe; i++)
		unc_observe_fill(s, &s->requests[i], offset_ns, &ret_counts[i]);
	if (!s->cfg.observe)
		fill_counts(s, offset_ns, ret_counts);
	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes; pbox++)
		unc_pmon_next_interval(pbox);
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

static void confirm_count(const struct unc_session *s, const struct unc_request *request, struct unc_count *count)
{
	const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];

	if (!(count->flags & UNC_COUNT_PENDING))
		return;
	count->flags &= ~(unsigned)UNC_COUNT_PENDING;
	count->flags |= request->accumulator->look_flags;
	if (pbox->rows_unproven && !pbox->row_moved)
		count->flags |= UNC_COUNT_UNCONFIRMED;
	/* A signal ended the run before the rate of the box's clock was known. */
	if (s->rate_mono_ns != UINT64_MAX && !unc_box_clock_is_known(pbox))
		count->flags |= UNC_COUNT_UNCONFIRMED;
	if (count->flags & UNC_COUNT_NO_NUMBER)
		count->delta = 0;
}

/*
 * Looks at the boxes that were read since the last look, and judges what was read.  all: at the start, looks at all boxes, only
 * to measure the rates of their clocks.  Counts that wait for a look carry its failure in their flags.
 */
static int check_boxes(struct unc_session *s, bool all)
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
	check_boxes(s, true);
	s->rate_mono_ns =
		++s->n_rates < UNC_RATES && !rates_known(s) ? after(s->rate_mono_ns, UNC_RATE_NS) : UINT64_MAX;
}

int unc_session_confirm(struct unc_session *s, struct unc_count *counts, size_t n)
{
	struct unc_host *host = s->machine->host;
	bool unlooked = false;
	int rc;

	if (!s->started || n % s->n_requests != 0)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"counts are confirmed as they were read: every count of each read");
	for (size_t i = 0; i < s->n_pboxes; i++)
		unlooked |= s->pboxes[i].unlooked;
	/*
	 * A run may end before the looks of its start: without a rate, no clock shows that its box stood still for a part of that
	 * time.
	 */
	while (unlooked && s->rate_mono_ns != UINT64_MAX && !rates_known(s)) {
		if (host->ops->sleep_until(host, s->rate_mono_ns) < 0)
			break;
		measure_rates(s);
	}
	rc = unlooked ? check_boxes(s, false) : UNC_OK;
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
		for (unsigned k = 0; k < s->pboxes[i].n_accumulators; k++)
			s->pboxes[i].accumulators[k].look_flags = 0;
	}
	return rc;
}

/*
 * Visits boxes between two public reads: those that are multiplexed, or all of them.  A failure is in the counts of the next public
 * read.
 */
static void visit_between(struct unc_session *s, bool everybody)
{
	bool over = switch_mux_set(s), look = everybody && is_look_due(s);

	unc_session_look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		bool failing = pbox->failing;

		if (!everybody && pbox->n_mux_sets < 2)
			continue;
		pbox->failing = visit(s, pbox, over, look) < 0;
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

		if (s->is_multiplexed && after(s->mux_mono_ns, UNC_MUX_NS) < due)
			due = after(s->mux_mono_ns, UNC_MUX_NS);
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
