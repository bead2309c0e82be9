/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading files by way of the context: from the host, or from a layer between, which notes what was read or
 * answers from such notes (access/record.h).
 */
#ifndef UNC_BASE_FILES_H
#define UNC_BASE_FILES_H

#include "base/os.h"

struct unc_files {
	int (*list)(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n);
	int (*read)(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		    size_t *ret_len);
};

/* As unc_os_dir_list() of a folder that unc_os_dir_trust() is content with, and unc_os_file_read(), with their errors. */
int unc_files_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n);
int unc_files_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		   size_t *ret_len);

#endif
