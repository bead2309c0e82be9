/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libuncore reads and programs a server's memory-controller counters and cache monitoring directly.
 *
 * Functions return 0, or a negative enum unc_err whose message is in unc_errmsg().  Arguments named ret_* are written on success
 * only, unless stated otherwise.  Use one unc_ctx per thread; what is opened with a context is used with it.  The library never
 * prints, never exits and keeps no state outside its objects.
 *
 * Registers, events and metrics, regions of a program, traffic, tasks, recover, doctor, check and xcheck have headers of their own in uncore/.
 */
#ifndef UNCORE_H
#define UNCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define UNC_API               __attribute__((visibility("default")))
#define UNC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define UNC_API
#define UNC_PRINTF(fmt, args)
#endif

enum unc_err {
	UNC_OK = 0,
	UNC_ENOMEM = -1,   /* out of memory */
	UNC_EARG = -2,     /* invalid argument */
	UNC_EPERM = -3,    /* the operating system refused: not root, lockdown, write filter */
	UNC_ENODEV = -4,   /* no such CPU, PCI function, box or file on this machine */
	UNC_EIO = -5,      /* the access itself failed */
	UNC_ENOREG = -6,   /* the register map has no such name */
	UNC_ERANGE = -7,   /* the value is wider than its field, or the offset is outside its space */
	UNC_EDENIED = -8,  /* the map, or a machine opened read-only, forbids this write */
	UNC_EMAP = -9,     /* a map file is malformed or contradicts itself */
	UNC_EBUSY = -10,   /* a counter or a box already has an owner: another tool, the kernel, the firmware */
	UNC_EAGAIN = -11,  /* hardware: the value is not available yet, ask again */
	UNC_ENODATA = -12, /* hardware: there is no valid value here, and asking again does not help */
	UNC_ENOSUP = -13,  /* this machine lacks the feature */
};

struct unc_ctx;     /* messages, and where notes go */
struct unc_machine; /* one computer, real or simulated; owns its boxes and sessions */
struct unc_box;     /* one block of counters, e.g. "socket0.imc0.ch2" */
struct unc_session; /* programmed counters and their last values */
struct unc_traffic_maker;

/* Receives notes: useful information that is not a failure.  A note is one sentence without a newline. */
typedef void unc_log_fn(void *arg, const char *sentence);

/* Returns the version of the library that runs, "0.2.0", which may be newer than that of the header. */
UNC_API const char *unc_version(void);

/* Makes a context.  UNC_ENOMEM (then there is no context that could have a message). */
UNC_API int unc_new(struct unc_ctx **ret_ctx);
/* Frees a context, after everything opened with it was closed.  NULL is fine, as in every destructor. */
UNC_API void unc_free(struct unc_ctx *ctx);
/* Returns the message of the last failure, "" before the first; valid until the next call that fails. */
UNC_API const char *unc_errmsg(const struct unc_ctx *ctx);
/* Sends notes to fn(arg, ...) from now on; NULL (the initial state) drops them. */
UNC_API void unc_set_log(struct unc_ctx *ctx, unc_log_fn *fn, void *arg);

/* ---- machines ---------------------------------------------------------------------------------------------- */

struct unc_machine_cfg {
	const char *machine; /* "live[,ecam]", "sim:MODEL[,key=value]...", "root:DIR", "replay:FILE"; NULL: live */
	const char *map_dir; /* a folder with more register maps; NULL: only the built-in ones */
	bool writable;       /* false: every write fails with UNC_EDENIED, and every bus is opened read-only */
	/*
	 * Folder of the journal, which outlives this process: before a register is first written, its value is on disk there for
	 * unc_recover_open(); if it cannot be put there, that write fails with UNC_EPERM or UNC_EIO.  NULL: /run/uncorectl, for
	 * users other than root /run/uncorectl-UID.  A machine whose registers end with this process needs none.
	 */
	const char *state_dir;
	bool recovers; /* unc_recover_open() follows, so notes do not report what was left */
	bool no_boxes; /* looks for no boxes, so no register is read, e.g. because none can be */
	/* Called with one line per access (its format is in src/access/trace.h); NULL: not traced. */
	void (*trace)(void *arg, const char *line);
	void *trace_arg;
	/*
	 * Called with a line for each register write that would be done, in order and decoded; then nothing is written, the buses
	 * are opened for reading only, and later reads return what they would after these writes.  NULL: writes are done.
	 */
	void (*dry_run)(void *arg, const char *line);
	void *dry_run_arg;
	/* The process that unc_task_open() calls 0: the COMMAND that is measured.  0 or less: none. */
	int command_pid;
	/* When this can be read, every sleep, such as unc_session_sleep_until(), ends early; 0 or less: none.  Not owned. */
	int wake_fd;
	/*
	 * Called with each line of a record of this machine, without a newline (its format is in src/access/record.h): a file of
	 * these lines can be opened as "replay:FILE".  NULL: not recorded.
	 */
	void (*record)(void *arg, const char *line);
	void *record_arg;
	/* Another file that is read during the recording, by the name "INPUT": its text is in the record.  NULL: none. */
	const char *record_input;
	/* Makes traffic on the computer that this program runs on, for unc_traffic_start() of "live"; NULL: there is none. */
	const struct unc_traffic_maker *traffic_maker;
	/*
	 * For "replay:FILE": called once with a sentence, when something is asked for that the record does not have.  It need not
	 * return; if it does, or is NULL, everything fails from then on with UNC_EIO and that sentence.
	 */
	void (*differs)(void *arg, const char *sentence);
	void *differs_arg;
};

