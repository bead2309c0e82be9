// SPDX-License-Identifier: GPL-2.0-or-later
/* When perf's count cannot be compared, and what is said then. */
#include "onxcheck.h"
#include "test.h"

TEST(an_event_that_the_kernel_moves_is_compared_from_there_on)
{
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on,perf_moves=2");
	onxcheck_begin_well(&r);
	SAME(r.row.counter, "CTR[0]");
	onxcheck_go_on(&r, 2 * S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[0] to CTR[");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	onxcheck_go_on(&r, S_NS);
	/* Linux does not look whether a counter is in use: it was ours.  Its own numbers are as good as before. */
	for (unsigned i = 0; i < 2; i++) {
		onxcheck_is_ok(&r, 0, false);
		SAME(r.row.counter, "CTR[3]");
		onxcheck_go_on(&r, S_NS);
	}
	SAME(r.o.notes, "socket0.imc0.ch0 cas_count.rd: there is no count of ours: perf's driver took CTR[3], in which "
			"we counted; perf's number is compared with its counter alone\n");
	onxcheck_close(&r);
}

TEST(events_that_take_turns_cannot_be_compared)
{
	static const char *const events[] = {"cas_count.rd",        "cas_count.wr", "act_count",
					     "pre_count.page_miss", "rpq_inserts",  "wpq_inserts"};
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on");
	for (size_t i = 0; i < 6; i++)
		onxcheck_add(&r, "socket0.imc0.ch0", events[i]);
	onxcheck_add(&r, "socket0.imc0.ch0", "dclk");
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	for (size_t i = 0; i < 6; i++) {
		onxcheck_is_not(&r, i, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
		CU_ASSERT(r.row.has_kernel && !r.row.has_raw && !r.row.has_ours);
		CU_ASSERT(r.row.to.running_ns - r.row.from.running_ns < r.row.to.enabled_ns - r.row.from.enabled_ns);
	}
	/* It would have its counter for itself, but in Linux what stands behind one that does not fit waits with it. */
	onxcheck_is_not(&r, 6, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	onxcheck_close(&r);
}

TEST(a_count_of_ours_that_was_stolen_is_said)
{
	struct unc_box *box;
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onxcheck_add(&r, "socket0.imc0.ch0", "dclk");
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_ok(&r, 0, true);
	onsim_poke(&r.o, box, R_CTL(3), 0);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_OK, "there is no count of ours, of CTR[3]: stolen"); /* in this interval */
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && !r.row.has_ours && onxcheck_is_true(&r, &r.row));
	CU_ASSERT_PTR_NULL(r.row.own);
	onxcheck_is_ok(&r, 1, false);
	for (unsigned i = 0; i < 2; i++) {
		onxcheck_go_on(&r, S_NS);
		onxcheck_is_ok(&r, 0, false);
	}
	EQ(onsim_count(r.o.notes, "cas_count.rd: there is no count of ours, of CTR[3]: stolen"), 1);
	onxcheck_close(&r);
}

TEST(a_box_in_which_somebody_else_counts_is_shared)
{
	struct unc_box *box;
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onsim_poke(&r.o, box, R_CTL(3), R_EN | 0x304);
	r.controls = onxcheck_controls(&r);
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.wr");
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[0]");
	SAME(r.row.own, "CTR[2]");
	onxcheck_is_ok(&r, 1, false);
	OK(&r.o, unc_xcheck_close(r.x));
	EQ(onsim_peek(&r.o, box, R_CTL(3)), R_EN | 0x304);
	EQ(onsim_peek(&r.o, box, R_CTL(2)), 0);
	onsim_close(&r.o);
}

TEST(a_frozen_box_is_seen_by_its_clock)
{
	struct unc_box *box;
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on,frz_en=rw");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onxcheck_add(&r, "socket0.imc0.ch0", "dclk");
	onxcheck_start(&r);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onxcheck_go_on(&r, S_NS);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "the clock of this box, stood still");
	EQ(r.row.has_kernel && r.row.has_raw, true);
	EQ(r.row.kernel, 0);
	EQ(r.row.raw, 0);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
	onxcheck_go_on(&r, S_NS);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_ok(&r, 0, true);
	onxcheck_close(&r);
}

/* Without it what stands still may as well be idle, and 0 is no count to compare. */
TEST(counters_that_stand_still_tell_nothing)
{
	struct unc_box *box;
	struct onxcheck r;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onxcheck_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	onxcheck_start(&r);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onxcheck_go_on(&r, S_NS);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "CTR[0] did not move: ");
	HAS(r.row.why, "or another program has frozen the box, which dclk tells: add it to the events (-e)");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours && !r.row.kernel && !r.row.raw && !r.row.ours);
	onxcheck_is_ok(&r, 1, true);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
	onxcheck_close(&r);
}

TEST(a_box_that_goes_away_is_missing)
{
	struct onxcheck r;

	onxcheck_open_setup(
		&r, &(struct onxcheck_setup){"snbep", "sockets=1,perf=on", "vanish=ff:10.0@10", {.tolerance = -1}});
	onxcheck_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onxcheck_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_ok(&r, 0, true);
	onxcheck_is_ok(&r, 1, true);
	onxcheck_go_on(&r, 20 * S_NS);
	/* Which perf takes for counts. */
	onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS, "reads as all ones");
	CU_ASSERT(r.row.kernel > UINT64_C(1) << 47);
	CU_ASSERT_FALSE(r.row.has_raw);
	onxcheck_is_ok(&r, 1, true);
	unc_xcheck_close(r.x);
	onsim_close_any(&r.o);
}
