/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor model as tables: its PCI functions, its events, what CPUID answers. */
#ifndef UNC_SIM_MODEL_H
#define UNC_SIM_MODEL_H

#include "access/host.h"

enum {
	UNC_SIM_SOCKETS_X86 = 8, /* at most, and of POWER: */
	UNC_SIM_SOCKETS_MAX = 16,
	UNC_SIM_CHANNELS_MAX = 40, /* per socket */
	UNC_SIM_CORES_MAX = 128,   /* per socket; more than most of these processors have, to try large machines */
	UNC_SIM_THREADS_MAX = 2,   /* per core */
	UNC_SIM_CPUS_MAX = UNC_SIM_SOCKETS_MAX * UNC_SIM_CORES_MAX * UNC_SIM_THREADS_MAX,
	UNC_SIM_L3S_MAX = 128,    /* of the machine; with sub-NUMA clustering each node's part of an L3 counts */
	UNC_SIM_RMIDS_MAX = 4096, /* 12 bits */
	UNC_SIM_SLOTS = 4,        /* PCI buses of a socket */
	UNC_SIM_NODES_MAX = 32,   /* of the machine */
	UNC_SIM_DF_CTRS = 16,     /* AMD: counters of a data fabric, and of all UMCs of a node, at most */
	UNC_SIM_UMC_CTRS = 63,
	UNC_SIM_UMCS_ALL = 0xfff,
};

/* A bit for each channel of a machine. */
enum { UNC_SIM_CHANNEL_WORDS = (UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX + 63) / 64 };
struct unc_sim_channel_set {
	uint64_t has[UNC_SIM_CHANNEL_WORDS];
};

/* A bit for each CPU that a machine can have. */
struct unc_sim_cpu_set {
	uint64_t has[UNC_SIM_CPUS_MAX / 64];
};
static inline bool unc_sim_has_cpu(const struct unc_sim_cpu_set *cpus, unsigned cpu)
{
	return cpu < UNC_SIM_CPUS_MAX && cpus->has[cpu / 64] >> cpu % 64 & 1;
}

struct unc_sim_options;

#define UNC_SIM_N(table) (sizeof(table) / sizeof((table)[0]))

/* How a function's registers from 0x40 on behave. UNC_SIM_OTHER: the function exists, but its behaviour is not modelled. */
enum unc_sim_kind {
	UNC_SIM_UBOX,
	UNC_SIM_IMC,
	UNC_SIM_M2M,  /* what the mesh sends to a controller, or in memory a client's controller counts: sim/m2m.c */
	UNC_SIM_BASE, /* tells where the registers are that a socket has in memory */
	UNC_SIM_FREE, /* in memory: counters of a controller that always run */
	UNC_SIM_DISCOVERY, /* tells where the table is */
	UNC_SIM_UNITS,     /* in memory: the table of the socket's counters */
	UNC_SIM_SLICES,    /* tells which slices of the L3 have counters, which are not modelled: one has */
	UNC_SIM_OTHER
};

struct unc_sim_function {
	uint8_t slot; /* which bus of the socket: below UNC_SIM_SLOTS */
	uint8_t dev, fn;
	uint16_t device_id;
	uint32_t class_code; /* 24 bits */
	uint8_t revision;
	enum unc_sim_kind kind;
	unsigned imc, channel; /* with UNC_SIM_IMC; imc also with UNC_SIM_M2M */
	uint32_t at;           /* offset in the socket's memory; 0: it is a PCI function */
	bool hbm;              /* with UNC_SIM_IMC: memory in the package, and not DIMMs */
};

/* A counter of a client processor's controller that always runs: where it is, and controls whose counts it adds up. */
struct unc_sim_always {
	uint32_t at, controls[3];
};

