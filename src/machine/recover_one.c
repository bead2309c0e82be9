// SPDX-License-Identifier: GPL-2.0-or-later
/* One register that a process has left which is gone: found, looked at, put back. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/gate_entry.h"
#include "machine/recover.h"
#include "uncore/recover.h"
#include "uncore/reg.h"

struct found {
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
};

/* By its names, if what is called so is in the same place still. */
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

/* If the map is another than that process had, or none fits, the address is shown. */
static int find_raw(struct unc_machine *m, const struct unc_journal_line *line, struct found *ret_found)
{
	char addr[UNC_ADDR_TEXT];
	struct unc_box *box;
	int rc;

	unc_addr_text(&line->addr, addr);
	if (line->addr.kind == UNC_MSR)
		rc = unc_raw_msr(m, line->addr.msr.cpu, line->off, &box);
	else
		rc = unc_raw_pci(m, addr, line->off, &box);
	if (rc == 0 && box->raw->regs[0].bits != line->bits)
		rc = unc_fail(m->ctx, UNC_ENOREG,
			      "%s: %s of %s is in no map that is loaded, and has another width than a register without "
			      "one; give the folder of its map with --regs",
			      addr, line->reg, line->box);
	else if (rc == 0 && box->raw->regs[0].never)
		rc = unc_fail(
			m->ctx, UNC_ENOREG,
			"%s: %s of %s was written with another map than is loaded now, which has something else there; "
			"give the folder of that map with --regs",
			addr, line->reg, line->box);
	if (rc == 0)
		*ret_found = (struct found){box, &box->raw->regs[0], 0};
	return rc;
}

static int find(struct unc_machine *m, const struct unc_journal_line *line, struct found *ret_found)
{
	return find_named(m, line, ret_found) ? UNC_OK : find_raw(m, line, ret_found);
}

/* Why it is in that state is the context's sentence. */
static int set_state(const struct unc_recover *r, struct unc_recover_row *row, enum unc_recover_state state, bool why)
{
	row->state = state;
	if (!why)
		return UNC_OK;
	free(row->why);
	row->why = unc_text_dup(r->m->ctx->msg);
	return row->why ? UNC_OK : unc_fail(r->m->ctx, UNC_ENOMEM, "recover: out of memory");
}

static int not_reached(const struct unc_recover *r, struct unc_recover_row *row, int rc)
{
	if (rc == UNC_ENOMEM)
		return rc;
	return set_state(r, row, rc == UNC_EBUSY ? UNC_RECOVER_IN_USE : UNC_RECOVER_NOT_REACHED, true);
}

static int put_back(const struct unc_recover *r, struct unc_recover_row *row, struct unc_journal_entry *entry,
		    struct unc_gate_verdict *verdict)
{
	int rc;

	if (r->m->dry_run)
		return set_state(r, row, UNC_RECOVER_WOULD, false);
	rc = unc_gate_put_back(entry, verdict);
	row->becomes = unc_gate_becomes(entry, verdict);
	if (rc < 0) {
		unc_gate_wrap(entry->box, entry->reg, entry->index, rc);
		return set_state(r, row, UNC_RECOVER_NOT_BACK, true);
	}
	return set_state(r, row, entry->has_idle ? UNC_RECOVER_IDLE : UNC_RECOVER_PUT_BACK, false);
}

static int changed(const struct unc_recover *r, struct unc_recover_row *row, const struct unc_journal_entry *entry)
{
	bool counts = unc_gate_counts(entry->reg);
	int rc;

	if (counts)
		return set_state(r, row, UNC_RECOVER_COUNTED, false);
	rc = unc_fail(r->m->ctx, UNC_EIO,
		      "it no longer holds what was written: somebody else's by now, left alone; if nobody needs it, "
		      "--force puts it back");
	unc_gate_wrap(entry->box, entry->reg, entry->index, rc);
	return set_state(r, row, UNC_RECOVER_CHANGED, true);
}

static int treat(const struct unc_recover *r, struct unc_recover_row *row, struct unc_journal_entry *entry, bool force)
{
	struct unc_gate_verdict verdict;
	int rc = unc_gate_judge(entry, &verdict);

	if (rc < 0)
		return not_reached(r, row, unc_gate_wrap(entry->box, entry->reg, entry->index, rc));
	row->is = verdict.now;
	row->is_known = true;
	row->becomes = unc_gate_becomes(entry, &verdict);
	row->becomes_known = true;
	if (verdict.state == UNC_GATE_BACK)
		return set_state(r, row, UNC_RECOVER_AS_IT_WAS, false);
	if (verdict.state == UNC_GATE_CHANGED && !force)
		return changed(r, row, entry);
	return put_back(r, row, entry, &verdict);
}

int unc_recover_one(struct unc_recover *r, struct unc_recover_row *row, bool force)
{
	const struct unc_journal_line *line = &r->journals.files[row->journal].text.lines[row->line];
	struct unc_machine *m = r->m;
	struct unc_journal_entry *entry = NULL;
	struct found found = {0};
	int rc;

	rc = find(m, line, &found);
	if (rc == 0)
		rc = unc_gate_adopt(found.box, found.reg, found.index, line, r, &entry);
	if (rc < 0 || !entry)
		return not_reached(r, row, rc);
	/* So that other processes can name the owner of the box.  All that is written is in the journal of the process that left it. */
	unc_journal_disk_sync(m->disk);
	rc = treat(r, row, entry, force);
	entry->dropped = true;
	unc_journal_sweep(&m->journal);
	return rc;
}
