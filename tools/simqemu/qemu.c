// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU as a child: it ends with us, whatever ends us. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simqemu.h"

/* In the child: signals as they were for us, the links' other ends, and the program; an errno where that fails. */
static int become(const struct simqemu *q, char **words, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return errno;
	if (getppid() != parent)
		return ESRCH;
	for (size_t i = 0; i < q->n_links; i++)
		fcntl(q->links[i].theirs, F_SETFD, 0);
	execvp(words[0], words);
	return errno;
}

static void child(const struct simqemu *q, char **words, pid_t parent, int tell)
{
	int error = become(q, words, parent);

	if (write(tell, &error, sizeof(error)) < 0)
		_exit(FAILED);
	_exit(FAILED);
}

/* 0, or the errno of starting it. */
static int start(struct simqemu *q, const struct args *args)
{
	int tell[2], error = 0;
	pid_t parent = getpid();

	if (pipe2(tell, O_CLOEXEC) < 0)
		return errno;
	q->qemu = fork();
	if (q->qemu == 0)
		child(q, args->words, parent, tell[1]);
	if (q->qemu < 0) {
		error = errno;
		q->qemu = 0;
	}
	close(tell[1]);
	/* Nothing comes where the pipe was closed by exec. */
	if (q->qemu && read(tell[0], &error, sizeof(error)) == (ssize_t)sizeof(error)) {
		waitpid(q->qemu, NULL, 0);
		q->qemu = 0;
	}
	close(tell[0]);
	return error;
}

int qemu_start(struct simqemu *q, const struct args *args)
{
	const char *program = args->words[0];
	int error = start(q, args);

	for (size_t i = 0; i < q->n_links; i++) {
		close(q->links[i].theirs);
		q->links[i].theirs = -1;
	}
	if (!error)
		return DONE;
	if (error == ENOENT)
		say("%s: there is no such program; in Debian it is in the package qemu-system-x86", program);
	else
		say("%s: %s", program, strerror(error));
	return error == ENOENT ? UNSUPPORTED : error == EACCES || error == EPERM ? NOT_PERMITTED : FAILED;
}

void qemu_kill(void *arg)
{
	const struct simqemu *q = arg;

	if (q->qemu > 0)
		kill(q->qemu, SIGKILL);
}

/* Its own words for it have gone to stderr already. */
void qemu_explain(const char *program)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		sigset_t none;
		int null = open("/dev/null", O_RDWR);

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
		execlp(program, program, "-M", "none", "-device", "x-pci-proxy-dev,help", (char *)NULL);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		say("%s has no device x-pci-proxy-dev (it was built without multi-process support); that of Debian 12 "
		    "has",
		    program);
}
