// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock of the uncore, by the counter of its cycles that another program has enabled. */
#include "onsim.h"
#include "simmsr.h"

EACH_ON_SIM(o, "hsx", "sockets=2,cores=4", NULL)

/* Linux, uncore_snbep.c; PCM, types.h: enable and overflow, and where control and counter are. */
enum { EN = 1 << 22, OV_EN = 1 << 20 };
static const struct part {
	const char *model;
	uint32_t ctl, ctr;
	const char *enables;
} parts[] = {
	{"snbep", 0xc08, 0xc09, "perf stat -a -e uncore_ubox/event=0xff/"},
	{"ivt", 0xc08, 0xc09, "perf stat -a -e uncore_ubox/event=0xff/"},
	{"hsx", 0x703, 0x704, "perf stat -a -e uncore_ubox/event=0xff/"},
	{"snr", 0x1f93, 0x1f94, "perf stat -a -e uncore_ubox/event=0xff/"},
	{"gnr", 0x3ffe, 0x3ffd, "PCM enables it"},
	{"srf", 0x3ffe, 0x3ffd, "PCM enables it"},
	{"grr", 0x3f5e, 0x3f5f, "PCM enables it"},
};

static struct unc_uncore_clock its;

static int look(void)
{
	return unc_uncore_clock(o.m, 0, &its);
}

/* What another program does, on a CPU of socket 0. */
static void poke(uint32_t number, uint64_t value)
{
	CU_ASSERT_EQUAL(sim_msr_write(o.hand, 0, number, value), 0);
}

/* Within 0.1 %. */
static void is_mhz(uint64_t mhz)
{
	OK(&o, look());
	if (its.mhz + mhz / 1000 < mhz || its.mhz > mhz + mhz / 1000)
		EQ(its.mhz, mhz);
	EQ(its.highest_mhz, 0);
}

static void begin(void)
{
	its = (struct unc_uncore_clock){.mhz = 0};
	poke(0x703, EN);
	FAILS(&o, UNC_EAGAIN, look(), "UCLK_FIXED_CTL");
	onsim_step(&o, S_NS);
	is_mhz(2000);
}

TEST(the_counter_tells_the_mean_clock_while_another_program_has_enabled_it)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct part *part = &parts[i];

		for (unsigned slow = 0; slow < 2; slow++) {
			onsim_reopen(&o, part->model, slow ? "sockets=1,uncore=13" : "sockets=1", NULL);
			its = (struct unc_uncore_clock){.mhz = 0};
			FAILS(&o, UNC_ENODATA, look(), "no program has enabled its counter", part->enables);
			EQ(its.mhz, 0);
			poke(part->ctl, EN);
			FAILS(&o, UNC_EAGAIN, look(), "read only once");
			onsim_step(&o, 20 * MS_NS);
			is_mhz(slow ? 1300 : 2000);
			onsim_step(&o, 100 * S_NS);
			is_mhz(slow ? 1300 : 2000);
			poke(part->ctl, 0);
			onsim_step(&o, S_NS);
			FAILS(&o, UNC_ENODATA, look(), "no program has enabled");
			EQ(its.mhz, 0);
			EQ(onsim_trace_count(&o, " w"), 0);
		}
	}
}

TEST(a_counter_that_wraps_is_right)
{
	poke(0x704, (UINT64_C(1) << 48) - 1000000000);
	begin();
}

TEST(a_control_that_was_changed_begins_anew)
{
	begin();
	poke(0x703, 0);
	onsim_step(&o, S_NS / 2);
	poke(0x703, EN | OV_EN);
	onsim_step(&o, S_NS / 2);
	FAILS(&o, UNC_EAGAIN, look(), "since UCLK_FIXED_CTL was written");
	EQ(its.mhz, 0);
	onsim_step(&o, S_NS);
	is_mhz(2000);
}

TEST(a_counter_that_was_cleared_tells_nothing)
{
	begin();
	onsim_step(&o, S_NS);
	poke(0x704, 0);
	FAILS(&o, UNC_ENODATA, look(), "was written");
	EQ(its.mhz, 0);
	onsim_step(&o, S_NS);
	is_mhz(2000);
}

TEST(a_counter_that_stands_still_tells_nothing)
{
	begin();
	onsim_step(&o, S_NS);
	poke(0x700, UINT64_C(1) << 31); /* U_MSR_PMON_GLOBAL_CTL.frz_all */
	is_mhz(2000);                   /* until it was frozen */
	onsim_step(&o, S_NS);
	FAILS(&o, UNC_ENODATA, look(), "went up by 0 in", "stands still");
	EQ(its.mhz, 0);
}

TEST(a_read_that_takes_long_tells_nothing)
{
	begin();
	o.slow = "r64 0x704";
	o.slow_nth = 1;
	o.slow_ns = 10 * MS_NS;
	onsim_step(&o, S_NS);
	FAILS(&o, UNC_ENODATA, look(), "read too slowly");
	o.slow = NULL;
	onsim_step(&o, S_NS);
	FAILS(&o, UNC_ENODATA, look(), "read too slowly"); /* the former end is as uncertain */
	onsim_step(&o, S_NS);
	is_mhz(2000);
}

TEST(each_socket_has_its_own)
{
	struct unc_uncore_clock other = {.mhz = 0};

	begin();
	FAILS(&o, UNC_ENODATA, unc_uncore_clock(o.m, 1, &other), "socket1.uclk");
	onsim_step(&o, S_NS);
	is_mhz(2000);
}

TEST(an_access_that_fails_leaves_no_number)
{
	int rc = UNC_EIO;

	begin();
	for (uint64_t at = 1; rc < 0 && at < 20; at++) {
		onsim_step(&o, S_NS);
		ONSIM_FAIL(&o, .at = at);
		rc = look();
		CU_ASSERT(rc == 0 || (rc == UNC_EIO && its.mhz == 0));
		onsim_work(&o);
		onsim_step(&o, S_NS);
		if (rc < 0)
			FAILS(&o, UNC_EAGAIN, look(), "read only once");
	}
	EQ(rc, 0);
	EQ(onsim_trace_count(&o, "msr cpu0 w"), 0);
}
