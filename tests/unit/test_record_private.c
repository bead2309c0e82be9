// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_files.h"
#include "base/text.h"
#include "test.h"

static struct unc_ctx *ctx;
static struct unc_record_private private;

static void begin(void)
{
	private = (struct unc_record_private){0};
	CU_ASSERT_EQUAL_FATAL(unc_new(&ctx), 0);
}

static void end(void)
{
	unc_record_private_clear(&private);
	unc_free(ctx);
}

EACH(begin, end)

/* The caller's to free(); NULL: there is no rule. */
static char *keep(const char *path, const char *bytes, size_t n, size_t *ret_len)
{
	char *text = malloc(n + 1);
	int rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memcpy(text, bytes, n);
	text[n] = '\0';
	*ret_len = n;
	rc = unc_record_keep_text(ctx, &private, path, &text, ret_len);
	CU_ASSERT(rc == UNC_OK || rc == UNC_ENODATA);
	return rc == UNC_OK ? text : NULL;
}

static void becomes(const char *path, const char *before, const char *after)
{
	size_t len;
	char *text = keep(path, before, strlen(before), &len);

	if (!text || strcmp(text, after) != 0)
		fprintf(stderr, "\n%s: \"%s\" became \"%s\", not \"%s\"\n", path, before, text ? text : "nothing",
			after);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, after);
	CU_ASSERT_EQUAL(len, strlen(after));
	free(text);
}

TEST(of_mounts_resctrl_is_kept_and_how_sys_is)
{
	static const char mounts[] = "server:/home/alice /mnt nfs rw 0 0\n"
				     "secret /sys/fs/resctrl resctrl rw,mba=secret 0 0\n"
				     "resctrl resctrl tmpfs rw 0 0\n"
				     "none\n\n"
				     "a /b/my\\040c resctrl ro 0 0";

	becomes("/proc/mounts", mounts, "- /sys/fs/resctrl resctrl  0 0\n- /b/my\\040c resctrl  0 0\n");
	CU_ASSERT_STRING_EQUAL(private.resctrl, "/sys/fs/resctrl");
	becomes("/proc/1/mounts", mounts, "- /sys/fs/resctrl resctrl  0 0\n- /b/my\\040c resctrl  0 0\n");
	becomes("/proc/mounts", "", "");
	becomes("/proc/mounts",
		"sysfs /sys sysfs ro,nosuid,lower=/home/secret 0 0\nsecret /sysroot ext4 rw 0 0\n /sys \n x /sys",
		"- /sys - ro,nosuid, 0 0\n- /sys -  0 0\n");
	end();
	begin();
	becomes("/proc/mounts", "a /b/my\\040c resctrl ro 0 0", "- /b/my\\040c resctrl  0 0\n");
	CU_ASSERT_STRING_EQUAL(private.resctrl, "/b/my c");
}

