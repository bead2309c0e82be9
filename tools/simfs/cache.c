// SPDX-License-Identifier: GPL-2.0-or-later
#include "cache.h"

#include <string.h>

void vendor_get(struct fs *fs, unsigned cpu, char vendor[13])
{
	struct unc_cpuid_regs regs = cpuid_of(fs, cpu, 0, 0);

	unc_put_le32(vendor, regs.ebx);
	unc_put_le32(vendor + 4, regs.edx);
	unc_put_le32(vendor + 8, regs.ecx);
	vendor[12] = '\0';
}

bool is_amd(struct fs *fs, unsigned cpu)
{
	char vendor[13];

	vendor_get(fs, cpu, vendor);
	return strcmp(vendor, "AuthenticAMD") == 0 || strcmp(vendor, "HygonGenuine") == 0;
}

bool cache_get(struct fs *fs, unsigned cpu, unsigned i, struct cache *ret_cache)
{
	static const char *const types[] = {NULL, "Data", "Instruction", "Unified"};
	struct unc_cpuid_regs regs = cpuid_of(fs, cpu, is_amd(fs, cpu) ? 0x8000001d : 4, i);
	unsigned type = regs.eax & 0x1f, sharing = (regs.eax >> 14 & 0xfff) + 1;

	if (type == 0 || type >= sizeof(types) / sizeof(types[0]))
		return false;
	*ret_cache = (struct cache){
		.level = regs.eax >> 5 & 7,
		.type = types[type],
		.line = (regs.ebx & 0xfff) + 1,
		.partitions = (regs.ebx >> 12 & 0x3ff) + 1,
		.ways = (regs.ebx >> 22) + 1,
		.sets = regs.ecx + 1,
	};
	ret_cache->size_kb = (unsigned)((uint64_t)ret_cache->line * ret_cache->partitions * ret_cache->ways *
					ret_cache->sets / 1024);
	while (1u << ret_cache->shift < sharing)
		ret_cache->shift++;
	return true;
}

unsigned core_id(const struct fs *fs, uint32_t apic_id)
{
	return apic_id >> fs->smt_shift & ((1u << (fs->package_shift - fs->smt_shift)) - 1);
}

void shifts_get(struct fs *fs)
{
	fs->smt_shift = cpuid_of(fs, fs->first_cpu, 0xb, 0).eax & 0x1f;
	fs->package_shift = cpuid_of(fs, fs->first_cpu, 0xb, 1).eax & 0x1f;
	if (fs->package_shift < fs->smt_shift)
		fs->package_shift = fs->smt_shift;
}
