/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failing is one statement: a code for the program, one sentence for the reader. */
#ifndef UNC_BASE_ERR_H
#define UNC_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

#include "uncore.h"

enum { UNC_MSG_MAX = 1024 }; /* longest sentence, with its zero; a longer one is cut */

struct unc_ctx {
	char msg[UNC_MSG_MAX];
	const char *os_name; /* how the operating system called the last failure ("EIO"), or NULL; static text */
	unc_log_fn *log;
	void *log_arg;           /* not owned */
	struct unc_files *files; /* reads files for us; NULL: they are read directly; not owned */
};

/*
 * Leaves the sentence and returns err, which must be negative.  What, where, why, what to do.  Sentences,
 * levels and notes pass unc_text_show(), so that each is one line and what came with a name or a file cannot steer a terminal.
 */
int unc_fail(struct unc_ctx *ctx, int err, const char *fmt, ...) UNC_PRINTF(3, 4);
/* The same for a failure that has a name in the operating system, "EIO"; name is static text. */
int unc_fail_named(struct unc_ctx *ctx, int err, const char *name, const char *fmt, ...) UNC_PRINTF(4, 5);
/* Puts the caller's level in front of the sentence ("level: sentence") and returns err; does nothing for 0. */
int unc_wrap(struct unc_ctx *ctx, int err, const char *fmt, ...) UNC_PRINTF(3, 4);
/* A note to the log sink: something to know that is no failure. */
void unc_note(struct unc_ctx *ctx, const char *fmt, ...) UNC_PRINTF(2, 3);

/* Keeps the sentence of a failure while cleaning up, which may fail too and must not overwrite it. */
struct unc_saved_msg {
	char msg[UNC_MSG_MAX];
	const char *os_name;
};
void unc_msg_save(const struct unc_ctx *ctx, struct unc_saved_msg *ret_saved);
void unc_msg_restore(struct unc_ctx *ctx, const struct unc_saved_msg *saved);

/* "EIO" and so on: os_name of the last failure, else the nearest name for the code.  Static text. */
const char *unc_err_name(const struct unc_ctx *ctx, int err);

#endif
