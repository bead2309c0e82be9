// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/traffic_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/os.h"
#include "base/text.h"

enum { FILE_MAX = 65536, NODES_MAX = 1024, CPUS_MAX = 65536, HUGE_PAGE = 2 << 20, WORD_BITS = 8 * sizeof(long) };

/*
 * Only mbind() of libnuma is needed.  Its object file in the archive refers to this function, which is in a file whose constructor
 * reads /proc and /sys: 31 more system calls at each start of every command.
 */
unsigned int numa_bitmask_nbytes(struct bitmask *mask)
{
	return (unsigned)((mask->size + WORD_BITS - 1) / WORD_BITS * sizeof(long));
}

struct looking {
	uint64_t wanted;
	size_t n;
	bool found;
};

static void look(void *arg, uint64_t number)
{
	struct looking *looking = arg;

	looking->n++;
	looking->found |= number == looking->wanted;
}

/* Is a number in the list of a file of /sys, "0-3,8"?  False: there is no such file. */
static bool look_into(struct unc_ctx *ctx, const char *path, struct looking *looking)
{
	char *text;
	bool whole;

	if (unc_os_file_read(ctx, path, FILE_MAX, UNC_TRUST_ANY, &text, NULL) < 0)
		return false;
	whole = unc_text_list(text, CPUS_MAX, look, looking);
	free(text);
	return whole;
}

int traffic_cpu_check(struct unc_ctx *ctx, unsigned cpu)
{
	struct looking looking = {.wanted = cpu};
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	bool allowed;

	if (!set)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	CPU_ZERO_S(size, set);
	allowed = sched_getaffinity(0, size, set) == 0 && CPU_ISSET_S(cpu, size, set);
	CPU_FREE(set);
	if (allowed)
		return UNC_OK;
	if (look_into(ctx, "/sys/devices/system/cpu/online", &looking) && !looking.found)
		return unc_fail(ctx, UNC_ENODEV, "cpu %u: there is none of that number online", cpu);
	return unc_fail(ctx, UNC_EPERM,
			"cpu %u: this process may not run there; its CPUs are restricted (taskset, cgroup, container)",
			cpu);
}

/* The value of a line "Name: 123 kB", or of a node "Node 0 Name: 123 kB", in bytes; 0: there is no such line. */
static uint64_t line_of(const char *meminfo, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = meminfo; (at = strstr(at, name)); at += len) {
		char *end;
		uint64_t kib;

		if (at > meminfo && at[-1] != ' ' && at[-1] != '\n')
			continue;
		if (at[len] != ':')
			continue;
		kib = strtoull(at + len + 1, &end, 10);
		return strncmp(end, " kB", 3) == 0 ? kib * 1024 : 0;
	}
	return 0;
}

/* Cached files can be dropped, except those in use; a node does not report what is available, as the whole computer does. */
bool traffic_meminfo_spare(const char *meminfo, uint64_t *ret_bytes)
{
	uint64_t spare = line_of(meminfo, "MemAvailable");

	if (!spare)
		spare = line_of(meminfo, "MemFree") + line_of(meminfo, "Inactive(file)") +
			line_of(meminfo, "SReclaimable") / 2;
	if (!strstr(meminfo, "MemFree:"))
		return false;
	*ret_bytes = spare;
	return true;
}

/* False: it is not known. */
static bool spare_of(struct unc_ctx *ctx, const char *path, uint64_t *ret_bytes)
{
	char *text;
	bool known;

	if (unc_os_file_read(ctx, path, FILE_MAX, UNC_TRUST_ANY, &text, NULL) < 0)
		return false;
	known = traffic_meminfo_spare(text, ret_bytes);
	free(text);
	return known;
}

static size_t count_nodes(struct unc_ctx *ctx, unsigned node, bool *ret_there)
{
	struct looking looking = {.wanted = node};

	/* A kernel without NUMA has no such file, and all memory in node 0. */
	if (!look_into(ctx, "/sys/devices/system/node/online", &looking))
		looking = (struct looking){.n = 1, .found = node == 0};
	*ret_there = looking.found && node < NODES_MAX;
	return looking.n;
}

int traffic_node_check(struct unc_ctx *ctx, unsigned node, uint64_t bytes)
{
	uint64_t spare;
	char path[64];
	bool there, known;
	size_t n = count_nodes(ctx, node, &there);

	if (!there)
		return unc_fail(ctx, UNC_ENODEV, "node %u: this computer has no such NUMA node", node);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", node);
	known = spare_of(ctx, n > 1 ? path : "/proc/meminfo", &spare);
	/* Leaves a tenth to other processes. */
	if (known && bytes > spare - spare / 10)
		return unc_fail(ctx, UNC_EARG,
				"node %u: buffers of %" PRIu64 " bytes in all are too large for the %" PRIu64
				" bytes of memory that it has to spare; take a smaller --size, or fewer CPUs",
				node, bytes, spare);
	return UNC_OK;
}

static int bind_to(struct unc_ctx *ctx, unsigned node, void *memory, size_t bytes)
{
	unsigned long mask[NODES_MAX / WORD_BITS] = {0};
	bool there;
	int error;

	mask[node / WORD_BITS] = 1UL << (node % WORD_BITS);
	if (mbind(memory, bytes, MPOL_BIND, mask, NODES_MAX + 1, 0) == 0)
		return UNC_OK;
	error = errno;
	/* There is nothing to choose: a kernel without NUMA, or a container that forbids it on a computer with one node. */
	if ((error == ENOSYS || error == EPERM) && count_nodes(ctx, node, &there) == 1)
		return UNC_OK;
	if (error == EPERM || error == EINVAL)
		return unc_fail(
			ctx, UNC_EPERM,
			"node %u: this process may not have memory there; it is restricted (cgroup, container): "
			"%s",
			node, strerror(error));
	return unc_fail(ctx, UNC_EIO, "node %u: memory cannot be bound to it: %s", node, strerror(error));
}

int traffic_memory(struct unc_ctx *ctx, unsigned node, size_t bytes, void **ret_memory)
{
	void *memory;
	int rc;

	if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory: a buffer of %zu bytes", bytes);
	rc = bind_to(ctx, node, memory, bytes);
	if (rc < 0) {
		free(memory);
		return rc;
	}
	/* Reduces page walks, which read memory too; huge pages are not required. */
	madvise(memory, bytes, MADV_HUGEPAGE);
	*ret_memory = memory;
	return UNC_OK;
}
