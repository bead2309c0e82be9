// SPDX-License-Identifier: GPL-2.0-or-later
/* Rates over time and their exact integrals, and the occurrences of events in each cycle that come of them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/curve.h"

int unc_sim_curve_add(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t rate, unsigned line)
{
	const struct unc_sim_step step = {
		.at_ns = at_ns,
		.rate = rate,
		.before = unc_sim_curve_integral(curve, at_ns * UNC_SIM_TICKS_PER_NS),
		.line = line,
	};

	return unc_array_add(&curve->steps, &curve->n, &step, sizeof(step)) ? UNC_OK : UNC_ENOMEM;
}

int unc_sim_curve_raise(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t delta)
{
	size_t i = curve->n;

	while (i && curve->steps[i - 1].at_ns >= at_ns)
		i--;
	if (i == curve->n || curve->steps[i].at_ns != at_ns) {
		uint64_t tick = at_ns * UNC_SIM_TICKS_PER_NS;
		const struct unc_sim_step step = {.at_ns = at_ns,
						  .rate = unc_sim_curve_rate(curve, tick),
						  .before = unc_sim_curve_integral(curve, tick)};

		if (!unc_array_add(&curve->steps, &curve->n, &step, sizeof(step)))
			return UNC_ENOMEM;
		memmove(&curve->steps[i + 1], &curve->steps[i], (curve->n - 1 - i) * sizeof(step));
		curve->steps[i] = step;
	}
	for (; i < curve->n; i++) {
		struct unc_sim_step *step = &curve->steps[i], *next = step + 1;

		step->rate += delta;
		if (i + 1 < curve->n)
			next->before = step->before +
				       (unc_sim_wide)step->rate * UNC_SIM_TICKS_PER_NS * (next->at_ns - step->at_ns);
	}
	return UNC_OK;
}

int unc_sim_curve_copy(const struct unc_sim_curve *from, struct unc_sim_curve *to)
{
	unc_sim_curve_clear(to);
	for (size_t i = 0; i < from->n; i++)
		if (unc_sim_curve_add(to, from->steps[i].at_ns, from->steps[i].rate, from->steps[i].line) < 0)
			return UNC_ENOMEM;
	return UNC_OK;
}

void unc_sim_curve_clear(struct unc_sim_curve *curve)
{
	free(curve->steps);
	*curve = (struct unc_sim_curve){0};
}

/* How many steps have begun at that time. */
static size_t steps_begun(const struct unc_sim_curve *curve, uint64_t tick)
{
	size_t low = 0, high = curve->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (curve->steps[middle].at_ns * UNC_SIM_TICKS_PER_NS <= tick)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

unc_sim_wide unc_sim_curve_integral(const struct unc_sim_curve *curve, uint64_t tick)
{
	size_t begun = steps_begun(curve, tick);
	const struct unc_sim_step *step;

	if (begun == 0)
		return 0;
	step = &curve->steps[begun - 1];
	return step->before + (unc_sim_wide)step->rate * (tick - step->at_ns * UNC_SIM_TICKS_PER_NS);
}

uint64_t unc_sim_curve_rate(const struct unc_sim_curve *curve, uint64_t tick)
{
	size_t begun = steps_begun(curve, tick);

	return begun ? curve->steps[begun - 1].rate : 0;
}

uint64_t unc_sim_curve_next(const struct unc_sim_curve *curve, uint64_t tick)
{
	size_t begun = steps_begun(curve, tick);

	return begun < curve->n ? curve->steps[begun].at_ns * UNC_SIM_TICKS_PER_NS : UINT64_MAX;
}

/* One occurrence, in rate * ticks * weight: a second has 12e9 ticks. */
#define ONE (UNC_SIM_RATE_ONE * UINT64_C(1000000000) * UNC_SIM_TICKS_PER_NS * UNC_SIM_WEIGHT)

enum { MILLION = 1000000 };

uint64_t unc_sim_cycles(unsigned ticks_per_cycle, int off_ppm, uint64_t tick)
{
	if (!off_ppm)
		return tick / ticks_per_cycle;
	return (uint64_t)((unc_sim_wide)tick * (unsigned)(MILLION + off_ppm) /
			  ((unc_sim_wide)ticks_per_cycle * MILLION));
}

/* Returns when cycle k begins; if that is between two ticks, the later one. */
static uint64_t first_tick(const struct unc_sim_stream *stream, uint64_t k)
{
	unsigned speed = (unsigned)(MILLION + stream->off_ppm);

	if (!stream->off_ppm)
		return k * stream->ticks_per_cycle;
	return (uint64_t)(((unc_sim_wide)k * stream->ticks_per_cycle * MILLION + speed - 1) / speed);
}

static uint64_t cycles_until(const struct unc_sim_stream *stream, uint64_t tick)
{
	return unc_sim_cycles(stream->ticks_per_cycle, stream->off_ppm, tick);
}

uint64_t unc_sim_part_count(const struct unc_sim_part *part, uint64_t t_ns)
{
	unc_sim_wide integral = unc_sim_curve_integral(part->curve, t_ns * UNC_SIM_TICKS_PER_NS);
	uint64_t count = (uint64_t)(integral * part->whole / ONE);

	if (part->less)
		count -= (uint64_t)(integral * part->less / ONE);
	return count;
}

unc_sim_wide unc_sim_part_rate(const struct unc_sim_part *part, uint64_t tick)
{
	return (unc_sim_wide)unc_sim_curve_rate(part->curve, tick) * (unsigned)(part->whole - part->less);
}

uint64_t unc_sim_stream_count(const struct unc_sim_stream *stream, uint64_t t_ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < stream->n; i++)
		count += unc_sim_part_count(&stream->parts[i], t_ns);
	return count;
}

