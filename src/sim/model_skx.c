// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon Platinum 8180, Skylake-SP ("SKX"), and what Cascade Lake and Cooper Lake have in common with it: model_skx.h. */
#include "sim/model_skx.h"

static const struct unc_sim_function functions[] = {UNC_SIM_SKX_FUNCTIONS(0x04)};

static const struct unc_sim_event events[] = {UNC_SIM_SKX_EVENTS_TO_04, UNC_SIM_EVENT_05, UNC_SIM_SKX_EVENTS_FROM_06};
static const struct unc_sim_sum sums[] = {UNC_SIM_SKX_SUMS};

/* As read on an Intel Xeon Platinum 8180 (50654); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x00000016, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x00050654, 0x00400800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
	{0x4, 0, {0x7c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x7c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x7c004143, 0x03c0003f, 0x000003ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x0280003f, 0x0000dfff, 0x00000004}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002020}},
	{0x6, 0, {0x00000ef7, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000008, 0x00000000}},
	{0xa, 0, {0x07300404, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x000002ff, 0x00000a80, 0x00000a88, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000a00, 0x00000100, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 3, {0x00000040, 0x000003c0, 0x00000000, 0x00000000}},
	{0xd, 4, {0x00000040, 0x00000400, 0x00000000, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000440, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000480, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000680, 0x00000000, 0x00000000}},
	{0xd, 8, {0x00000080, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000a80, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x000000df, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x0001c000, 0x000000df, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x0000000a, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000a, 0x00000600, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	/* The dump lacks this leaf and says there is MBA (10.0 EBX bit 3). verify: 8 CLOS in steps of 10 %, as resctrl shows. */
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
	{0x14, 0, {0x00000001, 0x0000000f, 0x00000007, 0x00000000}},
	{0x14, 1, {0x02490002, 0x003f3fff, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000c8, 0x00000000, 0x00000000}}, /* TSC per crystal clock */
	{0x16, 0, {0x000009c4, 0x00000ed8, 0x00000064, 0x00000000}}, /* MHz: base, highest, bus */
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3138206d, 0x43203038}},
	{0x80000004, 0, {0x40205550, 0x352e3220, 0x7a484730, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

/*
 * Intel's guide was not available. BOX_CTL 17:16: PCM writes both 1 (its name for them is "reserved"), Linux writes
 * both 0, and both are known to count: here either is right, and they do nothing. So frz needs no frz_en, as Linux sets
 * frz alone. Resets are as in Linux and PCM, ov_en and invert as in LIKWID.
 */
const struct unc_sim_pmon unc_sim_skx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_accepted = 0x00030000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.status_writable = 0x1f,
};

const struct unc_sim_rdt unc_sim_skx_rdt = {
	.max_rmid = 0xdf, .upscale = 0x1c000, .events = 0x7, .width = 24, .n_clos = 16};

/*
 * Returns the bus of the nth socket of a domain with n sockets. Dual-socket machines have 00 17 3a 5d and 80 85 ae d7;
 * larger machines number their buses in different ways, and these numbers are made up: an equal share of the 256 buses
 * for each socket.
 */
static uint8_t skx_bus_of(unsigned n, unsigned nth, unsigned slot)
{
	static const uint8_t of_two[2][UNC_SIM_SKX_BUSES] = {{0x00, 0x17, 0x3a, 0x5d}, {0x80, 0x85, 0xae, 0xd7}};
	static const uint8_t of_more[UNC_SIM_SKX_BUSES] = {0x00, 0x05, 0x0e, 0x17};
	unsigned shares = 4;

	if (n <= 2)
		return of_two[nth][slot];
	while (shares < n)
		shares *= 2;
	return (uint8_t)(256 / shares * nth + of_more[slot]);
}

void unc_sim_skx_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		     uint8_t *ret_bus)
{
	struct unc_sim_seat seat = unc_sim_seat_of(options, socket);

	*ret_domain = seat.domain;
	*ret_bus = skx_bus_of(seat.n, seat.nth, slot);
}

const struct unc_sim_model unc_sim_skx = {
	.name = "skx",
	.on = UNC_SIM_ON_SKX,
	UNC_SIM_SKX_MODEL,
	.tsc_hz = 2500000000,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
};
