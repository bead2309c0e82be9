/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of runs: the file that `record` writes, and the part of it that is read before a replayed machine is opened. */
#ifndef UNC_CLI_RECORD_H
#define UNC_CLI_RECORD_H

#include "cli/cli.h"

struct recorder {
	struct line_file file; /* it is closed once the record has ended */
	bool created, begun;
	bool dry_run, observe;
	char **options; /* owned, with their texts */
	size_t n_options;
	const char *input; /* a further file that the command reads, not owned; or NULL */
};

void recorder_line(void *recorder, const char *line); /* usable as unc_machine_cfg.record; empties the file first */

/* Returns FILE of "replay:FILE"; NULL: another kind of machine, or none. */
const char *replayed_file(const char *machine);

/*
 * Runs the arguments, or if there are none the command that was recorded, on the machine of globals, which is a record; local time
 * becomes that of the record.  as_csv: a command that was recorded writes its data as CSV to standard output.  Returns the exit status.
 */
int replayed_run(struct globals *globals, int argc, char **argv, bool as_csv);

#endif
