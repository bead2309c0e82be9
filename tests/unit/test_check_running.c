// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that another program froze are no defect of the silicon: that is said once, with what shows it. */
#include "onchecks.h"
#include "test.h"

EACH(NULL, onchecks_end)

#define CH0 "socket0.imc0.ch0"
#define CH1 "socket0.imc0.ch1"
#define HSX "sockets=2,cores=2"

TEST(a_socket_that_another_program_froze_fails_once_and_its_channels_are_skipped)
{
	onchecks_quick("hsx", HSX ",freeze=socket0", NULL, NULL);
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	FOUND("behaviour.runs", "socket0", UNC_CHECK_FAIL, "all channels", "another program or the firmware",
	      "GLOBAL_CTL", "PC3, PC6", "no evidence tells which program",
	      "reg set socket0.global.GLOBAL_CTL.unfrz_all=1 --write --keep");
	FOUND("behaviour.freeze", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
	FOUND("behaviour.freeze", "socket1.imc0.ch0", UNC_CHECK_PASS, "");
	FOUND("clock.rate", CH1, UNC_CHECK_SKIP, "all of socket0 stands still");
	FOUND("registers.bits", CH0, UNC_CHECK_PASS, "");
	FOUND("after.clock", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
}

TEST(a_freeze_bit_that_reads_back_is_evidence)
{
	onchecks_quick("skx", "sockets=1,cores=2,frz=rw,freeze=socket0", NULL, "clock.rate");
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	FOUND("clock.rate", "socket0", UNC_CHECK_FAIL, "found here: GLOBAL_CTL of socket0 reads frz_all=1");
	FOUND("clock.rate", CH0, UNC_CHECK_SKIP, "all of socket0 stands still");
}

TEST(of_one_channel_it_is_not_known_whether_it_is_frozen_or_broken)
{
	onchecks_open("hsx", HSX ",freeze=socket0", NULL);
	onchecks_run(UNC_CHECK_QUICK, "behaviour", CH1, 0);
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	FOUND("behaviour.runs", "socket0", UNC_CHECK_FAIL, "the only channel", "or the clock of this channel is dead");
}

TEST(a_channel_that_stands_alone_is_a_defect)
{
	onchecks_quick("hsx", HSX ",defect=stops:" CH1 ":0", NULL, "clock.rate");
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	FOUND("clock.rate", CH1, UNC_CHECK_FAIL, "the clock does not tick");
	FOUND("clock.rate", CH0, UNC_CHECK_PASS, "");
}

/* What is frozen by BOX_CTL counts once it is released, so that all of it is checked. */
TEST(a_channel_that_another_program_froze_is_released_and_checked)
{
	static const struct {
		const char *common, *why;
	} cases[] = {{HSX ",freeze=" CH1, "its package slept"}, {HSX ",frz=rw,freeze=" CH1, "BOX_CTL read frz=1"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_open("hsx", cases[i].common, NULL);
		rig.before.n = 0; /* frozen, which is not to be put back */
		onchecks_run(UNC_CHECK_QUICK, NULL, NULL, 0);
		NONE_FAILED();
		FOUND("behaviour.runs", CH1, UNC_CHECK_SKIP, "frozen when it was found", cases[i].why);
		FOUND("behaviour.runs", CH0, UNC_CHECK_PASS, "");
		FOUND("behaviour.freeze", CH1, UNC_CHECK_PASS, "");
	}
}

TEST(a_socket_that_is_frozen_while_checks_run_fails_once_instead_of_what_it_looks_like)
{
	static const char *const at[] = {"0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5"};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		onchecks_quick("hsx", test_text(HSX ",freeze=socket0@%s", at[i]), NULL, NULL);
		EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
	}
}

TEST(a_package_that_sleeps_now_and_then_is_waited_for)
{
	onchecks_quick("hsx", HSX ",sleep=0@0-0.05", NULL, "behaviour.runs");
	NONE_FAILED();
	onchecks_quick("hsx", HSX ",sleep=0@0-10", NULL, "behaviour.runs");
	FOUND("behaviour.runs", "socket0", UNC_CHECK_FAIL, "its package sleeps (PC3, PC6)");
	EQ(onchecks_count(NULL, UNC_CHECK_FAIL), 1);
}
