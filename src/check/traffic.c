// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares what was counted with the traffic that was made; and checks of sockets: is as much counted as is moved, and in the right one? */
#include "check/traffic.h"

#include <math.h>

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
static const double other_kind = 0.1;

/* If the other traffic varies by a larger share than this, there is no result. */
static const double drowned_share = 0.25;

/*
 * The share that may reach another socket: code and data of the threads that make the traffic, and directories of other sockets'
 * lines.
 */
static const double astray = 0.05;

/*
 * The channels whose counts are added: one channel, or all that are counted in one box, or all counted channels of a socket; or what
 * its fabrics count beside them.
 */
struct whose {
	const struct unc_check *c;
	const struct unc_traffic_channel *one; /* NULL: not one */
	const struct unc_window *w;            /* NULL: not of one box */
	unsigned socket;
	bool beside;
};

static bool is_whose(const struct whose *of, const struct unc_traffic_channel *channel)
{
	if (of->one || of->w)
		return of->one ? channel == of->one : channel->w == of->w;
	return channel->box->socket == of->socket && channel->beside == of->beside;
}

/* The bytes of a flow above the other traffic; negative if it had less. */
struct more {
	double bytes;
	double noise; /* bytes by which the other traffic varies */
};

/* What memory should have moved for the instructions that ran while the channels counted: at least, and at most. */
struct made {
	double least, most;
	double middle; /* if nothing hits in a cache */
};

/* The next node of the socket; after NULL: the first.  NULL: there are no more. */
static const struct unc_traffic_run *next_run(const struct unc_check *c, unsigned socket,
					      const struct unc_traffic_run *after)
{
	const struct unc_traffic_run *run = after ? after + 1 : c->traffic->runs;

	while (run < c->traffic->runs + c->traffic->n_runs && run->node.socket != socket)
		run++;
	return run < c->traffic->runs + c->traffic->n_runs ? run : NULL;
}

struct gained { /* the gain of all channels together */
	double bytes, seconds;
};

/* From one look of a phase to another one. */
static struct gained gained(const struct whose *of, const struct unc_traffic_run *run, enum unc_phase phase,
			    size_t from, size_t to, enum unc_way way)
{
	const struct unc_check_traffic *t = of->c->traffic;
	struct gained sum = {0};
	double ns, on_ns;
	unsigned n = 0;

	for (size_t i = 0; i < t->n_channels; i++) {
		const struct unc_traffic_channel *channel = &t->channels[i];
		const struct unc_traffic_point *a = &unc_traffic_look_of(t, run, phase, from)->points[i],
					       *b = &unc_traffic_look_of(t, run, phase, to)->points[i];

		if (!channel->w->in || !is_whose(of, channel))
			continue;
		ns = (double)(b->ns[way] - a->ns[way]);
		on_ns = (double)(b->on_ns[way] - a->on_ns[way]);
		if (on_ns > 0) /* the turns of others are like its own */
			sum.bytes += (double)unc_drive_gained(channel->w->b, a->counts[way], b->counts[way]) *
				     channel->bytes[way] * ns / on_ns;
		sum.seconds += ns / 1e9;
		n++;
	}
	if (n)
		sum.seconds /= n;
	return sum;
}

/* Bytes per second. */
static double rate(struct gained gained)
{
	return gained.seconds > 0 ? gained.bytes / gained.seconds : 0;
}

static struct more more_of(const struct whose *of, const struct unc_traffic_run *run, enum unc_flow flow)
{
	static const enum unc_phase phases[] = {UNC_PHASE_BEFORE, UNC_PHASE_AFTER};
	enum unc_way way = flow % UNC_WAYS;
	size_t last = of->c->traffic->n_looks - 1, n_turns = of->c->traffic->n_turns;
	struct gained meanwhile = gained(of, run, UNC_PHASE_FIRST + flow / UNC_WAYS, 0, last, way), quiet = {0};
	double most = 0; /* the largest difference of a part of the quiet phases from their mean */

