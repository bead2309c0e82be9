// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost COMMAND...: runs it to its end.  Prints its CPU time in ns and the most memory it had resident, in KB.
 * cost -s COMMAND...: runs it until it rests, then ends it by SIGINT.  Prints its CPU time until then in ns, from exec on, and how
 * many threads it has.  That it rests only when its counters run is seen in its system calls.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* CPU time when it has used none for a tenth of a second. */
static uint64_t at_rest_ns(pid_t pid)
{
	struct timespec tenth = {.tv_nsec = 100000000};
	uint64_t before, now = 0;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0)
		die("its clock", strerror(errno));
	do {
		before = now;
		nanosleep(&tenth, NULL);
		now = now_ns(clock);
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
		die(path, strerror(errno));
	while (fgets(line, sizeof(line), file) && sscanf(line, "Threads: %u", &threads) != 1)
		;
	fclose(file);
	return threads;
}

static void end(pid_t pid, struct rusage *ret_usage)
{
	int status;

	if (wait4(pid, &status, 0, ret_usage) != pid)
		die("wait", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die("the command", "it failed");
}

int main(int argc, char **argv)
{
	int until_rest = argc > 1 && strcmp(argv[1], "-s") == 0;
	struct rusage used;
	pid_t pid;

	if (argc < 2 + until_rest)
		return usage("[-s] COMMAND...");
	errno = posix_spawnp(&pid, argv[1 + until_rest], NULL, NULL, argv + 1 + until_rest, environ);
	if (errno)
		die(argv[1 + until_rest], strerror(errno));
	if (until_rest) {
		uint64_t ns = at_rest_ns(pid);

		printf("%llu %u\n", (unsigned long long)ns, threads_of(pid));
		kill(pid, SIGINT);
	}
	end(pid, &used);
	if (!until_rest)
		printf("%llu %ld\n",
		       (unsigned long long)((uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
					    (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000),
		       used.ru_maxrss);
	return 0;
}
