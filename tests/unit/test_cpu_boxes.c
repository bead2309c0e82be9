// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"
#include "map/field.h"
#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "hsx", "sockets=1,cores=4", NULL)

static struct unc_box *cpu_box(unsigned cpu)
{
	struct unc_box *box = NULL;

	OK(&o, unc_machine_cpu_box(o.m, "rdt", cpu, &box));
	CU_ASSERT_PTR_NOT_NULL_FATAL(box);
	return box;
}

TEST(a_box_is_made_once_and_opened_when_a_register_is_asked_for)
{
	struct unc_box *box, *again;
	struct unc_box_info info;
	uint64_t value = 1;

	onsim_reopen(&o, "hsx", "sockets=2,cores=4", NULL);
	onsim_trace_clear(&o);
	box = cpu_box(5);
	SAME(o.trace, "");
	CU_ASSERT_PTR_NULL(box->space);
	CU_ASSERT_PTR_EQUAL(cpu_box(5), box);
	CU_ASSERT_PTR_NOT_EQUAL(cpu_box(4), box);
	OK(&o, unc_box_find(o.m, "cpu5.rdt", &again));
	CU_ASSERT_PTR_EQUAL(again, box);
	unc_box_info(box, &info);
	SAME(info.name, "cpu5.rdt");
	SAME(info.pci, "cpu5");
	EQ(info.presence, UNC_PRESENT);
	OK(&o, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value));
	EQ(value, 0);
	EQ(onsim_trace_count(&o, "msr cpu5 r64 0xc8f"), 1);
	EQ(onsim_count(o.trace, "\n"), 1);
}

TEST(they_are_in_no_list)
{
	size_t n;

	onsim_reopen(&o, "skx", "sockets=1,cores=4", NULL);
	n = unc_box_count(o.m, NULL);
	cpu_box(0);
	EQ(unc_box_count(o.m, "rdt"), 0);
	EQ(unc_box_count(o.m, NULL), n);
}

/* They are looked for by number: the last is as near as the first. */
TEST(there_is_one_for_each_of_many_cpus)
{
	struct unc_box *boxes[384];

	onsim_reopen(&o, "bdx", "sockets=1", NULL);
	for (unsigned cpu = 0; cpu < 384; cpu++)
		boxes[cpu] = cpu_box(383 - cpu);
	for (unsigned cpu = 0; cpu < 384; cpu++) {
		CU_ASSERT_PTR_EQUAL(cpu_box(cpu), boxes[383 - cpu]);
		EQ(boxes[383 - cpu]->addr.msr.cpu, cpu);
	}
}

TEST(what_is_not_there_is_told_in_one_sentence)
{
	struct unc_box *box;
	uint64_t value;

	onsim_reopen(&o, "hsx", "sockets=1,cores=4,threads=1,offline=2", NULL);
	box = cpu_box(2);
	FAILS(&o, UNC_ENODEV, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value),
	      "cpu2.rdt: PQR_ASSOC: ", "offline");
	EQ(box->presence, UNC_MISSING);
	box = cpu_box(4711);
	FAILS(&o, UNC_ENODEV, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value),
	      "cpu4711.rdt: PQR_ASSOC: ", "CPUs 0 to 3");
	FAILS(&o, UNC_ENODEV, unc_machine_cpu_box(o.m, "rdt", 4000000000U, &box), "cpu4000000000.rdt", "no such CPU");
	FAILS(&o, UNC_ENOSUP, unc_machine_cpu_box(o.m, "imc", 0, &box), "cpu0.imc", "no register map");
	FAILS(&o, UNC_ENOSUP, unc_machine_cpu_box(o.m, "global", 0, &box), "cpu0.global");
	FAILS(&o, UNC_ENOSUP, unc_box_find(o.m, "cpu1.bus", &box), "cpu1.bus", "no register map");
	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "cpu01.rdt", &box), "cpu01.rdt", "no such box");
	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "cpu.rdt", &box), "no such box");
	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "cpu1x.rdt", &box), "no such box");
	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "cpu1", &box), "no such box");
	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "socket0.rdt", &box), "no such box");
}

