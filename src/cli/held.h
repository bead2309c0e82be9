/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads that the sampler's commands have not shown yet, since no later read has confirmed them (struct sampler, show and confirm).
 */
#ifndef UNC_CLI_HELD_H
#define UNC_CLI_HELD_H

#include <stddef.h>

/* All zeros at first, except size. */
struct held {
	size_t size; /* size of a read in bytes: a multiple of 8 */
	char *reads; /* oldest first; owned */
	/* Counted in reads: those from first to good are confirmed, those from good to end wait. */
	size_t first, good, end, room;
};

/* Returns room for one more read, which held_add() adds.  NULL: out of memory. */
void *held_room(struct held *held);
void held_add(struct held *held);
/* The reads that wait, one after the other; NULL: there is none. held_confirmed() confirms them. */
void *held_waiting(const struct held *held, size_t *ret_n);
void held_confirmed(struct held *held);
/* Takes the oldest confirmed read; it is valid until held_room().  NULL: there is none. */
void *held_next(struct held *held);
void held_clear(struct held *held);

#endif
