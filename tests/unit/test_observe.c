// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions that only look at what another process, here the second user of onsim.h, has programmed. */
#include "onsim.h"
#include "pmon/event.h"
#include "test.h"

static struct onsim o;
static struct onrun r;

static const struct unc_session_cfg observing = {.observe = true};
static const char box0[] = "socket0.imc0.ch0", box1[] = "socket0.imc0.ch1";

/* What the other hand writes into a control: events of the datasheet, 327043-001 table 2-61. */
enum {
	RD = R_EN | 0x0304,
	WR = R_EN | 0x0c04,
	RD_REG = R_EN | 0x0104,
	ACT = R_EN | 0x0001,
	RD_THRESH = R_EN | 0x01000304,
	RESERVED_BIT = 1 << 20,
};

static void open_one(void)
{
	onsim_open_read_only(&o, "sockets=1", "dword_ns=0");
}

static void poke(const char *box, unsigned slot, uint32_t control)
{
	onsim_poke(&o, onsim_box(&o, box), slot == 4 ? (uint32_t)R_FIXED_CTL : R_CTL(slot), control);
}

/* Another program counts reads in counter 1 of the first channel, and it is observed. */
static void observe_reads(void)
{
	poke(box0, 1, RD);
	ONRUN(&r, &o, &observing, box0, "cas_count.rd");
}

static void end(void)
{
	EQ(onsim_trace_count(&o, " w32 "), 0);
	onrun_close(&r);
	EQ(onsim_trace_count(&o, " w32 "), 0);
	EQ(o.m->journal.n, 0);
	onsim_close(&o);
}

EACH(open_one, end)

TEST(what_another_process_counts_is_the_truth_and_nothing_is_written)
{
	poke(box0, 1, RD);
	poke(box0, 0, WR);
	poke(box1, 3, RD);
	ONRUN_START(&r, &o, &observing, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch1 uncore_imc/event=0x4,umask=0x3/");
	r.event[2] = "cas_count.rd";
	for (unsigned i = 0; i < 3; i++) {
		onrun_read_after(&r, S_NS / 10);
		for (unsigned k = 0; k < r.n; k++) {
			IS_GOOD(&r, k, 2);
			CU_ASSERT_TRUE(r.c[k].delta > 0);
			CU_ASSERT_STRING_EQUAL(r.c[k].unit, "bytes");
		}
	}
	EQ(r.c[0].scale, 64);
	EQ(onsim_peek(&o, onsim_box(&o, box0), R_CTL(1)), RD);
}

TEST(an_event_that_nobody_counts_there_is_unprogrammed)
{
	poke(box0, 1, RD);
	ONRUN_START(&r, &o, &observing, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch1 cas_count.rd");
	GOOD_AFTER(&r, S_NS, 0, 2);
	IS_FLAGGED(&r, 1, UNC_COUNT_UNPROGRAMMED);
	IS_FLAGGED(&r, 2, UNC_COUNT_UNPROGRAMMED);
	EQ(r.c[1].delta, 0);
}

/* With a threshold it counts clocks; with bits that no field names it is unknown what it counts; without enable nothing. */
TEST(a_control_that_selects_something_near_is_not_taken_for_the_event)
{
	static const struct {
		uint32_t control, reads_besides;
	} others[] = {{RD_THRESH, 0},     {RD_REG, 0},   {ACT, 0},     {RD & ~(uint32_t)R_EN, 0},
		      {RD, RESERVED_BIT}, {RD, 1 << 18}, {RD, 1 << 23}};

	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		poke(box0, 2, others[i].control);
		ONSIM_FAIL(&o, .or_off = R_CTL(2), .or_value = others[i].reads_besides);
		ONRUN_OPEN(&r, &o, &observing, "ch0 cas_count.rd");
		FAILS(&o, UNC_ENODEV, unc_session_start(r.s), "no program counts cas_count.rd", "looked at: 1");
		/* That session has not started: a caller that waits for another process to begin starts it again. */
		poke(box0, 0, RD);
		onrun_start(&r);
		GOOD_AFTER(&r, S_NS / 10, 0, 2);
		end();
		open_one();
	}
}

TEST(another_event_in_the_counter_is_changed_and_then_gone)
{
	observe_reads();
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
	onsim_step(&o, S_NS / 20);
	poke(box0, 1, ACT);
	FLAGGED_AFTER(&r, S_NS / 20, 0, UNC_COUNT_CHANGED);
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_UNPROGRAMMED);
	poke(box0, 1, RD);
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_CHANGED);
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
}

