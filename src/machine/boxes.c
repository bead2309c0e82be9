// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/text.h"
#include "machine/areas.h"
#include "machine/boxes.h"
#include "machine/discovery.h"
#include "machine/nodes.h"

enum { HEADER_BYTES = 16, HEADER_CLASS = 0x08, HEADER_TYPE = 0x0e, TYPE_MASK = 0x7f };

int unc_pci_header_read(struct unc_space *space, struct unc_pci_header *ret_header)
{
	unsigned char bytes[HEADER_BYTES];
	int rc = unc_read_block(space, 0, bytes, sizeof(bytes));

	if (rc < 0)
		return rc;
	ret_header->ids = unc_le32(bytes);
	ret_header->bridge = (bytes[HEADER_TYPE] & TYPE_MASK) != 0;
	ret_header->type = bytes[HEADER_TYPE];
	ret_header->revision = bytes[HEADER_CLASS];
	ret_header->class_code = unc_le32(bytes + HEADER_CLASS) >> 8;
	return UNC_OK;
}

uint32_t unc_instance_ids(const struct unc_instance *instance)
{
	return (uint32_t)(instance->vendor | (uint32_t)instance->device << 16);
}

/*
 * Finds the boxes: reads the ids of every PCI function whose device.function is in the map, on all domains and buses.
 * Boxes are independent: none is found by way of another, and a missing one does not renumber the others.
 */

struct candidate { /* a function in a place where the map expects one, with its ids, or with ids that are not known */
	const struct unc_unit *unit;
	const struct unc_instance *instance;
	struct unc_addr addr;
	struct unc_space *space; /* owned until a box takes it; NULL: it cannot be used, */
	bool bridge, host_bridge;
	int rc;                /* and the error why, */
	char why[UNC_MSG_MAX]; /* and its message; "": it reads as all ones */
};

struct search {
	struct unc_machine *m;
	struct candidate *found;
	size_t n_found;
	struct unc_uncore_bus *buses;
	size_t n_buses;
	struct unc_iomem iomem;
	bool in_pci, in_tables; /* the map has units that are found through PCI functions, or in discovery tables */
};

/* Found through PCI functions: that has the registers, or those that tell where they are in memory. */
static bool is_in_pci(const struct unc_unit *unit)
{
	return unit->kind == UNC_PCI || unit->found != UNC_WINDOW_NOT;
}

/* Opens a function and reads its header.  Both are left as they are if that fails. */
static int read_header(struct unc_bus *bus, const struct unc_addr *addr, struct unc_pci_header *ret_header,
		       struct unc_space **ret_space)
{
	struct unc_space *space;
	int rc = unc_space_open(bus, addr, &space);

	if (rc < 0)
		return rc;
	rc = unc_pci_header_read(space, ret_header);
	if (rc < 0)
		unc_space_close(space);
	else
		*ret_space = space;
	return rc;
}

/* A refusal matters only for a function of ours.  The ids can often be read even if registers cannot be written. */
static void read_refused(struct search *s, const struct unc_addr *addr, struct unc_pci_header *ret_header)
{
	struct unc_space *space = NULL;
	struct unc_bus *bus;

	if (unc_machine_bus_open(s->m, UNC_PCI, false, &bus) < 0)
		return;
	read_header(bus, addr, ret_header, &space);
	unc_space_close(space);
	unc_bus_close(bus);
}

