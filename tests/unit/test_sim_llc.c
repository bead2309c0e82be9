// SPDX-License-Identifier: GPL-2.0-or-later
/* Caches of the simulated machine: who moved what, and what is in them. */
#include "test_sim_qm.h"

TEST(traffic_goes_to_the_rmid_that_its_cpu_carries)
{
	fx_open_load(BDX, HEAD "  0: {total: 73728000, local: 36864000}\n  1: {total: 7372800, local: 7372800}\n");
	fx_step(SECOND);
	QM({0, 0, TOTAL, 1100}, {0, 0, LOCAL, 600});
	fx_wmsr(0, PQR, 5);
	ISMSR({0, PQR, 5}, {1, PQR, 0});
	fx_step(2 * SECOND);
	QM({0, 5, TOTAL, 2000}, {1, 5, LOCAL, 1000}); /* any CPU of the L3 can ask */
	QM({1, 0, TOTAL, 1300});
	TOTALS({0, 5, 2 * 73728000}, {0, 0, 73728000 + 3 * 7372800});
	CU_ASSERT_EQUAL(llc(0, 0).local_bytes, 36864000 + 3 * 7372800);
	fx_wmsr(1, PQR, 5);
	fx_step(SECOND);
	QM({0, 5, TOTAL, 3100}, {0, 0, TOTAL, 1300}, {0, 5, LOCAL, 1600}, {0, 0, LOCAL, 800});
}

/* CPUs 0 and 1 of package 0, 2 and 3 of 1; 4 to 7 their second threads. */
TEST(second_threads_share_the_l3_of_the_first)
{
	fx_open_load("bdx,sockets=2,cores=2,threads=2,clock=step,dword_ns=0",
		     HEAD "  5: {occupancy: 7372800, total: 73728000}\n  6: {occupancy: 737280, total: 7372800}\n");
	fx_wmsr(5, PQR, 3);
	ISMSR({1, PQR, 0}); /* each thread has its own */
	fx_step(SECOND);
	QM({0, 3, TOTAL, 1000}, {4, 3, OCCUPANCY, 100}, {2, 0, TOTAL, 100}, {7, 0, OCCUPANCY, 10}, {1, 0, TOTAL, 0});
	fx_wmsr(5, PQR, 0); /* settles */
	QM({0, 3, TOTAL, 1000});
}

TEST(the_same_rmid_on_two_l3s_is_two)
{
	fx_open_load(BDX,
		     HEAD "  0: {total: 73728000, occupancy: 7372800}\n  2: {total: 737280000, occupancy: 737280}\n");
	WMSR({0, PQR, 7}, {2, PQR, 7});
	fx_step(SECOND);
	QM({0, 7, TOTAL, 1000}, {3, 7, TOTAL, 10000}, {0, 7, OCCUPANCY, 100}, {3, 7, OCCUPANCY, 10});
}

TEST(occupancy_grows_by_what_is_moved_until_it_is_enough)
{
	fx_open_load(BDX, HEAD "  0: {occupancy: 3e6, total: 1e6}\n  1: {occupancy: 1e6}\n");
	fx_step(SECOND);
	HOLDS({0, 0, 1000000});
	fx_step(2 * SECOND + 500000000);
	HOLDS({0, 0, 3500000});
	fx_step(100 * SECOND);
	HOLDS({0, 0, 4000000});
	QM({0, 0, OCCUPANCY, 4000000 / UNIT});
	HOLDS({1, 0, 0});
}

/* No CPU moves anything from 1 s to 3 s; then CPU 0 does. */
TEST(what_a_dirty_rmid_holds_goes_only_by_eviction)
{
	fx_open_load(BDX, HEAD
		     "  0: {occupancy: 10e6, total: [{at: 0, rate: 1e9}, {at: 1, rate: 0}, {at: 3, rate: 1e6}]}\n");
	fx_wmsr(0, PQR, 5);
	fx_step(SECOND);
	fx_wmsr(0, PQR, 0);
	fx_step(2 * SECOND);
	HOLDS({0, 5, 10000000}, {0, 0, 0});
	fx_step(SECOND);
	HOLDS({0, 5, 9000000}, {0, 0, 1000000});
	QM({0, 5, OCCUPANCY, 9000000 / UNIT});
	fx_step(8 * SECOND + 999999000);
	HOLDS({0, 5, 1});
	fx_step(1000);
	HOLDS({0, 5, 0});
	fx_step(1000); /* nothing is left that this byte could evict */
	HOLDS({0, 5, 0}, {0, 0, 10000000});
}

