// SPDX-License-Identifier: GPL-2.0-or-later
/* A register as rows, one per field. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/reg.h"

enum column_index {
	C_BOX,
	C_PCI,
	C_REGISTER,
	C_OFFSET,
	C_VALUE,
	C_FIELD,
	C_BITS,
	C_FIELD_VALUE,
	C_ACCESS,
	C_RESET,
	C_MEANING,
	N_COLUMNS
};

/* clang-format off */
const struct column reg_columns[N_COLUMNS] = {
	[C_BOX] = {"box", NULL, COLUMN_TEXT, false},
	[C_PCI] = {"pci", NULL, COLUMN_TEXT, false},
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false},
	[C_OFFSET] = {"offset", "offset", COLUMN_TEXT, false},
	[C_VALUE] = {"value", "value", COLUMN_TEXT, false},
	[C_FIELD] = {"field", "field", COLUMN_TEXT, false},
	[C_BITS] = {"bits", "bits", COLUMN_TEXT, false},
	[C_FIELD_VALUE] = {"field_value", "is", COLUMN_TEXT, false},
	[C_ACCESS] = {"access", "access", COLUMN_TEXT, true},
	[C_RESET] = {"reset", "reset", COLUMN_TEXT, true},
	[C_MEANING] = {"meaning", "meaning", COLUMN_TEXT, false},
};
/* clang-format on */
const size_t reg_n_columns = N_COLUMNS;

struct texts { /* the texts of one row */
	char reg[REG_NAME_MAX], offset[16], value[24], bits[16], field_value[24], reset[24];
};

const char *reg_name(const struct unc_reg_info *reg, char buf[REG_NAME_MAX])
{
	snprintf(buf, REG_NAME_MAX, reg->count > 1 ? "%.32s[%u]" : "%.32s", reg->name, reg->index);
	return buf;
}

static void register_texts(const struct unc_reg_info *reg, uint64_t value, struct texts *texts)
{
	reg_name(reg, texts->reg);
	snprintf(texts->offset, sizeof(texts->offset), "0x%02" PRIx32, reg->offset);
	snprintf(texts->value, sizeof(texts->value), "0x%0*" PRIx64, (int)reg->bits / 4, value);
}

static void field_texts(const struct unc_field_info *field, uint64_t value, struct texts *texts)
{
	snprintf(texts->bits, sizeof(texts->bits), field->hi == field->lo ? "%u" : "%u:%u", field->hi, field->lo);
	snprintf(texts->field_value, sizeof(texts->field_value), "0x%" PRIx64, value);
	texts->reset[0] = '\0';
	if (field->reset_known)
		snprintf(texts->reset, sizeof(texts->reset), "0x%" PRIx64, field->reset);
}

static void fill(struct row *row, const struct unc_box_info *box, const struct unc_field_info *field,
		 const struct texts *texts)
{
	row->values[C_BOX] = text_value(box->name);
	row->values[C_PCI] = text_value(box->pci);
	row->values[C_REGISTER] = text_value(texts->reg);
	row->values[C_OFFSET] = text_value(texts->offset);
	row->values[C_VALUE] = text_value(texts->value);
	row->values[C_FIELD] = text_value(field->name);
	row->values[C_BITS] = text_value(texts->bits);
	row->values[C_FIELD_VALUE] = text_value(texts->field_value);
	row->values[C_ACCESS] = text_value(field->access);
	row->values[C_RESET] = text_value(texts->reset);
	row->values[C_MEANING] = text_value(field->desc);
}

/* In the table the register is shown only beside its first field. */
void reg_emit(struct unc_box *box, size_t reg, uint64_t value, const char *field_pattern, struct emitter *emitter)
{
	struct unc_reg_info info;
	struct unc_box_info where;
	struct texts texts;
	bool first = true;

	unc_box_info(box, &where);
	if (unc_box_reg_info(box, reg, &info) < 0)
		return;
	register_texts(&info, value, &texts);
	for (size_t i = 0; i < info.n_fields; i++) {
		struct row row = {.record = true};
		struct unc_field_info field;
		uint64_t field_value;

		if (unc_box_field_info(box, reg, i, &field) < 0 ||
		    unc_box_field_value(box, reg, i, value, &field_value) < 0 ||
		    (field_pattern && !unc_text_match(field_pattern, field.name)))
			continue;
		field_texts(&field, field_value, &texts);
		fill(&row, &where, &field, &texts);
		emit_row(emitter, &row);
		if (!field_pattern && strcmp(field.access, "reserved") == 0 && field_value == 0)
			continue;
		if (!first)
			row.values[C_REGISTER] = row.values[C_OFFSET] = row.values[C_VALUE] = text_value(NULL);
		row.record = false;
		row.in_table = true;
		emit_row(emitter, &row);
		first = false;
	}
}

const char *reg_changed_text(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, char *buf, size_t size)
{
	struct unc_field_info field;
	uint64_t a, b;
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; unc_box_field_info(box, reg, i, &field) == 0; i++) {
		if (unc_box_field_value(box, reg, i, was, &a) < 0 || unc_box_field_value(box, reg, i, now, &b) < 0 ||
		    a == b || len >= size)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s:0x%" PRIx64 "->0x%" PRIx64, len ? ";" : "",
					field.name, a, b);
	}
	return buf;
}

int reg_output_open(const struct globals *globals, const struct reg_options *options, int fd, struct output *out)
{
	if (!options->path && fd == STDOUT_FILENO && globals->stdout_closed) {
		say("standard output: closed; use -o FILE");
		return EXIT_FAILED;
	}
	if (!output_open(out, options->path, fd, fd == STDOUT_FILENO ? "standard output" : "standard error"))
		return EXIT_FAILED;
	return EXIT_DONE;
}
