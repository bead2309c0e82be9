// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes whose registers are MSRs of a node or of an L3.  A node is what CPUID leaf 8000001E ECX[7:0] tells (AMD): one data fabric
 * and its memory controllers, a die of Zen 1 and a socket since.  Any CPU of it reaches the same registers.
 */
#include "machine/nodes.h"

#include "machine/boxes.h"
#include "machine/gate.h"

enum { LEAF_TOPOLOGY = 0x1e, LEAF_COUNTERS = 0x22, LEAVES = 0 };
#define EXTENDED    UINT32_C(0x80000000)
#define SYSTEM_CPUS "/sys/devices/system/cpu/"
#define ISOLATED    SYSTEM_CPUS "isolated"
enum { PLACES_MAX = 64, LEGACY_COUNTERS = 4, LIST_MAX = 4096, CPUS_MAX = 8192 /* Linux, NR_CPUS */ };

struct place {        /* a node or an L3 of one socket */
	int cpu;      /* the CPU by which it is reached; -1: none of its CPUs is online */
	bool spared;  /* that CPU is not isolated */
	unsigned key; /* the node's number, or the lowest CPU of the L3 */
};

struct unc_node_part { /* what a box has of its own: its number in the socket, and where its registers are */
	struct unc_node_part *next;
	unsigned key; /* of its place */
	struct unc_instance instance;
	struct unc_unit unit;
	struct unc_reg *regs; /* owned; NULL: those of the map */
};

void unc_node_parts_free(struct unc_machine *m)
{
	for (struct unc_node_part *part = m->node_parts, *next; part; part = next) {
		next = part->next;
		free(part->regs);
		free(part);
	}
}

/* ---- CPUID ---- */

/* Reads an extended leaf; zeros where the processor does not have it, since it answers the data of another leaf then. */
static int extended(const struct unc_machine *m, unsigned cpu, unsigned leaf, struct unc_cpuid_regs *ret_regs)
{
	struct unc_cpuid_regs most;
	int rc = m->host->ops->cpuid(m->host, cpu, EXTENDED + LEAVES, 0, &most);

	*ret_regs = (struct unc_cpuid_regs){0};
	if (rc < 0 || most.eax < EXTENDED + leaf)
		return rc == UNC_ENODATA ? UNC_OK : rc;
	rc = m->host->ops->cpuid(m->host, cpu, EXTENDED + leaf, 0, ret_regs);
	return rc == UNC_ENODATA ? UNC_OK : rc;
}

/* ---- places ---- */