/*
 * Opens a computer: CPUID decides which register map fits, PCI configuration space where its boxes are.  Reads registers, writes
 * none, and locks nothing: the first write to a box claims it, for one program at a time, until it is put back. With
 * cfg.writable, notes report what killed processes have left changed on this machine, and journals from before its last boot are
 * removed.  Boxes that cannot be reached are listed, too; unc_box_info() has the reason.  A CPU that no map fits can be opened,
 * too: unc_machine_info.no_counters. UNC_EARG: no such machine or key; UNC_ENOSUP: the CPU cannot be identified; UNC_EMAP: a map
 * is wrong; UNC_ENODEV: the machine's PCI files are missing; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_machine_open(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine);
/*
 * Puts back every control register that still holds what was written through this machine, and frees the machine.  Sessions must
 * be closed before.  NULL is fine.  UNC_EIO: a register could not be put back; the message names it and its value.
 */
UNC_API int unc_machine_close(struct unc_machine *machine);

struct unc_machine_info {
	const char *name;   /* as given: "sim:snbep,sockets=2"; without paths if recorded or replayed */
	bool simulated;     /* its numbers come from a model */
	const char *vendor; /* "GenuineIntel" */
	const char *part;   /* the register map's name for it: "Sandy Bridge-EP"; "" if no map names it */
	unsigned family, model, stepping;
	unsigned n_sockets;
	unsigned n_cpus;         /* online; 0: not known */
	const char *socket_rule; /* how socket numbers were found */
	const char *no_counters; /* a sentence why no memory channel can be counted (no map fits); NULL: one fits */
};
/* All texts live as long as the machine. */
UNC_API void unc_machine_info(const struct unc_machine *machine, struct unc_machine_info *ret_info);

struct unc_cpu_info {       /* information about the first online CPU */
	char brand[64];     /* the name that it reports; "" if none */
	unsigned n_cores;   /* cores of its package; 0: not known */
	unsigned n_threads; /* threads of its package; 0: not known */
	uint64_t l3_bytes;  /* size of one of its L3 caches; 0: not known */
};
/* Reads many leaves of CPUID, through libcpuid.  UNC_ENODATA: libcpuid does not identify this CPU; else as CPUID fails. */
UNC_API int unc_machine_cpu(struct unc_machine *machine, struct unc_cpu_info *ret_info);

enum { UNC_MACHINE_FACTS = 5 };
struct unc_machine_fact {
	const char *name; /* "system", "board", "firmware", "microcode", "kernel" */
	char text[200];   /* "" if this machine does not report it, as most simulated ones */
};
/*
 * Reports what the operating system says about the computer, in the order of those names; no serial number, no host name.
 * UNC_ENODEV: index is too high; UNC_ENOMEM.
 */
UNC_API int unc_machine_fact(struct unc_machine *machine, size_t index, struct unc_machine_fact *ret_fact);

/* Return the machine's time in nanoseconds: for measuring, for pacing, and since 1970. */
UNC_API uint64_t unc_machine_raw_ns(const struct unc_machine *machine);
UNC_API uint64_t unc_machine_mono_ns(const struct unc_machine *machine);
UNC_API uint64_t unc_machine_real_ns(const struct unc_machine *machine);

/*
 * Sleeps until that pacing time of the machine.  0: the time has come; UNC_EAGAIN: woken early through wake_fd; UNC_EARG:
 * UINT64_MAX (no end) on a machine whose time does not advance by itself.
 */
UNC_API int unc_machine_sleep_until(struct unc_machine *machine, uint64_t mono_ns);

/* ---- boxes ------------------------------------------------------------------------------------------------- */

enum unc_presence {
	UNC_PRESENT,
	UNC_MISSING, /* should be there: other sockets have it, or it reads as all ones */
	UNC_ABSENT,  /* no socket has it in this place */
	UNC_DENIED,  /* there, but the operating system denies access */
};

