/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing registers for a while, whoever asked for which: shows what would be, or writes, shows old and new, holds that until it
 * is told to end, puts the old values back and shows that.
 */
#ifndef UNC_CLI_REG_WRITE_H
#define UNC_CLI_REG_WRITE_H

#include "cli/reg.h"

struct reg_change {
	struct unc_box *box;
	size_t reg;
	uint64_t was;   /* before it */
	uint64_t value; /* to be written */
	uint64_t now;   /* what it says afterwards; only when written */
	bool written;
};

struct reg_changes {
	struct reg_change *items; /* owned */
	size_t n;
};
/* What the register will hold before the next change: read from it, or what the last change to it leaves there. */
int reg_changes_was(const struct opened *opened, const struct reg_changes *changes, struct unc_box *box, size_t reg,
		    uint64_t *ret_was);
/*
 * Adds a change, if it is allowed.  EXIT_DONE, or another exit status, which was said.  Writes nothing.
 */
int reg_changes_add(const struct opened *opened, struct reg_changes *changes, const struct reg_change *change);

struct reg_writing {
	const struct reg_command *self;
	const struct reg_options *options;
	/* Finds out what is to be written.  EXIT_DONE, or it was said. */
	int (*plan)(const struct reg_writing *writing, struct opened *opened, struct reg_changes *changes);
	bool confirmed;      /* with every option that it needs */
	const char *missing; /* else: these, for the sentence */
	const void *arg;     /* plan()'s */
};
/* The exit status. */
int reg_write_run(const struct reg_writing *writing, const struct globals *globals);

#endif
