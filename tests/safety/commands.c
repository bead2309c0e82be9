// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that die: each kind that programs something. */
#define _GNU_SOURCE
#include "safety.h"

#define ONE ",hide=ff:10.1,hide=ff:10.4,hide=ff:10.5"

#define SNBEP "snbep,sockets=1"
#define HSX   "hsx,sockets=2,cores=2,threads=1,frz_en=wo"
#define SKX   "skx,sockets=2,cores=2,threads=1"
#define ZEN5  "zen5,sockets=1,cores=2,threads=1"
#define BDX   "bdx,sockets=1,cores=2,threads=1,frz_en=wo"
/* With registers in memory. */
#define ICX "icx,sockets=1,cores=2,threads=1,frz_en=wo"
#define SPR "spr,sockets=1,cores=2,threads=1"

const struct command commands[] = {
	{"mem", EACH | FEW, "frz_en=rw", "mem -n 2"},
	{"mem (frz_en=wo)", EACH, "frz_en=wo", "mem -n 1"},
	{"mem of one channel", ONE_CHANNEL, "frz_en=rw" ONE, "mem -n 1"},
	{"mem of one channel, by a COMMAND", EACH, "frz_en=rw" ONE, "mem -- sleep 0.05"},
	{"stat of a set", EACH | FEW, "frz_en=wo", "stat -e {cas_count.rd,cas_count.wr} -n 2"},
	{"stat in turns", EACH, "frz_en=rw",
	 "stat -e cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts -n 2 -i 0.012"},
	{"llc", EACH | FEW | CACHES, "", "llc --cpus 0 --cpus 1 -n 2"},
	{"reg set", EACH | FEW, "frz_en=rw",
	 "reg set *.CTL[3].en=1 *.BOX_CTL=0x10100 *.CTL[3].umask=12 --write --for 1"},
	{"xcheck", EACH, "frz_en=rw,perf=on" ONE, "xcheck -n 1"},
	/* Two dwords each: the process may die between them. */
	{"reg set of counters", EACH | COUNTERS, "frz_en=rw", "reg set *.CTR[1]=0x9876aaaaaaaa --write --for 1"},
	{"check", EACH | COUNTERS, "frz_en=rw" ONE, "check --quick --only clock.rate"},
	{"reg raw", EACH | CACHES, "", "reg raw msr 0 0x1a4 7 --write --unmapped --for 1"},
	{"check of all", SAMPLED | COUNTERS, SNBEP ",frz_en=rw", "check --quick"},
	{"check --global of all", SAMPLED | COUNTERS, HSX, "check --quick --global"},
	{"check of freezing all", SAMPLED | COUNTERS, HSX, "check --quick --global --only behaviour.global"},
	{"check of freezing all (skx)", SAMPLED | COUNTERS, SKX, "check --quick --global --only behaviour.global"},
	{"check of overflow", SAMPLED | COUNTERS, SNBEP ",frz_en=wo",
	 "check --quick --only behaviour.wrap,behaviour.status,behaviour.carry"},
	{"mem in memory (icx)", SAMPLED, ICX, "mem -n 1"},
	{"mem --freeze in memory (spr)", SAMPLED, SPR, "mem --freeze -n 1"},
	{"stat in turns in memory (spr)", SAMPLED, SPR,
	 "stat -e cas_count.rd,cas_count.wr,act_count.all,rpq_inserts.pch0,wpq_inserts.pch0 -n 2 -i 0.012"},
	{"reg set in memory (icx)", SAMPLED, ICX,
	 "reg set *.CTL[3].en=1 *.BOX_CTL=0x10100 *.CTL[3].umask=12 --write --for 1"},
	{"mem of memory controllers (zen4)", SAMPLED, "zen4,cores=4,threads=1,umcs=0x9", "mem -n 1"},
	{"mem of a data fabric in turns (zen2)", SAMPLED, "zen2,sockets=1,cores=4,threads=1", "mem -n 2 -i 0.02"},
	{"llc of assigned counters", SAMPLED | CACHES, ZEN5 ",abmc=1", "llc --cpus 0 --cpus 1 -n 2"},
	{"llc --abmc --bmec", SAMPLED | CACHES, ZEN5, "llc --abmc --bmec local=0x40 --cpus 0 -n 1"},
	{"check of caches", SAMPLED | CACHES, BDX, "check --quick --only monitoring"},
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);
