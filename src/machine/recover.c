// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that killed processes left changed: finds each one and puts it back; then the list of them. */

#include "machine/gate.h"
#include "map/field.h"
#include "uncore/reg.h"

struct unc_recover_row {
	struct unc_recover_info info; /* its texts are those of the journal, except */
	char pci[UNC_ADDR_TEXT];      /* the address, */
	char *why;                    /* and the reason; owned; NULL: there is none */
	const struct unc_journal_line *line;
};

struct unc_recover {
	struct unc_machine *m;        /* not owned */
	struct unc_os_folder *folder; /* owned; NULL: there is none */
	struct unc_journals journals; /* the last one begun comes first */
	char **paths;                 /* owned, each of them too: one for each journal */
	struct unc_recover_row *rows; /* owned; the last one written comes first */
	size_t n;
};

struct found {
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
};

/* Finds the register by its names, if what has this name is still in the same place. */
static bool find_named(const struct unc_machine *m, const struct unc_journal_line *line, struct found *ret_found)
{
	char name[UNC_GATE_TEXT];
	struct unc_box *box;
	size_t n;

	if (unc_box_find(m, line->box, &box) < 0 || !box->addr_known || unc_addr_compare(&box->addr, &line->addr) != 0)
		return false;
	n = unc_box_reg_count(box);
	for (size_t i = 0; i < n; i++) {
		unsigned index = 0;
		const struct unc_reg *reg = unc_box_nth_reg(box, i, &index);

		if (unc_reg_off(reg, index) != line->off || reg->bits != line->bits ||
		    strcmp(unc_gate_reg_text(reg, index, name), line->reg) != 0)
			continue;
		*ret_found = (struct found){box, reg, index};
		return true;
	}
	return false;
}

/* If the map differs from the one that process had, or none fits, the address is shown. */
static int find_raw(struct unc_machine *m, const struct unc_journal_line *line, struct found *ret_found)
{
	char addr[UNC_ADDR_TEXT];
	struct unc_box *box;
	int rc;

	unc_addr_text(&line->addr, addr);
	if (line->addr.kind == UNC_MMIO)
		return unc_fail(m->ctx, UNC_ENOREG,
				"%s: the window of %s is not found there any more, and memory is not written where no "
				"map has a register",
				addr, line->box);
	rc = line->addr.kind == UNC_MSR ? unc_raw_msr(m, line->addr.msr.cpu, line->off, &box)
					: unc_raw_pci(m, addr, line->off, &box);
	if (rc < 0)
		return rc;
	if (box->raw->regs[0].bits != line->bits)
		return unc_fail(m->ctx, UNC_ENOREG,
				"%s: %s of %s is in no map that is loaded, and has another width than a register "
				"without one; give the folder of its map with --regs",
				addr, line->reg, line->box);
	if (box->raw->regs[0].never)
		return unc_fail(m->ctx, UNC_ENOREG,
				"%s: %s of %s was written with another map than is loaded now, which has something "
				"else there; give the folder of that map with --regs",
				addr, line->reg, line->box);
	*ret_found = (struct found){box, &box->raw->regs[0], 0};
	return UNC_OK;
}

/*
 * Returns true if a register holds exactly what was written: not what it was, nor zeros, which are how a reset leaves it.  One
 * that is there and cannot be read may.
 */
static bool still_holds(struct unc_machine *m, const struct unc_journal_line *line)
{
	struct found found = {0};
	uint64_t now = 0, bits;
	bool holds = false;
	int rc = find_named(m, line, &found) ? UNC_OK : find_raw(m, line, &found);

	if (rc == 0)
		rc = unc_reg_look(found.box, found.reg, found.index, &now);
	if (rc < 0)
		return rc != UNC_ENODEV && rc != UNC_ENOREG;
	bits = unc_reg_readback_mask(found.reg) & line->ours & ~line->any & ~line->doubted;
	if (unc_gate_counts(found.reg) || (now & bits) == 0 || ((now ^ line->before) & bits) == 0)
		return false;
	for (size_t i = 0; i < line->n_values; i++)
		holds |= ((now ^ line->values[i]) & bits) == 0;
	return holds;
}

