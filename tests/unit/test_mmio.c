// SPDX-License-Identifier: GPL-2.0-or-later
/* mmio.c on a file that takes reads and writes, and on a device that is mapped: /dev/zero, whose pages are ordinary memory. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/write.h"
#include "treeroot.h"

#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "test.h"

#define FUNCTION "sys/bus/pci/devices/0000:7e:03.0"

static char bytes[0x2000];

/* The file that stands for physical memory. */
static void start(void)
{
	desk_begin();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + (i >> 8));
	tree_bytes(&desk.tree, "dev/mem", bytes, sizeof(bytes));
}

EACH(start, desk_end)

static void open_bus(bool writable)
{
	desk_bus(unc_linux_mmio_open, writable);
}

static struct unc_space *window_of(struct unc_bus *bus, uint64_t base)
{
	return desk_space(bus, (struct unc_addr){.kind = UNC_MMIO, .mmio = {.base = base, .len = 0x60}});
}

static struct unc_space *window(uint64_t base)
{
	return window_of(desk.bus, base);
}

TEST(a_file_is_read_and_written_at_physical_addresses)
{
	struct unc_space *space;

	open_bus(true);
	space = window(0x1800);
	reads32(space, 0x40, unc_le32(bytes + 0x1840));
	reads64(space, 0x38, unc_le64(bytes + 0x1838));
	CU_ASSERT_EQUAL(unc_write32(space, 0x54, 0x400000), UNC_OK);
	reads32(space, 0x54, 0x400000);
	reads32(space, 0x58, unc_le32(bytes + 0x1858));
}

TEST(an_access_is_one_whole_register)
{
	struct unc_space *space;
	unsigned char block[16];
	uint64_t wide;

	open_bus(false);
	space = window(0x800);
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, sizeof(block)), UNC_EARG);
	CU_ASSERT_EQUAL(unc_read64(space, 0x3c, &wide), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_read64(space, 0x60, &wide), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_write32(space, 0, 0), UNC_EDENIED);
	space = window(0x1ff8);
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_EIO); /* behind its end */
	CU_ASSERT_TRUE(says("mmio 0x1ff8"));
}

TEST(what_is_no_place_for_registers_is_refused)
{
	static const uint64_t bases[] = {1, 2, INT64_MAX - 3};

	open_bus(false);
	for (size_t i = 0; i < 3; i++) {
		struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = bases[i], .len = 0x60}};
		struct unc_space *space;

		CU_ASSERT_EQUAL(unc_space_open(desk.bus, &addr, &space), UNC_ERANGE);
	}
}

TEST(without_the_device_it_says_so)
{
	CU_ASSERT_EQUAL(unlink(tree_path(&desk.tree, "dev/mem").text), 0);
	REFUSED(UNC_ENODEV, unc_linux_mmio_open(&desk.ctx, &desk.root, false, &desk.bus), "CONFIG_DEVMEM");
}

/* Function 7e:03.0 has two BARs: ports, which are none, and 0x4000 bytes of memory at 0x100000. */
static void put_bar(const char *flags)
{
	char lines[400];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 5 + (i >> 8));
	tree_bytes(&desk.tree, FUNCTION "/resource2", bytes, sizeof(bytes));
	snprintf(lines, sizeof(lines),
		 "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		 "0x0000000000001000 0x0000000000001fff 0x0000000000040101\n"
		 "0x0000000000100000 0x0000000000101fff %s\n",
		 flags);
	tree_text(&desk.tree, FUNCTION "/resource", lines);
	CU_ASSERT_EQUAL(unlink(tree_path(&desk.tree, "dev/mem").text), 0);
}

static void keep_note(void *arg, const char *note)
{
	snprintf(arg, 400, "%.390s", note);
}

