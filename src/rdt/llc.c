// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"
#include "rdt/rdt.h"

int unc_llc_open(struct unc_machine *machine, const struct unc_llc_cfg *cfg, struct unc_llc **ret_llc)
{
	(void)cfg, (void)ret_llc;
	return unc_fail(machine->ctx, UNC_ENOSUP, "no cache monitoring");
}

int unc_llc_add(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n_cpus)
{
	(void)llc, (void)name, (void)cpus, (void)n_cpus;
	return UNC_ENOSUP;
}

int unc_llc_add_rmids(struct unc_llc *llc)
{
	(void)llc;
	return UNC_ENOSUP;
}

int unc_llc_start(struct unc_llc *llc)
{
	(void)llc;
	return UNC_ENOSUP;
}

size_t unc_llc_row_count(const struct unc_llc *llc)
{
	(void)llc;
	return 0;
}

int unc_llc_row_info(const struct unc_llc *llc, size_t row, struct unc_llc_row_info *ret_info)
{
	(void)llc, (void)row, (void)ret_info;
	return UNC_ENODEV;
}

int unc_llc_read(struct unc_llc *llc, struct unc_llc_row *ret_rows, size_t n)
{
	(void)llc, (void)ret_rows, (void)n;
	return UNC_ENOSUP;
}

int unc_llc_sleep_until(struct unc_llc *llc, uint64_t mono_ns)
{
	(void)llc, (void)mono_ns;
	return UNC_ENOSUP;
}

bool unc_llc_complete(const struct unc_llc *llc, char *buf, size_t size)
{
	(void)llc, (void)buf, (void)size;
	return true;
}

int unc_llc_close(struct unc_llc *llc)
{
	(void)llc;
	return UNC_OK;
}