void unc_journals_look(struct unc_machine *m, struct unc_journals *journals)
{
	struct unc_saved_msg kept;

	unc_msg_save(m->ctx, &kept);
	/* A replay has no journals, and would not ask what a record answers. */
	for (size_t i = 0; i < journals->n && !m->host->name; i++) {
		struct unc_journal_file *file = &journals->files[i];
		struct unc_journal_text *text = &file->text;
		size_t held = 0; /* the first that is */

		if (file->kind != UNC_RECOVER_OTHER_BOOT)
			continue;
		while (held < text->n_lines && !still_holds(m, &text->lines[held]))
			held++;
		if (held == text->n_lines)
			continue;
		for (size_t k = text->n_lines; k-- > 0;)
			if (k < held || (k > held && !still_holds(m, &text->lines[k])))
				unc_journal_text_forget(text, k);
		file->kind = UNC_RECOVER_STALE;
	}
	unc_msg_restore(m->ctx, &kept);
}

static int no_memory(const struct unc_recover *r)
{
	return unc_fail(r->m->ctx, UNC_ENOMEM, "recover: out of memory");
}

/* The context's message says why it is in that state. */
static int set_state(const struct unc_recover *r, struct unc_recover_row *row, enum unc_recover_state state, bool why)
{
	row->info.state = state;
	if (!why)
		return UNC_OK;
	free(row->why);
	row->why = unc_text_dup(r->m->ctx->msg);
	return row->why ? UNC_OK : no_memory(r);
}

static int not_reached(const struct unc_recover *r, struct unc_recover_row *row, int rc)
{
	if (rc == UNC_ENOMEM)
		return rc;
	return set_state(r, row, rc == UNC_EBUSY ? UNC_RECOVER_IN_USE : UNC_RECOVER_NOT_REACHED, true);
}

static int treat(const struct unc_recover *r, struct unc_recover_row *row, struct unc_journal_entry *entry, bool force)
{
	struct unc_gate_verdict verdict;
	int rc = unc_gate_judge(entry, &verdict);

	if (rc < 0)
		return not_reached(r, row, unc_gate_wrap(entry->box, entry->reg, entry->index, rc));
	row->info.is = verdict.now;
	row->info.becomes = unc_gate_becomes(entry, &verdict);
	row->info.is_known = row->info.becomes_known = true;
	if (verdict.state == UNC_GATE_BACK)
		return set_state(r, row, UNC_RECOVER_AS_IT_WAS, false);
	if (verdict.state == UNC_GATE_CHANGED && !force) {
		if (unc_gate_counts(entry->reg))
			return set_state(r, row, UNC_RECOVER_COUNTED, false);
		rc = unc_fail(r->m->ctx, UNC_EIO, "%s, left alone; if no program needs it, --force puts it back",
			      *verdict.shared ? verdict.shared
					      : "it no longer holds what was written: another program changed it");
		unc_gate_wrap(entry->box, entry->reg, entry->index, rc);
		return set_state(r, row, UNC_RECOVER_CHANGED, true);
	}
	if (r->m->dry_run)
		return set_state(r, row, UNC_RECOVER_WOULD, false);
	rc = unc_gate_put_back(entry, &verdict);
	row->info.becomes = unc_gate_becomes(entry, &verdict);
	if (rc < 0) {
		unc_gate_wrap(entry->box, entry->reg, entry->index, rc);
		return set_state(r, row, UNC_RECOVER_NOT_BACK, true);
	}
	return set_state(r, row, entry->line.has_idle ? UNC_RECOVER_IDLE : UNC_RECOVER_PUT_BACK, false);
}

/*
 * Puts back what killed processes left.  Meanwhile it holds the journal of such a process, so that no other process
 * does the same.  The journal stays until all of it is done, so being killed in the middle loses nothing.
 */

/* Returns true if the journal need not name this register any more. */
static bool is_done(const struct unc_recover_row *row)
{
	return row->info.state == UNC_RECOVER_PUT_BACK || row->info.state == UNC_RECOVER_AS_IT_WAS ||
	       row->info.state == UNC_RECOVER_IDLE || row->info.state == UNC_RECOVER_COUNTED;
}

