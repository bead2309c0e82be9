/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the channels count of traffic that is made on purpose.  For each node one after the other: quiet, loads, non-temporal stores,
 * plain stores, quiet again; in each of these phases all channels of the machine are looked at several times.  It is measured once for
 * all checks of the theme.
 */
#ifndef UNC_CHECK_TRAFFIC_H
#define UNC_CHECK_TRAFFIC_H

#include "check/drive.h"
#include "check/stream.h"

/* Plain stores last: what they leave in a cache is written when later ones push it out. */
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

struct unc_traffic_point { /* the counters of a channel, at a look */
	uint64_t counts[UNC_WAYS], ns[UNC_WAYS];
	uint64_t clock;
};
struct unc_traffic_look {
	struct unc_traffic_done before,
		after;                    /* what was made before the first channel was read, and behind the last */
	struct unc_traffic_point *points; /* of each channel */
};

enum unc_side { UNC_SIDE_FEWER = 1, UNC_SIDE_MORE = 2 };

struct unc_traffic_run { /* of one node */
	struct unc_stream_node node;
	char why[UNC_MSG_MAX];            /* no traffic could be made there; "": it could */
	struct unc_traffic_look *looks;   /* n_looks of each phase; owned */
	struct unc_traffic_point *points; /* of all looks; owned */
	/* Each time that it was measured it was wrong to that side: here, and besides in other sockets. */
	enum unc_side always[UNC_PHASES][UNC_WAYS];
	bool always_elsewhere;
};

struct unc_traffic_channel { /* in the order of unc_check.boxes */
	bool counted;
	char why[UNC_MSG_MAX]; /* else */
	unsigned slots[UNC_WAYS];
	unsigned clock_slot;    /* UNC_PMON_SLOTS: none */
	double bytes[UNC_WAYS]; /* that a count is worth */
	bool was_right;         /* it counted kinds as it should, once at least */
};

struct unc_check_traffic {
	char why[UNC_MSG_MAX]; /* nobody makes traffic here, or it is not known where; "": somebody does */
	size_t n_looks;        /* of a phase: one more than there are windows */
	uint64_t look_ns;      /* the shortest that a look took */
	struct unc_traffic_channel *channels; /* owned */
	size_t n_channels;
	struct unc_traffic_run *runs; /* owned */
	size_t n_runs;
};

/* check/traffic_measure.c: made when it is first asked for.  Not 0: the run ends. */
int unc_traffic_measure(struct unc_check *c);
struct unc_traffic_look *unc_traffic_look_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					     enum unc_phase phase, size_t i);

/* Is there a channel of that socket that has a part of its traffic and is not counted?  Then why. */
bool unc_traffic_lacks(const struct unc_check *c, unsigned socket, char ret_why[UNC_MSG_MAX]);

/* ---- times (check/traffic_times.c) ---- */

/* Of the nth time, from 0: is all as it was to be?  What was not, each time, is kept in the run. */
bool unc_traffic_is_credible(const struct unc_check *c, struct unc_traffic_run *run, unsigned nth);
/* What there is without varies by so much in a phase that nothing can be told. */
bool unc_traffic_drowns(const struct unc_check *c, const struct unc_traffic_run *run);
/* Was anything wrong each time, and not only now and then? */
bool unc_traffic_is_always_wrong(const struct unc_traffic_run *run);

/* ---- sums (check/traffic_sums.c) ---- */

/* Channels whose counts are added: one, or those of a socket that are counted. */
struct unc_traffic_of {
	const struct unc_check *c;
	bool one;
	size_t channel;
	unsigned socket;
};

/* Bytes that a phase brought above what there was without; negative where there was less. */
struct unc_traffic_more {
	double bytes;
	double noise; /* bytes by which what there is without varies */
};
struct unc_traffic_more unc_traffic_more(const struct unc_traffic_of *of, const struct unc_traffic_run *run,
					 enum unc_phase phase, enum unc_way way);
/* Bytes per second in a window of a phase, the first being 1. */
double unc_traffic_rate(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			size_t window, enum unc_way way);
/* What memory ought to have moved for what was executed while the channels counted: at least, and at most. */
struct unc_traffic_made {
	double least, most;
	double middle; /* where nothing is found in a cache */
};
struct unc_traffic_made unc_traffic_made(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					 enum unc_phase phase, enum unc_way way);

/*
 * Of what is made, this much may be missing or besides: prefetching beyond the ends of a buffer, page tables, refresh of lines that
 * are written only partly, and code and data of those who make it.
 */
extern const double unc_traffic_tolerance;
/* And so much of it may be counted as the other kind. */
extern const double unc_traffic_other_kind;
/* Does what a socket has counted in a phase agree with what was made?  False also where too much else goes on to tell. */
bool unc_traffic_agrees(struct unc_traffic_more more, struct unc_traffic_made made);
bool unc_traffic_is_drowned(struct unc_traffic_more more, struct unc_traffic_made made);

/* What came to the channels of a socket of all that was made with a node, and how much more or less comes without. */
struct unc_traffic_went {
	double made, here, noise;
};
struct unc_traffic_went unc_traffic_went(const struct unc_check *c, const struct unc_traffic_run *run, unsigned socket);
/* More than may come to another socket? */
bool unc_traffic_went_astray(const struct unc_traffic_went *went);
bool unc_traffic_strays(const struct unc_check *c, const struct unc_traffic_run *run, unsigned socket);

extern const char *const unc_phase_names[UNC_PHASES], *const unc_way_names[UNC_WAYS];

/* In MB, without the minus of a nothing. */
double unc_traffic_mb(double bytes);

/* ---- checks ---- */

/* Begins the result "socket1".  False: no traffic could be made there, and it is skipped with the reason. */
bool unc_traffic_begin_socket(struct unc_check *c, unsigned socket);
/* Measures; true: the check goes on, else everything is told. */
bool unc_traffic_ready(struct unc_check *c, int *ret_rc);

/* check/traffic_channels.c */
/* Of each channel of the node's socket, after each time: did it count kinds as it should? */
void unc_traffic_note_kinds(struct unc_check *c, const struct unc_traffic_run *run);
int unc_traffic_run_kinds(struct unc_check *c);
int unc_traffic_run_interleave(struct unc_check *c);

#endif
