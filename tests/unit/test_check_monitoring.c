// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of cache monitoring: quiet on every healthy machine, loud where something is wrong, and all is put back. */
#define _GNU_SOURCE
#include "onchecks.h"
#include "simmsr.h"
#include "onllc.h"
#include "test.h"
#include "tree.h"

/* Each of the CPUs that are online. */
static struct onllc_state state_of(void)
{
	struct onllc_state state = {.n = unc_sim_info(rig.o.hand).n_cpus};

	CU_ASSERT_FATAL(state.n <= ONLLC_CPUS);
	for (unsigned i = 0; i < state.n; i++)
		if (sim_msr_read(rig.o.hand, i, R_PQR, &state.pqr[i]) == 0)
			CU_ASSERT_EQUAL(sim_msr_read(rig.o.hand, i, R_EVTSEL, &state.evtsel[i]), 0);
	return state;
}

static struct onllc_state before; /* of the machine that is open: it must be the same afterwards */

static void is_as_before(void)
{
	struct onllc_state after = state_of();

	EQ(onllc_differ(&before, &after), 0);
}

/* A machine whose MSRs can fail, and are in the trace. */
static void open_machine(const char *model, const char *options, const char *own)
{
	struct unc_bus *bus = NULL;

	onchecks_open(model, options, own);
	OK(&rig.o, unc_machine_bus(rig.o.m, UNC_MSR, &bus));
	OK(&rig.o, unc_fault_wrap(rig.o.m->bus[UNC_MSR], &rig.o.fault, &bus));
	rig.o.m->bus[UNC_MSR] = bus;
	onsim_trace_clear(&rig.o);
	before = state_of();
}

static void poke_pqr(unsigned cpu, uint64_t value)
{
	CU_ASSERT_EQUAL(sim_msr_write(rig.o.hand, cpu, R_PQR, value), 0);
	before = state_of();
}

static void run(enum unc_check_depth depth, const char *only)
{
	onchecks_run(depth, only, NULL, 0);
	is_as_before();
}

static void passed_and_skipped(size_t passed, size_t skipped)
{
	struct unc_check_result result;
	bool good = onchecks_count(NULL, UNC_CHECK_PASS) == passed && onchecks_count(NULL, UNC_CHECK_SKIP) == skipped;

	for (size_t i = 0; !good && unc_check_result(rig.check, i, &result) == 0; i++)
		if (result.state != UNC_CHECK_PASS)
			fprintf(stderr, "%s %s: %s\n", result.check, result.subject, result.finding);
	EQ(onchecks_count(NULL, UNC_CHECK_PASS), passed);
	EQ(onchecks_count(NULL, UNC_CHECK_SKIP), skipped);
}

EACH(NULL, onchecks_end)

/* ---- healthy ---- */

struct healthy {
	const char *model, *options;
	size_t passed; /* in usual depth; the rest of the results is skipped, */
	size_t skipped;
};

/* A result of CPUID, and nine of each L3; of AMD's two in each package. */
static const struct healthy healthy[] = {
	{"hsx", "sockets=2,cores=4", 17, 2}, /* which has no bandwidth */
	{"hsx", "sockets=1,cores=4,qm_scope=package", 9, 1},
	{"bdx", BDX_16, 19, 0},
	{"bdx", "sockets=4,cores=4,offline=1-3", 37, 0},
	{"bdxde", "", 10, 0},
	{"skx", "sockets=2,cores=4", 19, 0},
	{"skx", "sockets=1,cores=28,mbm_erratum=1", 10, 0},
	{"clx", "sockets=2,cores=4,frz_en=wo", 19, 0},
	{"cpx", "sockets=8,cores=2", 73, 0},
	{"icx", "", 10, 0},
	{"icx", "snc=2", 10, 0},
	{"icx", "snc=4,qm_scope=package", 10, 0},
	{"spr", "snc=2,offline=0-3", 10, 0},
	{"zen2", "sockets=1,cores=16", 19, 0},
	{"zen3", "sockets=1,cores=16", 19, 0},
	{"zen4", "", 19, 0},
	{"zen5", "sockets=1,cores=16", 19, 0},
	{"zen5", "sockets=1,cores=16,abmc=1", 17, 2},
	{"bdx", "sockets=1,cores=1,threads=1", 9, 1}, /* no two CPUs share an L3 */
};

