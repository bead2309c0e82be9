/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the models' tables, and what several models have in common. Only model*.c include this file.
 *
 * Event codes, sub-events and maximum increments are from G-JKT (Intel 327043-001, p.60 to 68) and G-IVT (329468-002,
 * p.83 to 94), and for all generations from Intel's event lists, libpfm4, ucevent and LIKWID. A comment at the row says
 * where they differ, or which one alone has an event.
 */
#ifndef UNC_SIM_MODEL_PARTS_H
#define UNC_SIM_MODEL_PARTS_H

#include "sim/options.h"

/* What a part is called, and how it monitors caches. */
#define PART(model, part, sig, text) .name = model, .title = part, .signature = sig, .brand = text
/* Packages, cores of each, and by how much APIC ids are shifted to the package at least. */
#define SIZE(packages, of_package, shift) .sockets = packages, .cores = of_package, .apic_shift = shift
#define RDT(rmid, bytes, bits, ctr_width, clos)                                                                        \
	.rdt = &(const struct unc_sim_rdt)                                                                             \
	{                                                                                                              \
		.max_rmid = rmid, .upscale = bytes, .events = bits, .width = ctr_width, .n_clos = clos                 \
	}

/* A table of a model, and the number of its rows. */
#define TABLE(member, table) .member = table, .n_##member = sizeof(table) / sizeof((table)[0])

/* Its functions, and the events and sums of its channels. */
#define CHANNELS(is, what, sum_of) TABLE(functions, is), TABLE(events, what), TABLE(sums, sum_of)
/* CPUID is as that of another model, except for these leaves. */
#define CPUID_LIKE(other, its_leaves) .like = &(other), TABLE(leaves, its_leaves)

/* The classes that lspci shows for these functions on all of the models. */
#define CLASS_SYSTEM UINT32_C(0x088000) /* "System peripheral" */
#define CLASS_PERF   UINT32_C(0x110100) /* "Performance counters" */

/* clang-format off */
#define FN(s, d, f, id, rev, class, what) \
	.slot = s, .dev = d, .fn = f, .device_id = id, .revision = rev, .class_code = class, .kind = what
#define FN_UBOX(s, d, f, id, rev)        {FN(s, d, f, id, rev, CLASS_SYSTEM, UNC_SIM_UBOX)}
#define FN_IMC(s, d, f, id, rev, mc, ch) {FN(s, d, f, id, rev, CLASS_SYSTEM, UNC_SIM_IMC), .imc = mc, .channel = ch}
#define FN_SYSTEM(s, d, f, id, rev)      {FN(s, d, f, id, rev, CLASS_SYSTEM, UNC_SIM_OTHER)}
#define FN_PERF(s, d, f, id, rev)        {FN(s, d, f, id, rev, CLASS_PERF, UNC_SIM_OTHER)}

/*
 * Events: one without sub-events; one that is counted by exactly this umask; and n sub-events, each with a bit of the
 * umask, from the given bit on.
 */
#define EVENT(n, c, max)                 {.name = n, .code = c, .max_inc = max}
#define EXACT(n, c, u, max)              {.name = n, .code = c, .umask = u, .max_inc = max, .flags = UNC_SIM_NUMBER}
#define SUB_1(n, c, bit, max, sub)       {.name = n "." sub, .code = c, .umask = bit, .max_inc = max}
#define SUB_2(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_1(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_3(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_2(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_4(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_3(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_5(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_4(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_6(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_5(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_7(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_6(n, c, 2 * (bit), max, __VA_ARGS__)
#define SUB_8(n, c, bit, max, sub, ...)  SUB_1(n, c, bit, max, sub), SUB_7(n, c, 2 * (bit), max, __VA_ARGS__)
/* The commands that move data: their share of a load's bytes, and how many cycles each takes of the data bus. */
#define CAS(n, c, bit, f, all, no, dclks) \
	{.name = n, .code = c, .umask = bit, .max_inc = 1, .clocks = dclks, .from = f, .whole = all, .less = no}