	for (unsigned i = 0; i < 2; i++) {
		struct gained one = gained(of, run, phases[i], 0, last, way);

		quiet.bytes += one.bytes;
		quiet.seconds += one.seconds;
	}
	for (unsigned i = 0; i < 2; i++)
		/* All turns together: channels are not used alike. */
		for (size_t to = n_turns; to <= last; to++) {
			double off = rate(gained(of, run, phases[i], to - n_turns, to, way)) - rate(quiet);

			most = fabs(off) > most ? fabs(off) : most;
		}
	return (struct more){
		.bytes = meanwhile.bytes - rate(quiet) * meanwhile.seconds,
		.noise = most * meanwhile.seconds,
	};
}

/* A plain store reads the line that it changes (it must be owned), and the line is written when it leaves the caches. */
static double moved(const struct unc_traffic_done *from, const struct unc_traffic_done *to, enum unc_way way)
{
	uint64_t loaded = to->loaded_bytes - from->loaded_bytes, stored = to->stored_bytes - from->stored_bytes;
	uint64_t nt_stored = to->nt_stored_bytes - from->nt_stored_bytes;

	return (double)(stored + (way == UNC_WAY_READ ? loaded : nt_stored));
}

static struct made made_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run, enum unc_flow flow)
{
	enum unc_phase phase = UNC_PHASE_FIRST + flow / UNC_WAYS;
	const struct unc_traffic_look *first = unc_traffic_look_of(t, run, phase, 0),
				      *last = unc_traffic_look_of(t, run, phase, t->n_looks - 1);
	/* Hits in the L3 are neither read nor written; non-temporal stores bypass it. */
	double found = phase == UNC_PHASE_NT_STORES ? 0 : run->node.found;
	double least = 0, most = 0;

	for (enum unc_way way = 0; way < UNC_WAYS; way++)
		if (t->together ? flow % UNC_WAYS == UNC_WAY_READ : flow % UNC_WAYS == way) {
			least += moved(&first->after, &last->before, way);
			most += moved(&first->before, &last->after, way);
		}
	return (struct made){.least = least * (1 - found), .most = most, .middle = (least + most) / 2};
}

/* Does what a socket has counted of a flow agree with what was made?  Also false if too much other traffic goes on. */
static bool agrees(struct more more, struct made made)
{
	double less = made.least * (1 - tolerance), above = made.most * (1 + tolerance);

	/* Loads write nothing; traffic.kinds judges how much is written all the same. */
	return made.most <= 0 || (more.bytes >= less - more.noise && more.bytes <= above + more.noise);
}

static bool is_drowned(struct more more, struct made made)
{
	return more.noise > drowned_share * made.least;
}

struct got { /* what channels counted of all traffic that was made with some nodes */
	struct more more[UNC_FLOWS];
	double made, bytes, noise; /* the sums of all flows */
};

static void add(const struct whose *of, const struct unc_traffic_run *run, struct got *all)
{
	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++) {
		struct more more = more_of(of, run, flow);

		all->more[flow].bytes += more.bytes;
		all->more[flow].noise += more.noise;
		all->made += made_of(of->c->traffic, run, flow).middle;
		all->bytes += more.bytes;
		all->noise += more.noise;
	}
}

/* Of the traffic with the nodes of socket `from`. */
static struct got got(const struct whose *of, unsigned from)
{
	struct got all = {0};

	for (const struct unc_traffic_run *run = NULL; (run = next_run(of->c, from, run));)
		if (!run->why[0])
			add(of, run, &all);
	return all;
}

/* Is it more than may reach another socket? */
static bool went_astray(const struct got *all)
{
	return all->noise <= drowned_share * all->made && all->bytes > astray * all->made + all->noise;
}

static double traffic_mb(double bytes)
{
	return bytes > -5e3 && bytes < 5e3 ? 0 : bytes / 1e6;
}

/* ==== repeated measurements ==== */

/* Is it a channel of that socket that is counted, itself or (beside) by the fabric as well? */
static bool is_counted(const struct unc_check *c, size_t channel, unsigned socket, bool beside)
{
	const struct unc_traffic_channel *one = &c->traffic->channels[channel];

	return one->box->socket == socket && one->w->in && one->beside == beside;
}

static bool has_beside(const struct unc_check *c, unsigned socket)
{
	for (size_t i = 0; i < c->traffic->n_channels; i++)
		if (is_counted(c, i, socket, true))
			return true;
	return false;
}

