// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg: registers by their names, and what its commands share. */
#include "cli/reg.h"

#include <string.h>

#include "base/text.h"

/* True: go on.  False: end with *ret_status. */
static bool reg_options_parse(const struct reg_command *command, int argc, char **argv, struct reg_options *options,
			      int *ret_status)
{
	const struct command_line line = {command->name,    command->usage, command->notes,
					  command->options, .own = options, .shared = options};
	int first, end = 1;

	*options = (struct reg_options){.interval_ns = 1000000000};
	/* The COMMAND follows --. getopt_long() would mix it with the arguments before. */
	while (end < argc && !(command->takes_command && strcmp(argv[end], "--") == 0))
		end++;
	if (end < argc)
		options->command = argv + end + 1;
	if (end + 1 == argc) {
		*ret_status = usage_error("%s: there is no COMMAND after --", command->name);
		return false;
	}
	first = command_line_parse(&line, end, argv, ret_status);
	if (first == 0)
		return false;
	options->args = argv + first;
	options->n_args = end - first;
	if (options->keep && options->for_ns)
		*ret_status = usage_error("%s: --keep or --for, not both", command->name);
	else if (options->keep && options->command)
		*ret_status = usage_error("%s: --keep or a COMMAND, not both", command->name);
	else if (options->for_ns && options->command)
		*ret_status = usage_error("%s: --for or a COMMAND, not both", command->name);
	return *ret_status == EXIT_DONE;
}

static const struct reg_command *const commands[] = {&reg_dump,  &reg_get,     &reg_set, &reg_diff,
						     &reg_watch, &reg_explain, &reg_raw};

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
	"  reg raw mmio UNIT OFFSET               a unit of a discovery table\n"
	"\n"
	"BOX names have dots in them (socket0.imc0.ch2); REG is the first part with a capital letter,\n"
	"FIELD comes after it. In all three * is any text and ? is one character, e.g.\n"
	"'socket*.imc0.ch?.CTL[*].en' or '*.BOX_CTL'. CTL without an index is every element of it.\n"
	"Each CPU's registers of cache monitoring are cpu17.rdt; a pattern for them begins with cpu.\n"
	"\n"
	"With --observe, for all that reads registers, none is written, and --write is refused.\n"
	"\n"
	"`uncorectl reg WHAT --help` tells the options of each.\n";

static int reg_run(const struct globals *globals, int argc, char **argv)
{
	const struct reg_command *command = NULL;
	struct globals with = *globals;
	struct reg_options options;
	int status = EXIT_DONE;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return show_text(help);
	for (unsigned i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i]->name + strlen("reg ")) == 0)
			command = commands[i];
	if (!command)
		return usage_error("reg: %s: there are `reg dump`, get, set, watch, diff, explain and raw; see "
				   "`uncorectl reg --help`",
				   argc < 2 ? "what?" : argv[1]);
	if (!reg_options_parse(command, argc - 1, argv + 1, &options, &status))
		return status;
	status = globals_observe(&with, options.observe);
	if (status != EXIT_DONE)
		return status;
	if (with.observe && options.write) {
		say("%s: --observe writes no register, so this one cannot be written", command->name);
		return EXIT_NOT_PERMITTED;
	}
	return command->run(command, &with, &options);
}

const struct command reg_command = {"reg", "registers by name: read, write, watch, compare, explain", reg_run};
