// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of resctrl beside our reading of the same RMID, with a kernel that this test plays. */
#define _GNU_SOURCE
#include "onresctrl.h"
#include "rdt/llc.h"

#include "test.h"

EACH_ON_RESCTRL(k)

TEST(a_group_agrees)
{
	const struct unc_xcheck_row *row;

	onresctrl_begin(&k, true);
	EQ(k.n, 6);
	onresctrl_are(&k, UNC_XCHECK_NOT_COMPARABLE, "no interval has ended yet");
	for (unsigned i = 0; i < 4; i++) {
		onresctrl_sample(&k, S_NS + 12345 * i);
		onresctrl_agrees(&k);
	}
	row = onresctrl_row(&k, "jobs", 0, "mbm_total_bytes");
	CU_ASSERT_TRUE(row->raw > UINT64_C(5) * 1000000000);
	SAME(row->subject, "socket0.l3-0");
	SAME(row->event, "mbm_total_bytes");
	SAME(row->config, "rmid=5 (mon_hw_id)");
	SAME(row->counter, "RMID 5");
	CU_ASSERT_TRUE(!row->own && !row->alias && !row->box);
	EQ(row->number, -1);
	EQ(row->cpu, 0);
	EQ(row->uncertainty, 0);
	EQ(row->tolerated, row->raw * 8 / 100);
	EQ(row->interval_ns, S_NS + 12345 * 3);
	EQ(row->time_ns, unc_machine_real_ns(k.x.o.m));
	EQ(row->to.kernel - row->from.kernel, row->kernel);
	EQ(row->to.raw_before - row->from.raw_before, row->raw);
	EQ(row->to.raw_before, onllc_truth(&k.x, 0, 5).total_bytes / BDX_UNIT * BDX_UNIT);
	EQ(onresctrl_row(&k, "jobs", 1, "mbm_total_bytes")->raw, 0);
	EQ(onresctrl_row(&k, "jobs", 1, "mbm_total_bytes")->cpu, 4);
	CU_ASSERT_TRUE(onresctrl_row(&k, "jobs", 0, "llc_occupancy")->raw > 10000000);
}

TEST(reading_takes_time)
{
	onresctrl_open_loaded(&k, "bdx", BDX_16, "dword_ns=3000");
	k.hw_id = true;
	onresctrl_group(&k, "", 0, "2-15", "");
	onresctrl_run(&k, "jobs", 5, 0, 1);
	onresctrl_watch(&k, "jobs");
	onresctrl_sample(&k, 10 * S_NS);
	onresctrl_are(&k, UNC_XCHECK_OK, "");
	for (size_t i = 0; i < k.n; i++) {
		CU_ASSERT_TRUE(k.rows[i].to.end_ns > k.rows[i].to.begin_ns);
		CU_ASSERT_TRUE(k.rows[i].to.raw_after >= k.rows[i].to.raw_before);
	}
}

TEST(a_kernel_that_counts_wrong_differs)
{
	struct unc_xcheck_row *row;

	onresctrl_begin(&k, true);
	onresctrl_goes_on(&k);
	k.factor = 1.2;
	onresctrl_sample(&k, S_NS);
	onresctrl_sample(&k, S_NS);
	row = onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", UNC_XCHECK_DIFFERS, "resctrl says");
	HAS(row->why, "RMID 5 gained");
	HAS(row->why, "20 % more");
	HAS(row->why, "allowed are 8 %");
	onresctrl_is(&k, "jobs", 0, "llc_occupancy", UNC_XCHECK_DIFFERS, "allowed are 15 %, or 2000000 bytes");
	/* Nothing moves there, and 20 % more than nothing is nothing. */
	onresctrl_is(&k, "jobs", 1, "mbm_total_bytes", UNC_XCHECK_OK, "");
}

