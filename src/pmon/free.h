/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of a whole memory controller that always run (Ice Lake-SP: Linux, uncore_imc_free_running_N).  They need no register to be
 * written, and no other program can take, stop or clear them.
 */
#ifndef UNC_PMON_FREE_H
#define UNC_PMON_FREE_H

#include "machine/machine.h"
#include "pmon/event.h"

#define UNC_FREE_UNIT "free"

/* The counts of a controller, in this order; each is 64 bytes.  Those of Optane modules are 0 where none is installed. */
enum unc_free_count { UNC_FREE_READS, UNC_FREE_WRITES, UNC_FREE_PMEM_READS, UNC_FREE_PMEM_WRITES, UNC_FREE_COUNTS };
enum { UNC_FREE_BYTES = 64 };

struct unc_free;

/* UNC_ENOMEM. */
int unc_free_open(struct unc_machine *m, struct unc_free **ret_free);
void unc_free_close(struct unc_free *counters); /* NULL is fine */
/* Adds the counts of a box of that unit, and reads them for the first time.  UNC_ENODEV, UNC_EIO, UNC_ENOMEM. */
int unc_free_add(struct unc_free *counters, struct unc_box *box);
/*
 * Reads all boxes; as unc_session_read(), with UNC_COUNT_FREE_RUNNING in the flags.  A count is a number only if the memory's clock,
 * a counter beside it, went on, and no faster than it can.
 */
int unc_free_read(struct unc_free *counters, struct unc_count *ret_counts, size_t n);
/* How many channels a box of that unit counts. */
unsigned unc_free_channels(const struct unc_box *box);
/* The clock of these channels in the last interval. */
struct unc_clock_rate unc_free_clock(const struct unc_free *counters, const struct unc_box *box);

#endif
