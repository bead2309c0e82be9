// SPDX-License-Identifier: GPL-2.0-or-later
/* A register as rows, one per field. */
#include <unistd.h>

#include "base/text.h"
#include "cli/channels.h"
#include "cli/reg.h"
#include "machine/machine.h"

/* clang-format off */
enum column_index {
	C_BOX, C_PCI, C_REGISTER, C_OFFSET, C_VALUE, C_FIELD, C_BITS, C_FIELD_VALUE, C_ACCESS,
	C_RESET, C_MEANING, N_COLUMNS,
};
static const struct column columns[N_COLUMNS] = {
	[C_BOX] = {"box", NULL, COLUMN_TEXT, false},
	[C_PCI] = {"pci", NULL, COLUMN_TEXT, false},
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false},
	[C_OFFSET] = {"offset", "offset", COLUMN_HEX, false},
	[C_VALUE] = {"value", "value", COLUMN_HEX, false},
	[C_FIELD] = {"field", "field", COLUMN_TEXT, false},
	[C_BITS] = {"bits", "bits", COLUMN_TEXT, false},
	[C_FIELD_VALUE] = {"field_value", "is", COLUMN_HEX, false},
	[C_ACCESS] = {"access", "access", COLUMN_TEXT, true},
	[C_RESET] = {"reset", "reset", COLUMN_HEX, true},
	[C_MEANING] = {"meaning", "meaning", COLUMN_TEXT, false},
};
/* clang-format on */

const char *reg_name(const struct unc_reg_info *reg, char buf[REG_NAME_MAX])
{
	snprintf(buf, REG_NAME_MAX, reg->count > 1 ? "%.32s[%u]" : "%.32s", reg->name, reg->index);
	return buf;
}

unsigned reg_place_values(const struct unc_box *box, size_t reg, char name[REG_NAME_MAX], struct value *values)
{
	struct unc_reg_info info;
	struct unc_box_info where;

	unc_box_info(box, &where);
	if (unc_box_reg_info(box, reg, &info) < 0)
		return 0;
	values[0] = text_value(where.name);
	values[1] = text_value(where.pci);
	values[2] = text_value(reg_name(&info, name));
	values[3] = hex_value(info.offset, 2);
	return info.bits / 4;
}

/* In the table the register is shown only beside its first field. */
static void reg_emit(struct unc_box *box, size_t reg, uint64_t value, const char *field_pattern,
		     struct emitter *emitter)
{
	char name[REG_NAME_MAX], bits[REG_BITS_MAX];
	struct unc_field_info field;
	bool first = true, shown;

	for (size_t i = 0; unc_box_field_info(box, reg, i, &field) == 0; i++) {
		struct row row = {0};
		unsigned digits = reg_place_values(box, reg, name, &row.values[C_BOX]);
		uint64_t field_value;

		if (!digits || unc_box_field_value(box, reg, i, value, &field_value) < 0 ||
		    (field_pattern && !unc_text_match(field_pattern, field.name)))
			continue;
		row.values[C_VALUE] = hex_value(value, digits);
		row.values[C_FIELD] = text_value(field.name);
		row.values[C_BITS] = text_value(reg_bits(field.hi, field.lo, bits));
		row.values[C_FIELD_VALUE] = hex_value(field_value, 1);
		row.values[C_ACCESS] = text_value(field.access);
		if (field.reset_known)
			row.values[C_RESET] = hex_value(field.reset, 1);
		row.values[C_MEANING] = text_value(field.desc);
		shown = field_pattern || strcmp(field.access, "reserved") != 0 || field_value != 0;
		reg_emit_row(emitter, &row, C_REGISTER, first, shown);
		first &= !shown;
	}
}

void reg_emit_row(struct emitter *emitter, struct row *row, size_t register_column, bool first, bool in_table)
{
	row->record = true;
	row->in_table = false;
	emit_row(emitter, row);
	for (size_t i = 0; !first && i < 3; i++)
		row->values[register_column + i] = no_value(NULL);
	row->record = false;
	row->in_table = in_table;
	emit_row(emitter, row);
}

