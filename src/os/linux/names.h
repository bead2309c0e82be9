/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in an open directory. */
#ifndef UNC_OS_LINUX_NAMES_H
#define UNC_OS_LINUX_NAMES_H

#include <stddef.h>

/*
 * From where it was read last to its end, but "." and "..", sorted by strcmp.  One allocation: free(*ret_names) frees all.
 * Returns 0 or an errno.
 */
int unc_linux_names(int fd, const char *const **ret_names, size_t *ret_n);

#endif
