// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/formula.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "test.h"

static const char *const names[] = {"a", "b", "rank0"};
enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

static struct unc_formula *parsed(const char *text)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_formula *formula = NULL;

	CU_ASSERT_EQUAL(unc_formula_parse(&ctx, text, names, N_NAMES, &formula), 0);
	if (!formula)
		printf("\n    %s: %s\n", text, ctx.msg);
	CU_ASSERT_PTR_NOT_NULL_FATAL(formula);
	return formula;
}

static void is_near(const char *text, double is, double expected)
{
	if (is < expected - 1e-12 || is > expected + 1e-12)
		printf("\n    %s: %.17g\n", text, is);
	CU_ASSERT_DOUBLE_EQUAL(is, expected, 1e-12);
}

/* With a = 12, b = 3, rank0 = 0, which are uncertain by 0.5, 1 and 2, and an interval of half a second. */
TEST(formulas_are_worked_out_as_at_school_and_are_as_uncertain_as_their_operands)
{
	enum { ANY = -1 };
	static const struct {
		const char *text;
		double value, doubt;
	} table[] = {
		{"a", 12, 0.5},
		{" a ", 12, 0.5},
		{"a+b", 15, 1.5},
		{"a - b", 9, 1.5},
		{"b - a", -9, 1.5},
		{"a - b - b", 6, ANY},
		{"2 * a", 24, 1},
		{"a * b", 36, 12 * 1 + 3 * 0.5 + 0.5},
		{"(b - a) * b", -27, 9 * 1 + 3 * 1.5 + 1.5},
		{"a / b / 2", 2, ANY},
		{"a / b * 2", 8, ANY},
		{"a * b / 2", 18, ANY},
		{"a - b * 2", 6, ANY},
		{"a * b - 2", 34, ANY},
		{"2 * a + 3 * b", 33, ANY},
		{"2 * (a + 3) * b", 90, ANY},
		{"(a - b) / (a + b)", 0.6, ANY},
		{"100 * (1 - rank0 / a)", 100, ANY},
		{"a / time", 24, 1},
		{"a * time / 1e2", 0.06, ANY},
		{"1e-1 * b", 0.3, ANY},
		{".5 * b", 1.5, ANY},
		{"((((((((((((((((a))))))))))))))))", 12, ANY},
		{"a - (b - (a - (b - (a - (b - a)))))", 39, ANY},
		{"a / 4", 3, 0.125},
		/* From 11.5 / 4 to 12.5 / 2. */
		{"a / b", 4, 6.25 - 4},
		{"a / (b - a)", -12.0 / 9, (0.5 + 12.0 / 9 * 1.5) / (9 - 1.5)},
		{"100 * (1 - a / b)", -300, 225},
		{"rank0 / b", 0, 1},
		/* The divisor may be zero. */
		{"a / (b - 2)", 12, DBL_MAX},
		{"a / (b - 2.5) - a / (b - 2.5)", 0, DBL_MAX},
		{"(b - 3) / (b - 2) * (b - 3)", 0, DBL_MAX},
	};
	static const double values[N_NAMES] = {12, 3, 0}, doubts[N_NAMES] = {0.5, 1, 2};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct unc_formula *formula = parsed(table[i].text);
		double value = -1, doubt = -1;

		CU_ASSERT_EQUAL(unc_formula_value(formula, values, 0.5, &value), 0);
		is_near(table[i].text, value, table[i].value);
		CU_ASSERT_EQUAL(unc_formula_measure(formula, values, doubts, 0.5, &value, &doubt), 0);
		is_near(table[i].text, value, table[i].value);
		if (table[i].doubt != ANY)
			is_near(table[i].text, doubt, table[i].doubt);
		CU_ASSERT_EQUAL(unc_formula_measure(formula, values, NULL, 0.5, &value, &doubt), 0);
		CU_ASSERT_EQUAL(doubt, 0);
		free(formula);
	}
}

