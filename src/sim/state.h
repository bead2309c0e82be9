/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything of a simulated machine that changes, in one piece of memory of fixed layout, which can be a file shared by
 * several openers. It contains no pointers.
 */
#ifndef UNC_SIM_STATE_H
#define UNC_SIM_STATE_H

#include "sim/curve.h"
#include "sim/options.h"

enum {
	UNC_SIM_VIOLATIONS_KEPT = 64,
	UNC_SIM_CTRS = 4,
	UNC_SIM_QM_EVENTS = 3,
	UNC_SIM_BANDWIDTHS = 2,     /* the latter two of these events: total, local */
	UNC_SIM_ABMC_COUNTERS = 32, /* the most of an L3: L3_QOS_ABMC_CFG has five bits for their number */
	UNC_SIM_MSRS_OF_CPU = 64,   /* registers that are remembered: the tables of sim/msr.h */
	UNC_SIM_MSRS_OF_L3 = 112,
	UNC_SIM_MSRS_OF_NODE = 160,
	UNC_SIM_MSRS_OF_PACKAGE = 752,
	UNC_SIM_TRAFFICS = 1024,   /* how much traffic a machine remembers */
	UNC_SIM_PERF_EVENTS = 512, /* events of its kernel that can be open at once */
	UNC_SIM_GROUPS = 16,       /* of resctrl, including the root group */
	UNC_SIM_M2MS = 12,         /* of a socket */
	UNC_SIM_M2M_CTRS = 5,
};

/* The PMON registers of one memory channel that are remembered. */
struct unc_sim_imc {
	uint64_t since_ns;          /* time at which the counters below had these values */
	uint64_t ctr[UNC_SIM_CTRS]; /* 48 bits */
	uint64_t fixed_ctr;         /* 48 bits */
	uint32_t ctl[UNC_SIM_CTRS]; /* writable bits only */
	uint32_t fixed_ctl;
	uint32_t box_ctl;
	uint32_t box_status;
	uint32_t frozen_global; /* frozen by the socket's global freeze register */
	uint32_t ctl_lost;      /* bit i: the last write of CTL[i] was lost, with ctl_writes=twice */
	uint32_t zero;
	uint64_t reads, writes;         /* with defect=ones and drops: number of dwords read, written */
	uint64_t ran[UNC_SIM_COUNTERS]; /* with defect=freeze-loses: counts since it was last stopped or written */
};

/* The counters of one memory controller that are programmed: sim/m2m.c. */
struct unc_sim_m2m {
	uint64_t since_ns; /* as in struct unc_sim_imc */
	uint64_t ctr[UNC_SIM_M2M_CTRS], ctl[UNC_SIM_M2M_CTRS];
	uint32_t box_ctl, frozen_global;
};

/* One RMID on one L3: sim/qm.h. Bytes, as of the last change there. */
struct unc_sim_rmid {
	unc_sim_wide total, local; /* bytes moved; at 64 bits they would wrap, and their quotient would jump */
	unc_sim_wide from[UNC_SIM_BANDWIDTHS]; /* AMD: value at which counting began, to be subtracted */
	uint64_t occupancy;
	uint64_t target;                     /* what its CPUs want since then */
	uint32_t refused[UNC_SIM_QM_EVENTS]; /* for qm=, by event: reads without data, or with :alternate all */
	uint16_t tracked;                    /* AMD: a CPU has carried it since the reset */
	uint16_t unread;                     /* AMD: bit for each event that was not read since it is tracked */
	uint64_t peak;                       /* with defect=never-falls: the highest occupancy since the reset */
};

/* The accounts of an L3, which its RMIDs share; with sub-NUMA clustering those of one node's part of it. */
struct unc_sim_share {
	uint64_t changed_ns; /* time of the last change */
	uint64_t change_ns;  /* time of the next step of what a CPU wants; 0: not started */
	uint64_t surplus;    /* bytes of all RMIDs above their targets */
	/* A bit for each RMID that a CPU ever had, the last one for all that do not exist; of the others everything is 0. */
	uint64_t carried[UNC_SIM_RMIDS_MAX / 64 + 1];
	struct unc_sim_rmid rmids[];
};

/* The size of the largest possible share. */
#define UNC_SIM_SHARE_BYTES (sizeof(struct unc_sim_share) + (UNC_SIM_RMIDS_MAX + 1) * sizeof(struct unc_sim_rmid))

struct unc_sim_selector { /* IA32_QM_EVTSEL */
	uint64_t evtsel;
	uint32_t refused, zero; /* with qm=slow: how often QM_CTR gave no data since the write */
};

struct unc_sim_abmc {      /* a bandwidth counter that is assigned: sim/qm.c */
	unc_sim_wide from; /* value at which counting began, to be subtracted */
	uint64_t cfg;      /* as L3_QOS_ABMC_DSC shows it, without the counter's number */
	uint64_t unread;   /* it was not read since it was assigned */
};

