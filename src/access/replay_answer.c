// SPDX-License-Identifier: GPL-2.0-or-later
/* Which answer of a record a question gets, and where in the record the command is. */
#include "access/replay_index.h"

#include "base/text.h"

/*
 * Between two answers it is asked whether the COMMAND has ended: once for each sample, and when a sleep ends early.  A record that
 * has no answer to so many questions never answers; nor does the time go on in one that is looked at so often.
 */
enum { QUESTIONS_MAX = 10000 };

static struct unc_replay_entry *entry_at(const struct unc_replay *replay, size_t i)
{
	return &replay->index.entries[i - replay->index.begin];
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

	if (replay->over)
		return fail_over(replay);
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

/*
 * Reads on until an entry is in memory; the last one that was read is the answer.  False: the record ends before, or the replay is over.
 */
static bool has(struct unc_replay *replay, size_t i)
{
	size_t keep = replay->since;
	int rc = UNC_OK;

	if (i < replay->index.end)
		return true;
	for (unsigned end = 0; end < UNC_RECORD_ENDS; end++)
		if (replay->ends[end] && replay->ends[end]->at < keep)
			keep = replay->ends[end]->at;
	while (!replay->over && i >= replay->index.end &&
	       unc_replay_index_more(&replay->index, &replay->text, keep, &replay->answer, &rc))
		;
	if (rc < 0)
		unc_replay_differ(replay, 0, "%s", unc_errmsg(replay->host.ctx));
	return i < replay->index.end;
}

/* The line of the entry that comes next; 0: there is none. */
static unsigned next_line(struct unc_replay *replay)
{
	return has(replay, replay->at) ? entry_at(replay, replay->at)->line : 0;
}

/* Makes an entry the answer, which is not a time.  The file may have changed since it was read before. */
static int look_up(struct unc_replay *replay, const struct unc_replay_entry *entry)
{
	int rc;

	if (replay->answer.at && replay->answer.off == entry->off)
		return UNC_OK;
	unc_record_go(&replay->text, (struct unc_record_place){entry->off, entry->line - 1});
	if (unc_record_next(&replay->text, &replay->answer, &rc) && replay->answer.kind == entry->kind)
		return UNC_OK;
	unc_entry_clear(&replay->answer);
	return unc_replay_differ(replay, entry->line, "this cannot be read again: it was changed, or memory is short");
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

/* Says the notes that directly precede an entry, which was not passed. */
static void say_notes(struct unc_replay *replay, size_t end)
{
	size_t i = end;

	while (i > replay->at && entry_at(replay, i - 1)->kind == UNC_LINE_NOTE)
		i--;
	for (; i < end; i++)
		if (look_up(replay, entry_at(replay, i)) == UNC_OK)
			unc_note(replay->host.ctx, "%s", replay->answer.sentence);
}

/* Has the answer of an entry. */
static int take(struct unc_replay *replay, const struct unc_replay_entry *entry)
{
	memset(replay->asked, 0, sizeof(replay->asked));
	if (look_up(replay, entry) < 0)
		return fail_over(replay);
	if (replay->answer.err < 0 && replay->answer.sentence[0])
		unc_fail_named(replay->host.ctx, replay->answer.err, replay->answer.os_name, "%s",
			       replay->answer.sentence);
	return replay->answer.err;
}

/* ---- which answer ---- */

static bool is_read(const struct unc_question *q)
{
	return unc_line_types[q->kind].group == UNC_GROUP_SPACE && !unc_line_types[q->kind].deed;
}

/* Whether replay->answer, of the right series, is one to the question; then replay->first is the first of its bytes that are asked for. */
static bool answers(struct unc_replay *replay, const struct unc_question *q)
{
	struct unc_entry *entry = &replay->answer;

	replay->first = 0;
	if (!is_read(q))
		return (size_t)(entry->question_end - entry->at) == replay->question.len &&
		       memcmp(entry->at, replay->question.text, replay->question.len) == 0;
	if (unc_line_types[entry->kind].deed || q->n[0] < entry->n[0] || q->len > entry->len ||
	    q->n[0] - entry->n[0] > entry->len - q->len)
		return false;
	replay->first = (size_t)(q->n[0] - entry->n[0]);
	return true;
}

/*
 * Whether the answer that was just found was not given before.  Bytes are given in ascending order.  Of entries that left the memory that
 * is not known.
 */
static bool is_fresh(const struct unc_replay *replay, size_t i)
{
	return i < replay->index.begin || i >= replay->index.end || entry_at(replay, i)->used <= replay->first;
}

static bool is_deed(const struct unc_replay *replay, uint32_t i)
{
	return unc_line_types[entry_at(replay, i)->kind].deed;
}

static struct unc_replay_series *series_of(struct unc_replay *replay, const struct unc_question *q)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];
	const char *key = replay->question.text;
	size_t len;

