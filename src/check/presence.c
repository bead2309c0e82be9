// SPDX-License-Identifier: GPL-2.0-or-later
/* Is every function present that this part should have, is it the right one, does every read return the same, and has every socket the same channels? */
#include "check/window.h"

#include "machine/boxes.h"
#include "machine/discovery.h"

/* ==== presence.functions ==== */

/* Is every function present, and if one is not, what is at its place? */

/* Returns the ids of the function at the place of a channel; false: no function answers. */
static bool who_answers(const struct unc_box *box, struct unc_bus *bus, uint32_t *ret_ids)
{
	struct unc_pci_header header;
	struct unc_space *space;
	bool good;

	if (!bus || !box->addr_known || box->addr.kind == UNC_MSR || unc_space_open(bus, &box->addr, &space) < 0)
		return false;
	good = unc_pci_header_read(space, &header) == 0 && header.ids != UINT32_MAX;
	unc_space_close(space);
	if (good)
		*ret_ids = header.ids;
	return good;
}

static void see_ids(struct unc_check *c, const struct unc_box *box, uint32_t ids)
{
	unc_check_compare(c, unc_seen_value("ids", "device and vendor at its place", ids),
			  unc_instance_ids(box->instance), 0);
}

/* False: the function at that place is not another channel.  Channels in memory are all found by one function, with one id. */
static bool is_swapped(struct unc_check *c, const struct unc_box *box, struct unc_bus *bus)
{
	const struct unc_instance *other = NULL;
	uint32_t ids;

	if (!who_answers(box, bus, &ids) || ids == unc_instance_ids(box->instance))
		return false;
	for (size_t i = 0; i < box->unit->n_instances && !other; i++)
		if (ids == unc_instance_ids(&box->unit->instances[i]))
			other = &box->unit->instances[i];
	if (!other)
		return false;
	unc_check_begin(c, box->name);
	see_ids(c, box, ids);
	unc_check_fail(c,
		       "at %s the function of imc%u.ch%u answers, %04x:%04x, where that of this channel ought to be, "
		       "%04x:%04x: channels are swapped",
		       box->pci, other->imc, other->channel, other->vendor, other->device, box->instance->vendor,
		       box->instance->device);
	return true;
}

static void check_function(struct unc_check *c, const struct unc_check_box *b, struct unc_bus *bus)
{
	uint32_t ids;

	if (!b->there && b->box->presence == UNC_MISSING && is_swapped(c, b->box, bus))
		return;
	unc_check_begin(c, b->box->name);
	if (b->there) {
		unc_check_pass(c, "%s is there and answers", b->box->pci);
	} else if (b->box->presence == UNC_DENIED || (b->box->unit->kind == UNC_MSR && !b->box->addr_known)) {
		/* MSRs that no online CPU reaches may be there. */
		unc_check_prevented(c, b->rc, b->why);
	} else {
		if (who_answers(b->box, bus, &ids))
			see_ids(c, b->box, ids);
		unc_check_fail(c, "%s", b->why);
	}
}

/*
 * A channel that is on no socket does not belong to this machine, except in two cases: another channel answers at its place, or
 * channels after it are present, since no known part leaves a gap.
 */
static void check_absent(struct unc_check *c, const struct unc_box *box, struct unc_bus *bus)
{
	const struct unc_instance *at = box->instance;

	/* Where hardware itself tells which channels there are (CPUID, MCMTR, a discovery table), any may be left out. */
	if (box->unit->kind != UNC_PCI || is_swapped(c, box, bus))
		return;
	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_box *after = c->boxes[i].box;

		if (!c->boxes[i].there || after->socket != box->socket || after->instance->imc != at->imc ||
		    after->instance->channel <= at->channel)
			continue;
		unc_check_begin(c, box->name);
		unc_check_fail(c, "%s is on no socket, but %s after it is there: the firmware hides it",
			       box->pci[0] ? box->pci : box->name, after->name);
		return;
	}
}

