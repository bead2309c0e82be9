// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of what IA32_QM_CTR said: widths, wraps, gaps, factors, sums. */
#include "onsim.h"

#include "rdt/account.h"
#include "test.h"

static struct unc_llc_meter meter_of(unsigned bits, uint64_t unit, uint64_t full_speed)
{
	struct unc_llc_info info = {.counter_bits = bits, .unit_bytes = unit, .full_speed = full_speed, .factor = 1};
	struct unc_llc_meter meter;

	unc_llc_meter_init(&meter, &info);
	return meter;
}

static struct unc_llc_meter meter;
static struct unc_llc_account account;

static enum unc_llc_status feed(uint64_t ns, uint64_t data)
{
	struct unc_llc_reading reading = {.status = UNC_LLC_OK, .data = data, .before_ns = ns, .after_ns = ns};

	return unc_llc_account(&account, &meter, &reading);
}

/* A counter that held that after a second. */
static void begin(unsigned bits, uint64_t unit, uint64_t full_speed, uint64_t data)
{
	meter = meter_of(bits, unit, full_speed);
	account = (struct unc_llc_account){0};
	EQ(feed(S_NS, data), UNC_LLC_STALE);
	unc_llc_begin(&account);
}

/* 24 bits of 64 KiB at 160 GB/s: 1.0995 TB, a wrap in 6.87 s. */
static void begin_24_bits(void)
{
	begin(24, 65536, 160000000000, 0);
}

static struct unc_llc_value moved(bool corrected)
{
	struct unc_llc_value value;

	unc_llc_moved(&account, &meter, corrected, &value);
	return value;
}

TEST(wrap_times_follow_from_widths)
{
	EQ(meter_of(24, 65536, 160000000000).wrap_ns, 6871947673);
	EQ(meter_of(32, 65536, 1000000000000).wrap_ns, 281474976710);
	EQ(meter_of(44, 64, 200000000000).wrap_ns, 5629499534213);
	EQ(meter_of(62, 1 << 20, 1).wrap_ns, UINT64_MAX);
	EQ(meter_of(24, 65536, 0).wrap_ns, UINT64_MAX);
	EQ(meter_of(64, 64, 1).mask, UINT64_MAX);
	EQ(meter_of(44, 64, 1).mask, (UINT64_C(1) << 44) - 1);
}

TEST(deltas_wrap_at_the_width_and_bits_above_it_do_not_count)
{
	static const struct {
		unsigned bits;
		uint64_t before, after, units;
	} cases[] = {
		{24, 0xfffff0, 0x10, 0x20},
		{24, 0x10, 0x10, 0},
		{24, 0x5000000010, 0x7000000030, 0x20},
		{32, 0xfffffff0, 0x10, 0x20},
		{32, 0xffffff, 0x1000001, 2},
		{44, 0xffffffffff0, 0x10, 0x20},
		{44, 0xffffff, 0x1000001, 2},
		{62, 0x3ffffffffffffff0, 0x10, 0x20},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(cases[i].bits, 64, 200000000000, cases[i].before);
		EQ(feed(S_NS + MS_NS, cases[i].after), UNC_LLC_OK);
		EQ(moved(false).bytes, 64 * cases[i].units);
	}
}

TEST(readings_in_between_add_up)
{
	struct unc_llc_value value;

	begin_24_bits();
	for (unsigned k = 1; k <= 40; k++) /* 1.6 million units in 1.7 s: 61.7 GB/s, a wrap in each 10 of them */
		EQ(feed(S_NS + k * 1700 * MS_NS, k * UINT64_C(1600000) & 0xffffff), UNC_LLC_OK);
	value = moved(false);
	EQ(value.bytes, 40 * UINT64_C(1600000) * 65536);
	EQ(value.interval_ns, 40 * 1700 * MS_NS);
	CU_ASSERT_DOUBLE_EQUAL(value.bytes_per_s, 1600000.0 * 65536 / 1.7, 1);
	EQ(value.raw, 40 * UINT64_C(1600000) & 0xffffff);
}