TEST(an_event_is_followed_into_another_counter)
{
	observe_reads();
	onrun_read_after(&r, S_NS / 10);
	poke(box0, 1, ACT);
	poke(box0, 3, RD);
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_CHANGED);
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
}

/* Another event for a while, though it is as before when the interval ends. */
TEST(what_changes_while_it_sleeps_is_seen)
{
	observe_reads();
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS / 2));
	poke(box0, 1, ACT);
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS / 5));
	poke(box0, 1, RD);
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS / 5));
	onrun_read(&r);
	IS_FLAGGED(&r, 0, UNC_COUNT_CHANGED);
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS));
	onrun_read(&r);
	IS_GOOD(&r, 0, 2);
}

/* perf switches its counters off and on when it reads them, without another event and without clearing one (its driver for PCI). */
TEST(switched_off_and_on_between_two_looks_is_what_was_counted)
{
	uint64_t before, after;

	observe_reads();
	before = onsim_peek48(&o, r.box[0], R_CTR(1));
	onsim_step(&o, S_NS / 100);
	poke(box0, 1, RD & ~(uint32_t)R_EN);
	onsim_step(&o, S_NS / 100);
	poke(box0, 1, RD);
	onrun_read_after(&r, S_NS / 100);
	after = onsim_peek48(&o, r.box[0], R_CTR(1));
	EQ(r.c[0].flags, 0);
	EQ(r.c[0].delta, after - before);
	/* A look while it is off sees that. */
	poke(box0, 1, RD & ~(uint32_t)R_EN);
	FLAGGED_AFTER(&r, S_NS / 100, 0, UNC_COUNT_CHANGED);
	poke(box0, 1, RD);
	FLAGGED_AFTER(&r, S_NS / 100, 0, UNC_COUNT_CHANGED);
	GOOD_AFTER(&r, S_NS / 100, 0, 2);
}

/* Two looks at the controls and counters of a box, every 100 ms. */
TEST(sleeping_looks_ten_times_a_second)
{
	observe_reads();
	onsim_trace_clear(&o);
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS));
	CU_ASSERT_TRUE(onsim_trace_count(&o, " r") >= 2 * 9);
	CU_ASSERT_TRUE(onsim_trace_count(&o, " r") <= 2 * 10);
}

TEST(a_counter_that_is_cleared_is_reset)
{
	observe_reads();
	onrun_read_after(&r, S_NS);
	onsim_poke48(&o, onsim_box(&o, box0), R_CTR(1), 0);
	FLAGGED_AFTER(&r, S_NS / 100, 0, UNC_COUNT_RESET);
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
}

TEST(a_wrap_of_48_bits_is_no_loss)
{
	poke(box0, 1, RD);
	onsim_poke48(&o, onsim_box(&o, box0), R_CTR(1), (UINT64_C(1) << 48) - 1000);
	ONRUN(&r, &o, &observing, box0, "cas_count.rd");
	GOOD_AFTER(&r, S_NS, 0, 2);
	CU_ASSERT_TRUE(onsim_peek48(&o, onsim_box(&o, box0), R_CTR(1)) < UINT64_C(1) << 40);
}

/* A second later it has these flags, and that event; NULL: none. */
static void first_counter_is(unsigned flags, const char *event)
{
	const char *is;

	onrun_read_after(&r, S_NS);
	EQ(r.c[0].flags, flags);
	is = unc_session_event(r.s, 0);
	SAME(is ? is : "none", event ? event : "none");
}

TEST(a_counter_by_its_number_is_whatever_it_counts)
{
	size_t index;

	poke(box0, 1, RD);
	poke(box0, 4, R_EN);
	onrun_open(&r, &o, &observing);
	for (unsigned i = 0; i < 5; i++)
		OK(&o, unc_session_add_counter(r.s, onsim_box(&o, box0), i, &index));
	FAILS(&o, UNC_ENOREG, unc_session_add_counter(r.s, onsim_box(&o, box0), 5, NULL), box0, "has 5 counters");
	r.n = 5;
	r.box[1] = r.box[4] = onsim_box(&o, box0);
	r.event[1] = "cas_count.rd";
	r.event[4] = "dclk";
	onrun_start(&r);
	SAME(unc_session_event(r.s, 1), "cas_count.rd");
	CU_ASSERT_PTR_NULL(unc_session_event(r.s, 0));
	first_counter_is(UNC_COUNT_UNPROGRAMMED, NULL);
	IS_GOOD(&r, 1, 2);
	IS_GOOD(&r, 4, 2);
	SAME(unc_session_event(r.s, 4), "dclk");
	poke(box0, 0, RD_THRESH);
	first_counter_is(UNC_COUNT_CHANGED, "cas_count.rd:thresh=1");
	first_counter_is(0, "cas_count.rd:thresh=1");
	CU_ASSERT_PTR_NULL(r.c[0].unit);
	EQ(r.c[0].delta, r.c[1].delta); /* it adds one a clock at most */
	poke(box0, 0, 0);
	first_counter_is(UNC_COUNT_CHANGED, "cas_count.rd:thresh=1");
	first_counter_is(UNC_COUNT_UNPROGRAMMED, NULL);
}

