/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host is one computer as far as it can be reached: its time, its CPUs, what CPUID answers there, and its buses.
 * os/linux makes them of this computer ("live") and of a directory tree ("root:DIR"), sim/ of nothing ("sim:...").
 */
#ifndef UNC_ACCESS_HOST_H
#define UNC_ACCESS_HOST_H

#include "access/access.h"
#include "base/os.h"

struct unc_cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

struct unc_package { /* a physical package: what sits in one socket */
	unsigned id; /* the package number of the operating system */
	unsigned n_cpus;
	unsigned first_cpu; /* the lowest of its CPUs that is online */
};

struct unc_topo {
	struct unc_package *packages; /* sorted by id; owned */
	size_t n_packages;
	unsigned n_cpus;    /* logical CPUs that are online */
	unsigned first_cpu; /* the lowest of them */
};
void unc_topo_clear(struct unc_topo *topo);

struct unc_host {
	const struct unc_host_ops *ops;
	struct unc_ctx *ctx; /* outlives the host */
	bool simulated;      /* its numbers come from a model, not from silicon */
	bool stands_still;   /* its time passes only while somebody sleeps until then: waiting without end is no use */
	int wake_fd;         /* ends a sleep early when it can be read; -1: none; not owned */
};

struct unc_host_ops {
	void (*close)(struct unc_host *host);
	uint64_t (*now_ns)(struct unc_host *host, enum unc_clock clock);
	/* As unc_os_sleep_until(), in this machine's time. */
	int (*sleep_until)(struct unc_host *host, uint64_t mono_ns);
	/*
	 * What CPUID answers on a CPU; no knowledge of which leaves exist: a leaf beyond the highest answers what
	 * the processor answers, which is the data of another leaf.
	 * UNC_ENODEV: no such CPU; UNC_ENODATA: this source does not have that leaf; UNC_EPERM, UNC_EIO.
	 */
	int (*cpuid)(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		     struct unc_cpuid_regs *ret_regs);
	/* UNC_ENODATA: this machine does not tell (a bare directory tree), which can be survived. */
	int (*topology)(struct unc_host *host, struct unc_topo *ret_topo);
	/* UNC_ENOSUP: this machine has no such bus; UNC_ENODEV: its directory is missing; UNC_EPERM. */
	int (*bus_open)(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);
};

void unc_host_close(struct unc_host *host); /* NULL is fine */

#endif