/* Registers in memory: sim/memory.c. Offsets are from the socket's base, MMIO_BASE. */
enum unc_sim_memory_kind {
	UNC_SIM_MEMORY_LAKE,   /* Ice Lake: channels in pairs, where there is room for a third one */
	UNC_SIM_MEMORY_PAIRS,  /* a controller has two channels */
	UNC_SIM_MEMORY_SINGLE, /* and one */
};
struct unc_sim_memory {
	enum unc_sim_memory_kind kind;
	uint32_t scf, bars[4], bar_bytes; /* SCF_BAR; MEM_BAR of each controller, 0: it is not there */
	uint32_t mode, dimm;              /* how far these registers are in front of a channel's counters */
	uint32_t
		hole; /* offset in each controller of a channel that it has room for and that does not exist; 0: none */
	uint32_t hbm_mode; /* and of a channel of memory in the package */
	bool has_status;   /* channels have BOX_STATUS */
	uint32_t ddrt;     /* and the register of Optane modules; 0: there are none */
	/* What free-running counters count, as a control would say it: reads, writes, those of Optane modules (0: none), DCLK. */
	uint32_t free[4], free_clock;
	/* Of a client processor instead, below MCHBAR of its host bridge; NULL: it is none. */
	const struct unc_sim_always *always;
	size_t n_always;
	unsigned always_bytes; /* width of each */
};

/* Which bytes per second of a load turn into this event. */
enum unc_sim_from { UNC_SIM_FROM_EVENTS, UNC_SIM_FROM_READ, UNC_SIM_FROM_WRITE, UNC_SIM_FROMS };

enum unc_sim_event_flags {
	UNC_SIM_RANKS = 1,    /* the umask picks one rank; ranks never add up */
	UNC_SIM_CONSTANT = 2, /* DCLK itself, which no load changes */
	UNC_SIM_NUMBER = 4,   /* the umask is the number of one sub-event, not a bit for each */
	UNC_SIM_HALF = 16,    /* with UNC_SIM_CONSTANT: every second cycle */
	UNC_SIM_AGAIN = 8,    /* counts the occurrences of other sub-events again, divided in another way */
};

struct unc_sim_event {    /* an event, or one sub-event of it */
	const char *name; /* as load files name it */
	uint8_t code;
	uint8_t umask;   /* bit of this sub-event, with UNC_SIM_NUMBER its number; 0: the event has no sub-events */
	uint8_t max_inc; /* largest increment of a counter in one DCLK cycle */
	uint8_t clocks;  /* DCLK cycles that each occupies the data bus; 0: it does not use the bus */
	uint8_t flags;
	enum unc_sim_from from; /* the load's bytes per second that become this event */
	uint16_t whole, less;   /* its share of those bytes: see struct unc_sim_part */
};

/* A name for several sub-events of one event together, or a second name of an event. */
struct unc_sim_sum {
	const char *name;
	uint8_t code, umask;
	uint8_t first, n; /* UNC_SIM_NUMBER: this umask means n sub-events from first on; n 0: a bit for each */
};

/* One leaf of CPUID as read on such a processor. */
struct unc_sim_leaf {
	uint32_t leaf, subleaf;
	struct unc_cpuid_regs regs;
};

/* The vendor whose rules CPUID and the registers of monitoring follow. */
enum unc_sim_vendor { UNC_SIM_INTEL, UNC_SIM_AMD, UNC_SIM_HYGON };

/* How APIC ids count the cores of a package: sim/cpus.c. */
enum unc_sim_apic {
	UNC_SIM_APIC_GROUPS, /* in groups of up to eight, with holes between them */
	UNC_SIM_APIC_DENSE,  /* one after the other, without holes */
	UNC_SIM_APIC_BY_L3,  /* those of each L3 begin at a multiple of a power of two */
};

/* Cache and bandwidth monitoring, and allocation. */
struct unc_sim_rdt {
	unsigned max_rmid;
	uint32_t upscale; /* bytes per unit of IA32_QM_CTR */
	unsigned events;  /* bit 0 occupancy, 1 total bandwidth, 2 local bandwidth; 0: no monitoring */
	unsigned width;   /* bits of the bandwidth counters */
	unsigned n_clos;
};

