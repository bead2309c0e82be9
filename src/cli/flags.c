// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/flags.h"

#include <stdio.h>
#include <string.h>

static void add_word(char buf[FLAGS_TEXT_MAX], const char *word)
{
	size_t len = strlen(buf);

	snprintf(buf + len, FLAGS_TEXT_MAX - len, "%s%s", len ? ";" : "", word);
}

const char *flags_text(unsigned flags, bool partial, bool simulated, char buf[FLAGS_TEXT_MAX])
{
	/* clang-format off */
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {
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
	};
	/* clang-format on */

	buf[0] = '\0';
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (flags & words[i].flag)
			add_word(buf, words[i].word);
	if (partial)
		add_word(buf, "partial");
	if (simulated)
		add_word(buf, "simulated");
	return buf;
}
