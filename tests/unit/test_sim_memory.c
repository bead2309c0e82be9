// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers in memory: where they are, what one access is, how they count, and the discovery table. */
#include "test_sim.h"

#define STEP ",clock=step,dword_ns=0"

static void open_memory(const char *args)
{
	fx_open(args);
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MMIO, true, &fx.memory) == 0);
}

static struct unc_space *space_at(uint64_t base)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = base, .len = 0x1000}};
	struct unc_space *space = NULL;

	CU_ASSERT_FATAL(fx.memory->ops->space_open(fx.memory, &addr, &space) == 0);
	return space;
}

static uint64_t read_at(uint64_t address, unsigned width)
{
	struct unc_space *space = space_at(address & ~UINT64_C(0xfff));
	unsigned char bytes[8] = {0};

	CU_ASSERT_FATAL(fx.memory->ops->read(space, address & 0xfff, bytes, width) == 0);
	fx.memory->ops->space_close(space);
	return width == 4 ? unc_le32(bytes) : unc_le64(bytes);
}

static void write_at(uint64_t address, unsigned width, uint64_t value)
{
	struct unc_space *space = space_at(address & ~UINT64_C(0xfff));
	unsigned char bytes[8];

	unc_put_le64(bytes, value);
	CU_ASSERT_FATAL(fx.memory->ops->write(space, address & 0xfff, bytes, width) == 0);
	fx.memory->ops->space_close(space);
}

/* mmio.md 3.1: MMIO_BASE in units of 8 MiB, MEM_BAR and SCF_BAR in pages. */
static uint64_t bar(const char *at, uint32_t off)
{
	uint64_t base = fx_r32(at, 0xd0) & UINT32_C(0x1fffffff), page = fx_r32(at, off) & 0x7ff;

	return (base << 23) + (page << 12);
}

static const struct part {
	const char *args, *at; /* function 0.1 of the UBOX's bus */
	uint32_t off;          /* of MEM_BAR, SCF_BAR */
	uint32_t channel[2];   /* two channels from there */
	bool later;            /* no enable bit, and the freeze is bit 0 */
	uint32_t clock, reads[2];
} parts[] = {
	{"icx" STEP, "7e:00.1", 0xd8, {0x22800, 0x26800}, false, 0x00, {0x0f04}},
	{"icx,sockets=2" STEP, "fe:00.1", 0xe4, {0x22800, 0x26800}, false, 0x00, {0x0f04}},
	{"spr" STEP, "7e:00.1", 0xdc, {0x22800, 0x2a800}, true, 0x0101, {0xcf05}},
	{"gnr" STEP, "7e:00.1", 0xd4, {0x24e800, 0x24e800 + 11 * 0x4000}, true, 0x0101, {0xcf05, 0xcf06}},
	{"snr" STEP, "7e:00.1", 0xd8, {0x22800, 0x26800}, false, 0x00, {0x0f04}},
	{"gnrd" STEP, "7e:00.1", 0xd4, {0x208800, 0x208800 + 7 * 0x4000}, true, 0x0101, {0xcf05, 0xcf06}},
};

static void program(const struct part *part, uint64_t box)
{
	uint32_t en = part->later ? 0 : 0x400000;

	write_at(box, 4, part->later ? 0x301 : 0x103);
	write_at(box + 0x40, 4, part->clock | en);
	write_at(box + 0x44, 4, part->reads[0] | en);
	write_at(box + 0x48, 4, part->reads[1] | (part->reads[1] ? en : 0));
	write_at(box + 0x54, 4, 0x400000);
	write_at(box, 4, 0);
}

static uint64_t bytes_read(uint64_t box)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = box}};

	return fx_moved(&addr).read;
}

TEST(a_channel_counts_where_the_bars_say)
{
	for (size_t i = 0; i < N(parts); i++)
		for (unsigned c = 0; c < 2; c++) {
			const struct part *part = &parts[i];
			uint64_t box, before;

			open_memory(part->args);
			box = bar(part->at, part->off) + part->channel[c];
			before = bytes_read(box);
			program(part, box);
			fx_step(SECOND);
			write_at(box, 4, part->later ? 0x1 : 0x100);
			fx_step(SECOND);
			CU_ASSERT_EQUAL(read_at(box + 0x08, 8), 1200000000);
			CU_ASSERT_EQUAL(read_at(box + 0x38, 8), part->later ? 1200000000 : 600000000);
			fx_step(1);
			CU_ASSERT(read_at(box + 0x10, 8) > 1000);
			/* The second of these seconds is as the first: the load is even. */
			CU_ASSERT_DOUBLE_EQUAL((double)(read_at(box + 0x10, 8) + read_at(box + 0x18, 8)) * 64,
					       (double)(bytes_read(box) - before) / 2, 1000);
		}
}

