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
	uint64_t total;
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
	bool frozen;    /* found frozen */
	uint64_t found; /* BOX_CTL then */
	bool left;      /* BOX_CTL was, by somebody who was killed, perhaps frozen: as foreign */
	bool freezes;   /* is stopped and released around each read */
	bool resumed;   /* the machine was suspended since it was last read: are its controls still ours? */
	bool lost;      /* they were not: nothing is written here any more */
	bool failing;   /* it did not answer when it was last read */
	/*
	 * In a box that is frozen for reading, or was left by somebody who was killed, its fixed counter: a clock, so if it did
	 * not move since the box was released, the box was not.  NULL: there is none.
	 */
	struct unc_slot *witness;
	struct unc_tally witness_tally; /* where nobody asked for the fixed counter */
	bool stood_still;               /* the witness did not move */

	/* Of a session that only looks: what each slot counts, if it does, and a tally for each slot; owned.  Else NULL. */
	struct unc_wanted *observed;

	unsigned char running[UNC_PMON_SLOTS]; /* slots that have a tally */
	unsigned n_running;
	uint32_t first, len;  /* the block that has the counters of this turn */
	uint32_t look_len;    /* the same block with all controls behind them; 0: they are elsewhere */
	uint64_t begin_ns;    /* when the public interval began */
	uint64_t end_ns;      /* when it was last read */
	uint64_t released_ns; /* when it last was released; 0: never frozen for reading */
	uint64_t interval_ns; /* how long an interval is to be; 0: not known */
	uint64_t quickest_ns; /* the shortest bracket of a read, or of stopping the box; 0: not known yet */
	uint64_t checked_ns;  /* when our controls were last seen to be ours; 0: look with the next read */
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
 * for counters that others have enabled meanwhile, in foreign.  One block read.
 */
int unc_pmon1_check(struct unc_pmon_box *pbox);
/* The same from bytes that were read from offset first on.  False: something is not as it should be, and nothing is noted. */
bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const unsigned char *bytes, uint32_t first);

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
struct unc_stop { /* raw time around the write that stopped the box */
	uint64_t before_ns, after_ns;
};
enum unc_how {
	UNC_READ,          /* looks at our controls now and then */
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

/* pmon/observe.c */
/* What everybody's controls hold now: slots of which that is not what they counted until now are stolen.  One block read. */
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
/* Reads the box, frozen where it is to be; turn_over: and gives its slots to the next turn. */
int unc_pmon_visit(struct unc_pmon_box *pbox, bool turn_over, const void *owner);

#endif
