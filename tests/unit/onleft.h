/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated machine that processes come to, write registers of, and are gone from without putting anything back. */
#ifndef UNC_TESTS_ONLEFT_H
#define UNC_TESTS_ONLEFT_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/journals.h"
#include "onsim.h"

struct onleft {
	struct onsim o; /* the other hand, and the folder's name */
	struct unc_ctx *ctx;
	struct unc_machine *m; /* of this process; NULL: not open */
	char notes[8192];
	char path[400]; /* of onleft_files() */
};

static inline void onleft_note(void *arg, const char *sentence)
{
	struct onleft *t = arg;
	size_t len = strlen(t->notes);

	snprintf(t->notes + len, sizeof(t->notes) - len, "%s\n", sentence);
}

static inline void onleft_cfg(const struct onleft *t, char name[512], struct unc_machine_cfg *ret_cfg)
{
	snprintf(name, 512, "sim:snbep,clock=step,sockets=1,state=%s", t->o.state);
	*ret_cfg =
		(struct unc_machine_cfg){.machine = name, .writable = true, .state_dir = t->o.journals, .wake_fd = -1};
}

/* With another option than a start has: dry_run, recovers. */
static inline void onleft_start_as(struct onleft *t, const struct unc_machine_cfg *special)
{
	struct unc_machine_cfg cfg;
	char name[512];

	onleft_cfg(t, name, &cfg);
	if (special) {
		cfg.writable = special->writable;
		cfg.recovers = special->recovers;
		cfg.dry_run = special->dry_run;
	}
	t->notes[0] = '\0';
	CU_ASSERT_FATAL(unc_new(&t->ctx) == 0);
	unc_set_log(t->ctx, onleft_note, t);
	OK(t, unc_machine_open(t->ctx, &cfg, &t->m));
}

static inline void onleft_start(struct onleft *t)
{
	onleft_start_as(t, NULL);
}

static inline void onleft_end(struct onleft *t)
{
	OK(t, unc_machine_close(t->m));
	unc_free(t->ctx);
	t->m = NULL;
}

/* The machine, which no process uses. */
static inline void onleft_open(struct onleft *t)
{
	memset(t, 0, sizeof(*t));
	onsim_open_read_only(&t->o, "sockets=1", NULL);
}

static inline void onleft_close(struct onleft *t)
{
	onsim_close(&t->o);
}

static inline struct unc_box *onleft_box(struct unc_machine *m, const char *name)
{
	struct unc_box *box = NULL;

	if (unc_box_find(m, name, &box) != 0)
		abort();
	return box;
}

static inline int onleft_write(struct unc_machine *m, const char *box_name, const char *reg, unsigned index,
			       uint64_t value)
{
	struct unc_box *box = onleft_box(m, box_name);

	return unc_gate_write(box, onsim_reg(box, reg), index, value, m);
}

/* A child comes, does that, and is gone.  stays: it lives until it is killed by onleft_kill(). */
static inline pid_t onleft_child(const struct onleft *t, int (*work)(struct unc_machine *m), bool stays)
{
	struct unc_machine_cfg cfg;
	char name[512], byte;
	int ready[2];
	pid_t pid;

	CU_ASSERT_FATAL(pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		struct unc_machine *m;
		struct unc_ctx *ctx;

		onleft_cfg(t, name, &cfg);
		if (unc_new(&ctx) < 0 || unc_machine_open(ctx, &cfg, &m) < 0 || work(m) < 0) {
			fprintf(stderr, "\nchild: %s\n", unc_errmsg(ctx));
			_exit(1);
		}
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		if (!stays)
			_exit(0);
		for (;;)
			pause();
	}
	close(ready[1]);
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	if (!stays)
		waitpid(pid, NULL, 0);
	return pid;
}

static inline void onleft_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* So many journals are in the folder; the last one's path is t's. */
static inline unsigned onleft_files(struct onleft *t)
{
	DIR *dir = opendir(t->o.journals);
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(t->path, sizeof(t->path), "%s/%s", t->o.journals, entry->d_name);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Another text in the place of one in the only file there, with a sum that fits. */
static inline void onleft_rewrite(struct onleft *t, const char *from, const char *to)
{
	char *at, head[UNC_JOURNAL_HEAD + 1];
	static char text[65536], changed[65536];
	ssize_t len;
	size_t n;
	int fd;

	CU_ASSERT_EQUAL_FATAL(onleft_files(t), 1);
	fd = open(t->path, O_RDWR | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	CU_ASSERT_FATAL(len > UNC_JOURNAL_HEAD);
	text[len] = '\0';
	at = strstr(text + UNC_JOURNAL_HEAD, from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	n = (size_t)snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text) - UNC_JOURNAL_HEAD,
			     text + UNC_JOURNAL_HEAD, to, at + strlen(from));
	unc_journal_put_head(head, n + UNC_JOURNAL_HEAD, unc_journal_sum(UNC_JOURNAL_NO_SUM, changed, n));
	CU_ASSERT_EQUAL(pwrite(fd, head, UNC_JOURNAL_HEAD, 0), UNC_JOURNAL_HEAD);
	CU_ASSERT_EQUAL(pwrite(fd, changed, n, UNC_JOURNAL_HEAD), (ssize_t)n);
	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)n + UNC_JOURNAL_HEAD), 0);
	close(fd);
}

#endif
