// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/discovery.h"

#include "base/text.h"
#include "machine/boxes.h"

/* ---- where a table is: an extended capability of a function 8086:09a7 ---- */

enum { IDS_DISCOVERY = 0x09a78086, CAPS_FIRST = 0x100, CAPS_MAX = 64 };
enum { CAP_DVSEC = 0x23, VENDOR_INTEL = 0x8086, DVSEC_PMON = 1, BAR0 = 0x10, BARS = 6, COMMAND = 0x04, DECODES = 2 };

struct capabilities { /* of a function: the list of them, as far as it was read */
	uint32_t ats[CAPS_MAX], next;
	unsigned n;
};

/*
 * Finds the next capability that points at a table; a function may have several (Linux, uncore_discovery.c).  PCI Express: 15:0 id,
 * 31:20 where the next one is.  *ret_pointer: BAR in 2:0, offset of the table in the rest.  UNC_ENODEV: there is no other one.
 */
static int next_pointer(struct unc_space *space, struct capabilities *caps, uint32_t *ret_pointer)
{
	struct unc_ctx *ctx = space->bus->ctx;
	uint32_t at, words[4] = {0};
	int rc = UNC_OK;

	while (caps->next >= CAPS_FIRST && caps->next + sizeof(words) <= space->len) {
		at = caps->next;
		caps->next = 0;
		for (unsigned i = 0; i < caps->n; i++)
			if (caps->ats[i] == at)
				return unc_fail(ctx, UNC_EIO,
						"its list of capabilities has no end: it leads back to 0x%" PRIx32, at);
		if (caps->n == CAPS_MAX)
			return unc_fail(ctx, UNC_EIO, "its list of capabilities has more than %d", CAPS_MAX);
		caps->ats[caps->n++] = at;
		for (uint32_t k = 0; k < 4 && rc == 0; k++)
			rc = unc_read32(space, at + 4 * k, &words[k]);
		if (rc < 0)
			return rc;
		if (words[0] == UINT32_MAX || words[0] == 0)
			break;
		caps->next = words[0] >> 20 & ~UINT32_C(3);
		if ((uint16_t)words[0] == CAP_DVSEC && (uint16_t)words[1] == VENDOR_INTEL &&
		    (uint16_t)words[2] == DVSEC_PMON) {
			*ret_pointer = words[3];
			return UNC_OK;
		}
	}
	if (space->len <= CAPS_FIRST)
		return unc_fail(
			ctx, UNC_ENODEV,
			"only %" PRIu64
			" bytes of its configuration space can be reached, and what points at the table is beyond them",
			space->len);
	return unc_fail(ctx, UNC_ENODEV, "it has no capability that points at a table");
}

/* PCI 3.0, section 6.2.5.1: bit 0 is for ports, 2:1 is the width, 3 allows prefetching. */
static int find_table(struct unc_space *space, uint32_t pointer, uint64_t *ret_base)
{
	struct unc_ctx *ctx = space->bus->ctx;
	uint32_t bar = 0, high = 0, command = 0;
	int rc;

	if ((pointer & 7) >= BARS)
		return unc_fail(ctx, UNC_EIO, "its table would be in BAR %" PRIu32 ", which no function has",
				pointer & 7);
	rc = unc_read32(space, BAR0 + 4 * (pointer & 7), &bar);
	if (rc == 0 && (bar >> 1 & 3) == 2 && (pointer & 7) + 1 < BARS)
		rc = unc_read32(space, BAR0 + 4 * (pointer & 7) + 4, &high);
	if (rc == 0)
		rc = unc_read32(space, COMMAND, &command);
	if (rc < 0)
		return rc;
	*ret_base = (uint64_t)high << 32 | (bar & ~UINT32_C(0xf));
	if (bar & 1 || (bar >> 1 & 1) || *ret_base == 0 || bar == UINT32_MAX)
		return unc_fail(ctx, UNC_EIO,
				"BAR %" PRIu32 ", where its table should be, is 0x%08" PRIx32 ": no address of memory",
				pointer & 7, bar);
	if (!(command & DECODES))
		return unc_fail(ctx, UNC_EIO,
				"its memory is switched off (bit 1 of its command register): the firmware left the "
				"table unreachable");
	*ret_base += pointer & ~UINT32_C(7);
	return UNC_OK;
}

