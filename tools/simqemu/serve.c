// SPDX-License-Identifier: GPL-2.0-or-later
/* All functions are answered by one process, which minds signals besides. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simqemu.h"

enum { PATIENCE_S = 5 /* from asking QEMU to end to killing it */ };

struct loop {
	struct simqemu *q;
	const char *program;
	int epoll, signals;
	bool told;  /* to end */
	bool wrong; /* QEMU said what cannot be understood */
	int wstatus;
};

static void report(struct simqemu *q)
{
	int error = reports_write(q);

	if (!q->truth_errno)
		q->truth_errno = error;
}

/* Ended already, it is no more: nothing else of that number is hit, as it is not waited for until here. */
static void child_changed(struct loop *loop)
{
	if (waitpid(loop->q->qemu, &loop->wstatus, WNOHANG) == loop->q->qemu)
		loop->q->qemu = 0;
}

static void signal_came(struct loop *loop)
{
	struct signalfd_siginfo info;

	if (read(loop->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		child_changed(loop);
	} else if (info.ssi_signo == SIGUSR1) {
		report(loop->q);
	} else {
		/* It goes on being answered, as it may be in the middle of an access; who asks twice means it, or SIGALRM. */
		kill(loop->q->qemu, loop->told ? SIGKILL : SIGTERM);
		loop->told = true;
		alarm(PATIENCE_S);
	}
}

static void link_came(struct loop *loop, struct link *link)
{
	enum link_said said = link_serve(&loop->q->sim, link);

	if (said == LINK_FINE)
		return;
	close(link->fd); /* and is out of epoll by that */
	link->fd = -1;
	if (said == LINK_WRONG) {
		loop->wrong = true;
		qemu_kill(loop->q);
	}
}

static int watch(int epoll, int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int watch_all(const struct loop *loop)
{
	int rc = watch(loop->epoll, loop->signals, NULL);

	for (size_t i = 0; i < loop->q->n_links && rc == 0; i++)
		rc = watch(loop->epoll, loop->q->links[i].fd, &loop->q->links[i]);
	return rc;
}

static void run(struct loop *loop)
{
	struct epoll_event events[16];

	while (loop->q->qemu) {
		int n = epoll_wait(loop->epoll, events, 16, -1);

		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr)
				link_came(loop, events[i].data.ptr);
			else
				signal_came(loop);
		}
	}
}

static bool was_asked(const struct simqemu *q)
{
	for (size_t i = 0; i < q->n_links; i++)
		if (q->links[i].asked)
			return true;
	return false;
}

static int status_of(const struct loop *loop)
{
	if (loop->wrong)
		return FAILED;
	if (loop->told)
		return DONE;
	if (WIFSIGNALED(loop->wstatus)) {
		say("%s was ended by signal %d, %s", loop->program, WTERMSIG(loop->wstatus),
		    strsignal(WTERMSIG(loop->wstatus)));
		return 128 + WTERMSIG(loop->wstatus);
	}
	if (WEXITSTATUS(loop->wstatus) && !was_asked(loop->q))
		qemu_explain(loop->program);
	return WEXITSTATUS(loop->wstatus);
}

int serve(struct simqemu *q, int signals, const char *program)
{
	struct loop loop = {.q = q, .program = program, .signals = signals, .epoll = epoll_create1(EPOLL_CLOEXEC)};

	if (loop.epoll < 0 || watch_all(&loop) < 0) {
		say("epoll: %s", strerror(errno));
		qemu_kill(q);
		waitpid(q->qemu, NULL, 0);
		q->qemu = 0;
		return FAILED;
	}
	run(&loop);
	close(loop.epoll);
	report(q);
	return status_of(&loop);
}
