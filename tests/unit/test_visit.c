// SPDX-License-Identifier: GPL-2.0-or-later
/* A box that is frozen for reading: what it costs, and how a release that is lost shows. */
#include "onsim.h"

void test_visit_suite(void);

static const struct unc_session_cfg freezing = {.freeze = true};

#define BOX "socket0.imc0.ch0"

static void begin(struct onsim *o, struct onrun *r, const char *common, const char *own)
{
	static const char *const events[] = {"cas_count.rd", "cas_count.wr", "act_count", "rpq_inserts"};

	onsim_open(o, common, own);
	onrun_open(r, o, &freezing);
	for (unsigned i = 0; i < 4; i++)
		onrun_add(r, BOX, events[i]);
	onrun_start(r);
}

static void sample(struct onsim *o, struct onrun *r)
{
	onsim_step(o, 20 * MS_NS);
	onsim_trace_clear(o);
	onrun_read(r);
}

static void a_sample_is_freeze_one_read_and_release(void)
{
	struct onsim o;
	struct onrun r;
	unsigned with_controls = 0;

	begin(&o, &r, "sockets=1", NULL);
	for (unsigned k = 0; k < 100; k++) {
		sample(&o, &r);
		EQ(onsim_trace_count(&o, "\n"), 3);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010100"), 1);
		EQ(onsim_trace_count(&o, "rblk 0xa0 "), 1); /* CTR[0] to FIXED_CTR */
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 1);
		/* To FIXED_CTL, every 100 ms: 0xf4 - 0xa0 bytes, and not to 0xd8. */
		with_controls += strcspn(strstr(o.trace, "0xa0 ") + 5, "\n") == 2 * (0xf4 - 0xa0);
		for (unsigned i = 0; i < 4; i++)
			IS_GOOD(&r, i, 3000);
	}
	CU_ASSERT_TRUE(with_controls >= 19 && with_controls <= 20);
	onrun_close(&r);
	onsim_close(&o);
}

static void the_witness_is_the_fixed_counter_and_is_put_back(void)
{
	struct onsim o;
	struct onrun r;

	begin(&o, &r, "sockets=1", NULL);
	EQ(onsim_peek(&o, r.box[0], R_FIXED_CTL), R_EN);
	onrun_close(&r);
	EQ(onsim_peek(&o, onsim_box(&o, BOX), R_FIXED_CTL), 0);
	onrun_open(&r, &o, &freezing);
	onrun_add(&r, BOX, "dclk"); /* asked for, it is the witness too */
	onrun_add(&r, BOX, "cas_count.rd");
	onrun_start(&r);
	sample(&o, &r);
	EQ(onsim_trace_count(&o, "\n"), 3);
	IS_GOOD(&r, 0, 3000);
	onrun_close(&r);
	EQ(onsim_peek(&o, onsim_box(&o, BOX), R_FIXED_CTL), 0);
	onsim_close(&o);
}

static void without_freezing_the_fixed_counter_is_not_touched(void)
{
	struct onsim o;
	struct onrun r;

	onsim_open(&o, "sockets=1", NULL);
	onrun_open(&r, &o, NULL);
	onrun_add(&r, BOX, "cas_count.rd");
	onrun_start(&r);
	EQ(onsim_trace_count(&o, "w32 0xf0"), 0);
	for (unsigned k = 0; k < 3; k++) {
		sample(&o, &r);
		EQ(onsim_trace_count(&o, "\n"), 1);
		EQ(onsim_trace_count(&o, "rblk 0xb8 "), 1);
		EQ(strcspn(strstr(o.trace, "0xb8 ") + 5, "\n"), 16);
	}
	onrun_close(&r);
	onsim_close(&o);
}

/* A box that is frozen because of one set alone is so for all. */
static void a_set_can_ask_for_it(void)
{
	struct onsim o;
	struct onrun r;

	onsim_open(&o, "sockets=1", NULL);
	onrun_open(&r, &o, NULL);
	OK(&o, unc_session_begin_set(r.s, true));
	onrun_add(&r, BOX, "clockticks");
	onrun_add(&r, BOX, "clockticks");
	OK(&o, unc_session_end_set(r.s));
	onrun_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	onrun_start(&r);
	sample(&o, &r);
	for (unsigned k = 0; k < 3; k++) {
		sample(&o, &r);
		EQ(r.c[0].delta, r.c[1].delta);
		EQ(onsim_trace_count(&o, "10.0 "), 3);
		EQ(onsim_trace_count(&o, "10.1 "), 1);
		IS_GOOD(&r, 2, 3000);
	}
	onrun_close(&r);
	onsim_close(&o);
}

/* ---- lost ---- */

