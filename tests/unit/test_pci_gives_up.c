// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pci.c with a libpci that gives up in the middle of a call: its error() must not return, and we must not exit.
 * pci.c is compiled into this file once more, with one function of libpci replaced.
 */
#define _GNU_SOURCE
#define unc_linux_pci_open unc_linux_pci_open_breaking

#include <pci/pci.h>
#include <stdbool.h>

static bool init_breaks, read_breaks;

static void breaking_init(struct pci_access *access)
{
	if (init_breaks)
		access->error((char *)"This access method is not supported (%d).", 7);
	pci_init(access);
}

static int breaking_read(struct pci_dev *dev, int pos, u8 *buf, int len)
{
	if (read_breaks)
		dev->access->error((char *)"Out of memory (allocation of %d bytes failed)", len);
	return pci_read_block(dev, pos, buf, len);
}

#define pci_init       breaking_init
#define pci_read_block breaking_read
#include "../../src/os/linux/pci.c"

#include "treeroot.h"
#include "test.h"

static const struct unc_addr where = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};

static void start(void)
{
	static const char bytes[256] = "x";

	desk_begin();
	tree_bytes(&desk.tree, "sys/bus/pci/devices/0000:ff:10.0/config", bytes, sizeof(bytes));
	desk_bus(unc_linux_pci_open, false);
}

EACH(start, desk_end)

TEST(giving_up_at_open_is_an_error_and_leaves_nothing_open)
{
	struct unc_space *space = NULL;

	init_breaks = true;
	CU_ASSERT_EQUAL(unc_space_open(desk.bus, &where, &space), UNC_ENOSUP);
	init_breaks = false;
	CU_ASSERT_PTR_NULL(space);
	CU_ASSERT_STRING_EQUAL(desk.ctx.msg, "pci 0000:ff:10.0: libpci: This access method is not supported (7).");
	CU_ASSERT_EQUAL(open_files(), desk.open_before);
	CU_ASSERT_PTR_NULL(frame);
}

TEST(giving_up_at_a_read_is_an_error_and_the_next_one_works)
{
	struct unc_space *space = desk_space(desk.bus, where);
	uint32_t value = 0;

	read_breaks = true;
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	read_breaks = false;
	CU_ASSERT_STRING_EQUAL(desk.ctx.msg,
			       "pci 0000:ff:10.0: read 0xa0: libpci: Out of memory (allocation of 4 bytes failed)");
	reads32(space, 0, 'x');
	CU_ASSERT_PTR_NULL(frame);
}
