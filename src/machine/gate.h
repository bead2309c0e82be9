/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: the only way from a command to a write of a register.
 *
 * It checks every write: the machine was opened for writing; the unit's map names the register, and allows this value
 * in it; the place is outside the configuration header, and no bridge, and not what a host bridge reaches other
 * registers through; the former value is in the journal.  Only then the bus gets the write.
 */
#ifndef UNC_MACHINE_GATE_H
#define UNC_MACHINE_GATE_H

#include "machine/journals.h"

enum { UNC_GATE_TEXT = 64 };
/* Writes "CTL[3]" or, for a single register, "BOX_CTL".  Returns buf. */
const char *unc_gate_reg_text(const struct unc_reg *reg, unsigned index, char buf[UNC_GATE_TEXT]);

/*
 * Reads one element of a register, whole: a 64-bit register of configuration space is one block of two dwords, which
 * may belong to different values.  UNC_ENODEV: the box is not there; else as unc_read_block().
 */
int unc_reg_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);

/*
 * Reads a register that will be shown.  All ones are also how a failed access and a missing function read, so they
 * count only if they are read twice from a function whose ids can be read.
 */
int unc_reg_look(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);

/*
 * Checks whether a value may be written on a machine that was opened for writing.  Touches nothing; else as
 * unc_gate_write().
 */
int unc_gate_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value);
/*
 * Writes a register: a dword of configuration space, two for a 64-bit one (low dword first), or an MSR.  owner:
 * unc_gate_restore() puts back the writes of one owner.  UNC_EDENIED: a check above refuses it; UNC_ENODEV, UNC_EPERM,
 * UNC_EIO, UNC_ENOMEM.
 */
int unc_gate_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value, const void *owner);
/*
 * Writes only the low dword of a 64-bit register of configuration space; value is what the whole register will hold
 * then.  Fails as unc_gate_write().
 */
int unc_gate_write_low(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value,
		       const void *owner);
/*
 * A session plans its writes before the first of them.  Then one fsync puts the former values of all its registers on
 * disk, and later writes of these values do not wait for the disk.  An unplanned write is journalled when it is first
 * done.
 */
struct unc_gate_intent {
	const struct unc_reg *reg;
	unsigned index;
	const uint64_t *values; /* all values that will be written there, in the order of their first write */
	size_t n_values;
	/*
	 * Bits that may be written with any value, as of a selector that is rewritten all the time.  For bits that
	 * writing 1 clears: the hardware is made to set them, and in the end those are cleared that were not set
	 * before.
	 */
	uint64_t any;
	uint64_t ours;       /* bits that we own; 0: all of them */
	const uint64_t *was; /* the value just read; NULL: it is read here */
	uint64_t doubted;    /* bits that may not read back; 0: all bits do */
	uint64_t idle;       /* the value to leave if doubted bits do not read back */
};
/*
 * Reads the former value, if necessary, and notes the intent.  Claims the box.  UNC_EBUSY: another process has it, or a
 * killed process left the register changed, and `recover` has not put it back yet (a selector may be used all the
 * same); else as unc_gate_write().
 */
int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner);
/* Returns the killed process that left this register changed, as unc_journal_disk_left(); NULL: there is none. */
const char *unc_gate_left(const struct unc_box *box, const struct unc_reg *reg, unsigned index);
/*
 * Puts everything that was planned into the journal on disk.  UNC_EPERM, UNC_EIO, UNC_ENOMEM: it is not there, and none
 * of it may be written.
 */
int unc_gate_ready(struct unc_machine *machine);

/*
 * Changes one field of a register in which another program owns another field; was: the value just read, which is not
 * read again for the journal.  The other bits are written as they were and are not ours: in the end only the field is
 * put back, if it still holds what was written, and the other bits stay as they are then.  UNC_ERANGE: the number is
 * too wide; else as unc_gate_write().
 */
int unc_gate_set_field(struct unc_box *box, const struct unc_reg *reg, const struct unc_field *field, uint64_t was,
		       uint64_t number, const void *owner);
/*
 * For a register just written, now: the value just read.  If the doubted bits of its plan read back, the former value is put back in
 * the end as usual; else idle is written then.
 */
void unc_gate_was_read_back(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now);
/* The same, and reads it.  Fails as unc_reg_get(), and with UNC_ENODEV where it reads as all ones. */
int unc_gate_verify_readback(struct unc_box *box, const struct unc_reg *reg, unsigned index);
/*
 * Reads a register, as unc_reg_look(), after it was written: bits that did not keep their value are ignored when it is
 * compared later.  Not for a counter, which moves.
 */
