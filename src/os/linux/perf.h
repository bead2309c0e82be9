/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of perf_event_open(2), opened with the system call itself. */
#ifndef UNC_OS_LINUX_PERF_H
#define UNC_OS_LINUX_PERF_H

#include "access/host.h"
#include "os/linux/fail.h"

/*
 * unc_host_ops.perf_open and .perf.  A directory tree has events
 * if its sysfs is this kernel's own, as a container sees it: then perf counts on the machine that these files show.
 */
int unc_linux_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
int unc_linux_perf_do(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);
/* Closes all open events. */
void unc_linux_perf_close(struct unc_host *host);

/* Why the kernel does not count such an event, and what to do about it. */

enum { UNC_LINUX_PMU_NAME = 64, UNC_LINUX_NOT_TOLD = -100 };

struct unc_linux_perf_refusal { /* what is known about a perf_event_open() that failed */
	int errnum;
	unsigned cpu;
	char pmu[UNC_LINUX_PMU_NAME]; /* "uncore_imc_2"; "": no PMU has that number */
	bool cpu_is_online;
	int paranoid;  /* kernel.perf_event_paranoid, -1 and more; or NOT_TOLD */
	bool filtered; /* system calls of this process are filtered (seccomp) */
	struct unc_linux_rights rights;
};

/* Returns an enum unc_err, and writes cause and remedy as half a sentence. */
int unc_linux_perf_why(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size);

#endif
