// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whoami WHAT...: what the processor says of itself to a program that asks it directly, one line each.
 *     cpuid LEAF SUBLEAF    eax ebx ecx edx in hex
 *     rate                  of RDTSC, in Hz, over a fifth of a second
 *     rdtscp                node and CPU it says
 *     affinity CPU          go there, then where sched_getaffinity, sched_getcpu and leaf 0xB say we are
 *     each                  leaf 0xB's id of every CPU up to sysconf(_SC_NPROCESSORS_CONF), by as many threads at once, often
 *     loaded LIBRARY        dlopen it, and ask it (whoami_lib.c)
 *     fork                  the rest of the arguments, in a child
 *     exec                  the rest of the arguments, as a new program
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define TIMES 50

static unsigned id_by_cpuid(void)
{
	unsigned eax, ebx, ecx, edx;

	__cpuid_count(0xb, 0, eax, ebx, ecx, edx);
	return edx;
}

static int go_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A time stamp and when it was taken, within a millisecond. */
static uint64_t stamp(uint64_t *ret_ns)
{
	uint64_t before, stamp, after;

	do {
		before = now_ns();
		stamp = __rdtsc();
		after = now_ns();
	} while (after - before > 1000000);
	*ret_ns = before + (after - before) / 2;
	return stamp;
}

static void print_rate(void)
{
	uint64_t t0, t1, c0 = stamp(&t0), c1;

	usleep(200000);
	c1 = stamp(&t1);
	printf("%.0f\n", (double)(c1 - c0) * 1e9 / (double)(t1 - t0));
}

static void print_affinity(unsigned cpu)
{
	cpu_set_t set;

	if (go_to(cpu) < 0) {
		printf("refused\n");
		return;
	}
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		exit(1);
	printf("%d %d %d %u\n", CPU_COUNT(&set), CPU_ISSET(cpu, &set) ? (int)cpu : -1, sched_getcpu(), id_by_cpuid());
}

static void *often(void *data)
{
	unsigned *id = data, cpu = *id;

	if (go_to(cpu) < 0)
		return NULL;
	*id = id_by_cpuid();
	for (int i = 0; i < TIMES; i++)
		if (id_by_cpuid() != *id)
			*id = UINT32_MAX;
	return id;
}

static void print_each(void)
{
	unsigned n = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	pthread_t *threads = calloc(n, sizeof(*threads));
	unsigned *ids = calloc(n, sizeof(*ids));

	for (unsigned cpu = 0; cpu < n; cpu++) {
		ids[cpu] = cpu;
		if (pthread_create(&threads[cpu], NULL, often, &ids[cpu]) != 0)
			exit(1);
	}
	for (unsigned cpu = 0; cpu < n; cpu++) {
		void *seen;

		pthread_join(threads[cpu], &seen);
		printf(seen ? "%u " : "- ", ids[cpu]);
	}
	printf("\n");
	free(threads);
	free(ids);
}

int main(int argc, char **argv)
{
	unsigned eax, ebx, ecx, edx, aux;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "cpuid") == 0 && i + 2 < argc) {
			__cpuid_count(strtoul(argv[i + 1], NULL, 0), strtoul(argv[i + 2], NULL, 0), eax, ebx, ecx, edx);
			printf("%08x %08x %08x %08x\n", eax, ebx, ecx, edx);
			i += 2;
		} else if (strcmp(argv[i], "rate") == 0) {
			print_rate();
		} else if (strcmp(argv[i], "rdtscp") == 0) {
			__rdtscp(&aux);
			printf("%u %u\n", aux >> 12, aux & 0xfff);
		} else if (strcmp(argv[i], "affinity") == 0 && i + 1 < argc) {
			print_affinity((unsigned)strtoul(argv[++i], NULL, 0));
		} else if (strcmp(argv[i], "each") == 0) {
			print_each();
		} else if (strcmp(argv[i], "loaded") == 0 && i + 1 < argc) {
			const char *(*says)(void);
			void *library = dlopen(argv[++i], RTLD_NOW);

			says = library ? (const char *(*)(void))dlsym(library, "whoami_letters") : NULL;
			printf("%s\n", says ? says() : dlerror());
		} else if (strcmp(argv[i], "fork") == 0) {
			pid_t child = fork();

			if (child) {
				waitpid(child, NULL, 0);
				return 0;
			}
		} else if (strcmp(argv[i], "exec") == 0) {
			argv[i] = argv[0];
			execv("/proc/self/exe", argv + i);
			return 1;
		} else {
			return 2;
		}
	}
	return 0;
}
