// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's processors. Their memory channels have no registers of their own: the counters of data fabrics, of memory
 * controllers (UMCs) and of L3s count what happens there (sim/amd.c).
 */
#include "sim/model_parts.h"

/*
 * What happens in a channel: its clock, and commands. Bit 0 of the umask stands for reads and bit 1 for writes (RdWrMask of a
 * UMC's control). Codes: Linux, tools/perf/pmu-events/arch/x86/amdzen4 to amdzen6. A CAS moves 64 bytes and keeps one of
 * two 32-bit sub-channels busy for 8 cycles. These shares are made up: every fourth CAS opens a page, and three of four of
 * these pages had another one open.
 */
/* clang-format off */
#define AGAIN(n, c, bit, max, f, share) \
	{.name = n, .code = c, .umask = bit, .max_inc = max, .from = f, .whole = share, .flags = UNC_SIM_AGAIN}
#define COMMANDS(n, c, max, share) \
	AGAIN(n ".rd", c, 1, max, UNC_SIM_FROM_READ, share), AGAIN(n ".wr", c, 2, max, UNC_SIM_FROM_WRITE, share)
static const struct unc_sim_event channel_events[] = {
	{.name = "mem_clk", .code = 0x00, .max_inc = 1, .flags = UNC_SIM_CONSTANT},
	COMMANDS("act_cmd", 0x05, 1, 16 / 4),
	COMMANDS("pchg_cmd", 0x06, 1, 16 * 3 / 16),
	CAS("cas_cmd.rd", 0x0a, 1, UNC_SIM_FROM_READ, 16, 0, 4),
	CAS("cas_cmd.wr", 0x0a, 2, UNC_SIM_FROM_WRITE, 16, 0, 4),
	/* LIKWID has 12 for these */
	COMMANDS("data_slot_clks", 0x14, 2, 16 * 8),
};
static const struct unc_sim_sum channel_sums[] = {CAS_SUMS("cas_count", 0x0a, 1, 2)};

#define CHANNEL(mc, ch) {.kind = UNC_SIM_IMC, .imc = mc, .channel = ch}
#define CHANNELS_4(mc, ch) CHANNEL(mc, ch), CHANNEL(mc, (ch) + 1), CHANNEL(mc, (ch) + 2), CHANNEL(mc, (ch) + 3)
/* clang-format on */
/* A die of a 7601 has two channels, a socket of a 7742 and a 7763 eight, one of a 9124 and a 9655 twelve. */
static const struct unc_sim_function zen1_functions[] = {
	CHANNEL(0, 0), CHANNEL(0, 1), CHANNEL(1, 0), CHANNEL(1, 1),
	CHANNEL(2, 0), CHANNEL(2, 1), CHANNEL(3, 0), CHANNEL(3, 1),
};
static const struct unc_sim_function zen2_functions[] = {CHANNELS_4(0, 0), CHANNELS_4(0, 4)};
static const struct unc_sim_function zen4_functions[] = {CHANNELS_4(0, 0), CHANNELS_4(0, 4), CHANNELS_4(0, 8)};

/* How many ticks a cycle of the memory's clock has, which is half of its transfer rate, and the channels. */
#define MEMORY(ticks, channels) .ticks_per_cycle = ticks, CHANNELS(channels, channel_events, channel_sums)

/*
 * EPYC 7742, Rome ("Zen 2"): one L3 for every four cores. Its bandwidth counters have 62 bits although leaf 0xf.1 EAX does
 * not say so (APM; Linux uses 44 of them). Its DIMMs are DDR4-2400, though it could have DDR4-3200.
 */

