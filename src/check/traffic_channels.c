// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of channels: does each count reads as reads and writes as writes, and does each get its share? */
#include "base/text.h"
#include "check/traffic.h"

struct got { /* what a channel counted of all traffic with the nodes of its socket */
	struct unc_traffic_more more[UNC_FLOWS];
	double bytes, noise; /* the sum of all flows */
};

static void add(const struct unc_check *c, const struct unc_traffic_run *run, size_t channel, struct got *all)
{
	const struct unc_traffic_of of = {.c = c, .one = true, .channel = channel};

	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++) {
		struct unc_traffic_more more = unc_traffic_more(&of, run, flow);

		all->more[flow].bytes += more.bytes;
		all->more[flow].noise += more.noise;
		all->bytes += more.bytes;
		all->noise += more.noise;
	}
}

static struct got got(const struct unc_check *c, size_t channel)
{
	struct got all = {0};

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		if (run->node.socket == c->boxes[channel].box->socket && !run->why[0])
			add(c, run, channel, &all);
	}
	return all;
}

/* What the memory of a socket moved for all that was made. */
static double made(const struct unc_check *c, unsigned socket)
{
	double bytes = 0;

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		for (enum unc_flow flow = 0; flow < UNC_FLOWS && run->node.socket == socket && !run->why[0]; flow++)
			bytes += unc_traffic_made(c->traffic, run, flow).least;
	}
	return bytes;
}

/* A share below this counts as nothing: it may be an error of a few counts, or of the time of a read. */
static const double hardly = 0.001;

/* Returns why there is no result for a channel; NULL: there is one. */
static const char *no_traffic(const struct unc_check *c, unsigned socket)
{
	const char *why = "no CPU that is online is known to be in its socket";

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		if (run->node.socket != socket)
			continue;
		if (!run->why[0])
			return NULL;
		why = run->why;
	}
	return why;
}

/* ---- kinds ---- */

static bool is_other(const struct got *all, enum unc_flow flow)
{
	struct unc_traffic_more is = all->more[flow], other = all->more[flow ^ 1];

	return other.bytes > unc_traffic_other_kind * is.bytes + other.noise + is.noise;
}

static bool is_uneven(const struct got *all)
{
	struct unc_traffic_more read = all->more[UNC_STORES_READ], written = all->more[UNC_STORES_WRITTEN];
	double off = read.bytes - written.bytes, most = read.bytes > written.bytes ? read.bytes : written.bytes;

	return (off < 0 ? -off : off) > unc_traffic_other_kind * most + read.noise + written.noise;
}

static bool is_wrong(const struct got *all)
{
	return is_other(all, UNC_LOADS_READ) || is_other(all, UNC_NT_STORES_WRITTEN) || is_uneven(all);
}

void unc_traffic_note_kinds(struct unc_check *c, const struct unc_traffic_run *run)
{
	for (size_t i = 0; i < c->n_boxes; i++) {
		struct got all = {0};

		if (c->boxes[i].box->socket != run->node.socket || !c->traffic->channels[i].counted)
			continue;
		add(c, run, i, &all);
		c->traffic->channels[i].was_right |= all.bytes > all.noise && !is_wrong(&all);
	}
}

static void report_kinds(struct unc_check *c, const struct got *all)
{
	static const enum unc_flow alone[] = {UNC_LOADS_READ, UNC_NT_STORES_WRITTEN};
	double mb[UNC_FLOWS];

	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++)
		mb[flow] = unc_traffic_mb(all->more[flow].bytes);
	for (unsigned i = 0; i < 2; i++)
		if (is_other(all, alone[i]))
			unc_check_fail(c,
				       "of %s it counted %.2f MB as %s, and %.2f MB as %s, where none were to be "
				       "expected",
				       unc_flow_phase(alone[i]), mb[alone[i]], unc_flow_way(alone[i]), mb[alone[i] ^ 1],
				       unc_flow_way(alone[i] ^ 1));
	if (is_uneven(all))
		unc_check_fail(c,
			       "of stores it counted %.2f MB as read and %.2f MB as written, where both were to be the "
			       "same: each line is read to be owned, and written later",
			       mb[UNC_STORES_READ], mb[UNC_STORES_WRITTEN]);
	unc_check_pass(
		c,
		"MB read and written: %.2f and %.2f of loads, %.2f and %.2f of non-temporal stores, %.2f and %.2f "
		"of stores",
		mb[UNC_LOADS_READ], mb[UNC_LOADS_WRITTEN], mb[UNC_NT_STORES_READ], mb[UNC_NT_STORES_WRITTEN],
		mb[UNC_STORES_READ], mb[UNC_STORES_WRITTEN]);
}

void unc_traffic_kinds(struct unc_check *c, size_t channel)
{
	const struct unc_traffic_channel *own = &c->traffic->channels[channel];
	unsigned socket = c->boxes[channel].box->socket;
	const char *why = no_traffic(c, socket);
	struct got all;

	if (!unc_check_begin_box(c, &c->boxes[channel], false))
		return;
	if (!own->counted || why) {
		unc_check_say(c, own->counted ? UNC_CHECK_SKIP : UNC_CHECK_FAIL, "%s", own->counted ? why : own->why);
		return;
	}
	all = got(c, channel);
	if (all.bytes <= all.noise + hardly * made(c, socket))
		unc_check_skip(c, "none of the traffic that was made came here");
	else if (is_wrong(&all) && own->was_right)
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

	if (c->boxes[channel].box->socket != socket || !c->traffic->channels[channel].counted)
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
static bool report_share(struct unc_check *c, size_t channel, double bytes, unsigned n, char *text, size_t size)
{
	const char *name = c->boxes[channel].box->name;
	struct got is = got(c, channel);
	double share = bytes > 0 ? is.bytes / bytes : 0, off = share * n - 1;
	double noise = bytes > 0 ? is.noise / bytes * n : 0;

	unc_text_join(text, size, ", ", "%s %.1f %%", name, 100 * share);
	if (noise < telling && share * n < nothing + noise)
		unc_check_fail(
			c,
			"%s has memory, since it is given commands, and of %.1f MB that were moved with its socket it "
			"counted %.2f MB",
			name, bytes / 1e6, unc_traffic_mb(is.bytes));
	return (off < 0 ? -off : off) <= even + noise;
}

void unc_traffic_interleave(struct unc_check *c, unsigned socket)
{
	char text[UNC_CHECK_TEXT - 100] = "", empty[200] = "", why[UNC_MSG_MAX];
	bool is_even = true;
	double bytes = 0;
	unsigned n = 0; /* channels that have memory */

	if (!unc_traffic_begin_socket(c, socket))
		return;
	for (size_t i = 0; i < c->n_boxes; i++) {
		if (what_is(c, socket, i) != HAS_MEMORY)
			continue;
		bytes += got(c, i).bytes;
		n++;
	}
	if (!n && unc_traffic_lacks(c, socket, why)) {
		unc_check_skip(c, "none of it can be counted: %s", why);
		return;
	}
	if (n && bytes < hardly * made(c, socket)) {
		unc_check_skip(c, "none of the traffic that was made came to its channels; traffic.volume and "
				  "traffic.nodes tell of it");
		return;
	}
	for (size_t i = 0; i < c->n_boxes; i++) {
		const char *name = c->boxes[i].box->name;
		enum part part = what_is(c, socket, i);

		if (part == HAS_MEMORY)
			is_even &= report_share(c, i, bytes, n, text, sizeof(text));
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
