// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_zeros(char *text)
{
	char *end = text + strlen(text);

	if (!strchr(text, '.'))
		return;
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

static bool whole(double number, char buf[NUMBER_TEXT_MAX])
{
	double most = 9007199254740992.0; /* 2^53: from there on every double is a whole number */

	if (fabs(number) < most && number != (double)(int64_t)number)
		return false;
	snprintf(buf, NUMBER_TEXT_MAX, "%.0f", number == 0 ? 0.0 : number); /* no -0 */
	return true;
}

/*
 * Writes that many significant digits, but all before the point, and no exponent.  Returns whether the digits identify the number.
 */
static bool with_digits(double number, int digits, char buf[NUMBER_TEXT_MAX])
{
	int decimals;
	bool same;

	snprintf(buf, NUMBER_TEXT_MAX, "%.*e", digits - 1, number);
	same = strtod(buf, NULL) == number;
	decimals = digits - 1 - (int)strtol(strchr(buf, 'e') + 1, NULL, 10);
	snprintf(buf, NUMBER_TEXT_MAX, "%.*f", decimals > 0 ? decimals : 0, number);
	drop_zeros(buf);
	return same;
}

const char *number_exact(double number, char buf[NUMBER_TEXT_MAX])
{
	bool same = whole(number, buf);

	/* 17 significant digits identify any double; often fewer are enough. */
	for (int digits = DBL_DIG; digits <= DBL_DIG + 2 && !same; digits++)
		same = with_digits(number, digits, buf);
	return buf;
}

const char *number_readable(double number, char buf[NUMBER_TEXT_MAX])
{
	if (!whole(number, buf))
		with_digits(number, 10, buf);
	return buf;
}

double number_as_readable(double number)
{
	char buf[NUMBER_TEXT_MAX];

	return strtod(number_readable(number, buf), NULL);
}

const char *number_grouped(uint64_t number, char buf[NUMBER_TEXT_MAX])
{
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number), to = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf[to++] = ',';
		buf[to++] = digits[i];
	}
	buf[to] = '\0';
	return buf;
}

uint64_t number_distance(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

const char *number_signed(int64_t number, char buf[NUMBER_TEXT_MAX])
{
	buf[0] = number < 0 ? '-' : '+';
	number_grouped(number_distance(number), buf + (number != 0));
	return buf;
}

/* Writes at least four digits. */
static void rounded(double number, char *buf, size_t size)
{
	double amount = fabs(number);

	snprintf(buf, size, "%.*f", amount < 9.9995 ? 3 : amount < 99.995 ? 2 : 1, number);
}

/* Units with a prefix: powers of ten, as everywhere. */
static const struct {
	const char *unit;
	double scale;
	const char *prefixed;
} scales[] = {
	/* per unit from the highest down; the last one is for all lower numbers */
	{"bytes", 1e9, "GB"}, {"bytes", 1e6, "MB"}, {"bytes/s", 1e9, "GB/s"}, {"bytes/s", 1e6, "MB/s"},
	{"/s", 1e9, "G/s"},   {"/s", 1e6, "M/s"},   {"/s", 1e3, "k/s"},       {"/s", 1, "/s"},
};
enum { N_SCALES = sizeof(scales) / sizeof(scales[0]) };

double number_scale(double number, const char *unit)
{
	double scale = 1;

	for (size_t i = 0; i < N_SCALES && scale == 1; i++)
		if (strcmp(unit, scales[i].unit) == 0 &&
		    (fabs(number) >= scales[i].scale || i + 1 == N_SCALES || strcmp(unit, scales[i + 1].unit) != 0))
			scale = scales[i].scale;
	return scale;
}

static const char *prefixed(const char *unit, double scale)
{
	for (size_t i = 0; i < N_SCALES; i++)
		if (strcmp(unit, scales[i].unit) == 0 && scale == scales[i].scale)
			return scales[i].prefixed;
	return unit;
}

const char *number_with_unit(double number, const char *unit, double scale, char buf[NUMBER_TEXT_MAX])
{
	size_t len;

	number /= scale;
	if (number >= 99999.5 && number < 1e18)
		number_grouped((uint64_t)(number + 0.5), buf);
	else
		rounded(number, buf, NUMBER_TEXT_MAX);
	len = strlen(buf);
	if (unit)
		snprintf(buf + len, NUMBER_TEXT_MAX - len, " %s", prefixed(unit, scale));
	return buf;
}
