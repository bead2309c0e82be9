// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * POWER9 and POWER10: chips whose microcode adds up in an area of memory, and firmware that describes it in the device tree: power.md,
 * from open-power's occ (gpe1_24x7.c), skiboot and ima-catalog.  Of the catalogue here are units of memory and a clock, and of POWER9 one
 * whose published place is wrong.
 */
#include "sim/nest.h"

#include "sim/model_parts.h"

enum {
	LINES_READ = 0x22,
	LINES_WRITTEN = 0x23,
	TICKS = 0,
	NOTHING = 1
}; /* what a counter counts: a control of a channel, else these */

struct unc_sim_counter {
	uint16_t off; /* of its unit */
	const char *name;
	uint8_t channel, counts;
	uint16_t lines; /* of 64 bytes for one count; of the clock: ticks */
};
struct unc_sim_unit {
	const char *node, *prefix, *scale;
	uint16_t base;
	const struct unc_sim_counter *counters;
	size_t n_counters;
};
struct unc_sim_nest {
	unsigned version, groups;
	unsigned first_ms, update_ms; /* between two updates of the first group, and of the others */
	uint64_t available;
	const struct unc_sim_unit *units;
	size_t n_units;
};

/* clang-format off */
static const struct unc_sim_event events[] = {
	{.name = "clockticks", .code = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT},
	CAS("cas_rd", LINES_READ, 0, UNC_SIM_FROM_READ, 16, 0, 4),
	CAS("cas_wr", LINES_WRITTEN, 0, UNC_SIM_FROM_WRITE, 16, 0, 4),
};
static const struct unc_sim_sum sums[] = {SUM("cas_count.rd", LINES_READ, 0), SUM("cas_count.wr", LINES_WRITTEN, 0)};

#define PORTS(at, name, ch) \
	{(at) + 0x08, "128B_RD_DISP_PORT" name, ch, LINES_READ, 256}, {(at) + 0x10, "128B_WR_DISP_PORT" name, ch, LINES_WRITTEN, 256}
static const struct unc_sim_counter mcs01[] = {PORTS(0, "01", 0), PORTS(0x20, "23", 1)};
static const struct unc_sim_counter mcs23[] = {PORTS(0, "01", 2), PORTS(0x20, "23", 3)};
static const struct unc_sim_counter powerbus[] = {{0x78, "CYC", 0, TICKS, 256}};
static const struct unc_sim_counter nx[] = {{0, "CYC", 0, NOTHING, 1}};
/* Each port has half of a channel. */
#define MBA(ch) {{0, "READ_BYTES", ch, LINES_READ, 2}, {8, "WRITE_BYTES", ch, LINES_WRITTEN, 2}}
static const struct unc_sim_counter mba[][2] = {MBA(0), MBA(1), MBA(2), MBA(3)};
#define MBA_UNIT(n, at, ch) {"mba" n, "PM_MBA" n "_", "1", at, mba[ch], 2}
/* Only the kernel knows where these are counted. */
static const struct unc_sim_counter core[] = {{0, "CYC", 0, NOTHING, 1}};
#define CORE {"core", "CPM_", "512", 0x18, core, 1}
static const struct unc_sim_unit p9_units[] = {
	{"mcs01", "PM_MCS01_", "256", 0xc8, mcs01, UNC_SIM_N(mcs01)}, {"mcs23", "PM_MCS23_", "256", 0x48, mcs23, UNC_SIM_N(mcs23)},
	MBA_UNIT("0", 0x448, 0), MBA_UNIT("1", 0x460, 0), MBA_UNIT("2", 0x478, 1), MBA_UNIT("3", 0x490, 1),
	MBA_UNIT("4", 0x558, 2), MBA_UNIT("5", 0x570, 2), MBA_UNIT("6", 0x588, 3), MBA_UNIT("7", 0x5a0, 3),
	{"powerbus0", "PM_PB_", "256", 0x8, powerbus, 1}, {"nx", "PM_NX_", "256", 0x3f8, nx, 1},
	CORE,
};
#define BLOCKS(at, wr, mc, ch) \
	{(at) + 0x08, "128B_RD_DATA_BLOCKS_MC" mc "_CHAN01", ch, LINES_READ, 8192}, \
	{wr, "64B_WR_DATA_BLOCKS_MC" mc "_CHAN01", ch, LINES_WRITTEN, 4096}