static void is_healthy(const struct healthy *h, const char *options)
{
	open_machine(h->model, options, NULL);
	run(UNC_CHECK_USUAL, "monitoring");
	passed_and_skipped(h->passed, h->skipped);
}

TEST(on_healthy_machines_all_pass_and_all_is_put_back)
{
	for (size_t i = 0; i < sizeof(healthy) / sizeof(healthy[0]); i++)
		is_healthy(&healthy[i], healthy[i].options);
}

TEST(whatever_the_load_and_the_durations_all_pass)
{
	static const size_t some[] = {2, 5, 10, 13};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		const struct healthy *h = &healthy[some[i]];

		for (unsigned seed = 1; seed <= 6; seed++)
			is_healthy(h, test_text("%s%sseed=%u", h->options, h->options[0] ? "," : "", seed));
	}
}

TEST(quick_needs_little_time)
{
	static const char *const machines[] = {"sim:hsx,clock=step,sockets=2", "sim:bdx,clock=step,sockets=2",
					       "sim:skx,clock=step,sockets=2", "sim:zen5,clock=step,sockets=2"};
	static const char *const only[] = {"monitoring"};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct unc_check *check = NULL;
		struct onplain p;
		uint64_t begin_ns;

		onplain_open(&p, machines[i]);
		OK(&p, unc_check_open(p.m, &(struct unc_check_cfg){.only = only, .n_only = 1}, &check));
		begin_ns = unc_machine_raw_ns(p.m);
		OK(&p, unc_check_run(check));
		CU_ASSERT(unc_machine_raw_ns(p.m) - begin_ns < 500 * MS_NS);
		unc_check_close(check);
		onplain_close(&p);
	}
}

/* ---- defects ---- */

