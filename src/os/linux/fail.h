/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's errors, as errors and messages of this library. */
#ifndef UNC_OS_LINUX_FAIL_H
#define UNC_OS_LINUX_FAIL_H

#include "os/linux/files.h"

/* Returns "EIO" for EIO; "errno" for one that is not in the table.  Static text. */
const char *unc_linux_err_name(int errnum);
/* The reverse: EIO for "EIO", and for what is not in the table. */
int unc_linux_errno(const char *name);
/* Returns the nearest enum unc_err. */
int unc_linux_err(int errnum);
/* Returns "Input/output error", followed by what to do if something helps.  Static, or valid until the next call. */
const char *unc_linux_err_text(int errnum);

/* Fails with the message "fmt...: text of errnum"; returns unc_linux_err(errnum).  fmt is a literal, and has an argument. */
#define unc_linux_fail(ctx, errnum, fmt, ...)                                                                          \
	unc_fail_named(ctx, unc_linux_err(errnum), unc_linux_err_name(errnum), fmt ": %s", __VA_ARGS__,                \
		       unc_linux_err_text(errnum))

/* Why the operating system refused (EPERM, EACCES, EROFS), and what to do about it. */

enum unc_linux_deed { UNC_LINUX_OPEN_READ, UNC_LINUX_OPEN_WRITE, UNC_LINUX_READ, UNC_LINUX_WRITE, UNC_LINUX_MAP };

struct unc_linux_refusal {
	struct unc_linux_root *root; /* the files of this machine */
	const char *path;            /* the path that was refused */
	enum unc_linux_deed deed;
	bool msr; /* a model-specific register; else configuration space or a plain file */
	bool raw; /* /dev/mem itself */
	int errnum;
};

struct unc_linux_rights { /* the rights of this process */
	unsigned uid;     /* effective */
	bool raw_io;      /* CAP_SYS_RAWIO: opens /dev/cpu/N/msr */
	bool admin;       /* CAP_SYS_ADMIN: sees more than 64 bytes of configuration space */
	bool perfmon;     /* CAP_PERFMON or CAP_SYS_ADMIN: may count other processes */
};
struct unc_linux_rights unc_linux_rights(void);

/* Writes the most probable cause as half a sentence, "this needs root ...: run it as root"; returns buf. */
const char *unc_linux_refused_why(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights,
				  char *buf, size_t size);
/* The same for a function of which only the first 64 bytes can be read. */
const char *unc_linux_short_why(const struct unc_linux_rights *rights, char *buf, size_t size);

/*
 * Side effects of a write through the msr driver (arch/x86/kernel/msr.c): since Linux 5.9 each sets
 * TAINT_CPU_OUT_OF_SPEC, and logs a line, at most one in 30 seconds, unless msr.allow_writes=on; older kernels have no
 * such parameter, and do neither.
 */
enum unc_linux_msr_writes {
	UNC_LINUX_WRITES_UNSEEN,
	UNC_LINUX_WRITES_TAINT,
	UNC_LINUX_WRITES_LOGGED, /* and they taint the kernel */
	UNC_LINUX_WRITES_REFUSED /* by lockdown or allow_writes=off, without a log line */
};
enum unc_linux_msr_writes unc_linux_msr_writes(struct unc_linux_root *root);

/* Fails as unc_linux_fail(); a refusal is UNC_EPERM: "fmt...: open PATH for writing: Permission denied: cause and remedy". */
int unc_linux_refused(struct unc_ctx *ctx, const struct unc_linux_refusal *refusal, const char *fmt, ...)
	UNC_PRINTF(3, 4);
/* Returns true if this errno is a refusal. */
bool unc_linux_is_refusal(int errnum);

#endif
