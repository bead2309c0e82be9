// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares what was counted with the traffic that was made; and checks of sockets: is as much counted as is moved, and in the right one? */
#include "check/traffic.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

/* ==== sums ==== */

/*
 * The share of the traffic that may be missing or added: prefetching beyond the ends of a buffer, page tables, refresh of lines
 * that are written only partly, and code and data of the threads that make the traffic.
 */
static const double tolerance = 0.03;

/*
 * Directories in memory are written when lines are read from another socket, page tables are read, and lines that other programs
 * left in a cache are written when ours push them out.
 */
const double unc_traffic_other_kind = 0.1;

/* If the other traffic varies by a larger share than this, there is no result. */
static const double drowned_share = 0.25;

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

/* Bytes per second in a window of a phase, counted from 1. */
static double rate_of_window(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
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
			double off = rate_of_window(of, run, quiet[i], window, way) - mean;

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

/* Does what a socket has counted in a phase agree with what was made?  Also false if too much other traffic goes on. */
static bool agrees(struct unc_traffic_more more, struct unc_traffic_made made)
{
	double less = made.least * (1 - tolerance), above = made.most * (1 + tolerance);

	/* Loads write nothing; traffic.kinds judges how much is written all the same. */
	return made.most <= 0 || (more.bytes >= less - more.noise && more.bytes <= above + more.noise);
}

static bool is_drowned(struct unc_traffic_more more, struct unc_traffic_made made)
{
	return more.noise > drowned_share * made.least;
}

static struct unc_traffic_went bytes_that_went(const struct unc_check *c, const struct unc_traffic_run *run,
					       unsigned socket)
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

/* Is it more than may reach another socket? */
static bool went_astray(const struct unc_traffic_went *went)
{
	return went->noise <= drowned_share * went->made && went->here > astray * went->made + went->noise;
}

static bool strays(const struct unc_check *c, const struct unc_traffic_run *run, unsigned socket)
{
	struct unc_traffic_went went = bytes_that_went(c, run, socket);

	return went_astray(&went);
}

double unc_traffic_mb(double bytes)
{
	return bytes > -5e3 && bytes < 5e3 ? 0 : bytes / 1e6;
}

/* ==== repeated measurements ==== */

/* A node is measured several times if the counts do not agree: what was wrong each time, and to the same side? */

/* The side to which the bytes of a phase are wrong; 0: they are right. */
static enum unc_side side_of(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			     enum unc_way way)
{
	struct unc_traffic_more more = unc_traffic_more(of, run, phase, way);
	struct unc_traffic_made made = unc_traffic_made(of->c->traffic, run, phase, way),
				other = unc_traffic_made(of->c->traffic, run, phase, !way);

	if (made.most <= 0)
		return more.bytes > unc_traffic_other_kind * other.most + more.noise ? UNC_SIDE_MORE : 0;
	if (agrees(more, made))
		return 0;
	return more.bytes < made.least ? UNC_SIDE_FEWER : UNC_SIDE_MORE;
}

static bool is_elsewhere(const struct unc_check *c, const struct unc_traffic_run *run)
{
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket != run->node.socket && strays(c, run, c->boxes[i].box->socket))
			return true;
	return false;
}

bool unc_traffic_is_credible(const struct unc_check *c, struct unc_traffic_run *run, unsigned nth)
{
	const struct unc_traffic_of of = {.c = c, .socket = run->node.socket};
	bool elsewhere = is_elsewhere(c, run), good = !elsewhere;
	char why[UNC_MSG_MAX];

	run->always_elsewhere = elsewhere && (nth == 0 || run->always_elsewhere);
	if (unc_traffic_lacks(c, run->node.socket, why))
		return good; /* no check judges the rest */
	for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
		for (unsigned way = 0; way < UNC_WAYS; way++) {
			enum unc_side side = side_of(&of, run, phase, way);

			run->always[phase][way] = nth == 0 || run->always[phase][way] == side ? side : 0;
			good &= !side;
		}
	return good;
}

bool unc_traffic_drowns(const struct unc_check *c, const struct unc_traffic_run *run)
{
	const struct unc_traffic_of of = {.c = c, .socket = run->node.socket};
	bool drowned = false;

	for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
		for (unsigned way = 0; way < UNC_WAYS; way++) {
			struct unc_traffic_made made = unc_traffic_made(c->traffic, run, phase, way);

			drowned |= made.most > 0 && is_drowned(unc_traffic_more(&of, run, phase, way), made);
		}
	return drowned;
}

bool unc_traffic_is_always_wrong(const struct unc_traffic_run *run)
{
	bool always = run->always_elsewhere;

	for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
		for (unsigned way = 0; way < UNC_WAYS; way++)
			always |= run->always[phase][way] != 0;
	return always;
}

/* ==== traffic.volume and traffic.nodes ==== */

