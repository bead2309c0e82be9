// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Xeon E5-2600, Sandy Bridge-EP ("JKT").
 *
 * G-JKT: Intel 327043-001, uncore performance monitoring guide for the E5-2600.  Event codes, sub-events and maximum
 * increments are those of its memory-controller chapter (p.60 to 68), checked against other transcriptions.
 */
#include "sim/options.h"

#define N(table) (sizeof(table) / sizeof((table)[0]))

/*
 * G-JKT: the channels are functions 0, 1, 4, 5 of device 16 (0x10); the Linux driver and lspci on such machines give
 * the device ids, and the UBOX at device 11 (0x0b).  Revision 07 is stepping C2.
 */
static const struct unc_sim_function functions[] = {
	{.dev = 0x0b, .fn = 0, .device_id = 0x3ce0, .revision = 0x07, .kind = UNC_SIM_UBOX},
	{.dev = 0x10, .fn = 0, .device_id = 0x3cb0, .revision = 0x07, .kind = UNC_SIM_IMC, .imc = 0, .channel = 0},
	{.dev = 0x10, .fn = 1, .device_id = 0x3cb1, .revision = 0x07, .kind = UNC_SIM_IMC, .imc = 0, .channel = 1},
	{.dev = 0x10, .fn = 4, .device_id = 0x3cb4, .revision = 0x07, .kind = UNC_SIM_IMC, .imc = 0, .channel = 2},
	{.dev = 0x10, .fn = 5, .device_id = 0x3cb5, .revision = 0x07, .kind = UNC_SIM_IMC, .imc = 0, .channel = 3},
};

#define EVENT(n, c, max)        .name = n, .code = c, .max_inc = max
#define SUB(n, c, bit)          .name = n, .code = c, .umask = bit, .max_inc = 1
#define RANK(n, c, bit, max)    .name = n, .code = c, .umask = bit, .max_inc = max, .flags = UNC_SIM_RANKS
#define CAS(n, bit, f, all, no) .name = n, .code = 0x04, .umask = bit, .max_inc = 1, .from = f, .whole = all, .less = no

static const struct unc_sim_event events[] = {
	{.name = "clockticks", .code = 0x00, .max_inc = 1, .flags = UNC_SIM_CONSTANT},
	{EVENT("act_count", 0x01, 1)},
	{SUB("pre_count.page_miss", 0x02, 0x01)},
	{SUB("pre_count.page_close", 0x02, 0x02)},
	/*
	 * A CAS moves 64 bytes.  Of a load's bytes per second, 1 read in 16 is an underfill read (a partial write's), 1
	 * write in 8 is done in read major mode: shares of this model.
	 */
	{CAS("cas_count.rd_reg", 0x01, UNC_SIM_FROM_READ, 16, 1)},
	{CAS("cas_count.rd_underfill", 0x02, UNC_SIM_FROM_READ, 1, 0)},
	{CAS("cas_count.wr_wmm", 0x04, UNC_SIM_FROM_WRITE, 16, 2)},
	{CAS("cas_count.wr_rmm", 0x08, UNC_SIM_FROM_WRITE, 2, 0)},
	{SUB("dram_refresh.panic", 0x05, 0x02)},
	{SUB("dram_refresh.high", 0x05, 0x04)},
	{EVENT("dram_pre_all", 0x06, 1)},
	{SUB("major_modes.read", 0x07, 0x01)},
	{SUB("major_modes.write", 0x07, 0x02)},
	{SUB("major_modes.partial", 0x07, 0x04)},
	{SUB("major_modes.isoch", 0x07, 0x08)},
	{SUB("preemption.rd_preempt_rd", 0x08, 0x01)},
	{SUB("preemption.rd_preempt_wr", 0x08, 0x02)},
	{EVENT("ecc_correctable_errors", 0x09, 1)},
	{EVENT("rpq_inserts", 0x10, 1)},
	{EVENT("rpq_cycles_ne", 0x11, 1)},
	{EVENT("rpq_cycles_full", 0x12, 1)},
	{EVENT("wpq_inserts", 0x20, 1)},
	{EVENT("wpq_cycles_ne", 0x21, 1)},
	{EVENT("wpq_cycles_full", 0x22, 1)},
	{EVENT("wpq_read_hit", 0x23, 1)},
	{EVENT("wpq_write_hit", 0x24, 1)},
	/* Maximum increment 1 with eight ranks: ranks are not added here either. */
	{RANK("power_throttle_cycles.rank0", 0x41, 0x01, 1)},
	{RANK("power_throttle_cycles.rank1", 0x41, 0x02, 1)},
	{RANK("power_throttle_cycles.rank2", 0x41, 0x04, 1)},
	{RANK("power_throttle_cycles.rank3", 0x41, 0x08, 1)},
	{RANK("power_throttle_cycles.rank4", 0x41, 0x10, 1)},
	{RANK("power_throttle_cycles.rank5", 0x41, 0x20, 1)},
	{RANK("power_throttle_cycles.rank6", 0x41, 0x40, 1)},
	{RANK("power_throttle_cycles.rank7", 0x41, 0x80, 1)},
	{EVENT("power_self_refresh", 0x43, 1)}, /* the guide leaves its maximum increment blank */
	{EVENT("rpq_occupancy", 0x80, 22)},
	{EVENT("wpq_occupancy", 0x81, 32)},
	/* G-JKT: never adds ranks, one rank per counter. */
	{RANK("power_cke_cycles.rank0", 0x83, 0x01, 16)},
	{RANK("power_cke_cycles.rank1", 0x83, 0x02, 16)},
	{RANK("power_cke_cycles.rank2", 0x83, 0x04, 16)},
	{RANK("power_cke_cycles.rank3", 0x83, 0x08, 16)},
	{RANK("power_cke_cycles.rank4", 0x83, 0x10, 16)},
	{RANK("power_cke_cycles.rank5", 0x83, 0x20, 16)},
	{RANK("power_cke_cycles.rank6", 0x83, 0x40, 16)},
	{RANK("power_cke_cycles.rank7", 0x83, 0x80, 16)},
	{EVENT("power_channel_dlloff", 0x84, 1)},
	{EVENT("power_channel_ppd", 0x85, 4)},
	{EVENT("power_critical_throttle_cycles", 0x86, 1)},
};

