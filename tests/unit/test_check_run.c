// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame in which checks run: which are chosen, which channels they may touch, and what is left of them. */
#define _GNU_SOURCE
#include <unistd.h>

#include "onchecks.h"
#include "test.h"

/* The names of what is chosen, a line each. */
static const char *chosen(const struct unc_check *check, char *buf, size_t size)
{
	const struct unc_check_about *about;
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; (about = unc_check_chosen(check, i)) && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s\n", about->name);
	return buf;
}

TEST(every_check_says_what_it_is)
{
	const struct unc_check_about *about, *other;

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		CU_ASSERT_PTR_NOT_NULL(strchr(about->name, '.'));
		CU_ASSERT_TRUE(strlen(about->proves) > 10 && strlen(about->src) > 3);
		CU_ASSERT_TRUE(about->ms[UNC_CHECK_FULL] > 0);
		CU_ASSERT_TRUE(about->ms[UNC_CHECK_QUICK] <= about->ms[UNC_CHECK_FULL]);
		for (size_t k = 0; k < i && (other = unc_check_about(k)); k++)
			CU_ASSERT_STRING_NOT_EQUAL(about->name, other->name);
	}
}

TEST(names_and_themes_choose_and_leave_out)
{
	static const char *const only[] = {"registers", "presence.ids"},
				 *const skip[] = {"registers.bits", "registers.w"},
				 *const skip_one[] = {"registers.bits"};
	struct unc_check_cfg cfg = {.only = only, .n_only = 2, .skip = skip_one, .n_skip = 1};
	struct unc_check *check;
	char names[4000];
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &check));
	SAME(chosen(check, names, sizeof(names)),
	     "presence.ids\nregisters.reset\nregisters.readonly\nregisters.alias\nregisters.channels\n"
	     "registers.halves\nregisters.width\nregisters.writes\n");
	unc_check_close(check);
	cfg.skip = skip;
	cfg.n_skip = 2;
	FAILS(&o, UNC_EARG, unc_check_open(o.m, &cfg, &check), "no check or theme \"registers.w\"");
	cfg = (struct unc_check_cfg){.only = only, .n_only = 1, .skip = only, .n_skip = 1};
	FAILS(&o, UNC_ENODEV, unc_check_open(o.m, &cfg, &check), "nothing to check");
	cfg = (struct unc_check_cfg){.box = "socket7.*"};
	FAILS(&o, UNC_EARG, unc_check_open(o.m, &cfg, &check), "socket7.*", "uncorectl list");
	cfg = (struct unc_check_cfg){.depth = UNC_CHECK_FULL};
	OK(&o, unc_check_open(o.m, &cfg, &check));
	for (size_t i = 0; unc_check_chosen(check, i); i++)
		CU_ASSERT_FALSE(unc_check_chosen(check, i)->global);
	unc_check_close(check);
	onsim_close(&o);
}

TEST(observing_chooses_what_writes_nothing)
{
	struct unc_check_cfg cfg = {0};
	struct onsim_controls before, after;
	struct unc_check *check;
	struct onsim o;

	onsim_open_read_only(&o, "sockets=1", NULL);
	before = onsim_controls(&o);
	FAILS(&o, UNC_EDENIED, unc_check_open(o.m, &cfg, &check), "read-only", "--observe");
	cfg.observe = true;
	OK(&o, unc_check_open(o.m, &cfg, &check));
	CU_ASSERT_PTR_NOT_NULL(unc_check_chosen(check, 0));
	for (size_t i = 0; unc_check_chosen(check, i); i++)
		CU_ASSERT_FALSE(unc_check_chosen(check, i)->writes);
	onsim_trace_clear(&o);
	OK(&o, unc_check_run(check));
	EQ(onsim_trace_count(&o, " w32 "), 0);
	CU_ASSERT_TRUE(unc_check_results(check) > 0);
	unc_check_close(check);
	after = onsim_controls(&o);
	EQ(onsim_controls_differ(&before, &after, UINT32_MAX), 0);
	onsim_close(&o);
}

