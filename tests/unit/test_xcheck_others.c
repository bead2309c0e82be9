// SPDX-License-Identifier: GPL-2.0-or-later
/* Others that count with perf in the same boxes: none is taken for another. */
#include "onxcheck.h"
#include "test.h"

EACH_ON_XCHECK(r, onxcheck_end)

/* The other process's event is ours to the bit, and both are right, but its event is not taken for ours. */
TEST(who_counts_the_same_with_perf_is_not_taken_for_us)
{
	onxcheck_other_counts(&r, 0x304);
	r.controls = onxcheck_controls(&r);
	onxcheck_begin_well(&r);
	SAME(r.row.counter, "CTR[1]");
	onxcheck_close(&r);
}

/* Nor is the other process's event taken for ours when ours is gone. */
TEST(what_was_wiped_is_not_found_in_the_counter_of_another)
{
	onxcheck_other_counts(&r, 0x304);
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd");
	onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTL(1), 0);
	for (unsigned i = 0; i < 2; i++) {
		onxcheck_go_on(&r, S_NS);
		onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "no counter was found that has this event for perf");
	}
}

/*
 * The other process ends its event and begins a new one.  Our event moves to the counter that is free then, and the new event gets
 * the counter that we had.  No control shows it, but ours counted on while the new event was off.  A thousandth would be tolerated.
 */
TEST(who_changes_places_with_us_is_found_out)
{
	unsigned theirs = onxcheck_other_counts(&r, 0x304);

	onxcheck_begin_well(&r);
	SAME(r.row.counter, "CTR[1]");
	onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs);
	theirs = onxcheck_other_counts(&r, 0x304);
	onxcheck_other_does(&r, UNC_PERF_OFF, theirs);
	onsim_step(&r.o, 50000);
	onxcheck_other_does(&r, UNC_PERF_ON, theirs);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[1] to CTR[0] in this interval");
	for (unsigned i = 0; i < 2; i++) {
		onxcheck_goes_on(&r, true);
		SAME(r.row.counter, "CTR[0]");
	}
	onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs);
	onxcheck_goes_on(&r, true);
}

TEST(what_is_moved_is_not_taken_for_another_with_the_same_control)
{
	static const char *const counters[] = {"CTR[0]", "CTR[1]"};
	unsigned theirs = onxcheck_other_counts(&r, 0x304);

	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch0 cas_count.wr");
	onxcheck_is_ok(&r, 0, true);
	onxcheck_is_ok(&r, 1, false);
	onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs);
	onxcheck_other_counts(&r, 0x304);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[1] to CTR[0] in this interval");
	onxcheck_is_not(&r, 1, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[2] to CTR[1] in this interval");
	for (unsigned i = 0; i < 4; i++) {
		if (i % 2 == 0)
			onxcheck_go_on(&r, S_NS);
		onxcheck_is_ok(&r, i % 2, i % 2 == 0);
		SAME(r.row.counter, counters[i % 2]);
	}
}

/* The end of its event leaves a hole, into which ours move when they are looked for, since perf's numbers and counters drift apart. */
TEST(who_is_moved_by_the_search_was_where_it_was)
{
	static const char *const counters[2][2] = {{"CTR[1]", "CTR[2]"}, {"CTR[0]", "CTR[1]"}};
	unsigned theirs;

	onxcheck_open_with(&r, "snbep", "sockets=1,perf=on,perf_off=1", NULL, 0.02);
	theirs = onxcheck_other_counts(&r, 0x304);
	ONXCHECK_START(&r, "ch0 cas_count.rd", "ch0 cas_count.wr");
	onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs);
	for (unsigned i = 0; i < 4; i++) {
		if (i % 2 == 0)
			onxcheck_go_on(&r, S_NS);
		onxcheck_row(&r, i % 2);
		EQ(r.row.verdict, UNC_XCHECK_OK);
		SAME(r.row.counter, counters[i / 2][i % 2]);
	}
}

/* In turns perf has an event of another in our counter for a while, with the very control that we wrote there. */
TEST(while_others_take_turns_we_have_no_count)
{
	unsigned theirs[4];

	onxcheck_begin_well(&r);
	for (unsigned i = 0; i < 4; i++)
		theirs[i] = onxcheck_other_counts(&r, 0x304);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw && !r.row.has_ours && !r.row.own);
	for (unsigned i = 0; i < 4; i++)
		onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs[i]);
}

/* The other process takes our counter for what we count in it, leaves it, and takes it again: it looks as it did, and has less. */
TEST(a_count_of_ours_that_stopped_for_a_while_is_none)
{
	unsigned theirs[3];

	onxcheck_begin_well(&r);
	SAME(r.row.own, "CTR[3]");
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < 3; i++)
			theirs[i] = onxcheck_other_counts(&r, 0x304);
		onxcheck_sleep_for(&r, S_NS / 4);
		for (unsigned i = 0; i < 3 && !again; i++)
			onxcheck_other_does(&r, UNC_PERF_CLOSE, theirs[i]);
		onxcheck_sleep_for(&r, S_NS / 4);
	}
	OK(&r.o, unc_xcheck_sample(r.x));
	onxcheck_is_not(&r, 0, UNC_XCHECK_OK, "there is no count of ours, of CTR[3]: stolen");
	CU_ASSERT_FALSE(r.row.has_ours);
}

/* Which box it is is seen when it has its turn. */
TEST(where_others_have_all_counters_there_are_only_turns)
{
	for (unsigned i = 0; i < 5; i++)
		onxcheck_other_counts(&r, 0x304 + 0x100 * i);
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch1 cas_count.rd");
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	EQ(r.row.number, 0);
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	onxcheck_is_ok(&r, 1, true);
	onxcheck_end(&r);
	begin();
	/* With so many, that is seldom. */
	for (unsigned i = 0; i < 30; i++)
		onxcheck_other_counts(&r, 0x304 + 0x100 * i);
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch1 cas_count.rd");
	onxcheck_is_not(
		&r, 0, UNC_XCHECK_NOT_COMPARABLE,
		"uncore_imc_0: no control follows when perf's event is switched on and off: others have all counters "
		"that it could have, and perf multiplexes it with them (it had one in 0 % of the time)");
	CU_ASSERT(!r.row.has_kernel && !r.row.has_raw);
	SAME(r.row.source, "uncore_imc_0");
	EQ(r.row.number, -1);
	onxcheck_is_ok(&r, 1, true);
}

/* perf's CPUs of socket 1 are all offline: it has none in its mask. */
TEST(a_socket_of_which_perf_has_no_cpu_is_said)
{
	onxcheck_end(&r);
	onxcheck_open(&r, "snbep", "sockets=2,cores=2,threads=1,offline=2-3,perf=on");
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "socket1.imc0.ch0 cas_count.rd");
	onxcheck_is_ok(&r, 0, true);
	onxcheck_is_not(&r, 1, UNC_XCHECK_NOT_COMPARABLE, "uncore_imc_0/cpumask has no CPU of socket 1 (\"0\")");
	CU_ASSERT(!r.row.has_kernel && !r.row.has_raw && !r.row.has_ours && !r.row.own && !r.row.counter);
	EQ(r.row.number, -1);
	SAME(r.row.source, "uncore_imc_0");
	onxcheck_close(&r);
}
