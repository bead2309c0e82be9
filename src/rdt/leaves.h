/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps from CPUID to struct unc_rdt. */
#ifndef UNC_RDT_LEAVES_H
#define UNC_RDT_LEAVES_H

#include "base/text.h"
#include "rdt/rdt.h"

enum unc_rdt_vendor { UNC_RDT_UNKNOWN, UNC_RDT_INTEL, UNC_RDT_AMD, UNC_RDT_HYGON };

/* Intel's parts that need special treatment; the family is the same for all of them. */
enum { UNC_RDT_FAMILY = 6, UNC_RDT_BROADWELL_X = 0x4f, UNC_RDT_BROADWELL_D = 0x56, UNC_RDT_SKYLAKE_X = 0x55 };
/* Linux does not use the cache monitoring of Skylake up to this stepping, for its errata. */
enum { UNC_RDT_LAST_SKYLAKE = 4 };

enum {
	UNC_RDT_L3 = 1,  /* sub-leaf of 0x10: allocation of the L3 */
	UNC_RDT_L2 = 2,  /* sub-leaf of 0x10: allocation of the L2 */
	UNC_RDT_MBA = 3, /* sub-leaf of 0x10: allocation of bandwidth */
	UNC_RDT_RESOURCES,
};
enum {
	UNC_RDT_AMD_MBA = 1, /* sub-leaf of 0x80000020, and its bit in EBX: limits of bandwidth */
	UNC_RDT_AMD_SMBA,    /* limits of bandwidth to slow memory */
	UNC_RDT_AMD_BMEC,    /* what bandwidth events count can be set */
	UNC_RDT_AMD_L3RR,    /* part of an L3 can be reserved */
	UNC_RDT_AMD_ABMC,    /* counters can be assigned to RMIDs */
	UNC_RDT_AMD_SDCIAE,  /* what devices put into the cache can be limited to some ways */
	UNC_RDT_AMD_LEAVES,
};

/* What one CPU reports; leaves above its highest one, and those that nothing announces, were not read and are 0. */
struct unc_rdt_leaves {
	unsigned cpu;
	enum unc_rdt_vendor vendor;
	uint32_t highest, highest_extended;
	uint32_t features;                                   /* leaf 7 EBX */
	struct unc_cpuid_regs monitoring, l3_monitoring;     /* 0xf.0, 0xf.1 */
	struct unc_cpuid_regs allocation[UNC_RDT_RESOURCES]; /* 0x10.n */
	struct unc_cpuid_regs amd[UNC_RDT_AMD_LEAVES];       /* 0x80000020.n */
};

/* Returns one bit of a CPUID register; these have no map, since CPUID is what chooses the maps. */
bool unc_rdt_bit(uint32_t reg, unsigned bit);
/* rdt/info.c; fails as the host's cpuid(), with the leaf named in front. */
int unc_rdt_cpuid(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		  struct unc_cpuid_regs *ret_regs);
/* As unc_rdt_cpuid(), for a leaf that this source of CPUID may not have: then all registers are 0. */
int unc_rdt_cpuid_or_0(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		       struct unc_cpuid_regs *ret_regs);
int unc_rdt_leaves_read(struct unc_machine *m, struct unc_rdt_leaves *ret_leaves);

struct unc_rdt_shape {    /* shape of an L3 */
	unsigned id_bits; /* APIC ID >> id_bits is its number */
	uint64_t bytes;
};
/* rdt/info.c.  UNC_ENODATA: CPUID reports no L3. */
int unc_rdt_l3_shape(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt_shape *ret_shape);
/* The leaf from which APIC IDs are taken; the APIC ID of a CPU; in how many low bits the IDs of a package's CPUs differ. */
int unc_rdt_apic_leaf(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t *ret_leaf);
int unc_rdt_apic_id(struct unc_machine *m, uint32_t leaf, unsigned cpu, uint32_t *ret_id);
int unc_rdt_package_bits(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t leaf, unsigned *ret_bits);

/* rdt/domains.c: finds the L3s and their CPUs; nodes of unc_l3 are the operating system's numbers, or -1. */
int unc_rdt_domains(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt);
/* rdt/domains.c: finds the NUMA nodes of an L3, and their effect on RMIDs and units.  UNC_ENOSUP: packages differ. */
int unc_rdt_snc(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt);
/* Appends to one of the texts of a struct unc_rdt; the second: one more sentence to the warning. */
#define unc_rdt_add(text, separator, ...) unc_text_join(text, sizeof(text), separator, __VA_ARGS__)
extern const char unc_rdt_linux_minds[]; /* a warning that is no limit of our numbers */
#define unc_rdt_warn(rdt, ...) unc_rdt_add((rdt)->warning, "; ", __VA_ARGS__)
/*
 * Reads a field of a register of a CPU.  UNC_ENOREG: the map that fits has no such name; UNC_ENOSUP: no map fits; UNC_EPERM,
 * UNC_EIO, UNC_ENODEV: it cannot be read.
 */
int unc_rdt_field(struct unc_machine *m, unsigned cpu, const char *reg, unsigned index, const char *field,
		  uint64_t *ret_value);

#endif