/* The registers of an L3. */
struct unc_sim_l3 {
	struct unc_sim_selector selector;        /* with qm_scope=package */
	uint32_t bandwidths[UNC_SIM_BANDWIDTHS]; /* AMD: difference of what they count from the default: sim/qm.c */
	struct unc_sim_abmc abmc[UNC_SIM_ABMC_COUNTERS];
	uint64_t msrs[UNC_SIM_MSRS_OF_L3]; /* as in struct unc_sim_thread */
};

/* A logical CPU. */
struct unc_sim_thread {
	uint64_t pqr_assoc;
	struct unc_sim_selector selector;
	uint64_t abmc_cfg;
	uint64_t msrs[UNC_SIM_MSRS_OF_CPU]; /* as sim/msr.h keeps them: 0 is the reset value */
};

struct unc_sim_package {
	uint32_t frozen;                        /* frozen by the global freeze register */
	uint32_t snc_sharing;                   /* RMID_SNC_CONFIG bit 0 is 0 */
	uint64_t msrs[UNC_SIM_MSRS_OF_PACKAGE]; /* as in struct unc_sim_thread */
};

struct unc_sim_node {                        /* with AMD the CPUs of a data fabric */
	uint64_t msrs[UNC_SIM_MSRS_OF_NODE]; /* as in struct unc_sim_thread */
};

/* Traffic that was made on request: sim/traffic.h. Rates are in millionths of bytes per second. */
struct unc_sim_traffic {
	uint64_t from_ns, until_ns;      /* machine time; UINT64_MAX: it goes on */
	uint64_t channel_rate, cpu_rate; /* what instructions move, of each channel's memory, and by each CPU */
	uint64_t occupancy;              /* bytes of the cache that each CPU wants for it */
	uint32_t kind, node, n_cpus, zero;
	uint64_t cpus[UNC_SIM_CPUS_MAX / 64]; /* a bit for each CPU that makes it */
};

/* An event of the kernel, as its driver keeps it: sim/perf.h. */
struct unc_sim_perf_event {
	uint64_t order; /* position in its channel's list, lowest first; 0: this entry is free */
	uint64_t prev;  /* value of the counter when it was last read */
	uint64_t count;
	uint64_t enabled_ns, running_ns; /* times until it was last switched off, or lost its counter */
	uint64_t on_ns, runs_ns;         /* machine time since which it is on, and has a counter */
	uint32_t place;                  /* index of the function */
	uint32_t ctl;                    /* value of its control, without the enable */
	uint8_t on, fixed;
	uint8_t slot; /* its counter, from 1; 0: none */
	uint8_t zeros[5];
};

/* When the driver has to act on a channel, in machine time; 0: never. */
struct unc_sim_perf_box {
	uint64_t rotates_ns; /* events are multiplexed: next rotation */
	uint64_t moves_ns;   /* all events get another counter */
	uint64_t polls_ns;   /* counters are read before they wrap */
	uint32_t moved;      /* the events have moved to other counters */
	uint32_t place;      /* index of the function */
};

