// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes registers by their names. */

#include "machine/discovery.h"
#include "machine/gate.h"
#include "machine/boxes.h"
#include "machine/nodes.h"
#include "map/field.h"
#include "uncore/reg.h"

static const char by_name[1]; /* the owner of these writes, for unc_gate_restore() */

int unc_box_reg_base(const struct unc_box *box, size_t reg, uint64_t was, uint64_t *ret_value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	if (!found)
		return UNC_ENOREG;
	*ret_value = unc_reg_base(found, was);
	return UNC_OK;
}

int unc_box_field_put(const struct unc_box *box, size_t reg, size_t field, uint64_t number, uint64_t *value)
{
	struct unc_ctx *ctx = box->machine->ctx;
	const struct unc_reg *found;
	const struct unc_field *f = unc_box_nth_field(box, reg, field, &found);

	if (!f)
		return UNC_ENOREG;
	if (f->acc == UNC_RO || f->acc == UNC_RSVD)
		return unc_fail(ctx, UNC_EDENIED, "%s: %s.%s is %s", box->name, found->name, f->name,
				f->acc == UNC_RO ? "read-only" : "reserved: nothing may be written there");
	return unc_wrap(ctx, unc_field_set(ctx, f, number, value), "%s: %s", box->name, found->name);
}

int unc_box_reg_allows(const struct unc_box *box, size_t reg, uint64_t value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	return found ? unc_gate_allows(box, found, index, value) : UNC_ENOREG;
}

/*
 * Write-only bits: if the bits just set read back, the value read before was the former value; else that is not known, and they
 * become 0 in the end.
 */
static int plan(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	const struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	struct unc_gate_intent intent = {.reg = reg, .index = index, .values = &value, .n_values = 1};
	uint64_t was;
	int rc = entry ? UNC_OK : unc_reg_look(box, reg, index, &was);

	if (rc < 0)
		return rc;
	if (entry)
		was = entry->line.before;
	intent.was = &was;
	intent.doubted = value & unc_reg_mask(reg, UNC_WO);
	intent.idle = unc_reg_base(reg, was);
	return unc_gate_plan(box, &intent, by_name);
}

int unc_box_reg_plan(struct unc_box *box, size_t reg, uint64_t value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	return found ? plan(box, found, index, value) : UNC_ENOREG;
}

int unc_box_reg_write(struct unc_box *box, size_t reg, uint64_t value, uint64_t *ret_now)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);
	uint64_t now;
	int rc;

	if (!found)
		return UNC_ENOREG;
	rc = unc_gate_allows(box, found, index, value);
	if (rc == 0)
		rc = plan(box, found, index, value);
	if (rc == 0)
		rc = unc_gate_write(box, found, index, value, by_name);
	if (rc == 0 && unc_reg_mask(found, UNC_WO))
		rc = unc_gate_verify_readback(box, found, index);
	if (rc == 0)
		rc = unc_gate_see(box, found, index, &now);
	if (rc == 0)
		*ret_now = now;
	return rc;
}

int unc_box_reg_keep(struct unc_box *box, size_t reg)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	if (!found)
		return UNC_ENOREG;
	unc_gate_keep(box, found, index);
	return UNC_OK;
}

int unc_machine_put_back(struct unc_machine *m)
{
	return unc_gate_restore(m, by_name);
}

/*
 * Registers that no map names: each gets a box, a unit and one register of one field of its own, so that the gate, the
 * journal and every message treat it as any other.  Registers that a map names are refused here.
 */

enum { CONFIG_DWORD = 4 };

struct unc_raw {
	struct unc_raw *next; /* owned */
	struct unc_box box;
	struct unc_unit unit;
	struct unc_instance instance;
	struct unc_reg reg;
	struct unc_field field;
	char name[16]; /* name of the register: "0x84" */
};

void unc_raw_free_all(struct unc_machine *m)
{
	while (m->raws) {
		struct unc_raw *raw = m->raws;

		m->raws = raw->next;
		unc_space_close(raw->box.space);
		free(raw);
	}
}

