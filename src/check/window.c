// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs all channels side by side: each is programmed, runs for a time and is stopped, with one wait for all of them. */
#include "check/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"

/* ==== windows ==== */

/*
 * Clocks of memory are spread: 0.5 % downwards, 30 to 33 thousand times a second.  So within half a period a clock deviates from
 * its mean by up to 0.25 % of 17 us.
 */
enum { SPREAD_NS = 50 };

static int open_windows(struct unc_check *c, struct unc_windows *ret_windows)
{
	struct unc_windows ws = {.c = c, .n = c->n_boxes};
	int rc = unc_drive_take(c);

	*ret_windows = (struct unc_windows){.c = c};
	if (rc < 0)
		return rc;
	ws.of = calloc(ws.n ? ws.n : 1, sizeof(*ws.of));
	if (!ws.of)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < ws.n; i++) {
		struct unc_window *w = &ws.of[i];

		*w = (struct unc_window){.b = &c->boxes[i], .c = c, .i = i, .in = c->boxes[i].usable};
		w->clock = w->in ? unc_drive_clock_event(w->b) : NULL;
		if (w->clock && unc_drive_event(w->b, w->clock, &w->control) < 0)
			w->clock = NULL;
		w->clockless = !w->clock;
		w->restless = -1;
	}
	*ret_windows = ws;
	return UNC_OK;
}

int unc_windows_check(struct unc_check *c, size_t size, int (*run)(struct unc_windows *ws, void *seen))
{
	void *seen = calloc(c->n_boxes ? c->n_boxes : 1, size);
	struct unc_windows ws = {.c = c};
	int rc = seen ? open_windows(c, &ws) : unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");

	if (rc == 0)
		rc = run(&ws, seen);
	free(ws.of);
	free(seen);
	return rc;
}

int unc_windows_each(struct unc_windows *ws, unc_window_act *act, void *arg)
{
	for (size_t i = 0; i < ws->n; i++) {
		struct unc_window *w = &ws->of[i];
		int rc = w->in ? act(w, arg) : UNC_OK;

		if (rc == UNC_EAGAIN || rc == UNC_ENOMEM)
			return rc;
		if (rc < 0) {
			w->in = false;
			w->rc = rc;
			memcpy(w->why, ws->c->m->ctx->msg, sizeof(w->why));
		}
	}
	return UNC_OK;
}

/* All memory channels of a machine have one map. */
static const struct unc_window *any(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in)
			return &ws->of[i];
	return NULL;
}

bool unc_windows_know(const struct unc_windows *ws, const char *event)
{
	const struct unc_window *w = any(ws);
	const struct unc_event *found = w && event ? unc_unit_event(w->b->box->unit, event) : NULL;

	return found && !found->fixed;
}

unsigned unc_windows_counters(const struct unc_windows *ws)
{
	const struct unc_window *w = any(ws);

	return w ? w->b->pbox.regs.ctl->count : 0;
}

bool unc_window_begin(struct unc_window *w)
{
	if (!unc_check_begin_box(w->c, w->b, false))
		return false;
	if (w->rc == UNC_EBUSY)
		unc_check_skip(w->c, "%s", w->why);
	else if (w->rc < 0)
		unc_check_fail(w->c, "%s", w->why);
	return w->in;
}

const char *unc_window_slot(const struct unc_window *w, unsigned i, char buf[UNC_GATE_TEXT])
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];

	return unc_gate_reg_text(slot->ctr, slot->index, buf);
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

static bool apart(const struct unc_span *a, const struct unc_span *b)
{
	return a->low > b->high || b->low > a->high;
}