TEST(accesses_of_another_width_are_violations)
{
	uint64_t box;

	open_memory("icx" STEP);
	box = bar("7e:00.1", 0xd8) + 0x22800;
	CU_ASSERT_EQUAL(box, UINT64_C(0xf0322800));
	read_at(box + 0x08, 4);
	CU_ASSERT_EQUAL(fx_violations(), 1);
	read_at(box + 0x40, 8);
	CU_ASSERT_EQUAL(fx_violations(), 2);
	write_at(box + 0x40, 4, 0x01000000 << 1 | 1 << 21); /* a reserved bit */
	CU_ASSERT_EQUAL(fx_violations(), 3);
	write_at(box + 0x30, 4, 1); /* no register */
	CU_ASSERT_EQUAL(fx_violations(), 4);
	write_at(box + 0x08, 8, 5); /* LIKWID clears counters in this way */
	CU_ASSERT_EQUAL(read_at(box + 0x08, 8), 5);
	CU_ASSERT_EQUAL(fx_violations(), 4);
}

/* Reads of Optane modules are e3, writes e7 (perfmon); always counted at + 22a0 and + 22a8 of the controller (Linux). */
TEST(optane_modules_are_in_the_channels_that_are_named)
{
	uint64_t bar1, rd, wr, pmem_rd, pmem_wr;

	open_memory("icx,pmem=socket0.imc1.ch*" STEP);
	bar1 = bar("7e:00.1", 0xdc);
	CU_ASSERT_EQUAL(read_at(bar("7e:00.1", 0xd8) + 0x20970, 4), 0);
	CU_ASSERT_EQUAL(read_at(bar1 + 0x20970, 4), 2);
	CU_ASSERT_EQUAL(read_at(bar1 + 0x24970, 4), 2);
	write_at(bar1 + 0x22840, 4, 0x004000e3);
	write_at(bar1 + 0x22844, 4, 0x004000e7);
	fx_step(SECOND);
	pmem_rd = read_at(bar1 + 0x22a0, 8);
	pmem_wr = read_at(bar1 + 0x22a8, 8);
	rd = read_at(bar1 + 0x2290, 8);
	wr = read_at(bar1 + 0x2298, 8);
	CU_ASSERT_DOUBLE_EQUAL((double)pmem_rd, (double)rd / 4, 10000);
	CU_ASSERT_DOUBLE_EQUAL((double)pmem_wr, (double)wr / 8, 10000);
	CU_ASSERT(read_at(bar1 + 0x22808, 8) > 1000);
	CU_ASSERT(read_at(bar1 + 0x22808, 8) < pmem_rd);
	CU_ASSERT(read_at(bar1 + 0x22810, 8) > 1000);
	CU_ASSERT_EQUAL(read_at(bar("7e:00.1", 0xd8) + 0x22a0, 8), 0);
	CU_ASSERT_EQUAL(fx_violations(), 0);
	FX_REFUSED("snr,pmem=socket0.imc0.ch0", "icx and icxd have");
	FX_REFUSED("icx,pmem=socket0.imc4.ch0", "pmem=socket0.imc4.ch0",
		   "they are socket0.imc0.ch0 to socket0.imc3.ch1");
}

TEST(a_load_moves_nothing_in_modules_that_are_not_there)
{
	uint64_t bar0, bar1;

	open_memory(fx_text("icx,pmem=socket0.imc1.ch0,load=%s" STEP,
			    fx_file("format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n      "
				    "pmm_rpq_inserts: 1000000\n")));
	bar0 = bar("7e:00.1", 0xd8);
	bar1 = bar("7e:00.1", 0xdc);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(read_at(bar0 + 0x22a0, 8), 0);
	CU_ASSERT_EQUAL(read_at(bar1 + 0x22a0, 8), 1000000);
}

