/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mount point, and what can be wrong with it. */
#ifndef SIMFS_MOUNT_H
#define SIMFS_MOUNT_H

#include "fs.h"

/*
 * Looks whether a machine can be mounted there, before anything is.  *ret_fd keeps others from mounting there at the same time,
 * until it is closed.  DONE, or an exit status after a sentence.
 */
int mount_check(const char *mountpoint, int *ret_fd);

/* Mounts, serves until SIGTERM, SIGINT, SIGHUP or umount, unmounts.  The exit status. */
int mount_serve(struct fs *fs, const char *mountpoint);

#endif
