// SPDX-License-Identifier: GPL-2.0-or-later
/* The console, keys, files of the volume, and streams on them, as POSIX and C call them. */
#include "os/efi/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
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
	enum { NAMES = 256 };
	struct {
		struct efi_file_info info;
		CHAR16 name[NAMES];
	} whole;
	size_t size = sizeof(whole), len = strlen(name);
	EFI_STATUS status = file->GetInfo(file, &EFI_FILE_INFO, &size, &whole);

	if (status != EFI_SUCCESS)
		return status;
	for (size_t i = 0; i <= len && i < NAMES; i++)
		whole.name[i] = (unsigned char)name[i];
	whole.info.Size = sizeof(whole.info) + 2 * (len + 1);
	return file->SetInfo(file, &EFI_FILE_INFO, (size_t)whole.info.Size, &whole);
}

int unc_efi_errno(EFI_STATUS status)
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
		errno = unc_efi_errno(status);
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
	errno = unc_efi_errno(status);
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
	errno = unc_efi_errno(status);
	return status == EFI_SUCCESS ? (ssize_t)len : -1;
}

ssize_t read(int fd, void *bytes, size_t len)
{
	(void)fd; /* only keys are read in this way */
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

/* ---- streams ---- */

struct unc_no_such_file {
	int fd; /* -1: memory */
	char **ret_text;
	size_t *ret_size;
	char *text; /* not yet written */
	size_t len, room;
};
static FILE console = {.fd = STDOUT_FILENO}, errors = {.fd = STDERR_FILENO};
FILE *const stdout = &console, *const stderr = &errors;

FILE *fdopen(int fd, const char *mode)
{
	FILE *file = calloc(1, sizeof(*file));

	(void)mode;
	if (file)
		file->fd = fd;
	return file;
}

FILE *open_memstream(char **text, size_t *size)
{
	FILE *file = fdopen(-1, "w");

	if (file) {
		file->ret_text = text;
		file->ret_size = size;
	}
	return file;
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
	size_t len = size * n;

	if (file->len + len + 1 > file->room) {
		size_t room = 2 * (file->len + len + 1);
		char *more = realloc(file->text, room);

		if (!more) {
			errno = ENOMEM;
			return 0;
		}
		file->text = more;
		file->room = room;
	}
	memcpy(file->text + file->len, bytes, len);
	file->len += len;
	file->text[file->len] = '\0';
	if (file->fd >= 0 && (file->fd < FIRST_FILE || file->len > 4096) && fflush(file) != 0)
		return 0;
	return n;
}

size_t fread(void *bytes, size_t size, size_t n, FILE *file) /* libyaml has it, and does not use it here */
{
	(void)bytes, (void)size, (void)n, (void)file;
	return 0;
}

int fflush(FILE *file)
{
	ssize_t n = file->fd < 0 ? 0 : write(file->fd, file->text, file->len);

	if (file->fd >= 0)
		file->len = 0;
	return n < 0 ? EOF : 0;
}

void __fpurge(FILE *file)
{
	file->len = 0;
}

int fclose(FILE *file)
{
	int rc = fflush(file);

	if (file->fd >= 0) {
		rc = close(file->fd) != 0 ? EOF : rc;
		free(file->text);
	} else {
		*file->ret_text = file->text ? file->text : calloc(1, 1);
		*file->ret_size = file->len;
	}
	free(file);
	return rc;
}

int fputs(const char *text, FILE *file)
{
	return fwrite(text, 1, strlen(text), file) || !*text ? 0 : EOF;
}

int putc(int c, FILE *file)
{
	char byte = (char)c;

	return fwrite(&byte, 1, 1, file) ? c : EOF;
}

static int put_all(FILE *file, const char *format, va_list args)
{
	char *text;
	int n = vasprintf(&text, format, args);

	if (n < 0)
		return n;
	n = fputs(text, file) < 0 ? -1 : n;
	free(text);
	return n;
}

int fprintf(FILE *file, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = put_all(file, format, args);
	va_end(args);
	return n;
}

int printf(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = put_all(stdout, format, args);
	va_end(args);
	return n;
}

/* ---- dates ---- */

/* Days from 1970-01-01 to the first day of a year, after the calendar since 1582. */
static int64_t days_before(int64_t year)
{
	year--;
	return 365 * (year - 1969) + year / 4 - year / 100 + year / 400 - 477;
}

static const uint16_t before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

uint64_t unc_efi_seconds(const EFI_TIME *time)
{
	int64_t days = days_before(time->Year) + before_month[(time->Month + 11) % 12] + time->Day - 1;

	days += time->Month > 2 && is_leap(time->Year);
	return (uint64_t)(((days * 24 + time->Hour) * 60 + time->Minute +
			   (time->TimeZone == 2047 ? 0 : time->TimeZone)) *
				  60 +
			  time->Second);
}

struct tm *gmtime_r(const time_t *seconds, struct tm *tm)
{
	int64_t days = *seconds / 86400, year = 1970 + days / 366, rest = *seconds % 86400;
	int month = 11;

	while (days_before(year + 1) <= days)
		year++;
	days -= days_before(year);
	while (before_month[month] + (month > 1 && is_leap(year)) > days)
		month--;
	*tm = (struct tm){.tm_year = (int)year,
			  .tm_mon = month + 1,
			  .tm_mday = (int)(days - before_month[month] - (month > 1 && is_leap(year)) + 1),
			  .tm_hour = (int)(rest / 3600),
			  .tm_min = (int)(rest / 60 % 60),
			  .tm_sec = (int)(rest % 60)};
	return tm;
}

/* Of the formats that are used, all have the same form; the zone is the only difference. */
size_t strftime(char *text, size_t size, const char *format, const struct tm *tm)
{
	bool z = strchr(format, 'Z') != NULL;

	return (size_t)snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d%s", tm->tm_year, tm->tm_mon, tm->tm_mday,
				tm->tm_hour, tm->tm_min, tm->tm_sec, z ? "Z" : "+0000");
}
