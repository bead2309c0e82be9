// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/absent.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

bool absent_add(struct absent *absent, const struct unc_box_info *info)
{
	const char *place = strchr(info->name, '.');
	size_t used = strlen(absent->places);

	if (info->presence != UNC_ABSENT)
		return false;
	place = place ? place + 1 : info->name; /* the name without its socket */
	if (unc_text_listed(absent->places, place, strlen(place)))
		return true;
	if (used + strlen(place) + 3 <= sizeof(absent->places))
		snprintf(absent->places + used, sizeof(absent->places) - used, "%s%s", used ? ", " : "", place);
	absent->n++;
	return true;
}

void absent_say(const struct absent *absent)
{
	if (absent->n)
		say("note: %s %s absent on every socket (hidden by the firmware, or this part has none)",
		    absent->places, absent->n == 1 ? "is" : "are");
}
