/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A raw CPUID dump (access/cpuid_raw.h) as a model: its CPUs, packages and L3s are those of the dump, and so is what CPUID
 * answers.  Of a dump of one CPU the others are made, as many as CPUID says there are in its package.
 */
#ifndef UNC_SIM_DUMP_H
#define UNC_SIM_DUMP_H

#include "access/cpuid_raw.h"
#include "sim/model.h"
#include "sim/sim.h"

struct unc_sim_dump {
	struct unc_cpuid_dump *raw; /* owned */
	uint64_t fingerprint;       /* of its text */
	struct unc_sim_model model;
	struct unc_sim_rdt rdt;   /* the model's, if it has it */
	struct unc_sim_cpu *cpus; /* by number; owned */
	size_t n_cpus;
	struct unc_sim_cache *caches; /* owned */
	size_t n_caches;
	uint32_t apic_id; /* of the only CPU in it */
	bool single;
	unsigned number; /* of that one */
};

/* UNC_EARG: it is malformed, missing, or no machine that can be simulated; UNC_EPERM, UNC_EIO, UNC_ENOMEM. */
int unc_sim_dump_open(struct unc_ctx *ctx, const char *path, struct unc_sim_dump **ret_dump);
void unc_sim_dump_free(struct unc_sim_dump *dump);

/* What a processor of that vendor would answer where the dump says nothing: a higher leaf is another one, else 0. */
void unc_sim_dump_cpuid(struct unc_ctx *ctx, const struct unc_sim_dump *dump, const struct unc_sim_cpu *cpu,
			uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs);

/* For dump.c only: who is where, and who shares what; what is monitored. */
int unc_sim_dump_place(struct unc_ctx *ctx, struct unc_sim_dump *dump);

#endif
