/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was counted in one sample: the items of a plan, of each memory channel and added up; and the columns that all such rows have. */
#ifndef UNC_CLI_COUNTED_H
#define UNC_CLI_COUNTED_H

#include "cli/channels.h"
#include "cli/emit.h"
#include "cli/plan.h"

enum per { PER_CHANNEL, PER_IMC, PER_SOCKET, PER_MACHINE };

struct counted {
	struct unc_ctx *ctx; /* not owned, as are machine and session */
	struct unc_machine *machine;
	struct unc_session *session;
	enum per per; /* of what the records are */
	bool simulated;
	struct plan plan;
	struct channels channels;
	const struct unc_count *counts; /* counts of the read that is shown; not owned */
	/* Of the last sample, n_items of the plan for each channel or group; owned. */
	struct accumulator *of_channels, *of_imcs, *of_sockets, *of_machine;
};

struct counted_want {
	struct plan_want plan;
	const char *boxes; /* patterns of names, joined by commas, or NULL: all */
	enum per per;
};

/*
 * Plans what is wanted, and adds it to the session, for every channel that is wanted and present.  Errors are those of plan_make(), channels_open() and unc_session_add().
 */
int counted_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		 const struct counted_want *want, struct counted *ret_counted);
void counted_close(struct counted *counted); /* all zero is fine */
/* Computes every value of each channel in one read of the session. */
void counted_take(struct counted *counted, const struct unc_count *counts);
/* Adds up the channels of a group into one of the arrays above. */
void counted_sum(const struct counted *counted, const struct channel_group *group, struct accumulator *sums);

/* ---- rows ---- */

/* The first columns of a row, which tell its time and place. */
enum { C_LABEL, C_TIME, C_INTERVAL, C_SOCKET, C_IMC, C_CHANNEL, C_PCI, C_OWN };
/* clang-format off */
#define COUNTED_COLUMNS(pci_goes) \
	[C_LABEL] = {NULL, "", COLUMN_TEXT, 0}, \
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0}, \
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0}, \
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0}, \
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, 0}, \
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, 0}, \
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, pci_goes}
/* clang-format on */

/* info: of the channel, or of any channel of the group. */
void place_values(const char *label, const struct unc_box_info *info, enum per per, struct row *row);
void time_values(const struct accumulator *acc, struct row *row);

struct row_flags {
	unsigned flags; /* bits of enum unc_count_flag */
	bool partial, simulated;
	unsigned column, notes_column; /* where they stand: in records, and in a table */
};
/* Emits the row with these flags. */
void emit_flagged(struct row *row, const struct row_flags *flags, struct emitter *emitter);

#endif