/* ---- the table ---- */

enum { QWORDS = 3, ENTRY_BYTES = QWORDS * 8, TABLE_MAX = 0x80000, STRIDE_LEAST = QWORDS };

struct reading {
	struct unc_machine *m;
	struct unc_iomem *iomem;
	struct unc_table *table;
	struct unc_space *space;
	uint64_t base;
};

static uint64_t field(uint64_t qword, unsigned low, unsigned n)
{
	return qword >> low & ((UINT64_C(1) << n) - 1);
}

/* Opens so much of it; the function may have a driver, which does not keep the table to itself. */
static int open_table(struct reading *r, uint64_t len)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = r->base, .len = len}};
	char own[UNC_ADDR_TEXT];
	struct unc_bus *bus;
	int rc;

	unc_space_close(r->space);
	r->space = NULL;
	rc = unc_iomem_is_free(r->m, r->iomem, &addr, unc_addr_text(&r->table->function, own));
	if (rc == 0)
		rc = unc_machine_bus(r->m, UNC_MMIO, &bus);
	return rc == 0 ? unc_space_open(bus, &addr, &r->space) : rc;
}

/* What changes while it is read is no table. */
static int read_entry(struct reading *r, uint64_t off, uint64_t entry[QWORDS])
{
	uint64_t again = 0;
	int rc = UNC_OK;

	for (uint64_t i = 0; i < QWORDS && rc == 0; i++)
		rc = unc_read64(r->space, off + 8 * i, &entry[i]);
	for (uint64_t i = 0; i < QWORDS && rc == 0; i++) {
		rc = unc_read64(r->space, off + 8 * i, &again);
		if (rc == 0 && again != entry[i])
			rc = unc_fail(r->m->ctx, UNC_EIO,
				      "its table reads 0x%016" PRIx64 " at 0x%" PRIx64 " and then 0x%016" PRIx64
				      ": it changes while it is read",
				      entry[i], off + 8 * i, again);
	}
	return rc;
}

static bool has_ones(const uint64_t entry[QWORDS])
{
	return entry[0] == UINT64_MAX || entry[1] == UINT64_MAX || entry[2] == UINT64_MAX;
}

/* Bits 15:8 of the head: the length of an entry in 8 bytes; 25:16: how many there are room for. */
static int read_head(struct reading *r, uint64_t *ret_stride, uint64_t *ret_n)
{
	struct unc_ctx *ctx = r->m->ctx;
	uint64_t head[QWORDS] = {0};
	int rc = open_table(r, ENTRY_BYTES);

	if (rc == 0)
		rc = read_entry(r, 0, head);
	if (rc < 0)
		return rc;
	if (has_ones(head))
		return unc_fail(ctx, UNC_EIO, "its table reads all ones: the memory at 0x%" PRIx64 " does not answer",
				r->base);
	if (head[0] == 0 || head[1] == 0)
		return unc_fail(ctx, UNC_EIO, "its table is empty: the head at 0x%" PRIx64 " is 0", r->base);
	*ret_stride = field(head[0], 8, 8);
	*ret_n = field(head[0], 16, 10);
	if (*ret_stride < STRIDE_LEAST || *ret_n == 0 || (1 + *ret_n) * *ret_stride * 8 > TABLE_MAX)
		return unc_fail(ctx, UNC_EIO,
				"the head of its table at 0x%" PRIx64 " is 0x%016" PRIx64 ": %" PRIu64
				" entries of %" PRIu64 " bytes make no table",
				r->base, head[0], *ret_n, *ret_stride * 8);
	return open_table(r, (1 + *ret_n) * *ret_stride * 8);
}

enum { UNIT_BYTES = 0x60 };

