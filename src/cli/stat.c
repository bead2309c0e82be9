// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl stat: any event of the memory channels, and metrics of several events. */
#include <stdlib.h>
#include <string.h>

#include "cli/counting.h"
#include "cli/stat_observe.h"
#include "cli/stat_rows.h"

static const char help[] =
	"usage: uncorectl stat -e EVENT[,EVENT]... [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"       uncorectl stat -m METRIC[,METRIC]... [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"       uncorectl stat --observe [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Counts events of the memory channels; `uncorectl events` shows which there are.  Without -n\n"
	"until interrupted.  With a COMMAND its lifetime is one sample, its exit status ours, and\n"
	"without -o the data goes to stderr.\n"
	"\n"
	"  -e EVENTS       events joined by commas; may be given several times.  An event is\n"
	"                    cas_count.rd                      a name\n"
	"                    imc/cas_count.rd/                 the same with its unit\n"
	"                    rpq_cycles_ne:thresh=1:edge       with options: thresh=N, edge, invert\n"
	"                    imc/event=0x04,umask=0x03/        raw\n"
	"                    dclk                              the fixed counter\n"
	"                    {rpq_inserts,cas_count.rd}        a set: counted together, and read at\n"
	"                                                      one instant, for which the box stops\n"
	"  -m METRICS      metrics joined by commas, * and ? in them allowed; see\n"
	"                  `uncorectl events --metrics`; may be given several times\n"
	"  -i SECONDS      time between samples (default 1); with a COMMAND: samples meanwhile\n"
	"  -n COUNT        end after so many samples; a COMMAND is waited for all the same\n"
	"  --box PATTERNS  only boxes with such names, * and ? allowed, joined by commas\n"
	"  --per WHAT      one record per box (default), socket or machine\n"
	"  --freeze        stop each box while it is read: all its counters of one instant, but\n"
	"                  what happens meanwhile is not counted\n"
	"  --force         where no counter is free, take one that somebody else enabled, and\n"
	"                  give it back at exit\n"
	"  --observe       write no register: show what others count of EVENTS and METRICS; without\n"
	"                  them, every counter that is enabled, and its event\n"
	"  --import-perfmon FILE\n"
	"                  names of FILE, an event list of the intel/perfmon project (JSON), in -e,\n"
	"                  such as UNC_M_CAS_COUNT.RD\n"
	"  --explain       after the last sample: the formula of each metric with its numbers\n"
	"  --format FORMAT table (default), csv or jsonl\n"
	"  -o FILE         write the data to FILE\n"
	"  --help\n"
	"\n"
	"More events than counters take turns of 10 ms or longer.  The value of each is then extended\n"
	"to the whole time and flagged scaled; one whose turn did not come is <not counted>, and its\n"
	"field empty.  Sets never part.\n";

struct stat {
	struct counting counting;
	struct stat_want want;
	char *metrics; /* want.metrics; owned */
	bool explain, per_given;
	enum format format;
	struct stat_rows rows;
	bool every_counter; /* show counters that another program enabled, instead of named events */
	struct stat_observe *observed;
	struct sampler *sampler; /* its columns depend on every_counter */
};

enum { BOX = COUNTING_OWN_OPTION, PER, EXPLAIN, PERFMON };

static const struct option own_options[] = {
	COUNTING_OPTIONS,
	{"event", required_argument, NULL, 'e'},
	{"metric", required_argument, NULL, 'm'},
	{"box", required_argument, NULL, BOX},
	{"per", required_argument, NULL, PER},
	{"explain", no_argument, NULL, EXPLAIN},
	{"import-perfmon", required_argument, NULL, PERFMON},
	{NULL, 0, NULL, 0},
};

static int add_events(struct stat *stat, const char *text)
{
	char complaint[EVENT_LIST_COMPLAINT];

	if (event_list_add(&stat->want.events, text, complaint))
		return EXIT_DONE;
	return usage_error("stat: -e %s: %s", text, complaint);
}

/* Several -m are joined with commas. */
static int add_metrics(struct stat *stat, const char *text)
{
	size_t len = stat->metrics ? strlen(stat->metrics) : 0;
	char *metrics = realloc(stat->metrics, len + strlen(text) + 2);

	if (!metrics) {
		say("out of memory");
		return EXIT_FAILED;
	}
	if (len)
		metrics[len++] = ',';
	memcpy(metrics + len, text, strlen(text) + 1);
	stat->want.metrics = stat->metrics = metrics;
	return EXIT_DONE;
}

static int parse_per(struct stat *stat, const char *text)
{
	static const char *const names[] = {"box", "socket", "machine"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			stat->per_given = true;
			stat->want.per = (enum stat_per)i;
			return EXIT_DONE;
		}
	}
	return usage_error("stat: --per %s: there are box, socket and machine", text);
}