struct unc_box_info {
	const char *name; /* "socket0.imc0.ch2" */
	unsigned socket, imc, channel;
	/* "0000:7f:10.4", where it is or should be; "cpu0", the CPU through which its MSRs are reached; "" if not known */
	const char *pci;
	enum unc_presence presence;
	const char *why;       /* one sentence: how this box was found, or why it was not */
	int perf, pcm, likwid; /* the number that other tools give this channel; -1: not known */
	bool hbm; /* of memory in the package, and not of DIMMs; its controllers are numbered for themselves */
};
/*
 * Boxes of a unit ("imc"; NULL: of every unit) in the order socket, imc, channel.  Index out of range: NULL.  Boxes made of MSRs
 * ("socket0.global") count as present until the first access to one of their registers shows otherwise.  Boxes of which every CPU
 * has one ("cpu17.rdt") are not listed: unc_box_find() makes them.
 */
UNC_API size_t unc_box_count(const struct unc_machine *machine, const char *unit);
UNC_API struct unc_box *unc_box_at(const struct unc_machine *machine, const char *unit, size_t index);
UNC_API void unc_box_info(const struct unc_box *box, struct unc_box_info *ret_info);

/*
 * Finds a box by its whole name.  UNC_ENODEV: there is no such box; UNC_ENOSUP: this CPU has no boxes of that kind; UNC_ENOMEM.
 */
UNC_API int unc_box_find(const struct unc_machine *machine, const char *name, struct unc_box **ret_box);

enum { UNC_EVENT_MAX = 128 };
enum unc_use {
	UNC_USE_IDLE,     /* no counter is enabled */
	UNC_USE_COUNTING, /* a counter is enabled, and moved between two reads */
	UNC_USE_TAKEN,    /* a counter is enabled, but did not move between two reads */
	/* The box stands still, frozen or asleep: a counter of its clock does not move, or BOX_CTL reads as frozen. */
	UNC_USE_STOPPED,
};
struct unc_slot_state {  /* one counter of a box as found */
	const char *reg; /* "CTL" or "FIXED_CTL" */
	unsigned index;
	uint32_t offset;
	uint64_t control;
	bool enabled;
	char event[UNC_EVENT_MAX]; /* event that it selects, as in unc_session_event(); "": the control is blank */
};
enum { UNC_SLOTS_MAX = 32 };
struct unc_box_state {
	enum unc_use use;
	bool frozen; /* as far as it can be read */
	size_t n_slots;
	struct unc_slot_state slots[UNC_SLOTS_MAX];
};
/*
 * Reads the controls, and the counters twice if one is enabled; waits 1 ms if a clock does not tick.  Writes nothing. UNC_EPERM,
 * UNC_ENODEV (all ones, or gone), UNC_EIO; UNC_ENOSUP: not a box that counts.
 */
UNC_API int unc_box_state(struct unc_box *box, struct unc_box_state *ret_state);

/* ---- counting ---------------------------------------------------------------------------------------------- */

struct unc_session_cfg {
	bool force; /* if no counter is free, take one that another program enabled, and give it back on close */
	/*
	 * Stop the whole box while it is read: all its counters are read at one instant, but counts are lost.  Its fixed counter,
	 * if free, also counts, to show whether the box runs.
	 */
	bool freeze;
	/*
	 * With more events than counters, multiplex: groups of events count for 10 ms or longer one after the other, and change
	 * whenever the session sleeps or is read.  Events of a set stay in one group.
	 */
	bool multiplex;
	/*
	 * Only observe: no register is written, no counter taken, no box claimed, nothing journalled.  Events are counted as far
	 * as other programs (perf, PCM, the firmware) count them; their controls are read with every read of their counters, and
	 * also every 100 ms while the session sleeps.  What was changed and changed back between two looks cannot be seen.  Not
	 * with force or freeze.
	 */
	bool observe;
	/*
	 * POWER: where the microcode of a chip is paused, it is started for the session and paused again by unc_session_close(), unless
	 * another process has a perf event open then, which may be of the nest.  Elsewhere this has no effect.
	 */
	bool start;
	/*
	 * The time from one unc_session_read() to the next; 0: not known.  If no read is quick enough for that, a note at the
	 * start names the shortest interval that is certain to 0.2 %.
	 */
	uint64_t interval_ns;
	/*
	 * unc_session_read() looks at each box after it has read the counters: whether the controls are still ours, and whether
	 * its clock ticks. That is one more read per box.  With confirm_later it does so only every 100 ms, and what was read
	 * before that is UNC_COUNT_PENDING until unc_session_confirm().
	 */
	bool confirm_later;
};

