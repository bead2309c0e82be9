// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate: checks a write, puts the former and the new value into the journal, then writes. */
#include "machine/gate.h"

#include "access/write.h"
#include "map/field.h"

enum { PCI_HEADER_BYTES = 0x40 }; /* PCI Local Bus Specification 3.0, section 6.1: predefined header */

/*
 * Registers of host bridges that move or select what others are reached through.  AMD: pairs of index and data of the SMN (Linux
 * arch/x86/kernel/amd_nb.c, drivers/platform/x86/amd/hsmp.c; ryzen_smu), for any device of this class: new roots have ids that no
 * list has yet, and what other host bridges have at these offsets (the data fabric's functions, dummies of empty ports) is not
 * for programs either.  Hygon's are as AMD's.  Intel: PCIEXBAR, of the bridge at 00:00.0 whatever its class (QEMU has it too).
 */
static int root_allows(const struct unc_box *box, uint32_t off, uint32_t end)
{
	enum { INTEL = 0x8086, AMD = 0x1022, HYGON = 0x1d94 };
	static const struct {
		uint32_t first, end;
	} smn[] = {{0x60, 0x68}, {0xb4, 0xc0}, {0xc4, 0xcc}}, pciexbar = {0x60, 0x68};
	uint16_t vendor = box->instance->vendor;
	bool amd = (vendor == AMD || vendor == HYGON) && box->host_bridge;
	bool first = !box->addr.pci.bus && !box->addr.pci.dev && !box->addr.pci.fn;

	for (size_t i = 0; amd && i < sizeof(smn) / sizeof(smn[0]); i++)
		if (off < smn[i].end && end > smn[i].first)
			return unc_fail(
				box->machine->ctx, UNC_EDENIED,
				"0x60-0x67, 0xb4-0xbf and 0xc4-0xcb of an AMD host bridge are index and data of "
				"the SMN, which the kernel uses at any time: a write there can hang the machine; "
				"leave it to drivers (amd64_edac, k10temp, amd_hsmp)");
	if (vendor == INTEL && first && off < pciexbar.end && end > pciexbar.first)
		return unc_fail(
			box->machine->ctx, UNC_EDENIED,
			"0x60-0x67 of 00:00.0 are PCIEXBAR, where configuration space is in memory: a write there "
			"moves it away from the kernel; leave it to the firmware");
	return UNC_OK;
}

/* Checks what the map allows. */
static int map_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	struct unc_ctx *ctx = box->machine->ctx;
	const struct unc_unit *unit = box->unit;
	int rc = UNC_OK;

	if (box->presence != UNC_PRESENT)
		return unc_fail(ctx, box->rc, "%s", box->why);
	if (reg < unit->regs || reg >= unit->regs + unit->n_regs || index >= reg->count)
		return unc_fail(ctx, UNC_EDENIED, "not a register of %s", unit->path);
	if (box->raw && reg->never)
		return unc_fail(ctx, UNC_EDENIED, "%s", box->why);
	if (unit->kind == UNC_MSR && reg->bits != 64)
		return unc_fail(ctx, UNC_EDENIED, "only 64-bit MSRs are written");
	if (unit->kind == UNC_MMIO && box->raw)
		return unc_fail(ctx, UNC_EDENIED, "memory is written only in registers that a map names");
	if (unit->kind == UNC_PCI && unc_reg_off(reg, index) < PCI_HEADER_BYTES)
		return unc_fail(ctx, UNC_EDENIED, "the configuration header (0x00-0x3f) is never written");
	if (unit->kind == UNC_PCI && box->bridge && box->raw)
		return unc_fail(ctx, UNC_EDENIED,
				"this is a PCI bridge: its registers are never written by their offset");
	if (unit->kind == UNC_PCI && box->bridge && unit->loaded)
		return unc_fail(ctx, UNC_EDENIED, "%s is a PCI bridge, and %s was not built in", box->pci, unit->path);
	if (unit->kind == UNC_PCI)
		rc = root_allows(box, unc_reg_off(reg, index), unc_reg_off(reg, index) + reg->bits / 8);
	return rc < 0 ? rc : unc_reg_allows(ctx, reg, value);
}

int unc_gate_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	return unc_gate_wrap(box, reg, index, map_allows(box, reg, index, value));
}

/* Checks that the machine was opened for writing and the map allows the value.  Reaches the box. */
static int may_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	int rc;

	if (!box->machine->writable)
		return unc_fail(box->machine->ctx, UNC_EDENIED,
				"the machine was opened read-only; open it with cfg.writable");
	rc = unc_box_reach(box);
	return rc < 0 ? rc : map_allows(box, reg, index, value);
}

