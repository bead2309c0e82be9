/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting in one box.  A box has slots: its general counters, and the fixed one.  The count of each event is kept in its
 * accumulator (unc_accumulator).  Multiplexed events share slots: an unc_mux_set is a group of events that count at the same time.
 * pmon1 is the kind of box in which freeze is in BOX_CTL and an enable bit is in each control (registers.md, section 2.5).
 */
#ifndef UNC_PMON_PMON_H
#define UNC_PMON_PMON_H

#include "machine/gate.h"
#include "machine/machine.h"
#include "map/field.h"
#include "pmon/event.h"

struct unc_stop { /* raw time around the write that stopped a box, or around a read of it */
	uint64_t before_ns, after_ns;
};

struct unc_pmon_regs { /* registers of a unit driven as pmon1; all belong to the map */
	const struct unc_reg *ctl, *ctr;
	const struct unc_reg *fixed_ctl, *fixed_ctr; /* NULL: this unit has no fixed counter */
	const struct unc_reg *box_ctl;               /* NULL: nothing stops the box as a whole */
	const struct unc_field *en; /* NULL: a counter counts as soon as its control selects anything */
	const struct unc_field *fixed_en;
	const struct unc_field *frz;
	const struct unc_field *frz_en; /* NULL: frz works without it */
};

struct unc_accumulator {               /* what one event has counted in one box */
	const struct unc_event *event; /* not owned */
	uint64_t control;              /* value of its counter's control while it counts, enable included */
	unsigned slot;                 /* index in the box's slots, in every mux set that has it */
	uint64_t wrap_ns;              /* the shortest time in which its counter wraps */
	uint64_t delta;                /* counts since the public interval began */
	uint64_t running_ns;           /* time in this interval in which delta was counted; only with multiplexing */
	uint64_t doubt_ns;             /* uncertainty of running_ns; only with multiplexing */
	unsigned flags;
	/* Why counts that wait for a look have no number; 0: no look since the last unc_session_confirm() found a reason. */
	unsigned look_flags;
};

struct unc_times {            /* when counters were read: raw time */
	uint64_t raw_ns;      /* the last read */
	uint64_t doubt_ns;    /* uncertainty of raw_ns */
	uint64_t earliest_ns; /* start of that read */
	uint64_t from_ns;     /* start of the counting since then: raw_ns, or the later release of the box */
	uint64_t from_doubt_ns;
	uint64_t start_ns; /* when the public interval began */
	uint64_t start_doubt_ns;
};

struct unc_slot {
	const struct unc_reg *ctl, *ctr; /* owned by the map */
	const struct unc_field *en;      /* NULL: it counts if its control is not blank */
	unsigned index;                  /* of ctl and of ctr */
	bool fixed;
	uint64_t found; /* control as it was found */
	bool enabled;   /* it counts with found: another program's, unless it is ours */
	bool left;      /* left changed by a killed process: not to be used before `recover` */

	struct unc_accumulator *accumulator; /* what the slot counts now, owned by the box; NULL: nothing of ours */
	bool ours;                           /* a mux set uses the slot, so its control is ours */
	uint64_t control;                    /* what we wrote last */
	uint64_t control_before; /* value before control: still in the register if the last write was lost */
	uint64_t rested;         /* its counter at the start, when the box stood still */
	uint64_t rested_ns;      /* raw time before rested was read; 0: it was not read */
	uint64_t raw;            /* last value read */
	bool has_baseline;       /* raw can be counted from */
	unsigned lost;           /* without a baseline: the flag for the reason; 0: nothing was lost */
	bool stolen;
	/*
	 * It was stolen once, or its counter jumped: whatever its control holds now, even our own value, may be another
	 * program's.  It is still read, but not written any more while counting goes on.
	 */
	bool disputed;
	bool seen_other;         /* its control was seen with a value that we did not write */
	uint64_t updates;        /* with nest1: the update count of its group at the last read, */
	double update_rate;      /* and at least so many in a ns when it was not paused */
	struct unc_times *times; /* own_times, or the box's */
	struct unc_times own_times;
};

