// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/number.h"
#include "cli/stat_rows.h"

enum { LINE_SIZE = 1000 };

static void tell(struct output *out, const char *line)
{
	if (out)
		output_printf(out, "%s\n", line);
	else
		say("%s", line);
}

/* "rd 400 (scaled 800), wr 80, in 1 s" */
static void counts_text(const struct stat_thing *thing, const struct tally *tally, char line[LINE_SIZE])
{
	size_t len = strlen(line);
	char number[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < thing->n && len < LINE_SIZE; i++) {
		len += (size_t)snprintf(line + len, LINE_SIZE - len, "%s%s %" PRIu64, i ? ", " : "", thing->inputs[i],
					tally->counts[i]);
		if (tally->scaled[i] != (double)tally->counts[i] && len < LINE_SIZE)
			len += (size_t)snprintf(line + len, LINE_SIZE - len, " (scaled %s)",
						number_readable(tally->scaled[i], number));
	}
	if (len < LINE_SIZE)
		snprintf(line + len, LINE_SIZE - len, ", in %s s", number_readable(tally_seconds(tally), number));
}

/*
 * Readers can repeat the arithmetic that is shown: its numbers are rounded as they are shown, and the result is computed from
 * these.  If the arithmetic has no room the formula is shown instead.  False: no result, since it divides by zero.
 */
static bool calculate(const struct stat_rows *rows, const struct stat_thing *thing, const struct tally *tally,
		      char arithmetic[LINE_SIZE / 2], double *ret_result)
{
	double counts[TALLY_COUNTS_MAX], seconds = number_as_readable(tally_seconds(tally));

	for (size_t i = 0; i < tally->n; i++)
		counts[i] = number_as_readable(tally->scaled[i]);
	if (unc_metric_explain(rows->machine, "imc", thing->metric, counts, seconds, arithmetic, LINE_SIZE / 2) < 0)
		snprintf(arithmetic, LINE_SIZE / 2, "%s", thing->info.formula);
	return unc_metric_value(rows->machine, "imc", thing->metric, counts, seconds, ret_result) == 0;
}

static void explain_tally(const struct stat_rows *rows, const struct stat_thing *thing, const char *where,
			  const struct tally *tally, struct output *out)
{
	char line[LINE_SIZE], arithmetic[LINE_SIZE / 2], flags[FLAGS_TEXT_MAX], number[NUMBER_TEXT_MAX];
	double result;

	if (!tally->given) {
		snprintf(line, sizeof(line), "  %s: no number: %s", where,
			 flags_text(tally->flags, tally->partial, false, flags));
		tell(out, line);
		return;
	}
	snprintf(line, sizeof(line), "  %s: ", where);
	counts_text(thing, tally, line);
	tell(out, line);
	if (calculate(rows, thing, tally, arithmetic, &result))
		snprintf(line, sizeof(line), "    %s = %s %s%s", arithmetic, number_readable(result, number),
			 thing->unit ? thing->unit : "",
			 tally->flags & FLAG_BELOW_ZERO    ? ", below zero by more than its uncertainty: no value"
			 : result < 0 && tally->value == 0 ? ", which is 0 within its uncertainty"
							   : "");
	else
		snprintf(line, sizeof(line), "    %s: it divides by zero, so there is no value", arithmetic);
	tell(out, line);
}

static void explain_channels(const struct stat_rows *rows, size_t t, const struct channel_group *group,
			     struct output *out)
{
	for (size_t i = group->first; i < group->end; i++)
		explain_tally(rows, &rows->plan.things[t], rows->channels.list[i].info.name,
			      &rows->of_channels[i * rows->plan.n_things + t], out);
}

/* The sum of the results as they are shown. */
static double sum_of_results(const struct stat_rows *rows, size_t t, const struct channel_group *group)
{
	char arithmetic[LINE_SIZE / 2];
	double sum = 0, result;

	for (size_t i = group->first; i < group->end; i++) {
		const struct tally *tally = &rows->of_channels[i * rows->plan.n_things + t];

		if (tally->given && calculate(rows, &rows->plan.things[t], tally, arithmetic, &result))
			sum += number_as_readable(result);
	}
	return sum;
}

/*
 * If the metric adds, the sum adds the results of its channels; else the formula is applied to the sums of their counts and times.
 */
static void explain_sum(const struct stat_rows *rows, size_t t, const struct channel_group *group,
			const struct tally *tally, struct output *out)
{
	const struct stat_thing *thing = &rows->plan.things[t];
	char line[LINE_SIZE], number[NUMBER_TEXT_MAX];

	if (!tally->adds) {
		explain_tally(rows, thing, group->label, tally, out);
		return;
	}
	explain_channels(rows, t, group, out);
	snprintf(line, sizeof(line), "  %s: the sum of these = %s %s", group->label,
		 tally->has_value ? number_readable(sum_of_results(rows, t, group), number) : "no number",
		 thing->unit ? thing->unit : "");
	tell(out, line);
}

static void explain_metric(const struct stat_rows *rows, size_t t, struct output *out)
{
	const struct stat_thing *thing = &rows->plan.things[t];
	const struct channels *channels = &rows->channels;
	char line[LINE_SIZE];
	size_t len;

	snprintf(line, sizeof(line), "%s = %s, in %s", thing->name, thing->info.formula,
		 thing->unit ? thing->unit : "units");
	tell(out, line);
	len = (size_t)snprintf(line, sizeof(line), "  where");
	for (size_t i = 0; i < thing->n && len < sizeof(line); i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s %s is %s", i ? "," : "", thing->inputs[i],
					rows->plan.adds[thing->adds[i]].event);
	tell(out, line);
	if (rows->per == STAT_PER_BOX)
		explain_channels(rows, t, &channels->total, out);
	for (size_t s = 0; rows->per == STAT_PER_SOCKET && s < channels->n_sockets; s++)
		explain_sum(rows, t, &channels->sockets[s], &rows->of_sockets[s * rows->plan.n_things + t], out);
	if (rows->per == STAT_PER_MACHINE)
		explain_sum(rows, t, &channels->total, &rows->of_machine[t], out);
}

void stat_explain(const struct stat_rows *rows, struct output *out)
{
	for (size_t t = 0; t < rows->plan.n_things; t++)
		if (rows->plan.things[t].is_metric)
			explain_metric(rows, t, out);
}
