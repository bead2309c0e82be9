/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Naming registers: BOX.REG[.FIELD].  Box names have dots in them, so the register is the first part between dots with a
 * capital letter in it; what stands before is the box, what stands behind is the field.  All three may have * and ?.
 */
#ifndef UNC_CLI_REG_TARGET_H
#define UNC_CLI_REG_TARGET_H

#include "cli/cli.h"

struct reg_target {
	const char *text;                 /* as it was typed, for sentences */
	char box[96], reg[64], field[64]; /* field: "" where none is named */
};

/* False: it names no register. */
bool reg_target_parse(const char *text, struct reg_target *ret_target);
/* Several; the caller frees *ret_targets.  EXIT_DONE, or it was said what is wrong, command being who says it. */
int reg_targets_parse(const char *command, char **args, int n_args, struct reg_target **ret_targets);
/* Does a register match?  CTL means every element of CTL, too. */
bool reg_target_has_reg(const struct reg_target *target, const struct unc_reg_info *reg);
/* Does the target mean that field?  Without one it means all. */
bool reg_target_has_field(const struct reg_target *target, const char *field);

struct reg_boxes {              /* matching a pattern, those of memory controllers first */
	struct unc_box **items; /* owned */
	size_t n;
};
/*
 * pattern NULL: all, but those of CPUs, for which the pattern is to begin with "cpu".  EXIT_DONE, or it was said what is wrong:
 * no memory, or nobody tells which CPUs there are.
 */
int reg_boxes_find(const struct opened *opened, const char *pattern, struct reg_boxes *ret_boxes);
/* That none matches, as the end of a sentence. */
const char *reg_boxes_none(const char *pattern);
/* The kind of a CPU's boxes that this machine has: "rdt"; NULL: none. */
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
 * Adds the registers that a target names, by box, then as in the map.  Boxes that are not there are noted and left out.
 * EXIT_DONE; EXIT_USAGE: such a box has no such register or field; EXIT_NOT_HERE: no such box, or none is there; both were
 * said, command being who says it.
 */
int reg_places_add(const struct opened *opened, const char *command, const struct reg_target *target,
		   struct reg_places *places);
void reg_places_clear(struct reg_places *places);

#endif
