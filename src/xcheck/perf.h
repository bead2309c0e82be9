/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perf's side share: its boxes, and the events in them. */
#ifndef UNC_XCHECK_PERF_H
#define UNC_XCHECK_PERF_H

#include "pmon/session.h"
#include "xcheck/judge.h"
#include "xcheck/pmu.h"

struct unc_xend { /* one end of an interval, for one event */
	struct unc_xcheck_bracket bracket;
	int slot; /* slot in which perf has it; -1: not found */
	bool has_kernel, has_raw;
	bool has_own; /* own_total is valid: our own count since the start */
	uint64_t own_total;
};

struct unc_xevent {
	struct unc_wanted *wanted; /* owned */
	size_t box;                /* index in the side's boxes */
	/* The request to perf. */
	const struct unc_pmu *pmu; /* until its box is found, the PMU that is expected to be it */
	struct unc_pmu_code code;
	int cpu;                   /* -1: not known */
	char config[96];           /* pmu and code as text */
	char words[160];           /* the same as an argument of perf's -e */
	char from[UNC_XCHECK_WHY]; /* why perf can never count this event; "" if it can */
	bool open;
	unsigned event; /* number for unc_host_ops.perf() */
	/* The kernel's result. */
	bool known; /* fixed and control are valid: found by switching it on and off, or with lost the requested ones */
	bool fixed; /* it is in the fixed counter */
	uint64_t control;           /* the control that selects it */
	int slot;                   /* where it was found last; -1: not yet */
	bool guessed;               /* that slot is one of several that hold its control: see find.c */
	char wrong[UNC_XCHECK_WHY]; /* why the kernel programmed another event than requested; "": it did not */
	char lost[UNC_XCHECK_WHY];  /* why switching did not find it; then it is found by the requested control; "" */
	/* Our own counter for the same event. */
	bool counted;
	size_t request;     /* number in the session of its box */
	unsigned own_flags; /* flags since the last bracket; own_flags_after: since the kept one */
	unsigned own_flags_after;
	bool own_lost; /* in the last interval it had no number, which was reported */
	/* Intervals. */
	struct unc_xend from_end, to_end, now; /* the ends of the last interval, and the one being taken */
	struct unc_xend begin;        /* start of the next interval: to_end, or an end that was taken after it */
	uint64_t raw, gained;         /* its counter: the last value read, and the gain since the last bracket */
	char changed[UNC_XCHECK_WHY]; /* what happened to its control within the interval; "" */
	struct unc_judgement judgement;
	uint64_t interval_ns, time_ns;
	char counter[UNC_GATE_TEXT], own[UNC_GATE_TEXT]; /* names of registers; "": none */
};

struct unc_xbox {
	struct unc_box *box;      /* not owned */
	struct unc_pmon_box pbox; /* its registers, and the results of the last look at its controls */
	struct unc_pmus *pmus;    /* those of its unit; shared by all boxes of the unit */
	bool owns_pmus;
	const struct unc_pmu *pmu;    /* the PMU of this box; NULL: not found */
	struct unc_session *own;      /* owned; NULL: nothing is counted here by ourselves */
	bool foreign[UNC_PMON_SLOTS]; /* counters that other programs had before us */
	bool own_slots[UNC_PMON_SLOTS];
	bool again;          /* the counters of its events were searched again since the last bracket */
	uint64_t fastest_ns; /* duration of the shortest bracket */
	int rc;              /* result of the last look; why has its message */
	char why[UNC_XCHECK_WHY];
};

struct unc_xplace { /* a PMU on a socket whose box is known */
	const struct unc_pmu *pmu;
	unsigned socket;
};

struct unc_xperf {
	struct unc_machine *m; /* not owned */
	struct unc_xcheck_cfg cfg;
	struct unc_xbox *boxes; /* owned, as are the events */
	size_t n_boxes;
	struct unc_xevent *events;
	size_t n_events;
	struct unc_xplace *places; /* owned; while it starts */
	size_t n_places;
	bool running;                     /* brackets are taken: this is not a dry run */
	uint64_t poll_ns;                 /* the longest allowed time between two reads of counters */
	uint64_t read_mono_ns;            /* pacing time of the last read of counters */
	uint64_t look_ns, looked_mono_ns; /* the same for looks at our own counters and all controls */
};

/* xcheck/perf.c: copies the message of the last failure after some words, truncated if too long. */
void unc_xperf_keep(const struct unc_xperf *perf, char why[UNC_XCHECK_WHY], const char *before);
/* xcheck/perf.c: returns the next event of that box; after NULL: the first one.  NULL: there is none. */
struct unc_xevent *unc_xevent_next(const struct unc_xperf *perf, const struct unc_xbox *xbox,
				   const struct unc_xevent *after);
/* xcheck/perf_bracket.c: true if perf did not count it all the time in the last interval. */
bool unc_xevent_was_multiplexed(const struct unc_xevent *event);
/* xcheck/perf_bracket.c: returns how often the counter wrapped, as seen by the readings in between. */
uint64_t unc_xevent_wraps(const struct unc_xevent *event, unsigned bits);
/* Judges the interval that has just ended. */
void unc_xperf_judge(struct unc_xperf *perf, struct unc_xevent *event);

/* xcheck/find.c */
struct unc_found {
	size_t pbox;
	unsigned slot;
	uint64_t control; /* what the kernel programmed, including enable */
};
/*
 * Finds the counter of an event.  event is a number of unc_host_ops.perf(), and is on afterwards; pboxes are the boxes in which
 * it may be, after unc_pmon1_init(): all controls are read of each box that answers.  UNC_ENODATA: no counter followed, or
 * several did, each time; UNC_EIO: perf failed; UNC_ENODEV, UNC_EPERM: no box could be read.
 */
int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found);
/* True if that slot, which was just looked at, holds that control and is enabled. */
bool unc_slot_has(const struct unc_slot *slot, uint64_t control);
/*
 * If it is not certain any more which counter has an event, its end of the interval becomes certain, or gets
 * no counter.  That disturbs the events, so the next interval begins with a bracket of its own.
 */
void unc_xperf_find_again(struct unc_xperf *perf);
void unc_xperf_begin_again(struct unc_xperf *perf);
/*
 * The time between looks at our own counters, the same as in other sessions that share their boxes: a counter of ours that
 * another program has taken and given back between two looks seems untouched.
 */
enum { UNC_XOWN_LOOK_NS = 100000000 };
/* xcheck/perf_bracket.c: takes an end of the interval, for every event of that box. */
int unc_bracket_take(struct unc_xperf *perf, struct unc_xbox *xbox);
/* Checks that controls are unchanged, including ours; with counters it also reads what could wrap before the next bracket. */
void unc_bracket_follow(struct unc_xperf *perf, struct unc_xbox *xbox, bool counters);

#endif
