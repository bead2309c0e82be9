// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/qm.h"
#include "test.h"

TEST(up_to_the_threshold_all_is_counted)
{
	CU_ASSERT_TRUE(unc_sim_mbm_counted(143, 0, 1000000) == 1000000);
	CU_ASSERT_TRUE(unc_sim_mbm_counted(143, 127, 1000000) == 1000000);
	CU_ASSERT_TRUE(unc_sim_mbm_counted(223, 191, 7) == 7);
}

/* 144 RMIDs: E5-2697 v4; 224: Platinum 8180; 48: Bronze 3104; 192: Platinum 8160. */
TEST(above_it_the_factor_gives_back_what_there_was)
{
	static const struct {
		unsigned max_rmid, rmid;
		double factor;
	} rows[] = {
		{143, 128, 1.185255}, {143, 143, 1.185255}, {223, 192, 1.143118}, {47, 32, 0.969650},
		{191, 128, 0.969744}, {39, 32, 1.066667},   {23, 16, 0.969650},   {175, 160, 1.454334},
	};
	const unc_sim_wide bytes = (unc_sim_wide)1 << 40;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double counted = (double)unc_sim_mbm_counted(rows[i].max_rmid, rows[i].rmid, bytes);

		CU_ASSERT_DOUBLE_EQUAL(counted * rows[i].factor, (double)bytes, 2);
		CU_ASSERT_TRUE(unc_sim_mbm_counted(rows[i].max_rmid, rows[i].rmid - 1, bytes) == bytes ||
			       rows[i].rmid == 143);
	}
}

TEST(parts_with_other_numbers_of_rmids_count_right)
{
	static const unsigned fine[] = {8, 16, 32, 64, 96, 128, 152, 168, 184, 216, 256, 288};

	for (unsigned i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		CU_ASSERT_TRUE(unc_sim_mbm_counted(fine[i] - 1, fine[i] - 1, 1000000) == 1000000);
}

/* So much in 9 years at 2 TB/s: nothing is lost at the top. */
TEST(the_largest_amounts_are_right)
{
	const unc_sim_wide bytes = (unc_sim_wide)1 << 69;

	CU_ASSERT_TRUE(unc_sim_mbm_counted(143, 143, bytes) ==
		       bytes / 237051 * 200000 + bytes % 237051 * 200000 / 237051);
}