TEST(a_gap_beyond_half_the_wrap_time_is_stale_and_the_next_is_good)
{
	uint64_t half_ns;

	begin_24_bits();
	half_ns = meter.wrap_ns / 2;
	EQ(feed(S_NS + half_ns, 1000), UNC_LLC_OK);
	EQ(moved(false).bytes, UINT64_C(1000) * 65536);
	EQ(feed(S_NS + 2 * half_ns + 1, 2000), UNC_LLC_STALE);
	/* It is stale until it is begun anew, whatever comes behind. */
	EQ(feed(S_NS + 2 * half_ns + 2, 2000), UNC_LLC_STALE);
	unc_llc_begin(&account);
	EQ(feed(S_NS + 2 * half_ns + 3 + S_NS, 2001), UNC_LLC_OK);
	EQ(moved(false).bytes, 65536);
}

TEST(more_than_an_l3_can_move_is_no_number)
{
	uint64_t most = UINT64_C(320000000) / 65536 + 16; /* twice full speed for a millisecond, and 16 units */

	begin_24_bits();
	EQ(feed(S_NS + MS_NS, most), UNC_LLC_OK);
	unc_llc_begin(&account);
	EQ(feed(S_NS + 2 * MS_NS, 2 * most + 1), UNC_LLC_STALE);
	unc_llc_begin(&account);
	EQ(feed(S_NS + 3 * MS_NS, 2 * most), UNC_LLC_STALE); /* one back: another program cleared it */
}

TEST(what_was_not_read_is_counted_by_the_next_but_not_where_hardware_forgets)
{
	const enum unc_llc_status not_read[] = {UNC_LLC_UNAVAILABLE, UNC_LLC_ERROR, UNC_LLC_DISTURBED};

	for (unsigned lost = 0; lost < 2; lost++) {
		for (unsigned i = 0; i < 3; i++) {
			struct unc_llc_reading reading = {.status = not_read[i],
							  .before_ns = 2 * S_NS,
							  .after_ns = 2 * S_NS,
							  .was_forgotten = lost};

			begin(44, 64, 200000000000, 100);
			EQ(unc_llc_account(&account, &meter, &reading), not_read[i]);
			EQ(feed(3 * S_NS, 150), lost ? UNC_LLC_STALE : UNC_LLC_OK);
			if (lost)
				unc_llc_begin(&account);
			else
				EQ(moved(false).bytes, 50 * 64);
			EQ(feed(4 * S_NS, 160), UNC_LLC_OK);
			EQ(moved(false).bytes, 10 * 64);
		}
	}
}

/* A reading that began then and took so long. */
static bool is_late(uint64_t ns, uint64_t took_ns)
{
	struct unc_llc_reading reading = {.status = UNC_LLC_OK, .before_ns = ns, .after_ns = ns + took_ns};

	EQ(unc_llc_account(&account, &meter, &reading), UNC_LLC_OK);
	return moved(false).late;
}

/* 0.2 % of a second is 2 ms: half of what each of both readings took. */
TEST(an_interval_that_is_blurred_is_late)
{
	begin(32, 64, 1000000000, 0);
	CU_ASSERT_FALSE(is_late(2 * S_NS, 2 * MS_NS));
	CU_ASSERT_TRUE(is_late(3 * S_NS, 4 * MS_NS));
	CU_ASSERT_FALSE(is_late(5 * S_NS, 0)); /* twice the interval */
	CU_ASSERT_FALSE(is_late(6 * S_NS, 3 * MS_NS));
	CU_ASSERT_TRUE(is_late(7 * S_NS, 3 * MS_NS)); /* both together */
	CU_ASSERT_TRUE(is_late(8 * S_NS, 3 * MS_NS)); /* also where every interval is */
}

TEST(a_factor_changes_bytes_and_not_raw)
{
	struct unc_llc_info info = {
		.counter_bits = 24, .unit_bytes = 73728, .full_speed = 160000000000, .factor = 1.185255};
	struct unc_llc_value value;

	begin(24, 73728, 160000000000, 0);
	unc_llc_meter_init(&meter, &info);
	EQ(feed(2 * S_NS, 100000), UNC_LLC_OK);
	value = moved(true);
	EQ(value.raw, 100000);
	EQ(value.bytes, UINT64_C(7372800000) * 1242830 >> 20); /* 1.185255 * 2^20 = 1242829.9 */
	CU_ASSERT_TRUE(value.corrected);
}

