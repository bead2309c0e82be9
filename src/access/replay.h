/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host that answers from a record (access/record.h), in its order and with its times, and touches nothing.  The first thing
 * that is asked otherwise than the record has it is told to on_difference, once; from then on everything fails with UNC_EIO
 * and that sentence, and time passes by looking at it.
 */
#ifndef UNC_ACCESS_REPLAY_H
#define UNC_ACCESS_REPLAY_H

#include "access/record.h"

enum { UNC_REPLAY_OPTIONS = 1024, UNC_REPLAY_BYTES = 1 << 29 };

/* The head of a record.  All texts are owned. */
struct unc_replay_head {
	char *name;     /* of the machine */
	char *program;  /* its version; NULL: not told */
	int64_t utc_s;  /* local time is so far ahead of UTC */
	char **options; /* of the command that was recorded, with its name */
	size_t n_options;
	bool simulated, stands_still, maps;
};

/*
 * The head of a record in a file.  UNC_EARG: that is no such record ("FILE:LINE: ..."), or no such file; otherwise as
 * unc_os_file_read().
 */
int unc_replay_head_read(struct unc_ctx *ctx, const char *path, struct unc_replay_head *ret_head);
void unc_replay_head_clear(struct unc_replay_head *head);

/* Reads and checks the whole record, with the same errors. */
int unc_replay_open(struct unc_ctx *ctx, const char *path, int wake_fd, struct unc_host **ret_host);
/* Whether that host is a replay, and what then is called at the first difference; it need not return. */
bool unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg);
/* It is asked whether there is such an end: what unc_record_asked() was told.  false, or true with the number. */
bool unc_replay_asks(struct unc_host *host, enum unc_record_end end, int *ret_number);

#endif
