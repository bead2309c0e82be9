// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/endings.h"
#include "cli/signals.h"

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static void become(char **command, int go_fd, int failure_fd)
{
	int error;
	char go;

	signals_default();
	if (read(go_fd, &go, 1) != 1)
		_exit(0); /* the measurement never began */
	if (confine_to_caller())
		execvp(command[0], command);
	error = errno;
	if (write(failure_fd, &error, sizeof(error)) < 0)
		_exit(CANNOT_RUN);
	_exit(error == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

bool child_fork(char **command, struct child *ret_child)
{
	struct child child = {0};
	int go[2], failure[2];
	sigset_t all, before;

	if (endings_replayed()) {
		*ret_child = (struct child){.replayed = true, .go_fd = -1, .failure_fd = -1};
		return true;
	}
	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
		say("pipe: %s", strerror(errno));
		return false;
	}
	/* A signal that comes before the child has restored its handlers must not be noted there, but take effect. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child.pid = fork();
	if (child.pid != 0)
		sigprocmask(SIG_SETMASK, &before, NULL);
	if (child.pid < 0) {
		say("fork: %s", strerror(errno));
		return false;
	}
	if (child.pid == 0) {
		close(go[1]);
		close(failure[0]);
		become(command, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	child.go_fd = go[1];
	child.failure_fd = failure[0];
	*ret_child = child;
	return true;
}

static bool go_replayed(struct child *child)
{
	child->ended = endings_command_replayed(&child->status);
	if (child->ended)
		say("COMMAND: could not be run when this was recorded");
	return !child->ended;
}

bool child_go(struct child *child, const char *name)
{
	ssize_t n = 0;
	int error;

	if (child->replayed)
		return go_replayed(child);
	if (write(child->go_fd, "", 1) == 1) {
		do
			n = read(child->failure_fd, &error, sizeof(error));
		while (n < 0 && errno == EINTR);
	}
	close(child->go_fd);
	close(child->failure_fd);
	child->go_fd = child->failure_fd = -1;
	if (n != (ssize_t)sizeof(error)) {
		endings_command(false, 0);
		return true;
	}
	say("%s: %s", name, strerror(error));
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->ended = true;
	child->status = error == ENOENT ? NOT_FOUND : CANNOT_RUN;
	endings_command(true, child->status);
	return false;
}

static void take_status(struct child *child, int status)
{
	child->ended = true;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool child_ended(struct child *child)
{
	int status;

	if (child->ended)
		return true;
	if (child->replayed) {
		child->ended = endings_command_replayed(&child->status);
		return child->ended;
	}
	if (waitpid(child->pid, &status, WNOHANG) == child->pid)
		take_status(child, status);
	endings_command(child->ended, child->status);
	return child->ended;
}

void child_wait(struct child *child, int wake_fd, void (*rest)(void *arg), void *arg)
{
	bool passed_on = false;

	while (!child_ended(child)) {
		int signal = signals_caught();

		/* There is no process that the signal would end: only a signal that is in the record is passed on. */
		if (signal && (passed_on || (child->replayed && !endings_signal_replayed())))
			return;
		if (signal) {
			/* The terminal sends its signals to the COMMAND too. */
			if (signals_from_process() && !child->replayed)
				kill(child->pid, signal);
			passed_on = true;
			signals_clear();
		}
		if (child->replayed)
			signals_wake(); /* nothing else would wake it */
		rest(arg);
		signals_drain(wake_fd);
	}
}

void child_abandon(struct child *child)
{
	if (!child->pid || child->ended || child->go_fd < 0)
		return;
	close(child->go_fd);
	close(child->failure_fd);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->ended = true;
}