enum unc_count_flag {
	UNC_COUNT_MISSING = 1 << 0, /* the box did not answer, or read as all ones */
	UNC_COUNT_STOLEN = 1 << 1,  /* another program wrote our control: it is not written again, nor put back */
	/*
	 * The counter jumped, though the control holds what we wrote: another program may have cleared it.  It is put back on
	 * close, unless there is evidence of such a program.
	 */
	UNC_COUNT_RESET = 1 << 2,
	UNC_COUNT_GAP = 1 << 3, /* not read for so long that it may have wrapped unseen, or the machine was suspended */
	UNC_COUNT_LATE = 1 << 4, /* count correct, but uncertainty_percent is above 0.2: slow read or short interval */
	UNC_COUNT_SCALED = 1 << 5,  /* counted in only a part of the interval: running_ns of enabled_ns */
	UNC_COUNT_NOT_RUN = 1 << 6, /* it was not counted in this interval, because of multiplexing */
	/*
	 * The box stood still, for all of the interval or for more than 0.2 % of it, by its clock or because BOX_CTL reads as
	 * frozen. Another program or the firmware has frozen the box or the whole socket, the package slept (C3, C6), or the
	 * channel has no clock since it has no DIMMs.
	 */
	UNC_COUNT_STOPPED = 1 << 7,
	/*
	 * With cfg.observe: in this interval the counter's owner gave it another event or switched it on or off, or another
	 * counter counts the event now; from here on the counter is observed as it is now.
	 */
	UNC_COUNT_CHANGED = 1 << 8,
	UNC_COUNT_UNPROGRAMMED = 1 << 9, /* with cfg.observe: no program counts it in this box */
	/*
	 * Nothing in the box was counted, and no clock shows that it could count: no counter is free for a clock, or with
	 * cfg.observe no other program counts one.  Or another program's clock ticked too rarely: that program paused it, or the
	 * box stood still.  Or the clock ticked faster than it can: another program wrote it, or released a box that was frozen
	 * for reading.  Or another program took the clock's counter.  Or the look that should confirm the count failed.
	 */
	UNC_COUNT_UNCONFIRMED = 1 << 10,
	/* With cfg.confirm_later: delta is what was counted; it may be wrong until unc_session_confirm() has confirmed it. */
	UNC_COUNT_PENDING = 1 << 11,
	/* Counted by a counter of the whole memory controller that always runs, since no channel could be programmed. */
	UNC_COUNT_FREE_RUNNING = 1 << 12,
	/* How much a count stands for is not confirmed: of POWER's memory counters, and of clients from Meteor Lake on. */
	UNC_COUNT_ESTIMATE = 1 << 13,
	UNC_COUNT_NO_NUMBER = UNC_COUNT_MISSING | UNC_COUNT_STOLEN | UNC_COUNT_RESET | UNC_COUNT_GAP |
			      UNC_COUNT_NOT_RUN | UNC_COUNT_STOPPED | UNC_COUNT_CHANGED | UNC_COUNT_UNPROGRAMMED |
			      UNC_COUNT_UNCONFIRMED | UNC_COUNT_PENDING,
};

/*
 * One event of one box: delta counts in interval_ns, up to time_ns.  With a flag of UNC_COUNT_NO_NUMBER there is no number for
 * this interval, delta is 0, and the next interval starts at a new baseline.
 */
struct unc_count {
	unsigned flags;       /* of enum unc_count_flag; 0: good */
	uint64_t delta;       /* counts since the previous unc_session_read(), or since the start */
	uint64_t total;       /* sum of all deltas: never wraps */
	uint64_t interval_ns; /* the machine's raw time since this box was last read, or released after that */
	uint64_t enabled_ns;  /* part of interval_ns in which the event was to be counted */
	uint64_t running_ns;  /* part of enabled_ns in which a counter counted it: less only with multiplexing */
	uint64_t time_ns;     /* the machine's time since 1970 when this box was read */
	/*
	 * Uncertainty of running_ns, and so of any rate: half of the clock brackets at both ends of the time in which it was
	 * counted, divided by that time.  0 if there is no number.
	 */
	double uncertainty_percent;
	double scale;     /* delta * scale is in unit */
	const char *unit; /* "bytes", or NULL for plain events */
};

/* Returns delta in unit, scaled up to the whole of enabled_ns if the event was multiplexed; 0 if there is no number. */
UNC_API double unc_count_value(const struct unc_count *count);

/*
 * Opens a session.  UNC_ENOSUP: no register map of this CPU has counters, unc_machine_info.no_counters; UNC_EARG: cfg.observe
 * with cfg.freeze or cfg.force; UNC_ENOMEM.
 */
UNC_API int unc_session_open(struct unc_machine *machine, const struct unc_session_cfg *cfg,
			     struct unc_session **ret_session);
/*
 * Events added from here to unc_session_end_set() are counted at the same time.  freeze: they are also read at one instant, for
 * which the box is stopped.  UNC_EARG: the session has started, a set is open (for unc_session_end_set(): none is), or freeze
 * with cfg.observe.
 */
