// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each defect of defect= beside a machine that has none.  Offsets and bits are written out here a second time, from the
 * manuals: 327043-001 p.60 to 68; Intel SDM vol. 3, "Intel Resource Director Technology".
 */
#include "test_sim.h"
#include "test.h"

#define CH      "ff:10.0" /* socket0.imc0.ch0 */
#define CH1     "ff:10.1"
#define WHERE   "socket0.imc0.ch0"
#define MACHINE "snbep,sockets=1,clock=step,dword_ns=0"

enum { CTR = 0xa0, FIXED = 0xd0, CTL = 0xd8, FIXED_CTL = 0xf0, BOX_CTL = 0xf4, STATUS = 0xf8 };
enum { EN = 0x400000, CLOCK = EN, READS = 0x400304, WRITES = 0x400c04, FREEZE = 0x10100, ARMED = 0x10000 };
enum { US = 1000, MS = 1000000, SECOND = 1000000000, DCLK = 800 /* cycles a microsecond */ };

#define TWO(n) (UINT64_C(1) << (n))

static void open_with(struct fx *fx, const char *defects)
{
	char args[512];

	snprintf(args, sizeof(args), MACHINE "%s", defects);
	fx_open(fx, args);
}

/* All four counters take the DRAM clock, as does the fixed one. */
static void count_clocks(struct fx *fx, const char *at)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		fx_w32(fx, at, CTL + 4 * i, CLOCK);
	fx_w32(fx, at, FIXED_CTL, EN);
}

static uint32_t offset_of(unsigned i)
{
	return i < 4 ? CTR + 8 * i : FIXED;
}

/* A counter of that channel that stood at from has seen so many cycles of DCLK; nothing else of it is as it was. */
static uint64_t after(const char *defects, unsigned i, uint64_t from, uint64_t us, uint32_t *ret_status)
{
	struct fx fx;
	uint64_t value;

	open_with(&fx, defects);
	count_clocks(&fx, CH);
	fx_w48(&fx, CH, offset_of(i), from);
	fx_step(&fx, us * US);
	value = fx_r48(&fx, CH, offset_of(i));
	*ret_status = fx_r32(&fx, CH, STATUS);
	fx_close(&fx);
	return value;
}

static const char *with_counter(const char *format, unsigned i, char buf[128])
{
	char name[2] = {(char)('0' + i), 0};

	snprintf(buf, 128, format, i < 4 ? name : "fixed");
	return buf;
}

/* Bit 0 of BOX_STATUS is the fixed counter's, then CTR0 and so on. */
static uint32_t overflow_of(unsigned i)
{
	return i < 4 ? 2u << i : 1;
}

TEST(a_narrow_counter_wraps_early_and_says_so)
{
	char defect[128];
	uint32_t status;
	unsigned i;

	for (i = 0; i < 5; i++) {
		with_counter(",defect=width:" WHERE ":%s:47", i, defect);
		CU_ASSERT_EQUAL(after(defect, i, TWO(47) - 800, 1, &status), 0);
		CU_ASSERT_EQUAL(status, overflow_of(i));
		CU_ASSERT_EQUAL(after(defect, i, TWO(47) - 801, 1, &status), TWO(47) - 1);
		CU_ASSERT_EQUAL(status, 0);
		CU_ASSERT_EQUAL(after(defect, i, TWO(47) + 5, 0, &status), 5); /* bit 47 is not there */
		CU_ASSERT_EQUAL(after(defect, (i + 1) % 5, TWO(47) - 800, 1, &status), TWO(47));
		CU_ASSERT_EQUAL(status, 0);
		with_counter(",defect=width:" WHERE ":%s:40", i, defect);
		CU_ASSERT_EQUAL(after(defect, i, TWO(48) - 100, 1, &status), 700);
		CU_ASSERT_EQUAL(status, overflow_of(i));
	}
	CU_ASSERT_EQUAL(after("", 0, TWO(47) - 800, 1, &status), TWO(47));
	CU_ASSERT_EQUAL(status, 0);
}

TEST(a_carry_that_is_missing_is_lost_while_it_counts)
{
	char defect[128];
	uint32_t status;
	unsigned i;

	for (i = 0; i < 5; i++) {
		with_counter(",defect=carry-missing:" WHERE ":%s", i, defect);
		CU_ASSERT_EQUAL(after(defect, i, TWO(32) - 1, 1, &status), 799);
		CU_ASSERT_EQUAL(after(defect, i, 5 * TWO(32) + TWO(32) - 1, 1, &status), 5 * TWO(32) + 799);
		CU_ASSERT_EQUAL(after(defect, i, 0, 10 * MS, &status), UINT64_C(8000000000) - TWO(32));
		CU_ASSERT_EQUAL(after(defect, i, TWO(48) - 1, 1, &status), (TWO(48) - TWO(32)) + 799);
		CU_ASSERT_EQUAL(status, 0);
		CU_ASSERT_EQUAL(after(defect, (i + 1) % 5, TWO(32) - 1, 1, &status), TWO(32) + 799);
	}
	CU_ASSERT_EQUAL(after("", 0, TWO(32) - 1, 1, &status), TWO(32) + 799);
}

