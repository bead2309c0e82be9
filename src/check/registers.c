// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does every register hold what the map says it can hold?  The channel is stopped meanwhile, and nothing is enabled except for this
 * check.
 */
#include "check/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map/field.h"

size_t unc_registers_of(const struct unc_check_box *b, struct unc_registers_one ret_ones[UNC_REGISTERS_MAX])
{
	const struct unc_pmon_box *pbox = &b->pbox;
	size_t n = 0;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		ret_ones[n++] = (struct unc_registers_one){pbox->slots[i].ctl, pbox->slots[i].index};
	for (unsigned i = 0; i < pbox->n_slots; i++)
		ret_ones[n++] = (struct unc_registers_one){pbox->slots[i].ctr, pbox->slots[i].index};
	return n;
}

int unc_registers_each(struct unc_check *c, int (*look)(struct unc_check *c, struct unc_check_box *b))
{
	int rc = unc_drive_take(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];

		if (!unc_check_begin_box(c, b, false))
			continue;
		rc = unc_drive_freeze(b);
		if (rc == 0)
			rc = look(c, b);
		rc = unc_check_broke(c, rc);
	}
	return rc;
}

uint64_t unc_registers_writable(const struct unc_reg *reg)
{
	const struct unc_field *ov_en = unc_reg_field(reg, "ov_en");

	return unc_reg_mask(reg, UNC_RW) & ~(ov_en ? unc_field_mask(ov_en) : 0);
}

uint64_t unc_registers_doubtful(const struct unc_reg *reg)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < reg->n_fields; i++)
		if (unc_check_is_doubtful(reg, &reg->fields[i]))
			mask |= unc_field_mask(&reg->fields[i]);
	return mask;
}

static bool is_several(uint64_t mask)
{
	return (mask & (mask - 1)) != 0;
}

/* Does an event of this part with that code count ranks?  Then its umask names one rank, or on later parts a bank of it. */
static bool counts_ranks(const struct unc_unit *unit, uint64_t ev_sel)
{
	for (size_t i = 0; i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		for (size_t k = 0; k < event->n_select; k++)
			if (strcmp(event->select[k].field, "ev_sel") == 0 && event->select[k].value == ev_sel &&
			    strstr(event->name, "rank"))
				return true;
	}
	return false;
}

uint64_t unc_registers_legal(const struct unc_check_box *b, const struct unc_reg *reg, uint64_t value)
{
	const struct unc_field *edge = unc_reg_field(reg, "edge_det"), *invert = unc_reg_field(reg, "invert"),
			       *thresh = unc_reg_field(reg, "thresh"), *umask = unc_reg_field(reg, "umask"),
			       *ev_sel = unc_reg_field(reg, "ev_sel");
	bool edges, inverts;

	value = (value & unc_registers_writable(reg)) | unc_reg_blank(reg);
	edges = edge && unc_field_get(edge, value);
	inverts = invert && unc_field_get(invert, value);
	if (edges && inverts)
		value &= ~unc_field_mask(invert);
	if ((edges || inverts) && thresh && !unc_field_get(thresh, value))
		value |= unc_registers_lowest(unc_field_mask(thresh));
	if (umask && ev_sel && is_several(unc_field_get(umask, value)) &&
	    counts_ranks(b->box->unit, unc_field_get(ev_sel, value)))
		value = (value & ~unc_field_mask(umask)) | unc_registers_lowest(value & unc_field_mask(umask));
	return value;
}

int unc_registers_try(struct unc_check_box *b, const struct unc_registers_one *one, uint64_t value, uint64_t *ret_read)
{
	unsigned times = one->reg == b->pbox.regs.ctl ? 2 : 1;
	int rc = UNC_OK;

	for (unsigned i = 0; i < times && rc == 0; i++)
		rc = unc_drive_write(b, one->reg, one->index, value);
	return rc == 0 ? unc_drive_read(b, one->reg, one->index, ret_read) : rc;
}

uint64_t unc_registers_lowest(uint64_t mask)
{
	return mask & (~mask + 1);
}

unsigned unc_registers_number(uint64_t bit)
{
	unsigned n = 0;

	for (uint64_t below = bit - 1; below; below &= below - 1)
		n++;
	return n;
}

const struct unc_field *unc_registers_field_of(const struct unc_reg *reg, uint64_t bit)
{
	for (size_t i = 0; i < reg->n_fields; i++)
		if (unc_field_mask(&reg->fields[i]) & bit)
			return &reg->fields[i];
	return &reg->fields[0];
}

/* ---- reset values ---- */

struct found { /* a register, before anything was written */
	const struct unc_reg *reg;
	unsigned index;
	uint64_t value;
};

struct used { /* fields that another program has set: "CTL[0].en, CTL[0].umask and 3 more" */
	char text[120];
	unsigned n;
};

static void add_used(struct used *used, const struct found *found, const struct unc_field *field)
{
	size_t len = strlen(used->text);
	char name[UNC_GATE_TEXT];

	if (used->n++ < 3)
		snprintf(used->text + len, sizeof(used->text) - len, "%s%s.%s", len ? ", " : "",
			 unc_gate_reg_text(found->reg, found->index, name), field->name);
}

