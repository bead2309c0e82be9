// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Restricts the paths that may be changed with Landlock (Linux 5.13; Documentation/userspace-api/landlock.rst).  A system call
 * filter sees only numbers, and unlinkat(), openat() and similar calls ignore their directory if the path is absolute.
 *
 * A process under Landlock may not trace a process outside it, and reading where descriptors of another process lead requires the
 * same right.  So a process that looks for users of perf must not be under Landlock: CONFINE_READING can change nothing without it,
 * and CONFINE_SEARCHING is for the rest.
 */
#define _GNU_SOURCE
#include "cli/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/landlock.h: headers of a distribution may be older than its kernel.  The numbers are the same on all architectures. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION = 1, PATH_BENEATH = 1 };
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	REMOVE_FILE = 1 << 5,
	MAKE_FILE = 1 << 8,
	CHANGE_FOLDER = 0x1ff0, /* REMOVE_DIR, REMOVE_FILE, and MAKE_ of each kind of file */
	REFER = 1 << 13,        /* from version 2 on */
	TRUNCATE = 1 << 14,     /* from version 3 on */
};

struct ruleset_attr {
	uint64_t handled_access_fs;
};
struct path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

int confine_paths_version(void)
{
	return (int)syscall(CREATE_RULESET, NULL, 0, VERSION);
}

/* A path that cannot be opened before capabilities are dropped cannot be changed later either: that is not a failure. */
static int allow(int ruleset, const char *path, uint64_t access)
{
	struct path_beneath_attr beneath = {.allowed_access = access};
	int error = 0;

	beneath.parent_fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (beneath.parent_fd < 0)
		return 0;
	if (syscall(ADD_RULE, ruleset, PATH_BENEATH, &beneath, 0) != 0)
		error = errno;
	close(beneath.parent_fd);
	return error;
}

/* Allows all except /proc, in which the memory of this process can be written; a rule for "/" would include it. */
static int allow_writing(int ruleset, uint64_t access)
{
	DIR *root = opendir("/");
	struct dirent *entry;
	int error = 0;

	if (!root)
		return errno;
	while (!error && (entry = readdir(root)) != NULL) {
		char path[sizeof(entry->d_name) + 1];

		snprintf(path, sizeof(path), "/%s", entry->d_name);
		if (strcmp(path, "/.") != 0 && strcmp(path, "/..") != 0 && strcmp(path, "/proc") != 0)
			error = allow(ruleset, path, access);
	}
	closedir(root);
	return error;
}

bool confine_is_held(enum confine_to to)
{
	return to == CONFINE_HELD || to == CONFINE_REPLACING || to == CONFINE_SERVING;
}

int confine_paths(enum confine_to to, const char *state_dir, const char *made)
{
	int version = confine_paths_version(), ruleset, error = 0;
	char folder[64]; /* the same paths as in os/linux/folder.c */
	uint64_t changes = WRITE_FILE | CHANGE_FOLDER;
	struct ruleset_attr attr;

	if (version < 1 || to == CONFINE_READING || to == CONFINE_SEARCHING)
		return 0;
	snprintf(folder, sizeof(folder), geteuid() ? "/run/uncorectl-%u" : "/run/uncorectl", (unsigned)geteuid());
	changes |= version >= 2 ? REFER : 0;
	changes |= version >= 3 ? TRUNCATE : 0;
	attr.handled_access_fs = changes | EXECUTE;
	ruleset = (int)syscall(CREATE_RULESET, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return errno;
	if (to == CONFINE_WRITING || to == CONFINE_FILES)
		error = allow_writing(ruleset, changes);
	else if (confine_is_held(to)) /* a journal that is not needed any more */
		error = allow(ruleset, state_dir ? state_dir : folder, REMOVE_FILE);
	if (!error && to == CONFINE_REPLACING)
		error = allow(ruleset, made, WRITE_FILE | REMOVE_FILE | MAKE_FILE);
	if (!error && syscall(RESTRICT_SELF, ruleset, 0) != 0)
		error = errno;
	close(ruleset);
	return error;
}
