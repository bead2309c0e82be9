// SPDX-License-Identifier: GPL-2.0-or-later
/* The PCI bus of a simulated machine, and its configuration space as a file. */

#include "sim/chance.h"
#include "sim/discovery.h"

static int by_address(const void *a, const void *b)
{
	const struct unc_sim_place *x = a, *y = b;

	return unc_addr_compare(&x->addr, &y->addr);
}

struct unc_sim_place *unc_sim_place_find(const struct unc_sim *sim, const struct unc_addr *addr)
{
	const struct unc_sim_place at = {.addr = *addr};

	return bsearch(&at, sim->places, sim->n_places, sizeof(at), by_address);
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

const struct unc_sim_place *unc_sim_channel_named(const struct unc_sim *sim, const char *where)
{
	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_sim_place *place = &sim->places[i];
		char name[64];

		snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", place->socket, place->function->imc,
			 place->function->channel);
		if (place->function->kind == UNC_SIM_IMC && !strcmp(name, where))
			return place;
	}
	return NULL;
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
	SLICES = 0x9c,        /* a bit for each slice of the L3 (Linux, PCM) */

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

/* A function's own registers begin at 0x40. The caller holds the lock. */
static uint32_t function_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;
	uint32_t header = cycle->off < HDR_END ? header_read(cycle->place, cycle->off) : 0, map = 0;

	if (cycle->place->function->kind == UNC_SIM_DISCOVERY)
		return unc_sim_discovery_read(cycle) | header;
	if (cycle->off < HDR_END)
		return header;
	switch (cycle->place->function->kind) {
	case UNC_SIM_UBOX:
		if (cycle->off == ubox->node_id)
			return node_id(cycle->sim, cycle->sim->ubox_reports[cycle->place->socket]);
		for (unsigned i = 0; cycle->off == ubox->node_map && i < MAP_FIELDS; i++)
			map |= node_id(cycle->sim, i) << i * MAP_FIELD_BITS;
		return map;
	case UNC_SIM_IMC:
		return unc_sim_imc_read(cycle);
	case UNC_SIM_M2M:
		return unc_sim_m2m_read(cycle);
	case UNC_SIM_BASE:
		return unc_sim_base_read(cycle);
	case UNC_SIM_SLICES:
		return cycle->off == SLICES;
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
	const struct unc_sim_faults *faults = to.place->faults;
	struct unc_sim_imc *imc = &to.sim->store.state->imc[to.place->channel];

	if (!answers(cycle))
		return UINT32_MAX;
	if (!faults)
		return function_read(&to);
	if (faults->ones_one_in && strikes(&to, 0, imc->reads++, faults->ones_one_in))
		return UINT32_MAX;
	return unc_sim_faults_hold(faults, to.off, function_read(&to));
}

uint64_t unc_sim_access_begin(struct unc_sim *sim)
{
	unc_sim_lock(sim);
	return unc_sim_state_access(sim->store.state);
}

void unc_sim_access_end(struct unc_sim *sim)
{
	unc_sim_access_pass(sim);
	unc_sim_unlock(sim);
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

void unc_sim_violated(struct unc_sim *sim, const struct unc_sim_broken *broken)
{
	struct unc_sim_state *state = sim->store.state;
	uint64_t n = unc_sim_bounded(&state->n_violations, UNC_SIM_VIOLATIONS_KEPT);

	if (n < UNC_SIM_VIOLATIONS_KEPT)
		state->violations[n] = *broken;
	state->n_violations++;
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
		unc_sim_violated(cycle->sim, &broken);
}

void unc_sim_cycle_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;
	const struct unc_sim_cycle to = redirected(cycle);
	const struct unc_sim_faults *faults = to.place->faults;
	struct unc_sim_imc *imc = &to.sim->store.state->imc[to.place->channel];
	enum unc_sim_kind kind = to.place->function->kind;

	if (!answers(cycle))
		return;
	if (faults && faults->drops_one_in && strikes(&to, 1, imc->writes++, faults->drops_one_in))
		return;
	if (to.off < HDR_END || kind == UNC_SIM_BASE || kind == UNC_SIM_DISCOVERY)
		unc_sim_violate(&to, UNC_SIM_READ_ONLY, to.enabled);
	else if (kind == UNC_SIM_UBOX && (to.off == ubox->node_id || to.off == ubox->node_map))
		unc_sim_violate(&to, UNC_SIM_READ_ONLY, to.enabled);
	else if (kind == UNC_SIM_UBOX)
		unc_sim_violate(&to, UNC_SIM_NO_REGISTER, to.enabled);
	else if (kind == UNC_SIM_IMC)
		unc_sim_imc_write(&to);
	else if (kind == UNC_SIM_M2M)
		unc_sim_m2m_write(&to);
	if (to.off >= HDR_END && faults)
		do_sides(&to, faults);
}

int unc_sim_config_access(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, char *in,
			  const char *out, size_t len)
{
	char name[UNC_ADDR_TEXT];
	size_t n;

	/* Linux asks its security modules at each write to configuration space, as it does for MSRs. */
	if (out && sim->options.lockdown)
		return unc_fail_named(
			sim->host.ctx, UNC_EPERM, "EPERM",
			"pci %s: write 0x%x: Operation not permitted: the simulated kernel is locked down "
			"(lockdown=1)",
			unc_addr_text(&place->addr, name), (unsigned)off);
	for (size_t done = 0; done < len; done += n) {
		uint32_t at = (uint32_t)(off + done);
		struct unc_sim_cycle cycle = {.sim = sim, .place = place, .off = at & ~UINT32_C(3)};
		unsigned char value[4] = {0}, enabled[4] = {0};

		n = at & 2 || len - done < 4 ? 2 : 4;
		if (at & 1 || len - done < 2)
			n = 1;
		memset(enabled + at % 4, 0xff, n);
		cycle.enabled = out ? unc_le32(enabled) : UINT32_MAX;
		cycle.t_ns = unc_sim_access_begin(sim);
		if (out) {
			memcpy(value + at % 4, out + done, n);
			cycle.value = unc_le32(value);
			unc_sim_cycle_write(&cycle);
		} else {
			unc_put_le32(value, unc_sim_cycle_read(&cycle));
			memcpy(in + done, value + at % 4, n);
		}
		unc_sim_access_end(sim);
	}
	return UNC_OK;
}

