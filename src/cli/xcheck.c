// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uncorectl xcheck: compares what the kernel counts with the counter that it uses, and with one of ours.  It prints a row for each
 * count, and in the end how many agreed, and for each that did not, all that a bug report needs.
 */
#define _GNU_SOURCE
#include <math.h>

#include "base/text.h"
#include "cli/channels.h"
#include "cli/plan.h"
#include "cli/sampler.h"
#include "cli/xcheck_alike.h"
#include "xcheck/xcheck.h"

static const char usage[] =
	"usage: uncorectl xcheck [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Do the numbers agree that perf prints?  Opens the same event on the same memory channel through\n"
	"the kernel's own driver, finds the hardware counter that the kernel gave it, and compares three\n"
	"counts of the same interval: the kernel's, that counter's as it is read directly, and ours by a\n"
	"counter that is free.  Without -n until interrupted.  With a COMMAND its lifetime is one sample,\n"
	"its exit status ours, and without -o the data goes to stderr.\n";
static const char notes[] =
	"Verdicts: ok; differs (by more than the tolerance and +/-, which is what may have been counted\n"
	"between the readings of an interval's ends); not comparable (and why).  Below the table is for\n"
	"each difference what a report of it should say.  Exit status 1 when something differs, or nothing\n"
	"could be compared.  The registers of the kernel's events are written by its driver; what we write\n"
	"for our own is put back at exit.\n";

/* Named columns are in the order of CSV; those without a name are only in the table.  A bracket has eight columns. */
enum { C_LABEL, C_FROM = 32, C_TO = C_FROM + 8, C_SYSTEM = C_TO + 8, C_FLAGS, C_NOTES };

/* clang-format off */
#define BRACKET(at, end) \
	[at] = {end "_begin_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 1] = {end "_end_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 2] = {end "_raw_before", NULL, COLUMN_NUMBER, 0}, \
	[at + 3] = {end "_kernel", NULL, COLUMN_NUMBER, 0}, \
	[at + 4] = {end "_raw_after", NULL, COLUMN_NUMBER, 0}, \
	[at + 5] = {end "_enabled_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 6] = {end "_running_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 7] = {end "_control", NULL, COLUMN_HEX, 0}

static const struct column columns[] = {
	{NULL, "", COLUMN_TEXT, COLUMN_SHORT},
	{"time_ns", NULL, COLUMN_NUMBER, 0},
	{"interval_ns", NULL, COLUMN_NUMBER, 0},
	{"box", NULL, COLUMN_TEXT, 0},
	{"socket", NULL, COLUMN_NUMBER, 0},
	{"imc", NULL, COLUMN_NUMBER, 0},
	{"channel", NULL, COLUMN_NUMBER, 0},
	{"pci", "address", COLUMN_TEXT, 4},
	{"event", "event", COLUMN_TEXT, 0},
	{"source", NULL, COLUMN_TEXT, 0},
	{"perf", NULL, COLUMN_NUMBER, 0},
	{NULL, "perf", COLUMN_TEXT, 0},
	{"perf_by_map", NULL, COLUMN_NUMBER, 0},
	{"cpu", NULL, COLUMN_NUMBER, 0},
	{"config", NULL, COLUMN_TEXT, 0},
	{"perf_event", NULL, COLUMN_TEXT, 0},
	{"alias", NULL, COLUMN_TEXT, 0},
	{"counter", "counter", COLUMN_TEXT, 3},
	{"own_counter", NULL, COLUMN_TEXT, 0},
	{"kernel", "kernel", COLUMN_COUNT, 1},
	{"raw", "raw", COLUMN_COUNT, 2},
	{"ours", "ours", COLUMN_COUNT, 2},
	{"kernel_minus_raw", "kernel-raw", COLUMN_SIGNED, 0},
	{"kernel_minus_raw_percent", NULL, COLUMN_AMOUNT, 0},
	{NULL, "in %", COLUMN_AMOUNT, 4},
	{"ours_minus_raw", "ours-raw", COLUMN_SIGNED, 3},
	{"ours_minus_raw_percent", NULL, COLUMN_AMOUNT, 0},
	{NULL, "in %", COLUMN_AMOUNT, 4},
	{"uncertainty", "+/-", COLUMN_COUNT, 1},
	{"tolerated", NULL, COLUMN_NUMBER, 0},
	{"verdict", NULL, COLUMN_TEXT, 0},
	{"why", NULL, COLUMN_TEXT, 0},
	BRACKET(C_FROM, "from"),
	BRACKET(C_TO, "to"),
	{"system", NULL, COLUMN_TEXT, 0},
	{"flags", NULL, COLUMN_FLAGS, 0},
	{NULL, "verdict", COLUMN_TEXT, COLUMN_CUT},
};
/* clang-format on */
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]), N_VERDICTS = 3 };
_Static_assert((int)N_COLUMNS == C_NOTES + 1, "the named columns have these places");
_Static_assert((int)N_COLUMNS <= EMIT_COLUMNS_MAX, "a row has room for all columns");

