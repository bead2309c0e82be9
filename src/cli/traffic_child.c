// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An order is written to shared memory, and one byte is sent to the child, which answers there and with a byte when it is done.
 * What was moved is in that memory at all times.
 */
#define _GNU_SOURCE
#include "cli/traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/confine.h"
#include "machine/machine.h"

enum { START = 'g', STOP = 's', DONE = '.' };

struct common {                   /* shared memory */
	struct unc_traffic order; /* without its list of CPUs */
	int rc;                   /* the answer to the order */
	char sentence[UNC_MSG_MAX];
};

struct traffic_child {
	int pid, fd;
	struct traffic_board *board; /* the shared memory; owned */
	size_t len;
	struct common *common; /* in the shared memory, after its slots */
	unsigned *cpus;        /* after that */
	enum unc_traffic_kind kind;
	size_t n_cpus; /* CPUs that make traffic */
	struct unc_traffic_maker maker;
};

/* ---- in the child ---- */

static void serve(struct traffic_child *child, struct unc_ctx *ctx)
{
	struct common *common = child->common;
	struct traffic_make *make = NULL;
	char what;

	while (read(child->fd, &what, 1) == 1) {
		if (what == START) {
			struct unc_traffic order = common->order;

			order.cpus = child->cpus;
			common->rc = traffic_make_start(ctx, &order, child->board, &make);
			if (common->rc < 0)
				snprintf(common->sentence, sizeof(common->sentence), "%s", unc_errmsg(ctx));
		} else {
			traffic_make_stop(make);
			make = NULL;
		}
		if (write(child->fd, &(char){DONE}, 1) != 1)
			break;
	}
}

static void live(struct traffic_child *child, const struct globals *globals, int parent)
{
	static const int halting[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};
	struct unc_ctx *ctx;
	long most = sysconf(_SC_OPEN_MAX);
	sigset_t set;
	int fd;

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	/*
	 * Ctrl-C reaches this process as well, but its parent stops it in an orderly way.  Signals that stop and continue a job
	 * take effect.
	 */
	sigfillset(&set);
	for (size_t i = 0; i < sizeof(halting) / sizeof(halting[0]); i++)
		sigdelset(&set, halting[i]);
	sigprocmask(SIG_SETMASK, &set, NULL);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* a rate consists of short rests */
	/* If memory runs out all the same, no other process should be killed first. */
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "1000", 4) != 4)
		errno = 0; /* then it is no more likely to be killed than others */
	/* Closes everything else that was open in the parent. */
	if (dup2(child->fd, STDERR_FILENO + 1) < 0)
		_exit(EXIT_FAILED);
	child->fd = STDERR_FILENO + 1;
	if (syscall(SYS_close_range, (unsigned)child->fd + 1, ~0U, 0) != 0)
		for (fd = child->fd + 1; fd < most; fd++)
			close(fd);
	if (!confine_to_caller() || unc_new(&ctx) < 0)
		_exit(EXIT_FAILED);
	/* A change of credentials clears the parent death signal, so it is set again. */
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	confine(globals, CONFINE_TRAFFIC, 0);
	serve(child, ctx);
	_exit(EXIT_DONE); /* all threads end with it */
}

/* ---- in the parent ---- */

static int ended(struct traffic_child *child, char *buf, size_t size)
{
	int status;

	snprintf(buf, size, "the process that makes memory traffic has ended");
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	if (child->pid > 0 && waitpid(child->pid, &status, 0) == child->pid) {
		child->pid = 0;
		if (WIFSIGNALED(status))
			snprintf(buf, size, "the process that makes memory traffic was ended by signal %d%s",
				 WTERMSIG(status),
				 WTERMSIG(status) == SIGKILL ? ", as the kernel does where memory runs out" : "");
	}
	return UNC_EIO;
}

/* Has the child ended? */
static bool is_gone(const struct traffic_child *child)
{
	struct pollfd fd = {.fd = child->fd};

	return child->fd < 0 || (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR)));
}

/* After a signal during the wait, the child is asked to stop, and answers soon. */
static int order(struct traffic_child *child, char what, char *buf, size_t size)
{
	char answer;
	ssize_t n;

	if (is_gone(child) || write(child->fd, &what, 1) != 1)
		return ended(child, buf, size);
	while ((n = read(child->fd, &answer, 1)) < 0 && errno == EINTR)
		atomic_store(&child->board->quit, true);
	return n == 1 ? UNC_OK : ended(child, buf, size);
}

