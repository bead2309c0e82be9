/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the operating system's files does not go into a record, since it would name hosts, users, folders and programs. */
#ifndef UNC_ACCESS_RECORD_PRIVATE_H
#define UNC_ACCESS_RECORD_PRIVATE_H

#include <stddef.h>

/*
 * Cuts the text of a file of len bytes, which has a zero behind them, down to what this program asks of it:
 *   /proc/mounts and its like           the file systems of resctrl, and what is mounted at /sys
 *   a thread's status                   the CPUs on which it may run
 *   stat of the COMMAND and its own,
 *   and of a thread                     all but the name of the program
 *   where a descriptor leads            whether it is a perf event
 *   our own status                      user and capabilities
 *   the cgroup of process 1             the maker of the container that it names
 *   /run/.containerenv                  nothing
 * Any other is left as it is.  The new length.  Who is recorded gets to see the same, so that a replay does as he did.
 */
size_t unc_record_cut_private(const char *path, char *text, size_t len);

/* The maker of a container whom the text of /proc/1/cgroup names (cgroups(7)); NULL: none that is known.  Static text. */
const char *unc_record_container(const char *cgroup);

#endif
