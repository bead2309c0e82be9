// SPDX-License-Identifier: GPL-2.0-or-later
/* What checks of registers share; and does every register hold what the map says it can hold? */
#include "check/registers.h"

#include "map/shape.h"

/* ==== what checks of registers share, and registers.reset ==== */

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

int unc_registers_check(struct unc_check *c)
{
	int rc = unc_drive_take(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];

		if (!unc_check_begin_box(c, b, false))
			continue;
		unc_drive_freeze(b);
		if (!b->failed)
			c->now->channel(c, b);
		rc = unc_check_broke(c, unc_drive_end(b));
	}
	return rc;
}

uint64_t unc_registers_bits(const struct unc_reg *reg, const char *name)
{
	const struct unc_field *field = unc_reg_field(reg, name);

	return field ? unc_field_mask(field) : 0;
}

uint64_t unc_registers_writable(const struct unc_reg *reg)
{
	return unc_reg_mask(reg, UNC_RW) & ~unc_registers_bits(reg, "ov_en") & ~unc_registers_bits(reg, "overflow");
}

/* Those of these bits that no document doubts. */
static uint64_t without_doubt(const struct unc_reg *reg, uint64_t mask)
{
	for (size_t i = 0; i < reg->n_fields; i++)
		if (unc_check_is_doubtful(reg, &reg->fields[i]))
			mask &= ~unc_field_mask(&reg->fields[i]);
	return mask;
}

uint64_t unc_registers_judged(const struct unc_reg *reg)
{
	return without_doubt(reg, unc_registers_writable(reg));
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
	uint64_t edge = unc_registers_bits(reg, "edge_det"), invert = unc_registers_bits(reg, "invert"),
		 thresh = unc_registers_bits(reg, "thresh"), umask = unc_registers_bits(reg, "umask");
	const struct unc_field *ev_sel = unc_reg_field(reg, "ev_sel");

	value = (value & unc_registers_writable(reg)) | unc_reg_blank(reg);
	if (value & edge)
		value &= ~invert;
	if (value & (edge | invert) && !(value & thresh))
		value |= unc_registers_lowest(thresh);
	if (ev_sel && counts_ranks(b->box->unit, unc_field_get(ev_sel, value)))
		value = (value & ~umask) | unc_registers_lowest(value & umask);
	return value;
}

uint64_t unc_registers_try(struct unc_check_box *b, const struct unc_registers_one *one, uint64_t value)
{
	unsigned times = one->reg == b->pbox.regs.ctl ? 2 : 1;

	for (unsigned i = 0; i < times; i++)
		unc_drive_write(b, one->reg, one->index, value);
	return unc_drive_read(b, one->reg, one->index);
}

struct unc_check_seen unc_registers_seen(const struct unc_check_box *b, const struct unc_registers_one *one,
					 const char *what, uint64_t wrote, uint64_t read)
{
	return unc_seen_wrote(unc_seen(b->box, one->reg, one->index, what, read), wrote);
}

const char *unc_registers_field_text(const struct unc_registers_one *one, const struct unc_field *field,
				     char buf[UNC_REGISTERS_TEXT])
{
	char name[UNC_GATE_TEXT];

	snprintf(buf, UNC_REGISTERS_TEXT, "%.40s.%.60s", unc_gate_reg_text(one->reg, one->index, name), field->name);
	return buf;
}

uint64_t unc_registers_lowest(uint64_t mask)
{
	return mask & (~mask + 1);
}

/* The number of the lowest bit that is set. */
static unsigned number_of(uint64_t mask)
{
	return unc_bits_set(unc_registers_lowest(mask) - 1);
}

/* ---- reset values ---- */

struct used { /* fields that another program has set: "CTL[0].en, CTL[0].umask and 3 more" */
	char text[120];
	unsigned n;
};

/*
 * value: what the register held before anything was written.  Fields that cannot be written must be at their reset value.  Returns
 * how many fields have a known one.
 */
