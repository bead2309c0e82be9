// SPDX-License-Identifier: GPL-2.0-or-later
/* Reset bits clear what they say, and nothing else: all registers are set, one reset bit is used, all registers are read. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map/field.h"

/* Bits that reset: rst_ctrs, rst_ctrl, and the rst of each control. */
enum { RST_CTRS, RST_CTRL, RST_SLOT, ITEMS = RST_SLOT + UNC_PMON_SLOTS };

struct state {
	uint64_t counters[UNC_PMON_SLOTS], controls[UNC_PMON_SLOTS];
};

struct seen {
	bool tried[ITEMS];
	uint64_t wrote[ITEMS];
	struct state before[ITEMS], after[ITEMS];
};

struct turn {
	struct seen *seen;
	unsigned item;
};

static const struct unc_field *field_of(const struct unc_window *w, unsigned item)
{
	const struct unc_pmon_box *pbox = &w->b->pbox;
	const struct unc_field *field = NULL;

	if (item < RST_SLOT)
		field = unc_reg_field(pbox->regs.box_ctl, item == RST_CTRS ? "rst_ctrs" : "rst_ctrl");
	else if (item - RST_SLOT < pbox->n_slots)
		field = unc_reg_field(pbox->slots[item - RST_SLOT].ctl, "rst");
	return field && field->acc == UNC_WO ? field : NULL;
}

static const struct unc_reg *reg_of(const struct unc_window *w, unsigned item, unsigned *ret_index)
{
	const struct unc_pmon_box *pbox = &w->b->pbox;

	*ret_index = item < RST_SLOT ? 0 : pbox->slots[item - RST_SLOT].index;
	return item < RST_SLOT ? pbox->regs.box_ctl : pbox->slots[item - RST_SLOT].ctl;
}

/* "BOX_CTL.rst_ctrs", "CTL[2].rst" */
static const char *name_of(const struct unc_window *w, unsigned item, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];
	unsigned index = 0;
	const struct unc_reg *reg = reg_of(w, item, &index);

	snprintf(buf, size, "%.50s.%.20s", unc_gate_reg_text(reg, index, name), field_of(w, item)->name);
	return buf;
}

/* ---- the test ---- */

/* Controls differ from each other.  They are enabled only where controls are to be cleared, so that nothing can count otherwise. */
static int set_control(struct unc_window *w, unsigned i, bool enable)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	const struct unc_field *thresh = slot->fixed ? NULL : unc_reg_field(slot->ctl, "thresh");
	uint64_t control = unc_reg_blank(slot->ctl);
	int rc = UNC_OK;

	if (!slot->fixed && unc_unit_event(w->b->box->unit, "cas_count.all"))
		rc = unc_drive_event(w->b, "cas_count.all", &control);
	if (rc == 0 && thresh)
		rc = unc_field_set(w->c->m->ctx, thresh, UINT64_C(17) * (i + 1) & unc_field_max(thresh), &control);
	return rc == 0 ? unc_drive_set(w->b, i, control, enable) : rc;
}

static int read_state(struct unc_window *w, struct state *state)
{
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];

		state->counters[i] = w->now[i].value;
		rc = unc_drive_read(w->b, slot->ctl, slot->index, &state->controls[i]);
	}
	return rc;
}

static int prepare(struct unc_window *w, struct seen *s, unsigned item)
{
	int rc = unc_drive_freeze(w->b);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = set_control(w, i, false);
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_preset(w->b, i, UINT64_C(0x1122334455) * (i + 1));
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0 && item == RST_CTRL; i++)
		rc = set_control(w, i, true);
	return rc == 0 ? read_state(w, &s->before[item]) : rc;
}

static int reset_box(struct unc_window *w, unsigned item)
{
	const char *const frozen[] = {"frz", field_of(w, item)->name, NULL}, *const armed[] = {"frz",
											       field_of(w, item)->name,
											       "frz_en", NULL};

	return unc_drive_box_ctl(w->b, w->b->pbox.regs.frz_en ? armed : frozen);
}

/* The control is written twice, as all controls are. */
static int reset_slot(struct unc_window *w, struct seen *s, unsigned item)
{
	const struct unc_slot *slot = &w->b->pbox.slots[item - RST_SLOT];
	uint64_t value = unc_reg_base(slot->ctl, s->before[item].controls[item - RST_SLOT]);
	int rc = unc_field_set(w->c->m->ctx, field_of(w, item), 1, &value);

	s->wrote[item] = value;
	for (unsigned twice = 0; twice < 2 && rc == 0; twice++)
		rc = unc_drive_write(w->b, slot->ctl, slot->index, value);
	return rc;
}

