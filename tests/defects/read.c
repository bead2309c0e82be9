// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run of the command said: lines of JSON, of which only two words matter here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "defects.h"

/* The text of a key of that line, which no other text can hold, as its quotes would be escaped there. */
static bool text_of(const char *line, const char *key, char *buf, size_t size)
{
	char wanted[64];
	const char *at, *end;

	snprintf(wanted, sizeof(wanted), "\"%s\":\"", key);
	at = strstr(line, wanted);
	if (!at)
		return false;
	at += strlen(wanted);
	end = strchr(at, '"');
	if (!end || (size_t)(end - at) >= size)
		return false;
	memcpy(buf, at, (size_t)(end - at));
	buf[end - at] = '\0';
	return true;
}

/* CHECKS_MAX: there is no room. */
static size_t index_of(struct checks *checks, const char *name)
{
	size_t i = 0;

	while (i < checks->n && strcmp(checks->names[i], name) != 0)
		i++;
	if (i == checks->n && i < CHECKS_MAX)
		checks->names[checks->n++] = strdup(name);
	return i;
}

static enum state state_of(const char *name)
{
	static const char *const names[] = {[NOT_RUN] = "not run", [SKIP] = "skip", [PASS] = "pass", [FAIL] = "fail"};
	enum state state;

	for (state = FAIL; state > NOT_RUN; state--)
		if (!strcmp(names[state], name))
			break;
	return state;
}

/* " CHECK@SUBJECT" behind what failed already. */
static void note_failed(struct run *run, const char *check, const char *subject)
{
	char *was = run->failed;

	if (asprintf(&run->failed, "%s %s@%s", was ? was : "", check, subject) < 0)
		abort();
	free(was);
}

static void read_line(const char *line, struct run *run, struct checks *checks)
{
	char record[16], check[64], state[16], subject[64] = "";
	size_t i;

	if (!text_of(line, "record", record, sizeof(record)))
		return;
	if (!strcmp(record, "end"))
		run->ended = strstr(line, "\"complete\":true") != NULL;
	if (strcmp(record, "result") != 0 || !text_of(line, "check", check, sizeof(check)) ||
	    !text_of(line, "state", state, sizeof(state)))
		return;
	text_of(line, "subject", subject, sizeof(subject));
	if (state_of(state) == FAIL)
		note_failed(run, check, subject);
	i = index_of(checks, check);
	if (i < CHECKS_MAX && run->states[i] < state_of(state))
		run->states[i] = state_of(state);
}

void read_run(struct run *run, struct checks *checks)
{
	FILE *file = fopen(run->file, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		read_line(line, run, checks);
	free(line);
	fclose(file);
}
