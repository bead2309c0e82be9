// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/filter.h"

#include <string.h>

#include "access/write.h"
#include "base/err.h"
#include "sim/sim.h"
#include "test.h"

static struct {
	struct unc_ctx *ctx;
	struct unc_host *host;
	struct unc_bus *bus;
	struct unc_space *space, *under; /* through the dry bus, and what is really there */
	struct unc_bus *under_bus;
} d;

static void begin(void)
{
	struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};
	struct unc_bus *inner;

	CU_ASSERT_EQUAL_FATAL(unc_new(&d.ctx), 0);
	CU_ASSERT_EQUAL_FATAL(unc_sim_open(d.ctx, "snbep,sockets=1,clock=step", -1, &d.host), 0);
	CU_ASSERT_EQUAL_FATAL(d.host->ops->bus_open(d.host, UNC_PCI, false, &inner), 0);
	CU_ASSERT_EQUAL_FATAL(d.host->ops->bus_open(d.host, UNC_PCI, true, &d.under_bus), 0);
	CU_ASSERT_EQUAL_FATAL(unc_dry_wrap(inner, &d.bus), 0);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(d.bus, &addr, &d.space), 0);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(d.under_bus, &addr, &d.under), 0);
}

static void end(void)
{
	unc_space_close(d.space);
	unc_space_close(d.under);
	unc_bus_close(d.bus);
	unc_bus_close(d.under_bus);
	unc_host_close(d.host);
	unc_free(d.ctx);
}

EACH(begin, end)

static uint32_t read32(struct unc_space *space, uint64_t off)
{
	uint32_t value = 0xdeadbeef;

	CU_ASSERT_EQUAL(unc_read32(space, off, &value), 0);
	return value;
}

TEST(a_write_is_seen_and_does_not_arrive)
{
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xd8, 0x00400304), 0);
	CU_ASSERT_EQUAL(read32(d.space, 0xd8), 0x00400304);
	CU_ASSERT_EQUAL(read32(d.under, 0xd8), 0);
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xd8, 0), 0);
	CU_ASSERT_EQUAL(read32(d.space, 0xd8), 0);
}

TEST(a_block_shows_the_writes_within_it_and_the_rest_as_it_is)
{
	unsigned char block[16];

	CU_ASSERT_EQUAL(unc_write32(d.under, 0xd8, 0x304), 0);
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xdc, 0xc04), 0);
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xe8, 0x55), 0); /* just behind the block */
	CU_ASSERT_EQUAL(unc_read_block(d.space, 0xd8, block, sizeof(block)), 0);
	CU_ASSERT_EQUAL(unc_le32(block), 0x304);
	CU_ASSERT_EQUAL(unc_le32(block + 4), 0xc04);
	CU_ASSERT_EQUAL(unc_le32(block + 8), 0);
	CU_ASSERT_EQUAL(unc_le32(block + 12), 0);
}

TEST(spaces_do_not_see_each_others_writes)
{
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10, .fn = 1}};
	struct unc_space *other;

	CU_ASSERT_EQUAL_FATAL(unc_space_open(d.bus, &addr, &other), 0);
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xd8, 0x304), 0);
	CU_ASSERT_EQUAL(read32(other, 0xd8), 0);
	unc_space_close(other);
}

TEST(the_checks_of_every_bus_hold)
{
	CU_ASSERT_EQUAL(unc_write32(d.space, 0xd9, 0), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_write32(d.space, 0x100, 0), UNC_ERANGE);
	CU_ASSERT_STRING_EQUAL(d.bus->ops->name, "pci");
	CU_ASSERT_TRUE(d.bus->writable);
}
