// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of SMBIOS structures: well-formed, cut short, and with any bytes in them. */
#include <stdlib.h>
#include <string.h>

#include "machine/smbios.h"
#include "test.h"

enum { DEVICE = 0x5c, TABLE_MAX = 400 };

struct table {
	unsigned char bytes[TABLE_MAX];
	size_t len;
};

static void put(unsigned char *at, unsigned long value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++, value /= 256)
		at[i] = (unsigned char)value;
}

/* Zeros in a structure so long; its strings are added apart. */
static unsigned char *add(struct table *t, unsigned type, size_t len)
{
	unsigned char *at = t->bytes + t->len;

	memset(at, 0, len);
	at[0] = (unsigned char)type;
	at[1] = (unsigned char)len;
	t->len += len;
	return at;
}

static void add_strings(struct table *t, const char *strings, size_t len)
{
	memcpy(t->bytes + t->len, strings, len);
	t->len += len;
}

/* DSP0134, section 7.18, written here by hand. */
static struct table example(void)
{
	struct table t = {.len = 0};
	unsigned char *at;

	add(&t, 16, 23);
	add_strings(&t, "\0", 2);
	at = add(&t, 17, DEVICE);
	put(at + 2, 0x1100, 2);
	put(at + 0x0c, 16384, 2);
	at[0x12] = 0x1a;
	put(at + 0x15, 2666, 2);
	put(at + 0x20, 2400, 2);
	add_strings(&t, "DIMM_A1\0BANK 0\0", 16);
	at = add(&t, 17, DEVICE);
	put(at + 2, 0x1101, 2);
	add_strings(&t, "\0", 2);
	at = add(&t, 17, DEVICE);
	put(at + 2, 0x1102, 2);
	put(at + 0x0c, 0x7fff, 2);
	put(at + 0x15, 0xffff, 2);
	put(at + 0x20, 0xffff, 2);
	put(at + 0x54, 70000, 4);
	put(at + 0x58, 0x80000000ul + 66000, 4);
	add_strings(&t, "\0", 2);
	add(&t, 127, 4);
	add_strings(&t, "\0", 2);
	return t;
}

/* A copy that is exactly so long, so that a look behind its end shows. */
static size_t walk(const unsigned char *bytes, size_t len, bool *ret_whole)
{
	unsigned char *copy = malloc(len ? len : 1);
	struct unc_smbios_memory memory;
	size_t at = 0, n = 0, before = 0;

	if (len)
		memcpy(copy, bytes, len);
	while (unc_smbios_next(copy, len, &at, &memory, ret_whole)) {
		CU_ASSERT(at > before && at <= len);
		before = at;
		n++;
	}
	free(copy);
	return n;
}

TEST(memory_devices_are_read)
{
	static const struct unc_smbios_memory expected[] = {
		{.handle = 0x1100, .installed = true, .type = 0x1a, .speed_mts = 2666, .configured_mts = 2400},
		{.handle = 0x1101},
		{.handle = 0x1102, .installed = true, .speed_mts = 70000, .configured_mts = 66000},
	};
	struct table t = example();
	struct unc_smbios_memory memory;
	size_t at = 0;
	bool whole;

	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_FATAL(unc_smbios_next(t.bytes, t.len, &at, &memory, &whole));
		CU_ASSERT(memory.handle == expected[i].handle && memory.installed == expected[i].installed &&
			  memory.type == expected[i].type && memory.speed_mts == expected[i].speed_mts &&
			  memory.configured_mts == expected[i].configured_mts && !memory.may_be_clock);
	}
	CU_ASSERT(!unc_smbios_next(t.bytes, t.len, &at, &memory, &whole));
	CU_ASSERT(whole);
}

TEST(fields_that_a_structure_is_too_short_for_are_not_told)
{
	static const struct {
		size_t len;
		unsigned speed, configured;
	} cases[] = {{0x15, 0, 0},    {0x16, 0, 0},       {0x17, 2666, 0},
		     {0x21, 2666, 0}, {0x22, 2666, 2400}, {0x54, 2666, 2400}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_smbios_memory memory;
		struct table t = {.len = 0};
		unsigned char *at = add(&t, 17, 0x54);
		size_t from = 0;
		bool whole;

		at[1] = (unsigned char)cases[i].len;
		put(at + 0x0c, 16384, 2);
		put(at + 0x15, 2666, 2);
		put(at + 0x20, 2400, 2);
		t.len = cases[i].len;
		add_strings(&t, "\0", 2);
		CU_ASSERT_FATAL(unc_smbios_next(t.bytes, t.len, &from, &memory, &whole));
		CU_ASSERT_EQUAL(memory.speed_mts, cases[i].speed);
		CU_ASSERT_EQUAL(memory.configured_mts, cases[i].configured);
		CU_ASSERT_EQUAL(memory.may_be_clock,
				cases[i].len < 0x54); /* the logical size, from version 3.2 on, ends there */
	}
}

TEST(a_table_that_is_cut_short_gives_what_is_whole)
{
	struct table t = example();

	for (size_t len = 0; len <= t.len; len++) {
		bool whole, ends = false;
		size_t n = walk(t.bytes, len, &whole), at = 0, complete = 0;

		/* Where structures of the example end: strings are counted by hand above. */
		static const size_t ends_at[] = {
			0, 25, 25 + DEVICE + 16, 25 + 2 * DEVICE + 18, 25 + 3 * DEVICE + 20, 25 + 3 * DEVICE + 26};

		for (; at < sizeof(ends_at) / sizeof(ends_at[0]); at++) {
			ends |= len == ends_at[at];
			complete += at >= 2 && at <= 4 && len >= ends_at[at];
		}
		CU_ASSERT_EQUAL(n, complete);
		CU_ASSERT_EQUAL(whole, ends);
	}
}

TEST(any_bytes_are_survived)
{
	struct table t = example();
	uint64_t lot = 88172645463325252;

	for (unsigned i = 0; i < 20000; i++) {
		struct table broken = t;
		bool whole;

		for (unsigned k = 0; k < 1 + i % 5; k++) {
			lot ^= lot << 13;
			lot ^= lot >> 7;
			lot ^= lot << 17;
			broken.bytes[lot % t.len] = (unsigned char)(lot >> 32);
		}
		CU_ASSERT(walk(broken.bytes, t.len - i % 7, &whole) <= t.len / 4);
	}
}
