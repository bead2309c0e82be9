// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim_files.h"

static uint64_t now(enum unc_clock clock)
{
	return fx.host->ops->now_ns(fx.host, clock);
}

TEST(it_says_that_it_is_simulated)
{
	fx_open("snbep");
	CU_ASSERT_TRUE(fx.host->simulated);
	CU_ASSERT_EQUAL(fx.host->wake_fd, -1);
}

TEST(under_step_time_stands_still_until_it_is_moved)
{
	fx_open("snbep,clock=step");
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000000000));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), UINT64_C(2000000000000));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_REAL), UINT64_C(1577836800000000000));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000000000));
	fx_step(123);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000000123));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), UINT64_C(2000000000123));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_REAL), UINT64_C(1577836800000000123));
	fx_r32("ff:10.0", 0); /* 500 ns by default */
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000000623));
}

TEST(under_step_sleeping_moves_time_to_the_deadline)
{
	fx_open("snbep,clock=step");
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, UINT64_C(2000500000000)), 0);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), UINT64_C(2000500000000));
	/* a deadline that has passed moves nothing */
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, UINT64_C(2000400000000)), 0);
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, 0), 0);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), UINT64_C(2000500000000));
}

TEST(under_step_sleeping_without_end_returns_at_once)
{
	fx_open("snbep,clock=step");
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, UINT64_MAX), UNC_EAGAIN);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), UINT64_C(2000000000000));
}

static void a_wake_up_ends_a_sleep(const char *args)
{
	struct unc_host *host;
	struct unc_ctx *ctx;
	uint64_t before;
	int ends[2];

	CU_ASSERT_FATAL(pipe(ends) == 0);
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	CU_ASSERT_FATAL(unc_sim_open(ctx, args, ends[0], &host) == 0);
	CU_ASSERT_EQUAL(host->wake_fd, ends[0]);
	before = host->ops->now_ns(host, UNC_CLOCK_MONO);
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, before + 1000000), 0);
	CU_ASSERT(host->ops->now_ns(host, UNC_CLOCK_MONO) >= before + 1000000);
	before = host->ops->now_ns(host, UNC_CLOCK_MONO);
	CU_ASSERT_FATAL(write(ends[1], "", 1) == 1);
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, before + UINT64_C(60000000000)), UNC_EAGAIN);
	CU_ASSERT(host->ops->now_ns(host, UNC_CLOCK_MONO) < before + UINT64_C(30000000000));
	unc_host_close(host);
	unc_free(ctx);
	close(ends[0]);
	close(ends[1]);
}

TEST(a_wake_up_ends_a_sleep_under_both_clocks)
{
	a_wake_up_ends_a_sleep("snbep");
	a_wake_up_ends_a_sleep("snbep,clock=step");
}

TEST(real_time_is_the_computers)
{
	uint64_t before, after, first, second;

	fx_open("snbep,sockets=1");
	before = unc_os_now_ns(UNC_CLOCK_RAW);
	first = now(UNC_CLOCK_RAW);
	after = unc_os_now_ns(UNC_CLOCK_RAW);
	CU_ASSERT(before <= first && first <= after);
	before = unc_os_now_ns(UNC_CLOCK_REAL);
	CU_ASSERT(now(UNC_CLOCK_REAL) >= before);
	/* and it passes between two accesses */
	fx_w32("ff:10.0", 0xf0, 0x400000);
	first = fx_r48("ff:10.0", 0xd0);
	before = now(UNC_CLOCK_MONO);
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, before + 2000000), 0);
	second = fx_r48("ff:10.0", 0xd0);
	CU_ASSERT(second - first >= 1600000);
}

TEST(stepping_real_time_is_refused)
{
	fx_open("snbep");
	FAILS(unc_sim_step(fx.host, 1, false), UNC_EARG, "clock=step");
}

