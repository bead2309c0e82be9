/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the commands `uncorectl reg ...` share: their options, and the rows that they print of a register. */
#ifndef UNC_CLI_REG_H
#define UNC_CLI_REG_H

#include "cli/cli.h"
#include "cli/emit.h"
#include "uncore/reg.h"

enum {                        /* the options of a command in addition to --format, -o and --help */
       REG_WRITES = 1 << 0,   /* --write --keep --for, COMMAND */
       REG_UNMAPPED = 1 << 1, /* --unmapped */
       REG_WATCHES = 1 << 2,  /* -i -n */
       REG_DIFFS = 1 << 3,    /* --but */
       REG_EXPLAINS = 1 << 4, /* --map */
};
enum { REG_BUT_MAX = 32 };

struct reg_options {
	enum format format;
	const char *path; /* NULL: stdout */
	bool write, keep, unmapped, observe;
	uint64_t for_ns;      /* 0: not given */
	uint64_t interval_ns; /* 1 s if not given */
	uint64_t count;       /* 0: not given */
	const char *but[REG_BUT_MAX];
	unsigned n_but;
	const char *map; /* NULL: none */
	char **args;
	int n_args;
	char **command; /* NULL: none */
};

struct reg_command {
	const char *name; /* "reg get" */
	const char *help;
	unsigned takes;
	int (*run)(const struct reg_command *self, const struct globals *globals, const struct reg_options *options);
};
extern const struct reg_command reg_dump, reg_get, reg_set, reg_diff, reg_watch, reg_explain, reg_raw;

/* True: go on.  False: end with *ret_status. */
bool reg_options_parse(const struct reg_command *command, int argc, char **argv, struct reg_options *ret_options,
		       int *ret_status);

/* Opens the output: fd unless -o is given.  EXIT_DONE, or an exit status after a message. */
int reg_output_open(const struct globals *globals, const struct reg_options *options, int fd, struct output *out);

/* "CTL[3]" */
enum { REG_NAME_MAX = 48 };
const char *reg_name(const struct unc_reg_info *reg, char buf[REG_NAME_MAX]);

/* The columns of dump and get: one record per field. */
extern const struct column reg_columns[];
extern const size_t reg_n_columns;
/* Emits the fields that match the pattern, NULL: all.  A table leaves out reserved zeros. */
void reg_emit(struct unc_box *box, size_t reg, uint64_t value, const char *field_pattern, struct emitter *emitter);
/* "en:0x0->0x1;ev_sel:0x4->0x0": the fields in which two values of a register differ.  Returns buf. */
const char *reg_changed_text(const struct unc_box *box, size_t reg, uint64_t was, uint64_t now, char *buf, size_t size);

#endif
