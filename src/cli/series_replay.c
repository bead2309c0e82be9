// SPDX-License-Identifier: GPL-2.0-or-later
/* A record read as rows: a process of its own replays it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record.h"
#include "cli/series.h"

/* In a process of its own: runs the recorded command again, with its data as CSV. */
static int replay(const struct globals *globals, const char *path)
{
	struct globals replaying = *globals;
	char machine[PATH_MAX + 8];

	snprintf(machine, sizeof(machine), "replay:%s", path);
	replaying.machine = machine;
	return replayed_run(&replaying, 0, NULL, true);
}

bool series_replay_start(struct series *series, const struct globals *globals, const char *path)
{
	int ends[2] = {-1, -1};

	close(series->fd);
	series->fd = -1;
	series->at = series->end = 0;
	series->complaints = memfd_create("complaints", MFD_CLOEXEC);
	if (series->complaints < 0 || pipe2(ends, O_CLOEXEC) != 0)
		return series_fail(series, strerror(errno));
	series->replay = fork();
	if (series->replay == 0) {
		if (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(series->complaints, STDERR_FILENO) < 0)
			_exit(EXIT_FAILED);
		close(ends[0]);
		_exit(replay(globals, path));
	}
	close(ends[1]);
	series->fd = ends[0];
	return series->replay > 0 || series_fail(series, strerror(errno));
}

bool series_replay_end(struct series *series)
{
	char text[1024];
	int status = 0;
	ssize_t n;

	if (series->replay <= 0)
		return true;
	while (waitpid(series->replay, &status, 0) < 0 && errno == EINTR)
		;
	series->replay = 0;
	if (status == 0)
		return true;
	/* Notes of a run that succeeded are of no interest here.  Its status may also be that of a COMMAND. */
	for (off_t at = 0; (n = pread(series->complaints, text, sizeof(text), at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stderr);
	return false;
}

void series_replay_close(struct series *series)
{
	if (series->replay > 0)
		waitpid(series->replay, NULL, 0);
	if (series->complaints > 0)
		close(series->complaints);
}
