/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting in one box.  A box has slots: its general counters, and the fixed one.  What an event has counted is its tally; events
 * that take turns share slots.  pmon1 is the way of driving in which freeze lives in BOX_CTL and an enable bit in each control
 * (registers.md, section 2.5).
 */
#ifndef UNC_PMON_PMON_H
#define UNC_PMON_PMON_H

#include "machine/gate.h"
#include "machine/machine.h"
#include "map/field.h"
#include "pmon/event_text.h"
#include "uncore.h"

struct unc_stop { /* raw time around the write that stopped a box, or around a read of it */
	uint64_t before_ns, after_ns;
};

struct unc_pmon_regs { /* of a unit driven as pmon1; all belong to the map */
	const struct unc_reg *ctl, *ctr;
	const struct unc_reg *fixed_ctl, *fixed_ctr; /* NULL: this unit has no fixed counter */
	const struct unc_reg *box_ctl;
	const struct unc_field *en, *fixed_en;
	const struct unc_field *frz;
	const struct unc_field *frz_en; /* NULL: frz works without */
};

struct unc_tally {                     /* what one event has counted in one box */
	const struct unc_event *event; /* not owned */
	uint64_t control;              /* what its counter's control holds meanwhile, enable included */
	uint64_t wrap_ns;              /* the shortest time in which it wraps */
	uint64_t delta;                /* since the public interval began, as are the next three */
	uint64_t running_ns;           /* in which delta was counted; this and the next where events take turns */
	uint64_t doubt_ns;             /* how uncertain running_ns is */
	unsigned flags;
	/* Why counts that still wait are no numbers; 0: no look since the last unc_session_confirm() found a reason. */
	unsigned look_flags;
};

struct unc_slot {
	const struct unc_reg *ctl, *ctr; /* the map's */
	const struct unc_field *en;
	unsigned index; /* of both */
	bool fixed;
	uint64_t found; /* control as it was found */
	bool enabled;   /* en=1 then: somebody's, unless it is ours */
	bool left;      /* changed, by somebody who was killed: nobody may have it before `recover` */

	struct unc_tally *tally; /* what it counts now, the box's; NULL: nothing of ours */
	bool ours;               /* some turn has it: its control is ours */
	uint64_t control;        /* what we wrote last */
	uint64_t control_before; /* and before that: still there where the last write was lost */
	uint64_t rested;         /* its counter, at the start when the box stood still */
	uint64_t rested_ns;      /* before that was read; 0: it was not */
	uint64_t raw;            /* last value read */
	bool has_baseline;       /* raw is something to count from */
	unsigned lost;           /* without: the flag that tells why; 0: nothing was lost */
	bool stolen;
	/*
	 * It was stolen once, or its counter jumped: whatever it holds by now, our very value too, may be another program's.  It is
	 * read on, but not written any more while counting goes on.
	 */
	bool disputed;
	bool seen_other;   /* its control was seen with a value that we did not write */
	uint64_t raw_ns;   /* when raw was read, */
	uint64_t doubt_ns; /* which may be wrong by so much */
	uint64_t from_ns;  /* since when it has counted on from raw: then, or when the box was released, */
	uint64_t from_doubt_ns;
	uint64_t earliest_ns; /* start of the read that gave raw */
	uint64_t start_ns;    /* when the public interval began, */
	uint64_t start_doubt_ns;
};

/*
 * The clock of a box: a counter that counts DCLK, whose rate never changes (Intel 327043-001, p.62).  As long as it ticks, the
 * box is neither frozen nor asleep; on most parts no register says so.
 */
