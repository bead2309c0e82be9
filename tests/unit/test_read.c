// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", "dword_ns=0")

#define CH0  "socket0.imc0.ch0"
#define P(n) (UINT64_C(1) << (n))

/* One event for each counter of a box, CTR[3] down to CTR[0], and the fixed one. */
static const char *const events[] = {"cas_count.rd", "cas_count.wr", "act_count", "clockticks", "dclk"};
static const uint32_t counters[] = {R_CTR(3), R_CTR(2), R_CTR(1), R_CTR(0), R_FIXED_CTR};
enum { ALL = 5 };

static void all_counters(void)
{
	onrun_open(&r, &o, NULL);
	for (unsigned i = 0; i < ALL; i++)
		onrun_add(&r, CH0, events[i]);
	onrun_start(&r);
}

/* ---- the numbers ---- */

TEST(counts_are_the_truth_to_the_last_one)
{
	uint64_t sums[8] = {0}, time_ns[8] = {0}, start_ns;

	onrun_reopen(&r, &o, "sockets=2", "dword_ns=0");
	onrun_open(&r, &o, NULL);
	for (unsigned i = 0; i < 8; i++) {
		char box[40];

		snprintf(box, sizeof(box), "socket%u.imc0.ch%u", i / 4, i % 4);
		onrun_add(&r, box, i % 2 ? "cas_count.wr" : "cas_count.rd");
	}
	start_ns = unc_machine_raw_ns(o.m);
	onrun_start(&r);
	for (unsigned k = 0; k < 50; k++) {
		onrun_read_after(&r, 1 + 7919 * k * k * k);
		for (unsigned i = 0; i < 8; i++) {
			IS_GOOD(&r, i, 0);
			sums[i] += r.c[i].delta;
			EQ(r.c[i].total, sums[i]);
			EQ(r.c[i].time_ns, unc_machine_real_ns(o.m));
			EQ(r.c[i].interval_ns, 1 + 7919 * k * k * k);
			CU_ASSERT_EQUAL(r.c[i].scale, 64);
			SAME(r.c[i].unit, "bytes");
			time_ns[i] = r.c[i].time_ns;
		}
	}
	for (unsigned i = 0; i < 8; i++)
		EQ(sums[i], onsim_truth(&o, r.box[i], r.event[i], unc_machine_raw_ns(o.m)) -
				    onsim_truth(&o, r.box[i], r.event[i], start_ns));
	CU_ASSERT_TRUE(time_ns[0] > 0);
}

TEST(a_stale_counter_near_its_wrap_is_a_baseline_like_any_other)
{
	static const uint64_t stale[] = {0,         1,         P(32) - 1, P(32) - 3,    P(32),
					 P(47) + 5, P(48) - 1, P(48) - 2, P(48) - P(32)};

	for (unsigned k = 0; k < sizeof(stale) / sizeof(stale[0]); k++) {
		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		for (unsigned i = 0; i < ALL; i++)
			onsim_poke48(&o, onsim_box(&o, CH0), counters[i], stale[k]);
		all_counters();
		for (unsigned n = 0; n < 3; n++) {
			onrun_read_after(&r, 300 * MS_NS);
			for (unsigned i = 0; i < ALL; i++)
				IS_GOOD(&r, i, 0);
		}
	}
}

/* It is unknown yet how long a read takes, when the first value is read: how long it took shows in the first interval. */
TEST(a_first_value_that_came_late_makes_the_first_interval_late)
{
	for (unsigned ms = 1; ms <= 11; ms += 5) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		o.slow = "rblk 0xb0 ";
		o.slow_nth = 2; /* the first is that of the box while it stands */
		o.slow_ns = ms * MS_NS;
		ONRUN(&r, &o, NULL, CH0, "cas_count.rd", "cas_count.wr");
		EQ(o.slow_nth, 0);
		for (unsigned k = 0; k < 3; k++) {
			onrun_read_after(&r, 500 * MS_NS);
			for (unsigned i = 0; i < 2; i++)
				EQ(r.c[i].flags,
				   k == 0 && ms > 1 ? UNC_COUNT_LATE : 0); /* half of 1 ms is 0.1 % of 500 */
		}
	}
}

/*
 * Every 100 ms the controls and the box's clock, the fixed counter, are read in one block, and the clock once more: does it tick?
 * Without confirm_later every read would do that.
 */
