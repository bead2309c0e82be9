// SPDX-License-Identifier: GPL-2.0-or-later
#include "xcheck/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define P(n)     (UINT64_C(1) << (n))
#define MS       UINT64_C(1000000)
#define SECOND   (1000 * MS)

/*
 * Runs as they were read: 1 s from the first bracket to the last, on a counter that gains 100 million a second, or 100 a us.  Times
 * are in ns; what is not said is 0.
 */
struct run {
	const char *name;
	struct unc_xcheck_bracket from, to;
	const char *counter_from, *counter_to;
	double tolerance;
	uint64_t most;  /* 0: of a counter that gains at most 1200 million a second */
	uint64_t slack; /* likewise none */
	uint64_t wraps;
	bool level, no_times, no_kernel, no_raw, has_ours, gone;
	uint64_t ours;
	const char *wrong, *unknown, *ours_lost, *not_found, *stood_still;
	/* what is to be found */
	enum unc_xcheck_verdict verdict;
	bool has_kernel, has_raw;
	uint64_t kernel, raw, uncertainty;
	const char *why; /* has this in it */
};

#define OK     UNC_XCHECK_OK
#define WRONG  UNC_XCHECK_DIFFERS
#define CANNOT UNC_XCHECK_NOT_COMPARABLE
#define C0     .counter_from = "CTR[0]", .counter_to = "CTR[0]"
#define HAS    .has_kernel = true, .has_raw = true
/* begin, end, raw before, raw after, kernel, enabled, running */
#define B(begin, end, before, after, says, on, ran)                                                                    \
	{                                                                                                              \
		.begin_ns = (begin), .end_ns = (end), .raw_before = (before), .raw_after = (after), .kernel = (says),  \
		.enabled_ns = (on), .running_ns = (ran), .control = 0x400304                                           \
	}
#define FROM B(5 * SECOND, 5 * SECOND + 10000, 7000000, 7001000, 500, 2 * MS, 2 * MS)
#define TO(before, says)                                                                                               \
	B(6 * SECOND, 6 * SECOND + 12000, before, (before) + 1200, says, SECOND + 2 * MS, SECOND + 2 * MS)

