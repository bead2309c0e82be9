/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a monitoring session share. */
#ifndef UNC_RDT_LLC_H
#define UNC_RDT_LLC_H

#include "base/err.h"
#include "machine/suspend.h"
#include "rdt/account.h"
#include "rdt/rdt.h"

struct unc_llc_regs { /* of the unit rdt; all belong to the map */
	const struct unc_reg *pqr, *evtsel, *ctr;
	const struct unc_field *pqr_rmid;
	const struct unc_field *event, *rmid;
	const struct unc_field *data, *unavailable, *error;
	uint64_t evtsel_seen; /* bits that read back */
};

struct unc_llc_group {
	char *name;     /* owned */
	unsigned *cpus; /* sorted; owned */
	size_t n_cpus;
	unsigned rmid; /* once started */
};

struct unc_llc_cpu { /* one of an L3 that we have to do with */
	unsigned number;
	unsigned part;       /* of the L3 */
	struct unc_box *box; /* the machine's */
	size_t group;        /* UNC_LLC_NO_GROUP: none */
	uint64_t pqr;        /* IA32_PQR_ASSOC as it was found */
	unsigned rmid;       /* in it, then the one that it was given */
	size_t row;          /* that shows its group on this L3 */
	bool quiet;          /* in nohz_full: it is looked at only at the start and at the end */
	bool hijacked;       /* it had another one when it was last looked at */
	size_t shared_row;   /* whose RMID it had then, though it is not in that row's group; UNC_LLC_NO_ROW: none */
	bool gone;           /* as a reader: it could not be reached */
	bool silent;         /* its IA32_PQR_ASSOC could not be read when it was last looked at */
};
#define UNC_LLC_NO_GROUP SIZE_MAX

struct unc_llc_domain {           /* an L3 that we have to do with */
	const struct unc_l3 *l3;  /* the machine's */
	struct unc_llc_cpu *cpus; /* owned; as many as l3 has */
	size_t n_cpus;
	size_t reader;           /* which of them its values are read on */
	bool reader_asked;       /* cfg.read_cpus has it */
	bool *taken;             /* by RMID: somebody's, or given to a group; owned */
	bool has_groups;         /* CPUs of groups are among cpus */
	bool failing;            /* its reader did not answer when a value was last read */
	bool told;               /* that it did not, once */
	struct unc_box *planned; /* whose IA32_QM_EVTSEL is in the journal; NULL: none */
	uint64_t evtsel;         /* written last to IA32_QM_EVTSEL of its reader; 0: nothing */
	uint64_t owned;          /* of it, by all RMIDs that were read, in this sample */
	bool over;               /* that, or one of them, is more than there is */
	uint64_t quickest_ns;    /* the shortest bracket of a reading; 0: not known yet */
};

struct unc_llc_counter { /* of one event, on one of the nodes that share the L3 */
	uint64_t evtsel; /* what selects it */
	struct unc_llc_account account;
};

struct unc_llc_event_state {      /* of one row */
	unsigned errors;          /* in a row */
	bool ended;               /* three were */
	bool obtained;            /* there was a number once */
	enum unc_llc_status last; /* as last read */
	struct unc_llc_span span; /* of bandwidth: of the number that was read last; of the first node's counter */
	uint64_t since_read;      /* the public read at which its interval began */
	struct unc_llc_counter *counters; /* owned; as many as there are nodes; NULL: not asked for */
};

enum { UNC_LLC_NO_DOMAIN = -1 };
#define UNC_LLC_NO_ROW SIZE_MAX
struct unc_llc_line {     /* a row */
	size_t group;     /* UNC_LLC_NO_GROUP: it is of an RMID as it is */
	ptrdiff_t domain; /* UNC_LLC_NO_DOMAIN: the sum of the n_parts rows in front of it */
	size_t n_parts;
	unsigned nodes; /* whose counters are added up */
	unsigned rmid;
	char rmid_name[16]; /* "rmid17", without a group */
	char *cpus;         /* owned */
	size_t twin;        /* another row of the same RMID on the same L3; UNC_LLC_NO_ROW: there is none */
	bool twice;         /* which is in front */
	uint64_t l3_bytes;
	uint64_t begin_ns; /* raw time at which it was read before */
	/*
	 * Of enum unc_llc_flag.  found: by the last look.  doubt: by the last two looks, since between them either may be true.
	 * of_next: doubts for the row that is read next.  of_held: doubts for the rows that wait for a look.
	 */
	unsigned found, doubt, of_next, of_held;
	unsigned rmid_found; /* with UNC_LLC_HIJACKED */
	bool told_lost;
	bool soiled; /* a CPU outside the group carried its RMID: what that CPU brought into the cache is in occupancy */
	struct unc_llc_event_state events[UNC_LLC_EVENTS];
};

