// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run of checks owes of each channel: a sentence in every result, and a failure where one was lost while it ran. */
#include "onchecks.h"

#include "check/check.h"
#include "test.h"

EACH(NULL, onchecks_end)

#define CH0 "socket0.imc0.ch0"
#define CH1 "socket0.imc0.ch1"

static void every_result_has_a_sentence(void)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		CU_ASSERT_TRUE(result.finding[0] != '\0');
	}
}

/* A run that has not begun, as if the first of all checks were at work. */
static struct unc_check *at_work(void)
{
	onchecks_open("snbep", "sockets=1", NULL);
	onchecks_choose(UNC_CHECK_QUICK, NULL, NULL);
	rig.check->now = unc_check_def_at(0);
	return rig.check;
}

TEST(a_result_that_says_nothing_is_a_failure)
{
	struct unc_check *c = at_work();

	unc_check_begin(c, "one");
	unc_check_begin(c, "two");
	unc_check_skip(c, "%s", "");
	unc_check_begin(c, "three");
	unc_check_pass(c, "%s", "it holds");
	unc_check_begin(c, "four");
	unc_check_prevented(c, UNC_EIO, "it cannot be read");
	unc_check_verify_readback(c, 0);
	EQ(c->entries[0].result.state, UNC_CHECK_FAIL);
	EQ(c->entries[1].result.state, UNC_CHECK_FAIL);
	HAS(c->entries[1].finding, "neither what it saw nor why it did not look");
	EQ(c->entries[2].result.state, UNC_CHECK_PASS);
	EQ(c->entries[3].result.state, UNC_CHECK_SKIP);
}

TEST(a_channel_that_a_check_leaves_out_is_a_failure)
{
	struct unc_check *c = at_work();

	unc_check_begin(c, "socket0");
	unc_check_pass(c, "%s", "it holds");
	unc_check_verify_readback(c, 0);
	EQ(c->n_entries, 1);
	unc_check_begin(c, CH0);
	unc_check_pass(c, "%s", "it holds");
	unc_check_begin(c, "socket0.imc0.ch2");
	unc_check_skip(c, "%s", "it has no DIMM");
	unc_check_verify_readback(c, 1);
	EQ(c->n_entries, 5);
	SAME(c->entries[3].subject, CH1);
	EQ(c->entries[1].result.state, UNC_CHECK_PASS);
	EQ(c->entries[2].result.state, UNC_CHECK_SKIP);
	EQ(c->entries[3].result.state, UNC_CHECK_FAIL);
	EQ(c->entries[4].result.state, UNC_CHECK_FAIL);
}

/* Another program that knows nothing of locks. */
static void begin_to_count(void *when, const struct unc_check_progress *progress)
{
	if (strcmp(progress->check, when) == 0)
		onsim_poke(&rig.o, onsim_box(&rig.o, CH1), R_CTL(2), R_EN | 0x1234);
}

TEST(a_channel_that_is_taken_while_checks_run_fails_once_with_what_shows_it)
{
	static char when[] = "registers.width";
	static const char *const only[] = {"registers", "behaviour.agree"};
	struct unc_check_result result;
	struct unc_check_value value;

	onchecks_open("snbep", "sockets=1", NULL);
	rig.broken = true;
	rig.cfg = (struct unc_check_cfg){.only = only, .n_only = 2, .progress = begin_to_count, .progress_arg = when};
	onchecks_run(UNC_CHECK_QUICK, NULL, NULL, 0);
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		if (result.state != UNC_CHECK_FAIL)
			continue;
		OK(&rig.o, unc_check_value(rig.check, i, 0, &value));
		SAME(value.reg, "CTL[2]");
		EQ(value.read, R_EN | 0x1234);
		CU_ASSERT_FALSE(value.good);
	}
	FOUND("registers.bits", CH1, UNC_CHECK_PASS, "");
	FOUND("registers.width", CH1, UNC_CHECK_FAIL, "CTL[2]", "0x00401234", "not written there", "another program");
	FOUND("registers.writes", CH1, UNC_CHECK_SKIP, "CTL[2]", "another program");
	FOUND("behaviour.agree", CH1, UNC_CHECK_SKIP, "CTL[2]", "another program");
	FOUND("behaviour.agree", CH0, UNC_CHECK_PASS, "");
	every_result_has_a_sentence();
	EQ(onsim_peek(&rig.o, onsim_box(&rig.o, CH1), R_CTL(2)), R_EN | 0x1234);
}

/* Without registers.channels nothing tells that it is the other channel's, but for the value. */
TEST(a_channel_that_another_one_writes_fails_and_is_told_whose_value_it_holds)
{
	onchecks_quick("snbep", "sockets=1,defect=writes-alias:" CH0 ":" CH1, NULL, "behaviour");
	FOUND("behaviour.runs", CH1, UNC_CHECK_FAIL, "which was not written there but to " CH0);
	FOUND("behaviour.agree", CH1, UNC_CHECK_SKIP, "but to " CH0);
	every_result_has_a_sentence();
	rig.broken = true;
}
