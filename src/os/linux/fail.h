/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Linux calls a failure, in our words. */
#ifndef UNC_OS_LINUX_FAIL_H
#define UNC_OS_LINUX_FAIL_H

#include "base/err.h"

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

#endif
