// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/mem_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/flags.h"

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
	[C_NOTES] = {NULL, "", COLUMN_TEXT, false},
	[C_BAR] = {NULL, "read, then write", COLUMN_BAR, true},
};
/* clang-format on */
const size_t mem_n_columns = sizeof(mem_columns) / sizeof(mem_columns[0]);

struct channel {
	struct unc_box_info info;
	char label[24];
	bool counted;       /* in the session */
	size_t read, write; /* numbers of its counts */
	struct figure figure;
	char flags[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX];
};

struct group { /* a sum over neighbouring channels */
	size_t first, end;
	char label[24];
	struct figure figure;
	char flags[FLAGS_TEXT_MAX], notes[FLAGS_TEXT_MAX];
};

struct mem_rows {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	struct unc_session *session;
	enum per per;
	bool simulated;
	bool many_imcs;
	struct channel *channels; /* owned; in the order socket, imc, channel */
	size_t n_channels;
	struct group *imcs, *sockets; /* owned; one per channel would be the most */
	size_t n_imcs, n_sockets;
	struct group total;
	struct unc_count *counts; /* owned */
	size_t n_counts;
};

void mem_rows_free(struct mem_rows *rows)
{
	if (!rows)
		return;
	free(rows->channels);
	free(rows->imcs);
	free(rows->sockets);
	free(rows->counts);
	free(rows);
}

static int add_channel(struct mem_rows *rows, struct unc_box *box)
{
	struct channel *channel = &rows->channels[rows->n_channels];
	int rc = UNC_OK;

	unc_box_info(box, &channel->info);
	if (channel->info.presence == UNC_ABSENT)
		return UNC_OK;
	if (channel->info.presence != UNC_MISSING) {
		rc = unc_session_add(rows->session, box, "cas_count.rd", &channel->read);
		if (rc == 0)
			rc = unc_session_add(rows->session, box, "cas_count.wr", &channel->write);
		channel->counted = rc == 0;
		rows->n_counts += 2;
	}
	rows->many_imcs |= channel->info.imc != 0;
	rows->n_channels++;
	return rc;
}

/* Said once per place, not once per socket. */
static void say_absent(struct unc_machine *machine, size_t n)
{
	struct unc_machine_info info;

	unc_machine_info(machine, &info);
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(machine, "imc", i), &box);
		if (box.presence == UNC_ABSENT && i < n / (info.n_sockets ? info.n_sockets : 1))
			say("note: imc%u.ch%u is absent on every socket (hidden by the firmware, or this part has "
			    "none)",
			    box.imc, box.channel);
	}
}

/* Cuts the channels into groups of the same socket, or the same iMC. */
static size_t group_channels(const struct mem_rows *rows, bool by_imc, struct group *groups)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n_channels; i++) {
		const struct unc_box_info *info = &rows->channels[i].info,
					  *before = &rows->channels[i ? i - 1 : 0].info;

		if (i == 0 || info->socket != before->socket || (by_imc && info->imc != before->imc)) {
			groups[n].first = i;
			snprintf(groups[n].label, sizeof(groups[n].label), by_imc ? "  imc%u" : "socket %u",
				 by_imc ? info->imc : info->socket);
			n++;
		}
		groups[n - 1].end = i + 1;
	}
	return n;
}

static void lay_out(struct mem_rows *rows)
{
	for (size_t i = 0; i < rows->n_channels; i++) {
		struct channel *channel = &rows->channels[i];

		if (rows->many_imcs)
			snprintf(channel->label, sizeof(channel->label), "  imc%u.ch%u", channel->info.imc,
				 channel->info.channel);
		else
			snprintf(channel->label, sizeof(channel->label), "  ch%u", channel->info.channel);
	}
	rows->n_imcs = group_channels(rows, true, rows->imcs);
	rows->n_sockets = group_channels(rows, false, rows->sockets);
	rows->total.end = rows->n_channels;
	snprintf(rows->total.label, sizeof(rows->total.label), "total");
}

/* One that failed says more than one that is not there. */
static int none_answers(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session)
{
	size_t n = unc_box_count(machine, "imc");

	for (size_t i = 0; i < n; i++)
		if (unc_session_add(session, unc_box_at(machine, "imc", i), "cas_count.rd", NULL) == UNC_EIO)
			return UNC_EIO;
	return unc_fail(ctx, UNC_ENODEV,
			"no memory channel answers on this machine: its PCI functions are hidden by the firmware, or "
			"read as all "
			"ones; `uncorectl list -v` shows where they were looked for");
}

int mem_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session, enum per per,
		  struct mem_rows **ret_rows)
{
	size_t n = unc_box_count(machine, "imc");
	struct mem_rows *rows = calloc(1, sizeof(*rows));
	struct unc_machine_info info;
	int rc = UNC_OK;

