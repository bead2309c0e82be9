/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver for memory channels that the kernel of a simulated machine has with perf=on. It works as intel_uncore of
 * Linux 6.1 (arch/x86/events/intel/uncore.c, uncore_snbep.c, kernel/events/core.c), which is another user of the same
 * registers.
 *
 * It does not reserve any register. When it is loaded it resets each channel, and when the first event of a channel is
 * opened it freezes and releases that channel. An event has a counter only while it is on. At each change the driver
 * freezes the box by a read-modify-write of BOX_CTL, takes all events of the channel off their counters, and puts those
 * that fit on again in the order of the list, on the lowest counters; only config 0xff uses the fixed counter. At the
 * first event that does not fit it stops, and that event and all later ones have to wait. While one waits, events are
 * multiplexed: every 4 ms of the machine's time, at whole multiples of that, the first event of the list becomes the
 * last, and all are put on again. An event's count is the sum of the differences, modulo 2^48, between two reads of its
 * counter; each reads the low dword and then the high one, without protection against a carry between them. The driver
 * never writes a counter; it leaves a control with its event and without the enable.
 *
 * All of this is in the state. The next opener that uses the machine does what is due, at the time at which it was due
 * and without spending its own time, so the result does not depend on which opener does it and when. If no opener uses
 * the machine for more than an hour, events are rotated in the last hour only. A call of an opener takes the time of
 * its accesses.
 */
#ifndef UNC_SIM_PERF_H
#define UNC_SIM_PERF_H

#include "sim/computer.h"

enum {
	UNC_SIM_PERF_HBM = 16, /* 0 to 15: uncore_imc_0 to _15; from here on: uncore_type_14_0 to _31 */
	UNC_SIM_PERF_NUMBERS = 48,
	UNC_SIM_PERF_NAME = 32,
	UNC_SIM_PERF_TYPE = 12,      /* PMU type of number 0; the others follow */
	UNC_SIM_PERF_FIXED = 0xff,   /* config of the fixed counter's event */
	UNC_SIM_PERF_ROTATES_MS = 4, /* perf_event_mux_interval_ms */
};

/* unc_host_ops.perf_open and .perf */
int unc_sim_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
int unc_sim_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);
/* Ends the events of this opener; call it before the store is closed. */
void unc_sim_perf_close(struct unc_sim *sim);
/* Ends the events of openers that were killed. The caller holds the lock. */
void unc_sim_perf_bury(struct unc_sim *sim);

/* Loads the driver with perf=on, once in a machine's life. The caller holds the lock. */
void unc_sim_perf_load(struct unc_sim *sim);
/* Does what is due until now. The caller holds the lock. */
void unc_sim_perf_catch_up(struct unc_sim *sim);

struct unc_sim_perf_part { /* how the driver handles this processor */
	uint32_t box_ctl;  /* written when the driver is loaded */
	uint32_t mask;     /* bits of an event's config that it keeps */
	const char *pmu;   /* names of its PMUs, without the number */
	/* Text of its event "clockticks"; NULL: it does not know this processor, so it has no events and no fixed counter. */
	const char *clock;
	const char *reads, *writes; /* of "cas_count_read", "cas_count_write" */
	uint32_t frz, en;           /* freeze bit of BOX_CTL; enable bit of a general control, 0: it has none */
	const char *driver;         /* name of its struct pci_driver in Linux; NULL: its channels are in memory */
};
struct unc_sim_perf_part unc_sim_perf_part(const struct unc_sim *sim);
/* Returns the number of that function in the driver; -1: the driver has not found it. */
int unc_sim_perf_number(const struct unc_sim *sim, const struct unc_sim_place *place);
/* Returns the channel of that number in a package. NULL: there is none. */
const struct unc_sim_place *unc_sim_perf_place(const struct unc_sim *sim, unsigned number, unsigned package);
/* Returns a bit for each number of which a package has a channel. */
uint64_t unc_sim_perf_numbers(const struct unc_sim *sim);
/* Writes the name of the PMU of that number; returns buf. */
const char *unc_sim_perf_name(const struct unc_sim *sim, unsigned number, char buf[UNC_SIM_PERF_NAME]);

enum { UNC_SIM_PERF_SLOT_FIXED = UNC_SIM_CTRS + 1 }; /* slots are numbered from 1 */

#endif
