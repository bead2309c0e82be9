/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `uncorectl check` share. */
#ifndef UNC_CLI_CHECK_H
#define UNC_CLI_CHECK_H

#include "cli/cli.h"
#include "cli/output.h"

enum check_format { CHECK_TABLE, CHECK_TAP, CHECK_JUNIT, CHECK_JSONL, CHECK_HTML, N_CHECK_FORMATS };

enum { CHECK_NAMES_MAX = 64, CHECK_FACTS_MAX = 8, CHECK_STATES = UNC_CHECK_NOT_RUN + 1 };

struct check_names {                  /* of an option: "NAME,NAME" */
	char *texts[CHECK_NAMES_MAX]; /* owned */
	size_t n;
};

struct check_options {
	struct unc_check_cfg cfg; /* only and skip point into these */
	struct check_names only, skip;
	bool list;
	bool quick, full;
	enum check_format format;
	const char *path; /* or NULL: standard output */
};
/* True: go on.  False: *ret_status is the end.  Either way check_options_clear() follows. */
bool check_options_parse(int argc, char **argv, struct check_options *options, int *ret_status);
void check_options_clear(struct check_options *options);
const char *check_depth_name(enum unc_check_depth depth);
/* Would this check be run on a machine that has what it needs? */
bool check_options_want(const struct check_options *options, const struct unc_check_about *about);
/* Is it named by --only, --skip and --observe, or by none of them?  For the list, which has what is run on request alone, too. */
bool check_options_name(const struct check_options *options, const struct unc_check_about *about);
/* Letters of a name that are its theme: of "registers.bits" 9. */
size_t check_theme_len(const char *name);

/* `check --list`.  The exit status. */
int check_list(const struct globals *globals, const struct check_options *options);

struct check_item { /* a result, and where that is */
	struct unc_check_result result;
	const char *finding;      /* without the subject in front of it */
	int socket, imc, channel; /* -1: of none */
	const char *pci;          /* of a channel; or "" */
};
struct check_sum { /* all results of one check, which stand together */
	const struct unc_check_about *about;
	size_t first, end;
	unsigned counts[CHECK_STATES];
	uint64_t ns;
};
struct check_tested { /* what silicon does with one entry of a map, whichever channels and sockets tell of it */
	char *name;   /* owned: "BOX_CTL.frz_en" */
	char *texts;  /* owned: "reads 0 whatever is written; frz works with it only", as quoted YAML wants it */
};
/* A run that has ended, for the reports. */
struct check_report {
	const struct check_options *options;
	struct unc_machine *machine;
	struct unc_check *check;
	const char *ended; /* why it ended before all was run; NULL: it did not */

	struct unc_machine_info info;
	struct unc_cpu_info cpu;                        /* brand "": not known */
	struct unc_machine_fact facts[CHECK_FACTS_MAX]; /* what else is known of the computer */
	size_t n_facts;
	uint64_t real_ns;  /* when it began */
	uint64_t took_ns;  /* of the machine's time */
	char date[32];     /* the same as "2026-11-22T02:10:00Z" */
	char command[400]; /* what gives such a report of that machine */

	struct check_item *items; /* owned */
	size_t n;
	struct check_sum *sums; /* owned */
	size_t n_sums;
	unsigned n_prevented;        /* of those that are skipped: something failed before they could be tried */
	struct check_tested *tested; /* owned */
	size_t n_tested;
	unsigned counts[CHECK_STATES], checks[CHECK_STATES]; /* results, and checks by the worst of theirs */
};
/* Before it is run: who and when. */
void check_report_begin(struct check_report *report);
/* Behind it.  False: out of memory, which was said. */
bool check_report_end(struct check_report *report);
void check_report_clear(struct check_report *report);
/* Lines of a result, "NAME: {tested: "TEXT"}", or NULL: what they say of a NAME that is known stands with that.  False: no memory. */
bool check_tested_add(struct check_report *report, const char *lines);
void check_tested_clear(struct check_report *report);
/* Who does it: a line of comment in front of these. */
void check_tested_head(const struct check_report *report, char *buf, size_t size);
/* The worst of a check: FAIL, before NOT_RUN, before PASS; SKIP where nothing else is. */
enum unc_check_state check_worst(const unsigned counts[CHECK_STATES]);
const char *check_state_name(enum unc_check_state state);
/*
 * Was something refused, or did it fail, before it could be tried?  Who is there already, or what is not there, prevents nothing: it was
 * looked at, and that was found.
 */
bool check_is_prevented(const struct check_item *item);
/* Of those, the first that was not permitted, else the first; NULL: there is none. */
const struct check_item *check_prevented(const struct check_report *report);
/* Why it tells less than it might, without a full stop; "": it does not. */
void check_incomplete_text(const struct check_report *report, char *buf, size_t size);
/* "PASSED", "FAILED", "INCOMPLETE", or "NOTHING CHECKED". */
const char *check_verdict(const struct check_report *report);
/* "registers.bits, clock.rate": those that failed. */
void check_failed_text(const struct check_report *report, char *buf, size_t size);
/* "41 checks: 38 passed, 1 failed, 2 skipped; 312 results: ..." */
void check_counts_text(const struct check_report *report, char *buf, size_t size);
/* "Intel family 6 model 0x4f stepping 1", as far as it is known. */
void check_cpu_text(const struct check_report *report, char *buf, size_t size);
/* Are both skipped, or not run, for the same reason?  How many of a check are as that one; 0: one before it is. */
bool check_same_reason(const struct check_item *a, const struct check_item *b);
unsigned check_alike(const struct check_report *report, const struct check_sum *sum, size_t index);
/* What kind of thing a result is about: "channel". */
const char *check_kind(const struct check_item *item);
/* All results of one subject. */
struct check_tally {
	unsigned counts[CHECK_STATES], n;
	size_t first_failure; /* among the results */
	char failed[300];     /* names of checks: "registers.bits, clock.rate" */
};
void check_tally(const struct check_report *report, const char *subject, struct check_tally *ret_tally);
/* The first result of a subject stands for it; report->n: there is none. */
size_t check_first_of(const struct check_report *report, const char *subject);
bool check_is_first(const struct check_report *report, size_t i);
/* "socket 0, memory controller 1, channel 2", for who does not know our names. */
void check_where_text(const struct check_item *item, char *buf, size_t size);
/* "8 channels", of subjects of a kind. */
void check_subjects_text(const struct check_report *report, const struct check_sum *sum, enum unc_check_state state,
			 char *buf, size_t size);

/* The progress line on a terminal. */
struct check_progress {
	struct output err;
	bool shown;
};
void check_progress_open(struct check_progress *progress);
void check_progress_show(void *arg, const struct unc_check_progress *now);
void check_progress_hide(struct check_progress *progress);

/* The formats; what cannot be written is noticed by who closes the output. */
void check_print_table(const struct check_report *report, struct output *out);
void check_print_tap(const struct check_report *report, struct output *out);
void check_print_junit(const struct check_report *report, struct output *out);
void check_print_jsonl(const struct check_report *report, struct output *out);
void check_print_html(const struct check_report *report, struct output *out);
/* What would be run on what. */
void check_print_plan(const struct check_report *report, struct output *out);

#endif
