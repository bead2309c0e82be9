// SPDX-License-Identifier: GPL-2.0-or-later
/* Each check fails through one small edit of a map that passes them all, and says in which line. */
#define _GNU_SOURCE
#include "map/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "test.h"

static const char good[] = "format: uncorectl-regs/1\n"
			   "cpus: [{vendor: GenuineIntel, family: 6, model: 0x99, stepping: [1, 4],\n"
			   "        when: {cpuid: \"7.0:ebx[12]\", is: 1}}]\n"
			   "title: Test part\n"
			   "sources:\n"
			   "  man: a manual\n"
			   "  krn: a kernel\n"
			   "unit: imc\n"
			   "space: pci\n"
			   "model: pmon1\n"
			   "counter_bits: 48\n"
			   "max_clock_mhz: 1200\n"
			   "notes:\n"
			   "  - {is: a remark, src: man p.1, verify: yes please}\n"
			   "instances:\n"
			   "  - {pci: \"8086:0e01\", at: \"10.0\", imc: 0, channel: 0, perf: 0, pcm: 1, likwid: 2}\n"
			   "  - {pci: \"8086:0e02\", at: \"10.1\", imc: 0, channel: 1, perf: 1, pcm: 0, likwid: 3}\n"
			   "registers:\n"
			   "  CTR:\n"
			   "    at: {first: 0xa0, step: 8, count: 4}\n"
			   "    bits: 64\n"
			   "    src: man p.2\n"
			   "    fields:\n"
			   "      rsv:         {bits: [63, 48], access: reserved}\n"
			   "      event_count: {bits: [47, 0], access: rw, reset: 0}\n"
			   "  FIXED_CTR:\n"
			   "    at: 0xd0\n"
			   "    bits: 64\n"
			   "    src: man p.3; krn\n"
			   "    fields:\n"
			   "      rsv:         {bits: [63, 48], access: reserved}\n"
			   "      event_count: {bits: [47, 0], access: rw, reset: 0}\n"
			   "  CTL:\n"
			   "    at: {first: 0xd8, step: 4, count: 4}\n"
			   "    src: krn\n"
			   "    tested: no\n"
			   "    fields:\n"
			   "      thresh: {bits: [31, 24], access: rw, reset: 0, said: {man: rw, krn: wo}}\n"
			   "      rsv:    {bits: 23, access: reserved, write: 0}\n"
			   "      en:     {bits: 22, access: rw, reset: 0, is: counts}\n"
			   "      rsvlow: {bits: [21, 16], access: reserved, write: 3, src: man p.9}\n"
			   "      umask:  {bits: [15, 8], access: rw, reset: 0}\n"
			   "      ev_sel: {bits: [7, 0], access: rw, reset: 0}\n"
			   "  FIXED_CTL:\n"
			   "    at: 0xf0\n"
			   "    write: whole\n"
			   "    src: man\n"
			   "    fields:\n"
			   "      top: {bits: [31, 23], access: reserved}\n"
			   "      en:  {bits: 22, access: rw, reset: 0}\n"
			   "      low: {bits: [21, 1], access: reserved}\n"
			   "      rst: {bits: 0, access: wo}\n"
			   "  BOX_CTL:\n"
			   "    at: 0xf4\n"
			   "    write: whole\n"
			   "    src: man\n"
			   "    fields:\n"
			   "      frz:  {bits: 8, access: wo}\n"
			   "      high: {bits: [31, 9], access: reserved}\n"
			   "      low:  {bits: [7, 0], access: reserved}\n"
			   "  CTL4:\n"
			   "    at: 0xe8\n"
			   "    use: never\n"
			   "    src: man\n"
			   "    fields: {all: {bits: [31, 0], access: rw1c}}\n"
			   "events:\n"
			   "  dclk: {fixed: true, max_inc: 1, is: clocks, src: man}\n"
			   "  cas.rd:\n"
			   "    select: {ev_sel: 0x04, umask: 0x03}\n"
			   "    counters: 0-3\n"
			   "    max_inc: 1\n"
			   "    scale: 64\n"
			   "    in: bytes\n"
			   "    is: reads\n"
			   "    src: man; krn\n"
			   "  act:\n"
			   "    select: {ev_sel: 0x01}\n"
			   "    counters: 0,2\n"
			   "    verify: no increment is known\n"
			   "    is: activates\n"
			   "    src: man\n";

/* An MSR unit, which a folder may hold too. */
static const char good_msr[] =
	"format: uncorectl-regs/1\n"
	"cpus: [{vendor: GenuineIntel, family: 6, model: 0x99}]\n"
	"title: Test part\n"
	"sources: {man: a manual}\n"
	"unit: rdt\n"
	"space: msr\n"
	"model: ubox1\n"
	"registers:\n"
	"  CPUNODEID:\n"
	"    {at: 0x10, bits: 64, src: man, fields: {rsv: {bits: [63, 3], access: ro}, node: {bits: [2, 0], access: "
	"ro}}}\n"
	"  GIDNIDMAP:\n"
	"    at: 0x11\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {rsv: {bits: [63, 8], access: ro}, gid0: {bits: 0, access: ro}, gid1: {bits: 1, access: ro},\n"
	"             gid2: {bits: 2, access: ro}, gid3: {bits: 3, access: ro}, gid4: {bits: 4, access: ro},\n"
	"             gid5: {bits: 5, access: ro}, gid6: {bits: 6, access: ro}, gid7: {bits: 7, access: ro}}\n"
	"  PQR: {at: 0xc8f, bits: 64, src: man, fields: {all: {bits: [63, 0], access: rw}}}\n";

