// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "pmon/counter.h"
#include "pmon/event_text.h"
#include "pmon/pmon.h"

struct request { /* one event that was added */
	size_t pbox;
	struct unc_wanted *wanted; /* owned */
	unsigned set;              /* those of one box with the same number are counted together */
	unsigned slot;             /* once started */
};

struct unc_session {
	struct unc_machine *machine; /* not owned */
	struct unc_session_cfg cfg;
	struct unc_pmon_box *pboxes; /* owned */
	size_t n_pboxes;
	struct request *requests; /* owned */
	size_t n_requests;
	unsigned n_sets;
	bool set_open, set_freezes;
	bool started;
	uint64_t read_mono_ns; /* when the counters were last read, in pacing time */
	int64_t asleep_ns;     /* the most that the machine can have been suspended before we last looked */
};

int unc_session_open(struct unc_machine *m, const struct unc_session_cfg *cfg, struct unc_session **ret_session)
{
	struct unc_session *s = calloc(1, sizeof(*s));

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

int unc_session_add(struct unc_session *s, struct unc_box *box, const char *event, size_t *ret_index)
{
	struct unc_ctx *ctx = s->machine->ctx;
	struct unc_wanted *wanted = NULL;
	struct request *request;
	void *more;
	size_t pbox;
	int rc;

	if (s->started)
		return unc_fail(ctx, UNC_EARG, "%s: the session has started already", event);
	rc = unc_wanted_new(box, event, &wanted);
	if (rc < 0)
		return rc;
	rc = box->presence == UNC_PRESENT ? pbox_of(s, box, &pbox) : unc_fail(ctx, box->rc, "%s", box->why);
	if (rc < 0)
		goto fail;
	more = unc_array_more(s->requests, s->n_requests, sizeof(*s->requests));
	if (!more) {
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
		goto fail;
	}
	s->requests = more;
	request = &s->requests[s->n_requests];
	request->pbox = pbox;
	request->wanted = wanted;
	request->set = s->set_open ? s->n_sets : ++s->n_sets;
	s->pboxes[pbox].freezes |= s->set_freezes;
	if (ret_index)
		*ret_index = s->n_requests;
	s->n_requests++;
	return UNC_OK;
fail:
	unc_wanted_free(wanted);
	return rc;
}

const char *unc_session_event(const struct unc_session *s, size_t index)
{
	return index < s->n_requests ? s->requests[index].wanted->text : NULL;
}

int unc_session_begin_set(struct unc_session *s, bool freeze)
{
	if (s->started || s->set_open)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s",
				s->started ? "the session has started already" : "a set within a set");
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

static bool can_count(const struct unc_slot *slot, const struct unc_event *event)
{
	if (slot->event)
		return false; /* ours already */
	if (slot->fixed || event->fixed)
		return slot->fixed && event->fixed;
	return event->counters >> slot->index & 1;
}

static int no_counter(const struct unc_session *s, const struct unc_pmon_box *pbox, const struct unc_event *event)
{
	for (unsigned i = pbox->n_slots; i-- > 0;) {
		const struct unc_slot *slot = &pbox->slots[i];

		if (can_count(slot, event))
			return unc_fail(
				s->machine->ctx, UNC_EBUSY,
				"%s (%s): no counter is free for %s: %s[%u] at 0x%x holds 0x%08" PRIx64
				", enabled by somebody else (perf, another tool, the firmware); stop that, or --force "
				"to take it and give it back at exit",
				pbox->box->name, pbox->box->pci, event->name, slot->ctl->name, slot->index,
				unc_reg_off(slot->ctl, slot->index), slot->found);
	}
	return unc_fail(s->machine->ctx, UNC_EBUSY, "%s: this session already uses every counter that can count %s",
			pbox->box->name, event->name);
}

/* From the highest down, since everybody else starts at 0; what somebody else enabled only by force. */
static int choose_slot(struct unc_session *s, struct request *request)
{
	struct unc_pmon_box *pbox = &s->pboxes[request->pbox];

	for (int forced = 0; forced <= s->cfg.force; forced++) {
		for (unsigned i = pbox->n_slots; i-- > 0;) {
			struct unc_slot *slot = &pbox->slots[i];

			if (!can_count(slot, &request->wanted->event) || slot->enabled != (bool)forced)
				continue;
			slot->event = &request->wanted->event;
			slot->control = slot->fixed ? unc_reg_blank(slot->ctl) : request->wanted->control;
			slot->wrap_ns = unc_wrap_ns(slot->event->max_inc, pbox->box->unit->max_clock_hz,
						    pbox->box->unit->counter_bits);
			request->slot = i;
			return UNC_OK;
		}
	}
	return no_counter(s, pbox, &request->wanted->event);
}

/* Whether this box can be used at all, before anything is written anywhere. */
static int look(struct unc_session *s, struct unc_pmon_box *pbox)
{
	const struct unc_box *box = pbox->box;
	int rc;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].event = NULL; /* a start that failed had chosen it */
	rc = unc_pmon1_inspect(pbox);
	if (rc < 0)
		return rc;
	if (pbox->foreign && pbox->frozen)
		return unc_fail(
			s->machine->ctx, UNC_EBUSY,
			"%s (%s): somebody has frozen the box with a counter enabled, so nothing counts there now",
			box->name, box->pci);
	if (pbox->foreign && pbox->freezes)
		return unc_fail(s->machine->ctx, UNC_EBUSY,
				"%s (%s): somebody else counts there, and freezing would stop that too; measure "
				"without --freeze",
				box->name, box->pci);
	return UNC_OK;
}

