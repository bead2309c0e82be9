// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Defects of the simulated machine in which a write does more, or less, than it should.  Offsets and bits are written out here a
 * second time, from the manuals: 327043-001 p.60 to 68; LGA-2011 datasheet volume 2, p.532.
 */
#include "test_sim.h"

#define CH      "ff:10.0" /* socket0.imc0.ch0 */
#define CH1     "ff:10.1"
#define WHERE   "socket0.imc0.ch0"
#define WHERE1  "socket0.imc0.ch1"
#define MACHINE "snbep,sockets=1,clock=step,dword_ns=0"

enum { EDGE = 0x40000, THRESH1 = 0x1000000, DCLK = 800 /* cycles a microsecond */ };

TEST(a_write_lands_in_another_channel_too)
{
	fx_open(MACHINE ",defect=writes-alias:" WHERE ":" WHERE1);
	fx_w32(CH, CTL, 0x304);
	fx_w48(CH, CTR, 0x123456789a);
	IS32(CH1, {CTL, 0x304});
	IS48(CH1, {CTR, 0x123456789a});
	fx_w32(CH1, CTL, 0xc04);
	IS32(CH, {CTL, 0x304});
	IS32(CH1, {CTL, 0xc04});
	fx_open(MACHINE ",defect=writes-alias:" WHERE ":" WHERE1 ":0xd8");
	W32(CH, {CTL, 0x304}, {CTL + 4, 0x304});
	IS32(CH1, {CTL, 0x304}, {CTL + 4, 0});
}

TEST(a_channel_without_registers_shows_those_of_another)
{
	fx_open(MACHINE ",defect=same-box:" WHERE ":" WHERE1);
	fx_w32(CH, CTL, 0x304);
	IS32(CH1, {CTL, 0x304});
	fx_w32(CH1, CTL, 0xc04);
	IS32(CH, {CTL, 0xc04}, {0, 0x3cb08086}); /* the header is its own */
	IS32(CH1, {0, 0x3cb18086});
}

TEST(a_write_clears_another_dword)
{
	fx_open(MACHINE ",defect=write-clears:" WHERE ":0xa0:0xa4");
	fx_w48(CH, CTR, 0x123456789a);
	IS48(CH, {CTR, 0x123456789a}); /* the high dword is written last */
	fx_w32(CH, CTR, 5);
	IS48(CH, {CTR, 5});
	fx_w48(CH, CTR + 8, 0x123456789a);
	fx_w32(CH, CTR + 8, 5);
	IS48(CH, {CTR + 8, 0x1200000005});
}

/* What one counter gains in a microsecond with that control. */
static uint64_t gained(const char *defect, unsigned i, uint32_t control)
{
	uint64_t value;

	fx_open(fx_text(MACHINE "%s", defect));
	fx_w32(CH, CTL + 4 * i, control);
	IS32(CH, {CTL + 4 * i, control});
	fx_step(US);
	value = fx_r48(CH, CTR + 8 * i);
	return value;
}

TEST(a_bit_of_a_control_does_nothing)
{
	static const char edge_of_2[] = ",defect=ignored:" WHERE ":18:2", edge[] = ",defect=ignored:" WHERE ":18",
			  thresh[] = ",defect=ignored:" WHERE ":25";

	CU_ASSERT_TRUE(gained("", 2, EN | EDGE | THRESH1) <= 1);
	CU_ASSERT_EQUAL(gained(edge_of_2, 2, EN | EDGE | THRESH1), DCLK);
	CU_ASSERT_TRUE(gained(edge_of_2, 1, EN | EDGE | THRESH1) <= 1);
	CU_ASSERT_EQUAL(gained(edge, 1, EN | EDGE | THRESH1), DCLK);
	CU_ASSERT_EQUAL(gained("", 0, EN | 2 * THRESH1), 0);
	CU_ASSERT_EQUAL(gained(thresh, 0, EN | 2 * THRESH1), DCLK);
}

/* The status when that counter has wrapped, then when 1 was written to all of it. */
static void wrap(const char *more, uint32_t counter, uint32_t control, uint32_t set, uint32_t left)
{
	fx_open(fx_text(MACHINE "%s", more));
	fx_w48(CH, counter, 0xfffffffffff0);
	fx_w32(CH, control, EN);
	fx_step(US);
	IS32(CH, {STATUS, set});
	fx_w32(CH, STATUS, 0x1f);
	IS32(CH, {STATUS, left});
}

TEST(status_bits_have_the_order_that_is_asked_for)
{
	wrap("", CTR, CTL, 2, 0);
	wrap("", FIXED, FIXED_CTL, 1, 0);
	wrap(",status_bits=fixed_first", CTR + 24, CTL + 12, 16, 0);
	wrap(",status_bits=by_number", CTR, CTL, 1, 0);
	wrap(",status_bits=by_number", CTR + 24, CTL + 12, 8, 0);
	wrap(",status_bits=by_number", FIXED, FIXED_CTL, 16, 0);
}

TEST(status_bits_are_crossed_or_stay)
{
	wrap(",defect=status-crossed:" WHERE ":0:fixed", CTR, CTL, 1, 0);
	wrap(",defect=status-crossed:" WHERE ":0:fixed", FIXED, FIXED_CTL, 2, 0);
	wrap(",defect=status-crossed:" WHERE ":0:fixed", CTR + 8, CTL + 4, 4, 0);
	wrap(",defect=status-sticks:" WHERE, CTR + 8, CTL + 4, 4, 4);
}

TEST(what_makes_no_sense_is_refused)
{
	FX_REFUSED("snbep,defect=writes-alias:" WHERE ":" WHERE, "different");
	FX_REFUSED("snbep,defect=writes-alias:" WHERE ":" WHERE1 ":0xda", "0xda", "multiple of 4");
	FX_REFUSED("snbep,defect=same-box:" WHERE, "missing", "same-box:WHERE:WHERE");
	FX_REFUSED("snbep,defect=write-clears:" WHERE ":0xa0:0x100", "0x100", "configuration space");
	FX_REFUSED("snbep,defect=write-clears:" WHERE ":0xa0", "missing", "WHERE:OFFSET:OFFSET");
	FX_REFUSED("snbep,defect=ignored:" WHERE ":32", "ignored:", "bits 0 to 31");
	FX_REFUSED("snbep,defect=status-crossed:" WHERE ":1:1", "different");
	FX_REFUSED("snbep,status_bits=2", "status_bits=2", "by_number");
}
