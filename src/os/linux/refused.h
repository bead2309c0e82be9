/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the operating system refused (EPERM, EACCES, EROFS), and what to do about it. */
#ifndef UNC_OS_LINUX_REFUSED_H
#define UNC_OS_LINUX_REFUSED_H

#include <stdbool.h>

#include "base/err.h"

enum unc_linux_deed { UNC_LINUX_OPEN_READ, UNC_LINUX_OPEN_WRITE, UNC_LINUX_READ, UNC_LINUX_WRITE };

struct unc_linux_refusal {
	const char *root; /* where this machine's files lie, "" for / */
	const char *path; /* what was refused */
	enum unc_linux_deed deed;
	bool msr; /* a model-specific register, else configuration space or a plain file */
	int errnum;
};

struct unc_linux_rights { /* what this process may do */
	unsigned uid;     /* effective */
	bool raw_io;      /* CAP_SYS_RAWIO: opens /dev/cpu/N/msr */
	bool admin;       /* CAP_SYS_ADMIN: sees more than 64 bytes of configuration space */
};
struct unc_linux_rights unc_linux_rights(void);

/* The most probable cause as half a sentence, "this needs root ...: run it as root"; returns buf. */
const char *unc_linux_refused_why(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights,
				  char *buf, size_t size);
/* The same for a function of which only the first 64 bytes can be read. */
const char *unc_linux_short_why(const struct unc_linux_rights *rights, char *buf, size_t size);

/* Fails with UNC_EPERM: "fmt...: open PATH for writing: Permission denied: cause and remedy". */
int unc_linux_refused(struct unc_ctx *ctx, const struct unc_linux_refusal *refusal, const char *fmt, ...)
	UNC_PRINTF(3, 4);
/* Is it a refusal at all? */
bool unc_linux_is_refusal(int errnum);

#endif
