// SPDX-License-Identifier: GPL-2.0-or-later
/* The status register: a wrap sets the bit of its counter alone, and writing 1 clears that bit alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check/behaviour.h"
#include "map/field.h"

struct seen {
	bool tried[UNC_PMON_SLOTS];   /* a wrap of its counter was attempted */
	bool was_set[UNC_PMON_SLOTS]; /* the bit was found set: it could not be set again, so it is not cleared */
	bool no_wrap[UNC_PMON_SLOTS]; /* the counter did not wrap, so that the bit says nothing */
	uint64_t before[UNC_PMON_SLOTS], after[UNC_PMON_SLOTS]; /* the status before and after the wrap */
	/* the clearing write, and the status before and after it */
	uint64_t wrote[UNC_PMON_SLOTS], from[UNC_PMON_SLOTS], to[UNC_PMON_SLOTS];
};

struct turn {
	struct seen *seen;
	const uint64_t *statuses; /* the statuses as they were found */
	unsigned slot;
	uint64_t ns;
};

static const struct unc_field *bit_of(const struct unc_window *w, unsigned slot)
{
	return slot < w->b->pbox.n_slots && unc_window_is_clock(w, slot) ? unc_window_status_bit(w, slot) : NULL;
}

/*
 * Which bit belongs to which counter: as the map has it, or in the order of the counters, with the fixed one after the general
 * ones.  The documents leave that open, so the check finds out what silicon does.
 */
enum order { OF_THE_MAP, OF_COUNTERS };

/* The nth lowest bit of the status that writing 1 clears, from 0. */
static uint64_t nth_bit(const struct unc_window *w, unsigned nth)
{
	uint64_t left = unc_reg_mask(unc_window_status(w), UNC_RW1C);

	for (; nth && left; nth--)
		left &= left - 1;
	return left & (~left + 1);
}

static uint64_t mask_of(const struct unc_window *w, unsigned i, enum order order)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];

	if (order == OF_THE_MAP)
		return unc_field_mask(bit_of(w, i));
	return nth_bit(w, slot->fixed ? w->b->pbox.regs.ctl->count : slot->index);
}

static int read_status(struct unc_window *w, uint64_t *ret_status)
{
	return unc_drive_read(w->b, unc_window_status(w), 0, ret_status);
}

static int make_wrap(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	const struct unc_field *bit = bit_of(w, turn->slot);
	uint64_t short_of = (uint64_t)(w->hz.low * (double)turn->ns / 2e9);
	int rc;

	if (!bit)
		return UNC_OK;
	s->was_set[turn->slot] = unc_field_get(bit, turn->statuses[w->i]);
	s->tried[turn->slot] = !s->was_set[turn->slot] && w->hz.low > 0;
	if (!s->tried[turn->slot])
		return UNC_OK;
	rc = read_status(w, &s->before[turn->slot]);
	if (rc == 0)
		rc = unc_drive_preset(w->b, turn->slot,
				      unc_reg_mask(w->b->pbox.slots[turn->slot].ctr, UNC_RW) - short_of);
	return rc == 0 ? unc_window_set_clock(w, turn->slot, true) : rc;
}

static int look(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	struct unc_drive_reading now;
	int rc;

	if (!s->tried[turn->slot])
		return UNC_OK;
	rc = unc_window_set_clock(w, turn->slot, false);
	if (rc == 0)
		rc = read_status(w, &s->after[turn->slot]);
	if (rc == 0)
		rc = unc_drive_count(w->b, turn->slot, &now);
	/* It was preset so near the edge that it has wrapped if it is now in the lowest quarter. */
	if (rc == 0)
		s->no_wrap[turn->slot] = now.value > unc_reg_mask(w->b->pbox.slots[turn->slot].ctr, UNC_RW) / 4;
	return rc;
}

static int clear(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	const struct unc_reg *status = unc_window_status(w);
	int rc;

	if (!s->tried[turn->slot])
		return UNC_OK;
	s->wrote[turn->slot] = unc_reg_blank(status);
	rc = unc_field_set(w->c->m->ctx, bit_of(w, turn->slot), 1, &s->wrote[turn->slot]);
	if (rc == 0)
		rc = read_status(w, &s->from[turn->slot]);
	if (rc == 0)
		rc = unc_drive_write(w->b, status, 0, s->wrote[turn->slot]);
	return rc == 0 ? read_status(w, &s->to[turn->slot]) : rc;
}

