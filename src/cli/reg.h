/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of registers: BOX.REG[.FIELD].  Box names contain dots, so the register is the first part between dots with a capital
 * letter in it; the box is before it, and the field after it.  All three may contain * and ?.
 */
#ifndef UNC_CLI_REG_H
#define UNC_CLI_REG_H

#include "cli/diff.h"
#include "uncore/reg.h"

struct reg_target {
	const char *text;                 /* as it was typed, for messages */
	char box[96], reg[64], field[64]; /* field: "" if none is named */
};

/* False: the text names no register. */
bool reg_target_parse(const char *text, struct reg_target *ret_target);
/* Parses several; the caller frees *ret_targets.  EXIT_DONE, or the exit status after a message that begins with command. */
int reg_targets_parse(const char *command, char **args, int n_args, struct reg_target **ret_targets);
/* Does a register match?  CTL also matches every element of CTL. */
bool reg_target_has_reg(const struct reg_target *target, const struct unc_reg_info *reg);
/* Does the target include that field?  Without a field it includes all. */
bool reg_target_has_field(const struct reg_target *target, const char *field);

struct reg_boxes {              /* boxes that match a pattern, those of memory controllers first */
	struct unc_box **items; /* owned */
	size_t n;
};
/*
 * pattern NULL: all except those of CPUs, for which the pattern must begin with "cpu".  EXIT_DONE, or the exit status after a
 * message: out of memory, or the CPUs of the machine are not known.
 */
int reg_boxes_find(const struct opened *opened, const char *pattern, struct reg_boxes *ret_boxes);
/* The end of a message that none matches. */
const char *reg_boxes_none(const char *pattern);

struct reg_place {
	struct unc_box *box;
	size_t reg;
	const struct reg_target *target;
};
struct reg_places {
	struct reg_place *items; /* owned */
	size_t n;
};
/*
 * Adds the registers that a target names, by box, then in the order of the map.  Absent boxes are noted and left out.  EXIT_DONE;
 * EXIT_USAGE: a matching box has no such register or field; EXIT_NOT_HERE: there is no such box, or none is present.  Both errors
 * follow a message that begins with command.
 */
int reg_places_add(const struct opened *opened, const char *command, const struct reg_target *target,
		   struct reg_places *places);

/* Declarations that the commands `uncorectl reg ...` share: their options, and the rows that they print of a register. */

struct reg_options {
	enum format format;
	const char *path; /* NULL: stdout */
	bool write, keep, unmapped, observe;
	uint64_t for_ns;      /* 0: not given */
	uint64_t interval_ns; /* 1 s if not given */
	uint64_t count;       /* 0: not given */
	struct diff_but but;
	const char *map; /* NULL: none */
	char **args;
	int n_args;
	char **command; /* NULL: none */
};

struct reg_command {
	struct command_line line; /* of "reg get"; own and shared are the options */
	bool takes_command;       /* COMMAND after -- */
	int (*run)(const struct reg_command *self, const struct globals *globals, const struct reg_options *options);
};
#define REG_OBSERVE OPTION_OBSERVE(NULL, struct reg_options)

extern const struct reg_command reg_dump, reg_get, reg_set, reg_diff, reg_watch, reg_explain, reg_raw;

/* Opens the output and the machine for reading, prints what arg means, and closes them.  Returns the exit status, as does print(). */
typedef int reg_show_fn(struct opened *opened, const struct reg_options *options, const void *arg,
			struct emitter *emitter);
int reg_read_run(const struct globals *globals, const struct reg_options *options, const struct column *cells,
		 size_t n_cells, reg_show_fn *print, const void *arg);

/* Columns of a value that changes, for tables that have such indices. */
/* clang-format off */
#define REG_CHANGE_COLUMNS \
	[C_BOX] = {"box", "box", COLUMN_TEXT, false}, \
	[C_PCI] = {"pci", "address", COLUMN_TEXT, true}, \
	[C_REGISTER] = {"register", "register", COLUMN_TEXT, false}, \
	[C_OFFSET] = {"offset", "offset", COLUMN_HEX, true}, \
	[C_OLD] = {"old", "old", COLUMN_HEX, false}, \
	[C_NEW] = {"new", "new", COLUMN_HEX, false}, \
	[C_CHANGED] = {"changed", "fields", COLUMN_TEXT, false}
/* clang-format on */

/* "CTL[3]" */
enum { REG_NAME_MAX = 48 };
const char *reg_name(const struct unc_reg_info *reg, char buf[REG_NAME_MAX]);

/*
 * Fills the columns box, pci, register and offset, which follow one another.  Returns the digits of the register's values; 0: there is
 * no such register.
 */
unsigned reg_place_values(const struct unc_box *box, size_t reg, char name[REG_NAME_MAX], struct value *values);

/*
 * Emits a row of a field as a record, and to the table, where the register, the offset and the value, which are in columns from
 * that one on, are blank unless it is the first row of the register.
 */
void reg_emit_row(struct emitter *emitter, struct row *row, size_t register_column, bool first, bool in_table);

/* "7:0" */
enum { REG_BITS_MAX = 24 };
const char *reg_bits(unsigned hi, unsigned lo, char buf[REG_BITS_MAX]);

/* "en:0x0->0x1;ev_sel:0x4->0x0": the fields in which two values of a register differ.  Returns buf. */
const char *reg_changed_text(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, char *buf, size_t size);
/* Do they differ in a field that is named like this pattern, and has that access?  "": any. */
bool reg_differs(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, const char *field,
		 const char *access);

/*
 * Writes registers for a limited time: shows what would be written, or writes, shows old and new values, holds them until told to
 * end, puts the old values back and shows that.
 */

struct reg_change {
	struct unc_box *box;
	size_t reg;
	uint64_t was;   /* the value before the change */
	uint64_t value; /* the value to write */
	uint64_t now;   /* the value read afterwards; only if it was written */
	bool written;
};

struct reg_changes {
	struct reg_change *items; /* owned */
	size_t n;
};
/*
 * Adds a change to the plan, with the value that the register will hold before it: read from it, or left there by an earlier change.
 * EXIT_DONE, or the exit status after a message.  Writes nothing.
 */
int reg_changes_add(const struct opened *opened, struct reg_changes *changes, struct reg_change *change);

struct reg_writing {
	const struct reg_command *self;
	const struct reg_options *options;
	/* Finds out what must be written.  EXIT_DONE, or the exit status after a message. */
	int (*plan)(const struct reg_writing *writing, struct opened *opened, struct reg_changes *changes);
	bool confirmed;      /* every option that is required was given */
	const char *missing; /* otherwise: the missing options, for the message */
	const void *arg;     /* argument of plan() */
};
/* Returns the exit status. */
int reg_write_run(const struct reg_writing *writing, const struct globals *globals);

#endif
