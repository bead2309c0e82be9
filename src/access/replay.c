// SPDX-License-Identifier: GPL-2.0-or-later
/* The host that answers from a record. */
#include "access/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_text.h"
#include "access/replay_index.h"
#include "base/err.h"
#include "base/text.h"

/*
 * Between two answers it is asked whether the COMMAND has ended: once for each sample, and when a sleep ends early.  A record that
 * has no answer to so many questions never answers; nor does the time go on in one that is looked at so often.
 */
enum { QUESTIONS_MAX = 10000 };

/* What the clocks showed at the last times of the record that were passed. */
struct clocks {
	bool read[UNC_RECORD_CLOCKS];
	uint64_t ns[UNC_RECORD_CLOCKS];
	/* What the second clock showed first, after the first clock had been read. */
	bool has_after[UNC_RECORD_CLOCKS][UNC_RECORD_CLOCKS];
	uint64_t after_ns[UNC_RECORD_CLOCKS][UNC_RECORD_CLOCKS];
	/* How far BOOT is ahead of MONO, at most by the last reading and by all, as unc_was_suspended() judges it. */
	int64_t most_ns, asleep_ns;
};

struct replay {
	struct unc_host host;
	struct unc_host bystander;
	struct unc_files files;
	char *path;  /* owned */
	char *bytes; /* owned: the whole record */
	struct unc_record_text text;
	struct unc_replay_head head;
	struct unc_replay_index index;
	size_t at;    /* the first entry that was not passed */
	size_t since; /* the first entry after the last time that the command was told */
	struct clocks clocks;
	uint64_t last_ns[UNC_RECORD_CLOCKS]; /* that the command was told */
	bool guessed[UNC_RECORD_CLOCKS];     /* and that the record does not have */
	unsigned asked[UNC_RECORD_ENDS], asked_time;
	struct unc_replay_series *ends[UNC_RECORD_ENDS]; /* the index's; NULL: there is none */
	struct unc_line question;
	struct unc_entry answer;
	size_t first; /* of its bytes that are asked for */
	bool over;    /* something differed: then why */
	char why[UNC_MSG_MAX];
	void (*on_difference)(void *arg, const char *sentence);
	void *arg; /* not owned */
};

struct replay_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops; /* under the name of the kind */
	struct replay *replay;  /* outlives the bus */
	enum unc_kind kind;
};

static struct replay *replay_of(struct unc_host *host)
{
	return (struct replay *)host;
}

static struct unc_replay_entry *entry_at(const struct replay *replay, size_t i)
{
	return &replay->index.entries[i];
}

/* ---- what differs ---- */

static int fail_over(struct replay *replay)
{
	return unc_fail(replay->host.ctx, UNC_EIO, "%s", replay->why);
}

/* line: of the record; 0: none in particular. */
static int differ(struct replay *replay, unsigned line, const char *fmt, ...) UNC_PRINTF(3, 4);
static int differ(struct replay *replay, unsigned line, const char *fmt, ...)
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
static int look_up(struct replay *replay, size_t i)
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

static void pass_time(struct clocks *clocks, const struct unc_replay_entry *entry)
{
	unsigned c = entry->clock;

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

static void pass(struct replay *replay, size_t i)
{
	for (; replay->at <= i; replay->at++)
		if (entry_at(replay, replay->at)->kind == UNC_LINE_TIME)
			pass_time(&replay->clocks, entry_at(replay, replay->at));
	memset(replay->asked, 0, sizeof(replay->asked));
	replay->asked_time = 0;
}

/* Says the notes that directly precede an entry, which was not passed. */
static void say_notes(struct replay *replay, size_t end)
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
static int take(struct replay *replay, size_t i)
{
	memset(replay->asked, 0, sizeof(replay->asked));
	if (look_up(replay, i) < 0)
		return differ(replay, entry_at(replay, i)->line, "out of memory");
	if (replay->answer.err < 0 && replay->answer.sentence[0])
		unc_fail_named(replay->host.ctx, replay->answer.err, replay->answer.os_name, "%s",
			       replay->answer.sentence);
	return replay->answer.err;
}

/* ---- which answer ---- */

/* Whether an entry of a series answers the question; then replay->first is the first of its bytes that are asked for. */
static bool answers(struct replay *replay, uint32_t i, const struct unc_question *q)
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
static bool is_fresh(const struct replay *replay, uint32_t i)
{
	return entry_at(replay, i)->used <= replay->first;
}

static bool is_deed(const struct replay *replay, uint32_t i)
{
	return unc_line_types[entry_at(replay, i)->kind].deed;
}

/* Why there is no answer.  What the series has and was not given is too early, or behind the deed that comes next. */
static int explain(struct replay *replay, const struct unc_question *q, const struct unc_replay_series *series)
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
		return differ(replay, entry->line,
			      "the record has %s next at that place, and this command goes on with %s", next, what);
	}
	if (other != UNC_REPLAY_NONE)
		return differ(replay, entry_at(replay, other)->line,
			      "the record has %s only at another time than this command asks for it", what);
	if (n)
		return differ(replay, 0, "the record has %s %u time%s, and this command asks for one more", what, n,
			      n == 1 ? "" : "s");
	return differ(replay, 0, "%s is not in the record; record this command to replay it", what);
}

