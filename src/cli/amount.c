// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/amount.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { TEXT_MAX = 64 };
static const double MOST = 1125899906842624.0; /* 2^50: a PiB */

/* The factor of the unit after a number. 0: unknown unit. */
static double factor(const char *unit)
{
	static const char prefixes[] = "kMGT";
	const char *prefix;
	double base = 1024, product;

	if (!*unit || strcmp(unit, "B") == 0)
		return 1;
	prefix = strchr(prefixes, *unit == 'K' ? 'k' : *unit);
	if (!prefix)
		return 0;
	if (strcmp(unit + 1, "B") == 0)
		base = 1000;
	else if (unit[1] && strcmp(unit + 1, "iB") != 0)
		return 0;
	product = base;
	for (; prefix > prefixes; prefix--)
		product *= base;
	return product;
}

static bool amount_of(const char *text, size_t len, uint64_t *ret_bytes)
{
	size_t digits = len;
	char number[TEXT_MAX], unit[TEXT_MAX];
	double bytes;

	if (len >= TEXT_MAX)
		return false;
	/* An e belongs to the number; a B or a prefix does not. */
	while (digits && strchr("kKMGTiB", text[digits - 1]))
		digits--;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	snprintf(unit, sizeof(unit), "%.*s", (int)(len - digits), text + digits);
	if (!unc_text_double(number, &bytes))
		return false;
	bytes = bytes * factor(unit) + 0.5;
	if (factor(unit) == 0 || bytes > MOST)
		return false;
	*ret_bytes = (uint64_t)bytes;
	return true;
}

bool amount_of_bytes(const char *text, uint64_t *ret_bytes)
{
	return amount_of(text, strlen(text), ret_bytes);
}

bool amount_of_rate(const char *text, uint64_t *ret_bytes_per_s)
{
	size_t len = strlen(text);

	if (len > 2 && strcmp(text + len - 2, "/s") == 0)
		len -= 2;
	return amount_of(text, len, ret_bytes_per_s);
}
