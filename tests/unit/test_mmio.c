// SPDX-License-Identifier: GPL-2.0-or-later
/* mmio.c on a file that takes reads and writes, and on a device that is mapped: /dev/zero, whose pages are ordinary memory. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/write.h"
#include "treeroot.h"

#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "test.h"

struct bench {
	struct unc_ctx ctx;
	struct tree tree;
	struct unc_linux_root root;
	struct unc_bus *bus;
	unsigned open_before;
};

static void start(struct bench *bench, bool writable, const char *content, size_t len)
{
	*bench = (struct bench){.ctx = {.msg = ""}, .tree = tree_new()};
	if (content)
		tree_bytes(&bench->tree, "dev/mem", content, len);
	bench->root = tree_as_root(&bench->tree);
	bench->open_before = open_files();
	if (content)
		CU_ASSERT_EQUAL_FATAL(unc_linux_mmio_open(&bench->ctx, &bench->root, writable, &bench->bus), UNC_OK);
}

static void stop(struct bench *bench)
{
	unc_bus_close(bench->bus);
	CU_ASSERT_EQUAL(open_files(), bench->open_before);
	unc_linux_root_close(&bench->root);
	tree_remove(&bench->tree);
}

static struct unc_space *window(struct bench *bench, uint64_t base, uint64_t len)
{
	const struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = base, .len = len}};
	struct unc_space *space;

	CU_ASSERT_EQUAL_FATAL(unc_space_open(bench->bus, &addr, &space), UNC_OK);
	return space;
}

static char bytes[0x2000];

static void fill(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + (i >> 8));
}

TEST(a_file_is_read_and_written_at_physical_addresses)
{
	struct bench bench;
	struct unc_space *space;
	uint32_t low;
	uint64_t wide;

	fill();
	start(&bench, true, bytes, sizeof(bytes));
	space = window(&bench, 0x1800, 0x60);
	CU_ASSERT_EQUAL(unc_read32(space, 0x40, &low), UNC_OK);
	CU_ASSERT_EQUAL(low, unc_le32(bytes + 0x1840));
	CU_ASSERT_EQUAL(unc_read64(space, 0x38, &wide), UNC_OK);
	CU_ASSERT_EQUAL(wide, unc_le64(bytes + 0x1838));
	CU_ASSERT_EQUAL(unc_write32(space, 0x54, 0x400000), UNC_OK);
	CU_ASSERT_EQUAL(unc_read32(space, 0x54, &low), UNC_OK);
	CU_ASSERT_EQUAL(low, 0x400000);
	CU_ASSERT_EQUAL(unc_read32(space, 0x58, &low), UNC_OK);
	CU_ASSERT_EQUAL(low, unc_le32(bytes + 0x1858));
	unc_space_close(space);
	stop(&bench);
}

TEST(an_access_is_one_whole_register)
{
	struct bench bench;
	struct unc_space *space;
	unsigned char block[16];
	uint64_t wide;

	fill();
	start(&bench, false, bytes, sizeof(bytes));
	space = window(&bench, 0x800, 0x60);
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, sizeof(block)), UNC_EARG);
	CU_ASSERT_EQUAL(unc_read64(space, 0x3c, &wide), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_read64(space, 0x60, &wide), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_write32(space, 0, 0), UNC_EDENIED);
	unc_space_close(space);
	space = window(&bench, 0x1ff8, 0x60);
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_EIO); /* behind its end */
	CU_ASSERT_PTR_NOT_NULL(strstr(bench.ctx.msg, "mmio 0x1ff8"));
	unc_space_close(space);
	stop(&bench);
}

TEST(what_is_no_place_for_registers_is_refused)
{
	static const uint64_t bases[] = {1, 2, INT64_MAX - 3};
	struct bench bench;

	start(&bench, false, bytes, sizeof(bytes));
	for (size_t i = 0; i < 3; i++) {
		struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = bases[i], .len = 0x60}};
		struct unc_space *space;

		CU_ASSERT_EQUAL(unc_space_open(bench.bus, &addr, &space), UNC_ERANGE);
	}
	stop(&bench);
}

TEST(without_the_device_it_says_so)
{
	struct bench bench;

	start(&bench, false, NULL, 0);
	CU_ASSERT_EQUAL(unc_linux_mmio_open(&bench.ctx, &bench.root, false, &bench.bus), UNC_ENODEV);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench.ctx.msg, "CONFIG_DEVMEM"));
	bench.bus = NULL;
	stop(&bench);
}

