// SPDX-License-Identifier: GPL-2.0-or-later
/* Which answer of a record a question gets, and where in the record the command is. */
#include "access/replay_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

/*
 * Between two answers it is asked whether the COMMAND has ended: once for each sample, and when a sleep ends early.  A record that
 * has no answer to so many questions never answers; nor does the time go on in one that is looked at so often.
 */
enum { QUESTIONS_MAX = 10000 };

static struct unc_replay_entry *entry_at(const struct unc_replay *replay, size_t i)
{
	return &replay->index.entries[i];
}

/* ---- what differs ---- */

static int fail_over(struct unc_replay *replay)
{
	return unc_fail(replay->host.ctx, UNC_EIO, "%s", replay->why);
}

int unc_replay_differ(struct unc_replay *replay, unsigned line, const char *fmt, ...)
{
	char what[UNC_MSG_MAX], where[24] = "";
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (line)
		snprintf(where, sizeof(where), ":%u", line);
	replay->over = true;
	snprintf(replay->why, sizeof(replay->why), "replay:%.200s%s: %.500s", replay->path, where, what);
	if (replay->on_difference)
		replay->on_difference(replay->arg, replay->why);
	return fail_over(replay);
}

/* Reads an entry again, which is not a time: only memory can be missing. */
static int look_up(struct unc_replay *replay, size_t i)
{
	const struct unc_replay_entry *entry = entry_at(replay, i);

	if (replay->answer.at == entry->at)
		return UNC_OK;
	return unc_record_again(replay->text, entry->at, entry->line, &replay->answer);
}

enum { DESCRIBED = 240 };

/* "a read (r32 0000:ff:10.0 0xf4)" */
static const char *describe(enum unc_line_kind kind, const char *text, size_t len, char buf[DESCRIBED])
{
	snprintf(buf, DESCRIBED, "%s (%.*s)", unc_line_types[kind].what, len < 160 ? (int)len : 160, text);
	return buf;
}

/* ---- where in the record the command is ---- */

static void pass(struct unc_replay *replay, size_t i)
{
	struct unc_replay_clocks *clocks = &replay->clocks;

	for (; replay->at <= i; replay->at++) {
		const struct unc_replay_entry *entry = entry_at(replay, replay->at);
		unsigned c = entry->clock;

		if (entry->kind != UNC_LINE_TIME)
			continue;
		clocks->read[c] = true;
		clocks->ns[c] = entry->ns;
		if (c == UNC_CLOCK_BOOT)
			clocks->most_ns = (int64_t)(entry->ns - clocks->ns[UNC_CLOCK_MONO]);
		if ((c == UNC_CLOCK_BOOT && clocks->most_ns < clocks->asleep_ns) ||
		    (c == UNC_CLOCK_MONO && (int64_t)(clocks->ns[UNC_CLOCK_BOOT] - entry->ns) > clocks->asleep_ns))
			clocks->asleep_ns = clocks->most_ns;
		for (unsigned other = 0; other < UNC_RECORD_CLOCKS; other++) {
			clocks->has_after[c][other] = false;
			if (clocks->has_after[other][c])
				continue;
			clocks->has_after[other][c] = true;
			clocks->after_ns[other][c] = entry->ns;
		}
	}
	memset(replay->asked, 0, sizeof(replay->asked));
	replay->asked_time = 0;
}

void unc_replay_notes(struct unc_replay *replay, size_t end)
{
	size_t i = end;

	while (i > replay->at && entry_at(replay, i - 1)->kind == UNC_LINE_NOTE)
		i--;
	for (; i < end; i++) {
		look_up(replay, i);
		unc_note(replay->host.ctx, "%s", replay->answer.sentence);
	}
}

/* Has the answer of an entry. */
static int take(struct unc_replay *replay, size_t i)
{
	memset(replay->asked, 0, sizeof(replay->asked));
	if (look_up(replay, i) < 0)
		return unc_replay_differ(replay, entry_at(replay, i)->line, "out of memory");
	if (replay->answer.err < 0 && replay->answer.sentence[0])
		unc_fail_named(replay->host.ctx, replay->answer.err, replay->answer.os_name, "%s",
			       replay->answer.sentence);
	return replay->answer.err;
}

/* ---- which answer ---- */