static int run_functions(struct unc_check *c)
{
	const struct unc_box *box;
	struct unc_bus *bus;
	size_t n = 0; /* channels that are present on some socket */

	if (unc_machine_bus_open(c->m, UNC_PCI, false, &bus) < 0)
		bus = NULL;
	for (size_t i = 0; i < c->n_boxes; i++)
		check_function(c, &c->boxes[i], bus);
	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++)
		n += box->presence != UNC_ABSENT;
	for (size_t i = 0; n == c->n_boxes && (box = unc_box_at(c->m, "imc", i)); i++)
		if (box->presence == UNC_ABSENT)
			check_absent(c, box, bus);
	unc_bus_close(bus);
	return UNC_OK;
}

/* ==== presence.steady ==== */

/*
 * Does every read return the same?  Ids never change, and controls only when a program writes them: if one reads differently once
 * and as before when it is read again, that read was wrong.  A configuration cycle that fails reads as all ones.
 */

enum { HEADER_DWORDS = 3, DWORDS_MAX = HEADER_DWORDS + UNC_PMON_SLOTS + 1 };

struct dword {
	uint32_t off;
	const struct unc_reg *reg; /* NULL: a dword of the header */
	unsigned index;
	uint64_t value; /* what the dword holds, or the MSR */
};

struct watch { /* one for each channel */
	const struct unc_check_box *b;
	struct dword dwords[DWORDS_MAX];
	size_t n;
	uint64_t n_reads, n_ones, n_other, n_changed;
};

static void add(struct watch *w, uint32_t off, const struct unc_reg *reg, unsigned index)
{
	w->dwords[w->n++] = (struct dword){.off = off, .reg = reg, .index = index};
}

static int read_dword(struct watch *w, const struct dword *d, uint64_t *ret_value)
{
	uint32_t dword = 0;
	int rc;

	w->n_reads++;
	if (w->b->pbox.in_msrs)
		return unc_reg_get(w->b->box, d->reg, d->index, ret_value);
	rc = unc_read32(w->b->box->space, d->off, &dword);
	*ret_value = dword;
	return rc;
}

/* Returns the value on which two of three reads agree. */
static int read_surely(struct watch *w, const struct dword *d, uint64_t *ret_value)
{
	uint64_t first, second;
	int rc = read_dword(w, d, &first);

	if (rc == 0)
		rc = read_dword(w, d, &second);
	if (rc == 0 && first != second)
		rc = read_dword(w, d, &first);
	if (rc == 0)
		*ret_value = first;
	return rc;
}

/* If the dword reads differently now and as before when it is read again, the result has it. */
static int read_again(struct unc_check *c, struct watch *w, struct dword *d)
{
	struct unc_check_seen seen =
		unc_seen(d->reg ? w->b->box : NULL, d->reg, d->index, "once, and otherwise when it was read again", 0);
	uint64_t value, again = 0;
	bool ones;
	int rc = read_dword(w, d, &value);

	if (rc < 0 || value == d->value)
		return rc;
	rc = read_surely(w, d, &again);
	if (rc < 0)
		return rc;
	w->n_changed += again != d->value;
	d->value = again;
	if (again == value)
		return rc;
	ones = value == (w->b->pbox.in_msrs ? UINT64_MAX : UINT32_MAX);
	w->n_ones += ones;
	w->n_other += !ones;
	seen.name = "configuration header";
	seen.read = value;
	unc_check_compare(c, seen, d->value, 0);
	return rc;
}

