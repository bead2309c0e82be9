/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs all channels side by side: each is programmed, runs for a time and is stopped, with one wait for all of them.  A window is
 * what a check knows of one channel.  A channel in which an access fails is left out from then on, and the failure is its result.
 */
#ifndef UNC_CHECK_WINDOW_H
#define UNC_CHECK_WINDOW_H

#include "check/drive.h"

struct unc_span { /* a span of time or counts; both ends included */
	double low, high;
};

struct unc_window {
	struct unc_check_box *b;
	struct unc_check *c;
	size_t i; /* index of the channel in the check's boxes */
	bool in;  /* it can be used */
	int rc;   /* the error that took it out */
	char why[UNC_MSG_MAX];

	const char *clock;  /* the general event that counts clocks; NULL: there is none */
	uint64_t control;   /* control of that event, without enable */
	bool clockless;     /* that event counts nothing on any channel here */
	struct unc_span hz; /* the rate of the fixed counter's clock; low 0: it stood still */
	struct unc_reading before[UNC_PMON_SLOTS], now[UNC_PMON_SLOTS]; /* the last two readings */

	/* Members of unc_windows_run(): */
	uint64_t gained[UNC_PMON_SLOTS];
	int restless;                    /* a slot that counted while the channel was frozen; -1: none did */
	bool disagrees;                  /* general counters with the same event did not agree */
	uint64_t begin_ns[2], end_ns[2]; /* times around the writes that released and froze it */
};

struct unc_windows {
	struct unc_check *c;
	struct unc_window *of; /* owned */
	size_t n;
};

typedef int unc_window_act(struct unc_window *w, void *arg);

/*
 * The frame of a check: takes every channel, then calls run() with an array of size zeroed bytes for each of them, seen.  Returns
 * what run() returns: not 0 where the run ends.
 */
int unc_windows_check(struct unc_check *c, size_t size, int (*run)(struct unc_windows *ws, void *seen));
/* Calls act on every channel that is in.  Not 0: the run ends. */
int unc_windows_each(struct unc_windows *ws, unc_window_act *act, void *arg);

/* Does the map of these channels have that event?  NULL: false. */
bool unc_windows_know(const struct unc_windows *ws, const char *event);
/* The number of general counters of a channel; 0: there is no channel. */
unsigned unc_windows_counters(const struct unc_windows *ws);

/* Makes all slots count clocks and run, and measures the rate of the fixed counter over that many pieces of piece_ns. */
int unc_windows_clock(struct unc_windows *ws, uint64_t piece_ns, unsigned pieces);
/* Stops the channels with all counters 0, calls program to set up slots, lets them run for ns and stops them again. */
int unc_windows_run(struct unc_windows *ws, unc_window_act *program, void *arg, uint64_t ns);

/* Call this before sums are compared: do general counters agree on that event, if the map has it? */
int unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns);
/* True: the result begun is skipped with the reason, since counters are restless or disagree, so that no sum can be exact. */
bool unc_window_skips(const struct unc_window *w);

/* ---- acts ---- */

/* All slots stop counting. */
unc_window_act unc_window_off;
unc_window_act unc_window_read;
/* They store the times before and after the write in begin_ns or end_ns. */
unc_window_act unc_window_freeze, unc_window_release;
/* The gain of a slot between the last two readings. */
uint64_t unc_window_moved(const struct unc_window *w, unsigned slot);
/* Does that slot count clocks? */
bool unc_window_is_clock(const struct unc_window *w, unsigned slot);
unsigned unc_window_n_clocks(const struct unc_window *w);
int unc_window_set_clock(struct unc_window *w, unsigned slot, bool enable);
/* Makes every slot that can do so count clocks. */
unc_window_act unc_window_all_clocks;

/* Returns "; general counters were not looked at...", or "". */
const char *unc_window_left_out(const struct unc_window *w);
/* arg: const char *[UNC_COUNTERS_MAX], an event for each general counter, NULL: it is off.  The fixed counter is on. */
unc_window_act unc_window_events;

/* Begins the result of a channel that is in; false: the result already says why it is not. */
bool unc_window_begin(struct unc_window *w);
/* Returns buf with "CTR[2]" or "FIXED_CTR". */
const char *unc_window_slot(const struct unc_window *w, unsigned slot, char buf[UNC_GATE_TEXT]);
/* The gain of a clock in that time. */
struct unc_span unc_span_counts(const struct unc_span *hz, const struct unc_span *ns);
/* The time from within one bracket to within another one, in nanoseconds. */
struct unc_span unc_span_between(const uint64_t from_ns[2], const uint64_t to_ns[2]);

/*
 * A property that the map doubts is judged by comparing channels: what all channels do alike is what silicon does, and is reported
 * as `tested:`; a channel that differs from the others is wrong whatever the map doubts.
 */
struct unc_doubt {
	bool doubtful;
	size_t n, n_against; /* channels that were tried, and those that did not follow the map */
};
/* Adds one channel; doubtful: whether the map doubts it, which is the same for all channels. */
void unc_doubt_add(struct unc_doubt *doubt, bool doubtful, bool against);
bool unc_doubt_excuses(const struct unc_doubt *doubt);

/* ---- the status register (check/window.c) ---- */

/* BOX_STATUS, and the bit of a slot in it; NULL: the map has none. */
const struct unc_reg *unc_window_status(const struct unc_window *w);
const struct unc_field *unc_window_status_bit(const struct unc_window *w, unsigned slot);
/* Reads the status of each channel, before counters are made to wrap. */
int unc_windows_read_status(struct unc_windows *ws, uint64_t *ret_statuses);
/* Clears the bits that were not set then. */
int unc_windows_clear_status(struct unc_windows *ws, const uint64_t *statuses);

#endif
