/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the channels count of traffic that is made on purpose.  For one node after the other: quiet, loads, non-temporal stores,
 * plain stores, quiet again; in each of these phases all channels of the machine are read several times.  This is measured once for
 * all checks of the theme.
 */
#ifndef UNC_CHECK_TRAFFIC_H
#define UNC_CHECK_TRAFFIC_H

#include "check/window.h"

/* ---- traffic that is made: from which CPUs to which memory, and how much of it (check/traffic_measure.c) ---- */

enum { UNC_STREAM_CPUS = 2 };

struct unc_stream_node { /* a node of memory, and the CPUs next to it */
	unsigned node;   /* the number that Linux gives it */
	unsigned socket;
	unsigned cpus[UNC_STREAM_CPUS]; /* the first CPUs that are online */
	size_t n_cpus;
	bool shared;       /* other sockets have CPUs next to the same memory, as far as known */
	uint64_t l3_bytes; /* size of one L3; a safe guess if CPUID does not report it */
	/*
	 * The largest share of loads and stores to buffers that may hit in an L3, 0 to 1: an adaptive one (from Ivy Bridge on) keeps a
	 * part of a buffer that passes again and again, at most as much as it can hold.
	 */
	double found;
};

/*
 * The nodes that have CPUs online, by socket and number; with sub-NUMA clustering a socket has several.  The caller frees
 * *ret_nodes with free().  UNC_ENODATA: this machine does not report them; other errors are those of the host's cpus().
 */
int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n);
/* Does that node have CPUs of more than one socket? */
bool unc_stream_is_shared(const struct unc_host_cpu *cpus, size_t n, unsigned node);
/*
 * Calls unc_traffic_start() for the CPUs of the node: bytes_per_s is the rate of all together, and the buffers are so large that no
 * L3 can hold a considerable part.
 */
int unc_stream_start(struct unc_check *c, const struct unc_stream_node *node, enum unc_traffic_kind kind,
		     uint64_t bytes_per_s);

/* ---- what is measured ---- */

/* Plain stores are last: the lines that they leave in a cache are written when later ones push them out. */
enum unc_phase {
	UNC_PHASE_BEFORE,
	UNC_PHASE_LOADS,
	UNC_PHASE_NT_STORES,
	UNC_PHASE_STORES,
	UNC_PHASE_AFTER,
	UNC_PHASES,
	UNC_PHASE_FIRST = UNC_PHASE_LOADS,
	UNC_PHASE_LAST = UNC_PHASE_STORES,
};

enum unc_way { UNC_WAY_READ, UNC_WAY_WRITE, UNC_WAYS };

/* What is read or written in a phase in which traffic is made: phase UNC_PHASE_FIRST + flow / UNC_WAYS, way flow % UNC_WAYS. */
enum unc_flow {
	UNC_LOADS_READ,
	UNC_LOADS_WRITTEN,
	UNC_NT_STORES_READ,
	UNC_NT_STORES_WRITTEN,
	UNC_STORES_READ,
	UNC_STORES_WRITTEN,
	UNC_FLOWS,
};

struct unc_traffic_point { /* the counters of a channel, in one look */
	uint64_t counts[UNC_WAYS], ns[UNC_WAYS];
	uint64_t on_ns[UNC_WAYS]; /* grows while it is counted, always or in its turns */
	uint64_t clock;
};
struct unc_traffic_look {
	struct unc_traffic_done before, after; /* what was made before the first channel was read, and after the last */
	struct unc_traffic_point *points;      /* one for each of unc_check_traffic.channels */
};

enum unc_side { UNC_SIDE_FEWER = 1, UNC_SIDE_MORE = 2 };

struct unc_traffic_run { /* one for each node */
	struct unc_stream_node node;
	char why[UNC_MSG_MAX];            /* why no traffic could be made there; "": it could */
	struct unc_traffic_look *looks;   /* n_looks for each phase; owned */
	struct unc_traffic_point *points; /* points of all looks; owned */
	/*
	 * The side to which the counts were wrong each time: in this socket, of its channels, and of the fabric beside them;
	 * always_elsewhere: other sockets counted some, too.
	 */
	enum unc_side always[2][UNC_FLOWS];
	bool always_elsewhere;
};

enum { UNC_TRAFFIC_PARTS = 2 }; /* of a channel, where its halves are counted one by one */
struct unc_traffic_channel {
	const struct unc_box *box; /* which has its name: its own, or the data fabric beside it */
	struct unc_window *w;      /* in whose counters it is counted: its own, or those of the data fabric */
	bool beside;               /* it has counters of its own, and here the data fabric counts for it as well */
	const struct unc_event *events[UNC_WAYS][UNC_TRAFFIC_PARTS];
	unsigned slots[UNC_WAYS][UNC_TRAFFIC_PARTS], n_slots[UNC_WAYS];
	unsigned clock_slot;    /* UNC_PMON_SLOTS: there is none */
	double bytes[UNC_WAYS]; /* bytes per count */
	/* A fabric has fewer counters than events, so that a channel is counted in one of n_turns turns. */
	unsigned turn, n_turns;
	struct unc_traffic_point from,
		last; /* counters when its turn began; what was to be expected at the last look */
};

struct unc_check_traffic {
	char why[UNC_MSG_MAX];                /* why no traffic can be made; "": it can */
	size_t n_looks;                       /* looks in a phase: one more than there are windows */
	uint64_t look_ns;                     /* the shortest duration of a look */
	struct unc_windows ws;                /* the boxes: in are those that are counted */
	struct unc_traffic_channel *channels; /* of them, in the same order; owned */
	size_t n_channels;
	bool *was_right;              /* of each box: it counted kinds as it should at least once; owned */
	unsigned turn, n_turns;       /* turn: one more after each look */
	const char *doubted[2];       /* an event of a fabric that the map doubts; [1]: beside other counters */
	bool together;                /* what is read and written is counted together, as if it was read */
	struct unc_traffic_run *runs; /* owned */
	size_t n_runs;
};

/* check/traffic_mesh.c */
extern const struct unc_windows_def unc_check_mesh;

/*
 * check/traffic_measure.c: measures, on the first call only.  If no traffic can be made the check is skipped.  Not 0: the run ends.
 */
int unc_traffic_measure(struct unc_check *c);
struct unc_traffic_look *unc_traffic_look_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					     enum unc_phase phase, size_t i);

/* Does the socket have a channel that carries a part of its traffic and is not counted?  Then ret_why has the reason. */
bool unc_traffic_lacks(const struct unc_check *c, unsigned socket, char ret_why[UNC_MSG_MAX]);

/* ---- repeated measurements (check/traffic.c) ---- */

/* Is everything as expected in measurement nth, from 0?  The run keeps what was wrong each time. */
bool unc_traffic_is_credible(const struct unc_check *c, struct unc_traffic_run *run, unsigned nth);
/* Does other traffic vary so much in a phase that no result is possible? */
bool unc_traffic_drowns(const struct unc_check *c, const struct unc_traffic_run *run);

/* Called after each measurement of a node: notes for each channel of its socket whether it counted kinds as it should. */
void unc_traffic_note_kinds(struct unc_check *c, const struct unc_traffic_run *run);

#endif
