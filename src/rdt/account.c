// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes the difference of two counters that were read one after the other. */
#include "rdt/account.h"

#include "machine/uncertain.h"

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

/* A delta may be up to twice what full speed allows, plus this many units, before it is rejected. */
enum { SPARE_UNITS = 16 };
enum { FACTOR_BITS = 20 }; /* factors are whole multiples of 2^-20, as in Linux's table */
#define NS_PER_S 1000000000u

typedef unsigned __int128 wide;

static uint64_t clamp(wide value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

void unc_llc_meter_init(struct unc_llc_meter *meter, const struct unc_llc_info *info)
{
	wide bytes = (wide)info->unit_bytes << info->counter_bits;

	*meter = (struct unc_llc_meter){
		.unit_bytes = info->unit_bytes,
		.full_speed = info->full_speed,
		.mask = info->counter_bits < 64 ? (UINT64_C(1) << info->counter_bits) - 1 : UINT64_MAX,
		.wrap_ns = info->full_speed ? clamp(bytes * NS_PER_S / info->full_speed) : UINT64_MAX,
		.factor = (uint64_t)(info->factor * (1 << FACTOR_BITS) + 0.5),
	};
}

/* True if no L3 can move so many units in that time. */
static bool is_implausible(const struct unc_llc_meter *meter, uint64_t units, uint64_t ns)
{
	wide most = (wide)meter->full_speed * 2 * ns / NS_PER_S;

	if (meter->full_speed == 0)
		return false;
	return (wide)units * meter->unit_bytes > most + (wide)SPARE_UNITS * meter->unit_bytes;
}

void unc_llc_begin(struct unc_llc_account *account)
{
	account->units = 0;
	account->since_ns = account->raw_ns;
	account->since_blur_ns = account->blur_ns;
	account->lost = !account->has_baseline;
}

void unc_llc_lose(struct unc_llc_account *account)
{
	account->has_baseline = false;
	account->lost = true;
}

enum unc_llc_status unc_llc_account(struct unc_llc_account *account, const struct unc_llc_meter *meter,
				    const struct unc_llc_reading *reading)
{
	uint64_t now = reading->data & meter->mask, units = (now - account->raw) & meter->mask;
	uint64_t ns = reading->after_ns - account->earliest_ns;

	if (reading->was_forgotten)
		unc_llc_lose(account);
	if (reading->status != UNC_LLC_OK)
		return reading->status;
	/* After half the wrap time, this process was stopped for long: the counter may have wrapped more than once. */
	if (!account->has_baseline || ns > meter->wrap_ns / 2 || is_implausible(meter, units, ns))
		account->lost = true;
	account->has_baseline = true;
	account->raw = now;
	account->raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;
	account->blur_ns = unc_half_ns(reading->before_ns, reading->after_ns);
	account->earliest_ns = reading->before_ns;
	account->units += units;
	return account->lost ? UNC_LLC_STALE : UNC_LLC_OK;
}

static wide in_bytes(const struct unc_llc_meter *meter, wide units, bool corrected)
{
	wide bytes = units * meter->unit_bytes;

	return corrected ? bytes * meter->factor >> FACTOR_BITS : bytes;
}

uint64_t unc_llc_shown(const struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected)
{
	wide first = (account->raw - account->units) & meter->mask;

	return clamp(in_bytes(meter, first + account->units, corrected));
}

void unc_llc_moved(struct unc_llc_account *account, const struct unc_llc_meter *meter, bool corrected,
		   struct unc_llc_value *ret_value)
{
	struct unc_llc_span span = unc_llc_span(account);
	uint64_t interval_ns = span.end_ns - span.begin_ns;
	uint64_t bytes = clamp(in_bytes(meter, account->units, corrected));

	*ret_value = (struct unc_llc_value){
		.status = UNC_LLC_OK,
		.has_raw = true,
		.raw = account->raw,
		.bytes = bytes,
		.bytes_per_s = interval_ns ? (double)bytes * NS_PER_S / (double)interval_ns : 0,
		.interval_ns = interval_ns,
		.corrected = corrected,
		.uncertainty_percent = unc_uncertainty_percent(span.doubt_ns, interval_ns),
		.late = unc_is_late(span.doubt_ns, interval_ns),
	};
	unc_llc_begin(account);
}

void unc_llc_owned(const struct unc_llc_reading *reading, const struct unc_llc_meter *meter,
		   struct unc_llc_value *ret_value)
{
	wide bytes = (wide)reading->data * meter->unit_bytes;

	*ret_value = (struct unc_llc_value){.status = reading->status};
	if (reading->status != UNC_LLC_OK)
		return;
	ret_value->has_raw = true;
	ret_value->raw = reading->data;
	if (bytes > UINT64_MAX)
		ret_value->status = UNC_LLC_ERROR;
	else
		ret_value->bytes = (uint64_t)bytes;
}

enum unc_llc_status unc_llc_worse(enum unc_llc_status a, enum unc_llc_status b)
{
	static const unsigned char rank[] = {
		[UNC_LLC_NOT_ASKED] = 0,  [UNC_LLC_OK] = 1,        [UNC_LLC_STALE] = 2,  [UNC_LLC_UNAVAILABLE] = 3,
		[UNC_LLC_UNASSIGNED] = 4, [UNC_LLC_DISTURBED] = 5, [UNC_LLC_SHARED] = 6, [UNC_LLC_ERROR] = 7,
	};

	return rank[a] >= rank[b] ? a : b;
}

void unc_llc_add_value(struct unc_llc_value *sum, const struct unc_llc_value *part)
{
	bool first = sum->status == UNC_LLC_NOT_ASKED;

	sum->status = unc_llc_worse(sum->status, part->status);
	if (part->bytes > UINT64_MAX - sum->bytes) /* a sum that does not fit is not a number */
		sum->status = UNC_LLC_ERROR;
	sum->has_raw = part->has_raw && (first || sum->has_raw);
	sum->raw = sum->has_raw ? sum->raw + part->raw : 0;
	sum->bytes += part->bytes;
	sum->bytes_per_s += part->bytes_per_s;
	if (part->interval_ns > sum->interval_ns)
		sum->interval_ns = part->interval_ns;
	sum->corrected |= part->corrected;
	sum->late |= part->late;
	/* The sum is at most as uncertain as the worst of its parts. */
	if (part->uncertainty_percent > sum->uncertainty_percent)
		sum->uncertainty_percent = part->uncertainty_percent;
	if (sum->status == UNC_LLC_OK)
		return;
	sum->bytes = sum->interval_ns = 0;
	sum->bytes_per_s = sum->uncertainty_percent = 0;
}

void unc_llc_add_row(struct unc_llc_row *sum, const struct unc_llc_row *part)
{
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		unc_llc_add_value(&sum->values[event], &part->values[event]);
		sum->values[event].has_raw = false; /* it would be the sum of different counters */
		sum->values[event].raw = 0;
		if (part->values[event].status > UNC_LLC_OK)
			sum->flags |= UNC_LLC_PARTIAL;
	}
	sum->flags |= part->flags;
	if (part->flags & UNC_LLC_HIJACKED)
		sum->rmid_found = part->rmid_found;
	sum->has_remote &= part->has_remote;
	sum->remote_bytes = sum->has_remote ? sum->remote_bytes + part->remote_bytes : 0;
	sum->remote_uncertain_bytes = sum->has_remote ? sum->remote_uncertain_bytes + part->remote_uncertain_bytes : 0;
	if (part->time_ns > sum->time_ns)
		sum->time_ns = part->time_ns;
	if (part->interval_ns > sum->interval_ns)
		sum->interval_ns = part->interval_ns;
}
