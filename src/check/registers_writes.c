// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is a write lost now and then?  Each value differs from the one before and is read back.  For counters one write is enough on
 * every part.  For controls one write is said not to stick on some parts: if each first write of a control is lost and no second
 * one, the part works that way (behaviour.twice reports it), and only second writes count.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/odds.h"
#include "check/registers.h"
#include "map/field.h"

struct tally {
	uint64_t n, n_lost;
};

struct writes { /* one for each channel */
	struct unc_check *c;
	struct unc_check_box *b;
	struct tally first, second; /* for controls: the write after a change, and its repetition if that was lost */
	struct tally counters;
	bool odd; /* something read back as neither what was written nor what was there before */
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	uint64_t held[UNC_REGISTERS_MAX]; /* the values that they were last read to hold */
	size_t n;
};

static bool same(uint64_t a, uint64_t b, uint64_t mask)
{
	return ((a ^ b) & mask) == 0;
}

/* One half of a 64-bit register can be lost alone.  Bits that never take what is written are left to registers.bits. */
static bool is_lost(struct writes *w, uint64_t was, uint64_t value, uint64_t read, uint64_t mask)
{
	static const uint64_t halves[] = {UINT32_MAX, ~(uint64_t)UINT32_MAX};

	if (same(read, value, mask))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!same(read, value, mask & halves[i]) && !same(read, was, mask & halves[i])) {
			w->odd = true;
			return false;
		}
	}
	return true;
}

static int write_and_read(struct writes *w, size_t i, uint64_t value, bool *ret_lost)
{
	const struct unc_registers_one *one = &w->ones[i];
	uint64_t read = 0, mask = unc_registers_writable(one->reg) & ~unc_registers_doubtful(one->reg);
	int rc = unc_drive_write(w->b, one->reg, one->index, value);

	if (rc == 0)
		rc = unc_drive_read(w->b, one->reg, one->index, &read);
	*ret_lost = is_lost(w, w->held[i], value, read, mask);
	w->held[i] = read;
	return rc;
}

static void see(struct writes *w, const struct unc_registers_one *one, uint64_t value)
{
	uint64_t read = 0;

	if (unc_drive_read(w->b, one->reg, one->index, &read) == 0)
		unc_check_see(w->c, &(struct unc_check_seen){.what = "a write that was lost; read again",
							     .box = w->b->box,
							     .reg = one->reg,
							     .index = one->index,
							     .has_wrote = true,
							     .has_expected = true,
							     .wrote = value,
							     .read = read,
							     .expected = value});
}

static void count(struct tally *tally, bool lost)
{
	tally->n++;
	tally->n_lost += lost;
}

static int write_control(struct writes *w, size_t i, uint64_t value)
{
	bool lost;
	int rc = write_and_read(w, i, value, &lost);

	if (rc < 0)
		return rc;
	count(&w->first, lost);
	if (!lost)
		return rc;
	rc = write_and_read(w, i, value, &lost);
	if (rc < 0)
		return rc;
	count(&w->second, lost);
	if (lost)
		see(w, &w->ones[i], value);
	for (unsigned again = 0; again < 4 && lost && rc == 0; again++) /* the next write then changes it again */
		rc = write_and_read(w, i, value, &lost);
	return rc;
}

static int write_counter(struct writes *w, size_t i, uint64_t value)
{
	bool lost;
	int rc = write_and_read(w, i, value, &lost);

	if (rc < 0)
		return rc;
	count(&w->counters, lost);
	if (lost)
		see(w, &w->ones[i], value);
	return rc;
}

/* Bits alternate, and all of them vary over the rounds, so that each value differs from the last in both dwords. */
static uint64_t value_of(const struct writes *w, const struct unc_registers_one *one, unsigned round)
{
	uint64_t some = round % 4 < 2 ? UINT64_C(0x5555555555555555) : UINT64_C(0x3333333333333333);

	return unc_registers_legal(w->b, one->reg, round % 2 ? ~some : some);
}

static int write_all(struct writes *w)
{
	struct unc_check_rounds rounds;
	unsigned round;
	int rc = UNC_OK;

	w->n = unc_registers_of(w->b, w->ones);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		rc = unc_drive_read(w->b, w->ones[i].reg, w->ones[i].index, &w->held[i]);
	unc_check_rounds_begin(w->c, unc_check_times(w->c, 30, 60, 1500), unc_check_ms(w->c, 200, 1000, 6000), &rounds);
	while (rc == 0 && unc_check_rounds_next(&rounds, &round)) {
		for (size_t i = 0; i < w->n && rc == 0; i++) {
			uint64_t value = value_of(w, &w->ones[i], round);

			if (w->ones[i].reg == w->b->pbox.regs.ctl)
				rc = write_control(w, i, value);
			else if (w->ones[i].reg != w->b->pbox.regs.fixed_ctl) /* it has only one bit */
				rc = write_counter(w, i, value);
		}
	}
	return rc;
}

static void tell(struct unc_check *c, const struct writes *w)
{
	bool twice = w->first.n && w->first.n_lost == w->first.n;
	const struct tally *controls = twice ? &w->second : &w->first;
	uint64_t n = controls->n + w->counters.n, n_lost = controls->n_lost + w->counters.n_lost;
	char odds[UNC_ODDS_TEXT];

	unc_odds_text(n, n_lost, odds);
	if (n_lost)
		unc_check_fail(c, "of %" PRIu64 " writes %" PRIu64 " %s lost, %" PRIu64 " of them of controls: %s%s", n,
			       n_lost, n_lost == 1 ? "was" : "were", controls->n_lost, odds,
			       twice ? " (a control takes two here, which count as one)" : "");
	else
		unc_check_pass(c, "%" PRIu64 " writes %s: a loss of %s%s", n,
			       w->odd ? "all changed what they wrote to, though not each bit (registers.bits tells)"
				      : "were all read back",
			       odds, twice ? "; a control takes two writes here, which count as one" : "");
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	struct writes w = {.c = c, .b = b};
	int rc = write_all(&w);

	if (rc == 0)
		tell(c, &w);
	return rc;
}

int unc_registers_writes(struct unc_check *c)
{
	return unc_registers_each(c, look);
}
