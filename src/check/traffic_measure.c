// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes traffic, and reads all channels before, during and after it. */
#include "check/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* All bytes that are moved, so plain stores make half as many: as much as two CPUs can move, and a machine in use can spare. */
#define BYTES_PER_S UINT64_C(4000000000)

/* Either one event of the channel, or one for each of its sub-channels. */
static const char *const events[UNC_WAYS] = {[UNC_WAY_READ] = "cas_count.rd", [UNC_WAY_WRITE] = "cas_count.wr"};
static const char *const halves[UNC_WAYS][UNC_TRAFFIC_PARTS] = {
	[UNC_WAY_READ] = {"cas_count_sch0.rd", "cas_count_sch1.rd"},
	[UNC_WAY_WRITE] = {"cas_count_sch0.wr", "cas_count_sch1.wr"},
};

struct unc_traffic_look *unc_traffic_look_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					     enum unc_phase phase, size_t i)
{
	return &run->looks[phase * t->n_looks + i];
}

/* ---- channels ---- */

static int start_event(struct unc_check_box *b, struct unc_traffic_channel *channel, enum unc_way way, const char *name)
{
	const struct unc_event *event = unc_unit_event(b->box->unit, name);
	unsigned slot = unc_drive_slot_for(b, event, channel->next_slot);

	if (slot == UNC_PMON_SLOTS)
		return unc_fail(b->box->machine->ctx, UNC_ENOSUP, "%s: no counter of %s can count %s", b->box->name,
				b->box->unit->title, name);
	channel->next_slot = slot + 1;
	channel->slots[way][channel->n_slots[way]++] = slot;
	channel->bytes[way] = event->scale;
	unc_drive_set(b, slot, unc_drive_event(b, name), true);
	return unc_drive_end(b);
}

static int start_channel(struct unc_check_box *b, struct unc_traffic_channel *channel)
{
	int rc = UNC_OK;

	channel->next_slot = 0;
	for (enum unc_way way = 0; way < UNC_WAYS; way++) {
		bool whole = unc_unit_event(b->box->unit, events[way]) || !unc_unit_event(b->box->unit, halves[way][0]);

		channel->n_slots[way] = 0;
		for (unsigned i = 0; i < (whole ? 1 : UNC_TRAFFIC_PARTS) && rc == 0; i++)
			rc = start_event(b, channel, way, whole ? events[way] : halves[way][i]);
	}
	channel->clock_slot = unc_drive_fixed(b);
	if (rc == 0 && channel->clock_slot < UNC_PMON_SLOTS)
		unc_drive_set(b, channel->clock_slot, 0, true);
	return rc == 0 ? unc_drive_end(b) : rc;
}

static int give_up(struct unc_check *c, struct unc_traffic_channel *channel, int rc)
{
	channel->counted = false;
	memcpy(channel->why, c->m->ctx->msg, sizeof(channel->why));
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

static int start_channels(struct unc_check *c, struct unc_check_traffic *t)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < t->n_channels && rc == 0; i++) {
		struct unc_traffic_channel *channel = &t->channels[i];

		channel->counted = c->boxes[i].usable;
		memcpy(channel->why, c->boxes[i].why, sizeof(channel->why));
		rc = channel->counted ? start_channel(&c->boxes[i], channel) : UNC_OK;
		if (rc < 0)
			rc = give_up(c, channel, rc);
	}
	return rc;
}

static int count(struct unc_check_box *b, unsigned slot, uint64_t *ret_value, uint64_t *ret_ns)
{
	struct unc_reading reading = unc_drive_count(b, slot);
	int rc = unc_drive_end(b);

	if (rc < 0)
		return rc;
	if (unc_drive_gained(b, 0, reading.value) != reading.value)
		return unc_fail(b->box->machine->ctx, UNC_EIO, "%s: its counter read 0x%016" PRIx64 ", and has %u bits",
				b->box->name, reading.value, b->box->unit->counter_bits);
	*ret_value = reading.value;
	*ret_ns = reading.before_ns + (reading.after_ns - reading.before_ns) / 2;
	return UNC_OK;
}

static int read_channel(struct unc_check_box *b, const struct unc_traffic_channel *channel,
			struct unc_traffic_point *ret_point)
{
	uint64_t ns, counts = 0;
	int rc = UNC_OK;

	for (unsigned way = 0; way < UNC_WAYS; way++) {
		ret_point->counts[way] = 0;
		for (unsigned i = 0; i < channel->n_slots[way] && rc == 0; i++) {
			rc = count(b, channel->slots[way][i], &counts, &ret_point->ns[way]);
			ret_point->counts[way] += counts;
		}
	}
	if (rc == 0 && channel->clock_slot < UNC_PMON_SLOTS)
		rc = count(b, channel->clock_slot, &ret_point->clock, &ns);
	return rc;
}

