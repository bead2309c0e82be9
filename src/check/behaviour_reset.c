// SPDX-License-Identifier: GPL-2.0-or-later
/* Reset bits clear what they say, and nothing else: all registers are set, one reset bit is used, all registers are read. */
#include "check/window.h"

/* Bits that reset: rst_ctrs, rst_ctrl, and the rst of each control. */
enum { RST_CTRS, RST_CTRL, RST_SLOT, BITS = RST_SLOT + UNC_PMON_SLOTS };

struct state {
	uint64_t counters[UNC_PMON_SLOTS], controls[UNC_PMON_SLOTS];
};

struct seen {
	bool tried[BITS];
	struct state before[BITS], after[BITS];
};

static const struct unc_reg *reg_of(const struct unc_window *w, unsigned bit)
{
	return bit < RST_SLOT ? w->b->pbox.regs.box_ctl : w->slots[bit - RST_SLOT].ctl;
}

static const struct unc_field *field_of(const struct unc_window *w, unsigned bit)
{
	const char *name = bit == RST_CTRS ? "rst_ctrs" : bit == RST_CTRL ? "rst_ctrl" : "rst";
	const struct unc_field *field = NULL;

	if (bit < RST_SLOT || bit - RST_SLOT < w->n)
		field = unc_reg_field(reg_of(w, bit), name);
	return field && field->acc == UNC_WO ? field : NULL;
}

/* ---- the test ---- */

/* Controls differ from each other.  They are enabled only where controls are to be cleared, so that nothing can count otherwise. */
static void set_control(struct unc_window *w, unsigned i, bool enable)
{
	const struct unc_slot *slot = &w->slots[i];
	const struct unc_field *thresh = slot->fixed ? NULL : unc_reg_field(slot->ctl, "thresh");
	const char *commands = slot->fixed ? NULL : unc_windows_commands(w->ws);
	uint64_t control = unc_reg_blank(slot->ctl);

	if (commands)
		control = unc_drive_event(w->b, commands);
	if (thresh)
		control = unc_drive_with(w->b, thresh, UINT64_C(17) * (i + 1) & unc_field_max(thresh), control);
	unc_drive_set(w->b, i, control, enable);
}

static void read_state(struct unc_window *w, struct state *state)
{
	unc_window_read(w);
	for (unsigned i = 0; i < w->n; i++) {
		state->counters[i] = w->now[i].value;
		state->controls[i] = unc_drive_read(w->b, w->slots[i].ctl, w->slots[i].index);
	}
}

static void try_bit(struct unc_window *w, unsigned bit)
{
	const struct unc_field *field = field_of(w, bit);
	struct seen *s = w->seen;

	if (!field)
		return;
	unc_drive_freeze(w->b);
	for (unsigned i = 0; i < w->n; i++)
		set_control(w, i, false);
	for (unsigned i = 0; i < w->n; i++)
		unc_drive_preset(w->b, i, UINT64_C(0x1122334455) * (i + 1));
	for (unsigned i = 0; i < w->n && bit == RST_CTRL; i++)
		set_control(w, i, true);
	read_state(w, &s->before[bit]);
	if (bit < RST_SLOT) {
		unc_drive_box_ctl(w->b, (const char *const[]){"frz", field->name,
							      w->b->pbox.regs.frz_en ? "frz_en" : NULL, NULL});
	} else {
		const struct unc_slot *slot = &w->slots[bit - RST_SLOT];
		uint64_t before = unc_reg_base(slot->ctl, s->before[bit].controls[bit - RST_SLOT]);
		uint64_t value = unc_drive_with(w->b, field, 1, before);

		for (unsigned twice = 0; twice < 2; twice++) /* as all controls are written */
			unc_drive_write(w->b, slot->ctl, slot->index, value);
	}
	read_state(w, &s->after[bit]);
	s->tried[bit] = true;
}

static void try_bits(struct unc_windows *ws)
{
	struct unc_window *w = NULL;

	for (unsigned bit = 0; bit < BITS; bit++)
		while (unc_windows_next(ws, &w))
			try_bit(w, bit);
}

/* ---- results ---- */

enum wanted { KEPT, CLEARED, NOT_SAID };

static enum wanted of_counter(const struct unc_window *w, unsigned bit, unsigned i)
{
	if (bit == RST_CTRS)
		return w->slots[i].fixed ? NOT_SAID : CLEARED;
	return bit >= RST_SLOT && bit - RST_SLOT == i ? CLEARED : KEPT;
}

static enum wanted of_control(const struct unc_window *w, unsigned bit, unsigned i)
{
	if (bit == RST_CTRL)
		return w->slots[i].fixed ? NOT_SAID : CLEARED;
	return KEPT;
}

