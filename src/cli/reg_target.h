/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of registers: BOX.REG[.FIELD].  Box names contain dots, so the register is the first part between dots with a capital
 * letter in it; the box is before it, and the field after it.  All three may contain * and ?.
 */
#ifndef UNC_CLI_REG_TARGET_H
#define UNC_CLI_REG_TARGET_H

#include "cli/cli.h"
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
/* The kind of boxes that the CPUs of this machine have: "rdt"; NULL: none. */
const char *reg_boxes_of_cpus(const struct opened *opened);
void reg_boxes_clear(struct reg_boxes *boxes);

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
void reg_places_clear(struct reg_places *places);

#endif
