// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each defect of defect= beside a machine that has none.  Offsets and bits are written out here a second time, from the
 * manuals: 327043-001 p.60 to 68; Intel SDM vol. 3, "Intel Resource Director Technology".
 */
#include "test_sim_qm.h"

#define CH      "ff:10.0" /* socket0.imc0.ch0 */
#define CH1     "ff:10.1"
#define WHERE   "socket0.imc0.ch0"
#define MACHINE "snbep,sockets=1,clock=step,dword_ns=0"

enum { CLOCK = EN, WRITES = 0x400c04, FREEZE = 0x10100, ARMED = 0x10000 };
enum { DCLK = 800 }; /* cycles a microsecond */

static void open_with(const char *defects)
{
	fx_open(fx_text(MACHINE "%s", defects));
}

/* All four counters take the DRAM clock, as does the fixed one. */
static void count_clocks(const char *at)
{
	for (uint32_t i = 0; i < 4; i++)
		fx_w32(at, CTL + 4 * i, CLOCK);
	fx_w32(at, FIXED_CTL, EN);
}

static uint32_t offset_of(unsigned i)
{
	return i < 4 ? CTR + 8 * i : FIXED;
}

/* A counter of that channel that stood at from, after so many cycles of DCLK; nothing else of it is as it was. */
struct after {
	unsigned counter;
	uint64_t from, us, is;
	uint32_t status;
};

static void expect_after(const char *defects, size_t n, const struct after *rows, const char *file, int line)
{
	for (const struct after *row = rows; row < rows + n; row++) {
		open_with(defects);
		count_clocks(CH);
		fx_w48(CH, offset_of(row->counter), row->from);
		fx_step(row->us * US);
		if (fx_r48(CH, offset_of(row->counter)) != row->is || fx_r32(CH, STATUS) != row->status)
			fx_wrong(file, line, "%s: row %zu: 0x%" PRIx64 ", status 0x%" PRIx64, defects,
				 (size_t)(row - rows), fx_r48(CH, offset_of(row->counter)), fx_r32(CH, STATUS));
	}
}

#define AFTER(defects, ...) expect_after(defects, ROWS(after, __VA_ARGS__))

static const char *const counters[] = {"0", "1", "2", "3", "fixed"};

/* Bit 0 of BOX_STATUS is the fixed counter's, then CTR0 and so on. */
static uint32_t overflow_of(unsigned i)
{
	return i < 4 ? 2u << i : 1;
}

TEST(a_narrow_counter_wraps_early_and_says_so)
{
	for (unsigned i = 0; i < 5; i++) {
		AFTER(fx_text(",defect=width:" WHERE ":%s:47", counters[i]), {i, BIT(47) - 800, 1, 0, overflow_of(i)},
		      {i, BIT(47) - 801, 1, BIT(47) - 1, 0}, {i, BIT(47) + 5, 0, 5, 0}, /* bit 47 is not there */
		      {(i + 1) % 5, BIT(47) - 800, 1, BIT(47), 0});
		AFTER(fx_text(",defect=width:" WHERE ":%s:40", counters[i]),
		      {i, BIT(48) - 100, 1, 700, overflow_of(i)});
	}
	AFTER("", {0, BIT(47) - 800, 1, BIT(47), 0});
}

TEST(a_carry_that_is_missing_is_lost_while_it_counts)
{
	for (unsigned i = 0; i < 5; i++)
		AFTER(fx_text(",defect=carry-missing:" WHERE ":%s", counters[i]), {i, BIT(32) - 1, 1, 799, 0},
		      {i, 5 * BIT(32) + BIT(32) - 1, 1, 5 * BIT(32) + 799, 0},
		      {i, 0, 10 * MS, UINT64_C(8000000000) - BIT(32), 0},
		      {i, BIT(48) - 1, 1, BIT(48) - BIT(32) + 799, 0}, {(i + 1) % 5, BIT(32) - 1, 1, BIT(32) + 799, 0});
	AFTER("", {0, BIT(32) - 1, 1, BIT(32) + 799, 0});
}

