/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What registers mean: pure data, read from the YAML files of regs/ (regs/README.md is the format).  Nothing here
 * touches hardware.  Everything hangs on the unc_map that unc_map_load() makes and lives as long as it.
 */
#ifndef UNC_MAP_MAP_H
#define UNC_MAP_MAP_H

#include "access/host.h"

enum unc_acc { UNC_RO, UNC_RW, UNC_WO, UNC_RW1C, UNC_RSVD };

/* path and line: where it stands, for sentences; with `base:` that may be another file than the unit's own. */

struct unc_said {        /* what one source says of a field's access, where they differ */
	const char *tag; /* of unc_unit.sources */
	enum unc_acc acc;
};

struct unc_field {
	const char *name;
	const char *desc;   /* "is:", or NULL */
	const char *src;    /* where it differs from the register's, or NULL */
	const char *verify; /* what is not confirmed about it, or NULL */
	const char *tested; /* who tried it on which silicon, or NULL */
	const char *path;
	unsigned line;
	unsigned lo, hi; /* bits, inclusive */
	enum unc_acc acc;
	bool reset_known;
	uint64_t reset;        /* 0 where it is not known */
	uint64_t write;        /* UNC_RSVD: what must be written there, mostly 0 */
	struct unc_said *said; /* owned by the unit; NULL: nothing is said */
	size_t n_said;
};

struct unc_reg {
	const char *name;
	const char *desc, *src, *verify, *tested; /* desc, verify, tested: or NULL */
	const char *path;
	unsigned line;
	uint32_t off; /* of the first; bytes of PCI configuration space, or MSR number */
	uint32_t step;
	unsigned count;           /* 1: a single register */
	unsigned bits;            /* 32 or 64; 64 bits of PCI space are two dwords, the low one first */
	bool write_whole;         /* has write-only bits: values are built, never read-modified */
	bool never;               /* documented, not to be used: never written */
	bool optional;            /* not every CPU that the map is for has it; where it is not, reading it fails */
	const char *within;       /* it is there only while the lowest field of that register is not 0; else NULL */
	const char *through;      /* reached through the registers of that name with _CFG and _DSC; else NULL */
	struct unc_field *fields; /* by falling bit, as manuals list them; they name every bit */
	size_t n_fields;
};

/*
 * General counters of a box: AMD's data fabric has up to 16.  pmon/ has room for as many, and the fixed one.  Those of pmon1 and
 * their controls are read in one block, which has room for seven; no part known has more than four.
 */
enum { UNC_COUNTERS_MAX = 16, UNC_PMON1_COUNTERS_MAX = 7 };

enum { UNC_EVERY_MAX = 8 }; /* fields that each event of a unit selects */

struct unc_select { /* one field of the control register and what the event wants in it */
	const char *field;
	uint64_t value;
};

struct unc_event {
	const char *name;                /* "cas_count.rd" */
	const char *also;                /* its other names, "dclockticks, x", or NULL */
	const char *desc, *src, *verify; /* verify: or NULL */
	const char *path;
	unsigned line;             /* of a family: the family's */
	struct unc_select *select; /* the unit's */
	size_t n_select;
	bool fixed;       /* counted by the fixed counter, nothing to select */
	const char *reg;  /* of a free1 or nest1: the register that counts it; else NULL */
	const char *as;   /* of a unit with counts_in: the event there, without the number of the channel; else NULL */
	unsigned max_inc; /* highest increment in one clock; 0: not known */
	unsigned one_per; /* over a longer time it gains at most one in this many clocks; 0: max_inc in each */
	unsigned clock_bytes; /* it counts a clock: the most bytes that a channel can move in a tick; 0: not known */
	uint32_t counters;    /* bit i: CTR[i] can count it; 0 with fixed */
	double scale;         /* count * scale is in unit; 1 where nothing is said */
	const char *unit;     /* "bytes", or NULL: plain events */
	const char *refused;  /* why it cannot be counted although it is known; NULL: it can */
};

