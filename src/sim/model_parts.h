/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the models' tables, and what several models have in common.
 *
 * Event codes, sub-events and maximum increments are from G-JKT (Intel 327043-001, p.60 to 68) and G-IVT (329468-002,
 * p.83 to 94), and for all generations from Intel's event lists, libpfm4, ucevent and LIKWID. A comment at the row says
 * where they differ, or which one alone has an event.
 */
#ifndef UNC_SIM_MODEL_PARTS_H
#define UNC_SIM_MODEL_PARTS_H

#include "sim/options.h"

#define UNC_SIM_N(table) (sizeof(table) / sizeof((table)[0]))
/* A table of a model, and the number of its rows. */
#define UNC_SIM_TABLE(member, table) .member = table, .n_##member = UNC_SIM_N(table)

/* The classes that lspci shows for these functions on all of the models. */
#define UNC_SIM_CLASS_SYSTEM UINT32_C(0x088000) /* "System peripheral" */
#define UNC_SIM_CLASS_PERF   UINT32_C(0x110100) /* "Performance counters" */

/* clang-format off */
#define UNC_SIM_FN(s, d, f, id, rev, class, what) \
	.slot = s, .dev = d, .fn = f, .device_id = id, .revision = rev, .class_code = class, .kind = what
#define UNC_SIM_FN_UBOX(s, d, f, id, rev) {UNC_SIM_FN(s, d, f, id, rev, UNC_SIM_CLASS_SYSTEM, UNC_SIM_UBOX)}
#define UNC_SIM_FN_IMC(s, d, f, id, rev, mc, ch) \
	{UNC_SIM_FN(s, d, f, id, rev, UNC_SIM_CLASS_SYSTEM, UNC_SIM_IMC), .imc = mc, .channel = ch}
#define UNC_SIM_FN_SYSTEM(s, d, f, id, rev) {UNC_SIM_FN(s, d, f, id, rev, UNC_SIM_CLASS_SYSTEM, UNC_SIM_OTHER)}
#define UNC_SIM_FN_PERF(s, d, f, id, rev)   {UNC_SIM_FN(s, d, f, id, rev, UNC_SIM_CLASS_PERF, UNC_SIM_OTHER)}

#define UNC_SIM_CLOCK(n)         {.name = n, .code = 0x00, .max_inc = 1, .flags = UNC_SIM_CONSTANT}
#define UNC_SIM_EVENT(n, c, max) {.name = n, .code = c, .max_inc = max}
#define UNC_SIM_SUB(n, c, bit)   {.name = n, .code = c, .umask = bit, .max_inc = 1}
#define UNC_SIM_CAS(n, bit, f, all, no, fl) \
	{.name = n, .code = 0x04, .umask = bit, .max_inc = 1, .clocks = 4, .from = f, .whole = all, .less = no, .flags = fl}

