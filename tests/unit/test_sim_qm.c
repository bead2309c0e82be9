// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers of cache monitoring of the simulated machine. */
#include "test_sim_qm.h"
#include "sim/qm.h"

TEST(a_bandwidth_counter_wraps_at_24_bits)
{
	fx_open_load(BDX, HEAD "  0: {total: 1e12, local: 9e11}\n");
	fx_step(2 * SECOND);
	TOTALS({0, 0, UINT64_C(2000000000000)});
	QM({0, 0, TOTAL, UINT64_C(2000000000000) / UNIT - (1 << 24)},
	   {0, 0, LOCAL, UINT64_C(1800000000000) / UNIT - (1 << 24)});
}

/* 13 563 368 units a second: a wrap each 1.24 s, and the last ones 9 years later. */
TEST(it_wraps_again_and_again_until_time_ends)
{
	const uint64_t rate = UINT64_C(1000000000000), end_ns = UINT64_C(1) << 58;
	unsigned __int128 bytes;
	uint64_t s, last;

	fx_open_load(BDX, HEAD "  0: {total: 1e12, local: 1e12}\n");
	for (s = 1, last = 0; s <= 12; s++) {
		fx_step(SECOND);
		bytes = s * rate;
		QM({0, 0, TOTAL, bytes / UNIT & 0xffffff});
		CU_ASSERT_EQUAL((qm(0, 0, TOTAL) - last) & 0xffffff, bytes / UNIT - (bytes - rate) / UNIT);
		last = (uint64_t)(bytes / UNIT) & 0xffffff;
	}
	fx_step(end_ns - 12 * SECOND);
	bytes = (unsigned __int128)end_ns * rate / SECOND; /* beyond 2^64 */
	TOTALS({0, 0, (uint64_t)bytes});
	QM({0, 0, LOCAL, bytes / UNIT & 0xffffff});
	CU_ASSERT_EQUAL(unc_sim_step(fx.host, 1, false), UNC_ERANGE);
	fx_wmsr(0, PQR, 1);
	QM({0, 1, TOTAL, 0}, {0, 0, LOCAL, bytes / UNIT & 0xffffff});
}

TEST(a_counter_is_not_cleared_for_who_comes_next)
{
	fx_open_load(BDX, HEAD "  0-1: {total: 73728000}\n");
	fx_wmsr(0, PQR, 9);
	fx_step(SECOND);
	fx_wmsr(0, PQR, 0);
	fx_step(SECOND);
	QM({0, 9, TOTAL, 1000});
	fx_wmsr(1, PQR, 9);
	QM({0, 9, TOTAL, 1000});
	fx_step(SECOND);
	QM({0, 9, TOTAL, 2000});
	FAULTS({0, QM_CTR, 0}, {0, QM_CTR, 1});
}

TEST(rmids_end_at_the_highest)
{
	fx_open_load(BDX ",mbm_erratum=0", HEAD "  0: {total: 73728000}\n");
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, MAX_RMID + 1);
	fx_wmsr(0, PQR, MAX_RMID);
	fx_step(SECOND);
	QM({0, MAX_RMID, TOTAL, 1000});
	FAULTS({0, PQR, MAX_RMID + 1}, {0, PQR, 256 + 3}); /* all ten bits of the field are looked at */
	FAULTS({0, PQR, 512 + 3});
	ISMSR({0, PQR, MAX_RMID});
	QM({0, MAX_RMID + 1, TOTAL, ERROR}, {0, 1023, OCCUPANCY, ERROR},
	   {0, 0, TOTAL, 0}); /* RMID 0 is one like others */
}

TEST(an_event_that_is_not_counted_is_an_error)
{
	static const unsigned events[] = {0, 4, 8, 255};

	fx_open(BDX);
	ISMSR({0, QM_CTR, ERROR}); /* none was chosen */
	for (size_t i = 0; i < N(events); i++)
		QM({0, 0, events[i], ERROR});
	fx_open("hsx,cores=2,clock=step,dword_ns=0");
	fx_step(SECOND);
	QM({0, 0, TOTAL, ERROR}, {0, 0, LOCAL, ERROR});
	CU_ASSERT(qm(0, 0, OCCUPANCY) > 0 && qm(0, 0, OCCUPANCY) < UNAVAILABLE);
}

TEST(reserved_bits_fault)
{
	fx_open(BDX);
	for (unsigned bit = 8; bit < 64; bit++)
		if (bit < 32 || bit > 41)
			FAULTS({0, EVTSEL, UINT64_C(1) << bit});
	for (unsigned bit = 10; bit < 32; bit++)
		FAULTS({0, PQR, UINT64_C(1) << bit});
	ISMSR({0, EVTSEL, 0}, {0, PQR, 0});
}