/* Opens a candidate and compares its ids.  *ret_ours: they are ours, or it does not tell them; only the former stays open. */
static int probe(struct search *s, struct unc_bus *bus, struct candidate *c, bool *ret_ours)
{
	uint32_t ids = unc_instance_ids(c->instance);
	struct unc_pci_header header = {.ids = ids};
	/* A host bridge is known by its place: each part has another id. */
	uint32_t known = c->instance->device ? UINT32_MAX : UINT16_MAX;
	struct unc_ctx *ctx = s->m->ctx;

	c->rc = read_header(bus, &c->addr, &header, &c->space);
	if (c->rc < 0 && c->rc != UNC_EPERM && c->rc != UNC_ENODEV && c->rc != UNC_EIO)
		return c->rc;
	if (c->rc < 0)
		memcpy(c->why, ctx->msg, sizeof(c->why));
	if (c->rc == UNC_EPERM)
		read_refused(s, &c->addr, &header);
	else if (c->rc < 0) /* it vanished since it was listed, or does not answer */
		unc_note(ctx, "%s", ctx->msg);
	if (header.ids == UINT32_MAX) {
		c->rc = UNC_ENODEV;
		c->why[0] = '\0';
	}
	c->bridge = header.bridge;
	c->host_bridge = header.class_code == UNC_CLASS_HOST_BRIDGE;
	*ret_ours = ((header.ids ^ ids) & known) == 0 || header.ids == UINT32_MAX;
	if (!*ret_ours || header.ids == UINT32_MAX) {
		unc_space_close(c->space);
		c->space = NULL;
	}
	return UNC_OK;
}

static int consider(struct search *s, struct unc_bus *bus, const struct unc_unit *unit, const struct unc_addr *addr)
{
	/* All windows of a unit are found through one function of the socket. */
	size_t n = unit->kind == UNC_PCI ? unit->n_instances : unit->n_instances > 0;

	for (size_t i = 0; i < n; i++) {
		struct candidate c = {.unit = unit, .instance = &unit->instances[i], .addr = *addr};
		bool ours;
		int rc;

		if (c.instance->dev != addr->pci.dev || c.instance->fn != addr->pci.fn ||
		    (!c.instance->device && (addr->pci.domain || addr->pci.bus)))
			continue;
		rc = probe(s, bus, &c, &ours);
		if (rc < 0)
			return rc;
		if (ours && !unc_array_add(&s->found, &s->n_found, &c, sizeof(c))) {
			unc_space_close(c.space);
			return unc_fail(s->m->ctx, UNC_ENOMEM, "out of memory");
		}
	}
	return UNC_OK;
}

/* If the map has no unit there, the machine need not have that bus. */
static int search_pci(struct search *s)
{
	const struct unc_map *map = s->m->map;
	struct unc_addr *addrs = NULL;
	struct unc_bus *bus;
	size_t n = 0;
	int rc;

	if (!s->in_pci && !s->in_tables)
		return UNC_OK;
	rc = unc_machine_bus(s->m, UNC_PCI, &bus);
	if (rc == 0)
		rc = unc_bus_list(bus, &addrs, &n);
	for (size_t i = 0; i < n && rc == 0; i++)
		for (size_t u = 0; u < map->n_units && rc == 0; u++)
			if (is_in_pci(&map->units[u]))
				rc = consider(s, bus, &map->units[u], &addrs[i]);
	if (rc == 0 && s->in_tables)
		rc = unc_tables_find(s->m, &s->iomem, addrs, n);
	free(addrs);
	return rc;
}

static bool is_ubox(const struct unc_unit *unit)
{
	return strcmp(unit->name, "ubox") == 0;
}

/* Candidates are sorted by domain and bus, so the buses are, too. */
static int collect_buses(struct search *s)
{
	for (size_t i = 0; i < s->n_found; i++) {
		const struct candidate *c = &s->found[i];
		struct unc_uncore_bus *last = s->n_buses ? &s->buses[s->n_buses - 1] : NULL;

		if (c->rc < 0)
			continue;
		if (!last || last->domain != c->addr.pci.domain || last->bus != c->addr.pci.bus) {
			struct unc_uncore_bus new = {.domain = c->addr.pci.domain,
						     .bus = c->addr.pci.bus,
						     .dev = c->addr.pci.dev,
						     .fn = c->addr.pci.fn};

			if (!unc_array_add(&s->buses, &s->n_buses, &new, sizeof(new)))
				return unc_fail(s->m->ctx, UNC_ENOMEM, "out of memory");
			last = &s->buses[s->n_buses - 1];
		}
		if (is_ubox(c->unit))
			last->ubox = c->space;
		else
			last->channels = true;
	}
	return UNC_OK;
}

