/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of <stdio.h> before an operating system: printing into memory.  FILE is only a name, for libyaml's header. */
#ifndef UNC_FREESTANDING_STDIO_H
#define UNC_FREESTANDING_STDIO_H
#include <stdarg.h>
#include <stddef.h>
typedef struct unc_no_such_file FILE;
int snprintf(char *text, size_t size, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, va_list args);
#endif
