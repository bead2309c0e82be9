/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a monitoring session share. */
#ifndef UNC_RDT_LLC_H
#define UNC_RDT_LLC_H

#include "machine/uncertain.h"
#include "rdt/account.h"
#include "rdt/rdt.h"

struct unc_llc_regs { /* registers of the unit rdt; all belong to the map */
	const struct unc_reg *pqr, *evtsel, *ctr;
	const struct unc_field *pqr_rmid;
	const struct unc_field *event, *rmid;
	const struct unc_field *ext; /* AMD, or NULL */
	const struct unc_field *data, *unavailable, *error;
	uint64_t evtsel_seen; /* the bits that read back */
};

struct unc_llc_group {
	char *name;     /* owned */
	unsigned *cpus; /* sorted; owned */
	size_t n_cpus;
	unsigned rmid; /* valid once started */
};

struct unc_llc_cpu { /* a CPU of an L3 in use */
	unsigned number;
	unsigned part;       /* which part of the L3 it is in */
	struct unc_box *box; /* owned by the machine */
	size_t group;        /* UNC_LLC_NO_GROUP: none */
	uint64_t pqr;        /* IA32_PQR_ASSOC as it was found */
	unsigned rmid;       /* RMID in pqr, later the one given to the CPU */
	size_t row;          /* row that shows its group on this L3 */
	bool quiet;          /* in nohz_full: only looked at at the start and at the end */
	bool hijacked;       /* had another RMID than ours in the last look */
	size_t shared_row; /* row whose RMID it had in the last look without being in its group; UNC_LLC_NO_ROW: none */
	bool gone;         /* could not be reached as a reader */
	bool silent;       /* its IA32_PQR_ASSOC could not be read in the last look */
};
#define UNC_LLC_NO_GROUP SIZE_MAX

struct unc_llc_domain {           /* an L3 in use */
	const struct unc_l3 *l3;  /* owned by the machine */
	struct unc_llc_cpu *cpus; /* owned; one for each CPU of l3 */
	size_t n_cpus;
	size_t reader;           /* index in cpus of the CPU on which values are read */
	bool reader_asked;       /* cfg.read_cpus chose the reader */
	bool *taken;             /* by RMID: carried by a CPU, or given to a group; owned */
	bool has_groups;         /* some of cpus are in groups */
	bool failing;            /* the last read of a value failed */
	bool told;               /* a note has reported a failed read */
	struct unc_box *planned; /* the box whose IA32_QM_EVTSEL is in the journal; NULL: none */
	uint64_t evtsel;         /* last value written to IA32_QM_EVTSEL of its reader; 0: none */
	uint64_t owned;          /* bytes owned by all RMIDs that were read, in this sample */
	bool over;               /* owned, or one RMID alone, is more than the L3 has */
	uint64_t quickest_ns;    /* the shortest bracket of a reading; 0: not known yet */

	/* rdt/abmc.c */
	bool switched;                           /* another program changed that */
	bool assigned;                           /* its bandwidth counters are assigned to RMIDs */
	uint64_t types[UNC_LLC_EVENTS];          /* what its bandwidth events count */
	uint64_t counters[UNC_RDT_COUNTERS_MAX]; /* as ABMC_COUNTER had them last */
	uint64_t ours;                           /* a bit for each of them that was assigned here */
	struct unc_box *looks;                   /* the box whose L3_QOS_ABMC_CFG is in the journal; NULL: none */
};

struct unc_llc_counter { /* counter of one event, on one of the nodes that share the L3 */
	uint64_t evtsel; /* value of IA32_QM_EVTSEL that selects it */
	bool unassigned; /* no counter is assigned to it: there is nothing to select */
	unsigned number; /* of an assigned counter, and */
	uint64_t shows;  /* how it is assigned; 0: it is not such a counter */
	struct unc_llc_account account;
};

struct unc_llc_event_state {              /* one event of one row */
	unsigned errors;                  /* number of errors in a row */
	bool ended;                       /* not read any more, after three errors in a row */
	bool obtained;                    /* it had a number at least once */
	enum unc_llc_status last;         /* status of the last read */
	struct unc_llc_span span;         /* bandwidth: span of the last number, for the first node's counter */
	uint64_t since_read;              /* the public read at which its interval began */
	struct unc_llc_counter *counters; /* owned; one per node; NULL: the event was not requested */
};

enum { UNC_LLC_NO_DOMAIN = -1 };
#define UNC_LLC_NO_ROW SIZE_MAX
struct unc_llc_line {     /* a row */
	size_t group;     /* UNC_LLC_NO_GROUP: a row of an RMID without a group */
	ptrdiff_t domain; /* UNC_LLC_NO_DOMAIN: the sum of the n_parts rows before it */
	size_t n_parts;
	unsigned nodes; /* number of nodes whose counters are added up */
	unsigned rmid;
	char rmid_name[16]; /* "rmid17", for a row without a group */
	char *cpus;         /* owned */
	size_t twin;        /* another row of the same RMID on the same L3; UNC_LLC_NO_ROW: none */
	bool twice;         /* the twin comes before this row */
	uint64_t l3_bytes;
	uint64_t begin_ns; /* raw time of the previous read */
	/*
	 * Bits of enum unc_llc_flag.  found: by the last look.  doubt: by the last two looks, since between them either may be
	 * true. of_next: doubts for the row that is read next.  of_held: doubts for the rows that wait for a look.
	 */
	unsigned found, doubt, of_next, of_held;
	unsigned rmid_found; /* RMID that the last look found; with UNC_LLC_HIJACKED */
	bool told_lost;
	bool soiled; /* a CPU outside the group carried its RMID: occupancy includes what that CPU brought into the cache */
	struct unc_llc_event_state events[UNC_LLC_EVENTS];
};

