// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's answers mean, as kernel/events/core.c and arch/x86/events/intel/uncore.c give them.  Lockdown is none of the
 * causes: LOCKDOWN_PERF forbids samples with registers in them, and no counting.
 */
#define _GNU_SOURCE
#include "os/linux/perf_why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"

#define PMUS     "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum { STATUS_BYTES = 65536, WHY = 512 };

/* perf_allow_cpu(): who is not perfmon_capable() counts what others do only where paranoid is 0 or less. */
static void why_not_allowed(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	static const char allow[] = "`sysctl kernel.perf_event_paranoid=0`";
	bool told = refusal->paranoid != UNC_LINUX_NOT_TOLD;
	char value[40] = "unknown";

	if (told)
		snprintf(value, sizeof(value), "%d", refusal->paranoid);
	if (told && refusal->paranoid <= 0)
		snprintf(buf, size,
			 "kernel.perf_event_paranoid is %s, which allows it: a security module such as SELinux may "
			 "forbid it; "
			 "its log (`dmesg`) may say more",
			 value);
	else if (!refusal->rights.perfmon)
		snprintf(buf, size,
			 "kernel.perf_event_paranoid is %s, and user %u has no CAP_PERFMON: run it as root, or give "
			 "everybody "
			 "that right with %s",
			 value, refusal->rights.uid, allow);
	else
		snprintf(buf, size,
			 "kernel.perf_event_paranoid is %s, and yet you have CAP_PERFMON: it may be a container's own, "
			 "which does not count here, or a security module forbids it; run it outside of the "
			 "container, or try %s there",
			 value, allow);
}

static void why_not_permitted(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	if (refusal->filtered)
		snprintf(buf, size,
			 "a filter of system calls (seccomp) is on this process, as in a container: run it outside of "
			 "it, or start "
			 "that one with CAP_PERFMON or without the filter");
	else
		snprintf(buf, size, "a security module may forbid it; the kernel's log (`dmesg`) may say more");
}

static void why_not_so(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	snprintf(buf, size,
		 "it does not count that, or not for this CPU; " PMUS "/%s/format and cpumask tell what it takes",
		 refusal->pmu);
}

static int why_no_such(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	if (!refusal->cpu_is_online) {
		snprintf(buf, size,
			 "this machine has no such CPU, or it is offline; take one that the PMU's cpumask has");
		return UNC_ENODEV;
	}
	if (!refusal->pmu[0]) {
		snprintf(buf, size,
			 "no PMU has that number; " PMUS " tells which there are: was a driver unloaded meanwhile?");
		return UNC_ENODEV;
	}
	why_not_so(refusal, buf, size);
	return UNC_EARG;
}

int unc_linux_perf_why(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	switch (refusal->errnum) {
	case EACCES:
		why_not_allowed(refusal, buf, size);
		return UNC_EPERM;
	case EPERM:
		why_not_permitted(refusal, buf, size);
		return UNC_EPERM;
	case EINVAL: /* also of a CPU whose number is too high */
	case ENOENT:
		return why_no_such(refusal, buf, size);
	case ENODEV: /* a CPU that is offline, or a driver that has lost its device */
	case ENXIO:
		snprintf(buf, size,
			 refusal->cpu_is_online ? "the device that it counts with is gone: load its driver again"
						: "CPU %u is offline; take one that the PMU's cpumask has",
			 refusal->cpu);
		return UNC_ENODEV;
	case EBUSY:
		snprintf(buf, size, "somebody counts with this PMU alone (an exclusive event); end that");
		return UNC_EBUSY;
	case ENOSYS:
		snprintf(buf, size, "this kernel has no perf: it takes one with CONFIG_PERF_EVENTS");
		return UNC_ENOSUP;
	case EOPNOTSUPP:
		snprintf(buf, size, "its driver cannot count so on this machine; another event may be countable");
		return UNC_ENOSUP;
	default:
		buf[0] = '\0';
		return unc_linux_err(refusal->errnum);
	}
}

