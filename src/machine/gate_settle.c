// SPDX-License-Identifier: GPL-2.0-or-later
/* What is learnt of a register after it was written. */
#include "base/err.h"
#include "machine/gate.h"
#include "machine/gate_entry.h"
#include "machine/journal_disk.h"
#include "map/field.h"

/* It is not known whether a process that has ended wrote at all: then only a bit that reads 1 shows that it did. */
static bool reads_back(const struct unc_journal_entry *entry, uint64_t now)
{
	if (((now ^ entry->wrote) & entry->doubted) == 0 && (!entry->adopted || now & entry->doubted))
		return true;
	for (size_t i = 0; entry->adopted && i < entry->n_values; i++)
		if (now & entry->doubted && ((now ^ entry->values[i]) & entry->doubted) == 0)
			return true;
	return false;
}

void unc_gate_trust(struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t known = entry->doubted | unc_reg_mask(entry->reg, UNC_WO);

	if (!entry->has_idle || !reads_back(entry, now))
		return;
	entry->has_idle = false;
	entry->seen |= entry->doubted;
	entry->before = (entry->before & known) | (entry->idle & ~known);
}

int unc_gate_settle(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t mask, uint64_t idle)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	uint64_t now;
	int rc;

	if (!entry || !entry->written)
		return unc_fail(box->machine->ctx, UNC_EARG, "%s: %s was never written", box->name, reg->name);
	rc = unc_reg_get(box, reg, index, &now);
	if (rc == 0 && unc_gate_is_ones(box, reg, now))
		rc = unc_gate_wrap(box, reg, index, unc_gate_gone(box));
	if (rc < 0)
		return rc;
	entry->doubted = mask;
	entry->has_idle = true;
	entry->idle = idle;
	unc_gate_trust(entry, now);
	return UNC_OK;
}

void unc_gate_settled(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (entry && entry->written)
		unc_gate_trust(entry, now);
}

bool unc_gate_counts(const struct unc_reg *reg)
{
	return unc_reg_field(reg, "event_count") != NULL;
}

int unc_gate_see(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	uint64_t now = 0, untaken = 0;
	int rc;

	rc = unc_reg_look(box, reg, index, &now);
	if (rc == 0 && entry && entry->written && !unc_gate_counts(reg))
		untaken = (now ^ entry->wrote) & entry->seen;
	if (untaken) {
		entry->seen &= ~untaken;
		rc = unc_gate_also(entry, now);
	}
	if (rc < 0)
		return rc;
	*ret_now = now;
	return UNC_OK;
}

void unc_gate_missed(struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (entry)
		entry->wrote = entry->wrote_before;
}

void unc_gate_wrote(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t ret_values[2])
{
	const struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	ret_values[0] = entry ? entry->wrote : 0;
	ret_values[1] = entry ? entry->wrote_before : 0;
}

void unc_gate_still_holds(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (entry && entry->written)
		entry->wrote = now;
}

void unc_gate_keep(struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	struct unc_journal *journal = &box->machine->journal;
	struct unc_journal_entry *entry = unc_journal_find(journal, box, reg, index);

	if (!entry)
		return;
	unc_journal_disk_drop(box->machine->disk, &box->addr, unc_reg_off(reg, index));
	entry->dropped = true;
	unc_journal_sweep(journal);
}
