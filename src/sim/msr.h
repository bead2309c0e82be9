/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model-specific registers as tables: which processor has which, which CPUs share one, and what can be written. Every
 * number that is in no table faults, as #GP does on the processor and EIO through the msr driver.
 */
#ifndef UNC_SIM_MSR_H
#define UNC_SIM_MSR_H

#include "sim/computer.h"

enum { UNC_SIM_MSR_CTRS = 4 }; /* counters that one register starts and stops, at most */
enum unc_sim_scope { UNC_SIM_OF_CPU, UNC_SIM_OF_L3, UNC_SIM_OF_PACKAGE, UNC_SIM_OF_NODE };

/* One access, at its own time. The caller holds the lock. */
struct unc_sim_msr {
	struct unc_sim *sim;
	const struct unc_sim_cpu *cpu;
	uint32_t number;
	uint64_t t_ns;
	const struct unc_sim_msr_reg *reg;
	size_t place;   /* where that is in its part of the state */
	uint64_t *kept; /* what the state keeps of this register; 0 means its reset value */
	bool by_kernel; /* made by the machine's own kernel */
};

/*
 * One register, or several that behave alike: the numbers first + i for each bit i of block (0: only first), and n such
 * blocks (0: one), each of them step after the one before.
 *
 * A read returns base() (or reset), XOR what was kept of writes; a register that counts returns the sum of the two. A
 * write faults if it changes a bit that is neither in writable nor in takes.
 */
struct unc_sim_msr_reg {
	uint32_t first, block, step, n;
	unsigned on; /* bits of enum unc_sim_on; 0: all, of which exists() decides */
	enum unc_sim_scope scope;
	uint64_t reset;
	uint64_t writable; /* if it counts: also the bits that it has */
	uint64_t takes;    /* bits that may be written without effect, such as write 1 to clear of what is never set */
	bool counts;
	uint64_t (*counting)(
		const struct unc_sim_msr *at); /* bits that take part; others keep what was written; NULL: all do */
	bool saturates; /* it counts, and its highest bit is that of an overflow, after which all bits stay 1 */
	uint8_t watts, more_watts; /* of energy: the power of package 0, and how much more each later package has */
	uint8_t esu;               /* of energy: the unit is 1 / 2^esu J; 0: the part's */
	bool (*exists)(const struct unc_sim_msr *at); /* NULL: it exists */
	uint32_t ctrs;   /* the first counter that it starts and stops; 0: the next register */
	unsigned n_ctrs; /* how many such counters follow each other, as far as they exist */
	uint64_t (*base)(const struct unc_sim_msr *at);
	bool (*write)(const struct unc_sim_msr *at, uint64_t value); /* replaces unc_sim_msr_keep(); false: it faults */
};

struct unc_sim_msr_table {
	const struct unc_sim_msr_reg *regs;
	size_t n;
};
extern const struct unc_sim_msr_table unc_sim_msr_qm, unc_sim_msr_regs, unc_sim_msr_amd;

/* Finds the register, and fills in the rest of msr. False: it does not exist. */
bool unc_sim_msr_find(struct unc_sim_msr *msr);
/* Likewise, without the value: the machine is being opened and has no state yet. */
bool unc_sim_msr_exists(struct unc_sim_msr *msr);
uint64_t unc_sim_msr_value(const struct unc_sim_msr *at);
/* Writes as the table says, without calling write(). */
bool unc_sim_msr_keep(const struct unc_sim_msr *at, uint64_t value);
/* Returns whether this is IA32_QM_EVTSEL and the CPUs of an L3 share it: sim/qm.c. */
bool unc_sim_msr_is_of_l3(const struct unc_sim_msr *at);
/* Puts the stuck bits of the register into what it holds. */
void unc_sim_msr_stick(const struct unc_sim_msr *at);
/* Do the access alone: the caller holds the lock, the time is at->t_ns, and no time passes. False: it faults. */
bool unc_sim_msr_load(struct unc_sim_msr *at, uint64_t *ret_value);
bool unc_sim_msr_store(struct unc_sim_msr *at, uint64_t value);
/* Returns another register of the same CPU at the same time; it must exist. */
struct unc_sim_msr unc_sim_msr_beside(const struct unc_sim_msr *at, uint32_t number);

/* Returns the count at time t_ns of what happens hz times a second from the machine's start on. */
uint64_t unc_sim_msr_ticks(uint64_t hz, uint64_t t_ns);

#endif