/* As deep as it may be, so that as many values as possible wait for their operator. */
TEST(the_deepest_formula_has_room)
{
	static const double values[N_NAMES] = {1, 1, 1};
	char text[UNC_FORMULA_MAX] = "";
	struct unc_formula *formula;
	double value;

	for (int i = 0; i < UNC_FORMULA_DEPTH_MAX; i++)
		strcat(text, "a+b*(");
	strcat(text, "a+b*a");
	for (int i = 0; i < UNC_FORMULA_DEPTH_MAX; i++)
		strcat(text, ")");
	formula = parsed(text);
	CU_ASSERT_EQUAL(unc_formula_value(formula, values, 1, &value), 0);
	CU_ASSERT_EQUAL(value, UNC_FORMULA_DEPTH_MAX + 2);
	free(formula);
}

/* The sentence has that part. */
static void is_refused(const char *text, const char *part)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_formula *formula = NULL;

	CU_ASSERT_EQUAL(unc_formula_parse(&ctx, text, names, N_NAMES, &formula), UNC_EMAP);
	CU_ASSERT_PTR_NULL(formula);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, part));
	if (!strstr(ctx.msg, part))
		printf("\n    %s: %s\n", text, ctx.msg);
}

TEST(what_is_no_formula_is_refused)
{
	static const struct {
		const char *text, *part; /* what the sentence says */
	} table[] = {
		{"", "at character 1: a number, a name or ( is wanted"},
		{"  ", "at character 3: a number, a name or ( is wanted"},
		{"a +", "at character 4: a number, a name or ( is wanted"},
		{"a b", "at character 3: an operator is wanted"},
		{"a 2", "at character 3: an operator is wanted"},
		{"(a", "at character 3: an operator or ) is wanted"},
		{"(a b)", "at character 4: an operator or ) is wanted"},
		{"a)", "at character 2: an operator is wanted"},
		{"()", "at character 2: a number, a name or ("},
		{"-a", "at character 1: a number, a name or ("},
		{"a ** b", "at character 4: a number, a name or ("},
		{"a % b", "at character 3: an operator is wanted"},
		{"a\nb", "at character 2: an operator is wanted"},
		{"a * 1.2.3", "at character 5: this is not a number"},
		{"a * 1e", "at character 5: this is not a number"},
		{"a * 1e999", "at character 5: this is not a number"},
		{"a * 0x10", "at character 6: an operator is wanted"},
		{"a * B", "at character 5: a number, a name or ("},
		{"a + c", "at character 5: \"c\" is not known; there are a, b, rank0, time"},
		{"a + ab", "\"ab\" is not known"},
		{"timer", "\"timer\" is not known"},
		{"rank", "\"rank\" is not known"},
		{"(((((((((((((((((a)))))))))))))))))", "at character 17: too many parentheses"},
	};

	char text[UNC_FORMULA_MAX + 1];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		is_refused(table[i].text, table[i].part);
	/* And one that is longer than a line. */
	memset(text, '1', sizeof(text));
	text[UNC_FORMULA_MAX] = '\0';
	is_refused(text, "240 characters are too many");
	text[UNC_FORMULA_MAX - 1] = '\0';
	free(parsed(text));
}

/* Each cut and each changed character of a good formula: taken or refused, and what is taken has a value or none. */
TEST(damaged_formulas_are_survived)
{
	static const char good[] = "100 * (1 - (a + b) / rank0) * time / 1e-9";
	static const char bad[] = "()+-*/. _aZ0e[\"\t\xff";
	static const double values[N_NAMES] = {1, 2, 3};

	for (size_t at = 0; at < sizeof(good) - 1; at++) {
		for (size_t i = 0; i < sizeof(bad); i++) {
			struct unc_ctx ctx = {.msg = ""};
			struct unc_formula *formula;
			char text[sizeof(good)];
			double value;
			int rc;

			memcpy(text, good, sizeof(good));
			text[at] = bad[i]; /* the last is the end of the text */
			rc = unc_formula_parse(&ctx, text, names, N_NAMES, &formula);
			CU_ASSERT_TRUE(rc == 0 || (rc == UNC_EMAP && ctx.msg[0]));
			if (rc < 0)
				continue;
			rc = unc_formula_value(formula, values, 0.5, &value);
			CU_ASSERT_TRUE(rc == 0 || rc == UNC_ENODATA);
			free(formula);
		}
	}
}

