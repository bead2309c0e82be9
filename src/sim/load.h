/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the memory of a simulated machine does: a rate over time for each event of each channel.  And what its CPUs do
 * in the last-level caches: how much of the cache each CPU wants, and what it moves to and from memory.  The two are
 * independent of each other.
 *
 * Without a file, channel c of controller m of socket s reads 4 000 + 700 c + 130 s + 55 m and writes
 * 1 500 + 350 c + 90 s + 25 m million bytes per second, no two of them equal, and the commonest other events follow
 * from these.
 *
 * A load file is YAML:
 *
 *     format: uncorectl-load/1
 *     channels:
 *       "socket*.imc0.ch*":              # * and ? match anything; later entries replace what earlier ones gave
 *         read: 6.4e9                    # bytes per second
 *         write:                         # or in steps: seconds after the machine's start, bytes per second then
 *           - {at: 0, rate: 1e9}
 *           - {at: 2.5, rate: 3e9}
 *       socket0.imc0.ch2:
 *         events:                        # per second, a number or steps likewise
 *           act_count: 25e6
 *           pre_count.page_miss: [{at: 1, rate: 1e6}]
 *
 * A rate that no entry gives is 0; before its first step it is 0 too.  Rates are kept in millionths per second, times in
 * nanoseconds.  Bytes become CAS commands of 64 bytes: floor(integral / 64) of them, split exactly: of n reads,
 * floor(n / 16) are cas_count.rd_underfill and the others .rd_reg; of n writes, floor(n / 8) are .wr_rmm and the others
 * .wr_wmm.  Where a model has .rd_wmm and .rd_rmm, these count the same reads again: floor(n / 4) and the others.  All of
 * these can be given as events instead of bytes; an entry with both is refused, and the form of a later entry replaces
 * that of an earlier one.  With AMD they are cas_cmd.rd and .wr, and its other commands are fixed shares of them: given as events,
 * each of them is 0 unless it is given, too.  Sums (cas_count.rd) cannot be given.  clockticks is DCLK itself and cannot be given either.
 *
 * An event, with all its sub-events together, cannot come faster than a counter can take it: its maximum increment per
 * DCLK cycle of the model.
 *
 * The i-th CPU of package p (threads after cores) wants 256 + 12 i + p KiB of the cache, and moves 200 + 13 i + p
 * million bytes per second, 150 + 9 i + p of them local; no two are equal, and all of it together fits the real caches.
 * A file gives this in a section next to channels; one of the two sections may be left out, and all its rates are 0 then:
 *
 *     cpus:
 *       "0-3,8":                         # a list as Linux writes it; later entries replace what earlier ones gave
 *         occupancy: 4e6                 # bytes
 *         total: 2e9                     # bytes per second
 *         local: [{at: 1, rate: 5e8}]    # numbers or steps as above; never more than total
 *
 * The effect on the cache is described in sim/qm.h.  An offline CPU does nothing, whatever its load says.
 */
#ifndef UNC_SIM_LOAD_H
#define UNC_SIM_LOAD_H

#include "sim/curve.h"
#include "sim/options.h"

struct unc_sim_channel_load {
	unsigned socket, imc, channel;
	struct unc_sim_curve bytes[UNC_SIM_FROMS]; /* read and written per second; none of EVENTS */
	bool by_event[UNC_SIM_FROMS]; /* the CAS events' own curves replace these bytes; EVENTS always do */
	struct unc_sim_curve *events; /* one curve for each event of the model; owned */
};

struct unc_sim_cpu_load {
	struct unc_sim_curve occupancy;    /* bytes */
	struct unc_sim_curve total, local; /* bytes per second */
};

struct unc_sim_load {
	const struct unc_sim_model *model;
	struct unc_sim_channel_load *channels; /* by socket, then as the model lists them; owned */
	size_t n_channels;
	struct unc_sim_cpu_load *cpus; /* by number; owned */
	size_t n_cpus;
	uint64_t fingerprint; /* of the text of the load; 0: the default load */
};

/* Returns whether the pattern, such as "socket*.imc0.ch*", is of that channel. */
bool unc_sim_load_matches(const struct unc_sim_channel_load *channel, const char *pattern);

/* Returns the FNV-1a hash of text; never 0. */
uint64_t unc_sim_fingerprint(const char *text, size_t len);

/*
 * Opens the load that the options name, or makes the default one. UNC_EARG: the file is malformed ("FILE:LINE: ...") or
 * does not exist; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_sim_load_open(struct unc_sim *sim);
void unc_sim_load_clear(struct unc_sim_load *load);

/* Returns one event of one channel. */
struct unc_sim_part unc_sim_load_part(const struct unc_sim_load *load, size_t channel, size_t event);

/*
 * In load_file.c, for load.c: fills an empty load from a file, and its fingerprint. UNC_EARG, UNC_EPERM, UNC_EIO,
 * UNC_ENOMEM: as above; the load then has a part of it.
 */
int unc_sim_load_read(struct unc_ctx *ctx, const char *path, struct unc_sim_load *load);
/* UNC_EARG: the load has what no counter could take. */
int unc_sim_load_check(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load);

#endif
