// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/stat_observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/channels.h"
#include "cli/flags.h"
#include "cli/tally.h"

enum column_index {
	C_LABEL,
	C_TIME,
	C_INTERVAL,
	C_SOCKET,
	C_IMC,
	C_CHANNEL,
	C_PCI,
	C_COUNTER,
	C_EVENT,
	C_COUNT,
	C_VALUE,
	C_UNIT,
	C_PER_S,
	C_FLAGS,
	C_UNCERTAINTY,
	C_NOTES,
};

/* clang-format off */
const struct column stat_observe_columns[] = {
	[C_LABEL] = {NULL, "", COLUMN_TEXT, 0},
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0},
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0},
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0},
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, 0},
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, 0},
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, 3},
	[C_COUNTER] = {"counter", "counter", COLUMN_TEXT, 0},
	[C_EVENT] = {"event", "event", COLUMN_TEXT, 0},
	[C_COUNT] = {"count", "count", COLUMN_COUNT, 0},
	[C_VALUE] = {"value", "value", COLUMN_AMOUNT, 0},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, 0},
	[C_PER_S] = {NULL, "per second", COLUMN_AMOUNT, 2},
	[C_FLAGS] = {"flags", NULL, COLUMN_TEXT, 0},
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, 0},
	[C_NOTES] = {NULL, "", COLUMN_TEXT, 0},
};
/* clang-format on */
const size_t stat_observe_n_columns = sizeof(stat_observe_columns) / sizeof(stat_observe_columns[0]);

struct stat_observe {
	struct unc_session *session; /* not owned */
	bool simulated;
	struct channels channels;
	const struct unc_count *counts; /* counts of the read that is shown; not owned */
	size_t n_slots;                 /* slots of every box */
	char slots[UNC_SLOTS_MAX][16];
};

void stat_observe_close(struct stat_observe *observe)
{
	if (!observe)
		return;
	channels_clear(&observe->channels);
	free(observe);
}

/* All boxes are of one kind. */
static int add_counters(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct stat_observe *observe = arg;
	struct unc_box_state state;
	int rc = unc_box_state(box, &state);

	if (rc < 0)
		return rc;
	observe->n_slots = state.n_slots;
	for (size_t i = 0; i < state.n_slots && rc == 0; i++) {
		snprintf(observe->slots[i], sizeof(observe->slots[i]), "%s[%u]", state.slots[i].reg,
			 state.slots[i].index);
		rc = unc_session_add_counter(observe->session, box, i, NULL);
	}
	*ret_n = state.n_slots;
	return rc;
}

int stat_observe_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session, const char *boxes,
		      struct stat_observe **ret_observe, size_t *ret_n_counts)
{
	struct stat_observe *observe = calloc(1, sizeof(*observe));
	struct unc_machine_info info;
	int rc;

	if (!observe)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	unc_machine_info(machine, &info);
	observe->session = session;
	observe->simulated = info.simulated;
	rc = channels_open(ctx, machine, boxes, add_counters, observe, &observe->channels);
	if (rc < 0) {
		stat_observe_close(observe);
		return rc;
	}
	*ret_observe = observe;
	*ret_n_counts = observe->channels.n_counts;
	return UNC_OK;
}

static void place_values(const struct channel *channel, struct row *row)
{
	row->values[C_LABEL] = text_value(channel->info.name);
	row->values[C_SOCKET] = number_value(channel->info.socket);
	row->values[C_IMC] = number_value(channel->info.imc);
	row->values[C_CHANNEL] = number_value(channel->info.channel);
	row->values[C_PCI] = text_value(channel->info.pci);
}

static void count_values(const struct tally *tally, const char *unit, bool table, struct row *row)
{
	struct value *values = row->values;

	values[C_TIME] = number_value(tally->time_ns);
	if (tally->interval_ns)
		values[C_INTERVAL] = number_value(tally->interval_ns);
	values[C_COUNT] = tally->given ? number_value(tally->counts[0]) : no_value("-");
	values[C_UNIT] = text_value(unit);
	/* In a table, the value of an event without a unit is left empty, since it would repeat the count. */
	values[C_VALUE] = tally->has_value && (unit || !table) ? amount_value(tally->value, unit) : no_value("");
	if (tally->given)
		values[C_UNCERTAINTY] = uncertainty_value(tally->uncertainty_percent);
	values[C_PER_S] = no_value("");
	if (tally->has_value)
		values[C_PER_S] = amount_value(tally->per_s, unit && strcmp(unit, "bytes") == 0 ? "bytes/s" : "/s");
}

static void emit(const struct stat_observe *observe, const struct tally *tally, struct row *row,
		 struct emitter *emitter)
{
	char flags[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX];

	row->values[C_FLAGS] = text_value(flags_text(tally->flags, false, observe->simulated, flags));
	row->values[C_NOTES] = text_value(flags_text(tally->flags, false, false, notes));
	emit_row(emitter, row);
}

static void emit_channel(const struct stat_observe *observe, const struct channel *channel, struct emitter *emitter)
{
	bool first = true;

	for (size_t i = 0; i < observe->n_slots; i++) {
		const struct unc_count *count = &observe->counts[channel->first_count + i];
		const char *event = unc_session_event(observe->session, channel->first_count + i);
		struct row row = {.record = true, .in_table = true, .headline = first, .detail = !first};
		struct tally tally = tally_of_event(count);

		if (!event)
			continue;
		place_values(channel, &row);
		row.values[C_COUNTER] = text_value(observe->slots[i]);
		row.values[C_EVENT] = text_value(event);
		count_values(&tally, count->unit, emits_tables(emitter), &row);
		emit(observe, &tally, &row, emitter);
		first = false;
	}
}

static void emit_missing(const struct stat_observe *observe, const struct channel *channel, struct emitter *emitter)
{
	struct row row = {.record = true, .in_table = true, .headline = true};
	struct tally tally = tally_missing(observe->counts[0].time_ns);

	place_values(channel, &row);
	count_values(&tally, NULL, emits_tables(emitter), &row);
	emit(observe, &tally, &row, emitter);
}

/* With --observe no read is held: the names of events are those of the last read. */
void stat_observe_show(struct stat_observe *observe, const struct unc_count *counts, struct emitter *emitter)
{
	const struct channels *channels = &observe->channels;

	observe->counts = counts;
	for (size_t i = 0; i < channels->n; i++) {
		if (channels->list[i].counted)
			emit_channel(observe, &channels->list[i], emitter);
		else
			emit_missing(observe, &channels->list[i], emitter);
	}
}
