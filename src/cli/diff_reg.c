// SPDX-License-Identifier: GPL-2.0-or-later
/* The differences of two dumps of registers, field by field. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/diff.h"
#include "cli/reg.h"

enum { N_NAMES = 5, RECORDS_MAX = 1 << 21 };

static const char *const names[N_NAMES] = {"box", "register", "value", "field", "field_value"};

struct record { /* one field */
	const char *box, *reg, *value, *field, *field_value;
	bool idle; /* reserved and 0: a table leaves it out */
};

struct dump {
	bool is_table;
	struct record *records; /* in the order of the file; owned, with their texts, which begin with the box */
	size_t n;
	struct record *sorted; /* the same by their names; owned */
};

enum same { SAME_BOX, SAME_REG, SAME_FIELD };

/* clang-format off */
static const struct column columns[] = {
	{"box", "box", COLUMN_TEXT, false},
	{"register", "register", COLUMN_TEXT, false},
	{"field", "field", COLUMN_TEXT, false},
	{"a", "A", COLUMN_TEXT, false},
	{"b", "B", COLUMN_TEXT, false},
	{"difference", "difference", COLUMN_TEXT, false},
};
/* clang-format on */

struct diff {
	struct reg_target but[DIFF_BUT_MAX];
	unsigned n_but;
	struct dump dumps[2];
	struct emitter emitter;
	size_t n;
};

static int by_box(const void *left, const void *right)
{
	return strcmp(((const struct record *)left)->box, ((const struct record *)right)->box);
}

static int by_reg(const void *left, const void *right)
{
	int order = by_box(left, right);

	return order ? order : strcmp(((const struct record *)left)->reg, ((const struct record *)right)->reg);
}

static int by_field(const void *left, const void *right)
{
	const struct record *a = left, *b = right;
	int order = by_reg(left, right);

	return order ? order : strcmp(a->field, b->field);
}

/* A record of the same box, the same register, or the same field; NULL: there is none. */
static const struct record *find(const struct dump *dump, const struct record *record, enum same same)
{
	static int (*const by[])(const void *left, const void *right) = {by_box, by_reg, by_field};

	return bsearch(record, dump->sorted, dump->n, sizeof(*dump->sorted), by[same]);
}

static bool add(struct series *series, struct dump *dump)
{
	const char *access = series_value(series, "access"), *values[N_NAMES];
	struct record record;
	size_t len = 0, at = 0;
	uint64_t number;
	char *texts;

	for (unsigned i = 0; i < N_NAMES; i++) {
		values[i] = series_value(series, names[i]);
		if (!values[i] || !*values[i])
			return series_wrong(series, "a record of registers has a box, register, value, field and "
						    "field_value");
		len += strlen(values[i]) + 1;
	}
	if (dump->n == RECORDS_MAX)
		return series_wrong(series, "too long for a dump");
	texts = malloc(len);
	if (!texts)
		return series_wrong(series, "out of memory");
	for (unsigned i = 0; i < N_NAMES; i++) {
		len = strlen(values[i]) + 1;
		memcpy(texts + at, values[i], len);
		values[i] = texts + at;
		at += len;
	}
	record = (struct record){values[0], values[1], values[2], values[3], values[4], false};
	record.idle =
		access && strcmp(access, "reserved") == 0 && unc_text_u64(record.field_value, &number) && number == 0;
	if (unc_array_add(&dump->records, &dump->n, &record, sizeof(record)))
		return true;
	free(texts);
	return series_wrong(series, "out of memory");
}

static bool read_dump(struct series *series, struct dump *dump)
{
	while (series_next(series) && add(series, dump))
		;
	if (!series->failed && dump->n == 0)
		return series_wrong(series, "there is no record in it");
	dump->is_table = series->is_table;
	if (series->failed || dump->n == 0)
		return false;
	dump->sorted = malloc(dump->n * sizeof(*dump->sorted));
	if (!dump->sorted)
		return series_wrong(series, "out of memory");
	memcpy(dump->sorted, dump->records, dump->n * sizeof(*dump->sorted));
	qsort(dump->sorted, dump->n, sizeof(*dump->sorted), by_field);
	return true;
}

static bool left_out(const struct diff *diff, const struct record *record)
{
	char plain[64]; /* CTL[3] also matches CTL */

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(record->reg, "["), record->reg);
	for (unsigned i = 0; i < diff->n_but; i++) {
		const struct reg_target *but = &diff->but[i];

		if ((!but->box[0] || unc_text_match(but->box, record->box)) &&
		    (unc_text_match(but->reg, record->reg) || unc_text_match(but->reg, plain)) &&
		    reg_target_has_field(but, record->field))
			return true;
	}
	return false;
}

/* Emits what only one dump has; for the first dump also the differences of what both have. */
static void compare(struct diff *diff, bool is_a)
{
	const struct dump *dump = &diff->dumps[!is_a], *other = &diff->dumps[is_a];
	const struct record *told = NULL; /* a box or register is reported once; the records of one are adjacent */

	for (size_t i = 0; i < dump->n; i++) {
		const struct record *record = &dump->records[i], *found;
		enum same level = SAME_BOX; /* the first at which the other has none */
		const char *value = NULL;

		if (left_out(diff, record))
			continue;
		while ((found = find(other, record, level)) && level < SAME_FIELD)
			level++;
		if (found && (!is_a || strcmp(found->field_value, record->field_value) == 0))
			continue;
		if (!found && level == SAME_FIELD && record->idle && other->is_table)
			continue;
		if (level < SAME_FIELD && told && strcmp(told->box, record->box) == 0 &&
		    (level == SAME_BOX || strcmp(told->reg, record->reg) == 0))
			continue;
		told = record;
		if (level > SAME_BOX)
			value = level == SAME_REG ? record->value : record->field_value;
		emit_values(&diff->emitter, (struct value[]){
						    text_value(record->box),
						    text_value(level > SAME_BOX ? record->reg : NULL),
						    text_value(level > SAME_REG ? record->field : NULL),
						    text_value(is_a ? value : NULL),
						    text_value(found  ? found->field_value
							       : is_a ? NULL
								      : value),
						    text_value(found  ? "value"
							       : is_a ? "only in A"
								      : "only in B"),
					    });
		diff->n++;
	}
}

int diff_registers(struct series *series[2], const struct diff_options *options, struct output *out, size_t *n)
{
	struct diff diff = {.n_but = options->but->n};
	int status = EXIT_DONE;

	for (unsigned i = 0; i < options->but->n; i++)
		reg_target_parse(options->but->list[i], &diff.but[i]); /* it was parsed as an option, too */
	for (unsigned i = 0; i < 2 && status == EXIT_DONE; i++)
		status = read_dump(series[i], &diff.dumps[i]) ? EXIT_DONE : EXIT_USAGE;
	if (status == EXIT_DONE) {
		emitter_init(&diff.emitter, options->format, EMIT_COLUMNS(columns), out, false);
		emit_head(&diff.emitter, NULL, "difference");
		compare(&diff, true);
		compare(&diff, false);
		if (diff.n)
			emit_sample(&diff.emitter, NULL);
		*n += diff.n;
	}
	emitter_clear(&diff.emitter);
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; i < diff.dumps[k].n; i++)
			free((char *)diff.dumps[k].records[i].box);
		free(diff.dumps[k].records);
		free(diff.dumps[k].sorted);
	}
	return status;
}
