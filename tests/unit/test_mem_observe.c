// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/mem_observe.h"
#include "test.h"

enum { NONE = UNC_COUNT_UNPROGRAMMED };

/* Counts of one channel, and what follows. */
struct example {
	struct unc_count counts[MEM_EVENTS];
	unsigned read_flags, write_flags;
	uint64_t read, write;
};
#define COUNT(n)                                                                                                       \
	{                                                                                                              \
		.delta = (n), .scale = 64, .interval_ns = 1                                                            \
	}
#define FLAGGED(bit)                                                                                                   \
	{                                                                                                              \
		.flags = (bit)                                                                                         \
	}

/* clang-format off */
static const struct example examples[] = {
	/* each by its name */
	{{[MEM_RD] = COUNT(7), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* by their halves */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = COUNT(2), [MEM_WR_RMM] = COUNT(3), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* reads are all less the writes */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(12)}, 0, 0, 7, 5},
	/* writes are all less both halves of the reads */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = COUNT(1), [MEM_ALL] = COUNT(12)}, 0, 0, 7, 5},
	/* what is read a moment later is never less than nothing */
	{{[MEM_RD] = COUNT(9), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(8)}, 0, 0, 9, 0},
	/* a half alone is nothing */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = COUNT(1), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, NONE, NONE, 0, 0},
	/* all alone is neither */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = FLAGGED(NONE),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = COUNT(12)}, NONE, NONE, 0, 0},
	/* one that was changed is that, and not what nobody counts */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_CHANGED), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE),
	  [MEM_WR] = FLAGGED(NONE), [MEM_WR_WMM] = COUNT(1), [MEM_WR_RMM] = FLAGGED(UNC_COUNT_RESET),
	  [MEM_ALL] = FLAGGED(NONE)}, UNC_COUNT_CHANGED, UNC_COUNT_RESET, 0, 0},
	/* one that has a number goes before one that was changed */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_CHANGED), [MEM_RD_REG] = COUNT(3), [MEM_RD_UNDERFILL] = COUNT(4), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = FLAGGED(NONE)}, 0, 0, 7, 5},
	/* that a read was late is told of what it is part of */
	{{[MEM_RD] = FLAGGED(NONE), [MEM_RD_REG] = FLAGGED(NONE), [MEM_RD_UNDERFILL] = FLAGGED(NONE), [MEM_WR] = COUNT(5),
	  [MEM_WR_WMM] = FLAGGED(NONE), [MEM_WR_RMM] = FLAGGED(NONE), [MEM_ALL] = {.delta = 12, .flags = UNC_COUNT_LATE}},
	 UNC_COUNT_LATE, 0, 7, 5},
	/* a channel that is missing is missing */
	{{[MEM_RD] = FLAGGED(UNC_COUNT_MISSING), [MEM_RD_REG] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_RD_UNDERFILL] = FLAGGED(UNC_COUNT_MISSING), [MEM_WR] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_WR_WMM] = FLAGGED(UNC_COUNT_MISSING), [MEM_WR_RMM] = FLAGGED(UNC_COUNT_MISSING),
	  [MEM_ALL] = FLAGGED(UNC_COUNT_MISSING)}, UNC_COUNT_MISSING, UNC_COUNT_MISSING, 0, 0},
};
/* clang-format on */

TEST(reads_and_writes_follow_from_what_is_counted)
{
	for (unsigned i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		struct unc_count read, write;

		mem_observe_counts(e->counts, &read, &write);
		CU_ASSERT_EQUAL(read.flags, e->read_flags);
		CU_ASSERT_EQUAL(write.flags, e->write_flags);
		CU_ASSERT_TRUE(read.flags & UNC_COUNT_NO_NUMBER || read.delta == e->read);
		CU_ASSERT_TRUE(write.flags & UNC_COUNT_NO_NUMBER || write.delta == e->write);
	}
}