static const struct unc_sim_counter p10_mcs01[] = {BLOCKS(0, 0x10, "0", 0), BLOCKS(0x20, 0x30, "1", 1)};
static const struct unc_sim_counter p10_mcs23[] = {BLOCKS(0, 0x10, "2", 2), BLOCKS(0x20, 0x48, "3", 3)};
static const struct unc_sim_counter pau[] = {{0, "CYC", 0, TICKS, 256}};
static const struct unc_sim_unit p10_units[] = {
	{"mcs01", "PM_MCS_", "4096", 0x8, p10_mcs01, UNC_SIM_N(p10_mcs01)},
	{"mcs23", "PM_MCS_", "4096", 0x88, p10_mcs23, UNC_SIM_N(p10_mcs23)}, {"pau", "PM_PAU_", "256", 0x40, pau, 1}, CORE,
};
static const struct unc_sim_nest p9 = {0x20, 7, 1, 4, UINT64_C(0xffff8073f007e000), TABLE(units, p9_units)};
static const struct unc_sim_nest p10 = {0x3, 13, 4, 4, UINT64_C(0xff80000000000000), TABLE(units, p10_units)};

#define CHANNEL(mc, ch) {.kind = UNC_SIM_IMC, .imc = mc, .channel = ch}
static const struct unc_sim_function functions[] = {CHANNEL(0, 0), CHANNEL(0, 1), CHANNEL(1, 0), CHANNEL(1, 1)};
/* CPUs are those of another model, and have no CPUID. */
#define POWER(is) \
	.nest = &(is), CHANNELS(functions, events, sums), .sockets = 2, .cores = 8, .threads = 2, \
	.on = UNC_SIM_ON_POWER, .apic = UNC_SIM_APIC_DENSE, .apic_shift = 5, .ticks_per_cycle = 6, .bus_shares = 1, .l3_bytes = 10 << 20, \
	.tsc_hz = 512000000, .like = &unc_sim_skx
/* clang-format on */

const struct unc_sim_model unc_sim_p9 = {PART("p9", "POWER9", 0x000506e3, "POWER9"), POWER(p9)};
const struct unc_sim_model unc_sim_p10 = {PART("p10", "POWER10", 0x000506e3, "POWER10"), POWER(p10)};

/* ---- the area ---- */

enum {
	GROUP = 0x110,
	TAIL = 0x108,
	CONTROL = 0x3fc00,
	COMMAND = CONTROL + 8,
	RUN = 1,
	PAUSE = 2, /* commands, and status */
	VERSION = 0x2fc00,
	CLOCK_HZ = 2000000000,
	BEGUN = 1000 /* before the machine began */
};
#define MS         UINT64_C(1000000)
#define PAUSE_NS   (2000 * MS)
#define RESUME_NS  (3500 * MS)
#define PAUSED_FOR (RESUME_NS - PAUSE_NS)

/* What the groups of 16-bit counters had when it was paused, and add with their first update. */
#define LEFT_OVER 40000

static bool is_paused(const struct unc_sim *sim, unsigned socket, uint64_t t_ns)
{
	const struct unc_sim_command *last = &sim->nest_commands[socket];

	if (last->command)
		return t_ns < last->taken_ns ? !last->ran : last->command == PAUSE;
	return sim->options.nest == UNC_SIM_NEST_PAUSED || sim->options.nest == UNC_SIM_NEST_DEAF;
}

/* For how long its updates have come. */
static uint64_t ran_ns(const struct unc_sim *sim, unsigned socket, uint64_t t_ns)
{
	const struct unc_sim_command *last = &sim->nest_commands[socket];
	enum unc_sim_nest_fault fault = sim->options.nest;

	if (last->command && is_paused(sim, socket, t_ns))
		return last->ran_ns;
	if (last->command)
		return last->ran_ns + t_ns - last->taken_ns;
	if (is_paused(sim, socket, t_ns) || fault == UNC_SIM_NEST_NEVER)
		return 0;
	if ((fault == UNC_SIM_NEST_STALLS || (fault == UNC_SIM_NEST_PAUSES && t_ns < RESUME_NS)) && t_ns > PAUSE_NS)
		return PAUSE_NS;
	return fault == UNC_SIM_NEST_PAUSES && t_ns >= RESUME_NS ? t_ns - PAUSED_FOR : t_ns;
}

