// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of -e, as they were typed. */
#define _GNU_SOURCE
#include "cli/event_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void event_list_clear(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->items[i].text);
		free(list->items[i].shown);
	}
	free(list->items);
	*list = (struct event_list){0};
}

/*
 * The length of the event at text.  In "imc/event=4,umask=3/" the comma belongs to the event; in "imc/cas_count.rd,imc/..." the
 * slash is not closed, and the comma separates events.
 */
static size_t event_length(const char *text)
{
	size_t name = strcspn(text, ",{}/");
	const char *closing = text[name] == '/' ? strchr(text + name + 1, '/') : NULL;

	/* A slash that closes a unit's event is at the end of the event, or before its options; strchr() also finds the end. */
	if (closing && strchr(",}:", closing[1]))
		name = (size_t)(closing - text) + 1;
	return name + strcspn(text + name, ",{}");
}

static bool complain(char complaint[EVENT_LIST_COMPLAINT], const char *what, const char *where)
{
	if (where)
		snprintf(complaint, EVENT_LIST_COMPLAINT, "%s: %.60s", what, where);
	else
		snprintf(complaint, EVENT_LIST_COMPLAINT, "%s", what);
	return false;
}

/* Takes one event, and moves *text to its end. */
static bool take_event(struct event_list *list, const char **text, unsigned set, char *complaint)
{
	size_t len = event_length(*text), unit = strcspn(*text, "/");
	const char *from = *text;
	struct event_item item = {.set = set};

	if (len == 0 && *from == '{')
		return complain(complaint, set ? "a set in braces within another" : "a set in braces within a name",
				from);
	if (len == 0)
		return complain(complaint, "an empty name: there is an event before and after each comma", NULL);
	/* name=value must be between two slashes. */
	if (unit < len && from[len - 1] != '/' && memchr(from + unit, '=', len - unit) &&
	    !memchr(from + unit + 1, '/', len - unit - 1))
		return complain(complaint, "a slash that is not closed", from);
	*text += len;
	item.text = strndup(from, len);
	if (item.text && unc_array_add(&list->items, &list->n, &item, sizeof(item)))
		return true;
	free(item.text);
	return complain(complaint, "out of memory", NULL);
}

static bool take_set(struct event_list *list, const char **text, char *complaint)
{
	const char *brace = *text;
	unsigned set = ++list->n_sets;

	do {
		++*text; /* skips the brace or comma */
		if (!take_event(list, text, set, complaint))
			return false;
	} while (**text == ',');
	if (**text == '{')
		return complain(complaint, "a set in braces within another", *text);
	if (**text != '}')
		return complain(complaint, "a brace that is not closed", brace);
	++*text;
	return true;
}

bool event_list_add(struct event_list *list, const char *text, char complaint[EVENT_LIST_COMPLAINT])
{
	for (;; text++) {
		if (!(*text == '{' ? take_set(list, &text, complaint) : take_event(list, &text, 0, complaint)))
			return false;
		if (*text == '}')
			return complain(complaint, "a closing brace without an opening one", text);
		if (*text == '{')
			return complain(complaint, "a set in braces within a name", text);
		if (!*text)
			return true;
		if (*text != ',')
			return complain(complaint, "no comma after a closing brace", text);
	}
}
