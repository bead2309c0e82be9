// SPDX-License-Identifier: GPL-2.0-or-later
/* Who asks, what he may, and what he is told when it fails. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "fs.h"
#include "os/linux/fail.h"

bool client_is_root(const struct fs *fs)
{
	return fs->client.uid == fs->owner;
}

/* The effective capabilities of a thread; those of nobody when it cannot be told. */
static unsigned long long capabilities(pid_t pid)
{
	char path[48], status[4096];
	const char *line;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, status, sizeof(status) - 1);
	close(fd);
	if (n < 0)
		return 0;
	status[n] = '\0';
	line = strstr(status, "\nCapEff:");
	return line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
}

/*
 * Root may have given up a capability.  Where not root mounted, there is nothing to give up; nor can it be told of a
 * thread in another PID namespace.
 */
bool client_can(const struct fs *fs, unsigned capability)
{
	if (!client_is_root(fs))
		return false;
	return fs->owner != 0 || fs->client.pid <= 0 || capabilities(fs->client.pid) >> capability & 1;
}

void client_kill(void *arg)
{
	const struct fs *fs = arg;

	/* 0 would be our own process group. */
	if (fs->client.pid > 0)
		kill(fs->client.pid, SIGKILL);
}

int failure_errno(const struct fs *fs, int rc)
{
	return rc < 0 ? -unc_linux_errno(unc_err_name(fs->ctx, rc)) : 0;
}
