// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/accumulator.h"
#include "cli/flags.h"
#include "test.h"

/* Reads and writes of a channel, from its counts: by their names, or with --observe also by the other events. */
enum { MEM_RD, MEM_RD_REG, MEM_RD_UNDERFILL, MEM_WR, MEM_WR_WMM, MEM_WR_RMM, MEM_ALL, MEM_EVENTS };
enum { WAYS = 4 };
static const struct amount_sum reads[WAYS] = {
	{1, {MEM_RD}, {64}},
	{2, {MEM_RD_REG, MEM_RD_UNDERFILL}, {64, 64}},
	{2, {MEM_ALL, MEM_WR}, {64, -64}},
	{3, {MEM_ALL, MEM_WR_WMM, MEM_WR_RMM}, {64, -64, -64}},
};
static const struct amount_sum writes[WAYS] = {
	{1, {MEM_WR}, {64}},
	{2, {MEM_WR_WMM, MEM_WR_RMM}, {64, 64}},
	{2, {MEM_ALL, MEM_RD}, {64, -64}},
	{3, {MEM_ALL, MEM_RD_REG, MEM_RD_UNDERFILL}, {64, -64, -64}},
};

#define SECOND_NS UINT64_C(1000000000)

static struct unc_count counted(uint64_t delta, uint64_t interval_ns)
{
	return (struct unc_count){.delta = delta,
				  .total = 7 * delta,
				  .interval_ns = interval_ns,
				  .enabled_ns = interval_ns,
				  .running_ns = interval_ns,
				  .time_ns = 5000,
				  .scale = 64,
				  .unit = "bytes"};
}

static struct accumulator amount_of(struct unc_count count)
{
	const struct amount_sum sum = {1, {0}, {64}};
	struct accumulator acc;

	accumulator_of_amount(&count, &sum, 1, &acc);
	return acc;
}

TEST(a_count_becomes_bytes_and_bytes_per_second)
{
	struct accumulator read = amount_of(counted(1000, SECOND_NS / 2)),
			   write = amount_of(counted(10, SECOND_NS / 4));

	CU_ASSERT_TRUE(read.has_value && write.has_value);
	CU_ASSERT_EQUAL(read.events, 1000);
	CU_ASSERT_EQUAL(read.amount, 64000);
	CU_ASSERT_EQUAL(read.value, 128000.0);
	CU_ASSERT_EQUAL(write.events, 10);
	CU_ASSERT_EQUAL(write.amount, 640);
	CU_ASSERT_EQUAL(write.value, 2560.0);
	CU_ASSERT_EQUAL(read.time_ns, 5000);
	CU_ASSERT_EQUAL(read.interval_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(read.flags, 0);
	CU_ASSERT_FALSE(read.flags & FLAG_PARTIAL);
}

/* 64 bytes times any 48-bit count is a whole number of bytes, and comes out as one. */
TEST(the_largest_count_is_exact)
{
	struct accumulator acc = amount_of(counted((UINT64_C(1) << 48) - 1, SECOND_NS));

	CU_ASSERT_EQUAL(acc.amount, ((UINT64_C(1) << 48) - 1) * 64);
}

TEST(a_flag_takes_the_amount_away)
{
	struct unc_count count = counted(0, SECOND_NS);
	struct accumulator acc;

	count.flags = UNC_COUNT_STOLEN;
	acc = amount_of(count);
	CU_ASSERT_FALSE(acc.has_value);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_STOLEN);
}

TEST(without_an_interval_there_is_no_amount)
{
	CU_ASSERT_FALSE(amount_of(counted(10, 0)).has_value);
}

TEST(a_sum_adds_amounts_and_rates_of_all)
{
	struct accumulator one = amount_of(counted(1000, SECOND_NS / 2)), two = amount_of(counted(30, SECOND_NS)),
			   sum = {.adds = true};

	two.time_ns = 9000;
	accumulator_add(&sum, &one);
	accumulator_add(&sum, &two);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.has_value);
	CU_ASSERT_EQUAL(sum.events, 1030);
	CU_ASSERT_EQUAL(sum.amount, 1030 * 64);
	CU_ASSERT_EQUAL(sum.value, 128000.0 + 1920.0);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS / 4 * 3);
	CU_ASSERT_FALSE(sum.flags & FLAG_PARTIAL);
	/* Its time is the latest, in whatever order they come. */
	accumulator_add(&sum, &one);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
}

