// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl xcheck: compares what the kernel counts with the counter that it uses, and with one of ours. */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/sampler.h"
#include "cli/xcheck_row.h"
#include "cli/xcheck_rows.h"

static const char help[] =
	"usage: uncorectl xcheck [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Do the numbers agree that perf prints?  Opens the same event on the same memory channel through\n"
	"the kernel's own driver, finds the hardware counter that the kernel gave it, and compares three\n"
	"counts of the same interval: the kernel's, that counter's as it is read directly, and ours by a\n"
	"counter that is free.  Without -n until interrupted.  With a COMMAND its lifetime is one sample,\n"
	"its exit status ours, and without -o the data goes to stderr.\n"
	"\n"
	"  -e, --events EVENTS\n"
	"                  events joined by commas, as `stat` takes them; may be given several times;\n"
	"                  default: cas_count.rd,cas_count.wr; no more than a box has counters\n"
	"  --box PATTERNS  only boxes with such names, * and ? allowed, joined by commas\n"
	"  --resctrl GROUP what the kernel says of that group of /sys/fs/resctrl, / being the root group,\n"
	"                  beside the same RMID read directly; may be given several times; alone, no\n"
	"                  memory channel is compared\n"
	"  --tolerance PERCENT\n"
	"                  by how much two counts may differ, besides what cannot be told because they\n"
	"                  were not read at one instant (default 0.1; of resctrl as the kernel's own\n"
	"                  tests: 8 of bandwidth, of occupancy 15, or 2 MB where that is more)\n"
	"  --observe       write no register: nothing is counted by us, two counts are compared\n"
	"  -i SECONDS      time between samples (default 1); with a COMMAND: samples meanwhile\n"
	"  -n COUNT        end after so many samples; a COMMAND is waited for all the same\n"
	"  --format FORMAT table (default), csv or jsonl\n"
	"  -o FILE         write the data to FILE\n"
	"  --help\n"
	"\n"
	"Verdicts: ok; differs (by more than the tolerance and +/-, which is what may have been counted\n"
	"between the readings of an interval's ends); not comparable (and why).  Below the table stands for\n"
	"each difference what a report of it should say.  Exit status 1 when something differs, or nothing\n"
	"could be compared.  The registers of the kernel's events are written by its driver; what we write\n"
	"for our own is put back at exit.\n";

struct xcheck {
	struct xcheck_want want;
	enum format format;
	struct xcheck_rows rows;
};

enum { BOX = SAMPLER_OWN_OPTION, TOLERATE, RESCTRL };

static const struct option own_options[] = {
	{"events", required_argument, NULL, 'e'},
	{"box", required_argument, NULL, BOX},
	{"resctrl", required_argument, NULL, RESCTRL},
	{"tolerance", required_argument, NULL, TOLERATE},
	{NULL, 0, NULL, 0},
};

static int take_events(struct xcheck *xcheck, const char *text)
{
	char complaint[EVENT_LIST_COMPLAINT];

	if (!event_list_add(&xcheck->want.events, text, complaint))
		return usage_error("xcheck: -e %s: %s", text, complaint);
	if (xcheck->want.events.n_sets)
		return usage_error("xcheck: -e %s: each event is compared by itself: take the braces away", text);
	return EXIT_DONE;
}

static int take_tolerance(struct xcheck *xcheck, const char *text)
{
	double percent;

	if (!unc_text_double(text, &percent) || percent >= 100)
		return usage_error("xcheck: --tolerance %s: a number of percent below 100, such as 0.1, or 0", text);
	xcheck->want.cfg.tolerance = percent / 100;
	return EXIT_DONE;
}

static int take_group(struct xcheck *xcheck, const char *text)
{
	struct xcheck_want *want = &xcheck->want;
	const char **groups;

	if (!*text)
		return usage_error("xcheck: --resctrl \"\": which group?  / is the root group");
	groups = unc_array_more(want->groups, want->n_groups, sizeof(*groups));
	if (!groups) {
		say("out of memory");
		return EXIT_FAILED;
	}
	want->groups = groups;
	groups[want->n_groups++] = text;
	return EXIT_DONE;
}

