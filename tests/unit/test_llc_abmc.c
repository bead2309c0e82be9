// SPDX-License-Identifier: GPL-2.0-or-later
/* Bandwidth counters that are assigned to RMIDs (AMD's ABMC), and what bandwidth events count (BMEC): APM volume 2, section 19.3. */
#include "onllc.h"
#include "rdt/llc.h"
#include "uncore/reg.h"
#include "test.h"

EACH_ON_LLC(x)

enum { CFG = 0xc00003fd, DSC = 0xc00003fe, EXT = 0xc00003ff, EVT_CFG_0 = 0xc0000400, EVT_CFG_1 };
enum { COUNTERS = 32, PER_L3 = 8, CPUS = 16 };
#define ZEN5 "sockets=1,cores=16,threads=1,l3s=2"
#define ON   ZEN5 ",abmc=1"
#define ROOT ",resctrl=on"

/* How a counter of the CPU's L3 is assigned. */
static uint64_t shown(unsigned cpu, unsigned counter)
{
	uint64_t was = onllc_peek(&x, cpu, CFG), is;

	onllc_poke(&x, cpu, CFG, (uint64_t)counter << 48);
	is = onllc_peek(&x, cpu, DSC);
	onllc_poke(&x, cpu, CFG, was & ~(UINT64_C(1) << 63));
	return is;
}

static unsigned n_assigned(unsigned cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < COUNTERS; i++)
		n += shown(cpu, i) >> 62 & 1;
	return n;
}

/* All is as after a reset: nothing is assigned, nothing selected. */
static void is_untouched(unsigned on)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		EQ(onllc_peek(&x, cpu, EXT), on);
		EQ(onllc_peek(&x, cpu, R_PQR), 0);
		EQ(onllc_peek(&x, cpu, R_EVTSEL), 0);
		if (on)
			EQ(onllc_peek(&x, cpu, CFG), 0);
	}
	for (unsigned cpu = 0; cpu < CPUS && on; cpu += PER_L3)
		for (unsigned i = 0; i < COUNTERS; i++)
			EQ(shown(cpu, i), (uint64_t)i << 48);
	EQ(onllc_peek(&x, 0, EVT_CFG_0), 0x7f);
	EQ(onllc_peek(&x, 0, EVT_CFG_1), 0x15);
}

/* The bandwidth of a row is what its RMID moved in a second, in whole units of 64 bytes. */
static void reads_true(size_t row)
{
	const struct unc_llc_row_info *info = &x.infos[row];
	struct unc_sim_llc before = onllc_truth(&x, info->l3, info->rmid), now;

	onllc_read_after(&x, S_NS);
	now = onllc_truth(&x, info->l3, info->rmid);
	STATUS_IS(&x, row, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_OK);
	CU_ASSERT_TRUE(x.rows[row].values[UNC_LLC_TOTAL].bytes > 0);
	CU_ASSERT_TRUE(x.rows[row].values[UNC_LLC_TOTAL].bytes + 64 > now.total_bytes - before.total_bytes);
	CU_ASSERT_TRUE(x.rows[row].values[UNC_LLC_TOTAL].bytes < now.total_bytes - before.total_bytes + 64);
	CU_ASSERT_TRUE(x.rows[row].values[UNC_LLC_LOCAL].bytes + 64 > now.local_bytes - before.local_bytes);
	CU_ASSERT_TRUE(x.rows[row].values[UNC_LLC_LOCAL].bytes < now.local_bytes - before.local_bytes + 64);
}

TEST(groups_get_counters_and_give_them_back)
{
	ONLLC(&x, "zen5", ON, "dword_ns=0", NULL, "a", "0-3,8", "b", "4");
	for (unsigned k = 0; k < 3; k++)
		for (size_t i = 0; i < x.n; i++)
			if (!x.infos[i].sum)
				reads_true(i);
	FLAGS_ARE(&x, 0, 0, 0, 0);
	EQ(x.infos[0].rmid, 0xfff);
	EQ(n_assigned(0), 4);
	EQ(n_assigned(8), 2);
	EQ(shown(7, 31), UINT64_C(0x401f0fff0000007f));
	EQ(shown(7, 30), UINT64_C(0x401e0fff00000015));
	EQ(shown(7, 29), UINT64_C(0x401d0ffe0000007f));
	EQ(onsim_trace_count(&x.o, "w64 0xc00003fd 0xc01f0fff0000007f"), 2); /* once an L3 */
	EQ(onsim_trace_count(&x.o, "w64 0xc00003ff "), 0);
	onllc_stop(&x);
	is_untouched(1);
}

