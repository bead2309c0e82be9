// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refuses impossible loads: more in a DCLK cycle than an event's maximum increment, which no counter could take (G-JKT
 * event tables); more bursts than a data bus carries, as each has eight transfers, two in a DCLK cycle (JESD79-3,
 * JESD79-4); and more local traffic than total traffic.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "sim/load.h"

struct group { /* events that one counter may count together */
	const struct unc_sim_load *load;
	size_t channel;
	size_t first, end; /* indices of the events */
};

static size_t group_end(const struct unc_sim_model *model, size_t first)
{
	size_t end = first + 1;

	if (model->events[first].flags & UNC_SIM_RANKS)
		return end;
	while (end < model->n_events && model->events[end].code == model->events[first].code)
		end++;
	return end;
}

/*
 * Returns the sum of the rates of this event and of those of the group that can occur in addition to it, in millionths
 * per second times UNC_SIM_WEIGHT. Sub-events that count the same occurrences, divided in another way, are not added.
 */
static unc_sim_wide rate_at(const struct group *group, size_t event, uint64_t tick)
{
	const struct unc_sim_event *events = group->load->model->events;
	unc_sim_wide sum = 0;
	size_t i;

	for (i = group->first; i < group->end; i++) {
		struct unc_sim_part part = unc_sim_load_part(group->load, group->channel, i);

		if ((events[i].flags ^ events[event].flags) & UNC_SIM_AGAIN)
			continue;
		sum += (unc_sim_wide)unc_sim_curve_rate(part.curve, tick) * (unsigned)(part.whole - part.less);
	}
	return sum;
}

static uint64_t most_a_second(const struct unc_sim_load *load, const struct unc_sim_event *event)
{
	return unc_sim_dclk_hz(load->model) * event->max_inc / (event->clocks ? event->clocks : 1);
}

static int too_fast(struct unc_ctx *ctx, const char *path, const struct group *group, unc_sim_wide rate, unsigned line)
{
	const unc_sim_wide one = (unc_sim_wide)UNC_SIM_RATE_ONE * UNC_SIM_WEIGHT;
	const struct unc_sim_channel_load *channel = &group->load->channels[group->channel];
	const struct unc_sim_event *event = &group->load->model->events[group->first];
	bool several = group->end - group->first > 1;
	char cycles[32] = "DCLK cycle";

	if (event->clocks)
		snprintf(cycles, sizeof(cycles), "%u DCLK cycles", event->clocks);
	return unc_fail(ctx, UNC_EARG,
			"%s:%u: socket%u.imc%u.ch%u: %.*s%s would come %" PRIu64
			" times a second, and there are at most %u each %s, %" PRIu64 " a second; lower it",
			path, line, channel->socket, channel->imc, channel->channel,
			several ? (int)unc_sim_event_base_len(event) : 255, event->name,
			several ? ", all of its sub-events together," : "", (uint64_t)((rate + one - 1) / one),
			event->max_inc, cycles, most_a_second(group->load, event));
}

static int check_group(struct unc_ctx *ctx, const char *path, const struct group *group)
{
	const struct unc_sim_event *event = &group->load->model->events[group->first];
	unc_sim_wide most = (unc_sim_wide)most_a_second(group->load, event) * UNC_SIM_RATE_ONE * UNC_SIM_WEIGHT;
	size_t i, k;

	for (i = group->first; i < group->end; i++) {
		const struct unc_sim_curve *curve = unc_sim_load_part(group->load, group->channel, i).curve;

		for (k = 0; k < curve->n; k++) {
			unc_sim_wide rate = rate_at(group, i, curve->steps[k].at_ns * UNC_SIM_TICKS_PER_NS);

			if (rate > most)
				return too_fast(ctx, path, group, rate, curve->steps[k].line);
		}
	}
	return UNC_OK;
}

/* Local traffic is part of the total; that is checked at every step of both curves. */
static int check_cpu(struct unc_ctx *ctx, const char *path, const struct unc_sim_cpu_load *cpu, size_t number)
{
	const struct unc_sim_curve *curves[] = {&cpu->total, &cpu->local};
	size_t i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < curves[i]->n; k++) {
			const struct unc_sim_step *step = &curves[i]->steps[k];
			uint64_t tick = step->at_ns * UNC_SIM_TICKS_PER_NS;
			uint64_t total = unc_sim_curve_rate(&cpu->total, tick);
			uint64_t local = unc_sim_curve_rate(&cpu->local, tick);

			if (local > total)
				return unc_fail(
					ctx, UNC_EARG,
					"%s:%u: CPU %zu: local would be %" PRIu64 " bytes a second and total %" PRIu64
					", of which it is a part; lower it",
					path, step->line, number, local / UNC_SIM_RATE_ONE, total / UNC_SIM_RATE_ONE);
		}
	}
	return UNC_OK;
}

static int check_cpus(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load)
{
	size_t i;
	int rc;

	for (i = 0; i < load->n_cpus; i++) {
		rc = check_cpu(ctx, path, &load->cpus[i], i);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

int unc_sim_load_check(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load)
{
	struct group group = {.load = load};
	int rc;

	for (group.channel = 0; group.channel < load->n_channels; group.channel++) {
		for (group.first = 0; group.first < load->model->n_events; group.first = group.end) {
			group.end = group_end(load->model, group.first);
			rc = check_group(ctx, path, &group);
			if (rc < 0)
				return rc;
		}
	}
	return check_cpus(ctx, path, load);
}
