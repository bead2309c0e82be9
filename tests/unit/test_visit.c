// SPDX-License-Identifier: GPL-2.0-or-later
/* A box that is frozen for reading: what it costs, and how a release that is lost shows. */
#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

static struct unc_box *ch0(void)
{
	return onsim_box(&o, "socket0.imc0.ch0");
}

static const struct unc_session_cfg freezing = {.freeze = true}, later = {.confirm_later = true};

#define BOX "socket0.imc0.ch0"

static void begin_frozen(const char *common, const char *own)
{
	onrun_reopen(&r, &o, common, own);
	ONRUN_START(&r, &o, &freezing, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch0 rpq_inserts");
}

static void sample(void)
{
	onsim_step(&o, 20 * MS_NS);
	onsim_trace_clear(&o);
	onrun_read(&r);
}

TEST(a_sample_is_freeze_one_read_and_release)
{
	unsigned with_controls = 0;

	begin_frozen("sockets=1", NULL);
	for (unsigned k = 0; k < 100; k++) {
		sample();
		EQ(onsim_trace_count(&o, "\n"), 3);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010100"), 1);
		EQ(onsim_trace_count(&o, "rblk 0xa0 "), 1); /* CTR[0] to FIXED_CTR */
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 1);
		/* To FIXED_CTL, since this session confirms each read: 0xf4 - 0xa0 bytes, and not to 0xd8. */
		with_controls += strcspn(strstr(o.trace, "0xa0 ") + 5, "\n") == 2 * (0xf4 - 0xa0);
		for (unsigned i = 0; i < 4; i++)
			IS_GOOD(&r, i, 3000);
	}
	EQ(with_controls, 100);
}

TEST(the_witness_is_the_fixed_counter_and_is_put_back)
{
	begin_frozen("sockets=1", NULL);
	EQ(onsim_peek(&o, r.box[0], R_FIXED_CTL), R_EN);
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_FIXED_CTL), 0);
	ONRUN_START(&r, &o, &freezing, "ch0 dclk", "ch0 cas_count.rd");
	sample();
	EQ(onsim_trace_count(&o, "\n"), 3);
	IS_GOOD(&r, 0, 3000);
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_FIXED_CTL), 0);
}

/* Every 100 ms one read of clock and controls, from FIXED_CTR to BOX_CTL, and one of the clock alone: does it tick? */
TEST(without_freezing_a_sample_is_one_read_of_the_counters)
{
	ONRUN_START(&r, &o, &later, "ch0 cas_count.rd");
	EQ(onsim_peek(&o, r.box[0], R_FIXED_CTL), R_EN);
	for (unsigned k = 1; k <= 10; k++) {
		sample();
		EQ(onsim_trace_count(&o, "\n"), k % 5 ? 1 : 3);
		EQ(onsim_trace_count(&o, "rblk 0xb8 "), 1);
		EQ(strcspn(strstr(o.trace, "0xb8 ") + 5, "\n"), 16);
		EQ(onsim_trace_count(&o, "rblk 0xd0 "), k % 5 ? 0 : 1);
		EQ(r.c[0].flags, k % 5 ? UNC_COUNT_PENDING : 0);
	}
}

enum { N_PENDING = 4 };

/* Reads that often, 20 ms each, and does that after the second. */
static void read_pending(void (*between)(void), struct unc_count *ret_counts)
{
	for (unsigned k = 0; k < N_PENDING; k++) {
		onsim_step(&o, 20 * MS_NS);
		OK(&o, unc_session_read(r.s, &ret_counts[k], 1));
		EQ(ret_counts[k].flags, UNC_COUNT_PENDING);
		CU_ASSERT_TRUE(ret_counts[k].delta > 0);
		if (k == 1 && between)
			between();
	}
	OK(&o, unc_session_confirm(r.s, ret_counts, N_PENDING));
}

static void steal(void)
{
	onsim_poke(&o, r.box[0], R_CTL3, R_EN | 0x0f04);
}

