// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache monitoring of the simulated machine: who moved what, and what is in the caches. */
#include "test_sim.h"

enum { EVTSEL = 0xc8d, CTR = 0xc8e, PQR = 0xc8f };
enum { OCCUPANCY = 1, TOTAL = 2, LOCAL = 3 };

#define ERROR       (UINT64_C(1) << 63)
#define UNAVAILABLE (UINT64_C(1) << 62)
#define SECOND      UINT64_C(1000000000)
#define UNIT        UINT64_C(73728) /* bytes per unit on an E5-2697 v4, CPUID 0xf.1 EBX = 0x12000 */
#define MAX_RMID    143u            /* ECX = 0x8f */
#define L3_BYTES    (UINT64_C(45) << 20)

/* CPUs 0 and 1 on one L3, 2 and 3 on the other. */
#define BDX  "bdx,sockets=2,cores=2,threads=1,clock=step,dword_ns=0"
#define HEAD "format: uncorectl-load/1\ncpus:\n"

static uint64_t qm(struct fx *fx, unsigned cpu, unsigned rmid, unsigned event)
{
	fx_wmsr(fx, cpu, EVTSEL, (uint64_t)rmid << 32 | event);
	return fx_rmsr(fx, cpu, CTR);
}

static struct unc_sim_llc llc(struct fx *fx, unsigned package, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL(unc_sim_truth_llc(fx->host, package, rmid, &is), 0);
	return is;
}

static uint64_t occupancy(struct fx *fx, unsigned package, unsigned rmid)
{
	return llc(fx, package, rmid).occupancy_bytes;
}

static void faults(struct fx *fx, unsigned cpu, uint32_t number, uint64_t value)
{
	CU_ASSERT_EQUAL(unc_sim_msr_write(fx->host, cpu, number, value), UNC_EIO);
}

static void traffic_goes_to_the_rmid_that_its_cpu_carries(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0: {total: 73728000, local: 36864000}\n  1: {total: 7372800, local: 7372800}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1100);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), 600);
	fx_wmsr(&fx, 0, PQR, 5);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, PQR), 5);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 0);
	fx_step(&fx, 2 * SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 2000);
	CU_ASSERT_EQUAL(qm(&fx, 1, 5, LOCAL), 1000); /* any CPU of the L3 can ask */
	CU_ASSERT_EQUAL(qm(&fx, 1, 0, TOTAL), 1300);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 2 * 73728000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).total_bytes, 73728000 + 3 * 7372800);
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).local_bytes, 36864000 + 3 * 7372800);
	fx_wmsr(&fx, 1, PQR, 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 3100);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1300);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, LOCAL), 1600);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), 800);
	fx_close(&fx);
}

/* CPUs 0 and 1 of package 0, 2 and 3 of 1; 4 to 7 their second threads. */
static void second_threads_share_the_l3_of_the_first(void)
{
	struct fx fx;

	fx_open_load(&fx, "bdx,sockets=2,cores=2,threads=2,clock=step,dword_ns=0",
		     HEAD "  5: {occupancy: 7372800, total: 73728000}\n  6: {occupancy: 737280, total: 7372800}\n");
	fx_wmsr(&fx, 5, PQR, 3);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), 0); /* each thread has its own */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 4, 3, OCCUPANCY), 100);
	CU_ASSERT_EQUAL(qm(&fx, 2, 0, TOTAL), 100);
	CU_ASSERT_EQUAL(qm(&fx, 7, 0, OCCUPANCY), 10);
	CU_ASSERT_EQUAL(qm(&fx, 1, 0, TOTAL), 0);
	fx_wmsr(&fx, 5, PQR, 0); /* settles */
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 1000);
	fx_close(&fx);
}

static void the_same_rmid_on_two_l3s_is_two(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX,
		     HEAD "  0: {total: 73728000, occupancy: 7372800}\n  2: {total: 737280000, occupancy: 737280}\n");
	fx_wmsr(&fx, 0, PQR, 7);
	fx_wmsr(&fx, 2, PQR, 7);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 7, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 3, 7, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 7, OCCUPANCY), 100);
	CU_ASSERT_EQUAL(qm(&fx, 3, 7, OCCUPANCY), 10);
	fx_close(&fx);
}

