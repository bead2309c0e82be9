// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that measure over time. */
#define _GNU_SOURCE
#include "cli/sampler.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/child.h"
#include "cli/confine.h"
#include "cli/metrics.h"

enum { INTERVAL_NS = 1000000000, GATHER_NS = 10000000 };
/* What a memory channel or a cache may move, if not more: it chooses the units of a table. */
static const double USUAL_BYTES_PER_S = 1e10;
enum { REPLAYED_PID = 1 }; /* a record answers for the COMMAND, whatever its number was */

/* Reads that have not been shown yet, since no later read has confirmed them.  All zeros at first, except size. */
struct held {
	size_t size; /* size of a read in bytes: a multiple of 8 */
	char *reads; /* oldest first; owned */
	/* Counted in reads: those from first to good are confirmed, those from good to end wait. */
	size_t first, good, end, room;
};

struct run {
	const struct sampler *sampler;
	const struct sampler_options *options;
	struct opened opened;
	struct column columns[EMIT_COLUMNS_MAX];
	struct emitter emitter;
	struct metrics_rows metrics; /* for formats of series */
	struct output out;
	struct child child;
	struct held held;
	int wake_fd;
	bool failed;
	bool last;  /* there is nothing more to measure */
	bool mute;  /* the output has failed: nothing more is shown */
	bool shown; /* all samples were shown, and no more follow */
	uint64_t samples;
	uint64_t sampled_ns; /* pacing time at which the last sample was due, or the first interval began */
	uint64_t missed;     /* missed deadlines */
	uint64_t dry_writes; /* MSR writes of one sample, counted with --dry-run */
};

static uint64_t step_of(const struct pace *p)
{
	return p->interval ? p->interval(p->arg) : p->interval_ns;
}

int pace(const struct pace *p, uint64_t *missed)
{
	uint64_t from = unc_machine_mono_ns(p->machine), end = p->duration_ns ? from + p->duration_ns : UINT64_MAX;
	int status = EXIT_DONE;

	while (status == EXIT_DONE && from < end && !p->is_over(p->arg)) {
		uint64_t now = unc_machine_mono_ns(p->machine), step = step_of(p), deadline;
		int rc;

		if (from + step <= now) {
			uint64_t late = (now - from) / step;

			*missed += late;
			from += late * step;
		}
		deadline = from + step < end ? from + step : end;
		while ((rc = p->sleep_until(p->arg, deadline)) == UNC_EAGAIN && !p->is_over(p->arg)) {
			signals_drain(p->wake_fd);
			step = step_of(p);
			deadline = from + step < end ? from + step : end;
		}
		from = deadline;
		if (rc == 0)
			status = p->sample(p->arg, deadline);
		else if (rc != UNC_EAGAIN)
			status = fail_with(p->ctx, rc);
	}
	return status;
}

/* ---- reads that are held ---- */

static void *read_at(const struct held *held, size_t read)
{
	return held->reads + read * held->size;
}

/* Returns room for one more read; reuses that of reads that were taken before it allocates more.  NULL: out of memory. */
static void *held_room(struct held *held)
{
	size_t n = held->end - held->first, room = n + n / 2 + 1;
	void *more;

	if (held->end < held->room)
		return read_at(held, held->end);
	if (held->first > 0)
		memmove(held->reads, read_at(held, held->first), n * held->size);
	held->good -= held->first;
	held->first = 0;
	held->end = n;
	if (room > held->room) {
		more = realloc(held->reads, room * held->size + 1);
		if (!more)
			return NULL;
		held->reads = more;
		held->room = room;
	}
	return read_at(held, held->end);
}

static void confirm_held(struct run *run)
{
	struct held *held = &run->held;

	if (held->end > held->good && run->sampler->confirm)
		run->sampler->confirm(run->sampler->arg, read_at(held, held->good), held->end - held->good);
	held->good = held->end;
}

/* Reads once, and holds the read. */
static int read_once(struct run *run)
{
	const struct sampler *sampler = run->sampler;
	void *read = held_room(&run->held);
	bool pending = false;
	int rc;

	if (!read)
		return unc_fail(run->opened.ctx, UNC_ENOMEM, "out of memory");
	rc = sampler->read(sampler->arg, read, &pending);
	if (rc < 0)
		return rc;
	run->held.end++;
	if (!pending)
		confirm_held(run);
	return rc;
}

