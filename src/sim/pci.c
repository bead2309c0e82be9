// SPDX-License-Identifier: GPL-2.0-or-later
/* The PCI bus of a simulated machine, and its configuration space as a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/chance.h"
#include "sim/computer.h"
#include "sim/discovery.h"

struct unc_sim_place *unc_sim_place_find(const struct unc_sim *sim, const struct unc_addr *addr)
{
	size_t low = 0, high = sim->n_places;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = unc_addr_compare(&sim->places[middle].addr, addr);

		if (order == 0)
			return &sim->places[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int unc_sim_place_reach(struct unc_sim *sim, const struct unc_addr *addr, const struct unc_sim_place **ret_place)
{
	const struct unc_sim_place *place = unc_sim_place_find(sim, addr);
	char name[UNC_ADDR_TEXT];

	if (!place || place->hidden)
		return unc_fail(sim->host.ctx, UNC_ENODEV, "pci %s: the simulated machine has no such function%s",
				unc_addr_text(addr, name), place ? " (hide= or defect=hidden took it away)" : "");
	*ret_place = place;
	return UNC_OK;
}

static bool answers(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_gone *gone = cycle->place->gone;

	return !gone || cycle->t_ns < gone->from_ns || cycle->t_ns >= gone->until_ns;
}

/* PCI configuration space: the common header (PCI 3.0, 6.1), and the dispatch to a function's own registers. */

enum {
	HDR_ID = 0x00,        /* 15:0 vendor, 31:16 device */
	HDR_CLASS = 0x08,     /* 7:0 revision, 31:8 class code */
	HDR_TYPE = 0x0c,      /* 23:16 header type */
	HDR_SUBSYSTEM = 0x2c, /* 15:0 vendor, 31:16 device */
	HDR_END = 0x40,       /* a function's own registers begin here */

	VENDOR_INTEL = 0x8086,
	TYPE_MULTI_FUNCTION = 0x80,
};

/* Command and status read 0: here these functions own no memory, are no bus masters and have no capability list. */
static uint32_t header_read(const struct unc_sim_place *place, uint32_t off)
{
	switch (off) {
	case HDR_ID:
	case HDR_SUBSYSTEM:
		return (uint32_t)place->function->device_id << 16 | VENDOR_INTEL;
	case HDR_CLASS:
		return place->function->class_code << 8 | place->function->revision;
	case HDR_TYPE:
		return (uint32_t)TYPE_MULTI_FUNCTION << 16;
	default:
		return 0;
	}
}

/*
 * The UBOX, which holds the number of its socket. Its registers are as the Linux driver reads them
 * (snbep_pci2phy_map_init): the node id, and eight fields of 3 bits; the index of the field that holds the node id is
 * the physical package. They are at 0x40 and 0x54 on Sandy Bridge-EP to Broadwell-EP, at 0xc0 and 0xd4 on Skylake-SP.
 *
 * Here the node ids are the socket numbers rotated by one, so that a reader that mistakes them for socket numbers gets
 * wrong results. The fields that no socket uses hold node ids that no socket has.
 */

enum {
	MAP_FIELDS = 8,
	MAP_FIELD_BITS = 3,
};

static uint32_t node_id(const struct unc_sim *sim, unsigned socket)
{
	return socket < sim->options.sockets ? (socket + 1) % sim->options.sockets : socket;
}

static uint32_t node_map(const struct unc_sim *sim)
{
	uint32_t map = 0;

	for (unsigned i = 0; i < MAP_FIELDS; i++)
		map |= node_id(sim, i) << i * MAP_FIELD_BITS;
	return map;
}

/* A function's own registers, from 0x40 on. The caller holds the lock. */
static uint32_t ubox_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;

	if (cycle->off == ubox->node_id)
		return node_id(cycle->sim, cycle->sim->ubox_reports[cycle->place->socket]);
	if (cycle->off == ubox->node_map)
		return node_map(cycle->sim);
	return 0;
}

static uint32_t function_read(const struct unc_sim_cycle *cycle)
{
	if (cycle->place->function->kind == UNC_SIM_DISCOVERY)
		return unc_sim_discovery_read(cycle) |
		       (cycle->off < HDR_END ? header_read(cycle->place, cycle->off) : 0);
	if (cycle->off < HDR_END)
		return header_read(cycle->place, cycle->off);
	switch (cycle->place->function->kind) {
	case UNC_SIM_UBOX:
		return ubox_read(cycle);
	case UNC_SIM_IMC:
		return unc_sim_imc_read(cycle);
	case UNC_SIM_BASE:
		return unc_sim_base_read(cycle);
	case UNC_SIM_FREE:
	case UNC_SIM_DISCOVERY:
	case UNC_SIM_UNITS:
	case UNC_SIM_OTHER:
	default:
		return 0;
	}
}

