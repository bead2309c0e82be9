// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads Intel's event lists: unit, name, code, umask, further umask and counters, with tabs between them. */
#include "perfmon_list.h"

#include <CUnit/CUnit.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool take(const char *line, struct perfmon_event *event)
{
	char counters[16];

	memset(event, 0, sizeof(*event));
	if (sscanf(line, "iMC UNC_M_%47s %x %x %*s %15s", event->name, &event->code, &event->umask, counters) != 4)
		return false;
	for (char *p = event->name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	event->fixed = strcmp(counters, "FIXED") == 0;
	for (const char *p = counters; !event->fixed && *p; p++)
		if (isdigit((unsigned char)*p))
			event->counters |= 1u << (*p - '0');
	return true;
}

size_t perfmon_list(const char *name, struct perfmon_event *events, size_t max)
{
	char path[80], line[400];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "../shared/perfmon/%s.tsv", name);
	f = fopen(path, "r");
	if (!f) {
		printf("skip the events are those of Intel's list %s # there is no %s\n", name, path);
		return 0;
	}
	while (fgets(line, sizeof(line), f)) {
		CU_ASSERT_FATAL(n < max);
		n += take(line, &events[n]);
	}
	fclose(f);
	CU_ASSERT(n > 40);
	return n;
}