struct unc_sim_perf {
	uint64_t due_ns; /* the earliest of all these times; 0: none */
	uint64_t orders; /* highest order given so far */
	uint32_t loaded; /* the driver has set up the channels */
	uint32_t n;      /* entries from here on were never in use */
	struct unc_sim_perf_box boxes[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	struct unc_sim_perf_event events[UNC_SIM_PERF_EVENTS];
};

/* What the kernel has counted of a group's bandwidth on an L3, total or local: sim/resctrl.h. Units of IA32_QM_CTR. */
struct unc_sim_mbm {
	uint64_t prev; /* value of the last read */
	uint64_t units;
};

struct unc_sim_resctrl {
	uint64_t due_ns;      /* when bandwidth is read next; 0: never */
	uint64_t fingerprint; /* of the groups; 0: not mounted */
	uint32_t rmids[UNC_SIM_GROUPS];
	uint32_t n_groups, zero;
	struct unc_sim_mbm mbm[UNC_SIM_GROUPS][UNC_SIM_L3S_MAX][UNC_SIM_BANDWIDTHS];
};

/* The rule that a write broke. */
enum unc_sim_rule {
	UNC_SIM_RESERVED,     /* a bit that must be written 0 was written 1 */
	UNC_SIM_MUST_BE_1,    /* a bit that must be written 1 was written 0 */
	UNC_SIM_READ_ONLY,    /* the register cannot be written */
	UNC_SIM_NO_REGISTER,  /* there is no register at this offset */
	UNC_SIM_NEEDS_THRESH, /* edge_det or invert with thresh 0 */
	UNC_SIM_INVERT_EDGE,  /* edge_det and invert at the same time */
	UNC_SIM_ONE_RANK,     /* several ranks in one control */
	UNC_SIM_OTHER_WIDTH,  /* an access of another width than the register has, or across its end */
	UNC_SIM_MSR_RESERVED, /* a reserved bit of an MSR, or one for an interrupt, was written 1 */
	UNC_SIM_RULES
};

struct unc_sim_broken {
	uint64_t t_ns;
	uint64_t value, wrong;
	uint32_t place; /* index of the function, or of an MSR the number of functions plus that of the CPU */
	uint32_t off;
	uint32_t rule, zero;
};

/* The identity of a machine: all openers of one file must agree in it. */
struct unc_sim_identity {
	char magic[16];
	char model[16];
	uint32_t version, bytes;
	uint32_t sockets, cores, threads, domains, l3s, snc;
	uint32_t step, frz_en_rw, reversed, qm_per_package;
	uint32_t abmc, zero; /* fills a hole, as the struct is compared whole */
	struct unc_sim_amd amd;
	uint64_t load;                           /* fingerprint of the load */
	uint64_t dump;                           /* fingerprint of the dump of cpuid=, or 0 */
	uint64_t defects;                        /* fingerprint of defect=, or 0 */
	uint64_t offline[UNC_SIM_CPUS_MAX / 64]; /* a bit for each CPU */
	uint64_t seed;
	uint32_t seeded, zeros;
	struct unc_sim_channel_set empty, pmem;
};

struct unc_sim_state {
	struct unc_sim_identity identity; /* all zero: not made yet */
	uint64_t start_raw_ns;            /* clock=real: the computer's UNC_CLOCK_RAW at the start */
	uint64_t now_ns;                  /* since the start; clock=real: at the last use by any opener */
	uint64_t seen_ns;                 /* time of the last access to a register */
	uint64_t n_violations;            /* all of them, even those that are not kept */
	struct unc_sim_broken violations[UNC_SIM_VIOLATIONS_KEPT];
	struct unc_sim_imc imc[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	struct unc_sim_m2m m2m[UNC_SIM_SOCKETS_MAX][UNC_SIM_M2MS];
	struct unc_sim_package packages[UNC_SIM_SOCKETS_MAX];
	struct unc_sim_node nodes[UNC_SIM_NODES_MAX];
	struct unc_sim_thread threads[UNC_SIM_CPUS_MAX];
	uint64_t suspended_ns; /* total time of suspends: BOOT and REAL are ahead by it */
	struct unc_sim_l3 l3s[UNC_SIM_L3S_MAX];
	uint64_t draws;                 /* pseudo-random numbers drawn: sim/chance.h */
	uint64_t n_traffics, n_changes; /* how many entries of these arrays are used */
	struct unc_sim_traffic traffics[UNC_SIM_TRAFFICS];
	uint32_t changes[2 * UNC_SIM_TRAFFICS]; /* by time: 2 * number when traffic begins, 1 more when it ends */
	struct unc_sim_perf perf;
	struct unc_sim_resctrl resctrl;
	/* struct unc_sim_share, each as large as the machine needs it: unc_sim_share_at(); the rest is never used. */
	_Alignas(struct unc_sim_share) unsigned char shares[UNC_SIM_L3S_MAX * UNC_SIM_SHARE_BYTES];
};

struct unc_sim_store {
	struct unc_sim_state *state;
	struct unc_os_shared shared; /* all zero: no file, and state is owned */
};

/*
 * Opens the state of the machine and uses only its first used bytes. UNC_EARG: the file does not exist or is of another machine;
 * UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_sim_store_open(struct unc_sim *sim, size_t used);
void unc_sim_store_close(struct unc_sim_store *store);
/*
 * Another process can change the file at any time, even between a check and the use: so a count or an index is read
 * only once, and bounded.
 */
static inline uint64_t unc_sim_bounded(const uint64_t *number, uint64_t most)
{
	uint64_t value = __atomic_load_n(number, __ATOMIC_RELAXED);

	return value < most ? value : most;
}

static inline uint32_t unc_sim_bounded32(const uint32_t *number, uint32_t most)
{
	uint32_t value = __atomic_load_n(number, __ATOMIC_RELAXED);

	return value < most ? value : most;
}

/* Returns machine time in ns; with clock=real it is first brought up to date. The caller holds the lock. */
uint64_t unc_sim_state_now(struct unc_sim_state *state);
/* Returns the time of a register access, which is now; or at t_ns, but not before the last access. The caller holds the lock. */
uint64_t unc_sim_state_access(struct unc_sim_state *state);
uint64_t unc_sim_state_access_at(const struct unc_sim_state *state, uint64_t t_ns);
/* Lets ns pass with clock=step, but not beyond UNC_SIM_TIME_MAX. */
void unc_sim_state_pass(struct unc_sim_state *state, uint64_t ns);

#endif
