/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests that start commands on a simulated machine share: its state in a file, its journals, and waiting for a command. */
#ifndef UNC_TESTS_ONSTATE_H
#define UNC_TESTS_ONSTATE_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/state.h"

enum { BY_SIGNAL = 256, TIMEOUT_S = 20 };

/* What caches own and have moved stands behind all registers, is large, and 0 at first. */
#define REGISTERS offsetof(struct unc_sim_state, shares)

static inline bool state_get(const char *path, struct unc_sim_state *ret_state)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0 && read(fd, ret_state, REGISTERS) == (ssize_t)REGISTERS;

	close(fd);
	return done;
}

/* anew: what is not a register is 0 again; not while the machine is mounted. */
static inline bool state_put(const char *path, const struct unc_sim_state *state, bool anew)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (anew ? O_TRUNC : 0), 0600);
	bool done = fd >= 0 && write(fd, state, REGISTERS) == (ssize_t)REGISTERS &&
		    (!anew || ftruncate(fd, sizeof(*state)) == 0);

	close(fd);
	return done;
}

/* What a command could not put back on one machine is nothing that the next one knows of. */
static inline void drop_journals(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* SIGCHLD is blocked, for sigtimedwait(). */
static inline void block_child(void)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
}

/* Its exit status; BY_SIGNAL + N: ended by signal N; -1: it had to be killed. */
static inline int wait_for(pid_t pid)
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

/* Input is nothing; what it prints goes there. */
static inline void redirect(const char *out, const char *err)
{
	dup2(open("/dev/null", O_RDWR), 0);
	dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
	dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
}

/* The words of a text, which is changed, are added to argv; the number of them all. */
static inline unsigned add_words(char **argv, unsigned n, char *text)
{
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[n++] = word;
	return n;
}

static inline unsigned count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned n = 0;
	int c;

	while (file && (c = getc_unlocked(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

#endif
