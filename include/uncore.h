/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libuncore: a server's memory-controller counters and cache monitoring, read and programmed directly.
 *
 * Results: 0, or a negative enum unc_err whose sentence is in unc_errmsg().  Arguments named ret_* are
 * written on success only, unless said otherwise.  One unc_ctx per thread; what is opened with a context is
 * used with it.  The library never prints, never exits and keeps no state outside its objects.
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
	UNC_EARG = -2,     /* the caller, or the person at the keyboard, asked for something that makes no sense */
	UNC_EPERM = -3,    /* the operating system refused: not root, lockdown, write filter */
	UNC_ENODEV = -4,   /* no such CPU, PCI function, box or file on this machine */
	UNC_EIO = -5,      /* the access itself failed */
	UNC_ENOREG = -6,   /* that name is not in the register map */
	UNC_ERANGE = -7,   /* value wider than its field, offset outside its space */
	UNC_EDENIED = -8,  /* the map, or a machine opened read-only, forbids this write */
	UNC_EMAP = -9,     /* a map file is malformed or contradicts itself */
	UNC_EBUSY = -10,   /* a counter or a box already has an owner: another tool, the kernel, the firmware */
	UNC_EAGAIN = -11,  /* hardware: the value is not available yet, ask again */
	UNC_ENODATA = -12, /* hardware: there is no valid value here, and asking again does not help */
	UNC_ENOSUP = -13,  /* this machine lacks the feature */
};

struct unc_ctx;     /* messages, log sink */
struct unc_machine; /* one computer, real or simulated; owns all below */
struct unc_box;     /* one block of counters, e.g. "socket0.imc0.ch2" */
struct unc_session; /* programmed counters and their last values */

/* Who hears what is worth knowing but is no failure: a note is one sentence without a newline. */
typedef void unc_log_fn(void *arg, const char *sentence);

/* A new context. UNC_ENOMEM (then there is no context to ask for a sentence). */
UNC_API int unc_new(struct unc_ctx **ret_ctx);
/* Frees it, after everything opened with it was closed.  NULL is fine, as in every destructor. */
UNC_API void unc_free(struct unc_ctx *ctx);
/* The sentence of the last failure, "" before the first; valid until the next call that fails. */
UNC_API const char *unc_errmsg(const struct unc_ctx *ctx);
/* Notes go to fn(arg, ...) from now on; NULL (as at first) drops them. */
UNC_API void unc_set_log(struct unc_ctx *ctx, unc_log_fn *fn, void *arg);

/* ---- machines ---------------------------------------------------------------------------------------------- */

enum unc_traffic_kind {
	UNC_TRAFFIC_READ,     /* loads, a buffer after the other cache line by cache line */
	UNC_TRAFFIC_WRITE,    /* stores, for which a cache reads each line first */
	UNC_TRAFFIC_NT_WRITE, /* non-temporal stores, which go round the caches */
};
struct unc_traffic { /* to be made on purpose */
	enum unc_traffic_kind kind;
	unsigned node;        /* whose memory: Linux's number of the NUMA node */
	const unsigned *cpus; /* who makes it, a thread on each */
	size_t n_cpus;
	uint64_t bytes_per_s; /* all together; 0: as fast as they can */
	uint64_t size_bytes;  /* of the buffer that each of them goes through again and again */
};
struct unc_traffic_done {                                     /* since it was started */
	uint64_t loaded_bytes, stored_bytes, nt_stored_bytes; /* by instructions that were executed */
	uint64_t raw_ns;                                      /* the machine's time up to which they are counted */
};
/*
 * Who makes traffic: one at a time, from start to stop; done is told by both look and stop.  0, or a negative enum unc_err with a
 * sentence in buf.
 */
struct unc_traffic_maker {
	int (*start)(void *arg, const struct unc_traffic *traffic, char *buf, size_t size);
	int (*look)(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size);
	int (*stop)(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size);
	void *arg;
};

struct unc_machine_cfg {
	const char *machine; /* "live", "sim:MODEL[,key=value]...", "root:DIR", "replay:FILE"; NULL: live */
	const char *map_dir; /* a folder with more register maps; NULL: the built-in ones alone */
	bool writable;       /* false: every write answers UNC_EDENIED, and every bus is opened read-only */
	/*
	 * Where the journal is kept that outlives this process: before a register is written first, what it held is on disk there,
	 * and unc_recover_open() finds it; where it cannot be, that write fails with UNC_EPERM or UNC_EIO.  NULL: /run/uncorectl,
	 * of others than root /run/uncorectl-UID.  A machine whose registers die with this process needs none.
	 */
	const char *state_dir;
	bool recovers; /* unc_recover_open() follows: what was left is not told of in notes */
	bool no_boxes; /* none is looked for, so no register is read: for who wants the rest of a machine where none can be */
	/* Called with one line per access (src/access/trace.h tells its form); NULL: not traced. */
	void (*trace)(void *arg, const char *line);
	void *trace_arg;
	/*
	 * Called with a line for each register write that would be done, in order and decoded; then nothing is written, the
	 * buses are opened for reading only, and later reads answer as if the writes had arrived.  NULL: writes are done.
	 */
	void (*dry_run)(void *arg, const char *line);
	void *dry_run_arg;
	/* The process that unc_task_open() calls 0: the COMMAND that is measured.  0 or less: none. */
	int command_pid;
	/* Ends every sleep, such as unc_session_sleep_until(), early as soon as it can be read; 0 or less: none.  Not owned. */
	int wake_fd;
	/*
	 * Called with each line of a record of this machine, without a newline (src/access/record.h tells their form): a file of
	 * them can be opened as "replay:FILE".  NULL: not recorded.
	 */
	void (*record)(void *arg, const char *line);
	void *record_arg;
	/* A file besides that is read while it is recorded, under the name "INPUT": its text is in the record.  NULL: none. */
	const char *record_input;
	/* Who makes traffic on the computer that this program runs on, for unc_traffic_start() of "live"; NULL: nobody. */
	const struct unc_traffic_maker *traffic_maker;
	/*
	 * Of "replay:FILE": called once with a sentence, when something is asked for that is not what the record has there, or
	 * closing finds more in it.  It need not return; when it does, or is NULL, everything fails from then on with UNC_EIO
	 * and that sentence.
	 */
	void (*differs)(void *arg, const char *sentence);
	void *differs_arg;
};

/*
 * Opens a computer: CPUID says which register map fits, PCI configuration space where its boxes are.  Reads registers,
 * writes none, and locks nothing: what is written first in a box claims it, for one program at a time, until that is put back.
 * With cfg.writable, notes tell what others who were killed have left of this machine, and journals of before it was started are
 * removed.  Boxes that cannot be reached are in the list all the same; unc_box_info() says why.  A CPU that no map fits can
 * be opened, too: unc_machine_info.no_counters.
 * UNC_EARG: no such machine or key; UNC_ENOSUP: the CPU cannot be identified; UNC_EMAP: a map is wrong;
 * UNC_ENODEV: the machine's PCI files are missing; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_machine_open(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine);
/*
 * Puts back every control register that is still as written through this machine, and frees all.  Sessions must be
 * closed before.  NULL is fine.  UNC_EIO: a register could not be put back; the sentence names it and its value.
 */
UNC_API int unc_machine_close(struct unc_machine *machine);

struct unc_machine_info {
	const char *name;   /* as it was asked for: "sim:snbep,sockets=2"; recorded or replayed, without paths */
	bool simulated;     /* its numbers come from a model */
	const char *vendor; /* "GenuineIntel" */
	const char *part;   /* the register map's name for it: "Sandy Bridge-EP"; "" where no map names it */
	unsigned family, model, stepping;
	unsigned n_sockets;
	unsigned n_cpus;         /* online; 0: this machine does not tell */
	const char *socket_rule; /* how socket numbers were found */
	const char *no_counters; /* why no memory channel can be counted: no map fits, as a sentence; NULL: one does */
};
/* All texts live as long as the machine. */
UNC_API void unc_machine_info(const struct unc_machine *machine, struct unc_machine_info *ret_info);

