// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "onsim.h"

#include <unistd.h>

#include "tree.h"
#include "uncore.h"
#include "uncore/check.h"
#include "test.h"

enum { R_STATUS = 0xf8 };

/* ---- a run of the theme ---- */

struct run {
	struct onsim o;
	struct unc_check *check;
	unsigned n_failed;
	char failed[4000]; /* "behaviour.freeze socket0.imc0.ch1: CTR[2] went on ...\n"... */
	char all[60000]; /* the same of all results, with "ok", "FAIL" or "skip" in front, and what was tested behind */
};

static void keep_result(struct run *r, const struct unc_check_result *result)
{
	static const char *const words[] = {"ok", "FAIL", "skip", "not run"};
	size_t len = strlen(r->all);

	snprintf(r->all + len, sizeof(r->all) - len, "%s %s %s: %s%s%s\n", words[result->state], result->check,
		 result->subject, result->finding, result->tested ? "\n" : "", result->tested ? result->tested : "");
	if (result->state != UNC_CHECK_FAIL)
		return;
	r->n_failed++;
	len = strlen(r->failed);
	snprintf(r->failed + len, sizeof(r->failed) - len, "%s %s: %s\n", result->check, result->subject,
		 result->finding);
}

static int run_checks(struct run *r, const struct unc_check_cfg *cfg)
{
	struct unc_check_result result;
	int rc;

	r->n_failed = 0;
	r->failed[0] = r->all[0] = '\0';
	OK(&r->o, unc_check_open(r->o.m, cfg, &r->check));
	rc = unc_check_run(r->check);
	for (size_t i = 0; i < unc_check_results(r->check); i++) {
		OK(&r->o, unc_check_result(r->check, i, &result));
		keep_result(r, &result);
	}
	unc_check_close(r->check);
	return rc;
}

static struct unc_check_cfg theme(enum unc_check_depth depth)
{
	static const char *const only[] = {"behaviour"};

	return (struct unc_check_cfg){.depth = depth, .global = true, .only = only, .n_only = 1};
}

static void run_theme(struct run *r, enum unc_check_depth depth)
{
	struct unc_check_cfg cfg = theme(depth);

	OK(&r->o, run_checks(r, &cfg));
}

static bool says(const struct run *r, const char *beginning, const char *piece)
{
	for (const char *line = r->all; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n');
		const char *found = strstr(line, piece);

		if (strncmp(line, beginning, strlen(beginning)) == 0 && found && found < end)
			return true;
	}
	fprintf(stderr, "\nno \"%s...%s\" in:\n%s", beginning, piece, r->all);
	return false;
}

/* ---- as it was ---- */

struct registers {
	struct onsim_controls controls;
	size_t n;
	uint64_t values[ONSIM_BOXES_MAX][6]; /* CTR[0..3], FIXED_CTR, BOX_STATUS */
};

static struct registers look(struct onsim *o)
{
	struct registers now = {.controls = onsim_controls(o)};

	for (size_t i = 0; i < unc_box_count(o->m, "imc") && now.n < ONSIM_BOXES_MAX; i++) {
		const struct unc_box *box = unc_box_at(o->m, "imc", i);
		uint64_t *values = now.values[now.n];

		if (box->presence == UNC_ABSENT)
			continue;
		now.n++;
		for (unsigned k = 0; k < 4; k++)
			values[k] = onsim_peek48(o, box, R_CTR(k));
		values[4] = onsim_peek48(o, box, R_FIXED_CTR);
		values[5] = onsim_peek(o, box, R_STATUS);
	}
	return now;
}

static void is_as_before(struct onsim *o, const struct registers *before)
{
	struct registers now = look(o);

	EQ(onsim_controls_differ(&before->controls, &now.controls, UINT32_MAX & ~(uint32_t)R_FRZ_EN), 0);
	EQ(now.n, before->n);
	for (size_t i = 0; i < now.n; i++)
		for (unsigned k = 0; k < 6; k++)
			EQ(now.values[i][k], before->values[i][k]);
}

/* Counters that hold something, and a wrap that is told in the status of one. */
static void leave_traces(struct onsim *o)
{
	for (size_t i = 0; i < unc_box_count(o->m, "imc"); i++) {
		const struct unc_box *box = unc_box_at(o->m, "imc", i);

		for (unsigned k = 0; box->presence == UNC_PRESENT && k < 4; k++)
			onsim_poke48(o, box, R_CTR(k), 0x123456789aULL + 0x1111 * k + i);
	}
}