TEST(each_defect_is_found_where_it_should_be)
{
	static const struct {
		const char *model, *options, *defect, *check, *subject, *piece;
	} cases[] = {
		{"hsx", "sockets=2,cores=4", "rmid-off", "monitoring.follows", "socket1.l3-1",
		 "while it walked 11.8 MB, but that RMID got 0.0 MB; now RMID 69 owns most, 12"},
		{"icx", "snc=2", "rmid-off", "monitoring.follows", "socket0.l3-0", "that RMID got 0.0 MB"},
		{"zen3", "sockets=1,cores=16", "rmid-off", "monitoring.follows", "socket0.l3-0",
		 "that RMID got 0.0 MB"},
		{"hsx", "sockets=2,cores=4", "no-error", "monitoring.error", "socket0.l3-0", "without the error bit"},
		{"hsx", "sockets=2,cores=4", "no-error", "monitoring.rmids", "socket0.l3-0", "RMID 72 does not exist"},
		{"zen2", "sockets=1,cores=16", "no-error", "monitoring.error", "socket0.l3-0", "without the error bit"},
		{"hsx", "sockets=2,cores=4", "upscale-off:25", "monitoring.occupancy", "socket0.l3-0",
		 "occupancy rose by"},
		{"bdx", BDX_16, "upscale-off:10", "monitoring.bandwidth", "socket1.l3-1", "% off"},
		{"icx", "", "upscale-off:-10", "monitoring.bandwidth", "socket0.l3-0", "the channels of its socket"},
		{"skx", "sockets=1", "upscale-off:-20", "monitoring.sum", "socket0.l3-0", "of an L3 of 40.4 MB"},
		{"hsx", "sockets=2,cores=4", "never-falls", "monitoring.falls", "socket0.l3-0", "and still"},
		{"zen4", "", "never-falls", "monitoring.falls", "socket0.l3-0", "and still"},
		{"bdx", BDX_16, "stuck0:cpu9:0xc8f:3", "monitoring.assoc", "socket0.l3-0", "cpu9.rdt: RMID 143"},
		{"bdx", BDX_16, "stuck0:cpu4:0xc8d:0", "monitoring.scope", "socket1.l3-1", "does not hold on cpu 4"},
		{"bdx", BDX_16, "stuck0:cpu4:0xc8d:0", "monitoring.error", "socket1.l3-1", "does not hold event 1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *options = cases[i].options;

		options = test_text("%s%sdefect=%s", options, options[0] ? "," : "", cases[i].defect);
		onchecks_quick(cases[i].model, options, NULL, cases[i].check);
		rig.broken = true;
		FOUND(cases[i].check, cases[i].subject, UNC_CHECK_FAIL, cases[i].piece);
		CU_ASSERT(onchecks_result(cases[i].check, cases[i].subject).n_values > 0);
	}
}

TEST(each_cpu_is_tried_in_full_depth)
{
	onchecks_open("bdx", BDX_16 ",defect=assoc-dead:cpu9", NULL);
	rig.broken = true;
	onchecks_run(UNC_CHECK_USUAL, "monitoring.follows", NULL, 0);
	FOUND("monitoring.follows", "socket0.l3-0", UNC_CHECK_PASS, "beside them got 0.0 MB");
	onchecks_run(UNC_CHECK_FULL, "monitoring.follows", NULL, 0);
	FOUND("monitoring.follows", "socket0.l3-0", UNC_CHECK_FAIL, "cpu 9 carried RMID");
	FOUND("monitoring.follows", "socket1.l3-1", UNC_CHECK_PASS, "so did the RMID of each of 7 other CPUs");
}

/* ---- what is found out ---- */

TEST(whose_register_evtsel_is_is_found_out)
{
	onchecks_quick("bdx", BDX_16, NULL, "monitoring.scope");
	FOUND("monitoring.scope", "socket0.l3-0", UNC_CHECK_PASS,
	      "shows on cpu 0, of 8 that share the L3: each has its own");
	TESTED("monitoring.scope", "socket0.l3-0", "QM_EVTSEL: {tested: \"one for each CPU");
	CU_ASSERT_PTR_NULL(onchecks_result("monitoring.scope", "socket1.l3-1").tested); /* once is enough */
	onchecks_quick("bdx", BDX_16 ",qm_scope=package", NULL, "monitoring.scope");
	FOUND("monitoring.scope", "socket1.l3-1", UNC_CHECK_PASS,
	      "shows on cpus 4-7,12-15, of 8 that share the L3: it has one");
	TESTED("monitoring.scope", "socket0.l3-0", "one for the L3 (as Linux takes it)");
}

TEST(where_the_map_doubts_the_width_of_rmids_the_silicon_is_quoted)
{
	onchecks_quick("zen5", "sockets=1,cores=16", NULL, "monitoring.rmids");
	FOUND("monitoring.rmids", "socket0.l3-0", UNC_CHECK_PASS,
	      "RMID 4095, by CPUID 0xF.0 EBX the highest, is taken by");
	TESTED("monitoring.rmids", "socket0.l3-0", "PQR_ASSOC.rmid: {tested: \"RMID 4095", "one more does not fit");
	onchecks_quick("bdx", BDX_16, NULL, "monitoring.rmids");
	FOUND("monitoring.rmids", "socket1.l3-1", UNC_CHECK_PASS, "and one more is refused");
	CU_ASSERT_PTR_NULL(onchecks_result("monitoring.rmids", "socket1.l3-1").tested);
}

TEST(the_class_of_service_stays_as_it_is)
{
	open_machine("bdx", BDX_16, NULL);
	for (unsigned cpu = 0; cpu < 16; cpu++)
		poke_pqr(cpu, (uint64_t)(cpu % 4) << 32);
	run(UNC_CHECK_FULL, "monitoring");
	passed_and_skipped(19, 0);
	/* One that may fill the whole cache makes the traffic. */
	FOUND("monitoring.occupancy", "socket0.l3-0", UNC_CHECK_PASS, "cpu 8 walked");
}

/* ---- others ---- */

/* Such a bit looks as if another program used an RMID. */
TEST(an_rmid_bit_that_is_stuck_at_1_is_found_by_force)
{
	for (unsigned bit = 0; bit < 7; bit++) {
		onchecks_quick("bdx", test_text(BDX_16 ",defect=stuck1:cpu5:0xc8f:%u", bit), NULL, "monitoring.assoc");
		rig.broken = true;
		FOUND("monitoring.assoc", "socket1.l3-1", UNC_CHECK_SKIP, "cpu 5 carries RMID");
		rig.cfg.force = true;
		onchecks_run(UNC_CHECK_QUICK, "monitoring.assoc", NULL, 0);
		FOUND("monitoring.assoc", "socket0.l3-0", UNC_CHECK_PASS,
		      "2 RMIDs, of them 143 and 112, read back on all 8");
		FOUND("monitoring.assoc", "socket1.l3-1", UNC_CHECK_FAIL, "cpu5.rdt");
	}
}

TEST(an_l3_where_rmids_are_in_use_is_skipped_unless_forced)
{
	open_machine("bdx", BDX_16, NULL);
	poke_pqr(5, 127);
	onsim_trace_clear(&rig.o);
	run(UNC_CHECK_USUAL, "monitoring");
	passed_and_skipped(10, 9);
	FOUND("monitoring.assoc", "socket1.l3-1", UNC_CHECK_SKIP, "cpu 5 carries RMID 127 already");
	EQ(onsim_trace_count(&rig.o, "cpu5 w"), 0);
	EQ(onsim_trace_count(&rig.o, "msr 4 w"), 0);
	rig.cfg.force = true;
	run(UNC_CHECK_USUAL, "monitoring");
	passed_and_skipped(19, 0);
	FOUND("monitoring.occupancy", "socket1.l3-1", UNC_CHECK_PASS, "RMID 126"); /* not the one in use */
}

TEST(a_mounted_resctrl_has_all_skipped_but_cpuid)
{
	struct tree tree = tree_new();

	tree_text(&tree, "proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	open_machine("bdx", BDX_16, test_text("files=%s", tree.root));
	run(UNC_CHECK_QUICK, "monitoring");
	passed_and_skipped(1, 18);
	FOUND("monitoring.bandwidth", "socket0.l3-0", UNC_CHECK_SKIP, "resctrl is mounted at /sys/fs/resctrl");
	EQ(onsim_trace_count(&rig.o, " w64 "), 0);
	tree_remove(&tree);
}

TEST(where_nothing_can_be_written_all_is_skipped_with_the_reason)
{
	static const char *const cases[][2] = {
		{"msr=absent", "modprobe msr"}, {"msr_writes=off", "filters writes"}, {"lockdown=1", "locked down"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_open("bdx", BDX_16, cases[i][0]);
		onchecks_run(UNC_CHECK_QUICK, "monitoring", NULL, 0);
		EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 0);
		EQ(onchecks_count(NULL, UNC_CHECK_PASS), 1);
		FOUND("monitoring.error", NULL, UNC_CHECK_SKIP, cases[i][1]);
	}
}

/* ---- what goes wrong ---- */

/* Whatever access fails: no crash, and what can be put back is. */
TEST(when_any_access_fails_all_is_put_back)
{
	static const char *const checks[] = {"monitoring.assoc",     "monitoring.rmids",    "monitoring.error",
					     "monitoring.scope",     "monitoring.follows",  "monitoring.falls",
					     "monitoring.occupancy", "monitoring.bandwidth"};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		bool failed = true;

		for (uint64_t at = 1, step = 1; failed; at += step, step += at / 16) {
			open_machine("bdx", "sockets=1,cores=2", NULL);
			rig.broken = true;
			ONSIM_FAIL(&rig.o, .at = at, .how = UNC_FAULT_EIO);
			onchecks_run(UNC_CHECK_QUICK, checks[i], NULL, 0);
			failed = rig.o.fault.done;
			onsim_work(&rig.o);
			is_as_before();
			EQ(onchecks_count(NULL, UNC_CHECK_NOT_RUN), 0);
		}
	}
}

TEST(writes_that_are_lost_fail_the_check)
{
	open_machine("bdx", BDX_16, NULL);
	rig.broken = true;
	ONSIM_FAIL(&rig.o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .writes_only = true);
	onchecks_run(UNC_CHECK_QUICK, "monitoring", NULL, 0);
	onsim_work(&rig.o);
	FOUND("monitoring.assoc", "socket0.l3-0", UNC_CHECK_FAIL, "RMID 143 was written");
	FOUND("monitoring.rmids", "socket0.l3-0", UNC_CHECK_FAIL, "does not read back");
	FOUND("monitoring.scope", "socket0.l3-0", UNC_CHECK_FAIL, "does not hold");
	FOUND("monitoring.bandwidth", "socket1.l3-1", UNC_CHECK_FAIL, "");
}

/* Woken at the first wait: what was begun is not run, and put back. */
TEST(interrupted_it_puts_back)
{
	static const char *const only[] = {"monitoring.assoc", "monitoring.occupancy", "monitoring.falls"};

	open_machine("bdx", BDX_16, NULL);
	onsim_wake(&rig.o);
	rig.cfg = (struct unc_check_cfg){.only = only, .n_only = 3};
	onchecks_run(UNC_CHECK_QUICK, NULL, NULL, UNC_EAGAIN);
	FOUND("monitoring.assoc", "socket1.l3-1", UNC_CHECK_PASS, "");
	FOUND("monitoring.occupancy", NULL, UNC_CHECK_NOT_RUN, "");
	FOUND("monitoring.falls", NULL, UNC_CHECK_NOT_RUN, "");
	is_as_before();
	CU_ASSERT_FALSE(rig.o.m->has_traffic);
}

/* ---- CPUID ---- */

static struct unc_host_ops real;
static unsigned odd_cpu;
static uint32_t odd_leaf, odd_subleaf;
static struct unc_cpuid_regs odd; /* XOR */

static int odd_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	int rc = real.cpuid(host, cpu, leaf, subleaf, regs);

	if (rc == 0 && leaf == odd_leaf && subleaf == odd_subleaf && (odd_cpu == UINT32_MAX || cpu == odd_cpu)) {
		regs->eax ^= odd.eax;
		regs->ebx ^= odd.ebx;
		regs->ecx ^= odd.ecx;
		regs->edx ^= odd.edx;
	}
	return rc;
}

