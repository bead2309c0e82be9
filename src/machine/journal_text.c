// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads journals on disk; machine/journals.h has their form.  A journal that does not fit it to the last byte is
 * damaged.
 */
#include "machine/journals.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

struct told { /* what a line says about a register */
	struct unc_journal_place place;
	size_t order; /* order of such lines */
	size_t line;  /* the index in all[]; DROPPED: the register is dropped */
};
#define DROPPED SIZE_MAX

struct parsing {
	struct unc_ctx *ctx;
	struct unc_journal_text *text;
	struct unc_journal_line *all; /* owned: every line about a register, including later dropped ones */
	size_t n;
	struct told *told; /* owned: these lines and those that drop a register, in the order of the file */
	size_t n_told;
	char *rest;     /* rest of the line, or NULL */
	unsigned line;  /* its number, the head being 1 */
	unsigned begun; /* opening lines seen so far */
};

static int damaged(const struct parsing *p, const char *what)
{
	return unc_fail(p->ctx, UNC_EARG, "line %u: %s", p->line, what);
}

/* Replaces %HH by its byte, in place.  False: a cut-off one. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '%') {
			if (unc_text_digit(text[1]) < 0 || unc_text_digit(text[2]) < 0)
				return false;
			*to++ = (char)(unc_text_digit(text[1]) << 4 | unc_text_digit(text[2]));
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
	return true;
}

static bool take_text(char *text, char *ret_text, size_t size)
{
	if (!text || !unescape(text) || strlen(text) >= size)
		return false;
	memcpy(ret_text, text, strlen(text) + 1);
	return true;
}

static bool take_word(struct parsing *p, char *ret_word, size_t size)
{
	return take_text(unc_text_cut(&p->rest, ' '), ret_word, size) && *ret_word;
}

static bool take_number(struct parsing *p, uint64_t max, uint64_t *ret_number)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && unc_text_u64(word, ret_number) && *ret_number <= max;
}

static bool take_keyword(struct parsing *p, const char *keyword)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && strcmp(word, keyword) == 0;
}

static bool take_addr(struct parsing *p, struct unc_addr *ret_addr)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && unc_addr_parse(word, ret_addr);
}

static bool take_place(struct parsing *p, struct unc_addr *ret_addr, uint32_t *ret_off)
{
	uint64_t off;

	if (!take_addr(p, ret_addr) || !take_number(p, UINT32_MAX, &off))
		return false;
	*ret_off = (uint32_t)off;
	return true;
}

/* ---- the opening lines, in their order ---- */

static int machine_line(struct parsing *p)
{
	struct unc_host_identity *identity = &p->text->identity;

	return take_text(p->rest, identity->machine, sizeof(identity->machine)) ? UNC_OK : damaged(p, "which machine?");
}

static int boot_line(struct parsing *p)
{
	struct unc_host_identity *identity = &p->text->identity;

	return take_text(p->rest, identity->boot, sizeof(identity->boot)) ? UNC_OK : damaged(p, "which boot?");
}

static int who_line(struct parsing *p)
{
	struct unc_journal_who *who = &p->text->who;
	uint64_t pid, uid;

	if (!take_number(p, UINT32_MAX, &pid) || !take_number(p, UINT64_MAX, &who->start) ||
	    !take_number(p, UINT32_MAX, &uid) || !take_text(p->rest, who->command, sizeof(who->command)))
		return damaged(p, "who?");
	who->pid = (unsigned)pid;
	who->uid = (unsigned)uid;
	return UNC_OK;
}

static int since_line(struct parsing *p)
{
	if (!take_number(p, UINT64_MAX, &p->text->who.since_ns) || p->rest)
		return damaged(p, "since when?");
	return UNC_OK;
}

/* ---- the other lines ---- */

