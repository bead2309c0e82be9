// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/accumulator.h"
#include "cli/number.h"

#include <math.h>

#include "onsim.h"
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

/*
 * All that it says: "adds" or "alone"; each count, with "=SCALED" where it was extended, or "none"; the value and what it is per second;
 * the amount and its events; the time; the seconds of the interval, enabled, running and counted; the flags.
 */
static void is(const struct accumulator *acc, const char *expected)
{
	char text[400], flags[FLAGS_TEXT_MAX];
	size_t len =
		(size_t)snprintf(text, sizeof(text), "%s%s", acc->adds ? "adds" : "alone", acc->given ? "" : " none");

	for (size_t i = 0; acc->given && i < acc->n; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %" PRIu64, acc->counts[i]);
		if (acc->scaled[i] != (double)acc->counts[i])
			len += (size_t)snprintf(text + len, sizeof(text) - len, "=%.10g", acc->scaled[i]);
	}
	if (acc->has_value)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "; %.10g, %.10g/s", acc->value, acc->per_s);
	if (acc->amount || acc->events)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "; %" PRIu64 " of %" PRIu64, acc->amount,
					acc->events);
	snprintf(text + len, sizeof(text) - len, "; at %" PRIu64 "; %.10g %.10g %.10g %.10g s; %s", acc->time_ns,
		 (double)acc->interval_ns / 1e9, (double)acc->enabled_ns / 1e9, (double)acc->running_ns / 1e9,
		 accumulator_seconds(acc), flags_text(acc->flags, flags));
	SAME(text, expected);
}

static void event_is(struct unc_count count, const char *expected)
{
	struct accumulator acc = accumulator_of_event(&count);

	is(&acc, expected);
	CU_ASSERT_TRUE(!acc.has_value || acc.value == unc_count_value(&count));
}

TEST(an_event_has_its_count_and_its_value)
{
	struct unc_count count = lasting(counted(1000), SECOND_NS / 2);

	count.scale = 64;
	event_is(count, "adds 1000; 64000, 128000/s; at 5000; 0.5 0.5 0.5 0.5 s; ");
}

TEST(what_ran_for_a_part_of_the_time_is_extended_to_the_whole)
{
	struct unc_count count = counted(1000);

	count.running_ns = SECOND_NS / 4;
	count.flags = UNC_COUNT_SCALED;
	count.scale = 64;
	event_is(count, "adds 1000=4000; 256000, 256000/s; at 5000; 1 1 0.25 1 s; scaled");
}

TEST(every_flag_without_a_number_gives_none)
{
	event_is(without_number(UNC_COUNT_MISSING), "adds none; at 5000; 1 1 1 0 s; missing");
	event_is(without_number(UNC_COUNT_STOLEN), "adds none; at 5000; 1 1 1 0 s; stolen");
	event_is(without_number(UNC_COUNT_RESET), "adds none; at 5000; 1 1 1 0 s; reset");
	event_is(without_number(UNC_COUNT_GAP), "adds none; at 5000; 1 1 1 0 s; gap");
	event_is(without_number(UNC_COUNT_NOT_RUN), "adds none; at 5000; 1 1 0 0 s; not_counted");
	event_is(without_number(UNC_COUNT_STOPPED), "adds none; at 5000; 1 1 1 0 s; stopped");
}

TEST(without_time_there_is_no_number)
{
	event_is(lasting(counted(3), 0), "adds none; at 5000; 0 0 0 0 s; ");
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
	is(&acc, "alone 30 10=20; at 6000; 1 0.99999999 0.5 0.999999995 s; late;scaled");
}

TEST(a_metric_that_lacks_one_count_has_none)
{
	struct unc_count counts[2] = {counted(10), without_number(UNC_COUNT_STOLEN)};
	size_t which[2] = {0, 1};
	struct accumulator acc;

	accumulator_of(counts, which, 2, &acc);
	is(&acc, "alone none; at 5000; 1 1 1 0.5 s; stolen");
}

TEST(what_is_no_number_is_no_value)
{
	static const double values[] = {INFINITY, NAN, -1};

	for (unsigned i = 0; i < 3; i++) {
		struct accumulator acc = {.given = true};

		accumulator_set_value(&acc, values[i], 0);
		CU_ASSERT_EQUAL(acc.has_value, i == 2);
	}
}

static struct accumulator sum_of(bool adds, struct accumulator one, struct accumulator two)
{
	struct accumulator sum = {.adds = adds};

	accumulator_add(&sum, &one);
	accumulator_add(&sum, &two);
	accumulator_end_sum(&sum);
	return sum;
}

TEST(a_sum_of_events_adds_counts_values_and_rates)
{
	struct unc_count one = counted(1000), two = lasting(counted(30), SECOND_NS / 2);
	struct accumulator sum;

	one.running_ns = SECOND_NS / 2;
	one.flags = UNC_COUNT_SCALED;
	two.time_ns = 9000;
	two.flags = UNC_COUNT_LATE;
	sum = sum_of(true, accumulator_of_event(&one), accumulator_of_event(&two));
	is(&sum, "adds 1030=2030; 2030, 2060/s; at 9000; 0.75 0.75 0.5 1.5 s; late;scaled");
}