TEST(a_sum_of_amounts_that_lacks_one_is_partial)
{
	struct accumulator whole = amount_of(counted(1000, SECOND_NS)), none = accumulator_missing(77),
			   sum = {.adds = true};

	CU_ASSERT_EQUAL(none.flags, UNC_COUNT_MISSING);
	CU_ASSERT_EQUAL(none.time_ns, 77);
	CU_ASSERT_EQUAL(none.interval_ns, 0);
	accumulator_add(&sum, &whole);
	CU_ASSERT_FALSE(sum.flags & FLAG_PARTIAL);
	accumulator_add(&sum, &none);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.flags & FLAG_PARTIAL);
	CU_ASSERT_EQUAL(sum.events, 1000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS);
}

TEST(a_sum_of_no_amount_has_none)
{
	struct accumulator none = accumulator_missing(1), sum = {.adds = true};

	accumulator_add(&sum, &none);
	accumulator_end_sum(&sum);
	CU_ASSERT_FALSE(sum.has_value);
	CU_ASSERT_TRUE(sum.flags & FLAG_PARTIAL);
	CU_ASSERT_EQUAL(sum.interval_ns, 0);
}

enum { NONE = UNC_COUNT_UNPROGRAMMED };

/* Counts of one channel, and what follows. */
struct example {
	struct unc_count counts[MEM_EVENTS];
	unsigned read_flags, write_flags;
	uint64_t read, write;
};
#define COUNT(n)                                                                                                       \
	{                                                                                                              \
		.delta = (n), .scale = 64, .interval_ns = 1, .enabled_ns = 1, .running_ns = 1                          \
	}
#define FLAGGED(bit)                                                                                                   \
	{                                                                                                              \
		.flags = (bit)                                                                                         \
	}

/* clang-format off */
static const struct example examples[] = {
	/* each by its name */
	{{[MEM_RD] = COUNT(7), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* by their halves */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = COUNT(2), [MEM_WR_RMM] = COUNT(3), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* reads are all less the writes */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(12)}, 0, 0, 7, 5},
	/* writes are all less both halves of the reads */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = COUNT(1), [MEM_ALL] = COUNT(12)}, 0, 0, 7, 5},
	/* what is read a moment later is never less than nothing */
	{{[MEM_RD] = COUNT(9), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(8)}, 0, 0, 9, 0},
	/* a half alone is nothing */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = COUNT(1), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, NONE, NONE, 0, 0},
	/* all alone is neither */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(12)}, NONE, NONE, 0, 0},
	/* one that was changed is that, and not what no program counts */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_CHANGED), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE),
	  [MEM_WR] = FLAGGED(NONE), [MEM_WR_WMM] = COUNT(1), [MEM_WR_RMM] = FLAGGED(UNC_COUNT_RESET),
	  [MEM_ALL] = FLAGGED(NONE)}, UNC_COUNT_CHANGED, UNC_COUNT_RESET, 0, 0},
	/* one that has a number goes before one that was changed */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_CHANGED), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* that a read was late is told of what it is part of */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = {.delta = 12, .interval_ns = 1, .enabled_ns = 1, .running_ns = 1, .flags = UNC_COUNT_LATE}},
	 UNC_COUNT_LATE, 0, 7, 5},
	/* a channel that is missing is missing */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_MISSING), [MEM_RD_REG] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_RD_UNDERFILL] = FLAGGED(UNC_COUNT_MISSING), [MEM_WR] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_WR_WMM] = FLAGGED(UNC_COUNT_MISSING), [MEM_WR_RMM] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_ALL] = FLAGGED(UNC_COUNT_MISSING)}, UNC_COUNT_MISSING, UNC_COUNT_MISSING, 0, 0},
};
/* clang-format on */

TEST(reads_and_writes_follow_from_what_is_counted)
{
	for (unsigned i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		struct accumulator read, write;

		accumulator_of_amount(e->counts, reads, WAYS, &read);
		accumulator_of_amount(e->counts, writes, WAYS, &write);
		CU_ASSERT_EQUAL(read.flags, e->read_flags);
		CU_ASSERT_EQUAL(write.flags, e->write_flags);
		CU_ASSERT_EQUAL(read.has_value, !(e->read_flags & UNC_COUNT_NO_NUMBER));
		CU_ASSERT_EQUAL(write.has_value, !(e->write_flags & UNC_COUNT_NO_NUMBER));
		CU_ASSERT_TRUE(!read.has_value || read.events == e->read);
		CU_ASSERT_TRUE(!write.has_value || write.events == e->write);
	}
}
