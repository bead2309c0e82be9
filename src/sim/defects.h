/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with a simulated machine: defect= of sim/sim.h. A struct unc_sim_defect is one defect as it was given;
 * a struct unc_sim_faults is the sum of the defects of one channel. A channel without defects has none, so that it
 * costs nothing.
 */
#ifndef UNC_SIM_DEFECTS_H
#define UNC_SIM_DEFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unc_sim;
struct unc_sim_place;
struct unc_sim_cpu;

enum {
	UNC_SIM_FIXED = 4, /* the fixed counter, after CTR0 to CTR3 */
	UNC_SIM_COUNTERS = 5,
	UNC_SIM_FAULT_COUNTERS = 16, /* a data fabric has so many */
};

struct unc_sim_defect;

struct unc_sim_defects {                /* as given; all zero: none */
	struct unc_sim_defect *defects; /* owned */
	size_t n;
	uint64_t fingerprint; /* of all defects, in any order; 0: none */
};

void unc_sim_defects_clear(struct unc_sim_defects *given);

/* Bits that are always 0 or always 1, in a dword of a function or in an MSR of a CPU; or each write of that faults. */
struct unc_sim_stuck {
	const struct unc_sim_cpu *cpu;
	uint32_t off;
	uint64_t zeros, ones;
	bool write_faults;
};

/* A side effect of writing a dword of a function. */
struct unc_sim_side {
	uint32_t off;                      /* offset of that dword */
	bool any;                          /* true: writing any dword has this effect */
	const struct unc_sim_place *other; /* also receives the write; NULL: the dword at clears becomes 0 */
	uint32_t clears;
};

/* The defects of one channel, or of the data fabric of a node. */
struct unc_sim_faults {
	struct unc_sim_side *sides; /* owned */
	size_t n_sides;
	const struct unc_sim_place *instead;         /* shows the registers of this one; NULL: its own */
	uint64_t ignored[UNC_SIM_FAULT_COUNTERS];    /* bits of each control that have no effect */
	unsigned status_bit[UNC_SIM_FAULT_COUNTERS]; /* which counter's status bit a wrap sets */
	bool mesh_misses;            /* the counters of what the mesh sends to its controller do not see this channel */
	bool free_misses;            /* the counters of its controller that always run do not see this channel */
	bool status_sticks;          /* writing 1 clears no status bit */
	struct unc_sim_stuck *stuck; /* owned */
	size_t n_stuck;
	uint64_t zeros[UNC_SIM_FAULT_COUNTERS], ones[UNC_SIM_FAULT_COUNTERS]; /* stuck bits of each counter */
	unsigned width[UNC_SIM_FAULT_COUNTERS];                               /* 48 without a defect */
	unsigned gate[UNC_SIM_FAULT_COUNTERS]; /* which control's en enables this counter */
	unsigned freeze_ignored, reset_leaves, carry_missing, umask_shifted, counts_twice; /* bit i: counter i */
	uint64_t freeze_loses;
	uint64_t stops_ns;      /* counters stop then; UINT64_MAX: never */
	uint64_t goes_on_ns;    /* counters go on then; UINT64_MAX: never */
	int dclk_ppm;           /* millionths that DCLK is too fast */
	unsigned shows, counts; /* of a data fabric: plus 1, the node whose registers and traffic it has; 0: its own */
	uint64_t ones_one_in, drops_one_in; /* one access in this many; 0: never */
};

/* Defects of IA32_QM_EVTSEL, IA32_QM_CTR and IA32_PQR_ASSOC. */
struct unc_sim_qm_faults {
	bool rmid_off, no_error, never_falls, mbm_exchanged, assoc_shared;
	int upscale_ppm;
	const struct unc_sim_cpu *assoc_dead; /* NULL: none */
};

/* Returns how long its counters had run at that time, by the defect stops; faults can be NULL. */
uint64_t unc_sim_faults_ran_ns(const struct unc_sim_faults *faults, uint64_t t_ns);
/* Returns value with the stuck bits of the dword at off. */
uint32_t unc_sim_faults_hold(const struct unc_sim_faults *faults, uint32_t off, uint32_t value);
/* Adds count to *ctr. Returns true when the highest bit gave a carry. */
bool unc_sim_faults_add(const struct unc_sim_faults *faults, unsigned i, uint64_t *ctr, uint64_t count);

/*
 * Applies options.defects; places, CPUs and load must be there. UNC_EARG: the machine does not have what a defect
 * names; UNC_ENOMEM.
 */
int unc_sim_defects_init(struct unc_sim *sim);
/* Sets the stuck bits of MSRs, at the start and after each reset. The caller holds the lock. */
void unc_sim_defects_start(struct unc_sim *sim, uint64_t t_ns);
void unc_sim_defects_free(struct unc_sim *sim);

#endif
