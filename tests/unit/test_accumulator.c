// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/accumulator.h"
#include "cli/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define SECOND_NS UINT64_C(1000000000)

static struct unc_count counted(uint64_t delta)
{
	return (struct unc_count){.delta = delta,
				  .total = 7 * delta,
				  .interval_ns = SECOND_NS,
				  .enabled_ns = SECOND_NS,
				  .running_ns = SECOND_NS,
				  .time_ns = 5000,
				  .scale = 1};
}

static struct unc_count lasting(struct unc_count count, uint64_t ns)
{
	count.interval_ns = count.enabled_ns = count.running_ns = ns;
	return count;
}

static struct unc_count without_number(unsigned flag)
{
	struct unc_count count = counted(0);

	count.flags = flag;
	if (flag == UNC_COUNT_NOT_RUN)
		count.running_ns = 0;
	return count;
}

TEST(an_event_has_its_count_and_its_value)
{
	struct unc_count count = lasting(counted(1000), SECOND_NS / 2);
	struct accumulator acc;

	count.scale = 64;
	acc = accumulator_of_event(&count);
	CU_ASSERT_TRUE(acc.given && acc.has_value && acc.adds);
	CU_ASSERT_EQUAL(acc.counts[0], 1000);
	CU_ASSERT_EQUAL(acc.value, 64000);
	CU_ASSERT_EQUAL(acc.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(acc.per_s, 128000);
	CU_ASSERT_EQUAL(acc.time_ns, 5000);
	CU_ASSERT_EQUAL(acc.interval_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(acc.flags, 0);
	CU_ASSERT_FALSE(acc.flags & FLAG_PARTIAL);
}

TEST(what_ran_for_a_part_of_the_time_is_extended_to_the_whole)
{
	struct unc_count count = counted(1000);
	struct accumulator acc;

	count.running_ns = SECOND_NS / 4;
	count.flags = UNC_COUNT_SCALED;
	count.scale = 64;
	acc = accumulator_of_event(&count);
	CU_ASSERT_EQUAL(acc.counts[0], 1000);
	CU_ASSERT_EQUAL(acc.scaled[0], 4000);
	CU_ASSERT_EQUAL(acc.value, 256000);
	CU_ASSERT_EQUAL(acc.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(acc.per_s, 256000);
	CU_ASSERT_EQUAL(acc.running_ns, SECOND_NS / 4);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_SCALED);
}

TEST(every_flag_without_a_number_gives_none)
{
	static const unsigned flags[] = {UNC_COUNT_MISSING, UNC_COUNT_STOLEN,  UNC_COUNT_RESET,
					 UNC_COUNT_GAP,     UNC_COUNT_NOT_RUN, UNC_COUNT_STOPPED};

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct unc_count count = without_number(flags[i]);
		struct accumulator acc = accumulator_of_event(&count);

		CU_ASSERT_FALSE(acc.given || acc.has_value);
		CU_ASSERT_EQUAL(acc.flags, flags[i]);
		CU_ASSERT_EQUAL(acc.interval_ns, SECOND_NS);
	}
}

TEST(without_time_there_is_no_number)
{
	struct unc_count count = lasting(counted(3), 0);
	struct accumulator acc = accumulator_of_event(&count);

	CU_ASSERT_FALSE(acc.given || acc.has_value);
}

TEST(a_metric_takes_its_counts_in_its_own_order)
{
	struct unc_count counts[3] = {counted(10), counted(20), counted(30)};
	size_t which[2] = {2, 0};
	struct accumulator acc;

	counts[0].running_ns = SECOND_NS / 2;
	counts[0].flags = UNC_COUNT_SCALED;
	counts[2].enabled_ns = counts[2].running_ns = SECOND_NS - 10;
	counts[2].flags = UNC_COUNT_LATE;
	counts[2].time_ns = 6000;
	accumulator_of(counts, which, 2, &acc);
	CU_ASSERT_TRUE(acc.given);
	CU_ASSERT_FALSE(acc.has_value);
	CU_ASSERT_EQUAL(acc.n, 2);
	CU_ASSERT_EQUAL(acc.counts[0], 30);
	CU_ASSERT_EQUAL(acc.counts[1], 10);
	CU_ASSERT_EQUAL(acc.scaled[1], 20);
	CU_ASSERT_EQUAL(acc.enabled_ns, SECOND_NS - 10);
	CU_ASSERT_EQUAL(acc.running_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(acc.counted_ns, SECOND_NS - 5);
	CU_ASSERT_EQUAL(accumulator_seconds(&acc), (1e9 - 5) / 1e9);
	CU_ASSERT_EQUAL(acc.time_ns, 6000);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_SCALED | UNC_COUNT_LATE);
}

TEST(a_metric_that_lacks_one_count_has_none)
{
	struct unc_count counts[2] = {counted(10), without_number(UNC_COUNT_STOLEN)};
	size_t which[2] = {0, 1};
	struct accumulator acc;

	accumulator_of(counts, which, 2, &acc);
	CU_ASSERT_FALSE(acc.given);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_STOLEN);
}

