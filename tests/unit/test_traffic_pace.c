// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/traffic.h"

#include "test.h"

TEST(shares_add_up_to_the_rate)
{
	static const uint64_t rates[] = {1, 2, 7, 1000, 2000000001, UINT64_C(123456789012345)};

	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		for (size_t n = 1; n <= 9; n++) {
			uint64_t sum = 0, most = 0, least = UINT64_MAX;

			for (size_t k = 0; k < n; k++) {
				struct traffic_pace pace = traffic_pace_of(rates[i], k, n);

				CU_ASSERT(pace.paced);
				sum += pace.bytes_per_s;
				most = pace.bytes_per_s > most ? pace.bytes_per_s : most;
				least = pace.bytes_per_s < least ? pace.bytes_per_s : least;
			}
			CU_ASSERT_EQUAL(sum, rates[i]);
			CU_ASSERT(most - least <= 1);
		}
	}
	CU_ASSERT(!traffic_pace_of(0, 0, 4).paced);
}

TEST(bursts_are_whole_lines_and_a_chunk_at_most)
{
	for (uint64_t rate = 1; rate < UINT64_C(1) << 50; rate = rate * 3 + 1) {
		struct traffic_pace pace = traffic_pace_of(rate, 0, 1);
		size_t burst = traffic_pace_burst(&pace);

		CU_ASSERT(burst >= TRAFFIC_LINE && burst <= TRAFFIC_CHUNK && burst % TRAFFIC_LINE == 0);
	}
	CU_ASSERT_EQUAL(traffic_pace_burst(&(struct traffic_pace){.paced = false}), TRAFFIC_CHUNK);
	CU_ASSERT_EQUAL(traffic_pace_burst(&(struct traffic_pace){.paced = true, .bytes_per_s = 64000000}), 64000);
}

TEST(what_is_done_is_due_by_the_rate)
{
	struct traffic_pace pace = {.paced = true, .bytes_per_s = 2000000000, .start_ns = 1000};

	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, 2000, 1000), 2000);
	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, 2000, 2000), 0);
	CU_ASSERT_EQUAL(pace.start_ns, 1000);
	/* A year at that rate. */
	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, UINT64_C(31536000) * 2000000000, 0), UINT64_C(31536000000001000));
	pace.paced = false;
	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, 2000, 1000), 0);
}

TEST(who_has_nothing_to_do_never_goes_on)
{
	struct traffic_pace pace = traffic_pace_of(1, 1, 2);

	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, 0, 0), UINT64_MAX);
}

TEST(only_the_last_second_is_caught_up_on)
{
	struct traffic_pace pace = {.paced = true, .bytes_per_s = 1000000, .start_ns = 0};
	uint64_t now = UINT64_C(10000000000), done = 0;

	CU_ASSERT_EQUAL(traffic_pace_next_ns(&pace, done, now), 0);
	for (; traffic_pace_next_ns(&pace, done, now) == 0; done += 1000)
		;
	CU_ASSERT(done >= 1000000 && done <= 1001000);
}
