/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of `mem`, for commands that show the same. */
#ifndef UNC_CLI_MEM_H
#define UNC_CLI_MEM_H

#include "cli/fail_if.h"
#include "machine/machine.h"

struct mem_uncore { /* the clock of a socket's uncore */
	unsigned socket;
	bool told;                     /* a note said that it is below its limit */
	struct unc_uncore_clock clock; /* mhz 0: not known now */
};

struct mem {
	struct counting counting;
	unsigned first; /* what the first item of the plan is: READ, or BOTH, which is then the only one */
	size_t n_items; /* without further ones (plan_want.also, and events) */
	bool together;  /* reads and writes are not told apart: the only item is their sum */
	struct peaks peaks;
	struct summary *summary; /* owned */
	struct fail_ifs fail_ifs;
	bool lines; /* a line for each sample and socket instead of a table */
	struct mem_uncore uncores[UNC_SOCKETS_MAX];
	unsigned n_uncores;
	double most; /* what a full bar is: the highest peak of a channel, or if none is known the highest rate in this sample */
};

extern const struct column mem_columns[];
extern const size_t n_mem_columns;

/* What is counted, and how it is emitted; the columns of the run are the caller's. */
struct mem mem_init(void);
/* The functions of its sampler. */
int mem_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes);
/* The columns of its run have what only series show. */
void mem_name_series(struct column *columns);
int mem_emit(void *arg, const void *read, struct emitter *emitter);
void mem_close(void *arg);

#endif
