// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as text, sizes and rates as people write them, lists of CPUs and of events, words of flags, patterns of names. */
#define _GNU_SOURCE
#include "cli/number.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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
	if (strchr(buf, '.')) {
		char *end = buf + strlen(buf);

		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
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

const char *number_hex(uint64_t number, unsigned digits, char buf[NUMBER_TEXT_MAX])
{
	snprintf(buf, NUMBER_TEXT_MAX, "0x%0*" PRIx64, (int)digits, number);
	return buf;
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

/* Units with a prefix: powers of ten, as everywhere; of each unit from the highest down. */
static const struct {
	const char *unit;
	double scale;
	const char *prefixed;
} scales[] = {
	{"bytes", 1e9, "GB"}, {"bytes", 1e6, "MB"}, {"bytes/s", 1e9, "GB/s"}, {"bytes/s", 1e6, "MB/s"},
	{"/s", 1e9, "G/s"},   {"/s", 1e6, "M/s"},   {"/s", 1e3, "k/s"},       {"/s", 1, "/s"},
};
enum { N_SCALES = sizeof(scales) / sizeof(scales[0]) };

double number_scale(double number, const char *unit)
{
	double scale = 1;

	/* The last one of a unit is for all lower numbers. */
	for (size_t i = 0; i < N_SCALES; i++)
		if (strcmp(unit, scales[i].unit) == 0) {
			scale = scales[i].scale;
			if (fabs(number) >= scale)
				break;
		}
	return scale;
}

const char *number_with_unit(double number, const char *unit, double scale, char buf[NUMBER_TEXT_MAX])
{
	const char *prefixed = unit;
	size_t len;

	number /= scale;
	if (number >= 99999.5 && number < 1e18)
		number_grouped((uint64_t)(number + 0.5), buf);
	else /* at least four digits */
		snprintf(buf, NUMBER_TEXT_MAX, "%.*f",
			 fabs(number) < 9.9995   ? 3
			 : fabs(number) < 99.995 ? 2
						 : 1,
			 number);
	for (size_t i = 0; unit && i < N_SCALES; i++)
		if (strcmp(unit, scales[i].unit) == 0 && scale == scales[i].scale)
			prefixed = scales[i].prefixed;
	len = strlen(buf);
	if (unit)
		snprintf(buf + len, NUMBER_TEXT_MAX - len, " %s", prefixed);
	return buf;
}

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
	double bytes, scale;

	if (len >= TEXT_MAX)
		return false;
	/* An e belongs to the number; a B or a prefix does not. */
	while (digits && strchr("kKMGTiB", text[digits - 1]))
		digits--;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	snprintf(unit, sizeof(unit), "%.*s", (int)(len - digits), text + digits);
	if (!unc_text_double(number, &bytes))
		return false;
	scale = factor(unit);
	bytes = bytes * scale + 0.5;
	if (scale == 0 || bytes > MOST)
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

/* Is it a list that is valid except for a number that is too high for a CPU? */
static bool is_too_high(const char *text)
{
	bool high = false, in_range = false;

	for (;; text++) {
		char *end;

		if (*text < '0' || *text > '9')
			return false;
		high |= strtoull(text, &end, 10) > CPU_LIST_MAX; /* ULLONG_MAX if it is higher than that */
		if (!*end)
			return high;
		if (*end != ',' && (*end != '-' || in_range))
			return false;
		in_range = *end == '-';
		text = end;
	}
}

enum cpu_list_fault cpu_list_add(struct cpu_list *list, const char *text)
{
	const char *rest = text;
	uint64_t number, last;
	size_t n = 0;

	while (unc_text_range(&rest, CPU_LIST_MAX, &number, &last)) {
		for (; number <= last; number++) {
			unsigned cpu = (unsigned)number;

			if (!unc_array_add(&list->cpus, &list->n, &cpu, sizeof(cpu)))
				return CPU_LIST_NO_MEMORY;
		}
	}
	if (rest)
		return is_too_high(text) ? CPU_LIST_TOO_HIGH : CPU_LIST_MALFORMED;
	qsort(list->cpus, list->n, sizeof(*list->cpus), unc_order_unsigned);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || list->cpus[n - 1] != list->cpus[i])
			list->cpus[n++] = list->cpus[i];
	list->n = n;
	return CPU_LIST_GOOD;
}

bool cpu_list_has(const struct cpu_list *list, unsigned cpu)
{
	return list->n && bsearch(&cpu, list->cpus, list->n, sizeof(*list->cpus), unc_order_unsigned);
}

void cpu_list_clear(struct cpu_list *list)
{
	free(list->cpus);
	*list = (struct cpu_list){0};
}

void event_list_clear(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->items[i].text);
		free(list->items[i].shown);
	}
	free(list->items);
	*list = (struct event_list){0};
}

/*
 * The length of the event at text.  In "imc/event=4,umask=3/" the comma belongs to the event; in "imc/cas_count.rd,imc/..." the
 * slash is not closed, and the comma separates events.
 */
static size_t event_length(const char *text)
{
	size_t name = strcspn(text, ",{}/");
	const char *closing = text[name] == '/' ? strchr(text + name + 1, '/') : NULL;

	/* A slash that closes a unit's event is at the end of the event, or before its options; strchr() also finds the end. */
	if (closing && strchr(",}:", closing[1]))
		name = (size_t)(closing - text) + 1;
	return name + strcspn(text + name, ",{}");
}