static const char *const verdicts[N_VERDICTS] = {
	[UNC_XCHECK_OK] = "ok",
	[UNC_XCHECK_DIFFERS] = "differs",
	[UNC_XCHECK_NOT_COMPARABLE] = "not comparable",
};

struct line { /* a row of this sample, its place in a table, and its story over all samples */
	struct unc_xcheck_row row;
	char heading[160], label[24];
	uint64_t n_not_comparable;
	/* Texts are made as soon as they are needed, since those of a row do not outlive the cross-check. */
	char *why_not; /* "socket0.imc0.ch2 cas_count.rd: SENTENCE", the first one; owned; NULL: none */
};

struct xcheck {
	struct unc_xcheck_cfg cfg;
	struct event_list events; /* if empty: the events that perf has names for, unless only groups are wanted */
	const char *boxes;        /* patterns joined by commas, or NULL */
	const char **groups;      /* folders of resctrl, as they were given; only the list is owned */
	size_t n_groups;
	bool flat;           /* rows are not below a heading */
	struct unc_ctx *ctx; /* not owned, as is machine */
	struct unc_machine *machine;
	struct unc_machine_info info;
	char kernel[200];           /* "" if not known */
	struct unc_xcheck *session; /* owned */
	struct channels channels;
	struct line *lines;             /* owned */
	struct difference *differences; /* of each line; owned */
	size_t n_lines;
	uint64_t n_samples, n[N_VERDICTS]; /* rows by their verdicts */
};

/* ---- what is compared ---- */

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct xcheck *x = arg;
	int rc = UNC_OK;

	for (size_t i = 0; i < x->events.n && rc == 0; i++)
		rc = unc_xcheck_add(x->session, box, x->events.items[i].text);
	*ret_n = x->events.n;
	return rc;
}

/* Adds what is wanted, for every channel that is present. */
static int add_all(struct xcheck *x)
{
	bool channels = x->events.n || x->boxes || x->n_groups == 0, none = x->info.no_counters != NULL;
	struct plan_want want = {.unit = "imc", .metrics = "read_bandwidth,write_bandwidth"};
	char complaint[EVENT_LIST_COMPLAINT];
	const struct unc_box *box = unc_box_at(x->machine, "imc", 0);
	struct unc_llc_info caches = {0};
	struct plan plan;
	/* A part without counters may have caches that are monitored. */
	int rc = x->n_groups || none ? unc_llc_info(x->machine, &caches) : UNC_OK;

	/* Checked first, since the library would report another missing item first. */
	if (rc == 0 && x->n_groups && caches.no_monitoring)
		rc = unc_fail(x->ctx, UNC_ENOSUP, "xcheck --resctrl: this CPU does not monitor its caches: %s",
			      caches.no_monitoring);
	if (rc == 0)
		rc = unc_xcheck_open(x->machine, &x->cfg, &x->session);
	if (rc == 0 && channels && none)
		rc = unc_fail(x->ctx, UNC_ENOSUP, "%s%s", x->info.no_counters,
			      caches.no_monitoring
				      ? ""
				      : "; its caches can be compared: xcheck --resctrl GROUP, without -e and --box");
	if (rc == 0 && channels && box)
		rc = unc_xperf_compares(box);
	/* By default the events of reads and writes. */
	if (rc == 0 && channels && x->events.n == 0) {
		rc = plan_make(x->ctx, x->machine, &want, &plan);
		if (rc < 0)
			return unc_wrap(x->ctx, rc, "name events with -e");
		for (size_t i = 0; i < plan.n_adds && rc == 0; i++)
			if (!event_list_add(&x->events, plan.adds[i].event, complaint))
				rc = unc_fail(x->ctx, UNC_ENOMEM, "%s", complaint);
		plan_clear(&plan);
	}
	if (rc == 0 && channels)
		rc = channels_open(x->ctx, x->machine, "imc", x->boxes, add_events, x, &x->channels);
	for (size_t i = 0; i < x->n_groups && rc == 0; i++)
		rc = unc_xcheck_add_resctrl(x->session, x->groups[i]);
	return rc;
}

