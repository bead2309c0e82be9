// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <unistd.h>

#include "onchecks.h"
#include "simmsr.h"
#include "tree.h"
#include "test.h"

EACH(NULL, onchecks_end)

enum { R_STATUS = 0xf8 };

/* ---- a run of the theme ---- */

static void open_machine(const char *model, const char *common, const char *own)
{
	onchecks_open(model, common, own);
	rig.cfg.global = true;
}

static void run_quick(const char *model, const char *common, const char *own)
{
	open_machine(model, common, own);
	onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, 0);
}

/* ---- as it was ---- */

struct registers {
	struct onsim_controls controls;
	size_t n;
	uint64_t values[ONSIM_BOXES_MAX][6]; /* CTR[0..3], FIXED_CTR, BOX_STATUS */
};

static struct registers look(void)
{
	struct registers now = {.controls = onsim_controls(&rig.o)};

	for (size_t i = 0; i < unc_box_count(rig.o.m, "imc") && now.n < ONSIM_BOXES_MAX; i++) {
		const struct unc_box *box = unc_box_at(rig.o.m, "imc", i);
		uint64_t *values = now.values[now.n];

		if (box->presence == UNC_ABSENT)
			continue;
		now.n++;
		for (unsigned k = 0; k < 4; k++)
			values[k] = onsim_peek48(&rig.o, box, R_CTR(k));
		values[4] = onsim_peek48(&rig.o, box, R_FIXED_CTR);
		values[5] = onsim_peek(&rig.o, box, R_STATUS);
	}
	return now;
}

static void is_as_before(const struct registers *before)
{
	struct registers now = look();

	onsim_controls_are(&rig.o, &before->controls, UINT32_MAX & ~(uint32_t)R_FRZ_EN);
	EQ(now.n, before->n);
	for (size_t i = 0; i < now.n; i++)
		for (unsigned k = 0; k < 6; k++)
			EQ(now.values[i][k], before->values[i][k]);
}

/* Counters that hold something, and a wrap that is told in the status of one. */
static void leave_traces(void)
{
	for (size_t i = 0; i < unc_box_count(rig.o.m, "imc"); i++) {
		const struct unc_box *box = unc_box_at(rig.o.m, "imc", i);

		for (unsigned k = 0; box->presence == UNC_PRESENT && k < 4; k++)
			onsim_poke48(&rig.o, box, R_CTR(k), 0x123456789aULL + 0x1111 * k + i);
	}
}

/* ---- healthy machines ---- */

static void is_healthy(const char *model, const char *options, enum unc_check_depth depth)
{
	struct registers before;

	open_machine(model, options, NULL);
	leave_traces();
	before = look();
	onchecks_run(depth, "behaviour", NULL, 0);
	NONE_FAILED();
	is_as_before(&before);
}

TEST(nothing_fails_on_healthy_machines_and_all_is_as_before)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx", "cpx"};
	static const char *const options[] = {"sockets=1", "sockets=1,ctl_writes=twice", "sockets=1,seed=3",
					      "sockets=1,empty=socket0.imc0.ch1,seed=4"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++)
			is_healthy(models[i], options[k], UNC_CHECK_QUICK);
		if (strcmp(models[i], "bdxde") != 0)
			is_healthy(models[i], "sockets=2", UNC_CHECK_USUAL);
	}
	is_healthy("hsx", "sockets=1,frz_en=rw", UNC_CHECK_QUICK);
	is_healthy("snbep", "sockets=1,frz_en=rw,ctl_writes=twice", UNC_CHECK_QUICK);
	is_healthy("hsx", "sockets=4,seed=9", UNC_CHECK_QUICK);
	is_healthy("snbep", "sockets=2,seed=5", UNC_CHECK_FULL);
}

TEST(no_seed_raises_a_false_alarm)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "skx"};

	for (unsigned seed = 1; seed <= 12; seed++)
		is_healthy(models[seed % 4], test_text("sockets=1,seed=%u", seed), UNC_CHECK_QUICK);
}

