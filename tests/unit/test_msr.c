// SPDX-License-Identifier: GPL-2.0-or-later
/* msr.c against plain files.  There, a register's 8 bytes overlap its neighbours': numbers lie 8 apart. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/write.h"
#include "base/err.h"
#include "os/linux/fail.h"
#include "treeroot.h"

#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "test.h"

static unsigned n_notes;
static char last_note[1024];

static void start(void)
{
	static const char zeros[0x1000];

	desk_begin();
	tree_bytes(&desk.tree, "dev/cpu/0/msr", zeros, sizeof(zeros));
	tree_bytes(&desk.tree, "dev/cpu/3/msr", zeros, sizeof(zeros));
	n_notes = 0;
	last_note[0] = '\0';
}

EACH(start, desk_end)

/* Another of them, for the next row of a table. */
static void anew(void)
{
	desk_end();
	start();
}

static void open_bus(bool writable)
{
	desk_bus(unc_linux_msr_open, writable);
}

/* NULL: that file is not there. */
static void kernel_says(const char *lockdown, const char *allow_writes)
{
	if (lockdown)
		tree_text(&desk.tree, "sys/kernel/security/lockdown", lockdown);
	if (allow_writes)
		tree_text(&desk.tree, "sys/module/msr/parameters/allow_writes", allow_writes);
}

static int try_open(unsigned cpu, struct unc_space **ret_space)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};

	return unc_space_open(desk.bus, &addr, ret_space);
}

static struct unc_space *open_cpu(unsigned cpu)
{
	return desk_space(desk.bus, (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = cpu}});
}

/* The same on a bus that is opened for it. */
static struct unc_space *opened(bool writable, unsigned cpu)
{
	open_bus(writable);
	return open_cpu(cpu);
}

TEST(each_cpu_has_registers_of_its_own)
{
	struct unc_space *cpu0 = opened(true, 0), *cpu3 = open_cpu(3);

	CU_ASSERT_EQUAL(open_files(), desk.open_before + 2);
	CU_ASSERT_EQUAL(unc_write64(cpu3, 0xc90, UINT64_C(0x0000000500000002)), UNC_OK);
	reads64(cpu3, 0xc90, UINT64_C(0x0000000500000002));
	reads64(cpu0, 0xc90, 0);
}

TEST(a_high_number_is_an_offset_beyond_two_gigabytes)
{
	struct unc_space *space = opened(true, 0);

	CU_ASSERT_EQUAL(unc_write64(space, 0xc0000208, 77), UNC_OK); /* a sparse file */
	reads64(space, 0xc0000208, 77);
}

TEST(cpus_are_listed_in_the_order_of_numbers)
{
	static const unsigned expected[] = {0, 2, 3, 10};
	struct unc_addr *addrs = NULL;
	size_t n = 0;

	tree_dir(&desk.tree, "dev/cpu/10");
	tree_dir(&desk.tree, "dev/cpu/2");
	tree_dir(&desk.tree, "dev/cpu/0x7");
	tree_text(&desk.tree, "dev/cpu/microcode", "");
	tree_dir(&desk.tree, "dev/cpu/99999999999");
	open_bus(false);
	CU_ASSERT_EQUAL_FATAL(unc_bus_list(desk.bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 4);
	for (size_t i = 0; i < n; i++)
		CU_ASSERT_EQUAL(addrs[i].msr.cpu, expected[i]);
	free(addrs);
}

TEST(the_file_is_opened_as_asked_for_and_closed_on_exec)
{
	for (int writable = 0; writable < 2; writable++) {
		struct unc_space *space;
		int fd;

		anew();
		space = opened(writable, 3);
		fd = find_descriptor("/dev/cpu/3/msr");
		CU_ASSERT_TRUE_FATAL(fd >= 0);
		CU_ASSERT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		CU_ASSERT_EQUAL(fcntl(fd, F_GETFL) & O_ACCMODE, writable ? O_RDWR : O_RDONLY);
		CU_ASSERT_EQUAL(unc_write64(space, 0xc90, 1), writable ? UNC_OK : UNC_EDENIED);
	}
}

TEST(a_missing_driver_is_named)
{
	struct unc_space *space = NULL;
	struct tree none = tree_new();
	struct unc_linux_root root = tree_as_root(&none);

	REFUSED(UNC_ENODEV, unc_linux_msr_open(&desk.ctx, &root, false, &desk.bus), "/dev/cpu: ", "`modprobe msr`");
	tree_dir(&desk.tree, "dev/cpu/1"); /* as with the cpuid driver alone */
	open_bus(false);
	REFUSED(UNC_ENODEV, try_open(1, &space), "cpu 1: open ", "/dev/cpu/1/msr: ", "`modprobe msr`");
	unc_linux_root_close(&root);
	tree_remove(&none);
}

TEST(a_cpu_that_does_not_exist_is_not_blamed_on_the_driver)
{
	struct unc_space *space = NULL;

	tree_dir(&desk.tree, "sys/devices/system/cpu/cpu0");
	open_bus(false);
	REFUSED(UNC_ENODEV, try_open(7, &space), "no such CPU");
	CU_ASSERT_PTR_NULL(space);
}

/* No process listens on that socket: ENXIO, as from the driver. */
TEST(a_cpu_that_is_offline_cannot_be_opened)
{
	struct unc_space *space = NULL;
	struct tree_path msr = tree_path(&desk.tree, "dev/cpu/3/msr");

	unlink(msr.text);
	CU_ASSERT_EQUAL_FATAL(mknod(msr.text, S_IFSOCK | 0600, 0), 0);
	open_bus(false);
	CU_ASSERT_EQUAL(try_open(3, &space), UNC_ENODEV);
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "ENXIO");
	CU_ASSERT_TRUE(says("/dev/cpu/3/msr: the CPU is offline"));
}