TEST(a_sample_is_one_read_of_sixteen_bytes)
{
	static const struct unc_session_cfg later = {.confirm_later = true};
	/* CTL[2], CTL[3] and FIXED_CTL, which are enabled, and BOX_CTL: the end of a block from FIXED_CTR on */
	static const char controls[] = "040c40000403400000000000000000000000400000000000\n";
	uint64_t real_ns;
	bool looks;

	onrun_reopen(&r, &o, "sockets=1", NULL);
	onsim_poke48(&o, onsim_box(&o, CH0), R_CTR(2), P(40) + P(31));
	onsim_poke48(&o, onsim_box(&o, CH0), R_CTR(3), P(40) + P(31));
	ONRUN(&r, &o, &later, CH0, "cas_count.rd", "cas_count.wr");
	for (unsigned k = 0; k < 100; k++) {
		onsim_step(&o, 10 * MS_NS);
		onsim_trace_clear(&o);
		real_ns = unc_machine_real_ns(o.m);
		onrun_read(&r);
		EQ(r.c[0].time_ns, real_ns + 4 * 500 / 2); /* the middle */
		EQ(onsim_trace_count(&o, "rblk 0xb0 "), 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(o.trace, "0xb0 "));
		EQ(strcspn(strstr(o.trace, "0xb0 ") + 5, "\n"), 32);
		looks = k % 10 == 9;
		EQ(onsim_trace_count(&o, "rblk 0xd0 "), looks);
		EQ(onsim_trace_count(&o, controls), looks);
		EQ(onsim_trace_count(&o, "r32 0xd0 "), looks);
		EQ(onsim_trace_count(&o, "\n"), looks ? 3 : 1);
	}
}

/* Where it rested before the box was released tells whether the first value is torn: halves are read apart only if it is. */
TEST(a_carry_at_any_moment_of_the_start_never_shows)
{
	unsigned apart = 0, at_once = 0;

	for (unsigned k = 0; k < 200; k++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		for (unsigned i = 0; i < ALL; i++)
			onsim_poke48(&o, onsim_box(&o, CH0), counters[i], P(40) - 50 * k);
		all_counters();
		if (onsim_trace_count(&o, "r32 0xd4"))
			apart++;
		else
			at_once++;
		onrun_read_after(&r, 10 * MS_NS);
		for (unsigned i = 0; i < ALL; i++)
			IS_GOOD(&r, i, 20000);
	}
	CU_ASSERT_TRUE(apart > 0 && at_once > 100);
}

/* An idle channel's counter often stands at 0, next to a carry, and is not worth more accesses. */
TEST(a_counter_that_stands_still_near_a_carry_is_read_once)
{
	static const uint64_t values[] = {0, P(32) - 1, P(48) - 1};

	for (unsigned i = 0; i < 3; i++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		onsim_poke48(&o, onsim_box(&o, CH0), R_CTR(3), values[i]);
		ONRUN(&r, &o, NULL, CH0, "ecc_correctable_errors");
		for (unsigned k = 0; k < 3; k++) {
			onsim_step(&o, 10 * MS_NS);
			onsim_trace_clear(&o);
			onrun_read(&r);
			IS_GOOD(&r, 0, 0);
			EQ(onsim_trace_count(&o, "rblk 0xb8 "), 1);
			EQ(onsim_trace_count(&o, "rblk 0xd0 "), 1); /* controls and clock */
			EQ(onsim_trace_count(&o, "r32 0xd0 "), 1);  /* does it tick? */
			EQ(onsim_trace_count(&o, "\n"), 3);
		}
		/* After 10 s it could have come round to the same low half. */
		onsim_step(&o, 10 * S_NS);
		onsim_trace_clear(&o);
		onrun_read(&r);
		IS_GOOD(&r, 0, 0);
		CU_ASSERT_TRUE(onsim_trace_count(&o, "r32 0xb8") >= 1);
	}
}

/* ---- carries ---- */

enum { CALM_NS = 20000000 }; /* of which the 7 us of a block are far below 0.2 % */

struct carry {
	uint64_t due_ns; /* raw time at which every counter's low half carries */
	uint64_t high;   /* the high half afterwards */
};

/* Sets all counters so that they reach a multiple of 2^32 just then. */
static void aim(const struct carry *c)
{
	uint64_t now_ns = unc_machine_raw_ns(o.m);

	for (unsigned i = 0; i < ALL; i++) {
		uint64_t to_come =
			onsim_truth(&o, r.box[i], events[i], c->due_ns) - onsim_truth(&o, r.box[i], events[i], now_ns);

		onsim_poke48(&o, r.box[i], counters[i], ((c->high << 32) - to_come) & (P(48) - 1));
	}
}

