// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/field.h"
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

/* U_MSR_PMON_CTL0 of Sandy Bridge-EP (Linux, uncore_snbep.c): plain memory of 48 bits in the simulated machine. */
enum { U_CTL0 = 0xc10 };

static uint64_t read_of(struct unc_box *box)
{
	uint64_t value = 0;

	OK(&o, unc_box_reg_read(box, 0, &value));
	return value;
}

TEST(a_dword_is_read_wherever_it_is)
{
	struct unc_box *box, *again;
	struct unc_reg_info reg;
	struct unc_box_info info;

	onsim_trace_clear(&o);
	OK(&o, unc_raw_pci(o.m, "ff:10.4", 0, &box));
	EQ(read_of(box), 0x3cb48086);
	OK(&o, unc_box_reg_info(box, 0, &reg));
	EQ(reg.bits, 32);
	EQ(reg.offset, 0);
	EQ(unc_box_reg_count(box), 1);
	unc_box_info(box, &info);
	SAME(info.name, "0000:ff:10.4");
	SAME(info.pci, "0000:ff:10.4");
	OK(&o, unc_raw_pci(o.m, "0000:ff:10.4", 0, &again));
	CU_ASSERT_PTR_EQUAL(box, again);
	EQ(onsim_trace_count(&o, " w32 "), 0);
	/* It is in no list. */
	CU_ASSERT_EQUAL(unc_box_find(o.m, "0000:ff:10.4", &box), UNC_ENODEV);
}

TEST(what_is_no_register_is_refused)
{
	struct unc_box *box = NULL;

	FAILS(&o, UNC_EARG, unc_raw_pci(o.m, "ff:10", 0, &box), "ff:10", "7f:10.4");
	FAILS(&o, UNC_EARG, unc_raw_pci(o.m, "ff:10.4", 0x82, &box), "0x82", "multiple of 4");
	FAILS(&o, UNC_ENODEV, unc_raw_pci(o.m, "ff:1e.7", 0x80, &box), "1e.7");
	FAILS(&o, UNC_ERANGE, unc_raw_pci(o.m, "ff:10.4", 0x10000, &box), "0x10000", "beyond");
	FAILS(&o, UNC_ENODEV, unc_raw_msr(o.m, 4711, 0x10, &box), "4711");
	CU_ASSERT_PTR_NULL(box);
}

TEST(what_a_map_names_is_read_but_not_written)
{
	static const struct {
		uint32_t off;
		const char *name;
	} cases[] = {{R_CTL(0), "CTL[0] of socket0.imc0.ch2"},
		     {R_CTL(3), "CTL[3] of socket0.imc0.ch2"},
		     {R_CTR(1) + 4, "CTR[1] of socket0.imc0.ch2"},
		     {R_BOX_CTL, "BOX_CTL of socket0.imc0.ch2"},
		     {0xe8, "CTL4 of socket0.imc0.ch2"}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_box *box;
		uint64_t now;

		OK(&o, unc_raw_pci(o.m, "ff:10.4", cases[i].off, &box));
		read_of(box);
		onsim_trace_clear(&o);
		FAILS(&o, UNC_EDENIED, unc_box_reg_write(box, 0, 0, &now), cases[i].name, "use reg set");
		SAME(o.trace, "");
	}
}

/* The map of the UBOX names it, whether or not there are boxes of that. */
TEST(so_of_a_unit_without_counters)
{
	struct unc_box *box;

	OK(&o, unc_raw_pci(o.m, "ff:0b.0", 0x40, &box));
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), "CPUNODEID of ");
	OK(&o, unc_raw_pci(o.m, "ff:0b.0", 0x44, &box));
	OK(&o, unc_box_reg_allows(box, 0, 0));
}

TEST(the_header_and_bridges_are_not_written)
{
	struct unc_box *box;

	for (uint32_t off = 0; off < 0x40; off += 4) {
		OK(&o, unc_raw_pci(o.m, "ff:10.4", off, &box));
		FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), "header", "0000:ff:10.4");
	}
	OK(&o, unc_raw_pci(o.m, "ff:10.4", 0x84, &box));
	OK(&o, unc_box_reg_allows(box, 0, 0));
	box->bridge = true;
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), "bridge");
}

/* Looked at with the map changed, so that it does not name CTL[0] and the simulated machine has a register there. */
TEST(a_dword_is_written_and_put_back)
{
	struct unc_box *box, *raw;
	struct unc_unit *unit;
	uint64_t now = 0;

	box = onsim_box(&o, "socket0.imc0.ch0");
	unit = &o.m->map->units[box->unit - o.m->map->units];
	for (size_t i = 0; i < unit->n_regs; i++)
		unit->regs[i].off = 0x1000;
	onsim_poke(&o, box, R_CTL(0), 0x0100);
	OK(&o, unc_raw_pci(o.m, "ff:10.0", R_CTL(0), &raw));
	OK(&o, unc_box_reg_write(raw, 0, 0x304, &now));
	EQ(now, 0x304);
	EQ(onsim_peek(&o, box, R_CTL(0)), 0x304);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_peek(&o, box, R_CTL(0)), 0x100);
	SAME(o.notes, "");
	/* Another process writes. */
	OK(&o, unc_box_reg_write(raw, 0, 0x304, &now));
	onsim_poke(&o, box, R_CTL(0), 0x505);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_peek(&o, box, R_CTL(0)), 0x505);
	HAS(o.notes, "0000:ff:10.0: 0xd8 no longer holds what was written (0x00000304, now 0x00000505)");
	onsim_poke(&o, box, R_CTL(0), 0);
}