TEST(a_sum_that_lacks_a_channel_is_partial)
{
	struct unc_count good = counted(5), stolen = without_number(UNC_COUNT_STOLEN);
	struct accumulator members[] = {accumulator_of_event(&good), accumulator_missing(7000),
					accumulator_of_event(&stolen)};
	struct accumulator sum = {.adds = true};

	is(&members[1], "alone none; at 7000; 0 0 0 0 s; missing");
	accumulator_add(&sum, &members[0]);
	is(&sum, "adds 5; 5, 5/s; at 5000; 1 1 1 1 s; ");
	accumulator_add(&sum, &members[1]);
	accumulator_add(&sum, &members[2]);
	accumulator_end_sum(&sum);
	is(&sum, "adds 5; 5, 5/s; at 7000; 1 1 1 1 s; partial");
}

TEST(a_sum_of_no_channel_says_when_no_turn_came)
{
	struct unc_count not_run = without_number(UNC_COUNT_NOT_RUN);
	struct accumulator missing = accumulator_missing(1), member = accumulator_of_event(&not_run), sum;

	sum = sum_of(true, missing, missing);
	is(&sum, "adds none; at 1; 0 0 0 0 s; partial");
	sum = sum_of(true, member, missing);
	is(&sum, "adds none; at 5000; 1 1 0 0 s; not_counted;partial");
}

/* A channel without traffic divides by zero, but its counts belong to the whole. */
TEST(a_sum_of_ratios_takes_counts_and_times)
{
	struct unc_count counts[2] = {counted(0), counted(0)}, others[2] = {counted(30), counted(60)};
	size_t which[2] = {0, 1};
	struct accumulator idle, busy, sum;

	accumulator_of(counts, which, 2, &idle);
	accumulator_of(others, which, 2, &busy);
	accumulator_set_value(&idle, NAN, 0);
	accumulator_set_value(&busy, 0.5, 0);
	sum = sum_of(false, idle, busy);
	is(&sum, "alone 30 60; at 5000; 1 1 1 2 s; ");
	sum = sum_of(true, idle, busy);
	is(&sum, "adds 30 60; 0.5, 0/s; at 5000; 1 1 1 1 s; partial");
}

/* ---- amounts ---- */

static struct accumulator amount_of(struct unc_count count)
{
	const struct amount_sum sum = {1, {0}, {64}};
	struct accumulator acc;

	accumulator_of_amount(&count, &sum, 1, &acc);
	return acc;
}

static void amount_is(struct unc_count count, const char *expected)
{
	struct accumulator acc = amount_of(count);

	is(&acc, expected);
}

TEST(a_count_becomes_bytes_and_bytes_per_second)
{
	amount_is(lasting(counted(1000), SECOND_NS / 2),
		  "adds 1000; 128000, 128000/s; 64000 of 1000; at 5000; 0.5 0.5 0.5 0.5 s; ");
	amount_is(lasting(counted(10), SECOND_NS / 4),
		  "adds 10; 2560, 2560/s; 640 of 10; at 5000; 0.25 0.25 0.25 0.25 s; ");
}

/* 64 bytes times any 48-bit count is a whole number of bytes, and comes out as one. */
TEST(the_largest_count_is_exact)
{
	struct accumulator acc = amount_of(lasting(counted((UINT64_C(1) << 48) - 1), SECOND_NS));

	CU_ASSERT_EQUAL(acc.amount, ((UINT64_C(1) << 48) - 1) * 64);
}

TEST(without_a_number_or_an_interval_there_is_no_amount)
{
	amount_is(without_number(UNC_COUNT_STOLEN), "adds none; at 5000; 1 1 1 0 s; stolen");
	amount_is(lasting(counted(10), 0), "adds none; at 5000; 0 0 0 0 s; ");
}

TEST(a_sum_adds_amounts_and_rates_of_all)
{
	struct accumulator one = amount_of(lasting(counted(1000), SECOND_NS / 2)), two = amount_of(counted(30)), sum;

	two.time_ns = 9000;
	sum = sum_of(true, one, two);
	is(&sum, "adds 1030; 129920, 129920/s; 65920 of 1030; at 9000; 0.75 0.75 0.75 1.5 s; ");
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

static void amount_follows(const struct unc_count *counts, const struct amount_sum *ways, unsigned flags,
			   uint64_t events, const char *row)
{
	struct accumulator acc;

	accumulator_of_amount(counts, ways, WAYS, &acc);
	if (acc.flags != flags || acc.events != events)
		fprintf(stderr, "\n  %s: flags 0x%x, %" PRIu64 " events\n", row, acc.flags, acc.events);
	CU_ASSERT_EQUAL(acc.flags, flags);
	CU_ASSERT_EQUAL(acc.has_value, !(flags & UNC_COUNT_NO_NUMBER));
	CU_ASSERT_EQUAL(acc.events, events);
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

		counts_of(examples[i].counts, counts);
		amount_follows(counts, reads, examples[i].read_flags, examples[i].read, examples[i].counts);
		amount_follows(counts, writes, examples[i].write_flags, examples[i].write, examples[i].counts);
	}
}
