// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/stat_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/perfmon.h"

enum { NAME_SIZE = 128, TEXT_SIZE = 256 };

struct import {
	struct unc_ctx *ctx;
	const struct unc_machine *machine;
	const char *path;
	struct perfmon file;
};

/* Finds the machine's own event of that name. */
static bool find_ours(const struct import *import, const char *name, struct unc_event_info *ret_info)
{
	size_t n = unc_event_count(import->machine, "imc");

	for (size_t i = 0; i < n; i++)
		if (unc_event_info(import->machine, "imc", i, ret_info) == 0 && strcmp(ret_info->name, name) == 0)
			return true;
	return false;
}

static void note_disagreement(const struct import *import, const struct perfmon_event *event)
{
	size_t n = unc_event_count(import->machine, "imc");
	char what[PERFMON_DISAGREEMENT_MAX];
	struct unc_event_info ours;

	for (size_t i = 0; i < n; i++)
		if (unc_event_info(import->machine, "imc", i, &ours) == 0 && perfmon_is_named(event, ours.name) &&
		    perfmon_disagrees(event, &ours, what))
			say("note: %s of %s is not %s here: %s; the file's is counted", event->name, import->path,
			    ours.name, what);
}

/* ":thresh=8:edge" after the name of an event becomes ",thresh=8,edge" between the slashes of a raw one. */
static bool add_options(char *text, size_t size, const char *options)
{
	size_t len = strlen(text);
	bool raw = text[len - 1] == '/';

	if (!*options)
		return true;
	if (raw)
		text[--len] = '\0';
	if ((size_t)snprintf(text + len, size - len, "%s%s", options, raw ? "/" : "") >= size - len)
		return false;
	for (; raw && text[len]; len++)
		if (text[len] == ':')
			text[len] = ',';
	return true;
}

/* Replaces the text for the session; the name stays what is shown. */
static int replace(const struct import *import, const struct perfmon_event *event, const char *options,
		   struct event_item *item)
{
	char text[TEXT_SIZE], *copy;

	if (!perfmon_event_text(import->machine, event, text, sizeof(text)))
		return unc_fail(import->ctx, UNC_ENOSUP, "-e %s: this machine has no such counter", item->text);
	if (!add_options(text, sizeof(text), options))
		return unc_fail(import->ctx, UNC_EARG, "-e %s: too long", item->text);
	copy = unc_text_dup(text);
	if (!copy)
		return unc_fail(import->ctx, UNC_ENOMEM, "out of memory");
	note_disagreement(import, event);
	item->shown = item->text;
	item->text = copy;
	return UNC_OK;
}

static int import_item(const struct import *import, struct event_item *item)
{
	size_t len = strcspn(item->text, ":");
	const struct perfmon_event *event;
	struct unc_event_info ours;
	char name[NAME_SIZE];

	if (strchr(item->text, '/') || len >= sizeof(name))
		return UNC_OK; /* not a name, or not one of the file */
	snprintf(name, sizeof(name), "%.*s", (int)len, item->text);
	if (find_ours(import, name, &ours))
		return UNC_OK;
	event = perfmon_find(&import->file, name);
	if (event)
		return replace(import, event, item->text + len, item);
	if (strncasecmp(name, "UNC_", 4) == 0)
		return unc_fail(import->ctx, UNC_ENOREG, "-e %s: %s has no such event", name, import->path);
	return UNC_OK;
}

int stat_import(struct unc_ctx *ctx, const struct unc_machine *machine, const char *path, struct event_list *events)
{
	struct import import = {.ctx = ctx, .machine = machine, .path = path};
	int rc = perfmon_read(ctx, path, &import.file);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < events->n && rc == 0; i++)
		rc = import_item(&import, &events->items[i]);
	perfmon_clear(&import.file);
	return rc;
}
