// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes that were killed have left: listed. */
#include "machine/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

static int no_memory(const struct unc_recover *r)
{
	return unc_fail(r->m->ctx, UNC_ENOMEM, "recover: out of memory");
}

/* A process that began later may have written over what an earlier one left, so the later one is undone first. */
static int last_first(const void *a, const void *b)
{
	uint64_t since_a = ((const struct unc_journal_file *)a)->text.who.since_ns,
		 since_b = ((const struct unc_journal_file *)b)->text.who.since_ns;

	return (since_a < since_b) - (since_a > since_b);
}

static int add_rows(struct unc_recover *r, size_t journal)
{
	const struct unc_journal_text *text = &r->journals.files[journal].text;

	for (size_t i = text->n_lines; i-- > 0;) {
		struct unc_recover_row *rows = unc_array_more(r->rows, r->n, sizeof(*rows));

		if (!rows)
			return no_memory(r);
		r->rows = rows;
		rows[r->n] = (struct unc_recover_row){.journal = journal, .line = i};
		unc_addr_text(&text->lines[i].addr, rows[r->n].pci);
		r->n++;
	}
	return UNC_OK;
}

static int name_paths(struct unc_recover *r)
{
	const char *folder = unc_os_folder_path(r->folder);

	r->paths = calloc(r->journals.n + 1, sizeof(*r->paths));
	for (size_t i = 0; r->paths && i < r->journals.n; i++) {
		const char *name = r->journals.files[i].name;
		size_t size = strlen(folder) + strlen(name) + 2;

		r->paths[i] = malloc(size);
		if (!r->paths[i])
			return no_memory(r);
		snprintf(r->paths[i], size, "%s/%s", folder, name);
	}
	return r->paths ? UNC_OK : no_memory(r);
}

static int list(struct unc_recover *r)
{
	struct unc_host_identity identity;
	struct unc_machine *m = r->m;
	int rc = m->host->ops->identity ? m->host->ops->identity(m->host, &identity) : UNC_ENODATA;

	if (rc < 0)
		return rc == UNC_ENODATA ? UNC_OK : rc;
	rc = unc_os_folder_open(m->ctx, m->state_dir, false, &r->folder);
	if (rc < 0)
		return rc == UNC_ENODEV ? UNC_OK : rc;
	rc = unc_journals_read(m->ctx, r->folder, &identity, false, NULL, &r->journals);
	if (rc < 0)
		return rc;
	if (r->journals.n)
		qsort(r->journals.files, r->journals.n, sizeof(r->journals.files[0]), last_first);
	rc = name_paths(r);
	for (size_t i = 0; i < r->journals.n && rc == 0; i++)
		if (r->journals.files[i].kind == UNC_RECOVER_STALE)
			rc = add_rows(r, i);
	return rc;
}

int unc_recover_open(struct unc_machine *m, struct unc_recover **ret_recover)
{
	struct unc_recover *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return unc_fail(m->ctx, UNC_ENOMEM, "recover: out of memory");
	r->m = m;
	rc = list(r);
	if (rc < 0)
		unc_recover_close(r);
	else
		*ret_recover = r;
	return rc;
}

void unc_recover_close(struct unc_recover *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free(r->rows[i].why);
	free(r->rows);
	for (size_t i = 0; r->paths && i < r->journals.n; i++)
		free(r->paths[i]);
	free(r->paths);
	unc_journals_clear(&r->journals);
	unc_os_folder_close(r->folder);
	free(r);
}

size_t unc_recover_journals(const struct unc_recover *r)
{
	return r->journals.n;
}

int unc_recover_journal(const struct unc_recover *r, size_t index, struct unc_recover_journal *ret_journal)
{
	const struct unc_journal_file *file;

	if (index >= r->journals.n)
		return unc_fail(r->m->ctx, UNC_ENODEV, "recover: there is no journal number %zu", index);
	file = &r->journals.files[index];
	*ret_journal = (struct unc_recover_journal){
		.path = r->paths[index],
		.kind = file->kind,
		.who = file->who,
		.machine = file->text.identity.machine,
		.n_registers = file->text.n_lines,
		.why = file->why,
	};
	return UNC_OK;
}

size_t unc_recover_count(const struct unc_recover *r)
{
	return r->n;
}

int unc_recover_info(const struct unc_recover *r, size_t index, struct unc_recover_info *ret_info)
{
	const struct unc_recover_row *row;
	const struct unc_journal_text *text;
	const struct unc_journal_line *line;

	if (index >= r->n)
		return unc_fail(r->m->ctx, UNC_ENODEV, "recover: there is no register number %zu", index);
	row = &r->rows[index];
	text = &r->journals.files[row->journal].text;
	line = &text->lines[row->line];
	*ret_info = (struct unc_recover_info){
		.journal = row->journal,
		.pid = text->who.pid,
		.command = text->who.command,
		.since_ns = text->who.since_ns,
		.box = line->box,
		.pci = row->pci,
		.reg = line->reg,
		.offset = line->off,
		.bits = line->bits,
		.was = line->before,
		.is_known = row->is_known,
		.is = row->is,
		.becomes_known = row->becomes_known,
		.becomes = row->becomes,
		.state = row->state,
		.why = row->why ? row->why : "",
	};
	return UNC_OK;
}
