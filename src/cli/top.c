// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl top: the bandwidth of every channel and the caches, full screen. */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/child.h"
#include "cli/top.h"

static const char usage[] =
	"usage: uncorectl top [OPTION]...\n"
	"\n"
	"Shows the bandwidth of every memory channel against what it could move, its history, and the\n"
	"caches, on the whole terminal, until q.  ? shows the keys.\n";
static const char notes[] =
	"Blue, # or full blocks are reads, orange, = or half blocks are writes, green, + or light blocks\n"
	"are what Optane modules move.  A channel without a number has words instead, as in `mem`; d\n"
	"tells what they mean.  NO_COLOR in the environment leaves colours out.  Without UTF-8 it draws\n"
	"with ASCII.\n"
	"\n"
	"After a crash or kill -9 `reset` restores the terminal, and `uncorectl recover` the registers.\n";

enum { GLYPHS_OF_TERMINAL = TOP_ASCII + 1 };
static const char *const glyph_words[] = {[TOP_BRAILLE] = "braille", "blocks", "ascii", NULL};

static const struct option_def option_defs[] = {
	{"events", "NAMES", option_text, offsetof(struct top, events),
	 .help = "also count these events or metrics, joined by commas, for the view of one\n"
		 "channel; the key e changes them",
	 .letter = 'e'},
	SAMPLER_TIMES_OF("", ""),
	{"no-caches", NULL, option_flag, offsetof(struct top, no_caches),
	 .help = "leave the caches out: then no CPU gets an RMID"},
	{"cpus", "LIST", llc_take_cpus, offsetof(struct top, beside.llc),
	 .help = "a group in the caches, as of `llc`; may be given several times"},
	{"group", "NAME=LIST", llc_take_group, offsetof(struct top, beside.llc), .help = "the same with a name"},
	{"glyphs", "WHICH", option_word, offsetof(struct top, glyphs),
	 .help = "braille, blocks or ascii; otherwise what the terminal can show", .words = glyph_words},
	OPTION_PEAK(struct top, mem.peaks),
	SAMPLER_OBSERVE("write no register: show what others count; no caches"),
	SAMPLER_UNIT("of all rates: auto (default), MB, GB, MiB or GiB"),
	OPTION_DATA(struct sampler_options, "of FILE: csv, which has no caches, or jsonl (default)",
		    "record samples in FILE, as `mem` and `llc` write them; R pauses that"),
};

/* ---- the screen ---- */

/* Writes what was sampled last: the channels as mem does, and as JSON lines also the caches as llc does. */
static void write_sample(struct top *top, struct emitter *emitter)
{
	struct emitter caches;

	counting_emit(&top->mem.counting, emitter);
	if (!top->beside.on || emitter->format != FORMAT_JSONL)
		return;
	emitter_init(&caches, FORMAT_JSONL, top->beside.columns, n_llc_columns, emitter->table.out, false);
	caches.record = emitter->record;
	llc_emit(&top->beside.llc, top->beside.rows, &caches);
}

/* Keeps a screen as text and its sample as JSON lines, which are printed when the terminal is given back. */
static void keep(struct top *top, const struct top_cell *cells, unsigned columns, unsigned rows)
{
	struct emitter sample;

	for (unsigned row = 0; row < rows; row++, cells += columns) {
		unsigned n = columns;

		while (n && cells[n - 1].glyph == ' ')
			n--;
		for (unsigned i = 0; i < n; i++) {
			char bytes[MB_LEN_MAX];
			int len = wctomb(bytes, cells[i].glyph);

			output_append(&top->kept, len > 0 ? bytes : "?", len > 0 ? (size_t)len : 1);
		}
		output_append(&top->kept, "\n", 1);
	}
	/* Counting may just have begun again; with -o the sample is in the file. */
	if (top->has_file || top->mem.counting.of_channels->time_ns == 0)
		return;
	emitter_init(&sample, FORMAT_JSONL, top->mem.counting.columns, n_mem_columns, &top->kept, false);
	emit_head(&sample, NULL, "sample");
	write_sample(top, &sample);
}

/* Draws the model; all: the terminal may show something else. */
static void top_draw(struct top *top, bool all)
{
	unsigned columns, rows;
	struct top_cell *cells;

	screen_size(&columns, &rows);
	cells = calloc((size_t)columns * rows, sizeof(*cells));
	if (!cells || !screen_open())
		top->quit = true;
	if (!top->quit) {
		top_layout(&top->model, columns, rows, cells);
		if (top->keeps)
			keep(top, cells, columns, rows);
		top->keeps = false;
		screen_draw(cells, columns, rows, all);
	}
	free(cells);
}

/* A sentence on the terminal would be drawn over, so it is a note, and is printed when the terminal is given back. */
static void take_sentence(void *arg, const char *sentence)
{
	struct top *top = arg;
	bool is_note = strncmp(sentence, "note: ", 6) == 0;

	/* Counting begins again with each change of events. */
	if (top->said.len && memmem(top->said.text, top->said.len, sentence, strlen(sentence)))
		return;
	output_printf(&top->said, "uncorectl: %s\n", sentence);
	if (!screen_is_open())
		output_flush(&top->said);
	if (is_note || screen_is_open())
		top_add_note(&top->model, sentence + (is_note ? 6 : 0));
}

static void give_back(struct top *top)
{
	screen_close();
	if (top->kept.len)
		output_flush(&top->kept);
	output_flush(&top->said);
}

static void suspend(struct top *top)
{
	give_back(top);
	say("top: suspended; the counters stay programmed until it goes on (fg) or ends");
	raise(SIGSTOP);
	signals_came(SIGCONT);
}

