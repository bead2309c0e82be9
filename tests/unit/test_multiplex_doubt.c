// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that take turns where they do not fit, another process uses the box, or it does not answer. */
#include "onmultiplex.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", "dword_ns=0")

/* ---- what does not fit ---- */

static struct unc_event *event_of(const char *name)
{
	const struct unc_unit *unit = onsim_box(&o, BOX)->unit;

	return &o.m->map->units[unit - o.m->map->units].events[unc_unit_event(unit, name) - unit->events];
}

/* From now on only these counters can count cas_count.rd, cas_count.wr and act_count. */
static void are_for_counters(uint32_t counters)
{
	event_of("cas_count.rd")->counters = counters;
	event_of("cas_count.wr")->counters = counters;
	event_of("act_count")->counters = counters;
}

TEST(a_set_that_never_fits_is_refused_before_anything_is_written)
{
	onrun_reopen(&r, &o, "sockets=1", NULL);
	onrun_open(&r, &o, &turns);
	ADD_SET(&r, false, "cas_count.rd", "cas_count.wr", "act_count", "rpq_inserts", "wpq_inserts");
	FAILS(&o, UNC_EARG, unc_session_start(r.s), BOX, "a set of 5 events", "the 4 counters");
	onrun_close(&r);

	onsim_poke(&o, onsim_box(&o, BOX), R_CTL(1), R_EN | 0x304);
	onrun_open(&r, &o, &turns);
	ADD_SET(&r, false, "cas_count.rd", "cas_count.wr", "act_count", "rpq_inserts");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), BOX, "a set of 4 events", "3 are free", "cfg.force");
	onrun_close(&r);
	onsim_poke(&o, onsim_box(&o, BOX), R_CTL(1), 0);

	are_for_counters(0x3);
	onrun_open(&r, &o, &turns);
	ADD(&r, "rpq_inserts");
	ADD_SET(&r, false, "cas_count.rd", "cas_count.wr", "act_count");
	FAILS(&o, UNC_EARG, unc_session_start(r.s), BOX, "act_count is for counters 0,1 alone");
	onrun_close(&r);
	event_of("act_count")->counters = 0;
	onrun_open(&r, &o, &turns);
	onrun_add(&r, BOX, "act_count");
	FAILS(&o, UNC_EARG, unc_session_start(r.s), "no counter of Sandy Bridge-EP can count act_count");
	onrun_close(&r);
	EQ(onsim_trace_count(&o, " w"), 0);
}

/* Each of them alone in its counters: they take turns in these, while others use the rest. */
TEST(events_for_few_counters_share_them)
{
	are_for_counters(0x8);
	ONRUN(&r, &o, &turns, BOX, "cas_count.rd", "cas_count.wr", "act_count", "rpq_inserts");
	read_on(&r, 300 * MS_NS);
	for (unsigned i = 0; i < 4; i++)
		EQ(r.c[i].running_ns, 100 * MS_NS);
}

TEST(without_leave_to_take_turns_it_is_busy)
{
	onrun_reopen(&r, &o, "sockets=1", NULL);
	onrun_open(&r, &o, NULL);
	ADD(&r, eight[0], eight[1], eight[2], eight[3], eight[4]);
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), BOX, "already uses every counter that can count cas_count.rd_reg",
	      "are not multiplexed");
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(sets_are_begun_and_ended)
{
	onrun_reopen(&r, &o, "sockets=1", NULL);
	onrun_open(&r, &o, &turns);
	FAILS(&o, UNC_EARG, unc_session_end_set(r.s), "no set was begun");
	OK(&o, unc_session_begin_set(r.s, false));
	FAILS(&o, UNC_EARG, unc_session_begin_set(r.s, false), "a set within a set");
	onrun_add(&r, BOX, "cas_count.rd");
	FAILS(&o, UNC_EARG, unc_session_start(r.s), "not ended");
	OK(&o, unc_session_end_set(r.s));
	onrun_start(&r);
	FAILS(&o, UNC_EARG, unc_session_begin_set(r.s, false), "started already");
}

/* ---- others ---- */

TEST(everything_is_put_back)
{
	struct onsim_controls before;

	for (unsigned freeze = 0; freeze < 2; freeze++) {
		for (uint64_t slept_ns = 0; slept_ns < 40 * MS_NS; slept_ns += 9 * MS_NS) {
			onrun_reopen(&r, &o, "sockets=1,frz_en=rw", NULL);
			for (unsigned i = 0; i < 4; i++)
				onsim_poke(&o, onsim_box(&o, BOX), R_CTL(i), 0x01000000 * (i + 1) + 0x1234);
			before = onsim_controls(&o);
			begin_some(&o, &r, freeze ? &frozen_turns : &turns, 7);
			sleep_on(&r, slept_ns);
			onrun_close(&r);
			onsim_controls_are(&o, &before, UINT32_MAX);
			SAME(o.notes, "");
		}
	}
}