static void a_release_that_is_lost_is_seen_at_the_next_read(void)
{
	struct onsim o;
	struct onrun r;

	begin(&o, &r, "sockets=1", NULL);
	sample(&o, &r);
	ONSIM_FAIL(&o, .at = 2, .how = UNC_FAULT_DROP, .writes_only = true);
	sample(&o, &r); /* this one is good, and the box stands still afterwards */
	EQ(o.fault.done, 1);
	EQ(o.fault.done_off, R_BOX_CTL);
	for (unsigned i = 0; i < 4; i++)
		IS_GOOD(&r, i, 3000);
	onsim_work(&o);
	sample(&o, &r);
	for (unsigned i = 0; i < 4; i++) {
		EQ(r.c[i].flags, UNC_COUNT_STOPPED);
		EQ(r.c[i].delta, 0);
	}
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2);
	for (unsigned k = 0; k < 3; k++) {
		sample(&o, &r);
		EQ(onsim_trace_count(&o, "\n"), 3);
		for (unsigned i = 0; i < 4; i++)
			IS_GOOD(&r, i, 3000);
	}
	onrun_close(&r);
	onsim_close(&o);
}

/* The simulator loses the write by itself, as a bus would: no fault is near our code. */
static void whichever_write_is_lost_no_number_is_wrong(void)
{
	for (unsigned at = 1; at < 40; at++) {
		struct onsim o;
		struct onrun r;
		char own[40];
		int rc;

		snprintf(own, sizeof(own), "lose=%u", at);
		onsim_open(&o, "sockets=1", own);
		onrun_open(&r, &o, &freezing);
		onrun_add(&r, BOX, "cas_count.rd");
		onrun_add(&r, BOX, "cas_count.wr");
		rc = unc_session_start(r.s);
		for (unsigned k = 0; k < 12 && rc == 0; k++) {
			onsim_step(&o, 20 * MS_NS);
			onrun_read(&r);
			for (unsigned i = 0; i < 2; i++) {
				if (r.c[i].flags)
					EQ(r.c[i].flags, UNC_COUNT_STOPPED);
				else
					IS_GOOD(&r, i, 3000);
			}
		}
		OK(&o, unc_session_close(r.s));
		EQ(onsim_peek(&o, onsim_box(&o, BOX), R_CTL(3)), 0);
		EQ(onsim_peek(&o, onsim_box(&o, BOX), R_FIXED_CTL), 0);
		onsim_close(&o);
	}
}

/* Somebody froze the box, or the whole socket: the counters hold, and what they did not count is no zero. */
static void a_box_that_somebody_froze_is_stopped_not_idle(void)
{
	struct onsim o;
	struct onrun r;

	begin(&o, &r, "sockets=1", "dword_ns=0");
	sample(&o, &r);
	onsim_poke(&o, r.box[0], R_BOX_CTL, R_FRZ_EN | R_FRZ);
	sample(&o, &r);
	EQ(r.c[0].flags, UNC_COUNT_STOPPED);
	sample(&o, &r); /* it was released again with that */
	IS_GOOD(&r, 0, 0);
	onrun_close(&r);
	onsim_close(&o);
}

static void a_witness_that_somebody_switched_off_says_nothing(void)
{
	struct onsim o;
	struct onrun r;

	begin(&o, &r, "sockets=1", NULL);
	sample(&o, &r);
	onsim_poke(&o, r.box[0], R_FIXED_CTL, 0);
	sample(&o, &r);
	IS_GOOD(&r, 0, 3000);
	for (unsigned k = 0; k < 8; k++) {
		sample(&o, &r);
		IS_GOOD(&r, 0, 3000);
		EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2); /* nobody would see that one is lost */
	}
	onrun_close(&r);
	onsim_close(&o);
}

/* No clock has ticked yet: that is no proof of anything. */
static void reads_in_quick_succession_are_no_standstill(void)
{
	struct onsim o;
	struct onrun r;

	begin(&o, &r, "sockets=1", "dword_ns=0");
	onsim_step(&o, MS_NS);
	onrun_read(&r);
	for (uint64_t ns = 0; ns < 3000; ns += 50) {
		onsim_step(&o, ns);
		onrun_read(&r);
		EQ(r.c[0].flags & ~(unsigned)UNC_COUNT_LATE, 0);
		EQ(r.c[0].delta, onrun_truth(&r, 0));
	}
	onrun_close(&r);
	onsim_close(&o);
}

void test_visit_suite(void)
{
	CU_pSuite s = CU_add_suite("visit", NULL, NULL);

	CU_add_test(s, "a sample is freeze, one read and release", a_sample_is_freeze_one_read_and_release);
	CU_add_test(s, "the witness is the fixed counter, and is put back",
		    the_witness_is_the_fixed_counter_and_is_put_back);
	CU_add_test(s, "without freezing the fixed counter is not touched",
		    without_freezing_the_fixed_counter_is_not_touched);
	CU_add_test(s, "a set can ask for it", a_set_can_ask_for_it);
	CU_add_test(s, "a release that is lost is seen at the next read",
		    a_release_that_is_lost_is_seen_at_the_next_read);
	CU_add_test(s, "whichever write is lost, no number is wrong", whichever_write_is_lost_no_number_is_wrong);
	CU_add_test(s, "a box that somebody froze is stopped, not idle", a_box_that_somebody_froze_is_stopped_not_idle);
	CU_add_test(s, "a witness that somebody switched off says nothing",
		    a_witness_that_somebody_switched_off_says_nothing);
	CU_add_test(s, "reads in quick succession are no standstill", reads_in_quick_succession_are_no_standstill);
}
