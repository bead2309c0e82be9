// SPDX-License-Identifier: GPL-2.0-or-later
/* Data that a CPU loads into its cache on purpose. */
#include <inttypes.h>
#include <stdio.h>

#include "check/monitoring.h"

#define SETTLE_NS UINT64_C(2000000) /* wait for what the CPU loads by itself, before the first read */
#define LOOK_NS   UINT64_C(500000)
/* Far less than a core loads, even from another node's memory and beside other programs. */
#define SLOW_BYTES_PER_S UINT64_C(100000000)
#define START_NS         UINT64_C(1000000000) /* time for threads to start, and to touch each page of the buffer once */

int unc_mon_walk(struct unc_mon *mon, const struct unc_mon_l3 *l3, uint64_t size_bytes)
{
	const struct unc_traffic traffic = {
		.kind = UNC_TRAFFIC_READ,
		.node = l3->node,
		.cpus = &l3->cpu->number,
		.n_cpus = 1,
		.size_bytes = size_bytes,
	};

	return unc_traffic_start(mon->c->m, &traffic);
}

int unc_mon_walked(struct unc_mon *mon, uint64_t bytes)
{
	struct unc_machine *m = mon->c->m;
	uint64_t begin_ns = unc_machine_raw_ns(m), most_ns = START_NS + bytes * 1000 / (SLOW_BYTES_PER_S / 1000000);
	struct unc_traffic_done done = {0};
	int rc = unc_traffic_look(m, &done);

	while (rc == 0 && done.loaded_bytes < bytes) {
		if (unc_machine_raw_ns(m) - begin_ns > most_ns)
			return unc_fail(m->ctx, UNC_EIO,
					"in %" PRIu64 " ms only %" PRIu64 " of %" PRIu64 " bytes were loaded: the CPU "
					"that loads does not get on",
					most_ns / 1000000, done.loaded_bytes, bytes);
		rc = unc_check_wait(mon->c, LOOK_NS);
		if (rc == 0)
			rc = unc_traffic_look(m, &done);
	}
	return rc;
}

int unc_mon_rest(struct unc_mon *mon)
{
	struct unc_traffic_done done;

	return unc_traffic_stop(mon->c->m, &done);
}

/* ---- walks under an RMID ---- */

double unc_mon_mb(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

uint64_t unc_mon_gained(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void unc_mon_see(const struct unc_mon *mon, const struct unc_mon_l3 *l3, unsigned rmid, const char *what,
		 uint64_t bytes)
{
	char name[60];

	snprintf(name, sizeof(name), "%s RMID %u, bytes owned", l3->name, unc_mon_physical(mon, l3, rmid));
	unc_check_see(mon->c, &(struct unc_check_seen){.what = what, .name = name, .read = bytes});
}

bool unc_mon_has_occupancy(struct unc_mon *mon)
{
	if (mon->llc->rdt->info.events & 1 << UNC_LLC_OCCUPANCY)
		return true;
	unc_check_skip(mon->c, "this CPU does not monitor occupancy: CPUID 0xF.1 EDX bit 0 is 0");
	return false;
}

int unc_mon_walk_under(struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_mon_under *under)
{
	int rc = unc_mon_give(mon, l3, under->rmid);

	if (rc == 0)
		rc = unc_check_wait(mon->c, SETTLE_NS);
	if (rc == 0)
		rc = unc_mon_owned(mon, l3, under->rmid, &under->before);
	if (rc == 0)
		rc = unc_mon_walk(mon, l3, under->size);
	if (rc == 0)
		rc = unc_mon_walked(mon, UNC_MON_WALKS * under->size);
	return rc == 0 ? unc_mon_owned(mon, l3, under->rmid, &under->behind) : rc;
}