struct unc_cpu_info {       /* of the first CPU that is online */
	char brand[64];     /* what it calls itself; "" if it does not */
	unsigned n_cores;   /* of its package; 0: not told */
	unsigned n_threads; /* likewise */
	uint64_t l3_bytes;  /* one of its L3 caches; 0: not told */
};
/* Asks CPUID, many leaves of it, through libcpuid.  UNC_ENODATA: it makes nothing of this CPU; else as CPUID fails. */
UNC_API int unc_machine_cpu(struct unc_machine *machine, struct unc_cpu_info *ret_info);

struct unc_machine_fact {
	const char *name; /* "system", "board", "firmware", "microcode", "kernel" */
	char text[200];   /* "" where this machine does not tell, as most simulated ones */
};
/*
 * What the operating system tells of the computer, in the order of those names; no serial number, no host name.  UNC_ENODEV: there
 * are not so many; UNC_ENOMEM.
 */
UNC_API int unc_machine_fact(struct unc_machine *machine, size_t index, struct unc_machine_fact *ret_fact);

/* This machine's time in nanoseconds: for measuring, for pacing, since 1970. */
UNC_API uint64_t unc_machine_raw_ns(const struct unc_machine *machine);
UNC_API uint64_t unc_machine_mono_ns(const struct unc_machine *machine);
UNC_API uint64_t unc_machine_real_ns(const struct unc_machine *machine);

/*
 * Sleeps until the machine's pacing time.  0: the time has come; UNC_EAGAIN: woken early through wake_fd; UNC_EARG: UINT64_MAX,
 * without end, on a machine whose time stands still meanwhile.
 */
UNC_API int unc_machine_sleep_until(struct unc_machine *machine, uint64_t mono_ns);

/*
 * Makes traffic between CPUs of the machine and memory of one of its nodes, until it is stopped: on a simulated machine its model is
 * told of it, on this computer cfg.traffic_maker makes it.  One at a time.
 * UNC_ENOSUP: nobody can make any on that machine, or none of that kind; UNC_ENODEV: it has no such node or CPU; UNC_EARG: no CPU, no
 * size, or it was started already (not, for look and stop); UNC_EBUSY: another program makes some on that mounted machine;
 * UNC_EIO, UNC_EPERM, UNC_ENOMEM.
 */
UNC_API int unc_traffic_start(struct unc_machine *machine, const struct unc_traffic *traffic);
UNC_API int unc_traffic_look(struct unc_machine *machine, struct unc_traffic_done *ret_done);
UNC_API int unc_traffic_stop(struct unc_machine *machine, struct unc_traffic_done *ret_done);

/* ---- boxes ------------------------------------------------------------------------------------------------- */

enum unc_presence {
	UNC_PRESENT,
	UNC_MISSING, /* should be there: other sockets have it, or it reads as all ones */
	UNC_ABSENT,  /* in this place on no socket */
	UNC_DENIED,  /* there, but the operating system does not let us at it */
};

struct unc_box_info {
	const char *name; /* "socket0.imc0.ch2" */
	unsigned socket, imc, channel;
	/* "0000:7f:10.4", where it is or should be, or "cpu0", through which MSRs are reached; "" when that is not known */
	const char *pci;
	enum unc_presence presence;
	const char *why;       /* how this box was found, or why it was not: one sentence */
	int perf, pcm, likwid; /* the number other tools give this channel; -1: not known */
};
/*
 * Boxes of a unit ("imc"; NULL: of every unit) in the order socket, imc, channel.  Index out of range: NULL.  Those made of MSRs
 * ("socket0.global") count as present until the first access to one of their registers says otherwise.  Boxes of which every CPU
 * has one ("cpu17.rdt") are in no list: they are made when unc_box_find() is asked for them.
 */
UNC_API size_t unc_box_count(const struct unc_machine *machine, const char *unit);
UNC_API struct unc_box *unc_box_at(const struct unc_machine *machine, const char *unit, size_t index);
UNC_API void unc_box_info(const struct unc_box *box, struct unc_box_info *ret_info);

/* By its whole name.  UNC_ENODEV: there is no such box, UNC_ENOSUP: nor any of that kind on this CPU; UNC_ENOMEM. */
UNC_API int unc_box_find(const struct unc_machine *machine, const char *name, struct unc_box **ret_box);

/*
 * One register of a box, or one field of it, as the map describes it.  All texts live as long as the machine; desc, src and
 * verify may be NULL.
 */
struct unc_reg_info {
	const char *name; /* "CTL" */
	unsigned index;   /* of an array of registers */
	unsigned count;   /* elements in it; 1: a single register */
	uint32_t offset;
	unsigned bits; /* 32 or 64 */
	const char *desc, *src, *verify;
	bool never;    /* documented, but never to be written */
	bool optional; /* not every CPU that the map is for has it: reading it may be UNC_EIO */
	size_t n_fields;
};
struct unc_field_info {
	const char *name;
	unsigned hi, lo;    /* bits, inclusive */
	const char *access; /* "rw", "ro", "wo", "rw1c", "reserved" */
	bool reset_known;
	uint64_t reset;
	const char *desc, *src, *verify;
};
/* Registers of a box in the order of the map, each element of an array by itself. */
UNC_API size_t unc_box_reg_count(const struct unc_box *box);
/* UNC_ENOREG: there are not so many. */
UNC_API int unc_box_reg_info(const struct unc_box *box, size_t reg, struct unc_reg_info *ret_info);
UNC_API int unc_box_field_info(const struct unc_box *box, size_t reg, size_t field, struct unc_field_info *ret_info);
/*
 * Reads it: one access, two dwords low then high for a 64-bit register of configuration space, which while counting may belong
 * to different values.  UNC_ENOREG; UNC_ENODEV: the box is not there; UNC_EPERM, UNC_EIO.
 */
UNC_API int unc_box_reg_read(struct unc_box *box, size_t reg, uint64_t *ret_value);
/* The value of a field in a value of its register.  UNC_ENOREG. */
UNC_API int unc_box_field_value(const struct unc_box *box, size_t reg, size_t field, uint64_t value,
				uint64_t *ret_field);

/*
 * Writing a register by its name.  What may be written stands in the map; the former value is read first and put back by
 * unc_machine_put_back() or when the machine is closed, where the register still holds what was written.  Bits that cannot be
 * read are left 0 then, and bits that writing 1 has cleared stay cleared.
 *
 * The value of a register in which one field is to change, was having been read there: bits that can be read and written
 * as they were, reserved ones as the map wants them, all others 0.  UNC_ENOREG.
 */
UNC_API int unc_box_reg_base(const struct unc_box *box, size_t reg, uint64_t was, uint64_t *ret_value);
/* Puts a number into a field of *value.  UNC_ENOREG; UNC_ERANGE: it is too wide; UNC_EDENIED: no field to be written. */
UNC_API int unc_box_field_put(const struct unc_box *box, size_t reg, size_t field, uint64_t number, uint64_t *value);
/*
 * May that value be written?  Touches nothing.  UNC_ENOREG; UNC_EDENIED: a bit is not as the map wants it, nothing there
 * can be written, or it is in the configuration header or a bridge; UNC_ENODEV, UNC_EPERM: the box is not there, or denied.
 */
UNC_API int unc_box_reg_allows(const struct unc_box *box, size_t reg, uint64_t value);
/*
 * Says beforehand that it is going to be written.  What was planned until the first unc_box_reg_write() is on the disk together
 * then, for `uncorectl recover`; what was not is one by one, each before it is written.  Claims the box.  UNC_EBUSY: somebody else
 * writes there, or somebody who was killed left it changed; else as unc_box_reg_write(), and nothing is written.
 */
UNC_API int unc_box_reg_plan(struct unc_box *box, size_t reg, uint64_t value);
/*
 * Writes it whole, reads it back, and hands over what it says then.  As unc_box_reg_allows(); UNC_EDENIED too when the machine
 * was opened read-only; UNC_EBUSY as unc_box_reg_plan(); UNC_EIO, UNC_ENOMEM.  It may have been written although this fails.
 */
UNC_API int unc_box_reg_write(struct unc_box *box, size_t reg, uint64_t value, uint64_t *ret_now);
/* What was written there stays.  UNC_ENOREG. */
UNC_API int unc_box_reg_keep(struct unc_box *box, size_t reg);
/*
 * Puts back what unc_box_reg_write() wrote, last first.  UNC_EIO: one could not be put back; the sentence names it, and what
 * else could not is in notes.
 */
UNC_API int unc_machine_put_back(struct unc_machine *machine);

