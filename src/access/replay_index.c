// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a record once, and finds the answers of each place in it. */
#include "access/replay_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

static bool add_to_series(struct unc_replay_index *index, const struct unc_entry *entry, uint32_t i)
{
	struct unc_replay_series *series = series_of(index, entry);
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