/*
 * The clock of a box: a counter that counts DCLK, whose rate is constant (Intel 327043-001, p.62).  As long as it ticks, the box
 * is neither frozen nor asleep; on most parts no register shows this.
 */
struct unc_box_clock {
	struct unc_slot *slot;     /* NULL: no counter of the box counts the clock */
	bool borrowed;             /* another program enabled it: it is read, and never written */
	uint64_t total;            /* all ticks that were seen */
	bool ticked;               /* it ticked at least once, so it is a clock, whatever the map says */
	bool has_from;             /* from and since are known */
	uint64_t from;             /* value at since */
	struct unc_stop since;     /* raw time around the moment at which it had that value */
	uint64_t seen;             /* value in the last look */
	struct unc_stop seen_when; /* raw time around that look */
	bool stands;               /* in the last look, it did not tick from one read to the next */
	bool stood;  /* the box stood still at the last verdict: the stop reaches into the next time to be judged */
	double rate; /* least rate in ticks per ns, as measured; 0: not known yet */
	double rate_most;               /* the most, by the same measurement */
	bool close;                     /* rate and rate_most are close to each other */
	bool known;                     /* two measurements agree on the rate */
	unsigned n_too_fast;            /* number of readings in a row that were faster than rate_most */
	double too_fast, too_fast_most; /* least and most rate by the last of these readings */
	bool jumped;          /* since the last verdict it ticked so much too fast that a count may be wrong */
	uint64_t quickest_ns; /* the shortest bracket of a read of its low half; 0: none yet */
	/*
	 * Samples read the clock, but only looks judge it, from the start until its rate is known: counts wait for a look until
	 * then.
	 */
	bool by_look;
	double least_ns, ticks;           /* since the last verdict: the least time that passed, and the most ticks */
	double slowest_ns, slowest_ticks; /* the same, for the time between two reads in which it ticked most slowly */
};

/*
 * At the start the clocks are read every UNC_RATE_NS until two readings agree on the rate, at most UNC_RATES times: so the rate
 * is known before the first count is judged, even if a box stood still for most of that time.
 */
enum { UNC_RATE_NS = 10000000, UNC_RATES = 9 };

/*
 * A stop may take 0.2 % of an interval; half of that is left for the errors of the clock's rate and of the times of the looks.
 */
enum { UNC_STILL_PART = 1000 };

/* The verdict on the time since the last verdict. */
enum unc_box_clock_verdict {
	UNC_CLOCK_UNKNOWN, /* there is no clock, or it was written in that time */
	UNC_CLOCK_RAN,
	UNC_CLOCK_STOOD, /* it stood still for so long that a count may be wrong */
	/* Another program's counter ticked too rarely: that program paused its counter, or the box stood still. */
	UNC_CLOCK_PAUSED,
	/*
	 * The clock ticked faster than it can: another program wrote it, or released the box after we stopped it and before we
	 * read it.
	 */
	UNC_CLOCK_JUMPED,
};

/* The same control with its counter on, and off; and whether a counter counts with that control. */
uint64_t unc_slot_on(const struct unc_slot *slot, uint64_t control);
uint64_t unc_slot_off(const struct unc_slot *slot, uint64_t control);
bool unc_slot_counts(const struct unc_slot *slot, uint64_t control);

enum { UNC_PMON_SLOTS = 31 }; /* bits of 32; units of a catalogue have up to 28 counters */
struct unc_mux_set {          /* events that are counted at the same time */
	struct unc_accumulator *of[UNC_PMON_SLOTS];
};

/* Counters that always run and are only read: what a session does with them in place of what it does with those that it programs. */
struct unc_pmon_box;
struct unc_session;
struct unc_block;
struct unc_pmon_way {
	int (*reach)(struct unc_session *s, size_t number); /* checks whether the box can be used */
	/* Fills block->counters, and block->when if the read was one of several boxes. */
	int (*read)(struct unc_pmon_box *pbox, struct unc_block *block);
	int (*look)(struct unc_pmon_box *pbox);
	/* Judges whether the box ran since its last read; NULL: its clock tells. */
	void (*judge)(struct unc_pmon_box *pbox, const struct unc_block *block);
	const char *stopped; /* why it stood still, if it is judged */
};

