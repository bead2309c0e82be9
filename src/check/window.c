// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs all channels side by side: each is programmed, runs for a time and is stopped, with one wait for all of them. */
#include "check/window.h"

#include "check/clock.h"

/*
 * Clocks of memory are spread: 0.5 % downwards, 30 to 33 thousand times a second.  So within half a period a clock deviates from
 * its mean by up to 0.25 % of 17 us.
 */
enum { SPREAD_NS = 50 };

void unc_windows_open(struct unc_check *c, size_t size, struct unc_windows *ws)
{
	*ws = (struct unc_windows){.c = c, .n = c->n_boxes, .rc = unc_drive_take(c)};
	ws->seen = calloc(ws->n + 1, size ? size : 1);
	ws->of = calloc(ws->n + 1, sizeof(*ws->of));
	if (ws->rc == 0 && (!ws->seen || !ws->of))
		ws->rc = unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < ws->n && ws->rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];
		struct unc_window *w = &ws->of[i];

		*w = (struct unc_window){
			.ws = ws,
			.b = b,
			.c = c,
			.seen = (unsigned char *)ws->seen + i * size,
			.i = i,
			.in = b->usable && !unc_check_inapplicable(c, b),
			.slots = b->pbox.slots,
			.n = b->pbox.n_slots,
			.clock = b->usable ? unc_drive_clock_event(b) : NULL,
			.restless = -1,
		};
		if (w->clock)
			w->control = unc_drive_event(b, w->clock);
		if (unc_drive_end(b) < 0)
			w->clock = NULL;
		w->clockless = !w->clock;
	}
}

void unc_windows_close(struct unc_windows *ws)
{
	free(ws->of);
	free(ws->seen);
}

/* Begins the result of a channel.  False: it is not in, and the result says why. */
static bool begin(struct unc_window *w)
{
	if (!unc_check_begin_box(w->c, w->b, false))
		return false;
	if (w->lacks)
		unc_check_skip(w->c, "%s %s", w->b->box->unit->title, w->lacks);
	else if (w->rc == UNC_EBUSY)
		unc_check_skip(w->c, "%s", w->why);
	else if (w->rc < 0)
		unc_check_fail(w->c, "%s", w->why);
	return w->in;
}

int unc_windows_check(struct unc_check *c)
{
	const struct unc_windows_def *def = c->now->windows;
	struct unc_windows ws;

	unc_windows_open(c, def->size, &ws);
	if (ws.rc == 0 && def->run)
		c->now->msrs == UNC_CHECK_DRIVEN ? unc_windows_drive(&ws) : def->run(&ws);
	if (ws.rc == 0 && def->report && !ws.nothing) {
		for (size_t i = 0; i < ws.n; i++)
			if (def->doubt && ws.of[i].in)
				def->doubt(&ws.of[i]);
		for (size_t i = 0; i < ws.n; i++)
			if (begin(&ws.of[i]))
				def->report(&ws.of[i]);
	}
	unc_windows_close(&ws);
	return ws.rc;
}

bool unc_windows_next(struct unc_windows *ws, struct unc_window **w)
{
	size_t i = *w ? (*w)->i + 1 : 0;
	int rc = *w ? unc_drive_end((*w)->b) : UNC_OK;

	if (rc == UNC_EAGAIN || rc == UNC_ENOMEM) {
		ws->rc = rc;
	} else if (rc < 0) {
		(*w)->in = false;
		(*w)->rc = rc;
		memcpy((*w)->why, ws->c->m->ctx->msg, sizeof((*w)->why));
	}
	while (ws->rc == 0 && i < ws->n && !ws->of[i].in)
		i++;
	*w = ws->rc == 0 && i < ws->n ? &ws->of[i] : NULL;
	return *w != NULL;
}

void unc_windows_each(struct unc_windows *ws, unc_window_act *act)
{
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w))
		act(w);
}

void unc_windows_wait(struct unc_windows *ws, uint64_t ns)
{
	if (ws->rc == 0)
		ws->rc = unc_check_wait(ws->c, ns);
}

const struct unc_window *unc_windows_any(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in)
			return &ws->of[i];
	return NULL;
}

bool unc_windows_know(const struct unc_windows *ws, const char *event)
{
	const struct unc_window *w = unc_windows_any(ws);
	const struct unc_event *found = w && event ? unc_unit_event(w->b->box->unit, event) : NULL;

	return found && !found->fixed;
}

const char *unc_windows_commands(const struct unc_windows *ws)
{
	static const char *const events[] = {"cas_count.all", "cas_count_sch0.all"};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (unc_windows_know(ws, events[i]))
			return events[i];
	return NULL;
}

unsigned unc_windows_counters(const struct unc_windows *ws)
{
	const struct unc_window *w = unc_windows_any(ws);

	return w ? w->b->pbox.regs.ctl->count : 0;
}

bool unc_window_tells(struct unc_window *w)
{
	bool first = !w->ws->told;

	w->ws->told = true;
	return first;
}

struct unc_check_seen unc_window_seen(const struct unc_window *w, unsigned i, const char *what, uint64_t read)
{
	return unc_seen(w->b->box, w->slots[i].ctr, w->slots[i].index, what, read);
}