/*
 * Was the machine suspended since this was last asked?  BOOT is ahead of MONO by the time it ever was; as the two are read one
 * after the other, that is known as at least and at most so much.
 */
static bool was_suspended(struct unc_session *s)
{
	struct unc_host *host = s->machine->host;
	uint64_t before = host->ops->now_ns(host, UNC_CLOCK_MONO), boot = host->ops->now_ns(host, UNC_CLOCK_BOOT);
	uint64_t after = host->ops->now_ns(host, UNC_CLOCK_MONO);
	int64_t least = (int64_t)(boot - after), most = (int64_t)(boot - before);
	bool suspended = least > s->asleep_ns;

	if (suspended || most < s->asleep_ns)
		s->asleep_ns = most;
	return suspended;
}

int unc_session_start(struct unc_session *s)
{
	int rc = UNC_OK;

	if (s->started || s->n_requests == 0)
		return unc_fail(s->machine->ctx, UNC_EARG, "a session starts once, with at least one event");
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = look(s, &s->pboxes[i]);
	for (size_t i = 0; i < s->n_requests && rc == 0; i++)
		rc = choose_slot(s, &s->requests[i]);
	if (rc < 0)
		return rc;
	s->started = true;
	s->asleep_ns = INT64_MAX;
	was_suspended(s);
	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];

		rc = unc_pmon1_program(pbox, s);
		pbox->checked_ns = unc_machine_raw_ns(s->machine);
		if (rc == 0)
			rc = unc_pmon_read(pbox);
		unc_pmon_next_interval(pbox);
	}
	s->read_mono_ns = unc_machine_mono_ns(s->machine);
	return rc;
}

/* Stopping a box in which somebody else has begun to count would stop him too. */
static bool may_freeze(struct unc_session *s, struct unc_pmon_box *pbox)
{
	if (pbox->freezes && pbox->foreign) {
		pbox->freezes = false;
		unc_note(s->machine->ctx,
			 "%s: somebody else has begun to count there: it is read without freezing from now on",
			 pbox->box->name);
	}
	return pbox->freezes;
}

static void look_for_suspend(struct unc_session *s)
{
	if (!was_suspended(s))
		return;
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_pmon_suspended(&s->pboxes[i]);
}

/*
 * The first look after the machine was suspended.  Where the registers were lost nothing counts for us any more, and nothing
 * is written there again: by now they may be somebody else's.
 */
static int read_resumed(struct unc_session *s, struct unc_pmon_box *pbox)
{
	bool lost = false;
	int rc = unc_pmon_read(pbox);

	if (rc < 0)
		return rc;
	pbox->resumed = false;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		lost |= pbox->slots[i].event && pbox->slots[i].stolen;
	if (lost) {
		pbox->freezes = false;
		unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		unc_note(s->machine->ctx,
			 "%s: its control registers were lost while the machine was suspended; start again to measure "
			 "it",
			 pbox->box->name);
	}
	return UNC_OK;
}

