/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One simulated machine, inside; and one cycle on its PCI configuration space. */
#ifndef UNC_SIM_COMPUTER_H
#define UNC_SIM_COMPUTER_H

#include "base/err.h"
#include "sim/load.h"
#include "sim/options.h"
#include "sim/sim.h"
#include "sim/state.h"

/* A PCI function where it sits. */
struct unc_sim_place {
	struct unc_addr addr;
	const struct unc_sim_function *function;
	unsigned socket;
	size_t channel; /* UNC_SIM_IMC: index in the load and in the state */
	bool hidden;
	const struct unc_sim_gone *gone;     /* when it reads all ones, or NULL; the options' */
	const struct unc_sim_faults *faults; /* of its channel or UBOX, or NULL: nothing is wrong; the machine's */
};

struct unc_sim {
	struct unc_host host; /* first */
	struct unc_sim_options options;
	struct unc_fault fault; /* of all buses of this opener */
	struct unc_sim_load load;
	struct unc_sim_store store;
	struct unc_sim_place *places; /* sorted by address; owned */
	size_t n_places;
	struct unc_sim_cpu *cpus; /* by number; owned */
	size_t n_cpus;
	struct unc_sim_cache *caches; /* owned */
	size_t n_caches;
	const struct unc_sim_cpu **of_share; /* the CPUs, share by share: struct unc_sim_share; owned */
	size_t *share_begin;                 /* each one's first in that, and behind the last; owned */
	size_t n_shares;
	size_t share_bytes;         /* of each one's state, with as many RMIDs as it counts */
	bool has_abmc, mbm_erratum; /* it has such counters; it counts wrong, and the key does not say otherwise */
	bool mbm_corrected;         /* Linux takes it for counting wrong, and corrects that */
	uint64_t evtsel_writes;     /* of this opener */
	uint64_t empty;             /* a bit for each channel without memory */
	size_t merged;              /* so many changes of traffic are in the curves of the load */
	bool has_traffic;           /* this opener makes some: */
	uint32_t traffic;           /* its number */
	uint64_t perf_events[UNC_SIM_PERF_EVENTS /
			     64];      /* a bit for each event of the kernel that this opener has open */
	struct unc_sim_tally *sums;    /* for sim/llc.c to add up in, one for each RMID; owned */
	struct unc_sim_faults *faults; /* one for each channel, or NULL: nothing is wrong; owned */
	struct unc_sim_stuck *stuck;   /* bits of MSRs; owned */
	size_t n_stuck;
	struct unc_sim_qm_faults qm_faults;
	unsigned tells[UNC_SIM_SOCKETS_MAX];                    /* the number of which socket its UBOX tells */
	struct unc_sim_faults ubox_faults[UNC_SIM_SOCKETS_MAX]; /* of which only what is stuck */
};

struct unc_sim_tally {
	unc_sim_wide total, local, wanted;
};

/*
 * Around everything that looks at the state or the load, or changes them.  What the kernel does by itself until now is
 * done first.
 */
void unc_sim_lock(struct unc_sim *sim);
void unc_sim_unlock(struct unc_sim *sim);

/* The logical CPUs, offline= marked, and the L3s.  UNC_EARG: that names none; UNC_ENOMEM. */
int unc_sim_cpus_init(struct unc_sim *sim);
/* Which struct unc_sim_share of the state counts for it. */
unsigned unc_sim_share_of(const struct unc_sim *sim, const struct unc_sim_cpu *cpu);
struct unc_sim_share *unc_sim_share_at(const struct unc_sim *sim, unsigned share);
/* UNC_ENODEV: no such CPU, or it is offline. */
int unc_sim_cpu_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu);
/* So many bits number n things. */
unsigned unc_sim_bits_of(unsigned n);
/* An APIC id >> this is the package; the core; and what AMD calls the core complex, which has an L3. */
unsigned unc_sim_apic_shift(const struct unc_sim_options *options);
unsigned unc_sim_thread_bits(const struct unc_sim_options *options);
unsigned unc_sim_l3_stride_bits(const struct unc_sim_options *options);
void unc_sim_cpuid(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		   struct unc_cpuid_regs *ret_regs);

/* Whether it has what mbm_erratum= and abmc= are about.  UNC_EARG: one is asked for and it has not. */
int unc_sim_quirks_init(struct unc_sim *sim);

/* Behind the load: channels that are empty= do nothing.  UNC_EARG: that names none. */
int unc_sim_empty_init(struct unc_sim *sim);

/* The functions of the machine, with hide=, allones= and vanish= marked.  UNC_EARG: these name none; UNC_ENOMEM. */
int unc_sim_places_init(struct unc_sim *sim);
struct unc_sim_pci unc_sim_pci_of(const struct unc_sim *sim, const struct unc_sim_place *place);
/* NULL: no such function, hidden or not. */
const struct unc_sim_place *unc_sim_place_find(const struct unc_sim *sim, const struct unc_addr *addr);

/*
 * One configuration cycle on an aligned dword, at its own time.  enabled has the bits of the bytes that the cycle
 * carries (byte enables), all of them for a dword.
 */