static int claim_line(struct parsing *p)
{
	struct unc_journal_text *text = p->text;
	struct unc_journal_claim claim;

	if (!take_addr(p, &claim.addr) || !take_word(p, claim.box, sizeof(claim.box)) || p->rest)
		return damaged(p, "which box?");
	if (!unc_array_add(&text->claims, &text->n_claims, &claim, sizeof(claim)))
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

static int add_told(struct parsing *p, const struct unc_journal_place *place, size_t line)
{
	const struct told told = {.place = *place, .order = p->n_told, .line = line};

	if (!unc_array_add(&p->told, &p->n_told, &told, sizeof(told)))
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

static int drop_line(struct parsing *p)
{
	struct unc_journal_place place;

	if (!take_place(p, &place.addr, &place.off) || p->rest)
		return damaged(p, "which register is dropped?");
	return add_told(p, &place, DROPPED);
}

static bool take_line(struct parsing *p, struct unc_journal_line *line)
{
	uint64_t bits;

	if (!take_place(p, &line->addr, &line->off) || !take_number(p, 64, &bits) || (bits != 32 && bits != 64) ||
	    !take_word(p, line->box, sizeof(line->box)) || !take_word(p, line->reg, sizeof(line->reg)) ||
	    !take_keyword(p, "was") || !take_number(p, UINT64_MAX, &line->before) || !take_keyword(p, "ours") ||
	    !take_number(p, UINT64_MAX, &line->ours) || !take_keyword(p, "any") ||
	    !take_number(p, UINT64_MAX, &line->any) || !take_keyword(p, "doubted") ||
	    !take_number(p, UINT64_MAX, &line->doubted) || !take_keyword(p, "idle"))
		return false;
	line->bits = (unsigned)bits;
	line->has_idle = p->rest && *p->rest != '-';
	if (line->has_idle ? !take_number(p, UINT64_MAX, &line->idle) : !take_keyword(p, "-"))
		return false;
	return take_keyword(p, "writes") && p->rest;
}

static int take_values(struct parsing *p, struct unc_journal_line *line)
{
	uint64_t value;

	while (p->rest) {
		if (!take_number(p, UINT64_MAX, &value))
			return damaged(p, "not a value");
		if (!unc_array_add(&line->values, &line->n_values, &value, sizeof(value)))
			return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	}
	return UNC_OK;
}

static int reg_line(struct parsing *p)
{
	struct unc_journal_line line = {0};
	int rc;

	if (!take_line(p, &line))
		return damaged(p, "not a register");
	if (!unc_array_add(&p->all, &p->n, &line, sizeof(line)))
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	rc = take_values(p, &p->all[p->n - 1]);
	return rc < 0 ? rc : add_told(p, &(struct unc_journal_place){line.addr, line.off}, p->n - 1);
}

struct kind {
	const char *word;
	int (*take)(struct parsing *p);
};
static const struct kind beginning[] = {
	{"machine", machine_line}, {"boot", boot_line}, {"who", who_line}, {"since", since_line}};
static const struct kind further[] = {{"claim", claim_line}, {"reg", reg_line}, {"drop", drop_line}};
enum { N_BEGINNING = sizeof(beginning) / sizeof(beginning[0]), N_FURTHER = sizeof(further) / sizeof(further[0]) };

static int take_any(struct parsing *p, char *line)
{
	const char *word;

	p->rest = line;
	word = unc_text_cut(&p->rest, ' ');
	if (p->begun < N_BEGINNING) {
		const struct kind *kind = &beginning[p->begun++];

		return strcmp(word, kind->word) == 0 ? kind->take(p) : damaged(p, "not the line that belongs here");
	}
	for (size_t i = 0; i < N_FURTHER; i++)
		if (strcmp(word, further[i].word) == 0)
			return further[i].take(p);
	return damaged(p, "not a line of such a file");
}

static int take_lines(struct parsing *p, char *lines)
{
	int rc = UNC_OK;

	/* The last line, too, ends with a newline, so nothing follows it. */
	for (p->line = 2; rc == 0 && *lines; p->line++) {
		char *end = strchr(lines, '\n');

		if (!end)
			return damaged(p, "it has no end");
		*end = '\0';
		rc = take_any(p, lines);
		lines = end + 1;
	}
	p->line = 1;
	return rc == 0 && p->begun < N_BEGINNING ? damaged(p, "the beginning is missing") : rc;
}

/* Returns the number of good bytes, if head, length and sum agree. */
static bool check_head(const char *text, size_t len, size_t *ret_good)
{
	char digits[11] = "", head[UNC_JOURNAL_HEAD + 1];
	uint64_t good;

	if (len < UNC_JOURNAL_HEAD)
		return false;
	memcpy(digits, text + sizeof("uncorectl-journal/1"), 10);
	if (!unc_text_u64(digits, &good) || good < UNC_JOURNAL_HEAD || good > len)
		return false;
	unc_journal_put_head(
		head, good,
		unc_journal_sum(UNC_JOURNAL_NO_SUM, text + UNC_JOURNAL_HEAD, (size_t)good - UNC_JOURNAL_HEAD));
	if (memcmp(head, text, UNC_JOURNAL_HEAD) != 0)
		return false;
	*ret_good = (size_t)good;
	return true;
}

static int compare_places(const struct unc_journal_place *a, const struct unc_journal_place *b)
{
	int order = unc_addr_compare(&a->addr, &b->addr);

	return order ? order : (a->off > b->off) - (a->off < b->off);
}

static int by_place(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	int order = compare_places(&x->place, &y->place);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void remove_line(struct unc_journal_line *line)
{
	free((void *)line->values);
	*line = (struct unc_journal_line){.bits = 0};
}

/*
 * Combines the lines about one register: a further line replaces the first, unless that was dropped.  What is left, if
 * anything, is a place.
 */
static void take_register(struct parsing *p, const struct told *told, size_t n)
{
	struct unc_journal_text *text = p->text;
	size_t first = DROPPED;

	for (size_t i = 0; i < n; i++) {
		if (first != DROPPED)
			remove_line(&p->all[first]);
		if (told[i].line == DROPPED || first == DROPPED) {
			first = told[i].line;
			continue;
		}
		p->all[first] = p->all[told[i].line];
		p->all[told[i].line] = (struct unc_journal_line){.bits = 0};
	}
	if (first != DROPPED)
		text->places[text->n_lines++] = told->place;
}

/* Keeps the lines that are left, one for each register.  A line without bits is none. */
static int hand_over(struct parsing *p)
{
	struct unc_journal_text *text = p->text;
	size_t n = 0;

	text->places = malloc((p->n + 1) * sizeof(*text->places));
	if (!text->places)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	if (p->n_told)
		qsort(p->told, p->n_told, sizeof(*p->told), by_place);
	for (size_t i = 0, end; i < p->n_told; i = end) {
		for (end = i + 1; end < p->n_told && compare_places(&p->told[i].place, &p->told[end].place) == 0;)
			end++;
		take_register(p, &p->told[i], end - i);
	}
	text->lines = p->all;
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].bits)
			text->lines[n++] = p->all[i];
	p->all = NULL;
	return UNC_OK;
}

static void free_parsing(struct parsing *p)
{
	for (size_t i = 0; p->all && i < p->n; i++)
		free((void *)p->all[i].values);
	free(p->all);
	free(p->told);
}

bool unc_journal_text_has(const struct unc_journal_text *text, const struct unc_journal_place *place)
{
	size_t from = 0, to = text->n_lines;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare_places(&text->places[middle], place);

		if (order == 0)
			return true;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

int unc_journal_text_parse(struct unc_ctx *ctx, const char *text, size_t len, struct unc_journal_text *ret_text)
{
	struct unc_journal_text parsed = {0};
	struct parsing p = {.ctx = ctx, .text = &parsed, .line = 1};
	size_t good = 0;
	char *lines;
	int rc;

	if (!check_head(text, len, &good) || memchr(text, '\0', good))
		return damaged(&p, "length and checksum do not fit what is there");
	lines = malloc(good - UNC_JOURNAL_HEAD + 1);
	if (!lines)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	memcpy(lines, text + UNC_JOURNAL_HEAD, good - UNC_JOURNAL_HEAD);
	lines[good - UNC_JOURNAL_HEAD] = '\0';
	rc = take_lines(&p, lines);
	free(lines);
	if (rc == 0)
		rc = hand_over(&p);
	free_parsing(&p);
	parsed.len = good;
	parsed.sum = unc_journal_sum(UNC_JOURNAL_NO_SUM, text + UNC_JOURNAL_HEAD, good - UNC_JOURNAL_HEAD);
	if (rc < 0)
		unc_journal_text_clear(&parsed);
	else
		*ret_text = parsed;
	return rc;
}

void unc_journal_text_clear(struct unc_journal_text *text)
{
	for (size_t i = 0; i < text->n_lines; i++)
		free((void *)text->lines[i].values);
	free(text->lines);
	free(text->places);
	free(text->claims);
	*text = (struct unc_journal_text){0};
}

/* ---- writing ---- */

/* Room for a line: two names, numbers, and texts of which every byte may take three; values come in pieces. */
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

/* Writes ASCII without control characters; a word also has no blank.  Returns out, of at least 3 * size bytes. */
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

/* Adds all of a group of lines or none. */
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
