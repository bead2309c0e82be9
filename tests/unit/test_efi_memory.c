// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory under firmware: what is freed is used again.  The file is no part of a build for Linux. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define efi             memory_efi
#define malloc          efi_malloc
#define free            efi_free
#define calloc          efi_calloc
#define realloc         efi_realloc
#define __udivti3       efi_divide /* NOLINT(bugprone-reserved-identifier) */
#include "../../src/os/efi/libc.c"
#undef malloc
#undef free
#undef calloc
#undef realloc

#include <stdio.h>
#include <sys/mman.h>

#include "onsim.h"
#include "test.h"

static struct {
	size_t pages, n; /* that firmware gave and did not get back, and how often it was asked */
	bool is_full;
} firmware;

static EFI_STATUS give(int how, int type, size_t pages, EFI_PHYSICAL_ADDRESS *ret_at)
{
	void *memory = MAP_FAILED;

	(void)how, (void)type;
	if (!firmware.is_full)
		memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return EFI_NOT_FOUND;
	memset(memory, 0xa5, pages * 4096);
	firmware.pages += pages;
	firmware.n++;
	*ret_at = (EFI_PHYSICAL_ADDRESS)memory;
	return EFI_SUCCESS;
}

static EFI_STATUS take_back(EFI_PHYSICAL_ADDRESS at, size_t pages)
{
	firmware.pages -= pages;
	munmap((void *)at, pages * 4096);
	return EFI_SUCCESS;
}

static struct efi_boot boot = {.AllocatePages = give, .FreePages = take_back};
static const struct unc_efi self = {.boot = &boot};
const struct unc_efi *efi = &self;

static void begin(void)
{
	memset(&firmware, 0, sizeof(firmware));
	memset(unused, 0, sizeof(unused));
	room = room_end = NULL;
}

static void end(void)
{
	unc_efi_memory_end();
	EQ(firmware.pages, 0);
}

EACH(begin, end)

/* Takes blocks of many sizes, makes some of them larger, and frees all, as a sample does. */
static void sample(unsigned seed)
{
	enum { BLOCKS = 100 };
	char *blocks[BLOCKS];

	for (unsigned i = 0; i < BLOCKS; i++) {
		size_t size = 1 + (i * 7919 + seed) % 5000;

		blocks[i] = efi_malloc(size);
		CU_ASSERT_FATAL(blocks[i] != NULL);
		EQ((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)i, size);
		if (i % 3 == 0) {
			blocks[i] = efi_realloc(blocks[i], 3 * size);
			EQ(blocks[i][size - 1], i);
		}
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		efi_free(blocks[i]);
}

TEST(ten_thousand_samples_take_no_more_memory_than_one_hundred)
{
	size_t n;

	for (unsigned i = 0; i < 100; i++)
		sample(i);
	n = firmware.n;
	for (unsigned i = 0; i < 10000; i++)
		sample(i);
	EQ(firmware.n, n);
	CU_ASSERT_TRUE(firmware.pages < 1024);
}

TEST(what_is_large_is_used_again_too)
{
	char *large = efi_malloc(3 << 20);

	CU_ASSERT_FATAL(large != NULL);
	EQ(firmware.n, 1);
	efi_free(large);
	CU_ASSERT_TRUE(efi_malloc(3 << 20) == large);
	EQ(firmware.n, 1);
}

TEST(memory_that_is_asked_for_as_zeros_is_zeros)
{
	volatile size_t too_much = (size_t)1 << 33; /* the compiler would see it */
	char *used = efi_malloc(100), *zeros;

	memset(used, 1, 100);
	efi_free(used);
	zeros = efi_calloc(4, 25);
	CU_ASSERT_TRUE(zeros == used);
	for (unsigned i = 0; i < 100; i++)
		EQ(zeros[i], 0);
	CU_ASSERT_TRUE(efi_calloc(too_much, too_much) == NULL);
	CU_ASSERT_TRUE(efi_malloc(too_much << 30) == NULL);
	efi_free(NULL);
}

TEST(without_memory_there_is_none_and_what_there_was_stays)
{
	char *text = efi_malloc(10), *longer;

	snprintf(text, 10, "was here");
	firmware.is_full = true;
	longer = efi_realloc(text, 4 << 20);
	CU_ASSERT_TRUE(longer == NULL);
	SAME(text, "was here");
	CU_ASSERT_TRUE(efi_malloc(4 << 20) == NULL);
}

TEST(numbers_of_128_bits_are_divided_as_the_compiler_does_it)
{
	static const uint64_t words[] = {0,         1, 2, 3, 1000000000, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 1,
					 UINT64_MAX};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };

	for (unsigned i = 0; i < WORDS * WORDS * WORDS; i++) {
		u128 n = (u128)words[i % WORDS] << 64 | words[i / WORDS % WORDS];
		uint64_t by = words[i / WORDS / WORDS];

		if (by)
			CU_ASSERT_TRUE(efi_divide(n, by) == n / by);
	}
}
