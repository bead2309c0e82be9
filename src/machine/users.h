/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else is in the list of other users: other programs that use what we are about to use, with the evidence, which is a file that says so.
 * Nothing here touches a register.  Processes are searched for perf events alone, since nothing else tells of these.
 */
#ifndef UNC_MACHINE_USERS_H
#define UNC_MACHINE_USERS_H

#include "machine/machine.h"
#include "machine/tasks.h"

enum unc_finding_kind {
	UNC_FOUND_RESCTRL,
	UNC_FOUND_PQOS,
	UNC_FOUND_PCM,
	UNC_FOUND_DRIVER, /* the kernel's, of the function or of uncore counters at all */
	UNC_FOUND_PERF,   /* processes that have perf events open */
	UNC_FOUND_LIKWID,
};

struct unc_finding {
	enum unc_finding_kind kind;
	/* It is in use now.  False: it was, and may still be, which the file does not tell; the sentence says "possible". */
	bool certain;
	char evidence[160]; /* the file, and what stands in it */
	char sentence[400]; /* who, and what that means for us */
	char way_out[220];  /* what a person can do about it: "stop it" */
};

/*
 * Looks for those that use cache monitoring: a mounted resctrl, marks that pqos and PCM leave while they run.  Reads files of
 * the operating system only.  *ret_findings is the caller's to free(); none found: NULL and 0.  UNC_ENOMEM.
 *
 * What leaves no mark is not found here: PCM since 202203 with MSRs, and pqos before v26.03 beyond the file that it leaves
 * behind.  Their RMIDs show in IA32_PQR_ASSOC.
 */
int unc_users_of_caches(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n);
/*
 * Likewise those that may count in a box: a driver that is bound to its function, perf where the kernel has a driver for such
 * counters, LIKWID, PCM.  None of them can be told to count in this very box.
 */
int unc_users_of_box(struct unc_machine *m, const struct unc_box *box, struct unc_finding **ret_findings,
		     size_t *ret_n);
/* All of both, of the whole machine. */
int unc_users_of_machine(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n);

/*
 * Another program counts in a box: appends to the sentence of rc, in the context, which programs were found, with evidence, as
 * many as there is room for.  Returns rc, or UNC_ENOMEM.
 */
int unc_users_text(const struct unc_box *box, int rc);

/*
 * What shows which program stopped the counters of a box: freeze bits that read 1, registers that a killed uncorectl left changed,
 * another uncorectl that writes there, and programs that may count there.  "": there is none.  It reads registers and writes none.
 * UNC_ENOMEM.
 */
int unc_users_of_freeze(struct unc_box *box, char *buf, size_t size);
/* Does the register that freezes all of the box's socket read as frozen?  On most parts it reads 0 whatever it does. */
bool unc_users_is_frozen(struct unc_box *box);
/* The box of the register that freezes the socket; NULL: this part has none, or no map names it. */
struct unc_box *unc_users_global(const struct unc_box *box);

/* Where the kernel's resctrl is mounted.  UNC_ENOMEM. */
struct unc_resctrl_mount {
	bool mounted;
	const char *list;    /* in which it stands: "/proc/mounts" */
	const char *unmount; /* the command that takes it away, in front of its directory there */
	size_t root_len;     /* of dir, what is in front of that directory */
	char dir[512];       /* from where we look */
};
int unc_users_resctrl_mount(struct unc_machine *m, struct unc_resctrl_mount *ret_mount);
/*
 * Is that name in the root of it, or in a control group, one of the kernel's own?  Every other directory there is a control group.
 */
bool unc_users_is_of_resctrl(const char *name);

/* Who has perf events open: a descriptor that leads to "anon_inode:[perf_event]", which does not tell of which unit. */
struct unc_perf_users {
	unsigned n_looked;  /* processes whose descriptors were seen */
	unsigned n_hidden;  /* whose were not, since they are another user's */
	unsigned n_skipped; /* that were not looked at, since there are too many */
	unsigned n_holders;
	uint64_t pid;      /* of the first of these */
	char comm[64];     /* likewise */
	char evidence[80]; /* likewise: "/proc/812/fd/4" */
};
/* A machine that does not show its processes has none that were looked at.  UNC_ENOMEM. */
int unc_users_perf_users(struct unc_machine *m, struct unc_perf_users *ret_users);

/* What those who look for others have in common.  Inside machine/ only. */

struct unc_users {
	struct unc_machine *m;        /* not owned */
	const struct unc_box *box;    /* those that may count in it are looked for; NULL: in any, or use caches */
	struct unc_finding *findings; /* owned */
	size_t n;
};

/* A finder adds what it finds.  What it cannot read it has not found; UNC_ENOMEM alone ends the search. */
typedef int unc_users_finder(struct unc_users *users);
unc_users_finder unc_users_find_resctrl; /* users.c */
unc_users_finder unc_users_find_pqos;    /* users_tools.c */
unc_users_finder unc_users_find_pcm;     /* users_tools.c */
unc_users_finder unc_users_find_driver;  /* users.c */
unc_users_finder unc_users_find_perf;    /* users_tools.c */
unc_users_finder unc_users_find_likwid;  /* users_tools.c */

/* One more, to be filled in; NULL, with a sentence: out of memory. */
struct unc_finding *unc_users_add(struct unc_users *users, enum unc_finding_kind kind, bool certain);
/* A file of the machine, the caller's to free(); *ret_text is NULL where there is none that can be read.  UNC_ENOMEM. */
int unc_users_file(struct unc_users *users, const char *path, size_t max, char **ret_text, size_t *ret_len);
/* Likewise the names in a directory. */
int unc_users_names(struct unc_users *users, const char *path, const char *const **ret_names, size_t *ret_n);
/* Likewise where a symbolic link leads. */
int unc_users_link(struct unc_users *users, const char *path, char **ret_text);
/* The kernel's uncore PMUs of memory controllers: how many, and the first. */
struct unc_uncore_pmus {
	unsigned n;
	char first[40];
};
int unc_users_uncore_pmus(struct unc_users *users, struct unc_uncore_pmus *ret_pmus);
/* What /proc tells of a process; *ret_there is false where it has ended.  UNC_ENOMEM. */
int unc_users_process(struct unc_users *users, uint64_t pid, bool *ret_there, struct unc_proc_stat *ret_stat);

#endif