/* Returns the register of a unit that covers this place, in whole or in part; for an MSR its number is compared. */
static const struct unc_reg *reg_over(const struct unc_unit *unit, uint32_t off, unsigned *ret_index)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint32_t len = unit->kind == UNC_MSR ? 1 : reg->bits / 8;

		for (*ret_index = 0; *ret_index < reg->count; ++*ret_index)
			if (off >= unc_reg_off(reg, *ret_index) && off - unc_reg_off(reg, *ret_index) < len)
				return reg;
	}
	return NULL;
}

/* Kept in the box for a later write. */
static bool named(struct unc_raw *raw, const char *whose, const struct unc_reg *reg, unsigned index)
{
	char element[16] = "";

	if (reg->count > 1)
		snprintf(element, sizeof(element), "[%u]", index);
	snprintf(raw->box.why, sizeof(raw->box.why), "that is %s%s of %s: use reg set, which knows what it means",
		 reg->name, element, whose);
	return true;
}

/* Returns true if a map names the register there, also in a unit of which no boxes are made. */
static bool is_named(struct unc_machine *m, struct unc_raw *raw, uint32_t ids)
{
	const struct unc_addr *addr = &raw->box.addr;
	const struct unc_reg *reg;
	unsigned index;
	char of_cpu[40];

	for (size_t i = 0; i < m->n_boxes; i++) {
		const struct unc_box *box = &m->boxes[i];
		/* A PCI function is one box; an MSR may be the same register on every CPU of a socket, or on all CPUs. */
		bool covers = box->unit->kind == addr->kind &&
			      (addr->kind == UNC_MSR || (box->addr_known && unc_addr_compare(&box->addr, addr) == 0));

		if (box->unit->per == UNC_PER_NODE || box->unit->per == UNC_PER_L3)
			covers &= unc_node_box_has(box, addr->msr.cpu);
		reg = covers ? reg_over(box->unit, raw->reg.off, &index) : NULL;
		if (reg)
			return named(raw, box->name, reg, index);
	}
	for (size_t i = 0; i < m->map->n_units; i++) {
		const struct unc_unit *unit = &m->map->units[i];
		bool covers = unit->kind == addr->kind && addr->kind != UNC_PCI;

		for (size_t k = 0; unit->kind == addr->kind && addr->kind == UNC_PCI && k < unit->n_instances; k++)
			covers |= unit->instances[k].dev == addr->pci.dev && unit->instances[k].fn == addr->pci.fn &&
				  ids == unc_instance_ids(&unit->instances[k]);
		reg = covers ? reg_over(unit, raw->reg.off, &index) : NULL;
		if (!reg)
			continue;
		snprintf(of_cpu, sizeof(of_cpu), "cpu%u.%.20s", addr->msr.cpu, unit->name);
		return named(raw, unit->per == UNC_PER_CPU ? of_cpu : unit->path, reg, index);
	}
	return false;
}

static void describe(struct unc_machine *m, struct unc_raw *raw, const struct unc_addr *addr, uint32_t off,
		     unsigned bits)
{
	snprintf(raw->name, sizeof(raw->name), "0x%" PRIx32, off);
	raw->field = (struct unc_field){
		.name = "all", .path = "raw", .hi = bits - 1, .acc = addr->kind == UNC_MMIO ? UNC_RO : UNC_RW};
	raw->reg = (struct unc_reg){
		.name = raw->name,
		.path = "raw",
		.off = off,
		.count = 1,
		.bits = bits,
		.fields = &raw->field,
		.n_fields = 1,
	};
	raw->unit = (struct unc_unit){
		.map = "raw",
		.path = "raw",
		.name = "raw",
		.model = "raw",
		.loaded = true,
		.kind = addr->kind,
		.regs = &raw->reg,
		.n_regs = 1,
	};
	raw->instance = (struct unc_instance){.perf = -1, .pcm = -1, .likwid = -1};
	raw->box = (struct unc_box){
		.machine = m,
		.unit = &raw->unit,
		.instance = &raw->instance,
		.raw = &raw->unit,
		.addr = *addr,
		.addr_known = true,
	};
	unc_addr_text(addr, raw->box.pci);
	snprintf(raw->box.name, sizeof(raw->box.name), "%.39s", raw->box.pci);
}

