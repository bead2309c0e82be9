// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/host.h"
#include "access/write.h"
#include "base/err.h"

#include <string.h>

#include "test.h"

/* A backend that counts what reaches it. */
static struct fake {
	struct unc_bus bus;
	struct unc_space space;
	struct unc_ctx ctx;
	unsigned reads, writes;
	unsigned char last[8];
	int rc;
} fake;

static int fake_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	(void)space;
	fake.reads++;
	for (size_t i = 0; i < len; i++)
		((unsigned char *)buf)[i] = (unsigned char)(off + i);
	return fake.rc < 0 ? unc_fail(&fake.ctx, fake.rc, "fake") : 0;
}

static int fake_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	(void)space, (void)off;
	fake.writes++;
	memcpy(fake.last, buf, len);
	return fake.rc;
}

static const struct unc_bus_ops fake_ops = {.name = "fake", .read = fake_read, .write = fake_write};

static struct unc_space *fake_open(enum unc_kind kind, uint64_t len)
{
	fake = (struct fake){.bus = {.ops = &fake_ops, .ctx = &fake.ctx, .writable = true}};
	fake.space = (struct unc_space){.bus = &fake.bus, .addr = {.kind = kind}, .len = len};
	if (kind == UNC_PCI) {
		fake.space.addr.pci.bus = 0xff;
		fake.space.addr.pci.dev = 0x10;
	}
	return &fake.space;
}

TEST(bytes_are_little_endian_on_any_host)
{
	unsigned char bytes[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}, back[8];

	CU_ASSERT_EQUAL(unc_le32(bytes), 0x67452301);
	CU_ASSERT_EQUAL(unc_le64(bytes), UINT64_C(0xefcdab8967452301));
	unc_put_le32(back, 0x67452301);
	CU_ASSERT_EQUAL(memcmp(bytes, back, 4), 0);
	unc_put_le64(back, UINT64_C(0xefcdab8967452301));
	CU_ASSERT_EQUAL(memcmp(bytes, back, 8), 0);
}

TEST(an_access_that_is_not_aligned_or_outside_never_reaches_the_backend)
{
	static const struct {
		uint64_t off;
		size_t len;
		int rc;
	} cases[] = {
		{0xa0, 4, UNC_OK},
		{0xa0, 16, UNC_OK},
		{0, 256, UNC_OK},
		{0xfc, 4, UNC_OK},
		{0xa2, 4, UNC_ERANGE},
		{0xa1, 4, UNC_ERANGE},
		{0xa0, 2, UNC_ERANGE},
		{0xa0, 0, UNC_ERANGE},
		{0xa0, 6, UNC_ERANGE},
		{0xfc, 8, UNC_ERANGE},
		{0x100, 4, UNC_ERANGE},
		{0, 260, UNC_ERANGE},
		{UINT64_MAX - 3, 4, UNC_ERANGE},
		{UINT64_MAX - 3, 8, UNC_ERANGE},
		{0, (size_t)0 - 4, UNC_ERANGE},
	};
	static unsigned char buf[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_space *space = fake_open(UNC_PCI, 256);

		CU_ASSERT_EQUAL(unc_read_block(space, cases[i].off, buf, cases[i].len), cases[i].rc);
		CU_ASSERT_EQUAL(fake.reads, cases[i].rc == UNC_OK);
	}
}