struct unc_llc {
	struct unc_machine *machine; /* not owned */
	const struct unc_rdt *rdt;   /* owned by the machine */
	struct unc_llc_cfg cfg;
	unsigned *read_cpus; /* copy of cfg.read_cpus; owned */
	struct unc_llc_regs regs;
	struct unc_llc_meter meter;
	unsigned events;              /* events that are monitored, as bits */
	struct unc_llc_group *groups; /* owned */
	size_t n_groups;
	bool all_rmids;
	bool *rmids; /* by number: RMIDs to read without a group; owned; NULL: none was requested */
	bool started;
	struct unc_llc_domain *domains; /* L3s in use; owned */
	size_t n_domains;
	struct unc_llc_line *lines; /* owned */
	size_t n_lines;
	/*
	 * With sub-NUMA clustering, RMID r is read on part k of an L3 as r + k * n_rmids.  In UNC_SNC_LOCAL (rdt.h) the CPUs of
	 * that part carry that number, too.
	 */
	unsigned nodes;   /* number of parts of an L3; 1: it is not divided */
	unsigned n_rmids; /* number of RMIDs that can be given, including 0 */
	uint64_t n_reads;
	uint64_t poll_ns,
		read_mono_ns; /* the longest allowed time from one read to the next; pacing time of the last read */
	uint64_t looked_ns;   /* pacing time of the last look at the CPUs */
	bool unlooked;        /* rows were read since the last look */
	bool has_held;        /* rows that were read wait to be confirmed */
	bool alone; /* it only reads, where each CPU has its own IA32_QM_EVTSEL: L3s are not claimed, only readers */
	bool kernel_assigns; /* resctrl is mounted: its kernel assigns bandwidth counters */
	uint64_t scanned_ns; /* pacing time of the last look at what it assigned */
	struct unc_suspend suspend;
};

/* rdt/group.c: the groups and their CPUs.  Nothing there touches a register. */
/* Returns the group of a CPU; UNC_LLC_NO_GROUP: it is in none. */
size_t unc_llc_group_of(const struct unc_llc *llc, unsigned cpu);
/* UNC_ENODEV: there is no such CPU, or it is offline; cannot: what is not possible then, for the message. */
int unc_llc_check_cpu(struct unc_llc *llc, unsigned cpu, const char *cannot);
void unc_llc_groups_free(struct unc_llc *llc);
/*
 * As unc_llc_add_rmids(), for one RMID alone: adds a row for it on every L3.  Idempotent.  UNC_EARG: there is no such RMID, or
 * monitoring has started; UNC_ENOMEM.
 */
int unc_llc_add_rmid(struct unc_llc *llc, unsigned rmid);
/* True if rows of RMIDs without a group were requested. */
bool unc_llc_has_rmids(const struct unc_llc *llc);

/* rdt/llc.c: finds the L3s in use, their CPUs with their IA32_PQR_ASSOC, and the CPU on which each L3 is read. */
int unc_llc_domains_find(struct unc_llc *llc);
/* Claims the L3; with llc->alone the CPU alone on which it is read.  Fails as unc_claim_box(). */
int unc_llc_claim(struct unc_llc *llc, const struct unc_llc_domain *domain);
/* Reads again which RMIDs the CPUs carry, before any of them is ours. */
int unc_llc_domains_look(struct unc_llc *llc);

/* rdt/abmc.c */
/* Sets what cfg.assign and cfg.types ask for, and finds the L3s whose counters are assigned.  Fails as unc_llc_start(). */
int unc_llc_set_up(struct unc_llc *llc);
/* Finds the counters that are assigned and, unless the kernel does that, assigns free ones to the groups. */
int unc_llc_assign_counters(struct unc_llc *llc);
/* Sets the selection of a counter, or unassigned. */
int unc_llc_find_counter(struct unc_llc *llc, const struct unc_llc_domain *domain, unsigned rmid, unsigned event,
			 struct unc_llc_counter *counter);
/* After a read of an assigned counter: sets unassigned if it is assigned otherwise by now. */
int unc_llc_still_assigned(struct unc_llc *llc, struct unc_llc_domain *domain, struct unc_llc_counter *counter);
/* After values were read: true if they are no bandwidth, since another program switched ABMC.  Notes that once. */
bool unc_llc_was_switched(struct unc_llc *llc, struct unc_llc_domain *domain);
/* Looks once a second at what the kernel assigns. */
void unc_llc_follow_kernel(struct unc_llc *llc);