struct unc_box_clock {
	struct unc_slot *slot;     /* NULL: no counter of the box counts the clock */
	bool borrowed;             /* another program enabled it: it is read, and never written */
	bool ticked;               /* it ticked at least once, so it is a clock, whatever the map says */
	bool has_from;             /* the next two are known */
	uint64_t from;             /* its value */
	struct unc_stop since;     /* raw time around the moment at which it had that value */
	uint64_t seen;             /* its value in the last look */
	struct unc_stop seen_when; /* raw time around that look */
	bool stands;               /* in the last look, it did not tick from one read to the next */
	bool stood;  /* the box stood still at the last verdict: the stop reaches into the time that is judged next */
	double rate; /* ticks a nanosecond, at least, as measured; 0: not known yet */
	double rate_most;               /* at most, by the same measurement */
	bool close;                     /* the two are close to each other */
	bool known;                     /* two measurements agree about the rate */
	unsigned n_too_fast;            /* how many readings in a row it ticked faster than that, */
	double too_fast, too_fast_most; /* and at which rate, by the last of them */
	bool jumped; /* since the last verdict it ticked so much faster than it can that a count may be wrong */
	uint64_t quickest_ns; /* the shortest bracket of a read of its low half; 0: there was none */
	/*
	 * Samples read it, but looks judge it as if they did not, from the start until its rate is known: what was counted until then
	 * waits for a look.
	 */
	bool by_look;
	double least_ns,
		ticks; /* since the last verdict: how much time passed at least, and how often the clock ticked at most */
	double slowest_ns, slowest_ticks; /* the same of that time between two reads in which it ticked most slowly */
};

/*
 * At the start the clocks are read every UNC_RATE_NS, until two readings agree about the rate, at most UNC_RATES times: so the rate
 * is known before the first count is judged, even if a box stood still for most of that time.
 */
enum { UNC_RATE_NS = 10000000, UNC_RATES = 9 };

/* A stop may take 0.2 % of an interval; half of that is left for what the clock's rate and the times of the looks may be off by. */
enum { UNC_STILL_PART = 1000 };

/* On the time since the last verdict. */
enum unc_box_clock_verdict {
	UNC_CLOCK_UNKNOWN, /* there is no clock, or it was written meanwhile */
	UNC_CLOCK_RAN,
	UNC_CLOCK_STOOD, /* for so long that a count may be wrong */
	/* Another program's counter ticked too seldom: that program paused its counter, or the box stood still. */
	UNC_CLOCK_PAUSED,
	/* It ticked faster than it can: another program wrote it, or released the box between our stopping and reading it. */
	UNC_CLOCK_JUMPED,
};

enum { UNC_PMON_SLOTS = UNC_COUNTERS_MAX + 1 };
struct unc_turn { /* events that are counted at the same time */
	struct unc_tally *of[UNC_PMON_SLOTS];
};

struct unc_pmon_box {
	struct unc_box *box;                /* not owned */
	size_t first_request, last_request; /* of the session's, counted from 1; 0: none */
	unsigned n_requests;
	struct unc_pmon_regs regs;
	struct unc_slot slots[UNC_PMON_SLOTS];
	unsigned n_slots;
	struct unc_tally *tallies; /* owned */
	unsigned n_tallies;
	struct unc_turn *turns; /* owned */
	unsigned n_turns;
	unsigned turn; /* whose it is */

	bool foreign;   /* somebody else counts here: BOX_CTL is not ours to write */
	bool frozen;    /* BOX_CTL read as frozen in the last look */
	uint64_t found; /* BOX_CTL then */
	bool left;      /* BOX_CTL was, by somebody who was killed, perhaps frozen: as foreign */
	bool freezes;   /* is stopped and released around each read */
	bool resumed;   /* the machine was suspended since it was last read: are its controls still ours? */
	bool lost;      /* they were not: nothing is written here any more */
	bool failing;   /* it did not answer when it was last read */
	struct unc_box_clock clock;
	struct unc_tally clock_tally;   /* where no event of the session counts the clock */
	struct unc_wanted *clock_event; /* counts it in a general counter; owned.  NULL: the map names none */
	bool stood_still;               /* the box did: its clock did, or BOX_CTL reads as frozen */
	bool doubted; /* the box may have stood still: UNC_CLOCK_PAUSED, UNC_CLOCK_JUMPED, or its clock was stolen */
	bool read_frozen;     /* BOX_CTL read as frozen in some look, and another program wrote that */
	bool starting;        /* looks read the clock, even if samples read it too */
	bool told_stopped;    /* a note has said so */
	bool unproven;        /* in the last read no counter moved, and no clock shows that the box ran */
	bool no_verdict;      /* in the last look no clock showed whether the box ran */
	bool rows_unproven;   /* at least one look since the last unc_session_confirm() had no clock to judge by */
	bool row_moved;       /* a counter moved in the read that is being confirmed */
	bool moved;           /* a counter moved since the clock was judged */
	bool unlooked;        /* it was read, and no look came after that */
	bool shared;          /* others count here, as the session's opener said: no spare counter becomes a clock */
	uint64_t shortest_ns; /* the shortest interval since the clock was judged; UINT64_MAX: there was none */

