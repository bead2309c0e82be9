/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo journal: of every register the value before the first write, the values that will be written, and the last
 * one written.  It is kept in memory, and on disk as lines of machine/journals.h; only the gate adds to it and puts
 * back from it.  Each box knows its own entries, so finding one does not take longer on a machine with more boxes.
 */
#ifndef UNC_MACHINE_JOURNAL_H
#define UNC_MACHINE_JOURNAL_H

#include "map/map.h"

/* A register that is going to be written. */
struct unc_journal_line {
	struct unc_addr addr;
	uint32_t off; /* or the number of an MSR */
	unsigned bits;
	char box[40], reg[48]; /* "socket0.imc0.ch2", "CTL[3]" */
	uint64_t before;
	uint64_t ours;    /* bits that we own; the others are written as they were read, and belong to other programs */
	uint64_t any;     /* bits that are written with any value, all the time: a selector */
	uint64_t doubted; /* written bits that may not read back, which is not known yet */
	bool has_idle;    /* the former value cannot be trusted, since they do not read back: */
	uint64_t idle;    /* this is written in the end instead */
	const uint64_t *values; /* all values that we write there; owned by the entry, or by the text that was read */
	size_t n_values;
};

struct unc_journal_entry {
	const void *owner;   /* the session that wrote; never dereferenced */
	struct unc_box *box; /* not owned; outlives the journal */
	const struct unc_reg *reg;
	unsigned index;
	struct unc_journal_line line; /* what the disk has, or will have; its values are owned */
	bool pending;                 /* its line is not on disk yet: nothing may be written */
	bool written;   /* it was written, or may have been; else it was only planned, and holds its former value */
	bool adopted;   /* taken over from an ended process: which of its values was written last is not known */
	uint64_t wrote; /* the last value written */
	uint64_t wrote_before; /* the value before it: still there if the last write did not arrive */
	uint64_t seen;         /* bits that read back what is written to them */
	bool lost;             /* it could not be put back: its line stays on disk, and its former value stays here */
	bool dropped;          /* the next unc_journal_sweep() removes it */
	size_t earlier;        /* the box's entry before this one, counted from 1; 0: none */
};

struct unc_journal {
	struct unc_journal_entry *entries; /* owned, in order of first write */
	size_t n;
};

/* Returns the entry of a register, or NULL. */
struct unc_journal_entry *unc_journal_find(struct unc_journal *journal, const struct unc_box *box,
					   const struct unc_reg *reg, unsigned index);
/* Adds an entry to a box; borrowed until the next one is added.  NULL: out of memory. */
struct unc_journal_entry *unc_journal_add(struct unc_journal *journal, struct unc_box *box);
/* Removes the entries that were dropped. */
void unc_journal_sweep(struct unc_journal *journal);
/* Call it before the boxes are freed. */
void unc_journal_clear(struct unc_journal *journal);

#endif
