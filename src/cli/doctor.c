// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl doctor: why this machine can or cannot be measured.  It reads, and writes nothing. */

#include "base/text.h"
#include "cli/confine.h"
#include "cli/report.h"
#include "uncore/doctor.h"
#include "machine/machine.h"

enum { STATE = 9, CHECK = 14, LABEL = 5 };

static const char *const states[] = {
	[UNC_DOCTOR_OK] = "ok",     [UNC_DOCTOR_NOTE] = "note",       [UNC_DOCTOR_WARN] = "warn",
	[UNC_DOCTOR_FAIL] = "fail", [UNC_DOCTOR_UNKNOWN] = "unknown",
};

static void print_line(struct output *out, const struct unc_doctor_line *line)
{
	struct page page = page_of(out, STATE - 1 + CHECK);
	bool narrow = page.width < PAGE_NARROW;

	output_printf(out, "%-*s%-*s", STATE - 1, states[line->state], narrow ? 0 : CHECK, line->check);
	page.start = narrow ? 2 : page.start;
	page.column = page.start;
	if (narrow)
		page_next_line(&page);
	page_words(&page, "%s", line->finding);
	if (line->state == UNC_DOCTOR_OK) /* the evidence after it is enough */
		page_words(&page, "(%s)", line->evidence);
	output_append(out, "\n", 1);
	if (line->state != UNC_DOCTOR_OK)
		page_labelled(&page, "seen", LABEL, "%s", line->evidence);
	if (line->todo && *line->todo)
		page_labelled(&page, "do", LABEL, "%s", line->todo);
}

static const char usage[] =
	"usage: uncorectl doctor [--format FORMAT] [-o FILE]\n"
	"\n"
	"One page that tells why this machine can or cannot be measured: its CPU and register map, what\n"
	"this process may do, what the kernel permits, which PCI functions are there, which programs use\n"
	"the counters, and what killed programs left.  It writes nothing.  Each line has what was found,\n"
	"where that was seen, what to do, and a state:\n"
	"  ok       as it should be\n"
	"  note     good to know; nothing suffers from it\n"
	"  warn     it can be measured, but not all of it, or not as well\n"
	"  fail     memory channels or caches, which this part has, cannot be measured\n"
	"  unknown  it could not be looked at\n";
static const char notes[] =
	"Exit status 0 when nothing failed.  Else it is the worst that mem, stat or llc would end with: 3\n"
	"not here, before 4 not permitted, before 5 in use by another program, before 1, it cannot be read.\n";

/* One column per line. */
/* clang-format off */
static const struct column columns[] = {
	{"theme", NULL, COLUMN_TEXT, 0},
	{"check", "check", COLUMN_TEXT, 0},
	{"state", "state", COLUMN_TEXT, 0},
	{"status", NULL, COLUMN_NUMBER, 0},
	{"finding", "finding", COLUMN_TEXT, 0},
	{"evidence", "evidence", COLUMN_TEXT, 0},
	{"what_to_do", "what to do", COLUMN_TEXT, 0},
};
/* clang-format on */

/* Says which checks failed: each once, though it may fail in several lines. */
static void say_why(const struct unc_doctor *doctor, int status)
{
	static const char *const why[] = {[EXIT_FAILED] = "it cannot be read",
					  [EXIT_NOT_HERE] = "something needed is not here",
					  [EXIT_NOT_PERMITTED] = "it is not permitted",
					  [EXIT_IN_USE] = "another program uses it"};
	struct unc_doctor_line line, before = {0};
	char failed[300] = "";

	for (size_t i = 0; unc_doctor_line(doctor, i, &line) == 0; i++) {
		if (line.state != UNC_DOCTOR_FAIL || (before.check && strcmp(before.check, line.check) == 0))
			continue;
		before = line;
		unc_text_join(failed, sizeof(failed), ", ", "%s", line.check);
	}
	say("doctor: not everything can be measured: %s (%s)", why[status], failed);
}

static int print_lines(const struct unc_doctor *doctor, const struct report *report, struct opened *opened,
		       struct output *out)
{
	int verdict = unc_doctor_verdict(doctor), status = verdict ? exit_status_of(verdict) : EXIT_DONE;
	bool table = report->format == FORMAT_TABLE;
	struct emitter emitter;
	unsigned counts[sizeof(states) / sizeof(states[0])] = {0};
	struct page page = page_of(out, 0);
	struct unc_doctor_line line;
	bool written;

	emitter_init(&emitter, report->format, EMIT_COLUMNS(columns), out, false);
	emit_head(&emitter, opened, "finding");
	for (size_t i = 0; unc_doctor_line(doctor, i, &line) == 0; i++) {
		counts[line.state]++;
		if (table)
			print_line(out, &line);
		else
			emit_values(&emitter, (struct value[]){
						      text_value(line.theme),
						      text_value(line.check),
						      text_value(states[line.state]),
						      number_if(line.state == UNC_DOCTOR_FAIL,
								(uint64_t)exit_status_of(line.err)),
						      text_value(line.finding),
						      text_value(line.evidence),
						      text_value(line.todo),
					      });
	}
	if (table) {
		output_append(out, "\n", 1);
		page_line(&page, "%s Failed: %u, warnings: %u, unknown: %u.",
			  status == EXIT_DONE ? "Everything needed is there." : "Not everything can be measured.",
			  counts[UNC_DOCTOR_FAIL], counts[UNC_DOCTOR_WARN], counts[UNC_DOCTOR_UNKNOWN]);
	}
	written = output_flush(out);
	emitter_clear(&emitter);
	if (written && status != EXIT_DONE)
		say_why(doctor, status);
	return written ? status : EXIT_FAILED;
}

static int run_doctor(const struct globals *globals, const struct report *report, struct output *out)
{
	struct unc_doctor *doctor = NULL;
	struct unc_machine_cfg cfg;
	struct opened opened;
	int rc, status = prepare_machine(globals, false, -1, NULL, &cfg, &opened);

	if (status != EXIT_DONE)
		return status;
	/* Called before the machine is opened: a simulated one makes a file, and the clock file of root:DIR may be written. */
	confine(globals, !unc_machine_is_live(cfg.machine) ? CONFINE_SEARCHING : CONFINE_READING, 0);
	rc = unc_doctor_run(opened.ctx, &cfg, &doctor);
	status = rc < 0 ? fail_with(opened.ctx, rc) : print_lines(doctor, report, &opened, out);
	unc_doctor_free(doctor);
	return close_machine(&opened, status);
}

static const struct option_def option_defs[] = {
	OPTION_DATA(struct report, "table (default), csv or jsonl", "write to FILE"),
};

static int doctor_run(const struct globals *globals, int argc, char **argv)
{
	struct report report = {.line = {"doctor", usage, notes, .options = option_defs}, .look = run_doctor};

	return report_run(&report, globals, argc, argv);
}

const struct command doctor_command = {"doctor", "why this machine can or cannot be measured", doctor_run};