/* Whether an entry of a series answers the question; then replay->first is the first of its bytes that are asked for. */
static bool answers(struct unc_replay *replay, uint32_t i, const struct unc_question *q)
{
	struct unc_entry *entry = &replay->answer;

	replay->first = 0;
	if (look_up(replay, i) < 0)
		return false;
	if (unc_line_types[q->kind].group != UNC_GROUP_SPACE || unc_line_types[q->kind].deed)
		return (size_t)(entry->question_end - entry->at) == replay->question.len &&
		       memcmp(entry->at, replay->question.text, replay->question.len) == 0;
	if (unc_line_types[entry->kind].deed || q->n[0] < entry->n[0] || q->len > entry->len ||
	    q->n[0] - entry->n[0] > entry->len - q->len)
		return false;
	replay->first = (size_t)(q->n[0] - entry->n[0]);
	return true;
}

/* Whether the answer that was just found was not given before.  Bytes are given in ascending order. */
static bool is_fresh(const struct unc_replay *replay, uint32_t i)
{
	return entry_at(replay, i)->used <= replay->first;
}

static bool is_deed(const struct unc_replay *replay, uint32_t i)
{
	return unc_line_types[entry_at(replay, i)->kind].deed;
}

/* Why there is no answer.  What the series has and was not given is too early, or behind the deed that comes next. */
static int explain(struct unc_replay *replay, const struct unc_question *q, const struct unc_replay_series *series)
{
	uint32_t deed = UNC_REPLAY_NONE, other = UNC_REPLAY_NONE;
	char what[DESCRIBED], next[DESCRIBED];
	unsigned n = 0;

	describe(q->kind, replay->question.text, replay->question.len, what);
	for (uint32_t i = series ? series->first : UNC_REPLAY_NONE; i != UNC_REPLAY_NONE;
	     i = entry_at(replay, i)->next) {
		if (is_deed(replay, i) && i >= series->at && deed == UNC_REPLAY_NONE)
			deed = i;
		if (!answers(replay, i, q))
			continue;
		n++;
		if (is_fresh(replay, i) && (other == UNC_REPLAY_NONE || deed == UNC_REPLAY_NONE))
			other = i;
	}
	if (deed != UNC_REPLAY_NONE && deed != other &&
	    (other == UNC_REPLAY_NONE ? unc_line_types[q->kind].deed : other > deed) &&
	    look_up(replay, deed) == UNC_OK) {
		const struct unc_entry *entry = &replay->answer;

		describe(entry->kind, entry->at, (size_t)(entry->question_end - entry->at), next);
		return unc_replay_differ(replay, entry->line,
					 "the record has %s next at that place, and this command goes on with %s", next,
					 what);
	}
	if (other != UNC_REPLAY_NONE)
		return unc_replay_differ(replay, entry_at(replay, other)->line,
					 "the record has %s only at another time than this command asks for it", what);
	if (n)
		return unc_replay_differ(replay, 0, "the record has %s %u time%s, and this command asks for one more",
					 what, n, n == 1 ? "" : "s");
	return unc_replay_differ(replay, 0, "%s is not in the record; record this command to replay it", what);
}

/* The first answer that is not over and was not given, with no deed before it; a deed must be the next one. */
static uint32_t find_answer(struct unc_replay *replay, const struct unc_question *q, struct unc_replay_series *series)
{
	bool deed = unc_line_types[q->kind].deed;

	/* What is over, or was given as a whole, is not looked at again. */
	while (series->at != UNC_REPLAY_NONE && !is_deed(replay, series->at) &&
	       (series->at < replay->since || (series->group != UNC_GROUP_SPACE && entry_at(replay, series->at)->used)))
		series->at = entry_at(replay, series->at)->next;
	for (uint32_t i = series->at; i != UNC_REPLAY_NONE; i = entry_at(replay, i)->next) {
		if (deed && !is_deed(replay, i))
			continue;
		if (!deed && is_deed(replay, i))
			break;
		if (i >= replay->since && answers(replay, i, q) && is_fresh(replay, i)) {
			series->at = deed ? entry_at(replay, i)->next : series->at;
			return i;
		}
		if (deed)
			break;
	}
	return UNC_REPLAY_NONE;
}

