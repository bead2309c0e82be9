// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapedits.h"

const char map_good[] = "format: uncorectl-regs/1\n"
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
const char map_good_msr[] =
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

/* Counters that always run. */
const char map_good_free[] = "format: uncorectl-regs/1\n"
			     "cpus: [{vendor: GenuineIntel, family: 6, model: 0x99}]\n"
			     "title: Test part\n"
			     "sources: {man: a manual}\n"
			     "unit: free\n"
			     "space: mmio\n"
			     "found: membar_free\n"
			     "model: free1\n"
			     "counter_bits: 32\n"
			     "instances: [{imc: 0}]\n"
			     "registers:\n"
			     "  RD: {at: 0, src: man, fields: {count: {bits: [31, 0], access: ro}}}\n"
			     "  WR: {at: 4, src: man, fields: {count: {bits: [31, 0], access: ro}}}\n"
			     "events:\n"
			     "  read: {register: RD, max_inc: 1, is: reads, src: man}\n"
			     "  write: {register: WR, max_inc: 1, is: writes, src: man}\n";

/* MSRs that each CPU has. */
const char map_good_qm[] =
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
const char map_good_node[] =
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
const char map_good_view[] = "format: uncorectl-regs/1\n"
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
const char map_good_family[] = "format: uncorectl-regs/1\n"
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
const char map_good_derived[] = "format: uncorectl-regs/1\n"
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
const char map_good_metrics[] = "format: uncorectl-metrics/1\n"
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

