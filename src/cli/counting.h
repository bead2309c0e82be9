/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that count events (mem, stat) share: the session and its options, the values of the items of a plan in one
 * sample, of each memory channel and added up, and the columns that all such rows have.
 */
#ifndef UNC_CLI_COUNTING_H
#define UNC_CLI_COUNTING_H

#include "cli/channels.h"
#include "cli/plan.h"
#include "cli/sampler.h"

enum per { PER_CHANNEL, PER_IMC, PER_NODE, PER_SOCKET, PER_MACHINE, PER_ALL };

/* The first member of such a command's arg, so that the functions below can be the sampler's. */
struct counting {
	/* Set before the start. */
	struct plan_want want;
	const char *boxes; /* patterns of names, joined by commas, or NULL: all */
	enum per per;      /* of what the records are */
	bool per_given;
	struct view *view; /* of sampler_options */
	bool flat;         /* a record is shown with the name of its box, as it is not in a group */
	/* Which of the command's columns these are: C_NOTES is that of the flags in a table. */
	unsigned c_flags, c_notes, c_memory, c_box, c_node;
	/* Emits the items of a channel or a group in rows such as this one, which has its place. */
	void (*emit_items)(const void *arg, const struct channel_group *group, const struct accumulator *items,
			   const struct row *place, struct emitter *emitter);
	/*
	 * A place is one row: sums are also shown of a single part, and sockets without rows of their parts follow one another
	 * without a gap.
	 */
	bool compact;
	bool shows_ran; /* a table has columns that show what was scaled or never counted */
	/* Adds the counters of a box to the session instead of a plan; NULL: there is a plan. */
	channel_add_fn *add_counters;
	/* These items are of Optane modules: channels without one have no value, and no part in sums */
	size_t first_pmem, n_pmem;
	/* If channels cannot be counted, the counters of whole controllers that always run are, where there are such. */
	bool falls_back;
	struct unc_session_cfg cfg;

	struct unc_ctx *ctx; /* not owned, as is machine */
	struct unc_machine *machine;
	struct unc_session *session; /* owned */
	bool simulated, numbered;    /* numbered: boxes are channels of memory controllers */
	bool whole;                  /* they are whole controllers */
	bool fell_back;              /* the session counts in those of whole controllers instead */
	unsigned flag;               /* of all rows: FLAG_MESH, or 0 */
	struct column *columns;      /* as sampler_options.columns */
	struct plan plan;
	struct channels channels;
	/* Of the last sample, n_items of the plan for each channel, and for the group that was added up last; owned. */
	struct accumulator *of_channels, *sums;
};

/* Options of a command whose struct begins with a struct counting. */
/* clang-format off */
#define COUNTING_PLACES \
	{"box", "PATTERNS", option_text, offsetof(struct counting, boxes), \
	 .help = "only boxes with such names, * and ? allowed, joined by commas"}, \
	{"per", "WHAT", counting_take_per, 0, \
	 .help = "records per channel (default) or other box, imc, node, socket, machine, or all", .words = counting_places}
#define COUNTING_FREEZE_FORCE \
	{"freeze", NULL, option_flag, offsetof(struct counting, cfg.freeze), \
	 .help = "stop each box while it is read: all its counters of one instant, but\nwhat happens meanwhile is not counted"}, \
	{"force", NULL, option_flag, offsetof(struct counting, cfg.force), \
	 .help = "where no counter is free, take one that another program enabled, and\ngive it back at exit"}, \
	{"start", NULL, option_flag, offsetof(struct counting, cfg.start), \
	 .help = "POWER: let the counters of a chip run where they are paused, and pause\nthem again at exit"}
/* clang-format on */

extern const char *const counting_places[];
option_fn counting_take_per; /* struct counting */
/* A sampler's options_done: takes --observe, and reports options that contradict it. */
int counting_options_done(void *arg, struct sampler_options *options);
/* A sampler's close. */
void counting_close(void *arg);
/* A sampler's start: plans what is wanted, and adds it to the session, for every channel that is wanted and present. */
int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes);
/* The other functions of a sampler. */
int counting_sleep_until(void *arg, uint64_t mono_ns);
int counting_read(void *arg, void *read, bool *ret_pending);
int counting_stop(void *arg);
/* Undoes a start that failed, so that something else can be started.  Fails if a register could not be put back. */
int counting_give_up(struct counting *counting);
/*
 * Sets what all samplers share whose arg begins with a struct counting, and runs the command.  The errors of a start are
 * those of plan_make(), channels_open() and of a session.
 */
int counting_run(struct sampler *sampler, const struct globals *globals, int argc, char **argv);

/* ---- a sample ---- */

/* Computes every value of each channel in one read of the session. */
void counting_take(struct counting *counting, const struct unc_count *counts);
/* Adds up the channels of a group into counting->sums, which it returns. */
const struct accumulator *counting_sum(const struct counting *counting, const struct channel_group *group);
/* The groups, or of PER_CHANNEL and PER_ALL the totals. */
const struct channel_group *counting_groups(const struct counting *counting, size_t *ret_n);
/* Emits what was taken: every channel, controller, node, socket and total that this format shows. */
void counting_emit(const struct counting *counting, struct emitter *emitter);

/* ---- rows ---- */

/* The first columns of a row, which tell its time and place. */
enum { C_LABEL, C_TIME, C_INTERVAL, C_SOCKET, C_IMC, C_CHANNEL, C_PCI, C_OWN };
/* clang-format off */
#define COUNTING_COLUMNS(pci_drop) \
	[C_LABEL] = {NULL, "", COLUMN_TEXT, 0}, \
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0}, \
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0}, \
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0}, \
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, 0}, \
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, 0}, \
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, pci_drop}, \
	[C_FLAGS] = {"flags", NULL, COLUMN_FLAGS, 0}, \
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, 0}, \
	[C_NOTES] = {NULL, "", COLUMN_TEXT, 0}, \
	[C_BOX] = {"box", NULL, COLUMN_TEXT, 0}, \
	[C_NODE] = {"node", NULL, COLUMN_NUMBER, 0}, /* only with --per node */ \
	[C_MEMORY] = {"memory", NULL, COLUMN_TEXT, 0} /* only where there are several kinds */
/* What struct counting has of such a command: where these columns are, and what emits its rows. */
#define COUNTING_ITEMS(emit) \
	.c_flags = C_FLAGS, .c_notes = C_NOTES, .c_memory = C_MEMORY, .c_box = C_BOX, .c_node = C_NODE, .emit_items = emit
/* clang-format on */

/* info: of the channel, or of any channel of the group; box: the name of the group. */
void place_values(const struct counting *counting, const char *label, const char *box, const struct unc_box_info *info,
		  enum per per, struct row *row);
void time_values(const struct accumulator *acc, struct row *row);
/* Emits the row with these flags, those of an accumulator. */
void emit_flagged(const struct counting *counting, struct row *row, unsigned flags, struct emitter *emitter);

#endif
