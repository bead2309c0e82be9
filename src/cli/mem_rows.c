// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/mem_rows.h"

#include <stdlib.h>

#include "base/err.h"
#include "cli/channels.h"
#include "cli/flags.h"
#include "cli/mem_observe.h"

enum column_index {
	C_LABEL,
	C_TIME,
	C_INTERVAL,
	C_SOCKET,
	C_IMC,
	C_CHANNEL,
	C_PCI,
	C_READ_BYTES,
	C_WRITE_BYTES,
	C_READ_RATE,
	C_WRITE_RATE,
	C_TOTAL_RATE,
	C_READ_COUNT,
	C_WRITE_COUNT,
	C_FLAGS,
	C_UNCERTAINTY,
	C_NOTES,
	C_BAR,
};

/* clang-format off */
const struct column mem_columns[] = {
	[C_LABEL] = {NULL, "", COLUMN_TEXT, false},
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, false},
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, false},
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, false},
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, false},
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, false},
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, true},
	[C_READ_BYTES] = {"read_bytes", NULL, COLUMN_NUMBER, false},
	[C_WRITE_BYTES] = {"write_bytes", NULL, COLUMN_NUMBER, false},
	[C_READ_RATE] = {"read_bytes_per_s", "Read", COLUMN_RATE, false},
	[C_WRITE_RATE] = {"write_bytes_per_s", "Write", COLUMN_RATE, false},
	[C_TOTAL_RATE] = {NULL, "Total", COLUMN_RATE, true},
	[C_READ_COUNT] = {"read_count", NULL, COLUMN_NUMBER, false},
	[C_WRITE_COUNT] = {"write_count", NULL, COLUMN_NUMBER, false},
	[C_FLAGS] = {"flags", NULL, COLUMN_TEXT, false},
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, false},
	[C_NOTES] = {NULL, "", COLUMN_TEXT, false},
	[C_BAR] = {NULL, "read, then write", COLUMN_BAR, true},
};
/* clang-format on */
const size_t mem_n_columns = sizeof(mem_columns) / sizeof(mem_columns[0]);

struct shown { /* a channel, or a sum over adjacent ones */
	struct figure figure;
	char flags[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX];
};

struct mem_rows {
	struct unc_session *session;
	enum per per;
	bool simulated, observe;
	struct channels channels;
	struct shown *shown, *imcs, *sockets, total; /* one for each channel and group; owned, except total */
	const struct unc_count *counts;              /* counts of the read that is shown; not owned */
};

void mem_rows_free(struct mem_rows *rows)
{
	if (!rows)
		return;
	channels_clear(&rows->channels);
	free(rows->shown);
	free(rows->imcs);
	free(rows->sockets);
	free(rows);
}

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	const struct mem_rows *rows = arg;
	int rc;

	if (rows->observe)
		return mem_observe_add(rows->session, box, ret_n);
	rc = unc_session_add(rows->session, box, "cas_count.rd", NULL);
	if (rc == 0)
		rc = unc_session_add(rows->session, box, "cas_count.wr", NULL);
	if (rc < 0)
		return rc;
	*ret_n = 2;
	return UNC_OK;
}