/* No function is ours, but one was refused or failed: that is the result. */
static int refused(const struct search *s)
{
	for (int denied = 1; denied >= 0 && s->n_buses == 0; denied--)
		for (size_t i = 0; i < s->n_found; i++)
			if (s->found[i].why[0] && (s->found[i].rc == UNC_EPERM) == denied)
				return unc_fail(s->m->ctx, s->found[i].rc, "%s", s->found[i].why);
	return UNC_OK;
}

/* Returns the bus of the socket that has the boxes of a unit. */
static bool bus_of(const struct unc_socket *socket, const struct unc_unit *unit, uint32_t *ret_domain, uint8_t *ret_bus)
{
	bool other = is_ubox(unit) && unit->bus != UNC_BUS_SAME;

	*ret_domain = other ? socket->ubox_domain : socket->domain;
	*ret_bus = other ? socket->ubox_bus : socket->bus;
	return other ? socket->has_ubox : socket->has_bus;
}

static struct candidate *candidate_of(struct search *s, const struct unc_unit *unit,
				      const struct unc_instance *instance, const struct unc_socket *socket)
{
	uint32_t domain;
	uint8_t bus;

	if (!bus_of(socket, unit, &domain, &bus))
		return NULL;
	if (unit->kind == UNC_MMIO)
		instance = unit->instances;
	for (size_t i = 0; i < s->n_found; i++) {
		struct candidate *c = &s->found[i];

		if (c->instance == instance && c->addr.pci.domain == domain && c->addr.pci.bus == bus)
			return c;
	}
	return NULL;
}

static void not_there(struct search *s, struct unc_box *box)
{
	const struct unc_instance *instance = box->instance;
	bool elsewhere = false;

	for (unsigned i = 0; i < s->m->n_sockets; i++)
		elsewhere |= candidate_of(s, box->unit, instance, &s->m->sockets[i]) != NULL;
	box->presence = elsewhere ? UNC_MISSING : UNC_ABSENT;
	if (elsewhere)
		snprintf(box->why, sizeof(box->why),
			 "%s: PCI function %s is not there, though other sockets have it: hidden by the firmware, or "
			 "failed",
			 box->name, box->pci[0] ? box->pci : "of it");
	else
		snprintf(box->why, sizeof(box->why),
			 "%s: there is no PCI function %04x:%04x at %02x.%x on any socket: hidden by the firmware, or "
			 "this %s does not exist here",
			 box->name, instance->vendor, instance->device, instance->dev, instance->fn,
			 instance->numbered ? "channel" : "unit");
}

/* Names a box "socket0.imc0.ch2", or of a whole controller "socket0.free0"; if a socket has only one of the unit, "socket0.ubox". */
static void name_box(struct unc_machine *m, struct unc_box *box, const struct unc_socket *socket)
{
	const char *unit = box->instance->hbm ? "hbm" : box->unit->name;

	box->machine = m;
	box->rc = UNC_ENODEV;
	box->socket = socket->id;
	if (box->instance->numbered && box->instance->whole)
		snprintf(box->name, sizeof(box->name), "socket%u.%.10s%u", socket->id, unit, box->instance->imc);
	else if (box->instance->numbered || box->unit->n_instances > 1)
		snprintf(box->name, sizeof(box->name), "socket%u.%.10s%u.ch%u", socket->id, unit, box->instance->imc,
			 box->instance->channel);
	else
		snprintf(box->name, sizeof(box->name), "socket%u.%.20s", socket->id, unit);
}

