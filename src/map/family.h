/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of events that stand for several: "rd_cas_rank[0-7].bank[0-15]" is 128 of them, the last of the ranges running
 * fastest.
 */
#ifndef UNC_MAP_FAMILY_H
#define UNC_MAP_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

enum { UNC_FAMILY_RANGES = 2, UNC_FAMILY_LENGTH = 64, UNC_FAMILY_NAME = 64, UNC_EVENTS_MAX = 8192 };

struct unc_family {
	const char *name;                /* not owned */
	unsigned n_ranges;               /* 0: one event */
	size_t at[UNC_FAMILY_RANGES];    /* where in the name "[" stands, */
	size_t after[UNC_FAMILY_RANGES]; /* and what follows the "]" */
	unsigned first[UNC_FAMILY_RANGES], len[UNC_FAMILY_RANGES];
};

/* false: that is no name, or a member's would be too long. */
bool unc_family_parse(const char *name, struct unc_family *ret_family);
/* How many there are. */
size_t unc_family_count(const struct unc_family *family);
/* Which number of each range member i has, counted from 0. */
void unc_family_indices(const struct unc_family *family, size_t i, unsigned indices[UNC_FAMILY_RANGES]);
/* "rd_cas_rank3.bank12".  Returns its length. */
size_t unc_family_member(const struct unc_family *family, size_t i, char name[UNC_FAMILY_NAME]);

#endif