/* Returns the occurrences before cycle k in the even pattern: the integral of all parts together, rounded down once. */
static unc_sim_wide joint(const struct unc_sim_stream *stream, uint64_t k)
{
	unc_sim_wide sum = 0;

	for (size_t i = 0; i < stream->n; i++)
		sum += unc_sim_curve_integral(stream->parts[i].curve, first_tick(stream, k)) *
		       (unsigned)(stream->parts[i].whole - stream->parts[i].less);
	return sum / ONE;
}

/* Returns the average increment of a cycle at that time, in units of 1 / ONE. */
static unc_sim_wide average(const struct unc_sim_stream *stream, uint64_t tick)
{
	unc_sim_wide sum = 0;

	for (size_t i = 0; i < stream->n; i++)
		sum += unc_sim_part_rate(&stream->parts[i], tick);
	sum *= stream->ticks_per_cycle;
	return stream->off_ppm ? sum * MILLION / (unsigned)(MILLION + stream->off_ppm) : sum;
}

struct walk {
	const struct unc_sim_stream *stream;
	unsigned thresh;
	struct unc_sim_cycle_counts counts;
	bool hit; /* whether the last cycle was a hit; false before the first */
};

static bool is_hit(const struct walk *walk, uint64_t k)
{
	return joint(walk->stream, k + 1) - joint(walk->stream, k) >= walk->thresh;
}

/*
 * Counts cycles first to end - 1; the rate is constant from the begin of the first to the end of the last. Each cycle
 * adds q = floor(a) or q + 1, so with thresh = q + 1 the number of hits is the sum of the increments minus q for each
 * cycle. A lower threshold is always reached, a higher one never; the same expression, limited to 0 and the number of
 * cycles, gives that, too.
 *
 * The edges between them: with thresh = q + 1 and f = a - q, any two cycles have at least floor(2f) and at most
 * ceil(2f) hits. So for f <= 1/2 no two hits are neighbours, and each hit is an edge; for f >= 1/2 no two misses are,
 * and an edge comes after each miss.
 */
static void walk_run(struct walk *walk, uint64_t first, uint64_t end)
{
	uint64_t n = end - first;
	unc_sim_wide added = joint(walk->stream, end) - joint(walk->stream, first);
	unc_sim_wide below = (unc_sim_wide)(walk->thresh - 1) * n;
	uint64_t hits = added <= below ? 0 : added - below > n ? n : (uint64_t)(added - below);
	unc_sim_wide a = average(walk->stream, first_tick(walk->stream, first));
	bool first_hit = is_hit(walk, first), last_hit = is_hit(walk, end - 1);

	walk->counts.hits += hits;
	walk->counts.edges += first_hit && !walk->hit;
	if (a / ONE + 1 == walk->thresh && a % ONE * 2 <= ONE)
		walk->counts.edges += hits - first_hit;
	else if (a / ONE + 1 >= walk->thresh)
		walk->counts.edges += n - hits - !last_hit;
	walk->hit = last_hit;
}

struct unc_sim_cycle_counts unc_sim_stream_cycles(const struct unc_sim_stream *stream, unsigned thresh, uint64_t t_ns)
{
	struct walk walk = {.stream = stream, .thresh = thresh};
	uint64_t k = 0, n = cycles_until(stream, t_ns * UNC_SIM_TICKS_PER_NS);

	while (k < n) {
		uint64_t tick = first_tick(stream, k), next = UINT64_MAX, whole;

		for (size_t i = 0; i < stream->n; i++)
			next = unc_sim_least(next, unc_sim_curve_next(stream->parts[i].curve, tick));
		whole = unc_sim_least(n, cycles_until(stream, next));
		if (whole > k) {
			walk_run(&walk, k, whole);
			k = whole;
		} else {
			/* one cycle in which the rate changes */
			bool hit = is_hit(&walk, k++);

			walk.counts.hits += hit;
			walk.counts.edges += hit && !walk.hit;
			walk.hit = hit;
		}
	}
	return walk.counts;
}
