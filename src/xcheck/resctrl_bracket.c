// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the kernel's number between two readings of ours, of the same register, and judges whether they agree.  The kernel reads
 * what IA32_QM_CTR holds at that moment, with the erratum's factor as we do; so its bandwidth is between our two.  Occupancy may
 * rise and fall in between.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "xcheck/resctrl.h"

enum { TRIES = 3 };

/*
 * The kernel's own selftests, tools/testing/selftests/resctrl, accept these differences from the expected number: mbm_test.c,
 * MAX_DIFF_PERCENT; cmt_test.c, the larger of MAX_DIFF_PERCENT and MAX_DIFF in bytes.
 */
static const double bandwidth_tolerance = 0.08, occupancy_tolerance = 0.15;
enum { OCCUPANCY_SLACK = 2000000 };

/* ---- ours ---- */

/* Why there is no number of ours. */
static const char stale[] =
	"what moved since the last reading is not known, since the machine slept or the counter may "
	"have wrapped unseen; it is compared from here on";
static const char *const why_not[] = {
	[UNC_LLC_NOT_ASKED] = "it was not read",
	[UNC_LLC_OK] = "",
	[UNC_LLC_UNAVAILABLE] = "hardware has no number for this RMID now (Unavailable)",
	[UNC_LLC_ERROR] = "hardware says that there is no such RMID or event (Error), or the access failed",
	[UNC_LLC_DISTURBED] = "another program changed IA32_QM_EVTSEL between our write and our read, three times",
	[UNC_LLC_STALE] = stale,
	[UNC_LLC_SHARED] = "it was not read",
};

/* Reads our number, which is the sum of all members. */
static enum unc_llc_status read_ours(struct unc_xresctrl *xr, const struct unc_xr_row *row, struct unc_llc_round *round,
				     struct unc_xr_end *end, uint64_t *ret_bytes)
{
	enum unc_llc_status status = UNC_LLC_NOT_ASKED;

	*ret_bytes = 0;
	for (size_t i = 0; i < xr->groups[row->group].members.n; i++) {
		struct unc_llc_now now;

		unc_llc_round_add(xr->llc, round,
				  unc_llc_read_now(xr->llc, row->lines[i], (enum unc_llc_event)row->event, &now));
		status = unc_llc_worse(status, now.status);
		*ret_bytes += now.bytes;
		end->corrected |= now.corrected;
	}
	return status;
}

/* ---- the kernel's ---- */

static const char *meaning(int rc, const char *sentence)
{
	if (rc == UNC_ENODEV)
		return ": the group is gone, or the kernel has no such number";
	if (rc != UNC_ENODATA)
		return "";
	if (strstr(sentence, "\"Unassigned\""))
		return ", which means that no counter is assigned to it (info/L3_MON/mbm_assign_mode)";
	if (strstr(sentence, "\"Unavailable\""))
		return ", which means that hardware has no number for it now";
	if (strstr(sentence, "\"Error\""))
		return ", which means that hardware knows no such RMID or event";
	return ", which is not a number";
}

/* ---- both ---- */

static int take(struct unc_xresctrl *xr, const struct unc_xr_row *row, struct unc_llc_round *round,
		struct unc_xr_end *end)
{
	struct unc_xcheck_bracket *bracket = &end->bracket;
	enum unc_llc_status before = UNC_LLC_NOT_ASKED, after = UNC_LLC_NOT_ASKED, status;
	int rc;