/* MSRs of a socket are reached through one of its CPUs, which is opened with the first access: unc_box_reach(). */
static void fill_msr_box(struct unc_machine *m, struct unc_box *box, const struct unc_socket *socket)
{
	name_box(m, box, socket);
	for (size_t i = 0; i < m->topo.n_packages; i++) {
		if (m->topo.packages[i].id != socket->id)
			continue;
		box->addr.kind = UNC_MSR;
		box->addr.msr.cpu = m->topo.packages[i].first_cpu;
		box->addr_known = true;
		unc_addr_text(&box->addr, box->pci);
		box->presence = UNC_PRESENT;
		snprintf(box->why, sizeof(box->why), "MSRs of %s, a CPU of socket %u", box->pci, socket->id);
		return;
	}
	box->presence = UNC_MISSING;
	snprintf(box->why, sizeof(box->why),
		 "%s: no CPU of socket %u is known, and its MSRs are reached through one: none is online, or this "
		 "machine does not tell which CPUs share a socket",
		 box->name, socket->id);
}

int unc_box_reach(struct unc_box *box)
{
	struct unc_machine *m = box->machine;
	struct unc_bus *bus;
	int rc;

	if (box->space)
		return UNC_OK;
	if (box->presence != UNC_PRESENT)
		return unc_fail(m->ctx, box->rc, "%s", box->why);
	rc = unc_machine_bus(m, box->addr.kind, &bus);
	if (rc == 0)
		rc = unc_space_open(bus, &box->addr, &box->space);
	if (rc == UNC_ENODEV && m->bus[UNC_MSR] && unc_node_box_move(box) == 0)
		rc = UNC_OK;
	if (rc == 0 || rc == UNC_EIO || rc == UNC_ENOMEM) /* which may succeed next time */
		return rc;
	box->presence = rc == UNC_EPERM ? UNC_DENIED : UNC_MISSING;
	box->rc = rc;
	snprintf(box->why, sizeof(box->why), "%.1000s", m->ctx->msg);
	return rc;
}

/* Places the box at its function.  Returns the function if it is ours and answers; else NULL, and the box says why. */
static struct candidate *find_function(struct search *s, struct unc_box *box, const struct unc_socket *socket)
{
	const struct unc_instance *instance = box->instance;
	struct candidate *c = candidate_of(s, box->unit, instance, socket);

	name_box(s->m, box, socket);
	if (bus_of(socket, box->unit, &box->addr.pci.domain, &box->addr.pci.bus)) {
		box->addr.kind = UNC_PCI;
		box->addr.pci.dev = instance->dev;
		box->addr.pci.fn = instance->fn;
		box->addr_known = true;
		unc_addr_text(&box->addr, box->pci);
	}
	if (!c) {
		not_there(s, box);
	} else if (c->rc == UNC_EPERM) {
		box->presence = UNC_DENIED;
		box->rc = UNC_EPERM;
		snprintf(box->why, sizeof(box->why), "%.900s", c->why);
	} else if (c->rc < 0) {
		box->presence = UNC_MISSING;
		box->rc = c->rc;
		snprintf(box->why, sizeof(box->why), "%s: PCI function %s is listed, but %s%.800s", box->name, box->pci,
			 c->why[0] ? "its ids cannot be read: " : "reads as all ones", c->why);
	}
	return c && c->rc == 0 ? c : NULL;
}

static void fill_box(struct search *s, struct unc_box *box, const struct unc_socket *socket)
{
	const struct unc_instance *instance = box->instance;
	struct candidate *c = find_function(s, box, socket);

	if (!c)
		return;
	if (box->unit->box_type >= 0 && (box->rc = unc_tables_agree_in_pci(box)) < 0) {
		box->presence = UNC_MISSING;
		snprintf(box->why, sizeof(box->why), "%s: %.900s", box->name, s->m->ctx->msg);
		return;
	}
	box->presence = UNC_PRESENT;
	box->space = c->space;
	box->bridge = c->bridge;
	box->host_bridge = c->host_bridge;
	c->space = NULL;
	snprintf(box->why, sizeof(box->why), "found as %04x:%04x at %s; socket %u by %.400s", instance->vendor,
		 instance->device, box->pci, socket->id, socket->how);
}

/* ---- windows in memory ---- */