/* A lock of the addresses themselves, so that two windows of one page do not meet. */
TEST(a_claim_is_seen_by_other_openers)
{
	struct bench bench;
	struct unc_bus *other;
	struct unc_space *mine, *same, *beside;
	const struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = 0x800, .len = 0x60}},
			      next = {.kind = UNC_MMIO, .mmio = {.base = 0x860, .len = 0x60}};

	fill();
	start(&bench, true, bytes, sizeof(bytes));
	CU_ASSERT_EQUAL_FATAL(unc_linux_mmio_open(&bench.ctx, &bench.root, true, &other), UNC_OK);
	mine = window(&bench, 0x800, 0x60);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(other, &addr, &same), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(other, &next, &beside), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(mine, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(same, 0, 0, UNC_CLAIM_TAKE), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_space_claim(beside, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	unc_space_close(mine);
	CU_ASSERT_EQUAL(unc_space_claim(same, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	unc_space_close(same);
	unc_space_close(beside);
	unc_bus_close(other);
	stop(&bench);
}

static void map_zeros(struct bench *bench)
{
	*bench = (struct bench){.ctx = {.msg = ""}, .tree = tree_new()};
	tree_dir(&bench->tree, "dev");
	if (mknod(tree_path(&bench->tree, "dev/mem").text, S_IFCHR | 0600, makedev(1, 5)) < 0)
		return;
	bench->root = tree_as_root(&bench->tree);
	bench->open_before = open_files();
	if (unc_linux_mmio_open(&bench->ctx, &bench->root, true, &bench->bus) < 0) {
		bench->bus = NULL;
		unc_linux_root_close(&bench->root);
	}
}

/* In a container devices cannot be made, or not be opened. */
TEST(a_device_is_mapped)
{
	struct bench bench;
	struct unc_space *space;
	uint64_t wide = 1;
	uint32_t low;

	map_zeros(&bench);
	if (!bench.bus) {
		printf("skip a device is mapped # no device can be made here\n");
		tree_remove(&bench.tree);
		return;
	}
	space = window(&bench, 0xfd0, 0x60); /* on two pages */
	CU_ASSERT_EQUAL(unc_read64(space, 0x38, &wide), UNC_OK);
	CU_ASSERT_EQUAL(wide, 0);
	CU_ASSERT_EQUAL(unc_write32(space, 0x2c, 0x11223344), UNC_OK);
	CU_ASSERT_EQUAL(unc_write32(space, 0x30, 0x55667788), UNC_OK);
	CU_ASSERT_EQUAL(unc_read32(space, 0x2c, &low), UNC_OK);
	CU_ASSERT_EQUAL(low, 0x11223344);
	CU_ASSERT_EQUAL(unc_read64(space, 0x30, &wide), UNC_OK);
	CU_ASSERT_EQUAL(wide, 0x55667788);
	unc_space_close(space);
	stop(&bench);
}

/* Puts a page of an empty file in the place of the mapped one: touching it is a SIGBUS, as that of a page that a driver has taken. */
static bool take_page_away(const struct bench *bench)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long first = 0, end = 0;
	char line[512];
	bool found = false;
	void *page;
	int fd;

	while (!found && maps && fgets(line, sizeof(line), maps))
		found = strstr(line, "/dev/zero") && sscanf(line, "%lx-%lx", &first, &end) == 2;
	if (maps)
		fclose(maps);
	tree_bytes(&bench->tree, "empty", "", 0);
	fd = open(tree_path(&bench->tree, "empty").text, O_RDWR);
	page = found && fd >= 0
		       ? mmap((void *)first, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)
		       : MAP_FAILED;
	close(fd);
	return page != MAP_FAILED;
}

TEST(a_bus_error_is_an_error_of_the_access)
{
	struct bench bench;
	struct unc_space *space;
	uint64_t wide = 7;
	uint32_t low;

	map_zeros(&bench);
	if (!bench.bus) {
		printf("skip a bus error is an error of the access # no device can be made here\n");
		tree_remove(&bench.tree);
		return;
	}
	space = window(&bench, 0, 0x60);
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_OK);
	wide = 7;
	CU_ASSERT_FATAL(take_page_away(&bench));
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_EIO);
	CU_ASSERT_EQUAL(wide, 7);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench.ctx.msg, "bus error"));
	CU_ASSERT_EQUAL(unc_write32(space, 0x40, 1), UNC_EIO);
	CU_ASSERT_EQUAL(unc_read32(space, 0x40, &low), UNC_EIO);
	unc_space_close(space);
	stop(&bench);
}
