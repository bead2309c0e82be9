// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter FILE: what a system call costs under the filter that the commands sample with (src/cli/confine_calls.c).  Prints nanoseconds
 * of CPU time of a pread() of 16 bytes without the filter, and with it: each the best of many short rounds, since whatever
 * else happens on this computer only adds.  A filter cannot be taken off again, so each is measured in a process of its own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "cli/confine.h"

enum { OFFSET = 0xb0, LENGTH = 16, ROUNDS = 400, CALLS = 2000 };

static double a_pread_ns(int fd)
{
	uint64_t best = UINT64_MAX;
	char bytes[LENGTH];

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t took = 0 - now_ns(CLOCK_PROCESS_CPUTIME_ID);

		for (unsigned i = 0; i < CALLS; i++)
			if (pread(fd, bytes, LENGTH, OFFSET) != LENGTH)
				die("pread", strerror(errno));
		took += now_ns(CLOCK_PROCESS_CPUTIME_ID);
		best = took < best ? took : best;
	}
	return (double)best / CALLS;
}

static void measure(int fd, bool filtered)
{
	int error = 0, status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork", strerror(errno));
	if (pid == 0) {
		if (filtered && prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0)
			error = confine_calls(CONFINE_HELD, 0);
		if (error)
			die("the filter", strerror(error));
		printf("%.1f%c", a_pread_ns(fd), filtered ? '\n' : ' ');
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return usage("FILE");
	measure(fd, false);
	measure(fd, true);
	return 0;
}
