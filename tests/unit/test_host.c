// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "tree.h"

#include <sched.h>

#include "test.h"

static const char raw[] = "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
			  "basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n";

struct bench {
	struct unc_ctx ctx;
	struct tree tree;
	struct unc_host *host;
	unsigned open_before;
};

static void start(struct bench *bench)
{
	*bench = (struct bench){.ctx = {.msg = ""}, .open_before = open_files(), .tree = tree_new()};
}

static void open_tree(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&bench->ctx, bench->tree.root, false, -1, &bench->host), UNC_OK);
}

static void stop(struct bench *bench)
{
	unc_host_close(bench->host);
	tree_remove(&bench->tree);
	CU_ASSERT_EQUAL(open_files(), bench->open_before);
}

static bool says(const struct bench *bench, const char *part)
{
	if (strstr(bench->ctx.msg, part))
		return true;
	printf("\n    got: %s", bench->ctx.msg);
	return false;
}

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	return host->ops->cpuid(host, cpu, leaf, subleaf, ret_regs);
}

TEST(a_root_that_is_no_directory_is_refused)
{
	struct bench bench;

	start(&bench);
	tree_text(&bench.tree, "file", "");
	CU_ASSERT_EQUAL(unc_linux_host_open(&bench.ctx, "/no/such/place", false, -1, &bench.host), UNC_EARG);
	CU_ASSERT_STRING_EQUAL(bench.ctx.msg, "root:/no/such/place: no such directory");
	CU_ASSERT_EQUAL(unc_linux_host_open(&bench.ctx, tree_path(&bench.tree, "file").text, false, -1, &bench.host),
			UNC_EARG);
	CU_ASSERT_TRUE(says(&bench, "not a directory"));
	CU_ASSERT_PTR_NULL(bench.host);
	stop(&bench);
}

TEST(an_empty_tree_opens_and_says_what_it_lacks)
{
	struct bench bench;
	struct unc_cpuid_regs regs;
	struct unc_topo topo = {0};
	struct unc_bus *bus = NULL;
	char path[1200];

	start(&bench);
	open_tree(&bench);
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 0, 0, &regs), UNC_ENOSUP);
	snprintf(path, sizeof(path), "neither %s/dev/cpu/0/cpuid nor %s/cpuid.raw is there", bench.tree.root,
		 bench.tree.root);
	CU_ASSERT_TRUE(says(&bench, path));
	CU_ASSERT_EQUAL(bench.host->ops->topology(bench.host, &topo), UNC_ENODATA);
	CU_ASSERT_EQUAL(bench.host->ops->bus_open(bench.host, UNC_PCI, false, &bus), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, "/sys/bus/pci/devices"));
	CU_ASSERT_EQUAL(bench.host->ops->bus_open(bench.host, UNC_MSR, false, &bus), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, "/dev/cpu"));
	CU_ASSERT_EQUAL(bench.host->ops->bus_open(bench.host, UNC_MMIO, false, &bus), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(bus);
	stop(&bench);
}

TEST(cpuid_comes_from_the_dump_in_the_tree)
{
	struct bench bench;
	struct unc_cpuid_regs regs = {0};

	start(&bench);
	tree_text(&bench.tree, "cpuid.raw", raw);
	open_tree(&bench);
	CU_ASSERT_EQUAL(cpuid(bench.host, 5, 1, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x206d7);
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 7, 0, &regs), UNC_ENODATA);
	stop(&bench);
}

TEST(a_damaged_dump_is_refused_with_its_line)
{
	struct bench bench;

	start(&bench);
	tree_text(&bench.tree, "cpuid.raw", "basic_cpuid[0]=0000000d 756e6547\n");
	CU_ASSERT_EQUAL(unc_linux_host_open(&bench.ctx, bench.tree.root, false, -1, &bench.host), UNC_EARG);
	CU_ASSERT_TRUE(says(&bench, "/cpuid.raw:1: "));
	CU_ASSERT_PTR_NULL(bench.host);
	stop(&bench);
}