/* The first answer that is not over and was not given, with no deed before it; a deed must be the next one. */
static uint32_t find_answer(struct replay *replay, const struct unc_question *q, struct unc_replay_series *series)
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

static bool is_time_between(const struct replay *replay, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		if (entry_at(replay, i)->kind == UNC_LINE_TIME || entry_at(replay, i)->kind == UNC_LINE_SLEEP)
			return true;
	return false;
}

static struct unc_replay_series *series_of(struct replay *replay, const struct unc_question *q)
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

/* Finds the answer, which then is replay->answer.  Returns how it ended, or UNC_EIO: the record has none. */
static int meet(struct replay *replay, const struct unc_question *q)
{
	struct unc_replay_series *series;
	uint32_t i = UNC_REPLAY_NONE;
	size_t first;

	unc_entry_clear(&replay->answer);
	if (replay->over)
		return fail_over(replay);
	series = series_of(replay, q);
	if (series)
		i = find_answer(replay, q, series);
	first = replay->first;
	/* An answer that is always the same need not wait for its time. */
	if (series && series->group == UNC_GROUP_QUESTION && !series->varies &&
	    (i == UNC_REPLAY_NONE || is_time_between(replay, replay->at, i)))
		return take(replay, series->first);
	if (i == UNC_REPLAY_NONE)
		return explain(replay, q, series);
	entry_at(replay, i)->used = (uint16_t)(first + (q->len ? q->len : 1));
	if (i >= replay->at) {
		say_notes(replay, i);
		pass(replay, i);
	}
	return take(replay, i);
}

/* The items of the answer, which become the caller's; *ret_n: how many. */
static void *take_items(struct replay *replay, size_t *ret_n)
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
static bool is_told_here(struct replay *replay, enum unc_clock clock)
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
static uint64_t elapsed_ns(const struct clocks *clocks, unsigned clock)
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

/* Goes on to the next times of the record, past answers that are left out.  False: there are none before a deed or sleep. */
static bool go_to_times(struct replay *replay)
{
	size_t i = replay->at;

	while (i < replay->index.n && entry_at(replay, i)->kind != UNC_LINE_TIME) {
		unsigned kind = replay->index.entries[i++].kind;

		if (unc_line_types[kind].deed || kind == UNC_LINE_SLEEP)
			return false;
	}
	if (i == replay->index.n)
		return false;
	if (i > replay->at)
		pass(replay, i - 1);
	return true;
}

/* The record does not have this clock at this place.  False: nor can it be told from others. */
static bool tell_time(struct replay *replay, enum unc_clock clock)
{
	bool first = !replay->clocks.read[UNC_CLOCK_RAW] && !replay->clocks.read[UNC_CLOCK_MONO];
	uint64_t ns;

	/* An answer was given since: its time is known to lie before the next times, not where in between. */
	if (replay->at != replay->since || first) {
		if (!go_to_times(replay))
			return false;
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

static uint64_t replay_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct replay *replay = replay_of(host);

	if (replay->over)
		return ++replay->last_ns[clock];
	if (is_told_here(replay, clock))
		return replay->last_ns[clock];
	if (++replay->asked_time > QUESTIONS_MAX || !tell_time(replay, clock)) {
		differ(replay, replay->at < replay->index.n ? entry_at(replay, replay->at)->line : 0,
		       "the record does not have the time (clock %c) here, which this command asks for",
		       unc_record_clocks[clock]);
		return ++replay->last_ns[clock];
	}
	return replay->last_ns[clock];
}

static uint64_t bystander_now_ns(struct unc_host *bystander, enum unc_clock clock)
{
	const struct replay *replay =
		(const struct replay *)((const char *)bystander - offsetof(struct replay, bystander));

	return replay->last_ns[clock];
}

/* Nothing passes by itself any more after a difference: a caller that sleeps in a loop must not go on for ever. */
static int replay_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct replay *replay = replay_of(host);
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
			return differ(replay, entry->line, "out of memory");
		if (replay->answer.n[0] != UNC_RECORD_FOREVER)
			deadline_ns = now_ns + replay->answer.n[0];
		if (deadline_ns != mono_ns)
			continue;
		pass(replay, i);
		replay->since = replay->at;
		return take(replay, i);
	}
	if (!line)
		return differ(replay, 0, "the record has no further sleep, and this command goes on for longer");
	return differ(replay, line,
		      "the record has no sleep that ends when this command wants to be woken; replay it with the "
		      "interval that was recorded");
}