/* 8 % of bandwidth; of what is owned 15 %, but 2 MB at least; or what was asked for. */
TEST(tolerances_are_those_of_the_selftests)
{
	static const struct {
		double factor, tolerance;
		enum unc_xcheck_verdict bandwidth, owned;
	} cases[] = {{1.07, -1, UNC_XCHECK_OK, UNC_XCHECK_OK},
		     {1.09, -1, UNC_XCHECK_DIFFERS, UNC_XCHECK_OK},
		     {0.93, -1, UNC_XCHECK_OK, UNC_XCHECK_OK},
		     {0.91, -1, UNC_XCHECK_DIFFERS, UNC_XCHECK_OK},
		     {1.14, -1, UNC_XCHECK_DIFFERS, UNC_XCHECK_OK},
		     {1.16, -1, UNC_XCHECK_DIFFERS, UNC_XCHECK_DIFFERS},
		     {1.02, 0.01, UNC_XCHECK_DIFFERS, UNC_XCHECK_DIFFERS},
		     {1.009, 0.01, UNC_XCHECK_OK, UNC_XCHECK_OK},
		     {1.3, 0.5, UNC_XCHECK_OK, UNC_XCHECK_OK},
		     {1.00001, 0, UNC_XCHECK_DIFFERS, UNC_XCHECK_DIFFERS}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onresctrl_open_bdx(&k, true);
		k.factor = cases[i].factor;
		k.cfg.tolerance = cases[i].tolerance;
		onresctrl_update(&k);
		onresctrl_watch(&k, "jobs");
		onresctrl_sample(&k, S_NS);
		onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", cases[i].bandwidth, "");
		onresctrl_is(&k, "jobs", 0, "llc_occupancy", cases[i].owned, "");
	}
}

TEST(two_megabytes_more_of_little_is_no_difference)
{
	onresctrl_open_bdx(&k, true);
	onresctrl_run(&k, "small", 7, 2, 2);
	onresctrl_watch(&k, "small");
	k.factor = 1.4; /* of 4 MB */
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "small", 0, "llc_occupancy", UNC_XCHECK_OK, "");
	k.factor = 1.6;
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "small", 0, "llc_occupancy", UNC_XCHECK_DIFFERS, "");
}

/* ---- what goes on meanwhile ---- */

TEST(a_group_that_goes_is_not_comparable_and_is_found_again)
{
	onresctrl_open_bdx(&k, true);
	onresctrl_add(&k, "jobs");
	onresctrl_watch(&k, "");
	onresctrl_goes_on(&k);
	onresctrl_drop(&k, "jobs");
	onresctrl_carry(&k, 0, 1, 0);
	onresctrl_sample(&k, S_NS);
	for (size_t i = 0; i < 6; i++) {
		EQ(k.rows[i].verdict, UNC_XCHECK_NOT_COMPARABLE);
		HAS(k.rows[i].why, "group \"jobs\" is gone");
		CU_ASSERT_FALSE(k.rows[i].has_kernel);
	}
	onresctrl_is(&k, "", 0, "mbm_total_bytes", UNC_XCHECK_OK, "");
	onresctrl_run(&k, "jobs", 77, 0, 1);
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", UNC_XCHECK_NOT_COMPARABLE, "compared from here on");
	onresctrl_is(&k, "jobs", 0, "llc_occupancy", UNC_XCHECK_OK, "");
	HAS(onresctrl_row(&k, "", 0, "mbm_total_bytes")->why, "begun anew");
	onresctrl_goes_on(&k);
	SAME(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->counter, "RMID 77");
}

TEST(a_group_made_anew_between_two_samples_is_not_comparable)
{
	for (unsigned rmid = 5; rmid < 7; rmid++) {
		onresctrl_begin(&k, true);
		onresctrl_sample(&k, 3 * S_NS);
		onresctrl_goes_on(&k);
		onresctrl_drop(&k, "jobs");
		onresctrl_run(&k, "jobs", rmid, 0, 1);
		onresctrl_sample(&k, S_NS);
		onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", UNC_XCHECK_NOT_COMPARABLE,
			     rmid == 5 ? "the kernel began anew in this interval"
				       : "had RMID 5 when the interval began");
		onresctrl_goes_on(&k);
	}
}