TEST(a_bit_that_stays_0_swallows_the_carry)
{
	AFTER(",defect=stuck0:" WHERE ":0xa0:8", {0, 0, 1, 800 % 256, 0}, {0, 0x12ff, 1, 0x1200 + (255 + 800) % 256, 0},
	      {1, 0x12ff, 1, 0x12ff + 800, 0});
	AFTER(",defect=stuck0:" WHERE ":0xa0:40", {0, BIT(40) + 7, 0, 7, 0},
	      {0, BIT(41) + BIT(40) - 1, 1, BIT(41) + 799, 0});
	AFTER(",defect=stuck0:" WHERE ":0xa4:15", {0, BIT(47) - 1, 1, 799, 0});
	AFTER(",defect=stuck0:" WHERE ":0xa0:0", {0, 0x100, 1, 0x100, 0});
}

TEST(a_bit_that_stays_1_hands_the_carry_on)
{
	/* 800 is 3 wraps of 8 bits and 32; each wrap is one more in the bits above. */
	AFTER(",defect=stuck1:" WHERE ":0xa0:8", {0, 0, 0, 0x100, 0}, {0, 0, 1, 3 * 0x200 + 0x100 + 32, 0});
	AFTER(",defect=stuck1:" WHERE ":0xa0:8,defect=stuck1:" WHERE ":0xa0:9", {0, 0, 1, 3 * 0x400 + 0x300 + 32, 0});
	AFTER(",defect=stuck1:" WHERE ":0xa4:15", {0, BIT(47) - 1, 1, BIT(47) + 799, 2}, {0, 5, 0, BIT(47) + 5, 0});
}

TEST(a_carry_missing_behind_a_stuck_bit_stays_lost)
{
	AFTER(",defect=stuck1:" WHERE ":0xa0:31,defect=carry-missing:" WHERE ":0",
	      {0, BIT(31) - 1, 1, BIT(31) + 799, 0});
	AFTER(",defect=stuck1:" WHERE ":0xa0:31", {0, BIT(31) - 1, 1, BIT(32) + BIT(31) + 799, 0});
	AFTER(",defect=width:" WHERE ":0:33,defect=carry-missing:" WHERE ":0", {0, BIT(33) - 1, 1, BIT(32) + 799, 0});
}

TEST(stuck_bits_of_a_control_act)
{
	open_with(",defect=stuck1:" WHERE ":0xd8:22,defect=stuck0:" WHERE ":0xdc:22,defect=stuck1:" WHERE
		  ":0xe0:8,defect=stuck0:" WHERE ":0xf0:22");
	IS32(CH, {CTL, EN});
	fx_step(US);
	IS48(CH, {CTR, DCLK}); /* event 00 is the clock, enabled by itself */
	fx_w32(CH, CTL, 0);
	IS32(CH, {CTL, EN});
	fx_w32(CH, CTL + 4, CLOCK);
	IS32(CH, {CTL + 4, 0});
	fx_w32(CH, CTL + 8, EN | 0x0204);
	IS32(CH, {CTL + 8, EN | 0x0304});
	W32(CH, {CTL + 12, READS}, {FIXED_CTL, EN});
	IS32(CH, {FIXED_CTL, 0});
	fx_step(MS);
	IS48(CH, {CTR, (MS / US + 1) * DCLK}, {CTR + 8, 0}, {CTR + 16, fx_r48(CH, CTR + 24)},
	     {CTR + 16, 62500}); /* 4 GB/s in lines of 64 */
	IS48(CH, {FIXED, 0});
}

TEST(stuck_freeze_bits_act)
{
	open_with(",defect=stuck1:" WHERE ":0xf4:8");
	IS32(CH, {BOX_CTL, 0x100});
	count_clocks(CH);
	fx_step(US);
	IS48(CH, {FIXED, DCLK}); /* frz does nothing without frz_en */
	fx_w32(CH, BOX_CTL, ARMED);
	fx_step(US);
	IS48(CH, {FIXED, DCLK}, {CTR, DCLK});
	open_with(",frz_en=rw,defect=stuck0:" WHERE ":0xf4:16");
	count_clocks(CH);
	fx_w32(CH, BOX_CTL, FREEZE);
	IS32(CH, {BOX_CTL, 0});
	fx_step(US);
	IS48(CH, {FIXED, DCLK});
}

