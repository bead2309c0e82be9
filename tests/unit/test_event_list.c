// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/number.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

/* The list as a text: "a b (c d)1", or the complaint. */
static void told(const char *text, char buf[256])
{
	struct event_list list = {0};
	char complaint[EVENT_LIST_COMPLAINT];

	if (!event_list_add(&list, text, complaint)) {
		snprintf(buf, 256, "%s", complaint);
		event_list_clear(&list);
		return;
	}
	buf[0] = '\0';
	for (size_t i = 0; i < list.n; i++) {
		size_t len = strlen(buf);

		snprintf(buf + len, 256 - len, "%s%s", len ? " " : "", list.items[i].text);
		len = strlen(buf);
		if (list.items[i].set)
			snprintf(buf + len, 256 - len, " %u", list.items[i].set);
	}
	event_list_clear(&list);
}

struct example {
	const char *text, *told;
};

static void all_are_told(const struct example *examples, size_t n)
{
	char buf[256];

	for (size_t i = 0; i < n; i++) {
		told(examples[i].text, buf);
		CU_ASSERT_STRING_EQUAL(buf, examples[i].told);
		if (strcmp(buf, examples[i].told) != 0)
			printf("%s: %s\n", examples[i].text, buf);
	}
}

TEST(commas_part_events)
{
	static const struct example examples[] = {
		{"a", "a"},
		{"a,b.c,d", "a b.c d"},
		{"a:thresh=8:edge:invert,b", "a:thresh=8:edge:invert b"},
		{"a,a", "a a"},
	};

	all_are_told(examples, sizeof(examples) / sizeof(examples[0]));
}

TEST(a_comma_between_the_slashes_of_a_unit_parts_nothing)
{
	static const struct example examples[] = {
		{"imc/event=0x4,umask=0x3/", "imc/event=0x4,umask=0x3/"},
		{"imc/event=0x4,umask=0x3/,b", "imc/event=0x4,umask=0x3/ b"},
		{"imc/event=0x4,umask=0x3/:edge,b", "imc/event=0x4,umask=0x3/:edge b"},
		{"imc/a/,imc/b/", "imc/a/ imc/b/"},
		{"imc/a,imc/b", "imc/a imc/b"},
		{"imc/a,imc/b/", "imc/a imc/b/"},
		{"imc/a,imc/event=1,umask=2/", "imc/a imc/event=1,umask=2/"},
		{"imc/event=1,umask=2/,imc/a", "imc/event=1,umask=2/ imc/a"},
		{"{imc/event=1,umask=2/,b}", "imc/event=1,umask=2/ 1 b 1"},
		{"{b,imc/event=1,umask=2/}", "b 1 imc/event=1,umask=2/ 1"},
	};

	all_are_told(examples, sizeof(examples) / sizeof(examples[0]));
}

TEST(braces_make_sets)
{
	static const struct example examples[] = {
		{"{a,b}", "a 1 b 1"},
		{"{a}", "a 1"},
		{"a,{b,c},d,{e,f}", "a b 1 c 1 d e 2 f 2"},
	};
	struct event_list list = {0};
	char complaint[EVENT_LIST_COMPLAINT];

	all_are_told(examples, sizeof(examples) / sizeof(examples[0]));
	CU_ASSERT_TRUE(event_list_add(&list, "{a,b}", complaint));
	CU_ASSERT_TRUE(event_list_add(&list, "c,{d}", complaint));
	CU_ASSERT_EQUAL(list.n, 4);
	CU_ASSERT_EQUAL(list.items[3].set, 2);
	event_list_clear(&list);
}

TEST(what_makes_no_sense_is_named)
{
	static const char empty[] = "an empty name: there is an event before and after each comma";
	static const struct example examples[] = {
		{"", empty},
		{",", empty},
		{"a,", empty},
		{",a", empty},
		{"a,,b", empty},
		{"{}", empty},
		{"{a,}", empty},
		{"{,a}", empty},
		{"{", empty},
		{"}", empty},
		{"{a", "a brace that is not closed: {a"},
		{"x,{a,b", "a brace that is not closed: {a,b"},
		{"a}", "a closing brace without an opening one: }"},
		{"{a}}", "a closing brace without an opening one: }"},
		{"{a,{b}}", "a set in braces within another: {b}}"},
		{"{{a}}", "a set in braces within another: {a}}"},
		{"{a{b}}", "a set in braces within another: {b}}"},
		{"a{b}", "a set in braces within a name: {b}"},
		{"{a}{b}", "a set in braces within a name: {b}"},
		{"{a}b", "no comma after a closing brace: b"},
		{"imc/event=4,umask=3", "a slash that is not closed: imc/event=4,umask=3"},
	};

	all_are_told(examples, sizeof(examples) / sizeof(examples[0]));
}