/* A clock that rests at times, as in deep sleep of a package, has no single rate: then the span holds all rates that were seen. */
static void add_rate(struct unc_span *all, const struct unc_span *whole, const struct unc_span *piece)
{
	if (!apart(whole, piece))
		return;
	all->low = piece->low < all->low ? piece->low : all->low;
	all->high = piece->high > all->high ? piece->high : all->high;
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

int unc_window_off(struct unc_window *w, void *arg)
{
	int rc = UNC_OK;

	(void)arg;
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_set(w->b, i, unc_reg_blank(w->b->pbox.slots[i].ctl), false);
	return rc;
}

int unc_window_read(struct unc_window *w, void *arg)
{
	(void)arg;
	memcpy(w->before, w->now, sizeof(w->before));
	return unc_drive_counts(w->b, w->now);
}

uint64_t unc_window_moved(const struct unc_window *w, unsigned slot)
{
	return unc_drive_gained(w->b, w->before[slot].value, w->now[slot].value);
}

int unc_window_freeze(struct unc_window *w, void *arg)
{
	int rc;

	(void)arg;
	w->end_ns[0] = unc_machine_raw_ns(w->c->m);
	rc = unc_drive_freeze(w->b);
	w->end_ns[1] = unc_machine_raw_ns(w->c->m);
	return rc;
}

int unc_window_release(struct unc_window *w, void *arg)
{
	int rc;

	(void)arg;
	w->begin_ns[0] = unc_machine_raw_ns(w->c->m);
	rc = unc_drive_release(w->b);
	w->begin_ns[1] = unc_machine_raw_ns(w->c->m);
	return rc;
}

bool unc_window_is_clock(const struct unc_window *w, unsigned slot)
{
	return w->b->pbox.slots[slot].fixed || !w->clockless;
}

unsigned unc_window_n_clocks(const struct unc_window *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		n += unc_window_is_clock(w, i);
	return n;
}

const char *unc_window_left_out(const struct unc_window *w)
{
	return w->clockless ? "; general counters were not looked at, since no event for them counts clocks here" : "";
}

int unc_window_set_clock(struct unc_window *w, unsigned slot, bool enable)
{
	return unc_drive_set(w->b, slot, w->control, enable && unc_window_is_clock(w, slot));
}

int unc_window_all_clocks(struct unc_window *w, void *arg)
{
	int rc = UNC_OK;

	(void)arg;
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_window_set_clock(w, i, true);
	return rc;
}

/* ---- the rate of the clock ---- */

/* A slot that counts clocks: all slots do if there is no fixed one. */
static unsigned clock_slot(const struct unc_window *w)
{
	unsigned slot = unc_drive_fixed(w->b);

	return slot < UNC_PMON_SLOTS ? slot : 0;
}

struct pieces {
	struct unc_reading first;
	struct unc_span piece[8];
	unsigned n;
};

static int first_reading(struct unc_window *w, void *arg)
{
	struct pieces *pieces = arg;
	int rc = unc_window_read(w, NULL);

	memcpy(w->before, w->now, sizeof(w->before));
	pieces[w->i].first = w->now[clock_slot(w)];
	return rc;
}

static int next_reading(struct unc_window *w, void *arg)
{
	struct pieces *pieces = (struct pieces *)arg + w->i;
	unsigned slot = clock_slot(w);
	int rc = unc_window_read(w, NULL);

	if (rc == 0)
		pieces->piece[pieces->n++] = rate(w->b, &w->before[slot], &w->now[slot]);
	return rc;
}

static int conclude(struct unc_window *w, void *arg)
{
	const struct pieces *pieces = (const struct pieces *)arg + w->i;
	struct unc_span whole = rate(w->b, &pieces->first, &w->now[clock_slot(w)]);

	w->hz = whole;
	for (unsigned i = 0; i < pieces->n; i++)
		add_rate(&w->hz, &whole, &pieces->piece[i]);
	return UNC_OK;
}

static bool any_general_moved(const struct unc_windows *ws)
{
	bool moved = false;

	for (size_t i = 0; i < ws->n; i++)
		for (unsigned k = 0; ws->of[i].in && k < ws->of[i].b->pbox.n_slots; k++)
			moved |= !ws->of[i].b->pbox.slots[k].fixed && unc_window_moved(&ws->of[i], k);
	return moved;
}

static int no_clocks(struct unc_window *w, void *arg)
{
	(void)arg;
	w->clockless = true;
	return unc_window_all_clocks(w, NULL);
}

static int measure(struct unc_windows *ws, struct pieces *pieces, uint64_t piece_ns, unsigned n)
{
	int rc = unc_windows_each(ws, unc_window_release, NULL);

	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_all_clocks, NULL);
	if (rc == 0)
		rc = unc_windows_each(ws, first_reading, pieces);
	for (unsigned i = 0; i < n && rc == 0; i++) {
		rc = unc_check_wait(ws->c, piece_ns);
		if (rc == 0)
			rc = unc_windows_each(ws, next_reading, pieces);
	}
	if (rc == 0)
		rc = unc_windows_each(ws, conclude, pieces);
	if (rc == 0 && !any_general_moved(ws))
		rc = unc_windows_each(ws, no_clocks, NULL);
	return rc;
}

int unc_windows_clock(struct unc_windows *ws, uint64_t piece_ns, unsigned n)
{
	enum { MOST = sizeof(((struct pieces *)0)->piece) / sizeof(struct unc_span) };
	struct pieces *pieces = calloc(ws->n ? ws->n : 1, sizeof(*pieces));
	int rc;

	if (!pieces)
		return unc_fail(ws->c->m->ctx, UNC_ENOMEM, "out of memory");
	rc = measure(ws, pieces, piece_ns, n < MOST ? n : MOST);
	free(pieces);
	return rc;
}