/* One byte a microsecond: targets are neither passed nor missed by one. */
TEST(growth_and_eviction_end_at_the_byte)
{
	fx_open_load(BDX, HEAD "  0: {occupancy: 10, total: 1e6}\n");
	for (unsigned us = 0; us < 13; us++, fx_step(1000))
		HOLDS({0, 0, us < 10 ? us : 10});
	fx_wmsr(0, PQR, 1);
	for (unsigned us = 0; us < 13; us++, fx_step(1000))
		HOLDS({0, 0, us < 10 ? 10 - us : 0}, {0, 1, us < 10 ? us : 10});
}

TEST(dirty_rmids_shrink_in_proportion)
{
	fx_open_load(BDX,
		     HEAD "  0: {occupancy: [{at: 0, rate: 6e6}, {at: 2, rate: 0}], total: 1e7}\n"
			  "  1: {occupancy: [{at: 0, rate: 3e6}, {at: 2, rate: 1e6}], total: [{at: 0, rate: 5e6}, {at: "
			  "2, rate: 0}]}\n");
	WMSR({0, PQR, 5}, {1, PQR, 6});
	fx_step(2 * SECOND);
	HOLDS({0, 5, 6000000}, {0, 6, 3000000});
	fx_step(400000000); /* 4 of 8 million bytes of surplus */
	HOLDS({0, 5, 3000000}, {0, 6, 2000000});
	fx_step(399999900);
	HOLDS({0, 5, 0}); /* 1 byte in all, 0.75 and 0.25 */
	HOLDS({0, 6, 1000000});
}

TEST(who_wants_more_than_there_is_gets_a_share)
{
	fx_open_load(BDX, HEAD "  0: {occupancy: 90e6, total: 1e10}\n  1: {occupancy: 30e6, total: 1e10}\n");
	fx_wmsr(1, PQR, 1);
	fx_step(SECOND);
	HOLDS({0, 0, L3_BYTES / 4 * 3}, {0, 1, L3_BYTES / 4});
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

/* All the CPUs want more than there is, and get other RMIDs all the time. */
TEST(all_rmids_together_never_exceed_the_l3)
{
	unsigned seed = 1;

	fx_open("skx,sockets=1,cores=64,clock=step,dword_ns=0");
	for (unsigned i = 0; i < 300; i++) {
		uint64_t sum = 0;

		fx_wmsr(next_random(&seed) % 128, PQR, next_random(&seed) % 8);
		fx_step(next_random(&seed) % 1000000);
		for (unsigned rmid = 0; rmid < unc_sim_info(fx.host).n_rmids; rmid++)
			sum += occupancy(0, rmid);
		CU_ASSERT(sum <= 0xe000 * 11 * 64);
		CU_ASSERT(sum > 0 || i < 3);
	}
}

/* True: every RMID has the same in the machine in use and the nth, now. */
static bool alike(unsigned nth)
{
	unsigned own = fx_in_use;
	bool same = true;

	for (unsigned rmid = 0; rmid < 10; rmid++) {
		struct unc_sim_llc one = llc(0, rmid), other;

		fx_use(nth);
		other = llc(0, rmid);
		fx_use(own);
		same &= one.occupancy_bytes == other.occupancy_bytes && one.total_bytes == other.total_bytes;
	}
	return same;
}

/*
 * One of two machines is looked at all the time, the other only behind changes: right behind 0.45 s, when CPU 0's RMID
 * has half of the surplus that it has had since 0.42 s, and at the end.
 */
TEST(who_reads_when_changes_nothing)
{
	static const char load[] = HEAD
		"  0: {occupancy: [{at: 0, rate: 9e6}, {at: 0.42, rate: 1e6}], total: [{at: 0.1, rate: 33333333}]}\n"
		"  1: {occupancy: 12345678, total: [{at: 0, rate: 54321987}, {at: 0.77, rate: 1234567}]}\n";
	enum { BUSY, CALM, MACHINES };

	for (unsigned nth = 0; nth < MACHINES; nth++) {
		fx_use(nth);
		fx_open_load(BDX, load);
		fx_wmsr(0, PQR, 8);
	}
	for (unsigned i = 0; i < 997; i++) {
		bool changes = i % 100 == 50 && i >= 450;

		fx_use(CALM);
		if (changes)
			fx_wmsr(i / 100 % 2, PQR, i / 100);
		if (i == 450)
			CU_ASSERT(occupancy(0, 8) > 1000000 && occupancy(0, 8) < 9000000);
		fx_use(BUSY);
		if (changes) {
			fx_wmsr(i / 100 % 2, PQR, i / 100);
			CU_ASSERT(alike(CALM));
		}
		fx_step(1000003);
		for (unsigned rmid = 0; rmid < 10; rmid++)
			occupancy(0, rmid);
		qm(1, i % 10, OCCUPANCY);
		fx_use(CALM);
		fx_step(1000003);
	}
	CU_ASSERT(alike(BUSY));
	CU_ASSERT(occupancy(0, 9) > 0);
}

TEST(truth_can_be_of_one_instant)
{
	struct unc_sim_llc is;
	uint64_t start, then;

	fx_open_load(BDX, HEAD "  0: {occupancy: 1e6, total: 1e6}\n");
	start = fx_raw_ns();
	fx_step(SECOND / 4);
	then = fx_raw_ns();
	fx_step(SECOND / 4);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), 0);
	CU_ASSERT(is.occupancy_bytes == 250000 && is.total_bytes == 250000);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then + SECOND, &is), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, start - 1, &is), UNC_ERANGE);
	fx_wmsr(1, PQR, UINT64_C(1) << 32); /* another class of service is no change */
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), 0);
	fx_wmsr(1, PQR, 4);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 1, 0, then, &is), 0); /* nothing changed there */
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, MAX_RMID + 1, then, &is), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 2, 0, UNC_SIM_NOW, &is), UNC_ENODEV);
}

