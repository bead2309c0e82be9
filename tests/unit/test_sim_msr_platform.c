// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks, energy, temperatures and core counters of the simulated machine. */
#include "test_sim.h"

TEST(the_tsc_is_time_times_its_rate)
{
	static const uint64_t mhz[] = {3100, 2700, 2300, 2300, 2500, 2000, 2700, 2900};

	for (size_t i = 0; i < N(models); i++) {
		open_model(models[i], "");
		ISMSR({0, 0x10, 1000 * mhz[i] * 1000000});
		fx_step(1234567);
		ISMSR({0, 0x10, (1000 * SECOND + 1234567) * mhz[i] / 1000}, {0, 0x10, fx_rmsr(9, 0x10)});
		CU_ASSERT_EQUAL(fx_rmsr(0, 0xce) >> 8 & 0xff, mhz[i] / 100);
		FAULTS({0, 0xce, 0});
		fx_step(UINT64_C(1) << 57);
		ISMSR({0, 0x10,
		       (uint64_t)((unsigned __int128)((UINT64_C(1) << 57) + 1000 * SECOND + 1234567) * mhz[i] / 1000)});
	}
}

TEST(energy_rises_with_power_and_has_32_bits)
{
	static const struct {
		const char *model;
		unsigned esu;
	} parts[] = {{"snbep", 16}, {"ivt", 16}, {"hsx", 14}, {"bdx", 14},
		     {"skx", 14},   {"clx", 14}, {"cpx", 14}, {"bdxde", 14}};

	for (size_t i = 0; i < N(parts); i++) {
		open_model(parts[i].model, "");
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x606) >> 8 & 0x1f, parts[i].esu);
		fx_step(2 * SECOND);
		ISMSR({0, 0x611, UINT64_C(180) << parts[i].esu}, {0, 0x619, 40 << 16});
		fx_step(100000 * SECOND);
		ISMSR({0, 0x611, (UINT64_C(100002) * 90 << parts[i].esu) & 0xffffffff});
		open_model(parts[i].model, "");
		fx_step(SECOND * ((3u << 30 >> parts[i].esu) / 90)); /* three quarters of them: bit 31 */
		ISMSR({0, 0x611, (UINT64_C(3) << 30 >> parts[i].esu) / 90 * 90 << parts[i].esu});
	}
	open_model("ivt", ",cores=2,threads=1"); /* CPU 2 is the other package's */
	fx_step(SECOND);
	ISMSR({2, 0x611, 95 << 16}, {2, 0x639, 65 << 16});
	open_model("hsx", "");
	ABSENT(0, 0x639);
}

/* Positions: Intel SDM vol. 4. */
TEST(what_tools_decode_is_where_the_manual_has_it)
{
	static const uint64_t base[] = {31, 27, 23, 23, 25, 20, 27, 29};
	static const unsigned turbo[] = {38, 35, 36, 36, 38, 26, 40, 43};
	uint64_t value;

	for (size_t i = 0; i < N(models); i++) {
		open_model(models[i], "");
		value = fx_rmsr(0, 0xce);
		CU_ASSERT_EQUAL(value >> 8 & 0xff, base[i]);
		CU_ASSERT_EQUAL(value >> 28 & 3, 3);     /* ratios and power limits can be set */
		CU_ASSERT_EQUAL(value >> 40 & 0xff, 12); /* lowest ratio */
		CU_ASSERT_EQUAL(value & ~(UINT64_C(0xff) << 40 | 0x3000ff00), 0);
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x198) >> 8 & 0xff, base[i] + 1);
		value = fx_rmsr(3, 0x19c);
		CU_ASSERT_EQUAL(value >> 31, 1);                     /* valid */
		CU_ASSERT_EQUAL(value >> 27 & 0xf, 1);               /* resolution, 1 degree */
		CU_ASSERT_EQUAL(value >> 16 & 0x7f, 43);             /* below ... */
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x1a2) >> 16 & 0xff, 95); /* ... TjMax */
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x1b1) >> 16 & 0x7f, 38);
		value = fx_rmsr(0, 0x606);
		CU_ASSERT_EQUAL(value & 0xf, 3);                     /* 1/8 W */
		CU_ASSERT_EQUAL(value >> 16 & 0xf, 10);              /* 1/1024 s */
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x1ad) & 0xff, turbo[i]); /* of one active core */
	}
}

