// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *unc_array_more(void *array, size_t n, size_t size)
{
	/* Memory is allocated at n = 0, 4, 8, 16, 32...: the array is full whenever n is a power of two from 4 on. */
	if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
		size_t room = n ? 2 * n : 4;

		if (room > SIZE_MAX / 2 / size)
			return NULL;
		array = realloc(array, room * size);
		if (!array)
			return NULL;
	}
	memset((char *)array + n * size, 0, size);
	return array;
}

bool unc_array_add(void *array, size_t *n, const void *element, size_t size)
{
	void *first;

	memcpy(&first, array, sizeof(first));
	first = unc_array_more(first, *n, size);
	if (!first)
		return false;
	memcpy(array, &first, sizeof(first));
	memcpy((char *)first + (*n)++ * size, element, size);
	return true;
}

int unc_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int unc_order_unsigned(const void *a, const void *b)
{
	return unc_order(*(const unsigned *)a, *(const unsigned *)b);
}

unsigned unc_bits_set(uint64_t bits)
{
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

bool unc_bytes_add(struct unc_bytes *to, const void *bytes, size_t n)
{
	if (to->room - to->len < n) {
		size_t room = 2 * to->room + n + 1024;
		char *more = realloc(to->bytes, room);

		if (!more)
			return false;
		to->bytes = more;
		to->room = room;
	}
	if (n)
		memcpy(to->bytes + to->len, bytes, n);
	to->len += n;
	return true;
}

bool unc_names_add(struct unc_names *names, const char *name)
{
	bool added = unc_bytes_add(&names->all, name, strlen(name) + 1);

	names->n += added;
	return added;
}

static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *unc_names_list(struct unc_names *names, bool sorted)
{
	/* The pointers come first, then the text they point to. */
	const char **list = malloc(names->n * sizeof(*list) + names->all.len + 1);
	char *text = (char *)(list + names->n);

	if (list && names->n)
		memcpy(text, names->all.bytes, names->all.len);
	for (size_t i = 0; list && i < names->n; i++) {
		list[i] = text;
		text += strlen(text) + 1;
	}
	if (list && sorted)
		qsort(list, names->n, sizeof(*list), by_strcmp);
	free(names->all.bytes);
	*names = (struct unc_names){0};
	return list;
}

bool unc_text_digits(const char **text, unsigned base, unsigned most, uint64_t *ret_value)
{
	uint64_t value = 0, most_before = UINT64_MAX / base;
	const char *p = *text;

	for (unsigned n = 0; n < most; n++, p++) {
		unsigned digit = (unsigned)unc_text_digit(*p);

		if (digit >= base)
			break;
		if (value > most_before || value * base > UINT64_MAX - digit)
			return false;
		value = value * base + digit;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret_value = value;
	return true;
}

bool unc_text_take(const char **text, uint64_t *ret_value)
{
	return unc_text_digits(text, 10, UINT32_MAX, ret_value);
}

bool unc_text_number(const char **text, uint64_t *ret_value)
{
	bool is_hex = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');

	*text += is_hex ? 2 : 0;
	return unc_text_digits(text, is_hex ? 16 : 10, UINT32_MAX, ret_value);
}

bool unc_text_same(const char *a, const char *b)
{
	while (*a && unc_lower(*a) == unc_lower(*b))
		a++, b++;
	return !*a && !*b;
}

bool unc_text_u64(const char *text, uint64_t *ret_value)
{
	uint64_t value;

	if (!unc_text_number(&text, &value) || *text)
		return false;
	*ret_value = value;
	return true;
}

bool unc_text_hex(const char *text, uint64_t *ret_value)
{
	uint64_t value;

	if (!unc_text_digits(&text, 16, UINT32_MAX, &value) || *text)
		return false;
	*ret_value = value;
	return true;
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
		if (!unc_text_take(&text, &exponent) || exponent > 300)
			return false;
		value = negative ? value / power_of_ten((unsigned)exponent) : value * power_of_ten((unsigned)exponent);
	}
	if (*text || value > 1e300)
		return false;
	*ret_value = value;
	return true;
}

bool unc_text_range(const char **list, uint64_t max, uint64_t *ret_first, uint64_t *ret_last)
{
	const char *text = *list;

	if (!text || !unc_text_take(&text, ret_first))
		return false;
	*ret_last = *ret_first;
	if (*text == '-') {
		text++;
		if (!unc_text_take(&text, ret_last))
			return false;
	}
	if (*ret_last < *ret_first || *ret_last > max)
		return false;
	text += *text == '\n' && !text[1];
	if (*text && *text != ',')
		return false;
	*list = *text ? text + 1 : NULL;
	return true;
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

int unc_text_words(char *line, char **words, int max)
{
	static const char blanks[] = " \t\r\n";
	char *to = line; /* never after line */
	int n = 0;

	for (;;) {
		char quote = 0;

		line += strspn(line, blanks);
		if (n == max)
			return -1;
		words[n] = *line && *line != '#' ? to : NULL;
		if (!words[n])
			return n;
		n++;
		for (; *line && (quote || !strchr(blanks, *line)); line++) {
			if (*line == quote)
				quote = 0;
			else if (!quote && (*line == '"' || *line == '\''))
				quote = *line;
			else
				*to++ = *line;
		}
		if (quote)
			return -1;
		line += *line != '\0';
		*to++ = '\0';
	}
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

void unc_text_enlist(char *buf, size_t size, const char *word, size_t len)
{
	if (len && !unc_text_listed(buf, word, len) && strlen(buf) + len + sizeof(", ") <= size)
		unc_text_join(buf, size, ", ", "%.*s", (int)len, word);
}

void unc_text_join(char *buf, size_t size, const char *separator, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list args;

	if (len)
		len += (size_t)snprintf(buf + len, size - len, "%s", separator);
	if (len >= size)
		return;
	va_start(args, fmt);
	vsnprintf(buf + len, size - len, fmt, args);
	va_end(args);
}

char *unc_text_dup(const char *text)
{
	return unc_text_new("%s", text);
}

char *unc_text_new(const char *fmt, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = len < 0 ? NULL : malloc((size_t)len + 1);
	if (!text)
		return NULL;
	va_start(args, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}

void unc_text_put_hex(char *to, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (const unsigned char *from = bytes; n > 0; n--, from++) {
		*to++ = digits[*from >> 4];
		*to++ = digits[*from & 0xf];
	}
	*to = '\0';
}

bool unc_text_unescape(const char *text, const char *end, char *buf, size_t size, size_t *ret_len)
{
	size_t len = 0;

	for (; text < end; text++) {
		char c = *text;

		if (len + 1 >= size)
			return false;
		if (c == '%') {
			int hi = end - text > 2 ? unc_text_digit(text[1]) : -1,
			    lo = hi < 0 ? -1 : unc_text_digit(text[2]);

			if (lo < 0)
				return false;
			c = (char)(hi << 4 | lo);
			text += 2;
		}
		buf[len++] = c;
	}
	buf[len] = '\0';
	*ret_len = len;
	return true;
}

void unc_text_demangle(char *text)
{
	char *to = text;

	for (; *text; text++) {
		*to = *text;
		if (*text == '\\' && strspn(text + 1, "01234567") >= 3) {
			*to = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
			text += 3;
		}
		to++;
	}
	*to = '\0';
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

uint32_t unc_text_next(const char **text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* a longer form than necessary is not UTF-8 */
	const unsigned char *at = (const unsigned char *)*text;
	unsigned len = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
	uint32_t code = len == 1 ? *at : len ? *at & (0x7fU >> len) : 0;

	for (unsigned i = 1; i < len; i++) {
		if (at[i] >> 6 != 2)
			len = 0; /* also at the end of the text */
		else
			code = code << 6 | (at[i] & 0x3fU);
	}
	*text += len ? len : 1;
	if (!len || code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return UNC_TEXT_ILL;
	return code;
}

/*
 * Sorted.  Unicode 15, categories Cc, Cf, Zl, Zp and noncharacters, as far as they change how the text around them
 * looks.
 */
static const uint32_t hidden[][2] = {
	{0x00, 0x1f},
	{0x7f, 0x9f},
	{0xad, 0xad},
	{0x61c, 0x61c},
	{0x180e, 0x180e},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0xfeff, 0xfeff},
	{0xfff9, 0xfffb},
	{0xfffe, 0xffff},
	{0xe0000, 0xe007f},
	{UNC_TEXT_ILL, UNC_TEXT_ILL},
};

static bool is_hidden(uint32_t code)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && hidden[i][0] <= code; i++)
		if (code <= hidden[i][1])
			return true;
	return false;
}

size_t unc_text_show_next(const char **text, char piece[UNC_TEXT_PIECE])
{
	const char *at = *text;
	bool shown = !is_hidden(unc_text_next(text));
	size_t len = 0;

	for (; at < *text; at++) {
		if (shown) {
			piece[len++] = *at;
			continue;
		}
		piece[len++] = '\\';
		piece[len++] = 'x';
		unc_text_put_hex(piece + len, at, 1);
		len += 2;
	}
	piece[len] = '\0';
	return len;
}

void unc_text_show(const char *text, char *buf, size_t size)
{
	char piece[UNC_TEXT_PIECE];
	size_t len = 0, n;

	for (; *text; len += n) {
		n = unc_text_show_next(&text, piece);
		if (len + n >= size)
			break;
		memcpy(buf + len, piece, n);
	}
	buf[len] = '\0';
}
