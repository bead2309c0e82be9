/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of runs: the file that `record` writes, and what of it stands before a machine that is replayed is opened. */
#ifndef UNC_CLI_RECORD_H
#define UNC_CLI_RECORD_H

#include <stdbool.h>

struct recorder;

void recorder_line(void *recorder, const char *line); /* fits unc_machine_cfg.record; the first empties the file */
/* The file that the command reads besides, for unc_machine_cfg.record_input; or NULL. */
const char *recorder_input(const struct recorder *recorder);
/* False: not everything was written, which was said. */
bool recorder_end(struct recorder *recorder);

/* "replay:FILE": the file; NULL: another kind of machine, or none. */
const char *replayed_file(const char *machine);

struct replayed { /* what a record says of the run, before it is run again */
	int argc;
	char **argv; /* of the command; owned, with its texts */
	bool dry_run, observe;
};
/* Makes local time that of the record.  The exit status. */
int replayed_open(const char *path, struct replayed *ret_replayed);
/* Whether its command may be run as it stands there; the exit status. */
int replayed_check(const char *path, const struct replayed *replayed);
void replayed_close(struct replayed *replayed);

#endif