/* ---- defects ---- */

TEST(defects_are_found_where_they_are)
{
	/*
	 * Found by that check, in that channel, with that piece in its sentence; may: others that may fail besides, since what they
	 * add up is really not there.
	 */
	static const struct {
		const char *model, *defect, *check, *piece, *may;
	} table[] = {
		/* clang-format off */
		{"hsx", "freeze-ignored:socket0.imc0.ch1:2", "freeze", "CTR[2] went on while", "behaviour.global"},
		{"skx", "freeze-ignored:socket0.imc0.ch1:0", "freeze", "CTR[0] went on while", "behaviour.global"},
		{"snbep", "freeze-ignored:socket0.imc0.ch1:fixed", "freeze", "FIXED_CTR went on while", ""},
		{"hsx", "freeze-loses:socket0.imc0.ch1:3000", "resume", "the clock makes", "behaviour.sums behaviour.threshold"},
		{"snbep", "freeze-loses:socket0.imc0.ch1:3000", "resume", "the clock makes", "behaviour.sums behaviour.threshold"},
		{"hsx", "reset-leaves:socket0.imc0.ch1:2", "reset", "CTR[2]: after BOX_CTL.rst_ctrs", ""},
		{"ivt", "reset-leaves:socket0.imc0.ch1:1", "reset", "CTR[1]: after BOX_CTL.rst_ctrs", ""},
		{"snbep", "reset-leaves:socket0.imc0.ch1:fixed", "reset", "FIXED_CTR: after FIXED_CTL.rst", ""},
		{"hsx", "enable-crossed:socket0.imc0.ch1:1:2", "enable", "only CTR[1] enabled what counts in", ""},
		{"skx", "umask-shifted:socket0.imc0.ch1:2", "agree", "cas_count.all: CTR[2] counted", ""},
		{"snbep", "carry-missing:socket0.imc0.ch1:1", "carry", "CTR[1]: from 0x", ""},
		{"hsx", "carry-missing:socket0.imc0.ch1:fixed", "carry", "the high one gained nothing", ""},
		{"hsx", "width:socket0.imc0.ch1:2:47", "wrap", "CTR[2]: wrote 0x0000ff", ""},
		{"skx", "width:socket0.imc0.ch1:fixed:40", "wrap", "FIXED_CTR: wrote 0x0000ff", ""},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:8", "freeze", "went on while", ""},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:16", "freeze", "went on while", ""},
		{"snbep", "stuck1:socket0.imc0.ch1:0xf4:16", "frz_en", "frz alone", ""},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf8:2", "status", "CTR[1] has wrapped", ""},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:0", "reset", "after BOX_CTL.rst_ctrl", ""},
		{"ivt", "stuck0:socket0.imc0.ch1:0xf4:1", "reset", "after BOX_CTL.rst_ctrs", ""},
		{"skx", "stuck0:socket0.imc0.ch1:0xe0:17", "reset", "CTR[2]: after CTL[2].rst", ""},
		{"snbep", "stuck0:socket0.imc0.ch1:0xf0:19", "reset", "after FIXED_CTL.rst", ""},
		{"hsx", "stuck0:socket0.imc0.ch1:0xdc:23", "threshold", "inverted", "behaviour.fields"},
		{"hsx", "ignored:socket0.imc0.ch1:18", "fields", "CTR[0]: with clockticks:thresh=1:edge it counted", "behaviour.threshold"},
		{"ivt", "ignored:socket0.imc0.ch1:18:3", "fields", "CTR[3]: with", "behaviour.threshold"},
		{"skx", "ignored:socket0.imc0.ch1:23:0", "fields", "invert does not act", "behaviour.threshold"},
		{"snbep", "ignored:socket0.imc0.ch1:25:2", "fields", "thresh does not act", "behaviour.threshold"},
		{"snbep", "status-crossed:socket0.imc0.ch1:0:1", "status", "CTR[0] has wrapped", ""},
		{"hsx", "status-crossed:socket0.imc0.ch1:3:fixed,status_bits=by_number", "status", "CTR[3] has wrapped", ""},
		{"hsx", "status-sticks:socket0.imc0.ch1", "status", "set by a wrap in an earlier check", ""},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *check = test_text("behaviour.%s", table[i].check);
		struct unc_check_result result;

		run_quick(table[i].model, test_text("sockets=1,defect=%s", table[i].defect), NULL);
		rig.before.n = 0; /* what a broken channel holds is not asked for */
		FOUND(check, "socket0.imc0.ch1", UNC_CHECK_FAIL, table[i].piece);
		for (size_t n = 0; n < unc_check_results(rig.check); n++) {
			OK(&rig.o, unc_check_result(rig.check, n, &result));
			if (result.state != UNC_CHECK_FAIL || strstr(table[i].may, result.check) ||
			    (strcmp(result.check, check) == 0 && strcmp(result.subject, "socket0.imc0.ch1") == 0))
				continue;
			fprintf(stderr, "\n%s %s: %s %s: %s", table[i].model, table[i].defect, result.check,
				result.subject, result.finding);
			CU_FAIL("something else is accused");
		}
	}
}

