// SPDX-License-Identifier: GPL-2.0-or-later
/* When perf's count cannot be compared, and what is said then. */
#include "onxcheck.h"
#include "test.h"

EACH_ON_XCHECK(r, onxcheck_close)

TEST(an_event_that_the_kernel_moves_is_compared_from_there_on)
{
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
}

TEST(events_that_take_turns_cannot_be_compared)
{
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch0 pre_count.page_miss",
		       "ch0 rpq_inserts", "ch0 wpq_inserts", "ch0 dclk");
	for (size_t i = 0; i < 6; i++) {
		onxcheck_is_not(&r, i, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
		CU_ASSERT(r.row.has_kernel && !r.row.has_raw && !r.row.has_ours);
		CU_ASSERT(r.row.to.running_ns - r.row.from.running_ns < r.row.to.enabled_ns - r.row.from.enabled_ns);
	}
	/* It would have its counter for itself, but in Linux what stands behind one that does not fit waits with it. */
	onxcheck_is_not(&r, 6, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
}

TEST(a_count_of_ours_that_was_stolen_is_said)
{
	struct unc_box *box = onsim_box(&r.o, "socket0.imc0.ch0");

	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch0 dclk");
	onxcheck_is_ok(&r, 0, true);
	onsim_poke(&r.o, box, R_CTL(3), 0);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_OK, "there is no count of ours, of CTR[3]: stolen"); /* in this interval */
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && !r.row.has_ours && onxcheck_is_true(&r, &r.row));
	CU_ASSERT_PTR_NULL(r.row.own);
	onxcheck_is_ok(&r, 1, false);
	for (unsigned i = 0; i < 2; i++) {
		onxcheck_goes_on(&r, false);
	}
	EQ(onsim_count(r.o.notes, "cas_count.rd: there is no count of ours, of CTR[3]: stolen"), 1);
}

TEST(a_box_in_which_another_process_counts_is_shared)
{
	struct unc_box *box = onsim_box(&r.o, "socket0.imc0.ch0");

	onsim_poke(&r.o, box, R_CTL(3), R_EN | 0x304);
	r.controls = onxcheck_controls(&r);
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch0 cas_count.wr");
	onxcheck_is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[0]");
	SAME(r.row.own, "CTR[2]");
	onxcheck_is_ok(&r, 1, false);
	OK(&r.o, unc_xcheck_close(r.x));
	r.x = NULL;
	EQ(onsim_peek(&r.o, box, R_CTL(3)), R_EN | 0x304);
	EQ(onsim_peek(&r.o, box, R_CTL(2)), 0);
}

TEST(a_frozen_box_is_seen_by_its_clock)
{
	struct unc_box *box;

	onxcheck_open(&r, "snbep", "sockets=1,perf=on,frz_en=rw");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	ONXCHECK_START(&r, "ch0 cas_count.rd", "ch0 dclk");
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onxcheck_go_on(&r, S_NS);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "the clock of this box, stood still");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && !r.row.kernel && !r.row.raw);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
	onxcheck_go_on(&r, S_NS);
	onxcheck_goes_on(&r, true);
}

/* Without it what stands still may as well be idle, and 0 is no count to compare. */
TEST(counters_that_stand_still_tell_nothing)
{
	struct unc_box *box = onsim_box(&r.o, "socket0.imc0.ch0");

	ONXCHECK_START(&r, "ch0 cas_count.rd", "ch1 cas_count.rd");
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onxcheck_go_on(&r, S_NS);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "CTR[0] did not move: ");
	HAS(r.row.why, "or another program has frozen the box, which dclk tells: add it to the events (-e)");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours && !r.row.kernel && !r.row.raw && !r.row.ours);
	onxcheck_is_ok(&r, 1, true);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
}

TEST(a_box_that_goes_away_is_missing)
{
	onxcheck_open_with(&r, "snbep", "sockets=1,perf=on", "vanish=ff:10.0@10", -1);
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch1 cas_count.rd");
	onxcheck_is_ok(&r, 0, true);
	onxcheck_is_ok(&r, 1, true);
	onxcheck_go_on(&r, 20 * S_NS);
	/* Which perf takes for counts. */
	onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS, "reads as all ones");
	CU_ASSERT(r.row.kernel > UINT64_C(1) << 47);
	CU_ASSERT_FALSE(r.row.has_raw);
	onxcheck_is_ok(&r, 1, true);
	unc_xcheck_close(r.x);
	r.x = NULL;
	onsim_close_any(&r.o);
}
