/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where data goes: stdout, stderr or a file.  Text is gathered and written at once, so that a reader sees whole samples. */
#ifndef UNC_CLI_OUTPUT_H
#define UNC_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdint.h>

#include "uncore.h"

struct output {
	int fd;
	const char *name; /* for sentences; NULL: not open */
	bool terminal;
	bool ours;   /* the descriptor was opened here */
	bool failed; /* said already; nothing is written any more */
	char *text;  /* owned */
	size_t len, size;
	uint64_t
		gather_ns; /* samples that follow one another faster are gathered for so long; 0: each is written at once */
	uint64_t written_ns; /* when it was last written to, in pacing time */
	bool more;           /* the next sample follows at once, and both are written together */
};

/* path NULL: the descriptor fd, called name.  Creates or empties the file.  False: could not, which was said; then it is not open. */
bool output_open(struct output *out, const char *path, int fd, const char *name);
/* The line ends of fmt stay; everything else passes unc_text_show(), so arguments may come from anywhere. */
void output_printf(struct output *out, const char *fmt, ...) UNC_PRINTF(2, 3);
/* A text from anywhere: through unc_text_show().  And between quotes, in JSON: escaped there, with U+FFFD for what is not UTF-8. */
void output_shown(struct output *out, const char *text);
void output_json(struct output *out, const char *text);
/* As it is: only for bytes that the caller made itself. */
void output_append(struct output *out, const char *bytes, size_t len);
/* Likewise; as fast as can be are these and the numbers below, since most of a sample's output is such fields. */
void output_text(struct output *out, const char *text);
void output_u64(struct output *out, uint64_t number);
void output_rounded(struct output *out, double number);
/* Writes what was gathered.  False: closed or full, which was said once. */
bool output_flush(struct output *out);
/* The same at the end of a sample, where gather_ns may put it off. */
bool output_end_sample(struct output *out);
/* Flushes and closes.  False as above. */
bool output_close(struct output *out);

struct window {
	unsigned columns, rows;
};
/* The terminal's size now; 80 x 24 where it does not tell. */
struct window output_window(const struct output *out);

#endif
