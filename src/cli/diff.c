// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl diff, and reg diff: what two outputs differ in. */
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

enum { THRESHOLD_DEFAULT = 5, REGISTER_NAMES = 3, NAMES = 4, TEXTS = NAMES + 2, ITEMS_MAX = 1 << 21 };

/* A field of a register; or of samples a mean, or a flag that occurred, which has no value. */
struct item {
	/* Box, register, field, "", its value, that of the register; or box, group, event, quantity, unit, "".  Owned, in one piece. */
	const char *texts[TEXTS];
	double mean;      /* NAN: none */
	bool idle;        /* a reserved field that is 0: a table leaves it out */
	unsigned n_names; /* to find another one: so many names must be equal */
};

struct side {
	struct curves curves;
	struct item *items, *sorted; /* in the order of the file, and by their names; owned */
	size_t n;
};

struct diff {
	const struct diff_options *options;
	struct side sides[2];
	bool dumps; /* of registers */
	struct reg_target but[DIFF_BUT_MAX];
	struct emitter emitter;
	size_t n; /* differences */
};

/* clang-format off */
static const struct column dump_columns[] = {
	{"box", "box", COLUMN_TEXT, false},
	{"register", "register", COLUMN_TEXT, false},
	{"field", "field", COLUMN_TEXT, false},
	{"a", "A", COLUMN_TEXT, false},
	{"b", "B", COLUMN_TEXT, false},
	{"difference", "difference", COLUMN_TEXT, false},
};
static const struct column sample_columns[] = {
	{"box", "box", COLUMN_TEXT, false},
	{"group", "group", COLUMN_TEXT, false},
	{"event", "event", COLUMN_TEXT, false},
	{"quantity", "quantity", COLUMN_TEXT, false},
	{"a", "A", COLUMN_AMOUNT, false},
	{"b", "B", COLUMN_AMOUNT, false},
	{"change_percent", "change", COLUMN_AMOUNT, false},
	{"difference", "difference", COLUMN_TEXT, false},
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

/* ---- reading ---- */

static bool add(struct side *side, const char *const texts[TEXTS], double mean, bool idle)
{
	struct item item = {.mean = mean, .idle = idle, .n_names = NAMES};
	size_t len = 0, at = 0;
	char *copy;

	for (unsigned i = 0; i < TEXTS; i++)
		len += strlen(texts[i]) + 1;
	copy = side->n < ITEMS_MAX ? malloc(len) : NULL;
	for (unsigned i = 0; i < TEXTS && copy; i++) {
		size_t size = strlen(texts[i]) + 1;

		item.texts[i] = memcpy(copy + at, texts[i], size);
		at += size;
	}
	if (copy && unc_array_add(&side->items, &side->n, &item, sizeof(item)))
		return true;
	free(copy);
	return series_wrong(&side->curves.series, side->n < ITEMS_MAX ? "out of memory" : "too long for a dump");
}

enum { DUMP_NAMES = 5 };
static const char *const dump_names[DUMP_NAMES] = {"box", "register", "field", "field_value", "value"};

static bool read_dump(struct side *side)
{
	struct series *series = &side->curves.series;
	bool good = true;

	while (good && series_next(series)) {
		const char *of[DUMP_NAMES], *access = series_value(series, "access");
		uint64_t number;

		for (unsigned i = 0; i < DUMP_NAMES; i++) {
			of[i] = series_value(series, dump_names[i]);
			if (!of[i] || !*of[i])
				return series_wrong(series,
						    "a record of registers has a box, register, value, field and "
						    "field_value");
		}
		good = add(side, (const char *[TEXTS]){of[0], of[1], of[2], "", of[3], of[4]}, NAN,
			   access && strcmp(access, "reserved") == 0 && unc_text_u64(of[3], &number) && number == 0);
	}
	return good && !series->failed;
}

static bool read_samples(struct side *side)
{
	struct curves *curves = &side->curves;
	struct { /* of a place */
		double sums[CURVES_QUANTITIES], weights[CURVES_QUANTITIES];
		uint64_t flags;
	} *places = calloc(CURVES_PLACES, sizeof(*places));
	bool good = places != NULL;

	while (good && curves_next(curves)) {
		double weight = curves->interval_ns ? (double)curves->interval_ns : 1;

		places[curves->place].flags |= curves->flag_bits;
		for (size_t q = 0; q < curves->n_quantities; q++) {
			if (isnan(curves->values[q]))
				continue;
			places[curves->place].sums[q] += curves->values[q] * weight;
			places[curves->place].weights[q] += weight;
		}
	}
	for (size_t p = 0; good && p < curves->n_places; p++) {
		const struct curve_place *place = &curves->places[p];
		const char *texts[TEXTS] = {place->box, place->group, place->event, "", "", ""};
		char flag[80];

		good = add(side, texts, NAN, false); /* also of a place without values */
		for (size_t q = 0; good && q < curves->n_quantities; q++) {
			texts[NAMES - 1] = curves->quantities[q];
			texts[NAMES] = curves_unit(curves, place, q);
			if (places[p].weights[q] > 0)
				good = add(side, texts, places[p].sums[q] / places[p].weights[q], false);
		}
		for (size_t f = 0; good && f < curves->n_flags; f++) {
			snprintf(flag, sizeof(flag), "flag %s", curves->flags[f]);
			texts[NAMES - 1] = flag;
			if (places[p].flags >> f & 1)
				good = add(side, texts, NAN, false);
		}
	}
	free(places);
	return good && !curves->series.failed;
}

/* The names of the first decide how many are compared, for qsort() all. */
static int by_names(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = 0;

	for (unsigned i = 0; i < a->n_names && order == 0; i++)
		order = strcmp(a->texts[i], b->texts[i]);
	return order;
}

static bool read_side(struct side *side, bool dumps)
{
	if (!(dumps ? read_dump(side) : read_samples(side)))
		return false;
	if (side->n == 0)
		return series_wrong(&side->curves.series, "there is no %s in it", dumps ? "record" : "sample");
	side->sorted = malloc(side->n * sizeof(*side->sorted));
	if (!side->sorted)
		return series_wrong(&side->curves.series, "out of memory");
	memcpy(side->sorted, side->items, side->n * sizeof(*side->sorted));
	qsort(side->sorted, side->n, sizeof(*side->sorted), by_names);
	return true;
}

/* ---- comparing ---- */

static bool left_out(const struct diff *diff, const struct item *item)
{
	char plain[64]; /* CTL[3] also matches CTL */

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(item->texts[1], "["), item->texts[1]);
	for (unsigned i = 0; diff->dumps && i < diff->options->but.n; i++) {
		const struct reg_target *but = &diff->but[i];

		if ((!but->box[0] || unc_text_match(but->box, item->texts[0])) &&
		    (unc_text_match(but->reg, item->texts[1]) || unc_text_match(but->reg, plain)) &&
		    reg_target_has_field(but, item->texts[2]))
			return true;
	}
	return false;
}

