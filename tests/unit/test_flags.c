// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/number.h"

#include <string.h>

#include "test.h"

TEST(flags_are_words_joined_by_semicolons)
{
	static const struct {
		unsigned flags;
		const char *text;
	} cases[] = {
		{0, ""},
		{FLAG_SIMULATED, "simulated"},
		{UNC_COUNT_MISSING, "missing"},
		{UNC_COUNT_STOLEN | UNC_COUNT_LATE | FLAG_SIMULATED, "stolen;late;simulated"},
		{UNC_COUNT_RESET | FLAG_PARTIAL, "reset;partial"},
		{UNC_COUNT_GAP, "gap"},
		{UNC_COUNT_GAP | UNC_COUNT_CHANGED, "gap;changed"},
		{UNC_COUNT_UNPROGRAMMED | FLAG_SIMULATED, "unprogrammed;simulated"},
		{UNC_COUNT_STOPPED, "stopped"},
		{FLAG_BELOW_ZERO | UNC_COUNT_LATE | FLAG_PARTIAL, "below_zero;late;partial"},
		{UNC_COUNT_NOT_RUN, "not_counted"},
		{UNC_COUNT_SCALED | FLAG_PARTIAL | FLAG_SIMULATED, "scaled;partial;simulated"},
		{UNC_COUNT_FREE_RUNNING | UNC_COUNT_STOPPED, "stopped;free_running"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[FLAGS_TEXT_MAX];

		CU_ASSERT_STRING_EQUAL(flags_text(cases[i].flags, buf), cases[i].text);
	}
}

TEST(all_of_them_have_room)
{
	char buf[FLAGS_TEXT_MAX];
	const char *text = flags_text(UINT32_MAX, buf);

	CU_ASSERT(strlen(text) + 1 < FLAGS_TEXT_MAX);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ";partial;simulated"));
}