const struct edit map_edits[] = {
	{map_good, "yaml", "unit: imc", "unit: [imc", 1},
	{map_good, "yaml", "title: Test", "unit: imc\ntitle: Test", 4 + 1},
	{map_good, "head_first", "format: uncorectl-regs/1\n", "", 0},
	{map_good, "head_first", "cpus: [", "extra: 1\ncpus: [", 0},
	{map_good, "format_known", "uncorectl-regs/1", "uncorectl-regs/2", 0},
	{map_good, "cpus_valid", "[1, 4]", "[4, 1]", 0},
	{map_good, "cpus_valid", "7.0:ebx[12]", "7.0:ebx[32]", 0},
	{map_good, "cpus_valid", "7.0:ebx[12]", "7.0:esi[12]", 0},
	{map_good, "cpus_valid", "7.0:ebx[12]", "7:ebx[12]", 0},
	{map_good, "cpus_valid", "is: 1}}", "is: 2}}", 0},
	{map_good, "cpus_valid", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: [{cpuid: \"7.0:ebx[32]\", is: 1}]", 0},
	{map_good, "cpus_valid", "family: 6, model: 0x99, stepping: [1, 4]", "model: 0x99", 0},
	{map_good, "cpus_valid", "family: 6, model: 0x99, stepping: [1, 4]", "family: 6, stepping: [1, 4]", 0},
	{map_good, "wrong_type", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: []", 0},
	{map_good, "wrong_type", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: often", 0},
	{map_good, "missing_key", "when: {cpuid: \"7.0:ebx[12]\", is: 1}", "when: [{cpuid: \"7.0:ebx[12]\"}]", 0},
	{map_good, "missing_key", "vendor: GenuineIntel, ", "", 0},
	{map_good, "cpus_valid",
	 "[{vendor: GenuineIntel, family: 6, model: 0x99, stepping: [1, 4],\n"
	 "        when: {cpuid: \"7.0:ebx[12]\", is: 1}}]",
	 "[]", 0},
	{map_good, "base_found", "title:", "base: intel-snbep-ubix\ntitle:", 0},
	{map_good, "base_found", "title:", "base: ../intel-snbep-imc\ntitle:", 0},
	{map_good, "base_found", "title:", "base: [intel-snbep-imc]\ntitle:", 0},
	{map_good_derived, "sources_kept", "man: a manual", "krn: a manual", 0},
	{map_good_derived, "none_removes", "act_count: none", "act_coumt: none", 0},
	{map_good_derived, "none_removes", "verify: not there}", "tested: none}", 0},
	{map_good_derived, "event_unique", "is: reads", "select: {umask: 0x0c}", -1},
	{map_good_derived, "fields_overlap", "access: reserved, verify: not there", "bits: 24", 0},
	{map_good_derived, "registers_overlap", "    fields:\n", "    at: {count: 8}\n    fields:\n", -1},

	{map_good, "unknown_key", "counter_bits: 48", "counter_bitz: 48", 0},
	{map_good, "unknown_key", "perf: 1", "perv: 1", 0},
	{map_good, "unknown_key", "is: counts", "iz: counts", 0},
	{map_good, "unknown_key", "count: 4}\n    src: krn", "count: 4, gap: 3}\n    src: krn", 0},
	{map_good, "unknown_key", "model: 0x99", "model: 0x99, mask: 1", 0},
	{map_good, "missing_key", "unit: imc\n", "", -7},
	{map_good, "missing_key", "bits: 22, access: rw", "bits: 22", 0},
	{map_good, "missing_key", "    at: 0xf4\n", "", -1},
	{map_good, "missing_key", "    is: reads\n", "", -6},
	{map_good, "missing_key", "step: 8, ", "", 0},
	{map_good, "missing_key", "vendor: GenuineIntel, ", "", 0},
	{map_good, "wrong_type", "title: Test part", "title: [Test part]", 0},
	{map_good, "wrong_type", "title: Test part", "title:", 0},
	{map_good, "wrong_type", "bits: 22", "bits: [22, 22, 22]", 0},
	{map_good, "wrong_type", "[1, 4]", "4", 0},
	{map_good, "wrong_type", "at: 0xf4", "at: [0xf4]", 0},
	{map_good, "wrong_type", "max_inc: 1, is", "max_inc: {a: 1}, is", 0},
	{map_good, "wrong_type", "counters: 0-3", "counters: [0, 3]", 0},
	{map_good, "wrong_type", "ev_sel: 0x01", "ev_sel: {a: 1}", 0},
	{map_good, "wrong_type", "    is: activates\n", "    also: activates\n    is: activates\n", 0},
	{map_good, "wrong_type", "events:\n", "every_event: 1\nevents:\n", 0},
	{map_good, "wrong_type", "  cas.rd:\n", "  nothing: none\n  cas.rd:\n", 0},
	{map_good, "wrong_type", "  - {is: a remark, src: man p.1, verify: yes please}", "  is: a remark", -1},
	{map_good, "bad_number", "counter_bits: 48", "counter_bits: many", 0},
	{map_good, "bad_number", "counter_bits: 48", "counter_bits: 65", 0},
	{map_good, "bad_number", "at: 0xf4", "at: 0x100000000", 0},
	{map_good, "bad_number", "at: 0xf4", "at: f4", 0},
	{map_good, "bad_number", "umask: 0x03", "umask: -3", 0},
	{map_good, "bad_number", "bits: [31, 24]", "bits: [31, b]", 0},
	{map_good, "bad_number", "bits: [31, 24]", "bits: [64, 24]", 0},
	{map_good, "bad_number", "counters: 0-3", "counters: 0-32", 0},
	{map_good, "bad_number", "counters: 0-3", "counters: 3-0", 0},
	{map_good, "bad_number", "ev_sel: 0x01", "ev_sel: [0x01, x]", 0},
	{map_good, "bad_number", "scale: 64", "scale: -64", 0},
	{map_good, "bad_number", "count: 4}\n    src: krn", "count: 1025}\n    src: krn", 0},
	{map_good, "bad_number", "model: 0x99", "model: 0x100", 0},
	{map_good, "word_known", "bits: 64\n    src: man p.2", "bits: 48\n    src: man p.2", 0},
	{map_good, "word_known", "model: pmon1\n", "model: pmon1\nbus: upper\n", 1},
	{map_good, "word_known", "write: whole", "write: half", 0},
	{map_good, "word_known", "use: never", "use: seldom", 0},
	{map_good, "word_known", "fixed: true", "fixed: yes", 0},
	{map_good, "space_known", "space: pci", "space: smbus", 0},
	{map_good, "model_known", "model: pmon1", "model: pmon0", 0},
	{map_good, "access_known", "bits: 22, access: rw,", "bits: 22, access: w,", 0},
	{map_good, "access_known", "said: {man: rw,", "said: {man: readable,", 0},
	{map_good, "wrong_type", "said: {man: rw, krn: wo}", "said: rw", 0},
	{map_good, "wrong_type", "said: {man: rw, krn: wo}", "said: {man: [rw]}", 0},
	{map_good, "name_valid", "  CTL4:", "  ctl4:", 0},
	{map_good, "name_valid", "      umask:  {", "      UMASK:  {", 0},
	{map_good, "name_valid", "  cas.rd:", "  cas/rd:", 0},
	{map_good, "name_valid", "unit: imc", "unit: i.mc", 0},
	{map_good, "name_valid", "  act:", "  act[0-]:", 0},
	{map_good, "name_valid", "  act:", "  act[3-1]:", 0},
	{map_good, "name_valid", "  act:", "  act[0-64]:", 0},
	{map_good, "name_valid", "  act:", "  act[0-1][0-1][0-1]:", 0},
	{map_good, "name_valid", "    is: activates\n", "    also: [Activates]\n    is: activates\n", 0},
	{map_good, "name_valid", "  krn: a", "  K: a", 0},

	{map_good, "source_known", "src: man p.2", "src: mann p.2", -3},
	{map_good, "source_known", "said: {man: rw,", "said: {mann: rw,", 0},
	{map_good, "source_known", "src: man p.3; krn", "src: man p.3; kern", -3},
	{map_good, "source_known", "src: man p.9", "src: p.9", 0},
	{map_good, "source_known", "src: man p.1,", "src: guide p.1,", 0},
	{map_good, "source_known", "src: man; krn", "src: man, krn", -7},
	{map_good, "register_has_source", "    src: man p.2\n", "", -3},
	{map_good, "event_has_source", "is: clocks, src: man", "is: clocks", 0},
	{map_good, "register_aligned", "at: 0xf4", "at: 0xf6", -1},
	{map_good, "register_aligned", "step: 8, count", "step: 9, count", -1},
	{map_good, "register_in_space", "at: 0xf4", "at: 0x1000", -1},
	{map_good, "register_in_space", "step: 8, count", "step: 0xfffffff8, count", -1},
	{map_good, "register_in_space", "count: 4}\n    src: krn", "count: 0}\n    src: krn", -1},
	{map_good_msr, "register_in_space", "at: 0x11\n    bits: 64", "at: 0x11\n    bits: 32", -1},
	{map_good, "registers_overlap", "at: 0xf4", "at: 0xf0", -1},
	{map_good, "registers_overlap", "at: 0xf4", "at: 0xbc", -1},
	{map_good, "registers_overlap", "at: 0xf4", "at: 0xe4", -1},
	{map_good, "registers_overlap", "step: 8, count", "step: 4, count", -1},
	{map_good_msr, "registers_overlap", "at: 0x11\n", "at: 0x10\n", -1},
	{map_good, "field_bits", "bits: [31, 24]", "bits: [24, 31]", 0},
	{map_good, "field_bits", "bits: [31, 24]", "bits: [32, 24]", 0},
	{map_good, "fields_overlap", "bits: [15, 8]", "bits: [16, 8]", 0},
	{map_good, "fields_cover", "bits: [15, 8]", "bits: [15, 9]", -9},
	{map_good, "reset_fits", "access: rw, reset: 0, is: counts", "access: rw, reset: 2, is: counts", 0},
	{map_good, "write_fits", "bits: 23, access: reserved, write: 0", "bits: 23, access: reserved, write: 2", 0},
	{map_good, "write_fits", "reset: 0, is: counts", "write: 1, is: counts", 0},
	{map_good, "write_whole_said", "    at: 0xf4\n    write: whole\n", "    at: 0xf4\n", -1},
	{map_good, "model_registers", "      en:     {bits: 22", "      enable: {bits: 22", -7},
	{map_good, "model_registers", "  BOX_CTL:\n", "  BAX_CTL:\n", -35},
	{map_good, "model_registers", "      frz:  {", "      fre:  {", -5},
	{map_good, "model_registers", "step: 8, count: 4", "step: 8, count: 3", -1},
	{map_good_msr, "model_registers", " gid7: {", " gid8: {", -6},
	/* without L3_QOS_ABMC_CFG and _DSC, and with a name that is not known */
	{map_good_msr, "model_registers", "bits: 64, src: man, fields: {all",
	 "bits: 64, through: L3_QOS_ABMC, src: man, fields: {all", 0},
	{map_good_msr, "model_registers", "bits: 64, src: man, fields: {all",
	 "bits: 64, through: OTHER, src: man, fields: {all", 0},
	{map_good, "counter_bits_fit", "counter_bits: 48", "counter_bits: 44", 14},
	{map_good, "counter_bits_fit", "counter_bits: 48\n", "", -10},
	{map_good, "counter_bits_fit", "counter_bits: 48\n", "counter_bits: 0\n", 0},

	{map_good, "event_family", "ev_sel: 0x01", "ev_sel: [0x01, 0x02]", -1},
	{map_good, "event_family", "  act:", "  act[0-1]:", 0},
	{map_good_family, "event_family", "[0-1].b", "[0-2].b", 0},
	{map_good_family, "event_family", ", 0x11]", "]", -1},
	{map_good_family, "event_family", "    is: family", "    also: [g]\n    is: family", -2},
	{map_good_family, "event_names", "e0.b3", "f0.b3", -2},
	{map_good_family, "event_names", "also: [e0.b3, second]", "also: [e0, second]", -2},
	{map_good_family, "event_names", ", second", ", e0.b3", -2},
	{map_good_family, "event_unique", "umask: 0x12", "umask: 0x11", -1},
	{map_good_family, "event_field_known", "[0x00, 0x01]", "[0x00, 0x100]", -1},
	{map_good, "event_field_known", "ev_sel: 0x01", "event: 0x01", -1},
	{map_good, "event_field_known", "ev_sel: 0x01", "en: 0x01", -1},
	{map_good, "event_field_known", "ev_sel: 0x01", "rsvlow: 0x01", -1},
	{map_good, "event_field_known", "ev_sel: 0x01", "ev_sel: 0x100", -1},
	{map_good, "event_field_known", "    select: {ev_sel: 0x01}\n", "", -1},
	{map_good, "event_counters", "counters: 0,2", "counters: 0,4", -2},
	{map_good, "event_counters", "    counters: 0,2\n", "", -2},
	{map_good, "event_max_inc", "    max_inc: 1\n", "", -3},
	{map_good, "event_max_inc", "    max_inc: 1\n", "    max_inc: 256\n", -3},
	{map_good, "event_max_inc", "    max_inc: 1\n", "    max_inc: 1\n    one_per: 1\n", -3},
	{map_good, "event_fixed", "fixed: true, max_inc", "fixed: true, counters: 0-3, max_inc", 0},
	{map_good, "event_fixed", "fixed: true, max_inc", "fixed: true, select: {ev_sel: 7}, max_inc", 0},
	{map_good, "event_unit", "    in: bytes\n", "", -5},
	{map_good, "event_unit", "scale: 64", "scale: 0", -4},
	{map_good, "event_unique", "select: {ev_sel: 0x01}", "select: {umask: 0x03, ev_sel: 0x04}", -1},
	{map_good, "event_unique", "ev_sel: 0x04, umask: 0x03", "ev_sel: 0x01, umask: 0x00", 7},
	{map_good, "instance_valid", "pci: \"8086:0e01\"", "pci: \"8086-0e01\"", 0},
	{map_good, "instance_valid", "at: \"10.0\"", "at: \"10.8\"", 0},
	{map_good, "instance_valid", "at: \"10.0\"", "at: \"20.0\"", 0},
	{map_good, "instance_valid", "at: \"10.0\"", "at: 16:0", 0},
	{map_good, "instance_valid", "at: \"10.0\"", "at: b.0", 0},
	{map_good, "instances_unique", "{pci: \"8086:0e02\", at: \"10.1\"", "{pci: \"8086:0e01\", at: \"10.0\"", 0},
	{map_good, "instances_unique", "channel: 1", "channel: 0", 0},
	{map_good, "instances_unique", "perf: 1", "perf: 0", 0},
	{map_good, "found_meant", "model: pmon1\n", "model: pmon1\nfound: scf\n", 1},
	{map_good, "bus_meant", "model: pmon1\n", "model: pmon1\nbus: lower\n", 1},
	{map_good, "per_meant", "model: pmon1\n", "model: pmon1\nper: cpu\n", 1},
	{map_good_msr, "per_meant", "model: ubox1\n", "model: ubox1\nper: cpu\n", 1},
	{map_good_qm, "per_meant", "per: cpu\n", "", -7},
	{map_good_qm, "word_known", "per: cpu\n", "per: socket\n", 0},
	{map_good_qm, "word_known", "optional: true", "optional: maybe", 0},
	{map_good_qm, "model_registers", " rmid: {bits: [9", " rmud: {bits: [9", -4},
	{map_good_qm, "model_registers", "model: qm1", "model: read1", 3},
	{map_good, "header_writable", "at: 0xf4", "at: 0x3c", -1},
	{map_good, "header_writable", "at: {first: 0xd8, step: 4, count: 4}", "at: {first: 0x04, step: 4, count: 4}",
	 -1},
	{map_good_msr, "msr_writable", "at: 0xc8f", "at: 0x1a0", 0},

	{map_good_node, "cpus_valid", "[0x10, 0x1f]", "[0x1f, 0x10]", 0},
	{map_good_node, "cpus_valid", "not: 0", "is: 1, not: 0", 0},
	{map_good_node, "cpus_valid", "not: 0", "not: 2", 0},
	{map_good_node, "missing_key", ", not: 0", "", 0},
	{map_good_node, "wrong_type", "[0x10, 0x1f]", "[0x10, 0x11, 0x1f]", 0},
	{map_good_node, "bad_number", "[0x10, 0x1f]", "[0x10, 0x100]", 0},
	{map_good_node, "word_known", "per: node", "per: die", 0},
	{map_good_node, "word_known", "saturates: true", "saturates: yes", 0},
	{map_good_view, "missing_key", "counts_in: df\n", "", -8},
	{map_good_node, "model_registers", " en: {", " on: {", -5},
	{map_good_node, "model_registers", " ev_sel: {", " ev: {", -8},
	{map_good_node, "model_registers", "event_count: {", "counted: {", -4},
	{map_good_node, "model_registers", "0xc0010801, step: 2, count: 16", "0xc0010801, step: 2, count: 15", -1},
	{map_good_node, "counter_bits_fit", "counter_bits: 48", "counter_bits: 47", 17},
	{map_good_node, "event_field_known", "0x3007", "0x4000", 0},
	{map_good_node, "event_field_known", "umask: 0xff, mask", "umask: 0x100, mask", 0},
	{map_good_node, "event_field_known", "{mask: 0xf}", "{mask: 0x10}", 0},
	{map_good_node, "event_field_known", "{mask: 0xf}", "{mesk: 0xf}", 0},
	{map_good_node, "event_field_known", "{mask: 0xf}", "{mask: [0x0, 0xf]}", 0},
	{map_good_node, "event_as", "{select: {ev_sel: 0x147, umask: 0xff, mask: 1}, is",
	 "{select: {ev_sel: 1}, as: b, is", 0},
	{map_good_node, "event_counters", "counters: 0-15", "counters: 0-16", 2},
	{map_good_node, "event_unique", ", mask: 1", "", 0},
	{map_good_node, "event_unique", ", mask: 1", ", mask: 0xf", 0},
	{map_good_node, "instance_valid", "instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n", "", -11},
	{map_good_node, "instance_valid", "found: cpuid\n", "", 3},
	{map_good_node, "found_meant", "model: node1", "box_type: 6\nmodel: node1", 0},
	{map_good, "found_meant", "model: pmon1\n", "model: pmon1\nfound: cpuid\n", 1},
	{map_good_node, "per_meant", "per: node\n", "", -6},
	{map_good_node, "per_meant", "per: node", "per: cpu", 0},
	{map_good, "view_meant", "model: pmon1\n", "model: pmon1\ncounts_in: df\n", 1},
	{map_good_node, "msr_writable", "first: 0xc0010800", "first: 0xc00108f0", -1},
	{map_good_node, "msr_writable", "first: 0xc0010801", "first: 0xc00107ff", -1},
	{map_good_view, "event_as", "as: data.ch, ", "", 0},
	{map_good_view, "event_as", "as: data.ch, ", "as: data.ch, counters: 0-3, ", 0},
	{map_good_view, "instance_valid", "instances: [{imc: 0, channel: 0}, {imc: 0, channel: 1}]\n", "", -9},
	{map_good_view, "per_meant", "per: node", "per: l3", 0},
	{map_good_view, "view_meant", "counts_in: df\n", "registers: {}\n", -8},
	{map_good_view, "view_meant", "counts_in: df\n", "counts_in: df\ncounter_bits: 48\n", 0},
	{map_good_view, "view_meant", "space: msr", "space: mmio", 3},
	{map_good_msr, "view_meant", "model: ubox1\n", "model: ubox1\nsaturates: true\n", 1},

	{map_good_free, "event_register", "register: RD, ", "", 0},
	{map_good_free, "event_register", "register: RD", "register: DR", 0},
	{map_good_free, "event_register", "0, src: man, fields: {count", "0, src: man, fields: {counts", 3},
	{map_good_free, "event_register", "at: 0, src: man, fields: {count: {bits: [31, 0], access: ro",
	 "at: 0, src: man, fields: {count: {bits: [31, 0], access: rw", 3},
	{map_good_free, "event_register", "counter_bits: 32", "counter_bits: 31", 6},
	{map_good_free, "event_register", "register: RD", "register: RD, counters: 0", 0},
	{map_good_free, "event_unique", "register: WR", "register: RD", 0},
	{map_good, "event_register", "fixed: true, ", "fixed: true, register: CTL, ", 0},

	{map_good_metrics, "yaml", "unit: imc", "unit: [imc", 1},
	{map_good_metrics, "format_known", "uncorectl-metrics/1", "uncorectl-metrics/2", 0},
	{map_good_metrics, "unknown_key", "unit: imc", "unit: imc\ncpus: []", 1},
	{map_good_metrics, "unknown_key", "adds: false", "sums: false", 0},
	{map_good_metrics, "missing_key", "unit: imc\n", "", -1},
	{map_good_metrics, "missing_key", "    formula: 100 * (1 - on / clocks)\n", "", -2},
	{map_good_metrics, "wrong_type", "formula: 64 * (rd + wr) / time", "formula: [rd]", 0},
	{map_good_metrics, "wrong_type", "events: {rd: cas.rd,", "events: {rd: {cas: rd},", 0},
	{map_good_metrics, "wrong_type", "[cas.wr, cas.wr_all]", "[]", 0},
	{map_good_metrics, "wrong_type", "[cas.wr, cas.wr_all]", "[cas.wr, [cas.wr_all]]", 0},
	{map_good_metrics, "word_known", "adds: true", "adds: yes", 0},
	{map_good_metrics, "name_valid", "unit: imc", "unit: IMC", 0},
	{map_good_metrics, "metric_name", "  bandwidth:", "  Bandwidth:", 0},
	{map_good_metrics, "metric_name", "  bandwidth:", "  band-width:", 0},
	{map_good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[7-0]:", 0},
	{map_good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[0-64]:", 0},
	{map_good_metrics, "metric_name", "  off.rank[0-7]:", "  off.rank[0-7:", 0},
	{map_good_metrics, "metric_name", "  off.rank[0-7]:", "  off[0-1].rank[0-7].x[0-7]:", 0},
	{map_good_metrics, "metric_name", "  bandwidth:", "  off.rank3:", 7},
	{map_good_metrics, "metric_events", "cas.rd,", "CAS.RD,", 0},
	{map_good_metrics, "metric_events", "cas.rd,", "\"cas.rd[0-7]\",", 0},
	{map_good_metrics, "metric_events", "on.rank[0-7]", "on.rank[0-3]", 0},
	{map_good_metrics, "metric_events", "on.rank[0-7]", "on.rank[1-8]", 0},
	{map_good_metrics, "metric_events", "on.rank[0-7]", "on.rank[0-7].x[0-7]", 0},
	{map_good_metrics, "metric_events", "events: {rd: cas.rd,", "events: {time: cas.rd, rd: cas.rd,", 0},
	{map_good_metrics, "metric_events", "events: {rd: cas.rd,", "events: {RD: cas.rd, rd: cas.rd,", 0},
	{map_good_metrics, "metric_events", "[cas.wr, cas.wr_all]", "[a, b, c, d, e, f, g, h, i]", 0},
	{map_good_metrics, "metric_formula", "(rd + wr)", "(rd + wr", 0},
	{map_good_metrics, "metric_formula", "(rd + wr)", "(rd + wt)", 0},
	{map_good_metrics, "metric_formula", "(rd + wr)", "rd", 0},
	{map_good_metrics, "metric_source", "src: man p.1; krn", "src: man p.1; kern", 0},
};
const size_t n_map_edits = sizeof(map_edits) / sizeof(map_edits[0]);

const struct good_map good_maps[] = {
	{"good", map_good},
	{"good_msr", map_good_msr},
	{"good_free", map_good_free},
	{"good_qm", map_good_qm},
	{"good_node", map_good_node},
	{"good_view", map_good_view},
	{"good_family", map_good_family},
	{"good_derived", map_good_derived},
	{"good_metrics", map_good_metrics},
};
const size_t n_good_maps = sizeof(good_maps) / sizeof(good_maps[0]);
