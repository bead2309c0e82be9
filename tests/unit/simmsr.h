/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of a simulated CPU, as another program reads and writes them. */
#ifndef SIMMSR_H
#define SIMMSR_H

#include "sim/sim.h"

static inline int sim_msr_read(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t *ret_value)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	unsigned char bytes[8];
	size_t done;
	int rc = unc_sim_access(host, &addr, false, number, bytes, sizeof(bytes), &done);

	if (rc == UNC_OK)
		*ret_value = unc_le64(bytes);
	return rc;
}

static inline int sim_msr_write(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t value)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	unsigned char bytes[8];
	size_t done;

	unc_put_le64(bytes, value);
	return unc_sim_access(host, &addr, true, number, bytes, sizeof(bytes), &done);
}

#endif
