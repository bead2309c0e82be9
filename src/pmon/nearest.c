// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/nearest.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX = 64, DISTANCE_MAX = 99, SHOWN = 4 };

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned unc_text_distance(const char *a, const char *b)
{
	size_t len = strlen(b);
	unsigned row[NAME_MAX + 1];

	if (strlen(a) > NAME_MAX || len > NAME_MAX)
		return DISTANCE_MAX;
	for (size_t k = 0; k <= len; k++)
		row[k] = (unsigned)k;
	for (size_t i = 0; a[i]; i++) {
		unsigned diagonal = row[0]++;

		for (size_t k = 0; k < len; k++) {
			unsigned replaced = diagonal + (lower(a[i]) != lower(b[k]));

			diagonal = row[k + 1];
			row[k + 1] = least(replaced, 1 + least(row[k], row[k + 1]));
		}
	}
	return row[len];
}

/* Letters up to the dot that sets off the sub-event. */
static size_t stem(const char *name)
{
	return strcspn(name, ".");
}

static bool same_stem(const char *a, const char *b)
{
	return stem(a) == stem(b) && strncmp(a, b, stem(a)) == 0;
}

static bool is_near(const char *asked, const char *name, unsigned distance)
{
	return same_stem(asked, name) || distance <= 1 + strlen(asked) / 4;
}

const char *unc_nearest_events(const struct unc_unit *unit, const char *name, char *buf, size_t size)
{
	size_t used = 0;
	unsigned shown = 0;

	buf[0] = '\0';
	for (unsigned distance = 0; distance < DISTANCE_MAX && shown < SHOWN; distance++) {
		for (size_t i = 0; i < unit->n_events && shown < SHOWN; i++) {
			const char *event = unit->events[i].name;

			if (unc_text_distance(name, event) != distance || !is_near(name, event, distance) ||
			    used + strlen(event) + 3 > size)
				continue;
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", event);
			shown++;
		}
	}
	return buf;
}
