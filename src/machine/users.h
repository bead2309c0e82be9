/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other users of the counters and caches that we are about to use, with evidence: a file that shows it.  Nothing here
 * touches a register.  Processes are searched only for perf events, since nothing else shows these.
 */
#ifndef UNC_MACHINE_USERS_H
#define UNC_MACHINE_USERS_H

#include "machine/tasks.h"

enum unc_finding_kind {
	UNC_FOUND_RESCTRL,
	UNC_FOUND_PQOS,
	UNC_FOUND_PCM,
	UNC_FOUND_DRIVER, /* a kernel driver, of the function or of uncore counters in general */
	UNC_FOUND_PERF,   /* processes that have perf events open */
	UNC_FOUND_LIKWID,
};

struct unc_finding {
	enum unc_finding_kind kind;
	/*
	 * It is in use now.  False: it was, and may still be, which the file does not show; the sentence says
	 * "possible".
	 */
	bool certain;
	char evidence[160]; /* the file, and what it holds */
	char sentence[400]; /* which program it is, and the consequence for us */
	char way_out[220];  /* what the user can do: "stop it" */
};

enum unc_users_of {
	/*
	 * Programs that may count in a box: a driver bound to its function, perf if the kernel has a driver for such
	 * counters, LIKWID, PCM.  None of them shows whether it counts in this very box.
	 */
	UNC_USERS_OF_BOX = 1,
	/*
	 * Users of cache monitoring: a mounted resctrl, and marks that pqos and PCM leave while they run.  Programs
	 * without a mark are not found: PCM since 202203 with MSRs, and pqos before v26.03 beyond the file that it
	 * leaves.  Their RMIDs show in IA32_PQR_ASSOC.
	 */
	UNC_USERS_OF_CACHES = 2,
	UNC_USERS_OF_MACHINE = UNC_USERS_OF_BOX | UNC_USERS_OF_CACHES, /* both kinds, for the whole machine */
};
/*
 * Finds other users; box: of UNC_USERS_OF_BOX, else NULL.  Reads only files of the operating system.  Free *ret_findings
 * with free(); none found: NULL and 0.  UNC_ENOMEM.
 */
int unc_users_find(struct unc_machine *m, enum unc_users_of of, const struct unc_box *box,
		   struct unc_finding **ret_findings, size_t *ret_n);

/*
 * For another program that counts in a box: appends the programs that were found, with evidence, to the message of rc
 * in the context, as many as fit.  Returns rc, or UNC_ENOMEM.
 */
int unc_users_text(const struct unc_box *box, int rc);

/*
 * Writes the evidence of which program stopped the counters of a box: freeze bits that read 1, registers that a killed
 * uncorectl left changed, another uncorectl that writes there, and programs that may count there.  "": there is none.
 * Reads registers and writes none.  UNC_ENOMEM.
 */
int unc_users_of_freeze(struct unc_box *box, char *buf, size_t size);
/* Returns true if the register that freezes the box's socket reads as frozen.  On most parts it always reads 0. */
bool unc_users_is_frozen(struct unc_box *box);
/* Returns the box of the register that freezes the socket; NULL: this part has none, or no map names it. */
struct unc_box *unc_users_global(const struct unc_box *box);
/* Returns what GLOBAL_CTL of that box is set to so that the socket counts again: "unfrz_all=1". */
const char *unc_users_release(const struct unc_box *global);

/* Finds where the kernel's resctrl is mounted.  UNC_ENOMEM. */
struct unc_resctrl_mount {
	bool mounted;
	const char *list;    /* the list that has it: "/proc/mounts" */
	const char *unmount; /* the command that unmounts it, to be followed by its directory there */
	size_t root_len;     /* length of the part of dir before that directory */
	char dir[512];       /* its directory, as seen from here */
};
int unc_users_resctrl_mount(struct unc_machine *m, struct unc_resctrl_mount *ret_mount);
/*
 * Returns true if the kernel itself makes that name in the root or in a control group.  Every other directory there is
 * a control group.
 */
bool unc_users_is_of_resctrl(const char *name);

/*
 * Processes that have perf events open: a descriptor that leads to "anon_inode:[perf_event]", which does not show the
 * unit.
 */
struct unc_perf_users {
	unsigned n_links;   /* descriptors that were read */
	unsigned n_looked;  /* processes whose descriptors were read */
	unsigned n_hidden;  /* processes whose descriptors could not be read, since they belong to another user */
	unsigned n_skipped; /* processes that were skipped, since there are too many */
	unsigned n_holders;
	uint64_t pid;      /* the first of these processes */
	char comm[64];     /* its name */
	char evidence[80]; /* its descriptor: "/proc/812/fd/4" */
};
/* On a machine that does not show its processes none is read.  UNC_ENOMEM. */
int unc_users_perf_users(struct unc_machine *m, struct unc_perf_users *ret_users);

#endif