/* ---- results ---- */

static bool expect(struct unc_check *c, const struct unc_window *w, const char *what, const uint64_t *wrote,
		   uint64_t read, uint64_t expected)
{
	const struct unc_reg *status = unc_window_status(w);

	return unc_check_expect(c, &(struct unc_check_seen){.what = what,
							    .box = w->b->box,
							    .reg = status,
							    .has_wrote = wrote,
							    .wrote = wrote ? *wrote : 0,
							    .read = read,
							    .has_expected = true,
							    .expected = expected,
							    .compared = unc_reg_mask(status, UNC_RW1C)});
}

/* A wrap of the counter shows which bit is its own. */
static bool says_which(const struct unc_window *w, const struct seen *s, unsigned i, enum order order)
{
	return s->tried[i] && !s->no_wrap[i] && !(s->before[i] & mask_of(w, i, order));
}

/* Every wrap set the bit that is its counter's own in that order. */
static bool has_order(const struct unc_window *w, const struct seen *s, enum order order)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!says_which(w, s, i, order))
			continue;
		if (((s->after[i] ^ s->before[i]) & unc_reg_mask(unc_window_status(w), UNC_RW1C)) !=
		    mask_of(w, i, order))
			return false;
		n++;
	}
	return n > 0;
}

/* The order that more channels have.  In doubt, and where no document doubts the map, it is that of the map. */
static enum order order_of(const struct unc_windows *ws, const struct seen *seen)
{
	size_t n[2] = {0};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (enum order order = OF_THE_MAP; w->in && unc_window_status(w)->verify && order <= OF_COUNTERS;
		     order++)
			n[order] += has_order(w, &seen[i], order);
	}
	return n[OF_COUNTERS] > n[OF_THE_MAP] ? OF_COUNTERS : OF_THE_MAP;
}

static bool judge_slot(struct unc_check *c, const struct unc_window *w, const struct seen *s, unsigned i,
		       enum order order)
{
	uint64_t bit = mask_of(w, i, order);
	char name[UNC_GATE_TEXT], what[80];

	unc_window_slot(w, i, name);
	snprintf(what, sizeof(what), "%.40s has wrapped", name);
	if (!expect(c, w, what, NULL, s->after[i], s->before[i] | bit))
		return false;
	snprintf(what, sizeof(what), "%.40s written 1", bit_of(w, i)->name);
	return expect(c, w, what, &s->wrote[i], s->to[i], s->from[i] & ~unc_field_mask(bit_of(w, i)));
}

static void list(const struct unc_window *w, const bool *which, const char *why, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];
	size_t len = strlen(buf);
	bool any = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!which[i] || len >= size)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					any ? ", " : "; not looked at: ", unc_window_slot(w, i, name));
		any = true;
	}
	if (any && len < size)
		snprintf(buf + len, size - len, ", %s", why);
}

/* Looks for set bits that were 0 when the channel was taken, and that no check could clear again since. */
static bool sticks(struct unc_check *c, const struct unc_window *w, uint64_t found)
{
	uint64_t mask = unc_reg_mask(unc_window_status(w), UNC_RW1C),
		 wrote = unc_reg_blank(unc_window_status(w)) | mask;

	return w->b->box_status && (found & ~w->b->status & mask) &&
	       !expect(c, w, "set by a wrap in an earlier check, and written 1 after it", &wrote, found,
		       w->b->status & found);
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s, enum order order)
{
	char left[400] = "";
	unsigned n = 0;

	list(w, s->was_set, "whose bits were found set and could not be set again", left, sizeof(left));
	list(w, s->no_wrap, "which could not be made to wrap (behaviour.wrap)", left, sizeof(left));
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!says_which(w, s, i, order))
			continue;
		if (!judge_slot(c, w, s, i, order))
			return;
		n++;
	}
	if (!n)
		unc_check_skip(c, "no counter could be made to wrap%s", left);
	else
		unc_check_pass(
			c, "each of %u wraps set the bit of its counter alone, and writing 1 cleared that alone%s%s%s",
			n,
			order == OF_COUNTERS
				? "; bits are in the order of the counters, the fixed one last, and not as "
				  "in the map (the documents leave that open)"
				: "",
			left, unc_window_left_out(w));
}

/* No bit of the channel was set although some counter wrapped. */
static bool is_dead(const struct unc_window *w, const struct seen *s)
{
	bool any = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!s->tried[i] || s->no_wrap[i])
			continue;
		any = true;
		if (s->after[i] != s->before[i])
			return false;
	}
	return any;
}