/* The fixed counter counts a clock: where it stands still with all others, no traffic is not what that means. */
TEST(a_box_that_is_frozen_is_stopped_where_its_clock_is_counted)
{
	poke(box0, 1, RD);
	poke(box0, 4, R_EN);
	poke(box1, 1, RD);
	ONRUN_START(&r, &o, &observing, "ch0 cas_count.rd", "ch1 cas_count.rd");
	onsim_poke(&o, onsim_box(&o, box0), R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onsim_poke(&o, onsim_box(&o, box1), R_BOX_CTL, R_FRZ_EN | R_FRZ);
	FLAGGED_AFTER(&r, S_NS, 0, UNC_COUNT_STOPPED);
	IS_FLAGGED(&r, 1, UNC_COUNT_UNCONFIRMED); /* that it stands still cannot be known */
	EQ(r.c[1].delta, 0);
	onsim_poke(&o, onsim_box(&o, box0), R_BOX_CTL, 0);
	onsim_poke(&o, onsim_box(&o, box1), R_BOX_CTL, 0);
	GOOD_AFTER(&r, S_NS, 0, 2);
}

/*
 * perf disables a counter and enables it again, with the same control, between two looks: then no box stood still.  What a stop
 * within an interval was cannot be told, except while it lasts.
 */
TEST(a_clock_that_its_owner_paused_accuses_nobody)
{
	poke(box0, 1, RD);
	poke(box0, 4, R_EN);
	ONRUN(&r, &o, &observing, box0, "cas_count.rd");
	for (unsigned k = 0; k < 3; k++)
		GOOD_AFTER(&r, 100 * MS_NS, 0, 2);
	onsim_step(&o, 50 * MS_NS);
	poke(box0, 4, 0);
	onsim_step(&o, 20 * MS_NS);
	poke(box0, 4, R_EN);
	FLAGGED_AFTER(&r, 30 * MS_NS, 0, UNC_COUNT_UNCONFIRMED);
	EQ(onsim_count(o.notes, "stood still"), 0);
	GOOD_AFTER(&r, 100 * MS_NS, 0, 2);
	onsim_step(&o, 50 * MS_NS);
	onsim_poke(&o, onsim_box(&o, box0), R_BOX_CTL, R_FRZ_EN | R_FRZ);
	FLAGGED_AFTER(&r, 50 * MS_NS, 0, UNC_COUNT_UNCONFIRMED);
	FLAGGED_AFTER(&r, 100 * MS_NS, 0, UNC_COUNT_STOPPED);
	EQ(onsim_count(o.notes, "stood still"), 1);
	onsim_poke(&o, onsim_box(&o, box0), R_BOX_CTL, 0);
	GOOD_AFTER(&r, 100 * MS_NS, 0, 2);
}

/* No part known reads back that it is frozen; one that does proves it. */
TEST(a_box_that_reads_as_frozen_is_stopped)
{
	struct unc_box_state state;

	observe_reads();
	onsim_poke(&o, r.box[0], R_BOX_CTL, R_FRZ_EN | R_FRZ);
	ONSIM_FAIL(&o, .or_off = R_BOX_CTL, .or_value = R_FRZ);
	FLAGGED_AFTER(&r, S_NS, 0, UNC_COUNT_STOPPED); /* frozen at some time of it */
	FLAGGED_AFTER(&r, S_NS, 0, UNC_COUNT_STOPPED);
	OK(&o, unc_box_state(r.box[0], &state));
	CU_ASSERT_TRUE(state.frozen);
	onsim_work(&o);
	onsim_poke(&o, r.box[0], R_BOX_CTL, 0);
	FLAGGED_AFTER(&r, S_NS, 0, UNC_COUNT_STOPPED); /* released at some time of it */
	GOOD_AFTER(&r, S_NS, 0, 2);
}

TEST(a_box_that_fails_is_missing_and_comes_back)
{
	poke(box0, 1, RD);
	ONRUN_START(&r, &o, &observing, "ch0 cas_count.rd", "ch1 cas_count.wr"); /* no process counts ch1 */
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, onrun_try_read(&r), "socket0.imc0.ch1");
	IS_FLAGGED(&r, 0, UNC_COUNT_MISSING);
	IS_FLAGGED(&r, 1, UNC_COUNT_MISSING);
	onsim_work(&o);
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_MISSING);
	IS_FLAGGED(&r, 1, UNC_COUNT_UNPROGRAMMED);
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
}

