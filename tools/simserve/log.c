// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "access/trace.h"
#include "base/err.h"
#include "served.h"

int log_open(struct served *sim, const char *path)
{
	if (!path)
		return DONE;
	sim->log_path = path;
	sim->log = fopen(path, "we");
	if (sim->log)
		return DONE;
	say("--log %s: %s", path, strerror(errno));
	return errno == EACCES || errno == EPERM ? NOT_PERMITTED : USAGE;
}

int log_close(struct served *sim, int status)
{
	if (!sim->log)
		return status;
	if (fclose(sim->log) != 0 && !sim->log_errno)
		sim->log_errno = errno;
	sim->log = NULL;
	if (!sim->log_errno)
		return status;
	say("--log %s: %s; the log is not complete", sim->log_path, strerror(sim->log_errno));
	return status == DONE ? FAILED : status;
}

void log_access(struct served *sim, const struct access *access)
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

	if (!sim->log || sim->log_errno)
		return;
	told.t_ns = sim->host->ops->now_ns(sim->host, UNC_CLOCK_RAW) - sim->t0_ns;
	told.failure = access->rc < 0 ? unc_err_name(sim->ctx, access->rc) : NULL;
	/* Line by line: whoever looks at it while the machine runs finds what there was so far. */
	if (fprintf(sim->log, "%s\n", unc_trace_line(&told, line)) < 0 || fflush(sim->log) != 0)
		sim->log_errno = errno;
}