TEST(a_channel_in_use_is_skipped_but_by_force)
{
	struct unc_check_cfg cfg = {
		.depth = UNC_CHECK_QUICK, .only = (const char *const[]){"registers.bits"}, .n_only = 1};
	struct unc_box *box;
	struct onchecks k;

	onchecks_open(&k, "snbep", "sockets=1", NULL);
	box = onsim_box(&k.o, "socket0.imc0.ch1");
	onsim_poke(&k.o, box, R_CTL(2), R_EN | 0x304);
	k.before = onsim_controls(&k.o);
	OK(&k.o, unc_check_open(k.o.m, &cfg, &k.check));
	onsim_trace_clear(&k.o);
	OK(&k.o, unc_check_run(k.check));
	EQ(onsim_trace_count(&k.o, "ff:10.1 w32"), 0);
	CU_ASSERT_TRUE(onsim_trace_count(&k.o, "ff:10.0 w32") > 100);
	FOUND(&k, "registers.bits", "socket0.imc0.ch1", UNC_CHECK_SKIP, "another program counts there", "--force");
	EQ(onchecks_count(&k, "registers.bits", UNC_CHECK_PASS), 3);
	unc_check_close(k.check);
	cfg.force = true;
	OK(&k.o, unc_check_open(k.o.m, &cfg, &k.check));
	OK(&k.o, unc_check_run(k.check));
	EQ(onchecks_count(&k, "registers.bits", UNC_CHECK_PASS), 4);
	onchecks_close(&k);
}

TEST(where_all_are_in_use_only_reading_goes_on)
{
	struct unc_check_cfg cfg = {.only = (const char *const[]){"registers"}, .n_only = 1};
	struct unc_check *check;
	struct unc_box *box;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	for (size_t i = 0; (box = unc_box_at(o.m, "imc", i)); i++)
		onsim_poke(&o, box, R_CTL(0), R_EN | 0x304);
	FAILS(&o, UNC_EBUSY, unc_check_open(o.m, &cfg, &check), "socket0.imc0.ch0", "another program counts there");
	cfg.only = (const char *const[]){"presence.ids"};
	OK(&o, unc_check_open(o.m, &cfg, &check));
	OK(&o, unc_check_run(check));
	EQ(unc_check_results(check), 4);
	unc_check_close(check);
	onsim_close(&o);
}

TEST(a_dry_run_checks_nothing)
{
	struct unc_check_cfg cfg = {0};
	struct unc_check *check;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &check));
	CU_ASSERT_PTR_NOT_NULL(unc_check_chosen(check, 5));
	o.m->dry_run = (void (*)(void *, const char *))abort;
	FAILS(&o, UNC_EARG, unc_check_run(check), "dry run");
	o.m->dry_run = NULL;
	EQ(unc_check_results(check), 0);
	unc_check_close(check);
	onsim_close(&o);
}

TEST(it_runs_once)
{
	struct unc_check_cfg cfg = {.only = (const char *const[]){"presence.ids"}, .n_only = 1};
	struct unc_check_result result;
	struct unc_check_value value;
	struct unc_check_plot plot;
	struct unc_check *check;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &check));
	OK(&o, unc_check_run(check));
	FAILS(&o, UNC_EARG, unc_check_run(check), "already");
	FAILS(&o, UNC_ENODEV, unc_check_result(check, 4, &result), "4 results");
	FAILS(&o, UNC_ENODEV, unc_check_value(check, 0, 9, &value), "none of number 9");
	FAILS(&o, UNC_ENODEV, unc_check_plot(check, 0, 0, &plot), "0 plots");
	unc_check_close(check);
	onsim_close(&o);
}

static int wake_after(struct unc_machine *m, const struct unc_check_cfg *cfg, struct unc_check **ret_check)
{
	int rc = unc_check_open(m, cfg, ret_check);

	return rc == 0 ? unc_check_run(*ret_check) : rc;
}

