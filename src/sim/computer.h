/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internals of one simulated machine, and one cycle on its PCI configuration space. */
#ifndef UNC_SIM_COMPUTER_H
#define UNC_SIM_COMPUTER_H

#include "sim/load.h"
#include "sim/state.h"

/* A PCI function at its address. */
struct unc_sim_place {
	struct unc_addr addr;
	const struct unc_sim_function *function;
	unsigned socket;
	size_t channel; /* with UNC_SIM_IMC: index in the load and in the state */
	bool hidden;
	const struct unc_sim_gone *gone;     /* when it reads all ones, or NULL; owned by the options */
	const struct unc_sim_faults *faults; /* of its channel or UBOX; NULL: no defect; owned by the machine */
};

struct unc_sim {
	struct unc_host host; /* must be first: the host is cast to this */
	struct unc_sim_options options;
	struct unc_fault fault; /* shared by all buses of this opener */
	struct unc_sim_load load;
	struct unc_sim_store store;
	struct unc_sim_place *places; /* sorted by address; owned */
	size_t n_places;
	struct unc_sim_cpu *cpus; /* by number; owned */
	size_t n_cpus;
	struct unc_sim_cache *caches; /* owned */
	size_t n_caches;
	const struct unc_sim_cpu **of_share; /* the CPUs, sorted by struct unc_sim_share; owned */
	size_t *share_begin;                 /* where each share begins in of_share, and the end of the last; owned */
	size_t n_shares;
	size_t share_bytes;         /* size of one share's state, with its RMIDs */
	bool has_abmc, mbm_erratum; /* has assigned counters; has the erratum, unless mbm_erratum= says otherwise */
	bool mbm_corrected;         /* Linux believes that it has the erratum, and corrects its counts */
	struct unc_sim_group groups[UNC_SIM_GROUPS]; /* of resctrl, the first is the root group; owned by the options */
	size_t n_groups;                             /* 0: it is not mounted */
	uint64_t evtsel_writes;                      /* writes of IA32_QM_EVTSEL by this opener */
	struct unc_sim_channel_set empty, pmem; /* channels without memory, and with a module of persistent memory */
	size_t merged;                          /* how many changes of traffic are in the curves of the load */
	unsigned nest_reads;                    /* of areas, by this opener */
	struct unc_sim_command {                /* the last one that the microcode of a chip was given */
		uint64_t command;               /* 1: run, 2: pause; 0: none was given */
		uint64_t taken_ns, ran_ns;      /* when it takes it, and for how long updates had come then */
		bool ran;                       /* it ran until then */
	} nest_commands[UNC_SIM_SOCKETS_MAX];
	bool has_traffic;                               /* this opener makes traffic */
	uint32_t traffic;                               /* the number of this opener's traffic */
	uint64_t perf_events[UNC_SIM_PERF_EVENTS / 64]; /* bit i: this opener has event i of the kernel open */
	struct unc_sim_accumulator *sums;               /* one accumulator for each RMID, used by sim/llc.c; owned */
	struct unc_sim_faults *faults;                  /* one for each channel; NULL: no defect; owned */
	struct unc_sim_faults *df_faults;               /* likewise, for the data fabric of each node; owned */
	struct unc_sim_stuck *stuck;                    /* stuck bits of MSRs; owned */
	size_t n_stuck;
	struct unc_sim_qm_faults qm_faults;
	unsigned ubox_reports[UNC_SIM_SOCKETS_MAX];             /* which socket's number its UBOX reports */
	struct unc_sim_faults ubox_faults[UNC_SIM_SOCKETS_MAX]; /* only their stuck bits are used */
};

struct unc_sim_accumulator {
	unc_sim_wide total, local, wanted;
};

/*
 * The lock must be held around everything that reads or changes the state or the load. unc_sim_lock() first does what
 * the kernel has done by itself until now.
 */
void unc_sim_lock(struct unc_sim *sim);
void unc_sim_unlock(struct unc_sim *sim);

/*
 * Makes the logical CPUs, with those of offline= marked, and the L3s. UNC_EARG: offline= names a CPU that does not
 * exist, or all of them; UNC_ENOMEM.
 */