/* Two units in memory that are one by number, or that share registers: neither can be believed.  first may be second. */
static void doubt_twins(struct unc_table *first, struct unc_table *second)
{
	for (size_t i = 0; i < first->n_units; i++)
		for (size_t k = 0; k < (first == second ? i : second->n_units); k++) {
			struct unc_table_unit *a = &first->units[i], *b = &second->units[k];
			uint64_t apart = a->address > b->address ? a->address - b->address : b->address - a->address;
			bool same = a->type == b->type && a->id == b->id;
			bool overlap = a->access == UNC_TABLE_MMIO && b->access == UNC_TABLE_MMIO && apart < UNIT_BYTES;

			a->doubted |= same || overlap;
			b->doubted |= same || overlap;
		}
}

static int read_units(struct reading *r)
{
	struct unc_table *table = r->table;
	uint64_t stride = 0, n = 0, entry[QWORDS] = {0};
	int rc = read_head(r, &stride, &n);

	for (uint64_t i = 1; i <= n && rc == 0; i++) {
		struct unc_table_unit unit = {0};

		rc = read_entry(r, i * stride * 8, entry);
		if (rc < 0)
			break;
		/* An empty place, or one that no source takes for a unit. */
		if (has_ones(entry) || entry[0] == 0 || entry[1] == 0 || field(entry[0], 62, 2) == UNC_TABLE_UNKNOWN ||
		    field(entry[0], 8, 8) == 0 || field(entry[0], 24, 8) == 0 || field(entry[0], 0, 8) == 0) {
			table->n_skipped += entry[0] != 0 || entry[1] != 0;
			continue;
		}
		unit.n_counters = (unsigned)field(entry[0], 0, 8);
		unit.ctl_off = (unsigned)field(entry[0], 8, 8);
		unit.width = (unsigned)field(entry[0], 16, 8);
		unit.ctr_off = (unsigned)field(entry[0], 24, 8);
		unit.access = (enum unc_table_access)field(entry[0], 62, 2);
		unit.address = entry[1];
		unit.type = (unsigned)field(entry[2], 0, 16);
		unit.id = (unsigned)field(entry[2], 16, 16);
		rc = unc_list_add(r->m->ctx, &table->units, &table->n_units, &unit, sizeof(unit));
	}
	if (rc == 0 && table->n_units == 0)
		rc = unc_fail(r->m->ctx, UNC_EIO, "its table at 0x%" PRIx64 " has no entry that makes sense", r->base);
	return rc;
}

/* ---- near which package ---- */

int unc_machine_package_near(struct unc_machine *m, const struct unc_addr *function)
{
	const struct unc_host_cpu *cpus;
	char path[100], name[UNC_ADDR_TEXT], *text;
	uint64_t node = UINT64_MAX;
	bool shared = false; /* firmware that interleaves memory makes one node of several sockets */
	struct unc_saved_msg said;
	int package = -1;
	size_t n = 0;

	unc_msg_save(m->ctx, &said);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", unc_addr_text(function, name));
	if (unc_host_file(m->host, path, 32, &text, NULL) == 0) {
		text[strcspn(text, "\n")] = '\0';
		if (!unc_text_u64(text, &node))
			node = UINT64_MAX; /* "-1": not known */
		free(text);
	}
	if (node != UINT64_MAX && unc_machine_cpus(m, &cpus, &n) == 0)
		for (size_t i = 0; i < n; i++) {
			if (cpus[i].node < 0 || (uint64_t)cpus[i].node != node)
				continue;
			shared |= package >= 0 && package != cpus[i].package;
			package = cpus[i].package;
		}
	unc_msg_restore(m->ctx, &said);
	return shared ? -1 : package;
}

/* ---- all tables ---- */