/* A cpuid file as a plain one: leaf 0 at offset 0, sub-leaf 1 of leaf 0 four gigabytes further (a sparse file). */
static void add_cpuid_file(struct bench *bench, unsigned cpu, unsigned char mark)
{
	unsigned char bytes[16] = {mark, 0, 0, 0, 'G', 'e', 'n', 'u', 'n', 't', 'e', 'l', 'i', 'n', 'e', 'I'};
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "dev/cpu/%u/cpuid", cpu);
	tree_bytes(&bench->tree, name, bytes, sizeof(bytes));
	fd = open(tree_path(&bench->tree, name).text, O_WRONLY);
	bytes[0]++;
	CU_ASSERT_EQUAL(pwrite(fd, bytes, sizeof(bytes), (off_t)1 << 32), 16);
	CU_ASSERT_EQUAL(pwrite(fd, bytes, 5, ((off_t)3 << 32) + 7), 5);
	close(fd);
}

TEST(cpuid_files_come_before_the_dump)
{
	struct bench bench;
	struct unc_cpuid_regs regs = {0};

	start(&bench);
	tree_text(&bench.tree, "cpuid.raw", raw);
	add_cpuid_file(&bench, 0, 0x20);
	add_cpuid_file(&bench, 2, 0x40);
	open_tree(&bench);
	for (unsigned round = 0; round < 2; round++) {
		CU_ASSERT_EQUAL(cpuid(bench.host, 0, 0, 0, &regs), UNC_OK);
		CU_ASSERT_TRUE(regs.eax == 0x20 && regs.ebx == 0x756e6547 && regs.ecx == 0x6c65746e &&
			       regs.edx == 0x49656e69);
		CU_ASSERT_EQUAL(cpuid(bench.host, 0, 0, 1, &regs), UNC_OK);
		CU_ASSERT_EQUAL(regs.eax, 0x21);
		CU_ASSERT_EQUAL(cpuid(bench.host, 2, 0, 0, &regs), UNC_OK);
		CU_ASSERT_EQUAL(regs.eax, 0x40);
	}
	CU_ASSERT_EQUAL(open_files(), bench.open_before + 2); /* the tree, and one CPU's file */
	CU_ASSERT_EQUAL(cpuid(bench.host, 1, 0, 0, &regs), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, "/dev/cpu/1/cpuid"));
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 7, 3, &regs), UNC_EIO); /* cut off: 5 bytes */
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 7, 4, &regs), UNC_ENODATA);
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 7, 0xffffffff, &regs), UNC_ENODATA);
	stop(&bench);
}

TEST(the_first_cpu_may_be_another_than_0)
{
	struct bench bench;
	struct unc_cpuid_regs regs = {0};

	start(&bench);
	add_cpuid_file(&bench, 12, 0x20);
	open_tree(&bench);
	CU_ASSERT_EQUAL(cpuid(bench.host, 12, 0, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(cpuid(bench.host, 0, 0, 0, &regs), UNC_ENODEV);
	stop(&bench);
}

static int ask_as_nobody(void *arg)
{
	struct bench *bench = arg;
	struct unc_cpuid_regs regs;
	struct unc_host *host;

	if (unc_linux_host_open(&bench->ctx, bench->tree.root, false, -1, &host) != UNC_OK)
		return 1;
	if (cpuid(host, 0, 0, 0, &regs) != UNC_EPERM)
		return 2;
	unc_host_close(host);
	return strstr(bench->ctx.msg, "/dev/cpu/0/cpuid") && strstr(bench->ctx.msg, "needs root") ? 0 : 3;
}

TEST(a_cpuid_file_that_is_refused_is_not_replaced_by_the_dump)
{
	struct bench bench;
	int rc;

	start(&bench);
	tree_text(&bench.tree, "cpuid.raw", raw);
	add_cpuid_file(&bench, 0, 0x20);
	chmod(tree_path(&bench.tree, "dev/cpu/0/cpuid").text, 0);
	rc = run_as_nobody(ask_as_nobody, &bench);
	if (rc == -1)
		printf("\n    skipped: cannot become another user");
	else
		CU_ASSERT_EQUAL(rc, 0);
	stop(&bench);
}

TEST(slashes_behind_the_root_do_not_matter)
{
	struct bench bench;
	struct unc_bus *bus = NULL;
	char root[600];

	start(&bench);
	tree_dir(&bench.tree, "sys/bus/pci/devices");
	snprintf(root, sizeof(root), "%s//", bench.tree.root);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&bench.ctx, root, false, -1, &bench.host), UNC_OK);
	CU_ASSERT_EQUAL(bench.host->ops->bus_open(bench.host, UNC_PCI, true, &bus), UNC_OK);
	CU_ASSERT_TRUE(bus && bus->writable);
	unc_bus_close(bus);
	stop(&bench);
}