/* The differences between the generations in the registers of a channel: sim/imc.c. */
struct unc_sim_pmon {
	uint32_t ctl_writable;               /* bits of a CTL that can be written and read back */
	uint32_t ctl_rst;                    /* write-only, clears the paired counter; 0: not available */
	uint32_t fixed_writable;             /* bits of FIXED_CTL that can be written and read back */
	uint32_t box_ones;                   /* bits of BOX_CTL that must be written 1 */
	uint32_t box_accepted;               /* bits of BOX_CTL that may be written 0 or 1 and have no effect */
	uint32_t box_rst_ctrl, box_rst_ctrs; /* write-only, clear all CTLs, all counters; 0: reserved */
	bool frz_needs_en;                   /* frz_en, bit 16, exists, and frz has an effect only with it */
	uint32_t status_writable;
	uint32_t box_frz;  /* where frz is; 0: bit 8 */
	bool no_en;        /* a general counter counts as soon as its control is not 0 */
	bool fixed_halves; /* the fixed counter counts every second cycle */
};

/* Registers of the UBOX that report the number of its socket. */
struct unc_sim_ubox {
	uint8_t node_id, node_map; /* offsets */
};

/* The global freeze register of a socket. */
struct unc_sim_freeze {
	uint32_t msr; /* 0: there is none */
	uint64_t frz_all, unfrz_all, writable;
};

/* Bits for the processors that something applies to. */
enum unc_sim_on {
	UNC_SIM_ON_SNBEP = 1,
	UNC_SIM_ON_IVT = 2,
	UNC_SIM_ON_HSX = 4,
	UNC_SIM_ON_BDX = 8,
	UNC_SIM_ON_SKX = 16,
	UNC_SIM_ON_BDXDE = 32,
	UNC_SIM_ON_CLX = 64,
	UNC_SIM_ON_CPX = 128,
	UNC_SIM_ON_ICX = 256,
	UNC_SIM_ON_SPR = 512,
	UNC_SIM_ON_ZEN2 = 1024,
	UNC_SIM_ON_ZEN3 = 2048,
	UNC_SIM_ON_ZEN4 = 4096,
	UNC_SIM_ON_ZEN5 = 8192,
	UNC_SIM_ON_DUMP = 16384,
	UNC_SIM_ON_GNR = 32768,
	UNC_SIM_ON_ZEN1 = 65536,
	UNC_SIM_ON_CLIENT = 131072,
	UNC_SIM_ON_POWER = 262144,
	UNC_SIM_ON_FIRST = UNC_SIM_ON_SNBEP | UNC_SIM_ON_IVT,
	UNC_SIM_ON_BROADWELLS = UNC_SIM_ON_BDX | UNC_SIM_ON_BDXDE,
	UNC_SIM_ON_SKYLAKES = UNC_SIM_ON_SKX | UNC_SIM_ON_CLX | UNC_SIM_ON_CPX,
	UNC_SIM_ON_LAKES = UNC_SIM_ON_ICX | UNC_SIM_ON_SPR | UNC_SIM_ON_GNR,
	UNC_SIM_ON_OLD_ZENS = UNC_SIM_ON_ZEN1 | UNC_SIM_ON_ZEN2 | UNC_SIM_ON_ZEN3,
	UNC_SIM_ON_NEW_ZENS = UNC_SIM_ON_ZEN4 | UNC_SIM_ON_ZEN5, /* with PerfMonV2 */
	UNC_SIM_ON_ZENS = UNC_SIM_ON_OLD_ZENS | UNC_SIM_ON_NEW_ZENS,
	UNC_SIM_ON_LATER = UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS | UNC_SIM_ON_SKYLAKES,
	UNC_SIM_ON_ALL = UNC_SIM_ON_FIRST | UNC_SIM_ON_LATER,
};