static void wrap_ctr1(struct onsim *o, const char *name)
{
	const struct unc_box *box = onsim_box(o, name);

	onsim_poke48(o, box, R_CTR(1), 0xffffffffff00ULL);
	onsim_poke(o, box, R_CTL(1), R_EN);
	onsim_step(o, MS_NS);
	onsim_poke(o, box, R_CTL(1), 0);
	CU_ASSERT_EQUAL(onsim_peek(o, box, R_STATUS), 4);
}

/* ---- healthy machines ---- */

static void is_healthy(const char *model, const char *options, enum unc_check_depth depth)
{
	struct registers before;
	struct run r;

	onsim_open_model(&r.o, model, options, NULL);
	leave_traces(&r.o);
	before = look(&r.o);
	run_theme(&r, depth);
	if (r.n_failed)
		fprintf(stderr, "\n%s,%s: %s", model, options, r.failed);
	EQ(r.n_failed, 0);
	is_as_before(&r.o, &before);
	onsim_close(&r.o);
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
	char options[40];

	for (unsigned seed = 1; seed <= 12; seed++) {
		snprintf(options, sizeof(options), "sockets=1,seed=%u", seed);
		is_healthy(models[seed % 4], options, UNC_CHECK_QUICK);
	}
}

/* ---- defects ---- */

/*
 * Found by that check, in that channel, with that piece in its sentence; may: others that may fail besides, since what they add up is
 * really not there.
 */
struct found {
	const char *model, *defect, *check, *piece, *may[2];
};

static void finds(const struct found *f)
{
	char options[200], expected[100], *line, *next;
	struct run r;
	bool found = false;

	snprintf(options, sizeof(options), "sockets=1,defect=%s", f->defect);
	onsim_open_model(&r.o, f->model, options, NULL);
	run_theme(&r, UNC_CHECK_QUICK);
	snprintf(expected, sizeof(expected), "behaviour.%s socket0.imc0.ch1: ", f->check);
	for (line = r.failed; *line; line = next + 1) {
		next = strchr(line, '\n');
		*next = '\0';
		if (strncmp(line, expected, strlen(expected)) == 0) {
			found = true;
			HAS(line, f->piece);
		} else if (!(f->may[0] && strstr(line, f->may[0])) && !(f->may[1] && strstr(line, f->may[1]))) {
			fprintf(stderr, "\n%s %s: %s", f->model, f->defect, line);
			CU_FAIL("something else is accused");
		}
	}
	if (!found)
		fprintf(stderr, "\n%s %s: not found by %s", f->model, f->defect, f->check);
	CU_ASSERT_TRUE(found);
	CU_ASSERT_EQUAL(onsim_close_any(&r.o), 0);
}

