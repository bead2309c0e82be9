// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the clock of a channel, counted by its fixed counter (and by an event, where the part has one), against the machine's
 * raw time.
 */
#include "check/clock.h"

/* ==== the measurement ==== */

double unc_clock_mhz(struct unc_span rate)
{
	return (rate.low + rate.high) / 2 / 1e6;
}

double unc_clock_doubt_mhz(struct unc_span rate)
{
	return (rate.high - rate.low) / 2 / 1e6;
}

/* Returns the first general counter that can count the clock. */
static unsigned event_slot(const struct unc_check_box *b)
{
	const char *name = unc_drive_clock_event(b);

	return unc_drive_slot_for(b, name ? unc_unit_event(b->box->unit, name) : NULL, 0);
}

bool unc_clock_is_fixed(const struct unc_check_box *b)
{
	const struct unc_unit *unit = b->box->unit;

	for (size_t i = 0; i < unit->n_events; i++)
		if (unit->events[i].fixed)
			return unit->events[i].one_per == 0;
	return true;
}

unsigned unc_clock_slot(const struct unc_check_box *b)
{
	unsigned slot = unc_drive_fixed(b);

	return slot == UNC_CLOCK_NONE || !unc_clock_is_fixed(b) ? event_slot(b) : slot;
}

void unc_clock_start(struct unc_check_box *b, unsigned slot)
{
	uint64_t control = b->pbox.slots[slot].fixed ? 0 : unc_drive_event(b, unc_drive_clock_event(b));

	unc_drive_set(b, slot, control, true);
}

/* The ticks and the rate between two readings.  UNC_EIO: one of them is not a number that this counter can hold. */
static int clock_rate(const struct unc_check_box *b, const struct unc_reading *first, const struct unc_reading *last,
		      uint64_t *ret_ticks, struct unc_span *ret_rate)
{
	uint64_t longest_ns = last->after_ns - first->before_ns, shortest_ns = last->before_ns - first->after_ns;
	uint64_t ticks = unc_drive_gained(b, first->value, last->value);
	int rc = unc_drive_fits(b, first);

	if (rc == 0)
		rc = unc_drive_fits(b, last);
	if (rc < 0)
		return rc;
	*ret_ticks = ticks;
	ret_rate->low = longest_ns && ticks ? (double)(ticks - 1) * 1e9 / (double)longest_ns : 0;
	ret_rate->high = (double)(ticks + 1) * 1e9 / (double)(shortest_ns ? shortest_ns : 1);
	return UNC_OK;
}

/* Another process may have had the CPU in the middle of a read: the read that took least time is the most exact. */
static struct unc_reading read_closely(struct unc_check_box *b, unsigned slot)
{
	enum { TIMES = 3 };
	struct unc_reading best = unc_drive_count(b, slot);

	for (unsigned i = 1; i < TIMES; i++) {
		struct unc_reading again = unc_drive_count(b, slot);

		if (again.after_ns - again.before_ns < best.after_ns - best.before_ns)
			best = again;
	}
	return best;
}

/* ---- all channels in one wait ---- */

static void start(struct unc_window *w)
{
	struct unc_clock_seen *seen = &w->c->clocks->seen[w->i];
	struct unc_clock_count *const both[] = {&seen->clock, &seen->event};

	seen->clock.slot = unc_clock_slot(w->b);
	seen->event.slot = event_slot(w->b) == seen->clock.slot ? UNC_CLOCK_NONE : event_slot(w->b);
	w->in = seen->clock.slot != UNC_CLOCK_NONE;
	if (!w->in)
		snprintf(w->why, sizeof(w->why), "the map of %s knows nothing that counts its clock",
			 w->b->box->unit->title);
	for (unsigned k = 0; k < 2; k++)
		if (both[k]->slot != UNC_CLOCK_NONE)
			unc_clock_start(w->b, both[k]->slot);
	for (unsigned k = 0; k < 2; k++)
		if (both[k]->slot != UNC_CLOCK_NONE)
			both[k]->first = read_closely(w->b, both[k]->slot);
}

