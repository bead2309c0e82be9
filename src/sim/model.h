/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a model of processor is, as tables: its PCI functions, its events, what CPUID answers. */
#ifndef UNC_SIM_MODEL_H
#define UNC_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/host.h"

enum {
	UNC_SIM_SOCKETS_MAX = 8,
	UNC_SIM_CHANNELS_MAX = 8, /* a socket */
	UNC_SIM_CORES_MAX = 128,  /* a socket; more than most of these processors have, to try large machines */
	UNC_SIM_THREADS_MAX = 2,  /* a core */
	UNC_SIM_CPUS_MAX = UNC_SIM_SOCKETS_MAX * UNC_SIM_CORES_MAX * UNC_SIM_THREADS_MAX,
	UNC_SIM_L3S_MAX = 128,    /* of the machine; with sub-NUMA clustering the parts of them */
	UNC_SIM_RMIDS_MAX = 4096, /* 12 bits */
};

struct unc_sim_options;

/* How a function's registers from 0x40 on behave; UNC_SIM_OTHER: it is there, and what it does is not modelled. */
enum unc_sim_kind { UNC_SIM_UBOX, UNC_SIM_IMC, UNC_SIM_OTHER };

struct unc_sim_function {
	uint8_t slot; /* which of a socket's buses: the model's bus() */
	uint8_t dev, fn;
	uint16_t device_id;
	uint32_t class_code; /* 24 bits */
	uint8_t revision;
	enum unc_sim_kind kind;
	unsigned imc, channel; /* UNC_SIM_IMC */
};

/* What bytes per second of a load turn into. */
enum unc_sim_from { UNC_SIM_FROM_EVENTS, UNC_SIM_FROM_READ, UNC_SIM_FROM_WRITE };

enum unc_sim_event_flags {
	UNC_SIM_RANKS = 1,    /* the umask picks one rank; ranks are never added */
	UNC_SIM_CONSTANT = 2, /* DCLK itself: no load changes it */
	UNC_SIM_NUMBER = 4,   /* the umask is the number of one sub-event, not a bit for each */
	UNC_SIM_AGAIN = 8,    /* the same occurrences as those of other sub-events, divided in another way */
};

struct unc_sim_event {    /* an event, or one sub-event of it */
	const char *name; /* as in load files */
	uint8_t code;
	uint8_t umask;   /* this sub-event's bit; 0: the event has no sub-events.  UNC_SIM_NUMBER: its number */
	uint8_t max_inc; /* the most that a DCLK cycle can add to a counter */
	uint8_t clocks;  /* how many DCLK cycles the data bus needs for each; 0: it does not carry them */
	uint8_t flags;
	enum unc_sim_from from; /* if the load gives bytes per second ... */
	uint16_t whole, less;   /* ... its share of them: see struct unc_sim_part */
};

/* A name for several sub-events of one event together, or another name of one. */
struct unc_sim_sum {
	const char *name;
	uint8_t code, umask;
	uint8_t first, n; /* UNC_SIM_NUMBER: this umask stands for n sub-events from first on; n 0: bits */
};

/* One register set of CPUID as read on such a processor. */
struct unc_sim_leaf {
	uint32_t leaf, subleaf;
	struct unc_cpuid_regs regs;
};

/* Whose rules CPUID and the registers of monitoring follow. */
enum unc_sim_vendor { UNC_SIM_INTEL, UNC_SIM_AMD, UNC_SIM_HYGON };

/* How APIC ids count the cores of a package: sim/cpus.c. */
enum unc_sim_apic {
	UNC_SIM_APIC_GROUPS, /* in groups of up to eight, holes between them */
	UNC_SIM_APIC_DENSE,  /* one behind the other */
	UNC_SIM_APIC_BY_L3,  /* each L3's from a power of two on */
};

/* Cache and bandwidth monitoring, and allocation. */
struct unc_sim_rdt {
	unsigned max_rmid;
	uint32_t upscale; /* bytes per unit of IA32_QM_CTR */
	unsigned events;  /* bit 0 occupancy, 1 total bandwidth, 2 local bandwidth; 0: no monitoring */
	unsigned width;   /* bits of the bandwidth counters */
	unsigned n_clos;
};

/* Where the registers of a channel differ between generations: sim/imc.c. */
struct unc_sim_pmon {
	uint32_t ctl_writable;               /* bits of a CTL that can be written and read back */
	uint32_t ctl_rst;                    /* write-only, clears the paired counter; 0: there is none */
	uint32_t fixed_writable;             /* of FIXED_CTL */
	uint32_t box_ones;                   /* bits of BOX_CTL that must be written 1 */
	uint32_t box_accepted;               /* bits of BOX_CTL that may be written 0 or 1 and do nothing */
	uint32_t box_rst_ctrl, box_rst_ctrs; /* write-only, clear all CTLs, all counters; 0: reserved */
	bool frz_needs_en;                   /* there is frz_en, bit 16, and frz acts only with it */
	uint32_t status_writable;
};

