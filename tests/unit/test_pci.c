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

struct bench {
	struct unc_ctx ctx;
	struct tree tree;
	struct unc_linux_root root;
	struct unc_bus *bus;
	unsigned open_before;
};

static const char *config_name(const char *function)
{
	static char name[128];

	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/config", function);
	return name;
}

/* Byte i of a configuration space is i, plus mark. */
static void add_function(struct bench *bench, const char *function, size_t len, unsigned char mark)
{
	unsigned char bytes[4096];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)(i + mark);
	tree_bytes(&bench->tree, config_name(function), bytes, len);
}

static void start(struct bench *bench)
{
	*bench = (struct bench){.ctx = {.msg = ""}, .tree = tree_new()};
	add_function(bench, "0000:ff:10.0", 256, 0);
	bench->root = tree_as_root(&bench->tree);
	bench->open_before = open_files();
}

static void open_bus(struct bench *bench, bool writable)
{
	CU_ASSERT_EQUAL_FATAL(unc_linux_pci_open(&bench->ctx, &bench->root, writable, &bench->bus), UNC_OK);
}

static void stop(struct bench *bench)
{
	unc_bus_close(bench->bus);
	CU_ASSERT_EQUAL(open_files(), bench->open_before);
	unc_linux_root_close(&bench->root);
	tree_remove(&bench->tree);
}

static int try_open(struct bench *bench, const char *function, struct unc_space **ret_space)
{
	struct unc_addr addr = {0};

	CU_ASSERT_TRUE(unc_addr_parse_pci(function, &addr));
	return unc_space_open(bench->bus, &addr, ret_space);
}

static struct unc_space *open_function(struct bench *bench, const char *function)
{
	struct unc_space *space = NULL;

	CU_ASSERT_EQUAL_FATAL(try_open(bench, function, &space), UNC_OK);
	return space;
}

static bool says(const struct bench *bench, const char *part)
{
	if (strstr(bench->ctx.msg, part))
		return true;
	printf("\n    got: %s", bench->ctx.msg);
	return false;
}

