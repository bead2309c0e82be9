// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "base/text.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 256 };

static const char *const names[] = {
	[UNC_CLOCK_RAW] = "raw",
	[UNC_CLOCK_MONO] = "mono",
	[UNC_CLOCK_BOOT] = "boot",
	[UNC_CLOCK_REAL] = "real",
};

static bool clock_read(const struct unc_linux_clock *clock, enum unc_clock which, uint64_t *ret_ns)
{
	char text[TEXT_MAX];
	ssize_t n = pread(clock->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return unc_linux_number_after(text, names[which], ret_ns);
}

static bool is_clock(const struct unc_linux_clock *clock)
{
	struct stat st;
	bool good = fstat(clock->fd, &st) == 0 && S_ISREG(st.st_mode);
	uint64_t ns;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		good = good && clock_read(clock, (enum unc_clock)i, &ns);
	return good;
}

int unc_linux_clock_open(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_linux_clock *ret_clock)
{
	struct unc_linux_path path;
	int rc;

	ret_clock->fd = unc_linux_open(root, unc_linux_path(root, &path, "/clock"), O_RDWR);
	if (ret_clock->fd < 0)
		return errno == EACCES || errno == EPERM ? unc_linux_fail(ctx, errno,
									  "%s: the machine's time passes by writing "
									  "there: run as the user who mounted it",
									  path.text)
							 : UNC_OK;
	if (!is_clock(ret_clock)) {
		unc_linux_clock_close(ret_clock);
		return UNC_OK;
	}
	rc = unc_linux_may_write(ctx, root, path.text, ret_clock->fd, 0);
	if (rc < 0)
		unc_linux_clock_close(ret_clock);
	return rc;
}

void unc_linux_clock_close(struct unc_linux_clock *clock)
{
	if (clock->fd >= 0)
		close(clock->fd);
	clock->fd = -1;
}

uint64_t unc_linux_clock_now(const struct unc_linux_clock *clock, enum unc_clock which)
{
	uint64_t ns;

	return clock_read(clock, which, &ns) ? ns : 0;
}

int unc_linux_clock_sleep(const struct unc_linux_clock *clock, uint64_t mono_ns, int wake_fd)
{
	char text[24];
	uint64_t ns;
	int n;

	/* A deadline in the past: only finds out whether the sleep is to end early. */
	if (wake_fd >= 0 && unc_os_sleep_until(0, wake_fd) < 0)
		return UNC_EAGAIN;
	if (mono_ns == UINT64_MAX || !clock_read(clock, UNC_CLOCK_MONO, &ns))
		return UNC_EAGAIN;
	if (mono_ns <= ns)
		return UNC_OK;
	n = snprintf(text, sizeof(text), "%" PRIu64, mono_ns - ns);
	return pwrite(clock->fd, text, (size_t)n, 0) == n ? UNC_OK : UNC_EAGAIN;
}
