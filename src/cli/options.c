// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/options.h"

#include <getopt.h>

#include "access/record_text.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/number.h"

enum { COLUMN = 19, OPTIONS_MAX = 32, FIRST = 1000, HELP = 999, ARGUMENT = 1, LABEL_MAX = 64 };

static option_watch_fn *watcher; /* NULL: none */
static void *watcher_arg;

static char given_text[400]; /* options_given() */
static bool writes_file;

bool options_write_file(void)
{
	return writes_file;
}

const char *options_given(void)
{
	return given_text;
}

/* Adds an option or an argument as it is typed; a file is called FILE, since its name belongs to a computer. */
static void add_given(const struct option_def *def, const char *option, const char *value)
{
	if (def && def->file == OPTION_WRITES)
		return;
	if (option)
		unc_text_join(given_text, sizeof(given_text), " ", "%s", option);
	if (value)
		unc_text_join(given_text, sizeof(given_text), " ", "%s", def && def->file ? "FILE" : value);
}

void options_watch(option_watch_fn *watch, void *arg)
{
	watcher = watch;
	watcher_arg = arg;
}

int option_flag(void *member, const struct option_given *given)
{
	(void)given;
	*(bool *)member = true;
	return EXIT_DONE;
}

int option_text(void *member, const struct option_given *given)
{
	*(const char **)member = given->value;
	return EXIT_DONE;
}

const char *const option_formats[] = {[FORMAT_TABLE] = "table", [FORMAT_CSV] = "csv", [FORMAT_JSONL] = "jsonl", NULL};

int option_word(void *member, const struct option_given *given)
{
	const char *last = NULL;
	char known[100] = "";

	for (unsigned i = 0; given->words[i]; i++) {
		if (!*given->words[i])
			continue;
		if (strcmp(given->value, given->words[i]) == 0) {
			*(unsigned *)member = i;
			return EXIT_DONE;
		}
		if (last)
			unc_text_join(known, sizeof(known), ", ", "%s", last);
		last = given->words[i];
	}
	return usage_error("%s: %s %s: there are %s and %s", given->command, given->option, given->value, known, last);
}

int option_seconds(void *member, const struct option_given *given)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"", 1}};
	size_t len = strspn(given->value, "0123456789.eE+-"), i = 0;
	char number[64];
	double seconds;

	snprintf(number, sizeof(number), "%.*s", (int)len, given->value);
	while (*units[i].name && strcmp(given->value + len, units[i].name) != 0)
		i++;
	if (strlen(given->value + len) != strlen(units[i].name) || !unc_text_double(number, &seconds) ||
	    (seconds *= units[i].seconds) < 1e-6 || seconds > 1e6)
		return usage_error("%s: %s %s: not a time from 0.000001 to 1000000 seconds, such as 2, 0.5s, 500ms, 2m "
				   "or 1h",
				   given->command, given->option, given->value);
	*(uint64_t *)member = (uint64_t)(seconds * 1e9 + 0.5);
	return EXIT_DONE;
}

int option_count(void *member, const struct option_given *given)
{
	uint64_t *count = member;

	if (!unc_text_u64(given->value, count) || *count == 0)
		return usage_error("%s: %s %s: not a number above 0", given->command, given->option, given->value);
	return EXIT_DONE;
}

int option_add_cpus(struct cpu_list *list, const struct option_given *given, const char *text)
{
	switch (cpu_list_add(list, text)) {
	case CPU_LIST_GOOD:
		return EXIT_DONE;
	case CPU_LIST_NO_MEMORY:
		return no_memory();
	case CPU_LIST_TOO_HIGH:
		return refuse(EXIT_NOT_HERE, "%s: %s %s: there is no such CPU, the highest that could be is %d",
			      given->command, given->option, given->value, CPU_LIST_MAX);
	default:
		return usage_error("%s: %s %s: not a list of CPUs, such as 0-3,8", given->command, given->option,
				   *given->value ? given->value : "\"\"");
	}
}

int option_cpus(void *member, const struct option_given *given)
{
	return option_add_cpus(member, given, given->value);
}

/* ---- --help ---- */

/* begin: before each further line. */
static void put_lines(FILE *out, const char *text, const char *begin)
{
	for (const char *c = text; *c; c++) {
		putc(*c, out);
		if (*c == '\n')
			fputs(begin, out);
	}
	putc('\n', out);
}