struct unc_llc {
	struct unc_machine *machine; /* not owned */
	const struct unc_rdt *rdt;   /* the machine's */
	struct unc_llc_cfg cfg;
	unsigned *read_cpus; /* cfg.read_cpus; owned */
	struct unc_llc_regs regs;
	struct unc_llc_meter meter;
	unsigned events;              /* that are monitored */
	struct unc_llc_group *groups; /* owned */
	size_t n_groups;
	bool all_rmids;
	bool *rmids; /* by number: that one as it is; owned; NULL: none was asked for */
	bool started;
	struct unc_llc_domain *domains; /* owned; by L3 */
	size_t n_domains;
	struct unc_llc_line *lines; /* owned */
	size_t n_lines;
	/*
	 * Sub-NUMA clustering: RMID r is r + k * n_rmids where part k of an L3 is asked of, and where it is not shared out (rdt.h)
	 * the CPUs of that part carry it so, too.
	 */
	unsigned nodes;   /* so many parts has an L3; 1: it is one */
	unsigned n_rmids; /* that can be given, 0 among them */
	uint64_t n_reads;
	uint64_t poll_ns,
		read_mono_ns; /* how long it may be from one read to the next; when the last was, for pacing */
	uint64_t looked_ns;   /* when CPUs were last looked at, in pacing time */
	bool unlooked;        /* rows were read since then */
	bool has_held;        /* rows that were read wait to be confirmed */
	struct unc_suspend suspend;
};

/* rdt/group.c: who the CPUs are.  Nothing there touches a register. */
/* The L3 of a CPU, and which of its CPUs that is.  False: it is not online. */
bool unc_llc_l3_of(const struct unc_rdt *rdt, unsigned cpu, size_t *ret_l3, size_t *ret_index);
/* UNC_ENODEV, with a sentence: there is no such CPU, or it is offline and so cannot what we would do with it. */
int unc_llc_check_cpu(struct unc_llc *llc, unsigned cpu, const char *cannot);
void unc_llc_groups_free(struct unc_llc *llc);
/*
 * As unc_llc_add_rmids(), of one RMID alone: a row for it on every L3.  Once more is as once.  UNC_EARG: there is none of that number,
 * or monitoring has started; UNC_ENOMEM.
 */
int unc_llc_add_rmid(struct unc_llc *llc, unsigned rmid);
/* Is a row of RMIDs as they are asked for? */
bool unc_llc_has_rmids(const struct unc_llc *llc);

/* rdt/domain.c: the L3s concerned, their CPUs with what is in IA32_PQR_ASSOC, and the CPU that each is read on. */
int unc_llc_domains_find(struct unc_llc *llc);
/* Once more what they carry, before any of it is ours. */
int unc_llc_domains_look(struct unc_llc *llc);
void unc_llc_domains_free(struct unc_llc *llc);

/* rdt/others.c.  UNC_EBUSY: somebody carries an RMID, or another program is at it; with cfg.shared that is said only. */
int unc_llc_look_around(struct unc_llc *llc);

/* rdt/rmid.c */
/* Chooses an RMID for every group.  As unc_llc_start(). */
int unc_llc_choose(struct unc_llc *llc);
/* Gives it to the group's CPUs, after all of them are planned. */
int unc_llc_assign(struct unc_llc *llc);