static int wake_up(struct top *top)
{
	bool stopped = signals_came(SIGTSTP), all = signals_came(SIGCONT) | signals_came(SIGWINCH) | stopped;
	int key;

	if (stopped)
		suspend(top);
	while (!top->quit && (key = screen_key()) != SCREEN_NO_KEY)
		top_take_key(top, key);
	top_draw(top, all);
	return UNC_EAGAIN;
}

/* ---- counting ---- */

/* The longest time for which the session sleeps; then the caches read what is due. */
enum { SLICE_NS = 1000000000 };

static int sleep_until(void *arg, uint64_t mono_ns)
{
	struct top *top = arg;
	uint64_t now, until;
	int rc = UNC_OK;

	if (!screen_is_open())
		top_draw(top, true);
	/* Simulated time that passes only in sleeps would not leave time to look. */
	now = unc_machine_mono_ns(top->machine);
	if (top->machine->host->stands_still && mono_ns > now &&
	    unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + mono_ns - now, top->machine->host->wake_fd) < 0)
		return wake_up(top);
	while (rc == 0 && (now = unc_machine_mono_ns(top->machine)) < mono_ns) {
		until = mono_ns - now < SLICE_NS || !top->beside.on ? mono_ns : now + SLICE_NS;
		rc = counting_sleep_until(&top->mem.counting, until);
		if (rc == 0 && top->beside.on)
			rc = unc_llc_sleep_until(top->beside.llc.llc, until);
	}
	return rc < 0 ? wake_up(top) : UNC_OK;
}

static int read_all(void *arg, void *read, bool *ret_pending)
{
	struct top *top = arg;
	bool pending = false;
	int rc = counting_read(&top->mem.counting, top->counts, ret_pending);

	(void)read; /* its size may change, and it is never held */

	if (rc == 0 && top->beside.on && llc_read(&top->beside.llc, top->beside.rows, &pending) < 0)
		top_end_caches(top);
	return rc;
}

static int emit(void *arg, const void *read, struct emitter *emitter)
{
	struct top *top = arg;

	(void)read;
	top_take_sample(top);
	if (top->model.recording || top->saves)
		write_sample(top, emitter);
	top->saves = false;
	top_draw(top, false);
	return UNC_OK;
}

static bool is_over(void *arg)
{
	return ((struct top *)arg)->quit;
}

static uint64_t interval(void *arg)
{
	return ((struct top *)arg)->interval_ns;
}

/* ---- start and end ---- */

static int options_done(void *arg, struct sampler_options *options)
{
	struct top *top = arg;
	enum top_glyphs glyphs = TOP_ASCII;
	const char *why;
	int status;

	top->interval_ns = options->interval_ns;
	top->has_file = top->model.recording = options->path != NULL;
	if (options->path && strcmp(options->path, "-") == 0)
		return usage_error("top: -o -: it draws on standard output; name a file");
	if (!options->path && options->format != FORMAT_TABLE)
		return usage_error("top: --format is of what -o FILE records, and there is none");
	if (options->command)
		return usage_error("top: it shows what goes on until q; `uncorectl mem -- COMMAND` measures a COMMAND");
	if (endings_replayed())
		return usage_error(
			"top: a record has no keys; `uncorectl --machine replay:FILE` alone runs what was recorded");
	if (top->beside.llc.n_groups && (top->no_caches || options->observe))
		return usage_error(
			"top: a group (--group, --cpus) is of the caches, and %s leaves them out: only one of "
			"them",
			top->no_caches ? "--no-caches" : "--observe");
	why = top->is_dry ? NULL : screen_prepare(&glyphs);
	if (why)
		return usage_error("top: %s", why);
	top->model.glyphs = top->glyphs == GLYPHS_OF_TERMINAL ? glyphs : top->glyphs;
	top->no_caches |= options->observe;
	status = counting_options_done(&top->mem.counting, options);
	top->mem.counting.cfg.confirm_later = false;
	return status;
}

static int start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct top *top = arg;
	int rc;

	top->ctx = ctx;
	top->machine = machine;
	*ret_bytes = sizeof(uint64_t);
	rc = top_start_counting(top, top->events ? top->events : "");
	if (rc == 0)
		rc = top_model_start(top);
	if (rc == 0)
		signals_keys(true);
	return rc;
}

static int stop(void *arg)
{
	struct top *top = arg;
	int rc;

	signals_keys(false);
	top->quits = true;
	give_back(top);
	top_end_caches(top);
	rc = counting_stop(&top->mem.counting);
	return rc < 0 ? rc : top->failed;
}

static void clear(void *arg)
{
	struct top *top = arg;

	say_to(NULL, NULL);
	top_model_end(top);
	llc_close(&top->beside.llc);
	mem_close(&top->mem);
}

static int top_run(const struct globals *globals, int argc, char **argv)
{
	struct top top = {.mem = mem_init(), .glyphs = GLYPHS_OF_TERMINAL, .beside.llc.examine_ns = 10000000};
	struct sampler sampler = {
		.line = {"top", usage, notes, .options = option_defs},
		.columns = mem_columns,
		.n_columns = n_mem_columns,
		.arg = &top,
		.draws = true,
		.options_done = options_done,
		.start = start,
		.sleep_until = sleep_until,
		.read = read_all,
		.read_writes = true,
		.is_over = is_over,
		.interval = interval,
		.emit = emit,
		.stop = stop,
		.close = clear,
	};

	if (globals->recorder)
		return usage_error("record: top is steered by keys, which are in no record; record mem, stat or llc");
	output_on(&top.kept, STDOUT_FILENO);
	output_on(&top.said, STDERR_FILENO);
	top.is_dry = globals->dry_run;
	say_to(take_sentence, &top);
	return sampler_run(&sampler, globals, argc, argv);
}

const struct command top_command = {"top", "the bandwidth of every channel and the caches, full screen", top_run};
