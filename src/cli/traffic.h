/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory traffic on this computer, made by a child process: the system call filter of this process allows neither threads nor pages
 * of a node.  The child has its own filter, no capability, and its caller's rights.  It ends with its parent.
 */
#ifndef UNC_CLI_TRAFFIC_H
#define UNC_CLI_TRAFFIC_H

#include "cli/cli.h"
#include "uncore/traffic.h"

struct traffic_child;

/*
 * Call this before confine(), and before a machine is opened: the child inherits whatever is open, and closes it.  EXIT_DONE, or
 * the exit status after a message.  SIGPIPE is ignored from then on.
 */
int traffic_child_start(const struct globals *globals, struct traffic_child **ret_child);
/* For unc_machine_cfg.traffic_maker; it makes only system calls that every confined process may make.  The child outlives it. */
struct unc_traffic_maker traffic_child_maker(struct traffic_child *child);
/* The time when the last traffic began, CLOCK_MONOTONIC_RAW; 0: no traffic was made. */
uint64_t traffic_child_began_ns(const struct traffic_child *child);
/* Ends the child and its traffic.  NULL is fine. */
void traffic_child_end(struct traffic_child *child);

#endif
