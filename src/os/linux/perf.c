// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's errors mean, by kernel/events/core.c and arch/x86/events/intel/uncore.c.  Lockdown is not a cause:
 * LOCKDOWN_PERF forbids samples with registers in them, but no counting.
 */
#define _GNU_SOURCE
#include "os/linux/perf.h"

#include "os/linux/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text.h"

#define PMUS     "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum { STATUS_BYTES = 65536, WHY = 512 };

/* perf_allow_cpu(): a process that is not perfmon_capable() counts other processes only if paranoid is 0 or less. */
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

int unc_linux_perf_why(const struct unc_linux_perf_refusal *refusal, char *buf, size_t size)
{
	switch (refusal->errnum) {
	case EACCES:
		why_not_allowed(refusal, buf, size);
		return UNC_EPERM;
	case EPERM:
		snprintf(buf, size, "%s",
			 refusal->filtered
				 ? "a filter of system calls (seccomp) is on this process, as in a container: run it "
				   "outside of it, or start that one with CAP_PERFMON or without the filter"
				 : "a security module may forbid it; the kernel's log (`dmesg`) may say more");
		return UNC_EPERM;
	case EINVAL: /* also for a CPU whose number is too high */
	case ENOENT:
		if (refusal->cpu_is_online && refusal->pmu[0]) {
			snprintf(buf, size,
				 "it does not count that, or not for this CPU; " PMUS
				 "/%s/format and cpumask tell what it takes",
				 refusal->pmu);
			return UNC_EARG;
		}
		snprintf(buf, size, "%s",
			 refusal->cpu_is_online ? "no PMU has that number; " PMUS
						  " tells which there are: was a driver unloaded meanwhile?"
						: "this machine has no such CPU, or it is offline; take one that the "
						  "PMU's cpumask has");
		return UNC_ENODEV;
	case ENODEV: /* a CPU that is offline, or a driver that has lost its device */
	case ENXIO:
		snprintf(buf, size,
			 refusal->cpu_is_online ? "the device that it counts with is gone: load its driver again"
						: "CPU %u is offline; take one that the PMU's cpumask has",
			 refusal->cpu);
		return UNC_ENODEV;
	case EBUSY:
		snprintf(buf, size, "another program has this PMU to itself (an exclusive event); end it");
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

/* Writes "perf: uncore_imc_2 (PMU 12), config 0x304, CPU 0", and the name of that PMU; "": it is not known. */
static void put_what(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr,
		     char pmu[UNC_LINUX_PMU_NAME], char *buf, size_t size)
{
	char type[40], more[60] = "";
	struct unc_linux_path path;
	const char *const *names;
	int64_t number;
	size_t n = 0;

	pmu[0] = '\0';
	if (unc_linux_dir_list(ctx, root, unc_linux_path(root, &path, PMUS), &names, &n) < 0)
		names = NULL;
	for (size_t i = 0; names && i < n && !pmu[0]; i++) {
		unc_linux_path(root, &path, PMUS "/%s/type", names[i]);
		if (unc_linux_number_file(root, path.text, &number) == 0 && number == (int64_t)attr->type)
			snprintf(pmu, UNC_LINUX_PMU_NAME, "%s", names[i]);
	}
	free((void *)names);
	snprintf(type, sizeof(type), pmu[0] ? " (PMU %" PRIu32 ")" : "PMU %" PRIu32, attr->type);
	if (attr->config1 || attr->config2)
		snprintf(more, sizeof(more), " 0x%" PRIx64 " 0x%" PRIx64, attr->config1, attr->config2);
	snprintf(buf, size, "perf: %s%s, config 0x%" PRIx64 "%s, CPU %u", pmu, type, attr->config, more, attr->cpu);
}

/* A CPU that cannot be switched off has no file "online". */
static bool is_online(struct unc_linux_root *root, unsigned cpu)
{
	struct unc_linux_path path;
	int64_t online = 1;

	if (!unc_linux_is_there(root, unc_linux_path(root, &path, "/sys/devices/system/cpu/cpu%u", cpu)))
		return false;
	unc_linux_path(root, &path, "/sys/devices/system/cpu/cpu%u/online", cpu);
	return unc_linux_number_file(root, path.text, &online) != 0 || online != 0;
}

/* The mode of seccomp(2) is in proc(5), if a filter lets it be read. */
static bool is_filtered(void)
{
	char *text = malloc(STATUS_BYTES);
	bool filtered = text && unc_linux_short_file(NULL, "/proc/self/status", text, STATUS_BYTES) == 0 &&
			strstr(text, "\nSeccomp:\t2");

	free(text);
	return filtered;
}

/* Finds out what is needed for the message, then fails with "perf: uncore_imc_2 (PMU 12), ...: cause: remedy". */
static int linux_perf_refused(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr,
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

	if (unc_linux_number_file(NULL, PARANOID, &paranoid) == 0)
		refusal.paranoid = (int)paranoid;
	put_what(ctx, root, attr, refusal.pmu, what, sizeof(what));
	err = unc_linux_perf_why(&refusal, why, sizeof(why));
	return unc_fail_named(ctx, err, unc_linux_err_name(errnum), "%s: %s%s%s", what, unc_linux_err_text(errnum),
			      why[0] ? ": " : "", why);
}

/* The same for an event that is open: the operation that failed, and why. */
static int linux_perf_broke(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_perf_attr *attr,
			    int errnum, const char *what)
{
	char pmu[UNC_LINUX_PMU_NAME], event[240];

	put_what(ctx, root, attr, pmu, event, sizeof(event));
	if (errnum)
		return unc_linux_fail(ctx, errnum, "%s: %s", event, what);
	return unc_fail(ctx, UNC_EIO, "%s: %s", event, what);
}

struct unc_linux_perf_event {
	int fd; /* owned; -1: closed */
	struct unc_perf_attr attr;
};

/* The result of read() with PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING (perf_event_open(2)). */
struct format {
	uint64_t value, enabled_ns, running_ns;
};

/* A sysfs shows the kernel that it is mounted in: a copy, or another file system, shows another machine. */
static bool is_this_kernel(struct unc_linux_root *root)
{
	struct unc_linux_path path;
	struct statfs fs;
	bool is_sysfs;
	int fd;

	if (root->fd < 0)
		return true;
	fd = unc_linux_open(root, unc_linux_path(root, &path, "/sys/bus/event_source"), O_PATH);
	if (fd < 0)
		return false;
	is_sysfs = fstatfs(fd, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
	close(fd);
	return is_sysfs;
}

/* Counts every process on that CPU, and is off at first. */
int unc_linux_perf_open(struct unc_host *unc_host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct unc_linux_host *host = (struct unc_linux_host *)unc_host;
	struct unc_ctx *ctx = unc_host->ctx;
	struct unc_linux_root *root = &host->root;
	/* Exclusions do not exist for units outside of the cores: EINVAL. */
	struct perf_event_attr perf_attr = {
		.size = sizeof(perf_attr),
		.type = attr->type,
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct unc_linux_perf_event event = {.fd = -1, .attr = *attr};
	size_t place = 0;

	if (!is_this_kernel(root))
		return unc_fail(
			ctx, UNC_ENOSUP,
			"perf: root:%s/sys/bus/event_source is not the sysfs of the kernel that this program runs "
			"on, which alone can be asked to count",
			root->path);
	if (attr->cpu > INT_MAX)
		return linux_perf_refused(ctx, root, attr, ENODEV);
	while (place < host->n_perf_events && host->perf_events[place].fd >= 0)
		place++;
	if (place == host->n_perf_events &&
	    !unc_array_add(&host->perf_events, &host->n_perf_events, &event, sizeof(event)))
		return unc_fail(ctx, UNC_ENOMEM, "perf: out of memory");
	event.fd = (int)syscall(SYS_perf_event_open, &perf_attr, -1, (int)attr->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (event.fd < 0)
		return linux_perf_refused(ctx, root, attr, errno);
	host->perf_events[place] = event;
	*ret_event = (unsigned)place;
	return UNC_OK;
}

int unc_linux_perf_do(struct unc_host *unc_host, enum unc_perf_op op, unsigned number, struct unc_perf_count *ret_count)
{
	struct unc_linux_host *host = (struct unc_linux_host *)unc_host;
	struct unc_linux_perf_event *event = number < host->n_perf_events ? &host->perf_events[number] : NULL;
	struct format format;
	ssize_t n;

	if (!event || event->fd < 0)
		return unc_fail(unc_host->ctx, UNC_EARG, "perf: event %u is not open", number);
	switch (op) {
	case UNC_PERF_READ:
		n = read(event->fd, &format, sizeof(format));
		if (n < 0)
			return linux_perf_broke(unc_host->ctx, &host->root, &event->attr, errno, "read");
		/* End of file: the event is in the error state (perf_event_open(2)). */
		if (n != (ssize_t)sizeof(format))
			return linux_perf_broke(
				unc_host->ctx, &host->root, &event->attr, 0,
				"read: the kernel has given this event up, and counts it no more: begin anew");
		*ret_count = (struct unc_perf_count){format.value, format.enabled_ns, format.running_ns};
		return UNC_OK;
	case UNC_PERF_CLOSE:
		close(event->fd);
		event->fd = -1;
		return UNC_OK;
	default:
		if (ioctl(event->fd, op == UNC_PERF_ON ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0)
			return UNC_OK;
		return linux_perf_broke(unc_host->ctx, &host->root, &event->attr, errno,
					op == UNC_PERF_ON ? "switch on" : "switch off");
	}
}

void unc_linux_perf_close(struct unc_host *unc_host)
{
	struct unc_linux_host *host = (struct unc_linux_host *)unc_host;

	for (size_t i = 0; i < host->n_perf_events; i++)
		if (host->perf_events[i].fd >= 0)
			close(host->perf_events[i].fd);
	free(host->perf_events);
}
