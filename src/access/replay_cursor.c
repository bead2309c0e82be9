// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/replay_cursor.h"

#include <string.h>

#include "base/text.h"

int unc_replay_wrong(const struct unc_replay_text *text, const char *what)
{
	return unc_fail(text->ctx, UNC_EARG, "%s:%u: %s; that is no record as `uncorectl record` writes it", text->path,
			text->line, what);
}

int unc_replay_no_memory(const struct unc_replay_text *text)
{
	return unc_fail(text->ctx, UNC_ENOMEM, "%s: out of memory", text->path);
}

bool unc_replay_next_line(struct unc_replay_text *text, struct unc_replay_cursor *ret_cursor)
{
	const char *newline = NULL;

	if (text->at < text->end)
		newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	if (!newline)
		return false; /* a last line that was cut off says nothing that could be relied on */
	*ret_cursor = (struct unc_replay_cursor){.text = text, .at = text->at, .end = newline};
	text->at = newline + 1;
	text->line++;
	return true;
}

char unc_replay_peek(const struct unc_replay_text *text)
{
	if (text->at == text->end)
		return '\0';
	return *text->at;
}

const char *unc_replay_word(struct unc_replay_cursor *c, char buf[UNC_REPLAY_WORD])
{
	size_t len = 0;

	while (c->at < c->end && *c->at != ' ' && len < UNC_REPLAY_WORD - 1)
		buf[len++] = *c->at++;
	if (c->at < c->end && *c->at != ' ')
		len = 0;
	if (c->at < c->end && *c->at == ' ')
		c->at++;
	buf[len] = '\0';
	return buf;
}

bool unc_replay_number(struct unc_replay_cursor *c, uint64_t max, uint64_t *ret_number)
{
	char buf[UNC_REPLAY_WORD];

	return unc_text_u64(unc_replay_word(c, buf), ret_number) && *ret_number <= max;
}

bool unc_replay_unsigned(struct unc_replay_cursor *c, unsigned *ret_number)
{
	uint64_t value;

	if (!unc_replay_number(c, INT32_MAX, &value))
		return false;
	*ret_number = (unsigned)value;
	return true;
}

bool unc_replay_number32(struct unc_replay_cursor *c, uint32_t *ret_number)
{
	uint64_t value;

	if (!unc_replay_number(c, UINT32_MAX, &value))
		return false;
	*ret_number = (uint32_t)value;
	return true;
}

bool unc_replay_char(struct unc_replay_cursor *c, char *ret_char)
{
	int hi, lo;

	if (*c->at != '%') {
		*ret_char = *c->at++;
		return true;
	}
	if (c->end - c->at < 3)
		return false;
	hi = unc_text_digit(c->at[1]);
	lo = unc_text_digit(c->at[2]);
	if (hi < 0 || lo < 0)
		return false;
	*ret_char = (char)(hi << 4 | lo);
	c->at += 3;
	return true;
}

bool unc_replay_rest(struct unc_replay_cursor *c, char *buf, size_t size)
{
	size_t len = 0;

	while (c->at < c->end)
		if (len + 1 == size || !unc_replay_char(c, &buf[len++]))
			return false;
	buf[len] = '\0';
	return strlen(buf) == len;
}

bool unc_replay_failed(const struct unc_replay_cursor *c)
{
	return c->at < c->end && *c->at == '!';
}

bool unc_replay_ending(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char class[UNC_REPLAY_WORD], name[UNC_REPLAY_WORD];

	if (c->at == c->end)
		return true;
	if (*c->at++ != '!')
		return false;
	thing->err = unc_record_err(unc_replay_word(c, class));
	thing->os_name = unc_record_os_name(unc_replay_word(c, name));
	return thing->err < 0 && name[0] && unc_replay_rest(c, thing->text, sizeof(thing->text));
}