static int make(struct unc_machine *m, const struct unc_addr *addr, uint32_t off, unsigned bits,
		struct unc_box **ret_box)
{
	struct unc_pci_header header = {0};
	struct unc_raw *raw;
	struct unc_bus *bus;
	int rc;

	for (raw = m->raws; raw; raw = raw->next) {
		if (raw->reg.off == off && unc_addr_compare(&raw->box.addr, addr) == 0) {
			*ret_box = &raw->box;
			return UNC_OK;
		}
	}
	raw = calloc(1, sizeof(*raw));
	if (!raw)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	describe(m, raw, addr, off, bits);
	rc = unc_machine_bus(m, addr->kind, &bus);
	if (rc == 0)
		rc = unc_space_open(bus, addr, &raw->box.space);
	if (rc == 0 && addr->kind == UNC_PCI)
		rc = unc_pci_header_read(raw->box.space, &header);
	if (rc == 0 && header.ids == UINT32_MAX)
		rc = unc_fail(m->ctx, UNC_ENODEV, "pci %s: reads as all ones: no device answers there", raw->box.pci);
	if (rc == 0) {
		raw->box.bridge = header.bridge;
		raw->box.host_bridge = header.class_code == UNC_CLASS_HOST_BRIDGE;
		raw->instance.vendor = (uint16_t)header.ids;
		raw->reg.never = is_named(m, raw, header.ids);
	}
	if (rc == 0 && addr->kind == UNC_PCI && off >= raw->box.space->len)
		rc = unc_fail(m->ctx, UNC_ERANGE, "%s: 0x%" PRIx32 " is beyond its %" PRIu64 " bytes", raw->box.name,
			      off, raw->box.space->len);
	if (rc < 0) {
		unc_space_close(raw->box.space);
		free(raw);
		return rc;
	}
	raw->next = m->raws;
	m->raws = raw;
	*ret_box = &raw->box;
	return UNC_OK;
}

int unc_raw_pci(struct unc_machine *m, const char *address, uint32_t offset, struct unc_box **ret_box)
{
	struct unc_addr addr;

	if (!unc_addr_parse_pci(address, &addr))
		return unc_fail(m->ctx, UNC_EARG,
				"%s: not the address of a PCI function, such as 0000:7f:10.4 or 7f:10.4", address);
	if (offset % CONFIG_DWORD)
		return unc_fail(m->ctx, UNC_EARG, "%s: 0x%" PRIx32 " is not a multiple of 4", address, offset);
	return make(m, &addr, offset, 32, ret_box);
}

int unc_raw_msr(struct unc_machine *m, unsigned cpu, uint32_t number, struct unc_box **ret_box)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};

	return make(m, &addr, number, 64, ret_box);
}

int unc_raw_mmio(struct unc_machine *m, const char *unit_name, uint32_t offset, struct unc_box **ret_box)
{
	struct unc_addr addr = {.kind = UNC_MMIO};
	const struct unc_table_unit *unit = NULL;
	struct unc_iomem iomem = {0};
	unsigned bits;
	int rc = unc_tables_unit(m, unit_name, &unit);

	if (rc < 0)
		return rc;
	bits = unc_table_unit_bits(unit, offset);
	if (!bits)
		return unc_fail(m->ctx, UNC_ERANGE,
				"%s: its table says of no register at 0x%" PRIx32
				": the unit's control is at 0, %u controls from 0x%x and counters from 0x%x",
				unit_name, offset, unit->n_counters, unit->ctl_off, unit->ctr_off);
	addr.mmio.base = unit->address;
	addr.mmio.len = (uint64_t)offset + bits / 8;
	rc = unc_iomem_is_free(m, &iomem, &addr, NULL);
	unc_iomem_clear(&iomem);
	if (rc == 0)
		rc = make(m, &addr, offset, bits, ret_box);
	return unc_wrap(m->ctx, rc, "%s", unit_name);
}