static void end(struct unc_window *w)
{
	struct unc_clock_seen *seen = &w->c->clocks->seen[w->i];
	struct unc_clock_count *const both[] = {&seen->clock, &seen->event};

	for (unsigned k = 0; k < 2; k++)
		if (both[k]->slot != UNC_CLOCK_NONE)
			both[k]->last = read_closely(w->b, both[k]->slot);
	for (unsigned k = 0; k < 2 && !w->b->failed; k++)
		if (both[k]->slot != UNC_CLOCK_NONE)
			w->b->failed =
				clock_rate(w->b, &both[k]->first, &both[k]->last, &both[k]->ticks, &both[k]->rate);
}

int unc_clocks_measure(struct unc_check *c)
{
	struct unc_windows ws;

	if (c->clocks)
		return UNC_OK;
	c->clocks = calloc(1, sizeof(*c->clocks) + c->n_boxes * sizeof(c->clocks->seen[0]));
	if (!c->clocks)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	unc_windows_open(c, 0, &ws);
	unc_windows_each(&ws, start);
	unc_windows_wait(&ws, unc_check_ms(c, 20, 200, 500));
	unc_windows_each(&ws, end);
	for (size_t i = 0; i < ws.n && ws.rc == 0; i++) {
		c->clocks->seen[i].measured = ws.of[i].in;
		memcpy(c->clocks->seen[i].why, ws.of[i].why, sizeof(ws.of[i].why));
	}
	unc_windows_close(&ws);
	return ws.rc;
}

const struct unc_clock_seen *unc_clock_begin(struct unc_check *c, size_t i)
{
	const struct unc_clock_seen *seen = &c->clocks->seen[i];

	if (!unc_check_begin_box(c, &c->boxes[i], false))
		return NULL;
	if (!seen->measured)
		unc_check_fail(c, "%s", seen->why);
	else if (!seen->clock.ticks)
		unc_check_skip(c, "its clock does not tick; clock.rate tells of it");
	return seen->measured && seen->clock.ticks ? seen : NULL;
}

/* ==== clock.steady ==== */

/* Does the clock go on?  It is read every few milliseconds, and each step is compared with the rate at the beginning. */

/* How much a clock may drift against the time within seconds: crystals warm up, and the time has its own drift. */
static const double drift = 10e-6;

enum { READINGS = 101 };

struct watched { /* one for each channel */
	unsigned slot;
	struct unc_reading readings[READINGS];
	size_t n;
};

static double ms_at(const struct watched *w, size_t i)
{
	return (double)(w->readings[i].before_ns - w->readings[0].before_ns) / 1e6;
}

static struct unc_span drifted(struct unc_span rate)
{
	return (struct unc_span){rate.low * (1 - drift), rate.high * (1 + drift)};
}

/*
 * Was every channel of the socket slow in that step, and are there two of them at least?  That is what the sleep of a package looks
 * like.  A channel that stops alone is not excused by it: if the package slept something is counted from the beginning of that step
 * on, since the reader wakes it.
 */
static bool slept(const struct unc_windows *ws, unsigned socket, size_t i)
{
	unsigned n = 0;

	for (size_t k = 0; k < ws->n; k++) {
		const struct unc_check_box *b = ws->of[k].b;
		const struct watched *w = ws->of[k].seen;
		struct unc_span rate;
		uint64_t ticks;

		if (b->box->socket != socket || i >= w->n)
			continue;
		if (w->readings[w->n - 1].value == w->readings[i - 1].value ||
		    clock_rate(b, &w->readings[i - 1], &w->readings[i], &ticks, &rate) < 0 ||
		    rate.high >= drifted(ws->c->clocks->seen[k].clock.rate).low)
			return false;
		n++;
	}
	return n > 1;
}

/* Judges the step that ends with reading i.  False: it has failed, and the result says so. */
static bool report_step(struct unc_check *c, const struct unc_check_box *b, const struct watched *w, size_t i,
			struct unc_span usual)
{
	struct unc_span rate;
	uint64_t ticks;
	int rc = clock_rate(b, &w->readings[i - 1], &w->readings[i], &ticks, &rate);

