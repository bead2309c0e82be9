// SPDX-License-Identifier: GPL-2.0-or-later
/* The real pci.c and the real libpci, against a folder of plain files. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/write.h"
#include "base/err.h"
#include "treeroot.h"

#include <signal.h>
#include <sys/resource.h>

#include "test.h"

static const char *config_name(const char *function)
{
	static char name[128];

	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/config", function);
	return name;
}

/* Byte i of a configuration space is i, plus mark. */
static void add_function(const char *function, size_t len, unsigned char mark)
{
	unsigned char bytes[4096];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)(i + mark);
	tree_bytes(&desk.tree, config_name(function), bytes, len);
}

static void start(void)
{
	desk_begin();
	add_function("0000:ff:10.0", 256, 0);
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
	desk_bus(unc_linux_pci_open, writable);
}

static struct unc_addr addr_of(const char *function)
{
	struct unc_addr addr = {0};

	CU_ASSERT_TRUE(unc_addr_parse_pci(function, &addr));
	return addr;
}

static int try_open(const char *function, struct unc_space **ret_space)
{
	struct unc_addr addr = addr_of(function);

	return unc_space_open(desk.bus, &addr, ret_space);
}

static struct unc_space *open_function(const char *function)
{
	return desk_space(desk.bus, addr_of(function));
}

/* The same on a bus that is opened for it. */
static struct unc_space *opened(bool writable, const char *function)
{
	open_bus(writable);
	return open_function(function);
}

TEST(functions_of_all_domains_are_listed_in_order)
{
	static const char *const expected[] = {"0000:00:00.0", "0000:7f:0b.0", "0000:ff:10.0",
					       "0000:ff:10.4", "0001:ff:10.0", "10000:e1:00.0"};
	struct unc_addr *addrs = NULL;
	char text[UNC_ADDR_TEXT];
	size_t n = 0;

	for (unsigned i = 6; i-- > 0;)
		add_function(expected[i], 256, 0);
	tree_dir(&desk.tree, "sys/bus/pci/devices/something");
	tree_dir(&desk.tree, "sys/bus/pci/devices/0000:ff:10.8");
	tree_dir(&desk.tree, "sys/bus/pci/devices/ff:10.1");
	tree_dir(&desk.tree, "sys/bus/pci/devices/0000:FF:10.1");
	open_bus(false);
	CU_ASSERT_EQUAL_FATAL(unc_bus_list(desk.bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 6);
	for (size_t i = 0; i < n; i++)
		CU_ASSERT_STRING_EQUAL(unc_addr_text(&addrs[i], text), expected[i]);
	free(addrs);
}

TEST(an_empty_bus_is_a_list_of_nothing)
{
	struct unc_addr *addrs = NULL;
	size_t n = 7;

	CU_ASSERT_EQUAL(unlink(tree_path(&desk.tree, config_name("0000:ff:10.0")).text), 0);
	CU_ASSERT_EQUAL(rmdir(tree_path(&desk.tree, "sys/bus/pci/devices/0000:ff:10.0").text), 0);
	open_bus(false);
	CU_ASSERT_EQUAL(unc_bus_list(desk.bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL(n, 0);
	free(addrs);
}

TEST(a_tree_without_pci_says_which_folder_is_missing)
{
	struct tree none = tree_new();
	struct unc_linux_root root = tree_as_root(&none);

	REFUSED(UNC_ENODEV, unc_linux_pci_open(&desk.ctx, &root, false, &desk.bus),
		tree_path(&none, "sys/bus/pci/devices").text);
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "ENOENT");
	unc_linux_root_close(&root);
	tree_remove(&none);
}

TEST(reads_are_the_bytes_of_the_file)
{
	struct unc_space *space = opened(false, "0000:ff:10.0");
	unsigned char block[256];
	uint32_t value = 0;

	reads32(space, 0xa0, 0xa3a2a1a0);
	reads32(space, 0xfc, 0xfffefdfc);
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, sizeof(block)), UNC_OK);
	for (unsigned i = 0; i < sizeof(block); i++)
		CU_ASSERT_EQUAL(block[i], i);
	CU_ASSERT_EQUAL(unc_read32(space, 0x100, &value), UNC_ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(desk.ctx.msg, "only the first 256 bytes of it can be reached"));
}

TEST(a_space_is_as_long_as_its_file_says)
{
	static const struct {
		size_t file;
		uint64_t len;
	} cases[] = {{64, 256}, {256, 256}, {4095, 256}, {4096, 4096}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_space *space;
		uint32_t value = 0;

		anew();
		add_function("0000:00:01.0", cases[i].file, 0);
		space = opened(false, "0000:00:01.0");
		CU_ASSERT_EQUAL(unc_read32(space, 0xffc, &value), cases[i].len == 4096 ? UNC_OK : UNC_ERANGE);
		CU_ASSERT_EQUAL(space->len, cases[i].len);
		CU_ASSERT_EQUAL(unc_read32(space, 0x100, &value), cases[i].len == 4096 ? UNC_OK : UNC_ERANGE);
	}
}