TEST(counts_that_wait_are_confirmed_or_none_of_them_is)
{
	struct unc_count counts[N_PENDING];
	uint64_t total = 0;

	ONRUN_START(&r, &o, &later, "ch0 cas_count.rd");
	read_pending(NULL, counts);
	for (unsigned k = 0; k < N_PENDING; k++) {
		EQ(counts[k].flags, 0);
		total += counts[k].delta;
		EQ(counts[k].total, total);
	}
	read_pending(steal, counts);
	for (unsigned k = 0; k < N_PENDING; k++) {
		EQ(counts[k].flags, UNC_COUNT_STOLEN);
		EQ(counts[k].delta, 0);
		EQ(counts[k].total, total);
	}
}

static void freeze_box(void)
{
	onsim_poke(&o, r.box[0], R_BOX_CTL, R_FRZ_EN | R_FRZ);
}

/* The row in which the stop begins, those in it, and the row in which it ends. */
TEST(a_box_that_stood_still_for_a_part_has_no_number)
{
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	sample();
	IS_GOOD(&r, 0, 3000);
	onsim_step(&o, 19 * MS_NS);
	freeze_box();
	onrun_read_after(&r, MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOPPED);
	HAS(o.notes, BOX ": stood still: the clock did not tick");
	sample();
	IS_FLAGGED(&r, 0, UNC_COUNT_STOPPED);
	onsim_step(&o, 4 * MS_NS);
	onsim_poke(&o, r.box[0], R_BOX_CTL, R_FRZ_EN);
	onrun_read_after(&r, 16 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOPPED);
	sample();
	IS_GOOD(&r, 0, 3000);
	EQ(onsim_count(o.notes, "stood still"), 1);
}

/* The fixed counter is another program's, and stands still: the clock event in a spare counter tells. */
TEST(without_the_fixed_counter_a_spare_one_is_the_clock)
{
	onrun_reopen(&r, &o, "sockets=1,empty=socket0.imc0.ch0", NULL);
	onsim_poke(&o, ch0(), R_FIXED_CTL, R_EN);
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	EQ(onsim_peek(&o, r.box[0], R_CTL(2)), R_EN);
	sample();
	EQ(r.c[0].flags, 0);
	EQ(r.c[0].delta, 0); /* no traffic, and the clock ticked */
	freeze_box();
	sample();
	IS_FLAGGED(&r, 0, UNC_COUNT_STOPPED);
	onrun_close(&r);
	EQ(onsim_peek(&o, ch0(), R_CTL(2)), 0);
}

/* The clock event counts nothing: a 0 has no proof, and other counts need none. */
TEST(a_zero_without_a_clock_is_unconfirmed)
{
	onrun_reopen(&r, &o, "sockets=1,clock_event=dead", NULL);
	onsim_poke(&o, ch0(), R_FIXED_CTL, R_EN);
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd");
	sample();
	IS_GOOD(&r, 0, 3000);
	freeze_box();
	sample();
	sample();
	IS_FLAGGED(&r, 0, UNC_COUNT_UNCONFIRMED);
}

/* A box that is frozen because of one set alone is so for all. */
/* Each of the rows that wait for a look is judged by itself: that one of them has counts says nothing of the next. */
TEST(traffic_proves_its_own_row_only)
{
	struct unc_count counts[N_PENDING];

	onrun_reopen(&r, &o, "sockets=1,clock_event=dead", NULL);
	onsim_poke(&o, ch0(), R_FIXED_CTL, R_EN);
	ONRUN_START(&r, &o, &later, "ch0 cas_count.rd");
	for (unsigned k = 0; k < N_PENDING; k++) {
		if (k == 2)
			freeze_box();
		onsim_step(&o, 20 * MS_NS);
		OK(&o, unc_session_read(r.s, &counts[k], 1));
		EQ(counts[k].flags, UNC_COUNT_PENDING);
	}
	OK(&o, unc_session_confirm(r.s, counts, N_PENDING));
	for (unsigned k = 0; k < N_PENDING; k++)
		EQ(counts[k].flags,
		   k < 3 ? 0 : UNC_COUNT_UNCONFIRMED); /* the freeze takes some time, in which row 2 counts */
}