bool unc_traffic_ready(struct unc_check *c, int *ret_rc)
{
	*ret_rc = unc_traffic_measure(c);
	if (*ret_rc < 0)
		return false;
	if (c->traffic->why[0])
		unc_check_skip_all(c, "%s", c->traffic->why);
	return !c->traffic->why[0];
}

bool unc_traffic_begin_socket(struct unc_check *c, unsigned socket)
{
	const char *why = NULL;
	bool any = false;

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		if (run->node.socket != socket)
			continue;
		any = true;
		why = run->why[0] ? run->why : why;
	}
	unc_check_begin_socket(c, socket);
	if (!any)
		unc_check_skip(c,
			       "no CPU that is online is known to be in that socket, and others would come from afar");
	else if (why)
		unc_check_skip(c, "%s", why);
	return any && !why;
}

/* Was some of the socket's traffic counted in another socket each time that it was measured? */
static bool always_elsewhere(const struct unc_check *c, unsigned socket)
{
	bool always = false;

	for (size_t i = 0; i < c->traffic->n_runs; i++)
		always |= c->traffic->runs[i].node.socket == socket && c->traffic->runs[i].always_elsewhere;
	return always;
}

int unc_traffic_each_socket(struct unc_check *c, void (*report)(struct unc_check *c, unsigned socket))
{
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(c, sockets);
	int rc;

	if (!unc_traffic_ready(c, &rc))
		return rc;
	for (size_t i = 0; i < n; i++)
		report(c, sockets[i]);
	return UNC_OK;
}

/* ---- volume ---- */

static double share(double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	return percent > -0.05 && percent < 0 ? 0 : percent;
}

/* Appends to the sentence of the pass: "loads: 80.1 MB read of 80.0". */
static void add_volume(char *text, size_t size, enum unc_phase phase, enum unc_way way, struct unc_traffic_more more,
		       struct unc_traffic_made made)
{
	unc_text_join(text, size, "; ", "%s: %.2f MB %s of %.2f (%.2f %%)", unc_phase_names[phase], more.bytes / 1e6,
		      unc_way_names[way], made.middle / 1e6, share(more.bytes, made.middle));
}

static void wrong_volume(struct unc_check *c, const struct unc_traffic_run *run, enum unc_phase phase, enum unc_way way)
{
	const struct unc_traffic_of of = {.c = c, .socket = run->node.socket};
	struct unc_traffic_more more = unc_traffic_more(&of, run, phase, way);
	struct unc_traffic_made made = unc_traffic_made(c->traffic, run, phase, way);

	unc_check_fail(c,
		       "%s with node %u: %.2f MB were %s, and %.2f to %.2f MB were to be expected (allowed besides: "
		       "%.0f %%, and "
		       "%.2f MB by which it varies without them)",
		       unc_phase_names[phase], run->node.node, unc_traffic_mb(more.bytes), unc_way_names[way],
		       made.least / 1e6, made.most / 1e6, 100 * tolerance, more.noise / 1e6);
}

/* Returns whether too much other traffic goes on there. */
static bool report_volume(struct unc_check *c, const struct unc_traffic_run *run, char *text, size_t size)
{
	bool drowned = false;

	const struct unc_traffic_of of = {.c = c, .socket = run->node.socket};

	for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
		for (unsigned way = 0; way < UNC_WAYS; way++) {
			struct unc_traffic_more more = unc_traffic_more(&of, run, phase, way);
			struct unc_traffic_made made = unc_traffic_made(c->traffic, run, phase, way);

			if (made.most <= 0)
				continue;
			add_volume(text, size, phase, way, more, made);
			drowned |= is_drowned(more, made);
			if (!agrees(more, made))
				wrong_volume(c, run, phase, way);
		}
	return drowned;
}

static void plot_channel(struct unc_check *c, const struct unc_traffic_run *run, size_t channel)
{
	const struct unc_traffic_of of = {.c = c, .one = true, .channel = channel};
	const struct unc_check_traffic *t = c->traffic;
	uint64_t begin_ns = unc_traffic_look_of(t, run, UNC_PHASE_BEFORE, 0)->points[channel].ns[UNC_WAY_READ];
	char title[100];

	snprintf(title, sizeof(title), "%s: read and written, with node %u", c->boxes[channel].box->name,
		 run->node.node);
	unc_check_begin_plot(c, &(struct unc_check_plot_of){.title = title, .x_unit = "ms", .y_unit = "GB/s"});
	for (unsigned phase = 0; phase < UNC_PHASES; phase++)
		for (size_t i = 1; i < t->n_looks; i++) {
			double y = (rate_of_window(&of, run, phase, i, UNC_WAY_READ) +
				    rate_of_window(&of, run, phase, i, UNC_WAY_WRITE)) /
				   1e9;

			for (size_t k = i - 1; k <= i; k++) {
				const struct unc_traffic_look *look = unc_traffic_look_of(t, run, phase, k);

				unc_check_point(c, (double)(look->points[channel].ns[UNC_WAY_READ] - begin_ns) / 1e6,
						y);
			}
		}
}

