/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that measure over time (mem, stat, llc) share: their common options, the COMMAND, samples at their times, the
 * output, rows that are held until they are confirmed, and an end that puts
 * the registers back in every case.  The command itself programs and reads.
 */
#ifndef UNC_CLI_SAMPLER_H
#define UNC_CLI_SAMPLER_H

#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/options.h"

struct sampler_options {
	uint64_t interval_ns;
	bool interval_given;
	uint64_t count;       /* number of samples; 0: until interrupted, or as long as: */
	uint64_t duration_ns; /* 0: no limit */
	enum format format;
	const char *path; /* NULL: standard output */
	char **command;   /* NULL: none */
	struct view view;
	bool verbose;  /* remarks are shown, too */
	bool observe;  /* given here or before the command: no register is written */
	bool searches; /* at the end the users of perf are searched */
	/* Those of this run; until it has started, a command may take the name of one, or its title for a table. */
	struct column *columns;
};

/* The time from one sample to the next; 0: the duration of the COMMAND. */
uint64_t sampler_interval_ns(const struct sampler_options *options);

/* The options that these commands share, for their tables. */
/* clang-format off */
#define SAMPLER_TIMES \
	SAMPLER_TIMES_OF("; with a COMMAND: samples meanwhile", "; a COMMAND is waited for all the same")
/* With what a COMMAND changes. */
#define SAMPLER_TIMES_OF(of_interval, of_count) \
	{"interval", "TIME", sampler_take_interval, 0, \
	 .help = "time between samples: 2, 500ms, 1m (default 1)" of_interval, \
	 .letter = 'i', .shared = true}, \
	{"duration", "TIME", option_seconds, offsetof(struct sampler_options, duration_ns), \
	 .help = "end after TIME (10, 10s, 2m, 1h); the last sample may be shorter", .letter = 'd', .shared = true}, \
	{"count", "COUNT", option_count, offsetof(struct sampler_options, count), \
	 .help = "end after COUNT samples" of_count, .letter = 'n', .shared = true}, \
	{"verbose", NULL, option_flag, offsetof(struct sampler_options, verbose), \
	 .help = "also note what does no harm and is so in every run", .letter = 'v', .shared = true}
#define SAMPLER_OBSERVE(text) OPTION_OBSERVE(text, struct sampler_options)
#define SAMPLER_VIEW(member) offsetof(struct sampler_options, view.member)
#define SAMPLER_UNIT(text) \
	{"unit", "UNIT", option_word, SAMPLER_VIEW(unit), .help = (text), .shared = true, .words = view_units}
#define SAMPLER_ROWS \
	{"sort", "COLUMN", option_text, SAMPLER_VIEW(sort), \
	 .help = "records of a sample by this column of CSV, the highest first", .shared = true}, \
	{"top", "N", option_count, SAMPLER_VIEW(top), .help = "only the first N records of a sample", .shared = true}
#define SAMPLER_HEADERS \
	{"header", NULL, option_flag, SAMPLER_VIEW(header), \
	 .help = "CSV begins with comments about the computer, as JSON lines do", .shared = true}, \
	{"big", "FORM", option_word, SAMPLER_VIEW(big), \
	 .help = "integers above 2^53 in JSON: number (default) or text", .shared = true, .words = view_bigs}, \
	{"utc", NULL, option_flag, SAMPLER_VIEW(utc), .help = "times that people read are those of UTC", .shared = true}
#define SAMPLER_OUTPUT \
	SAMPLER_HEADERS, \
	OPTION_DATA(struct sampler_options, "table (default), csv or jsonl", "write the data to FILE")
/* All of them, for a command whose tables have bytes, and which has series. */
#define SAMPLER_DATA \
	SAMPLER_ROWS, \
	SAMPLER_UNIT("of bytes in a table: auto (default), MB, GB, MiB or GiB"), \
	SAMPLER_HEADERS, \
	{"format", "FORMAT", option_word, offsetof(struct sampler_options, format), \
	 .help = "table (default), csv, jsonl, prometheus or openmetrics", .shared = true, .words = sampler_formats}, \
	OPTION_OUTPUT(struct sampler_options, "write the data to FILE; of the last two, replace it with each sample")
/* clang-format on */
extern const char *const view_units[], *const view_bigs[], *const sampler_formats[];
option_fn sampler_take_interval; /* struct sampler_options */