/* A node is measured several times if the counts do not agree: what was wrong each time, and to the same side? */

bool unc_traffic_is_credible(const struct unc_check *c, struct unc_traffic_run *run, unsigned nth)
{
	struct whose of = {.c = c, .socket = run->node.socket};
	bool elsewhere = false, good;
	char why[UNC_MSG_MAX];

	for (size_t i = 0; i < c->n_boxes && !elsewhere; i++) {
		struct got there = {0};

		if (c->boxes[i].box->socket == run->node.socket)
			continue;
		add(&(struct whose){.c = c, .socket = c->boxes[i].box->socket}, run, &there);
		elsewhere = went_astray(&there);
	}
	good = !elsewhere;
	run->always_elsewhere = elsewhere && (nth == 0 || run->always_elsewhere);
	if (unc_traffic_lacks(c, run->node.socket, why))
		return good; /* no check judges the rest */
	for (unsigned i = 0; i < (has_beside(c, of.socket) ? 2 : 1) * UNC_FLOWS; i++) {
		enum unc_flow flow = i % UNC_FLOWS;
		struct made made = made_of(c->traffic, run, flow), other = made_of(c->traffic, run, flow ^ 1);
		enum unc_side side = 0, *always = &run->always[i / UNC_FLOWS][flow]; /* to which the bytes are wrong */
		struct more more;

		of.beside = i >= UNC_FLOWS;
		more = more_of(&of, run, flow);
		if (made.most > 0 && !agrees(more, made))
			side = more.bytes < made.least ? UNC_SIDE_FEWER : UNC_SIDE_MORE;
		else if (made.most <= 0 && more.bytes > other_kind * other.most + more.noise)
			side = UNC_SIDE_MORE;
		*always = nth == 0 || *always == side ? side : 0;
		good &= !side;
	}
	return good;
}

bool unc_traffic_drowns(const struct unc_check *c, const struct unc_traffic_run *run)
{
	const struct whose of = {.c = c, .socket = run->node.socket};
	bool drowned = false;

	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++) {
		struct made made = made_of(c->traffic, run, flow);

		drowned |= made.most > 0 && is_drowned(more_of(&of, run, flow), made);
	}
	return drowned;
}

/* ==== traffic.volume and traffic.nodes ==== */

static const char *flow_phase(enum unc_flow flow)
{
	static const char *const names[] = {"loads", "non-temporal stores", "stores"};

	return names[flow / UNC_WAYS];
}

static const char *flow_way(const struct unc_check *c, enum unc_flow flow)
{
	return c->traffic->together ? "moved" : flow % UNC_WAYS == UNC_WAY_READ ? "read" : "written";
}

/* Why there is no result of a socket; NULL: there is one.  some: it is enough that one of its nodes was measured. */
static const char *no_traffic(const struct unc_check *c, unsigned socket, bool some)
{
	const char *why = "no CPU that is online is known to be in that socket, and others would come from afar";
	unsigned n_good = 0, n_bad = 0;

	for (const struct unc_traffic_run *run = NULL; (run = next_run(c, socket, run));) {
		n_good += !run->why[0];
		n_bad += run->why[0] != '\0';
		why = run->why[0] ? run->why : why;
	}
	return n_good && (some || !n_bad) ? NULL : why;
}

static bool begin_socket(struct unc_check *c, unsigned socket)
{
	const char *why = no_traffic(c, socket, false);

	unc_check_begin_socket(c, socket);
	if (why)
		unc_check_skip(c, "%s", why);
	return !why;
}

/* ---- volume ---- */

static double share(double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	return percent > -0.05 && percent < 0 ? 0 : percent;
}