static int try_item(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	int rc;

	if (!field_of(w, turn->item))
		return UNC_OK;
	rc = prepare(w, s, turn->item);
	if (rc == 0)
		rc = turn->item < RST_SLOT ? reset_box(w, turn->item) : reset_slot(w, s, turn->item);
	if (rc == 0)
		rc = read_state(w, &s->after[turn->item]);
	s->tried[turn->item] = rc == 0;
	return rc;
}

/* ---- results ---- */

enum wanted { KEPT, CLEARED, NOT_SAID };

static enum wanted of_counter(const struct unc_window *w, unsigned item, unsigned i)
{
	if (item == RST_CTRS)
		return w->b->pbox.slots[i].fixed ? NOT_SAID : CLEARED;
	return item >= RST_SLOT && item - RST_SLOT == i ? CLEARED : KEPT;
}

static enum wanted of_control(const struct unc_window *w, unsigned item, unsigned i)
{
	if (item == RST_CTRL)
		return w->b->pbox.slots[i].fixed ? NOT_SAID : CLEARED;
	return KEPT;
}

/* Covers the fields whose reset value is known. */
static uint64_t reset_value(struct unc_ctx *ctx, const struct unc_reg *reg, uint64_t *ret_mask)
{
	uint64_t value = 0;

	*ret_mask = 0;
	for (size_t i = 0; i < reg->n_fields; i++) {
		const struct unc_field *field = &reg->fields[i];

		if (field->acc == UNC_RW && field->reset_known && unc_field_set(ctx, field, field->reset, &value) == 0)
			*ret_mask |= unc_field_mask(field);
	}
	return value;
}

struct at {
	struct unc_check *c;
	const struct unc_window *w;
	const struct seen *s;
	unsigned item;
	char name[80];
};

/* If it was enabled, a counter that runs on while frozen may have gained until its control was cleared. */
static bool expect_counter(const struct at *at, unsigned i)
{
	const struct unc_slot *slot = &at->w->b->pbox.slots[i];
	uint64_t before = at->s->before[at->item].counters[i], now = at->s->after[at->item].counters[i];
	enum wanted wanted = of_counter(at->w, at->item, i);
	char what[120];

	if (wanted == NOT_SAID || (wanted == KEPT && at->item == RST_CTRL && now >= before))
		return true;
	snprintf(what, sizeof(what), "after %.60s", at->name);
	return unc_check_expect(at->c, &(struct unc_check_seen){.what = what,
								.box = at->w->b->box,
								.reg = slot->ctr,
								.index = slot->index,
								.has_wrote = true,
								.wrote = before,
								.read = now,
								.has_expected = true,
								.expected = wanted == CLEARED ? 0 : before});
}

static bool expect_control(const struct at *at, unsigned i)
{
	const struct unc_slot *slot = &at->w->b->pbox.slots[i];
	uint64_t before = at->s->before[at->item].controls[i], now = at->s->after[at->item].controls[i];
	uint64_t mask = unc_reg_readback_mask(slot->ctl), expected = before;
	enum wanted wanted = of_control(at->w, at->item, i);
	char what[120];

	if (wanted == NOT_SAID)
		return true;
	if (wanted == CLEARED)
		expected = reset_value(at->c->m->ctx, slot->ctl, &mask);
	snprintf(what, sizeof(what), "after %.60s", at->name);
	return !mask || unc_check_expect(at->c, &(struct unc_check_seen){.what = what,
									 .box = at->w->b->box,
									 .reg = slot->ctl,
									 .index = slot->index,
									 .has_wrote = true,
									 .wrote = before,
									 .read = now,
									 .has_expected = true,
									 .expected = expected,
									 .compared = mask});
}

/* The bit cleared nothing of what it says. */
static bool is_dead(const struct unc_window *w, const struct seen *s, unsigned item)
{
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (of_counter(w, item, i) == CLEARED && s->after[item].counters[i] != s->before[item].counters[i])
			return false;
		if (of_control(w, item, i) == CLEARED && s->after[item].controls[i] != s->before[item].controls[i])
			return false;
	}
	return s->tried[item];
}