static struct unc_replay_series *series_of(struct unc_replay *replay, const struct unc_question *q)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];
	const char *key = replay->question.text;
	size_t len;

	replay->question.len = 0;
	unc_line_put_question(&replay->question, q);
	len = type->group == UNC_GROUP_TRAFFIC ? 0 : replay->question.len;
	if (type->group == UNC_GROUP_SPACE || type->group == UNC_GROUP_EVENT) {
		key += strlen(type->word) + 1;
		len = strcspn(key, " ");
	}
	return unc_replay_index_find(&replay->index, type->group, key, len);
}

bool unc_replay_knows(struct unc_replay *replay, const struct unc_question *q)
{
	return series_of(replay, q) != NULL;
}

int unc_replay_meet(struct unc_replay *replay, const struct unc_question *q)
{
	struct unc_replay_series *series;
	uint32_t i = UNC_REPLAY_NONE;
	bool waits;
	size_t first;

	unc_entry_clear(&replay->answer);
	if (replay->over)
		return fail_over(replay);
	series = series_of(replay, q);
	if (series)
		i = find_answer(replay, q, series);
	first = replay->first;
	waits = i == UNC_REPLAY_NONE;
	for (size_t k = replay->at; k < i && !waits; k++)
		waits = entry_at(replay, k)->kind == UNC_LINE_TIME || entry_at(replay, k)->kind == UNC_LINE_SLEEP;
	/* An answer that is always the same need not wait for its time. */
	if (series && series->group == UNC_GROUP_QUESTION && !series->varies && waits)
		return take(replay, series->first);
	if (i == UNC_REPLAY_NONE)
		return explain(replay, q, series);
	entry_at(replay, i)->used = (uint16_t)(first + (q->len ? q->len : 1));
	if (i >= replay->at) {
		unc_replay_notes(replay, i);
		pass(replay, i);
	}
	return take(replay, i);
}

void *unc_replay_items(struct unc_replay *replay, size_t *ret_n)
{
	void *items = replay->answer.items;

	if (ret_n)
		*ret_n = replay->answer.n_items;
	replay->answer.items = NULL;
	unc_entry_clear(&replay->answer);
	return items;
}

/* ---- time ---- */

/* The clock is among the times that come next in the record: then they are passed up to it. */
static bool is_told_here(struct unc_replay *replay, enum unc_clock clock)
{
	for (size_t i = replay->at; i < replay->index.n && entry_at(replay, i)->kind == UNC_LINE_TIME; i++) {
		if (entry_at(replay, i)->clock != clock)
			continue;
		pass(replay, i);
		replay->since = replay->at;
		if (!replay->guessed[clock] || entry_at(replay, i)->ns > replay->last_ns[clock])
			replay->last_ns[clock] = entry_at(replay, i)->ns;
		replay->guessed[clock] = false;
		return true;
	}
	return false;
}

/* How far another clock has gone since this one was read: the most that is certain. */
static uint64_t elapsed_ns(const struct unc_replay_clocks *clocks, unsigned clock)
{
	uint64_t most_ns = 0;

	for (unsigned other = 0; other < UNC_RECORD_CLOCKS; other++) {
		uint64_t ns = clocks->ns[other] - clocks->after_ns[clock][other];

		if (clocks->has_after[clock][other] && clocks->ns[other] >= clocks->after_ns[clock][other] &&
		    ns > most_ns)
			most_ns = ns;
	}
	return most_ns;
}

/* The record does not have this clock at this place.  False: nor can it be told from others. */
static bool answer_time(struct unc_replay *replay, enum unc_clock clock)
{
	bool first = !replay->clocks.read[UNC_CLOCK_RAW] && !replay->clocks.read[UNC_CLOCK_MONO];
	size_t next = replay->at;
	uint64_t ns;

	/* An answer was given since: its time is known to lie before the next times, not where in between. */
	if (replay->at != replay->since || first) {
		for (; next < replay->index.n && entry_at(replay, next)->kind != UNC_LINE_TIME; next++)
			if (is_deed(replay, (uint32_t)next) || entry_at(replay, next)->kind == UNC_LINE_SLEEP)
				return false;
		if (next == replay->index.n)
			return false;
		if (next > replay->at)
			pass(replay, next - 1);
		if (is_told_here(replay, clock))
			return true;
		pass(replay, replay->at);
		replay->since = replay->at;
	}
	if (!replay->clocks.read[clock])
		return false;
	ns = replay->clocks.ns[clock] + elapsed_ns(&replay->clocks, clock);
	if (clock == UNC_CLOCK_BOOT && replay->clocks.read[UNC_CLOCK_MONO])
		ns = replay->clocks.ns[UNC_CLOCK_MONO] + elapsed_ns(&replay->clocks, UNC_CLOCK_MONO) +
		     (uint64_t)replay->clocks.asleep_ns;
	if (ns > replay->last_ns[clock] || clock == UNC_CLOCK_REAL)
		replay->last_ns[clock] = ns;
	replay->guessed[clock] = clock != UNC_CLOCK_REAL;
	return true;
}

