// SPDX-License-Identifier: GPL-2.0-or-later
/* The console, keys and files of the volume, as POSIX calls them. */
#include "os/efi/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FILES = 16, FIRST_FILE = 3 };
static struct efi_file *files[FILES];

/* ---- names and errors ---- */

/* Characters beyond 16 bits, and ill ones, become '?'.  Returns how many bytes were taken; *ret_code: the character. */
static size_t take_character(const char *text, size_t len, CHAR16 *ret_code)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t more = at[0] < 0x80 ? 0 : at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : 1;
	uint32_t code = more == 0 ? at[0] : more == 1 ? at[0] & 0x1f : more == 2 ? at[0] & 0xf : 0x10000;

	if (more >= len) {
		*ret_code = '?';
		return len;
	}
	for (size_t i = 1; i <= more; i++)
		code = code << 6 | (at[i] & 0x3f);
	*ret_code = code > UINT16_MAX ? '?' : (CHAR16)code;
	return more + 1;
}

/* From the root of the volume, whose name ("fs0:") may be in front. */
static struct efi_file *open_as(const char *path, uint64_t mode, uint64_t attributes, EFI_STATUS *ret_status)
{
	const char *colon = strchr(path, ':'), *at = colon ? colon + 1 : path;
	size_t len = strlen(at), n = 0;
	struct efi_file *file = NULL;
	CHAR16 name[256];

	while (len && n + 1 < sizeof(name) / sizeof(name[0])) {
		size_t taken = take_character(at, len, &name[n]);

		if (name[n] == '/')
			name[n] = '\\';
		n++;
		at += taken;
		len -= taken;
	}
	name[n] = 0;
	*ret_status = efi->root ? efi->root->Open(efi->root, &file, name, mode, attributes) : EFI_NOT_FOUND;
	return *ret_status == EFI_SUCCESS ? file : NULL;
}

struct efi_file *unc_efi_open(const char *path, uint64_t mode, EFI_STATUS *ret_status)
{
	return open_as(path, mode, 0, ret_status);
}

struct efi_file *unc_efi_make_folder(const char *path, EFI_STATUS *ret_status)
{
	return open_as(path, EFI_FILE_READ | EFI_FILE_WRITE | EFI_FILE_CREATE, EFI_FILE_DIRECTORY, ret_status);
}

EFI_STATUS unc_efi_rename(struct efi_file *file, const char *name)
{
	struct efi_file_info info;
	size_t size = sizeof(info), len = strlen(name);
	EFI_STATUS status = file->GetInfo(file, &EFI_FILE_INFO, &size, &info);

	if (status != EFI_SUCCESS)
		return status;
	for (size_t i = 0; i <= len && i < EFI_FILE_NAME; i++)
		info.FileName[i] = (unsigned char)name[i];
	info.Size = offsetof(struct efi_file_info, FileName) + 2 * (len + 1);
	return file->SetInfo(file, &EFI_FILE_INFO, (size_t)info.Size, &info);
}

static int errno_of(EFI_STATUS status)
{
	return status == EFI_NOT_FOUND         ? ENOENT
	       : status == EFI_WRITE_PROTECTED ? EROFS
	       : status == EFI_VOLUME_FULL     ? ENOSPC
	       : status == EFI_ACCESS_DENIED   ? EACCES
					       : EIO;
}

/* ---- keys ---- */

bool unc_efi_interrupted(void)
{
	static bool interrupted;
	EFI_INPUT_KEY key;

	while (!interrupted && efi->system->ConIn &&
	       efi->system->ConIn->ReadKeyStroke(efi->system->ConIn, &key) == EFI_SUCCESS)
		interrupted = key.ScanCode == EFI_SCAN_ESC || key.UnicodeChar == EFI_CTRL_C;
	return interrupted;
}

/* ---- descriptors ---- */

int open(const char *path, int flags, ...)
{
	uint64_t mode = flags & (O_WRONLY | O_RDWR) ? EFI_FILE_READ | EFI_FILE_WRITE : EFI_FILE_READ;
	struct efi_file *file;
	EFI_STATUS status;
	int fd = FIRST_FILE;

	while (fd < FILES && files[fd])
		fd++;
	if (fd == FILES) {
		errno = EMFILE;
		return -1;
	}
	if (flags & O_TRUNC) {
		file = unc_efi_open(path, mode, &status);
		if (file)
			file->Delete(file);
	}
	file = unc_efi_open(path, flags & O_CREAT ? mode | EFI_FILE_CREATE : mode, &status);
	if (!file) {
		errno = errno_of(status);
		return -1;
	}
	files[fd] = file;
	return fd;
}

int dup(int fd) /* of the console */
{
	return fd;
}

int close(int fd)
{
	EFI_STATUS status = EFI_SUCCESS;

	if (fd >= FIRST_FILE && fd < FILES && files[fd]) {
		status = files[fd]->Flush(files[fd]);
		files[fd]->Close(files[fd]);
		files[fd] = NULL;
	}
	errno = errno_of(status);
	return status == EFI_SUCCESS || status == EFI_ACCESS_DENIED ? 0 : -1; /* one that was read cannot be flushed */
}

void unc_efi_files_end(void)
{
	for (int fd = FIRST_FILE; fd < FILES; fd++)
		close(fd);
}

static void write_console(const char *text, size_t len)
{
	struct efi_text_output *out = efi->system->ConOut;
	CHAR16 line[130];
	size_t n = 0;

	while (len && out) {
		size_t taken = take_character(text, len, &line[n]);

		if (line[n] == '\n') {
			line[n++] = '\r';
			line[n] = '\n';
		}
		n++;
		text += taken;
		len -= taken;
		if (len == 0 || n >= 127) {
			line[n] = 0;
			out->OutputString(out, line);
			n = 0;
		}
	}
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	EFI_STATUS status;

	if (fd == STDOUT_FILENO || fd == STDERR_FILENO) {
		if (unc_efi_serial_is_open())
			unc_efi_serial_put(bytes, len);
		else
			write_console(bytes, len);
		return (ssize_t)len;
	}
	if (fd < FIRST_FILE || fd >= FILES || !files[fd]) {
		errno = EBADF;
		return -1;
	}
	status = files[fd]->Write(files[fd], &len, bytes);
	errno = errno_of(status);
	return status == EFI_SUCCESS ? (ssize_t)len : -1;
}

ssize_t read(int fd, void *bytes, size_t len)
{
	EFI_STATUS status;

	if (fd >= FIRST_FILE && fd < FILES && files[fd]) {
		status = files[fd]->Read(files[fd], &len, bytes);
		errno = errno_of(status);
		return status == EFI_SUCCESS ? (ssize_t)len : -1;
	}
	if (!len || !unc_efi_interrupted()) {
		errno = EAGAIN;
		return -1;
	}
	*(char *)bytes = EFI_CTRL_C;
	return 1;
}

int ioctl(int fd, int what, struct winsize *ret_size)
{
	struct efi_text_output *out = efi->system->ConOut;
	size_t columns, rows;

	(void)what;
	if (fd >= FIRST_FILE || !out || unc_efi_serial_is_open() ||
	    out->QueryMode(out, (size_t)out->Mode->Mode, &columns, &rows) != EFI_SUCCESS)
		return -1;
	*ret_size = (struct winsize){.ws_row = (unsigned short)rows,
				     .ws_col = (unsigned short)(columns - 1)}; /* the last one wraps */
	return 0;
}