	if (is_read(q))
		return unc_replay_index_find(&replay->index, type->group, q->text, strlen(q->text));
	replay->question.len = 0;
	unc_line_put_question(&replay->question, q);
	len = type->group == UNC_GROUP_TRAFFIC ? 0 : replay->question.len;
	if (type->group == UNC_GROUP_SPACE || type->group == UNC_GROUP_EVENT) {
		key += strlen(type->word) + 1;
		len = strcspn(key, " ");
	}
	return unc_replay_index_find(&replay->index, type->group, key, len);
}

/*
 * Why there is no answer.  What the series has and was not given is too early, or behind the deed that comes next.  Reads the record
 * once more.
 */
static int explain(struct unc_replay *replay, const struct unc_question *q, const struct unc_replay_series *series)
{
	unsigned n = 0, deed = 0, other = 0; /* lines */
	const struct unc_entry *entry = &replay->answer;
	char what[DESCRIBED], next[DESCRIBED];
	int rc;

	replay->question.len = 0;
	unc_line_put_question(&replay->question, q);
	describe(q->kind, replay->question.text, replay->question.len, what);
	unc_record_go(&replay->text, replay->index.start);
	for (size_t i = 0; series && i <= series->final && unc_record_next(&replay->text, &replay->answer, &rc);
	     i += entry->kind == UNC_LINE_TIME ? entry->len : 1) {
		const struct unc_line_type *type = &unc_line_types[entry->kind];

		if (unc_replay_index_find(&replay->index, type->group, entry->key, entry->key_len) != series)
			continue;
		if (type->deed && i >= series->at && !deed) {
			deed = entry->line;
			describe(entry->kind, entry->at, (size_t)(entry->question_end - entry->at), next);
		}
		if (!answers(replay, q))
			continue;
		n++;
		if (is_fresh(replay, i) && (!other || !deed))
			other = entry->line;
	}
	if (deed && deed != other && (other ? other > deed : unc_line_types[q->kind].deed))
		return unc_replay_differ(replay, deed,
					 "the record has %s next at that place, and this command goes on with %s", next,
					 what);
	if (other)
		return unc_replay_differ(replay, other,
					 "the record has %s only at another time than this command asks for it", what);
	if (n)
		return unc_replay_differ(replay, 0, "the record has %s %u time%s, and this command asks for one more",
					 what, n, n == 1 ? "" : "s");
	return unc_replay_differ(replay, 0, "%s is not in the record; record this command to replay it", what);
}

/* The entry of a series after another, or its first (after NONE).  Reads on for it, but not behind the entry most. */
static uint32_t next_of(struct unc_replay *replay, const struct unc_replay_series *series, uint32_t i, size_t most)
{
	uint32_t next;

	do {
		next = i == UNC_REPLAY_NONE ? series->at : entry_at(replay, i)->next;
	} while (next == UNC_REPLAY_NONE && replay->index.end <= most && has(replay, replay->index.end));
	return next;
}