static void plot_channel(struct unc_check *c, const struct unc_traffic_run *run, size_t channel)
{
	const struct unc_check_traffic *t = c->traffic;
	const struct whose of = {.c = c, .one = &t->channels[channel]};
	uint64_t begin_ns = unc_traffic_look_of(t, run, UNC_PHASE_BEFORE, 0)->points[channel].ns[UNC_WAY_READ];
	char title[100];

	snprintf(title, sizeof(title), "%s: read and written, with node %u", c->traffic->channels[channel].box->name,
		 run->node.node);
	unc_check_begin_plot(c, &(struct unc_check_plot){.title = title, .x_unit = "ms", .y_unit = "GB/s"});
	for (unsigned phase = 0; phase < UNC_PHASES; phase++)
		for (size_t i = 1; i < t->n_looks; i++) {
			double y = rate(gained(&of, run, phase, i - 1, i, UNC_WAY_READ)) +
				   rate(gained(&of, run, phase, i - 1, i, UNC_WAY_WRITE));

			for (size_t k = i - 1; k <= i; k++) {
				uint64_t ns = unc_traffic_look_of(t, run, phase, k)->points[channel].ns[UNC_WAY_READ];

				unc_check_point(c, (double)(ns - begin_ns) / 1e6, y / 1e9);
			}
		}
}

/* Does a socket count otherwise than was made, or is nothing known of it? */
static bool is_off(const struct whose *of)
{
	bool off = false, known = false;

	for (const struct unc_traffic_run *run = NULL; (run = next_run(of->c, of->socket, run));)
		for (enum unc_flow flow = 0; flow < UNC_FLOWS && !run->why[0]; flow++) {
			off |= !agrees(more_of(of, run, flow), made_of(of->c->traffic, run, flow));
			known = true;
		}
	return off || !known;
}

/* What the map doubts, and all sockets do alike, is what silicon does. */
static bool excused(const struct whose *of)
{
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(of->c, sockets);
	bool all = of->c->traffic->doubted[of->beside] != NULL;

	for (size_t i = 0; i < n; i++)
		all &= is_off(&(struct whose){.c = of->c, .socket = sockets[i], .beside = of->beside});
	return all;
}

static void report_flow(struct unc_check *c, const struct whose *of, const struct unc_traffic_run *run,
			enum unc_flow flow)
{
	const char *who = of->beside ? " in the data fabric" : "";
	struct made made = made_of(c->traffic, run, flow);
	struct more more = more_of(of, run, flow);

	if (agrees(more, made))
		return;
	if (excused(of))
		unc_check_tested(c, c->traffic->doubted[of->beside], "of %s the events of all channels counted %.1f %%",
				 flow_phase(flow), share(more.bytes, made.middle));
	else
		unc_check_fail(c,
			       "%s with node %u: %.2f MB were %s%s, and %.2f to %.2f MB were to be expected (allowed "
			       "besides: %.0f %%, and %.2f MB by which it varies without them)",
			       flow_phase(flow), run->node.node, traffic_mb(more.bytes), flow_way(c, flow), who,
			       made.least / 1e6, made.most / 1e6, 100 * tolerance, more.noise / 1e6);
}

static void report_volume(struct unc_check *c, unsigned socket)
{
	const struct whose of = {.c = c, .socket = socket}, fabric = {.c = c, .socket = socket, .beside = true};
	bool whole = begin_socket(c, socket), drowned = false, beside = has_beside(c, socket);
	char text[UNC_CHECK_TEXT] = "", why[UNC_MSG_MAX], also[40] = "";

	if (whole && unc_traffic_lacks(c, socket, why)) {
		unc_check_skip(c, "not all of it can be counted: %s", why);
		whole = false;
	}
	for (const struct unc_traffic_run *run = NULL; (run = next_run(c, socket, run));) {
		if (run->why[0])
			continue;
		for (size_t k = 0; k < c->traffic->n_channels; k++)
			if (is_counted(c, k, socket, false))
				plot_channel(c, run, k);
		for (enum unc_flow flow = 0; flow < UNC_FLOWS && whole; flow++) {
			struct more more = more_of(&of, run, flow);
			struct made made = made_of(c->traffic, run, flow);

			if (made.most <= 0)
				continue;
			if (beside)
				snprintf(also, sizeof(also), ", in the data fabric %.2f %%",
					 share(more_of(&fabric, run, flow).bytes, made.middle));
			unc_text_join(text, sizeof(text), "; ", "%s: %.2f MB %s of %.2f (%.2f %%%s)", flow_phase(flow),
				      more.bytes / 1e6, flow_way(c, flow), made.middle / 1e6,
				      share(more.bytes, made.middle), also);
			drowned |= is_drowned(more, made);
			report_flow(c, &of, run, flow);
			if (beside)
				report_flow(c, &fabric, run, flow);
		}
	}
	if (drowned)
		unc_check_skip(c, "without any of ours the bytes vary by more than a quarter of it: %s", text);
	else if (whole && is_off(&of))
		unc_check_skip(c, "the map doubts what the data fabric counts, and no socket counts all: %s", text);
	else if (whole)
		unc_check_pass(c, "%s", text);
}