static int read_steady(struct unc_check *c, const struct unc_check_box *b)
{
	static const uint32_t header[HEADER_DWORDS] = {0, 8, 12}; /* vendor, device; class; header type */
	struct watch w = {.b = b};
	char odds[UNC_ODDS_TEXT], changed[80] = "";
	unsigned most = unc_check_times(c, 200, 500, 10000);
	uint64_t n_wrong, end_ns;
	int rc = UNC_OK;

	for (size_t i = 0; i < HEADER_DWORDS && b->box->addr.kind == UNC_PCI; i++)
		add(&w, header[i], NULL, 0);
	/* If another program counts in the channel, it may change its controls at any time. */
	for (unsigned i = 0; i < b->pbox.n_slots && !b->busy; i++)
		add(&w, unc_reg_off(b->pbox.slots[i].ctl, b->pbox.slots[i].index), b->pbox.slots[i].ctl,
		    b->pbox.slots[i].index);
	if (!b->busy && b->pbox.regs.box_ctl)
		add(&w, b->pbox.regs.box_ctl->off, b->pbox.regs.box_ctl, 0);
	for (size_t i = 0; i < w.n && rc == 0; i++)
		rc = read_surely(&w, &w.dwords[i], &w.dwords[i].value);
	end_ns = unc_check_rounds_end_ns(c);
	for (unsigned n = 0; rc == 0 && unc_check_has_round(c, n, most, end_ns); n++)
		for (size_t i = 0; i < w.n && rc == 0; i++)
			rc = read_again(c, &w, &w.dwords[i]);
	if (rc == 0 && !w.n)
		unc_check_skip(c, "another program counts there, and may change its controls at any time");
	if (rc < 0 || !w.n)
		return rc;
	n_wrong = w.n_ones + w.n_other;
	if (w.n_changed)
		snprintf(changed, sizeof(changed), "; %" PRIu64 " times another program wrote a control meanwhile",
			 w.n_changed);
	unc_odds_text(w.n_reads, n_wrong, odds);
	if (n_wrong)
		unc_check_fail(c,
			       "of %" PRIu64 " reads of ids and controls %" PRIu64 " were all ones and %" PRIu64
			       " another value than when it was read again: %s%s",
			       w.n_reads, w.n_ones, w.n_other, odds, changed);
	else
		unc_check_pass(c, "%" PRIu64 " reads of %s were all the same: %s%s", w.n_reads,
			       b->pbox.in_msrs ? "controls"
			       : b->busy       ? "ids"
					       : "ids and controls",
			       odds, changed);
	return UNC_OK;
}

/* ==== presence.alike ==== */

/*
 * Does each socket have the same channels?  A channel without DIMMs is present like any other and its clock ticks, but it has no
 * commands: that is not a difference of the silicon, but it is reported.
 */

enum { LIST = 200 }; /* a text such as "imc0.ch2 imc1.ch0" */

static void list_box(char list[LIST], const struct unc_box *box)
{
	unc_text_join(list, LIST, " ", "imc%u.ch%u", box->instance->imc, box->instance->channel);
}

/* The channel of the same instance on another socket, if one is present; NULL: none. */
static const struct unc_box *elsewhere(const struct unc_check *c, const struct unc_box *box)
{
	const struct unc_box *other;

	for (size_t i = 0; (other = unc_box_at(c->m, "imc", i)); i++)
		if (other->instance == box->instance && other->socket != box->socket && other->presence == UNC_PRESENT)
			return other;
	return NULL;
}

/* ---- results ---- */

static void report_alike(struct unc_windows *ws, unsigned socket, bool only, uint64_t ns)
{
	struct unc_check *c = ws->c;
	char there[LIST] = "", lacking[LIST] = "", silent[LIST] = "";
	const struct unc_box *box, *other, *there_elsewhere = NULL;
	bool counted = false;
	unsigned n = 0; /* channels that are there */
	char idle[320] = "";

	unc_check_begin_socket(c, socket);
	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++) {
		if (box->socket != socket)
			continue;
		other = elsewhere(c, box);
		if (box->presence == UNC_PRESENT) {
			list_box(there, box);
			n++;
		} else if (other) {
			list_box(lacking, box);
			there_elsewhere = there_elsewhere ? there_elsewhere : other;
		}
	}
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];
		unsigned fixed = unc_drive_fixed(w->b);

		/* If an access failed, nothing is reported about commands of the channel. */
		if (w->b->box->socket != socket || !w->in)
			continue;
		counted = true;
		if (w->gained[0] == 0 && w->gained[fixed] > 0)
			list_box(silent, w->b->box);
		unc_check_see(c, unc_window_seen(w, 0, "reads and writes", w->gained[0]));
	}
	if (silent[0])
		snprintf(idle, sizeof(idle),
			 "; nothing was read from or written to %s in %" PRIu64
			 " ms, while the clock ticked: without DIMMs, or unused",
			 silent, ns / 1000000);
	else if (counted)
		snprintf(idle, sizeof(idle), "; all that could be tried had reads or writes");
	if (lacking[0])
		unc_check_fail(c, "%s of this socket cannot be reached, though socket%u has it%s", lacking,
			       there_elsewhere->socket, idle);
	else
		unc_check_pass(c, "%u channels (%s)%s%s", n, there,
			       only ? "; there is no other socket to compare with" : ", as on the other sockets", idle);
}