/* The PCI functions of the machine, and their addresses. */

static bool same_bus(const struct unc_addr *a, const struct unc_addr *b)
{
	return a->pci.domain == b->pci.domain && a->pci.bus == b->pci.bus;
}

static int no_function(const struct unc_sim *sim, const char *key, const struct unc_addr *wanted)
{
	char name[UNC_ADDR_TEXT], functions[512] = "", buses[512] = ""; /* 32 buses of 9 bytes */

	unc_addr_text(wanted, name);
	if (!sim->options.model->config_bytes)
		return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no PCI functions", key, name);
	for (size_t i = 0; i < sim->n_places; i++) { /* sorted by address */
		const struct unc_addr *addr = &sim->places[i].addr;

		if (addr->kind != UNC_PCI)
			continue;
		if (same_bus(addr, wanted))
			unc_text_join(functions, sizeof(functions), ", ", "%02x.%x", addr->pci.dev, addr->pci.fn);
		if (!i || !same_bus(addr, &sim->places[i - 1].addr))
			unc_text_join(buses, sizeof(buses), ", ", "%04x:%02x", addr->pci.domain, addr->pci.bus);
	}
	if (*functions)
		return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no such function; on that bus it has %s",
				    key, name, functions);
	return unc_sim_fail(sim, UNC_EARG, "%s=%s: the machine has no such function; its buses are %s", key, name,
			    buses);
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
	for (size_t i = 0; sim->options.gone && i < sim->options.n_gone; i++) {
		const struct unc_sim_gone *gone = &sim->options.gone[i];
		struct unc_sim_place *place = unc_sim_place_find(sim, &gone->addr);

		if (gone->addr.kind == UNC_MSR) /* of a CPU: sim/msr.c */
			continue;
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
	const struct unc_sim_model *model = sim->options.model;
	size_t channel = 0;

	sim->places = calloc(sim->options.sockets * model->n_functions + 1, sizeof(sim->places[0]));
	if (!sim->places)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	for (unsigned socket = 0; socket < sim->options.sockets; socket++) {
		for (size_t i = 0; i < model->n_functions; i++) {
			const struct unc_sim_function *function = &model->functions[i];
			struct unc_sim_place *place = &sim->places[sim->n_places++];

			place->function = function;
			place->socket = socket;
			place->channel = function->kind == UNC_SIM_IMC ? channel++ : 0;
			/* A channel without registers is where its node is. */
			if (function->kind == UNC_SIM_IMC && !model->pmon) {
				place->addr.kind = UNC_MSR;
				place->addr.msr.cpu =
					unc_sim_cpu_of_node(sim, unc_sim_node_of(sim, socket, function->imc));
				continue;
			}
			if (function->at) {
				place->addr.kind = UNC_MMIO;
				place->addr.mmio.base = unc_sim_memory_base(sim, socket) + function->at;
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
	return mark(sim);
}

int unc_sim_pci(struct unc_host *host, size_t i, struct unc_sim_pci *ret_pci)
{
	const struct unc_sim *sim = unc_sim_of(host);
	size_t left = i, k = 0;

	if (!sim)
		return unc_sim_none(host);
	while (k < sim->n_places && (sim->places[k].hidden || sim->places[k].addr.kind != UNC_PCI || left--))
		k++;
	if (k == sim->n_places)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no PCI function %zu", i);
	*ret_pci = (struct unc_sim_pci){
		.addr = sim->places[k].addr,
		.vendor = VENDOR_INTEL,
		.device = sim->places[k].function->device_id,
		.subsystem_vendor = VENDOR_INTEL,
		.subsystem_device = sim->places[k].function->device_id,
		.class_code = sim->places[k].function->class_code,
		.revision = sim->places[k].function->revision,
		.socket = sim->places[k].socket,
		.config_bytes = sim->options.model->config_bytes,
	};
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
	[UNC_SIM_MSR_RESERVED] = "these bits are reserved, or would interrupt, and must be written 0",
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
	if (broken.place >= sim->n_places + sim->n_cpus || broken.rule >= UNC_SIM_RULES)
		return unc_sim_fail(sim, UNC_EIO, "the state is damaged: violation %zu is of no known place or rule",
				    i);
	*ret_violation = (struct unc_sim_violation){
		.t_ns = broken.t_ns,
		.addr = broken.place < sim->n_places
				? sim->places[broken.place].addr
				: (struct unc_addr){.kind = UNC_MSR,
						    .msr = {.cpu = (unsigned)(broken.place - sim->n_places)}},
		.off = broken.off,
		.value = broken.value,
		.wrong = broken.wrong,
	};
	snprintf(ret_violation->sentence, sizeof(ret_violation->sentence),
		 "%s: 0x%02" PRIx32 " written 0x%08" PRIx64 ": wrong bits 0x%08" PRIx64 ": %s",
		 unc_addr_text(&ret_violation->addr, name), broken.off, broken.value, broken.wrong, rules[broken.rule]);
	return UNC_OK;
}
