// SPDX-License-Identifier: GPL-2.0-or-later
/* Journals on disk, read: machine/journal_text.h has their form.  What does not fit to the last byte is damaged. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "machine/journal_text.h"

struct parsing {
	struct unc_ctx *ctx;
	struct unc_journal_text *text;
	struct unc_journal_line *all; /* owned; with those that were dropped */
	bool *dropped;                /* owned; which */
	size_t n;
	char *rest;     /* of the line, or NULL */
	unsigned line;  /* its number, the head being 1 */
	unsigned begun; /* lines of the beginning that were there */
};

static int damaged(const struct parsing *p, const char *what)
{
	return unc_fail(p->ctx, UNC_EARG, "line %u: %s", p->line, what);
}

/* Bytes that stood for others, in place.  False: one that is cut off. */
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

/* "0000:7f:10.4" or "cpu17" */
static bool take_addr(struct parsing *p, struct unc_addr *ret_addr)
{
	const char *word = unc_text_cut(&p->rest, ' ');
	uint64_t cpu;

	if (!word)
		return false;
	if (strncmp(word, "cpu", 3) != 0)
		return unc_addr_parse_pci(word, ret_addr);
	if (!unc_text_u64(word + 3, &cpu) || cpu > UINT32_MAX)
		return false;
	*ret_addr = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = (unsigned)cpu}};
	return true;
}

static bool take_place(struct parsing *p, struct unc_addr *ret_addr, uint32_t *ret_off)
{
	uint64_t off;

	if (!take_addr(p, ret_addr) || !take_number(p, UINT32_MAX, &off))
		return false;
	*ret_off = (uint32_t)off;
	return true;
}

/* ---- lines of the beginning, in their order ---- */

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

/* ---- the others ---- */

static int claim_line(struct parsing *p)
{
	struct unc_journal_text *text = p->text;
	struct unc_journal_claim claim;
	void *claims;

	if (!take_addr(p, &claim.addr) || !take_word(p, claim.box, sizeof(claim.box)) || p->rest)
		return damaged(p, "which box?");
	claims = unc_array_more(text->claims, text->n_claims, sizeof(claim));
	if (!claims)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	text->claims = claims;
	text->claims[text->n_claims++] = claim;
	return UNC_OK;
}

/* Nothing of it is to be put back, or it is not there: n. */
static size_t find(const struct parsing *p, const struct unc_addr *addr, uint32_t off)
{
	size_t i = p->n;

	while (i-- > 0)
		if (!p->dropped[i] && p->all[i].off == off && unc_addr_compare(&p->all[i].addr, addr) == 0)
			return i;
	return p->n;
}

static int drop_line(struct parsing *p)
{
	struct unc_addr addr;
	uint32_t off;
	size_t i;

	if (!take_place(p, &addr, &off) || p->rest)
		return damaged(p, "which register is dropped?");
	i = find(p, &addr, off);
	if (i < p->n)
		p->dropped[i] = true;
	return UNC_OK;
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
	uint64_t value, *values;

	while (p->rest) {
		if (!take_number(p, UINT64_MAX, &value))
			return damaged(p, "not a value");
		values = unc_array_more((void *)line->values, line->n_values, sizeof(value));
		if (!values)
			return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
		values[line->n_values++] = value;
		line->values = values;
	}
	return UNC_OK;
}

/* One more, or another line of one that is there, in the place of the first. */
static int place_of(struct parsing *p, const struct unc_journal_line *line, size_t *ret_i)
{
	bool *dropped;
	void *all;

	*ret_i = find(p, &line->addr, line->off);
	if (*ret_i < p->n) {
		free((void *)p->all[*ret_i].values);
		return UNC_OK;
	}
	all = unc_array_more(p->all, p->n, sizeof(*line));
	p->all = all ? all : p->all;
	dropped = unc_array_more(p->dropped, p->n, sizeof(*dropped));
	p->dropped = dropped ? dropped : p->dropped;
	if (!all || !dropped)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	p->n++;
	return UNC_OK;
}

static int reg_line(struct parsing *p)
{
	struct unc_journal_line line = {0};
	size_t i;
	int rc;

	if (!take_line(p, &line))
		return damaged(p, "not a register");
	rc = place_of(p, &line, &i);
	if (rc < 0)
		return rc;
	p->all[i] = line;
	return take_values(p, &p->all[i]);
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

	/* The last of them ended with a newline too, so that nothing is behind it. */
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

/* How many bytes are good, when head, length and sum agree. */
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

/* Those that were not dropped are handed over; the rest goes. */
static void hand_over(struct parsing *p)
{
	struct unc_journal_text *text = p->text;

	text->lines = p->all;
	for (size_t i = 0; i < p->n; i++) {
		if (p->dropped[i])
			free((void *)p->all[i].values);
		else
			text->lines[text->n_lines++] = p->all[i];
	}
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
	hand_over(&p);
	free(p.dropped);
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
	free(text->claims);
	*text = (struct unc_journal_text){0};
}