/* A function that is gone, or refused, has no table: the windows are found by registers, or not at all. */
static int take_function(struct unc_machine *m, struct unc_iomem *iomem, struct unc_bus *bus,
			 const struct unc_addr *addr, struct unc_tables *tables)
{
	struct capabilities caps = {.next = CAPS_FIRST};
	struct unc_pci_header header;
	struct unc_space *space;
	char name[UNC_ADDR_TEXT];
	size_t before = tables->n;
	int rc, package;

	if (unc_space_open(bus, addr, &space) < 0)
		return UNC_OK;
	rc = unc_pci_header_read(space, &header);
	if (rc < 0 || header.ids != IDS_DISCOVERY) {
		unc_space_close(space);
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	}
	package = unc_machine_package_near(m, addr);
	do {
		struct unc_table table = {.function = *addr, .package = package};
		struct reading r = {.m = m, .iomem = iomem, .table = &table};
		uint32_t pointer = 0;

		rc = next_pointer(space, &caps, &pointer);
		if (rc == UNC_ENODEV && tables->n > before) {
			rc = UNC_OK;
			break;
		}
		if (rc == 0)
			rc = find_table(space, pointer, &r.base);
		if (rc == 0)
			rc = read_units(&r);
		unc_space_close(r.space);
		if (rc < 0)
			snprintf(table.why, sizeof(table.why), "pci %s: %.900s", unc_addr_text(addr, name),
				 m->ctx->msg);
		if (rc != UNC_ENOMEM)
			rc = unc_list_add(m->ctx, &tables->tables, &tables->n, &table, sizeof(table));
		if (rc < 0)
			free(table.units);
	} while (rc == 0 && caps.next);
	unc_space_close(space);
	for (size_t i = before; i < tables->n; i++)
		for (size_t k = before; k <= i && !tables->tables[i].why[0]; k++)
			if (!tables->tables[k].why[0])
				doubt_twins(&tables->tables[i], &tables->tables[k]);
	return rc;
}

/*
 * One file that lists the ids of all functions saves opening hundreds of them: a line begins with bus and device, and then ids, in
 * hex ("6a08\t808609a7").  It has no domains.
 */
int unc_tables_find(struct unc_machine *m, struct unc_iomem *iomem, const struct unc_addr *addrs, size_t n)
{
	struct unc_saved_msg said;
	struct unc_bus *bus;
	char *list = NULL;
	int rc;

	unc_msg_save(m->ctx, &said);
	if (unc_host_file(m->host, "/proc/bus/pci/devices", 1 << 20, &list, NULL) < 0)
		list = NULL;
	unc_msg_restore(m->ctx, &said);
	rc = unc_machine_bus(m, UNC_PCI, &bus);
	m->tables = calloc(1, sizeof(*m->tables));
	if (!m->tables)
		rc = unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		char line[32];

		snprintf(line, sizeof(line), "%02x%02x\t%04x%04x", addrs[i].pci.bus,
			 addrs[i].pci.dev << 3 | addrs[i].pci.fn, IDS_DISCOVERY & 0xffff,
			 (unsigned)IDS_DISCOVERY >> 16);
		if (!list || strstr(list, line))
			rc = take_function(m, iomem, bus, &addrs[i], m->tables);
	}
	free(list);
	return rc;
}

void unc_tables_free(struct unc_tables *tables)
{
	for (size_t i = 0; tables && i < tables->n; i++)
		free(tables->tables[i].units);
	if (tables)
		free(tables->tables);
	free(tables);
}

/* ---- a box in the tables ---- */

static unsigned type_of(const struct unc_box *box)
{
	return box->instance->hbm ? UNC_TYPE_HBM : (unsigned)box->unit->box_type;
}

/* Tables number the channels of all controllers through. */
static unsigned id_of(const struct unc_box *box)
{
	const struct unc_unit *unit = box->unit;
	unsigned n = 1;

	for (size_t i = 0; i < unit->n_instances; i++)
		if (unit->instances[i].channel >= n)
			n = unit->instances[i].channel + 1;
	return box->instance->imc * n + box->instance->channel;
}

static const struct unc_table_unit *find_unit(const struct unc_table *table, uint64_t type, uint64_t id)
{
	for (size_t i = 0; i < table->n_units; i++)
		if (table->units[i].type == type && table->units[i].id == id)
			return &table->units[i];
	return NULL;
}

/* By the NUMA node of its function, or because that is on the bus of the socket's UBOX; -1: not known. */
static int socket_of(const struct unc_table *table, const struct unc_box *box)
{
	const struct unc_machine *m = box->machine;

	if (table->package >= 0)
		return table->package;
	if (m->n_sockets == 1)
		return (int)box->socket;
	for (const struct unc_socket *socket = m->sockets; socket < m->sockets + m->n_sockets; socket++) {
		if (socket->has_ubox && socket->ubox_bus == table->function.pci.bus &&
		    socket->ubox_domain == table->function.pci.domain)
			return (int)socket->id;
	}
	return -1;
}

