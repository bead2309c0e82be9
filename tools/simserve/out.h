/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that grows: the content of a file. */
#ifndef SIMSERVE_OUT_H
#define SIMSERVE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "uncore.h"

struct out {
	char *text; /* owned by the owner of the struct */
	size_t len, room;
	bool failed; /* out of memory: what is there is not whole */
};

void out_bytes(struct out *out, const void *bytes, size_t len);
void out_printf(struct out *out, const char *fmt, ...) UNC_PRINTF(2, 3);
void out_vprintf(struct out *out, const char *fmt, va_list args);
/* A JSON string, quotes included. */
void out_json(struct out *out, const char *text);

/* Sets of small numbers, CPUs or nodes, as the kernel prints them, with a newline behind. */
struct set {
	size_t n; /* 0 to n - 1 may be in it */
	bool (*has)(const void *arg, size_t i);
	const void *arg;
};
void out_list(struct out *out, const struct set *set); /* "0-3,8" */
void out_mask(struct out *out, const struct set *set); /* "0000000f,ffffffff" */

#endif
