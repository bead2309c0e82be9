// SPDX-License-Identifier: GPL-2.0-or-later
/* The most that memory channels can move. */
#include "cli/peak.h"

#include <stdlib.h>

#include "pmon/free.h"
#include "pmon/session.h"

enum { SECOND_NS = 1000000000 };
/* A clock is measured again and again, a little differently: a peak that is shown changes only with the clock itself. */
#define SAME_PART 0.002

int peaks_take(void *member, const struct option_given *given)
{
	uint64_t *rate = member;

	if (!amount_of_rate(given->value, rate) || *rate == 0)
		return usage_error("%s: %s %s: not a number of bytes per second above 0, such as 25.6GB/s",
				   given->command, given->option, given->value);
	return EXIT_DONE;
}

/* Four digits, as the clock is not known any better. */
static double rounded(double rate)
{
	uint64_t number = (uint64_t)rate, unit = 1;

	while (number / unit >= 10000)
		unit *= 10;
	number = (number + unit / 2) / unit * unit;
	return (double)number;
}

static double of_channel(const struct counting *counting, const struct channel *channel)
{
	if (!channel->counted)
		return 0;
	if (counting->free_running)
		return unc_free_peak(counting->free_running, channel->box);
	return unc_session_peak(counting->session, channel->box);
}

bool peaks_update(struct peaks *peaks, const struct counting *counting, uint64_t time_ns)
{
	const struct channels *channels = &counting->channels;
	bool first = !peaks->of;

	if (!first && time_ns - peaks->time_ns < SECOND_NS)
		return true;
	if (first)
		peaks->of = calloc(channels->n, sizeof(*peaks->of));
	if (!peaks->of) {
		no_memory();
		return false;
	}
	peaks->time_ns = time_ns;
	for (size_t i = 0; i < channels->n; i++) {
		const struct channel *channel = &channels->list[i];
		double peak = peaks->given ? (double)peaks->given : rounded(of_channel(counting, channel)), change;

		if (counting->free_running)
			peak *= unc_free_channels(channel->box);
		change = peak > peaks->of[i] ? peak - peaks->of[i] : peaks->of[i] - peak;
		if (change > SAME_PART * peaks->of[i])
			peaks->of[i] = peak;
	}
	return true;
}

double peaks_sum(const struct peaks *peaks, size_t first, size_t end)
{
	double sum = 0;

	for (size_t i = first; i < end; i++) {
		if (peaks->of[i] == 0)
			return 0;
		sum += peaks->of[i];
	}
	return sum;
}

double peaks_most(const struct peaks *peaks, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = peaks->of[i] > most ? peaks->of[i] : most;
	return most;
}

void peaks_clear(struct peaks *peaks)
{
	free(peaks->of);
	*peaks = (struct peaks){.given = peaks->given};
}