/* Are both next to nothing beside the largest of their kind, as those of a channel that only sees refreshes? */
static bool negligible(const struct diff *diff, const struct item *a, const struct item *b)
{
	double most = 0;

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < diff->sides[k].n; i++) {
			const struct item *item = &diff->sides[k].items[i];

			if (item->mean > most && strcmp(item->texts[2], a->texts[2]) == 0 &&
			    strcmp(item->texts[3], a->texts[3]) == 0)
				most = item->mean;
		}
	return a->mean < most / 1000 && b->mean < most / 1000;
}

static bool same(const struct diff *diff, const struct item *a, const struct item *b)
{
	if (diff->dumps)
		return strcmp(a->texts[NAMES], b->texts[NAMES]) == 0;
	return isnan(a->mean) || fabs(b->mean - a->mean) <= diff->options->threshold / 100 * fabs(a->mean) ||
	       negligible(diff, a, b);
}

/* Of a register its value is shown, of a box none. */
static struct value value_of(const struct diff *diff, const struct item *item, unsigned n_names)
{
	if (item && diff->dumps && n_names > 1)
		return text_value(item->texts[n_names == REGISTER_NAMES ? NAMES : NAMES + 1]);
	if (!item || diff->dumps || isnan(item->mean))
		return no_value(NULL);
	return amount_value(number_as_readable(item->mean), *item->texts[NAMES] ? item->texts[NAMES] : NULL);
}

/* a or b NULL: the other side has none of the first n_names names. */
static void tell(struct diff *diff, const struct item *a, const struct item *b, unsigned n_names)
{
	struct value values[NAMES + 4], *next = values;

	diff->n++;
	for (unsigned i = 0; i < (diff->dumps ? REGISTER_NAMES : NAMES); i++)
		*next++ = text_value(i < n_names ? (a ? a : b)->texts[i] : NULL);
	*next++ = value_of(diff, a, n_names);
	*next++ = value_of(diff, b, n_names);
	if (!diff->dumps)
		*next++ = a && b && a->mean > 0 ? amount_value(number_as_readable(100 * (b->mean / a->mean - 1)), "%")
						: no_value(NULL);
	*next = text_value(a && b ? "value" : a ? "only in A" : "only in B");
	emit_values(&diff->emitter, values);
}

/* Tells what only one side has; for A also the differences of what both have. */
static void compare(struct diff *diff, bool is_a)
{
	const struct side *side = &diff->sides[!is_a], *other = &diff->sides[is_a];
	unsigned last = diff->dumps ? REGISTER_NAMES : NAMES;
	struct item told = {.n_names = NAMES}; /* a box or register is told once; the items of one are adjacent */

	for (size_t i = 0; i < side->n; i++) {
		struct item item = side->items[i];
		const struct item *found;

		if (left_out(diff, &item))
			continue;
		item.n_names = 1; /* then the first at which the other side has none */
		while ((found = bsearch(&item, other->sorted, other->n, sizeof(item), by_names)) && item.n_names < last)
			item.n_names++;
		if (found && (!is_a || same(diff, &item, found)))
			continue;
		if (!found && item.n_names == last && item.idle && other->curves.series.is_table)
			continue;
		if (!found && told.texts[0] && item.n_names < last && by_names(&item, &told) == 0)
			continue;
		told = item;
		tell(diff, is_a ? &item : found, is_a ? found : &item, item.n_names);
	}
}