struct unc_pmon_box {
	struct unc_box *box; /* not owned */
	const void *owner;   /* of what is written while it is read; NULL: it was not started */
	bool in_memory;      /* each register is one load of its width, so that no counter is torn */
	bool in_msrs;        /* so is each MSR, by a system call of its own, with a time of its own */
	/* The counters always run, and there are no controls; NULL: they are programmed (pmon1.c). */
	const struct unc_pmon_way *always;
	struct unc_nest *nest; /* with nest1: what the boxes of a chip share (nest1.h), */
	bool rate_known;       /* how often its updates come; */
	bool owns_nest;        /* owned by the first of them; */
	bool stands;           /* in the last read its update counts had not moved as they do; */
	uint64_t update_ns;    /* the time between two of its updates */
	unsigned first_flags;  /* what the flags of each count begin with */
	struct unc_pmon_regs regs;
	struct unc_slot slots[UNC_PMON_SLOTS];
	unsigned n_slots;
	struct unc_accumulator *accumulators; /* owned */
	unsigned n_accumulators;
	struct unc_mux_set *mux_sets; /* owned */
	size_t n_mux_sets;
	size_t mux_set; /* index of that which counts now */

	bool foreign;   /* another program counts here, so BOX_CTL is not ours to write */
	bool frozen;    /* BOX_CTL read as frozen in the last look */
	uint64_t found; /* BOX_CTL in that look */
	bool left;      /* BOX_CTL was left changed, perhaps frozen, by a killed process; implies foreign */
	bool freezes;   /* is stopped before and released after each read */
	bool resumed;   /* the machine was suspended since the last read, so the controls must be checked */
	bool lost;      /* the controls were lost in a suspend: nothing is written here any more */
	bool failing;   /* the last read failed */
	struct unc_box_clock clock;
	struct unc_accumulator clock_accumulator; /* used if no event of the session counts the clock */
	struct unc_wanted *clock_event; /* counts the clock in a general counter; owned.  NULL: the map names none */
	bool stood_still;               /* the box stood still, by its clock or because BOX_CTL reads as frozen */
	bool doubted; /* the box may have stood still: UNC_CLOCK_PAUSED, UNC_CLOCK_JUMPED, or its clock was stolen */
	bool read_frozen;     /* BOX_CTL read as frozen in some look; another program wrote that */
	bool starting;        /* looks read the clock, even if samples read it too */
	bool told_stopped;    /* a note has reported that it stood still */
	bool unproven;        /* in the last read no counter moved, and no clock shows that the box ran */
	bool no_verdict;      /* in the last look no clock showed whether the box ran */
	bool rows_unproven;   /* at least one look since the last unc_session_confirm() had no clock to judge by */
	bool row_moved;       /* a counter moved in the read that is being confirmed */
	bool moved;           /* a counter moved since the clock was judged */
	bool unlooked;        /* it was read, and not looked at since */
	bool shared;          /* the session's opener says that others count here: no spare counter becomes a clock */
	uint64_t shortest_ns; /* the shortest interval since the clock was judged; UINT64_MAX: there was none */

	/*
	 * What each slot counts, if it is enabled, in a session that only observes (it has an accumulator per slot); owned.  Else
	 * NULL.
	 */
	struct unc_wanted *observed;

	struct unc_slot *running[UNC_PMON_SLOTS]; /* the slots that have an accumulator */
	uint32_t at[UNC_PMON_SLOTS];              /* where their counters are in the block */
	unsigned n_running;
	uint64_t counter_mask; /* all bits of a counter */
	uint64_t soonest_ns;   /* the shortest wrap_ns of what they count */
	bool together; /* counters in memory, without multiplexing, are always read together: all have the box's times */
	struct unc_times times;
	unsigned rarest;      /* the largest one_per of their events; 0: nothing is known of one of these */
	uint32_t first, len;  /* the block that holds the counters of this mux set */
	uint32_t look_len;    /* length of the block including all controls; 0: they are elsewhere */
	uint64_t begin_ns;    /* when the public interval began */
	uint64_t end_ns;      /* when it was last read */
	uint64_t released_ns; /* when it was last released; 0: it was never frozen for reading */
	uint64_t interval_ns; /* the requested length of an interval; 0: not known */
	uint64_t quickest_ns; /* the shortest bracket of a read, or of stopping the box; 0: not known yet */
	bool checked;         /* a look found our controls intact after they were written; else the next read looks */
};

