// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg: the table of its commands, and reg raw, which reads registers that no map names. */
#include "cli/reg.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* ---- reg raw ---- */

static const char usage[] =
	"usage: uncorectl reg raw pci ADDRESS OFFSET [VALUE --write --unmapped [OPTION]... [-- COMMAND...]]\n"
	"       uncorectl reg raw msr CPU NUMBER [VALUE --write --unmapped [OPTION]... [-- COMMAND...]]\n"
	"       uncorectl reg raw mmio UNIT OFFSET\n"
	"\n"
	"Reads a register that no map needs to name: 32 bits of the configuration space of a PCI function\n"
	"(ADDRESS as 0000:7f:10.4 or 7f:10.4), or a model-specific register of 64 bits. With VALUE it is\n"
	"written, shown and put back at the end as by `reg set`; the bits are written as given. Refused is\n"
	"what a map names, the configuration header (0x00 to 0x3f), and a bridge. A UNIT of a discovery\n"
	"table (06:00.1/7.2: function of the table, type, id; see `list -v`) is only read. Numbers are\n"
	"decimal or 0x-hex.\n";
static const char notes[] = "Exit status as of `reg set`.\n";

/* clang-format off */
static const struct column columns[] = {
	{"box", "at", COLUMN_TEXT, false},
	{"offset", "offset", COLUMN_HEX, false},
	{"value", "value", COLUMN_HEX, false},
};
/* clang-format on */

enum kind { PCI, MSR, MMIO };
static const char *const kinds[] = {"pci", "msr", "mmio", NULL};

struct place {
	unsigned kind;
	const char *address; /* not of an MSR */
	unsigned cpu;
	uint32_t offset;
	bool has_value;
	uint64_t value;
};

static int parse_place(const char *command, const struct reg_options *options, struct place *ret_place)
{
	struct place place = {0};
	uint64_t cpu = 0, offset;

	if (options->n_args < 3 || options->n_args > 4)
		return usage_error("%s: which? pci ADDRESS OFFSET [VALUE], msr CPU NUMBER [VALUE], or mmio UNIT OFFSET",
				   command);
	while (kinds[place.kind] && strcmp(options->args[0], kinds[place.kind]) != 0)
		place.kind++;
	if (!kinds[place.kind])
		return usage_error("%s: %s: there are pci, msr and mmio", command, options->args[0]);
	if (place.kind == MSR && (!unc_text_u64(options->args[1], &cpu) || cpu > UINT32_MAX))
		return usage_error("%s: %s: not the number of a CPU", command, options->args[1]);
	if (!unc_text_u64(options->args[2], &offset) || offset > UINT32_MAX)
		return usage_error("%s: %s: not %s, decimal or 0x-hex", command, options->args[2],
				   place.kind == MSR ? "the number of a register" : "an offset");
	place.has_value = options->n_args == 4;
	if (place.has_value && !unc_text_u64(options->args[3], &place.value))
		return usage_error("%s: %s: the value is not a number, decimal or 0x-hex", command, options->args[3]);
	if (place.kind == MMIO && place.has_value)
		return usage_error("%s: %s: a unit that only a discovery table names is never written", command,
				   options->args[1]);
	if (place.kind == PCI && place.value > UINT32_MAX)
		return usage_error("%s: %s: wider than the 32 bits of a register", command, options->args[3]);
	place.address = options->args[1];
	place.cpu = (unsigned)cpu;
	place.offset = (uint32_t)offset;
	*ret_place = place;
	return EXIT_DONE;
}

static int find(const struct opened *opened, const struct place *place, struct unc_box **ret_box)
{
	int rc;

	if (place->kind == PCI)
		rc = unc_raw_pci(opened->machine, place->address, place->offset, ret_box);
	else if (place->kind == MSR)
		rc = unc_raw_msr(opened->machine, place->cpu, place->offset, ret_box);
	else
		rc = unc_raw_mmio(opened->machine, place->address, place->offset, ret_box);
	return rc < 0 ? fail_with(opened->ctx, rc) : EXIT_DONE;
}

