// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that were read: register maps, and what the operating system has as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_lines.h"
#include "access/record_private.h"

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

int unc_record_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct record *record = (struct record *)host;
	char *text;
	size_t len;
	int rc;

	unc_record_ask(record);
	record->inner->command = host->command;
	rc = record->inner->ops->file(record->inner, path, max < UNC_RECORD_TEXT ? max : UNC_RECORD_TEXT, &text, &len);
	unc_record_answered(record);
	unc_record_put(record, "text ");
	unc_record_put_path(record, path);
	if (rc < 0)
		return unc_record_finish(record, rc);
	len = unc_record_cut_private(path, text, len);
	unc_record_put(record, " %zu", len);
	unc_record_end_line(record);
	unc_record_put_file(record, text, len);
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return rc;
}

int unc_record_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	const char *const *names;
	size_t n;
	int rc;

	unc_record_ask(record);
	record->inner->command = host->command;
	rc = record->inner->ops->names(record->inner, path, &names, &n);
	unc_record_answered(record);
	unc_record_put(record, "names ");
	unc_record_put_path(record, path);
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put_names(record, names, n);
	*ret_names = names;
	*ret_n = n;
	return unc_record_finish(record, rc);
}

int unc_record_link(struct unc_host *host, const char *path, char **ret_text)
{
	struct record *record = (struct record *)host;
	char *text;
	int rc;

	unc_record_ask(record);
	record->inner->command = host->command;
	rc = record->inner->ops->link(record->inner, path, &text);
	unc_record_answered(record);
	unc_record_put(record, "link ");
	unc_record_put_path(record, path);
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_cut_private(path, text, strlen(text));
	unc_record_put(record, " =");
	unc_record_put_text(record, text);
	*ret_text = text;
	return unc_record_finish(record, rc);
}