static void count(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 5, 20, 100);
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(ws->c, sockets);
	const char *events[UNC_COUNTERS_MAX] = {unc_windows_commands(ws)};
	struct unc_window *w = NULL;

	events[0] = events[0] ? events[0] : "cas_count.rd";
	while (unc_windows_next(ws, &w))
		w->in = unc_drive_fixed(w->b) < UNC_PMON_SLOTS;
	unc_windows_run(ws, events, ns);
	for (size_t i = 0; i < n && ws->rc == 0; i++)
		report_alike(ws, sockets[i], n == 1, ns);
}

static const struct unc_windows_def alike = {0, count, NULL, NULL};

/* ==== presence.ubox ==== */

/*
 * Checks the numbers of sockets.  A UBOX holds its node id, and a map in which the index of that node is the physical package
 * (Linux arch/x86/events/intel/uncore_snbep.c, snbep_pci2phy_map_init()).  Two UBOXes whose numbers are swapped show only by the
 * NUMA node that the firmware gives their bus, if it does so; otherwise only traffic.nodes can detect that.
 */

struct told { /* what the UBOX of a socket reports */
	struct unc_box *ubox;
	uint64_t node, node_value, map_value;
	bool answers;          /* its registers were read */
	char why[UNC_MSG_MAX]; /* the reason if they were not */
	unsigned n_entries;    /* entries of the map that hold this node */
	unsigned entry;        /* the first of these entries */
	int package;           /* package of the NUMA node that the firmware gives its bus; -1: not known */
};

static void ask(const struct unc_check *c, struct told *told)
{
	const struct unc_unit *unit = told->ubox->unit;
	const struct unc_reg *node = unc_unit_reg(unit, "CPUNODEID"), *map = unc_unit_reg(unit, "GIDNIDMAP");
	const struct unc_field *entry = NULL;

	told->answers = unc_reg_look(told->ubox, node, 0, &told->node_value) == 0 &&
			unc_reg_look(told->ubox, map, 0, &told->map_value) == 0;
	if (!told->answers) {
		memcpy(told->why, c->m->ctx->msg, sizeof(told->why));
		return;
	}
	told->node = unc_field_get(unc_reg_field(node, "node"), told->node_value);
	for (unsigned i = 0; i == 0 || entry; i++) {
		char name[16];

		snprintf(name, sizeof(name), "gid%u", i);
		entry = unc_reg_field(map, name);
		if (entry && unc_field_get(entry, told->map_value) == told->node && told->n_entries++ == 0)
			told->entry = i;
	}
}