/*
 * A register that no map needs to name, as a box that has this one alone, without a field; it belongs to the machine and
 * is in no list of boxes.  Asked for twice it is the same one.  pci: 32 bits at an offset in the configuration space of
 * "DDDD:BB:DD.F" or "BB:DD.F"; msr: 64 bits of a CPU.  Bits are written as given, but never a register that a map
 * names, the configuration header, or a bridge.
 * UNC_EARG: no such address, or an offset that is not a multiple of 4; UNC_ERANGE: beyond the end; UNC_ENODEV: there is no such
 * function or CPU; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_raw_pci(struct unc_machine *machine, const char *address, uint32_t offset, struct unc_box **ret_box);
UNC_API int unc_raw_msr(struct unc_machine *machine, unsigned cpu, uint32_t number, struct unc_box **ret_box);

/* An event that boxes of a unit can count. */
struct unc_event_info {
	const char *name;                /* "cas_count.rd" */
	const char *also;                /* its other names, "clockticks, x", or NULL */
	const char *desc, *src, *verify; /* or NULL */
	char encoding[64];               /* "ev_sel=0x4,umask=0x3", or "fixed" */
	char counters[32];               /* "0-3", or "fixed" */
	unsigned max_inc;                /* highest increment per clock; 0: not known */
	double scale;                    /* count * scale is in unit */
	const char *unit;                /* or NULL: plain events */
};
/* Events of a unit ("imc") in the order of the map. */
UNC_API size_t unc_event_count(const struct unc_machine *machine, const char *unit);
/* UNC_ENOREG: there are not so many. */
UNC_API int unc_event_info(const struct unc_machine *machine, const char *unit, size_t event,
			   struct unc_event_info *ret_info);

/*
 * The document that a source begins with a tag of: "krn" is "Linux 6.12, ...".  Of the unit's register map, else of the files of
 * metrics.  NULL: no such tag.
 */
UNC_API const char *unc_source_title(const struct unc_machine *machine, const char *unit, const char *tag);

/* A figure that follows from counts: "page_hit". */
struct unc_metric_info {
	const char *name, *desc;
	const char *formula;      /* in the names of its events, and `time`, in seconds */
	const char *unit;         /* "bytes/s", "%", "ns", "DCLK" */
	const char *src, *verify; /* verify: or NULL */
	const char *lacks;        /* why the boxes of this machine cannot give it, as a sentence; NULL: they can */
	bool adds; /* of several boxes it is the sum of theirs; else the formula of their summed counts and times */
	size_t n_events; /* that it is made of; 0 with lacks */
};
struct unc_metric_event {
	const char *name;  /* in the formula */
	const char *event; /* as unc_session_add() takes it */
};
/* Metrics of a unit ("imc"), those too that this machine lacks; those of a folder of maps first. */
UNC_API size_t unc_metric_count(const struct unc_machine *machine, const char *unit);
/* UNC_ENOREG: there are not so many, or none of that name. */
UNC_API int unc_metric_info(const struct unc_machine *machine, const char *unit, size_t metric,
			    struct unc_metric_info *ret_info);
UNC_API int unc_metric_find(const struct unc_machine *machine, const char *unit, const char *name, size_t *ret_metric);
UNC_API int unc_metric_event(const struct unc_machine *machine, const char *unit, size_t metric, size_t event,
			     struct unc_metric_event *ret_event);
/*
 * counts: as many as it has events, in their order, plain counts that no event's scale was applied to.  seconds: in which
 * they were counted.  UNC_ENODATA: the formula divides by zero; UNC_ENOREG: no such metric, or the machine lacks an event of it.
 */
UNC_API int unc_metric_value(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			     double seconds, double *ret_value);
/*
 * The same of counts that may each be off by what doubts says.  *ret_doubt: by how much the value may be off, DBL_MAX where a divisor may
 * be zero.  Unless the map calls the metric signed, a value below zero is 0 within that, and UNC_ERANGE beyond it: then the counts
 * contradict each other.
 */
UNC_API int unc_metric_measure(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			       const double *doubts, double seconds, double *ret_value, double *ret_doubt);
/* The formula with the numbers in it, "1 - 120 / (400 + 80)".  UNC_ERANGE: longer than size; UNC_ENOREG. */
UNC_API int unc_metric_explain(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			       double seconds, char *buf, size_t size);

enum { UNC_EVENT_MAX = 128 };
enum unc_use {
	UNC_USE_IDLE,     /* no counter is enabled */
	UNC_USE_COUNTING, /* somebody's counter is enabled, and it moved between two reads */
	UNC_USE_TAKEN,    /* somebody's counter is enabled, but did not move just now */
	/* The box stands still, frozen or asleep: a counter that counts its clock does not move, or BOX_CTL reads as frozen. */
	UNC_USE_STOPPED,
};
struct unc_slot_state {  /* one counter of a box as it was found */
	const char *reg; /* "CTL" or "FIXED_CTL" */
	unsigned index;
	uint32_t offset;
	uint64_t control;
	bool enabled;
	char event[UNC_EVENT_MAX]; /* what that control selects, as unc_session_event() writes it; "": it is blank */
};
enum { UNC_SLOTS_MAX = 32 };
struct unc_box_state {
	enum unc_use use;
	bool frozen; /* as far as that can be read */
	size_t n_slots;
	struct unc_slot_state slots[UNC_SLOTS_MAX];
};
/* Reads the controls, and where one is enabled the counters twice; waits 1 ms where a clock does not tick.  Writes nothing.
 * UNC_EPERM, UNC_ENODEV (all ones, or gone), UNC_EIO; UNC_ENOSUP: not a box that counts. */
UNC_API int unc_box_state(struct unc_box *box, struct unc_box_state *ret_state);

/* ---- counting ---------------------------------------------------------------------------------------------- */

struct unc_session_cfg {
	bool force; /* where no counter is free, take one that somebody else enabled, and give it back on close */
	/*
	 * Stop the whole box while it is read: one instant for all its counters, but counts are lost.  Its fixed counter, if nobody
	 * uses it, runs besides, to see whether the box does.
	 */
	bool freeze;
	/*
	 * More events than counters: they take turns, a turn lasting 10 ms or longer, whenever the session sleeps or is read.  Sets
	 * stay together.
	 */
	bool multiplex;
	/*
	 * Only look: no register is written, no counter is taken, no box claimed, nothing journalled.  Events are counted as far as
	 * somebody else counts them, perf, PCM or the firmware, whose controls are read with every look at his counters, every 100 ms
	 * besides while the session sleeps.  What was changed and changed back between two looks cannot be seen.  Not with
	 * force or freeze.
	 */
	bool observe;
	/*
	 * How long it will be from one unc_session_read() to the next; 0: not known.  Where no read is quick enough for that, a note at the
	 * start names the shortest interval that is certain to 0.2 %.
	 */
	uint64_t interval_ns;
	/*
	 * unc_session_read() looks at each box after it has read the counters: are the controls still ours, and does its clock
	 * tick?  That is one more read a box.  With confirm_later it does so only every 100 ms, and what was read before that is
	 * UNC_COUNT_PENDING until unc_session_confirm().
	 */
	bool confirm_later;
};