TEST(an_msr_is_eight_bytes_at_any_number_of_32_bits)
{
	struct unc_space *space = fake_open(UNC_MSR, UINT64_C(1) << 32);
	unsigned char buf[16];
	uint64_t value = 0;
	uint32_t narrow = 7;

	CU_ASSERT_EQUAL(unc_read64(space, 0xc8f, &value), UNC_OK);
	CU_ASSERT_EQUAL(value & 0xff, 0x8f);
	CU_ASSERT_EQUAL(unc_read64(space, 0xffffffff, &value), UNC_OK);
	CU_ASSERT_EQUAL(fake.reads, 2);
	CU_ASSERT_EQUAL(unc_read64(space, UINT64_C(1) << 32, &value), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_read32(space, 0xc8f, &narrow), UNC_EARG);
	CU_ASSERT_EQUAL(unc_read_block(space, 0xc8f, buf, 16), UNC_EARG);
	CU_ASSERT_EQUAL(unc_write32(space, 0xc8f, 1), UNC_EARG);
	CU_ASSERT_EQUAL(fake.reads + fake.writes, 2);
	CU_ASSERT_EQUAL(narrow, 7);
}

TEST(eight_bytes_of_configuration_space_are_not_one_register)
{
	struct unc_space *space = fake_open(UNC_PCI, 256);
	uint64_t value;

	CU_ASSERT_EQUAL(unc_read64(space, 0xa0, &value), UNC_EARG);
	CU_ASSERT_EQUAL(unc_write64(space, 0xa0, 1), UNC_EARG);
	space = fake_open(UNC_MMIO, 4096);
	CU_ASSERT_EQUAL(unc_read64(space, 0xff8, &value), UNC_OK);
	CU_ASSERT_EQUAL(unc_write64(space, 0xff8, 1), UNC_OK);
	CU_ASSERT_EQUAL(unc_read64(space, 0xffc, &value), UNC_ERANGE);
}

TEST(a_bus_opened_for_reading_denies_every_write)
{
	struct unc_space *space = fake_open(UNC_PCI, 256);

	fake.bus.writable = false;
	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 0x10100), UNC_EDENIED);
	CU_ASSERT_EQUAL(fake.writes, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(fake.ctx.msg, "fake 0000:ff:10.0: write of 4 bytes at 0xf4: "));
	space = fake_open(UNC_MSR, UINT64_C(1) << 32);
	fake.bus.writable = false;
	CU_ASSERT_EQUAL(unc_write64(space, 0xc8f, 1), UNC_EDENIED);
	CU_ASSERT_EQUAL(fake.writes, 0);
}

TEST(a_write_is_checked_like_a_read_and_arrives_in_little_endian)
{
	struct unc_space *space = fake_open(UNC_PCI, 256);

	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 0x00010100), UNC_OK);
	CU_ASSERT_EQUAL(memcmp(fake.last, "\x00\x01\x01\x00", 4), 0);
	CU_ASSERT_EQUAL(unc_write32(space, 0xf5, 1), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_write32(space, 0x100, 1), UNC_ERANGE);
	CU_ASSERT_EQUAL(fake.writes, 1);
	space = fake_open(UNC_MSR, UINT64_C(1) << 32);
	CU_ASSERT_EQUAL(unc_write64(space, 0xc8d, UINT64_C(0x0000000500000002)), UNC_OK);
	CU_ASSERT_EQUAL(memcmp(fake.last, "\x02\0\0\0\x05\0\0\0", 8), 0);
}

TEST(a_failed_read_leaves_the_value_alone_and_names_bus_space_and_offset)
{
	struct unc_space *space = fake_open(UNC_PCI, 256);
	uint32_t value = 0x1234;

	fake.rc = UNC_EIO;
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	CU_ASSERT_EQUAL(value, 0x1234);
	fake.rc = UNC_OK;
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, 0xa3a2a1a0);
	CU_ASSERT_EQUAL(unc_read32(space, 0xa2, &value), UNC_ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(fake.ctx.msg, "fake 0000:ff:10.0: read of 4 bytes at 0xa2: "));
}

TEST(closing_nothing_is_fine)
{
	struct unc_topo topo = {0};

	unc_space_close(NULL);
	unc_bus_close(NULL);
	unc_host_close(NULL);
	unc_topo_clear(NULL);
	unc_topo_clear(&topo);
	CU_ASSERT_PTR_NULL(topo.packages);
}
