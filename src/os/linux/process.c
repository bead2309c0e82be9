// SPDX-License-Identifier: GPL-2.0-or-later
/* base/os.h on Linux: this process, and whether there is another. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"

/* proc(5), /proc/PID/stat: field 22 is starttime; field 2 is the name in brackets, which may have blanks and brackets in it. */
enum { STARTTIME_BEHIND_NAME = 20 };

static int start_of(const char *pid, uint64_t *ret_start)
{
	char path[64], stat[1024], *at;
	int errnum;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	errnum = unc_linux_short_file(NULL, path, stat, sizeof(stat));
	if (errnum)
		return errnum;
	at = strrchr(stat, ')');
	for (unsigned i = 0; at && i < STARTTIME_BEHIND_NAME; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return EINVAL;
	*ret_start = strtoull(at + 1, NULL, 10);
	return 0;
}

/* Cut off where it does not fit. */
static int read_command(char *command, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno;
	n = read(fd, command, size - 1);
	close(fd);
	if (n < 0)
		return errno;
	while (n > 0 && !command[n - 1])
		n--;
	command[n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (!command[i])
			command[i] = ' ';
	return 0;
}

int unc_os_self(struct unc_ctx *ctx, struct unc_os_self *ret_self)
{
	struct unc_os_self self = {.pid = (unsigned)getpid(), .uid = (unsigned)geteuid()};
	int errnum = start_of("self", &self.start);

	if (errnum)
		return unc_linux_fail(ctx, errnum, "/proc/self/stat");
	errnum = read_command(self.command, sizeof(self.command));
	if (errnum)
		return unc_linux_fail(ctx, errnum, "/proc/self/cmdline");
	*ret_self = self;
	return UNC_OK;
}

bool unc_os_process_lives(unsigned pid, uint64_t start)
{
	char text[16];
	uint64_t its_start;

	snprintf(text, sizeof(text), "%u", pid);
	return start_of(text, &its_start) == 0 && its_start == start;
}