TEST(functions_and_domains_are_not_mixed_up)
{
	static const char *const functions[] = {"0000:ff:10.0", "0001:ff:10.0", "10000:ff:10.0",   "0000:ff:10.1",
						"0000:7f:10.0", "0000:ff:11.0", "fffffffe:ff:10.0"};
	struct unc_space *spaces[7];
	uint32_t value;

	for (unsigned i = 0; i < 7; i++)
		add_function(functions[i], 256, (unsigned char)(i * 16));
	open_bus(true);
	for (unsigned i = 0; i < 7; i++)
		spaces[i] = open_function(functions[i]);
	for (unsigned i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(unc_write32(spaces[i], 0xf4, 0x1000 + i), UNC_OK);
	for (unsigned i = 7; i-- > 0;) {
		CU_ASSERT_EQUAL(unc_read32(spaces[i], 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(value & 0xff, i * 16);
		reads32(spaces[i], 0xf4, 0x1000 + i);
	}
}

TEST(a_write_changes_its_four_bytes_in_the_file)
{
	struct unc_space *space = opened(true, "0000:ff:10.0");
	unsigned char bytes[256];
	int fd;

	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 0x00010100), UNC_OK);
	fd = open(tree_path(&desk.tree, config_name("0000:ff:10.0")).text, O_RDONLY);
	CU_ASSERT_EQUAL(read(fd, bytes, sizeof(bytes)), 256);
	close(fd);
	CU_ASSERT_EQUAL(memcmp(bytes + 0xf3, "\xf3\x00\x01\x01\x00\xf8", 6), 0);
}

TEST(the_file_is_opened_once_at_once_as_asked_for_and_closed_on_exec)
{
	for (int writable = 0; writable < 2; writable++) {
		struct unc_space *space;
		uint32_t value;
		int fd;

		anew();
		open_bus(writable);
		CU_ASSERT_EQUAL(open_files(), desk.open_before);
		space = open_function("0000:ff:10.0");
		CU_ASSERT_EQUAL(open_files(), desk.open_before + 1);
		fd = find_descriptor("0000:ff:10.0/config");
		CU_ASSERT_TRUE_FATAL(fd >= 0);
		CU_ASSERT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		CU_ASSERT_EQUAL(fcntl(fd, F_GETFL) & O_ACCMODE, writable ? O_RDWR : O_RDONLY);
		CU_ASSERT_EQUAL(unc_read32(space, 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 1), writable ? UNC_OK : UNC_EDENIED);
		reads32(space, 0xf4, writable ? 1 : 0xf7f6f5f4);
		CU_ASSERT_EQUAL(open_files(), desk.open_before + 1);
		CU_ASSERT_EQUAL(find_descriptor("0000:ff:10.0/config"), fd);
	}
}

TEST(a_function_that_is_gone_is_enodev_with_its_file)
{
	struct tree_path config = tree_path(&desk.tree, config_name("0000:ff:10.0"));
	struct unc_space *space = NULL;

	open_bus(true);
	unlink(config.text);
	REFUSED(UNC_ENODEV, try_open("0000:ff:10.0", &space), "pci 0000:ff:10.0: ", config.text);
	CU_ASSERT_PTR_NULL(space);
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "ENOENT");
	CU_ASSERT_EQUAL(try_open("0000:ff:11.0", &space), UNC_ENODEV);
}

TEST(another_kind_of_space_is_refused)
{
	struct unc_addr cpu = {.kind = UNC_MSR};
	struct unc_space *space = NULL;

	open_bus(false);
	CU_ASSERT_EQUAL(unc_space_open(desk.bus, &cpu, &space), UNC_EARG);
}

TEST(a_file_of_64_bytes_says_that_more_needs_root)
{
	struct unc_space *space;
	uint32_t value = 0;
	unsigned char block[16];

	add_function("0000:ff:10.0", 64, 0);
	space = opened(false, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_read32(space, 0x3c, &value), UNC_OK);
	REFUSED(UNC_EPERM, unc_read32(space, 0xa0, &value),
		"pci 0000:ff:10.0: read 0xa0: only the first 64 bytes can be read: ", "root");
	CU_ASSERT_STRING_EQUAL(unc_err_name(&desk.ctx, UNC_EPERM), "EPERM");
	CU_ASSERT_EQUAL(unc_read_block(space, 0x38, block, 16), UNC_EPERM);
}

TEST(a_read_that_comes_back_short_is_an_error_and_no_value)
{
	struct unc_space *space;
	uint32_t value = 0x1234;
	unsigned char block[16];

	add_function("0000:ff:10.0", 0xa2, 0);
	space = opened(false, "0000:ff:10.0");
	REFUSED(UNC_EIO, unc_read32(space, 0xa0, &value), "pci 0000:ff:10.0: read 0xa0: ");
	CU_ASSERT_EQUAL(value, 0x1234);
	CU_ASSERT_STRING_EQUAL(unc_err_name(&desk.ctx, UNC_EIO), "EIO");
	CU_ASSERT_EQUAL(unc_read_block(space, 0x98, block, 16), UNC_EIO);
	CU_ASSERT_EQUAL(unc_read32(space, 0x9c, &value), UNC_OK);
}