/* Its counters always run, and what was read of them tells whether they did. */
static inline bool unc_is_judged(const struct unc_pmon_box *pbox)
{
	return pbox->always && pbox->always->judge;
}

/* pmon/pmon1.c */
/* Finds the registers, of a channel without counters those of the box that counts for it.  UNC_ENOSUP: the unit is not driven this way, or has more counters than UNC_PMON_SLOTS allows. */
int unc_pmon1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox);
/* Reads every control, to see which counters are in use.  One block read.  UNC_ENODEV: it reads as all ones. */
int unc_pmon1_inspect(struct unc_pmon_box *pbox);
/* Plans all that will be written there, based on the values found in the box, for all its mux sets. */
int unc_pmon1_plan(struct unc_pmon_box *pbox, const void *owner);
/* The part of it for BOX_CTL: armed, released and frozen; and any value of the bits in any. */
int unc_pmon1_plan_box_ctl(struct unc_pmon_box *pbox, uint64_t any, const void *owner);
/* Programs the slots that have an accumulator, in the order that Intel's guide gives, and starts them. */
int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner);
/*
 * Gives the slots to another mux set: controls that differ are written twice, those that it does not use are switched off, and one
 * that belongs to another program by now is left alone.  A slot that changes has no baseline yet.  After a failure, slots that
 * were not written hold another control than their accumulator's.
 */
int unc_pmon1_switch(struct unc_pmon_box *pbox, const struct unc_mux_set *mux_set, const void *owner);
/* Writes a control twice, for the parts on which one write does not stick; it does not read it back. */
int unc_pmon1_write_twice(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t control, const void *owner);
/* Stops the whole box, after it was programmed. */
int unc_pmon1_freeze(struct unc_pmon_box *pbox, const void *owner);
/* Releases the box; twice if nothing would show that a single write was lost. */
int unc_pmon1_release(struct unc_pmon_box *pbox, bool twice, const void *owner);
/*
 * Checks that our controls still hold what we wrote.  Sets slot->stolen.  In a box that is sometimes frozen it also looks for
 * counters that other programs have enabled since, and sets foreign.  Reads the clock with the controls, unless samples judge it,
 * and sees whether BOX_CTL reads as frozen, unless stop says that we stopped the box.  One block read.
 */
int unc_pmon1_check(struct unc_pmon_box *pbox, const struct unc_stop *stop);
/*
 * Reads the low half of the clock again: if it still has that value 100 ns after after_ns, sets clock.stands.  One dword is read
 * faster than the block that had the value, so clock.seen and clock.seen_when are those of this read.
 */
int unc_pmon1_see_ticks(struct unc_pmon_box *pbox, uint64_t value, uint64_t after_ns);

/* pmon/multiplex.c */
/*
 * Finds a slot for each accumulator of a general counter, from the highest down, since other programs start at 0.  Slots that
 * another program enabled are used only with force, slots that a killed process left changed never.  True: *ret_set has all of
 * them. False: they do not fit.
 */
bool unc_slots_match(const struct unc_pmon_box *pbox, struct unc_accumulator *const *accumulators, unsigned n,
		     bool force, struct unc_mux_set *ret_set);
/* True if that slot can count the event, even if another program uses the slot. */
bool unc_slot_can_count(const struct unc_slot *slot, const struct unc_event *event);

/* pmon/read.c */
/* Finds the block of counters to read, after the slots' accumulators have changed. */
void unc_pmon_aim(struct unc_pmon_box *pbox);