static int show(struct opened *opened, const struct reg_options *options, const void *arg, struct emitter *emitter)
{
	struct unc_box_info where;
	struct unc_reg_info reg;
	struct unc_box *box;
	uint64_t value;
	int status = find(opened, arg, &box), rc;

	(void)options;
	if (status != EXIT_DONE)
		return status;
	rc = unc_box_reg_read(box, 0, &value);
	if (rc == 0)
		rc = unc_box_reg_info(box, 0, &reg);
	if (rc != 0)
		return fail_with(opened->ctx, rc);
	unc_box_info(box, &where);
	emit_values(emitter,
		    (struct value[]){text_value(where.name), hex_value(reg.offset, 2), hex_value(value, reg.bits / 4)});
	return emit_sample(emitter, NULL) ? EXIT_DONE : EXIT_FAILED;
}

static int plan(const struct reg_writing *writing, struct opened *opened, struct reg_changes *changes)
{
	const struct place *place = writing->arg;
	struct reg_change change = {.value = place->value};
	int status = find(opened, place, &change.box);

	return status == EXIT_DONE ? reg_changes_add(opened, changes, &change) : status;
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct place place = {0};
	struct reg_writing writing = {
		.self = self,
		.options = options,
		.plan = plan,
		.confirmed = options->write && options->unmapped,
		.missing = options->write      ? "--unmapped"
			   : options->unmapped ? "--write"
					       : "--write --unmapped",
		.arg = &place,
	};
	int status = parse_place(self->line.command, options, &place);

	if (status != EXIT_DONE)
		return status;
	if (place.has_value)
		return reg_write_run(&writing, globals);
	if (options->write || options->command)
		return usage_error("%s: there is no VALUE to write", self->line.command);
	return reg_read_run(globals, options, EMIT_COLUMNS(columns), show, &place);
}

static const struct option_def option_defs[] = {
	{"write", NULL, option_flag, offsetof(struct reg_options, write), .help = "write, and do not only show"},
	{"unmapped", NULL, option_flag, offsetof(struct reg_options, unmapped),
	 .help = "needed to write, since no map says what the bits mean"},
	{"for", "SECONDS", option_seconds, offsetof(struct reg_options, for_ns), .help = "put back after SECONDS"},
	{"keep", NULL, option_flag, offsetof(struct reg_options, keep), .help = "do not put back"},
	REG_OBSERVE,
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl",
		    "write the data to FILE; with a COMMAND it goes to stderr else"),
};

const struct reg_command reg_raw = {
	{"reg raw", usage, notes, .options = option_defs}, .run = run, .takes_command = true};

/* ---- the commands ---- */

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
	struct reg_options options = {.interval_ns = 1000000000};
	struct command_line line;
	int status, first, end = 1;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return show_text(help);
	for (unsigned i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i]->line.command + strlen("reg ")) == 0)
			command = commands[i];
	if (!command)
		return usage_error("reg: %s: there are `reg dump`, get, set, watch, diff, explain and raw; see "
				   "`uncorectl reg --help`",
				   argc < 2 ? "what?" : argv[1]);
	line = command->line;
	line.own = line.shared = &options;
	argc--;
	argv++;
	/* The COMMAND follows --. getopt_long() would mix it with the arguments before. */
	while (end < argc && !(command->takes_command && strcmp(argv[end], "--") == 0))
		end++;
	if (end < argc)
		options.command = argv + end + 1;
	if (end + 1 == argc)
		return usage_error("%s: there is no COMMAND after --", line.command);
	first = command_line_parse(&line, end, argv, &status);
	if (first == 0)
		return status;
	options.args = argv + first;
	options.n_args = end - first;
	if ((options.keep != 0) + (options.for_ns != 0) + (options.command != NULL) > 1)
		return usage_error("%s: %s or %s, not both", line.command, options.keep ? "--keep" : "--for",
				   options.keep && options.for_ns ? "--for" : "a COMMAND");
	status = globals_observe(&with, options.observe);
	if (status != EXIT_DONE)
		return status;
	if (with.observe && options.write)
		return refuse(EXIT_NOT_PERMITTED, "%s: --observe writes no register, so this one cannot be written",
			      line.command);
	return command->run(command, &with, &options);
}

const struct command reg_command = {"reg", "registers by name: read, write, watch, compare, explain", reg_run};