/* The first answer that is not over and was not given, with no deed before it; a deed must be the next one. */
static uint32_t find_answer(struct unc_replay *replay, const struct unc_question *q, struct unc_replay_series *series,
			    size_t most)
{
	uint32_t i = next_of(replay, series, UNC_REPLAY_NONE, most);
	bool deed = unc_line_types[q->kind].deed;

	if (i < replay->index.begin) /* a deed that was left out: nothing behind it is an answer */
		return UNC_REPLAY_NONE;
	/* What is over, or was given as a whole, is not looked at again. */
	while (i != UNC_REPLAY_NONE && !is_deed(replay, i) &&
	       (i < replay->since || (series->group != UNC_GROUP_SPACE && entry_at(replay, i)->used))) {
		series->at = entry_at(replay, i)->next;
		i = next_of(replay, series, UNC_REPLAY_NONE, most);
	}
	for (; i != UNC_REPLAY_NONE; i = next_of(replay, series, i, most)) {
		if (deed && !is_deed(replay, i))
			continue;
		if (!deed && is_deed(replay, i))
			break;
		if (i >= replay->since && look_up(replay, entry_at(replay, i)) == UNC_OK && answers(replay, q) &&
		    is_fresh(replay, i)) {
			series->at = deed ? entry_at(replay, i)->next : series->at;
			return i;
		}
		if (deed)
			break;
	}
	return UNC_REPLAY_NONE;
}

bool unc_replay_knows(struct unc_replay *replay, const struct unc_question *q)
{
	return series_of(replay, q) != NULL;
}

int unc_replay_meet(struct unc_replay *replay, const struct unc_question *q)
{
	struct unc_replay_series *series;
	uint32_t i = UNC_REPLAY_NONE;
	bool is_constant;
	size_t most;

	if (replay->over)
		return fail_over(replay);
	series = series_of(replay, q);
	/* An answer that is always the same need not wait for its time. */
	is_constant = series && series->group == UNC_GROUP_QUESTION && !series->varies;
	most = series ? series->final : 0;
	for (size_t k = replay->at; is_constant && k < most && has(replay, k); k++)
		if (entry_at(replay, k)->kind == UNC_LINE_TIME || entry_at(replay, k)->kind == UNC_LINE_SLEEP)
			most = k;
	if (series)
		i = find_answer(replay, q, series, most);
	if (is_constant && i > most)
		return take(replay, &series->first);
	if (i == UNC_REPLAY_NONE)
		return explain(replay, q, series);
	entry_at(replay, i)->used = (uint16_t)(replay->first + (q->len ? q->len : 1));
	if (i >= replay->at) {
		say_notes(replay, i);
		pass(replay, i);
	}
	return take(replay, entry_at(replay, i));
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
	for (size_t i = replay->at; has(replay, i) && entry_at(replay, i)->kind == UNC_LINE_TIME; i++) {
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
		for (; has(replay, next) && entry_at(replay, next)->kind != UNC_LINE_TIME; next++)
			if (is_deed(replay, (uint32_t)next) || entry_at(replay, next)->kind == UNC_LINE_SLEEP)
				return false;
		if (next == replay->index.end)
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
		unc_replay_differ(replay, next_line(replay),
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

	if (replay->over)
		return fail_over(replay);
	for (size_t i = replay->at; has(replay, i); i++) {
		const struct unc_replay_entry *entry = entry_at(replay, i);
		uint64_t deadline_ns = UINT64_MAX;

		if (entry->kind == UNC_LINE_TIME && entry->clock == UNC_CLOCK_MONO)
			now_ns = entry->ns;
		if (entry->kind != UNC_LINE_SLEEP)
			continue;
		line = line ? line : entry->line;
		if (look_up(replay, entry) < 0)
			return fail_over(replay);
		if (replay->answer.n[0] != UNC_RECORD_FOREVER)
			deadline_ns = now_ns + replay->answer.n[0];
		if (deadline_ns != mono_ns && now_ns > mono_ns)
			break; /* a command that is late sleeps at once, if at all */
		if (deadline_ns != mono_ns)
			continue;
		pass(replay, i);
		replay->since = replay->at;
		return take(replay, entry_at(replay, i));
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
		unc_replay_differ(replay, next_line(replay), "the record does not tell how the COMMAND ended");
	has(replay, at); /* is it such an end? */
	if (replay->over && end == UNC_RECORD_ENDED)
		*ret_number = 1;
	if (replay->over)
		return end == UNC_RECORD_ENDED;
	/* It is due when its line comes next and it was asked for often enough, or was passed. */
	series = replay->ends[end];
	if (!series || series->at > at || look_up(replay, entry_at(replay, series->at)) < 0 ||
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
