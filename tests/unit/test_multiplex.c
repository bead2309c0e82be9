// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that take turns: their numbers against what really happened in the machine, and whose turn it is. */
#include "onmultiplex.h"

#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", "dword_ns=0")

/* ---- numbers ---- */

TEST(counts_are_the_truth_of_the_time_that_they_ran)
{
	static const uint64_t steps[] = {100 * MS_NS, 35 * MS_NS, 7 * MS_NS, 13 * MS_NS, 1234567, 250 * MS_NS};

	for (unsigned freeze = 0; freeze < 2; freeze++) {
		uint64_t origin_ns, totals[8] = {0};

		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		begin_eight(&o, &r, freeze ? &frozen_turns : &turns);
		origin_ns = unc_machine_raw_ns(o.m);
		for (unsigned k = 0; k < 5; k++) {
			uint64_t from_ns = unc_machine_raw_ns(o.m), to_ns = from_ns + steps[k];

			/* Only as long as turns are exactly 10 ms: a read that is not on a turn's edge does not end it. */
			read_on(&r, steps[k]);
			for (unsigned i = 0; i < 8; i++) {
				uint64_t truth = truth_of_turns(&r, i, origin_ns, from_ns, to_ns, 2, i / 4);

				EQ(r.c[i].delta, truth);
				EQ(r.c[i].interval_ns, steps[k]);
				EQ(r.c[i].enabled_ns, steps[k]);
				EQ(r.c[i].time_ns, unc_machine_real_ns(o.m));
				if (r.c[i].running_ns == 0)
					EQ(r.c[i].flags, UNC_COUNT_NOT_RUN);
				else
					EQ(r.c[i].flags, r.c[i].running_ns < r.c[i].enabled_ns ? UNC_COUNT_SCALED : 0);
				totals[i] += truth;
				EQ(r.c[i].total, totals[i]);
			}
			EQ(r.c[0].running_ns + r.c[4].running_ns, steps[k]);
		}
	}
}

TEST(a_constant_load_scales_to_the_truth)
{
	begin_eight(&o, &r, &turns);
	for (unsigned k = 0; k < 6; k++) {
		onsim_trace_clear(&o);
		read_on(&r, 90 * MS_NS + k * 1111111);
		for (unsigned i = 0; i < 8; i++) {
			double truth = (double)onrun_truth(&r, i), value = unc_count_value(&r.c[i]) / r.c[i].scale;

			EQ(r.c[i].flags, UNC_COUNT_SCALED);
			CU_ASSERT_TRUE(truth > 0);
			/* A count more or less in each of up to six turns, and the same of the whole. */
			if (value > truth + 15 || value < truth - 15)
				fprintf(stderr, "\n%s: %f, not %f\n", r.event[i], value, truth);
			CU_ASSERT_TRUE(value <= truth + 15 && value >= truth - 15);
		}
	}
}

TEST(on_every_part_turns_count_the_truth)
{
	static const char *const models[] = {"ivt", "hsx", "bdx", "skx"};

	for (unsigned m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		for (unsigned freeze = 0; freeze < 2; freeze++) {
			struct onsim_controls before;
			uint64_t from_ns;

			onsim_reopen(&o, models[m], "sockets=1", "dword_ns=0");
			before = onsim_controls(&o);
			ONRUN(&r, &o, freeze ? &frozen_turns : &turns, "socket0.imc1.ch0", "cas_count.rd",
			      "cas_count.wr", "pre_count.page_miss", "rpq_inserts", "rpq_cycles_ne");
			from_ns = unc_machine_raw_ns(o.m);
			read_on(&r, 95 * MS_NS);
			for (unsigned i = 0; i < 5; i++) {
				EQ(r.c[i].flags, UNC_COUNT_SCALED);
				EQ(r.c[i].delta,
				   truth_of_turns(&r, i, from_ns, from_ns, from_ns + 95 * MS_NS, 2, i / 4));
				CU_ASSERT_TRUE(r.c[i].delta > 0);
			}
			onrun_close(&r);
			onsim_controls_are(&o, &before, R_FRZ);
		}
	}
}

/* Reads of 2 to 6 GB/s, in steps of 17 ms that keep no time with the turns. */
static const char *wave(void)
{
	enum { STEPS = 300, LINE = 64 };
	char *text = calloc(STEPS + 4, LINE);
	const char *path;
	size_t used;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	used = (size_t)snprintf(text, 4 * LINE, "format: uncorectl-load/1\nchannels:\n  %s:\n    read:\n", BOX);
	for (unsigned i = 0; i < STEPS; i++)
		used += (size_t)snprintf(text + used, LINE, "      - {at: %u.%03u, rate: %u000000000}\n", 17 * i / 1000,
					 17 * i % 1000, 2 + (i * i + i / 3) % 5);
	path = onsim_file(text);
	free(text);
	return path;
}

