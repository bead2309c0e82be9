// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame in which checks run: which are chosen, which channels they may touch, and what is left of them. */
#include "onchecks.h"
#include "test.h"

EACH(NULL, onchecks_end)

/* Every theme but monitoring and behaviour, whose tests have healthy machines of their own. */
static void is_healthy(const char *model, const char *common)
{
	static const char *const themes[] = {"presence", "registers", "clock", "traffic"};
	static const char *const of_channels[] = {
		"presence.functions", "presence.ids",     "presence.config",    "presence.steady",
		"registers.reset",    "registers.bits",   "registers.readonly", "registers.alias",
		"registers.channels", "registers.halves", "registers.width",    "registers.writes",
		"clock.rate",         "clock.jedec",      "clock.steady",       "traffic.kinds"};
	static const char *const of_sockets[] = {"presence.ubox", "presence.alike", "clock.equal", "traffic.volume",
						 "traffic.interleave"};

	onchecks_open(model, common, NULL);
	rig.cfg = (struct unc_check_cfg){.only = themes, .n_only = 4};
	onchecks_run(UNC_CHECK_QUICK, NULL, NULL, 0);
	NONE_FAILED();
	for (size_t i = 0; i < sizeof(of_channels) / sizeof(of_channels[0]); i++)
		EQ(onchecks_count(of_channels[i], UNC_CHECK_PASS), rig.before.n);
	for (size_t i = 0; i < sizeof(of_sockets) / sizeof(of_sockets[0]); i++)
		EQ(onchecks_count(of_sockets[i], UNC_CHECK_PASS), rig.o.m->n_sockets);
	EQ(onchecks_count("traffic.nodes", UNC_CHECK_PASS), rig.o.m->n_sockets > 1 ? rig.o.m->n_sockets : 0);
	CU_ASSERT(!rig.o.m->has_traffic);
}

TEST(all_pass_on_healthy_machines_of_every_model)
{
	static const char *const healthy[][2] = {
		{"snbep", "sockets=2"},
		{"snbep", "sockets=1,frz_en=rw"},
		{"ivt", "sockets=2"},
		{"hsx", "sockets=2"},
		{"hsx", "sockets=1,ctl_writes=twice"},
		{"hsx", "sockets=1,frz_en=rw,ctl_writes=twice"},
		{"bdx", "sockets=2"},
		{"bdxde", "sockets=1"}, /* there is no other of it */
		{"skx", "sockets=2"},
		{"skx", "sockets=1,ctl_writes=twice"},
		{"clx", "sockets=2"},
		{"cpx", "sockets=2"},
	};

	for (size_t i = 0; i < sizeof(healthy) / sizeof(healthy[0]); i++)
		is_healthy(healthy[i][0], healthy[i][1]);
}

TEST(no_seed_is_a_false_alarm)
{
	static const char *const models[] = {"hsx", "skx", "snbep", "ivt", "bdx"};

	for (unsigned seed = 1; seed <= 12; seed++)
		is_healthy(models[seed % 5],
			   test_text("sockets=%u,seed=%u%s", 1 + seed % 4, seed, seed % 3 ? "" : ",ctl_writes=twice"));
}

TEST(every_check_says_what_it_is)
{
	const struct unc_check_about *about, *other;

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		CU_ASSERT_PTR_NOT_NULL(strchr(about->name, '.'));
		CU_ASSERT_TRUE(strlen(about->proves) > 10 && strlen(about->src) > 3);
		CU_ASSERT_TRUE(about->ms[UNC_CHECK_FULL] > 0);
		CU_ASSERT_TRUE(about->ms[UNC_CHECK_QUICK] <= about->ms[UNC_CHECK_FULL]);
		for (size_t n = 0; n < i && (other = unc_check_about(n)); n++)
			CU_ASSERT_STRING_NOT_EQUAL(about->name, other->name);
	}
}

static int try_open(const struct unc_check_cfg *cfg)
{
	struct unc_check *check;

	return unc_check_open(rig.o.m, cfg, &check);
}

