// SPDX-License-Identifier: GPL-2.0-or-later
/* The status register while counters are made to wrap: the bits that they set are cleared again. */
#include "check/window.h"
#include "map/field.h"

const struct unc_reg *unc_window_status(const struct unc_window *w)
{
	return unc_unit_reg(w->b->box->unit, "BOX_STATUS");
}

const struct unc_field *unc_window_status_bit(const struct unc_window *w, unsigned i)
{
	static const char *const names[] = {"ov_ctr0", "ov_ctr1", "ov_ctr2", "ov_ctr3"};
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	const struct unc_reg *status = unc_window_status(w);
	const struct unc_field *field;

	if (!status || (!slot->fixed && slot->index >= sizeof(names) / sizeof(names[0])))
		return NULL;
	field = unc_reg_field(status, slot->fixed ? "ov_fixed" : names[slot->index]);
	return field && field->acc == UNC_RW1C ? field : NULL;
}

static int read_status(struct unc_window *w, void *arg)
{
	const struct unc_reg *status = unc_window_status(w);

	return status ? unc_drive_read(w->b, status, 0, (uint64_t *)arg + w->i) : UNC_OK;
}

int unc_windows_read_status(struct unc_windows *ws, uint64_t *ret_statuses)
{
	return unc_windows_each(ws, read_status, ret_statuses);
}

static int clear_status(struct unc_window *w, void *arg)
{
	return unc_drive_clear_status(w->b, ((const uint64_t *)arg)[w->i]);
}

int unc_windows_clear_status(struct unc_windows *ws, const uint64_t *statuses)
{
	return unc_windows_each(ws, clear_status, (void *)statuses);
}
