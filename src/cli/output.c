// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/signals.h"

bool output_open(struct output *out, const char *path, int fd, const char *name)
{
	*out = (struct output){.fd = fd, .name = name};
	if (path) {
		out->name = path;
		out->ours = true;
		out->fd = confine_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		if (out->fd < 0 && signals_cut_short(errno)) {
			*out = (struct output){.fd = -1};
			return false;
		}
		if (out->fd < 0) {
			say("-o %s: %s", path, strerror(errno));
			*out = (struct output){.fd = -1};
			return false;
		}
	}
	out->terminal = isatty(out->fd) == 1;
	return true;
}

static bool make_room(struct output *out, size_t more)
{
	size_t size = out->size ? out->size : 4096;
	char *text;

	while (size - out->len < more)
		size *= 2;
	if (size == out->size)
		return true;
	text = realloc(out->text, size);
	if (!text) {
		say("out of memory");
		out->failed = true;
		return false;
	}
	out->text = text;
	out->size = size;
	return true;
}

void output_append(struct output *out, const char *bytes, size_t len)
{
	if (out->failed || !make_room(out, len))
		return;
	memcpy(out->text + out->len, bytes, len);
	out->len += len;
}

static size_t line_ends(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n')) != NULL) {
		n++;
		text++;
	}
	return n;
}

static void show_lines(struct output *out, char *text)
{
	for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		*end = '\0';
		output_shown(out, text);
		output_append(out, "\n", 1);
	}
	output_shown(out, text);
}

void output_printf(struct output *out, const char *fmt, ...)
{
	size_t n_fmt = strlen(fmt), first = strspn(fmt, "\n"), last = 0;
	char text[1024];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n <= 0)
		return;
	if ((size_t)n < sizeof(text) && line_ends(text) == line_ends(fmt)) {
		show_lines(out, text);
		return;
	}
	/* If an argument contained a line end, or the text is cut, only the line ends around the text are known to be ours. */
	while (last < n_fmt - first && fmt[n_fmt - 1 - last] == '\n')
		last++;
	if ((size_t)n < sizeof(text))
		text[(size_t)n - last] = '\0';
	output_append(out, text, first);
	output_shown(out, text + first);
	output_append(out, fmt + n_fmt - last, last);
}

void output_shown(struct output *out, const char *text)
{
	char piece[UNC_TEXT_PIECE];

	while (*text) {
		size_t len = 0;

		while (text[len] >= ' ' && text[len] <= '~')
			len++;
		output_append(out, text, len);
		text += len;
		if (*text)
			output_append(out, piece, unc_text_show_next(&text, piece));
	}
}

void output_json(struct output *out, const char *text)
{
	output_append(out, "\"", 1);
	while (*text) {
		char piece[UNC_TEXT_PIECE];
		const char *at = text, *next = text;
		uint32_t code = unc_text_next(&next);
		size_t len = unc_text_show_next(&text, piece);
		char escape[16];

		if (code == '"' || code == '\\')
			output_append(out, "\\", 1);
		if (len == (size_t)(text - at)) {
			output_append(out, at, len);
			continue;
		}
		if (code == UNC_TEXT_ILL)
			code = 0xfffd;
		if (code == '\n')
			output_append(out, "\\n", 2);
		else if (code > UINT16_MAX) /* RFC 8259, 7: as two surrogates */
			output_append(out, escape,
				      (size_t)snprintf(escape, sizeof(escape), "\\u%04x\\u%04x",
						       0xd7c0 + (unsigned)(code >> 10),
						       0xdc00 + (unsigned)(code & 0x3ff)));
		else
			output_append(out, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)code));
	}
	output_append(out, "\"", 1);
}

void output_text(struct output *out, const char *text)
{
	output_append(out, text, strlen(text));
}

void output_u64(struct output *out, uint64_t number)
{
	char digits[20]; /* 2^64 - 1 has 20 digits */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	output_append(out, digits + at, sizeof(digits) - at);
}

void output_rounded(struct output *out, double number)
{
	double most = 9007199254740992.0; /* 2^53: below it the digits after the point are exact */
	uint64_t whole;
	double rest;

	if (!(number >= 0 && number < most) || signbit(number)) {
		output_printf(out, "%.0f", number);
		return;
	}
	whole = (uint64_t)number;
	rest = number - (double)whole;
	if (rest > 0.5 || (rest == 0.5 && whole % 2))
		whole++;
	output_u64(out, whole);
}

static bool fail(struct output *out, int error)
{
	if (!out->failed)
		say("%s: %s%s", out->name, strerror(error),
		    error == EPIPE ? ": nobody reads it any more" : "; not all data was written");
	out->failed = true;
	return false;
}

bool output_flush(struct output *out)
{
	size_t done = 0;

	while (done < out->len && !out->failed) {
		ssize_t n = write(out->fd, out->text + done, out->len - done);

		/* A reader that does not read must not keep this process from ending. */
		if (n < 0 && signals_cut_short(errno)) {
			out->failed = true;
			break;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(out, errno);
		done += (size_t)n;
	}
	out->len = 0;
	return !out->failed;
}

bool output_end_sample(struct output *out)
{
	uint64_t now;

	if (out->more)
		return true;
	if (out->gather_ns == 0 || out->terminal || out->failed)
		return output_flush(out);
	now = unc_os_now_ns(UNC_CLOCK_MONO);
	if (now - out->written_ns < out->gather_ns)
		return true;
	out->written_ns = now;
	return output_flush(out);
}

bool output_close(struct output *out)
{
	bool good = output_flush(out);

	if (out->ours && close(out->fd) != 0)
		good = fail(out, errno);
	free(out->text);
	out->text = NULL;
	return good;
}

struct window output_window(const struct output *out)
{
	struct window window = {80, 24};
	struct winsize size;

	if (ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		window.columns = size.ws_col;
		window.rows = size.ws_row;
	}
	return window;
}
