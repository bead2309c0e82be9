// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of presence on healthy machines, and on machines on which something is hidden, swapped or read wrongly. */
#define _GNU_SOURCE
#include "check/check.h"
#include "onchecks.h"
#include "tree.h"
#include "test.h"

EACH(NULL, onchecks_end)

TEST(eight_sockets_are_eight_numbers)
{
	onchecks_quick("cpx", "sockets=8", NULL, "presence.ubox");
	EQ(onchecks_count("presence.ubox", UNC_CHECK_PASS), 8);
	FOUND("presence.ubox", "socket7", UNC_CHECK_PASS, "entry 7 of GIDNIDMAP");
	TESTED("presence.ubox", "socket7", "CPUNODEID: {tested: \"");
}

TEST(what_is_found_is_told_in_numbers)
{
	onchecks_open("skx", "sockets=1", NULL);
	onchecks_run(UNC_CHECK_FULL, "presence", NULL, 0);
	FOUND("presence.ids", "socket0.imc1.ch2", UNC_CHECK_PASS, "8086:204a", "class 0x", "header type 0x80");
	FOUND("presence.config", "socket0.imc1.ch2", UNC_CHECK_PASS, "4096 bytes", "PCI Express", "of 1024 dwords");
	FOUND("presence.alike", "socket0", UNC_CHECK_PASS, "6 channels", "imc1.ch2", "no other socket");
	FOUND("presence.steady", "socket0.imc1.ch2", UNC_CHECK_PASS, "90018 reads", "one in 19543");
	onchecks_open("hsx", "sockets=1", NULL);
	onchecks_run(UNC_CHECK_FULL, "presence.config", NULL, 0);
	FOUND("presence.config", "socket0.imc0.ch0", UNC_CHECK_PASS, "256 bytes", "of 64 dwords");
}

TEST(a_channel_that_other_sockets_have_is_missed)
{
	onsim_open(&rig.o, "sockets=2,defect=hidden:socket1.imc0.ch3", NULL); /* the hand cannot reach it either */
	rig.broken = true;
	onchecks_run(UNC_CHECK_QUICK, "presence", NULL, 0);
	FOUND("presence.functions", "socket1.imc0.ch3", UNC_CHECK_FAIL, "is not there, though other sockets have");
	FOUND("presence.alike", "socket1", UNC_CHECK_FAIL, "imc0.ch3", "socket0 has it");
	FOUND("presence.alike", "socket0", UNC_CHECK_PASS, "4 channels");
	FOUND("presence.ids", "socket1.imc0.ch3", UNC_CHECK_SKIP, "is not there");
}

TEST(a_gap_is_a_hidden_channel)
{
	onchecks_quick("snbep", "sockets=1,defect=hidden:socket0.imc0.ch1", NULL, "presence.functions");
	FOUND("presence.functions", "socket0.imc0.ch1", UNC_CHECK_FAIL, "socket0.imc0.ch2 after it is there");
	EQ(onchecks_count("presence.functions", UNC_CHECK_PASS), 3);
	/* Of some channels alone nothing is concluded. */
	onchecks_run(UNC_CHECK_QUICK, "presence.functions", "*.ch2", 0);
	EQ(unc_check_results(rig.check), 1);
	NONE_FAILED();
}

TEST(swapped_channels_are_told_by_their_ids)
{
	static const char *const sockets[] = {"sockets=1", "sockets=2"};

	for (size_t i = 0; i < 2; i++) {
		struct unc_check_value value;
		size_t n = 0;

		onchecks_quick("snbep",
			       test_text("%s,defect=channels-swapped:socket0.imc0.ch1:socket0.imc0.ch2", sockets[i]),
			       NULL, "presence.functions");
		FOUND("presence.functions", "socket0.imc0.ch1", UNC_CHECK_FAIL, "imc0.ch2 answers, 8086:3cb4",
		      "8086:3cb1", "swapped");
		FOUND("presence.functions", "socket0.imc0.ch2", UNC_CHECK_FAIL, "imc0.ch1 answers, 8086:3cb1");
		for (size_t r = 0; r < unc_check_results(rig.check); r++) {
			if (unc_check_value(rig.check, r, 0, &value) < 0)
				continue;
			CU_ASSERT_FALSE(value.good);
			CU_ASSERT_TRUE(value.has_expected && value.read != value.expected);
			n++;
		}
		EQ(n, 2);
	}
}

