// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/reg_write.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/os.h"
#include "cli/child.h"
#include "cli/confine.h"
#include "cli/endings.h"
#include "cli/signals.h"

enum column_index { C_BOX, C_PCI, C_REGISTER, C_OFFSET, C_OLD, C_NEW, C_NOW, C_STATE, C_CHANGED, N_COLUMNS };

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_BOX] = {"box", "box", COLUMN_TEXT, false},
	[C_PCI] = {"pci", "pci", COLUMN_TEXT, true},
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false},
	[C_OFFSET] = {"offset", "offset", COLUMN_TEXT, true},
	[C_OLD] = {"old", "old", COLUMN_TEXT, false},
	[C_NEW] = {"new", "new", COLUMN_TEXT, false},
	[C_NOW] = {"now", "reads now", COLUMN_TEXT, false},
	[C_STATE] = {"state", "state", COLUMN_TEXT, false},
	[C_CHANGED] = {"changed", "fields", COLUMN_TEXT, false},
};
/* clang-format on */

struct run {
	const struct reg_writing *writing;
	const struct reg_options *options;
	const struct globals *globals;
	struct opened opened;
	struct reg_changes changes;
	struct emitter *emitter;
	struct output out;
	struct child child;
	int wake_fd;
	bool dry;
};

int reg_changes_was(const struct opened *opened, const struct reg_changes *changes, struct unc_box *box, size_t reg,
		    uint64_t *ret_was)
{
	int rc;

	for (size_t i = changes->n; i-- > 0;) {
		if (changes->items[i].box != box || changes->items[i].reg != reg)
			continue;
		*ret_was = changes->items[i].value;
		return EXIT_DONE;
	}
	rc = unc_box_reg_read(box, reg, ret_was);
	return rc < 0 ? fail_with(opened->ctx, rc) : EXIT_DONE;
}

int reg_changes_add(const struct opened *opened, struct reg_changes *changes, const struct reg_change *change)
{
	int rc = unc_box_reg_allows(change->box, change->reg, change->value);
	void *more;

	if (rc < 0)
		return fail_with(opened->ctx, rc);
	more = unc_array_more(changes->items, changes->n, sizeof(*changes->items));
	if (!more) {
		say("out of memory");
		return EXIT_FAILED;
	}
	changes->items = more;
	changes->items[changes->n++] = *change;
	return EXIT_DONE;
}

/* Emits one row; now is NULL if nothing was read. */
static void emit(struct run *run, const struct reg_change *change, uint64_t old, uint64_t new, const uint64_t *now,
		 const char *state)
{
	char name[REG_NAME_MAX], offset[16], old_text[24], new_text[24], now_text[24] = "", changed[400];
	struct row row = {.record = true, .in_table = true};
	struct unc_reg_info reg;
	struct unc_box_info box;
	int digits;

	unc_box_info(change->box, &box);
	if (unc_box_reg_info(change->box, change->reg, &reg) < 0)
		return;
	digits = (int)reg.bits / 4;
	snprintf(offset, sizeof(offset), "0x%02" PRIx32, reg.offset);
	snprintf(old_text, sizeof(old_text), "0x%0*" PRIx64, digits, old);
	snprintf(new_text, sizeof(new_text), "0x%0*" PRIx64, digits, new);
	if (now)
		snprintf(now_text, sizeof(now_text), "0x%0*" PRIx64, digits, *now);
	row.values[C_BOX] = text_value(box.name);
	row.values[C_PCI] = text_value(box.pci);
	row.values[C_REGISTER] = text_value(reg_name(&reg, name));
	row.values[C_OFFSET] = text_value(offset);
	row.values[C_OLD] = text_value(old_text);
	row.values[C_NEW] = text_value(new_text);
	row.values[C_NOW] = text_value(now_text);
	row.values[C_STATE] = text_value(state);
	row.values[C_CHANGED] =
		text_value(reg_changed_text(change->box, change->reg, old, new, changed, sizeof(changed)));
	emit_row(run->emitter, &row);
}

/* The names of fields with that access in which a value is not 0. */
static const char *fields_of(const struct reg_change *change, const char *access, char *buf, size_t size)
{
	struct unc_field_info field;
	uint64_t number;
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; unc_box_field_info(change->box, change->reg, i, &field) == 0 && len < size; i++) {
		if (strcmp(field.access, access) != 0 ||
		    unc_box_field_value(change->box, change->reg, i, change->value, &number) < 0 || number == 0)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", field.name);
	}
	return buf;
}

