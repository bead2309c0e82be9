/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests ask of a simulated machine, and do with it, that none of its users does. */
#ifndef TESTS_SIMTRUTH_H
#define TESTS_SIMTRUTH_H

#include "sim/sim.h"

/*
 * Simulates a suspend of ns nanoseconds just now: BOOT and REAL are ahead by that, RAW and MONO did not move, nothing
 * happened in its memory, every PMON register and MSR holds its reset value, except clocks and the bandwidth in
 * IA32_QM_CTR, and its last-level caches are empty. UNC_ERANGE: more than 2^58 ns in all.
 */
int unc_sim_suspend(struct unc_host *host, uint64_t ns);

/* unc_sim_truth_events_of() and unc_sim_truth_bytes_of() of the channel with that address. UNC_ENODEV: addr is not a channel. */
int unc_sim_truth_events_at(struct unc_host *host, const struct unc_addr *addr, const char *event, uint64_t raw_ns,
			    uint64_t *ret_count);
int unc_sim_truth_bytes_at(struct unc_host *host, const struct unc_addr *addr, uint64_t raw_ns, uint64_t *ret_read,
			   uint64_t *ret_write);

#endif
