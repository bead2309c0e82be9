// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything a session does on hardware, with access 1, 2, 3... failing until it succeeds. */
#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

struct way {
	const char *common;
	bool freeze, forever, writes_only, turns;
	enum unc_fault_how how;
};

struct outcome {
	bool done;         /* an access did fail */
	bool bad_start;    /* unc_session_start() said so */
	bool bad_close;    /* unc_session_close() did */
	bool lost_release; /* all writes to BOX_CTL are lost from now on, without a word */
};

static const char *const boxes[] = {"socket0.imc0.ch0", "socket0.imc0.ch2"};

/* A number is the truth, give or take what is counted in the 30 us of a read; or there is none. */
static void check_counts(const struct outcome *outcome)
{
	for (size_t i = 0; i < r.n; i++) {
		const struct unc_count *count = &r.c[i];

		if (count->flags) {
			EQ(count->delta, 0);
		} else if (outcome->lost_release) {
			/* frz cannot be read back: a box that stays frozen counts too little, never too much. */
			CU_ASSERT_TRUE(count->delta <= onrun_truth(&r, i) + 3000);
		} else {
			IS_GOOD(&r, i, 3000);
		}
	}
}

/* The same of events that take turns, of a constant load: each turn's part is what is counted in 10 ms, blurred likewise. */
static void check_turns(const struct outcome *outcome)
{
	for (size_t i = 0; i < r.n; i++) {
		const struct unc_count *count = &r.c[i];
		uint64_t truth = onrun_truth(&r, i), part;

		EQ(count->flags & UNC_COUNT_NO_NUMBER ? count->delta : 0, 0);
		CU_ASSERT_TRUE(count->running_ns <= count->enabled_ns);
		if (count->flags & UNC_COUNT_NO_NUMBER || count->enabled_ns == 0)
			continue;
		part = (uint64_t)((double)truth * ((double)count->running_ns / (double)count->enabled_ns));
		if (count->delta > part + 20000 || (count->delta + 20000 < part && !outcome->lost_release))
			fprintf(stderr, "\n%s: %" PRIu64 ", not %" PRIu64 "\n", r.event[i], count->delta, part);
		CU_ASSERT_TRUE(count->delta <= part + 20000);
		CU_ASSERT_TRUE(outcome->lost_release || count->delta + 20000 >= part);
	}
}

static bool box_ctl_was_lost(void)
{
	return o.fault.done && o.fault.done_write && o.fault.done_off == R_BOX_CTL;
}

/* The end of any life. */
static void close_session(struct outcome *outcome)
{
	outcome->bad_close = unc_session_close(r.s) < 0;
	r.s = NULL;
	outcome->done = o.fault.done > 0;
	if (outcome->bad_close)
		HAS(unc_errmsg(o.ctx), "not put back: socket0.imc0.ch");
}

/* A life with sets that take turns: two of them, and the fixed counter. */
static void live_in_turns(const struct way *way, struct outcome *outcome)
{
	static const char *const events[] = {"clockticks", "cas_count.wr", "act_count", "cas_count.rd", "dclk"};
	struct unc_session_cfg cfg = {.freeze = way->freeze, .multiplex = true};
	bool silent = way->forever && (way->how == UNC_FAULT_DROP || way->how == UNC_FAULT_ONES);
	int rc;

	onrun_open(&r, &o, &cfg);
	for (unsigned i = 0; i < 5; i++) {
		if (i % 3 == 0)
			OK(&o, unc_session_begin_set(r.s, false));
		onrun_add(&r, boxes[0], events[i]);
		if (i % 3 == 2 || i == 4)
			OK(&o, unc_session_end_set(r.s));
	}
	rc = unc_session_start(r.s);
	outcome->bad_start = rc < 0;
	for (unsigned k = 0; k < 2 && rc == 0; k++) {
		OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + (k ? 12 : 23) * MS_NS));
		if (onrun_try_read(&r) < 0)
			continue;
		outcome->lost_release = silent && box_ctl_was_lost();
		check_turns(outcome);
	}
}

