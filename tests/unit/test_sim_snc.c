// SPDX-License-Identifier: GPL-2.0-or-later
/* Sub-NUMA clustering. */
#include "test_sim_qm.h"

#include "sim/computer.h"
#include "test.h"

enum { SNC_CONFIG = 0xca0 };

#define SNC "icx,cores=4,threads=1,snc=2,clock=step,dword_ns=0"
#define SNC_LOAD                                                                                                       \
	HEAD "  0: {occupancy: 3686400, total: 36864000}\n  2: {occupancy: 368640, total: 368640000, local: 36864}\n"
enum { HALF = 144 };

TEST(nodes_divide_the_cores_of_a_package)
{
	struct fx fx;
	size_t i;

	fx_open(&fx, "icx,sockets=2,snc=4");
	CU_ASSERT_EQUAL(unc_sim_caches(fx.host), 2);
	CU_ASSERT_EQUAL(fx_cache(&fx, 1).nodes, 4);
	for (i = 0; i < unc_sim_cpus(fx.host); i++) {
		struct unc_sim_cpu cpu = fx_cpu(&fx, i);

		CU_ASSERT_EQUAL(cpu.node, cpu.package * 4 + cpu.core / 9);
		CU_ASSERT_EQUAL(cpu.l3, cpu.package);
	}
	CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), 288); /* as CPUID says */
	fx_close(&fx);
}

TEST(sharing_mode_counts_each_nodes_under_its_own_rmids)
{
	struct fx fx;

	fx_open_load(&fx, SNC, SNC_LOAD);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 1);
	fx_wmsr(&fx, 3, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 0);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_wmsr(&fx, 2, PQR, 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 3, 5, TOTAL), 1000); /* any CPU of the L3 can ask */
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, LOCAL), 1);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), 100);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, OCCUPANCY), 10);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 36864000 + 368640000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).occupancy_bytes, 3686400 + 368640);
	CU_ASSERT_EQUAL(llc(&fx, 0, HALF + 5).total_bytes, 0);
	fx_wmsr(&fx, 0, PQR, HALF + 7); /* no node has it */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 7, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 7, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 288, TOTAL), ERROR);
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 288), UNC_EIO);
	fx_close(&fx);
}

TEST(local_mode_counts_a_nodes_range_alone)
{
	struct fx fx;

	fx_open_load(&fx, SNC, SNC_LOAD);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_wmsr(&fx, 2, PQR, 5); /* not one of node 1's */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 0);
	fx_wmsr(&fx, 2, PQR, HALF + 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 2000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 2 * 36864000);
	CU_ASSERT_EQUAL(llc(&fx, 0, HALF + 5).total_bytes, 368640000);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0); /* from now on CPU 2 has none */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 3000);
	fx_wmsr(&fx, 0, SNC_CONFIG, 1);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 20000);
	CU_ASSERT_EQUAL(try_write(&fx, 0, SNC_CONFIG, 2), UNC_EIO);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 1);
	fx_close(&fx);
}

/* Half of the L3 each: 27 MiB. */
TEST(a_node_has_its_part_of_the_cache)
{
	struct fx fx;

	fx_open_load(&fx, SNC, HEAD "  0: {occupancy: 90e6, total: 1e10}\n  2: {occupancy: 1e6, total: 1e10}\n");
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).occupancy_bytes, (UINT64_C(27) << 20) + 1000000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), (UINT64_C(27) << 20) / 36864);
	fx_close(&fx);
}

TEST(the_register_of_sub_numa_clustering_is_on_some_alone)
{
	static const char *const without[] = {"snbep", "ivt", "hsx",  "bdx",  "bdxde", "skx",
					      "clx",   "cpx", "zen2", "zen3", "zen4",  "zen5"};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(without); i++) {
		open_model(&fx, without[i], "");
		CU_ASSERT_EQUAL(try_read(&fx, 0, SNC_CONFIG), UNC_EIO);
		CU_ASSERT_EQUAL(try_write(&fx, 0, SNC_CONFIG, 0), UNC_EIO);
		fx_close(&fx);
	}
	open_model(&fx, "spr", ",sockets=2"); /* there also where it is off, and does nothing then */
	fx_wmsr(&fx, 0, PQR, 300);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 71, SNC_CONFIG), 1); /* the other package */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 300, TOTAL), UINT64_C(200000000) / 0x16000);
	fx_close(&fx);
}
