/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All channels side by side, each programmed, run for a time and stopped, with one wait for all of them.  A window is what a check
 * knows of one channel.  A channel where an access fails is left out from then on, and the failure is its result.
 */
#ifndef UNC_CHECK_WINDOW_H
#define UNC_CHECK_WINDOW_H

#include "check/drive.h"

struct unc_span { /* of time or counts; both included */
	double low, high;
};

struct unc_window {
	struct unc_check_box *b;
	struct unc_check *c;
	size_t i; /* its number among the check's boxes */
	bool in;  /* it can be used */
	int rc;   /* what failed, so that it is not in any more */
	char why[UNC_MSG_MAX];

	const char *clock;  /* the general event that counts clocks; NULL: there is none */
	uint64_t control;   /* of that event, without enable */
	bool clockless;     /* which counts nothing on any channel here */
	struct unc_span hz; /* of the clock that the fixed counter counts; low 0: it stood still */
	struct unc_drive_reading before[UNC_PMON_SLOTS], now[UNC_PMON_SLOTS]; /* the last two readings */

	/* Of unc_windows_run(): */
	uint64_t gained[UNC_PMON_SLOTS];
	int restless;                    /* a slot that counted while the channel was frozen; -1: none ever did */
	bool disagrees;                  /* general counters with one event did not agree */
	uint64_t begin_ns[2], end_ns[2]; /* around the writes that released and froze it */
};

struct unc_windows {
	struct unc_check *c;
	struct unc_window *of; /* owned */
	size_t n;
};

typedef int unc_window_act(struct unc_window *w, void *arg);

/*
 * What a check is made of: takes every channel, calls it with size zeroed bytes for each of them, seen.
 * Returns what it returns: not 0 where the run ends.
 */
int unc_windows_check(struct unc_check *c, size_t size, int (*run)(struct unc_windows *ws, void *seen));
/* Does it on every channel that is in.  Not 0: the run ends. */
int unc_windows_each(struct unc_windows *ws, unc_window_act *act, void *arg);

/* Has the map of these channels that event?  NULL is none. */
bool unc_windows_know(const struct unc_windows *ws, const char *event);
/* How many general counters a channel has; 0: there is no channel. */
unsigned unc_windows_counters(const struct unc_windows *ws);

/* All slots count clocks, and run; the rate of the fixed counter is measured over so many pieces of so long. */
int unc_windows_clock(struct unc_windows *ws, uint64_t piece_ns, unsigned pieces);
/* Channels are stopped, all counters 0; the act programs slots; then they run for a time and are stopped again. */
int unc_windows_run(struct unc_windows *ws, unc_window_act *program, void *arg, uint64_t ns);

/* Before sums are told: do general counters agree on that event, if the map has it? */
int unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns);
/* Of the result begun: true, and why, where counters are restless or disagree, so that no sum can be exact. */
bool unc_window_skips(const struct unc_window *w);

/* ---- acts ---- */

/* All slots stop counting. */
unc_window_act unc_window_off;
unc_window_act unc_window_read;
/* Around the write stands in begin_ns or end_ns when it was. */
unc_window_act unc_window_freeze, unc_window_release;
/* What a slot gained between the last two readings. */
uint64_t unc_window_moved(const struct unc_window *w, unsigned slot);
/* Is that slot one that counts clocks? */
bool unc_window_is_clock(const struct unc_window *w, unsigned slot);
unsigned unc_window_n_clocks(const struct unc_window *w);
int unc_window_set_clock(struct unc_window *w, unsigned slot, bool enable);
/* Every slot that can counts clocks. */
unc_window_act unc_window_all_clocks;

/* "; general counters were not looked at...", or "". */
const char *unc_window_left_out(const struct unc_window *w);
/* arg: const char *[UNC_COUNTERS_MAX], an event for each general counter, NULL: it is off; the fixed one counts. */
unc_window_act unc_window_events;

/* Begins the result of a channel that is in; false: it has been told why it is not. */
bool unc_window_begin(struct unc_window *w);
/* "CTR[2]", "FIXED_CTR" */
const char *unc_window_slot(const struct unc_window *w, unsigned slot, char buf[UNC_GATE_TEXT]);
/* What a clock gains in that time. */
struct unc_span unc_span_counts(const struct unc_span *hz, const struct unc_span *ns);
/* From within one bracket to within another one, in nanoseconds. */
struct unc_span unc_span_between(const uint64_t from_ns[2], const uint64_t to_ns[2]);

/*
 * A thing that the map doubts is judged by its fellows: what all channels do alike is what silicon does, and is told as a
 * `tested:`; what one does differently is wrong whatever the map doubts.
 */
struct unc_doubt {
	bool doubtful;
	size_t n, n_against; /* channels that were looked at, and those that did not as the map says */
};
/* One channel more; doubtful: as the map has it for all of them. */
void unc_doubt_add(struct unc_doubt *doubt, bool doubtful, bool against);
bool unc_doubt_excuses(const struct unc_doubt *doubt);

/* ---- the status register (check/window_status.c) ---- */

/* BOX_STATUS and the bit of a slot; NULL: the map has none. */
const struct unc_reg *unc_window_status(const struct unc_window *w);
const struct unc_field *unc_window_status_bit(const struct unc_window *w, unsigned slot);
/* Before counters are made to wrap: what it holds, for each channel. */
int unc_windows_read_status(struct unc_windows *ws, uint64_t *ret_statuses);
/* Clears what was not set then. */
int unc_windows_clear_status(struct unc_windows *ws, const uint64_t *statuses);

#endif
