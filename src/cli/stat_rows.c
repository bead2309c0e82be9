// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/stat_rows.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/flags.h"
#include "cli/stat_import.h"

enum column_index {
	C_LABEL,
	C_TIME,
	C_INTERVAL,
	C_SOCKET,
	C_IMC,
	C_CHANNEL,
	C_PCI,
	C_EVENT,
	C_COUNT,
	C_ENABLED,
	C_RUNNING,
	C_VALUE,
	C_UNIT,
	C_PER_S,
	C_RAN,
	C_FLAGS,
	C_UNCERTAINTY,
	C_DOUBT,
	C_NOTES,
};

/* clang-format off */
const struct column stat_columns[] = {
	[C_LABEL] = {NULL, "", COLUMN_TEXT, 0},
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0},
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0},
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0},
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, 0},
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, 0},
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, 3},
	[C_EVENT] = {"event", "event", COLUMN_TEXT, 0},
	[C_COUNT] = {"count", "count", COLUMN_COUNT, 0},
	[C_ENABLED] = {"enabled_ns", NULL, COLUMN_NUMBER, 0},
	[C_RUNNING] = {"running_ns", NULL, COLUMN_NUMBER, 0},
	[C_VALUE] = {"value", "value", COLUMN_AMOUNT, 0},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, 0},
	[C_PER_S] = {NULL, "per second", COLUMN_AMOUNT, 2},
	[C_RAN] = {NULL, "ran", COLUMN_TEXT, 1},
	[C_FLAGS] = {"flags", NULL, COLUMN_TEXT, 0},
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, 0},
	[C_DOUBT] = {"value_uncertainty", NULL, COLUMN_AMOUNT, 0},
	[C_NOTES] = {NULL, "", COLUMN_TEXT, 0},
};
/* clang-format on */
const size_t stat_n_columns = sizeof(stat_columns) / sizeof(stat_columns[0]);

/* The place of a row in the machine. */
struct place {
	const char *label;
	const struct unc_box_info *info; /* that of the channel, or of one of its channels */
	enum stat_per per;
	bool begins; /* a table separates it from what is above, and never leaves it out */
};

void stat_rows_close(struct stat_rows *rows)
{
	stat_plan_clear(&rows->plan);
	channels_clear(&rows->channels);
	free(rows->of_channels);
	free(rows->of_sockets);
	free(rows->of_machine);
	*rows = (struct stat_rows){0};
}

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct stat_rows *rows = arg;
	int rc = stat_plan_add(&rows->plan, rows->session, box);

	if (rc == 0)
		*ret_n = rows->plan.n_adds;
	return rc;
}