static void a_bandwidth_counter_wraps_at_24_bits(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0: {total: 1e12, local: 9e11}\n");
	fx_step(&fx, 2 * SECOND);
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).total_bytes, UINT64_C(2000000000000));
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UINT64_C(2000000000000) / UNIT - (1 << 24));
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), UINT64_C(1800000000000) / UNIT - (1 << 24));
	fx_close(&fx);
}

/* 13 563 368 units a second: a wrap each 1.24 s, and the last ones 9 years later. */
static void it_wraps_again_and_again_until_time_ends(void)
{
	const uint64_t rate = UINT64_C(1000000000000), end_ns = UINT64_C(1) << 58;
	struct fx fx;
	unsigned __int128 bytes;
	uint64_t s, last;

	fx_open_load(&fx, BDX, HEAD "  0: {total: 1e12, local: 1e12}\n");
	for (s = 1, last = 0; s <= 12; s++) {
		fx_step(&fx, SECOND);
		bytes = s * rate;
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), bytes / UNIT & 0xffffff);
		CU_ASSERT_EQUAL((qm(&fx, 0, 0, TOTAL) - last) & 0xffffff, bytes / UNIT - (bytes - rate) / UNIT);
		last = (uint64_t)(bytes / UNIT) & 0xffffff;
	}
	fx_step(&fx, end_ns - 12 * SECOND);
	bytes = (unsigned __int128)end_ns * rate / SECOND; /* beyond 2^64 */
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).total_bytes, (uint64_t)bytes);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), bytes / UNIT & 0xffffff);
	CU_ASSERT_EQUAL(unc_sim_step(fx.host, 1), UNC_ERANGE);
	fx_wmsr(&fx, 0, PQR, 1);
	CU_ASSERT_EQUAL(qm(&fx, 0, 1, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), bytes / UNIT & 0xffffff);
	fx_close(&fx);
}

static void a_counter_is_not_cleared_for_who_comes_next(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0-1: {total: 73728000}\n");
	fx_wmsr(&fx, 0, PQR, 9);
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 0, PQR, 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), 1000);
	fx_wmsr(&fx, 1, PQR, 9);
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), 1000);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), 2000);
	faults(&fx, 0, CTR, 0);
	faults(&fx, 0, CTR, 1);
	fx_close(&fx);
}

static void occupancy_grows_by_what_is_moved_until_it_is_enough(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0: {occupancy: 3e6, total: 1e6}\n  1: {occupancy: 1e6}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 1000000);
	fx_step(&fx, 2 * SECOND + 500000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 3500000);
	fx_step(&fx, 100 * SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 4000000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), 4000000 / UNIT);
	CU_ASSERT_EQUAL(occupancy(&fx, 1, 0), 0);
	fx_close(&fx);
}

/* Nobody moves anything from 1 s to 3 s; then CPU 0 does. */
static void what_a_dirty_rmid_holds_goes_only_by_eviction(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX,
		     HEAD
		     "  0: {occupancy: 10e6, total: [{at: 0, rate: 1e9}, {at: 1, rate: 0}, {at: 3, rate: 1e6}]}\n");
	fx_wmsr(&fx, 0, PQR, 5);
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 0, PQR, 0);
	fx_step(&fx, 2 * SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 10000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 9000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 1000000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), 9000000 / UNIT);
	fx_step(&fx, 8 * SECOND + 999999000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 1);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 0);
	fx_step(&fx, 1000); /* nothing is left that this byte could evict */
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 0);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 10000000);
	fx_close(&fx);
}

/* One byte a microsecond: targets are neither passed nor missed by one. */
static void growth_and_eviction_end_at_the_byte(void)
{
	struct fx fx;
	unsigned us;

	fx_open_load(&fx, BDX, HEAD "  0: {occupancy: 10, total: 1e6}\n");
	for (us = 0; us < 13; us++, fx_step(&fx, 1000))
		CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), us < 10 ? us : 10);
	fx_wmsr(&fx, 0, PQR, 1);
	for (us = 0; us < 13; us++, fx_step(&fx, 1000)) {
		CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), us < 10 ? 10 - us : 0);
		CU_ASSERT_EQUAL(occupancy(&fx, 0, 1), us < 10 ? us : 10);
	}
	fx_close(&fx);
}

