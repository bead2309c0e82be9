// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl recover: puts back registers that were left changed by processes that were killed. */
#include <string.h>

#include "cli/report.h"
#include "uncore/recover.h"

static const char usage[] =
	"usage: uncorectl recover [OPTION]...\n"
	"\n"
	"Puts back the registers of this machine that a killed uncorectl has left changed: what each was, is\n"
	"and becomes.  Only what still holds what was written there is put back; what another program has\n"
	"changed since is told, and left alone.\n";

/* clang-format off */
static const struct column columns[] = {
	{"pid", "left by", COLUMN_NUMBER, 2},
	{"since_ns", NULL, COLUMN_NUMBER, 0},
	{"box", "box", COLUMN_TEXT, 0},
	{"pci", "address", COLUMN_TEXT, 3},
	{"register", "register", COLUMN_TEXT, 0},
	{"offset", "offset", COLUMN_HEX, 4},
	{"was", "was", COLUMN_HEX, 1},
	{"is", "is", COLUMN_HEX, 0},
	{"becomes", "becomes", COLUMN_HEX, 0},
	{"state", "state", COLUMN_TEXT, 0},
	{"command", NULL, COLUMN_TEXT, 0},
	{"why", NULL, COLUMN_TEXT, 0},
};
/* clang-format on */

static const char *const states[] = {
	[UNC_RECOVER_NOT_YET] = "not looked at",
	[UNC_RECOVER_WOULD] = "to be put back",
	[UNC_RECOVER_PUT_BACK] = "put back",
	[UNC_RECOVER_AS_IT_WAS] = "as it was",
	[UNC_RECOVER_IDLE] = "idle",
	[UNC_RECOVER_COUNTED] = "counted on",
	[UNC_RECOVER_CHANGED] = "changed",
	[UNC_RECOVER_IN_USE] = "in use",
	[UNC_RECOVER_NOT_REACHED] = "not reached",
	[UNC_RECOVER_NOT_BACK] = "not back",
};

struct wanted {
	bool dry_run, force;
};

static void emit(struct emitter *emitter, const struct unc_recover_info *info)
{
	unsigned digits = info->bits / 4;

	emit_values(emitter, (struct value[]){
				     number_value(info->pid),
				     number_value(info->since_ns),
				     text_value(info->box),
				     text_value(info->pci),
				     text_value(info->reg),
				     hex_value(info->offset, 2),
				     hex_value(info->was, digits),
				     info->is_known ? hex_value(info->is, digits) : no_value(NULL),
				     info->becomes_known ? hex_value(info->becomes, digits) : no_value(NULL),
				     text_value(states[info->state]),
				     text_value(info->command),
				     text_value(info->why),
			     });
}

/* False: the journal is of a kind that should not be there. */
static bool report_journal(const struct unc_recover_journal *journal, bool dry)
{
	switch (journal->kind) {
	case UNC_RECOVER_STALE:
		if (journal->n_registers)
			say("%s, ended without putting back %zu register%s", journal->who, journal->n_registers,
			    journal->n_registers == 1 ? "" : "s");
		return true;
	case UNC_RECOVER_ALIVE:
		say("note: %s: alive, and puts back by itself: %s", journal->path,
		    *journal->who ? journal->who : "who is not known");
		return true;
	case UNC_RECOVER_OTHER_BOOT:
		say("note: %s: %s: %s, wrote it before this machine was started anew, and no register holds what it "
		    "wrote",
		    journal->path, dry ? "would be discarded" : "discarded", journal->who);
		return true;
	case UNC_RECOVER_OTHER_MACHINE:
		say("note: %s: left alone: %s, wrote it, on another machine: %s", journal->path, journal->who,
		    journal->machine);
		return true;
	case UNC_RECOVER_DAMAGED:
	default:
		say("%s: a damaged journal: nothing of it is put back, since it is not known what else in it is wrong "
		    "(%s); see what is enabled with `uncorectl list -v` and `uncorectl reg dump`, then remove it",
		    journal->path, journal->why);
		return false;
	}
}

static int print(struct opened *opened, const struct report *report, struct output *out)
{
	const struct wanted *wanted = report->line.own;
	struct unc_recover_journal journal;
	struct unc_recover_info info, before;
	struct unc_recover *recover;
	struct emitter emitter;
	bool good = true;
	int status = EXIT_DONE, rc = unc_recover_open(opened->machine, &recover);

	if (rc < 0)
		return fail_with(opened->ctx, rc);
	for (size_t i = 0; i < unc_recover_journals(recover); i++)
		if (unc_recover_journal(recover, i, &journal) == 0)
			good &= report_journal(&journal, opened->dry_run.out != NULL);
	if (good && unc_recover_count(recover) == 0)
		say("note: there is nothing to recover");
	emitter_init(&emitter, report->format, EMIT_COLUMNS(columns), out, false);
	emit_head(&emitter, opened, "register");
	rc = unc_recover_run(recover, wanted->force);
	for (size_t i = 0; i < unc_recover_count(recover) && unc_recover_info(recover, i, &info) == 0; i++)
		emit(&emitter, &info);
	if (unc_recover_count(recover))
		emit_sample(&emitter, NULL);
	emitter_clear(&emitter);
	if (rc < 0) {
		status = fail_with(opened->ctx, rc);
		/* Why registers are not as they were: once if several have the same reason. */
		for (size_t i = 0; unc_recover_info(recover, i, &info) == 0; i++) {
			bool told = !*info.why;

			for (size_t k = 0; k < i && !told; k++)
				told = unc_recover_info(recover, k, &before) == 0 && strcmp(before.why, info.why) == 0;
			if (!told)
				say("note: %s", info.why);
		}
	}
	unc_recover_close(recover);
	return status == EXIT_DONE && !good ? EXIT_FAILED : status;
}

static const struct option_def option_defs[] = {
	{"dry-run", NULL, option_flag, offsetof(struct wanted, dry_run), .help = "look only, write nothing"},
	{"force", NULL, option_flag, offsetof(struct wanted, force),
	 .help = "put back also what another program has changed since"},
	OPTION_DATA(struct report, "table, csv or jsonl", "write there instead of to standard output"),
};

static int recover_run(const struct globals *globals, int argc, char **argv)
{
	struct wanted wanted = {.dry_run = false};
	struct report report = {.line = {"recover", usage, "", option_defs, .own = &wanted},
				.recovers = &wanted.dry_run,
				.print = print};

	return report_run(&report, globals, argc, argv);
}

const struct command recover_command = {"recover", "put back what a killed uncorectl has left", recover_run};