static void volume_of_socket(struct unc_check *c, unsigned socket)
{
	char text[UNC_CHECK_TEXT] = "";
	bool whole = unc_traffic_begin_socket(c, socket), drowned = false;
	char why[UNC_MSG_MAX];

	if (whole && unc_traffic_lacks(c, socket, why)) {
		unc_check_skip(c, "not all of it can be counted: %s", why);
		whole = false;
	}
	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		if (run->node.socket != socket || run->why[0])
			continue;
		for (size_t k = 0; k < c->n_boxes; k++)
			if (c->boxes[k].box->socket == socket && c->traffic->channels[k].counted)
				plot_channel(c, run, k);
		if (!whole)
			continue;
		drowned |= report_volume(c, run, text, sizeof(text));
	}
	if (drowned)
		unc_check_skip(c, "without any of ours the bytes vary by more than a quarter of it: %s", text);
	else if (whole)
		unc_check_pass(c, "%s", text);
}

static int run_volume(struct unc_check *c)
{
	return unc_traffic_each_socket(c, volume_of_socket);
}

/* ---- nodes ---- */

/* What the channels of socket `to` counted of all traffic that was made in socket `from`. */
static struct unc_traffic_went went(const struct unc_check *c, unsigned from, unsigned to)
{
	struct unc_traffic_went all = {0};

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];
		struct unc_traffic_went one;

		if (run->node.socket != from)
			continue;
		one = bytes_that_went(c, run, to);
		all.made += one.made;
		all.here += one.here;
		all.noise += one.noise;
	}
	return all;
}

static bool counts(const struct unc_check *c, unsigned socket)
{
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket == socket && c->traffic->channels[i].counted)
			return true;
	return false;
}

static void nodes_of_socket(struct unc_check *c, unsigned socket)
{
	char text[UNC_CHECK_TEXT];
	unsigned n_others = 0, sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(c, sockets);
	struct unc_traffic_went own, w;
	int len;

	if (!unc_traffic_begin_socket(c, socket))
		return;
	own = went(c, socket, socket);
	len = snprintf(text, sizeof(text), "of %.1f MB moved with its own memory %.1f %% came to its channels",
		       own.made / 1e6, share(own.here, own.made));
	for (size_t i = 0; i < n; i++) {
		unsigned other = sockets[i];

		if (other == socket || !counts(c, other))
			continue;
		n_others++;
		w = went(c, socket, other);
		if (went_astray(&w) && always_elsewhere(c, socket))
			unc_check_fail(
				c,
				"of %.1f MB that its CPUs moved with its own memory %.1f %% came to socket%u, and "
				"%.1f %% to "
				"its own channels: which of them is which socket?",
				w.made / 1e6, share(w.here, w.made), other, share(own.here, own.made));
		if (len < (int)sizeof(text))
			len += snprintf(text + len, sizeof(text) - (size_t)len, ", %.1f %% to socket%u",
					share(w.here, w.made), other);
	}
	if (n_others)
		unc_check_pass(c, "%s", text);
	else
		unc_check_skip(c, "the channels of no other socket are counted, that could count what is not theirs");
}

static int run_nodes(struct unc_check *c)
{
	return unc_traffic_each_socket(c, nodes_of_socket);
}

/* The first check that is run measures for all. */
static const struct unc_check_def defs[] = {
	{{"traffic.volume",
	  "the channels of a socket count as many bytes as are loaded from its memory and stored there",
	  "327043-001 section 2.5, CAS_COUNT: 64 bytes each",
	  {390, 1690, 5190},
	  .writes = true,
	  .makes_traffic = true},
	 UNC_CHECK_COUNTING,
	 .run = run_volume},
	{{"traffic.kinds",
	  "each channel counts loads as reads, non-temporal stores as writes, and stores as both",
	  "327043-001 section 2.5, CAS_COUNT: RD 0x03, WR 0x0c",
	  {1, 1, 1},
	  .writes = true,
	  .makes_traffic = true},
	 UNC_CHECK_COUNTING,
	 .run = unc_traffic_run_kinds},
	{{"traffic.nodes",
	  "what is moved in one socket is not counted in another",
	  "327043-001 section 2.5; the UBOX tells which socket a bus belongs to",
	  {1, 1, 1},
	  .writes = true,
	  .makes_traffic = true},
	 UNC_CHECK_COUNTING,
	 .run = run_nodes},
	{{"traffic.interleave",
	  "each channel that has memory has a part of what is moved with its socket",
	  "327043-001 section 2.5, CAS_COUNT",
	  {1, 1, 1},
	  .writes = true,
	  .makes_traffic = true},
	 UNC_CHECK_COUNTING,
	 .run = unc_traffic_run_interleave},
};

const struct unc_check_theme unc_check_traffic = {defs, sizeof(defs) / sizeof(defs[0])};
