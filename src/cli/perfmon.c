// SPDX-License-Identifier: GPL-2.0-or-later
/* Event lists of the intel/perfmon project, and what they say otherwise than the maps. */
#define _GNU_SOURCE
#include "cli/perfmon.h"

#include <jansson.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"

/* Real files have some 300 events of this unit in 2 MB. */
enum { FILE_MAX = 8 << 20, EVENTS_MAX = 4096, NOTES_MAX = 10, NAME_MAX_LEN = 100, DESC_MAX = 2000 };

#define PREFIX "UNC_M_"
static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

struct reader {
	struct unc_ctx *ctx;
	const char *path;
	struct perfmon perfmon;
};

/* A value of an entry as text.  Numbers are normally in quotes, but need not be.  NULL: it is missing. */
static const char *text_of(const json_t *entry, const char *key, char buf[24])
{
	const json_t *value = json_object_get(entry, key);

	if (json_is_string(value))
		return json_string_value(value);
	if (!json_is_integer(value))
		return NULL;
	snprintf(buf, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return buf;
}

/* Is it one of the texts that the lists use for "nothing"? */
static bool says_nothing(const char *text)
{
	return !text || !*text || strcasecmp(text, "null") == 0 || strcasecmp(text, "na") == 0;
}

static int unusable(struct reader *r, size_t number, const char *name, const char *why)
{
	if (++r->perfmon.n_unusable <= NOTES_MAX)
		unc_note(r->ctx, "%s: entry %zu, %.100s: %s; it is left out", r->path, number + 1, name, why);
	return 0;
}

/* *ret_number is 0 if the entry has no value.  False: it is not a number up to max. */
static bool number_of(const json_t *entry, const char *key, uint64_t max, unsigned *ret_number)
{
	char buf[24];
	const char *text = text_of(entry, key, buf);
	uint64_t number = 0;

	if (json_object_get(entry, key) && !text)
		return false;
	if (!says_nothing(text) && !unc_text_u64(text, &number))
		return false;
	*ret_number = (unsigned)number;
	return number <= max;
}

/* Puts the text on one line, whatever the file contains. */
static char *one_line(const char *text)
{
	size_t len = strnlen(text, DESC_MAX);
	char *copy;

	while (len && (text[len] & 0xc0) == 0x80)
		len--; /* not within a character */
	copy = strndup(text, len);
	for (char *at = copy; at && (at = strpbrk(at, "\t\n\v\f\r")) != NULL;)
		*at = ' ';
	return copy;
}

/* Returns why an entry cannot be used; NULL: it can, and *event has its numbers. */
static const char *read_numbers(const json_t *entry, struct perfmon_event *event)
{
	unsigned extension, umask_extension, threshold, edge, invert, deprecated;
	char buf[24];
	const char *counters = text_of(entry, "Counter", buf);

	if (!says_nothing(counters))
		snprintf(event->counters, sizeof(event->counters), "%s", counters);
	event->fixed = strcasecmp(event->counters, "fixed") == 0;
	if (event->fixed)
		snprintf(event->counters, sizeof(event->counters), "fixed");
	else if (strspn(event->counters, "0123456789,- ") != strlen(event->counters))
		return "its Counter is neither FIXED nor a list of numbers";
	if (!event->fixed && !json_object_get(entry, "EventCode"))
		return "it has no EventCode";
	if (!number_of(entry, "EventCode", 255, &event->ev_sel))
		return "its EventCode is not a number up to 0xff";
	if (!number_of(entry, "UMask", 255, &event->umask))
		return "its UMask is not a number up to 0xff";
	if (!number_of(entry, "CounterMask", 255, &event->thresh) || !number_of(entry, "Threshold", 255, &threshold))
		return "its threshold is not a number up to 0xff";
	if (threshold)
		event->thresh = threshold;
	if (!number_of(entry, "ExtSel", 0, &extension) || !number_of(entry, "UMaskExt", 0, &umask_extension))
		return "it wants bits in ExtSel or UMaskExt, which these controls do not have";
	if (!number_of(entry, "EdgeDetect", 1, &edge) || !number_of(entry, "Invert", 1, &invert) ||
	    !number_of(entry, "Deprecated", 1, &deprecated))
		return "its EdgeDetect, Invert or Deprecated is neither 0 nor 1";
	event->edge = edge;
	event->invert = invert;
	event->deprecated = deprecated;
	return NULL;
}

static int read_entry(struct reader *r, const json_t *entry, size_t number)
{
	static const char *const descriptions[] = {"BriefDescription", "PublicDescription"};
	const char *unit = json_string_value(json_object_get(entry, "Unit")), *desc = NULL;
	const char *name = json_string_value(json_object_get(entry, "EventName")), *why;
	struct perfmon_event event = {.name = NULL};

	if (!json_is_object(entry))
		return unusable(r, number, "no name", "it is no object");
	if (!unit || strcasecmp(unit, "iMC") != 0) {
		r->perfmon.n_other_units++;
		return 0;
	}
	if (!name || !*name || strlen(name) > NAME_MAX_LEN || name[strspn(name, in_names)])
		return unusable(r, number, "no name", "its EventName is not one that can be typed");
	if (perfmon_find(&r->perfmon, name))
		return unusable(r, number, name, "there is another of that name before it");
	why = read_numbers(entry, &event);
	if (why)
		return unusable(r, number, name, why);
	if (r->perfmon.n_events == EVENTS_MAX)
		return unc_fail(r->ctx, UNC_EMAP, "%s: more than %d events of the memory controller", r->path,
				EVENTS_MAX);
	for (size_t i = 0; i < 2 && !desc; i++) {
		desc = json_string_value(json_object_get(entry, descriptions[i]));
		if (says_nothing(desc) || strcmp(desc, "0") == 0)
			desc = NULL;
	}
	event.name = unc_text_dup(name);
	event.desc = desc ? one_line(desc) : NULL;
	if (event.name && (event.desc || !desc) &&
	    unc_array_add(&r->perfmon.events, &r->perfmon.n_events, &event, sizeof(event)))
		return 0;
	free(event.name);
	free(event.desc);
	return unc_fail(r->ctx, UNC_ENOMEM, "%s: out of memory", r->path);
}

int perfmon_read(struct unc_ctx *ctx, const char *path, struct perfmon *ret_perfmon)
{
	struct reader r = {.ctx = ctx, .path = path};
	const json_t *list;
	json_error_t error;
	json_t *root;
	size_t len;
	char *text;
	int rc = unc_files_read(ctx, path, FILE_MAX, UNC_TRUST_ANY, &text, &len);

	if (rc < 0)
		return rc == UNC_ENODEV ? UNC_EARG : rc; /* a missing file is an error of the arguments */
	root = json_loadb(text, len, 0, &error);
	free(text);
	if (!root)
		return unc_fail(ctx, UNC_EMAP, "%s:%d:%d: malformed JSON: %s", path, error.line > 0 ? error.line : 1,
				error.column > 0 ? error.column : 1, error.text);
	/* An object with a list in "Events", or, as in older files, only the list. */
	list = json_is_object(root) ? json_object_get(root, "Events") : root;
	if (!json_is_array(list))
		rc = unc_fail(
			ctx, UNC_EMAP,
			"%s: this JSON is not an event list of intel/perfmon: neither {\"Events\": [...]} nor [...]",
			path);
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++)
		rc = read_entry(&r, json_array_get(list, i), i);
	if (r.perfmon.n_unusable > NOTES_MAX)
		unc_note(ctx, "%s: %zu more entries are left out", path, r.perfmon.n_unusable - NOTES_MAX);
	if (rc == 0 && r.perfmon.n_events == 0)
		rc = unc_fail(ctx, UNC_EMAP, "%s: there is no event of the unit iMC in it that can be used", path);
	json_decref(root);
	if (rc < 0)
		perfmon_clear(&r.perfmon);
	else
		*ret_perfmon = r.perfmon;
	return rc;
}