TEST(a_bit_that_stays_0_swallows_the_carry)
{
	static const char low[] = ",defect=stuck0:" WHERE ":0xa0:8", high[] = ",defect=stuck0:" WHERE ":0xa0:40",
			  last[] = ",defect=stuck0:" WHERE ":0xa4:15", first[] = ",defect=stuck0:" WHERE ":0xa0:0";
	uint32_t status;

	CU_ASSERT_EQUAL(after(low, 0, 0, 1, &status), 800 % 256);
	CU_ASSERT_EQUAL(after(low, 0, 0x12ff, 1, &status), 0x1200 + (255 + 800) % 256);
	CU_ASSERT_EQUAL(after(high, 0, TWO(40) + 7, 0, &status), 7);
	CU_ASSERT_EQUAL(after(high, 0, TWO(41) + TWO(40) - 1, 1, &status), TWO(41) + 799);
	CU_ASSERT_EQUAL(after(last, 0, TWO(47) - 1, 1, &status), 799);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(after(first, 0, 0x100, 1, &status), 0x100);
	CU_ASSERT_EQUAL(after(low, 1, 0x12ff, 1, &status), 0x12ff + 800);
}

TEST(a_bit_that_stays_1_hands_the_carry_on)
{
	static const char low[] = ",defect=stuck1:" WHERE ":0xa0:8", last[] = ",defect=stuck1:" WHERE ":0xa4:15",
			  both[] = ",defect=stuck1:" WHERE ":0xa0:8,defect=stuck1:" WHERE ":0xa0:9";
	uint32_t status;

	CU_ASSERT_EQUAL(after(low, 0, 0, 0, &status), 0x100);
	/* 800 is 3 wraps of 8 bits and 32; each wrap is one more in the bits above. */
	CU_ASSERT_EQUAL(after(low, 0, 0, 1, &status), 3 * 0x200 + 0x100 + 32);
	CU_ASSERT_EQUAL(after(both, 0, 0, 1, &status), 3 * 0x400 + 0x300 + 32);
	CU_ASSERT_EQUAL(after(last, 0, TWO(47) - 1, 1, &status), TWO(47) + 799);
	CU_ASSERT_EQUAL(status, 2);
	CU_ASSERT_EQUAL(after(last, 0, 5, 0, &status), TWO(47) + 5);
	CU_ASSERT_EQUAL(status, 0);
}

TEST(a_carry_missing_behind_a_stuck_bit_stays_lost)
{
	uint32_t status;

	CU_ASSERT_EQUAL(
		after(",defect=stuck1:" WHERE ":0xa0:31,defect=carry-missing:" WHERE ":0", 0, TWO(31) - 1, 1, &status),
		TWO(31) + 799);
	CU_ASSERT_EQUAL(after(",defect=stuck1:" WHERE ":0xa0:31", 0, TWO(31) - 1, 1, &status), TWO(32) + TWO(31) + 799);
	CU_ASSERT_EQUAL(
		after(",defect=width:" WHERE ":0:33,defect=carry-missing:" WHERE ":0", 0, TWO(33) - 1, 1, &status),
		TWO(32) + 799);
	CU_ASSERT_EQUAL(status, 0);
}

TEST(stuck_bits_of_a_control_act)
{
	struct fx fx;

	open_with(&fx, ",defect=stuck1:" WHERE ":0xd8:22,defect=stuck0:" WHERE ":0xdc:22,defect=stuck1:" WHERE
		       ":0xe0:8,defect=stuck0:" WHERE ":0xf0:22");
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL), EN);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK); /* event 00 is the clock, enabled by itself */
	fx_w32(&fx, CH, CTL, 0);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL), EN);
	fx_w32(&fx, CH, CTL + 4, CLOCK);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL + 4), 0);
	fx_w32(&fx, CH, CTL + 8, EN | 0x0204);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL + 8), EN | 0x0304);
	fx_w32(&fx, CH, CTL + 12, READS);
	fx_w32(&fx, CH, FIXED_CTL, EN);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, FIXED_CTL), 0);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), (MS / US + 1) * DCLK);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 0);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 16), fx_r48(&fx, CH, CTR + 24));
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 16), 62500); /* 4 GB/s in lines of 64 */
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 0);
	CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
	fx_close(&fx);
}