/* ---- the command ---- */

/* Finds out what both files have, and checks that it is the same. */
static bool find_kind(const char *command, struct diff *diff, bool dumps_only)
{
	struct series *series[2] = {&diff->sides[0].curves.series, &diff->sides[1].curves.series};
	bool dumps[2];

	for (unsigned i = 0; i < 2; i++) {
		if (series[i]->is_json || series[i]->is_table)
			series_peek(series[i]);
		if (series[i]->failed)
			return false;
		dumps[i] = true;
		for (unsigned k = 0; k < DUMP_NAMES && !series[i]->is_table; k++)
			dumps[i] &= series_has(series[i], dump_names[k]);
		if (series[i]->n_columns == 0)
			return series_wrong(series[i], "there is no record in it");
		if (dumps_only && !dumps[i])
			return series_wrong(series[i],
					    "not a dump of registers: it has no box, register, value, field and "
					    "field_value; `reg dump` makes one");
		if (!dumps[i] && !(series_has(series[i], "time_ns") && series_has(series[i], "interval_ns")))
			return series_wrong(series[i],
					    "neither samples of mem, stat or llc, nor a dump of registers: it has "
					    "no time_ns and no register");
	}
	diff->dumps = dumps[0];
	if (dumps[0] == dumps[1])
		return true;
	usage_error("%s: %s has registers, and %s has samples: two of one kind are compared", command,
		    series[dumps[1]]->name, series[dumps[0]]->name);
	return false;
}

int diff_run(const char *command, const struct globals *globals, const struct diff_options *options, char **files,
	     int n_files)
{
	bool dumps_only = strcmp(command, diff_command.name) != 0;
	struct diff diff = {.options = options};
	struct output out = {0};
	int status = EXIT_DONE;

	if (n_files != 2)
		return usage_error("%s: two %s are compared: %s A B", command, dumps_only ? "dumps" : "outputs",
				   command);
	if (strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0)
		return usage_error("%s: only one of them can be standard input", command);
	for (unsigned i = 0; i < options->but.n; i++)
		reg_target_parse(options->but.list[i], &diff.but[i]); /* it was parsed as an option, too */
	for (unsigned i = 0; i < 2 && status == EXIT_DONE; i++)
		status = curves_open(&diff.sides[i].curves, globals, command, files[i]);
	confine(globals, CONFINE_FILES, 0); /* -o makes a file */
	if (status == EXIT_DONE && (!find_kind(command, &diff, dumps_only) || !read_side(&diff.sides[0], diff.dumps) ||
				    !read_side(&diff.sides[1], diff.dumps)))
		status = EXIT_USAGE;
	if (status == EXIT_DONE)
		status = output_open(&out, globals, options->path, STDOUT_FILENO);
	if (status == EXIT_DONE) {
		if (diff.dumps)
			emitter_init(&diff.emitter, options->format, EMIT_COLUMNS(dump_columns), &out, false);
		else
			emitter_init(&diff.emitter, options->format, EMIT_COLUMNS(sample_columns), &out, false);
		emit_head(&diff.emitter, NULL, "difference");
		compare(&diff, true);
		compare(&diff, false);
		if (diff.n)
			emit_sample(&diff.emitter, NULL);
		status = diff.n ? EXIT_FAILED : EXIT_DONE;
	}
	emitter_clear(&diff.emitter);
	status = output_end(&out, status);
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; i < diff.sides[k].n; i++)
			free((char *)diff.sides[k].items[i].texts[0]);
		free(diff.sides[k].items);
		free(diff.sides[k].sorted);
		curves_close(&diff.sides[k].curves);
	}
	return status;
}

static const struct option_def option_defs[] = {
	{"threshold", "PERCENT", take_percent, offsetof(struct diff_options, threshold),
	 .help = "of samples, tell differences of more than PERCENT of A (default 5; 0: all)"},
	DIFF_BUT(struct diff_options),
	OPTION_DATA(struct diff_options, "table (default), csv or jsonl: one record per difference", "write to FILE"),
};

static int diff_main(const struct globals *globals, int argc, char **argv)
{
	struct diff_options options = {.threshold = THRESHOLD_DEFAULT};
	const struct command_line line = {
		"diff", usage, notes, .options = option_defs, .own = &options, .shared = &options};
	int first, status;

	first = command_line_parse(&line, argc, argv, &status);
	if (first == 0)
		return status;
	return diff_run(line.command, globals, &options, argv + first, argc - first);
}

const struct command diff_command = {"diff", "what two outputs differ in: bandwidth, events, caches, registers",
				     diff_main};
