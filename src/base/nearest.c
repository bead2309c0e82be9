// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { NAME_MAX = UNC_NEAREST_NAME - 1, DISTANCE_MAX = 99, PART_MIN = 3 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Returns the distance of a from the first len letters of b, if it is at most most; DISTANCE_MAX: they differ by more.  The least
 * number of a row is never below that of the row before.
 */
static unsigned distance_within(const char *a, const char *b, size_t len, unsigned most)
{
	size_t a_len = strlen(a);
	unsigned row[NAME_MAX + 1];

	if (a_len > NAME_MAX || len > NAME_MAX || (a_len > len ? a_len - len : len - a_len) > most)
		return DISTANCE_MAX;
	for (size_t k = 0; k <= len; k++)
		row[k] = (unsigned)k;
	for (size_t i = 0; i < a_len; i++) { /* the next row of the Wagner-Fischer table */
		unsigned diagonal = row[0]++, low = row[0];

		for (size_t k = 0; k < len; k++) {
			unsigned replaced = diagonal + (unc_lower(a[i]) != unc_lower(b[k]));

			diagonal = row[k + 1];
			row[k + 1] = least(replaced, 1 + least(row[k], row[k + 1]));
			low = least(low, row[k + 1]);
		}
		if (low > most)
			return DISTANCE_MAX;
	}
	return row[len] > most ? DISTANCE_MAX : row[len];
}

unsigned unc_text_distance(const char *a, const char *b)
{
	return distance_within(a, b, strlen(b), DISTANCE_MAX - 1);
}

/* Is what was typed, of a few letters at least, somewhere in the name? */
static bool is_part(const char *asked, const char *name)
{
	size_t len = strlen(asked);

	for (; len >= PART_MIN && *name; name++) {
		size_t same = 0;

		while (same < len && unc_lower(asked[same]) == unc_lower(name[same]))
			same++;
		if (same == len)
			return true;
	}
	return false;
}

/*
 * A name that differs only after its dot ("cas_count.rd" of "cas_count.x") is always near.  What has no dot is compared with what is
 * before the first and after the last dot of a name, too ("cas_cont", "functoins" of "presence.functions").
 */
static unsigned distance_of(const char *asked, const char *name, unsigned most)
{
	size_t stem = strcspn(asked, "."), own = strcspn(name, ".");
	const char *last = strrchr(name, '.');
	unsigned reach = least(most, 1 + (unsigned)strlen(asked) / 3), distance;

	if (stem == own && name[own] && strncmp(asked, name, stem) == 0)
		return distance_within(asked, name, strlen(name), most);
	if (most > 0 && is_part(asked, name))
		return 1;
	distance = distance_within(asked, name, strlen(name), reach);
	if (asked[stem] || !last)
		return distance;
	return least(distance, least(distance_within(asked, name, own, reach),
				     distance_within(asked, last + 1, strlen(last + 1), reach)));
}

void unc_nearest_offer(struct unc_nearest *nearest, const char *name)
{
	bool full = nearest->n == UNC_NEAREST_SHOWN;
	unsigned most = full ? nearest->near[UNC_NEAREST_SHOWN - 1].distance : DISTANCE_MAX, distance, at;

	if (most == 0 || strlen(name) > NAME_MAX || strlen(nearest->asked) > NAME_MAX)
		return;
	distance = distance_of(nearest->asked, name, most - 1);
	if (distance == DISTANCE_MAX)
		return;
	for (at = 0; at < nearest->n; at++)
		if (strcmp(nearest->near[at].name, name) == 0)
			return;
	nearest->n += !full;
	for (at = nearest->n - 1; at > 0 && nearest->near[at - 1].distance > distance; at--)
		nearest->near[at] = nearest->near[at - 1];
	snprintf(nearest->near[at].name, sizeof(nearest->near[at].name), "%s", name);
	nearest->near[at].distance = distance;
}

const char *unc_nearest_text(const struct unc_nearest *nearest, char buf[UNC_NEAREST_TEXT])
{
	unsigned n = 0;

	buf[0] = '\0';
	while (n < nearest->n && nearest->near[n].distance <= nearest->near[0].distance + 1)
		n++;
	for (unsigned i = 0; i < n; i++)
		unc_text_join(buf, UNC_NEAREST_TEXT, ", ", "%s%s",
			      i        ? ""
			      : n == 1 ? "; the nearest is "
				       : "; the nearest are ",
			      nearest->near[i].name);
	return buf;
}

const char *unc_nearest_listed(const char *asked, const char *list, char buf[UNC_NEAREST_TEXT])
{
	struct unc_nearest nearest = {.asked = asked};
	char name[UNC_NEAREST_NAME];

	while (*list) {
		size_t len = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)len, list);
		unc_nearest_offer(&nearest, name);
		list += len;
		list += strspn(list, ", ");
	}
	return unc_nearest_text(&nearest, buf);
}
