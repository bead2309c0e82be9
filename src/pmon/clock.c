// SPDX-License-Identifier: GPL-2.0-or-later
/* Notes about boxes that stood still: which ones, and the evidence of which program stopped them. */

#include "machine/users.h"
#include "pmon/counter.h"
#include "pmon/pmon.h"
#include "pmon/session.h"

void unc_session_note_stopped(struct unc_session *s)
{
	const struct unc_pmon_box *first = NULL;
	char others[40] = "";
	size_t n = 0;

	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes; pbox++) {
		if (!pbox->stood_still || pbox->told_stopped)
			continue;
		pbox->told_stopped = true;
		first = first ? first : pbox;
		n++;
	}
	if (n > 1)
		snprintf(others, sizeof(others), " and %zu more", n - 1);
	if (first)
		unc_note(s->machine->ctx, "%s%s: stood still: %s", first->box->name, others,
			 unc_is_judged(first) ? first->always->stopped
			 : first->frozen
				 ? "BOX_CTL reads as frozen, and another program or the firmware wrote that"
				 : "the clock did not tick: another program or the firmware froze the box or its "
				   "socket, or the package slept (PC3, PC6); `uncorectl doctor` names other users");
}

void unc_session_note_who_stopped(struct unc_session *s)
{
	struct unc_ctx *ctx = s->machine->ctx;
	char evidence[600], read[100];
	struct unc_saved_msg said;
	size_t i = 0;

	while (i < s->n_pboxes) {
		struct unc_box *first = NULL, *frozen = NULL;
		unsigned socket = s->pboxes[i].box->socket;
		size_t n = 0;

		for (; i < s->n_pboxes && s->pboxes[i].box->socket == socket; i++) {
			const struct unc_pmon_box *pbox = &s->pboxes[i];

			if (!pbox->told_stopped || unc_is_judged(pbox))
				continue;
			first = first ? first : pbox->box;
			frozen = frozen || !pbox->read_frozen ? frozen : pbox->box;
			n++;
		}
		if (!first)
			continue;
		/* At this point BOX_CTL holds again what it was found to hold at the start. */
		read[0] = '\0';
		if (frozen)
			snprintf(read, sizeof(read), "BOX_CTL of %s read frz=1", frozen->name);
		unc_msg_save(ctx, &said);
		if (unc_users_of_freeze(first, evidence, sizeof(evidence)) == 0 && (read[0] || evidence[0]))
			unc_note(ctx, "socket%u: channels stood still in this run: %zu; found here: %s%s%s", socket, n,
				 read, read[0] && evidence[0] ? "; " : "", evidence);
		unc_msg_restore(ctx, &said);
	}
}

/*
 * Finds out whether a box ran.  The bits that freeze it do not read back on most parts, and a box in a deep package sleep reads
 * like any other.  Its clock shows it: DCLK ticks at a constant rate, so too few ticks prove that the box stood still, and give
 * the least time for which it did.
 */

/* The error of a measured rate is less than 1/50. */
enum { CLOSE_PART = 50 };
/* With the temperature, a crystal's rate falls by less than 1 ppm per second, and by less than 100 ppm in total. */
#define DRIFT_PER_NS 1e-15
#define DRIFT_MOST   1e-4
/* Every DRAM clock has ticked after this time: the slowest that DDR3 is made for is 400 MHz. */
enum { TICKS_NS = 1000 };

const struct unc_event unc_box_clock_event = {.name = "the box's clock", .fixed = true, .max_inc = 1, .scale = 1};

void unc_box_clock_find_event(struct unc_pmon_box *pbox)
{
	static const char *const names[] = {"dclockticks", "clockticks", "umc_mem_clk"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) && !pbox->clock_event; i++) {
		const struct unc_event *event = unc_unit_event(pbox->box->unit, names[i]);

		if (event && !event->fixed)
			unc_wanted_new(pbox->box, names[i], &pbox->clock_event);
	}
}