static uint64_t arrived(const struct unc_sim *sim, const struct unc_sim_counter *counter, unsigned socket,
			uint64_t t_ns)
{
	struct unc_sim_cycle cycle = {.sim = (struct unc_sim *)sim, .t_ns = t_ns};

	if (counter->counts == TICKS)
		return t_ns / 1000 * (CLOCK_HZ / 1000000);
	for (const struct unc_sim_place *place = sim->places; place < sim->places + sim->n_places; place++) {
		cycle.place = place;
		if (place->socket == socket && place->function == &sim->options.model->functions[counter->channel])
			return unc_sim_imc_arrived(&cycle, counter->counts);
	}
	return 0;
}

static uint64_t counted(const struct unc_sim *sim, const struct unc_sim_counter *counter, unsigned socket, uint64_t ran)
{
	uint64_t lines = arrived(sim, counter, socket, ran);

	/* Nothing is counted while it is paused. */
	if (sim->options.nest == UNC_SIM_NEST_PAUSES && ran > PAUSE_NS)
		lines = arrived(sim, counter, socket, PAUSE_NS) + arrived(sim, counter, socket, ran + PAUSED_FOR) -
			arrived(sim, counter, socket, RESUME_NS);
	return BEGUN + lines / counter->lines + (sim->nest_commands[socket].command && ran ? LEFT_OVER : 0);
}

static uint64_t word(struct unc_sim *sim, unsigned socket, uint32_t off, uint64_t t_ns)
{
	const struct unc_sim_nest *nest = sim->options.model->nest;
	enum unc_sim_nest_fault fault = sim->options.nest;
	uint64_t update_ns = (off < GROUP ? nest->first_ms : nest->update_ms) * MS,
		 updates = ran_ns(sim, socket, t_ns) / update_ns;
	const struct unc_sim_command *last = &sim->nest_commands[socket];

	if (off == CONTROL)
		return fault == UNC_SIM_NEST_NEVER ? 0 : is_paused(sim, socket, t_ns) ? PAUSE : RUN;
	if (off == COMMAND)
		return t_ns < last->taken_ns ? last->command : 0;
	if (off == CONTROL + 0x10)
		return fault == UNC_SIM_NEST_SPEED ? 4 : 0;
	if (off == CONTROL + 0x18)
		return nest->available;
	if (off == VERSION) /* 2.0.0 of 2018-05-31 */
		return UINT64_C(0x2000310520180000);
	if (off >= nest->groups * GROUP)
		return 0;
	if (off % GROUP == 0) /* the microcode of POWER9 counts the seventh one's in the sixth's */
		return nest->groups > 7 || off / GROUP < 5
			       ? updates + (fault == UNC_SIM_NEST_TORN && sim->nest_reads % 2)
		       : off / GROUP == 5 ? 2 * updates
					  : 0;
	if (off % GROUP == TAIL)
		return updates;
	for (const struct unc_sim_unit *unit = nest->units; unit < nest->units + nest->n_units; unit++)
		for (size_t i = 0; i < unit->n_counters; i++)
			if ((uint32_t)unit->base + unit->counters[i].off == off && unit->counters[i].counts != NOTHING)
				return counted(sim, &unit->counters[i], socket, updates * update_ns);
	return 0;
}

int unc_sim_nest_write(struct unc_sim *sim, unsigned chip, uint64_t off, uint64_t value)
{
	enum { TAKES_NS = 2000000 };
	unsigned socket = chip / UNC_SIM_CHIP_STEP;
	uint64_t t_ns;

	if (sim->options.lockdown)
		return unc_sim_fail(sim, UNC_EPERM, "the kernel is locked down (lockdown=1): chip %u gets no command",
				    chip);
	if ((off != CONTROL && off != COMMAND) || (value != RUN && value != PAUSE))
		return unc_sim_fail(sim, UNC_EIO, "no program writes 0x%llx of an area, or no such value",
				    (unsigned long long)off);
	if (off == CONTROL && sim->options.nest == UNC_SIM_NEST_DEAF)
		return unc_sim_fail(sim, UNC_EIO, "chip %u: its microcode takes no command (nest=deaf)", chip);
	t_ns = unc_sim_access_begin(sim) + (off == COMMAND ? TAKES_NS : 0);
	sim->nest_commands[socket] =
		(struct unc_sim_command){.command = value,
					 .taken_ns = sim->options.nest == UNC_SIM_NEST_DEAF ? UINT64_MAX : t_ns,
					 .ran_ns = ran_ns(sim, socket, t_ns),
					 .ran = !is_paused(sim, socket, t_ns)};
	unc_sim_access_end(sim);
	return UNC_OK;
}

