// SPDX-License-Identifier: GPL-2.0-or-later
/* The command itself, as a user starts it, and made to die. */
#define _GNU_SOURCE
#include "safety.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* No report of a sanitizer about a signal that was sent, nor of what a process that is followed leaks. */
#define SANITIZERS                                                                                                     \
	"verify_asan_link_order=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:"       \
	"detect_leaks=0"

static void become(const struct world *w, const char *const *args, const struct death *death)
{
	const struct rlimit no_core = {0, 0};
	char machine[PATH_TEXT + 200], moment[32];
	const char *argv[32] = {w->tools->uncorectl, "--machine", machine, "--state", w->journals};
	unsigned n = 5;

	snprintf(machine, sizeof(machine), "%s%s", w->machine, death && death->key ? death->key : "");
	if (!death) { /* of the run that is looked at */
		argv[n++] = "--trace";
		argv[n++] = w->trace;
	}
	while (*args)
		argv[n++] = *args++;
	argv[n] = NULL;
	setrlimit(RLIMIT_CORE, &no_core);
	setenv("ASAN_OPTIONS", SANITIZERS, 1);
	if (death && death->moment) {
		snprintf(moment, sizeof(moment), "%u:%d", death->moment, death->signal);
		setenv("LD_PRELOAD", w->tools->sigat, 1);
		setenv("SIGAT", moment, 1);
	}
	dup2(open("/dev/null", O_RDWR), 0);
	dup2(0, 1);
	dup2(open(w->err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
	if (death && death->call)
		ptrace(PTRACE_TRACEME, 0, 0, 0);
	execv(argv[0], (char *const *)argv);
	_exit(99);
}

static int wait_for(pid_t pid)
{
	struct timespec limit = {.tv_sec = TIMEOUT_S};
	sigset_t child;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (sigtimedwait(&child, NULL, &limit) < 0) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	}
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(struct world *w, const char *const *args, const struct death *death, bool *ret_reached)
{
	pid_t pid;

	pid = fork();
	if (pid == 0)
		become(w, args, death);
	return death && death->call ? follow_calls(pid, death, ret_reached) : wait_for(pid);
}

int run_command(struct world *w, const struct death *death)
{
	bool reached;

	return run(w, w->command->args, death, &reached);
}

bool run_failing(struct world *w, const struct death *death, int *ret_status)
{
	bool reached = false;

	*ret_status = run(w, w->command->args, death, &reached);
	return reached;
}

int run_recover(struct world *w, const struct death *death)
{
	static const char *const recover[] = {"recover", NULL};
	static const struct death none;
	bool reached;

	return run(w, recover, death ? death : &none, &reached);
}

int run_other(struct world *w, const char *const *args)
{
	static const struct death none;
	bool reached;

	return run(w, args, &none, &reached);
}

void first_line(const struct world *w, char *line, size_t size)
{
	FILE *err = fopen(w->err, "r");

	line[0] = '\0';
	while (err && fgets(line, (int)size, err) && (strstr(line, ": machine: ") || strstr(line, ": note: ")))
		;
	if (err)
		fclose(err);
	line[strcspn(line, "\n")] = '\0';
}

unsigned count_accesses(struct world *w)
{
	char text[300];
	unsigned n = 0;
	FILE *trace;
	int c, status;

	world_make(w);
	unlink(w->trace);
	status = run_command(w, NULL);
	if (status != 0) {
		first_line(w, text, sizeof(text));
		wrong(w, "undisturbed it has status %d: %s", status, text);
	}
	trace = fopen(w->trace, "r");
	while (trace && (c = getc(trace)) != EOF)
		n += c == '\n';
	if (trace)
		fclose(trace);
	return n;
}