/* How a reader errs who takes one block for what it is: which counters are off by 2^32? */
static void read_naively(unsigned torn[ALL])
{
	unsigned char bytes[0x38];

	OK(&o, unc_read_block(r.box[0]->space, R_CTR0, bytes, sizeof(bytes)));
	for (unsigned i = 0; i < ALL; i++) {
		uint64_t now = onsim_peek48(&o, r.box[i], counters[i]),
			 value = unc_le64(bytes + (counters[i] - R_CTR0));
		uint64_t behind = (now - value) & (P(48) - 1);

		torn[i] += behind > P(30);
	}
}

/* The carry comes offset ns after the read begins, or before it. */
static void carry_at(int64_t offset_ns, uint64_t high, unsigned torn[ALL])
{
	struct carry c = {.high = high};
	uint64_t begin_ns = unc_machine_raw_ns(o.m) + CALM_NS;

	c.due_ns = begin_ns + (uint64_t)offset_ns;
	aim(&c);
	onrun_read(&r); /* counters were written: what comes now is a new baseline */
	CU_ASSERT_TRUE_FATAL(unc_machine_raw_ns(o.m) < begin_ns - 100000);
	onrun_read_after(&r, begin_ns - unc_machine_raw_ns(o.m));
	for (unsigned i = 0; i < ALL; i++)
		IS_GOOD(&r, i, 20000); /* 25 us of a clock of 800 MHz: where in the read it was */
	/* The same once more, for a reader without guard. */
	begin_ns = unc_machine_raw_ns(o.m) + CALM_NS;
	c.due_ns = begin_ns + (uint64_t)offset_ns;
	aim(&c);
	onsim_step(&o, begin_ns - unc_machine_raw_ns(o.m));
	read_naively(torn);
	onrun_read(&r);
}

/* 14 dwords of 500 ns are the block; what the guard reads again comes behind. */
TEST(a_carry_at_any_dword_of_any_counter_never_shows)
{
	static const uint64_t highs[] = {1, P(16)}; /* from high half 0 to 1, and at the wrap of all 48 bits */
	unsigned torn[ALL] = {0};

	onrun_reopen(&r, &o, "sockets=1", "dword_ns=500");
	all_counters();
	onsim_step(&o, 10 * MS_NS);
	for (unsigned k = 0; k < 2; k++)
		for (int64_t offset_ns = -8000; offset_ns < 24000; offset_ns += 125)
			carry_at(offset_ns, highs[k], torn);
	for (unsigned i = 0; i < ALL; i++)
		CU_ASSERT_TRUE(torn[i] >= 6); /* two carries 125 ns apart within each 500 ns between the halves */
}

/* With dwords of a second, a counter's low half may carry anywhere: then halves are always read one by one. */
TEST(where_reading_takes_too_long_halves_are_always_read_apart)
{
	onrun_reopen(&r, &o, "sockets=1", "dword_ns=1000000000");
	ONRUN(&r, &o, NULL, CH0, "dclk");
	for (unsigned k = 0; k < 40; k++) {
		uint64_t before = r.c[0].total;

		onsim_step(&o, S_NS / 7 * k);
		onsim_trace_clear(&o);
		onrun_read(&r);
		/* High, low, high, until the highs agree; stamped in the middle of the low one, which answers at its begin. */
		CU_ASSERT_TRUE(onsim_trace_count(&o, "r32 0xd0") >= 1);
		CU_ASSERT_EQUAL(onsim_trace_count(&o, "r32 0xd4"), onsim_trace_count(&o, "r32 0xd0") + 1);
		EQ(r.c[0].flags, UNC_COUNT_LATE); /* of such an interval a second is more than 0.2 % */
		EQ(r.c[0].delta, onrun_truth(&r, 0));
		EQ(r.c[0].total - before, r.c[0].delta);
	}
}

/* Another high half each time it is read; arg counts them. */
static void meddle(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	unsigned *n = arg;

	(void)addr;
	if (!write && off == R_CTR(3) + 4)
		onsim_poke(&o, r.box[0], R_CTR(3) + 4, ++*n);
}

TEST(a_high_half_that_never_stands_still_is_no_number)
{
	unsigned n = 0;

	onrun_reopen(&r, &o, "sockets=1", NULL);
	ONRUN(&r, &o, NULL, CH0, "cas_count.rd");
	onsim_poke48(&o, r.box[0], R_CTR(3), P(33) - 1);
	ONSIM_FAIL(&o, .before = meddle, .arg = &n);
	FAILS(&o, UNC_EIO, onrun_try_read(&r), CH0, "CTR[3] at 0xb8", "never stands still");
	IS_FLAGGED(&r, 0, UNC_COUNT_MISSING);
	CU_ASSERT_TRUE(n < 20);
	onsim_work(&o);
}

