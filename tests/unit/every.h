/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load under which every event of a simulated machine comes at a rate of its own, and what must be counted then. */
#ifndef UNC_TESTS_EVERY_H
#define UNC_TESTS_EVERY_H

#include "sim/sim.h"

/* Is there a register map for the CPU of this model?  Anything else that goes wrong with it is a failure. */
bool every_has_map(const char *model);

/*
 * A load file for a machine ("hsx,sockets=2"): no two events have the same rate on a channel, and no two channels have the
 * same rate of an event.  All that sub-events add up to is still less than one a cycle.  unlink() and free() it.
 */
char *every_load(const char *args);

/*
 * How often that had happened at a channel by a raw time which a control with this code and umask counts, by what the model
 * says they select.  The number of the model's event is in *ret_event, or SIZE_MAX when it is a sum of several; 0 and
 * SIZE_MAX when they select nothing.
 */
uint64_t every_truth(struct unc_host *host, const struct unc_addr *addr, unsigned code, unsigned umask, uint64_t raw_ns,
		     size_t *ret_event);

#endif