enum unc_count_flag {
	UNC_COUNT_MISSING = 1 << 0, /* the box did not answer, or answered all ones */
	UNC_COUNT_STOLEN = 1 << 1, /* somebody else wrote our control register: it is not written again, nor put back */
	/*
	 * The counter jumped, though the control holds what we wrote: another program may have cleared it.  It is put back on close, unless
	 * there is evidence of such a program.
	 */
	UNC_COUNT_RESET = 1 << 2,
	UNC_COUNT_GAP = 1 << 3, /* not read for so long that it may have wrapped unseen, or the machine was suspended */
	UNC_COUNT_LATE =
		1
		<< 4, /* the count is right, but uncertainty_percent is above 0.2: a read took long, or the interval is short */
	UNC_COUNT_SCALED = 1 << 5,  /* it was counted in a part of the interval only: running_ns of enabled_ns */
	UNC_COUNT_NOT_RUN = 1 << 6, /* its turn never came in this interval */
	/*
	 * The box stood still, for all of the interval or for more than 0.2 % of it: its clock says so, or BOX_CTL reads as frozen.
	 * Another program or the firmware has frozen the box or the whole socket, the package slept (C3, C6), or the channel
	 * has no clock since it has no DIMMs.
	 */
	UNC_COUNT_STOPPED = 1 << 7,
	/*
	 * With cfg.observe: in this interval its owner gave the counter another event, switched it on or off, or another
	 * counter counts the event by now; from here on it is observed as it is now.
	 */
	UNC_COUNT_CHANGED = 1 << 8,
	UNC_COUNT_UNPROGRAMMED = 1 << 9, /* with cfg.observe: nobody counts it in this box */
	/*
	 * Nothing in the box was counted, and no clock shows that it could count: no counter is free for a clock, or with
	 * cfg.observe no other program counts one.  Or another program's clock ticked too seldom: that program paused it, or the
	 * box stood still.  Or the clock ticked faster than it can: another program wrote it, or released a box that was frozen for
	 * reading.  Or another program took the clock's counter.  Or the look that should confirm the count failed.
	 */
	UNC_COUNT_UNCONFIRMED = 1 << 10,
	/* With cfg.confirm_later: delta is what was counted; it may be wrong until unc_session_confirm() has confirmed it. */
	UNC_COUNT_PENDING = 1 << 11,
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
	uint64_t interval_ns; /* machine's raw time since this box was last read, or released after that */
	uint64_t enabled_ns;  /* of it, when the event was to be counted */
	uint64_t running_ns;  /* of that, when a counter counted it: less only where events take turns */
	uint64_t time_ns;     /* machine's time since 1970 when this box was read */
	/*
	 * How wrong running_ns may be, and so any rate: half of the clock brackets of both ends of the time in which it was counted, over
	 * that time.  0 where there is no number.
	 */
	double uncertainty_percent;
	double scale;     /* delta * scale is in unit */
	const char *unit; /* "bytes", or NULL for plain events */
};

/* delta in unit, scaled up to the whole of enabled_ns where events took turns; 0 where there is no number. */
UNC_API double unc_count_value(const struct unc_count *count);

/*
 * UNC_ENOSUP: no register map of this CPU has counters, unc_machine_info.no_counters; UNC_EARG: cfg.observe with cfg.freeze or
 * cfg.force; UNC_ENOMEM.
 */
UNC_API int unc_session_open(struct unc_machine *machine, const struct unc_session_cfg *cfg,
			     struct unc_session **ret_session);
/*
 * Events added from here to unc_session_end_set() are counted at the same time.  freeze: and read at one instant, for which
 * the box is stopped.  UNC_EARG: the session has started, or a set is open (or none is, at the end), or freeze with
 * cfg.observe.
 */
UNC_API int unc_session_begin_set(struct unc_session *session, bool freeze);
UNC_API int unc_session_end_set(struct unc_session *session);
/*
 * Adds an event: by its name in the map ("cas_count.rd", or as lists have it, "UNC_M_CAS_COUNT.RD"), with what the control
 * register does besides ("cas_count.rd:thresh=8:edge:invert"), with the unit in front as perf writes it ("imc/cas_count.rd,thresh=8/",
 * "uncore_imc/cas_count.rd/"), or raw ("imc/event=0x4,umask=0x3/", "imc/config=0x304/", a value of the control register).
 * "uncore_imc/event=0xff/" is the fixed counter, as perf means by it.
 * thresh counts clocks in which the event adds at least so much, edge the clocks in which that begins to be so, invert the
 * others.  Touches no register.  Its count is number *ret_index (may be NULL) of unc_session_read().
 * UNC_ENOREG: this CPU has no such event; UNC_EARG: the text makes no sense, or this CPU lacks the option; UNC_ERANGE: a value
 * is wider than its field; UNC_ENODEV: the box is not there; UNC_EPERM: denied; UNC_EIO: it did not answer when it was looked
 * for.
 */
UNC_API int unc_session_add(struct unc_session *session, struct unc_box *box, const char *event, size_t *ret_index);
/*
 * With cfg.observe: adds a counter of a box, number slot of unc_box_state(), whatever somebody counts there.  unc_session_event()
 * tells what, and may tell another event after each unc_session_read().
 * UNC_ENOREG: the box has not so many; UNC_EARG: the session has started, or does not only look; else as unc_session_add().
 */
UNC_API int unc_session_add_counter(struct unc_session *session, struct unc_box *box, size_t slot, size_t *ret_index);
/*
 * The event of a count, in the one way of writing it that is shown: "cas_count.rd:thresh=8:edge", "event=0x4,umask=0x3", and of a
 * control with bits that the map does not know "config=0x100304".  Lives as long as the session, that of a counter which is
 * observed until the next read.  NULL: there are not so many, or that counter was not enabled in this interval.
 */
UNC_API const char *unc_session_event(const struct unc_session *session, size_t index);
/*
 * Looks which counters are free (none enabled by anybody), takes them from the highest down, and per box: BOX_CTL freeze
 * enable, freeze, configuration, configuration with enable, read back, unfreeze (Intel 327043-001, section 2.1.1).  Where
 * somebody else counts in the box, BOX_CTL is not written.  Counters are not cleared.
 * Where events take turns this is the first turn.  Requests of the fixed counter share it, and it runs in every turn.
 * UNC_EBUSY: no counter is free, or there are more events than counters and no cfg.multiplex, or the box is frozen in somebody
 * else's use, or cfg.freeze and somebody counts there, or another program like this one writes in the box, or one that was killed
 * has left what is needed; UNC_EARG: counters of this part cannot count an event, or not all of a set at once, or a set was not
 * ended: nothing was written; UNC_EIO: a control did not stick; UNC_EDENIED: machine opened read-only; UNC_ENODEV, UNC_EPERM.
 * With cfg.observe only looks who counts what.  UNC_ENODEV then, too: nobody counts any of these events in any of these boxes.
 */
UNC_API int unc_session_start(struct unc_session *session);
/*
 * Reads every counter once, frozen where cfg.freeze or a set asks for it; n is the number of events added.  A turn that has
 * lasted 10 ms or longer ends with it.  A box that does not answer is flagged in its counts; only when no box answers at all the
 * read fails (UNC_ENODEV, UNC_EIO).
 */
UNC_API int unc_session_read(struct unc_session *session, struct unc_count *ret_counts, size_t n);
/*
 * With cfg.confirm_later: counts are those of one or more reads, oldest first, n in all.  Looks at the boxes that were not looked
 * at since they were read, and clears UNC_COUNT_PENDING: then delta is confirmed, or it is 0 and other flags say why.
 * Call it at the latest when a read gives counts that are not pending, and before closing.
 * UNC_EARG: it has not started, or n is not a multiple of the number of events.  Any other error: a box did not answer, and its
 * counts are UNC_COUNT_UNCONFIRMED.
 */
UNC_API int unc_session_confirm(struct unc_session *session, struct unc_count *counts, size_t n);
/*
 * Sleeps until the machine's pacing time, reading counters in between where they could wrap or where turns change.  0: the time
 * has come; UNC_EAGAIN: woken early through wake_fd; UNC_EARG: it has not started.  UINT64_MAX: until woken.
 */
UNC_API int unc_session_sleep_until(struct unc_session *session, uint64_t mono_ns);
/*
 * Stops counting and puts the controls back that still hold what we wrote.  NULL is fine.
 * UNC_EIO: one could not be put back; the sentence names it.
 */
UNC_API int unc_session_close(struct unc_session *session);

/* ---- caches ------------------------------------------------------------------------------------------------ */

/* What IA32_QM_CTR tells of an RMID on an L3. */
enum unc_llc_event {
	UNC_LLC_OCCUPANCY, /* bytes of the cache that are its */
	UNC_LLC_TOTAL,     /* bytes moved between this L3 and the next level */
	UNC_LLC_LOCAL,     /* those of them of the memory beside it */
	UNC_LLC_EVENTS,
};

