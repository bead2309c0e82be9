// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of boxes of AMD's MSRs: healthy ones on every model, and each defect found on the right box. */
#include "onchecks.h"
#include "test.h"

EACH(NULL, onchecks_end)

#define TWO_UMCS "sockets=2,cores=2,umcs=3"

TEST(nothing_fails_on_healthy_machines_and_all_controls_are_put_back)
{
	static const struct {
		const char *model, *common, *fabric, *channel; /* NULL: it has no counters of its own */
	} cases[] = {
		{"zen1", "sockets=1,cores=16", "socket0.df0", NULL},
		{"zen2", "sockets=2,cores=2", "socket1.df", NULL},
		{"zen3", "sockets=1,cores=2", "socket0.df", NULL},
		{"zen4", TWO_UMCS, "socket1.df", "socket1.imc0.ch1"},
		{"zen5", "sockets=1,cores=2", "socket0.df", "socket0.imc0.ch11"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_quick(cases[i].model, cases[i].common, NULL, NULL);
		NONE_FAILED();
		FOUND("registers.bits", cases[i].fabric, UNC_CHECK_PASS, "was set and cleared");
		FOUND("behaviour.freeze", cases[i].fabric, UNC_CHECK_SKIP, "nothing stops all of them at once");
		FOUND("clock.rate", cases[i].fabric, UNC_CHECK_SKIP, "no clock");
		if (!cases[i].channel) {
			FOUND("traffic.volume", "socket0", UNC_CHECK_SKIP, "reads and writes together");
			continue;
		}
		FOUND("behaviour.enable", cases[i].channel, UNC_CHECK_PASS, "each of 4 counters");
		FOUND("behaviour.carry", cases[i].channel, UNC_CHECK_PASS, "4 counters carried");
		FOUND("behaviour.wrap", cases[i].channel, UNC_CHECK_PASS, "set bit 48", "stood");
		FOUND("clock.jedec", cases[i].channel, UNC_CHECK_PASS, "DDR5");
		FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "MB read of", "MB written of");
		FOUND("traffic.kinds", cases[i].channel, UNC_CHECK_PASS, "of non-temporal stores");
	}
}

TEST(each_defect_is_found_on_its_box)
{
	static const struct {
		const char *defect, *check, *subject, *healthy, *finding;
	} cases[] = {
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

TEST(a_counter_that_cpuid_promises_and_that_faults_is_missing)
{
	onsim_open_model(&rig.o, "zen4", TWO_UMCS ",umc_ctrs=8:5", NULL);
	rig.broken = true; /* the hand cannot read what faults either */
	onchecks_run(UNC_CHECK_QUICK, "presence.functions", NULL, 0);
	FOUND("presence.functions", "socket0.imc0.ch1", UNC_CHECK_FAIL, "0xc001080a");
	FOUND("presence.functions", "socket0.imc0.ch0", UNC_CHECK_PASS, "answers");
}