TEST(a_set_can_ask_for_it)
{
	onrun_open(&r, &o, NULL);
	OK(&o, unc_session_begin_set(r.s, true));
	onrun_add(&r, BOX, "clockticks");
	onrun_add(&r, BOX, "clockticks");
	OK(&o, unc_session_end_set(r.s));
	onrun_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	onrun_start(&r);
	sample();
	for (unsigned k = 0; k < 3; k++) {
		sample();
		EQ(r.c[0].delta, r.c[1].delta);
		EQ(onsim_trace_count(&o, "10.0 "), 3);
		EQ(onsim_trace_count(&o, "10.1 "), 3); /* counters, and the look */
		IS_GOOD(&r, 2, 3000);
	}
}

/* ---- lost ---- */

TEST(a_release_that_is_lost_is_seen_at_the_next_read)
{
	begin_frozen("sockets=1", NULL);
	sample();
	ONSIM_FAIL(&o, .at = 2, .how = UNC_FAULT_DROP, .writes_only = true);
	sample(); /* this one is good, and the box stands still afterwards */
	EQ(o.fault.done, 1);
	EQ(o.fault.done_off, R_BOX_CTL);
	for (unsigned i = 0; i < 4; i++)
		IS_GOOD(&r, i, 3000);
	onsim_work(&o);
	sample();
	for (unsigned i = 0; i < 4; i++) {
		EQ(r.c[i].flags, UNC_COUNT_STOPPED);
		EQ(r.c[i].delta, 0);
	}
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2);
	for (unsigned k = 0; k < 3; k++) {
		sample();
		EQ(onsim_trace_count(&o, "\n"), 3);
		for (unsigned i = 0; i < 4; i++)
			IS_GOOD(&r, i, 3000);
	}
}

/* The simulator loses the write by itself, as a bus would: no fault is near our code. */
TEST(whichever_write_is_lost_no_number_is_wrong)
{
	for (unsigned at = 1; at < 40; at++) {
		char own[40];
		int rc;

		snprintf(own, sizeof(own), "lose=%u", at);
		onrun_reopen(&r, &o, "sockets=1", own);
		ONRUN_OPEN(&r, &o, &freezing, "ch0 cas_count.rd", "ch0 cas_count.wr");
		rc = unc_session_start(r.s);
		for (unsigned k = 0; k < 12 && rc == 0; k++) {
			onrun_read_after(&r, 20 * MS_NS);
			for (unsigned i = 0; i < 2; i++) {
				if (r.c[i].flags)
					EQ(r.c[i].flags, UNC_COUNT_STOPPED);
				else
					IS_GOOD(&r, i, 3000);
			}
		}
		onrun_close(&r);
		EQ(onsim_peek(&o, ch0(), R_CTL(3)), 0);
		EQ(onsim_peek(&o, ch0(), R_FIXED_CTL), 0);
	}
}

/* Another process froze the box, or the whole socket: the counters hold, and what they did not count is no zero. */
TEST(a_box_that_another_process_froze_is_stopped_not_idle)
{
	begin_frozen("sockets=1", "dword_ns=0");
	sample();
	onsim_poke(&o, r.box[0], R_BOX_CTL, R_FRZ_EN | R_FRZ);
	sample();
	EQ(r.c[0].flags, UNC_COUNT_STOPPED);
	sample(); /* it was released again with that */
	IS_GOOD(&r, 0, 0);
}

TEST(a_witness_that_another_process_switched_off_says_nothing)
{
	begin_frozen("sockets=1", NULL);
	sample();
	onsim_poke(&o, r.box[0], R_FIXED_CTL, 0);
	sample();
	EQ(r.c[0].flags, UNC_COUNT_UNCONFIRMED); /* until when did the box run? */
	for (unsigned k = 0; k < 8; k++) {
		sample();
		IS_GOOD(&r, 0, 3000);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2); /* if one were lost, nothing would show it */
	}
}

/* No clock has ticked yet: that is no proof of anything. */
TEST(reads_in_quick_succession_are_no_standstill)
{
	begin_frozen("sockets=1", "dword_ns=0");
	onrun_read_after(&r, MS_NS);
	for (uint64_t ns = 0; ns < 3000; ns += 50) {
		onrun_read_after(&r, ns);
		EQ(r.c[0].flags & ~(unsigned)UNC_COUNT_LATE, 0);
		EQ(r.c[0].delta, onrun_truth(&r, 0));
	}
}
