// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "onsim.h"
#include "tree.h"

#include <sched.h>

#include "test.h"

static const char raw[] = "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
			  "basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n";

static struct unc_ctx ctx;
static struct tree tree;
static struct unc_host *host;
static unsigned open_before;

static void begin(void)
{
	ctx.msg[0] = '\0';
	open_before = open_files();
	tree = tree_new();
	host = NULL;
}

static void end(void)
{
	unc_host_close(host);
	tree_remove(&tree);
	CU_ASSERT_EQUAL(open_files(), open_before);
}

EACH(begin, end)

static void open_root(const char *root, int wake_fd)
{
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&ctx, root, false, wake_fd, &host), UNC_OK);
}

static void open_tree(void)
{
	open_root(tree.root, -1);
}

static void refused(const char *root, const char *part)
{
	CU_ASSERT_EQUAL(unc_linux_host_open(&ctx, root, false, -1, &host), UNC_EARG);
	HAS(ctx.msg, part);
	CU_ASSERT_PTR_NULL(host);
}

static struct unc_cpuid_regs regs;

static int cpuid(unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	return host->ops->cpuid(host, cpu, leaf, subleaf, &regs);
}

TEST(a_root_that_is_no_directory_or_has_a_damaged_dump_is_refused)
{
	tree_text(&tree, "file", "");
	refused("/no/such/place", "");
	SAME(ctx.msg, "root:/no/such/place: no such directory");
	refused(tree_path(&tree, "file").text, "not a directory");
	tree_text(&tree, "cpuid.raw", "basic_cpuid[0]=0000000d 756e6547\n");
	refused(tree.root, "/cpuid.raw:1: ");
}

TEST(an_empty_tree_opens_and_says_what_it_lacks)
{
	struct unc_topo topo = {0};
	struct unc_bus *bus = NULL;
	char path[1200];

	open_tree();
	CU_ASSERT_EQUAL(cpuid(0, 0, 0), UNC_ENOSUP);
	snprintf(path, sizeof(path), "neither %s/dev/cpu/0/cpuid nor %s/cpuid.raw is there", tree.root, tree.root);
	HAS(ctx.msg, path);
	CU_ASSERT_EQUAL(host->ops->topology(host, &topo), UNC_ENODATA);
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_PCI, false, &bus), UNC_ENODEV);
	HAS(ctx.msg, "/sys/bus/pci/devices");
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_MSR, false, &bus), UNC_ENODEV);
	HAS(ctx.msg, "/dev/cpu");
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_MMIO, false, &bus), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(bus);
}

TEST(cpuid_comes_from_the_dump_in_the_tree)
{
	tree_text(&tree, "cpuid.raw", raw);
	open_tree();
	CU_ASSERT_EQUAL(cpuid(5, 1, 0), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x206d7);
	CU_ASSERT_EQUAL(cpuid(0, 7, 0), UNC_ENODATA);
}

/* A cpuid file as a plain one: leaf 0 at offset 0, sub-leaf 1 of leaf 0 four gigabytes further (a sparse file). */
static void add_cpuid_file(unsigned cpu, unsigned char mark)
{
	unsigned char bytes[16] = {mark, 0, 0, 0, 'G', 'e', 'n', 'u', 'n', 't', 'e', 'l', 'i', 'n', 'e', 'I'};
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "dev/cpu/%u/cpuid", cpu);
	tree_bytes(&tree, name, bytes, sizeof(bytes));
	fd = open(tree_path(&tree, name).text, O_WRONLY);
	bytes[0]++;
	CU_ASSERT_EQUAL(pwrite(fd, bytes, sizeof(bytes), (off_t)1 << 32), 16);
	CU_ASSERT_EQUAL(pwrite(fd, bytes, 5, ((off_t)3 << 32) + 7), 5);
	close(fd);
}

TEST(cpuid_files_come_before_the_dump)
{
	tree_text(&tree, "cpuid.raw", raw);
	add_cpuid_file(0, 0x20);
	add_cpuid_file(2, 0x40);
	open_tree();
	for (unsigned round = 0; round < 2; round++) {
		CU_ASSERT_EQUAL(cpuid(0, 0, 0), UNC_OK);
		CU_ASSERT_TRUE(regs.eax == 0x20 && regs.ebx == 0x756e6547 && regs.ecx == 0x6c65746e &&
			       regs.edx == 0x49656e69);
		CU_ASSERT_EQUAL(cpuid(0, 0, 1), UNC_OK);
		CU_ASSERT_EQUAL(regs.eax, 0x21);
		CU_ASSERT_EQUAL(cpuid(2, 0, 0), UNC_OK);
		CU_ASSERT_EQUAL(regs.eax, 0x40);
	}
	CU_ASSERT_EQUAL(open_files(), open_before + 2); /* the tree, and one CPU's file */
	CU_ASSERT_EQUAL(cpuid(1, 0, 0), UNC_ENODEV);
	HAS(ctx.msg, "/dev/cpu/1/cpuid");
	CU_ASSERT_EQUAL(cpuid(0, 7, 3), UNC_EIO); /* cut off: 5 bytes */
	CU_ASSERT_EQUAL(cpuid(0, 7, 4), UNC_ENODATA);
	CU_ASSERT_EQUAL(cpuid(0, 7, 0xffffffff), UNC_ENODATA);
}