/* A configuration file that is a link to something which fails. */
static void add_link(const char *function, const char *target)
{
	struct tree_path config = tree_path(&desk.tree, config_name(function));

	add_function(function, 0, 0);
	unlink(config.text);
	CU_ASSERT_EQUAL_FATAL(symlink(target, config.text), 0);
}

TEST(the_systems_name_of_a_failure_is_kept)
{
	struct unc_space *space;
	uint32_t value = 0;

	root_as_computer(&desk.root, &desk.open_before);
	add_link("0000:ff:10.1", "/proc/self/mem"); /* nothing is mapped at 0xa0: EIO */
	add_link("0000:ff:10.2", "/dev/full");      /* every write: ENOSPC */
	space = opened(true, "0000:ff:10.1");
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "EIO");
	CU_ASSERT_STRING_EQUAL(desk.ctx.msg, "pci 0000:ff:10.1: read 0xa0: Input/output error");
	space = open_function("0000:ff:10.2");
	REFUSED(UNC_EIO, unc_write32(space, 0xf4, 1), "pci 0000:ff:10.2: write 0xf4: ");
	CU_ASSERT_STRING_EQUAL(desk.ctx.os_name, "ENOSPC");
}

TEST(a_write_that_is_cut_short_is_an_error)
{
	struct rlimit before, cut;
	struct unc_space *space;
	int rc;

	add_function("0000:ff:10.0", 64, 0);
	space = opened(true, "0000:ff:10.0");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	cut = before;
	cut.rlim_cur = 0xf6;
	setrlimit(RLIMIT_FSIZE, &cut);
	rc = unc_write32(space, 0xf4, 1);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	REFUSED(UNC_EIO, rc, "pci 0000:ff:10.0: write 0xf4: fewer bytes");
}

TEST(one_opener_has_a_function_at_a_time)
{
	struct unc_space *a, *b, *other;

	add_function("0000:ff:10.1", 256, 0);
	a = opened(true, "0000:ff:10.0");
	b = opened(true, "0000:ff:10.0");
	other = open_function("0000:ff:10.1");
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	REFUSED(UNC_EBUSY, unc_space_claim(b, 0, 0, UNC_CLAIM_TAKE),
		"pci 0000:ff:10.0: another program holds a lock on ", "fuser -v ");
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	/* Who only reads may ask, and takes nothing by that. */
	other = opened(false, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_ASK), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_TAKE), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_LEAVE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_ASK), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(b, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_ASK), UNC_EBUSY);
	desk_close(b);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_ASK), UNC_OK);
}

TEST(hundreds_of_functions_can_be_open_at_once)
{
	enum { N = 256 };
	static struct unc_space *spaces[N];
	uint32_t value;

	open_bus(false);
	for (unsigned i = 0; i < N; i++) {
		char function[32];

		snprintf(function, sizeof(function), "0000:40:%02x.%x", i / 8, i % 8);
		add_function(function, 256, (unsigned char)i);
		spaces[i] = open_function(function);
	}
	CU_ASSERT_EQUAL(open_files(), desk.open_before + N);
	for (unsigned i = 0; i < N; i++) {
		CU_ASSERT_EQUAL(unc_read32(spaces[i], 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(value & 0xff, i);
	}
}

/* In a child that is not root: 0 when opening is refused with a sentence that has all it should. */
static int open_as_nobody(void *arg)
{
	struct unc_space *space = NULL;

	(void)arg;
	if (try_open("0000:ff:10.0", &space) != UNC_EPERM || strcmp(desk.ctx.os_name, "EACCES") != 0)
		return 1;
	return says("0000:ff:10.0/config") && says(desk.bus->writable ? "for writing" : "for reading") &&
			       says("needs root")
		       ? 0
		       : 2;
}

TEST(who_is_not_root_reads_what_to_do)
{
	for (int writable = 0; writable < 2; writable++) {
		anew();
		open_bus(writable);
		chmod(tree_path(&desk.tree, config_name("0000:ff:10.0")).text, writable ? 0444 : 0000);
		passes_as_nobody(open_as_nobody, NULL);
	}
}

TEST(a_root_with_an_endless_name_is_refused)
{
	static char path[5000];
	struct unc_linux_root root = {.fd = -1};
	struct unc_ctx ctx = {.msg = ""};

	memset(path, 'x', sizeof(path) - 1);
	CU_ASSERT_EQUAL(unc_linux_root_open(&ctx, path, &root), UNC_EARG);
	CU_ASSERT_PTR_NULL(root.path);
}
