/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record in memory. */
#ifndef UNC_TESTS_ONRECORD_H
#define UNC_TESTS_ONRECORD_H

#include <CUnit/CUnit.h>
#include <stdio.h>

struct text {
	char bytes[65536];
	size_t len;
};

/* Adds a line of it; arg is a struct text. */
static inline void add_line(void *arg, const char *line)
{
	struct text *text = arg;
	size_t room = sizeof(text->bytes) - text->len;
	int n = snprintf(text->bytes + text->len, room, "%s\n", line);

	CU_ASSERT_FATAL(n > 0 && (size_t)n < room);
	text->len += (size_t)n;
}

#endif
