// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check --format jsonl: one record for the run, one for each result, and one for the end.  Results contain values and plots, so the
 * flat emitter of the other commands cannot be used.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/check.h"
#include "cli/check_text.h"

static void name(struct output *out, const char *key)
{
	output_printf(out, ",\"%s\":", key);
}

static void text(struct output *out, const char *key, const char *value)
{
	name(out, key);
	if (value && *value)
		output_json(out, value);
	else
		output_text(out, "null");
}

static void number(struct output *out, const char *key, uint64_t value)
{
	name(out, key);
	output_u64(out, value);
}

static void flag(struct output *out, const char *key, bool value)
{
	name(out, key);
	output_text(out, value ? "true" : "false");
}

static void place(struct output *out, const char *key, int value)
{
	name(out, key);
	if (value < 0)
		output_text(out, "null");
	else
		output_u64(out, (uint64_t)value);
}

/* Registers are written as text, since JSON has no hexadecimal numbers, and not every reader handles numbers of 64 bits. */
static void bits(struct output *out, const char *key, const struct unc_check_value *value, bool has, uint64_t number)
{
	char buf[CHECK_NUMBER_MAX];

	name(out, key);
	if (!has)
		output_text(out, "null");
	else if (value->box[0])
		output_json(out, check_number(value, number, buf));
	else
		output_text(out, check_number(value, number, buf));
}

static void real(struct output *out, double value)
{
	if (isfinite(value))
		output_printf(out, "%.15g", value);
	else
		output_text(out, "null");
}

static void print_run(const struct check_report *report, struct output *out)
{
	output_text(out, "{\"record\":\"run\"");
	text(out, "machine", report->info.name);
	flag(out, "simulated", report->info.simulated);
	text(out, "vendor", report->info.vendor);
	text(out, "part", report->info.part);
	text(out, "brand", report->cpu.brand);
	for (size_t i = 0; i < report->n_facts; i++)
		text(out, report->facts[i].name, report->facts[i].text);
	number(out, "family", report->info.family);
	number(out, "model", report->info.model);
	number(out, "stepping", report->info.stepping);
	number(out, "sockets", report->info.n_sockets);
	number(out, "cpus", report->info.n_cpus);
	text(out, "depth", check_depth_name(report->options->cfg.depth));
	text(out, "command", report->command);
	text(out, "version", UNC_VERSION);
	text(out, "time", report->date);
	number(out, "time_ns", report->real_ns);
	output_text(out, "}\n");
}

static void print_value(const struct unc_check_value *value, struct output *out)
{
	bool is_register = value->box[0] != '\0';
	char offset[16];

	snprintf(offset, sizeof(offset), "0x%02" PRIx32, value->offset);
	output_text(out, "{\"what\":");
	output_json(out, value->what);
	text(out, "box", value->box);
	text(out, "pci", value->pci);
	text(out, "register", is_register ? value->reg : NULL);
	text(out, "name", is_register ? NULL : value->reg);
	text(out, "offset", is_register ? offset : NULL);
	bits(out, "wrote", value, value->has_wrote, value->wrote);
	bits(out, "read", value, true, value->read);
	bits(out, "expected", value, value->has_expected, value->expected);
	bits(out, "compared", value, value->has_expected && is_register, value->compared);
	bits(out, "differs", value, value->has_expected && is_register, check_differing(value));
	flag(out, "good", value->good);
	output_text(out, "}");
}

static void print_plot(const struct unc_check_plot *plot, struct output *out)
{
	bool banded = plot->low != 0 || plot->high != 0;

	output_text(out, "{\"title\":");
	output_json(out, plot->title);
	text(out, "x_unit", plot->x_unit);
	text(out, "y_unit", plot->y_unit);
	name(out, "low");
	real(out, banded ? plot->low : NAN);
	name(out, "high");
	real(out, banded ? plot->high : NAN);
	name(out, "points");
	output_text(out, "[");
	for (size_t i = 0; i < plot->n_points; i++) {
		output_text(out, i ? ",[" : "[");
		real(out, plot->points[i].x);
		output_text(out, ",");
		real(out, plot->points[i].y);
		output_text(out, "]");
	}
	output_text(out, "]}");
}

static void print_result(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	struct unc_check_value value;
	struct unc_check_plot plot;

	output_text(out, "{\"record\":\"result\"");
	text(out, "check", item->result.check);
	text(out, "subject", item->result.subject);
	place(out, "socket", item->socket);
	place(out, "imc", item->imc);
	place(out, "channel", item->channel);
	text(out, "state", check_state_name(item->result.state));
	text(out, "finding", item->finding);
	flag(out, "prevented", check_is_prevented(item));
	name(out, "values");
	output_text(out, "[");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		output_text(out, i ? "," : "");
		print_value(&value, out);
	}
	output_text(out, "]");
	number(out, "dropped", item->result.n_dropped);
	name(out, "plots");
	output_text(out, "[");
	for (size_t i = 0; unc_check_plot(report->check, index, i, &plot) == 0; i++) {
		output_text(out, i ? "," : "");
		print_plot(&plot, out);
	}
	output_text(out, "]");
	text(out, "tested", item->result.tested);
	number(out, "ns", item->result.ns);
	output_text(out, "}\n");
}

void check_print_jsonl(const struct check_report *report, struct output *out)
{
	print_run(report, out);
	for (size_t i = 0; i < report->n; i++)
		print_result(report, i, out);
	output_text(out, "{\"record\":\"end\"");
	text(out, "verdict", check_verdict(report));
	flag(out, "complete", !report->ended && !report->counts[UNC_CHECK_NOT_RUN] && !report->n_prevented);
	text(out, "ended", report->ended);
	number(out, "checks", report->n_sums);
	number(out, "results", report->n);
	number(out, "passed", report->counts[UNC_CHECK_PASS]);
	number(out, "failed", report->counts[UNC_CHECK_FAIL]);
	number(out, "skipped", report->counts[UNC_CHECK_SKIP]);
	number(out, "not_run", report->counts[UNC_CHECK_NOT_RUN]);
	number(out, "took_ns", report->took_ns);
	output_text(out, "}\n");
}
