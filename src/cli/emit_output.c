// SPDX-License-Identifier: GPL-2.0-or-later
/* Output of data: text is gathered, and written at once; JSON. */
#define _GNU_SOURCE
#include "cli/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/confine.h"

void output_on(struct output *out, int fd)
{
	*out = (struct output){.fd = fd, .name = fd == STDOUT_FILENO ? "standard output" : "standard error"};
	out->terminal = isatty(fd) == 1;
}

int output_open(struct output *out, const struct globals *globals, const char *path, int fd)
{
	*out = (struct output){.fd = -1};
	if (path && strcmp(path, "-") == 0) {
		path = NULL;
		fd = STDOUT_FILENO;
	}
	if (!path && fd == STDOUT_FILENO && globals->stdout_closed)
		return refuse(EXIT_FAILED, "standard output: closed; use -o FILE");
	if (!path) {
		output_on(out, fd);
		return EXIT_DONE;
	}
	fd = confine_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		if (!signals_cut_short(errno))
			say("-o %s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	*out = (struct output){.fd = fd, .name = path, .ours = true, .terminal = isatty(fd) == 1};
	return EXIT_DONE;
}

void output_append(struct output *out, const char *bytes, size_t len)
{
	size_t size = out->size ? out->size : 4096;
	char *text;

	if (out->failed)
		return;
	while (size - out->len < len)
		size *= 2;
	if (size != out->size) {
		text = realloc(out->text, size);
		if (!text) {
			say("out of memory");
			out->failed = true;
			return;
		}
		out->text = text;
		out->size = size;
	}
	memcpy(out->text + out->len, bytes, len);
	out->len += len;
}

static size_t line_ends(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
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
		for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
			output_shown(out, line);
			output_append(out, "\n", rest ? 1 : 0);
		}
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

/* How much of a text is written as it is, in JSON as in a page. */
static size_t plain_length(const char *text)
{
	size_t len = 0;

	while (text[len] >= ' ' && text[len] <= '~' && text[len] != '"' && text[len] != '\\' && text[len] != '<')
		len++;
	return len;
}

void json_quote(struct json *json, const char *text)
{
	struct output *out = json->out;

	output_append(out, "\"", 1);
	while (*text) {
		char piece[UNC_TEXT_PIECE];
		size_t plain = plain_length(text), len;
		const char *at = text + plain, *next = at;
		uint32_t code;
		bool shown;

		output_append(out, text, plain);
		text = at;
		if (!*text)
			break;
		code = unc_text_next(&next);
		len = unc_text_show_next(&text, piece);
		shown = len == (size_t)(text - at);

		if (code == '"' || code == '\\')
			output_append(out, "\\", 1);
		if (shown && !(json->in_page && code == '<'))
			output_append(out, at, len);
		else if (code == '\n')
			output_append(out, "\\n", 2);
		else if (!json->in_page && code > UINT16_MAX && code != UNC_TEXT_ILL) /* RFC 8259, 7: two surrogates */
			output_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(code >> 10),
				      0xdc00 + (unsigned)(code & 0x3ff));
		else if (shown || !json->in_page)
			output_printf(out, "\\u%04x", code == UNC_TEXT_ILL ? 0xfffd : (unsigned)code);
		for (size_t i = 0; !shown && json->in_page && code != '\n' && i < len; i += strlen("\\x1b")) {
			output_append(out, "\\", 1);
			output_append(out, piece + i, strlen("\\x1b"));
		}
	}
	output_append(out, "\"", 1);
}

void json_key(struct json *json, const char *key)
{
	bool first = !json->more;

	json->more = true;
	if (!key) {
		output_append(json->out, ",", first ? 0 : 1);
		return;
	}
	if (json->comments) {
		output_append(json->out, "\n", first ? 0 : 1);
		output_append(json->out, "# ", 2);
		output_text(json->out, key);
		output_append(json->out, ": ", 2);
		return;
	}
	output_append(json->out, first ? "\"" : ",\"", first ? 1 : 2);
	output_text(json->out, key);
	output_append(json->out, "\":", 2);
}

void json_begin(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	output_append(json->out, &bracket, 1);
	json->more = false;
}

void json_end(struct json *json, char bracket)
{
	output_append(json->out, &bracket, 1);
	json->more = true;
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	if (text && *text)
		json_quote(json, text);
	else
		output_append(json->out, "null", 4);
}

void json_put_u64(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	output_u64(json->out, number);
}

void json_put_real(struct json *json, const char *key, double number)
{
	json_key(json, key);
	if (isfinite(number))
		output_printf(json->out, "%.15g", number);
	else
		output_append(json->out, "null", 4);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	output_text(json->out, value ? "true" : "false");
}

char *output_take(struct output *out)
{
	output_append(out, "", 1);
	if (!out->failed)
		return out->text;
	free(out->text);
	return NULL;
}

/* Returns true if that is no failure. */
static bool fail(struct output *out, int error)
{
	out->gone |= !out->failed && error == EPIPE && out->fd == STDOUT_FILENO; /* as with `| head`: no failure */
	if (!out->failed && !out->gone)
		say("%s: %s%s", out->name, strerror(error),
		    error == EPIPE ? ": its reader has gone" : "; not all data was written");
	out->failed = true;
	return out->gone;
}

bool output_flush(struct output *out)
{
	size_t done = 0;
	int error = out->replaced && out->len && !out->failed ? replaced_write(out->replaced, out->text, out->len) : 0;

	if (error)
		return fail(out, error);
	while (!out->replaced && done < out->len && !out->failed) {
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
	return !out->failed || out->gone;
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
	replaced_close(out->replaced);
	free(out->text);
	out->text = NULL;
	return good;
}

int output_end(struct output *out, int status)
{
	bool good = !out->name || output_close(out) || signals_were_cut_short();

	return good || status != EXIT_DONE ? status : EXIT_FAILED;
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
