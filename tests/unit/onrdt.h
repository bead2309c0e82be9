/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processor made of leaves of CPUID typed by hand, as many CPUs of it as wanted with the APIC ids they want, and an operating system
 * that tells of them what the test wants.  Beyond its highest leaf it answers as an E5-2687W does: EBX = 0x340, of leaf 0xd.
 */
#ifndef UNC_TESTS_ONRDT_H
#define UNC_TESTS_ONRDT_H

#include "onsim.h"
#include "rdt/rdt.h"

/* "GenuineIntel" and so on: EBX, ECX, EDX */
#define VENDOR_INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define VENDOR_AMD   0x68747541, 0x444d4163, 0x69746e65
#define VENDOR_HYGON 0x6f677948, 0x656e6975, 0x6e65476e

struct onrdt_leaf {
	uint32_t leaf, subleaf;
	struct unc_cpuid_regs regs;
};

struct onrdt_msr {
	uint32_t number;
	uint64_t value;
};

enum { ONRDT_CPUS_MAX = 512, ONRDT_LEAVES_MAX = 40 };

struct onrdt {
	struct unc_host host; /* first */
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct onrdt_leaf leaves[ONRDT_LEAVES_MAX];
	size_t n_leaves;
	struct unc_host_cpu cpus[ONRDT_CPUS_MAX];
	uint32_t apic[ONRDT_CPUS_MAX]; /* by place in cpus */
	size_t n_cpus;
	unsigned package_bits;
	bool one_cpu;  /* CPUID is that of CPU 0, whichever is asked */
	bool no_lists; /* the operating system tells of no CPUs at all */
	int unasked;   /* CPUID of the other CPUs fails so; 0: it does not */
	const struct onrdt_msr *msrs;
	size_t n_msrs;
	int msr_rc;             /* of opening the bus */
	unsigned asked;         /* calls of cpuid() */
	uint32_t highest_asked; /* of the basic leaves */
	char notes[4096];
};

/* These close what is open before: o is static, or all zeros.  Intel: one package of 2^package_bits APIC ids, 16 CPUs, leaf 0xb; AMD: 0x8000001e.  Leaf 7 EBX is features, highest leaf 0x10. */
void onrdt_intel(struct onrdt *o, uint32_t signature, uint32_t features);
void onrdt_amd(struct onrdt *o, uint32_t signature, uint32_t features);
/* Puts a leaf in, or in the place of what is there. */
void onrdt_set(struct onrdt *o, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
	       uint32_t edx);
/* So many CPUs in so many packages, numbered through, each with an APIC id next to the one before in its package. */
void onrdt_cpus(struct onrdt *o, size_t n, unsigned packages, unsigned package_bits);
/* The operating system has so many CPUs in a row in each node, or L3. */
void onrdt_nodes(struct onrdt *o, size_t each);
void onrdt_lists(struct onrdt *o, size_t each);
/* unc_rdt_of(), the machine being identified and its maps loaded before. */
int onrdt_find(struct onrdt *o, const struct unc_rdt **ret_rdt);
/* The same, which must succeed. */
const struct unc_rdt *onrdt_found(struct onrdt *o);
void onrdt_close(struct onrdt *o);

#endif