	bracket->begin_ns = unc_machine_raw_ns(xr->machine);
	if (row->lines)
		before = read_ours(xr, row, round, end, &bracket->raw_before);
	rc = unc_xr_number(xr, row->source, "", &bracket->kernel);
	end->has_kernel = rc == 0;
	if (rc < 0)
		snprintf(end->why, sizeof(end->why), "%.250s%s", xr->machine->ctx->msg,
			 meaning(rc, xr->machine->ctx->msg));
	if (row->lines)
		after = read_ours(xr, row, round, end, &bracket->raw_after);
	bracket->end_ns = unc_machine_raw_ns(xr->machine);
	status = unc_llc_worse(before, after);
	end->has_raw = row->lines && status == UNC_LLC_OK;
	end->anew = status == UNC_LLC_STALE ? why_not[status] : NULL;
	if (end->has_kernel && !end->has_raw)
		snprintf(end->why, sizeof(end->why), "%s",
			 row->nothing ? row->nothing
			 : xr->machine->dry_run
				 ? "in a dry run IA32_QM_EVTSEL is not written, so no number of ours can be read"
				 : why_not[status]);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

static uint64_t width_ns(const struct unc_xr_end *end)
{
	return end->bracket.end_ns - end->bracket.begin_ns;
}

int unc_xr_bracket(struct unc_xresctrl *xr, struct unc_xr_row *row, struct unc_llc_round *round)
{
	const struct unc_xr_group *group = &xr->groups[row->group];
	struct unc_xr_end best = {0};
	const char *anew = row->begun_anew;

	for (unsigned i = 0; i < TRIES; i++) {
		struct unc_xr_end end = {0};
		bool first = !row->tried; /* whether the first bracket is a quick one is not known */
		unsigned has, had;
		int rc = take(xr, row, round, &end);

		if (rc < 0)
			return rc;
		row->tried = true;
		anew = end.anew ? end.anew : anew;
		/*
		 * Of two readings, the better one has more numbers, or as many and took less time.  What was read before
		 * counting began again is unrelated to what is read after that.
		 */
		has = end.has_kernel + end.has_raw;
		had = best.has_kernel + best.has_raw;
		if (i == 0 || end.anew || has > had || (has == had && width_ns(&end) < width_ns(&best)))
			best = end;
		if (!row->lines || !end.has_kernel)
			break;
		if (end.has_raw && (!row->fastest_ns || width_ns(&end) < row->fastest_ns))
			row->fastest_ns = width_ns(&end);
		if (first)
			continue;
		if (xr->machine->dry_run || (end.has_raw && !unc_bracket_is_wide(width_ns(&end), row->fastest_ns)))
			break;
	}
	best.anew = anew;
	row->begun_anew = NULL;
	if (group->unknown[0])
		snprintf(best.why, sizeof(best.why), "%s", group->unknown);
	else
		snprintf(best.counter, sizeof(best.counter), "%s", group->counter);
	row->to = best;
	row->time_ns = unc_machine_real_ns(xr->machine);
	return UNC_OK;
}

/* ---- the verdict ---- */

static bool is_whole(const struct unc_xr_end *end)
{
	return end->has_kernel && end->has_raw;
}

/* Explains why there is nothing to compare, from the readings; NULL: there is something. */
static const char *unknown(const struct unc_xr_row *row, char *buf, size_t size)
{
	const struct unc_xcheck_bracket *from = &row->from.bracket, *to = &row->to.bracket;

	if (!is_whole(&row->to))
		return row->to.why;
	if (row->event == UNC_LLC_OCCUPANCY)
		return NULL;
	if (row->from.counter[0] && strcmp(row->from.counter, row->to.counter) != 0) {
		snprintf(buf, size,
			 "the group had %s when the interval began, and has %s now; it is compared from here on",
			 row->from.counter, row->to.counter);
		return buf;
	}
	if (row->to.anew)
		return row->to.anew;
	if (!is_whole(&row->from)) {
		snprintf(buf, size,
			 "when the interval began, there was nothing to count from (%.280s); it is compared from here "
			 "on",
			 row->from.why);
		return buf;
	}
	/*
	 * If resctrl was mounted again, or the group made again, after from, the kernel counts from 0; ours was at least
	 * raw_before by then.
	 */
	if (to->kernel < from->kernel && to->kernel <= to->raw_after - from->raw_before) {
		snprintf(buf, size,
			 "the kernel began anew in this interval (it said %llu bytes, and says %llu now): resctrl was "
			 "mounted, or the group made, anew; it is compared from here on",
			 (unsigned long long)from->kernel, (unsigned long long)to->kernel);
		return buf;
	}
	return NULL;
}

void unc_xr_judge(const struct unc_xresctrl *xr, struct unc_xr_row *row)
{
	const struct unc_xcheck_cfg *cfg = &xr->xcheck->cfg;
	bool level = row->event == UNC_LLC_OCCUPANCY, own = cfg->tolerance >= 0;
	uint64_t rounding = row->to.corrected ? xr->rdt->info.unit_bytes * xr->groups[row->group].members.n : 0;
	const struct unc_xr_end *from = level ? &row->to : &row->from, *to = &row->to;
	char buf[UNC_XCHECK_WHY];
	struct unc_judged judged = {
		.who = "resctrl",
		.unit = "bytes",
		.from = &from->bracket,
		.to = &to->bracket,
		.level = level,
		.has_kernel = from->has_kernel && to->has_kernel,
		.has_raw = from->has_raw && to->has_raw && (level || !to->anew),
		.width_bits = 64,
		.most = UINT64_MAX,
		.tolerance = own     ? cfg->tolerance
			     : level ? occupancy_tolerance
				     : bandwidth_tolerance,
		/* The kernel rounds to whole units after the erratum's factor, of all that moved since it was mounted. */
		.slack = level ? (own ? 0 : OCCUPANCY_SLACK) : rounding,
		.counter_from = from->counter[0] ? from->counter : NULL,
		.counter_to = to->counter[0] ? to->counter : NULL,
		.unknown = unknown(row, buf, sizeof(buf)),
	};

	unc_judge(&judged, &row->judged);
}
