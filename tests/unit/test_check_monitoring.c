// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of cache monitoring: quiet on every healthy machine, loud where something is wrong, and all is put back. */
#define _GNU_SOURCE
#include <unistd.h>

#include "onllc.h"
#include "tree.h"
#include "test.h"
#include "uncore/check.h"

struct run {
	struct unc_check *c;
	int rc;
};

static struct run run(struct onllc *x, enum unc_check_depth depth, bool force, const char *only)
{
	const struct unc_check_cfg cfg = {.depth = depth, .force = force, .only = &only, .n_only = 1};
	struct run r = {.rc = 0};

	OK(&x->o, unc_check_open(x->o.m, &cfg, &r.c));
	r.rc = unc_check_run(r.c);
	return r;
}

/* The result of a check of that subject, or of its first where subject is NULL. */
static struct unc_check_result result(const struct run *r, const char *check, const char *subject)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(r->c); i++) {
		CU_ASSERT_EQUAL_FATAL(unc_check_result(r->c, i, &result), 0);
		if (strcmp(result.check, check) == 0 && (!subject || strcmp(result.subject, subject) == 0))
			return result;
	}
	fprintf(stderr, "there is no result of %s, %s\n", check, subject ? subject : "any");
	CU_FAIL_FATAL("no result");
	return result;
}

static size_t count(const struct run *r, enum unc_check_state state)
{
	struct unc_check_result result;
	size_t n = 0;

	for (size_t i = 0; i < unc_check_results(r->c); i++) {
		CU_ASSERT_EQUAL_FATAL(unc_check_result(r->c, i, &result), 0);
		n += result.state == state;
	}
	return n;
}

static void is(const struct run *r, const char *check, const char *subject, enum unc_check_state state,
	       const char *piece)
{
	struct unc_check_result found = result(r, check, subject);

	if (found.state != state)
		fprintf(stderr, "%s: %s\n", check, found.finding);
	EQ(found.state, state);
	HAS(found.finding, piece);
}

static void show_wrong(const char *model, const char *options, const struct run *r)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(r->c); i++)
		if (unc_check_result(r->c, i, &result) == 0 && result.state != UNC_CHECK_PASS)
			fprintf(stderr, "sim:%s,%s: %s %s: %s\n", model, options, result.check, result.subject,
				result.finding);
}

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
	{"bdx", "sockets=1,cores=1,threads=1", 9, 1}, /* nobody shares an L3 */
};

/* Of the CPUs that are online. */
static struct onllc_state state_of(struct onllc *x)
{
	struct onllc_state state = {.n = unc_sim_cpus(x->o.hand)};

	CU_ASSERT_FATAL(state.n <= ONLLC_CPUS);
	for (unsigned i = 0; i < state.n; i++)
		if (unc_sim_msr_read(x->o.hand, i, R_PQR, &state.pqr[i]) == 0)
			state.evtsel[i] = onllc_peek(x, i, R_EVTSEL);
	return state;
}

static void is_healthy(const struct healthy *h, const char *options, enum unc_check_depth depth)
{
	struct onllc_state before, after;
	struct onsim_controls controls, controls_after;
	struct onllc x;
	struct run r;

	onllc_machine(&x, h->model, options, "");
	before = state_of(&x);
	controls = onsim_controls(&x.o);
	r = run(&x, depth, false, "monitoring");
	EQ(r.rc, 0);
	if (count(&r, UNC_CHECK_PASS) != h->passed || count(&r, UNC_CHECK_SKIP) != h->skipped)
		show_wrong(h->model, options, &r);
	EQ(count(&r, UNC_CHECK_PASS), h->passed);
	EQ(count(&r, UNC_CHECK_SKIP), h->skipped);
	after = state_of(&x);
	EQ(onllc_differ(&before, &after), 0);
	controls_after = onsim_controls(&x.o);
	EQ(onsim_controls_differ(&controls, &controls_after, UINT32_MAX & ~(uint32_t)R_FRZ_EN), 0);
	unc_check_close(r.c);
	onsim_close(&x.o); /* no write broke a rule of the manual */
}

