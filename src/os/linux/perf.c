// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text.h"
#include "os/linux/files.h"
#include "os/linux/perf_why.h"

/* What read() gives with PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING (perf_event_open(2)). */
struct format {
	uint64_t value, enabled_ns, running_ns;
};

/* A sysfs shows the kernel that it is mounted in: a copy, or another file system, shows another machine. */
static bool is_this_kernel(struct unc_linux_root *root)
{
	char path[UNC_LINUX_PATH_MAX];
	struct statfs fs;
	bool is_sysfs;
	int fd;

	if (root->fd < 0)
		return true;
	snprintf(path, sizeof(path), "%s/sys/bus/event_source", root->path);
	fd = unc_linux_open(root, path, O_PATH);
	if (fd < 0)
		return false;
	is_sysfs = fstatfs(fd, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
	close(fd);
	return is_sysfs;
}

/* Of every process on that CPU, beginning switched off.  Exclusions are not for units outside of the cores: EINVAL. */
static int open_event(const struct unc_perf_attr *attr)
{
	struct perf_event_attr perf_attr = {
		.size = sizeof(perf_attr),
		.type = attr->type,
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &perf_attr, -1, (int)attr->cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One that is closed, or one more; NULL: out of memory. */
static struct unc_linux_perf_event *free_place(struct unc_linux_perf *perf)
{
	struct unc_linux_perf_event *events;

	for (size_t i = 0; i < perf->n; i++)
		if (perf->events[i].fd < 0)
			return &perf->events[i];
	events = unc_array_more(perf->events, perf->n, sizeof(*events));
	if (!events)
		return NULL;
	perf->events = events;
	events[perf->n].fd = -1;
	return &events[perf->n++];
}

int unc_linux_perf_open(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_perf *perf,
			const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct unc_linux_perf_event *event;
	int fd;

	if (!is_this_kernel(root))
		return unc_fail(
			host->ctx, UNC_ENOSUP,
			"perf: root:%s/sys/bus/event_source is not the sysfs of the kernel that this program runs "
			"on, which alone can be asked to count",
			root->path);
	if (attr->cpu > INT_MAX)
		return unc_linux_perf_refused(host->ctx, root, attr, ENODEV);
	event = free_place(perf);
	if (!event)
		return unc_fail(host->ctx, UNC_ENOMEM, "perf: out of memory");
	fd = open_event(attr);
	if (fd < 0)
		return unc_linux_perf_refused(host->ctx, root, attr, errno);
	*event = (struct unc_linux_perf_event){.fd = fd, .attr = *attr};
	*ret_event = (unsigned)(event - perf->events);
	return UNC_OK;
}

static int read_event(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_linux_perf_event *event,
		      struct unc_perf_count *ret_count)
{
	struct format format;
	ssize_t n = read(event->fd, &format, sizeof(format));

	if (n < 0)
		return unc_linux_perf_broke(ctx, root, &event->attr, errno, "read");
	/* End of file: the event is in the state of error (perf_event_open(2)). */
	if (n != (ssize_t)sizeof(format))
		return unc_linux_perf_broke(
			ctx, root, &event->attr, 0,
			"read: the kernel has given this event up, and counts it no more: begin anew");
	*ret_count = (struct unc_perf_count){
		.value = format.value, .enabled_ns = format.enabled_ns, .running_ns = format.running_ns};
	return UNC_OK;
}

static int switch_event(struct unc_ctx *ctx, struct unc_linux_root *root, const struct unc_linux_perf_event *event,
			bool on)
{
	if (ioctl(event->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0)
		return UNC_OK;
	return unc_linux_perf_broke(ctx, root, &event->attr, errno, on ? "switch on" : "switch off");
}

int unc_linux_perf_do(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_perf *perf,
		      enum unc_perf_op op, unsigned number, struct unc_perf_count *ret_count)
{
	struct unc_linux_perf_event *event = number < perf->n ? &perf->events[number] : NULL;

	if (!event || event->fd < 0)
		return unc_fail(host->ctx, UNC_EARG, "perf: event %u is not open", number);
	switch (op) {
	case UNC_PERF_READ:
		return read_event(host->ctx, root, event, ret_count);
	case UNC_PERF_CLOSE:
		close(event->fd);
		event->fd = -1;
		return UNC_OK;
	default:
		return switch_event(host->ctx, root, event, op == UNC_PERF_ON);
	}
}

void unc_linux_perf_close(struct unc_linux_perf *perf)
{
	for (size_t i = 0; i < perf->n; i++)
		if (perf->events[i].fd >= 0)
			close(perf->events[i].fd);
	free(perf->events);
	*perf = (struct unc_linux_perf){0};
}