TEST(stuck_freeze_bits_act)
{
	struct fx fx;

	open_with(&fx, ",defect=stuck1:" WHERE ":0xf4:8");
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, BOX_CTL), 0x100);
	count_clocks(&fx, CH);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK); /* frz does nothing without frz_en */
	fx_w32(&fx, CH, BOX_CTL, ARMED);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK);
	fx_close(&fx);
	open_with(&fx, ",frz_en=rw,defect=stuck0:" WHERE ":0xf4:16");
	count_clocks(&fx, CH);
	fx_w32(&fx, CH, BOX_CTL, FREEZE);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, BOX_CTL), 0);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK);
	fx_close(&fx);
}

TEST(stuck_bits_of_what_has_no_memory_only_read_so)
{
	struct fx fx;

	open_with(&fx, ",defect=stuck1:" WHERE ":0:16,defect=stuck0:" WHERE ":0:20,defect=stuck1:" WHERE
		       ":0x40:5,defect=stuck1:" WHERE ":0xa4:31,defect=stuck1:" WHERE ":0xf8:1");
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, 0), 0x3ca18086); /* 3cb0, with its lowest bit and without bit 4 */
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, 0x40), 0x20);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), TWO(63));
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, STATUS), 2);
	fx_w32(&fx, CH, STATUS, 0x1f);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, STATUS), 2);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH1, 0), 0x3cb18086);
	fx_close(&fx);
}

TEST(a_counter_that_ignores_the_freeze_goes_on_alone)
{
	char defect[128];
	unsigned i, k;
	struct fx fx;

	for (i = 0; i < 5; i++) {
		open_with(&fx, with_counter(",defect=freeze-ignored:" WHERE ":%s", i, defect));
		count_clocks(&fx, CH);
		fx_step(&fx, US);
		fx_w32(&fx, CH, BOX_CTL, FREEZE);
		fx_step(&fx, US);
		for (k = 0; k < 5; k++)
			CU_ASSERT_EQUAL(fx_r48(&fx, CH, offset_of(k)), k == i ? 2 * DCLK : DCLK);
		fx_w32(&fx, CH, BOX_CTL, ARMED);
		fx_step(&fx, US);
		for (k = 0; k < 5; k++)
			CU_ASSERT_EQUAL(fx_r48(&fx, CH, offset_of(k)), k == i ? 3 * DCLK : 2 * DCLK);
		fx_close(&fx);
	}
}

TEST(a_global_freeze_meets_the_same_defects)
{
	struct fx fx;

	fx_open(&fx, "ivt,sockets=1,clock=step,dword_ns=0,defect=freeze-ignored:" WHERE ":2,defect=freeze-loses:" WHERE
		     ":3");
	count_clocks(&fx, "ff:10.4");
	fx_step(&fx, US);
	fx_wmsr(&fx, 0, 0xc00, 0xc0000000); /* freeze all */
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, "ff:10.4", CTR), DCLK - 3);
	CU_ASSERT_EQUAL(fx_r48(&fx, "ff:10.4", CTR + 16), 2 * DCLK);
	fx_close(&fx);
}

TEST(a_freeze_loses_what_was_counted_last)
{
	struct fx fx;

	open_with(&fx, ",defect=freeze-loses:" WHERE ":10");
	fx_w32(&fx, CH, CTL, CLOCK);
	fx_w32(&fx, CH, FIXED_CTL, EN);
	fx_w48(&fx, CH, CTR + 8, 1000); /* does not count */
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK);
	fx_w32(&fx, CH, BOX_CTL, FREEZE);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK - 10);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK - 10);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 1000);
	fx_step(&fx, US);
	fx_w32(&fx, CH, BOX_CTL, FREEZE); /* it is frozen already */
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK - 10);
	fx_w32(&fx, CH, BOX_CTL, ARMED);
	fx_step(&fx, 10); /* 8 cycles: no more than these can be lost */
	fx_w32(&fx, CH, BOX_CTL, FREEZE);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK - 10);
	fx_w48(&fx, CH, CTR, 5);
	fx_w32(&fx, CH, BOX_CTL, ARMED);
	fx_step(&fx, US);
	fx_w48(&fx, CH, CTR, 5); /* what was counted before is gone anyway */
	fx_w32(&fx, CH, BOX_CTL, FREEZE);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), 5);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 2 * DCLK - 20);
	fx_close(&fx);
}

