// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "onsim.h"

#include <unistd.h>

#include "test.h"

static struct onplain t; /* closed behind each test */

static void end(void)
{
	if (t.ctx)
		onplain_close(&t);
	t.ctx = NULL;
}

EACH(NULL, end)

static int try_open(const char *name, const char *map_dir)
{
	struct unc_machine_cfg cfg = {.machine = name, .map_dir = map_dir, .wake_fd = -1};

	end();
	t.m = NULL;
	CU_ASSERT_FATAL(unc_new(&t.ctx) == 0);
	return unc_machine_open(t.ctx, &cfg, &t.m);
}

TEST(a_machine_that_does_not_exist_is_named)
{
	static const struct {
		const char *name, *pieces[2];
	} cases[] = {
		{"nonsense", {"\"nonsense\"", "root:DIR"}},
		{"", {"\"\"", "live"}},
		{"lively", {"\"lively\"", "live"}},
		{"live:", {"\"live:\"", "live"}},
		{"sim", {"\"sim\"", "sim:MODEL"}},
		{"root", {"\"root\"", "root:DIR"}},
		{"root:", {"root: names no directory", "root:DIR"}},
		{"sim:", {"sim", ""}},
		{"sim:snbpe", {"snbpe", "the nearest is snbep"}},
		{"sim:snbep,nonsense=1", {"nonsense", ""}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FAILS(&t, UNC_EARG, try_open(cases[i].name, NULL), cases[i].pieces[0], cases[i].pieces[1]);
		CU_ASSERT_PTR_NULL(t.m);
	}
}

TEST(a_folder_of_maps_that_is_not_there_is_a_wrong_question)
{
	FAILS(&t, UNC_EARG, try_open("sim:snbep", "/nowhere/maps"), "/nowhere/maps");
}

TEST(a_machine_tells_what_it_is)
{
	struct unc_machine_info info;
	struct unc_cpu_info cpu;

	OK(&t, try_open("sim:snbep,sockets=2,cores=4", NULL));
	unc_machine_info(t.m, &info);
	SAME(info.name, "sim:snbep,sockets=2,cores=4");
	CU_ASSERT_TRUE(info.simulated);
	SAME(info.part, "Sandy Bridge-EP");
	EQ(info.n_sockets, 2);
	EQ(info.n_cpus, 16); /* of two threads a core */
	SAME(info.socket_rule, "UBOX mapping");
	OK(&t, unc_machine_cpu(t.m, &cpu));
	HAS(cpu.brand, "E5-2687W");
	EQ(cpu.n_cores, 4);
	EQ(cpu.l3_bytes, 20 << 20);
}

TEST(two_machines_can_be_open_at_once)
{
	struct onplain a, b;

	onplain_open(&a, "sim:snbep,sockets=1");
	onplain_open(&b, "sim:snbep,sockets=4");
	EQ(unc_box_count(a.m, "imc"), 4);
	EQ(unc_box_count(b.m, "imc"), 16);
	onplain_close(&a);
	EQ(unc_box_count(b.m, "imc"), 16);
	onplain_close(&b);
}

TEST(time_is_the_machines)
{
	uint64_t raw, mono, real;

	OK(&t, try_open("sim:snbep,sockets=1,clock=step", NULL));
	raw = unc_machine_raw_ns(t.m);
	mono = unc_machine_mono_ns(t.m);
	real = unc_machine_real_ns(t.m);
	/* As sim.h has it: 1000 s, 2000 s, the year 2020. */
	EQ(raw / (1000 * S_NS), 1);
	EQ(mono / (1000 * S_NS), 2);
	EQ(real / S_NS, 1577836800);
	EQ(raw - 1000 * S_NS, mono - 2000 * S_NS);
	EQ(unc_machine_raw_ns(t.m), raw);
	OK(&t, unc_sim_step(t.m->host, 12345, false));
	EQ(unc_machine_raw_ns(t.m), raw + 12345);
	EQ(unc_machine_mono_ns(t.m), mono + 12345);
	EQ(unc_machine_real_ns(t.m), real + 12345);
}

struct lines {
	unsigned n;
	char last[200];
};

static void hear(void *arg, const char *line)
{
	struct lines *lines = arg;

	lines->n++;
	snprintf(lines->last, sizeof(lines->last), "%s", line);
}

TEST(a_trace_counts_time_from_the_opening)
{
	struct lines lines = {0};
	struct unc_machine_cfg cfg = {
		.machine = "sim:snbep,sockets=1,clock=step", .trace = hear, .trace_arg = &lines, .wake_fd = -1};
	struct unc_box_state state;
	unsigned before;

	onplain_open_cfg(&t, &cfg);
	CU_ASSERT_TRUE(lines.n > 0);
	before = lines.n;
	OK(&t, unc_sim_step(t.m->host, S_NS - (unc_machine_raw_ns(t.m) - 1000 * S_NS), false));
	OK(&t, unc_box_state(unc_box_at(t.m, "imc", 0), &state));
	EQ(lines.n, before + 1);
	/* Eight dwords of 500 ns later. */
	SAME(lines.last,
	     "1000004000 pci 0000:ff:10.0 rblk 0xd8 0000000000000000000000000000000000000000000000000000000000000000");
}

TEST(a_bus_is_opened_when_it_is_asked_for_and_kept)
{
	struct unc_bus *first = NULL, *second = NULL, *none = NULL;

	OK(&t, try_open("sim:snbep,sockets=1", NULL));
	CU_ASSERT_PTR_NULL(t.m->bus[UNC_MSR]);
	OK(&t, unc_machine_bus(t.m, UNC_PCI, &first));
	OK(&t, unc_machine_bus(t.m, UNC_PCI, &second));
	CU_ASSERT_PTR_EQUAL(first, second);
	FAILS(&t, UNC_ENOSUP, unc_machine_bus(t.m, UNC_MMIO, &none), "in memory");
	CU_ASSERT_PTR_NULL(none);
}

TEST(buses_are_read_only_unless_writing_was_asked_for)
{
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	CU_ASSERT_TRUE(o.m->bus[UNC_PCI]->writable);
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	CU_ASSERT_FALSE(o.m->bus[UNC_PCI]->writable);
	onsim_close(&o);
}

TEST(closing_puts_back_what_is_still_written)
{
	struct onsim o;
	struct unc_box *box;
	struct unc_box copy;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	OK(&o, unc_gate_write(box, onsim_reg(box, "CTL"), 0, 0x304, &o));
	copy.addr = box->addr;
	/* Closed by hand, to see the register afterwards. */
	CU_ASSERT_EQUAL(unc_machine_close(o.m), 0);
	CU_ASSERT_EQUAL(onsim_peek(&o, &copy, R_CTL(0)), 0);
	o.m = NULL;
	onsim_close(&o);
}

TEST(closing_says_what_it_could_not_put_back)
{
	struct onsim o;
	struct unc_box *box;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	OK(&o, unc_gate_write(box, onsim_reg(box, "CTL"), 0, 0x304, &o));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, unc_machine_close(o.m), "socket0.imc0.ch1: CTL[0]");
	o.m = NULL;
	onsim_close(&o);
}

TEST(closing_nothing_is_fine)
{
	CU_ASSERT_EQUAL(unc_machine_close(NULL), 0);
}
