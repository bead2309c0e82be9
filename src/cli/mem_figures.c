// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/mem_figures.h"

static struct flow flow_of(const struct unc_count *count)
{
	struct flow flow = {0};

	if ((count->flags & UNC_COUNT_NO_NUMBER) || count->interval_ns == 0)
		return flow;
	flow.given = true;
	flow.count = count->delta;
	flow.bytes = (uint64_t)((double)count->delta * count->scale);
	flow.bytes_per_s = (double)flow.bytes * 1e9 / (double)count->interval_ns;
	return flow;
}

struct figure figure_of(const struct unc_count *read, const struct unc_count *write)
{
	return (struct figure){
		.read = flow_of(read),
		.write = flow_of(write),
		.time_ns = read->time_ns,
		.interval_ns = read->interval_ns,
		.uncertainty_percent = read->uncertainty_percent > write->uncertainty_percent
					       ? read->uncertainty_percent
					       : write->uncertainty_percent,
		.flags = read->flags | write->flags,
	};
}

struct figure figure_missing(uint64_t time_ns)
{
	return (struct figure){.time_ns = time_ns, .flags = UNC_COUNT_MISSING};
}

static void flow_add(struct flow *sum, const struct flow *member)
{
	if (!member->given)
		return;
	sum->given = true;
	sum->count += member->count;
	sum->bytes += member->bytes;
	sum->bytes_per_s += member->bytes_per_s;
}

void figure_add(struct figure *sum, const struct figure *member)
{
	flow_add(&sum->read, &member->read);
	flow_add(&sum->write, &member->write);
	if (!member->read.given || !member->write.given)
		sum->partial = true;
	sum->flags |= member->flags & UNC_COUNT_LATE;
	/* The sum is at most as uncertain as its worst part. */
	if (member->uncertainty_percent > sum->uncertainty_percent)
		sum->uncertainty_percent = member->uncertainty_percent;
	if (member->time_ns > sum->time_ns)
		sum->time_ns = member->time_ns;
	/* These are added here and divided in the end: each channel was read over its own interval. */
	sum->interval_ns += member->interval_ns;
}

void figure_end_sum(struct figure *sum, unsigned n_timed)
{
	if (n_timed)
		sum->interval_ns /= n_timed;
}
