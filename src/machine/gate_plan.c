// SPDX-License-Identifier: GPL-2.0-or-later
/* What is going to be written, and that it is on the disk before. */
#include <stdio.h>

#include "base/err.h"
#include "machine/claim.h"
#include "machine/gate.h"
#include "machine/gate_entry.h"
#include "machine/journal_disk.h"
#include "map/field.h"

/* So many are remembered of a register whose values were not planned; then only what may still be there. */
enum { VALUES_MAX = 16 };

/* What it holds before the first write.  A control is never all ones; of a register that no map names it is not known. */
static int get_before(struct unc_box *box, const struct unc_gate_intent *intent, uint64_t *ret_before)
{
	int rc;

	if (intent->was && (box->raw || !unc_gate_is_ones(box, intent->reg, *intent->was))) {
		*ret_before = *intent->was;
		return UNC_OK;
	}
	if (box->raw)
		return unc_gate_get_surely(box, intent->reg, intent->index, ret_before);
	rc = unc_gate_get(box, intent->reg, intent->index, ret_before);
	return rc == 0 && unc_gate_is_ones(box, intent->reg, *ret_before) ? unc_gate_gone(box) : rc;
}

const char *unc_gate_left(const struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	return unc_journal_disk_left(box->machine->disk, &box->addr, unc_reg_off(reg, index));
}

/* A selector is written anew for every value, so whatever is left in one disturbs no other program. */
static int left_alone(const struct unc_box *box, const struct unc_gate_intent *intent)
{
	int rc = unc_journal_disk_look(box->machine->disk);
	const char *who = unc_gate_left(box, intent->reg, intent->index);
	char name[UNC_GATE_TEXT];

	if (rc < 0)
		return rc;
	if (!who || intent->any)
		return UNC_OK;
	return unc_fail(box->machine->ctx, UNC_EBUSY,
			"%s: %s: it was left changed by %s; `uncorectl recover` puts it back, until then it is left "
			"alone",
			box->name, unc_gate_reg_text(intent->reg, intent->index, name), who);
}

int unc_gate_regain(struct unc_journal_entry *entry, uint64_t any, const void *owner)
{
	char name[UNC_GATE_TEXT];
	int rc;

	if (!entry->lost)
		return UNC_OK;
	if (!any)
		return unc_fail(
			entry->box->machine->ctx, UNC_EBUSY,
			"%s: %s: it could not be put back before, and stays as it is until this program has ended and "
			"`uncorectl recover` puts it back",
			entry->box->name, unc_gate_reg_text(entry->reg, entry->index, name));
	rc = unc_claim_box(entry->box, owner);
	if (rc < 0)
		return rc;
	entry->lost = false;
	entry->owner = owner;
	return UNC_OK;
}

static struct unc_journal_entry *add(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t before)
{
	struct unc_journal_entry *entry = unc_journal_add(&box->machine->journal, box);

	if (!entry) {
		unc_fail(box->machine->ctx, UNC_ENOMEM, "out of memory");
		return NULL;
	}
	entry->reg = reg;
	entry->index = index;
	entry->before = before;
	entry->wrote = before;
	entry->wrote_before = before;
	entry->seen = unc_reg_readback_mask(reg);
	return entry;
}

int unc_gate_enter(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner,
		   struct unc_journal_entry **ret_entry)
{
	struct unc_journal_entry *entry;
	uint64_t before = 0;
	int rc;

	rc = unc_claim_box(box, owner);
	if (rc == 0)
		rc = left_alone(box, intent);
	if (rc == 0)
		rc = get_before(box, intent, &before);
	if (rc < 0)
		return rc;
	entry = add(box, intent->reg, intent->index, before);
	if (!entry)
		return UNC_ENOMEM;
	entry->owner = owner;
	*ret_entry = entry;
	return UNC_OK;
}

static bool is_foreseen(const struct unc_journal_entry *entry, uint64_t value, uint64_t ours)
{
	uint64_t told = entry->ours & ~entry->any;

	if (ours & ~entry->ours)
		return false;
	for (size_t i = entry->n_values; i-- > 0;)
		if (((entry->values[i] ^ value) & told) == 0)
			return true;
	return false;
}

/* Its line as it is by now, behind which those before it are forgotten. */
static int queue(struct unc_journal_entry *entry)
{
	const struct unc_box *box = entry->box;
	struct unc_journal_line line = {
		.addr = box->addr,
		.off = unc_reg_off(entry->reg, entry->index),
		.bits = entry->reg->bits,
		.before = entry->before,
		.ours = entry->ours,
		.any = entry->any,
		.doubted = entry->doubted,
		.has_idle = entry->has_idle,
		.idle = entry->idle,
		.values = entry->values,
		.n_values = entry->n_values,
	};
	char name[UNC_GATE_TEXT];

	snprintf(line.box, sizeof(line.box), "%s", box->name);
	snprintf(line.reg, sizeof(line.reg), "%.47s", unc_gate_reg_text(entry->reg, entry->index, name));
	entry->pending = true;
	return unc_journal_disk_add(box->machine->disk, &line);
}

