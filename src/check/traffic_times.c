// SPDX-License-Identifier: GPL-2.0-or-later
/* A node is measured several times if the counts do not agree: what was wrong each time, and to the same side? */
#include "check/traffic.h"

/* The side to which the bytes of a phase are wrong; 0: they are right. */
static enum unc_side side_of(const struct unc_traffic_of *of, const struct unc_traffic_run *run, enum unc_phase phase,
			     enum unc_way way)
{
	struct unc_traffic_more more = unc_traffic_more(of, run, phase, way);
	struct unc_traffic_made made = unc_traffic_made(of->c->traffic, run, phase, way),
				other = unc_traffic_made(of->c->traffic, run, phase, !way);

	if (made.most <= 0)
		return more.bytes > unc_traffic_other_kind * other.most + more.noise ? UNC_SIDE_MORE : 0;
	if (unc_traffic_agrees(more, made))
		return 0;
	return more.bytes < made.least ? UNC_SIDE_FEWER : UNC_SIDE_MORE;
}

static bool is_elsewhere(const struct unc_check *c, const struct unc_traffic_run *run)
{
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket != run->node.socket && unc_traffic_strays(c, run, c->boxes[i].box->socket))
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

			drowned |=
				made.most > 0 && unc_traffic_is_drowned(unc_traffic_more(&of, run, phase, way), made);
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
