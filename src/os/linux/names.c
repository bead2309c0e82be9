// SPDX-License-Identifier: GPL-2.0-or-later
/* Not by opendir(): a machine's start lists many folders, and this is a system call less for each. */
#define _GNU_SOURCE
#include "os/linux/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names {
	char *bytes; /* owned; each name with its zero, one behind the other */
	size_t len, room, n;
};

static int names_add(struct names *names, const char *name)
{
	size_t size = strlen(name) + 1;

	if (names->room - names->len < size) {
		size_t room = names->room ? 2 * names->room + size : 4096;
		char *bytes = realloc(names->bytes, room);

		if (!bytes)
			return ENOMEM;
		names->bytes = bytes;
		names->room = room;
	}
	memcpy(names->bytes + names->len, name, size);
	names->len += size;
	names->n++;
	return 0;
}

/* As the kernel hands them over: each of the length that it says.  0 or an errno. */
static int names_take(struct names *names, const char *entries, size_t len)
{
	int errnum = 0;

	for (size_t at = 0; at < len && !errnum;) {
		const struct dirent64 *entry = (const struct dirent64 *)(entries + at);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			errnum = names_add(names, entry->d_name);
		at += entry->d_reclen;
	}
	return errnum;
}

static int names_collect(int fd, struct names *names)
{
	_Alignas(struct dirent64) char entries[32768];
	int errnum = 0;
	ssize_t n;

	do {
		n = getdents64(fd, entries, sizeof(entries));
		if (n < 0)
			return errno;
		errnum = names_take(names, entries, (size_t)n);
	} while (n > 0 && !errnum);
	return errnum;
}

static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Pointers first, the text they point to behind them: one allocation, NULL when out of memory. */
static const char **names_pack(const struct names *names)
{
	size_t head = names->n * sizeof(char *);
	const char **list = malloc(head + names->len + 1);
	char *text;

	if (!list)
		return NULL;
	text = (char *)list + head;
	if (names->len)
		memcpy(text, names->bytes, names->len);
	for (size_t i = 0; i < names->n; i++) {
		list[i] = text;
		text += strlen(text) + 1;
	}
	qsort(list, names->n, sizeof(list[0]), by_strcmp);
	return list;
}

int unc_linux_names(int fd, const char *const **ret_names, size_t *ret_n)
{
	struct names names = {0};
	const char **list;
	int errnum = names_collect(fd, &names);

	list = errnum ? NULL : names_pack(&names);
	free(names.bytes);
	if (!list)
		return errnum ? errnum : ENOMEM;
	*ret_names = list;
	*ret_n = names.n;
	return 0;
}
