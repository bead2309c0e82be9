// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "access/trace.h"
#include "base/err.h"
#include "fs.h"

void log_access(struct fs *fs, const struct access *access)
{
	char line[UNC_TRACE_LINE];
	struct unc_trace_access told = {
		.bus = access->addr.kind == UNC_MSR ? "msr" : "pci",
		.addr = &access->addr,
		.write = access->write,
		.off = access->off,
		.bytes = access->bytes,
		.len = access->len,
	};

	if (!fs->log || fs->log_errno)
		return;
	told.t_ns = fs->host->ops->now_ns(fs->host, UNC_CLOCK_RAW) - fs->t0_ns;
	told.failure = access->rc < 0 ? unc_err_name(fs->ctx, access->rc) : NULL;
	/* Line by line: whoever looks at it while the machine is mounted finds what there was so far. */
	if (fprintf(fs->log, "%s\n", unc_trace_line(&told, line)) < 0 || fflush(fs->log) != 0)
		fs->log_errno = errno;
}
