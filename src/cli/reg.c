// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg: registers by their names. */
#include "cli/reg.h"

#include <string.h>

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