/* ==== a run between release and freeze ==== */

/* Runs all channels between release and freeze, so that all counters begin and end together. */

int unc_window_events(struct unc_window *w, void *arg)
{
	const char *const *events = arg;
	int rc = UNC_OK;

	for (unsigned i = 0, general = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		bool fixed = w->b->pbox.slots[i].fixed;
		const char *event = fixed || general >= UNC_COUNTERS_MAX ? NULL : events[general];
		uint64_t control = unc_reg_blank(w->b->pbox.slots[i].ctl);

		general += !fixed;
		if (event)
			rc = unc_drive_event(w->b, event, &control);
		if (rc == 0)
			rc = unc_drive_set(w->b, i, control, fixed || event);
	}
	return rc;
}

static int all_zero(struct unc_window *w, void *arg)
{
	int rc = UNC_OK;

	(void)arg;
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_preset(w->b, i, 0);
	return rc;
}

static int from_here(struct unc_window *w, void *arg)
{
	int rc = unc_window_read(w, arg);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (w->now[i].value)
			w->restless = (int)i;
	return rc;
}

static int up_to_here(struct unc_window *w, void *arg)
{
	int rc;

	memcpy(w->before, w->now, sizeof(w->before));
	rc = unc_drive_counts(w->b, w->now);
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		w->gained[i] = unc_window_moved(w, i);
	if (rc == 0)
		rc = unc_window_read(w, arg);
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (unc_window_moved(w, i))
			w->restless = (int)i;
	return rc;
}

int unc_windows_run(struct unc_windows *ws, unc_window_act *program, void *arg, uint64_t ns)
{
	const struct {
		unc_window_act *act;
		void *arg;
	} acts[] = {
		{unc_window_freeze, NULL}, {unc_window_off, NULL},     {all_zero, NULL}, {program, arg},
		{from_here, NULL},         {unc_window_release, NULL},
	};
	int rc = UNC_OK;

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]) && rc == 0; i++)
		rc = unc_windows_each(ws, acts[i].act, acts[i].arg);
	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_freeze, NULL);
	return rc == 0 ? unc_windows_each(ws, up_to_here, NULL) : rc;
}

static int compare(struct unc_window *w, void *arg)
{
	(void)arg;
	for (unsigned i = 1; i < w->b->pbox.regs.ctl->count; i++)
		w->disagrees |= w->gained[i] != w->gained[0];
	return UNC_OK;
}

int unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX];
	int rc;

	if (!unc_windows_know(ws, event))
		return UNC_OK;
	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = event;
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, compare, NULL) : rc;
}

bool unc_window_skips(const struct unc_window *w)
{
	char name[UNC_GATE_TEXT];

	if (w->restless >= 0)
		unc_check_skip(
			w->c, "%s counts while the channel is frozen, so that nothing is exact here (behaviour.freeze)",
			unc_window_slot(w, (unsigned)w->restless, name));
	else if (w->disagrees)
		unc_check_skip(w->c, "counters that are given the same event do not agree, so that nothing can be told "
				     "of sums (behaviour.agree)");
	return w->restless >= 0 || w->disagrees;
}

/* ==== the status register ==== */

/* The status register while counters are made to wrap: the bits that they set are cleared again. */

const struct unc_reg *unc_window_status(const struct unc_window *w)
{
	return unc_unit_reg(w->b->box->unit, "BOX_STATUS");
}

const struct unc_field *unc_window_status_bit(const struct unc_window *w, unsigned i)
{
	static const char *const names[] = {"ov_ctr0", "ov_ctr1", "ov_ctr2", "ov_ctr3"};
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	const struct unc_reg *status = unc_window_status(w);
	const struct unc_field *field;

	if (!status || (!slot->fixed && slot->index >= sizeof(names) / sizeof(names[0])))
		return NULL;
	field = unc_reg_field(status, slot->fixed ? "ov_fixed" : names[slot->index]);
	return field && field->acc == UNC_RW1C ? field : NULL;
}

static int read_status(struct unc_window *w, void *arg)
{
	const struct unc_reg *status = unc_window_status(w);

	return status ? unc_drive_read(w->b, status, 0, (uint64_t *)arg + w->i) : UNC_OK;
}

int unc_windows_read_status(struct unc_windows *ws, uint64_t *ret_statuses)
{
	return unc_windows_each(ws, read_status, ret_statuses);
}

static int clear_status(struct unc_window *w, void *arg)
{
	return unc_drive_clear_status(w->b, ((const uint64_t *)arg)[w->i]);
}

int unc_windows_clear_status(struct unc_windows *ws, const uint64_t *statuses)
{
	return unc_windows_each(ws, clear_status, (void *)statuses);
}
