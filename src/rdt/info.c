// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"
#include "rdt/rdt.h"

int unc_rdt_of(struct unc_machine *m, const struct unc_rdt **ret_rdt)
{
	(void)ret_rdt;
	return unc_fail(m->ctx, UNC_ENOSUP, "no cache monitoring");
}

int unc_llc_info(struct unc_machine *m, struct unc_llc_info *ret_info)
{
	const struct unc_rdt *rdt;
	int rc = unc_rdt_of(m, &rdt);

	if (rc == 0)
		*ret_info = rdt->info;
	return rc;
}

int unc_l3_info(struct unc_machine *m, size_t l3, struct unc_l3_info *ret_info)
{
	const struct unc_rdt *rdt;
	int rc = unc_rdt_of(m, &rdt);

	(void)l3, (void)ret_info;
	return rc;
}
