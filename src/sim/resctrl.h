/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resctrl as the kernel of a simulated machine has it mounted with resctrl=on: as in Linux 6.1
 * (arch/x86/kernel/cpu/resctrl/monitor.c, rdtgroup.c), which is another hand on the registers of cache monitoring.
 *
 * It is mounted when the machine is made, with all groups, in no time: the counters of each group are read, and the
 * CPUs of a group get its RMID and its class of service.  A value is read on the lowest CPU of its L3, by writing
 * IA32_QM_EVTSEL and reading IA32_QM_CTR, when its file is read, which takes the time of these accesses.  Bandwidth is
 * what its counter moved since then, modulo its width, and is read every second besides, so that it cannot wrap; that
 * is done by whoever looks next, at the time at which it was due, and it leaves IA32_QM_EVTSEL changed.  Of more than a
 * day in which nobody looked, only the last one is caught up.
 *
 * Where Linux corrects bandwidth for an erratum it is corrected here, whatever hardware counts.  A control group has
 * the sum of itself and its monitoring groups.  On Skylake-SP Linux monitors nothing unless it is told to
 * (rdt=cmt,mbmtotal,mbmlocal); here it was told to.
 */
#ifndef UNC_SIM_RESCTRL_H
#define UNC_SIM_RESCTRL_H

#include "sim/computer.h"

enum unc_sim_resctrl_event { UNC_SIM_RESCTRL_OCCUPANCY, UNC_SIM_RESCTRL_TOTAL, UNC_SIM_RESCTRL_LOCAL };

/* Of the options' groups.  UNC_EARG: they make no sense on this machine. */
int unc_sim_resctrl_init(struct unc_sim *sim);
/* Locked.  UNC_EARG: the state's is mounted with other groups. */
int unc_sim_resctrl_mount(struct unc_sim *sim);
/* Locked: what is due until now. */
void unc_sim_resctrl_catch_up(struct unc_sim *sim);

/* Groups by number, 0 being the root group. */
size_t unc_sim_resctrl_groups(const struct unc_sim *sim);
const struct unc_sim_group *unc_sim_resctrl_group(const struct unc_sim *sim, size_t i);
bool unc_sim_resctrl_monitors(const struct unc_sim_group *group); /* it is a monitoring group */
/* The group in which a monitoring group is. */
size_t unc_sim_resctrl_parent(const struct unc_sim *sim, const struct unc_sim_group *group);

bool unc_sim_resctrl_has(const struct unc_sim *sim, enum unc_sim_resctrl_event event);
/* The CPU that reads of an L3; -1: all of its are offline, and it is no domain. */
int unc_sim_resctrl_cpu(const struct unc_sim *sim, size_t l3);
/*
 * Bytes of a group on an L3 now.  UNC_EIO, UNC_EAGAIN, without a sentence: IA32_QM_CTR said Error, Unavailable.  Takes
 * the lock.
 */
int unc_sim_resctrl_read(struct unc_sim *sim, size_t group, size_t l3, enum unc_sim_resctrl_event event,
			 uint64_t *ret_bytes);

#endif