struct unc_sim_model {
	const char *name, *title; /* "skx", "Skylake-SP" */
	enum unc_sim_on on;       /* bit of this model */
	uint32_t signature;       /* family, model and stepping: leaf 1 EAX, and with AMD leaf 80000001 */
	const char *brand;        /* leaves 80000002 to 80000004: up to 48 characters */
	unsigned sockets;         /* default of sockets= */
	unsigned cores;           /* of the real part, the default of cores= */
	unsigned threads;
	enum unc_sim_vendor vendor;
	enum unc_sim_apic apic;
	unsigned apic_shift;   /* lowest shift of an APIC id to the package; more cores may need a larger one */
	unsigned l3_cores;     /* cores of the real part that share one L3; 0: all of a package */
	unsigned l3_core_bits; /* UNC_SIM_APIC_BY_L3: least bits of an APIC id for the cores of an L3 */
	bool qm_of_l3;         /* the default of qm_scope=: CPUs that share an L3 share IA32_QM_EVTSEL */
	unsigned dies;         /* of a package, each with a data fabric and NUMA node of its own; 0: one */
	unsigned umcs;         /* AMD: bit for each UMC with memory, the default of umcs=; 0: UMCs have no counters */
	bool has_snc;          /* has sub-NUMA clustering, and the register for its RMIDs */
	unsigned ticks_per_cycle; /* ticks of a DCLK cycle: see sim/curve.h */
	/* Registers that each channel has; NULL: none, as none is modelled, or others count for it (sim/amd.c). */
	const struct unc_sim_pmon *pmon;
	const struct unc_sim_nest *nest; /* POWER: what its microcode counts (sim/nest.h); NULL: another processor */
	const struct unc_sim_memory *memory; /* NULL: its registers are in PCI configuration space */
	struct unc_sim_ubox ubox;
	struct unc_sim_freeze freeze;
	const struct unc_sim_rdt *rdt; /* NULL: none */
	uint64_t l3_bytes;             /* of one L3 */
	uint64_t tsc_hz;
	const struct unc_sim_leaf *leaves;
	size_t n_leaves;
	const struct unc_sim_model *like; /* model whose leaves are used where this one has none; NULL: no other */
	/* The 256 PCI buses of a domain are shared out among its sockets; each has at most 256 / bus_shares of them. */
	unsigned bus_shares;
	int16_t buses[UNC_SIM_SLOTS]; /* where in a socket's share each is; below 0: from its end */
	const uint8_t (
		*buses_of_two)[UNC_SIM_SLOTS]; /* of each socket, where a domain has up to two; NULL: as of more */
	unsigned config_bytes;                 /* configuration space of each function: 256, or 4096 with PCI Express */
	const struct unc_sim_function *functions; /* channels are in the order of their numbers */
	size_t n_functions;
	const struct unc_sim_event *events; /* sorted by code and umask */
	size_t n_events;
	const struct unc_sim_sum *sums;
	size_t n_sums;
};

extern const struct unc_sim_model unc_sim_snbep, unc_sim_ivt, unc_sim_hsx, unc_sim_bdx, unc_sim_bdxde, unc_sim_skx,
	unc_sim_clx, unc_sim_cpx, unc_sim_icx, unc_sim_icxd, unc_sim_snr, unc_sim_spr, unc_sim_sprhbm, unc_sim_emr,
	unc_sim_gnr, unc_sim_gnrd, unc_sim_srf, unc_sim_grr, unc_sim_cwf, unc_sim_zen1, unc_sim_zen2, unc_sim_zen3,
	unc_sim_zen4, unc_sim_zen5, unc_sim_skl, unc_sim_tgl, unc_sim_adl, unc_sim_mtl, unc_sim_p9, unc_sim_p10;

/* NULL: there is no model of that name. */
const struct unc_sim_model *unc_sim_model_find(const char *name);
/* NULL beyond the last. */
const struct unc_sim_model *unc_sim_model_at(size_t i);

/* Returns the PCI bus in that slot of a socket, and its domain. */
uint8_t unc_sim_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain);

uint64_t unc_sim_dclk_hz(const struct unc_sim_model *model);
/* Returns the rate of an event with UNC_SIM_CONSTANT. */
uint64_t unc_sim_constant_hz(const struct unc_sim_model *model, size_t event);

/* Returns the event of that name, or NULL. */
const struct unc_sim_event *unc_sim_event_find(const struct unc_sim_model *model, const char *name);
const struct unc_sim_sum *unc_sim_sum_find(const struct unc_sim_model *model, const char *name);
/* Returns the length of the event's name up to the dot, that is, without its sub-event. */
size_t unc_sim_event_base_len(const struct unc_sim_event *event);
/* Returns the first event of that code, or NULL; its sub-events follow. */
const struct unc_sim_event *unc_sim_event_of(const struct unc_sim_model *model, uint8_t code);
/*
 * Finds the events that a control with this code and umask counts together: at most UNC_SIM_PARTS indices
 * (sim/curve.h). Returns how many there are.
 */
size_t unc_sim_select(const struct unc_sim_model *model, uint8_t code, uint8_t umask, size_t *ret_events);

#endif
