// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"

#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

static struct unc_box *ch0(void)
{
	return onsim_box(&o, "socket0.imc0.ch0");
}

static const struct unc_session_cfg forced = {.force = true}, freezing = {.freeze = true};

/* What CTL[0] to CTL[3] of the first channel hold. */
static void has_ctls(uint32_t ctl0, uint32_t ctl1, uint32_t ctl2, uint32_t ctl3)
{
	onsim_has_ctls(&o, ch0(), ctl0, ctl1, ctl2, ctl3);
}

/* ---- which counter ---- */

TEST(the_highest_free_counter_is_taken_first)
{
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch0 wpq_inserts");
	has_ctls(R_EN | 0x0020, R_EN | 0x0001, R_EN | 0x0c04, R_EN | 0x0304);
	CU_ASSERT_EQUAL(onsim_peek(&o, r.box[0], R_FIXED_CTL), R_EN); /* the box's clock */
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_FIXED_CTL), 0);
}

/* perf leaves its last configuration behind, without enable. */
TEST(a_control_that_is_not_zero_but_not_enabled_is_free)
{
	onsim_poke(&o, ch0(), R_CTL(3), 0x01040c04);
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	CU_ASSERT_EQUAL(onsim_peek(&o, ch0(), R_CTL(3)), R_EN | 0x0304);
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_CTL(3)), 0x01040c04);
}

TEST(what_another_process_enabled_is_not_taken)
{
	onsim_poke(&o, ch0(), R_CTL(3), R_EN);
	onsim_poke(&o, ch0(), R_CTL(1), R_EN | 0x0c04);
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd", "ch0 cas_count.wr");
	has_ctls(R_EN | 0x0c04, R_EN | 0x0c04, R_EN | 0x0304, R_EN);
	onrun_close(&r);
	has_ctls(0, R_EN | 0x0c04, 0, R_EN);
}

TEST(with_no_free_counter_nothing_is_written_anywhere)
{
	struct onsim_controls before;
	struct unc_box *box;

	onrun_reopen(&r, &o, "sockets=2", NULL);
	box = onsim_box(&o, "socket1.imc0.ch3");
	for (unsigned i = 0; i < 4; i++)
		onsim_poke(&o, box, R_CTL(i), R_EN | 0x0100 * i | 4);
	before = onsim_controls(&o);
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd", "socket1.imc0.ch3 cas_count.rd");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "socket1.imc0.ch3 (0000:ff:10.5)", "cas_count.rd",
	      "CTL[3] at 0xe4", "0x00400304", "cfg.force");
	EQ(onsim_trace_count(&o, " w"), 0);
	onsim_controls_are(&o, &before, UINT32_MAX);
	FAILS(&o, UNC_EARG, onrun_try_read(&r), "started");
}

TEST(the_fixed_counter_has_no_stand_in)
{
	onsim_poke(&o, ch0(), R_FIXED_CTL, R_EN);
	ONRUN_OPEN(&r, &o, NULL, "ch0 dclk");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "dclk", "FIXED_CTL", "0xf0", "0x00400000");
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(a_session_can_use_up_its_own_counters)
{
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch0 rpq_inserts",
		   "ch0 wpq_inserts");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "socket0.imc0.ch0", "already uses every counter");
	EQ(onsim_trace_count(&o, " w"), 0);
}

/* On other parts some events are for some counters only. */
TEST(an_event_takes_only_a_counter_that_can_count_it)
{
	struct unc_event *event = &o.m->map->units[ch0()->unit - o.m->map->units]
					   .events[unc_unit_event(ch0()->unit, "cas_count.rd") - ch0()->unit->events];
	event->counters = 0x5;
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd", "ch0 cas_count.wr");
	has_ctls(0, 0, R_EN | 0x0304, R_EN | 0x0c04);
	onrun_close(&r);
	onsim_poke(&o, ch0(), R_CTL(0), R_EN);
	onsim_poke(&o, ch0(), R_CTL(2), R_EN);
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "CTL[2] at 0xe0");
}

TEST(what_was_busy_can_be_tried_again)
{
	onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
	for (unsigned i = 0; i < 4; i++)
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch1"), R_CTL(i), R_EN);
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd", "ch1 cas_count.rd");
	CU_ASSERT_EQUAL(unc_session_start(r.s), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_session_start(r.s), UNC_EBUSY);
	onsim_poke(&o, r.box[1], R_CTL(2), 0);
	onrun_start(&r);
	has_ctls(0, 0, 0, R_EN | 0x0304);
	EQ(onsim_peek(&o, r.box[1], R_CTL(2)), R_EN | 0x0304);
	onrun_read_after(&r, MS_NS);
	IS_GOOD(&r, 0, 0);
	IS_GOOD(&r, 1, 0);
}