UNC_API int unc_session_begin_set(struct unc_session *session, bool freeze);
UNC_API int unc_session_end_set(struct unc_session *session);
/*
 * Adds an event: by its name in the map ("cas_count.rd", or as in Intel's lists, "UNC_M_CAS_COUNT.RD"), with options of the
 * control register ("cas_count.rd:thresh=8:edge:invert"), with the unit in front as in perf ("imc/cas_count.rd,thresh=8/",
 * "uncore_imc/cas_count.rd/"), or raw ("imc/event=0x4,umask=0x3/", "imc/config=0x304/", a value of the control register).
 * "uncore_imc/event=0xff/" is the fixed counter, as in perf. thresh counts the clocks in which the event adds at least that much,
 * edge the clocks in which that begins to be true, invert all others.  Touches no register.  Its count is number *ret_index (may
 * be NULL) of unc_session_read(). UNC_ENOREG: this CPU has no such event; UNC_EARG: the text is not an event, or this CPU lacks
 * the option; UNC_ERANGE: a value is wider than its field; UNC_ENODEV: the box is not there; UNC_EPERM: denied; UNC_EIO: it did
 * not answer when boxes were looked for.
 */
UNC_API int unc_session_add(struct unc_session *session, struct unc_box *box, const char *event, size_t *ret_index);
/*
 * With cfg.observe: adds a counter of a box, number slot of unc_box_state(), whatever it counts.  unc_session_event() returns its
 * event, which may change with each unc_session_read(). UNC_ENOREG: the box has fewer counters; UNC_EARG: the session has
 * started, or does not only observe; else as unc_session_add().
 */
UNC_API int unc_session_add_counter(struct unc_session *session, struct unc_box *box, size_t slot, size_t *ret_index);
/*
 * Returns the event of a count in its standard form: "cas_count.rd:thresh=8:edge", "event=0x4,umask=0x3", and for a control with
 * bits that the map does not know "config=0x100304".  It lives as long as the session; for an observed counter until the next
 * read. NULL: index is too high, or that counter was not enabled in this interval.
 */
UNC_API const char *unc_session_event(const struct unc_session *session, size_t index);
/*
 * Finds the free counters (those that are not enabled), takes them from the highest down, and writes per box: BOX_CTL freeze
 * enable, freeze, configuration, configuration with enable, read back, unfreeze (Intel 327043-001, section 2.1.1).  If another
 * program counts in the box, BOX_CTL is not written.  Counters are not cleared. With multiplexing this starts the first group.
 * Requests of the fixed counter share it, and it runs with every group. UNC_EBUSY: no counter is free; or there are more events
 * than counters and no cfg.multiplex; or the box is frozen while another program uses it; or cfg.freeze and another program counts
 * there; or another uncorectl writes in the box; or a killed one has left changed what is needed.  UNC_EARG: counters of this
 * part cannot count an event, or not all of a set at once, or a set was not ended.  In these cases nothing was written.  UNC_EIO:
 * a control did not stick; UNC_EDENIED: machine opened read-only; UNC_ENODEV, UNC_EPERM. With cfg.observe it only finds what is
 * counted; UNC_ENODEV then also means that no program counts any of these events in any of these boxes.
 */
UNC_API int unc_session_start(struct unc_session *session);
/*
 * Reads every counter once, frozen if cfg.freeze or a set asks for it; n is the number of events added.  With
 * multiplexing a group that has counted for 10 ms or longer ends with it.  A box that does not answer is flagged in its counts; the
 * read fails (UNC_ENODEV, UNC_EIO) only if no box answers.
 */
UNC_API int unc_session_read(struct unc_session *session, struct unc_count *ret_counts, size_t n);
/*
 * With cfg.confirm_later: counts are those of one or more reads, oldest first, n in all.  Looks at the boxes that were not looked
 * at since they were read, and clears UNC_COUNT_PENDING: then delta is confirmed, or it is 0 and other flags have the reason.
 * Call it at the latest when a read gives counts that are not pending, and before closing. UNC_EARG: the session has not started,
 * or n is not a multiple of the number of events.  Any other error: a box did not answer, and its counts are
 * UNC_COUNT_UNCONFIRMED.
 */
UNC_API int unc_session_confirm(struct unc_session *session, struct unc_count *counts, size_t n);
/*
 * Sleeps until the machine's pacing time; during the sleep it reads counters that could wrap, and changes multiplexed groups.  0: the
 * time has come; UNC_EAGAIN: woken early through wake_fd; UNC_EARG: the session has not started.  UINT64_MAX: until woken.
 */
UNC_API int unc_session_sleep_until(struct unc_session *session, uint64_t mono_ns);
/*
 * Stops counting and puts back the controls that still hold what we wrote.  NULL is fine. UNC_EIO: one could not be put back; the
 * message names it.
 */
UNC_API int unc_session_close(struct unc_session *session);

