// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler and musl's part of the C library need: memory, and division of 128 bits. */
#include "os/efi/efi.h"

#include <stdlib.h>
#include <string.h>

int _fltused; /* the linker's name for "floating point is used"; NOLINT(bugprone-reserved-identifier) */

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

	if (!memory)
		return;
	block--;
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

/* ---- numbers of 128 bits, which are only divided by what has 64, as the processor does it ---- */

typedef unsigned __int128 u128;

u128 __udivti3(u128 n, u128 by);

u128 __udivti3(u128 n, u128 by)
{
	uint64_t d = (uint64_t)by, high = (uint64_t)(n >> 64) / d, low = (uint64_t)n, rest = (uint64_t)(n >> 64) % d;

	__asm__("divq %2" : "+a"(low), "+d"(rest) : "r"(d) : "cc");
	return (u128)high << 64 | low;
}
