// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine that is recorded (access/record.h), and its name without paths of the user. */
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record.h"
#include "access/record_text.h"
#include "access/replay.h"
#include "base/text.h"

struct unc_recording { /* outlives the host that records; owned by the machine */
	char *name;    /* the machine's name, in which "root:DIR" and "sim:snbep,state=FILE" have aliases for paths */
	char *paths;   /* the paths that the aliases replace */
	struct unc_record_alias aliases[UNC_RECORD_ALIASES];
	unsigned n_aliases;
};

static void add_alias(struct unc_recording *recording, const char *path, const char *alias)
{
	if (recording->n_aliases < UNC_RECORD_ALIASES && *path)
		recording->aliases[recording->n_aliases++] = (struct unc_record_alias){.path = path, .alias = alias};
}

static void cut_slashes(char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		path[--len] = '\0';
}

/* Returns the alias of the path that a key takes; NULL: it takes no path. */
static const char *alias_of(const char *word)
{
	static const char *const rows[][2] = {
		{"sim:cpuid=", "FILE"}, {"load=", "FILE"}, {"state=", "FILE"}, {"files=", "DIR"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strncmp(word, rows[i][0], strlen(rows[i][0])) == 0)
			return rows[i][1];
	return NULL;
}

/* Adds aliases for the keys whose values are paths, as in "sim:snbep,state=/tmp/x".  paths keeps the texts. */
static int name_machine(struct unc_ctx *ctx, struct unc_recording *recording, const char *machine)
{
	size_t room = 2 * strlen(machine) + 16; /* "FILE" replaces a path, which may be shorter */
	char *rest, *word;

	recording->name = calloc(room, 1);
	recording->paths = unc_text_dup(machine);
	if (!recording->name || !recording->paths)
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	if (strncmp(machine, "root:", 5) == 0) {
		snprintf(recording->name, room, "root:DIR");
		cut_slashes(recording->paths + 5);
		add_alias(recording, recording->paths + 5, "DIR");
		return UNC_OK;
	}
	for (rest = recording->paths; (word = unc_text_cut(&rest, ',')) != NULL;) {
		const char *alias = alias_of(word);
		char *value = alias ? strchr(word, '=') + 1 : word;

		unc_text_join(recording->name, room, ",", "%.*s%s", (int)(value - word), word, alias ? alias : word);
		if (!alias)
			continue;
		cut_slashes(value);
		add_alias(recording, value, alias);
	}
	return UNC_OK;
}

int unc_machine_record(struct unc_machine *m, const struct unc_machine_cfg *cfg)
{
	struct unc_record_cfg record = {.line = cfg->record, .arg = cfg->record_arg};
	struct unc_recording *recording;
	struct unc_host *host;
	int rc;

	if (unc_replay_on_difference(m->host, NULL, NULL))
		return unc_fail(m->ctx, UNC_EARG, "%s: a replay is not recorded again", m->name);
	recording = calloc(1, sizeof(*recording));
	if (!recording)
		return unc_fail(m->ctx, UNC_ENOMEM, "record: out of memory");
	m->recording = recording;
	rc = name_machine(m->ctx, recording, m->name);
	if (rc < 0)
		return rc;
	if (cfg->map_dir)
		add_alias(recording, cfg->map_dir, UNC_RECORD_MAPS);
	if (cfg->record_input)
		add_alias(recording, cfg->record_input, UNC_RECORD_INPUT);
	record.name = recording->name;
	record.map_dir = cfg->map_dir ? UNC_RECORD_MAPS : NULL;
	memcpy(record.aliases, recording->aliases, sizeof(record.aliases));
	rc = unc_record_wrap(m->host, &record, &host);
	if (rc == UNC_OK)
		m->host = host;
	return rc;
}

void unc_recording_free(struct unc_recording *recording)
{
	if (!recording)
		return;
	free(recording->name);
	free(recording->paths);
	free(recording);
}
