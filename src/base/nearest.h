/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mistyped name may have meant: the same for commands, options, events, metrics, registers, boxes and all other names. */
#ifndef UNC_BASE_NEAREST_H
#define UNC_BASE_NEAREST_H

#include <stddef.h>

/* Returns the least number of letters to insert, drop or replace to make b from a, ignoring case; at most 99. */
unsigned unc_text_distance(const char *a, const char *b);

enum { UNC_NEAREST_SHOWN = 4, UNC_NEAREST_NAME = 65, UNC_NEAREST_TEXT = 300 };

/* All zero, except asked: no name was offered yet. */
struct unc_nearest {
	const char *asked; /* what was typed; not owned */
	unsigned n;
	struct {
		char name[UNC_NEAREST_NAME];
		unsigned distance;
	} near[UNC_NEAREST_SHOWN]; /* the nearest first; equally near ones in the order in which they were offered */
};

/* Offers a name: it is kept if it is near what was typed, and nearer than others. */
void unc_nearest_offer(struct unc_nearest *nearest, const char *name);
/* Writes "; the nearest is --format", or "; the nearest are cas_count.rd, cas_count.wr"; "": none is near.  Names
 * that are further by more than a letter than the nearest are left out.  Returns buf. */
const char *unc_nearest_text(const struct unc_nearest *nearest, char buf[UNC_NEAREST_TEXT]);
/* The same of a list "one, another". */
const char *unc_nearest_listed(const char *asked, const char *list, char buf[UNC_NEAREST_TEXT]);

#endif
