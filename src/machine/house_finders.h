/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those who look for others have in common.  Inside machine/ only. */
#ifndef UNC_MACHINE_HOUSE_FINDERS_H
#define UNC_MACHINE_HOUSE_FINDERS_H

#include "machine/house.h"
#include "machine/proc_text.h"

struct unc_house {
	struct unc_machine *m;        /* not owned */
	const struct unc_box *box;    /* those that may count in it are looked for; NULL: in any, or use caches */
	struct unc_finding *findings; /* owned */
	size_t n;
};

/*
 * A finder adds what it finds.  What it cannot read it has not found; UNC_ENOMEM alone ends the search.
 */
typedef int unc_house_finder(struct unc_house *house);
unc_house_finder unc_house_find_resctrl; /* house_resctrl.c */
unc_house_finder unc_house_find_pqos;    /* house_pqos.c */
unc_house_finder unc_house_find_pcm;     /* house_pcm.c */
unc_house_finder unc_house_find_driver;  /* house_driver.c */
unc_house_finder unc_house_find_perf;    /* house_perf.c */
unc_house_finder unc_house_find_likwid;  /* house_likwid.c */

/* One more, to be filled in; NULL, with a sentence: out of memory. */
struct unc_finding *unc_house_add(struct unc_house *house, enum unc_finding_kind kind, bool certain);
/* A file of the machine, the caller's to free(); *ret_text is NULL where there is none that can be read.  UNC_ENOMEM. */
int unc_house_file(struct unc_house *house, const char *path, size_t max, char **ret_text, size_t *ret_len);
/* Likewise the names in a directory. */
int unc_house_names(struct unc_house *house, const char *path, const char *const **ret_names, size_t *ret_n);
/* Likewise where a symbolic link leads. */
int unc_house_link(struct unc_house *house, const char *path, char **ret_text);
/* The kernel's uncore PMUs of memory controllers: how many, and the first. */
struct unc_uncore_pmus {
	unsigned n;
	char first[40];
};
int unc_house_uncore_pmus(struct unc_house *house, struct unc_uncore_pmus *ret_pmus);
/* What /proc tells of a process; *ret_there is false where it has ended.  UNC_ENOMEM. */
int unc_house_process(struct unc_house *house, uint64_t pid, bool *ret_there, struct unc_proc_stat *ret_stat);

#endif