/* Several sub-events of an event together, or another name of one. */
#define SUM(n, c, u)             {.name = n, .code = c, .umask = u}
#define CAS_SUMS(n, c, rds, wrs) SUM(n ".rd", c, rds), SUM(n ".wr", c, wrs), SUM(n ".all", c, (rds) | (wrs))

/* One rank per counter: ranks never add up (G-JKT on POWER_CKE_CYCLES). */
#define RANK(n, c, r, max) {.name = n ".rank" #r, .code = c, .umask = 1 << r, .max_inc = max, .flags = UNC_SIM_RANKS}
#define RANKS(n, c, max) \
	RANK(n, c, 0, max), RANK(n, c, 1, max), RANK(n, c, 2, max), RANK(n, c, 3, max), \
	RANK(n, c, 4, max), RANK(n, c, 5, max), RANK(n, c, 6, max), RANK(n, c, 7, max)

#define CLOCK {.name = "clockticks", .code = 0x00, .max_inc = 1, .flags = UNC_SIM_CONSTANT}

#define EVENT_05 SUB_2("dram_refresh", 0x05, 0x02, 1, "panic", "high")

#define EVENTS_06_TO_09 \
	EVENT("dram_pre_all", 0x06, 1), \
	/* LIKWID alone has 03 for partial, 04 for isoch */ \
	SUB_4("major_modes", 0x07, 0x01, 1, "read", "write", "partial", "isoch"), \
	SUB_2("preemption", 0x08, 0x01, 1, "rd_preempt_rd", "rd_preempt_wr"), \
	EVENT("ecc_correctable_errors", 0x09, 1)

#define EVENTS_21_TO_41 \
	EVENT("wpq_cycles_ne", 0x21, 1), \
	EVENT("wpq_cycles_full", 0x22, 1), \
	EVENT("wpq_read_hit", 0x23, 1), \
	EVENT("wpq_write_hit", 0x24, 1), \
	RANKS("power_throttle_cycles", 0x41, 1)

#define EVENTS_83_TO_86 \
	RANKS("power_cke_cycles", 0x83, 16), \
	EVENT("power_channel_dlloff", 0x84, 1), \
	EVENT("power_channel_ppd", 0x85, 4), \
	EVENT("power_critical_throttle_cycles", 0x86, 1)

/* From Ivy Bridge-EP on. */
#define EVENTS_01_TO_02 \
	SUB_2("act_count", 0x01, 0x01, 1, "rd", "wr"), \
	SUB_1("act_count", 0x01, 0x08, 1, "byp"), \
	SUB_5("pre_count", 0x02, 0x01, 1, "page_miss", "page_close", "rd", "wr", "byp")

/*
 * A CAS moves 64 bytes. Of the reads of a load, 1 in 16 is an underfill read (for a partial write) and 1 in 4 is done
 * in write major mode; of the writes, 1 in 8 is done in read major mode. These shares are made up for these models.
 *
 * rd_wmm and rd_rmm count all reads again, by the mode that the controller is in, so rd is still rd_reg + rd_underfill.
 * Their umasks are 10 and 20 in Intel's lists and ucevent; libpfm4 has them the other way round.
 */
#define CAS_4 \
	CAS("cas_count.rd_reg", 0x04, 0x01, UNC_SIM_FROM_READ, 16, 1, 4), \
	CAS("cas_count.rd_underfill", 0x04, 0x02, UNC_SIM_FROM_READ, 1, 0, 4), \
	CAS("cas_count.wr_wmm", 0x04, 0x04, UNC_SIM_FROM_WRITE, 16, 2, 4), \
	CAS("cas_count.wr_rmm", 0x04, 0x08, UNC_SIM_FROM_WRITE, 2, 0, 4)
