// SPDX-License-Identifier: GPL-2.0-or-later
#include "llc_oracle.h"

static double distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

static void wrong(struct llc_oracle *oracle, size_t row, unsigned event, const char *what, double is, double expected)
{
	const struct onllc *x = oracle->x;

	if (oracle->wrong++ < 5)
		fprintf(stderr, "\n%s, L3 %u%s, RMID %u, event %u: %s: %.17g, expected %.17g\n", x->infos[row].group,
			x->infos[row].l3, x->infos[row].sum ? " (sum)" : "", x->infos[row].rmid, event, what, is,
			expected);
}

/* Linux numbers L3s by their APIC ids, the truth one by one. */
static unsigned l3_index(struct onllc *x, unsigned id)
{
	const struct unc_sim_info info = unc_sim_info(x->o.hand);
	unsigned i = 0;

	while (i < info.n_caches && info.caches[i].id != id)
		i++;
	CU_ASSERT_FATAL(i < info.n_caches);
	return i;
}

static bool of_rmid(const struct onllc *x, size_t row)
{
	return strncmp(x->infos[row].group, "rmid", 4) == 0;
}

static unsigned counters_of(const struct llc_oracle *oracle, size_t row)
{
	return oracle->local_mode && of_rmid(oracle->x, row) ? 1 : oracle->info.nodes;
}

static struct unc_sim_llc truth_of(struct llc_oracle *oracle, size_t row)
{
	struct onllc *x = oracle->x;
	unsigned l3 = l3_index(x, x->infos[row].l3), n = (oracle->info.cpuid_max_rmid + 1) / oracle->info.nodes;
	struct unc_sim_llc sum = {0};

	for (unsigned node = 0; node < (oracle->local_mode ? counters_of(oracle, row) : 1); node++) {
		struct unc_sim_llc is = onllc_truth(x, l3, x->infos[row].rmid + node * n);

		sum.occupancy_bytes += is.occupancy_bytes;
		sum.total_bytes += is.total_bytes;
		sum.local_bytes += is.local_bytes;
	}
	return sum;
}

void llc_oracle_truths(struct llc_oracle *oracle, struct llc_truths *truths)
{
	struct onllc *x = oracle->x;

	truths->ns = x->o.hand->ops->now_ns(x->o.hand, UNC_CLOCK_RAW);
	for (size_t i = 0; i < x->n; i++)
		if (!x->infos[i].sum)
			truths->rows[i] = truth_of(oracle, i);
}

static uint64_t moved_of(const struct unc_sim_llc *truth, unsigned event)
{
	return event == UNC_LLC_TOTAL ? truth->total_bytes : truth->local_bytes;
}

static struct llc_moment moment(const struct llc_truths *before, const struct llc_truths *after, size_t row,
				unsigned event)
{
	return (struct llc_moment){
		.time = {before->ns, after->ns},
		.moved = {moved_of(&before->rows[row], event), moved_of(&after->rows[row], event)},
		.known = true,
	};
}

void llc_oracle_init(struct llc_oracle *oracle, struct onllc *x)
{
	*oracle = (struct llc_oracle){.x = x};
	OK(&x->o, unc_llc_info(x->o.m, &oracle->info));
}

void llc_oracle_started(struct llc_oracle *oracle)
{
	static struct llc_truths now;

	llc_oracle_truths(oracle, &now);
	for (size_t i = 0; i < oracle->x->n; i++) {
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++) {
			oracle->since[i][event] = moment(&now, &now, i, event);
			oracle->since[i][event].known = oracle->exact;
		}
	}
}

/* More than a unit of each counter off, or what rounding the erratum's factor makes: it is given to six digits. */
static bool is_off(const struct llc_oracle *oracle, size_t row, const struct unc_llc_value *value,
		   struct llc_span truth)
{
	double units = (double)oracle->info.unit_bytes * counters_of(oracle, row), is = (double)value->bytes;

	if (value->corrected)
		units = units * (oracle->info.factor > 1 ? oracle->info.factor : 1) + (double)truth.hi * 3e-6;
	return is <= (double)truth.lo - units || is >= (double)truth.hi + units;
}