/* The values of the manual's examples. */
TEST(what_is_assigned_already_is_read)
{
	ONLLC(&x, "zen5", ON, "dword_ns=0", NULL, "other", "15");
	onllc_stop(&x);
	onllc_poke(&x, 2, CFG, UINT64_C(0xc00000010000007f));
	onllc_poke(&x, 2, CFG, UINT64_C(0xc001000100000015));
	onllc_poke(&x, 0, CFG, UINT64_C(0xc00501230000007f)); /* on the CPU on which it is read */
	onllc_poke(&x, 0, R_PQR, 1);
	onllc_poke(&x, 1, R_PQR, 0x123);
	OK(&x.o, unc_llc_open(x.o.m, &(struct unc_llc_cfg){0}, &x.llc));
	OK(&x.o, unc_llc_add_rmid(x.llc, 1));
	OK(&x.o, unc_llc_add_rmid(x.llc, 0x123));
	onsim_trace_clear(&x.o);
	onllc_start(&x);
	reads_true(0);
	CU_ASSERT_TRUE(onsim_trace_count(&x.o, "w64 0xc8d 0x0000000580000001") > 0);
	EQ(onsim_trace_count(&x.o, "w64 0xc8d 0x0000012300000002"), 0);
	STATUS_IS(&x, 2, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_UNASSIGNED);
	STATUS_IS(&x, 3, UNC_LLC_UNAVAILABLE, UNC_LLC_UNASSIGNED, UNC_LLC_UNASSIGNED); /* the other L3 */
	EQ(x.rows[2].flags, UNC_LLC_NO_COUNTER);
	EQ(x.rows[2].values[UNC_LLC_LOCAL].bytes, 0);
	onllc_stop(&x);
	EQ(n_assigned(0), 3);
	EQ(onllc_peek(&x, 0, CFG), UINT64_C(0x400501230000007f)); /* not assigned once more */
}

/* Counters are not assigned, and those that the kernel assigns are followed. */
TEST(beside_the_kernel_nothing_is_assigned)
{
	struct unc_llc_cfg cfg = {.shared = true, .interval_ns = S_NS};

	onllc_open(&x, "zen5", ON ROOT, "dword_ns=0", &cfg);
	onllc_group(&x, "a", "0-3");
	onllc_start(&x);
	EQ(x.infos[0].rmid, 0xfff);
	onllc_read_after(&x, S_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_UNASSIGNED, UNC_LLC_UNASSIGNED);
	EQ(n_assigned(0), 0);
	onllc_poke(&x, 6, CFG, UINT64_C(0xc0040fff0000007f));
	onllc_read_after(&x, S_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_STALE, UNC_LLC_UNASSIGNED);
	onllc_poke(&x, 6, CFG, UINT64_C(0xc0030fff00000015));
	onllc_read_after(&x, S_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_STALE);
	reads_true(0);
	onllc_poke(&x, 6, CFG, UINT64_C(0xc0040ffe0000007f)); /* another group's now */
	onllc_read_after(&x, 10 * MS_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_UNASSIGNED, UNC_LLC_OK);
	onllc_stop(&x);
	EQ(n_assigned(0), 2);
	EQ(onsim_trace_count(&x.o, "w64 0xc00003fd 0xc"), 0);
	EQ(onsim_trace_count(&x.o, "w64 0xc00003fd 0x8"), 0);
}

