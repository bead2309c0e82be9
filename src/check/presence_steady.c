// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does every read return the same?  Ids never change, and controls only when a program writes them: if one reads differently once
 * and as before when it is read again, that read was wrong.  A configuration cycle that fails reads as all ones.
 */
#include <inttypes.h>
#include <stdio.h>

#include "access/access.h"
#include "check/odds.h"
#include "check/presence.h"

enum { HEADER_DWORDS = 3, DWORDS_MAX = HEADER_DWORDS + UNC_PMON_SLOTS + 1 };

struct dword {
	uint32_t off;
	const struct unc_reg *reg; /* NULL: a dword of the header */
	unsigned index;
	uint32_t value; /* what the dword holds */
};

struct watch { /* one for each channel */
	const struct unc_check_box *b;
	struct dword dwords[DWORDS_MAX];
	size_t n;
	uint64_t n_reads, n_ones, n_other, n_changed;
};

static void add(struct watch *w, uint32_t off, const struct unc_reg *reg, unsigned index)
{
	w->dwords[w->n++] = (struct dword){.off = off, .reg = reg, .index = index};
}

/* If another program counts in the channel, it may change its controls at any time. */
static void choose(struct watch *w)
{
	const struct unc_pmon_box *pbox = &w->b->pbox;

	add(w, 0, NULL, 0); /* vendor, device; class; header type */
	add(w, 8, NULL, 0);
	add(w, 12, NULL, 0);
	if (w->b->busy)
		return;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		add(w, unc_reg_off(pbox->slots[i].ctl, pbox->slots[i].index), pbox->slots[i].ctl, pbox->slots[i].index);
	add(w, pbox->regs.box_ctl->off, pbox->regs.box_ctl, 0);
}

static int read_dword(struct watch *w, const struct dword *d, uint32_t *ret_value)
{
	w->n_reads++;
	return unc_read32(w->b->box->space, d->off, ret_value);
}

/* Returns the value on which two of three reads agree. */
static int read_surely(struct watch *w, const struct dword *d, uint32_t *ret_value)
{
	uint32_t first, second;
	int rc = read_dword(w, d, &first);

	if (rc == 0)
		rc = read_dword(w, d, &second);
	if (rc == 0 && first != second)
		rc = read_dword(w, d, &first);
	if (rc == 0)
		*ret_value = first;
	return rc;
}

static void see(struct unc_check *c, const struct watch *w, const struct dword *d, uint32_t read)
{
	unc_check_see(c, &(struct unc_check_seen){.what = "once, and otherwise when it was read again",
						  .box = d->reg ? w->b->box : NULL,
						  .reg = d->reg,
						  .index = d->index,
						  .name = "configuration header",
						  .has_expected = true,
						  .read = read,
						  .expected = d->value});
}

static int look(struct unc_check *c, struct watch *w, struct dword *d)
{
	uint32_t value, again = 0;
	int rc = read_dword(w, d, &value);

	if (rc < 0 || value == d->value)
		return rc;
	rc = read_surely(w, d, &again);
	if (rc < 0)
		return rc;
	if (again != d->value) {
		w->n_changed++;
		d->value = again;
	}
	if (again == value)
		return rc;
	w->n_ones += value == UINT32_MAX;
	w->n_other += value != UINT32_MAX;
	see(c, w, d, value);
	return rc;
}

static void tell(struct unc_check *c, const struct watch *w)
{
	char odds[UNC_ODDS_TEXT], changed[80] = "";

	if (w->n_changed)
		snprintf(changed, sizeof(changed), "; %" PRIu64 " times somebody wrote a control meanwhile",
			 w->n_changed);
	unc_odds_text(w->n_reads, w->n_ones + w->n_other, odds);
	if (w->n_ones + w->n_other)
		unc_check_fail(c,
			       "of %" PRIu64 " reads of ids and controls %" PRIu64 " were all ones and %" PRIu64
			       " another value than when it was read again: %s%s",
			       w->n_reads, w->n_ones, w->n_other, odds, changed);
	else
		unc_check_pass(c, "%" PRIu64 " reads of ids%s were all the same: %s%s", w->n_reads,
			       w->b->busy ? "" : " and controls", odds, changed);
}

static int watch(struct unc_check *c, const struct unc_check_box *b)
{
	struct watch w = {.b = b};
	struct unc_check_rounds rounds;
	unsigned round;
	int rc = UNC_OK;

	choose(&w);
	for (size_t i = 0; i < w.n && rc == 0; i++)
		rc = read_surely(&w, &w.dwords[i], &w.dwords[i].value);
	unc_check_rounds_begin(c, unc_check_times(c, 200, 500, 10000), unc_check_ms(c, 200, 1000, 6000), &rounds);
	while (rc == 0 && unc_check_rounds_next(&rounds, &round))
		for (size_t i = 0; i < w.n && rc == 0; i++)
			rc = look(c, &w, &w.dwords[i]);
	if (rc == 0)
		tell(c, &w);
	return unc_check_broke(c, rc);
}

int unc_presence_steady(struct unc_check *c)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++)
		if (unc_check_begin_box(c, &c->boxes[i], true))
			rc = watch(c, &c->boxes[i]);
	return rc;
}