/* ---- nodes ---- */

static void report_nodes(struct unc_check *c, unsigned socket)
{
	char text[UNC_CHECK_TEXT] = "";
	unsigned n_others = 0, sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(c, sockets);
	bool always = false; /* some of its traffic was counted in another socket each time that it was measured */
	struct got own;

	if (!begin_socket(c, socket))
		return;
	for (const struct unc_traffic_run *run = NULL; (run = next_run(c, socket, run));)
		always |= run->always_elsewhere;
	own = got(&(struct whose){.c = c, .socket = socket}, socket);
	unc_text_join(text, sizeof(text), "", "of %.1f MB moved with its own memory %.1f %% came to its channels",
		      own.made / 1e6, share(own.bytes, own.made));
	for (size_t i = 0; i < n; i++) {
		unsigned other = sockets[i];
		bool counts = false; /* some of its channels are counted */
		struct got there;

		for (size_t k = 0; k < c->n_boxes; k++)
			counts |= c->boxes[k].box->socket == other && c->traffic->ws.of[k].in;
		if (other == socket || !counts)
			continue;
		n_others++;
		there = got(&(struct whose){.c = c, .socket = other}, socket);
		if (went_astray(&there) && always)
			unc_check_fail(c,
				       "of %.1f MB that its CPUs moved with its own memory %.1f %% came to socket%u, "
				       "and %.1f %% to its own channels: which of them is which socket?",
				       there.made / 1e6, share(there.bytes, there.made), other,
				       share(own.bytes, own.made));
		unc_text_join(text, sizeof(text), ", ", "%.1f %% to socket%u", share(there.bytes, there.made), other);
	}
	if (n_others)
		unc_check_pass(c, "%s", text);
	else
		unc_check_skip(c, "the channels of no other socket are counted, that could count what is not theirs");
}

/* ==== traffic.kinds and traffic.interleave ==== */

/* A share below this counts as nothing: it may be an error of a few counts, or of the time of a read. */
static const double hardly = 0.001;

/* ---- kinds ---- */

static bool is_other(const struct got *all, enum unc_flow flow)
{
	struct more is = all->more[flow], other = all->more[flow ^ 1];

	return other.bytes > other_kind * is.bytes + other.noise + is.noise;
}

static bool is_uneven(const struct got *all)
{
	struct more read = all->more[UNC_STORES_READ], written = all->more[UNC_STORES_WRITTEN];
	double most = read.bytes > written.bytes ? read.bytes : written.bytes;

	return fabs(read.bytes - written.bytes) > other_kind * most + read.noise + written.noise;
}

static bool is_wrong(const struct got *all)
{
	return is_other(all, UNC_LOADS_READ) || is_other(all, UNC_NT_STORES_WRITTEN) || is_uneven(all);
}

void unc_traffic_note_kinds(struct unc_check *c, const struct unc_traffic_run *run)
{
	for (size_t i = 0; i < c->n_boxes; i++) {
		struct got all = {0};

		if (c->boxes[i].box->socket != run->node.socket || !c->traffic->ws.of[i].in)
			continue;
		add(&(struct whose){.c = c, .w = &c->traffic->ws.of[i]}, run, &all);
		c->traffic->was_right[i] |= all.bytes > all.noise && !is_wrong(&all);
	}
}

