// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "uncore.h"

int unc_sim_curve_add(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t rate, unsigned line)
{
	struct unc_sim_step *steps = unc_array_more(curve->steps, curve->n, sizeof(*steps));

	if (!steps)
		return UNC_ENOMEM;
	curve->steps = steps;
	steps[curve->n] = (struct unc_sim_step){
		.at_ns = at_ns,
		.rate = rate,
		.before = unc_sim_curve_integral(curve, at_ns * UNC_SIM_TICKS_PER_NS),
		.line = line,
	};
	curve->n++;
	return UNC_OK;
}

static int step_at(struct unc_sim_curve *curve, size_t i, uint64_t at_ns)
{
	struct unc_sim_step *steps = unc_array_more(curve->steps, curve->n, sizeof(*steps));
	uint64_t tick = at_ns * UNC_SIM_TICKS_PER_NS;
	struct unc_sim_step step;

	if (!steps)
		return UNC_ENOMEM;
	curve->steps = steps;
	step = (struct unc_sim_step){
		.at_ns = at_ns, .rate = unc_sim_curve_rate(curve, tick), .before = unc_sim_curve_integral(curve, tick)};
	memmove(&steps[i + 1], &steps[i], (curve->n - i) * sizeof(*steps));
	steps[i] = step;
	curve->n++;
	return UNC_OK;
}

int unc_sim_curve_raise(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t delta)
{
	size_t i = curve->n;

	while (i && curve->steps[i - 1].at_ns >= at_ns)
		i--;
	if ((i == curve->n || curve->steps[i].at_ns != at_ns) && step_at(curve, i, at_ns) < 0)
		return UNC_ENOMEM;
	for (; i < curve->n; i++) {
		struct unc_sim_step *step = &curve->steps[i], *next = step + 1;

		step->rate += delta;
		if (i + 1 < curve->n)
			next->before = step->before +
				       (unc_sim_wide)step->rate * UNC_SIM_TICKS_PER_NS * (next->at_ns - step->at_ns);
	}
	return UNC_OK;
}

int unc_sim_curve_copy(const struct unc_sim_curve *from, struct unc_sim_curve *ret_curve)
{
	struct unc_sim_curve copy = {0};
	size_t i;

	for (i = 0; i < from->n; i++) {
		if (unc_sim_curve_add(&copy, from->steps[i].at_ns, from->steps[i].rate, from->steps[i].line) < 0) {
			unc_sim_curve_clear(&copy);
			return UNC_ENOMEM;
		}
	}
	*ret_curve = copy;
	return UNC_OK;
}

void unc_sim_curve_clear(struct unc_sim_curve *curve)
{
	free(curve->steps);
	curve->steps = NULL;
	curve->n = 0;
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