/* Where the UBOX tells what socket this is. */
struct unc_sim_ubox {
	uint8_t node_id, node_map; /* offsets */
};

/* The global freeze register of a socket. */
struct unc_sim_freeze {
	uint32_t msr; /* 0: none */
	uint64_t frz_all, unfrz_all, writable;
};

/* Which processors something is on. */
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
	UNC_SIM_ON_FIRST = UNC_SIM_ON_SNBEP | UNC_SIM_ON_IVT,
	UNC_SIM_ON_BROADWELLS = UNC_SIM_ON_BDX | UNC_SIM_ON_BDXDE,
	UNC_SIM_ON_SKYLAKES = UNC_SIM_ON_SKX | UNC_SIM_ON_CLX | UNC_SIM_ON_CPX,
	UNC_SIM_ON_LAKES = UNC_SIM_ON_ICX | UNC_SIM_ON_SPR,
	UNC_SIM_ON_ZENS = UNC_SIM_ON_ZEN2 | UNC_SIM_ON_ZEN3 | UNC_SIM_ON_ZEN4 | UNC_SIM_ON_ZEN5,
	UNC_SIM_ON_LATER = UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS | UNC_SIM_ON_SKYLAKES,
	UNC_SIM_ON_ANY = 0x7fffffff, /* exists() says whether */
	UNC_SIM_ON_ALL = UNC_SIM_ON_FIRST | UNC_SIM_ON_LATER,
};

struct unc_sim_model {
	const char *name;
	enum unc_sim_on on; /* which of them it is: one bit */
	unsigned sockets;   /* if sockets= does not say otherwise */
	unsigned cores;     /* of the real part; cores= may say otherwise */
	unsigned threads;
	enum unc_sim_vendor vendor;
	enum unc_sim_apic apic;
	unsigned apic_shift;      /* an APIC id >> this is the package, if that is enough for the cores there are */
	unsigned l3_cores;        /* of the real part, that share one L3; 0: all of a package do */
	unsigned l3_core_bits;    /* UNC_SIM_APIC_BY_L3: of an APIC id, for the cores of an L3, if that is enough */
	bool has_snc;             /* sub-NUMA clustering, and the register for its RMIDs */
	unsigned ticks_per_cycle; /* of DCLK: see sim/curve.h */
	const struct unc_sim_pmon *pmon; /* NULL: of this processor no memory channels are modelled */
	struct unc_sim_ubox ubox;
	struct unc_sim_freeze freeze;
	const struct unc_sim_rdt *rdt; /* NULL: none */
	uint64_t l3_bytes;             /* of one L3 */
	uint64_t tsc_hz;
	const struct unc_sim_leaf *leaves;
	size_t n_leaves;
	const struct unc_sim_model *like; /* which answers the leaves that are not among these; NULL: none does */
	/* The PCI bus in that slot of a socket. */
	void (*bus)(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		    uint8_t *ret_bus);
	unsigned config_bytes;                    /* of each function: 256, or 4096 with PCI Express */
	const struct unc_sim_function *functions; /* channels in the order of their numbers */
	size_t n_functions;
	const struct unc_sim_event *events; /* by code and umask */
	size_t n_events;
	const struct unc_sim_sum *sums;
	size_t n_sums;
};

extern const struct unc_sim_model unc_sim_snbep, unc_sim_ivt, unc_sim_hsx, unc_sim_bdx, unc_sim_bdxde, unc_sim_skx,
	unc_sim_clx, unc_sim_cpx, unc_sim_icx, unc_sim_spr, unc_sim_zen2, unc_sim_zen3, unc_sim_zen4, unc_sim_zen5;

/* NULL: none of that name. */
const struct unc_sim_model *unc_sim_model_find(const char *name);
/* NULL beyond the last. */
const struct unc_sim_model *unc_sim_model_at(size_t i);

uint64_t unc_sim_dclk_hz(const struct unc_sim_model *model);

/* The event of that name, or NULL. */
const struct unc_sim_event *unc_sim_event_find(const struct unc_sim_model *model, const char *name);
const struct unc_sim_sum *unc_sim_sum_find(const struct unc_sim_model *model, const char *name);
/* The event as people write it without its sub-event: the length of the name up to the dot. */
size_t unc_sim_event_base_len(const struct unc_sim_event *event);
/* The first event of that code, or NULL; its sub-events follow. */
const struct unc_sim_event *unc_sim_event_of(const struct unc_sim_model *model, uint8_t code);
/*
 * The events that a control with this code and umask counts together: at most UNC_SIM_PARTS indices (sim/stream.h).
 * Returns how many.
 */
size_t unc_sim_select(const struct unc_sim_model *model, uint8_t code, uint8_t umask, size_t *ret_events);

#endif
