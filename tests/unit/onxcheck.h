/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cross-check on a simulated machine, whose time the test makes. */
#ifndef UNC_TESTS_ONXCHECK_H
#define UNC_TESTS_ONXCHECK_H

#include "every.h"
#include "onsim.h"
#include "test.h"
#include "uncore.h"
#include "uncore/xcheck.h"

struct onxcheck {
	struct onsim o;
	struct unc_xcheck *x;
	struct unc_xcheck_row row;      /* the last that was looked at */
	struct onsim_controls controls; /* before */
};

/* A machine, and a cross-check of it with the default tolerance, after closing the former. */
void onxcheck_open(struct onxcheck *r, const char *model, const char *common);
/* The same, with options of the machine's own view, as onsim_open_model() has them, and a tolerance; -1: the default. */
void onxcheck_open_with(struct onxcheck *r, const char *model, const char *common, const char *own, double tolerance);
/* Each test of the file finds a cross-check of perf on a snbep of one socket open as r, a variable that this defines. */
#define EACH_ON_XCHECK(r, close)                                                                                       \
	static struct onxcheck r;                                                                                      \
	static void begin(void)                                                                                        \
	{                                                                                                              \
		onxcheck_open(&r, "snbep", "sockets=1,perf=on");                                                       \
	}                                                                                                              \
	static void end(void)                                                                                          \
	{                                                                                                              \
		onsim_work(&r.o);                                                                                      \
		close(&r);                                                                                             \
	}                                                                                                              \
	EACH(begin, end)

void onxcheck_add_everywhere(struct onxcheck *r, const char *event);
/* Adds each event, "socket1.imc0.ch2 cas_count.rd", or "ch2 cas_count.rd" for socket0.imc0; ONXCHECK_START() starts, too. */
#define ONXCHECK_ADD(r, ...)   onxcheck_add(r, false, (const char *const[]){__VA_ARGS__, NULL})
#define ONXCHECK_START(r, ...) onxcheck_add(r, true, (const char *const[]){__VA_ARGS__, NULL})
/* Adds them, starts, and counts for a second. */
#define ONXCHECK_COUNT(r, ...) (ONXCHECK_START(r, __VA_ARGS__), onxcheck_go_on(r, S_NS))
void onxcheck_add(struct onxcheck *r, bool start, const char *const *events);
void onxcheck_start(struct onxcheck *r);
void onxcheck_go_on(struct onxcheck *r, uint64_t ns);
const struct unc_xcheck_row *onxcheck_row(struct onxcheck *r, size_t i);
/* Closes both; nothing counts then that did not before, nothing where they are closed already. */
void onxcheck_close(struct onxcheck *r);
/* The same where the other users of perf may have left what they want. */
void onxcheck_end(struct onxcheck *r);
void onxcheck_show(const struct unc_xcheck_row *is);
/* What the row that was looked at is of: "SUBJECT EVENT: SOURCE (NUMBER) on cpu CPU, CONFIG, alias ALIAS, counter CTR[0], ours -". */
#define onxcheck_says(r, expected) SAME(onxcheck_text(&(r)->row, (char[400]){0}), expected)
const char *onxcheck_text(const struct unc_xcheck_row *is, char text[400]);
/* All three are what happened between some instant of the one bracket and some of the other. */
bool onxcheck_is_true(struct onxcheck *r, const struct unc_xcheck_row *is);
/* Row i agrees, and with the truth; with a count of ours, or without. */
void onxcheck_is_ok(struct onxcheck *r, size_t i, bool ours);
/* A second later row 0 agrees, and with the truth; with a count of ours, or without. */
void onxcheck_goes_on(struct onxcheck *r, bool ours);
void onxcheck_is_not(struct onxcheck *r, size_t i, enum unc_xcheck_verdict verdict, const char *why);
/* Reads of the first channel, and one second in which all is well. */
void onxcheck_begin_well(struct onxcheck *r);
/* Another opener of the machine, with perf's events of its own. */
unsigned onxcheck_other_counts(struct onxcheck *r, uint64_t config);
void onxcheck_other_does(struct onxcheck *r, enum unc_perf_op op, unsigned event);
void onxcheck_sleep_for(struct onxcheck *r, uint64_t ns);
/* Of every channel that is there: CTL[0..3], FIXED_CTL. */
struct onsim_controls onxcheck_controls(struct onxcheck *r);
/* Nothing counts that did not before; what perf had is left with its event, as Linux does, what was ours as it was. */
void onxcheck_is_left_as_found(struct onxcheck *r);

#endif
