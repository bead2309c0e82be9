// SPDX-License-Identifier: GPL-2.0-or-later
/* A served machine: opening it, its CPUs as an operating system sees them, the log of accesses, and signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/signalfd.h>

#include "access/trace.h"
#include "base/err.h"
#include "served.h"

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
	sim->t0_ns = unc_sim_info(sim->host).start_ns;
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

	access.rc = unc_sim_access(sim->host, addr, false, off, buf, len, &done);
	return logged(sim, &access, len, done);
}

int served_config_write(struct served *sim, const struct unc_addr *addr, uint64_t off, const void *buf, size_t len)
{
	struct access access = {.addr = *addr, .write = true, .off = off, .bytes = buf};
	size_t done = 0;

	access.rc = unc_sim_access(sim->host, addr, true, off, (void *)buf, len, &done); /* not changed by a write */
	return logged(sim, &access, len, done);
}

int served_mem_access(struct served *sim, bool write, uint64_t address, void *buf, size_t len)
{
	uint64_t window = unc_sim_mem_window(sim->host, address);
	struct access access = {.addr = {.kind = UNC_MMIO, .mmio = {.base = window}},
				.write = write,
				.off = (uint32_t)(address - window),
				.bytes = buf};
	size_t done = 0;

	access.rc =
		unc_sim_access(sim->host, &(struct unc_addr){.kind = UNC_MMIO, .mmio = {.base = address, .len = len}},
			       write, 0, buf, len, &done);
	return logged(sim, &access, len, done);
}

/* What a CPU of the machine is, by CPUID, as an operating system understands it. */

struct unc_cpuid_regs served_cpuid(const struct served *sim, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs;

	if (sim->host->ops->cpuid(sim->host, cpu, leaf, subleaf, &regs) < 0)
		memset(&regs, 0, sizeof(regs));
	return regs;
}

/* Of leaf 1, the extended numbers in them (Linux: x86_family(), x86_model()). */
struct served_cpu served_cpu(const struct served *sim, unsigned cpu)
{
	uint32_t eax = served_cpuid(sim, cpu, 1, 0).eax;
	struct served_cpu kind = {.family = eax >> 8 & 0xf, .model = eax >> 4 & 0xf, .stepping = eax & 0xf};

	if (kind.family >= 6)
		kind.model += (eax >> 16 & 0xf) << 4;
	if (kind.family == 0xf)
		kind.family += eax >> 20 & 0xff;
	return kind;
}

/* Blanks in front, at the end and in rows are left out. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' '))
			*to++ = *from;
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

void served_brand(const struct served *sim, unsigned cpu, char brand[49])
{
	for (uint32_t i = 0; i < 3; i++) {
		struct unc_cpuid_regs regs = served_cpuid(sim, cpu, 0x80000002 + i, 0);
		char *part = brand + (size_t)16 * i;

		unc_put_le32(part, regs.eax);
		unc_put_le32(part + 4, regs.ebx);
		unc_put_le32(part + 8, regs.ecx);
		unc_put_le32(part + 12, regs.edx);
	}
	brand[48] = '\0';
	squeeze(brand);
}

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
	static const char *const buses[] = {[UNC_PCI] = "pci", [UNC_MSR] = "msr", [UNC_MMIO] = "mmio"};
	char line[UNC_TRACE_LINE];
	struct unc_trace_access told = {
		.bus = buses[access->addr.kind],
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
	/* Each line is flushed, so that a reader sees all accesses so far while the machine runs. */
	if (fprintf(sim->log, "%s\n", unc_trace_line(&told, line)) < 0 || fflush(sim->log) != 0)
		sim->log_errno = errno;
}

/*
 * Blocked for good.  A shell has SIGINT ignored for what it starts in the background, where it is meant for us all the
 * same; SIGHUP is ignored by nohup(1), which means it.
 */
int signals_open(const int *more, size_t n)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	for (size_t i = 0; i < n; i++)
		sigaddset(&set, more[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
