/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does this silicon count right?  A check is a function over all channels (or sockets, CPUs, caches) at once, so that one wait
 * serves all of them; for each it leaves one result: a state, a sentence, and what was seen.  A theme is a file, with a table of its
 * checks; table.c has them in order.
 *
 * What is written goes through check/drive.h.  A check finds every channel resting (released, all controls blank, whatever was found
 * there being remembered) and need not tidy up: after it all is as it was found.
 */
#ifndef UNC_CHECK_CHECK_H
#define UNC_CHECK_CHECK_H

#include "machine/machine.h"
#include "pmon/pmon.h"
#include "uncore.h"

enum { UNC_CHECK_VALUES_KEPT = 24, UNC_CHECK_TEXT = 700 };

enum unc_check_need {
	UNC_CHECK_CHANNELS,    /* this part's memory channels, which a map knows */
	UNC_CHECK_CACHES,      /* cache monitoring */
	UNC_CHECK_CACHE_CPUID, /* a CPU that says so, also where what it says contradicts itself */
};

struct unc_check_def {
	struct unc_check_about about;
	enum unc_check_need need;
	bool counts; /* it needs channels whose counters run: see check/running.h */
	/*
	 * Leaves results.  Not 0 only where the whole run ends: UNC_EAGAIN (unc_check_wait() was woken) and UNC_ENOMEM; what else
	 * fails is the result of what it failed on: unc_check_broke().
	 */
	int (*run)(struct unc_check *c);
};

struct unc_check_theme {
	const struct unc_check_def *defs;
	size_t n;
};
extern const struct unc_check_theme unc_check_presence, unc_check_registers, unc_check_behaviour, unc_check_clock,
	unc_check_traffic, unc_check_monitoring, unc_check_after;
/* NULL beyond the last. */
const struct unc_check_def *unc_check_def_at(size_t i);

struct unc_check_enabled { /* a control that was enabled last */
	bool known;
	uint64_t wrote, read; /* and how it read then */
};

/* A channel that could be written and cannot be any more, and the control that shows it. */
struct unc_check_lost {
	bool is, told;             /* told: a result has failed with it */
	const struct unc_reg *reg; /* NULL: an access failed */
	unsigned index;
	uint64_t wrote, holds;
};

/* A memory channel that is there or ought to be; absent ones are none. */
struct unc_check_box {
	struct unc_box *box;
	struct unc_pmon_box pbox; /* its registers and slots, as they were found; not when !there */
	bool there;               /* it can be read */
	bool busy;                /* somebody else counts there, or left it changed */
	bool usable;              /* it may be written: else why not */
	char why[UNC_MSG_MAX];
	int rc;                     /* what failed, where that is why; else 0 */
	struct unc_check_lost lost; /* while checks ran */
	bool shared;                /* writes to another channel land here, too */
	/* Of check/drive.c: */
	const void *owner;                 /* of what is written, for the gate */
	bool taken;                        /* claimed, planned, and what it held is below */
	uint64_t counters[UNC_PMON_SLOTS]; /* what its counters held */
	const struct unc_reg *box_status;  /* NULL: it has none that can be written */
	uint64_t status;                   /* what that held */
	struct unc_check_enabled enabled[UNC_PMON_SLOTS];
	bool touched; /* something was written since it last was put back */
	bool rested;  /* a check has found it at rest */
	/* Of check/running.c: */
	bool was_frozen; /* its clock stood still until BOX_CTL was released here */
	bool stands;     /* its clock stands still, as do all clocks of its socket: it is not usable */
};

struct unc_check_entry { /* a result */
	const struct unc_check_def *def;
	char subject[40];
	enum unc_check_state state;
	int rc; /* of what is skipped: what failed, or 0 */
	char finding[UNC_CHECK_TEXT];
	char *tested;                  /* owned, or NULL */
	struct unc_check_kept *values; /* owned */
	size_t n_values, n_dropped;
	struct unc_check_trace *traces; /* owned */
	size_t n_traces;
	uint64_t ns;
};

struct unc_check {
	struct unc_machine *m; /* outlives it */
	enum unc_check_depth depth;
	bool force, global, observe;
	void (*progress)(void *arg, const struct unc_check_progress *progress);
	void *progress_arg;
	const struct unc_check_def **chosen; /* owned */
	size_t n_chosen;
	const struct unc_check_def *now; /* that is run */
	struct unc_check_box *boxes;     /* those that --box selects; owned */
	size_t n_boxes;
	struct unc_check_entry *entries; /* owned */
	size_t n_entries;
	int rc; /* out of memory while results were noted */
	bool has_run;
	bool looked_running; /* unc_running_look() has looked */
	struct unc_check_clocks
		*clocks; /* of check/clock.c: what the channels' clocks were measured to be; owned; NULL: not yet */
	struct unc_check_traffic
		*traffic; /* of check/traffic.c: what came of traffic; owned; NULL: none was made yet */
};

