// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests BOX_CTL and BOX_STATUS.  Write-only bits may read back anything, but where documents disagree the check reports which of
 * them silicon agrees with.  In the status only bits that are 0 are written, since a bit that is cleared cannot be set again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/registers.h"
#include "map/field.h"

/* ---- BOX_CTL ---- */

static const char *access_word(enum unc_acc acc)
{
	static const char *const words[] = {
		[UNC_RO] = "ro", [UNC_RW] = "rw", [UNC_WO] = "wo", [UNC_RW1C] = "rw1c", [UNC_RSVD] = "reserved"};

	return words[acc];
}

/* Writes which documents agree: " as ds_snb; not as g_jkt". */
static void who_said(const struct unc_field *field, enum unc_acc acc, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned right = 2; right-- > 0;)
		for (size_t i = 0; i < field->n_said && used < size; i++)
			if ((field->said[i].acc == acc) == (right == 1))
				used += (size_t)snprintf(buf + used, size - used, "%s %s%s (%s)", used ? ";" : "",
							 right ? "as " : "not as ", field->said[i].tag,
							 access_word(field->said[i].acc));
}

static void tell_read_back(struct unc_check *c, const struct unc_field *field, bool holds_1, bool holds_0)
{
	enum unc_acc acc = holds_1 && holds_0 ? UNC_RW : UNC_WO;
	char who[160], name[80];

	if (!field->verify && !field->n_said)
		return;
	who_said(field, acc, who, sizeof(who));
	snprintf(name, sizeof(name), "BOX_CTL.%.60s", field->name);
	unc_check_tested(c, name, "%s%s%s",
			 acc == UNC_RW ? "reads back what is written"
			 : holds_0     ? "reads 0 whatever is written"
				       : "reads 1 whatever is written",
			 *who ? ":" : "", who);
}

static int write_and_see(struct unc_check *c, struct unc_check_box *b, const char *const *fields, uint64_t *ret_read)
{
	const struct unc_reg *reg = b->pbox.regs.box_ctl;
	int rc = unc_drive_box_ctl(b, fields);

	if (rc == 0)
		rc = unc_drive_read(b, reg, 0, ret_read);
	if (rc == 0)
		unc_check_see(c, &(struct unc_check_seen){.what = fields[0] ? fields[0] : "released",
							  .box = b->box,
							  .reg = reg,
							  .read = *ret_read});
	return rc;
}

static int look_at_ctl(struct unc_check *c, struct unc_check_box *b)
{
	static const char *const both[] = {"frz", "frz_en", NULL}, *const frz[] = {"frz", NULL}, *const none[] = {NULL};
	const struct unc_field *frz_en = b->pbox.regs.frz_en;
	uint64_t frozen = 0, released = 0;
	int rc = write_and_see(c, b, frz_en ? both : frz, &frozen);

	if (rc == 0)
		rc = write_and_see(c, b, none, &released);
	if (rc < 0)
		return rc;
	tell_read_back(c, b->pbox.regs.frz, unc_field_get(b->pbox.regs.frz, frozen),
		       !unc_field_get(b->pbox.regs.frz, released));
	if (frz_en)
		tell_read_back(c, frz_en, unc_field_get(frz_en, frozen), !unc_field_get(frz_en, released));
	return unc_drive_freeze(b);
}

/* ---- BOX_STATUS ---- */

static int look_at_status(struct unc_check *c, struct unc_check_box *b, const struct unc_reg *status)
{
	uint64_t bits = unc_reg_mask(status, UNC_RW1C), before = 0, after = 0, wrote;
	int rc = unc_drive_read(b, status, 0, &before);

	wrote = unc_reg_blank(status) | (bits & ~before);
	if (rc == 0)
		rc = unc_drive_write(b, status, 0, wrote);
	if (rc == 0)
		rc = unc_drive_read(b, status, 0, &after);
	if (rc < 0)
		return rc;
	unc_check_expect(c, &(struct unc_check_seen){.what = "writing 1 sets nothing",
						     .box = b->box,
						     .reg = status,
						     .has_wrote = true,
						     .has_expected = true,
						     .wrote = wrote,
						     .read = after,
						     .expected = before,
						     .compared = bits & ~before & ~unc_registers_doubtful(status)});
	if (status->verify && (after & bits & ~before))
		unc_check_tested(c, "BOX_STATUS", "bits that were 0 read 0x%" PRIx64 " after 1 was written to them",
				 after & bits & ~before);
	else if (status->verify)
		unc_check_tested(c, "BOX_STATUS", "writing 1 to bits 0x%" PRIx64 ", which were 0, sets none of them",
				 bits & ~before);
	return rc;
}

int unc_registers_box(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	int rc = look_at_ctl(c, b);

	return rc == 0 && status && unc_reg_writable(status) ? look_at_status(c, b, status) : rc;
}
