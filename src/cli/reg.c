// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg dump: every register of a box, raw and field by field. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/report.h"

static const char help[] =
	"usage: uncorectl reg dump [--format FORMAT] [-o FILE] [BOX]\n"
	"\n"
	"Every register of the boxes whose name matches BOX (* and ?, e.g. socket0.imc0.ch*; without it of\n"
	"all), as read, and each of its fields. Reads only. Counters that run are read without stopping them.\n"
	"\n"
	"  --format FORMAT  table (default), csv or jsonl: one record per field\n"
	"  -o FILE          write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when reading failed, 3 when no box matches or is there, 4 when one\n"
	"is not permitted.\n";

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
static const struct column columns[N_COLUMNS] = {
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

struct texts { /* of one row */
	char reg[40], offset[16], value[24], bits[16], field_value[24], reset[24];
};

static void register_texts(const struct unc_reg_info *reg, uint64_t value, struct texts *texts)
{
	if (reg->count > 1)
		snprintf(texts->reg, sizeof(texts->reg), "%s[%u]", reg->name, reg->index);
	else
		snprintf(texts->reg, sizeof(texts->reg), "%s", reg->name);
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

/* A record per field; in the table the register stands beside its first field only, and reserved zeros are left out. */
static void emit_register(struct unc_box *box, const struct unc_box_info *info, size_t index,
			  const struct unc_reg_info *reg, uint64_t value, struct emitter *emitter)
{
	struct texts texts;
	bool first = true;

	register_texts(reg, value, &texts);
	for (size_t i = 0; i < reg->n_fields; i++) {
		struct row row = {.record = true};
		struct unc_field_info field;
		uint64_t field_value;
		bool quiet;

		if (unc_box_field_info(box, index, i, &field) < 0 ||
		    unc_box_field_value(box, index, i, value, &field_value) < 0)
			continue;
		field_texts(&field, field_value, &texts);
		quiet = strcmp(field.access, "reserved") == 0 && field_value == 0;
		row.values[C_BOX] = text_value(info->name);
		row.values[C_PCI] = text_value(info->pci);
		row.values[C_REGISTER] = text_value(texts.reg);
		row.values[C_OFFSET] = text_value(texts.offset);
		row.values[C_VALUE] = text_value(texts.value);
		row.values[C_FIELD] = text_value(field.name);
		row.values[C_BITS] = text_value(texts.bits);
		row.values[C_FIELD_VALUE] = text_value(texts.field_value);
		row.values[C_ACCESS] = text_value(field.access);
		row.values[C_RESET] = text_value(texts.reset);
		row.values[C_MEANING] = text_value(field.desc);
		emit_row(emitter, &row);
		if (quiet)
			continue;
		if (!first)
			row.values[C_REGISTER] = row.values[C_OFFSET] = row.values[C_VALUE] = text_value(NULL);
		row.record = false;
		row.in_table = true;
		emit_row(emitter, &row);
		first = false;
	}
}

static int dump_box(struct opened *opened, struct unc_box *box, struct emitter *emitter)
{
	struct unc_box_info info;
	char caption[120];
	size_t n = unc_box_reg_count(box);

	unc_box_info(box, &info);
	for (size_t i = 0; i < n; i++) {
		struct unc_reg_info reg;
		uint64_t value = 0;
		int rc;

		rc = unc_box_reg_info(box, i, &reg);
		if (rc == 0)
			rc = unc_box_reg_read(box, i, &value);
		if (rc < 0)
			return fail_with(opened->ctx, rc);
		emit_register(box, &info, i, &reg, value, emitter);
	}
	snprintf(caption, sizeof(caption), "%s  %s", info.name, info.pci);
	return emit_sample(emitter, caption) ? EXIT_DONE : EXIT_FAILED;
}

static int print_registers(struct opened *opened, const struct report *report, struct output *out)
{
	struct emitter *emitter = emitter_new(report->format, columns, N_COLUMNS, out, false);
	size_t n = unc_box_count(opened->machine, "imc"), n_matching = 0, n_dumped = 0, n_failed = 0;
	int status = EXIT_DONE;

	if (!emitter)
		return EXIT_FAILED;
	for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
		struct unc_box *box = unc_box_at(opened->machine, "imc", i);
		struct unc_box_info info;
		uint64_t none;

		unc_box_info(box, &info);
		if (report->argument && !unc_text_match(report->argument, info.name))
			continue;
		n_matching++;
		if (info.presence == UNC_MISSING || info.presence == UNC_ABSENT) {
			n_failed += unc_box_reg_read(box, 0, &none) == UNC_EIO; /* it is not read: it was not found */
			say("note: %s", info.why);
			continue;
		}
		status = dump_box(opened, box, emitter);
		n_dumped += status == EXIT_DONE;
	}
	emitter_free(emitter);
	if (status == EXIT_DONE && n_matching == 0)
		say("reg dump: no box is called \"%s\"; `uncorectl list` shows their names",
		    report->argument ? report->argument : "*");
	else if (status == EXIT_DONE && n_dumped == 0)
		say("reg dump: none of these boxes answers");
	if (status == EXIT_DONE && n_dumped == 0)
		return n_failed ? EXIT_FAILED : EXIT_NOT_HERE;
	return status;
}

static int reg_run(const struct globals *globals, int argc, char **argv)
{
	struct report report = {.name = "reg dump", .help = help, .takes_argument = true, .print = print_registers};

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return show_text(help);
	if (argc < 2 || strcmp(argv[1], "dump") != 0)
		return usage_error("reg: %s: there is `reg dump [BOX]`", argc < 2 ? "what?" : argv[1]);
	return report_run(&report, globals, argc - 1, argv + 1);
}

const struct command reg_command = {
	.name = "reg",
	.summary = "every register of a box, decoded",
	.run = reg_run,
};
