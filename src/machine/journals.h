/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journals of a folder: whose they are, and what is to be thought of each. */
#ifndef UNC_MACHINE_JOURNALS_H
#define UNC_MACHINE_JOURNALS_H

#include "machine/journal_text.h"
#include "uncore/recover.h"

/* Of a file that has a journal: NAME.journal; one that is being begun, of which no register was written, new.NAME. */
#define UNC_JOURNAL_SUFFIX ".journal"
#define UNC_JOURNAL_NEW    "new."

enum { UNC_COMMAND_SHOWN = 80 }; /* of a command, in a sentence */

struct unc_journal_file {
	char name[64];
	enum unc_recover_kind kind; /* STALE also where it tells of no register; DAMAGED also where it cannot be read */
	struct unc_journal_text text; /* empty where it is damaged */
	char who[320]; /* "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04 UTC"; "" where it is damaged */
	char why[UNC_MSG_MAX]; /* it is damaged */
};

struct unc_journals {
	struct unc_journal_file *files; /* owned; by name, so nearly by age */
	size_t n;
	struct unc_ctx *ctx;
};

/*
 * All there are, but for one of that name, if it is not NULL.  identity: of the machine that is asked for.  tidy: files that were begun by
 * processes that have ended are removed.
 * UNC_EIO, UNC_EPERM: the folder cannot be listed; UNC_ENOMEM.
 */
int unc_journals_read(struct unc_ctx *ctx, struct unc_os_folder *folder, const struct unc_host_identity *identity,
		      bool tidy, const char *but, struct unc_journals *ret_journals);
void unc_journals_clear(struct unc_journals *journals);
/* The first that says that a killed process left this register changed; NULL: none. */
const struct unc_journal_file *unc_journals_left(const struct unc_journals *journals, const struct unc_addr *addr,
						 uint32_t off);
/* Removes one whose writer is gone. */
int unc_journals_remove(struct unc_os_folder *folder, const struct unc_journal_file *file);
/* "2026-11-20 12:03:04 UTC", of nanoseconds since 1970.  Returns buf. */
enum { UNC_TIME_TEXT = 40 };
const char *unc_journals_time(uint64_t ns, char buf[UNC_TIME_TEXT]);

#endif