/* ---- reading registers ---- */

const char *unc_gate_reg_text(const struct unc_reg *reg, unsigned index, char buf[UNC_GATE_TEXT])
{
	snprintf(buf, UNC_GATE_TEXT, reg->count > 1 ? "%.40s[%u]" : "%.40s", reg->name, index);
	return buf;
}

int unc_gate_wrap(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc)
{
	const struct unc_ctx *ctx = box->machine->ctx;
	char name[UNC_GATE_TEXT];

	if (rc >= 0 || strncmp(ctx->msg, box->name, strlen(box->name)) == 0)
		return rc;
	return unc_wrap(box->machine->ctx, rc, "%s: %s", box->name, unc_gate_reg_text(reg, index, name));
}

/*
 * Registers that are reached through two others: writing NAME_CFG selects the element whose number it has, and sets it if its field
 * apply is 1; NAME_DSC shows the element that is selected.  The caller has planned NAME_CFG, as one that takes any value.
 */

static const struct unc_reg *part_of(const struct unc_box *box, const struct unc_reg *reg, const char *part)
{
	char name[UNC_GATE_TEXT];

	snprintf(name, sizeof(name), "%.50s_%s", reg->through, part);
	return unc_unit_reg(box->unit, name);
}

static void report_write(const struct unc_journal_entry *entry, uint64_t value);

static int write_through(struct unc_box *box, const struct unc_reg *reg, unsigned index, bool apply, uint64_t value)
{
	const struct unc_reg *cfg = part_of(box, reg, "CFG");
	struct unc_machine *m = box->machine;
	struct unc_journal_entry *entry = unc_journal_find(&m->journal, box, cfg, 0), *element;
	const struct unc_journal_entry made = {.box = box, .reg = cfg};
	uint64_t sets = value;
	int rc;

	/* `recover` has both in the journal of the process that ended. */
	if (!m->writable || (!entry && !m->recovers))
		return unc_fail(m->ctx, UNC_EIO, "it is reached only by writing %s, which this command does not do",
				cfg->name);
	rc = unc_field_set(m->ctx, unc_reg_field(cfg, "number"), index, &value);
	if (rc == 0)
		rc = unc_field_set(m->ctx, unc_reg_field(cfg, "apply"), apply, &value);
	if (rc < 0)
		return rc;
	if (m->dry_run) { /* nothing is selected: read_through() has what would be there */
		element = apply ? unc_journal_find(&m->journal, box, reg, index) : NULL;
		if (element)
			element->wrote = sets;
		if (apply)
			report_write(&made, value);
		return UNC_OK;
	}
	if (entry) {
		entry->written = true;
		entry->wrote_before = entry->wrote;
		entry->wrote = value;
	}
	return unc_write64(box->space, unc_reg_off(cfg, 0), value);
}

static int read_through(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	const struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	int rc = write_through(box, reg, index, false, 0);

	*ret_value = entry ? entry->wrote : 0;
	return rc < 0 || box->machine->dry_run
		       ? rc
		       : unc_read64(box->space, unc_reg_off(part_of(box, reg, "DSC"), 0), ret_value);
}

int unc_gate_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	unsigned char bytes[8] = {0};
	int rc = unc_box_reach(box);

	if (rc < 0)
		return rc;
	if (reg->through)
		return read_through(box, reg, index, ret_value);
	rc = unc_read_block(box->space, unc_reg_off(reg, index), bytes, reg->bits / 8);
	if (rc == 0)
		*ret_value = unc_le64(bytes);
	return rc;
}

bool unc_gate_is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value)
{
	return box->addr.kind != UNC_MSR && value == unc_reg_all(reg);
}

int unc_gate_gone(const struct unc_box *box)
{
	return unc_fail(box->machine->ctx, UNC_ENODEV, "%s %s: reads as all ones: %s", box->space->bus->ops->name,
			box->pci, box->addr.kind == UNC_PCI ? "the function is gone" : "nothing answers there");
}

int unc_reg_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return unc_gate_wrap(box, reg, index, unc_gate_get(box, reg, index, ret_value));
}

/* All ones count only if they are read twice from a function that has ids, or a window whose first register is another. */
static int get_surely(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	uint64_t value = 0;
	uint32_t ids;
	int rc = unc_gate_get(box, reg, index, &value);

	if (rc == 0 && unc_gate_is_ones(box, reg, value)) {
		rc = unc_read32(box->space, 0, &ids);
		if (rc == 0 && ids == UINT32_MAX)
			rc = unc_gate_gone(box);
		if (rc == 0)
			rc = unc_gate_get(box, reg, index, &value);
	}
	if (rc == 0)
		*ret_value = value;
	return rc;
}

