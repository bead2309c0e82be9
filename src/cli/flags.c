// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of the column flags, and of the status of a value of a cache. */
#include "cli/flags.h"

#include <stdio.h>
#include <string.h>

struct word {
	unsigned flag;
	const char *word;
};

static void add_word(char buf[FLAGS_TEXT_MAX], const char *word)
{
	size_t len = strlen(buf);

	snprintf(buf + len, FLAGS_TEXT_MAX - len, "%s%s", len ? ";" : "", word);
}

static void add_words(char buf[FLAGS_TEXT_MAX], unsigned flags, const struct word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (flags & words[i].flag)
			add_word(buf, words[i].word);
}

const char *flags_text(unsigned flags, bool partial, bool simulated, char buf[FLAGS_TEXT_MAX])
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
	};

	buf[0] = '\0';
	add_words(buf, flags, words, sizeof(words) / sizeof(words[0]));
	if (partial)
		add_word(buf, "partial");
	if (simulated)
		add_word(buf, "simulated");
	return buf;
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

const char *llc_flags_text(const struct llc_flags *flags, char buf[FLAGS_TEXT_MAX])
{
	static const struct word row_words[] = {
		{UNC_LLC_HIJACKED, "hijacked"},   {UNC_LLC_SHARED_RMID, "shared_rmid"},
		{UNC_LLC_CORRECTED, "corrected"}, {UNC_LLC_OVER, "over"},
		{UNC_LLC_PARTIAL, "partial"},     {UNC_LLC_LONGER, "longer"},
		{UNC_LLC_LATE, "late"},           {UNC_LLC_LOCAL_EXCEEDS, "local_exceeds"},
	};
	static const struct word task_words[] = {
		{UNC_TASK_MOVED, "moved"},
		{UNC_TASK_NARROWED, "narrowed"},
		{UNC_TASK_OTHERS, "others"},
		{UNC_TASK_GONE, "gone"},
	};

	buf[0] = '\0';
	add_words(buf, flags->row, row_words, sizeof(row_words) / sizeof(row_words[0]));
	if (flags->sum)
		add_word(buf, "sum");
	add_words(buf, flags->task, task_words, sizeof(task_words) / sizeof(task_words[0]));
	if (flags->simulated)
		add_word(buf, "simulated");
	return buf;
}
