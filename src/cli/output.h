/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of data to stdout, stderr or a file.  Text is gathered and written at once, so that a reader sees whole samples. */
#ifndef UNC_CLI_OUTPUT_H
#define UNC_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdint.h>

#include "uncore.h"

struct output {
	int fd;
	const char *name; /* for messages; NULL: not open */
	bool terminal;
	bool ours;   /* the descriptor was opened here */
	bool failed; /* a message was printed; nothing more is written */
	char *text;  /* owned */
	size_t len, size;
	/* Samples that follow one another faster than this are gathered for so long; 0: each is written at once. */
	uint64_t gather_ns;
	uint64_t written_ns; /* when it was last written, in pacing time */
	bool more;           /* the next sample follows at once, and both are written together */
};

/*
 * path NULL: uses the descriptor fd, called name; otherwise creates or empties the file.  False: that failed, after a message; the
 * output is not open.
 */
bool output_open(struct output *out, const char *path, int fd, const char *name);
/* The line ends of fmt stay; everything else passes through unc_text_show(), so arguments may come from anywhere. */
void output_printf(struct output *out, const char *fmt, ...) UNC_PRINTF(2, 3);
/*
 * Write a text from anywhere: the first through unc_text_show(); the second for JSON between quotes, escaped, with U+FFFD for what
 * is not UTF-8.
 */
void output_shown(struct output *out, const char *text);
void output_json(struct output *out, const char *text);
/* Writes the bytes unchanged: only for bytes that the caller made itself. */
void output_append(struct output *out, const char *bytes, size_t len);
/* The same; these and the numbers below are as fast as possible, since most of a sample's output is such fields. */
void output_text(struct output *out, const char *text);
void output_u64(struct output *out, uint64_t number);
void output_rounded(struct output *out, double number);
/* Writes what was gathered.  False: closed or full, after one message. */
bool output_flush(struct output *out);
/* The same at the end of a sample, where gather_ns may delay it. */
bool output_end_sample(struct output *out);
/* Flushes and closes.  False as above. */
bool output_close(struct output *out);

struct window {
	unsigned columns, rows;
};
/* The current size of the terminal; 80 x 24 if it is not known. */
struct window output_window(const struct output *out);

#endif
