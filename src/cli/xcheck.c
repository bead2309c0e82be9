// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl xcheck: compares what the kernel counts with the counter that it uses, and with one of ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "cli/channels.h"
#include "cli/event_list.h"
#include "cli/plan.h"
#include "cli/sampler.h"
#include "cli/xcheck.h"
#include "uncore/event.h"
#include "uncore/xcheck.h"

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

struct xcheck_line { /* a row, and its place in a table */
	struct unc_xcheck_row row;
	char heading[160], label[24];
};

struct xcheck {
	struct unc_xcheck_cfg cfg;
	struct event_list events; /* if empty: the events that perf has names for, unless only groups are wanted */
	const char *boxes;        /* patterns joined by commas, or NULL */
	const char **groups;      /* folders of resctrl, as they were given; only the list is owned */
	size_t n_groups;
	struct unc_ctx *ctx; /* not owned, as is machine */
	struct unc_machine *machine;
	struct unc_xcheck *session; /* owned */
	struct channels channels;
	struct xcheck_line *lines; /* the lines of a sample; owned */
	size_t n_lines;
	struct xcheck_report report;
};

/* ---- what is compared ---- */

/* Chooses the events of reads and writes. */
static int choose_defaults(struct xcheck *x)
{
	struct plan_want want = {.metrics = "read_bandwidth,write_bandwidth"};
	char complaint[EVENT_LIST_COMPLAINT];
	struct plan plan;
	int rc = plan_make(x->ctx, x->machine, &want, &plan);

	if (rc < 0)
		return unc_wrap(x->ctx, rc, "name events with -e");
	for (size_t i = 0; i < plan.n_adds && rc == 0; i++)
		if (!event_list_add(&x->events, plan.adds[i].event, complaint))
			rc = unc_fail(x->ctx, UNC_ENOMEM, "%s", complaint);
	plan_clear(&plan);
	return rc;
}

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct xcheck *x = arg;
	int rc = UNC_OK;

	for (size_t i = 0; i < x->events.n && rc == 0; i++)
		rc = unc_xcheck_add(x->session, box, x->events.items[i].text);
	*ret_n = x->events.n;
	return rc;
}

static int add_channels(struct xcheck *x)
{
	struct unc_llc_info caches = {0};
	struct unc_machine_info info;
	int rc = UNC_OK;

	unc_machine_info(x->machine, &info);
	if (info.no_counters) { /* such a part may have caches that are monitored */
		rc = unc_llc_info(x->machine, &caches);
		if (rc < 0)
			return rc;
		return unc_fail(x->ctx, UNC_ENOSUP, "%s%s", info.no_counters,
				caches.no_monitoring ? ""
						     : "; its caches can be compared: xcheck --resctrl GROUP, without "
						       "-e and --box");
	}
	if (x->events.n == 0)
		rc = choose_defaults(x);
	if (rc == 0)
		rc = channels_open(x->ctx, x->machine, "imc", x->boxes, add_events, x, &x->channels);
	return rc;
}

/* Adds what is wanted, for every channel that is present. */
static int add_all(struct xcheck *x)
{
	bool channels = x->events.n || x->boxes || x->n_groups == 0;
	struct unc_llc_info caches = {0};
	int rc = x->n_groups ? unc_llc_info(x->machine, &caches) : UNC_OK;

	/* Checked first, since the library would report another missing item first. */
	if (rc == 0 && caches.no_monitoring)
		rc = unc_fail(x->ctx, UNC_ENOSUP, "xcheck --resctrl: this CPU does not monitor its caches: %s",
			      caches.no_monitoring);
	if (rc == 0)
		rc = unc_xcheck_open(x->machine, &x->cfg, &x->session);
	if (rc == 0 && channels)
		rc = add_channels(x);
	for (size_t i = 0; i < x->n_groups && rc == 0; i++)
		rc = unc_xcheck_add_resctrl(x->session, x->groups[i]);
	return rc;
}

static int xcheck_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct xcheck *x = arg;
	int rc;

	*ret_bytes = 0; /* the cross-check itself keeps what it read */
	x->ctx = ctx;
	x->machine = machine;
	rc = add_all(x);
	if (rc == 0)
		rc = unc_xcheck_start(x->session);
	if (rc < 0)
		return rc;
	x->n_lines = unc_xcheck_count(x->session);
	for (size_t i = 0; i < x->channels.n; i++) /* events of a missing channel were not added */
		x->n_lines += x->channels.list[i].counted ? 0 : x->events.n;
	x->lines = calloc(x->n_lines + 1, sizeof(*x->lines));
	if (!x->lines)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	return xcheck_report_open(ctx, machine, x->cfg.observe, x->n_lines, &x->report);
}

/* ---- a sample ---- */

/* Returns the line after the channel's. */
static struct xcheck_line *lay_channel(struct xcheck *x, const struct channel *channel, uint64_t time_ns,
				       struct xcheck_line *line)
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

