// SPDX-License-Identifier: GPL-2.0-or-later
/* In the place of resctrl's side until that is there: it goes when resctrl.c comes. */
#include "xcheck/xcheck.h"

int unc_xresctrl_add(struct unc_xcheck *x, const char *group)
{
	return unc_fail(x->machine->ctx, UNC_ENOSUP, "%s: resctrl is not compared yet", group);
}

int unc_xresctrl_start(struct unc_xresctrl *resctrl)
{
	(void)resctrl;
	return UNC_OK;
}

int unc_xresctrl_sleep_until(struct unc_xresctrl *resctrl, uint64_t mono_ns)
{
	(void)resctrl;
	(void)mono_ns;
	return UNC_OK;
}

int unc_xresctrl_sample(struct unc_xresctrl *resctrl)
{
	(void)resctrl;
	return UNC_OK;
}

size_t unc_xresctrl_count(const struct unc_xresctrl *resctrl)
{
	(void)resctrl;
	return 0;
}

void unc_xresctrl_row(const struct unc_xresctrl *resctrl, size_t index, struct unc_xcheck_row *ret_row)
{
	(void)resctrl;
	(void)index;
	(void)ret_row;
}

int unc_xresctrl_close(struct unc_xresctrl *resctrl)
{
	(void)resctrl;
	return UNC_OK;
}
