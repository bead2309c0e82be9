/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sampler's commands that count events (mem, stat) share: the session, and its options. */
#ifndef UNC_CLI_COUNTING_H
#define UNC_CLI_COUNTING_H

#include "cli/sampler.h"

/* The first member of such a command's arg, so that the functions below can be the sampler's. */
struct counting {
	/*
	 * Adds the events to the session, which starts after that.  Returns 0 or a negative enum unc_err, with its sentence in ctx.
	 */
	int (*add)(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session);
	size_t n_counts; /* counts in each read; set by add() */
	struct unc_session_cfg cfg;
	struct unc_session *session; /* owned */
};

enum { COUNTING_FREEZE = SAMPLER_OWN_OPTION, COUNTING_FORCE, COUNTING_OWN_OPTION };
/* clang-format off */
#define COUNTING_OPTIONS \
	{"freeze", no_argument, NULL, COUNTING_FREEZE}, \
	{"force", no_argument, NULL, COUNTING_FORCE}
/* clang-format on */

/* False: it is not one of these options. */
bool counting_option(struct counting *counting, int option);
/* A sampler's options_done: takes --observe, and reports options that contradict it. */
int counting_options_done(void *arg, const struct sampler_options *options);

/* Members of struct sampler, for an arg that begins with a struct counting. */
int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes);
int counting_sleep_until(void *arg, uint64_t mono_ns);
int counting_read(void *arg, void *read, bool *ret_pending);
void counting_confirm(void *arg, void *reads, size_t n);
int counting_stop(void *arg);

#endif