TEST(what_is_refused_is_denied)
{
	struct unc_box *box;
	struct unc_bus *bus, *failing;
	uint64_t value;

	OK(&o, unc_machine_bus(o.m, UNC_MSR, &bus));
	OK(&o, unc_fault_wrap(bus, &o.fault, &failing));
	o.m->bus[UNC_MSR] = failing;
	box = cpu_box(1);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EPERM);
	FAILS(&o, UNC_EPERM, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value), "cpu1.rdt: PQR_ASSOC: ");
	EQ(box->presence, UNC_DENIED);
	onsim_work(&o);
	FAILS(&o, UNC_EPERM, unc_reg_get(box, onsim_reg(box, "QM_EVTSEL"), 0, &value), "cpu1.rdt: QM_EVTSEL: ");
}

TEST(a_part_without_monitoring_has_none)
{
	struct unc_box *box;

	onsim_reopen(&o, "snbep", "sockets=1", NULL);
	FAILS(&o, UNC_ENOSUP, unc_machine_cpu_box(o.m, "rdt", 0, &box), "cpu0.rdt", "no register map");
}

static const char owner[1];

TEST(writing_goes_through_the_gate_and_is_put_back)
{
	struct unc_box *box;
	uint64_t value;

	box = cpu_box(3);
	OK(&o, unc_gate_write(box, onsim_reg(box, "PQR_ASSOC"), 0, 5, owner));
	OK(&o, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value));
	EQ(value, 5);
	FAILS(&o, UNC_EDENIED, unc_gate_write(box, onsim_reg(box, "PQR_ASSOC"), 0, 0x400, owner), "cpu3.rdt: PQR_ASSOC",
	      "reserved");
	FAILS(&o, UNC_EDENIED, unc_gate_write(box, onsim_reg(box, "QM_CTR"), 0, 0, owner), "cpu3.rdt: QM_CTR");
	OK(&o, unc_gate_restore(o.m, owner));
	OK(&o, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value));
	EQ(value, 0);
}

/* The simulated machine knows nothing of the map: what it takes and what it refuses is where the manuals have it. */
TEST(fields_are_where_each_part_has_them)
{
	static const struct {
		const char *model;
		unsigned max_rmid, no_rmid; /* CPUID 0xf.1 ECX; one more, or too wide for the field */
		int refused;
		unsigned clos; /* of Haswell-EP CPUID announces none */
	} parts[] = {
		{"hsx", 71, 72, UNC_EIO, 0},         {"skx", 223, 224, UNC_EIO, 3},  {"icx", 287, 288, UNC_EIO, 3},
		{"spr", 351, 1024, UNC_ERANGE, 3},   {"zen2", 255, 256, UNC_EIO, 3}, {"zen4", 255, 256, UNC_EIO, 3},
		{"zen5", 4095, 4096, UNC_ERANGE, 3},
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t clos = (uint64_t)parts[i].clos << 32, value = 1;
		const struct unc_reg *reg;
		struct unc_box *box;

		onsim_reopen(&o, parts[i].model, NULL, NULL);
		box = cpu_box(1);
		reg = onsim_reg(box, "PQR_ASSOC");
		OK(&o, unc_gate_set_field(box, reg, unc_reg_field(reg, "rmid"), clos, parts[i].max_rmid, owner));
		OK(&o, unc_reg_get(box, reg, 0, &value));
		EQ(value, clos | parts[i].max_rmid);
		FAILS(&o, parts[i].refused,
		      unc_gate_set_field(box, reg, unc_reg_field(reg, "rmid"), value, parts[i].no_rmid, owner),
		      "cpu1.rdt: PQR_ASSOC: ");
		reg = onsim_reg(box, "QM_EVTSEL");
		OK(&o, unc_gate_set_field(box, reg, unc_reg_field(reg, "rmid"), 1, parts[i].max_rmid, owner));
		OK(&o, unc_reg_get(box, onsim_reg(box, "QM_CTR"), 0, &value));
		EQ(unc_field_get(unc_reg_field(onsim_reg(box, "QM_CTR"), "error"), value), 0);
		OK(&o, unc_gate_restore(o.m, owner));
	}
}
