/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw CPUID dumps, in the two forms that libcpuid writes: lines "basic_cpuid[N]=EAX EBX ECX EDX" (one CPU; also
 * ext_cpuid, intel_fn4, intel_fn11, intel_fn12h, intel_fn14h, amd_fn8000001dh), and lines "CPUID LEAF: EAX-EBX-ECX-EDX [SL nn]" under
 * headings "------[ Logical CPU #N ]------" (or libcpuid's "_________________ Logical CPU #N _________________", below which
 * the first form may stand for several CPUs).  A line of dashes alone ends the dump; what follows is ignored.
 */
#ifndef UNC_ACCESS_CPUID_RAW_H
#define UNC_ACCESS_CPUID_RAW_H

#include "access/host.h"

struct unc_cpuid_dump;

/* name stands in front of each sentence ("name:LINE: ...").  UNC_EARG: not such a dump; UNC_ENOMEM. */
int unc_cpuid_dump_parse(struct unc_ctx *ctx, const char *name, const char *text, size_t len,
			 struct unc_cpuid_dump **ret_dump);
void unc_cpuid_dump_free(struct unc_cpuid_dump *dump);
/* Logical CPUs in the dump; the first form holds one, which then stands for every CPU asked for. */
unsigned unc_cpuid_dump_cpus(const struct unc_cpuid_dump *dump);
/*
 * A leaf that was recorded without sub-leaves is sub-leaf 0 where the leaf has others (4, 7, 0xB, 0xD, 0xF, 0x10, ...), and
 * else answers for any.  UNC_ENODEV: no such CPU in it; UNC_ENODATA: no such leaf, or no such sub-leaf of it.
 */
int unc_cpuid_dump_get(struct unc_ctx *ctx, const struct unc_cpuid_dump *dump, unsigned cpu, uint32_t leaf,
		       uint32_t subleaf, struct unc_cpuid_regs *ret_regs);

/*
 * What a CPU is called.  Implemented in os/, because libcpuid needs a hosted C library.
 *
 * libcpuid's code name is not used: it is the nearest entry of its table, and it never says that none fits.  Version 0.6.2 calls an
 * E5-2699 v3 "Xeon (Woodcrest)".  Believe the brand, which is the processor's own, and the name in the map that fits.
 *
 * Asks the host's CPUID only, never the processor it runs on.  UNC_ENODATA: libcpuid does not know that CPU, or
 * CPUID tells nothing; or as the host's cpuid() fails.
 */
int unc_os_identify(struct unc_host *host, unsigned cpu, struct unc_cpu_info *ret_info);

#endif