static unsigned check_found(struct unc_check *c, const struct unc_check_box *b, const struct unc_reg *reg,
			    unsigned index, uint64_t value, struct used *used)
{
	const struct unc_registers_one one = {reg, index};
	unsigned n = 0;

	for (size_t i = 0; i < reg->n_fields; i++) {
		const struct unc_field *field = &reg->fields[i];
		bool fixed = field->acc == UNC_RO || field->acc == UNC_RSVD;
		uint64_t number = unc_field_get(field, value), expected = value;
		char name[UNC_REGISTERS_TEXT], what[80];

		if (!field->reset_known || field->acc == UNC_WO)
			continue;
		n++;
		unc_registers_field_text(&one, field, name);
		(void)unc_field_set(c->m->ctx, field, field->reset, &expected); /* it fits, as the map was checked */
		snprintf(what, sizeof(what), "%.60s as found", field->name);
		if (fixed && !unc_check_is_doubtful(reg, field))
			unc_check_expect(c, unc_seen(b->box, reg, index, what, value), expected, unc_field_mask(field));
		else if (fixed && number != field->reset)
			unc_check_tested(c, name, "read 0x%" PRIx64 " before anything was written, not 0x%" PRIx64,
					 number, field->reset);
		else if (!fixed && number != field->reset && used->n++ < 3)
			unc_text_join(used->text, sizeof(used->text), ", ", "%s", name);
	}
	return n;
}

static void check_reset(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	struct used used = {0};
	unsigned n = b->pbox.regs.box_ctl ? check_found(c, b, b->pbox.regs.box_ctl, 0, b->pbox.found, &used) : 0;
	char more[24] = "";
	uint64_t now;

	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		n += check_found(c, b, slot->ctl, slot->index, slot->found, &used);
		n += check_found(c, b, slot->ctr, slot->index, b->counters[i], &used);
	}
	now = status ? unc_drive_read(b, status, 0) : 0;
	if (status && !b->failed)
		n += check_found(c, b, status, 0, now, &used);
	if (used.n > 3)
		snprintf(more, sizeof(more), " and %u more", used.n - 3);
	if (!n)
		unc_check_skip(c, "the register map has no reset value");
	else
		unc_check_pass(c, "%u fields have a known reset value: those that cannot be written hold it%s%s%s%s", n,
			       used.n ? ", others are in use: " : ", and so do all others", used.text, more,
			       used.n ? " (no failure)" : "");
}

/* ==== BOX_CTL and BOX_STATUS ==== */

/*
 * Tests BOX_CTL and BOX_STATUS.  Write-only bits may read back anything, but where documents disagree the check reports which of
 * them silicon agrees with.  In the status only bits that are 0 are written, since a bit that is cleared cannot be set again.
 */

/* ---- BOX_CTL ---- */

/* Reports which documents agree with silicon: ": as ds_snb (wo); not as g_jkt (rw)". */
static void report_read_back(struct unc_check *c, const struct unc_field *field, bool holds_1, bool holds_0)
{
	enum unc_acc acc = holds_1 && holds_0 ? UNC_RW : UNC_WO;
	char who[160] = "", name[80];

	if (!field->verify && !field->n_said)
		return;
	for (unsigned right = 2; right-- > 0;)
		for (size_t i = 0; i < field->n_said; i++)
			if ((field->said[i].acc == acc) == (right == 1))
				unc_text_join(who, sizeof(who), ";", " %s%s (%s)", right ? "as " : "not as ",
					      field->said[i].tag, unc_words_access[field->said[i].acc]);
	snprintf(name, sizeof(name), "BOX_CTL.%.60s", field->name);
	unc_check_tested(c, name, "%s%s%s",
			 acc == UNC_RW ? "reads back what is written"
			 : holds_0     ? "reads 0 whatever is written"
				       : "reads 1 whatever is written",
			 *who ? ":" : "", who);
}

static uint64_t write_and_see(struct unc_check *c, struct unc_check_box *b, const char *const *fields)
{
	uint64_t read;

	unc_drive_box_ctl(b, fields);
	read = unc_drive_read(b, b->pbox.regs.box_ctl, 0);
	if (!b->failed)
		unc_check_see(c, unc_seen(b->box, b->pbox.regs.box_ctl, 0, fields[0] ? fields[0] : "released", read));
	return read;
}

/* ---- BOX_STATUS ---- */

