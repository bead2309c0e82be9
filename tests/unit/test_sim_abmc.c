// SPDX-License-Identifier: GPL-2.0-or-later
/* Assigned bandwidth counters of the simulated machine: AMD APM volume 2, section 19.3; values are typed from its examples. */
#include "test_sim_qm.h"

enum { CFG = 0xc00003fd, DSC = 0xc00003fe, EXT = 0xc00003ff, EVT_CFG_0 = 0xc0000400 };
/* CPUs 0 to 7 on one L3, 8 to 15 on another; units of 64 bytes. */
#define ZEN5 "zen5,sockets=1,cores=16,threads=1,l3s=2,clock=step,dword_ns=0"
#define LOAD HEAD "  0: {total: 64000, local: 32000, occupancy: 6400}\n  1: {total: 128000, local: 64000}\n"

static void open_on(void)
{
	fx_open_load(ZEN5 ",abmc=1", LOAD);
}

static void assign(unsigned cpu, uint64_t value)
{
	fx_wmsr(cpu, CFG, value);
}

/* What a counter shows; the first read after it is assigned is Unavailable. */
static uint64_t counter(unsigned cpu, unsigned id)
{
	fx_wmsr(cpu, EVTSEL, (uint64_t)id << 32 | 0x80000001);
	return fx_rmsr(cpu, QM_CTR);
}

static uint64_t shown(unsigned cpu, unsigned id)
{
	fx_wmsr(cpu, CFG, (uint64_t)id << 48);
	return fx_rmsr(cpu, DSC);
}

static void switch_l3(uint64_t on)
{
	for (unsigned cpu = 0; cpu < 8; cpu++)
		fx_wmsr(cpu, EXT, on);
}

#define COUNTS(cpu, id, value) CU_ASSERT_EQUAL(counter(cpu, id), value)
#define SHOWS(cpu, id, value)  CU_ASSERT_EQUAL(shown(cpu, id), UINT64_C(value))

TEST(assigned_counters_are_those_of_the_manual)
{
	open_on();
	fx_wmsr(0, PQR, 1);
	fx_wmsr(1, PQR, 0x123);
	assign(3, UINT64_C(0xc00000010000007f));
	assign(3, UINT64_C(0xc001000100000015));
	assign(4, UINT64_C(0xc00501230000007f));
	ISMSR({3, CFG, UINT64_C(0xc001000100000015)}, {4, CFG, UINT64_C(0xc00501230000007f)}, {0, CFG, 0});
	for (unsigned id = 0; id < 6; id += id ? 4 : 1)
		COUNTS(0, id, UNAVAILABLE);
	fx_step(SECOND);
	fx_wmsr(7, EVTSEL, UINT64_C(0x0000000580000001));
	ISMSR({7, QM_CTR, 2000});
	COUNTS(0, 0, 1000);
	COUNTS(0, 1, 500);
	SHOWS(2, 0, 0x400000010000007f);
	SHOWS(2, 1, 0x4001000100000015);
	SHOWS(6, 5, 0x400501230000007f);
	SHOWS(6, 31, 0x001f000000000000);
	assign(0, UINT64_C(0x8001000100000015)); /* given back */
	SHOWS(2, 1, 0x0001000100000015);
	COUNTS(0, 1, 0);
	COUNTS(0, 0, 1000);
	assign(0, UINT64_C(0xc00000010000007f)); /* again, which clears it */
	COUNTS(0, 0, UNAVAILABLE);
	COUNTS(0, 0, 0);
	SHOWS(8, 0, 0); /* the other L3 has its own */
}