/* Writes what remains: lines that drop the others.  If that fails, the next process finds these as they were. */
static int shorten(struct unc_recover *r, size_t journal, struct unc_os_held *held)
{
	const struct unc_journal_text *text = &r->journals.files[journal].text;
	struct unc_bytes drops = {0};
	char head[UNC_JOURNAL_HEAD + 1];
	int rc = UNC_OK;

	for (size_t i = 0; i < r->n && rc == 0; i++) {
		const struct unc_recover_row *row = &r->rows[i];

		if (row->info.journal == journal && is_done(row) &&
		    !unc_journal_put_drop(&drops, &row->line->addr, row->line->off))
			rc = no_memory(r);
	}
	if (rc == 0 && drops.len)
		rc = unc_os_held_write(held, text->len, drops.bytes, drops.len);
	if (rc == 0 && drops.len) {
		unc_journal_put_head(head, text->len + drops.len, unc_journal_sum(text->sum, drops.bytes, drops.len));
		rc = unc_os_held_write(held, 0, head, UNC_JOURNAL_HEAD);
	}
	free(drops.bytes);
	return rc;
}

/* Reads each register and puts it back; the rows have the results.  UNC_ENOMEM, UNC_EDENIED. */
static int all_rows(struct unc_recover *r, size_t journal, bool force, bool *ret_done)
{
	int rc = UNC_OK;

	*ret_done = true;
	for (size_t i = 0; i < r->n && rc == 0; i++) {
		struct unc_recover_row *row = &r->rows[i];
		struct unc_journal_entry *entry = NULL;
		struct found found = {0};

		if (row->info.journal != journal)
			continue;
		rc = find_named(r->m, row->line, &found) ? UNC_OK : find_raw(r->m, row->line, &found);
		if (rc == 0)
			rc = unc_gate_adopt(found.box, found.reg, found.index, row->line, r, &entry);
		if (rc == 0 && entry) {
			/*
			 * Lets other processes name the owner of the box.  The journal of the process that left it already
			 * has all that is written here.
			 */
			unc_journal_disk_sync(r->m->disk);
			rc = treat(r, row, entry, force);
			entry->dropped = true;
			unc_journal_sweep(&r->m->journal);
		} else {
			rc = not_reached(r, row, rc);
		}
		*ret_done &= is_done(row);
	}
	return rc;
}

/* Between reading and locking it another process may have put back what it lists. */
static bool is_as_listed(struct unc_recover *r, size_t journal)
{
	const struct unc_journal_text *text = &r->journals.files[journal].text;
	struct unc_journal_text now;
	char *bytes = NULL;
	size_t len = 0;
	bool same = false;

	if (unc_os_folder_read(r->folder, r->journals.files[journal].name, UNC_JOURNAL_MAX, NULL, &bytes, &len) < 0)
		return false;
	if (unc_journal_text_parse(r->m->ctx, bytes, len, &now) == 0) {
		same = now.len == text->len && now.sum == text->sum;
		unc_journal_text_clear(&now);
	}
	free(bytes);
	return same;
}

static int run_journal(struct unc_recover *r, size_t journal, bool force)
{
	struct unc_os_held *held = NULL;
	bool done = false;
	int rc, ended;

	rc = unc_os_folder_hold(r->folder, r->journals.files[journal].name, false, &held);
	if (rc < 0 && rc != UNC_EBUSY && rc != UNC_ENODEV)
		return rc;
	if (rc < 0 || !is_as_listed(r, journal)) { /* another process is recovering it just now, or has done so */
		unc_os_held_end(held, false);
		unc_fail(r->m->ctx, UNC_EBUSY, "another program is recovering it just now; try again");
		rc = UNC_OK;
		for (size_t i = 0; i < r->n && rc == 0; i++)
			if (r->rows[i].info.journal == journal)
				rc = set_state(r, &r->rows[i], UNC_RECOVER_IN_USE, true);
		return rc;
	}
	rc = all_rows(r, journal, force, &done);
	if (rc == 0 && !done && shorten(r, journal, held) < 0)
		unc_note(r->m->ctx, "%s: what was put back is still in it: %s", r->paths[journal], r->m->ctx->msg);
	ended = unc_os_held_end(held, rc == 0 && done);
	return rc < 0 ? rc : ended;
}

