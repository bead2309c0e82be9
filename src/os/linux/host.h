/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This computer ("live"), and a directory tree that looks like one ("root:DIR"). */
#ifndef UNC_OS_LINUX_HOST_H
#define UNC_OS_LINUX_HOST_H

#include "access/cpuid_raw.h"
#include "os/linux/files.h"

/*
 * root NULL or "": this computer; else every path of the operating system is below that directory.  ecam: PCI configuration
 * space is reached in memory, as by unc_linux_ecam_open().  wake_fd as in
 * struct unc_host.  UNC_EARG: no such directory, or its cpuid.raw is not a dump; UNC_EPERM; UNC_EIO; UNC_ENOMEM.
 */
int unc_linux_host_open(struct unc_ctx *ctx, const char *root, bool ecam, int wake_fd, struct unc_host **ret_host);

/*
 * bus_ops.list() of a bus that has a file or folder for each space in PATH below root: those whose name is_space() accepts.
 */
int unc_linux_list(struct unc_bus *bus, struct unc_linux_root *root, const char *path,
		   bool (*is_space)(const char *name, struct unc_addr *ret_addr), struct unc_addr **ret_addrs,
		   size_t *ret_n);

/* CPUs from ROOT/sys/devices/system. */

/*
 * Returns every CPU that is present, by number; what is not reported, as for offline CPUs, is -1.  If all is false, it returns the
 * online CPUs only, and finds only their packages.  Reads a few short files for each package, node and L3, not for each CPU.
 * UNC_ENODATA: nothing is reported; UNC_ENOMEM.
 */
int unc_linux_cpus_read(struct unc_ctx *ctx, struct unc_linux_root *root, bool all, struct unc_host_cpu **ret_cpus,
			size_t *ret_n);
/* UNC_ENODATA: nothing is reported; UNC_ENOMEM.  Reads three short files for each package, not for each CPU. */
int unc_linux_topo_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_topo *ret_topo);

/* Model-specific registers through ROOT/dev/cpu/N/msr. */

/* root is "" for /.  UNC_ENODEV: ROOT/dev/cpu is missing, and the message names the kernel module; UNC_ENOMEM. */
int unc_linux_msr_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

/*
 * Registers in memory through ROOT/dev/mem, or where that is missing or refuses, through the resourceN of a PCI function whose BAR
 * has them, which is a note.  While such a bus is open a bus error (SIGBUS) in one of its accesses is an error of
 * that access; one elsewhere goes where it went before.
 */

/* root is "" for /.  UNC_ENODEV: there is neither that file nor a BAR; UNC_EPERM, with what refused it in the message; UNC_ENOMEM. */
int unc_linux_mmio_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

/* The bus's own write, of 4 or 8 bytes, for a bus whose registers are in such a space. */
int unc_linux_mmio_write(struct unc_space *space, uint64_t off, const void *buf, size_t len);

/* PCI configuration space through libpci and ROOT/sys/bus/pci. */

/* root is "" for /.  UNC_ENODEV: ROOT/sys/bus/pci/devices is missing; UNC_EPERM; UNC_ENOMEM. */
int unc_linux_pci_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

/* Areas of counters of POWER chips in ROOT/sys/firmware/opal/exports; they are only read. */

/* root is "" for /.  UNC_ENODEV: there is no such folder; UNC_EPERM; UNC_ENOMEM. */
int unc_linux_area_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

/*
 * The same in memory, through ROOT/dev/mem, for buses that both /proc/iomem and the ACPI table MCFG say are there, and functions
 * whose ids there are those of sysfs.  An access is one load or store of 4 bytes.
 */

/* UNC_ENODEV: no bus is there; and the errors of unc_linux_pci_open() and unc_linux_mmio_open(). */
int unc_linux_ecam_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

/*
 * The time of a directory tree that brings its own: DIR/clock, as uncore-simfs serves it with clock=step.  It reads
 *
 *     raw 1000000000000
 *     mono 2000000000000
 *     boot 3000000000000
 *     real 1577836800000000000
 *
 * in nanoseconds, and a number written to it lets so many nanoseconds pass.
 */

/* *ret_fd is -1 without such a file, or if it has another content.  UNC_EPERM: it is there and cannot be opened. */
int unc_linux_clock_open(struct unc_ctx *ctx, struct unc_linux_root *root, int *ret_fd);
/* Returns 0 if the tree is gone. */
uint64_t unc_linux_clock_now(int fd, enum unc_clock which);
/*
 * As unc_os_sleep_until(); UNC_EAGAIN also if time does not pass by sleeping: without a deadline, or the tree is gone.
 */
int unc_linux_clock_sleep(int fd, uint64_t mono_ns, int wake_fd);

/*
 * Traffic that is made on purpose, of a directory tree that makes it by itself: DIR/traffic, as uncore-simfs serves it.  It takes
 *
 *     read NODE BYTES_PER_S SIZE_BYTES CPUS     or write, nt_write; CPUS as Linux writes a list ("0-3,8")
 *     stop
 *
 * and what was started ends at the latest when the file is closed through which it was.  It reads
 *
 *     running 1
 *     loaded BYTES
 *     stored BYTES
 *     nt_stored BYTES
 *     raw NS
 *
 * since the last start, until now or the stop; and behind that, where the last line that it took was refused, "refused CLASS
 * SENTENCE", with the classes of a record (access/record.h).
 */

/* unc_host_ops.traffic */
int unc_linux_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		      struct unc_traffic_done *ret_done);

/* The source of CPUID: the kernel's cpuid files, a raw dump, or the instruction. */

enum unc_linux_cpuid_kind {
	UNC_LINUX_CPUID_NONE,        /* a directory tree without any: every request is UNC_ENOSUP */
	UNC_LINUX_CPUID_FILES,       /* ROOT/dev/cpu/N/cpuid */
	UNC_LINUX_CPUID_DUMP,        /* ROOT/cpuid.raw */
	UNC_LINUX_CPUID_INSTRUCTION, /* only for this computer, never for a directory tree */
};

struct unc_linux_cpuid {
	enum unc_linux_cpuid_kind kind;
	struct unc_ctx *ctx;         /* outlives it */
	struct unc_linux_root *root; /* outlives it */
	int fd;                      /* FILES: owned; of the last CPU that was read, or -1 */
	unsigned fd_cpu;
	struct unc_cpuid_dump *dump; /* DUMP: owned */
};

/*
 * Selects the source, once.  live: this computer.  UNC_EARG: cpuid.raw is not a dump; UNC_EPERM: it cannot be read;
 * UNC_EIO; UNC_ENOMEM.
 */
int unc_linux_cpuid_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool live,
			 struct unc_linux_cpuid *ret_cpuid);
void unc_linux_cpuid_close(struct unc_linux_cpuid *cpuid);
/* The processor's own; UNC_ENOSUP if it is of a kind without CPUID. */
int unc_linux_cpuid_instruction(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
				struct unc_cpuid_regs *ret_regs);
/* unc_host_ops.cpuid, and UNC_ENOSUP if there is no source. */
int unc_linux_cpuid_get(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs);

struct unc_linux_host {
	struct unc_host host;       /* must be first: the host is cast to this */
	struct unc_linux_root root; /* owned */
	bool ecam;                  /* configuration space is reached in memory */
	struct unc_linux_cpuid cpuid;
	int clock_fd; /* owned; -1: the tree has no time of its own */
	bool makes_traffic;
	int traffic_fd;                           /* owned while it makes traffic; -1: host.traffic_maker does */
	struct unc_linux_perf_event *perf_events; /* by number; owned */
	size_t n_perf_events;
};

#endif