static int xcheck_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct xcheck *x = arg;
	struct unc_machine_fact fact;
	int rc;

	*ret_bytes = 0; /* the cross-check itself keeps what it read */
	x->ctx = ctx;
	x->machine = machine;
	unc_machine_info(machine, &x->info);
	rc = add_all(x);
	if (rc == 0)
		rc = unc_xcheck_start(x->session);
	if (rc < 0)
		return rc;
	x->n_lines = unc_xcheck_count(x->session);
	for (size_t i = 0; i < x->channels.n; i++) /* events of a missing channel were not added */
		x->n_lines += x->channels.list[i].counted ? 0 : x->events.n;
	x->lines = calloc(x->n_lines + 1, sizeof(*x->lines));
	x->differences = calloc(x->n_lines + 1, sizeof(*x->differences));
	if (!x->lines || !x->differences)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; (rc = unc_machine_fact(machine, i, &fact)) == 0; i++)
		if (strcmp(fact.name, "kernel") == 0)
			snprintf(x->kernel, sizeof(x->kernel), "%s", fact.text);
	return rc == UNC_ENODEV ? UNC_OK : rc; /* that is the end of the facts */
}

/* ---- rows ---- */

/*
 * The difference of a count from the raw one, which is exact, as both are, in percent.  A table shows three decimals, which must not
 * be -0.000.
 */
static struct value percent(bool given, uint64_t count, uint64_t raw, bool in_table, const char *instead)
{
	double part = raw ? difference_percent(count, raw) : 0;

	return given && raw ? amount_value(in_table && fabs(part) < 0.0005 ? 0 : part, "%") : no_value(instead);
}

static void put_bracket(const struct unc_xcheck_bracket *bracket, bool perf, struct value *values)
{
	const uint64_t numbers[] = {bracket->begin_ns,  bracket->end_ns,     bracket->raw_before, bracket->kernel,
				    bracket->raw_after, bracket->enabled_ns, bracket->running_ns};

	if (bracket->end_ns == 0)
		return; /* there is no bracket */
	for (unsigned i = 0; i < (perf ? 7 : 5); i++)
		values[i] = number_value(numbers[i]);
	if (perf)
		values[7] = hex_value(bracket->control, 8);
}

static void emit_compared(const struct xcheck *x, const struct line *line, struct emitter *emitter)
{
	const struct unc_xcheck_row *is = &line->row;
	bool kernel = is->has_kernel && is->has_raw, ours = is->has_ours && is->has_raw;
	const char *not_ours = x->cfg.observe || !is->box ? "" : NULL; /* none was wanted */
	struct unc_box_info box = {.perf = -1};
	char flags[FLAGS_TEXT_MAX], verdict[500];
	struct row row;

	if (is->box)
		unc_box_info(is->box, &box);
	snprintf(verdict, sizeof(verdict), "%s%s%s", verdicts[is->verdict], is->why ? ": " : "",
		 is->why ? is->why : "");
	row = (struct row){
		.record = true,
		.in_table = true,
		.detail = is->verdict == UNC_XCHECK_OK,
		.values =
			{
				text_value(x->flat ? is->subject : line->label),
				number_if(is->time_ns, is->time_ns),
				number_if(is->interval_ns, is->interval_ns),
				text_value(is->subject),
				number_if(is->box, box.socket),
				number_if(is->box, box.imc),
				number_if(is->box, box.channel),
				text_value(box.pci),
				text_value(is->event),
				text_value(is->source),
				number_if(is->box && is->number >= 0, (uint64_t)is->number),
				text_value(is->box ? is->source : NULL),
				number_if(box.perf >= 0, (uint64_t)box.perf),
				number_if(is->cpu >= 0, (uint64_t)is->cpu),
				text_value(is->config),
				text_value(is->perf_event),
				text_value(is->alias),
				text_value(is->counter),
				text_value(is->own),
				number_if(is->has_kernel, is->kernel),
				number_if(is->has_raw, is->raw),
				is->has_ours ? number_value(is->ours) : no_value(not_ours),
				kernel ? signed_value((int64_t)(is->kernel - is->raw)) : no_value(NULL),
				percent(kernel, is->kernel, is->raw, false, NULL),
				percent(kernel, is->kernel, is->raw, true, NULL),
				ours ? signed_value((int64_t)(is->ours - is->raw)) : no_value(not_ours),
				percent(ours, is->ours, is->raw, false, NULL),
				percent(ours, is->ours, is->raw, true, not_ours),
				number_if(is->has_raw, is->uncertainty),
				number_if(is->has_raw, is->tolerated),
				text_value(verdicts[is->verdict]),
				text_value(is->why),
				[C_SYSTEM] = text_value(x->kernel),
				[C_FLAGS] = text_value(flags_text(x->info.simulated ? FLAG_SIMULATED : 0, flags)),
				[C_NOTES] = text_value(verdict),
			},
	};
	put_bracket(&is->from, is->box, &row.values[C_FROM]);
	put_bracket(&is->to, is->box, &row.values[C_TO]);
	emit_row(emitter, &row);
}

