/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_MACHINE_NODES_H
#define UNC_MACHINE_NODES_H

#include "machine/machine.h"

/*
 * Adds the boxes that a unit has on each node or L3 of a socket.  A box may have a copy of the unit, whose registers are its own:
 * with the offsets and the number of counters that CPUID tells.  UNC_ENOMEM; or the error of CPUID.
 */
int unc_node_boxes_make(struct unc_machine *m, const struct unc_unit *unit, const struct unc_socket *socket);
/* When all boxes are made: finds those that count for units without registers. */
void unc_node_boxes_join(struct unc_machine *m);
/* True if it is a box of the node or L3 that this CPU has, so that it reaches its registers. */
bool unc_node_box_has(const struct unc_box *box, unsigned cpu);
/*
 * Reaches a box of a node or an L3 by another CPU of it, since its own cannot be reached: they share the registers.  A lock
 * on the file of the former ends.  UNC_ENODEV, and the message stays: it is no such box, or there is no other CPU.
 */
int unc_node_box_move(struct unc_box *box);
void unc_node_parts_free(struct unc_machine *m);

#endif