TEST(of_each_file_what_is_compared_is_kept)
{
	static const struct {
		const char *path, *before, *after;
	} rows[] = {
		/* Of physical memory ranges are kept, and the names of places. */
		{"/proc/iomem",
		 "00001000-0009ffff : System RAM\n  01000000-01ffffff : Kernel code\n"
		 "fb800000-fbffffff : PCI Bus 0000:7e\n  fb800000-fb8fffff : 0000:7e:00.1\n"
		 "    fb800000-fb8fffff : secret\nx\nsecret:\n1-2 :",
		 "00001000-0009ffff : System RAM\nfb800000-fbffffff : PCI Bus 0000:7e\n  fb800000-fb8fffff : "
		 "0000:7e:00.1\n"
		 "    fb800000-fb8fffff : in use\n"},
		{"/proc/iomem", "", ""},
		/* Of the kernel's arguments, one. */
		{"/proc/cmdline", "root=secret iomem=relaxed user=secret\n", "iomem=relaxed\n"},
		{"/proc/cmdline", "root=secret\n", ""},
		/* Of the list of functions, places and ids. */
		{"/proc/bus/pci/devices", "6a08\t808609a7\t10\tfb800004\tsecret\n6a09\t80863251\nsecret\n\t\n",
		 "6a08\t808609a7\n6a09\t80863251\n"},
		{"/proc/bus/pci/devices", "secret", ""},
		/* Of this process, its rights. */
		{"own:/proc/self/status", "Name:\tsecret\nUid:\t0\t0\t0\t0\nGid:\t0\nCapEff:\tff\n",
		 "Uid:\t0\t0\t0\t0\nCapEff:\tff\n"},
		{"own:/proc/1/cgroup", "0::/docker/0123456789abcdef\n", "docker"},
		{"own:/proc/1/cgroup", "0::/user.slice/alice\n", ""},
		{"own:/run/.containerenv", "name=\"secret\"\n", ""},
		{"own:/run/systemd/container", "secret\n", ""},
		{"own:/proc/self/uid_map", "  0 0 4294967295\n 1 secret\n", "  0 0 4294967295\n"},
		/* Of a thread's status, its CPUs. */
		{"own:/proc/COMMAND/task/7/status",
		 "Name:\tsecret\nUid:\t1000\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nx\n",
		 "Cpus_allowed:\tf\nCpus_allowed_list:\t0-3\n"},
		{"/proc/5/task/5/status", "Name:\tsecret\n", ""},
		/* Of the system's files, numbers and first lines. */
		{"/proc/sys/kernel/nmi_watchdog", "1\nsecret\n", "1\n"},
		{"/proc/sys/kernel/nmi_watchdog", "secret\n", ""},
		{"/sys/devices/system/cpu/nohz_full", "1-3,8\nsecret", "1-3,8\n"},
		{"/sys/devices/system/cpu/nohz_full", "(null)\n", ""},
		{"/proc/sys/kernel/version", "#1 SMP Debian\nsecret", "#1 SMP Debian\n"},
		{"/proc/stat", "cpu 1 2\ncpu0 1 2 secret\nintr 7\nbtime 9\n", "cpu 1 2\ncpu0 1 2 \n"},
		{"/proc/modules", "secret 1 0 - Live 0xffff\nintel_uncore 7 0 - Live 0xffff\nintel_uncore_x 1\n",
		 "intel_uncore \n"},
		{"/sys/class/dmi/id/board_name", "X9\nsecret", "X9\n"},
		{"/var/run/likwid.lock", "secret", ""},
		{"/dev/shm/sem.Num PCM insts", "1234secret", "1234"},
		{"/sys/bus/event_source/devices/uncore_imc_0/events/cas", "event=4\nsecret", "event=4\n"},
		{"/sys/bus/event_source/devices/uncore_imc_0/cpumask", "0,18\nsecret", "0,18\n"},
		{"own:/.dockerenv", "secret", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		becomes(rows[i].path, rows[i].before, rows[i].after);
}

/* A BIOS, a memory device with five strings, the end; and what is behind it. */
TEST(of_firmwares_tables_memory_is_kept_without_its_numbers)
{
	static const char system[] = "\1\6\1\0\1\2secret maker\0secret serial\0", last[] = "\x7f\4\3\0\0",
			  strings[] = "DIMM_A1\0BANK 0\0maker\0serial 7\0asset\0", behind[] = "secret";
	static const char *const paths[] = {"/sys/firmware/dmi/tables/DMI", "/sys/firmware/dmi/entries/17-3/raw"};
	static const char device[0x28] = {17, 0x28, 2, [0x10] = 1, [0x11] = 2, [0x17] = 3, [0x18] = 4, [0x19] = 5};
	static const struct {
		const char *bytes;
		size_t n;
	} parts[] = {{system, sizeof(system)},
		     {device, sizeof(device)},
		     {strings, sizeof(strings)},
		     {last, sizeof(last)},
		     {behind, sizeof(behind) - 1}};
	char text[400], *kept;
	size_t len = 0, n;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		memcpy(text + len, parts[i].bytes, parts[i].n);
		len += parts[i].n;
	}
	len -= strlen(behind);
	for (size_t i = 0; i < 2; i++) {
		kept = keep(paths[i], text, len + strlen(behind), &n);
		CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
		CU_ASSERT_EQUAL(n, len - sizeof(system));
		CU_ASSERT(memcmp(kept, device, sizeof(device)) == 0);
		CU_ASSERT(memcmp(kept + sizeof(device), "DIMM_A1\0BANK 0\0maker\0--------\0-----\0", sizeof(strings)) ==
			  0);
		CU_ASSERT(memcmp(kept + sizeof(device) + sizeof(strings), last, sizeof(last)) == 0);
		free(kept);
	}
	/* Where it is cut off, it is not kept; nor where a string has a number that there is not. */
	for (size_t part = 0; part < sizeof(device) + sizeof(strings); part++) {
		kept = keep(paths[0], text + sizeof(system), part, &n);
		CU_ASSERT(kept && n == 0);
		free(kept);
	}
	text[sizeof(system) + 0x18] = 77;
	kept = keep(paths[0], text + sizeof(system), len - sizeof(system), &n);
	CU_ASSERT(kept && n == len - sizeof(system));
	free(kept);
}

/* proc_pid_stat(5) with all its fields: 26 to 30 are addresses. */
#define BEHIND                                                                                                         \
	" 1 812 77 34816 9 4194560 99 98 97 96 14 15 16 17 20 -5 20 0 22 23 24 18446744073709551615 94558 94559 "      \
	"140723 140721 "                                                                                               \
	"140720 0 0 0 0 0 0 0 17 39 0 0\n"
#define KEPT " 0 0 0 0 0 0 0 0 0 0 14 15 16 17 0 0 20 0 22 23 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 39\n"

TEST(of_a_process_its_times_and_state_are_kept)
{
	becomes("/proc/812/stat", "812 (secret) S" BEHIND, "10000001 (-) S" KEPT);
	becomes("/proc/813/stat", "813 (perf) R" BEHIND, "10000002 (perf) R" KEPT);
	becomes("/proc/812/task/812/stat", "812 (a (b) c) S" BEHIND, "10000001 (-) S" KEPT);
	becomes("/proc/9/stat", "9 (secret) S 1 2\n", "10000003 (-) S 0 0\n");
	becomes("own:/proc/8/stat", "secret", "");
	becomes("own:/proc/8/stat", ") (", "");
	becomes("/proc/8/stat", "8 (secret) S 1 secret", "10000004 (-) S 0\n");
	becomes("/proc/8/stat", "99999999 (secret) S 1 2", "0 (-) S 0 0\n");
}

/* A path of a record, and of this machine. */
static void is_path_of(const char *recorded, const char *real)
{
	char *path = unc_record_private_path(&private, recorded);

	CU_ASSERT_PTR_NOT_NULL_FATAL(path);
	CU_ASSERT_STRING_EQUAL(path, real);
	free(path);
}

TEST(numbers_of_processes_are_others_but_for_those_the_caller_named)
{
	is_path_of("/proc/700/task/701/stat", "/proc/700/task/701/stat"); /* llc --pid 700 */
	unc_record_private_name(&private, 55);                            /* COMMAND */
	becomes("/proc/700/task/700/children", "55 812 1 700 813 ", "55 10000004 1 700 10000005 ");
	becomes("/proc/700/task/700/children", "812 secret 7", "10000004 ");
	is_path_of("own:/proc/10000004/task/10000005/status", "own:/proc/812/task/813/status");
	is_path_of("own:/proc/COMMAND/task/10000005/status", "own:/proc/COMMAND/task/813/status");
	is_path_of("/proc/10000004", "/proc/812");
	is_path_of("/sys/10000004", "/sys/10000004");
	becomes("/var/lock/libpqos", " 812 4242 secret", "10000004 4242\n");
	becomes("/var/lock/libpqos", "secret", "");
	becomes("/proc/sysvipc/shm",
		"       key      shmid perms                  size  cpid  lpid nattch   uid   gid\n"
		"     -9431      32768  1600                 16384   812   813      2  1000  1000  1000  1000\n",
		"0 32768 0 0 10000004 0 2\n");
}

TEST(a_file_without_a_rule_is_not_in_a_record)
{
	static const char *const paths[] = {"/etc/hostname",
					    "/proc/812/cmdline",
					    "/proc/812/environ",
					    "/sys/class/dmi/id/product_serial",
					    "/sys/fs/resctrl/tasks",
					    "/sys/bus/event_source/devices/cpu/type",
					    ""};
	size_t len;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		CU_ASSERT_PTR_NULL(keep(paths[i], "secret", 6, &len));
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(ctx), "there is no rule"));
}

