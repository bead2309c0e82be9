/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of a simulated machine that changes, in one piece of memory of fixed layout, which can be a file shared by
 * several openers.  No pointers in it.
 */
#ifndef UNC_SIM_STATE_H
#define UNC_SIM_STATE_H

#include "base/os.h"
#include "sim/curve.h"
#include "sim/model.h"
#include "sim/options.h"

enum {
	UNC_SIM_VIOLATIONS_KEPT = 64,
	UNC_SIM_CTRS = 4,
	UNC_SIM_QM_EVENTS = 3,
	UNC_SIM_BANDWIDTHS = 2,   /* of these the latter two: total, local */
	UNC_SIM_MSRS_OF_CPU = 64, /* registers with memory: the tables of sim/msr.h */
	UNC_SIM_MSRS_OF_L3 = 96,
	UNC_SIM_MSRS_OF_PACKAGE = 752,
	UNC_SIM_TRAFFICS = 1024,   /* that a machine remembers */
	UNC_SIM_PERF_EVENTS = 512, /* of its kernel, open at once */
	UNC_SIM_GROUPS = 16,       /* of resctrl, with the root group */
};

/* One iMC channel's PMON registers, as far as they have memory. */
struct unc_sim_imc {
	uint64_t since_ns;          /* when the counters below held these values */
	uint64_t ctr[UNC_SIM_CTRS]; /* 48 bits */
	uint64_t fixed_ctr;         /* 48 bits */
	uint32_t ctl[UNC_SIM_CTRS]; /* writable bits only */
	uint32_t fixed_ctl;
	uint32_t box_ctl;
	uint32_t box_status;
	uint32_t frozen_global; /* by the socket's global freeze register */
	uint32_t ctl_lost;      /* bit i: the last write of CTL[i] was, as ctl_writes=twice has it */
	uint32_t zero;
	uint64_t reads, writes;         /* with defect=ones and drops: how many dwords there were */
	uint64_t ran[UNC_SIM_COUNTERS]; /* with defect=freeze-loses: counts since it was stopped or written */
};

/* One RMID on one L3: sim/qm.h.  Bytes, as of the last change there. */
struct unc_sim_rmid {
	unc_sim_wide total, local; /* moved; 64 bits would wrap, and a quotient of them not go on */
	unc_sim_wide
		from[UNC_SIM_BANDWIDTHS]; /* AMD: what counters would have had when they began at 0: to be subtracted */
	uint64_t occupancy;
	uint64_t target;                     /* what its CPUs want, from then on */
	uint32_t refused[UNC_SIM_QM_EVENTS]; /* how often QM_CTR gave no data, by event, as qm= has it */
	uint16_t tracked;                    /* AMD: a CPU has carried it since the machine was reset */
	uint16_t unread;                     /* AMD: bit for each event: not read since it is tracked */
	uint64_t peak;                       /* with defect=never-falls: the most that it ever had */
};

/* An L3 as its RMIDs share it; with sub-NUMA clustering one node's part of it, which keeps accounts of its own. */
struct unc_sim_share {
	uint64_t changed_ns;                      /* the last change */
	uint64_t change_ns;                       /* the next step of what a CPU wants; 0: not started */
	uint64_t surplus;                         /* of all RMIDs above their targets */
	uint64_t carried[UNC_SIM_RMIDS_MAX / 64]; /* a bit for each RMID that a CPU ever had: of the others all is 0 */
	struct unc_sim_rmid rmids[];
};

/* Of the largest there can be. */
#define UNC_SIM_SHARE_BYTES (sizeof(struct unc_sim_share) + (UNC_SIM_RMIDS_MAX + 1) * sizeof(struct unc_sim_rmid))

struct unc_sim_selector { /* IA32_QM_EVTSEL */
	uint64_t evtsel;
	uint32_t refused, zero; /* with qm=slow: how often QM_CTR gave no data since it was written */
};

/* The registers of an L3. */
struct unc_sim_l3 {
	struct unc_sim_selector selector;        /* with qm_scope=package */
	uint32_t bandwidths[UNC_SIM_BANDWIDTHS]; /* AMD: what they count, as it differs from the default: sim/bmec.c */
	uint64_t msrs[UNC_SIM_MSRS_OF_L3];       /* as those of struct unc_sim_thread */
};

