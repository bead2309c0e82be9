// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache monitoring of AMD. */
#include "test_sim_qm.h"

TEST(rmids_have_12_bits_with_amd)
{
	fx_open_load("zen5,sockets=1,cores=2,threads=1,clock=step,dword_ns=0", HEAD "  0: {total: 6.4e6}\n");
	fx_wmsr(0, PQR, 4095);
	QM({0, 4095, TOTAL, UNAVAILABLE});
	fx_step(SECOND);
	ISMSR({0, EVTSEL, UINT64_C(4095) << 32 | TOTAL});
	QM({0, 4095, TOTAL, 100000}, {0, 1023, TOTAL, UNAVAILABLE}); /* of no CPU */
	for (unsigned bit = 12; bit < 32; bit++)
		FAULTS({0, PQR, UINT64_C(1) << bit});
	for (unsigned bit = 44; bit < 64; bit++)
		FAULTS({0, EVTSEL, UINT64_C(1) << bit});
	open_model("zen2", "");
	FAULTS({0, PQR, 256}); /* beyond the highest */
	QM({0, 256, TOTAL, ERROR});
	open_model("spr", "");
	fx_wmsr(0, PQR, 351);
	FAULTS({0, PQR, 352}, {0, EVTSEL, UINT64_C(1) << 42});
	QM({0, 352, TOTAL, ERROR});
}

/* 56375: hardware tracks an RMID from when a CPU carries it, from 0 on. */
TEST(amd_counts_an_rmid_from_when_it_is_carried)
{
	fx_open_load(ZEN2, HEAD "  0-1: {occupancy: 64000, total: 6.4e6, local: 6.4e6}\n");
	QM({0, 5, TOTAL, UNAVAILABLE}, {0, 5, TOTAL, UNAVAILABLE});
	fx_step(SECOND);
	fx_wmsr(0, PQR, 5);
	fx_step(SECOND);
	QM({0, 5, TOTAL, UNAVAILABLE}); /* once for each event, from whichever CPU it is asked for */
	QM({1, 5, TOTAL, 100000}, {1, 5, LOCAL, UNAVAILABLE}, {0, 5, LOCAL, 100000}, {0, 5, OCCUPANCY, UNAVAILABLE},
	   {0, 5, OCCUPANCY, 1000});
	fx_wmsr(1, PQR, 5); /* a second one changes nothing */
	QM({0, 5, TOTAL, 100000});
	WMSR({0, PQR, 0}, {1, PQR, 0}); /* the last one leaves: it can still be read */
	fx_step(SECOND);
	QM({0, 5, TOTAL, 100000});
	fx_wmsr(1, PQR, 5);
	QM({0, 5, TOTAL, UNAVAILABLE}, {0, 5, TOTAL, 0});
	fx_step(SECOND);
	QM({0, 5, TOTAL, 100000});
	TOTALS({0, 5, 12800000});       /* the truth has no such gaps */
	QM({2, 5, TOTAL, UNAVAILABLE}); /* the other L3 */
}

TEST(rmid_0_is_tracked_from_the_reset_on)
{
	fx_open_load(ZEN2, HEAD "  0: {total: 6.4e6}\n");
	fx_step(SECOND);
	QM({0, 0, TOTAL, UNAVAILABLE}, {0, 0, TOTAL, 100000});
	fx_wmsr(0, PQR, 9);
	qm(0, 9, TOTAL);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	QM({0, 9, TOTAL, UNAVAILABLE}); /* no CPU has carried it since */
	QM({0, 9, TOTAL, UNAVAILABLE});
	fx_step(SECOND);
	QM({0, 0, TOTAL, UNAVAILABLE}, {0, 0, TOTAL, 100000});
}

/* 0x7f is everything, 0x15 what is local, 0x2a what is remote. */
TEST(what_bandwidth_events_count_can_be_chosen)
{
	fx_open_load("zen4,cores=4,threads=1,l3s=2,clock=step,dword_ns=0",
		     HEAD "  0: {total: 6.4e6, local: 6.4e5}\n  2: {total: 6.4e6}\n");
	ISMSR({0, 0xc0000400, 0x7f}, {0, 0xc0000401, 0x15});
	fx_wmsr(0, PQR, 3);
	qm(0, 3, TOTAL);
	qm(0, 3, LOCAL);
	fx_step(SECOND);
	QM({0, 3, TOTAL, 100000}, {0, 3, LOCAL, 10000});
	fx_wmsr(1, 0xc0000401, 0x2a); /* the L3's */
	ISMSR({0, 0xc0000401, 0x2a}, {2, 0xc0000401, 0x15});
	QM({0, 3, TOTAL, 100000}, {0, 3, LOCAL, UNAVAILABLE}, {0, 3, LOCAL, 0});
	fx_step(SECOND);
	QM({0, 3, LOCAL, 90000}, {0, 3, TOTAL, 200000});
	fx_wmsr(0, 0xc0000400, 0);
	qm(0, 3, TOTAL);
	fx_step(SECOND);
	QM({0, 3, TOTAL, 0});
	TOTALS({0, 3, 3 * 6400000});
	FAULTS({0, 0xc0000400, 0x80});
	ABSENT(0, 0xc0000402);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	ISMSR({0, 0xc0000400, 0x7f});
	open_model("zen3", "");
	ABSENT(0, 0xc0000400);
}

TEST(amd_counts_44_bits)
{
	const uint64_t wrap = UINT64_C(1) << 44;

	fx_open_load("zen3,sockets=1,cores=4,threads=1,l3s=1,clock=step,dword_ns=0",
		     HEAD "  0: {total: 6.4e11, local: 1e10}\n"); /* 10^10 units a second */
	qm(0, 0, TOTAL);
	fx_step(1800 * SECOND);
	QM({0, 0, TOTAL, UINT64_C(18000000000000) - wrap});
}

/* APM vol. 2, 13.3: nothing is sampled; firmware has told which entry of the APIC is meant. */
TEST(sampling_registers_are_as_after_a_reset)
{
	open_model("zen2", "");
	ISMSR({0, 0xc0011030, 0}, {0, 0xc0011033, 0}, {0, 0xc0011037, 0}, {3, 0xc001103a, 0x100}, {0, 0xc001103b, 0},
	      {0, 0xc001103c, 0});
	FAULTS({0, 0xc0011033, 0xa1000}, {0, 0xc001103a, 0});
	ABSENT(0, 0xc001103d, 0xc001103e, 0xc001103f); /* CPUID does not announce them */
}