static int read_all_once(struct unc_check *c, struct unc_check_traffic *t, bool made, struct unc_traffic_look *ret_look)
{
	int rc = made ? unc_traffic_look(c->m, &ret_look->before) : UNC_OK;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t->n_channels; i++) {
		rc = t->channels[i].counted ? read_channel(&c->boxes[i], &t->channels[i], &ret_look->points[i])
					    : UNC_OK;
		if (rc < 0 && give_up(c, &t->channels[i], rc) < 0)
			return rc;
	}
	return made ? unc_traffic_look(c->m, &ret_look->after) : UNC_OK;
}

/*
 * All channels should be read at about the same time.  Another process may have had the CPU for milliseconds in the middle: a read_all
 * that took more than twice as long as the shortest one is repeated.
 */
static int read_all(struct unc_check *c, struct unc_check_traffic *t, bool made, struct unc_traffic_look *ret_look)
{
	enum { TRIES = 5 };

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t begin_ns = unc_machine_raw_ns(c->m), ns, shortest_ns = t->look_ns;
		int rc = read_all_once(c, t, made, ret_look);

		ns = unc_machine_raw_ns(c->m) - begin_ns;
		if (rc < 0)
			return rc;
		if (!t->look_ns || ns < t->look_ns)
			t->look_ns = ns;
		if (shortest_ns && ns <= 2 * t->look_ns)
			break;
	}
	return UNC_OK;
}

/* ---- phases ---- */

static int watch(struct unc_check *c, struct unc_check_traffic *t, struct unc_traffic_run *run, enum unc_phase phase)
{
	bool made = phase >= UNC_PHASE_FIRST && phase <= UNC_PHASE_LAST;
	int rc = read_all(c, t, made, unc_traffic_look_of(t, run, phase, 0));

	for (size_t i = 1; i < t->n_looks && rc == 0; i++) {
		rc = unc_check_wait(c, unc_check_ms(c, 10, 50, 100));
		if (rc == 0)
			rc = read_all(c, t, made, unc_traffic_look_of(t, run, phase, i));
	}
	return rc;
}

static int make(struct unc_check *c, struct unc_check_traffic *t, struct unc_traffic_run *run, enum unc_phase phase)
{
	static const enum unc_traffic_kind kinds[UNC_PHASES] = {
		[UNC_PHASE_LOADS] = UNC_TRAFFIC_READ,
		[UNC_PHASE_NT_STORES] = UNC_TRAFFIC_NT_WRITE,
		[UNC_PHASE_STORES] = UNC_TRAFFIC_WRITE,
	};
	uint64_t bytes_per_s = phase == UNC_PHASE_STORES ? BYTES_PER_S / 2 : BYTES_PER_S;
	/* The time until the former contents of the caches are gone, and stores push out as much as they bring in. */
	uint64_t warm_up_ns = 2 * run->node.l3_bytes * 1000 / (bytes_per_s / 1000000);
	int rc = unc_stream_start(c, &run->node, kinds[phase], bytes_per_s);
	struct unc_traffic_done done;
	struct unc_saved_msg saved;
	int stopped;

	if (rc < 0)
		return rc;
	rc = unc_check_wait(c, warm_up_ns < 10000000 ? 10000000 : warm_up_ns);
	if (rc == 0)
		rc = watch(c, t, run, phase);
	if (rc < 0)
		unc_msg_save(c->m->ctx, &saved);
	stopped = unc_traffic_stop(c->m, &done);
	if (rc < 0)
		unc_msg_restore(c->m->ctx, &saved);
	return rc < 0 ? rc : stopped;
}

bool unc_traffic_lacks(const struct unc_check *c, unsigned socket, char ret_why[UNC_MSG_MAX])
{
	const struct unc_box *box;

	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++) {
		bool selected = false;

		for (size_t k = 0; k < c->n_boxes; k++)
			selected |= c->boxes[k].box == box;
		if (box->socket != socket || box->presence == UNC_ABSENT || selected)
			continue;
		snprintf(ret_why, UNC_MSG_MAX,
			 "%s has a part of it, and is not among the channels that are checked (--box)", box->name);
		return true;
	}
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket == socket && !c->traffic->channels[i].counted) {
			memcpy(ret_why, c->traffic->channels[i].why, UNC_MSG_MAX);
			return true;
		}
	return false;
}

/*
 * On a machine in use another program may begin or end something in the middle: if the counts do not agree the node is measured
 * again, and the last measurement counts.  Silicon that counts wrong is wrong each time, and to the same side.
 */
