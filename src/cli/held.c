// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/held.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *at(const struct held *held, size_t read)
{
	return held->reads + read * held->size;
}

/* Reuses the room of reads that were taken before it allocates more. */
static bool make_room(struct held *held)
{
	size_t n = held->end - held->first, room = n + n / 2 + 1;
	void *more;

	if (held->end < held->room)
		return true;
	if (held->first > 0)
		memmove(held->reads, at(held, held->first), n * held->size);
	held->good -= held->first;
	held->first = 0;
	held->end = n;
	if (room <= held->room)
		return true;
	more = realloc(held->reads, room * held->size);
	if (!more)
		return false;
	held->reads = more;
	held->room = room;
	return true;
}

void *held_room(struct held *held)
{
	return make_room(held) ? at(held, held->end) : NULL;
}

void held_add(struct held *held)
{
	held->end++;
}

void *held_waiting(const struct held *held, size_t *ret_n)
{
	*ret_n = held->end - held->good;
	return *ret_n ? at(held, held->good) : NULL;
}

void held_confirmed(struct held *held)
{
	held->good = held->end;
}

void *held_next(struct held *held)
{
	void *next;

	if (held->first == held->good)
		return NULL;
	next = at(held, held->first++);
	if (held->first == held->end)
		held->first = held->good = held->end = 0;
	return next;
}

void held_clear(struct held *held)
{
	free(held->reads);
	*held = (struct held){0};
}