/* All channels of a controller in memory are found by one function, whose id is that of each of them. */
TEST(a_channel_in_memory_that_does_not_answer_is_not_swapped)
{
	onsim_open_model(&rig.o, "icx", "sockets=1,cores=2,defect=ones:socket0.imc0.ch1:1", NULL);
	rig.broken = true; /* the hand cannot read it either */
	onchecks_run(UNC_CHECK_QUICK, "presence.functions", NULL, 0);
	FOUND("presence.functions", "socket0.imc0.ch1", UNC_CHECK_FAIL, "BOX_CTL at", "reads all ones");
	EQ(onchecks_count("presence.functions", UNC_CHECK_PASS), 7);
	rig.broken = false;
	onchecks_quick("icxd", "sockets=1,cores=2", NULL, "presence.functions");
	EQ(onchecks_count("presence.functions", UNC_CHECK_PASS), 8);
	EQ(unc_check_results(rig.check), 8);
}

TEST(two_sockets_of_one_number_contradict)
{
	/* What each tells fits by itself: only the firmware's NUMA node of the bus, or traffic, shows that it is wrong. */
	onchecks_quick("snbep", "sockets=2,defect=sockets-swapped:0:1", NULL, "presence.ubox");
	FOUND("presence.ubox", "socket0", UNC_CHECK_PASS, "firmware does not tell the node of its bus");
}

/* What the firmware gives the buses of both sockets; where it is the same node it tells nothing. */
TEST(the_node_that_firmware_gives_a_bus_is_asked_where_it_tells_sockets_apart)
{
	static const struct {
		const char *nodes[2], *common;
		enum unc_check_state state;
		const char *finding;
	} cases[] = {
		{{"0\n", "1\n"}, "sockets=2", UNC_CHECK_PASS, "to which the firmware gives its bus too"},
		{{"1\n", "0\n"}, "sockets=2", UNC_CHECK_FAIL, "on a NUMA node of package 0"},
		{{"0\n", "0\n"}, "sockets=2", UNC_CHECK_PASS, "does not tell the node of its bus"},
		{{"0\n", "0\n"}, "sockets=2,numa=off", UNC_CHECK_PASS, "does not tell the node of its bus"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tree tree = tree_new();

		onchecks_quick("hsx", cases[i].common, NULL, "presence.ubox");
		for (size_t n = 0; n < 2; n++)
			tree_text(&tree,
				  test_text("sys/bus/pci/devices/%s/numa_node", unc_box_at(rig.o.m, "ubox", n)->pci),
				  cases[i].nodes[n]);
		onchecks_quick("hsx", cases[i].common, test_text("files=%s", tree.root), "presence.ubox");
		FOUND("presence.ubox", "socket1", cases[i].state, cases[i].finding);
		tree_remove(&tree);
	}
}

TEST(reads_of_all_ones_now_and_then_are_counted)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		onchecks_open("snbep", test_text("sockets=1,defect=ones:socket0.imc0.ch1:500,seed=%u", seed), NULL);
		onchecks_run(UNC_CHECK_FULL, "presence.steady", NULL, 0);
		EQ(onchecks_count("presence.steady", UNC_CHECK_FAIL), 1);
		FOUND("presence.steady", "socket0.imc0.ch0", UNC_CHECK_PASS, "all the same");
		/* 9000 reads miss one in 500 with a probability of e^-18. */
		FOUND("presence.steady", "socket0.imc0.ch1", UNC_CHECK_FAIL, "were all ones and 0 another");
		rig.broken = true; /* what it holds the other hand cannot read for sure either */
	}
}

TEST(a_channel_without_dimms_is_told_and_no_difference)
{
	onchecks_quick("skx", "sockets=2,empty=socket1.imc1.ch1", NULL, "presence.alike");
	NONE_FAILED();
	FOUND("presence.alike", "socket1", UNC_CHECK_PASS, "read from or written to imc1.ch1 in 5 ms", "DIMMs");
	FOUND("presence.alike", "socket0", UNC_CHECK_PASS, "all that could be tried had reads or writes");
}

TEST(odds_are_those_of_99_percent)
{
	static const uint64_t counts[] = {461, 1000, 4606, 9018, 90000};
	char text[UNC_ODDS_TEXT];

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t rate = strtoull(unc_odds_text(counts[i], 0, text) + strlen("one in "), NULL, 10);
		double missed = 1, too_rare = 1;

		for (uint64_t n = 0; n < counts[i]; n++) {
			missed *= 1 - 1.0 / (double)rate;
			too_rare *= 1 - 1.0 / ((double)rate * 1.02 + 1);
		}
		CU_ASSERT_TRUE(missed < 0.01);
		CU_ASSERT_TRUE(too_rare > 0.01);
	}
	SAME(unc_odds_text(4, 0, text), "one in 0 would have been seen with 99 %");
	SAME(unc_odds_text(600, 5, text), "one in 120");
	SAME(unc_odds_text(4606, 0, text), "one in 1000 would have been seen with 99 %");
}