int unc_recover_run(struct unc_recover *r, bool force)
{
	size_t n_busy = 0, n_left = 0;
	struct unc_machine *m = r->m;
	int rc = UNC_OK;

	if (!m->writable)
		return unc_fail(m->ctx, UNC_EDENIED,
				"recover: the machine was opened read-only; open it with cfg.writable");
	for (size_t i = 0; i < r->journals.n && rc == 0; i++) {
		bool done;

		if (r->journals.files[i].kind == UNC_RECOVER_OTHER_BOOT && !m->dry_run)
			unc_journals_remove(r->folder, r->journals.files[i].name);
		if (r->journals.files[i].kind == UNC_RECOVER_STALE)
			rc = m->dry_run ? all_rows(r, i, force, &done) : run_journal(r, i, force);
	}
	unc_claim_leave(m, r);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < r->n; i++) {
		n_busy += r->rows[i].info.state == UNC_RECOVER_IN_USE;
		n_left += !is_done(&r->rows[i]) && r->rows[i].info.state != UNC_RECOVER_WOULD;
	}
	if (n_left > n_busy)
		return unc_fail(m->ctx, UNC_EIO, "recover: %zu of %zu registers are not as they were", n_left, r->n);
	if (n_busy)
		return unc_fail(m->ctx, UNC_EBUSY,
				"recover: %zu of %zu registers are in use by another program, and were left alone",
				n_busy, r->n);
	return UNC_OK;
}

/* ---- the list of what killed processes left ---- */

/* A later process may have overwritten what an earlier one left, so the later one is undone first. */
static int last_first(const void *a, const void *b)
{
	const struct unc_journal_file *x = a, *y = b;
	uint64_t since_x = x->text.who.since_ns, since_y = y->text.who.since_ns;

	return since_x != since_y ? (since_x < since_y) - (since_x > since_y) : strcmp(x->name, y->name);
}

/* Names the files, and lists the registers of those that killed processes left. */
static int list_rows(struct unc_recover *r)
{
	const char *folder = unc_os_folder_path(r->folder);

	r->paths = calloc(r->journals.n + 1, sizeof(*r->paths));
	if (!r->paths)
		return no_memory(r);
	for (size_t i = 0; i < r->journals.n; i++) {
		const struct unc_journal_file *file = &r->journals.files[i];

		r->paths[i] = unc_text_new("%s/%s", folder, file->name);
		if (!r->paths[i])
			return no_memory(r);
		for (size_t k = file->kind == UNC_RECOVER_STALE ? file->text.n_lines : 0; k-- > 0;) {
			const struct unc_journal_line *line = &file->text.lines[k];
			struct unc_recover_row row = {
				.line = line,
				.info =
					{
						.journal = i,
						.pid = file->text.who.pid,
						.command = file->text.who.command,
						.since_ns = file->text.who.since_ns,
						.box = line->box,
						.reg = line->reg,
						.offset = line->off,
						.bits = line->bits,
						.was = line->before,
					},
			};

			unc_addr_text(&line->addr, row.pci);
			if (!unc_array_add(&r->rows, &r->n, &row, sizeof(row)))
				return no_memory(r);
		}
	}
	return UNC_OK;
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
	unc_journals_look(m, &r->journals);
	if (r->journals.n)
		qsort(r->journals.files, r->journals.n, sizeof(r->journals.files[0]), last_first);
	return list_rows(r);
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
	if (index >= r->n)
		return unc_fail(r->m->ctx, UNC_ENODEV, "recover: there is no register number %zu", index);
	*ret_info = r->rows[index].info;
	ret_info->pci = r->rows[index].pci;
	ret_info->why = r->rows[index].why ? r->rows[index].why : "";
	return UNC_OK;
}