bool unc_box_has_pmem(const struct unc_box *box)
{
	const struct unc_machine *m = box->machine;
	bool has = box->pmem != 0;

	for (size_t i = 0; box->unit->found == UNC_WINDOW_MEMBAR_FREE && i < m->n_boxes; i++)
		has |= m->boxes[i].pmem && m->boxes[i].socket == box->socket &&
		       m->boxes[i].instance->imc == box->instance->imc;
	return has;
}

static int fill_window(struct search *s, struct unc_box *box, const struct unc_socket *socket)
{
	struct candidate *c = find_function(s, box, socket);
	static const char *const modules[] = {"", "; Optane module in slot 0", "; Optane module in slot 1",
					      "; Optane modules in slots 0 and 1"};
	char function[UNC_ADDR_TEXT];

	if (!c && box->unit->box_type < 0)
		return UNC_OK;
	memcpy(function, box->pci, sizeof(function));
	box->presence = UNC_MISSING; /* except where hardware says that it is absent; an access that fails does not */
	box->rc = unc_window_open(box, &s->iomem, c ? c->space : NULL, &box->space);
	if (box->rc < 0) {
		box->presence = box->rc == UNC_EPERM ? UNC_DENIED : box->presence;
		box->space = NULL;
		snprintf(box->why, sizeof(box->why), "%.1000s", s->m->ctx->msg);
		return box->rc == UNC_ENOMEM ? UNC_ENOMEM : UNC_OK;
	}
	box->presence = UNC_PRESENT;
	box->addr = box->space->addr;
	box->addr_known = true;
	unc_addr_text(&box->addr, box->pci);
	if (c)
		snprintf(box->why, sizeof(box->why), "at %s by the registers of %s; socket %u by %.400s%s", box->pci,
			 function, socket->id, socket->how, modules[box->pmem]);
	else
		snprintf(box->why, sizeof(box->why), "at %s by a discovery table of socket %u", box->pci, socket->id);
	return UNC_OK;
}

/*
 * A UBOX that does not answer reports no socket, but its place shows which socket it would belong to: that whose bus of channels is
 * at, or nearest above, or below, the UBOX's.
 */
static void adopt_silent_uboxes(struct search *s)
{
	for (size_t i = 0; i < s->n_found; i++) {
		const struct candidate *c = &s->found[i];
		bool is_lower = c->unit->bus == UNC_BUS_LOWER;
		uint8_t bus = c->addr.pci.bus;
		struct unc_socket *nearest = NULL;

		if (!is_ubox(c->unit) || c->unit->bus == UNC_BUS_SAME || c->rc == 0)
			continue;
		for (unsigned k = 0; k < s->m->n_sockets; k++) {
			struct unc_socket *socket = &s->m->sockets[k];

			if (!socket->has_bus || socket->domain != c->addr.pci.domain ||
			    !(is_lower ? bus <= socket->bus : bus >= socket->bus))
				continue;
			if (!nearest || is_lower == (socket->bus < nearest->bus))
				nearest = socket;
		}
		if (!nearest || nearest->has_ubox || nearest->bus == bus) /* there it is another device */
			continue;
		nearest->has_ubox = true;
		nearest->ubox_domain = c->addr.pci.domain;
		nearest->ubox_bus = bus;
	}
}

int unc_boxes_make_room(struct unc_machine *m, size_t n)
{
	struct unc_box *boxes = realloc(m->boxes, (m->n_boxes + n + 1) * sizeof(*boxes));

	if (!boxes)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	memset(boxes + m->n_boxes, 0, (n + 1) * sizeof(*boxes));
	m->boxes = boxes;
	return UNC_OK;
}

static size_t boxes_per_socket(const struct unc_unit *unit)
{
	if (unit->kind == UNC_MSR)
		return unit->per == UNC_PER_SOCKET; /* machine/cpu_boxes.c and nodes.c make the others */
	return unit->n_instances;
}