	if (rc < 0) {
		unc_check_fail(c, "after %.3f ms: %s", ms_at(w, i), c->m->ctx->msg);
		return false;
	}
	unc_check_point(c, ms_at(w, i), unc_clock_mhz(rate));
	if (!ticks)
		unc_check_fail(c,
			       "the clock stood still from %.3f to %.3f ms after the first look, having run at %.4f "
			       "MHz before (memory that refreshes itself while the package sleeps would stop it, too)",
			       ms_at(w, i - 1), ms_at(w, i), unc_clock_mhz(usual));
	else if (!unc_span_meet(rate, drifted(usual)))
		unc_check_fail(c,
			       "from %.3f to %.3f ms after the first look the clock had %.4f MHz +- %.4f, and before "
			       "%.4f MHz +- %.4f",
			       ms_at(w, i - 1), ms_at(w, i), unc_clock_mhz(rate), unc_clock_doubt_mhz(rate),
			       unc_clock_mhz(usual), unc_clock_doubt_mhz(usual));
	return true;
}

static void report_steady(struct unc_window *window)
{
	struct unc_check *c = window->c;
	struct unc_span all = {0}, usual = c->clocks->seen[window->i].clock.rate;
	const struct unc_check_box *b = window->b;
	const struct watched *w = window->seen;
	size_t i, n_slept = 0;
	uint64_t ticks;
	bool good = true;

	unc_check_begin_plot(
		c, &(struct unc_check_plot){"clock", "ms", "MHz", .low = usual.low / 1e6, .high = usual.high / 1e6});
	for (i = 1; i < w->n && good; i++) {
		if (slept(window->ws, b->box->socket, i))
			n_slept++;
		else
			good = report_step(c, b, w, i, usual);
	}
	if (window->rc < 0)
		unc_check_fail(c, "%s", window->why);
	if (unc_check_failed(c) || clock_rate(b, &w->readings[0], &w->readings[w->n - 1], &ticks, &all) < 0)
		return;
	if (n_slept)
		unc_check_skip(
			c,
			"in %zu of %zu looks the clocks of all channels of the socket were slow together, as when "
			"the package sleeps and memory refreshes itself: nothing can be told of one of them",
			n_slept, w->n);
	else if (!unc_span_meet(all, drifted(usual)))
		unc_check_fail(c, "over %.3f ms the clock had %.4f MHz +- %.4f, and before %.4f MHz +- %.4f",
			       ms_at(w, w->n - 1), unc_clock_mhz(all), unc_clock_doubt_mhz(all), unc_clock_mhz(usual),
			       unc_clock_doubt_mhz(usual));
	else
		unc_check_pass(c, "%.4f MHz +- %.4f over %.3f ms, and in none of %zu looks anything else",
			       unc_clock_mhz(all), unc_clock_doubt_mhz(all), ms_at(w, w->n - 1), w->n);
}

static void watch(struct unc_windows *ws)
{
	bool after = ws->c->now->windows == &unc_clock_after;
	size_t n = 1 + (after ? unc_check_times(ws->c, 2, 3, 5) : unc_check_times(ws->c, 10, 50, READINGS - 1));
	uint64_t step_ns = after ? unc_check_ms(ws->c, 2, 5, 10) : unc_check_ms(ws->c, 10, 20, 50);
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w)) {
		const struct unc_clock_seen *seen = &w->c->clocks->seen[w->i];
		struct watched *watched = w->seen;

		watched->slot = unc_clock_slot(w->b);
		w->in = watched->slot != UNC_CLOCK_NONE && seen->measured && seen->clock.ticks;
		if (w->in)
			unc_clock_start(w->b, watched->slot);
	}
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			unc_windows_wait(ws, step_ns);
		while (unc_windows_next(ws, &w)) {
			struct watched *watched = w->seen;

			watched->readings[watched->n] = unc_drive_count(w->b, watched->slot);
			watched->n += w->b->failed == 0;
		}
	}
	for (size_t i = 0; i < ws->n && ws->rc == 0; i++)
		if (unc_clock_begin(ws->c, i))
			report_steady(&ws->of[i]);
}

const struct unc_windows_def unc_clock_steady = {sizeof(struct watched), watch, NULL, NULL},
			     unc_clock_after = {sizeof(struct watched), watch, NULL, NULL};