/* ---- start ---- */

/* A table that is redrawn would overwrite the note before it can be read. */
static void log_note(void *arg, const char *sentence)
{
	struct run *run = arg;

	say("note: %s", sentence);
	if (isatty(STDERR_FILENO))
		run->emitter.table.drawn = 0;
}

/* The emitter's rows become series.  False: out of memory, after a message. */
static bool take_series(struct run *run)
{
	run->metrics = (struct metrics_rows){
		.metrics = metrics_new(run->opened.ctx, run->opened.machine, sampler_interval_ns(run->options)),
		.columns = run->columns,
		.n_columns = run->sampler->n_columns,
	};
	run->emitter.metrics = &run->metrics;
	return run->metrics.metrics != NULL;
}

/* Does everything up to the first interval.  The COMMAND was forked before. */
static int start(struct run *run, struct globals *globals)
{
	const struct sampler *sampler = run->sampler;
	const struct sampler_options *options = run->options;
	const struct column *sorted;
	int rc, status;

	status = (format_is_metrics(options->format) ? replaced_open : output_open)(
		&run->out, globals, options->path, options->command ? STDERR_FILENO : STDOUT_FILENO);
	if (run->out.replaced)
		globals->made_folder = replaced_folder(run->out.replaced);
	globals->only_counts = true;
	if (status == EXIT_DONE)
		status = open_machine(globals, true, run->wake_fd, &run->out, &run->opened);
	if (status != EXIT_DONE)
		return status;
	if (options->format == FORMAT_JSONL || options->view.header)
		read_facts(&run->opened);
	run->opened.ctx->terse = !options->verbose;
	rc = sampler->start(sampler->arg, run->opened.ctx, run->opened.machine, &run->held.size);
	if (rc == UNC_EAGAIN && signals_caught())
		return EXIT_DONE;
	if (rc == 0 && globals->dry_run && sampler->read_writes) {
		uint64_t before = run->opened.dry_run.msr_writes;

		rc = read_once(run);
		run->dry_writes = run->opened.dry_run.msr_writes - before;
	}
	if (rc < 0)
		return fail_here(&run->opened, rc);
	/* One write per sample would miss deadlines at the fastest pace; files and pipes need not be that current. */
	if (options->interval_ns < GATHER_NS)
		run->out.gather_ns = GATHER_NS;
	/* A COMMAND may write on the same terminal: no table may overwrite its output. */
	emitter_init(&run->emitter, options->format, run->columns, sampler->n_columns, &run->out,
		     options->count != 1 && !options->command);
	sorted = &run->columns[options->view.sort_column];
	if (options->view.sort && !sorted->name && !sorted->title)
		return usage_error("%s: --sort %s: on this machine there is no such column", sampler->line.command,
				   options->view.sort);
	emitter_set_view(&run->emitter, &options->view);
	if (format_is_metrics(options->format) && !take_series(run))
		return EXIT_FAILED;
	if (options->format != FORMAT_CSV || options->view.header)
		zone_fix(options->view.utc);
	emit_head(&run->emitter, &run->opened, "sample");
	unc_set_log(run->opened.ctx, log_note, run);
	confine(globals,
		options->searches   ? CONFINE_SEARCHING
		: sampler->serves   ? CONFINE_SERVING
		: run->out.replaced ? CONFINE_REPLACING
				    : CONFINE_HELD,
		run->child.pid);
	return EXIT_DONE;
}

static int written(struct run *run, bool good)
{
	run->mute = !good && !signals_were_cut_short();
	run->last |= run->out.gone;
	return run->mute ? EXIT_FAILED : EXIT_DONE;
}

static int failed(struct run *run, int rc)
{
	run->failed = true;
	return fail_with(run->opened.ctx, rc);
}

