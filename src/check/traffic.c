// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of sockets: is as much counted as is moved, and in the right socket? */
#include "check/traffic.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

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
	char subject[24];
	bool any = false;

	for (size_t i = 0; i < c->traffic->n_runs; i++) {
		const struct unc_traffic_run *run = &c->traffic->runs[i];

		if (run->node.socket != socket)
			continue;
		any = true;
		why = run->why[0] ? run->why : why;
	}
	snprintf(subject, sizeof(subject), "socket%u", socket);
	unc_check_begin(c, subject);
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

/* Visits the sockets of the channels, each once. */
static bool is_first_of_socket(const struct unc_check *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (c->boxes[k].box->socket == c->boxes[i].box->socket)
			return false;
	return true;
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
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s: %.2f MB %s of %.2f (%.2f %%)", len ? "; " : "", unc_phase_names[phase],
		 more.bytes / 1e6, unc_way_names[way], made.middle / 1e6, share(more.bytes, made.middle));
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
		       made.least / 1e6, made.most / 1e6, 100 * unc_traffic_tolerance, more.noise / 1e6);
}

/* Returns whether too much other traffic goes on there. */
static bool judge_volume(struct unc_check *c, const struct unc_traffic_run *run, char *text, size_t size)
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
			drowned |= unc_traffic_is_drowned(more, made);
			if (!unc_traffic_agrees(more, made))
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
			double y = (unc_traffic_rate(&of, run, phase, i, UNC_WAY_READ) +
				    unc_traffic_rate(&of, run, phase, i, UNC_WAY_WRITE)) /
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
		drowned |= judge_volume(c, run, text, sizeof(text));
	}
	if (drowned)
		unc_check_skip(c, "without any of ours the bytes vary by more than a quarter of it: %s", text);
	else if (whole)
		unc_check_pass(c, "%s", text);
}

static int run_volume(struct unc_check *c)
{
	int rc;

	if (!unc_traffic_ready(c, &rc))
		return rc;
	for (size_t i = 0; i < c->n_boxes; i++)
		if (is_first_of_socket(c, i))
			volume_of_socket(c, c->boxes[i].box->socket);
	return UNC_OK;
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
		one = unc_traffic_went(c, run, to);
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
	unsigned n_others = 0;
	struct unc_traffic_went own, w;
	int len;

	if (!unc_traffic_begin_socket(c, socket))
		return;
	own = went(c, socket, socket);
	len = snprintf(text, sizeof(text), "of %.1f MB moved with its own memory %.1f %% came to its channels",
		       own.made / 1e6, share(own.here, own.made));
	for (size_t i = 0; i < c->n_boxes; i++) {
		unsigned other = c->boxes[i].box->socket;

		if (other == socket || !is_first_of_socket(c, i) || !counts(c, other))
			continue;
		n_others++;
		w = went(c, socket, other);
		if (unc_traffic_went_astray(&w) && always_elsewhere(c, socket))
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
	int rc;

	if (!unc_traffic_ready(c, &rc))
		return rc;
	for (size_t i = 0; i < c->n_boxes; i++)
		if (is_first_of_socket(c, i))
			nodes_of_socket(c, c->boxes[i].box->socket);
	return UNC_OK;
}

/* The first check that is run measures for all. */
static const struct unc_check_def defs[] = {
	{
		.about = {.name = "traffic.volume",
			  .proves = "the channels of a socket count as many bytes as are loaded from its memory and "
				    "stored there",
			  .src = "327043-001 section 2.5, CAS_COUNT: 64 bytes each",
			  .ms = {390, 1690, 5190},
			  .writes = true,
			  .makes_traffic = true},
		.counts = true,
		.run = run_volume,
	},
	{
		.about = {.name = "traffic.kinds",
			  .proves = "each channel counts loads as reads, non-temporal stores as writes, and stores as "
				    "both",
			  .src = "327043-001 section 2.5, CAS_COUNT: RD 0x03, WR 0x0c",
			  .ms = {1, 1, 1},
			  .writes = true,
			  .makes_traffic = true},
		.counts = true,
		.run = unc_traffic_run_kinds,
	},
	{
		.about = {.name = "traffic.nodes",
			  .proves = "what is moved in one socket is not counted in another",
			  .src = "327043-001 section 2.5; the UBOX tells which socket a bus belongs to",
			  .ms = {1, 1, 1},
			  .writes = true,
			  .makes_traffic = true},
		.counts = true,
		.run = run_nodes,
	},
	{
		.about = {.name = "traffic.interleave",
			  .proves = "each channel that has memory has a part of what is moved with its socket",
			  .src = "327043-001 section 2.5, CAS_COUNT",
			  .ms = {1, 1, 1},
			  .writes = true,
			  .makes_traffic = true},
		.counts = true,
		.run = unc_traffic_run_interleave,
	},
};

const struct unc_check_theme unc_check_traffic = {defs, sizeof(defs) / sizeof(defs[0])};