	/* Of a session that only looks: what each slot counts, if it does, and a tally for each slot; owned.  Else NULL. */
	struct unc_wanted *observed;

	unsigned char running[UNC_PMON_SLOTS]; /* slots that have a tally */
	unsigned n_running;
	uint32_t first, len;  /* the block that has the counters of this turn */
	uint32_t look_len;    /* the same block with all controls after them; 0: they are elsewhere */
	uint64_t begin_ns;    /* when the public interval began */
	uint64_t end_ns;      /* when it was last read */
	uint64_t released_ns; /* when it last was released; 0: never frozen for reading */
	uint64_t interval_ns; /* how long an interval is to be; 0: not known */
	uint64_t quickest_ns; /* the shortest bracket of a read, or of stopping the box; 0: not known yet */
	bool checked;         /* a look found our controls ours after they were written; else the next read looks */
};

/* pmon/pmon1.c, pmon/pmon1_write.c */
/* Finds the registers.  UNC_ENOSUP: the unit is not driven this way, or has too many counters for UNC_PMON_SLOTS. */
int unc_pmon1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox);
/* Reads every control: who counts here?  One block read.  UNC_ENODEV: reads as all ones. */
int unc_pmon1_inspect(struct unc_pmon_box *pbox);
/* Plans all that will be written there, as the box was found and for all its turns. */
int unc_pmon1_plan(struct unc_pmon_box *pbox, const void *owner);
/* Programs the slots that have a tally, as the guide orders, and lets them run. */
int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner);
/*
 * Gives the slots to another turn: controls that differ are written twice, those of no use in it switched off, and one that is
 * somebody's by now is left alone.  What a slot gets has no baseline yet.  After a failure, slots that it kept from
 * being written hold another control than their tally's.
 */
int unc_pmon1_switch(struct unc_pmon_box *pbox, const struct unc_turn *turn, const void *owner);
/* Stops the whole box, after it was programmed. */
int unc_pmon1_freeze(struct unc_pmon_box *pbox, const void *owner);
/* Releases it; twice where nothing would tell that a single write was lost. */
int unc_pmon1_release(struct unc_pmon_box *pbox, bool twice, const void *owner);
/*
 * Do our controls still hold what we wrote?  Sets slot->stolen.  A box that is frozen now and then is also looked through
 * for counters that others have enabled meanwhile, in foreign.  Reads the clock with them, unless samples do, and sees whether
 * BOX_CTL reads as frozen, unless stop says that we stopped the box.  One block read.
 */
int unc_pmon1_check(struct unc_pmon_box *pbox, const struct unc_stop *stop);
/*
 * Reads the low half of the clock once more: does it still have that value, 100 ns after that time?  Then clock.stands.  One dword is
 * read faster than the block that had the value, so clock.seen and clock.seen_when are of this read.
 */
int unc_pmon1_see_ticks(struct unc_pmon_box *pbox, uint64_t value, uint64_t after_ns);

/* pmon/left.c, both after unc_pmon1_inspect() */
/* What somebody has left who was killed is not touched before `recover`: as if he still counted there. */
void unc_pmon_see_left(struct unc_pmon_box *pbox);
/* May a box whose BOX_CTL was left be used?  UNC_EBUSY: it stands still, or it is to be frozen. */
int unc_pmon_check_left(struct unc_pmon_box *pbox);

/* pmon/slots.c */
/*
 * Finds each tally of a general counter a slot that can count it, from the highest down, since everybody else starts at 0;
 * what somebody else enabled only by force, and never what was left by one who was killed.  True: *ret_turn has all.
 * False: they do not fit.
 */
bool unc_slots_match(const struct unc_pmon_box *pbox, struct unc_tally *const *tallies, unsigned n, bool force,
		     struct unc_turn *ret_turn);
/* Can that slot count the event, if nobody else uses it? */
bool unc_slot_can_count(const struct unc_slot *slot, const struct unc_event *event);

/* pmon/read.c */
/* Slots have other tallies than before: where are their counters? */
void unc_pmon_aim(struct unc_pmon_box *pbox);