/* Monitoring (CMT, MBM) and allocation of the L3 caches, as CPUID has it.  All texts live as long as the machine. */
struct unc_llc_info {
	const char *no_monitoring; /* why there is none, as a sentence; then only allocation below means something */
	const char *allocation;    /* CAT, CDP, MBA and their CLOS in words; NULL: none */
	unsigned events;           /* 1 << enum unc_llc_event */
	unsigned max_rmid;         /* the highest that can be given to a CPU */
	unsigned cpuid_max_rmid;   /* as CPUID has it: higher where sub-NUMA clustering divides them */
	uint64_t unit_bytes;       /* the quantum: what one unit of IA32_QM_CTR stands for */
	unsigned counter_bits;     /* of the bandwidth counters */
	uint64_t full_speed;       /* bytes per second that an L3 moves at most: so soon can a counter wrap */
	bool overflow_bit;         /* bit 61 of IA32_QM_CTR says that one wrapped */
	bool io_occupancy, io_bandwidth; /* agents that are no CPUs are counted too */
	unsigned nodes;                  /* NUMA nodes that share an L3; 1: no sub-NUMA clustering */
	unsigned exact_rmid; /* bandwidth of RMIDs above is multiplied by factor (an erratum); else max_rmid */
	double factor;
	const char *warning;  /* what to know before believing the numbers; or NULL */
	const char *features; /* AMD's further ones (BMEC, ABMC) and what they are set to, in words; or NULL */
	size_t n_l3s;
};
/*
 * Asks CPUID on every CPU, when it is first called.  UNC_ENOSUP: the answers contradict each other; the sentence has both values;
 * UNC_ENODATA: this machine does not tell which CPUs share a cache; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_llc_info(struct unc_machine *machine, struct unc_llc_info *ret_info);

struct unc_l3_info {
	unsigned id; /* as Linux and resctrl number it: APIC id without the bits of those who share it */
	unsigned package;
	uint64_t bytes;
	const char *cpus; /* online: "0-17,36-53" */
	unsigned first_cpu;
	size_t n_cpus;
};
/* L3 caches by id.  UNC_ENODEV: there are not so many; else as unc_llc_info(). */
UNC_API int unc_l3_info(struct unc_machine *machine, size_t l3, struct unc_l3_info *ret_info);

struct unc_llc; /* groups of CPUs that are monitored */

struct unc_llc_cfg {
	/* 1 << enum unc_llc_event; 0: all that there are, but no bandwidth where its counters are assigned (AMD's ABMC) */
	unsigned events;
	bool shared;    /* go on where somebody else uses cache monitoring: resctrl, pqos, RMIDs that are in use */
	bool no_wait;   /* take an RMID that still owns cache, rather than wait until it does not */
	bool no_verify; /* do not read IA32_QM_EVTSEL back: two accesses a value instead of three */
	/*
	 * unc_llc_read() looks at IA32_PQR_ASSOC of all CPUs after it has read the values.  With confirm_later it does so only if the
	 * next read, interval_ns later, would come a second or more after the last look, and not at all if interval_ns is 0: rows that
	 * were read without a look are UNC_LLC_PENDING until unc_llc_confirm().
	 */
	bool confirm_later;
	/* CPUs to read from, each for the L3 that it is of; others are read from their lowest CPU outside every group. */
	const unsigned *read_cpus;
	size_t n_read_cpus;
	uint64_t
		interval_ns; /* how long it will be from one unc_llc_read() to the next, as in unc_session_cfg; 0: not known */
};

/*
 * UNC_ENOSUP: no monitoring, or not of an event that is asked for; UNC_ENODEV: a CPU to read from is not there; UNC_EARG: no such
 * event; else as unc_llc_info().
 */
UNC_API int unc_llc_open(struct unc_machine *machine, const struct unc_llc_cfg *cfg, struct unc_llc **ret_llc);
/* What is monitored, 1 << enum unc_llc_event: cfg.events, or all that there are, without bandwidth where its counters are assigned. */
UNC_API unsigned unc_llc_events(const struct unc_llc *llc);
/*
 * A group: CPUs that get one RMID.  Touches no register.  cpus are copied.
 * UNC_ENODEV: there is no such CPU, or it is offline; UNC_EARG: it is in another group, the name is taken, there is no CPU in it,
 * or monitoring has started; UNC_ENOMEM.
 */
UNC_API int unc_llc_add(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n_cpus);
/* Besides, a row for every RMID of every L3, as it is: nothing is given to a CPU for that.  UNC_EARG: monitoring has started. */
UNC_API int unc_llc_add_rmids(struct unc_llc *llc);
/*
 * Looks who else is there, reads IA32_PQR_ASSOC of every CPU of the L3s concerned once, takes for each group an RMID that
 * is free on all its L3s, from the highest that counts exactly down, never 0, one that owns no cache any more if there is
 * one, writes it with the CLOS as it was, and takes the first readings of bandwidth.  Where every free one owns cache it waits
 * until one does not; where hardware gives no occupancy, or in a dry run, the highest is taken, and that is noted.
 * In a dry run nothing is read after that, and every value is unavailable.
 * UNC_EARG: no group, or more than an L3 has RMIDs, or it has started, or a CPU to read from that is of no group's L3, or of the
 * same as another; UNC_EBUSY: somebody uses cache monitoring, and no cfg.shared; or others carry RMIDs that the groups would need;
 * or another program like this one writes on that L3, or one that was killed has left RMIDs there; UNC_EAGAIN: woken while it waited for an RMID to be clean; UNC_EIO: an access failed, or a write did not stick; UNC_EPERM,
 * UNC_EDENIED, UNC_ENOMEM.  Whatever was written is put back then; what could not be is noted.
 */
UNC_API int unc_llc_start(struct unc_llc *llc);

struct unc_llc_row_info { /* a group on an L3, or the sum of those of a group that spans several */
	const char *group;
	/*
	 * Of it on this L3: "0-3,36-39".  Of an RMID as it is, those that carried it when monitoring began, perhaps "";
	 * where each node of an L3 has RMIDs of its own, of that node alone.
	 */
	const char *cpus;
	bool sum;
	bool as_is;        /* of an RMID as it is, and of no group: unc_llc_add_rmids() */
	unsigned l3;       /* its id; not of a sum */
	unsigned rmid;     /* where sub-NUMA clustering divides them, that of the first node */
	uint64_t l3_bytes; /* of a sum: of all its L3s */
};
/* Rows in the order of groups, in each by L3, then its sum; then RMIDs as they are.  After unc_llc_start(). */
UNC_API size_t unc_llc_row_count(const struct unc_llc *llc);
/* UNC_ENODEV: there are not so many. */
UNC_API int unc_llc_row_info(const struct unc_llc *llc, size_t row, struct unc_llc_row_info *ret_info);

enum unc_llc_status {
	UNC_LLC_NOT_ASKED, /* the event is not monitored */
	UNC_LLC_OK,
	UNC_LLC_UNAVAILABLE, /* the hardware has no data for this RMID now: four reads after one selection said so */
	UNC_LLC_ERROR,       /* it says that there is no such event or RMID, or the access failed */
	UNC_LLC_DISTURBED,   /* somebody changed IA32_QM_EVTSEL between our write and our reading, three times */
	UNC_LLC_STALE, /* of bandwidth: the reading before is too old, the counter may have wrapped unseen, or there is none */
	UNC_LLC_SHARED, /* it may contain what a CPU outside the group did: UNC_LLC_SHARED_RMID */
};

struct unc_llc_value {
	enum unc_llc_status status;
	bool has_raw;
	uint64_t raw;       /* data of IA32_QM_CTR, in units; of all nodes together; a sum has none */
	uint64_t bytes;     /* with UNC_LLC_OK, else 0: owned now, or moved since this value last was ok or stale */
	double bytes_per_s; /* of bandwidth */
	/* Of bandwidth: since then, which is longer than the row's where it was not read in between. */
	uint64_t interval_ns;
	bool corrected; /* bytes is multiplied by the factor of the erratum, raw is not */
	/* Of bandwidth: how wrong interval_ns may be, and so bytes_per_s, as of a count; bytes are right. */
	double uncertainty_percent;
	bool late; /* by more than 0.2 % */
};

enum unc_llc_flag {
	/* Somebody gave another RMID to a CPU of the group, rmid_found, and it had it at some time of this interval. */
	UNC_LLC_HIJACKED = 1 << 0,
	UNC_LLC_CORRECTED = 1 << 1, /* a value is */
	UNC_LLC_OVER = 1 << 2,      /* what is owned of this L3 is more than there is of it */
	/* Of a sum: a value of a part has no number, so that the sum has none, but the worst status. */
	UNC_LLC_PARTIAL = 1 << 3,
	/* Bytes of bandwidth are of a longer interval than the row: the value was missed before. */
	UNC_LLC_LONGER = 1 << 4,
	UNC_LLC_LATE = 1 << 5, /* a value is */
	/* More is counted local than total by more than remote_uncertain_bytes would be: there is no remote, and one of both is wrong. */
	UNC_LLC_LOCAL_EXCEEDS = 1 << 6,
	/*
	 * After the last look that found none, another program gave the group's RMID to a CPU of this L3 that is not in the group.
	 * The row has no numbers.  Later rows have no occupancy, since what that CPU brought into the cache stays there.
	 */
	UNC_LLC_SHARED_RMID = 1 << 7,
	/* With cfg.confirm_later: values may be wrong until unc_llc_confirm() has confirmed them. */
	UNC_LLC_PENDING = 1 << 8,
};

