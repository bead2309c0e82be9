// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of the column flags, and of the status of a value of a cache. */
#define _GNU_SOURCE
#include "cli/flags.h"

#include <string.h>

struct word {
	unsigned flag;
	const char *word;
};

/* As fast as possible, since every row of a sample has flags.  A table ends with the flag 0. */
static const char *words_of(unsigned flags, const struct word *words, char buf[FLAGS_TEXT_MAX])
{
	char *end = buf;

	for (; words->flag; words++) {
		if (!(flags & words->flag))
			continue;
		if (end > buf)
			*end++ = ';';
		end = stpcpy(end, words->word);
	}
	*end = '\0';
	return buf;
}

const char *flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX])
{
	static const struct word words[] = {
		{UNC_COUNT_MISSING, "missing"},
		{UNC_COUNT_STOLEN, "stolen"},
		{UNC_COUNT_RESET, "reset"},
		{UNC_COUNT_GAP, "gap"},
		{UNC_COUNT_CHANGED, "changed"},
		{UNC_COUNT_UNPROGRAMMED, "unprogrammed"},
		{UNC_COUNT_STOPPED, "stopped"},
		{UNC_COUNT_UNCONFIRMED, "unconfirmed"},
		{UNC_COUNT_NOT_RUN, "not_counted"},
		{FLAG_BELOW_ZERO, "below_zero"},
		{UNC_COUNT_LATE, "late"},
		{UNC_COUNT_SCALED, "scaled"},
		{UNC_COUNT_FREE_RUNNING, "free_running"},
		{FLAG_PARTIAL, "partial"},
		{FLAG_SIMULATED, "simulated"},
		{0, NULL},
	};

	return words_of(flags, words, buf);
}

const char *llc_flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX])
{
	static const struct word words[] = {
		{UNC_LLC_HIJACKED, "hijacked"},
		{UNC_LLC_SHARED_RMID, "shared_rmid"},
		{UNC_LLC_CORRECTED, "corrected"},
		{UNC_LLC_OVER, "over"},
		{UNC_LLC_PARTIAL, "partial"},
		{UNC_LLC_LONGER, "longer"},
		{UNC_LLC_LATE, "late"},
		{UNC_LLC_LOCAL_EXCEEDS, "local_exceeds"},
		{FLAG_SUM, "sum"},
		{UNC_TASK_MOVED << FLAG_TASKS, "moved"},
		{UNC_TASK_NARROWED << FLAG_TASKS, "narrowed"},
		{UNC_TASK_OTHERS << FLAG_TASKS, "others"},
		{UNC_TASK_GONE << FLAG_TASKS, "gone"},
		{FLAG_SIMULATED, "simulated"},
		{0, NULL},
	};

	return words_of(flags, words, buf);
}

const char *llc_status_text(enum unc_llc_status status)
{
	static const char *const words[] = {
		[UNC_LLC_NOT_ASKED] = "",
		[UNC_LLC_OK] = "ok",
		[UNC_LLC_UNAVAILABLE] = "unavailable",
		[UNC_LLC_ERROR] = "error",
		[UNC_LLC_DISTURBED] = "disturbed",
		[UNC_LLC_STALE] = "stale",
		[UNC_LLC_SHARED] = "shared_rmid",
	};

	return words[status];
}
