// SPDX-License-Identifier: GPL-2.0-or-later
/* Where windows of registers are found, and what is refused before anything there is touched. */
#include "machine/discovery.h"
#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "icx", "sockets=1", NULL)

static const struct unc_box *box_of(const char *name)
{
	struct unc_box *box = NULL;

	OK(&o, unc_box_find(o.m, name, &box));
	return box;
}

static void expect(const char *model, const char *options, const char *box, enum unc_presence presence, const char *why)
{
	const struct unc_box *found;

	onsim_reopen(&o, model, options, NULL);
	found = box_of(box);
	if (found->presence != presence || !strstr(found->why, why))
		fprintf(stderr, "\n%s,%s: %s: %s\n", model, options, box, found->why);
	EQ(found->presence, presence);
	HAS(found->why, why);
	onsim_close_any(&o); /* no violation */
}

/* mmio.md, section 7: the same arithmetic by hand. */
TEST(channels_are_where_the_registers_say)
{
	static const struct {
		const char *model, *box;
		uint64_t base;
	} cases[] = {
		{"icx", "socket0.imc0.ch0", 0xfbb22800},    {"icx", "socket0.imc0.ch1", 0xfbb26800},
		{"spr", "socket0.imc0.ch1", 0xfbb2a800},    {"gnr", "socket0.imc0.ch0", 0xfbb4e800},
		{"gnr", "socket0.imc11.ch0", 0xfbb7a800},   {"sprhbm", "socket0.hbm2.ch1", 0xfba57c00},
		{"sprhbm", "socket0.imc0.ch1", 0xfbb2a800},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onsim_reopen(&o, cases[i].model, "mmio_base=0xfb800000", NULL);
		EQ(box_of(cases[i].box)->presence, UNC_PRESENT);
		EQ(box_of(cases[i].box)->addr.mmio.base, cases[i].base);
	}
}

TEST(what_cannot_be_true_is_not_touched)
{
	expect("icx", "mmio_base=0", "socket0.imc0.ch0", UNC_MISSING,
	       "is 0: the firmware gave the controllers no address");
	expect("icx", "mmio_base=0x4000000000000", "socket0.imc3.ch1", UNC_MISSING, "beyond the 46 bits of an address");
	expect("icx", "mmio=limit", "socket0.imc0.ch0", UNC_MISSING, "is below its base");
	expect("icx", "mmio=off", "socket0.imc0.ch0", UNC_ABSENT, "MCMTR at");
	expect("icx", "mmio_base=0x100000000", "socket0.imc0.ch0", UNC_DENIED, "is in \"System RAM\"");
	expect("icx", "iomem=zeros", "socket0.imc0.ch0", UNC_DENIED, "CAP_SYS_ADMIN");
	expect("icx", "hide=7e:00.1", "socket0.imc0.ch0", UNC_ABSENT, "there is no PCI function 8086:3451");
	expect("icx", "sockets=2,hide=7e:00.1", "socket0.imc0.ch0", UNC_MISSING, "though other sockets have it");
	expect("icx", "sockets=2,hide=7e:00.1", "socket1.imc0.ch0", UNC_PRESENT, "by the registers of 0000:fe:00.1");
	expect("icx", "lockdown=1", "socket0.imc0.ch0", UNC_DENIED, "locked down");
}

/* MCDDRTCFG is at MEM_BAR + 0x20970 + 0x4000 a channel; bit i: slot i (EDAC, i10nm_base.c). */
TEST(a_register_before_the_counters_tells_of_optane_modules)
{
	static const char with[] = "sockets=2,pmem=socket1.imc2.ch1";
	const struct unc_box *box;

	expect("icx", with, "socket1.imc2.ch1", UNC_PRESENT, "; Optane module in slot 1");
	onsim_reopen(&o, "icx", with, NULL);
	for (size_t i = 0; i < unc_box_count(o.m, "imc"); i++) {
		box = unc_box_at(o.m, "imc", i);
		EQ(box->pmem, strcmp(box->name, "socket1.imc2.ch1") == 0 ? 2 : 0);
		EQ(unc_box_has_pmem(box), box->pmem != 0);
	}
	for (size_t i = 0; i < unc_box_count(o.m, "free"); i++) {
		box = unc_box_at(o.m, "free", i);
		EQ(unc_box_has_pmem(box), strcmp(box->name, "socket1.free2") == 0);
	}
	OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
	EQ(onsim_trace_count(&o, "0xf0320970"), 2); /* MCMTR of the first channel, and this, in one window */
	/* What has no such modules is not asked. */
	onsim_reopen(&o, "snr", "sockets=1", NULL);
	OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
	EQ(onsim_trace_count(&o, "0xf0320ef8"), 1);
	EQ(onsim_trace_count(&o, "0xf0320970"), 0);
}

