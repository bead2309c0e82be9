// SPDX-License-Identifier: GPL-2.0-or-later
/* What the commands that count events share: the session, and what was counted in one sample. */
#include "cli/counting.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "pmon/free.h"

int counting_options_done(void *arg, const struct sampler_options *options)
{
	struct counting *counting = arg;

	counting->cfg.observe = options->observe;
	counting->want.stand_ins = options->observe;
	counting->cfg.interval_ns = sampler_interval_ns(options);
	counting->cfg.confirm_later = true;
	if (options->observe && (counting->cfg.freeze || counting->cfg.force))
		return usage_error("--%s needs a register to be written, and --observe writes none: only one of them",
				   counting->cfg.freeze ? "freeze" : "force");
	return EXIT_DONE;
}

/* ---- the session ---- */

static int add_plan(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct counting *counting = arg;
	int rc = plan_add(&counting->plan, counting->session, box);

	if (rc == 0)
		*ret_n = counting->plan.n_adds;
	return rc;
}

static int make_room(struct counting *counting)
{
	const struct channels *channels = &counting->channels;
	size_t n = counting->plan.n_items;

	counting->of_channels = calloc(channels->n * n, sizeof(*counting->of_channels));
	counting->of_imcs = calloc(channels->n_imcs * n, sizeof(*counting->of_imcs));
	counting->of_sockets = calloc(channels->n_sockets * n, sizeof(*counting->of_sockets));
	counting->of_machine = calloc(channels->n_totals * n, sizeof(*counting->of_machine));
	if (!counting->of_channels || !counting->of_imcs || !counting->of_sockets || !counting->of_machine)
		return unc_fail(counting->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

/* The index of the first count of a counted channel; all have the same events. */
static size_t first_count(const struct counting *counting)
{
	const struct channel *channel = counting->channels.list;

	while (!channel->counted)
		channel++;
	return channel->first_count;
}

/* An event is shown in one form, however it was written, unless it has its own name. */
static void name_events(struct counting *counting)
{
	for (size_t i = 0; i < counting->plan.n_items; i++) {
		struct plan_item *item = &counting->plan.items[i];
		const char *text = unc_session_event(counting->session, first_count(counting) + item->adds[0]);

		if (text && !item->is_metric && !item->is_named)
			item->name = text;
	}
}

static int open_plan(struct counting *counting)
{
	int rc = UNC_OK;

	if (counting->perfmon)
		rc = plan_import(counting->ctx, counting->machine, counting->perfmon, &counting->want.events);
	if (rc == 0)
		rc = plan_make(counting->ctx, counting->machine, &counting->want, &counting->plan);
	if (rc == 0)
		rc = channels_open(counting->ctx, counting->machine, "imc", counting->boxes, add_plan, counting,
				   &counting->channels);
	if (rc == 0)
		rc = make_room(counting);
	if (rc == 0)
		name_events(counting);
	return rc;
}

/* ---- counters of whole controllers ---- */

/* What a plan of reads and of writes is made of then. */
static const struct amount_sum free_sums[UNC_FREE_COUNTS] = {
	[UNC_FREE_READS] = {.n = 1, .which = {UNC_FREE_READS}, .weights = {UNC_FREE_BYTES}},
	[UNC_FREE_WRITES] = {.n = 1, .which = {UNC_FREE_WRITES}, .weights = {UNC_FREE_BYTES}},
};

static int add_free_running(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct counting *counting = arg;

	*ret_n = UNC_FREE_COUNTS;
	return unc_free_add(counting->free_running, box);
}

static void forget_channels(struct counting *counting)
{
	channels_clear(&counting->channels);
	free(counting->of_channels);
	free(counting->of_imcs);
	free(counting->of_sockets);
	free(counting->of_machine);
	counting->of_channels = counting->of_imcs = counting->of_sockets = counting->of_machine = NULL;
}

/* Channels cannot be counted for a reason that does not concern counters which only have to be read. */
static bool falls_back(const struct counting *counting, int rc)
{
	bool taken = rc == UNC_EBUSY || rc == UNC_EPERM || rc == UNC_EDENIED;

	return counting->falls_back && !counting->boxes && (taken || (counting->cfg.observe && rc == UNC_ENODEV)) &&
	       unc_box_count(counting->machine, UNC_FREE_UNIT) > 0;
}

static int open_free_running(struct counting *counting)
{
	int rc = unc_free_open(counting->machine, &counting->free_running);

	if (rc == 0)
		rc = channels_open(counting->ctx, counting->machine, UNC_FREE_UNIT, NULL, add_free_running, counting,
				   &counting->channels);
	return rc == 0 ? make_room(counting) : rc;
}

/* Returns the failure of the channels if there is nothing else to count. */
static int fall_back(struct counting *counting, int failure)
{
	struct unc_saved_msg why;
	int rc;

	unc_msg_save(counting->ctx, &why);
	rc = unc_session_close(counting->session);
	counting->session = NULL;
	forget_channels(counting);
	if (rc == 0)
		rc = open_free_running(counting);
	unc_msg_restore(counting->ctx, &why);
	if (rc < 0)
		return failure;
	if (counting->per == PER_CHANNEL)
		counting->per = PER_IMC;
	say("note: %s; so the counters that always run are shown, one row for each memory controller",
	    unc_errmsg(counting->ctx));
	return UNC_OK;
}

int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct counting *counting = arg;
	int rc = unc_session_open(machine, &counting->cfg, &counting->session);
	struct unc_machine_info info;

	unc_machine_info(machine, &info);
	counting->ctx = ctx;
	counting->machine = machine;
	counting->simulated = info.simulated;
	if (rc == 0 && counting->add_counters)
		rc = channels_open(ctx, machine, "imc", counting->boxes, counting->add_counters, counting,
				   &counting->channels);
	else if (rc == 0)
		rc = open_plan(counting);
	if (rc == 0)
		rc = unc_session_start(counting->session);
	if (falls_back(counting, rc))
		rc = fall_back(counting, rc);
	*ret_bytes = counting->channels.n_counts * sizeof(struct unc_count);
	return rc;
}

int counting_sleep_until(void *arg, uint64_t mono_ns)
{
	struct counting *counting = arg;

	if (counting->free_running)
		return unc_machine_sleep_until(counting->machine, mono_ns);
	return unc_session_sleep_until(counting->session, mono_ns);
}

int counting_read(void *arg, void *read, bool *ret_pending)
{
	struct counting *counting = arg;
	const struct unc_count *counts = read;
	int rc;

	if (counting->free_running)
		return unc_free_read(counting->free_running, read, counting->channels.n_counts);
	rc = unc_session_read(counting->session, read, counting->channels.n_counts);

	for (size_t i = 0; i < counting->channels.n_counts && rc == 0; i++)
		*ret_pending |= counts[i].flags & UNC_COUNT_PENDING;
	return rc;
}

/* The flags of the counts show a box that does not answer; if no box answers, the next read fails. */
void counting_confirm(void *arg, void *reads, size_t n)
{
	struct counting *counting = arg;

	if (!counting->free_running)
		unc_session_confirm(counting->session, reads, n * counting->channels.n_counts);
}

int counting_stop(void *arg)
{
	struct counting *counting = arg;
	int rc = unc_session_close(counting->session);

	counting->session = NULL;
	return rc;
}

void counting_close(void *arg)
{
	struct counting *counting = arg;

	event_list_clear(&counting->want.events);
	plan_clear(&counting->plan);
	forget_channels(counting);
	unc_free_close(counting->free_running);
}

/* ---- a sample ---- */

static void evaluate(const struct counting *counting, const struct plan_item *item, struct accumulator *acc)
{
	double value, doubt;
	int rc;

	if (!acc->given)
		return;
	rc = unc_metric_measure(counting->machine, "imc", item->metric, acc->scaled, acc->doubts,
				accumulator_seconds(acc), &value, &doubt);
	if (rc == UNC_ERANGE)
		acc->flags |= FLAG_BELOW_ZERO;
	if (rc < 0)
		return;
	accumulator_set_value(acc, value, 0);
	acc->doubt = doubt;
}

static void take_channel(const struct counting *counting, const struct plan_item *item, const struct channel *channel,
			 struct accumulator *acc)
{
	const struct unc_count *counts = &counting->counts[channel->first_count];

	if (!channel->counted) {
		*acc = accumulator_missing(counting->counts[0].time_ns);
	} else if (!item->is_metric) {
		*acc = accumulator_of_event(&counts[item->adds[0]]);
	} else if (counting->free_running) {
		accumulator_of_amount(counts, &free_sums[item - counting->plan.items], 1, acc);
	} else if (item->sums) {
		accumulator_of_amount(counts, item->sums, item->n_sums, acc);
	} else {
		*acc = accumulator_of(counts, item->adds, item->n);
		acc->adds = item->info.adds;
		evaluate(counting, item, acc);
	}
}

void counting_sum(const struct counting *counting, const struct channel_group *group, struct accumulator *sums)
{
	size_t n = counting->plan.n_items;

	for (size_t k = 0; k < n; k++) {
		const struct plan_item *item = &counting->plan.items[k];

		sums[k] = (struct accumulator){.adds = !item->is_metric || item->info.adds};
		for (size_t i = group->first; i < group->end; i++)
			accumulator_add(&sums[k], &counting->of_channels[i * n + k]);
		accumulator_end_sum(&sums[k]);
		if (!sums[k].adds)
			evaluate(counting, item, &sums[k]);
	}
}

/* The unit of an event is known with its counts. */
static void learn_units(struct counting *counting)
{
	size_t first = first_count(counting);

	for (size_t i = 0; i < counting->plan.n_items; i++) {
		struct plan_item *item = &counting->plan.items[i];

		if (!item->is_metric)
			item->unit = counting->counts[first + item->adds[0]].unit;
	}
}

void counting_take(struct counting *counting, const struct unc_count *counts)
{
	const struct channels *channels = &counting->channels;
	size_t n = counting->plan.n_items;

	counting->counts = counts;
	learn_units(counting);
	for (size_t i = 0; i < channels->n; i++)
		for (size_t k = 0; k < n; k++)
			take_channel(counting, &counting->plan.items[k], &channels->list[i],
				     &counting->of_channels[i * n + k]);
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

bool counting_has_kinds(void *arg)
{
	const struct counting *counting = arg;

	return counting->channels.n_totals > 1;
}

void memory_value(const struct unc_box_info *info, size_t column, struct row *row)
{
	row->values[column] = text_value(info->hbm ? "hbm" : "ddr");
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