TEST(a_reset_leaves_a_counter)
{
	char defect[128];
	unsigned i, k;
	struct fx fx;

	for (i = 0; i < 5; i++) {
		with_counter("hsx,sockets=1,clock=step,dword_ns=0,defect=reset-leaves:" WHERE ":%s", i, defect);
		fx_open(&fx, defect);
		for (k = 0; k < 5; k++)
			fx_w48(&fx, "ff:14.0", offset_of(k), 7);
		fx_w32(&fx, "ff:14.0", BOX_CTL, 2);
		for (k = 0; k < 5; k++) /* the fixed one is not among those it clears */
			CU_ASSERT_EQUAL(fx_r48(&fx, "ff:14.0", offset_of(k)), k == i || k == 4 ? 7 : 0);
		for (k = 0; k < 4; k++) {
			fx_w48(&fx, "ff:14.0", offset_of(k), 7);
			fx_w32(&fx, "ff:14.0", CTL + 4 * k, 0x20000);
		}
		fx_w32(&fx, "ff:14.0", FIXED_CTL, 0x80000);
		for (k = 0; k < 5; k++)
			CU_ASSERT_EQUAL(fx_r48(&fx, "ff:14.0", offset_of(k)), k == i ? 7 : 0);
		fx_close(&fx);
	}
}

TEST(crossed_enables_gate_each_other)
{
	struct fx fx;

	open_with(&fx, ",defect=enable-crossed:" WHERE ":1:fixed");
	fx_w32(&fx, CH, CTL + 4, CLOCK);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 0);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK);
	fx_w32(&fx, CH, CTL + 4, 0x0304);
	fx_w32(&fx, CH, FIXED_CTL, EN);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 62500); /* what it counts is its own */
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), DCLK);
	fx_w32(&fx, CH, CTL, CLOCK);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), DCLK);
	fx_close(&fx);
}

TEST(a_shifted_umask_takes_the_next_sub_event)
{
	struct fx fx;
	uint32_t i;

	open_with(&fx, ",defect=umask-shifted:" WHERE ":2");
	for (i = 0; i < 4; i++)
		fx_w32(&fx, CH, CTL + 4 * i, READS);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), 62500);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 16), /* umask 06 */
			fx_truth(&fx, CH, "cas_count.rd_underfill") + fx_truth(&fx, CH, "cas_count.wr_wmm"));
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL + 8), READS);
	fx_close(&fx);
	open_with(&fx, ",defect=umask-shifted:" WHERE);
	for (i = 0; i < 4; i++)
		fx_w32(&fx, CH, CTL + 4 * i, EN | 0x104u << i | 4);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), fx_truth(&fx, CH, "cas_count.rd_underfill"));
	CU_ASSERT_EQUAL(fx_truth(&fx, CH, "cas_count.rd"), 62500);
	fx_close(&fx);
}

TEST(swapped_channels_answer_in_each_others_place)
{
	struct unc_sim_channel channel;
	struct fx fx;

	fx_open(&fx, "snbep,sockets=2,clock=step,dword_ns=0,defect=channels-swapped:" WHERE ":socket0.imc0.ch2");
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:10.0", 0), 0x3cb48086);
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:10.4", 0), 0x3cb08086);
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:10.1", 0), 0x3cb18086);
	fx_w32(&fx, "7f:10.0", CTL, READS);
	fx_w32(&fx, "7f:10.4", CTL, READS);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, "7f:10.0", CTR), 5400000000 / 64 / 1000);
	CU_ASSERT_EQUAL(fx_r48(&fx, "7f:10.4", CTR), 4000000000 / 64 / 1000);
	CU_ASSERT_EQUAL(fx_truth(&fx, "7f:10.0", "cas_count.rd"), 5400000000 / 64 / 1000);
	CU_ASSERT_EQUAL(unc_sim_channel(fx.host, 0, &channel), 0);
	CU_ASSERT(channel.channel == 0 && channel.addr.pci.fn == 4);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", 0), 0x3cb08086);
	fx_close(&fx);
}

TEST(swapped_sockets_tell_each_others_number)
{
	struct fx fx;

	fx_open(&fx, "snbep,sockets=4,clock=step,dword_ns=0");
	CU_ASSERT_EQUAL(fx_r32(&fx, "3f:0b.0", 0x40), 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "bf:0b.0", 0x40), 3);
	fx_close(&fx);
	fx_open(&fx, "snbep,sockets=4,clock=step,dword_ns=0,defect=sockets-swapped:0:2");
	CU_ASSERT_EQUAL(fx_r32(&fx, "3f:0b.0", 0x40), 3);
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:0b.0", 0x40), 2);
	CU_ASSERT_EQUAL(fx_r32(&fx, "bf:0b.0", 0x40), 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "3f:0b.0", 0x54), fx_r32(&fx, "7f:0b.0", 0x54));
	fx_close(&fx);
}

TEST(stuck_bits_of_a_ubox_are_its_own)
{
	uint32_t map;
	struct fx fx;

	fx_open(&fx, "snbep,sockets=2,clock=step,dword_ns=0,defect=stuck0:socket0.ubox:0x40:0,defect=stuck1:socket1."
		     "ubox:0x54:5");
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:0b.0", 0x40), 0);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:0b.0", 0x40), 0);
	map = fx_r32(&fx, "7f:0b.0", 0x54);
	CU_ASSERT_EQUAL(map & 0x20, 0);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:0b.0", 0x54), map | 0x20);
	fx_close(&fx);
}

