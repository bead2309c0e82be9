// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

TEST(a_number_is_decimal_or_0x_hex_and_nothing_else)
{
	enum { WRONG = 4711 }; /* what was there before stays */
	static const struct {
		const char *text;
		uint64_t number, hex; /* what it is as a number, and where only hexadecimal digits are taken */
	} cases[] = {
		{"0", 0, 0},
		{"12", 12, 0x12},
		{"0012", 12, 0x12},
		{"0x0", 0, WRONG},
		{"0xfFfF", 0xffff, WRONG},
		{"0XaB", 0xab, WRONG},
		{"18446744073709551615", UINT64_MAX, WRONG},
		{"0xffffffffffffffff", UINT64_MAX, WRONG},
		{"3cb0", WRONG, 0x3cb0},
		{"FF", WRONG, 0xff},
		{"ffffffffffffffff", WRONG, UINT64_MAX},
		{"1ffffffffffffffff", WRONG, WRONG},
		{"18446744073709551616", WRONG, WRONG},
		{"99999999999999999999", WRONG, WRONG},
		{"0x10000000000000000", WRONG, WRONG},
		{"0x10", 0x10, WRONG},
		{"", WRONG, WRONG},
		{"0x", WRONG, WRONG},
		{"-1", WRONG, WRONG},
		{"+1", WRONG, WRONG},
		{" 1", WRONG, WRONG},
		{"1 ", WRONG, WRONG},
		{"1\n", WRONG, WRONG},
		{"1:", WRONG, WRONG},
		{"12a", WRONG, 0x12a},
		{"0x12g", WRONG, WRONG},
		{"1.0", WRONG, WRONG},
		{"a", WRONG, 0xa},
		{"g", WRONG, WRONG},
	};

	for (size_t i = 0; i < N(cases); i++) {
		uint64_t number = WRONG, hex = WRONG;

		CU_ASSERT_EQUAL(unc_text_u64(cases[i].text, &number), cases[i].number != WRONG);
		CU_ASSERT_EQUAL(unc_text_hex(cases[i].text, &hex), cases[i].hex != WRONG);
		if (number != cases[i].number || hex != cases[i].hex)
			fprintf(stderr, "\n\"%s\": 0x%llx 0x%llx\n", cases[i].text, (unsigned long long)number,
				(unsigned long long)hex);
		CU_ASSERT_TRUE(number == cases[i].number && hex == cases[i].hex);
	}
}

TEST(a_decimal_number_may_have_a_fraction_and_an_exponent)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"12", 12},    {"0.5", 0.5},       {".5", 0.5}, {"3.", 3},        {"25.6e9", 25.6e9}, {"1e3", 1e3},
		{"1E+3", 1e3}, {"1.5e-3", 1.5e-3}, {"0", 0},    {"0.001", 0.001}, {"6.4e9", 6.4e9},   {"1e299", 1e299},
	};
	static const char *const bad[] = {
		"",     ".",   "-1",   "+1", "1e",   "1e+",   "1e-",    "e5",    "inf",   "nan",
		"0x10", "1,5", "1.5 ", " 1", "1..2", "1e301", "99e300", "1e1e1", "1.2.3", "1e99999999999999999999"};

	for (size_t i = 0; i < N(good); i++) {
		double value = -1, error;

		CU_ASSERT_TRUE(unc_text_double(good[i].text, &value));
		error = value > good[i].value ? value - good[i].value : good[i].value - value;
		if (error > good[i].value * 1e-14)
			fprintf(stderr, "\n%s: %.17g\n", good[i].text, value);
		CU_ASSERT_TRUE(error <= good[i].value * 1e-14);
	}
	for (size_t i = 0; i < N(bad); i++) {
		double value = -1;
		bool is = unc_text_double(bad[i], &value);

		if (is)
			fprintf(stderr, "\n\"%s\": %g\n", bad[i], value);
		CU_ASSERT_FALSE(is);
		CU_ASSERT_EQUAL(value, -1);
	}
}

/* "0-3 8-8 " of "0-3,8"; true: the list is well-formed. */
static bool take_list(const char *list, uint64_t max, char *seen, size_t size)
{
	uint64_t first, last;
	size_t len = 0;

	seen[0] = '\0';
	while (unc_text_range(&list, max, &first, &last))
		len += (size_t)snprintf(seen + len, size - len, "%llu-%llu ", (unsigned long long)first,
					(unsigned long long)last);
	return !list;
}