/* MSRs that each CPU has. */
static const char good_qm[] =
	"format: uncorectl-regs/1\n"
	"cpus: [{vendor: GenuineIntel, when: [{cpuid: \"7.0:ebx[12]\", is: 1}]}]\n"
	"title: Test part\n"
	"sources: {man: a manual}\n"
	"unit: rdt\n"
	"space: msr\n"
	"model: qm1\n"
	"per: cpu\n"
	"registers:\n"
	"  PQR_ASSOC:\n"
	"    at: 0xc8f\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {clos: {bits: [63, 10], access: rw}, rmid: {bits: [9, 0], access: rw}}\n"
	"  QM_EVTSEL:\n"
	"    at: 0xc8d\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {rmid: {bits: [63, 32], access: rw}, event: {bits: [31, 0], access: rw}}\n"
	"  QM_CTR:\n"
	"    at: 0xc8e\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {error: {bits: 63, access: ro}, unavailable: {bits: 62, access: ro}, data: {bits: [61, 0], "
	"access: ro}}\n"
	"  SOMETIMES: {at: 0xca0, bits: 64, optional: true, src: man, fields: {all: {bits: [63, 0], access: ro}}}\n";

/* AMD: controls with an enable bit of their own, values in several fields, instances that CPUID tells of. */
static const char good_node[] =
	"format: uncorectl-regs/1\n"
	"cpus: [{vendor: AuthenticAMD, family: 0x19, model: [0x10, 0x1f], when: {cpuid: \"7.0:ebx[12]\", not: 0}}]\n"
	"title: Test part\n"
	"sources: {man: a manual}\n"
	"unit: imc\n"
	"space: msr\n"
	"per: node\n"
	"found: cpuid\n"
	"model: node1\n"
	"counter_bits: 48\n"
	"saturates: true\n"
	"instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n"
	"registers:\n"
	"  CTL:\n"
	"    at: {first: 0xc0010800, step: 2, count: 16}\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {top: {bits: [63, 38], access: reserved}, ev_sel_top: {bits: [37, 36], access: rw},\n"
	"             ev_sel_hi: {bits: [35, 32], access: rw}, en: {bits: 31, access: rw},\n"
	"             rsv: {bits: [30, 24], access: reserved}, mask: {bits: [23, 20], access: rw},\n"
	"             umask_hi: {bits: [19, 16], access: reserved}, umask: {bits: [15, 8], access: rw},\n"
	"             ev_sel: {bits: [7, 0], access: rw}}\n"
	"  CTR:\n"
	"    at: {first: 0xc0010801, step: 2, count: 16}\n"
	"    bits: 64\n"
	"    src: man\n"
	"    fields: {top: {bits: [63, 48], access: rw}, event_count: {bits: [47, 0], access: rw}}\n"
	"every_event: {select: {mask: 0xf}, counters: 0-15, max_inc: 1, src: man}\n"
	"events:\n"
	"  cas.ch[0-1]: {select: {ev_sel: [0x3007, 0x0147], umask: 0xff}, is: bursts}\n"
	"  act: {select: {ev_sel: 0x147, umask: 0xff, mask: 1}, is: activates}\n";

/* Channels whose events that unit counts. */
static const char good_view[] = "format: uncorectl-regs/1\n"
				"cpus: [{vendor: AuthenticAMD, family: 0x17}]\n"
				"title: Test part\n"
				"sources: {man: a manual}\n"
				"unit: imc\n"
				"space: msr\n"
				"per: node\n"
				"model: view1\n"
				"counts_in: df\n"
				"instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n"
				"events:\n"
				"  data: {as: data.ch, scale: 64, in: bytes, is: data, src: man}\n";

/* Families, other names, what is said of every event. */
static const char good_family[] = "format: uncorectl-regs/1\n"
				  "cpus: [{vendor: GenuineIntel, family: 6, model: 0x99}]\n"
				  "base: intel-snbep-imc\n"
				  "title: Test part\n"
				  "every_event: {src: krn, verify: unknown}\n"
				  "events:\n"
				  "  f[0-1].b[2-4]:\n"
				  "    select: {ev_sel: [0x00, 0x01], umask: [0x0f, 0x10, 0x11]}\n"
				  "    is: family\n"
				  "  e0:\n"
				  "    select: {ev_sel: 0x01, umask: 0x12}\n"
				  "    also: [e0.b3, second]\n"
				  "    is: an event\n"
				  "  power_cke_cycles.rank[0-7]: none\n";

/* On a map that is built in. */
static const char good_derived[] = "format: uncorectl-regs/1\n"
				   "cpus: [{vendor: GenuineIntel, family: 6, model: 0x99}]\n"
				   "base: intel-snbep-imc\n"
				   "title: Test part\n"
				   "sources:\n"
				   "  man: a manual\n"
				   "registers:\n"
				   "  CTL:\n"
				   "    fields:\n"
				   "      invert: {access: reserved, verify: not there}\n"
				   "  BOX_STATUS: none\n"
				   "events:\n"
				   "  cas_count.rd:\n"
				   "    is: reads\n"
				   "  act_count: none\n";