struct unc_check_seen unc_window_seen_control(const struct unc_window *w, unsigned i, const char *what, uint64_t read)
{
	return unc_seen(w->b->box, w->slots[i].ctl, w->slots[i].index, what, read);
}

/* ---- arithmetic ---- */

struct unc_span unc_span_between(const uint64_t from_ns[2], const uint64_t to_ns[2])
{
	uint64_t low = to_ns[0] > from_ns[1] ? to_ns[0] - from_ns[1] : 0;

	return (struct unc_span){(double)low, (double)(to_ns[1] - from_ns[0])};
}

struct unc_span unc_span_counts(const struct unc_span *hz, const struct unc_span *ns)
{
	double low = hz->low * (ns->low - SPREAD_NS) / 1e9 - 1;

	return (struct unc_span){low > 0 ? low : 0, hz->high * (ns->high + SPREAD_NS) / 1e9 + 1};
}

struct unc_span unc_window_counts(const struct unc_window *w)
{
	struct unc_span ns = unc_span_between(w->begin_ns, w->end_ns);

	return unc_span_counts(&w->hz, &ns);
}

bool unc_span_has(const struct unc_span *span, double value)
{
	return value >= span->low && value <= span->high;
}

bool unc_span_meet(struct unc_span a, struct unc_span b)
{
	return a.low <= b.high && b.low <= a.high;
}

/* The rate at which a counter gained between two readings. */
static struct unc_span rate(const struct unc_check_box *b, const struct unc_reading *from, const struct unc_reading *to)
{
	const uint64_t from_ns[2] = {from->before_ns, from->after_ns}, to_ns[2] = {to->before_ns, to->after_ns};
	struct unc_span ns = unc_span_between(from_ns, to_ns);
	double gained = (double)unc_drive_gained(b, from->value, to->value);

	if (ns.low < 1 || gained < 1)
		return (struct unc_span){0, 0};
	return (struct unc_span){(gained - 1) / ns.high * 1e9, (gained + 1) / ns.low * 1e9};
}

void unc_doubt_add(struct unc_doubt *doubt, bool doubtful, bool against)
{
	doubt->doubtful = doubtful;
	doubt->n++;
	doubt->n_against += against;
}

bool unc_doubt_excuses(const struct unc_doubt *doubt)
{
	return doubt->doubtful && doubt->n && doubt->n_against == doubt->n;
}

/* ---- acts ---- */

void unc_window_off(struct unc_window *w)
{
	unc_drive_off(w->b);
}

void unc_window_read(struct unc_window *w)
{
	memcpy(w->before, w->now, sizeof(w->before));
	for (unsigned i = 0; i < w->n; i++) {
		w->now[i] = unc_drive_count(w->b, i);
		w->moved[i] = unc_drive_gained(w->b, w->before[i].value, w->now[i].value);
	}
}

void unc_window_freeze(struct unc_window *w)
{
	w->end_ns[0] = unc_machine_raw_ns(w->c->m);
	unc_drive_freeze(w->b);
	w->end_ns[1] = unc_machine_raw_ns(w->c->m);
}

void unc_window_release(struct unc_window *w)
{
	w->begin_ns[0] = unc_machine_raw_ns(w->c->m);
	unc_drive_release(w->b);
	w->begin_ns[1] = unc_machine_raw_ns(w->c->m);
}

bool unc_window_is_clock(const struct unc_window *w, unsigned slot)
{
	return w->slots[slot].fixed ? w->clockless || unc_clock_is_fixed(w->b) : !w->clockless;
}

unsigned unc_window_n_clocks(const struct unc_window *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->n; i++)
		n += unc_window_is_clock(w, i);
	return n;
}

const char *unc_window_left_out(const struct unc_window *w)
{
	return w->clockless ? "; general counters were not looked at, since no event for them counts clocks here" : "";
}

void unc_window_set_clock(struct unc_window *w, unsigned slot, bool enable)
{
	unc_drive_set(w->b, slot, w->control, enable && unc_window_is_clock(w, slot));
}

void unc_window_all_clocks(struct unc_window *w)
{
	for (unsigned i = 0; i < w->n; i++)
		unc_window_set_clock(w, i, true);
}

/* ==== the rate of the clock ==== */

/* A slot that counts clocks: all general ones do if there is no fixed one, or if that counts another clock. */
static unsigned clock_slot(const struct unc_window *w)
{
	unsigned slot = unc_drive_fixed(w->b);

	return slot < UNC_PMON_SLOTS && unc_window_is_clock(w, slot) ? slot : 0;
}