static const struct unc_sim_sum sums[] = {
	{.name = "cas_count.rd", .code = 0x04, .umask = 0x03},
	{.name = "cas_count.wr", .code = 0x04, .umask = 0x0c},
	{.name = "cas_count.all", .code = 0x04, .umask = 0x0f},
};

/* As read on an Intel Xeon E5-2687W (206D7); sim/cpuid.c puts in what depends on the CPU. */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69}}, /* "GenuineIntel", highest leaf 0xd */
	{0x1, 0, {0x000206d7, 0x00000800, 0x1fbee3ff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000}},
	{0x4, 0, {0x00000121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x00000122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x00000143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x00000163, 0x04c0003f, 0x00003fff, 0x00000006}}, /* L3, 20 MB, + who shares it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00021120}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x9, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xa, 0, {0x07300403, 0x00000000, 0x00000000, 0x00000603}},
	{0xb, 0, {0x00000000, 0x00000001, 0x00000100, 0x00000000}}, /* level "SMT": one thread */
	{0xb, 1, {0x00000000, 0x00000000, 0x00000201, 0x00000000}}, /* level "core", + cores */
	{0xd, 0, {0x00000007, 0x00000340, 0x00000340, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}}, /* AVX state: the rest of the 0x340 bytes */
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000001, 0x2c100000}},
	/* "      Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz" */
	{0x80000002, 0, {0x20202020, 0x6e492020, 0x286c6574, 0x58202952}},
	{0x80000003, 0, {0x286e6f65, 0x43202952, 0x45205550, 0x36322d35}},
	{0x80000004, 0, {0x20573738, 0x20402030, 0x30312e33, 0x007a4847}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

/* Of both controllers; G-JKT tables 2-60 and 2-61, DS-SNB for BOX_STATUS. */
static const struct unc_sim_pmon pmon = {
	.ctl_writable = 0xffc4ffff, /* ev_sel, umask, edge_det 18, en 22, invert 23, thresh */
	.fixed_writable = 0x00400000,
	.frz_needs_en = true,
	.status_writable = 0x7f,
};

/* 1: ff; 2: 7f, ff; 4: 3f, 7f, bf, ff; as such machines number them. */
static void snbep_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		      uint8_t *ret_bus)
{
	unsigned shares = 1, nth = options->reversed ? options->sockets - 1 - socket : socket;

	(void)slot; /* there is one */
	while (shares < options->sockets)
		shares *= 2;
	*ret_domain = 0;
	*ret_bus = (uint8_t)(256 / shares * (nth + 1) - 1);
}

const struct unc_sim_model unc_sim_snbep = {
	.name = "snbep",
	.cores = 8,
	.threads = 2,
	.apic_shift = 5,
	.ticks_per_cycle = 15, /* DDR3-1600: 800 MHz */
	.pmon = &pmon,
	.l3_bytes = 20 << 20,
	.tsc_hz = 3100000000,
	.leaves = leaves,
	.n_leaves = N(leaves),
	.bus = snbep_bus,
	.config_bytes = 256,
	.functions = functions,
	.n_functions = N(functions),
	.events = events,
	.n_events = N(events),
	.sums = sums,
	.n_sums = N(sums),
};
