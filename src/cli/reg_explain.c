// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg explain: the meaning of registers and their values, from the maps alone. */
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/confine.h"
#include "cli/reg.h"
#include "machine/machine.h"
#include "map/field.h"
#include "map/shape.h"

static const char usage[] =
	"usage: uncorectl reg explain [OPTION]... NAME|NAME=VALUE|NAME VALUE|VALUE...\n"
	"\n"
	"What a register means (REG or REG.FIELD, with * and ?), and with a VALUE what that says in it:\n"
	"each field, the event that it selects, reserved bits that are not as they should be. A VALUE\n"
	"alone is decoded as that register of each map, a counter or read-only one left out, in which the\n"
	"fewest reserved bits would be wrong. No register is read: where a machine is named before the\n"
	"command, its CPUID says which maps fit, else all maps answer, those together that say the same.\n";
static const char notes[] = "Exit status 0; 2 when no map has such a register, or VALUE is wider.\n";

/* clang-format off */
enum column_index {
	C_MAPS, C_REGISTER, C_OFFSET, C_VALUE, C_FIELD, C_BITS, C_FIELD_VALUE, C_ACCESS, C_RESET,
	C_NOTE, C_MEANING, C_SOURCE, C_VERIFY, N_COLUMNS,
};
static const struct column columns[N_COLUMNS] = {
	[C_MAPS] = {"maps", NULL, COLUMN_TEXT, false},
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false},
	[C_OFFSET] = {"offset", "offset", COLUMN_TEXT, false},
	[C_VALUE] = {"value", "value", COLUMN_HEX, false},
	[C_FIELD] = {"field", "field", COLUMN_TEXT, false},
	[C_BITS] = {"bits", "bits", COLUMN_TEXT, false},
	[C_FIELD_VALUE] = {"field_value", "is", COLUMN_HEX, false},
	[C_ACCESS] = {"access", "access", COLUMN_TEXT, false},
	[C_RESET] = {"reset", "reset", COLUMN_HEX, false},
	[C_NOTE] = {"note", "note", COLUMN_TEXT, false},
	[C_MEANING] = {"meaning", "meaning", COLUMN_TEXT, false},
	[C_SOURCE] = {"source", "source", COLUMN_TEXT, true},
	[C_VERIFY] = {"verify", "to verify", COLUMN_TEXT, true},
};
/* clang-format on */

struct question {
	struct reg_target target; /* text NULL: only a value */
	char name[160];
	bool has_value;
	uint64_t value;
};

struct answer { /* a register of a map that matches a question */
	const struct unc_unit *unit;
	const struct unc_reg *reg;
	int index;       /* element of an array; -1: the whole array */
	char event[256]; /* the event that the value selects; or "" */
	bool told;
};

struct explain {
	const struct reg_options *options;
	struct unc_ctx *ctx;
	struct unc_map *map;
	struct emitter emitter;
	struct answer *answers; /* owned; room for every register of every map */
	size_t n;
};

/* ---- questions ---- */

/* A number belongs to the name before it, unless that has a value already. */
static int parse_questions(const char *command, const struct reg_options *options, struct question *questions,
			   size_t *ret_n)
{
	size_t n = 0;

	for (int i = 0; i < options->n_args; i++) {
		struct question *last = n ? &questions[n - 1] : NULL, *next = &questions[n];
		const char *text = options->args[i];
		size_t len = strcspn(text, "=");
		uint64_t value;

		if (unc_text_u64(text, &value)) {
			n += !last || last->has_value;
			last = &questions[n - 1];
			last->has_value = true;
			last->value = value;
			continue;
		}
		n++;
		if (len >= sizeof(next->name))
			return usage_error("%s: %s: too long for a name", command, text);
		memcpy(next->name, text, len);
		if (!reg_target_parse(next->name, &next->target))
			return usage_error("%s: %s: neither a register, which is in capitals, nor a value", command,
					   text);
		next->has_value = text[len] == '=';
		if (next->has_value && !unc_text_u64(text + len + 1, &next->value))
			return usage_error("%s: %s: the value is not a number, decimal or 0x-hex", command, text);
	}
	*ret_n = n;
	return EXIT_DONE;
}