/* Counts of each control after a second, on a clock that runs so many cycles then. */
static void expect_clock(const char *defects, uint64_t hz)
{
	static const uint32_t ctls[] = {CLOCK, READS, 0x01000304 | EN, 0x01800304 | EN};
	uint64_t hits, rest;
	struct fx fx;
	uint32_t i;

	open_with(&fx, defects);
	for (i = 0; i < 4; i++)
		fx_w32(&fx, CH, CTL + 4 * i, ctls[i]);
	fx_w32(&fx, CH, FIXED_CTL, EN);
	fx_w32(&fx, CH1, FIXED_CTL, EN);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), hz);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), hz);
	CU_ASSERT_EQUAL(fx_truth(&fx, CH, "clockticks"), hz);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 62500000); /* there is as much traffic as ever */
	hits = fx_r48(&fx, CH, CTR + 16);
	rest = fx_r48(&fx, CH, CTR + 24);
	CU_ASSERT_EQUAL(hits, 62500000); /* never two in a cycle */
	CU_ASSERT_EQUAL(hits + rest, hz);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH1, FIXED), 800000000);
	fx_w32(&fx, CH, CTL, CLOCK | 1 << 24);
	fx_w48(&fx, CH, CTR, 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), hz); /* each cycle is one with a cycle in it */
	fx_close(&fx);
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
	struct fx fx;
	unsigned i;

	open_with(&fx, ",defect=stops:" WHERE ":0.0015");
	count_clocks(&fx, CH);
	count_clocks(&fx, CH1);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 800000);
	fx_step(&fx, MS);
	for (i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(fx_r48(&fx, CH, offset_of(i)), 1200000);
		CU_ASSERT_EQUAL(fx_r48(&fx, CH1, offset_of(i)), 1600000);
	}
	fx_w48(&fx, CH, CTR, 5);
	fx_w32(&fx, CH, CTL + 4, READS);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, CTL + 4), READS);
	fx_step(&fx, MS);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), 5);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR + 8), 1200000);
	CU_ASSERT_EQUAL(fx_truth(&fx, CH, "cas_count.rd"), 187500);
	fx_close(&fx);
}

TEST(a_hidden_channel_is_not_there)
{
	struct unc_sim_channel channel;
	struct unc_space *space;
	struct unc_addr addr;
	struct fx fx;

	open_with(&fx, ",defect=hidden:socket0.imc0.ch1");
	addr = fx_addr(CH1);
	CU_ASSERT_EQUAL(unc_space_open(fx.bus, &addr, &space), UNC_ENODEV);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "defect=hidden"));
	CU_ASSERT_EQUAL(unc_sim_pcis(fx.host), 14);
	CU_ASSERT_EQUAL(unc_sim_channel(fx.host, 1, &channel), 0);
	CU_ASSERT(channel.hidden);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, 0), 0x3cb08086);
	fx_close(&fx);
}

/* Of so many reads of the clock's control those of all ones; bit i of *ret_first: read i, of the first 64. */
static unsigned ones_read(const char *defects, unsigned n, uint64_t *ret_first)
{
	unsigned i, ones = 0;
	struct fx fx;

	*ret_first = 0;
	open_with(&fx, defects);
	fx_w32(&fx, CH, FIXED_CTL, EN);
	for (i = 0; i < n; i++) {
		uint32_t value = fx_r32(&fx, CH, FIXED_CTL);

		CU_ASSERT(value == EN || value == UINT32_MAX);
		ones += value == UINT32_MAX;
		if (i < 64 && value == UINT32_MAX)
			*ret_first |= TWO(i);
		CU_ASSERT_EQUAL(fx_r32(&fx, CH1, FIXED_CTL), 0);
	}
	fx_close(&fx);
	return ones;
}

TEST(reads_of_all_ones_come_by_lot_and_the_same_again)
{
	uint64_t first, again;
	unsigned n;

	n = ones_read(",defect=ones:" WHERE ":16", 4096, &first);
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
	unsigned i, lost = 0, lost_other = 0;
	struct fx fx;

	open_with(&fx, ",defect=drops:" WHERE ":8");
	for (i = 1; i <= 4096; i++) {
		fx_w32(&fx, CH, CTR, i);
		lost += fx_r32(&fx, CH, CTR) != i;
		fx_w32(&fx, CH1, CTR, i);
		lost_other += fx_r32(&fx, CH1, CTR) != i;
	}
	CU_ASSERT(lost > 424 && lost < 600); /* 512, and 4 deviations of 21.2 either way */
	CU_ASSERT_EQUAL(lost_other, 0);
	fx_close(&fx);
}