struct unc_llc_row {
	unsigned flags;       /* of enum unc_llc_flag */
	uint64_t time_ns;     /* machine's time since 1970 of the reading */
	uint64_t interval_ns; /* raw time since the row was read before, or since the start */
	struct unc_llc_value values[UNC_LLC_EVENTS];
	bool has_remote;
	/*
	 * Moved, and not local, both of the same interval.  0 where more is counted local than total, by no more than the uncertainty: what
	 * moved while it was not certain which counter had it, and one unit of a counter.
	 */
	uint64_t remote_bytes, remote_uncertain_bytes;
	unsigned rmid_found; /* with UNC_LLC_HIJACKED */
};
/*
 * Reads every value once: IA32_QM_EVTSEL written whole, IA32_QM_CTR read, IA32_QM_EVTSEL read back, on one CPU of each L3.
 * IA32_QM_CTR is read up to four times where it is Unavailable, which some hardware is at first after each selection.
 * A value that hardware does not give is a status; three errors in a row end it for good.  Then it looks at IA32_PQR_ASSOC of all
 * CPUs of the L3s that have groups, as cfg.confirm_later says, except CPUs of nohz_full, which a look would interrupt.
 * n is unc_llc_row_count().
 * UNC_ENODEV, UNC_EPERM, UNC_EIO: nothing at all could be read; UNC_ENODATA: every value has ended; UNC_EARG: another n, or
 * monitoring has not started.
 */
UNC_API int unc_llc_read(struct unc_llc *llc, struct unc_llc_row *ret_rows, size_t n);
/*
 * With cfg.confirm_later: rows are those of one or more reads, oldest first, n in all.  Looks at the CPUs if they were not looked at
 * since the last read, and clears UNC_LLC_PENDING: then the numbers are confirmed, or flags and statuses say why not.
 * Call it at the latest when a read gives rows that are not pending, and before closing.
 * UNC_EARG: it has not started, or n is not a multiple of the number of rows.
 */
UNC_API int unc_llc_confirm(struct unc_llc *llc, struct unc_llc_row *rows, size_t n);
/*
 * After the last read, and before the last unc_llc_confirm(): looks at all CPUs, also those of nohz_full.
 * UNC_EBUSY: another program gave an RMID to a CPU of nohz_full, so any row of a group may be wrong; the sentence names both.
 * UNC_EARG: monitoring has not started.
 */
UNC_API int unc_llc_look_last(struct unc_llc *llc);
/*
 * Sleeps until the machine's pacing time.  Meanwhile it reads bandwidth where a counter could wrap, and looks at the CPUs once a
 * second.  As unc_session_sleep_until(); UNC_EARG: monitoring has not started.
 */
UNC_API int unc_llc_sleep_until(struct unc_llc *llc, uint64_t mono_ns);
/*
 * Was there a value of every event of every row at least once, but those of RMIDs as they are that no CPU was found to carry?
 * Else false, and in words which were not in the first row that lacks some, and how many more rows do.
 */
UNC_API bool unc_llc_complete(const struct unc_llc *llc, char *buf, size_t size);
/*
 * Puts back IA32_PQR_ASSOC and IA32_QM_EVTSEL where they still hold what was written.  NULL is fine.
 * UNC_EIO: one could not be put back; the sentence names it.
 */
UNC_API int unc_llc_close(struct unc_llc *llc);

/* ---- what was left ----------------------------------------------------------------------------------------- */

/* The journal of a process that had a machine open for writing. */
enum unc_recover_kind {
	UNC_RECOVER_ALIVE,         /* its writer lives, and puts back by itself */
	UNC_RECOVER_STALE,         /* its writer is gone: its registers are listed below */
	UNC_RECOVER_OTHER_BOOT,    /* this machine was started anew since: it means nothing any more, and is removed */
	UNC_RECOVER_OTHER_MACHINE, /* its writer is gone, and it is of another machine: left alone */
	UNC_RECOVER_DAMAGED,       /* its writer is gone, and it cannot be believed: left alone */
};
struct unc_recover_journal {
	const char *path;
	enum unc_recover_kind kind;
	const char *who; /* "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04 UTC"; "" of a damaged one */
	const char *machine; /* "live", "root:/real/path DEVICE:INODE"; "" of a damaged one */
	size_t n_registers;  /* that were not put back */
	const char *why;     /* it is damaged, as a sentence; else "" */
};

enum unc_recover_state {
	UNC_RECOVER_NOT_YET,     /* unc_recover_run() was not called */
	UNC_RECOVER_WOULD,       /* it would be put back: a dry run */
	UNC_RECOVER_PUT_BACK,    /* it was, and reads so */
	UNC_RECOVER_AS_IT_WAS,   /* it holds what it held before: nothing to be done */
	UNC_RECOVER_IDLE,        /* what it held could not be read: it was written to be idle */
	UNC_RECOVER_COUNTED,     /* a counter that has counted since: left alone */
	UNC_RECOVER_CHANGED,     /* it holds something else than was written: somebody else's by now, left alone */
	UNC_RECOVER_IN_USE,      /* somebody who lives writes in that box, or recovers the same journal */
	UNC_RECOVER_NOT_REACHED, /* it could not be read, or may not be written */
	UNC_RECOVER_NOT_BACK,    /* it was written, but does not read so */
};
/* A register that was left.  All texts live until unc_recover_close(). */
struct unc_recover_info {
	size_t journal; /* as of unc_recover_journal() */
	unsigned pid;   /* who left it */
	const char *command;
	uint64_t since_ns;     /* since when he had the machine, since 1970 */
	const char *box, *reg; /* "socket0.imc0.ch2", "CTL[3]"; as he called them */
	const char *pci;       /* "0000:7f:10.4"; of an MSR "cpu17" */
	uint32_t offset;       /* in bytes; of an MSR its number */
	unsigned bits;         /* 32 or 64 */
	uint64_t was;          /* before he wrote */
	bool is_known;         /* it was looked at, and could be read: */
	uint64_t is;           /* found now, before anything is put back */
	bool becomes_known;    /* likewise: */
	uint64_t becomes;      /* was, or what is idle; with bits that are not his as they are */
	enum unc_recover_state state;
	const char *why; /* of the last four states; or "" */
};

struct unc_recover;
/*
 * What processes that were killed have left of this machine, last first; asked of the folder of unc_machine_cfg.state_dir.  Of a
 * machine whose registers die with its process there is nothing.  Touches no register.
 * UNC_EPERM: the folder is not to be trusted; UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_recover_open(struct unc_machine *machine, struct unc_recover **ret_recover);
/* Before the machine is closed.  NULL is fine. */
UNC_API void unc_recover_close(struct unc_recover *recover);
/* How many journals there are, of every kind. */
UNC_API size_t unc_recover_journals(const struct unc_recover *recover);
/* All texts live until unc_recover_close().  UNC_ENODEV: there are not so many. */
UNC_API int unc_recover_journal(const struct unc_recover *recover, size_t index,
				struct unc_recover_journal *ret_journal);
/* How many registers were left, by all of them. */
UNC_API size_t unc_recover_count(const struct unc_recover *recover);
/* UNC_ENODEV: there are not so many. */
UNC_API int unc_recover_info(const struct unc_recover *recover, size_t index, struct unc_recover_info *ret_info);
/*
 * Looks at each register, last written first, and puts back those that hold what was written; force: those too that hold something
 * else.  A journal of which nothing is left is removed.  A machine that is open for a dry run is only looked at.  To be called once;
 * the machine is best closed then, as until then it leaves these registers alone.
 * UNC_EIO: a register is not as it was, of which unc_recover_info() tells; UNC_EBUSY: because somebody who lives has its box;
 * UNC_EDENIED: the machine is open for reading only; UNC_EPERM: a journal is not ours alone; UNC_ENOMEM.
 */