TEST(beside_windows_memory_reads_0_and_outside_all_ones)
{
	struct unc_addr ram = {.kind = UNC_MMIO, .mmio = {.base = 0x100000, .len = 0x1000}};
	struct unc_space *space;

	open_memory("icx,mmio_base=0x20fb800000" STEP);
	CU_ASSERT_EQUAL(bar("7e:00.1", 0xd8), UINT64_C(0x20fbb00000));
	CU_ASSERT_EQUAL(read_at(UINT64_C(0x20fb800000), 8), 0);
	CU_ASSERT_EQUAL(read_at(UINT64_C(0x20fbb20ef8), 4), 0x4); /* MCMTR: ECC is on */
	CU_ASSERT_EQUAL(read_at(UINT64_C(0x20fbb20970), 4), 0);   /* MCDDRTCFG: no Optane module */
	CU_ASSERT_EQUAL(read_at(UINT64_C(0x20f0000000), 8), UINT64_MAX);
	write_at(UINT64_C(0x20fbb00000), 4, 3); /* Linux does this on SNR */
	CU_ASSERT_EQUAL(fx_violations(), 0);
	CU_ASSERT(read_at(UINT64_C(0x20fbb022b0), 8) == 0);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(read_at(UINT64_C(0x20fbb022b0), 8), 1200000000); /* free-running DCLK */
	CU_ASSERT(read_at(UINT64_C(0x20fbb02290), 8) > 1000);
	CU_ASSERT_EQUAL(fx.memory->ops->space_open(fx.memory, &ram, &space), UNC_EPERM);
	open_memory("icx,mmio=off" STEP);
	CU_ASSERT_EQUAL(read_at(UINT64_C(0xf0322800), 4), UINT32_MAX);
	open_memory("icx,mmio=limit" STEP);
	CU_ASSERT(fx_r32("7e:00.1", 0xd8) >> 13 < (fx_r32("7e:00.1", 0xd8) & 0x7ff));
}

/* ---- discovery: mmio.md 4.1 to 4.4 ---- */

#define FUNCTION "7e:03.0"

/* Follows the capabilities of the function to that of id 1. Returns the address of the table. */
static uint64_t table_at(void)
{
	uint32_t at = 0x100, address;
	uint64_t base;

	IS32(FUNCTION, {0, 0x09a78086});
	while (at && (fx_r32(FUNCTION, at + 8) & 0xffff) != 1) {
		CU_ASSERT_EQUAL(fx_r32(FUNCTION, at) & 0xffff, 0x23);
		at = fx_r32(FUNCTION, at) >> 20;
	}
	CU_ASSERT_FATAL(at != 0);
	CU_ASSERT_EQUAL(fx_r32(FUNCTION, at + 4) & 0xffff, 0x8086);
	address = fx_r32(FUNCTION, at + 12);
	CU_ASSERT_EQUAL(address & 7, 0);
	base = fx_r32(FUNCTION, 0x10);
	CU_ASSERT_EQUAL(base & 0xf, 4); /* memory, 64 bits, not prefetchable: Linux refuses a prefetchable one */
	base |= (uint64_t)fx_r32(FUNCTION, 0x14) << 32;
	return (base & ~UINT64_C(0xf)) + address;
}

struct units {
	size_t n;
	unsigned ids[64];
	uint64_t at[64], layout[64];
};

static struct units read_units(unsigned type)
{
	uint64_t table = table_at(), head = read_at(table, 8), step = (head >> 8 & 0xff) * 8;
	struct units units = {0};

	for (uint64_t i = 1; head != UINT64_MAX && i <= (head >> 16 & 0x3ff); i++) {
		uint64_t layout = read_at(table + i * step, 8), id = read_at(table + i * step + 16, 8);

		if (!layout || (id & 0xffff) != type)
			continue;
		units.ids[units.n] = id >> 16 & 0xffff;
		units.at[units.n] = read_at(table + i * step + 8, 8);
		units.layout[units.n++] = layout;
	}
	return units;
}