static void check_box_status(struct unc_check *c, struct unc_check_box *b, const struct unc_reg *status)
{
	const struct unc_registers_one one = {status, 0};
	uint64_t before = unc_drive_read(b, status, 0), tried = unc_reg_mask(status, UNC_RW1C) & ~before;
	uint64_t wrote = unc_reg_blank(status) | tried, after = unc_registers_try(b, &one, wrote);

	if (b->failed)
		return;
	unc_check_expect(c, unc_registers_seen(b, &one, "writing 1 sets nothing", wrote, after), before,
			 without_doubt(status, tried));
	if (status->verify && (after & tried))
		unc_check_tested(c, "BOX_STATUS", "bits that were 0 read 0x%" PRIx64 " after 1 was written to them",
				 after & tried);
	else if (status->verify)
		unc_check_tested(c, "BOX_STATUS", "writing 1 to bits 0x%" PRIx64 ", which were 0, sets none of them",
				 tried);
}

/* Both BOX_CTL and BOX_STATUS; the channel stays stopped. */
static void check_box_ctl(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	const struct unc_field *frz = b->pbox.regs.frz, *frz_en = b->pbox.regs.frz_en;
	const char *const set[] = {"frz", frz_en ? "frz_en" : NULL, NULL}, *const none[] = {NULL};
	uint64_t frozen = write_and_see(c, b, set), released = write_and_see(c, b, none);

	if (b->failed)
		return;
	report_read_back(c, frz, unc_field_get(frz, frozen), !unc_field_get(frz, released));
	if (frz_en)
		report_read_back(c, frz_en, unc_field_get(frz_en, frozen), !unc_field_get(frz_en, released));
	unc_drive_freeze(b);
	if (status && unc_reg_writable(status))
		check_box_status(c, b, status);
}

/* ==== registers.bits ==== */

/*
 * Writes walking one, walking zero, all ones and all zeros to every bit that can be written and read back.  A control is never
 * enabled while its channel runs, and never has a value that the guide forbids: see unc_registers_legal().
 */

struct walk { /* the test of one register */
	struct unc_check *c;
	struct unc_check_box *b;
	struct unc_registers_one one;
	uint64_t bits, judged;            /* bits that are tried, and those of them that are not in doubt */
	uint64_t tried_1, tried_0;        /* bits that were written 1, and 0 */
	uint64_t held_1, held_0;          /* bits that read back 1, and 0, at least once */
	uint64_t doubted_wrong;           /* bits in doubt that read back wrong */
	uint64_t first_wrote, first_read; /* the first value that read back wrong */
	unsigned n, n_wrong;
};

static void try(struct walk *w, const char *what, uint64_t value)
{
	uint64_t wrote = unc_registers_legal(w->b, w->one.reg, value), read = unc_registers_try(w->b, &w->one, wrote);

	if (w->b->failed)
		return;
	w->n++;
	w->tried_1 |= wrote & w->bits;
	w->tried_0 |= ~wrote & w->bits;
	w->held_1 |= wrote & read & w->bits;
	w->held_0 |= ~wrote & ~read & w->bits;
	w->doubted_wrong |= (wrote ^ read) & w->bits & ~w->judged;
	if (!unc_check_compare(w->c, unc_registers_seen(w->b, &w->one, what, wrote, read), wrote, w->judged) &&
	    w->n_wrong++ == 0) {
		w->first_wrote = wrote;
		w->first_read = read;
	}
}

/* edge_det and invert exclude each other, so each other bit is tried twice: without the first, and without the second. */
static void walk(struct walk *w)
{
	uint64_t left, edge = unc_registers_bits(w->one.reg, "edge_det"), without = w->bits & ~edge;

	try(w, "none", 0);
	for (left = w->bits; left; left &= left - 1)
		try(w, "walking one", unc_registers_lowest(left));
	try(w, "all", w->bits);
	for (left = w->bits; left; left &= left - 1)
		try(w, "walking zero", w->bits & ~unc_registers_lowest(left));
	for (left = without; left && edge; left &= left - 1)
		try(w, "walking zero without edge_det", without & ~unc_registers_lowest(left));
	try(w, "none", 0);
}

