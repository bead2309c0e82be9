// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journal.h"

#include "machine/machine.h"
#include "test.h"

static struct unc_box boxes[3];      /* of which the journal keeps where their entries are */
static const struct unc_reg regs[2]; /* only their addresses count */

static const struct unc_box *box(unsigned i)
{
	return &boxes[i];
}

static void fill(struct unc_journal *journal, unsigned i, unsigned reg, unsigned index)
{
	struct unc_journal_entry *entry = unc_journal_add(journal, &boxes[i]);

	CU_ASSERT_PTR_NOT_NULL_FATAL(entry);
	CU_ASSERT_PTR_EQUAL(entry->box, &boxes[i]);
	CU_ASSERT_PTR_NULL(entry->owner);
	CU_ASSERT_FALSE(entry->line.has_idle);
	entry->reg = &regs[reg];
	entry->index = index;
	entry->line.before = 100 * i + 10 * reg + index;
	entry->line.has_idle = true;
	entry->owner = journal;
}

TEST(an_entry_is_found_by_box_register_and_index)
{
	struct unc_journal journal = {0};

	CU_ASSERT_PTR_NULL(unc_journal_find(&journal, box(0), &regs[0], 0));
	for (unsigned i = 0; i < 3; i++)
		for (unsigned reg = 0; reg < 2; reg++)
			for (unsigned index = 0; index < 4; index++)
				if (i + reg + index != 5)
					fill(&journal, i, reg, index);
	CU_ASSERT_EQUAL(journal.n, 21);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned reg = 0; reg < 2; reg++) {
			for (unsigned index = 0; index < 4; index++) {
				const struct unc_journal_entry *entry =
					unc_journal_find(&journal, box(i), &regs[reg], index);

				CU_ASSERT_EQUAL(entry != NULL, i + reg + index != 5);
				if (entry)
					CU_ASSERT_EQUAL(entry->line.before, 100 * i + 10 * reg + index);
			}
		}
	}
	unc_journal_clear(&journal);
}

TEST(entries_stay_in_the_order_they_came)
{
	struct unc_journal journal = {0};

	for (unsigned index = 0; index < 100; index++)
		fill(&journal, 1, 1, index);
	for (unsigned index = 0; index < 100; index++)
		CU_ASSERT_EQUAL(journal.entries[index].index, index);
	unc_journal_clear(&journal);
}

TEST(a_cleared_journal_is_empty_and_can_be_used_again)
{
	struct unc_journal journal = {0};

	unc_journal_clear(&journal);
	fill(&journal, 0, 0, 0);
	unc_journal_clear(&journal);
	CU_ASSERT_EQUAL(journal.n, 0);
	CU_ASSERT_PTR_NULL(unc_journal_find(&journal, box(0), &regs[0], 0));
	fill(&journal, 0, 0, 0);
	CU_ASSERT_EQUAL(journal.n, 1);
	unc_journal_clear(&journal);
}

/* As when a part is put back, or kept: the others are found as before, in their order. */
TEST(those_that_are_dropped_are_found_no_more)
{
	struct unc_journal journal = {0};
	size_t last = 0;

	for (unsigned index = 0; index < 30; index++)
		fill(&journal, index % 3, 0, index);
	for (unsigned index = 0; index < 30; index++)
		journal.entries[index].dropped = index % 4 == 1 || index % 3 == 2;
	unc_journal_sweep(&journal);
	CU_ASSERT_EQUAL(journal.n, 15);
	for (unsigned index = 0; index < 30; index++) {
		const struct unc_journal_entry *entry = unc_journal_find(&journal, box(index % 3), &regs[0], index);

		CU_ASSERT_EQUAL(entry != NULL, !(index % 4 == 1 || index % 3 == 2));
		if (!entry)
			continue;
		CU_ASSERT_EQUAL(entry->line.before, 100 * (index % 3) + index);
		CU_ASSERT_TRUE((size_t)(entry - journal.entries) + 1 > last);
		last = (size_t)(entry - journal.entries) + 1;
	}
	fill(&journal, 2, 0, 77);
	CU_ASSERT_PTR_NOT_NULL(unc_journal_find(&journal, box(2), &regs[0], 77));
	unc_journal_clear(&journal);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(boxes[i].journalled, 0);
}
