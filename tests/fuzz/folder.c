// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* Of this process: runs follow one another. */
static char path[64];
static int former_fd = -1;

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(name);
}

void fuzz_folder_begin(void)
{
	snprintf(path, sizeof(path), "/dev/shm/uncorectl-fuzz-XXXXXX");
	former_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (former_fd < 0 || !mkdtemp(path) || chdir(path) != 0)
		fuzz_fail("%s: %s", path, strerror(errno));
}

void fuzz_folder_end(void)
{
	if (fchdir(former_fd) != 0)
		fuzz_fail("the former folder: %s", strerror(errno));
	close(former_fd);
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void fuzz_folder_write(const char *name, const char *text, size_t len)
{
	char dir[FUZZ_NAME];
	FILE *file;

	for (const char *at = name; (at = strchr(at, '/')); at++) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(at - name), name);
		mkdir(dir, 0700);
	}
	file = fopen(name, "we");
	if (!file)
		return; /* its name is that of a directory */
	fwrite(text, 1, len, file);
	fclose(file);
	chmod(name, 0600);
}

char *fuzz_folder_read(const char *name, size_t *ret_len)
{
	enum { MOST = 1 << 20 };
	FILE *file = fopen(name, "re");
	char *text = file ? malloc(MOST) : NULL;

	if (text)
		*ret_len = fread(text, 1, MOST, file);
	if (text && ferror(file)) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}
