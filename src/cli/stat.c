// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl stat: any event of the memory channels, and metrics of several events. */
#define _GNU_SOURCE
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/peak.h"

static const char usage[] =
	"usage: uncorectl stat -e EVENT[,EVENT]... [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"       uncorectl stat -m METRIC[,METRIC]... [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"       uncorectl stat --observe [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Counts events of the memory channels; `uncorectl events` shows which there are.  Without -n\n"
	"until interrupted.  With a COMMAND its lifetime is one sample, its exit status ours, and\n"
	"without -o the data goes to stderr.\n";
static const char notes[] =
	"More events than counters are multiplexed: groups of them count for 10 ms or longer, one\n"
	"after the other.  The value of each is then extended to the whole time and flagged scaled; one\n"
	"that was not counted at all is <not counted>, and its field empty.  Events of a set are counted\n"
	"at the same time.\n";

/* clang-format off */
enum column_index {
	C_COUNTER = C_OWN, C_EVENT, C_COUNT, C_ENABLED, C_RUNNING,
	C_VALUE, C_SHOWN_VALUE, C_UNIT, C_PER_S,
	C_FLAGS, C_UNCERTAINTY, C_DOUBT,
	C_ITEMS, C_ITEMS_END = C_ITEMS + 24, /* of a table with a column for each event or metric */
	C_RAN = C_ITEMS_END, C_NOTES, C_MEMORY, C_BOX, C_VALUE_PER_S, C_NODE, N_COLUMNS,
};
static const struct column columns[] = {
	COUNTING_COLUMNS(3),
	[C_COUNTER] = {"counter", "counter", COLUMN_TEXT, 0},
	[C_EVENT] = {"event", "event", COLUMN_TEXT, 0},
	[C_COUNT] = {"count", "count", COLUMN_COUNT, 0},
	[C_ENABLED] = {"enabled_ns", NULL, COLUMN_NUMBER, 0},
	[C_RUNNING] = {"running_ns", NULL, COLUMN_NUMBER, 0},
	[C_VALUE] = {"value", NULL, COLUMN_AMOUNT, 0},
	[C_SHOWN_VALUE] = {NULL, "value", COLUMN_AMOUNT, 0},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, 0},
	[C_PER_S] = {NULL, "per second", COLUMN_AMOUNT, 2},
	[C_RAN] = {NULL, "ran", COLUMN_TEXT, 1}, /* of several events the least */
	[C_VALUE_PER_S] = {"value_per_s", NULL, COLUMN_AMOUNT, 0},
	[C_DOUBT] = {"value_uncertainty", NULL, COLUMN_AMOUNT, 0},
};
/* clang-format on */

struct stat {
	struct counting counting;
	char *metrics; /* counting.want.metrics; owned */
	struct peaks peaks;
	bool explain;
	unsigned room;  /* columns of the window of a table; 0: it is no table */
	bool wide;      /* a table has a column for each event or metric, and a row for each box */
	size_t n_slots; /* counters of every box; add_counters() adds each of them */
	char slots[UNC_SLOTS_MAX][16];
};

/* Several -m are joined with commas. */
static int take_metrics(void *member, const struct option_given *given)
{
	struct stat *stat = member;
	const char *before = stat->metrics ? stat->metrics : "";
	char *metrics;

	if (asprintf(&metrics, "%s%s%s", before, *before ? "," : "", given->value) < 0)
		return no_memory();
	free(stat->metrics);
	stat->counting.want.metrics = stat->metrics = metrics;
	return EXIT_DONE;
}

