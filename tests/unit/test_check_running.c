// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that another program froze are no defect of the silicon: that is said once, with what shows it. */
#include "onchecks.h"
#include "test.h"

#define CH0 "socket0.imc0.ch0"
#define CH1 "socket0.imc0.ch1"
#define HSX "sockets=2,cores=2"

static size_t n_failed(struct onchecks *k)
{
	struct unc_check_result result;
	size_t n = 0;

	for (size_t i = 0; i < unc_check_results(k->check); i++) {
		OK(&k->o, unc_check_result(k->check, i, &result));
		n += result.state == UNC_CHECK_FAIL;
	}
	return n;
}

TEST(a_socket_that_another_program_froze_fails_once_and_its_channels_are_skipped)
{
	struct onchecks k;

	onchecks_open(&k, "hsx", HSX ",freeze=socket0", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, NULL, NULL, 0);
	EQ(n_failed(&k), 1);
	FOUND(&k, "behaviour.runs", "socket0", UNC_CHECK_FAIL, "all channels", "another program or the firmware",
	      "GLOBAL_CTL", "PC3, PC6", "no evidence tells which program",
	      "reg set socket0.global.GLOBAL_CTL.unfrz_all=1 --write --keep");
	FOUND(&k, "behaviour.freeze", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
	FOUND(&k, "behaviour.freeze", "socket1.imc0.ch0", UNC_CHECK_PASS, "");
	FOUND(&k, "clock.rate", CH1, UNC_CHECK_SKIP, "all of socket0 stands still");
	FOUND(&k, "registers.bits", CH0, UNC_CHECK_PASS, "");
	FOUND(&k, "after.clock", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
	onchecks_close(&k);
}

TEST(a_freeze_bit_that_reads_back_is_evidence)
{
	struct onchecks k;

	onchecks_open(&k, "skx", "sockets=1,cores=2,frz=rw,freeze=socket0", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "clock.rate", NULL, 0);
	EQ(n_failed(&k), 1);
	FOUND(&k, "clock.rate", "socket0", UNC_CHECK_FAIL, "found here: GLOBAL_CTL of socket0 reads frz_all=1");
	FOUND(&k, "clock.rate", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
	onchecks_close(&k);
}

TEST(of_one_channel_it_is_not_known_whether_it_is_frozen_or_broken)
{
	struct onchecks k;

	onchecks_open(&k, "hsx", HSX ",freeze=socket0", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "behaviour", CH1, 0);
	EQ(n_failed(&k), 1);
	FOUND(&k, "behaviour.runs", "socket0", UNC_CHECK_FAIL, "the only channel",
	      "or the clock of this channel is dead");
	onchecks_close(&k);
}

TEST(a_channel_that_stands_alone_is_a_defect)
{
	struct onchecks k;

	onchecks_open(&k, "hsx", HSX ",defect=stops:" CH1 ":0", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "clock.rate", NULL, 0);
	EQ(n_failed(&k), 1);
	FOUND(&k, "clock.rate", CH1, UNC_CHECK_FAIL, "the clock does not tick");
	FOUND(&k, "clock.rate", CH0, UNC_CHECK_PASS, "");
	onchecks_close(&k);
}

/* What is frozen by BOX_CTL counts once it is released, so that all of it is checked. */
TEST(a_channel_that_another_program_froze_is_released_and_checked)
{
	static const struct {
		const char *common, *why;
	} cases[] = {{HSX ",freeze=" CH1, "its package slept"}, {HSX ",frz=rw,freeze=" CH1, "BOX_CTL read frz=1"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct onchecks k;

		onchecks_open(&k, "hsx", cases[i].common, NULL);
		memset(&k.before, 0, sizeof(k.before)); /* frozen, which is not to be put back */
		onchecks_run(&k, UNC_CHECK_QUICK, NULL, NULL, 0);
		NONE_FAILED(&k);
		FOUND(&k, "behaviour.runs", CH1, UNC_CHECK_SKIP, "frozen when it was found", cases[i].why);
		FOUND(&k, "behaviour.runs", CH0, UNC_CHECK_PASS, "");
		FOUND(&k, "behaviour.freeze", CH1, UNC_CHECK_PASS, "");
		unc_check_close(k.check);
		onsim_close(&k.o);
	}
}

TEST(a_socket_that_is_frozen_while_checks_run_fails_once_instead_of_what_it_looks_like)
{
	static const char *const at[] = {"0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5"};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct onchecks k;
		char common[80];

		snprintf(common, sizeof(common), HSX ",freeze=socket0@%s", at[i]);
		onchecks_open(&k, "hsx", common, NULL);
		onchecks_run(&k, UNC_CHECK_QUICK, NULL, NULL, 0);
		EQ(n_failed(&k), 1);
		onchecks_close(&k);
	}
}

TEST(a_package_that_sleeps_now_and_then_is_waited_for)
{
	struct onchecks k;

	onchecks_open(&k, "hsx", HSX ",sleep=0@0-0.05", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "behaviour.runs", NULL, 0);
	NONE_FAILED(&k);
	onchecks_close(&k);
	onchecks_open(&k, "hsx", HSX ",sleep=0@0-10", NULL);
	onchecks_run(&k, UNC_CHECK_QUICK, "behaviour.runs", NULL, 0);
	FOUND(&k, "behaviour.runs", "socket0", UNC_CHECK_FAIL, "its package sleeps (PC3, PC6)");
	EQ(n_failed(&k), 1);
	onchecks_close(&k);
}