int unc_reg_look(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return unc_gate_wrap(box, reg, index, get_surely(box, reg, index, ret_value));
}

/* ---- planning: what will be written is on disk first ---- */

/* Of a register that was written this many values are kept; then only the last two, since no other may still be there. */
enum { VALUES_MAX = 16 };

/*
 * Reads the value before the first write.  A control is never all ones; for a register that no map names that is not
 * known.
 */
static int get_before(struct unc_box *box, const struct unc_gate_intent *intent, uint64_t *ret_before)
{
	int rc;

	if (intent->was && (box->raw || !unc_gate_is_ones(box, intent->reg, *intent->was))) {
		*ret_before = *intent->was;
		return UNC_OK;
	}
	if (box->raw)
		return get_surely(box, intent->reg, intent->index, ret_before);
	rc = unc_gate_get(box, intent->reg, intent->index, ret_before);
	return rc == 0 && unc_gate_is_ones(box, intent->reg, *ret_before) ? unc_gate_gone(box) : rc;
}

const char *unc_gate_left(const struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	return unc_journal_disk_left(box->machine->disk, &box->addr, unc_reg_off(reg, index));
}

/*
 * An entry that could not be put back has no owner any more, except that the next owner takes over a selector (any).
 * UNC_EBUSY.
 */
static int regain(struct unc_journal_entry *entry, uint64_t any, const void *owner)
{
	char name[UNC_GATE_TEXT];

	if (!entry->lost)
		return UNC_OK;
	if (!any)
		return unc_fail(entry->box->machine->ctx, UNC_EBUSY,
				"%s: %s: it could not be put back before, and stays as it is until this program has "
				"ended and `uncorectl recover` puts it back",
				entry->box->name, unc_gate_reg_text(entry->reg, entry->index, name));
	entry->lost = false;
	entry->owner = owner;
	return UNC_OK;
}

static int add(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t before, const void *owner,
	       struct unc_journal_entry **ret_entry)
{
	struct unc_journal_entry *entry = unc_journal_add(&box->machine->journal, box);
	char name[UNC_GATE_TEXT];

	if (!entry)
		return unc_fail(box->machine->ctx, UNC_ENOMEM, "out of memory");
	entry->owner = owner;
	entry->reg = reg;
	entry->index = index;
	entry->line = (struct unc_journal_line){
		.addr = box->addr, .off = unc_reg_off(reg, index), .bits = reg->bits, .before = before};
	snprintf(entry->line.box, sizeof(entry->line.box), "%s", box->name);
	snprintf(entry->line.reg, sizeof(entry->line.reg), "%.47s", unc_gate_reg_text(reg, index, name));
	entry->wrote = before;
	entry->wrote_before = before;
	entry->seen = unc_reg_readback_mask(reg);
	*ret_entry = entry;
	return UNC_OK;
}

static bool is_foreseen(const struct unc_journal_entry *entry, uint64_t value, uint64_t ours)
{
	uint64_t told = entry->line.ours & ~entry->line.any;

	if (ours & ~entry->line.ours)
		return false;
	for (size_t i = entry->line.n_values; i-- > 0;)
		if (((entry->line.values[i] ^ value) & told) == 0)
			return true;
	return false;
}

/* Adds what an intent says to an entry, which may be an existing one.  What is new is not on disk yet. */
static int intend(struct unc_journal_entry *entry, const struct unc_gate_intent *intent)
{
	uint64_t ours = intent->ours ? intent->ours : UINT64_MAX;
	bool more = intent->any & ~entry->line.any, forgets = entry->written && entry->line.n_values >= VALUES_MAX;
	struct unc_ctx *ctx = entry->box->machine->ctx;
	int rc = UNC_OK;

	entry->line.any |= intent->any;
	if (intent->doubted) {
		more |= !entry->line.has_idle || intent->doubted & ~entry->line.doubted ||
			entry->line.idle != intent->idle;
		entry->line.doubted |= intent->doubted;
		entry->line.idle = intent->idle;
		entry->line.has_idle = true;
	}
	for (size_t i = 0; i < intent->n_values && rc == 0; i++) {
		if (is_foreseen(entry, intent->values[i], ours))
			continue;
		if (forgets) {
			uint64_t *values = (void *)entry->line.values;

			values[0] = entry->wrote_before;
			values[1] = entry->wrote;
			entry->line.n_values = 2;
			forgets = false;
		}
		entry->line.ours |= ours;
		more = true;
		rc = unc_list_add(ctx, &entry->line.values, &entry->line.n_values, &intent->values[i],
				  sizeof(intent->values[i]));
	}
	if (rc < 0 || !more)
		return rc;
	entry->pending = true;
	return unc_journal_disk_add(entry->box->machine->disk, &entry->line); /* replaces its earlier lines */
}

