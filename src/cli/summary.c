// SPDX-License-Identifier: GPL-2.0-or-later
/* What was moved in a whole run of mem. */
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

/* ---- a sample ---- */

struct moved moved_by(const struct counting *counting, bool together, size_t first, size_t end)
{
	enum { READ, WRITE };
	size_t n = counting->plan.n_items, n_pmem = counting->n_pmem, n_timed = 0;
	struct moved moved = {.known = false};

	for (size_t i = first; i < end; i++) {
		const struct accumulator *items = &counting->of_channels[i * n],
					 *write = together ? NULL : &items[WRITE];
		bool known = items[READ].has_value && (!write || write->has_value);

		moved.flags |= items[READ].flags | (write ? write->flags : 0);
		moved.known |= known;
		moved.partial |= !known;
		if (!known)
			continue;
		moved.interval_ns += items->interval_ns;
		n_timed++;
		moved.read += items[READ].value;
		moved.read_bytes += items[READ].amount;
		if (write) {
			moved.write += write->value;
			moved.write_bytes += write->amount;
		}
		for (size_t k = counting->first_pmem; k < counting->first_pmem + n_pmem; k++)
			moved.pmem_bytes += items[k].has_value ? items[k].amount : 0;
	}
	if (n_timed)
		moved.interval_ns /= n_timed; /* each channel was read over its own interval */
	return moved;
}

struct place {
	const struct channel_group *group; /* not owned */
	bool total;
	uint64_t samples, ns; /* with a value, and all of their time */
	uint64_t read_bytes, write_bytes, pmem_bytes;
	uint64_t judged_ns, high_ns; /* time in which the peak was known, and in which the rate was near it */
	double peak;
	unsigned flags;
	struct rates rates;
};

struct summary {
	bool together;
	uint64_t peaks_ns; /* of the peaks in the places */
	size_t n;
	struct place places[];
};

enum { HIGH_PERCENT = 80, P95_SAMPLES = 20 };

static struct summary *summary_new(const struct counting *counting, bool together)
{
	const struct channels *channels = &counting->channels;
	size_t n = channels->n_sockets + channels->n_totals;
	struct summary *summary = calloc(1, sizeof(*summary) + n * sizeof(summary->places[0]));

	if (!summary) {
		no_memory();
		return NULL;
	}
	summary->n = n;
	summary->together = together;
	for (size_t i = 0; i < n; i++) {
		struct place *place = &summary->places[i];

		place->total = i >= channels->n_sockets;
		place->group = place->total ? &channels->totals[i - channels->n_sockets] : &channels->sockets[i];
	}
	return summary;
}

static void add(struct place *place, const struct moved *moved)
{
	double rate = moved->read + moved->write, peak = place->peak;

	place->flags |= moved->flags | (moved->known && moved->partial ? FLAG_PARTIAL : 0);
	if (!moved->known)
		return;
	place->samples++;
	place->ns += moved->interval_ns;
	place->read_bytes += moved->read_bytes;
	place->write_bytes += moved->write_bytes;
	place->pmem_bytes += moved->pmem_bytes;
	rates_add(&place->rates, rate);
	if (peak > 0 && !moved->partial) {
		place->judged_ns += moved->interval_ns;
		place->high_ns += rate > peak * HIGH_PERCENT / 100 ? moved->interval_ns : 0;
	}
}

bool summary_add(struct summary **summary, const struct counting *counting, bool together, const struct peaks *peaks)
{
	bool peaks_are_new;

	if (!*summary)
		*summary = summary_new(counting, together);
	if (!*summary)
		return false;
	peaks_are_new = (*summary)->peaks_ns != peaks->time_ns;
	(*summary)->peaks_ns = peaks->time_ns;
	for (size_t i = 0; i < (*summary)->n; i++) {
		struct place *place = &(*summary)->places[i];
		const struct channel_group *group = place->group;
		struct moved moved = moved_by(counting, together, group->first, group->end);

		if (peaks_are_new)
			place->peak = peaks_sum(peaks, group->first, group->end);
		add(place, &moved);
	}
	return true;
}

void summary_free(struct summary *summary)
{
	free(summary);
}

/* ---- output ---- */

