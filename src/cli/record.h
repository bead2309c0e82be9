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

struct replayed { /* what a record says of the run, before it is run again */
	int argc;
	char **argv; /* arguments of the command; owned, with their texts */
	bool dry_run, observe;
};
/* Sets local time to that of the record.  Returns the exit status. */
int replayed_open(const char *path, struct replayed *ret_replayed);
/*
 * Checks whether the record's command may be run as it is, and has its options checked when they are parsed.  Returns the exit status.
 */
int replayed_check(const char *path, const struct replayed *replayed);
void replayed_close(struct replayed *replayed);

#endif
