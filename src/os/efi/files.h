/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the volume that the program was loaded from. */
#ifndef UNC_OS_EFI_FILES_H
#define UNC_OS_EFI_FILES_H

#include "base/err.h"
#include "os/efi/efi.h"

/* A path from the root of the volume, with / or \.  NULL: *ret_status says why. */
struct efi_file *unc_efi_open(const char *path, uint64_t mode, EFI_STATUS *ret_status);
/* A folder, made if need be, but not its parents. */
struct efi_file *unc_efi_make_folder(const char *path, EFI_STATUS *ret_status);
/* Gives it another name in its folder, which no file has. */
EFI_STATUS unc_efi_rename(struct efi_file *file, const char *name);
int unc_efi_errno(EFI_STATUS status);
/* Turns the error of a file into one of ours. */
int unc_efi_fail(struct unc_ctx *ctx, EFI_STATUS status, const char *path);
/* As unc_os_file_read() and unc_os_dir_list(), of what is open. */
int unc_efi_read_all(struct unc_ctx *ctx, struct efi_file *file, const char *path, size_t max, char **ret_text,
		     size_t *ret_len);
int unc_efi_names(struct unc_ctx *ctx, struct efi_file *folder, const char *path, const char *const **ret_names,
		  size_t *ret_n);

#endif
