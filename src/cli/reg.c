// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of `uncorectl reg ...`: one table, of which each command accepts a part. */
#include "cli/reg.h"

#include <getopt.h>
#include <string.h>

#include "base/text.h"

enum { FORMAT = 1000, WRITE, KEEP, FOR, UNMAPPED, BUT, MAP, OBSERVE, HELP };

static bool is_taken(int option, unsigned takes)
{
	switch (option) {
	case WRITE:
	case KEEP:
	case FOR:
		return takes & REG_WRITES;
	case UNMAPPED:
		return takes & REG_UNMAPPED;
	case 'i':
	case 'n':
		return takes & REG_WATCHES;
	case BUT:
		return takes & REG_DIFFS;
	case MAP:
		return takes & REG_EXPLAINS;
	case OBSERVE:
		return !(takes & (REG_DIFFS | REG_EXPLAINS)); /* these commands read no register */
	default:
		return true;
	}
}

static int parse_seconds(const char *name, const char *option, uint64_t *ret_ns)
{
	double seconds;

	if (!unc_text_double(optarg, &seconds) || seconds < 1e-6 || seconds > 1e6)
		return usage_error("%s: %s %s: not a number of seconds from 0.000001 to 1000000", name, option, optarg);
	*ret_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return EXIT_DONE;
}

static int parse_option(const struct reg_command *command, int option, char **argv, struct reg_options *options)
{
	switch (option) {
	case FORMAT:
		return parse_format(command->name, optarg, &options->format);
	case 'o':
		options->path = optarg;
		return EXIT_DONE;
	case WRITE:
		options->write = true;
		return EXIT_DONE;
	case KEEP:
		options->keep = true;
		return EXIT_DONE;
	case OBSERVE:
		options->observe = true;
		return EXIT_DONE;
	case UNMAPPED:
		options->unmapped = true;
		return EXIT_DONE;
	case FOR:
		return parse_seconds(command->name, "--for", &options->for_ns);
	case 'i':
		return parse_seconds(command->name, "-i", &options->interval_ns);
	case 'n':
		if (!unc_text_u64(optarg, &options->count) || options->count == 0)
			return usage_error("%s: -n %s: not a number of looks above 0", command->name, optarg);
		return EXIT_DONE;
	case BUT:
		if (options->n_but == REG_BUT_MAX)
			return usage_error("%s: --but %s: no more than %d of them", command->name, optarg, REG_BUT_MAX);
		options->but[options->n_but++] = optarg;
		return EXIT_DONE;
	case MAP:
		options->map = optarg;
		return EXIT_DONE;
	default:
		return bad_option(argv, option, command->name);
	}
}

/* Reports options that exclude each other. */
static int contradiction(const struct reg_command *command, const struct reg_options *options)
{
	if (options->keep && options->for_ns)
		return usage_error("%s: --keep or --for, not both", command->name);
	if (options->keep && options->command)
		return usage_error("%s: --keep or a COMMAND, not both", command->name);
	if (options->for_ns && options->command)
		return usage_error("%s: --for or a COMMAND, not both", command->name);
	return EXIT_DONE;
}

/* The COMMAND follows --. getopt_long() would mix it with the arguments before. */
static int cut_command(const struct reg_command *command, int argc, char **argv, struct reg_options *options,
		       int *ret_status)
{
	*ret_status = EXIT_DONE;
	if (!(command->takes & REG_WRITES))
		return argc;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		options->command = argv + i + 1;
		if (i + 1 == argc)
			*ret_status = usage_error("%s: there is no COMMAND after --", command->name);
		return i;
	}
	return argc;
}