struct unc_instance { /* one box of this unit on every socket */
	const char *path;
	unsigned line;
	uint16_t vendor, device; /* of a unit in memory: the function whose registers tell where the window is, */
	uint8_t dev, fn;         /* once the machine has looked for it; until then 0 */
	bool numbered;           /* imc or channel is said */
	bool whole;              /* no channel is said */
	bool hbm;                /* memory in the package, which only a discovery table tells of */
	unsigned imc, channel;   /* 0 where nothing is said */
	int perf, pcm, likwid;   /* the number other tools give it; -1: not said */
};

struct unc_source { /* a document, and the short name that `src:` calls it by */
	const char *tag, *title;
};

struct unc_remark {                      /* something to know about the part that no register can hold */
	const char *text, *src, *verify; /* verify: or NULL */
	const char *path;
	unsigned line;
};

/* Where the UBOX of a bus without one is: nowhere, or on the nearest bus of its domain in that direction that has one. */
enum unc_ubox_bus { UNC_BUS_SAME, UNC_BUS_LOWER, UNC_BUS_HIGHER };

/*
 * How the window of a unit in memory is found.  Where it is then follows from registers of the machine by the arithmetic of that
 * way (machine/windows.c), so that no map can aim an access at an address.
 */
enum unc_window_way {
	UNC_WINDOW_NOT, /* not by registers */
	UNC_WINDOW_MEMBAR,
	UNC_WINDOW_MEMBAR_DDRT, /* also a register that tells of Optane modules */
	UNC_WINDOW_MEMBAR_WIDE,
	UNC_WINDOW_SCF,
	UNC_WINDOW_SCF_GNRD,
	UNC_WINDOW_SCF_GNRD_A,
	UNC_WINDOW_MEMBAR_FREE,
	UNC_WINDOW_MCHBAR, /* of client processors, as the next three: below MCHBAR, for each controller */
	UNC_WINDOW_MCHBAR_TGL,
	UNC_WINDOW_MCHBAR_ADL,
	UNC_WINDOW_MCHBAR_ADL_PMON,
	UNC_WINDOW_SCF_HBM, /* of the instances that are in HBM */
};

/* What a box of a unit in MSRs belongs to; they are reached through a CPU of it. */
enum unc_scope {
	UNC_PER_SOCKET,
	UNC_PER_NODE, /* AMD: a data fabric, which is a die of Zen 1, and a socket since */
	UNC_PER_L3,
	UNC_PER_CPU,
};

/* Of a unit in the area of memory in which a POWER chip's microcode counts: facts of the part. */
struct unc_area {
	uint32_t bytes;     /* of all its counters, from the area's begin on; 0: the unit is in none */
	uint32_t heads_end; /* groups of counters from here on have no update count in front */
	unsigned update_ms; /* between two updates, at the speed with code 0 */
	uint64_t
		available; /* bits of the availability vector: the chip has the unit if one of them is set; 0: not known */
	uint64_t of_link; /* not 0: if all of them are as here */
};

struct unc_map_tree; /* the texts it was made of; the unit's strings are theirs */

struct unc_unit {
	const char *map;     /* "intel-snbep-imc": the file, without folder and .yaml */
	const char *path;    /* for sentences: the file as it was named, or "regs/intel-snbep-imc.yaml (built in)" */
	unsigned line;       /* where the file says which CPUs it is for */
	bool loaded;         /* from --regs, not built in */
	const char *name;    /* "imc", "ubox" */
	const char *model;   /* how it is driven: "pmon1", "free1", "nest1" */
	const char *title;   /* the part's name for people: "Sandy Bridge-EP" */
	const char *refused; /* why the unit cannot be driven although the part is known; NULL: it can */
	enum unc_kind kind;
	enum unc_ubox_bus bus;
	enum unc_window_way found;
	int box_type; /* its number in discovery tables; -1: not said */
	enum unc_scope per;
	bool by_cpuid;  /* which instances there are, and the MSRs of each, is in CPUID leaf 80000022 (AMD's UMCs) */
	bool saturates; /* counters stop at their highest value, with the bit above it set, instead of wrapping */
	const char *
		counts_in; /* its events with `as`, or without registers all, are counted by that unit of its node; else NULL */
	struct unc_area area;
	unsigned counter_bits; /* 0: it has no counters */
	/* The fastest clock that its counters can count in.  0: not said. */
	uint64_t max_clock_hz;
	struct unc_instance *instances;
	size_t n_instances;
	struct unc_reg *regs;
	size_t n_regs;
	struct unc_event *events; /* families as their members */
	size_t n_events;
	struct unc_select *selects; /* of all events; owned */
	/* What each event and each raw event selects unless it says otherwise: the first of selects.  Options change it. */
	size_t n_every;
	char **texts; /* names of members, other names; owned */
	size_t n_texts;
	struct unc_source *sources;
	size_t n_sources;
	struct unc_remark *remarks; /* "notes:" */
	size_t n_remarks;
	struct unc_map_tree *tree; /* owned */
};

