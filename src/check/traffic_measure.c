// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes traffic, and reads all channels before, during and after it. */
#include "check/traffic.h"

/* All bytes that are moved, so plain stores make half as many: as much as two CPUs can move, and a machine in use can spare. */
#define BYTES_PER_S UINT64_C(4000000000)

/*
 * The events of a channel: one of the first five, or those of its halves.  Of a data fabric the number of the channel follows;
 * dram_data counts both ways, and is taken for reads.
 */
enum { WHOLES = 5, NAMES = WHOLES + UNC_TRAFFIC_PARTS };
static const char *const events[UNC_WAYS][NAMES] = {
	[UNC_WAY_READ] = {"data.rd", "cas_count.rd", "umc_cas_cmd.rd", "read.ch", "dram_data.ch", "cas_count_sch0.rd",
			  "cas_count_sch1.rd"},
	[UNC_WAY_WRITE] = {"data.wr", "cas_count.wr", "umc_cas_cmd.wr", "write.ch", "write.ch", "cas_count_sch0.wr",
			   "cas_count_sch1.wr"},
};

struct unc_traffic_look *unc_traffic_look_of(const struct unc_check_traffic *t, const struct unc_traffic_run *run,
					     enum unc_phase phase, size_t i)
{
	return &run->looks[phase * t->n_looks + i];
}

/* ---- which channels there are, and where they are counted ---- */

static bool is_fabric(const struct unc_box *box)
{
	return strcmp(box->unit->name, "df") == 0;
}

/* Is it a fabric whose channels have counters of their own? */
static bool is_beside(const struct unc_machine *m, const struct unc_box *box)
{
	const struct unc_box *first = unc_box_at(m, "imc", 0);

	return is_fabric(box) && !(first && first->counted_by);
}

/* The channel of that number for which the fabric counts, or what counts itself; NULL: there is none. */
static const struct unc_box *counted_by(const struct unc_machine *m, const struct unc_box *by, unsigned nth)
{
	const struct unc_box *box = by;

	for (size_t i = 0; is_fabric(by) && !is_beside(m, by) && (box = unc_box_at(m, "imc", i)); i++)
		if (box->counted_by == by && box->instance->channel == nth)
			break;
	return box;
}

static void find_events(struct unc_traffic_channel *channel, unsigned nth)
{
	const struct unc_unit *unit = channel->w->b->box->unit;
	char number[12], name[40];

	snprintf(number, sizeof(number), "%u", nth);
	for (enum unc_way way = 0; way < UNC_WAYS; way++) {
		unsigned n = 0;

		for (unsigned i = 0; i < NAMES && n < (i <= WHOLES ? 1 : UNC_TRAFFIC_PARTS); i++) {
			snprintf(name, sizeof(name), "%s%s", events[way][i],
				 is_fabric(channel->w->b->box) ? number : "");
			channel->events[way][n] = unc_unit_event(unit, name);
			n += channel->events[way][n] != NULL;
			if (n > 0 && i < WHOLES)
				break;
		}
		channel->n_slots[way] = n;
	}
}

static void find_channels(struct unc_window *w)
{
	struct unc_check_traffic *t = w->c->traffic;
	const struct unc_box *box = w->b->box;
	unsigned next = 0, turn = 0;
	size_t first = t->n_channels;

	for (unsigned nth = 0; !w->b->failed && (nth == 0 || is_fabric(box)); nth++) {
		struct unc_traffic_channel one = {.box = counted_by(w->c->m, box, nth),
						  .w = w,
						  .beside = is_beside(w->c->m, box),
						  .clock_slot = unc_drive_fixed(w->b)};

		find_events(&one, nth);
		if (is_fabric(box) && (!one.box || !one.n_slots[UNC_WAY_READ]))
			break;
		if (is_fabric(box) && next + one.n_slots[UNC_WAY_READ] + one.n_slots[UNC_WAY_WRITE] > w->n) {
			next = 0;
			turn++;
		}
		one.turn = turn;
		for (unsigned i = 0; i < UNC_WAYS * UNC_TRAFFIC_PARTS; i++) {
			enum unc_way way = i / UNC_TRAFFIC_PARTS;
			unsigned part = i % UNC_TRAFFIC_PARTS, *slot = &one.slots[way][part];

			if (part >= one.n_slots[way])
				continue;
			next = *slot = unc_drive_slot_for(w->b, one.events[way][part], next);
			one.bytes[way] = one.events[way][part]->scale;
			if (next++ == UNC_PMON_SLOTS)
				one.n_slots[way] = 0;
		}
		t->together |= !one.n_slots[UNC_WAY_WRITE];
		if (is_fabric(box) && one.events[UNC_WAY_READ][0]->verify)
			t->doubted[one.beside] = one.events[UNC_WAY_READ][0]->name;
		if (!one.n_slots[UNC_WAY_READ] || (!one.n_slots[UNC_WAY_WRITE] && !is_fabric(box)))
			w->b->failed = unc_fail(w->c->m->ctx, UNC_ENOSUP, "%s: no counters of %s can count %s and %s",
						box->name, box->unit->title, events[UNC_WAY_READ][0],
						events[UNC_WAY_WRITE][0]);
		else if (!unc_array_add(&t->channels, &t->n_channels, &one, sizeof(one)))
			w->b->failed = unc_fail(w->c->m->ctx, UNC_ENOMEM, "out of memory");
	}
	for (size_t i = first; i < t->n_channels; i++)
		t->channels[i].n_turns = turn + 1;
	t->n_turns = turn + 1 > t->n_turns ? turn + 1 : t->n_turns;
}

