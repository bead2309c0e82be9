// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler and the shared folders need of a C library: memory, strings, sorting, numbers. */
#include "os/efi/efi.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ctype.h>
#include <stdio.h>

int errno;
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

/* ---- bytes and strings ---- */

void *memcpy(void *to, const void *from, size_t size)
{
	void *end = to;

	__asm__ __volatile__("rep movsb" : "+D"(end), "+S"(from), "+c"(size)::"memory");
	return to;
}

void *memset(void *memory, int byte, size_t size)
{
	void *end = memory;

	__asm__ __volatile__("rep stosb" : "+D"(end), "+c"(size) : "a"(byte) : "memory");
	return memory;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	if (t <= f || t >= f + size)
		return memcpy(to, from, size);
	while (size--)
		t[size] = f[size];
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *memchr(const void *memory, int byte, size_t size)
{
	for (const unsigned char *at = memory; size; size--, at++)
		if (*at == (unsigned char)byte)
			return (void *)at;
	return NULL;
}

void *memrchr(const void *memory, int byte, size_t size)
{
	const unsigned char *first = memory;

	while (size--)
		if (first[size] == (unsigned char)byte)
			return (void *)(first + size);
	return NULL;
}

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end)
		end++;
	return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t size)
{
	const char *end = memchr(text, 0, size);

	return end ? (size_t)(end - text) : size;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size; size--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}

int strncasecmp(const char *a, const char *b, size_t size)
{
	for (; size; size--, a++, b++)
		if (tolower(*a) != tolower(*b) || !*a)
			return tolower((unsigned char)*a) - tolower((unsigned char)*b);
	return 0;
}

char *strncpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	memcpy(to, from, len);
	memset(to + len, 0, size - len);
	return to;
}

char *stpcpy(char *to, const char *from)
{
	size_t len = strlen(from);

	memcpy(to, from, len + 1);
	return to + len;
}

char *strchr(const char *text, int c)
{
	return memchr(text, c, strlen(text) + 1);
}

char *strrchr(const char *text, int c)
{
	return memrchr(text, c, strlen(text) + 1);
}

char *strstr(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; *text || !len; text++)
		if (strncmp(text, part, len) == 0)
			return (char *)text;
	return NULL;
}

size_t strspn(const char *text, const char *set)
{
	size_t n = 0;

	while (text[n] && strchr(set, text[n]))
		n++;
	return n;
}

size_t strcspn(const char *text, const char *set)
{
	size_t n = 0;

	while (!strchr(set, text[n]))
		n++;
	return n;
}

char *strpbrk(const char *text, const char *set)
{
	text += strcspn(text, set);
	return *text ? (char *)text : NULL;
}

char *strsep(char **rest, const char *ends)
{
	char *piece = *rest, *end = piece ? strpbrk(piece, ends) : NULL;

	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return piece;
}

