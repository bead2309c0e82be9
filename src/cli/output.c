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
#include "cli/cli.h"
#include "cli/signals.h"

bool output_open(struct output *out, const char *path, int fd, const char *name)
{
	*out = (struct output){.fd = fd, .name = name};
	if (path) {
		out->name = path;
		out->ours = true;
		out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
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

void output_printf(struct output *out, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n > 0)
		output_append(out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void output_text(struct output *out, const char *text)
{
	output_append(out, text, strlen(text));
}

void output_u64(struct output *out, uint64_t number)
{
	char digits[20]; /* 2^64 - 1 has as many */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	output_append(out, digits + at, sizeof(digits) - at);
}

void output_rounded(struct output *out, double number)
{
	double most = 9007199254740992.0; /* 2^53: below, what is behind the point is exact */
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

		/* A reader that does not read must not keep us from ending. */
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