/* One rank per counter: ranks never add up (G-JKT on POWER_CKE_CYCLES). */
#define UNC_SIM_RANK(n, c, r, max) \
	{.name = n ".rank" #r, .code = c, .umask = 1 << r, .max_inc = max, .flags = UNC_SIM_RANKS}
#define UNC_SIM_8_RANKS(n, c, max) \
	UNC_SIM_RANK(n, c, 0, max), UNC_SIM_RANK(n, c, 1, max), UNC_SIM_RANK(n, c, 2, max), \
	UNC_SIM_RANK(n, c, 3, max), UNC_SIM_RANK(n, c, 4, max), UNC_SIM_RANK(n, c, 5, max), \
	UNC_SIM_RANK(n, c, 6, max), UNC_SIM_RANK(n, c, 7, max)

#define UNC_SIM_EVENT_05 \
	UNC_SIM_SUB("dram_refresh.panic", 0x05, 0x02), \
	UNC_SIM_SUB("dram_refresh.high", 0x05, 0x04)

#define UNC_SIM_EVENTS_06_TO_09 \
	UNC_SIM_EVENT("dram_pre_all", 0x06, 1), \
	UNC_SIM_SUB("major_modes.read", 0x07, 0x01), \
	UNC_SIM_SUB("major_modes.write", 0x07, 0x02), \
	UNC_SIM_SUB("major_modes.partial", 0x07, 0x04), /* LIKWID alone has 03 */ \
	UNC_SIM_SUB("major_modes.isoch", 0x07, 0x08),   /* LIKWID alone has 04 */ \
	UNC_SIM_SUB("preemption.rd_preempt_rd", 0x08, 0x01), \
	UNC_SIM_SUB("preemption.rd_preempt_wr", 0x08, 0x02), \
	UNC_SIM_EVENT("ecc_correctable_errors", 0x09, 1)

#define UNC_SIM_EVENTS_21_TO_41 \
	UNC_SIM_EVENT("wpq_cycles_ne", 0x21, 1), \
	UNC_SIM_EVENT("wpq_cycles_full", 0x22, 1), \
	UNC_SIM_EVENT("wpq_read_hit", 0x23, 1), \
	UNC_SIM_EVENT("wpq_write_hit", 0x24, 1), \
	UNC_SIM_8_RANKS("power_throttle_cycles", 0x41, 1)

#define UNC_SIM_EVENTS_83_TO_86 \
	UNC_SIM_8_RANKS("power_cke_cycles", 0x83, 16), \
	UNC_SIM_EVENT("power_channel_dlloff", 0x84, 1), \
	UNC_SIM_EVENT("power_channel_ppd", 0x85, 4), \
	UNC_SIM_EVENT("power_critical_throttle_cycles", 0x86, 1)

/* From Ivy Bridge-EP on. */
#define UNC_SIM_EVENTS_01_TO_02 \
	UNC_SIM_SUB("act_count.rd", 0x01, 0x01), \
	UNC_SIM_SUB("act_count.wr", 0x01, 0x02), \
	UNC_SIM_SUB("act_count.byp", 0x01, 0x08), \
	UNC_SIM_SUB("pre_count.page_miss", 0x02, 0x01), \
	UNC_SIM_SUB("pre_count.page_close", 0x02, 0x02), \
	UNC_SIM_SUB("pre_count.rd", 0x02, 0x04), \
	UNC_SIM_SUB("pre_count.wr", 0x02, 0x08), \
	UNC_SIM_SUB("pre_count.byp", 0x02, 0x10)
#define UNC_SIM_ACT_SUM {.name = "act_count.all", .code = 0x01, .umask = 0x0b}

/*
 * A CAS moves 64 bytes. Of the reads of a load, 1 in 16 is an underfill read (for a partial write) and 1 in 4 is done
 * in write major mode; of the writes, 1 in 8 is done in read major mode. These shares are made up for these models.
 *
 * rd_wmm and rd_rmm count all reads again, by the mode that the controller is in, so rd is still rd_reg + rd_underfill.
 * Their umasks are 10 and 20 in Intel's lists and ucevent; libpfm4 has them the other way round.
 */
#define UNC_SIM_CAS_4 \
	UNC_SIM_CAS("cas_count.rd_reg", 0x01, UNC_SIM_FROM_READ, 16, 1, 0), \
	UNC_SIM_CAS("cas_count.rd_underfill", 0x02, UNC_SIM_FROM_READ, 1, 0, 0), \
	UNC_SIM_CAS("cas_count.wr_wmm", 0x04, UNC_SIM_FROM_WRITE, 16, 2, 0), \
	UNC_SIM_CAS("cas_count.wr_rmm", 0x08, UNC_SIM_FROM_WRITE, 2, 0, 0)
#define UNC_SIM_CAS_6 \
	UNC_SIM_CAS_4, \
	UNC_SIM_CAS("cas_count.rd_wmm", 0x10, UNC_SIM_FROM_READ, 4, 0, UNC_SIM_AGAIN), \
	UNC_SIM_CAS("cas_count.rd_rmm", 0x20, UNC_SIM_FROM_READ, 16, 4, UNC_SIM_AGAIN)
#define UNC_SIM_CAS_SUMS \
	{.name = "cas_count.rd", .code = 0x04, .umask = 0x03}, \
	{.name = "cas_count.wr", .code = 0x04, .umask = 0x0c}, \
	{.name = "cas_count.all", .code = 0x04, .umask = 0x0f}

/* Memory buffers (E7): Ivy Bridge-EP to Broadwell-EP. */
#define UNC_SIM_EVENTS_90_TO_91 \
	UNC_SIM_SUB("vmse_wr_push.wmm", 0x90, 0x01), \
	UNC_SIM_SUB("vmse_wr_push.rmm", 0x90, 0x02), \
	UNC_SIM_EVENT("vmse_mxb_wr_occupancy", 0x91, 32)

#define UNC_SIM_EVENTS_A0_TO_A1 \
	UNC_SIM_SUB("rd_cas_prio.low", 0xa0, 0x01), \
	UNC_SIM_SUB("rd_cas_prio.med", 0xa0, 0x02), \
	UNC_SIM_SUB("rd_cas_prio.high", 0xa0, 0x04), \
	UNC_SIM_SUB("rd_cas_prio.panic", 0xa0, 0x08), \
	UNC_SIM_SUB("byp_cmds.act", 0xa1, 0x01), \
	UNC_SIM_SUB("byp_cmds.cas", 0xa1, 0x02), \
	UNC_SIM_SUB("byp_cmds.pre", 0xa1, 0x04)

#define UNC_SIM_EVENTS_C0_TO_C1 \
	UNC_SIM_SUB("wmm_to_rmm.low_thresh", 0xc0, 0x01), \
	UNC_SIM_SUB("wmm_to_rmm.starve", 0xc0, 0x02), \
	UNC_SIM_SUB("wmm_to_rmm.vmse_retry", 0xc0, 0x04), \
	UNC_SIM_EVENT("wrong_mm", 0xc1, 1)

/* RD_CAS_RANK0 to 7 are B0 to B7, WR_CAS_RANK0 to 7 are B8 to BF; each(name, code) makes the rows of one of them. */
#define UNC_SIM_EACH_RANK(each) \
	each("rd_cas_rank0", 0xb0), each("rd_cas_rank1", 0xb1), each("rd_cas_rank2", 0xb2), \
	each("rd_cas_rank3", 0xb3), each("rd_cas_rank4", 0xb4), each("rd_cas_rank5", 0xb5), \
	each("rd_cas_rank6", 0xb6), each("rd_cas_rank7", 0xb7), each("wr_cas_rank0", 0xb8), \
	each("wr_cas_rank1", 0xb9), each("wr_cas_rank2", 0xba), each("wr_cas_rank3", 0xbb), \
	each("wr_cas_rank4", 0xbc), each("wr_cas_rank5", 0xbd), each("wr_cas_rank6", 0xbe), \
	each("wr_cas_rank7", 0xbf)

/* Haswell-EP and later: the umask numbers 16 banks (00 to 0f), all of them (10), and bank groups of four (11 to 14). */
#define UNC_SIM_BANK(n, c, b) {.name = n ".bank" #b, .code = c, .umask = b, .max_inc = 1, .flags = UNC_SIM_NUMBER}
#define UNC_SIM_16_BANKS(n, c) \
	UNC_SIM_BANK(n, c, 0), UNC_SIM_BANK(n, c, 1), UNC_SIM_BANK(n, c, 2), UNC_SIM_BANK(n, c, 3), \
	UNC_SIM_BANK(n, c, 4), UNC_SIM_BANK(n, c, 5), UNC_SIM_BANK(n, c, 6), UNC_SIM_BANK(n, c, 7), \
	UNC_SIM_BANK(n, c, 8), UNC_SIM_BANK(n, c, 9), UNC_SIM_BANK(n, c, 10), UNC_SIM_BANK(n, c, 11), \
	UNC_SIM_BANK(n, c, 12), UNC_SIM_BANK(n, c, 13), UNC_SIM_BANK(n, c, 14), UNC_SIM_BANK(n, c, 15)
#define UNC_SIM_BANK_SUMS(rank, c) \
	{.name = rank ".allbanks", .code = c, .umask = 0x10, .first = 0, .n = 16}, \
	{.name = rank ".bankg0", .code = c, .umask = 0x11, .first = 0, .n = 4}, \
	{.name = rank ".bankg1", .code = c, .umask = 0x12, .first = 4, .n = 4}, \
	{.name = rank ".bankg2", .code = c, .umask = 0x13, .first = 8, .n = 4}, \
	{.name = rank ".bankg3", .code = c, .umask = 0x14, .first = 12, .n = 4}

/* clang-format on */

/* The position of a socket in the PCI domains. */
struct unc_sim_seat {
	unsigned domain;
	unsigned nth, n; /* it is the nth of n sockets in the domain */
};
struct unc_sim_seat unc_sim_seat_of(const struct unc_sim_options *options, unsigned socket);

/*
 * Sandy Bridge-EP to Broadwell-EP have one uncore bus a socket, the last of the socket's share of the 256 buses of its
 * domain: one socket has ff, two have 7f and ff, four have 3f 7f bf ff. Such machines number them in this way.
 */
void unc_sim_uncore_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
			uint8_t *ret_bus);

#endif
