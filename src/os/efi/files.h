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
/* Turns the error of a file into one of ours. */
int unc_efi_fail(struct unc_ctx *ctx, EFI_STATUS status, const char *path);

#endif
