// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes traffic, and reads all channels before, during and after it. */
#include "check/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

/* All bytes that are moved, so plain stores make half as many: as much as two CPUs can move, and a machine in use can spare. */
#define BYTES_PER_S UINT64_C(4000000000)

/* The event of the channel, or those of its sub-channels, where each has its own. */
enum { OF_UMC = 1 + UNC_TRAFFIC_PARTS };
static const char *const events[UNC_WAYS][OF_UMC + 1] = {
	[UNC_WAY_READ] = {"cas_count.rd", "cas_count_sch0.rd", "cas_count_sch1.rd", "umc_cas_cmd.rd"},
	[UNC_WAY_WRITE] = {"cas_count.wr", "cas_count_sch0.wr", "cas_count_sch1.wr", "umc_cas_cmd.wr"},
};

struct unc_traffic_look *unc_traffic_look_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					     enum unc_phase phase, size_t i)
{
	return &run->looks[phase * t->n_looks + i];
}

/* ---- channels ---- */

static void start_channel(struct unc_window *w)
{
	struct unc_traffic_channel *channel = w->seen;
	struct unc_check_box *b = w->b;
	unsigned next = 0;

	for (enum unc_way way = 0; way < UNC_WAYS; way++) {
		bool whole =
			unc_unit_event(b->box->unit, events[way][0]) || !unc_unit_event(b->box->unit, events[way][1]);

		channel->n_slots[way] = 0;
		for (unsigned i = 0; i < (whole ? 1 : UNC_TRAFFIC_PARTS) && !b->failed; i++) {
			const char *name = events[way][b->pbox.in_msrs ? OF_UMC : whole ? 0 : 1 + i];
			const struct unc_event *event = unc_unit_event(b->box->unit, name);
			unsigned slot = unc_drive_slot_for(b, event, next);

			if (slot == UNC_PMON_SLOTS) {
				b->failed =
					unc_fail(b->box->machine->ctx, UNC_ENOSUP, "%s: no counter of %s can count %s",
						 b->box->name, b->box->unit->title, name);
				continue;
			}
			next = slot + 1;
			channel->slots[way][channel->n_slots[way]++] = slot;
			channel->bytes[way] = event->scale;
			unc_drive_set(b, slot, unc_drive_event(b, name), true);
		}
	}
	channel->clock_slot = unc_drive_fixed(b);
	if (channel->clock_slot < UNC_PMON_SLOTS)
		unc_drive_set(b, channel->clock_slot, 0, true);
}

static struct unc_reading count(struct unc_check_box *b, unsigned slot)
{
	struct unc_reading reading = unc_drive_count(b, slot);

	if (!b->failed)
		b->failed = unc_drive_fits(b, &reading);
	return reading;
}

static void read_channel(struct unc_check_box *b, const struct unc_traffic_channel *channel,
			 struct unc_traffic_point *ret_point)
{
	for (unsigned way = 0; way < UNC_WAYS; way++) {
		ret_point->counts[way] = 0;
		for (unsigned i = 0; i < channel->n_slots[way]; i++) {
			struct unc_reading reading = count(b, channel->slots[way][i]);

			ret_point->counts[way] += reading.value;
			ret_point->ns[way] = reading.before_ns + (reading.after_ns - reading.before_ns) / 2;
		}
	}
	if (channel->clock_slot < UNC_PMON_SLOTS)
		ret_point->clock = count(b, channel->clock_slot).value;
}

/*
 * All channels should be read at about the same time.  Another process may have had the CPU for milliseconds in the middle: a reading
 * that took more than twice as long as the shortest one is repeated.
 */
