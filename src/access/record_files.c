// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that were read: register maps, and what the operating system has as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_parts.h"

static struct record *record_of_files(struct unc_files *files)
{
	return (struct record *)((char *)files - offsetof(struct record, files));
}

/* The path behind one that begins with an alias.  NULL: out of memory. */
static char *real_path(const struct record *record, const char *path)
{
	const char *rest = path, *before = "";
	size_t size;
	char *real;

	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++) {
		const struct unc_record_alias *alias = &record->cfg.aliases[i];
		size_t len = alias->path ? strlen(alias->alias) : 0;

		if (len && strncmp(path, alias->alias, len) == 0 && (!path[len] || path[len] == '/')) {
			before = alias->path;
			rest = path + len;
			break;
		}
	}
	size = strlen(before) + strlen(rest) + 1;
	real = malloc(size);
	if (real)
		snprintf(real, size, "%s%s", before, rest);
	return real;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int unc_record_maps_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = record_of_files(files);
	char *real = real_path(record, path);
	const char *const *names = NULL;
	size_t n = 0;
	int rc;

	if (!real)
		return unc_fail(record->host.ctx, UNC_ENOMEM, "record: out of memory");
	unc_record_begin_line(record);
	rc = unc_os_dir_trust(record->host.ctx, real);
	if (rc == 0)
		rc = unc_os_dir_list(record->host.ctx, real, &names, &n);
	free(real);
	unc_record_put(record, "maps");
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put_names(record, names, n);
	*ret_names = names;
	*ret_n = n;
	return unc_record_finish(record, rc);
}

int unc_record_maps_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
			 size_t *ret_len)
{
	struct record *record = record_of_files(files);
	char *real = real_path(record, path), *text;
	size_t len;
	int rc;

	if (!real)
		return unc_fail(record->host.ctx, UNC_ENOMEM, "record: out of memory");
	unc_record_begin_line(record);
	rc = unc_os_file_read(record->host.ctx, real, max, trust, &text, &len);
	free(real);
	unc_record_put(record, "file ");
	unc_record_put_text(record, file_name(path));
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " %zu", len);
	unc_record_end_line(record);
	unc_record_put_file(record, text, len);
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return rc;
}

/* ---- files of the operating system ---- */

/* What a file, a directory and a link have in common: the machine inside is asked, and what may not be in a record is cut. */
struct asked {
	char *real; /* the path, with own numbers of processes; owned */
	char *text;
	size_t len;
	const char *const *names;
	size_t n;
};

static const char *without_own(const char *path)
{
	return strncmp(path, "own:", 4) == 0 ? path + 4 : path;
}

typedef int ask_fn(struct record *record, struct asked *asked, size_t max);

static int ask_file(struct record *record, struct asked *asked, size_t max)
{
	return record->inner->ops->file(record->inner, asked->real, max, &asked->text, &asked->len);
}

static int ask_names(struct record *record, struct asked *asked, size_t max)
{
	(void)max;
	return record->inner->ops->names(record->inner, asked->real, &asked->names, &asked->n);
}

static int ask_link(struct record *record, struct asked *asked, size_t max)
{
	(void)max;
	return record->inner->ops->link(record->inner, asked->real, &asked->text);
}

static int keep(struct record *record, const char *path, struct asked *asked, ask_fn *ask)
{
	struct unc_ctx *ctx = record->host.ctx;

	if (ask == ask_file)
		return unc_record_keep_text(ctx, &record->private, path, &asked->text, &asked->len);
	if (ask == ask_names)
		return unc_record_keep_names(ctx, &record->private, path, &asked->names, &asked->n);
	return unc_record_keep_link(ctx, path, &asked->text);
}

/* Its line is begun: the word and the path. */
static int ask(struct record *record, const char *word, const char *path, ask_fn *fn, size_t max, struct asked *asked)
{
	struct unc_ctx *ctx = record->host.ctx;
	int rc;

	*asked = (struct asked){0};
	record->inner->command = record->host.command;
	if (record->host.command > 0)
		unc_record_private_name(&record->private, (uint64_t)record->host.command);
	asked->real = unc_record_private_path(&record->private, path);
	unc_record_ask(record);
	rc = asked->real ? fn(record, asked, max) : unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	unc_record_answered(record);
	if (rc < 0 && asked->real)
		unc_record_hide_path(ctx->msg, sizeof(ctx->msg), without_own(asked->real), without_own(path));
	else if (rc == 0)
		rc = keep(record, path, asked, fn);
	free(asked->real);
	unc_record_put(record, "%s ", word);
	unc_record_put_path(record, path);
	return rc;
}

int unc_record_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct record *record = (struct record *)host;
	struct asked asked;
	int rc = ask(record, "text", path, ask_file, max < UNC_RECORD_TEXT ? max : UNC_RECORD_TEXT, &asked);

	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " %zu", asked.len);
	unc_record_end_line(record);
	unc_record_put_file(record, asked.text, asked.len);
	*ret_text = asked.text;
	if (ret_len)
		*ret_len = asked.len;
	return rc;
}

int unc_record_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	struct asked asked;
	int rc = ask(record, "names", path, ask_names, 0, &asked);

	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put_names(record, asked.names, asked.n);
	*ret_names = asked.names;
	*ret_n = asked.n;
	return unc_record_finish(record, rc);
}

int unc_record_link(struct unc_host *host, const char *path, char **ret_text)
{
	struct record *record = (struct record *)host;
	struct asked asked;
	int rc = ask(record, "link", path, ask_link, 0, &asked);

	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " =");
	unc_record_put_text(record, asked.text);
	*ret_text = asked.text;
	return unc_record_finish(record, rc);
}
