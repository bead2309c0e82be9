// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of boxes of AMD's MSRs: healthy ones on every model, and each defect found on the right box. */
#include "onchecks.h"
#include "simmsr.h"
#include "test.h"

EACH(NULL, onchecks_end)

#define TWO_UMCS "sockets=2,cores=2,umcs=3"

TEST(nothing_fails_on_healthy_machines_and_all_controls_are_put_back)
{
	static const struct {
		const char *model, *common, *fabric, *channel; /* NULL: it has no counters of its own */
		const char *counters, *interleave;             /* of the fabric; what each channel counts */
	} cases[] = {
		{"zen1", "sockets=1,cores=16", "socket0.df3", NULL, "4 counters", "socket0.imc3.ch1 "},
		{"zen2", "sockets=2,cores=2", "socket1.df", NULL, "4 counters", "socket0.imc0.ch7 12."},
		{"zen3", "sockets=1,cores=2", "socket0.df", NULL, "4 counters", "socket0.imc0.ch7 12."},
		{"zen4", TWO_UMCS, "socket1.df", "socket1.imc0.ch1", "16 counters", "socket0.imc0.ch1 50."},
		{"zen5", "sockets=1,cores=2", "socket0.df", "socket0.imc0.ch11", "16 counters", "even"},
		{"zen4", "sockets=1,cores=2,umc_ctrs=0", "socket0.df", NULL, "16 counters", "socket0.imc0.ch3 100.0 %"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_quick(cases[i].model, cases[i].common, NULL, NULL);
		NONE_FAILED();
		FOUND("registers.bits", cases[i].fabric, UNC_CHECK_PASS, "was set and cleared");
		FOUND("behaviour.freeze", cases[i].fabric, UNC_CHECK_SKIP, "nothing stops all of them at once");
		FOUND("clock.rate", cases[i].fabric, UNC_CHECK_SKIP, "no clock");
		FOUND("presence.steady", cases[i].fabric, UNC_CHECK_PASS, "reads of controls were all the same");
		FOUND("registers.reset", cases[i].fabric, UNC_CHECK_SKIP, "no reset value");
		FOUND("behaviour.enable", cases[i].fabric, UNC_CHECK_PASS, "each of", cases[i].counters);
		FOUND("behaviour.carry", cases[i].fabric, UNC_CHECK_PASS, cases[i].counters, "carried");
		FOUND("behaviour.wrap", cases[i].fabric, UNC_CHECK_PASS, cases[i].counters, "wrapped to 0 at 2^48");
		FOUND("traffic.interleave", "socket0", UNC_CHECK_PASS, cases[i].interleave);
		if (strcmp(cases[i].counters, "4 counters") == 0) {
			FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "stores:", "MB moved of", "(100.0");
			FOUND("traffic.kinds", cases[i].fabric, UNC_CHECK_SKIP, "together");
			continue;
		}
		FOUND("traffic.kinds", cases[i].fabric, UNC_CHECK_PASS, "and 0.00 of loads, 0.00 and ");
		if (!cases[i].channel)
			continue;
		FOUND("behaviour.enable", cases[i].channel, UNC_CHECK_PASS, "each of 4 counters");
		FOUND("behaviour.carry", cases[i].channel, UNC_CHECK_PASS, "4 counters carried");
		FOUND("behaviour.wrap", cases[i].channel, UNC_CHECK_PASS, "set bit 48", "stood");
		FOUND("clock.jedec", cases[i].channel, UNC_CHECK_PASS, "DDR5");
		FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "MB read of", "MB written of",
		      "in the data fabric 100.0");
		FOUND("traffic.kinds", cases[i].channel, UNC_CHECK_PASS, "of non-temporal stores");
	}
}