/* ---- the host ---- */

static int replay_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	const struct unc_question q = {.kind = UNC_LINE_CPUID, .n = {cpu, leaf, subleaf}};
	const uint64_t *a = replay_of(host)->answer.a;
	int rc = meet(replay_of(host), &q);

	if (rc == UNC_OK)
		*ret_regs = (struct unc_cpuid_regs){(uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2], (uint32_t)a[3]};
	return rc;
}

static int replay_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct replay *replay = replay_of(host);
	int rc = meet(replay, &(struct unc_question){.kind = UNC_LINE_TOPOLOGY});

	if (rc < 0)
		return rc;
	*ret_topo =
		(struct unc_topo){.n_cpus = (unsigned)replay->answer.a[0], .first_cpu = (unsigned)replay->answer.a[1]};
	ret_topo->packages = take_items(replay, &ret_topo->n_packages);
	return UNC_OK;
}

static int replay_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	int rc = meet(replay_of(host), &(struct unc_question){.kind = UNC_LINE_CPUS});

	if (rc == UNC_OK)
		*ret_cpus = take_items(replay_of(host), ret_n);
	return rc;
}

/* No traffic is made: the record has what was moved then. */
static int replay_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_TRAFFIC + (int)op)};
	struct replay *replay = replay_of(host);
	const uint64_t *a = replay->answer.a;
	const unsigned *cpus;
	int rc;

	if (op == UNC_TRAFFIC_START)
		q = unc_line_start_of(traffic);
	rc = meet(replay, &q);
	if (rc == UNC_OK && op != UNC_TRAFFIC_START)
		*ret_done = (struct unc_traffic_done){a[0], a[1], a[2], a[3]};
	cpus = replay->answer.items;
	for (size_t i = 0; rc == UNC_OK && op == UNC_TRAFFIC_START && i < traffic->n_cpus; i++)
		if (cpus[i] != traffic->cpus[i])
			return differ(replay, replay->answer.line,
				      "the record has traffic made by other CPUs than this command wants");
	return rc;
}

static int replay_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	const struct unc_question q = {.kind = UNC_LINE_PERF_OPEN,
				       .n = {attr->type, attr->config, attr->config1, attr->config2, attr->cpu}};
	int rc = meet(replay_of(host), &q);

	if (rc == UNC_OK)
		*ret_event = (unsigned)replay_of(host)->answer.a[0];
	return rc;
}

static int replay_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	const struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_PERF + (int)op), .n = {event}};
	const uint64_t *a = replay_of(host)->answer.a;
	int rc = meet(replay_of(host), &q);

	if (rc == UNC_OK && op == UNC_PERF_READ)
		*ret_count = (struct unc_perf_count){a[0], a[1], a[2]};
	return rc;
}

/* ---- its buses ---- */

static struct replay *replay_of_bus(const struct unc_bus *bus)
{
	return ((const struct replay_bus *)bus)->replay;
}

static int replay_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct replay *replay = replay_of_bus(space->bus);
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = unc_line_access_of(&space->addr, false, off, NULL, len, name);
	int rc = meet(replay, &q);

	if (rc == UNC_OK)
		memcpy(buf, replay->answer.bytes + replay->first, len);
	return rc;
}