TEST(a_stolen_control_is_not_written_again)
{
	begin_eight(&o, &r, &turns);
	sleep_on(&r, 15 * MS_NS);
	onsim_poke(&o, r.box[0], R_CTL(3), 0x0104); /* in the second turn */
	read_on(&r, 10 * MS_NS);
	EQ(r.c[4].flags, UNC_COUNT_STOLEN);
	EQ(r.c[5].flags, UNC_COUNT_SCALED);
	for (unsigned k = 0; k < 3; k++) {
		read_on(&r, 50 * MS_NS);
		for (unsigned i = 0; i < 8; i++)
			EQ(r.c[i].flags, i % 4 ? UNC_COUNT_SCALED : UNC_COUNT_STOLEN);
		EQ(onsim_peek(&o, r.box[0], R_CTL(3)), 0x0104);
	}
	onrun_close(&r);
	EQ(onsim_peek(&o, onsim_box(&o, BOX), R_CTL(3)), 0x0104);
	HAS(o.notes, "CTL[3] no longer holds what was written");
}

/* A counter that a turn leaves off looks free: another process takes it, and from then on the box is not stopped any more. */
TEST(who_takes_a_counter_that_was_off_is_not_stopped)
{
	onrun_reopen(&r, &o, "sockets=1,frz_en=rw", "dword_ns=0");
	begin_some(&o, &r, &turns, 5);
	sleep_on(&r, 15 * MS_NS);
	EQ(onsim_peek(&o, r.box[0], R_CTL(0)), 0);
	onsim_poke(&o, r.box[0], R_CTL(0), R_EN | 0x0104);
	sleep_on(&r, 10 * MS_NS); /* now it is seen */
	onrun_read(&r);
	onsim_trace_clear(&o);
	for (unsigned k = 0; k < 3; k++) {
		read_on(&r, 50 * MS_NS);
		EQ(r.c[3].flags, UNC_COUNT_STOLEN);
		for (unsigned i = 0; i < 5; i++)
			if (i != 3)
				EQ(r.c[i].flags, UNC_COUNT_SCALED);
	}
	onrun_close(&r);
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	EQ(onsim_trace_count(&o, "w32 0xd8"), 0);
	EQ(onsim_peek(&o, onsim_box(&o, BOX), R_CTL(0)), R_EN | 0x0104);
}

TEST(where_another_process_counts_turns_change_without_stopping_its_box)
{
	uint64_t origin_ns;

	onsim_poke(&o, onsim_box(&o, BOX), R_CTL(2), R_EN | 0x0c04);
	begin_some(&o, &r, &turns, 6);
	origin_ns = unc_machine_raw_ns(o.m);
	read_on(&r, 95 * MS_NS);
	for (unsigned i = 0; i < 6; i++)
		EQ(r.c[i].delta, truth_of_turns(&r, i, origin_ns, origin_ns, origin_ns + 95 * MS_NS, 2, i / 3));
	onrun_close(&r);
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	EQ(onsim_trace_count(&o, "w32 0xe0"), 0);
	EQ(onsim_peek(&o, onsim_box(&o, BOX), R_CTL(2)), R_EN | 0x0c04);
}

TEST(after_a_suspend_that_lost_the_registers_no_turn_comes)
{
	begin_eight(&o, &r, &turns);
	sleep_on(&r, 25 * MS_NS);
	CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(o.hand, 3600 * S_NS), 0);
	onsim_trace_clear(&o);
	onrun_read(&r);
	for (unsigned i = 0; i < 8; i++)
		EQ(r.c[i].flags & ~(unsigned)UNC_COUNT_NOT_RUN, UNC_COUNT_GAP);
	for (unsigned k = 0; k < 3; k++) {
		read_on(&r, 50 * MS_NS);
		for (unsigned i = 0; i < 8; i++)
			EQ(r.c[i].flags, UNC_COUNT_STOLEN);
	}
	onrun_close(&r);
	EQ(onsim_trace_count(&o, " w32 "), 0);
}

