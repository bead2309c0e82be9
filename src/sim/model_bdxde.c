// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon D-1540, Broadwell-DE: registers and events of Broadwell-EP on a part for one socket. */
#include "sim/model_parts.h"

/*
 * verify: no source says which of the eight functions of Broadwell-EP such a part shows. It has one controller of two
 * channels, so here these are the first two of Broadwell-EP; of the functions that tools look for, those of QPI are
 * left out. Each device has function 0, since without it firmware and kernels look for no other function of the device.
 */
static const struct unc_sim_function functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x10, 5, 0x6f1e, 0x03),
	UNC_SIM_FN_IMC(0, 0x14, 0, 0x6fb0, 0x03, 0, 0),
	UNC_SIM_FN_IMC(0, 0x14, 1, 0x6fb1, 0x03, 0, 1),
	UNC_SIM_FN_SYSTEM(0, 0x10, 0, 0x6f1d, 0x03),
	UNC_SIM_FN_PERF(0, 0x10, 1, 0x6f34, 0x03),
	UNC_SIM_FN_SYSTEM(0, 0x12, 0, 0x6fa0, 0x03),
	UNC_SIM_FN_PERF(0, 0x12, 1, 0x6f30, 0x03),
	/* clang-format on */
};

/* Intel's event list is Broadwell-EP's without the names of the clock. */
static const struct unc_sim_event events[] = {UNC_SIM_HSX_EVENTS};
static const struct unc_sim_sum sums[] = {UNC_SIM_HSX_SUMS};

/*
 * verify: no dump of one was available. 50662 was seen on such parts; name, clock and caches are those of the part as
 * it is sold; RMIDs, bytes per unit and ways follow the rules of the others (8 a core, 32 units a way, 12 ways), and
 * all other leaves are those of an E5-2697 v4.
 */
static const struct unc_sim_leaf leaves[] = {
	{0x1, 0, {0x00050662, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x4, 3, {0x7c0fc163, 0x02c0003f, 0x00003fff, 0x00000006}},
	{0xf, 0, {0x00000000, 0x0000003f, 0x00000000, 0x00000002}},
	{0xf, 1, {0x00000000, 0x00008000, 0x0000003f, 0x00000007}},
	{0x10, 1, {0x0000000b, 0x00000c00, 0x00000004, 0x0000000f}},
	/* "Intel(R) Xeon(R) CPU D-1540 @ 2.00GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x312d4420, 0x20303435, 0x2e322040}},
	{0x80000004, 0, {0x48473030, 0x0000007a, 0x00000000, 0x00000000}},
};

static const struct unc_sim_rdt rdt = {.max_rmid = 0x3f, .upscale = 0x8000, .events = 0x7, .width = 24, .n_clos = 16};

const struct unc_sim_model unc_sim_bdxde = {
	.name = "bdxde",
	.on = UNC_SIM_ON_BDXDE,
	.sockets = 1,
	.cores = 8,
	.threads = 2,
	.apic_shift = 4,
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
	.pmon = &unc_sim_hsx_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29}, /* as on Broadwell-EP */
	.rdt = &rdt,
	.l3_bytes = 12 << 20,
	.tsc_hz = 2000000000,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
	.like = &unc_sim_bdx,
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	.functions = functions,
	.n_functions = UNC_SIM_N(functions),
	.events = events,
	.n_events = UNC_SIM_N(events),
	.sums = sums,
	.n_sums = UNC_SIM_N(sums),
};
