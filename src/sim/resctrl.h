/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resctrl as the kernel of a simulated machine has it mounted with resctrl=on. It works as in Linux 6.1
 * (arch/x86/kernel/cpu/resctrl/monitor.c, rdtgroup.c), which is another user of the registers of cache monitoring.
 *
 * It is mounted, with all groups, when the machine is made; that takes no time. The counters of each group are read,
 * and the CPUs of a group get its RMID and its class of service. When a file of a value is read, the lowest CPU of its
 * L3 writes IA32_QM_EVTSEL and reads IA32_QM_CTR, which takes the time of these accesses. Bandwidth is the sum of the
 * differences, modulo the counter's width, between the reads of its counter since the mount; the kernel also reads it
 * every second, so that it misses no wrap. The next opener that uses the machine does that, at the time at which it was
 * due, and it leaves IA32_QM_EVTSEL changed. If no opener uses the machine for more than a day, only the last day is
 * caught up.
 *
 * Where Linux corrects bandwidth for an erratum it is corrected here, whatever hardware counts. The value of a control
 * group is the sum of its own and of its monitoring groups. On Skylake-SP Linux monitors nothing unless its command
 * line asks for it (rdt=cmt,mbmtotal,mbmlocal); here it does.
 */
#ifndef UNC_SIM_RESCTRL_H
#define UNC_SIM_RESCTRL_H

#include "sim/computer.h"

enum unc_sim_resctrl_event { UNC_SIM_RESCTRL_OCCUPANCY, UNC_SIM_RESCTRL_TOTAL, UNC_SIM_RESCTRL_LOCAL };

/* Makes the groups of the options. UNC_EARG: they are not possible on this machine. */
int unc_sim_resctrl_init(struct unc_sim *sim);
/* Mounts resctrl; the caller holds the lock. UNC_EARG: in the state it is mounted with other groups. */
int unc_sim_resctrl_mount(struct unc_sim *sim);
/* Does what is due until now; the caller holds the lock. */
void unc_sim_resctrl_catch_up(struct unc_sim *sim);

bool unc_sim_resctrl_has(const struct unc_sim *sim, enum unc_sim_resctrl_event event);
/* Returns the CPU that reads an L3's values; NULL: all its CPUs are offline, and it is not a domain. */
const struct unc_sim_cpu *unc_sim_resctrl_cpu(const struct unc_sim *sim, size_t l3);
/*
 * Returns the bytes of a group, by its number, on an L3 now. It takes the lock. UNC_EIO, UNC_EAGAIN, without a sentence: IA32_QM_CTR
 * answered Error, Unavailable.
 */
int unc_sim_resctrl_read(struct unc_sim *sim, size_t group, size_t l3, enum unc_sim_resctrl_event event,
			 uint64_t *ret_bytes);

#endif