TEST(defects_are_found_where_they_are)
{
	static const struct found table[] = {
		/* clang-format off */
		{"hsx", "freeze-ignored:socket0.imc0.ch1:2", "freeze", "CTR[2] went on while", {"global socket0", NULL}},
		{"skx", "freeze-ignored:socket0.imc0.ch1:0", "freeze", "CTR[0] went on while", {"global socket0", NULL}},
		{"snbep", "freeze-ignored:socket0.imc0.ch1:fixed", "freeze", "FIXED_CTR went on while", {NULL, NULL}},
		{"hsx", "freeze-loses:socket0.imc0.ch1:3000", "resume", "the clock makes", {"sums", "threshold"}},
		{"snbep", "freeze-loses:socket0.imc0.ch1:3000", "resume", "the clock makes", {"sums", "threshold"}},
		{"hsx", "reset-leaves:socket0.imc0.ch1:2", "reset", "CTR[2]: after BOX_CTL.rst_ctrs", {NULL, NULL}},
		{"ivt", "reset-leaves:socket0.imc0.ch1:1", "reset", "CTR[1]: after BOX_CTL.rst_ctrs", {NULL, NULL}},
		{"snbep", "reset-leaves:socket0.imc0.ch1:fixed", "reset", "FIXED_CTR: after FIXED_CTL.rst", {NULL, NULL}},
		{"hsx", "enable-crossed:socket0.imc0.ch1:1:2", "enable", "only CTR[1] enabled what counts in", {NULL, NULL}},
		{"skx", "umask-shifted:socket0.imc0.ch1:2", "agree", "cas_count.all: CTR[2] counted", {NULL, NULL}},
		{"snbep", "carry-missing:socket0.imc0.ch1:1", "carry", "CTR[1]: from 0x", {NULL, NULL}},
		{"hsx", "carry-missing:socket0.imc0.ch1:fixed", "carry", "the high one gained nothing", {NULL, NULL}},
		{"hsx", "width:socket0.imc0.ch1:2:47", "wrap", "CTR[2]: wrote 0x0000ff", {NULL, NULL}},
		{"skx", "width:socket0.imc0.ch1:fixed:40", "wrap", "FIXED_CTR: wrote 0x0000ff", {NULL, NULL}},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:8", "freeze", "went on while", {NULL, NULL}},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:16", "freeze", "went on while", {NULL, NULL}},
		{"snbep", "stuck1:socket0.imc0.ch1:0xf4:16", "frz_en", "frz alone", {NULL, NULL}},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf8:2", "status", "CTR[1] has wrapped", {NULL, NULL}},
		{"hsx", "stuck0:socket0.imc0.ch1:0xf4:0", "reset", "after BOX_CTL.rst_ctrl", {NULL, NULL}},
		{"ivt", "stuck0:socket0.imc0.ch1:0xf4:1", "reset", "after BOX_CTL.rst_ctrs", {NULL, NULL}},
		{"skx", "stuck0:socket0.imc0.ch1:0xe0:17", "reset", "CTR[2]: after CTL[2].rst", {NULL, NULL}},
		{"snbep", "stuck0:socket0.imc0.ch1:0xf0:19", "reset", "after FIXED_CTL.rst", {NULL, NULL}},
		{"hsx", "stuck0:socket0.imc0.ch1:0xdc:23", "threshold", "inverted", {"fields", NULL}},
		{"hsx", "ignored:socket0.imc0.ch1:18", "fields", "CTR[0]: with clockticks:thresh=1:edge it counted", {"threshold", NULL}},
		{"ivt", "ignored:socket0.imc0.ch1:18:3", "fields", "CTR[3]: with", {"threshold", NULL}},
		{"skx", "ignored:socket0.imc0.ch1:23:0", "fields", "invert does not act", {"threshold", NULL}},
		{"snbep", "ignored:socket0.imc0.ch1:25:2", "fields", "thresh does not act", {"threshold", NULL}},
		{"snbep", "status-crossed:socket0.imc0.ch1:0:1", "status", "CTR[0] has wrapped", {NULL, NULL}},
		{"hsx", "status-crossed:socket0.imc0.ch1:3:fixed,status_bits=by_number", "status", "CTR[3] has wrapped", {NULL, NULL}},
		{"hsx", "status-sticks:socket0.imc0.ch1", "status", "set by a wrap in an earlier check", {NULL, NULL}},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		finds(&table[i]);
}

TEST(what_a_map_doubts_is_told_where_all_channels_do_alike)
{
	struct run r;

	onsim_open_model(&r.o, "hsx",
			 "sockets=1,defect=stuck1:socket0.imc0.ch0:0xf4:16,defect=stuck1:socket0.imc0.ch1:0xf4:16,"
			 "defect=stuck1:socket0.imc1.ch0:0xf4:16,defect=stuck1:socket0.imc1.ch1:0xf4:16",
			 NULL);
	run_theme(&r, UNC_CHECK_QUICK);
	EQ(r.n_failed, 0);
	CU_ASSERT_TRUE(says(&r, "skip behaviour.frz_en socket0.imc0.ch0", "the map doubts frz_en"));
	CU_ASSERT_TRUE(says(&r, "BOX_CTL.frz_en: {tested: ", "frz works without it"));
	CU_ASSERT_EQUAL(onsim_close_any(&r.o), 0);
}

TEST(what_silicon_does_is_told_for_the_map)
{
	struct run r;

	onsim_open_model(&r.o, "hsx", "sockets=1,ctl_writes=twice", NULL);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "CTL: {tested: ", "a write sticks the second time only"));
	CU_ASSERT_TRUE(says(&r, "ok behaviour.twice socket0.imc0.ch0", "12 of 12 values"));
	CU_ASSERT_TRUE(says(&r, "BOX_CTL.frz_en: {tested: ", "frz works with it only"));
	CU_ASSERT_TRUE(says(&r, "BOX_STATUS: {tested: ", "bit 1 of CTR[0]"));
	CU_ASSERT_TRUE(says(&r, "ok behaviour.reset socket0.imc0.ch0",
			    "rst_ctrs leaves FIXED_CTR, rst_ctrl leaves FIXED_CTL"));
	onsim_close(&r.o);
}

/* No document settles the order of the bits. */
TEST(status_bits_in_the_order_of_the_counters_are_told_and_no_failure)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "skx"};
	struct run r;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		onsim_open_model(&r.o, models[i], "sockets=1,status_bits=by_number", NULL);
		run_theme(&r, UNC_CHECK_QUICK);
		EQ(r.n_failed, 0);
		CU_ASSERT_TRUE(says(&r, "ok behaviour.status socket0.imc0.ch0", "in the order of the counters"));
		CU_ASSERT_TRUE(says(&r, "BOX_STATUS: {tested: ", "bit 0 of CTR[0] and so on, FIXED_CTR last"));
		onsim_close(&r.o);
	}
}

