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

void name_killer(char *buf, size_t size, const char *machine, const struct death *death)
{
	if (death->at == ACCESS && death->place)
		snprintf(buf, size, "%s,kill=%u:%s", machine, death->place, death->behind ? "after" : "before");
	else
		snprintf(buf, size, "%s", machine);
}

static void become(const struct world *w, const char *args, const struct death *death)
{
	const struct rlimit no_core = {0, 0};
	char machine[PATH_TEXT + 200], words[300], moment[32];
	char *argv[32] = {(char *)w->tools->uncorectl, "--machine", machine, "--state", (char *)w->journals};
	unsigned n = 5;

	if (death && !w->server)
		name_killer(machine, sizeof(machine), w->machine, death);
	else
		snprintf(machine, sizeof(machine), "%s", w->machine);
	if (!death) { /* of the run that is looked at */
		argv[n++] = "--trace";
		argv[n++] = (char *)w->trace;
	}
	snprintf(words, sizeof(words), "%s", args);
	add_words(argv, n, words);
	setrlimit(RLIMIT_CORE, &no_core);
	setenv("ASAN_OPTIONS", SANITIZERS, 1);
	if (death && death->at == MOMENT) {
		snprintf(moment, sizeof(moment), "%u:%d", death->place, death->signal);
		setenv("LD_PRELOAD", w->tools->sigat, 1);
		setenv("SIGAT", moment, 1);
	}
	redirect("/dev/null", w->err);
	if (death && death->at == CALL)
		ptrace(PTRACE_TRACEME, 0, 0, 0);
	execv(argv[0], argv);
	_exit(99);
}

static int run(struct world *w, const char *args, const struct death *death)
{
	pid_t pid = fork();

	if (pid == 0)
		become(w, args, death);
	return death && death->at == CALL ? follow_calls(pid, death, &w->reached) : wait_for(pid);
}

int run_command(struct world *w, const struct death *death)
{
	return run(w, w->command->args, death);
}

int run_recover(struct world *w, const struct death *death)
{
	static const struct death none;

	return run(w, "recover", death ? death : &none);
}

int run_other(struct world *w, const char *args)
{
	static const struct death none;

	return run(w, args, &none);
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
	int status;

	world_make(w);
	unlink(w->trace);
	status = run_command(w, NULL);
	if (status != 0) {
		first_line(w, text, sizeof(text));
		wrong(w, "undisturbed it has status %d: %s", status, text);
	}
	return count_lines(w->trace);
}