static int measure_node(struct unc_check *c, struct unc_check_traffic *t, struct unc_traffic_run *run)
{
	enum { TIMES = 5 };
	bool good = false;
	int rc = UNC_OK;

	for (unsigned i = 0; i < TIMES && rc == 0 && !good; i++) {
		rc = watch(c, t, run, UNC_PHASE_BEFORE);
		for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST && rc == 0; phase++)
			rc = make(c, t, run, phase);
		if (rc == 0)
			rc = watch(c, t, run, UNC_PHASE_AFTER);
		good = rc == 0 && unc_traffic_is_credible(c, run, i) && !unc_traffic_drowns(c, run);
		if (rc == 0)
			unc_traffic_note_kinds(c, run);
	}
	if (rc == 0 && !good && unc_traffic_drowns(c, run))
		snprintf(run->why, sizeof(run->why),
			 "without any of ours the bytes vary by more than a quarter of it, with node %u, %d times",
			 run->node.node, TIMES);
	else if (rc == 0 && !good && !unc_traffic_is_always_wrong(run))
		snprintf(run->why, sizeof(run->why),
			 "measured %d times, of node %u something else was wrong each time: another program uses "
			 "memory at a rate that varies",
			 TIMES, run->node.node);
	if (rc == UNC_EAGAIN || rc == UNC_ENOMEM || rc == 0)
		return rc;
	memcpy(run->why, c->m->ctx->msg, sizeof(run->why));
	return rc == UNC_ENOSUP ? rc : UNC_OK;
}

/* ---- the whole measurement ---- */

static int no_memory(struct unc_check *c)
{
	return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
}

static int run_new(struct unc_check *c, struct unc_check_traffic *t, const struct unc_stream_node *node)
{
	struct unc_traffic_run *run = &t->runs[t->n_runs++];
	size_t n_looks = UNC_PHASES * t->n_looks;

	*run = (struct unc_traffic_run){.node = *node};
	run->looks = calloc(n_looks, sizeof(*run->looks));
	run->points = calloc(n_looks * t->n_channels + 1, sizeof(*run->points));
	if (!run->looks || !run->points)
		return no_memory(c);
	for (size_t i = 0; i < n_looks; i++)
		run->looks[i].points = run->points + i * t->n_channels;
	return UNC_OK;
}

/* Does that socket have channels that are counted here? */
static bool matters(const struct unc_check *c, unsigned socket)
{
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket == socket)
			return true;
	return false;
}

static int measure(struct unc_check *c, struct unc_check_traffic *t)
{
	struct unc_stream_node *nodes;
	size_t n;
	int rc = unc_stream_nodes(c, &nodes, &n);

	if (rc < 0)
		return rc;
	t->runs = calloc(n, sizeof(*t->runs));
	rc = t->runs ? start_channels(c, t) : no_memory(c);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (!matters(c, nodes[i].socket))
			continue;
		rc = run_new(c, t, &nodes[i]);
		if (rc == 0 && nodes[i].shared)
			snprintf(t->runs[t->n_runs - 1].why, UNC_MSG_MAX,
				 "node %u of the operating system is of several sockets: memory is interleaved over "
				 "them, or it "
				 "does not know of nodes",
				 nodes[i].node);
		else if (rc == 0)
			rc = measure_node(c, t, &t->runs[t->n_runs - 1]);
	}
	free(nodes);
	return rc;
}

/* Measures, on the first call only. */
static int measure_once(struct unc_check *c)
{
	struct unc_check_traffic *t;
	int rc = c->traffic ? UNC_OK : unc_drive_take(c);

	if (c->traffic || rc < 0)
		return rc;
	t = c->traffic = calloc(1, sizeof(*t));
	if (!t)
		return no_memory(c);
	t->n_looks = 1 + unc_check_times(c, 2, 3, 5);
	t->n_channels = c->n_boxes;
	t->channels = calloc(c->n_boxes + 1, sizeof(*t->channels));
	rc = t->channels ? measure(c, t) : no_memory(c);
	if (rc < 0)
		memcpy(t->why, c->m->ctx->msg, sizeof(t->why));
	return rc == UNC_EAGAIN || rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_traffic_measure(struct unc_check *c)
{
	int rc = measure_once(c);

	if (rc == 0 && c->traffic->why[0]) {
		unc_check_begin(c, "machine");
		unc_check_skip(c, "%s", c->traffic->why);
	}
	return rc;
}

void unc_check_traffic_free(struct unc_check_traffic *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_runs; i++) {
		free(t->runs[i].looks);
		free(t->runs[i].points);
	}
	free(t->runs);
	free(t->channels);
	free(t);
}
