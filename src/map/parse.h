/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a tree of the right shape to a unit. */
#ifndef UNC_MAP_PARSE_H
#define UNC_MAP_PARSE_H

#include "map/check.h"

/* *ret_unit owns the tree from then on, its strings being the tree's.  UNC_ENOMEM: the tree is still the caller's. */
int unc_unit_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_unit *ret_unit);
void unc_unit_clear(struct unc_unit *unit); /* all zeros is fine */

/*
 * Names of events that stand for several: "rd_cas_rank[0-7].bank[0-15]" is 128 of them, the last of the ranges running
 * fastest.
 */

enum { UNC_FAMILY_RANGES = 2, UNC_FAMILY_LENGTH = 64, UNC_FAMILY_NAME = 64, UNC_EVENTS_MAX = 8192 };

struct unc_family {
	const char *name;                /* not owned */
	unsigned n_ranges;               /* 0: one event */
	size_t at[UNC_FAMILY_RANGES];    /* where in the name "[" stands, */
	size_t after[UNC_FAMILY_RANGES]; /* and what follows the "]" */
	unsigned first[UNC_FAMILY_RANGES], len[UNC_FAMILY_RANGES];
};

/* false: that is no name, or a member's would be too long. */
bool unc_family_parse(const char *name, struct unc_family *ret_family);
/* How many there are. */
size_t unc_family_count(const struct unc_family *family);
/* Which number of each range member i has, counted from 0. */
void unc_family_indices(const struct unc_family *family, size_t i, unsigned indices[UNC_FAMILY_RANGES]);
/* "rd_cas_rank3.bank12".  Returns its length. */
size_t unc_family_member(const struct unc_family *family, size_t i, char name[UNC_FAMILY_NAME]);

/* Where on a socket a PCI function is, as maps and lspci write it: "8086:3cb0" and "0b.0", in hex and with all their digits. */
bool unc_pci_place_parse(const char *id, const char *at, struct unc_instance *instance);

/* Which CPUs a map is for. */

struct unc_cpuid_bits { /* "7.0:ebx[12]", leaf and sub-leaf in hex */
	uint32_t leaf, subleaf;
	unsigned reg; /* 0..3: eax, ebx, ecx, edx */
	struct unc_field bits;
};

bool unc_cpuid_bits_parse(const char *text, struct unc_cpuid_bits *ret_bits);
/* *ret_fits: does one of the entries of `cpus:`, which passed the checks, hold?  What reading CPUID fails with. */
int unc_cpus_match(struct unc_ctx *ctx, const struct unc_yaml *cpus, const struct unc_cpu_id *cpu, bool *ret_fits);

#endif
