// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that die: each kind that programs something. */
#include "safety.h"

const struct command commands[] = {
	{"mem", false, "frz_en=rw", {"mem", "-n", "2"}},
	{"mem (frz_en=wo)", false, "frz_en=wo", {"mem", "-n", "1"}},
	{"stat of a set", false, "frz_en=wo", {"stat", "-e", "{cas_count.rd,cas_count.wr}", "-n", "2"}},
	{"stat in turns",
	 false,
	 "frz_en=rw",
	 {"stat", "-e", "cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts", "-n", "2", "-i", "0.012"}},
	{"llc", true, "", {"llc", "--cpus", "0", "--cpus", "1", "-n", "2"}},
	{"reg set",
	 false,
	 "frz_en=rw",
	 {"reg", "set", "*.CTL[3].en=1", "*.BOX_CTL=0x10100", "*.CTL[3].umask=12", "--write", "--for", "1"}},
	{"reg raw", true, "", {"reg", "raw", "msr", "0", "0x1a4", "7", "--write", "--unmapped", "--for", "1"}},
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);