TEST(a_register_that_the_processor_does_not_have_is_eio)
{
	struct tree_path msr = tree_path(&desk.tree, "dev/cpu/3/msr");
	struct unc_space *space;
	uint64_t value = 5;

	root_as_computer(&desk.root, &desk.open_before);
	unlink(msr.text);
	/* Nothing is mapped there: EIO, as from the driver. */
	CU_ASSERT_EQUAL_FATAL(symlink("/proc/self/mem", msr.text), 0);
	space = opened(true, 3);
	CU_ASSERT_EQUAL(unc_read64(space, 0xc8f, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(desk.ctx.msg, "cpu 3: read MSR 0xc8f: this processor has no such register");
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "EIO");
	CU_ASSERT_EQUAL(value, 5);
	REFUSED(UNC_EIO, unc_write64(space, 0xc8f, 1), "cpu 3: write MSR 0xc8f: ");
}

TEST(a_read_that_comes_back_short_is_an_error)
{
	struct unc_space *space = opened(false, 0);
	uint64_t value;

	CU_ASSERT_EQUAL(unc_read64(space, 0xffc, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(desk.ctx.msg, "cpu 0: read MSR 0xffc: 4 of 8 bytes were transferred");
	CU_ASSERT_EQUAL(unc_read64(space, 0x1000, &value), UNC_EIO);
}

static int open_as_nobody(void *arg)
{
	struct unc_space *space = NULL;

	(void)arg;
	if (try_open(0, &space) != UNC_EPERM || strcmp(desk.ctx.os_name, "EACCES") != 0)
		return 1;
	return says("cpu 0: open ") && says("/dev/cpu/0/msr") && says("needs root") ? 0 : 2;
}

TEST(who_is_not_root_reads_what_to_do)
{
	chmod(tree_path(&desk.tree, "dev/cpu/0/msr").text, 0600);
	open_bus(false);
	if (geteuid() != 0)
		chmod(tree_path(&desk.tree, "dev/cpu/0/msr").text, 0);
	passes_as_nobody(open_as_nobody, NULL);
}

enum { NO_FILTER = 254 };

static bool failed_as(int rc, int err, const char *name, const char *begin, const char *part)
{
	return rc == err && strcmp(desk.ctx.os_name, name) == 0 && says(begin) && says(part);
}

static int access_failing(int errnum, int err, const char *name, const char *read_part, const char *write_part)
{
	struct unc_space *space = open_cpu(3);
	uint64_t value = 5;

	if (!calls_fail(SYS_pread64, SYS_pwrite64, errnum))
		return NO_FILTER;
	if (!failed_as(unc_read64(space, 0xc8e, &value), err, name, "cpu 3: read MSR 0xc8e: ", read_part) || value != 5)
		return 1;
	return failed_as(unc_write64(space, 0xc8f, 1), err, name, "cpu 3: write MSR 0xc8f: ", write_part) ? 0 : 2;
}

TEST(each_way_of_failing_has_its_own_sentence)
{
	static const char locked[] = "none [integrity] confidentiality\n";
	static const struct {
		int errnum, err;
		const char *name, *lockdown, *allow_writes, *read_part, *write_part;
	} rows[] = {
		{EIO, UNC_EIO, "EIO", NULL, NULL, "no such register", "does not take that value"},
		{ENXIO, UNC_ENODEV, "ENXIO", NULL, NULL, "the CPU is offline", "the CPU is offline"},
		{EPERM, UNC_EPERM, "EPERM", locked, "on\n", "locked down", "Secure Boot"},
		{EPERM, UNC_EPERM, "EPERM", locked, "off\n", "locked down", "Secure Boot"},
		{EPERM, UNC_EPERM, "EPERM", NULL, "off\n", "dmesg", "msr.allow_writes=on"},
		{EPERM, UNC_EPERM, "EPERM", NULL, "default\n", "dmesg", "dmesg"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status = -1;
		pid_t pid;

		if (rows[i].errnum == EPERM && !unc_linux_rights().raw_io) {
			printf("\n    skipped: EPERM means another thing without CAP_SYS_RAWIO");
			continue;
		}
		anew();
		kernel_says(rows[i].lockdown, rows[i].allow_writes);
		open_bus(true);
		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			status = access_failing(rows[i].errnum, rows[i].err, rows[i].name, rows[i].read_part,
						rows[i].write_part);
			fflush(NULL);
			_exit(status);
		}
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
			printf("\n    skipped: system calls cannot be filtered here");
		else
			CU_ASSERT_EQUAL(status, 0);
	}
}

static void note(void *arg, const char *sentence)
{
	(void)arg;
	n_notes++;
	snprintf(last_note, sizeof(last_note), "%s", sentence);
}

/* A device in the place of a CPU's file, as the driver has it: one that takes everything, as /dev/null does. */
static bool put_device(unsigned cpu)
{
	struct tree_path path;
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "dev/cpu/%u/msr", cpu);
	path = tree_path(&desk.tree, name);
	unlink(path.text);
	fd = mknod(path.text, S_IFCHR | 0600, makedev(1, 3)) == 0 ? open(path.text, O_RDWR | O_CLOEXEC) : -1;
	close(fd);
	return fd >= 0;
}

static void write_to(unsigned cpu, unsigned notes)
{
	struct unc_space *space = open_cpu(cpu);

	CU_ASSERT_EQUAL(unc_write64(space, 0xc8f, 1), UNC_OK);
	CU_ASSERT_EQUAL(n_notes, notes);
	desk_close(space);
}

TEST(that_a_write_taints_the_kernel_is_said_once_before_the_first)
{
	static const struct {
		const char *allow_writes, *lockdown;
		unsigned n_notes;
		bool logs;
	} rows[] = {
		{"default\n", "[none] integrity confidentiality\n", 1, true},
		{"on\n", NULL, 1, false},
		{"off\n", NULL, 0, false},
		{"default\n", "none [integrity] confidentiality\n", 0, false},
		{NULL, NULL, 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		anew();
		root_as_computer(&desk.root, &desk.open_before);
		desk.ctx.log = note;
		if (!put_device(0) || !put_device(3)) {
			printf("\n    skipped: no devices can be made here");
			return;
		}
		kernel_says(rows[i].lockdown, rows[i].allow_writes);
		open_bus(true);
		open_cpu(0);
		CU_ASSERT_EQUAL(n_notes, 0);
		write_to(0, rows[i].n_notes);
		CU_ASSERT_EQUAL(strstr(last_note, "taints the kernel") != NULL, rows[i].n_notes == 1);
		CU_ASSERT_EQUAL(strstr(last_note, "its log") != NULL, rows[i].logs);
		write_to(0, rows[i].n_notes);
		write_to(3, rows[i].n_notes);
	}
}

TEST(a_file_in_the_place_of_the_driver_taints_nothing)
{
	desk.ctx.log = note;
	kernel_says(NULL, "default\n");
	open_bus(true);
	write_to(0, 0);
}

TEST(another_kind_of_space_is_refused)
{
	struct unc_addr function = {.kind = UNC_PCI};
	struct unc_space *space = NULL;

	open_bus(false);
	CU_ASSERT_EQUAL(unc_space_open(desk.bus, &function, &space), UNC_EARG);
}

TEST(numbers_of_a_cpu_are_claimed_apart)
{
	struct unc_space *a = opened(true, 0), *b = opened(true, 0), *other = open_cpu(3);

	CU_ASSERT_EQUAL(unc_space_claim(a, 0xc0000100, 3, UNC_CLAIM_TAKE), UNC_OK);
	REFUSED(UNC_EBUSY, unc_space_claim(b, 0xc0000102, 1, UNC_CLAIM_TAKE), "cpu 0: another program holds a lock on ",
		"/dev/cpu/0/msr, so it writes there");
	CU_ASSERT_EQUAL(unc_space_claim(b, 0xc0000103, 1, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(b, 0x100, 3, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(other, 0xc0000100, 3, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_LEAVE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(b, 0xc0000102, 1, UNC_CLAIM_TAKE), UNC_OK);
}
