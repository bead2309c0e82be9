// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers that are in memory: the counters of Ice Lake-SP and later.  What is where is from Linux
 * arch/x86/events/intel/uncore_snbep.c (snr_uncore_mmio_map) and drivers/edac/i10nm_base.c, and from PCM.
 */

#include "sim/discovery.h"

/* Of function 0.1 of the UBOX's bus; MEM_BAR has four entries, each with the base in 10:0 and the limit in 23:13, in pages. */
enum { CFG_BASE = 0xd0, CFG_SCF = 0xd4, CFG_MEM = 0xd8, CFG_END = 0xe8, LIMIT_AT = 13, PAGE_AT = 12, BASE_AT = 23 };

uint64_t unc_sim_memory_base(const struct unc_sim *sim, unsigned socket)
{
	return sim->options.mmio_base + socket * UNC_SIM_SOCKET_BYTES;
}

/* MCHBAR of a client processor; bit 0 tells whether it is switched on. */
static uint32_t mchbar(const struct unc_sim_cycle *cycle)
{
	enum { MCHBAR = 0x48 };
	uint64_t base = unc_sim_memory_base(cycle->sim, cycle->place->socket);

	if (cycle->off == MCHBAR)
		return (uint32_t)base | (base && cycle->sim->options.mmio != UNC_SIM_MMIO_LIMIT);
	return cycle->off == MCHBAR + 4 ? (uint32_t)(base >> 32) : 0;
}

uint32_t unc_sim_base_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_memory *memory = cycle->sim->options.model->memory;
	uint32_t i = (cycle->off - CFG_MEM) / 4, first, last;

	if (memory->always)
		return mchbar(cycle);
	if (cycle->off == CFG_BASE)
		return (uint32_t)(unc_sim_memory_base(cycle->sim, cycle->place->socket) >> BASE_AT);
	if (cycle->off == CFG_SCF)
		return memory->scf >> PAGE_AT;
	if (cycle->off < CFG_MEM || cycle->off >= CFG_END || !memory->bars[i])
		return 0;
	first = memory->bars[i] >> PAGE_AT;
	last = (memory->bars[i] + memory->bar_bytes - 1) >> PAGE_AT;
	if (cycle->sim->options.mmio == UNC_SIM_MMIO_LIMIT)
		last = first - 1;
	return first | last << LIMIT_AT;
}

/* ---- windows ---- */

/* The same registers as in configuration space (imc.c), at other offsets. */
enum { BOX_STATUS = 0x5c, CHANNEL_BYTES = 0x60, HOLE_BYTES = 0x4000 };
/* Counters of a client's controller: GLOBAL_CTL, BOX_CTL, five controls, and from 0x28 on as many counters; m2m.c has them from 0x400 on. */
enum { PMON_CTR = 0x28, PMON_BYTES = 0x50, PMON_AT = 0x400 };

/* Returns where imc.c has the register; 0: there is none. */
static uint32_t offset_in_pci(const struct unc_sim_memory *memory, uint32_t off)
{
	static const struct {
		uint32_t first, last, in_pci;
	} registers[] = {
		{0x00, 0x00, 0xf4}, /* BOX_CTL */
		{0x08, 0x27, 0xa0}, /* CTR0 to 3 */
		{0x38, 0x3f, 0xd0}, /* FIXED_CTR */
		{0x40, 0x4f, 0xd8}, /* CTL0 to 3 */
		{0x54, 0x54, 0xf0}, /* FIXED_CTL */
		{BOX_STATUS, BOX_STATUS, 0xf8},
	};

	if (off == BOX_STATUS && !memory->has_status)
		return 0;
	for (size_t i = 0; i < UNC_SIM_N(registers); i++)
		if (off >= registers[i].first && off <= registers[i].last)
			return registers[i].in_pci + off - registers[i].first;
	return 0;
}

/*
 * Registers in front of a channel's counters: mode (ECC on; bit 29: HBM), DIMM 0 of two ranks of x8 chips, and which slots
 * have an Optane module: with pmem= the second one.
 */
static uint32_t mode_of(const struct unc_sim *sim, const struct unc_sim_place *place, uint64_t before)
{
	const struct unc_sim_memory *memory = sim->options.model->memory;

	if (place->function->hbm)
		return before == memory->hbm_mode ? UINT32_C(0x20000004) : 0;
	if (before == memory->mode)
		return 0x4;
	if (memory->ddrt && before == memory->ddrt)
		return unc_sim_has_pmem(sim, place->channel) ? 0x2 : 0;
	return memory->dimm && before == memory->dimm ? 0x9100 : 0;
}