/* Reports what cannot be put back before it is written. */
static void warn(const struct reg_change *change)
{
	char name[REG_NAME_MAX], fields[300];
	struct unc_reg_info reg;
	struct unc_box_info box;

	unc_box_info(change->box, &box);
	if (unc_box_reg_info(change->box, change->reg, &reg) < 0)
		return;
	reg_name(&reg, name);
	if (*fields_of(change, "rw1c", fields, sizeof(fields)))
		say("note: %s: %s: writing 1 clears %s, which cannot be put back", box.name, name, fields);
	if (*fields_of(change, "wo", fields, sizeof(fields)))
		say("note: %s: %s: %s cannot be read where the map is right; what was there before is not known, and "
		    "is not put back",
		    box.name, name, fields);
}

/* Does a field with that access read differently from what was written? */
static bool reads_otherwise(const struct reg_change *change, const char *access)
{
	struct unc_field_info field;
	uint64_t wrote, now;

	for (size_t i = 0; unc_box_field_info(change->box, change->reg, i, &field) == 0; i++)
		if (strcmp(field.access, access) == 0 &&
		    unc_box_field_value(change->box, change->reg, i, change->value, &wrote) == 0 &&
		    unc_box_field_value(change->box, change->reg, i, change->now, &now) == 0 && wrote != now)
			return true;
	return false;
}

static bool flush(struct run *run)
{
	return emit_sample(run->emitter, NULL) || signals_were_cut_short();
}

static int show_plan(struct run *run)
{
	for (size_t i = 0; i < run->changes.n; i++)
		emit(run, &run->changes.items[i], run->changes.items[i].was, run->changes.items[i].value, NULL,
		     "not written");
	return flush(run) ? EXIT_DONE : EXIT_FAILED;
}

/* Called before the first write, so that one write to the disk holds the former values of all registers. */
static int plan_all(struct run *run)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < run->changes.n && status == EXIT_DONE; i++) {
		const struct reg_change *change = &run->changes.items[i];
		int rc = unc_box_reg_plan(change->box, change->reg, change->value);

		if (rc < 0)
			status = fail_with(run->opened.ctx, rc);
	}
	return status;
}

