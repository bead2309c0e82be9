// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares events of a file with those of the machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/perfmon.h"

bool perfmon_next_name(const char **rest, char name[PERFMON_NAME_MAX])
{
	size_t len = strcspn(*rest, ",");

	snprintf(name, PERFMON_NAME_MAX, "%.*s", (int)len, *rest);
	*rest += len + strspn(*rest + len, ", ");
	return len > 0;
}

bool perfmon_belongs(const struct perfmon_event *event, const struct unc_event_info *ours)
{
	char name[PERFMON_NAME_MAX];

	if (perfmon_is_named(event, ours->name))
		return true;
	for (const char *rest = ours->also; rest && perfmon_next_name(&rest, name);) {
		if (perfmon_is_named(event, name))
			return true;
	}
	return false;
}

/* Writes options in the form of maps or of perf, depending on edge and invert. */
static void options(const struct perfmon_event *event, const char *edge, const char *invert, char *buf, size_t size)
{
	int len = snprintf(buf, size, "%s%s", event->edge ? edge : "", event->invert ? invert : "");

	if (event->thresh)
		snprintf(buf + len, size - (size_t)len, ",thresh=0x%x", event->thresh);
}

void perfmon_encoding(const struct perfmon_event *event, char *buf, size_t size)
{
	char more[60];

	options(event, ",edge_det=0x1", ",invert=0x1", more, sizeof(more));
	if (event->fixed)
		snprintf(buf, size, "fixed");
	else
		snprintf(buf, size, "ev_sel=0x%x,umask=0x%x%s", event->ev_sel, event->umask, more);
}

static bool fixed_event_text(const struct unc_machine *machine, char *buf, size_t size)
{
	struct unc_event_info ours;

	for (size_t i = 0; unc_event_info(machine, "imc", i, &ours) == UNC_OK; i++) {
		if (strcmp(ours.encoding, "fixed") == 0)
			return (size_t)snprintf(buf, size, "imc/%s/", ours.name) < size;
	}
	return false;
}

bool perfmon_event_text(const struct unc_machine *machine, const struct perfmon_event *event, char *buf, size_t size)
{
	char more[60];

	if (event->fixed)
		return fixed_event_text(machine, buf, size);
	options(event, ",edge", ",inv", more, sizeof(more));
	return (size_t)snprintf(buf, size, "imc/event=0x%02x,umask=0x%02x%s/", event->ev_sel, event->umask, more) <
	       size;
}

/* The value of a field in "ev_sel=0x4,umask=0x3"; 0 if it is not there. */
static uint64_t field_of(const char *encoding, const char *field)
{
	size_t len = strlen(field);

	for (const char *at = encoding; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, field, len) == 0 && at[len] == '=')
			return strtoull(at + len + 1, NULL, 16);
	}
	return 0;
}

bool perfmon_disagrees(const struct perfmon_event *event, const struct unc_event_info *ours,
		       char buf[PERFMON_DISAGREEMENT_MAX])
{
	static const char *const fields[] = {"ev_sel", "umask", "thresh", "edge_det", "invert"};
	char theirs[120];
	size_t len = 0;

	perfmon_encoding(event, theirs, sizeof(theirs));
	buf[0] = '\0';
	if (event->fixed != (strcmp(ours->encoding, "fixed") == 0)) {
		snprintf(buf, PERFMON_DISAGREEMENT_MAX, "the fixed counter in the %s, %s in the %s",
			 event->fixed ? "file" : "map", event->fixed ? ours->encoding : theirs,
			 event->fixed ? "map" : "file");
		return true;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !event->fixed; i++) {
		uint64_t a = field_of(ours->encoding, fields[i]), b = field_of(theirs, fields[i]);

		if (a != b && len < PERFMON_DISAGREEMENT_MAX)
			len += (size_t)snprintf(buf + len, PERFMON_DISAGREEMENT_MAX - len,
						"%s%s 0x%" PRIx64 " in the map, 0x%" PRIx64 " in the file",
						len ? "; " : "", fields[i], a, b);
	}
	return len > 0;
}
