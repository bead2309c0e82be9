// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journal.h"

#include <stdlib.h>

#include "base/array.h"

struct unc_journal_entry *unc_journal_find(struct unc_journal *journal, const struct unc_box *box,
					   const struct unc_reg *reg, unsigned index)
{
	for (size_t i = 0; i < journal->n; i++) {
		struct unc_journal_entry *entry = &journal->entries[i];

		if (entry->box == box && entry->reg == reg && entry->index == index)
			return entry;
	}
	return NULL;
}

struct unc_journal_entry *unc_journal_add(struct unc_journal *journal)
{
	void *entries = unc_array_more(journal->entries, journal->n, sizeof(*journal->entries));

	if (!entries)
		return NULL;
	journal->entries = entries;
	return &journal->entries[journal->n++];
}

void unc_journal_clear(struct unc_journal *journal)
{
	free(journal->entries);
	journal->entries = NULL;
	journal->n = 0;
}