TEST(names_and_themes_choose_and_leave_out)
{
	static const char *const only[] = {"registers", "presence.ids"}, *const skip[] = {"registers.bits",
											  "registers.w"};
	const struct unc_check_about *about;
	char names[4000] = "";

	onchecks_open("snbep", "sockets=1", NULL);
	rig.cfg = (struct unc_check_cfg){.only = only, .n_only = 2, .skip = skip, .n_skip = 1};
	onchecks_choose(UNC_CHECK_QUICK, NULL, NULL);
	for (size_t i = 0; (about = unc_check_chosen(rig.check, i)); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s\n", about->name);
	SAME(names, "presence.ids\nregisters.reset\nregisters.readonly\nregisters.alias\nregisters.channels\n"
		    "registers.halves\nregisters.width\nregisters.writes\n");
	rig.cfg.n_skip = 2;
	FAILS(&rig.o, UNC_EARG, try_open(&rig.cfg), "no check or theme \"registers.w\"");
	rig.cfg = (struct unc_check_cfg){.only = only, .n_only = 1, .skip = only, .n_skip = 1};
	FAILS(&rig.o, UNC_ENODEV, try_open(&rig.cfg), "nothing to check");
	rig.cfg = (struct unc_check_cfg){.box = "socket7.*"};
	FAILS(&rig.o, UNC_EARG, try_open(&rig.cfg), "socket7.*", "uncorectl list");
	rig.cfg = (struct unc_check_cfg){.depth = UNC_CHECK_FULL};
	onchecks_choose(UNC_CHECK_FULL, NULL, NULL);
	for (size_t i = 0; unc_check_chosen(rig.check, i); i++)
		CU_ASSERT_FALSE(unc_check_chosen(rig.check, i)->global);
}

TEST(observing_chooses_what_writes_nothing)
{
	onsim_open_read_only(&rig.o, "sockets=1", NULL);
	rig.before = onsim_controls(&rig.o);
	FAILS(&rig.o, UNC_EDENIED, try_open(&rig.cfg), "read-only", "cfg.observe");
	rig.cfg.observe = true;
	onchecks_choose(UNC_CHECK_QUICK, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL(unc_check_chosen(rig.check, 0));
	for (size_t i = 0; unc_check_chosen(rig.check, i); i++)
		CU_ASSERT_FALSE(unc_check_chosen(rig.check, i)->writes);
	onsim_trace_clear(&rig.o);
	OK(&rig.o, unc_check_run(rig.check));
	EQ(onsim_trace_count(&rig.o, " w32 "), 0);
	CU_ASSERT_TRUE(unc_check_results(rig.check) > 0);
}

TEST(a_channel_in_use_is_skipped_but_by_force)
{
	onchecks_open("snbep", "sockets=1", NULL);
	onsim_poke(&rig.o, onsim_box(&rig.o, "socket0.imc0.ch1"), R_CTL(2), R_EN | 0x304);
	rig.before = onsim_controls(&rig.o);
	onchecks_choose(UNC_CHECK_QUICK, "registers.bits", NULL);
	onsim_trace_clear(&rig.o);
	OK(&rig.o, unc_check_run(rig.check));
	EQ(onsim_trace_count(&rig.o, "ff:10.1 w32"), 0);
	CU_ASSERT_TRUE(onsim_trace_count(&rig.o, "ff:10.0 w32") > 100);
	FOUND("registers.bits", "socket0.imc0.ch1", UNC_CHECK_SKIP, "another program counts there", "--force");
	EQ(onchecks_count("registers.bits", UNC_CHECK_PASS), 3);
	rig.cfg.force = true;
	onchecks_run(UNC_CHECK_QUICK, "registers.bits", NULL, 0);
	EQ(onchecks_count("registers.bits", UNC_CHECK_PASS), 4);
}

TEST(where_all_are_in_use_only_reading_goes_on)
{
	static const char *const only[] = {"registers"};
	struct unc_box *box;

	onchecks_open("snbep", "sockets=1", NULL);
	for (size_t i = 0; (box = unc_box_at(rig.o.m, "imc", i)); i++)
		onsim_poke(&rig.o, box, R_CTL(0), R_EN | 0x304);
	rig.before = onsim_controls(&rig.o);
	FAILS(&rig.o, UNC_EBUSY, try_open(&(struct unc_check_cfg){.only = only, .n_only = 1}), "socket0.imc0.ch0",
	      "another program counts there");
	onchecks_run(UNC_CHECK_QUICK, "presence.ids", NULL, 0);
	EQ(unc_check_results(rig.check), 4);
}

TEST(a_dry_run_checks_nothing)
{
	onchecks_open("snbep", "sockets=1", NULL);
	onchecks_choose(UNC_CHECK_QUICK, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL(unc_check_chosen(rig.check, 5));
	rig.o.m->dry_run = (void (*)(void *, const char *))abort;
	FAILS(&rig.o, UNC_EARG, unc_check_run(rig.check), "dry run");
	rig.o.m->dry_run = NULL;
	EQ(unc_check_results(rig.check), 0);
}

TEST(it_runs_once)
{
	struct unc_check_result result;
	struct unc_check_value value;
	struct unc_check_plot plot;

	onchecks_quick("snbep", "sockets=1", NULL, "presence.ids");
	FAILS(&rig.o, UNC_EARG, unc_check_run(rig.check), "already");
	FAILS(&rig.o, UNC_ENODEV, unc_check_result(rig.check, 4, &result), "4 results");
	FAILS(&rig.o, UNC_ENODEV, unc_check_value(rig.check, 0, 9, &value), "none of number 9");
	FAILS(&rig.o, UNC_ENODEV, unc_check_plot(rig.check, 0, 0, &plot), "0 plots");
}

/* What was begun, and all after it, was not run; what was written is back. */
TEST(a_run_that_is_woken_ends_and_puts_back)
{
	static const char *const only[] = {"presence.ids", "presence.alike", "registers.bits"};

	onchecks_open("snbep", "sockets=1", NULL);
	onsim_wake(&rig.o);
	rig.cfg = (struct unc_check_cfg){.only = only, .n_only = 3};
	onchecks_run(UNC_CHECK_QUICK, NULL, NULL, UNC_EAGAIN);
	EQ(onchecks_count("presence.ids", UNC_CHECK_PASS), 4);
	EQ(onchecks_count("presence.alike", UNC_CHECK_NOT_RUN), 1);
	EQ(onchecks_count("registers.bits", UNC_CHECK_NOT_RUN), 1);
	EQ(unc_check_results(rig.check), 6);
}

static void on_progress(void *arg, const struct unc_check_progress *progress)
{
	struct unc_check_progress *last = arg;

	CU_ASSERT_EQUAL(progress->nth, last->nth + 1);
	CU_ASSERT_TRUE(last->nth == 0 || progress->left_ns <= last->left_ns);
	*last = *progress;
}

TEST(progress_is_told_before_each_check)
{
	struct unc_check_progress last = {0};

	onchecks_open("snbep", "sockets=1", NULL);
	rig.cfg = (struct unc_check_cfg){.progress = on_progress, .progress_arg = &last};
	onchecks_run(UNC_CHECK_QUICK, "presence", NULL, 0);
	EQ(last.nth, last.of);
	SAME(last.check, "presence.steady");
}

/* With a fault in its only access to a channel: that channel fails, the others do not, and all is put back. */
TEST(a_channel_that_fails_fails_alone)
{
	onchecks_open("snbep", "sockets=1", NULL);
	onchecks_choose(UNC_CHECK_QUICK, "presence.config", NULL);
	ONSIM_FAIL(&rig.o, .at = 3, .how = UNC_FAULT_EIO);
	OK(&rig.o, unc_check_run(rig.check));
	onsim_work(&rig.o);
	EQ(onchecks_count("presence.config", UNC_CHECK_FAIL), 1);
	EQ(onchecks_count("presence.config", UNC_CHECK_PASS), 3);
}

/* A machine whose accesses take time, which those of onchecks_open() do not. */
static struct unc_check *timed_run(struct onplain *p, const char *machine, enum unc_check_depth depth, const char *only)
{
	struct unc_check_cfg cfg = {.depth = depth, .only = only ? &only : NULL, .n_only = only ? 1 : 0};
	struct unc_check *check = NULL;

	onplain_open(p, machine);
	OK(p, unc_check_open(p->m, &cfg, &check));
	OK(p, unc_check_run(check));
	return check;
}

/* False: it has not passed. */
static bool took(const struct unc_check *check, const char *name, double *ret_ms)
{
	struct unc_check_result result;

	for (size_t i = 0; unc_check_result(check, i, &result) == 0; i++) {
		if (strcmp(result.check, name) != 0 || result.state != UNC_CHECK_PASS)
			continue;
		*ret_ms = (double)result.ns / 1e6;
		return true;
	}
	return false;
}

/* Within a factor of two; less than a millisecond is one. */
static unsigned compare_times(const char *machine, enum unc_check_depth depth)
{
	const struct unc_check_about *about;
	struct unc_check_result result;
	struct onplain p;
	struct unc_check *check = timed_run(&p, machine, depth, NULL);
	double ms, all_ms = 0;
	unsigned n = 0;

	/* What has passed, or was skipped, says what was seen, or why. */
	for (size_t i = 0; unc_check_result(check, i, &result) == 0; i++)
		CU_ASSERT_TRUE(result.finding[0] != '\0');
	for (size_t i = 0; (about = unc_check_chosen(check, i)); i++) {
		if (!took(check, about->name, &ms))
			continue;
		n++;
		all_ms += ms;
		ms = ms > 1 ? ms : 1;
		if (about->ms[depth] <= 2 * ms && about->ms[depth] >= ms / 2)
			continue;
		fprintf(stderr, "%s: %s took %.3f ms at depth %d, and says %u\n", machine, about->name, ms, (int)depth,
			(unsigned)about->ms[depth]);
		CU_FAIL("a check takes another time than it says");
	}
	CU_ASSERT_TRUE(all_ms < (depth == UNC_CHECK_QUICK ? 2e3 : 60e3));
	unc_check_close(check);
	onplain_close(&p);
	return n;
}

TEST(checks_take_as_long_as_they_say)
{
	for (enum unc_check_depth depth = UNC_CHECK_QUICK; depth <= UNC_CHECK_FULL; depth++) {
		EQ(compare_times("sim:hsx,sockets=2,cores=2,clock=step", depth), 47);
		EQ(compare_times("sim:bdx,sockets=2,cores=2,clock=step", depth), 48);
	}
}

/* Where an access takes long there are fewer: a channel has its share of the time. */
TEST(slow_accesses_are_fewer)
{
	static const char *const names[] = {"presence.steady", "registers.writes"};

	for (unsigned i = 0; i < 2; i++) {
		struct onplain p;
		struct unc_check *check =
			timed_run(&p, "sim:snbep,sockets=1,clock=step,dword_ns=50000", UNC_CHECK_FULL, names[i]);
		double ms = 0;

		CU_ASSERT_TRUE(took(check, names[i], &ms));
		CU_ASSERT_TRUE(ms > 6000 && ms < 6200);
		unc_check_close(check);
		onplain_close(&p);
	}
}
