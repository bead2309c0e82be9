// SPDX-License-Identifier: GPL-2.0-or-later
/* What a report of a difference should say; equal differences are one finding of xcheck. */
#define _GNU_SOURCE
#include "cli/xcheck_alike.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/reg.h"

double difference_percent(uint64_t count, uint64_t raw)
{
	return 100 * (double)(int64_t)(count - raw) / (double)raw;
}

/* For an event, an L3 has one row for each group. */
void difference_name(const struct unc_xcheck_row *row, struct output *lines)
{
	if (row->box)
		output_printf(lines, "%s %s", row->subject, row->event);
	else
		output_shown(lines, row->source);
}

static void name_channel(const struct unc_xcheck_row *row, struct output *lines)
{
	struct unc_box_info info;
	struct unc_reg_info reg;
	char name[REG_NAME_MAX];

	unc_box_info(row->box, &info);
	output_printf(lines, "  box       %s at %s\n", info.name, *info.pci ? info.pci : "an unknown address");
	output_printf(lines, "  PMU       %s, %s", row->source, row->config ? row->config : "not known");
	if (row->cpu >= 0)
		output_printf(lines, ", on CPU %d", row->cpu);
	if (row->alias)
		output_printf(lines, "; perf calls the event %s", row->alias);
	output_printf(lines, "\n");
	if (row->number >= 0 && info.perf >= 0 && row->number != info.perf)
		output_printf(lines, "            (the map of this CPU has number %d for this channel)\n", info.perf);
	if (row->perf_event)
		output_printf(lines, "            perf stat -a --per-socket -e %s\n", row->perf_event);
	if (!row->counter)
		return;
	output_printf(lines, "  counter   %s", row->counter);
	for (size_t i = 0; unc_box_reg_info(row->box, i, &reg) == 0; i++)
		if (strcmp(reg_name(&reg, name), row->counter) == 0)
			output_printf(lines, " at 0x%" PRIx32 ", its control was 0x%08" PRIx64, reg.offset,
				      row->to.control);
	output_printf(lines, "\n");
}

static void name_counts(const struct unc_xcheck_row *row, struct output *lines)
{
	uint64_t allowed = row->uncertainty + row->tolerated, low = row->raw > allowed ? row->raw - allowed : 0,
		 high = row->raw + allowed;

	output_printf(lines, "  counted   in %.9f s", (double)row->interval_ns / 1e9);
	if (row->has_kernel)
		output_printf(lines, " by the kernel %" PRIu64, row->kernel);
	if (row->has_raw)
		output_printf(lines, ", by its counter %" PRIu64, row->raw);
	if (row->has_ours)
		output_printf(lines, ",\n            by ours %" PRIu64 "%s%s%s", row->ours, row->own ? " (" : "",
			      row->own ? row->own : "", row->own ? ")" : "");
	output_printf(lines, "\n");
	if (row->has_raw && ((row->has_kernel && (row->kernel < low || row->kernel > high)) ||
			     (row->has_ours && row->raw && (row->ours < low || row->ours > high))))
		output_printf(lines,
			      "  expected  %" PRIu64 " to %" PRIu64 ": %" PRIu64
			      " may have come between the readings,\n            and %" PRIu64 " are tolerated\n",
			      low, high, row->uncertainty, row->tolerated);
}

static char *describe(const struct unc_xcheck_row *row, const struct origin *origin)
{
	const struct unc_machine_info *info = origin->info;
	time_t seconds = (time_t)(row->time_ns / 1000000000);
	struct output lines = {.fd = -1};
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	difference_name(row, &lines);
	output_printf(&lines, " differs: %s\n  kernel    %s\n", row->why ? row->why : "",
		      *origin->kernel ? origin->kernel : "(this machine does not tell)");
	output_printf(&lines, "  CPU       %s family %u model %u stepping %u%s%s%s\n", info->vendor, info->family,
		      info->model, info->stepping, *info->part ? ": " : "", info->part,
		      info->simulated ? " (simulated)" : "");
	if (row->box)
		name_channel(row, &lines);
	else
		output_printf(&lines, "  resctrl   %s\n  RMID      %s%s%s\n", row->source,
			      row->config ? row->config : "?", row->counter ? ", read as " : "",
			      row->counter ? row->counter : "");
	for (unsigned i = 0; i < 2 && row->from.end_ns && row->to.end_ns; i++) {
		const struct unc_xcheck_bracket *bracket = i ? &row->to : &row->from;

		output_printf(&lines,
			      "  %-9s raw %" PRIu64 ", kernel %" PRIu64 ", raw %" PRIu64
			      ", in this order\n            at %.9f to %.9f s",
			      i ? "to" : "from", bracket->raw_before, bracket->kernel, bracket->raw_after,
			      (double)bracket->begin_ns / 1e9, (double)bracket->end_ns / 1e9);
		if (row->box)
			output_printf(&lines, "; enabled %" PRIu64 " ns, running %" PRIu64 " ns", bracket->enabled_ns,
				      bracket->running_ns);
		output_printf(&lines, "\n");
	}
	name_counts(row, &lines);
	output_printf(&lines,
		      "  when      sample %" PRIu64 ", which ended %s UTC; other times are CLOCK_MONOTONIC_RAW\n"
		      "  seen by   uncorectl %s\n",
		      origin->n_samples, when, UNC_VERSION);
	return output_take(&lines);
}

bool difference_take(struct difference *difference, const struct unc_xcheck_row *row, const struct origin *origin)
{
	difference->report = describe(row, origin);
	snprintf(difference->name, sizeof(difference->name), "%s %s (%s)", row->subject, row->event, row->source);
	if (row->has_kernel && row->has_raw && row->raw) {
		difference->percent = difference_percent(row->kernel, row->raw);
		difference->doubt = 100 * (double)row->uncertainty / (double)row->raw;
	}
	return difference->report != NULL;
}

/* Is one cause likely, since both counts differ by the same share? */
static bool is_like(const struct difference *one, const struct difference *other)
{
	double apart = one->percent > other->percent ? one->percent - other->percent : other->percent - one->percent;

	return other->report && other->percent != 0 && apart <= one->doubt + other->doubt;
}

void differences_print(const struct difference *list, size_t n, struct output *out)
{
	const struct difference *end = list + n, *before;
	size_t n_all = 0;

	for (const struct difference *one = list; one < end; one++)
		n_all += one->report != NULL;
	for (const struct difference *one = list; one < end; one++) {
		const char *label = "also";
		size_t n_like = 0;

		for (before = list; before < one && !is_like(one, before);)
			before++;
		if (!one->report || before < one) /* the report of the one before is that of both */
			continue;
		for (const struct difference *other = list; other < end; other++)
			n_like += is_like(one, other);
		if (n_like > 1 && n_like == n_all)
			output_printf(out, "all %zu differ", n_like);
		else if (n_like > 1)
			output_printf(out, "%zu of %zu differ", n_like, n_all);
		if (n_like > 1)
			output_printf(out, " by %+.3f %%: %s\n", one->percent,
				      one->percent <= -100 ? "the kernel counted nothing" : "a scale");
		output_text(out, one->report);
		for (const struct difference *other = one + 1; other < end; other++) {
			if (!is_like(one, other))
				continue;
			output_printf(out, "  %-9s %s\n", label, other->name);
			label = "";
		}
		output_text(out, "\n");
	}
}
