// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that are tried, one of each kind at least. */
#define _GNU_SOURCE
#include "faults.h"

/* The smallest machine whose registers are where those of Ice Lake-SP are: two channels. */
#define IN_MEMORY "snr,sockets=1,cores=2,threads=1,frz_en=wo"

const struct command commands[] = {
	{"list", LOOKS, 0, "frz_en=wo", "list"},
	{"list -v", LOOKS, BUSY, "frz_en=rw", "list -v"},
	{"doctor", DIAGNOSES, 0, "frz_en=wo", "doctor"},
	{"check", CHECKS, 0, "frz_en=rw", "check --quick --box socket0.imc0.ch3 --only clock.rate"},
	{"check of all", CHECKS, 0, "frz_en=wo", "check -v --quick --box socket0.imc0.ch2"},
	{"check of overflow", CHECKS, 0, "frz_en=rw", "check --quick --only behaviour.wrap,behaviour.status"},
	{"events", EVENTS, 0, "frz_en=wo", "events"},
	{"events --metrics", EVENTS, 0, "frz_en=wo", "events --metrics"},
	{"reg dump", DUMPS, 0, "frz_en=wo", "reg dump"},
	{"reg get", DUMPS, 0, "frz_en=wo", "reg get *.CTL[*]"},
	{"reg watch", DUMPS, 0, "frz_en=wo", "reg watch *.CTL[3] -n 2"},
	{"reg raw", PEEKS, 0, "frz_en=wo", "reg raw pci ff:10.1 0x84"},
	{"reg set", WRITES, 0, "frz_en=rw",
	 "reg set *.CTL[3].en=1 *.BOX_CTL=0x10100 *.CTL[3].umask=12 --write --for 1"},
	{"reg raw --write", WRITES, 0, "frz_en=wo", "reg raw msr 0 0xd10 7 --write --unmapped --for 1"},
	{"recover", LOOKS, 0, "frz_en=wo", "recover"},
	{"mem --dry-run", DRY, 0, "frz_en=rw", "--dry-run mem"},
	{"mem -n 2", MEASURES, 0, "frz_en=wo", "mem -v -n 2 --format csv"},
	{"mem -n 2 (frz_en=rw)", MEASURES, 0, "frz_en=rw", "mem -n 2 --format csv"},
	{"mem in memory", MEASURES, 0, IN_MEMORY, "mem -v -n 2 --format csv"},
	{"reg set in memory", WRITES, 0, IN_MEMORY, "reg set *.CTL[3].en=1 *.CTL[3].umask=12 --write --for 1"},
	{"mem --freeze", MEASURES, FREEZE, "frz_en=wo", "mem -v -n 2 --freeze --format csv"},
	{"mem --force", MEASURES, BUSY, "frz_en=rw", "mem -n 2 --force --format csv"},
	{"mem --observe", OBSERVES, 0, "frz_en=wo", "mem -v --observe -n 2 -i 0.05 --format csv"},
	{"stat of a set", COUNTS, FREEZE, "frz_en=wo", "stat -v -e {cas_count.rd,cas_count.wr} -n 2 --format csv"},
	{"stat in turns", COUNTS, 0, "frz_en=wo",
	 "stat -v -e cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts -n2 -i 0.012 --format=csv"},
	{"record mem", MEASURES, 0, "frz_en=wo", "record RECORD -- mem -v -n 2 --format csv"},
	{"llc", MONITORS, 0, "", "llc --cpus 0 -n 2 --format csv"},
	{"xcheck", COMPARES, 0, "frz_en=wo,perf=on", "xcheck -v -n 2 --box *.ch2 --format jsonl"},
	{"mem -- COMMAND", MEASURES, WITH_COMMAND, "frz_en=wo", "mem -v --format csv"},
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);