/* Checks the values, claims the box, and makes or finds the entry.  Fails as unc_gate_plan(). */
static int plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner,
		struct unc_journal_entry **ret_entry)
{
	struct unc_machine *m = box->machine;
	struct unc_journal_entry *entry = unc_journal_find(&m->journal, box, intent->reg, intent->index);
	char name[UNC_GATE_TEXT];
	const char *who = NULL;
	uint64_t before = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < intent->n_values && rc == 0; i++)
		rc = may_write(box, intent->reg, intent->index, intent->values[i]);
	if (rc == 0)
		rc = unc_claim_box(box, owner);
	if (rc == 0 && entry) {
		rc = regain(entry, intent->any, owner);
	} else if (rc == 0) {
		rc = unc_journal_disk_look(m->disk);
		if (rc == 0)
			who = unc_gate_left(box, intent->reg, intent->index);
		/* A selector is rewritten for every value, so a value that is left there disturbs no other program. */
		if (who && !intent->any)
			rc = unc_fail(
				m->ctx, UNC_EBUSY,
				"%s: %s: it was left changed by %s; `uncorectl recover` puts it back, until then it is "
				"left alone",
				box->name, unc_gate_reg_text(intent->reg, intent->index, name), who);
		if (rc == 0)
			rc = get_before(box, intent, &before);
		if (rc == 0)
			rc = add(box, intent->reg, intent->index, before, owner, &entry);
	}
	if (rc < 0 || !entry)
		return rc;
	*ret_entry = entry;
	return intend(entry, intent);
}

