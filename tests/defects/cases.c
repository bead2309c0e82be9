// SPDX-License-Identifier: GPL-2.0-or-later
/* Every defect of sim/sim.h, and the check that is there to find it. */
#include "defects.h"

#define WHERE "socket0.imc0.ch1"
#define SMALL "snbep,sockets=1,cores=2"
#define RESET "hsx,sockets=1,cores=2" /* has bits that reset */
#define CACHE "bdx,sockets=1,cores=2"

/* clang-format off */
const struct defect_case defect_cases[] = {
	{"stuck0:" WHERE ":0xd8:3", SMALL, "registers.bits", NULL, 0, 0, false, NULL},
	{"stuck1:" WHERE ":0xdc:18", SMALL, "registers.bits registers.reset", NULL, 0, 0, false, NULL},
	/* A counter that is always enabled looks like one that somebody uses, as does an RMID that a CPU always has. */
	{"stuck1:" WHERE ":0xe0:22", SMALL, "registers.bits registers.reset", NULL, 0, 0, false, "--force"},
	{"stuck0:" WHERE ":0xf0:22", SMALL, "registers.bits", NULL, 0, 0, false, NULL},
	{"stuck0:" WHERE ":0xa0:20", SMALL, "registers.bits", NULL, 0, 0, false, NULL},
	{"stuck1:" WHERE ":0xa8:40", SMALL, "registers.bits registers.reset", NULL, 0, 0, false, NULL},
	{"stuck1:" WHERE ":0xd4:31", SMALL, "registers.width", NULL, 0, 0, false, NULL},
	{"stuck0:" WHERE ":0xf4:16", SMALL ",frz_en=rw", "behaviour.freeze registers.bits", NULL, 0, 0, false, NULL},
	{"stuck1:" WHERE ":0xf4:8", SMALL, "registers.reset registers.bits behaviour.freeze behaviour.frz_en", NULL, 0, 0, false, NULL},
	{"stuck0:cpu1:0xc8f:2", CACHE, "monitoring.assoc", NULL, 0, 0, false, NULL},
	{"stuck1:cpu1:0xc8f:1", CACHE, "monitoring.assoc", NULL, 0, 0, false, "--force"},
	{"width:" WHERE ":2:47", SMALL, "registers.width", NULL, 0, 0, false, NULL},
	{"width:" WHERE ":fixed:40", SMALL, "registers.width", NULL, 0, 0, false, NULL},
	{"freeze-ignored:" WHERE ":1", SMALL, "behaviour.freeze", NULL, 0, 0, false, NULL},
	{"freeze-ignored:" WHERE ":fixed", SMALL, "behaviour.freeze", NULL, 0, 0, false, NULL},
	{"freeze-loses:" WHERE ":1000", SMALL, "behaviour.resume", NULL, 0, 0, false, NULL},
	{"reset-leaves:" WHERE ":3", RESET, "behaviour.reset", NULL, 0, 0, false, NULL},
	{"reset-leaves:" WHERE ":fixed", SMALL, "behaviour.reset", NULL, 0, 0, false, NULL},
	{"enable-crossed:" WHERE ":0:2", SMALL, "behaviour.enable", NULL, 0, 0, false, NULL},
	{"enable-crossed:" WHERE ":1:fixed", SMALL, "behaviour.enable", NULL, 0, 0, false, NULL},
	{"umask-shifted:" WHERE ":3", SMALL, "behaviour.agree", NULL, 0, 0, false, NULL},
	{"umask-shifted:" WHERE, SMALL, "behaviour.sums traffic.kinds", NULL, 0, 0, false, NULL},
	{"channels-swapped:" WHERE ":socket0.imc0.ch2", SMALL, "presence.ids presence.functions", NULL, 0, 0, false, NULL},
	{"sockets-swapped:0:1", "snbep,sockets=2,cores=2", "presence.ubox traffic.nodes", NULL, 0, 0, false, NULL},
	{"dclk-off:" WHERE ":3", SMALL, "clock.equal", NULL, 0, 0, false, NULL},
	{"dclk-off:" WHERE ":-3", SMALL, "clock.equal", NULL, 0, 0, false, NULL},
	{"carry-missing:" WHERE ":0", SMALL, "behaviour.carry", NULL, 0, 0, false, NULL},
	{"carry-missing:" WHERE ":fixed", SMALL, "behaviour.carry", NULL, 0, 0, false, NULL},
	{"stops:" WHERE ":1", SMALL, "clock.steady clock.rate", NULL, 0, 0, false, NULL},
	{"hidden:" WHERE, SMALL, "presence.functions", NULL, 0, 0, false, NULL},
#define NOW_AND_THEN(defect, check, rate, least) \
	{defect, SMALL, check, rate, 2, 1, false, NULL}, {defect, SMALL, check, rate, 40, least, true, NULL}
	NOW_AND_THEN("ones:" WHERE ":500", "presence.steady", "1 read in 500 is all ones", 38),
	NOW_AND_THEN("drops:" WHERE ":100", "registers.writes", "1 write in 100 is lost", 38),
	{"rmid-off", CACHE, "monitoring.follows", NULL, 0, 0, false, NULL},
	{"no-error", CACHE, "monitoring.error", NULL, 0, 0, false, NULL},
	{"upscale-off:25", CACHE, "monitoring.occupancy monitoring.bandwidth", NULL, 0, 0, false, NULL},
	{"upscale-off:-20", CACHE, "monitoring.occupancy monitoring.bandwidth", NULL, 0, 0, false, NULL},
	{"never-falls", CACHE, "monitoring.falls", NULL, 0, 0, false, NULL},

	{NULL, SMALL, NULL, NULL, 0, 0, false, NULL},
	{NULL, "hsx,sockets=2,cores=2", NULL, NULL, 0, 0, false, NULL},
	{NULL, CACHE, NULL, NULL, 0, 0, false, NULL},
#define HEALTHY(machine) {NULL, machine, NULL, NULL, 0, 0, true, NULL}
#define SOCKETS(model) \
	HEALTHY(model ",sockets=1,cores=2"), HEALTHY(model ",sockets=2,cores=2"), HEALTHY(model ",sockets=4,cores=2")
	SOCKETS("snbep"), SOCKETS("ivt"), SOCKETS("hsx"), SOCKETS("bdx"), SOCKETS("bdxde"), SOCKETS("skx"),
	SOCKETS("clx"), SOCKETS("cpx"),
	HEALTHY("snbep,sockets=1,cores=2,frz_en=rw"), HEALTHY("hsx,sockets=1,cores=2,ctl_writes=twice"),
	HEALTHY("skx,sockets=1,cores=2,empty=socket0.imc1.ch1"),
#define SEEDS(machine) {NULL, machine, NULL, NULL, 20, 0, true, NULL}
	SEEDS("snbep,sockets=1,cores=2"), SEEDS("ivt,sockets=1,cores=2"), SEEDS("hsx,sockets=1,cores=2"),
	SEEDS("bdx,sockets=1,cores=2"), SEEDS("skx,sockets=1,cores=2"),
};
/* clang-format on */
const size_t n_defect_cases = sizeof(defect_cases) / sizeof(defect_cases[0]);