const char *reg_bits(unsigned hi, unsigned lo, char buf[REG_BITS_MAX])
{
	snprintf(buf, REG_BITS_MAX, hi == lo ? "%u" : "%u:%u", hi, lo);
	return buf;
}

const char *reg_changed_text(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, char *buf, size_t size)
{
	struct unc_field_info field;
	uint64_t a, b;

	buf[0] = '\0';
	for (size_t i = 0; unc_box_field_info(box, reg, i, &field) == 0; i++)
		if (unc_box_field_value(box, reg, i, was, &a) == 0 && unc_box_field_value(box, reg, i, now, &b) == 0 &&
		    a != b)
			unc_text_join(buf, size, ";", "%s:0x%" PRIx64 "->0x%" PRIx64, field.name, a, b);
	return buf;
}

bool reg_differs(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, const char *field,
		 const char *access)
{
	struct unc_field_info info;
	uint64_t a, b;

	for (size_t i = 0; unc_box_field_info(box, reg, i, &info) == 0; i++)
		if ((!*field || unc_text_match(field, info.name)) && (!*access || strcmp(access, info.access) == 0) &&
		    unc_box_field_value(box, reg, i, was, &a) == 0 && unc_box_field_value(box, reg, i, now, &b) == 0 &&
		    a != b)
			return true;
	return false;
}

/* uncorectl reg dump: every register of a box, raw and field by field; reg get: some of them. */

static const char dump_usage[] =
	"usage: uncorectl reg dump [--format FORMAT] [-o FILE] [BOX]\n"
	"\n"
	"Every register of the boxes whose name matches BOX (* and ?, e.g. socket0.imc0.ch*; without it of\n"
	"all), as read, and each of its fields. Reads only. Counters that run are read without stopping them.\n"
	"Boxes of CPUs (cpu17.rdt, cache monitoring) only where BOX begins with cpu: 'cpu*'.\n";
static const char dump_notes[] = "Exit status 0; 1 when reading failed, 3 when no box matches or is there, 4 when one\n"
				 "is not permitted.\n";

static const char get_usage[] =
	"usage: uncorectl reg get [--format FORMAT] [-o FILE] BOX.REG[.FIELD]...\n"
	"\n"
	"Reads registers and prints them as `reg dump` does, or the fields that are named. BOX names have\n"
	"dots in them (socket0.imc0.ch2): REG is the first part with a capital letter, FIELD comes\n"
	"after it. In all three * is any text and ? is one character:\n"
	"\n"
	"  socket0.imc0.ch0.CTL[3]   'socket*.imc0.ch?.CTL[*].en'   '*.BOX_CTL'\n"
	"\n"
	"CTL without an index is every element of it.\n";
static const char get_notes[] =
	"Exit status 0; 1 when reading failed, 2 when there is no such register or field, 3 when no box\n"
	"matches or is there, 4 when one is not permitted.\n";

static bool end_box(const struct unc_box *box, struct emitter *emitter)
{
	struct unc_box_info info;
	char caption[120];

	unc_box_info(box, &info);
	snprintf(caption, sizeof(caption), "%s  %s", info.name, info.pci);
	return emit_sample(emitter, caption);
}

/* What a dump does not contain. */
struct gaps {
	struct absent absent;
	char lacking[400];  /* registers that not every CPU of the map has, and this one lacks: "L3_MASK, MBA_DELAY" */
	bool beyond;        /* registers beyond those that can be reached, which was said */
	char missing[1024]; /* why the last box was absent: printed once for hundreds of CPUs without a driver */
};

