/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the models have in common whose counters are in memory: model_lake.c, model_memory.c. */
#ifndef UNC_SIM_MODEL_MEMORY_H
#define UNC_SIM_MODEL_MEMORY_H

#include "sim/discovery.h"
#include "sim/model_parts.h"

/* clang-format off */
#define EVENT(n, c, u, max) {.name = n, .code = c, .umask = u, .max_inc = max}
#define EXACT(n, c, u, max) {.name = n, .code = c, .umask = u, .max_inc = max, .flags = UNC_SIM_NUMBER}
/*
 * A CAS moves 64 bytes. Of the reads of a load 1 in 16 is an underfill read; of the writes 1 in 8 counts as one with
 * auto-precharge. These shares are made up for these models.
 */
#define CAS(n, c, u, f, all, no, dclks) \
	{.name = n, .code = c, .umask = u, .max_inc = 1, .clocks = dclks, .from = f, .whole = all, .less = no}

/* The UBOX and, beside it, the function that tells where the registers of the socket are: Linux, EDAC, PCM. */
#define UBOX_AND_BASE(ubox, base) \
	UNC_SIM_FN_UBOX(0, 0x00, 0, ubox, 0x04), \
	{UNC_SIM_FN(0, 0x00, 1, base, 0x04, UNC_SIM_CLASS_SYSTEM, UNC_SIM_BASE)}
#define CHANNEL(mc, ch, offset) {.kind = UNC_SIM_IMC, .imc = mc, .channel = ch, .at = offset}
#define FREE(mc, offset)        {.kind = UNC_SIM_FREE, .imc = mc, .at = offset}
#define DISCOVERY \
	{UNC_SIM_FN(0, 0x03, 0, 0x09a7, 0x04, UNC_SIM_CLASS_SYSTEM, UNC_SIM_DISCOVERY)}, \
	{.kind = UNC_SIM_UNITS, .at = UNC_SIM_DISCOVERY_AT}

/* Where firmware puts the four controllers; their numbers are made up, and their size is that of a machine that was seen. */
enum { MEM0 = 0x300000, MEM1 = 0x360000, MEM2 = 0x3c0000, MEM3 = 0x420000, MEM_BYTES = 0x51000, SCF = 0x100000 };
#define MEMS {MEM0, MEM1, MEM2, MEM3}

/* A cycle is a whole number of ticks; DDR4-2400 has 1200 MHz, and DDR5-4800 a quarter of its rate. */
#define LAKE_MODEL \
	.sockets = 1, .cores = 36, .threads = 2, .apic = UNC_SIM_APIC_DENSE, .apic_shift = 7, .has_snc = true, \
	.ticks_per_cycle = 10, .bus = unc_sim_lake_bus, .config_bytes = 4096
/* clang-format on */

/*
 * The buses of the UBOX: 7e and fe on one and two sockets; of more, an equal share of the 256 for each, which is made up.
 */
void unc_sim_lake_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		      uint8_t *ret_bus);

#endif