/* monitoring.cpuid of a part of which one CPU, or each, says something else. */
static void said(const char *model, enum unc_check_state state, const char *piece)
{
	static struct unc_host_ops ops;

	onchecks_open(model, "cores=4", NULL);
	real = ops = *rig.o.m->host->ops;
	ops.cpuid = odd_cpuid;
	rig.o.m->host->ops = &ops;
	onchecks_run(UNC_CHECK_USUAL, "monitoring.cpuid", NULL, 0);
	FOUND("monitoring.cpuid", "machine", state, piece);
	EQ(unc_check_results(rig.check), 1);
}

TEST(what_cpus_say_unlike_others_is_shown)
{
	odd_cpu = 3;
	odd_leaf = 0xf;
	odd_subleaf = 1;
	odd = (struct unc_cpuid_regs){.ecx = 0x40};
	said("bdx", UNC_CHECK_FAIL, "cpu 3 says 0xcf in CPUID 0xf.1 ECX, other CPUs 0x8f");
	odd_leaf = 7;
	odd_subleaf = 0;
	odd = (struct unc_cpuid_regs){.ebx = 1 << 12};
	said("bdx", UNC_CHECK_FAIL, "in CPUID 0x7.0 EBX");
	odd = (struct unc_cpuid_regs){.ebx = 1 << 3, .edx = 1}; /* of which it is not about */
	said("bdx", UNC_CHECK_PASS, "RMIDs 0 to 143, units of 73728 bytes");
	odd_leaf = 0x80000020;
	odd_subleaf = 3;
	odd = (struct unc_cpuid_regs){.ecx = 1};
	said("zen4", UNC_CHECK_FAIL, "in CPUID 0x80000020.3 ECX");
}

TEST(what_contradicts_itself_is_shown)
{
	odd_cpu = UINT32_MAX;
	odd_leaf = 0xf;
	odd_subleaf = 1;
	odd = (struct unc_cpuid_regs){.edx = 8};
	said("bdx", UNC_CHECK_FAIL, "contradict each other");
	odd = (struct unc_cpuid_regs){.ecx = 0x100};
	said("hsx", UNC_CHECK_FAIL, "contradict each other");
	odd_leaf = 0x80000020;
	odd_subleaf = 5;
	odd = (struct unc_cpuid_regs){.ebx = 0x1f};
	said("zen5", UNC_CHECK_FAIL, "(ABMC) is 1, but sub-leaf 5 says that there is one counter");
}