TEST(a_kernel_that_goes_back_differs)
{
	onresctrl_begin(&k, true);
	onresctrl_sample(&k, 10 * S_NS);
	k.factor = 0.5;
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", UNC_XCHECK_DIFFERS, "resctrl's number went back");
}

/* CPUs are given to another group: the RMID is the group's all the same, and those that are left tell it. */
TEST(cpus_move_to_another_group)
{
	onresctrl_begin(&k, false);
	onresctrl_sample(&k, S_NS);
	onresctrl_carry(&k, 0, 0, 6);
	onresctrl_put(&k, "jobs", "cpus_list", "1\n");
	onresctrl_group(&k, "others", 6, "0", "");
	onresctrl_goes_on(&k);
	/* All of them: no CPU carries it any more, which is no reason to doubt it. */
	onresctrl_carry(&k, 1, 1, 6);
	onresctrl_put(&k, "jobs", "cpus_list", "\n");
	onresctrl_put(&k, "others", "cpus_list", "0-1\n");
	onresctrl_goes_on(&k);
	EQ(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->raw, 0);
}

TEST(another_rmid_is_seen_and_followed)
{
	onresctrl_begin(&k, false);
	onresctrl_sample(&k, S_NS);
	onresctrl_drop(&k, "jobs");
	onresctrl_run(&k, "jobs", 9, 0, 1);
	onresctrl_sample(&k, S_NS);
	HAS(onresctrl_row(&k, "jobs", 0, "mbm_local_bytes")->why, "had RMID 5 when the interval began, and has RMID 9");
	onresctrl_goes_on(&k);
	/* Another process writes there: which it is cannot be told any more, until it stops. */
	onresctrl_carry(&k, 1, 1, 20);
	onresctrl_sample(&k, S_NS);
	onresctrl_are(&k, UNC_XCHECK_NOT_COMPARABLE, "cpu 0 has RMID 9, cpu 1 RMID 20");
	onresctrl_carry(&k, 1, 1, 9);
	onresctrl_sample(&k, S_NS);
	onresctrl_goes_on(&k);
}

TEST(monitoring_groups_come_and_go)
{
	onresctrl_begin(&k, true);
	onresctrl_sample(&k, S_NS);
	onresctrl_run(&k, "jobs/mon_groups/a", 11, 1, 1);
	onresctrl_sample(&k, S_NS);
	HAS(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->why, "and has RMIDs 5, 11 now");
	onresctrl_goes_on(&k);
	onresctrl_drop(&k, "jobs/mon_groups/a");
	onresctrl_carry(&k, 1, 1, 5);
	onresctrl_sample(&k, S_NS);
	HAS(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->why, "and has RMID 5 now");
	onresctrl_goes_on(&k);
}

TEST(a_long_interval_reads_in_between)
{
	onresctrl_begin(&k, true);
	for (unsigned i = 0; i < 120; i++) { /* the kernel's own worker */
		OK(&k.x.o, unc_xcheck_sleep_until(k.xc, unc_machine_mono_ns(k.x.o.m) + 2 * S_NS));
		onresctrl_update(&k);
	}
	onresctrl_goes_on(&k);
	CU_ASSERT_TRUE(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->raw > BDX_UNIT << 24);
}

/* ---- what the files say ---- */