int unc_sim_cpus_init(struct unc_sim *sim);
/* Returns which struct unc_sim_share of the state counts for this CPU. */
unsigned unc_sim_share_of(const struct unc_sim *sim, const struct unc_sim_cpu *cpu);
struct unc_sim_share *unc_sim_share_at(const struct unc_sim *sim, unsigned share);
/* Returns the node of a socket that has this memory controller; the first CPU of a node, or 0 where it has none. */
unsigned unc_sim_node_of(const struct unc_sim *sim, unsigned socket, unsigned imc);
unsigned unc_sim_cpu_of_node(const struct unc_sim *sim, unsigned node);
/* UNC_ENODEV: no such CPU, or it is offline. */
int unc_sim_cpu_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu);
/* Returns how many bits it takes to number n items. */
unsigned unc_sim_bits_of(unsigned n);
void unc_sim_cpuid(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		   struct unc_cpuid_regs *ret_regs);

/* Finds out whether the machine has what mbm_erratum= and abmc= are about. UNC_EARG: a key asks for one that it does not have. */
int unc_sim_quirks_init(struct unc_sim *sim);

/* Returns whether that channel, by its index in the load, has no memory. */
static inline bool unc_sim_is_empty(const struct unc_sim *sim, size_t channel)
{
	return sim->empty.has[channel / 64] >> channel % 64 & 1;
}
/* And whether a module of persistent memory is installed. */
static inline bool unc_sim_has_pmem(const struct unc_sim *sim, size_t channel)
{
	return sim->pmem.has[channel / 64] >> channel % 64 & 1;
}

/*
 * Stops all traffic of the channels of empty=, and gives those of pmem= the default one of a module; the load must be
 * there. UNC_EARG: one of the two names no channel; UNC_ENOMEM.
 */
int unc_sim_channels_init(struct unc_sim *sim);

/*
 * Makes the functions of the machine, with hide=, allones= and vanish= marked. UNC_EARG: one of these names no
 * function; UNC_ENOMEM.
 */
int unc_sim_places_init(struct unc_sim *sim);
/* Finds a function, even a hidden one. NULL: there is no such function. */
struct unc_sim_place *unc_sim_place_find(const struct unc_sim *sim, const struct unc_addr *addr);
/* Finds a channel such as "socket0.imc0.ch1". NULL: there is no such channel. */
const struct unc_sim_place *unc_sim_channel_named(const struct unc_sim *sim, const char *where);

/* UNC_ENODEV: there is no such function, or it is hidden. */
int unc_sim_place_reach(struct unc_sim *sim, const struct unc_addr *addr, const struct unc_sim_place **ret_place);

/*
 * One configuration cycle on an aligned dword, at its own time. enabled has 1 in all bits of the bytes that the cycle
 * carries (byte enables); a dword has all of them.
 */
struct unc_sim_cycle {
	struct unc_sim *sim;
	const struct unc_sim_place *place;
	uint32_t off;
	uint32_t value; /* the written value; 0 where not enabled */
	uint32_t enabled;
	uint64_t t_ns;
	bool by_kernel; /* made by the machine's own kernel; its writes are never violations */
};

/*
 * Transfers bytes at any offset in the cycles into which Linux splits an access (pci_read_config, pci-sysfs.c): a byte at an
 * odd offset, a word up to a dword boundary if more than one byte is left, then dwords, then a word, then a byte. It is a write if
 * out is not NULL, else a read to in. Each cycle takes the lock and has its own time. UNC_EPERM: a write, and lockdown=1.
 */
int unc_sim_config_access(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, char *in,
			  const char *out, size_t len);

/* Take the lock and return the time of an access; let its time pass and release the lock. */
uint64_t unc_sim_access_begin(struct unc_sim *sim);
void unc_sim_access_end(struct unc_sim *sim);
/* Do the cycle alone: the caller holds the lock, and no time passes. */
uint32_t unc_sim_cycle_read(const struct unc_sim_cycle *cycle);
void unc_sim_cycle_write(const struct unc_sim_cycle *cycle);

uint32_t unc_sim_imc_read(const struct unc_sim_cycle *cycle);
void unc_sim_imc_write(const struct unc_sim_cycle *cycle);
/* Stops all channels of a socket, whatever their BOX_CTL says, or releases them. The caller holds the lock. */
void unc_sim_imc_freeze_all(struct unc_sim *sim, unsigned socket, bool frozen_global, uint64_t t_ns);