static void report_wrong(const struct walk *w)
{
	uint64_t stuck_0 = w->tried_1 & ~w->held_1 & w->judged, stuck_1 = w->tried_0 & ~w->held_0 & w->judged;
	uint64_t stuck = stuck_0 ? stuck_0 : stuck_1;
	int digits = (int)w->one.reg->bits / 4;
	const struct unc_field *field = w->one.reg->fields; /* the one that has the bit: in the map each bit has one */
	char name[UNC_GATE_TEXT];

	while (stuck && !(unc_field_mask(field) & unc_registers_lowest(stuck)))
		field++;
	unc_gate_reg_text(w->one.reg, w->one.index, name);
	if (stuck)
		unc_check_fail(w->c, "%s: bit %u (%s) stays %u whatever is written%s", name, number_of(stuck),
			       field->name, stuck_0 ? 0U : 1U,
			       (stuck & (stuck - 1)) || (stuck_0 && stuck_1) ? ", and others with it" : "");
	else
		unc_check_fail(w->c,
			       "%s: %u of %u values read back otherwise; the first: wrote 0x%0*" PRIx64
			       ", read 0x%0*" PRIx64,
			       name, w->n_wrong, w->n, digits, w->first_wrote, digits, w->first_read);
}

/* Reports, for bits that a document doubts, whether all of them can be set and cleared. */
static void report_doubted(const struct walk *w)
{
	for (size_t i = 0; i < w->one.reg->n_fields; i++) {
		const struct unc_field *field = &w->one.reg->fields[i];
		uint64_t mask = unc_field_mask(field) & w->bits & ~w->judged;
		char what[UNC_REGISTERS_TEXT];

		if (!mask)
			continue;
		unc_registers_field_text(&w->one, field, what);
		if (w->doubted_wrong & mask)
			unc_check_tested(w->c, what, "bit %u does not hold what is written",
					 number_of(w->doubted_wrong & mask));
		else
			unc_check_tested(w->c, what, "every bit sets and clears");
	}
}

static void check_bits(struct unc_check *c, struct unc_check_box *b)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	unsigned n_bits = 0, n_values = 0;
	size_t n = unc_registers_of(b, ones);

	for (size_t i = 0; i < n; i++) {
		struct walk w = {.c = c, .b = b, .one = ones[i], .bits = unc_registers_writable(ones[i].reg)};

		w.judged = unc_registers_judged(ones[i].reg);
		walk(&w);
		if (b->failed)
			return;
		if (w.n_wrong)
			report_wrong(&w);
		report_doubted(&w);
		n_values += w.n;
		n_bits += unc_bits_set(w.bits);
	}
	if (b->pbox.regs.box_ctl)
		check_box_ctl(c, b);
	if (!b->failed)
		unc_check_pass(c,
			       "each of %u bits of %zu registers was set and cleared, by %u values that all read back",
			       n_bits, n, n_values);
}

static const struct unc_check_def defs[] = {
	{UNC_CHECK_CHANNELS, .channel = check_reset, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.reset", "read-only fields have their reset value",
		   "327043-001 section 2.5, tables 2-60 and 2-61", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .channel = check_bits, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.bits", "each bit of controls and counters can be set and cleared by itself",
		   "327043-001 section 2.5, tables 2-60 and 2-61", .writes = true, .ms = {13, 13, 13}}},
	{UNC_CHECK_CHANNELS, .channel = unc_registers_readonly, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.readonly",
		   "read-only and reserved bits stay as documented whatever is written beside them",
		   "327043-001 section 2.5, tables 2-60 and 2-61", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .channel = unc_registers_alias, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.alias",
		   "all registers hold values of their own at the same time, and no other dword changes",
		   "327043-001 section 2.5", .writes = true, .ms = {3, 3, 3}}},
	{UNC_CHECK_CHANNELS, .windows = &unc_registers_channels, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.channels", "a write to one channel changes no register of another",
		   "327043-001 section 2.5", .writes = true, .ms = {2, 2, 2}}},
	{UNC_CHECK_CHANNELS, .channel = unc_registers_halves,
	 .about = {"registers.halves", "a write of the low dword of a counter leaves the high one as it is",
		   "327043-001 page 62", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .channel = unc_registers_width, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.width", "counters are as wide as documented, and read 0 above", "327043-001 page 62",
		   .writes = true, .ms = {5, 5, 5}}},
	{UNC_CHECK_CHANNELS, .channel = unc_registers_writes, .msrs = UNC_CHECK_MSRS,
	 .about = {"registers.writes", "no write is lost", "327043-001 section 2.1.1", .writes = true,
		   .ms = {4, 7, 169}}},
};

const struct unc_check_theme unc_check_registers = {defs, sizeof(defs) / sizeof(defs[0])};