/* If there are fewer than eight sockets, no document defines the entries of the others: Linux takes the first that matches. */
static void report_ubox(struct unc_check *c, unsigned socket, const struct told *told, int twin)
{
	const struct unc_box *ubox = told->ubox;
	int package = told->package;
	bool known = false; /* the operating system knows such a package */

	unc_check_begin_socket(c, socket);
	if (!ubox)
		unc_check_skip(c, "the maps name no UBOX for this processor");
	else if (ubox->presence != UNC_PRESENT)
		unc_check_say(c, ubox->presence == UNC_MISSING ? UNC_CHECK_FAIL : UNC_CHECK_SKIP, "%s", ubox->why);
	else if (!told->answers)
		unc_check_fail(c, "%s", told->why);
	if (!ubox || !told->answers)
		return;
	for (size_t i = 0; i < c->m->topo.n_packages; i++)
		known |= c->m->topo.packages[i].id == socket;
	unc_check_see(c, unc_seen(ubox, unc_unit_reg(ubox->unit, "CPUNODEID"), 0, "the node that this socket is",
				  told->node_value));
	unc_check_see(c, unc_seen(ubox, unc_unit_reg(ubox->unit, "GIDNIDMAP"), 0, "the node of each socket",
				  told->map_value));
	if (!told->n_entries)
		unc_check_fail(c, "its node %" PRIu64 " is in no entry of GIDNIDMAP 0x%08" PRIx64, told->node,
			       told->map_value);
	else if (twin >= 0)
		unc_check_fail(c, "it is node %" PRIu64 ", as socket%d says of itself too", told->node, twin);
	else if (told->entry != socket)
		unc_check_fail(c, "its UBOX says that it is socket %u", told->entry);
	else if (package >= 0 && (unsigned)package != socket)
		unc_check_fail(
			c, "its UBOX says that it is socket %u, but the firmware put %s on a NUMA node of package %d",
			told->entry, told->ubox->pci, package);
	else
		unc_check_pass(c, "node %" PRIu64 " is entry %u of GIDNIDMAP 0x%08" PRIx64 "%s%s", told->node,
			       told->entry, told->map_value,
			       known ? ", a package of the operating system"
				     : "; the operating system has no such package, since none of its CPUs is online",
			       package >= 0 ? ", to which the firmware gives its bus too"
					    : "; the firmware does not tell the node of its bus");
	if (unc_check_failed(c))
		return;
	unc_check_tested(c, "CPUNODEID", "node %" PRIu64 " is socket %u, as krn", told->node, socket);
	unc_check_tested(c, "GIDNIDMAP", "0x%08" PRIx64 " has node %" PRIu64 " %s, as krn", told->map_value, told->node,
			 told->n_entries == 1 ? "once" : "several times, and the first counts");
}

static int run_ubox(struct unc_check *c)
{
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(c, sockets);
	struct told *told = calloc(n + 1, sizeof(*told));
	bool distinct = n == 1;
	struct unc_box *box;

	if (!told)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; !told[i].ubox && (box = unc_box_at(c->m, "ubox", k)); k++)
			told[i].ubox = box->socket == sockets[i] ? box : NULL;
		told[i].package = -1;
		if (told[i].ubox && told[i].ubox->addr_known)
			told[i].package = unc_machine_package_near(c->m, &told[i].ubox->addr);
		if (told[i].ubox && told[i].ubox->presence == UNC_PRESENT)
			ask(c, &told[i]);
		for (size_t k = 0; k < i; k++)
			distinct |= told[i].package != told[k].package;
	}
	for (size_t i = 0; i < n; i++) {
		int twin = -1; /* another socket that reports the same number */

		for (size_t k = n; k-- > 0;)
			if (k != i && told[k].answers && told[k].node == told[i].node)
				twin = (int)sockets[k];
		/* Some firmware gives the buses of all sockets the same node, which says nothing. */
		told[i].package = distinct ? told[i].package : -1;
		report_ubox(c, sockets[i], &told[i], twin);
	}
	free(told);
	return UNC_OK;
}

/* ==== presence.ids, presence.config, and the table ==== */

enum { PCI_BYTES = 256, EXPRESS_BYTES = 4096 }; /* PCI 3.0 section 6.1; PCI Express 3.0 section 7.2 */

/* True: there is no function to look at, and the result is skipped. */
static bool skips_memory(struct unc_check *c, const struct unc_box *box)
{
	if (box->addr.kind == UNC_MMIO)
		unc_check_skip(c, "its registers are in memory, where there is no header and no end: the machine was "
				  "opened only after BOX_CTL had been read there");
	return box->addr.kind == UNC_MMIO;
}

/* ---- ids ---- */

static int read_ids(struct unc_check *c, const struct unc_check_box *b)
{
	const struct unc_instance *at = b->box->instance;
	struct unc_pci_header header;
	int rc;

	if (skips_memory(c, b->box))
		return UNC_OK;
	rc = unc_pci_header_read(b->box->space, &header);
	if (rc < 0)
		return rc;
	unc_check_expect(c, unc_seen_value("ids", "device and vendor", header.ids), unc_instance_ids(at), 0);
	unc_check_see(c, unc_seen_value("class", "class code", header.class_code));
	unc_check_see(c, unc_seen_value("type", "header type", header.type));
	if (header.bridge)
		unc_check_fail(c, "header type 0x%02x, that of a bridge and not of a function with counters",
			       header.type);
	unc_check_pass(c,
		       "%04x:%04x as the map says; of class 0x%06" PRIx32
		       ", revision 0x%02x and header type 0x%02x the map says nothing",
		       at->vendor, at->device, header.class_code, header.revision, header.type);
	return UNC_OK;
}