uint32_t unc_sim_m2m_read(const struct unc_sim_cycle *cycle);
void unc_sim_m2m_write(const struct unc_sim_cycle *cycle);
/* The global freeze of the socket is changed.  The caller holds the lock. */
void unc_sim_m2m_freeze(const struct unc_sim_cycle *cycle, bool frozen_global);

/* Returns the counter that this dword is half of (the high half where bit 2 of off is set), or -1. */
int unc_sim_imc_counter_at(uint32_t off);

/*
 * Returns the counts from the machine's start to the cycle's time that a counter of its channel would have with this control, as if
 * it had always run.
 */
uint64_t unc_sim_imc_arrived(const struct unc_sim_cycle *cycle, uint32_t ctl);

/*
 * In sim/memory.c: one load or store of 1, 2, 4 or 8 bytes at a physical address; returns what a load reads, for which value is 0.
 * Where there are no registers, the memory of the sockets reads 0 and everything else all ones.
 */
uint64_t unc_sim_memory_access(struct unc_sim *sim, uint64_t address, unsigned width, bool write, uint64_t value);
/* Of one socket: MMIO_BASE counts in 8 MiB. */
#define UNC_SIM_SOCKET_BYTES (UINT64_C(1) << 23)
/* Returns the address at which the registers of a socket begin. */
uint64_t unc_sim_memory_base(const struct unc_sim *sim, unsigned socket);
/* Reads the function that tells where the registers of its socket are. The caller holds the lock. */
uint32_t unc_sim_base_read(const struct unc_sim_cycle *cycle);
bool unc_sim_is_ram(uint64_t address);
/* Writes /proc/iomem. */
void unc_sim_iomem_text(const struct unc_sim *sim, char *buf, size_t size);

/* UNC_EARG: the state file holds impossible values. */
int unc_sim_state_check(struct unc_sim *sim);

/* Records a write that broke a rule; that this one broke the rule with these bits. */
void unc_sim_violated(struct unc_sim *sim, const struct unc_sim_broken *broken);
void unc_sim_violate(const struct unc_sim_cycle *cycle, enum unc_sim_rule rule, uint32_t wrong);

/* UNC_ENODEV: no such CPU, it is offline, or its file has vanished. */
int unc_sim_msr_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu);
/* Accesses an MSR as the msr driver does, without the faults of fail=. UNC_EIO, UNC_EPERM, UNC_ENODEV: as in sim.h. */
int unc_sim_msr_access(struct unc_sim *sim, unsigned cpu, uint32_t number, bool write, uint64_t *value);
/* The machine was without power: gives all MSRs their reset values and empties the caches. The caller holds the lock. */
void unc_sim_msr_reset(struct unc_sim *sim, uint64_t t_ns);

/* Converts machine time to UNC_CLOCK_RAW. */
uint64_t unc_sim_raw_at(const struct unc_sim *sim, uint64_t t_ns);

/* unc_host_ops.bus_open, in sim/bus.c. */
int unc_sim_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);

/* As unc_fail(), with "sim:MODEL: " in front of the sentence. */
#define unc_sim_fail(sim, err, ...)                                                                                    \
	unc_wrap((sim)->host.ctx, unc_fail((sim)->host.ctx, err, __VA_ARGS__), "sim:%s", (sim)->options.model->name)
/* Returns NULL when the host is not a simulated machine. */
struct unc_sim *unc_sim_of(struct unc_host *host);
/* Fails for such a host. It is inline so that readers and static analysis see that it never succeeds. */
static inline int unc_sim_none(struct unc_host *host)
{
	return unc_fail(host->ctx, UNC_EARG, "this is not a simulated machine");
}

/* What now_ns() of UNC_CLOCK_RAW returns at machine time 0 with clock=step. */
#define UNC_SIM_RAW_AT_START_NS UINT64_C(1000000000000)

/*
 * In sim/kernel_files.c: unc_host_ops.look() of what the kernel reports about itself, and of tables of the firmware. On entry *found
 * is what files= has there, data NULL: nothing; a text and names are added to that. UNC_ENODEV, without a sentence: the kernel has
 * nothing to add; UNC_ERANGE, UNC_ENOMEM: *found has been freed.
 */
int unc_sim_kernel_look(struct unc_sim *sim, enum unc_look what, const char *path, size_t max,
			struct unc_os_found *found);

#endif
