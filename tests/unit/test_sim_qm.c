// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers of cache monitoring of the simulated machine. */
#include "test_sim_qm.h"
#include "test.h"

TEST(a_bandwidth_counter_wraps_at_24_bits)
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
TEST(it_wraps_again_and_again_until_time_ends)
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

TEST(a_counter_is_not_cleared_for_who_comes_next)
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

TEST(rmids_end_at_the_highest)
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

TEST(an_event_that_is_not_counted_is_an_error)
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

TEST(reserved_bits_fault)
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

TEST(a_class_of_service_must_exist)
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

TEST(evtsel_is_each_cpus_own_by_default)
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

TEST(evtsel_can_be_one_of_the_package)
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

TEST(unavailable_comes_so_often_for_each_rmid_and_event)
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

TEST(it_may_be_unavailable_at_first_after_each_selection)
{
	struct fx fx;
	unsigned i, scope;

	for (scope = 0; scope < 2; scope++) {
		fx_open_load(&fx, scope ? BDX ",qm=slow" : BDX ",qm=slow:2,qm_scope=package",
			     HEAD "  0: {total: 73728000}\n");
		fx_step(&fx, SECOND);
		for (i = 0; i < 2; i++) {
			CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UNAVAILABLE);
			CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), UNAVAILABLE);
			CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), 1000);
			CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), 1000);
		}
		CU_ASSERT_EQUAL(qm(&fx, 0, 0, 255), UNAVAILABLE);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), UNAVAILABLE);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, CTR), ERROR);
		fx_close(&fx);
	}
}

TEST(an_error_can_last)
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

TEST(each_second_read_may_give_nothing)
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

TEST(somebody_else_may_ask_for_another_rmid_meanwhile)
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
TEST(bandwidth_of_high_rmids_is_counted_wrong)
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
TEST(so_it_is_on_skylake_and_its_like)
{
	static const char *const parts[] = {"skx", "clx", "cpx"};
	struct fx fx;
	char args[64];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(args, sizeof(args), "%s,sockets=1,cores=2,clock=step,dword_ns=0,mbm_erratum=1", parts[i]);
		fx_open_load(&fx, args, HEAD "  0: {total: 11468800000}\n"); /* 100000 units of 114688 bytes */
		fx_wmsr(&fx, 0, PQR, 192);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(qm(&fx, 0, 192, TOTAL), 87480); /* 87480.03 */
		fx_close(&fx);
	}
}

/* Units of 64 bytes. */
TEST(with_assigned_counters_rmids_have_no_bandwidth)
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

TEST(what_a_processor_does_not_have_is_refused)
{
	FX_REFUSED("zen4,abmc=1", UNC_EARG, "sim:zen4: abmc=1", "zen5");
	FX_REFUSED("icx,mbm_erratum=1", UNC_EARG, "sim:icx: mbm_erratum=1");
	FX_REFUSED("hsx,mbm_erratum=1", UNC_EARG, "sim:hsx: mbm_erratum=1", "bdx, skx, clx and cpx");
	FX_REFUSED("bdx,abmc=1", UNC_EARG, "sim:bdx: abmc=1", "zen5");
}