TEST(the_table_has_the_channels)
{
	static const struct {
		const char *args;
		size_t n;
	} machines[] = {{"spr" STEP, 8},  {"emr" STEP, 8}, {"gnr" STEP, 12}, {"gnrd" STEP, 8},
			{"srf" STEP, 12}, {"grr" STEP, 2}, {"cwf" STEP, 12}};
	for (size_t i = 0; i < N(machines); i++) {
		struct units units;

		open_memory(machines[i].args);
		units = read_units(6);
		CU_ASSERT_EQUAL_FATAL(units.n, machines[i].n);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_channels, machines[i].n);
		for (size_t k = 0; k < units.n; k++) {
			CU_ASSERT_EQUAL(units.ids[k], k);
			CU_ASSERT_EQUAL(units.layout[k], UINT64_C(0x4000000008304004));
			CU_ASSERT_EQUAL(bytes_read(units.at[k]), 0); /* a channel is there */
		}
	}
}

static struct units with_table(const char *fault)
{
	open_memory(fx_text("spr,table=%s" STEP, fault));
	return read_units(6);
}

TEST(a_table_is_wrong_in_the_way_asked_for)
{
	struct units right, units;

	open_memory("spr" STEP);
	right = read_units(6);
	units = with_table("duplicate");
	CU_ASSERT(units.n == 8 && units.ids[1] == 0 && units.at[1] == right.at[1]);
	units = with_table("hole");
	CU_ASSERT(units.n == 7 && units.ids[1] == 2);
	units = with_table("access0");
	CU_ASSERT(units.layout[0] >> 62 == 0 && units.layout[1] >> 62 == 1);
	units = with_table("access2");
	CU_ASSERT(units.layout[0] >> 62 == 2 && units.layout[1] >> 62 == 1);
	CU_ASSERT_EQUAL(with_table("no_units").n, 0);
	with_table("ones");
	CU_ASSERT_EQUAL(read_at(table_at(), 8), UINT64_MAX);
	units = with_table("differs");
	CU_ASSERT(units.at[0] == right.at[0] + 0x1000 && units.at[7] == right.at[7] + 0x1000);
	units = with_table("offset");
	CU_ASSERT(units.n == 8 && table_at() % 0x80000 == 0x1000);
	units = with_table("ram");
	CU_ASSERT(units.at[0] < 0x7fffffff && units.at[1] == right.at[1]);
	units = with_table("overlap");
	CU_ASSERT(units.at[1] > units.at[0] && units.at[1] - units.at[0] < 0x60);
	units = with_table("changes");
	fx_step(500);
	CU_ASSERT(read_units(6).at[0] != units.at[0]);
	units = with_table("second");
	CU_ASSERT(units.n == 8 && units.at[1] == right.at[1]);
	units = with_table("second,sockets=2");
	CU_ASSERT(units.n == 8 && units.at[0] == right.at[0]);
	CU_ASSERT_EQUAL(read_at(table_at() + 0x800000 + 3 * 64 + 16, 8), 0x10006); /* the second socket's */
	units = with_table("stride");
	CU_ASSERT(units.n == 8 && units.at[7] == right.at[7]);
	CU_ASSERT_EQUAL(read_at(table_at(), 8) >> 8 & 0xff, 20);
	units = with_table("two");
	CU_ASSERT(units.n == 4 && units.ids[1] == 2 && units.at[3] == right.at[6]);
	CU_ASSERT_EQUAL(read_at(table_at() + 0x80000 + 4 * 64 + 16, 8), 0x10006);
	BAD_KEYS("spr", {"table=wrong", "duplicate"}, {"mmio=wrong", "limit"});
}

static void expect_node(const char *args, const char *at, const char *wanted)
{
	char path[64], *text = NULL;

	fx_open(args);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:%s/numa_node", at);
	CU_ASSERT_EQUAL(unc_host_file(fx.host, path, 32, &text, NULL), wanted ? UNC_OK : UNC_ENODEV);
	CU_ASSERT(!wanted || strcmp(text, wanted) == 0);
	free(text);
}

TEST(a_function_is_near_a_node_of_its_package)
{
	expect_node("gnr,sockets=2", "fe:03.0", "1\n");
	expect_node("gnr,sockets=2,snc=2,numbering=reversed", "7e:03.0", "2\n");
	expect_node("gnr,sockets=2,numa=off", "fe:03.0", "-1\n");
	expect_node("gnr,hide=7e:03.0", "7e:03.0", NULL);
	expect_node("gnr", "7e:04.0", NULL);
}