/* Returns whether the nth access of this kind is a faulty one; one in one_in is. */
static bool strikes(const struct unc_sim_cycle *cycle, unsigned kind, uint64_t nth, uint64_t one_in)
{
	uint64_t lot = unc_sim_chance(cycle->sim->options.seed, 2 * cycle->place->channel + kind);

	return unc_sim_chance(lot, nth) % one_in == 0;
}

/* Reads with the defects of its channel. */
static uint32_t faulty_read(const struct unc_sim_cycle *cycle, const struct unc_sim_faults *faults)
{
	struct unc_sim_imc *imc = &cycle->sim->store.state->imc[cycle->place->channel];

	if (faults->ones_one_in && strikes(cycle, 0, imc->reads++, faults->ones_one_in))
		return UINT32_MAX;
	return unc_sim_faults_hold(faults, cycle->off, function_read(cycle));
}

/* Returns the access as it reaches the registers that answer it. */
static struct unc_sim_cycle redirected(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_faults *faults = cycle->place->faults;
	struct unc_sim_cycle to = *cycle;

	if (faults && faults->instead && cycle->off >= HDR_END)
		to.place = faults->instead;
	return to;
}

uint32_t unc_sim_cycle_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_cycle to = redirected(cycle);

	if (!answers(cycle))
		return UINT32_MAX;
	return to.place->faults ? faulty_read(&to, to.place->faults) : function_read(&to);
}

void unc_sim_cycle_begin(struct unc_sim_cycle *cycle)
{
	unc_sim_lock(cycle->sim);
	cycle->t_ns = unc_sim_state_access(cycle->sim->store.state);
}

void unc_sim_cycle_end(struct unc_sim_cycle *cycle)
{
	unc_sim_access_pass(cycle->sim);
	unc_sim_unlock(cycle->sim);
}

uint32_t unc_sim_config_read(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off)
{
	struct unc_sim_cycle cycle = {.sim = sim, .place = place, .off = off, .enabled = UINT32_MAX};
	uint32_t value;

	unc_sim_cycle_begin(&cycle);
	value = unc_sim_cycle_read(&cycle);
	unc_sim_cycle_end(&cycle);
	return value;
}

int unc_sim_check_lockdown(const struct unc_sim *sim, const struct unc_addr *addr, uint64_t off)
{
	char name[UNC_ADDR_TEXT];

	if (!sim->options.lockdown)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EPERM, "EPERM",
			      "pci %s: write 0x%x: Operation not permitted: the simulated kernel is locked down "
			      "(lockdown=1)",
			      unc_addr_text(addr, name), (unsigned)off);
}

static bool is_dropped(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_faults *faults = cycle->place->faults;
	struct unc_sim_imc *imc = &cycle->sim->store.state->imc[cycle->place->channel];

	return faults && faults->drops_one_in && strikes(cycle, 1, imc->writes++, faults->drops_one_in);
}

/* Does the side effects of a write on a channel with such a defect. */
static void do_sides(const struct unc_sim_cycle *cycle, const struct unc_sim_faults *faults)
{
	for (size_t i = 0; i < faults->n_sides; i++) {
		const struct unc_sim_side *side = &faults->sides[i];
		struct unc_sim_cycle besides = *cycle;

		if (!side->any && side->off != cycle->off)
			continue;
		if (side->other) {
			besides.place = side->other;
		} else {
			besides.off = side->clears;
			besides.value = 0;
			besides.enabled = UINT32_MAX;
		}
		unc_sim_imc_write(&besides);
	}
}

void unc_sim_violate(const struct unc_sim_cycle *cycle, enum unc_sim_rule rule, uint32_t wrong)
{
	const struct unc_sim_broken broken = {
		.t_ns = cycle->t_ns,
		.place = (uint32_t)(cycle->place - cycle->sim->places),
		.off = cycle->off,
		.value = cycle->value,
		.wrong = wrong,
		.rule = rule,
	};

	if (!cycle->by_kernel)
		unc_sim_state_violate(cycle->sim->store.state, &broken);
}

static void ubox_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;
	bool known = cycle->off == ubox->node_id || cycle->off == ubox->node_map;

	unc_sim_violate(cycle, known ? UNC_SIM_READ_ONLY : UNC_SIM_NO_REGISTER, cycle->enabled);
}

static bool is_read_only(const struct unc_sim_function *function)
{
	return function->kind == UNC_SIM_BASE || function->kind == UNC_SIM_DISCOVERY;
}

