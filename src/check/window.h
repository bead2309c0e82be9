/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs all channels side by side: each is programmed, runs for a time and is stopped, with one wait for all of them.  A window is
 * what a check knows of one channel.  A channel in which an access fails is left out from then on, and the failure is its result.
 */
#ifndef UNC_CHECK_WINDOW_H
#define UNC_CHECK_WINDOW_H

#include "check/drive.h"

struct unc_span { /* a span of time, counts or rates; both ends included */
	double low, high;
};

/*
 * A property that the map doubts is judged by comparing channels: what all channels do alike is what silicon does, and is reported
 * as `tested:`; a channel that differs from the others is wrong whatever the map doubts.
 */
struct unc_doubt {
	bool doubtful;
	size_t n, n_against; /* channels that were tried, and those that did not follow the map */
};
enum { UNC_DOUBTS = 13, UNC_WINDOW_PIECES = 4, UNC_WINDOW_LOOKS = 4 };

struct unc_windows;
struct unc_window {
	struct unc_windows *ws;
	struct unc_check_box *b;
	struct unc_check *c;
	void *seen; /* what the check sees of the channel: unc_windows_def.size bytes, zeroed at first */
	size_t i;   /* index of the channel in the check's boxes */
	bool in;    /* it can be used */
	int rc;     /* the error that took it out */
	char why[UNC_MSG_MAX];
	const char *lacks;            /* what took it out: "has no frz_en" */
	const struct unc_slot *slots; /* slots of the channel, n of them */
	unsigned n;

	const char *clock;  /* the general event that counts clocks; NULL: there is none */
	uint64_t control;   /* control of that event, without enable */
	bool clockless;     /* that event counts nothing on any channel here */
	bool driven;        /* it counts no clock: clock is an event that counts what is loaded meanwhile */
	struct unc_span hz; /* the rate of the fixed counter's clock; low 0: it stood still */
	struct unc_reading before[UNC_PMON_SLOTS], now[UNC_PMON_SLOTS]; /* the last two readings */
	uint64_t moved[UNC_PMON_SLOTS];                                 /* the gain between them */
	/* Members of unc_windows_clock(): the first reading of the slot that counts clocks, and its rate in each piece. */
	struct unc_reading clock_first;
	struct unc_span pieces[UNC_WINDOW_PIECES];

	/* Members of unc_windows_run(): */
	uint64_t gained[UNC_PMON_SLOTS];
	int restless;                    /* a slot that counted while the channel was frozen; -1: none did */
	bool disagrees;                  /* general counters with the same event did not agree */
	uint64_t begin_ns[2], end_ns[2]; /* times around the writes that released and froze it */
	uint64_t status;                 /* before counters were made to wrap: unc_windows_note_status() */
};

struct unc_windows {
	struct unc_check *c;
	int rc;                /* the run ends; what follows does nothing */
	struct unc_window *of; /* owned */
	void *seen;            /* owned */
	size_t n;
	struct unc_doubt doubts[UNC_DOUBTS];
	bool nothing; /* there is nothing that it could check: no channel gets a result */
	bool told;    /* a result has reported what silicon does with what the map doubts */
	/* Of a run, if it is set: called before and after channels are released, and before and after they are frozen. */
	void (*look)(struct unc_windows *ws, unsigned nth);
};

/* A check that is run this way. */
struct unc_windows_def {
	size_t size;                         /* of what it sees of a channel */
	void (*run)(struct unc_windows *ws); /* NULL: it was measured before */
	void (*doubt)(struct unc_window *w); /* adds to w->ws->doubts, for each channel that is in; or NULL */
	void (*report)(
		struct unc_window *w); /* for each channel that is in, when its result has begun; NULL: run() reports */
};

/*
 * check/driven.c: runs c->now->windows for all channels that count a clock; then for one after the other of those that do not, while
 * loads are made from its memory.
 */
void unc_windows_drive(struct unc_windows *ws);
/* For the same outside of such a check: takes every channel.  ws->rc is not 0: the run ends. */
void unc_windows_open(struct unc_check *c, size_t size, struct unc_windows *ws);
void unc_windows_close(struct unc_windows *ws);

/*
 * The next channel that is in, for accesses with the functions of drive.h.  *w is NULL before the first, and again when it returns
 * false: there are no more, or the run ends.  If an access fails, the channel is left out from the next call on; so a loop over
 * channels has no other way out.
 */