/* pmon/account.c */
enum unc_how {
	UNC_READ,          /* looks at our controls only where something is odd */
	UNC_READ_AND_LOOK, /* looks at them now */
	UNC_READ_BASELINE, /* only slots that have none */
};
/*
 * Reads the counters of all our slots: one block, and what the tear guard wants.  Adds to each tally's delta, or to its flags
 * where there is no number.  When the box does not answer, that is in every tally's flags, and is returned.  stop: the box was
 * stopped before, and controls to be looked at are in the same block; NULL: it runs.
 */
int unc_pmon_read(struct unc_pmon_box *pbox, const struct unc_stop *stop, enum unc_how how);
/*
 * The same where the box was not even read, since rc, whose sentence names the box.  Returns rc.  Whose turn it is not is
 * missing too; and when the box is back, its controls are looked at with the first read.
 */
int unc_pmon_missing(struct unc_pmon_box *pbox, int rc);
/* The machine was suspended: what was counted until now is lost, and controls are looked at with the next read. */
void unc_pmon_suspended(struct unc_pmon_box *pbox);
/* It counts again, since a time within that bracket; writes: how many it was. */
void unc_pmon_released(struct unc_pmon_box *pbox, uint64_t before_ns, uint64_t after_ns, unsigned writes);
/* Those of a tally, and that of a box whose turns come no more since its registers were lost. */
unsigned unc_pmon_flags(const struct unc_pmon_box *pbox, const struct unc_tally *tally);
/* The public interval of every tally begins now: at its last read, or where the box was released again after it. */
void unc_pmon_next_interval(struct unc_pmon_box *pbox);

/*
 * Looks at the controls and at the clock, without reading the counters.  judge: it confirms what was read since the last look, or
 * puts the reason why not into look_flags.  A failure is a reason, too.
 */
int unc_pmon_look(struct unc_pmon_box *pbox, bool judge);

/* pmon/clock.c */
extern const struct unc_event unc_box_clock_event; /* one in each clock */
/* Finds the event that counts the clock in a general counter. */
void unc_box_clock_find_event(struct unc_pmon_box *pbox);
/* A counter that another program enabled, and that counts the clock, becomes the box's clock. */
void unc_box_clock_borrow(struct unc_pmon_box *pbox);
/* The slot that unc_box_clock_borrow() finds in a box that was only inspected; NULL: there is none. */
const struct unc_slot *unc_box_clock_of_others(struct unc_pmon_box *pbox);
/* Does every sample read the clock, because it is in the block anyhow? */
bool unc_box_clock_is_in_block(const struct unc_pmon_box *pbox);
/* Does every sample judge it, too? */
bool unc_box_clock_is_sampled(const struct unc_pmon_box *pbox);
/* Is the rate of its clock known, or is there no clock? */
bool unc_box_clock_is_known(const struct unc_pmon_box *pbox);
/* Forgets the value to count from: the machine was suspended, or the box did not answer. */
void unc_box_clock_forget(struct unc_pmon_box *pbox);
/* It had that value at a time within that bracket, and counts on from there. */
void unc_box_clock_begin(struct unc_pmon_box *pbox, uint64_t value, uint64_t before_ns, uint64_t after_ns);
/*
 * It had that value at a time within that bracket.  shortest_ns is the shortest interval of the counts that are to be judged;
 * UINT64_MAX: there is none yet, and what is seen now is remembered until there is.
 */
enum unc_box_clock_verdict unc_box_clock_see(struct unc_pmon_box *pbox, uint64_t value, const struct unc_stop *when,
					     uint64_t shortest_ns);

/* pmon/observe.c */
/* What everybody's controls hold now: a slot whose control has changed since the last look is stolen.  One block read. */
int unc_observe_look(struct unc_pmon_box *pbox);

/* pmon/disputed.c */
/*
 * Before controls are put back: what becomes of those that are disputed and hold what we wrote.  With evidence that another program
 * counts there they stay on, since perf programs the same event to the same value; without they are ours, and no longer disputed.  Both
 * are noted.
 */
void unc_pmon_settle_disputed(struct unc_pmon_box *pbox);

/* pmon/visit.c */
/* Starts the first turn: programs the box and takes its baseline. */
int unc_pmon_start(struct unc_pmon_box *pbox, const void *owner);
/* Reads the box, frozen where it is to be; turn_over: also gives its slots to the next turn; look: also looks at its controls. */
int unc_pmon_visit(struct unc_pmon_box *pbox, bool turn_over, bool look, const void *owner);

#endif
