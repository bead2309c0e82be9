// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/tally.h"

#include <math.h>

/* The factor of a count.  It is exactly 1 if it ran all the time, so that no digit changes. */
static double share_of_time(const struct unc_count *count)
{
	return count->running_ns == count->enabled_ns ? 1 : (double)count->enabled_ns / (double)count->running_ns;
}

struct tally tally_of(const struct unc_count *counts, const size_t *which, size_t n)
{
	struct tally tally = {.given = n > 0, .n = n, .enabled_ns = UINT64_MAX, .running_ns = UINT64_MAX};

	for (size_t i = 0; i < n; i++) {
		const struct unc_count *count = &counts[which[i]];

		tally.flags |= count->flags;
		if (count->uncertainty_percent > tally.uncertainty_percent)
			tally.uncertainty_percent = count->uncertainty_percent;
		if (count->time_ns > tally.time_ns)
			tally.time_ns = count->time_ns;
		if (count->interval_ns > tally.interval_ns)
			tally.interval_ns = count->interval_ns;
		if (count->enabled_ns < tally.enabled_ns)
			tally.enabled_ns = count->enabled_ns;
		if (count->running_ns < tally.running_ns)
			tally.running_ns = count->running_ns;
		if ((count->flags & UNC_COUNT_NO_NUMBER) || count->running_ns == 0) {
			tally.given = false;
			continue;
		}
		tally.counts[i] = count->delta;
		tally.scaled[i] = (double)count->delta * share_of_time(count);
		/* The time of the read is uncertain, and one more count may have been on its way. */
		tally.doubts[i] = tally.scaled[i] * count->uncertainty_percent / 100 + share_of_time(count);
		tally.counted_ns += count->enabled_ns;
	}
	if (n)
		tally.counted_ns /= n; /* they differ only by the time that reading a counter takes */
	return tally;
}

struct tally tally_of_event(const struct unc_count *count)
{
	size_t first = 0;
	struct tally tally = tally_of(count, &first, 1);
	double value = tally.scaled[0] * count->scale;

	tally.adds = true;
	if (tally.given)
		tally_set_value(&tally, value, value / tally_seconds(&tally));
	return tally;
}

struct tally tally_missing(uint64_t time_ns)
{
	return (struct tally){.time_ns = time_ns, .flags = UNC_COUNT_MISSING};
}

void tally_set_value(struct tally *tally, double value, double per_s)
{
	tally->has_value = isfinite(value);
	tally->value = tally->has_value ? value : 0;
	tally->per_s = tally->has_value ? per_s : 0;
}

double tally_seconds(const struct tally *tally)
{
	return (double)tally->counted_ns / 1e9;
}

void tally_add(struct tally *sum, const struct tally *member)
{
	bool counts = sum->adds ? member->has_value : member->given;

	if (member->time_ns > sum->time_ns)
		sum->time_ns = member->time_ns;
	if (member->interval_ns) {
		/* These are added here and divided in the end: each channel was read over its own interval. */
		sum->interval_ns += member->interval_ns;
		sum->enabled_ns += member->enabled_ns;
		sum->running_ns += member->running_ns;
		sum->n_timed++;
	}
	if (!counts) {
		sum->partial = true;
		sum->of_lacks |= member->flags;
		return;
	}
	sum->given = true;
	sum->n = member->n;
	for (size_t i = 0; i < member->n; i++) {
		sum->counts[i] += member->counts[i];
		sum->scaled[i] += member->scaled[i];
		sum->doubts[i] += member->doubts[i];
	}
	sum->counted_ns += member->counted_ns;
	sum->flags |= member->flags & (UNC_COUNT_LATE | UNC_COUNT_SCALED);
	if (member->uncertainty_percent > sum->uncertainty_percent)
		sum->uncertainty_percent = member->uncertainty_percent;
	if (sum->adds) {
		sum->has_value = true;
		sum->value += member->value;
		sum->doubt += member->doubt;
		sum->per_s += member->per_s;
	}
}

void tally_end_sum(struct tally *sum)
{
	if (sum->n_timed) {
		sum->interval_ns /= sum->n_timed;
		sum->enabled_ns /= sum->n_timed;
		sum->running_ns /= sum->n_timed;
	}
	if (!sum->given)
		sum->flags |= sum->of_lacks & UNC_COUNT_NOT_RUN;
}