enum {
	S_LABEL,
	S_BOX,
	S_SOCKET,
	S_MEMORY,
	S_SAMPLES,
	S_NS,
	S_TIME,
	S_READ,
	S_WRITE,
	S_BOTH,
	S_PMEM,
	S_MIN,
	S_MEAN,
	S_P95,
	S_MAX,
	S_PEAK,
	S_HIGH,
	S_FLAGS,
	S_NOTES,
	S_COLUMNS,
};
/* clang-format off */
static const struct column summary_columns[S_COLUMNS] = {
	[S_LABEL] = {NULL, "", COLUMN_TEXT, 0},
	[S_BOX] = {"box", NULL, COLUMN_TEXT, 0},
	[S_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0},
	[S_MEMORY] = {"memory", NULL, COLUMN_TEXT, 0},
	[S_SAMPLES] = {"samples", NULL, COLUMN_NUMBER, 0},
	[S_NS] = {"interval_ns", NULL, COLUMN_NUMBER, 0},
	[S_TIME] = {NULL, "time", COLUMN_AMOUNT, 3},
	[S_READ] = {"read_bytes", "read", COLUMN_AMOUNT, 0},
	[S_WRITE] = {"write_bytes", "written", COLUMN_AMOUNT, 0},
	[S_BOTH] = {"total_bytes", "moved", COLUMN_AMOUNT, 0},
	[S_PMEM] = {"pmem_bytes", "Optane", COLUMN_AMOUNT, 2},
	[S_MIN] = {"min_bytes_per_s", "min", COLUMN_RATE, 4},
	[S_MEAN] = {"mean_bytes_per_s", "mean", COLUMN_RATE, 0},
	[S_P95] = {"p95_bytes_per_s", "p95", COLUMN_RATE, 1},
	[S_MAX] = {"max_bytes_per_s", "max", COLUMN_RATE, 0},
	[S_PEAK] = {"peak_bytes_per_s", NULL, COLUMN_RATE, 0},
	[S_HIGH] = {"above_80_percent", "above 80 %", COLUMN_AMOUNT, 2},
	[S_FLAGS] = {"flags", NULL, COLUMN_FLAGS, 0},
	[S_NOTES] = {NULL, "", COLUMN_TEXT, COLUMN_CUT},
};
/* clang-format on */

static void emit_place(const struct summary *summary, const struct place *place, const struct counting *counting,
		       struct emitter *emitter)
{
	const struct channel *channel = &counting->channels.list[place->group->first];
	bool table = emitter->format == FORMAT_TABLE;
	struct row row = {.record = true, .in_table = true};
	double read = (double)place->read_bytes, written = (double)place->write_bytes;
	char words[FLAGS_TEXT_MAX];
	unsigned flags = place->flags | counting->flag | (counting->simulated && !table ? FLAG_SIMULATED : 0);

	row.values[S_LABEL] = text_value(place->group->label);
	row.values[S_BOX] = text_value(place->group->box);
	row.values[S_SOCKET] = number_if(!place->total, channel->info.socket);
	row.values[S_MEMORY] = text_value(channel->info.hbm ? "hbm" : "ddr");
	row.values[S_SAMPLES] = number_value(place->samples);
	row.values[S_NS] = number_value(place->ns);
	row.values[table ? S_NOTES : S_FLAGS] = text_value(flags_text(flags, words));
	if (place->peak > 0)
		row.values[S_PEAK] = rate_value(place->peak);
	if (place->samples) {
		row.values[S_TIME] = amount_value((double)place->ns / 1e9, "s");
		row.values[S_BOTH] = amount_value(read + written, "bytes");
		row.values[S_MIN] = rate_value(place->rates.min);
		row.values[S_MEAN] = rate_value((read + written) * 1e9 / (double)place->ns);
		row.values[S_MAX] = rate_value(place->rates.max);
	}
	if (place->samples && !summary->together) {
		row.values[S_READ] = amount_value(read, "bytes");
		row.values[S_WRITE] = amount_value(written, "bytes");
		if (table)
			row.values[S_BOTH].given = false;
	}
	if (place->samples && counting->n_pmem)
		row.values[S_PMEM] = amount_value((double)place->pmem_bytes, "bytes");
	if (place->rates.n >= P95_SAMPLES)
		row.values[S_P95] = rate_value(rates_percentile(&place->rates, 95));
	if (place->judged_ns)
		row.values[S_HIGH] = share_value((double)place->high_ns / (double)place->judged_ns);
	emit_row(emitter, &row);
}

void summary_print(const struct summary *summary, const struct counting *counting, enum format format,
		   struct output *out)
{
	const struct view view = {
		.unit = counting->view->unit, .big = counting->view->big, .bytes_per_s = counting->view->bytes_per_s};
	struct column columns[S_COLUMNS];
	uint64_t samples = 0;
	struct emitter emitter;
	char text[FLAGS_TEXT_MAX + 40];
	unsigned flags = 0;

	if (!summary)
		return;
	for (size_t i = 0; i < summary->n; i++) {
		samples = summary->places[i].samples > samples ? summary->places[i].samples : samples;
		flags |= summary->places[i].flags;
	}
	if (!samples && format != FORMAT_JSONL) {
		say("note: no sample has a number (%s), so there is nothing to add up", flags_text(flags, text));
		return;
	}
	memcpy(columns, summary_columns, sizeof(columns));
	columns[S_BOTH].title = summary->together ? columns[S_BOTH].title : NULL;
	columns[S_READ].title = summary->together ? NULL : columns[S_READ].title;
	columns[S_WRITE].title = summary->together ? NULL : columns[S_WRITE].title;
	if (!counting->n_pmem)
		columns[S_PMEM] = (struct column){.type = COLUMN_AMOUNT};
	if (counting->channels.n_totals < 2)
		columns[S_MEMORY].name = NULL;
	emitter_init(&emitter, format == FORMAT_JSONL ? FORMAT_JSONL : FORMAT_TABLE, columns, S_COLUMNS, out, false);
	emitter_set_view(&emitter, &view);
	emitter.record = "summary";
	for (size_t i = 0; i < summary->n; i++)
		emit_place(summary, &summary->places[i], counting, &emitter);
	snprintf(text, sizeof(text), "in all, of %llu sample%s:", (unsigned long long)samples, samples == 1 ? "" : "s");
	emit_sample(&emitter, text);
	emitter_clear(&emitter);
}