TEST(the_first_cpu_may_be_another_than_0)
{
	add_cpuid_file(12, 0x20);
	open_tree();
	CU_ASSERT_EQUAL(cpuid(12, 0, 0), UNC_OK);
	CU_ASSERT_EQUAL(cpuid(0, 0, 0), UNC_ENODEV);
}

static int ask_as_nobody(void *arg)
{
	(void)arg;
	if (unc_linux_host_open(&ctx, tree.root, false, -1, &host) != UNC_OK)
		return 1;
	if (cpuid(0, 0, 0) != UNC_EPERM)
		return 2;
	return strstr(ctx.msg, "/dev/cpu/0/cpuid") && strstr(ctx.msg, "needs root") ? 0 : 3;
}

TEST(a_cpuid_file_that_is_refused_is_not_replaced_by_the_dump)
{
	tree_text(&tree, "cpuid.raw", raw);
	add_cpuid_file(0, 0x20);
	chmod(tree_path(&tree, "dev/cpu/0/cpuid").text, 0);
	passes_as_nobody(ask_as_nobody, NULL);
}

TEST(slashes_behind_the_root_do_not_matter)
{
	struct unc_bus *bus = NULL;
	char root[600];

	tree_dir(&tree, "sys/bus/pci/devices");
	snprintf(root, sizeof(root), "%s//", tree.root);
	open_root(root, -1);
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_PCI, true, &bus), UNC_OK);
	CU_ASSERT_TRUE(bus && bus->writable);
	unc_bus_close(bus);
}

TEST(two_machines_are_open_at_once)
{
	struct tree first_tree = tree;
	struct unc_host *first;

	add_cpuid_file(0, 0x20);
	open_tree();
	first = host;
	tree = tree_new();
	add_cpuid_file(0, 0x50);
	open_tree();
	CU_ASSERT_EQUAL(first->ops->cpuid(first, 0, 0, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x20);
	CU_ASSERT_EQUAL(cpuid(0, 0, 0), UNC_OK);
	CU_ASSERT_EQUAL(regs.eax, 0x50);
	unc_host_close(first);
	tree_remove(&first_tree);
}

/* A file of at most so many bytes has that text in it, or fails. */
static void reads(const char *path, size_t max, int rc, const char *piece)
{
	size_t len = 0;
	char *text = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_host_file(host, path, max, &text, &len), rc);
	if (rc < 0)
		return;
	CU_ASSERT_EQUAL(strlen(text), len);
	HAS(text, piece);
	free(text);
}

TEST(files_of_the_system_are_those_below_the_root)
{
	const char *const *names;
	char line[64], own[64];
	size_t n;

	tree_text(&tree, "proc/mounts", "none /sys/fs/resctrl resctrl rw 0 0\n");
	tree_text(&tree, "proc/COMMAND/comm", "below the root\n");
	open_tree();
	reads("/proc/mounts", 36, UNC_OK, "none /sys/fs/resctrl resctrl rw 0 0\n");
	reads("/proc/mounts", 35, UNC_ERANGE, NULL);
	reads("/proc/stat", 100, UNC_ENODEV, NULL);
	HAS(ctx.msg, tree.root);
	reads("proc/mounts", 100, UNC_EARG, NULL);
	CU_ASSERT_EQUAL_FATAL(unc_host_names(host, "/proc", &names, &n), UNC_OK);
	CU_ASSERT_TRUE(n == 2 && strcmp(names[1], "mounts") == 0);
	free((void *)names);
	CU_ASSERT_EQUAL(unc_host_names(host, "/sys", &names, &n), UNC_ENODEV);
	/* This process, as the COMMAND. */
	reads("own:/proc/COMMAND/status", 65536, UNC_ENODEV, NULL);
	HAS(ctx.msg, "there is no COMMAND");
	host->command = getpid();
	snprintf(line, sizeof(line), "\nPid:\t%d\n", (int)getpid());
	reads("own:/proc/COMMAND/status", 65536, UNC_OK, line);
	CU_ASSERT_EQUAL_FATAL(unc_host_names(host, "own:/proc/COMMAND", &names, &n), UNC_OK);
	CU_ASSERT_TRUE(n > 10);
	free((void *)names);
	snprintf(own, sizeof(own), "own:/proc/%d/stat", (int)getpid());
	reads(own, 65536, UNC_OK, "");
	reads("own:/proc/COMMANDER", 100, UNC_ENODEV, NULL);
	reads("/proc/COMMAND/comm", 100, UNC_OK, "below the root\n");
	reads("own:proc", 100, UNC_EARG, NULL);
}