int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner)
{
	struct unc_journal_entry *entry;

	return unc_gate_wrap(box, intent->reg, intent->index, plan(box, intent, owner, &entry));
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

int unc_gate_adopt(struct unc_box *box, const struct unc_reg *reg, unsigned index, const struct unc_journal_line *line,
		   const void *owner, struct unc_journal_entry **ret_entry)
{
	struct unc_journal_entry *entry = NULL;
	int rc = line->n_values ? UNC_OK : unc_fail(box->machine->ctx, UNC_EARG, "nothing was to be written there");

	for (size_t i = 0; i < line->n_values && rc == 0; i++)
		rc = may_write(box, reg, index, line->values[i]);
	if (rc == 0)
		rc = unc_claim_box(box, owner);
	if (rc == 0)
		rc = add(box, reg, index, line->before, owner, &entry);
	if (rc < 0 || !entry)
		return unc_gate_wrap(box, reg, index, rc);
	entry->written = entry->adopted = true;
	entry->wrote = line->values[line->n_values - 1];
	entry->line = *line;
	entry->line.values = NULL;
	entry->line.n_values = 0;
	for (size_t i = 0; i < line->n_values && rc == 0; i++)
		rc = unc_list_add(box->machine->ctx, &entry->line.values, &entry->line.n_values, &line->values[i],
				  sizeof(line->values[i]));
	if (rc < 0)
		unc_gate_keep(box, reg, index);
	else
		*ret_entry = entry;
	return unc_gate_wrap(box, reg, index, rc);
}

/* ---- what a read after the write shows ---- */

bool unc_gate_counts(const struct unc_reg *reg)
{
	return unc_reg_field(reg, "event_count") != NULL;
}

int unc_gate_see(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	uint64_t now = 0, untaken = 0;
	int rc = unc_reg_look(box, reg, index, &now);

	if (rc == 0 && entry && entry->written && !unc_gate_counts(reg))
		untaken = (now ^ entry->wrote) & entry->seen;
	if (untaken) {
		entry->seen &= ~untaken;
		/* The hardware made this value from what was written: it is ours, too. */
		rc = intend(entry, &(struct unc_gate_intent){.values = &now, .n_values = 1, .ours = entry->line.ours});
		if (rc == 0 && entry->pending)
			rc = unc_gate_ready(box->machine);
	}
	if (rc == 0)
		*ret_now = now;
	return rc;
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

/* ---- the write: this is the only file that gives one to a bus ---- */

/* Writes "write socket0.imc0.ch2 (0000:7f:10.4) CTL[3] at 0xe4: 0x00400304 (en=1 umask=0x3 ev_sel=0x4)". */
static void report_write(const struct unc_journal_entry *entry, uint64_t value)
{
	const struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	char fields[200], line[400], name[UNC_GATE_TEXT], addr[UNC_ADDR_TEXT];
	uint32_t off = unc_reg_off(reg, entry->index);
	int digits = (int)reg->bits / 4;

	if (box->raw)
		snprintf(line, sizeof(line), "write %s at 0x%" PRIx32 ": 0x%0*" PRIx64, box->name, off, digits, value);
	else
		snprintf(line, sizeof(line), "write %s (%s) %s at 0x%" PRIx32 ": 0x%0*" PRIx64 " (%s)", box->name,
			 unc_addr_text(&box->addr, addr), unc_gate_reg_text(reg, entry->index, name), off, digits,
			 value, unc_reg_text(reg, value, fields, sizeof(fields)));
	box->machine->dry_run(box->machine->dry_run_arg, line);
}

/*
 * One access, but a 64-bit register of configuration space is two dwords, the low one first.  In a dry run the bus keeps what
 * would read back: bits that the map calls write-only stay as they were.
 */
int unc_gate_hand_over(const struct unc_journal_entry *entry, uint64_t value, bool only_low, bool *ret_begun)
{
	struct unc_space *space = entry->box->space;
	uint32_t off = unc_reg_off(entry->reg, entry->index);
	uint64_t kept = unc_reg_readback_mask(entry->reg);
	unsigned char bytes[8];
	int rc;

	*ret_begun = false;
	if (entry->reg->through)
		return write_through(entry->box, entry->reg, entry->index, true, value);
	if (entry->box->machine->dry_run) {
		report_write(entry, value);
		value = (value & kept) | (entry->line.before & ~kept);
	}
	if (entry->box->addr.kind != UNC_PCI && entry->reg->bits == 64)
		return unc_write64(space, off, value);
	unc_put_le64(bytes, value);
	rc = unc_write32(space, off, unc_le32(bytes));
	if (rc < 0 || entry->reg->bits == 32 || only_low)
		return rc;
	*ret_begun = true;
	return unc_write32(space, off + 4, unc_le32(bytes + 4));
}

/* Writes the only value of an intent, whose line is on disk then. */
static int write_value(struct unc_box *box, struct unc_gate_intent intent, const void *owner, bool only_low)
{
	struct unc_machine *m = box->machine;
	struct unc_journal_entry *entry = unc_journal_find(&m->journal, box, intent.reg, intent.index);
	uint64_t value = intent.values[0];
	bool first = !entry, begun = false;
	int rc;

	intent.any = entry ? entry->line.any : 0;
	rc = plan(box, &intent, owner, &entry);
	if (rc == 0 && entry->pending)
		rc = unc_gate_ready(m);
	if (rc == 0) {
		rc = unc_gate_hand_over(entry, value, only_low, &begun);
		/*
		 * A write that fails may have arrived all the same, so it counts as written.  One that the operating system refuses
		 * has not reached the register: there is nothing to put back.
		 */
		if (rc != UNC_EPERM || begun) {
			entry->owner = entry->written ? entry->owner : owner;
			entry->written = true;
			if (value != entry->wrote) /* else the value before it may still be there */
				entry->wrote_before = entry->wrote;
			entry->wrote = value;
		}
	}
	if (rc < 0 && first && entry && !entry->written)
		unc_gate_keep(box, intent.reg, intent.index);
	return unc_gate_wrap(box, intent.reg, intent.index, rc);
}

int unc_gate_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value, const void *owner)
{
	const struct unc_gate_intent intent = {.reg = reg, .index = index, .values = &value, .n_values = 1};

	return write_value(box, intent, owner, false);
}

int unc_gate_write_low(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value,
		       const void *owner)
{
	const struct unc_gate_intent intent = {.reg = reg, .index = index, .values = &value, .n_values = 1};

	return write_value(box, intent, owner, true);
}

int unc_gate_set_field(struct unc_box *box, const struct unc_reg *reg, const struct unc_field *field, uint64_t was,
		       uint64_t number, const void *owner)
{
	uint64_t value = unc_reg_base(reg, was);
	const struct unc_gate_intent intent = {
		.reg = reg, .values = &value, .n_values = 1, .ours = unc_field_mask(field), .was = &was};
	int rc = unc_field_set(box->machine->ctx, field, number, &value);

	return rc < 0 ? unc_gate_wrap(box, reg, 0, rc) : write_value(box, intent, owner, false);
}