TEST(an_msr_is_written_and_put_back)
{
	struct unc_box *box;
	uint64_t now = 0;

	OK(&o, unc_raw_msr(o.m, 0, U_CTL0, &box));
	EQ(read_of(box), 0);
	onsim_trace_clear(&o);
	OK(&o, unc_box_reg_write(box, 0, UINT64_C(0x123400000005), &now));
	EQ(now, UINT64_C(0x123400000005));
	OK(&o, unc_machine_put_back(o.m));
	EQ(read_of(box), 0);
	EQ(onsim_trace_count(&o, "msr cpu0 w64 0xc10 0x0000123400000005"), 1);
	EQ(onsim_trace_count(&o, "msr cpu0 w64 0xc10 0x0000000000000000"), 1);
	SAME(o.notes, "");
}

TEST(an_msr_that_is_not_there_is_not_written)
{
	struct unc_box *box;
	uint64_t now;

	OK(&o, unc_raw_msr(o.m, 0, 0xdead, &box));
	onsim_trace_clear(&o);
	FAILS(&o, UNC_EIO, unc_box_reg_write(box, 0, 1, &now), "cpu0: 0xdead", "no such register");
	EQ(onsim_trace_count(&o, " w64 "), 0);
	EQ(o.m->journal.n, 0);
}

/* A map of MSRs, made up: its register is the map's, on whichever CPU. */
TEST(an_msr_that_a_map_names_is_left_to_it)
{
	struct unc_field all = {.name = "all", .hi = 63, .acc = UNC_RW};
	struct unc_reg reg = {
		.name = "GLOBAL_CTL", .off = U_CTL0, .count = 1, .bits = 64, .fields = &all, .n_fields = 1};
	struct unc_unit *units,
		unit = {.name = "global", .path = "a map of MSRs", .kind = UNC_MSR, .regs = &reg, .n_regs = 1};
	struct unc_box *box;
	size_t n;

	n = o.m->map->n_units;
	units = o.m->map->units;
	o.m->map->units = &unit;
	o.m->map->n_units = 1;
	OK(&o, unc_raw_msr(o.m, 1, U_CTL0, &box));
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), "GLOBAL_CTL of a map of MSRs");
	OK(&o, unc_raw_msr(o.m, 1, U_CTL0 + 1, &box));
	OK(&o, unc_box_reg_allows(box, 0, 0));
	o.m->map->units = units;
	o.m->map->n_units = n;
}

/* Box types 5 (UBOX) and 14 (HBM) of Sapphire Rapids: Linux, uncore_discovery.h.  No map names them. */
TEST(a_unit_that_only_a_discovery_table_names_is_read)
{
	struct unc_box *box, *again;
	struct unc_reg_info reg;

	onsim_reopen(&o, "sprhbm", "", NULL);
	OK(&o, unc_raw_mmio(o.m, "7e:03.0/14.3", 0x8, &box));
	OK(&o, unc_box_reg_info(box, 0, &reg));
	EQ(reg.bits, 64);
	EQ(read_of(box), 0);
	OK(&o, unc_raw_mmio(o.m, "0000:7e:03.0/14.3", 0x8, &again));
	CU_ASSERT_PTR_EQUAL(box, again);
	OK(&o, unc_raw_mmio(o.m, "7e:03.0/14.3", 0x4c, &box));
	OK(&o, unc_box_reg_info(box, 0, &reg));
	EQ(reg.bits, 32);
	EQ(read_of(box), 0);
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 1), "0x4c");
	FAILS(&o, UNC_EDENIED, unc_box_reg_write(box, 0, 1, &(uint64_t){0}), "0x4c");
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(what_a_discovery_table_does_not_say_is_not_touched)
{
	struct unc_box *box = NULL;

	onsim_reopen(&o, "sprhbm", "", NULL);
	onsim_trace_clear(&o);
	FAILS(&o, UNC_EARG, unc_raw_mmio(o.m, "7e:03.0", 0, &box), "7e:03.0", "06:00.1/7.2");
	FAILS(&o, UNC_EARG, unc_raw_mmio(o.m, "7e:03.0/14", 0, &box), "7e:03.0/14");
	FAILS(&o, UNC_EARG, unc_raw_mmio(o.m, "0xf0322800/14.3", 0, &box), "0xf0322800");
	FAILS(&o, UNC_ENODEV, unc_raw_mmio(o.m, "7e:03.0/14.99", 0, &box), "14.99");
	FAILS(&o, UNC_EARG, unc_raw_mmio(o.m, "7e:03.0/5.0", 0, &box), "not in memory");
	for (uint32_t off = 0; off < 0x1000; off++)
		if (unc_raw_mmio(o.m, "7e:03.0/14.3", off, &box) == UNC_OK)
			CU_ASSERT(off == 0 || off == 8 || off == 0x10 || off == 0x18 || off == 0x20 || off == 0x40 ||
				  off == 0x44 || off == 0x48 || off == 0x4c);
	FAILS(&o, UNC_ERANGE, unc_raw_mmio(o.m, "7e:03.0/14.3", 0xfffffff8, &box), "0xfffffff8");
	EQ(onsim_trace_count(&o, " w"), 0);
}
