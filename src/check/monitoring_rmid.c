// SPDX-License-Identifier: GPL-2.0-or-later
/* RMIDs that no CPU carries, and what they own. */
#include <inttypes.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"

enum { LOOKED_AT = 64 }; /* how many free RMIDs are examined to find one that owns nothing */

unsigned unc_mon_physical(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid)
{
	return rmid + l3->cpu->part * mon->llc->n_rmids;
}

/* physical: the number that IA32_QM_EVTSEL uses. */
static int read_owned(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned physical, uint64_t *ret_bytes)
{
	struct unc_llc *llc = mon->llc;
	struct unc_llc_reading reading;
	struct unc_llc_value value;
	uint64_t evtsel = 0;
	int rc = unc_llc_select(llc, UNC_LLC_OCCUPANCY, physical, &evtsel);

	if (rc == 0)
		rc = unc_llc_read_value(llc, l3->domain, evtsel, NULL, &reading);
	if (rc < 0)
		return rc;
	unc_llc_owned(&reading, &llc->meter, &value);
	*ret_bytes = value.bytes;
	if (value.status == UNC_LLC_OK || (value.status == UNC_LLC_UNAVAILABLE && llc->rdt->amd))
		return UNC_OK;
	return unc_fail(mon->c->m->ctx, UNC_EIO, "occupancy of RMID %u: %s", physical,
			value.status == UNC_LLC_UNAVAILABLE ? "IA32_QM_CTR says Unavailable each time"
			: value.status == UNC_LLC_DISTURBED
				? "IA32_QM_EVTSEL does not keep what was written, three times in a row: somebody else "
				  "changes it, or hardware does not hold it"
				: "IA32_QM_CTR says Error");
}

int unc_mon_owned(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid, uint64_t *ret_bytes)
{
	return read_owned(mon, l3, unc_mon_physical(mon, l3, rmid), ret_bytes);
}

int unc_mon_owned_by_all(struct unc_mon *mon, struct unc_mon_l3 *l3, bool part_alone, struct unc_mon_sum *ret_sum)
{
	unsigned from = part_alone ? unc_mon_physical(mon, l3, 0) : 0,
		 n = part_alone ? mon->llc->n_rmids : mon->llc->rdt->info.cpuid_max_rmid + 1;
	struct unc_mon_sum sum = {0};

	for (unsigned i = 0; i < n; i++) {
		uint64_t bytes = 0;
		int rc = read_owned(mon, l3, from + i, &bytes);

		if (rc < 0)
			return rc;
		sum.bytes += bytes;
		sum.n += bytes > 0;
	}
	*ret_sum = sum;
	return UNC_OK;
}

/* The limit below which Linux takes an RMID out of limbo (resctrl_rmid_realloc_threshold). */
static uint64_t clean_bytes(const struct unc_mon *mon, const struct unc_mon_l3 *l3)
{
	return l3->domain->l3->bytes / mon->llc->n_rmids;
}

int unc_mon_find_rmid(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned *ret_rmid)
{
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	unsigned from = info->exact_rmid < mon->llc->n_rmids ? info->exact_rmid : mon->llc->n_rmids - 1, best = 0,
		 n = 0;
	uint64_t least = UINT64_MAX, bytes = 0;

	for (unsigned rmid = from; rmid > 0 && n < LOOKED_AT && least > clean_bytes(mon, l3); rmid--) {
		int rc;

		if (l3->domain->taken[rmid])
			continue;
		n++;
		rc = info->events & 1 << UNC_LLC_OCCUPANCY ? unc_mon_owned(mon, l3, rmid, &bytes) : UNC_OK;
		if (rc < 0)
			return rc;
		if (bytes < least)
			best = rmid;
		least = bytes < least ? bytes : least;
	}
	if (!best)
		return unc_fail(mon->c->m->ctx, UNC_EBUSY,
				"no RMID is left: there are %u (1-%u), and others carry all of them", from, from);
	l3->domain->taken[best] = true;
	*ret_rmid = best;
	return UNC_OK;
}

int unc_mon_give(struct unc_mon *mon, struct unc_mon_l3 *l3, unsigned rmid)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const struct unc_gate_field place = {.reg = regs->pqr, .field = regs->pqr_rmid};
	unsigned number = mon->llc->rdt->snc == UNC_SNC_LOCAL ? unc_mon_physical(mon, l3, rmid) : rmid;
	struct unc_box *box = l3->cpu->box;
	uint64_t was = 0, now = 0;
	int rc = unc_reg_get(box, place.reg, 0, &was);

	if (rc == 0)
		rc = unc_gate_set_field(box, &place, was, number, mon->llc);
	if (rc == 0)
		rc = unc_reg_get(box, place.reg, 0, &now);
	if (rc == 0 && unc_field_get(place.field, now) != number)
		return unc_fail(mon->c->m->ctx, UNC_EIO,
				"%s: %s: RMID %u was written, but it reads 0x%016" PRIx64
				": the write did not stick, or somebody changed it at once",
				box->name, place.reg->name, number, now);
	return rc;
}