TEST(functions_of_all_domains_are_listed_in_order)
{
	static const char *const expected[] = {"0000:00:00.0", "0000:7f:0b.0", "0000:ff:10.0",
					       "0000:ff:10.4", "0001:ff:10.0", "10000:e1:00.0"};
	struct bench bench;
	struct unc_addr *addrs = NULL;
	char text[UNC_ADDR_TEXT];
	size_t n = 0;

	start(&bench);
	for (unsigned i = 6; i-- > 0;)
		add_function(&bench, expected[i], 256, 0);
	tree_dir(&bench.tree, "sys/bus/pci/devices/something");
	tree_dir(&bench.tree, "sys/bus/pci/devices/0000:ff:10.8");
	tree_dir(&bench.tree, "sys/bus/pci/devices/ff:10.1");
	tree_dir(&bench.tree, "sys/bus/pci/devices/0000:FF:10.1");
	open_bus(&bench, false);
	CU_ASSERT_EQUAL_FATAL(unc_bus_list(bench.bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 6);
	for (size_t i = 0; i < n; i++)
		CU_ASSERT_STRING_EQUAL(unc_addr_text(&addrs[i], text), expected[i]);
	free(addrs);
	stop(&bench);
}

TEST(an_empty_bus_is_a_list_of_nothing)
{
	struct bench bench;
	struct unc_addr *addrs = NULL;
	size_t n = 7;

	start(&bench);
	CU_ASSERT_EQUAL(unlink(tree_path(&bench.tree, config_name("0000:ff:10.0")).text), 0);
	CU_ASSERT_EQUAL(rmdir(tree_path(&bench.tree, "sys/bus/pci/devices/0000:ff:10.0").text), 0);
	open_bus(&bench, false);
	CU_ASSERT_EQUAL(unc_bus_list(bench.bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL(n, 0);
	free(addrs);
	stop(&bench);
}

TEST(a_tree_without_pci_says_which_folder_is_missing)
{
	struct tree none = tree_new();
	struct unc_linux_root root = tree_as_root(&none);
	struct bench bench;

	start(&bench);
	CU_ASSERT_EQUAL(unc_linux_pci_open(&bench.ctx, &root, false, &bench.bus), UNC_ENODEV);
	CU_ASSERT_TRUE(says(&bench, tree_path(&none, "sys/bus/pci/devices").text));
	CU_ASSERT_STRING_EQUAL(bench.ctx.os_name, "ENOENT");
	stop(&bench);
	unc_linux_root_close(&root);
	tree_remove(&none);
}

TEST(reads_are_the_bytes_of_the_file)
{
	struct bench bench;
	struct unc_space *space;
	unsigned char block[256];
	uint32_t value = 0;

	start(&bench);
	open_bus(&bench, false);
	space = open_function(&bench, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, 0xa3a2a1a0);
	CU_ASSERT_EQUAL(unc_read32(space, 0xfc, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, 0xfffefdfc);
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, sizeof(block)), UNC_OK);
	for (unsigned i = 0; i < sizeof(block); i++)
		CU_ASSERT_EQUAL(block[i], i);
	CU_ASSERT_EQUAL(unc_read32(space, 0x100, &value), UNC_ERANGE);
	unc_space_close(space);
	stop(&bench);
}

TEST(a_space_is_as_long_as_its_file_says)
{
	static const struct {
		size_t file;
		uint64_t len;
	} cases[] = {{64, 256}, {256, 256}, {4095, 256}, {4096, 4096}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;
		struct unc_space *space;
		uint32_t value = 0;

		start(&bench);
		add_function(&bench, "0000:00:01.0", cases[i].file, 0);
		open_bus(&bench, false);
		space = open_function(&bench, "0000:00:01.0");
		CU_ASSERT_EQUAL(unc_read32(space, 0xffc, &value), cases[i].len == 4096 ? UNC_OK : UNC_ERANGE);
		CU_ASSERT_EQUAL(space->len, cases[i].len);
		CU_ASSERT_EQUAL(unc_read32(space, 0x100, &value), cases[i].len == 4096 ? UNC_OK : UNC_ERANGE);
		unc_space_close(space);
		stop(&bench);
	}
}

TEST(functions_and_domains_are_not_mixed_up)
{
	static const char *const functions[] = {"0000:ff:10.0", "0001:ff:10.0", "10000:ff:10.0",   "0000:ff:10.1",
						"0000:7f:10.0", "0000:ff:11.0", "fffffffe:ff:10.0"};
	struct unc_space *spaces[7];
	struct bench bench;
	uint32_t value;

	start(&bench);
	for (unsigned i = 0; i < 7; i++)
		add_function(&bench, functions[i], 256, (unsigned char)(i * 16));
	open_bus(&bench, true);
	for (unsigned i = 0; i < 7; i++)
		spaces[i] = open_function(&bench, functions[i]);
	for (unsigned i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(unc_write32(spaces[i], 0xf4, 0x1000 + i), UNC_OK);
	for (unsigned i = 7; i-- > 0;) {
		CU_ASSERT_EQUAL(unc_read32(spaces[i], 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(value & 0xff, i * 16);
		CU_ASSERT_EQUAL(unc_read32(spaces[i], 0xf4, &value), UNC_OK);
		CU_ASSERT_EQUAL(value, 0x1000 + i);
		unc_space_close(spaces[i]);
	}
	stop(&bench);
}

TEST(a_write_changes_its_four_bytes_in_the_file)
{
	struct bench bench;
	struct unc_space *space;
	unsigned char bytes[256];
	int fd;

	start(&bench);
	open_bus(&bench, true);
	space = open_function(&bench, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 0x00010100), UNC_OK);
	unc_space_close(space);
	fd = open(tree_path(&bench.tree, config_name("0000:ff:10.0")).text, O_RDONLY);
	CU_ASSERT_EQUAL(read(fd, bytes, sizeof(bytes)), 256);
	close(fd);
	CU_ASSERT_EQUAL(memcmp(bytes + 0xf3, "\xf3\x00\x01\x01\x00\xf8", 6), 0);
	stop(&bench);
}

TEST(the_file_is_opened_once_at_once_as_asked_for_and_closed_on_exec)
{
	for (int writable = 0; writable < 2; writable++) {
		struct bench bench;
		struct unc_space *space;
		uint32_t value;
		int fd;

		start(&bench);
		open_bus(&bench, writable);
		CU_ASSERT_EQUAL(open_files(), bench.open_before);
		space = open_function(&bench, "0000:ff:10.0");
		CU_ASSERT_EQUAL(open_files(), bench.open_before + 1);
		fd = find_descriptor("0000:ff:10.0/config");
		CU_ASSERT_TRUE_FATAL(fd >= 0);
		CU_ASSERT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		CU_ASSERT_EQUAL(fcntl(fd, F_GETFL) & O_ACCMODE, writable ? O_RDWR : O_RDONLY);
		CU_ASSERT_EQUAL(unc_read32(space, 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 1), writable ? UNC_OK : UNC_EDENIED);
		CU_ASSERT_EQUAL(unc_read32(space, 0xf4, &value), UNC_OK);
		CU_ASSERT_EQUAL(value, writable ? 1 : 0xf7f6f5f4);
		CU_ASSERT_EQUAL(open_files(), bench.open_before + 1);
		CU_ASSERT_EQUAL(find_descriptor("0000:ff:10.0/config"), fd);
		unc_space_close(space);
		stop(&bench);
	}
}

TEST(a_function_that_is_gone_is_enodev_with_its_file)
{
	struct bench bench;
	struct unc_space *space = NULL;
	struct tree_path config;

	start(&bench);
	open_bus(&bench, true);
	config = tree_path(&bench.tree, config_name("0000:ff:10.0"));
	unlink(config.text);
	CU_ASSERT_EQUAL(try_open(&bench, "0000:ff:10.0", &space), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(space);
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.0: "));
	CU_ASSERT_TRUE(says(&bench, config.text));
	CU_ASSERT_STRING_EQUAL(bench.ctx.os_name, "ENOENT");
	CU_ASSERT_EQUAL(try_open(&bench, "0000:ff:11.0", &space), UNC_ENODEV);
	stop(&bench);
}

TEST(another_kind_of_space_is_refused)
{
	struct unc_addr cpu = {.kind = UNC_MSR};
	struct unc_space *space = NULL;
	struct bench bench;

	start(&bench);
	open_bus(&bench, false);
	CU_ASSERT_EQUAL(unc_space_open(bench.bus, &cpu, &space), UNC_EARG);
	stop(&bench);
}

TEST(a_file_of_64_bytes_says_that_more_needs_root)
{
	struct bench bench;
	struct unc_space *space;
	uint32_t value = 0;
	unsigned char block[16];

	start(&bench);
	add_function(&bench, "0000:ff:10.0", 64, 0);
	open_bus(&bench, false);
	space = open_function(&bench, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_read32(space, 0x3c, &value), UNC_OK);
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EPERM);
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.0: read 0xa0: only the first 64 bytes can be read: "));
	CU_ASSERT_TRUE(says(&bench, "root"));
	CU_ASSERT_STRING_EQUAL(unc_err_name(&bench.ctx, UNC_EPERM), "EPERM");
	CU_ASSERT_EQUAL(unc_read_block(space, 0x38, block, 16), UNC_EPERM);
	unc_space_close(space);
	stop(&bench);
}

TEST(a_read_that_comes_back_short_is_an_error_and_no_value)
{
	struct bench bench;
	struct unc_space *space;
	uint32_t value = 0x1234;
	unsigned char block[16];

	start(&bench);
	add_function(&bench, "0000:ff:10.0", 0xa2, 0);
	open_bus(&bench, false);
	space = open_function(&bench, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	CU_ASSERT_EQUAL(value, 0x1234);
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.0: read 0xa0: "));
	CU_ASSERT_STRING_EQUAL(unc_err_name(&bench.ctx, UNC_EIO), "EIO");
	CU_ASSERT_EQUAL(unc_read_block(space, 0x98, block, 16), UNC_EIO);
	CU_ASSERT_EQUAL(unc_read32(space, 0x9c, &value), UNC_OK);
	unc_space_close(space);
	stop(&bench);
}

/* A configuration file that is a link to something which fails. */
static void add_link(struct bench *bench, const char *function, const char *target)
{
	struct tree_path config = tree_path(&bench->tree, config_name(function));

	add_function(bench, function, 0, 0);
	unlink(config.text);
	CU_ASSERT_EQUAL_FATAL(symlink(target, config.text), 0);
}

TEST(the_systems_name_of_a_failure_is_kept)
{
	struct bench bench;
	struct unc_space *space;
	uint32_t value = 0;

	start(&bench);
	root_as_computer(&bench.root, &bench.open_before);
	add_link(&bench, "0000:ff:10.1", "/proc/self/mem"); /* nothing is mapped at 0xa0: EIO */
	add_link(&bench, "0000:ff:10.2", "/dev/full");      /* every write: ENOSPC */
	open_bus(&bench, true);
	space = open_function(&bench, "0000:ff:10.1");
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(bench.ctx.os_name, "EIO");
	CU_ASSERT_STRING_EQUAL(bench.ctx.msg, "pci 0000:ff:10.1: read 0xa0: Input/output error");
	unc_space_close(space);
	space = open_function(&bench, "0000:ff:10.2");
	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 1), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(bench.ctx.os_name, "ENOSPC");
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.2: write 0xf4: "));
	unc_space_close(space);
	stop(&bench);
}

TEST(a_write_that_is_cut_short_is_an_error)
{
	struct rlimit before, cut;
	struct bench bench;
	struct unc_space *space;
	int rc;

	start(&bench);
	add_function(&bench, "0000:ff:10.0", 64, 0);
	open_bus(&bench, true);
	space = open_function(&bench, "0000:ff:10.0");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	cut = before;
	cut.rlim_cur = 0xf6;
	setrlimit(RLIMIT_FSIZE, &cut);
	rc = unc_write32(space, 0xf4, 1);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	CU_ASSERT_EQUAL(rc, UNC_EIO);
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.0: write 0xf4: fewer bytes"));
	unc_space_close(space);
	stop(&bench);
}

TEST(one_opener_has_a_function_at_a_time)
{
	struct bench bench;
	struct unc_space *a, *b, *other;
	struct unc_bus *first, *second;

	start(&bench);
	add_function(&bench, "0000:ff:10.1", 256, 0);
	open_bus(&bench, true);
	first = bench.bus;
	a = open_function(&bench, "0000:ff:10.0");
	open_bus(&bench, true);
	second = bench.bus;
	b = open_function(&bench, "0000:ff:10.0");
	other = open_function(&bench, "0000:ff:10.1");
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(b, 0, 0, UNC_CLAIM_TAKE), UNC_EBUSY);
	CU_ASSERT_TRUE(says(&bench, "pci 0000:ff:10.0: another program holds a lock on "));
	CU_ASSERT_TRUE(says(&bench, "fuser -v "));
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	/* Who only reads may ask, and takes nothing by that. */
	open_bus(&bench, false);
	unc_space_close(other);
	other = open_function(&bench, "0000:ff:10.0");
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_ASK), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_TAKE), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_LEAVE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(other, 0, 0, UNC_CLAIM_ASK), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(b, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_ASK), UNC_EBUSY);
	unc_space_close(b);
	CU_ASSERT_EQUAL(unc_space_claim(a, 0, 0, UNC_CLAIM_ASK), UNC_OK);
	unc_space_close(a);
	unc_space_close(other);
	unc_bus_close(first);
	unc_bus_close(second);
	stop(&bench);
}

