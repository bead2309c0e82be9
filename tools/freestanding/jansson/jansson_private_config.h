/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What configure writes for jansson's own files: here it reads from memory only, and no list of names is chosen to slow it down. */
#ifndef UNC_JANSSON_PRIVATE_CONFIG_H
#define UNC_JANSSON_PRIVATE_CONFIG_H
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define HAVE_STDINT_H 1
#undef stdin
#define stdin             NULL
#define fopen(path, mode) NULL
#define fgetc             unc_no_byte
#define time(at)          1
static inline int unc_no_byte(FILE *file)
{
	(void)file;
	return EOF;
}
#endif
