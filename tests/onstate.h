/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests that start commands on a simulated machine share: its state in a file, its journals, and waiting for a command. */
#ifndef UNC_TESTS_ONSTATE_H
#define UNC_TESTS_ONSTATE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/state.h"

enum { BY_SIGNAL = 256, TIMEOUT_S = 20 };

/* What caches own and have moved stands behind all registers, is large, and 0 at first. */
#define REGISTERS offsetof(struct unc_sim_state, shares)

/* Room for these, or NULL.  It is shared with the processes that are forked, so that none of them copies it. */
static inline struct unc_sim_state *state_new(void)
{
	void *state = mmap(NULL, REGISTERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return state == MAP_FAILED ? NULL : state;
}

/* Nearly all of it is 0 and a hole in its file, so only the rest is copied, by blocks. */
enum { STATE_BLOCK = 4096 };

static inline bool state_get(const char *path, struct unc_sim_state *ret_state)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0 && lseek(fd, 0, SEEK_END) >= (off_t)REGISTERS;
	off_t at = 0, end;

	memset(ret_state, 0, REGISTERS);
	while (done && (at = lseek(fd, at, SEEK_DATA)) >= 0 && at < (off_t)REGISTERS) {
		end = lseek(fd, at, SEEK_HOLE);
		if (end > (off_t)REGISTERS)
			end = (off_t)REGISTERS;
		done = pread(fd, (char *)ret_state + at, (size_t)(end - at), at) == end - at;
		at = end;
	}
	done = done && (at >= 0 || errno == ENXIO); /* there is no more data */
	close(fd);
	return done;
}

/* What is not a register is 0 again.  Mounted, the machine is in use, and its file keeps its length and gets all of it. */
static inline bool state_put(const char *path, const struct unc_sim_state *state, bool mounted)
{
	static const char zeros[STATE_BLOCK];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (mounted ? 0 : O_TRUNC), 0600);
	bool done = fd >= 0;

	for (size_t at = 0, n; done && at < REGISTERS; at += n) {
		n = REGISTERS - at < STATE_BLOCK ? REGISTERS - at : STATE_BLOCK;
		if (mounted || memcmp((const char *)state + at, zeros, n) != 0)
			done = pwrite(fd, (const char *)state + at, n, (off_t)at) == (ssize_t)n;
	}
	done = done && (mounted || ftruncate(fd, sizeof(*state)) == 0);
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
