// SPDX-License-Identifier: GPL-2.0-or-later
/* A file that is replaced as a whole, so that its readers never see a part of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/confine.h"
#include "cli/emit.h"

struct replaced {
	char *path, *name; /* without symbolic links; name: in its folder; owned */
	char *temporary;   /* the name that it has until it is complete, of this process alone; owned */
	char *folder;      /* owned */
	int folder_fd;
	bool made; /* the temporary file is there */
};

void replaced_close(struct replaced *replaced)
{
	if (!replaced)
		return;
	if (replaced->made)
		unlinkat(replaced->folder_fd, replaced->temporary, 0);
	if (replaced->folder_fd >= 0)
		close(replaced->folder_fd);
	free(replaced->path);
	free(replaced->temporary);
	free(replaced->folder);
	free(replaced);
}

const char *replaced_folder(const struct replaced *replaced)
{
	return replaced->folder;
}

/* Splits its path, opens its folder and tries whether a file can be made there.  0, or an errno. */
static int prepare(struct replaced *replaced, const char *path)
{
	char *slash, *temporary;
	int fd;

	/* A link stays, and what it leads to is replaced. */
	replaced->path = realpath(path, NULL);
	if (!replaced->path)
		replaced->path = unc_text_dup(path);
	if (!replaced->path)
		return ENOMEM;
	slash = strrchr(replaced->path, '/');
	replaced->name = slash ? slash + 1 : replaced->path;
	replaced->folder =
		slash ? unc_text_new("%.*s", (int)(slash - replaced->path) + 1, replaced->path) : unc_text_dup(".");
	replaced->temporary = unc_text_new(".%s.%d.new", replaced->name, (int)getpid());
	if (!replaced->folder || !replaced->temporary)
		return ENOMEM;
	replaced->folder_fd = confine_open(replaced->folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (replaced->folder_fd < 0)
		return errno;
	temporary = unc_text_new("%s/%s", replaced->folder, replaced->temporary);
	if (!temporary)
		return ENOMEM;
	/* One that a killed process left may stay, but what is in it is not touched: another user could have linked it. */
	fd = confine_open(temporary, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0666);
	free(temporary);
	replaced->made = fd >= 0;
	return fd < 0 || close(fd) != 0 ? errno : 0;
}

int replaced_open(struct output *out, const struct globals *globals, const char *path, int fd)
{
	struct replaced *replaced;
	struct stat status;
	int error;

	if (!path || strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
		return output_open(out, globals, path, fd);
	*out = (struct output){.fd = -1};
	/* Later it would replace what its owner may, such as any file in /tmp. */
	if (getuid() != geteuid())
		return refuse(EXIT_NOT_PERMITTED,
			      "-o %s: a program with a set-user-ID bit replaces no file; write to a pipe instead",
			      path);
	replaced = calloc(1, sizeof(*replaced));
	if (!replaced)
		return no_memory();
	replaced->folder_fd = -1;
	error = prepare(replaced, path);
	if (error) {
		replaced_close(replaced);
		return refuse(EXIT_FAILED, "-o %s: %s", path, strerror(error));
	}
	*out = (struct output){.fd = -1, .name = path, .replaced = replaced};
	return EXIT_DONE;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return errno;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int replaced_write(struct replaced *replaced, const char *text, size_t len)
{
	int fd, error;

	if (replaced->made && unlinkat(replaced->folder_fd, replaced->temporary, 0) != 0 && errno != ENOENT)
		return errno;
	replaced->made = false;
	fd = openat(replaced->folder_fd, replaced->temporary, REPLACED_FLAGS, 0666);
	if (fd < 0)
		return errno;
	replaced->made = true;
	error = write_all(fd, text, len);
	if (close(fd) != 0 && !error)
		error = errno;
	if (!error && renameat(replaced->folder_fd, replaced->temporary, replaced->folder_fd, replaced->name) != 0)
		error = errno;
	replaced->made = error != 0;
	return error;
}
