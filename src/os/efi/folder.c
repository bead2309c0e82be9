// SPDX-License-Identifier: GPL-2.0-or-later
/* base/os.h under firmware: a folder of files on the volume that the program was loaded from.  No other process can have one locked. */

#include "base/text.h"
#include "os/efi/files.h"

struct unc_os_folder {
	struct unc_ctx *ctx; /* outlives it */
	char *path;          /* owned */
};

struct unc_os_held {
	struct unc_os_folder *folder; /* outlives it */
	struct efi_file *file;
	char *path; /* owned */
};

static char *path_in(const struct unc_os_folder *folder, const char *name)
{
	return unc_text_new("%s/%s", folder->path, name);
}

static int no_memory(struct unc_ctx *ctx)
{
	return unc_fail(ctx, UNC_ENOMEM, "journal: out of memory");
}

int unc_os_folder_open(struct unc_ctx *ctx, const char *path, bool create, struct unc_os_folder **ret_folder)
{
	const char *name = path ? path : "uncorectl";
	struct unc_os_folder *folder;
	struct efi_file *file;
	EFI_STATUS status;

	file = create ? unc_efi_make_folder(name, &status) : unc_efi_open(name, EFI_FILE_READ, &status);
	if (!file)
		return unc_efi_fail(ctx, status, name);
	file->Close(file);
	folder = calloc(1, sizeof(*folder));
	if (folder)
		*folder = (struct unc_os_folder){.ctx = ctx, .path = unc_text_dup(name)};
	if (!folder || !folder->path) {
		free(folder);
		return no_memory(ctx);
	}
	*ret_folder = folder;
	return UNC_OK;
}

/* Firmware has no question whether a volume can be written, but writing. */
int unc_os_folder_could(struct unc_ctx *ctx, const char *path)
{
	return efi->root ? UNC_OK : unc_efi_fail(ctx, EFI_NOT_FOUND, path ? path : "uncorectl");
}

void unc_os_folder_close(struct unc_os_folder *folder)
{
	if (folder)
		free(folder->path);
	free(folder);
}

const char *unc_os_folder_path(const struct unc_os_folder *folder)
{
	return folder->path;
}

int unc_os_folder_list(struct unc_os_folder *folder, const char *const **ret_names, size_t *ret_n)
{
	return unc_os_dir_list(folder->ctx, folder->path, ret_names, ret_n);
}

int unc_os_folder_read(struct unc_os_folder *folder, const char *name, size_t max, bool *ret_held, char **ret_text,
		       size_t *ret_len)
{
	char *path = path_in(folder, name);
	int rc = path ? unc_os_file_read(folder->ctx, path, max, UNC_TRUST_OWNED, ret_text, ret_len)
		      : no_memory(folder->ctx);

	free(path);
	if (ret_held)
		*ret_held = false;
	return rc;
}

static bool is_there(const char *path)
{
	EFI_STATUS status;
	struct efi_file *file = unc_efi_open(path, EFI_FILE_READ, &status);

	if (file)
		file->Close(file);
	return file;
}

int unc_os_folder_hold(struct unc_os_folder *folder, const char *name, bool new, struct unc_os_held **ret_held)
{
	uint64_t mode = EFI_FILE_READ | EFI_FILE_WRITE | (new ? EFI_FILE_CREATE : 0);
	struct unc_os_held *held = calloc(1, sizeof(*held));
	char *path = path_in(folder, name);
	EFI_STATUS status = EFI_SUCCESS;
	int rc = held && path ? UNC_OK : no_memory(folder->ctx);

	if (rc == 0 && new &&is_there(path))
		rc = unc_fail(folder->ctx, UNC_EBUSY, "%s: there is such a file", path);
	if (rc == 0) {
		*held = (struct unc_os_held){folder, unc_efi_open(path, mode, &status), path};
		if (!held->file)
			rc = unc_efi_fail(folder->ctx, status, path);
	}
	if (rc < 0) {
		free(held);
		free(path);
		return rc;
	}
	*ret_held = held;
	return UNC_OK;
}

int unc_os_held_write(struct unc_os_held *held, uint64_t off, const void *bytes, size_t len)
{
	EFI_STATUS status = held->file->SetPosition(held->file, off);
	size_t n = len;

	if (status == EFI_SUCCESS)
		status = held->file->Write(held->file, &n, bytes);
	if (status == EFI_SUCCESS && n < len)
		status = EFI_VOLUME_FULL;
	return status == EFI_SUCCESS ? UNC_OK : unc_efi_fail(held->folder->ctx, status, held->path);
}

int unc_os_held_sync(struct unc_os_held *held)
{
	EFI_STATUS status = held->file->Flush(held->file);

	return status == EFI_SUCCESS ? UNC_OK : unc_efi_fail(held->folder->ctx, status, held->path);
}

int unc_os_held_rename(struct unc_os_held *held, const char *name)
{
	char *path = path_in(held->folder, name);
	EFI_STATUS status;

	if (!path)
		return no_memory(held->folder->ctx);
	if (is_there(path)) {
		free(path);
		return unc_fail(held->folder->ctx, UNC_EBUSY, "%s/%s: there is such a file", held->folder->path, name);
	}
	status = unc_efi_rename(held->file, name);
	if (status != EFI_SUCCESS) {
		free(path);
		return unc_efi_fail(held->folder->ctx, status, held->path);
	}
	free(held->path);
	held->path = path;
	return UNC_OK;
}

int unc_os_held_end(struct unc_os_held *held, bool remove)
{
	char name[256];
	EFI_STATUS status;
	int rc = UNC_OK;

	if (!held)
		return UNC_OK;
	/* FAT empties a file before it removes it.  If power fails in between, the empty file must not look like a damaged journal. */
	snprintf(name, sizeof(name), "new.%s", held->path + strlen(held->folder->path) + 1);
	if (remove)
		unc_efi_rename(held->file, name);
	status = remove ? held->file->Delete(held->file) : held->file->Close(held->file);
	if (status != EFI_SUCCESS)
		rc = unc_efi_fail(held->folder->ctx, status, held->path);
	free(held->path);
	free(held);
	return rc;
}