/* One box, into its slots. */
static int read_box(struct unc_session *s, struct unc_pmon_box *pbox)
{
	uint64_t before_ns, after_ns;
	int rc, released;

	if (pbox->resumed)
		return read_resumed(s, pbox);
	if (!may_freeze(s, pbox))
		return unc_pmon_read(pbox);
	before_ns = unc_machine_raw_ns(s->machine);
	rc = unc_pmon1_freeze(pbox, true, s);
	after_ns = unc_machine_raw_ns(s->machine);
	rc = rc < 0 ? unc_pmon_missing(pbox, rc) : unc_pmon_read(pbox);
	unc_pmon_stopped(pbox, before_ns + (after_ns - before_ns) / 2);
	before_ns = unc_machine_raw_ns(s->machine);
	released = unc_pmon1_freeze(pbox, false, s);
	after_ns = unc_machine_raw_ns(s->machine);
	if (released < 0) /* it may stand still from now on: what it will hold next is no count of the next interval */
		rc = unc_pmon_missing(pbox, released);
	/* In the middle of the first of the two writes that release it. */
	pbox->released_ns = before_ns + (after_ns - before_ns) / 4;
	return rc;
}

static void fill_count(const struct unc_slot *slot, uint64_t real_offset_ns, struct unc_count *ret_count)
{
	uint64_t delta = slot->flags & UNC_COUNT_NO_NUMBER ? 0 : slot->delta;

	*ret_count = (struct unc_count){
		.flags = slot->flags,
		.delta = delta,
		.total = slot->total + delta,
		.interval_ns = slot->raw_ns - slot->start_ns,
		.enabled_ns = slot->raw_ns - slot->start_ns,
		.running_ns = slot->raw_ns - slot->start_ns,
		.time_ns = slot->raw_ns + real_offset_ns,
		.scale = slot->event->scale,
		.unit = slot->event->unit,
	};
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
	int rc = UNC_OK;

	if (!s->started || n != s->n_requests)
		return unc_fail(s->machine->ctx, UNC_EARG,
				"a session that was started gives one count per event added");
	look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		int failure = read_box(s, &s->pboxes[i]);

		if (failure < 0) {
			failed++;
			rc = failure;
		}
	}
	look_for_suspend(s); /* between two boxes, even */
	s->read_mono_ns = unc_machine_mono_ns(s->machine);
	for (size_t i = 0; i < n; i++)
		fill_count(&s->pboxes[s->requests[i].pbox].slots[s->requests[i].slot], offset_ns, &ret_counts[i]);
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_pmon_next_interval(&s->pboxes[i]);
	return failed == s->n_pboxes ? rc : UNC_OK;
}

/* When the next counter must be read lest it wrap unseen: a quarter of the shortest wrap after its last read. */
static uint64_t poll_ns(const struct unc_session *s)
{
	uint64_t shortest = UINT64_MAX;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		uint64_t wrap = unc_pmon_wrap_ns(&s->pboxes[i]);

		if (wrap < shortest)
			shortest = wrap;
	}
	return shortest / 4;
}

int unc_session_sleep_until(struct unc_session *s, uint64_t mono_ns)
{
	struct unc_host *host = s->machine->host;
	uint64_t poll = poll_ns(s);

	if (mono_ns == UINT64_MAX && host->stands_still)
		return UNC_EAGAIN;
	for (;;) {
		/* From the last read on, not from now: who sleeps often and reads seldom must not let a counter wrap. */
		uint64_t due = poll > UINT64_MAX - s->read_mono_ns ? UINT64_MAX : s->read_mono_ns + poll;
		uint64_t until = due < mono_ns ? due : mono_ns;
		int rc;

		rc = host->ops->sleep_until(host, until);
		if (rc < 0 || until == mono_ns)
			return rc;
		look_for_suspend(s);
		for (size_t i = 0; i < s->n_pboxes; i++)
			if (read_box(s, &s->pboxes[i]) < 0)
				unc_note(s->machine->ctx, "%s", s->machine->ctx->msg);
		s->read_mono_ns = unc_machine_mono_ns(s->machine);
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
			read_resumed(s, pbox);
	}
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		bool wrote = unc_journal_find(&s->machine->journal, pbox->box, pbox->regs.box_ctl, 0) != NULL;

		if (!wrote || unc_pmon1_inspect(pbox) < 0 || !pbox->foreign)
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
	spare_others(s);
	rc = unc_gate_restore(s->machine, s);
	for (size_t i = 0; i < s->n_requests; i++)
		unc_wanted_free(s->requests[i].wanted);
	free(s->requests);
	free(s->pboxes);
	free(s);
	return rc;
}