TEST(two_machines_are_open_at_once)
{
	struct bench a, b;
	struct unc_cpuid_regs regs = {0};

	start(&a);
	add_cpuid_file(&a, 0, 0x20);
	open_tree(&a);
	start(&b);
	add_cpuid_file(&b, 0, 0x50);
	open_tree(&b);
	CU_ASSERT_EQUAL(cpuid(a.host, 0, 0, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x20);
	CU_ASSERT_EQUAL(cpuid(b.host, 0, 0, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x50);
	stop(&b);
	stop(&a);
}

TEST(files_of_the_system_are_those_below_the_root)
{
	struct bench bench;
	const char *const *names;
	char *text, path[64], own[64];
	size_t n, len;
	struct unc_host *host;

	start(&bench);
	tree_text(&bench.tree, "proc/mounts", "none /sys/fs/resctrl resctrl rw 0 0\n");
	tree_text(&bench.tree, "proc/COMMAND/comm", "below the root\n");
	open_tree(&bench);
	host = bench.host;
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "/proc/mounts", 100, &text, &len), UNC_OK);
	CU_ASSERT_EQUAL(len, 36);
	CU_ASSERT_STRING_EQUAL(text, "none /sys/fs/resctrl resctrl rw 0 0\n");
	free(text);
	CU_ASSERT_EQUAL(host->ops->file(host, "/proc/mounts", 35, &text, &len), UNC_ERANGE);
	CU_ASSERT_EQUAL(host->ops->file(host, "/proc/stat", 100, &text, &len), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, bench.tree.root));
	CU_ASSERT_EQUAL(host->ops->file(host, "proc/mounts", 100, &text, &len), UNC_EARG);
	CU_ASSERT_EQUAL_FATAL(host->ops->names(host, "/proc", &names, &n), UNC_OK);
	CU_ASSERT_TRUE(n == 2 && strcmp(names[1], "mounts") == 0);
	free((void *)names);
	CU_ASSERT_EQUAL(host->ops->names(host, "/sys", &names, &n), UNC_ENODEV);
	/* This process, as the COMMAND. */
	CU_ASSERT_EQUAL(host->ops->file(host, "own:/proc/COMMAND/status", 65536, &text, &len), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, "there is no COMMAND"));
	host->command = getpid();
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "own:/proc/COMMAND/status", 65536, &text, &len), UNC_OK);
	snprintf(path, sizeof(path), "\nPid:\t%d\n", (int)getpid());
	CU_ASSERT_PTR_NOT_NULL(strstr(text, path));
	free(text);
	CU_ASSERT_EQUAL_FATAL(host->ops->names(host, "own:/proc/COMMAND", &names, &n), UNC_OK);
	CU_ASSERT_TRUE(n > 10);
	free((void *)names);
	snprintf(own, sizeof(own), "own:/proc/%d/stat", (int)getpid());
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, own, 65536, &text, NULL), UNC_OK);
	free(text);
	CU_ASSERT_EQUAL(host->ops->file(host, "own:/proc/COMMANDER", 100, &text, &len), UNC_ENODEV);
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "/proc/COMMAND/comm", 100, &text, &len), UNC_OK);
	CU_ASSERT_STRING_EQUAL(text, "below the root\n");
	free(text);
	CU_ASSERT_EQUAL(host->ops->file(host, "own:proc", 100, &text, &len), UNC_EARG);
	stop(&bench);
}

TEST(a_process_that_has_just_ended_is_enodev)
{
	struct bench bench;
	struct unc_host *host;
	const char *const *names;
	char *text;
	size_t n;

	start(&bench);
	open_tree(&bench);
	host = bench.host;
	host->command = fork();
	if (host->command == 0)
		_exit(0);
	CU_ASSERT_EQUAL(waitpid(host->command, NULL, 0), host->command);
	CU_ASSERT_EQUAL(host->ops->file(host, "own:/proc/COMMAND/status", 65536, &text, NULL), UNC_ENODEV);
	CU_ASSERT_EQUAL(host->ops->names(host, "own:/proc/COMMAND/task", &names, &n), UNC_ENODEV);
	stop(&bench);
}