/* Figures that follow from counts. */
static const char good_metrics[] = "format: uncorectl-metrics/1\n"
				   "unit: imc\n"
				   "sources: {man: a manual, krn: a kernel}\n"
				   "metrics:\n"
				   "  bandwidth:\n"
				   "    is: data\n"
				   "    formula: 64 * (rd + wr) / time\n"
				   "    in: bytes/s\n"
				   "    adds: true\n"
				   "    events: {rd: cas.rd, wr: [cas.wr, cas.wr_all]}\n"
				   "    src: man p.1; krn\n"
				   "  off.rank[0-7]:\n"
				   "    is: share of clocks\n"
				   "    formula: 100 * (1 - on / clocks)\n"
				   "    in: \"%\"\n"
				   "    adds: false\n"
				   "    events:\n"
				   "      on: \"on.rank[0-7]\"\n"
				   "      clocks: dclk\n"
				   "    src: man\n"
				   "    verify: yes please\n";

struct edit {
	const char *text;
	const char *check;
	const char *from, *to; /* the first time that `from` stands in the text */
	int lines;             /* the fault is that many lines below (above) the edit */
};

static const struct edit edits[] = {
	{good, "yaml", "unit: imc", "unit: [imc", 1},
	{good, "yaml", "title: Test", "unit: imc\ntitle: Test", 4 + 1},
	{good, "head_first", "format: uncorectl-regs/1\n", "", 0},
	{good, "head_first", "cpus: [", "extra: 1\ncpus: [", 0},
	{good, "format_known", "uncorectl-regs/1", "uncorectl-regs/2", 0},
	{good, "cpus_valid", "[1, 4]", "[4, 1]", 0},
	{good, "cpus_valid", "7.0:ebx[12]", "7.0:ebx[32]", 0},
	{good, "cpus_valid", "7.0:ebx[12]", "7.0:esi[12]", 0},
	{good, "cpus_valid", "7.0:ebx[12]", "7:ebx[12]", 0},
	{good, "cpus_valid", "is: 1}}", "is: 2}}", 0},
	{good, "cpus_valid", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: [{cpuid: \"7.0:ebx[32]\", is: 1}]", 0},
	{good, "cpus_valid", "family: 6, model: 0x99, stepping: [1, 4]", "model: 0x99", 0},
	{good, "cpus_valid", "family: 6, model: 0x99, stepping: [1, 4]", "family: 6, stepping: [1, 4]", 0},
	{good, "wrong_type", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: []", 0},
	{good, "wrong_type", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: often", 0},
	{good, "missing_key", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: [{cpuid: \"7.0:ebx[12]\"}]", 0},
	{good, "missing_key", "vendor: GenuineIntel, ", "", 0},
	{good, "cpus_valid",
	 "[{vendor: GenuineIntel, family: 6, model: 0x99, stepping: [1, 4],\n"
	 "        when: {cpuid: \"7.0:ebx[12]\", is: 1}}]",
	 "[]", 0},
	{good, "base_found", "title:", "base: intel-snbep-ubix\ntitle:", 0},
	{good, "base_found", "title:", "base: ../intel-snbep-imc\ntitle:", 0},
	{good, "base_found", "title:", "base: [intel-snbep-imc]\ntitle:", 0},
	{good_derived, "sources_kept", "man: a manual", "krn: a manual", 0},
	{good_derived, "none_removes", "act_count: none", "act_coumt: none", 0},
	{good_derived, "none_removes", "verify: not there}", "tested: none}", 0},
	{good_derived, "event_unique", "is: reads", "select: {umask: 0x0c}", -1},
	{good_derived, "fields_overlap", "access: reserved, verify: not there", "bits: 24", 0},
	{good_derived, "registers_overlap", "    fields:\n", "    at: {count: 8}\n    fields:\n", -1},

	{good, "unknown_key", "counter_bits: 48", "counter_bitz: 48", 0},
	{good, "unknown_key", "perf: 1", "perv: 1", 0},
	{good, "unknown_key", "is: counts", "iz: counts", 0},
	{good, "unknown_key", "count: 4}\n    src: krn", "count: 4, gap: 3}\n    src: krn", 0},
	{good, "unknown_key", "model: 0x99", "model: 0x99, mask: 1", 0},
	{good, "missing_key", "unit: imc\n", "", -7},
	{good, "missing_key", "bits: 22, access: rw", "bits: 22", 0},
	{good, "missing_key", "    at: 0xf4\n", "", -1},
	{good, "missing_key", "    is: reads\n", "", -6},
	{good, "missing_key", "step: 8, ", "", 0},
	{good, "missing_key", "vendor: GenuineIntel, ", "", 0},
	{good, "wrong_type", "title: Test part", "title: [Test part]", 0},
	{good, "wrong_type", "title: Test part", "title:", 0},
	{good, "wrong_type", "bits: 22", "bits: [22, 22, 22]", 0},
	{good, "wrong_type", "[1, 4]", "4", 0},
	{good, "wrong_type", "at: 0xf4", "at: [0xf4]", 0},
	{good, "wrong_type", "max_inc: 1, is", "max_inc: {a: 1}, is", 0},
	{good, "wrong_type", "counters: 0-3", "counters: [0, 3]", 0},
	{good, "wrong_type", "ev_sel: 0x01", "ev_sel: {a: 1}", 0},
	{good, "wrong_type", "    is: activates\n", "    also: activates\n    is: activates\n", 0},
	{good, "wrong_type", "events:\n", "every_event: 1\nevents:\n", 0},
	{good, "wrong_type", "  cas.rd:\n", "  nothing: none\n  cas.rd:\n", 0},
	{good, "wrong_type", "  - {is: a remark, src: man p.1, verify: yes please}", "  is: a remark", -1},
	{good, "bad_number", "counter_bits: 48", "counter_bits: many", 0},
	{good, "bad_number", "counter_bits: 48", "counter_bits: 65", 0},
	{good, "bad_number", "at: 0xf4", "at: 0x100000000", 0},
	{good, "bad_number", "at: 0xf4", "at: f4", 0},
	{good, "bad_number", "umask: 0x03", "umask: -3", 0},
	{good, "bad_number", "bits: [31, 24]", "bits: [31, b]", 0},
	{good, "bad_number", "bits: [31, 24]", "bits: [64, 24]", 0},
	{good, "bad_number", "counters: 0-3", "counters: 0-32", 0},
	{good, "bad_number", "counters: 0-3", "counters: 3-0", 0},
	{good, "bad_number", "ev_sel: 0x01", "ev_sel: [0x01, x]", 0},
	{good, "bad_number", "scale: 64", "scale: -64", 0},
	{good, "bad_number", "count: 4}\n    src: krn", "count: 1025}\n    src: krn", 0},
	{good, "bad_number", "model: 0x99", "model: 0x100", 0},
	{good, "word_known", "bits: 64\n    src: man p.2", "bits: 48\n    src: man p.2", 0},
	{good, "word_known", "model: pmon1\n", "model: pmon1\nbus: upper\n", 1},
	{good, "word_known", "write: whole", "write: half", 0},
	{good, "word_known", "use: never", "use: seldom", 0},
	{good, "word_known", "fixed: true", "fixed: yes", 0},
	{good, "space_known", "space: pci", "space: smbus", 0},
	{good, "model_known", "model: pmon1", "model: pmon0", 0},
	{good, "access_known", "bits: 22, access: rw,", "bits: 22, access: w,", 0},
	{good, "access_known", "said: {man: rw,", "said: {man: readable,", 0},
	{good, "wrong_type", "said: {man: rw, krn: wo}", "said: rw", 0},
	{good, "wrong_type", "said: {man: rw, krn: wo}", "said: {man: [rw]}", 0},
	{good, "name_valid", "  CTL4:", "  ctl4:", 0},
	{good, "name_valid", "      umask:  {", "      UMASK:  {", 0},
	{good, "name_valid", "  cas.rd:", "  cas/rd:", 0},
	{good, "name_valid", "unit: imc", "unit: i.mc", 0},
	{good, "name_valid", "  act:", "  act[0-]:", 0},
	{good, "name_valid", "  act:", "  act[3-1]:", 0},
	{good, "name_valid", "  act:", "  act[0-64]:", 0},
	{good, "name_valid", "  act:", "  act[0-1][0-1][0-1]:", 0},
	{good, "name_valid", "    is: activates\n", "    also: [Activates]\n    is: activates\n", 0},
	{good, "name_valid", "  krn: a", "  K: a", 0},

	{good, "source_known", "src: man p.2", "src: mann p.2", -3},
	{good, "source_known", "said: {man: rw,", "said: {mann: rw,", 0},
	{good, "source_known", "src: man p.3; krn", "src: man p.3; kern", -3},
	{good, "source_known", "src: man p.9", "src: p.9", 0},
	{good, "source_known", "src: man p.1,", "src: guide p.1,", 0},
	{good, "source_known", "src: man; krn", "src: man, krn", -7},
	{good, "register_has_source", "    src: man p.2\n", "", -3},
	{good, "event_has_source", "is: clocks, src: man", "is: clocks", 0},
	{good, "register_aligned", "at: 0xf4", "at: 0xf6", -1},
	{good, "register_aligned", "step: 8, count", "step: 9, count", -1},
	{good, "register_in_space", "at: 0xf4", "at: 0x1000", -1},
	{good, "register_in_space", "step: 8, count", "step: 0xfffffff8, count", -1},
	{good, "register_in_space", "count: 4}\n    src: krn", "count: 0}\n    src: krn", -1},
	{good_msr, "register_in_space", "at: 0x11\n    bits: 64", "at: 0x11\n    bits: 32", -1},
	{good, "registers_overlap", "at: 0xf4", "at: 0xf0", -1},
	{good, "registers_overlap", "at: 0xf4", "at: 0xbc", -1},
	{good, "registers_overlap", "at: 0xf4", "at: 0xe4", -1},
	{good, "registers_overlap", "step: 8, count", "step: 4, count", -1},
	{good_msr, "registers_overlap", "at: 0x11\n", "at: 0x10\n", -1},
	{good, "field_bits", "bits: [31, 24]", "bits: [24, 31]", 0},
	{good, "field_bits", "bits: [31, 24]", "bits: [32, 24]", 0},
	{good, "fields_overlap", "bits: [15, 8]", "bits: [16, 8]", 0},
	{good, "fields_cover", "bits: [15, 8]", "bits: [15, 9]", -9},
	{good, "reset_fits", "access: rw, reset: 0, is: counts", "access: rw, reset: 2, is: counts", 0},
	{good, "write_fits", "bits: 23, access: reserved, write: 0", "bits: 23, access: reserved, write: 2", 0},
	{good, "write_fits", "reset: 0, is: counts", "write: 1, is: counts", 0},
	{good, "write_whole_said", "    at: 0xf4\n    write: whole\n", "    at: 0xf4\n", -1},
	{good, "model_registers", "      en:     {bits: 22", "      enable: {bits: 22", -7},
	{good, "model_registers", "  BOX_CTL:\n", "  BAX_CTL:\n", -35},
	{good, "model_registers", "      frz:  {", "      fre:  {", -5},
	{good, "model_registers", "step: 8, count: 4", "step: 8, count: 3", -1},
	{good_msr, "model_registers", " gid7: {", " gid8: {", -6},
	/* without L3_QOS_ABMC_CFG and _DSC, and with a name that is not known */
	{good_msr, "model_registers", "bits: 64, src: man, fields: {all",
	 "bits: 64, through: L3_QOS_ABMC, src: man, fields: {all", 0},
	{good_msr, "model_registers", "bits: 64, src: man, fields: {all",
	 "bits: 64, through: OTHER, src: man, fields: {all", 0},
	{good, "counter_bits_fit", "counter_bits: 48", "counter_bits: 44", 14},
	{good, "counter_bits_fit", "counter_bits: 48\n", "", -10},
	{good, "counter_bits_fit", "counter_bits: 48\n", "counter_bits: 0\n", 0},

	{good, "event_family", "ev_sel: 0x01", "ev_sel: [0x01, 0x02]", -1},
	{good, "event_family", "  act:", "  act[0-1]:", 0},
	{good_family, "event_family", "[0-1].b", "[0-2].b", 0},
	{good_family, "event_family", ", 0x11]", "]", -1},
	{good_family, "event_family", "    is: family", "    also: [g]\n    is: family", -2},
	{good_family, "event_names", "e0.b3", "f0.b3", -2},
	{good_family, "event_names", "also: [e0.b3, second]", "also: [e0, second]", -2},
	{good_family, "event_names", ", second", ", e0.b3", -2},
	{good_family, "event_unique", "umask: 0x12", "umask: 0x11", -1},
	{good_family, "event_field_known", "[0x00, 0x01]", "[0x00, 0x100]", -1},
	{good, "event_field_known", "ev_sel: 0x01", "event: 0x01", -1},
	{good, "event_field_known", "ev_sel: 0x01", "en: 0x01", -1},
	{good, "event_field_known", "ev_sel: 0x01", "rsvlow: 0x01", -1},
	{good, "event_field_known", "ev_sel: 0x01", "ev_sel: 0x100", -1},
	{good, "event_field_known", "    select: {ev_sel: 0x01}\n", "", -1},
	{good, "event_counters", "counters: 0,2", "counters: 0,4", -2},
	{good, "event_counters", "    counters: 0,2\n", "", -2},
	{good, "event_max_inc", "    max_inc: 1\n", "", -3},
	{good, "event_max_inc", "    max_inc: 1\n", "    max_inc: 256\n", -3},
	{good, "event_max_inc", "    max_inc: 1\n", "    max_inc: 1\n    one_per: 1\n", -3},
	{good, "event_fixed", "fixed: true, max_inc", "fixed: true, counters: 0-3, max_inc", 0},
	{good, "event_fixed", "fixed: true, max_inc", "fixed: true, select: {ev_sel: 7}, max_inc", 0},
	{good, "event_unit", "    in: bytes\n", "", -5},
	{good, "event_unit", "scale: 64", "scale: 0", -4},
	{good, "event_unique", "select: {ev_sel: 0x01}", "select: {umask: 0x03, ev_sel: 0x04}", -1},
	{good, "event_unique", "ev_sel: 0x04, umask: 0x03", "ev_sel: 0x01, umask: 0x00", 7},
	{good, "instance_valid", "pci: \"8086:0e01\"", "pci: \"8086-0e01\"", 0},
	{good, "instance_valid", "at: \"10.0\"", "at: \"10.8\"", 0},
	{good, "instance_valid", "at: \"10.0\"", "at: \"20.0\"", 0},
	{good, "instance_valid", "at: \"10.0\"", "at: 16:0", 0},
	{good, "instance_valid", "at: \"10.0\"", "at: b.0", 0},
	{good, "instances_unique", "{pci: \"8086:0e02\", at: \"10.1\"", "{pci: \"8086:0e01\", at: \"10.0\"", 0},
	{good, "instances_unique", "channel: 1", "channel: 0", 0},
	{good, "instances_unique", "perf: 1", "perf: 0", 0},
	{good, "found_meant", "model: pmon1\n", "model: pmon1\nfound: scf\n", 1},
	{good, "bus_meant", "model: pmon1\n", "model: pmon1\nbus: lower\n", 1},
	{good, "per_meant", "model: pmon1\n", "model: pmon1\nper: cpu\n", 1},
	{good_msr, "per_meant", "model: ubox1\n", "model: ubox1\nper: cpu\n", 1},
	{good_qm, "per_meant", "per: cpu\n", "", -7},
	{good_qm, "word_known", "per: cpu\n", "per: socket\n", 0},
	{good_qm, "word_known", "optional: true", "optional: maybe", 0},
	{good_qm, "model_registers", " rmid: {bits: [9", " rmud: {bits: [9", -4},
	{good_qm, "model_registers", "model: qm1", "model: read1", 3},
	{good, "header_writable", "at: 0xf4", "at: 0x3c", -1},
	{good, "header_writable", "at: {first: 0xd8, step: 4, count: 4}", "at: {first: 0x04, step: 4, count: 4}", -1},
	{good_msr, "msr_writable", "at: 0xc8f", "at: 0x1a0", 0},

	{good_node, "cpus_valid", "[0x10, 0x1f]", "[0x1f, 0x10]", 0},
	{good_node, "cpus_valid", "not: 0", "is: 1, not: 0", 0},
	{good_node, "cpus_valid", "not: 0", "not: 2", 0},
	{good_node, "missing_key", ", not: 0", "", 0},
	{good_node, "wrong_type", "[0x10, 0x1f]", "[0x10, 0x11, 0x1f]", 0},
	{good_node, "bad_number", "[0x10, 0x1f]", "[0x10, 0x100]", 0},
	{good_node, "word_known", "per: node", "per: die", 0},
	{good_node, "word_known", "saturates: true", "saturates: yes", 0},
	{good_view, "missing_key", "counts_in: df\n", "", -8},
	{good_node, "model_registers", " en: {", " on: {", -5},
	{good_node, "model_registers", " ev_sel: {", " ev: {", -8},
	{good_node, "model_registers", "event_count: {", "counted: {", -4},
	{good_node, "model_registers", "0xc0010801, step: 2, count: 16", "0xc0010801, step: 2, count: 15", -1},
	{good_node, "counter_bits_fit", "counter_bits: 48", "counter_bits: 47", 17},
	{good_node, "event_field_known", "0x3007", "0x4000", 0},
	{good_node, "event_field_known", "umask: 0xff, mask", "umask: 0x100, mask", 0},
	{good_node, "event_field_known", "{mask: 0xf}", "{mask: 0x10}", 0},
	{good_node, "event_field_known", "{mask: 0xf}", "{mesk: 0xf}", 0},
	{good_node, "event_field_known", "{mask: 0xf}", "{mask: [0x0, 0xf]}", 0},
	{good_node, "event_as", "{select: {ev_sel: 0x147, umask: 0xff, mask: 1}, is", "{select: {ev_sel: 1}, as: b, is",
	 0},
	{good_node, "event_counters", "counters: 0-15", "counters: 0-16", 2},
	{good_node, "event_unique", ", mask: 1", "", 0},
	{good_node, "event_unique", ", mask: 1", ", mask: 0xf", 0},
	{good_node, "instance_valid", "instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n", "", -11},
	{good_node, "instance_valid", "found: cpuid\n", "", 3},
	{good_node, "found_meant", "model: node1", "box_type: 6\nmodel: node1", 0},
	{good, "found_meant", "model: pmon1\n", "model: pmon1\nfound: cpuid\n", 1},
	{good_node, "per_meant", "per: node\n", "", -6},
	{good_node, "per_meant", "per: node", "per: cpu", 0},
	{good, "view_meant", "model: pmon1\n", "model: pmon1\ncounts_in: df\n", 1},
	{good_node, "msr_writable", "first: 0xc0010800", "first: 0xc00108f0", -1},
	{good_node, "msr_writable", "first: 0xc0010801", "first: 0xc00107ff", -1},
	{good_view, "event_as", "as: data.ch, ", "", 0},
	{good_view, "event_as", "as: data.ch, ", "as: data.ch, counters: 0-3, ", 0},
	{good_view, "instance_valid", "instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n", "", -9},
	{good_view, "per_meant", "per: node", "per: l3", 0},
	{good_view, "view_meant", "counts_in: df\n", "registers: {}\n", -8},
	{good_view, "view_meant", "counts_in: df\n", "counts_in: df\ncounter_bits: 48\n", 0},
	{good_view, "view_meant", "space: msr", "space: mmio", 3},
	{good_msr, "view_meant", "model: ubox1\n", "model: ubox1\nsaturates: true\n", 1},

	{good_metrics, "yaml", "unit: imc", "unit: [imc", 1},
	{good_metrics, "format_known", "uncorectl-metrics/1", "uncorectl-metrics/2", 0},
	{good_metrics, "unknown_key", "unit: imc", "unit: imc\ncpus: []", 1},
	{good_metrics, "unknown_key", "adds: false", "sums: false", 0},
	{good_metrics, "missing_key", "unit: imc\n", "", -1},
	{good_metrics, "missing_key", "    formula: 100 * (1 - on / clocks)\n", "", -2},
	{good_metrics, "wrong_type", "formula: 64 * (rd + wr) / time", "formula: [rd]", 0},
	{good_metrics, "wrong_type", "events: {rd: cas.rd,", "events: {rd: {cas: rd},", 0},
	{good_metrics, "wrong_type", "[cas.wr, cas.wr_all]", "[]", 0},
	{good_metrics, "wrong_type", "[cas.wr, cas.wr_all]", "[cas.wr, [cas.wr_all]]", 0},
	{good_metrics, "word_known", "adds: true", "adds: yes", 0},
	{good_metrics, "name_valid", "unit: imc", "unit: IMC", 0},
	{good_metrics, "metric_name", "  bandwidth:", "  Bandwidth:", 0},
	{good_metrics, "metric_name", "  bandwidth:", "  band-width:", 0},
	{good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[7-0]:", 0},
	{good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[0-64]:", 0},
	{good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[0-7:", 0},
	{good_metrics, "metric_name", "  off.rank[0-7]:", "  off[0-1].rank[0-7].x[0-7]:", 0},
	{good_metrics, "metric_name", "  bandwidth:", "  off.rank3:", 7},
	{good_metrics, "metric_events", "cas.rd,", "CAS.RD,", 0},
	{good_metrics, "metric_events", "cas.rd,", "\"cas.rd[0-7]\",", 0},
	{good_metrics, "metric_events", "on.rank[0-7]", "on.rank[0-3]", 0},
	{good_metrics, "metric_events", "on.rank[0-7]", "on.rank[1-8]", 0},
	{good_metrics, "metric_events", "on.rank[0-7]", "on.rank[0-7].x[0-7]", 0},
	{good_metrics, "metric_events", "events: {rd: cas.rd,", "events: {time: cas.rd, rd: cas.rd,", 0},
	{good_metrics, "metric_events", "events: {rd: cas.rd,", "events: {RD: cas.rd, rd: cas.rd,", 0},
	{good_metrics, "metric_events", "[cas.wr, cas.wr_all]", "[a, b, c, d, e, f, g, h, i]", 0},
	{good_metrics, "metric_formula", "(rd + wr)", "(rd + wr", 0},
	{good_metrics, "metric_formula", "(rd + wr)", "(rd + wt)", 0},
	{good_metrics, "metric_formula", "(rd + wr)", "rd", 0},
	{good_metrics, "metric_source", "src: man p.1; krn", "src: man p.1; kern", 0},
};

struct report {
	unsigned line, n;
	char check[40], sentence[UNC_MSG_MAX], file[200];
};

/* Keeps the first and counts the rest. */
static void take(void *arg, const char *file, unsigned line, const char *check, const char *sentence)
{
	struct report *r = arg;

	if (r->n++)
		return;
	r->line = line;
	snprintf(r->file, sizeof(r->file), "%s", file);
	snprintf(r->check, sizeof(r->check), "%s", check);
	snprintf(r->sentence, sizeof(r->sentence), "%s", sentence);
}

static int run(const char *text, size_t len, bool loaded, struct report *r)
{
	struct unc_ctx ctx = {.msg = ""};
	unsigned errors = 0;
	int rc;

	*r = (struct report){0};
	rc = unc_map_check_text(&ctx, "t.yaml", text, len, loaded, take, r, &errors);
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(errors, r->n);
	return rc;
}

static char *edited(const struct edit *e, unsigned *ret_line)
{
	const char *at = strstr(e->text, e->from);
	char *text = malloc(strlen(e->text) + strlen(e->to) + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	sprintf(text, "%.*s%s%s", (int)(at - e->text), e->text, e->to, at + strlen(e->from));
	*ret_line = 1;
	for (const char *c = e->text; c < at; c++)
		*ret_line += *c == '\n';
	*ret_line = (unsigned)((int)*ret_line + e->lines);
	return text;
}

static void passes(const char *name, const char *text, size_t len, bool loaded)
{
	struct report r;

	run(text, len, loaded, &r);
	CU_ASSERT_EQUAL(r.n, 0);
	if (r.n)
		printf("\n    %s:%u (%s): %s\n", name, r.line, r.check, r.sentence);
}

TEST(good_maps_pass)
{
	passes("good", good, strlen(good), true);
	passes("good_msr", good_msr, strlen(good_msr), true);
	passes("good_qm", good_qm, strlen(good_qm), true);
	passes("good_node", good_node, strlen(good_node), true);
	passes("good_view", good_view, strlen(good_view), true);
	passes("good_derived", good_derived, strlen(good_derived), true);
	passes("good_family", good_family, strlen(good_family), true);
	passes("good_metrics", good_metrics, strlen(good_metrics), true);
}

TEST(built_in_maps_pass)
{
	for (size_t i = 0; i < unc_n_maps_built_in; i++)
		passes(unc_maps_built_in[i].name, unc_maps_built_in[i].text, unc_maps_built_in[i].len, false);
}

/* What is reported of the text after the edit; the line where that must be. */
static unsigned run_edited(const struct edit *e, bool loaded, struct report *r)
{
	unsigned line;
	char *text = edited(e, &line);

	run(text, strlen(text), loaded, r);
	free(text);
	return line;
}

TEST(each_fault_is_found_in_its_line)
{
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		const struct edit *e = &edits[i];
		struct report r;
		unsigned line = run_edited(e, true, &r);

		CU_ASSERT_STRING_EQUAL(r.check, e->check);
		CU_ASSERT_EQUAL(r.line, line);
		CU_ASSERT_STRING_EQUAL(r.file, "t.yaml");
		CU_ASSERT_TRUE(strlen(r.sentence) > 10 && !strchr(r.sentence, '\n'));
		if (strcmp(r.check, e->check) != 0 || r.line != line)
			printf("\n    edit %zu, to \"%s\": wanted %u (%s), got %u (%s): %s\n", i, e->to, line, e->check,
			       r.line, r.check, r.sentence);
	}
}

TEST(more_counters_than_can_be_driven_are_a_fault)
{
	static const struct {
		const char *controls, *counters;
		unsigned n; /* faults */
	} rows[] = {
		{"first: 0x140, step: 4, count: 7", "first: 0x100, step: 8, count: 7", 0},
		{"first: 0x140, step: 4, count: 8", "first: 0x100, step: 8, count: 8", 1},
	};

	for (size_t i = 0; i < 2; i++) {
		struct edit e = {good, "", "first: 0xd8, step: 4, count: 4", rows[i].controls, 0};
		unsigned line;
		char *once = edited(&e, &line);
		struct report r;

		e = (struct edit){once, "", "first: 0xa0, step: 8, count: 4", rows[i].counters, 0};
		run_edited(&e, true, &r);
		CU_ASSERT_EQUAL(r.n, rows[i].n);
		CU_ASSERT_STRING_EQUAL(r.check, r.n ? "model_registers" : "");
		free(once);
	}
}

TEST(a_built_in_map_may_write_any_msr)
{
	struct edit e = {good_msr, "", "at: 0xc8f", "at: 0x1a0", 0};
	struct report r;

	run_edited(&e, false, &r);
	CU_ASSERT_EQUAL(r.n, 0);
}

TEST(several_faults_are_all_reported)
{
	struct edit e = {good, "", "title: Test part", "titel: Test part\ntietl: x", 0};
	struct report r;

	run_edited(&e, true, &r);
	CU_ASSERT_EQUAL(r.n, 3); /* two unknown keys, and a missing one */
}

TEST(every_check_is_described_and_has_an_edit_that_fails_it)
{
	struct unc_ctx ctx = {.msg = ""};
	char *readme = NULL;
	const char *name;

	CU_ASSERT_EQUAL_FATAL(unc_os_file_read(&ctx, "regs/README.md", 1 << 20, UNC_TRUST_ANY, &readme, NULL), 0);
	for (size_t i = 0; (name = unc_map_check_name(i)) != NULL; i++) {
		bool fails = false, described;
		char quoted[60];

		for (size_t k = 0; k < sizeof(edits) / sizeof(edits[0]); k++)
			fails = fails || strcmp(edits[k].check, name) == 0;
		snprintf(quoted, sizeof(quoted), "`%s`", name);
		described = strstr(readme, quoted) != NULL;
		CU_ASSERT_TRUE(fails && described);
		if (!fails || !described)
			printf("\n    %s %s\n", fails ? "regs/README.md does not name" : "no edit fails", name);
	}
	free(readme);
}

/* Whatever comes, it is checked or refused, in a line that exists. */
static void survive(const char *text, size_t len)
{
	unsigned lines = 2;
	struct report r;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	run(text, len, true, &r);
	if (r.n) {
		CU_ASSERT_TRUE(r.line >= 1 && r.line <= lines);
		CU_ASSERT_TRUE(r.check[0] && r.sentence[0]);
	}
}

TEST(cuts_of_a_map_are_survived)
{
	const struct unc_map_text *map = &unc_maps_built_in[0];

	for (size_t len = 0; len < map->len; len += 211)
		survive(map->text, len);
	for (size_t len = 0; len < sizeof(good); len += 7)
		survive(good, len);
	for (size_t len = 0; len < sizeof(good_metrics); len++)
		survive(good_metrics, len);
}

static void flip(const char *good_text, size_t len)
{
	uint32_t random = 12345;
	char *text = malloc(len + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (unsigned round = 0; round < 1500; round++) {
		memcpy(text, good_text, len + 1);
		for (unsigned k = 0; k <= round % 3; k++) {
			random = random * 1664525 + 1013904223;
			text[(random >> 8) % len] ^= (char)(1 << (random >> 29));
			random = random * 1664525 + 1013904223;
			if (random >> 31)
				text[(random >> 8) % len] = "0:-[{}],\"' \n#&*!"[(random >> 4) % 16];
		}
		survive(text, len);
	}
	free(text);
}

TEST(flipped_bytes_are_survived)
{
	flip(good, sizeof(good) - 1);
	flip(good_metrics, sizeof(good_metrics) - 1);
}

/* The text ends with a page behind which there is no memory. */
TEST(a_text_that_no_zero_follows_is_not_read_past_its_end)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), len = strlen(good);
	const size_t room = (len + page - 1) / page * page;
	char *mem = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct report r;

	CU_ASSERT_FATAL(mem != MAP_FAILED && mprotect(mem + room, page, PROT_NONE) == 0);
	memcpy(mem + room - len, good, len);
	passes("at the end", mem + room - len, len, true);
	run(mem + room, 0, true, &r);
	CU_ASSERT_EQUAL(r.n, 1);
	munmap(mem, room + page);
}
