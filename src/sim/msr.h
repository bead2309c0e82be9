/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model-specific registers as tables: which there are on which processor, whose they are, what can be written.  Every
 * number that is in no table faults, as #GP does on the processor and EIO through the msr driver.
 */
#ifndef UNC_SIM_MSR_H
#define UNC_SIM_MSR_H

#include "sim/computer.h"

enum unc_sim_scope { UNC_SIM_OF_CPU, UNC_SIM_OF_L3, UNC_SIM_OF_PACKAGE };

/* One access, at its own time; locked. */
struct unc_sim_msr {
	struct unc_sim *sim;
	const struct unc_sim_cpu *cpu;
	uint32_t number;
	uint64_t t_ns;
	const struct unc_sim_msr_reg *reg;
	uint64_t *kept; /* what the state remembers of this register: 0 is its reset value */
	bool by_kernel; /* the machine's own kernel makes it */
};

/*
 * One register, or several that behave alike: the numbers first + i for each bit i of block (0: first alone), and n
 * such blocks (0: one), each step behind the one before.
 *
 * It reads base() (or reset): XOR what is kept of writes to it; or plus that, if it counts.  A write that changes any
 * bit but those in writable and takes faults.
 */
struct unc_sim_msr_reg {
	uint32_t first, block, step, n;
	unsigned on; /* enum unc_sim_on */
	enum unc_sim_scope scope;
	uint64_t reset;
	uint64_t writable; /* if it counts: the bits that it has, too */
	uint64_t takes;    /* these may be written and nothing comes of it: write 1 to clear what is never set */
	bool counts;
	bool (*exists)(const struct unc_sim_msr *at); /* NULL: it does */
	uint64_t (*base)(const struct unc_sim_msr *at);
	bool (*write)(const struct unc_sim_msr *at, uint64_t value); /* instead; false: it faults */
};

struct unc_sim_msr_table {
	const struct unc_sim_msr_reg *regs;
	size_t n;
};
extern const struct unc_sim_msr_table unc_sim_msr_platform, unc_sim_msr_uncore, unc_sim_msr_qm, unc_sim_msr_bmec,
	unc_sim_msr_alloc, unc_sim_msr_amd;

/* False: there is none.  With it, msr is complete. */
bool unc_sim_msr_find(struct unc_sim_msr *msr);
/* The same without its value, while the machine is opened and has no state yet. */
bool unc_sim_msr_exists(struct unc_sim_msr *msr);
uint64_t unc_sim_msr_value(const struct unc_sim_msr *at);
/* As the table says, not write(). */
bool unc_sim_msr_keep(const struct unc_sim_msr *at, uint64_t value);
/* IA32_QM_EVTSEL, where that is not each CPU's own: sim/qm.c. */
bool unc_sim_msr_is_of_l3(const struct unc_sim_msr *at);
/* Bits of it that are stuck are so in what it holds. */
void unc_sim_msr_stick(const struct unc_sim_msr *at);
/* An access alone: locked, at at->t_ns, and no time passes.  False: it faults. */
bool unc_sim_msr_load(struct unc_sim_msr *at, uint64_t *ret_value);
bool unc_sim_msr_store(struct unc_sim_msr *at, uint64_t value);
/* Another register of the same CPU at the same time, which must be there. */
struct unc_sim_msr unc_sim_msr_beside(const struct unc_sim_msr *at, uint32_t number);

/* What goes on at so many a second, from the machine's start. */
uint64_t unc_sim_msr_ticks(uint64_t hz, uint64_t t_ns);

#endif