/* rdt/read.c */
/* Before the first value is read: IA32_QM_EVTSEL of every reader is in the journal on disk, whatever will be selected. */
int unc_llc_plan_selectors(struct unc_llc *llc);
/* The same for that of one CPU; it is on the disk only with unc_gate_ready(). */
int unc_llc_plan_selector(struct unc_llc *llc, struct unc_box *box);
/* IA32_QM_EVTSEL whole, with any event and RMID, as that register numbers them.  UNC_ERANGE. */
int unc_llc_evtsel(const struct unc_llc *llc, unsigned event_id, unsigned rmid, uint64_t *ret_evtsel);
/* What is to be written to IA32_QM_EVTSEL for an event of an RMID, as that register numbers them.  UNC_ERANGE. */
int unc_llc_select(struct unc_llc *llc, enum unc_llc_event event, unsigned rmid, uint64_t *ret_evtsel);
struct unc_llc_answer { /* of IA32_QM_CTR, to what is selected */
	uint64_t ctr;
	enum unc_llc_status status;
	unsigned n_unavailable;       /* how often it was read as Unavailable, the last time included */
	uint64_t before_ns, after_ns; /* raw time around the last read */
};
/* Reads it, and where it is Unavailable again, a few times, without another selection. */
int unc_llc_read_ctr(struct unc_llc *llc, struct unc_box *box, struct unc_llc_answer *ret_answer);
/*
 * Reads one value.  account: where it will go, for which a slow reading is done again; NULL: it is owned, and has no interval.  Always
 * fills *ret_reading; where an access failed that is UNC_LLC_ERROR, and returned with its sentence.
 */
int unc_llc_read_value(struct unc_llc *llc, struct unc_llc_domain *domain, uint64_t evtsel,
		       const struct unc_llc_account *account, struct unc_llc_reading *ret_reading);

/* rdt/rows.c */
int unc_llc_lines_make(struct unc_llc *llc);
void unc_llc_lines_free(struct unc_llc *llc);
/* Of its group, or "rmid17". */
const char *unc_llc_line_name(const struct unc_llc *llc, const struct unc_llc_line *line);
const char *unc_llc_event_name(unsigned event); /* "total bandwidth" */

/* rdt/watch.c */
/* Looks at all CPUs of the L3s that have groups, except those of nohz_full. */
void unc_llc_look(struct unc_llc *llc);
/* The longest time from one look to the next. */
#define UNC_LLC_LOOK_NS UINT64_C(1000000000)

/* rdt/line.c */
struct unc_llc_round { /* how reading went, of many values */
	size_t tried, failed;
	int rc; /* of the last that failed */
	struct unc_saved_msg msg;
};
/* Reads every value of a row that is no sum; its times are of UNC_CLOCK_RAW. */
void unc_llc_read_line(struct unc_llc *llc, struct unc_llc_line *line, struct unc_llc_round *round,
		       struct unc_llc_row *ret_row);
/* AMD: hardware said Unavailable of what evtsel selects, which no account was told. */
void unc_llc_forgotten(struct unc_llc *llc, const struct unc_llc_domain *domain, uint64_t evtsel);
/* Reads the counters of a bandwidth event into their accounts.  *ret_ns: when, unless none was read. */
enum unc_llc_status unc_llc_read_accounts(struct unc_llc *llc, struct unc_llc_line *line, unsigned event,
					  struct unc_llc_round *round, uint64_t *ret_ns);
/* The first reading of a bandwidth event.  Fails only where an access did. */
int unc_llc_begin_event(struct unc_llc *llc, struct unc_llc_line *line, unsigned event);

/* rdt/sums.c */
/* The row of a sum; rows: those in front of it are its parts. */
void unc_llc_add_up(const struct unc_llc_line *line, struct unc_llc_row *rows, size_t index);
void unc_llc_flag_over(struct unc_llc *llc, struct unc_llc_row *rows);

/* rdt/sample.c */
/*
 * One event of one row that is no sum, at this moment and apart from unc_llc_read(), which must not be called besides, as both
 * would have what moved.  Writes IA32_QM_EVTSEL, which somebody else may just have written to read what he wants to know (the kernel
 * for a file of resctrl, and every second for all its groups): as ours is read back, so should his be, but the kernel's is not.
 */
struct unc_llc_now {
	enum unc_llc_status status;
	/*
	 * With UNC_LLC_OK: owned; of bandwidth what the counter showed when monitoring started, and what moved since, as if it never
	 * wrapped.  It begins anew with UNC_LLC_STALE.
	 */
	uint64_t bytes;
	bool corrected;               /* as unc_llc_value */
	uint64_t before_ns, after_ns; /* raw time */
};
/* Always fills *ret_now; where an access failed that is UNC_LLC_ERROR, and returned with its sentence. */
int unc_llc_read_now(struct unc_llc *llc, size_t row, enum unc_llc_event event, struct unc_llc_now *ret_now);
/* First readings.  As unc_llc_start(). */
int unc_llc_baseline(struct unc_llc *llc);

#endif