/* A logical CPU. */
struct unc_sim_thread {
	uint64_t pqr_assoc;
	struct unc_sim_selector selector;
	uint64_t msrs[UNC_SIM_MSRS_OF_CPU]; /* as sim/msr.h keeps them: 0 is the reset value */
};

struct unc_sim_package {
	uint32_t frozen;                        /* by the global freeze register */
	uint32_t snc_sharing;                   /* RMID_SNC_CONFIG bit 0 is 0 */
	uint64_t msrs[UNC_SIM_MSRS_OF_PACKAGE]; /* likewise */
};

/* Traffic that was made on purpose: sim/traffic.h.  Rates in millionths of bytes per second. */
struct unc_sim_traffic {
	uint64_t from_ns, until_ns;      /* machine time; UINT64_MAX: it is being made */
	uint64_t channel_rate, cpu_rate; /* what instructions move, of each channel's memory, and by each CPU */
	uint64_t occupancy;              /* bytes that each CPU wants of the cache for it */
	uint32_t kind, node, n_cpus, zero;
	uint64_t cpus[UNC_SIM_CPUS_MAX / 64]; /* a bit for each that makes it */
};

/* An event of the kernel's, as its driver keeps it: sim/perf.h. */
struct unc_sim_perf_event {
	uint64_t order; /* in the list of its channel the lowest comes first; 0: this one is free */
	uint64_t prev;  /* what the counter held when it was last looked at */
	uint64_t count;
	uint64_t enabled_ns, running_ns; /* until it was last switched off, or had to wait */
	uint64_t on_ns, runs_ns;         /* machine time: since when it is on, and has a counter */
	uint32_t place;                  /* index of the function */
	uint32_t ctl;                    /* what its control holds, without the enable */
	uint8_t on, fixed;
	uint8_t slot; /* its counter, from 1; 0: none */
	uint8_t zeros[5];
};

/* What the driver has to do at a channel at a time of the machine; 0: nothing. */
struct unc_sim_perf_box {
	uint64_t rotates_ns; /* not all events have a counter: then the next ones' turn begins */
	uint64_t moves_ns;   /* all events get another counter */
	uint64_t polls_ns;   /* counters are read before they wrap */
	uint32_t moved;      /* they have got one */
	uint32_t place;      /* index of the function */
};

