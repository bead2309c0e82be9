// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/host.h"

#include "base/text.h"

#define OWN     "own:"
#define COMMAND "/proc/COMMAND"

void unc_topo_clear(struct unc_topo *topo)
{
	if (!topo)
		return;
	free(topo->packages);
	*topo = (struct unc_topo){0};
}

static int by_id(const void *a, const void *b)
{
	const struct unc_package *pa = a, *pb = b;

	return unc_order(pa->id, pb->id);
}

int unc_topo_of(struct unc_ctx *ctx, const struct unc_host_cpu *cpus, size_t n, struct unc_topo *ret_topo)
{
	struct unc_topo topo = {.packages = calloc(n + 1, sizeof(*topo.packages))};

	if (!topo.packages)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	for (const struct unc_host_cpu *cpu = cpus; cpu < cpus + n; cpu++) {
		size_t k = 0;

		if (cpu->online && !topo.n_cpus++)
			topo.first_cpu = cpu->cpu;
		if (!cpu->online || cpu->package < 0)
			continue;
		while (k < topo.n_packages && topo.packages[k].id != (unsigned)cpu->package)
			k++;
		if (k == topo.n_packages)
			topo.packages[topo.n_packages++] =
				(struct unc_package){.id = (unsigned)cpu->package, .first_cpu = cpu->cpu};
		topo.packages[k].n_cpus++;
	}
	qsort(topo.packages, topo.n_packages, sizeof(topo.packages[0]), by_id);
	*ret_topo = topo;
	return UNC_OK;
}

int unc_host_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct unc_host_cpu *cpus = NULL;
	size_t n;
	int rc = host->ops->cpus(host, &cpus, &n);

	if (rc == UNC_OK)
		rc = unc_topo_of(host->ctx, cpus, n, ret_topo);
	free(cpus);
	return rc;
}

void unc_host_close(struct unc_host *host)
{
	if (host)
		host->ops->close(host);
}

static int no_perf(struct unc_host *host)
{
	return unc_fail(host->ctx, UNC_ENOSUP,
			"this machine has no operating system that would count with these counters (perf)");
}

int unc_host_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	return host->ops->perf_open ? host->ops->perf_open(host, attr, ret_event) : no_perf(host);
}

int unc_host_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	return host->ops->perf ? host->ops->perf(host, op, event, ret_count) : no_perf(host);
}

int unc_host_path(struct unc_host *host, const char *root, const char *path, char **ret_path)
{
	bool own = strncmp(path, OWN, strlen(OWN)) == 0;
	const char *rest = own ? path + strlen(OWN) : path;

	if (!own && !root)
		return unc_fail_named(
			host->ctx, UNC_ENODEV, "ENOENT",
			"%s: this machine has no operating system whose files could be read; files=DIR gives "
			"a simulated one some",
			path);
	if (*rest != '/')
		return unc_fail(host->ctx, UNC_EARG, "%s: this is no whole path", path);
	if (!own) {
		*ret_path = unc_text_new("%s%s", root, rest);
	} else if (strncmp(rest, COMMAND, strlen(COMMAND)) != 0 || !strchr("/", rest[strlen(COMMAND)])) {
		*ret_path = unc_text_dup(rest);
	} else {
		if (host->command <= 0)
			return unc_fail_named(host->ctx, UNC_ENODEV, "ENOENT", "%s: there is no COMMAND", path);
		*ret_path = unc_text_new("/proc/%d%s", host->command, rest + strlen(COMMAND));
	}
	return *ret_path ? UNC_OK : unc_fail(host->ctx, UNC_ENOMEM, "%s: out of memory", path);
}

static int look(struct unc_host *host, enum unc_look what, const char *path, size_t max, struct unc_os_found *ret_found)
{
	return host->ops->look ? host->ops->look(host, what, path, max, ret_found) : UNC_ENODEV;
}

int unc_host_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct unc_os_found found;
	int rc = look(host, UNC_LOOK_TEXT, path, max, &found);

	if (rc < 0)
		return rc;
	*ret_text = found.text;
	if (ret_len)
		*ret_len = found.n;
	return UNC_OK;
}

int unc_host_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct unc_os_found found;
	int rc = look(host, UNC_LOOK_NAMES, path, SIZE_MAX, &found);

	if (rc < 0)
		return rc;
	*ret_names = found.names;
	*ret_n = found.n;
	return UNC_OK;
}

int unc_host_link(struct unc_host *host, const char *path, char **ret_text)
{
	struct unc_os_found found;
	int rc = look(host, UNC_LOOK_LINK, path, SIZE_MAX, &found);

	if (rc < 0)
		return rc;
	*ret_text = found.text;
	return UNC_OK;
}

int unc_host_boot(struct unc_host *host, char *buf, size_t size)
{
	static const char boot_id[] = OWN "/proc/sys/kernel/random/boot_id";
	char *text;
	int rc = unc_host_file(host, boot_id + strlen(OWN), size - 1, &text, NULL);

	if (rc < 0 && rc != UNC_ENOMEM)
		rc = unc_host_file(host, boot_id, size - 1, &text, NULL);
	if (rc < 0)
		return rc;
	snprintf(buf, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return UNC_OK;
}