TEST(stuck_bits_of_what_has_no_memory_only_read_so)
{
	open_with(",defect=stuck1:" WHERE ":0:16,defect=stuck0:" WHERE ":0:20,defect=stuck1:" WHERE
		  ":0x40:5,defect=stuck1:" WHERE ":0xa4:31,defect=stuck1:" WHERE ":0xf8:1");
	IS32(CH, {0, 0x3ca18086}); /* 3cb0, with its lowest bit and without bit 4 */
	IS32(CH, {0x40, 0x20});
	IS48(CH, {CTR, BIT(63)});
	IS32(CH, {STATUS, 2});
	fx_w32(CH, STATUS, 0x1f);
	IS32(CH, {STATUS, 2});
	IS32(CH1, {0, 0x3cb18086});
}

TEST(a_counter_that_ignores_the_freeze_goes_on_alone)
{
	for (unsigned i = 0; i < 5; i++) {
		open_with(fx_text(",defect=freeze-ignored:" WHERE ":%s", counters[i]));
		count_clocks(CH);
		fx_step(US);
		fx_w32(CH, BOX_CTL, FREEZE);
		fx_step(US);
		for (unsigned k = 0; k < 5; k++)
			IS48(CH, {offset_of(k), k == i ? 2 * DCLK : DCLK});
		fx_w32(CH, BOX_CTL, ARMED);
		fx_step(US);
		for (unsigned k = 0; k < 5; k++)
			IS48(CH, {offset_of(k), k == i ? 3 * DCLK : 2 * DCLK});
	}
}

TEST(a_global_freeze_meets_the_same_defects)
{
	fx_open("ivt,sockets=1,clock=step,dword_ns=0,defect=freeze-ignored:" WHERE ":2,defect=freeze-loses:" WHERE
		":3");
	count_clocks("ff:10.4");
	fx_step(US);
	fx_wmsr(0, 0xc00, 0xc0000000); /* freeze all */
	fx_step(US);
	IS48("ff:10.4", {CTR, DCLK - 3}, {CTR + 16, 2 * DCLK});
}

TEST(a_freeze_loses_what_was_counted_last)
{
	open_with(",defect=freeze-loses:" WHERE ":10");
	W32(CH, {CTL, CLOCK}, {FIXED_CTL, EN});
	fx_w48(CH, CTR + 8, 1000); /* does not count */
	fx_step(US);
	IS48(CH, {CTR, DCLK});
	fx_w32(CH, BOX_CTL, FREEZE);
	IS48(CH, {CTR, DCLK - 10}, {FIXED, DCLK - 10}, {CTR + 8, 1000});
	fx_step(US);
	fx_w32(CH, BOX_CTL, FREEZE); /* it is frozen already */
	IS48(CH, {CTR, DCLK - 10});
	fx_w32(CH, BOX_CTL, ARMED);
	fx_step(10); /* 8 cycles: no more than these can be lost */
	fx_w32(CH, BOX_CTL, FREEZE);
	IS48(CH, {CTR, DCLK - 10});
	fx_w48(CH, CTR, 5);
	fx_w32(CH, BOX_CTL, ARMED);
	fx_step(US);
	fx_w48(CH, CTR, 5); /* what was counted before is gone anyway */
	fx_w32(CH, BOX_CTL, FREEZE);
	IS48(CH, {CTR, 5}, {FIXED, 2 * DCLK - 20});
}

