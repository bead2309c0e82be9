// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/trace_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct trace_file {
	FILE *stream;	  /* owned */
	const char *path; /* not owned */
	int error;	  /* errno of the first failure */
};

struct trace_file *trace_file_open(const char *path)
{
	struct trace_file *file = calloc(1, sizeof(*file));

	if (file)
		file->stream = fopen(path, "we");
	if (!file || !file->stream) {
		say("--trace %s: %s", path, strerror(errno));
		free(file);
		return NULL;
	}
	file->path = path;
	return file;
}

void trace_file_line(void *arg, const char *line)
{
	struct trace_file *file = arg;

	if ((fputs(line, file->stream) < 0 || putc('\n', file->stream) == EOF) && !file->error)
		file->error = errno;
}

bool trace_file_close(struct trace_file *file)
{
	int error;

	if (fclose(file->stream) != 0 && !file->error)
		file->error = errno;
	error = file->error;
	if (error)
		say("--trace %s: %s; the trace is not complete", file->path, strerror(error));
	free(file);
	return !error;
}