/* Whatever part of the time is counted: it cannot scale to more or less than the load ever was. */
TEST(a_varying_load_scales_to_something_within_its_bounds)
{
	double sum = 0, truth = 0;

	onrun_reopen(&r, &o, test_text("sockets=1,load=%s", wave()), "dword_ns=0");
	ONRUN(&r, &o, &turns, BOX, "cas_count.rd", eight[4], eight[5], eight[6], eight[7]);
	for (unsigned k = 0; k < 90; k++) {
		double rate;

		read_on(&r, 50 * MS_NS);
		EQ(r.c[0].flags, UNC_COUNT_SCALED);
		rate = unc_count_value(&r.c[0]) / 0.05;
		CU_ASSERT_TRUE(rate > 1.999e9 && rate < 6.001e9);
		sum += rate * 0.05;
		truth += (double)onrun_truth(&r, 0) * 64;
	}
	CU_ASSERT_TRUE(sum > truth * 0.95 && sum < truth * 1.05);
}

/* ---- whose turn it is ---- */

TEST(every_turn_gets_the_same_share_whatever_the_interval)
{
	static const uint64_t intervals[] = {15 * MS_NS, 10 * MS_NS, 3333333, 20 * MS_NS, 30 * MS_NS, 77 * MS_NS};

	for (unsigned n = 0; n < sizeof(intervals) / sizeof(intervals[0]); n++) {
		uint64_t ran_ns[9] = {0}, least = UINT64_MAX, most = 0;

		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		onrun_open(&r, &o, &turns);
		for (unsigned i = 0; i < 9; i++)
			onrun_add(&r, BOX, eight[i % 8]); /* three turns: of four, four, and one */
		onrun_start(&r);
		for (unsigned k = 0; k < 300; k++) {
			read_on(&r, intervals[n]);
			for (unsigned i = 0; i < 9; i++)
				ran_ns[i] += r.c[i].running_ns;
		}
		for (unsigned i = 0; i < 9; i++) {
			least = ran_ns[i] < least ? ran_ns[i] : least;
			most = ran_ns[i] > most ? ran_ns[i] : most;
		}
		/* Reads that are no multiple of a turn make turns as long as two intervals at most. */
		CU_ASSERT_TRUE(most - least <= 20 * MS_NS);
		CU_ASSERT_TRUE(least > 0);
	}
}

TEST(an_event_whose_turn_did_not_come_has_no_number)
{
	begin_eight(&o, &r, &turns);
	for (unsigned k = 0; k < 4; k++) {
		read_on(&r, TURN_NS);
		for (unsigned i = 0; i < 8; i++) {
			bool ran = i / 4 == k % 2;

			EQ(r.c[i].flags, ran ? 0 : UNC_COUNT_NOT_RUN);
			EQ(r.c[i].running_ns, ran ? TURN_NS : 0);
			if (!ran)
				EQ(r.c[i].delta, 0);
			if (!ran)
				CU_ASSERT_EQUAL(unc_count_value(&r.c[i]), 0);
		}
	}
}

TEST(turns_change_every_ten_milliseconds_at_most)
{
	begin_eight(&o, &r, &turns);
	onsim_trace_clear(&o);
	for (unsigned k = 0; k < 9; k++) { /* reading does not hurry them */
		read_on(&r, MS_NS);
	}
	EQ(onsim_trace_count(&o, " w32 "), 0);
	read_on(&r, MS_NS);
	/* Stopped, four controls written twice, released twice. */
	EQ(onsim_trace_count(&o, "w32 0xf4"), 3);
	EQ(onsim_trace_count(&o, " w32 "), 11);
	onsim_trace_clear(&o);
	sleep_on(&r, 95 * MS_NS);
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010100"), 9);
	onsim_trace_clear(&o);
	onsim_step(&o, S_NS); /* not slept in the session: it could not know */
	onrun_read(&r);
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010100"), 1);
}