uint64_t unc_replay_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct unc_replay *replay = (struct unc_replay *)host;

	if (replay->over)
		return ++replay->last_ns[clock];
	if (is_told_here(replay, clock))
		return replay->last_ns[clock];
	if (++replay->asked_time > QUESTIONS_MAX || !answer_time(replay, clock)) {
		unc_replay_differ(replay, replay->at < replay->index.n ? entry_at(replay, replay->at)->line : 0,
				  "the record does not have the time (clock %c) here, which this command asks for",
				  unc_record_clocks[clock]);
		return ++replay->last_ns[clock];
	}
	return replay->last_ns[clock];
}

int unc_replay_sleep(struct unc_host *host, uint64_t mono_ns)
{
	struct unc_replay *replay = (struct unc_replay *)host;
	uint64_t now_ns = replay->clocks.ns[UNC_CLOCK_MONO];
	uint32_t line = 0; /* of the next sleep */

	unc_entry_clear(&replay->answer);
	if (replay->over)
		return fail_over(replay);
	for (size_t i = replay->at; i < replay->index.n; i++) {
		const struct unc_replay_entry *entry = entry_at(replay, i);
		uint64_t deadline_ns = UINT64_MAX;

		if (entry->kind == UNC_LINE_TIME && entry->clock == UNC_CLOCK_MONO)
			now_ns = entry->ns;
		if (entry->kind != UNC_LINE_SLEEP)
			continue;
		line = line ? line : entry->line;
		if (look_up(replay, i) < 0)
			return unc_replay_differ(replay, entry->line, "out of memory");
		if (replay->answer.n[0] != UNC_RECORD_FOREVER)
			deadline_ns = now_ns + replay->answer.n[0];
		if (deadline_ns != mono_ns)
			continue;
		pass(replay, i);
		replay->since = replay->at;
		return take(replay, i);
	}
	if (!line)
		return unc_replay_differ(replay, 0,
					 "the record has no further sleep, and this command goes on for longer");
	return unc_replay_differ(
		replay, line,
		"the record has no sleep that ends when this command wants to be woken; replay it with the "
		"interval that was recorded");
}

bool unc_replay_ends(struct unc_replay *replay, enum unc_record_end end, int *ret_number)
{
	struct unc_replay_series *series;
	size_t at = replay->at;

	/* What cannot go on need not wait for a COMMAND that will not end. */
	if (!replay->over && ++replay->asked[end] > QUESTIONS_MAX && end == UNC_RECORD_ENDED)
		unc_replay_differ(replay, at < replay->index.n ? entry_at(replay, at)->line : 0,
				  "the record does not tell how the COMMAND ended");
	if (replay->over && end == UNC_RECORD_ENDED)
		*ret_number = 1;
	if (replay->over)
		return end == UNC_RECORD_ENDED;
	/* It is due when its line comes next and it was asked for often enough, or was passed. */
	series = replay->ends[end];
	if (!series || series->at > at || look_up(replay, series->at) < 0 ||
	    (series->at == at && replay->asked[end] < replay->answer.n[1]))
		return false;
	*ret_number = (int)replay->answer.n[0];
	if (series->at == at)
		pass(replay, at);
	if (replay->since == at)
		replay->since = replay->at;
	series->at = entry_at(replay, series->at)->next;
	memset(replay->asked, 0, sizeof(replay->asked));
	return true;
}

/* Reads a record once, and finds the answers of each place in it. */

static int no_memory(const struct unc_record_text *text)
{
	return unc_fail(text->ctx, UNC_ENOMEM, "%s: out of memory", text->path);
}

/* FNV-1a */
static uint32_t hash(enum unc_line_group group, const char *key, size_t len)
{
	uint32_t sum = 2166136261U + (uint32_t)group;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)key[i]) * 16777619U;
	return sum;
}

