// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg set: writes registers for a limited time. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/confine.h"
#include "cli/reg.h"

enum column_index { C_BOX, C_PCI, C_REGISTER, C_OFFSET, C_OLD, C_NEW, C_NOW, C_STATE, C_CHANGED, N_COLUMNS };

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	REG_CHANGE_COLUMNS,
	[C_NOW] = {"now", "reads now", COLUMN_HEX, false},
	[C_STATE] = {"state", "state", COLUMN_TEXT, false},
};
/* clang-format on */

struct run {
	const struct reg_writing *writing;
	const struct reg_options *options;
	const struct globals *globals;
	struct opened opened;
	struct reg_changes changes;
	struct emitter emitter;
	struct output out;
	struct child child;
	int wake_fd;
	bool dry;
};

static bool same_register(const struct reg_change *a, const struct reg_change *b)
{
	return a->box == b->box && a->reg == b->reg;
}

int reg_changes_add(const struct opened *opened, struct reg_changes *changes, struct reg_change *change)
{
	size_t i = changes->n;
	int rc;

	while (i > 0 && !same_register(&changes->items[i - 1], change))
		i--;
	if (i > 0) {
		change->was = changes->items[i - 1].value;
	} else {
		rc = unc_box_reg_read(change->box, change->reg, &change->was);
		if (rc < 0)
			return fail_with(opened->ctx, rc);
	}
	return unc_array_add(&changes->items, &changes->n, change, sizeof(*change)) ? EXIT_DONE : no_memory();
}

/* Emits one row; now is NULL if nothing was read. */
static void emit(struct run *run, const struct reg_change *change, uint64_t old, uint64_t new, const uint64_t *now,
		 const char *state)
{
	char name[REG_NAME_MAX], changed[400];
	struct row row = {.record = true, .in_table = true};
	unsigned digits = reg_place_values(change->box, change->reg, name, &row.values[C_BOX]);

	if (!digits)
		return;
	row.values[C_OLD] = hex_value(old, digits);
	row.values[C_NEW] = hex_value(new, digits);
	if (now)
		row.values[C_NOW] = hex_value(*now, digits);
	row.values[C_STATE] = text_value(state);
	row.values[C_CHANGED] =
		text_value(reg_changed_text(change->box, change->reg, old, new, changed, sizeof(changed)));
	emit_row(&run->emitter, &row);
}

/* The names of fields with that access in which a value is not 0. */
static const char *fields_of(const struct reg_change *change, const char *access, char *buf, size_t size)
{
	struct unc_field_info field;
	uint64_t number;

	buf[0] = '\0';
	for (size_t i = 0; unc_box_field_info(change->box, change->reg, i, &field) == 0; i++)
		if (strcmp(field.access, access) == 0 &&
		    unc_box_field_value(change->box, change->reg, i, change->value, &number) == 0 && number)
			unc_text_join(buf, size, ", ", "%s", field.name);
	return buf;
}

static bool flush(struct run *run)
{
	return emit_sample(&run->emitter, NULL) || signals_were_cut_short();
}