struct unc_sim_perf {
	uint64_t due_ns; /* the first of all these times; 0: none */
	uint64_t orders; /* so many were given */
	uint32_t loaded; /* the driver has set up the channels */
	uint32_t n;      /* events behind these were never in use */
	struct unc_sim_perf_box boxes[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	struct unc_sim_perf_event events[UNC_SIM_PERF_EVENTS];
};

/* What the kernel has counted of a group's bandwidth on an L3, total or local: sim/resctrl.h.  Units of IA32_QM_CTR. */
struct unc_sim_mbm {
	uint64_t prev; /* what was read last */
	uint64_t units;
};

struct unc_sim_resctrl {
	uint64_t due_ns;      /* when bandwidth is read the next time; 0: never */
	uint64_t fingerprint; /* of the groups; 0: not mounted */
	uint32_t rmids[UNC_SIM_GROUPS];
	uint32_t n_groups, zero;
	struct unc_sim_mbm mbm[UNC_SIM_GROUPS][UNC_SIM_L3S_MAX][UNC_SIM_BANDWIDTHS];
};

/* Which rule a write broke. */
enum unc_sim_rule {
	UNC_SIM_RESERVED,     /* a bit that must be written 0 was written 1 */
	UNC_SIM_MUST_BE_1,    /* a bit that must be written 1 was written 0 */
	UNC_SIM_READ_ONLY,    /* the register cannot be written */
	UNC_SIM_NO_REGISTER,  /* there is nothing at this offset */
	UNC_SIM_NEEDS_THRESH, /* edge_det or invert with thresh 0 */
	UNC_SIM_INVERT_EDGE,  /* both at once */
	UNC_SIM_ONE_RANK,     /* several ranks in one counter */
	UNC_SIM_RULES
};

struct unc_sim_broken {
	uint64_t t_ns;
	uint32_t place; /* index of the function */
	uint32_t off, value, wrong;
	uint32_t rule;
};

/* Who this is: openers of one file must agree in all of it. */
struct unc_sim_identity {
	char magic[16];
	char model[16];
	uint32_t version, bytes;
	uint32_t sockets, cores, threads, domains, l3s, snc;
	uint32_t step, frz_en_rw, reversed, qm_per_package;
	uint32_t abmc, zero;                     /* no hole in what is compared */
	uint64_t load;                           /* fingerprint of the load */
	uint64_t dump;                           /* of that of cpuid=, or 0 */
	uint64_t defects;                        /* of defect=, or 0 */
	uint64_t offline[UNC_SIM_CPUS_MAX / 64]; /* a bit for each CPU */
	uint64_t seed;
	uint32_t seeded, zeros;
	uint64_t empty; /* a bit for each channel */
};

struct unc_sim_state {
	struct unc_sim_identity identity; /* all zero: not made yet */
	uint64_t start_raw_ns;            /* clock=real: the computer's UNC_CLOCK_RAW at the start */
	uint64_t now_ns;                  /* since the start; clock=real: when somebody last looked */
	uint64_t seen_ns;                 /* when a register was accessed the last time */
	uint64_t n_violations;            /* all, also those that are not kept */
	struct unc_sim_broken violations[UNC_SIM_VIOLATIONS_KEPT];
	struct unc_sim_imc imc[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	struct unc_sim_package packages[UNC_SIM_SOCKETS_MAX];
	struct unc_sim_thread threads[UNC_SIM_CPUS_MAX];
	uint64_t suspended_ns; /* how long it was suspended in all: BOOT and REAL are ahead by that */
	struct unc_sim_l3 l3s[UNC_SIM_L3S_MAX];
	uint64_t draws;                 /* of pseudo-random numbers: sim/chance.h */
	uint64_t n_traffics, n_changes; /* so many of these are used */
	struct unc_sim_traffic traffics[UNC_SIM_TRAFFICS];
	uint32_t
		changes[2 *
			UNC_SIM_TRAFFICS]; /* in order of time: which began, twice its number, or ended, and one more */
	struct unc_sim_perf perf;
	struct unc_sim_resctrl resctrl;
	/* struct unc_sim_share, each as large as the machine needs it: unc_sim_share_at(); the rest is never used. */
	_Alignas(struct unc_sim_share) unsigned char shares[UNC_SIM_L3S_MAX * UNC_SIM_SHARE_BYTES];
};

struct unc_sim_store {
	struct unc_sim_state *state;
	struct unc_os_shared shared; /* all zero without a file: then state is owned */
};

struct unc_sim_equipment { /* what of a machine's identity is not in its options as such */
	uint64_t load;     /* its fingerprint */
	uint64_t empty;    /* a bit for each channel without memory */
};

/* used: so many bytes of the state are.  UNC_EARG: the file is of another machine, or no such file; UNC_EPERM, UNC_EIO, UNC_ENOMEM. */
int unc_sim_store_open(struct unc_ctx *ctx, const struct unc_sim_options *options, size_t used,
		       const struct unc_sim_equipment *equipment, struct unc_sim_store *ret_store);
void unc_sim_store_close(struct unc_sim_store *store);
/*
 * A file can be changed by another process at any time, also between a check and the use: a number of things, or an index, is read
 * once, and bounded.
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

/* Around everything that looks at the state or changes it: but see unc_sim_lock(). */
void unc_sim_store_lock(struct unc_sim_store *store);
void unc_sim_store_unlock(struct unc_sim_store *store);

/* Machine time in ns, and that it has passed; locked. */
uint64_t unc_sim_state_now(struct unc_sim_state *state);
/* Likewise, and a register is accessed now; or at that time, if none was since, else when one was. */
uint64_t unc_sim_state_access(struct unc_sim_state *state);
uint64_t unc_sim_state_access_at(const struct unc_sim_state *state, uint64_t t_ns);
/* clock=step; it does not go beyond UNC_SIM_TIME_MAX. */
void unc_sim_state_pass(struct unc_sim_state *state, uint64_t ns);
void unc_sim_state_violate(struct unc_sim_state *state, const struct unc_sim_broken *broken);

#endif
