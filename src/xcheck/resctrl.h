/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the resctrl side share.  Linux Documentation/filesystems/resctrl.rst: a control group is a directory of the root,
 * a monitoring group one in "mon_groups" of a control group or of the root; each has an RMID of its own, and the numbers of a control
 * group are the sums of its own and those of its monitoring groups (fs/resctrl/monitor.c, mon_event_count()).
 */
#ifndef UNC_XCHECK_RESCTRL_H
#define UNC_XCHECK_RESCTRL_H

#include "machine/house.h"
#include "machine/proc_text.h"
#include "rdt/llc.h"
#include "xcheck/judge.h"
#include "xcheck/xcheck.h"

enum {
	UNC_XR_FILE_MAX = 1 << 20,
	UNC_XR_SOURCE = 640, /* two names of 255 letters, and what is between and behind */
	UNC_XR_CONFIG = 160,
	UNC_XR_CPUS = 32, /* that are looked at for one group */
};

enum unc_xr_how { UNC_XR_UNKNOWN, UNC_XR_TOLD, UNC_XR_SEEN };
struct unc_xr_member {       /* a directory that has an RMID */
	char *path;          /* below the mount, "": the root; owned */
	enum unc_xr_how how; /* mon_hw_id told it, or CPUs were seen to carry it */
	unsigned rmid;
	char seen[40]; /* which CPUs */
};

struct unc_xr_group {                  /* that is compared: members[0], and the monitoring groups in it */
	struct unc_xr_member *members; /* owned */
	size_t n_members;
	char counter[96];             /* "RMID 7", "RMIDs 0, 7" */
	char config[UNC_XR_CONFIG];   /* "rmid=7 (mon_hw_id)" */
	char unknown[UNC_XCHECK_WHY]; /* why its RMIDs are not known by now; "": they are */
};

struct unc_xr_end { /* of an interval */
	struct unc_xcheck_bracket bracket;
	bool has_kernel, has_raw;
	const char *anew;         /* why nothing is known of what moved before, but from here on; NULL: it is known */
	bool corrected;           /* multiplied by the factor of the erratum */
	char counter[96];         /* of the group, then */
	char why[UNC_XCHECK_WHY]; /* "": nothing is missing */
};

struct unc_xr_row {
	size_t group;
	unsigned event; /* enum unc_llc_event */
	unsigned l3;    /* as the kernel numbers it */
	char subject[24];
	char source[UNC_XR_SOURCE];
	const char *nothing; /* why there can be no reading of ours, as a sentence; NULL: there can */
	size_t *lines;       /* rows of the llc, one for each member of the group; owned; NULL: there are none */
	int cpu;
	const char *begun_anew; /* what the next end gets as anew */
	bool tried;             /* to read it */
	uint64_t fastest_ns;    /* bracket; 0: there was none */
	struct unc_xr_end from, to;
	struct unc_judgement judged;
	uint64_t time_ns;
};

struct unc_xresctrl {
	struct unc_xcheck *xcheck; /* not owned */
	struct unc_machine *machine;
	const struct unc_rdt *rdt; /* the machine's */
	struct unc_resctrl_mount mount;
	unsigned events;             /* 1 << enum unc_llc_event, that the kernel monitors */
	struct unc_xr_group *groups; /* owned */
	size_t n_groups;
	struct unc_llc *llc;     /* owned; NULL until it has started */
	struct unc_xr_row *rows; /* owned */
	size_t n_rows;
};

/* ---- resctrl_files.c: paths are below the mount ---- */

/* "mon_groups/one/tasks": a file or directory of a group, "" being that of the root.  free() it; NULL, with a sentence: out of memory. */
char *unc_xr_path(struct unc_xresctrl *xr, const char *group, const char *name);
/* As the host's file() and names(), which fail with its sentence. */
int unc_xr_file(struct unc_xresctrl *xr, const char *group, const char *name, char **ret_text);
int unc_xr_names(struct unc_xresctrl *xr, const char *group, const char *name, const char *const **ret_names,
		 size_t *ret_n);
/* A number on a line of its own.  UNC_ENODATA: something else stands there, which the sentence has; else as unc_xr_file(). */
int unc_xr_number(struct unc_xresctrl *xr, const char *group, const char *name, uint64_t *ret_number);
/* A list of CPUs, which may be empty; likewise. */
int unc_xr_cpus(struct unc_xresctrl *xr, const char *group, struct unc_cpuset *ret_set);
/* The name of an event in the kernel's words: "llc_occupancy". */
const char *unc_xr_event_name(unsigned event);

/* ---- resctrl_group.c ---- */