TEST(where_no_counter_is_left_there_is_no_number)
{
	char why[300];

	ONLLC(&x, "zen5", ON, "dword_ns=0", NULL, "other", "15");
	onllc_stop(&x);
	for (uint64_t i = 0; i < COUNTERS - 1; i++) /* the lowest but one stays */
		onllc_poke(&x, 0, CFG, UINT64_C(0xc00000070000007f) | (i + (i >= 1)) << 48);
	OK(&x.o, unc_llc_open(x.o.m, &(struct unc_llc_cfg){0}, &x.llc));
	ONLLC_GROUPS(&x, "a", "0", "b", "1");
	EQ(shown(0, 1), UINT64_C(0x40010fff0000007f));
	onllc_read_after(&x, S_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_UNASSIGNED);
	STATUS_IS(&x, 1, UNC_LLC_OK, UNC_LLC_UNASSIGNED, UNC_LLC_UNASSIGNED);
	CU_ASSERT_FALSE(unc_llc_complete(x.llc, why, sizeof(why)));
	HAS(why, "local bandwidth: no bandwidth counter is assigned to its RMID (ABMC)");
}

TEST(a_counter_that_another_program_takes_has_no_number)
{
	ONLLC(&x, "zen5", ON, "dword_ns=0", NULL, "a", "0");
	reads_true(0);
	onllc_poke(&x, 5, CFG, UINT64_C(0xc01f00090000007f));
	onllc_read_after(&x, S_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_UNASSIGNED, UNC_LLC_OK);
	HAS(x.o.notes, "L3 0: another program took bandwidth counter 31");
	onllc_stop(&x);
	EQ(shown(0, 31), UINT64_C(0x401f00090000007f));
	EQ(n_assigned(0), 1);
}

TEST(it_is_switched_on_for_a_run_and_off_again)
{
	struct unc_llc_cfg cfg = {.assign = true};

	ONLLC(&x, "zen5", ZEN5, "dword_ns=0", NULL, "other", "15");
	onllc_stop(&x);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		onllc_poke(&x, cpu, EXT, 2); /* SDCIAE stays */
	onsim_trace_clear(&x.o);
	OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
	ONLLC_GROUPS(&x, "a", "0-3", "b", "4");
	HAS(x.o.notes, "all bandwidth counters of 1 L3 restart now, and again at the end");
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		EQ(onllc_peek(&x, cpu, EXT), cpu < PER_L3 ? 3 : 2);
	reads_true(0);
	reads_true(1);
	onllc_stop(&x);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		EQ(onllc_peek(&x, cpu, EXT), 2);
		onllc_poke(&x, cpu, EXT, 0);
	}
	is_untouched(0);
	EQ(onsim_trace_count(&x.o, "w64 0xc00003ff "), 2 * PER_L3);
}

TEST(what_events_count_is_set_for_a_run)
{
	for (unsigned on = 0; on < 2; on++) {
		struct unc_llc_cfg cfg = {.types = {[UNC_LLC_TOTAL] = 0x01, [UNC_LLC_LOCAL] = 0x40}};
		struct unc_sim_llc before, now;

		ONLLC(&x, "zen5", on ? ON : ZEN5, "dword_ns=0", &cfg, "a", "0-3");
		EQ(onllc_peek(&x, 0, EVT_CFG_0), 0x01);
		EQ(onllc_peek(&x, 0, EVT_CFG_1), 0x40);
		EQ(onllc_peek(&x, 8, EVT_CFG_1), 0x15); /* of an L3 that is not in use */
		onllc_read_after(&x, S_NS);
		before = onllc_truth(&x, 0, 0xfff);
		onllc_read_after(&x, S_NS);
		now = onllc_truth(&x, 0, 0xfff);
		EQ(x.rows[0].values[UNC_LLC_TOTAL].bytes / 64, now.local_bytes / 64 - before.local_bytes / 64);
		EQ(x.rows[0].values[UNC_LLC_LOCAL].bytes, 0); /* lines written back: none here */
		EQ(x.rows[0].values[UNC_LLC_LOCAL].status, UNC_LLC_OK);
		onllc_stop(&x);
		is_untouched(on);
	}
}