/* Shows confirmed samples until that pacing time.  Two are shown even if the time has passed, so that they do not accumulate. */
static int show_held(struct run *run, uint64_t until_ns)
{
	enum { AT_LEAST = 2 };
	const struct sampler *sampler = run->sampler;
	struct unc_machine *machine = run->opened.machine;
	struct held *held = &run->held;
	struct unc_machine_info info;
	int status = EXIT_DONE, rc;
	unsigned n;

	unc_machine_info(machine, &info);
	run->out.more = true;
	for (n = 0; status == EXIT_DONE; n++) {
		char caption[256] = "", clock[TIME_TEXT_MAX];

		if (n >= AT_LEAST && until_ns != UINT64_MAX && unc_machine_mono_ns(machine) >= until_ns)
			break;
		if (held->first == held->good)
			break;
		if (run->metrics.metrics)
			metrics_begin(run->metrics.metrics);
		/* The oldest confirmed read. */
		rc = sampler->emit(sampler->arg, read_at(held, held->first++), &run->emitter);
		if (held->first == held->end)
			held->first = held->good = held->end = 0;
		if (rc < 0)
			return failed(run, rc);
		if (sampler->draws && !run->options->path)
			continue;
		if (run->options->format == FORMAT_TABLE) {
			snprintf(caption, sizeof(caption), "%s   %s%s%s%s",
				 iso_time(unc_machine_real_ns(machine), clock), info.name, *info.part ? "   " : "",
				 info.part, info.simulated ? " (simulated)" : "");
		}
		status = written(run, emit_sample(&run->emitter, caption));
	}
	run->out.more = false;
	return n > 0 && (!sampler->draws || run->options->path) ? written(run, output_end_sample(&run->out)) : status;
}

/* until_ns: the pacing time until which held samples are shown; UINT64_MAX: the sample was not due at a time. */
static int sample(struct run *run, uint64_t until_ns)
{
	struct metrics *metrics = run->metrics.metrics;
	uint64_t began_ns = metrics ? unc_machine_mono_ns(run->opened.machine) : 0;
	int rc = read_once(run);

	if (metrics)
		metrics_timed(metrics, until_ns == UINT64_MAX ? began_ns : run->sampled_ns, began_ns,
			      unc_machine_mono_ns(run->opened.machine), true);
	if (rc < 0)
		return failed(run, rc);
	run->last = rc == SAMPLER_LAST;
	run->samples++;
	return show_held(run, until_ns);
}

/* Used when no further sample would confirm what is held. */
static int show_the_rest(struct run *run)
{
	if (!run->samples || run->mute || run->shown)
		return EXIT_DONE;
	run->shown = true;
	if (run->sampler->end_reads)
		run->sampler->end_reads(run->sampler->arg);
	confirm_held(run);
	return show_held(run, UINT64_MAX);
}

/* Is there a reason to stop between samples? */
static bool is_over(void *arg)
{
	struct run *run = arg;

	if (run->last || (run->options->command && child_ended(&run->child)))
		return true;
	if (run->sampler->is_over && run->sampler->is_over(run->sampler->arg))
		return true;
	return signals_caught() || (run->options->count && run->samples >= run->options->count);
}

static uint64_t interval(void *arg)
{
	struct run *run = arg;

	return run->sampler->interval ? run->sampler->interval(run->sampler->arg) : run->options->interval_ns;
}

/* Whatever woke it: it goes on until the time has come. */
static int sleep_until(void *arg, uint64_t mono_ns)
{
	struct run *run = arg;

	return run->sampler->sleep_until(run->sampler->arg, mono_ns) < 0 ? UNC_EAGAIN : UNC_OK;
}

static int sample_at(void *arg, uint64_t mono_ns)
{
	struct run *run = arg;

	run->sampled_ns = mono_ns;
	return sample(run, mono_ns + run->options->interval_ns / 2);
}

/* The part of an interval in which an interrupt came, unless that is too short to say anything. */
static int sample_the_rest(struct run *run)
{
	enum { LEAST_NS = 1000000 };

	if (!run->sampler->ends_partial || signals_caught() != SIGINT || run->last ||
	    (run->options->count && run->samples >= run->options->count) ||
	    unc_machine_mono_ns(run->opened.machine) - run->sampled_ns < LEAST_NS)
		return EXIT_DONE;
	return sample(run, UINT64_MAX);
}

static int sample_by_time(struct run *run)
{
	run->sampled_ns = unc_machine_mono_ns(run->opened.machine);
	return pace(&(struct pace){.ctx = run->opened.ctx,
				   .machine = run->opened.machine,
				   .interval = interval,
				   .duration_ns = run->options->duration_ns,
				   .wake_fd = run->wake_fd,
				   .arg = run,
				   .is_over = is_over,
				   .sleep_until = sleep_until,
				   .sample = sample_at},
		    &run->missed);
}

