/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host that answers from a record (access/record.h) and touches nothing.
 *
 * The command that asks need not be the one that was recorded.  Its run is answered as a part of the recorded run, by three rules:
 *
 * - An answer belongs to its place: a register, a file, a CPUID leaf.  Each is given once, in the order in which they were
 *   recorded; only the answers to a question of which all are the same may be given again.
 * - Writes divide the answers of a space.  A write must be the next one that the record has for that space, with the same value,
 *   and an answer is given only after the same writes.  What was done with an event of perf, and with traffic, divides likewise.
 * - An answer has the time at which it was recorded.  The time only goes on, and between two times that the command was told,
 *   it gets answers that were recorded between these two times.
 *
 * So what was recorded and is not asked for is left out, as a run leaves it out that did not read so much.  An answer that is
 * missing, or would be that of another write or another time, is told to on_difference, once; from then on everything fails with
 * UNC_EIO and that sentence, and time passes by looking at it.
 */
#ifndef UNC_ACCESS_REPLAY_H
#define UNC_ACCESS_REPLAY_H

#include "access/record.h"

enum { UNC_REPLAY_OPTIONS = 1024 };

/* The head of a record.  All texts are owned. */
struct unc_replay_head {
	char *name;     /* of the machine */
	char *program;  /* its version; NULL: the record does not say */
	int64_t utc_s;  /* local time is so far ahead of UTC */
	char **options; /* of the command that was recorded, with its name */
	size_t n_options;
	bool simulated, stands_still, maps;
};

/*
 * The head of a record in a file.  UNC_EARG: that is no such record ("FILE:LINE: ..."), or no such file; otherwise as
 * unc_os_file_open().
 */
int unc_replay_head_read(struct unc_ctx *ctx, const char *path, struct unc_replay_head *ret_head);
void unc_replay_head_clear(struct unc_replay_head *head);

/* Reads and checks the whole record, with the same errors. */
int unc_replay_open(struct unc_ctx *ctx, const char *path, int wake_fd, struct unc_host **ret_host);
/* Whether that host is a replay, and what then is called at the first difference; it need not return. */
bool unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg);
/* Whether there is such an end at this question, as unc_record_asked() was told, and then its number. */
bool unc_replay_asks(struct unc_host *host, enum unc_record_end end, int *ret_number);

#endif