static int stat_option(void *arg, int option)
{
	struct stat *stat = arg;

	if (counting_option(&stat->counting, option))
		return EXIT_DONE;
	switch (option) {
	case 'e':
		return add_events(stat, optarg);
	case 'm':
		return add_metrics(stat, optarg);
	case PER:
		return parse_per(stat, optarg);
	case BOX:
		stat->want.boxes = optarg;
		return EXIT_DONE;
	case PERFMON:
		stat->want.perfmon = optarg;
		return EXIT_DONE;
	default:
		stat->explain = true;
		return EXIT_DONE;
	}
}

/* --observe without an event shows whatever is counted. */
static int observe_every_counter(struct stat *stat)
{
	if (stat->per_given || stat->want.perfmon || stat->explain)
		return usage_error("stat: --observe without -e and -m shows each counter by itself, and takes no %s",
				   stat->per_given      ? "--per"
				   : stat->want.perfmon ? "--import-perfmon"
							: "--explain");
	stat->every_counter = true;
	stat->sampler->columns = stat_observe_columns;
	stat->sampler->n_columns = stat_observe_n_columns;
	return EXIT_DONE;
}

static int stat_options_done(void *arg, const struct sampler_options *options)
{
	struct stat *stat = arg;
	int status = counting_options_done(arg, options);

	if (status != EXIT_DONE)
		return status;
	stat->format = options->format;
	if (options->observe && stat->want.events.n_sets)
		return usage_error("stat: a set in braces is read while its box stands still, for which a register is "
				   "written, and --observe writes none: take the braces away");
	if (options->observe && stat->want.events.n == 0 && !stat->metrics)
		return observe_every_counter(stat);
	if (stat->want.events.n == 0 && !stat->metrics)
		return usage_error("stat: which event? -e EVENT or -m METRIC; `uncorectl events` shows them");
	if (stat->explain && !stat->metrics)
		return usage_error("stat: --explain tells how a metric comes about: it wants -m METRIC");
	return EXIT_DONE;
}

static int stat_add(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session)
{
	struct stat *stat = arg;
	size_t *n_counts = &stat->counting.n_counts;
	int rc;

	if (stat->every_counter)
		return stat_observe_open(ctx, machine, session, stat->want.boxes, &stat->observed, n_counts);
	rc = stat_rows_open(ctx, machine, session, &stat->want, &stat->rows);
	*n_counts = stat->rows.channels.n_counts;
	return rc;
}

static int stat_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct stat *stat = arg;

	if (stat->every_counter)
		stat_observe_show(stat->observed, read, emitter);
	else
		stat_rows_show(&stat->rows, read, emitter);
	return UNC_OK;
}

/* A CSV or JSON file must not contain other lines. */
static void stat_last_word(void *arg, struct output *out)
{
	struct stat *stat = arg;

	if (stat->explain)
		stat_explain(&stat->rows, stat->format == FORMAT_TABLE ? out : NULL);
}

static void stat_close(void *arg)
{
	struct stat *stat = arg;

	stat_observe_close(stat->observed);
	stat_rows_close(&stat->rows);
	event_list_clear(&stat->want.events);
	free(stat->metrics);
}

static int stat_run(const struct globals *globals, int argc, char **argv)
{
	struct stat stat = {.counting = {.add = stat_add, .cfg = {.multiplex = true}}};
	struct sampler sampler = {
		.name = "stat",
		.help = help,
		.letters = "e:m:",
		.own = own_options,
		.columns = stat_columns,
		.n_columns = stat_n_columns,
		.arg = &stat,
		.option = stat_option,
		.options_done = stat_options_done,
		.start = counting_start,
		.sleep_until = counting_sleep_until,
		.read = counting_read,
		.confirm = counting_confirm,
		.emit = stat_emit,
		.stop = counting_stop,
		.last_word = stat_last_word,
		.close = stat_close,
	};

	stat.sampler = &sampler;
	return sampler_run(&sampler, globals, argc, argv);
}

const struct command stat_command = {
	.name = "stat",
	.summary = "any event of the memory channels, and metrics made of them",
	.run = stat_run,
};
