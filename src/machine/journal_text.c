// SPDX-License-Identifier: GPL-2.0-or-later
/* Journals on disk, written as text: machine/journal_parse.c reads them. */
#include "machine/journal_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line: two names, numbers, and texts of which every byte may take three; values come in pieces. */
enum { PIECE_MAX = 3 * UNC_IDENTITY_TEXT + 200 };

bool unc_journal_put_text(struct unc_journal_buf *buf, const char *text, size_t len)
{
	if (buf->room - buf->len < len) {
		size_t room = 2 * buf->room + len + 1024;
		char *bytes = realloc(buf->bytes, room);

		if (!bytes)
			return false;
		buf->bytes = bytes;
		buf->room = room;
	}
	memcpy(buf->bytes + buf->len, text, len);
	buf->len += len;
	return true;
}

static bool put(struct unc_journal_buf *buf, const char *fmt, ...) UNC_PRINTF(2, 3);
static bool put(struct unc_journal_buf *buf, const char *fmt, ...)
{
	char piece[PIECE_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(piece, sizeof(piece), fmt, args);
	va_end(args);
	return n >= 0 && (size_t)n < sizeof(piece) && unc_journal_put_text(buf, piece, (size_t)n);
}

/* ASCII without control characters; a word also has no blank.  Returns out, of 3 * size bytes at least. */
static const char *escaped(const char *text, bool word, char *out)
{
	char *to = out;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == '%' || c > '~' || (word && c == ' '))
			to += snprintf(to, 4, "%%%02x", c);
		else
			*to++ = (char)c;
	}
	*to = '\0';
	return out;
}

/* All of a group of lines or nothing. */
static bool whole(struct unc_journal_buf *buf, size_t len_before, bool good)
{
	if (!good)
		buf->len = len_before;
	return good;
}

bool unc_journal_put_begin(struct unc_journal_buf *buf, const struct unc_host_identity *identity,
			   const struct unc_journal_who *who)
{
	char machine[3 * sizeof(identity->machine)], boot[3 * sizeof(identity->boot)],
		command[3 * sizeof(who->command)];
	size_t len = buf->len;

	return whole(buf, len,
		     put(buf, "machine %s\n", escaped(identity->machine, false, machine)) &&
			     put(buf, "boot %s\n", escaped(identity->boot, false, boot)) &&
			     put(buf, "who %u %" PRIu64 " %u %s\n", who->pid, who->start, who->uid,
				 escaped(who->command, false, command)) &&
			     put(buf, "since %" PRIu64 "\n", who->since_ns));
}

bool unc_journal_put_claim(struct unc_journal_buf *buf, const char *box, const struct unc_addr *addr)
{
	char addr_text[UNC_ADDR_TEXT], name[3 * 40 + 1];

	if (strlen(box) >= 40)
		return false;
	return put(buf, "claim %s %s\n", unc_addr_text(addr, addr_text), escaped(box, true, name));
}

static bool put_idle(struct unc_journal_buf *buf, const struct unc_journal_line *line)
{
	return line->has_idle ? put(buf, " idle 0x%" PRIx64 " writes", line->idle) : put(buf, " idle - writes");
}

bool unc_journal_put_reg(struct unc_journal_buf *buf, const struct unc_journal_line *line)
{
	char addr[UNC_ADDR_TEXT], box[3 * sizeof(line->box)], reg[3 * sizeof(line->reg)];
	size_t len = buf->len;
	bool good;

	good = put(buf,
		   "reg %s 0x%" PRIx32 " %u %s %s was 0x%" PRIx64 " ours 0x%" PRIx64 " any 0x%" PRIx64
		   " doubted 0x%" PRIx64,
		   unc_addr_text(&line->addr, addr), line->off, line->bits, escaped(line->box, true, box),
		   escaped(line->reg, true, reg), line->before, line->ours, line->any, line->doubted) &&
	       put_idle(buf, line);
	for (size_t i = 0; i < line->n_values && good; i++)
		good = put(buf, " 0x%" PRIx64, line->values[i]);
	return whole(buf, len, good && put(buf, "\n"));
}

bool unc_journal_put_drop(struct unc_journal_buf *buf, const struct unc_addr *addr, uint32_t off)
{
	char text[UNC_ADDR_TEXT];

	return put(buf, "drop %s 0x%" PRIx32 "\n", unc_addr_text(addr, text), off);
}

/* http://www.isthe.com/chongo/tech/comp/fnv/: FNV-1a */
uint64_t unc_journal_sum(uint64_t sum, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

void unc_journal_put_head(char head[UNC_JOURNAL_HEAD + 1], uint64_t len, uint64_t sum)
{
	int n = snprintf(head, UNC_JOURNAL_HEAD + 1, "uncorectl-journal/1 %010" PRIu64 " ", len);

	sum = unc_journal_sum(sum, head, (size_t)n);
	snprintf(head + n, UNC_JOURNAL_HEAD + 1 - (size_t)n, "%016" PRIx64 "\n", sum);
}