TEST(time_has_an_end)
{
	fx_open("snbep,clock=step");
	fx_step(1000);
	CU_ASSERT_EQUAL(unc_sim_step(fx.host, UINT64_MAX, false), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_step(fx.host, (UINT64_C(1) << 58) - 999, false), UNC_ERANGE);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000001000));
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, UINT64_MAX - 1), UNC_EAGAIN);
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, UINT64_C(2000000000001) + (UINT64_C(1) << 58)), UNC_EAGAIN);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000001000));
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, 1), UNC_OK);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, UINT64_C(1) << 58), UNC_ERANGE);
	fx_w32("ff:10.0", 0xd8, 0x400081);
	fx_step((UINT64_C(1) << 58) - 1000 - 501);
	fx_r32("ff:10.0", 0xa0); /* leads to it and not beyond */
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), UINT64_C(1000000000000) + (UINT64_C(1) << 58));
}

TEST(topology_is_sockets_of_cores)
{
	struct unc_topo topo;

	fx_open("snbep,sockets=3,cores=5,offline=0,9");
	CU_ASSERT_EQUAL_FATAL(fx.host->ops->topology(fx.host, &topo), 0);
	CU_ASSERT(topo.n_packages == 3 && topo.first_cpu == 1);
	CU_ASSERT_EQUAL(topo.n_cpus, 28); /* of two threads a core; offline ones are not counted */
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(topo.packages[i].id, i);
		CU_ASSERT_EQUAL(topo.packages[i].n_cpus, i < 2 ? 9 : 10);
		CU_ASSERT_EQUAL(topo.packages[i].first_cpu, i ? 5 * i : 1);
	}
	unc_topo_clear(&topo);
	fx_open("snbep,sockets=3,cores=5,threads=1,offline=5-9");
	CU_ASSERT_EQUAL_FATAL(fx.host->ops->topology(fx.host, &topo), 0);
	CU_ASSERT_EQUAL(topo.n_cpus, 10);
	CU_ASSERT_EQUAL_FATAL(topo.n_packages, 2); /* Linux does not know of one that is offline */
	CU_ASSERT(topo.packages[1].id == 2 && topo.packages[1].first_cpu == 10);
	unc_topo_clear(&topo);
}

static bool cpu_is(const struct unc_host_cpu *cpu, int package, int l3)
{
	return cpu->online && cpu->package == package && cpu->node == package && cpu->l3 == l3;
}

TEST(each_cpu_tells_its_package_node_and_l3)
{
	struct unc_host_cpu *cpus;
	size_t n;

	fx_open("snbep,cores=2,offline=2");
	CU_ASSERT_EQUAL_FATAL(fx.host->ops->cpus(fx.host, &cpus, &n), 0);
	CU_ASSERT_EQUAL_FATAL(n, 8);
	for (unsigned i = 0; i < 8; i++) {
		CU_ASSERT_EQUAL(cpus[i].cpu, i);
		if (i == 2)
			CU_ASSERT_TRUE(!cpus[i].online && cpus[i].package == -1 && cpus[i].node == -1 &&
				       cpus[i].l3 == -1)
		else
			CU_ASSERT_TRUE(cpu_is(&cpus[i], i % 4 / 2, i % 4 < 2 ? 0 : 3))
	}
	free(cpus);
}

TEST(without_files_it_has_own_ones_only)
{
	const char *const *names;
	char *text;
	size_t n;

	fx_open("snbep");
	FAILS(unc_host_file(fx.host, "/proc/mounts", 65536, &text, &n), UNC_ENODEV, "files=DIR");
	CU_ASSERT_EQUAL(unc_host_names(fx.host, "/proc", &names, &n), UNC_ENODEV);
	CU_ASSERT_EQUAL_FATAL(unc_host_file(fx.host, "own:/proc/self/status", 65536, &text, &n), 0);
	free(text);
}

