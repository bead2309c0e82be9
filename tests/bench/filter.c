// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter FILE: what a system call costs under the filter that the commands sample with (src/cli/confine_calls.c).  Prints nanoseconds
 * of CPU time of a pread() of 16 bytes without the filter, and with it: each the best of many short rounds, since whatever
 * else happens on this computer only adds.  A filter cannot be taken off again, so each is measured in a process of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/confine.h"

enum { OFFSET = 0xb0, LENGTH = 16, ROUNDS = 400, CALLS = 2000 };

static void die(const char *what, int error)
{
	fprintf(stderr, "filter: %s: %s\n", what, strerror(error));
	exit(1);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double a_pread_ns(int fd)
{
	double best = -1;
	char bytes[LENGTH];

	for (unsigned round = 0; round < ROUNDS; round++) {
		double took = -now_ns();

		for (unsigned i = 0; i < CALLS; i++)
			if (pread(fd, bytes, LENGTH, OFFSET) != LENGTH)
				die("pread", errno);
		took += now_ns();
		if (best < 0 || took < best)
			best = took;
	}
	return best / CALLS;
}

static void measure(int fd, bool filtered)
{
	int error = 0, status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork", errno);
	if (pid == 0) {
		if (filtered && prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0)
			error = confine_calls(CONFINE_HELD, 0);
		if (error)
			die("the filter", error);
		printf("%.1f%c", a_pread_ns(fd), filtered ? '\n' : ' ');
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: filter FILE\n");
		return 2;
	}
	measure(fd, false);
	measure(fd, true);
	return 0;
}
