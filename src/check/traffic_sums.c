// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares what was counted with the traffic that is always there and the traffic that was made. */
#include "check/traffic.h"

const double unc_traffic_tolerance = 0.03;

/*
 * Directories in memory are written when lines are read from another socket, page tables are read, and lines that other programs
 * left in a cache are written when ours push them out.
 */
const double unc_traffic_other_kind = 0.1;

/* If the other traffic varies by a larger share than this, there is no result. */
static const double drowned = 0.25;

/*
 * The share that may reach another socket: code and data of the threads that make the traffic, and directories of other sockets'
 * lines.
 */
static const double astray = 0.05;

static bool is_of(const struct unc_traffic_of *of, size_t i)
{
	if (!of->c->traffic->channels[i].counted)
		return false;
	return of->one ? i == of->channel : of->c->boxes[i].box->socket == of->socket;
}

struct gained { /* the gain of all channels together */
	double bytes, seconds;
};

static struct gained gained(const struct unc_traffic_of *of, const struct unc_traffic_look *from,
			    const struct unc_traffic_look *to, enum unc_way way)
{
	struct gained sum = {0};
	unsigned n = 0;

	for (size_t i = 0; i < of->c->n_boxes; i++) {
		const struct unc_traffic_point *a = &from->points[i], *b = &to->points[i];

		if (!is_of(of, i))
			continue;
		sum.bytes += (double)unc_drive_gained(&of->c->boxes[i], a->counts[way], b->counts[way]) *
			     of->c->traffic->channels[i].bytes[way];
		sum.seconds += (double)(b->ns[way] - a->ns[way]) / 1e9;
		n++;
	}
	if (n)
		sum.seconds /= n;
	return sum;
}

static struct gained of_window(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			       size_t window, enum unc_way way)
{
	const struct unc_check_traffic *t = of->c->traffic;

	return gained(of, unc_traffic_look_of(t, run, phase, window - 1), unc_traffic_look_of(t, run, phase, window),
		      way);
}

static struct gained of_phase(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			      enum unc_way way)
{
	const struct unc_check_traffic *t = of->c->traffic;

	return gained(of, unc_traffic_look_of(t, run, phase, 0), unc_traffic_look_of(t, run, phase, t->n_looks - 1),
		      way);
}

static double rate(struct gained gained)
{
	return gained.seconds > 0 ? gained.bytes / gained.seconds : 0;
}

double unc_traffic_rate(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			size_t window, enum unc_way way)
{
	return rate(of_window(of, run, phase, window, way));
}

/* The largest difference of a window of the quiet phases from their mean. */
static double spread(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_way way, double mean)
{
	static const enum unc_phase quiet[] = {UNC_PHASE_BEFORE, UNC_PHASE_AFTER};
	double most = 0;

	for (unsigned i = 0; i < 2; i++)
		for (size_t window = 1; window < of->c->traffic->n_looks; window++) {
			double off = unc_traffic_rate(of, run, quiet[i], window, way) - mean;

			if (off < 0)
				off = -off;
			if (off > most)
				most = off;
		}
	return most;
}

struct unc_traffic_more unc_traffic_more(const struct unc_traffic_of *of, const struct unc_traffic_run *run,
					 enum unc_phase phase, enum unc_way way)
{
	struct gained before = of_phase(of, run, UNC_PHASE_BEFORE, way),
		      after = of_phase(of, run, UNC_PHASE_AFTER, way), meanwhile = of_phase(of, run, phase, way);
	double quiet = rate((struct gained){before.bytes + after.bytes, before.seconds + after.seconds});

	return (struct unc_traffic_more){
		.bytes = meanwhile.bytes - quiet * meanwhile.seconds,
		.noise = spread(of, run, way, quiet) * meanwhile.seconds,
	};
}

/* A plain store reads the line that it changes (it must be owned), and the line is written when it leaves the caches. */
static double moved(const struct unc_traffic_done *from, const struct unc_traffic_done *to, enum unc_way way)
{
	uint64_t loaded = to->loaded_bytes - from->loaded_bytes, stored = to->stored_bytes - from->stored_bytes;
	uint64_t nt_stored = to->nt_stored_bytes - from->nt_stored_bytes;

	return (double)(stored + (way == UNC_WAY_READ ? loaded : nt_stored));
}

struct unc_traffic_made unc_traffic_made(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					 enum unc_phase phase, enum unc_way way)
{
	const struct unc_traffic_look *first = unc_traffic_look_of(t, run, phase, 0),
				      *last = unc_traffic_look_of(t, run, phase, t->n_looks - 1);

	/* Hits in the L3 are neither read nor written; non-temporal stores bypass it. */
	double found = phase == UNC_PHASE_NT_STORES ? 0 : unc_stream_found(&run->node);

	double least = moved(&first->after, &last->before, way), most = moved(&first->before, &last->after, way);

	return (struct unc_traffic_made){.least = least * (1 - found), .most = most, .middle = (least + most) / 2};
}

bool unc_traffic_agrees(struct unc_traffic_more more, struct unc_traffic_made made)
{
	double less = made.least * (1 - unc_traffic_tolerance), above = made.most * (1 + unc_traffic_tolerance);

	/* Loads write nothing; traffic.kinds judges how much is written all the same. */
	return made.most <= 0 || (more.bytes >= less - more.noise && more.bytes <= above + more.noise);
}

bool unc_traffic_is_drowned(struct unc_traffic_more more, struct unc_traffic_made made)
{
	return more.noise > drowned * made.least;
}

struct unc_traffic_went unc_traffic_went(const struct unc_check *c, const struct unc_traffic_run *run, unsigned socket)
{
	const struct unc_traffic_of of = {.c = c, .socket = socket};
	struct unc_traffic_went all = {0};

	for (unsigned n = 0; n < 6; n++) {
		enum unc_phase phase = UNC_PHASE_FIRST + n / UNC_WAYS;
		enum unc_way way = n % UNC_WAYS;
		struct unc_traffic_more more = unc_traffic_more(&of, run, phase, way);
		struct unc_traffic_made made = unc_traffic_made(c->traffic, run, phase, way);

		all.made += made.middle;
		all.here += more.bytes;
		all.noise += more.noise;
	}
	return all;
}

bool unc_traffic_went_astray(const struct unc_traffic_went *went)
{
	return went->noise <= drowned * went->made && went->here > astray * went->made + went->noise;
}

bool unc_traffic_strays(const struct unc_check *c, const struct unc_traffic_run *run, unsigned socket)
{
	struct unc_traffic_went went = unc_traffic_went(c, run, socket);

	return unc_traffic_went_astray(&went);
}

double unc_traffic_mb(double bytes)
{
	return bytes > -5e3 && bytes < 5e3 ? 0 : bytes / 1e6;
}
