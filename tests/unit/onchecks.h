/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of a simulated machine with a second hand on its registers, and what they found. */
#ifndef UNC_TESTS_ONCHECKS_H
#define UNC_TESTS_ONCHECKS_H

#include "onsim.h"
#include "uncore/check.h"

/* What the test that runs has: EACH(NULL, onchecks_end) closes it, and the next machine that is opened closes the one before. */
struct onchecks {
	struct onsim o;
	struct unc_check *check;
	struct unc_check_cfg cfg;     /* what runs are asked for besides */
	struct onsim_controls before; /* they must be the same afterwards, and closing must succeed, */
	bool broken;                  /* but where this says that the registers do not hold what is written */
};
extern struct onchecks rig;

/* A machine as onsim_open_model() opens it. */
void onchecks_open(const char *model, const char *common, const char *own);
/* Chooses what that name or theme means (NULL: all), in place of what was chosen before. */
void onchecks_choose(enum unc_check_depth depth, const char *only, const char *box);
/* The same, and runs it; what comes back must be rc. */
void onchecks_run(enum unc_check_depth depth, const char *only, const char *box, int rc);
/* Opens a machine, and runs what that name means in quick depth to its end. */
void onchecks_quick(const char *model, const char *common, const char *own, const char *only);
/* Closes all: no write broke a rule of the manual, and all controls are as they were. */
void onchecks_end(void);

/* Runs the chosen checks with that fault: all is put back, or the run says that it failed.  True: an access went wrong. */
bool onchecks_fail(const struct unc_fault *fault);
/*
 * One access after the other goes wrong in that way, each step-th of them, of a snbep of one socket: whatever is found, the run comes
 * to its end, and all is as before.
 */
void onchecks_fail_each(const char *only, enum unc_fault_how how, unsigned step);

/* The result of a check on a subject, or on its first one where subject is NULL; there must be one. */
struct unc_check_result onchecks_result(const char *check, const char *subject);
/* How many have that state, of that check or, NULL, of all. */
size_t onchecks_count(const char *check, enum unc_check_state state);
/* Nothing failed; what did is told. */
#define NONE_FAILED() onchecks_none_failed(__FILE__, __LINE__)
void onchecks_none_failed(const char *file, int line);
/* That result has that state, and all the pieces are in its sentence. */
#define FOUND(check, subject, state, ...)                                                                              \
	onchecks_found(check, subject, state, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
void onchecks_found(const char *check, const char *subject, enum unc_check_state state, const char *const *pieces,
		    const char *file, int line);
/* The same of what it says for the map. */
#define TESTED(check, subject, ...)                                                                                    \
	onchecks_tested(check, subject, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
void onchecks_tested(const char *check, const char *subject, const char *const *pieces, const char *file, int line);

#endif
