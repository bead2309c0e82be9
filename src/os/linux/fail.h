/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux calls a failure, in our words. */
#ifndef UNC_OS_LINUX_FAIL_H
#define UNC_OS_LINUX_FAIL_H

#include <stdbool.h>

#include "base/err.h"
#include "os/linux/files.h"

/* "EIO" for EIO; "errno" for one that is not in the table.  Static text. */
const char *unc_linux_err_name(int errnum);
/* The other way: EIO for "EIO", and for what is not in the table. */
int unc_linux_errno(const char *name);
/* The nearest enum unc_err. */
int unc_linux_err(int errnum);
/* "Input/output error", and behind it what to do where there is something.  Static, or good until the next call. */
const char *unc_linux_err_text(int errnum);

/* Fails with the sentence "fmt...: text of errnum"; returns unc_linux_err(errnum). */
int unc_linux_fail(struct unc_ctx *ctx, int errnum, const char *fmt, ...) UNC_PRINTF(3, 4);

/* Why the operating system refused (EPERM, EACCES, EROFS), and what to do about it. */

enum unc_linux_deed { UNC_LINUX_OPEN_READ, UNC_LINUX_OPEN_WRITE, UNC_LINUX_READ, UNC_LINUX_WRITE };

struct unc_linux_refusal {
	struct unc_linux_root *root; /* where this machine's files are */
	const char *path;            /* what was refused */
	enum unc_linux_deed deed;
	bool msr; /* a model-specific register, else configuration space or a plain file */
	int errnum;
};

struct unc_linux_rights { /* what this process may do */
	unsigned uid;     /* effective */
	bool raw_io;      /* CAP_SYS_RAWIO: opens /dev/cpu/N/msr */
	bool admin;       /* CAP_SYS_ADMIN: sees more than 64 bytes of configuration space */
	bool perfmon;     /* CAP_PERFMON, or CAP_SYS_ADMIN which is as good: counts what others do */
};
struct unc_linux_rights unc_linux_rights(void);

/* The most probable cause as half a sentence, "this needs root ...: run it as root"; returns buf. */
const char *unc_linux_refused_why(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights,
				  char *buf, size_t size);
/* The same for a function of which only the first 64 bytes can be read. */
const char *unc_linux_short_why(const struct unc_linux_rights *rights, char *buf, size_t size);

/*
 * What a write through the msr driver does beside the register (arch/x86/kernel/msr.c): from Linux 5.9 on each sets
 * TAINT_CPU_OUT_OF_SPEC, and logs a line, at most one in 30 seconds, unless msr.allow_writes=on; kernels before have no such
 * parameter, and do neither.
 */
enum unc_linux_msr_writes {
	UNC_LINUX_WRITES_UNSEEN,
	UNC_LINUX_WRITES_TAINT,
	UNC_LINUX_WRITES_LOGGED, /* and taint */
	UNC_LINUX_WRITES_REFUSED /* by lockdown or allow_writes=off, before either */
};
enum unc_linux_msr_writes unc_linux_msr_writes(struct unc_linux_root *root);

/* Fails with UNC_EPERM: "fmt...: open PATH for writing: Permission denied: cause and remedy". */
int unc_linux_refused(struct unc_ctx *ctx, const struct unc_linux_refusal *refusal, const char *fmt, ...)
	UNC_PRINTF(3, 4);
/* Is it a refusal at all? */
bool unc_linux_is_refusal(int errnum);

#endif
