// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/replay_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_parts.h"
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

/* What a record has, or what is asked, in words. */

static void describe_access(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	bool write = thing->kind == UNC_REPLAY_WRITE;

	if (write && thing->len == 4)
		snprintf(buf, size, "a write of 0x%08" PRIx32 " to 0x%" PRIx64 " of %s", unc_le32(thing->bytes),
			 thing->off, thing->space);
	else if (write && thing->len == 8)
		snprintf(buf, size, "a write of 0x%016" PRIx64 " to 0x%" PRIx64 " of %s", unc_le64(thing->bytes),
			 thing->off, thing->space);
	else
		snprintf(buf, size, "a %s of %" PRIu64 " bytes at 0x%" PRIx64 " of %s", write ? "write" : "read",
			 thing->len, thing->off, thing->space);
}

static void describe_claim(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	static const char *const deeds[UNC_RECORD_CLAIMS] = {
		[UNC_CLAIM_TAKE] = "claimed", [UNC_CLAIM_ASK] = "asked for a claim", [UNC_CLAIM_LEAVE] = "left"};

	if (thing->len == 0)
		snprintf(buf, size, "%s %s", thing->space, deeds[thing->claim]);
	else
		snprintf(buf, size, "%" PRIu64 " registers at 0x%" PRIx64 " of %s %s", thing->len, thing->off,
			 thing->space, deeds[thing->claim]);
}

static void describe_sleep(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	if (thing->forever)
		snprintf(buf, size, "a sleep without end");
	else
		snprintf(buf, size, "a sleep until %" PRIu64 " ns %s what clock m was", thing->ns,
			 thing->backwards ? "before" : "after");
}

static void describe_traffic(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	const struct unc_traffic *traffic = &thing->traffic;

	if (thing->op == UNC_TRAFFIC_START)
		snprintf(buf, size,
			 "traffic started: %s of node %u by %zu CPUs, %" PRIu64 " bytes/s, buffers of %" PRIu64
			 " bytes",
			 unc_record_traffic_kinds[traffic->kind], traffic->node, traffic->n_cpus, traffic->bytes_per_s,
			 traffic->size_bytes);
	else
		snprintf(buf, size, thing->op == UNC_TRAFFIC_LOOK ? "a look at traffic" : "traffic stopped");
}

static void describe_perf(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	static const char *const deeds[UNC_RECORD_PERF_OPS] = {[UNC_PERF_ON] = "switched on",
							       [UNC_PERF_OFF] = "switched off",
							       [UNC_PERF_READ] = "read",
							       [UNC_PERF_CLOSE] = "closed"};
	const struct unc_perf_attr *attr = &thing->attr;

	if (thing->kind == UNC_REPLAY_PERF)
		snprintf(buf, size, "perf event %u %s", thing->event, deeds[thing->perf]);
	else
		snprintf(buf, size,
			 "a perf event of type %" PRIu32 " and config 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
			 " opened on CPU %u",
			 attr->type, attr->config, attr->config1, attr->config2, attr->cpu);
}

