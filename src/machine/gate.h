/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: the only way from a command to a register that changes anything.
 *
 * Asked of every write: was the machine opened for writing?  Does the unit's map name the register, and the value only
 * what the map allows in it?  Is the place outside the configuration header, and no bridge?  Is the former value in the
 * journal?  Only then it is handed to the bus.
 */
#ifndef UNC_MACHINE_GATE_H
#define UNC_MACHINE_GATE_H

#include "machine/journals.h"
#include "machine/machine.h"

enum { UNC_GATE_TEXT = 64 };
/* "CTL[3]", of one alone "BOX_CTL".  Returns buf. */
const char *unc_gate_reg_text(const struct unc_reg *reg, unsigned index, char buf[UNC_GATE_TEXT]);

/*
 * Reads element index of a register of a box, whole: a 64-bit register of configuration space is one block of two
 * dwords, unguarded.  UNC_ENODEV: the box is not there; else as unc_read_block().
 */
int unc_reg_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);

/*
 * The same for a register that is to be shown: all ones, which is how an access that failed and a function that is gone read,
 * counts only when it is read twice from a function whose ids can be read.
 */
int unc_reg_look(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);

/* May it be written, on a machine that was opened for writing?  Touches nothing; else as unc_gate_write(). */
int unc_gate_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value);
/*
 * Writes a register: a dword of configuration space, two for one of 64 bits (the low one first), or an MSR.  owner is whose
 * write it is, for unc_gate_restore().  UNC_EDENIED: a question above was answered with no; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_gate_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value, const void *owner);
/* The low dword of a 64-bit register of configuration space alone; value is what the whole register is to hold then.  As above. */
int unc_gate_write_low(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value,
		       const void *owner);
/*
 * A session plans its writes before the first of them: then the former values of all its registers are on the disk together, with
 * one fsync, and no later write of these values waits for the disk.  What was not planned is when it is written first.
 */
struct unc_gate_intent {
	const struct unc_reg *reg;
	unsigned index;
	const uint64_t *values; /* all that will be written there, in the order of their first time */
	size_t n_values;
	/*
	 * Bits of a value that may be any: those of a selector that is rewritten all the time.  Of those that writing 1 clears: hardware
	 * is made to set them, and in the end those are cleared that were not set before.
	 */
	uint64_t any;
	uint64_t ours;       /* bits that are ours; 0: all */
	const uint64_t *was; /* what it was read to hold just now; NULL: it is read */
	uint64_t doubted;    /* as mask of unc_gate_verify_readback(); 0: none are in doubt */
	uint64_t idle;       /* then this goes there */
};
/*
 * Reads what it holds, if need be, and notes the intent.  Claims the box.  UNC_EBUSY: another process has it, or a process that was
 * killed left the register changed, and `recover` has not put it back yet (a selector may be used all the same); else as
 * unc_gate_write().
 */
int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner);
/* The killed process that has left that register changed, as unc_journal_disk_left(); NULL: none. */
const char *unc_gate_left(const struct unc_box *box, const struct unc_reg *reg, unsigned index);
/* All that was planned is in the journal on disk.  UNC_EPERM, UNC_EIO, UNC_ENOMEM: it is not, and none of it may be written. */
int unc_gate_ready(struct unc_machine *machine);

/*
 * Changes one field of a register of which another program has another field, was being what it was just read to hold; it is not
 * read again for the journal.  All else is written as it was, and is not ours: in the end the field alone is put back, where
 * it still holds what was written, and the rest stays as it is found then.  UNC_ERANGE: the number is too wide; else as
 * unc_gate_write().
 */
struct unc_gate_field {
	const struct unc_reg *reg;
	unsigned index;
	const struct unc_field *field;
};
int unc_gate_set_field(struct unc_box *box, const struct unc_gate_field *place, uint64_t was, uint64_t number,
		       const void *owner);
/*
 * For a register just written whose written bits may not read back: looks which of the bits in mask do.  Where all do, the
 * former value is put back in the end as usual; else idle goes there.
 */
int unc_gate_verify_readback(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t mask,
			     uint64_t idle);
/* The same with what it was just read to hold, where its plan says what mask and idle are. */
void unc_gate_was_read_back(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now);
/*
 * Looks what a register holds, as unc_reg_look(), after it was written: bits that were not taken count no more when it is to be
 * told whether it still holds what was written.  Not so for a counter, which moves.
 */