/* ---- others ---- */

TEST(force_takes_one_counter_and_gives_its_control_back)
{
	struct onsim_controls before;
	struct unc_box *box;

	onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
	box = onsim_box(&o, "socket0.imc0.ch1");
	for (unsigned i = 0; i < 4; i++)
		onsim_poke(&o, box, R_CTL(i), R_EN | 0x0100 << i | 4);
	before = onsim_controls(&o);
	ONRUN_START(&r, &o, &forced, "ch1 cas_count.all");
	EQ(onsim_peek(&o, box, R_CTL(3)), R_EN | 0x0f04);
	onrun_read_after(&r, 500 * MS_NS);
	IS_GOOD(&r, 0, 0);
	onrun_close(&r);
	onsim_controls_are(&o, &before, UINT32_MAX);
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	EQ(onsim_trace_count(&o, "w32 0xe4"), 3);
	EQ(onsim_trace_count(&o, "w32 0xf0"), 2); /* the fixed counter was free, and is the box's clock */
	EQ(onsim_trace_count(&o, " w"), 3 + 2);
}

TEST(force_prefers_what_is_free)
{
	for (unsigned i = 1; i < 4; i++)
		onsim_poke(&o, ch0(), R_CTL(i), R_EN);
	ONRUN_START(&r, &o, &forced, "ch0 cas_count.rd", "ch0 cas_count.wr");
	has_ctls(R_EN | 0x0304, R_EN, R_EN, R_EN | 0x0c04);
}

TEST(freezing_is_refused_where_another_process_counts)
{
	onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch1"), R_FIXED_CTL, R_EN);
	ONRUN_OPEN(&r, &o, &freezing, "ch0 cas_count.rd", "ch1 cas_count.rd");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "socket0.imc0.ch1 (0000:ff:10.1)", "freez", "sets in braces");
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(frozen_reads_are_of_one_instant)
{
	onrun_reopen(&r, &o, "sockets=1", "dword_ns=2000");
	ONRUN_START(&r, &o, &freezing, "ch0 clockticks", "ch0 clockticks", "ch0 clockticks", "ch0 clockticks",
		    "ch0 dclk");
	for (unsigned k = 0; k < 20; k++) {
		uint64_t least = UINT64_MAX, most = 0;

		onsim_step(&o, 7 * MS_NS);
		onsim_trace_clear(&o);
		onrun_read(&r);
		for (unsigned i = 0; i < 5; i++) {
			/* The interval begins where the box was released, and ends in the middle of the read: 14 dwords
			 * of 2 us, before which it was frozen. */
			IS_GOOD(&r, i, k ? 15000 : 100000);
			least = r.c[i].total < least ? r.c[i].total : least;
			most = r.c[i].total > most ? r.c[i].total : most;
		}
		/* Released between two reads of the start, they may differ by one tick of 1.25 ns. */
		if (k == 0)
			CU_ASSERT_TRUE(most - least < 100000);
		for (unsigned i = 1; k > 0 && i < 5; i++)
			EQ(r.c[i].delta, r.c[0].delta);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010100"), 1);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 1);
		EQ(onsim_box_ctl(&o, r.box[0]), R_FRZ_EN);
	}
}

TEST(when_another_process_begins_to_count_freezing_ends)
{
	onrun_reopen(&r, &o, "sockets=1,frz_en=rw", NULL);
	ONRUN_START(&r, &o, &freezing, "ch0 cas_count.rd");
	onrun_read_after(&r, 200 * MS_NS);
	onsim_poke(&o, r.box[0], R_CTL(0), R_EN);
	onrun_read_after(&r, 200 * MS_NS); /* now it is seen */
	onsim_trace_clear(&o);
	for (unsigned k = 0; k < 3; k++) {
		onrun_read_after(&r, 200 * MS_NS);
		IS_GOOD(&r, 0, 3000);
	}
	onrun_close(&r);
	/* Not at the end either: putting BOX_CTL back would take the other process's freeze enable away. */
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	EQ(onsim_count(o.notes, "is read without freezing from now on"), 1);
	HAS(o.notes, "BOX_CTL stays as it is");
	EQ(onsim_box_ctl(&o, ch0()), R_FRZ_EN);
}