/* Of the channels of one controller together: reads, writes, two of Optane, and DCLK; they always run. */
enum { FREE_CLOCK = 4, FREE_BYTES = 0x28 };

static uint64_t of_channels(const struct unc_sim_cycle *cycle, uint32_t control)
{
	uint64_t sum = 0;

	for (size_t i = 0; control && i < cycle->sim->n_places; i++) {
		struct unc_sim_cycle of_channel = *cycle;

		of_channel.place = &cycle->sim->places[i];
		if (of_channel.place->function->kind == UNC_SIM_IMC &&
		    of_channel.place->socket == cycle->place->socket &&
		    of_channel.place->function->imc == cycle->place->function->imc &&
		    !(of_channel.place->faults && of_channel.place->faults->free_misses))
			sum += unc_sim_imc_arrived(&of_channel, control);
	}
	return sum;
}

static uint64_t free_running(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_memory *memory = cycle->sim->options.model->memory;
	unsigned which = cycle->off / 8;
	uint64_t sum = 0;

	for (size_t i = 0; i < memory->n_always; i++)
		for (size_t k = 0; memory->always[i].at == cycle->off && k < UNC_SIM_N(memory->always[i].controls); k++)
			sum += of_channels(cycle, memory->always[i].controls[k]);
	if (memory->always)
		return sum;
	if (which == FREE_CLOCK)
		return unc_sim_imc_arrived(cycle, memory->free_clock);
	return of_channels(cycle, memory->free[which]) & ((UINT64_C(1) << 48) - 1);
}

/* True at a channel that the controller has room for and that does not exist: nothing answers there. */
static bool is_hole(const struct unc_sim_memory *memory, uint32_t off)
{
	bool is = false;

	for (size_t i = 0; memory->hole && i < UNC_SIM_N(memory->bars); i++)
		is |= off - memory->bars[i] >= memory->hole && off - memory->bars[i] - memory->hole < HOLE_BYTES;
	return is;
}

/* Returns the window that has the address, or NULL and in *ret_value what the memory beside windows reads. */
static const struct unc_sim_place *window_at(const struct unc_sim *sim, uint64_t address, uint64_t *ret_value)
{
	uint64_t base = unc_sim_memory_base(sim, 0), bytes = sim->options.sockets * UNC_SIM_SOCKET_BYTES;

	*ret_value = address >= base && address - base < bytes ? 0 : UINT64_MAX;
	if (sim->options.mmio == UNC_SIM_MMIO_OFF ||
	    is_hole(sim->options.model->memory, (uint32_t)((address - base) % UNC_SIM_SOCKET_BYTES)))
		*ret_value = UINT64_MAX;
	for (size_t i = 0; *ret_value == 0 && i < sim->n_places; i++) {
		const struct unc_sim_place *place = &sim->places[i];
		enum unc_sim_kind kind = place->function->kind;
		const struct unc_sim_memory *memory = sim->options.model->memory;
		uint64_t at = place->addr.mmio.base, len = kind == UNC_SIM_IMC ? CHANNEL_BYTES : FREE_BYTES;

		if (place->addr.kind != UNC_MMIO)
			continue;
		if (kind == UNC_SIM_UNITS)
			len = UNC_SIM_DISCOVERY_BYTES;
		else if (kind == UNC_SIM_FREE && memory->always)
			len = memory->always[memory->n_always - 1].at + memory->always_bytes;
		else if (kind == UNC_SIM_M2M)
			len = PMON_BYTES;
		if (address >= at && address - at < len)
			return place;
		if (address < at && kind == UNC_SIM_IMC)
			*ret_value |= mode_of(sim, place, at - address);
	}
	return NULL;
}

/*
 * Programs read counters by 8 bytes and other registers by 4; what silicon does else, no document says. The table is read by 1, 4
 * and 8 bytes (LIKWID, Linux, PCM).
 */