/* ---- no number ---- */

static void two(const char *own)
{
	onrun_reopen(&r, &o, "sockets=1", own);
	onrun_open(&r, &o, NULL);
	onrun_add(&r, CH0, "cas_count.rd");
	onrun_add(&r, CH0, "cas_count.wr");
	onrun_add(&r, "socket0.imc0.ch3", "cas_count.rd");
	onrun_start(&r);
}

TEST(a_control_that_another_process_wrote_is_stolen)
{
	static const uint32_t theirs[] = {0, R_EN | 0xc04, 0x304};

	for (unsigned i = 0; i < 3; i++) {
		two("dword_ns=0");
		onrun_read_after(&r, 200 * MS_NS);
		onsim_poke(&o, r.box[0], R_CTL(3), theirs[i]);
		FLAGGED_AFTER(&r, 200 * MS_NS, 0, UNC_COUNT_STOLEN);
		EQ(r.c[0].delta, 0);
		IS_GOOD(&r, 1, 0);
		IS_GOOD(&r, 2, 0);
		FLAGGED_AFTER(&r, 200 * MS_NS, 0, UNC_COUNT_STOLEN);
		onsim_poke(&o, r.box[0], R_CTL(3), R_EN | 0x304);    /* given back */
		FLAGGED_AFTER(&r, 200 * MS_NS, 0, UNC_COUNT_STOLEN); /* it was, when this interval began */
		onrun_read_after(&r, 200 * MS_NS);
		for (unsigned k = 0; k < 3; k++)
			IS_GOOD(&r, k, 0);
		EQ(r.c[0].interval_ns, 200 * MS_NS);
	}
}

/* A jump that no hardware makes is looked into at once, not at the next check of 100 ms. */
TEST(a_stolen_control_shows_at_once_where_the_counter_jumps)
{
	two("dword_ns=0");
	onrun_read_after(&r, 200 * MS_NS);
	GOOD_AFTER(&r, MS_NS, 0, 0);
	onsim_poke(&o, r.box[0], R_CTL(3), R_EN | 0xc04);
	onsim_poke48(&o, r.box[0], R_CTR(3), 0);
	FLAGGED_AFTER(&r, MS_NS, 0, UNC_COUNT_STOLEN);
	IS_GOOD(&r, 1, 0);
	IS_GOOD(&r, 2, 0);
	onrun_close(&r);
	HAS(o.notes, "CTL[3] no longer holds");
	EQ(onsim_peek(&o, onsim_box(&o, CH0), R_CTL(3)), R_EN | 0xc04);
}

TEST(a_counter_that_another_process_wrote_is_reset_and_good_again_afterwards)
{
	static const uint64_t values[] = {0, P(47), P(40)};
	static const uint64_t steps[] = {MS_NS, 300 * MS_NS};

	for (unsigned i = 0; i < 6; i++) {
		uint64_t total;

		two("dword_ns=0");
		onrun_read_after(&r, S_NS);
		total = r.c[0].total;
		onsim_poke48(&o, r.box[0], R_CTR(3), values[i / 2]);
		FLAGGED_AFTER(&r, steps[i % 2], 0, UNC_COUNT_RESET);
		EQ(r.c[0].delta, 0);
		EQ(r.c[0].total, total);
		IS_GOOD(&r, 1, 0);
		GOOD_AFTER(&r, steps[i % 2], 0, 0);
		EQ(r.c[0].interval_ns, steps[i % 2]);
		EQ(r.c[0].total, total + r.c[0].delta);
	}
}

/* The data bus carries a CAS in four clocks; the fastest clock of this part is 1200 MHz. */
TEST(a_jump_that_the_data_bus_could_not_carry_is_a_reset)
{
	static const uint64_t steps[] = {10 * MS_NS, 300 * MS_NS};

	for (unsigned i = 0; i < 4; i++) {
		uint64_t most = steps[i % 2] * 1200 / 1000 / 4, value;

		two("dword_ns=0");
		onrun_read_after(&r, S_NS);
		value = onsim_peek48(&o, r.box[0], R_CTR(3));
		onsim_poke48(&o, r.box[0], R_CTR(3), value + (i < 2 ? most / 2 : most * 11 / 10));
		onrun_read_after(&r, steps[i % 2]);
		EQ(r.c[0].flags, i < 2 ? 0 : UNC_COUNT_RESET);
		IS_GOOD(&r, 1, 0);
		GOOD_AFTER(&r, steps[i % 2], 0, 0);
	}
}

