// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

TEST(a_violation_tells_when_where_what_and_why)
{
	struct unc_sim_violation v;
	char name[UNC_ADDR_TEXT];

	fx_open("snbep,clock=step,dword_ns=7");
	fx_step(1000);
	fx_w32("7f:10.1", 0xdc, 0x00510304);
	CU_ASSERT_EQUAL_FATAL(fx_violations(), 1);
	v = fx_violation(0);
	CU_ASSERT_EQUAL(v.t_ns, 1000);
	CU_ASSERT_STRING_EQUAL(unc_addr_text(&v.addr, name), "0000:7f:10.1");
	VIOLATES(0, 0xdc, 0x00510304, 0x00110000);
	CU_ASSERT_STRING_EQUAL(v.sentence,
			       "0000:7f:10.1: 0xdc written 0x00510304: wrong bits 0x00110000: these bits are "
			       "reserved and must be written 0 (G-JKT)");
}

TEST(correct_programming_breaks_no_rule)
{
	/* The guide's order: frz_en, freeze, configuration, then with en, fixed counter, unfreeze; and back. */
	static const uint32_t writes[][2] = {
		{0xf4, 0x10000},    {0xf4, 0x10100},  {0xd8, 0x000304}, {0xd8, 0x400304}, {0xdc, 0x000c04},
		{0xdc, 0x400c04},   {0xf0, 0x480000}, {0xf0, 0x400000}, {0xf4, 0x10000},  {0xa0, 0xffffffff},
		{0xa4, 0x0000ffff}, {0xd8, 0},        {0xdc, 0},        {0xe0, 0},        {0xf0, 0},
		{0xf8, 0x7f},       {0xf4, 0},
	};

	fx_open("snbep");
	for (size_t i = 0; i < N(writes); i++)
		fx_w32("ff:10.0", writes[i][0], writes[i][1]);
	CU_ASSERT_EQUAL(fx_violations(), 0);
	fx_w32("ff:10.0", 0xe0, 0x01800183); /* invert with a threshold */
	fx_w32("ff:10.0", 0xe0, 0x01040183); /* edge with a threshold */
}

TEST(one_write_can_break_several_rules)
{
	static const struct {
		uint32_t wrong;
		const char *piece;
	} rules[] = {
		{0x00100000, "reserved"},
		{0x00840000, "thresh, which must not be 0"},
		{0x00840000, "must not be combined"},
		{0x00000300, "one rank per counter"},
	};
	fx_open("snbep");
	fx_w32("ff:10.0", 0xd8, 0x00940383);
	CU_ASSERT_EQUAL_FATAL(fx_violations(), 4);
	for (size_t i = 0; i < 4; i++) {
		VIOLATES(i, CTL, 0x00940383, rules[i].wrong);
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(i).sentence, rules[i].piece));
	}
}

TEST(the_first_64_are_kept_and_all_are_counted)
{
	struct unc_sim_violation v;

	fx_open("snbep");
	for (uint32_t i = 0; i < 100; i++)
		fx_w32("ff:10.0", 0xe8, i);
	CU_ASSERT_EQUAL(fx_violations(), 100);
	v = fx_violation(63);
	CU_ASSERT_EQUAL(v.value, 63);
	CU_ASSERT_EQUAL(unc_sim_violation(fx.host, 64, &v), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_sim_violation(fx.host, 100, &v), UNC_ENODEV);
}

TEST(reading_breaks_no_rule)
{
	struct unc_addr ubox = fx_addr("ff:0b.0"), channel = fx_addr("ff:10.0");
	unsigned char buf[256];
	size_t done;

	fx_open("snbep");
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &ubox, false, 0, buf, 256, &done), 0);
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &channel, false, 1, buf, 255, &done), 0);
}
