/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory traffic on this computer, made by a child process: this one has a filter of system calls that allows neither threads nor
 * pages of a node, and the child has one of its own, no capability, and its caller's rights.  It ends with its parent.
 */
#ifndef UNC_CLI_TRAFFIC_H
#define UNC_CLI_TRAFFIC_H

#include "cli/cli.h"

struct traffic_child;

/*
 * Before confine(), and before a machine is opened: the child has whatever is open by then, and closes it.  EXIT_DONE, or the exit
 * status of what it said.  SIGPIPE is ignored from then on.
 */
int traffic_child_start(const struct globals *globals, struct traffic_child **ret_child);
/* For unc_machine_cfg.traffic_maker; asks the kernel for no more than every confined process may.  The child outlives it. */
struct unc_traffic_maker traffic_child_maker(struct traffic_child *child);
/* When the last traffic began, CLOCK_MONOTONIC_RAW; 0: it was ordered to make none. */
uint64_t traffic_child_began_ns(const struct traffic_child *child);
/* Ends it, and its traffic.  NULL is fine. */
void traffic_child_end(struct traffic_child *child);

#endif
