/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host that has nothing but files, which a test writes into a table, CPUs and a clock that the test sets. */
#ifndef UNC_TESTS_FAKEFILES_H
#define UNC_TESTS_FAKEFILES_H

#include <stdarg.h>

#include "onsim.h"

enum { FAKE_FILES_MAX = 6000, FAKE_PATH = 160 };

struct fake_file {
	char path[FAKE_PATH];
	char *text; /* NULL: a directory that has nothing in it */
	size_t len;
	int rc; /* what reading it fails with; 0: nothing */
};

struct fake {
	struct unc_host host; /* first */
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct fake_file *files;
	size_t n_files;
	unsigned n_online; /* CPUs from 0 on; 0: this machine does not tell */
	unsigned n_present;
	uint64_t now_ns;
	uint64_t cost_ns; /* of reading a file */
	unsigned n_read;  /* files and directories */
	unsigned fail_at; /* the one that fails for want of memory; 0: none */
	char notes[2048];
};

static inline uint64_t fake_now_ns(struct unc_host *host, enum unc_clock clock)
{
	(void)clock;
	return ((struct fake *)host)->now_ns;
}

static inline int fake_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct fake *f = (struct fake *)host;

	if (!f->n_online)
		return unc_fail(f->ctx, UNC_ENODATA, "this machine does not tell");
	*ret_cpus = calloc(f->n_present, sizeof(**ret_cpus));
	for (unsigned i = 0; i < f->n_present; i++)
		(*ret_cpus)[i] = (struct unc_host_cpu){.cpu = i, .online = i < f->n_online};
	*ret_n = f->n_present;
	return UNC_OK;
}

static inline bool fake_no_memory(struct fake *f)
{
	f->n_read++;
	f->now_ns += f->cost_ns;
	return f->n_read == f->fail_at;
}

static inline int fake_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct fake *f = (struct fake *)host;

	if (fake_no_memory(f))
		return unc_fail(f->ctx, UNC_ENOMEM, "%s: out of memory", path);
	for (size_t i = 0; i < f->n_files; i++) {
		const struct fake_file *file = &f->files[i];

		if (!file->text || strcmp(file->path, path) != 0)
			continue;
		if (file->rc || file->len > max)
			return unc_fail(f->ctx, file->rc ? file->rc : UNC_ERANGE, "%s: refused", path);
		*ret_text = malloc(file->len + 1);
		memcpy(*ret_text, file->text, file->len);
		(*ret_text)[file->len] = '\0';
		if (ret_len)
			*ret_len = file->len;
		return UNC_OK;
	}
	return unc_fail(f->ctx, UNC_ENODEV, "%s: no such file", path);
}

static inline int fake_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline int fake_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct fake *f = (struct fake *)host;
	size_t len = strlen(path), n = 0, k;
	bool there = false;
	const char **list;

	if (fake_no_memory(f))
		return unc_fail(f->ctx, UNC_ENOMEM, "%s: out of memory", path);
	/* One allocation: the pointers, and the names after them. */
	list = calloc(f->n_files + 1, sizeof(*list) + FAKE_PATH);
	for (size_t i = 0; i < f->n_files; i++) {
		const struct fake_file *file = &f->files[i];
		char *name = (char *)(list + f->n_files + 1) + n * FAKE_PATH;

		there |= !file->text && strcmp(file->path, path) == 0;
		if (strncmp(file->path, path, len) != 0 || file->path[len] != '/')
			continue;
		snprintf(name, FAKE_PATH, "%.*s", (int)strcspn(file->path + len + 1, "/"), file->path + len + 1);
		for (k = 0; k < n && strcmp(list[k], name) != 0; k++)
			;
		if (k == n)
			list[n++] = name;
	}
	if (!n && !there) {
		free((void *)list);
		return unc_fail(f->ctx, UNC_ENODEV, "%s: no such directory", path);
	}
	qsort((void *)list, n, sizeof(*list), fake_compare);
	*ret_names = list;
	*ret_n = n;
	return UNC_OK;
}

/* A link is a file whose text is where it leads. */
static inline int fake_link(struct unc_host *host, const char *path, char **ret_text)
{
	return fake_file(host, path, FAKE_PATH, ret_text, NULL);
}

static inline int fake_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
			    struct unc_os_found *ret_found)
{
	if (what == UNC_LOOK_NAMES)
		return fake_names(host, path, &ret_found->names, &ret_found->n);
	if (what == UNC_LOOK_LINK)
		return fake_link(host, path, &ret_found->text);
	return fake_file(host, path, max, &ret_found->text, &ret_found->n);
}

static const struct unc_host_ops fake_ops = {
	.now_ns = fake_now_ns,
	.cpus = fake_cpus,
	.look = fake_look,
};

static inline void fake_note(void *arg, const char *sentence)
{
	struct fake *f = arg;
	size_t len = strlen(f->notes);

	snprintf(f->notes + len, sizeof(f->notes) - len, "%s\n", sentence);
}

static inline void fake_open(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	CU_ASSERT_FATAL(unc_new(&f->ctx) == 0);
	unc_set_log(f->ctx, fake_note, f);
	f->host = (struct unc_host){.ops = &fake_ops, .ctx = f->ctx, .wake_fd = -1};
	f->n_online = 8;
	f->n_present = 8;
	f->now_ns = 5 * S_NS;
	f->files = calloc(FAKE_FILES_MAX, sizeof(*f->files));
	f->m = calloc(1, sizeof(*f->m));
	CU_ASSERT_FATAL(f->files && f->m);
	f->m->ctx = f->ctx;
	f->m->host = &f->host;
}

/* Away with everything below a path, and what has it. */
static inline void fake_drop(struct fake *f, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < f->n_files; i++) {
		struct fake_file *file = &f->files[i];

		if (strncmp(file->path, path, len) != 0 || (len && file->path[len] && file->path[len] != '/'))
			continue;
		free(file->text); /* NOLINT(clang-analyzer-unix.Malloc): the analyzer loses sight of what the next line writes */
		*file = (struct fake_file){0}; /* a place for the next */
	}
}

static inline void fake_close(struct fake *f)
{
	fake_drop(f, ""); /* all */
	free(f->files);
	free(f->m);
	unc_free(f->ctx);
}

/* A file with these bytes, in place of one that is there.  text NULL: an empty directory. */
static inline struct fake_file *fake_put_bytes(struct fake *f, const char *path, const void *text, size_t len)
{
	struct fake_file *file;
	size_t i;

	fake_drop(f, path);
	for (i = 0; i < f->n_files && f->files[i].path[0]; i++)
		;
	CU_ASSERT_FATAL(i < FAKE_FILES_MAX);
	f->n_files = i < f->n_files ? f->n_files : i + 1;
	file = &f->files[i];
	*file = (struct fake_file){.len = len};
	snprintf(file->path, sizeof(file->path), "%s", path);
	if (text) {
		file->text = malloc(len + 1);
		CU_ASSERT_FATAL(file->text != NULL);
		memcpy(file->text, text, len);
		file->text[len] = '\0';
	}
	return file;
}

static inline struct fake_file *fake_put(struct fake *f, const char *path, const char *text)
{
	return fake_put_bytes(f, path, text, text ? strlen(text) : 0);
}

#endif