TEST(an_offline_cpu_does_nothing)
{
	fx_open_load(BDX ",offline=1", HEAD "  0-1: {occupancy: 1e6, total: 73728000}\n");
	fx_step(SECOND);
	QM({0, 0, TOTAL, 1000});
	HOLDS({0, 0, 1000000});
	fx_wmsr(0, PQR, 3); /* what was until now becomes the state's */
	QM({0, 0, TOTAL, 1000});
	fx_step(SECOND);
	QM({0, 0, TOTAL, 1000}, {0, 3, TOTAL, 1000});
	HOLDS({0, 3, 1000000});
}

/* On every L3, of every RMID. */
TEST(suspending_empties_the_caches)
{
	static const char *const scopes[] = {BDX ",qm_scope=thread", BDX ",qm_scope=package"};

	for (unsigned i = 0; i < 2; i++) {
		fx_open_load(scopes[i], HEAD "  0-3: {occupancy: 1e6, total: 73728000}\n");
		WMSR({0, PQR, 4}, {3, PQR, UINT64_C(2) << 32 | 4});
		fx_step(SECOND);
		for (unsigned cpu = 0; cpu < 4; cpu += 2)
			QM({cpu, 0, OCCUPANCY, 1000000 / UNIT}, {cpu, 4, OCCUPANCY, 1000000 / UNIT});
		CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
		for (unsigned cpu = 0; cpu < 4; cpu++)
			ISMSR({cpu, PQR, 0}, {cpu, EVTSEL, 0});
		for (unsigned cpu = 0; cpu < 4; cpu += 2)
			QM({cpu, 0, OCCUPANCY, 0}, {cpu, 4, OCCUPANCY, 0}, {cpu, 4, TOTAL, 1000});
		fx_step(SECOND);
		QM({0, 0, TOTAL, 3000});
		HOLDS({0, 0, 2000000}, {0, 4, 0});
	}
}

TEST(two_openers_see_one_cache)
{
	const char *args = fx_text(BDX ",state=%s", fx_file(NULL));

	fx_open(args);
	fx_wmsr(0, PQR, 6);
	fx_use(1);
	fx_open(args);
	ISMSR({0, PQR, 6});
	fx_use(0);
	fx_step(SECOND);
	fx_use(1);
	QM({1, 6, TOTAL, UINT64_C(200000000) / UNIT}); /* the default load's */
	fx_use(0);
	HOLDS({0, 6, 256 * 1024});
}
