/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the kernel counts no such event, and what to do about it. */
#ifndef UNC_OS_LINUX_PERF_WHY_H
#define UNC_OS_LINUX_PERF_WHY_H

#include "access/host.h"
#include "os/linux/refused.h"

enum { UNC_LINUX_PMU_NAME = 64, UNC_LINUX_NOT_TOLD = -100 };

struct unc_linux_perf_refusal { /* what is known of a perf_event_open() that failed */
	int errnum;
	unsigned cpu;
	char pmu[UNC_LINUX_PMU_NAME]; /* "uncore_imc_2"; "": no PMU has that number */
	bool cpu_is_online;
	int paranoid;  /* kernel.perf_event_paranoid, -1 and more; or NOT_TOLD */
	bool filtered; /* system calls of this process are (seccomp) */
	struct unc_linux_rights rights;
};

/* An enum unc_err, and cause and remedy as half a sentence. */
int unc_linux_perf_why(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size);

/* Fails with what that says, having found out what must be known for it: "perf: uncore_imc_2 (PMU 12), ...: cause: remedy". */
int unc_linux_perf_refused(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr,
			   int errnum);
/* The same of an event that is open: what was not possible, and why. */
int unc_linux_perf_broke(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr, int errnum,
			 const char *what);

#endif