static void dirty_rmids_shrink_in_proportion(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX,
		     HEAD "  0: {occupancy: [{at: 0, rate: 6e6}, {at: 2, rate: 0}], total: 1e7}\n"
			  "  1: {occupancy: [{at: 0, rate: 3e6}, {at: 2, rate: 1e6}], total: [{at: 0, rate: 5e6}, {at: "
			  "2, rate: 0}]}\n");
	fx_wmsr(&fx, 0, PQR, 5);
	fx_wmsr(&fx, 1, PQR, 6);
	fx_step(&fx, 2 * SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 6000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 6), 3000000);
	fx_step(&fx, 400000000); /* 4 of 8 million bytes of surplus */
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 3000000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 6), 2000000);
	fx_step(&fx, 399999900);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 5), 0); /* 1 byte in all, 0.75 and 0.25 */
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 6), 1000000);
	fx_close(&fx);
}

static void who_wants_more_than_there_is_gets_a_share(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0: {occupancy: 90e6, total: 1e10}\n  1: {occupancy: 30e6, total: 1e10}\n");
	fx_wmsr(&fx, 1, PQR, 1);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), L3_BYTES / 4 * 3);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 1), L3_BYTES / 4);
	fx_close(&fx);
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

/* All the CPUs want more than there is, and get other RMIDs all the time. */
static void all_rmids_together_never_exceed_the_l3(void)
{
	unsigned seed = 1, i, rmid;
	struct fx fx;

	fx_open(&fx, "skx,sockets=1,cores=64,clock=step,dword_ns=0");
	for (i = 0; i < 300; i++) {
		uint64_t sum = 0;

		fx_wmsr(&fx, next_random(&seed) % 128, PQR, next_random(&seed) % 8);
		fx_step(&fx, next_random(&seed) % 1000000);
		for (rmid = 0; rmid < unc_sim_rmids(fx.host); rmid++)
			sum += occupancy(&fx, 0, rmid);
		CU_ASSERT(sum <= 0xe000 * 11 * 64);
		CU_ASSERT(sum > 0 || i < 3);
	}
	fx_close(&fx);
}

/* True: every RMID has the same in both, now. */
static bool alike(struct fx *a, struct fx *b)
{
	unsigned rmid;
	bool same = true;

	for (rmid = 0; rmid < 10; rmid++) {
		struct unc_sim_llc one = llc(a, 0, rmid), other = llc(b, 0, rmid);

		same &= one.occupancy_bytes == other.occupancy_bytes && one.total_bytes == other.total_bytes;
	}
	return same;
}

/*
 * One of two machines is looked at all the time, the other only behind changes: right behind 0.45 s, when CPU 0's RMID
 * has half of the surplus that it has had since 0.42 s, and at the end.
 */
static void who_reads_when_changes_nothing(void)
{
	static const char load[] = HEAD
		"  0: {occupancy: [{at: 0, rate: 9e6}, {at: 0.42, rate: 1e6}], total: [{at: 0.1, rate: 33333333}]}\n"
		"  1: {occupancy: 12345678, total: [{at: 0, rate: 54321987}, {at: 0.77, rate: 1234567}]}\n";
	struct fx busy, calm;
	unsigned i, rmid;

	fx_open_load(&busy, BDX, load);
	fx_open_load(&calm, BDX, load);
	fx_wmsr(&busy, 0, PQR, 8);
	fx_wmsr(&calm, 0, PQR, 8);
	for (i = 0; i < 997; i++) {
		if (i % 100 == 50 && i >= 450) {
			fx_wmsr(&busy, i / 100 % 2, PQR, i / 100);
			fx_wmsr(&calm, i / 100 % 2, PQR, i / 100);
			CU_ASSERT(alike(&busy, &calm));
		}
		if (i == 450)
			CU_ASSERT(occupancy(&calm, 0, 8) > 1000000 && occupancy(&calm, 0, 8) < 9000000);
		fx_step(&busy, 1000003);
		fx_step(&calm, 1000003);
		for (rmid = 0; rmid < 10; rmid++)
			occupancy(&busy, 0, rmid);
		qm(&busy, 1, i % 10, OCCUPANCY);
	}
	CU_ASSERT(alike(&busy, &calm));
	CU_ASSERT(occupancy(&calm, 0, 9) > 0);
	fx_close(&busy);
	fx_close(&calm);
}

