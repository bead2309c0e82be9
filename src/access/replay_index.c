// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a record once, and finds the answers of each place in it. */
#include "access/replay_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct reading {
	struct unc_record_text *text;
	struct unc_replay_index *index;
	uint64_t now_ns[UNC_RECORD_CLOCKS];
};

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
static struct unc_replay_series *series_of(struct unc_replay_index *index, const struct unc_entry *entry)
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

static void chain(struct unc_replay_index *index, uint32_t *first, uint32_t *last, uint32_t i)
{
	if (*last == UNC_REPLAY_NONE)
		*first = i;
	else
		index->entries[*last].next = i;
	*last = i;
}

static bool add_to_series(struct unc_replay_index *index, const struct unc_entry *entry, uint32_t i)
{
	struct unc_replay_series *series = series_of(index, entry);
	size_t len = (size_t)(entry->end - entry->question_end);

	if (!series)
		return false;
	if (series->first == UNC_REPLAY_NONE) {
		series->answer = entry->question_end;
		series->answer_len = len;
		series->at = i;
	}
	series->varies |= series->answer_len != len || memcmp(series->answer, entry->question_end, len) != 0;
	chain(index, &series->first, &series->last, i);
	return true;
}

static bool add(struct reading *r, const struct unc_entry *entry)
{
	struct unc_replay_index *index = r->index;
	const uint64_t deadline_ns =
		entry->n[0] == UNC_RECORD_FOREVER ? UINT64_MAX : r->now_ns[UNC_CLOCK_MONO] + entry->n[0];
	struct unc_replay_entry new = {
		.at = entry->at, .line = entry->line, .next = UNC_REPLAY_NONE, .kind = (uint8_t)entry->kind};
	uint32_t i = (uint32_t)index->n;

	if (entry->kind == UNC_LINE_TIME) {
		new.clock = (uint8_t)entry->a[0];
		new.ns = r->now_ns[new.clock] += entry->a[1];
	}
	if (entry->kind == UNC_LINE_SLEEP)
		new.next = (uint32_t)index->n_deadlines;
	if (i == UNC_REPLAY_NONE || !unc_array_add(&index->entries, &index->n, &new, sizeof(new)))
		return false;
	if (entry->kind == UNC_LINE_SLEEP)
		return unc_array_add(&index->deadlines, &index->n_deadlines, &deadline_ns, sizeof(deadline_ns));
	if (entry->kind >= UNC_LINE_END)
		chain(index, &index->ends[entry->kind - UNC_LINE_END], &index->last_end[entry->kind - UNC_LINE_END], i);
	return unc_line_types[entry->kind].group == UNC_GROUP_NONE || add_to_series(index, entry, i);
}

int unc_replay_index_read(struct unc_record_text *text, struct unc_replay_index *index)
{
	struct reading reading = {.text = text, .index = index};
	struct unc_entry *entry = calloc(1, sizeof(*entry));
	int rc = entry ? UNC_OK : no_memory(text);

	for (unsigned end = 0; end < UNC_RECORD_ENDS; end++)
		index->ends[end] = index->last_end[end] = UNC_REPLAY_NONE;
	while (rc == UNC_OK && unc_record_next(text, entry, &rc))
		if (!add(&reading, entry))
			rc = no_memory(text);
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
	free(index->deadlines);
	*index = (struct unc_replay_index){0};
}