static int replay_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = unc_line_access_of(&space->addr, true, off, buf, len, name);

	if (len > UNC_RECORD_BLOCK)
		return unc_fail(space->bus->ctx, UNC_ERANGE, "replay: a write of %zu bytes; a record has at most %d",
				len, (int)UNC_RECORD_BLOCK);
	return meet(replay_of_bus(space->bus), &q);
}

static int replay_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_CLAIM + (int)how),
				       .text = unc_addr_text(&space->addr, name),
				       .n = {first, n}};

	return meet(replay_of_bus(space->bus), &q);
}

static int replay_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_question q = {.kind = UNC_LINE_LIST, .n = {((struct replay_bus *)bus)->kind}};
	int rc = meet(replay_of_bus(bus), &q);

	if (rc == UNC_OK)
		*ret_addrs = take_items(replay_of_bus(bus), ret_n);
	return rc;
}

static int replay_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct replay *replay = replay_of_bus(bus);
	char name[UNC_ADDR_TEXT];
	struct unc_space *space;
	int rc = meet(replay, &(struct unc_question){.kind = UNC_LINE_OPEN, .text = unc_addr_text(addr, name)});

	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "replay: out of memory");
	*space = (struct unc_space){.bus = bus, .addr = *addr, .len = replay->answer.a[0]};
	*ret_space = space;
	return UNC_OK;
}

static void replay_space_close(struct unc_space *space)
{
	free(space);
}

static void replay_bus_close(struct unc_bus *bus)
{
	free(bus);
}

static const struct unc_bus_ops replay_bus_ops = {
	.name = "replay",
	.help = "answers from a record",
	.close = replay_bus_close,
	.list = replay_list,
	.space_open = replay_space_open,
	.space_close = replay_space_close,
	.read = replay_read,
	.write = replay_write,
	.claim = replay_claim,
};

/* A bus that was opened for writing answers also a command that only reads. */
static int replay_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct replay *replay = replay_of(host);
	struct unc_question q = {.kind = UNC_LINE_BUS, .n = {kind, writable}};
	struct replay_bus *bus;
	int rc;

	if (!series_of(replay, &q) && !writable)
		q.n[1] = true;
	rc = meet(replay, &q);
	if (rc < 0)
		return rc;
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "replay: out of memory");
	bus->ops = replay_bus_ops;
	bus->ops.name = unc_line_words('k')[kind];
	bus->replay = replay;
	bus->kind = kind;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = host->ctx, .writable = writable};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

/* ---- files ---- */

static int read_names(struct replay *replay, const struct unc_question *q, const char *const **ret_names, size_t *ret_n)
{
	int rc = meet(replay, q);

	if (rc == UNC_OK)
		*ret_names = take_items(replay, ret_n);
	return rc;
}

static int read_text(struct replay *replay, enum unc_line_kind kind, const char *path, size_t max, char **ret_text,
		     size_t *ret_len)
{
	int rc = meet(replay, &(struct unc_question){.kind = kind, .text = path});

	if (rc < 0)
		return rc;
	if (replay->answer.n_items > max)
		return unc_fail(replay->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here",
				path, max);
	*ret_text = take_items(replay, ret_len);
	return UNC_OK;
}

static struct replay *replay_of_files(struct unc_files *files)
{
	return (struct replay *)((char *)files - offsetof(struct replay, files));
}

static int files_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	(void)path;
	return read_names(replay_of_files(files), &(struct unc_question){.kind = UNC_LINE_MAPS}, ret_names, ret_n);
}

static int files_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		      size_t *ret_len)
{
	const char *slash = strrchr(path, '/');

	(void)trust; /* it steers nothing but this replay */
	return read_text(replay_of_files(files), UNC_LINE_FILE, slash ? slash + 1 : path, max, ret_text, ret_len);
}

static int replay_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	return read_text(replay_of(host), UNC_LINE_TEXT, path, max, ret_text, ret_len);
}

static int replay_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	return read_names(replay_of(host), &(struct unc_question){.kind = UNC_LINE_NAMES, .text = path}, ret_names,
			  ret_n);
}

static int replay_link(struct unc_host *host, const char *path, char **ret_text)
{
	return read_text(replay_of(host), UNC_LINE_LINK, path, SIZE_MAX, ret_text, NULL);
}

/* ---- begin and end ---- */