/* Adds what the bits do to the fixed counter, which no document says. */
static void describe_fixed(const struct unc_window *w, const struct seen *s, char *buf, size_t size)
{
	unsigned i = unc_drive_fixed(w->b);
	const char *ctr = NULL, *ctl = NULL;

	if (i == UNC_PMON_SLOTS)
		return;
	if (s->tried[RST_CTRS])
		ctr = s->after[RST_CTRS].counters[i] ? "leaves" : "clears";
	if (s->tried[RST_CTRL])
		ctl = s->after[RST_CTRL].controls[i] == s->before[RST_CTRL].controls[i] ? "leaves" : "changes";
	if (ctr || ctl)
		snprintf(buf, size, "; %s%s%s%s%s%s", ctr ? "rst_ctrs " : "", ctr ? ctr : "", ctr ? " FIXED_CTR" : "",
			 ctl ? ", rst_ctrl " : "", ctl ? ctl : "", ctl ? " FIXED_CTL" : "");
}

static void report_reset(struct unc_check *c, const struct unc_window *w, const struct seen *s,
			 const struct unc_doubt *doubts)
{
	struct at at = {.c = c, .w = w, .s = s};
	char more[120] = "";
	unsigned n = 0, n_doubted = 0;

	for (at.item = 0; at.item < ITEMS; at.item++) {
		if (!s->tried[at.item])
			continue;
		name_of(w, at.item, at.name, sizeof(at.name));
		n++;
		if (unc_doubt_excuses(&doubts[at.item])) {
			n_doubted++;
			continue;
		}
		for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
			expect_counter(&at, i);
			expect_control(&at, i);
		}
	}
	describe_fixed(w, s, more, sizeof(more));
	if (!n)
		unc_check_skip(c, "the map of %s has no bit that resets anything", w->b->box->unit->title);
	else if (n == n_doubted)
		unc_check_skip(c, "no bit clears what the map says with doubt, on no channel");
	else
		unc_check_pass(c, "%u reset bits clear what they say and nothing else%s%s", n - n_doubted, more,
			       n_doubted ? "; others, which the map doubts, clear nothing on any channel" : "");
}

static const char *what_it_does(const struct unc_window *w, const struct seen *s, unsigned item)
{
	unsigned fixed = unc_drive_fixed(w->b);

	if (item == RST_CTRS && fixed < UNC_PMON_SLOTS && !s->after[item].counters[fixed])
		return "clears all counters, the fixed one too";
	if (item == RST_CTRS)
		return "clears the general counters, not the fixed one";
	return item == RST_CTRL ? "clears the general controls" : "clears its counter";
}

/* Called for the first channel only: reports the bits of BOX_CTL, and of one control. */
static void test(struct unc_check *c, const struct unc_window *w, const struct seen *s, const struct unc_doubt *doubts)
{
	for (unsigned item = 0; item <= RST_SLOT; item++) {
		const struct unc_field *field = field_of(w, item);
		const struct unc_reg *reg;
		char name[80];
		unsigned index;

		if (!field || !s->tried[item] || !doubts[item].doubtful)
			continue;
		reg = reg_of(w, item, &index);
		snprintf(name, sizeof(name), "%.40s.%.30s", reg->name, field->name);
		if (unc_doubt_excuses(&doubts[item]))
			unc_check_tested(c, name, "clears nothing");
		else if (!is_dead(w, s, item))
			unc_check_tested(c, name, "%s", what_it_does(w, s, item));
	}
}

static void report_all(struct unc_windows *ws, const struct seen *seen)
{
	struct unc_doubt doubts[ITEMS];
	bool told = false;

	memset(doubts, 0, sizeof(doubts));
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (unsigned item = 0; w->in && item < ITEMS; item++) {
			const struct unc_field *field = field_of(w, item);
			unsigned index;

			if (!field)
				continue;
			doubts[item].doubtful = unc_check_is_doubtful(reg_of(w, item, &index), field);
			doubts[item].n++;
			doubts[item].n_against += is_dead(w, &seen[i], item);
		}
	}
	for (size_t i = 0; i < ws->n; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		report_reset(ws->c, &ws->of[i], &seen[i], doubts);
		if (!told)
			test(ws->c, &ws->of[i], &seen[i], doubts);
		told = true;
	}
}

static int reset(struct unc_windows *ws, void *seen)
{
	int rc = UNC_OK;

	for (unsigned item = 0; item < ITEMS && rc == 0; item++)
		rc = unc_windows_each(ws, try_item, &(struct turn){.seen = seen, .item = item});
	if (rc == 0)
		report_all(ws, seen);
	return rc;
}

int unc_check_reset(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), reset);
}
