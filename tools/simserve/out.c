// SPDX-License-Identifier: GPL-2.0-or-later
#include "out.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct out *out, size_t more)
{
	size_t room = out->room ? out->room : 256;
	char *text;

	while (room - out->len < more)
		room *= 2;
	if (room == out->room)
		return true;
	text = realloc(out->text, room);
	if (!text) {
		out->failed = true;
		return false;
	}
	out->text = text;
	out->room = room;
	return true;
}

void out_bytes(struct out *out, const void *bytes, size_t len)
{
	if (out->failed || !make_room(out, len))
		return;
	memcpy(out->text + out->len, bytes, len);
	out->len += len;
}

void out_vprintf(struct out *out, const char *fmt, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	if (len < 0)
		out->failed = true;
	else if (!out->failed && make_room(out, (size_t)len + 1)) {
		vsnprintf(out->text + out->len, (size_t)len + 1, fmt, again);
		out->len += (size_t)len;
	}
	va_end(again);
}

void out_printf(struct out *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_vprintf(out, fmt, args);
	va_end(args);
}

void out_json(struct out *out, const char *text)
{
	out_bytes(out, "\"", 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			out_printf(out, "\\%c", c);
		else if (c < 0x20)
			out_printf(out, "\\u%04x", c);
		else
			out_bytes(out, text, 1);
	}
	out_bytes(out, "\"", 1);
}

void out_list(struct out *out, const struct set *set)
{
	const char *comma = "";
	size_t i = 0;

	while (i < set->n) {
		size_t first = i;

		while (i < set->n && set->has(set->arg, i))
			i++;
		if (i == first) {
			i++;
			continue;
		}
		out_printf(out, "%s%zu", comma, first);
		if (i - 1 > first)
			out_printf(out, "-%zu", i - 1);
		comma = ",";
	}
	out_bytes(out, "\n", 1);
}

/* Groups of 32 from the highest down; the first is only as wide as needed. */
void out_mask(struct out *out, const struct set *set)
{
	size_t groups = (set->n + 31) / 32, top = set->n % 32 ? set->n % 32 : 32;

	for (size_t group = groups; group-- > 0;) {
		uint32_t bits = 0;

		for (size_t i = group * 32; i < group * 32 + 32 && i < set->n; i++)
			if (set->has(set->arg, i))
				bits |= UINT32_C(1) << i % 32;
		if (group == groups - 1)
			out_printf(out, "%0*x", (int)(top + 3) / 4, bits);
		else
			out_printf(out, ",%08x", bits);
	}
	out_bytes(out, "\n", 1);
}