TEST(what_cannot_be_set_is_refused_untouched)
{
	const struct {
		const char *model, *common;
		struct unc_llc_cfg cfg;
		int rc;
		const char *why;
	} cases[] = {
		{"zen5", ZEN5 ROOT, {.assign = true, .shared = true}, UNC_EBUSY, "resctrl is mounted at"},
		{"zen5", ZEN5 ROOT, {.types = {0, 1}, .shared = true}, UNC_EBUSY, "resctrl is mounted at"},
		{"zen5", ZEN5 ",offline=9", {.assign = true}, UNC_ENODEV, "some are offline: bring them online"},
		{"zen4", "sockets=1", {.assign = true}, UNC_ENOSUP, "no bandwidth counters that can be assigned"},
		{"zen4",
		 "sockets=1",
		 {.types = {0, 0x80}},
		 UNC_ENOSUP,
		 "cannot count 0x80 as total bandwidth: it can 0x7f"},
		{"zen3",
		 "sockets=1",
		 {.types = {0, 0, 1}},
		 UNC_ENOSUP,
		 "cannot count 0x1 as local bandwidth: it can 0x0"},
		{"bdx", "sockets=1", {.assign = true}, UNC_ENOSUP, "(ABMC)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc;

		onllc_close(&x);
		onllc_machine(&x, cases[i].model, cases[i].common, "dword_ns=0");
		rc = unc_llc_open(x.o.m, &cases[i].cfg, &x.llc);
		if (rc == 0) {
			onllc_group(&x, "a", "0-3");
			rc = onllc_try_start(&x);
		}
		EQ(rc, cases[i].rc);
		HAS(x.o.m->ctx->msg, cases[i].why);
		EQ(onsim_trace_count(&x.o, " w64 0xc00003ff"), 0);
		EQ(onsim_trace_count(&x.o, " w64 0xc0000400"), 0);
	}
}

TEST(an_l3_whose_cpus_differ_has_no_bandwidth)
{
	struct unc_llc_cfg cfg = {.events = 1 << UNC_LLC_OCCUPANCY};

	onllc_machine(&x, "zen5", ON, "dword_ns=0");
	onllc_poke(&x, 5, EXT, 0);
	OK(&x.o, unc_llc_open(x.o.m, &(struct unc_llc_cfg){0}, &x.llc));
	onllc_group(&x, "a", "0");
	FAILS(&x.o, UNC_ENOSUP, onllc_try_start(&x), "L3 0: cpu 0 and cpu 5 differ in L3_QOS_EXT_CFG (ABMC)",
	      "occupancy alone");
	onllc_stop(&x);
	OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
	ONLLC_GROUPS(&x, "a", "0");
	onllc_stop(&x);
	cfg = (struct unc_llc_cfg){.assign = true};
	OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
	ONLLC_GROUPS(&x, "a", "0");
	reads_true(0);
	onllc_stop(&x);
	EQ(onllc_peek(&x, 5, EXT), 0);
	EQ(onllc_peek(&x, 4, EXT), 1);
}

/* Each access fails once: what was written is back. */
TEST(when_any_access_fails_all_is_put_back)
{
	struct unc_llc_cfg cfg = {.assign = true, .types = {[UNC_LLC_LOCAL] = 0x40}};
	bool failed = true;

	for (unsigned at = 1; failed; at += 3) {
		int rc;

		onllc_close(&x);
		onllc_machine(&x, "zen5", ZEN5, "dword_ns=0");
		OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
		onllc_group(&x, "a", "0");
		ONSIM_FAIL(&x.o, .at = at);
		rc = onllc_try_start(&x);
		if (rc == 0)
			unc_llc_read(x.llc, x.rows, x.n);
		EQ(onllc_try_stop(&x), 0);
		failed = x.o.fault.done;
		onsim_work(&x.o);
		is_untouched(0);
	}
}

static unsigned n_lines;

static void count_line(void *arg, const char *line)
{
	(void)arg;
	n_lines += strstr(line, "L3_QOS_ABMC_CFG at 0xc00003fd: 0xc01f0fff0000007f (apply=1 en=1 number=0x1f") != NULL;
	n_lines += strstr(line, "L3_QOS_ABMC_CFG at 0xc00003fd: 0x801f000000000000 (apply=1 number=0x1f)") != NULL;
}

TEST(a_dry_run_says_what_would_be_assigned_and_given_back)
{
	n_lines = 0;
	onllc_machine(&x, "zen5", ON, "dword_ns=0");
	x.o.m->dry_run = count_line;
	unc_bus_close(x.o.m->bus[UNC_MSR]);
	x.o.m->bus[UNC_MSR] = NULL; /* to be opened again, now for that */
	OK(&x.o, unc_llc_open(x.o.m, &(struct unc_llc_cfg){0}, &x.llc));
	onllc_group(&x, "a", "0");
	onllc_start(&x);
	onllc_read(&x);
	onllc_stop(&x);
	EQ(n_lines, 2);
	EQ(onsim_trace_count(&x.o, " w64 "), 0);
}

/* Another process that reads RMIDs 0 and 1, or has a group of CPU 3. */
static int start_another(struct onplain *p, const char *model, bool group, struct unc_llc **ret_llc)
{
	unsigned cpu = 3;
	int rc;

	onplain_open(p, test_text("sim:%s,sockets=1,cores=4,threads=1,clock=step,state=%s", model, x.o.state));
	OK(p, unc_llc_open(p->m, &(struct unc_llc_cfg){0}, ret_llc));
	OK(p, group ? unc_llc_add(*ret_llc, "g", &cpu, 1) : unc_llc_add_rmid(*ret_llc, 0));
	rc = unc_llc_start(*ret_llc);
	return rc;
}

/* Each CPU has its own QM_EVTSEL from Zen 4 on; groups need RMIDs of the whole L3. */
TEST(readers_lock_each_other_out_only_where_they_share_a_selector)
{
	static const char *const models[] = {"zen3", "zen4", "zen5"};

	for (unsigned i = 0; i < 6; i++) {
		bool group = i >= 3;
		struct unc_llc *llc;
		struct onplain p;

		onllc_open(&x, models[i % 3], "sockets=1,cores=4,threads=1", "dword_ns=0", NULL);
		OK(&x.o, unc_llc_add_rmid(x.llc, 0));
		onllc_start(&x);
		EQ(start_another(&p, models[i % 3], group, &llc), i % 3 ? 0 : UNC_EBUSY);
		OK(&p, unc_llc_close(llc));
		onplain_close(&p);
	}
}

/* As Linux does when resctrl is mounted: RMIDs would show 0. */
TEST(switched_by_another_program_there_is_no_number)
{
	for (unsigned on = 0; on < 2; on++) {
		ONLLC(&x, "zen5", on ? ON : ZEN5, "dword_ns=0", NULL, "a", "0-3,8");
		reads_true(0);
		for (unsigned cpu = 0; cpu < PER_L3; cpu++)
			onllc_poke(&x, cpu, EXT, !on);
		for (unsigned k = 0; k < 2; k++) {
			onllc_read_after(&x, S_NS);
			if (k) /* the first has another reason, too */
				STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_UNASSIGNED, UNC_LLC_UNASSIGNED);
			CU_ASSERT_TRUE(x.rows[0].values[UNC_LLC_TOTAL].status != UNC_LLC_OK);
			STATUS_IS(&x, 1, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_OK);
			EQ(x.rows[0].flags, UNC_LLC_NO_COUNTER);
		}
		EQ(onsim_count(x.o.notes, on ? "switched ABMC off" : "switched ABMC on"), 1);
		if (on)
			for (unsigned cpu = 0; cpu < PER_L3; cpu++)
				onllc_poke(&x, cpu, EXT, 1);
		onllc_stop(&x);
	}
}

