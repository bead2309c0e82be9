/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table in memory that lists a socket's counters, and the PCI function that tells where it is. */
#ifndef UNC_SIM_DISCOVERY_H
#define UNC_SIM_DISCOVERY_H

#include "sim/computer.h"

/* Offset in the socket's memory, how much of it a BAR of the function takes, and how much two of them do, with a table each. */
enum {
	UNC_SIM_DISCOVERY_AT = 0x700000,
	UNC_SIM_TABLE_BYTES = 0x80000,
	UNC_SIM_DISCOVERY_BYTES = 2 * UNC_SIM_TABLE_BYTES
};

/* Reads a dword of that function which other functions do not have; 0: it is not one. The caller holds the lock. */
uint32_t unc_sim_discovery_read(const struct unc_sim_cycle *cycle);
/* Reads the qword at off, which is in the window of UNC_SIM_UNITS. The caller holds the lock. */
uint64_t unc_sim_table_read(const struct unc_sim_cycle *cycle);

#endif
