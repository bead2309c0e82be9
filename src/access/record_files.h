/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of the operating system's files goes into a record.  A rule for each file, directory and link keeps what a reader in this
 * program asks of it, and nothing else; without a rule a recorded command gets UNC_ENODATA.  The recorded command sees what its
 * record has, so that a replay does the same.
 */
#ifndef UNC_ACCESS_RECORD_FILES_H
#define UNC_ACCESS_RECORD_FILES_H

#include "base/err.h"

/*
 * Processes and threads have other numbers in a record: UNC_RECORD_PID and the following, which Linux gives to none (its PID_MAX_LIMIT
 * is 4194304).  Those that the caller named keep theirs, and so do the COMMAND and process 1.
 */
enum { UNC_RECORD_PID = 10000000 };

struct unc_record_private {
	uint32_t *aliases; /* by process number, of all there can be: 0, or 1 more than its index in pids; owned */
	struct unc_record_pid {
		uint32_t pid;
		bool named;
	} * pids; /* owned */
	size_t n_pids;
	char resctrl[256]; /* where it is mounted, as a mount table has told; "": nowhere */
	bool out_of_memory;
};
void unc_record_private_clear(struct unc_record_private *private);
/* The caller has named this process.  Does nothing for 0. */
void unc_record_private_name(struct unc_record_private *private, uint64_t pid);

/* The path that is asked for with a path of the record: own numbers of processes in it.  The caller's to free(); NULL: out of memory. */
char *unc_record_private_path(struct unc_record_private *private, const char *path);

/*
 * Each replaces what was read by what is kept of it.  UNC_ENODATA: there is no rule; UNC_ENOMEM.  Then it is freed.
 * A text has a zero behind its length; names are one allocation, as unc_os_dir_list() makes them.
 */
int unc_record_keep_text(struct unc_ctx *ctx, struct unc_record_private *private, const char *path, char **text,
			 size_t *len);
int unc_record_keep_names(struct unc_ctx *ctx, struct unc_record_private *private, const char *path,
			  const char *const **names, size_t *n);
int unc_record_keep_link(struct unc_ctx *ctx, const char *path, char **text);

/* The program that made a container, by the text of /proc/1/cgroup (cgroups(7)); NULL: none that is known.  Static text. */
const char *unc_record_container(const char *cgroup);

#endif