/*
 * Waits until something happens.  Counters that could wrap are read meanwhile.  On a machine whose time does not pass by itself the
 * first call returns at once, but the COMMAND still takes its time.
 */
static void rest(void *arg)
{
	struct run *run = arg;

	run->sampler->sleep_until(run->sampler->arg, UINT64_MAX);
	unc_os_sleep_until(UINT64_MAX, run->wake_fd);
}

/* The COMMAND runs: takes one sample over its life, or one every interval and one over the rest. */
static int sample_command(struct run *run)
{
	int status = EXIT_DONE;

	if (!child_go(&run->child, run->options->command[0]))
		return run->child.status;
	if (run->options->interval_given)
		status = sample_by_time(run);
	/* No sample follows, and what happens while COMMAND goes on must neither delay nor judge the samples that are held. */
	if (status == EXIT_DONE && run->options->count && run->samples >= run->options->count)
		status = show_the_rest(run);
	child_wait(&run->child, run->wake_fd, rest, run);
	if (status == EXIT_DONE && (!run->options->count || run->samples < run->options->count))
		status = sample(run, UINT64_MAX);
	return status == EXIT_DONE && run->child.ended ? run->child.status : status;
}

/* Programs that read CSV on standard output get no other lines there. */
static int sum_up(struct run *run)
{
	struct output err = {.name = NULL}, *out = &run->out;

	if (run->options->format != FORMAT_JSONL) {
		output_on(&err, STDERR_FILENO);
		if (run->out.fd != STDERR_FILENO)
			out = &err;
	}
	run->sampler->summary(run->sampler->arg, run->options->format, out);
	return err.name && !output_close(&err) ? EXIT_FAILED : EXIT_DONE;
}

static int end(struct run *run, int status)
{
	const struct sampler *sampler = run->sampler;
	int rc;

	status = first_failure(status, show_the_rest(run));
	rc = sampler->stop(sampler->arg);
	if (rc < 0)
		status = first_failure(status, failed(run, rc));
	if (run->dry_writes)
		say("note: that would be %llu writes of MSRs; one sample has %llu of them",
		    (unsigned long long)run->opened.dry_run.msr_writes, (unsigned long long)run->dry_writes);
	if (run->missed)
		say("note: %llu of %llu samples are missing: the time did not suffice; take a longer interval (-i)",
		    (unsigned long long)run->missed, (unsigned long long)(run->samples + run->missed));
	if (run->samples && sampler->summary && !run->mute && !run->out.failed && !signals_were_cut_short())
		status = first_failure(status, sum_up(run));
	if (run->samples && sampler->last_word)
		sampler->last_word(sampler->arg, run->options->format == FORMAT_TABLE ? &run->out : NULL);
	if (run->samples && sampler->verdict && !run->failed)
		status = first_failure(status, sampler->verdict(sampler->arg));
	free(run->held.reads);
	sampler->close(sampler->arg);
	status = close_all(&run->emitter, &run->opened, &run->out, status);
	metrics_free(run->metrics.metrics);
	child_abandon(&run->child);
	return status;
}

/* ---- options ---- */

const char *const view_units[] = {
	[UNIT_AUTO] = "auto", [UNIT_MB] = "MB", [UNIT_GB] = "GB", [UNIT_MIB] = "MiB", [UNIT_GIB] = "GiB", NULL};
const char *const view_bigs[] = {"number", "text", NULL};
const char *const sampler_formats[] = {[FORMAT_TABLE] = "table",
				       [FORMAT_CSV] = "csv",
				       [FORMAT_JSONL] = "jsonl",
				       [FORMAT_DETAILS] = "",
				       [FORMAT_PROMETHEUS] = "prometheus",
				       [FORMAT_OPENMETRICS] = "openmetrics",
				       NULL};

int sampler_take_interval(void *member, const struct option_given *given)
{
	struct sampler_options *options = member;

	options->interval_given = true;
	return option_seconds(&options->interval_ns, given);
}

