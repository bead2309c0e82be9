// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg set: writes registers and fields by their names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/reg_target.h"
#include "cli/reg_write.h"

static const char help[] =
	"usage: uncorectl reg set BOX.REG[.FIELD]=VALUE... --write [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Writes registers, shows the old value, the new one and what the register says then, and puts the\n"
	"old values back at the end: of COMMAND, of the time, or when it is interrupted. Without --write it\n"
	"shows what would be written. Names are those of `reg get`; an array needs its index, CTL[3] or\n"
	"CTL[*]. VALUE is a number, decimal or 0x-hex.\n"
	"\n"
	"Only what the register map calls writable is written, reserved bits as it wants them. Everything\n"
	"is checked before the first write. Of a field's register the other bits that can be read and\n"
	"written stay as they are, and bits that cannot be read become 0; fields of one register that\n"
	"stand one after the other are one write. A register that somebody else changed meanwhile is left\n"
	"alone.\n"
	"\n"
	"  --write          write, and do not only show\n"
	"  --for SECONDS    put back after so long\n"
	"  --keep           do not put back\n"
	"  --format FORMAT  table (default), csv or jsonl\n"
	"  -o FILE          write the data to FILE; with a COMMAND it goes to stderr else\n"
	"  --help\n"
	"\n"
	"Exit status 0; that of COMMAND; 1 when something failed, or could not be put back; 2 without --write,\n"
	"or when there is no such register or field; 3 no such box; 4 the map forbids it, or the system.\n";

struct assignment {
	struct reg_target target;
	char name[160]; /* the part before = */
	uint64_t value;
};

static int parse_assignment(const char *command, const char *text, struct assignment *assignment)
{
	const char *equals = strchr(text, '=');

	if (!equals || (size_t)(equals - text) >= sizeof(assignment->name))
		return usage_error("%s: %s: no assignment, BOX.REG[.FIELD]=VALUE", command, text);
	memcpy(assignment->name, text, (size_t)(equals - text));
	assignment->name[equals - text] = '\0';
	if (!reg_target_parse(assignment->name, &assignment->target) || !assignment->target.box[0])
		return usage_error("%s: %s: not BOX.REG[.FIELD]=VALUE with a register in capitals", command, text);
	if (!unc_text_u64(equals + 1, &assignment->value))
		return usage_error("%s: %s: the value is no number, decimal or 0x-hex", command, text);
	return EXIT_DONE;
}

/* Refuses a whole array, since a user hardly means all of it. */
static int refuse_array(const char *command, const struct reg_place *place)
{
	struct unc_reg_info reg;

	if (unc_box_reg_info(place->box, place->reg, &reg) < 0 || reg.count == 1 || strpbrk(place->target->reg, "[]*?"))
		return EXIT_DONE;
	return usage_error("%s: %s: %s is an array of %u: which, %s[0] to [%u], or %s[*]?", command,
			   place->target->text, reg.name, reg.count, reg.name, reg.count - 1, reg.name);
}

/* Sets the fields that an assignment names in a value. */
static int put_fields(const struct opened *opened, const struct reg_place *place, uint64_t number, uint64_t *value)
{
	struct unc_field_info field;
	int rc = UNC_OK;

	for (size_t i = 0; rc == 0 && unc_box_field_info(place->box, place->reg, i, &field) == 0; i++)
		if (reg_target_has_field(place->target, field.name))
			rc = unc_box_field_put(place->box, place->reg, i, number, value);
	return rc < 0 ? fail_with(opened->ctx, rc) : EXIT_DONE;
}

static bool same_register(const struct assignment *a, const struct assignment *b)
{
	return strcmp(a->target.box, b->target.box) == 0 && strcmp(a->target.reg, b->target.reg) == 0;
}

/* The length of a run: assignments to fields of one register, or one to a whole register. */
static size_t run_length(const struct assignment *assignments, size_t n)
{
	size_t length = 1;

	if (!assignments[0].target.field[0])
		return 1;
	while (length < n && assignments[length].target.field[0] &&
	       same_register(&assignments[0], &assignments[length]))
		length++;
	return length;
}

