/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs a map is for. */
#ifndef UNC_MAP_CPUS_H
#define UNC_MAP_CPUS_H

#include "base/yaml.h"
#include "map/map.h"

struct unc_cpuid_bits { /* "7.0:ebx[12]", leaf and sub-leaf in hex */
	uint32_t leaf, subleaf;
	unsigned reg; /* 0..3: eax, ebx, ecx, edx */
	struct unc_field bits;
};

bool unc_cpuid_bits_parse(const char *text, struct unc_cpuid_bits *ret_bits);
/* *ret_fits: does one of the entries of `cpus:`, which passed the checks, hold?  What reading CPUID fails with. */
int unc_cpus_match(struct unc_ctx *ctx, const struct unc_yaml *cpus, const struct unc_cpu_id *cpu, bool *ret_fits);

#endif
