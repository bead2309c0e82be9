// SPDX-License-Identifier: GPL-2.0-or-later
/* What was counted in one sample: the items of a plan, of each memory channel and added up. */
#include "cli/counted.h"

#include <stdlib.h>

#include "base/err.h"
#include "cli/flags.h"

void counted_close(struct counted *counted)
{
	plan_clear(&counted->plan);
	channels_clear(&counted->channels);
	free(counted->of_channels);
	free(counted->of_imcs);
	free(counted->of_sockets);
	free(counted->of_machine);
	*counted = (struct counted){0};
}

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct counted *counted = arg;
	int rc = plan_add(&counted->plan, counted->session, box);

	if (rc == 0)
		*ret_n = counted->plan.n_adds;
	return rc;
}

static int make_room(struct counted *counted)
{
	const struct channels *channels = &counted->channels;
	size_t n = counted->plan.n_items;

	counted->of_channels = calloc(channels->n * n, sizeof(*counted->of_channels));
	counted->of_imcs = calloc(channels->n_imcs * n, sizeof(*counted->of_imcs));
	counted->of_sockets = calloc(channels->n_sockets * n, sizeof(*counted->of_sockets));
	counted->of_machine = calloc(n, sizeof(*counted->of_machine));
	if (!counted->of_channels || !counted->of_imcs || !counted->of_sockets || !counted->of_machine)
		return unc_fail(counted->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

/* The index of the first count of a counted channel; all have the same events. */
static size_t first_count(const struct counted *counted)
{
	const struct channel *channel = counted->channels.list;

	while (!channel->counted)
		channel++;
	return channel->first_count;
}

/* An event is shown in one form, however it was written, unless it has its own name. */
static void name_events(struct counted *counted)
{
	for (size_t i = 0; i < counted->plan.n_items; i++) {
		struct plan_item *item = &counted->plan.items[i];
		const char *text = unc_session_event(counted->session, first_count(counted) + item->adds[0]);

		if (text && !item->is_metric && !item->is_named)
			item->name = text;
	}
}

int counted_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		 const struct counted_want *want, struct counted *ret_counted)
{
	struct counted counted = {.ctx = ctx, .machine = machine, .session = session, .per = want->per};
	struct unc_machine_info info;
	int rc;

	unc_machine_info(machine, &info);
	counted.simulated = info.simulated;
	rc = plan_make(ctx, machine, &want->plan, &counted.plan);
	if (rc == 0)
		rc = channels_open(ctx, machine, want->boxes, add_events, &counted, &counted.channels);
	if (rc == 0)
		rc = make_room(&counted);
	if (rc < 0) {
		counted_close(&counted);
		return rc;
	}
	name_events(&counted);
	*ret_counted = counted;
	return UNC_OK;
}

/* ---- a sample ---- */

static void evaluate(const struct counted *counted, const struct plan_item *item, struct accumulator *acc)
{
	double value, doubt;
	int rc;

	if (!acc->given)
		return;
	rc = unc_metric_measure(counted->machine, "imc", item->metric, acc->scaled, acc->doubts,
				accumulator_seconds(acc), &value, &doubt);
	if (rc == UNC_ERANGE)
		acc->flags |= FLAG_BELOW_ZERO;
	if (rc < 0)
		return;
	accumulator_set_value(acc, value, 0);
	acc->doubt = doubt;
}

static void take_channel(const struct counted *counted, const struct plan_item *item, const struct channel *channel,
			 struct accumulator *acc)
{
	const struct unc_count *counts = &counted->counts[channel->first_count];

	if (!channel->counted) {
		*acc = accumulator_missing(counted->counts[0].time_ns);
	} else if (!item->is_metric) {
		*acc = accumulator_of_event(&counts[item->adds[0]]);
	} else if (item->sums) {
		accumulator_of_amount(counts, item->sums, item->n_sums, acc);
	} else {
		*acc = accumulator_of(counts, item->adds, item->n);
		acc->adds = item->info.adds;
		evaluate(counted, item, acc);
	}
}

void counted_sum(const struct counted *counted, const struct channel_group *group, struct accumulator *sums)
{
	size_t n = counted->plan.n_items;

	for (size_t k = 0; k < n; k++) {
		const struct plan_item *item = &counted->plan.items[k];

		sums[k] = (struct accumulator){.adds = !item->is_metric || item->info.adds};
		for (size_t i = group->first; i < group->end; i++)
			accumulator_add(&sums[k], &counted->of_channels[i * n + k]);
		accumulator_end_sum(&sums[k]);
		if (!sums[k].adds)
			evaluate(counted, item, &sums[k]);
	}
}

/* The unit of an event is known with its counts. */
static void learn_units(struct counted *counted)
{
	size_t first = first_count(counted);

	for (size_t i = 0; i < counted->plan.n_items; i++) {
		struct plan_item *item = &counted->plan.items[i];

		if (!item->is_metric)
			item->unit = counted->counts[first + item->adds[0]].unit;
	}
}

void counted_take(struct counted *counted, const struct unc_count *counts)
{
	const struct channels *channels = &counted->channels;
	size_t n = counted->plan.n_items;

	counted->counts = counts;
	learn_units(counted);
	for (size_t i = 0; i < channels->n; i++)
		for (size_t k = 0; k < n; k++)
			take_channel(counted, &counted->plan.items[k], &channels->list[i],
				     &counted->of_channels[i * n + k]);
}

/* ---- rows ---- */

void place_values(const char *label, const struct unc_box_info *info, enum per per, struct row *row)
{
	row->values[C_LABEL] = text_value(label);
	if (per <= PER_SOCKET)
		row->values[C_SOCKET] = number_value(info->socket);
	if (per <= PER_IMC)
		row->values[C_IMC] = number_value(info->imc);
	if (per == PER_CHANNEL) {
		row->values[C_CHANNEL] = number_value(info->channel);
		row->values[C_PCI] = text_value(info->pci);
	}
}

void time_values(const struct accumulator *acc, struct row *row)
{
	row->values[C_TIME] = number_value(acc->time_ns);
	if (acc->interval_ns)
		row->values[C_INTERVAL] = number_value(acc->interval_ns);
}

void emit_flagged(struct row *row, const struct row_flags *flags, struct emitter *emitter)
{
	/* In a table, what was scaled and what was never counted show in columns of their own, and the title says simulated. */
	unsigned noted = flags->flags & ~(unsigned)(UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN);
	char text[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX];

	row->values[flags->column] = text_value(flags_text(flags->flags, flags->partial, flags->simulated, text));
	row->values[flags->notes_column] = text_value(flags_text(noted, flags->partial, false, notes));
	emit_row(emitter, row);
}