/*
 * The table of the box's socket: that which has its address; else that of the socket, if it tells of the box; else, for a box that
 * registers tell of, one whose socket is not known, so that what differs is noticed.
 */
static const struct unc_table *table_of(const struct unc_tables *tables, const struct unc_box *box, uint64_t address)
{
	const struct unc_table *found = NULL;

	for (size_t i = 0; i < tables->n; i++) {
		const struct unc_table *table = &tables->tables[i];
		int socket = socket_of(table, box);

		if (table->why[0])
			continue;
		for (size_t k = 0; address && k < table->n_units; k++)
			if (table->units[k].address == address && table->units[k].access == UNC_TABLE_MMIO)
				return table;
		if (find_unit(table, type_of(box), id_of(box)) &&
		    (socket == (int)box->socket || (!found && address && socket < 0)))
			found = table;
	}
	return found;
}

/* Offsets of a table count from there. */
static uint32_t first_of(const struct unc_unit *unit)
{
	const struct unc_reg *box_ctl = unc_unit_reg(unit, "BOX_CTL");

	return box_ctl ? box_ctl->off : 0;
}

/* What the table says of the block is what the map says. */
static int check_layout(const struct unc_box *box, const struct unc_table_unit *unit)
{
	const struct unc_reg *ctl = unc_unit_reg(box->unit, "CTL"), *ctr = unc_unit_reg(box->unit, "CTR");
	uint32_t first = first_of(box->unit);

	if (unit->access != (box->unit->kind == UNC_PCI ? UNC_TABLE_PCI : UNC_TABLE_MMIO))
		return unc_fail(
			box->machine->ctx, UNC_EIO,
			"the discovery table says that it is reached by way %u, and not in %s: it is not counted",
			unit->access, box->unit->kind == UNC_PCI ? "PCI space (2)" : "memory (1)");
	if (!ctl || !ctr || unit->n_counters != ctl->count || first + unit->ctl_off != ctl->off ||
	    first + unit->ctr_off != ctr->off || unit->width != box->unit->counter_bits)
		return unc_fail(box->machine->ctx, UNC_EIO,
				"the discovery table gives it %u counters of %u bits at 0x%x, with controls at 0x%x, "
				"and the map %s others: it is not counted",
				unit->n_counters, unit->width, unit->ctr_off, unit->ctl_off, box->unit->map);
	return UNC_OK;
}

/* The first table that cannot be read and may have the unit of box: it is of this socket, or of an unknown one.  Or NULL. */
static const struct unc_table *unreadable_table_of(const struct unc_tables *tables, const struct unc_box *box)
{
	for (size_t i = 0; i < tables->n; i++) {
		const struct unc_table *table = &tables->tables[i];
		int socket = socket_of(table, box);

		if (table->why[0] && (socket < 0 || socket == (int)box->socket))
			return table;
	}
	return NULL;
}

int unc_tables_agree(const struct unc_box *box, struct unc_addr *addr)
{
	const struct unc_tables *tables = box->machine->tables;
	uint64_t address = addr->mmio.base;
	const struct unc_table *table = table_of(tables, box, address);
	const struct unc_table_unit *unit = table ? find_unit(table, type_of(box), id_of(box)) : NULL;
	struct unc_ctx *ctx = box->machine->ctx;
	char name[UNC_ADDR_TEXT];

	if (!unit && address && !box->instance->hbm)
		return UNC_OK; /* no table tells of it */
	if (!unit) {
		const struct unc_table *bad = unreadable_table_of(tables, box);

		return unc_fail(ctx, bad ? UNC_EIO : UNC_ENODEV,
				"no discovery table has unit %u of type %u for this socket%s%.700s", id_of(box),
				type_of(box), bad ? ": " : "", bad ? bad->why : "");
	}
	unc_addr_text(&table->function, name);
	if (address && unit->address != address)
		return unc_fail(ctx, UNC_EIO,
				"by its registers it is at 0x%" PRIx64
				", and by the discovery table of pci %s at 0x%" PRIx64 ": it is not counted",
				address, name, unit->address);
	if (unit->doubted)
		return unc_fail(ctx, UNC_EIO,
				"the discovery table of pci %s has unit %u of type %u twice, or another unit in its "
				"registers: it is not counted",
				name, unit->id, unit->type);
	addr->kind = UNC_MMIO;
	addr->mmio.base = unit->address;
	return check_layout(box, unit);
}

