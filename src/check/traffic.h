/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the channels count of traffic that is made on purpose.  For one node after the other: quiet, loads, non-temporal stores,
 * plain stores, quiet again; in each of these phases all channels of the machine are read several times.  This is measured once for
 * all checks of the theme.
 */
#ifndef UNC_CHECK_TRAFFIC_H
#define UNC_CHECK_TRAFFIC_H

#include "check/drive.h"
#include "check/stream.h"
#include "uncore/traffic.h"

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
	uint64_t clock;
};
struct unc_traffic_look {
	struct unc_traffic_done before, after; /* what was made before the first channel was read, and after the last */
	struct unc_traffic_point *points;      /* one for each channel */
};

enum unc_side { UNC_SIDE_FEWER = 1, UNC_SIDE_MORE = 2 };

struct unc_traffic_run { /* one for each node */
	struct unc_stream_node node;
	char why[UNC_MSG_MAX];            /* why no traffic could be made there; "": it could */
	struct unc_traffic_look *looks;   /* n_looks for each phase; owned */
	struct unc_traffic_point *points; /* points of all looks; owned */
	/* The side to which the counts were wrong each time: in this socket; always_elsewhere: other sockets counted some, too. */
	enum unc_side always[UNC_FLOWS];
	bool always_elsewhere;
};

enum { UNC_TRAFFIC_PARTS = 2 }; /* of a channel, where its halves are counted one by one */
struct unc_traffic_channel {    /* in the order of unc_check.boxes */
	bool counted;
	char why[UNC_MSG_MAX]; /* the reason if it is not counted */
	unsigned slots[UNC_WAYS][UNC_TRAFFIC_PARTS], n_slots[UNC_WAYS];
	unsigned clock_slot;    /* UNC_PMON_SLOTS: there is none */
	double bytes[UNC_WAYS]; /* bytes per count */
	bool was_right;         /* it counted kinds as it should at least once */
};

struct unc_check_traffic {
	char why[UNC_MSG_MAX];                /* why no traffic can be made; "": it can */
	size_t n_looks;                       /* looks in a phase: one more than there are windows */
	uint64_t look_ns;                     /* the shortest duration of a look */
	struct unc_traffic_channel *channels; /* owned */
	struct unc_traffic_run *runs;         /* owned */
	size_t n_runs;
};

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

/* ---- sums (check/traffic.c) ---- */

/* The channels whose counts are added: one channel, or all counted channels of a socket. */
struct unc_traffic_of {
	const struct unc_check *c;
	bool one;
	size_t channel;
	unsigned socket;
};

/* The bytes of a flow above the other traffic; negative if it had less. */
struct unc_traffic_more {
	double bytes;
	double noise; /* bytes by which the other traffic varies */
};
struct unc_traffic_more unc_traffic_more(const struct unc_traffic_of *of, const struct unc_traffic_run *run,
					 enum unc_flow flow);
/* What memory should have moved for the instructions that ran while the channels counted: at least, and at most. */
struct unc_traffic_made {
	double least, most;
	double middle; /* if nothing hits in a cache */
};
struct unc_traffic_made unc_traffic_made(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					 enum unc_flow flow);

/* The share of it that may be counted as the other kind. */
extern const double unc_traffic_other_kind;

/* "loads" and "read", for UNC_LOADS_READ. */
const char *unc_flow_phase(enum unc_flow flow);
const char *unc_flow_way(enum unc_flow flow);

/* The bytes in MB; less than 0.005 MB is 0, so that a zero has no minus sign. */
double unc_traffic_mb(double bytes);

/* ---- checks ---- */

/* Begins the result "socket1".  False: no traffic could be made there, and it is skipped with the reason. */
bool unc_traffic_begin_socket(struct unc_check *c, unsigned socket);

/* check/traffic_channels.c */
/* Called after each measurement of a node: notes for each channel of its socket whether it counted kinds as it should. */
void unc_traffic_note_kinds(struct unc_check *c, const struct unc_traffic_run *run);
void unc_traffic_kinds(struct unc_check *c, size_t channel);
void unc_traffic_interleave(struct unc_check *c, unsigned socket);

#endif