UNC_API int unc_recover_run(struct unc_recover *recover, bool force);

/* ---- tasks ------------------------------------------------------------------------------------------------- */

struct unc_task; /* a process and all that it started */

/*
 * Looks at a process for the first time.  pid 0: that of unc_machine_cfg.command_pid, on the computer that this program runs on;
 * any other is of the machine, but where that is a simulated one without files of its own.
 * UNC_ENODEV: there is no such process, or it may run on no CPU of this machine; UNC_EARG: pid 0, and there is no COMMAND;
 * UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_task_open(struct unc_machine *machine, unsigned pid, struct unc_task **ret_task);
/* NULL is fine. */
UNC_API void unc_task_close(struct unc_task *task);
/*
 * CPUs that all of its threads, and those of what it started, together might run on when it was last looked at, sorted; only those
 * that were online when it was opened.  They live until the next call for it.  UNC_ENOMEM.
 */
UNC_API int unc_task_cpus(struct unc_task *task, const unsigned **ret_cpus, size_t *ret_n);
enum unc_task_flag {
	UNC_TASK_MOVED = 1 << 0, /* it may run on a CPU on which it might not when it was opened */
	/*
	 * Others used the CPUs that it had when it was opened for more than 2 % of the interval until now.  These figures have ticks
	 * of 10 ms: of less than about a second that is told only where it is more by so much that ticks cannot have made it.  Else it
	 * is that of the interval before, and this one goes on into the next.
	 */
	UNC_TASK_OTHERS = 1 << 1,
	UNC_TASK_GONE = 1 << 2,     /* it has ended; that stays so */
	UNC_TASK_NARROWED = 1 << 3, /* there is a CPU on which it might run when it was opened, and may not now */
};
/*
 * Looks at it now, unless looks would take more than a twentieth of the time: then the flags are those of the look before.  What
 * this machine does not tell is not flagged.  Others are not told apart from it, and so not flagged, in an interval in which it was
 * moved, had more than 1024 threads, or a process of it ended and nobody waited for that.  UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_task_look(struct unc_task *task, unsigned *ret_flags);
/* An interval ended with the last look, and the next began. */
UNC_API void unc_task_begin(struct unc_task *task);

/* ---- why it can or cannot be measured ------------------------------------------------------------------------- */

enum unc_doctor_state {
	UNC_DOCTOR_OK,
	UNC_DOCTOR_NOTE,    /* good to know; nothing suffers from it */
	UNC_DOCTOR_WARN,    /* it can be measured, but not all of it, or not as well */
	UNC_DOCTOR_FAIL,    /* memory channels, or caches, that this part has and a map knows cannot be measured */
	UNC_DOCTOR_UNKNOWN, /* it could not be looked at */
};

struct unc_doctor_line {
	const char *theme; /* "cpu", "rights", "kernel", "pci", ...: lines of one theme follow one another */
	const char *check; /* "lockdown": what was looked at, always by the same name */
	enum unc_doctor_state state;
	int err;              /* of UNC_DOCTOR_FAIL: UNC_ENODEV, UNC_EPERM, UNC_EBUSY or UNC_EIO; else 0 */
	const char *finding;  /* one sentence */
	const char *evidence; /* where that was seen, and what stood there: "/proc/sys/kernel/nmi_watchdog: 1" */
	const char *todo;     /* what to do about it; NULL: nothing */
};

struct unc_doctor;

/*
 * Looks at everything that measuring needs, also on a machine that cannot be opened.  The machine is opened read-only, whatever cfg
 * says, and closed again.  What is wrong with the machine is in the lines.
 * UNC_EARG, UNC_EMAP: the machine or the maps that cfg names make no sense; UNC_EPERM: its maps cannot be trusted; UNC_ENOMEM.
 */
UNC_API int unc_doctor_run(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_doctor **ret_doctor);
UNC_API size_t unc_doctor_count(const struct unc_doctor *doctor);
/* All texts live as long as the doctor.  UNC_ENODEV: there are not so many lines. */
UNC_API int unc_doctor_line(const struct unc_doctor *doctor, size_t index, struct unc_doctor_line *ret_line);
/* 0: nothing failed; else the worst err of a line: UNC_ENODEV before UNC_EPERM before UNC_EBUSY before UNC_EIO. */
UNC_API int unc_doctor_verdict(const struct unc_doctor *doctor);
/* NULL is fine. */
UNC_API void unc_doctor_free(struct unc_doctor *doctor);

/* ---- does this silicon count right? --------------------------------------------------------------------------- */

enum unc_check_depth {
	UNC_CHECK_QUICK, /* what needs no long wait, each wait as short as it may be */
	UNC_CHECK_USUAL,
	UNC_CHECK_FULL, /* longer, and more often: what goes wrong now and then is found more likely */
};

struct unc_check_about {    /* a check that there is, of every machine */
	const char *name;   /* "registers.bits": its theme, and what it looks at */
	const char *proves; /* one line */
	const char *src;    /* the section of the manual that it rests on */
	unsigned ms
		[3]; /* how long it takes on a machine of two sockets, by enum unc_check_depth; 0: not in that depth */
	bool writes; /* registers */
	bool makes_traffic; /* needs unc_traffic_start() */
	bool global;        /* stops whole sockets: only with cfg.global */
};
/* NULL beyond the last. */
UNC_API const struct unc_check_about *unc_check_about(size_t index);

enum unc_check_state {
	UNC_CHECK_PASS,
	UNC_CHECK_FAIL,
	UNC_CHECK_SKIP,    /* it could not be looked at, or there is nothing of that here: the sentence says why */
	UNC_CHECK_NOT_RUN, /* it was ended before */
};
/* Of one check and one thing: a channel, a socket, a CPU, an L3, or the machine.  All texts live as long as the run. */
struct unc_check_result {
	const char *check;   /* unc_check_about.name */
	const char *subject; /* "socket0.imc0.ch2", "socket1", "cpu4", "l3 0", "machine" */
	enum unc_check_state state;
	int rc; /* of one that is skipped: UNC_EPERM, UNC_EIO and so on, as which it failed before it could be tried; or 0 */
	const char *finding; /* one sentence */
	const char *tested;  /* for `tested:` of a map, where a `verify:` was tried: lines of YAML; or NULL */
	size_t n_values, n_plots;
	size_t n_dropped; /* values besides, that were as wrong and are not kept */
	uint64_t ns;      /* the machine's time that its check took for all subjects together */
};
/* What shows it: a register that was read, and perhaps written before. */
struct unc_check_value {
	const char *what; /* "walking one" */
	const char *box, *pci,
		*reg; /* "socket0.imc0.ch2", "0000:7f:10.4", "CTL[3]"; of a value that is none: box and pci "" */
	uint32_t offset;
	unsigned bits; /* 32 or 64 */
	bool has_wrote, has_expected;
	uint64_t wrote, read, expected;
	uint64_t compared; /* bits of read that expected is about */
	bool good;
};
struct unc_check_point {
	double x, y;
};
struct unc_check_plot { /* what a counter did over time, or another trace */
	const char *title, *x_unit, *y_unit;
	const struct unc_check_point *points;
	size_t n_points;
	double low, high; /* where y ought to be; both 0: nothing is said */
};

struct unc_check_progress {
	const char *check; /* that is about to be run */
	unsigned nth, of;
	uint64_t left_ns; /* about, of the machine's time */
};

struct unc_check_cfg {
	enum unc_check_depth depth;
	const char *box;         /* a pattern of names of channels, "socket0.*"; NULL: all */
	const char *const *only; /* names or themes ("registers"); n_only 0: all */
	size_t n_only;
	const char *const *skip;
	size_t n_skip;
	bool force;   /* channels and caches, too, that somebody else uses: what he counts is spoiled */
	bool global;  /* with checks that stop whole sockets */
	bool observe; /* only checks that write no register */
	void (*progress)(void *arg, const struct unc_check_progress *progress); /* before each check; NULL */
	void *progress_arg;
};

struct unc_check;

/*
 * Looks what there is to be checked, and touches nothing but to look who else counts.  UNC_EARG: a name or pattern in cfg means
 * nothing here; UNC_EDENIED: the machine is open for reading only, and not cfg.observe; UNC_ENODEV: there is nothing to check;
 * UNC_EBUSY: all that there is is used by others, and no cfg.force; UNC_ENOMEM.
 */