/* ---- caches ------------------------------------------------------------------------------------------------ */

/* What IA32_QM_CTR reports for an RMID on an L3. */
enum unc_llc_event {
	UNC_LLC_OCCUPANCY, /* bytes of the cache that it owns */
	UNC_LLC_TOTAL,     /* bytes moved between this L3 and the next level */
	UNC_LLC_LOCAL,     /* those of them that are from or to the local memory */
	UNC_LLC_EVENTS,
};

/* Monitoring (CMT, MBM) and allocation of the L3 caches, as CPUID reports them.  All texts live as long as the machine. */
struct unc_llc_info {
	const char *no_monitoring; /* a sentence why there is none; then only allocation below is valid */
	const char *allocation;    /* CAT, CDP, MBA and their CLOS in words; NULL: none */
	unsigned events;           /* 1 << enum unc_llc_event */
	unsigned max_rmid;         /* the highest that can be given to a CPU */
	unsigned cpuid_max_rmid;   /* as CPUID reports it: higher if sub-NUMA clustering divides them */
	uint64_t unit_bytes;       /* the size of one unit of IA32_QM_CTR */
	unsigned counter_bits;     /* width of the bandwidth counters */
	uint64_t full_speed;       /* the most bytes per second that an L3 moves, which bounds the time to a wrap */
	bool overflow_bit;         /* bit 61 of IA32_QM_CTR shows that a counter wrapped */
	bool io_occupancy, io_bandwidth; /* agents that are not CPUs are counted too */
	unsigned nodes;                  /* NUMA nodes that share an L3; 1: no sub-NUMA clustering */
	unsigned exact_rmid; /* bandwidth of higher RMIDs is multiplied by factor (an erratum); else max_rmid */
	double factor;
	const char *warning;  /* limits of the numbers that the user should know; or NULL */
	const char *features; /* further features of AMD (BMEC, ABMC) and their settings, in words; or NULL */
	size_t n_l3s;
};
/*
 * Reads CPUID on every CPU, at the first call.  UNC_ENOSUP: its data contradict each other; the message has both values;
 * UNC_ENODATA: this machine does not report which CPUs share a cache; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_llc_info(struct unc_machine *machine, struct unc_llc_info *ret_info);

struct unc_l3_info {
	unsigned id; /* as in Linux and resctrl: the APIC ID without the bits that differ among its CPUs */
	unsigned package;
	uint64_t bytes;
	const char *cpus; /* online: "0-17,36-53" */
	unsigned first_cpu;
	size_t n_cpus;
};
/* L3 caches by id.  UNC_ENODEV: index is too high; else as unc_llc_info(). */
UNC_API int unc_l3_info(struct unc_machine *machine, size_t l3, struct unc_l3_info *ret_info);

struct unc_llc; /* groups of CPUs that are monitored */

struct unc_llc_cfg {
	/* 1 << enum unc_llc_event; 0: all that exist, but no bandwidth if whether its counters are assigned cannot be read */
	unsigned events;
	bool shared;    /* go on if another program uses cache monitoring: resctrl, pqos, or RMIDs that are in use */
	bool no_wait;   /* take an RMID that still owns cache, rather than wait until one does not */
	bool no_verify; /* do not read IA32_QM_EVTSEL back: two accesses per value instead of three */
	/*
	 * unc_llc_read() looks at IA32_PQR_ASSOC of all CPUs after it has read the values.  With confirm_later it does so only if
	 * the next read, interval_ns later, would come a second or more after the last look, and not at all if interval_ns is 0:
	 * rows that were read without a look are UNC_LLC_PENDING until unc_llc_confirm().
	 */
	bool confirm_later;
	/* CPUs to read from, each for its own L3; other L3s are read from their lowest CPU outside every group. */
	const unsigned *read_cpus;
	size_t n_read_cpus;
	uint64_t interval_ns; /* time from one unc_llc_read() to the next, as in unc_session_cfg; 0: not known */
	/*
	 * AMD, until closing: assigns bandwidth counters (ABMC), on all CPUs of the L3s in use, and lets an event count these kinds of
	 * traffic (BMEC, bits of QOS_EVT_CFG; 0: as it is).  Both let all bandwidth counters of these L3s restart, now and at the end,
	 * which is noted.  Needs all CPUs online, and no mounted resctrl.
	 */
	bool assign;
	unsigned types[UNC_LLC_EVENTS];
};

/*
 * Opens monitoring.  UNC_ENOSUP: no monitoring, or not of a requested event; UNC_ENODEV: a CPU to read from is not there;
 * UNC_EARG: no such event; else as unc_llc_info().
 */
UNC_API int unc_llc_open(struct unc_machine *machine, const struct unc_llc_cfg *cfg, struct unc_llc **ret_llc);
/*
 * Returns what is monitored, 1 << enum unc_llc_event: cfg.events, or all that exist, without bandwidth if whether its counters
 * are assigned cannot be read.
 */