static int read_all(struct unc_check *c, bool made, struct unc_traffic_look *ret_look)
{
	enum { TRIES = 5 };
	struct unc_check_traffic *t = c->traffic;

	for (unsigned try = 0; try < TRIES; try++) {
		uint64_t begin_ns = unc_machine_raw_ns(c->m), ns, shortest_ns = t->look_ns;
		int rc = made ? unc_traffic_look(c->m, &ret_look->before) : UNC_OK;
		struct unc_window *w = NULL;

		while (rc == 0 && unc_windows_next(&t->ws, &w))
			read_channel(w->b, w->seen, &ret_look->points[w->i]);
		rc = rc < 0 ? rc : t->ws.rc;
		if (rc == 0 && made)
			rc = unc_traffic_look(c->m, &ret_look->after);
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

static int watch(struct unc_check *c, struct unc_traffic_run *run, enum unc_phase phase)
{
	bool made = phase >= UNC_PHASE_FIRST && phase <= UNC_PHASE_LAST;
	int rc = UNC_OK;

	for (size_t i = 0; i < c->traffic->n_looks && rc == 0; i++) {
		if (i > 0)
			rc = unc_check_wait(c, unc_check_ms(c, 10, 50, 100));
		if (rc == 0)
			rc = read_all(c, made, unc_traffic_look_of(c->traffic, run, phase, i));
	}
	return rc;
}

static int make(struct unc_check *c, struct unc_traffic_run *run, enum unc_phase phase)
{
	static const enum unc_traffic_kind kinds[UNC_PHASES] = {
		[UNC_PHASE_LOADS] = UNC_TRAFFIC_READ,
		[UNC_PHASE_NT_STORES] = UNC_TRAFFIC_NT_WRITE,
		[UNC_PHASE_STORES] = UNC_TRAFFIC_WRITE,
	};
	uint64_t bytes_per_s = phase == UNC_PHASE_STORES ? BYTES_PER_S / 2 : BYTES_PER_S;
	/* The time until the former contents of the caches are gone, and stores push out as much as they bring in. */
	uint64_t warm_up_ns = 2 * run->node.l3_bytes * 1000 / (bytes_per_s / 1000000);
	int rc = unc_stream_start(c, &run->node, kinds[phase], bytes_per_s), stopped;
	struct unc_traffic_done done;
	struct unc_saved_msg saved;

	if (rc < 0)
		return rc;
	rc = unc_check_wait(c, warm_up_ns < 10000000 ? 10000000 : warm_up_ns);
	if (rc == 0)
		rc = watch(c, run, phase);
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
		if (box->counted_by) {
			snprintf(ret_why, UNC_MSG_MAX,
				 "%s counts for it, and reads and writes together, which are not told apart here",
				 box->counted_by->name);
			return true;
		}
		snprintf(ret_why, UNC_MSG_MAX,
			 "%s has a part of it, and is not among the channels that are checked (--box)", box->name);
		return true;
	}
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket == socket && !c->traffic->ws.of[i].in &&
		    !unc_check_inapplicable(c, &c->boxes[i])) {
			memcpy(ret_why, c->traffic->ws.of[i].why, UNC_MSG_MAX);
			return true;
		}
	return false;
}

/*
 * On a machine in use another program may begin or end something in the middle: if the counts do not agree the node is measured
 * again, and the last measurement counts.  Silicon that counts wrong is wrong each time, and to the same side.
 */
static int measure_node(struct unc_check *c, struct unc_traffic_run *run)
{
	enum { TIMES = 5 };
	bool good = false, always = false;
	int rc = UNC_OK;

	for (unsigned i = 0; i < TIMES && rc == 0 && !good; i++) {
		rc = watch(c, run, UNC_PHASE_BEFORE);
		for (unsigned phase = UNC_PHASE_FIRST; phase <= UNC_PHASE_LAST && rc == 0; phase++)
			rc = make(c, run, phase);
		if (rc == 0)
			rc = watch(c, run, UNC_PHASE_AFTER);
		good = rc == 0 && unc_traffic_is_credible(c, run, i) && !unc_traffic_drowns(c, run);
		if (rc == 0)
			unc_traffic_note_kinds(c, run);
	}
	for (enum unc_flow flow = 0; flow < UNC_FLOWS;
	     flow++) /* something was wrong each time, and not only now and then */
		always |= run->always[flow] != 0;
	always |= run->always_elsewhere;
	if (rc == 0 && !good && unc_traffic_drowns(c, run))
		snprintf(run->why, sizeof(run->why),
			 "without any of ours the bytes vary by more than a quarter of it, with node %u, %d times",
			 run->node.node, TIMES);
	else if (rc == 0 && !good && !always)
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

static int measure_run(struct unc_check *c, const struct unc_stream_node *node)
{
	struct unc_traffic_run *run = &c->traffic->runs[c->traffic->n_runs++];
	size_t n_looks = UNC_PHASES * c->traffic->n_looks;

	run->node = *node;
	run->looks = calloc(n_looks, sizeof(*run->looks));
	run->points = calloc(n_looks * c->n_boxes + 1, sizeof(*run->points));
	if (!run->looks || !run->points)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n_looks; i++)
		run->looks[i].points = run->points + i * c->n_boxes;
	if (!node->shared)
		return measure_node(c, run);
	snprintf(run->why, sizeof(run->why),
		 "node %u of the operating system is of several sockets: memory is interleaved over them, or it does "
		 "not know of nodes",
		 node->node);
	return UNC_OK;
}

static int measure(struct unc_check *c, struct unc_check_traffic *t)
{
	struct unc_stream_node *nodes = NULL;
	size_t n = 0;
	int rc;

	unc_windows_open(c, sizeof(*t->channels), &t->ws);
	t->channels = t->ws.seen;
	rc = t->ws.rc == 0 ? unc_stream_nodes(c, &nodes, &n) : t->ws.rc;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t->ws.n; i++)
		memcpy(t->ws.of[i].why, c->boxes[i].why, sizeof(t->ws.of[i].why));
	unc_windows_each(&t->ws, start_channel);
	t->runs = calloc(n + 1, sizeof(*t->runs));
	rc = t->runs ? t->ws.rc : unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		bool counts = false; /* channels of that socket are counted here */

		for (size_t k = 0; k < c->n_boxes; k++)
			counts |= c->boxes[k].box->socket == nodes[i].socket;
		if (counts)
			rc = measure_run(c, &nodes[i]);
	}
	free(nodes);
	return rc;
}

