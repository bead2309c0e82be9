/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One computer: its host and buses, its CPU, the maps that fit, and its boxes. */
#ifndef UNC_MACHINE_MACHINE_H
#define UNC_MACHINE_MACHINE_H

#include "access/trace.h"
#include "machine/journal.h"

struct unc_box {
	struct unc_machine *machine;         /* not owned */
	const struct unc_unit *unit;         /* from the map; outlives the box */
	const struct unc_instance *instance; /* from the map; boxes of MSRs have an empty one */
	unsigned socket;
	char name[40];
	struct unc_addr addr;
	bool addr_known;
	char pci[UNC_ADDR_TEXT]; /* addr as text; "": not known */
	struct unc_space *space; /* owned; NULL unless present, for MSRs until unc_box_reach() */
	unsigned pmem;           /* bit i: slot i of this channel has an Optane module */
	bool bridge;             /* header type 1: neither a loaded map nor a raw box may write there */
	bool host_bridge;        /* class 0600: some of its registers are the kernel's alone (gate.c) */
	const struct unc_unit
		*raw; /* the unit of a raw box, with one register that no map names; NULL: the box is from a map */
	enum unc_presence presence;
	struct unc_box *
		counted_by; /* the box in whose counters its events are counted; NULL: it has counters itself, or none */
	struct unc_box *beside; /* the same box, or the one that counts only its events with `as`; NULL: none does */
	size_t journalled;      /* the last of its entries in the journal, counted from 1; 0: it has none */
	bool alone;             /* per: cpu: its lock is its own, not that of its L3 */
	size_t claim;           /* its lock among the machine's claims, counted from 1; 0: not claimed yet */
	int rc;                 /* the error of every access while it is not present: UNC_ENODEV, UNC_EPERM, UNC_EIO */
	char why[UNC_MSG_MAX];
};

enum { UNC_SOCKETS_MAX = 64 };
struct unc_socket {
	unsigned id;  /* the number shown to users: the physical package */
	bool has_bus; /* the bus of its memory channels was found */
	uint32_t domain;
	uint8_t bus;
	bool has_ubox; /* the bus of its UBOX, which may be another one, */
	uint8_t ubox_bus;
	uint32_t ubox_domain;
	char how[480]; /* how the number was found */
};

struct unc_cpu_boxes;
struct unc_claimed;
struct unc_node_part;
struct unc_tables;
struct unc_journal_disk;
struct unc_recording;
struct unc_rdt; /* rdt/rdt.h */

struct unc_machine {
	struct unc_ctx *ctx;   /* outlives the machine */
	char *name;            /* owned */
	struct unc_host *host; /* owned */
	char *state_dir;       /* owned; NULL: the default */
	bool recovers;         /* the caller opens unc_recover_open() next, so notes do not report what was left */
	struct unc_bus *bus[UNC_KINDS]; /* owned; NULL where not opened */
	struct unc_trace trace;
	void (*dry_run)(void *arg, const char *line); /* NULL: writes are done */
	void *dry_run_arg;                            /* not owned */
	struct unc_map *map;                          /* owned */
	struct unc_cpu_id cpu;
	struct unc_topo topo;
	char no_topology[UNC_MSG_MAX];              /* why there is no topology; "": there is one */
	struct unc_socket sockets[UNC_SOCKETS_MAX]; /* by id */
	unsigned n_sockets;
	char socket_rule[560];
	struct unc_box *boxes; /* owned, by unit, socket, imc, channel */
	size_t n_boxes;
	struct unc_node_part *node_parts; /* owned; machine/nodes.c */
	struct unc_tables *tables;        /* owned; machine/discovery.h; NULL: this part has none */
	struct unc_journal journal;
	struct unc_journal_disk *disk; /* owned; NULL: the registers end with this process, or are not written */
	struct unc_claimed *claims;    /* owned; machine/claim.c: locks that were needed so far */
	size_t n_claims;
	struct unc_raw *raws;            /* owned; machine/registers.c */
	struct unc_recording *recording; /* owned; NULL: the machine is not recorded */
	bool writable;
	bool has_traffic;                /* unc_traffic_start() succeeded */
	struct unc_cpu_boxes *cpu_boxes; /* owned; machine/cpu_boxes.c */
	struct unc_rdt *rdt; /* owned by the code that made it, which says how to free it; NULL: not made yet */
	void (*rdt_free)(struct unc_rdt *rdt);
};

/*
 * machine/machine.c: the steps of opening, for callers that go on where one fails.  Reach makes a machine about which
 * nothing is known yet; the next steps find its name, topology and CPU, then the maps that fit, then
 * unc_machine_find_boxes().  Each fails as unc_machine_open().
 */