static void rmids_end_at_the_highest(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX ",mbm_erratum=0", HEAD "  0: {total: 73728000}\n");
	CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), MAX_RMID + 1);
	fx_wmsr(&fx, 0, PQR, MAX_RMID);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, MAX_RMID, TOTAL), 1000);
	faults(&fx, 0, PQR, MAX_RMID + 1);
	faults(&fx, 0, PQR, 256 + 3); /* all ten bits of the field are looked at */
	faults(&fx, 0, PQR, 512 + 3);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, PQR), MAX_RMID);
	CU_ASSERT_EQUAL(qm(&fx, 0, MAX_RMID + 1, TOTAL), ERROR);
	CU_ASSERT_EQUAL(qm(&fx, 0, 1023, OCCUPANCY), ERROR);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 0); /* RMID 0 is one like others */
	fx_close(&fx);
}

static void an_event_that_is_not_counted_is_an_error(void)
{
	static const unsigned events[] = {0, 4, 8, 255};
	struct fx fx;
	size_t i;

	fx_open(&fx, BDX);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), ERROR); /* nobody has chosen one */
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, events[i]), ERROR);
	fx_close(&fx);
	fx_open(&fx, "hsx,cores=2,clock=step,dword_ns=0");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), ERROR);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, LOCAL), ERROR);
	CU_ASSERT(qm(&fx, 0, 0, OCCUPANCY) > 0 && qm(&fx, 0, 0, OCCUPANCY) < UNAVAILABLE);
	fx_close(&fx);
}

static void reserved_bits_fault(void)
{
	struct fx fx;
	unsigned bit;

	fx_open(&fx, BDX);
	for (bit = 8; bit < 64; bit++)
		if (bit < 32 || bit > 41)
			faults(&fx, 0, EVTSEL, UINT64_C(1) << bit);
	for (bit = 10; bit < 32; bit++)
		faults(&fx, 0, PQR, UINT64_C(1) << bit);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, PQR), 0);
	fx_close(&fx);
}

static void a_class_of_service_must_exist(void)
{
	struct fx fx;

	fx_open(&fx, BDX);
	fx_wmsr(&fx, 1, PQR, UINT64_C(15) << 32 | 3);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, PQR), UINT64_C(15) << 32 | 3);
	faults(&fx, 1, PQR, UINT64_C(16) << 32 | 3);
	fx_close(&fx);
	fx_open(&fx, "hsx,cores=2,clock=step"); /* without allocation they are reserved */
	fx_wmsr(&fx, 1, PQR, 3);
	faults(&fx, 1, PQR, UINT64_C(1) << 32 | 3);
	fx_close(&fx);
}

static void evtsel_is_each_cpus_own_by_default(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX, HEAD "  0: {total: 73728000}\n");
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 0, EVTSEL, TOTAL);
	fx_wmsr(&fx, 1, EVTSEL, UINT64_C(1023) << 32 | TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, CTR), ERROR);
	fx_close(&fx);
}

static void evtsel_can_be_one_of_the_package(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX ",qm_scope=package", HEAD "  0: {total: 73728000}\n");
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 2, EVTSEL, LOCAL);
	fx_wmsr(&fx, 0, EVTSEL, UINT64_C(1023) << 32 | TOTAL);
	fx_wmsr(&fx, 1, EVTSEL, TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 3, EVTSEL), LOCAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 3, CTR), 0);
	fx_close(&fx);
}

static void unavailable_comes_so_often_for_each_rmid_and_event(void)
{
	struct fx fx;
	unsigned rmid, event;

	fx_open_load(&fx, BDX ",qm=unavailable:2", HEAD "  0-3: {total: 73728000, local: 73728000}\n");
	fx_step(&fx, SECOND);
	for (rmid = 0; rmid < 2; rmid++) {
		for (event = TOTAL; event <= LOCAL; event++) {
			CU_ASSERT_EQUAL(qm(&fx, 0, rmid, event), UNAVAILABLE);
			CU_ASSERT_EQUAL(qm(&fx, 1, rmid, event), UNAVAILABLE);
			CU_ASSERT_EQUAL(qm(&fx, 0, rmid, event), rmid ? 0 : 2000);
		}
	}
	CU_ASSERT_EQUAL(qm(&fx, 2, 0, TOTAL), UNAVAILABLE); /* the other L3 */
	CU_ASSERT_EQUAL(qm(&fx, 0, MAX_RMID + 1, TOTAL), ERROR);
	fx_close(&fx);
}

