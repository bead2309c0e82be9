/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a session share. */
#ifndef UNC_PMON_SESSION_H
#define UNC_PMON_SESSION_H

#include "machine/uncertain.h"
#include "pmon/event.h"
#include "pmon/pmon.h"

/* A mux set counts for at least this long: shorter times would spend more time on switching than on counting. */
enum { UNC_MUX_NS = 10000000 };

struct unc_request { /* one event that was added */
	size_t pbox;
	struct unc_wanted *wanted;           /* owned by this request */
	unsigned set;                        /* requests of one box with the same number are counted together */
	struct unc_accumulator *accumulator; /* of the box, once started; requests for the fixed counter share one */
	unsigned slot;                       /* index in the box's slots, valid once started */
	struct unc_observing {               /* in a session that only observes */
		bool any;                    /* requested by slot number, whatever the slot counts: wanted is NULL */
		bool bound;     /* the slot counts it; with any: the slot is enabled, or was in this interval */
		unsigned flags; /* flags of this interval, besides those of the slot's accumulator */
	} observing;
	uint64_t total; /* sum of all counts that were read */
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
	bool shared; /* the opener says that other programs count in these boxes, whatever their controls show now */
	bool is_multiplexed;   /* some box has more than one mux set */
	uint64_t poll_ns;      /* the longest allowed time between two reads: a quarter of the shortest wrap */
	uint64_t read_mono_ns; /* pacing time of the last read of the counters */
	uint64_t mux_mono_ns;  /* pacing time of the last change of mux sets */
	uint64_t looked_ns;    /* raw time of the last look at all boxes */
	unsigned n_rates;      /* number of measurements of the rates of the boxes' clocks, at the start */
	uint64_t rate_mono_ns; /* pacing time of the next such measurement; UINT64_MAX: there is none */
	struct unc_suspend suspend;
};

/* pmon/session_read.c: sets the uncertainty from that of the counting time; a count without a number is left as it is. */
void unc_session_doubt(struct unc_count *count, uint64_t doubt_ns);
/* With cfg.confirm_later, a read looks if the last look is at least this old. */
enum { UNC_LOOK_NS = 98000000 }; /* below 100 ms, so that an interval of 100 ms has its own look */

/* pmon/session_read.c: if the machine was suspended since the last check, marks every box. */
void unc_session_look_for_suspend(struct unc_session *s);

/*
 * pmon/multiplex.c: decides which events of a box are counted at the same time, and in which slots; the box was looked at before.
 * Sets are put into mux sets in their order, each into the first that has room for it. UNC_EBUSY: no counter is free, or there
 * are more events than counters and they may not be multiplexed; UNC_EARG: counters of this part cannot count the event, or not
 * the whole set.
 */
int unc_mux_plan(struct unc_session *s, size_t pbox);

/* pmon/observe.c: a session that only observes.  Every box was looked at before. */
/* Finds which of the added events are counted.  UNC_ENODEV: none of them. */
int unc_observe_plan(struct unc_session *s);
/* Takes the first readings of a box. */
int unc_observe_start(struct unc_pmon_box *pbox);
/* Reads a box, and looks at its controls. */
int unc_observe_visit(struct unc_session *s, size_t pbox);
void unc_observe_fill(const struct unc_session *s, struct unc_request *request, uint64_t real_offset_ns,
		      struct unc_count *count);
/* Returns the event of an observed counter; NULL: it was not enabled in this interval. */
const char *unc_observe_event(const struct unc_session *s, const struct unc_request *request);

/* pmon/clock.c */
/*
 * Notes the boxes that the last look found standing still: each box once, and all that stopped at the same time in one message.
 */
void unc_session_note_stopped(struct unc_session *s);
/* Notes for each socket which program stopped its boxes, if there is evidence.  Only at the end, since finding it takes long. */
void unc_session_note_who_stopped(struct unc_session *s);

/* As unc_box_clock_rate() of a box that the session counts in.  Reads nothing. */
struct unc_clock_rate unc_session_clock(const struct unc_session *s, const struct unc_box *box);

#endif
