// SPDX-License-Identifier: GPL-2.0-or-later
/* What the processor calls itself, CPUID 80000002h to 80000004h, and bits of its caches, where there is no libcpuid. */

#include "access/cpuid_raw.h"

int unc_os_identify(struct unc_host *host, unsigned cpu, struct unc_cpu_info *ret_info)
{
	struct unc_cpu_info info = {0};
	struct unc_cpuid_regs regs;
	size_t len = 0;
	int rc = host->ops->cpuid(host, cpu, 0x80000000, 0, &regs);

	if (rc < 0)
		return rc;
	for (uint32_t leaf = 0x80000002; leaf <= 0x80000004 && leaf <= regs.eax; leaf++) {
		struct unc_cpuid_regs part;

		rc = host->ops->cpuid(host, cpu, leaf, 0, &part);
		if (rc < 0)
			return rc;
		for (const uint32_t *reg = &part.eax; reg <= &part.edx; reg++, len += 4)
			unc_put_le32(info.brand + len, *reg);
	}
	while (len && (info.brand[len - 1] == ' ' || !info.brand[len - 1]))
		info.brand[--len] = '\0';
	len = strspn(info.brand, " ");
	memmove(info.brand, info.brand + len, strlen(info.brand + len) + 1);
	/* Leaf 4: type and level in EAX; line size, partitions and ways, each less 1, in EBX; sets less 1 in ECX. */
	for (uint32_t i = 0; i < 8; i++) {
		struct unc_cpuid_regs cache;

		if (host->ops->cpuid(host, cpu, 4, i, &cache) < 0 || !(cache.eax & 0x1f))
			break;
		if ((cache.eax >> 5 & 7) == 3)
			info.l3_bytes = (uint64_t)((cache.ebx & 0xfff) + 1) * ((cache.ebx >> 12 & 0x3ff) + 1) *
					((cache.ebx >> 22) + 1) * ((uint64_t)cache.ecx + 1);
		if (i == 0)
			info.n_cores = (cache.eax >> 26) + 1;
	}
	*ret_info = info;
	return UNC_OK;
}