TEST(each_defect_is_found_on_its_box)
{
	static const struct {
		const char *defect, *check, *subject, *healthy, *finding;
	} cases[] = {
		{"width:socket1.df0:2:32", "registers.width", "socket1.df", "socket0.df", "holds 32 bits"},
		{"width:socket1.df0:2:32", "behaviour.wrap", "socket1.df", "socket0.df", "read 0x00000000ff"},
		{"carry-missing:socket1.df0:15", "behaviour.carry", "socket1.df", "socket0.df",
		 "high one gained nothing"},
		{"ignored:socket1.df0:22:3", "behaviour.enable", "socket1.df", "socket0.df", "what counts in"},
		{"ignored:socket1.df0:22", "traffic.volume", "socket1", "socket0",
		 "0.00 MB were read in the data fabric"},
		{"ignored:socket1.df0:8", "traffic.kinds", "socket1.df", "socket0.df", "of loads it counted"},
		{"counts-other:socket1.df0:socket0.df0", "traffic.volume", "socket1", "socket0", "in the data fabric"},
		{"stops:socket1.df0:0.0001", "traffic.volume", "socket1", "socket0", "in the data fabric"},
		{"width:socket1.df0:2:44", "registers.width", "socket1.df", "socket0.df", "holds 44 bits"},
		{"drops:socket1.df0:10", "registers.writes", "socket1.df", "socket0.df", "lost"},
		{"same-box:socket1.df0:socket0.df0", "registers.channels", "socket1.df", NULL, "what was written to"},
		{"ignored:socket0.imc0.ch1:31", "behaviour.enable", "socket0.imc0.ch1", "socket0.imc0.ch0", "nothing"},
		{"ignored:socket0.imc0.ch1:9", "traffic.kinds", "socket0.imc0.ch1", "socket0.imc0.ch0", "of loads"},
		{"dclk-off:socket1.imc0.ch1:3", "clock.jedec", "socket1.imc0.ch1", "socket1.imc0.ch0",
		 "from the nearest"},
		{"stops:socket0.imc0.ch1:0.001", "clock.steady", "socket0.imc0.ch1", "socket0.imc0.ch0", "clock"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_quick("zen4", test_text(TWO_UMCS ",defect=%s", cases[i].defect), NULL, cases[i].check);
		rig.broken = true;
		FOUND(cases[i].check, cases[i].subject, UNC_CHECK_FAIL, cases[i].finding);
		if (cases[i].healthy)
			FOUND(cases[i].check, cases[i].healthy, UNC_CHECK_PASS, "");
	}
}

TEST(a_fabric_of_zen_2_that_counts_otherwise_than_the_others_fails)
{
	static const struct {
		const char *defect, *check, *subject, *finding;
	} cases[] = {
		{"carry-missing:socket1.df0:2", "behaviour.carry", "socket1.df", "high one gained nothing"},
		{"width:socket1.df0:0:40", "behaviour.wrap", "socket1.df", "read 0x000000ff"},
		{"ignored:socket1.df0:22:3", "traffic.volume", "socket1", "loads with node 1"}, /* 2 channels of 8 */
		{"counts-twice:socket1.df0:1", "traffic.volume", "socket1", "were moved, and"},
		{"ignored:socket1.df0:12", "traffic.volume", "socket1",
		 "loads with node 1: 0.00 MB were moved"}, /* umask */
		{"counts-other:socket1.df0:socket0.df0", "traffic.nodes", "socket0", "came to socket1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_quick("zen2", test_text("sockets=2,cores=2,defect=%s", cases[i].defect), NULL, cases[i].check);
		rig.broken = true;
		FOUND(cases[i].check, cases[i].subject, UNC_CHECK_FAIL, cases[i].finding);
	}
}

/* The map doubts what the events of a fabric count: without another socket that counts it is not known to be a defect. */
TEST(what_all_fabrics_do_alike_is_what_silicon_does)
{
	onchecks_quick("zen2", "sockets=1,cores=2,defect=ignored:socket0.df0:22:3", NULL, "traffic.volume");
	FOUND("traffic.volume", "socket0", UNC_CHECK_SKIP, "the map doubts", "moved of", "(75.");
	TESTED("traffic.volume", "socket0", "dram_data.ch", "of loads", "counted 75.");
	onchecks_quick("zen4", "sockets=1,cores=2,umcs=3,defect=ignored:socket0.df0:22", NULL, "traffic.volume");
	FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "(100.0", "in the data fabric 0.00 %");
	TESTED("traffic.volume", "socket0", "read.ch", "of loads", "counted 0.0");
	onchecks_quick("zen2", "sockets=1,cores=2,defect=stops:socket0.df0:0.0001", NULL, "behaviour.carry");
	FOUND("behaviour.carry", "socket0.df", UNC_CHECK_SKIP, "counted nothing of what was loaded");
}

TEST(a_channel_that_a_fabric_counts_for_means_the_fabric)
{
	onchecks_open("zen2", "sockets=2,cores=2", NULL);
	onchecks_run(UNC_CHECK_QUICK, "traffic", "socket1.imc0.ch3", 0);
	FOUND("traffic.volume", "socket1", UNC_CHECK_PASS, "moved of");
	FOUND("traffic.kinds", "socket1.df", UNC_CHECK_SKIP, "together");
	CU_ASSERT_EQUAL(onchecks_count("traffic.kinds", UNC_CHECK_SKIP), 1);
}

TEST(a_fabric_that_another_program_uses_is_left_out)
{
	onchecks_open("zen4", TWO_UMCS, NULL);
	CU_ASSERT_EQUAL(sim_msr_write(rig.o.hand, 0, 0xc0010242, 0x40381f), 0);
	rig.before = onsim_controls(&rig.o);
	onchecks_run(UNC_CHECK_QUICK, NULL, NULL, 0);
	NONE_FAILED();
	FOUND("presence.steady", "socket0.df", UNC_CHECK_SKIP, "another program counts there");
	FOUND("behaviour.carry", "socket0.df", UNC_CHECK_SKIP, "another program counts there");
	FOUND("behaviour.carry", "socket1.df", UNC_CHECK_PASS, "16 counters");
	FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "written of");
	CU_ASSERT_PTR_NULL(strstr(onchecks_result("traffic.volume", "socket0").finding, "fabric"));
	FOUND("traffic.volume", "socket1", UNC_CHECK_PASS, "in the data fabric 100.0");
}