static void expect_all(const struct unc_window *w, unsigned bit)
{
	const struct state *before = &((struct seen *)w->seen)->before[bit],
			   *after = &((struct seen *)w->seen)->after[bit];
	char name[UNC_GATE_TEXT], what[120];
	unsigned index = bit < RST_SLOT ? 0 : w->slots[bit - RST_SLOT].index;

	snprintf(what, sizeof(what), "after %.38s.%.20s", unc_gate_reg_text(reg_of(w, bit), index, name),
		 field_of(w, bit)->name);
	for (unsigned i = 0; i < w->n; i++) {
		struct unc_check_seen counter = unc_window_seen(w, i, what, after->counters[i]),
				      control = unc_window_seen_control(w, i, what, after->controls[i]);
		const struct unc_reg *ctl = w->slots[i].ctl;
		uint64_t mask = unc_reg_readback_mask(ctl), expected = before->controls[i];
		enum wanted of = of_counter(w, bit, i);
		/* If it was enabled, a counter that runs on while frozen may have gained until its control was cleared. */
		bool may_gain = of == KEPT && bit == RST_CTRL && counter.read >= before->counters[i];

		counter = unc_seen_wrote(counter, before->counters[i]);
		if (of != NOT_SAID && !may_gain)
			unc_check_expect(w->c, counter, of == CLEARED ? 0 : before->counters[i], 0);
		of = of_control(w, bit, i);
		if (of == CLEARED)
			mask = expected = 0;
		/* A control that is cleared has the reset values, where these are known. */
		for (size_t k = 0; k < ctl->n_fields && of == CLEARED; k++) {
			const struct unc_field *field = &ctl->fields[k];

			if (field->acc == UNC_RW && field->reset_known &&
			    unc_field_set(w->c->m->ctx, field, field->reset, &expected) == 0)
				mask |= unc_field_mask(field);
		}
		control = unc_seen_wrote(control, before->controls[i]);
		if (of != NOT_SAID && mask)
			unc_check_expect(w->c, control, expected, mask);
	}
}

/* The bit cleared nothing of what it says. */
static bool is_dead(const struct unc_window *w, unsigned bit)
{
	const struct seen *s = w->seen;
	const struct state *before = &s->before[bit], *after = &s->after[bit];

	for (unsigned i = 0; i < w->n; i++) {
		if (of_counter(w, bit, i) == CLEARED && after->counters[i] != before->counters[i])
			return false;
		if (of_control(w, bit, i) == CLEARED && after->controls[i] != before->controls[i])
			return false;
	}
	return s->tried[bit];
}

/* Reports the bits of BOX_CTL, and of one control. */
static void report_doubted(const struct unc_window *w)
{
	const struct seen *s = w->seen;
	unsigned fixed = unc_drive_fixed(w->b);
	bool also_fixed = fixed < UNC_PMON_SLOTS && !s->after[RST_CTRS].counters[fixed];
	const char *const does[] = {
		[RST_CTRS] = also_fixed ? "clears all counters, the fixed one too"
					: "clears the general counters, not the fixed one",
		[RST_CTRL] = "clears the general controls",
		[RST_SLOT] = "clears its counter",
	};

	for (unsigned bit = 0; bit <= RST_SLOT; bit++) {
		const struct unc_field *field = field_of(w, bit);
		const struct unc_doubt *doubt = &w->ws->doubts[bit];
		char name[80];

		if (!field || !s->tried[bit] || !doubt->doubtful)
			continue;
		snprintf(name, sizeof(name), "%.40s.%.30s", reg_of(w, bit)->name, field->name);
		if (unc_doubt_excuses(doubt))
			unc_check_tested(w->c, name, "clears nothing");
		else if (!is_dead(w, bit))
			unc_check_tested(w->c, name, "%s", does[bit]);
	}
}

static void doubt_bits(struct unc_window *w)
{
	for (unsigned bit = 0; bit < BITS; bit++) {
		const struct unc_field *field = field_of(w, bit);

		if (field)
			unc_doubt_add(&w->ws->doubts[bit], unc_check_is_doubtful(reg_of(w, bit), field),
				      is_dead(w, bit));
	}
}

static void report_reset(struct unc_window *w)
{
	const struct seen *s = w->seen;
	const char *ctr = "", *ctl = "";
	unsigned n = 0, n_doubted = 0, fixed = unc_drive_fixed(w->b);

	for (unsigned bit = 0; bit < BITS; bit++) {
		n += s->tried[bit];
		if (s->tried[bit] && unc_doubt_excuses(&w->ws->doubts[bit]))
			n_doubted++;
		else if (s->tried[bit])
			expect_all(w, bit);
	}
	/* Adds what the bits do to the fixed counter, which no document says. */
	if (fixed < UNC_PMON_SLOTS && s->tried[RST_CTRS])
		ctr = s->after[RST_CTRS].counters[fixed] ? "rst_ctrs leaves FIXED_CTR" : "rst_ctrs clears FIXED_CTR";
	if (fixed < UNC_PMON_SLOTS && s->tried[RST_CTRL])
		ctl = s->after[RST_CTRL].controls[fixed] == s->before[RST_CTRL].controls[fixed]
			      ? ", rst_ctrl leaves FIXED_CTL"
			      : ", rst_ctrl changes FIXED_CTL";
	if (!n)
		unc_check_skip(w->c, "the map of %s has no bit that resets anything", w->b->box->unit->title);
	else if (n == n_doubted)
		unc_check_skip(w->c, "no bit clears what the map says with doubt, on no channel");
	else
		unc_check_pass(w->c, "%u reset bits clear what they say and nothing else%s%s%s%s", n - n_doubted,
			       *ctr || *ctl ? "; " : "", ctr, ctl,
			       n_doubted ? "; others, which the map doubts, clear nothing on any channel" : "");
	if (unc_window_tells(w))
		report_doubted(w);
}

const struct unc_windows_def unc_check_reset = {sizeof(struct seen), try_bits, doubt_bits, report_reset};
