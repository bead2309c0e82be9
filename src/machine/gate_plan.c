// SPDX-License-Identifier: GPL-2.0-or-later
/* One register that was written: what it holds by now, and putting back what it held before. */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "machine/gate.h"
#include "machine/journals.h"
#include "map/field.h"

/* Does the register hold value in the bits that are ours, as far as they can be read? */
static bool holds(const struct unc_journal_entry *entry, uint64_t now, uint64_t value)
{
	return ((now ^ value) & entry->seen & entry->ours) == 0;
}

/* One try, read back. */
static int try_target(struct unc_journal_entry *entry, uint64_t target)
{
	struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	int digits = (int)reg->bits / 4, rc;
	uint64_t now;
	bool begun;

	rc = unc_gate_hand_over(entry, target, &begun);
	if (rc < 0)
		return rc;
	rc = unc_gate_get(box, reg, entry->index, &now);
	if (rc == 0 && unc_gate_is_ones(box, reg, now) && !unc_gate_is_ones(box, reg, target))
		rc = unc_gate_gone(box);
	if (rc < 0)
		return rc;
	if (!holds(entry, now, target))
		return unc_fail(box->machine->ctx, UNC_EIO,
				"wrote 0x%0*" PRIx64 " to put it back, but it reads 0x%0*" PRIx64, digits, target,
				digits, now);
	return UNC_OK;
}

/* What the register holds; two tries, as Linux makes all ones of a read that failed. */
static int look(const struct unc_journal_entry *entry, uint64_t *ret_now)
{
	int rc = UNC_OK;

	for (unsigned try = 0; try < 2; try++) {
		rc = unc_gate_get(entry->box, entry->reg, entry->index, ret_now);
		if (rc == 0 && unc_gate_is_ones(entry->box, entry->reg, *ret_now) &&
		    !unc_gate_is_ones(entry->box, entry->reg, entry->wrote))
			rc = unc_gate_gone(entry->box);
		if (rc == 0)
			return UNC_OK;
	}
	return rc;
}

/*
 * Bits that writing 1 clears, that are set by now and were not: those that the planner of the register said to be any, since it
 * makes hardware set them.
 */
static uint64_t newly_set(const struct unc_journal_entry *entry, uint64_t now)
{
	return now & ~entry->before & entry->any & unc_reg_mask(entry->reg, UNC_RW1C);
}

/* Is the former value there already, with no bit of it hidden?  Then there is nothing to write, and no write to fail. */
static bool is_back(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t cleared = unc_reg_mask(entry->reg, UNC_RW1C);

	return !newly_set(entry, now) && !entry->has_idle && unc_reg_mask(entry->reg, UNC_WO) == 0 &&
	       ((now ^ entry->before) & ~cleared & entry->ours) == 0;
}

/*
 * Would it change bits that cannot be read back, so that it is not seen whether it arrives?  Or clear some, which may stay set where
 * silicon does not do as documented: that is no failure.
 */
static bool is_unseen(const struct unc_journal_entry *entry, uint64_t target)
{
	return (target & unc_reg_mask(entry->reg, UNC_RW1C)) != 0 ||
	       ((entry->wrote ^ target) & unc_reg_mask(entry->reg, UNC_WO) & ~entry->seen) != 0;
}

/*
 * What is written to put it back.  Reserved bits that the map wants written 1 are, unless they show that they were 0 before and
 * keep what is written to them.  Bits that writing 1 clears cannot be set again, and written as they were read they would
 * clear others: 1 goes to those alone that are to be cleared.
 */
static uint64_t target_of(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t ones = unc_reg_blank(entry->reg), target = entry->before;

	if (((now ^ entry->before) & ones) == 0)
		target |= ones;
	if (entry->has_idle)
		target = entry->idle;
	target = (target & entry->ours) | (unc_reg_base(entry->reg, now) & ~entry->ours);
	return (target & ~unc_reg_mask(entry->reg, UNC_RW1C)) | newly_set(entry, now);
}

/* The i-th value that may be there since we wrote it; false: there are no more. */
static bool written(const struct unc_journal_entry *entry, size_t i, uint64_t *ret_value)
{
	const uint64_t last[] = {entry->wrote, entry->wrote_before};

	if (i >= (entry->adopted ? entry->n_values : 2))
		return false;
	*ret_value = entry->adopted ? entry->values[i] : last[i];
	return true;
}

/* Of two dwords that are written one after the other the second may not have arrived: also when it was put back. */
static bool holds_halves(const struct unc_journal_entry *entry, uint64_t now)
{
	bool low_is_known = holds(entry, (uint32_t)now, (uint32_t)entry->before),
	     high_is_known = holds(entry, now >> 32 << 32, entry->before >> 32 << 32);
	uint64_t value;

	if (entry->box->addr.kind != UNC_PCI || entry->reg->bits != 64)
		return false;
	for (size_t i = 0; written(entry, i, &value); i++) {
		low_is_known |= holds(entry, (uint32_t)now, (uint32_t)value);
		high_is_known |= holds(entry, now >> 32 << 32, value >> 32 << 32);
	}
	return low_is_known && high_is_known;
}

/* Where it is not known whether anything was written, what was there before, too, may hide bits that were. */
static bool holds_ours(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t any = entry->adopted ? entry->any : 0, value;

	if (entry->adopted && holds(entry, now & ~any, entry->before & ~any))
		return true;
	for (size_t i = 0; written(entry, i, &value); i++)
		if (holds(entry, now & ~any, value & ~any))
			return true;
	return holds_halves(entry, now);
}

int unc_gate_judge(struct unc_journal_entry *entry, struct unc_gate_verdict *ret_verdict)
{
	struct unc_gate_verdict verdict = {.state = UNC_GATE_CHANGED};
	int rc;

	rc = look(entry, &verdict.now);
	if (rc < 0)
		return rc;
	unc_gate_trust(entry, verdict.now);
	verdict.target = target_of(entry, verdict.now);
	if (is_back(entry, verdict.now))
		verdict.state = UNC_GATE_BACK;
	else if (holds_ours(entry, verdict.now))
		verdict.state = UNC_GATE_OURS;
	else if (holds(entry, verdict.now, verdict.target))
		verdict.state = UNC_GATE_BACK;
	*ret_verdict = verdict;
	return UNC_OK;
}

/* Two tries: then no single failing access can leave the machine changed. */
static int put_target(struct unc_journal_entry *entry, uint64_t target)
{
	int rc = try_target(entry, target);

	if (rc < 0)
		return try_target(entry, target);
	if (is_unseen(entry, target))
		try_target(entry, target);
	return UNC_OK;
}

int unc_gate_put_back(struct unc_journal_entry *entry, struct unc_gate_verdict *verdict)
{
	bool tells = entry->has_idle && entry->idle & entry->doubted;
	int rc = put_target(entry, verdict->target);

	if (rc < 0 || !tells)
		return rc;
	rc = look(entry, &verdict->now);
	if (rc < 0)
		return rc;
	entry->wrote = verdict->target;
	unc_gate_trust(entry, verdict->now);
	if (entry->has_idle)
		return UNC_OK;
	verdict->target = target_of(entry, verdict->now);
	return put_target(entry, verdict->target);
}

uint64_t unc_gate_becomes(const struct unc_journal_entry *entry, const struct unc_gate_verdict *verdict)
{
	uint64_t cleared = unc_reg_mask(entry->reg, UNC_RW1C);

	return (verdict->target & ~cleared) | (verdict->now & ~verdict->target & cleared);
}

/* What is going to be written, and that it is on the disk before. */

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
