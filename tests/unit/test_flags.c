// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/flags.h"

#include <string.h>

#include "test.h"

TEST(flags_are_words_joined_by_semicolons)
{
	static const struct {
		unsigned flags;
		bool partial, simulated;
		const char *text;
	} cases[] = {
		{0, false, false, ""},
		{0, false, true, "simulated"},
		{UNC_COUNT_MISSING, false, false, "missing"},
		{UNC_COUNT_STOLEN | UNC_COUNT_LATE, false, true, "stolen;late;simulated"},
		{UNC_COUNT_RESET, true, false, "reset;partial"},
		{UNC_COUNT_GAP, false, false, "gap"},
		{UNC_COUNT_GAP | UNC_COUNT_CHANGED, false, false, "gap;changed"},
		{UNC_COUNT_UNPROGRAMMED, false, true, "unprogrammed;simulated"},
		{UNC_COUNT_STOPPED, false, false, "stopped"},
		{FLAG_BELOW_ZERO | UNC_COUNT_LATE, true, false, "below_zero;late;partial"},
		{UNC_COUNT_NOT_RUN, false, false, "not_counted"},
		{UNC_COUNT_SCALED, true, true, "scaled;partial;simulated"},
		{UNC_COUNT_FREE_RUNNING | UNC_COUNT_STOPPED, false, false, "stopped;free_running"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[FLAGS_TEXT_MAX];

		CU_ASSERT_STRING_EQUAL(flags_text(cases[i].flags, cases[i].partial, cases[i].simulated, buf),
				       cases[i].text);
	}
}

TEST(all_of_them_have_room)
{
	char buf[FLAGS_TEXT_MAX];
	const char *text = flags_text(UINT32_MAX, true, true, buf);

	CU_ASSERT(strlen(text) + 1 < FLAGS_TEXT_MAX);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ";partial;simulated"));
}
