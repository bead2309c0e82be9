// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl diff: what two outputs differ in. */
#include "cli/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/confine.h"
#include "cli/number.h"
#include "cli/reg.h"

static const char usage[] =
	"usage: uncorectl diff [OPTION]... A B\n"
	"\n"
	"What differs in two outputs of mem, stat, llc, `reg dump` or `reg get`: CSV, JSON lines, records, and of\n"
	"registers also the default table; - is standard input. Touches no machine.\n"
	"\n"
	"Of samples, the means over the whole time are compared, box by box, and the flags. Values below a\n"
	"thousandth of the largest of their column count as equal. Registers are compared field by field.\n";
static const char notes[] = "Exit status 0 when nothing differs, 1 when something does, 2 when a file is no such\n"
			    "output.\n";

enum { THRESHOLD_DEFAULT = 5 };

/* The values of a quantity of a place over the whole time. */
struct mean {
	double sum, weight; /* of values times nanoseconds, and of these */
};

struct means {
	struct curves curves;
	struct mean (*list)[CURVES_QUANTITIES]; /* for each place; owned */
	uint64_t *flags;                        /* for each place: those that occurred; owned */
	size_t n;
	double largest[CURVES_QUANTITIES];
};

/* clang-format off */
enum column_index {C_BOX, C_GROUP, C_EVENT, C_QUANTITY, C_A, C_B, C_CHANGE, C_DIFFERENCE, N_COLUMNS};
static const struct column all_columns[N_COLUMNS] = {
	[C_BOX] = {"box", "box", COLUMN_TEXT, false},
	[C_GROUP] = {"group", NULL, COLUMN_TEXT, false},
	[C_EVENT] = {"event", NULL, COLUMN_TEXT, false},
	[C_QUANTITY] = {"quantity", "quantity", COLUMN_TEXT, false},
	[C_A] = {"a", "A", COLUMN_AMOUNT, false},
	[C_B] = {"b", "B", COLUMN_AMOUNT, false},
	[C_CHANGE] = {"change_percent", "change", COLUMN_AMOUNT, false},
	[C_DIFFERENCE] = {"difference", "difference", COLUMN_TEXT, false},
};
/* clang-format on */

int diff_take_but(void *member, const struct option_given *given)
{
	struct diff_but *but = member;
	struct reg_target target;

	if (!reg_target_parse(given->value, &target))
		return usage_error("%s: --but %s: names no register, which is in capitals", given->command,
				   given->value);
	if (but->n == DIFF_BUT_MAX)
		return usage_error("%s: --but %s: no more than %d of them", given->command, given->value, DIFF_BUT_MAX);
	but->list[but->n++] = given->value;
	return EXIT_DONE;
}

static int take_percent(void *member, const struct option_given *given)
{
	double *percent = member;

	if (unc_text_double(given->value, percent) && *percent <= 1e9)
		return EXIT_DONE;
	return usage_error("%s: --threshold %s: not a number of percent, such as 5 or 0.1", given->command,
			   given->value);
}

/* ---- samples ---- */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static bool add_row(struct means *means)
{
	const struct curves *curves = &means->curves;
	double weight = curves->interval_ns ? (double)curves->interval_ns : 1;
	uint64_t none = 0;

	if (curves->place == means->n) {
		struct mean(*more)[CURVES_QUANTITIES] = unc_array_more(means->list, means->n, sizeof(*means->list));

		means->list = more ? more : means->list;
		if (!more || !unc_array_add(&means->flags, &means->n, &none, sizeof(none)))
			return series_wrong(&means->curves.series, "out of memory");
	}
	means->flags[curves->place] |= curves->flag_bits;
	for (size_t i = 0; i < curves->n_quantities; i++) {
		struct mean *mean = &means->list[curves->place][i];

		if (isnan(curves->values[i]))
			continue;
		mean->sum += curves->values[i] * weight;
		mean->weight += weight;
	}
	return true;
}

static bool read_means(struct means *means)
{
	while (curves_next(&means->curves) && add_row(means))
		;
	if (!means->curves.series.failed && means->n == 0)
		series_wrong(&means->curves.series, "there is no sample in it");
	for (size_t p = 0; p < means->n; p++)
		for (size_t i = 0; i < means->curves.n_quantities; i++)
			if (means->list[p][i].weight > 0)
				means->largest[i] =
					larger(means->largest[i], means->list[p][i].sum / means->list[p][i].weight);
	return !means->curves.series.failed;
}

/* Index of the place with the same names, and of the quantity; where there is none: SIZE_MAX. */
static size_t same_place(const struct means *means, const struct curve_place *place)
{
	for (size_t i = 0; i < means->n; i++) {
		const struct curve_place *other = &means->curves.places[i];

		if (strcmp(other->box, place->box) == 0 && strcmp(other->group, place->group) == 0 &&
		    strcmp(other->event, place->event) == 0)
			return i;
	}
	return SIZE_MAX;
}

