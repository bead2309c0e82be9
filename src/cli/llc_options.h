/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of `llc` ask for. */
#ifndef UNC_CLI_LLC_OPTIONS_H
#define UNC_CLI_LLC_OPTIONS_H

#include "cli/cpu_list.h"
#include "cli/sampler.h"

#define LLC_COMMAND_GROUP "COMMAND"

struct llc_want_group {
	char *name; /* owned */
	struct cpu_list cpus;
	unsigned pid; /* the process whose CPUs form the group; 0: the CPUs above */
};

struct llc_want {
	struct llc_want_group *groups; /* in the order of the options; owned */
	size_t n_groups;
	bool all_rmids;
	bool command; /* the CPUs of the COMMAND are a group, too */
	struct cpu_list bind;
	struct cpu_list read_cpus;
	unsigned events;      /* as unc_llc_cfg.events */
	uint64_t interval_ns; /* as unc_llc_cfg.interval_ns */
	bool shared, no_wait, no_verify;
};

extern const struct option llc_own_options[];

/*
 * Takes one of these options; call llc_options_done() after the last.  Both return EXIT_DONE, or the exit status after a message.
 */
int llc_option(struct llc_want *want, int option);
int llc_options_done(struct llc_want *want, const struct sampler_options *options);
void llc_want_clear(struct llc_want *want);

#endif
