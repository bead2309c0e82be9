/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `uncorectl load`, and the choices for what they leave open. */
#ifndef UNC_CLI_LOAD_OPTIONS_H
#define UNC_CLI_LOAD_OPTIONS_H

#include "cli/cli.h"
#include "cli/cpu_list.h"
#include "cli/emit.h"
#include "uncore/traffic.h"

struct load_options {
	bool kind_given, node_given;
	enum unc_traffic_kind kind;
	uint64_t bytes_per_s; /* 0: as fast as possible */
	unsigned node;
	struct cpu_list cpus; /* owned */
	uint64_t size_bytes;  /* 0: not given */
	uint64_t time_ns;     /* 0: until interrupted */
	enum format format;
	const char *path; /* NULL: standard output */
};

/* True: go on.  False: end with *ret_status.  In both cases call load_options_clear() later. */
bool load_options_parse(int argc, char **argv, struct load_options *ret_options, int *ret_status);
void load_options_clear(struct load_options *options);

/*
 * Completes the options.  CPUs: those of the node, with allowed only those on which this process may run; node: that of the CPUs;
 * size: four times each CPU's share of the L3.  EXIT_DONE, or the exit status after a message.
 */
int load_options_complete(struct load_options *options, struct unc_machine *machine, struct unc_ctx *ctx, bool allowed);

/* "read", "write", "nt-write" */
const char *load_kind_name(enum unc_traffic_kind kind);

#endif