TEST(on_healthy_machines_all_pass_and_all_is_put_back)
{
	for (size_t i = 0; i < sizeof(healthy) / sizeof(healthy[0]); i++)
		is_healthy(&healthy[i], healthy[i].options, UNC_CHECK_USUAL);
}

TEST(whatever_the_load_and_the_durations_all_pass)
{
	static const size_t some[] = {2, 5, 10, 13};
	char options[160];

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		const struct healthy *h = &healthy[some[i]];

		for (unsigned seed = 1; seed <= 6; seed++) {
			snprintf(options, sizeof(options), "%s%sseed=%u", h->options, h->options[0] ? "," : "", seed);
			is_healthy(h, options, UNC_CHECK_USUAL);
		}
	}
}

TEST(quick_needs_little_time)
{
	static const char *const models[] = {"hsx", "bdx", "skx", "zen5"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct unc_machine *m = NULL;
		struct unc_check *c = NULL;
		struct unc_ctx *ctx;
		char name[80];
		const char *only = "monitoring";
		uint64_t begin_ns;

		snprintf(name, sizeof(name), "sim:%s,clock=step,sockets=2", models[i]);
		CU_ASSERT_FATAL(unc_new(&ctx) == 0);
		onsim_ok(&ctx, unc_machine_open(ctx, &(struct unc_machine_cfg){.machine = name, .writable = true}, &m),
			 "open", __FILE__, __LINE__);
		onsim_ok(&ctx, unc_check_open(m, &(struct unc_check_cfg){.only = &only, .n_only = 1}, &c), "check",
			 __FILE__, __LINE__);
		begin_ns = unc_machine_raw_ns(m);
		EQ(unc_check_run(c), 0);
		CU_ASSERT(unc_machine_raw_ns(m) - begin_ns < 500 * MS_NS);
		unc_check_close(c);
		EQ(unc_machine_close(m), 0);
		unc_free(ctx);
	}
}

/* ---- defects ---- */

