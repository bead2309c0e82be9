// SPDX-License-Identifier: GPL-2.0-or-later
/* The process that asks: what it may do, and the errno that it gets when something fails. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "fs.h"
#include "os/linux/fail.h"

static bool client_is_root(const struct fs *fs)
{
	return fs->client.uid == fs->owner;
}

/* The effective capabilities of a thread; none when it cannot be told. */
static uint64_t capabilities(pid_t pid)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = pid};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
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
	return rc < 0 ? -unc_linux_errno(unc_err_name(fs->sim.ctx, rc)) : 0;
}
