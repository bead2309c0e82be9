/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver that the kernel of a simulated machine has for its memory channels with perf=on: as intel_uncore of Linux
 * 6.1 (arch/x86/events/intel/uncore.c, uncore_snbep.c, kernel/events/core.c), which is another hand on the same
 * registers.
 *
 * It owns no register.  When it is loaded it resets each channel, and when the first event of one is opened it freezes
 * and releases it.  An event gets a counter while it is on: at each change all events of the channel are taken off
 * theirs, the box being frozen by a read-modify-write of BOX_CTL, and those that fit are put on again in the order of
 * the list, on the lowest counters; the fixed counter is for config 0xff alone.  What comes behind one that does not
 * fit has to wait.  While one waits, every 4 ms of the machine's time, at whole multiples of that, the first of the
 * list becomes the last, and they are put on anew.  An event's count is the sum of what its counter moved, modulo 2^48,
 * between two looks at it, each of the low dword and then the high one, without a guard.  A counter is never written; a
 * control is left with its event and no enable.
 *
 * All of it is in the state, and what is due is done by whoever looks at the machine next, at the time at which it was
 * due and taking no time of his: so it is the same whoever looks and when.  But of a time of more than an hour in which
 * nobody looked, turns are taken in the last hour only.  What is asked for takes the time of its accesses.
 */
#ifndef UNC_SIM_PERF_H
#define UNC_SIM_PERF_H

#include "sim/computer.h"

enum {
	UNC_SIM_PERF_NUMBERS = 16,   /* uncore_imc_0 to _15 */
	UNC_SIM_PERF_TYPE = 12,      /* of uncore_imc_0; others follow */
	UNC_SIM_PERF_FIXED = 0xff,   /* config of the fixed counter's event */
	UNC_SIM_PERF_ROTATES_MS = 4, /* perf_event_mux_interval_ms */
};

/* unc_host_ops.perf_open and .perf */
int unc_sim_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
int unc_sim_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);
/* Before the store is closed: the events of this opener end. */
void unc_sim_perf_close(struct unc_sim *sim);
/* Those of openers that were killed end; locked. */
void unc_sim_perf_bury(struct unc_sim *sim);

/* sim/perf_box.c; locked. */

/* With perf=on, once in a machine's life. */
void unc_sim_perf_load(struct unc_sim *sim);
/* What is due until now. */
void unc_sim_perf_catch_up(struct unc_sim *sim);
/* To the list of its channel, as its last. */
void unc_sim_perf_add(struct unc_sim *sim, struct unc_sim_perf_event *event);
void unc_sim_perf_on(struct unc_sim *sim, struct unc_sim_perf_event *event);
void unc_sim_perf_off(struct unc_sim *sim, struct unc_sim_perf_event *event);
struct unc_perf_count unc_sim_perf_read(struct unc_sim *sim, struct unc_sim_perf_event *event);

/* sim/perf_pmus.c */

struct unc_sim_perf_part {  /* how the driver treats this processor */
	uint32_t box_ctl;   /* is written when it is loaded */
	uint32_t mask;      /* bits of config that it takes */
	const char *clock;  /* its "clockticks" */
	const char *driver; /* its name */
};
struct unc_sim_perf_part unc_sim_perf_part(const struct unc_sim *sim);
/* The number of that function in the driver; -1: it has not found it. */
int unc_sim_perf_number(const struct unc_sim *sim, const struct unc_sim_place *place);
/* The channel of that number of a package.  NULL: there is none. */
const struct unc_sim_place *unc_sim_perf_place(const struct unc_sim *sim, unsigned number, unsigned package);
/* Whether any package has it. */
bool unc_sim_perf_has(const struct unc_sim *sim, unsigned number);
/* The CPU on which events of a package are counted, its lowest one; -1: all are offline. */
int unc_sim_perf_cpu(const struct unc_sim *sim, unsigned package);

#endif
