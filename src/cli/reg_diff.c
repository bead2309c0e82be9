// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg diff: the differences of two dumps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/confine.h"
#include "cli/reg.h"
#include "cli/reg_file.h"
#include "cli/reg_target.h"

static const char help[] =
	"usage: uncorectl reg diff [OPTION]... A B\n"
	"\n"
	"What differs in two dumps that `reg dump` or `reg get` made with --format csv or jsonl, field by\n"
	"field; - is standard input. Touches no machine.\n"
	"\n"
	"  --but PATTERN    leave out such registers: REG, REG.FIELD or BOX.REG[.FIELD] with * and ?, e.g.\n"
	"                   '*CTR*', which count and so always differ; may be given several times\n"
	"  --format FORMAT  table (default), csv or jsonl: one record per field, register or box\n"
	"  -o FILE          write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0 when nothing differs, 1 when something does, 2 when a file is no such dump.\n";

enum { C_BOX, C_REGISTER, C_FIELD, C_A, C_B, C_DIFFERENCE, N_COLUMNS };

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_BOX] = {"box", "box", COLUMN_TEXT, false},
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false},
	[C_FIELD] = {"field", "field", COLUMN_TEXT, false},
	[C_A] = {"a", "A", COLUMN_TEXT, false},
	[C_B] = {"b", "B", COLUMN_TEXT, false},
	[C_DIFFERENCE] = {"difference", "difference", COLUMN_TEXT, false},
};
/* clang-format on */

struct index {                            /* the records of a dump, sorted by name */
	const struct reg_record **sorted; /* owned */
	size_t n;
};

struct diff {
	const struct reg_options *options;
	struct reg_target but[REG_BUT_MAX];
	struct reg_file a, b;
	struct index index_a, index_b;
	struct emitter *emitter;
	size_t n;
};

static int by_name(const void *left, const void *right)
{
	const struct reg_record *a = *(const struct reg_record *const *)left;
	const struct reg_record *b = *(const struct reg_record *const *)right;
	int order = strcmp(a->box, b->box);

	if (order == 0)
		order = strcmp(a->reg, b->reg);
	return order ? order : strcmp(a->field, b->field);
}

static bool make_index(const struct reg_file *file, struct index *ret_index)
{
	struct index index = {calloc(file->n, sizeof(struct reg_record *)), file->n};

	if (!index.sorted) {
		say("out of memory");
		return false;
	}
	for (size_t i = 0; i < file->n; i++)
		index.sorted[i] = &file->records[i];
	qsort(index.sorted, index.n, sizeof(*index.sorted), by_name);
	*ret_index = index;
	return true;
}

/* The first record that is not before that box, register and field. */
static const struct reg_record *at_or_after(const struct index *index, const struct reg_record *key)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_name(&index->sorted[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < index->n ? index->sorted[low] : NULL;
}

static bool has_box(const struct index *index, const char *box)
{
	struct reg_record key = {.box = box, .reg = "", .field = ""};
	const struct reg_record *found = at_or_after(index, &key);

	return found && strcmp(found->box, box) == 0;
}

static bool has_reg(const struct index *index, const struct reg_record *record)
{
	struct reg_record key = {.box = record->box, .reg = record->reg, .field = ""};
	const struct reg_record *found = at_or_after(index, &key);

	return found && strcmp(found->box, record->box) == 0 && strcmp(found->reg, record->reg) == 0;
}

static const struct reg_record *same_field(const struct index *index, const struct reg_record *record)
{
	const struct reg_record *found = at_or_after(index, record);

	return found && by_name(&found, &record) == 0 ? found : NULL;
}

/* CTL[3] also matches CTL. */
static bool reg_matches(const char *pattern, const char *reg)
{
	char plain[64];

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(reg, "["), reg);
	return unc_text_match(pattern, reg) || unc_text_match(pattern, plain);
}

static bool left_out(const struct diff *diff, const struct reg_record *record)
{
	for (unsigned i = 0; i < diff->options->n_but; i++) {
		const struct reg_target *but = &diff->but[i];

		if ((!but->box[0] || unc_text_match(but->box, record->box)) && reg_matches(but->reg, record->reg) &&
		    reg_target_has_field(but, record->field))
			return true;
	}
	return false;
}