int unc_tables_agree_in_pci(const struct unc_box *box)
{
	const struct unc_tables *tables = box->machine->tables;
	uint64_t place = (uint64_t)box->addr.pci.domain << 28 | (uint64_t)box->addr.pci.bus << 20 |
			 (uint64_t)box->addr.pci.dev << 15 | (uint64_t)box->addr.pci.fn << 12 | first_of(box->unit);
	bool has_others = false;

	for (size_t i = 0; tables && i < tables->n; i++)
		for (size_t k = 0; !tables->tables[i].why[0] && k < tables->tables[i].n_units; k++) {
			const struct unc_table_unit *unit = &tables->tables[i].units[k];

			if ((int)unit->type != box->unit->box_type ||
			    socket_of(&tables->tables[i], box) != (int)box->socket)
				continue;
			if ((unit->address & INT32_MAX) == place)
				return check_layout(box, unit);
			has_others = true;
		}
	return !has_others ? UNC_OK
			   : unc_fail(box->machine->ctx, UNC_EIO,
				      "the discovery table of its socket has such units, and none at 0x%" PRIx32
				      " of this function: it is not counted",
				      first_of(box->unit));
}

bool unc_tables_have_hbm(const struct unc_tables *tables)
{
	for (size_t i = 0; tables && i < tables->n; i++)
		for (size_t k = 0; !tables->tables[i].why[0] && k < tables->tables[i].n_units; k++)
			if (tables->tables[i].units[k].type == UNC_TYPE_HBM)
				return true;
	return false;
}

/* ---- a unit that no map names ---- */

int unc_tables_unit(struct unc_machine *m, const char *name, const struct unc_table_unit **ret_unit)
{
	const struct unc_table_unit *unit = NULL;
	char text[UNC_ADDR_TEXT + 24], *rest = text, *function, *type_text;
	struct unc_addr addr;
	uint64_t type, id;

	snprintf(text, sizeof(text), "%s", name);
	function = unc_text_cut(&rest, '/');
	type_text = unc_text_cut(&rest, '.');
	if (strlen(name) >= sizeof(text) || !type_text || !rest || !unc_addr_parse_pci(function, &addr) ||
	    !unc_text_u64(type_text, &type) || !unc_text_u64(rest, &id))
		return unc_fail(m->ctx, UNC_EARG,
				"%s: not a unit of a discovery table, which is named by the function of the table, its "
				"type and its id, such as 06:00.1/7.2",
				name);
	for (size_t i = 0; m->tables && i < m->tables->n && !unit; i++)
		if (unc_addr_compare(&m->tables->tables[i].function, &addr) == 0)
			unit = find_unit(&m->tables->tables[i], type, id);
	if (!unit)
		return unc_fail(m->ctx, UNC_ENODEV, "%s: no discovery table has that unit; see uncorectl list -v",
				name);
	if (unit->access != UNC_TABLE_MMIO)
		return unc_fail(m->ctx, UNC_EARG, "%s: the table says that it is not in memory", name);
	if (unit->doubted)
		return unc_fail(m->ctx, UNC_EARG,
				"%s: the table has it twice, or another unit in its registers, so it is not touched",
				name);
	*ret_unit = unit;
	return UNC_OK;
}

unsigned unc_table_unit_bits(const struct unc_table_unit *unit, uint32_t off)
{
	uint32_t ctr = off - unit->ctr_off, ctl = off - unit->ctl_off;

	if (off % 4)
		return 0;
	if (off >= unit->ctr_off && ctr < 8 * unit->n_counters)
		return ctr % 8 ? 0 : 64;
	return off == 0 || (off >= unit->ctl_off && ctl < 4 * unit->n_counters) ? 32 : 0;
}