UNC_API unsigned unc_llc_events(const struct unc_llc *llc);
/*
 * Adds a group: CPUs that get one RMID.  Touches no register.  cpus are copied. UNC_ENODEV: there is no such CPU, or it is
 * offline; UNC_EARG: it is in another group, the name is taken, there is no CPU in it, or monitoring has started; UNC_ENOMEM.
 */
UNC_API int unc_llc_add(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n_cpus);
/*
 * Also adds a row for every RMID of every L3, without a group: no CPU gets an RMID for that.  UNC_EARG: monitoring has started.
 */
UNC_API int unc_llc_add_rmids(struct unc_llc *llc);
/*
 * Looks for other users, reads IA32_PQR_ASSOC of every CPU of the L3s in use once, and chooses for each group an RMID that is
 * free on all its L3s: from the highest that counts exactly down, never 0, if possible one that owns no cache any more.  Writes
 * it with the CLOS unchanged, and takes the first readings of bandwidth.  If all free RMIDs own cache it waits until one does
 * not; if hardware reports no occupancy, or in a dry run, it takes the highest and notes that.  In a dry run nothing is read
 * after that, and every value is unavailable. UNC_EARG: no group, or more groups than an L3 has RMIDs, or already started, or a
 * CPU to read from is not on an L3 of a group, or is on the same L3 as another; UNC_EBUSY: another program uses cache monitoring,
 * and no cfg.shared; or other CPUs carry the RMIDs that the groups would need; or another uncorectl writes on that L3, or a
 * killed one has left RMIDs there; UNC_EAGAIN: woken while it waited for a clean RMID; UNC_EIO: an access failed, or a write did
 * not stick; UNC_EPERM, UNC_EDENIED, UNC_ENOMEM.  After an error everything written is put back; what could not be is noted.
 */
UNC_API int unc_llc_start(struct unc_llc *llc);

struct unc_llc_row_info { /* a group on an L3, or the sum of the rows of a group on several */
	const char *group;
	/*
	 * CPUs of the group on this L3: "0-3,36-39".  For an RMID without a group: the CPUs that carried it when monitoring
	 * began, perhaps ""; if each node of an L3 has its own RMIDs, only CPUs of that node.
	 */
	const char *cpus;
	bool sum;
	bool as_is;        /* a row of an RMID without a group: unc_llc_add_rmids() */
	unsigned l3;       /* id of the L3; unused for a sum */
	unsigned rmid;     /* if sub-NUMA clustering divides RMIDs, that of the first node */
	uint64_t l3_bytes; /* for a sum: of all its L3s */
};
/*
 * Rows in the order of groups, within a group by L3, then its sum; then RMIDs without a group.  Valid after unc_llc_start().
 */
UNC_API size_t unc_llc_row_count(const struct unc_llc *llc);
/* UNC_ENODEV: row is too high. */
UNC_API int unc_llc_row_info(const struct unc_llc *llc, size_t row, struct unc_llc_row_info *ret_info);

enum unc_llc_status {
	UNC_LLC_NOT_ASKED, /* the event is not monitored */
	UNC_LLC_OK,
	UNC_LLC_UNAVAILABLE, /* the hardware has no data for this RMID now: Unavailable in four reads after one selection */
	UNC_LLC_ERROR,       /* the hardware reports that there is no such event or RMID, or the access failed */
	UNC_LLC_DISTURBED, /* IA32_QM_EVTSEL was changed by another program between our write and our read, three times */
	UNC_LLC_STALE,     /* bandwidth: no previous reading, or so old that the counter may have wrapped unseen */
	UNC_LLC_SHARED,    /* it may include the work of a CPU outside the group: UNC_LLC_SHARED_RMID */
	UNC_LLC_UNASSIGNED, /* AMD's ABMC: no bandwidth counter is assigned to the RMID */
};

struct unc_llc_value {
	enum unc_llc_status status;
	bool has_raw;
	uint64_t raw;       /* data of IA32_QM_CTR, in units; of all nodes together; a sum has none */
	uint64_t bytes;     /* with UNC_LLC_OK, else 0: owned now, or moved since this value was last ok or stale */
	double bytes_per_s; /* only for bandwidth */
	/* Bandwidth: the time since it was last ok or stale; longer than the row's if it was not read in between. */
	uint64_t interval_ns;
	bool corrected; /* bytes is multiplied by the factor of the erratum, raw is not */
	/* Bandwidth: uncertainty of interval_ns, and so of bytes_per_s, as in unc_count; bytes are exact. */
	double uncertainty_percent;
	bool late; /* uncertainty_percent is above 0.2 */
};