/* ---- results (check/note.c) ---- */

/*
 * Begins a result of the check that is run, as passed; those below are about the last one begun.  Out of memory is noted in c->rc
 * and ends the run later: then they do nothing.
 */
void unc_check_begin(struct unc_check *c, const char *subject);
/* Begins that of a channel.  False: it may not be written (or, with only_read, not even be read), and is skipped with its reason. */
bool unc_check_begin_box(struct unc_check *c, const struct unc_check_box *b, bool only_read);
/*
 * What was found, one sentence without a full stop.  The first failure is the one told; a pass never takes one back.  A result that
 * has no sentence when its check ends is made a failure: a check owes what it saw, or why it did not look.
 */
void unc_check_pass(struct unc_check *c, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_check_fail(struct unc_check *c, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_check_skip(struct unc_check *c, const char *fmt, ...) UNC_PRINTF(2, 3);
/* Skips it, since something failed before it could be tried; rc 0: as unc_check_skip(). */
void unc_check_prevented(struct unc_check *c, int rc, const char *why);
bool unc_check_failed(const struct unc_check *c);
/*
 * An access failed with rc, and its sentence is in the context.  Returns what the check is to return then: rc where the run ends
 * (UNC_EAGAIN, UNC_ENOMEM), else 0, and the result has failed with that sentence; with UNC_EBUSY it is skipped, of which
 * unc_check_settle() makes a failure where a channel was lost.
 */
int unc_check_broke(struct unc_check *c, int rc);
/*
 * A check has ended: a channel that was lost in it fails, with the control that shows it, and so does each result from first on
 * that has no sentence.  Where a channel has a result all have one: those without are such a failure, too.
 */
void unc_check_settle(struct unc_check *c, size_t first);
/* A skip of the whole check, of "machine". */
void unc_check_skip_all(struct unc_check *c, const char *fmt, ...) UNC_PRINTF(2, 3);

/* A value as evidence.  Bad ones first: where there is no room, good ones give way, and more bad ones are counted. */
struct unc_check_seen {
	const char *what; /* copied */
	const struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
	const char *name; /* instead of box and reg: of a value that is in no register; copied */
	bool has_wrote, has_expected;
	uint64_t wrote, read, expected;
	uint64_t compared; /* 0 with has_expected: all bits of the register */
};
/* Returns whether read is as expected in the bits compared (always, without expected). */
bool unc_check_see(struct unc_check *c, const struct unc_check_seen *seen);
/* The same, and where it is not the result fails with "REG: WHAT: wrote W, read R, expected E". */
bool unc_check_expect(struct unc_check *c, const struct unc_check_seen *seen);

struct unc_check_plot_of {
	const char *title, *x_unit, *y_unit;
	double low, high; /* both 0: nothing is said */
};
void unc_check_begin_plot(struct unc_check *c, const struct unc_check_plot_of *plot);
void unc_check_point(struct unc_check *c, double x, double y); /* of the plot begun last */

/*
 * A register or field that the map marks `verify:` was tried: a line of YAML for its `tested:`, "BOX_CTL.frz_en: \"...\"".  name:
 * "BOX_CTL.frz_en"; the text says what silicon did, and which source that agrees with.
 */
void unc_check_tested(struct unc_check *c, const char *name, const char *fmt, ...) UNC_PRINTF(3, 4);
/*
 * Is that field, or its register, marked verify:?  Then it cannot fail a check.  What is said of a register as a whole, such as
 * "the guide of this part was not at hand", is about its reset value, reserved bits and status bits: that its rw and wo fields do
 * what they are called is what every tool lives on.
 */
bool unc_check_is_doubtful(const struct unc_reg *reg, const struct unc_field *field);

/* ---- the rest (check/run.c) ---- */

/* Waits in the machine's time, and keeps this computer awake meanwhile.  UNC_EAGAIN: woken. */
int unc_check_wait(const struct unc_check *c, uint64_t ns);
/* By depth, in milliseconds: as nanoseconds. */
uint64_t unc_check_ms(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full);
unsigned unc_check_times(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full);
/*
 * What goes wrong now and then is looked for again and again, channel by channel: so many rounds, but no more of them than the
 * channel's share of that much of the machine's time allows, since how long an access takes is not known before.
 */
struct unc_check_rounds {
	const struct unc_check *c;
	unsigned n, most;
	uint64_t end_ns;
};
void unc_check_rounds_begin(const struct unc_check *c, unsigned most, uint64_t all_ns, struct unc_check_rounds *rounds);
/* Is there another round?  The first ROUNDS_LEAST there always are.  round: its number, from 0. */
bool unc_check_rounds_next(struct unc_check_rounds *rounds, unsigned *ret_round);

void unc_check_clocks_free(struct unc_check_clocks *clocks);    /* check/clock.c; NULL is fine */
void unc_check_traffic_free(struct unc_check_traffic *traffic); /* check/traffic_measure.c; likewise */

#endif