/* ---- looks ---- */

static struct unc_reading count(struct unc_check_box *b, unsigned slot)
{
	struct unc_reading reading = unc_drive_count(b, slot);

	if (!b->failed)
		b->failed = unc_drive_fits(b, &reading);
	return reading;
}

static bool is_on(const struct unc_check_traffic *t, const struct unc_traffic_channel *channel)
{
	return t->turn % channel->n_turns == channel->turn;
}

static void read_counters(const struct unc_traffic_channel *channel, struct unc_traffic_point *ret_point)
{
	for (unsigned way = 0; way < UNC_WAYS; way++) {
		ret_point->counts[way] = 0;
		for (unsigned i = 0; i < channel->n_slots[way]; i++) {
			struct unc_reading reading = count(channel->w->b, channel->slots[way][i]);

			ret_point->counts[way] += reading.value;
			ret_point->ns[way] = reading.before_ns + (reading.after_ns - reading.before_ns) / 2;
		}
	}
	if (channel->clock_slot < UNC_PMON_SLOTS)
		ret_point->clock = count(channel->w->b, channel->clock_slot).value;
}

/* Lets a channel be counted, from now on. */
static void start_channel(struct unc_traffic_channel *channel)
{
	struct unc_check_box *b = channel->w->b;

	for (enum unc_way way = 0; way < UNC_WAYS; way++)
		for (unsigned i = 0; i < channel->n_slots[way]; i++)
			unc_drive_set(b, channel->slots[way][i], unc_drive_event(b, channel->events[way][i]->name),
				      true);
	if (channel->clock_slot < UNC_PMON_SLOTS)
		unc_drive_set(b, channel->clock_slot, 0, true);
	if (channel->n_turns > 1)
		read_counters(channel, &channel->from);
}

/* What is counted in turns adds up over its turns. */
static struct unc_traffic_point read_channel(const struct unc_check_traffic *t,
					     const struct unc_traffic_channel *channel)
{
	const struct unc_traffic_point *from = &channel->from;
	struct unc_traffic_point now = {0}, all = channel->last;

	if (is_on(t, channel))
		read_counters(channel, &now);
	all.clock = now.clock;
	for (unsigned way = 0; way < UNC_WAYS; way++) {
		all.ns[way] = now.ns[way] ? now.ns[way] : unc_machine_raw_ns(t->ws.c->m);
		if (!now.ns[way])
			continue;
		all.on_ns[way] += now.ns[way] - from->ns[way];
		all.counts[way] += unc_drive_gained(channel->w->b, from->counts[way], now.counts[way]);
	}
	return all;
}

/* After a look, whose points these are, or before the first one (NULL). */
static void next_turn(struct unc_check_traffic *t, const struct unc_traffic_point *points)
{
	struct unc_window *w = NULL;

	t->turn += points != NULL;
	while ((!points || t->n_turns > 1) && unc_windows_next(&t->ws, &w))
		for (size_t i = 0; i < t->n_channels; i++) {
			struct unc_traffic_channel *channel = &t->channels[i];

			if (channel->w != w || (points && channel->n_turns == 1))
				continue;
			if (points)
				channel->last = points[i];
			if (is_on(t, channel))
				start_channel(channel);
		}
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
			for (size_t i = 0; i < t->n_channels && ret_look->points; i++) /* they are there; clang-tidy */
				if (t->channels[i].w == w)
					ret_look->points[i] = read_channel(t, &t->channels[i]);
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
		if (rc == 0)
			next_turn(c->traffic, unc_traffic_look_of(c->traffic, run, phase, i)->points);
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
		/* What a client's controller counts always is counted once more by counters that are checked. */
		bool selected = strcmp(box->unit->model, "free1") == 0;

		for (size_t k = 0; k < c->n_boxes; k++)
			selected |= c->boxes[k].box == box || c->boxes[k].box == box->counted_by;
		if (box->socket != socket || box->presence == UNC_ABSENT || selected)
			continue;
		snprintf(ret_why, UNC_MSG_MAX,
			 "%s has a part of it, and is not among the channels that are checked (--box)", box->name);
		return true;
	}
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].box->socket == socket && !c->traffic->ws.of[i].in &&
		    !is_beside(c->m, c->boxes[i].box)) {
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
	/* Something was wrong each time, and not only now and then. */
	for (enum unc_flow flow = 0; flow < UNC_FLOWS; flow++)
		always |= run->always[0][flow] || run->always[1][flow];
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
	run->points = calloc(n_looks * c->traffic->n_channels + 1, sizeof(*run->points));
	if (!run->looks || !run->points)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n_looks; i++)
		run->looks[i].points = run->points + i * c->traffic->n_channels;
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

	unc_windows_open(c, 0, &t->ws);
	rc = t->ws.rc == 0 ? unc_stream_nodes(c, &nodes, &n) : t->ws.rc;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t->ws.n; i++)
		memcpy(t->ws.of[i].why, c->boxes[i].why, sizeof(t->ws.of[i].why));
	t->n_turns = 1;
	unc_windows_each(&t->ws, find_channels);
	next_turn(t, NULL);
	t->n_looks = 1 + unc_check_times(c, 2, 3, 5);
	while ((t->n_looks - 1) % t->n_turns)
		t->n_looks++;
	t->runs = calloc(n + 1, sizeof(*t->runs));
	t->was_right = calloc(c->n_boxes, sizeof(*t->was_right));
	rc = t->runs && t->was_right ? t->ws.rc : unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
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
	free(t->channels);
	free(t->was_right);
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
