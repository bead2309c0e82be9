// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LD_PRELOAD: SIGAT=N:SIGNAL sends the process that signal at its N-th lock of a file.  A simulated machine with state=FILE
 * locks it for each access and each look at the clock, so every moment of a run can be hit exactly.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int flock(int fd, int operation)
{
	static unsigned seen, at;
	static int number;
	const char *text = getenv("SIGAT");

	if (!at && text)
		sscanf(text, "%u:%d", &at, &number);
	if (operation == LOCK_EX && ++seen == at)
		raise(number);
	return (int)syscall(SYS_flock, fd, operation);
}