/* clang-format off */
static const struct run runs[] = {
	{"good: perf's own reading is in the middle of both brackets", FROM, TO(107000000, 100000600), C0,
	 .tolerance = 0.001, .verdict = OK, HAS, .kernel = 100000100, .raw = 100000000, .uncertainty = 1200},
	{"good, and ours agrees", FROM, TO(107000000, 100000600), C0, .has_ours = true, .ours = 100001200,
	 .verdict = OK, HAS, .kernel = 100000100, .raw = 100000000, .uncertainty = 1200},
	{"a wrap between the reads", B(5 * SECOND, 5 * SECOND + 10000, P(48) - 1000, 0, 500, 0, 0),
	 B(6 * SECOND, 6 * SECOND + 10000, 99999000, 100000000, 100000500, SECOND, SECOND), C0,
	 .verdict = OK, HAS, .kernel = 100000000, .raw = 100000000, .uncertainty = 1000},
	{"a wrap inside the last bracket", B(5 * SECOND, 5 * SECOND + 10000, P(48) - 100000500, P(48) - 99999500, 0, 0, 0),
	 B(6 * SECOND, 6 * SECOND + 10000, P(48) - 500, 500, 100000000, SECOND, SECOND), C0,
	 .verdict = OK, HAS, .kernel = 100000000, .raw = 100000000, .uncertainty = 1000},
	{"a box that is gone, and perf takes its all ones for counts", FROM, TO(0, P(48)), C0, .gone = true, .no_raw = true,
	 .unknown = "it reads as all ones", .verdict = WRONG, .has_kernel = true, .kernel = P(48) - 500,
	 .why = "in this interval at most; it reads as all ones"},
	{"a box that is gone, and perf does not say anything that could not be", FROM, TO(0, 500), C0, .gone = true, .no_raw = true,
	 .unknown = "it reads as all ones", .verdict = CANNOT, .has_kernel = true, .why = "it reads as all ones"},
	{"a wrap that readings in between saw", FROM, TO(7001000, P(48) + 1500), C0, .wraps = 1, .most = P(50),
	 .verdict = OK, HAS, .kernel = P(48) + 1000, .raw = P(48) + 1000, .uncertainty = 1200},
	{"nothing was counted, and perf says so", FROM, B(6 * SECOND, 6 * SECOND + 9000, 7000000, 7000000, 500, SECOND, SECOND),
	 C0, .verdict = CANNOT, HAS, .kernel = 0, .raw = 0, .uncertainty = 1000, .why = "1000 counts came while they were read, which took up to "},
	{"nothing was counted in the brackets either", B(0, 9000, 33, 33, 4, 0, 0), B(SECOND, SECOND + 9000, 33, 33, 4, SECOND, SECOND),
	 C0, .verdict = OK, HAS, .kernel = 0, .raw = 0, .uncertainty = 0},
	{"which of some counters tells nothing", B(0, 9000, 33, 33, 4, 0, 0), B(SECOND, SECOND + 9000, 33, 33, 4, SECOND, SECOND),
	 C0, .stood_still = "did not move", .verdict = CANNOT, HAS, .kernel = 0, .raw = 0, .why = "CTR[0] did not move"},
	{"a counter that stood still, and perf did not", B(0, 9000, 33, 33, 4, 0, 0),
	 B(SECOND, SECOND + 9000, 33, 33, 5, SECOND, SECOND), C0, .stood_still = "did not move", .verdict = WRONG, HAS,
	 .kernel = 1, .raw = 0, .why = "out of nothing"},
	{"counts out of nothing", B(0, 9000, 33, 33, 4, 0, 0), B(SECOND, SECOND + 9000, 33, 33, 5, SECOND, SECOND),
	 C0, .tolerance = 0.5, .verdict = WRONG, HAS, .kernel = 1, .raw = 0, .why = "CTR[0] gained 0: out of nothing"},
	{"a handful of counts, of which one came in a bracket", B(0, 9000, 30, 31, 4, 0, 0),
	 B(SECOND, SECOND + 9000, 35, 35, 8, SECOND, SECOND), C0, .verdict = OK, HAS, .kernel = 4, .raw = 5, .uncertainty = 1},

	{"0.2 % too many", FROM, TO(107000000, 100200500), C0, .tolerance = 0.001, .verdict = WRONG, HAS, .kernel = 100200000,
	 .raw = 100000000, .uncertainty = 1200, .why = "perf says 100200000 counts, and CTR[0] gained 100000000: 0.2 % more; "
	 "allowed are 0.1 %, and 1200 that may have come between the readings"},
	{"half of it lost", FROM, TO(107000000, 50000500), C0, .tolerance = 0.001, .verdict = WRONG, HAS, .kernel = 50000000,
	 .raw = 100000000, .uncertainty = 1200, .why = "50 % less"},
	{"as far off as tolerance and uncertainty allow", FROM, TO(107000000, 100101700), C0, .tolerance = 0.001,
	 .verdict = OK, HAS, .kernel = 100101200, .raw = 100000000, .uncertainty = 1200},
	{"one more than these", FROM, TO(107000000, 100101701), C0, .tolerance = 0.001,
	 .verdict = WRONG, HAS, .kernel = 100101201, .raw = 100000000, .uncertainty = 1200, .why = "0.101 % more"},
	{"as few", FROM, TO(107000000, 99899300), C0, .tolerance = 0.001,
	 .verdict = OK, HAS, .kernel = 99898800, .raw = 100000000, .uncertainty = 1200},
	{"one less", FROM, TO(107000000, 99899299), C0, .tolerance = 0.001,
	 .verdict = WRONG, HAS, .kernel = 99898799, .raw = 100000000, .uncertainty = 1200, .why = "0.101 % less"},
	{"no tolerance at all: what came in the brackets", FROM, TO(107000000, 100001701), C0,
	 .verdict = WRONG, HAS, .kernel = 100001201, .raw = 100000000, .uncertainty = 1200, .why = "allowed are 0 %, and 1200"},
	{"ours is off, perf is not", FROM, TO(107000000, 100000600), C0, .tolerance = 0.001, .has_ours = true, .ours = 99000000,
	 .verdict = WRONG, HAS, .kernel = 100000100, .raw = 100000000, .uncertainty = 1200, .why = "we counted 99000000 counts"},
	{"ours was stolen", FROM, TO(107000000, 100000600), C0, .ours_lost = "ours was stolen",
	 .verdict = OK, HAS, .kernel = 100000100, .raw = 100000000, .uncertainty = 1200, .why = "ours was stolen"},
	{"ours was stolen, and perf is off", FROM, TO(107000000, 600), C0, .ours_lost = "ours was stolen",
	 .verdict = WRONG, HAS, .kernel = 100, .raw = 100000000, .uncertainty = 1200, .why = "100 % less"},

	{"a late bracket: 20 ms, 2 % of all", FROM, B(6 * SECOND, 6 * SECOND + 20 * MS, 107000000, 109000000, 101000500, SECOND + 2 * MS,
	 SECOND + 2 * MS), C0, .tolerance = 0.001, .verdict = CANNOT, HAS, .kernel = 101000000, .raw = 100000000,
	 .uncertainty = 2000000, .why = "2000000 counts came while they were read, which took up to 20000.0 us, and 100000000 in the interval"},
	{"a late bracket, and off by more than it explains", FROM, B(6 * SECOND, 6 * SECOND + 20 * MS, 107000000, 109000000, 90000500,
	 SECOND + 2 * MS, SECOND + 2 * MS), C0, .tolerance = 0.001, .verdict = WRONG, HAS, .kernel = 90000000, .raw = 100000000,
	 .uncertainty = 2000000, .why = "10 % less"},
	{"the first bracket was late, within 1 %", B(5 * SECOND, 5 * SECOND + 9 * MS, 7000000, 7900000, 500, 0, 0),
	 TO(107000000, 99500500), C0, .verdict = OK, HAS, .kernel = 99500000, .raw = 100000000, .uncertainty = 900000},
	{"late, with a tolerance as wide", FROM, B(6 * SECOND, 6 * SECOND + 20 * MS, 107000000, 109000000, 101000500, SECOND + 2 * MS,
	 SECOND + 2 * MS), C0, .tolerance = 0.02, .verdict = OK, HAS, .kernel = 101000000, .raw = 100000000, .uncertainty = 2000000},

	{"multiplexed: it had a counter for a quarter of the time", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 107001200,
	 25000500, SECOND + 2 * MS, 252 * MS), C0, .tolerance = 0.001, .verdict = CANNOT, .has_kernel = true, .kernel = 25000000,
	 .why = "perf counted it in 25.00 % of the interval only"},
	{"multiplexed, and in another counter by now", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 107001200, 25000500,
	 SECOND + 2 * MS, 502 * MS), .counter_from = "CTR[0]", .counter_to = "CTR[2]", .verdict = CANNOT, .has_kernel = true,
	 .kernel = 25000000, .why = "50.00 % of the interval only"},
	{"a moment without a counter is no turn", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 107001200, 100000600,
	 SECOND + 2 * MS, SECOND + 2 * MS - 100000), C0, .tolerance = 0.001, .verdict = OK, HAS, .kernel = 100000100,
	 .raw = 100000000, .uncertainty = 1200},
	{"a little longer is one", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 107001200, 100000600,
	 SECOND + 2 * MS, SECOND + 2 * MS - 100001), C0, .tolerance = 0.001, .verdict = CANNOT, .has_kernel = true,
	 .kernel = 100000100, .why = "perf counted it in 99.99 % of the interval only"},
	{"it never had a counter", B(5 * SECOND, 5 * SECOND + 10000, 0, 0, 0, 2 * MS, 0), B(6 * SECOND, 6 * SECOND + 12000, 0, 0, 0,
	 SECOND + 2 * MS, 0), .no_raw = true, .verdict = CANNOT, .has_kernel = true, .why = "perf had no counter for it"},
	{"moved by the kernel to another slot", FROM, TO(107000000, 100000600), .counter_from = "CTR[0]", .counter_to = "CTR[2]",
	 .verdict = CANNOT, .has_kernel = true, .kernel = 100000100, .why = "perf moved it from CTR[0] to CTR[2] in this interval"},
	{"moved to where it is not found", FROM, TO(107000000, 100000600), .counter_from = "CTR[0]", .no_raw = true,
	 .verdict = CANNOT, .has_kernel = true, .kernel = 100000100, .why = "no counter was found that has this event for perf"},
	{"found again", FROM, TO(107000000, 100000600), .counter_to = "CTR[1]", .no_raw = true,
	 .verdict = CANNOT, .has_kernel = true, .kernel = 100000100, .why = "compared from here on"},

	{"set back: both take it for counts", B(5 * SECOND, 5 * SECOND + 10000, 7000000, 7001000, 500, 0, 0),
	 B(6 * SECOND, 6 * SECOND + 12000, 3500000, 3501000, 500 + P(48) - 3500000, SECOND, SECOND), C0,
	 .verdict = WRONG, .has_kernel = true, .kernel = P(48) - 3500000,
	 .why = "perf says 281474973210656 counts, and hardware can make 1200000001 in this interval at most; another program set CTR[0]"},
	{"perf alone says what hardware cannot make", FROM, TO(107000000, 281474976207631), C0, .verdict = WRONG, HAS,
	 .kernel = 281474976207131, .raw = 100000000, .uncertainty = 1200, .why = "perf says 281474976207131 counts, and hardware"},
	{"control and counter were both reset: perf is still wrong", FROM, TO(0, 281474976207631), .counter_from = "CTR[0]",
	 .no_raw = true, .not_found = "CTL[0] holds 0", .verdict = WRONG, .has_kernel = true, .kernel = 281474976207131,
	 .why = "hardware can make 1200000001 in this interval at most; CTL[0] holds 0"},
	{"its control was written by another process", FROM, TO(0, 100000600), .counter_from = "CTR[0]", .no_raw = true,
	 .not_found = "CTL[0] holds 0", .verdict = CANNOT, .has_kernel = true, .kernel = 100000100,
	 .why = "no counter was found that has this event for perf: CTL[0] holds 0"},
	{"so many cannot be of turns either", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 107001200, 1200000502,
	 SECOND + 2 * MS, 252 * MS), C0, .verdict = WRONG, HAS, .kernel = 1200000002, .raw = 100000000, .uncertainty = 1200,
	 .why = "perf says 1200000002 counts, and hardware can make 1200000001"},
	{"set back, and perf did not see it", FROM, TO(3500000, 100000600), C0, .verdict = CANNOT, .has_kernel = true,
	 .kernel = 100000100, .why = "another program set CTR[0]: from 0x6acfc0 to"},
	{"set back inside the last bracket", FROM, B(6 * SECOND, 6 * SECOND + 12000, 107000000, 12, 100000600, SECOND, SECOND), C0,
	 .verdict = CANNOT, .has_kernel = true, .kernel = 100000100, .why = "another program set CTR[0]"},
	{"perf's number went back", FROM, TO(107000000, 499), C0, .verdict = WRONG, .has_raw = true, .raw = 100000000,
	 .uncertainty = 1200, .why = "perf's number went back, from 500 to 499 counts"},

	{"the kernel programmed something else", FROM, TO(107000000, 100000600), C0, .wrong = "it has another encoding",
	 .verdict = WRONG, HAS, .kernel = 100000100, .raw = 100000000, .uncertainty = 1200, .why = "it has another encoding"},
	{"the box is gone", FROM, FROM, C0, .no_kernel = true, .no_raw = true, .unknown = "the box is gone",
	 .verdict = CANNOT, .why = "the box is gone"},
	{"perf does not answer any more", FROM, TO(107000000, 0), C0, .no_kernel = true, .verdict = CANNOT, .has_raw = true,
	 .raw = 100000000, .uncertainty = 1200, .why = "perf could not be read"},
	{"the counter does not", FROM, TO(0, 100000600), C0, .no_raw = true, .verdict = CANNOT, .has_kernel = true,
	 .kernel = 100000100, .why = "CTR[0] could not be read"},

	{"occupancy: what is there at the end", FROM, B(SECOND, SECOND + 9000, 30000000, 30065536, 30100000, 0, 0), C0, .level = true,
	 .no_times = true, .tolerance = 0.15, .slack = 2000000, .verdict = OK, HAS, .kernel = 30100000, .raw = 30000000,
	 .uncertainty = 65536},
	{"of little the slack is more than the tolerance", FROM, B(SECOND, SECOND + 9000, 100000, 100000, 2100000, 0, 0), C0,
	 .level = true, .no_times = true, .tolerance = 0.15, .slack = 2000000, .verdict = OK, HAS, .kernel = 2100000, .raw = 100000},
	{"and one more is too much", FROM, B(SECOND, SECOND + 9000, 100000, 100000, 2100001, 0, 0), C0, .level = true,
	 .no_times = true, .tolerance = 0.15, .slack = 2000000, .verdict = WRONG, HAS, .kernel = 2100001, .raw = 100000,
	 .why = "CTR[0] holds 100000: 2000 % more; allowed are 15 %, or 2000000 counts, and 0"},
};
/* clang-format on */