static const struct option_def option_defs[] = {
	{"event", "EVENTS", event_list_take, offsetof(struct stat, counting.want.events),
	 .help = "events joined by commas; may be given several times.  An event is\n"
		 "  cas_count.rd                      a name; * and ? stand for all that match\n"
		 "  imc/cas_count.rd/                 the same with its unit\n"
		 "  rpq_cycles_ne:thresh=1:edge       with options: thresh=N, edge, invert\n"
		 "  imc/event=0x04,umask=0x03/        raw\n"
		 "  dclk                              the fixed counter\n"
		 "  {rpq_inserts,cas_count.rd}        a set: counted together, and read at\n"
		 "                                    one instant, for which the box stops",
	 .letter = 'e'},
	{"metric", "METRICS", take_metrics, 0,
	 .help = "metrics joined by commas, * and ? in them allowed; see\n"
		 "`uncorectl events --metrics`; may be given several times",
	 .letter = 'm'},
	SAMPLER_TIMES,
	{"block", "KIND", option_text, offsetof(struct stat, counting.want.unit),
	 .help = "what counts: imc (default), the memory channels; where the machine has\n"
		 "them, df, the data fabric of a node, l3, or pmon, the programmable\n"
		 "counters of a client's controller"},
	COUNTING_PLACES,
	COUNTING_FREEZE_FORCE,
	SAMPLER_OBSERVE("write no register: show what others count of EVENTS and METRICS; without\n"
			"them, every counter that is enabled, and its event"),
	{"import-perfmon", "FILE", option_text, offsetof(struct stat, counting.want.perfmon),
	 .help = "names of FILE, an event list of the intel/perfmon project (JSON), in -e,\n"
		 "such as UNC_M_CAS_COUNT.RD",
	 .file = OPTION_READS},
	{"explain", NULL, option_flag, offsetof(struct stat, explain),
	 .help = "after the last sample: the formula of each metric with its numbers"},
	SAMPLER_DATA,
};

/* All boxes are of one kind. */
static int add_counters(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct stat *stat = arg;
	struct unc_box_state state;
	int rc = unc_box_state(box, &state);

	if (rc < 0)
		return rc;
	stat->n_slots = state.n_slots;
	for (size_t i = 0; i < state.n_slots && rc == 0; i++) {
		snprintf(stat->slots[i], sizeof(stat->slots[i]), "%s[%u]", state.slots[i].reg, state.slots[i].index);
		rc = unc_session_add_counter(stat->counting.session, box, i, NULL);
	}
	*ret_n = state.n_slots;
	return rc;
}

static int stat_options_done(void *arg, struct sampler_options *options)
{
	struct stat *stat = arg;
	struct counting *counting = &stat->counting;
	int status = counting_options_done(arg, options);
	struct output out;

	if (status != EXIT_DONE)
		return status;
	output_on(&out, options->command ? STDERR_FILENO : STDOUT_FILENO);
	if (options->format == FORMAT_TABLE)
		stat->room = out.terminal && !options->path ? output_window(&out).columns : UINT_MAX;
	if (options->observe && counting->want.events.n_sets)
		return usage_error("stat: a set in braces is read while its box stands still, for which a register is "
				   "written, and --observe writes none: take the braces away");
	/* --observe without an event shows whatever is counted. */
	if (options->observe && counting->want.events.n == 0 && !stat->metrics)
		counting->add_counters = add_counters;
	/* Columns are left out if no row has them: the counter, or what only multiplexing and metrics need. */
	for (unsigned i = 0; i < N_COLUMNS; i++)
		if (counting->add_counters ? i == C_ENABLED || i == C_RUNNING || i == C_RAN || i == C_DOUBT
					   : i == C_COUNTER)
			options->columns[i].name = options->columns[i].title = NULL;
	if (counting->add_counters && (counting->per_given || counting->want.perfmon || stat->explain))
		return usage_error("stat: --observe without -e and -m shows each counter by itself, and takes no %s",
				   counting->per_given      ? "--per"
				   : counting->want.perfmon ? "--import-perfmon"
							    : "--explain");
	if (!counting->add_counters && counting->want.events.n == 0 && !stat->metrics)
		return usage_error("stat: which event? -e EVENT or -m METRIC; `uncorectl events` shows them");
	if (!counting->add_counters && stat->explain && !stat->metrics)
		return usage_error("stat: --explain tells how a metric comes about: it wants -m METRIC");
	return EXIT_DONE;
}

/* ---- rows ---- */

