// SPDX-License-Identifier: GPL-2.0-or-later
/* Every defect of sim/sim.h, and the check that is there to find it. */
#include "defects.h"

#define WHERE "socket0.imc0.ch1"
#define SMALL "bdxde,sockets=1,cores=2" /* the fewest channels, so the fewest accesses */
#define OLD   "snbep,sockets=1,cores=2" /* its registers are the simplest; no cache monitoring */
#define CACHE "bdx,sockets=1,cores=2"

/* clang-format off */
#define FINDS(defect, machine, check) {defect, machine, check, NULL, 0, 0, false, NULL}
/* What is stuck so looks as if another process used it. */
#define FORCED(defect, machine, check) {defect, machine, check, NULL, 0, 0, false, "--force"}
/* Now and then: on a mounted machine once, and more seldom in the command itself, so often that a rate can be told. */
#define NOW_AND_THEN(what, check, often, seldom, rate_often, rate_seldom) \
	{what ":" WHERE ":" often, OLD, check, rate_often, 1, 1, false, NULL}, \
	{what ":" WHERE ":" seldom, OLD, check, rate_seldom, 40, 38, true, "--full"}

const struct defect_case defect_cases[] = {
	FINDS("stuck0:" WHERE ":0xd8:3", OLD, "registers.bits"), /* event select */
	FINDS("stuck1:" WHERE ":0xd8:8", SMALL, "registers.bits"), /* umask */
	FINDS("stuck1:" WHERE ":0xdc:18", SMALL, "registers.bits registers.reset"), /* edge */
	FINDS("stuck0:" WHERE ":0xe4:30", SMALL, "registers.bits"), /* threshold */
	FORCED("stuck1:" WHERE ":0xe0:22", SMALL, "registers.bits registers.reset"), /* en */
	FINDS("stuck0:" WHERE ":0xf0:22", OLD, "registers.bits"), /* en of the fixed counter */
	FORCED("stuck1:" WHERE ":0xf0:22", SMALL, "registers.bits registers.reset"),
	FINDS("stuck0:" WHERE ":0xa0:20", SMALL, "registers.bits"), /* counters */
	FINDS("stuck1:" WHERE ":0xa8:40", SMALL, "registers.bits registers.reset"),
	FINDS("stuck0:" WHERE ":0xd0:5", SMALL, "registers.bits"),
	FINDS("stuck1:" WHERE ":0xd4:31", OLD, "registers.width"),
	FINDS("stuck0:" WHERE ":0xf4:16", OLD ",frz_en=rw", "behaviour.freeze registers.bits"), /* frz_en of BOX_CTL */
	FINDS("stuck1:" WHERE ":0xf4:16", SMALL, "behaviour.frz_en"),
	FINDS("stuck0:" WHERE ":0xf4:8", SMALL, "behaviour.freeze"), /* frz */
	FINDS("stuck1:" WHERE ":0xf4:8", OLD, "registers.reset registers.bits behaviour.freeze behaviour.frz_en"),
	FINDS("stuck0:" WHERE ":0xf4:1", SMALL, "behaviour.reset"), /* rst_ctrs, rst_ctrl */
	FINDS("stuck0:" WHERE ":0xf4:0", SMALL, "behaviour.reset"),
	FINDS("stuck0:" WHERE ":0xf8:1", SMALL, "behaviour.status"), /* BOX_STATUS: that CTR0 wrapped */
	FINDS("stuck0:socket0.ubox:0x40:0", "bdxde,sockets=2,cores=2", "presence.ubox@socket0"), /* CPUNODEID */
	FINDS("stuck1:socket0.ubox:0x54:1", "bdxde,sockets=2,cores=2", "presence.ubox@socket0"), /* GIDNIDMAP */
	FINDS("stuck0:cpu1:0xc8f:2", SMALL, "monitoring.assoc@socket0.l3-0"),
	FORCED("stuck1:cpu1:0xc8f:1", SMALL, "monitoring.assoc@socket0.l3-0"),
	FINDS("stuck0:cpu0:0xc8d:32", CACHE, "monitoring.follows@socket0.l3-0 monitoring.rmids@socket0.l3-0"),
	FINDS("width:" WHERE ":2:47", SMALL, "registers.width"),
	FINDS("width:" WHERE ":fixed:40", OLD, "registers.width"),
	FINDS("freeze-ignored:" WHERE ":1", SMALL, "behaviour.freeze"),
	FINDS("freeze-ignored:" WHERE ":fixed", SMALL, "behaviour.freeze"),
	FINDS("freeze-loses:" WHERE ":1000", SMALL, "behaviour.resume"),
	FINDS("reset-leaves:" WHERE ":3", "hsx,sockets=1,cores=2", "behaviour.reset"),
	FINDS("reset-leaves:" WHERE ":fixed", OLD, "behaviour.reset"),
	FINDS("enable-crossed:" WHERE ":0:2", SMALL, "behaviour.enable"),
	FINDS("enable-crossed:" WHERE ":1:fixed", SMALL, "behaviour.enable"),
	FINDS("umask-shifted:" WHERE ":3", SMALL, "behaviour.agree"),
	FINDS("umask-shifted:" WHERE, OLD, "behaviour.sums traffic.kinds"),
	FINDS("channels-swapped:" WHERE ":socket0.imc0.ch2", OLD, "presence.ids presence.functions"),
	FINDS("sockets-swapped:0:1", "bdxde,sockets=2,cores=2", "presence.ubox@socket0 traffic.nodes@socket0"),
	FINDS("dclk-off:" WHERE ":3", OLD, "clock.equal@socket0"),
	FINDS("dclk-off:" WHERE ":-3", SMALL, "clock.equal@socket0"),
	FINDS("carry-missing:" WHERE ":0", SMALL, "behaviour.carry"),
	FINDS("carry-missing:" WHERE ":fixed", SMALL, "behaviour.carry"),
	FINDS("stops:" WHERE ":1", SMALL, "clock.steady clock.rate"),
	FINDS("stops:" WHERE ":2", OLD, "after.clock"),
	FINDS("hidden:" WHERE, OLD, "presence.functions"),
	FINDS("ones:" WHERE ":1", "icx,sockets=1,cores=2", "presence.functions"), /* each read, so that it is not even opened */
	NOW_AND_THEN("ones", "presence.steady", "500", "10000", "1 read in 500 is all ones", "1 read in 10000 is all ones"),
	NOW_AND_THEN("drops", "registers.writes", "100", "1500", "1 write in 100 is lost", "1 write in 1500 is lost"),
	FINDS("rmid-off", SMALL, "monitoring.follows"),
	FINDS("no-error", SMALL, "monitoring.error"),
	FINDS("upscale-off:25", SMALL, "monitoring.occupancy monitoring.bandwidth"),
	FINDS("upscale-off:-20", CACHE, "monitoring.occupancy monitoring.bandwidth"),
	FINDS("never-falls", SMALL, "monitoring.falls"),
	FINDS("mbm-exchanged", "bdx,sockets=2,cores=2", "monitoring.bandwidth"),
	FINDS("assoc-shared", CACHE, "monitoring.assoc"),
	{"assoc-dead:cpu1", CACHE, "monitoring.follows@socket0.l3-0", NULL, 0, 0, false, "--full"},
	{"assoc-dead:cpu0", "zen4,sockets=1,cores=2", "monitoring.follows@socket0.l3-0", NULL, 0, 0, false, "--full"},

	FINDS("writes-alias:socket0.imc0.ch0:" WHERE, SMALL, "presence.alike"), /* before registers.channels */
	FINDS("writes-alias:" WHERE ":socket0.imc0.ch0", SMALL, "registers.channels@socket0.imc0.ch0"),
	FINDS("writes-alias:socket0.imc0.ch0:" WHERE ":0xa0", SMALL, "registers.channels"),
	FINDS("writes-alias:" WHERE ":socket0.imc0.ch0:0xf4", OLD, "behaviour.freeze@socket0.imc0.ch0"),
	FINDS("same-box:" WHERE ":socket0.imc0.ch2", OLD, "presence.alike@socket0.imc0.ch2"),
	FINDS("write-clears:" WHERE ":0xa0:0xa4", SMALL, "registers.halves"),
	FINDS("write-clears:" WHERE ":0xd0:0xd4", OLD, "registers.halves"),
	FINDS("write-clears:" WHERE ":0xd8:0xa8", SMALL, "behaviour.reset"),
	FINDS("ignored:" WHERE ":18", SMALL, "behaviour.fields"), /* edge_det */
	FINDS("ignored:" WHERE ":18:0", OLD, "behaviour.fields"),
	FINDS("ignored:" WHERE ":23:3", SMALL, "behaviour.fields"), /* invert */
	FINDS("ignored:" WHERE ":25", SMALL, "behaviour.fields behaviour.threshold"),
	FINDS("ignored:" WHERE ":10:1", SMALL, "behaviour.agree"), /* umask */
	FINDS("status-crossed:" WHERE ":0:1", SMALL, "behaviour.status"),
	FINDS("status-sticks:" WHERE, SMALL, "behaviour.status"),
	FINDS("free-misses:" WHERE, "snr,sockets=1,cores=2", "behaviour.free_running@socket0.free0"),
	FINDS("mesh-misses:" WHERE, "snr,sockets=1,cores=2", "traffic.mesh@socket0.m2m0"),

	/* The data fabric and the memory controllers (UMC) of AMD. */
#define AMD "zen4,sockets=2,cores=2,umcs=3"
#define FABRIC(what, machine, check) {what, machine, check "@socket1.df", NULL, 0, 0, true, NULL}
	FABRIC("width:socket1.df0:2:44", AMD, "registers.width"), FABRIC("width:socket1.df0:1:40", "zen2,sockets=2,cores=2", "registers.width"),
	FABRIC("drops:socket1.df0:10", AMD, "registers.writes"),
	FABRIC("same-box:socket1.df0:socket0.df0", "zen3,sockets=2,cores=2", "registers.channels"),
#define OLD_AMD "zen2,sockets=2,cores=2"
	FABRIC("width:socket1.df0:2:32", OLD_AMD, "registers.width@socket1.df behaviour.carry@socket1.df behaviour.wrap"),
	FABRIC("carry-missing:socket1.df0:2", OLD_AMD, "behaviour.carry"), FABRIC("carry-missing:socket1.df0:15", AMD, "behaviour.carry"),
	FINDS("counts-twice:socket1.df0:3", OLD_AMD, "traffic.volume@socket1"), FINDS("counts-twice:" WHERE ":2", SMALL, "behaviour.agree"),
	FABRIC("ignored:socket1.df0:22:3", OLD_AMD, "behaviour.enable"), FABRIC("ignored:socket1.df0:8", AMD, "traffic.kinds"),
	FINDS("ignored:socket1.df0:12", OLD_AMD, "traffic.volume@socket1"), FINDS("stops:socket1.df0:0.0001", AMD, "traffic.volume@socket1"),
	FINDS("counts-other:socket1.df0:socket0.df0", AMD, "traffic.volume@socket1"),
	FINDS("counts-other:socket1.df0:socket0.df0", OLD_AMD, "traffic.nodes@socket0 traffic.volume@socket1"),
	FINDS("ignored:" WHERE ":31", AMD, "behaviour.enable clock.rate behaviour.runs@socket0"), /* en */
	FINDS("ignored:" WHERE ":9", AMD, "traffic.kinds"), /* RdWrMask */
	FINDS("dclk-off:" WHERE ":3", AMD, "clock.equal@socket0 clock.jedec"),
	FINDS("stops:" WHERE ":1", AMD, "clock.steady clock.rate after.clock"),

	/* Several at once. */
	FINDS("width:" WHERE ":1:44,defect=no-error", SMALL, "registers.width + monitoring.error@socket0.l3-0"),
	FINDS("freeze-ignored:" WHERE ":2,defect=carry-missing:socket0.imc0.ch0:fixed", SMALL,
	      "behaviour.freeze@socket0.imc0.ch1 + behaviour.carry@socket0.imc0.ch0"),
	FINDS("hidden:socket0.imc0.ch2,defect=dclk-off:" WHERE ":3,defect=stuck0:socket0.imc0.ch0:0xdc:23", OLD,
	      "presence.functions@socket0.imc0.ch2 + clock.equal@socket0 + registers.bits@socket0.imc0.ch0"),

	/* Another program froze all of a socket, at the start or while checks run, or a channel, which a check releases; packages sleep. */
#define FROZEN(machine, check) {NULL, machine, check, NULL, 0, 0, false, NULL}
#define FROZEN_INSIDE(machine, check) {NULL, machine, check, NULL, 0, 0, true, NULL}
	FROZEN(SMALL ",freeze=socket0", "behaviour.runs@socket0"),
	FROZEN("hsx,sockets=2,cores=2,freeze=socket1", "behaviour.runs@socket1"),
	FROZEN_INSIDE("ivt,sockets=2,cores=2,freeze=socket0", "behaviour.runs@socket0"),
	FROZEN_INSIDE("skx,sockets=2,cores=2,freeze=socket0,frz=rw", "behaviour.runs@socket0"),
	FROZEN_INSIDE("hsx,sockets=2,cores=2,freeze=socket0@0.3", "clock.rate@socket0"),
	FROZEN_INSIDE("hsx,sockets=2,cores=2,freeze=socket0@1", "clock.steady@socket0"),
	FROZEN_INSIDE("hsx,sockets=2,cores=2,freeze=socket0@1.7", "traffic.volume@socket0"),
	FROZEN_INSIDE("hsx,sockets=2,cores=2,freeze=socket1@3", "after.clock@socket1"),
	FROZEN_INSIDE("hsx,sockets=2,cores=2,sleep=1@0-1000", "behaviour.runs@socket1"),
	FINDS(NULL, SMALL ",freeze=socket0.imc0.ch1", NULL), FINDS(NULL, "skx,sockets=1,cores=2,frz=rw,freeze=socket0.imc0.ch1", NULL),

	FINDS(NULL, OLD, NULL), FINDS(NULL, "hsx,sockets=2,cores=2", NULL), FINDS(NULL, CACHE, NULL), FINDS(NULL, SMALL, NULL),
	FINDS(NULL, "zen1,sockets=1,cores=16", NULL), FINDS(NULL, AMD, NULL),
	FINDS(NULL, "zen4,sockets=2,cores=2", NULL), FINDS(NULL, CACHE ",qm=slow", NULL),
	FINDS(NULL, "zen3,sockets=1,cores=4,qm=slow", NULL),
#define DEEP(machine) {NULL, machine, NULL, NULL, 0, 0, true, "--full"}
#define HEALTHY(machine) {NULL, machine, NULL, NULL, 0, 0, true, NULL}
#define SOCKETS(kind, n) \
	kind("snbep,cores=2,sockets=" n), kind("ivt,cores=2,sockets=" n), kind("hsx,cores=2,sockets=" n), \
	kind("bdx,cores=2,sockets=" n), kind("bdxde,cores=2,sockets=" n), kind("skx,cores=2,sockets=" n), \
	kind("clx,cores=2,sockets=" n), kind("cpx,cores=2,sockets=" n), kind("icx,cores=2,sockets=" n), \
	kind("spr,cores=2,sockets=" n), kind("zen2,cores=2,sockets=" n), kind("zen3,cores=2,sockets=" n), \
	kind("zen4,cores=2,sockets=" n), kind("zen5,cores=2,sockets=" n)
	SOCKETS(DEEP, "1"), SOCKETS(DEEP, "2"), SOCKETS(HEALTHY, "3"), SOCKETS(HEALTHY, "4"),
	SOCKETS(HEALTHY, "5"), SOCKETS(HEALTHY, "6"), SOCKETS(HEALTHY, "7"), SOCKETS(HEALTHY, "8"),
	/* The other models, some of which are variants of these. */
#define SOCKETS_TOO(kind, n) \
	kind("icxd,cores=2,sockets=" n), kind("snr,cores=2,sockets=" n), kind("emr,cores=2,sockets=" n), \
	kind("gnr,cores=2,sockets=" n), kind("gnrd,cores=2,sockets=" n), kind("srf,cores=2,sockets=" n), \
	kind("grr,cores=2,sockets=" n), kind("cwf,cores=2,sockets=" n), kind("zen1,cores=16,sockets=" n)
	SOCKETS_TOO(DEEP, "1"), SOCKETS_TOO(DEEP, "2"), SOCKETS_TOO(HEALTHY, "8"),
	HEALTHY("sprhbm,cores=2,sockets=1"), HEALTHY("sprhbm,cores=2,sockets=2"), /* it has the most channels */
	HEALTHY("skl,cores=2,sockets=1"), HEALTHY("tgl,cores=2,sockets=1"), /* clients */
	HEALTHY("adl,cores=2,sockets=1"), HEALTHY("mtl,cores=2,sockets=1"),
	DEEP("snbep,sockets=1,cores=2,frz_en=rw"), DEEP("hsx,sockets=1,cores=2,ctl_writes=twice"),
	DEEP("hsx,sockets=1,cores=2,status_bits=by_number"), DEEP("snbep,sockets=1,cores=2,status_bits=by_number"),
	DEEP("skx,sockets=1,cores=2,empty=socket0.imc1.ch1"),
#define SEEDS(machine, n) {NULL, machine, NULL, NULL, n, 0, true, "--full"}
	SEEDS("snbep,sockets=1,cores=2", 14), SEEDS("ivt,sockets=1,cores=2", 10), SEEDS("hsx,sockets=2,cores=2", 10),
	SEEDS("bdx,sockets=1,cores=2", 10), SEEDS("bdxde,sockets=1,cores=2", 10), SEEDS("skx,sockets=1,cores=2", 10),
	SEEDS("clx,sockets=1,cores=2", 8), SEEDS("cpx,sockets=1,cores=2", 8), SEEDS("spr,sockets=2,cores=2", 10),
	SEEDS("zen4,sockets=2,cores=2", 10),
};
/* clang-format on */
const size_t n_defect_cases = sizeof(defect_cases) / sizeof(defect_cases[0]);