/* rdt/group.c */
bool unc_llc_has_group(const struct unc_llc_domain *domain, size_t group);
/* Chooses an RMID for every group.  Fails as unc_llc_start(). */
int unc_llc_choose(struct unc_llc *llc);
/* Gives each group's RMID to its CPUs, after all of them are planned. */
int unc_llc_assign(struct unc_llc *llc);

/* rdt/read.c */
/* Puts IA32_QM_EVTSEL of every reader into the journal on disk, for any selection, before the first value is read. */
int unc_llc_plan_selectors(struct unc_llc *llc);
/* As unc_llc_plan_selectors(), for one CPU; it is on disk only after unc_gate_ready(). */
int unc_llc_plan_selector(struct unc_llc *llc, struct unc_box *box);
/* Builds the whole IA32_QM_EVTSEL for any event and RMID, as that register numbers them.  UNC_ERANGE. */
int unc_llc_evtsel(const struct unc_llc *llc, unsigned event_id, unsigned rmid, uint64_t *ret_evtsel);
/* Builds the value of IA32_QM_EVTSEL for an event of an RMID; the RMID is as that register numbers it.  UNC_ERANGE. */
int unc_llc_select(struct unc_llc *llc, enum unc_llc_event event, unsigned rmid, uint64_t *ret_evtsel);
/* Reads IA32_QM_CTR; if it is Unavailable, again a few times, without another selection. */
int unc_llc_read_ctr(struct unc_llc *llc, struct unc_box *box, struct unc_llc_reading *ret_reading);
/*
 * Reads one value.  account: the account it is for, so that a slow reading is repeated; NULL: it is an occupancy, which has no
 * interval. Always fills *ret_reading; if an access failed, that is UNC_LLC_ERROR, and the error is returned with its message.
 */
int unc_llc_read_value(struct unc_llc *llc, struct unc_llc_domain *domain, uint64_t evtsel,
		       const struct unc_llc_account *account, struct unc_llc_reading *ret_reading);

/*
 * Reads how much of an L3 an RMID owns, on all of these nodes, until one cannot be read.  Fails as unc_llc_read_value(); the value
 * is filled in any case.
 */
int unc_llc_read_owned(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned rmid, unsigned nodes,
		       struct unc_llc_value *ret_value);

/* rdt/rows.c */
int unc_llc_lines_make(struct unc_llc *llc);
void unc_llc_lines_free(struct unc_llc *llc);
/* Returns the name of the row's group, or "rmid17". */
const char *unc_llc_line_name(const struct unc_llc *llc, const struct unc_llc_line *line);
const char *unc_llc_event_name(unsigned event); /* "total bandwidth" */

/* rdt/sample.c */
/* The longest time from one look to the next. */
#define UNC_LLC_LOOK_NS UINT64_C(1000000000)

/* rdt/read.c */
struct unc_llc_round { /* results of reading many values */
	size_t tried, failed;
	int rc; /* error of the last one that failed */
	struct unc_saved_msg msg;
};
/* Adds the result of reading one value. */
void unc_llc_round_add(struct unc_llc *llc, struct unc_llc_round *round, int rc);
/* Fails, as the last value, if every value did. */
int unc_llc_round_end(struct unc_ctx *ctx, const struct unc_llc_round *round);
/* Reads every value of a row that is not a sum; its times are those of UNC_CLOCK_RAW. */
void unc_llc_read_line(struct unc_llc *llc, struct unc_llc_line *line, struct unc_llc_round *round,
		       struct unc_llc_row *ret_row);
/* Reads the counters of a bandwidth event into their accounts.  *ret_ns: the time of the read, unchanged if none was read. */
enum unc_llc_status unc_llc_read_accounts(struct unc_llc *llc, struct unc_llc_line *line, unsigned event,
					  struct unc_llc_round *round, uint64_t *ret_ns);
/* rdt/sample.c */
/*
 * Result of reading one event of one row that is not a sum, at this moment.  It is independent of unc_llc_read(), which must not
 * be used as well, since both would take what moved.  Reading writes IA32_QM_EVTSEL, which another program may just have written
 * to read its own value (the kernel for a file of resctrl, and every second for all its groups).  Our selection is read back;
 * other programs should do the same, but the kernel does not.
 */
struct unc_llc_now {
	enum unc_llc_status status;
	/*
	 * Valid with UNC_LLC_OK: for occupancy the bytes owned; for bandwidth what the counter showed when monitoring started,
	 * plus what moved since, as if it never wrapped.  The count begins again after UNC_LLC_STALE.
	 */
	uint64_t bytes;
	bool corrected;               /* as in unc_llc_value */
	uint64_t before_ns, after_ns; /* raw time */
};
/* Always fills *ret_now; if an access failed, that is UNC_LLC_ERROR, and the error is returned with its message. */
int unc_llc_read_now(struct unc_llc *llc, size_t row, enum unc_llc_event event, struct unc_llc_now *ret_now);
/* Takes the first readings.  Fails as unc_llc_start(). */
int unc_llc_baseline(struct unc_llc *llc);

#endif
