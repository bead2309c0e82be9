/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This computer under firmware, and its buses. */
#ifndef UNC_OS_EFI_HOST_H
#define UNC_OS_EFI_HOST_H

#include "access/host.h"
#include "os/efi/efi.h"

/* UNC_ENOMEM.  Notes say what firmware lacks. */
int unc_efi_host_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host);

struct unc_efi_host {
	struct unc_host host;       /* must be first: the host is cast to this */
	struct efi_mp_services *mp; /* firmware's; NULL: it has none */
	unsigned self;              /* the processor on which this program runs */
	struct unc_host_cpu *cpus;  /* owned; NULL: firmware was not asked yet */
	size_t n_cpus;
	const char *told; /* static text: the doubt in the clock that the user knows of */
};

struct unc_efi_bus {
	struct unc_bus bus;        /* must be first */
	struct unc_efi_host *host; /* outlives it */
};
/* A bus of that size, whose rest is 0; freed by free().  UNC_ENOMEM. */
int unc_efi_bus_new(struct unc_efi_host *host, const struct unc_bus_ops *ops, enum unc_kind kind, bool writable,
		    size_t size, struct unc_bus **ret_bus);

/* cpu.c: unc_host_ops.cpuid and .cpus, and the MSRs. */
int unc_efi_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		  struct unc_cpuid_regs *ret_regs);
int unc_efi_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n);
int unc_efi_msr_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus);
/* An MSR of this processor.  False: it refuses that (#GP). */
bool unc_efi_msr(uint32_t number, uint64_t *ret_value);
/* One load or store of 4 or 8 bytes, wherever that is.  False: nothing is mapped there (#PF), or it is no address (#GP). */
bool unc_efi_touch(uint64_t at, size_t len, bool write, uint64_t *value);
/* pci.c: UNC_ENODEV: no way leads there. */
int unc_efi_pci_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus);

/* mmio.c: where memory and devices are, as lines of /proc/iomem.  UNC_EIO: firmware does not tell; UNC_ENOMEM. */
int unc_efi_memory_map(struct unc_ctx *ctx, struct unc_os_found *ret_found);
int unc_efi_mmio_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus);

/* mmio.c: one load or store, where something is mapped. */
uint32_t unc_efi_load32(uint64_t at);
void unc_efi_store32(uint64_t at, uint32_t value);

#endif