	if (!rows)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	unc_machine_info(machine, &info);
	*rows = (struct mem_rows){
		.ctx = ctx, .machine = machine, .session = session, .per = per, .simulated = info.simulated};
	rows->channels = calloc(n + 1, sizeof(*rows->channels));
	rows->imcs = calloc(n + 1, sizeof(*rows->imcs));
	rows->sockets = calloc(n + 1, sizeof(*rows->sockets));
	rows->counts = calloc(2 * n + 1, sizeof(*rows->counts));
	if (!rows->channels || !rows->imcs || !rows->sockets || !rows->counts)
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_channel(rows, unc_box_at(machine, "imc", i));
	if (rc == 0 && rows->n_counts == 0)
		rc = none_answers(ctx, machine, session);
	if (rc < 0) {
		mem_rows_free(rows);
		return rc;
	}
	say_absent(machine, n);
	lay_out(rows);
	*ret_rows = rows;
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
}

static void add_flags(const struct mem_rows *rows, const struct figure *figure, char *flags, char *notes,
		      struct row *row)
{
	row->values[C_FLAGS] = text_value(flags_text(figure->flags, figure->partial, rows->simulated, flags));
	row->values[C_NOTES] = text_value(flags_text(figure->flags, figure->partial, false, notes));
}

static void emit_channel(struct mem_rows *rows, struct channel *channel, double most, struct emitter *emitter)
{
	const struct figure *figure = &channel->figure;
	struct row row = {.record = rows->per == PER_CHANNEL, .in_table = rows->per == PER_CHANNEL, .detail = true};

	row.values[C_LABEL] = text_value(channel->label);
	row.values[C_SOCKET] = number_value(channel->info.socket);
	row.values[C_IMC] = number_value(channel->info.imc);
	row.values[C_CHANNEL] = number_value(channel->info.channel);
	row.values[C_PCI] = text_value(channel->info.pci);
	figure_values(figure, &row);
	add_flags(rows, figure, channel->flags, channel->notes, &row);
	if (figure->read.given && figure->write.given)
		row.values[C_BAR] = (struct value){.given = true,
						   .bar = {figure->read.bytes_per_s, figure->write.bytes_per_s, most}};
	emit_row(emitter, &row);
}

static void emit_group(struct mem_rows *rows, struct group *group, enum per per, struct emitter *emitter)
{
	const struct unc_box_info *info = &rows->channels[group->first].info;
	struct row row = {.record = rows->per == per, .in_table = per >= rows->per};

	row.headline = per != PER_IMC && (per == PER_MACHINE || rows->per < PER_SOCKET);
	row.detail = per == PER_IMC;
	row.values[C_LABEL] = text_value(group->label);
	if (per <= PER_SOCKET)
		row.values[C_SOCKET] = number_value(info->socket);
	if (per <= PER_IMC)
		row.values[C_IMC] = number_value(info->imc);
	figure_values(&group->figure, &row);
	add_flags(rows, &group->figure, group->flags, group->notes, &row);
	emit_row(emitter, &row);
}

static void sum_group(struct mem_rows *rows, struct group *group)
{
	unsigned n_timed = 0;

	group->figure = (struct figure){0};
	for (size_t i = group->first; i < group->end; i++) {
		figure_add(&group->figure, &rows->channels[i].figure);
		n_timed += rows->channels[i].figure.interval_ns != 0;
	}
	figure_end_sum(&group->figure, n_timed);
}

static double most_of_a_channel(const struct mem_rows *rows)
{
	double most = 0;

	for (size_t i = 0; i < rows->n_channels; i++) {
		const struct figure *figure = &rows->channels[i].figure;

		if (figure->read.bytes_per_s + figure->write.bytes_per_s > most)
			most = figure->read.bytes_per_s + figure->write.bytes_per_s;
	}
	return most;
}

/* A table reads from the whole to its parts: socket, its iMCs or channels, the next socket, everything. */
static void emit_rows(struct mem_rows *rows, struct emitter *emitter)
{
	double most = most_of_a_channel(rows);
	size_t imc = 0;

	for (size_t s = 0; s < rows->n_sockets; s++) {
		struct group *socket = &rows->sockets[s];

		emit_group(rows, socket, PER_SOCKET, emitter);
		if (rows->per == PER_IMC)
			for (; imc < rows->n_imcs && rows->imcs[imc].first < socket->end; imc++)
				emit_group(rows, &rows->imcs[imc], PER_IMC, emitter);
		for (size_t i = socket->first; i < socket->end; i++)
			emit_channel(rows, &rows->channels[i], most, emitter);
	}
	emit_group(rows, &rows->total, PER_MACHINE, emitter);
}

int mem_rows_sample(struct mem_rows *rows, struct emitter *emitter)
{
	int rc;

	rc = unc_session_read(rows->session, rows->counts, rows->n_counts);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rows->n_channels; i++) {
		struct channel *channel = &rows->channels[i];

		if (channel->counted)
			channel->figure = figure_of(&rows->counts[channel->read], &rows->counts[channel->write]);
		else
			channel->figure = figure_missing(rows->counts[0].time_ns);
	}
	for (size_t i = 0; i < rows->n_imcs; i++)
		sum_group(rows, &rows->imcs[i]);
	for (size_t i = 0; i < rows->n_sockets; i++)
		sum_group(rows, &rows->sockets[i]);
	sum_group(rows, &rows->total);
	emit_rows(rows, emitter);
	return UNC_OK;
}