/* ---- which registers ---- */

/* Could it be a value of that register?  A counter may hold any. */
static bool could_be(const struct unc_reg *reg, uint64_t value)
{
	return !unc_reg_field(reg, "event_count") && value <= unc_reg_all(reg) && unc_reg_writable(reg);
}

static bool selects(const struct unc_event *event, const struct unc_reg *reg, uint64_t value)
{
	for (size_t i = 0; i < event->n_select; i++) {
		const char *field = event->select[i].field;

		if (!unc_reg_field(reg, field) || unc_value_get(reg, field, value) != event->select[i].value)
			return false;
	}
	return event->n_select > 0;
}

static void find_event(const struct question *question, struct answer *answer)
{
	size_t size = sizeof(answer->event);

	answer->event[0] = '\0';
	if (!question->has_value)
		return;
	for (size_t i = 0; i < answer->unit->n_events; i++)
		if (selects(&answer->unit->events[i], answer->reg, question->value))
			unc_text_join(answer->event, size, ", ", "%s%s", *answer->event ? "" : "selects ",
				      answer->unit->events[i].name);
	if (!*answer->event && unc_reg_field(answer->reg, "ev_sel"))
		snprintf(answer->event, size, "selects no event of this map");
}

struct missing { /* for the message if there is no answer */
	bool map, reg, wide;
	char regs[600];
};

static bool is_asked(const struct unc_unit *unit, const struct question *question, const struct unc_reg *reg,
		     struct missing *missing, int *ret_index)
{
	bool field = false, wide = question->has_value && question->value > unc_reg_all(reg);
	struct unc_reg_info info = {.name = reg->name, .count = reg->count};
	unsigned n = 0;

	*ret_index = -1;
	if (!question->target.text) {
		/* A value belongs to the registers of a map in which the fewest reserved bits would be wrong. */
		for (size_t i = 0; i < unit->n_regs; i++)
			if (could_be(&unit->regs[i], question->value) &&
			    unc_reg_wrong_bits(&unit->regs[i], question->value) <
				    unc_reg_wrong_bits(reg, question->value))
				return false;
		return could_be(reg, question->value);
	}
	unc_text_enlist(missing->regs, sizeof(missing->regs), reg->name, strlen(reg->name));
	for (; info.index < reg->count; info.index++) {
		if (!reg_target_has_reg(&question->target, &info))
			continue;
		*ret_index = (int)info.index;
		n++;
	}
	if (n == 0)
		return false;
	if (n > 1 || unc_text_match(question->target.reg, reg->name))
		*ret_index = -1;
	missing->reg = true;
	for (size_t i = 0; i < reg->n_fields && !field; i++)
		field = reg_target_has_field(&question->target, reg->fields[i].name);
	missing->wide |= field && wide;
	return field && !wide;
}

static int find_answers(struct explain *x, const struct question *question)
{
	const char *name = question->target.text;
	struct missing missing = {0};
	struct unc_nearest maps = {.asked = x->options->map ? x->options->map : ""};
	char near[UNC_NEAREST_TEXT];

	x->n = 0;
	for (size_t u = 0; u < x->map->n_units; u++) {
		const struct unc_unit *unit = &x->map->units[u];

		if (x->options->map)
			unc_nearest_offer(&maps, unit->map);
		if (x->options->map && !unc_text_match(x->options->map, unit->map))
			continue;
		missing.map = true;
		for (size_t i = 0; i < unit->n_regs; i++) {
			struct answer *answer = &x->answers[x->n];
			int index;

			if (!is_asked(unit, question, &unit->regs[i], &missing, &index))
				continue;
			*answer = (struct answer){.unit = unit, .reg = &unit->regs[i], .index = index};
			find_event(question, answer);
			x->n++;
		}
	}
	if (x->n)
		return EXIT_DONE;
	if (!missing.map)
		return usage_error(
			"reg explain: --map %s: no map here is called so%s; `uncorectl maps list` shows them",
			x->options->map, unc_nearest_text(&maps, near));
	if (!name)
		return usage_error("reg explain: 0x%" PRIx64 ": wider than every register of these maps that is "
				   "written, but counters",
				   question->value);
	if (missing.wide)
		return usage_error("reg explain: 0x%" PRIx64 " is wider than %s", question->value, name);
	if (missing.reg)
		return usage_error("reg explain: %s: that register has no such field", name);
	return usage_error("reg explain: %s: no map here has such a register%s; there are %s", name,
			   unc_nearest_listed(name, missing.regs, near), missing.regs);
}