/* A line of the table only, for the lines below it of one heading: how many there are of each verdict.  Returns their number. */
static size_t emit_heading(const struct line *lines, size_t n_lines, struct emitter *emitter)
{
	struct row row = {.in_table = true, .headline = true};
	size_t n[N_VERDICTS] = {0}, below = 0;
	char sum[100] = "";

	for (; below < n_lines && strcmp(lines[below].heading, lines->heading) == 0; below++)
		n[lines[below].row.verdict]++;
	for (size_t i = 0; i < N_COLUMNS; i++)
		row.values[i] = no_value("");
	row.values[C_LABEL] = text_value(lines->heading);
	for (size_t i = 0; i < N_VERDICTS; i++)
		if (n[i])
			unc_text_join(sum, sizeof(sum), ", ", "%zu %s", n[i],
				      i == UNC_XCHECK_DIFFERS && n[i] > 1 ? "differ" : verdicts[i]);
	row.values[C_NOTES] = text_value(sum);
	emit_row(emitter, &row);
	return below;
}

/* Takes a row of this sample into the final report. */
static int take_row(struct xcheck *x, struct line *line)
{
	struct difference *difference = &x->differences[line - x->lines];
	const struct unc_xcheck_row *row = &line->row;
	struct output lines = {.fd = -1};

	x->n[row->verdict]++;
	if (row->verdict == UNC_XCHECK_DIFFERS && !difference->report) {
		const struct origin origin = {&x->info, x->kernel, x->n_samples};

		return difference_take(difference, row, &origin) ? UNC_OK : UNC_ENOMEM;
	}
	if (row->verdict != UNC_XCHECK_NOT_COMPARABLE || line->n_not_comparable++)
		return UNC_OK;
	if (row->box || !row->why || !strstr(row->why, row->source)) { /* else the sentence is about that very file */
		difference_name(row, &lines);
		output_printf(&lines, ": ");
	}
	output_shown(&lines, row->why ? row->why : "");
	line->why_not = output_take(&lines);
	return line->why_not ? UNC_OK : UNC_ENOMEM;
}

/* ---- a sample ---- */

/* Returns the line after the channel's. */
static struct line *lay_channel(struct xcheck *x, const struct channel *channel, uint64_t time_ns, struct line *line)
{
	size_t len = strlen(channel->info.name);

	for (size_t i = 0; i < x->events.n; i++, line++) {
		if (channel->counted)
			unc_xcheck_row(x->session, channel->first_count + i, &line->row);
		else
			line->row = (struct unc_xcheck_row){.subject = channel->info.name,
							    .event = x->events.items[i].text,
							    .box = channel->box,
							    .number = -1,
							    .cpu = -1,
							    .verdict = UNC_XCHECK_NOT_COMPARABLE,
							    .why = channel->info.why,
							    .time_ns = time_ns};
		/* The sentence is shown beside the name of the box, so it need not begin with it. */
		if (line->row.why && strncmp(line->row.why, channel->info.name, len) == 0 &&
		    strncmp(line->row.why + len, ": ", 2) == 0)
			line->row.why += len + 2;
		snprintf(line->heading, sizeof(line->heading), "socket %u", channel->info.socket);
		snprintf(line->label, sizeof(line->label), "%s", channel->label);
	}
	return line;
}