static int add_value(struct unc_journal_entry *entry, uint64_t value)
{
	if (!unc_journal_add_value(entry, value))
		return unc_fail(entry->box->machine->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

/* What was written before the last two is not there any more. */
static void forget_values(struct unc_journal_entry *entry)
{
	entry->values[0] = entry->wrote_before;
	entry->values[1] = entry->wrote;
	entry->n_values = 2;
}

int unc_gate_foresee(struct unc_journal_entry *entry, uint64_t value, uint64_t ours)
{
	int rc = UNC_OK;

	if (!is_foreseen(entry, value, ours)) {
		if (entry->n_values >= VALUES_MAX)
			forget_values(entry);
		rc = add_value(entry, value);
		if (rc < 0)
			return rc;
		entry->ours |= ours;
		rc = queue(entry);
	}
	if (rc == 0 && entry->pending)
		rc = unc_gate_ready(entry->box->machine);
	return rc;
}

int unc_gate_also(struct unc_journal_entry *entry, uint64_t value)
{
	int rc;

	if (is_foreseen(entry, value, 0))
		return UNC_OK;
	rc = add_value(entry, value);
	if (rc == 0)
		rc = queue(entry);
	return rc == 0 ? unc_gate_ready(entry->box->machine) : rc;
}

/* What an intent says, in an entry that may be there already. */
static int intend(struct unc_journal_entry *entry, const struct unc_gate_intent *intent)
{
	uint64_t ours = intent->ours ? intent->ours : UINT64_MAX;
	bool more = intent->any & ~entry->any;
	int rc = UNC_OK;

	entry->any |= intent->any;
	if (intent->doubted) {
		more |= !entry->has_idle || intent->doubted & ~entry->doubted || entry->idle != intent->idle;
		entry->doubted |= intent->doubted;
		entry->idle = intent->idle;
		entry->has_idle = true;
	}
	for (size_t i = 0; i < intent->n_values && rc == 0; i++) {
		if (is_foreseen(entry, intent->values[i], ours))
			continue;
		entry->ours |= ours;
		more = true;
		rc = add_value(entry, intent->values[i]);
	}
	return rc == 0 && more ? queue(entry) : rc;
}

static int plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, intent->reg, intent->index);
	int rc = UNC_OK;

	for (size_t i = 0; i < intent->n_values && rc == 0; i++)
		rc = unc_gate_may_write(box, intent->reg, intent->index, intent->values[i]);
	if (rc == 0 && entry)
		rc = unc_claim_box(box, owner);
	if (rc == 0 && entry)
		rc = unc_gate_regain(entry, intent->any, owner);
	else if (rc == 0)
		rc = unc_gate_enter(box, intent, owner, &entry);
	return rc < 0 ? rc : intend(entry, intent);
}

int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner)
{
	return unc_gate_wrap(box, intent->reg, intent->index, plan(box, intent, owner));
}

int unc_gate_ready(struct unc_machine *m)
{
	int rc = unc_journal_disk_sync(m->disk);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < m->journal.n; i++)
		m->journal.entries[i].pending = false;
	return UNC_OK;
}

static int adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		 const void *owner, struct unc_journal_entry **ret_entry)
{
	struct unc_journal_entry *entry;
	int rc = line->n_values ? UNC_OK : unc_fail(box->machine->ctx, UNC_EARG, "nothing was to be written there");

	for (size_t i = 0; i < line->n_values && rc == 0; i++)
		rc = unc_gate_may_write(box, reg, index, line->values[i]);
	if (rc == 0)
		rc = unc_claim_box(box, owner);
	if (rc < 0)
		return rc;
	entry = add(box, reg, index, line->before);
	if (!entry)
		return UNC_ENOMEM;
	entry->owner = owner;
	entry->written = entry->adopted = true;
	entry->wrote = line->values[line->n_values - 1];
	entry->ours = line->ours;
	entry->any = line->any;
	entry->doubted = line->doubted;
	entry->has_idle = line->has_idle;
	entry->idle = line->idle;
	for (size_t i = 0; i < line->n_values && rc == 0; i++)
		rc = add_value(entry, line->values[i]);
	if (rc < 0)
		unc_gate_keep(box, reg, index);
	else
		*ret_entry = entry;
	return rc;
}

int unc_gate_adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		   const void *owner, struct unc_journal_entry **ret_entry)
{
	return unc_gate_wrap(box, reg, index, adopt(box, reg, index, line, owner, ret_entry));
}