int unc_gate_see(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_now);
/* Notes that the last write did not arrive: the register still holds the value before it. */
void unc_gate_missed(struct unc_box *box, const struct unc_reg *reg, unsigned index);
/*
 * Returns the value written last, and the one before it; for a register that was never written, the value that was
 * read.
 */
void unc_gate_wrote(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t ret_values[2]);
/* Notes that none of the last writes arrived: the register still holds now, which is our value. */
void unc_gate_still_holds(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now);
/* Drops a register from the journal: it stays as it is. */
void unc_gate_keep(struct unc_box *box, const struct unc_reg *reg, unsigned index);
/*
 * Puts back an owner's registers (NULL: those of every owner), last written first: each that still holds what was
 * written gets its former value and is read back; two tries.  A register that holds something else belongs to another
 * program: it is left alone, with a note.  Bits that writing 1 clears stay as they are, except those that were planned
 * as any. UNC_EIO: at least one could not be put back; the message is about the first.
 */
int unc_gate_restore(struct unc_machine *machine, const void *owner);

/*
 * Shared by gate.c, gate_restore.c and recover.c: one register, what it holds, and what to do about it.  Of these only
 * unc_gate_put_back() and unc_gate_hand_over() write.
 */

/* Puts "socket0.imc0.ch2: CTL[3]" in front of a message, unless that begins with the box. */
int unc_gate_wrap(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc);
/* Reads once. */
int unc_gate_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);
/*
 * Returns true for the value of a configuration read that no device answered.  A missing model-specific register is
 * refused instead.
 */
bool unc_gate_is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value);
/* Fails with UNC_ENODEV and the message that the box is gone. */
int unc_gate_gone(const struct unc_box *box);
/* Returns true if only hardware changes the value, by itself. */
bool unc_gate_counts(const struct unc_reg *reg);

/*
 * Does the write, or with --dry-run reports it: of a register that is in the journal.  *ret_begun: part of it may have
 * arrived although it failed; only_low: as unc_gate_write_low().
 */
int unc_gate_hand_over(const struct unc_journal_entry *entry, uint64_t value, bool only_low, bool *ret_begun);
/*
 * Updates what is known about a register that an ended process left: if it holds one of the line's values, it is ours
 * now.
 */
int unc_gate_adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		   const void *owner, struct unc_journal_entry **ret_entry);
struct unc_gate_verdict {
	enum unc_gate_state {
		UNC_GATE_BACK, /* it holds its former value */
		UNC_GATE_OURS, /* it holds what was written: target is to be written */
		UNC_GATE_CHANGED, /* it holds neither: another program owns it by now, or it is a counter that counted on */
	} state;
	uint64_t now;
	uint64_t target;  /* the value that puts it back, whatever the state is */
	char shared[160]; /* CHANGED: why it is another program's although it holds what was written; else "" */
};
/* Reads what it holds, twice if necessary.  Fails as unc_reg_look(), without a name in front. */
int unc_gate_judge(struct unc_journal_entry *entry, struct unc_gate_verdict *ret_verdict);
/*
 * Writes the verdict's target and reads it back; two tries.  If doubted bits read back then, the former value is known
 * after all and becomes the target.  UNC_EIO: the register does not hold it; else as unc_gate_write().
 */
int unc_gate_put_back(struct unc_journal_entry *entry, struct unc_gate_verdict *verdict);
/* Returns what it holds after target was written, which differs from target where writing 1 clears. */
uint64_t unc_gate_becomes(const struct unc_journal_entry *entry, const struct unc_gate_verdict *verdict);

/*
 * One writer per box.  A claim is a lock on a file of the machine itself: the configuration space of the box's
 * function, or for MSRs their numbers in the file of a CPU; for cache monitoring that of the lowest CPU of its L3,
 * since CPUs that share an L3 share its counters.  A lock ends with its process, and every process that sees the same
 * file sees the lock, wherever its journal is.
 *
 * A container with a network namespace and a sysfs of its own, or with device files that it made itself, does not see
 * the lock: to Linux these are other files.
 */

/*
 * Claims a box until unc_claim_leave() of that owner.  Idempotent: one system call for each box.  In a dry run it only
 * tests the lock.  UNC_EBUSY: another process writes there; the message names the box, and the process if its journal
 * does; UNC_EDENIED: the machine was opened read-only; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ENOSUP, UNC_ENOMEM.
 */
int unc_claim_box(struct unc_box *box, const void *owner);
/* owner NULL: of every owner. */
void unc_claim_leave(struct unc_machine *m, const void *owner);
/* What was locked by a file that is gone is not locked any more. */
void unc_claims_move(struct unc_machine *m, const struct unc_space *from, struct unc_space *to);
void unc_claims_free(struct unc_machine *m); /* locks end with their spaces */

#endif
