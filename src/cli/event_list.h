/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `stat -e` takes: events joined by commas, some of them in braces. */
#ifndef UNC_CLI_EVENT_LIST_H
#define UNC_CLI_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct event_item {
	char *text;   /* as it was written: "imc/event=0x4,umask=0x3/"; owned */
	char *shown;  /* what it is shown as; NULL: as the session writes it; owned */
	unsigned set; /* those with the same number, above 0, stood in the same braces; 0: in none */
};

struct event_list {
	struct event_item *items; /* owned */
	size_t n;
	unsigned n_sets;
};

enum { EVENT_LIST_COMPLAINT = 160 };

/*
 * Adds "a,{b,c},imc/x=1,y=2/" to a list that began as all zero.  A comma between the slashes of a unit, or in braces, is none
 * between elements.  False: complaint says what is wrong, and the list is as far as it went.
 */
bool event_list_add(struct event_list *list, const char *text, char complaint[EVENT_LIST_COMPLAINT]);
void event_list_clear(struct event_list *list);

#endif