void unc_windows_clock(struct unc_windows *ws, uint64_t piece_ns, unsigned n)
{
	struct unc_window *w = NULL;
	bool moved = false;

	unc_windows_each(ws, unc_window_release);
	unc_windows_each(ws, unc_window_all_clocks);
	while (unc_windows_next(ws, &w)) {
		unc_window_read(w);
		w->clock_first = w->now[clock_slot(w)];
	}
	for (unsigned i = 0; i < n; i++) {
		unc_windows_wait(ws, piece_ns);
		while (unc_windows_next(ws, &w)) {
			unc_window_read(w);
			w->pieces[i] = rate(w->b, &w->before[clock_slot(w)], &w->now[clock_slot(w)]);
		}
	}
	while (unc_windows_next(ws, &w)) {
		const struct unc_span whole = rate(w->b, &w->clock_first, &w->now[clock_slot(w)]);

		/* A clock that rests at times, as in deep sleep of a package, has no single rate: the span holds all. */
		w->hz = whole;
		for (unsigned i = 0; i < n; i++) {
			if (unc_span_meet(whole, w->pieces[i]))
				continue;
			w->hz.low = w->pieces[i].low < w->hz.low ? w->pieces[i].low : w->hz.low;
			w->hz.high = w->pieces[i].high > w->hz.high ? w->pieces[i].high : w->hz.high;
		}
		if (w->driven) { /* nothing keeps what another program moves, or what the caches hold, from varying */
			w->hz.low /= 2;
			w->hz.high *= 2;
		}
		for (unsigned i = 0; i < w->n; i++)
			moved |= !w->slots[i].fixed && w->moved[i];
	}
	while (!moved && unc_windows_next(ws, &w)) {
		w->clockless = true;
		unc_window_all_clocks(w);
	}
}

/* ==== a run between release and freeze, so that all counters begin and end together ==== */

static void read_beside(struct unc_windows *ws, unsigned nth)
{
	if (ws->look && ws->rc == 0)
		ws->look(ws, nth);
}

void unc_windows_run(struct unc_windows *ws, const char *const events[UNC_COUNTERS_MAX], uint64_t ns)
{
	struct unc_window *w = NULL;

	unc_windows_each(ws, unc_window_freeze);
	unc_windows_each(ws, unc_window_off);
	while (unc_windows_next(ws, &w))
		for (unsigned i = 0; i < w->n; i++)
			unc_drive_preset(w->b, i, 0);
	while (unc_windows_next(ws, &w)) {
		for (unsigned i = 0, general = 0; i < w->n; i++) {
			bool fixed = w->slots[i].fixed;
			const char *event = fixed || general >= UNC_COUNTERS_MAX ? NULL : events[general];
			uint64_t control = event ? unc_drive_event(w->b, event) : unc_reg_blank(w->slots[i].ctl);

			general += !fixed;
			unc_drive_set(w->b, i, control, fixed || event);
		}
	}
	while (unc_windows_next(ws, &w)) {
		unc_window_read(w);
		for (unsigned i = 0; i < w->n; i++)
			if (w->now[i].value)
				w->restless = (int)i;
	}
	read_beside(ws, 0);
	unc_windows_each(ws, unc_window_release);
	read_beside(ws, 1);
	unc_windows_wait(ws, ns);
	read_beside(ws, 2);
	unc_windows_each(ws, unc_window_freeze);
	read_beside(ws, 3);
	while (unc_windows_next(ws, &w)) {
		unc_window_read(w);
		memcpy(w->gained, w->moved, sizeof(w->gained));
		unc_window_read(w);
		for (unsigned i = 0; i < w->n && !w->b->failed; i++)
			if (w->moved[i])
				w->restless = (int)i;
	}
}

void unc_windows_run_one(struct unc_windows *ws, const char *event, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX];

	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = event;
	unc_windows_run(ws, events, ns);
}

void unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns)
{
	struct unc_window *w = NULL;

	if (!unc_windows_know(ws, event))
		return;
	unc_windows_run_one(ws, event, ns);
	while (unc_windows_next(ws, &w))
		for (unsigned i = 1; i < w->b->pbox.regs.ctl->count; i++)
			w->disagrees |= w->gained[i] != w->gained[0];
}

bool unc_window_skips(const struct unc_window *w)
{
	if (w->restless >= 0)
		unc_check_skip(
			w->c, "%s counts while the channel is frozen, so that nothing is exact here (behaviour.freeze)",
			w->b->name[w->restless]);
	else if (w->disagrees)
		unc_check_skip(w->c, "counters that are given the same event do not agree, so that nothing can be told "
				     "of sums (behaviour.agree)");
	return w->restless >= 0 || w->disagrees;
}

/* ==== the status register while counters are made to wrap ==== */

const struct unc_reg *unc_window_status(const struct unc_window *w)
{
	return unc_unit_reg(w->b->box->unit, "BOX_STATUS");
}

void unc_windows_note_status(struct unc_windows *ws)
{
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w))
		w->status = unc_window_status(w) ? unc_drive_read(w->b, unc_window_status(w), 0) : 0;
}

void unc_windows_restore_status(struct unc_windows *ws)
{
	struct unc_window *w = NULL;
	struct unc_saved_msg msg;
	int rc = ws->rc;

	unc_msg_save(ws->c->m->ctx, &msg);
	ws->rc = UNC_OK;
	if (rc < 0)
		unc_windows_each(ws, unc_window_off);
	while (unc_windows_next(ws, &w))
		unc_drive_clear_status(w->b, w->status);
	if (rc < 0) {
		unc_msg_restore(ws->c->m->ctx, &msg);
		ws->rc = rc;
	}
}
