/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the resctrl side share.  Linux Documentation/filesystems/resctrl.rst: a control group is a directory of the
 * root, a monitoring group one in "mon_groups" of a control group or of the root; each has an RMID of its own, and the numbers of
 * a control group are the sums of its own and those of its monitoring groups (fs/resctrl/monitor.c, mon_event_count()).
 */
#ifndef UNC_XCHECK_RESCTRL_H
#define UNC_XCHECK_RESCTRL_H

#include "machine/users.h"
#include "rdt/llc.h"
#include "xcheck/judge.h"

enum {
	UNC_XR_SOURCE = 640, /* two names of 255 letters, and the fixed text between and after them */
	UNC_XR_CONFIG = 160,
};

enum unc_xr_how { UNC_XR_UNKNOWN, UNC_XR_TOLD, UNC_XR_SEEN };
struct unc_xr_member {       /* a directory that has an RMID */
	char *path;          /* path below the mount, "": the root; owned */
	enum unc_xr_how how; /* how rmid is known: from mon_hw_id, or from CPUs that carry it */
	unsigned rmid;
	char seen[40]; /* the CPUs that were seen to carry it */
};

struct unc_xr_members {
	struct unc_xr_member *list; /* owned */
	size_t n;
};

struct unc_xr_group { /* a group to compare: the first member, and the monitoring groups in it */
	struct unc_xr_members members;
	char counter[96];             /* "RMID 7", "RMIDs 0, 7" */
	char config[UNC_XR_CONFIG];   /* "rmid=7 (mon_hw_id)" */
	char unknown[UNC_XCHECK_WHY]; /* why its RMIDs are not known now; "": they are */
};

struct unc_xr_end { /* one end of an interval */
	struct unc_xcheck_bracket bracket;
	bool has_kernel, has_raw;
	const char *anew; /* why what moved before is not known, so that counting starts here; NULL: it is known */
	bool corrected;   /* our number is multiplied by the factor of the erratum */
	char counter[96]; /* counter of the group at that time */
	char why[UNC_XCHECK_WHY]; /* what is missing, and why; "": nothing */
};

struct unc_xr_row {
	size_t group;
	unsigned event; /* enum unc_llc_event */
	unsigned l3;    /* the kernel's number of the L3 */
	char subject[UNC_L3_NAME];
	char source[UNC_XR_SOURCE];
	const char *nothing; /* a sentence why we cannot read this row; NULL: we can */
	size_t *lines;       /* rows of the llc, one for each member of the group; owned; NULL: none */
	int cpu;
	const char *begun_anew; /* text that the next end gets in anew */
	bool tried;             /* a bracket was tried */
	uint64_t fastest_ns;    /* duration of the shortest bracket; 0: there was none */
	struct unc_xr_end from, to;
	struct unc_judgement judged;
	uint64_t time_ns;
};

struct unc_xresctrl {
	struct unc_xcheck *xcheck; /* not owned */
	struct unc_machine *machine;
	const struct unc_rdt *rdt; /* owned by the machine */
	struct unc_resctrl_mount mount;
	unsigned events;             /* events that the kernel monitors, 1 << enum unc_llc_event */
	struct unc_xr_group *groups; /* owned */
	size_t n_groups;
	struct unc_llc *llc;     /* owned; NULL until it has started */
	struct unc_xr_row *rows; /* owned */
	size_t n_rows;
};

/* ---- resctrl_group.c: paths are below the mount ---- */

/* As the host's file() and names(), whose errors and messages they return.  The text is without the newline at its end. */
int unc_xr_file(struct unc_xresctrl *xr, const char *group, const char *name, char **ret_text);
int unc_xr_names(struct unc_xresctrl *xr, const char *group, const char *name, const char *const **ret_names,
		 size_t *ret_n);
/*
 * Reads a number on a line of its own.  UNC_ENODATA: the file has another text, which the message shows; else as unc_xr_file().
 */
int unc_xr_number(struct unc_xresctrl *xr, const char *group, const char *name, uint64_t *ret_number);
/* Returns the kernel's name for an event: "llc_occupancy". */
const char *unc_xr_event_name(unsigned event);

/* Writes the group's name for messages: the group "jobs", the root group. */
const char *unc_xr_group_name(const char *path, char *buf, size_t size);
/* Finds the mount, and what is monitored.  Fails as unc_xcheck_add_resctrl(). */
int unc_xr_find_mount(struct unc_xresctrl *xr);
/* Finds the path of an existing group from the user's text; free() it.  UNC_EARG: it is not a name of a group; UNC_ENODEV. */
int unc_xr_find_group(struct unc_xresctrl *xr, const char *text, char **ret_path);
/*
 * Adds a group and the monitoring groups in it to members, without their RMIDs.  UNC_ENOMEM, or as unc_xr_names(); members are to
 * be cleared in any case.
 */
int unc_xr_members(struct unc_xresctrl *xr, const char *path, struct unc_xr_members *members);
void unc_xr_members_clear(struct unc_xr_members *members);

/* ---- resctrl_follow.c ---- */

enum { UNC_XR_LOOKS = 40, UNC_XR_FEW_LOOKS = 8 };
/*
 * Finds the RMIDs of all members, with at most looks looks at CPUs if resctrl does not show them.  UNC_ENODATA: one cannot be
 * found; UNC_ENODEV: a group is gone; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_xr_find_rmids(struct unc_xresctrl *xr, struct unc_xr_members *members, unsigned looks);
/* Checks for evidence that the RMIDs have changed.  Fails as unc_xr_find_rmids(), but a lack of evidence is not UNC_ENODATA. */
int unc_xr_check_rmids(struct unc_xresctrl *xr, const struct unc_xr_members *members, bool *ret_changed);

#endif
