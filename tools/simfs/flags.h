/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SIMFS_FLAGS_H
#define SIMFS_FLAGS_H

#include "fs.h"

/* The names of a CPU's features, each with a blank in front, in Linux's order. */
void flags_print(struct fs *fs, unsigned cpu, struct out *out);

#endif
