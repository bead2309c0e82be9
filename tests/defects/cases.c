// SPDX-License-Identifier: GPL-2.0-or-later
/* Every defect of sim/sim.h, and the check that is there to find it. */
#include "defects.h"

#define WHERE "socket0.imc0.ch1"
#define SMALL "snbep,sockets=1,cores=2"
#define RESET "hsx,sockets=1,cores=2" /* has bits that reset */
#define CACHE "bdx,sockets=1,cores=2"

/* clang-format off */
const struct defect_case defect_cases[] = {
	{"stuck0:" WHERE ":0xd8:3", SMALL, "registers.bits", 0, 0, 0},
	{"stuck1:" WHERE ":0xdc:18", SMALL, "registers.bits registers.reset", 0, 0, 0},
	{"stuck1:" WHERE ":0xe0:22", SMALL, "registers.bits registers.reset", 0, 0, 0},
	{"stuck0:" WHERE ":0xf0:22", SMALL, "registers.bits", 0, 0, 0},
	{"stuck0:" WHERE ":0xa0:20", SMALL, "registers.bits", 0, 0, 0},
	{"stuck1:" WHERE ":0xa8:40", SMALL, "registers.bits registers.reset", 0, 0, 0},
	{"stuck1:" WHERE ":0xd4:31", SMALL, "registers.width", 0, 0, 0},
	{"stuck0:" WHERE ":0xf4:16", SMALL ",frz_en=rw", "registers.bits", 0, 0, 0},
	{"stuck1:" WHERE ":0xf4:8", SMALL, "registers.reset registers.bits behaviour.freeze behaviour.frz_en", 0, 0, 0},
	{"stuck0:cpu1:0xc8f:2", CACHE, "monitoring.assoc", 0, 0, 0},
	{"stuck1:cpu1:0xc8f:32", CACHE, "monitoring.assoc", 0, 0, 0},
	{"width:" WHERE ":2:47", SMALL, "registers.width", 0, 0, 0},
	{"width:" WHERE ":fixed:40", SMALL, "registers.width", 0, 0, 0},
	{"freeze-ignored:" WHERE ":1", SMALL, "behaviour.freeze", 0, 0, 0},
	{"freeze-ignored:" WHERE ":fixed", SMALL, "behaviour.freeze", 0, 0, 0},
	{"freeze-loses:" WHERE ":1000", SMALL, "behaviour.resume", 0, 0, 0},
	{"reset-leaves:" WHERE ":3", RESET, "behaviour.reset", 0, 0, 0},
	{"reset-leaves:" WHERE ":fixed", SMALL, "behaviour.reset", 0, 0, 0},
	{"enable-crossed:" WHERE ":0:2", SMALL, "behaviour.enable", 0, 0, 0},
	{"enable-crossed:" WHERE ":1:fixed", SMALL, "behaviour.enable", 0, 0, 0},
	{"umask-shifted:" WHERE ":3", SMALL, "behaviour.agree", 0, 0, 0},
	{"umask-shifted:" WHERE, SMALL, "behaviour.sums traffic.kinds", 0, 0, 0},
	{"channels-swapped:" WHERE ":socket0.imc0.ch2", SMALL, "presence.ids", 0, 0, 0},
	{"sockets-swapped:0:1", "snbep,sockets=2,cores=2", "presence.ubox traffic.nodes", 0, 0, 0},
	{"dclk-off:" WHERE ":3", SMALL, "clock.equal", 0, 0, 0},
	{"dclk-off:" WHERE ":-3", SMALL, "clock.equal", 0, 0, 0},
	{"carry-missing:" WHERE ":0", SMALL, "behaviour.carry", 0, 0, 0},
	{"carry-missing:" WHERE ":fixed", SMALL, "behaviour.carry", 0, 0, 0},
	{"stops:" WHERE ":1", SMALL, "clock.steady", 0, 0, 0},
	{"hidden:" WHERE, SMALL, "presence.functions", 0, 0, 0},
	{"ones:" WHERE ":500", SMALL, "presence.steady", "1 read in 500 is all ones", 10, 10},
	{"drops:" WHERE ":100", SMALL, "registers.writes", "1 write in 100 is lost", 10, 9},
	{"rmid-off", CACHE, "monitoring.follows", 0, 0, 0},
	{"no-error", CACHE, "monitoring.error", 0, 0, 0},
	{"upscale-off:25", CACHE, "monitoring.occupancy monitoring.bandwidth", 0, 0, 0},
	{"upscale-off:-20", CACHE, "monitoring.occupancy monitoring.bandwidth", 0, 0, 0},
	{"never-falls", CACHE, "monitoring.falls", 0, 0, 0},

#define HEALTHY(machine) {0, machine, 0, 0, 0, 0}
#define SOCKETS(model) \
	HEALTHY(model ",sockets=1,cores=2"), HEALTHY(model ",sockets=2,cores=2"), HEALTHY(model ",sockets=4,cores=2")
	SOCKETS("snbep"), SOCKETS("ivt"), SOCKETS("hsx"), SOCKETS("bdx"), SOCKETS("bdxde"), SOCKETS("skx"),
	SOCKETS("clx"), SOCKETS("cpx"),
	HEALTHY("snbep,sockets=1,cores=2,frz_en=rw"), HEALTHY("hsx,sockets=1,cores=2,ctl_writes=twice"),
	HEALTHY("skx,sockets=1,cores=2,empty=socket0.imc1.ch1"),
#define SEEDS(machine) {0, machine, 0, 0, 20, 0}
	SEEDS("snbep,sockets=1,cores=2"), SEEDS("ivt,sockets=1,cores=2"), SEEDS("hsx,sockets=1,cores=2"),
	SEEDS("bdx,sockets=1,cores=2"), SEEDS("skx,sockets=1,cores=2"),
};
/* clang-format on */
const size_t n_defect_cases = sizeof(defect_cases) / sizeof(defect_cases[0]);