/* sample() returns this instead of 0 when there is nothing more to measure. */
enum { SAMPLER_LAST = 1 };

/* What differs between the commands. arg is passed to each function. */
struct sampler {
	struct command_line line; /* without own, which is arg, and shared */
	const struct column *columns;
	size_t n_columns;
	void *arg;
	const char *no_observe; /* why it cannot work without writing registers; NULL: it can */

	/* Called after the last option; NULL: nothing to do.  Returns as above.  The options outlive the run. */
	int (*options_done)(void *arg, struct sampler_options *options);
	/* Called when the COMMAND was forked and waits, but not in a replay.  NULL: nothing to do.  Returns as above. */
	int (*forked)(void *arg, int pid);
	/*
	 * Programs the registers and starts.  Returns 0 or a negative enum unc_err, with its sentence in ctx; UNC_EAGAIN: it
	 * waited, and was woken. *ret_bytes: the size of a read, a multiple of 8.
	 */
	int (*start)(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes);
	/* Sleeps until the machine's pacing time, as unc_machine_sleep_until(), and meanwhile does what cannot wait that long. */
	int (*sleep_until)(void *arg, uint64_t mono_ns);
	/*
	 * Reads everything into read. *ret_pending: only a later read, or confirm(), shows whether it is right, so that it is held
	 * until then.  Returns as start(), or SAMPLER_LAST.
	 */
	int (*read)(void *arg, void *read, bool *ret_pending);
	bool ends_partial; /* SIGINT in an interval ends with a sample of that part of it */
	bool read_writes;  /* reading writes registers, so --dry-run does it once */
	/* Confirms n reads, one after the other.  NULL: none is ever held. */
	void (*confirm)(void *arg, void *reads, size_t n);
	void (*end_reads)(void *arg); /* called before the last confirm(), when no read follows; NULL: nothing to do */
	/* emit() draws on the terminal: only -o FILE, as JSON lines or CSV, has rows, and keys wake sleep_until() (signals_keys()). */
	bool draws;
	bool serves; /* what emit() does is not to draw, but to answer on sockets, which wake it (signals_wake_by()) */
	/* Is there a reason to end, and the time from now on between samples; NULL: the user changes neither. */
	bool (*is_over)(void *arg);
	uint64_t (*interval)(void *arg);
	/* Emits the rows of a read that is confirmed.  Returns as start(). */
	int (*emit)(void *arg, const void *read, struct emitter *emitter);
	/*
	 * Reads what can only be read at the end, then puts the registers back; also called if start() failed, or was not called.
	 */
	int (*stop)(void *arg);
	/*
	 * Prints what the whole run came to, when the registers are back, only after at least one sample: into the JSON lines, or
	 * on standard error.  NULL: nothing.
	 */
	void (*summary)(void *arg, enum format format, struct output *out);
	/*
	 * Called when the registers are back, only after at least one sample.  out NULL: a program reads the data, so there must
	 * not be other lines in it.  NULL: nothing to add.
	 */
	void (*last_word)(void *arg, struct output *out);
	/*
	 * The same, but only if nothing failed: EXIT_DONE, or the exit status after a message.  The COMMAND's own status has
	 * priority.
	 */
	int (*verdict)(void *arg);
	void (*close)(void *arg); /* frees the rest */
};

/* Runs the whole command: returns the exit status, or ends by the signal that ended the run. */
int sampler_run(const struct sampler *sampler, const struct globals *globals, int argc, char **argv);

/* Work at start + k * interval. */
struct pace {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	uint64_t interval_ns, duration_ns; /* the last one is at the end of duration_ns; 0: it has no end */
	uint64_t (*interval)(
		void *arg); /* instead of interval_ns, if it may change while it sleeps; NULL: it does not */
	int wake_fd;        /* drained after each time that it was woken */
	void *arg;
	bool (*is_over)(void *arg);
	int (*sleep_until)(void *arg, uint64_t mono_ns); /* as unc_machine_sleep_until() */
	int (*sample)(void *arg, uint64_t mono_ns);      /* the work of that time; EXIT_DONE: go on */
};
/* Returns EXIT_DONE when it is over, or an exit status after a message.  *missed grows by the times for which there was none. */
int pace(const struct pace *pace, uint64_t *missed);

#endif
