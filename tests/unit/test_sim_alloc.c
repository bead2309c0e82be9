// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation of caches and bandwidth: its registers. */
#include "test_sim_qm.h"
#include "test.h"

TEST(masks_of_the_cache_are_one_run_of_its_ways)
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

TEST(what_a_processor_lacks_faults)
{
	static const char *const without[] = {"snbep,clock=step", "ivt,clock=step"};
	struct unc_sim_llc is;
	struct fx fx;
	uint64_t value;
	uint32_t number;
	size_t i;

	for (i = 0; i < 2; i++) {
		fx_open(&fx, without[i]);
		for (number = 0xc81; number < 0xca0; number++)
			CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, number, &value), UNC_EIO);
		CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), 0);
		CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, UNC_SIM_NOW, &is), UNC_ENODEV);
		fx_close(&fx);
	}
	fx_open(&fx, "hsx,clock=step"); /* no allocation */
	CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, 0xc81, &value), UNC_EIO);
	CU_ASSERT_EQUAL(unc_sim_msr_read(fx.host, 0, 0xc90, &value), UNC_EIO);
	fx_close(&fx);
}

TEST(each_l3_has_its_masks)
{
	struct fx fx;

	fx_open(&fx, ZEN2);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc9f), 0xffff);
	fx_wmsr(&fx, 0, 0xc91, 0xff0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc91), 0xff0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc91), 0xffff);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000200), 0x800); /* no limit */
	fx_wmsr(&fx, 0, 0xc000020f, 100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc000020f), 100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc000020f), 0x800);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0xc0000200, 0x801), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000210), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000280), UNC_EIO); /* slow memory: not on this one */
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xd50), UNC_EIO);
	fx_close(&fx);
	open_model(&fx, "zen4", "");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000280), 0x800);
	fx_close(&fx);
	open_model(&fx, "spr", ""); /* 15 classes of service; 8 of the L2s */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc9e), 0x7fff);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc9f), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xd17), 0xffff);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xd18), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc81), 0);
	fx_close(&fx);
	open_model(&fx, "icx", ""); /* no CDP: 0x10.1 ECX is 0 there */
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc81), UNC_EIO);
	fx_close(&fx);
}
