// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks the bits that must not be written.  The gate gives a read-only or reserved bit only the value that the map wants, so these
 * bits are watched while all writable bits beside them are 1, and then 0.
 */
#include <inttypes.h>
#include <stdio.h>

#include "access/access.h"
#include "check/registers.h"
#include "machine/pci_header.h"
#include "map/field.h"

enum { KEPT_MAX = 32 };

struct kept { /* values from before, which nothing may change */
	struct unc_pci_header header;
	uint64_t values[KEPT_MAX]; /* values of the read-only registers, in the order of the map */
};

/* The register has no bit that any access may write. */
static bool is_read_only(const struct unc_reg *reg)
{
	return reg->count == 1 && !unc_reg_writable(reg) && unc_reg_mask(reg, UNC_RO);
}

static int read_kept(struct unc_check_box *b, struct kept *ret_kept)
{
	const struct unc_unit *unit = b->box->unit;
	int rc = unc_pci_header_read(b->box->space, &ret_kept->header);

	for (size_t i = 0; i < unit->n_regs && i < KEPT_MAX && rc == 0; i++)
		if (is_read_only(&unit->regs[i]))
			rc = unc_drive_read(b, &unit->regs[i], 0, &ret_kept->values[i]);
	return rc;
}

static void compare_kept(struct unc_check *c, const struct unc_check_box *b, const struct kept *before,
			 const struct kept *after)
{
	const struct unc_unit *unit = b->box->unit;

	for (size_t i = 0; i < unit->n_regs && i < KEPT_MAX; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (!is_read_only(reg))
			continue;
		if (!reg->verify)
			unc_check_expect(c, &(struct unc_check_seen){.what = "as before others were written",
								     .box = b->box,
								     .reg = reg,
								     .has_expected = true,
								     .read = after->values[i],
								     .expected = before->values[i],
								     .compared = unc_reg_mask(reg, UNC_RO)});
		else
			unc_check_tested(c, reg->name,
					 "read 0x%" PRIx64 ", and 0x%" PRIx64 " after others were written",
					 before->values[i], after->values[i]);
	}
	unc_check_expect(c, &(struct unc_check_seen){.what = "device and vendor after registers were written",
						     .name = "ids",
						     .has_expected = true,
						     .read = after->header.ids,
						     .expected = before->header.ids});
	unc_check_expect(c, &(struct unc_check_seen){.what = "class code after registers were written",
						     .name = "class",
						     .has_expected = true,
						     .read = after->header.class_code,
						     .expected = before->header.class_code});
}

struct fields {                          /* the fields that were read */
	unsigned n, n_doubtful, n_wrong; /* judged fields; fields in doubt, and those of them that read wrong */
};

/* Compares reserved and read-only fields of a register that was just written with their reset values. */
static void judge(struct unc_check *c, const struct unc_check_box *b, const struct unc_registers_one *one,
		  uint64_t wrote, uint64_t read, struct fields *fields)
{
	uint64_t judged = 0, expected = 0;

	for (size_t i = 0; i < one->reg->n_fields; i++) {
		const struct unc_field *field = &one->reg->fields[i];
		uint64_t number = unc_field_get(field, read);
		char name[UNC_GATE_TEXT], what[UNC_GATE_TEXT + 80];

		if ((field->acc != UNC_RSVD && field->acc != UNC_RO) || !field->reset_known)
			continue;
		if (!unc_check_is_doubtful(one->reg, field)) {
			judged |= unc_field_mask(field);
			(void)unc_field_set(c->m->ctx, field, field->reset, &expected); /* the map was checked */
			fields->n++;
			continue;
		}
		fields->n_doubtful++;
		if (number != field->reset) {
			fields->n_wrong++;
			snprintf(what, sizeof(what), "%.40s.%.60s", unc_gate_reg_text(one->reg, one->index, name),
				 field->name);
			unc_check_tested(c, what, "reads 0x%" PRIx64 " when 0x%" PRIx64 " was written, not 0x%" PRIx64,
					 number, unc_field_get(field, wrote), field->reset);
		}
	}
	if (judged)
		unc_check_expect(c, &(struct unc_check_seen){.what = "reserved bits",
							     .box = b->box,
							     .reg = one->reg,
							     .index = one->index,
							     .has_wrote = true,
							     .has_expected = true,
							     .wrote = wrote,
							     .read = read,
							     .expected = expected,
							     .compared = judged});
}

static int look_at_one(struct unc_check *c, struct unc_check_box *b, const struct unc_registers_one *one,
		       struct fields *fields)
{
	uint64_t all = unc_registers_legal(b, one->reg, UINT64_MAX), none = unc_reg_blank(one->reg), read = 0;
	int rc = unc_registers_try(b, one, all, &read);

	if (rc == 0)
		judge(c, b, one, all, read, fields);
	if (rc == 0)
		rc = unc_registers_try(b, one, none, &read);
	if (rc == 0)
		judge(c, b, one, none, read, fields);
	return rc;
}

/* Passes if nothing was wrong, except perhaps where documents are in doubt. */
static void tell(struct unc_check *c, const struct fields *fields)
{
	char doubtful[120] = "";

	if (fields->n_doubtful)
		snprintf(doubtful, sizeof(doubtful),
			 "%sof %u reads of fields about which documents are in doubt %u were as the map says",
			 fields->n ? "; " : "", fields->n_doubtful, fields->n_doubtful - fields->n_wrong);
	if (fields->n)
		unc_check_pass(
			c,
			"fields that cannot be written read %u times as documented, whatever was written beside them%s",
			fields->n, doubtful);
	else
		unc_check_pass(c, "%s", doubtful[0] ? doubtful : "it has no field that cannot be written");
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_registers_one box_ctl = {b->pbox.regs.box_ctl, 0};
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	struct kept before = {0}, after = {0};
	size_t n = unc_registers_of(b, ones);
	struct fields fields = {0};
	uint64_t read = 0;
	int rc = read_kept(b, &before);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = look_at_one(c, b, &ones[i], &fields);
	if (rc == 0)
		rc = unc_drive_read(b, box_ctl.reg, 0, &read); /* it was written when the channel was stopped */
	if (rc == 0)
		judge(c, b, &box_ctl, unc_reg_blank(box_ctl.reg), read, &fields);
	if (rc == 0)
		rc = read_kept(b, &after);
	if (rc < 0)
		return rc;
	compare_kept(c, b, &before, &after);
	tell(c, &fields);
	return rc;
}

int unc_registers_readonly(struct unc_check *c)
{
	return unc_registers_each(c, look);
}