/* Of four controls one: what the others count from then on is in no delta, and in no total. */
TEST(after_a_suspend_that_lost_one_register_totals_stand_still)
{
	uint32_t controls[4];
	uint64_t totals[8];

	begin_eight(&o, &r, &turns);
	sleep_on(&r, 25 * MS_NS);
	for (unsigned i = 0; i < 4; i++)
		controls[i] = onsim_peek(&o, r.box[0], R_CTL(i));
	CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(o.hand, 3600 * S_NS), 0);
	for (unsigned i = 0; i < 3; i++)
		onsim_poke(&o, r.box[0], R_CTL(i), controls[i]);
	onrun_read(&r);
	for (unsigned i = 0; i < 8; i++)
		totals[i] = r.c[i].total;
	for (unsigned k = 0; k < 3; k++) {
		read_on(&r, 50 * MS_NS);
		for (unsigned i = 0; i < 8; i++) {
			EQ(r.c[i].flags, UNC_COUNT_STOLEN);
			EQ(r.c[i].total, totals[i]);
		}
	}
}

/* Lost without a word, a control still selects what the turn before did: no number of that passes for another event's. */
TEST(a_control_that_was_not_written_gives_no_number)
{
	unsigned at;

	for (at = 1; at <= 10; at++) {
		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		begin_eight(&o, &r, &turns);
		ONSIM_FAIL(&o, .at = at, .how = UNC_FAULT_DROP, .writes_only = true);
		sleep_on(&r, 15 * MS_NS);
		EQ(o.fault.done, 1);
		onrun_read(&r);
		onsim_work(&o);
		for (unsigned i = 0; i < 8; i++)
			EQ(r.c[i].flags, UNC_COUNT_SCALED); /* each is written twice */
		onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
		begin_eight(&o, &r, &turns);
		ONSIM_FAIL(&o, .at = at, .forever = true, .how = UNC_FAULT_DROP, .writes_only = true);
		read_on(&r, 15 * MS_NS);
		for (unsigned i = 4; i < 8; i++) {
			/* Slots are written from 0 up, whose events are from 7 down; the freeze was the first write. */
			bool written = 1 + 2 * (7 - i) + 1 < at;

			/* Without the first write the box did not even stop; and the last ones, which release it, are lost. */
			if (at > 1)
				EQ(r.c[i].flags, written ? UNC_COUNT_STOPPED : UNC_COUNT_MISSING);
			if (!written)
				EQ(r.c[i].delta, 0);
		}
		onsim_work(&o);
		onsim_step(&o, 5 * MS_NS);
		onrun_read(&r); /* and the next turn is written again */
		read_on(&r, 60 * MS_NS);
		for (unsigned i = 0; i < 8; i++) {
			EQ(r.c[i].flags, UNC_COUNT_SCALED);
			CU_ASSERT_TRUE(unc_count_value(&r.c[i]) > 0);
		}
		onrun_close(&r);
		CU_ASSERT_PTR_NULL(strstr(o.notes, "another program changed"));
		CU_ASSERT_PTR_NULL(strstr(o.notes, "another program counts"));
		EQ(onsim_peek(&o, onsim_box(&o, BOX), R_CTL(3)), 0);
	}
}

/* It is said of each register that it could not be put back, though it holds neither of the last two values handed over. */
/* Whose turn it was not is missing too: it is unknown what happened meanwhile, and what ran before is no count for it. */
TEST(while_the_box_does_not_answer_every_event_is_missing)
{
	begin_eight(&o, &r, &turns);
	for (unsigned k = 0; k < 6; k++) {
		if (k == 1)
			sleep_on(&r, 40 * MS_NS);
		if (k == 1)
			ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES, .only = "0000:ff:10.0");
		if (k == 3)
			onsim_work(&o);
		sleep_on(&r, 60 * MS_NS);
		onrun_try_read(&r);
		for (unsigned i = 0; i < 8; i++)
			if (k != 3) /* then the first reading is a baseline again, of the turn whose it is */
				EQ(r.c[i].flags, k == 1 || k == 2 ? UNC_COUNT_MISSING : UNC_COUNT_SCALED);
	}
}

TEST(what_cannot_be_put_back_is_named_in_any_turn)
{
	static const char *const four[] = {"rpq_cycles_ne", "wpq_cycles_ne", "rpq_cycles_full", "wpq_cycles_full"};

	for (unsigned turn = 1; turn <= 4; turn++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		onrun_open(&r, &o, &turns);
		for (unsigned i = 0; i < 12; i++)
			onrun_add(&r, BOX, i < 8 ? eight[i] : four[i - 8]);
		onrun_start(&r);
		sleep_on(&r, (turn - 1) * TURN_NS + 5 * MS_NS);
		ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .writes_only = true);
		sleep_on(&r, turn * TURN_NS);
		FAILS(&o, UNC_EIO, onrun_try_close(&r), BOX, "CTL[3], CTL[2], CTL[1], CTL[0]");
		CU_ASSERT_PTR_NULL(strstr(o.notes, "left alone"));
		onsim_work(&o);
	}
}
