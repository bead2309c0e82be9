// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg dump: every register of a box, raw and field by field; reg get: some of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/channels.h"
#include "cli/reg.h"
#include "cli/reg_target.h"

static const char dump_help[] =
	"usage: uncorectl reg dump [--format FORMAT] [-o FILE] [BOX]\n"
	"\n"
	"Every register of the boxes whose name matches BOX (* and ?, e.g. socket0.imc0.ch*; without it of\n"
	"all), as read, and each of its fields. Reads only. Counters that run are read without stopping them.\n"
	"Boxes of CPUs (cpu17.rdt, cache monitoring) only where BOX begins with cpu: 'cpu*'.\n"
	"\n"
	"  --format FORMAT  table (default), csv or jsonl: one record per field\n"
	"  -o FILE          write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when reading failed, 3 when no box matches or is there, 4 when one\n"
	"is not permitted.\n";

static const char get_help[] =
	"usage: uncorectl reg get [--format FORMAT] [-o FILE] BOX.REG[.FIELD]...\n"
	"\n"
	"Reads registers and prints them as `reg dump` does, or the fields that are named. BOX names have\n"
	"dots in them (socket0.imc0.ch2): REG is the first part with a capital letter, FIELD stands\n"
	"behind it. In all three * stands for any text and ? for one character:\n"
	"\n"
	"  socket0.imc0.ch0.CTL[3]   'socket*.imc0.ch?.CTL[*].en'   '*.BOX_CTL'\n"
	"\n"
	"CTL without an index is every element of it.\n"
	"\n"
	"  --format FORMAT  table (default), csv or jsonl: one record per field\n"
	"  -o FILE          write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when reading failed, 2 when there is no such register or field, 3 when no box\n"
	"matches or is there, 4 when one is not permitted.\n";

static bool end_box(const struct unc_box *box, struct emitter *emitter)
{
	struct unc_box_info info;
	char caption[120];

	unc_box_info(box, &info);
	snprintf(caption, sizeof(caption), "%s  %s", info.name, info.pci);
	return emit_sample(emitter, caption);
}

static int show(struct opened *opened, struct unc_box *box, size_t reg, const char *field, struct emitter *emitter)
{
	uint64_t value;
	int rc = unc_box_reg_read(box, reg, &value);

	if (rc < 0)
		return fail_with(opened->ctx, rc);
	reg_emit(box, reg, value, field, emitter);
	return EXIT_DONE;
}

/* What a dump does not contain. */
struct gaps {
	struct absent absent;
	char lacking[400];  /* registers that not every CPU of the map has, and this one lacks: "L3_MASK, MBA_DELAY" */
	char missing[1024]; /* why the last box was absent: printed once for hundreds of CPUs without a driver */
};

/* Only the first access shows whether a box of MSRs is missing. */
static bool is_there(struct unc_box *box, struct gaps *gaps)
{
	struct unc_box_info info;

	unc_box_info(box, &info);
	if (info.presence != UNC_MISSING && info.presence != UNC_ABSENT)
		return true;
	if (!absent_add(&gaps->absent, &info) && strcmp(gaps->missing, info.why) != 0) {
		say("note: %s", info.why);
		snprintf(gaps->missing, sizeof(gaps->missing), "%s", info.why);
	}
	return false;
}

static void add_lacking(struct gaps *gaps, const char *name)
{
	size_t used = strlen(gaps->lacking);

	if (!unc_text_listed(gaps->lacking, name, strlen(name)) && used + strlen(name) + 3 <= sizeof(gaps->lacking))
		snprintf(gaps->lacking + used, sizeof(gaps->lacking) - used, "%s%s", used ? ", " : "", name);
}

/* In a dump, a missing register that a part may lack is not a failure. */
static int show_in_dump(struct opened *opened, struct unc_box *box, size_t reg, struct emitter *emitter,
			struct gaps *gaps)
{
	struct unc_reg_info info;
	uint64_t value;
	int rc = unc_box_reg_read(box, reg, &value);

	if (rc == UNC_EIO && unc_box_reg_info(box, reg, &info) == 0 && info.optional) {
		add_lacking(gaps, info.name);
		return EXIT_DONE;
	}
	if (rc < 0)
		return fail_with(opened->ctx, rc);
	reg_emit(box, reg, value, NULL, emitter);
	return EXIT_DONE;
}

/* *ret_dumped: the box is present, and was dumped. */
static int dump_box(struct opened *opened, struct unc_box *box, struct emitter *emitter, struct gaps *gaps,
		    bool *ret_dumped)
{
	size_t n = unc_box_reg_count(box);
	uint64_t value;
	int status, rc;

	*ret_dumped = false;
	rc = n ? unc_box_reg_read(box, 0, &value) : UNC_OK;
	if (rc == UNC_ENODEV && !is_there(box, gaps))
		return EXIT_DONE;
	if (rc < 0)
		return fail_with(opened->ctx, rc);
	status = EXIT_DONE;
	if (n)
		reg_emit(box, 0, value, NULL, emitter);
	for (size_t i = 1; i < n && status == EXIT_DONE; i++)
		status = show_in_dump(opened, box, i, emitter, gaps);
	if (status != EXIT_DONE)
		return status;
	*ret_dumped = true;
	return end_box(box, emitter) ? EXIT_DONE : EXIT_FAILED;
}

