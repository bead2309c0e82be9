// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"
#include "map/field.h"
#include "onsim.h"
#include "test.h"

static struct unc_box *cpu_box(struct onsim *o, unsigned cpu)
{
	struct unc_box *box = NULL;

	OK(o, unc_machine_cpu_box(o->m, "rdt", cpu, &box));
	CU_ASSERT_PTR_NOT_NULL_FATAL(box);
	return box;
}

TEST(a_box_is_made_once_and_opened_when_a_register_is_asked_for)
{
	struct unc_box *box, *again;
	struct unc_box_info info;
	uint64_t value = 1;
	struct onsim o;

	onsim_open_model(&o, "hsx", "sockets=2,cores=4", NULL);
	onsim_trace_clear(&o);
	box = cpu_box(&o, 5);
	SAME(o.trace, "");
	CU_ASSERT_PTR_NULL(box->space);
	CU_ASSERT_PTR_EQUAL(cpu_box(&o, 5), box);
	CU_ASSERT_PTR_NOT_EQUAL(cpu_box(&o, 4), box);
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
	onsim_close(&o);
}

TEST(they_are_in_no_list)
{
	struct onsim o;
	size_t n;

	onsim_open_model(&o, "skx", "sockets=1,cores=4", NULL);
	n = unc_box_count(o.m, NULL);
	cpu_box(&o, 0);
	EQ(unc_box_count(o.m, "rdt"), 0);
	EQ(unc_box_count(o.m, NULL), n);
	onsim_close(&o);
}

/* They are looked for by number: the last is as near as the first. */
TEST(there_is_one_for_each_of_many_cpus)
{
	struct unc_box *boxes[384];
	struct onsim o;

	onsim_open_model(&o, "bdx", "sockets=1", NULL);
	for (unsigned cpu = 0; cpu < 384; cpu++)
		boxes[cpu] = cpu_box(&o, 383 - cpu);
	for (unsigned cpu = 0; cpu < 384; cpu++) {
		CU_ASSERT_PTR_EQUAL(cpu_box(&o, cpu), boxes[383 - cpu]);
		EQ(boxes[383 - cpu]->addr.msr.cpu, cpu);
	}
	onsim_close(&o);
}

TEST(what_is_not_there_is_told_in_one_sentence)
{
	struct unc_box *box;
	uint64_t value;
	struct onsim o;

	onsim_open_model(&o, "hsx", "sockets=1,cores=4,threads=1,offline=2", NULL);
	box = cpu_box(&o, 2);
	FAILS(&o, UNC_ENODEV, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value),
	      "cpu2.rdt: PQR_ASSOC: ", "offline");
	EQ(box->presence, UNC_MISSING);
	box = cpu_box(&o, 4711);
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
	onsim_close(&o);
}

TEST(what_is_refused_is_denied)
{
	struct unc_box *box;
	struct unc_bus *bus, *failing;
	uint64_t value;
	struct onsim o;

	onsim_open_model(&o, "hsx", "sockets=1,cores=4", NULL);
	OK(&o, unc_machine_bus(o.m, UNC_MSR, &bus));
	OK(&o, unc_fault_wrap(bus, &o.fault, &failing));
	o.m->bus[UNC_MSR] = failing;
	box = cpu_box(&o, 1);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EPERM);
	FAILS(&o, UNC_EPERM, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value), "cpu1.rdt: PQR_ASSOC: ");
	EQ(box->presence, UNC_DENIED);
	onsim_work(&o);
	FAILS(&o, UNC_EPERM, unc_reg_get(box, onsim_reg(box, "QM_EVTSEL"), 0, &value), "cpu1.rdt: QM_EVTSEL: ");
	onsim_close(&o);
}

TEST(a_part_without_monitoring_has_none)
{
	struct unc_box *box;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	FAILS(&o, UNC_ENOSUP, unc_machine_cpu_box(o.m, "rdt", 0, &box), "cpu0.rdt", "no register map");
	onsim_close(&o);
}

