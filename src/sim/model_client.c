// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Client processors, whose memory controllers have counters below MCHBAR that always run, and from Alder Lake on also some that are
 * programmed: Linux arch/x86/events/intel/uncore_snb.c, PCM. What each part of the processor asks for is made up: the cores three of four
 * reads, the graphics the others, devices all writes; one write in eight is merged with another one.
 *
 * verify: no dump of one was at hand: CPUID is as of a Skylake-SP, except for what they certainly lack. Models and steppings are what
 * Linux says.
 */
#include "sim/model_parts.h"

/* clang-format off */
#define AGAIN(n, c, f, all, no) \
	{.name = n, .code = c, .max_inc = 1, .from = f, .whole = all, .less = no, .flags = UNC_SIM_AGAIN}
/* The codes of requests are no controls. */
#define REQUESTS \
	AGAIN("ia_requests", 0xf0, UNC_SIM_FROM_READ, 16, 4), AGAIN("gt_requests", 0xf1, UNC_SIM_FROM_READ, 4, 0), \
	AGAIN("io_requests", 0xf2, UNC_SIM_FROM_WRITE, 16, 0), AGAIN("merged_writes", 0xf3, UNC_SIM_FROM_WRITE, 2, 0)
/* Those of commands are Alder Lake's: intel/perfmon. */
#define THERMAL EVENT("dram_thermal_hot", 0x19, 1), EVENT("dram_thermal_warm", 0x1a, 1)
#define PAGES(first, of) \
	EVENT("dram_page_hit." of, first, 1), EVENT("dram_page_empty." of, (first) + 1, 1), \
	EVENT("dram_page_miss." of, (first) + 2, 1)
#define COMMANDS \
	CAS("cas_rd", 0x22, 0, UNC_SIM_FROM_READ, 16, 0, 4), CAS("cas_wr", 0x23, 0, UNC_SIM_FROM_WRITE, 16, 0, 4), \
	EVENT("act_count.rd", 0x24, 1), EVENT("act_count.wr", 0x25, 1), EVENT("act_count.total", 0x26, 1), \
	EVENT("pre_count.page_miss", 0x27, 1), EVENT("pre_count.idle", 0x28, 1)
static const struct unc_sim_event events[] = {
	{.name = "clockticks", .code = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT},
	EVENT("vc0_requests.rd", 0x02, 1), EVENT("vc0_requests.wr", 0x03, 1),
	EVENT("vc1_requests.rd", 0x04, 1), EVENT("vc1_requests.wr", 0x05, 1), EVENT("prefetch_rd", 0x0a, 1),
	THERMAL, PAGES(0x1c, "rd"), PAGES(0x1f, "wr"), COMMANDS, REQUESTS,
};
/* Chunks of 32 bytes; those that are read and those that are written also have one code together. */
#define CHUNKS(n, c, bit, f) {.name = n, .code = c, .umask = bit, .max_inc = 1, .from = f, .whole = 32, .flags = UNC_SIM_AGAIN}
static const struct unc_sim_event mtl_events[] = {
	THERMAL, COMMANDS,
	CHUNKS("data.rd", 0x3a, 0, UNC_SIM_FROM_READ), CHUNKS("data.wr", 0x3b, 0, UNC_SIM_FROM_WRITE),
	CHUNKS("data.total_rd", 0x3c, 1, UNC_SIM_FROM_READ), CHUNKS("data.total_wr", 0x3c, 2, UNC_SIM_FROM_WRITE),
	REQUESTS,
};
static const struct unc_sim_sum sums[] = {SUM("cas_count.rd", 0x22, 0), SUM("cas_count.wr", 0x23, 0)};

#define HOST_BRIDGE(id) {FN(0, 0x00, 0, id, 0x07, 0x060000, UNC_SIM_BASE)}
#define IMC(mc, offset) \
	{.kind = UNC_SIM_IMC, .imc = mc}, {.kind = UNC_SIM_IMC, .imc = mc, .channel = 1}, \
	{.kind = UNC_SIM_FREE, .imc = mc, .at = 0x10000 * (mc) + (offset)}
static const struct unc_sim_function skl_functions[] = {HOST_BRIDGE(0x191f), IMC(0, 0x5040)};
static const struct unc_sim_function tgl_functions[] = {HOST_BRIDGE(0x9a14), IMC(0, 0x5040), IMC(1, 0x5040)};
#define IMC_PMON(mc) IMC(mc, 0xd840), {.kind = UNC_SIM_M2M, .imc = mc, .at = 0x10000 * (mc) + 0xd9c0}
static const struct unc_sim_function adl_functions[] = {HOST_BRIDGE(0x4660), IMC_PMON(0), IMC_PMON(1)};
static const struct unc_sim_function mtl_functions[] = {HOST_BRIDGE(0x7d01), IMC_PMON(0), IMC_PMON(1)};

/* Requests of graphics, cores and devices; reads and writes. */
static const struct unc_sim_always narrow[] = {
	{0x00, {0xf1}}, {0x04, {0xf0}}, {0x08, {0xf2}}, {0x10, {0x22}}, {0x14, {0x23}},
};
/* All requests, reads, writes. */
static const struct unc_sim_always wide[] = {{0x00, {0x22, 0x23, 0xf3}}, {0x18, {0x22}}, {0x60, {0x23}}};
static const struct unc_sim_memory narrow_memory = {TABLE(always, narrow), .always_bytes = 4};
static const struct unc_sim_memory wide_memory = {TABLE(always, wide), .always_bytes = 8};

static const struct unc_sim_leaf leaves[] = {
	{0x7, 0, {0x00000000, 0x029c6fbf, 0x00000000, 0x00000000}}, /* no monitoring of caches, no AVX-512 */
	{0xf, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},
	{0x10, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},
};

/* Two channels of 64 bits for each controller; DDR4-4000 is fast enough for 64 GB/s. */
#define CLIENT(is, its_events, at_imc) \
	CHANNELS(is, its_events, sums), TABLE(leaves, leaves), .memory = &(at_imc), \
	.on = UNC_SIM_ON_CLIENT, .sockets = 1, .cores = 4, .threads = 2, .apic = UNC_SIM_APIC_DENSE, .apic_shift = 4, \
	.ticks_per_cycle = 6, .config_bytes = 4096, .bus_shares = 1, .l3_bytes = 8 << 20, .tsc_hz = 3000000000, \
	.like = &unc_sim_skx
/* clang-format on */

const struct unc_sim_model unc_sim_skl = {
	PART("skl", "Skylake", 0x000506e3, "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz"),
	CLIENT(skl_functions, events, narrow_memory),
};
const struct unc_sim_model unc_sim_tgl = {
	PART("tgl", "Tiger Lake-U", 0x000806c1, "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz"),
	CLIENT(tgl_functions, events, wide_memory),
};
const struct unc_sim_model unc_sim_adl = {
	PART("adl", "Alder Lake", 0x00090672, "12th Gen Intel(R) Core(TM) i9-12900K"),
	CLIENT(adl_functions, events, wide_memory),
};
const struct unc_sim_model unc_sim_mtl = {
	PART("mtl", "Meteor Lake", 0x000a06a4, "Intel(R) Core(TM) Ultra 7 155H"),
	CLIENT(mtl_functions, mtl_events, wide_memory),
};