static void an_error_can_last(void)
{
	struct fx fx;
	unsigned i;

	fx_open(&fx, BDX ",qm=error");
	for (i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), ERROR);
	fx_close(&fx);
	fx_open(&fx, BDX ",qm=error:1");
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, OCCUPANCY), ERROR);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, OCCUPANCY), 0);
	fx_close(&fx);
}

static void each_second_read_may_give_nothing(void)
{
	struct fx fx;
	unsigned i;

	fx_open_load(&fx, BDX ",qm=unavailable:alternate", HEAD "  0: {total: 73728000}\n");
	fx_step(&fx, SECOND);
	for (i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1000);
		CU_ASSERT_EQUAL(qm(&fx, 0, 1, TOTAL), i % 2 ? UNAVAILABLE : 0); /* each RMID and event by itself */
		CU_ASSERT_EQUAL(qm(&fx, 1, 0, TOTAL), UNAVAILABLE);
	}
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), 0);
	fx_close(&fx);
	fx_open(&fx, BDX ",qm=error:alternate");
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), ERROR);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), 0);
	fx_close(&fx);
}

static void somebody_else_may_ask_for_another_rmid_meanwhile(void)
{
	static const char *const scopes[] = {"thread", "package"};
	struct fx fx;
	char args[128];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(args, sizeof(args), BDX ",disturb=2:2,qm_scope=%s", scopes[i]);
		fx_open_load(&fx, args, HEAD "  0: {total: 73728000}\n  1: {total: 7372800}\n");
		fx_wmsr(&fx, 0, PQR, 4);
		fx_wmsr(&fx, 1, PQR, 5);
		fx_step(&fx, SECOND);
		faults(&fx, 0, EVTSEL, UINT64_C(1) << 20); /* is no write of it */
		CU_ASSERT_EQUAL(qm(&fx, 0, 4, TOTAL), 1000);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(4) << 32 | TOTAL);
		CU_ASSERT_EQUAL(qm(&fx, 0, 4, TOTAL), 100);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(5) << 32 | TOTAL);
		CU_ASSERT_EQUAL(qm(&fx, 1, 5, TOTAL), 1000);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, EVTSEL), UINT64_C(4) << 32 | TOTAL);
		CU_ASSERT_EQUAL(qm(&fx, 1, 5, TOTAL), 100);
		fx_close(&fx);
	}
	fx_open(&fx, BDX ",disturb=1");
	qm(&fx, 0, 4, TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(5) << 32 | TOTAL);
	qm(&fx, 0, 4, TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(4) << 32 | TOTAL);
	fx_close(&fx);
}

/* 144 RMIDs: above 127, 1 / 1.185255 of what there was.  Occupancy is right. */
static void bandwidth_of_high_rmids_is_counted_wrong(void)
{
	static const char load[] = HEAD "  0: {total: 7372800000, local: 3686400000, occupancy: 7372800}\n";
	struct fx fx;

	fx_open_load(&fx, BDX, load);
	fx_wmsr(&fx, 0, PQR, 128);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 128, TOTAL), 84370); /* 100000 / 1.185255 = 84370.03 */
	CU_ASSERT_EQUAL(qm(&fx, 0, 128, LOCAL), 42185);
	CU_ASSERT_EQUAL(qm(&fx, 0, 128, OCCUPANCY), 100);
	CU_ASSERT_EQUAL(llc(&fx, 0, 128).total_bytes, UINT64_C(7372800000));
	fx_wmsr(&fx, 0, PQR, 127);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 127, TOTAL), 100000);
	fx_close(&fx);
	fx_open_load(&fx, BDX ",mbm_erratum=0", load);
	fx_wmsr(&fx, 0, PQR, 128);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 128, TOTAL), 100000);
	fx_close(&fx);
}