static void judge(const struct run *run, struct unc_judgement *ret)
{
	struct unc_judged q = {
		.who = "perf",
		.unit = "counts",
		.from = &run->from,
		.to = &run->to,
		.level = run->level,
		.has_kernel = !run->no_kernel,
		.has_raw = !run->no_raw,
		.has_ours = run->has_ours,
		.ours = run->ours,
		.width_bits = 48,
		.wraps = run->wraps,
		.most = run->most ? run->most : 1200000001,
		.tolerance = run->tolerance,
		.slack = run->slack,
		.has_times = !run->no_times,
		.counter_from = run->counter_from,
		.counter_to = run->counter_to,
		.wrong = run->wrong,
		.unknown = run->unknown,
		.ours_lost = run->ours_lost,
		.not_found = run->not_found,
		.gone = run->gone,
		.stood_still = run->stood_still,
	};

	unc_judge(&q, ret);
}

/* Of what was read, the part that is tolerated, or what is tolerated whatever was read; a part of a count is none. */
static bool tolerates(const struct run *run, const struct unc_judgement *j)
{
	double part = run->tolerance * (double)j->row.raw, slack = (double)run->slack;

	return j->row.tolerated == (j->row.has_raw ? (uint64_t)(part > slack ? part : slack) : 0);
}

