/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failing is one statement: a code for the program, one sentence for the reader. */
#ifndef UNC_BASE_ERR_H
#define UNC_BASE_ERR_H

/* What most files use of the C library, which is there without an operating system, too (tools/freestanding/). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { UNC_MSG_MAX = 1024 }; /* longest message, with its zero; a longer one is cut */

struct unc_ctx {
	char msg[UNC_MSG_MAX];
	const char *os_name; /* the operating system's name of the last failure ("EIO"), or NULL; static text */
	unc_log_fn *log;
	void *log_arg;              /* not owned */
	bool terse;                 /* no remarks are sent */
	struct unc_files *files;    /* reads files for us; NULL: they are read directly; not owned */
	bool is_command;            /* the reader of messages sets options of the command, and not fields */
	bool only_counts;           /* the command writes no register but controls of counters */
	uint64_t n_reads, n_writes; /* accesses of registers so far, failed ones too */
};

/*
 * Sets the message and returns err, which must be negative.  A message says what, where, why, and what to do.
 * Messages, levels and notes pass unc_text_show(), so that each is one line and text from a name or a file cannot
 * control a terminal.
 */
#define unc_fail(ctx, err, ...) unc_fail_named(ctx, err, NULL, __VA_ARGS__)
/* The same for a failure that has a name in the operating system, "EIO"; name is static text. */
int unc_fail_named(struct unc_ctx *ctx, int err, const char *name, const char *fmt, ...) UNC_PRINTF(4, 5);
/* As unc_array_add(), but fails with UNC_ENOMEM. */
int unc_list_add(struct unc_ctx *ctx, void *list, size_t *n, const void *element, size_t size);
/* Puts the caller's level in front of the message ("level: message") and returns err; does nothing for 0. */
int unc_wrap(struct unc_ctx *ctx, int err, const char *fmt, ...) UNC_PRINTF(3, 4);
/* Sends a note: useful information that is not a failure. */
void unc_note(struct unc_ctx *ctx, const char *fmt, ...) UNC_PRINTF(2, 3);
/* The same of what does no harm, and is so in every run on this machine: a command shows it only with -v, and doctor has it too. */
#define unc_remark(ctx, ...) ((ctx)->terse ? (void)0 : unc_note(ctx, __VA_ARGS__))

/* How the reader of a message sets what an option of the command sets: "--force", or in another program "cfg.force". */
const char *unc_setting(const struct unc_ctx *ctx, const char *option);

/* Keeps the message of a failure during cleanup, which may fail too and must not overwrite it. */
struct unc_saved_msg {
	char msg[UNC_MSG_MAX];
	const char *os_name;
};
void unc_msg_save(const struct unc_ctx *ctx, struct unc_saved_msg *ret_saved);
void unc_msg_restore(struct unc_ctx *ctx, const struct unc_saved_msg *saved);

/* Returns os_name of the last failure, else the nearest name for the code.  Static text. */
const char *unc_err_name(const struct unc_ctx *ctx, int err);

/*
 * Reading files through the context: directly, or through a layer that notes what was read or answers from such notes
 * (access/record.h).
 */

struct unc_files {
	int (*list)(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n);
	int (*read)(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		    size_t *ret_len);
};

/* As unc_os_dir_list() of a folder that passes unc_os_dir_trust(), and unc_os_file_read(), with their errors. */
int unc_files_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n);
int unc_files_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		   size_t *ret_len);

#endif