#define BDX "bdx,sockets=1,cores=2,threads=1,clock=step,dword_ns=0"

enum { EVTSEL = 0xc8d, QM_CTR = 0xc8e, PQR = 0xc8f, OCCUPANCY = 1, TOTAL = 2, LOCAL = 3, UNIT = 73728, MAX_RMID = 143 };

static uint64_t qm(struct fx *fx, uint64_t rmid, uint64_t event)
{
	fx_wmsr(fx, 0, EVTSEL, rmid << 32 | event);
	return fx_rmsr(fx, 0, QM_CTR);
}

static uint64_t occupancy(struct fx *fx, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx->host, 0, rmid, UNC_SIM_NOW, &is), 0);
	return is.occupancy_bytes;
}

/* CPU 1 wants 3 MB while its RMID is 5, and moves 1 GB a second. */
static void open_qm(struct fx *fx, const char *defects)
{
	char args[256];

	snprintf(args, sizeof(args), BDX "%s", defects);
	fx_open_load(fx, args,
		     "format: uncorectl-load/1\n"
		     "cpus:\n"
		     "  0: {occupancy: 20e6, total: 1e9, local: 1e9}\n"
		     "  1: {occupancy: 3e6, total: 1e9, local: 1e9}\n");
	fx_wmsr(fx, 1, PQR, 5);
	fx_step(fx, SECOND);
}

TEST(an_rmid_off_by_one_answers_for_the_next)
{
	struct fx fx;

	open_qm(&fx, "");
	CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 3000000 / UNIT);
	CU_ASSERT_EQUAL(qm(&fx, 4, OCCUPANCY), 0);
	fx_close(&fx);
	open_qm(&fx, ",defect=rmid-off");
	CU_ASSERT_EQUAL(qm(&fx, 4, OCCUPANCY), 3000000 / UNIT);
	CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 0);
	CU_ASSERT_EQUAL(qm(&fx, MAX_RMID, OCCUPANCY), 20000000 / UNIT); /* RMID 0's */
	CU_ASSERT_EQUAL(qm(&fx, MAX_RMID + 1, OCCUPANCY), TWO(63));
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), (uint64_t)(MAX_RMID + 1) << 32 | OCCUPANCY);
	CU_ASSERT_EQUAL(occupancy(&fx, 5), 3000000);
	fx_close(&fx);
}

TEST(the_error_bit_is_never_set)
{
	struct fx fx;

	open_qm(&fx, "");
	CU_ASSERT_EQUAL(qm(&fx, 5, 9), TWO(63));
	fx_close(&fx);
	open_qm(&fx, ",defect=no-error");
	CU_ASSERT_EQUAL(qm(&fx, 5, 9), 0);
	CU_ASSERT_EQUAL(qm(&fx, MAX_RMID + 1, OCCUPANCY), 0);
	CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 3000000 / UNIT);
	fx_close(&fx);
}

TEST(units_are_worth_something_else)
{
	struct fx fx;

	open_qm(&fx, ",mbm_erratum=0,defect=upscale-off:25");
	CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 3000000 / (UNIT * 5 / 4));
	CU_ASSERT_EQUAL(qm(&fx, 5, TOTAL), 1000000000 / (UNIT * 5 / 4));
	CU_ASSERT_EQUAL(fx_cpuid(&fx, 0, 0xf, 1).ebx, UNIT);
	CU_ASSERT_EQUAL(occupancy(&fx, 5), 3000000);
	fx_close(&fx);
	open_qm(&fx, ",mbm_erratum=0,defect=upscale-off:-50");
	CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 3000000 / (UNIT / 2));
	CU_ASSERT_EQUAL(qm(&fx, 5, TOTAL), 1000000000 / (UNIT / 2));
	fx_close(&fx);
}

TEST(occupancy_never_falls)
{
	struct fx fx;
	unsigned i;

	for (i = 0; i < 2; i++) {
		open_qm(&fx, i ? ",defect=never-falls" : "");
		fx_wmsr(&fx, 1, PQR, 6);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(occupancy(&fx, 5), 0);
		CU_ASSERT_EQUAL(occupancy(&fx, 6), 3000000);
		CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), i ? 3000000 / UNIT : 0);
		CU_ASSERT_EQUAL(qm(&fx, 6, OCCUPANCY), 3000000 / UNIT);
		CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
		CU_ASSERT_EQUAL(qm(&fx, 5, OCCUPANCY), 0);
		fx_close(&fx);
	}
}