TEST(recorded_runs_are_judged_as_they_deserve)
{
	for (size_t i = 0; i < N(runs); i++) {
		const struct run *run = &runs[i];
		struct unc_judgement j;
		bool right;

		judge(run, &j);
		right = j.row.verdict == run->verdict && j.row.has_kernel == run->has_kernel &&
			j.row.has_raw == run->has_raw && j.row.kernel == run->kernel && j.row.raw == run->raw &&
			j.row.uncertainty == run->uncertainty && j.row.has_ours == run->has_ours &&
			j.row.ours == run->ours && tolerates(run, &j) &&
			(run->why ? strstr(j.why, run->why) != NULL : j.why[0] == '\0');
		if (!right)
			fprintf(stderr,
				"\n%s: verdict %d, kernel %d %" PRIu64 ", raw %d %" PRIu64 ", uncertainty %" PRIu64
				": \"%s\"\n",
				run->name, j.row.verdict, j.row.has_kernel, j.row.kernel, j.row.has_raw, j.row.raw,
				j.row.uncertainty, j.why);
		CU_ASSERT_TRUE(right);
	}
}

/* Wherever in its bracket perf's own reading falls, and however the rate changes, a right count is never said to differ. */
TEST(a_right_count_is_ok_wherever_in_the_brackets_it_was_read)
{
	static const uint64_t gains[] = {0, 1, 999, 123456789};

	for (unsigned a = 0; a <= 40; a++) {
		for (unsigned b = 0; b <= 40; b++) {
			for (size_t g = 0; g < N(gains); g++) {
				uint64_t start = P(48) - 20, to = start + 40 + gains[g];
				uint64_t mask = P(48) - 1;
				struct run run = {
					.from = B(0, 100, start & mask, (start + 40) & mask, 77, 0, 0),
					.to = B(SECOND, SECOND + 100, to & mask, (to + 40) & mask,
						77 + (to + b) - (start + a), SECOND, SECOND),
					C0,
				};
				struct unc_judgement j;

				judge(&run, &j);
				CU_ASSERT_TRUE(j.row.verdict == UNC_XCHECK_OK ||
					       (gains[g] < 4000 && j.row.verdict == UNC_XCHECK_NOT_COMPARABLE));
			}
		}
	}
}

TEST(a_bracket_that_took_much_longer_is_taken_again)
{
	CU_ASSERT_FALSE(unc_bracket_is_wide(50000, 0));
	CU_ASSERT_FALSE(unc_bracket_is_wide(50000, 50000));
	CU_ASSERT_FALSE(unc_bracket_is_wide(50000, 12500));
	CU_ASSERT_TRUE(unc_bracket_is_wide(50000, 12499));
}