/* How much of the time a scaled count ran, if that is less than what the row has already.  Returns what it has then. */
static double put_ran(const struct accumulator *acc, double before, char text[16], struct row *row)
{
	double percent = acc->enabled_ns ? 100 * (double)acc->running_ns / (double)acc->enabled_ns : 100;

	if (!(acc->flags & UNC_COUNT_SCALED) || !acc->enabled_ns || percent > before)
		return before;
	snprintf(text, 16, "%.1f %%", percent);
	row->values[C_RAN] = text_value(text);
	return percent;
}

static void emit_item(const struct stat *stat, const struct plan_item *item, const struct accumulator *acc,
		      struct row *row, struct emitter *emitter)
{
	struct value *values = row->values;
	char ran[16];

	time_values(acc, row);
	values[C_EVENT] = text_value(item->name);
	if (acc->interval_ns) {
		values[C_ENABLED] = number_value(acc->enabled_ns);
		values[C_RUNNING] = number_value(acc->running_ns);
	}
	if (item->is_metric)
		values[C_COUNT] = no_value("");
	else if (acc->given)
		values[C_COUNT] = number_value(acc->counts[0]);
	else
		values[C_COUNT] = no_value(acc->flags & UNC_COUNT_NOT_RUN ? "<not counted>" : "-");
	/* In a table, the value of an event without a unit would repeat the count, unless it was scaled. */
	values[C_SHOWN_VALUE] = no_value(!item->is_metric                 ? ""
					 : acc->flags & UNC_COUNT_NOT_RUN ? "<not counted>"
									  : "-");
	values[C_PER_S] = no_value("");
	values[C_UNIT] = text_value(item->unit);
	if (acc->has_value) {
		values[C_VALUE] = amount_value(acc->value, item->unit);
		if (item->is_metric || item->unit || (acc->flags & UNC_COUNT_SCALED))
			values[C_SHOWN_VALUE] = values[C_VALUE];
		if (!item->is_metric)
			values[C_PER_S] = values[C_VALUE_PER_S] = amount_value(
				acc->per_s, item->unit && strcmp(item->unit, "bytes") == 0 ? "bytes/s" : "/s");
	}
	if (acc->given)
		values[C_UNCERTAINTY] = uncertainty_value(acc->uncertainty_percent);
	if (item->is_metric && acc->has_value && acc->doubt < DBL_MAX)
		values[C_DOUBT] = uncertainty_value(acc->doubt);
	put_ran(acc, 100, ran, row);
	emit_flagged(&stat->counting, row, acc->flags, emitter);
}

static void emit_wide(const struct stat *stat, const struct accumulator *items, const struct row *place,
		      struct emitter *emitter)
{
	struct row row = *place;
	double least = 100;
	unsigned flags = 0;
	char ran[16];

	for (size_t i = 0; i < stat->counting.plan.n_items; i++) {
		const struct plan_item *item = &stat->counting.plan.items[i];
		const struct accumulator *acc = &items[i];
		struct value *value = &row.values[C_ITEMS + i];

		flags |= acc->flags;
		least = put_ran(acc, least, ran, &row);
		*value = no_value(acc->flags & UNC_COUNT_NOT_RUN ? "<not counted>" : NULL);
		if (!item->is_metric && acc->given)
			*value = number_value((uint64_t)(acc->scaled[0] + 0.5));
		else if (item->is_metric && acc->has_value)
			*value = amount_value(acc->value, item->unit);
		row.busy += !item->is_metric && acc->given ? acc->scaled[0] : 0;
	}
	emit_flagged(&stat->counting, &row, flags, emitter);
}

static void emit_items(const void *arg, const struct channel_group *group, const struct accumulator *items,
		       const struct row *place, struct emitter *emitter)
{
	const struct stat *stat = arg;

	(void)group;
	if (stat->wide) {
		emit_wide(stat, items, place, emitter);
		return;
	}
	for (size_t i = 0; i < stat->counting.plan.n_items; i++) {
		struct row row = *place;

		row.headline &= i == 0;
		emit_item(stat, &stat->counting.plan.items[i], &items[i], &row, emitter);
	}
}