/* As read on a machine of two AMD EPYC 7742 (830F10); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf zen2_leaves[] = {
	{0x0, 0, {0x00000010, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x1, 0, {0x00000000, 0x00800800, 0x7ef8320b, 0x178bfbff}}, /* + signature, APIC ids */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00000011}},
	{0x6, 0, {0x00000004, 0x00000000, 0x00000001, 0x00000000}},
	{0x7, 0, {0x00000000, 0x219c91a9, 0x00400004, 0x00000000}},
	{0xd, 0, {0x00000207, 0x00000340, 0x00000380, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000340, 0x00000000, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 9, {0x00000040, 0x00000340, 0x00000000, 0x00000000}},
	{0x10, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000f, 0x00000000, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	{0x80000000, 0, {0x80000020, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x80000001, 0, {0x00000000, 0x40000000, 0x75c237ff, 0x2fd3fbff}},
	{0x80000005, 0, {0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140}},
	{0x80000006, 0, {0x48006400, 0x68006400, 0x02006140, 0x08009140}}, /* + L3s */
	{0x80000007, 0, {0x00000000, 0x0000001b, 0x00000000, 0x00006799}},
	{0x80000008, 0, {0x00003030, 0x018ef757, 0x0000707f, 0x00010000}}, /* + threads, and APIC id bits for them */
	{0x8000000a, 0, {0x00000001, 0x00008000, 0x00000000, 0x0013bcff}},
	{0x80000019, 0, {0xf040f040, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001a, 0, {0x00000006, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001b, 0, {0x000003ff, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001d, 0, {0x00004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + threads that share it */
	{0x8000001d, 1, {0x00004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x8000001d, 2, {0x00004143, 0x01c0003f, 0x000003ff, 0x00000002}}, /* L2 */
	{0x8000001d, 3, {0x0001c163, 0x03c0003f, 0x00003fff, 0x00000001}}, /* L3 */
	{0x8000001f, 0, {0x0001000f, 0x0000016f, 0x000001fd, 0x00000001}},
	/* further allocation and monitoring features */
	{0x80000020, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}},
	/* The dump lacks this leaf and says there is MBA (.0 EBX bit 1). verify: as on an EPYC 9124. */
	{0x80000020, 1, {0x0000000b, 0x00000000, 0x00000000, 0x0000000f}},
};

/* The size of an L3 is in leaf 0x8000001d.3. */
#define ZEN(part, l3_mb, hz)                                                                                           \
	.on = part, .vendor = UNC_SIM_AMD, .l3_bytes = (l3_mb) << 20, .tsc_hz = hz, .threads = 2,                      \
	.apic = UNC_SIM_APIC_BY_L3

/*
 * of_l3 and bits: the cores of an L3, and the least bits of an APIC id for these; width: the bits of a bandwidth counter, which where
 * leaf 0xf.1 EAX[7:0] is 0 are 62 (17h) or 44 (19h): AMD APM volume 2, chapter 19.  There, CPUs of an L3 share IA32_QM_EVTSEL.
 */
/* clang-format off */
#define ZEN_SIZE(packages, of_package, of_l3, bits) \
	SIZE(packages, of_package, 0), .l3_cores = of_l3, .l3_core_bits = bits
#define ZEN_MODEL(rmid, packages, of_package, of_l3, bits, width) \
	ZEN_SIZE(packages, of_package, of_l3, bits), RDT(rmid, 64, 0x7, width, 16)
/* clang-format on */

const struct unc_sim_model unc_sim_zen2 = {
	PART("zen2", "Rome", 0x00830f10, "AMD EPYC 7742 64-Core Processor                "),
	ZEN(UNC_SIM_ON_ZEN2, 16, 2250000000),
	ZEN_MODEL(0xff, 2, 64, 4, 2, 62),
	.qm_of_l3 = true,
	MEMORY(10, zen2_functions),
	TABLE(leaves, zen2_leaves),
};

/*
 * EPYC 7601, Naples ("Zen"): a package of four dies, each with a data fabric and two L3s of four cores; nothing of its
 * caches is monitored.
 *
 * verify: no dump of one was available. Signature and bits 10, 24 and 28 of 80000001 ECX (no instruction-based sampling, but
 * uncore counters) are known; number and name are those of the part as it is sold; all other leaves are those of a 7742,
 * without what came with it.
 */
static const struct unc_sim_leaf zen1_leaves[] = {
	{0x0, 0, {0x0000000d, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x7, 0, {0x00000000, 0x209c01a9, 0x00000000, 0x00000000}}, /* no monitoring (EBX 12) and allocation (15) */
	{0x80000000, 0, {0x8000001f, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x80000001, 0, {0x00000000, 0x40000000, 0x35c233ff, 0x2fd3fbff}},
	{0x80000008, 0, {0x00003030, 0x00001007, 0x0000603f, 0x00000000}}, /* + threads, and APIC id bits for them */
	{0x8000001b, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001d, 3, {0x0001c163, 0x03c0003f, 0x00001fff, 0x00000001}}, /* L3 */
};

const struct unc_sim_model unc_sim_zen1 = {
	PART("zen1", "Naples", 0x00800f12, "AMD EPYC 7601 32-Core Processor                "),
	ZEN(UNC_SIM_ON_ZEN1, 8, 2200000000),
	ZEN_SIZE(2, 32, 4, 2),
	.dies = 4,
	MEMORY(10, zen1_functions),
	CPUID_LIKE(unc_sim_zen2, zen1_leaves),
};

/* EPYC 7763, Milan ("Zen 3"): one L3 for every eight cores, otherwise as zen2. */

/*
 * verify: no dump of one was available. Leaf 0xf and the L3 of 0x8000001d are as InstLatx64 has them from such a part;
 * number and name are those of the part as it is sold; all other leaves are those of a 7742.
 */
static const struct unc_sim_leaf zen3_leaves[] = {
	{0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001}},
};

const struct unc_sim_model unc_sim_zen3 = {
	PART("zen3", "Milan", 0x00a00f11, "AMD EPYC 7763 64-Core Processor                "),
	ZEN(UNC_SIM_ON_ZEN3, 32, 2450000000),
	ZEN_MODEL(0xff, 2, 64, 8, 3, 44),
	.qm_of_l3 = true,
	MEMORY(10, zen2_functions),
	CPUID_LIKE(unc_sim_zen2, zen3_leaves),
};

/*
 * EPYC 9124, Genoa ("Zen 4"): four L3s with four cores each. Larger parts have eight cores on an L3, so its APIC ids
 * have room for eight. It is as zen2, and also what the memory bandwidth events count can be chosen (BMEC).
 */

/* As read on a machine of one AMD EPYC 9124 (A10F11), as far as it differs from an EPYC 7742. */
static const struct unc_sim_leaf zen4_leaves[] = {
	{0x1, 0, {0x00000000, 0x00200800, 0x7efa320b, 0x178bfbff}}, /* + signature, APIC ids */
	{0x7, 0, {0x00000001, 0xf1bf97a9, 0x00415fce, 0x10000010}},
	{0x7, 1, {0x00000020, 0x00000000, 0x00000000, 0x00000000}},
	{0xd, 0, {0x000002e7, 0x00000980, 0x00000988, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000990, 0x00001800, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000340, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000380, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000580, 0x00000000, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000980, 0x00000000, 0x00000000}},
	{0xd, 0xb, {0x00000010, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xc, {0x00000018, 0x00000000, 0x00000001, 0x00000000}},
	{0x80000000, 0, {0x80000028, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x80000005, 0, {0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140}},
	{0x80000006, 0, {0x5c002200, 0x6c004200, 0x04006140, 0x02009140}}, /* + L3s */
	{0x80000007, 0, {0x00000000, 0x0000003b, 0x00000000, 0x00006799}},
	{0x80000008, 0, {0x00003934, 0x79bef25f, 0x0000601f, 0x00010007}}, /* + threads, and APIC id bits for them */
	{0x8000000a, 0, {0x00000001, 0x00008000, 0x00000000, 0x1fbfbcff}},
	{0x80000019, 0, {0xf048f040, 0xf0400000, 0x00000000, 0x00000000}},
	{0x8000001b, 0, {0x00000bff, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001d, 2, {0x00004143, 0x01c0003f, 0x000007ff, 0x00000002}}, /* L2 */
	{0x8000001f, 0, {0x030ffffb, 0x000041b3, 0x000003ee, 0x00000001}},
	/* further allocation and monitoring features */
	{0x80000020, 0, {0x00000000, 0x0000001e, 0x00000000, 0x00000000}},
	{0x80000020, 2, {0x0000000b, 0x00000000, 0x00000000, 0x0000000f}},
	{0x80000020, 3, {0x00000000, 0x00000002, 0x0000007f, 0x00000000}},
	{0x80000021, 0, {0x00062fcf, 0x0000015c, 0x00000000, 0x00000000}},
	{0x80000022, 0, {0x00000007, 0x00044106, 0x00000008, 0x00000000}}, /* + counters and UMCs */
	{0x80000023, 0, {0x00000001, 0x0000003f, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_zen4 = {
	PART("zen4", "Genoa", 0x00a10f11, "AMD EPYC 9124 16-Core Processor                "),
	ZEN(UNC_SIM_ON_ZEN4, 16, 3000000000),
	ZEN_MODEL(0xff, 1, 16, 4, 3, 44),
	.umcs = 0x8,               /* leaf 0x80000022: DIMMs in one channel */
	MEMORY(5, zen4_functions), /* DDR5-4800 */
	CPUID_LIKE(unc_sim_zen2, zen4_leaves),
};

/* EPYC 9655, Turin ("Zen 5"): 12 L3s with eight cores each, RMIDs of 12 bits; otherwise as zen4. */

/*
 * verify: no dump of one was available. Leaves 7 (EBX), 0xf, 0x10 and 0x80000020 and the L3 of 0x8000001d are as
 * InstLatx64 has them from such a part (without second threads), except 0x80000020.2, which is assumed to be as .1;
 * number and name are those of the part as it is sold; all other leaves, and how APIC ids count its L3s, are those of a
 * 9124.
 */
static const struct unc_sim_leaf zen5_leaves[] = {
	{0x7, 0, {0x00000001, 0xf1bf97ab, 0x00415fce, 0x10000010}},
	{0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001}},
	{0x80000020, 0, {0x00000000, 0x0000007e, 0x00000000, 0x00000000}},
	{0x80000020, 1, {0x0000000c, 0x00000000, 0x00000000, 0x0000000f}},
	{0x80000020, 2, {0x0000000c, 0x00000000, 0x00000000, 0x0000000f}},
	{0x80000020, 5, {0x00000014, 0x0000001f, 0x00000001, 0x00000000}},
};

const struct unc_sim_model unc_sim_zen5 = {
	PART("zen5", "Turin", 0x00b00f21, "AMD EPYC 9655 96-Core Processor                "),
	ZEN(UNC_SIM_ON_ZEN5, 32, 2600000000),
	ZEN_MODEL(0xfff, 2, 96, 8, 3, 44),
	.umcs = 0xfff,             /* as InstLatx64 has leaf 0x80000022 of a 9655: 00000007 00304106 00000fff */
	MEMORY(4, zen4_functions), /* DDR5-6000 */
	CPUID_LIKE(unc_sim_zen4, zen5_leaves),
};