TEST(total_and_local_are_exchanged)
{
	struct fx fx;

	fx_open_load(&fx, BDX ",defect=mbm-exchanged",
		     "format: uncorectl-load/1\ncpus:\n  0: {occupancy: 20e6, total: 2e9, local: 1e9}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, TOTAL), 1000000000 / UNIT);
	CU_ASSERT_EQUAL(qm(&fx, 0, LOCAL), 2000000000 / UNIT);
	CU_ASSERT_EQUAL(qm(&fx, 0, OCCUPANCY), 20000000 / UNIT);
	fx_close(&fx);
}

TEST(an_assoc_without_effect_holds_what_is_written)
{
	struct fx fx;

	open_qm(&fx, ",defect=assoc-dead:cpu1");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 5);
	CU_ASSERT_EQUAL(occupancy(&fx, 5), 0);
	CU_ASSERT_EQUAL(occupancy(&fx, 0), 23000000);
	fx_wmsr(&fx, 0, PQR, 6); /* another CPU's has one */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 6), 20000000);
	fx_close(&fx);
}

TEST(the_threads_of_a_core_share_an_assoc)
{
	struct fx fx;

	fx_open(&fx, "bdx,sockets=2,cores=2,clock=step,defect=assoc-shared"); /* CPUs 0 and 4 are core 0 of socket 0 */
	fx_wmsr(&fx, 4, PQR, 5);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, PQR), 5);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, PQR), 0);
	fx_wmsr(&fx, 0, PQR, 6);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 4, PQR), 6);
	fx_close(&fx);
}

TEST(stuck_bits_of_msrs_act)
{
	struct fx fx;

	open_qm(&fx, ",defect=stuck1:cpu1:0xc8f:1,defect=stuck0:cpu0:0xc8d:33");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 7); /* 5 was written */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, PQR), 0);
	CU_ASSERT_EQUAL(occupancy(&fx, 7), 3000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 5), 0);
	CU_ASSERT_EQUAL(qm(&fx, 7, OCCUPANCY), 0); /* asks for 5 */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), TWO(34) | TWO(32) | OCCUPANCY);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 2);
	CU_ASSERT_EQUAL(occupancy(&fx, 2), 3000000);
	fx_close(&fx);
	/* A register of the package is the same for all of its CPUs; one that cannot be written only reads so. */
	fx_open(&fx, "ivt,sockets=2,cores=2,clock=step,dword_ns=0,defect=stuck1:cpu0:0xc24:4,"
		     "defect=stuck1:cpu0:0xce:63,defect=stuck1:cpu0:0x1a0:62");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc24), 0x10);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc24), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xce) >> 63, 1);
	fx_wmsr(&fx, 1, 0xc24, 1);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc24), 0x11);
	fx_close(&fx);
}