TEST(numbers_that_are_none)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"Unavailable\n",
		 "mon_L3_00/mbm_total_bytes says \"Unavailable\", which means that hardware has no number for it now"},
		{"Error\n", "says \"Error\", which means that hardware knows no such RMID"},
		{"Unassigned\n", "no counter is assigned to it (info/L3_MON/mbm_assign_mode)"},
		{"", "says \"\", which is not a number"},
		{"\n", "says \"\", which is not a number"},
		{"-1\n", "says \"-1\", which is not a number"},
		{"0x10\n", "says \"0x10\", which is not a number"},
		{" 5\n", "which is not a number"},
		{"5\n6\n", "which is not a number"},
		{"18446744073709551616\n", "which is not a number"},
		{"a number of very many letters that would not fit into any sentence that anybody reads\n",
		 "says \"a number of very many letters that would not fit into any se\""},
	};
	onresctrl_begin(&k, true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OK(&k.x.o, unc_xcheck_sleep_until(k.xc, unc_machine_mono_ns(k.x.o.m) + S_NS));
		onresctrl_update(&k);
		onresctrl_put(&k, "jobs", "mon_data/mon_L3_00/mbm_total_bytes", cases[i].text);
		OK(&k.x.o, unc_xcheck_sample(k.xc));
		onresctrl_rows(&k);
		onresctrl_is(&k, "jobs", 0, "mbm_total_bytes", UNC_XCHECK_NOT_COMPARABLE, cases[i].why);
		onresctrl_is(&k, "jobs", 0, "mbm_local_bytes", UNC_XCHECK_OK, "");
		onresctrl_sample(&k, S_NS);
		HAS(onresctrl_row(&k, "jobs", 0, "mbm_total_bytes")->why, "there was nothing to count from");
		onresctrl_goes_on(&k);
	}
}

static void count_line(void *arg, const char *line)
{
	(void)line;
	++*(unsigned *)arg;
}

TEST(a_dry_run_compares_nothing)
{
	struct onllc_state before;
	static unsigned lines; /* the machine is closed after the test, and reports what it would put back */

	onresctrl_open_bdx(&k, true);
	lines = 0;
	k.x.o.m->dry_run = count_line;
	k.x.o.m->dry_run_arg = &lines;
	unc_bus_close(k.x.o.m->bus[UNC_MSR]);
	k.x.o.m->bus[UNC_MSR] = NULL; /* to be opened again, now for that */
	before = onllc_state(&k.x);
	onresctrl_watch(&k, "jobs");
	onsim_trace_clear(&k.x.o);
	onresctrl_sample(&k, S_NS);
	onllc_is_as(&k.x, &before);
	EQ(onsim_trace_count(&k.x.o, "0xc8e"), 0);
	CU_ASSERT_TRUE(lines > 0);
	onresctrl_are(&k, UNC_XCHECK_NOT_COMPARABLE, "in a dry run");
	for (size_t i = 0; i < k.n; i++)
		CU_ASSERT_TRUE(k.rows[i].has_kernel && !k.rows[i].has_raw);
}

/* ---- what hardware says ---- */