struct unc_replay_series *unc_replay_index_find(const struct unc_replay_index *index, enum unc_line_group group,
						const char *key, size_t len)
{
	uint32_t i = UNC_REPLAY_NONE;

	if (index->n_buckets)
		i = index->buckets[hash(group, key, len) % index->n_buckets];
	for (; i != UNC_REPLAY_NONE; i = index->series[i].chain) {
		struct unc_replay_series *series = &index->series[i];

		if (series->group == group && series->key_len == len && memcmp(series->key, key, len) == 0)
			return series;
	}
	return NULL;
}

static void hang_in(struct unc_replay_index *index, uint32_t i)
{
	struct unc_replay_series *series = &index->series[i];
	uint32_t *bucket = &index->buckets[hash(series->group, series->key, series->key_len) % index->n_buckets];

	series->chain = *bucket;
	*bucket = i;
}

/* Doubles the buckets when there are as many series. */
static bool widen(struct unc_replay_index *index)
{
	size_t n = index->n_buckets ? 2 * index->n_buckets : 256;
	uint32_t *buckets;

	if (index->n_series < index->n_buckets)
		return true;
	buckets = malloc(n * sizeof(*buckets));
	if (!buckets)
		return false;
	memset(buckets, 0xff, n * sizeof(*buckets)); /* UNC_REPLAY_NONE */
	free(index->buckets);
	index->buckets = buckets;
	index->n_buckets = n;
	for (size_t i = 0; i < index->n_series; i++)
		hang_in(index, (uint32_t)i);
	return true;
}

/* NULL: out of memory. */
static struct unc_replay_series *series_for(struct unc_replay_index *index, const struct unc_entry *entry)
{
	const struct unc_replay_series new = {.group = unc_line_types[entry->kind].group,
					      .key = entry->key,
					      .key_len = entry->key_len,
					      .first = UNC_REPLAY_NONE,
					      .last = UNC_REPLAY_NONE,
					      .at = UNC_REPLAY_NONE};
	struct unc_replay_series *series = unc_replay_index_find(index, new.group, new.key, new.key_len);

	if (series)
		return series;
	if (!widen(index) || !unc_array_add(&index->series, &index->n_series, &new, sizeof(new)))
		return NULL;
	hang_in(index, (uint32_t)index->n_series - 1);
	return &index->series[index->n_series - 1];
}

static bool add_to_series(struct unc_replay_index *index, const struct unc_entry *entry, uint32_t i)
{
	struct unc_replay_series *series = series_for(index, entry);
	size_t len = (size_t)(entry->end - entry->question_end);

	if (!series)
		return false;
	if (series->first == UNC_REPLAY_NONE) {
		series->answer = entry->question_end;
		series->answer_len = len;
		series->first = series->at = i;
	} else {
		index->entries[series->last].next = i;
	}
	series->last = i;
	series->varies |= series->answer_len != len || memcmp(series->answer, entry->question_end, len) != 0;
	return true;
}

int unc_replay_index_read(struct unc_record_text *text, struct unc_replay_index *index)
{
	struct unc_entry *entry = calloc(1, sizeof(*entry));
	uint64_t now_ns[UNC_RECORD_CLOCKS] = {0};
	int rc = entry ? UNC_OK : no_memory(text);

	while (rc == UNC_OK && unc_record_next(text, entry, &rc)) {
		struct unc_replay_entry new = {
			.at = entry->at, .line = entry->line, .next = UNC_REPLAY_NONE, .kind = (uint8_t)entry->kind};
		uint32_t i = (uint32_t)index->n;

		if (entry->kind == UNC_LINE_TIME) {
			new.clock = (uint8_t)entry->a[0];
			new.ns = now_ns[new.clock] += entry->a[1];
		}
		if (i == UNC_REPLAY_NONE || !unc_array_add(&index->entries, &index->n, &new, sizeof(new)) ||
		    (unc_line_types[entry->kind].group != UNC_GROUP_NONE && !add_to_series(index, entry, i)))
			rc = no_memory(text);
	}
	if (entry)
		unc_entry_clear(entry);
	free(entry);
	return rc;
}

void unc_replay_index_clear(struct unc_replay_index *index)
{
	free(index->entries);
	free(index->series);
	free(index->buckets);
	*index = (struct unc_replay_index){0};
}