struct unc_metric; /* map/metric.h */

struct unc_map {
	struct unc_unit *units; /* one per unit name; perhaps none */
	size_t n_units;
	char *no_counters; /* why none of them has counters, as a sentence; owned; NULL: one has */
	/* Of all units, each name once per unit; after unc_map_metrics(), until then only those of map_dir. */
	struct unc_metric *metrics;
	size_t n_metrics;
	struct unc_map_tree **metric_trees; /* owned; their strings are the trees' */
	size_t n_metric_trees;
	char *catalogue;        /* the device tree that it was made of instead (catalogue/); owned; NULL: it was not */
	size_t n_metrics_asked; /* built-in files that were looked at for metrics, from the first on */
};

/* What a map is chosen by. */
struct unc_cpu_id {
	char vendor[13]; /* "GenuineIntel" */
	unsigned family, model, stepping;
	struct unc_host *host; /* for `when: {cpuid: ...}`; NULL: such conditions do not hold; not owned */
	unsigned cpu;          /* whose CPUID that is: one that is online */
};

/*
 * The maps that fit a CPU: the built-in ones, and the *.yaml files of map_dir (NULL: none), which replace a built-in
 * map of the same unit.  Of the others only the head is read.  With them come the metrics of map_dir.  What is loaded has
 * passed every check of map/check.c.
 * Where none fits, or none that has counters, that is no failure: the map's no_counters says so and names the CPU.
 * UNC_EMAP: malformed, contradictory, or two fit for one unit (the
 * sentence starts with FILE:LINE); UNC_EPERM: a file in map_dir cannot be trusted; UNC_ENODEV: no such folder.
 */
int unc_map_load(struct unc_ctx *ctx, const struct unc_cpu_id *cpu, const char *map_dir, struct unc_map **ret_map);
/* Every map there is, built in or in map_dir, so that a unit may be there more than once.  Fails as unc_map_load(). */
int unc_map_load_all(struct unc_ctx *ctx, const char *map_dir, struct unc_map **ret_map);
void unc_map_free(struct unc_map *map);
/*
 * Adds the built-in metrics, which most commands do not need, and finds the events of all; to be called before metrics
 * are looked at, as often as one likes.  UNC_ENOMEM; UNC_EMAP.
 */
int unc_map_metrics(struct unc_ctx *ctx, struct unc_map *map);
/* The same, but adds no more built-in ones than it takes to have this one, if there is such a metric. */
int unc_map_metrics_to(struct unc_ctx *ctx, struct unc_map *map, const char *unit, const char *name);

/* The document that a tag stands for: of that unit, else of the metrics read so far.  NULL: none. */
const char *unc_map_source(const struct unc_map *map, const char *unit, const char *tag);
const struct unc_unit *unc_map_unit(const struct unc_map *map, const char *name);  /* NULL: not there */
const struct unc_reg *unc_unit_reg(const struct unc_unit *unit, const char *name); /* NULL: not there */
/* By its name or another one of it.  NULL: not there. */
const struct unc_event *unc_unit_event(const struct unc_unit *unit, const char *name);
const struct unc_field *unc_reg_field(const struct unc_reg *reg, const char *name); /* NULL: not there */
/* Offset of element index; the caller knows index < reg->count. */
static inline uint32_t unc_reg_off(const struct unc_reg *reg, unsigned index)
{
	return reg->off + index * reg->step;
}

/* The maps built into the library, made from regs/ at build time. */
struct unc_map_text {
	const char *name; /* "intel-snbep-imc" */
	const char *text;
	size_t len;
};
extern const struct unc_map_text unc_maps_built_in[];
extern const size_t unc_n_maps_built_in;

#endif
