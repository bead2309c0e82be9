/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was moved in a whole run of mem: for each socket and in total, in memory that does not grow with the samples. */
#ifndef UNC_CLI_SUMMARY_H
#define UNC_CLI_SUMMARY_H

#include "cli/peak.h"
#include "cli/rates.h"

/* What some channels moved in one sample. */
struct moved {
	bool known, partial; /* at least one channel has a value; at least one has none */
	unsigned flags;      /* of all channels */
	uint64_t interval_ns;
	uint64_t read_bytes, write_bytes; /* of DIMMs or HBM; write_bytes is 0 where both are counted together */
	uint64_t pmem_bytes;              /* both directions of Optane modules */
	double read, write;               /* bytes per second of DIMMs or HBM */
};

/* together: the first item of the plan is both directions.  The counting has taken the sample. */
struct moved moved_by(const struct counting *counting, bool together, size_t first, size_t end);

struct summary; /* NULL: no sample yet */

/* Adds a sample.  False: out of memory, after a message. */
bool summary_add(struct summary **summary, const struct counting *counting, bool together, const struct peaks *peaks);
/* As JSON lines, or else as a table.  NULL is fine. */
void summary_print(const struct summary *summary, const struct counting *counting, enum format format,
		   struct output *out);
void summary_free(struct summary *summary); /* NULL is fine */

#endif