int mem_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		  const struct mem_want *want, struct mem_rows **ret_rows, size_t *ret_n_counts)
{
	struct mem_rows *rows = calloc(1, sizeof(*rows));
	struct unc_machine_info info;
	int rc;

	if (!rows)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	unc_machine_info(machine, &info);
	*rows = (struct mem_rows){
		.session = session, .per = want->per, .observe = want->observe, .simulated = info.simulated};
	rc = channels_open(ctx, machine, NULL, add_events, rows, &rows->channels);
	if (rc == 0) {
		rows->shown = calloc(rows->channels.n, sizeof(*rows->shown));
		rows->imcs = calloc(rows->channels.n_imcs, sizeof(*rows->imcs));
		rows->sockets = calloc(rows->channels.n_sockets, sizeof(*rows->sockets));
		if (!rows->shown || !rows->imcs || !rows->sockets)
			rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	if (rc < 0) {
		mem_rows_free(rows);
		return rc;
	}
	*ret_rows = rows;
	*ret_n_counts = rows->channels.n_counts;
	return UNC_OK;
}

static struct value flow_value(const struct flow *flow, uint64_t number)
{
	return flow->given ? number_value(number) : (struct value){0};
}

static struct value flow_rate(const struct flow *flow)
{
	return flow->given ? rate_value(flow->bytes_per_s) : (struct value){0};
}

static void figure_values(const struct figure *figure, struct row *row)
{
	const struct flow *read = &figure->read, *write = &figure->write;
	struct value *values = row->values;

	values[C_TIME] = number_value(figure->time_ns);
	if (figure->interval_ns)
		values[C_INTERVAL] = number_value(figure->interval_ns);
	values[C_READ_BYTES] = flow_value(read, read->bytes);
	values[C_WRITE_BYTES] = flow_value(write, write->bytes);
	values[C_READ_RATE] = flow_rate(read);
	values[C_WRITE_RATE] = flow_rate(write);
	if (read->given && write->given)
		values[C_TOTAL_RATE] = rate_value(read->bytes_per_s + write->bytes_per_s);
	values[C_READ_COUNT] = flow_value(read, read->count);
	values[C_WRITE_COUNT] = flow_value(write, write->count);
	if (read->given || write->given)
		values[C_UNCERTAINTY] = uncertainty_value(figure->uncertainty_percent);
}

static void add_flags(const struct mem_rows *rows, struct shown *shown, struct row *row)
{
	const struct figure *figure = &shown->figure;

	row->values[C_FLAGS] = text_value(flags_text(figure->flags, figure->partial, rows->simulated, shown->flags));
	row->values[C_NOTES] = text_value(flags_text(figure->flags, figure->partial, false, shown->notes));
}

static void emit_channel(struct mem_rows *rows, size_t i, double most, struct emitter *emitter)
{
	const struct channel *channel = &rows->channels.list[i];
	const struct figure *figure = &rows->shown[i].figure;
	struct row row = {.record = rows->per == PER_CHANNEL, .in_table = rows->per == PER_CHANNEL, .detail = true};

	row.values[C_LABEL] = text_value(channel->label);
	row.values[C_SOCKET] = number_value(channel->info.socket);
	row.values[C_IMC] = number_value(channel->info.imc);
	row.values[C_CHANNEL] = number_value(channel->info.channel);
	row.values[C_PCI] = text_value(channel->info.pci);
	figure_values(figure, &row);
	add_flags(rows, &rows->shown[i], &row);
	if (figure->read.given && figure->write.given)
		row.values[C_BAR] = (struct value){.given = true,
						   .bar = {figure->read.bytes_per_s, figure->write.bytes_per_s, most}};
	emit_row(emitter, &row);
}

static void emit_group(struct mem_rows *rows, const struct channel_group *group, struct shown *shown, enum per per,
		       struct emitter *emitter)
{
	const struct unc_box_info *info = &rows->channels.list[group->first].info;
	struct row row = {.record = rows->per == per, .in_table = per >= rows->per};

	row.headline = per != PER_IMC && (per == PER_MACHINE || rows->per < PER_SOCKET);
	row.detail = per == PER_IMC;
	row.values[C_LABEL] = text_value(group->label);
	if (per <= PER_SOCKET)
		row.values[C_SOCKET] = number_value(info->socket);
	if (per <= PER_IMC)
		row.values[C_IMC] = number_value(info->imc);
	figure_values(&shown->figure, &row);
	add_flags(rows, shown, &row);
	emit_row(emitter, &row);
}

static void sum_group(struct mem_rows *rows, const struct channel_group *group, struct shown *sum)
{
	unsigned n_timed = 0;

	sum->figure = (struct figure){0};
	for (size_t i = group->first; i < group->end; i++) {
		figure_add(&sum->figure, &rows->shown[i].figure);
		n_timed += rows->shown[i].figure.interval_ns != 0;
	}
	figure_end_sum(&sum->figure, n_timed);
}

static double most_of_a_channel(const struct mem_rows *rows)
{
	double most = 0;

	for (size_t i = 0; i < rows->channels.n; i++) {
		const struct figure *figure = &rows->shown[i].figure;

		if (figure->read.bytes_per_s + figure->write.bytes_per_s > most)
			most = figure->read.bytes_per_s + figure->write.bytes_per_s;
	}
	return most;
}

/* A table goes from the whole to its parts: a socket, its iMCs or channels, the next socket, the machine. */
static void emit_rows(struct mem_rows *rows, struct emitter *emitter)
{
	const struct channels *channels = &rows->channels;
	double most = most_of_a_channel(rows);
	size_t imc = 0;

	for (size_t s = 0; s < channels->n_sockets; s++) {
		const struct channel_group *socket = &channels->sockets[s];

		emit_group(rows, socket, &rows->sockets[s], PER_SOCKET, emitter);
		if (rows->per == PER_IMC)
			for (; imc < channels->n_imcs && channels->imcs[imc].first < socket->end; imc++)
				emit_group(rows, &channels->imcs[imc], &rows->imcs[imc], PER_IMC, emitter);
		for (size_t i = socket->first; i < socket->end; i++)
			emit_channel(rows, i, most, emitter);
	}
	emit_group(rows, &channels->total, &rows->total, PER_MACHINE, emitter);
}

static struct figure figure_of_channel(const struct mem_rows *rows, const struct channel *channel)
{
	const struct unc_count *counts = &rows->counts[channel->first_count];
	struct unc_count read, write;

	if (!channel->counted)
		return figure_missing(rows->counts[0].time_ns);
	if (!rows->observe)
		return figure_of(&counts[0], &counts[1]);
	mem_observe_counts(counts, &read, &write);
	return figure_of(&read, &write);
}

void mem_rows_show(struct mem_rows *rows, const struct unc_count *counts, struct emitter *emitter)
{
	const struct channels *channels = &rows->channels;

	rows->counts = counts;
	for (size_t i = 0; i < channels->n; i++)
		rows->shown[i].figure = figure_of_channel(rows, &channels->list[i]);
	for (size_t i = 0; i < channels->n_imcs; i++)
		sum_group(rows, &channels->imcs[i], &rows->imcs[i]);
	for (size_t i = 0; i < channels->n_sockets; i++)
		sum_group(rows, &channels->sockets[i], &rows->sockets[i]);
	sum_group(rows, &channels->total, &rows->total);
	emit_rows(rows, emitter);
}
