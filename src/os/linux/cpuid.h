/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CPUID comes from: the kernel's cpuid files, a raw dump, or the instruction. */
#ifndef UNC_OS_LINUX_CPUID_H
#define UNC_OS_LINUX_CPUID_H

#include "access/cpuid_raw.h"
#include "access/host.h"
#include "os/linux/root.h"

enum unc_linux_cpuid_kind {
	UNC_LINUX_CPUID_NONE,        /* a directory tree without any: every question is UNC_ENOSUP */
	UNC_LINUX_CPUID_FILES,       /* ROOT/dev/cpu/N/cpuid */
	UNC_LINUX_CPUID_DUMP,        /* ROOT/cpuid.raw */
	UNC_LINUX_CPUID_INSTRUCTION, /* only of this computer, never for a directory tree */
};

struct unc_linux_cpuid {
	enum unc_linux_cpuid_kind kind;
	struct unc_ctx *ctx;         /* outlives it */
	struct unc_linux_root *root; /* outlives it */
	int fd;                      /* FILES: owned; of the CPU asked last, or -1 */
	unsigned fd_cpu;
	struct unc_cpuid_dump *dump; /* DUMP: owned */
};

/*
 * Decides which one, once.  live: this computer.  UNC_EARG: cpuid.raw is no such dump; UNC_EPERM: it cannot be read;
 * UNC_EIO; UNC_ENOMEM.
 */
int unc_linux_cpuid_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool live,
			 struct unc_linux_cpuid *ret_cpuid);
void unc_linux_cpuid_close(struct unc_linux_cpuid *cpuid);
/* As in struct unc_host_ops, and UNC_ENOSUP when there is no source. */
int unc_linux_cpuid_get(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs);

#endif
