/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting in one box.  A box has slots: its general counters, and the fixed one.  pmon1 is the way of driving in which
 * freeze lives in BOX_CTL and an enable bit in each control (registers.md, section 2.5).
 */
#ifndef UNC_PMON_PMON_H
#define UNC_PMON_PMON_H

#include "machine/gate.h"
#include "machine/machine.h"
#include "map/field.h"
#include "uncore.h"

struct unc_pmon_regs { /* of a unit driven as pmon1; all belong to the map */
	const struct unc_reg *ctl, *ctr;
	const struct unc_reg *fixed_ctl, *fixed_ctr; /* NULL: this unit has no fixed counter */
	const struct unc_reg *box_ctl;
	const struct unc_field *en, *fixed_en;
	const struct unc_field *frz;
	const struct unc_field *frz_en; /* NULL: frz works without */
};

struct unc_slot {
	const struct unc_reg *ctl, *ctr; /* the map's */
	const struct unc_field *en;
	unsigned index; /* of both */
	bool fixed;
	uint64_t found; /* control as it was found */
	bool enabled;   /* en=1 then: somebody's, unless it is ours */

	const struct unc_event *event; /* NULL: not ours */
	uint64_t wrap_ns;              /* the shortest time in which it wraps, counting event */
	uint64_t control;              /* what we wrote */
	uint64_t raw;                  /* last value read */
	bool has_baseline;             /* raw is something to count from */
	unsigned lost;                 /* without: the flag that tells why */
	bool stolen;
	bool late;            /* raw was read late: the interval that begins there is uncertain too */
	uint64_t raw_ns;      /* when raw was read */
	uint64_t earliest_ns; /* start of the read that gave raw */
	uint64_t span_ns;     /* how long it mostly is from one read to the next; 0: not known yet */
	uint64_t start_ns;    /* when the public interval began */
	uint64_t delta;       /* since then */
	unsigned flags;       /* since then */
	uint64_t total;
};

enum { UNC_PMON_SLOTS = 8 };
struct unc_pmon_box {
	struct unc_box *box; /* not owned */
	struct unc_pmon_regs regs;
	struct unc_slot slots[UNC_PMON_SLOTS];
	unsigned n_slots;
	bool foreign;         /* somebody else counts here: BOX_CTL is not ours to write */
	bool frozen;          /* found frozen */
	bool freezes;         /* is stopped and released around each read */
	bool resumed;         /* the machine was suspended since it was last read: are its controls still ours? */
	uint64_t released_ns; /* when it last was released; 0: never frozen for reading */
	uint64_t usual_ns;    /* how long a read of our counters mostly takes; 0: not known yet */
	uint64_t fastest_ns;  /* the shortest ever */
	uint64_t checked_ns;  /* when our controls were last seen to be ours */
};

/* pmon/pmon1.c */
/* Finds the registers.  UNC_ENOSUP: the unit is not driven this way, or has more counters than UNC_PMON_SLOTS. */
int unc_pmon1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox);
/* Reads every control: who counts here?  One block read.  UNC_ENODEV: reads as all ones. */
int unc_pmon1_inspect(struct unc_pmon_box *pbox);
/* Programs the slots that have an event, as the guide orders, and lets them run. */
int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner);
/* Stops or releases the whole box, after it was programmed. */
int unc_pmon1_freeze(struct unc_pmon_box *pbox, bool on, const void *owner);
/*
 * Do our controls still hold what we wrote?  Sets slot->stolen.  A box that is frozen for reading is also looked through
 * for counters that others have enabled meanwhile, in foreign.  One block read.
 */
int unc_pmon1_check(struct unc_pmon_box *pbox);

/* pmon/read.c */
/*
 * Reads the counters of all our slots: one block, and what the tear guard wants.  Adds to each slot's delta, or to its flags
 * where there is no number.  When the box does not answer, that is in every slot's flags, and is returned.
 */
int unc_pmon_read(struct unc_pmon_box *pbox);
/* The same where the box was not even read, since rc, whose sentence names the box.  Returns rc. */
int unc_pmon_missing(struct unc_pmon_box *pbox, int rc);
/* The machine was suspended: what was counted until now is lost, and controls are looked at with the next read. */
void unc_pmon_suspended(struct unc_pmon_box *pbox);
/* What was just read stood still since then: that is when the interval ended. */
void unc_pmon_stopped(struct unc_pmon_box *pbox, uint64_t stopped_ns);
/* The public interval of every slot begins now: at its last read, or where the box was released again after it. */
void unc_pmon_next_interval(struct unc_pmon_box *pbox);
/* Shortest time in which one of our slots can wrap. */
uint64_t unc_pmon_wrap_ns(const struct unc_pmon_box *pbox);

#endif
