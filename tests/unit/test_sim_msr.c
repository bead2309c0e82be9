// SPDX-License-Identifier: GPL-2.0-or-later
/* Model-specific registers of the simulated machine, as tables; monitoring is in test_sim_qm.c. */
#include "test_sim.h"

TEST(a_register_that_is_not_there_faults)
{
	static const uint32_t numbers[] = {0x0,   0x4e,  0x4f,  0x48,  0x10a,  0x63b,
					   0x640, 0x64d, 0xca0, 0xd00, 0xe7f0, UINT32_MAX};

	for (size_t i = 0; i < N(models); i++) {
		open_model(models[i], "");
		for (size_t k = 0; k < N(numbers); k++) {
			FAILS_AS(try_read(0, numbers[k]), UNC_EIO, "EIO", "this processor has no such register");
			FAILS_AS(try_write(0, numbers[k], 0), UNC_EIO, "EIO", "has no such register");
		}
	}
}

/* The number behind the last C-box, S-box or IIO, and some between boxes. */
TEST(there_are_as_many_uncore_boxes_as_the_part_has)
{
	static const struct {
		const char *model;
		uint32_t behind[6];
	} parts[] = {
		{"snbep", {0xc00, 0xc0a, 0xc12, 0xc18, 0xd05, 0xe04}},
		{"ivt", {0xc02, 0xc12, 0xc35, 0xc3a, 0xd1b, 0xee4}},
		{"hsx", {0x6ff, 0x70b, 0x71b, 0x748, 0xe0c, 0xf20}},
		{"bdx", {0x707, 0x70b, 0x71b, 0x748, 0xe0c, 0xf80}},
		{"skx", {0x707, 0x71b, 0x720, 0xa50, 0xb00, 0xfc0}},
		{"bdxde", {0x707, 0x70b, 0x71b, 0x748, 0xe0c, 0xe80}},
		{"clx", {0x707, 0x71b, 0x720, 0xa50, 0xb00, 0xfc0}},
		{"cpx", {0x707, 0x71b, 0x720, 0xa50, 0xb00, 0xfc0}},
	};

	for (size_t i = 0; i < N(parts); i++) {
		open_model(parts[i].model, "");
		for (size_t k = 0; k < N(parts[i].behind); k++)
			FAULTS({0, parts[i].behind[k], 0});
	}
}

TEST(a_cpu_that_is_not_there_has_none)
{
	open_model("snbep", ",cores=2,offline=3");
	FAILS_AS(try_read(3, 0x10), UNC_ENODEV, "ENXIO", "cpu 3: the CPU is offline");
	FAILS_AS(try_write(3, 0x199, 0), UNC_ENODEV, "ENXIO", "cpu 3: the CPU is offline");
	FAILS_AS(try_read(8, 0x10), UNC_ENODEV, "ENXIO", "CPUs 0 to 7");
	CU_ASSERT_EQUAL(try_read(7, 0x10), 0);
}

TEST(the_driver_may_refuse_writes)
{
	open_model("bdx", ",msr_writes=off");
	FAILS_AS(try_write(0, 0xc8f, 1), UNC_EPERM, "EPERM", "msr_writes=off");
	ISMSR({0, 0xc8f, 0});
	open_model("bdx", ",lockdown=1");
	FAILS_AS(try_write(0, 0xc8f, 1), UNC_EPERM, "EPERM", "lockdown=1");
	ISMSR({0, 0xc8f, 0}); /* reading is allowed */
	open_model("bdx", ",lockdown=1,msr_writes=off");
	FAILS_AS(try_write(0, 0xc8f, 1), UNC_EPERM, "EPERM", "lockdown=1");
	ISMSR({0, 0xc8f, 0});
}

TEST(the_buses_of_a_socket_are_told)
{
	open_model("skx", ",cores=2,threads=1");
	ISMSR({0, 0x300, UINT64_C(0x800000005d3a1700)}, {3, 0x300, UINT64_C(0x80000000d7ae8580)});
	open_model("bdx", "");
	ABSENT(0, 0x300);
}

TEST(a_register_of_the_package_is_all_its_cpus)
{
	open_model("bdx", ",cores=2,threads=1");
	fx_wmsr(0, 0xe71, 0x123);
	ISMSR({1, 0xe71, 0x123}, {2, 0xe71, 0}, {0, 0xe81, 0}); /* the next C-box */
	ISMSR({0, 0xe72, 0});
	fx_wmsr(0, 0x610, 0x8000); /* the power limit is the package's, too; prefetchers are the core's */
	ISMSR({1, 0x610, 0x8000}, {2, 0x610, 0});
	fx_wmsr(0, 0x1a4, 0xf);
	ISMSR({1, 0x1a4, 0});
}

