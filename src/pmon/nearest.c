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

/* Computes the next row of the Wagner-Fischer table, for one more letter of the first text.  Returns the row's least number. */
static unsigned next_row(unsigned row[NAME_MAX + 1], char letter, const char *b, size_t len)
{
	unsigned diagonal = row[0]++, low = row[0];

	for (size_t k = 0; k < len; k++) {
		unsigned replaced = diagonal + (lower(letter) != lower(b[k]));

		diagonal = row[k + 1];
		row[k + 1] = least(replaced, 1 + least(row[k], row[k + 1]));
		low = least(low, row[k + 1]);
	}
	return low;
}

/*
 *
 * Returns the distance of texts that differ by at most most; DISTANCE_MAX: they differ by more.  The least number of a row is
 * never below that of the row before.
 */
static unsigned distance_within(const char *a, const char *b, unsigned most)
{
	size_t a_len = strlen(a), len = strlen(b);
	unsigned row[NAME_MAX + 1];

	if (a_len > NAME_MAX || len > NAME_MAX || (a_len > len ? a_len - len : len - a_len) > most)
		return DISTANCE_MAX;
	for (size_t k = 0; k <= len; k++)
		row[k] = (unsigned)k;
	for (size_t i = 0; i < a_len; i++)
		if (next_row(row, a[i], b, len) > most)
			return DISTANCE_MAX;
	return row[len] > most ? DISTANCE_MAX : row[len];
}

unsigned unc_text_distance(const char *a, const char *b)
{
	return distance_within(a, b, DISTANCE_MAX - 1);
}

/* Returns the number of letters up to the dot before the sub-event. */
static size_t stem(const char *name)
{
	return strcspn(name, ".");
}

static bool same_stem(const char *a, const char *b)
{
	return stem(a) == stem(b) && strncmp(a, b, stem(a)) == 0;
}

/* Returns the most by which a name may differ to be near.  A name that differs only after its dot is always near. */
static unsigned reach(const char *asked, const char *name)
{
	return same_stem(asked, name) ? DISTANCE_MAX - 1 : 1 + (unsigned)strlen(asked) / 4;
}

struct near { /* the nearest names so far, the nearest first; equal ones in the order of the map */
	const char *names[SHOWN];
	unsigned distances[SHOWN];
	unsigned n;
};

static void consider(struct near *near, const char *asked, const char *name)
{
	unsigned most = reach(asked, name), distance, at;

	if (near->n == SHOWN) {
		if (near->distances[SHOWN - 1] == 0)
			return;
		most = least(most, near->distances[SHOWN - 1] - 1);
	}
	distance = distance_within(asked, name, most);
	if (distance == DISTANCE_MAX)
		return;
	near->n += near->n < SHOWN;
	for (at = near->n - 1; at > 0 && near->distances[at - 1] > distance; at--) {
		near->names[at] = near->names[at - 1];
		near->distances[at] = near->distances[at - 1];
	}
	near->names[at] = name;
	near->distances[at] = distance;
}

const char *unc_nearest_events(const struct unc_unit *unit, const char *name, char *buf, size_t size)
{
	struct near near = {.n = 0};
	size_t used = 0;

	for (size_t i = 0; i < unit->n_events && strlen(name) <= NAME_MAX; i++)
		consider(&near, name, unit->events[i].name);
	buf[0] = '\0';
	for (unsigned i = 0; i < near.n; i++)
		if (used + strlen(near.names[i]) + 3 <= size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", near.names[i]);
	return buf;
}