static void check_rate(struct llc_oracle *oracle, size_t row, unsigned event, const struct unc_llc_value *value,
		       const struct llc_moment *since, const struct llc_moment *now)
{
	double expected = value->interval_ns ? (double)value->bytes * 1e9 / (double)value->interval_ns : 0;
	double tolerance = 1e-9;

	if (value->corrected)
		tolerance = value->bytes ? 2 / (double)value->bytes : 1; /* whole bytes of what is not whole */
	/* Counters of several nodes have an interval each, and the longest is told. */
	if ((oracle->exact || counters_of(oracle, row) == 1) &&
	    distance(value->bytes_per_s, expected) > expected * tolerance)
		wrong(oracle, row, event, "rate", value->bytes_per_s, expected);
	if (value->interval_ns < now->time.lo - since->time.hi || value->interval_ns > now->time.hi - since->time.lo)
		wrong(oracle, row, event, "interval", (double)value->interval_ns,
		      (double)(now->time.lo - since->time.hi));
}

static void check_moved(struct llc_oracle *oracle, size_t row, unsigned event, const struct llc_moment *now)
{
	const struct unc_llc_value *value = &oracle->x->rows[row].values[event];
	struct llc_moment *since = &oracle->since[row][event];
	struct llc_span truth = {now->moved.lo - since->moved.hi, now->moved.hi - since->moved.lo};

	if (now->moved.lo < since->moved.hi)
		truth.lo = 0;
	if (value->status == UNC_LLC_OK && since->known) {
		oracle->numbers++;
		if (is_off(oracle, row, value, truth))
			wrong(oracle, row, event, "moved", (double)value->bytes, (double)truth.lo);
		check_rate(oracle, row, event, value, since, now);
	}
	if (value->status == UNC_LLC_OK || value->status == UNC_LLC_STALE)
		*since = *now;
}

/* While it was read, what is owned may have changed by as much as was moved. */
static void check_owned(struct llc_oracle *oracle, size_t row, const struct llc_truths *before,
			const struct llc_truths *after)
{
	const struct unc_llc_value *value = &oracle->x->rows[row].values[UNC_LLC_OCCUPANCY];
	uint64_t a = before->rows[row].occupancy_bytes, b = after->rows[row].occupancy_bytes;
	struct llc_span truth = {a < b ? a : b, a < b ? b : a};

	if (value->status != UNC_LLC_OK || (!oracle->exact && !(oracle->undisturbed && oracle->steady)))
		return;
	oracle->numbers++;
	if (is_off(oracle, row, value, truth))
		wrong(oracle, row, UNC_LLC_OCCUPANCY, "owned", (double)value->bytes, (double)truth.lo);
}

static void check_empty(struct llc_oracle *oracle, size_t row, unsigned event, const struct unc_llc_value *value)
{
	bool may_have_raw = value->status == UNC_LLC_OK || value->status == UNC_LLC_STALE;

	if (value->status != UNC_LLC_OK && (value->bytes || value->bytes_per_s != 0 || value->interval_ns))
		wrong(oracle, row, event, "a number without status ok", (double)value->bytes, 0);
	if (!may_have_raw && (value->has_raw || value->raw))
		wrong(oracle, row, event, "a raw number that was not read", (double)value->raw, 0);
	if (!(oracle->info.events >> event & 1) != (value->status == UNC_LLC_NOT_ASKED))
		wrong(oracle, row, event, "asked for", value->status, 0);
	if (value->status == UNC_LLC_SHARED && !oracle->hijacked)
		wrong(oracle, row, event, "shared by no CPU", value->status, UNC_LLC_OK);
	if (oracle->undisturbed && value->status > UNC_LLC_OK && value->status != UNC_LLC_SHARED &&
	    (!of_rmid(oracle->x, row) || oracle->info.unit_bytes != 64))
		wrong(oracle, row, event, "no number, and it was not disturbed", value->status, UNC_LLC_OK);
}

enum { LATE_NS = 10000000 }; /* a reading that was done again, and the other events in between */

