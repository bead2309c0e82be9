// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks a record, finds the answers of each place in it, and reads it once more as far as a command asks. */
#include "access/replay_index.h"

#include "base/text.h"

/* FNV-1a */
static uint64_t hash(uint64_t seed, const char *bytes, size_t len)
{
	uint64_t sum = UINT64_C(14695981039346656037) + seed;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
	return sum;
}

static uint64_t answer_of(const struct unc_entry *entry)
{
	return hash(0, entry->question_end, (size_t)(entry->end - entry->question_end));
}

static uint32_t *bucket_of(struct unc_replay_index *index, enum unc_line_group group, const char *key, size_t len)
{
	return &index->buckets[hash(group, key, len) % UNC_REPLAY_BUCKETS];
}

struct unc_replay_series *unc_replay_index_find(struct unc_replay_index *index, enum unc_line_group group,
						const char *key, size_t len)
{
	for (uint32_t i = *bucket_of(index, group, key, len); i; i = index->series[i - 1].chain) {
		struct unc_replay_series *series = &index->series[i - 1];

		if (series->group == group && series->key_len == len && memcmp(series->key, key, len) == 0)
			return series;
	}
	return NULL;
}

/* NULL: out of memory. */
static struct unc_replay_series *new_series(struct unc_replay_index *index, const struct unc_entry *entry,
					    const struct unc_replay_entry *first)
{
	enum unc_line_group group = unc_line_types[entry->kind].group;
	uint32_t *bucket = bucket_of(index, group, entry->key, entry->key_len);
	const struct unc_replay_series new = {.group = group,
					      .key = malloc(entry->key_len + 1),
					      .key_len = entry->key_len,
					      .first = *first,
					      .answer = answer_of(entry),
					      .at = UNC_REPLAY_NONE,
					      .last = UNC_REPLAY_NONE,
					      .chain = *bucket};

	if (!new.key || !unc_array_add(&index->series, &index->n_series, &new, sizeof(new))) {
		free(new.key);
		return NULL;
	}
	memcpy(new.key, entry->key, entry->key_len);
	*bucket = (uint32_t)index->n_series;
	return &index->series[index->n_series - 1];
}

/* Drops the first entries; what follows them in their series is next there. */
static void drop(struct unc_replay_index *index, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unc_replay_entry *entry = &index->entries[i];
		const struct unc_line_type *type = &unc_line_types[entry->kind];

		if (type->group != UNC_GROUP_NONE && !type->deed && index->series[entry->series].at == index->begin + i)
			index->series[entry->series].at = entry->next;
	}
	index->n -= n;
	index->begin += n;
	memmove(index->entries, index->entries + n, index->n * sizeof(*index->entries));
}

/* series NULL: it belongs to none. */
static bool add(struct unc_replay_index *index, const struct unc_replay_entry *entry, struct unc_replay_series *series)
{
	uint32_t i = (uint32_t)index->end;

	if (i == UNC_REPLAY_NONE || index->n == UNC_REPLAY_ENTRIES ||
	    !unc_array_add(&index->entries, &index->n, entry, sizeof(*entry)))
		return false;
	index->end++;
	if (!series)
		return true;
	index->entries[index->n - 1].series = (uint32_t)(series - index->series);
	if (series->at == UNC_REPLAY_NONE)
		series->at = i;
	if (series->last != UNC_REPLAY_NONE && series->last >= index->begin)
		index->entries[series->last - index->begin].next = i;
	series->last = i;
	return true;
}

bool unc_replay_index_more(struct unc_replay_index *index, struct unc_record_text *text, size_t keep,
			   struct unc_entry *entry, int *ret_rc)
{
	enum unc_line_group group;
	struct unc_replay_series *series = NULL;
	struct unc_replay_entry new;
	bool added = true;

	if (2 * (keep - index->begin) > index->n)
		drop(index, keep - index->begin);
	unc_record_go(text, index->next);
	if (!unc_record_next(text, entry, ret_rc))
		return false;
	index->next = unc_record_place(text);
	group = unc_line_types[entry->kind].group;
	new = (struct unc_replay_entry){
		.off = entry->off, .line = entry->line, .next = UNC_REPLAY_NONE, .kind = (uint8_t)entry->kind};
	if (group != UNC_GROUP_NONE) {
		series = unc_replay_index_find(index, group, entry->key, entry->key_len);
		if (!series && !index->checked)
			series = new_series(index, entry, &new);
		added = series != NULL;
	}
	if (series && !index->checked && group == UNC_GROUP_QUESTION)
		series->varies |= series->answer != answer_of(entry);
	for (size_t i = 0; added && i < (entry->kind == UNC_LINE_TIME ? entry->len : 1); i++) {
		if (entry->kind == UNC_LINE_TIME) {
			new.clock = entry->bytes[i];
			new.ns = index->now_ns[new.clock] += entry->steps[i];
		}
		added = add(index, &new, series);
	}
	if (!added)
		*ret_rc = unc_fail(text->ctx, UNC_ENOMEM,
				   "%s: it was changed, or what this command leaves out of it needs too much memory",
				   text->path);
	return added;
}

int unc_replay_index_read(struct unc_replay_index *index, struct unc_record_text *text, struct unc_entry *entry)
{
	int rc;

	index->start = index->next = index->notes = unc_record_place(text);
	while (unc_replay_index_more(index, text, index->end, entry, &rc))
		if (entry->kind != UNC_LINE_NOTE)
			index->notes = index->next;
	for (size_t i = 0; i < index->n_series; i++) {
		index->series[i].final = index->series[i].last;
		index->series[i].at = index->series[i].last = UNC_REPLAY_NONE;
	}
	index->checked = true;
	index->next = index->start;
	index->begin = index->end = index->n = 0;
	memset(index->now_ns, 0, sizeof(index->now_ns));
	return rc;
}

void unc_replay_index_clear(struct unc_replay_index *index)
{
	for (size_t i = 0; i < index->n_series; i++)
		free(index->series[i].key);
	free(index->entries);
	free(index->series);
}
