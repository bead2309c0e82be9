/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of a simulated machine with a second hand on its registers, and what they found. */
#ifndef UNC_TESTS_ONCHECKS_H
#define UNC_TESTS_ONCHECKS_H

#include "onsim.h"
#include "uncore/check.h"

struct onchecks {
	struct onsim o;
	struct unc_check *check;
	struct onsim_controls before; /* they must be the same afterwards */
};

/* A machine as onsim_open_model() opens it. */
void onchecks_open(struct onchecks *k, const char *model, const char *common, const char *own);
/* Runs what that name or theme means; what comes back must be rc. */
void onchecks_run(struct onchecks *k, enum unc_check_depth depth, const char *only, const char *box, int rc);
/* Closes all: no write broke a rule of the manual, and all controls are as they were. */
void onchecks_close(struct onchecks *k);

/*
 * One access after the other goes wrong in that way, each step-th of them, of a snbep of one socket: whatever is found, the run comes
 * to its end, and all is as before.
 */
void onchecks_fail_each(const char *only, enum unc_fault_how how, unsigned step);

/* The result of a check on a subject; there must be one. */
struct unc_check_result onchecks_result(struct onchecks *k, const char *check, const char *subject);
size_t onchecks_count(struct onchecks *k, const char *check, enum unc_check_state state);
/* Nothing failed; what did is told. */
#define NONE_FAILED(k) onchecks_none_failed(k, __FILE__, __LINE__)
void onchecks_none_failed(struct onchecks *k, const char *file, int line);
/* That result has that state, and all the pieces are in its sentence. */
#define FOUND(k, check, subject, state, ...)                                                                           \
	onchecks_found(k, check, subject, state, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
void onchecks_found(struct onchecks *k, const char *check, const char *subject, enum unc_check_state state,
		    const char *const *pieces, const char *file, int line);

#endif
