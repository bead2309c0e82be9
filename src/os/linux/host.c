// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "os/linux/perf.h"

#include <unistd.h>

static struct unc_linux_root *root_of(struct unc_host *host)
{
	return &((struct unc_linux_host *)host)->root;
}

static void host_close(struct unc_host *unc_host)
{
	struct unc_linux_host *host = (struct unc_linux_host *)unc_host;
	struct unc_traffic_done done;

	if (host->makes_traffic)
		unc_linux_traffic(unc_host, UNC_TRAFFIC_STOP, NULL, &done);
	unc_linux_perf_close(unc_host);
	unc_linux_cpuid_close(&host->cpuid);
	if (host->clock_fd >= 0)
		close(host->clock_fd);
	unc_linux_root_close(&host->root);
	free(host);
}

static uint64_t host_now_ns(struct unc_host *host, enum unc_clock clock)
{
	int fd = ((struct unc_linux_host *)host)->clock_fd;

	return fd < 0 ? unc_os_now_ns(clock) : unc_linux_clock_now(fd, clock);
}

static int host_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	int fd = ((struct unc_linux_host *)host)->clock_fd;

	return fd < 0 ? unc_os_sleep_until(mono_ns, host->wake_fd) : unc_linux_clock_sleep(fd, mono_ns, host->wake_fd);
}

static int host_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	return unc_linux_topo_read(host->ctx, root_of(host), ret_topo);
}

static int host_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	return unc_linux_cpus_read(host->ctx, root_of(host), true, ret_cpus, ret_n);
}

static int host_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		     struct unc_os_found *ret_found)
{
	bool below = *path == '/'; /* else "own:", which is of the computer that this program runs on */
	char *real = NULL;
	int rc = unc_host_path(host, below ? root_of(host)->path : "", path, &real);

	if (rc == UNC_OK)
		rc = unc_linux_look(host->ctx, below ? root_of(host) : NULL, what, real, max, ret_found);
	free(real);
	return rc;
}

/* Identifies a directory by device and inode: another directory in its place is another machine. */
static int host_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	const struct unc_linux_root *root = root_of(host);
	struct unc_host_identity identity;
	int rc = UNC_OK;

	if (root->fd >= 0)
		rc = unc_os_identity(host->ctx, root->path, "root:", identity.machine, sizeof(identity.machine));
	else
		snprintf(identity.machine, sizeof(identity.machine), "live");
	if (rc == UNC_OK)
		rc = unc_host_boot(host, identity.boot, sizeof(identity.boot));
	if (rc == UNC_OK)
		*ret_identity = identity;
	return rc;
}

static int by_address(const void *a, const void *b)
{
	return unc_addr_compare(a, b);
}

int unc_linux_list(struct unc_bus *bus, struct unc_linux_root *root, const char *path,
		   bool (*is_space)(const char *name, struct unc_addr *ret_addr), struct unc_addr **ret_addrs,
		   size_t *ret_n)
{
	struct unc_linux_path dir;
	const char *const *names;
	struct unc_addr *addrs;
	size_t n_names, n = 0;
	int rc = unc_linux_dir_list(bus->ctx, root, unc_linux_path(root, &dir, "%s", path), &names, &n_names);

	if (rc < 0)
		return unc_wrap(bus->ctx, rc, "%s", bus->ops->name);
	addrs = calloc(n_names + 1, sizeof(*addrs));
	for (size_t i = 0; addrs && i < n_names; i++)
		n += is_space(names[i], &addrs[n]);
	free((void *)names);
	if (!addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "%s: out of memory", bus->ops->name);
	qsort(addrs, n, sizeof(*addrs), by_address);
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static int host_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_linux_root *root = root_of(host);

	switch (kind) {
	case UNC_PCI:
		return (((struct unc_linux_host *)host)->ecam ? unc_linux_ecam_open
							      : unc_linux_pci_open)(host->ctx, root, writable, ret_bus);
	case UNC_MSR:
		return unc_linux_msr_open(host->ctx, root, writable, ret_bus);
	case UNC_MMIO:
		return unc_linux_mmio_open(host->ctx, root, writable, ret_bus);
	case UNC_AREA:
		return unc_linux_area_open(host->ctx, root, writable, ret_bus);
	default:
		return unc_fail(host->ctx, UNC_ENOSUP, "this machine has no such way to registers");
	}
}

static const struct unc_host_ops linux_ops = {
	.close = host_close,
	.now_ns = host_now_ns,
	.sleep_until = host_sleep_until,
	.cpuid = unc_linux_cpuid_get,
	.topology = host_topology,
	.cpus = host_cpus,
	.look = host_look,
	.identity = host_identity,
	.traffic = unc_linux_traffic,
	.perf_open = unc_linux_perf_open,
	.perf = unc_linux_perf_do,
	.bus_open = host_bus_open,
};

int unc_linux_host_open(struct unc_ctx *ctx, const char *root, bool ecam, int wake_fd, struct unc_host **ret_host)
{
	struct unc_linux_host *host = calloc(1, sizeof(*host));
	bool live = !root || !*root;
	int rc;

	if (!host)
		return unc_fail(ctx, UNC_ENOMEM, "machine: out of memory");
	host->host = (struct unc_host){.ops = &linux_ops, .ctx = ctx, .wake_fd = wake_fd};
	host->ecam = ecam;
	host->cpuid.fd = -1;
	host->clock_fd = -1;
	rc = unc_linux_root_open(ctx, root, &host->root);
	if (rc == UNC_OK)
		rc = unc_linux_cpuid_open(ctx, &host->root, live, &host->cpuid);
	if (rc == UNC_OK && !live)
		rc = unc_linux_clock_open(ctx, &host->root, &host->clock_fd);
	if (rc < 0) {
		host_close(&host->host);
		return rc;
	}
	/* Real hardware has no time that stands still. */
	host->host.simulated = host->host.stands_still = host->clock_fd >= 0;
	*ret_host = &host->host;
	return UNC_OK;
}