TEST(a_cpu_list_is_numbers_and_ranges)
{
	static const struct {
		const char *text, *ranges;
		uint64_t max;
	} good[] = {
		{"0", "0-0 ", 20},
		{"0-3,8,10-11", "0-3 8-8 10-11 ", 20},
		{"0-3\n", "0-3 ", 20},
		{"5-5", "5-5 ", 20},
		{"20", "20-20 ", 20},
		{"18446744073709551614-18446744073709551615", "18446744073709551614-18446744073709551615 ", UINT64_MAX},
	};
	static const char *const bad[] = {"21", "18-21", "3-1", "", "\n", "1,", ",1", "1-", "-1", "1;2", "1\n2", "1 "};
	char seen[200];

	for (size_t i = 0; i < N(good); i++) {
		CU_ASSERT_TRUE(take_list(good[i].text, good[i].max, seen, sizeof(seen)));
		CU_ASSERT_STRING_EQUAL(seen, good[i].ranges);
	}
	for (size_t i = 0; i < N(bad); i++)
		CU_ASSERT_FALSE(take_list(bad[i], 20, seen, sizeof(seen)));
}

TEST(cutting_gives_every_piece_empty_ones_too)
{
	char text[] = "snbep,sockets=2,,x,", *rest = text;
	static const char *const pieces[] = {"snbep", "sockets=2", "", "x", ""};

	for (size_t i = 0; i < N(pieces); i++) {
		const char *piece = unc_text_cut(&rest, ',');

		CU_ASSERT_PTR_NOT_NULL_FATAL(piece);
		CU_ASSERT_STRING_EQUAL(piece, pieces[i]);
	}
	CU_ASSERT_PTR_NULL(unc_text_cut(&rest, ','));
	CU_ASSERT_PTR_NULL(unc_text_cut(&rest, ','));
}

TEST(a_copy_is_a_copy)
{
	static const char text[] = "socket0.imc0.ch2";
	char *copy = unc_text_dup(text), *empty = unc_text_dup("");

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	CU_ASSERT_PTR_NOT_NULL_FATAL(empty);
	CU_ASSERT_STRING_EQUAL(copy, text);
	CU_ASSERT_TRUE(copy != text);
	CU_ASSERT_STRING_EQUAL(empty, "");
	free(copy);
	free(empty);
}

TEST(a_pattern_matches_the_whole_text)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{"", "", true},
		{"*", "", true},
		{"**", "", true},
		{"?", "a", true},
		{"*", "anything at all", true},
		{"cas_count.*", "cas_count.rd", true},
		{"cas_count.*", "cas_count.", true},
		{"*.rd", "cas_count.rd", true},
		{"*.rd*", "cas_count.rd_reg", true},
		{"socket*.imc0.ch?", "socket10.imc0.ch2", true},
		{"*aab", "aaaaab", true},
		{"*a*b*c", "xxaxxbxxc", true},
		{"", "a", false},
		{"a", "", false},
		{"?", "", false},
		{"?", "ab", false},
		{"a*", "b", false},
		{"A", "a", false},
		{"cas_count.*", "cas_count", false},
		{"*.rd", "cas_count.rd_reg", false},
		{"*a*b*c", "xxaxxcxxb", false},
		{"socket*.imc0.ch?", "socket10.imc1.ch2", false},
	};

	for (size_t i = 0; i < N(cases); i++)
		CU_ASSERT_EQUAL(unc_text_match(cases[i].pattern, cases[i].text), cases[i].matches);
}

TEST(a_word_is_in_a_list_as_a_whole)
{
	static const char list[] = "one, another, a third";
	static const char *const in[] = {"one", "another", "a third"}, *const out[] = {"a", "an", "third", "ones"};

	for (size_t i = 0; i < N(in); i++)
		CU_ASSERT_TRUE(unc_text_listed(list, in[i], strlen(in[i])));
	for (size_t i = 0; i < N(out); i++)
		CU_ASSERT_FALSE(unc_text_listed(list, out[i], strlen(out[i])));
	CU_ASSERT_FALSE(unc_text_listed("one", "ones", 4));
	CU_ASSERT_FALSE(unc_text_listed("", "one", 3));
	CU_ASSERT_FALSE(unc_text_listed(NULL, "one", 3));
}

/* ---- what people see ---- */

/* Every code point, and every form that is longer than it needs to be, is encoded here without any check. */
static size_t encode(uint32_t code, unsigned len, char *buf)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (unsigned i = len; i > 1; i--, code >>= 6)
		buf[i - 1] = (char)(0x80 | (code & 0x3f));
	buf[0] = (char)(lead[len] | code);
	buf[len] = '\0';
	return len;
}