static int xcheck_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct xcheck *x = arg;
	struct line *next = x->lines;
	struct unc_xcheck_row first;
	size_t below = 0;
	int rc = UNC_OK;

	(void)read;
	/* The lines are in the order in which they are shown: socket by socket, then the groups. */
	unc_xcheck_row(x->session, 0, &first);
	for (size_t i = 0; i < x->channels.n; i++)
		next = lay_channel(x, &x->channels.list[i], first.time_ns, next);
	for (size_t i = x->channels.n_counts; i < unc_xcheck_count(x->session); i++, next++) {
		const char *source, *end; /* "jobs/mon_data/mon_L3_00/llc_occupancy" */
		int len;

		unc_xcheck_row(x->session, i, &next->row);
		source = next->row.source;
		end = strstr(source, "mon_data");
		len = end && end > source ? (int)(end - source) - 1 : 0;
		snprintf(next->heading, sizeof(next->heading), "resctrl %s%.*s", len ? "" : "/", len, source);
		snprintf(next->label, sizeof(next->label), "  %s", next->row.subject);
	}
	x->n_samples++;
	for (size_t i = 0; i < x->n_lines && rc == 0; i++, below--) {
		/* The summary of the lines below a heading is all that a low window shows. */
		if (below == 0)
			below = emit_heading(&x->lines[i], x->n_lines - i, emitter);
		emit_compared(x, &x->lines[i], emitter);
		rc = take_row(x, &x->lines[i]);
	}
	return rc;
}

/* ---- the command ---- */

static int take_events(void *member, const struct option_given *given)
{
	struct xcheck *x = member;
	int status = event_list_take(&x->events, given);

	if (status == EXIT_DONE && x->events.n_sets)
		return usage_error("xcheck: -e %s: each event is compared by itself: take the braces away",
				   given->value);
	return status;
}

static int take_tolerance(void *member, const struct option_given *given)
{
	struct xcheck *x = member;
	double percent;

	if (!unc_text_double(given->value, &percent) || percent >= 100)
		return usage_error("xcheck: --tolerance %s: a number of percent below 100, such as 0.1, or 0",
				   given->value);
	x->cfg.tolerance = percent / 100;
	return EXIT_DONE;
}

static int take_group(void *member, const struct option_given *given)
{
	struct xcheck *x = member;

	if (!*given->value)
		return usage_error("xcheck: --resctrl \"\": which group?  / is the root group");
	if (unc_array_add(&x->groups, &x->n_groups, &given->value, sizeof(given->value)))
		return EXIT_DONE;
	return no_memory();
}

static const struct option_def option_defs[] = {
	{"events", "EVENTS", take_events, 0,
	 .help = "events joined by commas, as `stat` takes them; may be given several times;\n"
		 "default: those of reads and of writes; no more than a box has counters",
	 .letter = 'e', .both = true},
	{"box", "PATTERNS", option_text, offsetof(struct xcheck, boxes),
	 .help = "only boxes with such names, * and ? allowed, joined by commas"},
	{"resctrl", "GROUP", take_group, 0,
	 .help = "what the kernel says of that group of /sys/fs/resctrl, / being the root group,\n"
		 "beside the same RMID read directly; may be given several times; alone, no\n"
		 "memory channel is compared"},
	{"tolerance", "PERCENT", take_tolerance, 0,
	 .help = "by how much two counts may differ, besides what cannot be told because they\n"
		 "were not read at one instant (default 0.1; of resctrl as the kernel's own\n"
		 "tests: 8 of bandwidth, of occupancy 15, or 2 MB where that is more)"},
	SAMPLER_OBSERVE("write no register: nothing is counted by us, two counts are compared"),
	SAMPLER_TIMES,
	SAMPLER_ROWS,
	SAMPLER_OUTPUT,
};

static int xcheck_options_done(void *arg, struct sampler_options *options)
{
	struct xcheck *x = arg;

	x->cfg.observe = options->observe;
	x->flat = view_is_flat(&options->view);
	if (options->observe && x->n_groups)
		return usage_error("xcheck: --resctrl: which value of a cache IA32_QM_CTR shows is chosen by writing "
				   "IA32_QM_EVTSEL, and --observe writes no register: only one of them");
	return EXIT_DONE;
}

static int xcheck_sleep_until(void *arg, uint64_t mono_ns)
{
	return unc_xcheck_sleep_until(((struct xcheck *)arg)->session, mono_ns);
}