TEST(each_defect_is_found_where_it_should_be)
{
	static const struct {
		const char *model, *options, *defect, *check, *subject, *piece;
	} cases[] = {
		{"hsx", "sockets=2,cores=4", "rmid-off", "monitoring.follows", "l3 1",
		 "while it walked 11.8 MB, but that RMID got 0.0 MB; now RMID 69 owns most, 12"},
		{"icx", "snc=2", "rmid-off", "monitoring.follows", "l3 0", "that RMID got 0.0 MB"},
		{"zen3", "sockets=1,cores=16", "rmid-off", "monitoring.follows", "l3 0", "that RMID got 0.0 MB"},
		{"hsx", "sockets=2,cores=4", "no-error", "monitoring.error", "l3 0", "without the error bit"},
		{"hsx", "sockets=2,cores=4", "no-error", "monitoring.rmids", "l3 0", "RMID 72 does not exist"},
		{"zen2", "sockets=1,cores=16", "no-error", "monitoring.error", "l3 0", "without the error bit"},
		{"hsx", "sockets=2,cores=4", "upscale-off:25", "monitoring.occupancy", "l3 0", "occupancy rose by"},
		{"bdx", BDX_16, "upscale-off:10", "monitoring.bandwidth", "l3 1", "% off"},
		{"icx", "", "upscale-off:-10", "monitoring.bandwidth", "l3 0", "the channels of its socket"},
		{"skx", "sockets=1", "upscale-off:-20", "monitoring.sum", "l3 0", "of an L3 of 40.4 MB"},
		{"hsx", "sockets=2,cores=4", "never-falls", "monitoring.falls", "l3 0", "and still"},
		{"zen4", "", "never-falls", "monitoring.falls", "l3 0", "and still"},
		{"bdx", BDX_16, "stuck0:cpu9:0xc8f:3", "monitoring.assoc", "l3 0", "cpu9.rdt: RMID 143"},
		{"bdx", BDX_16, "stuck0:cpu4:0xc8d:0", "monitoring.scope", "l3 1", "does not hold on cpu 4"},
		{"bdx", BDX_16, "stuck0:cpu4:0xc8d:0", "monitoring.error", "l3 1", "does not hold event 1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_check_result found;
		char options[200];
		struct onllc x;
		struct run r;

		snprintf(options, sizeof(options), "%s%sdefect=%s", cases[i].options, cases[i].options[0] ? "," : "",
			 cases[i].defect);
		onllc_machine(&x, cases[i].model, options, "");
		r = run(&x, UNC_CHECK_QUICK, false, cases[i].check);
		found = result(&r, cases[i].check, cases[i].subject);
		if (found.state != UNC_CHECK_FAIL)
			fprintf(stderr, "sim:%s,%s: %s: %s\n", cases[i].model, options, found.check, found.finding);
		EQ(found.state, UNC_CHECK_FAIL);
		HAS(found.finding, cases[i].piece);
		CU_ASSERT(found.n_values > 0);
		unc_check_close(r.c);
		onsim_close_any(&x.o);
	}
}

TEST(each_cpu_is_tried_in_full_depth)
{
	struct onllc x;
	struct run r;

	onllc_machine(&x, "bdx", BDX_16 ",defect=assoc-dead:cpu9", "");
	r = run(&x, UNC_CHECK_USUAL, false, "monitoring.follows");
	is(&r, "monitoring.follows", "l3 0", UNC_CHECK_PASS, "beside them got 0.0 MB");
	unc_check_close(r.c);
	r = run(&x, UNC_CHECK_FULL, false, "monitoring.follows");
	is(&r, "monitoring.follows", "l3 0", UNC_CHECK_FAIL, "cpu 9 carried RMID");
	is(&r, "monitoring.follows", "l3 1", UNC_CHECK_PASS, "so did the RMID of each of 7 other CPUs");
	unc_check_close(r.c);
	onsim_close_any(&x.o);
}

/* ---- what is found out ---- */

TEST(whose_register_evtsel_is_is_found_out)
{
	struct unc_check_result found;
	struct onllc x;
	struct run r;

	onllc_machine(&x, "bdx", BDX_16, "");
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring.scope");
	is(&r, "monitoring.scope", "l3 0", UNC_CHECK_PASS, "shows on cpu 0, of 8 that share the L3: each has its own");
	found = result(&r, "monitoring.scope", "l3 0");
	CU_ASSERT_FATAL(found.tested != NULL);
	HAS(found.tested, "QM_EVTSEL: {tested: \"one for each CPU");
	CU_ASSERT_PTR_NULL(result(&r, "monitoring.scope", "l3 1").tested); /* once is enough */
	unc_check_close(r.c);
	onsim_close(&x.o);
	onllc_machine(&x, "bdx", BDX_16 ",qm_scope=package", "");
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring.scope");
	is(&r, "monitoring.scope", "l3 1", UNC_CHECK_PASS,
	   "shows on cpus 4-7,12-15, of 8 that share the L3: it has one");
	HAS(result(&r, "monitoring.scope", "l3 0").tested, "one for the L3 (as Linux takes it)");
	unc_check_close(r.c);
	onsim_close(&x.o);
}

TEST(where_the_map_doubts_the_width_of_rmids_the_silicon_is_quoted)
{
	struct onllc x;
	struct run r;

	onllc_machine(&x, "zen5", "sockets=1,cores=16", "");
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring.rmids");
	is(&r, "monitoring.rmids", "l3 0", UNC_CHECK_PASS, "RMID 4095, by CPUID 0xF.0 EBX the highest, is taken by");
	CU_ASSERT_FATAL(result(&r, "monitoring.rmids", "l3 0").tested != NULL);
	HAS(result(&r, "monitoring.rmids", "l3 0").tested, "PQR_ASSOC.rmid: {tested: \"RMID 4095");
	HAS(result(&r, "monitoring.rmids", "l3 0").tested, "one more does not fit");
	unc_check_close(r.c);
	onsim_close(&x.o);
	onllc_machine(&x, "bdx", BDX_16, "");
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring.rmids");
	is(&r, "monitoring.rmids", "l3 1", UNC_CHECK_PASS, "and one more is refused");
	CU_ASSERT_PTR_NULL(result(&r, "monitoring.rmids", "l3 1").tested);
	unc_check_close(r.c);
	onsim_close(&x.o);
}

TEST(the_class_of_service_stays_as_it_is)
{
	struct onllc_state before, after;
	struct onllc x;
	struct run r;

	onllc_machine(&x, "bdx", BDX_16, "");
	for (unsigned cpu = 0; cpu < 16; cpu++)
		onllc_poke(&x, cpu, R_PQR, (uint64_t)(cpu % 4) << 32);
	before = onllc_state(&x);
	r = run(&x, UNC_CHECK_FULL, false, "monitoring");
	EQ(count(&r, UNC_CHECK_PASS), 19);
	after = onllc_state(&x);
	EQ(onllc_differ(&before, &after), 0);
	/* One that may fill the whole cache makes the traffic. */
	HAS(result(&r, "monitoring.occupancy", "l3 0").finding, "cpu 8 walked");
	unc_check_close(r.c);
	onsim_close(&x.o);
}

/* ---- others ---- */

/* Such a bit looks as if somebody used an RMID. */
TEST(an_rmid_bit_that_is_stuck_at_1_is_found_by_force)
{
	for (unsigned bit = 0; bit < 7; bit++) {
		char options[100];
		struct onllc x;
		struct run r;

		snprintf(options, sizeof(options), BDX_16 ",defect=stuck1:cpu5:0xc8f:%u", bit);
		onllc_machine(&x, "bdx", options, "");
		r = run(&x, UNC_CHECK_QUICK, false, "monitoring.assoc");
		is(&r, "monitoring.assoc", "l3 1", UNC_CHECK_SKIP, "cpu 5 carries RMID");
		unc_check_close(r.c);
		r = run(&x, UNC_CHECK_QUICK, true, "monitoring.assoc");
		is(&r, "monitoring.assoc", "l3 0", UNC_CHECK_PASS, "2 RMIDs, of them 143 and 112, read back on all 8");
		is(&r, "monitoring.assoc", "l3 1", UNC_CHECK_FAIL, "cpu5.rdt");
		unc_check_close(r.c);
		onsim_close_any(&x.o);
	}
}

TEST(an_l3_where_rmids_are_in_use_is_skipped_unless_forced)
{
	struct onllc_state before, after;
	struct onllc x;
	struct run r;

	onllc_machine(&x, "bdx", BDX_16, "");
	onllc_poke(&x, 5, R_PQR, 127);
	before = onllc_state(&x);
	onsim_trace_clear(&x.o);
	r = run(&x, UNC_CHECK_USUAL, false, "monitoring");
	EQ(count(&r, UNC_CHECK_PASS), 10);
	EQ(count(&r, UNC_CHECK_SKIP), 9);
	is(&r, "monitoring.assoc", "l3 1", UNC_CHECK_SKIP, "cpu 5 carries RMID 127 already");
	EQ(onsim_trace_count(&x.o, "cpu5 w"), 0);
	EQ(onsim_trace_count(&x.o, "msr 4 w"), 0);
	unc_check_close(r.c);
	r = run(&x, UNC_CHECK_USUAL, true, "monitoring");
	EQ(count(&r, UNC_CHECK_PASS), 19);
	HAS(result(&r, "monitoring.occupancy", "l3 1").finding, "RMID 126"); /* not his */
	unc_check_close(r.c);
	after = onllc_state(&x);
	EQ(onllc_differ(&before, &after), 0);
	onsim_close(&x.o);
}

TEST(a_mounted_resctrl_has_all_skipped_but_cpuid)
{
	struct tree tree = tree_new();
	struct onllc x;
	struct run r;
	char own[600];

	tree_text(&tree, "proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	snprintf(own, sizeof(own), "files=%s", tree.root);
	onllc_machine(&x, "bdx", BDX_16, own);
	onsim_trace_clear(&x.o);
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring");
	EQ(count(&r, UNC_CHECK_PASS), 1);
	EQ(count(&r, UNC_CHECK_SKIP), 18);
	is(&r, "monitoring.bandwidth", "l3 0", UNC_CHECK_SKIP, "resctrl is mounted at /sys/fs/resctrl");
	EQ(onsim_trace_count(&x.o, " w64 "), 0);
	unc_check_close(r.c);
	onsim_close(&x.o);
	tree_remove(&tree);
}

TEST(where_nothing_can_be_written_all_is_skipped_with_the_reason)
{
	static const char *const options[] = {"msr=absent", "msr_writes=off", "lockdown=1"}, *const pieces[] = {
												     "modprobe msr",
												     "filters writes",
												     "locked down"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct unc_machine *m = NULL;
		struct run r = {.rc = 0};
		struct unc_ctx *ctx;
		char name[80];
		const char *only = "monitoring";

		snprintf(name, sizeof(name), "sim:bdx,clock=step," BDX_16 ",%s", options[i]);
		CU_ASSERT_FATAL(unc_new(&ctx) == 0);
		onsim_ok(&ctx, unc_machine_open(ctx, &(struct unc_machine_cfg){.machine = name, .writable = true}, &m),
			 "open", __FILE__, __LINE__);
		onsim_ok(&ctx, unc_check_open(m, &(struct unc_check_cfg){.only = &only, .n_only = 1}, &r.c), "check",
			 __FILE__, __LINE__);
		EQ(unc_check_run(r.c), 0);
		EQ(count(&r, UNC_CHECK_FAIL), 0);
		EQ(count(&r, UNC_CHECK_PASS), 1);
		is(&r, "monitoring.error", NULL, UNC_CHECK_SKIP, pieces[i]);
		unc_check_close(r.c);
		EQ(unc_machine_close(m), 0);
		unc_free(ctx);
	}
}

/* ---- what goes wrong ---- */

/* Whatever access fails: no crash, and what can be put back is. */
TEST(when_any_access_fails_all_is_put_back)
{
	static const char *const checks[] = {"monitoring.assoc",     "monitoring.rmids",    "monitoring.error",
					     "monitoring.scope",     "monitoring.follows",  "monitoring.falls",
					     "monitoring.occupancy", "monitoring.bandwidth"};

	for (size_t k = 0; k < sizeof(checks) / sizeof(checks[0]); k++) {
		for (uint64_t at = 1, step = 1;; at += step, step += at / 16) {
			struct onllc_state before, after;
			struct onllc x;
			struct run r;
			bool failed;

			onllc_machine(&x, "bdx", "sockets=1,cores=2", "");
			before = onllc_state(&x);
			ONSIM_FAIL(&x.o, .at = at, .how = UNC_FAULT_EIO);
			r = run(&x, UNC_CHECK_QUICK, false, checks[k]);
			failed = x.o.fault.done;
			onsim_work(&x.o);
			after = onllc_state(&x);
			EQ(onllc_differ(&before, &after), 0);
			EQ(r.rc, 0);
			EQ(count(&r, UNC_CHECK_NOT_RUN), 0);
			unc_check_close(r.c);
			onsim_close_any(&x.o);
			if (!failed)
				break;
		}
	}
}

TEST(writes_that_are_lost_fail_the_check)
{
	struct onllc x;
	struct run r;

	onllc_machine(&x, "bdx", BDX_16, "");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .writes_only = true);
	r = run(&x, UNC_CHECK_QUICK, false, "monitoring");
	onsim_work(&x.o);
	is(&r, "monitoring.assoc", "l3 0", UNC_CHECK_FAIL, "RMID 143 was written");
	is(&r, "monitoring.rmids", "l3 0", UNC_CHECK_FAIL, "does not read back");
	is(&r, "monitoring.scope", "l3 0", UNC_CHECK_FAIL, "does not hold");
	is(&r, "monitoring.bandwidth", "l3 1", UNC_CHECK_FAIL, "");
	unc_check_close(r.c);
	onsim_close_any(&x.o);
}

/* Woken at the first wait: what was begun is not run, and put back. */
TEST(interrupted_it_puts_back)
{
	const char *only[] = {"monitoring.assoc", "monitoring.occupancy", "monitoring.falls"};
	struct unc_machine *m = NULL;
	struct run r = {.rc = 0};
	struct unc_box *box = NULL;
	struct unc_ctx *ctx;
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	CU_ASSERT_EQUAL_FATAL(write(fds[1], "x", 1), 1);
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	onsim_ok(&ctx,
		 unc_machine_open(ctx,
				  &(struct unc_machine_cfg){
					  .machine = "sim:bdx,clock=step," BDX_16, .writable = true, .wake_fd = fds[0]},
				  &m),
		 "open", __FILE__, __LINE__);
	onsim_ok(&ctx, unc_check_open(m, &(struct unc_check_cfg){.only = only, .n_only = 3}, &r.c), "check", __FILE__,
		 __LINE__);
	EQ(unc_check_run(r.c), UNC_EAGAIN);
	is(&r, "monitoring.assoc", "l3 1", UNC_CHECK_PASS, "");
	is(&r, "monitoring.occupancy", NULL, UNC_CHECK_NOT_RUN, "");
	is(&r, "monitoring.falls", NULL, UNC_CHECK_NOT_RUN, "");
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		uint64_t pqr = 1;

		onsim_ok(&ctx, unc_machine_cpu_box(m, "rdt", cpu, &box), "box", __FILE__, __LINE__);
		onsim_ok(&ctx, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &pqr), "get", __FILE__, __LINE__);
		EQ(pqr, 0);
	}
	CU_ASSERT_FALSE(m->has_traffic);
	unc_check_close(r.c);
	EQ(unc_machine_close(m), 0);
	unc_free(ctx);
	close(fds[0]);
	close(fds[1]);
}