/* Writes in order; the first failure ends it, and what was written before is put back. */
static int write_all(struct run *run)
{
	struct reg_changes *changes = &run->changes;
	int rc = UNC_OK, status = EXIT_DONE;

	/* Before the first write, so that one write to the disk holds the former values of all registers. */
	for (size_t i = 0; i < changes->n && rc == 0; i++)
		rc = unc_box_reg_plan(changes->items[i].box, changes->items[i].reg, changes->items[i].value);
	if (rc < 0)
		return fail_with(run->opened.ctx, rc);
	/* What cannot be put back is said before it is written. */
	for (size_t i = 0; i < changes->n && !run->options->keep; i++) {
		const struct reg_change *change = &changes->items[i];
		char name[REG_NAME_MAX], fields[300];
		struct unc_reg_info reg;
		struct unc_box_info box;

		unc_box_info(change->box, &box);
		if (unc_box_reg_info(change->box, change->reg, &reg) < 0)
			continue;
		reg_name(&reg, name);
		if (*fields_of(change, "rw1c", fields, sizeof(fields)))
			say("note: %s: %s: writing 1 clears %s, which cannot be put back", box.name, name, fields);
		if (*fields_of(change, "wo", fields, sizeof(fields)))
			say("note: %s: %s: %s cannot be read where the map is right; what was there before is not "
			    "known, and is not put back",
			    box.name, name, fields);
	}
	for (size_t i = 0; i < changes->n && rc == 0 && !signals_caught(); i++) {
		struct reg_change *change = &changes->items[i];

		rc = unc_box_reg_write(change->box, change->reg, change->value, &change->now);
		change->written = rc == 0;
		if (change->written && !run->dry)
			emit(run, change, change->was, change->value, &change->now,
			     reg_differs(change->box, change->reg, change->value, change->now, "", "rw") ? "differs"
													 : "written");
	}
	if (rc < 0)
		status = fail_with(run->opened.ctx, rc);
	if (!run->dry && !flush(run) && status == EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

/* Waits without asking the machine for the time: for a COMMAND, or until interrupted. */
static void rest(void *arg)
{
	unc_os_sleep_until(UINT64_MAX, ((struct run *)arg)->wake_fd);
}

static int hold(struct run *run)
{
	enum { QUESTIONS_MAX = 1000 };
	const struct reg_options *options = run->options;
	struct unc_machine *machine = run->opened.machine;
	int rc = UNC_EAGAIN;
	uint64_t end;

	if (options->command) {
		if (!child_go(&run->child, options->command[0]))
			return run->child.status;
		child_wait(&run->child, run->wake_fd, rest, run);
		return run->child.ended ? run->child.status : EXIT_DONE;
	}
	if (!options->for_ns) {
		say("note: written; it is put back when you interrupt this (Ctrl-C); --keep leaves it there");
		/*
		 * In a replay the record reports the interrupt, but perhaps not at the first call; a record that lacks it must
		 * not be waited for forever.
		 */
		for (unsigned asked = 0; !signals_caught() && asked < QUESTIONS_MAX;) {
			if (endings_replayed()) {
				asked++;
				continue;
			}
			rest(run);
			signals_drain(run->wake_fd);
		}
		return EXIT_DONE;
	}
	say("note: written; it is put back in %g s", (double)options->for_ns / 1e9);
	end = unc_machine_mono_ns(machine) + options->for_ns;
	while (rc == UNC_EAGAIN && !signals_caught()) {
		signals_drain(run->wake_fd);
		rc = unc_machine_sleep_until(machine, end);
	}
	return rc == UNC_OK || rc == UNC_EAGAIN ? EXIT_DONE : fail_with(run->opened.ctx, rc);
}

/* The first change to a register has the value found there, the last one the value that we left. */
static void show_put_back(struct run *run)
{
	const struct reg_change *items = run->changes.items;

	for (size_t i = run->changes.n; i-- > 0;) {
		const struct reg_change *first = &items[i], *last = first;
		bool earlier = false, read;
		const char *state = "not read";
		uint64_t now;

		for (size_t k = 0; k < run->changes.n; k++) {
			earlier |= k < i && same_register(&items[k], first);
			if (items[k].written && same_register(&items[k], first))
				last = &items[k];
		}
		if (!first->written || earlier)
			continue;
		read = unc_box_reg_read(first->box, first->reg, &now) == 0;
		if (read && now != first->was)
			state = "not back";
		else if (read)
			state = reg_differs(last->box, last->reg, last->value, last->now, "", "wo") ? "not seen"
												    : "put back";
		emit(run, first, last->now, first->was, read ? &now : NULL, state);
	}
	flush(run);
}

static int write_and_hold(struct run *run)
{
	struct reg_changes *changes = &run->changes;
	int status, rc;

	for (size_t i = 0; i < changes->n; i++) {
		rc = unc_box_reg_allows(changes->items[i].box, changes->items[i].reg, changes->items[i].value);
		if (rc < 0)
			return fail_with(run->opened.ctx, rc);
	}
	if (!run->writing->confirmed) {
		for (size_t i = 0; i < changes->n; i++)
			emit(run, &changes->items[i], changes->items[i].was, changes->items[i].value, NULL,
			     "not written");
		if (!flush(run))
			return EXIT_FAILED;
		return usage_error("%s: nothing was written: add %s", run->writing->self->line.command,
				   run->writing->missing);
	}
	status = write_all(run);
	if (status == EXIT_DONE && run->options->keep && !signals_caught()) {
		for (size_t i = 0; i < changes->n; i++)
			unc_box_reg_keep(changes->items[i].box, changes->items[i].reg);
		return status;
	}
	if (status == EXIT_DONE && !run->dry && !signals_caught()) {
		confine(run->globals, CONFINE_HELD, run->child.pid);
		status = hold(run);
	}
	rc = unc_machine_put_back(run->opened.machine);
	if (rc < 0)
		status = first_failure(status, fail_with(run->opened.ctx, rc));
	if (!run->dry && changes->n && changes->items[0].written)
		show_put_back(run);
	return status;
}

int reg_write_run(const struct reg_writing *writing, const struct globals *globals)
{
	const struct reg_options *options = writing->options;
	bool confirmed = writing->confirmed, runs_command = options->command && confirmed;
	struct run run = {
		.writing = writing, .options = options, .globals = globals, .dry = globals->dry_run && confirmed};
	int status;

	run.wake_fd = signals_catch();
	if (run.wake_fd < 0 || (runs_command && !run.dry && !child_fork(options->command, &run.child)))
		return EXIT_FAILED;
	/* Does everything up to the plan.  The COMMAND, to which stdout belongs, was forked before. */
	status = output_open(&run.out, globals, options->path, runs_command ? STDERR_FILENO : STDOUT_FILENO);
	if (status == EXIT_DONE)
		status = open_machine(globals, confirmed, run.wake_fd, run.dry ? &run.out : NULL, &run.opened);
	if (status == EXIT_DONE) {
		emitter_init(&run.emitter, options->format, columns, N_COLUMNS, &run.out, false);
		emit_head(&run.emitter, &run.opened, "change");
		status = writing->plan(writing, &run.opened, &run.changes);
	}
	if (status == EXIT_FAILED && signals_were_cut_short())
		status = EXIT_DONE; /* not a failure: a signal came while it waited for a reader to open a pipe */
	else if (status == EXIT_DONE && !signals_caught())
		status = write_and_hold(&run);
	free(run.changes.items);
	status = close_all(&run.emitter, &run.opened, &run.out, status);
	child_abandon(&run.child);
	return signals_end(status, !options->for_ns && !options->command && !options->keep);
}

/* uncorectl reg set: writes registers and fields by their names. */

static const char usage[] =
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
	"follow one another are one write. A register that another program changed meanwhile is left\n"
	"alone.\n";
static const char notes[] =
	"Exit status 0; that of COMMAND; 1 when something failed, or could not be put back; 2 without --write,\n"
	"or when there is no such register or field; 3 no such box; 4 the map forbids it, or the system.\n";

struct assignment {
	struct reg_target target;
	char name[160]; /* the part before = */
	uint64_t value;
};

/* from: the changes from that one on are of the same run of assignments, so fields of one register are one write. */
static int plan_place(const struct opened *opened, const struct reg_place *place, uint64_t value, size_t from,
		      struct reg_changes *changes)
{
	const char *text = place->target->text, *field_pattern = place->target->field;
	struct reg_change *change = NULL;
	struct unc_field_info field;
	struct unc_reg_info reg;
	int status, rc = UNC_OK;

	for (size_t i = from; i < changes->n && !change; i++)
		if (changes->items[i].box == place->box && changes->items[i].reg == place->reg)
			change = &changes->items[i];
	if (!change) {
		/* A whole array is refused, since a user hardly means all of it. */
		if (unc_box_reg_info(place->box, place->reg, &reg) == 0 && reg.count > 1 &&
		    !strpbrk(place->target->reg, "[]*?"))
			return usage_error("reg set: %s: %s is an array of %u: which, %s[0] to [%u], or %s[*]?", text,
					   reg.name, reg.count, reg.name, reg.count - 1, reg.name);
		status = reg_changes_add(opened, changes, &(struct reg_change){place->box, place->reg, .value = value});
		if (status != EXIT_DONE || !*field_pattern)
			return status;
		change = &changes->items[changes->n - 1];
		if (unc_box_reg_base(place->box, place->reg, change->was, &change->value) < 0)
			return fail_with(opened->ctx, UNC_ENOREG);
	}
	for (size_t i = 0; rc == 0 && unc_box_field_info(place->box, place->reg, i, &field) == 0; i++)
		if (reg_target_has_field(place->target, field.name))
			rc = unc_box_field_put(place->box, place->reg, i, value, &change->value);
	return rc < 0 ? fail_with(opened->ctx, rc) : EXIT_DONE;
}

static int plan(const struct reg_writing *writing, struct opened *opened, struct reg_changes *changes)
{
	const struct assignment *assignments = writing->arg;
	int status = EXIT_DONE;
	size_t from = 0;

	for (int i = 0; i < writing->options->n_args && status == EXIT_DONE; i++) {
		const struct reg_target *target = &assignments[i].target, *before = &assignments[i ? i - 1 : 0].target;
		struct reg_places places = {0};

		/* A run: assignments to fields of one register, or one to a whole register. */
		if (!target->field[0] || !before->field[0] || strcmp(target->box, before->box) != 0 ||
		    strcmp(target->reg, before->reg) != 0)
			from = changes->n;
		status = reg_places_add(opened, writing->self->line.command, target, &places);
		for (size_t k = 0; k < places.n && status == EXIT_DONE; k++)
			status = plan_place(opened, &places.items[k], assignments[i].value, from, changes);
		free(places.items);
	}
	return status;
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct assignment *assignments;
	int status = EXIT_DONE;

	if (options->n_args == 0)
		return usage_error("%s: what? BOX.REG[.FIELD]=VALUE, e.g. socket0.imc0.ch0.CTL[3].en=1",
				   self->line.command);
	assignments = calloc((size_t)options->n_args, sizeof(*assignments));
	if (!assignments)
		return no_memory();
	for (int i = 0; i < options->n_args && status == EXIT_DONE; i++) {
		struct assignment *assignment = &assignments[i];
		const char *text = options->args[i];
		size_t len = strcspn(text, "=");

		if (!text[len] || len >= sizeof(assignment->name)) {
			status = usage_error("%s: %s: no assignment, BOX.REG[.FIELD]=VALUE", self->line.command, text);
			break;
		}
		memcpy(assignment->name, text, len);
		if (!reg_target_parse(assignment->name, &assignment->target) || !assignment->target.box[0])
			status = usage_error("%s: %s: not BOX.REG[.FIELD]=VALUE with a register in capitals",
					     self->line.command, text);
		else if (!unc_text_u64(text + len + 1, &assignment->value))
			status = usage_error("%s: %s: the value is not a number, decimal or 0x-hex", self->line.command,
					     text);
	}
	if (status == EXIT_DONE)
		status = reg_write_run(&(struct reg_writing){.self = self,
							     .options = options,
							     .plan = plan,
							     .confirmed = options->write,
							     .missing = "--write",
							     .arg = assignments},
				       globals);
	free(assignments);
	return status;
}

static const struct option_def option_defs[] = {
	{"write", NULL, option_flag, offsetof(struct reg_options, write), .help = "write, and do not only show"},
	{"for", "SECONDS", option_seconds, offsetof(struct reg_options, for_ns), .help = "put back after SECONDS"},
	{"keep", NULL, option_flag, offsetof(struct reg_options, keep), .help = "do not put back"},
	REG_OBSERVE,
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl",
		    "write the data to FILE; with a COMMAND it goes to stderr else"),
};

const struct reg_command reg_set = {
	{"reg set", usage, notes, .options = option_defs}, .run = run, .takes_command = true};