/* For programs: letter, name, argument, words and help of each option with tabs between them; further lines of help have only that. */
static int show_table(const struct command_line *line)
{
	for (const struct option_def *def = line->options; def->name || def->argument; def++) {
		printf("%.1s\t%s\t%s\t", &def->letter, def->name ? def->name : "", def->argument ? def->argument : "");
		for (const char *const *word = def->words; word && *word; word++)
			if (**word)
				printf("%s ", *word);
		putchar('\t');
		put_lines(stdout, def->help ? def->help : "", "\t\t\t\t");
	}
	return show_text("");
}

static int show_help(const struct command_line *line)
{
	int status, column = line->column ? line->column : COLUMN;
	char *text = NULL, begin[LABEL_MAX];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	snprintf(begin, sizeof(begin), "%*s", column, "");
	if (!out)
		return EXIT_FAILED;
	fprintf(out, "%s\n", line->usage);
	for (const struct option_def *def = line->options; def->name || def->argument; def++) {
		char label[LABEL_MAX] = ""; /* "-i SECONDS", "--per WHAT", "-v, --verbose" */

		if (!def->help)
			continue;
		if (def->letter)
			snprintf(label, sizeof(label), "-%c", def->letter);
		if (def->name && (!def->letter || def->both))
			unc_text_join(label, sizeof(label), ", ", "--%s", def->name);
		if (def->argument)
			unc_text_join(label, sizeof(label), " ", "%s", def->argument);
		if ((int)strlen(label) < column - 2)
			fprintf(out, "  %-*s", column - 2, label);
		else
			fprintf(out, "  %s\n%s", label, begin);
		put_lines(out, def->help, begin);
	}
	fprintf(out, "  -h, --help\n%s%s", *line->notes ? "\n" : "", line->notes);
	status = fclose(out) == 0 ? show_text(text) : EXIT_FAILED;
	free(text);
	return status;
}

/* ---- parsing ---- */

static const struct option_def *find_option(const struct command_line *line, int option)
{
	if (option >= FIRST)
		return &line->options[option - FIRST];
	for (const struct option_def *def = line->options; def->name || def->argument; def++)
		if (def->letter == option)
			return def;
	return NULL;
}

static const char *option_called(const struct option_def *def, char buf[LABEL_MAX])
{
	if (def->letter)
		snprintf(buf, LABEL_MAX, "-%c", def->letter);
	else
		snprintf(buf, LABEL_MAX, "--%s", def->name);
	return buf;
}

static int take(const struct command_line *line, const struct option_def *def)
{
	char *owner = def->shared ? line->shared : line->own;
	char name[LABEL_MAX];
	const struct option_given given = {
		.command = line->command,
		.option = option_called(def, name),
		.words = def->words,
		.value = watcher && def->file == OPTION_READS ? UNC_RECORD_INPUT : optarg,
	};

	add_given(def, given.option, def->argument ? optarg : NULL);
	if (def->file == OPTION_WRITES)
		writes_file = strcmp(optarg, "-") != 0;
	return def->take(owner + def->offset, &given);
}

static void offer_options(struct unc_nearest *nearest, const struct option_def *def)
{
	char name[LABEL_MAX];

	for (; def->name || def->argument; def++) {
		if (!def->name || !def->help)
			continue;
		snprintf(name, sizeof(name), "--%s", def->name);
		unc_nearest_offer(nearest, name);
	}
}

/* The messages of getopt_long() are not one sentence. */
static int bad_option(const struct command_line *line, const char *given, int option)
{
	const char *command = line->command;
	bool whole = strcmp(command, "uncorectl") != 0; /* of a command */
	char see[80], near[UNC_NEAREST_TEXT] = "", name[LABEL_MAX] = "-?";
	struct unc_nearest nearest = {.asked = name};

	snprintf(see, sizeof(see), "see `uncorectl %s%s--help`", whole ? command : "", whole ? " " : "");
	if (option == ':')
		return usage_error("%s%s%s needs a value; %s", whole ? command : "", whole ? ": " : "", given, see);
	if (optopt && given[0] == '-' && given[1] != '-') {
		name[1] = (char)optopt;
	} else {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(given, "="), given);
		offer_options(&nearest, line->options);
		if (whole)
			offer_options(&nearest, global_options);
		unc_nearest_text(&nearest, near);
	}
	return usage_error("%s%sthere is no option %s%s%s; %s", whole ? command : "", whole ? ": " : "", name, near,
			   whole || *near ? "" : " before the command", see);
}