/* Writes in order; the first failure ends it, and what was written before is put back. */
static int write_all(struct run *run)
{
	int status = plan_all(run);

	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0; i < run->changes.n && !run->options->keep; i++)
		warn(&run->changes.items[i]);
	for (size_t i = 0; i < run->changes.n && status == EXIT_DONE && !signals_caught(); i++) {
		struct reg_change *change = &run->changes.items[i];
		int rc;

		rc = unc_box_reg_write(change->box, change->reg, change->value, &change->now);
		if (rc < 0) {
			status = fail_with(run->opened.ctx, rc);
			continue;
		}
		change->written = true;
		if (!run->dry)
			emit(run, change, change->was, change->value, &change->now,
			     reads_otherwise(change, "rw") ? "differs" : "written");
	}
	if (!run->dry && !flush(run) && status == EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

static void keep_all(struct run *run)
{
	for (size_t i = 0; i < run->changes.n; i++)
		unc_box_reg_keep(run->changes.items[i].box, run->changes.items[i].reg);
}

/* Waits without asking the machine for the time: for a COMMAND, or until interrupted. */
static void rest(void *arg)
{
	unc_os_sleep_until(UINT64_MAX, ((struct run *)arg)->wake_fd);
}

/*
 * In a replay the record reports the interrupt, but perhaps not at the first call; a record that lacks it must not be waited for
 * forever.
 */
static void hold_until_interrupted(struct run *run)
{
	enum { QUESTIONS_MAX = 1000 };

	for (unsigned asked = 0; !signals_caught() && asked < QUESTIONS_MAX;) {
		if (endings_replayed()) {
			asked++;
			continue;
		}
		rest(run);
		signals_drain(run->wake_fd);
	}
}

static int hold_for(struct run *run)
{
	uint64_t end = unc_machine_mono_ns(run->opened.machine) + run->options->for_ns;
	int rc = UNC_EAGAIN;

	while (rc == UNC_EAGAIN && !signals_caught()) {
		signals_drain(run->wake_fd);
		rc = unc_machine_sleep_until(run->opened.machine, end);
	}
	return rc == UNC_OK || rc == UNC_EAGAIN ? EXIT_DONE : fail_with(run->opened.ctx, rc);
}

static int hold(struct run *run)
{
	const struct reg_options *options = run->options;

	if (options->command) {
		if (!child_go(&run->child, options->command[0]))
			return run->child.status;
		child_wait(&run->child, run->wake_fd, rest, run);
		return run->child.ended ? run->child.status : EXIT_DONE;
	}
	if (options->for_ns) {
		say("note: written; it is put back in %g s", (double)options->for_ns / 1e9);
		return hold_for(run);
	}
	say("note: written; it is put back when you interrupt this (Ctrl-C); --keep leaves it there");
	hold_until_interrupted(run);
	return EXIT_DONE;
}

/* The first change to a register has the value found there, the last one the value that we left. */
static bool is_first(const struct reg_changes *changes, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (changes->items[k].box == changes->items[i].box && changes->items[k].reg == changes->items[i].reg)
			return false;
	return true;
}

static const struct reg_change *last_written(const struct reg_changes *changes, const struct reg_change *first)
{
	const struct reg_change *last = first;

	for (size_t k = 0; k < changes->n; k++)
		if (changes->items[k].box == first->box && changes->items[k].reg == first->reg &&
		    changes->items[k].written)
			last = &changes->items[k];
	return last;
}

static void show_put_back(struct run *run)
{
	for (size_t i = run->changes.n; i-- > 0;) {
		const struct reg_change *first = &run->changes.items[i], *last;
		const char *state = "not read";
		uint64_t now;
		bool read;

		if (!first->written || !is_first(&run->changes, i))
			continue;
		last = last_written(&run->changes, first);
		read = unc_box_reg_read(first->box, first->reg, &now) == 0;
		if (read && now != first->was)
			state = "not back";
		else if (read)
			state = reads_otherwise(last, "wo") ? "not seen" : "put back";
		emit(run, first, last->now, first->was, read ? &now : NULL, state);
	}
	flush(run);
}

static int put_back(struct run *run, int status)
{
	int rc = unc_machine_put_back(run->opened.machine);

	if (rc < 0) {
		int worse = fail_with(run->opened.ctx, rc);

		status = status ? status : worse;
	}
	if (run->emitter && !run->dry && run->changes.n && run->changes.items[0].written)
		show_put_back(run);
	return status;
}

/* Does everything up to the plan.  The COMMAND was forked before. */
static int start(struct run *run, const struct globals *globals)
{
	bool apart = run->options->command && run->writing->confirmed; /* stdout belongs to the COMMAND */
	int status = reg_output_open(globals, run->options, apart ? STDERR_FILENO : STDOUT_FILENO, &run->out);

	if (status != EXIT_DONE)
		return status;
	run->dry = globals->dry_run && run->writing->confirmed;
	status =
		open_machine(globals, run->writing->confirmed, run->wake_fd, run->dry ? &run->out : NULL, &run->opened);
	if (status != EXIT_DONE)
		return status;
	run->emitter = emitter_new(run->options->format, columns, N_COLUMNS, &run->out, false);
	if (!run->emitter)
		return EXIT_FAILED;
	return run->writing->plan(run->writing, &run->opened, &run->changes);
}

static int write_and_hold(struct run *run)
{
	int status;

	if (!run->writing->confirmed) {
		status = show_plan(run);
		if (status != EXIT_DONE)
			return status;
		return usage_error("%s: nothing was written: add %s", run->writing->self->name, run->writing->missing);
	}
	status = write_all(run);
	if (status == EXIT_DONE && run->options->keep && !signals_caught()) {
		keep_all(run);
		return status;
	}
	if (status == EXIT_DONE && !run->dry && !signals_caught()) {
		confine(run->globals, CONFINE_HELD, run->child.pid);
		status = hold(run);
	}
	return put_back(run, status);
}

static int end(struct run *run, int status)
{
	emitter_free(run->emitter);
	free(run->changes.items);
	if (run->opened.ctx)
		status = close_machine(&run->opened, status);
	if (run->out.name && !output_close(&run->out) && status == EXIT_DONE && !signals_were_cut_short())
		status = EXIT_FAILED;
	child_abandon(&run->child);
	return status;
}

/* An interrupt is the normal end of holding without a time limit; anything else that was cut short ends by its signal. */
static int end_by_signal(const struct reg_options *options, int number, int status)
{
	bool asked_for = number == SIGINT && !options->for_ns && !options->command && !options->keep;

	if (number == 0 || asked_for || status != EXIT_DONE)
		return status;
	signals_die(number);
	return 128 + number;
}

int reg_write_run(const struct reg_writing *writing, const struct globals *globals)
{
	struct run run = {.writing = writing, .options = writing->options, .globals = globals};
	bool runs_command = writing->options->command && writing->confirmed && !globals->dry_run;
	int status;

	run.wake_fd = signals_catch();
	if (run.wake_fd < 0 || (runs_command && !child_fork(writing->options->command, &run.child)))
		return EXIT_FAILED;
	status = start(&run, globals);
	if (status == EXIT_FAILED && signals_were_cut_short())
		status = EXIT_DONE; /* not a failure: a signal came while it waited for a reader to open a pipe */
	else if (status == EXIT_DONE && !signals_caught())
		status = write_and_hold(&run);
	status = end(&run, status);
	return end_by_signal(writing->options, signals_caught(), status);
}