static void test(struct unc_check *c, const struct unc_window *w, bool dead, enum order order, bool *told)
{
	const struct unc_reg *status = unc_window_status(w);

	if (*told || !status->verify || unc_check_failed(c))
		return;
	unc_check_tested(c, "BOX_STATUS", "%s",
			 dead                   ? "no wrap sets a bit while overflow is not enabled"
			 : order == OF_COUNTERS ? "a wrap sets the bit of its counter, bit 0 of CTR[0] and so on, "
						  "FIXED_CTR last; writing 1 clears it"
						: "a wrap sets the bit of its counter, bit 0 of FIXED_CTR, bit 1 of "
						  "CTR[0] and so on; writing 1 clears it");
	*told = true;
}

static void tell(struct unc_windows *ws, const struct seen *seen, const uint64_t *statuses)
{
	enum order order = order_of(ws, seen);
	struct unc_doubt doubt = {0};
	bool told = false;

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		if (!w->in)
			continue;
		unc_doubt_add(&doubt, unc_check_is_doubtful(unc_window_status(w), NULL), is_dead(w, &seen[i]));
	}
	for (size_t i = 0; i < ws->n; i++) {
		struct unc_window *w = &ws->of[i];

		if (w->b->usable && w->rc == 0 && !w->in) {
			unc_check_begin(ws->c, w->b->box->name);
			unc_check_skip(ws->c, "%s has no status register of its counters", w->b->box->unit->title);
		} else if (unc_window_begin(w)) {
			if (sticks(ws->c, w, statuses[i]))
				continue;
			if (unc_doubt_excuses(&doubt))
				unc_check_skip(ws->c, "no wrap sets a bit on any channel here, and the map doubts "
						      "BOX_STATUS");
			else
				judge(ws->c, w, &seen[i], order);
			test(ws->c, w, unc_doubt_excuses(&doubt), order, &told);
		}
	}
}

static int has_it(struct unc_window *w, void *arg)
{
	(void)arg;
	w->in = unc_window_status(w) != NULL;
	return UNC_OK;
}

static int take_turns(struct unc_windows *ws, struct turn *turn)
{
	int rc = unc_windows_each(ws, unc_window_off, NULL);

	for (turn->slot = 0; turn->slot < UNC_PMON_SLOTS && rc == 0; turn->slot++) {
		bool any = false;

		for (size_t i = 0; i < ws->n; i++)
			any |= ws->of[i].in && bit_of(&ws->of[i], turn->slot);
		if (!any)
			continue;
		rc = unc_windows_each(ws, make_wrap, turn);
		if (rc == 0)
			rc = unc_check_wait(ws->c, turn->ns);
		if (rc == 0)
			rc = unc_windows_each(ws, look, turn);
	}
	for (turn->slot = 0; turn->slot < UNC_PMON_SLOTS && rc == 0; turn->slot++)
		rc = unc_windows_each(ws, clear, turn);
	return rc;
}

static int status_of_all(struct unc_windows *ws, struct turn *turn, uint64_t *statuses)
{
	int rc = unc_windows_each(ws, has_it, NULL), cleared;
	struct unc_saved_msg msg;

	if (rc == 0)
		rc = unc_windows_read_status(ws, statuses);
	if (rc == 0)
		rc = unc_windows_clock(ws, turn->ns, 1);
	if (rc == 0)
		rc = take_turns(ws, turn);
	unc_msg_save(ws->c->m->ctx, &msg);
	unc_windows_each(ws, unc_window_off, NULL);
	cleared = unc_windows_clear_status(ws, statuses);
	if (rc < 0)
		unc_msg_restore(ws->c->m->ctx, &msg);
	return rc < 0 ? rc : cleared;
}

static int status(struct unc_windows *ws, void *seen)
{
	uint64_t *statuses = calloc(ws->n + 1, sizeof(*statuses));
	struct turn turn = {.seen = seen, .statuses = statuses, .ns = unc_check_ms(ws->c, 1, 2, 20)};
	int rc = statuses ? status_of_all(ws, &turn, statuses) : unc_fail(ws->c->m->ctx, UNC_ENOMEM, "out of memory");

	if (rc == 0)
		tell(ws, seen, statuses);
	free(statuses);
	return rc;
}

int unc_check_status(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), status);
}
