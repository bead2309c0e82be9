// SPDX-License-Identifier: GPL-2.0-or-later
/* The most that memory channels can move. */
#include "cli/peak.h"

#include <math.h>

#include "machine/smbios.h"
#include "pmon/session.h"

enum { SECOND_NS = 1000000000, BUS_BYTES = 8 /* a channel is 64 bits wide, or twice 32 */ };
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

static struct unc_clock_rate clock_of(const struct counting *counting, const struct channel *channel)
{
	if (!channel->counted)
		return (struct unc_clock_rate){0};
	return unc_session_clock(counting->session, channel->box);
}

int peaks_start(struct peaks *peaks, const struct counting *counting, struct unc_machine *machine)
{
	struct unc_smbios_speeds speeds = {0};
	bool lacks = false;
	int rc = UNC_OK;

	for (size_t i = 0; i < counting->channels.n && !peaks->given; i++)
		lacks |= clock_of(counting, &counting->channels.list[i]).bytes == 0;
	if (lacks)
		rc = unc_smbios_speeds_read(machine, &speeds);
	/* A table before SMBIOS 3.2 may hold the clock in place of the speed. */
	if (rc == 0 && speeds.n == 1 && !speeds.list[0].may_be_clock)
		peaks->configured = 1e6 * speeds.list[0].mts;
	unc_smbios_speeds_clear(&speeds);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

/*
 * Memory makes two transfers in a cycle of its clock, and the controller's clock is that one, a half of it or a quarter; no source says
 * which on some parts (mmio.md section 5.2).  The speed that the firmware reports tells, if it is one of these multiples of the clock.
 */
static double by_firmware(const struct peaks *peaks, double hz)
{
	const double tolerance = 0.01; /* a spread clock is up to half a percent slower, and MT/s are rounded */

	for (unsigned transfers = 2; transfers <= 8; transfers *= 2)
		if (fabs(transfers * hz - peaks->configured) <= tolerance * peaks->configured)
			return transfers * BUS_BYTES * hz;
	return 0;
}

static double of_channel(const struct peaks *peaks, const struct counting *counting, const struct channel *channel)
{
	struct unc_clock_rate clock = clock_of(counting, channel);

	/* SMBIOS tells the speed of DIMMs; HBM has another. */
	return clock.bytes || channel->info.hbm || !peaks->configured ? clock.bytes * clock.hz
								      : by_firmware(peaks, clock.hz);
}

/* Returns how many channels the box of a whole controller counts. */
static unsigned n_channels(const struct unc_box *box)
{
	const struct unc_machine *m = box->machine;
	unsigned n = 0;

	for (size_t i = 0; i < unc_box_count(m, "imc"); i++) {
		const struct unc_box *channel = unc_box_at(m, "imc", i);

		n += channel->presence != UNC_ABSENT && channel->socket == box->socket && !channel->instance->hbm &&
		     channel->instance->imc == box->instance->imc;
	}
	return n;
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
		double peak = peaks->given ? (double)peaks->given : rounded(of_channel(peaks, counting, channel));

		if (counting->fell_back)
			peak *= n_channels(channel->box);
		if (fabs(peak - peaks->of[i]) > SAME_PART * peaks->of[i])
			peaks->of[i] = peak;
	}
	if (first && peaks_most(peaks, channels->n) > 0)
		counting->view->bytes_per_s = peaks_most(peaks, channels->n);
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
