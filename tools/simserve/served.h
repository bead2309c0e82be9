/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated machine that is served to others: what uncore-simfs and uncore-simqemu share. */
#ifndef SIMSERVE_SERVED_H
#define SIMSERVE_SERVED_H

#include <stdio.h>

#include "out.h"
#include "sim/sim.h"

enum { DONE, FAILED, USAGE, UNSUPPORTED, NOT_PERMITTED }; /* exit statuses */

/* Of this program; it has it. */
extern const char program_name[];

/* One sentence on stderr, behind the program's name. */
void say(const char *fmt, ...) UNC_PRINTF(1, 2);

struct served {
	struct unc_ctx *ctx;   /* owned */
	struct unc_host *host; /* owned */
	uint64_t t0_ns;        /* when the machine started, UNC_CLOCK_RAW: the log counts from there */
	const char *log_path;
	FILE *log;     /* owned; NULL: none */
	int log_errno; /* what became of writing to it */
};

/*
 * MACHINE as the user names it: sim:MODEL[,KEY=VALUE]...  DONE, or an exit status after a sentence; closed in either
 * case.
 */
int served_open(struct served *sim, const char *machine);
void served_close(struct served *sim);

/* What CPUID answers on a CPU; all zeros when it is offline. */
struct unc_cpuid_regs served_cpuid(const struct served *sim, unsigned cpu, uint32_t leaf, uint32_t subleaf);
struct served_cpu {
	unsigned family, model, stepping;
};
struct served_cpu served_cpu(const struct served *sim, unsigned cpu);
void served_brand(const struct served *sim, unsigned cpu, char brand[49]);

/* path NULL: none is wanted.  DONE, or an exit status after a sentence. */
int log_open(struct served *sim, const char *path);
/* A log that is not whole is a failure, whatever else went well: status, or FAILED after a sentence. */
int log_close(struct served *sim, int status);

/* An access to a register that ended just now with rc; bytes are what was transferred. */
struct access {
	struct unc_addr addr;
	bool write;
	uint64_t off;
	const void *bytes;
	size_t len;
	int rc;
};
void log_access(struct served *sim, const struct access *access);

/* Configuration space, with a line in the log: how many bytes were transferred, or what went wrong. */
int served_config_read(struct served *sim, const struct unc_addr *addr, uint64_t off, void *buf, size_t len);
int served_config_write(struct served *sim, const struct unc_addr *addr, uint64_t off, const void *buf, size_t len);
/* One load or store of 1, 2, 4 or 8 bytes at a physical address, likewise. */
int served_mem_access(struct served *sim, bool write, uint64_t address, void *buf, size_t len);

/*
 * A descriptor that tells of SIGINT, SIGTERM, SIGHUP (unless it is ignored) and n more signals, or -1.  They are blocked
 * for good, no child but those that mind their own is started with that.
 */
int signals_open(const int *more, size_t n);

/* What the hardware really did, and what was done to it against the rules.  UNC_OK, or what went wrong. */
int truth_print(struct served *sim, struct out *out);
int violations_print(struct served *sim, struct out *out);

#endif