static size_t same_quantity(const struct means *means, const char *name)
{
	for (size_t i = 0; i < means->curves.n_quantities; i++)
		if (strcmp(means->curves.quantities[i], name) == 0)
			return i;
	return SIZE_MAX;
}

struct sample_diff {
	const struct diff_options *options;
	struct means *a, *b;
	struct emitter emitter;
	size_t n;
};

static void emit(struct sample_diff *diff, const struct curve_place *place, const char *quantity,
		 const char *difference, const struct value values[3])
{
	diff->n++;
	emit_values(&diff->emitter,
		    (struct value[]){text_value(place->box), text_value(place->group), text_value(place->event),
				     text_value(quantity), values[0], values[1], values[2], text_value(difference)});
}

static void compare_flags(struct sample_diff *diff, size_t p_a, size_t p_b)
{
	const struct means *of[2] = {diff->a, diff->b};
	const size_t places[2] = {p_a, p_b};

	for (unsigned k = 0; k < 2; k++) {
		const struct curves *curves = &of[k]->curves, *other = &of[!k]->curves;

		for (size_t i = 0; i < curves->n_flags; i++) {
			char text[100];
			size_t j = 0;

			while (j < other->n_flags && strcmp(other->flags[j], curves->flags[i]) != 0)
				j++;
			if (!(of[k]->flags[places[k]] & UINT64_C(1) << i) ||
			    (j < other->n_flags && (of[!k]->flags[places[!k]] & UINT64_C(1) << j)))
				continue;
			snprintf(text, sizeof(text), "%s only in %c", curves->flags[i], "AB"[k]);
			emit(diff, &diff->a->curves.places[p_a], "flags", text, (struct value[3]){{0}});
		}
	}
}

static void compare_quantity(struct sample_diff *diff, size_t p_a, size_t p_b, size_t q_a, size_t q_b)
{
	const struct curve_place *place = &diff->a->curves.places[p_a];
	const struct mean *a = &diff->a->list[p_a][q_a], *b = &diff->b->list[p_b][q_b];
	const char *quantity = diff->a->curves.quantities[q_a];
	const char *unit = strcmp(quantity, "value") == 0             ? place->unit
			   : strcmp(quantity, "occupancy_bytes") == 0 ? "bytes"
								      : "bytes/s";
	bool has_a = a->weight > 0, has_b = b->weight > 0;
	double mean_a = has_a ? a->sum / a->weight : 0, mean_b = has_b ? b->sum / b->weight : 0;
	double least = larger(diff->a->largest[q_a], diff->b->largest[q_b]) / 1000,
	       change = 100 * (mean_b / mean_a - 1);
	struct value values[3] = {no_value(NULL), no_value(NULL), no_value(NULL)};

	if (has_a)
		values[0] = amount_value(number_as_readable(mean_a), *unit ? unit : NULL);
	if (has_b)
		values[1] = amount_value(number_as_readable(mean_b), *unit ? unit : NULL);
	if (has_a && has_b && mean_a > 0)
		values[2] = amount_value(number_as_readable(change), "%");
	if (has_a != has_b)
		emit(diff, place, quantity, has_a ? "only in A" : "only in B", values);
	/* Beside the others these are nothing: a channel that only sees refreshes. */
	else if (has_a && (place->event[0] || mean_a >= least || mean_b >= least) &&
		 !(fabs(mean_b - mean_a) <= diff->options->threshold / 100 * fabs(mean_a)))
		emit(diff, place, quantity, "value", values);
}

static void compare(struct sample_diff *diff)
{
	const struct curves *a = &diff->a->curves, *b = &diff->b->curves;
	struct value none[3] = {no_value(NULL), no_value(NULL), no_value(NULL)};

	for (size_t p = 0; p < a->n_places; p++) {
		size_t other = same_place(diff->b, &a->places[p]);

		if (other == SIZE_MAX) {
			emit(diff, &a->places[p], NULL, "only in A", none);
			continue;
		}
		for (size_t q = 0; q < a->n_quantities; q++) {
			size_t q_b = same_quantity(diff->b, a->quantities[q]);

			if (q_b != SIZE_MAX)
				compare_quantity(diff, p, other, q, q_b);
		}
		compare_flags(diff, p, other);
	}
	for (size_t p = 0; p < b->n_places; p++)
		if (same_place(diff->a, &b->places[p]) == SIZE_MAX)
			emit(diff, &b->places[p], NULL, "only in B", none);
}

static int diff_samples(struct means means[2], const struct diff_options *options, struct output *out, size_t *n)
{
	struct sample_diff diff = {.options = options, .a = &means[0], .b = &means[1]};
	struct column columns[N_COLUMNS];

	if (!read_means(&means[0]) || !read_means(&means[1]))
		return EXIT_USAGE;
	memcpy(columns, all_columns, sizeof(columns));
	for (unsigned k = 0; k < 2; k++)
		for (size_t p = 0; p < means[k].n; p++) {
			columns[C_GROUP].title = means[k].curves.places[p].group[0] ? "group" : columns[C_GROUP].title;
			columns[C_EVENT].title = means[k].curves.places[p].event[0] ? "event" : columns[C_EVENT].title;
		}
	emitter_init(&diff.emitter, options->format, columns, N_COLUMNS, out, false);
	emit_head(&diff.emitter, NULL, "difference");
	compare(&diff);
	if (diff.n)
		emit_sample(&diff.emitter, NULL);
	emitter_clear(&diff.emitter);
	*n += diff.n;
	return EXIT_DONE;
}