static bool is_there(struct unc_box *box, struct gaps *gaps)
{
	struct unc_box_info info;

	unc_box_info(box, &info);
	if (info.presence != UNC_MISSING && info.presence != UNC_ABSENT)
		return true;
	if (!absent_add(&gaps->absent, &info) && strcmp(gaps->missing, info.why) != 0) {
		say("note: %s", info.why);
		snprintf(gaps->missing, sizeof(gaps->missing), "%s", info.why);
	}
	return false;
}

/* *n_dumped grows if the box is present. */
static int dump_box(struct opened *opened, struct unc_box *box, struct emitter *emitter, struct gaps *gaps,
		    size_t *n_dumped)
{
	struct unc_reg_info info;
	uint64_t value;

	for (size_t i = 0; i < unc_box_reg_count(box); i++) {
		int rc = unc_box_reg_read(box, i, &value);

		/* Only the first access shows whether a box of MSRs is missing. */
		if (i == 0 && rc == UNC_ENODEV && !is_there(box, gaps))
			return EXIT_DONE;
		/* A kernel without MMCONFIG reaches 256 bytes of a function, and such boxes begin behind them. */
		if (i == 0 && rc == UNC_ERANGE) {
			if (!gaps->beyond)
				say("note: %s; such boxes are left out", unc_errmsg(opened->ctx));
			gaps->beyond = true;
			return EXIT_DONE;
		}
		/* A register that a part may lack: without it the dump has not failed. */
		if (rc == UNC_EIO && unc_box_reg_info(box, i, &info) == 0 && info.optional) {
			if (!info.indirect)
				unc_text_enlist(gaps->lacking, sizeof(gaps->lacking), info.name, strlen(info.name));
			continue;
		}
		if (rc < 0)
			return fail_with(opened->ctx, rc);
		reg_emit(box, i, value, NULL, emitter);
	}
	++*n_dumped;
	return end_box(box, emitter) ? EXIT_DONE : EXIT_FAILED;
}

static int dump_boxes(struct opened *opened, const struct reg_options *options, const void *arg,
		      struct emitter *emitter)
{
	const char *pattern = options->n_args ? options->args[0] : NULL;
	const struct unc_map *map = opened->machine->map;
	size_t n_dumped = 0, n_failed = 0;
	struct gaps gaps = {.lacking = ""};
	struct reg_boxes boxes;
	int status;

	char near[UNC_NEAREST_TEXT];

	(void)arg;
	status = reg_boxes_find(opened, pattern, &boxes);
	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0; i < boxes.n && status == EXIT_DONE; i++) {
		uint64_t none;

		if (boxes.items[i]->unit->n_regs == 0)
			continue; /* it is counted by another box */
		if (is_there(boxes.items[i], &gaps))
			status = dump_box(opened, boxes.items[i], emitter, &gaps, &n_dumped);
		else
			n_failed += unc_box_reg_read(boxes.items[i], 0, &none) == UNC_EIO; /* not found: not read */
	}
	if (n_dumped == 0)
		absent_say(&gaps.absent);
	if (*gaps.lacking)
		say("note: this processor has no %s, or not all of them: they are left out", gaps.lacking);
	if (status == EXIT_DONE && boxes.n == 0 && !pattern) {
		status = need_counters(opened);
		for (size_t i = 0; status != EXIT_DONE && i < map->n_units; i++) {
			if (map->units[i].per != UNC_PER_CPU)
				continue;
			/* They can be dumped without channels. */
			say("reg dump: boxes of CPUs there are: `uncorectl reg dump cpu0.%s`, or 'cpu*' for those of "
			    "all",
			    map->units[i].name);
		}
	}
	if (status == EXIT_DONE && boxes.n == 0)
		say("reg dump: no box is called \"%s\"%s; %s", pattern ? pattern : "*",
		    boxes_nearest(opened->machine, pattern ? pattern : "*", near),
		    reg_boxes_none(pattern ? pattern : "*"));
	else if (status == EXIT_DONE && n_dumped == 0)
		say("reg dump: none of these boxes answers");
	free(boxes.items);
	if (status == EXIT_DONE && n_dumped == 0)
		return n_failed ? EXIT_FAILED : EXIT_NOT_HERE;
	return status;
}