TEST(sets_are_never_split)
{
	onrun_open(&r, &o, &turns);
	ADD_SET(&r, false, "cas_count.rd", "cas_count.wr", "act_count");
	ADD_SET(&r, false, "rpq_inserts", "wpq_inserts");
	onrun_add(&r, BOX, "clockticks");       /* there is room in the first turn */
	onrun_add(&r, BOX, "cas_count.rd_reg"); /* and then in the second */
	onrun_start(&r);
	onsim_has_ctls(&o, r.box[0], R_EN | 0x0000, R_EN | 0x0001, R_EN | 0x0c04, R_EN | 0x0304);
	sleep_on(&r, 15 * MS_NS);
	/* The first is switched off. */
	onsim_has_ctls(&o, r.box[0], 0, R_EN | 0x0104, R_EN | 0x0020, R_EN | 0x0010);
	for (unsigned k = 0; k < 5; k++) {
		onrun_read(&r);
		for (unsigned i = 0; i < r.n; i++)
			EQ(r.c[i].running_ns, r.c[i < 3 || i == 5 ? 0 : 3].running_ns);
		EQ(r.c[0].running_ns + r.c[3].running_ns, r.c[0].enabled_ns);
		sleep_on(&r, 33 * MS_NS);
	}
}

TEST(one_counter_serves_all_sets_that_want_its_event)
{
	onrun_open(&r, &o, NULL); /* without turns: it fits, or it fails */
	ADD(&r, "cas_count.rd", "cas_count.wr", "cas_count.rd");
	ADD_SET(&r, false, "act_count", "pre_count.page_miss", "cas_count.rd", "cas_count.wr");
	onrun_start(&r);
	read_on(&r, 47 * MS_NS);
	for (size_t i = 0; i < 7; i++)
		IS_GOOD(&r, i, 0);
	EQ(r.c[0].delta, r.c[2].delta);
	EQ(r.c[0].delta, r.c[5].delta);
	EQ(r.c[1].delta, r.c[6].delta);
}

/* Accesses take time here, and counters run from the start. */
TEST(counts_of_a_set_begin_and_end_at_one_instant)
{
	onrun_reopen(&r, &o, "sockets=1", "dword_ns=500");
	onrun_open(&r, &o, NULL);
	ADD_SET(&r, true, "cas_count.rd", "cas_count.rd", "cas_count.rd", "cas_count.rd");
	onrun_start(&r);
	for (unsigned k = 0; k < 3; k++) {
		read_on(&r, 47 * MS_NS);
		CU_ASSERT_TRUE(r.c[0].delta > 0);
		for (size_t i = 1; i < 4; i++) {
			EQ(r.c[i].delta, r.c[0].delta);
			EQ(r.c[i].interval_ns, r.c[0].interval_ns);
		}
	}
}

TEST(the_same_event_twice_in_a_set_is_two_counters)
{
	onrun_open(&r, &o, NULL);
	ADD_SET(&r, true, "cas_count.rd", "cas_count.rd");
	ADD_SET(&r, true, "cas_count.rd", "cas_count.rd", "cas_count.rd");
	onrun_add(&r, BOX, "cas_count.wr");
	onrun_start(&r);
	EQ(onsim_trace_count(&o, "0x00400304"), 3); /* controls switched on, of which the two sets share two */
}

TEST(the_fixed_counter_runs_in_every_turn_and_serves_everybody)
{
	onrun_open(&r, &o, &turns);
	ADD(&r, "cas_count.rd", "dclk");
	ADD_SET(&r, false, "dclk", "cas_count.wr", "act_count", "rpq_inserts", "wpq_inserts");
	onrun_start(&r);
	for (unsigned k = 0; k < 5; k++) {
		read_on(&r, 47 * MS_NS);
		IS_GOOD(&r, 1, 0);
		IS_GOOD(&r, 2, 0);
		EQ(r.c[1].running_ns, 47 * MS_NS);
		EQ(r.c[0].flags, UNC_COUNT_SCALED);
		EQ(r.c[3].flags, UNC_COUNT_SCALED);
		EQ(r.c[0].running_ns + r.c[3].running_ns, 47 * MS_NS);
	}
}

TEST(boxes_that_need_no_turns_are_left_in_peace)
{
	onrun_open(&r, &o, &turns);
	onrun_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	for (unsigned i = 0; i < 5; i++)
		onrun_add(&r, BOX, eight[i]);
	onrun_start(&r);
	onsim_trace_clear(&o);
	sleep_on(&r, 95 * MS_NS);
	EQ(onsim_trace_count(&o, "10.1 "), 0);
	onrun_read(&r);
	IS_GOOD(&r, 0, 0);
	EQ(r.c[0].running_ns, r.c[0].enabled_ns);
	EQ(onsim_trace_count(&o, "10.1 "), 3); /* counters, and the look */
}