/* ---- the command ---- */

enum kind { DUMP, SAMPLES, NEITHER };

static enum kind kind_of(const struct series *series)
{
	if (series->is_table ||
	    (series_has(series, "box") && series_has(series, "register") && series_has(series, "value") &&
	     series_has(series, "field") && series_has(series, "field_value")))
		return DUMP;
	return series_has(series, "time_ns") && series_has(series, "interval_ns") ? SAMPLES : NEITHER;
}

/* Finds out what both files have, and checks that it is the same. */
static bool find_kind(const char *command, struct series *series[2], bool dumps_only, enum kind *ret_kind)
{
	enum kind kinds[2];

	for (unsigned i = 0; i < 2; i++) {
		if (series[i]->is_json || series[i]->is_table)
			series_peek(series[i]);
		if (series[i]->failed)
			return false;
		kinds[i] = kind_of(series[i]);
		if (series[i]->n_columns == 0)
			return series_wrong(series[i], "there is no record in it");
		if (dumps_only && kinds[i] != DUMP)
			return series_wrong(series[i],
					    "not a dump of registers: it has no box, register, value, field and "
					    "field_value; `reg dump` makes one");
		if (kinds[i] == NEITHER)
			return series_wrong(series[i],
					    "neither samples of mem, stat or llc, nor a dump of registers: it has "
					    "no time_ns and no register");
	}
	*ret_kind = kinds[0];
	if (kinds[0] == kinds[1])
		return true;
	usage_error("%s: %s has registers, and %s has samples: two of one kind are compared", command,
		    series[kinds[1] == DUMP]->name, series[kinds[0] == DUMP]->name);
	return false;
}

int diff_run(const char *command, const struct globals *globals, const struct diff_options *options, char **files,
	     int n_files)
{
	struct means means[2] = {{.n = 0}, {.n = 0}};
	struct series *series[2] = {&means[0].curves.series, &means[1].curves.series};
	bool dumps_only = strcmp(command, diff_command.name) != 0;
	struct output out = {0};
	int status = EXIT_DONE;
	enum kind kind = NEITHER;
	size_t n = 0;

	if (n_files != 2)
		return usage_error("%s: two %s are compared: %s A B", command, dumps_only ? "dumps" : "outputs",
				   command);
	if (strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0)
		return usage_error("%s: only one of them can be standard input", command);
	for (unsigned i = 0; i < 2 && status == EXIT_DONE; i++)
		status = curves_open(&means[i].curves, globals, command, files[i]);
	if (status == EXIT_DONE) {
		confine(globals, CONFINE_FILES, 0); /* -o makes a file */
		status = find_kind(command, series, dumps_only, &kind) ? EXIT_DONE : EXIT_USAGE;
	}
	if (status == EXIT_DONE)
		status = output_open(&out, globals, options->path, STDOUT_FILENO);
	if (status == EXIT_DONE)
		status = kind == DUMP ? diff_registers(series, options, &out, &n)
				      : diff_samples(means, options, &out, &n);
	if (status == EXIT_DONE && n)
		status = EXIT_FAILED;
	status = output_end(&out, status);
	for (unsigned i = 0; i < 2; i++) {
		curves_close(&means[i].curves);
		free(means[i].list);
		free(means[i].flags);
	}
	return status;
}

struct diff {
	struct diff_options options;
	struct diff_but but;
};

static const struct option_def option_defs[] = {
	{"threshold", "PERCENT", take_percent, offsetof(struct diff, options.threshold),
	 .help = "of samples, tell differences of more than PERCENT of A (default 5; 0: all)"},
	DIFF_BUT(struct diff),
	{"format", "FORMAT", option_word, offsetof(struct diff, options.format),
	 .help = "table (default), csv or jsonl: one record per difference", .words = option_formats},
	{"output", "FILE", option_text, offsetof(struct diff, options.path), .help = "write to FILE", .letter = 'o',
	 .file = OPTION_WRITES},
	{0},
};

static int diff_main(const struct globals *globals, int argc, char **argv)
{
	struct diff diff = {.options.threshold = THRESHOLD_DEFAULT};
	const struct command_line line = {"diff", usage, notes, .options = option_defs, .own = &diff};
	int first, status;

	first = command_line_parse(&line, argc, argv, &status);
	if (first == 0)
		return status;
	diff.options.but = &diff.but;
	return diff_run(line.command, globals, &diff.options, argv + first, argc - first);
}

const struct command diff_command = {"diff", "what two outputs differ in: bandwidth, events, caches, registers",
				     diff_main};
