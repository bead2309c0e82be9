/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_STDLIB_H
#define UNC_COMMAND_STDLIB_H
#include_next <stdlib.h>
_Noreturn void exit(int status);
double strtod(const char *text, char **end);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
void qsort_r(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *arg), void *arg);
static inline char *secure_getenv(const char *name)
{
	(void)name;
	return NULL;
}
static inline int setenv(const char *name, const char *value, int replace)
{
	(void)name, (void)value, (void)replace;
	return 0;
}
#endif