TEST(a_reset_leaves_a_counter)
{
	for (unsigned i = 0; i < 5; i++) {
		fx_open(fx_text("hsx,sockets=1,clock=step,dword_ns=0,defect=reset-leaves:" WHERE ":%s", counters[i]));
		for (unsigned k = 0; k < 5; k++)
			fx_w48("ff:14.0", offset_of(k), 7);
		fx_w32("ff:14.0", BOX_CTL, 2);
		for (unsigned k = 0; k < 5; k++) /* the fixed one is not among those it clears */
			IS48("ff:14.0", {offset_of(k), k == i || k == 4 ? 7 : 0});
		for (unsigned k = 0; k < 4; k++) {
			fx_w48("ff:14.0", offset_of(k), 7);
			fx_w32("ff:14.0", CTL + 4 * k, 0x20000);
		}
		fx_w32("ff:14.0", FIXED_CTL, 0x80000);
		for (unsigned k = 0; k < 5; k++)
			IS48("ff:14.0", {offset_of(k), k == i ? 7 : 0});
	}
}

TEST(crossed_enables_gate_each_other)
{
	open_with(",defect=enable-crossed:" WHERE ":1:fixed");
	fx_w32(CH, CTL + 4, CLOCK);
	fx_step(US);
	IS48(CH, {CTR + 8, 0}, {FIXED, DCLK});
	W32(CH, {CTL + 4, 0x0304}, {FIXED_CTL, EN});
	fx_step(MS);
	IS48(CH, {CTR + 8, 62500}); /* what it counts is its own */
	IS48(CH, {FIXED, DCLK});
	fx_w32(CH, CTL, CLOCK);
	fx_step(US);
	IS48(CH, {CTR, DCLK});
}

TEST(a_shifted_umask_takes_the_next_sub_event)
{
	open_with(",defect=umask-shifted:" WHERE ":2");
	for (uint32_t i = 0; i < 4; i++)
		fx_w32(CH, CTL + 4 * i, READS);
	fx_step(MS);
	IS48(CH, {CTR, 62500});
	CU_ASSERT_EQUAL(fx_r48(CH, CTR + 16), /* umask 06 */
			fx_truth(CH, "cas_count.rd_underfill") + fx_truth(CH, "cas_count.wr_wmm"));
	IS32(CH, {CTL + 8, READS});
	open_with(",defect=umask-shifted:" WHERE);
	for (uint32_t i = 0; i < 4; i++)
		fx_w32(CH, CTL + 4 * i, EN | 0x104u << i | 4);
	fx_step(MS);
	IS48(CH, {CTR, fx_truth(CH, "cas_count.rd_underfill")});
	TRUTH(CH, {"cas_count.rd", 62500});
}

TEST(swapped_channels_answer_in_each_others_place)
{
	struct unc_sim_channel channel;

	fx_open("snbep,sockets=2,clock=step,dword_ns=0,defect=channels-swapped:" WHERE ":socket0.imc0.ch2");
	IS32("7f:10.0", {0, 0x3cb48086});
	IS32("7f:10.4", {0, 0x3cb08086});
	IS32("7f:10.1", {0, 0x3cb18086});
	fx_w32("7f:10.0", CTL, READS);
	fx_w32("7f:10.4", CTL, READS);
	fx_step(MS);
	IS48("7f:10.0", {CTR, 5400000000 / 64 / 1000});
	IS48("7f:10.4", {CTR, 4000000000 / 64 / 1000});
	TRUTH("7f:10.0", {"cas_count.rd", 5400000000 / 64 / 1000});
	channel = fx_channel(0);
	CU_ASSERT(channel.channel == 0 && channel.addr.pci.fn == 4);
	IS32("ff:10.0", {0, 0x3cb08086});
}

TEST(swapped_sockets_tell_each_others_number)
{
	fx_open("snbep,sockets=4,clock=step,dword_ns=0");
	IS32("3f:0b.0", {0x40, 1});
	IS32("bf:0b.0", {0x40, 3});
	fx_open("snbep,sockets=4,clock=step,dword_ns=0,defect=sockets-swapped:0:2");
	IS32("3f:0b.0", {0x40, 3});
	IS32("7f:0b.0", {0x40, 2});
	IS32("bf:0b.0", {0x40, 1});
	IS32("3f:0b.0", {0x54, fx_r32("7f:0b.0", 0x54)});
}