/* The source of a row is "jobs/mon_data/mon_L3_00/llc_occupancy". */
static void lay_group(struct xcheck *x, size_t index, struct xcheck_line *line)
{
	const char *source, *end;
	int len;

	unc_xcheck_row(x->session, index, &line->row);
	source = line->row.source;
	end = strstr(source, "mon_data");
	len = end && end > source ? (int)(end - source) - 1 : 0;
	snprintf(line->heading, sizeof(line->heading), "resctrl %s%.*s", len ? "" : "/", len, source);
	snprintf(line->label, sizeof(line->label), "  %s", line->row.subject);
}

static int xcheck_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct xcheck *x = arg;
	struct xcheck_line *next = x->lines;
	struct unc_xcheck_row first;
	size_t left = 0;

	(void)read;
	/* The lines are in the order in which they are shown: socket by socket, then the groups. */
	unc_xcheck_row(x->session, 0, &first);
	for (size_t i = 0; i < x->channels.n; i++)
		next = lay_channel(x, &x->channels.list[i], first.time_ns, next);
	for (size_t i = x->channels.n_counts; i < unc_xcheck_count(x->session); i++)
		lay_group(x, i, next++);
	for (size_t i = 0; i < x->n_lines; i++, left--) {
		const struct xcheck_line *line = &x->lines[i];

		if (left == 0) {
			size_t n[3] = {0};

			/* The summary of the lines below a heading is all that a low window shows. */
			for (; i + left < x->n_lines && strcmp(line[left].heading, line->heading) == 0; left++)
				n[line[left].row.verdict]++;
			xcheck_report_heading(line->heading, n, emitter);
		}
		if (!xcheck_report_row(&x->report, i, &line->row, line->label, emitter))
			return UNC_ENOMEM;
	}
	return UNC_OK;
}

/* ---- the command ---- */

static int take_events(void *member, const struct option_given *given)
{
	struct xcheck *x = member;
	const char *text = given->value;
	char complaint[EVENT_LIST_COMPLAINT];

	if (!event_list_add(&x->events, text, complaint))
		return usage_error("xcheck: -e %s: %s", text, complaint);
	if (x->events.n_sets)
		return usage_error("xcheck: -e %s: each event is compared by itself: take the braces away", text);
	return EXIT_DONE;
}

static int take_tolerance(void *member, const struct option_given *given)
{
	struct xcheck *x = member;
	const char *text = given->value;
	double percent;

	if (!unc_text_double(text, &percent) || percent >= 100)
		return usage_error("xcheck: --tolerance %s: a number of percent below 100, such as 0.1, or 0", text);
	x->cfg.tolerance = percent / 100;
	return EXIT_DONE;
}

static int take_group(void *member, const struct option_given *given)
{
	struct xcheck *x = member;
	const char *text = given->value;

	if (!*text)
		return usage_error("xcheck: --resctrl \"\": which group?  / is the root group");
	if (unc_array_add(&x->groups, &x->n_groups, &text, sizeof(text)))
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
	SAMPLER_INTERVAL,
	SAMPLER_COUNT,
	SAMPLER_FORMAT,
	SAMPLER_OUTPUT,
	{0},
};

static int xcheck_options_done(void *arg, const struct sampler_options *options)
{
	struct xcheck *x = arg;

	x->cfg.observe = options->observe;
	if (options->observe && x->n_groups)
		return usage_error("xcheck: --resctrl: which value of a cache IA32_QM_CTR shows is chosen by writing "
				   "IA32_QM_EVTSEL, and --observe writes no register: only one of them");
	return EXIT_DONE;
}

static int xcheck_sleep_until(void *arg, uint64_t mono_ns)
{
	struct xcheck *x = arg;

	return unc_xcheck_sleep_until(x->session, mono_ns);
}

/* Takes the next bracket. */
static int xcheck_read(void *arg, void *read, bool *ret_pending)
{
	struct xcheck *x = arg;

	(void)read;
	(void)ret_pending;
	return unc_xcheck_sample(x->session);
}

static int xcheck_stop(void *arg)
{
	struct xcheck *x = arg;
	int rc = unc_xcheck_close(x->session);

	x->session = NULL;
	return rc;
}

static void xcheck_last_word(void *arg, struct output *out)
{
	struct xcheck *x = arg;

	xcheck_report_print(&x->report, out);
}

static int xcheck_verdict(void *arg)
{
	struct xcheck *x = arg;

	return xcheck_report_verdict(&x->report);
}

static void xcheck_close(void *arg)
{
	struct xcheck *x = arg;

	channels_clear(&x->channels);
	xcheck_report_close(&x->report);
	free(x->lines);
	event_list_clear(&x->events);
	free(x->groups);
}

static int xcheck_run(const struct globals *globals, int argc, char **argv)
{
	struct xcheck xcheck = {.cfg.tolerance = -1};
	struct sampler sampler = {
		.line = {"xcheck", usage, notes, .options = option_defs},
		.columns = xcheck_columns,
		.n_columns = xcheck_n_columns,
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