static void emit(struct diff *diff, const struct reg_record *named, const char *reg, const char *field, const char *a,
		 const char *b, const char *difference)
{
	struct row row = {.record = true, .in_table = true};

	row.values[C_BOX] = text_value(named->box);
	row.values[C_REGISTER] = text_value(reg);
	row.values[C_FIELD] = text_value(field);
	row.values[C_A] = text_value(a);
	row.values[C_B] = text_value(b);
	row.values[C_DIFFERENCE] = text_value(difference);
	emit_row(diff->emitter, &row);
	diff->n++;
}

/* Emits what only one dump has; for the first dump also the differences of what both have. */
static void compare(struct diff *diff, const struct reg_file *file, const struct index *other, bool is_a)
{
	const char *told_box = "", *told_reg = ""; /* each is reported once; the records of one are adjacent */

	for (size_t i = 0; i < file->n; i++) {
		const struct reg_record *record = &file->records[i], *found;
		const char *only = is_a ? "only in A" : "only in B";

		if (left_out(diff, record))
			continue;
		if (!has_box(other, record->box)) {
			if (strcmp(told_box, record->box) != 0)
				emit(diff, record, NULL, NULL, NULL, NULL, only);
			told_box = record->box;
			continue;
		}
		if (!has_reg(other, record)) {
			if (strcmp(told_box, record->box) != 0 || strcmp(told_reg, record->reg) != 0)
				emit(diff, record, record->reg, NULL, is_a ? record->value : NULL,
				     is_a ? NULL : record->value, only);
			told_box = record->box;
			told_reg = record->reg;
			continue;
		}
		found = same_field(other, record);
		if (!found)
			emit(diff, record, record->reg, record->field, is_a ? record->field_value : NULL,
			     is_a ? NULL : record->field_value, only);
		else if (is_a && strcmp(found->field_value, record->field_value) != 0)
			emit(diff, record, record->reg, record->field, record->field_value, found->field_value,
			     "value");
	}
}

static int print(struct diff *diff, const struct globals *globals)
{
	struct output out;
	int status = reg_output_open(globals, diff->options, STDOUT_FILENO, &out);

	if (status != EXIT_DONE)
		return status;
	diff->emitter = emitter_new(diff->options->format, columns, N_COLUMNS, &out, false);
	if (diff->emitter && make_index(&diff->a, &diff->index_a) && make_index(&diff->b, &diff->index_b)) {
		compare(diff, &diff->a, &diff->index_b, true);
		compare(diff, &diff->b, &diff->index_a, false);
		if (diff->n)
			emit_sample(diff->emitter, NULL);
		status = diff->n ? EXIT_FAILED : EXIT_DONE;
	} else {
		status = EXIT_FAILED;
	}
	emitter_free(diff->emitter);
	free(diff->index_a.sorted);
	free(diff->index_b.sorted);
	if (!output_close(&out))
		status = EXIT_FAILED;
	return status;
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct diff diff = {.options = options};
	int status = EXIT_USAGE;

	if (options->n_args != 2)
		return usage_error("%s: two dumps are compared: reg diff A B", self->name);
	if (strcmp(options->args[0], "-") == 0 && strcmp(options->args[1], "-") == 0)
		return usage_error("%s: only one of them can be standard input", self->name);
	for (unsigned i = 0; i < options->n_but; i++)
		if (!reg_target_parse(options->but[i], &diff.but[i]))
			return usage_error("%s: --but %s: names no register, which is in capitals", self->name,
					   options->but[i]);
	confine(globals, CONFINE_FILES, 0); /* -o makes a file */
	if (reg_file_read(options->args[0], &diff.a) && reg_file_read(options->args[1], &diff.b))
		status = print(&diff, globals);
	reg_file_clear(&diff.a);
	reg_file_clear(&diff.b);
	return status;
}

const struct reg_command reg_diff = {.name = "reg diff", .help = help, .takes = REG_DIFFS, .run = run};
