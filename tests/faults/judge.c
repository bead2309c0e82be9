// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a command did what is right. */
#define _GNU_SOURCE
#include "faults.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool complain(struct attempt *a, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(a->complaint, sizeof(a->complaint), fmt, args);
	va_end(args);
	return false;
}

bool sentences_are_right(struct attempt *a)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;
	unsigned n = 0, n_back = 0, wanted = a->outcome->status ? 1 : 0;
	bool strange = false, summary = false; /* of mem: a table, up to an empty line */

	while ((line = strsep(&rest, "\n"))) {
		summary = *line && (summary || strncmp(line, "in all, of ", 11) == 0);
		if (summary)
			continue;
		strange |= *line && strncmp(line, "uncorectl: ", 11) != 0;
		if (!*line || strncmp(line, "uncorectl: machine: ", 20) == 0 ||
		    strncmp(line, "uncorectl: note: ", 17) == 0)
			continue;
		n_back += strstr(line, "not put back") != NULL;
		n++;
	}
	free(copy);
	if (strange)
		return complain(a, "a line that is no sentence of ours");
	/* That registers are not as before is said besides what went wrong first. */
	n_back += a->command->kind == DRY && strstr(a->outcome->err, "would be put back cannot be told") != NULL;
	return n == wanted || (n == 2 && n_back == 1 && wanted == 1) || complain(a, "%u sentences", n);
}

/* What was recorded runs again, prints the same and ends alike. */
static bool replay_is_right(struct attempt *a)
{
	const struct world *world = a->world;
	char machine[300], again[TEXT_MAX];
	int status;
	pid_t pid;

	if (strstr(a->command->args, RECORD) == NULL)
		return true;
	snprintf(machine, sizeof(machine), "replay:%s", world->record);
	pid = fork();
	if (pid == 0) {
		redirect(world->data, world->err);
		execl(world->uncorectl, world->uncorectl, "--machine", machine, (char *)NULL);
		_exit(99);
	}
	status = wait_for(pid);
	slurp(world->data, again, sizeof(again));
	if (status != a->outcome->status)
		return complain(a, "replayed, its status is %d", status);
	return strcmp(again, a->outcome->out) == 0 || complain(a, "replayed, it prints something else");
}

bool is_right(struct attempt *a)
{
	if (a->outcome->status == -1)
		return complain(a, "did not end within %d s", TIMEOUT_S);
	if (a->outcome->status > 255)
		return complain(a, "died of signal %d", a->outcome->status - 256);
	return status_is_right(a) && sentences_are_right(a) && numbers_are_right(a) && registers_are_right(a) &&
	       replay_is_right(a);
}
