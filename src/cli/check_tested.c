// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What silicon does where a register map says `verify:`. Results report it line by line and channel by channel; here each name
 * appears once, so that all of it is a mapping in YAML.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"

static const char before[] = ": {tested: \"", behind[] = "\"}";

static struct check_tested *find(struct check_report *report, const char *name)
{
	for (size_t i = 0; i < report->n_tested; i++)
		if (strcmp(report->tested[i].name, name) == 0)
			return &report->tested[i];
	return NULL;
}

static bool add_new(struct check_report *report, const char *name, const char *text)
{
	struct check_tested *more = unc_array_more(report->tested, report->n_tested, sizeof(*more));

	if (!more)
		return false;
	report->tested = more;
	more += report->n_tested;
	*more = (struct check_tested){.name = unc_text_dup(name), .texts = unc_text_dup(text)};
	report->n_tested++;
	return more->name && more->texts;
}

/* Is text one of the texts, and not only a part of one? */
static bool says(const char *texts, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = texts; (at = strstr(at, text)) != NULL; at++)
		if ((at == texts || (at >= texts + 2 && strncmp(at - 2, "; ", 2) == 0)) &&
		    (!at[len] || strncmp(at + len, "; ", 2) == 0))
			return true;
	return false;
}

static bool add_text(struct check_tested *tested, const char *text)
{
	size_t size = strlen(tested->texts) + strlen(text) + sizeof("; ");
	char *longer;

	if (says(tested->texts, text))
		return true;
	longer = malloc(size);
	if (!longer)
		return false;
	snprintf(longer, size, "%s; %s", tested->texts, text);
	free(tested->texts);
	tested->texts = longer;
	return true;
}

/* Adds one line, whose memory is modified. */
static bool add_line(struct check_report *report, char *line)
{
	char *text = strstr(line, before), *end;
	struct check_tested *known;

	if (!text)
		return true;
	*text = '\0';
	text += strlen(before);
	end = text + strlen(text);
	if ((size_t)(end - text) >= strlen(behind) && strcmp(end - strlen(behind), behind) == 0)
		end[-(int)strlen(behind)] = '\0';
	known = find(report, line);
	return known ? add_text(known, text) : add_new(report, line, text);
}

bool check_tested_add(struct check_report *report, const char *lines)
{
	char *copy = lines ? unc_text_dup(lines) : NULL, *rest = copy, *line;
	bool good = !lines || copy;

	while (good && copy && (line = unc_text_cut(&rest, '\n')))
		good = add_line(report, line);
	free(copy);
	return good;
}

void check_tested_clear(struct check_report *report)
{
	for (size_t i = 0; i < report->n_tested; i++) {
		free(report->tested[i].name);
		free(report->tested[i].texts);
	}
	free(report->tested);
}

void check_tested_head(const struct check_report *report, char *buf, size_t size)
{
	const struct unc_machine_info *info = &report->info;
	bool named = info->part[0] != '\0';
	char family[24];

	snprintf(family, sizeof(family), " family %u", info->family);
	snprintf(buf, size, "# %s%s model 0x%x stepping %u, %.10s, uncorectl %s%s", named ? info->part : info->vendor,
		 named ? "" : family, info->model, info->stepping, report->date, UNC_VERSION,
		 info->simulated ? ", simulated" : "");
}