void perfmon_clear(struct perfmon *perfmon)
{
	for (size_t i = 0; i < perfmon->n_events; i++) {
		free(perfmon->events[i].name);
		free(perfmon->events[i].desc);
	}
	free(perfmon->events);
	memset(perfmon, 0, sizeof(*perfmon));
}

const char *perfmon_plain_name(const char *name)
{
	size_t len = strlen(PREFIX);

	return strncasecmp(name, PREFIX, len) == 0 ? name + len : name;
}

bool perfmon_is_named(const struct perfmon_event *event, const char *name)
{
	return strcasecmp(perfmon_plain_name(event->name), perfmon_plain_name(name)) == 0;
}

const struct perfmon_event *perfmon_find(const struct perfmon *perfmon, const char *name)
{
	for (size_t i = 0; i < perfmon->n_events; i++) {
		if (perfmon_is_named(&perfmon->events[i], name))
			return &perfmon->events[i];
	}
	return NULL;
}

/* Compares events of a file with those of the machine. */

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

bool perfmon_event_text(const struct unc_machine *machine, const struct perfmon_event *event, char *buf, size_t size)
{
	struct unc_event_info ours;
	char more[60];

	options(event, ",edge", ",inv", more, sizeof(more));
	if (!event->fixed)
		return (size_t)snprintf(buf, size, "imc/event=0x%02x,umask=0x%02x%s/", event->ev_sel, event->umask,
					more) < size;
	for (size_t i = 0; unc_event_info(machine, "imc", i, &ours) == UNC_OK; i++)
		if (strcmp(ours.encoding, "fixed") == 0)
			return (size_t)snprintf(buf, size, "imc/%s/", ours.name) < size;
	return false;
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