/* A field that cannot be written must be at its reset value. */
static void judge_field(struct unc_check *c, const struct unc_check_box *b, const struct found *found,
			const struct unc_field *field)
{
	uint64_t number = unc_field_get(field, found->value), mask = unc_field_mask(field), reset = 0;
	char name[UNC_GATE_TEXT], what[UNC_GATE_TEXT + 80];
	struct unc_check_seen seen = {.what = what,
				      .box = b->box,
				      .reg = found->reg,
				      .index = found->index,
				      .has_expected = true,
				      .read = found->value,
				      .compared = mask};

	(void)unc_field_set(c->m->ctx, field, field->reset, &reset); /* it fits, as the map was checked */
	seen.expected = (found->value & ~mask) | reset;
	snprintf(what, sizeof(what), "%.60s as found", field->name);
	if (!unc_check_is_doubtful(found->reg, field)) {
		unc_check_expect(c, &seen);
	} else if (number != field->reset) {
		snprintf(what, sizeof(what), "%.20s.%.40s", unc_gate_reg_text(found->reg, found->index, name),
			 field->name);
		unc_check_tested(c, what, "read 0x%" PRIx64 " before anything was written, not 0x%" PRIx64, number,
				 field->reset);
	}
}

static unsigned judge_found(struct unc_check *c, const struct unc_check_box *b, const struct found *found,
			    struct used *used)
{
	unsigned n = 0;

	for (size_t i = 0; i < found->reg->n_fields; i++) {
		const struct unc_field *field = &found->reg->fields[i];
		bool fixed = field->acc == UNC_RO || field->acc == UNC_RSVD;

		if (!field->reset_known || field->acc == UNC_WO)
			continue;
		if (fixed)
			judge_field(c, b, found, field);
		else if (unc_field_get(field, found->value) != field->reset)
			add_used(used, found, field);
		n++;
	}
	return n;
}

static int look_at_reset(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	struct found found = {.reg = b->pbox.regs.box_ctl, .value = b->pbox.found};
	struct used used = {0};
	unsigned n = judge_found(c, b, &found, &used);
	char more[24] = "";
	int rc = UNC_OK;

	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		found = (struct found){slot->ctl, slot->index, slot->found};
		n += judge_found(c, b, &found, &used);
		found = (struct found){slot->ctr, slot->index, b->counters[i]};
		n += judge_found(c, b, &found, &used);
	}
	if (status) {
		found = (struct found){.reg = status};
		rc = unc_drive_read(b, status, 0, &found.value);
		if (rc == 0)
			n += judge_found(c, b, &found, &used);
	}
	if (used.n > 3)
		snprintf(more, sizeof(more), " and %u more", used.n - 3);
	unc_check_pass(c, "%u fields have a known reset value: those that nobody can write hold it%s%s%s%s", n,
		       used.n ? ", others are in use: " : ", and so do all others", used.text, more,
		       used.n ? " (no failure)" : "");
	return rc;
}

static int run_reset(struct unc_check *c)
{
	return unc_registers_each(c, look_at_reset);
}

/* clang-format off */
static const struct unc_check_def defs[] = {
	{
		.about = {.name = "registers.reset",
			  .proves = "what nobody can write is found at its reset value",
			  .src = "327043-001 section 2.5, tables 2-60 and 2-61",
			  .ms = {1, 1, 1}, .writes = true},
		.run = run_reset,
	},
	{
		.about = {.name = "registers.bits",
			  .proves = "each bit of controls and counters can be set and cleared by itself",
			  .src = "327043-001 section 2.5, tables 2-60 and 2-61",
			  .ms = {13, 13, 13}, .writes = true},
		.run = unc_registers_bits,
	},
	{
		.about = {.name = "registers.readonly",
			  .proves = "read-only and reserved bits stay as documented whatever is written beside them",
			  .src = "327043-001 section 2.5, tables 2-60 and 2-61",
			  .ms = {1, 1, 1}, .writes = true},
		.run = unc_registers_readonly,
	},
	{
		.about = {.name = "registers.alias",
			  .proves = "all registers hold values of their own at the same time, and no other dword changes",
			  .src = "327043-001 section 2.5",
			  .ms = {3, 3, 3}, .writes = true},
		.run = unc_registers_alias,
	},
	{
		.about = {.name = "registers.channels",
			  .proves = "a write to one channel changes no register of another",
			  .src = "327043-001 section 2.5",
			  .ms = {2, 2, 2}, .writes = true},
		.run = unc_registers_channels,
	},
	{
		.about = {.name = "registers.halves",
			  .proves = "a write of the low dword of a counter leaves the high one as it is",
			  .src = "327043-001 page 62",
			  .ms = {1, 1, 1}, .writes = true},
		.run = unc_registers_halves,
	},
	{
		.about = {.name = "registers.width",
			  .proves = "counters are as wide as documented, and read 0 above",
			  .src = "327043-001 page 62",
			  .ms = {5, 5, 5}, .writes = true},
		.run = unc_registers_width,
	},
	{
		.about = {.name = "registers.writes",
			  .proves = "no write is lost",
			  .src = "327043-001 section 2.1.1",
			  .ms = {4, 7, 169}, .writes = true},
		.run = unc_registers_writes,
	},
};
/* clang-format on */

const struct unc_check_theme unc_check_registers = {defs, sizeof(defs) / sizeof(defs[0])};
