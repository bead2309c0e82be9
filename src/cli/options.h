/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command as data: parsing, --help, completion and the manual page come from one table, in the order in which
 * --help shows them.  `--help=table` prints the table for completion and tools/page-options.
 */
#ifndef UNC_CLI_OPTIONS_H
#define UNC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct option_given {
	const char *command; /* "reg get" */
	const char *option;  /* as it is called in messages: "-i" or "--for" */
	const char *value;   /* NULL: it has none */
	const char *const *words;
};
/* Takes an option into its member.  EXIT_DONE, or the exit status after a message. */
typedef int option_fn(void *member, const struct option_given *given);

enum option_file { OPTION_NO_FILE, OPTION_WRITES, OPTION_READS }; /* what is done with the file that its value names */

struct option_def {
	const char *name;     /* without --; NULL: no option, but a line of --help that begins with argument */
	const char *argument; /* what its value is called in --help; NULL: it has none */
	option_fn *take;
	size_t offset;    /* of its member in command_line.own, or in command_line.shared */
	const char *help; /* its text in --help, in lines; NULL: it is not shown */
	char letter;      /* 0: none */
	bool both;        /* --help shows letter and name, else the letter alone, if there is one */
	bool shared;
	enum option_file file;
	const char *const *words; /* for option_word: its values, two at least, then NULL; "" is none of them */
};

struct command_line {
	const char *command;
	const char *usage,
		*notes; /* of --help: what is before and after the options, each apart from them by an empty line */
	const struct option_def *options; /* ended by an element of all zeros; --help and -h are added */
	void *own, *shared;
	bool stops; /* at the first argument that is not an option */
	int column; /* in which the texts of the options begin in --help; 0: the usual one */
};

/*
 * The command with its options and arguments, as they were parsed last, without what belongs to a computer or a person: names of
 * files, and the COMMAND.
 */
const char *options_given(void);
/* Does the data go to a file (-o FILE)? */
bool options_write_file(void);
/* Returns the index of the first argument that is not an option.  0: end with *ret_status: --help was shown, or an option was wrong. */
int command_line_parse(const struct command_line *line, int argc, char **argv, int *ret_status);

/* The options of every command, before it or after it; ended by an element of all zeros. */
extern const struct option_def global_options[];
struct globals;
/*
 * Takes those after the command argv[0] into globals, up to the "--" after n_dashes others, and removes them from argv, which ends with
 * NULL, and *argc.  EXIT_DONE, or the exit status after a message.
 */
int options_take_globals(struct globals *globals, char **argv, unsigned n_dashes, int *argc);

/*
 * Is shown the options and arguments of a command in their order before any is taken: option as "-n" or "--per", its value, or NULL
 * if it has none; an argument has neither def nor option.  The last one is "--", if that is there; what follows is not shown.
 * EXIT_DONE, or the exit status after a message.
 */
typedef int option_watch_fn(void *arg, const struct option_def *def, const char *option, const char *value);
/* From now on; NULL: no more.  Meanwhile options that name a file to read get UNC_RECORD_INPUT as its name. */
void options_watch(option_watch_fn *watch, void *arg);

option_fn option_flag;    /* bool */
option_fn option_text;    /* const char *; not owned */
option_fn option_word;    /* an enum, the place of the value in .words */
option_fn option_seconds; /* uint64_t, in nanoseconds; "500ms", "2m", "10s", "1h", or a number of seconds */
option_fn option_count;   /* uint64_t, above 0 */
option_fn option_cpus;    /* struct cpu_list; once or more */
struct cpu_list;
/* The same of a part of what was given. */
int option_add_cpus(struct cpu_list *list, const struct option_given *given, const char *text);

extern const char *const option_formats[]; /* the words of enum format */

/* clang-format off */
#define OPTION_OBSERVE(text, type) {"observe", NULL, option_flag, offsetof(type, observe), .help = text, .shared = true}
/* --format and -o, with which the table of a command that prints data ends. */
#define OPTION_DATA(type, formats, output) \
	{"format", "FORMAT", option_word, offsetof(type, format), .help = formats, .shared = true, .words = option_formats}, \
	OPTION_OUTPUT(type, output)
#define OPTION_OUTPUT(type, text) \
	{"output", "FILE", option_text, offsetof(type, path), .help = text, .letter = 'o', .shared = true, .file = OPTION_WRITES}, \
	{0}
/* clang-format on */

#endif
