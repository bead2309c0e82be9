// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/number.h"
#include "cli/stat.h"

enum { LINE_SIZE = 1000 };

static void print_line(struct output *out, const char *line)
{
	if (out)
		output_printf(out, "%s\n", line);
	else
		say("%s", line);
}

/* "rd 400 (scaled 800), wr 80, in 1 s" */
static void counts_text(const struct plan_item *item, const struct accumulator *acc, char line[LINE_SIZE])
{
	size_t len = strlen(line);
	char number[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < item->n && len < LINE_SIZE; i++) {
		len += (size_t)snprintf(line + len, LINE_SIZE - len, "%s%s %" PRIu64, i ? ", " : "", item->inputs[i],
					acc->counts[i]);
		if (acc->scaled[i] != (double)acc->counts[i] && len < LINE_SIZE)
			len += (size_t)snprintf(line + len, LINE_SIZE - len, " (scaled %s)",
						number_readable(acc->scaled[i], number));
	}
	if (len < LINE_SIZE)
		snprintf(line + len, LINE_SIZE - len, ", in %s s", number_readable(accumulator_seconds(acc), number));
}

/*
 * Readers can repeat the arithmetic that is shown: its numbers are rounded as they are shown, and the result is computed from
 * these.  If the arithmetic has no room the formula is shown instead.  False: no result, since it divides by zero.
 */
static bool calculate(const struct counted *counted, const struct plan_item *item, const struct accumulator *acc,
		      char arithmetic[LINE_SIZE / 2], double *ret_result)
{
	double counts[ACCUMULATOR_COUNTS_MAX], seconds = number_as_readable(accumulator_seconds(acc));

	for (size_t i = 0; i < acc->n; i++)
		counts[i] = number_as_readable(acc->scaled[i]);
	if (unc_metric_explain(counted->machine, "imc", item->metric, counts, seconds, arithmetic, LINE_SIZE / 2) < 0)
		snprintf(arithmetic, LINE_SIZE / 2, "%s", item->info.formula);
	return unc_metric_value(counted->machine, "imc", item->metric, counts, seconds, ret_result) == 0;
}

static void explain_place(const struct counted *counted, const struct plan_item *item, const char *where,
			  const struct accumulator *acc, struct output *out)
{
	char line[LINE_SIZE], arithmetic[LINE_SIZE / 2], flags[FLAGS_TEXT_MAX], number[NUMBER_TEXT_MAX];
	double result;

	if (!acc->given) {
		snprintf(line, sizeof(line), "  %s: no number: %s", where,
			 flags_text(acc->flags, acc->partial, false, flags));
		print_line(out, line);
		return;
	}
	snprintf(line, sizeof(line), "  %s: ", where);
	counts_text(item, acc, line);
	print_line(out, line);
	if (calculate(counted, item, acc, arithmetic, &result))
		snprintf(line, sizeof(line), "    %s = %s %s%s", arithmetic, number_readable(result, number),
			 item->unit ? item->unit : "",
			 acc->flags & FLAG_BELOW_ZERO    ? ", below zero by more than its uncertainty: no value"
			 : result < 0 && acc->value == 0 ? ", which is 0 within its uncertainty"
							 : "");
	else
		snprintf(line, sizeof(line), "    %s: it divides by zero, so there is no value", arithmetic);
	print_line(out, line);
}

static void explain_channels(const struct counted *counted, size_t t, const struct channel_group *group,
			     struct output *out)
{
	for (size_t i = group->first; i < group->end; i++)
		explain_place(counted, &counted->plan.items[t], counted->channels.list[i].info.name,
			      &counted->of_channels[i * counted->plan.n_items + t], out);
}

/* The sum of the results as they are shown. */
static double sum_of_results(const struct counted *counted, size_t t, const struct channel_group *group)
{
	char arithmetic[LINE_SIZE / 2];
	double sum = 0, result;

	for (size_t i = group->first; i < group->end; i++) {
		const struct accumulator *acc = &counted->of_channels[i * counted->plan.n_items + t];

		if (acc->given && calculate(counted, &counted->plan.items[t], acc, arithmetic, &result))
			sum += number_as_readable(result);
	}
	return sum;
}

/*
 * If the metric adds, the sum adds the results of its channels; else the formula is applied to the sums of their counts and times.
 */
static void explain_sum(const struct counted *counted, size_t t, const struct channel_group *group,
			const struct accumulator *acc, struct output *out)
{
	const struct plan_item *item = &counted->plan.items[t];
	char line[LINE_SIZE], number[NUMBER_TEXT_MAX];

	if (!acc->adds) {
		explain_place(counted, item, group->label, acc, out);
		return;
	}
	explain_channels(counted, t, group, out);
	snprintf(line, sizeof(line), "  %s: the sum of these = %s %s", group->label,
		 acc->has_value ? number_readable(sum_of_results(counted, t, group), number) : "no number",
		 item->unit ? item->unit : "");
	print_line(out, line);
}

static void explain_metric(const struct counted *counted, size_t t, struct output *out)
{
	const struct plan_item *item = &counted->plan.items[t];
	const struct channels *channels = &counted->channels;
	char line[LINE_SIZE];
	size_t len;

	snprintf(line, sizeof(line), "%s = %s, in %s", item->name, item->info.formula,
		 item->unit ? item->unit : "units");
	print_line(out, line);
	len = (size_t)snprintf(line, sizeof(line), "  where");
	for (size_t i = 0; i < item->n && len < sizeof(line); i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s %s is %s", i ? "," : "", item->inputs[i],
					counted->plan.adds[item->adds[i]].event);
	print_line(out, line);
	if (counted->per == PER_CHANNEL)
		explain_channels(counted, t, &channels->total, out);
	for (size_t s = 0; counted->per == PER_SOCKET && s < channels->n_sockets; s++)
		explain_sum(counted, t, &channels->sockets[s], &counted->of_sockets[s * counted->plan.n_items + t],
			    out);
	if (counted->per == PER_MACHINE)
		explain_sum(counted, t, &channels->total, &counted->of_machine[t], out);
}

void stat_explain(const struct counted *counted, struct output *out)
{
	for (size_t t = 0; t < counted->plan.n_items; t++)
		if (counted->plan.items[t].is_metric)
			explain_metric(counted, t, out);
}