static void replay_close(struct unc_host *host)
{
	struct replay *replay = replay_of(host);

	/* The notes that come last belong to no further question. */
	if (!replay->over)
		say_notes(replay, replay->index.n);
	if (host->ctx->files == &replay->files)
		host->ctx->files = NULL;
	unc_entry_clear(&replay->answer);
	unc_replay_head_clear(&replay->head);
	unc_replay_index_clear(&replay->index);
	free(replay->bytes);
	free(replay->path);
	free(replay);
}

static const struct unc_host_ops replay_ops = {
	.close = replay_close,
	.now_ns = replay_now_ns,
	.sleep_until = replay_sleep_until,
	.cpuid = replay_cpuid,
	.topology = replay_topology,
	.cpus = replay_cpus,
	.file = replay_file,
	.names = replay_names,
	.link = replay_link,
	.traffic = replay_traffic,
	.perf_open = replay_perf_open,
	.perf = replay_perf,
	.bus_open = replay_bus_open,
};

static const struct unc_host_ops bystander_ops = {
	.now_ns = bystander_now_ns,
};

static int load(struct unc_ctx *ctx, const char *path, char **ret_bytes, struct unc_record_text *ret_text)
{
	size_t len;
	int rc;

	rc = unc_os_file_read(ctx, path, UNC_REPLAY_BYTES, UNC_TRUST_ANY, ret_bytes, &len);
	if (rc < 0)
		return unc_wrap(ctx, rc == UNC_ENODEV ? UNC_EARG : rc, "replay");
	*ret_text = (struct unc_record_text){.ctx = ctx, .path = path, .at = *ret_bytes, .end = *ret_bytes + len};
	return UNC_OK;
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

int unc_replay_head_read(struct unc_ctx *ctx, const char *path, struct unc_replay_head *ret_head)
{
	struct unc_record_text text;
	struct unc_replay_head head;
	char *bytes;
	int rc;

	rc = load(ctx, path, &bytes, &text);
	if (rc < 0)
		return rc;
	rc = unc_record_read_head(&text, &head);
	free(bytes);
	if (rc < 0)
		unc_replay_head_clear(&head);
	else
		*ret_head = head;
	return rc;
}

int unc_replay_open(struct unc_ctx *ctx, const char *path, int wake_fd, struct unc_host **ret_host)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int rc;

	if (!replay || !(replay->path = unc_text_dup(path))) {
		free(replay);
		return unc_fail(ctx, UNC_ENOMEM, "replay: out of memory");
	}
	rc = load(ctx, replay->path, &replay->bytes, &replay->text);
	if (rc == UNC_OK)
		rc = unc_record_read_head(&replay->text, &replay->head);
	if (rc == UNC_OK)
		rc = unc_replay_index_read(&replay->text, &replay->index);
	replay->host = (struct unc_host){.ops = &replay_ops,
					 .ctx = ctx,
					 .simulated = replay->head.simulated,
					 .stands_still = replay->head.stands_still,
					 .wake_fd = wake_fd,
					 .name = replay->head.name,
					 .map_dir = replay->head.maps ? UNC_RECORD_MAPS : NULL,
					 .bystander = &replay->bystander};
	if (rc < 0) {
		replay->over = true;
		replay_close(&replay->host);
		return rc;
	}
	for (unsigned end = 0; end < UNC_RECORD_ENDS; end++) {
		const char *word = unc_line_types[UNC_LINE_END + end].word;

		replay->ends[end] = unc_replay_index_find(&replay->index, UNC_GROUP_END, word, strlen(word));
	}
	replay->clocks.asleep_ns = INT64_MAX;
	replay->bystander = (struct unc_host){.ops = &bystander_ops, .ctx = ctx};
	replay->files = (struct unc_files){.list = files_list, .read = files_read};
	ctx->files = &replay->files;
	*ret_host = &replay->host;
	return UNC_OK;
}

bool unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg)
{
	struct replay *replay = replay_of(host);

	if (host->ops != &replay_ops)
		return false;
	replay->on_difference = fn;
	replay->arg = arg;
	return true;
}

bool unc_replay_asks(struct unc_host *host, enum unc_record_end end, int *ret_number)
{
	struct replay *replay = replay_of(host);
	struct unc_replay_series *series;
	size_t at = replay->at;

	if (host->ops != &replay_ops)
		return false;
	/* What cannot go on need not wait for a COMMAND that will not end. */
	if (!replay->over && ++replay->asked[end] > QUESTIONS_MAX && end == UNC_RECORD_ENDED)
		differ(replay, at < replay->index.n ? entry_at(replay, at)->line : 0,
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
