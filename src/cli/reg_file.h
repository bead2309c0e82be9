/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a dump of registers as `reg dump` and `reg get` write it: CSV or JSON lines. */
#ifndef UNC_CLI_REG_FILE_H
#define UNC_CLI_REG_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct reg_record { /* one field */
	const char *box, *reg, *value, *field, *field_value;
};

struct reg_file {
	char *text;                 /* owned; the records point into it */
	struct reg_record *records; /* in the order of the file; owned */
	size_t n;
};

/* path "-": standard input.  False: it cannot be read, or is not a dump, after a message with FILE:LINE. */
bool reg_file_read(const char *path, struct reg_file *ret_file);
void reg_file_clear(struct reg_file *file);

#endif