TEST(without_the_device_a_bar_is_enough)
{
	struct unc_addr beside = {.kind = UNC_MMIO, .mmio = {.base = 0x102000 - 0x20, .len = 0x60}};
	struct unc_space *space, *same;
	char note[400] = "";

	put_bar("0x0000000000140204");
	desk.ctx.log = keep_note;
	desk.ctx.log_arg = note;
	open_bus(true);
	space = window(0x101800);
	CU_ASSERT(strstr(note, "are reached through ") && strstr(note, FUNCTION "/resource2, since "));
	CU_ASSERT(strstr(note, "CONFIG_DEVMEM") != NULL);
	reads32(space, 0x40, unc_le32(bytes + 0x1840));
	reads64(space, 0x38, unc_le64(bytes + 0x1838));
	CU_ASSERT_EQUAL(unc_write32(space, 0x54, 0x400000), UNC_OK);
	reads32(space, 0x54, 0x400000);
	note[0] = '\0';
	open_bus(true);
	same = window(0x101800);
	CU_ASSERT_EQUAL(unc_space_claim(space, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(same, 0, 0, UNC_CLAIM_TAKE), UNC_EBUSY);
	/* What no BAR has as a whole is refused as before. */
	REFUSED(UNC_ENODEV, unc_space_open(desk.bus, &beside, &space), "CONFIG_DEVMEM");
}

TEST(ports_and_a_bar_that_cannot_be_opened_are_none)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = 0x100000, .len = 0x60}};
	struct unc_space *space;

	put_bar("0x0000000000040101");
	REFUSED(UNC_ENODEV, unc_linux_mmio_open(&desk.ctx, &desk.root, false, &desk.bus), "CONFIG_DEVMEM");
	tree_text(&desk.tree, FUNCTION "/resource", "0x0000000000100000 0x0000000000101fff 0x0000000000040200\n");
	open_bus(false);
	REFUSED(UNC_ENODEV, unc_space_open(desk.bus, &addr, &space), "CONFIG_DEVMEM"); /* there is no resource0 */
}

/* A lock of the addresses themselves, so that two windows of one page do not meet. */
TEST(a_claim_is_seen_by_other_openers)
{
	struct unc_space *mine, *same, *beside;

	open_bus(true);
	mine = window(0x800);
	open_bus(true);
	same = window(0x800);
	beside = window(0x860);
	CU_ASSERT_EQUAL(unc_space_claim(mine, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(same, 0, 0, UNC_CLAIM_TAKE), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_space_claim(beside, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	desk_close(mine);
	CU_ASSERT_EQUAL(unc_space_claim(same, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
}

/* A device in the place of the file.  In a container it cannot be made, or not be opened. */
static bool map_zeros(const char *test)
{
	struct tree_path path = tree_path(&desk.tree, "dev/mem");

	unlink(path.text);
	if (mknod(path.text, S_IFCHR | 0600, makedev(1, 5)) < 0 || access(path.text, R_OK | W_OK) < 0) {
		printf("skip %s # no device can be made here\n", test);
		return false;
	}
	open_bus(true);
	return true;
}

TEST(a_device_is_mapped)
{
	struct unc_space *space;

	if (!map_zeros(__func__))
		return;
	space = window(0xfd0); /* on two pages */
	reads64(space, 0x38, 0);
	CU_ASSERT_EQUAL(unc_write32(space, 0x2c, 0x11223344), UNC_OK);
	CU_ASSERT_EQUAL(unc_write32(space, 0x30, 0x55667788), UNC_OK);
	reads32(space, 0x2c, 0x11223344);
	reads64(space, 0x30, 0x55667788);
}

/* Puts a page of an empty file in the place of the mapped one: touching it is a SIGBUS, as that of a page that a driver has taken. */
static bool take_page_away(void)
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
	tree_bytes(&desk.tree, "empty", "", 0);
	fd = open(tree_path(&desk.tree, "empty").text, O_RDWR);
	page = found && fd >= 0
		       ? mmap((void *)first, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)
		       : MAP_FAILED;
	close(fd);
	return page != MAP_FAILED;
}

TEST(a_bus_error_is_an_error_of_the_access)
{
	struct unc_space *space;
	uint64_t wide = 7;
	uint32_t low;

	if (!map_zeros(__func__))
		return;
	space = window(0);
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_OK);
	wide = 7;
	CU_ASSERT_FATAL(take_page_away());
	CU_ASSERT_EQUAL(unc_read64(space, 8, &wide), UNC_EIO);
	CU_ASSERT_EQUAL(wide, 7);
	CU_ASSERT_TRUE(says("bus error"));
	CU_ASSERT_EQUAL(unc_write32(space, 0x40, 1), UNC_EIO);
	CU_ASSERT_EQUAL(unc_read32(space, 0x40, &low), UNC_EIO);
}