TEST(what_a_map_doubts_is_told_where_all_channels_do_alike)
{
	run_quick("hsx",
		  "sockets=1,defect=stuck1:socket0.imc0.ch0:0xf4:16,defect=stuck1:socket0.imc0.ch1:0xf4:16,"
		  "defect=stuck1:socket0.imc1.ch0:0xf4:16,defect=stuck1:socket0.imc1.ch1:0xf4:16",
		  NULL);
	rig.before.n = 0;
	NONE_FAILED();
	FOUND("behaviour.frz_en", "socket0.imc0.ch0", UNC_CHECK_SKIP, "the map doubts frz_en");
	TESTED("behaviour.frz_en", NULL, "BOX_CTL.frz_en: {tested: ", "frz works without it");
}

TEST(what_silicon_does_is_told_for_the_map)
{
	run_quick("hsx", "sockets=1,ctl_writes=twice", NULL);
	TESTED("behaviour.twice", NULL, "CTL: {tested: ", "a write sticks the second time only");
	FOUND("behaviour.twice", "socket0.imc0.ch0", UNC_CHECK_PASS, "12 of 12 values");
	TESTED("behaviour.frz_en", NULL, "BOX_CTL.frz_en: {tested: ", "frz works with it only");
	TESTED("behaviour.status", NULL, "BOX_STATUS: {tested: ", "bit 1 of CTR[0]");
	FOUND("behaviour.reset", "socket0.imc0.ch0", UNC_CHECK_PASS,
	      "rst_ctrs leaves FIXED_CTR, rst_ctrl leaves FIXED_CTL");
}

/* No document settles the order of the bits. */
TEST(status_bits_in_the_order_of_the_counters_are_told_and_no_failure)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "skx"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		run_quick(models[i], "sockets=1,status_bits=by_number", NULL);
		NONE_FAILED();
		FOUND("behaviour.status", "socket0.imc0.ch0", UNC_CHECK_PASS, "in the order of the counters");
		TESTED("behaviour.status", NULL, "BOX_STATUS: {tested: ", "bit 0 of CTR[0] and so on, FIXED_CTR last");
	}
}

/* ---- what is left alone ---- */

TEST(a_status_bit_that_is_found_set_stays)
{
	const struct unc_box *box;
	struct registers before;

	open_machine("hsx", "sockets=1", NULL);
	box = onsim_box(&rig.o, "socket0.imc0.ch1");
	onsim_poke48(&rig.o, box, R_CTR(1), 0xffffffffff00ULL);
	onsim_poke(&rig.o, box, R_CTL(1), R_EN);
	onsim_step(&rig.o, MS_NS);
	onsim_poke(&rig.o, box, R_CTL(1), 0);
	EQ(onsim_peek(&rig.o, box, R_STATUS), 4);
	before = look();
	onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, 0);
	NONE_FAILED();
	FOUND("behaviour.status", "socket0.imc0.ch1", UNC_CHECK_PASS,
	      "not looked at: CTR[1], whose bits were found set");
	FOUND("behaviour.status", "socket0.imc0.ch0", UNC_CHECK_PASS, "each of 5 wraps");
	is_as_before(&before);
}

