/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes registers for a limited time: shows what would be written, or writes, shows old and new values, holds them until told to
 * end, puts the old values back and shows that.
 */
#ifndef UNC_CLI_REG_WRITE_H
#define UNC_CLI_REG_WRITE_H

#include "cli/reg.h"

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
/* The value that the register will hold before the next change: read from it, or left there by the last change. */
int reg_changes_was(const struct opened *opened, const struct reg_changes *changes, struct unc_box *box, size_t reg,
		    uint64_t *ret_was);
/* Adds a change, if it is allowed.  EXIT_DONE, or the exit status after a message.  Writes nothing. */
int reg_changes_add(const struct opened *opened, struct reg_changes *changes, const struct reg_change *change);

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