/* ---- finding out ---- */

/* Paths are short: a root that does not fit is told nothing of. */
static void find_pmu(struct unc_ctx *ctx, struct unc_linux_root *root, uint32_t type, char name[UNC_LINUX_PMU_NAME])
{
	char path[UNC_LINUX_PATH_MAX];
	const char *const *names;
	int64_t number;
	size_t n;

	name[0] = '\0';
	snprintf(path, sizeof(path), "%s" PMUS, root->path);
	if (unc_linux_dir_list(ctx, root, path, &names, &n) < 0)
		return;
	for (size_t i = 0; i < n && !name[0]; i++) {
		snprintf(path, sizeof(path), "%s" PMUS "/%s/type", root->path, names[i]);
		if (unc_linux_number_file(root, path, &number) == 0 && number == (int64_t)type)
			snprintf(name, UNC_LINUX_PMU_NAME, "%s", names[i]);
	}
	free((void *)names);
}

/* One that cannot be switched off has no file "online". */
static bool is_online(struct unc_linux_root *root, unsigned cpu)
{
	char path[UNC_LINUX_PATH_MAX];
	int64_t online = 1;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u", root->path, cpu);
	if (!unc_linux_is_there(root, path))
		return false;
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/online", root->path, cpu);
	return unc_linux_number_file(root, path, &online) != 0 || online != 0;
}

/* The mode of seccomp(2) is in proc(5), where a filter lets it be read. */
static bool is_filtered(void)
{
	char *text = malloc(STATUS_BYTES);
	bool filtered = text && unc_linux_short_file(NULL, "/proc/self/status", text, STATUS_BYTES) == 0 &&
			strstr(text, "\nSeccomp:\t2");

	free(text);
	return filtered;
}

/* "perf: uncore_imc_2 (PMU 12), config 0x304, CPU 0" */
static void put_what(const char *pmu, const struct unc_perf_attr *attr, char *buf, size_t size)
{
	char number[40], more[60] = "";

	snprintf(number, sizeof(number), pmu[0] ? " (PMU %" PRIu32 ")" : "PMU %" PRIu32, attr->type);
	if (attr->config1 || attr->config2)
		snprintf(more, sizeof(more), " 0x%" PRIx64 " 0x%" PRIx64, attr->config1, attr->config2);
	snprintf(buf, size, "perf: %s%s, config 0x%" PRIx64 "%s, CPU %u", pmu, number, attr->config, more, attr->cpu);
}

int unc_linux_perf_refused(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr,
			   int errnum)
{
	struct unc_linux_perf_refusal refusal = {.errnum = errnum,
						 .cpu = attr->cpu,
						 .paranoid = UNC_LINUX_NOT_TOLD,
						 .cpu_is_online = is_online(root, attr->cpu),
						 .filtered = is_filtered(),
						 .rights = unc_linux_rights()};
	char what[240], why[WHY];
	int64_t paranoid;
	int err;

	find_pmu(ctx, root, attr->type, refusal.pmu);
	if (unc_linux_number_file(NULL, PARANOID, &paranoid) == 0)
		refusal.paranoid = (int)paranoid;
	put_what(refusal.pmu, attr, what, sizeof(what));
	err = unc_linux_perf_why(&refusal, why, sizeof(why));
	return unc_fail_named(ctx, err, unc_linux_err_name(errnum), "%s: %s%s%s", what, unc_linux_err_text(errnum),
			      why[0] ? ": " : "", why);
}

int unc_linux_perf_broke(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr, int errnum,
			 const char *what)
{
	char pmu[UNC_LINUX_PMU_NAME], event[240];

	find_pmu(ctx, root, attr->type, pmu);
	put_what(pmu, attr, event, sizeof(event));
	if (errnum)
		return unc_linux_fail(ctx, errnum, "%s: %s", event, what);
	return unc_fail(ctx, UNC_EIO, "%s: %s", event, what);
}
