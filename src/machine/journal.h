/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo journal: the former value of every register before its first write, what is going to be written there, and what was
 * written last.  Kept in memory, and as lines of machine/journals.h; only the gate adds to it and plays it back.  Each box
 * knows its entries, so that finding one takes as long as the box has written registers, however many boxes there are.
 */
#ifndef UNC_MACHINE_JOURNAL_H
#define UNC_MACHINE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map/map.h"

struct unc_box;

struct unc_journal_entry {
	const void *owner;   /* the session that wrote; never dereferenced */
	struct unc_box *box; /* not owned; outlives the journal */
	const struct unc_reg *reg;
	unsigned index;
	bool pending;          /* its line is not on the disk yet: nothing may be written */
	bool written;          /* or it may be; else it was planned only, and is as it was */
	bool adopted;          /* by another process that is gone: which of its values it wrote last is not known */
	uint64_t before;       /* as read before the first write */
	uint64_t wrote;        /* last */
	uint64_t wrote_before; /* the one before it: still there if the last write did not arrive */
	uint64_t ours; /* bits that we write; the others are written as they were read, and belong to other programs */
	uint64_t seen; /* bits that read back what is written to them */
	uint64_t doubted; /* written bits of which it is to be seen whether they read back */
	bool has_idle;    /* before cannot be trusted, since they do not: */
	uint64_t idle;    /* then this goes there in the end */
	uint64_t any;     /* bits of a value that may be any */
	uint64_t *values; /* owned: all that its line on the disk says is written there */
	size_t n_values;
	bool lost;      /* it could not be put back: its line stays on the disk, and what it held before stays here */
	bool dropped;   /* it goes with the next unc_journal_sweep() */
	size_t earlier; /* the entry before it of the same box, counted from 1; 0: none */
};

struct unc_journal {
	struct unc_journal_entry *entries; /* owned, in order of first write */
	size_t n;
};

/* The entry of a register, or NULL. */
struct unc_journal_entry *unc_journal_find(struct unc_journal *journal, const struct unc_box *box,
					   const struct unc_reg *reg, unsigned index);
/* One more of its values.  False: out of memory. */
bool unc_journal_add_value(struct unc_journal_entry *entry, uint64_t value);
/* Adds an entry of a box; borrowed until the next is added.  NULL: out of memory. */
struct unc_journal_entry *unc_journal_add(struct unc_journal *journal, struct unc_box *box);
/* Takes out those that were dropped. */
void unc_journal_sweep(struct unc_journal *journal);
/* Before the boxes are freed. */
void unc_journal_clear(struct unc_journal *journal);

#endif