TEST(of_resctrl_what_is_compared_is_kept)
{
	size_t len;

	becomes("/proc/mounts", "r /r resctrl rw 0 0", "- /r resctrl  0 0\n");
	becomes("/r/job/tasks", "812\n813\n", "10000001\n10000002\n");
	becomes("/proc/1/root/r/job/cpus_list", "0-3\nsecret", "0-3\n");
	becomes("/r/mon_groups/x/mon_hw_id", "7\n", "7\n");
	becomes("/r/job/mon_data/mon_L3_00/llc_occupancy", "Unavailable\nsecret", "Unavailable\n");
	becomes("/r/info/L3_MON/mon_features", "llc_occupancy\nsecret\nmbm_total_bytes\n",
		"llc_occupancy\nmbm_total_bytes\n");
	CU_ASSERT_PTR_NULL(keep("/r/job/schemata", "secret", 6, &len));
	CU_ASSERT_PTR_NULL(keep("/rr/job/tasks", "812", 3, &len));
}

/* Names as unc_os_dir_list() gives them: one allocation. */
static void names_become(const char *path, const char *before, const char *after)
{
	size_t n = 0, size = strlen(before) + 1, k = 0;
	char joined[400] = "", *copy, *rest, *name;
	const char *const *names;
	const char **list = malloc(64 * sizeof(*list) + size);
	int rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(list);
	copy = (char *)(list + 64);
	memcpy(copy, before, size);
	for (rest = copy; (name = unc_text_cut(&rest, ' ')) != NULL;)
		list[n++] = name;
	names = list;
	rc = unc_record_keep_names(ctx, &private, path, &names, &n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		k += (size_t)snprintf(joined + k, sizeof(joined) - k, "%s%s", i ? " " : "", names[i]);
	CU_ASSERT_STRING_EQUAL(rc == 0 ? joined : "no rule", after);
	if (rc == 0)
		free((void *)names);
}

TEST(of_folders_the_names_that_are_looked_for_are_kept)
{
	names_become("/proc", "1 812 813 99999999 self secret 7x", "1 10000001 10000002");
	names_become("/proc/10000001/task", "812 814", "10000001 10000003");
	names_become("/proc/10000001/fd", "0 1 2", "0 1 2");
	names_become("/sys", "kernel secret", "");
	names_become("/dev/cpu", "0 1", "");
	names_become("/sys/bus/event_source/devices", "cpu secret uncore_imc_0", "uncore_imc_0");
	names_become("/sys/firmware/dmi/entries", "0-0 1-0 17-0 17-1", "17-0 17-1");
	names_become("/home", "alice", "no rule");
	names_become("/r/mon_groups", "job", "no rule");
	becomes("/proc/mounts", "r /r resctrl rw 0 0", "- /r resctrl  0 0\n");
	names_become("/r/mon_groups", "job", "job");
}

static void link_becomes(const char *path, const char *before, const char *after)
{
	char *text = unc_text_dup(before);
	int rc = unc_record_keep_link(ctx, path, &text);

	CU_ASSERT_STRING_EQUAL(rc == 0 ? text : "no rule", after);
	if (rc == 0)
		free(text);
}

TEST(of_a_link_what_is_looked_for_is_kept)
{
	link_becomes("/proc/812/fd/4", "/home/alice/x", "");
	link_becomes("/proc/812/fd/4", "anon_inode:[eventpoll]", "");
	link_becomes("/proc/812/fd/4", "anon_inode:[perf_event]", "anon_inode:[perf_event]");
	link_becomes("/sys/bus/pci/devices/0000:ff:10.4/driver", "../secret/snbep_uncore", "snbep_uncore");
	link_becomes("/sys/bus/pci/devices/0000:ff:10.4/driver", "snbep_uncore", "snbep_uncore");
	link_becomes("/proc/812/exe", "/home/alice/x", "no rule");
}