TEST(nonsense_is_refused_with_what_is_possible)
{
	FX_REFUSED("snbep,defect=", UNC_EARG, "defect=", "no defect of that name", "stuck0, stuck1", "never-falls");
	FX_REFUSED("snbep,defect", UNC_EARG, "defect needs a value");
	FX_REFUSED("snbep,defect=stuck2:" WHERE ":0:0", UNC_EARG, "stuck2:", "there are: stuck0");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0xd8", UNC_EARG, "stuck0:", "missing", "a bit, 0 to 63",
		   "stuck0:WHERE:OFFSET:BIT");
	FX_REFUSED("snbep,defect=stuck0:socket0.imc0:0xd8:1", UNC_EARG, "\"socket0.imc0\"", "a channel such as",
		   "cpu3");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":d8:1", UNC_EARG, "\"d8\" must be the offset");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0xd8:64", UNC_EARG, "\"64\" must be a bit");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0xd8:32", UNC_EARG, "0xd8:32", "bits 0 to 31");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0xa4:32", UNC_EARG, "0xa4:32", "bits 0 to 31");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0xda:1", UNC_EARG, "0xda:1", "multiple of 4");
	FX_REFUSED("snbep,defect=stuck0:" WHERE ":0x100:1", UNC_EARG, "0x100:1", "configuration space");
	FX_REFUSED("snbep,defect=stuck0:cpu3:0xc8f:1", UNC_EARG, "cpu3:0xc8f:1", "no MSR of that number");
	FX_REFUSED("snbep,defect=stuck0:socket0.ubox:0x40:32", UNC_EARG, "0x40:32", "bits 0 to 31");
	FX_REFUSED("snbep,defect=stuck0:socket0.ubox:0x42:1", UNC_EARG, "0x42:1", "multiple of 4");
	FX_REFUSED("snbep,sockets=2,defect=stuck0:socket2.ubox:0x40:1", UNC_EARG, "no UBOX of socket 2");
	FX_REFUSED("snbep,defect=hidden:socket0.ubox", UNC_EARG, "\"socket0.ubox\" must be a channel such as");
	FX_REFUSED("hsx,cores=1,defect=stuck0:cpu4:0xc8f:1", UNC_EARG, "cpu4:0xc8f", "no CPU 4", "0 to 3");
	FX_REFUSED("hsx,msr=absent,defect=stuck0:cpu3:0xc8f:1", UNC_EARG, "cpu3:0xc8f", "msr=absent");
	FX_REFUSED("snbep,defect=width:" WHERE ":4:47", UNC_EARG, "\"4\" must be a counter, 0 to 3 or fixed");
	FX_REFUSED("snbep,defect=width:" WHERE ":0:48", UNC_EARG, "\"48\" must be", "1 to 47");
	FX_REFUSED("snbep,defect=width:" WHERE ":0:40:1", UNC_EARG, "too much", "width:WHERE:CTR:BITS");
	FX_REFUSED("snbep,defect=umask-shifted:" WHERE ":fixed", UNC_EARG, "\"fixed\" must be a counter, 0 to 3;");
	FX_REFUSED("snbep,defect=enable-crossed:" WHERE ":2:2", UNC_EARG, "2:2", "different");
	FX_REFUSED("snbep,defect=channels-swapped:" WHERE ":" WHERE, UNC_EARG, "different");
	FX_REFUSED("snbep,defect=sockets-swapped:1:1", UNC_EARG, "different");
	FX_REFUSED("snbep,defect=sockets-swapped:0:2", UNC_EARG, "0:2", "no socket 2");
	FX_REFUSED("snbep,defect=sockets-swapped:0:8", UNC_EARG, "\"8\" must be a socket");
	FX_REFUSED("snbep,defect=dclk-off:" WHERE ":0", UNC_EARG, "\"0\" must be a percentage");
	FX_REFUSED("snbep,defect=dclk-off:" WHERE ":--3", UNC_EARG, "\"--3\" must be");
	FX_REFUSED("snbep,defect=dclk-off:" WHERE ":91", UNC_EARG, "-90 to 90");
	FX_REFUSED("snbep,defect=stops:" WHERE ":x", UNC_EARG, "\"x\" must be a time");
	FX_REFUSED("snbep,defect=ones:" WHERE ":0", UNC_EARG, "\"0\" must be a number from 1");
	FX_REFUSED("snbep,defect=hidden:socket2.imc0.ch0", UNC_EARG, "hidden:socket2.imc0.ch0", "no channel",
		   "socket1.imc0.ch3");
	FX_REFUSED("snbep,defect=hidden:socket0.imc0.ch4", UNC_EARG, "no channel socket0.imc0.ch4");
	FX_REFUSED("snbep,defect=hidden:cpu0", UNC_EARG, "\"cpu0\" must be a channel such as");
	FX_REFUSED("snbep,allones=7f:10.0,defect=hidden:" WHERE, UNC_EARG, "hidden:", "allones=");
	FX_REFUSED("zen2,defect=hidden:" WHERE, UNC_EARG, "hidden:", "no memory channels are modelled");
	FX_REFUSED("zen2,defect=sockets-swapped:0:1", UNC_EARG, "sockets-swapped:", "no PCI functions");
	FX_REFUSED("snbep,defect=rmid-off", UNC_EARG, "rmid-off", "no cache monitoring");
	FX_REFUSED("bdx,defect=rmid-off:3", UNC_EARG, "rmid-off:3", "too much");
	FX_REFUSED("bdx,defect=assoc-dead:socket0.ubox", UNC_EARG, "assoc-dead", "a CPU such as cpu3");
	FX_REFUSED("bdx,sockets=1,cores=1,threads=1,defect=assoc-dead:cpu1", UNC_EARG, "no CPU 1; it has 0 to 0");
	FX_REFUSED("bdx,msr=absent,defect=no-error", UNC_EARG, "no-error", "msr=absent");
	FX_REFUSED("bdx,defect=upscale-off", UNC_EARG, "missing", "upscale-off:PERCENT");
}

TEST(openers_of_one_machine_agree_about_its_defects)
{
	char *state = fx_file(NULL), args[2][512];
	struct fx a, b;

	snprintf(args[0], sizeof(args[0]), MACHINE ",state=%s,defect=stops:" WHERE ":1,defect=width:" WHERE ":0:40",
		 state);
	snprintf(args[1], sizeof(args[1]), MACHINE ",state=%s,defect=width:" WHERE ":0:40,defect=stops:" WHERE ":1",
		 state);
	fx_open(&a, args[0]);
	fx_open(&b, args[1]);
	fx_close(&b);
	snprintf(args[1], sizeof(args[1]), MACHINE ",state=%s,defect=width:" WHERE ":0:40", state);
	FX_REFUSED(args[1], UNC_EARG, "another machine", "defects");
	snprintf(args[1], sizeof(args[1]), MACHINE ",state=%s", state);
	FX_REFUSED(args[1], UNC_EARG, "another machine", "defects");
	fx_close(&a);
	fx_unlink(state);
}