int unc_traffic_measure(struct unc_check *c)
{
	struct unc_check_traffic *t = c->traffic;
	int rc = UNC_OK;

	if (!t) {
		t = c->traffic = calloc(1, sizeof(*t));
		if (!t)
			return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
		t->n_looks = 1 + unc_check_times(c, 2, 3, 5);
		rc = measure(c, t);
		if (rc < 0)
			memcpy(t->why, c->m->ctx->msg, sizeof(t->why));
	}
	/* No channel could be taken, which ends the run as it does for other checks. */
	if (rc == UNC_EAGAIN || rc == UNC_ENOMEM || (rc < 0 && t->ws.rc < 0))
		return rc;
	if (t->why[0]) {
		unc_check_begin(c, "machine");
		unc_check_skip(c, "%s", t->why);
	}
	return UNC_OK;
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
	unc_windows_close(&t->ws);
	free(t);
}

static int by_socket(const void *a, const void *b)
{
	const struct unc_stream_node *x = a, *y = b;
	int by = unc_order(x->socket, y->socket);

	return by ? by : unc_order(x->node, y->node);
}

#define MIB UINT64_C(1048576)

static uint64_t buffer_bytes(const struct unc_stream_node *node)
{
	uint64_t bytes = 16 * node->l3_bytes;

	return bytes < 64 * MIB ? 64 * MIB : bytes > 512 * MIB ? 512 * MIB : bytes;
}

/* Memory that is interleaved over sockets is one node, as all memory is for a kernel without NUMA. */
bool unc_stream_is_shared(const struct unc_host_cpu *cpus, size_t n, unsigned node)
{
	int package = -1;

	for (size_t i = 0; i < n; i++) {
		if (!cpus[i].online || cpus[i].package < 0 || (cpus[i].node < 0 ? 0 : (unsigned)cpus[i].node) != node)
			continue;
		if (package >= 0 && cpus[i].package != package)
			return true;
		package = cpus[i].package;
	}
	return false;
}

int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n)
{
	struct unc_stream_node *nodes = NULL;
	const struct unc_host_cpu *cpus;
	struct unc_cpu_info info;
	size_t n_cpus, n = 0;
	bool known;
	int rc = unc_machine_cpus(c->m, &cpus, &n_cpus);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n_cpus; i++) {
		/* A kernel without NUMA has one node. */
		const struct unc_stream_node new = {.node = cpus[i].node < 0 ? 0 : (unsigned)cpus[i].node,
						    .socket = (unsigned)cpus[i].package};
		size_t k = 0;

		if (!cpus[i].online || cpus[i].package < 0)
			continue;
		while (k < n && (nodes[k].node != new.node || nodes[k].socket != new.socket))
			k++;
		if (k == n && !unc_array_add(&nodes, &n, &new, sizeof(new))) {
			free(nodes);
			return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
		}
		if (nodes[k].n_cpus < UNC_STREAM_CPUS)
			nodes[k].cpus[nodes[k].n_cpus++] = cpus[i].cpu;
	}
	if (!nodes)
		return unc_fail(c->m->ctx, UNC_ENODATA, "%s: this machine does not tell which CPU is in which socket",
				c->m->name);
	known = unc_machine_cpu(c->m, &info) == 0 && info.l3_bytes;
	for (size_t i = 0; i < n; i++) {
		nodes[i].l3_bytes = known ? info.l3_bytes : 64 * MIB;
		nodes[i].found = (double)nodes[i].l3_bytes / (double)buffer_bytes(&nodes[i]);
		nodes[i].found = nodes[i].found < 1 ? nodes[i].found : 1;
		nodes[i].shared = unc_stream_is_shared(cpus, n_cpus, nodes[i].node);
	}
	qsort(nodes, n, sizeof(*nodes), by_socket);
	*ret_nodes = nodes;
	*ret_n = n;
	return UNC_OK;
}

int unc_stream_start(struct unc_check *c, const struct unc_stream_node *node, enum unc_traffic_kind kind,
		     uint64_t bytes_per_s)
{
	const struct unc_traffic traffic = {.kind = kind,
					    .node = node->node,
					    .cpus = node->cpus,
					    .n_cpus = node->n_cpus,
					    .bytes_per_s = bytes_per_s,
					    .size_bytes = buffer_bytes(node)};

	return unc_traffic_start(c->m, &traffic);
}
