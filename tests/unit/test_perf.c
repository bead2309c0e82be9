// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the kernel's own.  What a test needs of perf_event_open(2) and this kernel refuses is said, and skipped. */
#define _GNU_SOURCE
#include "os/linux/perf.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/err.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"
#include "os/linux/host.h"
#include "tree.h"
#include "test.h"

/* Counts nanoseconds by itself, on any kernel that has perf at all. */
static const struct unc_perf_attr clock_of_cpu0 = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};

enum { NO_SUCH_TYPE = 1999999999, NO_SUCH_CPU = 1999999999 };

static struct {
	struct unc_ctx *ctx;
	struct unc_host *host;
} bench;

static void open_host(const char *root)
{
	CU_ASSERT_EQUAL_FATAL(unc_new(&bench.ctx), 0);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(bench.ctx, root, false, -1, &bench.host), 0);
}

static void end(void)
{
	unc_host_close(bench.host);
	unc_free(bench.ctx);
	bench.host = NULL;
	bench.ctx = NULL;
}

EACH(NULL, end)

static int try_clock(unsigned *ret_event)
{
	return bench.host->ops->perf_open(bench.host, &clock_of_cpu0, ret_event);
}

static unsigned open_clock(void)
{
	unsigned event = 99;

	CU_ASSERT_EQUAL_FATAL(try_clock(&event), 0);
	return event;
}

static int perf(enum unc_perf_op op, unsigned event, struct unc_perf_count *count)
{
	return bench.host->ops->perf(bench.host, op, event, count);
}

/* Opens this computer, if it can count. */
static bool can_count(const char *test)
{
	unsigned event;
	int rc;

	open_host("");
	rc = try_clock(&event);
	if (rc < 0)
		printf("\n    skip %s: %s", test, unc_errmsg(bench.ctx));
	CU_ASSERT_TRUE(rc == 0 || rc == UNC_EPERM || rc == UNC_ENOSUP || rc == UNC_ENODEV);
	end();
	open_host("");
	return rc == 0;
}

static void work(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 2000000);
}

static struct unc_perf_count count_of(unsigned event)
{
	struct unc_perf_count count = {0};

	CU_ASSERT_EQUAL(perf(UNC_PERF_READ, event, &count), 0);
	return count;
}

TEST(an_event_counts_while_it_is_on)
{
	struct unc_perf_count counts[4];
	unsigned event;

	if (!can_count(__func__))
		return;
	event = open_clock();
	work();
	counts[0] = count_of(event); /* it begins switched off */
	CU_ASSERT_TRUE(counts[0].value == 0 && counts[0].enabled_ns == 0 && counts[0].running_ns == 0);
	CU_ASSERT_EQUAL(perf(UNC_PERF_ON, event, NULL), 0);
	work();
	counts[1] = count_of(event);
	CU_ASSERT_TRUE(counts[1].value >= 2000000 && counts[1].enabled_ns >= 2000000);
	CU_ASSERT_TRUE(counts[1].running_ns == counts[1].enabled_ns);
	CU_ASSERT_EQUAL(perf(UNC_PERF_OFF, event, NULL), 0);
	counts[2] = count_of(event);
	work();
	counts[3] = count_of(event);
	CU_ASSERT_TRUE(counts[2].value >= counts[1].value && counts[3].value == counts[2].value);
	CU_ASSERT_EQUAL(counts[3].enabled_ns, counts[2].enabled_ns);
	CU_ASSERT_EQUAL(perf(UNC_PERF_CLOSE, event, NULL), 0);
}

TEST(events_have_their_numbers_and_are_closed_with_the_host)
{
	unsigned before = open_files(), first, second, third;

	if (!can_count(__func__))
		return;
	first = open_clock();
	second = open_clock();
	CU_ASSERT_NOT_EQUAL(first, second);
	CU_ASSERT_EQUAL(fcntl(find_descriptor("[perf_event]"), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	CU_ASSERT_EQUAL(perf(UNC_PERF_CLOSE, first, NULL), 0);
	CU_ASSERT_EQUAL(perf(UNC_PERF_CLOSE, first, NULL), UNC_EARG);
	CU_ASSERT_EQUAL(perf(UNC_PERF_READ, 99, &(struct unc_perf_count){0}), UNC_EARG);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench.ctx), "perf: event 99 is not open");
	count_of(second);
	third = open_clock();
	CU_ASSERT_NOT_EQUAL(third, second);
	end();
	CU_ASSERT_EQUAL(open_files(), before);
}

/* Capabilities are looked at when an event is opened, and not again: a sampler drops them after that. */
static int count_without_rights(void *arg)
{
	struct unc_perf_count count;

	(void)arg;
	return perf(UNC_PERF_ON, 0, NULL) != 0 || perf(UNC_PERF_READ, 0, &count) != 0 ||
	       perf(UNC_PERF_OFF, 0, NULL) != 0;
}