UNC_API int unc_check_open(struct unc_machine *machine, const struct unc_check_cfg *cfg, struct unc_check **ret_check);
/*
 * Runs the checks one after the other; after each all registers are as they were found.  0: all were run, whatever they found;
 * UNC_EAGAIN: woken before the end; UNC_EBUSY: another program like this one writes in all channels, and nothing was run; UNC_EIO: a
 * register could not be put back; UNC_ENOMEM.  To be called once.
 */
UNC_API int unc_check_run(struct unc_check *check);
/* Before and after it was run: checks that were chosen, in order.  NULL beyond the last. */
UNC_API const struct unc_check_about *unc_check_chosen(const struct unc_check *check, size_t index);
/* Results in the order of checks, those not run too. */
UNC_API size_t unc_check_results(const struct unc_check *check);
/* UNC_ENODEV: there are not so many. */
UNC_API int unc_check_result(const struct unc_check *check, size_t index, struct unc_check_result *ret_result);
UNC_API int unc_check_value(const struct unc_check *check, size_t result, size_t index,
			    struct unc_check_value *ret_value);
UNC_API int unc_check_plot(const struct unc_check *check, size_t result, size_t index, struct unc_check_plot *ret_plot);
/* Before the machine is closed.  NULL is fine. */
UNC_API void unc_check_close(struct unc_check *check);

/* ---- do the kernel's own numbers agree? ----------------------------------------------------------------------- */

struct unc_xcheck; /* what the kernel counts, and the same read and counted here */

struct unc_xcheck_cfg {
	/*
	 * The part by which two counts may differ besides what cannot be told: 0.001 is 0.1 %.  Negative: that, and of resctrl what the
	 * kernel's own tests allow, 8 % of bandwidth, 15 % of occupancy or 2 MB, whichever is more.
	 */
	double tolerance;
	bool observe; /* nothing is counted by ourselves, no register written: what the kernel says, and its counter, alone */
};

enum unc_xcheck_verdict {
	UNC_XCHECK_OK,      /* the kernel's number is that of its counter; ours too, where there is one */
	UNC_XCHECK_DIFFERS, /* by more than tolerance and uncertainty together, or the kernel counts something else */
	UNC_XCHECK_NOT_COMPARABLE, /* in this interval, or at all */
};

/* One end of an interval: the kernel's number, read between two readings of the very counter that it comes from. */
struct unc_xcheck_bracket {
	uint64_t begin_ns, end_ns;       /* raw time before the first of them, and after the last */
	uint64_t raw_before, raw_after;  /* that counter */
	uint64_t kernel;                 /* what the kernel said */
	uint64_t enabled_ns, running_ns; /* as perf counts them */
	uint64_t control;                /* of the counter */
};

/* One event of one box, or of one group of resctrl on one L3.  All texts live as long as the cross-check. */
struct unc_xcheck_row {
	const char *subject;       /* "socket0.imc0.ch2"; "l3 0" */
	const char *event;         /* "cas_count.rd"; "llc_occupancy" */
	const struct unc_box *box; /* NULL: of resctrl */
	/* the kernel's side */
	const char *source; /* "uncore_imc_2", as perf writes it; "GROUP/mon_data/mon_L3_00/llc_occupancy" */
	int number;         /* of perf, the channel's: 2; -1: not found */
	int cpu;            /* that it is counted on, or read on; -1: not known */
	const char *config; /* "type=12 config=0x304"; of resctrl "rmid=7", and how that is known */
	const char
		*perf_event; /* the same as perf's -e takes it, "uncore_imc_2/event=0x4,umask=0x3/"; NULL: of resctrl */
	const char *alias; /* what the kernel itself calls this event, "cas_count_read"; NULL: it has no name for it */
	const char *counter; /* the register that the kernel chose, "CTR[0]"; NULL: not found */
	const char *
		own; /* the one that we count with, "CTR[3]"; NULL: none was free, it was lost, or nothing is counted here */
	/* this interval */
	enum unc_xcheck_verdict verdict;
	/* A sentence, until the next sample; NULL with UNC_XCHECK_OK, unless ours was lost in this interval. */
	const char *why;
	bool has_kernel, has_raw, has_ours; /* that ours is lost, and why, is also a note, once */
	uint64_t kernel, raw, ours;         /* counts, or bytes: in this interval, of occupancy at its end */
	/* By so much may two right counts differ, since they were not read at the same instant. */
	uint64_t uncertainty;
	uint64_t tolerated;            /* and by so much besides: by cfg.tolerance, or what suits resctrl */
	uint64_t interval_ns, time_ns; /* raw time from sample to sample; the machine's time since 1970 at its end */
	struct unc_xcheck_bracket from, to; /* what all this follows from */
};

/* UNC_ENOSUP: no register map of this CPU has counters and it has no cache monitoring; UNC_EARG: a tolerance that is none; UNC_ENOMEM. */
UNC_API int unc_xcheck_open(struct unc_machine *machine, const struct unc_xcheck_cfg *cfg,
			    struct unc_xcheck **ret_xcheck);
/*
 * An event of a box, as unc_session_add() takes it, is to be counted by the kernel's own driver, too.  Touches no register, opens no
 * event.  UNC_ENOSUP: this machine has no perf, or no driver for these boxes: the sentence says what to load; UNC_EARG: the
 * cross-check has started, or perf's driver has no field for a part of the event; else as unc_session_add().
 */
UNC_API int unc_xcheck_add(struct unc_xcheck *xcheck, struct unc_box *box, const char *event);
/*
 * A group of resctrl: its folder as below /sys/fs/resctrl, "jobs/mon_groups/one", or with that in front; "" or "/" is the root
 * group.  A row for each of its events on each L3: the file's number between two readings of the same RMID, for which IA32_QM_EVTSEL is written.  The kernel
 * writes that too, and does not look whether it was changed before it has read: now and then a number of its own may be spoilt.
 * Its RMID is what mon_hw_id says, where resctrl shows that, else what CPUs carry that run its tasks, or are its own, which takes looks
 * for up to 0.2 s.  A control group has the numbers of its monitoring groups in its own, so theirs are found and read, too.  In each sample
 * it is looked whether groups have other RMIDs by now.
 * UNC_ENOSUP: resctrl is not mounted, or it or the CPU monitors nothing; UNC_ENODEV: no such group; UNC_ENODATA: its RMID cannot be
 * told, or it has no L3; UNC_EARG: that is no name of a group, it was added, the cross-check has started, or cfg.observe or a machine
 * that is open for reading forbid the write; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_xcheck_add_resctrl(struct unc_xcheck *xcheck, const char *group);
/*
 * Opens the kernel's events, finds by looking at controls while they are switched on and off which box and which counter each of them
 * got, counts the same beside it where a counter is free, and takes the first bracket.  What is found not to be comparable is a row
 * that says why.  In a dry run no event is opened.
 * UNC_EPERM: perf_event_paranoid, or lockdown; UNC_EDENIED: the machine is open for reading only, and no cfg.observe; UNC_EARG:
 * nothing was added; UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_xcheck_start(struct unc_xcheck *xcheck);
/* As unc_session_sleep_until(), reading what could wrap; our own counters are looked at every 100 ms. */
UNC_API int unc_xcheck_sleep_until(struct unc_xcheck *xcheck, uint64_t mono_ns);
/*
 * Takes the next bracket, and judges what was counted since the one before.  Where another counter has the same control, and it is not
 * certain any more which is the kernel's, the event is switched off and on to see; the next interval then begins with a bracket of its
 * own.  UNC_ENODEV, UNC_EPERM, UNC_EIO: nothing at all could be read.
 */
UNC_API int unc_xcheck_sample(struct unc_xcheck *xcheck);
/* Rows in the order in which they were added.  After unc_xcheck_start(). */
UNC_API size_t unc_xcheck_count(const struct unc_xcheck *xcheck);
/* UNC_ENODEV: there are not so many. */
UNC_API int unc_xcheck_row(const struct unc_xcheck *xcheck, size_t index, struct unc_xcheck_row *ret_row);
/* Closes the kernel's events, and puts back what was written.  NULL is fine.  UNC_EIO: as unc_session_close(). */
UNC_API int unc_xcheck_close(struct unc_xcheck *xcheck);

#ifdef __cplusplus
}
#endif
#endif