static int child_start(void *arg, const struct unc_traffic *traffic, char *buf, size_t size)
{
	struct traffic_child *child = arg;
	int rc;

	if (traffic->n_cpus > child->board->n_slots) {
		snprintf(buf, size, "%zu CPUs: this computer has no more than %zu", traffic->n_cpus,
			 child->board->n_slots);
		return UNC_ENODEV;
	}
	atomic_store(&child->board->quit, false);
	child->common->order = *traffic;
	child->common->order.cpus = NULL;
	memcpy(child->cpus, traffic->cpus, traffic->n_cpus * sizeof(*child->cpus));
	child->kind = traffic->kind;
	child->n_cpus = traffic->n_cpus;
	rc = order(child, START, buf, size);
	if (rc == 0 && child->common->rc < 0) {
		rc = child->common->rc;
		snprintf(buf, size, "%s", child->common->sentence);
	}
	return rc;
}

static void report_done(const struct traffic_child *child, uint64_t raw_ns, struct unc_traffic_done *ret_done)
{
	uint64_t bytes = traffic_board_bytes(child->board, child->n_cpus);

	*ret_done = (struct unc_traffic_done){
		.raw_ns = raw_ns,
		.loaded_bytes = child->kind == UNC_TRAFFIC_READ ? bytes : 0,
		.stored_bytes = child->kind == UNC_TRAFFIC_WRITE ? bytes : 0,
		.nt_stored_bytes = child->kind == UNC_TRAFFIC_NT_WRITE ? bytes : 0,
	};
}

static int child_look(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size)
{
	struct traffic_child *child = arg;

	if (is_gone(child))
		return order(child, STOP, buf, size);
	report_done(child, unc_os_now_ns(UNC_CLOCK_RAW), ret_done);
	return UNC_OK;
}

static int child_stop(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size)
{
	struct traffic_child *child = arg;
	int rc = order(child, STOP, buf, size);

	if (rc == 0)
		report_done(child, atomic_load(&child->board->ended_ns), ret_done);
	return rc;
}

static bool fork_it(struct traffic_child *child, const struct globals *globals)
{
	int fds[2], parent = getpid();
	sigset_t all, before;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child->pid = fork();
	if (child->pid == 0) {
		child->fd = fds[1];
		live(child, globals, parent);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	child->fd = fds[0];
	return child->pid > 0;
}

int traffic_child_start(struct globals *globals, struct traffic_child **ret_child)
{
	const char *machine = globals->machine;
	long most = sysconf(_SC_NPROCESSORS_CONF);
	size_t n = most > 0 ? (size_t)most : 1;
	struct traffic_child *child;

	if (!unc_machine_is_live(machine) && strncmp(machine, "root:", strlen("root:")) != 0)
		return EXIT_DONE;
	child = calloc(1, sizeof(*child));
	if (!child)
		return no_memory();
	/* The shared memory: what was moved, the order, and its CPUs; each is aligned at the end of the one before. */
	child->len = traffic_board_size(n) + sizeof(struct common) + n * sizeof(unsigned);
	child->board = mmap(NULL, child->len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child->board == MAP_FAILED) {
		free(child);
		return no_memory();
	}
	child->common = (struct common *)(void *)((char *)child->board + traffic_board_size(n));
	child->cpus = (unsigned *)(child->common + 1);
	child->board->n_slots = n;
	child->fd = -1;
	child->maker =
		(struct unc_traffic_maker){.start = child_start, .look = child_look, .stop = child_stop, .arg = child};
	signal(SIGPIPE, SIG_IGN);
	if (!fork_it(child, globals)) {
		say("a process to make memory traffic: %s", strerror(errno));
		child->pid = 0;
		traffic_child_end(child);
		return EXIT_FAILED;
	}
	globals->traffic_maker = &child->maker;
	*ret_child = child;
	return EXIT_DONE;
}

uint64_t traffic_child_began_ns(const struct traffic_child *child)
{
	return atomic_load(&child->board->began_ns);
}

void traffic_child_end(struct traffic_child *child)
{
	if (!child)
		return;
	if (child->fd >= 0)
		close(child->fd);
	while (child->pid > 0 && waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(child->board, child->len);
	free(child);
}