/* ---- registers that are the same ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
	const struct unc_reg *x = a->reg, *y = b->reg;
	bool same = same_text(x->name, y->name) && x->off == y->off && x->step == y->step && x->count == y->count &&
		    x->bits == y->bits && x->never == y->never && x->n_fields == y->n_fields &&
		    a->unit->kind == b->unit->kind && same_text(a->event, b->event) && same_text(x->desc, y->desc) &&
		    same_text(x->src, y->src) && same_text(x->verify, y->verify);

	for (size_t i = 0; same && i < x->n_fields; i++) {
		const struct unc_field *f = &x->fields[i], *g = &y->fields[i];

		same = same_text(f->name, g->name) && f->hi == g->hi && f->lo == g->lo && f->acc == g->acc &&
		       f->reset_known == g->reset_known && f->reset == g->reset && f->write == g->write &&
		       same_text(f->desc, g->desc) && same_text(f->src, g->src) && same_text(f->verify, g->verify);
	}
	return same;
}

/* ---- printing ---- */

static void emit_answer(struct explain *x, const struct question *question, const struct answer *answer,
			const char *maps)
{
	const struct unc_reg *reg = answer->reg;
	unsigned first = answer->index < 0 ? 0 : (unsigned)answer->index;
	char name[REG_NAME_MAX], offset[32], bits[REG_BITS_MAX], note[64];
	struct row of_register = {0}, row;

	snprintf(name, sizeof(name), answer->index < 0 || reg->count == 1 ? "%.32s" : "%.32s[%d]", reg->name,
		 answer->index);
	snprintf(offset, sizeof(offset), "0x%02" PRIx32, unc_reg_off(reg, first));
	if (reg->count > 1 && answer->index < 0) /* those of all elements of an array */
		unc_text_join(offset, sizeof(offset), "-", "0x%02" PRIx32, unc_reg_off(reg, reg->count - 1));
	of_register.values[C_MAPS] = text_value(maps);
	of_register.values[C_REGISTER] = text_value(name);
	of_register.values[C_OFFSET] = text_value(offset);
	if (question->has_value)
		of_register.values[C_VALUE] = hex_value(question->value, reg->bits / 4);
	row = of_register;
	row.values[C_NOTE] = text_value(reg->never ? "never to be written" : answer->event);
	row.values[C_MEANING] = text_value(reg->desc);
	row.values[C_SOURCE] = text_value(reg->src);
	row.values[C_VERIFY] = text_value(reg->verify);
	reg_emit_row(&x->emitter, &row, C_REGISTER, true, true);
	for (size_t i = 0; i < reg->n_fields; i++) {
		const struct unc_field *field = &reg->fields[i];
		uint64_t number = unc_field_get(field, question->value);

		if (question->target.text && !reg_target_has_field(&question->target, field->name))
			continue;
		row = of_register;
		row.values[C_FIELD] = text_value(field->name);
		row.values[C_BITS] = text_value(reg_bits(field->hi, field->lo, bits));
		if (question->has_value)
			row.values[C_FIELD_VALUE] = hex_value(number, 1);
		row.values[C_ACCESS] = text_value(unc_words_access[field->acc]);
		if (field->reset_known)
			row.values[C_RESET] = hex_value(field->reset, 1);
		if (field->acc == UNC_RSVD) {
			snprintf(note, sizeof(note), "%smust be 0x%" PRIx64,
				 question->has_value && number != field->write ? "WRONG: " : "", field->write);
			row.values[C_NOTE] = text_value(note);
		}
		row.values[C_MEANING] = text_value(field->desc);
		row.values[C_SOURCE] = text_value(field->src);
		row.values[C_VERIFY] = text_value(field->verify);
		reg_emit_row(&x->emitter, &row, C_REGISTER, false, true);
	}
}