TEST(what_is_no_number_is_no_value)
{
	struct accumulator acc = {.given = true};

	accumulator_set_value(&acc, INFINITY, 0);
	CU_ASSERT_FALSE(acc.has_value);
	accumulator_set_value(&acc, NAN, 0);
	CU_ASSERT_FALSE(acc.has_value);
	accumulator_set_value(&acc, -1, 0);
	CU_ASSERT_TRUE(acc.has_value);
}

TEST(a_sum_of_events_adds_counts_values_and_rates)
{
	struct unc_count one = counted(1000), two = lasting(counted(30), SECOND_NS / 2);
	struct accumulator sum = {.adds = true}, member;

	one.running_ns = SECOND_NS / 2;
	one.flags = UNC_COUNT_SCALED;
	two.time_ns = 9000;
	two.flags = UNC_COUNT_LATE;
	member = accumulator_of_event(&one);
	accumulator_add(&sum, &member);
	member = accumulator_of_event(&two);
	accumulator_add(&sum, &member);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given && sum.has_value);
	CU_ASSERT_EQUAL(sum.counts[0], 1030);
	CU_ASSERT_EQUAL(sum.value, 2030);
	CU_ASSERT_EQUAL(sum.per_s, 2060);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS * 3 / 4);
	CU_ASSERT_EQUAL(sum.enabled_ns, SECOND_NS * 3 / 4);
	CU_ASSERT_EQUAL(sum.running_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(sum.counted_ns, SECOND_NS * 3 / 2);
	CU_ASSERT_EQUAL(sum.flags, UNC_COUNT_SCALED | UNC_COUNT_LATE);
	CU_ASSERT_FALSE(sum.flags & FLAG_PARTIAL);
}

TEST(a_sum_that_lacks_a_channel_is_partial)
{
	struct unc_count good = counted(5), stolen = without_number(UNC_COUNT_STOLEN);
	struct accumulator sum = {.adds = true}, missing = accumulator_missing(7000),
			   member = accumulator_of_event(&good);

	CU_ASSERT_EQUAL(missing.flags, UNC_COUNT_MISSING);
	CU_ASSERT_EQUAL(missing.time_ns, 7000);
	CU_ASSERT_EQUAL(missing.interval_ns, 0);
	accumulator_add(&sum, &member);
	CU_ASSERT_FALSE(sum.flags & FLAG_PARTIAL);
	accumulator_add(&sum, &missing);
	member = accumulator_of_event(&stolen);
	accumulator_add(&sum, &member);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given);
	CU_ASSERT_EQUAL(sum.value, 5);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS);
	CU_ASSERT_EQUAL(sum.time_ns, 7000);
	CU_ASSERT_EQUAL(sum.flags, FLAG_PARTIAL);
}

TEST(a_sum_of_no_channel_says_when_no_turn_came)
{
	struct unc_count not_run = without_number(UNC_COUNT_NOT_RUN);
	struct accumulator sum = {.adds = true}, missing = accumulator_missing(1),
			   member = accumulator_of_event(&not_run);

	accumulator_add(&sum, &missing);
	accumulator_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, FLAG_PARTIAL);
	CU_ASSERT_EQUAL(sum.interval_ns, 0);
	sum = (struct accumulator){.adds = true};
	accumulator_add(&sum, &member);
	accumulator_add(&sum, &missing);
	accumulator_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, UNC_COUNT_NOT_RUN | FLAG_PARTIAL);
}

/* A channel without traffic divides by zero, but its counts belong to the whole. */
TEST(a_sum_of_ratios_takes_counts_and_times)
{
	struct unc_count counts[2] = {counted(0), counted(0)}, others[2] = {counted(30), counted(60)};
	size_t which[2] = {0, 1};
	struct accumulator sum = {0}, idle, busy;

	accumulator_of(counts, which, 2, &idle);
	accumulator_of(others, which, 2, &busy);
	accumulator_set_value(&idle, NAN, 0);
	accumulator_set_value(&busy, 0.5, 0);
	accumulator_add(&sum, &idle);
	accumulator_add(&sum, &busy);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given);
	CU_ASSERT_FALSE(sum.has_value || (sum.flags & FLAG_PARTIAL));
	CU_ASSERT_EQUAL(sum.scaled[0], 30);
	CU_ASSERT_EQUAL(sum.scaled[1], 60);
	CU_ASSERT_EQUAL(sum.counted_ns, 2 * SECOND_NS);
	sum = (struct accumulator){.adds = true};
	accumulator_add(&sum, &idle);
	accumulator_add(&sum, &busy);
	accumulator_end_sum(&sum);
	CU_ASSERT_EQUAL(sum.value, 0.5);
	CU_ASSERT_TRUE(sum.flags & FLAG_PARTIAL);
}