void unc_replay_describe(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	switch (thing->kind) {
	case UNC_REPLAY_END:
		snprintf(buf, size, "nothing more");
		break;
	case UNC_REPLAY_TIME:
		snprintf(buf, size, "a look at clock %c", unc_record_clocks[thing->clock]);
		break;
	case UNC_REPLAY_SLEEP:
		describe_sleep(thing, buf, size);
		break;
	case UNC_REPLAY_CPUID:
		snprintf(buf, size, "CPUID leaf 0x%" PRIx32 " sub-leaf 0x%" PRIx32 " of CPU %u", thing->leaf,
			 thing->subleaf, thing->cpu);
		break;
	case UNC_REPLAY_TOPOLOGY:
		snprintf(buf, size, "the question which CPUs there are");
		break;
	case UNC_REPLAY_BUS:
		snprintf(buf, size, "%s opened for %s", unc_record_kinds[thing->bus],
			 thing->writable ? "writing" : "reading only");
		break;
	case UNC_REPLAY_LIST:
		snprintf(buf, size, "the question what there is on %s", unc_record_kinds[thing->bus]);
		break;
	case UNC_REPLAY_OPEN:
		snprintf(buf, size, "%s opened", thing->space);
		break;
	case UNC_REPLAY_READ:
	case UNC_REPLAY_WRITE:
		describe_access(thing, buf, size);
		break;
	case UNC_REPLAY_CLAIM:
		describe_claim(thing, buf, size);
		break;
	case UNC_REPLAY_MAPS:
		snprintf(buf, size, "the question which register maps there are");
		break;
	case UNC_REPLAY_FILE:
		snprintf(buf, size, "the file %.80s read", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_CPUS:
		snprintf(buf, size, "the question which CPUs share what");
		break;
	case UNC_REPLAY_TEXT:
		snprintf(buf, size, "%.120s read", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_NAMES:
		snprintf(buf, size, "the question what there is in %.120s", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_LINK:
		snprintf(buf, size, "the question where %.120s leads", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_TRAFFIC:
		describe_traffic(thing, buf, size);
		break;
	case UNC_REPLAY_PERF_OPEN:
	case UNC_REPLAY_PERF:
		describe_perf(thing, buf, size);
		break;
	case UNC_REPLAY_NOTE:
		snprintf(buf, size, "a note");
		break;
	case UNC_REPLAY_OUTSIDE:
		snprintf(buf, size,
			 thing->end == UNC_RECORD_SIGNAL ? "signal %d" : "a COMMAND that ends with status %d",
			 thing->number);
		break;
	}
}

/* Lines of a record about events of the operating system. */

/* TYPE CONFIG CONFIG1 CONFIG2 CPU =EVENT */
static bool parse_open(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_perf_attr *attr = &thing->attr;

	thing->kind = UNC_REPLAY_PERF_OPEN;
	if (!unc_replay_number32(c, &attr->type) || !unc_replay_number(c, UINT64_MAX, &attr->config) ||
	    !unc_replay_number(c, UINT64_MAX, &attr->config1) || !unc_replay_number(c, UINT64_MAX, &attr->config2) ||
	    !unc_replay_unsigned(c, &attr->cpu))
		return false;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return c->at < c->end && *c->at++ == '=' && unc_replay_unsigned(c, &thing->event) && c->at == c->end;
}

/* VALUE ENABLED RUNNING */
static bool parse_count(struct unc_replay_cursor *c, struct unc_perf_count *ret_count)
{
	return unc_replay_number(c, UINT64_MAX, &ret_count->value) &&
	       unc_replay_number(c, UINT64_MAX, &ret_count->enabled_ns) &&
	       unc_replay_number(c, UINT64_MAX, &ret_count->running_ns) && c->at == c->end;
}

static bool parse(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];
	unsigned op = 0;

	unc_replay_word(c, buf);
	if (strcmp(buf, UNC_RECORD_PERF_OPEN) == 0)
		return parse_open(c, thing);
	while (op < UNC_RECORD_PERF_OPS && strcmp(buf, unc_record_perf_ops[op]) != 0)
		op++;
	if (op == UNC_RECORD_PERF_OPS || !unc_replay_unsigned(c, &thing->event))
		return false;
	thing->perf = (enum unc_perf_op)op;
	if (thing->perf != UNC_PERF_READ || unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return parse_count(c, &thing->count);
}

int unc_replay_parse_perf(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	return parse(c, thing) ? UNC_OK : UNC_EARG;
}

/* What a record says in front of what happened. */

static int take_text(struct unc_replay_cursor *c, char **ret_text)
{
	size_t size = (size_t)(c->end - c->at) + 1;
	char *copy = malloc(size);

	if (!copy)
		return unc_replay_no_memory(c->text);
	free(*ret_text);
	*ret_text = copy;
	return unc_replay_rest(c, copy, size) ? UNC_OK : UNC_EARG;
}

static int take_option(struct unc_replay_cursor *c, struct unc_replay_head *head)
{
	void *more;

	if (head->n_options == UNC_REPLAY_OPTIONS)
		return UNC_EARG;
	more = unc_array_more(head->options, head->n_options, sizeof(*head->options));
	if (!more)
		return unc_replay_no_memory(c->text);
	head->options = more;
	return take_text(c, &head->options[head->n_options++]);
}

static int take_utc(struct unc_replay_cursor *c, struct unc_replay_head *head)
{
	char buf[UNC_REPLAY_WORD];
	bool west;
	uint64_t seconds;

	unc_replay_word(c, buf);
	west = buf[0] == '-';
	if (!unc_text_u64(buf + west, &seconds) || seconds > 86400 || c->at < c->end)
		return UNC_EARG;
	head->utc_s = west ? -(int64_t)seconds : (int64_t)seconds;
	return UNC_OK;
}

static int take_fact(struct unc_replay_cursor *c, const char *first, struct unc_replay_head *head)
{
	if (c->at < c->end)
		return UNC_EARG;
	if (strcmp(first, "simulated") == 0)
		head->simulated = true;
	else if (strcmp(first, "stands_still") == 0)
		head->stands_still = true;
	else if (strcmp(first, "maps") == 0)
		head->maps = true;
	else
		return UNC_EARG;
	return UNC_OK;
}

static int head_line(struct unc_replay_cursor *c, const char *first, struct unc_replay_head *head)
{
	if (strcmp(first, "program") == 0)
		return take_text(c, &head->program);
	if (strcmp(first, "utc") == 0)
		return take_utc(c, head);
	if (strcmp(first, "option") == 0)
		return take_option(c, head);
	if (strcmp(first, "machine") == 0)
		return take_text(c, &head->name);
	return take_fact(c, first, head);
}

int unc_replay_text_head(struct unc_replay_text *text, struct unc_replay_head *head)
{
	struct unc_replay_cursor c;
	char first[UNC_REPLAY_WORD];
	int rc = UNC_OK;

	memset(head, 0, sizeof(*head));
	text->line = 0;
	if (!unc_replay_next_line(text, &c) || strcmp(unc_replay_word(&c, first), UNC_RECORD_FORMAT) != 0 ||
	    c.at < c.end) {
		text->line = 1;
		return unc_replay_wrong(text, "it does not begin with " UNC_RECORD_FORMAT);
	}
	while (rc == UNC_OK) {
		if (!unc_replay_next_line(text, &c))
			return unc_replay_wrong(text, "its head does not end");
		if (strcmp(unc_replay_word(&c, first), "begin") == 0)
			break;
		rc = head_line(&c, first, head);
	}
	if (rc == UNC_OK && (c.at < c.end || !head->name))
		rc = UNC_EARG;
	return rc == UNC_EARG ? unc_replay_wrong(text, "this line makes no sense") : rc;
}

void unc_replay_head_clear(struct unc_replay_head *head)
{
	for (size_t i = 0; i < head->n_options; i++)
		free(head->options[i]);
	free(head->options);
	free(head->program);
	free(head->name);
	memset(head, 0, sizeof(*head));
}
