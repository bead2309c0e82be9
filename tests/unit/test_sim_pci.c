// SPDX-License-Identifier: GPL-2.0-or-later
/* The header, and configuration space as a file. */
#include "test_sim.h"

TEST(headers_say_what_lspci_expects)
{
	static const struct {
		const char *at;
		uint32_t id;
	} functions[] = {
		{"7f:0b.0", 0x3ce08086}, {"7f:10.0", 0x3cb08086}, {"7f:10.1", 0x3cb18086},
		{"7f:10.4", 0x3cb48086}, {"ff:10.5", 0x3cb58086},
	};

	fx_open("snbep");
	for (size_t i = 0; i < N(functions); i++) {
		IS32(functions[i].at, {0x00, functions[i].id}, {0x04, 0});
		CU_ASSERT_EQUAL(fx_r32(functions[i].at, 0x08) >> 8, 0x088000);
		CU_ASSERT_EQUAL(fx_r32(functions[i].at, 0x0c) >> 16 & 0xff, 0x80);
		IS32(functions[i].at, {0x34, 0});
	}
}

TEST(the_header_cannot_be_written)
{
	fx_open("snbep");
	fx_w32("ff:10.0", 0x00, 0);
	IS32("ff:10.0", {0x00, 0x3cb08086});
	fx_w32("ff:10.0", 0x04, 7);
	IS32("ff:10.0", {0x04, 0});
	CU_ASSERT_EQUAL_FATAL(fx_violations(), 2);
	VIOLATES(1, 4, 7, 0xffffffff);
}

TEST(the_space_is_256_bytes)
{
	struct unc_space *space;
	uint32_t value;

	fx_open("snbep");
	space = fx_space("ff:10.0");
	CU_ASSERT_EQUAL(space->len, 256);
	CU_ASSERT_EQUAL(unc_read32(space, 252, &value), 0);
	CU_ASSERT_EQUAL(unc_read32(space, 256, &value), UNC_ERANGE);
	unc_space_close(space);
}

TEST(the_bus_carries_the_write_permission)
{
	struct unc_bus *bus = NULL;

	fx_open("snbep");
	CU_ASSERT_TRUE(fx.bus->writable);
	CU_ASSERT_EQUAL_FATAL(fx.host->ops->bus_open(fx.host, UNC_PCI, false, &bus), 0);
	CU_ASSERT_FALSE(bus->writable);
	CU_ASSERT_STRING_EQUAL(bus->ops->name, "pci");
	unc_bus_close(bus);
}

TEST(a_block_is_what_its_dwords_are)
{
	struct unc_space *space;
	unsigned char block[16];

	fx_open("snbep,clock=step");
	for (uint32_t i = 0; i < 4; i++)
		fx_w32("ff:10.0", 0xd8 + 4 * i, 0x304 + i);
	space = fx_space("ff:10.0");
	CU_ASSERT_EQUAL(unc_read_block(space, 0xd8, block, 16), 0);
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(unc_le32(block + 4 * i), 0x304 + i);
	/* and a block written is dwords written */
	memset(block, 0, sizeof(block));
	unc_put_le32(block + 8, 0x12);
	CU_ASSERT_EQUAL(space->bus->ops->write(space, 0xd8, block, 16), 0);
	CU_ASSERT_EQUAL(unc_read_block(space, 0xd8, block, 16), 0);
	CU_ASSERT_EQUAL(unc_le32(block), 0);
	CU_ASSERT_EQUAL(unc_le32(block + 8), 0x12);
	unc_space_close(space);
}

/* A read at that place takes this many cycles of 100 ns and gives the bytes that are there. */
static void expect_cycles(uint64_t off, size_t len, uint64_t cycles)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char all[256], some[256];
	uint64_t before;
	size_t done = 0;

	CU_ASSERT_FATAL(unc_sim_access(fx.host, &addr, false, 0, all, sizeof(all), &done) == 0);
	before = fx_raw_ns();
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, false, off, some, len, &done), 0);
	CU_ASSERT_EQUAL(fx_raw_ns() - before, 100 * cycles);
	CU_ASSERT(done == len && memcmp(all + off, some, len) == 0);
}

TEST(odd_accesses_are_cut_as_the_kernel_cuts_them)
{
	static const struct {
		uint64_t off;
		size_t len;
		uint64_t cycles;
	} reads[] = {
		{0, 4, 1},   {0, 8, 2}, {0, 64, 16}, {0, 1, 1},
		{1, 1, 1},   {0, 2, 1}, {0, 3, 2},   {1, 4, 3}, /* byte, word, byte */
		{6, 4, 2},                                      /* word, word: what pcm reads */
		{2, 8, 3},                                      /* word, dword, word */
		{3, 10, 4},                                     /* byte, dword, dword, byte */
		{255, 1, 1},
	};

	fx_open("snbep,clock=step,dword_ns=100");
	for (size_t i = 0; i < N(reads); i++)
		expect_cycles(reads[i].off, reads[i].len, reads[i].cycles);
}

TEST(an_access_ends_with_the_space)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char buf[16];
	size_t done = 99;

	fx_open("snbep");
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, false, 250, buf, 16, &done), 0);
	CU_ASSERT_EQUAL(done, 6);
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, false, 256, buf, 16, &done), 0);
	CU_ASSERT_EQUAL(done, 0);
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, true, UINT64_MAX, buf, 16, &done), 0);
	CU_ASSERT_EQUAL(done, 0);
}

TEST(what_is_hidden_or_nowhere_is_enodev)
{
	struct unc_addr hidden = fx_addr("ff:10.0"), nowhere = fx_addr("ff:10.3");
	unsigned char buf[4] = {0};
	size_t done;

	fx_open("snbep,hide=ff:10.0");
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &hidden, false, 0, buf, 4, &done), UNC_ENODEV);
	FAILS(unc_sim_access(fx.host, &nowhere, true, 0, buf, 4, &done), UNC_ENODEV, "0000:ff:10.3");
}

TEST(a_kernel_that_is_locked_down_refuses_writes)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char buf[4] = {4};
	struct unc_space *space;
	size_t done = 99;

	fx_open("snbep,clock=step,msr=absent,lockdown=1");
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, true, 0xd8, buf, 4, &done), UNC_EPERM);
	CU_ASSERT_EQUAL(done, 99);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "lockdown=1"));
	CU_ASSERT_EQUAL_FATAL(unc_space_open(fx.bus, &addr, &space), 0);
	CU_ASSERT_EQUAL(space->bus->ops->write(space, 0xd8, buf, 4), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(unc_err_name(fx.ctx, UNC_EPERM), "EPERM");
	unc_space_close(space);
	IS32("ff:10.0", {0xd8, 0});
}