static int print_answers(struct explain *x, const struct question *question)
{
	for (size_t i = 0; i < x->n; i++) {
		char maps[500] = "";

		if (x->answers[i].told)
			continue;
		for (size_t k = i; k < x->n; k++) {
			if (!same_answer(&x->answers[i], &x->answers[k]))
				continue;
			x->answers[k].told = true;
			unc_text_enlist(maps, sizeof(maps), x->answers[k].unit->map, strlen(x->answers[k].unit->map));
		}
		emit_answer(x, question, &x->answers[i], maps);
		if (!emit_sample(&x->emitter, maps))
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int load(struct explain *x, const struct globals *globals)
{
	size_t n = 0;
	int rc;

	if (unc_new(&x->ctx) < 0)
		return no_memory();
	rc = globals->machine ? unc_machine_map(x->ctx, globals->machine, globals->map_dir, &x->map)
			      : unc_map_load_all(x->ctx, globals->map_dir, &x->map);
	if (rc == UNC_ENODEV && globals->map_dir)
		rc = UNC_EARG; /* a missing folder of maps is an error of the arguments */
	if (rc < 0)
		return fail_with(x->ctx, rc);
	if (globals->machine && x->map->n_units == 0)
		return refuse(EXIT_NOT_HERE, "%s", x->map->no_counters);
	for (size_t i = 0; i < x->map->n_units; i++)
		n += x->map->units[i].n_regs;
	x->answers = calloc(n + 1, sizeof(*x->answers));
	return x->answers ? EXIT_DONE : no_memory();
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct explain x = {.options = options};
	struct question *questions;
	struct output out = {0};
	size_t n = 0;
	int status;

	if (options->n_args == 0)
		return usage_error("%s: what? A register such as CTL, CTL=0x420304, or a value", self->line.command);
	confine(globals, CONFINE_FILES, 0); /* -o makes a file */
	questions = calloc((size_t)options->n_args, sizeof(*questions));
	if (!questions)
		return no_memory();
	status = parse_questions(self->line.command, options, questions, &n);
	if (status == EXIT_DONE)
		status = load(&x, globals);
	/* Every question is answered before the first answer is printed. */
	for (size_t i = 0; i < n && status == EXIT_DONE; i++)
		status = find_answers(&x, &questions[i]);
	if (status == EXIT_DONE)
		status = output_open(&out, globals, options->path, STDOUT_FILENO);
	emitter_init(&x.emitter, options->format, columns, N_COLUMNS, &out, false);
	if (status == EXIT_DONE)
		emit_head(&x.emitter, NULL, "register");
	for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
		find_answers(&x, &questions[i]);
		status = print_answers(&x, &questions[i]);
	}
	emitter_clear(&x.emitter);
	status = output_end(&out, status);
	free(x.answers);
	unc_map_free(x.map);
	unc_free(x.ctx);
	free(questions);
	return status;
}

static const struct option_def option_defs[] = {
	{"map", "MAP", option_text, offsetof(struct reg_options, map),
	 .help = "only maps whose name matches, e.g. intel-snbep-imc or '*-imc'"},
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl: a record for the register and for each field",
		    "write to FILE"),
};

const struct reg_command reg_explain = {{"reg explain", usage, notes, .options = option_defs}, .run = run};
