/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a session share. */
#ifndef UNC_PMON_SESSION_H
#define UNC_PMON_SESSION_H

#include "machine/suspend.h"
#include "pmon/event_text.h"
#include "pmon/pmon.h"

/* A turn lasts so long at least: less would be spent more on changing than on counting. */
enum { UNC_TURN_NS = 10000000 };

struct unc_request { /* one event that was added */
	size_t pbox;
	size_t next;               /* of the same box, counted from 1; 0: it is the last */
	struct unc_wanted *wanted; /* owned, by each request that has it */
	unsigned set;              /* those of one box with the same number are counted together */
	unsigned tally;            /* of its box, once started: the fixed counter's may be of several requests */
	unsigned slot;             /* likewise */
	struct unc_observing {     /* in a session that only looks */
		bool any;          /* of the slot, whatever it counts: wanted is NULL */
		bool bound;        /* slot counts it; with any: it is enabled, or was in this interval */
		unsigned flags;    /* of this interval, besides those of the slot's tally */
	} observing;
	uint64_t total; /* of all counts that were read */
};

struct unc_session {
	struct unc_machine *machine; /* not owned */
	struct unc_session_cfg cfg;
	struct unc_pmon_box *pboxes; /* owned */
	size_t n_pboxes;
	struct unc_request *requests; /* owned */
	size_t n_requests;
	unsigned n_sets;
	bool set_open, set_freezes;
	bool started;
	bool shared;           /* by who opened it: others count in these boxes, whatever their controls say just now */
	bool takes_turns;      /* some box has several */
	uint64_t poll_ns;      /* how long it may be from one read to the next: a quarter of the shortest wrap */
	uint64_t read_mono_ns; /* when the counters were last read, in pacing time */
	uint64_t turn_mono_ns; /* when turns last changed */
	uint64_t looked_ns;    /* when all boxes were last looked at, in raw time */
	unsigned n_rates;      /* how often the rates of the boxes' clocks were measured at the start */
	uint64_t rate_mono_ns; /* when they are measured next, in pacing time; UINT64_MAX: not any more */
	struct unc_suspend suspend;
};

/* pmon/session_read.c: how uncertain the time is in which it was counted; a count without a number stays as it is. */
void unc_session_doubt(struct unc_count *count, uint64_t doubt_ns);
/* With cfg.confirm_later, a read looks if the last look is as old as this. */
enum { UNC_LOOK_NS = 98000000 }; /* so that an interval of 100 ms has a look of its own */

/* pmon/session_start.c: what a start had planned in a box. */
void unc_session_forget(struct unc_pmon_box *pbox);
/* pmon/session_read.c: if the machine was suspended since it was looked last, every box is told. */
void unc_session_look_for_suspend(struct unc_session *s);

/*
 * pmon/turns.c: which events of a box are counted at the same time, and in which slots; the box was looked at before.  Sets
 * are put into turns in their order, each into the first where there is room for it.
 * UNC_EBUSY: no counter is free, or there are more events than counters and they may not take turns; UNC_EARG: counters of
 * this part cannot count it, or not the whole set.
 */
int unc_turns_plan(struct unc_session *s, size_t pbox);

/* pmon/observe.c: a session that only looks.  Every box was looked at. */
/* What is counted of what was added?  UNC_ENODEV: nothing at all. */
int unc_observe_plan(struct unc_session *s);
/* Takes the first readings of a box. */
int unc_observe_start(struct unc_pmon_box *pbox);
/* Reads a box, and looks at its controls. */
int unc_observe_visit(struct unc_session *s, size_t pbox);
/* How long it may be from one look to the next. */
uint64_t unc_observe_poll_ns(const struct unc_session *s);
void unc_observe_fill(const struct unc_session *s, struct unc_request *request, uint64_t real_offset_ns,
		      struct unc_count *count);
/* Of a counter that is observed; NULL: it was not enabled in this interval. */
const char *unc_observe_event(const struct unc_session *s, const struct unc_request *request);

/* pmon/stopped.c */
/* Notes the boxes that the last look found standing still: each box once, and all that stopped at the same time in one sentence. */
void unc_session_note_stopped(struct unc_session *s);
/* Notes for each socket which program stopped its boxes, if there is evidence.  Only at the end, since finding it takes long. */
void unc_session_note_who_stopped(struct unc_session *s);

#endif
