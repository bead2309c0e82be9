/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <string.h>, but for what needs a locale or an allocator behind the caller's back. */
#ifndef UNC_FREESTANDING_STRING_H
#define UNC_FREESTANDING_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *memory, int byte, size_t size);
void *memchr(const void *memory, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strncpy(char *to, const char *from, size_t size);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strpbrk(const char *text, const char *set);
#endif