TEST(stuck_bits_of_a_ubox_are_its_own)
{
	uint32_t map;

	fx_open("snbep,sockets=2,clock=step,dword_ns=0,defect=stuck0:socket0.ubox:0x40:0,defect=stuck1:socket1."
		"ubox:0x54:5");
	IS32("7f:0b.0", {0x40, 0});
	IS32("ff:0b.0", {0x40, 0});
	map = fx_r32("7f:0b.0", 0x54);
	CU_ASSERT_EQUAL(map & 0x20, 0);
	IS32("ff:0b.0", {0x54, map | 0x20});
}

/* Counts of each control after a second, on a clock that runs so many cycles then. */
static void expect_clock(const char *defects, uint64_t hz)
{
	static const uint32_t ctls[] = {CLOCK, READS, 0x01000304 | EN, 0x01800304 | EN};

	open_with(defects);
	for (uint32_t i = 0; i < 4; i++)
		fx_w32(CH, CTL + 4 * i, ctls[i]);
	fx_w32(CH, FIXED_CTL, EN);
	fx_w32(CH1, FIXED_CTL, EN);
	fx_step(SECOND);
	IS48(CH, {FIXED, hz}, {CTR, hz});
	TRUTH(CH, {"clockticks", hz});
	IS48(CH, {CTR + 8, 62500000});                             /* there is as much traffic as ever */
	IS48(CH, {CTR + 16, 62500000}, {CTR + 24, hz - 62500000}); /* never two in a cycle */
	IS48(CH1, {FIXED, 800000000});
	fx_w32(CH, CTL, CLOCK | 1 << 24);
	fx_w48(CH, CTR, 0);
	fx_step(SECOND);
	IS48(CH, {CTR, hz}); /* each cycle is one with a cycle in it */
}

TEST(a_clock_that_is_off_is_so_in_all_it_counts)
{
	expect_clock("", 800000000);
	expect_clock(",defect=dclk-off:" WHERE ":3", 824000000);
	expect_clock(",defect=dclk-off:" WHERE ":-3", 776000000);
	expect_clock(",defect=dclk-off:" WHERE ":+0.05", 800400000);
	expect_clock(",defect=dclk-off:" WHERE ":-33.3333", 533333600);
}

TEST(a_channel_stops_and_can_still_be_written)
{
	open_with(",defect=stops:" WHERE ":0.0015");
	count_clocks(CH);
	count_clocks(CH1);
	fx_step(MS);
	IS48(CH, {FIXED, 800000});
	fx_step(MS);
	for (unsigned i = 0; i < 5; i++) {
		IS48(CH, {offset_of(i), 1200000});
		IS48(CH1, {offset_of(i), 1600000});
	}
	fx_w48(CH, CTR, 5);
	fx_w32(CH, CTL + 4, READS);
	IS32(CH, {CTL + 4, READS});
	fx_step(MS);
	IS48(CH, {CTR, 5}, {CTR + 8, 1200000});
	TRUTH(CH, {"cas_count.rd", 187500});
}

TEST(a_hidden_channel_is_not_there)
{
	struct unc_sim_channel channel;
	struct unc_space *space;
	struct unc_addr addr;

	open_with(",defect=hidden:socket0.imc0.ch1");
	addr = fx_addr(CH1);
	FAILS(unc_space_open(fx.bus, &addr, &space), UNC_ENODEV, "defect=hidden");
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_pcis, 14);
	channel = fx_channel(1);
	CU_ASSERT(channel.hidden);
	IS32(CH, {0, 0x3cb08086});
}

/* Of so many reads of the clock's control those of all ones; bit i of *ret_first: read i, of the first 64. */
static unsigned ones_read(const char *defects, unsigned n, uint64_t *ret_first)
{
	unsigned ones = 0;

	*ret_first = 0;
	open_with(defects);
	fx_w32(CH, FIXED_CTL, EN);
	for (unsigned i = 0; i < n; i++) {
		uint32_t value = fx_r32(CH, FIXED_CTL);

		CU_ASSERT(value == EN || value == UINT32_MAX);
		ones += value == UINT32_MAX;
		if (i < 64 && value == UINT32_MAX)
			*ret_first |= BIT(i);
		IS32(CH1, {FIXED_CTL, 0});
	}
	return ones;
}

