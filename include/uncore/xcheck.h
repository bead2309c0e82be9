/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do the kernel's own numbers agree? */
#ifndef UNCORE_XCHECK_H
#define UNCORE_XCHECK_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

struct unc_xcheck; /* compares the kernel's counts with the same counts made here */

struct unc_xcheck_cfg {
	/*
	 * How much two counts may differ beyond their uncertainty, as a part: 0.001 is 0.1 %.  Negative: 0.001, and for resctrl
	 * what the kernel's own tests allow: 8 % of bandwidth; 15 % of occupancy or 2 MB, whichever is more.
	 */
	double tolerance;
	bool observe; /* counts nothing and writes no register: compares only the kernel's number with its counter */
};

enum unc_xcheck_verdict {
	UNC_XCHECK_OK,      /* the kernel's number agrees with its counter, and with ours if there is one */
	UNC_XCHECK_DIFFERS, /* by more than tolerance and uncertainty together, or the kernel counts another event */
	UNC_XCHECK_NOT_COMPARABLE, /* not comparable in this interval, or at all */
};

/* One end of an interval: the kernel's number, read between two readings of the counter that it comes from. */
struct unc_xcheck_bracket {
	uint64_t begin_ns, end_ns;       /* raw time before the first of these readings, and after the last */
	uint64_t raw_before, raw_after;  /* value of that counter */
	uint64_t kernel;                 /* the kernel's number */
	uint64_t enabled_ns, running_ns; /* as counted by perf */
	uint64_t control;                /* value of the counter's control */
};

/* One event of one box, or of one group of resctrl on one L3.  All texts live as long as the cross-check. */
struct unc_xcheck_row {
	const char *subject;       /* "socket0.imc0.ch2"; "socket0.l3-0" */
	const char *event;         /* "cas_count.rd"; "llc_occupancy" */
	const struct unc_box *box; /* NULL: a row of resctrl */
	/* the kernel's side */
	const char *source;     /* "uncore_imc_2", as perf writes it; "GROUP/mon_data/mon_L3_00/llc_occupancy" */
	int number;             /* the channel's number in perf: 2; -1: not found */
	int cpu;                /* CPU on which it is counted, or read; -1: not known */
	const char *config;     /* "type=12 config=0x304"; for resctrl "rmid=7", and how that is known */
	const char *perf_event; /* as perf's -e takes it, "uncore_imc_2/event=0x4,umask=0x3/"; NULL: a row of resctrl */
	const char *alias;      /* the kernel's own name for this event, "cas_count_read"; NULL: it has none */
	const char *counter;    /* the register that the kernel chose, "CTR[0]"; NULL: not found */
	const char *own; /* our counter, "CTR[3]"; NULL: none was free, it was lost, or nothing is counted here */
	/* this interval */
	enum unc_xcheck_verdict verdict;
	/* A sentence, valid until the next sample; NULL with UNC_XCHECK_OK, unless ours was lost in this interval. */
	const char *why;
	bool has_kernel, has_raw, has_ours; /* the loss of ours, and its reason, is also noted, once */
	uint64_t kernel, raw, ours;         /* counts, or bytes: in this interval; for occupancy at its end */
	/* How much two correct counts may differ, since they were not read at the same instant. */
	uint64_t uncertainty;
	uint64_t tolerated; /* how much they may differ in addition: by cfg.tolerance, or the default for resctrl */
	uint64_t interval_ns, time_ns;      /* raw time between samples; the machine's time since 1970 at the end */
	struct unc_xcheck_bracket from, to; /* the readings from which all this is computed */
};

/*
 * Opens a cross-check.  UNC_ENOSUP: no register map of this CPU has counters and it has no cache monitoring; UNC_EARG: an invalid
 * tolerance; UNC_ENOMEM.
 */
UNC_API int unc_xcheck_open(struct unc_machine *machine, const struct unc_xcheck_cfg *cfg,
			    struct unc_xcheck **ret_xcheck);
/*
 * Adds an event of a box, as unc_session_add() takes it, which the kernel's own driver is to count, too.  Touches no register,
 * opens no event.  UNC_ENOSUP: this machine has no perf, or no driver for these boxes: the message says what to load; UNC_EARG:
 * the cross-check has started, or perf's driver has no field for a part of the event; else as unc_session_add().
 */
UNC_API int unc_xcheck_add(struct unc_xcheck *xcheck, struct unc_box *box, const char *event);
/*
 * Adds a group of resctrl: its folder below /sys/fs/resctrl, "jobs/mon_groups/one", or with that path in front; "" or "/" is the
 * root group.  It gets a row for each of its events on each L3: the file's number between two readings of the same RMID, for
 * which IA32_QM_EVTSEL is written.  The kernel writes that register too, and does not check before it reads whether it was
 * changed: so a number of the kernel may sometimes be spoilt. Its RMID is that in mon_hw_id, if resctrl shows it, else that of
 * the CPUs that run its tasks or belong to it, which takes looks for up to 0.2 s.  The numbers of a control group include its
 * monitoring groups, so these are found and read, too.  Each sample checks whether groups have other RMIDs by now. UNC_ENOSUP:
 * resctrl is not mounted, or it or the CPU monitors nothing; UNC_ENODEV: no such group; UNC_ENODATA: its RMID cannot be found, or
 * it has no L3; UNC_EARG: not the name of a group, it was already added, the cross-check has started, or cfg.observe or a machine
 * that is open for reading forbids the write; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_xcheck_add_resctrl(struct unc_xcheck *xcheck, const char *group);
/*
 * Opens the kernel's events; switches them on and off and reads controls to find the box and the counter of each; counts the same
 * beside it if a counter is free; and takes the first bracket.  What is not comparable is a row with the reason.  In a dry run no
 * event is opened. UNC_EPERM: perf_event_paranoid, or lockdown; UNC_EDENIED: the machine is open for reading only, and no
 * cfg.observe; UNC_EARG: nothing was added; UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_xcheck_start(struct unc_xcheck *xcheck);
/* As unc_session_sleep_until(), reading what could wrap; our own counters are looked at every 100 ms. */
UNC_API int unc_xcheck_sleep_until(struct unc_xcheck *xcheck, uint64_t mono_ns);
/*
 * Takes the next bracket, and judges what was counted since the one before.  If another counter has the same control, and it is
 * not certain any more which is the kernel's, the event is switched off and on to find out; the next interval then begins with a
 * bracket of its own.  UNC_ENODEV, UNC_EPERM, UNC_EIO: nothing at all could be read.
 */
UNC_API int unc_xcheck_sample(struct unc_xcheck *xcheck);
/* Returns the number of rows, which are in the order in which they were added.  Valid after unc_xcheck_start(). */
UNC_API size_t unc_xcheck_count(const struct unc_xcheck *xcheck);
/* UNC_ENODEV: index is too high. */
UNC_API int unc_xcheck_row(const struct unc_xcheck *xcheck, size_t index, struct unc_xcheck_row *ret_row);
/* Closes the kernel's events, and puts back what was written.  NULL is fine.  UNC_EIO: as unc_session_close(). */
UNC_API int unc_xcheck_close(struct unc_xcheck *xcheck);

#ifdef __cplusplus
}
#endif

#endif
