// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost COMMAND...: runs it to its end.  Prints its CPU time in ns and the most memory it had resident, in KB.
 * cost -s COMMAND...: runs it until it rests, then ends it by SIGINT.  Prints its CPU time until then in ns, from exec on, and how
 * many threads it has.  That it rests only when its counters run is seen in its system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) < 0)
		die("it has ended already");
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* CPU time when it has used none for a tenth of a second. */
static uint64_t at_rest_ns(pid_t pid)
{
	struct timespec tenth = {.tv_nsec = 100000000};
	uint64_t before, now = 0;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0)
		die("its clock");
	do {
		before = now;
		nanosleep(&tenth, NULL);
		now = cpu_ns(clock);
	} while (now == 0 || now != before);
	return now;
}

static unsigned threads_of(pid_t pid)
{
	char path[64], line[256];
	unsigned threads = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file) && sscanf(line, "Threads: %u", &threads) != 1)
		;
	fclose(file);
	return threads;
}

static void end(pid_t pid, struct rusage *ret_usage)
{
	int status;

	if (wait4(pid, &status, 0, ret_usage) != pid)
		die("wait");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "cost: the command failed: status 0x%x\n", (unsigned)status);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int until_rest = argc > 1 && strcmp(argv[1], "-s") == 0;
	struct rusage usage;
	pid_t pid;

	if (argc < 2 + until_rest) {
		fprintf(stderr, "usage: cost [-s] COMMAND...\n");
		return 2;
	}
	errno = posix_spawnp(&pid, argv[1 + until_rest], NULL, NULL, argv + 1 + until_rest, environ);
	if (errno)
		die(argv[1 + until_rest]);
	if (until_rest) {
		uint64_t ns = at_rest_ns(pid);

		printf("%llu %u\n", (unsigned long long)ns, threads_of(pid));
		kill(pid, SIGINT);
	}
	end(pid, &usage);
	if (!until_rest)
		printf("%llu %ld\n",
		       (unsigned long long)((uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
					    (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000),
		       usage.ru_maxrss);
	return 0;
}