TEST(dividing_by_zero_gives_no_value)
{
	static const char *const texts[] = {"a / b",       "a / (b * 2)",      "b / b", "1 - a / b", "a / time",
					    "a / (b / a)", "1e299 * a * 1e299"};
	static const double values[N_NAMES] = {5, 0, 0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct unc_formula *formula = parsed(texts[i]);
		double value = 7;

		CU_ASSERT_EQUAL(unc_formula_value(formula, values, 0, &value), UNC_ENODATA);
		CU_ASSERT_EQUAL(value, 7);
		free(formula);
	}
}

TEST(names_that_stand_in_it_are_told_from_others)
{
	struct unc_formula *formula = parsed("time * (rank0 + a)");

	CU_ASSERT_TRUE(unc_formula_uses(formula, 0));
	CU_ASSERT_FALSE(unc_formula_uses(formula, 1));
	CU_ASSERT_TRUE(unc_formula_uses(formula, 2));
	free(formula);
}

TEST(a_formula_is_shown_with_its_numbers)
{
	static const struct {
		const char *text, *shown;
		double a, b, seconds;
	} table[] = {
		{"64 * (a + b) / time", "64 * (400 + 80) / 0.5", 400, 80, 0.5},
		{"a/b", "281474976710655/1", 281474976710655.0, 1, 1},
		{"a / time", "3 / 1.000000037", 3, 0, 1.000000037},
		{"a / time", "3 / 10", 3, 0, 10},
		{"a + 1e9", "0.25 + 1e9", 0.25, 0, 1},
		{"a", "110554144.18067", 110554144.18066978, 0, 1},
		{"a", "9234567.891", 9234567.891, 0, 1},
		{"a", "100", 100, 0, 1},
		{"a / time", "1 / 12345.000000001", 1, 0, 12345.000000001},
		{"(a)", "(18446744073709551616)", 18446744073709551616.0, 0, 1},
		{"1 - b", "1 - 100", 0, 100, 1},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct unc_formula *formula = parsed(table[i].text);
		double values[N_NAMES] = {table[i].a, table[i].b, 0};
		char buf[100];

		CU_ASSERT_TRUE(unc_formula_explain(formula, values, table[i].seconds, buf, sizeof(buf)));
		CU_ASSERT_STRING_EQUAL(buf, table[i].shown);
		free(formula);
	}
}

/* What is shown is arithmetic that anybody may repeat: it gives the same value. */
TEST(what_is_shown_has_the_same_value)
{
	static const double values[N_NAMES] = {123456789012, 987654321, 42};
	struct unc_formula *formula = parsed("100 * (1 - (a - b) / (rank0 * a)) * time"), *again;
	double value, repeated;
	char buf[200];

	CU_ASSERT_TRUE(unc_formula_explain(formula, values, 0.100000123, buf, sizeof(buf)));
	again = parsed(buf);
	CU_ASSERT_EQUAL(unc_formula_value(formula, values, 0.100000123, &value), 0);
	CU_ASSERT_EQUAL(unc_formula_value(again, values, 0, &repeated), 0);
	CU_ASSERT_DOUBLE_EQUAL(value, repeated, 1e-9);
	free(formula);
	free(again);
}

TEST(what_is_shown_ends_where_there_is_no_room)
{
	static const double values[N_NAMES] = {400, 80, 0};
	struct unc_formula *formula = parsed("a / (a + b)"); /* 400 / (400 + 80): 16 characters */
	char buf[32];

	for (size_t size = 1; size < sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		CU_ASSERT_EQUAL(unc_formula_explain(formula, values, 1, buf, size), size >= 17);
		CU_ASSERT_EQUAL(buf[size], '#');
	}
	free(formula);
}

TEST(names_begin_with_a_letter)
{
	CU_ASSERT_TRUE(unc_formula_name_valid("rd_2"));
	CU_ASSERT_FALSE(unc_formula_name_valid("2rd"));
	CU_ASSERT_FALSE(unc_formula_name_valid(""));
	CU_ASSERT_FALSE(unc_formula_name_valid("a.b"));
	CU_ASSERT_FALSE(unc_formula_name_valid("RD"));
}
