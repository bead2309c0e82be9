// SPDX-License-Identifier: GPL-2.0-or-later
/* The bus of a simulated machine's MSRs, its files and their faults. */
#include "test_sim.h"

TEST(the_bus_has_a_space_for_each_cpu_that_is_online)
{
	static const unsigned online[] = {0, 2, 3};
	struct unc_addr *addrs = NULL, off = {.kind = UNC_MSR, .msr = {.cpu = 1}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	uint64_t value = 0;
	size_t n = 0;

	fx_open("snbep,sockets=1,cores=2,offline=1,clock=step,dword_ns=7");
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_bus_list(bus, &addrs, &n) == 0);
	CU_ASSERT_EQUAL_FATAL(n, N(online));
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(addrs[i].kind, UNC_MSR);
		CU_ASSERT_EQUAL(addrs[i].msr.cpu, online[i]);
	}
	FAILS_AS(unc_space_open(bus, &off, &space), UNC_ENODEV, "ENXIO", "cpu 1: the CPU is offline");
	CU_ASSERT_FATAL(unc_space_open(bus, &addrs[1], &space) == 0);
	CU_ASSERT_EQUAL(unc_read64(space, 0x1a2, &value), 0);
	CU_ASSERT_EQUAL(value, 95 << 16);
	CU_ASSERT_EQUAL(unc_read64(space, 0x10, &value), 0);
	CU_ASSERT_EQUAL(value, UINT64_C(3100000000000) + 7 * 31 / 10); /* the access before took 7 ns */
	FAILS_AS(unc_read64(space, 0x11, &value), UNC_EIO, "EIO", "cpu 2: read MSR 0x11");
	unc_space_close(space);
	unc_bus_close(bus);
	free(addrs);
}

TEST(a_bus_writes_and_its_faults_are_those_of_fail)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 2}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	unsigned char bytes[8];
	uint64_t value = 0;

	open_model("snbep", ",fail=2:ENXIO");
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	unc_put_le64(bytes, UINT64_C(0x100001234));
	CU_ASSERT_EQUAL(bus->ops->write(space, 0x199, bytes, 8), 0);
	FAILS_AS(unc_read64(space, 0x199, &value), UNC_ENODEV, "ENXIO", "made to fail");
	CU_ASSERT_EQUAL(unc_read64(space, 0x199, &value), 0);
	CU_ASSERT_EQUAL(value, UINT64_C(0x100001234));
	ISMSR({3, 0x199, 0});
	unc_space_close(space);
	unc_bus_close(bus);
}

TEST(files_have_the_faults_of_fail_too)
{
	open_model("snbep", ",fail=2:ones");
	fx_wmsr(0, 0x199, 0x1000);
	ISMSR({0, 0x199, UINT64_MAX}, {0, 0x199, 0x1000});
	open_model("snbep", ",fail=1:drop");
	fx_wmsr(0, 0x199, 0x1000);
	ISMSR({0, 0x199, 0});
	open_model("snbep", ",fail=1");
	FAILS_AS(try_write(0, 0x199, 0x1000), UNC_EIO, "EIO", "msr cpu0: write 0x199");
	ISMSR({0, 0x199, 0});
}

static void count_kill(void *arg)
{
	++*(unsigned *)arg;
}

TEST(a_kill_comes_around_an_access_to_a_file)
{
	unsigned killed = 0;

	open_model("snbep", ",kill=2:after");
	unc_sim_on_kill(fx.host, count_kill, &killed);
	fx_wmsr(0, 0x199, 1);
	CU_ASSERT_EQUAL(killed, 0);
	fx_wmsr(0, 0x199, 2);
	CU_ASSERT_EQUAL(killed, 1);
	ISMSR({0, 0x199, 2});
}

TEST(without_the_driver_there_is_no_bus)
{
	struct unc_bus *bus = NULL;

	open_model("snbep", ",msr=absent");
	CU_ASSERT_FALSE(unc_sim_info(fx.host).has_msrs);
	FAILS_AS(fx.host->ops->bus_open(fx.host, UNC_MSR, false, &bus), UNC_ENODEV, "ENOENT", "modprobe msr");
	CU_ASSERT_PTR_NULL(bus);
	open_model("snbep", "");
	CU_ASSERT_TRUE(unc_sim_info(fx.host).has_msrs);
}
