/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The argument of `stat -e`: events joined by commas, some of them in braces. */
#ifndef UNC_CLI_EVENT_LIST_H
#define UNC_CLI_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct event_item {
	char *text;   /* as it was written: "imc/event=0x4,umask=0x3/"; owned */
	char *shown;  /* the name that is shown; NULL: as the session writes it; owned */
	unsigned set; /* events with the same number, above 0, were in the same braces; 0: not in braces */
};

struct event_list {
	struct event_item *items; /* owned */
	size_t n;
	unsigned n_sets;
};

enum { EVENT_LIST_COMPLAINT = 160 };

/*
 * Adds "a,{b,c},imc/x=1,y=2/" to a list, which is all zero at first.  A comma between the slashes of a unit, or in braces, does not
 * separate elements.  False: complaint describes the error, and the list has the events before it.
 */
bool event_list_add(struct event_list *list, const char *text, char complaint[EVENT_LIST_COMPLAINT]);
void event_list_clear(struct event_list *list);

#endif
