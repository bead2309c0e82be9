// SPDX-License-Identifier: GPL-2.0-or-later
/* Does the first write of a control stick?  Some parts are said to need two. */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"
#include "map/field.h"

struct seen {
	unsigned n, n_lost; /* values written, and how many of them took two writes */
	bool bad;           /* one did not stick the second time either */
	unsigned slot;
	uint64_t wrote, read;
};

/* Did the value arrive?  A single bit that sticks does not matter: each value differs from the one before in several bits. */
static int try_write(struct unc_window *w, unsigned i, uint64_t value, bool *ret_arrived, uint64_t *ret_now)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	uint64_t before = 0;
	int rc = unc_drive_read(w->b, slot->ctl, slot->index, &before);

	if (rc == 0)
		rc = unc_drive_write(w->b, slot->ctl, slot->index, value);
	if (rc == 0)
		rc = unc_drive_read(w->b, slot->ctl, slot->index, ret_now);
	*ret_arrived = rc == 0 && ((*ret_now ^ before) & unc_reg_readback_mask(slot->ctl)) != 0;
	return rc;
}

static int try_value(struct unc_window *w, struct seen *s, unsigned i, uint64_t value)
{
	bool arrived = false;
	uint64_t now = 0;
	int rc = try_write(w, i, value, &arrived, &now);

	s->n++;
	if (rc < 0 || arrived)
		return rc;
	s->n_lost++;
	rc = try_write(w, i, value, &arrived, &now);
	if (rc == 0 && !arrived && !s->bad) {
		s->bad = true;
		s->slot = i;
		s->wrote = value;
		s->read = now;
	}
	return rc;
}

/* Writes bits 01010101 to the threshold, then 10101010 with enable, then a blank control. */
static int try_slot(struct unc_window *w, struct seen *s, unsigned i)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	const struct unc_field *thresh = unc_reg_field(slot->ctl, "thresh");
	uint64_t first = unc_reg_blank(slot->ctl), second = first;
	int rc;

	if (!thresh)
		return UNC_OK;
	rc = unc_field_set(w->c->m->ctx, thresh, unc_field_max(thresh) / 3, &first);
	if (rc == 0)
		rc = unc_field_set(w->c->m->ctx, thresh, unc_field_max(thresh) / 3 * 2, &second);
	if (rc == 0)
		rc = unc_field_set(w->c->m->ctx, slot->en, 1, &second);
	if (rc == 0)
		rc = try_value(w, s, i, first);
	if (rc == 0)
		rc = try_value(w, s, i, second);
	return rc == 0 ? try_value(w, s, i, unc_reg_blank(slot->ctl)) : rc;
}

static int try_all(struct unc_window *w, void *arg)
{
	struct seen *s = (struct seen *)arg + w->i;
	int rc = UNC_OK;

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (!w->b->pbox.slots[i].fixed)
			rc = try_slot(w, s, i);
	return rc;
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
{
	const struct unc_slot *slot = &w->b->pbox.slots[s->slot];

	if (s->bad)
		unc_check_expect(c, &(struct unc_check_seen){.what = "written twice",
							     .box = w->b->box,
							     .reg = slot->ctl,
							     .index = slot->index,
							     .has_wrote = true,
							     .wrote = s->wrote,
							     .read = s->read,
							     .has_expected = true,
							     .expected = s->wrote,
							     .compared = unc_reg_readback_mask(slot->ctl)});
	else if (s->n_lost)
		unc_check_pass(c,
			       "%u of %u values were not taken by the control before they were written a second time",
			       s->n_lost, s->n);
	else
		unc_check_pass(c, "each of %u values was taken by the control when it was written once", s->n);
}

static int twice(struct unc_windows *ws, void *arg)
{
	const struct seen *seen = arg;
	int rc = unc_windows_each(ws, try_all, arg);
	bool told = false;

	for (size_t i = 0; i < ws->n && rc == 0; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		judge(ws->c, &ws->of[i], &seen[i]);
		if (told || seen[i].bad || !seen[i].n)
			continue;
		unc_check_tested(ws->c, "CTL", "%s",
				 seen[i].n_lost ? "a write sticks the second time only" : "one write sticks");
		told = true;
	}
	return rc;
}

int unc_check_twice(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), twice);
}