/* The counts of controllers and of their channels, with the traffic of each channel's own. */
TEST(counters_that_always_run_count_what_their_channels_do)
{
	static const char check[] = "behaviour.free_running";

	onchecks_quick("icx", "sockets=2,empty=socket0.imc3.ch*,pmem=socket1.imc0.ch1", NULL, check);
	NONE_FAILED();
	FOUND(check, "socket0.free0", UNC_CHECK_PASS, "its channels counted: ");
	FOUND(check, "socket1.free0", UNC_CHECK_PASS, "its channels counted: ");
	FOUND(check, "socket0.free3", UNC_CHECK_SKIP, "nothing moved");
	onchecks_run(UNC_CHECK_QUICK, check, "socket1.imc2.ch0", 0);
	FOUND(check, "socket1.free2", UNC_CHECK_SKIP, "not all of its channels");
	EQ(unc_check_results(rig.check), 1);
	onchecks_quick("snr", "sockets=1,defect=free-misses:socket0.imc0.ch1", NULL, check);
	FOUND(check, "socket0.free0", UNC_CHECK_FAIL, "RD gained");
	onchecks_quick("icx", "sockets=1,seed=4,defect=free-misses:socket0.imc1.ch0", NULL, check);
	EQ(onchecks_count(check, UNC_CHECK_FAIL), 1);
	FOUND(check, "socket0.free1", UNC_CHECK_FAIL, "it counts something else");
	onchecks_quick("spr", "sockets=1", NULL, check);
	FOUND(check, "machine", UNC_CHECK_SKIP, "no map of this part");
}

/* Where reads are split by whether they close the page, every part of a sum is counted. */
static const char closing_load[] =
	"format: uncorectl-load/1\n"
	"channels:\n"
	"  socket*.imc*.ch*:\n"
	"    events: {cas_count.rd_reg: 4e6, cas_count.rd_pre_reg: 3e6, cas_count.rd_underfill: 2e6,\n"
	"             cas_count.rd_pre_underfill: 1e6, cas_count.wr_nonpre: 2e6, cas_count.wr_pre: 1e6}\n";

TEST(parts_in_memory_are_judged_by_what_is_known_of_them)
{
	struct tree tree = tree_new();

	tree_text(&tree, "load.yaml", closing_load);
	run_quick("icx", test_text("sockets=1,load=%s/load.yaml", tree.root), NULL);
	NONE_FAILED();
	FOUND("behaviour.sums", "socket0.imc0.ch0", UNC_CHECK_PASS, "5 of 5 sums hold");
	FOUND("behaviour.agree", "socket0.imc0.ch0", UNC_CHECK_PASS, "agreed exactly");
	/* The fixed counter counts another clock, half as fast. */
	CU_ASSERT_PTR_NULL(strstr(onchecks_result("behaviour.agree", NULL).finding, "FIXED_CTR was"));
	FOUND("behaviour.wrap", "socket0.imc0.ch0", UNC_CHECK_PASS, "wrapped to 0 at 2^48");
	FOUND("behaviour.status", "socket0.imc0.ch0", UNC_CHECK_SKIP, "which bit is whose");
	CU_ASSERT_PTR_NULL(onchecks_result("behaviour.status", NULL).tested);
	tree_remove(&tree);
}

