// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What processes that were killed have left: put back.  The journal of such a process is held meanwhile, so that no other process does the
 * same; and since it stays until all of it is done, dying in the middle leaves nothing that it does not tell of.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/claim.h"
#include "machine/gate.h"
#include "machine/recover.h"

/* Is it none of the journal's business any more? */
static bool is_done(const struct unc_recover_row *row)
{
	switch (row->state) {
	case UNC_RECOVER_PUT_BACK:
	case UNC_RECOVER_AS_IT_WAS:
	case UNC_RECOVER_IDLE:
	case UNC_RECOVER_COUNTED:
		return true;
	default:
		return false;
	}
}

static bool row_of(const struct unc_recover *r, size_t i, size_t journal)
{
	return r->rows[i].journal == journal;
}

/* What remains of it: lines that drop the others.  Where they cannot be written, the next who looks finds these as they were. */
static int shorten(struct unc_recover *r, size_t journal, struct unc_os_held *held)
{
	const struct unc_journal_text *text = &r->journals.files[journal].text;
	struct unc_journal_buf drops = {0};
	char head[UNC_JOURNAL_HEAD + 1];
	bool good = true;
	int rc;

	for (size_t i = 0; i < r->n && good; i++) {
		const struct unc_journal_line *line = &text->lines[r->rows[i].line];

		if (row_of(r, i, journal) && is_done(&r->rows[i]))
			good = unc_journal_put_drop(&drops, &line->addr, line->off);
	}
	rc = good ? UNC_OK : unc_fail(r->m->ctx, UNC_ENOMEM, "recover: out of memory");
	if (rc == 0 && drops.len) {
		rc = unc_os_held_write(held, text->len, drops.bytes, drops.len);
		unc_journal_put_head(head, text->len + drops.len, unc_journal_sum(text->sum, drops.bytes, drops.len));
		if (rc == 0)
			rc = unc_os_held_write(held, 0, head, UNC_JOURNAL_HEAD);
	}
	free(drops.bytes);
	return rc;
}

static int all_rows(struct unc_recover *r, size_t journal, bool force, bool *ret_done)
{
	int rc = UNC_OK;

	*ret_done = true;
	for (size_t i = 0; i < r->n && rc == 0; i++) {
		if (!row_of(r, i, journal))
			continue;
		rc = unc_recover_one(r, &r->rows[i], force);
		*ret_done &= is_done(&r->rows[i]);
	}
	return rc;
}

/* Another process is recovering it just now, or has done so. */
static int others(struct unc_recover *r, size_t journal)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!row_of(r, i, journal))
			continue;
		r->rows[i].state = UNC_RECOVER_IN_USE;
		r->rows[i].why = unc_text_dup("somebody else is recovering it just now; look again");
		if (!r->rows[i].why)
			return unc_fail(r->m->ctx, UNC_ENOMEM, "recover: out of memory");
	}
	return UNC_OK;
}

/* Between reading it and locking it another process may have put back what it lists. */
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
	if (rc == UNC_EBUSY || rc == UNC_ENODEV)
		return others(r, journal);
	if (rc < 0)
		return rc;
	if (!is_as_listed(r, journal)) {
		unc_os_held_end(held, false);
		return others(r, journal);
	}
	rc = all_rows(r, journal, force, &done);
	if (rc == 0 && !done && shorten(r, journal, held) < 0)
		unc_note(r->m->ctx, "%s: what was put back is still in it: %s", r->paths[journal], r->m->ctx->msg);
	ended = unc_os_held_end(held, rc == 0 && done);
	return rc < 0 ? rc : ended;
}

static int sum_up(const struct unc_recover *r)
{
	size_t n_busy = 0, n_left = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (is_done(&r->rows[i]) || r->rows[i].state == UNC_RECOVER_WOULD)
			continue;
		if (r->rows[i].state == UNC_RECOVER_IN_USE)
			n_busy++;
		else
			n_left++;
	}
	if (n_left)
		return unc_fail(r->m->ctx, UNC_EIO, "recover: %zu of %zu registers are not as they were",
				n_left + n_busy, r->n);
	if (n_busy)
		return unc_fail(r->m->ctx, UNC_EBUSY,
				"recover: %zu of %zu registers are in use by somebody else, and were left alone",
				n_busy, r->n);
	return UNC_OK;
}

int unc_recover_run(struct unc_recover *r, bool force)
{
	struct unc_machine *m = r->m;
	int rc = UNC_OK;

	if (!m->writable)
		return unc_fail(m->ctx, UNC_EDENIED, "recover: the machine was opened read-only");
	for (size_t i = 0; i < r->journals.n && rc == 0; i++) {
		bool done;

		if (r->journals.files[i].kind == UNC_RECOVER_OTHER_BOOT && !m->dry_run)
			unc_journals_remove(r->folder, &r->journals.files[i]);
		if (r->journals.files[i].kind != UNC_RECOVER_STALE)
			continue;
		rc = m->dry_run ? all_rows(r, i, force, &done) : run_journal(r, i, force);
	}
	unc_claim_leave(m, r);
	return rc < 0 ? rc : sum_up(r);
}