TEST(idle_states_take_a_part_of_the_tsc)
{
	static const struct {
		uint32_t number;
		unsigned part; /* 0: never */
	} states[] = {{0x60d, 32}, {0x3f8, 16}, {0x3f9, 8}, {0x3fa, 0}, {0x3fc, 10}, {0x3fd, 4}, {0x3fe, 0}};

	open_model("skx", "");
	fx_step(2 * SECOND);
	for (size_t i = 0; i < N(states); i++)
		ISMSR({0, states[i].number, states[i].part ? 2 * (UINT64_C(2500000000) / states[i].part) : 0});
}

TEST(a_fixed_counter_counts_while_it_is_enabled)
{
	open_model("skx", "");
	fx_step(SECOND);
	ISMSR({0, 0x30a, 0});
	fx_wmsr(0, 0x38d, 0x330);
	fx_step(SECOND);
	ISMSR({0, 0x30a, 0}); /* not globally */
	fx_wmsr(0, 0x38f, UINT64_C(7) << 32);
	fx_step(SECOND);
	ISMSR({0, 0x309, 0}); /* not in 0x38d */
	ISMSR({0, 0x30a, 2600000000}, {0, 0x30b, 2500000000}, {1, 0x30b, 0});
	fx_wmsr(0, 0x30b, (UINT64_C(1) << 48) - 5);
	fx_step(10);
	ISMSR({0, 0x30b, 20}); /* it wrapped */
	fx_wmsr(0, 0x38f, 0);
	fx_step(SECOND);
	ISMSR({0, 0x30b, 20});
	WMSR({0, 0x38f, UINT64_C(7) << 32}, {0, 0x38d, 0x333});
	fx_step(10);
	ISMSR({0, 0x30b, 45}, {0, 0x309, 21}); /* 0.8 instructions a cycle: from 20.8 to 41.6 */
	fx_wmsr(0, 0x38f, UINT64_C(1) << 33);  /* each has its own bit */
	fx_step(10);
	ISMSR({0, 0x309, 21}, {0, 0x30b, 45});
	FAULTS({0, 0x30b, UINT64_C(1) << 48}, {0, 0x38d, 0x1000});
	ISMSR({0, 0x38d, 0x333});
}

TEST(clocks_of_a_core_can_be_written)
{
	open_model("snbep", "");
	fx_step(1000);
	ISMSR({0, 0xe7, 3100}, {0, 0xe8, 3200});
	fx_wmsr(0, 0xe7, 0);
	fx_step(1000);
	ISMSR({0, 0xe7, 3100}, {0, 0xe8, 6400});
}

TEST(there_are_as_many_counters_as_cpuid_says)
{
	struct unc_cpuid_regs regs;
	unsigned n;

	for (size_t i = 0; i < N(models); i++) {
		open_model(models[i], "");
		CU_ASSERT_EQUAL(fx.host->ops->cpuid(fx.host, 0, 0xa, 0, &regs), 0);
		n = regs.eax >> 8 & 0xff;
		CU_ASSERT(n >= 4 && n <= 8);
		fx_wmsr(0, 0xc1 + n - 1, 0x80000000);
		ISMSR({0, 0xc1 + n - 1, UINT64_C(0xffff80000000)}); /* its sign is extended */
		CU_ASSERT_EQUAL(fx_rmsr(0, 0x345) >> 13 & 1, 0);    /* as without full-width writes */
		fx_wmsr(0, 0x186 + n - 1, 0x4300c0);
		ISMSR({0, 0x186 + n - 1, 0x4300c0}, {1, 0x186 + n - 1, 0});
		ABSENT(0, 0xc1 + n, 0x186 + n);
		ISMSR({0, 0x38f, (1u << n) - 1});
		FAULTS({0, 0x38f, 1u << n});
	}
}