char *strndup(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	char *copy = malloc(len + 1);

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

char *strdup(const char *text)
{
	return strndup(text, (size_t)-1);
}

/* In order of the numbers in them: "ch2" before "ch10".  Numbers that begin with 0 are no case here. */
int strverscmp(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (; *a && *a == *b; a++, b++) {
		size_t n = strspn(a, digits), m = strspn(b, digits);

		if (n != m)
			return n < m ? -1 : 1;
	}
	return strspn(a, digits) != strspn(b, digits) ? (strspn(a, digits) < strspn(b, digits) ? -1 : 1)
						      : (unsigned char)*a - (unsigned char)*b;
}

const char *strerror(int error)
{
	static const struct {
		int error;
		const char *text;
	} texts[] = {
		{ENOENT, "No such file or directory"},
		{EIO, "Input/output error"},
		{ENOMEM, "Cannot allocate memory"},
		{EACCES, "Permission denied"},
		{EISDIR, "Is a directory"},
		{EMFILE, "Too many open files"},
		{ENOSPC, "No space left on device"},
		{EROFS, "Read-only file system"},
		{ENODEV, "No such device"},
		{ENOSYS, "Firmware does not offer this"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].error == error)
			return texts[i].text;
	return "Failed";
}

/* ---- sorting: stable, as the C library of Linux has it, and without memory; lists here are short or nearly in order ---- */

void qsort_r(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	char *first = array;

	for (char *next = first + size; next < first + n * size; next += size) {
		for (char *at = next; at > first && compare(at - size, at, arg) > 0; at -= size) {
			for (size_t i = 0; i < size; i++) {
				char byte = at[i];

				at[i] = at[i - size];
				at[i - size] = byte;
			}
		}
	}
}

static int without_arg(const void *a, const void *b, void *compare)
{
	return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	qsort_r(array, n, size, without_arg, &compare);
}

void *bsearch(const void *key, const void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	const char *first = array;

	while (n) {
		const char *middle = first + n / 2 * size;
		int order = compare(key, middle);

		if (order == 0)
			return (void *)middle;
		if (order > 0)
			first = middle + size;
		n = order > 0 ? n - n / 2 - 1 : n / 2;
	}
	return NULL;
}

/* ---- numbers ---- */

unsigned long long strtoull(const char *text, char **end, int base)
{
	const char *at = text + strspn(text, " \t\n"), *first;
	bool minus = *at == '-';
	unsigned long long value = 0;

	at += minus || *at == '+';
	if ((base == 0 || base == 16) && at[0] == '0' && tolower(at[1]) == 'x') {
		at += 2;
		base = 16;
	}
	if (base == 0)
		base = *at == '0' ? 8 : 10;
	for (first = at; *at; at++) {
		int c = tolower(*at), digit = c >= 'a' ? c - 'a' + 10 : c >= '0' && c <= '9' ? c - '0' : base;

		if (digit >= base)
			break;
		value = __builtin_mul_overflow(value, (unsigned)base, &value) ||
					__builtin_add_overflow(value, (unsigned)digit, &value)
				? ~0ULL
				: value;
	}
	if (end)
		*end = (char *)(at == first ? text : at);
	return minus ? 0 - value : value;
}

long strtol(const char *text, char **end, int base)
{
	return (long)strtoull(text, end, base);
}

unsigned long strtoul(const char *text, char **end, int base)
{
	return (unsigned long)strtoull(text, end, base);
}

long long llabs(long long n)
{
	return n < 0 ? -n : n;
}

double ldexp(double x, int power)
{
	for (; power > 0; power--)
		x *= 2;
	for (; power < 0; power++)
		x /= 2;
	return x;
}

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

/* ---- options, as getopt_long(3): they may stand after arguments, unless letters begin with + ---- */

char *optarg;
int optind, opterr, optopt;

/* Moves word `from` to `to`, which is before it. */
static void move_word(char **argv, int from, int to)
{
	char *word = argv[from];

	for (; from > to; from--)
		argv[from] = argv[from - 1];
	argv[to] = word;
}

static const struct option *find_name(const char *name, const struct option *names, size_t len)
{
	const struct option *found = NULL;

	for (; names->name; names++) {
		if (strncmp(names->name, name, len) != 0)
			continue;
		if (strlen(names->name) == len)
			return names;
		if (found)
			return NULL;
		found = names;
	}
	return found;
}

int getopt_long(int argc, char *const *words, const char *letters, const struct option *names, int *index)
{
	static const char *rest; /* of letters behind the same dash */
	char **argv = (char **)words, *word;
	bool stops = *letters == '+', wants;
	int at, result;

	(void)index;
	if (optind == 0) {
		optind = 1;
		rest = "";
	}
	optarg = NULL;
	optopt = 0;
	letters += *letters == '+';
	if (!*rest) {
		for (at = optind; at < argc && (argv[at][0] != '-' || !argv[at][1]) && !stops; at++)
			;
		if (at >= argc || argv[at][0] != '-' || !argv[at][1])
			return -1;
		move_word(argv, at, optind);
		word = argv[optind++];
		if (strcmp(word, "--") == 0)
			return -1;
		if (word[1] != '-')
			rest = word + 1;
	} else {
		at = optind - 1;
		word = NULL;
	}
	if (*rest) {
		const char *letter = strchr(letters + 1, *rest);

		result = *rest++;
		if (!letter || result == ':') {
			optopt = result;
			return '?';
		}
		wants = letter[1] == ':';
		if (wants && *rest)
			optarg = (char *)rest;
		if (wants)
			rest = "";
	} else {
		size_t len = strcspn(word + 2, "=");
		const struct option *found = find_name(word + 2, names, len);

		if (!found || (word[2 + len] && !found->has_arg)) {
			optopt = found ? found->val : 0;
			return '?';
		}
		result = found->val;
		wants = found->has_arg;
		if (word[2 + len])
			optarg = word + 3 + len;
	}
	if (wants && !optarg) {
		int value = word ? at + 1 : optind;

		if (value >= argc)
			return ':';
		move_word(argv, value, optind);
		optarg = argv[optind++];
	}
	return result;
}