/* ---- configuration space ---- */

/*
 * Reads as much as exists and is compared.  Whether a function has more than the first 256 bytes shows when its last dword is read,
 * since its file or window may promise more than it has.
 */
static int read_config(struct unc_check *c, const struct unc_check_box *b)
{
	struct unc_space *space = b->box->space;
	const struct unc_unit *unit = b->box->unit;
	const struct unc_reg *reg = NULL; /* the last register of the map */
	uint32_t last, end = 0;
	unsigned char bytes[EXPRESS_BYTES];
	size_t there, len, n_ones = 0;
	int rc;

	if (skips_memory(c, b->box))
		return UNC_OK;
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *of_map = &unit->regs[i];
		uint32_t its_end = unc_reg_off(of_map, of_map->count - 1) + of_map->bits / 8;

		if (its_end > end) {
			end = its_end;
			reg = of_map;
		}
	}
	there = space->len < EXPRESS_BYTES ? (size_t)space->len : EXPRESS_BYTES;
	if (there > PCI_BYTES && unc_read32(space, there - 4, &last) < 0)
		there = PCI_BYTES;
	len = c->cfg.depth == UNC_CHECK_QUICK && there > PCI_BYTES ? PCI_BYTES : there;
	rc = unc_read_block(space, 0, bytes, len);
	if (rc == 0)
		rc = unc_read32(space, there - 4, &last);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < len; i += 4)
		n_ones += unc_le32(bytes + i) == UINT32_MAX;
	if (n_ones == len / 4)
		unc_check_fail(c, "all %zu dwords read as all ones", n_ones);
	else if (end > there)
		unc_check_fail(c, "%s ends at 0x%" PRIx32 ", but only %zu bytes can be read", reg->name, end, there);
	else
		unc_check_pass(c,
			       "%zu bytes, as of %s, can be read to the last dword, and all registers of the map are "
			       "below 0x%" PRIx32 "; of %zu dwords %zu are all ones",
			       there, there > PCI_BYTES ? "PCI Express" : "PCI", end, len / 4, n_ones);
	return UNC_OK;
}

static const struct unc_check_def defs[] = {
	{UNC_CHECK_CHANNELS, .run = run_functions,
	 .about = {"presence.functions", "each memory channel that this part should have is there and answers",
		   "327043-001 section 2.5; PCI 3.0 section 6.1", .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .read = read_ids,
	 .about = {"presence.ids", "vendor and device are those of the map, and the header is that of a function",
		   "327043-001 section 2.5; PCI 3.0 section 6.2.1", .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .read = read_config,
	 .about = {"presence.config", "configuration space can be read to its end and holds all registers of the map",
		   "PCI 3.0 section 6.1; PCI Express 3.0 section 7.2", .ms = {1, 2, 2}}},
	{UNC_CHECK_CHANNELS, .run = run_ubox,
	 .about = {"presence.ubox",
		   "what each socket tells of its number fits the other sockets and the operating system",
		   "Linux uncore_snbep.c, snbep_pci2phy_map_init()", .ms = {1, 1, 1}}},
	{UNC_CHECK_CHANNELS, .windows = &alike,
	 .about = {"presence.alike",
		   "each socket has the same channels; which of them nothing is read from or written to",
		   "327043-001 section 2.5", .writes = true, .ms = {6, 21, 101}}},
	{UNC_CHECK_CHANNELS, .read = read_steady, .msrs = UNC_CHECK_MSRS,
	 .about = {"presence.steady", "ids and controls read the same each time, and never as all ones",
		   "PCI 3.0 section 6.1", .ms = {8, 19, 361}}},
};

const struct unc_check_theme unc_check_presence = {defs, sizeof(defs) / sizeof(defs[0])};