TEST(a_suspended_machine_is_a_gap)
{
	observe_reads();
	onrun_read_after(&r, S_NS / 10);
	CU_ASSERT_FATAL(unc_sim_suspend(o.hand, 5 * S_NS) == 0);
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_GAP | UNC_COUNT_CHANGED); /* the registers were lost */
	FLAGGED_AFTER(&r, S_NS / 10, 0, UNC_COUNT_UNPROGRAMMED);
	poke(box0, 1, RD);
	onrun_read_after(&r, S_NS / 10);
	GOOD_AFTER(&r, S_NS / 10, 0, 2);
}

TEST(it_refuses_what_would_need_a_write)
{
	static const struct unc_session_cfg freezing = {.observe = true, .freeze = true},
					    forcing = {.observe = true, .force = true}, plain = {0};
	struct unc_session *s = NULL;

	FAILS(&o, UNC_EARG, unc_session_open(o.m, &freezing, &s), "observes", "no freeze");
	FAILS(&o, UNC_EARG, unc_session_open(o.m, &forcing, &s), "observes", "no force");
	OK(&o, unc_session_open(o.m, &observing, &s));
	FAILS(&o, UNC_EARG, unc_session_begin_set(s, true), "frozen");
	OK(&o, unc_session_begin_set(s, false));
	OK(&o, unc_session_end_set(s));
	OK(&o, unc_session_close(s));
	OK(&o, unc_session_open(o.m, &plain, &s));
	FAILS(&o, UNC_EARG, unc_session_add_counter(s, onsim_box(&o, box0), 0, NULL), "only observe");
	OK(&o, unc_session_close(s));
}

TEST(controls_are_told_as_events)
{
	static const struct {
		uint32_t control;
		const char *text;
	} cases[] = {
		{RD, "cas_count.rd"},
		{RD & ~(uint32_t)R_EN, "cas_count.rd"},
		{RD_THRESH, "cas_count.rd:thresh=1"},
		{RD_THRESH | 1 << 18, "cas_count.rd:thresh=1:edge"},
		{RD_THRESH | 1 << 23, "cas_count.rd:thresh=1:invert"},
		{R_EN | 0x77ee, "event=0xee,umask=0x77"},
		{R_EN | 0x020077ee, "event=0xee,umask=0x77,thresh=2"},
		{RD | RESERVED_BIT, "config=0x100304"},
	};
	const struct unc_box *box = onsim_box(&o, box0);
	const struct unc_reg *ctl = onsim_reg(onsim_box(&o, box0), "CTL");

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_wanted *same = NULL, what;

		unc_wanted_decode(box, ctl, cases[i].control, &what);
		SAME(what.text, cases[i].text);
		if (cases[i].control & RESERVED_BIT)
			continue;
		/* What is shown can be asked for, and is found. */
		OK(&o, unc_wanted_new(box, what.text, &same));
		CU_ASSERT_TRUE(unc_wanted_is(box, same, ctl, cases[i].control));
		EQ(same->event.max_inc, what.event.max_inc);
		unc_wanted_free(same);
	}
}

TEST(the_state_of_a_box_tells_events)
{
	struct unc_box_state state;

	poke(box0, 1, RD);
	poke(box0, 2, WR & ~(uint32_t)R_EN);
	poke(box0, 4, R_EN);
	OK(&o, unc_box_state(onsim_box(&o, box0), &state));
	SAME(state.slots[0].event, "");
	SAME(state.slots[1].event, "cas_count.rd");
	SAME(state.slots[2].event, "cas_count.wr");
	CU_ASSERT_FALSE(state.slots[2].enabled);
	SAME(state.slots[4].event, "dclk");
	CU_ASSERT_FALSE(state.frozen);
}
