/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --trace FILE: writes lines to a file. */
#ifndef UNC_CLI_TRACE_FILE_H
#define UNC_CLI_TRACE_FILE_H

#include <stdbool.h>

struct trace_file;

struct trace_file *trace_file_open(const char *path); /* NULL: it failed, after a message */
void trace_file_line(void *file, const char *line);   /* usable as unc_machine_cfg.trace */
bool trace_file_close(struct trace_file *file);       /* false: not everything was written, after a message */

#endif
