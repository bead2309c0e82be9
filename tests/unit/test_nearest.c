// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/nearest.h"

#include "onsim.h"

TEST(distance_is_the_least_number_of_letters_to_change)
{
	EQ(unc_text_distance("", ""), 0);
	EQ(unc_text_distance("abc", "abc"), 0);
	EQ(unc_text_distance("ABC", "abc"), 0);
	EQ(unc_text_distance("", "abc"), 3);
	EQ(unc_text_distance("abc", ""), 3);
	EQ(unc_text_distance("kitten", "sitting"), 3);
	EQ(unc_text_distance("flaw", "lawn"), 2);
	EQ(unc_text_distance("x", "0123456789012345678901234567890123456789012345678901234567890123456789"), 99);
}

TEST(the_nearest_names_are_offered_and_no_others)
{
	static const char names[] = "cas_count.rd, cas_count.wr, cas_count.rd_reg, act_count, pre_count, list, "
				    "presence.functions, --format, --force";
	static const struct {
		const char *asked, *text;
	} cases[] = {
		{"cas_count.rx", "; the nearest are cas_count.rd, cas_count.wr"}, /* of one stem: all are near */
		{"cas_cont", "; the nearest are cas_count.rd, cas_count.wr, cas_count.rd_reg"},
		{"act_cuont", "; the nearest is act_count"},
		{"ACT_COUNTS", "; the nearest is act_count"},
		{"lsit", "; the nearest is list"},
		{"functoins", "; the nearest is presence.functions"},
		{"unctio", "; the nearest is presence.functions"}, /* a part of it */
		{"--fromat", "; the nearest is --format"},
		{"--for", "; the nearest are --format, --force"},
		{"", ""},
		{"x", ""},
		{"entirely_different", ""},
		{"a_name_of_more_than_sixty_four_letters_is_not_looked_for_act_count_", ""},
	};
	char text[UNC_NEAREST_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		SAME(unc_nearest_listed(cases[i].asked, names, text), cases[i].text);
}