TEST(a_class_of_service_must_exist)
{
	fx_open(BDX);
	fx_wmsr(1, PQR, UINT64_C(15) << 32 | 3);
	ISMSR({1, PQR, UINT64_C(15) << 32 | 3});
	FAULTS({1, PQR, UINT64_C(16) << 32 | 3});
	fx_open("hsx,cores=2,clock=step"); /* without allocation they are reserved */
	fx_wmsr(1, PQR, 3);
	FAULTS({1, PQR, UINT64_C(1) << 32 | 3});
}

TEST(evtsel_is_each_cpus_own_by_default)
{
	fx_open_load(BDX, HEAD "  0: {total: 73728000}\n");
	fx_step(SECOND);
	WMSR({0, EVTSEL, TOTAL}, {1, EVTSEL, UINT64_C(1023) << 32 | TOTAL});
	ISMSR({0, EVTSEL, TOTAL}, {0, QM_CTR, 1000}, {1, QM_CTR, ERROR});
}

TEST(evtsel_can_be_one_of_the_package)
{
	fx_open_load(BDX ",qm_scope=package", HEAD "  0: {total: 73728000}\n");
	fx_step(SECOND);
	WMSR({2, EVTSEL, LOCAL}, {0, EVTSEL, UINT64_C(1023) << 32 | TOTAL}, {1, EVTSEL, TOTAL});
	ISMSR({0, EVTSEL, TOTAL}, {0, QM_CTR, 1000}, {3, EVTSEL, LOCAL}, {3, QM_CTR, 0});
}

TEST(unavailable_comes_so_often_for_each_rmid_and_event)
{
	fx_open_load(BDX ",qm=unavailable:2", HEAD "  0-3: {total: 73728000, local: 73728000}\n");
	fx_step(SECOND);
	for (unsigned rmid = 0; rmid < 2; rmid++) {
		for (unsigned event = TOTAL; event <= LOCAL; event++) {
			QM({0, rmid, event, UNAVAILABLE}, {1, rmid, event, UNAVAILABLE},
			   {0, rmid, event, rmid ? 0 : 2000});
		}
	}
	QM({2, 0, TOTAL, UNAVAILABLE}); /* the other L3 */
	QM({0, MAX_RMID + 1, TOTAL, ERROR});
}

TEST(it_may_be_unavailable_at_first_after_each_selection)
{
	for (unsigned scope = 0; scope < 2; scope++) {
		fx_open_load(scope ? BDX ",qm=slow" : BDX ",qm=slow:2,qm_scope=package",
			     HEAD "  0: {total: 73728000}\n");
		fx_step(SECOND);
		for (unsigned i = 0; i < 2; i++) {
			QM({0, 0, TOTAL, UNAVAILABLE});
			ISMSR({0, QM_CTR, UNAVAILABLE}, {0, QM_CTR, 1000}, {0, QM_CTR, 1000});
		}
		QM({0, 0, 255, UNAVAILABLE});
		ISMSR({0, QM_CTR, UNAVAILABLE}, {0, QM_CTR, ERROR});
	}
}

TEST(an_error_can_last)
{
	fx_open(BDX ",qm=error");
	for (unsigned i = 0; i < 5; i++)
		QM({0, 0, OCCUPANCY, ERROR});
	fx_open(BDX ",qm=error:1");
	QM({0, 3, OCCUPANCY, ERROR}, {0, 3, OCCUPANCY, 0});
}

TEST(each_second_read_may_give_nothing)
{
	fx_open_load(BDX ",qm=unavailable:alternate", HEAD "  0: {total: 73728000}\n");
	fx_step(SECOND);
	for (unsigned i = 0; i < 3; i++) {
		QM({0, 0, TOTAL, 1000}, {0, 1, TOTAL, i % 2 ? UNAVAILABLE : 0}); /* each RMID and event by itself */
		QM({1, 0, TOTAL, UNAVAILABLE});
	}
	QM({0, 0, OCCUPANCY, 0});
	fx_open(BDX ",qm=error:alternate");
	QM({0, 0, OCCUPANCY, 0}, {0, 0, OCCUPANCY, ERROR}, {0, 0, OCCUPANCY, 0});
}

TEST(another_process_may_ask_for_another_rmid_meanwhile)
{
	static const char *const scopes[] = {"thread", "package"};

	for (unsigned i = 0; i < 2; i++) {
		fx_open_load(fx_text(BDX ",disturb=2:2,qm_scope=%s", scopes[i]),
			     HEAD "  0: {total: 73728000}\n  1: {total: 7372800}\n");
		WMSR({0, PQR, 4}, {1, PQR, 5});
		fx_step(SECOND);
		FAULTS({0, EVTSEL, UINT64_C(1) << 20}); /* is no write of it */
		QM({0, 4, TOTAL, 1000});
		ISMSR({0, EVTSEL, UINT64_C(4) << 32 | TOTAL});
		QM({0, 4, TOTAL, 100});
		ISMSR({0, EVTSEL, UINT64_C(5) << 32 | TOTAL});
		QM({1, 5, TOTAL, 1000});
		ISMSR({1, EVTSEL, UINT64_C(4) << 32 | TOTAL});
		QM({1, 5, TOTAL, 100});
	}
	fx_open(BDX ",disturb=1");
	qm(0, 4, TOTAL);
	ISMSR({0, EVTSEL, UINT64_C(5) << 32 | TOTAL});
	qm(0, 4, TOTAL);
	ISMSR({0, EVTSEL, UINT64_C(4) << 32 | TOTAL});
}