uint64_t sampler_interval_ns(const struct sampler_options *options)
{
	return options->command && !options->interval_given ? 0 : options->interval_ns;
}

static int parse(const struct sampler *sampler, const struct globals *globals, int argc, char **argv,
		 struct sampler_options *ret_options, bool *ret_end)
{
	struct command_line line = sampler->line;
	int first, status;

	line.own = sampler->arg;
	line.shared = ret_options;
	line.stops = true;
	line.column = 18;
	ret_options->interval_ns = INTERVAL_NS;
	ret_options->view.bytes_per_s = USUAL_BYTES_PER_S;
	ret_options->observe = globals->observe;
	first = command_line_parse(&line, argc, argv, &status);
	*ret_end = first == 0;
	if (first == 0)
		return status;
	if (first < argc && strcmp(argv[first - 1], "--") != 0 && !sampler->draws)
		return usage_error("%s: %s: a COMMAND comes after --", line.command, argv[first]);
	if (first == argc && strcmp(argv[argc - 1], "--") == 0)
		return usage_error("%s: there is no COMMAND after --", line.command);
	ret_options->command = first < argc ? argv + first : NULL;
	if (ret_options->command && ret_options->duration_ns)
		return usage_error("%s: -d: a COMMAND is measured as long as it runs; leave out one of them",
				   line.command);
	if (ret_options->observe && sampler->no_observe)
		return usage_error("%s: --observe: %s", line.command, sampler->no_observe);
	if (format_is_metrics(ret_options->format) && view_is_flat(&ret_options->view))
		return usage_error("%s: --%s is of records, and --format %s has series", line.command,
				   ret_options->view.sort ? "sort" : "top", sampler_formats[ret_options->format]);
	if (sampler->draws && ret_options->path && ret_options->format == FORMAT_TABLE)
		ret_options->format = FORMAT_JSONL; /* the terminal has what a table would */
	return sampler->options_done ? sampler->options_done(sampler->arg, ret_options) : EXIT_DONE;
}

/* ---- the run ---- */

int sampler_run(const struct sampler *sampler, const struct globals *globals, int argc, char **argv)
{
	struct globals with_command = *globals;
	struct sampler_options options = {.columns = NULL};
	struct run run = {.sampler = sampler, .options = &options};
	bool ended, forks;
	int status;

	options.columns = memcpy(run.columns, sampler->columns, sampler->n_columns * sizeof(*run.columns));
	status = parse(sampler, globals, argc, argv, &options, &ended);
	if (status == EXIT_DONE && !ended)
		status = view_check(&options.view, sampler->line.command, sampler->columns, sampler->n_columns);
	options.view.interval_ns = sampler_interval_ns(&options);
	if (status == EXIT_DONE && !ended)
		status = globals_observe(&with_command, options.observe);
	if (status == EXIT_DONE && !ended) {
		run.wake_fd = sampler->draws ? signals_catch_keys(!sampler->serves) : signals_catch();
		/* The COMMAND waits.  With --dry-run it is forked only if the sampler needs to know its process. */
		forks = options.command && (!globals->dry_run || sampler->forked);
		if (run.wake_fd < 0 || (forks && !child_fork(options.command, &run.child)))
			status = EXIT_FAILED;
		else if (forks && sampler->forked && !run.child.replayed)
			status = sampler->forked(sampler->arg, run.child.pid);
	}
	if (status != EXIT_DONE || ended) {
		child_abandon(&run.child);
		sampler->close(sampler->arg);
		return status;
	}
	if (globals->dry_run)
		options.command = NULL; /* nothing is measured, so it is not run */
	with_command.command_pid = run.child.replayed ? REPLAYED_PID : run.child.pid;
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* wakes in time; the COMMAND is not affected */
	status = start(&run, &with_command);
	if (status == EXIT_FAILED && signals_were_cut_short())
		status = EXIT_DONE; /* not a failure: a signal came while it waited for a reader to open a pipe */
	if (status == EXIT_DONE && !globals->dry_run && !signals_caught()) {
		status = options.command ? sample_command(&run) : sample_by_time(&run);
		if (status == EXIT_DONE && !options.command)
			status = sample_the_rest(&run);
	}
	status = end(&run, status);
	return signals_end(status, !options.count && !options.duration_ns && !options.command);
}
