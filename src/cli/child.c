// SPDX-License-Identifier: GPL-2.0-or-later
/* The COMMAND of a run, and signals, which are only noted. */
#define _GNU_SOURCE
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "access/replay.h"
#include "cli/confine.h"
#include "machine/machine.h"

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

/* from_process: not from the terminal, which sends its signals to the COMMAND too. */
static volatile sig_atomic_t caught, from_process, nudging, wake_write_fd = -1;
static int wake_read_fd = -1, epoll_fd = -1;
/* Of a terminal: whether they came. */
static const int of_terminal[] = {SIGTSTP, SIGCONT, SIGWINCH};
enum { N_OF_TERMINAL = sizeof(of_terminal) / sizeof(of_terminal[0]) };
static volatile sig_atomic_t came[N_OF_TERMINAL];
static bool cut_short;
static struct unc_host *host; /* of the run that is recorded or replayed; not owned; NULL: none */
static bool replayed, signal_told, signal_replayed;
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

/* Wakes a waiter on the descriptor.  If the pipe is full, every waiter was woken already. */
static void wake(void)
{
	if (write(wake_write_fd, "", 1) < 0)
		return;
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
	wake();
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
	wake_read_fd = fds[0];
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

static void note_terminal(int signal)
{
	int error = errno;

	for (unsigned i = 0; i < N_OF_TERMINAL; i++)
		if (of_terminal[i] == signal)
			came[i] = 1;
	wake();
	errno = error;
}

bool signals_came(int signal)
{
	for (unsigned i = 0; i < N_OF_TERMINAL; i++)
		if (of_terminal[i] == signal && came[i]) {
			came[i] = 0;
			return true;
		}
	return false;
}

/* An epoll descriptor can be read when one of those in it can. */
static bool wakes_by(int fd, bool wakes)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(epoll_fd, wakes ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event) == 0;
}

int signals_catch_keys(bool has_terminal)
{
	struct sigaction action = {.sa_handler = note_terminal};

	if (signals_catch() < 0)
		return -1;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || !wakes_by(wake_read_fd, true)) {
		say("epoll: %s", strerror(errno));
		return -1;
	}
	for (unsigned i = 0; i < N_OF_TERMINAL && has_terminal; i++)
		sigaction(of_terminal[i], &action, NULL);
	return epoll_fd;
}

bool signals_wake_by(int fd)
{
	return wakes_by(fd, true);
}

void signals_keys(bool wake_by_keys)
{
	wakes_by(STDIN_FILENO, wake_by_keys);
}

int signals_caught(void)
{
	int taken = caught, number = 0;

	if (!host || signal_told)
		return taken;
	if (replayed) {
		if (!taken && unc_replay_asks(host, UNC_RECORD_SIGNAL, &number))
			taken = number;
		signal_replayed = taken == number && number;
	} else {
		unc_record_asked(host, UNC_RECORD_SIGNAL, taken != 0, taken);
	}
	signal_told = taken != 0;
	if (!caught)
		caught = taken;
	return taken;
}

void signals_clear(void)
{
	signal_told = signal_replayed = false;
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

void signals_drain(int wake_fd)
{
	char bytes[64];

	/* Keys stay until they are read. */
	while (read(wake_fd == epoll_fd ? wake_read_fd : wake_fd, bytes, sizeof(bytes)) > 0)
		;
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

int signals_end(int status, bool interrupt_ends)
{
	int number = signals_caught();

	if (number == 0 || status != EXIT_DONE || (number == SIGINT && interrupt_ends))
		return status;
	signals_die(number);
	return 128 + number;
}

void endings_replay(void)
{
	replayed = true;
}

bool endings_replayed(void)
{
	return replayed;
}

void endings_of(struct unc_machine *machine)
{
	host = machine ? machine->host : NULL;
}

bool endings_signal_replayed(void)
{
	return signal_replayed;
}

/* Notes whether the COMMAND has ended, and with which status. */
static void endings_command(bool ended, int status)
{
	if (host && !replayed)
		unc_record_asked(host, UNC_RECORD_ENDED, ended, status);
}

/* In a replay: has it ended at this point? */
static bool ended_replayed(struct child *child)
{
	child->ended = host && unc_replay_asks(host, UNC_RECORD_ENDED, &child->status);
	return child->ended;
}

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

/* Waits in the child, then becomes the COMMAND.  Until then it makes only async-signal-safe calls. */
static void become(char **command, int go_fd, int failure_fd)
{
	struct sigaction action;
	int error;
	char go;

	/* All signal handling is as it was when this process was started. */
	for (int i = 0; noted(i); i++)
		if (sigaction(noted(i), NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(noted(i), SIG_DFL);
	for (unsigned i = 0; i < N_CHANGED; i++)
		sigaction(changed[i], &former_changed[i], NULL);
	sigprocmask(SIG_SETMASK, &former_mask, NULL);
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

	if (replayed) {
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

bool child_go(struct child *child, const char *name)
{
	ssize_t n = 0;
	int error;

	if (child->replayed) {
		if (ended_replayed(child))
			say("COMMAND: could not be run when this was recorded");
		return !child->ended;
	}
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

bool child_ended(struct child *child)
{
	int status;

	if (child->ended)
		return true;
	if (child->replayed)
		return ended_replayed(child);
	if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
		child->ended = true;
		child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	endings_command(child->ended, child->status);
	return child->ended;
}

void child_wait(struct child *child, int wake_fd, void (*rest)(void *arg), void *arg)
{
	bool passed_on = false;

	while (!child_ended(child)) {
		int signal = signals_caught();

		/* There is no process that the signal would end: only a signal that is in the record is passed on. */
		if (signal && (passed_on || (child->replayed && !signal_replayed)))
			return;
		if (signal) {
			/* The terminal sends its signals to the COMMAND too. */
			if (from_process && !child->replayed)
				kill(child->pid, signal);
			passed_on = true;
			signals_clear();
		}
		if (child->replayed)
			wake(); /* nothing else would wake it */
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
