// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/endings.h"

/*
 * All signals that would end this process and can be caught; real-time signals are added.  Signals of a crash are not caught, since
 * the state is unknown then, and `recover` puts registers back; nor are signals that stop the process.
 */
static const int plain[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1, SIGUSR2,  SIGALRM,
			    SIGXCPU, SIGPROF, SIGPOLL, SIGVTALRM, SIGPWR,  SIGSTKFLT};
enum { N_PLAIN = sizeof(plain) / sizeof(plain[0]) };

/* The ith caught signal; 0: there are fewer. */
static int noted(int i)
{
	if (i < N_PLAIN)
		return plain[i];
	return i - N_PLAIN <= SIGRTMAX - SIGRTMIN ? SIGRTMIN + (i - N_PLAIN) : 0;
}

/* Other signals whose handling is changed. */
static const int changed[] = {SIGCHLD, SIGPIPE, SIGXFSZ};
enum { N_CHANGED = sizeof(changed) / sizeof(changed[0]) };

static volatile sig_atomic_t caught, from_process, nudging, wake_write_fd = -1;
static bool cut_short;
/* The state when this process was started. */
static sigset_t former_mask;
static struct sigaction former_changed[N_CHANGED];

/*
 * A signal that comes just before a blocking system call does not end the call.  So after a signal was noted, an alarm goes off
 * every second until the process ends: a call that blocks, on a full pipe without a reader for example, does so no longer than
 * that.
 */
static void nudge_on(void)
{
	nudging = 1;
	alarm(1);
}

static void note(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (signal == SIGALRM && nudging) {
		nudging = 0;
		if (caught)
			nudge_on();
	} else if (signal != SIGCHLD && !caught) {
		caught = signal;
		from_process = info->si_code <= 0;
		nudge_on();
	}
	/* If the pipe is full, every waiter was woken already. */
	if (write(wake_write_fd, "", 1) < 0)
		errno = error;
	errno = error;
}

int signals_catch(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, former;
	const struct sigaction ignored = {.sa_handler = SIG_IGN};
	sigset_t child;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
		say("pipe: %s", strerror(errno));
		return -1;
	}
	wake_write_fd = fds[1];
	for (int i = 0; noted(i); i++) {
		if (sigaction(noted(i), &action, &former) != 0 || former.sa_handler != SIG_IGN)
			continue;
		sigaction(noted(i), &former, NULL);
		if (caught == noted(i)) /* it came in between */
			signals_clear();
	}
	for (unsigned i = 0; i < N_CHANGED; i++)
		sigaction(changed[i], changed[i] == SIGCHLD ? &action : &ignored, &former_changed[i]);
	/* The process that started this one may have blocked SIGCHLD: then the end of the COMMAND would not be noticed. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &child, &former_mask);
	return fds[0];
}

int signals_caught(void)
{
	int signal = endings_signal(caught);

	if (!caught)
		caught = signal;
	return caught;
}

void signals_clear(void)
{
	endings_signal_cleared();
	caught = 0;
	alarm(0);
}

bool signals_cut_short(int error)
{
	cut_short |= error == EINTR && caught;
	return error == EINTR && caught;
}

bool signals_were_cut_short(void)
{
	return cut_short;
}

void signals_wake(void)
{
	if (write(wake_write_fd, "", 1) < 0)
		return; /* if the pipe is full, every waiter was woken already */
}

bool signals_from_process(void)
{
	return from_process;
}

void signals_drain(int wake_fd)
{
	char bytes[64];

	while (read(wake_fd, bytes, sizeof(bytes)) > 0)
		;
}

void signals_default(void)
{
	for (int i = 0; noted(i); i++) {
		struct sigaction action;

		if (sigaction(noted(i), NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(noted(i), SIG_DFL);
	}
	for (unsigned i = 0; i < N_CHANGED; i++)
		sigaction(changed[i], &former_changed[i], NULL);
	sigprocmask(SIG_SETMASK, &former_mask, NULL);
}

void signals_die(int number)
{
	struct rlimit no_core = {0, 0};
	sigset_t only;

	setrlimit(RLIMIT_CORE, &no_core); /* SIGQUIT: no core dump is needed, since this is an orderly end */
	signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
}