static bool complain(char complaint[EVENT_LIST_COMPLAINT], const char *what, const char *where)
{
	if (where)
		snprintf(complaint, EVENT_LIST_COMPLAINT, "%s: %.60s", what, where);
	else
		snprintf(complaint, EVENT_LIST_COMPLAINT, "%s", what);
	return false;
}

/* Takes one event, and moves *text to its end. */
static bool take_event(struct event_list *list, const char **text, unsigned set, char *complaint)
{
	size_t len = event_length(*text), unit = strcspn(*text, "/");
	const char *from = *text;
	struct event_item item = {.set = set};

	if (len == 0)
		return complain(complaint, "an empty name: there is an event before and after each comma", NULL);
	/* name=value must be between two slashes. */
	if (unit < len && from[len - 1] != '/' && memchr(from + unit, '=', len - unit) &&
	    !memchr(from + unit + 1, '/', len - unit - 1))
		return complain(complaint, "a slash that is not closed", from);
	*text += len;
	item.text = strndup(from, len);
	if (item.text && unc_array_add(&list->items, &list->n, &item, sizeof(item)))
		return true;
	free(item.text);
	return complain(complaint, "out of memory", NULL);
}

bool event_list_add(struct event_list *list, const char *text, char complaint[EVENT_LIST_COMPLAINT])
{
	const char *brace = NULL; /* of the set that is open */

	for (;; text++) {
		if (!brace && *text == '{') {
			brace = text++;
			list->n_sets++;
		}
		if (*text != '{' && !take_event(list, &text, brace ? list->n_sets : 0, complaint))
			return false;
		if (brace && *text == '}') {
			brace = NULL;
			text++;
		}
		if (*text == '}')
			return complain(complaint, "a closing brace without an opening one", text);
		if (*text == '{')
			return complain(complaint,
					brace ? "a set in braces within another" : "a set in braces within a name",
					text);
		if (brace && *text != ',')
			return complain(complaint, "a brace that is not closed", brace);
		if (!*text)
			return true;
		if (*text != ',')
			return complain(complaint, "no comma after a closing brace", text);
	}
}

/* As fast as possible, since every row of a sample has flags. */
const char *flags_words(unsigned flags, const struct flag_word *words, char buf[FLAGS_TEXT_MAX])
{
	char *end = buf;

	for (; words->word; words++) {
		if (!(flags & words->flag))
			continue;
		if (end > buf)
			*end++ = ';';
		end = stpcpy(end, words->word);
	}
	*end = '\0';
	return buf;
}

const struct flag_word count_flag_words[] = {
	{UNC_COUNT_MISSING, "missing", "it does not answer, or another socket has it and this one does not"},
	{UNC_COUNT_STOLEN, "stolen",
	 "another program wrote our control register, which is neither written again nor put back"},
	{UNC_COUNT_RESET, "reset", "the counter jumped though its control is ours: another program cleared it"},
	{UNC_COUNT_GAP, "gap", "it was not read for too long, or the machine was suspended"},
	{UNC_COUNT_CHANGED, "changed", "its owner gave the counter another event (--observe)"},
	{UNC_COUNT_UNPROGRAMMED, "unprogrammed", "no program counts this (--observe)"},
	{UNC_COUNT_STOPPED, "stopped", "the box stands still: frozen, asleep, or without DIMMs"},
	{UNC_COUNT_UNCONFIRMED, "unconfirmed", "a 0 that no clock confirms"},
	{UNC_COUNT_NOT_RUN, "not_counted", "there were more events than counters, and it had no turn"},
	{FLAG_BELOW_ZERO, "below_zero", "it would be below 0 by more than its uncertainty"},
	{UNC_COUNT_LATE, "late",
	 "the count is right, but its interval is uncertain by more than 0.2 %; take a longer one"},
	{UNC_COUNT_SCALED, "scaled", "counted in a part of the time, and extended to all of it"},
	{UNC_COUNT_FREE_RUNNING, "free_running", "counted by a counter of the whole controller that always runs"},
	{UNC_COUNT_ESTIMATE, "estimate", "how many bytes a count stands for is not confirmed"},
	{FLAG_MESH, "mesh", "counted in the mesh, as no counter of the memory controller could be used"},
	{FLAG_PARTIAL, "partial", "a sum that lacks at least one channel"},
	{FLAG_SIMULATED, "simulated", NULL},
	{0, NULL, NULL},
};

const char *flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX])
{
	return flags_words(flags, count_flag_words, buf);
}

enum { LONGEST = 256 };

/* False: it is too long for a name. */
static bool lower(const char *text, char buf[LONGEST])
{
	size_t len = strlen(text);

	if (len >= LONGEST)
		return false;
	for (size_t i = 0; i <= len; i++)
		buf[i] = (char)tolower((unsigned char)text[i]);
	return true;
}

int name_match(const char *pattern, const char *name)
{
	char wanted[LONGEST], given[LONGEST];
	size_t len;

	if (!pattern)
		return 2;
	if (!lower(pattern, wanted) || !lower(name, given))
		return 0;
	len = strlen(wanted);
	if (strpbrk(wanted, "*?"))
		return unc_text_match(wanted, given) ? 2 : 0;
	if (strncmp(given, wanted, len) == 0 && (given[len] == '\0' || given[len] == '.'))
		return 2;
	return strstr(given, wanted) ? 1 : 0;
}
