// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock file of libpqos (intel-cmt-cat lib/lock.c), which pqos and rdtset are linked with.
 *
 * Until v4.6.0 the file is empty, is locked with lockf() only while a function of the library runs, and stays when the program
 * ends: it tells that there was one.  Since v26.03 it is removed at the end, and has the process id and a second number, meant to be
 * when the process began; but the count of fields is one too far, so that it is the size of its memory then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/house_finders.h"

enum { LOCK_MAX = 4096 };

/* Since /var/lock may be a link to /run/lock, which leads out of a directory tree. */
static const char *const lock_files[] = {"/var/lock/libpqos", "/run/lock/libpqos"};

static int add_empty(struct unc_house *house, const char *path)
{
	struct unc_finding *found = unc_house_add(house, UNC_FOUND_PQOS, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: is there, without a process id", path);
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: a program that uses libpqos (pqos, rdtset) is running; the lock file of versions before "
		 "26.03 stays behind when they end, so it only tells that there was one");
	return UNC_OK;
}

/* Is it surely the one that wrote the file? */
static bool same_process(const struct unc_proc_stat *stat, uint64_t second)
{
	return second == stat->starttime || second == stat->vsize || strcmp(stat->comm, "pqos") == 0 ||
	       strcmp(stat->comm, "rdtset") == 0;
}

static int add_process(struct unc_house *house, const char *path, uint64_t pid, uint64_t second)
{
	struct unc_proc_stat stat = {0};
	struct unc_finding *found;
	bool there, sure;
	int rc = unc_house_process(house, pid, &there, &stat);

	if (rc < 0)
		return rc;
	sure = there && same_process(&stat, second);
	found = unc_house_add(house, UNC_FOUND_PQOS, sure);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: process %llu, which %s%.40s%s", path,
		 (unsigned long long)pid, there ? "is \"" : "is not there", there ? stat.comm : "", there ? "\"" : "");
	if (sure)
		snprintf(found->sentence, sizeof(found->sentence),
			 "process %llu (%.40s) uses libpqos: it assigns RMIDs and rewrites IA32_QM_EVTSEL",
			 (unsigned long long)pid, stat.comm);
	else if (there)
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: process %llu (%.40s) uses libpqos; or one that had its number did, and was killed, "
			 "which the lock file does not tell apart",
			 (unsigned long long)pid, stat.comm);
	else
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: a program that uses libpqos was killed and left its RMIDs assigned, or runs in a "
			 "container, where it has another process id than %llu here",
			 (unsigned long long)pid);
	return UNC_OK;
}

int unc_house_find_pqos(struct unc_house *house)
{
	for (size_t i = 0; i < sizeof(lock_files) / sizeof(lock_files[0]); i++) {
		uint64_t pid, second;
		const char *rest;
		char *text;
		bool two;
		int rc = unc_house_file(house, lock_files[i], LOCK_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		rest = text;
		two = unc_proc_next_number(&rest, &pid) && unc_proc_next_number(&rest, &second);
		free(text);
		return two ? add_process(house, lock_files[i], pid, second) : add_empty(house, lock_files[i]);
	}
	return UNC_OK;
}