/* pmon/read.c */
enum unc_how {
	UNC_READ,          /* looks at our controls only if a value is odd */
	UNC_READ_AND_LOOK, /* looks at our controls in any case */
	UNC_READ_BASELINE, /* only slots that have no baseline */
};
/*
 * Reads the counters of all our slots: one block, and more if a value may be torn.  Adds to each accumulator's delta, or to its
 * flags if there is no number.  If the box does not answer, every accumulator's flags say so, and the error is returned.  stop:
 * the box was stopped before, and controls to be looked at are in the same block; NULL: it runs.
 */
int unc_pmon_read(struct unc_pmon_box *pbox, const struct unc_stop *stop, enum unc_how how);
/*
 * As unc_pmon_read() of a box that could not even be read: rc is the reason, and its message names the box.  Returns rc.
 * Accumulators of other mux sets are flagged missing too; when the box answers again, its controls are looked at with the first
 * read.
 */
int unc_pmon_missing(struct unc_pmon_box *pbox, int rc);
/* Begins the next public interval of every accumulator: at its last read, or at the release of the box after it. */
void unc_pmon_next_interval(struct unc_pmon_box *pbox);

/*
 * Looks at the controls and at the clock, without reading the counters.  With judge it confirms what was read since the last
 * look, or puts the reason why not into look_flags; a failure is such a reason.
 */
int unc_pmon_look(struct unc_pmon_box *pbox, bool judge);

/* pmon/clock.c */
extern const struct unc_event unc_box_clock_event; /* counts 1 per clock */
/* Finds the event that counts the clock in a general counter. */
void unc_box_clock_find_event(struct unc_pmon_box *pbox);
/* Uses as the box's clock a counter that another program enabled and that counts the clock. */
void unc_box_clock_borrow(struct unc_pmon_box *pbox);
/* Returns the slot that unc_box_clock_borrow() finds in a box that was only inspected; NULL: there is none. */
const struct unc_slot *unc_box_clock_of_others(struct unc_pmon_box *pbox);
/* True if every sample reads the clock, because it is in the block of the counters. */
bool unc_box_clock_is_in_block(const struct unc_pmon_box *pbox);
/* True if every sample also judges it. */
bool unc_box_clock_is_sampled(const struct unc_pmon_box *pbox);
/* True if the rate of its clock is known, or if there is no clock. */
bool unc_box_clock_is_known(const struct unc_pmon_box *pbox);
/* The clock of the box's channel, as it was measured last. */
struct unc_clock_rate unc_box_clock_rate(const struct unc_pmon_box *pbox);
/* Forgets the value to count from, because the machine was suspended or the box did not answer. */
void unc_box_clock_forget(struct unc_pmon_box *pbox);
/* Sets the value to count from: the clock had it at a time within that bracket. */
void unc_box_clock_begin(struct unc_pmon_box *pbox, uint64_t value, uint64_t before_ns, uint64_t after_ns);
/*
 * Judges the box by a value that its clock had at a time within when.  shortest_ns: the shortest interval of the counts to be
 * judged; UINT64_MAX: there is none yet, and what is seen now is remembered until there is.
 */
enum unc_box_clock_verdict unc_box_clock_see(struct unc_pmon_box *pbox, uint64_t value, const struct unc_stop *when,
					     uint64_t shortest_ns);

/* pmon/observe.c */
/* Finds whether a counter moves from one read to the next, with that pause in between. */
int unc_slot_moves(struct unc_pmon_box *pbox, const struct unc_slot *slot, uint64_t pause_ns, bool *ret_moves);
/* Reads all controls: a slot whose control has changed since the last look is stolen.  One block read. */
int unc_observe_look(struct unc_pmon_box *pbox);

/* pmon/session_read.c */
/* Starts the first mux set: programs the box and takes its baseline. */
int unc_pmon_start(struct unc_pmon_box *pbox, const void *owner);
/*
 * Reads the box, stopped if it freezes.  switch_mux_set: also gives its slots to the next mux set.  look: also looks at its controls.
 */
int unc_pmon_visit(struct unc_pmon_box *pbox, bool switch_mux_set, bool look, const void *owner);

#endif
