// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/signals.h"

struct trace_file {
	FILE *stream;     /* owned */
	const char *path; /* not owned */
	bool ended;       /* an operation failed: no line is written any more */
	int error;        /* errno of the failure; 0: a signal interrupted it */
};

struct trace_file *trace_file_open(const char *path)
{
	struct trace_file *file = calloc(1, sizeof(*file));
	int fd = file ? confine_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	if (fd >= 0 && !(file->stream = fdopen(fd, "w")))
		close(fd);
	if (!file || (!file->stream && !signals_cut_short(errno)))
		say("--trace %s: %s", path, strerror(errno));
	if (!file || !file->stream) {
		free(file);
		return NULL;
	}
	file->path = path;
	return file;
}

void trace_file_line(void *arg, const char *line)
{
	struct trace_file *file = arg;

	if (file->ended || (fputs(line, file->stream) >= 0 && putc('\n', file->stream) != EOF))
		return;
	/* Nothing more is written, not even to a full pipe without a reader. */
	file->ended = true;
	if (!signals_cut_short(errno))
		file->error = errno;
	__fpurge(file->stream);
}

bool trace_file_close(struct trace_file *file)
{
	int error;

	if (fclose(file->stream) != 0 && !file->error && !signals_cut_short(errno))
		file->error = errno;
	error = file->error;
	if (error)
		say("--trace %s: %s; the trace is not complete", file->path, strerror(error));
	free(file);
	return !error;
}