/* It has 224 RMIDs: 191 and 1.143118. */
static void so_it_is_on_skylake_and_its_like(void)
{
	static const char *const models[] = {"skx", "clx", "cpx"};
	struct fx fx;
	char args[64];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(args, sizeof(args), "%s,sockets=1,cores=2,clock=step,dword_ns=0,mbm_erratum=1", models[i]);
		fx_open_load(&fx, args, HEAD "  0: {total: 11468800000}\n"); /* 100000 units of 114688 bytes */
		fx_wmsr(&fx, 0, PQR, 192);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(qm(&fx, 0, 192, TOTAL), 87480); /* 87480.03 */
		fx_close(&fx);
	}
}

/* Units of 64 bytes. */
static void with_assigned_counters_rmids_have_no_bandwidth(void)
{
	enum { EXT_CFG = 0xc00003ff };
	struct fx fx;

	fx_open_load(&fx, "zen5,sockets=1,cores=16,threads=1,clock=step,dword_ns=0,abmc=1",
		     HEAD "  0: {total: 64000, local: 32000, occupancy: 6400}\n");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EXT_CFG), 1);
	fx_wmsr(&fx, 0, PQR, 4095); /* RMIDs of 12 bits */
	qm(&fx, 0, 4095, TOTAL);    /* the first is Unavailable, as on AMD */
	qm(&fx, 0, 4095, LOCAL);
	qm(&fx, 0, 4095, OCCUPANCY);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, LOCAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, OCCUPANCY), 100);
	fx_wmsr(&fx, 1, EXT_CFG, 0); /* of the L3 */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EXT_CFG), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, LOCAL), 500);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 15, EXT_CFG), 1); /* another L3 */
	faults(&fx, 0, EXT_CFG, 4);
	fx_close(&fx);
	fx_open(&fx, "zen5,sockets=1");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EXT_CFG), 0);
	fx_close(&fx);
	fx_open(&fx, "zen4,sockets=1");
	faults(&fx, 0, EXT_CFG, 0);
	fx_close(&fx);
}

static void what_a_processor_does_not_have_is_refused(void)
{
	FX_REFUSED("zen4,abmc=1", UNC_EARG, "sim:zen4: abmc=1", "zen5");
	FX_REFUSED("icx,mbm_erratum=1", UNC_EARG, "sim:icx: mbm_erratum=1");
	FX_REFUSED("hsx,mbm_erratum=1", UNC_EARG, "sim:hsx: mbm_erratum=1", "bdx, skx, clx and cpx");
	FX_REFUSED("bdx,abmc=1", UNC_EARG, "sim:bdx: abmc=1", "zen5");
}

static void masks_of_the_cache_are_one_run_of_its_ways(void)
{
	struct fx fx;
	uint32_t number;

	fx_open(&fx, BDX);
	for (number = 0xc90; number < 0xca0; number++)
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, number), 0xfffff);
	CU_ASSERT_EQUAL(unc_sim_msr_write(fx.host, 0, 0xca0, 1), UNC_EIO);
	fx_wmsr(&fx, 0, 0xc91, 0xff0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc91), 0xff0);   /* the package's */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc91), 0xfffff); /* not the other's */
	faults(&fx, 0, 0xc91, 0);
	faults(&fx, 0, 0xc91, 0x5);
	faults(&fx, 0, 0xc91, 0x100000);
	fx_wmsr(&fx, 0, 0xc91, 0x80000);
	fx_wmsr(&fx, 0, 0xc91, 0xfffff);
	fx_wmsr(&fx, 0, 0xc81, 1);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc81), 1);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc81), 0);
	faults(&fx, 0, 0xc81, 2);
	CU_ASSERT_EQUAL(unc_sim_msr_write(fx.host, 0, 0xd50, 0), UNC_EIO);
	fx_close(&fx);
	fx_open(&fx, "skx,cores=2,threads=1,clock=step"); /* CPUs 0 and 1, 2 and 3 */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc9f), 0x7ff);
	faults(&fx, 0, 0xc9f, 0x800);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xd57), 0);
	fx_wmsr(&fx, 0, 0xd57, 90);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xd57), 90);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xd57), 0);
	faults(&fx, 0, 0xd57, 91);
	faults(&fx, 0, 0xd58, 10);
	fx_close(&fx);
}

