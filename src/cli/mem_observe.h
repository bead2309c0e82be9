/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derives reads and writes of a channel from what other programs happen to count there. */
#ifndef UNC_CLI_MEM_OBSERVE_H
#define UNC_CLI_MEM_OBSERVE_H

#include "uncore.h"

enum mem_event { /* the events that give reads or writes, in the order in which they are added */
		 MEM_RD,
		 MEM_RD_REG,
		 MEM_RD_UNDERFILL,
		 MEM_WR,
		 MEM_WR_WMM,
		 MEM_WR_RMM,
		 MEM_ALL,
		 MEM_EVENTS,
};

/* Adds these events to a session that only observes; every part whose channels are known has them.  Errors as unc_session_add(). */
int mem_observe_add(struct unc_session *session, struct unc_box *box, size_t *ret_n);
/* counts: those of one channel, MEM_EVENTS of them. */
void mem_observe_counts(const struct unc_count *counts, struct unc_count *ret_read, struct unc_count *ret_write);

#endif