TEST(time_goes_on_and_the_wake_descriptor_ends_a_sleep)
{
	struct bench bench;
	int fds[2];
	uint64_t now_ns;

	start(&bench);
	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&bench.ctx, bench.tree.root, false, fds[0], &bench.host), UNC_OK);
	CU_ASSERT_FALSE(bench.host->simulated);
	now_ns = bench.host->ops->now_ns(bench.host, UNC_CLOCK_MONO);
	CU_ASSERT_EQUAL(bench.host->ops->sleep_until(bench.host, now_ns + 1000000), UNC_OK);
	CU_ASSERT_TRUE(bench.host->ops->now_ns(bench.host, UNC_CLOCK_MONO) >= now_ns + 1000000);
	CU_ASSERT_EQUAL(write(fds[1], "x", 1), 1);
	CU_ASSERT_EQUAL(bench.host->ops->sleep_until(bench.host, UINT64_MAX), UNC_EAGAIN);
	close(fds[0]);
	close(fds[1]);
	stop(&bench);
}

TEST(a_tree_is_known_by_its_directory)
{
	struct unc_host_identity a, b, live;
	struct unc_ctx ctx = {.msg = ""};
	struct unc_host *host = NULL;
	struct bench bench;
	char *target;

	start(&bench);
	tree_text(&bench.tree, "cpuid.raw", raw);
	tree_text(&bench.tree, "proc/sys/kernel/random/boot_id", "4711\n");
	CU_ASSERT_EQUAL_FATAL(symlink("../x", tree_path(&bench.tree, "l").text), 0);
	open_tree(&bench);
	CU_ASSERT_EQUAL(bench.host->ops->identity(bench.host, &a), UNC_OK);
	CU_ASSERT_EQUAL(strncmp(a.machine, "root:/", strlen("root:/")), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(a.machine, strrchr(bench.tree.root, '/')));
	CU_ASSERT_STRING_EQUAL(a.boot, "4711");
	CU_ASSERT_EQUAL(bench.host->ops->link(bench.host, "/l", &target), UNC_OK);
	CU_ASSERT_STRING_EQUAL(target, "../x");
	free(target);
	CU_ASSERT_EQUAL(unlink(tree_path(&bench.tree, "proc/sys/kernel/random/boot_id").text), 0);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&ctx, NULL, false, -1, &host), UNC_OK);
	CU_ASSERT_EQUAL(host->ops->identity(host, &live), UNC_OK);
	CU_ASSERT_STRING_EQUAL(live.machine, "live");
	unc_host_close(host);
	/* One that does not tell its boot has that of this computer. */
	CU_ASSERT_EQUAL(bench.host->ops->identity(bench.host, &b), UNC_OK);
	CU_ASSERT_STRING_EQUAL(b.machine, a.machine);
	CU_ASSERT_STRING_EQUAL(b.boot, live.boot);
	CU_ASSERT_EQUAL(strlen(b.boot), strlen("e8a5b0b5-4f7e-4b21-8a4c-0d4a6c1f2b3d"));
	stop(&bench);
}

#if defined(__x86_64__) || defined(__i386__)
TEST(this_computer_answers_on_each_cpu_and_we_stay_where_we_may_run)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_host *host = NULL;
	struct unc_cpuid_regs regs = {0};
	cpu_set_t before, after;
	int rc;

	CPU_ZERO(&before);
	CPU_ZERO(&after);
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(before), &before), 0);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&ctx, NULL, false, -1, &host), UNC_OK);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CU_ASSERT_EQUAL(cpuid(host, cpu, 0, 0, &regs), UNC_OK);
		CU_ASSERT_TRUE(regs.eax > 0 && regs.ebx != 0);
		CU_ASSERT_EQUAL(cpuid(host, cpu, 0x7fffffff, 0, &regs), UNC_OK); /* beyond the highest: some answer */
	}
	rc = cpuid(host, 9999, 0, 0, &regs);
	CU_ASSERT_EQUAL(rc, UNC_ENODEV);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, "cpu 9999: "));
	CU_ASSERT_EQUAL(cpuid(host, 0xffffffff, 0, 0, &regs), UNC_ENODEV);
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(after), &after), 0);
	CU_ASSERT_TRUE(CPU_EQUAL(&before, &after));
	unc_host_close(host);
}
#endif
