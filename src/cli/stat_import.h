/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stat --import-perfmon FILE`: allows names of an event list of the intel/perfmon project in -e. */
#ifndef UNC_CLI_STAT_IMPORT_H
#define UNC_CLI_STAT_IMPORT_H

#include "cli/event_list.h"
#include "uncore.h"

/*
 * Replaces every name that only the file has, and every one that begins with UNC_, by the file's encoding; notes if a name that was
 * used has another meaning in the machine's map.  UNC_ENOREG: the file has no such name; UNC_ENOSUP: it cannot be counted here;
 * other errors are those of perfmon_read().
 */
int stat_import(struct unc_ctx *ctx, const struct unc_machine *machine, const char *path, struct event_list *events);

#endif
