// SPDX-License-Identifier: GPL-2.0-or-later
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "access/record_private.h"

static void becomes(const char *path, const char *before, const char *after)
{
	char text[400];
	size_t len;

	snprintf(text, sizeof(text), "%s", before);
	len = unc_record_cut_private(path, text, strlen(before));
	CU_ASSERT_STRING_EQUAL(text, after);
	CU_ASSERT_EQUAL(len, strlen(after));
}

static void of_mounts_only_resctrl_is_kept(void)
{
	static const char mounts[] = "server:/home/alice /mnt nfs rw 0 0\n"
				     "resctrl /sys/fs/resctrl resctrl rw 0 0\n"
				     "resctrl resctrl tmpfs rw 0 0\n"
				     "none\n\n"
				     "a /b/my\\040c resctrl ro 0 0";
	static const char kept[] = "resctrl /sys/fs/resctrl resctrl rw 0 0\n"
				   "a /b/my\\040c resctrl ro 0 0";

	becomes("/proc/mounts", mounts, kept);
	becomes("/proc/1/mounts", mounts, kept);
	becomes("/proc/mounts", "", "");
	becomes("/other/mounts", mounts, mounts);
}

static void of_what_is_mounted_at_sys_it_is_kept_how(void)
{
	becomes("/proc/mounts", "sysfs /sys sysfs ro 0 0\nsecret /sysroot ext4 rw 0 0\n /sys \n x /sys",
		"sysfs /sys sysfs ro 0 0\n /sys \n");
}

static void of_ourselves_our_rights_are_kept(void)
{
	becomes("own:/proc/self/status", "Name:\tsecret\nUid:\t0\t0\t0\t0\nGid:\t0\nCapEff:\tff\n",
		"Uid:\t0\t0\t0\t0\nCapEff:\tff\n");
	becomes("own:/proc/1/cgroup", "0::/docker/0123456789abcdef\n", "docker");
	becomes("own:/proc/1/cgroup", "0::/user.slice/alice\n", "");
	becomes("own:/run/.containerenv", "name=\"secret\"\n", "");
}

static void of_a_threads_status_its_cpus_are_kept(void)
{
	becomes("own:/proc/COMMAND/task/7/status",
		"Name:\tsecret\nUid:\t1000\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nx\n",
		"Cpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
	becomes("/proc/5/task/5/status", "Name:\tsecret\n", "");
}

/* A BIOS, a memory device with five strings, the end; and what is behind it. */
static void of_firmwares_tables_memory_is_kept_without_its_numbers(void)
{
	static const char system[] = "\1\6\1\0\1\2secret maker\0secret serial\0", end[] = "\x7f\4\3\0\0",
			  strings[] = "DIMM_A1\0BANK 0\0maker\0serial 7\0asset\0";
	char device[0x28] = {17, 0x28, 2}, text[400];
	size_t len = 0, from;

	device[0x10] = 1;
	device[0x11] = 2;
	device[0x17] = 3;
	device[0x18] = 4;
	device[0x19] = 5;
	memcpy(text, system, sizeof(system));
	from = len = sizeof(system);
	memcpy(text + len, device, sizeof(device));
	len += sizeof(device);
	memcpy(text + len, strings, sizeof(strings));
	len += sizeof(strings);
	memcpy(text + len, end, sizeof(end));
	len += sizeof(end);
	memcpy(text + len, "secret", 7);
	CU_ASSERT_EQUAL(unc_record_cut_private("/sys/firmware/dmi/tables/DMI", text, len + 6), len - from);
	CU_ASSERT(memcmp(text, device, sizeof(device)) == 0);
	CU_ASSERT(memcmp(text + sizeof(device), "DIMM_A1\0BANK 0\0maker\0--------\0-----\0", sizeof(strings)) == 0);
	CU_ASSERT(memcmp(text + sizeof(device) + sizeof(strings), end, sizeof(end)) == 0);
	/* Where it is cut off, it is not kept; nor where a string has a number that there is not. */
	for (len = 0; len < sizeof(device) + sizeof(strings); len++) {
		char part[400];

		memcpy(part, text, len);
		CU_ASSERT_EQUAL(unc_record_cut_private("/sys/firmware/dmi/tables/DMI", part, len), 0);
	}
	text[0x18] = 77;
	CU_ASSERT_EQUAL(unc_record_cut_private("/sys/firmware/dmi/tables/DMI", text, len), len);
}

static void the_command_has_no_name(void)
{
	becomes("own:/proc/COMMAND/stat", "7 (my (odd) name) S 1 2\n", "7 () S 1 2\n");
	becomes("own:/proc/8/stat", "8 () S 1\n", "8 () S 1\n");
	becomes("/proc/8/task/9/stat", "9 (secret) R 1 2\n", "9 () R 1 2\n");
	becomes("own:/proc/8/stat", "no such thing", "no such thing");
	becomes("own:/proc/8/stat", ") (", ") (");
}

static void what_a_descriptor_leads_to_is_nobodys_business(void)
{
	becomes("/proc/812/fd/4", "/home/alice/x", "");
	becomes("/proc/812/fd/4", "anon_inode:[eventpoll]", "");
	becomes("/proc/812/fd/4", "anon_inode:[perf_event]", "anon_inode:[perf_event]");
	becomes("/sys/bus/pci/devices/0000:ff:10.4/driver", "../snbep_uncore", "../snbep_uncore");
}

static void anything_else_is_left_as_it_is(void)
{
	becomes("/proc/8/stat", "8 (pqos) S 1\n", "8 (pqos) S 1\n");
	becomes("/proc/stat", "cpu 1 2\n", "cpu 1 2\n");
}

void test_record_private_suite(void);
void test_record_private_suite(void)
{
	CU_pSuite suite = CU_add_suite("record_private", NULL, NULL);

	CU_ADD_TEST(suite, of_mounts_only_resctrl_is_kept);
	CU_ADD_TEST(suite, of_what_is_mounted_at_sys_it_is_kept_how);
	CU_ADD_TEST(suite, of_ourselves_our_rights_are_kept);
	CU_ADD_TEST(suite, of_a_threads_status_its_cpus_are_kept);
	CU_ADD_TEST(suite, of_firmwares_tables_memory_is_kept_without_its_numbers);
	CU_ADD_TEST(suite, the_command_has_no_name);
	CU_ADD_TEST(suite, what_a_descriptor_leads_to_is_nobodys_business);
	CU_ADD_TEST(suite, anything_else_is_left_as_it_is);
}