/* True: go on.  False: end with *ret_status. */
static bool reg_options_parse(const struct reg_command *command, int argc, char **argv, struct reg_options *ret_options,
			      int *ret_status)
{
	static const struct option long_options[] = {
		{"format", required_argument, NULL, FORMAT},
		{"output", required_argument, NULL, 'o'},
		{"write", no_argument, NULL, WRITE},
		{"keep", no_argument, NULL, KEEP},
		{"for", required_argument, NULL, FOR},
		{"unmapped", no_argument, NULL, UNMAPPED},
		{"interval", required_argument, NULL, 'i'},
		{"count", required_argument, NULL, 'n'},
		{"but", required_argument, NULL, BUT},
		{"map", required_argument, NULL, MAP},
		{"observe", no_argument, NULL, OBSERVE},
		{"help", no_argument, NULL, HELP},
		{NULL, 0, NULL, 0},
	};
	struct reg_options options = {.interval_ns = 1000000000};
	int option;

	argc = cut_command(command, argc, argv, &options, ret_status);
	while (*ret_status == EXIT_DONE && (option = getopt_long(argc, argv, ":o:i:n:h", long_options, NULL)) != -1) {
		if (option == HELP || option == 'h') {
			*ret_status = show_text(command->help);
			return false;
		}
		if (is_taken(option, command->takes))
			*ret_status = parse_option(command, option, argv, &options);
		else
			*ret_status = usage_error("%s: there is no option %s; see `uncorectl %s --help`", command->name,
						  argv[optind - 1], command->name);
	}
	if (*ret_status == EXIT_DONE)
		*ret_status = contradiction(command, &options);
	if (*ret_status != EXIT_DONE)
		return false;
	options.args = argv + optind;
	options.n_args = argc - optind;
	*ret_options = options;
	return true;
}

/* uncorectl reg: registers by their names. */

static const struct reg_command *const commands[] = {&reg_dump,  &reg_get,     &reg_set, &reg_diff,
						     &reg_watch, &reg_explain, &reg_raw};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char help[] =
	"usage: uncorectl reg WHAT ...\n"
	"\n"
	"  reg dump [BOX]                         every register of a box, field by field\n"
	"  reg get BOX.REG[.FIELD]...             some of them\n"
	"  reg set BOX.REG[.FIELD]=VALUE... --write   write, and put back in the end\n"
	"  reg watch BOX.REG[.FIELD]... -i S      tell when they change\n"
	"  reg diff A B                           what two dumps differ in\n"
	"  reg explain NAME[=VALUE]|VALUE...      what a register means, without a machine\n"
	"  reg raw pci ADDRESS OFFSET [VALUE]     a register that no map names\n"
	"  reg raw msr CPU NUMBER [VALUE]\n"
	"\n"
	"BOX names have dots in them (socket0.imc0.ch2); REG is the first part with a capital letter,\n"
	"FIELD stands behind it. In all three * stands for any text and ? for one character, e.g.\n"
	"'socket*.imc0.ch?.CTL[*].en' or '*.BOX_CTL'. CTL without an index is every element of it.\n"
	"Each CPU's registers of cache monitoring are cpu17.rdt; a pattern for them begins with cpu.\n"
	"\n"
	"With --observe, for all that reads registers, none is written, and --write is refused.\n"
	"\n"
	"`uncorectl reg WHAT --help` tells the options of each.\n";

static int run(const struct reg_command *command, const struct globals *globals, const struct reg_options *options)
{
	struct globals with = *globals;
	int status = globals_observe(&with, options->observe);

	if (status != EXIT_DONE)
		return status;
	if (with.observe && options->write) {
		say("%s: --observe writes no register, so this one cannot be written", command->name);
		return EXIT_NOT_PERMITTED;
	}
	return command->run(command, &with, options);
}

static int reg_run(const struct globals *globals, int argc, char **argv)
{
	struct reg_options options;
	int status = EXIT_DONE;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return show_text(help);
	for (unsigned i = 0; argc > 1 && i < N_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i]->name + strlen("reg ")) != 0)
			continue;
		if (!reg_options_parse(commands[i], argc - 1, argv + 1, &options, &status))
			return status;
		return run(commands[i], globals, &options);
	}
	return usage_error("reg: %s: there are `reg dump`, get, set, watch, diff, explain and raw; see `uncorectl reg "
			   "--help`",
			   argc < 2 ? "what?" : argv[1]);
}

const struct command reg_command = {
	.name = "reg",
	.summary = "registers by name: read, write, watch, compare, explain",
	.run = reg_run,
};
