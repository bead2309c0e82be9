/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chips of POWER, whose microcode counts in an area of memory. */
#ifndef UNC_SIM_NEST_H
#define UNC_SIM_NEST_H

#include "sim/kernel_files.h"

enum { UNC_SIM_CHIP_STEP = 8 /* numbers of chips are 0, 8, 16 */, UNC_SIM_AREA_BYTES = 0x40000 };

/* Reads words of a chip's area, each of them with its low byte first. */
void unc_sim_nest_read(struct unc_sim *sim, unsigned chip, uint64_t off, unsigned char *bytes, size_t len);
/*
 * Writes the word at 0x3fc08, a command, which the microcode takes when it runs next; or the status, which is the same and takes no time, as
 * a program waits for it.  UNC_EIO: any other word, and any other command than 1 and 2.
 */
int unc_sim_nest_write(struct unc_sim *sim, unsigned chip, uint64_t off, uint64_t value);
/* Calls unc_sim_asks() for the files of the device tree.  Returns the length of the one that is asked for; 0: it is none of them. */
size_t unc_sim_nest_files(const struct unc_sim *sim, struct unc_sim_asked *asked);

#endif
