// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of channels: does each count reads as reads and writes as writes, and does each get its share? */
#include "base/text.h"
#include "check/traffic.h"

#include <stdio.h>
#include <string.h>

struct got { /* what a channel counted of all traffic with the nodes of its socket */
	struct unc_traffic_more more[UNC_PHASES][UNC_WAYS];
	double bytes, noise; /* the sum of all phases */
};

static void add(const struct unc_check *c, const struct unc_traffic_run *run, size_t channel, struct got *all)
{
	const struct unc_traffic_of of = {.c = c, .one = true, .channel = channel};

	for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
		for (unsigned way = 0; way < UNC_WAYS; way++) {
			struct unc_traffic_more more = unc_traffic_more(&of, run, phase, way);

			all->more[phase][way].bytes += more.bytes;
			all->more[phase][way].noise += more.noise;
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

		if (run->node.socket != socket || run->why[0])
			continue;
		for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST; phase++)
			for (unsigned way = 0; way < UNC_WAYS; way++)
				bytes += unc_traffic_made(c->traffic, run, phase, way).least;
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

static double mb(struct unc_traffic_more more)
{
	return unc_traffic_mb(more.bytes);
}

static bool is_other(const struct got *all, enum unc_phase phase, enum unc_way way)
{
	struct unc_traffic_more is = all->more[phase][way], other = all->more[phase][!way];

	return other.bytes > unc_traffic_other_kind * is.bytes + other.noise + is.noise;
}

static bool is_uneven(const struct got *all)
{
	struct unc_traffic_more read = all->more[UNC_PHASE_STORES][UNC_WAY_READ],
				written = all->more[UNC_PHASE_STORES][UNC_WAY_WRITE];
	double off = read.bytes - written.bytes, most = read.bytes > written.bytes ? read.bytes : written.bytes;

	return (off < 0 ? -off : off) > unc_traffic_other_kind * most + read.noise + written.noise;
}

static bool is_wrong(const struct got *all)
{
	return is_other(all, UNC_PHASE_LOADS, UNC_WAY_READ) || is_other(all, UNC_PHASE_NT_STORES, UNC_WAY_WRITE) ||
	       is_uneven(all);
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

static void report_alone(struct unc_check *c, const struct got *all, enum unc_phase phase, enum unc_way way)
{
	if (is_other(all, phase, way))
		unc_check_fail(c, "of %s it counted %.2f MB as %s, and %.2f MB as %s, where none were to be expected",
			       unc_phase_names[phase], mb(all->more[phase][way]), unc_way_names[way],
			       mb(all->more[phase][!way]), unc_way_names[!way]);
}

static void report_both(struct unc_check *c, const struct got *all)
{
	if (is_uneven(all))
		unc_check_fail(c,
			       "of stores it counted %.2f MB as read and %.2f MB as written, where both were to be the "
			       "same: each line is read to be owned, and written later",
			       mb(all->more[UNC_PHASE_STORES][UNC_WAY_READ]),
			       mb(all->more[UNC_PHASE_STORES][UNC_WAY_WRITE]));
}

static void kinds_of(struct unc_check *c, size_t channel)
{
	const char *why = no_traffic(c, c->boxes[channel].box->socket);
	struct got all;

	if (!unc_check_begin_box(c, &c->boxes[channel], false))
		return;
	if (!c->traffic->channels[channel].counted) {
		unc_check_fail(c, "%s", c->traffic->channels[channel].why);
		return;
	}
	if (why) {
		unc_check_skip(c, "%s", why);
		return;
	}
	all = got(c, channel);
	if (all.bytes <= all.noise + hardly * made(c, c->boxes[channel].box->socket)) {
		unc_check_skip(c, "none of the traffic that was made came here");
		return;
	}
	if (is_wrong(&all) && c->traffic->channels[channel].was_right) {
		unc_check_skip(c, "once it counted kinds as it should, and once not: another program uses memory");
		return;
	}
	report_alone(c, &all, UNC_PHASE_LOADS, UNC_WAY_READ);
	report_alone(c, &all, UNC_PHASE_NT_STORES, UNC_WAY_WRITE);
	report_both(c, &all);
	unc_check_pass(
		c,
		"MB read and written: %.2f and %.2f of loads, %.2f and %.2f of non-temporal stores, %.2f and %.2f "
		"of stores",
		mb(all.more[UNC_PHASE_LOADS][0]), mb(all.more[UNC_PHASE_LOADS][1]),
		mb(all.more[UNC_PHASE_NT_STORES][0]), mb(all.more[UNC_PHASE_NT_STORES][1]),
		mb(all.more[UNC_PHASE_STORES][0]), mb(all.more[UNC_PHASE_STORES][1]));
}

int unc_traffic_run_kinds(struct unc_check *c)
{
	int rc;

	if (!unc_traffic_ready(c, &rc))
		return rc;
	for (size_t i = 0; i < c->n_boxes; i++)
		kinds_of(c, i);
	return UNC_OK;
}

/* ---- interleave ---- */

enum part { EMPTY, STANDS, HAS_MEMORY };

/* A channel without DIMMs is given no command, but its clock ticks. */
static enum part what_is(const struct unc_check *c, size_t channel)
{
	bool ticks = c->traffic->channels[channel].clock_slot == UNC_PMON_SLOTS, busy = false;

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

struct shares {
	double bytes;
	unsigned n; /* channels that have memory */
};

static struct shares add_up(const struct unc_check *c, unsigned socket)
{
	struct shares all = {0};

	for (size_t i = 0; i < c->n_boxes; i++) {
		if (c->boxes[i].box->socket != socket || !c->traffic->channels[i].counted ||
		    what_is(c, i) != HAS_MEMORY)
			continue;
		all.bytes += got(c, i).bytes;
		all.n++;
	}
	return all;
}

/*
 * Relative to an even share: below `nothing` it is none, within `even` of it it is even; noise of `telling` or more allows no
 * failure.
 */
static const double nothing = 0.01, even = 0.1, telling = 0.25;

/* Adds the channel's share to the text; returns whether it is even. */
static bool report_share(struct unc_check *c, size_t channel, const struct shares *all, char *text, size_t size)
{
	const char *name = c->boxes[channel].box->name;
	struct got is = got(c, channel);
	double share = all->bytes > 0 ? is.bytes / all->bytes : 0, off = share * all->n - 1;
	double noise = all->bytes > 0 ? is.noise / all->bytes * all->n : 0;

	unc_text_join(text, size, ", ", "%s %.1f %%", name, 100 * share);
	if (noise < telling && share * all->n < nothing + noise)
		unc_check_fail(
			c,
			"%s has memory, since it is given commands, and of %.1f MB that were moved with its socket it "
			"counted %.2f MB",
			name, all->bytes / 1e6, unc_traffic_mb(is.bytes));
	return (off < 0 ? -off : off) <= even + noise;
}

static void interleave_of(struct unc_check *c, unsigned socket)
{
	struct shares all;
	char text[UNC_CHECK_TEXT - 100] = "", empty[200] = "";
	char why[UNC_MSG_MAX];
	bool is_even = true;

	if (!unc_traffic_begin_socket(c, socket))
		return;
	all = add_up(c, socket);
	if (!all.n && unc_traffic_lacks(c, socket, why)) {
		unc_check_skip(c, "none of it can be counted: %s", why);
		return;
	}
	if (all.n && all.bytes < hardly * made(c, socket)) {
		unc_check_skip(c, "none of the traffic that was made came to its channels; traffic.volume and "
				  "traffic.nodes tell of it");
		return;
	}
	for (size_t i = 0; i < c->n_boxes; i++) {
		const char *name = c->boxes[i].box->name;

		if (c->boxes[i].box->socket != socket || !c->traffic->channels[i].counted)
			continue;
		switch (what_is(c, i)) {
		case HAS_MEMORY:
			is_even &= report_share(c, i, &all, text, sizeof(text));
			break;
		case STANDS:
			unc_check_fail(c, "%s counts nothing at all, not even its clock", name);
			break;
		case EMPTY:
			unc_text_join(empty, sizeof(empty), ", ", "%s", name);
			break;
		}
	}
	unc_check_pass(c, "%s%s%s%s", text,
		       all.n < 2 ? ""
		       : is_even ? ": even"
				 : ": not even",
		       empty[0] ? "; empty, since nothing was read or written there: " : "", empty);
}

int unc_traffic_run_interleave(struct unc_check *c)
{
	return unc_traffic_each_socket(c, interleave_of);
}
