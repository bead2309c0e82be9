// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journal.h"

#include <stdlib.h>

#include "base/array.h"
#include "machine/machine.h"

struct unc_journal_entry *unc_journal_find(struct unc_journal *journal, const struct unc_box *box,
					   const struct unc_reg *reg, unsigned index)
{
	for (size_t i = box->journalled; i; i = journal->entries[i - 1].earlier) {
		struct unc_journal_entry *entry = &journal->entries[i - 1];

		if (entry->reg == reg && entry->index == index)
			return entry;
	}
	return NULL;
}

/* The i-th entry is the last of its box so far. */
static void link_entry(struct unc_journal *journal, size_t i)
{
	struct unc_journal_entry *entry = &journal->entries[i];

	entry->earlier = entry->box->journalled;
	entry->box->journalled = i + 1;
}

static void unlink_all(struct unc_journal *journal)
{
	for (size_t i = 0; i < journal->n; i++)
		journal->entries[i].box->journalled = 0;
}

struct unc_journal_entry *unc_journal_add(struct unc_journal *journal, struct unc_box *box)
{
	void *entries = unc_array_more(journal->entries, journal->n, sizeof(*journal->entries));

	if (!entries)
		return NULL;
	journal->entries = entries;
	journal->entries[journal->n].box = box;
	link_entry(journal, journal->n);
	return &journal->entries[journal->n++];
}

bool unc_journal_add_value(struct unc_journal_entry *entry, uint64_t value)
{
	uint64_t *values = unc_array_more(entry->values, entry->n_values, sizeof(*values));

	if (!values)
		return false;
	entry->values = values;
	entry->values[entry->n_values++] = value;
	return true;
}

void unc_journal_sweep(struct unc_journal *journal)
{
	size_t kept = 0;

	unlink_all(journal);
	for (size_t i = 0; i < journal->n; i++) {
		if (journal->entries[i].dropped) {
			free(journal->entries[i].values);
			continue;
		}
		journal->entries[kept] = journal->entries[i];
		link_entry(journal, kept++);
	}
	journal->n = kept;
}

void unc_journal_clear(struct unc_journal *journal)
{
	unlink_all(journal);
	for (size_t i = 0; i < journal->n; i++)
		free(journal->entries[i].values);
	free(journal->entries);
	journal->entries = NULL;
	journal->n = 0;
}