void unc_box_clock_borrow(struct unc_pmon_box *pbox)
{
	struct unc_slot *before = pbox->clock.slot;

	pbox->clock.slot = NULL;
	for (unsigned i = pbox->n_slots; i-- > 0;) {
		struct unc_slot *slot = &pbox->slots[i];

		if (!slot->enabled || !(slot->fixed || (pbox->clock_event && unc_wanted_is(pbox->box, pbox->clock_event,
											   slot->ctl, slot->found))))
			continue;
		pbox->clock.slot = slot;
		pbox->clock.borrowed = true;
		break;
	}
	if (pbox->clock.slot != before)
		unc_box_clock_forget(pbox);
}

const struct unc_slot *unc_box_clock_of_others(struct unc_pmon_box *pbox)
{
	struct unc_slot *slot;

	unc_box_clock_find_event(pbox);
	unc_box_clock_borrow(pbox);
	slot = pbox->clock.slot;
	unc_wanted_free(pbox->clock_event);
	pbox->clock_event = NULL;
	pbox->clock = (struct unc_box_clock){0};
	return slot;
}

bool unc_box_clock_is_sampled(const struct unc_pmon_box *pbox)
{
	return !pbox->clock.by_look && unc_box_clock_is_in_block(pbox);
}

bool unc_box_clock_is_in_block(const struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_running; i++)
		if (pbox->running[i] == pbox->clock.slot)
			return true;
	return false;
}

bool unc_box_clock_is_known(const struct unc_pmon_box *pbox)
{
	return unc_is_judged(pbox) ? pbox->rate_known : !pbox->clock.slot || pbox->clock.known;
}

struct unc_clock_rate unc_box_clock_rate(const struct unc_pmon_box *pbox)
{
	const struct unc_box_clock *clock = &pbox->clock;
	const struct unc_unit *unit = pbox->box->unit;
	const struct unc_event *event = NULL;

	if (!clock->slot || clock->slot->stolen)
		return (struct unc_clock_rate){0};
	if (!clock->slot->fixed)
		event = &pbox->clock_event->event;
	for (size_t i = 0; i < unit->n_events && !event; i++)
		event = unit->events[i].fixed ? &unit->events[i] : NULL;
	return (struct unc_clock_rate){clock->close ? 1e9 * (clock->rate + clock->rate_most) / 2 : 0,
				       event ? event->clock_bytes : 0, clock->ticked ? clock->total : 0};
}

struct unc_clock_rate unc_session_clock(const struct unc_session *s, const struct unc_box *box)
{
	for (size_t i = 0; i < s->n_pboxes; i++)
		if (s->pboxes[i].box == box)
			return unc_box_clock_rate(&s->pboxes[i]);
	return (struct unc_clock_rate){0};
}

static void begin_judgement(struct unc_box_clock *clock)
{
	clock->least_ns = clock->ticks = clock->slowest_ns = clock->slowest_ticks = 0;
	clock->jumped = false;
}

void unc_box_clock_forget(struct unc_pmon_box *pbox)
{
	pbox->clock.has_from = false;
	begin_judgement(&pbox->clock);
}

void unc_box_clock_begin(struct unc_pmon_box *pbox, uint64_t value, uint64_t before_ns, uint64_t after_ns)
{
	pbox->clock.from = value;
	pbox->clock.since = (struct unc_stop){before_ns, after_ns};
	pbox->clock.has_from = true;
}

/*
 * True if the clock ticked faster than it can: another program wrote it, or released a box that we had stopped before it was
 * read.  If UNC_RATES measurements in a row are too fast and each agrees with the one before, their rate is the true one: the
 * rate measured earlier had stops in it.
 */
static bool is_too_fast(struct unc_box_clock *clock, double rate, double rate_most)
{
	bool again = clock->n_too_fast > 0 && rate < clock->too_fast_most && clock->too_fast < rate_most;

	if (!clock->known || rate <= clock->rate_most * (1 + DRIFT_MOST)) {
		clock->n_too_fast = 0;
		return false;
	}
	clock->n_too_fast = again ? clock->n_too_fast + 1 : 1;
	clock->too_fast = rate;
	clock->too_fast_most = rate_most;
	return clock->n_too_fast < UNC_RATES;
}

/*
 * Accumulates what was seen since the last verdict.  The clock's rate is at least the fastest rate that was proven.  When a
 * second measurement agrees, that is the rate: a stop within one of them would have made them differ.
 */