int unc_gate_see(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_now);
/* The last write to a register did not arrive: it still holds what was written, or there, before. */
void unc_gate_missed(struct unc_box *box, const struct unc_reg *reg, unsigned index);
/* What was written there last, and before that; of what was not written what it held. */
void unc_gate_wrote(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t ret_values[2]);
/* None of the last writes to a register arrived: it still holds now, which is ours. */
void unc_gate_still_holds(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now);
/* Drops a register from the journal: it stays as it is. */
void unc_gate_keep(struct unc_box *box, const struct unc_reg *reg, unsigned index);
/*
 * Plays an owner's entries (NULL: everybody's) backwards: each register that still holds what was written gets its former
 * value, is read back, and tried twice.  One that holds something else belongs to another program: it is left alone, with a note.  Bits that
 * writing 1 clears stay as they are, but those that were planned as any.
 * UNC_EIO: at least one could not be put back; the sentence is about the first.
 */
int unc_gate_restore(struct unc_machine *machine, const void *owner);

/*
 * What gate.c, gate_restore.c and recover.c share: one register, what it holds, and what is to be done about it.  None of
 * these but unc_gate_put_back() and unc_gate_hand_over() write.
 */

/* "socket0.imc0.ch2: CTL[3]" in front of a failure, unless that begins with the box. */
int unc_gate_wrap(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc);
/* One read. */
int unc_gate_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);
/* How a configuration cycle reads that no device answered.  A model-specific register that is not there is refused instead. */
bool unc_gate_is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value);
/* UNC_ENODEV with that sentence. */
int unc_gate_gone(const struct unc_box *box);
/* Its value changes by itself, and only the hardware did it. */
bool unc_gate_counts(const struct unc_reg *reg);

/*
 * The write itself, or with --dry-run what it would be: of a register that is in the journal.  *ret_begun: something of it may
 * have arrived although it failed.
 */
int unc_gate_hand_over(const struct unc_journal_entry *entry, uint64_t value, bool *ret_begun);
/* What is known of a register that a process has left, which is gone: where it holds one of the line's values it is ours now. */
int unc_gate_adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		   const void *owner, struct unc_journal_entry **ret_entry);
/*
 * Bits in doubt that now turn out to read back: then what was read of the write-only bits is the former value, or 0 where a bit
 * is write-only indeed.  Reserved bits that were read are not written back.
 */
void unc_gate_trust(struct unc_journal_entry *entry, uint64_t now);

struct unc_gate_verdict {
	enum unc_gate_state {
		UNC_GATE_BACK,    /* it is as it was before */
		UNC_GATE_OURS,    /* it holds what was written: target is to go there */
		UNC_GATE_CHANGED, /* it holds neither: it is another program's by now, or a counter that has counted on */
	} state;
	uint64_t now;
	uint64_t target; /* what puts it back, whatever the state is */
};
/* Looks what it holds, twice if need be.  Fails as unc_reg_look(), but with no name in front. */
int unc_gate_judge(struct unc_journal_entry *entry, struct unc_gate_verdict *ret_verdict);
/*
 * Writes the verdict's target and reads it back; two tries.  Where that shows that bits in doubt read back, the former value is
 * known after all, and becomes the target.  UNC_EIO: it does not hold it; else as unc_gate_write().
 */
int unc_gate_put_back(struct unc_journal_entry *entry, struct unc_gate_verdict *verdict);
/* What it holds once the target was written: not the target, where 1 clears. */
uint64_t unc_gate_becomes(const struct unc_journal_entry *entry, const struct unc_gate_verdict *verdict);

/*
 * One writer per box.  A claim is a lock on a file of the machine itself: the configuration space of the box's function, or for MSRs
 * their numbers in the file of a CPU; for those of cache monitoring, of the lowest CPU of its L3, as CPUs that share one share
 * counters.  A process that has ended holds none, and every process that sees the same file sees the lock, whatever folder its journal is in.
 *
 * What does not see it is a container with a network namespace and a sysfs of its own, or with device files that it made itself:
 * Linux has these as other files.
 */

/*
 * It is ours from now on, until unc_claim_leave() of that owner.  Twice is as once: one system call for each box.  In a dry run it is
 * only asked for.  UNC_EBUSY: another process writes there; the sentence names the box, and the process as far as its journal does;
 * UNC_EDENIED: the machine was opened read-only; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ENOSUP, UNC_ENOMEM.
 */
int unc_claim_box(struct unc_box *box, const void *owner);
/* NULL: everybody's. */
void unc_claim_leave(struct unc_machine *m, const void *owner);
void unc_claims_free(struct unc_claims *claims); /* NULL is fine; locks are let go of with their spaces */

#endif