/* What was begun, and all after it, was not run; what was written is back. */
TEST(a_run_that_is_woken_ends_and_puts_back)
{
	static const char *const only[] = {"presence.ids", "presence.alike", "registers.bits"};
	struct unc_check_cfg cfg = {.only = only, .n_only = 3};
	struct unc_machine_cfg machine = {.machine = "sim:snbep,sockets=1,clock=step", .writable = true};
	struct unc_check_result result;
	struct unc_machine *m;
	struct unc_check *check = NULL;
	struct unc_ctx *ctx;
	unsigned n[4] = {0};
	uint64_t value;
	int wake[2];

	CU_ASSERT_FATAL(pipe(wake) == 0);
	CU_ASSERT_FATAL(write(wake[1], "x", 1) == 1);
	machine.wake_fd = wake[0];
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	onsim_ok(&ctx, unc_machine_open(ctx, &machine, &m), "open", __FILE__, __LINE__);
	EQ(wake_after(m, &cfg, &check), UNC_EAGAIN);
	for (size_t i = 0; i < unc_check_results(check); i++) {
		CU_ASSERT_FATAL(unc_check_result(check, i, &result) == 0);
		n[result.state]++;
		CU_ASSERT_EQUAL(result.state == UNC_CHECK_NOT_RUN, strcmp(result.check, "presence.ids") != 0);
	}
	EQ(n[UNC_CHECK_PASS], 4);
	EQ(n[UNC_CHECK_NOT_RUN], 2);
	for (size_t i = 0; i < 4; i++) {
		struct unc_box *box = unc_box_at(m, "imc", i);

		for (unsigned k = 0; k < 4; k++) {
			onsim_ok(&ctx, unc_reg_get(box, unc_unit_reg(box->unit, "CTL"), k, &value), "read", __FILE__,
				 __LINE__);
			EQ(value, 0);
		}
	}
	EQ(unc_sim_violations(m->host), 0);
	unc_check_close(check);
	onsim_ok(&ctx, unc_machine_close(m), "close", __FILE__, __LINE__);
	unc_free(ctx);
	close(wake[0]);
	close(wake[1]);
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
	struct unc_check_cfg cfg = {
		.only = (const char *const[]){"presence"}, .n_only = 1, .progress = on_progress, .progress_arg = &last};
	struct unc_check *check;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &check));
	OK(&o, unc_check_run(check));
	EQ(last.nth, last.of);
	SAME(last.check, "presence.steady");
	unc_check_close(check);
	onsim_close(&o);
}

/* With a fault in its only access to a channel: that channel fails, the others do not, and all is put back. */
TEST(a_channel_that_fails_fails_alone)
{
	struct unc_check_cfg cfg = {.only = (const char *const[]){"presence.config"}, .n_only = 1};
	struct onchecks k;

	onchecks_open(&k, "snbep", "sockets=1", NULL);
	OK(&k.o, unc_check_open(k.o.m, &cfg, &k.check));
	ONSIM_FAIL(&k.o, .at = 3, .how = UNC_FAULT_EIO);
	OK(&k.o, unc_check_run(k.check));
	onsim_work(&k.o);
	EQ(onchecks_count(&k, "presence.config", UNC_CHECK_FAIL), 1);
	EQ(onchecks_count(&k, "presence.config", UNC_CHECK_PASS), 3);
	onchecks_close(&k);
}

/* A machine whose accesses take time, which those of onchecks_open() do not. */
struct timed {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct unc_check *check;
};

static void timed_run(struct timed *t, const char *machine, enum unc_check_depth depth, const char *only)
{
	struct unc_machine_cfg machine_cfg = {.machine = machine, .writable = true, .wake_fd = -1};
	struct unc_check_cfg cfg = {.depth = depth, .only = only ? &only : NULL, .n_only = only ? 1 : 0};

	EQ(unc_new(&t->ctx), 0);
	EQ(unc_machine_open(t->ctx, &machine_cfg, &t->m), 0);
	EQ(unc_check_open(t->m, &cfg, &t->check), 0);
	EQ(unc_check_run(t->check), 0);
}

static void timed_close(struct timed *t)
{
	unc_check_close(t->check);
	EQ(unc_machine_close(t->m), 0);
	unc_free(t->ctx);
}

/* What has passed, or was skipped, says what was seen, or why. */
static void none_is_silent(const struct timed *t)
{
	struct unc_check_result result;

	for (size_t i = 0; unc_check_result(t->check, i, &result) == 0; i++)
		CU_ASSERT_TRUE(result.finding[0] != '\0');
}

/* False: it has not passed. */
static bool took(const struct timed *t, const char *name, double *ret_ms)
{
	struct unc_check_result result;

	for (size_t i = 0; unc_check_result(t->check, i, &result) == 0; i++) {
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
	double ms, all_ms = 0;
	unsigned n = 0;
	struct timed t;

	timed_run(&t, machine, depth, NULL);
	none_is_silent(&t);
	for (size_t i = 0; (about = unc_check_chosen(t.check, i)); i++) {
		if (!took(&t, about->name, &ms))
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
	timed_close(&t);
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
	double ms = 0;
	struct timed t;

	for (unsigned i = 0; i < 2; i++) {
		timed_run(&t, "sim:snbep,sockets=1,clock=step,dword_ns=50000", UNC_CHECK_FULL, names[i]);
		CU_ASSERT_TRUE(took(&t, names[i], &ms));
		CU_ASSERT_TRUE(ms > 6000 && ms < 6200);
		timed_close(&t);
	}
}