static const char owner[1];

TEST(writing_goes_through_the_gate_and_is_put_back)
{
	struct unc_box *box;
	uint64_t value;
	struct onsim o;

	onsim_open_model(&o, "hsx", "sockets=1,cores=4", NULL);
	box = cpu_box(&o, 3);
	OK(&o, unc_gate_write(box, onsim_reg(box, "PQR_ASSOC"), 0, 5, owner));
	OK(&o, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value));
	EQ(value, 5);
	FAILS(&o, UNC_EDENIED, unc_gate_write(box, onsim_reg(box, "PQR_ASSOC"), 0, 0x400, owner), "cpu3.rdt: PQR_ASSOC",
	      "reserved");
	FAILS(&o, UNC_EDENIED, unc_gate_write(box, onsim_reg(box, "QM_CTR"), 0, 0, owner), "cpu3.rdt: QM_CTR");
	OK(&o, unc_gate_restore(o.m, owner));
	OK(&o, unc_reg_get(box, onsim_reg(box, "PQR_ASSOC"), 0, &value));
	EQ(value, 0);
	onsim_close(&o);
}

/* The simulated machine knows nothing of the map: what it takes and what it refuses is where the manuals have it. */
TEST(fields_are_where_each_part_has_them)
{
	static const struct {
		const char *machine;
		unsigned max_rmid, no_rmid; /* CPUID 0xf.1 ECX; one more, or too wide for the field */
		int refused;
		unsigned clos; /* of Haswell-EP CPUID announces none */
	} parts[] = {
		{"sim:hsx,clock=step", 71, 72, UNC_EIO, 0},         {"sim:skx,clock=step", 223, 224, UNC_EIO, 3},
		{"sim:icx,clock=step", 287, 288, UNC_EIO, 3},       {"sim:spr,clock=step", 351, 1024, UNC_ERANGE, 3},
		{"sim:zen2,clock=step", 255, 256, UNC_EIO, 3},      {"sim:zen4,clock=step", 255, 256, UNC_EIO, 3},
		{"sim:zen5,clock=step", 4095, 4096, UNC_ERANGE, 3},
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct unc_machine_cfg cfg = {.machine = parts[i].machine, .writable = true};
		struct unc_gate_field rmid = {.index = 0};
		struct onsim o = {.ctx = NULL};
		uint64_t clos = (uint64_t)parts[i].clos << 32, value = 1;
		struct unc_box *box;

		CU_ASSERT_FATAL(unc_new(&o.ctx) == 0);
		OK(&o, unc_machine_open(o.ctx, &cfg, &o.m));
		box = cpu_box(&o, 1);
		rmid.reg = onsim_reg(box, "PQR_ASSOC");
		rmid.field = unc_reg_field(rmid.reg, "rmid");
		OK(&o, unc_gate_set_field(box, &rmid, clos, parts[i].max_rmid, owner));
		OK(&o, unc_reg_get(box, rmid.reg, 0, &value));
		EQ(value, clos | parts[i].max_rmid);
		FAILS(&o, parts[i].refused, unc_gate_set_field(box, &rmid, value, parts[i].no_rmid, owner),
		      "cpu1.rdt: PQR_ASSOC: ");
		rmid.reg = onsim_reg(box, "QM_EVTSEL");
		rmid.field = unc_reg_field(rmid.reg, "rmid");
		OK(&o, unc_gate_set_field(box, &rmid, 1, parts[i].max_rmid, owner));
		OK(&o, unc_reg_get(box, onsim_reg(box, "QM_CTR"), 0, &value));
		EQ(unc_field_get(unc_reg_field(onsim_reg(box, "QM_CTR"), "error"), value), 0);
		OK(&o, unc_gate_restore(o.m, owner));
		unc_machine_close(o.m);
		unc_free(o.ctx);
	}
}