/* In a suspend all assignments are lost.  The kernel assigns them again: the same counter, which begins at 0. */
TEST(after_a_suspend_counters_are_looked_for_again)
{
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		struct unc_llc_cfg cfg = {.shared = kernel, .interval_ns = S_NS};

		onllc_open(&x, "zen5", kernel ? ON ROOT : ON, "dword_ns=0", &cfg);
		if (kernel) {
			onllc_poke(&x, 6, CFG, UINT64_C(0xc00400070000007f));
			onllc_poke(&x, 0, R_PQR, 7);
			OK(&x.o, unc_llc_add_rmid(x.llc, 7));
		} else {
			onllc_group(&x, "a", "0-3");
		}
		onllc_start(&x);
		onllc_read_after(&x, S_NS);
		onllc_read_after(&x, S_NS);
		EQ(x.rows[0].values[UNC_LLC_TOTAL].status, UNC_LLC_OK);
		CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(x.o.hand, 3600 * S_NS), 0);
		if (kernel) {
			onllc_poke(&x, 0, R_PQR, 7);
			onllc_poke(&x, 6, CFG, UINT64_C(0xc00400070000007f));
		}
		onllc_read_after(&x, S_NS);
		CU_ASSERT_TRUE(x.rows[0].values[UNC_LLC_TOTAL].status != UNC_LLC_OK);
		onllc_read_after(&x, S_NS);
		EQ(x.rows[0].values[UNC_LLC_TOTAL].status, kernel ? UNC_LLC_OK : UNC_LLC_UNASSIGNED);
		onllc_stop(&x);
	}
}

