/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A raw CPUID dump (access/cpuid_raw.h) as a model: its CPUs, packages and L3s are those of the dump, and CPUID answers
 * what the dump says. If the dump has one CPU, the others are derived from it, as many as CPUID says there are in its
 * package.
 */
#ifndef UNC_SIM_DUMP_H
#define UNC_SIM_DUMP_H

#include "access/cpuid_raw.h"
#include "sim/model.h"
#include "sim/sim.h"

struct unc_sim_dump {
	struct unc_cpuid_dump *raw; /* owned */
	uint64_t fingerprint;       /* of the dump's text */
	struct unc_sim_model model;
	struct unc_sim_rdt rdt;   /* model.rdt points to it, if there is monitoring or allocation */
	struct unc_sim_cpu *cpus; /* by number; owned */
	size_t n_cpus;
	struct unc_sim_cache *caches; /* owned */
	size_t n_caches;
	uint32_t apic_id; /* of the only recorded CPU */
	bool single;
	unsigned number; /* number of the first recorded CPU */
};

/* UNC_EARG: the dump is malformed or missing, or the machine cannot be simulated; UNC_EPERM, UNC_EIO, UNC_ENOMEM. */
int unc_sim_dump_open(struct unc_ctx *ctx, const char *path, struct unc_sim_dump **ret_dump);
void unc_sim_dump_free(struct unc_sim_dump *dump);

/*
 * Where the dump says nothing it answers as a processor of that vendor would: beyond the highest leaf with another
 * leaf, else 0.
 */
void unc_sim_dump_cpuid(struct unc_ctx *ctx, const struct unc_sim_dump *dump, const struct unc_sim_cpu *cpu,
			uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs);

#endif