enum unc_llc_flag {
	/* Another program gave a CPU of the group another RMID, rmid_found, which it had at some time of this interval. */
	UNC_LLC_HIJACKED = 1 << 0,
	UNC_LLC_CORRECTED = 1 << 1, /* a value is corrected */
	UNC_LLC_OVER = 1 << 2,      /* more is owned of this L3 than its size */
	/* For a sum: a value of a part has no number, so the sum has none either, but the worst status. */
	UNC_LLC_PARTIAL = 1 << 3,
	/* Bytes of bandwidth are from a longer interval than the row: the value was missed before. */
	UNC_LLC_LONGER = 1 << 4,
	UNC_LLC_LATE = 1 << 5, /* a value is late */
	/*
	 * Local exceeds total by more than remote_uncertain_bytes would be: there is no remote value, and one of the two is
	 * wrong.
	 */
	UNC_LLC_LOCAL_EXCEEDS = 1 << 6,
	/*
	 * After the last look that found none, another program gave the group's RMID to a CPU of this L3 that is not in the
	 * group. The row has no numbers.  Later rows have no occupancy, since what that CPU brought into the cache stays there.
	 */
	UNC_LLC_SHARED_RMID = 1 << 7,
	/* With cfg.confirm_later: values may be wrong until unc_llc_confirm() has confirmed them. */
	UNC_LLC_PENDING = 1 << 8,
	UNC_LLC_NO_COUNTER = 1 << 9, /* a value is UNC_LLC_UNASSIGNED */
};

struct unc_llc_row {
	unsigned flags;       /* of enum unc_llc_flag */
	uint64_t time_ns;     /* the machine's time since 1970 of the reading */
	uint64_t interval_ns; /* raw time since the row was last read, or since the start */
	struct unc_llc_value values[UNC_LLC_EVENTS];
	bool has_remote;
	/*
	 * Bytes that moved and were not local, from the same interval of both.  0 if local exceeds total by no more than the
	 * uncertainty: what moved while it was not certain which counter had it, and one unit of a counter.
	 */
	uint64_t remote_bytes, remote_uncertain_bytes;
	unsigned rmid_found; /* with UNC_LLC_HIJACKED */
};
/*
 * Reads every value once: IA32_QM_EVTSEL written whole, IA32_QM_CTR read, IA32_QM_EVTSEL read back, on one CPU of each L3.
 * IA32_QM_CTR is read up to four times if it is Unavailable, which some hardware is at first after each selection. A value that
 * hardware does not give is a status; after three errors in a row it is not read any more.  Then this looks at IA32_PQR_ASSOC of
 * all CPUs of the L3s that have groups, as cfg.confirm_later says, except CPUs of nohz_full, which a look would interrupt.  n is
 * unc_llc_row_count(). UNC_ENODEV, UNC_EPERM, UNC_EIO: nothing at all could be read; UNC_ENODATA: no value is read any more;
 * UNC_EARG: another n, or monitoring has not started.
 */
UNC_API int unc_llc_read(struct unc_llc *llc, struct unc_llc_row *ret_rows, size_t n);
/*
 * With cfg.confirm_later: rows are those of one or more reads, oldest first, n in all.  Looks at the CPUs if they were not looked
 * at since the last read, and clears UNC_LLC_PENDING: then the numbers are confirmed, or flags and statuses have the reason. Call
 * it at the latest when a read gives rows that are not pending, and before closing. UNC_EARG: monitoring has not started, or n is
 * not a multiple of the number of rows.
 */
UNC_API int unc_llc_confirm(struct unc_llc *llc, struct unc_llc_row *rows, size_t n);
/*
 * Call it after the last read, and before the last unc_llc_confirm(): looks at all CPUs, including those of nohz_full. UNC_EBUSY:
 * another program gave an RMID to a CPU of nohz_full, so any row of a group may be wrong; the message names both. UNC_EARG:
 * monitoring has not started.
 */
UNC_API int unc_llc_look_last(struct unc_llc *llc);
/*
 * Sleeps until the machine's pacing time.  During the sleep it reads bandwidth counters that could wrap, and looks at the CPUs
 * once a second.  Returns as unc_session_sleep_until(); UNC_EARG: monitoring has not started.
 */
UNC_API int unc_llc_sleep_until(struct unc_llc *llc, uint64_t mono_ns);
/*
 * True if every event of every row had a value at least once, except rows of RMIDs without a group that no CPU was found to
 * carry. If false, buf names the missing values of the first such row, and how many more rows lack some.
 */
UNC_API bool unc_llc_complete(const struct unc_llc *llc, char *buf, size_t size);
/*
 * Puts back IA32_PQR_ASSOC and IA32_QM_EVTSEL if they still hold what was written.  NULL is fine. UNC_EIO: one could not be put
 * back; the message names it.
 */
UNC_API int unc_llc_close(struct unc_llc *llc);

#ifdef __cplusplus
}
#endif
#endif
