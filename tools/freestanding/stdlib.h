/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of <stdlib.h> before an operating system. */
#ifndef UNC_FREESTANDING_STDLIB_H
#define UNC_FREESTANDING_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
long long llabs(long long n);
unsigned long long strtoull(const char *text, char **end, int base);
void qsort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b));
void *bsearch(const void *key, const void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b));
#endif