/* Where an access fails nothing says that there is no channel. */
TEST(a_channel_is_absent_only_where_hardware_says_so)
{
	static const char *const models[] = {"icx", "snr", "spr", "gnr"};
	static const enum unc_fault_how ways[] = {UNC_FAULT_ENODEV, UNC_FAULT_ENXIO, UNC_FAULT_EIO};

	for (size_t i = 0; i < 4; i++)
		for (unsigned k = 0; k < 3; k++) {
			size_t n_missing = 0;

			onsim_reopen(&o, models[i], "sockets=1", NULL);
			for (unsigned at = 1; at <= 520; at++) {
				int rc = onsim_find_boxes_again(&o, &(struct unc_fault){.at = at, .how = ways[k]});

				for (size_t b = 0; rc == 0 && b < unc_box_count(o.m, "imc"); b++) {
					const struct unc_box *box = unc_box_at(o.m, "imc", b);

					CU_ASSERT(box->presence != UNC_ABSENT);
					n_missing += box->presence == UNC_MISSING;
				}
			}
			CU_ASSERT(n_missing >= unc_box_count(o.m, "imc"));
			onsim_work(&o);
		}
}

TEST(a_third_channel_of_a_controller_of_ice_lake_d_is_absent)
{
	expect("icxd", "", "socket0.imc3.ch1", UNC_PRESENT, "by the registers");
	expect("icxd", "", "socket0.imc3.ch2", UNC_ABSENT, "MCMTR at 0xf0448ef8 reads all ones");
}

/* An absent channel has no module either, though the register reads as ones there, too. */
TEST(where_nothing_answers_there_are_no_optane_modules)
{
	onsim_reopen(&o, "icx", "mmio=off", NULL);
	EQ(unc_box_at(o.m, "imc", 0)->presence, UNC_ABSENT);
	EQ(unc_box_has_pmem(unc_box_at(o.m, "imc", 0)), false);
}

TEST(a_channel_that_does_not_tell_of_optane_modules_is_not_counted)
{
	const struct unc_box *box;
	unsigned at = 0, n = 0;

	/* Some read of finding the boxes is that of MCDDRTCFG, and then all ones. */
	onsim_reopen(&o, "icx", "sockets=1", NULL);
	while (n == 0 && ++at < 1000) {
		onsim_find_boxes_again(&o, &(struct unc_fault){.at = at, .how = UNC_FAULT_ONES});
		box = unc_box_at(o.m, "imc", 0);
		n += box && strstr(box->why, "MCDDRTCFG") != NULL;
	}
	EQ(n, 1);
	EQ(box->presence, UNC_MISSING);
	HAS(box->why, "reads all ones, though MCMTR does not");
	onsim_close_any(&o);
}

TEST(tables_and_registers_must_agree)
{
	expect("spr", "table=differs", "socket0.imc1.ch0", UNC_MISSING, "by its registers it is at");
	expect("spr", "table=duplicate", "socket0.imc0.ch0", UNC_MISSING, "twice, or another unit in its registers");
	expect("spr", "table=overlap", "socket0.imc0.ch1", UNC_MISSING, "it is not counted");
	expect("spr", "table=access0", "socket0.imc0.ch0", UNC_MISSING, "reached by way 0");
	expect("spr", "table=access2", "socket0.imc0.ch0", UNC_MISSING, "reached by way 2");
	expect("spr", "table=ram", "socket0.imc0.ch0", UNC_MISSING, "by the discovery table of pci");
	expect("spr", "table=access0", "socket0.imc0.ch1", UNC_PRESENT, "");
	/* Without a usable table registers are enough. */
	expect("spr", "table=hole", "socket0.imc0.ch1", UNC_PRESENT, "by the registers");
	expect("spr", "table=no_units", "socket0.imc0.ch0", UNC_PRESENT, "by the registers");
	expect("spr", "table=ones", "socket0.imc0.ch0", UNC_PRESENT, "by the registers");
	expect("spr", "table=changes", "socket0.imc0.ch0", UNC_PRESENT, "by the registers");
	expect("spr", "table=offset", "socket0.imc0.ch0", UNC_PRESENT, "by the registers");
	/* Each table is read by itself, whatever those of other sockets have, and with the distance that its head gives. */
	expect("spr", "sockets=2,table=second", "socket1.imc0.ch0", UNC_PRESENT, "by the registers");
	expect("spr", "table=stride", "socket0.imc3.ch1", UNC_PRESENT, "by the registers");
	/* Those in PCI space have a fixed place; a table must have it, if it has such units at all. */
	expect("spr", "sockets=2", "socket1.m2m3", UNC_PRESENT, "found as 8086:324a");
	expect("spr", "table=differs", "socket0.m2m0", UNC_MISSING, "and none at 0x438 of this function");
	expect("spr", "sockets=2,table=differs", "socket1.m2m3", UNC_MISSING, "and none at 0x438 of this function");
	expect("spr", "table=no_units", "socket0.m2m0", UNC_PRESENT, "found as 8086:324a");
	expect("gnr", "sockets=2", "socket1.m2m11", UNC_PRESENT, "found as 8086:324a");
	expect("gnr", "table=differs", "socket0.m2m0", UNC_MISSING, "and none at 0x438 of this function");
}