TEST(parts_without_a_thing_skip_it_with_the_reason)
{
	run_quick("ivt", "sockets=1", NULL);
	FOUND("behaviour.frz_en", "socket0.imc0.ch0", UNC_CHECK_SKIP, "Ivy Bridge-EP has no frz_en");
	FOUND("behaviour.threshold", "socket0.imc0.ch0", UNC_CHECK_PASS, "this part has no invert");
	run_quick("snbep", "sockets=1", NULL);
	FOUND("behaviour.global", "machine", UNC_CHECK_SKIP, "freezes a whole socket");
	FOUND("behaviour.reset", "socket0.imc0.ch0", UNC_CHECK_PASS, "1 reset bits");
	run_quick("hsx", "sockets=1", "msr=absent");
	FOUND("behaviour.global", "socket0", UNC_CHECK_SKIP, "modprobe msr");
	NONE_FAILED();
}

TEST(a_socket_is_not_stopped_where_another_program_counts)
{
	const struct unc_box *box;
	uint64_t count;

	open_machine("hsx", "sockets=2", NULL);
	box = onsim_box(&rig.o, "socket1.imc0.ch1");
	onsim_poke(&rig.o, box, R_FIXED_CTL, R_EN);
	rig.before = onsim_controls(&rig.o);
	count = onsim_peek48(&rig.o, box, R_FIXED_CTR);
	onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, 0);
	FOUND("behaviour.global", "socket0", UNC_CHECK_PASS, "stood still");
	FOUND("behaviour.global", "socket1", UNC_CHECK_SKIP, "another program counts in socket1.imc0.ch1");
	FOUND("behaviour.freeze", "socket1.imc0.ch1", UNC_CHECK_SKIP, "another program counts there");
	EQ(onsim_peek(&rig.o, box, R_FIXED_CTL), R_EN);
	CU_ASSERT_TRUE(onsim_peek48(&rig.o, box, R_FIXED_CTR) > count);
}

/* Every access once: nothing but the channel that failed is accused of it, and all is put back. */
TEST(an_access_that_fails_is_the_result_of_its_channel)
{
	for (unsigned nth = 40; nth < 4000; nth += 331) {
		open_machine("hsx", "sockets=1", NULL);
		ONSIM_FAIL(&rig.o, .at = nth, .how = UNC_FAULT_EIO);
		onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, 0);
		onsim_work(&rig.o);
	}
}

/* ---- ended before the end ---- */

static void wake_at(void *check, const struct unc_check_progress *progress)
{
	if (strcmp(progress->check, check) == 0)
		onsim_wake(&rig.o);
}

/* All is as before, and a socket that was stopped runs again. */
static void is_released(const struct registers *before)
{
	const struct unc_box *box = onsim_box(&rig.o, "socket0.imc0.ch1");

	is_as_before(before);
	onsim_poke(&rig.o, box, R_FIXED_CTL, R_EN);
	onsim_step(&rig.o, MS_NS);
	CU_ASSERT_TRUE(onsim_peek48(&rig.o, box, R_FIXED_CTR) > before->values[1][4]);
	onsim_poke(&rig.o, box, R_FIXED_CTL, 0);
}

/* Woken in its first wait, each check leaves everything as it was. */
TEST(ended_in_any_check_all_is_as_before)
{
	const struct unc_check_about *about;

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		struct registers before;
		char name[40];

		if (strncmp(about->name, "behaviour.", 10) != 0 || strcmp(about->name, "behaviour.reset") == 0 ||
		    strcmp(about->name, "behaviour.twice") == 0 || strcmp(about->name, "behaviour.free_running") == 0)
			continue;
		snprintf(name, sizeof(name), "%s", about->name);
		open_machine("hsx", "sockets=1", NULL);
		rig.cfg.progress = wake_at;
		rig.cfg.progress_arg = name;
		leave_traces();
		before = look();
		onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, UNC_EAGAIN);
		CU_ASSERT_TRUE(onchecks_count(NULL, UNC_CHECK_NOT_RUN) > 0);
		is_released(&before);
	}
}

