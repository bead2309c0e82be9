// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes the difference of two counters that were read one after the other. */
#include "rdt/account.h"

struct unc_llc_span unc_llc_span(const struct unc_llc_account *account)
{
	return (struct unc_llc_span){
		.begin_ns = account->since_ns,
		.end_ns = account->raw_ns,
		.doubt_ns = account->since_blur_ns + account->blur_ns,
	};
}

static double bytes_per_ns(const struct unc_llc_part *part)
{
	uint64_t ns = part->span.end_ns - part->span.begin_ns;

	return ns ? (double)part->bytes / (double)ns : 0;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

bool unc_llc_remote(const struct unc_llc_part *total, const struct unc_llc_part *local, uint64_t unit_bytes,
		    uint64_t *ret_bytes, uint64_t *ret_uncertain_bytes)
{
	double total_rate = bytes_per_ns(total), local_rate = bytes_per_ns(local);
	uint64_t between_ns =
		apart(total->span.begin_ns, local->span.begin_ns) + apart(total->span.end_ns, local->span.end_ns);
	double moved = total_rate * (double)total->span.doubt_ns + local_rate * (double)local->span.doubt_ns +
		       (total_rate > local_rate ? total_rate : local_rate) * (double)between_ns;
	uint64_t uncertain = (uint64_t)moved + unit_bytes;

	*ret_bytes = total->bytes > local->bytes ? total->bytes - local->bytes : 0;
	*ret_uncertain_bytes = uncertain;
	return total->bytes >= local->bytes || local->bytes - total->bytes <= uncertain;
}
