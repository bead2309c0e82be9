/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory tree of a test's own, gone afterwards; and a child process without root's rights. */
#ifndef UNC_TESTS_TREE_H
#define UNC_TESTS_TREE_H

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct tree {
	char root[512];
};

struct tree_path {
	char text[2048];
};

static inline struct tree tree_new(void)
{
	const char *tmp = getenv("TMPDIR");
	struct tree tree;

	snprintf(tree.root, sizeof(tree.root), "%s/unc-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(tree.root) || chmod(tree.root, 0755) < 0)
		abort();
	return tree;
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void tree_remove(const struct tree *tree)
{
	nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline struct tree_path tree_path(const struct tree *tree, const char *name)
{
	struct tree_path path;

	snprintf(path.text, sizeof(path.text), "%s/%s", tree->root, name);
	return path;
}

/* With the directories above it. */
static inline void tree_dir(const struct tree *tree, const char *name)
{
	struct tree_path path = tree_path(tree, name);

	for (char *p = path.text + strlen(tree->root) + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path.text, 0755);
		*p = '/';
	}
	if (mkdir(path.text, 0755) < 0 && errno != EEXIST)
		abort();
}

static inline void tree_bytes(const struct tree *tree, const char *name, const void *bytes, size_t len)
{
	struct tree_path path = tree_path(tree, name);
	char dir[1024];
	int fd;

	snprintf(dir, sizeof(dir), "%s", name);
	if (strrchr(dir, '/')) {
		*strrchr(dir, '/') = '\0';
		tree_dir(tree, dir);
	}
	fd = open(path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || (len && write(fd, bytes, len) != (ssize_t)len) || close(fd) < 0)
		abort();
}

static inline void tree_text(const struct tree *tree, const char *name, const char *text)
{
	tree_bytes(tree, name, text, strlen(text));
}

/* How many files this process has open. */
static inline unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The descriptor of an open file whose path has that part; -1: none. */
static inline int find_descriptor(const char *part)
{
	char link[64], target[4096];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (strstr(target, part))
			return fd;
	}
	return -1;
}

/* fn(arg) in a child that is user 65534: its result (0 to 255); -1 when there is no becoming that user. */
static inline int run_as_nobody(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (geteuid() != 0)
			_exit(fn(arg));
		if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(255);
		_exit(fn(arg));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -2;
	return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

/* The same, where 0 is right. */
static inline void passes_as_nobody(int (*fn)(void *arg), void *arg)
{
	int rc = run_as_nobody(fn, arg);

	if (rc == -1)
		printf("\n    skipped: cannot become another user");
	else
		CU_ASSERT_EQUAL(rc, 0);
}

/* From now on the kernel answers these two system calls of this process with errnum; false: it takes no filter. */
static inline bool calls_fail(unsigned call, unsigned other_call, int errnum)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#endif
