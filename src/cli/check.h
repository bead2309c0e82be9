/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of `uncorectl check` share. */
#ifndef UNC_CLI_CHECK_H
#define UNC_CLI_CHECK_H

#include "cli/cli.h"
#include "cli/emit.h"
#include "uncore/check.h"

enum check_format { CHECK_TABLE, CHECK_TAP, CHECK_JUNIT, CHECK_JSONL, CHECK_HTML, N_CHECK_FORMATS };

enum { CHECK_NAMES_MAX = 64, CHECK_FACTS_MAX = 8, CHECK_STATES = UNC_CHECK_NOT_RUN + 1 };

struct check_names {                  /* the value of an option: "NAME,NAME" */
	char *texts[CHECK_NAMES_MAX]; /* owned */
	size_t n;
};

struct check_options {
	struct unc_check_cfg cfg; /* only and skip point into these */
	struct check_names only, skip;
	bool list, verbose;
	bool quick, full;
	enum check_format format;
	const char *path; /* NULL: standard output */
};
extern const char *const check_depths[]; /* the words of enum unc_check_depth */
/* The length of the theme in a name: of "registers.bits" it is 9. */
size_t check_theme_len(const char *name);

struct check_item { /* a result, and the place it is about */
	struct unc_check_result result;
	const char *finding;      /* the sentence without the subject before it */
	int socket, imc, channel; /* -1: the result is about none */
	const char *pci;          /* PCI address of a channel; or "" */
};
struct check_sum { /* all results of one check, which are adjacent */
	const struct unc_check_about *about;
	size_t first, end;
	unsigned counts[CHECK_STATES];
	uint64_t ns;
};
struct check_tested { /* what silicon does with one entry of a map, over all channels and sockets */
	char *name;   /* owned: "BOX_CTL.frz_en" */
	char *texts;  /* owned: "reads 0 whatever is written; frz works with it only", escaped for quoted YAML */
};
/* A run that has ended, for the reports. */
struct check_report {
	const struct check_options *options;
	struct unc_machine *machine;
	struct unc_check *check;
	const char *ended; /* why the run ended early; NULL: it did not */

	struct unc_machine_info info;
	struct unc_cpu_info cpu;                        /* brand "": not known */
	struct unc_machine_fact facts[CHECK_FACTS_MAX]; /* what else is known of the computer */
	size_t n_facts;
	uint64_t real_ns;  /* when the run began */
	uint64_t took_ns;  /* duration in the machine's time */
	char date[32];     /* real_ns as "2026-11-22T02:10:00Z" */
	char command[400]; /* the command that gives such a report of that machine */

	struct check_item *items; /* owned */
	size_t n;
	struct check_sum *sums; /* owned */
	size_t n_sums;
	unsigned n_prevented;        /* skipped results of which something failed before they could be tried */
	struct check_tested *tested; /* owned */
	size_t n_tested;
	unsigned counts[CHECK_STATES], checks[CHECK_STATES]; /* results by state, and checks by their worst result */
};
/* Call this before the run: notes the computer and the date. */
void check_report_begin(struct check_report *report);
/* Call this after the run.  False: out of memory, after a message. */
bool check_report_end(struct check_report *report);
void check_report_clear(struct check_report *report);
/* Writes a line of comment that comes before these entries and names the computer. */
void check_tested_head(const struct check_report *report, char *buf, size_t size);
/* Are two checks of one theme?  before NULL: no. */
bool check_same_theme(const struct check_sum *before, const struct check_sum *sum);
/* The worst state of a check: FAIL before NOT_RUN before PASS; SKIP only if all are skipped. */
enum unc_check_state check_worst(const unsigned counts[CHECK_STATES]);
extern const char *const check_states[]; /* the words of enum unc_check_state */
/*
 * Was access refused, or did it fail, before the test could be tried?  Another user of the hardware, or absent hardware, does not
 * prevent a test: that is what the check found.
 */
bool check_is_prevented(const struct check_item *item);
/* The first prevented item that was not permitted, else the first prevented one; NULL: there is none. */
const struct check_item *check_prevented(const struct check_report *report);
/* Why the report is less complete than it could be, without a full stop; "": it is complete. */
void check_incomplete_text(const struct check_report *report, char *buf, size_t size);
/* "PASSED", "FAILED", "INCOMPLETE", or "NOTHING CHECKED". */
const char *check_verdict(const struct check_report *report);
/* "41 checks: 38 passed, 1 failed, 2 skipped; 312 results: ..." */
void check_counts_text(const struct check_report *report, char *buf, size_t size);
/* "Intel family 6 model 0x4f stepping 1", as far as known. */
void check_cpu_text(const struct check_report *report, char *buf, size_t size);
/* Prints it in its format.  The caller detects write errors when it closes the output. */
void check_print(const struct check_report *report, struct output *out);
void check_print_table(const struct check_report *report, struct output *out);
void check_print_html(const struct check_report *report, struct output *out);
/* Does it make traffic only for AMD's data fabric, which has no clock that it could count instead? */
bool check_is_for_fabric(const struct unc_check_about *about);
/* Prints what would be run, and on which hardware. */
void check_print_plan(const struct check_report *report, struct output *out);

/*
 * Texts and values in the reports of `check`, escaped as each format needs.  They may contain anything that a machine reports of
 * itself.
 */

/* Writes markup; what takes the place of each %s in it is escaped for XML and HTML, also between quotes, after unc_text_show(). */
void check_xml(struct output *out, const char *markup, ...) UNC_PRINTF(2, 3);

enum { CHECK_NUMBER_MAX = 24 };
/* "0x00400304", as wide as the register; decimal for a value that is not a register's. */
const char *check_number(const struct unc_check_value *value, uint64_t number, char buf[CHECK_NUMBER_MAX]);
enum { CHECK_LABELLED_MAX = 3 };
struct check_labelled {
	const char *label; /* "wrote", "read", "expected" */
	uint64_t number;
};
/* The numbers of a value; returns how many it has. */
unsigned check_labelled(const struct unc_check_value *value, struct check_labelled numbers[CHECK_LABELLED_MAX]);
/* The bits of a register that differ from what was expected; 0: nothing was expected, or all agree. */
uint64_t check_differing(const struct unc_check_value *value);
/* "bit 22 (en) reads 0, bits 3-7 (umask) read 0x1f"; "" if none differs. */
void check_bits_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size);
/*
 * The same, except for a count, which is not a pattern that should be read back, so that single bits mean nothing: then it returns
 * true, and the text is "1648000 more than expected".
 */
bool check_difference_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size);
/* The field of the register that a bit belongs to; "" if the map does not say. */
const char *check_bit_field(struct unc_machine *machine, const struct unc_check_value *value, unsigned bit);
/* "1.2 s", "35 ms", "2 min 5 s" */
void check_time_text(uint64_t ns, char *buf, size_t size);

/* A part of the page of --format html: the report, a struct check_report, as the JSON that its script draws. */
void check_print_page_json(const void *report, struct output *out);

#endif
