// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of a record: how they are put together, and what of paths is in them. */
#include <stdio.h>
#include <string.h>

#include "access/record_lines.h"

enum { PER_LINE = 8, PIECE = 1024 };

void unc_record_put(struct record *record, const char *fmt, ...)
{
	size_t room = sizeof(record->line) - record->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(record->line + record->len, room, fmt, args);
	va_end(args);
	if (n > 0)
		record->len += (size_t)n < room ? (size_t)n : room - 1;
}

void unc_record_end_line(struct record *record)
{
	record->cfg.line(record->cfg.arg, record->line);
	record->line[0] = '\0';
	record->len = 0;
	record->has_times = false;
	memset(record->asked, 0, sizeof(record->asked));
}

void unc_record_begin_line(struct record *record)
{
	if (record->has_times)
		unc_record_end_line(record);
}

void unc_record_ask(struct record *record)
{
	unc_record_begin_line(record);
	record->asking = true;
}

void unc_record_answered(struct record *record)
{
	record->asking = false;
}

static void put_char(struct record *record, unsigned char c)
{
	if (c < ' ' || c > '~' || c == '%') /* a record is ASCII: it can be shown anywhere */
		unc_record_put(record, "%%%02X", c);
	else
		unc_record_put(record, "%c", c);
}

void unc_record_put_text(struct record *record, const char *text)
{
	while (*text)
		put_char(record, (unsigned char)*text++);
}

void unc_record_put_path(struct record *record, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ')
			unc_record_put(record, "%%20");
		else
			put_char(record, (unsigned char)*path);
	}
}

void unc_record_put_hex(struct record *record, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len && record->len + 3 <= sizeof(record->line); i++) {
		record->line[record->len++] = digits[bytes[i] >> 4];
		record->line[record->len++] = digits[bytes[i] & 0xf];
	}
	record->line[record->len] = '\0';
}

void unc_record_part(struct record *record, size_t i)
{
	if (i % PER_LINE != 0)
		return;
	unc_record_end_line(record);
	unc_record_put(record, "+");
}

void unc_record_put_names(struct record *record, const char *const *names, size_t n)
{
	unc_record_put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		unc_record_end_line(record);
		unc_record_put(record, "+ ");
		unc_record_put_text(record, names[i]);
	}
}

void unc_record_put_file(struct record *record, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t piece = (size_t)(end - text) < PIECE ? (size_t)(end - text) : PIECE;
		const char *newline = memchr(text, '\n', piece);

		if (newline)
			piece = (size_t)(newline - text);
		unc_record_put(record, "%c", newline ? '|' : ':');
		for (size_t i = 0; i < piece; i++)
			put_char(record, (unsigned char)text[i]);
		unc_record_end_line(record);
		text += piece + (newline ? 1 : 0);
	}
}

/* ---- without paths ---- */

/* A path is meant where it stands as a word, or with more of a path behind it. */
static bool stands_there(const char *text, const char *at, size_t len)
{
	return (at == text || strchr(" \"'`(:=,", at[-1])) && (!at[len] || strchr("/ \"'`):,;", at[len]));
}

static void replace(char *text, size_t size, const struct unc_record_alias *alias)
{
	size_t from = strlen(alias->path), to = strlen(alias->alias);
	char copy[UNC_MSG_MAX];
	char *at = text;

	while ((at = strstr(at, alias->path))) {
		if (!stands_there(text, at, from)) {
			at++;
			continue;
		}
		snprintf(copy, sizeof(copy), "%s", at + from);
		snprintf(at, size - (size_t)(at - text), "%s%s", alias->alias, copy);
		at += strlen(at) < to ? strlen(at) : to;
	}
}

void unc_record_hide(const struct record *record, char *text, size_t size)
{
	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++)
		if (record->cfg.aliases[i].path && record->cfg.aliases[i].path[0])
			replace(text, size, &record->cfg.aliases[i]);
}

void unc_record_hide_path(char *text, size_t size, const char *real, const char *path)
{
	char *at = strcmp(real, path) == 0 ? NULL : strstr(text, real);
	char copy[UNC_MSG_MAX];

	if (!at)
		return;
	snprintf(copy, sizeof(copy), "%s", at + strlen(real));
	snprintf(at, size - (size_t)(at - text), "%s%s", path, copy);
}

int unc_record_finish(struct record *record, int rc)
{
	struct unc_ctx *ctx = record->host.ctx;

	if (rc < 0 && rc != UNC_EAGAIN) {
		unc_record_hide(record, ctx->msg, sizeof(ctx->msg));
		unc_record_put(record, " !%s %s ", unc_record_class(rc), ctx->os_name ? ctx->os_name : "-");
		unc_record_put_text(record, ctx->msg);
	} else if (rc < 0) {
		unc_record_put(record, " !%s -", unc_record_class(rc));
	}
	unc_record_end_line(record);
	return rc;
}