static void check_flags(struct llc_oracle *oracle, size_t row)
{
	const struct unc_llc_row *is = &oracle->x->rows[row];
	unsigned allowed = UNC_LLC_CORRECTED | UNC_LLC_PARTIAL | UNC_LLC_LONGER | UNC_LLC_LATE |
			   (oracle->hijacked ? UNC_LLC_HIJACKED | UNC_LLC_SHARED_RMID : 0) |
			   (oracle->unassigned ? UNC_LLC_NO_COUNTER : 0) | (oracle->exact ? 0 : UNC_LLC_OVER);
	bool corrected = false;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		corrected |= is->values[event].corrected;
		if (!(is->flags & UNC_LLC_LONGER) && is->values[event].interval_ns > 2 * is->interval_ns + LATE_NS)
			wrong(oracle, row, event, "not flagged as longer", (double)is->values[event].interval_ns,
			      (double)is->interval_ns);
	}
	if (is->flags & ~allowed)
		wrong(oracle, row, 0, "flags", is->flags, allowed);
	if (corrected != !!(is->flags & UNC_LLC_CORRECTED))
		wrong(oracle, row, 0, "corrected", is->flags, corrected);
}

static void check_remote(struct llc_oracle *oracle, size_t row)
{
	const struct unc_llc_row *is = &oracle->x->rows[row];
	const struct unc_llc_value *total = &is->values[UNC_LLC_TOTAL], *local = &is->values[UNC_LLC_LOCAL];
	uint64_t expected = total->bytes > local->bytes ? total->bytes - local->bytes : 0;

	if (is->has_remote && (total->status != UNC_LLC_OK || local->status != UNC_LLC_OK))
		wrong(oracle, row, 0, "remote of what is not known", (double)is->remote_bytes, 0);
	if (is->has_remote && !oracle->x->infos[row].sum && is->remote_bytes != expected)
		wrong(oracle, row, 0, "remote", (double)is->remote_bytes, (double)expected);
	if (is->has_remote && oracle->exact && total->interval_ns != local->interval_ns)
		wrong(oracle, row, 0, "remote of two intervals", (double)local->interval_ns,
		      (double)total->interval_ns);
	if (!is->has_remote && is->remote_bytes)
		wrong(oracle, row, 0, "no remote", (double)is->remote_bytes, 0);
}

/* Its parts are the rows in front of it that have its name. */
static void check_sum(struct llc_oracle *oracle, size_t row)
{
	const struct onllc *x = oracle->x;
	const struct unc_llc_row *is = &x->rows[row];

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		enum unc_llc_status status = UNC_LLC_OK;
		double rate = 0;
		uint64_t bytes = 0;

		for (size_t i = row; i-- > 0 && strcmp(x->infos[i].group, x->infos[row].group) == 0;) {
			const struct unc_llc_value *part = &x->rows[i].values[event];

			status = part->status == UNC_LLC_OK ? status : part->status;
			bytes += part->bytes;
			rate += part->bytes_per_s;
		}
		if ((status == UNC_LLC_OK) != (is->values[event].status == UNC_LLC_OK))
			wrong(oracle, row, event, "status", is->values[event].status, status);
		if (status == UNC_LLC_OK && is->values[event].bytes != bytes)
			wrong(oracle, row, event, "sum", (double)is->values[event].bytes, (double)bytes);
		if (status == UNC_LLC_OK && distance(is->values[event].bytes_per_s, rate) > rate * 1e-9)
			wrong(oracle, row, event, "sum of rates", is->values[event].bytes_per_s, rate);
	}
}

void llc_oracle_check(struct llc_oracle *oracle, const struct llc_truths *before, const struct llc_truths *after)
{
	const struct onllc *x = oracle->x;

	for (size_t i = 0; i < x->n; i++) {
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			check_empty(oracle, i, event, &x->rows[i].values[event]);
		check_flags(oracle, i);
		check_remote(oracle, i);
		if (x->infos[i].sum) {
			check_sum(oracle, i);
			continue;
		}
		check_owned(oracle, i, before, after);
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++) {
			struct llc_moment now = moment(before, after, i, event);

			if (oracle->info.events >> event & 1)
				check_moved(oracle, i, event, &now);
		}
	}
}