/* As need_counters(), but the boxes of CPUs can be dumped without channels. */
static int need_any(const struct opened *opened)
{
	const char *of_cpus = reg_boxes_of_cpus(opened);
	int status = need_counters(opened);

	if (status != EXIT_DONE && of_cpus)
		say("reg dump: boxes of CPUs there are: `uncorectl reg dump cpu0.%s`, or 'cpu*' for those of all",
		    of_cpus);
	return status;
}

static int dump_boxes(struct opened *opened, const struct reg_options *options, struct emitter *emitter)
{
	const char *pattern = options->n_args ? options->args[0] : NULL;
	size_t n_dumped = 0, n_failed = 0;
	struct gaps gaps = {.lacking = ""};
	struct reg_boxes boxes;
	int status;

	status = reg_boxes_find(opened, pattern, &boxes);
	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0; i < boxes.n && status == EXIT_DONE; i++) {
		bool dumped;
		uint64_t none;

		if (!is_there(boxes.items[i], &gaps)) {
			n_failed += unc_box_reg_read(boxes.items[i], 0, &none) == UNC_EIO; /* not found: not read */
			continue;
		}
		status = dump_box(opened, boxes.items[i], emitter, &gaps, &dumped);
		n_dumped += dumped;
	}
	absent_say(&gaps.absent);
	if (*gaps.lacking)
		say("note: this processor has no %s, or not all of them: they are left out", gaps.lacking);
	if (status == EXIT_DONE && boxes.n == 0 && !pattern)
		status = need_any(opened);
	if (status == EXIT_DONE && boxes.n == 0)
		say("reg dump: no box is called \"%s\"; %s", pattern ? pattern : "*",
		    reg_boxes_none(pattern ? pattern : "*"));
	else if (status == EXIT_DONE && n_dumped == 0)
		say("reg dump: none of these boxes answers");
	reg_boxes_clear(&boxes);
	if (status == EXIT_DONE && n_dumped == 0)
		return n_failed ? EXIT_FAILED : EXIT_NOT_HERE;
	return status;
}

static int get_places(struct opened *opened, const struct reg_options *options, struct reg_target *targets,
		      struct emitter *emitter)
{
	struct reg_places places = {0};
	int status = EXIT_DONE;

	for (int i = 0; i < options->n_args && status == EXIT_DONE; i++)
		status = reg_places_add(opened, "reg get", &targets[i], &places);
	for (size_t i = 0; i < places.n && status == EXIT_DONE; i++) {
		const struct reg_place *place = &places.items[i];

		status = show(opened, place->box, place->reg, place->target->field[0] ? place->target->field : NULL,
			      emitter);
		if (status == EXIT_DONE && (i + 1 == places.n || places.items[i + 1].box != place->box) &&
		    !end_box(place->box, emitter))
			status = EXIT_FAILED;
	}
	reg_places_clear(&places);
	return status;
}

/* Opens machine and output, prints, closes.  targets NULL: a dump. */
static int print(const struct globals *globals, const struct reg_options *options, struct reg_target *targets)
{
	struct emitter *emitter;
	struct opened opened;
	struct output out;
	int status = reg_output_open(globals, options, STDOUT_FILENO, &out);

	if (status != EXIT_DONE)
		return status;
	status = open_machine(globals, false, -1, NULL, &opened);
	if (status == EXIT_DONE) {
		emitter = emitter_new(options->format, reg_columns, reg_n_columns, &out, false);
		if (!emitter)
			status = EXIT_FAILED;
		else if (targets)
			status = get_places(&opened, options, targets, emitter);
		else
			status = dump_boxes(&opened, options, emitter);
		emitter_free(emitter);
		status = close_machine(&opened, status);
	}
	if (!output_close(&out) && status == EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

static int dump_run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	if (options->n_args > 1)
		return usage_error("%s: %s: it takes no second argument", self->name, options->args[1]);
	return print(globals, options, NULL);
}

static int get_run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct reg_target *targets;
	int status = reg_targets_parse(self->name, options->args, options->n_args, &targets);

	if (status != EXIT_DONE)
		return status;
	status = print(globals, options, targets);
	free(targets);
	return status;
}

const struct reg_command reg_dump = {.name = "reg dump", .help = dump_help, .run = dump_run};
const struct reg_command reg_get = {.name = "reg get", .help = get_help, .run = get_run};