void unc_sim_cycle_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_cycle to = redirected(cycle);

	if (!answers(cycle) || is_dropped(&to))
		return;
	if (to.off < HDR_END || is_read_only(to.place->function))
		unc_sim_violate(&to, UNC_SIM_READ_ONLY, to.enabled);
	else if (to.place->function->kind == UNC_SIM_UBOX)
		ubox_write(&to);
	else if (to.place->function->kind == UNC_SIM_IMC)
		unc_sim_imc_write(&to);
	if (to.off >= HDR_END && to.place->faults)
		do_sides(&to, to.place->faults);
}

void unc_sim_config_write(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off, uint32_t value,
			  uint32_t enabled)
{
	struct unc_sim_cycle cycle = {
		.sim = sim, .place = place, .off = off, .value = value & enabled, .enabled = enabled};

	unc_sim_cycle_begin(&cycle);
	unc_sim_cycle_write(&cycle);
	unc_sim_cycle_end(&cycle);
}

/*
 * Returns the length of the next cycle of an access at any offset, as Linux splits it (pci_read_config, pci-sysfs.c): a
 * byte at an odd offset, a word up to a dword boundary if more than one byte is left, then dwords, then a word, then a
 * byte.
 */
static unsigned cycle_len(uint64_t off, size_t left)
{
	if (off & 1)
		return 1;
	if (off & 2 || left < 4)
		return left >= 2 ? 2 : 1;
	return 4;
}

static size_t len_within(const struct unc_sim *sim, uint64_t off, size_t len)
{
	uint64_t end = sim->options.model->config_bytes;

	if (off >= end)
		return 0;
	return len < end - off ? len : (size_t)(end - off);
}

static int pci_reach(struct unc_host *host, const struct unc_addr *addr, struct unc_sim **ret_sim,
		     const struct unc_sim_place **ret_place)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_sim_none(host);
	*ret_sim = sim;
	return unc_sim_place_reach(sim, addr, ret_place);
}

/* Begins one access to the file; *len becomes the number of bytes to transfer. */
static int fault_begin(struct unc_sim *sim, const struct unc_addr *addr, bool write, uint64_t off, size_t *len)
{
	const struct unc_fault_access access = {
		.ctx = sim->host.ctx, .bus = "pci", .addr = addr, .write = write, .off = off, .can_be_short = true};
	int rc = unc_fault_begin(&sim->fault, &access);

	/* One cycle writes a whole dword, so a write cannot be cut in half. */
	if (rc == UNC_FAULT_CUT) {
		*len = write ? 0 : *len / 2;
		rc = UNC_OK;
	}
	return rc;
}

static void file_read(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, void *buf, size_t len)
{
	unsigned char dword[4];
	unsigned n;

	for (size_t done = 0; done < len; done += n) {
		uint32_t at = (uint32_t)(off + done);

		n = cycle_len(at, len - done);
		unc_put_le32(dword, unc_sim_config_read(sim, place, at & ~UINT32_C(3)));
		memcpy((char *)buf + done, dword + at % 4, n);
	}
}

int unc_sim_pci_read(struct unc_host *host, const struct unc_addr *addr, uint64_t off, void *buf, size_t len,
		     size_t *ret_done)
{
	const struct unc_sim_place *place = NULL;
	struct unc_sim *sim = NULL;
	int rc = pci_reach(host, addr, &sim, &place);

	if (rc < 0)
		return rc;
	len = len_within(sim, off, len);
	rc = fault_begin(sim, addr, false, off, &len);
	if (rc == UNC_FAULT_LOST)
		memset(buf, 0xff, len);
	else if (rc == UNC_OK)
		file_read(sim, place, off, buf, len);
	unc_fault_end(&sim->fault);
	if (rc >= 0)
		*ret_done = len;
	return rc < 0 ? rc : UNC_OK;
}

static void file_write(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, const void *buf,
		       size_t len)
{
	unsigned n;

	for (size_t done = 0; done < len; done += n) {
		uint32_t at = (uint32_t)(off + done);
		unsigned char value[4] = {0}, enabled[4] = {0};

		n = cycle_len(at, len - done);
		memcpy(value + at % 4, (const char *)buf + done, n);
		memset(enabled + at % 4, 0xff, n);
		unc_sim_config_write(sim, place, at & ~UINT32_C(3), unc_le32(value), unc_le32(enabled));
	}
}

