// SPDX-License-Identifier: GPL-2.0-or-later
/* base/os.h under firmware: files of the volume that the program was loaded from, and no other process. */

#include "base/text.h"
#include "os/efi/files.h"

int unc_efi_fail(struct unc_ctx *ctx, EFI_STATUS status, const char *path)
{
	if (status == EFI_NOT_FOUND)
		return unc_fail_named(ctx, UNC_ENODEV, "ENOENT", "%s: %s", path,
				      efi->root ? "there is no such file on the volume of this program"
						: "firmware offers no files where this program comes from");
	if (status == EFI_WRITE_PROTECTED || status == EFI_ACCESS_DENIED)
		return unc_fail_named(ctx, UNC_EPERM, "EROFS", "%s: the volume is write-protected", path);
	if (status == EFI_OUT_OF_RESOURCES)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
	if (status == EFI_VOLUME_FULL)
		return unc_fail_named(ctx, UNC_EIO, "ENOSPC", "%s: the volume is full", path);
	return unc_fail(ctx, UNC_EIO, "%s: firmware reports error %u", path, (unsigned)status);
}

int unc_os_file_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		     size_t *ret_len)
{
	enum { PIECE = 65536 };
	size_t len = 0, n = 1;
	char *text = NULL;
	EFI_STATUS status;
	struct efi_file *file = unc_efi_open(path, EFI_FILE_READ, &status);

	(void)trust; /* who has the volume has the machine */
	if (!file)
		return unc_efi_fail(ctx, status, path);
	while (status == EFI_SUCCESS && n > 0 && len <= max) {
		char *more = realloc(text, len + PIECE + 1);

		text = more ? more : text;
		n = PIECE;
		status = more ? file->Read(file, &n, text + len) : EFI_OUT_OF_RESOURCES;
		len += status == EFI_SUCCESS ? n : 0;
	}
	file->Close(file);
	if (status != EFI_SUCCESS || len > max) {
		free(text);
		return status != EFI_SUCCESS
			       ? unc_efi_fail(ctx, status, path)
			       : unc_fail(ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path,
					  max);
	}
	text[len] = '\0';
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return UNC_OK;
}

int unc_os_dir_trust(struct unc_ctx *ctx, const char *path)
{
	EFI_STATUS status;
	struct efi_file *file = unc_efi_open(path, EFI_FILE_READ, &status);

	if (!file)
		return unc_efi_fail(ctx, status, path);
	file->Close(file);
	return UNC_OK;
}

/* Names are kept in ASCII; others become '?' and are not found again. */
int unc_os_dir_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n)
{
	const char *const *list;
	struct unc_names names = {0};
	struct efi_file_info entry;
	size_t size = 1, n;
	EFI_STATUS status;
	struct efi_file *folder = unc_efi_open(path, EFI_FILE_READ, &status);

	while (status == EFI_SUCCESS && size > 0) {
		char name[EFI_FILE_NAME] = "";

		size = sizeof(entry);
		status = folder->Read(folder, &size, &entry);
		for (size_t i = 0; status == EFI_SUCCESS && size && entry.FileName[i] && i + 1 < sizeof(name); i++)
			name[i] = entry.FileName[i] < 0x7f ? (char)entry.FileName[i] : '?';
		if (name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !unc_names_add(&names, name))
			status = EFI_OUT_OF_RESOURCES;
	}
	if (folder)
		folder->Close(folder);
	n = names.n;
	list = unc_names_list(&names, true);
	if (status != EFI_SUCCESS || !list) {
		free((void *)list);
		return unc_efi_fail(ctx, list ? status : EFI_OUT_OF_RESOURCES, path);
	}
	*ret_names = list;
	*ret_n = n;
	return UNC_OK;
}

int unc_os_file_open(struct unc_ctx *ctx, const char *path, int *ret_file)
{
	(void)ret_file;
	return unc_fail(ctx, UNC_ENOSUP, "%s: records are not replayed under firmware", path);
}

int unc_os_look(struct unc_ctx *ctx, enum unc_look what, const char *path, size_t max, struct unc_os_found *ret_found)
{
	(void)what, (void)max, (void)ret_found;
	return unc_fail_named(ctx, UNC_ENODEV, "ENOENT", "%s: no operating system runs, whose files could be read",
			      path);
}

int unc_os_self(struct unc_ctx *ctx, struct unc_os_self *ret_self)
{
	(void)ctx;
	*ret_self = (struct unc_os_self){.pid = 1, .command = "uncorectl.efi"};
	return UNC_OK;
}