TEST(hundreds_of_functions_can_be_open_at_once)
{
	enum { N = 256 };
	static struct unc_space *spaces[N];
	struct bench bench;
	char function[32];
	uint32_t value;

	start(&bench);
	for (unsigned i = 0; i < N; i++) {
		snprintf(function, sizeof(function), "0000:40:%02x.%x", i / 8, i % 8);
		add_function(&bench, function, 256, (unsigned char)i);
	}
	open_bus(&bench, false);
	for (unsigned i = 0; i < N; i++) {
		snprintf(function, sizeof(function), "0000:40:%02x.%x", i / 8, i % 8);
		spaces[i] = open_function(&bench, function);
	}
	CU_ASSERT_EQUAL(open_files(), bench.open_before + N);
	for (unsigned i = 0; i < N; i++) {
		CU_ASSERT_EQUAL(unc_read32(spaces[i], 0, &value), UNC_OK);
		CU_ASSERT_EQUAL(value & 0xff, i);
		unc_space_close(spaces[i]);
	}
	stop(&bench);
}

/* In a child that is not root: 0 when opening is refused with a sentence that has all it should. */
static int open_as_nobody(void *arg)
{
	struct bench *bench = arg;
	struct unc_space *space = NULL;

	if (try_open(bench, "0000:ff:10.0", &space) != UNC_EPERM)
		return 1;
	if (strcmp(bench->ctx.os_name, "EACCES") != 0)
		return 2;
	if (!strstr(bench->ctx.msg, "0000:ff:10.0/config"))
		return 3;
	if (!strstr(bench->ctx.msg, bench->bus->writable ? "for writing" : "for reading"))
		return 4;
	return strstr(bench->ctx.msg, "needs root") ? 0 : 5;
}

TEST(who_is_not_root_reads_what_to_do)
{
	for (int writable = 0; writable < 2; writable++) {
		struct bench bench;
		int rc;

		start(&bench);
		open_bus(&bench, writable);
		chmod(tree_path(&bench.tree, config_name("0000:ff:10.0")).text, writable ? 0444 : 0000);
		rc = run_as_nobody(open_as_nobody, &bench);
		if (rc == -1)
			printf("\n    skipped: cannot become another user");
		else
			CU_ASSERT_EQUAL(rc, 0);
		stop(&bench);
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
