// SPDX-License-Identifier: GPL-2.0-or-later
/* How the registers of a channel with a defect behave. */
#include "sim/curve.h"
#include "sim/defects.h"

enum { LOW_BITS = 32 }; /* bits of the low dword, from which a carry may be missing */

uint64_t unc_sim_faults_ran_ns(const struct unc_sim_faults *faults, uint64_t t_ns)
{
	if (faults && t_ns > faults->goes_on_ns)
		return t_ns - (faults->goes_on_ns - faults->stops_ns);
	return faults ? unc_sim_least(t_ns, faults->stops_ns) : t_ns;
}

uint32_t unc_sim_faults_hold(const struct unc_sim_faults *faults, uint32_t off, uint32_t value)
{
	for (size_t i = 0; i < faults->n_stuck; i++)
		if (faults->stuck[i].off == off)
			value = (value & ~(uint32_t)faults->stuck[i].zeros) | (uint32_t)faults->stuck[i].ones;
	return value;
}

static uint64_t mask(unsigned bits)
{
	return (UINT64_C(1) << bits) - 1;
}

/* Returns the first bit from there on that a carry does not reach normally, or the counter's width. */
static unsigned next_odd(const struct unc_sim_faults *faults, unsigned i, unsigned bit)
{
	uint64_t odd = faults->zeros[i] | faults->ones[i];
	unsigned from = bit;

	while (bit < faults->width[i] && !(odd >> bit & 1) &&
	       !(bit == LOW_BITS && from < LOW_BITS && faults->carry_missing >> i & 1))
		bit++;
	return bit;
}

/*
 * Counts come one by one and ripple through the bits: each time the bits below a stuck bit wrap, they give one carry. A
 * bit that stays 0 swallows it; one that stays 1 passes it on to the next.
 */
bool unc_sim_faults_add(const struct unc_sim_faults *faults, unsigned i, uint64_t *ctr, uint64_t count)
{
	uint64_t was = ((*ctr & ~faults->zeros[i]) | faults->ones[i]) & mask(faults->width[i]), is = 0;
	unc_sim_wide carry = (unc_sim_wide)count << (faults->counts_twice >> i & 1);
	unsigned bit = 0;

	while (bit < faults->width[i]) {
		unsigned end = next_odd(faults, i, bit);

		if (bit == LOW_BITS && faults->carry_missing >> i & 1)
			carry = 0;
		carry += was >> bit & mask(end - bit);
		is |= ((uint64_t)carry & mask(end - bit)) << bit;
		carry >>= end - bit;
		if (end == faults->width[i])
			break;
		bit = end;
		if (!((faults->zeros[i] | faults->ones[i]) >> bit & 1))
			continue;
		if (faults->zeros[i] >> bit & 1)
			carry = 0;
		is |= faults->ones[i] & UINT64_C(1) << bit++;
	}
	*ctr = is;
	return carry != 0;
}