TEST(hardware_may_say_no)
{
	static const struct {
		const char *own, *why;
	} cases[] = {
		{"dword_ns=0,qm=unavailable", "hardware has no number for this RMID now (Unavailable)"},
		{"dword_ns=0,qm=error", "(Error)"},
		{"dword_ns=0,disturb=1:1000000", "another program changed IA32_QM_EVTSEL"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onresctrl_open_loaded(&k, "bdx", BDX_16, cases[i].own);
		k.hw_id = true;
		onresctrl_group(&k, "", 0, "0-15", "");
		onresctrl_watch(&k, "");
		onresctrl_sample(&k, S_NS);
		onresctrl_are(&k, UNC_XCHECK_NOT_COMPARABLE, cases[i].why);
		for (size_t r = 0; r < k.n; r++)
			CU_ASSERT_TRUE(k.rows[r].has_kernel);
	}
}

TEST(one_disturbance_is_read_once_more)
{
	onresctrl_open_loaded(&k, "bdx", BDX_16, "dword_ns=0,disturb=30");
	k.hw_id = true;
	onresctrl_group(&k, "", 0, "0-15", "");
	onresctrl_watch(&k, "");
	onresctrl_sample(&k, S_NS);
	onresctrl_goes_on(&k);
}

TEST(the_erratum_is_corrected_on_either_side)
{
	onresctrl_open_bdx(&k, true);
	onresctrl_run(&k, "high", 140, 2, 2);
	onresctrl_watch(&k, "high");
	for (unsigned i = 0; i < 5; i++) {
		const struct unc_xcheck_row *row;

		onresctrl_sample(&k, S_NS);
		row = onresctrl_is(&k, "high", 0, "mbm_total_bytes", UNC_XCHECK_OK, "");
		CU_ASSERT_DOUBLE_EQUAL((double)row->kernel, (double)row->raw, 2.0 * BDX_UNIT);
		CU_ASSERT_DOUBLE_EQUAL((double)row->raw, 1e9, 3e7);
	}
}

TEST(every_kind_of_machine)
{
	static const struct {
		const char *model, *common;
		unsigned rmid;
	} cases[] = {
		{"skx", "sockets=1,cores=4", 5},        {"clx", "sockets=2,cores=4", 9},
		{"icx", "sockets=1,cores=4", 60},       {"icx", "sockets=1,cores=4,snc=2", 60},
		{"icx", "sockets=1,cores=4,snc=4", 60}, {"zen2", "sockets=1,cores=8", 7},
		{"zen3", "sockets=1,cores=8", 7},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onresctrl_open_loaded(&k, cases[i].model, cases[i].common, "dword_ns=0");
		onresctrl_begin_one(&k, cases[i].rmid);
		onresctrl_sample(&k, S_NS);
		onresctrl_sample(&k, S_NS);
		onresctrl_is(&k, "jobs", k.id[0], "mbm_total_bytes", UNC_XCHECK_OK, "");
		CU_ASSERT_TRUE(onresctrl_row(&k, "jobs", k.id[0], "mbm_total_bytes")->raw > 3900000000);
		onresctrl_is(&k, "jobs", k.id[0], "llc_occupancy", UNC_XCHECK_OK, "");
	}
}

TEST(a_kernel_that_does_not_know_clusters_differs)
{
	onresctrl_open_old(&k, "icx", test_text("sockets=1,cores=4,snc=2,load=%s", onsim_file(ONRESCTRL_LOAD)),
			   "dword_ns=0");
	onresctrl_begin_one(&k, 60);
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "jobs", k.id[0], "mbm_total_bytes", UNC_XCHECK_DIFFERS, "100 % more");
	onresctrl_is(&k, "jobs", k.id[0], "llc_occupancy", UNC_XCHECK_DIFFERS, "");
}

/* AMD's bandwidth counters, one by one for whom the kernel wants. */
TEST(counters_that_are_assigned_are_not_comparable)
{
	struct unc_xcheck_row *row;

	onresctrl_open_loaded(&k, "zen5", "sockets=1,cores=8,abmc=1", "dword_ns=0");
	onresctrl_begin_one(&k, 6);
	onresctrl_sample(&k, S_NS);
	onresctrl_sample(&k, S_NS);
	onresctrl_is(&k, "jobs", k.id[0], "llc_occupancy", UNC_XCHECK_OK, "");
	row = onresctrl_is(&k, "jobs", k.id[0], "mbm_total_bytes", UNC_XCHECK_NOT_COMPARABLE, "ABMC");
	HAS(row->why, "mbm_assign_mode");
	CU_ASSERT_TRUE(row->has_kernel);
}

/* ---- failures ---- */

static void read_all_but(uint64_t at)
{
	struct unc_fault fault = k.x.o.fault;
	int rc;

	fault.at = at;
	fault.seen = fault.done = 0;
	onsim_fail(&k.x.o, &fault);
	rc = onresctrl_try(&k, "jobs");
	if (rc == 0)
		rc = unc_xcheck_start(k.xc);
	if (rc == 0) {
		onsim_step(&k.x.o, S_NS);
		rc = unc_xcheck_sample(k.xc);
	}
	if (rc == 0) {
		onresctrl_rows(&k);
		for (size_t i = 0; i < k.n; i++)
			CU_ASSERT_NOT_EQUAL(k.rows[i].verdict, UNC_XCHECK_DIFFERS);
	} else {
		CU_ASSERT_TRUE(strlen(k.x.o.ctx->msg) > 20);
	}
}