static int make_room(struct stat_rows *rows)
{
	size_t n = rows->plan.n_things;

	rows->of_channels = calloc(rows->channels.n * n, sizeof(*rows->of_channels));
	rows->of_sockets = calloc(rows->channels.n_sockets * n, sizeof(*rows->of_sockets));
	rows->of_machine = calloc(n, sizeof(*rows->of_machine));
	if (!rows->of_channels || !rows->of_sockets || !rows->of_machine)
		return unc_fail(rows->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

/* The index of the first count of a counted channel; all have the same events. */
static size_t first_count(const struct stat_rows *rows)
{
	const struct channel *channel = rows->channels.list;

	while (!channel->counted)
		channel++;
	return channel->first_count;
}

/* An event is shown in one form, however it was written, unless it has its own name. */
static void name_events(struct stat_rows *rows)
{
	for (size_t t = 0; t < rows->plan.n_things; t++) {
		struct stat_thing *thing = &rows->plan.things[t];
		const char *text = unc_session_event(rows->session, first_count(rows) + thing->adds[0]);

		if (text && !thing->is_metric && !thing->is_named)
			thing->name = text;
	}
}

int stat_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		   struct stat_want *want, struct stat_rows *ret_rows)
{
	struct stat_rows rows = {.ctx = ctx, .machine = machine, .session = session, .per = want->per};
	struct unc_machine_info info;
	int rc = UNC_OK;

	unc_machine_info(machine, &info);
	rows.simulated = info.simulated;
	if (want->perfmon)
		rc = stat_import(ctx, machine, want->perfmon, &want->events);
	if (rc == 0)
		rc = stat_plan_make(ctx, machine, &want->events, want->metrics, &rows.plan);
	if (rc == 0)
		rc = channels_open(ctx, machine, want->boxes, add_events, &rows, &rows.channels);
	if (rc == 0)
		rc = make_room(&rows);
	if (rc < 0) {
		stat_rows_close(&rows);
		return rc;
	}
	name_events(&rows);
	*ret_rows = rows;
	return UNC_OK;
}

/* ---- a sample ---- */

static void evaluate(const struct stat_rows *rows, const struct stat_thing *thing, struct tally *tally)
{
	double value, doubt;
	int rc;

	if (!tally->given)
		return;
	rc = unc_metric_measure(rows->machine, "imc", thing->metric, tally->scaled, tally->doubts, tally_seconds(tally),
				&value, &doubt);
	if (rc == UNC_ERANGE)
		tally->flags |= FLAG_BELOW_ZERO;
	if (rc < 0)
		return;
	tally_set_value(tally, value, 0);
	tally->doubt = doubt;
}

static struct tally tally_of_channel(const struct stat_rows *rows, const struct stat_thing *thing,
				     const struct channel *channel)
{
	const struct unc_count *counts = &rows->counts[channel->first_count];
	struct tally tally;

	if (!channel->counted)
		return tally_missing(rows->counts[0].time_ns);
	if (!thing->is_metric)
		return tally_of_event(&counts[thing->adds[0]]);
	tally = tally_of(counts, thing->adds, thing->n);
	tally.adds = thing->info.adds;
	evaluate(rows, thing, &tally);
	return tally;
}

static void sum_group(struct stat_rows *rows, const struct channel_group *group, struct tally *sums)
{
	size_t n = rows->plan.n_things;

	for (size_t t = 0; t < n; t++) {
		const struct stat_thing *thing = &rows->plan.things[t];

		sums[t] = (struct tally){.adds = !thing->is_metric || thing->info.adds};
		for (size_t i = group->first; i < group->end; i++)
			tally_add(&sums[t], &rows->of_channels[i * n + t]);
		tally_end_sum(&sums[t]);
		if (!sums[t].adds)
			evaluate(rows, thing, &sums[t]);
	}
}

/* The unit of an event is known with its counts. */
static void learn_units(struct stat_rows *rows)
{
	size_t first = first_count(rows);

	for (size_t t = 0; t < rows->plan.n_things; t++) {
		struct stat_thing *thing = &rows->plan.things[t];

		if (!thing->is_metric)
			thing->unit = rows->counts[first + thing->adds[0]].unit;
	}
}

static void take(struct stat_rows *rows, const struct unc_count *counts)
{
	const struct channels *channels = &rows->channels;
	size_t n = rows->plan.n_things;

	rows->counts = counts;
	learn_units(rows);
	for (size_t i = 0; i < channels->n; i++)
		for (size_t t = 0; t < n; t++)
			rows->of_channels[i * n + t] =
				tally_of_channel(rows, &rows->plan.things[t], &channels->list[i]);
	for (size_t i = 0; i < channels->n_sockets; i++)
		sum_group(rows, &channels->sockets[i], &rows->of_sockets[i * n]);
	sum_group(rows, &channels->total, rows->of_machine);
}

/* ---- the rows of a sample ---- */

/* The value, or the reason why there is none. fill_values() leaves it out for a plain event in a table, unless it was scaled. */
static struct value shown_value(const struct stat_thing *thing, const struct tally *tally)
{
	bool not_run = tally->flags & UNC_COUNT_NOT_RUN;

	if (!tally->has_value)
		return no_value(!thing->is_metric ? "" : not_run ? "<not counted>" : "-");
	return amount_value(tally->value, thing->unit);
}

static void fill_values(const struct stat_thing *thing, const struct tally *tally, bool table, struct row *row)
{
	struct value *values = row->values;

	values[C_TIME] = number_value(tally->time_ns);
	if (tally->interval_ns) {
		values[C_INTERVAL] = number_value(tally->interval_ns);
		values[C_ENABLED] = number_value(tally->enabled_ns);
		values[C_RUNNING] = number_value(tally->running_ns);
	}
	if (thing->is_metric)
		values[C_COUNT] = no_value("");
	else if (tally->given)
		values[C_COUNT] = number_value(tally->counts[0]);
	else
		values[C_COUNT] = no_value(tally->flags & UNC_COUNT_NOT_RUN ? "<not counted>" : "-");
	values[C_VALUE] = shown_value(thing, tally);
	if (table && !thing->is_metric && !thing->unit && !(tally->flags & UNC_COUNT_SCALED))
		values[C_VALUE] = no_value("");
	if (tally->given)
		values[C_UNCERTAINTY] = uncertainty_value(tally->uncertainty_percent);
	if (thing->is_metric && tally->has_value && tally->doubt < DBL_MAX)
		values[C_DOUBT] = uncertainty_value(tally->doubt);
	values[C_UNIT] = text_value(thing->unit);
	values[C_PER_S] = no_value("");
	if (!thing->is_metric && tally->has_value)
		values[C_PER_S] =
			amount_value(tally->per_s, thing->unit && strcmp(thing->unit, "bytes") == 0 ? "bytes/s" : "/s");
}

static void emit_thing(const struct stat_rows *rows, const struct place *place, size_t t, const struct tally *tally,
		       struct emitter *emitter)
{
	const struct stat_thing *thing = &rows->plan.things[t];
	bool record = place->per == rows->per, table = emits_tables(emitter);
	struct row row = {.record = record, .in_table = place->per >= rows->per, .detail = !place->begins};
	char flags[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX], ran[16];

	row.headline = t == 0 && place->begins;
	row.values[C_LABEL] = text_value(place->label);
	row.values[C_EVENT] = text_value(thing->name);
	if (place->per <= STAT_PER_SOCKET)
		row.values[C_SOCKET] = number_value(place->info->socket);
	if (place->per == STAT_PER_BOX) {
		row.values[C_IMC] = number_value(place->info->imc);
		row.values[C_CHANNEL] = number_value(place->info->channel);
		row.values[C_PCI] = text_value(place->info->pci);
	}
	fill_values(thing, tally, table, &row);
	if ((tally->flags & UNC_COUNT_SCALED) && tally->enabled_ns) {
		snprintf(ran, sizeof(ran), "%.1f %%", 100 * (double)tally->running_ns / (double)tally->enabled_ns);
		row.values[C_RAN] = text_value(ran);
	}
	row.values[C_FLAGS] = text_value(flags_text(tally->flags, tally->partial, rows->simulated, flags));
	/* The flags for scaled and for never counted have their own columns. */
	row.values[C_NOTES] = text_value(flags_text(tally->flags & ~(unsigned)(UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN),
						    tally->partial, false, notes));
	emit_row(emitter, &row);
}

static void emit_place(const struct stat_rows *rows, const struct place *place, const struct tally *tallies,
		       struct emitter *emitter)
{
	for (size_t t = 0; t < rows->plan.n_things; t++)
		emit_thing(rows, place, t, &tallies[t], emitter);
}

/* A table goes from the whole to its parts: a socket and its channels.  A single channel is its own sum. */
static void emit_socket(const struct stat_rows *rows, size_t s, struct emitter *emitter)
{
	const struct channel_group *group = &rows->channels.sockets[s];
	const struct channel *list = rows->channels.list;
	struct place socket = {group->label, &list[group->first].info, STAT_PER_SOCKET, true};
	bool alone = rows->per == STAT_PER_BOX && group->end - group->first == 1;
	size_t n = rows->plan.n_things;

	if (!alone)
		emit_place(rows, &socket, &rows->of_sockets[s * n], emitter);
	for (size_t i = group->first; i < group->end; i++) {
		struct place box = {alone ? list[i].info.name : list[i].label, &list[i].info, STAT_PER_BOX, alone};

		emit_place(rows, &box, &rows->of_channels[i * n], emitter);
	}
}

void stat_rows_show(struct stat_rows *rows, const struct unc_count *counts, struct emitter *emitter)
{
	const struct channels *channels = &rows->channels;

	take(rows, counts);
	for (size_t s = 0; s < channels->n_sockets; s++)
		emit_socket(rows, s, emitter);
	if (channels->n_sockets > 1 || rows->per == STAT_PER_MACHINE) {
		struct place machine = {channels->total.label, &channels->list[0].info, STAT_PER_MACHINE, true};

		emit_place(rows, &machine, rows->of_machine, emitter);
	}
}