/* ---- amounts ---- */

static struct accumulator amount_of(struct unc_count count)
{
	const struct amount_sum sum = {1, {0}, {64}};
	struct accumulator acc;

	accumulator_of_amount(&count, &sum, 1, &acc);
	return acc;
}

TEST(a_count_becomes_bytes_and_bytes_per_second)
{
	struct accumulator read = amount_of(lasting(counted(1000), SECOND_NS / 2)),
			   write = amount_of(lasting(counted(10), SECOND_NS / 4));

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
	struct accumulator acc = amount_of(lasting(counted((UINT64_C(1) << 48) - 1), SECOND_NS));

	CU_ASSERT_EQUAL(acc.amount, ((UINT64_C(1) << 48) - 1) * 64);
}

TEST(a_flag_takes_the_amount_away)
{
	struct accumulator acc = amount_of(without_number(UNC_COUNT_STOLEN));

	CU_ASSERT_FALSE(acc.has_value);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_STOLEN);
}

TEST(without_an_interval_there_is_no_amount)
{
	CU_ASSERT_FALSE(amount_of(lasting(counted(10), 0)).has_value);
}

TEST(a_sum_adds_amounts_and_rates_of_all)
{
	struct accumulator one = amount_of(lasting(counted(1000), SECOND_NS / 2)), two = amount_of(counted(30)),
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

enum { NONE = UNC_COUNT_UNPROGRAMMED };

/* Counts of one channel, in the order of the events above: "7" is a count, "12L" one that was read late, "-" is what no program counts. */
static void counts_of(const char *text, struct unc_count *counts)
{
	static const unsigned of_letter[128] = {['-'] = NONE,
						['C'] = UNC_COUNT_CHANGED,
						['R'] = UNC_COUNT_RESET,
						['M'] = UNC_COUNT_MISSING,
						['L'] = UNC_COUNT_LATE};

	for (unsigned i = 0; i < MEM_EVENTS; i++) {
		char *end;

		counts[i] = (struct unc_count){.delta = strtoull(text, &end, 10), .scale = 64, .interval_ns = 1};
		counts[i].enabled_ns = counts[i].running_ns = 1;
		counts[i].flags = of_letter[(unsigned char)*end];
		text = end + strcspn(end, " ") + 1;
	}
}

TEST(reads_and_writes_follow_from_what_is_counted)
{
	static const struct {
		const char *counts;
		unsigned read_flags, write_flags;
		uint64_t read, write;
	} examples[] = {
		/* rd, its two halves, wr, its two halves, all; each by its name */
		{"7 - - 5 - - - ", 0, 0, 7, 5},
		/* by their halves */
		{"- 3 4 - 2 3 - ", 0, 0, 7, 5},
		/* reads are all less the writes */
		{"- 3 - 5 - - 12 ", 0, 0, 7, 5},
		/* writes are all less both halves of the reads */
		{"- 3 4 - - 1 12 ", 0, 0, 7, 5},
		/* what is read a moment later is never less than nothing */
		{"9 - - - - - 8 ", 0, 0, 9, 0},
		/* a half alone is nothing */
		{"- 3 - - 1 - - ", NONE, NONE, 0, 0},
		/* all alone is neither */
		{"- - - - - - 12 ", NONE, NONE, 0, 0},
		/* one that was changed is that, and not what no program counts */
		{"C - - - 1 R - ", UNC_COUNT_CHANGED, UNC_COUNT_RESET, 0, 0},
		/* one that has a number goes before one that was changed */
		{"C 3 4 5 - - - ", 0, 0, 7, 5},
		/* that a read was late is told of what it is part of */
		{"- - - 5 - - 12L ", UNC_COUNT_LATE, 0, 7, 5},
		/* a channel that is missing is missing */
		{"M M M M M M M ", UNC_COUNT_MISSING, UNC_COUNT_MISSING, 0, 0},
	};

	for (unsigned i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct unc_count counts[MEM_EVENTS];
		struct accumulator read, write;

		counts_of(examples[i].counts, counts);
		accumulator_of_amount(counts, reads, WAYS, &read);
		accumulator_of_amount(counts, writes, WAYS, &write);
		CU_ASSERT_EQUAL(read.flags, examples[i].read_flags);
		CU_ASSERT_EQUAL(write.flags, examples[i].write_flags);
		CU_ASSERT_EQUAL(read.has_value, !(read.flags & UNC_COUNT_NO_NUMBER));
		CU_ASSERT_EQUAL(write.has_value, !(write.flags & UNC_COUNT_NO_NUMBER));
		CU_ASSERT_TRUE(!read.has_value || read.events == examples[i].read);
		CU_ASSERT_TRUE(!write.has_value || write.events == examples[i].write);
	}
}
