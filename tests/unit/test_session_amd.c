// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting in MSRs of AMD processors, on the simulated machine.  The numbers are typed from amd.md, sections 3 and 4: data fabric
 * from 0xc0010240 on, memory controllers from 0xc0010800 on, two MSRs a counter, EN bit 22 or 31.
 */
#include "onsim.h"

#include "test.h"

static struct onsim o;
static struct onrun r;

static void open_zen5(void)
{
	onsim_open_model(&o, "zen5", "sockets=1", NULL);
}

static void close_all(void)
{
	onrun_close(&r);
	if (o.m)
		onsim_close(&o);
}

EACH(open_zen5, close_all)

static void reopen(const char *model, const char *common)
{
	onrun_close(&r);
	onsim_reopen(&o, model, common, NULL);
}

/* The other hand: another program with access to MSRs. */
static uint64_t msr(unsigned cpu, uint32_t number, const uint64_t *write)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	unsigned char bytes[8];
	uint64_t value = 0;

	CU_ASSERT_FATAL(o.hand->ops->bus_open(o.hand, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	unc_put_le64(bytes, write ? *write : 0);
	if (write)
		CU_ASSERT_FATAL(bus->ops->write(space, number, bytes, sizeof(bytes)) == 0);
	CU_ASSERT_FATAL(unc_read64(space, number, &value) == 0);
	unc_space_close(space);
	unc_bus_close(bus);
	return value;
}

static uint64_t peek(unsigned cpu, uint32_t number)
{
	return msr(cpu, number, NULL);
}

static void poke(unsigned cpu, uint32_t number, uint64_t value)
{
	msr(cpu, number, &value);
}

static uint64_t truth(size_t channel, const char *event, uint64_t raw_ns)
{
	uint64_t count;

	CU_ASSERT_FATAL(unc_sim_truth_events_of(o.hand, channel, event, raw_ns, &count) == 0);
	return count;
}

/* The count of a channel is what happened between its own times, give or take that many counts. */
static void is_true(size_t i, size_t channel, const char *event, uint64_t tolerance)
{
	uint64_t real_ns = unc_machine_real_ns(o.m) - unc_machine_raw_ns(o.m), to_ns = r.c[i].time_ns - real_ns;
	uint64_t happened = truth(channel, event, to_ns) - truth(channel, event, to_ns - r.c[i].interval_ns);

	CU_ASSERT_FATAL((r.c[i].flags & UNC_COUNT_NO_NUMBER) == 0);
	CU_ASSERT_TRUE(r.c[i].delta + tolerance >= happened && r.c[i].delta <= happened + tolerance);
}

enum { TOLERANCE = 2000 }; /* of some 10^8: half of a bracket on both sides */

TEST(a_memory_controller_counts_reads_and_writes)
{
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd", "ch0 umc_cas_cmd.wr", "ch11 umc_cas_cmd.rd");
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
	is_true(1, 0, "cas_count.wr", TOLERANCE);
	is_true(2, 11, "cas_count.rd", TOLERANCE);
	CU_ASSERT_TRUE(r.c[0].delta > 0 && r.c[1].delta > 0 && r.c[2].delta > r.c[0].delta);
}

/* The highest counters are taken, all bits but the event, RdWrMask and EN are 0, and all is put back. */
TEST(controls_are_what_the_manual_says_and_are_put_back)
{
	poke(0, 0xc0010806, 0x0000010a); /* as perf leaves one: not enabled */
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd", "ch0 umc_cas_cmd.wr", "ch11 umc_cas_cmd.rd");
	CU_ASSERT_EQUAL(peek(0, 0xc0010806), 0x8000010a);
	CU_ASSERT_EQUAL(peek(0, 0xc0010804), 0x8000020a);
	CU_ASSERT_EQUAL(peek(0, 0xc0010802), 0x80000000); /* the clock */
	CU_ASSERT_EQUAL(peek(0, 0xc0010800), 0);
	CU_ASSERT_EQUAL(peek(0, 0xc001085e), 0x8000010a);
	onrun_close(&r);
	EQ(peek(0, 0xc0010806), 0x0000010a);
	EQ(peek(0, 0xc0010804), 0);
	EQ(peek(0, 0xc001085e), 0);
}

TEST(an_enabled_counter_is_another_programs)
{
	poke(0, 0xc0010806, 0x8000000a);
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd", "ch0 umc_cas_cmd.wr");
	CU_ASSERT_EQUAL(peek(0, 0xc0010806), 0x8000000a);
	CU_ASSERT_EQUAL(peek(0, 0xc0010804), 0x8000010a);
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
	onrun_close(&r);
	EQ(peek(0, 0xc0010806), 0x8000000a);
}

TEST(a_sample_is_one_read_a_counter_and_no_write)
{
	struct unc_session_cfg later = {.confirm_later = true};

	ONRUN_START(&r, &o, &later, "ch0 umc_cas_cmd.rd", "ch0 umc_cas_cmd.wr", "ch1 umc_cas_cmd.rd",
		    "ch1 umc_cas_cmd.wr");
	onrun_read_after(&r, S_NS); /* this one looks at the controls, too */
	onsim_trace_clear(&o);
	onrun_read_after(&r, MS_NS);
	EQ(onsim_trace_count(&o, "msr cpu0 r"), 4);
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(another_program_that_takes_the_counter_is_seen)
{
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd");
	onrun_read_after(&r, S_NS);
	poke(0, 0xc0010806, 0x80000005);
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(r.c[0].flags & UNC_COUNT_STOLEN);
	onrun_close(&r);
	EQ(peek(0, 0xc0010806), 0x80000005); /* it keeps what the other program wrote */
}

/* perf and Linux's timer set counters to 0. */
TEST(a_counter_that_went_back_is_no_number)
{
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd");
	onrun_read_after(&r, S_NS);
	poke(0, 0xc0010807, 5);
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(r.c[0].flags & UNC_COUNT_RESET);
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
}

/* It stops at its highest value: from then on nothing is known, until it begins at 0 again. */
TEST(a_counter_that_saturated_is_no_number_and_begins_again)
{
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd");
	onrun_read_after(&r, S_NS);
	poke(0, 0xc0010807, UINT64_C(0xffffffffff00));
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(r.c[0].flags & UNC_COUNT_NO_NUMBER);
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(r.c[0].flags & UNC_COUNT_NO_NUMBER);
	CU_ASSERT_TRUE(peek(0, 0xc0010807) < UINT64_C(1) << 40);
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
}

TEST(a_counter_that_is_found_nearly_full_begins_at_0)
{
	poke(0, 0xc0010807, UINT64_C(0xfffffffff000));
	poke(0, 0xc0010805, UINT64_C(0xfffffffff000)); /* the clock takes this one */
	ONRUN_START(&r, &o, NULL, "ch0 umc_cas_cmd.rd");
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
}

TEST(a_counter_of_the_data_fabric_wraps)
{
	reopen("zen2", "sockets=1");
	poke(0, 0xc0010247, UINT64_C(0xfffffffff000));
	ONRUN_START(&r, &o, NULL, "ch0 dram_data");
	CU_ASSERT_EQUAL(peek(0, 0xc0010246), 0x403807);
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(peek(0, 0xc0010247) < UINT64_C(1) << 40);
	CU_ASSERT_FATAL((r.c[0].flags & UNC_COUNT_NO_NUMBER) == 0);
	CU_ASSERT_TRUE(r.c[0].delta > 80000000 && r.c[0].delta < 90000000); /* 5.5 GB/s of 64 bytes */
}

/* Channel 7 of Zen 2 is event 1c7, whose bits 11:8 are in bits 35:32 of the control. */
TEST(channels_of_a_node_share_its_counters)
{
	struct unc_session_cfg multiplex = {.multiplex = true};

	reopen("zen2", "sockets=1");
	ONRUN_START(&r, &o, NULL, "ch7 dram_data", "ch1 dram_data", "ch2 dram_data", "ch3 dram_data");
	CU_ASSERT_EQUAL(peek(0, 0xc0010246), UINT64_C(0x1004038c7));
	CU_ASSERT_EQUAL(peek(0, 0xc0010244), 0x403847);
	onrun_close(&r);
	ONRUN_START(&r, &o, &multiplex, "ch0 dram_data", "ch1 dram_data", "ch2 dram_data", "ch3 dram_data",
		    "ch4 dram_data");
	for (unsigned i = 0; i < 10; i++) {
		onsim_step(&o, 20 * MS_NS);
		onrun_read(&r);
	}
	CU_ASSERT_TRUE(r.c[0].flags & (UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN));
}

/* Each die of Zen 1 has counters of its own; CPU 8 is on the second. */
TEST(each_die_is_programmed_through_a_cpu_of_its_own)
{
	reopen("zen1", "sockets=1");
	ONRUN_START(&r, &o, NULL, "socket0.imc0.ch0 dram_data", "socket0.imc1.ch1 dram_data");
	CU_ASSERT_EQUAL(peek(0, 0xc0010246), 0x403807);
	CU_ASSERT_EQUAL(peek(8, 0xc0010246), 0x403847);
	CU_ASSERT_EQUAL(peek(16, 0xc0010246), 0);
	onrun_read_after(&r, S_NS);
	CU_ASSERT_TRUE(r.c[0].delta > 0 && r.c[1].delta > r.c[0].delta);
}

TEST(an_offline_cpu_is_replaced_by_one_of_the_same_node)
{
	reopen("zen1", "sockets=1,offline=8-10");
	ONRUN_START(&r, &o, NULL, "socket0.imc1.ch0 dram_data");
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.imc1.ch0")->counted_by->addr.msr.cpu, 11);
	CU_ASSERT_EQUAL(peek(11, 0xc0010246), 0x403807);
	reopen("zen1", "sockets=1,offline=8-15,40-47");
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.imc1.ch0")->presence, UNC_MISSING);
	HAS(onsim_box(&o, "socket0.imc1.ch0")->why, "node 1");
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.imc2.ch0")->presence, UNC_PRESENT);
}

TEST(only_populated_memory_controllers_are_there)
{
	reopen("zen4", "umcs=0x8");
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.imc0.ch2")->presence, UNC_ABSENT);
	ONRUN_START(&r, &o, NULL, "ch3 umc_cas_cmd.rd");
	CU_ASSERT_EQUAL(peek(0, 0xc0010806), 0x8000010a); /* the first of the MSRs are of UMC 3 */
}

TEST(counters_that_do_not_divide_are_not_guessed)
{
	reopen("zen5", "sockets=1,umc_ctrs=32");
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.imc0.ch0")->presence, UNC_MISSING);
	HAS(onsim_box(&o, "socket0.imc0.ch0")->why, "32 counters for 12");
}

/* The second half of the UMCs has none. */
TEST(counters_that_only_cpuid_has_are_refused)
{
	reopen("zen5", "sockets=1,umc_ctrs=48:24");
	ONRUN_OPEN(&r, &o, NULL, "ch0 umc_cas_cmd.rd", "ch6 umc_cas_cmd.rd");
	FAILS(&o, UNC_ENODEV, unc_session_start(r.s), "ch6", "CPUID tells of a counter that is not there",
	      "0xc0010830");
	onrun_close(&r);
	EQ(peek(0, 0xc0010806), 0);
}

/* As where the firmware has locked them: what was written before is put back. */
TEST(a_write_that_faults_leaves_nothing)
{
	static const struct {
		const char *model, *options, *events[2];
		uint32_t ctls[2];
	} cases[] = {
		{"zen4",
		 "umcs=0x9,defect=write-faults:cpu5:0xc001080e",
		 {"ch0 umc_cas_cmd.rd", "ch3 umc_cas_cmd.rd"},
		 {0xc0010806, 0xc001080e}},
		{"zen2",
		 "sockets=1,defect=write-faults:cpu5:0xc0010246",
		 {"ch0 dram_data", "ch1 dram_data"},
		 {0xc0010246, 0xc0010244}},
	};

	for (size_t i = 0; i < 2; i++) {
		reopen(cases[i].model, cases[i].options);
		ONRUN_OPEN(&r, &o, NULL, cases[i].events[0], cases[i].events[1]);
		FAILS(&o, UNC_ENODEV, unc_session_start(r.s), "cpu 0: write MSR", "lets no program count");
		CU_ASSERT_TRUE(onsim_trace_count(&o, "0xc0010806 0x000000008000010a") +
				       onsim_trace_count(&o, "0xc0010244 0x0000000000403847") >
			       0);
		onrun_close(&r);
		EQ(peek(0, cases[i].ctls[0]), 0);
		EQ(peek(0, cases[i].ctls[1]), 0);
	}
}

/* CPUID has counters of UMCs, and no UMC (amd.md, 4.6). */
TEST(where_no_umc_is_told_the_data_fabric_counts)
{
	reopen("zen5", "sockets=1,umcs=0,umc_ctrs=48");
	ONRUN_START(&r, &o, NULL, "ch3 read");
	CU_ASSERT_STRING_EQUAL(onsim_box(&o, "socket0.imc0.ch3")->counted_by->name, "socket0.df");
	onrun_read_after(&r, S_NS);
	is_true(0, 3, "cas_count.rd", TOLERANCE);
	CU_ASSERT_TRUE(r.c[0].delta > 0);
}

/* The file of its first CPU's MSRs is missing, then that of the second, too. */
TEST(another_cpu_of_the_node_serves)
{
	onrun_close(&r);
	onsim_reopen(&o, "zen5", "sockets=2,cores=2,threads=1", "vanish=cpu2@0");
	ONRUN_START(&r, &o, NULL, "socket1.imc0.ch0 umc_cas_cmd.rd");
	CU_ASSERT_STRING_EQUAL(onsim_box(&o, "socket1.imc0.ch0")->pci, "cpu3");
	CU_ASSERT_EQUAL(peek(3, 0xc0010806), 0x8000010a);
	onrun_close(&r);
	EQ(peek(3, 0xc0010806), 0);
	onsim_reopen(&o, "zen5", "sockets=2,cores=2,threads=1", "vanish=cpu2@0,vanish=cpu3@0");
	ONRUN_OPEN(&r, &o, NULL, "socket1.imc0.ch0 umc_cas_cmd.rd");
	FAILS(&o, UNC_ENODEV, unc_session_start(r.s), "socket1.imc0.ch0", "cpu 2");
}

/* It is unplugged while it counts: there is no number any more, and another CPU puts the controls back. */
TEST(what_an_unplugged_cpu_programmed_is_put_back)
{
	onrun_close(&r);
	onsim_reopen(&o, "zen2", "sockets=1,cores=4,threads=1", "vanish=cpu0@1.5");
	ONRUN_START(&r, &o, NULL, "ch0 dram_data", "ch1 dram_data");
	onrun_read_after(&r, S_NS);
	CU_ASSERT_FATAL((r.c[0].flags & UNC_COUNT_NO_NUMBER) == 0);
	onsim_step(&o, S_NS);
	CU_ASSERT_TRUE(onrun_try_read(&r) < 0 || r.c[0].flags & UNC_COUNT_NO_NUMBER);
	CU_ASSERT_EQUAL(peek(1, 0xc0010246), 0x403807);
	onrun_close(&r);
	EQ(peek(1, 0xc0010246), 0);
	EQ(peek(1, 0xc0010244), 0);
}

TEST(writes_that_are_ignored_are_no_counters)
{
	reopen("zen2", "sockets=1,vm=qemu");
	ONRUN_OPEN(&r, &o, NULL, "ch0 dram_data");
	FAILS(&o, UNC_ENODEV, unc_session_start(r.s), "socket0.df", "did not take the write", "virtual machine");
}

/* Nothing stops these boxes. */
TEST(nothing_is_frozen)
{
	struct unc_session_cfg freeze = {.freeze = true};

	onrun_open(&r, &o, &freeze);
	FAILS(&o, UNC_ENOSUP, unc_session_add(r.s, onsim_box(&o, "socket0.imc0.ch0"), "umc_cas_cmd.rd", NULL),
	      "cfg.freeze");
}

/* The controls of the data fabric are those of amd.md, 3.4 C: channel 1 of both sockets, reads and writes. */
TEST(a_memory_controller_has_events_that_the_data_fabric_counts)
{
	struct unc_session_cfg observe = {.observe = true};
	unsigned cpu;

	reopen("zen5", "sockets=2");
	ONRUN_START(&r, &o, NULL, "socket1.imc0.ch1 df_read", "socket1.imc0.ch1 df_write",
		    "socket1.imc0.ch1 umc_cas_cmd.rd", "socket1.imc0.ch1 umc_cas_cmd.wr");
	CU_ASSERT_TRUE(onsim_box(&o, "socket1.df")->claim > 0 && onsim_box(&o, "socket1.imc0.ch1")->claim > 0);
	CU_ASSERT_EQUAL(onsim_box(&o, "socket0.df")->claim, 0);
	cpu = onsim_box(&o, "socket1.df")->addr.msr.cpu;
	CU_ASSERT_TRUE(cpu > 0);
	CU_ASSERT_EQUAL(peek(cpu, 0xc001025e), 0xf40fe5f);
	CU_ASSERT_EQUAL(peek(cpu, 0xc001025c), 0xf40ff5f);
	CU_ASSERT_EQUAL(peek(cpu, 0xc001080e), 0x8000010a);
	CU_ASSERT_EQUAL(peek(0, 0xc001025e), 0);
	onrun_read_after(&r, S_NS);
	for (size_t i = 0; i < 2; i++) {
		is_true(i, 13, i ? "cas_count.wr" : "cas_count.rd", TOLERANCE);
		is_true(i + 2, 13, i ? "cas_count.wr" : "cas_count.rd", TOLERANCE);
		CU_ASSERT_TRUE(r.c[i].scale == 64);
	}
	CU_ASSERT_STRING_EQUAL(unc_session_event(r.s, 0), "df_read");
	onrun_close(&r);
	EQ(peek(cpu, 0xc001025e), 0);
	EQ(peek(cpu, 0xc001025c), 0);
	EQ(peek(cpu, 0xc001080e), 0);
	/* What another program counts in both is seen, and nothing is written. */
	poke(cpu, 0xc0010240, 0xf40fe5f);
	poke(cpu, 0xc0010808, 0x8000010a);
	onsim_trace_clear(&o);
	ONRUN_START(&r, &o, &observe, "socket1.imc0.ch1 df_read", "socket1.imc0.ch1 umc_cas_cmd.rd",
		    "socket1.imc0.ch1 df_write");
	onrun_read_after(&r, S_NS);
	is_true(0, 13, "cas_count.rd", TOLERANCE);
	is_true(1, 13, "cas_count.rd", TOLERANCE);
	CU_ASSERT_TRUE(r.c[2].flags & UNC_COUNT_UNPROGRAMMED);
	EQ(onsim_trace_count(&o, " w"), 0);
}

/* The counters of the controllers are there without them. */
TEST(where_no_data_fabric_counts_the_others_do)
{
	struct unc_box *box = onsim_box(&o, "socket0.imc0.ch0");
	struct unc_box *beside = box->beside;

	ONRUN_OPEN(&r, &o, NULL, "ch0 umc_cas_cmd.rd");
	box->beside = NULL;
	FAILS(&o, UNC_ENOSUP, unc_session_add(r.s, box, "df_read", NULL), "ch0: df_read", "no unit that counts it");
	box->beside = beside;
	beside->presence = UNC_MISSING;
	beside->rc = UNC_ENODEV;
	FAILS(&o, UNC_ENODEV, unc_session_add(r.s, box, "df_write", NULL), "ch0: df_write", "MSRs of cpu0");
	onrun_start(&r);
	onrun_read_after(&r, S_NS);
	is_true(0, 0, "cas_count.rd", TOLERANCE);
}
