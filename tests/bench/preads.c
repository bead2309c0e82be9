// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preads [-o OUT] ROUNDS FILE...: what a sample cannot do without, and nothing else: 16 bytes at 0xb0 (CTR2 and CTR3) of each
 * file by pread(), again and again.  With -o also the other system calls of a sample of `uncorectl mem -i 0.000001 -o OUT`: sleep
 * until the next microsecond, and write the record of each file.  Prints the nanoseconds of CPU time of one round.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

enum { OFFSET = 0xb0, LENGTH = 16, FILES_MAX = 64, RECORD = 62, INTERVAL_NS = 1000 };

/* As in src/cli/mem.c and src/os/linux/os.c. */
static void sleep_to_next(uint64_t *deadline_ns)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);
	struct timespec left = {0};
	struct pollfd none = {.fd = -1};

	*deadline_ns += INTERVAL_NS;
	if (*deadline_ns <= now)
		*deadline_ns += ((now - *deadline_ns) / INTERVAL_NS + 1) * INTERVAL_NS;
	now = now_ns(CLOCK_MONOTONIC);
	left.tv_nsec = *deadline_ns > now ? (long)(*deadline_ns - now) : 0;
	ppoll(&none, 1, &left, NULL);
}

int main(int argc, char **argv)
{
	static char records[FILES_MAX * RECORD];
	const char *out_path = NULL;
	int fds[FILES_MAX], n_files, out = -1, first = 1;
	unsigned long rounds;
	uint64_t before_ns, deadline_ns;
	char bytes[LENGTH];

	if (argc > 2 && strcmp(argv[1], "-o") == 0) {
		out_path = argv[2];
		first = 3;
	}
	n_files = argc - first - 1;
	if (n_files < 1 || n_files > FILES_MAX || (rounds = strtoul(argv[first], NULL, 10)) == 0)
		return usage("[-o OUT] ROUNDS FILE...");
	for (int i = 0; i < n_files; i++) {
		fds[i] = open(argv[first + 1 + i], O_RDWR | O_CLOEXEC);
		if (fds[i] < 0)
			die(argv[first + 1 + i], strerror(errno));
	}
	if (out_path && (out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		die(out_path, strerror(errno));
	memset(records, '0', sizeof(records));
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	deadline_ns = now_ns(CLOCK_MONOTONIC);
	before_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned long round = 0; round < rounds; round++) {
		if (out_path)
			sleep_to_next(&deadline_ns);
		for (int i = 0; i < n_files; i++)
			if (pread(fds[i], bytes, LENGTH, OFFSET) != LENGTH)
				die(argv[first + 1 + i], strerror(errno));
		if (out_path && write(out, records, (size_t)n_files * RECORD) < 0)
			die(out_path, strerror(errno));
	}
	printf("%.1f\n", (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns) / (double)rounds);
	return 0;
}
