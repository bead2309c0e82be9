// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine that was suspended while a session counted: BOOT went on, RAW and MONO stood still, registers may be lost. */
#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

static void begin_two(const struct unc_session_cfg *cfg)
{
	ONRUN_START(&r, &o, cfg, "ch0 cas_count.rd", "ch2 cas_count.rd");
	onrun_read_after(&r, 10 * MS_NS);
	IS_GOOD(&r, 0, 3000);
	IS_GOOD(&r, 1, 3000);
}

static void suspend(void)
{
	CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(o.hand, 3600 * S_NS), 0);
}

TEST(the_clocks_part)
{
	uint64_t raw = unc_machine_raw_ns(o.m), mono = unc_machine_mono_ns(o.m), real = unc_machine_real_ns(o.m);

	suspend();
	EQ(unc_machine_raw_ns(o.m), raw);
	EQ(unc_machine_mono_ns(o.m), mono);
	EQ(unc_machine_real_ns(o.m), real + 3600 * S_NS);
	EQ(o.m->host->ops->now_ns(o.m->host, UNC_CLOCK_BOOT), mono + 1000 * S_NS + 3600 * S_NS);
	EQ(unc_sim_suspend(o.hand, UINT64_MAX), UNC_ERANGE);
}

TEST(lost_registers_are_a_gap_then_stolen_and_never_written_again)
{
	for (unsigned freeze = 0; freeze < 2; freeze++) {
		struct unc_session_cfg cfg = {.freeze = freeze};

		onrun_reopen(&r, &o, "sockets=1", NULL);
		begin_two(&cfg);
		onsim_step(&o, 5 * MS_NS);
		suspend();
		onsim_trace_clear(&o);
		onrun_read_after(&r, 5 * MS_NS);
		IS_FLAGGED(&r, 0, UNC_COUNT_GAP);
		IS_FLAGGED(&r, 1, UNC_COUNT_GAP);
		for (unsigned k = 0; k < 3; k++) {
			onrun_read_after(&r, 10 * MS_NS);
			IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
			IS_FLAGGED(&r, 1, UNC_COUNT_STOLEN);
		}
		EQ(onsim_count(o.notes, "lost while the machine was suspended"), 2);
		onrun_close(&r);
		EQ(onsim_trace_count(&o, " w32 "), 0);
		EQ(onsim_box_ctl(&o, r.box[0]), 0);
	}
}

/* Some firmware puts everything back before the first of us runs again. */
TEST(registers_that_were_kept_go_on_after_one_gap)
{
	begin_two(NULL);
	suspend();
	for (unsigned i = 0; i < 2; i++)
		onsim_poke(&o, r.box[i], R_CTL3, 0x400304);
	onrun_read_after(&r, 10 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_GAP);
	onrun_read_after(&r, 10 * MS_NS);
	IS_GOOD(&r, 0, 3000);
	IS_GOOD(&r, 1, 3000);
	onrun_close(&r);
	EQ(onsim_peek(&o, r.box[0], R_CTL3), 0);
}

static unsigned accesses;
static void in_the_middle(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	(void)arg, (void)addr, (void)write, (void)off;
	if (++accesses == 3) /* after the counters and the controls of the first box */
		suspend();
}

TEST(between_two_boxes_of_one_read_is_a_gap_for_both)
{
	begin_two(NULL);
	onsim_step(&o, 10 * MS_NS);
	accesses = 0;
	ONSIM_FAIL(&o, .before = in_the_middle);
	onrun_read(&r);
	IS_FLAGGED(&r, 0, UNC_COUNT_GAP);
	CU_ASSERT_TRUE(r.c[1].flags & UNC_COUNT_GAP);
	EQ(r.c[1].delta, 0);
	onsim_work(&o);
	onrun_read_after(&r, 10 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_GAP); /* its baseline was of before */
	onrun_read_after(&r, 10 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
	IS_FLAGGED(&r, 1, UNC_COUNT_STOLEN);
}

TEST(closing_after_it_writes_nothing)
{
	begin_two(NULL);
	suspend();
	onsim_trace_clear(&o);
	onrun_close(&r);
	EQ(onsim_trace_count(&o, " w32 "), 0);
	EQ(onsim_box_ctl(&o, r.box[0]), 0);
}