TEST(what_is_wrong_is_an_error_or_a_fault)
{
	open_on();
	FAULTS({0, CFG, BIT(61)}, {0, CFG, BIT(53)}, {0, CFG, BIT(46)}, {0, CFG, BIT(44)}, {0, CFG, 0x80});
	FAULTS({0, DSC, 0}, {0, EVTSEL, UINT64_C(1) << 44}, {0, EVTSEL, 0x40000001});
	COUNTS(0, 32, ERROR);
	fx_wmsr(0, EVTSEL, 0x80000002);
	ISMSR({0, QM_CTR, ERROR});
	assign(0, UINT64_C(0xc00280010000007f)); /* of a class of service */
	COUNTS(0, 2, ERROR);
	SHOWS(0, 2, 0xc00280010000007f);
	fx_open(ZEN5);
	ABSENT(0, CFG);
	ABSENT(0, DSC);
	FAULTS({0, CFG, 0}, {0, EVTSEL, 0x80000001});
	fx_open("zen4,sockets=1,clock=step");
	ABSENT(0, CFG);
	FAULTS({0, EVTSEL, 0x80000001});
}

TEST(a_change_of_the_switch_clears_all_counters)
{
	fx_open_load(ZEN5, LOAD);
	fx_wmsr(0, PQR, 1);
	qm(0, 1, TOTAL);
	fx_step(SECOND);
	QM({0, 1, TOTAL, 1000});
	switch_l3(1);
	assign(0, UINT64_C(0xc00000010000007f));
	COUNTS(0, 0, UNAVAILABLE);
	fx_step(SECOND);
	COUNTS(0, 0, 1000);
	switch_l3(0);
	QM({0, 1, TOTAL, UNAVAILABLE}, {0, 1, TOTAL, 0});
	switch_l3(1);
	ISMSR({0, CFG, 0});
	SHOWS(0, 0, 0);
	switch_l3(3); /* the other bit is of no concern */
	assign(0, UINT64_C(0xc00000010000007f));
	switch_l3(1);
	SHOWS(0, 0, 0x400000010000007f);
}

/* The lowest one that counts what the event is set to. */
TEST(an_rmid_shows_what_the_counter_that_watches_it_counts)
{
	open_on();
	fx_wmsr(0, PQR, 1);
	for (unsigned event = TOTAL; event <= LOCAL; event++)
		qm(0, 1, event);
	assign(0, UINT64_C(0xc002000100000015));
	assign(0, UINT64_C(0xc003000100000033));
	fx_step(SECOND);
	assign(0, UINT64_C(0xc004000100000015));
	QM({0, 1, TOTAL, 0}, {0, 1, LOCAL, 500}, {0, 1, OCCUPANCY, UNAVAILABLE}, {0, 1, OCCUPANCY, 100});
	fx_wmsr(0, EVT_CFG_0, 0x33);
	QM({0, 1, TOTAL, UNAVAILABLE}, {0, 1, TOTAL, 1000});
}

TEST(on_a_part_of_the_cpus_it_counts_wrong)
{
	open_on();
	fx_wmsr(0, PQR, 1);
	assign(0, UINT64_C(0xc00000010000007f));
	COUNTS(0, 0, UNAVAILABLE);
	fx_wmsr(15, EXT, 0); /* of the other L3 */
	fx_step(SECOND);
	COUNTS(0, 0, 1000);
	fx_wmsr(5, EXT, 0);
	ABSENT(5, CFG);
	SHOWS(0, 0, 0);
	assign(0, UINT64_C(0xc00000010000007f));
	COUNTS(0, 0, UNAVAILABLE);
	fx_step(SECOND);
	COUNTS(0, 0, 2000);
}

TEST(evtsel_is_one_of_the_l3_before_zen_4)
{
	static const char *const machines[] = {"zen2", "zen3", "zen4", "zen5"};

	for (unsigned i = 0; i < 4; i++) {
		fx_open(fx_text("%s,sockets=1,cores=4,threads=1,l3s=1", machines[i]));
		fx_wmsr(0, EVTSEL, 3);
		ISMSR({1, EVTSEL, i < 2 ? 3 : 0});
	}
}

/* Where CPUID tells no width. */
TEST(a_rome_counts_62_bits)
{
	fx_open_load(ZEN2, HEAD "  0: {total: 6.4e11, local: 1e10}\n");
	qm(0, 0, TOTAL);
	fx_step(1800 * SECOND);
	QM({0, 0, TOTAL, UINT64_C(18000000000000)});
}