void unc_sim_nest_read(struct unc_sim *sim, unsigned chip, uint64_t off, unsigned char *bytes, size_t len)
{
	uint64_t t_ns = unc_sim_access_begin(sim);

	sim->nest_reads++;
	for (; len >= 8; bytes += 8, off += 8, len -= 8) {
		uint64_t value = word(sim, chip / UNC_SIM_CHIP_STEP, (uint32_t)off, t_ns);

		if (sim->options.nest ==
		    UNC_SIM_NEST_LITTLE) /* as a program sees it that takes the words for big-endian */
			value = __builtin_bswap64(value);
		unc_put_le64(bytes, value);
	}
	unc_sim_access_end(sim);
}

/* ---- the device tree ---- */

struct tree {
	struct unc_sim_asked *asked;
	char path[120];
	size_t len; /* of the property that is asked for */
};

static void property(struct tree *tree, const char *name, const void *bytes, size_t len)
{
	if (!unc_sim_asks(tree->asked, "%s/%s", tree->path, name))
		return;
	memcpy(tree->asked->text, bytes, len);
	tree->len = len;
}

static void text(struct tree *tree, const char *name, const char *value)
{
	property(tree, name, value, strlen(value) + 1);
}

static void cells(struct tree *tree, const char *name, uint32_t value, uint32_t size)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < 4; i++) {
		bytes[i] = (unsigned char)(value >> (24 - 8 * i));
		bytes[4 + i] = (unsigned char)(size >> (24 - 8 * i));
	}
	property(tree, name, bytes, size ? 8 : 4);
}

static void unit_files(struct tree *tree, const struct unc_sim_unit *unit, const char *base, uint32_t handle)
{
	snprintf(tree->path, sizeof(tree->path), "%s/%s@%x", base, unit->node, unit->base);
	text(tree, "compatible", "ibm,imc-counters");
	text(tree, "events-prefix", unit->prefix);
	text(tree, "scale", unit->scale);
	cells(tree, "type", unit->counters == core ? 0x4 : 0x10, 0);
	cells(tree, "size", 0x40000, 0);
	cells(tree, "reg", unit->base, 8);
	cells(tree, "events", handle, 0);
	snprintf(tree->path, sizeof(tree->path), "%s/nest-%s-events", base, unit->node);
	cells(tree, "phandle", handle, 0);
	for (const struct unc_sim_counter *counter = unit->counters; counter < unit->counters + unit->n_counters;
	     counter++) {
		snprintf(tree->path, sizeof(tree->path), "%s/nest-%s-events/event@%x", base, unit->node, counter->off);
		text(tree, "event-name", counter->name);
		cells(tree, "reg", counter->off, 8);
	}
}

size_t unc_sim_nest_files(const struct unc_sim *sim, struct unc_sim_asked *asked)
{
	static const char *const bases[] = {"/proc/device-tree/imc-counters",
					    "/sys/firmware/devicetree/base/imc-counters"};
	const struct unc_sim_nest *nest = sim->options.model->nest;
	struct tree tree = {.asked = asked};

	for (size_t b = 0; b < UNC_SIM_N(bases) && nest; b++) {
		snprintf(tree.path, sizeof(tree.path), "%s", bases[b]);
		text(&tree, "compatible", "ibm,opal-in-memory-counters");
		cells(&tree, "version-id", nest->version, 0);
		for (size_t i = 0; i < nest->n_units; i++)
			if (nest->units[i].counters == core || sim->options.nest != UNC_SIM_NEST_PRUNED)
				unit_files(&tree, &nest->units[i], bases[b], (uint32_t)i + 1);
	}
	return tree.len;
}