static unsigned length_of(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* From the Unicode Character Database, not from the filter's table: what a terminal, or a reader, could be misled by. */
static bool misleads(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code <= 0x9f) || code == 0x200e || code == 0x200f || code == 0x2028 ||
	       code == 0x2029 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff || code == 0xfeff || code == 0xfffe ||
	       code == 0xffff;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

TEST(a_character_is_shown_as_it_is_or_in_ascii)
{
	char text[8], shown[64], again[64];

	for (uint32_t code = 1; code <= 0x1fffff; code++) {
		encode(code, length_of(code), text);
		unc_text_show(text, shown, sizeof(shown));
		if (misleads(code) && !is_ascii(shown))
			CU_FAIL("a character that misleads was let through");
		if (strcmp(shown, text) != 0 && !is_ascii(shown))
			CU_FAIL("a character was changed into another one");
		unc_text_show(shown, again, sizeof(again));
		if (strcmp(shown, again) != 0)
			CU_FAIL("what was filtered once is changed");
	}
	for (uint32_t code = ' '; code <= '~'; code++) {
		encode(code, 1, text);
		unc_text_show(text, shown, sizeof(shown));
		CU_ASSERT_STRING_EQUAL(shown, text);
	}
}

TEST(longer_forms_are_no_characters)
{
	char text[8], shown[64];

	for (uint32_t code = 0; code < 0x10000; code++) {
		for (unsigned len = length_of(code) + 1; len <= 4; len++) {
			encode(code, len, text);
			unc_text_show(text, shown, sizeof(shown));
			if (!is_ascii(shown) || strlen(shown) != (size_t)len * 4)
				CU_FAIL("an overlong form was let through");
		}
	}
}

/* Any two bytes, and any byte in and behind a longer character: what comes out is UTF-8 without controls. */
TEST(any_bytes_become_utf8)
{
	static const char *const before[] = {"", "\xe2\x82", "\xf0\x9f\x98", "\xc3"};

	for (unsigned n = 0; n < 4 * 65536; n++) {
		char text[8], shown[64];
		const char *at = shown;

		snprintf(text, sizeof(text), "%s%c%c", before[n >> 16], (int)(n >> 8 & 0xff), (int)(n & 0xff));
		unc_text_show(text, shown, sizeof(shown));
		while (*at) {
			uint32_t code = unc_text_next(&at);

			if (code == UNC_TEXT_ILL || misleads(code))
				CU_FAIL("bytes that are no UTF-8, or controls, were let through");
		}
	}
}

TEST(what_is_shown_says_each_byte_and_is_cut_between_characters)
{
	static const struct {
		const char *text;
		size_t size;
		const char *shown;
	} cases[] = {
		{"a\033[31mb", 64, "a\\x1b[31mb"},
		{"a\nb\tc\177", 64, "a\\x0ab\\x09c\\x7f"},
		{"\x9bm", 64, "\\x9bm"},
		{"\xc2\x9bm", 64, "\\xc2\\x9bm"},
		{"\xe2\x80\xaetxt", 64, "\\xe2\\x80\\xaetxt"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 64, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xe2\x82", 64, "\\xe2\\x82"},
		{"\xed\xa0\x80", 64, "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", 64, "\\xf4\\x90\\x80\\x80"},
		{"abc\033d", 7, "abc"},
		{"abc\033d", 8, "abc\\x1b"},
		{"ab\xe2\x82\xac", 5, "ab"},
		{"ab", 1, ""},
	};

	for (size_t i = 0; i < N(cases); i++) {
		char shown[64];

		unc_text_show(cases[i].text, shown, cases[i].size);
		CU_ASSERT_STRING_EQUAL(shown, cases[i].shown);
	}
}

TEST(a_command_line_is_cut_into_words)
{
	enum { MAX = 5 }; /* four words, and the NULL */
	static const struct {
		const char *line;
		int n;
		const char *words; /* each with a | after it */
	} cases[] = {
		{"", 0, ""},
		{" \t\r\n", 0, ""},
		{"list", 1, "list|"},
		{"  mem  -n\t2\r\n", 3, "mem|-n|2|"},
		{"reg set 'a b' \"c 'd\"", 4, "reg|set|a b|c 'd|"},
		{"--x='a b'c \"\"", 2, "--x=a bc||"},
		{"# list", 0, ""},
		{"list # -v", 1, "list|"},
		{"list a#b '#c'", 3, "list|a#b|#c|"},
		{"a b c d", 4, "a|b|c|d|"},
		{"a b c d e", -1, ""},
		{"a 'b", -1, ""},
		{"a \"b'", -1, ""},
	};

	for (size_t i = 0; i < N(cases); i++) {
		char line[64], joined[64] = "";
		char *words[MAX];
		int n;

		snprintf(line, sizeof(line), "%s", cases[i].line);
		n = unc_text_words(line, words, MAX);
		CU_ASSERT_EQUAL(n, cases[i].n);
		for (int word = 0; word < n; word++)
			unc_text_join(joined, sizeof(joined), "", "%s|", words[word]);
		CU_ASSERT_STRING_EQUAL(joined, cases[i].words);
		if (n >= 0)
			CU_ASSERT_PTR_NULL(words[n]);
	}
}
