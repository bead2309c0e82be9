// SPDX-License-Identifier: GPL-2.0-or-later
#include "served.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/err.h"

void say(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
}

int served_open(struct served *sim, const char *machine)
{
	int rc;

	if (strncmp(machine, "sim:", 4) != 0) {
		say("%s: only simulated machines can be served: sim:MODEL[,KEY=VALUE]...", machine);
		return USAGE;
	}
	rc = unc_new(&sim->ctx);
	if (rc < 0) {
		say("out of memory");
		return FAILED;
	}
	rc = unc_sim_open(sim->ctx, machine + 4, -1, &sim->host);
	if (rc < 0) {
		say("%s", unc_errmsg(sim->ctx));
		return rc == UNC_EPERM ? NOT_PERMITTED : rc == UNC_ENOMEM ? FAILED : USAGE;
	}
	sim->t0_ns = unc_sim_start_ns(sim->host);
	return DONE;
}

void served_close(struct served *sim)
{
	unc_host_close(sim->host);
	unc_free(sim->ctx);
}

/* What is transferred, or the failure. */
static int logged(struct served *sim, struct access *access, size_t len, size_t done)
{
	access->len = access->rc < 0 ? len : done;
	log_access(sim, access);
	return access->rc < 0 ? access->rc : (int)done;
}

int served_config_read(struct served *sim, const struct unc_addr *addr, uint64_t off, void *buf, size_t len)
{
	struct access access = {.addr = *addr, .off = off, .bytes = buf};
	size_t done = 0;

	access.rc = unc_sim_pci_read(sim->host, addr, off, buf, len, &done);
	return logged(sim, &access, len, done);
}

int served_config_write(struct served *sim, const struct unc_addr *addr, uint64_t off, const void *buf, size_t len)
{
	struct access access = {.addr = *addr, .write = true, .off = off, .bytes = buf};
	size_t done = 0;

	access.rc = unc_sim_pci_write(sim->host, addr, off, buf, len, &done);
	return logged(sim, &access, len, done);
}