struct unc_sim_cycle {
	struct unc_sim *sim;
	const struct unc_sim_place *place;
	uint32_t off;
	uint32_t value; /* a write's; 0 where not enabled */
	uint32_t enabled;
	uint64_t t_ns;
	bool by_kernel; /* the machine's own kernel makes it, whose writes are not judged */
};

/* Each takes the lock, and lets the time pass that a cycle takes. */
uint32_t unc_sim_config_read(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off);
void unc_sim_config_write(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off, uint32_t value,
			  uint32_t enabled);

/* A cycle alone: locked, and no time passes. */
uint32_t unc_sim_cycle_read(const struct unc_sim_cycle *cycle);
void unc_sim_cycle_write(const struct unc_sim_cycle *cycle);

/* A function's registers from 0x40 on; locked. */
uint32_t unc_sim_ubox_read(const struct unc_sim_cycle *cycle);
void unc_sim_ubox_write(const struct unc_sim_cycle *cycle);
uint32_t unc_sim_imc_read(const struct unc_sim_cycle *cycle);
void unc_sim_imc_write(const struct unc_sim_cycle *cycle);
/* All channels of a socket stop, whatever their BOX_CTL says, or go on; locked. */
void unc_sim_imc_freeze_all(struct unc_sim *sim, unsigned socket, bool frozen_global, uint64_t t_ns);

/* Which counter that dword is half of, the higher one where bit 2 of off is set; -1: none. */
int unc_sim_imc_counter_at(uint32_t off);

/* sim/state_check.c.  UNC_EARG: the file of the state holds what cannot be. */
int unc_sim_state_check(struct unc_sim *sim);

/* This write had these bits wrong. */
void unc_sim_violate(const struct unc_sim_cycle *cycle, enum unc_sim_rule rule, uint32_t wrong);

/* As the msr driver does it, without the faults of fail=: UNC_EIO, UNC_EPERM, UNC_ENODEV as in sim.h. */
int unc_sim_msr_get(struct unc_sim *sim, unsigned cpu, uint32_t number, uint64_t *ret_value);
int unc_sim_msr_set(struct unc_sim *sim, unsigned cpu, uint32_t number, uint64_t value);
/* It was without power: all of them have their reset values, and the caches are empty; locked. */
void unc_sim_msr_reset(struct unc_sim *sim, uint64_t t_ns);

/* From the machine's UNC_CLOCK_RAW.  UNC_ERANGE: before its start or beyond its end. */
int unc_sim_machine_time(const struct unc_sim *sim, uint64_t raw_ns, uint64_t *ret_ns);
/* The other way round. */
uint64_t unc_sim_raw_at(const struct unc_sim *sim, uint64_t t_ns);

/* As unc_space_claim(), of the first n registers; n 0: of all. */
struct unc_sim_claim {
	uint64_t first, n;
	enum unc_claim how;
};
int unc_sim_claim(struct unc_sim *sim, const struct unc_space *space, const struct unc_sim_claim *claim);

int unc_sim_msr_bus_open(struct unc_sim *sim, bool writable, struct unc_bus **ret_bus);
int unc_sim_pci_bus_open(struct unc_sim *sim, bool writable, struct unc_bus **ret_bus);

extern const struct unc_host_ops unc_sim_host_ops;
/* NULL when the host is not one of ours. */
struct unc_sim *unc_sim_of(struct unc_host *host);
/* Then; here, so that whoever reads a caller, static analysis too, sees that it never succeeds. */
static inline int unc_sim_none(struct unc_host *host)
{
	return unc_fail(host->ctx, UNC_EARG, "this is no simulated machine");
}

/* now_ns() with clock=step, at machine time 0. */
#define UNC_SIM_RAW_AT_START_NS  UINT64_C(1000000000000)
#define UNC_SIM_MONO_AT_START_NS UINT64_C(2000000000000)
#define UNC_SIM_BOOT_AT_START_NS UINT64_C(3000000000000)
#define UNC_SIM_REAL_AT_START_NS UINT64_C(1577836800000000000) /* 2020-01-01T00:00:00Z */

/*
 * sim/kernel_files.c: what the kernel would say of itself in files, and tables of the firmware.  UNC_ENODEV, without a
 * sentence: there is no such file; UNC_ERANGE, UNC_ENOMEM.
 */
int unc_sim_kernel_file(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len);
/*
 * What the kernel has to say in a file that files= has, too; then the text is another.  UNC_ERANGE, UNC_ENOMEM: and is
 * freed.
 */
int unc_sim_kernel_append(struct unc_sim *sim, const char *path, size_t max, char **text, size_t *len);
struct unc_sim_names {
	const char *const *names;
	size_t n;
};
/*
 * As unc_host_ops.names and .link, with more names that are there, too.  UNC_ENODEV, without a sentence: the kernel has
 * no such directory or link.
 */
int unc_sim_kernel_names(struct unc_sim *sim, const char *path, const struct unc_sim_names *more,
			 const char *const **ret_names, size_t *ret_n);
int unc_sim_kernel_link(struct unc_sim *sim, const char *path, char **ret_text);

#endif
