// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler and musl's part of the C library need: memory, and division of 128 bits. */
#include "os/efi/efi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int _fltused; /* the linker's name for "floating point is used" */

/* ---- memory: sizes are powers of two, and what is freed is kept for the next of that size ---- */

union block {
	union block *next; /* while it is free */
	size_t size;       /* while it is in use: of what follows */
	_Alignas(16) char first[16];
};
enum { SIZES = 48, SMALLEST = 5, CHUNK = 1 << 20 };
static union block *unused[SIZES];
static char *room, *room_end;
static struct chunk {
	struct chunk *before;
	size_t pages;
} * chunks;

/* NULL: none is left. */
static void *chunk_new(size_t size)
{
	EFI_PHYSICAL_ADDRESS at;
	struct chunk *chunk;
	size_t pages = (size + sizeof(union block) + 4095) / 4096;

	if (efi->boot->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &at) != EFI_SUCCESS)
		return NULL;
	chunk = (struct chunk *)at;
	*chunk = (struct chunk){chunks, pages};
	chunks = chunk;
	return (char *)chunk + sizeof(union block);
}

void unc_efi_memory_end(void)
{
	while (chunks) {
		struct chunk *chunk = chunks;

		chunks = chunk->before;
		efi->boot->FreePages((EFI_PHYSICAL_ADDRESS)chunk, chunk->pages);
	}
}

void *malloc(size_t size)
{
	unsigned power = SMALLEST;
	union block *block;
	size_t whole;

	while (power < SIZES && ((size_t)1 << power) - sizeof(*block) < size)
		power++;
	if (power == SIZES)
		return NULL;
	whole = (size_t)1 << power;
	block = unused[power];
	if (block) {
		unused[power] = block->next;
	} else if (whole > CHUNK / 4) {
		block = chunk_new(whole);
	} else {
		if ((size_t)(room_end - room) < whole) {
			room = chunk_new(CHUNK);
			room_end = room ? room + CHUNK : NULL;
		}
		block = (union block *)room;
		room = room ? room + whole : NULL;
	}
	if (!block)
		return NULL;
	block->size = whole - sizeof(*block);
	return block + 1;
}

void free(void *memory)
{
	union block *block = memory;
	unsigned power = SMALLEST;

	if (!block--)
		return;
	while (((size_t)1 << power) - sizeof(*block) < block->size)
		power++;
	block->next = unused[power];
	unused[power] = block;
}

void *calloc(size_t n, size_t size)
{
	void *memory = size && n > (size_t)-1 / size ? NULL : malloc(n * size);

	return memory ? memset(memory, 0, n * size) : NULL;
}

void *realloc(void *memory, size_t size)
{
	size_t had = memory ? ((union block *)memory)[-1].size : 0;
	void *more;

	if (memory && size <= had)
		return memory;
	more = malloc(size);
	if (more && memory) {
		memcpy(more, memory, had);
		free(memory);
	}
	return more;
}

/* ---- numbers of 128 bits ---- */

typedef unsigned __int128 u128;

static u128 divided(u128 n, u128 by, u128 *ret_rest)
{
	u128 result = 0, rest = 0;

	if (by >> 64 == 0) { /* the processor divides 128 bits by 64 */
		uint64_t d = (uint64_t)by, high = (uint64_t)(n >> 64) / d, low = (uint64_t)n,
			 over = (uint64_t)(n >> 64) % d;

		__asm__("divq %2" : "+a"(low), "+d"(over) : "r"(d) : "cc");
		*ret_rest = over;
		return (u128)high << 64 | low;
	}
	for (int bit = 127; bit >= 0; bit--) {
		rest = rest << 1 | (n >> bit & 1);
		if (rest >= by) {
			rest -= by;
			result |= (u128)1 << bit;
		}
	}
	*ret_rest = rest;
	return result;
}

u128 __udivti3(u128 n, u128 by);
u128 __umodti3(u128 n, u128 by);
__int128 __divti3(__int128 n, __int128 by);

u128 __udivti3(u128 n, u128 by)
{
	u128 rest;

	return divided(n, by, &rest);
}

u128 __umodti3(u128 n, u128 by)
{
	u128 rest;

	divided(n, by, &rest);
	return rest;
}

__int128 __divti3(__int128 n, __int128 by)
{
	u128 rest, result = divided(n < 0 ? -(u128)n : (u128)n, by < 0 ? -(u128)by : (u128)by, &rest);

	return (n < 0) != (by < 0) ? -(__int128)result : (__int128)result;
}

double __floatuntidf(u128 n);

/*
 * The number is shifted right until it fits into 64 bits.  Its lowest bit stays 1 if any bit that was shifted out was 1, so that the
 * conversion of the 64 bits rounds as that of the whole number would.
 */
double __floatuntidf(u128 n)
{
	int power = 0;

	for (; n >> 64; power++)
		n = n >> 1 | (n & 1);
	return ldexp((double)(uint64_t)n, power);
}