/*
 * Shows the options and arguments to the watcher; argv may go on after argc with "--".  What is wrong is left to the parsing. letters:
 * as getopt_long() takes them, to return arguments too, in their order.
 */
static int show_watcher(const struct command_line *line, int argc, char **argv, const char *letters,
			const struct option *names)
{
	int option, status = EXIT_DONE, at = 1;
	char name[LABEL_MAX];

	optind = 0;
	while (status == EXIT_DONE && (option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct option_def *def = find_option(line, option);

		at = optind;
		if (option == ARGUMENT)
			status = watcher(watcher_arg, NULL, NULL, optarg);
		else if (def)
			status = watcher(watcher_arg, def, option_called(def, name), def->argument ? optarg : NULL);
	}
	if (status == EXIT_DONE && (optind > at || argv[argc])) /* getopt_long() has passed a "--" */
		status = watcher(watcher_arg, NULL, NULL, "--");
	return status;
}

int command_line_parse(const struct command_line *line, int argc, char **argv, int *ret_status)
{
	/* A letter has itself as its value, and a name without a letter FIRST and its place in the table. */
	char letters[2 * OPTIONS_MAX + 4] = "-:h", *to = letters + strlen(letters);
	struct option names[OPTIONS_MAX + 2] = {{"help", no_argument, NULL, HELP}}, *next = names + 1;
	int option;

	if (argc == 2 && strcmp(argv[1], "--help=table") == 0) {
		*ret_status = show_table(line);
		return 0;
	}
	for (const struct option_def *def = line->options; def->name || def->argument; def++) {
		if (!def->name)
			continue;
		*next++ = (struct option){def->name, def->argument ? required_argument : no_argument, NULL,
					  def->letter ? def->letter : FIRST + (int)(def - line->options)};
		if (def->letter)
			*to++ = def->letter;
		if (def->letter && def->argument)
			*to++ = ':';
	}
	snprintf(given_text, sizeof(given_text), "%s", line->command);
	opterr = 0;
	*ret_status = watcher ? show_watcher(line, argc, argv, letters, names) : EXIT_DONE;
	letters[0] = '+'; /* arguments are not returned, and the first one ends the options */
	optind = 0;       /* makes getopt start again */
	while (*ret_status == EXIT_DONE &&
	       (option = getopt_long(argc, argv, letters + !line->stops, names, NULL)) != -1) {
		const struct option_def *def = find_option(line, option);

		if (option == HELP || option == 'h') {
			*ret_status = show_help(line);
			return 0;
		}
		*ret_status =
			def ? take(line, def) : bad_option(line, argv[(optind < argc ? optind : argc) - 1], option);
	}
	if (line->stops && optind < argc)
		add_given(NULL, "--", "COMMAND");
	for (int i = optind; i < argc && !line->stops; i++)
		add_given(NULL, NULL, argv[i]);
	return *ret_status == EXIT_DONE ? optind : 0;
}

/* ---- global options after the command ---- */

/* Finds "--machine" or "--machine=M".  *ret_value: what is after the =, or NULL. */
static const struct option_def *find_global(const char *arg, const char **ret_value)
{
	size_t len = strcspn(arg, "=");

	*ret_value = arg[len] ? arg + len + 1 : NULL;
	for (const struct option_def *def = global_options; def->name; def++)
		if (strncmp(arg, "--", 2) == 0 && strlen(def->name) == len - 2 &&
		    strncmp(arg + 2, def->name, len - 2) == 0)
			return def;
	return NULL;
}

int options_take_globals(struct globals *globals, char **argv, unsigned n_dashes, int *argc)
{
	int n = 1, i = 1, status = EXIT_DONE;

	while (i < *argc && status == EXIT_DONE) {
		const char *value;
		const struct option_def *def = find_global(argv[i], &value);
		char name[LABEL_MAX];

		if (strcmp(argv[i], "--") == 0 && n_dashes-- == 0)
			break;
		if (!def || !def->help || (value && !def->argument)) {
			argv[n++] = argv[i++];
			continue;
		}
		option_called(def, name);
		i++;
		if (def->argument && !value && !(value = argv[i++]))
			return usage_error("%s: %s needs a value; see `uncorectl --help`", argv[0], name);
		status = def->take((char *)globals + def->offset,
				   &(struct option_given){.command = argv[0], .option = name, .value = value});
	}
	while (i < *argc)
		argv[n++] = argv[i++];
	argv[n] = NULL;
	*argc = n;
	return status;
}