/* ---- what is left alone ---- */

TEST(a_status_bit_that_is_found_set_stays)
{
	struct registers before;
	struct run r;

	onsim_open_model(&r.o, "hsx", "sockets=1", NULL);
	wrap_ctr1(&r.o, "socket0.imc0.ch1");
	before = look(&r.o);
	run_theme(&r, UNC_CHECK_QUICK);
	EQ(r.n_failed, 0);
	CU_ASSERT_TRUE(
		says(&r, "ok behaviour.status socket0.imc0.ch1", "not looked at: CTR[1], whose bits were found set"));
	CU_ASSERT_TRUE(says(&r, "ok behaviour.status socket0.imc0.ch0", "each of 5 wraps"));
	is_as_before(&r.o, &before);
	onsim_close(&r.o);
}

TEST(parts_without_a_thing_skip_it_with_the_reason)
{
	struct run r;

	onsim_open_model(&r.o, "ivt", "sockets=1", NULL);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "skip behaviour.frz_en socket0.imc0.ch0", "Ivy Bridge-EP has no frz_en"));
	CU_ASSERT_TRUE(says(&r, "ok behaviour.threshold socket0.imc0.ch0", "this part has no invert"));
	onsim_close(&r.o);
	onsim_open_model(&r.o, "snbep", "sockets=1", NULL);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "skip behaviour.global machine", "freezes a whole socket"));
	CU_ASSERT_TRUE(says(&r, "ok behaviour.reset socket0.imc0.ch0", "1 reset bits"));
	onsim_close(&r.o);
	onsim_open_model(&r.o, "hsx", "sockets=1", "msr=absent");
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "skip behaviour.global socket0", "modprobe msr"));
	EQ(r.n_failed, 0);
	onsim_close(&r.o);
}

TEST(a_socket_is_not_stopped_where_somebody_counts)
{
	const struct unc_box *box;
	struct run r;
	uint64_t count;

	onsim_open_model(&r.o, "hsx", "sockets=2", NULL);
	box = onsim_box(&r.o, "socket1.imc0.ch1");
	onsim_poke(&r.o, box, R_FIXED_CTL, R_EN);
	count = onsim_peek48(&r.o, box, R_FIXED_CTR);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "ok behaviour.global socket0", "stood still"));
	CU_ASSERT_TRUE(says(&r, "skip behaviour.global socket1", "another program counts in socket1.imc0.ch1"));
	CU_ASSERT_TRUE(says(&r, "skip behaviour.freeze socket1.imc0.ch1", "another program counts there"));
	CU_ASSERT_EQUAL(onsim_peek(&r.o, box, R_FIXED_CTL), R_EN);
	CU_ASSERT_TRUE(onsim_peek48(&r.o, box, R_FIXED_CTR) > count);
	onsim_close(&r.o);
}

/* Every access once: nothing but the channel that failed is accused of it, and all is put back. */
TEST(an_access_that_fails_is_the_result_of_its_channel)
{
	struct run r;

	for (unsigned nth = 40; nth < 4000; nth += 331) {
		struct unc_check_cfg cfg = theme(UNC_CHECK_QUICK);

		onsim_open_model(&r.o, "hsx", "sockets=1", NULL);
		ONSIM_FAIL(&r.o, .at = nth, .how = UNC_FAULT_EIO);
		CU_ASSERT_EQUAL(run_checks(&r, &cfg), 0);
		onsim_work(&r.o);
		onsim_close(&r.o);
	}
}

/* ---- ended before the end ---- */

struct ender {
	int fd;
	const char *when;
};

static void end_at(void *arg, const struct unc_check_progress *progress)
{
	const struct ender *ender = arg;

	if (strcmp(progress->check, ender->when) == 0)
		CU_ASSERT_EQUAL(write(ender->fd, "x", 1), 1);
}