/* It begins at 0 again within an interval, as where the kernel takes a counter away and gives it back, or a CPU was offline. */
TEST(a_counter_that_is_assigned_once_more_has_no_number)
{
	struct unc_llc_cfg cfg = {.shared = true, .interval_ns = S_NS};

	onllc_open(&x, "zen5", ON ROOT, "dword_ns=0", &cfg);
	onllc_poke(&x, 6, CFG, UINT64_C(0xc00400070000007f));
	onllc_poke(&x, 0, R_PQR, 7);
	OK(&x.o, unc_llc_add_rmid(x.llc, 7));
	onllc_start(&x);
	onllc_read_after(&x, S_NS);
	for (unsigned i = 0; i < 5; i++) {
		onsim_step(&x.o, S_NS / 10 * (i + 1));
		onllc_poke(&x, 6, CFG, UINT64_C(0xc00400070000007f));
		onllc_read_after(&x, S_NS);
		CU_ASSERT_TRUE(x.rows[0].values[UNC_LLC_TOTAL].status != UNC_LLC_OK);
		EQ(x.rows[0].values[UNC_LLC_TOTAL].bytes, 0);
	}
	onllc_read_after(&x, S_NS);
	EQ(x.rows[0].values[UNC_LLC_TOTAL].status, UNC_LLC_OK);
	onllc_stop(&x);
}

/* Only reading RMIDs, and assigning on an L3 of its own. */
TEST(two_processes_assign_on_two_l3s)
{
	struct unc_llc_cfg cfg = {.assign = true};
	unsigned cpus[] = {9, 3};
	struct unc_llc *llc;
	struct onplain p;

	onllc_open(&x, "zen5", ZEN5, "dword_ns=0", &cfg);
	ONLLC_GROUPS(&x, "a", "0");
	for (unsigned i = 0; i < 2; i++) {
		onplain_open(&p, test_text("sim:zen5," ZEN5 ",clock=step,dword_ns=0,state=%s", x.o.state));
		OK(&p, unc_llc_open(p.m, &cfg, &llc));
		OK(&p, unc_llc_add(llc, "b", &cpus[i], 1));
		EQ(unc_llc_start(llc), i ? UNC_EBUSY : 0);
		EQ(onllc_peek(&x, 9, EXT), !i);
		reads_true(0);
		OK(&p, unc_llc_close(llc));
		onplain_close(&p);
	}
	onllc_stop(&x);
	is_untouched(0);
}

/* The register that selects is not in the journal then. */
TEST(counters_are_not_looked_at_by_the_way)
{
	struct unc_reg_info info;
	struct unc_box *box;
	uint64_t value;
	size_t n;

	onllc_machine(&x, "zen5", ON, "dword_ns=0");
	OK(&x.o, unc_machine_cpu_box(x.o.m, "rdt", 0, &box));
	n = onsim_reg_number(box, "ABMC_COUNTER", 3);
	OK(&x.o, unc_box_reg_info(box, n, &info));
	CU_ASSERT_TRUE(info.indirect);
	FAILS(&x.o, UNC_EIO, unc_box_reg_read(box, n, &value), "reached only by writing L3_QOS_ABMC_CFG");
	EQ(onsim_trace_count(&x.o, " w64 "), 0);
}