int unc_sim_pci_write(struct unc_host *host, const struct unc_addr *addr, uint64_t off, const void *buf, size_t len,
		      size_t *ret_done)
{
	const struct unc_sim_place *place = NULL;
	struct unc_sim *sim = NULL;
	int rc = pci_reach(host, addr, &sim, &place);

	if (rc < 0)
		return rc;
	len = len_within(sim, off, len);
	rc = fault_begin(sim, addr, true, off, &len);
	if (rc == UNC_OK)
		rc = unc_sim_check_lockdown(sim, addr, off);
	if (rc == UNC_OK)
		file_write(sim, place, off, buf, len);
	unc_fault_end(&sim->fault);
	if (rc >= 0)
		*ret_done = len;
	return rc < 0 ? rc : UNC_OK;
}

static struct unc_sim_pci pci_of(const struct unc_sim *sim, const struct unc_sim_place *place)
{
	return (struct unc_sim_pci){
		.addr = place->addr,
		.vendor = VENDOR_INTEL,
		.device = place->function->device_id,
		.subsystem_vendor = VENDOR_INTEL,
		.subsystem_device = place->function->device_id,
		.class_code = place->function->class_code,
		.revision = place->function->revision,
		.socket = place->socket,
		.config_bytes = sim->options.model->config_bytes,
	};
}

/* The PCI functions of the machine, and their addresses. */

static int by_address(const void *a, const void *b)
{
	const struct unc_sim_place *x = a, *y = b;

	return unc_addr_compare(&x->addr, &y->addr);
}

static void place_all(struct unc_sim *sim)
{
	const struct unc_sim_model *model = sim->options.model;
	size_t channel = 0, i;

	for (unsigned socket = 0; socket < sim->options.sockets; socket++) {
		for (i = 0; i < model->n_functions; i++) {
			const struct unc_sim_function *function = &model->functions[i];
			struct unc_sim_place *place = &sim->places[sim->n_places++];

			place->function = function;
			place->socket = socket;
			place->channel = function->kind == UNC_SIM_IMC ? channel++ : 0;
			if (function->at) {
				place->addr = (struct unc_addr){
					.kind = UNC_MMIO,
					.mmio = {.base = unc_sim_memory_base(sim, socket) + function->at}};
				continue;
			}
			place->addr.kind = UNC_PCI;
			place->addr.pci.bus =
				unc_sim_bus(&sim->options, socket, function->slot, &place->addr.pci.domain);
			place->addr.pci.dev = function->dev;
			place->addr.pci.fn = function->fn;
		}
	}
	qsort(sim->places, sim->n_places, sizeof(sim->places[0]), by_address);
}

static bool same_bus(const struct unc_addr *a, const struct unc_addr *b)
{
	return a->pci.domain == b->pci.domain && a->pci.bus == b->pci.bus;
}

/* Lists the functions on that bus; an empty list means that there is no such bus. */
static void list_functions(const struct unc_sim *sim, const struct unc_addr *bus, char *text, size_t size)
{
	char item[16];

	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_addr *addr = &sim->places[i].addr;

		if (addr->kind != UNC_PCI || !same_bus(addr, bus))
			continue;
		snprintf(item, sizeof(item), "%02x.%x", addr->pci.dev, addr->pci.fn);
		unc_text_join(text, size, ", ", "%s", item);
	}
}

static void list_buses(const struct unc_sim *sim, char *text, size_t size)
{
	char item[16];

	for (size_t i = 0; i < sim->n_places; i++) { /* sorted by address */
		const struct unc_addr *addr = &sim->places[i].addr;

		if (addr->kind != UNC_PCI || (i && same_bus(addr, &sim->places[i - 1].addr)))
			continue;
		snprintf(item, sizeof(item), "%04x:%02x", addr->pci.domain, addr->pci.bus);
		unc_text_join(text, size, ", ", "%s", item);
	}
}

static int no_function(const struct unc_sim *sim, const char *key, const struct unc_addr *addr)
{
	char name[UNC_ADDR_TEXT], list[512] = ""; /* 32 buses of 9 bytes */

	if (!sim->n_places)
		return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no PCI functions", key,
				    unc_addr_text(addr, name));
	list_functions(sim, addr, list, sizeof(list));
	if (*list)
		return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no such function; on that bus it has %s",
				    key, unc_addr_text(addr, name), list);
	list_buses(sim, list, sizeof(list));
	return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no such function; its buses are %s", key,
			    unc_addr_text(addr, name), list);
}

