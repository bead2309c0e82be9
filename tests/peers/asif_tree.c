// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine below TREE: which CPUs it has, what CPUID says on each, and what time its counters show. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "asif.h"

#define MSR_TSC    0x10
#define NOT_OPENED -1
#define NOT_THERE  -2

/* The list of a sysfs file: "0-3,8,10-11".  The highest CPU + 1, 0 if there is no such file. */
static unsigned read_list(const char *tree, const char *file, uint64_t mask[ASIF_MAX_CPUS / 64])
{
	char path[4096], text[4096] = "", *p = text;
	unsigned highest = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/%s", tree, file);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	while (*p >= '0' && *p <= '9') {
		unsigned long first = strtoul(p, &p, 10), last = first;

		if (*p == '-')
			last = strtoul(p + 1, &p, 10);
		if (last < first || last >= ASIF_MAX_CPUS)
			die("%s: no list of CPUs below %d: %s", path, ASIF_MAX_CPUS, text);
		for (unsigned long cpu = first; cpu <= last; cpu++)
			mask[cpu / 64] |= UINT64_C(1) << (cpu % 64);
		if (last >= highest)
			highest = (unsigned)last + 1;
		if (*p == ',')
			p++;
	}
	return highest;
}

/* From the brand string, "... @ 2.60GHz"; 1 GHz if it does not say. */
static double brand_hz(struct tree *tree, unsigned cpu)
{
	char brand[49] = "";
	const char *at;
	double ghz;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t regs[4];

		tree_cpuid(tree, cpu, 0x80000002 + i, 0, regs);
		memcpy(brand + (size_t)16 * i, regs, 16);
	}
	at = strchr(brand, '@');
	ghz = at ? strtod(at + 1, NULL) : 0;
	return ghz > 0 ? ghz * 1e9 : 1e9;
}

void tree_open(struct tree *tree, const char *path)
{
	struct rlimit files;
	unsigned n_online;
	uint64_t possible[ASIF_MAX_CPUS / 64] = {0};

	memset(tree, 0, sizeof(*tree));
	tree->path = path;
	n_online = read_list(path, "online", tree->online);
	if (!n_online)
		die("%s/sys/devices/system/cpu/online: names no CPU", path);
	tree->n_possible = read_list(path, "possible", possible);
	if (tree->n_possible < n_online)
		tree->n_possible = n_online;
	for (unsigned cpu = 0; cpu < ASIF_MAX_CPUS; cpu++)
		tree->cpuid_fd[cpu] = tree->msr_fd[cpu] = NOT_OPENED;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max < 65536 ? files.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

bool tree_is_online(const struct tree *tree, unsigned cpu)
{
	return cpu < ASIF_MAX_CPUS && (tree->online[cpu / 64] >> (cpu % 64) & 1);
}

static int open_of(const struct tree *tree, unsigned cpu, const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/dev/cpu/%u/%s", tree->path, cpu, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

void tree_cpuid(struct tree *tree, unsigned cpu, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
	char path[4096];
	ssize_t n;

	if (tree->cpuid_fd[cpu] < 0)
		tree->cpuid_fd[cpu] = open_of(tree, cpu, "cpuid", path);
	if (tree->cpuid_fd[cpu] < 0)
		die("CPUID on CPU %u: open %s: %s", cpu, path, strerror(errno));
	/* File positions have a sign; no leaf looks at the highest bit of ECX, though a program may leave it set. */
	n = pread(tree->cpuid_fd[cpu], ret_regs, 16, (off_t)(leaf | (uint64_t)(subleaf & 0x7fffffff) << 32));
	if (n != 16)
		die("CPUID on CPU %u: leaf 0x%x.%u: read %s/dev/cpu/%u/cpuid: %s", cpu, leaf, subleaf, tree->path, cpu,
		    n < 0 ? strerror(errno) : "not 16 bytes");
}

uint64_t tree_tsc(struct tree *tree, unsigned cpu)
{
	struct timespec now;
	uint64_t tsc;
	char path[4096];

	if (tree->msr_fd[cpu] == NOT_OPENED && !tree->real_time) {
		tree->msr_fd[cpu] = open_of(tree, cpu, "msr", path);
		if (tree->msr_fd[cpu] < 0)
			tree->msr_fd[cpu] = NOT_THERE;
	}
	if (tree->msr_fd[cpu] >= 0) {
		if (pread(tree->msr_fd[cpu], &tsc, sizeof(tsc), MSR_TSC) != sizeof(tsc))
			die("RDTSC on CPU %u: read MSR 0x10: %s", cpu, strerror(errno));
		return tsc;
	}
	if (tree->made_up_hz == 0)
		tree->made_up_hz = brand_hz(tree, cpu);
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)((double)now.tv_sec * tree->made_up_hz + (double)now.tv_nsec * 1e-9 * tree->made_up_hz);
}

unsigned tree_node(const struct tree *tree, unsigned cpu)
{
	char path[4096];

	for (unsigned node = 0; node < 64; node++) {
		snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%u/cpu%u", tree->path, node, cpu);
		if (access(path, F_OK) == 0)
			return node;
	}
	return 0;
}
