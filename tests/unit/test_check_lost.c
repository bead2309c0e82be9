// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run of checks owes of each channel: a sentence in every result, and a failure where one was lost while it ran. */
#include "onchecks.h"

#include "check/check.h"
#include "test.h"

#define CH0 "socket0.imc0.ch0"
#define CH1 "socket0.imc0.ch1"

static void every_result_has_a_sentence(struct onchecks *k)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(k->check); i++) {
		OK(&k->o, unc_check_result(k->check, i, &result));
		CU_ASSERT_TRUE(result.finding[0] != '\0');
	}
}

TEST(a_result_that_says_nothing_is_a_failure)
{
	struct unc_check_cfg cfg = {0};
	struct unc_check *c;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &c));
	c->now = unc_check_def_at(0);
	unc_check_begin(c, "one");
	unc_check_begin(c, "two");
	unc_check_skip(c, "%s", "");
	unc_check_begin(c, "three");
	unc_check_pass(c, "%s", "it holds");
	unc_check_begin(c, "four");
	unc_check_prevented(c, UNC_EIO, "it cannot be read");
	unc_check_verify_readback(c, 0);
	EQ(c->entries[0].state, UNC_CHECK_FAIL);
	EQ(c->entries[1].state, UNC_CHECK_FAIL);
	HAS(c->entries[1].finding, "neither what it saw nor why it did not look");
	EQ(c->entries[2].state, UNC_CHECK_PASS);
	EQ(c->entries[3].state, UNC_CHECK_SKIP);
	unc_check_close(c);
	onsim_close(&o);
}

TEST(a_channel_that_a_check_leaves_out_is_a_failure)
{
	struct unc_check_cfg cfg = {0};
	struct unc_check *c;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	OK(&o, unc_check_open(o.m, &cfg, &c));
	c->now = unc_check_def_at(0);
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
	EQ(c->entries[1].state, UNC_CHECK_PASS);
	EQ(c->entries[2].state, UNC_CHECK_SKIP);
	EQ(c->entries[3].state, UNC_CHECK_FAIL);
	EQ(c->entries[4].state, UNC_CHECK_FAIL);
	unc_check_close(c);
	onsim_close(&o);
}

/* Another program that knows nothing of locks. */
struct other {
	struct onsim *o;
	const char *when;
};

static void begin_to_count(void *arg, const struct unc_check_progress *progress)
{
	const struct other *other = arg;

	if (strcmp(progress->check, other->when) == 0)
		onsim_poke(other->o, onsim_box(other->o, CH1), R_CTL(2), R_EN | 0x1234);
}

TEST(a_channel_that_is_taken_while_checks_run_fails_once_with_what_shows_it)
{
	struct unc_check_cfg cfg = {.depth = UNC_CHECK_QUICK,
				    .only = (const char *const[]){"registers", "behaviour.agree"},
				    .n_only = 2,
				    .progress = begin_to_count};
	struct unc_check_result result;
	struct unc_check_value value;
	struct other other;
	struct onchecks k;
	unsigned n_failed = 0;

	onchecks_open(&k, "snbep", "sockets=1", NULL);
	other = (struct other){&k.o, "registers.width"};
	cfg.progress_arg = &other;
	OK(&k.o, unc_check_open(k.o.m, &cfg, &k.check));
	OK(&k.o, unc_check_run(k.check));
	for (size_t i = 0; i < unc_check_results(k.check); i++) {
		OK(&k.o, unc_check_result(k.check, i, &result));
		if (result.state != UNC_CHECK_FAIL)
			continue;
		n_failed++;
		OK(&k.o, unc_check_value(k.check, i, 0, &value));
		SAME(value.reg, "CTL[2]");
		EQ(value.read, R_EN | 0x1234);
		CU_ASSERT_FALSE(value.good);
	}
	EQ(n_failed, 1);
	FOUND(&k, "registers.bits", CH1, UNC_CHECK_PASS, "");
	FOUND(&k, "registers.width", CH1, UNC_CHECK_FAIL, "CTL[2]", "0x00401234", "not written there",
	      "another program");
	FOUND(&k, "registers.writes", CH1, UNC_CHECK_SKIP, "CTL[2]", "another program");
	FOUND(&k, "behaviour.agree", CH1, UNC_CHECK_SKIP, "CTL[2]", "another program");
	FOUND(&k, "behaviour.agree", CH0, UNC_CHECK_PASS, "");
	every_result_has_a_sentence(&k);
	EQ(onsim_peek(&k.o, onsim_box(&k.o, CH1), R_CTL(2)), R_EN | 0x1234);
	unc_check_close(k.check);
	onsim_close_any(&k.o);
}

/* Without registers.channels nothing tells that it is the other channel's, but for the value. */
TEST(a_channel_that_another_one_writes_fails_and_is_told_whose_value_it_holds)
{
	struct onchecks k;

	onchecks_open(&k, "snbep", "sockets=1,defect=writes-alias:" CH0 ":" CH1, NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "behaviour", NULL, 0);
	FOUND(&k, "behaviour.runs", CH1, UNC_CHECK_FAIL, "which was not written there but to " CH0);
	FOUND(&k, "behaviour.agree", CH1, UNC_CHECK_SKIP, "but to " CH0);
	every_result_has_a_sentence(&k);
	unc_check_close(k.check);
	onsim_close_any(&k.o);
}