static int mark(struct unc_sim *sim)
{
	char name[UNC_ADDR_TEXT];

	for (size_t i = 0; i < sim->options.n_hide; i++) {
		struct unc_sim_place *place = unc_sim_place_find(sim, &sim->options.hide[i]);

		if (!place)
			return no_function(sim, "hide", &sim->options.hide[i]);
		place->hidden = true;
	}
	for (size_t i = 0; i < sim->options.n_gone; i++) {
		const struct unc_sim_gone *gone = &sim->options.gone[i];
		struct unc_sim_place *place = unc_sim_place_find(sim, &gone->addr);

		if (!place)
			return no_function(sim, gone->key, &gone->addr);
		if (place->hidden || place->gone)
			return unc_sim_fail(sim, UNC_EARG,
					    "%s=%s: hide=, allones= or vanish= names that function too, and it "
					    "can be away only once",
					    gone->key, unc_addr_text(&place->addr, name));
		place->gone = gone;
	}
	return UNC_OK;
}

int unc_sim_places_init(struct unc_sim *sim)
{
	sim->places = calloc(sim->options.sockets * sim->options.model->n_functions + 1, sizeof(sim->places[0]));
	if (!sim->places)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	place_all(sim);
	return mark(sim);
}

/* Returns the i-th function that is not hidden. */
static const struct unc_sim_place *place_at(const struct unc_sim *sim, size_t i)
{
	for (size_t k = 0; k < sim->n_places; k++)
		if (!sim->places[k].hidden && sim->places[k].addr.kind == UNC_PCI && i-- == 0)
			return &sim->places[k];
	return NULL;
}

size_t unc_sim_pcis(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);
	size_t k, n = 0;

	for (k = 0; sim && k < sim->n_places; k++)
		n += !sim->places[k].hidden && sim->places[k].addr.kind == UNC_PCI;
	return n;
}

int unc_sim_pci(struct unc_host *host, size_t i, struct unc_sim_pci *ret_pci)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place;

	if (!sim)
		return unc_sim_none(host);
	place = place_at(sim, i);
	if (!place)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no PCI function %zu", i);
	*ret_pci = pci_of(sim, place);
	return UNC_OK;
}

/*
 * Writes that broke a rule of the manual.  G-JKT: Intel 327043-001, uncore guide for the E5-2600, whose rules the later
 * guides repeat; G-IVT: 329468-002, that for the E5 v2 and E7 v2.
 */

static const char *const rules[UNC_SIM_RULES] = {
	[UNC_SIM_RESERVED] = "these bits are reserved and must be written 0 (G-JKT)",
	[UNC_SIM_MUST_BE_1] = "these bits are reserved and must be written 1 (G-IVT)",
	[UNC_SIM_READ_ONLY] = "this register cannot be written",
	[UNC_SIM_NO_REGISTER] = "there is no register at this offset",
	[UNC_SIM_NEEDS_THRESH] = "edge_det and invert act after thresh, which must not be 0 (G-JKT table 2-61)",
	[UNC_SIM_INVERT_EDGE] = "invert must not be combined with edge_det (G-JKT)",
	[UNC_SIM_ONE_RANK] = "ranks are not added: one rank per counter (G-JKT)",
	[UNC_SIM_OTHER_WIDTH] = "counters are accessed by 8 bytes and other registers by 4, at multiples of that",
};

uint64_t unc_sim_violations(struct unc_host *host)
{
	struct unc_sim *sim = unc_sim_of(host);
	uint64_t n;

	if (!sim)
		return 0;
	unc_sim_lock(sim);
	n = sim->store.state->n_violations;
	unc_sim_unlock(sim);
	return n;
}

int unc_sim_violation(struct unc_host *host, size_t i, struct unc_sim_violation *ret_violation)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct unc_sim_broken broken;
	char name[UNC_ADDR_TEXT];

	if (!sim)
		return unc_sim_none(host);
	if (i >= unc_sim_violations(host) || i >= UNC_SIM_VIOLATIONS_KEPT)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no violation %zu, or it was not kept", i);
	unc_sim_lock(sim);
	broken = sim->store.state->violations[i];
	unc_sim_unlock(sim);
	if (broken.place >= sim->n_places || broken.rule >= UNC_SIM_RULES)
		return unc_sim_fail(sim, UNC_EIO, "the state is damaged: violation %zu is of no known place or rule",
				    i);
	*ret_violation = (struct unc_sim_violation){
		.t_ns = broken.t_ns,
		.addr = sim->places[broken.place].addr,
		.off = broken.off,
		.value = broken.value,
		.wrong = broken.wrong,
	};
	snprintf(ret_violation->sentence, sizeof(ret_violation->sentence),
		 "%s: 0x%02" PRIx32 " written 0x%08" PRIx32 ": wrong bits 0x%08" PRIx32 ": %s",
		 unc_addr_text(&ret_violation->addr, name), broken.off, broken.value, broken.wrong, rules[broken.rule]);
	return UNC_OK;
}
