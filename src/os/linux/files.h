/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths below a machine's root, and the short files of sysfs and procfs, read with three system calls. */
#ifndef UNC_OS_LINUX_FILES_H
#define UNC_OS_LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os.h"
#include "os/linux/root.h"

enum { UNC_LINUX_PATH_MAX = 4096 }; /* Linux's PATH_MAX */

struct unc_linux_path {
	char text[UNC_LINUX_PATH_MAX];
};

/* UNC_EARG: longer than Linux can open. */
int unc_linux_path(struct unc_ctx *ctx, struct unc_linux_path *ret_path, const char *fmt, ...) UNC_PRINTF(3, 4);

/* root as in unc_linux_open(), here and below.  Whether there is a file of that name, as far as this process may see; errno says why not. */
bool unc_linux_is_there(struct unc_linux_root *root, const char *path);

/*
 * One read() of at most size - 1 bytes, a zero behind them: what a file of sysfs or procfs needs, and no sentence.
 * Returns 0 or an errno; a file that does not fit is EFBIG.
 */
int unc_linux_short_file(struct unc_linux_root *root, const char *path, char *buf, size_t size);
/* The same for a file with one decimal number, perhaps negative; EINVAL when it has none. */
int unc_linux_number_file(struct unc_linux_root *root, const char *path, int64_t *ret_number);

/* unc_os_file_read(), unc_os_dir_list() and unc_os_link_read() of a machine's files. */
int unc_linux_file_read(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, size_t max, char **ret_text,
			size_t *ret_len);
int unc_linux_dir_list(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path,
		       const char *const **ret_names, size_t *ret_n);
int unc_linux_link_read(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, char **ret_text);

#endif
