/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU says of itself through CPUID, as Linux understands it. */
#ifndef SIMFS_CACHE_H
#define SIMFS_CACHE_H

#include "fs.h"

struct cache {
	unsigned level, size_kb, line, partitions, ways, sets;
	const char *type; /* static */
	unsigned shift;   /* CPUs whose APIC ids are the same beyond these bits share it */
};

/* "GenuineIntel" */
void vendor_get(struct fs *fs, unsigned cpu, char vendor[13]);
/* Or Hygon, whose processors are made after AMD's. */
bool is_amd(struct fs *fs, unsigned cpu);
/* The i-th cache of a CPU, from leaf 4, of AMD's from leaf 0x8000001d; false: there is none. */
bool cache_get(struct fs *fs, unsigned cpu, unsigned i, struct cache *ret_cache);
/* How Linux makes a core id of an APIC id: what is left without package and thread. */
unsigned core_id(const struct fs *fs, uint32_t apic_id);
/* Fills smt_shift and package_shift, from leaf 0xb. */
void shifts_get(struct fs *fs);

#endif
