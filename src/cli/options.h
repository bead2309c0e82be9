/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command as data: parsing and --help come from one table, in the order in which --help shows them.
 */
#ifndef UNC_CLI_OPTIONS_H
#define UNC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option_given {
	const char *command; /* "reg get" */
	const char *option;  /* as it is called in messages: "-i" or "--for" */
	const char *value;   /* NULL: it has none */
};
/* Takes an option into its member.  EXIT_DONE, or the exit status after a message. */
typedef int option_fn(void *member, const struct option_given *given);

struct option_def {
	const char *name;     /* without --; NULL: no option, but a line of --help that begins with argument */
	char letter;          /* 0: none */
	bool both;            /* --help shows letter and name, else the letter alone, if there is one */
	const char *argument; /* what its value is called in --help; NULL: it has none */
	const char *help;     /* its text in --help, in lines; NULL: it is not shown */
	option_fn *take;
	size_t offset; /* of its member in command_line.own; */
	bool shared;   /* or in command_line.shared */
};

struct command_line {
	const char *command;
	const char *usage, *notes;        /* of --help: what is before and after the options */
	void (*write_usage)(FILE *out);   /* instead of usage; NULL: it is usage */
	int column;                       /* in which the texts of the options begin in --help */
	const struct option_def *options; /* ended by an element of all zeros; --help and -h are added */
	void *own, *shared;
	bool stops; /* at the first argument that is not an option */
};

/* Returns the index of the first argument that is not an option.  0: end with *ret_status: --help was shown, or an option was wrong. */
int command_line_parse(const struct command_line *line, int argc, char **argv, int *ret_status);

option_fn option_flag;    /* bool */
option_fn option_text;    /* const char *; not owned */
option_fn option_format;  /* enum format */
option_fn option_seconds; /* uint64_t, in nanoseconds */
option_fn option_count;   /* uint64_t, above 0 */

#define OPTION_OBSERVE(text, type)                                                                                     \
	{                                                                                                              \
		.name = "observe", .help = text, .take = option_flag, .offset = offsetof(type, observe),               \
		.shared = true                                                                                         \
	}
#define OPTION_FORMAT(text, type)                                                                                      \
	{                                                                                                              \
		.name = "format", .argument = "FORMAT", .help = text, .take = option_format,                           \
		.offset = offsetof(type, format), .shared = true                                                       \
	}
#define OPTION_OUTPUT(text, type)                                                                                      \
	{                                                                                                              \
		.name = "output", .letter = 'o', .argument = "FILE", .help = text, .take = option_text,                \
		.offset = offsetof(type, path), .shared = true                                                         \
	}

#endif
