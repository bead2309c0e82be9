/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stat --import-perfmon FILE`: names of an event list of the intel/perfmon project in -e. */
#ifndef UNC_CLI_STAT_IMPORT_H
#define UNC_CLI_STAT_IMPORT_H

#include "cli/event_list.h"
#include "uncore.h"

/*
 * Puts the file's encoding in place of every name that only the file has, and every one that begins with UNC_; notes where a name
 * that was used means something else in the machine's map.
 * UNC_ENOREG: the file has no such name; UNC_ENOSUP: it cannot be counted here; as perfmon_read() fails.
 */
int stat_import(struct unc_ctx *ctx, const struct unc_machine *machine, const char *path, struct event_list *events);

#endif
