// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "base/text.h"
#include "os/linux/clock.h"
#include "os/linux/cpus.h"
#include "os/linux/cpuid.h"
#include "os/linux/fail.h"
#include "os/linux/msr.h"
#include "os/linux/pci.h"
#include "os/linux/perf.h"
#include "os/linux/refused.h"
#include "os/linux/topo.h"
#include "os/linux/traffic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct linux_host {
	struct unc_host host;
	char *root; /* owned; in front of every path: "" for this computer, no slash at its end */
	struct unc_linux_cpuid cpuid;
	struct unc_linux_clock clock;
	struct unc_linux_traffic traffic;
	struct unc_linux_perf perf;
};

static void host_close(struct unc_host *unc_host)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	unc_linux_perf_close(&host->perf);
	unc_linux_traffic_close(unc_host, &host->traffic);
	unc_linux_cpuid_close(&host->cpuid);
	unc_linux_clock_close(&host->clock);
	free(host->root);
	free(host);
}

static uint64_t host_now_ns(struct unc_host *unc_host, enum unc_clock clock)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	return host->clock.fd < 0 ? unc_os_now_ns(clock) : unc_linux_clock_now(&host->clock, clock);
}

static int host_sleep_until(struct unc_host *unc_host, uint64_t mono_ns)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	return host->clock.fd < 0 ? unc_os_sleep_until(mono_ns, unc_host->wake_fd)
				  : unc_linux_clock_sleep(&host->clock, mono_ns, unc_host->wake_fd);
}

static int host_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		      struct unc_cpuid_regs *ret_regs)
{
	return unc_linux_cpuid_get(&((struct linux_host *)host)->cpuid, cpu, leaf, subleaf, ret_regs);
}

static int host_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	return unc_linux_topo_read(host->ctx, ((struct linux_host *)host)->root, ret_topo);
}

static int host_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	return unc_linux_cpus_read(host->ctx, ((struct linux_host *)host)->root, ret_cpus, ret_n);
}

static int host_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	return unc_host_file_below(host, ((struct linux_host *)host)->root, path, max, ret_text, ret_len);
}

static int host_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	return unc_host_names_below(host, ((struct linux_host *)host)->root, path, ret_names, ret_n);
}

static int host_link(struct unc_host *host, const char *path, char **ret_text)
{
	return unc_host_link_below(host, ((struct linux_host *)host)->root, path, ret_text);
}

/* A directory by its device and inode: another one that is put in its place is another machine. */
static int host_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	const char *root = ((struct linux_host *)host)->root;
	struct unc_host_identity identity;
	int rc = UNC_OK;

	if (*root)
		rc = unc_os_identity(host->ctx, root, "root:", identity.machine, sizeof(identity.machine));
	else
		snprintf(identity.machine, sizeof(identity.machine), "live");
	if (rc == UNC_OK)
		rc = unc_host_boot_below(host, root, identity.boot, sizeof(identity.boot));
	if (rc == UNC_OK)
		*ret_identity = identity;
	return rc;
}

static int host_traffic(struct unc_host *unc_host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			struct unc_traffic_done *ret_done)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	return unc_linux_traffic(unc_host, host->root, &host->traffic, op, traffic, ret_done);
}

static int host_perf_open(struct unc_host *unc_host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	return unc_linux_perf_open(unc_host, host->root, &host->perf, attr, ret_event);
}

static int host_perf(struct unc_host *unc_host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct linux_host *host = (struct linux_host *)unc_host;

	return unc_linux_perf_do(unc_host, host->root, &host->perf, op, event, ret_count);
}

static int host_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	const char *root = ((struct linux_host *)host)->root;

	switch (kind) {
	case UNC_PCI:
		return unc_linux_pci_open(host->ctx, root, writable, ret_bus);
	case UNC_MSR:
		return unc_linux_msr_open(host->ctx, root, writable, ret_bus);
	default:
		return unc_fail(host->ctx, UNC_ENOSUP,
				"this machine is reached through PCI configuration space and "
				"model-specific registers only");
	}
}

static const struct unc_host_ops linux_ops = {
	.close = host_close,
	.now_ns = host_now_ns,
	.sleep_until = host_sleep_until,
	.cpuid = host_cpuid,
	.topology = host_topology,
	.cpus = host_cpus,
	.file = host_file,
	.names = host_names,
	.link = host_link,
	.identity = host_identity,
	.traffic = host_traffic,
	.perf_open = host_perf_open,
	.perf = host_perf,
	.bus_open = host_bus_open,
};

static int check_root(struct unc_ctx *ctx, const char *root)
{
	struct unc_linux_refusal refusal = {.root = "", .path = root, .deed = UNC_LINUX_OPEN_READ};
	struct stat st;

	if (stat(root, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return UNC_OK;
		return unc_fail_named(ctx, UNC_EARG, "ENOTDIR", "root:%s: not a directory", root);
	}
	if (errno == ENOENT || errno == ENOTDIR)
		return unc_fail_named(ctx, UNC_EARG, "ENOENT", "root:%s: no such directory", root);
	refusal.errnum = errno;
	if (unc_linux_is_refusal(errno))
		return unc_linux_refused(ctx, &refusal, "root:%s", root);
	return unc_linux_fail(ctx, errno, "root:%s", root);
}

static void cut_slashes(char *root)
{
	size_t len = strlen(root);

	while (len && root[len - 1] == '/')
		root[--len] = '\0';
}

int unc_linux_host_open(struct unc_ctx *ctx, const char *root, int wake_fd, struct unc_host **ret_host)
{
	bool live = !root || !*root;
	struct linux_host *host;
	int rc = live ? UNC_OK : check_root(ctx, root);

	if (rc < 0)
		return rc;
	host = calloc(1, sizeof(*host));
	if (!host)
		return unc_fail(ctx, UNC_ENOMEM, "machine: out of memory");
	host->host = (struct unc_host){.ops = &linux_ops, .ctx = ctx, .wake_fd = wake_fd};
	host->cpuid.fd = -1;
	host->clock.fd = -1;
	host->root = unc_text_dup(live ? "" : root);
	if (!host->root) {
		rc = unc_fail(ctx, UNC_ENOMEM, "machine: out of memory");
		goto fail;
	}
	cut_slashes(host->root);
	rc = unc_linux_cpuid_open(ctx, host->root, live, &host->cpuid);
	if (rc == UNC_OK && !live)
		rc = unc_linux_clock_open(ctx, host->root, &host->clock);
	if (rc < 0)
		goto fail;
	/* Silicon has no time that stands still. */
	host->host.simulated = host->host.stands_still = host->clock.fd >= 0;
	*ret_host = &host->host;
	return UNC_OK;
fail:
	host_close(&host->host);
	return rc;
}