/* Woken in its first wait, each check leaves everything as it was; a socket that was stopped runs again. */
TEST(ended_in_any_check_all_is_as_before)
{
	const struct unc_check_about *about;

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		struct unc_check_cfg cfg = theme(UNC_CHECK_QUICK);
		struct registers before;
		struct ender ender;
		struct run r;
		int fds[2];

		if (strncmp(about->name, "behaviour.", 10) != 0 || strcmp(about->name, "behaviour.reset") == 0 ||
		    strcmp(about->name, "behaviour.twice") == 0)
			continue;
		onsim_open_model(&r.o, "hsx", "sockets=1", NULL);
		CU_ASSERT_FATAL(pipe(fds) == 0);
		r.o.m->host->wake_fd = fds[0];
		ender = (struct ender){fds[1], about->name};
		cfg.progress = end_at;
		cfg.progress_arg = &ender;
		leave_traces(&r.o);
		before = look(&r.o);
		CU_ASSERT_EQUAL(run_checks(&r, &cfg), UNC_EAGAIN);
		CU_ASSERT_PTR_NOT_NULL(strstr(r.all, "not run"));
		is_as_before(&r.o, &before);
		onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch1"), R_FIXED_CTL, R_EN);
		onsim_step(&r.o, MS_NS);
		CU_ASSERT_TRUE(onsim_peek48(&r.o, onsim_box(&r.o, "socket0.imc0.ch1"), R_FIXED_CTR) >
			       before.values[1][4]);
		onsim_close(&r.o);
		close(fds[0]);
		close(fds[1]);
	}
}

/* Woken while the socket stands: the second wait of that check. */
static void end_when_frozen(void *arg, const char *line)
{
	struct ender *ender = arg;

	if (strstr(line, " w64 0x700 ") && ender->when) {
		CU_ASSERT_EQUAL(write(ender->fd, "x", 1), 1);
		ender->when = NULL;
	}
}

TEST(a_socket_that_stands_is_released_when_the_run_is_ended)
{
	struct unc_check_cfg cfg = theme(UNC_CHECK_QUICK);
	static const char *const only[] = {"behaviour.global"};
	struct registers before;
	struct ender ender;
	struct run r;
	int fds[2];

	onsim_open_model(&r.o, "hsx", "sockets=1", NULL);
	CU_ASSERT_FATAL(pipe(fds) == 0);
	r.o.m->host->wake_fd = fds[0];
	ender = (struct ender){fds[1], "once"};
	r.o.m->trace.sink = end_when_frozen;
	r.o.m->trace.arg = &ender;
	cfg.only = only;
	before = look(&r.o);
	CU_ASSERT_EQUAL(run_checks(&r, &cfg), UNC_EAGAIN);
	CU_ASSERT_PTR_NULL(ender.when);
	is_as_before(&r.o, &before);
	onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch1"), R_FIXED_CTL, R_EN);
	onsim_step(&r.o, MS_NS);
	CU_ASSERT_TRUE(onsim_peek48(&r.o, onsim_box(&r.o, "socket0.imc0.ch1"), R_FIXED_CTR) > before.values[1][4]);
	onsim_close(&r.o);
	close(fds[0]);
	close(fds[1]);
}

/* Ivy Bridge-EP: U_MSR_PMON_GLOBAL_CTL, wk_on_pmi (bit 30) and some of pmi_core_sel. */
TEST(what_else_a_global_register_holds_is_kept)
{
	static const unsigned char other[8] = {0x05, 0, 0, 0x40};
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 0}};
	struct unc_bus *bus = NULL;
	struct unc_space *space = NULL;
	uint64_t now = 0;
	struct run r;

	onsim_open_model(&r.o, "ivt", "sockets=1", NULL);
	CU_ASSERT_FATAL(r.o.hand->ops->bus_open(r.o.hand, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	CU_ASSERT_FATAL(bus->ops->write(space, 0xc00, other, sizeof(other)) == 0);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "ok behaviour.global socket0", "stood still"));
	CU_ASSERT_EQUAL(unc_read64(space, 0xc00, &now), 0);
	EQ(now, 0x40000005);
	unc_space_close(space);
	unc_bus_close(bus);
	onsim_close(&r.o);
}

/* ---- who is in the list of other users ---- */

TEST(a_socket_is_not_stopped_where_a_driver_may_count)
{
	struct tree tree = tree_new();
	char own[600];
	struct run r;

	tree_dir(&tree, "sys/bus/pci/devices/0000:ff:14.1");
	CU_ASSERT_EQUAL(
		symlink("../../drivers/hswep_uncore", tree_path(&tree, "sys/bus/pci/devices/0000:ff:14.1/driver").text),
		0);
	snprintf(own, sizeof(own), "files=%s", tree.root);
	onsim_open_model(&r.o, "hsx", "sockets=1", own);
	run_theme(&r, UNC_CHECK_QUICK);
	CU_ASSERT_TRUE(says(&r, "skip behaviour.global socket0", "hswep_uncore"));
	EQ(r.n_failed, 0);
	onsim_close(&r.o);
	tree_remove(&tree);
}