static void remember(struct unc_box_clock *clock, uint64_t ticks, const struct unc_stop *when)
{
	double most_ns = (double)(when->after_ns - clock->since.before_ns) + 1, least_ns = 0, drift, rate, rate_most;
	bool close;

	if (when->before_ns > clock->since.after_ns)
		least_ns = (double)(when->before_ns - clock->since.after_ns);
	drift = least_ns * DRIFT_PER_NS;
	clock->least_ns += least_ns;
	if (least_ns > 0 &&
	    (clock->slowest_ns == 0 || (double)(ticks + 1) * clock->slowest_ns < clock->slowest_ticks * least_ns)) {
		clock->slowest_ns = least_ns;
		clock->slowest_ticks = (double)(ticks + 1);
	}
	clock->rate -= clock->rate * (drift < DRIFT_MOST ? drift : DRIFT_MOST);
	if (ticks == 0)
		return;
	clock->ticked = true;
	clock->ticks += (double)(ticks + 1);
	rate = (double)(ticks - 1) / most_ns;
	rate_most = (double)(ticks + 1) / least_ns;
	if (is_too_fast(clock, rate, rate_most)) {
		clock->jumped |= rate > clock->rate_most * (1 + 1.0 / UNC_STILL_PART);
		return;
	}
	close = most_ns - least_ns < most_ns / CLOSE_PART;
	clock->known |= close && clock->close && rate < clock->rate_most && clock->rate < rate_most;
	if (rate > clock->rate) {
		clock->rate = rate;
		clock->rate_most = rate_most;
		clock->close = close;
	}
}

/* Returns the least time for which the box stood still. */
static double still_ns(const struct unc_box_clock *clock)
{
	double all_ns, slowest_ns;

	if (clock->ticks == 0)
		return clock->least_ns;
	if (clock->rate == 0)
		return 0;
	all_ns = clock->least_ns - clock->ticks / clock->rate;
	slowest_ns = clock->slowest_ns - clock->slowest_ticks / clock->rate;
	return all_ns > slowest_ns ? all_ns : slowest_ns;
}

enum unc_box_clock_verdict unc_box_clock_see(struct unc_pmon_box *pbox, uint64_t value, const struct unc_stop *when,
					     uint64_t shortest_ns)
{
	const struct unc_unit *unit = pbox->box->unit;
	struct unc_box_clock *clock = &pbox->clock;
	bool has_from = clock->has_from, stood, ticked, jumped, short_of_ticks;
	uint64_t ticks = unc_delta(clock->from, value, unit->counter_bits);
	double still;

	if (!clock->slot || clock->slot->stolen || clock->slot->disputed)
		return UNC_CLOCK_UNKNOWN;
	if (has_from &&
	    ticks > unc_most(&unc_box_clock_event, unit->max_clock_hz, when->after_ns - clock->since.before_ns))
		has_from = false; /* another program wrote it */
	if (has_from) {
		clock->total += ticks;
		remember(clock, ticks, when);
	}
	unc_box_clock_begin(pbox, value, when->before_ns, when->after_ns);
	if (shortest_ns == UINT64_MAX)
		return UNC_CLOCK_UNKNOWN;
	still = still_ns(clock);
	ticked = clock->ticks > 0;
	jumped = clock->jumped;
	begin_judgement(clock);
	stood = clock->stood; /* the last verdict's stop reaches into this time, so part of this time is missing, however small */
	clock->stood = clock->stands;
	/* A counter that never ticked may not count a clock; a fixed one is taken for a clock unless another counter moved. */
	if (!has_from || !(clock->ticked || (clock->slot->fixed && !pbox->moved)))
		return UNC_CLOCK_UNKNOWN;
	if (stood || clock->stands)
		return UNC_CLOCK_STOOD;
	short_of_ticks = still > TICKS_NS && still > (double)shortest_ns / UNC_STILL_PART;
	if (short_of_ticks && clock->borrowed && ticked)
		return UNC_CLOCK_PAUSED;
	if (short_of_ticks)
		return UNC_CLOCK_STOOD;
	return jumped ? UNC_CLOCK_JUMPED : UNC_CLOCK_RAN;
}