/* What pcm-memory, likwid-perfctr and pqos write at their start and end, and read. */
enum { S = 1, I = 2, H = 4, BIG = 8, D = 32, B = BIG | D, K = 16 | 64 | 128, ALL = 255 };
static const struct {
	unsigned on;
	uint32_t first, last, step, n;
	bool writes_0;
} needed[] = {
	{ALL, 0x10, 0x10, 0, 1, false},         {ALL, 0x17, 0x17, 0, 1, false},
	{ALL, 0x8b, 0x8b, 0, 1, true},          {ALL, 0xce, 0xce, 0, 1, false},
	{ALL, 0x186, 0x189, 0, 1, true},        {ALL, 0xc1, 0xc4, 0, 1, true},
	{ALL, 0x198, 0x199, 0, 1, false},       {ALL, 0x19c, 0x19c, 0, 1, false},
	{ALL, 0x1a0, 0x1a0, 0, 1, false},       {ALL, 0x1a2, 0x1a2, 0, 1, false},
	{ALL, 0x1a4, 0x1a4, 0, 1, true},        {ALL, 0x1a6, 0x1a7, 0, 1, true},
	{ALL, 0x1ad, 0x1ad, 0, 1, false},       {I | H | B | K, 0x1ae, 0x1ae, 0, 1, false},
	{H | B, 0x1af, 0x1af, 0, 1, false},     {ALL, 0x1b0, 0x1b0, 0, 1, true},
	{ALL, 0x1b1, 0x1b1, 0, 1, false},       {ALL, 0x606, 0x606, 0, 1, false},
	{ALL, 0x610, 0x610, 0, 1, true},        {ALL, 0x611, 0x611, 0, 1, false},
	{ALL, 0x613, 0x614, 0, 1, false},       {ALL, 0x618, 0x618, 0, 1, true},
	{ALL, 0x619, 0x619, 0, 1, false},       {ALL, 0x61b, 0x61c, 0, 1, false},
	{S | I, 0x638, 0x63a, 0, 1, false},     {H | B | K, 0x620, 0x620, 0, 1, false},
	{ALL, 0x3f8, 0x3fa, 0, 1, false},       {ALL, 0x3fc, 0x3fe, 0, 1, false},
	{ALL, 0x60d, 0x60d, 0, 1, false},       {ALL, 0x34, 0x34, 0, 1, false},
	{ALL, 0x345, 0x345, 0, 1, false},       {ALL, 0x309, 0x30b, 0, 1, true},
	{ALL, 0x38d, 0x38d, 0, 1, true},        {ALL, 0x38e, 0x38e, 0, 1, false},
	{ALL, 0x38f, 0x390, 0, 1, true},        {ALL, 0x3f1, 0x3f1, 0, 1, true},
	{ALL, 0x3f6, 0x3f6, 0, 1, true},        {H | B | K, 0xc8d, 0xc8d, 0, 1, true},
	{H | B | K, 0xc8e, 0xc8e, 0, 1, false}, {H | B | K, 0xc8f, 0xc8f, 0, 1, true},
	{B | K, 0xc81, 0xc81, 0, 1, true},      {B | K, 0xc90, 0xc9f, 0, 1, false},
	{K, 0xd50, 0xd57, 0, 1, true},          {I, 0xc00, 0xc01, 0, 1, true},
	{I, 0xc06, 0xc06, 0, 1, true},          {H | B | K, 0x700, 0x702, 0, 1, true},
	{S | I, 0xc08, 0xc09, 0, 1, true},      {S | I, 0xc10, 0xc11, 0, 1, true},
	{S | I, 0xc16, 0xc17, 0, 1, true},      {S | I, 0xc24, 0xc24, 0, 1, true},
	{S | I, 0xc30, 0xc34, 0, 1, true},      {S | I, 0xc36, 0xc39, 0, 1, true},
	{S, 0xd04, 0xd04, 0x20, 8, true},       {S, 0xd10, 0xd14, 0x20, 8, true},
	{S, 0xd16, 0xd19, 0x20, 8, true},       {I, 0xd04, 0xd04, 0x20, 15, true},
	{I, 0xd10, 0xd14, 0x20, 15, true},      {I, 0xd16, 0xd1a, 0x20, 15, true},
	{H | B | K, 0x703, 0x706, 0, 1, true},  {H, 0x707, 0x707, 0, 1, true},
	{H | B | K, 0x709, 0x70a, 0, 1, true},  {H | B | K, 0x710, 0x715, 0, 1, true},
	{H | B | K, 0x717, 0x71a, 0, 1, true},  {H, 0x720, 0x726, 10, 4, true},
	{H, 0xe00, 0xe06, 0x10, 18, true},      {H, 0xe08, 0xe0b, 0x10, 18, true},
	{BIG, 0xe00, 0xe06, 0x10, 24, true},    {BIG, 0xe08, 0xe0b, 0x10, 24, true},
	{D, 0xe00, 0xe06, 0x10, 8, true},       {D, 0xe08, 0xe0b, 0x10, 8, true},
	{K, 0xe00, 0xe06, 0x10, 28, true},      {K, 0xe08, 0xe0b, 0x10, 28, true},
	{K, 0xa40, 0xa4f, 0x20, 6, true},       {K, 0xa58, 0xa5f, 0x20, 6, true},
};