static int stat_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct stat *stat = arg;
	struct counting *counting = &stat->counting;
	const struct unc_count *counts = read;

	if (!counting->add_counters) {
		counting_take(counting, counts);
		if (!stat->peaks.of && !peaks_update(&stat->peaks, counting, counts->time_ns))
			return UNC_ENOMEM;
		counting_emit(counting, emitter);
		return UNC_OK;
	}
	/* Counters that are enabled, or were in this interval; of a channel that is missing, one row. */
	for (size_t i = 0; i < counting->channels.n; i++) {
		const struct channel *channel = &counting->channels.list[i];
		bool first = true;

		for (size_t k = 0; k < (channel->counted ? stat->n_slots : 1); k++) {
			struct row row = {.record = true, .in_table = true, .headline = first, .detail = !first};
			struct accumulator acc = accumulator_missing(counts[0].time_ns);
			struct plan_item item = {.unit = NULL};

			if (channel->counted) {
				/* With --observe no read is held: the names of events are those of the last read. */
				item.name = unc_session_event(counting->session, channel->first_count + k);
				if (!item.name)
					continue;
				item.unit = counts[channel->first_count + k].unit;
				acc = accumulator_of_event(&counts[channel->first_count + k]);
				row.values[C_COUNTER] = text_value(stat->slots[k]);
			}
			place_values(counting, channel->info.name, NULL, &channel->info, PER_CHANNEL, &row);
			emit_item(stat, &item, &acc, &row, emitter);
			first = false;
		}
	}
	return UNC_OK;
}

/* Several events or metrics are columns of a table, as far as they fit into the window; otherwise each has rows of its own. */
static int start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	enum { PLACE = 32, GAP = 2, LEAST = 10 };
	static const unsigned unused[] = {C_EVENT, C_COUNT, C_SHOWN_VALUE, C_PER_S};
	struct stat *stat = arg;
	struct counting *counting = &stat->counting;
	int rc = counting_start(arg, ctx, machine, ret_bytes);
	size_t n = counting->plan.n_items, width = PLACE;

	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t len = strlen(counting->plan.items[i].name);

		width += GAP + (len > LEAST ? len : LEAST);
	}
	stat->wide = rc == 0 && n > 1 && n <= C_ITEMS_END - C_ITEMS && width <= stat->room;
	if (!stat->wide)
		return rc;
	counting->compact = true;
	for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++)
		counting->columns[unused[i]].title = NULL;
	for (size_t i = 0; i < n; i++)
		counting->columns[C_ITEMS + i] = (struct column){
			.title = counting->plan.items[i].name,
			.type = counting->plan.items[i].is_metric ? COLUMN_AMOUNT : COLUMN_COUNT,
		};
	return UNC_OK;
}

/* ---- --explain ---- */

enum { ARITHMETIC_MAX = 500 };

/*
 * Readers can repeat the arithmetic that is shown: its numbers are rounded as they are shown, and the result is computed from
 * these.  If the arithmetic has no room the formula is shown instead.  Returns the result as it is shown; 0: there is none.
 */
static double explain_place(const struct counting *counting, const struct plan_item *item, const char *where,
			    const struct accumulator *acc, struct output *out)
{
	char arithmetic[ARITHMETIC_MAX], flags[FLAGS_TEXT_MAX], number[NUMBER_TEXT_MAX];
	double counts[ACCUMULATOR_COUNTS_MAX], seconds = number_as_readable(accumulator_seconds(acc)), result;

	if (!acc->given) {
		output_printf(out, "  %s: no number: %s\n", where, flags_text(acc->flags, flags));
		return 0;
	}
	/* "rd 400 (scaled 800), wr 80, in 1 s" */
	output_printf(out, "  %s: ", where);
	for (size_t i = 0; i < item->n; i++) {
		counts[i] = number_as_readable(acc->scaled[i]);
		output_printf(out, "%s%s %" PRIu64, i ? ", " : "", item->inputs[i], acc->counts[i]);
		if (acc->scaled[i] != (double)acc->counts[i])
			output_printf(out, " (scaled %s)", number_readable(acc->scaled[i], number));
	}
	output_printf(out, ", in %s s\n", number_readable(accumulator_seconds(acc), number));
	if (unc_metric_explain(counting->machine, counting->want.unit, item->metric, counts, seconds, arithmetic,
			       ARITHMETIC_MAX) < 0)
		snprintf(arithmetic, ARITHMETIC_MAX, "%s", item->info.formula);
	if (unc_metric_value(counting->machine, counting->want.unit, item->metric, counts, seconds, &result) != 0) {
		output_printf(out, "    %s: it divides by zero, so there is no value\n", arithmetic);
		return 0;
	}
	output_printf(out, "    %s = %s %s%s\n", arithmetic, number_readable(result, number),
		      item->unit ? item->unit : "",
		      acc->flags & FLAG_BELOW_ZERO    ? ", below zero by more than its uncertainty: no value"
		      : result < 0 && acc->value == 0 ? ", which is 0 within its uncertainty"
						      : "");
	return number_as_readable(result);
}