/* Takes the next bracket. */
static int xcheck_read(void *arg, void *read, bool *ret_pending)
{
	(void)read;
	(void)ret_pending;
	return unc_xcheck_sample(((struct xcheck *)arg)->session);
}

static int xcheck_stop(void *arg)
{
	return unc_xcheck_close(((struct xcheck *)arg)->session);
}

/* ---- the final report ---- */

/* "8 compared: 7 ok, 1 differs; 0 not comparable" */
static const char *sum_text(const struct xcheck *x, char buf[160])
{
	uint64_t ok = x->n[UNC_XCHECK_OK], differ = x->n[UNC_XCHECK_DIFFERS];

	snprintf(buf, 160, "%" PRIu64 " compared: %" PRIu64 " ok, %" PRIu64 " differ%s; %" PRIu64 " not comparable",
		 ok + differ, ok, differ, differ == 1 ? "s" : "", x->n[UNC_XCHECK_NOT_COMPARABLE]);
	return buf;
}

static void xcheck_last_word(void *arg, struct output *out)
{
	const struct xcheck *x = arg;
	bool good = x->n[UNC_XCHECK_OK] && x->n[UNC_XCHECK_DIFFERS] == 0;
	bool some = x->n[UNC_XCHECK_NOT_COMPARABLE] > 0;
	char sum[160];

	if (!out) {
		if (good)
			say("note: xcheck: %s", sum_text(x, sum));
		return; /* otherwise the verdict prints it */
	}
	differences_print(x->differences, x->n_lines, out);
	if (some)
		output_text(out, x->n_samples > 1
					 ? "not comparable, in how many samples, and why in the first of them:\n"
					 : "not comparable:\n");
	for (size_t i = 0; i < x->n_lines; i++) {
		if (!x->lines[i].why_not)
			continue;
		output_text(out, "  ");
		if (x->n_samples > 1)
			output_printf(out, "%" PRIu64 " of %" PRIu64 ": ", x->lines[i].n_not_comparable, x->n_samples);
		output_printf(out, "%s\n", x->lines[i].why_not);
	}
	output_text(out, some ? "\n" : "");
	output_printf(out, "%s\n", sum_text(x, sum));
	output_flush(out); /* before the verdict is printed */
}

/* EXIT_DONE, or EXIT_FAILED after a message: something differs, or nothing could be compared. */
static int xcheck_verdict(void *arg)
{
	const struct xcheck *x = arg;
	const char *first = NULL; /* the first row that differs, or else the first that could not be compared */
	char sum[160];

	if (x->n[UNC_XCHECK_OK] && x->n[UNC_XCHECK_DIFFERS] == 0)
		return EXIT_DONE;
	for (size_t i = 0; i < x->n_lines && !first; i++)
		first = x->n[UNC_XCHECK_DIFFERS] ? x->differences[i].report : x->lines[i].why_not;
	return refuse(EXIT_FAILED, "xcheck: %s; the first: %.*s", sum_text(x, sum),
		      first ? (int)strcspn(first, "\n") : 0, first ? first : "");
}

static void xcheck_close(void *arg)
{
	struct xcheck *x = arg;

	channels_clear(&x->channels);
	for (size_t i = 0; i < x->n_lines && x->lines && x->differences; i++) {
		free(x->lines[i].why_not);
		free(x->differences[i].report);
	}
	free(x->lines);
	free(x->differences);
	event_list_clear(&x->events);
	free(x->groups);
}

static int xcheck_run(const struct globals *globals, int argc, char **argv)
{
	struct xcheck xcheck = {.cfg.tolerance = -1};
	struct sampler sampler = {
		.line = {"xcheck", usage, notes, .options = option_defs},
		.columns = columns,
		.n_columns = N_COLUMNS,
		.arg = &xcheck,
		.options_done = xcheck_options_done,
		.start = xcheck_start,
		.sleep_until = xcheck_sleep_until,
		.read = xcheck_read,
		.read_writes = true, /* each value of resctrl is selected before it is read */
		.emit = xcheck_emit,
		.stop = xcheck_stop,
		.last_word = xcheck_last_word,
		.verdict = xcheck_verdict,
		.close = xcheck_close,
	};

	return sampler_run(&sampler, globals, argc, argv);
}

const struct command xcheck_command = {"xcheck", "does the kernel's own driver count the same? its numbers beside ours",
				       xcheck_run};