TEST(reads_of_all_ones_come_by_lot_and_the_same_again)
{
	uint64_t first, again;
	unsigned n = ones_read(",defect=ones:" WHERE ":16", 4096, &first);

	CU_ASSERT(n > 190 && n < 322); /* 256, and 4 deviations of 15.5 either way, and a little */
	CU_ASSERT_EQUAL(ones_read(",defect=ones:" WHERE ":16", 4096, &again), n);
	CU_ASSERT_EQUAL(first, again);
	CU_ASSERT(first && first != UINT64_MAX);
	CU_ASSERT_EQUAL(ones_read(",defect=ones:" WHERE ":1", 64, &first), 64);
	CU_ASSERT_EQUAL(ones_read(",defect=ones:socket0.imc0.ch3:1", 64, &first), 0);
	CU_ASSERT_EQUAL(ones_read(",defect=drops:socket0.imc0.ch3:1", 64, &first), 0);
}

TEST(writes_are_dropped_by_lot)
{
	unsigned lost = 0, lost_other = 0;

	open_with(",defect=drops:" WHERE ":8");
	for (unsigned i = 1; i <= 4096; i++) {
		fx_w32(CH, CTR, i);
		lost += fx_r32(CH, CTR) != i;
		fx_w32(CH1, CTR, i);
		lost_other += fx_r32(CH1, CTR) != i;
	}
	CU_ASSERT(lost > 424 && lost < 600); /* 512, and 4 deviations of 21.2 either way */
	CU_ASSERT_EQUAL(lost_other, 0);
}

/* CPU 1 wants 3 MB while its RMID is 5, and moves 1 GB a second. */
static void open_qm(const char *defects)
{
	fx_open_load(fx_text(BDX "%s", defects), HEAD "  0: {occupancy: 20e6, total: 1e9, local: 1e9}\n"
						      "  1: {occupancy: 3e6, total: 1e9, local: 1e9}\n");
	fx_wmsr(1, PQR, 5);
	fx_step(SECOND);
}

TEST(an_rmid_off_by_one_answers_for_the_next)
{
	open_qm("");
	QM({0, 5, OCCUPANCY, 3000000 / UNIT}, {0, 4, OCCUPANCY, 0});
	open_qm(",defect=rmid-off");
	QM({0, 4, OCCUPANCY, 3000000 / UNIT}, {0, 5, OCCUPANCY, 0},
	   {0, MAX_RMID, OCCUPANCY, 20000000 / UNIT}); /* RMID 0's */
	QM({0, MAX_RMID + 1, OCCUPANCY, BIT(63)});
	ISMSR({0, EVTSEL, (uint64_t)(MAX_RMID + 1) << 32 | OCCUPANCY});
	HOLDS({0, 5, 3000000});
}

TEST(the_error_bit_is_never_set)
{
	open_qm("");
	QM({0, 5, 9, BIT(63)});
	open_qm(",defect=no-error");
	QM({0, 5, 9, 0}, {0, MAX_RMID + 1, OCCUPANCY, 0}, {0, 5, OCCUPANCY, 3000000 / UNIT});
}

TEST(units_are_worth_something_else)
{
	open_qm(",mbm_erratum=0,defect=upscale-off:25");
	QM({0, 5, OCCUPANCY, 3000000 / (UNIT * 5 / 4)}, {0, 5, TOTAL, 1000000000 / (UNIT * 5 / 4)});
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).ebx, UNIT);
	HOLDS({0, 5, 3000000});
	open_qm(",mbm_erratum=0,defect=upscale-off:-50");
	QM({0, 5, OCCUPANCY, 3000000 / (UNIT / 2)}, {0, 5, TOTAL, 1000000000 / (UNIT / 2)});
}

