// SPDX-License-Identifier: GPL-2.0-or-later
/* All that was written, backwards; and what is said of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "machine/gate.h"
#include "machine/journals.h"
#include "map/field.h"

static void note_changed(const struct unc_journal_entry *entry, uint64_t now)
{
	struct unc_ctx *ctx = entry->box->machine->ctx;
	int digits = (int)entry->reg->bits / 4;
	char name[UNC_GATE_TEXT];

	unc_gate_reg_text(entry->reg, entry->index, name);
	if (unc_gate_counts(entry->reg))
		unc_note(ctx,
			 "%s: %s has counted on since it was written (0x%0*" PRIx64 ", now 0x%0*" PRIx64
			 "): left alone, its former count is not put back",
			 entry->box->name, name, digits, entry->wrote, digits, now);
	else
		unc_note(ctx,
			 "%s: %s no longer holds what was written (0x%0*" PRIx64 ", now 0x%0*" PRIx64
			 "): somebody else's, left alone",
			 entry->box->name, name, digits, entry->wrote, digits, now);
}

static int restore(struct unc_journal_entry *entry)
{
	struct unc_gate_verdict verdict;
	int rc;

	rc = unc_gate_judge(entry, &verdict);
	if (rc < 0)
		return rc;
	if (verdict.state == UNC_GATE_CHANGED)
		note_changed(entry, verdict.now);
	return verdict.state == UNC_GATE_OURS ? unc_gate_put_back(entry, &verdict) : UNC_OK;
}

static void note_idle(struct unc_machine *m, unsigned n, const struct unc_journal_entry *entry)
{
	char text[120];

	if (n && !m->dry_run)
		unc_note(m->ctx, "%s cannot be read back on this part; it was left idle (%s) on %u box%s",
			 entry->reg->name, unc_reg_text(entry->reg, entry->idle, text, sizeof(text)), n,
			 n == 1 ? "" : "es");
}

/* Registers of one box that could not be put back: one sentence for all of them. */
struct not_back {
	struct unc_box *box; /* NULL: none */
	char regs[160];      /* "CTL[3], CTL[2], BOX_CTL" */
	unsigned n;
	char why[UNC_MSG_MAX]; /* the first could not */
};

/* The first sentence is the failure, which is left to the caller; the others are notes. */
static void tell_not_back(struct unc_machine *m, struct not_back *lost, struct unc_saved_msg *first, int *ret)
{
	if (!lost->box)
		return;
	if (m->dry_run) /* nothing was written */
		unc_fail(m->ctx, UNC_EIO, "what would be put back cannot be told: %s: %s: %.700s", lost->box->name,
			 lost->regs, lost->why);
	else
		unc_fail(m->ctx, UNC_EIO, "register%s not put back: %s: %s: %.700s", lost->n == 1 ? "" : "s",
			 lost->box->name, lost->regs, lost->why);
	if (*ret == 0)
		unc_msg_save(m->ctx, first);
	else
		unc_note(m->ctx, "%s", m->ctx->msg);
	*ret = UNC_EIO;
	lost->box = NULL;
}

/* An entry's failure, whose sentence is in the context, joins those of its box: of one box they stand together. */
static void add_not_back(const struct unc_journal_entry *entry, struct not_back *lost)
{
	char name[UNC_GATE_TEXT];
	size_t len;

	if (!lost->box) {
		*lost = (struct not_back){.box = entry->box};
		memcpy(lost->why, entry->box->machine->ctx->msg, sizeof(lost->why));
	}
	len = strlen(lost->regs);
	snprintf(lost->regs + len, sizeof(lost->regs) - len, "%s%s", lost->n ? ", " : "",
		 unc_gate_reg_text(entry->reg, entry->index, name));
	lost->n++;
}

/*
 * It is none of ours any more.  What could not be put back stays on the disk for `recover`, and in memory: who plans it next
 * must not take what we left there for what was there before.
 */
static void leave(struct unc_journal_entry *entry, int rc)
{
	struct unc_machine *m = entry->box->machine;

	entry->lost = rc < 0;
	entry->dropped = !entry->lost;
	if (rc == 0 && !entry->adopted)
		unc_journal_disk_drop(m->disk, &entry->box->addr, unc_reg_off(entry->reg, entry->index));
}

int unc_gate_restore(struct unc_machine *m, const void *owner)
{
	struct unc_journal *journal = &m->journal;
	struct unc_journal_entry idle_entry = {0};
	struct not_back lost = {0};
	struct unc_saved_msg first;
	unsigned n_idle = 0;
	int ret = UNC_OK;

	for (size_t i = journal->n; i-- > 0;) {
		struct unc_journal_entry *entry = &journal->entries[i];
		int rc;

		if (entry->lost || (owner && entry->owner != owner))
			continue;
		rc = entry->written ? restore(entry) : UNC_OK;
		leave(entry, rc);
		if (lost.box && lost.box != entry->box) {
			struct unc_saved_msg failure;

			unc_msg_save(m->ctx, &failure);
			tell_not_back(m, &lost, &first, &ret);
			unc_msg_restore(m->ctx, &failure);
		}
		if (rc < 0) {
			add_not_back(entry, &lost);
		} else if (entry->written && entry->has_idle) {
			n_idle++;
			idle_entry = *entry;
		}
	}
	tell_not_back(m, &lost, &first, &ret);
	unc_journal_sweep(journal);
	/* Noted at once where others still write: what is back may soon be another program's.  If it cannot be, `recover` finds it as it was. */
	if (journal->n == 0)
		unc_journal_disk_done(m->disk);
	else if (ret == 0)
		unc_journal_disk_sync(m->disk);
	unc_claim_leave(m, owner);
	note_idle(m, n_idle, &idle_entry);
	if (ret < 0)
		unc_msg_restore(m->ctx, &first);
	return ret;
}
