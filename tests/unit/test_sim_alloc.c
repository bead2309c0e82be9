// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation of caches and bandwidth: its registers. */
#include "test_sim_qm.h"

TEST(masks_of_the_cache_are_one_run_of_its_ways)
{
	fx_open(BDX);
	for (uint32_t number = 0xc90; number < 0xca0; number++)
		ISMSR({0, number, 0xfffff});
	FAULTS({0, 0xca0, 1});
	fx_wmsr(0, 0xc91, 0xff0);
	ISMSR({1, 0xc91, 0xff0});   /* the package's */
	ISMSR({2, 0xc91, 0xfffff}); /* not the other's */
	FAULTS({0, 0xc91, 0}, {0, 0xc91, 0x5}, {0, 0xc91, 0x100000});
	WMSR({0, 0xc91, 0x80000}, {0, 0xc91, 0xfffff}, {0, 0xc81, 1});
	ISMSR({1, 0xc81, 1}, {2, 0xc81, 0});
	FAULTS({0, 0xc81, 2}, {0, 0xd50, 0});
	fx_open("skx,cores=2,threads=1,clock=step"); /* CPUs 0 and 1, 2 and 3 */
	ISMSR({0, 0xc9f, 0x7ff});
	FAULTS({0, 0xc9f, 0x800});
	ISMSR({0, 0xd57, 0});
	fx_wmsr(0, 0xd57, 90);
	ISMSR({1, 0xd57, 90}, {2, 0xd57, 0});
	FAULTS({0, 0xd57, 91}, {0, 0xd58, 10});
}

TEST(what_a_processor_lacks_faults)
{
	static const char *const without[] = {"snbep,clock=step", "ivt,clock=step"};
	struct unc_sim_llc is;
	uint64_t value;

	for (size_t i = 0; i < 2; i++) {
		fx_open(without[i]);
		for (uint32_t number = 0xc81; number < 0xca0; number++)
			CU_ASSERT_EQUAL(sim_msr_read(fx.host, 0, number, &value), UNC_EIO);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 0);
		CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, 0, 0, UNC_SIM_NOW, &is), UNC_ENODEV);
	}
	fx_open("hsx,clock=step"); /* no allocation */
	CU_ASSERT_EQUAL(sim_msr_read(fx.host, 0, 0xc81, &value), UNC_EIO);
	CU_ASSERT_EQUAL(sim_msr_read(fx.host, 0, 0xc90, &value), UNC_EIO);
}

TEST(each_l3_has_its_masks)
{
	fx_open(ZEN2);
	ISMSR({0, 0xc9f, 0xffff});
	fx_wmsr(0, 0xc91, 0xff0);
	ISMSR({1, 0xc91, 0xff0}, {2, 0xc91, 0xffff}, {0, 0xc0000200, 0x800}); /* no limit */
	fx_wmsr(0, 0xc000020f, 100);
	ISMSR({1, 0xc000020f, 100}, {2, 0xc000020f, 0x800});
	FAULTS({0, 0xc0000200, 0x801});
	ABSENT(0, 0xc0000210, 0xc0000280); /* slow memory: not on this one */
	ABSENT(0, 0xd50);
	open_model("zen4", "");
	ISMSR({0, 0xc0000280, 0x800});
	open_model("spr", ""); /* 15 classes of service; 8 of the L2s */
	ISMSR({0, 0xc9e, 0x7fff});
	ABSENT(0, 0xc9f);
	ISMSR({0, 0xd17, 0xffff});
	ABSENT(0, 0xd18);
	ISMSR({0, 0xc81, 0});
	open_model("icx", ""); /* no CDP: 0x10.1 ECX is 0 there */
	ABSENT(0, 0xc81);
}