TEST(an_occupancy_that_no_number_holds_is_an_error)
{
	struct unc_llc_reading reading = {.status = UNC_LLC_OK, .data = UINT64_MAX >> 3};
	struct unc_llc_value value;

	meter = meter_of(24, 73728, 160000000000);
	unc_llc_owned(&reading, &meter, &value);
	EQ(value.status, UNC_LLC_ERROR);
	EQ(value.bytes, 0);
	reading.data = 7;
	unc_llc_owned(&reading, &meter, &value);
	EQ(value.status, UNC_LLC_OK);
	EQ(value.bytes, 7 * 73728);
}

TEST(a_sum_has_a_number_only_where_all_parts_have)
{
	const struct unc_llc_value ok = {
		.status = UNC_LLC_OK, .has_raw = true, .raw = 3, .bytes = 30, .bytes_per_s = 3};
	const struct unc_llc_value stale = {.status = UNC_LLC_STALE, .has_raw = true, .raw = 5};
	const struct unc_llc_value error = {.status = UNC_LLC_ERROR}, none = {0};
	struct unc_llc_value sum = {0};

	unc_llc_add_value(&sum, &none);
	EQ(sum.status, UNC_LLC_NOT_ASKED);
	unc_llc_add_value(&sum, &ok);
	unc_llc_add_value(&sum, &ok);
	EQ(sum.status, UNC_LLC_OK);
	EQ(sum.bytes, 60);
	EQ(sum.raw, 6);
	unc_llc_add_value(&sum, &stale);
	EQ(sum.status, UNC_LLC_STALE);
	EQ(sum.bytes, 0);
	EQ(sum.raw, 11);
	unc_llc_add_value(&sum, &error);
	unc_llc_add_value(&sum, &ok);
	EQ(sum.status, UNC_LLC_ERROR);
	EQ(sum.bytes, 0);
	CU_ASSERT_FALSE(sum.has_raw);
	EQ(unc_llc_worse(UNC_LLC_UNAVAILABLE, UNC_LLC_DISTURBED), UNC_LLC_DISTURBED);
	EQ(unc_llc_worse(UNC_LLC_UNAVAILABLE, UNC_LLC_STALE), UNC_LLC_UNAVAILABLE);
}

/* 1 GB in total within a second; local is read 1 us after it at both ends, each to 0.5 us in all. */
TEST(remote_is_as_uncertain_as_both_reads_and_a_unit)
{
	const struct unc_llc_part total = {.bytes = S_NS, .span = {.begin_ns = 0, .end_ns = S_NS, .doubt_ns = 500}};
	struct unc_llc_part local = {.bytes = S_NS - 7,
				     .span = {.begin_ns = 1000, .end_ns = S_NS + 1000, .doubt_ns = 500}};
	uint64_t remote = 1, uncertain = 0;

	CU_ASSERT_TRUE(unc_llc_remote(&total, &local, 64, &remote, &uncertain));
	EQ(remote, 7);
	CU_ASSERT_DOUBLE_EQUAL((double)uncertain, 500 + 500 + 2000 + 64, 2);
	local.bytes = S_NS + 3000;
	CU_ASSERT_TRUE(unc_llc_remote(&total, &local, 64, &remote, &uncertain));
	EQ(remote, 0);
	local.bytes = S_NS + 3070;
	CU_ASSERT_FALSE(unc_llc_remote(&total, &local, 64, &remote, &uncertain));
	local = (struct unc_llc_part){.bytes = 65};
	CU_ASSERT_FALSE(unc_llc_remote(&(struct unc_llc_part){0}, &local, 64, &remote, &uncertain));
}

TEST(a_sum_that_no_number_holds_is_an_error)
{
	const struct unc_llc_value half = {.status = UNC_LLC_OK, .bytes = UINT64_C(1) << 63};
	struct unc_llc_value sum = {0};

	unc_llc_add_value(&sum, &half);
	EQ(sum.bytes, half.bytes);
	unc_llc_add_value(&sum, &half);
	EQ(sum.status, UNC_LLC_ERROR);
	EQ(sum.bytes, 0);
	unc_llc_add_value(&sum, &half); /* and it stays one */
	EQ(sum.status, UNC_LLC_ERROR);
	EQ(sum.bytes, 0);
}