int unc_machine_reach(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine);
int unc_machine_who(struct unc_machine *m);
/* After who failed with failed: makes the map from a catalogue, on a machine without CPUID.  Returns failed, with its message, if there is none. */
int unc_machine_by_catalogue(struct unc_machine *m, int failed);
int unc_machine_fit(struct unc_machine *m, const char *map_dir);
/* machine/machine.c */
unsigned unc_machine_first_cpu(const struct unc_machine *m); /* the lowest online CPU that is known */
/* Reads vendor, family, model and stepping.  UNC_ENOSUP: CPUID makes no sense. */
int unc_machine_identify(struct unc_machine *m);
/* machine/hosts.c: the list of kinds of machine.  UNC_EARG: there is no such kind. */
int unc_machine_host_open(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host);
/* machine/hosts.c: makes the map of a machine whose device tree has a catalogue.  UNC_ENODEV: it has none; or what reading it fails with. */
int unc_machine_catalogue(struct unc_machine *m);
/*
 * The ith simulated machine: its name after "sim:", the name of its part, and that of its CPU, perhaps with blanks after it.  False:
 * there are fewer.
 */
bool unc_machine_simulated(size_t i, const char **ret_name, const char **ret_part, const char **ret_cpu);
/* True for this computer, however its registers are reached; NULL is the default, which it is, too. */
bool unc_machine_is_live(const char *name);
/* Returns a bus, opened (with the trace around it) when it is first requested; borrowed. */
int unc_machine_bus(struct unc_machine *m, enum unc_kind kind, struct unc_bus **ret_bus);
/* Opens one more bus, with the trace around it; the caller closes it. */
int unc_machine_bus_open(struct unc_machine *m, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);
/*
 * machine/machine.c: finds the maps that fit a machine; reads nothing but CPUID.  Free them with unc_map_free().  Fails
 * as unc_machine_open().
 */
int unc_machine_map(struct unc_ctx *ctx, const char *name, const char *map_dir, struct unc_map **ret_map);
/*
 * machine/cpu_boxes.c: returns the box that every CPU has one of ("cpu17.rdt"), made when it is first requested;
 * borrowed. UNC_ENOSUP: no map that fits this CPU has such a unit; UNC_ENODEV: no CPU has this number; UNC_ENOMEM; or
 * the error of the host's cpus().  Whether the CPU is there shows with the first access.
 */
int unc_machine_cpu_box(const struct unc_machine *m, const char *unit, unsigned cpu, struct unc_box **ret_box);
/* Returns true if this is the name of such a box, whether it is there or not. */
bool unc_machine_cpu_box_named(const char *name, unsigned *ret_cpu, const char **ret_unit);
/* Returns the host's cpus(), read once; valid as long as the machine. */
int unc_machine_cpus(const struct unc_machine *m, const struct unc_host_cpu **ret_cpus, size_t *ret_n);
int unc_machine_cpu_boxes_new(struct unc_machine *m); /* UNC_ENOMEM */
void unc_machine_cpu_boxes_free(struct unc_machine *m);
/* machine/registers.c */
void unc_raw_free_all(struct unc_machine *m);
/*
 * machine/describe.c: returns the reg-th register of a box; each element of an array counts as one.  NULL, with a
 * message: there is none.
 */
const struct unc_reg *unc_box_nth_reg(const struct unc_box *box, size_t reg, unsigned *ret_index);
/* The same for a field of it; *ret_reg: the register. */
const struct unc_field *unc_box_nth_field(const struct unc_box *box, size_t reg, size_t field,
					  const struct unc_reg **ret_reg);
/* machine/boxes.c: fills sockets and boxes. */
int unc_machine_find_boxes(struct unc_machine *m);
/* Returns whether Optane modules are installed: in the channel, or if the box is of a whole controller, in one of its channels. */
bool unc_box_has_pmem(const struct unc_box *box);
/*
 * Call it before the first access to a register: it opens the MSRs of a box that is made of them.  0: there is a space;
 * else the error of the box, with box->why as the message.
 */
int unc_box_reach(struct unc_box *box);

/* machine/uclk.c: the clock of a socket's uncore, and its limits, which are 0 where no register tells them. */
struct unc_uncore_clock {
	uint64_t mhz, lowest_mhz, highest_mhz;
	/* The last reading of the counter of its cycles, on parts without a register that holds the clock; raw_ns 0: there is none. */
	uint64_t raw_ns, doubt_ns, control, count;
};
/*
 * Nothing is written.  clock is 0 before the first call and keeps what the next one needs: a counter tells the mean clock since the
 * call before.  It is too low if another program has stopped and started the counter in between, which cannot be seen.  Where it fails,
 * mhz and the limits are 0.
 *
 * UNC_EAGAIN: it counts, and was not read before; UNC_ENODATA: no program has enabled it, it stands still or was reset, or the
 * register holds 0; UNC_ENOSUP: no register of this part is known; other errors are those of reading an MSR.
 */
int unc_uncore_clock(struct unc_machine *m, unsigned socket, struct unc_uncore_clock *clock);

/* ---- metrics ---- */

enum { UNC_METRIC_WAYS_MAX = 8 };

/*
 * Finds the ways to compute a metric, by its number in uncore/event.h: the metric and, if wanted, those that replace it
 * by other events, as far as the machine has these, in the order of their file.  Returns how many; the pointers are
 * valid until other metrics are requested.
 */
size_t unc_metric_ways(const struct unc_machine *m, const char *unit, size_t number, bool stand_ins,
		       const struct unc_metric *ret_ways[UNC_METRIC_WAYS_MAX]);

#endif
