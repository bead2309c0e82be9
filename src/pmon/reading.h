/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a box, for those that read by themselves. */
#ifndef UNC_PMON_READING_H
#define UNC_PMON_READING_H

#include "pmon/pmon.h"

enum { UNC_BLOCK_MAX = 256 };

struct unc_reading { /* reading of one slot, in the order of pbox->running */
	uint64_t value;
	uint64_t before_ns, after_ns; /* raw time around the read of its low half */
	uint64_t gained;              /* since the slot's last value; 0: it has no baseline */
	unsigned flag; /* UNC_COUNT_RESET: more than the hardware can count; UNC_COUNT_GAP: it may have wrapped; or 0 */
};

struct unc_block {                                 /* result of one block read */
	const struct unc_stop *stop;               /* NULL: the box runs */
	bool look;                                 /* the block includes the controls */
	unsigned char bytes[UNC_BLOCK_MAX];        /* of a box in configuration space */
	unsigned char counters[UNC_PMON_SLOTS][8]; /* of a box in memory, in the order of pbox->running */
	struct unc_stop times[UNC_PMON_SLOTS];     /* of a box in MSRs: raw time around the read of each counter */
	struct unc_stop when;            /* raw time around the read, or around the write that stopped the box */
	uint64_t read_ns;                /* how long the read took */
	const struct unc_reading *clock; /* of the box's clock; NULL: it was not read */
	bool moved;                      /* the counter of an event moved */
	bool implausible;                /* one of the readings is */
	bool is_odd;          /* in a box whose counters are read together: one has a flag, or a slot has no baseline */
	uint64_t end_ns;      /* when the last value was read */
	uint64_t shortest_ns; /* the shortest time since the last value of an event; UINT64_MAX: there is none */
};

/*
 * Reads one counter exactly while it runs: the halves one by one, until the high half is the same before and after the low one.
 * A low half of all ones may also be a failed read, so it is accepted only after it was read twice.  reading gets the time of the
 * low half.
 */
int unc_pmon_read_halves(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading);
/* The same for a caller that checks the width itself: bits above it are no failure, unless all 64 bits are 1. */
int unc_pmon_read_whole(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading);

/*
 * pmon/pmon1.c: as unc_pmon1_check(), for a block with controls that was read while the box was stopped.  False: a control is
 * not as expected; then nothing is changed.
 */
bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const struct unc_block *block, uint32_t first);
/* True if it holds what we wrote last. */
bool unc_pmon1_is_ours(const struct unc_slot *slot, uint64_t now);

#endif
