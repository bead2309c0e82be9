/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stat --explain`. */
#ifndef UNC_CLI_STAT_H
#define UNC_CLI_STAT_H

#include "cli/counted.h"

/* Prints how the metrics of the last sample follow from their counts: into out; NULL: on standard error. */
void stat_explain(const struct counted *counted, struct output *out);

#endif
