// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache monitoring of AMD. */
#include "test_sim_qm.h"
#include "test.h"

TEST(rmids_have_12_bits_with_amd)
{
	struct fx fx;
	unsigned bit;

	fx_open_load(&fx, "zen5,sockets=1,cores=2,threads=1,clock=step,dword_ns=0", HEAD "  0: {total: 6.4e6}\n");
	fx_wmsr(&fx, 0, PQR, 4095);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(4095) << 32 | TOTAL);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 1023, TOTAL), UNAVAILABLE); /* nobody's */
	for (bit = 12; bit < 32; bit++)
		CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, UINT64_C(1) << bit), UNC_EIO);
	for (bit = 44; bit < 64; bit++)
		CU_ASSERT_EQUAL(try_write(&fx, 0, EVTSEL, UINT64_C(1) << bit), UNC_EIO);
	fx_close(&fx);
	open_model(&fx, "zen2", "");
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 256), UNC_EIO); /* beyond the highest */
	CU_ASSERT_EQUAL(qm(&fx, 0, 256, TOTAL), ERROR);
	fx_close(&fx);
	open_model(&fx, "spr", "");
	fx_wmsr(&fx, 0, PQR, 351);
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 352), UNC_EIO);
	CU_ASSERT_EQUAL(try_write(&fx, 0, EVTSEL, UINT64_C(1) << 42), UNC_EIO);
	CU_ASSERT_EQUAL(qm(&fx, 0, 352, TOTAL), ERROR);
	fx_close(&fx);
}

/* 56375: hardware tracks an RMID from when a CPU carries it, from 0 on. */
TEST(amd_counts_an_rmid_from_when_it_is_carried)
{
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0-1: {occupancy: 64000, total: 6.4e6, local: 6.4e6}\n");
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE); /* once for each event, whoever asks */
	CU_ASSERT_EQUAL(qm(&fx, 1, 5, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 1, 5, LOCAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, LOCAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), 1000);
	fx_wmsr(&fx, 1, PQR, 5); /* a second one changes nothing */
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	fx_wmsr(&fx, 0, PQR, 0);
	fx_wmsr(&fx, 1, PQR, 0); /* the last one leaves: it can still be read */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	fx_wmsr(&fx, 1, PQR, 5);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 12800000); /* the truth has no such gaps */
	CU_ASSERT_EQUAL(qm(&fx, 2, 5, TOTAL), UNAVAILABLE);    /* the other L3 */
	fx_close(&fx);
}

TEST(rmid_0_is_tracked_from_the_reset_on)
{
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0: {total: 6.4e6}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 100000);
	fx_wmsr(&fx, 0, PQR, 9);
	qm(&fx, 0, 9, TOTAL);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), UNAVAILABLE); /* nobody has carried it since */
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 100000);
	fx_close(&fx);
}

/* 0x7f is everything, 0x15 what is local, 0x2a what is remote. */
TEST(what_bandwidth_events_count_can_be_chosen)
{
	struct fx fx;

	fx_open_load(&fx, "zen4,cores=4,threads=1,l3s=2,clock=step,dword_ns=0",
		     HEAD "  0: {total: 6.4e6, local: 6.4e5}\n  2: {total: 6.4e6}\n");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000400), 0x7f);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000401), 0x15);
	fx_wmsr(&fx, 0, PQR, 3);
	qm(&fx, 0, 3, TOTAL);
	qm(&fx, 0, 3, LOCAL);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 10000);
	fx_wmsr(&fx, 1, 0xc0000401, 0x2a); /* the L3's */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000401), 0x2a);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc0000401), 0x15);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 90000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 200000);
	fx_wmsr(&fx, 0, 0xc0000400, 0);
	qm(&fx, 0, 3, TOTAL);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 0);
	CU_ASSERT_EQUAL(llc(&fx, 0, 3).total_bytes, 3 * 6400000);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0xc0000400, 0x80), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000402), UNC_EIO);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000400), 0x7f);
	fx_close(&fx);
	open_model(&fx, "zen3", "");
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000400), UNC_EIO);
	fx_close(&fx);
}

TEST(amd_counts_44_bits)
{
	const uint64_t wrap = UINT64_C(1) << 44;
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0: {total: 6.4e11, local: 1e10}\n"); /* 10^10 units a second */
	qm(&fx, 0, 0, TOTAL);
	fx_step(&fx, 1800 * SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UINT64_C(18000000000000) - wrap);
	fx_close(&fx);
}
