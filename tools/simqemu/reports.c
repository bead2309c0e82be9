// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simqemu.h"

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* A reader sees the whole file of one moment, the last or this one. */
static int replace(const char *path, const struct out *out)
{
	char *fresh = NULL;
	int fd, error;

	if (asprintf(&fresh, "%s.new", path) < 0)
		return ENOMEM;
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	error = fd < 0 ? errno : write_all(fd, out->text, out->len);
	if (fd >= 0 && close(fd) < 0 && !error)
		error = errno;
	if (!error && rename(fresh, path) < 0)
		error = errno;
	if (error && fd >= 0)
		unlink(fresh);
	free(fresh);
	return error;
}

struct report {
	const char *option, *path;
	int (*print)(struct served *sim, struct out *out);
};

static int report_write(struct simqemu *q, const struct report *report)
{
	struct out out = {0};
	int rc, error;

	if (!report->path)
		return 0;
	rc = report->print(&q->sim, &out);
	error = rc < 0 ? EIO : out.failed ? ENOMEM : replace(report->path, &out);
	free(out.text);
	if (rc < 0)
		say("%s: %s", report->option, unc_errmsg(q->sim.ctx));
	else if (error)
		say("%s %s: %s", report->option, report->path, strerror(error));
	return error;
}

int reports_write(struct simqemu *q)
{
	const struct report truth = {.option = "--truth", .path = q->truth_path, .print = truth_print};
	const struct report violations = {
		.option = "--violations", .path = q->violations_path, .print = violations_print};
	int error = report_write(q, &truth);

	return error ? error : report_write(q, &violations);
}