bool unc_windows_next(struct unc_windows *ws, struct unc_window **w);
/* Calls act on every channel that is in. */
typedef void unc_window_act(struct unc_window *w);
void unc_windows_each(struct unc_windows *ws, unc_window_act *act);
void unc_windows_wait(struct unc_windows *ws, uint64_t ns);

/* A channel that is in, for what is the same for all: they have one map.  NULL: none is. */
const struct unc_window *unc_windows_any(const struct unc_windows *ws);
/* True if the map of these channels has that event; NULL: false. */
bool unc_windows_know(const struct unc_windows *ws, const char *event);
/* Returns the event of all commands that move data, of a sub-channel where each has its own; NULL: there is none. */
const char *unc_windows_commands(const struct unc_windows *ws);
/* The number of general counters of a channel; 0: there is no channel. */
unsigned unc_windows_counters(const struct unc_windows *ws);

/*
 * Makes all slots count clocks and run, and measures the rate of the fixed counter over pieces of piece_ns, from one to
 * UNC_WINDOW_PIECES of them.
 */
void unc_windows_clock(struct unc_windows *ws, uint64_t piece_ns, unsigned pieces);
/* Stops the channels with all counters 0, sets up slots for these events, lets them run for ns and stops them again. */
void unc_windows_run(struct unc_windows *ws, const char *const events[UNC_COUNTERS_MAX], uint64_t ns);
/* The same with one event in all general counters. */
void unc_windows_run_one(struct unc_windows *ws, const char *event, uint64_t ns);

/* Call this before sums are compared: do general counters agree on that event, if the map has it? */
void unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns);
/* True: the result begun is skipped with the reason, since counters are restless or disagree, so that no sum can be exact. */
bool unc_window_skips(const struct unc_window *w);

/* ---- acts ---- */

unc_window_act unc_window_off; /* all slots stop counting */
unc_window_act unc_window_read;
/* They store the times before and after the write in begin_ns or end_ns. */
unc_window_act unc_window_freeze, unc_window_release;
/* Does that slot count clocks? */
bool unc_window_is_clock(const struct unc_window *w, unsigned slot);
unsigned unc_window_n_clocks(const struct unc_window *w);
void unc_window_set_clock(struct unc_window *w, unsigned slot, bool enable);
/* Makes every slot that can do so count clocks. */
unc_window_act unc_window_all_clocks;

/* Returns "; general counters were not looked at...", or "". */
const char *unc_window_left_out(const struct unc_window *w);
/* A value of a slot's counter, or of its control, as evidence. */
struct unc_check_seen unc_window_seen(const struct unc_window *w, unsigned slot, const char *what, uint64_t read);
struct unc_check_seen unc_window_seen_control(const struct unc_window *w, unsigned slot, const char *what,
					      uint64_t read);

/* True once in a check: the caller reports what silicon does with what the map doubts. */
bool unc_window_tells(struct unc_window *w);
/* The gain of a clock in that time. */
struct unc_span unc_span_counts(const struct unc_span *hz, const struct unc_span *ns);
/* The gain of the channel's clock while it was released. */
struct unc_span unc_window_counts(const struct unc_window *w);
/* The time from within one bracket to within another one, in nanoseconds. */
struct unc_span unc_span_between(const uint64_t from_ns[2], const uint64_t to_ns[2]);
bool unc_span_has(const struct unc_span *span, double value);
bool unc_span_meet(struct unc_span a, struct unc_span b); /* do they have a value in common? */

/* Adds one channel; doubtful: whether the map doubts it, which is the same for all channels. */
void unc_doubt_add(struct unc_doubt *doubt, bool doubtful, bool against);
bool unc_doubt_excuses(const struct unc_doubt *doubt);

/* ---- the status register ---- */

/* BOX_STATUS; NULL: the map has none. */
const struct unc_reg *unc_window_status(const struct unc_window *w);
/*
 * Call these before and after counters are made to wrap: the second one clears the bits of the status that were not set before.
 * After a failure it stops all first.
 */
void unc_windows_note_status(struct unc_windows *ws);
void unc_windows_restore_status(struct unc_windows *ws);

/* ---- the checks of the theme "behaviour" that are in other files than check/behaviour.c, which has the table ---- */

extern const struct unc_windows_def unc_check_runs, unc_check_freeze, unc_check_frz_en, unc_check_resume,
	unc_check_reset, unc_check_global, unc_check_carry, unc_check_wrap, unc_check_status, unc_check_agree,
	unc_check_sums, unc_check_threshold, unc_check_fields, unc_check_free;

#endif