uint64_t unc_sim_memory_access(struct unc_sim *sim, uint64_t address, unsigned width, bool write, uint64_t value)
{
	uint64_t bits_there = width < 8 ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX, beside, is = 0;
	struct unc_sim_cycle cycle = {
		.sim = sim, .place = window_at(sim, address, &beside), .value = (uint32_t)value, .enabled = UINT32_MAX};
	unsigned counter_bytes = sim->options.model->memory->always ? sim->options.model->memory->always_bytes : 8;
	enum unc_sim_kind kind;
	uint32_t off, in_pci;
	bool wide;

	if (!cycle.place)
		return beside & bits_there;
	kind = cycle.place->function->kind;
	off = (uint32_t)(address - cycle.place->addr.mmio.base);
	in_pci = kind == UNC_SIM_IMC ? offset_in_pci(sim->options.model->memory, off) : 0;
	wide = kind != UNC_SIM_IMC || unc_sim_imc_counter_at(in_pci) >= 0;
	if (kind == UNC_SIM_M2M) {
		in_pci = off + PMON_AT;
		wide = off >= PMON_CTR;
	}
	cycle.off = off;
	cycle.t_ns = unc_sim_access_begin(sim);
	if (address % width != 0 || (kind != UNC_SIM_UNITS && width != (wide ? counter_bytes : 4)))
		unc_sim_violate(&cycle, UNC_SIM_OTHER_WIDTH, width);
	if (!write && kind == UNC_SIM_FREE)
		is = free_running(&cycle);
	cycle.off = off & ~UINT32_C(7);
	if (!write && kind == UNC_SIM_UNITS)
		is = unc_sim_table_read(&cycle) >> off % 8 * 8;
	cycle.off = in_pci;
	if (write && !in_pci)
		unc_sim_violate(&cycle, UNC_SIM_NO_REGISTER, UINT32_MAX);
	for (unsigned bit = 0; in_pci && bit < (width == 8 ? 64 : 32); bit += 32, cycle.off += 4) {
		cycle.value = (uint32_t)(value >> bit);
		if (write)
			unc_sim_cycle_write(&cycle);
		else
			is |= (uint64_t)unc_sim_cycle_read(&cycle) << bit;
	}
	unc_sim_access_end(sim);
	return is & bits_there;
}

/* ---- from outside ---- */

void unc_sim_mem_move(struct unc_host *host, uint64_t base)
{
	struct unc_sim *sim = unc_sim_of(host);

	for (size_t i = 0; i < sim->n_places; i++)
		if (sim->places[i].addr.kind == UNC_MMIO)
			sim->places[i].addr.mmio.base += base - sim->options.mmio_base;
	sim->options.mmio_base = base;
}

uint64_t unc_sim_mem_window(struct unc_host *host, uint64_t address)
{
	const struct unc_sim *sim = unc_sim_of(host);
	uint64_t beside;
	const struct unc_sim_place *place = sim && sim->options.model->memory ? window_at(sim, address, &beside) : NULL;

	return place ? place->addr.mmio.base : address;
}

/* ---- /proc/iomem ---- */

/* Main memory below and above the hole for devices. */
static const struct {
	uint64_t first, last;
} ram[] = {{0x1000, 0x9ffff}, {0x100000, 0x7fffffff}, {UINT64_C(0x100000000), UINT64_C(0x207fffffff)}};

bool unc_sim_is_ram(uint64_t address)
{
	for (size_t i = 0; i < sizeof(ram) / sizeof(ram[0]); i++)
		if (address >= ram[i].first && address <= ram[i].last)
			return true;
	return false;
}

void unc_sim_iomem_text(const struct unc_sim *sim, char *buf, size_t size)
{
	static const char *const names[] = {"System RAM", "Reserved", "PCI MMCONFIG 0000 [bus 00-ff]",
					    "PCI Bus 0000:00", "IOAPIC 0"};
	const struct {
		uint64_t first, last;
		unsigned name;
	} rows[] = {{0, 0xfff, 1},
		    {ram[0].first, ram[0].last, 0},
		    {0xa0000, 0xfffff, 1},
		    {ram[1].first, ram[1].last, 0},
		    {0x80000000, 0x8fffffff, 2},
		    {0x90000000, 0xfbffffff, 3},
		    {0xfec00000, 0xfec003ff, 4},
		    {ram[2].first, ram[2].last, 0}};
	size_t len = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		len += (size_t)snprintf(buf + len, size - len, "%08" PRIx64 "-%08" PRIx64 " : %s\n",
					sim->options.iomem_zeros ? 0 : rows[i].first,
					sim->options.iomem_zeros ? 0 : rows[i].last, names[rows[i].name]);
}