/* How people call it: the group "jobs", the root group. */
const char *unc_xr_group_name(const char *path, char *buf, size_t size);
/* Finds the mount, and what is monitored.  As unc_xcheck_add_resctrl(). */
int unc_xr_find_mount(struct unc_xresctrl *xr);
/* From what a person wrote to the path of a group that there is; free() it.  UNC_EARG: it is no name of a group; UNC_ENODEV. */
int unc_xr_find_group(struct unc_xresctrl *xr, const char *text, char **ret_path);
/* Itself and the monitoring groups in it, with nothing known of their RMIDs.  UNC_ENODEV: it is gone; UNC_ENOMEM. */
int unc_xr_members(struct unc_xresctrl *xr, const char *path, struct unc_xr_member **ret_members, size_t *ret_n);
void unc_xr_members_free(struct unc_xr_member *members, size_t n);
/* Every directory that has an RMID; the root is the first.  unc_xr_members_free() it. */
int unc_xr_all(struct unc_xresctrl *xr, struct unc_xr_member **ret_members, size_t *ret_n);

/* ---- resctrl_rmid.c ---- */

enum { UNC_XR_LOOKS = 40, UNC_XR_FEW_LOOKS = 8 };
/*
 * Finds the RMIDs of all members, looking so often at most at CPUs where resctrl does not tell.  UNC_ENODATA: one cannot be told; UNC_ENODEV:
 * a group is gone; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_xr_find_rmids(struct unc_xresctrl *xr, struct unc_xr_member *members, size_t n, unsigned looks);
/* Is anything to be seen that says that they have others by now?  Fails likewise, but with no UNC_ENODATA for want of evidence. */
int unc_xr_check_rmids(struct unc_xresctrl *xr, const struct unc_xr_member *members, size_t n, bool *ret_changed);

/* ---- resctrl_look.c: who carries what ---- */

/*
 * A look at IA32_PQR_ASSOC of CPUs, between two looks at who runs there.  A CPU carries the RMID of the task that runs there, or where
 * that is in the root group, the one of the group that has the CPU (Linux arch/x86/include/asm/resctrl.h, __resctrl_sched_in()).
 */
struct unc_xr_look;
int unc_xr_look_new(struct unc_xresctrl *xr, struct unc_xr_look **ret_look); /* UNC_ENOMEM */
void unc_xr_look_free(struct unc_xr_look *look);                             /* NULL is fine */
/* At CPUs that may carry the RMIDs of those members that resctrl does not tell.  UNC_ENODEV: resctrl is gone; UNC_EPERM, UNC_EIO, UNC_ENOMEM. */
int unc_xr_look(struct unc_xr_look *look, const struct unc_xr_member *members, size_t n);
/* Calls add() for each CPU that carried the RMID of that group, as far as anybody can tell. */
void unc_xr_seen(const struct unc_xr_look *look, const char *path, void (*add)(void *arg, unsigned cpu, unsigned rmid),
		 void *arg);

/* ---- resctrl_follow.c ---- */

/* Fills counter and config of a group whose RMIDs are known. */
void unc_xr_describe(struct unc_xr_group *group);
/*
 * Looks whether groups have the RMIDs that they had, and reads those that they have.  Fails as unc_llc_start(); what is wrong with a group is
 * in group->unknown.
 */
int unc_xr_follow(struct unc_xresctrl *xr);
/* Fails, unless *ret_rc has a failure already, as unc_llc_close(). */
void unc_xr_llc_close(struct unc_xresctrl *xr, int *ret_rc);

/* ---- resctrl_bracket.c ---- */

struct unc_xr_round { /* how our reading went, of many values */
	size_t tried, failed;
	int rc; /* of the last that failed */
	struct unc_saved_msg msg;
};
/* Reads a row at this moment into row->to: ours, the kernel's, ours.  UNC_ENOMEM; what else is missing, row->to says. */
int unc_xr_bracket(struct unc_xresctrl *xr, struct unc_xr_row *row, struct unc_xr_round *round);
/* Judges what was between row->from and row->to. */
void unc_xr_judge(const struct unc_xresctrl *xr, struct unc_xr_row *row);

/* ---- resctrl_rows.c ---- */

/* A row for each event of the group on each L3 that the kernel has numbers of.  UNC_ENODATA: it has none. */
int unc_xr_rows_make(struct unc_xresctrl *xr, size_t group);
/* Which rows of the llc they have, after that has started. */
int unc_xr_rows_point(struct unc_xresctrl *xr);
void unc_xr_rows_free(struct unc_xresctrl *xr);

#endif
