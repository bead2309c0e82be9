/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing registers.  Only machine/gate.c includes this, and tools/check-layers fails the build when another
 * file of the library or the command does: every write of every command passes the gate.
 */
#ifndef UNC_ACCESS_WRITE_H
#define UNC_ACCESS_WRITE_H

#include "access/access.h"

/* As the reads in access/access.h; UNC_EDENIED: the bus was not opened for writing. */
int unc_write32(struct unc_space *space, uint64_t off, uint32_t value);
int unc_write64(struct unc_space *space, uint64_t off, uint64_t value);

#endif
