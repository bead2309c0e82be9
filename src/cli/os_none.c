// SPDX-License-Identifier: GPL-2.0-or-later
/* In a build without an operating system, this stands in place of the files that need one: processes, signals, records. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/child.h"
#include "cli/confine.h"
#include "cli/emit.h"
#include "cli/record.h"
#include "cli/series.h"

/* ---- commands ---- */

static int needs_system(const struct globals *globals, int argc, char **argv)
{
	return refuse(EXIT_NOT_HERE, "%s: this needs an operating system, and none runs here", argv[0]);
}

#define LEFT_OUT(name) const struct command name##_command = {#name, "(needs an operating system)", needs_system}
LEFT_OUT(xcheck);
LEFT_OUT(load);
LEFT_OUT(record);
LEFT_OUT(plot);
LEFT_OUT(top);
LEFT_OUT(serve);

int catalogue_read(struct unc_ctx *ctx, const struct globals *globals, const char *path, uint32_t pvr,
		   struct unc_map **ret_map)
{
	return unc_fail(ctx, UNC_ENOSUP, "%s: reading a catalogue needs an operating system, and none runs here", path);
}

int replayed_run(struct globals *globals, int argc, char **argv, bool as_csv)
{
	return needs_system(globals, argc, argv);
}

bool series_replay_start(struct series *series, const struct globals *globals, const char *path)
{
	return series_fail(series, "replaying a record needs an operating system, and none runs here");
}

bool series_replay_end(struct series *series)
{
	return true;
}

/* In the place of all that the Makefile calls EFI_NOTHING: they do nothing, and those that return something return false or NULL. */
uint64_t os_nothing(void);

uint64_t os_nothing(void)
{
	return 0;
}

/* ---- endings: a key takes the place of a signal ---- */

static bool cleared;

int signals_catch(void)
{
	return STDIN_FILENO;
}

int signals_catch_keys(bool has_terminal)
{
	return STDIN_FILENO;
}

int signals_caught(void)
{
	enum { INTERRUPT = 2 }; /* SIGINT */
	char key;

	return !cleared && read(STDIN_FILENO, &key, 1) == 1 ? INTERRUPT : 0;
}

void signals_clear(void)
{
	cleared = true;
}

int signals_end(int status, bool interrupt_ends)
{
	return status;
}

/* ---- other processes ---- */

bool child_fork(char **command, struct child *ret_child)
{
	say("%s: a COMMAND needs an operating system, and none runs here; take -d SECONDS instead", command[0]);
	return false;
}

bool child_ended(struct child *child)
{
	return true;
}

void child_wait(struct child *child, int wake_fd, void (*rest)(void *arg), void *arg)
{
	rest(arg);
}

/* ---- rights ---- */

const bool confine_has_filter = false;

int confine_open(const char *path, int flags, unsigned mode)
{
	return open(path, flags, mode);
}

/* ---- a file that each sample replaces ---- */

int replaced_open(struct output *out, const struct globals *globals, const char *path, int fd)
{
	return output_open(out, globals, path, fd);
}

int replaced_write(struct replaced *replaced, const char *text, size_t len)
{
	return ENOSYS;
}