TEST(a_control_that_another_process_has_by_now_is_left_alone)
{
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd", "ch0 cas_count.wr");
	onsim_poke(&o, r.box[0], R_CTL(3), R_EN | 0x0001);
	onsim_trace_clear(&o);
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_CTL(3)), R_EN | 0x0001);
	EQ(onsim_peek(&o, ch0(), R_CTL(2)), 0);
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	HAS(o.notes, "CTL[3] no longer holds what was written");
}

TEST(two_sessions_share_a_box)
{
	struct onrun a, b;

	onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
	ONRUN_START(&a, &o, NULL, "ch0 cas_count.rd");
	ONRUN_OPEN(&b, &o, NULL, "ch0 cas_count.wr");
	onsim_step(&o, MS_NS);
	onsim_trace_clear(&o);
	onrun_start(&b);
	EQ(onsim_trace_count(&o, "w32 0xf4"), 0);
	onrun_read_after(&a, MS_NS);
	onrun_read(&b);
	IS_GOOD(&a, 0, 0);
	IS_GOOD(&b, 0, 0);
	onrun_close(&a);
	EQ(onsim_peek(&o, b.box[0], R_CTL(3)), 0);
	onrun_read_after(&b, MS_NS);
	IS_GOOD(&b, 0, 0);
	onrun_close(&b);
	EQ(onsim_peek(&o, ch0(), R_CTL(2)), 0);
}

/* ---- sleeping ---- */

static const char busy[] =
	"format: uncorectl-load/1\n"
	"channels:\n"
	"  socket0.imc0.ch0:\n"
	"    events:\n"
	"      wpq_occupancy: 25.6e9\n"; /* 32 each DCLK: the fastest a counter of this part can run */

TEST(counters_are_read_in_between_where_they_could_wrap_unseen)
{
	uint64_t mono_ns, start_ns;

	onrun_reopen(&r, &o, test_text("sockets=1,load=%s", onsim_file(busy)), "dword_ns=0");
	ONRUN_START(&r, &o, NULL, "ch0 wpq_occupancy");
	start_ns = unc_machine_raw_ns(o.m);
	mono_ns = unc_machine_mono_ns(o.m) + 36000 * S_NS;
	onsim_trace_clear(&o);
	OK(&o, unc_session_sleep_until(r.s, mono_ns));
	EQ(unc_machine_mono_ns(o.m), mono_ns);
	/* 2^48 / 32 / 1.2 GHz = 7330 s; a quarter of it is 1832 s: 19 times in ten hours. */
	EQ(onsim_trace_count(&o, "rblk 0xb8"), 19);
	onrun_read(&r);
	IS_GOOD(&r, 0, 0);
	EQ(r.c[0].interval_ns, 36000 * S_NS);
	CU_ASSERT_TRUE(r.c[0].delta > UINT64_C(3) << 48); /* it did wrap */
	EQ(r.c[0].delta, onsim_truth(&o, r.box[0], "wpq_occupancy", start_ns + 36000 * S_NS) -
				 onsim_truth(&o, r.box[0], "wpq_occupancy", start_ns));
}

/* A session first looks at the clock of each box every 10 ms, until two of these looks give the same rate; a look is two reads. */
enum { LEARNING_NS = 100 * 1000 * 1000, LOOKS = 2 };

TEST(a_short_sleep_reads_no_counter)
{
	uint64_t mono_ns;

	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	onsim_trace_clear(&o);
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + LEARNING_NS));
	EQ(onsim_trace_count(&o, "rblk 0xd0 "), LOOKS);
	EQ(onsim_trace_count(&o, "\n"), 2 * LOOKS);
	onsim_trace_clear(&o);
	mono_ns = unc_machine_mono_ns(o.m) + 3600 * S_NS;
	OK(&o, unc_session_sleep_until(r.s, mono_ns));
	EQ(unc_machine_mono_ns(o.m), mono_ns);
	OK(&o, unc_session_sleep_until(r.s, mono_ns - S_NS)); /* long past */
	OK(&o, unc_session_sleep_until(r.s, 0));
	EQ(unc_machine_mono_ns(o.m), mono_ns);
	EQ(onsim_trace_count(&o, "\n"), 0);
}

TEST(what_fails_while_sleeping_shows_in_the_next_read)
{
	ONRUN_START(&r, &o, NULL, "ch0 wpq_occupancy", "ch1 wpq_occupancy");
	ONSIM_FAIL(&o, .at = 2 * LOOKS + 1, .how = UNC_FAULT_EIO, .only = "0000:ff:10.0");
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + 9000 * S_NS));
	EQ(o.fault.done, 1);
	HAS(o.notes, "socket0.imc0.ch0: pci 0000:ff:10.0: read 0xb8: Input/output error");
	onrun_read(&r);
	IS_FLAGGED(&r, 0, UNC_COUNT_MISSING);
	IS_GOOD(&r, 1, 100000);
	EQ(r.c[0].total, 0);
	onrun_read_after(&r, S_NS);
	IS_GOOD(&r, 0, 100000);
	EQ(r.c[0].total, r.c[0].delta);
	onsim_work(&o);
}

