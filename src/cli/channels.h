/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory channels that are counted, in the order socket, iMC, channel, and what they are summed up to. */
#ifndef UNC_CLI_CHANNELS_H
#define UNC_CLI_CHANNELS_H

#include "uncore.h"

struct channel {
	struct unc_box *box; /* the machine's */
	struct unc_box_info info;
	char label[24];     /* in a table, below its socket */
	bool counted;       /* in the session; else it is missing */
	size_t first_count; /* number of the first of its counts */
};

struct channel_group { /* neighbours: of one iMC, one socket, or all */
	size_t first, end;
	char label[24];
};

struct channels {
	struct channel *list; /* owned */
	size_t n;
	size_t n_counts;                      /* of all */
	struct channel_group *imcs, *sockets; /* owned */
	size_t n_imcs, n_sockets;
	struct channel_group total;
};

/* Adds the events of one channel to the session; how many, in *ret_n. */
typedef int channel_add_fn(void *arg, struct unc_box *box, size_t *ret_n);

/*
 * Those of the machine whose name matches one of patterns (with * and ?, joined by commas; NULL: all).  Each that is there gets
 * its events by add(arg, ...).  What is absent is not in the list, and said once.
 * UNC_ENODEV: none matches, or none is there; UNC_EPERM: the operating system does not let us at one; as add() fails.
 */
int channels_open(struct unc_ctx *ctx, struct unc_machine *machine, const char *patterns, channel_add_fn *add,
		  void *arg, struct channels *ret_channels);
void channels_clear(struct channels *channels);

#endif