TEST(tables_alone_are_enough)
{
	expect("spr", "hide=7e:00.1", "socket0.imc2.ch1", UNC_PRESENT, "by a discovery table");
	expect("spr", "sockets=2,hide=7e:00.1,hide=fe:00.1", "socket1.imc0.ch0", UNC_PRESENT, "by a discovery table");
	expect("spr", "hide=7e:00.1,table=hole", "socket0.imc0.ch1", UNC_ABSENT,
	       "no discovery table has unit 1 of type 6");
	expect("spr", "hide=7e:00.1,table=ram", "socket0.imc0.ch0", UNC_DENIED, "System RAM");
	expect("spr", "hide=7e:00.1,table=ones", "socket0.imc0.ch0", UNC_MISSING, "reads all ones");
	expect("spr", "hide=7e:00.1,table=no_units", "socket0.imc0.ch0", UNC_MISSING, "make no table");
	expect("spr", "hide=7e:00.1,table=changes", "socket0.imc0.ch0", UNC_MISSING, "changes while it is read");
	expect("spr", "hide=7e:00.1,table=offset", "socket0.imc0.ch0", UNC_PRESENT, "by a discovery table");
	expect("cwf", "sockets=2", "socket1.imc11.ch0", UNC_PRESENT, "by a discovery table");
	expect("cwf", "sockets=2,table=second", "socket1.imc11.ch0", UNC_PRESENT, "at 0xf0b7a800 by a discovery table");
	expect("cwf", "table=stride", "socket0.imc11.ch0", UNC_PRESENT, "at 0xf037a800 by a discovery table");
}

TEST(all_tables_of_a_function_are_read)
{
	static const struct {
		const char *options;
		size_t tables, units[2];
	} cases[] = {{"", 1, {13, 0}}, {"table=two", 2, {7, 6}}, {"table=loop", 2, {13, 0}}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onsim_reopen(&o, "cwf", cases[i].options, NULL);
		EQ(o.m->tables->n, cases[i].tables);
		for (size_t k = 0; k < cases[i].tables; k++)
			EQ(o.m->tables->tables[k].n_units, cases[i].units[k]);
	}
	/* A list that leads back to what was read ends there, and says so beside the table that was found before. */
	HAS(o.m->tables->tables[1].why, "its list of capabilities has no end: it leads back to 0x100");
	expect("cwf", "table=two", "socket0.imc10.ch0", UNC_PRESENT, "by a discovery table");
	expect("cwf", "table=two", "socket0.imc11.ch0", UNC_PRESENT, "by a discovery table");
	expect("cwf", "table=loop", "socket0.imc0.ch0", UNC_PRESENT, "by a discovery table");
}

TEST(sockets_without_a_ubox_are_told_by_their_numa_node)
{
	onsim_reopen(&o, "gnr", "sockets=2,numbering=reversed", NULL);
	HAS(box_of("socket0.imc0.ch0")->why, "0000:fe:00.1; socket 0 by the NUMA node");
	HAS(box_of("socket1.imc0.ch0")->why, "0000:7e:00.1; socket 1 by the NUMA node");
}

TEST(finding_windows_writes_nothing)
{
	static const char *const models[] = {"icx", "spr", "gnr", "cwf"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		onsim_reopen(&o, models[i], "sockets=2", NULL);
		OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
		CU_ASSERT_TRUE(onsim_trace_count(&o, " r") > 0);
		EQ(onsim_trace_count(&o, " w"), 0);
	}
}

/* Most processors of that model have no HBM, and nothing where it would be is touched. */
TEST(only_a_discovery_table_tells_of_memory_in_the_package)
{
	static const struct {
		const char *model, *options;
		size_t boxes;
	} cases[] = {{"sprhbm", "", 40}, {"sprhbm", "table=ones", 8}, {"spr", "", 8}, {"emr", "", 8}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onsim_reopen(&o, cases[i].model, "sockets=1", cases[i].options);
		EQ(unc_box_count(o.m, "imc"), cases[i].boxes);
		EQ(onsim_count(o.notes, "hbm"), 0);
	}
}