static int64_t paranoid(void)
{
	int64_t value = 0;

	unc_linux_number_file(NULL, "/proc/sys/kernel/perf_event_paranoid", &value);
	return value;
}

static int open_without_rights(void *arg)
{
	unsigned event;

	(void)arg;
	if (try_clock(&event) != UNC_EPERM)
		return 1;
	return !strstr(unc_errmsg(bench.ctx), ", and user 65534 has no CAP_PERFMON: run it as root");
}

/* fn() in a child without rights must return 0; 2: the test cannot be done. */
static void passes_without_rights(int (*fn)(void *arg), bool can, const char *test, const char *why)
{
	int rc = run_as_nobody(fn, NULL);

	if (rc == 2 || rc == -1 || !can)
		printf("\n    skip %s: %s", test, why);
	else
		CU_ASSERT_EQUAL(rc, 0);
}

TEST(who_has_no_right_to_it_is_told_so)
{
	if (!can_count(__func__))
		return;
	passes_without_rights(open_without_rights, geteuid() == 0 && paranoid() > 0, __func__,
			      "this is not root, or everybody may count here");
}

/* As a container's. */
static int open_behind_a_filter(void *arg)
{
	unsigned event;

	(void)arg;
	if (!calls_fail(SYS_perf_event_open, SYS_perf_event_open, EPERM))
		return 2;
	if (try_clock(&event) != UNC_EPERM)
		return 1;
	return !strstr(unc_errmsg(bench.ctx),
		       "CPU 0: Operation not permitted: a filter of system calls (seccomp) is on");
}

TEST(a_filter_of_system_calls_is_told_of)
{
	open_host("");
	passes_without_rights(open_behind_a_filter, true, __func__,
			      "this kernel takes no filter, or lets no process become another user");
}

TEST(what_is_open_needs_no_rights_any_more)
{
	if (!can_count(__func__))
		return;
	CU_ASSERT_EQUAL(open_clock(), 0);
	passes_without_rights(count_without_rights, geteuid() == 0, __func__,
			      "this is not root, whose rights could be given up");
}

TEST(what_the_kernel_does_not_count_is_said)
{
	static const struct {
		struct unc_perf_attr attr;
		int rc;
		const char *parts[2];
	} rows[] = {
		{{.type = PERF_TYPE_SOFTWARE, .config = 99},
		 UNC_EARG,
		 {"perf: software (PMU 1), config 0x63, CPU 0: ", "/software/format"}},
		{{.type = NO_SUCH_TYPE, .config = 0x304, .config1 = 1},
		 UNC_ENODEV,
		 {"perf: PMU 1999999999, config 0x304 0x1 0x0, CPU 0: ", "no PMU has that number"}},
		{{.type = PERF_TYPE_SOFTWARE, .cpu = NO_SUCH_CPU}, UNC_ENODEV, {"CPU 1999999999: ", "has no such CPU"}},
		{{.type = PERF_TYPE_SOFTWARE, .cpu = UINT32_MAX}, UNC_ENODEV, {"CPU 4294967295: ", "offline"}},
	};
	unsigned event = 77;

	if (!can_count(__func__))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CU_ASSERT_EQUAL(bench.host->ops->perf_open(bench.host, &rows[i].attr, &event), rows[i].rc);
		CU_ASSERT_EQUAL(event, 77);
		for (size_t k = 0; k < 2; k++)
			if (!strstr(unc_errmsg(bench.ctx), rows[i].parts[k]))
				CU_FAIL_FATAL(unc_errmsg(bench.ctx));
	}
}

/* Nor where it is a symbolic link to this kernel's sysfs, which is not followed: that would be taken for the copy's. */
TEST(a_copy_of_a_machine_has_no_perf)
{
	for (unsigned link = 0; link < 2; link++) {
		struct tree tree = tree_new();
		unsigned event;

		if (!link)
			tree_dir(&tree, "sys/bus/event_source/devices");
		else if (symlink("/sys", tree_path(&tree, "sys").text) < 0)
			CU_FAIL("no link can be made");
		open_host(tree.root);
		CU_ASSERT_EQUAL(try_clock(&event), UNC_ENOSUP);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench.ctx), tree.root));
		CU_ASSERT_PTR_NOT_NULL(
			strstr(unc_errmsg(bench.ctx), "/sys/bus/event_source is not the sysfs of the kernel"));
		end();
		tree_remove(&tree);
	}
}

/* From here on, what is mounted is seen by this process alone. */
static bool can_mount(const char *test)
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return true;
	printf("\n    skip %s: nothing can be mounted here", test);
	return false;
}