static int make_boxes_of(struct search *s, const struct unc_unit *unit, const struct unc_socket *socket)
{
	static const struct unc_instance of_socket = {.perf = -1, .pcm = -1, .likwid = -1};
	struct unc_machine *m = s->m;
	int rc = unc_boxes_make_room(m, boxes_per_socket(unit));

	for (size_t i = 0; i < boxes_per_socket(unit) && rc == 0; i++) {
		struct unc_box *box = &m->boxes[m->n_boxes];

		if (unit->kind == UNC_MMIO && unit->instances[i].hbm && !unc_tables_have_hbm(m->tables))
			continue; /* most parts of this model have none */
		m->n_boxes++;
		box->unit = unit;
		box->instance = unit->kind == UNC_MSR ? &of_socket : &unit->instances[i];
		if (unit->kind == UNC_PCI)
			fill_box(s, box, socket);
		else if (unit->kind == UNC_MMIO)
			rc = fill_window(s, box, socket);
		else
			fill_msr_box(m, box, socket);
	}
	return rc;
}

static int make_boxes(struct search *s)
{
	struct unc_machine *m = s->m;
	int rc = UNC_OK;

	for (size_t u = 0; u < m->map->n_units; u++) {
		const struct unc_unit *unit = &m->map->units[u];

		for (unsigned k = 0; k < m->n_sockets && rc == 0; k++) {
			if (unit->per == UNC_PER_NODE || unit->per == UNC_PER_L3)
				rc = unc_node_boxes_make(m, unit, &m->sockets[k]);
			else
				rc = make_boxes_of(s, unit, &m->sockets[k]);
		}
	}
	unc_node_boxes_join(m);
	return rc;
}

int unc_machine_find_boxes(struct unc_machine *m)
{
	struct search s = {.m = m};
	int rc;

	if (m->map->catalogue)
		return unc_areas_find(m);
	for (size_t u = 0; u < m->map->n_units; u++) {
		s.in_pci |= is_in_pci(&m->map->units[u]);
		s.in_tables |= m->map->units[u].box_type >= 0;
	}
	if (*m->no_topology)
		unc_note(m->ctx, "the number of sockets is %s: %s",
			 s.in_pci ? "taken from PCI alone" : "not known, one is assumed", m->no_topology);
	unc_windows_name_functions(m->map);
	rc = search_pci(&s);
	if (rc == 0)
		rc = collect_buses(&s);
	if (rc == 0)
		rc = refused(&s);
	if (rc == 0 && s.in_pci)
		rc = unc_machine_number_sockets(m, unc_map_unit(m->map, "ubox"), s.buses, s.n_buses);
	else if (rc == 0)
		rc = unc_machine_sockets_of_packages(m);
	if (rc == 0)
		adopt_silent_uboxes(&s);
	if (rc == 0)
		rc = make_boxes(&s);
	for (size_t i = 0; i < s.n_found; i++)
		unc_space_close(s.found[i].space);
	free(s.found);
	free(s.buses);
	unc_iomem_clear(&s.iomem);
	return rc;
}

static bool is_of(const struct unc_box *box, const char *unit)
{
	return !unit || strcmp(box->unit->name, unit) == 0;
}

size_t unc_box_count(const struct unc_machine *m, const char *unit)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_boxes; i++)
		n += is_of(&m->boxes[i], unit);
	return n;
}

struct unc_box *unc_box_at(const struct unc_machine *m, const char *unit, size_t index)
{
	for (size_t i = 0; i < m->n_boxes; i++)
		if (is_of(&m->boxes[i], unit) && index-- == 0)
			return &m->boxes[i];
	return NULL;
}

void unc_box_info(const struct unc_box *box, struct unc_box_info *ret_info)
{
	*ret_info = (struct unc_box_info){
		.name = box->name,
		.socket = box->socket,
		.imc = box->instance->imc,
		.channel = box->instance->channel,
		.hbm = box->instance->hbm,
		.pci = box->pci,
		.presence = box->presence,
		.why = box->why,
		.perf = box->instance->perf,
		.pcm = box->instance->pcm,
		.likwid = box->instance->likwid,
	};
}