static void what_a_processor_lacks_faults(void)
{
	static const char *const models[] = {"snbep,clock=step", "ivt,clock=step"};
	struct unc_sim_llc is;
	struct fx fx;
	uint64_t value;
	uint32_t number;
	size_t i;

	for (i = 0; i < 2; i++) {
		fx_open(&fx, models[i]);
		for (number = 0xc81; number < 0xca0; number++)
			CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, number, &value), UNC_EIO);
		CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), 0);
		CU_ASSERT_EQUAL(unc_sim_truth_llc(fx.host, 0, 0, &is), UNC_ENODEV);
		fx_close(&fx);
	}
	fx_open(&fx, "hsx,clock=step"); /* no allocation */
	CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, 0xc81, &value), UNC_EIO);
	CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, 0xc90, &value), UNC_EIO);
	fx_close(&fx);
}

static void truth_can_be_of_one_instant(void)
{
	struct unc_sim_llc is;
	struct fx fx;
	uint64_t start, then;

	fx_open_load(&fx, BDX, HEAD "  0: {occupancy: 1e6, total: 1e6}\n");
	start = fx.host->ops->now_ns(fx.host, UNC_CLOCK_RAW);
	fx_step(&fx, SECOND / 4);
	then = fx.host->ops->now_ns(fx.host, UNC_CLOCK_RAW);
	fx_step(&fx, SECOND / 4);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), 0);
	CU_ASSERT_EQUAL(is.occupancy_bytes, 250000);
	CU_ASSERT_EQUAL(is.total_bytes, 250000);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then + SECOND, &is), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, start - 1, &is), UNC_ERANGE);
	fx_wmsr(&fx, 1, PQR, UINT64_C(1) << 32); /* another class of service is no change */
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), 0);
	fx_wmsr(&fx, 1, PQR, 4);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, then, &is), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 1, 0, then, &is), 0); /* nothing changed there */
	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, MAX_RMID + 1, then, &is), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_sim_truth_llc(fx.host, 2, 0, &is), UNC_ENODEV);
	fx_close(&fx);
}

static void an_offline_cpu_does_nothing(void)
{
	struct fx fx;

	fx_open_load(&fx, BDX ",offline=1", HEAD "  0-1: {occupancy: 1e6, total: 73728000}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 1000000);
	fx_wmsr(&fx, 0, PQR, 3); /* what was until now becomes the state's */
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1000);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 1000);
	CU_ASSERT_EQUAL(occupancy(&fx, 0, 3), 1000000);
	fx_close(&fx);
}

/* On every L3, of every RMID. */
static void suspending_empties_the_caches(void)
{
	static const char *const scopes[] = {BDX ",qm_scope=thread", BDX ",qm_scope=package"};
	struct fx fx;
	unsigned i, cpu;

	for (i = 0; i < 2; i++) {
		fx_open_load(&fx, scopes[i], HEAD "  0-3: {occupancy: 1e6, total: 73728000}\n");
		fx_wmsr(&fx, 0, PQR, 4);
		fx_wmsr(&fx, 3, PQR, UINT64_C(2) << 32 | 4);
		fx_step(&fx, SECOND);
		for (cpu = 0; cpu < 4; cpu += 2) {
			CU_ASSERT_EQUAL(qm(&fx, cpu, 0, OCCUPANCY), 1000000 / UNIT);
			CU_ASSERT_EQUAL(qm(&fx, cpu, 4, OCCUPANCY), 1000000 / UNIT);
		}
		CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
		for (cpu = 0; cpu < 4; cpu++) {
			CU_ASSERT_EQUAL(fx_rmsr(&fx, cpu, PQR), 0);
			CU_ASSERT_EQUAL(fx_rmsr(&fx, cpu, EVTSEL), 0);
		}
		for (cpu = 0; cpu < 4; cpu += 2) {
			CU_ASSERT_EQUAL(qm(&fx, cpu, 0, OCCUPANCY), 0);
			CU_ASSERT_EQUAL(qm(&fx, cpu, 4, OCCUPANCY), 0);
			CU_ASSERT_EQUAL(qm(&fx, cpu, 4, TOTAL), 1000);
		}
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 3000);
		CU_ASSERT_EQUAL(occupancy(&fx, 0, 0), 2000000);
		CU_ASSERT_EQUAL(occupancy(&fx, 0, 4), 0);
		fx_close(&fx);
	}
}

