// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static struct unc_box_state state;

/* Not the first one, for which any would be taken. */
static struct unc_box *ch3(void)
{
	return onsim_box(&o, "socket0.imc0.ch3");
}

/* What the channel is used for now. */
static void is(enum unc_use use)
{
	OK(&o, unc_box_state(ch3(), &state));
	EQ(state.use, use);
}

TEST(a_box_with_no_counter_enabled_is_idle)
{
	onsim_poke(&o, ch3(), R_CTL(1), 0x00000304);
	is(UNC_USE_IDLE);
	EQ(state.n_slots, 5);
	for (unsigned i = 0; i < 5; i++) {
		SAME(state.slots[i].reg, i < 4 ? "CTL" : "FIXED_CTL");
		EQ(state.slots[i].index, i < 4 ? i : 0);
		EQ(state.slots[i].offset, i < 4 ? R_CTL(i) : R_FIXED_CTL);
		EQ(state.slots[i].control, i == 1 ? 0x304 : 0);
		CU_ASSERT_FALSE(state.slots[i].enabled);
	}
	/* One read; counters are read only where one is enabled. */
	EQ(onsim_trace_count(&o, "\n"), 1);
}

TEST(a_counter_that_moves_is_counting_and_one_that_does_not_is_taken)
{
	static const struct {
		uint32_t off, control;
		enum unc_use use;
	} cases[] = {
		{R_CTL(0), R_EN, UNC_USE_COUNTING}, /* clock ticks */
		{R_CTL(3), R_EN, UNC_USE_COUNTING},
		{R_FIXED_CTL, R_EN, UNC_USE_COUNTING},
		{R_CTL(2), R_EN | 0x09, UNC_USE_TAKEN}, /* correctable errors: none */
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onsim_reopen(&o, "snbep", "sockets=1", NULL);
		onsim_poke(&o, ch3(), cases[i].off, cases[i].control);
		is(cases[i].use);
		for (unsigned k = 0; k < 5; k++)
			CU_ASSERT_EQUAL(state.slots[k].enabled, state.slots[k].offset == cases[i].off);
		/* Frozen, even the clock stands still; of another event that is not known. */
		onsim_poke(&o, ch3(), R_BOX_CTL, R_FRZ_EN | R_FRZ);
		is(cases[i].use == UNC_USE_COUNTING ? UNC_USE_STOPPED : UNC_USE_TAKEN);
		EQ(onsim_trace_count(&o, " w"), 0);
	}
}

/* One counter that moves is enough, in whatever slot. */
TEST(among_several_the_one_that_moves_decides)
{
	onsim_poke(&o, ch3(), R_CTL(0), R_EN);
	onsim_poke(&o, ch3(), R_CTL(1), R_EN | 0x09);
	is(UNC_USE_COUNTING);
}

/* The bit that freezes reads back on few parts. */
TEST(a_box_that_reads_as_frozen_is_stopped_unless_its_clock_ticks)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz=rw", NULL);
	onsim_poke(&o, ch3(), R_BOX_CTL, R_FRZ_EN | R_FRZ);
	is(UNC_USE_STOPPED);
	CU_ASSERT_TRUE(state.frozen);
	onsim_poke(&o, ch3(), R_BOX_CTL, R_FRZ); /* without frz_en it freezes nothing */
	onsim_poke(&o, ch3(), R_FIXED_CTL, R_EN);
	is(UNC_USE_COUNTING);
}

/* A clock that stands at first, and ticks within the millisecond for which it is looked at, is of a package that was asleep. */
TEST(a_box_whose_clock_wakes_up_counts)
{
	static const struct {
		const char *sleep;
		enum unc_use use;
	} cases[] = {{"sockets=1,sleep=0@0-0.0005", UNC_USE_COUNTING}, {"sockets=1,sleep=0@0-1", UNC_USE_STOPPED}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onsim_reopen(&o, "snbep", cases[i].sleep, NULL);
		onsim_poke(&o, ch3(), R_FIXED_CTL, R_EN);
		is(cases[i].use);
	}
}

TEST(our_own_counters_count_too)
{
	struct onrun r;

	ONRUN_START(&r, &o, NULL, "ch3 dclk");
	is(UNC_USE_COUNTING);
	onrun_close(&r);
	is(UNC_USE_IDLE);
}

TEST(a_box_that_is_not_there_says_why)
{
	onsim_reopen(&o, "snbep", "sockets=2", "hide=7f:10.0,allones=7f:10.1");
	FAILS(&o, UNC_ENODEV, unc_box_state(onsim_box(&o, "socket0.imc0.ch0"), &state), "other sockets have it");
	FAILS(&o, UNC_ENODEV, unc_box_state(onsim_box(&o, "socket0.imc0.ch1"), &state), "all ones");
	OK(&o,
	   onsim_find_boxes_again(
		   &o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM, .only = "0000:ff:10.0"}));
	FAILS(&o, UNC_EPERM, unc_box_state(onsim_box(&o, "socket1.imc0.ch0"), &state), "made to fail");
	onsim_work(&o);
}

TEST(a_box_that_does_not_count_is_not_supported)
{

	struct unc_box ubox = *ch3();

	ubox.unit = unc_map_unit(o.m->map, "ubox");
	FAILS(&o, UNC_ENOSUP, unc_box_state(&ubox, &state), "pmon1");
}

TEST(any_access_may_fail)
{
	static const struct {
		enum unc_fault_how how;
		int err;
	} cases[] = {{UNC_FAULT_EIO, UNC_EIO}, {UNC_FAULT_EPERM, UNC_EPERM}, {UNC_FAULT_ENODEV, UNC_ENODEV}};

	for (unsigned i = 0; i < 3; i++) {
		onsim_reopen(&o, "snbep", "sockets=1", NULL);
		onsim_poke(&o, ch3(), R_CTL(2), R_EN);
		for (unsigned at = 1; at <= 4; at++) { /* controls, counter, counter again, and nothing more */

			ONSIM_FAIL(&o, .at = at, .how = cases[i].how);
			if (at < 4)
				FAILS(&o, cases[i].err, unc_box_state(ch3(), &state), "socket0.imc0.ch3",
				      "made to fail");
			else
				OK(&o, unc_box_state(ch3(), &state));
		}
		onsim_work(&o);
	}
}

/* All ones from a function that was there is no state. */
TEST(a_function_that_vanishes_has_no_state)
{
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES);
	FAILS(&o, UNC_ENODEV, unc_box_state(ch3(), &state), "socket0.imc0.ch3", "all ones");
	onsim_work(&o);
}