TEST(a_process_that_has_just_ended_is_enodev)
{
	const char *const *names;
	size_t n;

	open_tree();
	host->command = fork();
	if (host->command == 0)
		_exit(0);
	CU_ASSERT_EQUAL(waitpid(host->command, NULL, 0), host->command);
	reads("own:/proc/COMMAND/status", 65536, UNC_ENODEV, NULL);
	CU_ASSERT_EQUAL(unc_host_names(host, "own:/proc/COMMAND/task", &names, &n), UNC_ENODEV);
}

TEST(time_goes_on_and_the_wake_descriptor_ends_a_sleep)
{
	int fds[2];
	uint64_t now_ns;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	open_root(tree.root, fds[0]);
	CU_ASSERT_FALSE(host->simulated);
	now_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, now_ns + 1000000), UNC_OK);
	CU_ASSERT_TRUE(host->ops->now_ns(host, UNC_CLOCK_MONO) >= now_ns + 1000000);
	CU_ASSERT_EQUAL(write(fds[1], "x", 1), 1);
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EAGAIN);
	close(fds[0]);
	close(fds[1]);
}

TEST(a_tree_is_known_by_its_directory)
{
	struct unc_host_identity a, b, live;
	struct unc_host *this_computer = NULL;
	char *target;

	tree_text(&tree, "cpuid.raw", raw);
	tree_text(&tree, "proc/sys/kernel/random/boot_id", "4711\n");
	CU_ASSERT_EQUAL_FATAL(symlink("../x", tree_path(&tree, "l").text), 0);
	open_tree();
	CU_ASSERT_EQUAL(host->ops->identity(host, &a), UNC_OK);
	CU_ASSERT_EQUAL(strncmp(a.machine, "root:/", strlen("root:/")), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(a.machine, strrchr(tree.root, '/')));
	CU_ASSERT_STRING_EQUAL(a.boot, "4711");
	CU_ASSERT_EQUAL(unc_host_link(host, "/l", &target), UNC_OK);
	CU_ASSERT_STRING_EQUAL(target, "../x");
	free(target);
	CU_ASSERT_EQUAL(unlink(tree_path(&tree, "proc/sys/kernel/random/boot_id").text), 0);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(&ctx, NULL, false, -1, &this_computer), UNC_OK);
	CU_ASSERT_EQUAL(this_computer->ops->identity(this_computer, &live), UNC_OK);
	CU_ASSERT_STRING_EQUAL(live.machine, "live");
	unc_host_close(this_computer);
	/* One that does not tell its boot has that of this computer. */
	CU_ASSERT_EQUAL(host->ops->identity(host, &b), UNC_OK);
	CU_ASSERT_STRING_EQUAL(b.machine, a.machine);
	CU_ASSERT_STRING_EQUAL(b.boot, live.boot);
	CU_ASSERT_EQUAL(strlen(b.boot), strlen("e8a5b0b5-4f7e-4b21-8a4c-0d4a6c1f2b3d"));
}

#if defined(__x86_64__) || defined(__i386__)
TEST(this_computer_answers_on_each_cpu_and_we_stay_where_we_may_run)
{
	cpu_set_t before, after;

	CPU_ZERO(&before);
	CPU_ZERO(&after);
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(before), &before), 0);
	open_root(NULL, -1);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CU_ASSERT_EQUAL(cpuid(cpu, 0, 0), UNC_OK);
		CU_ASSERT_TRUE(regs.eax > 0 && regs.ebx != 0);
		CU_ASSERT_EQUAL(cpuid(cpu, 0x7fffffff, 0), UNC_OK); /* beyond the highest: some answer */
	}
	CU_ASSERT_EQUAL(cpuid(9999, 0, 0), UNC_ENODEV);
	HAS(ctx.msg, "cpu 9999: ");
	CU_ASSERT_EQUAL(cpuid(0xffffffff, 0, 0), UNC_ENODEV);
	CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(after), &after), 0);
	CU_ASSERT_TRUE(CPU_EQUAL(&before, &after));
}
#endif