TEST(occupancy_never_falls)
{
	for (unsigned i = 0; i < 2; i++) {
		open_qm(i ? ",defect=never-falls" : "");
		fx_wmsr(1, PQR, 6);
		fx_step(SECOND);
		HOLDS({0, 5, 0}, {0, 6, 3000000});
		QM({0, 5, OCCUPANCY, i ? 3000000 / UNIT : 0}, {0, 6, OCCUPANCY, 3000000 / UNIT});
		CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
		QM({0, 5, OCCUPANCY, 0});
	}
}

TEST(total_and_local_are_exchanged)
{
	fx_open_load(BDX ",defect=mbm-exchanged",
		     "format: uncorectl-load/1\ncpus:\n  0: {occupancy: 20e6, total: 2e9, local: 1e9}\n");
	fx_step(SECOND);
	QM({0, 0, TOTAL, 1000000000 / UNIT}, {0, 0, LOCAL, 2000000000 / UNIT}, {0, 0, OCCUPANCY, 20000000 / UNIT});
}

TEST(an_assoc_without_effect_holds_what_is_written)
{
	open_qm(",defect=assoc-dead:cpu1");
	ISMSR({1, PQR, 5});
	HOLDS({0, 5, 0}, {0, 0, 23000000});
	fx_wmsr(0, PQR, 6); /* another CPU's has one */
	fx_step(SECOND);
	HOLDS({0, 6, 20000000});
}

TEST(the_threads_of_a_core_share_an_assoc)
{
	fx_open("bdx,sockets=2,cores=2,clock=step,defect=assoc-shared"); /* CPUs 0 and 4 are core 0 of socket 0 */
	fx_wmsr(4, PQR, 5);
	ISMSR({0, PQR, 5}, {1, PQR, 0}, {2, PQR, 0});
	fx_wmsr(0, PQR, 6);
	ISMSR({4, PQR, 6});
}

TEST(stuck_bits_of_msrs_act)
{
	open_qm(",defect=stuck1:cpu1:0xc8f:1,defect=stuck0:cpu0:0xc8d:33");
	ISMSR({1, PQR, 7}); /* 5 was written */
	ISMSR({0, PQR, 0});
	HOLDS({0, 7, 3000000}, {0, 5, 0});
	QM({0, 7, OCCUPANCY, 0}); /* asks for 5 */
	ISMSR({0, EVTSEL, BIT(34) | BIT(32) | OCCUPANCY});
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	fx_step(SECOND);
	ISMSR({1, PQR, 2});
	HOLDS({0, 2, 3000000});
	/* A register of the package is the same for all of its CPUs; one that cannot be written only reads so. */
	fx_open("ivt,sockets=2,cores=2,clock=step,dword_ns=0,defect=stuck1:cpu0:0xc24:4,"
		"defect=stuck1:cpu0:0xce:63,defect=stuck1:cpu0:0x1a0:62");
	ISMSR({1, 0xc24, 0x10}, {2, 0xc24, 0});
	CU_ASSERT_EQUAL(fx_rmsr(0, 0xce) >> 63, 1);
	fx_wmsr(1, 0xc24, 1);
	ISMSR({0, 0xc24, 0x11});
}

#define BAD_DEFECTS(machine, ...) fx_bad_keys(machine ",defect=", 0, FX_KEYS(__VA_ARGS__))