static void two_openers_see_one_cache(void)
{
	char *path = fx_file(NULL), args[256];
	struct fx a, b;

	snprintf(args, sizeof(args), "%s,state=%s", BDX, path);
	fx_open(&a, args);
	fx_open(&b, args);
	fx_wmsr(&a, 0, PQR, 6);
	CU_ASSERT_EQUAL(fx_rmsr(&b, 0, PQR), 6);
	fx_step(&a, SECOND);
	CU_ASSERT_EQUAL(qm(&b, 1, 6, TOTAL), UINT64_C(200000000) / UNIT); /* the default load's */
	CU_ASSERT_EQUAL(occupancy(&a, 0, 6), 256 * 1024);
	fx_close(&a);
	fx_close(&b);
	fx_unlink(path);
}

void test_sim_qm_suite(void);
void test_sim_qm_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_qm", NULL, NULL);

	CU_add_test(s, "traffic goes to the RMID that its CPU carries", traffic_goes_to_the_rmid_that_its_cpu_carries);
	CU_add_test(s, "second threads share the L3 of the first", second_threads_share_the_l3_of_the_first);
	CU_add_test(s, "the same RMID on two L3s is two", the_same_rmid_on_two_l3s_is_two);
	CU_add_test(s, "a bandwidth counter wraps at 24 bits", a_bandwidth_counter_wraps_at_24_bits);
	CU_add_test(s, "it wraps again and again until time ends", it_wraps_again_and_again_until_time_ends);
	CU_add_test(s, "a counter is not cleared for who comes next", a_counter_is_not_cleared_for_who_comes_next);
	CU_add_test(s, "occupancy grows by what is moved until it is enough",
		    occupancy_grows_by_what_is_moved_until_it_is_enough);
	CU_add_test(s, "what a dirty RMID holds goes only by eviction", what_a_dirty_rmid_holds_goes_only_by_eviction);
	CU_add_test(s, "growth and eviction end at the byte", growth_and_eviction_end_at_the_byte);
	CU_add_test(s, "dirty RMIDs shrink in proportion", dirty_rmids_shrink_in_proportion);
	CU_add_test(s, "who wants more than there is gets a share", who_wants_more_than_there_is_gets_a_share);
	CU_add_test(s, "all RMIDs together never exceed the L3", all_rmids_together_never_exceed_the_l3);
	CU_add_test(s, "who reads when changes nothing", who_reads_when_changes_nothing);
	CU_add_test(s, "RMIDs end at the highest", rmids_end_at_the_highest);
	CU_add_test(s, "an event that is not counted is an error", an_event_that_is_not_counted_is_an_error);
	CU_add_test(s, "reserved bits fault", reserved_bits_fault);
	CU_add_test(s, "a class of service must exist", a_class_of_service_must_exist);
	CU_add_test(s, "EVTSEL is each CPU's own by default", evtsel_is_each_cpus_own_by_default);
	CU_add_test(s, "EVTSEL can be one of the package", evtsel_can_be_one_of_the_package);
	CU_add_test(s, "unavailable comes so often for each RMID and event",
		    unavailable_comes_so_often_for_each_rmid_and_event);
	CU_add_test(s, "each second read may give nothing", each_second_read_may_give_nothing);
	CU_add_test(s, "somebody else may ask for another RMID meanwhile",
		    somebody_else_may_ask_for_another_rmid_meanwhile);
	CU_add_test(s, "bandwidth of high RMIDs is counted wrong", bandwidth_of_high_rmids_is_counted_wrong);
	CU_add_test(s, "so it is on Skylake and its like", so_it_is_on_skylake_and_its_like);
	CU_add_test(s, "with assigned counters RMIDs have no bandwidth",
		    with_assigned_counters_rmids_have_no_bandwidth);
	CU_add_test(s, "what a processor does not have is refused", what_a_processor_does_not_have_is_refused);
	CU_add_test(s, "an error can last", an_error_can_last);
	CU_add_test(s, "masks of the cache are one run of its ways", masks_of_the_cache_are_one_run_of_its_ways);
	CU_add_test(s, "what a processor lacks faults", what_a_processor_lacks_faults);
	CU_add_test(s, "truth can be of one instant", truth_can_be_of_one_instant);
	CU_add_test(s, "an offline CPU does nothing", an_offline_cpu_does_nothing);
	CU_add_test(s, "suspending empties the caches", suspending_empties_the_caches);
	CU_add_test(s, "two openers see one cache", two_openers_see_one_cache);
}