/* It only was to learn how fast the clock ticks, and the others tell; no count was due. */
TEST(a_first_look_that_fails_harms_no_count)
{
	for (unsigned at = 1; at <= LOOKS; at++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		ONRUN_START(&r, &o, NULL, "ch0 wpq_occupancy");
		ONSIM_FAIL(&o, .at = at, .how = UNC_FAULT_EIO, .only = "0000:ff:10.0");
		OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS));
		EQ(o.fault.done, 1);
		onsim_work(&o);
		onrun_read(&r);
		IS_GOOD(&r, 0, 100000);
		onrun_close(&r);
	}
}

TEST(a_wake_up_ends_the_sleep)
{
	struct onplain plain;
	uint64_t now_ns;

	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + S_NS));
	onsim_wake(&o);
	now_ns = unc_machine_mono_ns(o.m);
	CU_ASSERT_EQUAL(unc_session_sleep_until(r.s, now_ns + S_NS), UNC_EAGAIN);
	CU_ASSERT_EQUAL(unc_session_sleep_until(r.s, UINT64_MAX), UNC_EAGAIN);
	EQ(unc_machine_mono_ns(o.m), now_ns);
	/* It is the caller's, in what a machine is opened with. */
	onplain_open_cfg(&plain, &(struct unc_machine_cfg){.machine = "sim:snbep,clock=step", .wake_fd = o.wake[0]});
	now_ns = unc_machine_mono_ns(plain.m);
	EQ(plain.m->host->ops->sleep_until(plain.m->host, now_ns + S_NS), UNC_EAGAIN);
	onplain_close(&plain);
}

/* ---- wrong questions ---- */

TEST(adding_says_what_is_wrong)
{
	struct unc_session *s = NULL;
	size_t index = 77;

	onrun_reopen(&r, &o, "sockets=2", "hide=7f:10.0,allones=7f:10.1");
	OK(&o, unc_session_open(o.m, &forced, &s));
	FAILS(&o, UNC_ENOREG, unc_session_add(s, onsim_box(&o, "socket0.imc0.ch2"), "cas_count.read", &index),
	      "socket0.imc0.ch2", "Sandy Bridge-EP has no imc event \"cas_count.read\"", "the nearest is cas_count.rd;",
	      "`uncorectl events`");
	FAILS(&o, UNC_ENODEV, unc_session_add(s, ch0(), "cas_count.rd", &index), "other sockets have it");
	FAILS(&o, UNC_ENODEV, unc_session_add(s, onsim_box(&o, "socket0.imc0.ch1"), "cas_count.rd", &index),
	      "all ones");
	EQ(index, 77);
	FAILS(&o, UNC_EARG, unc_session_start(s), "at least one event");
	OK(&o, unc_session_close(s));
	OK(&o,
	   onsim_find_boxes_again(
		   &o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM, .only = "0000:ff:10.0"}));
	OK(&o, unc_session_open(o.m, &forced, &s));
	FAILS(&o, UNC_EPERM, unc_session_add(s, onsim_box(&o, "socket1.imc0.ch0"), "cas_count.rd", &index),
	      "made to fail");
	EQ(onsim_trace_count(&o, " w"), 0);
	OK(&o, unc_session_close(s));
	onsim_work(&o);
}

TEST(a_session_starts_once_and_gives_one_count_per_event)
{
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd");
	FAILS(&o, UNC_EARG, onrun_try_read(&r), "started");
	onrun_start(&r);
	FAILS(&o, UNC_EARG, unc_session_start(r.s), "once");
	FAILS(&o, UNC_EARG, unc_session_add(r.s, r.box[0], "cas_count.wr", NULL), "started already");
	FAILS(&o, UNC_EARG, unc_session_read(r.s, r.c, 2), "one count per event");
	FAILS(&o, UNC_EARG, unc_session_read(r.s, r.c, 0), "one count per event");
	onrun_read(&r);
	onrun_close(&r);
	CU_ASSERT_EQUAL(unc_session_close(NULL), 0);
}

TEST(a_machine_opened_for_reading_is_not_programmed)
{
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd");
	FAILS(&o, UNC_EDENIED, unc_session_start(r.s), "socket0.imc0.ch0", "read-only");
	EQ(onsim_trace_count(&o, " w"), 0);
}