static int xcheck_option(void *arg, int option)
{
	struct xcheck *xcheck = arg;

	switch (option) {
	case 'e':
		return take_events(xcheck, optarg);
	case TOLERATE:
		return take_tolerance(xcheck, optarg);
	case RESCTRL:
		return take_group(xcheck, optarg);
	default:
		xcheck->want.boxes = optarg;
		return EXIT_DONE;
	}
}

static int xcheck_options_done(void *arg, const struct sampler_options *options)
{
	struct xcheck *xcheck = arg;

	xcheck->format = options->format;
	xcheck->want.cfg.observe = options->observe;
	if (options->observe && xcheck->want.n_groups)
		return usage_error("xcheck: --resctrl: which value of a cache IA32_QM_CTR shows is chosen by writing "
				   "IA32_QM_EVTSEL, and --observe writes no register: only one of them");
	return EXIT_DONE;
}

static int xcheck_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine)
{
	struct xcheck *xcheck = arg;
	int rc = xcheck_rows_open(ctx, machine, &xcheck->want, &xcheck->rows);

	return rc < 0 ? rc : xcheck_rows_start(ctx, &xcheck->rows);
}

static int xcheck_sleep_until(void *arg, uint64_t mono_ns)
{
	struct xcheck *xcheck = arg;

	return unc_xcheck_sleep_until(xcheck->rows.xcheck, mono_ns);
}

static int xcheck_sample(void *arg, struct emitter *emitter)
{
	struct xcheck *xcheck = arg;

	return xcheck_rows_sample(&xcheck->rows, emitter);
}

/* resctrl: each value is selected before it is read. */
static int xcheck_dry_sample(void *arg)
{
	struct xcheck *xcheck = arg;

	return unc_xcheck_sample(xcheck->rows.xcheck);
}

static int xcheck_stop(void *arg)
{
	struct xcheck *xcheck = arg;

	return xcheck_rows_stop(&xcheck->rows);
}

/* A CSV or JSON file must not contain other lines. */
static void xcheck_last_word(void *arg, struct output *out)
{
	struct xcheck *xcheck = arg;

	xcheck_report_print(&xcheck->rows.report, xcheck->format == FORMAT_TABLE ? out : NULL);
}

static int xcheck_verdict(void *arg)
{
	struct xcheck *xcheck = arg;

	return xcheck_report_verdict(&xcheck->rows.report);
}

static void xcheck_close(void *arg)
{
	struct xcheck *xcheck = arg;
	struct xcheck_want *want = &xcheck->want;

	xcheck_rows_close(&xcheck->rows);
	event_list_clear(&want->events);
	free(want->groups);
}

static int xcheck_run(const struct globals *globals, int argc, char **argv)
{
	struct xcheck xcheck = {.want.cfg.tolerance = -1};
	struct sampler sampler = {
		.name = "xcheck",
		.help = help,
		.letters = "e:",
		.own = own_options,
		.columns = xcheck_columns,
		.n_columns = xcheck_n_columns,
		.arg = &xcheck,
		.option = xcheck_option,
		.options_done = xcheck_options_done,
		.start = xcheck_start,
		.sleep_until = xcheck_sleep_until,
		.sample = xcheck_sample,
		.dry_sample = xcheck_dry_sample,
		.stop = xcheck_stop,
		.last_word = xcheck_last_word,
		.verdict = xcheck_verdict,
		.close = xcheck_close,
	};

	return sampler_run(&sampler, globals, argc, argv);
}

const struct command xcheck_command = {
	.name = "xcheck",
	.summary = "does the kernel's own driver count the same? its numbers beside ours",
	.run = xcheck_run,
};