/* Prints how the metrics of the last sample follow from their counts. */
static void explain(const struct counting *counting, struct output *out)
{
	bool of_channels = counting->per == PER_CHANNEL;
	size_t n;
	const struct channel_group *groups = counting_groups(counting, &n);

	for (size_t t = 0; t < counting->plan.n_items; t++) {
		const struct plan_item *item = &counting->plan.items[t];

		if (!item->is_metric)
			continue;
		output_printf(out, "%s = %s, in %s\n  where", item->name, item->info.formula,
			      item->unit ? item->unit : "units");
		for (size_t i = 0; i < item->n; i++)
			output_printf(out, "%s %s is %s", i ? "," : "", item->inputs[i],
				      counting->plan.adds[item->adds[i]].event);
		output_printf(out, "\n");
		for (const struct channel_group *group = groups; group < groups + n; group++) {
			const struct accumulator *acc = &counting_sum(counting, group)[t];
			char number[NUMBER_TEXT_MAX];
			double sum = 0;

			/* If the metric adds, the sum adds the results of channels; else the formula is of their counts and times. */
			if (!of_channels && !acc->adds) {
				explain_place(counting, item, group->label, acc, out);
				continue;
			}
			for (size_t i = group->first; i < group->end; i++)
				sum += explain_place(counting, item, counting->channels.list[i].info.name,
						     &counting->of_channels[i * counting->plan.n_items + t], out);
			if (!of_channels)
				output_printf(out, "  %s: the sum of these = %s %s\n", group->label,
					      acc->has_value ? number_readable(sum, number) : "no number",
					      item->unit ? item->unit : "");
		}
	}
}

/* Beside data for programs it goes to standard error. */
static void stat_last_word(void *arg, struct output *out)
{
	struct stat *stat = arg;
	struct output lines = {.fd = -1};
	char *rest, *line, *text;

	if (!stat->explain)
		return;
	if (out) {
		explain(&stat->counting, out);
		return;
	}
	explain(&stat->counting, &lines);
	rest = text = output_take(&lines);
	while ((line = unc_text_cut(&rest, '\n')) && rest)
		say("%s", line);
	free(text);
}

/* ---- the command ---- */

static void stat_close(void *arg)
{
	struct stat *stat = arg;

	peaks_clear(&stat->peaks);
	counting_close(&stat->counting);
	free(stat->metrics);
}

static int stat_run(const struct globals *globals, int argc, char **argv)
{
	struct stat stat = {
		.counting = {.cfg.multiplex = true, .shows_ran = true, .want.unit = "imc", COUNTING_ITEMS(emit_items)}};
	struct sampler sampler = {
		.line = {"stat", usage, notes, .options = option_defs},
		.columns = columns,
		.n_columns = N_COLUMNS,
		.arg = &stat,
		.options_done = stat_options_done,
		.start = start,
		.emit = stat_emit,
		.last_word = stat_last_word,
		.close = stat_close,
	};

	return counting_run(&sampler, globals, argc, argv);
}

const struct command stat_command = {"stat", "any event of the memory channels, and metrics made of them", stat_run};
