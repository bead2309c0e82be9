/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory channels that are counted, in the order socket, iMC, channel, and the groups of which sums are formed. */
#ifndef UNC_CLI_CHANNELS_H
#define UNC_CLI_CHANNELS_H

#include "base/nearest.h"
#include "uncore.h"

struct channel {
	struct unc_box *box; /* owned by the machine */
	struct unc_box_info info;
	char label[24];     /* its name in a table, below its socket */
	bool counted;       /* it is in the session; if not it is missing */
	bool has_pmem;      /* Optane modules are installed */
	size_t first_count; /* index of the first of its counts */
	int node;           /* NUMA, after channels_find_nodes() */
};

struct channel_group { /* adjacent channels: of one iMC, one NUMA node, one socket, or all; of DIMMs or of HBM */
	size_t first, end;
	char label[24];
	char box[24]; /* "socket0.imc1", "node0", "socket0", "machine" */
};

struct channels {
	struct channel *list; /* owned */
	size_t n;
	size_t n_counts;                              /* counts of all channels */
	struct channel_group *imcs, *nodes, *sockets; /* owned */
	size_t n_imcs, n_nodes, n_sockets;            /* nodes after channels_find_nodes() */
	struct channel_group totals[2]; /* of DIMMs, or of HBM in the package; of both the first, then the second */
	size_t n_totals;
};

/* Adds the events of one channel to the session; *ret_n: how many. */
typedef int channel_add_fn(void *arg, struct unc_box *box, size_t *ret_n);

/*
 * Finds the machine's channels (boxes of this unit, "imc") whose name matches one of patterns (with * and ?, joined by commas; NULL: all).  Each that is
 * present gets its events by add(arg, ...).  Absent channels are not in the list, and are reported once.  UNC_ENODEV: none matches,
 * or none is present; UNC_EPERM: the operating system denies access to one; other errors are those of add().
 */
int channels_open(struct unc_ctx *ctx, struct unc_machine *machine, const char *unit, const char *patterns,
		  channel_add_fn *add, void *arg, struct channels *ret_channels);
/* Finds the NUMA node of each channel.  UNC_ENOSUP: that of one of them is not known; UNC_ENODATA, UNC_ENOMEM. */
int channels_find_nodes(struct unc_ctx *ctx, struct unc_machine *machine, struct channels *channels);
void channels_clear(struct channels *channels);

/* Does a name match one of the patterns of --box, joined by commas?  NULL matches every name. */
bool box_is_chosen(const char *patterns, const char *name);
/* The name of box i; NULL: there are no more. */
typedef const char *box_name_fn(const void *arg, size_t i);
/* UNC_ENODEV: one of the patterns matches no box.  The sentence has the nearest; kind: "box"; list: the command that shows them. */
int boxes_check(struct unc_ctx *ctx, const char *patterns, const char *kind, const char *list, box_name_fn *name,
		const void *arg);
/* The boxes nearest to a name, as unc_nearest_text(). */
const char *boxes_nearest(struct unc_machine *machine, const char *name, char buf[UNC_NEAREST_TEXT]);

/* The title of the column that tells where boxes are: "PCI", or of those in memory "address", or in MSRs "CPU". */
const char *place_title(const struct unc_machine *machine);

/* ---- boxes that no socket has ---- */

/* They are reported once per place, not once per socket, and in one sentence, since this is normal on many parts. */
struct absent {           /* all zeros: none yet */
	char places[400]; /* "imc0.ch2, imc0.ch3" */
	unsigned n;
	bool in_msrs; /* of AMD */
};

/* True: the box is absent, and was noted. */
bool absent_add(struct absent *absent, const struct unc_box_info *info);
/* Prints the sentence, if any box was noted. */
void absent_say(const struct absent *absent);

#endif
