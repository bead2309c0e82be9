/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the gate share, and who puts back what another process has left: one register, what it holds, and
 * what is to be done about it.  None of these but unc_gate_put_back() and unc_gate_hand_over() write.
 */
#ifndef UNC_MACHINE_GATE_ENTRY_H
#define UNC_MACHINE_GATE_ENTRY_H

#include "machine/gate.h"
#include "machine/journal_disk.h"
#include "machine/machine.h"

/* ---- machine/gate_read.c ---- */

/* "socket0.imc0.ch2: CTL[3]" in front of a failure, unless that begins with the box. */
int unc_gate_wrap(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc);
/* One read.  unc_gate_get_surely(): all ones count only when they are read twice from a function that has ids. */
int unc_gate_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);
int unc_gate_get_surely(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);
/* How a configuration cycle reads that no device answered.  A model-specific register that is not there is refused instead. */
bool unc_gate_is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value);
/* UNC_ENODEV with that sentence. */
int unc_gate_gone(const struct unc_box *box);

/* ---- machine/gate_allow.c ---- */

/* Was the machine opened for writing, and does the map allow the value?  Reaches the box. */
int unc_gate_may_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value);

/* ---- machine/gate.c ---- */

/*
 * The write itself, or with --dry-run what it would be: of a register that is in the journal.  *ret_begun: something of it may
 * have arrived although it failed.
 */
int unc_gate_hand_over(const struct unc_journal_entry *entry, uint64_t value, bool *ret_begun);

/* ---- machine/gate_plan.c ---- */

/*
 * A new entry, of which nothing is on the disk and nothing planned yet.  Claims the box.  UNC_EBUSY: another process has it, or
 * a process that was killed has left the register changed; else as unc_gate_write().
 */
int unc_gate_enter(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner,
		   struct unc_journal_entry **ret_entry);
/* One that could not be put back has no owner any more; but a selector (any) is taken by its next owner.  UNC_EBUSY. */
int unc_gate_regain(struct unc_journal_entry *entry, uint64_t any, const void *owner);
/* Before each write: the entry's line with that value in those bits is on the disk.  Fails as unc_gate_ready(). */
int unc_gate_foresee(struct unc_journal_entry *entry, uint64_t value, uint64_t ours);
/* Hardware has made that of what was written: it is ours, too. */
int unc_gate_also(struct unc_journal_entry *entry, uint64_t value);
/* What is known of a register that a process has left, which is gone: where it holds one of the line's values it is ours now. */
int unc_gate_adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		   const void *owner, struct unc_journal_entry **ret_entry);

/* ---- machine/gate_settle.c ---- */

/* Its value changes by itself, and only the hardware did it. */
bool unc_gate_counts(const struct unc_reg *reg);
/*
 * Bits in doubt that now turn out to read back: then what was read of the write-only bits is the former value, or 0 where a bit
 * is write-only indeed.  Reserved bits that were read are not written back.
 */
void unc_gate_trust(struct unc_journal_entry *entry, uint64_t now);

/* ---- machine/gate_entry.c ---- */

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

#endif