/* True if a CPU is in a list such as "2-3,8". */
static bool is_listed(const char *list, unsigned cpu)
{
	uint64_t first, last;

	while (unc_text_range(&list, CPUS_MAX - 1, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

/* The lowest CPU is taken, but an isolated one, where nothing runs but what was put there on purpose, only where no other serves. */
static void offer(struct place *place, unsigned cpu, bool isolated)
{
	if (place->cpu >= 0 && (place->spared || isolated))
		return;
	place->cpu = (int)cpu;
	place->spared = !isolated;
}

static struct place *place_of(struct place places[PLACES_MAX], size_t *n, unsigned key)
{
	for (size_t i = 0; i < *n; i++)
		if (places[i].key == key)
			return &places[i];
	if (*n == PLACES_MAX)
		return NULL;
	places[*n] = (struct place){.cpu = -1, .key = key};
	return &places[(*n)++];
}

/* Which node or L3 a CPU has. */
static int key_of(const struct unc_machine *m, enum unc_scope per, const struct unc_host_cpu *cpu, unsigned *ret_key)
{
	struct unc_cpuid_regs regs;
	int rc;

	*ret_key = cpu->l3 >= 0 ? (unsigned)cpu->l3 : cpu->cpu;
	if (per != UNC_PER_NODE)
		return UNC_OK;
	rc = extended(m, cpu->cpu, LEAF_TOPOLOGY, &regs);
	*ret_key = regs.ecx & 0xff;
	return rc;
}

/* Finds the nodes of a socket, or its L3s.  CPUID tells how many nodes there are, so one whose CPUs are all offline is found, too. */
static int find_places(struct unc_machine *m, enum unc_scope per, unsigned socket, struct place places[PLACES_MAX],
		       size_t *ret_n)
{
	const struct unc_package *package = NULL;
	const struct unc_host_cpu *cpus = NULL;
	struct unc_cpuid_regs regs = {0};
	char *isolated = NULL;
	size_t n = 0, n_cpus = 0;
	unsigned n_nodes = 1;
	int rc = UNC_OK;

	*ret_n = 0;
	for (size_t i = 0; i < m->topo.n_packages && !package; i++)
		if (m->topo.packages[i].id == socket)
			package = &m->topo.packages[i];
	if (!package)
		return UNC_OK;
	if (unc_host_file(m->host, ISOLATED, LIST_MAX, &isolated, NULL) < 0)
		isolated = NULL;
	if (per == UNC_PER_NODE) {
		rc = extended(m, package->first_cpu, LEAF_TOPOLOGY, &regs);
		n_nodes = (regs.ecx >> 8 & 7) + 1;
		for (unsigned i = 0; i < n_nodes && rc == 0; i++)
			place_of(places, &n, (regs.ecx & 0xff) / n_nodes * n_nodes + i);
	}
	/* Where the socket is one node, its first CPU serves, and no list of all CPUs is needed. */
	if (rc == 0 && per == UNC_PER_NODE && n_nodes == 1 && !is_listed(isolated, package->first_cpu))
		offer(&places[0], package->first_cpu, false);
	else if (rc == 0)
		rc = unc_machine_cpus(m, &cpus, &n_cpus);
	for (size_t i = 0; i < n_cpus && rc == 0; i++) {
		unsigned key = regs.ecx & 0xff; /* of the only node */
		struct place *place;

		if (!cpus[i].online || cpus[i].package != (int)socket)
			continue;
		if (per != UNC_PER_NODE || n_nodes > 1)
			rc = key_of(m, per, &cpus[i], &key);
		place = rc == 0 ? place_of(places, &n, key) : NULL;
		if (place)
			offer(place, cpus[i].cpu, is_listed(isolated, cpus[i].cpu));
	}
	free(isolated);
	*ret_n = n;
	return rc;
}

/* ---- boxes ---- */

/* A box counts with as many counters as CPUID tells, from the given one on of those that the map describes. */
static int shift_registers(struct unc_machine *m, struct unc_node_part *part, unsigned first, unsigned count)
{
	struct unc_unit *unit = &part->unit;

	part->regs = malloc(unit->n_regs * sizeof(*part->regs));
	if (!part->regs)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	memcpy(part->regs, unit->regs, unit->n_regs * sizeof(*part->regs));
	for (size_t i = 0; i < unit->n_regs; i++) {
		struct unc_reg *reg = &part->regs[i];

		reg->off += first * reg->step;
		reg->count = reg->count < count ? reg->count : count;
	}
	unit->regs = part->regs;
	return UNC_OK;
}

/* The MSRs of memory controllers are numbered by the populated ones: AMD, CPUID 80000022 ECX, and Linux amd_uncore. */
static int find_umc(struct unc_box *box, struct unc_node_part *part, const struct unc_cpuid_regs *regs)
{
	unsigned n_counters = regs->ebx >> 16 & 0x3f, n_umcs = unc_bits_set(regs->ecx), umc = part->instance.channel;
	unsigned ordinal = unc_bits_set(regs->ecx & ((UINT32_C(1) << umc) - 1));
	struct unc_ctx *ctx = box->machine->ctx;

	if (n_umcs ? n_counters % n_umcs || n_counters == 0 : n_counters)
		return unc_fail(
			ctx, UNC_ENODEV,
			"%s: CPUID 0x80000022 of %s tells of %u counters for %u memory controllers (ECX 0x%" PRIx32
			"), which does not say which counters belong to one: none is used",
			box->name, box->pci, n_counters, n_umcs, regs->ecx);
	if (regs->ecx >> part->unit.n_instances)
		return unc_fail(ctx, UNC_ENODEV,
				"%s: CPUID 0x80000022 tells of memory controllers that map %s lacks (ECX 0x%" PRIx32
				")",
				box->name, part->unit.map, regs->ecx);
	if (n_umcs == 0 || !(regs->ecx >> umc & 1)) {
		box->presence = UNC_ABSENT;
		return unc_fail(
			ctx, UNC_ENODEV,
			"%s: UMC %u is not among the populated memory controllers of CPUID 0x80000022 (ECX 0x%" PRIx32
			"): no DIMM is there",
			box->name, umc, regs->ecx);
	}
	snprintf(box->why, sizeof(box->why), "UMC %u is unit %u of CPUID 0x80000022 (ECX 0x%" PRIx32 "); MSRs of %s",
		 umc, ordinal, regs->ecx, box->pci);
	return shift_registers(box->machine, part, ordinal * (n_counters / n_umcs), n_counters / n_umcs);
}

static int find_counters(struct unc_box *box, struct unc_node_part *part)
{
	struct unc_cpuid_regs regs;
	unsigned n;
	int rc = extended(box->machine, box->addr.msr.cpu, LEAF_COUNTERS, &regs);

	if (rc < 0)
		return rc;
	if (box->unit->by_cpuid)
		return find_umc(box, part, &regs);
	n = regs.eax & 1 ? regs.ebx >> 10 & 0x3f : LEGACY_COUNTERS;
	if (n == 0)
		return unc_fail(box->machine->ctx, UNC_ENODEV,
				"%s: CPUID 0x80000022 of %s tells of no counters of the data fabric", box->name,
				box->pci);
	return shift_registers(box->machine, part, 0, n);
}

static int reach(struct unc_box *box, struct unc_node_part *part, const struct place *place)
{
	struct unc_machine *m = box->machine;
	int rc = UNC_OK;

	box->presence = UNC_MISSING;
	box->rc = UNC_ENODEV;
	if (place->cpu < 0) {
		snprintf(box->why, sizeof(box->why),
			 "%s: every CPU of node %u, which reach it, is offline: bring one online", box->name,
			 place->key);
		return UNC_OK;
	}
	box->addr = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = (unsigned)place->cpu}};
	box->addr_known = true;
	unc_addr_text(&box->addr, box->pci);
	snprintf(box->why, sizeof(box->why), "MSRs of %s, of %s %u", box->pci,
		 box->unit->per == UNC_PER_NODE ? "node" : "the L3 of CPU", place->key);
	if (box->unit->per == UNC_PER_NODE && box->unit->n_regs)
		rc = find_counters(box, part);
	if (rc < 0) {
		box->rc = rc;
		snprintf(box->why, sizeof(box->why), "%.1000s", m->ctx->msg);
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	}
	box->presence = UNC_PRESENT;
	return UNC_OK;
}

static int make_box(struct unc_machine *m, const struct unc_unit *unit, const struct unc_instance *instance,
		    const struct place *place, unsigned socket, unsigned index, bool numbered)
{
	struct unc_node_part *part = calloc(1, sizeof(*part));
	struct unc_box box = {.machine = m, .socket = socket};

	if (!part)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	part->next = m->node_parts;
	part->key = place->key;
	m->node_parts = part;
	part->unit = *unit;
	part->instance = instance ? *instance : (struct unc_instance){.perf = -1, .pcm = -1, .likwid = -1};
	part->instance.imc = index;
	box.unit = &part->unit;
	box.instance = &part->instance;
	if (instance)
		snprintf(box.name, sizeof(box.name), "socket%u.%.10s%u.ch%u", socket, unit->name, index,
			 instance->channel);
	else if (unit->per == UNC_PER_L3) /* "l3" ends in a digit */
		snprintf(box.name, sizeof(box.name), "socket%u.%.10s_%u", socket, unit->name, index);
	else if (numbered)
		snprintf(box.name, sizeof(box.name), "socket%u.%.10s%u", socket, unit->name, index);
	else
		snprintf(box.name, sizeof(box.name), "socket%u.%.10s", socket, unit->name);
	m->boxes[m->n_boxes] = box;
	return reach(&m->boxes[m->n_boxes++], part, place);
}

bool unc_node_box_has(const struct unc_box *box, unsigned cpu)
{
	const struct unc_node_part *part = box->machine->node_parts;
	const struct unc_host_cpu *cpus = NULL;
	unsigned key = 0;
	size_t n = 0;

	while (part && &part->unit != box->unit)
		part = part->next;
	if (!part || unc_machine_cpus(box->machine, &cpus, &n) < 0)
		return false;
	while (n > 0 && cpus[n - 1].cpu != cpu)
		n--;
	return n > 0 && cpus[n - 1].online && cpus[n - 1].package == (int)box->socket &&
	       key_of(box->machine, box->unit->per, &cpus[n - 1], &key) == 0 && key == part->key;
}

int unc_node_box_move(struct unc_box *box)
{
	struct unc_addr addr = box->space ? box->space->addr : box->addr;
	struct unc_machine *m = box->machine;
	unsigned without = addr.msr.cpu;
	struct unc_space *space = NULL;
	struct unc_saved_msg why;
	int rc = UNC_ENODEV;

	unc_msg_save(m->ctx, &why);
	for (addr.msr.cpu = 0; rc == UNC_ENODEV && addr.msr.cpu < CPUS_MAX; addr.msr.cpu++)
		if (addr.msr.cpu != without && unc_node_box_has(box, addr.msr.cpu))
			rc = unc_space_open(m->bus[UNC_MSR], &addr, &space);
	unc_msg_restore(m->ctx, &why);
	if (!space)
		return UNC_ENODEV;
	unc_claims_move(m, box->space, space);
	unc_space_close(box->space);
	box->space = space;
	if (!box->journalled) /* otherwise its lines have the former address */
		box->addr = space->addr;
	unc_addr_text(&box->addr, box->pci);
	return UNC_OK;
}

int unc_node_boxes_make(struct unc_machine *m, const struct unc_unit *unit, const struct unc_socket *socket)
{
	struct place places[PLACES_MAX];
	size_t n, n_instances = unit->n_instances ? unit->n_instances : 1;
	int rc = find_places(m, unit->per, socket->id, places, &n);

	if (rc == 0)
		rc = unc_boxes_make_room(m, n * n_instances);
	for (unsigned i = 0; i < n && rc == 0; i++)
		for (size_t k = 0; k < n_instances && rc == 0; k++)
			rc = make_box(m, unit, unit->n_instances ? &unit->instances[k] : NULL, &places[i], socket->id,
				      i, n > 1);
	return rc;
}

/* If no CPU of a socket is online, the machine does not know that socket: totals lack its traffic, so a note says so. */
static void note_offline(struct unc_machine *m)
{
	char *present = NULL, *smt = NULL;
	unsigned online = m->topo.n_cpus, away = 0;
	uint64_t first, last;

	if (m->topo.n_packages == 0 || unc_host_file(m->host, SYSTEM_CPUS "present", LIST_MAX, &present, NULL) < 0)
		return;
	if (unc_host_file(m->host, SYSTEM_CPUS "smt/control", LIST_MAX, &smt, NULL) < 0)
		smt = NULL;
	for (const char *list = present; unc_text_range(&list, CPUS_MAX - 1, &first, &last);)
		away += (unsigned)(last - first) + 1;
	away -= away < online ? away : online;
	/* Where second threads are off, as many are offline as cores are online. */
	if (away >= m->topo.packages->n_cpus + (smt && strstr(smt, "off") ? online : 0))
		unc_note(m->ctx,
			 "%u CPUs are offline, as many as a socket may have: if no CPU of a socket is online, its "
			 "memory "
			 "channels cannot be reached, and their traffic is in no total",
			 away);
	free(present);
	free(smt);
}

void unc_node_boxes_join(struct unc_machine *m)
{
	if (m->node_parts)
		note_offline(m);
	for (size_t i = 0; i < m->n_boxes; i++) {
		struct unc_box *box = &m->boxes[i];

		if (!box->unit->counts_in)
			continue;
		for (size_t k = 0; k < m->n_boxes; k++) {
			struct unc_box *other = &m->boxes[k];

			if (strcmp(other->unit->name, box->unit->counts_in) == 0 && other->socket == box->socket &&
			    other->instance->imc == box->instance->imc)
				box->beside = other;
		}
		if (box->unit->n_regs) /* it has counters itself */
			continue;
		box->counted_by = box->beside;
		if (!box->counted_by) {
			box->presence = UNC_MISSING;
			snprintf(box->why, sizeof(box->why), "%s: no unit %s counts for it on this machine", box->name,
				 box->unit->counts_in);
		} else if (box->counted_by->presence != UNC_PRESENT) {
			box->presence = box->counted_by->presence;
			box->rc = box->counted_by->rc;
			snprintf(box->why, sizeof(box->why), "%.1000s", box->counted_by->why);
		} else {
			snprintf(box->why, sizeof(box->why), "channel %u of the data fabric, counted by %s (%s)",
				 box->instance->channel, box->counted_by->name, box->counted_by->pci);
		}
	}
}