/* As a container has it, with "/" of the computer at /host. */
TEST(a_root_with_this_kernels_sysfs_has_perf)
{
	struct tree tree = tree_new();
	unsigned event = 0;

	tree_dir(&tree, "root/sys");
	if (can_count(__func__) && can_mount(__func__)) {
		struct tree_path sys = tree_path(&tree, "root/sys");

		CU_ASSERT_EQUAL_FATAL(mount("/sys", sys.text, NULL, MS_BIND | MS_REC, NULL), 0);
		end();
		open_host(tree_path(&tree, "root").text);
		CU_ASSERT_EQUAL(try_clock(&event), 0);
		count_of(event);
		CU_ASSERT_EQUAL_FATAL(umount2(sys.text, MNT_DETACH), 0);
	}
	tree_remove(&tree);
}

/* ---- what an errno means ---- */

enum { OFFLINE = 1, NO_PMU = 2, FILTERED = 4, ROOT = 8, PERFMON = 16 };

/* An event of CPU 3 and the PMU uncore_imc_2, which user 1000 may not open; and what else is odd. */
TEST(every_errno_has_its_class_and_its_remedy)
{
	static const struct {
		unsigned odd;
		int paranoid, errnum, err;
		const char *part;
	} rows[] = {
		{0, 2, EACCES, UNC_EPERM,
		 "kernel.perf_event_paranoid is 2, and user 1000 has no CAP_PERFMON: run it as root"},
		{0, 2, EACCES, UNC_EPERM, "`sysctl kernel.perf_event_paranoid=0`"},
		{0, 2, EPERM, UNC_EPERM, "a security module may forbid it"},
		{0, 2, EINVAL, UNC_EARG, "/sys/bus/event_source/devices/uncore_imc_2/format and cpumask tell"},
		{0, 2, ENOENT, UNC_EARG, "does not count that"},
		{0, 2, ENODEV, UNC_ENODEV, "the device that it counts with is gone"},
		{0, 2, ENXIO, UNC_ENODEV, "load its driver again"},
		{0, 2, EBUSY, UNC_EBUSY, "exclusive"},
		{0, 2, ENOSYS, UNC_ENOSUP, "CONFIG_PERF_EVENTS"},
		{0, 2, EOPNOTSUPP, UNC_ENOSUP, "cannot count so"},
		{0, 2, EMFILE, UNC_EIO, ""}, /* of which the name of the errno itself tells what to do */
		{0, 2, ENOMEM, UNC_ENOMEM, ""},
		{0, 2, EIO, UNC_EIO, ""},
		/* A CPU or a PMU that is not there is that, whatever the errno. */
		{OFFLINE, 2, EINVAL, UNC_ENODEV, "offline; take one that the PMU's cpumask has"},
		{OFFLINE, 2, ENOENT, UNC_ENODEV, "offline; take one that the PMU's cpumask has"},
		{OFFLINE, 2, ENODEV, UNC_ENODEV, "offline; take one that the PMU's cpumask has"},
		{OFFLINE, 2, ENXIO, UNC_ENODEV, "offline; take one that the PMU's cpumask has"},
		{NO_PMU, 2, ENOENT, UNC_ENODEV, "no PMU has that number"},
		{NO_PMU, 2, EINVAL, UNC_ENODEV, "no PMU has that number"},
		/* What refused is told apart; 0 and -1 let every user count. */
		{0, 0, EACCES, UNC_EPERM, "is 0, which allows it: a security module"},
		{0, -1, EACCES, UNC_EPERM, "is -1, which allows it"},
		{0, UNC_LINUX_NOT_TOLD, EACCES, UNC_EPERM, "is unknown, and user 1000 has no CAP_PERFMON"},
		{ROOT | PERFMON, 4, EACCES, UNC_EPERM, "is 4, and yet you have CAP_PERFMON: it may be a container's"},
		{ROOT, 4, EACCES, UNC_EPERM, "is 4, and user 0 has no CAP_PERFMON"},
		{ROOT | FILTERED, 4, EPERM, UNC_EPERM, "(seccomp) is on this process, as in a container"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct unc_linux_perf_refusal refusal = {
			.errnum = rows[i].errnum,
			.cpu = 3,
			.cpu_is_online = !(rows[i].odd & OFFLINE),
			.paranoid = rows[i].paranoid,
			.filtered = rows[i].odd & FILTERED,
			.rights = {.uid = rows[i].odd & ROOT ? 0 : 1000, .perfmon = rows[i].odd & PERFMON},
		};
		char why[512];

		snprintf(refusal.pmu, sizeof(refusal.pmu), "%s", rows[i].odd & NO_PMU ? "" : "uncore_imc_2");
		CU_ASSERT_EQUAL(unc_linux_perf_why(&refusal, why, sizeof(why)), rows[i].err);
		CU_ASSERT_TRUE(strlen(why) < sizeof(why) - 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, rows[i].part));
		if (!strstr(why, rows[i].part))
			printf("\n    row %zu, %s: got: %s", i, unc_linux_err_name(rows[i].errnum), why);
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_linux_err_text(EMFILE), "ulimit -n"));
}