TEST(what_tools_need_is_there)
{
	for (size_t i = 0; i < N(models); i++) {
		open_model(models[i], "");
		for (size_t k = 0; k < N(needed); k++) {
			if (!(needed[k].on & 1u << i))
				continue;
			for (uint32_t nth = 0; nth < needed[k].n; nth++) {
				for (uint32_t number = needed[k].first; number <= needed[k].last; number++) {
					uint32_t at = number + nth * needed[k].step;

					fx_rmsr(0, at);
					if (needed[k].writes_0)
						fx_wmsr(0, at, 0);
				}
			}
		}
	}
}

/* Not plain memory: allocation, and throttling of memory bandwidth, where the numbers are C-boxes' on others. */
static bool is_shared(size_t model, uint32_t number)
{
	bool has_mba = model == 4 || model > 5;

	return (number >= 0xc00 && number <= 0xca0) || (number >= 0xd50 && number < 0xd58 && has_mba);
}

/* Each has memory of its own: a register that shared it would show what was written to another. */
TEST(no_register_shows_what_was_written_to_another)
{
	for (size_t i = 0; i < N(models); i++) {
		unsigned n = 0;

		open_model(models[i], "");
		for (uint32_t number = 0xa40; number < 0xfc0; number++)
			n += !is_shared(i, number) && try_write(0, number, number) == 0;
		for (uint32_t number = 0xa40; number < 0xfc0; number++)
			if (!is_shared(i, number) && try_read(0, number) == 0)
				ISMSR({0, number, number});
		CU_ASSERT(n >= 80);
	}
}

TEST(reserved_bits_and_constants_fault)
{
	static const struct {
		uint32_t number;
		uint64_t value;
	} wrong[] = {
		{0x10, 0},           {0x19c, 0},          {0x1a2, 0},          {0x606, 0},          {0x611, 0},
		{0x34, 0},           {0x1a4, 0x10},       {0x1b0, 0x10},       {0x1a0, 0},          {0x38e, 0},
		{0x199, 0x10000},    {0x1a6, 0x7000},     {0x186, 1ull << 40}, {0x390, 1ull << 40}, {0x3f6, 0x10000},
		{0x199, 1ull << 63}, {0xe01, 1ull << 48},
	};

	open_model("hsx", "");
	for (size_t i = 0; i < N(wrong); i++) {
		uint64_t before = fx_rmsr(0, wrong[i].number);

		FAILS_AS(try_write(0, wrong[i].number, wrong[i].value), UNC_EIO, "EIO", "does not take that value");
		ISMSR({0, wrong[i].number, before});
	}
}

TEST(what_it_holds_can_be_written_back)
{
	open_model("hsx", "");
	fx_wmsr(0, 0x1a0, fx_rmsr(0, 0x1a0) & ~UINT64_C(0x10000));
	ISMSR({0, 0x1a0, 0x840089}, {1, 0x1a0, 0x850089});
	fx_wmsr(0, 0x8b, 0);
	ISMSR({0, 0x8b, UINT64_C(0x43) << 32});
	fx_wmsr(0, 0x701, UINT64_MAX);
	ISMSR({0, 0x701, 0});
}

TEST(suspending_resets_them)
{
	open_model("hsx", ",sockets=3");
	fx_wmsr(107, 0x199, 0x1300); /* the last CPU, of the last package */
	WMSR({107, 0xe01, 0x2}, {0, 0x199, 0x1200}, {0, 0xe01, 0x1}, {0, 0x703, 0x400000});
	fx_step(1000);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	ISMSR({0, 0x199, 0}, {107, 0x199, 0}, {0, 0xe01, 0}, {107, 0xe01, 0}, {0, 0x704, 0},
	      {0, 0x10, UINT64_C(2300000000000) + 2300});
}