static void report_kinds(struct unc_check *c, const struct got *all)
{
	static const enum unc_flow alone[] = {UNC_LOADS_READ, UNC_NT_STORES_WRITTEN};
	double mb[UNC_FLOWS];

	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++)
		mb[flow] = traffic_mb(all->more[flow].bytes);
	for (unsigned i = 0; i < 2; i++)
		if (is_other(all, alone[i]))
			unc_check_fail(
				c, "of %s it counted %.2f MB as %s, and %.2f MB as %s, where none were to be expected",
				flow_phase(alone[i]), mb[alone[i]], flow_way(c, alone[i]), mb[alone[i] ^ 1],
				flow_way(c, alone[i] ^ 1));
	if (is_uneven(all))
		unc_check_fail(c,
			       "of stores it counted %.2f MB as read and %.2f MB as written, where both were to be the "
			       "same: each line is read to be owned, and written later",
			       mb[UNC_STORES_READ], mb[UNC_STORES_WRITTEN]);
	unc_check_pass(c,
		       "MB read and written: %.2f and %.2f of loads, %.2f and %.2f of non-temporal stores, %.2f and "
		       "%.2f of stores",
		       mb[UNC_LOADS_READ], mb[UNC_LOADS_WRITTEN], mb[UNC_NT_STORES_READ], mb[UNC_NT_STORES_WRITTEN],
		       mb[UNC_STORES_READ], mb[UNC_STORES_WRITTEN]);
}

/* Of a data fabric all its channels together. */
static void report_kinds_of(struct unc_check *c, size_t i)
{
	const struct unc_window *w = &c->traffic->ws.of[i];
	unsigned socket = c->boxes[i].box->socket;
	const char *why = no_traffic(c, socket, true);
	struct got all;

	if (!unc_check_begin_box(c, &c->boxes[i], false))
		return;
	if (!w->in || why) {
		unc_check_say(c, w->in ? UNC_CHECK_SKIP : UNC_CHECK_FAIL, "%s", w->in ? why : w->why);
		return;
	}
	all = got(&(struct whose){.c = c, .w = w}, socket);
	if (c->traffic->together)
		unc_check_skip(c, "it counts what is read and what is written together");
	else if (all.bytes <= all.noise + hardly * all.made)
		unc_check_skip(c, "none of the traffic that was made came here");
	else if (is_wrong(&all) && c->traffic->was_right[i])
		unc_check_skip(c, "once it counted kinds as it should, and once not: another program uses memory");
	else
		report_kinds(c, &all);
}

/* ---- interleave ---- */

enum part { EMPTY, STANDS, HAS_MEMORY, ELSEWHERE };

/* A channel without DIMMs is given no command, but its clock ticks.  ELSEWHERE: it is not in that socket, or not counted. */
static enum part what_is(const struct unc_check *c, unsigned socket, size_t channel)
{
	bool ticks = c->traffic->channels[channel].clock_slot == UNC_PMON_SLOTS, busy = false;

	if (!is_counted(c, channel, socket, false))
		return ELSEWHERE;
	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];
		const struct unc_traffic_point *first;

		if (run->why[0])
			continue;
		first = &unc_traffic_look_of(c->traffic, run, UNC_PHASE_BEFORE, 0)->points[channel];
		for (unsigned phase = 0; phase < UNC_PHASES; phase++) {
			const struct unc_traffic_point *point =
				&unc_traffic_look_of(c->traffic, run, phase, c->traffic->n_looks - 1)->points[channel];

			ticks |= point->clock != first->clock;
			busy |= point->counts[UNC_WAY_READ] != first->counts[UNC_WAY_READ] ||
				point->counts[UNC_WAY_WRITE] != first->counts[UNC_WAY_WRITE];
		}
	}
	return busy ? HAS_MEMORY : ticks ? EMPTY : STANDS;
}

/*
 * Relative to an even share: below `nothing` it is none, within `even` of it it is even; noise of `telling` or more allows no
 * failure.
 */
static const double nothing = 0.01, even = 0.1, telling = 0.25;

/* Adds the channel's share of the bytes of n channels to the text; returns whether it is even. */
static bool report_share(struct unc_check *c, const struct unc_traffic_channel *channel, double bytes, unsigned n,
			 char *text, size_t size)
{
	const char *name = channel->box->name;
	struct got is = got(&(struct whose){.c = c, .one = channel}, channel->box->socket);
	double share = bytes > 0 ? is.bytes / bytes : 0, off = share * n - 1;
	double noise = bytes > 0 ? is.noise / bytes * n : 0;

	unc_text_join(text, size, ", ", "%s %.1f %%", name, 100 * share);
	if (noise < telling && share * n < nothing + noise)
		unc_check_fail(c,
			       "%s has memory, since it is given commands, and of %.1f MB that were moved with its "
			       "socket it counted %.2f MB",
			       name, bytes / 1e6, traffic_mb(is.bytes));
	return fabs(off) <= even + noise;
}

