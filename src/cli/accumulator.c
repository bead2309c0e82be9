// SPDX-License-Identifier: GPL-2.0-or-later
/* The value of one event or metric from the counts of one sample: of a channel, or of several added up. */
#include "cli/accumulator.h"

#include <math.h>

#include "cli/number.h"

#define LATE_PERCENT 0.2 /* as UNC_COUNT_LATE of a count */

/* The factor of a count.  It is exactly 1 if it ran all the time, so that no digit changes. */
static double share_of_time(const struct unc_count *count)
{
	return count->running_ns == count->enabled_ns ? 1 : (double)count->enabled_ns / (double)count->running_ns;
}

void accumulator_of(const struct unc_count *counts, const size_t *which, size_t n, struct accumulator *acc)
{
	*acc = (struct accumulator){.given = n > 0, .n = n, .enabled_ns = UINT64_MAX, .running_ns = UINT64_MAX};
	for (size_t i = 0; i < n; i++) {
		const struct unc_count *count = &counts[which[i]];

		acc->flags |= count->flags;
		if (count->uncertainty_percent > acc->uncertainty_percent)
			acc->uncertainty_percent = count->uncertainty_percent;
		if (count->time_ns > acc->time_ns)
			acc->time_ns = count->time_ns;
		if (count->interval_ns > acc->interval_ns)
			acc->interval_ns = count->interval_ns;
		if (count->enabled_ns < acc->enabled_ns)
			acc->enabled_ns = count->enabled_ns;
		if (count->running_ns < acc->running_ns)
			acc->running_ns = count->running_ns;
		if ((count->flags & UNC_COUNT_NO_NUMBER) || count->running_ns == 0) {
			acc->given = false;
			continue;
		}
		acc->counts[i] = count->delta;
		acc->scaled[i] = (double)count->delta * share_of_time(count);
		/* The time of the read is uncertain, and one more count may have been on its way. */
		acc->doubts[i] = acc->scaled[i] * count->uncertainty_percent / 100 + share_of_time(count);
		acc->counted_ns += count->enabled_ns;
	}
	if (n)
		acc->counted_ns /= n; /* they differ only by the time that reading a counter takes */
}

struct accumulator accumulator_of_event(const struct unc_count *count)
{
	size_t first = 0;
	struct accumulator acc;
	double value;

	accumulator_of(count, &first, 1, &acc);
	value = acc.scaled[0] * count->scale;
	acc.adds = true;
	if (acc.given)
		accumulator_set_value(&acc, value, value / accumulator_seconds(&acc));
	return acc;
}

static void take_amount(const struct unc_count *counts, const struct amount_sum *sum, struct accumulator *acc)
{
	int64_t amount = 0, events = 0;
	double doubt = 0, rate;

	accumulator_of(counts, sum->which, sum->n, acc);
	acc->adds = true;
	for (size_t i = 0; i < sum->n; i++) {
		const struct unc_count *count = &counts[sum->which[i]];
		/* What was counted for a part of the time is extended to all of it; the count itself is shown as it is. */
		int64_t all = count->flags & UNC_COUNT_SCALED ? (int64_t)acc->scaled[i] : (int64_t)acc->counts[i];
		int64_t part = sum->weights[i] * all;

		amount += part;
		events += part < 0 ? -(int64_t)acc->counts[i] : (int64_t)acc->counts[i];
		doubt += fabs((double)part) * count->uncertainty_percent;
		/* While it is not known what must be subtracted, this sum says nothing about why there is no value. */
		if (!acc->given && sum->weights[i] < 0 && (count->flags & UNC_COUNT_NO_NUMBER))
			acc->flags = UNC_COUNT_UNPROGRAMMED;
	}
	if (!acc->given)
		return;
	/* The counts were read at slightly different times, so a difference may come out below zero: then it is 0. */
	acc->amount = amount > 0 ? (uint64_t)amount : 0;
	acc->events = events > 0 ? (uint64_t)events : 0;
	rate = (double)acc->amount * 1e9 / (double)acc->interval_ns;
	accumulator_set_value(acc, rate, rate);
	if (sum->n == 1)
		return;
	/* A difference may be far less certain than each of its parts. */
	acc->uncertainty_percent = 0;
	if (doubt > 0)
		acc->uncertainty_percent = doubt < 100 * (double)acc->amount ? doubt / (double)acc->amount : 100;
	if (acc->uncertainty_percent > LATE_PERCENT)
		acc->flags |= UNC_COUNT_LATE;
}

void accumulator_of_amount(const struct unc_count *counts, const struct amount_sum *sums, size_t n,
			   struct accumulator *ret_acc)
{
	struct accumulator other;

	take_amount(counts, &sums[0], ret_acc);
	for (size_t i = 1; i < n && !ret_acc->given; i++) {
		take_amount(counts, &sums[i], &other);
		if (other.given ||
		    ((ret_acc->flags & UNC_COUNT_UNPROGRAMMED) && !(other.flags & UNC_COUNT_UNPROGRAMMED)))
			*ret_acc = other;
	}
}

struct accumulator accumulator_missing(uint64_t time_ns)
{
	return (struct accumulator){.time_ns = time_ns, .flags = UNC_COUNT_MISSING};
}

void accumulator_set_value(struct accumulator *acc, double value, double per_s)
{
	acc->has_value = isfinite(value);
	acc->value = acc->has_value ? value : 0;
	acc->per_s = acc->has_value ? per_s : 0;
}

double accumulator_seconds(const struct accumulator *acc)
{
	return (double)acc->counted_ns / 1e9;
}

void accumulator_add(struct accumulator *sum, const struct accumulator *member)
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
		sum->flags |= FLAG_PARTIAL;
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
	sum->flags |= member->flags & (UNC_COUNT_LATE | UNC_COUNT_SCALED | UNC_COUNT_FREE_RUNNING | UNC_COUNT_ESTIMATE);
	if (member->uncertainty_percent > sum->uncertainty_percent)
		sum->uncertainty_percent = member->uncertainty_percent;
	if (sum->adds) {
		sum->has_value = true;
		sum->value += member->value;
		sum->amount += member->amount;
		sum->events += member->events;
		sum->doubt += member->doubt;
		sum->per_s += member->per_s;
	}
}

void accumulator_end_sum(struct accumulator *sum)
{
	if (sum->n_timed) {
		sum->interval_ns /= sum->n_timed;
		sum->enabled_ns /= sum->n_timed;
		sum->running_ns /= sum->n_timed;
	}
	if (!sum->given)
		sum->flags |= sum->of_lacks & UNC_COUNT_NOT_RUN;
}