/* ---- CPUID ---- */

static unsigned odd_cpu;
static uint32_t odd_leaf, odd_subleaf;
static struct unc_cpuid_regs odd; /* XOR */

static int odd_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	int rc = host->ops->cpuid(host, cpu, leaf, subleaf, regs);

	if (rc == 0 && leaf == odd_leaf && subleaf == odd_subleaf && (odd_cpu == UINT32_MAX || cpu == odd_cpu)) {
		regs->eax ^= odd.eax;
		regs->ebx ^= odd.ebx;
		regs->ecx ^= odd.ecx;
		regs->edx ^= odd.edx;
	}
	return rc;
}

/* A host around the simulated one: of the operations those that the check needs. */
struct wrapper {
	struct unc_host host;
	struct unc_host *inner;
};

static int wrapped_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			 struct unc_cpuid_regs *regs)
{
	return odd_cpuid(((struct wrapper *)host)->inner, cpu, leaf, subleaf, regs);
}

static uint64_t wrapped_now(struct unc_host *host, enum unc_clock clock)
{
	struct unc_host *inner = ((struct wrapper *)host)->inner;

	return inner->ops->now_ns(inner, clock);
}

static int wrapped_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct unc_host *inner = ((struct wrapper *)host)->inner;

	return inner->ops->cpus(inner, ret_cpus, ret_n);
}

/* monitoring.cpuid of a part of which one CPU, or each, says something else. */
static void said(const char *model, enum unc_check_state state, const char *piece)
{
	static const struct unc_host_ops ops = {.cpuid = wrapped_cpuid, .now_ns = wrapped_now, .cpus = wrapped_cpus};
	struct wrapper wrapper = {.host = {.ops = &ops}};
	struct unc_host *host;
	struct onllc x;
	struct run r;

	onllc_machine(&x, model, "cores=4", "");
	host = x.o.m->host;
	wrapper.host.ctx = host->ctx;
	wrapper.inner = host;
	x.o.m->host = &wrapper.host;
	r = run(&x, UNC_CHECK_USUAL, false, "monitoring.cpuid");
	x.o.m->host = host;
	EQ(r.rc, 0);
	is(&r, "monitoring.cpuid", "machine", state, piece);
	EQ(unc_check_results(r.c), 1);
	unc_check_close(r.c);
	onsim_close(&x.o);
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
