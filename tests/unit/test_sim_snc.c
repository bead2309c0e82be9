// SPDX-License-Identifier: GPL-2.0-or-later
/* Sub-NUMA clustering. */
#include "test_sim_qm.h"

#include "sim/computer.h"

enum { SNC_CONFIG = 0xca0 };

#define SNC "icx,cores=4,threads=1,snc=2,clock=step,dword_ns=0"
#define SNC_LOAD                                                                                                       \
	HEAD "  0: {occupancy: 3686400, total: 36864000}\n  2: {occupancy: 368640, total: 368640000, local: 36864}\n"
enum { HALF = 144 };

TEST(nodes_divide_the_cores_of_a_package)
{
	fx_open("icx,sockets=2,snc=4");
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_caches, 2);
	CU_ASSERT_EQUAL(fx_cache(1).nodes, 4);
	for (size_t i = 0; i < unc_sim_info(fx.host).n_cpus; i++) {
		struct unc_sim_cpu cpu = fx_cpu(i);

		CU_ASSERT_EQUAL(cpu.node, cpu.package * 4 + cpu.core / 9);
		CU_ASSERT_EQUAL(cpu.l3, cpu.package);
	}
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 288); /* as CPUID says */
}

TEST(sharing_mode_counts_each_nodes_under_its_own_rmids)
{
	fx_open_load(SNC, SNC_LOAD);
	ISMSR({0, SNC_CONFIG, 1});
	fx_wmsr(3, SNC_CONFIG, 0);
	ISMSR({0, SNC_CONFIG, 0});
	WMSR({0, PQR, 5}, {2, PQR, 5});
	fx_step(SECOND);
	QM({0, 5, TOTAL, 1000}, {3, 5, TOTAL, 1000}); /* any CPU of the L3 can ask */
	QM({0, HALF + 5, TOTAL, 10000}, {0, HALF + 5, LOCAL, 1}, {0, 5, OCCUPANCY, 100}, {0, HALF + 5, OCCUPANCY, 10});
	TOTALS({0, 5, 36864000 + 368640000});
	HOLDS({0, 5, 3686400 + 368640});
	TOTALS({0, HALF + 5, 0});
	fx_wmsr(0, PQR, HALF + 7); /* no node has it */
	fx_step(SECOND);
	QM({0, 7, TOTAL, 0}, {0, HALF + 7, TOTAL, 0}, {0, 5, TOTAL, 1000}, {0, 288, TOTAL, ERROR});
	FAULTS({0, PQR, 288});
}

TEST(local_mode_counts_a_nodes_range_alone)
{
	fx_open_load(SNC, SNC_LOAD);
	WMSR({0, PQR, 5}, {2, PQR, 5}); /* not one of node 1's */
	fx_step(SECOND);
	QM({0, 5, TOTAL, 1000}, {0, HALF + 5, TOTAL, 0});
	fx_wmsr(2, PQR, HALF + 5);
	fx_step(SECOND);
	QM({0, HALF + 5, TOTAL, 10000}, {0, 5, TOTAL, 2000});
	TOTALS({0, 5, 2 * 36864000}, {0, HALF + 5, 368640000});
	fx_wmsr(0, SNC_CONFIG, 0); /* from now on CPU 2 has none */
	fx_step(SECOND);
	QM({0, HALF + 5, TOTAL, 10000}, {0, 5, TOTAL, 3000});
	fx_wmsr(0, SNC_CONFIG, 1);
	fx_step(SECOND);
	QM({0, HALF + 5, TOTAL, 20000});
	FAULTS({0, SNC_CONFIG, 2});
	fx_wmsr(0, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	ISMSR({0, SNC_CONFIG, 1});
}

/* Half of the L3 each: 27 MiB. */
TEST(a_node_has_its_part_of_the_cache)
{
	fx_open_load(SNC, HEAD "  0: {occupancy: 90e6, total: 1e10}\n  2: {occupancy: 1e6, total: 1e10}\n");
	fx_wmsr(0, SNC_CONFIG, 0);
	fx_step(SECOND);
	HOLDS({0, 0, (UINT64_C(27) << 20) + 1000000});
	QM({0, 0, OCCUPANCY, (UINT64_C(27) << 20) / 36864});
}

TEST(the_register_of_sub_numa_clustering_is_on_some_alone)
{
	static const char *const without[] = {"snbep", "ivt", "hsx",  "bdx",  "bdxde", "skx",
					      "clx",   "cpx", "zen2", "zen3", "zen4",  "zen5"};

	for (size_t i = 0; i < N(without); i++) {
		open_model(without[i], "");
		ABSENT(0, SNC_CONFIG);
		FAULTS({0, SNC_CONFIG, 0});
	}
	open_model("spr", ",sockets=2"); /* there also where it is off, and does nothing then */
	WMSR({0, PQR, 300}, {0, SNC_CONFIG, 0});
	ISMSR({71, SNC_CONFIG, 1}); /* the other package */
	fx_step(SECOND);
	QM({0, 300, TOTAL, UINT64_C(200000000) / 0x16000});
}