/* One whole life: start, three reads, the last two of which come after 100 ms, close. */
static void live(const struct way *way, struct outcome *outcome)
{
	struct unc_session_cfg cfg = {.freeze = way->freeze};
	bool silent = way->forever && (way->how == UNC_FAULT_DROP || way->how == UNC_FAULT_ONES);
	int rc;

	ONRUN_OPEN(&r, &o, &cfg, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch2 cas_count.rd", "ch2 cas_count.wr");
	rc = unc_session_start(r.s);
	outcome->bad_start = rc < 0;
	if (rc < 0)
		HAS(unc_errmsg(o.ctx), "socket0.imc0.ch");
	for (unsigned k = 0; k < 3 && rc == 0; k++) {
		onsim_step(&o, k ? 150 * MS_NS : 10 * MS_NS);
		outcome->lost_release = silent && box_ctl_was_lost();
		if (onrun_try_read(&r) == 0) {
			outcome->lost_release = silent && box_ctl_was_lost();
			check_counts(outcome);
		} else {
			HAS(unc_errmsg(o.ctx), "0000:ff:10.");
		}
	}
}

static void prepare(const struct way *way)
{
	onrun_reopen(&r, &o, way->common, NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct unc_box *box = onsim_box(&o, boxes[i]);

		for (unsigned k = 0; k < 4; k++) {
			onsim_poke(&o, box, R_CTL(k), 0x01000000 * (k + 1) + 0x1234); /* another program left it */
			onsim_poke48(&o, box, R_CTR(k), (UINT64_C(1) << 41) - 50000 * (k + 3) * (i + 1));
		}
	}
	onsim_trace_clear(&o);
}

/*
 * Which bits of BOX_CTL must be as before.  frz_en stays 1 where it cannot be read back.  Nothing of it can be read then, so
 * writes that are lost for ever without a word leave no trace that anybody could see.
 */
static uint32_t box_ctl_mask(const struct way *way)
{
	if (strstr(way->common, "rw"))
		return UINT32_MAX;
	return way->forever && way->how == UNC_FAULT_DROP ? 0 : R_FRZ;
}

/* Access number at fails. */
static struct outcome try_at(const struct way *way, unsigned at)
{
	struct outcome outcome = {0};
	struct onsim_controls before;

	prepare(way);
	before = onsim_controls(&o);
	ONSIM_FAIL(&o, .at = at, .forever = way->forever, .how = way->how, .writes_only = way->writes_only);
	(way->turns ? live_in_turns : live)(way, &outcome);
	close_session(&outcome);
	onsim_work(&o);
	/* Back as it was, or close said not; and a single failure is no reason for that. */
	if (!outcome.bad_close)
		onsim_controls_are(&o, &before, box_ctl_mask(way));
	if (!way->forever && outcome.bad_close)
		fprintf(stderr, "\naccess %u, once: %s\n", at, unc_errmsg(o.ctx));
	CU_ASSERT_TRUE(way->forever || !outcome.bad_close);
	return outcome;
}

static void loop(const struct way *way)
{
	unsigned at, bad_starts = 0, failures = CU_get_number_of_failures();

	for (at = 1; at < 400; at++) {
		struct outcome outcome = try_at(way, at);

		if (!outcome.done)
			break;
		bad_starts += outcome.bad_start;
		if (CU_get_number_of_failures() != failures) {
			fprintf(stderr, "\n%s%s%s: failure %d%s at access %u\n", way->common,
				way->freeze ? ", freeze" : "",
				way->turns         ? ", turns"
				: way->writes_only ? ", writes"
						   : "",
				way->how, way->forever ? ", for ever" : "", at);
			break;
		}
	}
	CU_ASSERT_TRUE(at > (way->writes_only ? 16 : 30) && at < 400);
	if (way->how <= UNC_FAULT_SHORT)
		CU_ASSERT_TRUE(bad_starts > 10);
}

/* In turns one kind of BOX_CTL with freezing and the other without will do. */
static void each_way(bool forever, bool turns)
{
	for (unsigned how = UNC_FAULT_EIO; how <= UNC_FAULT_DROP; how++) {
		for (unsigned i = 0; i < 4; i += turns ? 3 : 1) {
			struct way way = {.common = i % 2 ? "sockets=1,frz_en=rw" : "sockets=1,frz_en=wo",
					  .turns = turns,
					  .freeze = i / 2,
					  .forever = forever,
					  .how = how,
					  .writes_only = how == UNC_FAULT_DROP};

			loop(&way);
		}
	}
}

TEST(any_single_access_may_fail)
{
	each_way(false, false);
}

TEST(any_access_may_be_the_last_that_works)
{
	each_way(true, false);
}

TEST(any_single_access_may_fail_while_events_take_turns)
{
	each_way(false, true);
}

TEST(any_access_may_be_the_last_that_works_while_events_take_turns)
{
	each_way(true, true);
}

/* Writes alone fail from one on, as when the kernel is locked down meanwhile: then close must say so. */
TEST(writes_that_are_refused_from_some_point_on_are_said)
{
	static const struct way way = {
		.common = "sockets=1", .forever = true, .how = UNC_FAULT_EPERM, .writes_only = true};
	unsigned said = 0, at;

	for (at = 1; at < 100; at++) {
		struct outcome outcome = try_at(&way, at);

		said += outcome.bad_close;
		if (!outcome.done)
			break;
	}
	CU_ASSERT_TRUE(said > 10 && at < 100);
}

/* A release that fails leaves the box frozen: what it did not count must not pass for a number. */
TEST(a_release_that_fails_is_never_an_interval_of_zero)
{
	for (unsigned at = 1; at <= 2; at++) { /* the freeze, the release */
		for (unsigned forever = 0; forever < 2; forever++) {
			open_sim();
			ONRUN_START(&r, &o, &(struct unc_session_cfg){.freeze = true}, "ch0 cas_count.rd",
				    "ch2 cas_count.rd");
			for (unsigned k = 0; k < 6; k++) {
				onsim_step(&o, 20 * MS_NS);
				if (k == 1)
					ONSIM_FAIL(&o, .at = at, .forever = forever, .how = UNC_FAULT_EIO,
						   .writes_only = true, .only = "0000:ff:10.0");
				if (k == 3)
					onsim_work(&o);
				onrun_read(&r);
				if (!r.c[0].flags)
					IS_GOOD(&r, 0, 3000);
				if (k == 0 || k == 5)
					EQ(r.c[0].flags, 0);
				if ((forever || at == 1) && (k == 1 || k == 2))
					EQ(r.c[0].flags, UNC_COUNT_MISSING);
				if (!forever && at == 2) /* tried again */
					EQ(r.c[0].flags, 0);
				IS_GOOD(&r, 1, 3000);
			}
		}
	}
}

/* A function that is gone for less than the time between two looks at its controls, and comes back with others. */
TEST(a_box_that_was_reset_while_it_was_gone_counts_no_zero)
{
	ONRUN_START(&r, &o, NULL, "ch0 cas_count.rd", "ch1 cas_count.rd");
	for (unsigned k = 0; k < 4; k++) {
		onsim_step(&o, 5 * MS_NS);
		if (k == 1)
			ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES, .only = "0000:ff:10.0");
		onrun_read(&r);
		IS_GOOD(&r, 1, 3000);
		if (k == 0)
			IS_GOOD(&r, 0, 3000);
		else
			EQ(r.c[0].flags, k == 1 ? UNC_COUNT_MISSING : UNC_COUNT_STOLEN);
		if (k == 1) {
			onsim_work(&o);
			onsim_poke(&o, r.box[0], R_CTL3, 0);
		}
	}
}
