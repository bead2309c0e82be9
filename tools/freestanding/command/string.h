/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_STRING_H
#define UNC_COMMAND_STRING_H
#include_next <string.h>
void *memrchr(const void *memory, int byte, size_t size);
char *stpcpy(char *to, const char *from);
size_t strnlen(const char *text, size_t size);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
char *strsep(char **rest, const char *ends);
int strverscmp(const char *a, const char *b);
const char *strerror(int error);
#include <strings.h>
#endif