#define CAS_AGAIN(n, bit, f, all, no) \
	{.name = n, .code = 0x04, .umask = bit, .max_inc = 1, .clocks = 4, .from = f, .whole = all, .less = no, \
	 .flags = UNC_SIM_AGAIN}
#define CAS_6 \
	CAS_4, \
	CAS_AGAIN("cas_count.rd_wmm", 0x10, UNC_SIM_FROM_READ, 4, 0), \
	CAS_AGAIN("cas_count.rd_rmm", 0x20, UNC_SIM_FROM_READ, 16, 4)

/* Optane modules: Cascade Lake to Ice Lake-SP. */
#define EVENTS_E1_TO_E7 \
	EVENT("pmm_rpq_cycles_ne", 0xe1, 1), \
	EVENT("pmm_rpq_cycles_full", 0xe2, 1), \
	EVENT("pmm_rpq_inserts", 0xe3, 1), \
	SUB_3("pmm_wpq_occupancy", 0xe4, 0x01, 32, "all", "cas", "pwr"), \
	EVENT("pmm_wpq_cycles_ne", 0xe5, 1), \
	EVENT("pmm_wpq_cycles_full", 0xe6, 1), \
	EVENT("pmm_wpq_inserts", 0xe7, 1)

#define EVENTS_A0_TO_A1 \
	SUB_4("rd_cas_prio", 0xa0, 0x01, 1, "low", "med", "high", "panic"), \
	SUB_3("byp_cmds", 0xa1, 0x01, 1, "act", "cas", "pre")

#define EVENTS_C0_TO_C1 \
	SUB_3("wmm_to_rmm", 0xc0, 0x01, 1, "low_thresh", "starve", "vmse_retry"), \
	EVENT("wrong_mm", 0xc1, 1)

/* RD_CAS_RANK0 to 7 are B0 to B7, WR_CAS_RANK0 to 7 are B8 to BF; each(name, code) makes the rows of one of them. */
#define EACH_RANK(each) \
	each("rd_cas_rank0", 0xb0), each("rd_cas_rank1", 0xb1), each("rd_cas_rank2", 0xb2), each("rd_cas_rank3", 0xb3), \
	each("rd_cas_rank4", 0xb4), each("rd_cas_rank5", 0xb5), each("rd_cas_rank6", 0xb6), each("rd_cas_rank7", 0xb7), \
	each("wr_cas_rank0", 0xb8), each("wr_cas_rank1", 0xb9), each("wr_cas_rank2", 0xba), each("wr_cas_rank3", 0xbb), \
	each("wr_cas_rank4", 0xbc), each("wr_cas_rank5", 0xbd), each("wr_cas_rank6", 0xbe), each("wr_cas_rank7", 0xbf)

/* Haswell-EP and later: the umask numbers 16 banks (00 to 0f), all of them (10), and bank groups of four (11 to 14). */
#define BANKS_4(n, c, b0, b1, b2, b3) \
	EXACT(n ".bank" #b0, c, b0, 1), EXACT(n ".bank" #b1, c, b1, 1), \
	EXACT(n ".bank" #b2, c, b2, 1), EXACT(n ".bank" #b3, c, b3, 1)
#define BANKS_16(n, c) \
	BANKS_4(n, c, 0, 1, 2, 3), BANKS_4(n, c, 4, 5, 6, 7), BANKS_4(n, c, 8, 9, 10, 11), BANKS_4(n, c, 12, 13, 14, 15)
#define BANK_SUM(text, c, u, begin, number) {.name = text, .code = c, .umask = u, .first = begin, .n = number}
#define BANK_SUMS(n, c) \
	BANK_SUM(n ".allbanks", c, 0x10, 0, 16), \
	BANK_SUM(n ".bankg0", c, 0x11, 0, 4), BANK_SUM(n ".bankg1", c, 0x12, 4, 4), \
	BANK_SUM(n ".bankg2", c, 0x13, 8, 4), BANK_SUM(n ".bankg3", c, 0x14, 12, 4)
/* clang-format on */

#endif