TEST(nonsense_is_refused_with_what_is_possible)
{
	FX_REFUSED("snbep,defect", "defect needs a value");
	BAD_DEFECTS(
		"snbep", {"", "defect=: there is no defect of that name", "stuck0, stuck1", "never-falls"},
		{"stuck2:" WHERE ":0:0", "there are: stuck0"},
		{"stuck0:" WHERE ":0xd8", "missing", "a bit, 0 to 63", "stuck0:WHERE:OFFSET:BIT"},
		{"stuck0:socket0.imc0:0xd8:1", "\"socket0.imc0\"", "a channel such as", "cpu3"},
		{"stuck0:" WHERE ":d8:1", "\"d8\" must be the offset"},
		{"stuck0:" WHERE ":0xd8:64", "\"64\" must be a bit"}, {"stuck0:" WHERE ":0xd8:32", "bits 0 to 31"},
		{"stuck0:" WHERE ":0xa4:32", "bits 0 to 31"}, {"stuck0:" WHERE ":0xda:1", "multiple of 4"},
		{"stuck0:" WHERE ":0x100:1", "configuration space"}, {"stuck0:cpu3:0xc8f:1", "no MSR of that number"},
		{"stuck0:socket0.ubox:0x40:32", "bits 0 to 31"}, {"stuck0:socket0.ubox:0x42:1", "multiple of 4"},
		{"hidden:socket0.ubox", "\"socket0.ubox\" must be a channel such as"},
		{"width:" WHERE ":4:47", "\"4\" must be a counter, 0 to 3 or fixed"},
		{"width:" WHERE ":0:48", "\"48\" must be", "1 to 47"},
		{"width:" WHERE ":0:40:1", "too much", "width:WHERE:CTR:BITS"},
		{"umask-shifted:" WHERE ":fixed", "\"fixed\" must be a counter, 0 to 3;"},
		{"enable-crossed:" WHERE ":2:2", "different"}, {"channels-swapped:" WHERE ":" WHERE, "different"},
		{"sockets-swapped:1:1", "different"}, {"sockets-swapped:0:2", "no socket 2"},
		{"sockets-swapped:0:8", "\"8\" must be a socket"},
		{"dclk-off:" WHERE ":0", "\"0\" must be a percentage"}, {"dclk-off:" WHERE ":--3", "\"--3\" must be"},
		{"dclk-off:" WHERE ":91", "-90 to 90"}, {"stops:" WHERE ":x", "\"x\" must be a time"},
		{"ones:" WHERE ":0", "\"0\" must be a number from 1"},
		{"hidden:socket2.imc0.ch0", "no channel", "socket1.imc0.ch3"},
		{"hidden:socket0.imc0.ch4", "no channel socket0.imc0.ch4"},
		{"hidden:cpu0", "\"cpu0\" must be a channel such as"}, {"rmid-off", "no cache monitoring"});
	BAD_DEFECTS("snbep,sockets=2", {"stuck0:socket2.ubox:0x40:1", "no UBOX of socket 2"});
	BAD_DEFECTS("hsx,cores=1", {"stuck0:cpu4:0xc8f:1", "no CPU 4", "0 to 3"});
	BAD_DEFECTS("hsx,msr=absent", {"stuck0:cpu3:0xc8f:1", "msr=absent"});
	BAD_DEFECTS("snbep,allones=7f:10.0", {"hidden:" WHERE, "allones="});
	BAD_DEFECTS("zen2", {"hidden:" WHERE, "no memory channels are modelled"},
		    {"sockets-swapped:0:1", "no PCI functions"});
	BAD_DEFECTS("bdx", {"rmid-off:3", "too much"}, {"assoc-dead:socket0.ubox", "a CPU such as cpu3"},
		    {"upscale-off", "missing", "upscale-off:PERCENT"});
	BAD_DEFECTS("bdx,sockets=1,cores=1,threads=1", {"assoc-dead:cpu1", "no CPU 1; it has 0 to 0"});
	BAD_DEFECTS("bdx,msr=absent", {"no-error", "msr=absent"});
}

TEST(openers_of_one_machine_agree_about_its_defects)
{
	const char *state = fx_file(NULL);

	fx_open(fx_text(MACHINE ",state=%s,defect=stops:" WHERE ":1,defect=width:" WHERE ":0:40", state));
	fx_use(1);
	fx_open(fx_text(MACHINE ",state=%s,defect=width:" WHERE ":0:40,defect=stops:" WHERE ":1", state));
	fx_close();
	FX_REFUSED(fx_text(MACHINE ",state=%s,defect=width:" WHERE ":0:40", state), "another machine", "defects");
	FX_REFUSED(fx_text(MACHINE ",state=%s", state), "another machine", "defects");
}