/* 144 RMIDs: above 127, 1 / 1.185255 of what there was.  Occupancy is right. */
TEST(bandwidth_of_high_rmids_is_counted_wrong)
{
	static const char load[] = HEAD "  0: {total: 7372800000, local: 3686400000, occupancy: 7372800}\n";

	fx_open_load(BDX, load);
	fx_wmsr(0, PQR, 128);
	fx_step(SECOND);
	QM({0, 128, TOTAL, 84370}); /* 100000 / 1.185255 = 84370.03 */
	QM({0, 128, LOCAL, 42185}, {0, 128, OCCUPANCY, 100});
	TOTALS({0, 128, UINT64_C(7372800000)});
	fx_wmsr(0, PQR, 127);
	fx_step(SECOND);
	QM({0, 127, TOTAL, 100000});
	fx_open_load(BDX ",mbm_erratum=0", load);
	fx_wmsr(0, PQR, 128);
	fx_step(SECOND);
	QM({0, 128, TOTAL, 100000});
}

/* It has 224 RMIDs: 191 and 1.143118. */
TEST(so_it_is_on_skylake_and_its_like)
{
	static const char *const parts[] = {"skx", "clx", "cpx"};

	for (unsigned i = 0; i < 3; i++) {
		fx_open_load(fx_text("%s,sockets=1,cores=2,clock=step,dword_ns=0,mbm_erratum=1", parts[i]),
			     HEAD "  0: {total: 11468800000}\n"); /* 100000 units of 114688 bytes */
		fx_wmsr(0, PQR, 192);
		fx_step(SECOND);
		QM({0, 192, TOTAL, 87480}); /* 87480.03 */
	}
}

/* Units of 64 bytes. */
TEST(with_assigned_counters_rmids_have_no_bandwidth)
{
	enum { EXT_CFG = 0xc00003ff };

	fx_open_load("zen5,sockets=1,cores=16,threads=1,clock=step,dword_ns=0,abmc=1",
		     HEAD "  0: {total: 64000, local: 32000, occupancy: 6400}\n");
	ISMSR({0, EXT_CFG, 1});
	fx_wmsr(0, PQR, 4095); /* RMIDs of 12 bits */
	qm(0, 4095, TOTAL);    /* the first is Unavailable, as on AMD */
	qm(0, 4095, LOCAL);
	qm(0, 4095, OCCUPANCY);
	fx_step(SECOND);
	QM({0, 4095, TOTAL, 0}, {0, 4095, LOCAL, 0}, {0, 4095, OCCUPANCY, 100});
	for (unsigned cpu = 0; cpu < 8; cpu++) /* each CPU of the L3 has it; a change clears what was counted */
		fx_wmsr(cpu, EXT_CFG, 0);
	ISMSR({0, EXT_CFG, 0});
	QM({0, 4095, TOTAL, UNAVAILABLE}, {0, 4095, LOCAL, UNAVAILABLE});
	fx_step(SECOND);
	QM({0, 4095, TOTAL, 1000}, {0, 4095, LOCAL, 500});
	ISMSR({15, EXT_CFG, 1}); /* another L3 */
	FAULTS({0, EXT_CFG, 4});
	fx_open("zen5,sockets=1");
	ISMSR({0, EXT_CFG, 0});
	fx_open("zen4,sockets=1");
	FAULTS({0, EXT_CFG, 0});
}

TEST(what_a_processor_does_not_have_is_refused)
{
	FX_REFUSED("zen4,abmc=1", "sim:zen4: abmc=1", "zen5");
	FX_REFUSED("icx,mbm_erratum=1", "sim:icx: mbm_erratum=1");
	FX_REFUSED("hsx,mbm_erratum=1", "sim:hsx: mbm_erratum=1", "bdx, skx, clx and cpx");
	FX_REFUSED("bdx,abmc=1", "sim:bdx: abmc=1", "zen5");
}

/* The erratum of high RMIDs (test_rdt_info.c has its table), of so much as in 9 years at 2 TB/s: nothing is lost at the top. */
TEST(the_largest_amounts_are_right)
{
	const unc_sim_wide bytes = (unc_sim_wide)1 << 69;

	CU_ASSERT_TRUE(unc_sim_mbm_counted(143, 143, bytes) ==
		       bytes / 237051 * 200000 + bytes % 237051 * 200000 / 237051);
}