/* Every assignment of a run names the same registers, but a pattern may match some of its fields in only some of them. */
static const struct reg_place *place_in(const struct reg_places *places, const struct reg_place *like)
{
	for (size_t i = 0; i < places->n; i++)
		if (places->items[i].box == like->box && places->items[i].reg == like->reg)
			return &places->items[i];
	return NULL;
}

static int plan_place(const struct opened *opened, const struct reg_place *place, const struct assignment *assignments,
		      size_t n, const struct reg_places *each, struct reg_changes *changes)
{
	struct reg_change change = {.box = place->box, .reg = place->reg};
	int status = reg_changes_was(opened, changes, place->box, place->reg, &change.was);

	if (status != EXIT_DONE)
		return status;
	if (!place->target->field[0]) {
		change.value = assignments[0].value;
		return reg_changes_add(opened, changes, &change);
	}
	if (unc_box_reg_base(place->box, place->reg, change.was, &change.value) < 0)
		return fail_with(opened->ctx, UNC_ENOREG);
	for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
		const struct reg_place *here = place_in(&each[i], place);

		if (here)
			status = put_fields(opened, here, assignments[i].value, &change.value);
	}
	return status == EXIT_DONE ? reg_changes_add(opened, changes, &change) : status;
}

/* Plans all registers of a run, in their order. */
static int plan_run(const char *command, const struct opened *opened, const struct assignment *assignments, size_t n,
		    struct reg_changes *changes)
{
	struct reg_places *each = calloc(n, sizeof(*each));
	int status = each ? EXIT_DONE : EXIT_FAILED;

	if (!each)
		say("out of memory");
	for (size_t i = 0; i < n && status == EXIT_DONE; i++)
		status = reg_places_add(opened, command, &assignments[i].target, &each[i]);
	for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
		for (size_t k = 0; k < each[i].n && status == EXIT_DONE; k++) {
			const struct reg_place *place = &each[i].items[k];
			bool earlier = false;

			for (size_t e = 0; e < i; e++)
				earlier |= place_in(&each[e], place) != NULL;
			if (!earlier)
				status = refuse_array(command, place);
			if (!earlier && status == EXIT_DONE)
				status = plan_place(opened, place, assignments, n, each, changes);
		}
	}
	for (size_t i = 0; each && i < n; i++)
		reg_places_clear(&each[i]);
	free(each);
	return status;
}

struct assignments {
	struct assignment *items;
	size_t n;
};

static int plan(const struct reg_writing *writing, struct opened *opened, struct reg_changes *changes)
{
	const struct assignments *assignments = writing->arg;
	int status = EXIT_DONE;
	size_t length;

	for (size_t i = 0; i < assignments->n && status == EXIT_DONE; i += length) {
		length = run_length(&assignments->items[i], assignments->n - i);
		status = plan_run(writing->self->name, opened, &assignments->items[i], length, changes);
	}
	return status;
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct assignments assignments = {.n = (size_t)options->n_args};
	struct reg_writing writing = {
		.self = self,
		.options = options,
		.plan = plan,
		.confirmed = options->write,
		.missing = "--write",
		.arg = &assignments,
	};
	int status = EXIT_DONE;

	if (assignments.n == 0)
		return usage_error("%s: what? BOX.REG[.FIELD]=VALUE, e.g. socket0.imc0.ch0.CTL[3].en=1", self->name);
	assignments.items = calloc(assignments.n, sizeof(*assignments.items));
	if (!assignments.items) {
		say("out of memory");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < assignments.n && status == EXIT_DONE; i++)
		status = parse_assignment(self->name, options->args[i], &assignments.items[i]);
	if (status == EXIT_DONE)
		status = reg_write_run(&writing, globals);
	free(assignments.items);
	return status;
}

const struct reg_command reg_set = {.name = "reg set", .help = help, .takes = REG_WRITES, .run = run};
