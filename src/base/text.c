// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int unc_text_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Digits of that base from *text on, at least one; stops at the first other character. */
static bool digits(const char **text, unsigned base, uint64_t *ret_value)
{
	const char *p = *text;
	uint64_t value = 0;

	for (; unc_text_digit(*p) >= 0 && (unsigned)unc_text_digit(*p) < base; p++) {
		unsigned digit = (unsigned)unc_text_digit(*p);

		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret_value = value;
	return true;
}

static bool whole(const char *text, unsigned base, uint64_t *ret_value)
{
	uint64_t value;

	if (!digits(&text, base, &value) || *text)
		return false;
	*ret_value = value;
	return true;
}

bool unc_text_u64(const char *text, uint64_t *ret_value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return whole(text + 2, 16, ret_value);
	return whole(text, 10, ret_value);
}

bool unc_text_hex(const char *text, uint64_t *ret_value)
{
	return whole(text, 16, ret_value);
}

static double power_of_ten(unsigned exponent)
{
	double power = 1;

	while (exponent--)
		power *= 10;
	return power;
}

bool unc_text_double(const char *text, double *ret_value)
{
	unsigned decimals = 0;
	double value = 0;
	bool any = false;

	for (; *text >= '0' && *text <= '9'; text++, any = true)
		value = value * 10 + (*text - '0');
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++, any = true) {
			value = value * 10 + (*text - '0');
			decimals++;
		}
	}
	if (!any || decimals > 300)
		return false;
	value /= power_of_ten(decimals);
	if (*text == 'e' || *text == 'E') {
		bool negative = text[1] == '-';
		uint64_t exponent;

		text += 1 + (text[1] == '-' || text[1] == '+');
		if (!digits(&text, 10, &exponent) || exponent > 300)
			return false;
		value = negative ? value / power_of_ten((unsigned)exponent) : value * power_of_ten((unsigned)exponent);
	}
	if (*text || value > 1e300)
		return false;
	*ret_value = value;
	return true;
}

bool unc_text_list(const char *text, uint64_t max, void (*add)(void *arg, uint64_t number), void *arg)
{
	for (;;) {
		uint64_t first, last;

		if (!digits(&text, 10, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!digits(&text, 10, &last))
				return false;
		}
		if (last < first || last > max)
			return false;
		for (uint64_t number = first; number < last; number++)
			add(arg, number);
		add(arg, last); /* apart: last may be the largest number there is */
		if (*text == '\n' && !text[1])
			return true;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

char *unc_text_cut(char **rest, char separator)
{
	char *piece = *rest, *end;

	if (!piece)
		return NULL;
	end = strchr(piece, separator);
	if (end)
		*end++ = '\0';
	*rest = end;
	return piece;
}

bool unc_text_listed(const char *list, const char *word, size_t len)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == len && memcmp(list, word, len) == 0)
			return true;
		list += n;
		list += strspn(list, ", ");
	}
	return false;
}

char *unc_text_dup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

bool unc_text_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
