/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing two outputs of uncorectl: `diff`, and `reg diff`, which takes dumps of registers only. */
#ifndef UNC_CLI_DIFF_H
#define UNC_CLI_DIFF_H

#include "cli/curves.h"
#include "cli/emit.h"
#include "cli/options.h"

enum { DIFF_BUT_MAX = 32 };

struct diff_but { /* registers that are left out */
	const char *list[DIFF_BUT_MAX];
	unsigned n;
};
option_fn diff_take_but; /* struct diff_but */
/* clang-format off */
#define DIFF_BUT(type) \
	{"but", "PATTERN", diff_take_but, offsetof(type, but), \
	 .help = "leave out such registers: REG, REG.FIELD or BOX.REG[.FIELD] with * and ?, e.g.\n" \
		 "'*CTR*', which count and so always differ; may be given several times"}
/* clang-format on */

struct diff_options {
	enum format format;
	const char *path; /* NULL: stdout */
	struct diff_but but;
	double threshold; /* percent */
};

/* command: "diff", or "reg diff".  Returns the exit status. */
int diff_run(const char *command, const struct globals *globals, const struct diff_options *options, char **files,
	     int n_files);

#endif
