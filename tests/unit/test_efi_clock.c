// SPDX-License-Identifier: GPL-2.0-or-later
/* Time under firmware, of a time-stamp counter that may be wrong and the ACPI timer.  The file is no part of a build for Linux. */
#include "../../src/os/efi/clock.c"

#include "test.h"

enum { BITS_24 = 0xffffff };
static const uint64_t hz = 2000000000, ms = 1000000, s = 1000000000;

/* A computer at a true time, whose time-stamp counter has that much of the rate which it should have. */
static struct {
	uint64_t true_ns, tsc;
	double rate;
	struct unc_efi_clock clock;
} pc;

static struct unc_efi_moment moment(void)
{
	uint64_t ticks = (uint64_t)((double)pc.true_ns * UNC_EFI_ACPI_HZ / 1e9) + 0xfffff0;

	return (struct unc_efi_moment){.tsc = pc.tsc, .width = 2000, .timer = (uint32_t)ticks & pc.clock.mask};
}

static void start(uint32_t mask)
{
	pc.true_ns = 0;
	pc.tsc = 77;
	pc.rate = 1;
	pc.clock = (struct unc_efi_clock){.hz = hz, .mask = mask};
	pc.clock.from = moment();
}

static uint64_t after(uint64_t ns)
{
	struct unc_efi_moment now;

	pc.true_ns += ns;
	pc.tsc += (uint64_t)((double)ns * pc.rate * 2);
	now = moment();
	return unc_efi_clock_ns(&pc.clock, &now);
}

static bool is_within(uint64_t ns, uint64_t of, uint64_t most)
{
	return ns + most >= of && ns <= of + most;
}

TEST(time_is_that_of_the_time_stamp_counter_while_the_timer_says_the_same)
{
	start(BITS_24);
	for (unsigned i = 1; i <= 1000; i++)
		CU_ASSERT_EQUAL(after(ms / 100), i * ms / 100);
	/* The timer wraps after 4.7 s, twice while nothing looks. */
	CU_ASSERT_EQUAL(after(12 * s), 12 * s + 10 * ms);
	CU_ASSERT_EQUAL(after(s), 13 * s + 10 * ms);
	pc.rate = 1.0004; /* as much as a calibration may be wrong */
	CU_ASSERT_TRUE(is_within(after(s), 14 * s + 10 * ms, s / 1000));
	CU_ASSERT_FALSE(pc.clock.differs);
}

static void check_wrong(double rate, uint32_t mask, uint64_t step, unsigned n)
{
	uint64_t last = 0;

	start(mask);
	after(ms);
	pc.rate = rate;
	for (unsigned i = 0; i < n; i++) {
		uint64_t now = after(step);

		CU_ASSERT_TRUE(now >= last);
		CU_ASSERT_TRUE(is_within(now, pc.true_ns, 3000 + pc.true_ns / 500));
		last = now;
	}
	CU_ASSERT_TRUE(pc.clock.differs);
}

TEST(time_is_that_of_the_timer_where_the_time_stamp_counter_has_another_rate)
{
	static const double rates[] = {0, 0.25, 0.5, 0.9, 0.99, 1.01, 1.1, 1.5, 4};

	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		check_wrong(rates[i], BITS_24, ms, 300);
		check_wrong(rates[i], BITS_24, 400 * ms, 30);
		check_wrong(rates[i], UINT32_MAX, 400 * ms, 30);
		check_wrong(rates[i], BITS_24, 2000, 10000);
	}
	check_wrong(0.8, UINT32_MAX, 60 * s, 3);
	check_wrong(0.8, BITS_24, 10 * s, 3);
	check_wrong(0, BITS_24, 3 * s, 3);
}

TEST(a_look_at_both_that_took_long_proves_nothing)
{
	struct unc_efi_moment now;

	start(BITS_24);
	after(ms);
	now = moment();
	now.tsc += 100000; /* 50 us */
	now.width = 200000;
	unc_efi_clock_ns(&pc.clock, &now);
	CU_ASSERT_FALSE(pc.clock.differs);
	now.width = 2000;
	unc_efi_clock_ns(&pc.clock, &now);
	CU_ASSERT_TRUE(pc.clock.differs);
}

TEST(without_a_timer_time_is_that_of_the_time_stamp_counter)
{
	start(0);
	pc.rate = 0.5;
	CU_ASSERT_EQUAL(after(20 * s), 10 * s);
	CU_ASSERT_FALSE(pc.clock.differs);
}