static void report_interleave(struct unc_check *c, unsigned socket)
{
	char text[UNC_CHECK_TEXT - 100] = "", empty[200] = "", why[UNC_MSG_MAX];
	bool is_even = true;
	struct got all;
	double bytes = 0, made = 0;
	unsigned n = 0; /* channels that have memory */

	if (!begin_socket(c, socket))
		return;
	for (size_t i = 0; i < c->traffic->n_channels; i++) {
		if (what_is(c, socket, i) != HAS_MEMORY)
			continue;
		all = got(&(struct whose){.c = c, .one = &c->traffic->channels[i]}, socket);
		bytes += all.bytes;
		made = all.made;
		n++;
	}
	if (!n && unc_traffic_lacks(c, socket, why)) {
		unc_check_skip(c, "none of it can be counted: %s", why);
		return;
	}
	if (n && bytes < hardly * made) {
		unc_check_skip(c, "none of the traffic that was made came to its channels; traffic.volume and "
				  "traffic.nodes tell of it");
		return;
	}
	for (size_t i = 0; i < c->traffic->n_channels; i++) {
		const char *name = c->traffic->channels[i].box->name;
		enum part part = what_is(c, socket, i);

		if (part == HAS_MEMORY)
			is_even &= report_share(c, &c->traffic->channels[i], bytes, n, text, sizeof(text));
		else if (part == STANDS)
			unc_check_fail(c, "%s counts nothing at all, not even its clock", name);
		else if (part == EMPTY)
			unc_text_join(empty, sizeof(empty), ", ", "%s", name);
	}
	unc_check_pass(c, "%s%s%s%s", text,
		       n < 2     ? ""
		       : is_even ? ": even"
				 : ": not even",
		       empty[0] ? "; empty, since nothing was read or written there: " : "", empty);
}

/* The first check that is run measures for all. */
static const struct unc_check_def defs[] = {
	{UNC_CHECK_COUNTING, .measure = unc_traffic_measure, .socket = report_volume, .msrs = UNC_CHECK_MSRS,
	 .about = {"traffic.volume",
		   "the channels of a socket count as many bytes as are loaded from its memory and stored there",
		   "327043-001 section 2.5, CAS_COUNT: 64 bytes each", .writes = true, .makes_traffic = true,
		   .ms = {390, 1690, 5190}}},
	{UNC_CHECK_COUNTING, .measure = unc_traffic_measure, .box = report_kinds_of, .msrs = UNC_CHECK_MSRS,
	 .about = {"traffic.kinds",
		   "each channel counts loads as reads, non-temporal stores as writes, and stores as both",
		   "327043-001 section 2.5, CAS_COUNT: RD 0x03, WR 0x0c", .writes = true, .makes_traffic = true,
		   .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .measure = unc_traffic_measure, .socket = report_nodes, .msrs = UNC_CHECK_MSRS,
	 .about = {"traffic.nodes", "what is moved in one socket is not counted in another",
		   "327043-001 section 2.5; the UBOX tells which socket a bus belongs to", .writes = true,
		   .makes_traffic = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .measure = unc_traffic_measure, .socket = report_interleave, .msrs = UNC_CHECK_MSRS,
	 .about = {"traffic.interleave", "each channel that has memory has a part of what is moved with its socket",
		   "327043-001 section 2.5, CAS_COUNT", .writes = true, .makes_traffic = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_mesh,
	 .about = {"traffic.mesh", "the mesh sends to a controller about what its channels count of loads and stores",
		   "intel/pcm src/cpucounters.cpp, M2M", .writes = true, .makes_traffic = true, .ms = {20, 40, 160}}},
};

const struct unc_check_theme unc_check_traffic = {defs, sizeof(defs) / sizeof(defs[0])};