/* One access after the other fails, some of them while loads are made: all is put back, and no traffic is made any more. */
TEST(any_access_may_fail_while_a_fabric_is_driven)
{
	static const char *const checks[] = {"presence.steady", "behaviour.enable", "behaviour.carry",
					     "traffic.volume"};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		bool went_wrong = true;

		for (uint64_t at = 1, step = 1; went_wrong; at += step, step += at / 16) {
			struct unc_bus *bus = NULL;

			onchecks_open("zen2", "sockets=1,cores=2", NULL);
			OK(&rig.o, unc_machine_bus(rig.o.m, UNC_MSR, &bus));
			OK(&rig.o, unc_fault_wrap(rig.o.m->bus[UNC_MSR], &rig.o.fault, &bus));
			rig.o.m->bus[UNC_MSR] = bus;
			OK(&rig.o, onsim_find_boxes_again(&rig.o, &(struct unc_fault){0}));
			onchecks_choose(UNC_CHECK_QUICK, checks[i], NULL);
			went_wrong = onchecks_fail(&(struct unc_fault){.at = at});
			CU_ASSERT(at > 1 || went_wrong);
		}
	}
}

TEST(a_fabric_that_no_online_cpu_reaches_is_skipped)
{
	onsim_open_model(&rig.o, "zen1", "sockets=1,cores=2", NULL); /* on one of its dies */
	rig.broken = true;                                           /* the hand cannot reach it either */
	onchecks_run(UNC_CHECK_QUICK, "presence.functions", NULL, 0);
	FOUND("presence.functions", "socket0.df2", UNC_CHECK_SKIP, "every CPU of node 2", "bring one online");
	EQ(onchecks_count("presence.functions", UNC_CHECK_PASS), 1);
	EQ(onchecks_count("presence.functions", UNC_CHECK_SKIP), 3);
}

TEST(a_counter_that_cpuid_promises_and_that_faults_is_missing)
{
	onsim_open_model(&rig.o, "zen4", TWO_UMCS ",umc_ctrs=8:5", NULL);
	rig.broken = true; /* the hand cannot read what faults either */
	onchecks_run(UNC_CHECK_QUICK, "presence.functions", NULL, 0);
	FOUND("presence.functions", "socket0.imc0.ch1", UNC_CHECK_FAIL, "0xc001080a");
	FOUND("presence.functions", "socket0.imc0.ch0", UNC_CHECK_PASS, "answers");
}