/* One access that fails, any of them: registers are as they were, and nothing is said to differ. */
TEST(any_access_may_fail)
{
	unsigned n_failed = 0;

	for (uint64_t at = 1; at < 2000; at++) {
		struct onllc_state before;
		uint64_t seen;

		onresctrl_open(&k, "bdx", "sockets=1,cores=2,threads=1", "dword_ns=0");
		k.hw_id = at % 2;
		onresctrl_group(&k, "", 0, "1", "");
		onresctrl_run(&k, "jobs", 5, 0, 0);
		before = onllc_state(&k.x);
		read_all_but(at);
		seen = k.x.o.fault.done;
		onsim_work(&k.x.o);
		OK(&k.x.o, unc_xcheck_close(k.xc));
		k.xc = NULL;
		onllc_is_as(&k.x, &before);
		n_failed += seen != 0;
		if (!seen)
			break;
	}
	CU_ASSERT_TRUE(n_failed > 30 && n_failed < 1900);
}

TEST(nothing_at_all_can_be_read)
{
	onresctrl_begin(&k, true);
	onresctrl_sample(&k, S_NS);
	onsim_step(&k.x.o, S_NS);
	ONSIM_FAIL(&k.x.o, .at = 1, .forever = true);
	FAILS(&k.x.o, UNC_EIO, unc_xcheck_sample(k.xc), "QM_EVTSEL");
	onresctrl_rows(&k);
	onresctrl_are(&k, UNC_XCHECK_NOT_COMPARABLE, "the access failed");
	onsim_work(&k.x.o);
	onresctrl_sample(&k, S_NS);
	onresctrl_goes_on(&k);
}

/* ---- a kernel that the test plays ---- */

TEST(the_simulated_kernel_agrees)
{
	static const char *const models[] = {"bdx", "skx", "clx", "icx", "spr", "zen2", "zen3", "zen4"};

	for (size_t i = 0; i < 2 * sizeof(models) / sizeof(models[0]); i++) {
		const char *model = models[i / 2], *hw_id = i % 2 ? "on" : "off";

		onresctrl_close(&k);
		onllc_machine(
			&k.x, model,
			test_text("sockets=2,cores=4,resctrl=on,resctrl_group=jobs:7:0-1,resctrl_hw_id=%s", hw_id),
			"dword_ns=200");
		k.cfg.tolerance = -1;
		onresctrl_add(&k, "jobs");
		onresctrl_watch(&k, "");
		for (unsigned n = 0; n < 3; n++) {
			const struct unc_xcheck_row *row;
			unsigned compared = 0;

			OK(&k.x.o, unc_xcheck_sleep_until(k.xc, unc_machine_mono_ns(k.x.o.m) + S_NS));
			OK(&k.x.o, unc_xcheck_sample(k.xc));
			onresctrl_rows(&k);
			for (size_t r = 0; r < k.n; r++) {
				CU_ASSERT_NOT_EQUAL(k.rows[r].verdict, UNC_XCHECK_DIFFERS);
				compared += k.rows[r].verdict == UNC_XCHECK_OK;
			}
			EQ(compared, strncmp(model, "zen", 3) ? 12 : 9); /* AMD has no number where no CPU carries it */
			row = onresctrl_row(&k, "jobs", 0, "mbm_total_bytes");
			CU_ASSERT_TRUE(row->raw > 100000000);
			SAME(row->config, i % 2 ? "rmid=7 (mon_hw_id)" : "rmid=7 (IA32_PQR_ASSOC of cpu 0,1)");
		}
	}
}
