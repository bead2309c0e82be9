// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/uncertain.h"

/* Rounds up to three digits. */
static double seconds(uint64_t ns)
{
	uint64_t digit = 1, digits;

	while (ns / digit > 999)
		digit *= 10;
	digits = ns / digit + (ns % digit != 0);
	return (double)digits * ((double)digit / 1e9);
}

void unc_note_shortest(struct unc_ctx *ctx, uint64_t quickest_ns, uint64_t interval_ns, uint64_t mux_ns)
{
	uint64_t shortest_ns = quickest_ns > UINT64_MAX / UNC_LATE_PART ? UINT64_MAX : quickest_ns * UNC_LATE_PART;

	if (mux_ns && unc_is_late(quickest_ns, mux_ns))
		unc_note(ctx,
			 "every value is `late`: a read takes %.3g us here, which is too long for multiplexed events "
			 "that "
			 "count for %.3g s at a time; count fewer events at once",
			 (double)quickest_ns / 1e3, seconds(mux_ns));
	else if (interval_ns && unc_is_late(quickest_ns, interval_ns))
		unc_note(ctx,
			 "every value is `late`: a read takes %.3g us here, which is too long for intervals of %.3g s; "
			 "the shortest interval that is certain to 0.2 %% is %.3g s",
			 (double)quickest_ns / 1e3, seconds(interval_ns), seconds(shortest_ns));
}

/* BOOT and MONO are read one after the other, so their difference is known as a range. */
bool unc_was_suspended(struct unc_suspend *suspend, struct unc_machine *m)
{
	struct unc_host *host = m->host;
	uint64_t before = host->ops->now_ns(host, UNC_CLOCK_MONO), boot = host->ops->now_ns(host, UNC_CLOCK_BOOT);
	uint64_t after = host->ops->now_ns(host, UNC_CLOCK_MONO);
	int64_t least = (int64_t)(boot - after), most = (int64_t)(boot - before);
	bool suspended = least > suspend->asleep_ns;

	if (suspended || most < suspend->asleep_ns)
		suspend->asleep_ns = most;
	return suspended;
}

void unc_suspend_init(struct unc_suspend *suspend, struct unc_machine *m)
{
	suspend->asleep_ns = INT64_MAX;
	unc_was_suspended(suspend, m);
}