/* Of a part that has such counters; onchecks_end() compares the controls. */
TEST(ended_beside_counters_that_always_run_all_is_as_before)
{
	char name[] = "behaviour.free_running";

	open_machine("snr", "sockets=1", NULL);
	rig.cfg.progress = wake_at;
	rig.cfg.progress_arg = name;
	onchecks_run(UNC_CHECK_QUICK, name, NULL, UNC_EAGAIN);
	EQ(onchecks_count(NULL, UNC_CHECK_NOT_RUN), 1);
}

/* Woken while the socket stands: the second wait of that check. */
static void wake_when_frozen(void *ret_frozen, const char *line)
{
	bool *frozen = ret_frozen;

	if (!*frozen && (strstr(line, " w64 0x700 ") || strstr(line, " w64 0x2ff0 "))) {
		onsim_wake(&rig.o);
		*frozen = true;
	}
}

/* One bit freezes the socket of spr and releases it; hsx and icx have a bit for each. */
TEST(a_socket_that_stands_is_released_when_the_run_is_ended)
{
	static const char *const models[] = {"hsx", "icx", "spr"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct registers before;
		bool frozen = false;

		open_machine(models[i], "sockets=1", NULL);
		rig.o.m->trace.sink = wake_when_frozen;
		rig.o.m->trace.arg = &frozen;
		before = look();
		onchecks_run(UNC_CHECK_QUICK, "behaviour.global", NULL, UNC_EAGAIN);
		CU_ASSERT_TRUE(frozen);
		is_released(&before);
		rig.o.m->trace.sink = NULL;
	}
}

/* Ivy Bridge-EP: U_MSR_PMON_GLOBAL_CTL, wk_on_pmi (bit 30) and some of pmi_core_sel. */
TEST(what_else_a_global_register_holds_is_kept)
{
	uint64_t now = 0;

	open_machine("ivt", "sockets=1", NULL);
	CU_ASSERT_EQUAL(sim_msr_write(rig.o.hand, 0, 0xc00, 0x40000005), 0);
	onchecks_run(UNC_CHECK_QUICK, "behaviour", NULL, 0);
	FOUND("behaviour.global", "socket0", UNC_CHECK_PASS, "stood still");
	CU_ASSERT_EQUAL(sim_msr_read(rig.o.hand, 0, 0xc00, &now), 0);
	EQ(now, 0x40000005);
}

/* Of parts in memory: icx by a bit to freeze and one to release, spr by one bit, which is 0 again. */
TEST(the_socket_of_a_part_in_memory_stands_and_goes_on)
{
	static const char *const models[] = {"icx", "spr"};
	struct registers before;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		open_machine(models[i], "sockets=2,cores=2", NULL);
		before = look();
		onchecks_run(UNC_CHECK_QUICK, "behaviour.global", NULL, 0);
		FOUND("behaviour.global", "socket0", UNC_CHECK_PASS, "stood still");
		FOUND("behaviour.global", "socket1", UNC_CHECK_PASS, "stood still");
		is_released(&before);
	}
	for (unsigned cpu = 0; cpu <= 2; cpu += 2) { /* one of each socket */
		uint64_t now = 1;

		CU_ASSERT_EQUAL(sim_msr_read(rig.o.hand, cpu, 0x2ff0, &now), 0);
		EQ(now, 0);
	}
}

/* ---- which programs are in the list of other users ---- */

TEST(a_socket_is_not_stopped_where_a_driver_may_count)
{
	struct tree tree = tree_new();

	tree_dir(&tree, "sys/bus/pci/devices/0000:ff:14.1");
	CU_ASSERT_EQUAL(
		symlink("../../drivers/hswep_uncore", tree_path(&tree, "sys/bus/pci/devices/0000:ff:14.1/driver").text),
		0);
	run_quick("hsx", "sockets=1", test_text("files=%s", tree.root));
	FOUND("behaviour.global", "socket0", UNC_CHECK_SKIP, "hswep_uncore");
	NONE_FAILED();
	tree_remove(&tree);
}
