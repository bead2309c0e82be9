/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perf's side share: its boxes, and the events in them. */
#ifndef UNC_XCHECK_PERF_H
#define UNC_XCHECK_PERF_H

#include "machine/gate.h"
#include "pmon/session.h"
#include "xcheck/find.h"
#include "xcheck/judge.h"
#include "xcheck/pmu.h"
#include "xcheck/xcheck.h"

struct unc_xend { /* of an interval, for one event */
	struct unc_xcheck_bracket bracket;
	int slot; /* that perf has it in; -1: not found */
	bool has_kernel, has_raw;
	bool has_own; /* counted by ourselves, since the start: */
	uint64_t own_total;
};

struct unc_xevent {
	struct unc_wanted *wanted; /* owned */
	size_t box;                /* of the side's */
	/* What is asked of perf. */
	const struct unc_pmu *pmu; /* until its box is found, the one that it is thought to be */
	struct unc_pmu_code code;
	int cpu;                   /* -1: not known */
	char config[96];           /* that in words */
	char words[160];           /* and as perf's -e takes it */
	char from[UNC_XCHECK_WHY]; /* why there is no event of perf's for good; "" while there is one */
	bool open, on;
	unsigned event; /* of unc_host_ops.perf() */
	/* What the kernel made of it. */
	bool known;                 /* it was found while it was switched on and off: */
	bool fixed;                 /* in the fixed counter */
	uint64_t control;           /* with this control */
	int slot;                   /* where it was found last; -1: nowhere yet */
	bool guessed;               /* that is one of several which hold its control: see perf_again.c */
	char wrong[UNC_XCHECK_WHY]; /* why that is not what was asked for; "": it is */
	char lost[UNC_XCHECK_WHY];  /* why it was not found so, but is looked for by what was asked for; "" */
	/* Our own counter for the same. */
	bool counted;
	size_t request;     /* of its box's session */
	unsigned own_flags; /* since the last bracket, and of these since the one being taken: */
	unsigned own_flags_after;
	bool own_lost; /* in the last interval it had no number, which was told */
	/* Intervals. */
	struct unc_xend from_end, to_end, now; /* the ends of the last, and the one being taken */
	struct unc_xend begin;                 /* of the next: to_end, or one that was taken after it */
	uint64_t raw, gained;                  /* of its counter: when it was last read, and since the bracket before */
	char changed[UNC_XCHECK_WHY];          /* what happened in between; "" */
	struct unc_judgement judgement;
	uint64_t interval_ns, time_ns;
	char counter[UNC_GATE_TEXT], own[UNC_GATE_TEXT]; /* names of registers; "": none */
};

struct unc_xbox {
	struct unc_box *box;              /* not owned */
	struct unc_pmon_box pbox;         /* its registers, and what the last look at its controls has found */
	const struct unc_xdriver *driver; /* the side's */
	const struct unc_pmu *pmu;        /* of this box; NULL: not found */
	struct unc_session *own;          /* owned; NULL: nothing is counted here by ourselves */
	bool foreign[UNC_PMON_SLOTS];     /* counters that somebody had before us */
	bool own_slots[UNC_PMON_SLOTS];
	bool again;          /* its events were found again since the last bracket */
	uint64_t fastest_ns; /* the shortest bracket */
	int rc;              /* of the last look; its sentence: */
	char why[UNC_XCHECK_WHY];
};

struct unc_xdriver {              /* the kernel's, of one kind of box */
	struct unc_xdriver *next; /* owned */
	const char *unit;         /* the map's */
	struct unc_pmus pmus;     /* owned */
};

struct unc_xperf {
	struct unc_machine *m; /* not owned */
	struct unc_xcheck_cfg cfg;
	struct unc_xdriver *drivers; /* owned, as is the rest */
	struct unc_xbox *boxes;
	size_t n_boxes;
	struct unc_xevent *events;
	size_t n_events;
	bool started;
	bool running;                     /* brackets are taken: this is no dry run */
	uint64_t poll_ns;                 /* how long it may be from one look to the next */
	uint64_t read_mono_ns;            /* when that was last */
	uint64_t look_ns, looked_mono_ns; /* likewise of our own counters and everybody's controls */
};

/* xcheck/perf.c: the sentence of what just failed, behind some words; cut if need be. */
void unc_xperf_keep(const struct unc_xperf *perf, char why[UNC_XCHECK_WHY], const char *before);
/* xcheck/perf_start.c */
int unc_xperf_begin(struct unc_xperf *perf);
/* Asks perf for it, switched off, of that PMU; in a dry run it is only put into words. */
int unc_xevent_open(struct unc_xperf *perf, struct unc_xevent *event, const struct unc_pmu *pmu);
void unc_xevent_close(struct unc_xperf *perf, struct unc_xevent *event);
/* Of a failure: this event, or this PMU, is not to be had; others may be. */
bool unc_xevent_alone_fails(int rc);
/* xcheck/perf_boxes.c: finds each box its PMU; why there is none is in its events. */
int unc_xperf_find_boxes(struct unc_xperf *perf);
/* xcheck/perf_judge.c: how often the counter came round, which the readings in between saw. */
uint64_t unc_xevent_wraps(const struct unc_xevent *event, unsigned bits);
/* What the interval that has just ended comes to. */
void unc_xperf_judge(struct unc_xperf *perf, struct unc_xevent *event);
/*
 * xcheck/perf_again.c: where it is not certain any more which counter has an event, its end of the interval becomes
 * certain, or has none.  That disturbs the events, so the next interval begins with a bracket of its own.
 */
void unc_xperf_find_again(struct unc_xperf *perf);
void unc_xperf_begin_again(struct unc_xperf *perf);
/*
 * A counter of ours that somebody has taken and given back looks as if nothing had been: so often it is looked at, as
 * other sessions are which share their boxes with somebody.
 */
enum { UNC_XOWN_LOOK_NS = 100000000 };
/* xcheck/own.c: our own session in a box, with as many of its events as there are counters for. */
int unc_xown_start(struct unc_xperf *perf, struct unc_xbox *xbox);
/* xcheck/bracket.c: an end of the interval, of every event of that box. */
int unc_bracket_take(struct unc_xperf *perf, struct unc_xbox *xbox);
/* Sees whether controls are as they were, ours too, and with counters reads what could wrap until the next bracket. */
void unc_bracket_follow(struct unc_xperf *perf, struct unc_xbox *xbox, bool counters);

#endif