TEST(its_files_are_in_the_folder_that_it_was_given)
{
	const char *args = fx_text("snbep,files=%s/", fx_folder()->root);
	char *text;
	size_t n;

	tree_text(fx_folder(), "proc/mounts", "x\n");
	CU_ASSERT_EQUAL_FATAL(symlink("../a b", tree_path(fx_folder(), "proc/link").text), 0);
	fx_open(args);
	CU_ASSERT_EQUAL_FATAL(unc_host_file(fx.host, "/proc/mounts", 2, &text, &n), 0);
	CU_ASSERT_STRING_EQUAL(text, "x\n");
	free(text);
	CU_ASSERT_EQUAL(unc_host_file(fx.host, "/proc/stat", 65536, &text, &n), UNC_ENODEV);
	names_are("/proc", "link mounts");
	link_is("/proc/link", "../a b");
	FAILS(unc_host_link(fx.host, "/proc/mounts", &text), UNC_ENODEV, "not a symbolic link");
	link_is("/proc/none", NULL);
	tree_remove(fx_folder());
	FX_REFUSED(args, "files", fx_folder()->root, "No such file");
}

TEST(it_is_known_by_the_file_of_its_state)
{
	struct unc_host_identity a, b, c;
	const char *root = fx_folder()->root, *other;
	char *own;

	fx_open("snbep");
	CU_ASSERT_EQUAL(fx.host->ops->identity(fx.host, &a), UNC_ENODATA);
	CU_ASSERT_EQUAL_FATAL(unc_host_file(fx.host, "own:/proc/sys/kernel/random/boot_id", 99, &own, NULL), 0);
	fx_open(fx_text("snbep,state=%s/../%s/s", root, strrchr(root, '/') + 1));
	CU_ASSERT_EQUAL(fx.host->ops->identity(fx.host, &a), UNC_OK);
	CU_ASSERT_EQUAL(strncmp(a.machine, "sim:snbep,state=/", strlen("sim:snbep,state=/")), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(a.machine, "/s "));
	CU_ASSERT_PTR_NULL(strstr(a.machine, ".."));
	CU_ASSERT_EQUAL(strncmp(a.boot, own, strlen(a.boot)), 0);
	CU_ASSERT_EQUAL(strlen(a.boot), strlen("e8a5b0b5-4f7e-4b21-8a4c-0d4a6c1f2b3d"));
	/* The same by another way, with a boot of its own. */
	tree_text(fx_folder(), "proc/sys/kernel/random/boot_id", "4711\n");
	other = fx_text("snbep,state=%s/s,files=%s", root, root);
	fx_open(other);
	CU_ASSERT_EQUAL(fx.host->ops->identity(fx.host, &b), UNC_OK);
	CU_ASSERT_STRING_EQUAL(a.machine, b.machine);
	CU_ASSERT_STRING_EQUAL(b.boot, "4711");
	/* Another file of the same name is another machine. */
	CU_ASSERT_EQUAL(rename(tree_path(fx_folder(), "s").text, tree_path(fx_folder(), "t").text), 0);
	fx_open(other);
	CU_ASSERT_EQUAL(fx.host->ops->identity(fx.host, &c), UNC_OK);
	CU_ASSERT_STRING_NOT_EQUAL(a.machine, c.machine);
	free(own);
}

TEST(there_is_no_other_bus_than_pci_and_msr)
{
	struct unc_bus *bus = NULL;

	fx_open("snbep");
	CU_ASSERT_EQUAL(fx.host->ops->bus_open(fx.host, UNC_MMIO, false, &bus), UNC_ENOSUP);
	CU_ASSERT_PTR_NULL(bus);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "PCI and MSRs"));
	CU_ASSERT_EQUAL(fx.host->ops->bus_open(fx.host, UNC_MSR, false, &bus), 0);
	unc_bus_close(bus);
}

TEST(two_machines_are_two)
{
	fx_open("snbep,clock=step");
	fx_w32("ff:10.0", CTL, 0x304);
	fx_use(1);
	fx_open("snbep,clock=step");
	IS32("ff:10.0", {CTL, 0});
	fx_use(0);
	IS32("ff:10.0", {CTL, 0x304});
}