static int get_places(struct opened *opened, const struct reg_options *options, const void *arg,
		      struct emitter *emitter)
{
	const struct reg_target *targets = arg;
	struct reg_places places = {0};
	int status = EXIT_DONE;

	for (int i = 0; i < options->n_args && status == EXIT_DONE; i++)
		status = reg_places_add(opened, "reg get", &targets[i], &places);
	for (size_t i = 0; i < places.n && status == EXIT_DONE; i++) {
		const struct reg_place *place = &places.items[i];
		const char *field = place->target->field;
		uint64_t value;
		int rc = unc_box_reg_read(place->box, place->reg, &value);

		if (rc < 0) {
			status = fail_with(opened->ctx, rc);
			break;
		}
		reg_emit(place->box, place->reg, value, *field ? field : NULL, emitter);
		if ((i + 1 == places.n || places.items[i + 1].box != place->box) && !end_box(place->box, emitter))
			status = EXIT_FAILED;
	}
	free(places.items);
	return status;
}

int reg_read_run(const struct globals *globals, const struct reg_options *options, const struct column *cells,
		 size_t n_cells, reg_show_fn *print, const void *arg)
{
	struct emitter emitter = {0};
	struct opened opened = {0};
	struct output out;
	int status = output_open(&out, globals, options->path, STDOUT_FILENO);

	if (status == EXIT_DONE)
		status = open_machine(globals, false, -1, NULL, &opened);
	if (status == EXIT_DONE) {
		emitter_init(&emitter, options->format, cells, n_cells, &out, false);
		emit_head(&emitter, &opened, "register");
		status = print(&opened, options, arg, &emitter);
	}
	return close_all(&emitter, &opened, &out, status);
}

static int dump_run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	if (options->n_args > 1)
		return usage_error("%s: %s: it takes no second argument", self->line.command, options->args[1]);
	return reg_read_run(globals, options, columns, N_COLUMNS, dump_boxes, NULL);
}

static int get_run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct reg_target *targets;
	int status = reg_targets_parse(self->line.command, options->args, options->n_args, &targets);

	if (status != EXIT_DONE)
		return status;
	status = reg_read_run(globals, options, columns, N_COLUMNS, get_places, targets);
	free(targets);
	return status;
}

static const struct option_def read_option_defs[] = {
	REG_OBSERVE,
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl: one record per field", "write to FILE"),
};

const struct reg_command reg_dump = {{"reg dump", dump_usage, dump_notes, .options = read_option_defs},
				     .run = dump_run};
const struct reg_command reg_get = {{"reg get", get_usage, get_notes, .options = read_option_defs}, .run = get_run};

/* uncorectl reg diff: the differences of two dumps. */

static const char diff_usage[] =
	"usage: uncorectl reg diff [OPTION]... A B\n"
	"\n"
	"What differs in two dumps that `reg dump` or `reg get` made, in any format, or in records of them, field\n"
	"by field; - is standard input. Touches no machine.\n";
static const char diff_notes[] =
	"Exit status 0 when nothing differs, 1 when something does, 2 when a file is no such dump.\n";

static int diff_reg_run(const struct reg_command *self, const struct globals *globals,
			const struct reg_options *options)
{
	const struct diff_options diff = {.format = options->format, .path = options->path, .but = options->but};

	return diff_run(self->line.command, globals, &diff, options->args, options->n_args);
}

static const struct option_def diff_option_defs[] = {
	DIFF_BUT(struct reg_options),
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl: one record per field, register or box",
		    "write to FILE"),
};

const struct reg_command reg_diff = {{"reg diff", diff_usage, diff_notes, .options = diff_option_defs},
				     .run = diff_reg_run};