TEST(after_too_long_a_time_there_is_a_gap)
{
	/* Half of the shortest wrap: 2^48 at 1.2 GHz are 234562 s, and at most 32 a clock 7330 s. */
	static const struct {
		const char *event;
		uint64_t good_s, gap_s;
	} cases[] = {{"dclk", 117200, 117300}, {"wpq_occupancy", 3660, 3670}};

	for (unsigned i = 0; i < 2; i++) {
		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		ONRUN(&r, &o, NULL, CH0, cases[i].event);
		GOOD_AFTER(&r, cases[i].good_s * S_NS, 0, 0);
		FLAGGED_AFTER(&r, cases[i].gap_s * S_NS, 0, UNC_COUNT_GAP);
		EQ(r.c[0].delta, 0);
		EQ(r.c[0].interval_ns, cases[i].gap_s * S_NS);
		GOOD_AFTER(&r, S_NS, 0, 0);
	}
}

TEST(a_function_that_reads_all_ones_is_missing_until_it_is_back)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_ONES, UNC_FAULT_EIO, UNC_FAULT_ENODEV, UNC_FAULT_EPERM};

	for (unsigned i = 0; i < 4; i++) {
		uint64_t total;

		two("dword_ns=0");
		onrun_read_after(&r, 200 * MS_NS);
		total = r.c[0].total;
		ONSIM_FAIL(&o, .at = 1, .forever = true, .how = hows[i], .only = "0000:ff:10.0");
		for (unsigned k = 0; k < 3; k++) {
			FLAGGED_AFTER(&r, 200 * MS_NS, 0, UNC_COUNT_MISSING);
			IS_FLAGGED(&r, 1, UNC_COUNT_MISSING);
			EQ(r.c[0].delta, 0);
			EQ(r.c[0].interval_ns, 200 * MS_NS);
			IS_GOOD(&r, 2, 0);
		}
		onsim_work(&o);
		FLAGGED_AFTER(&r, 200 * MS_NS, 0,
			      UNC_COUNT_MISSING); /* what it held when this interval began is not known */
		IS_GOOD(&r, 2, 0);
		onrun_read_after(&r, 200 * MS_NS);
		for (unsigned k = 0; k < 3; k++)
			IS_GOOD(&r, k, 0);
		EQ(r.c[0].total, total + r.c[0].delta);
	}
}

TEST(when_no_box_answers_the_read_fails)
{
	two(NULL);
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES);
	FAILS(&o, UNC_ENODEV, onrun_try_read(&r), "0000:ff:10.5", "all ones");
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, onrun_try_read(&r), "socket0.imc0.ch3: pci 0000:ff:10.5: read 0xb8: Input/output error");
	for (unsigned i = 0; i < 3; i++)
		IS_FLAGGED(&r, i, UNC_COUNT_MISSING);
	onsim_work(&o);
}

/* One cycle that was not answered, though the function is there: its vendor id tells. */
TEST(a_single_all_ones_is_no_number_either)
{
	ONRUN(&r, &o, NULL, CH0, "cas_count.rd");
	onrun_read_after(&r, 200 * MS_NS);
	onsim_step(&o, 200 * MS_NS);
	onsim_trace_clear(&o);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_ONES);
	FAILS(&o, UNC_EIO, onrun_try_read(&r), CH0, "CTR[3] at 0xb8", "more than 48 bits");
	SAME(o.trace, "pci 0000:ff:10.0 r32 0x0 0x3cb08086\n");
	IS_FLAGGED(&r, 0, UNC_COUNT_MISSING);
	onsim_work(&o);
	onrun_read_after(&r, 200 * MS_NS);
	GOOD_AFTER(&r, 200 * MS_NS, 0, 0);
}

/* The low half alone, all ones for once where the guard reads it: off by up to 2^32, which in 10 s is plausible. */
TEST(a_low_half_of_all_ones_is_read_again)
{
	for (unsigned at = 2; at <= 20; at++) {
		struct carry c = {.high = 5};

		onrun_reopen(&r, &o, "sockets=1", NULL);
		all_counters();
		c.due_ns = unc_machine_raw_ns(o.m) + 10 * S_NS - 200;
		aim(&c);
		onrun_read(&r);
		onsim_step(&o, c.due_ns + 200 - unc_machine_raw_ns(o.m));
		ONSIM_FAIL(&o, .at = at, .how = UNC_FAULT_ONES);
		CU_ASSERT_TRUE(onrun_try_read(&r) <= 0);
		for (unsigned i = 0; i < ALL; i++)
			if (!r.c[i].flags)
				IS_GOOD(&r, i, 20000);
		onsim_work(&o);
	}
}
