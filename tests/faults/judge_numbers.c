// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers against a load that is constant: each is right, or there is none. */
#define _GNU_SOURCE
#include "faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { F_TOTAL_STATUS = 11, F_LOCAL_STATUS = 14 };

static bool number_is_right(const char *text, double truth)
{
	return *text && fabs(strtod(text, NULL) - truth) <= truth * 0.005;
}

/* Of stat: one event, whose value is bytes in interval_ns. */
static bool count_is_right(struct attempt *a, char *const field[14], unsigned channel)
{
	double truth = strcmp(field[6], "cas_count.rd") == 0   ? a->world->read_rate[channel]
		       : strcmp(field[6], "cas_count.wr") == 0 ? a->world->write_rate[channel]
							       : 0;
	bool number = strcmp(field[12], "simulated") == 0 || strcmp(field[12], "scaled;simulated") == 0;

	if (!number && !strstr(field[12], "late") && (*field[7] || *field[10]))
		return complain(a, "channel %u: a number, and %s", channel, field[12]);
	if (number && (!*field[7] || !*field[8] || !*field[9] || !*field[10]))
		return complain(a, "channel %u: %s without a number", channel, field[6]);
	if (number && truth > 0 && fabs(strtod(field[10], NULL) / strtod(field[1], NULL) * 1e9 - truth) > truth * 0.005)
		return complain(a, "channel %u: %s %s in %s ns, not %.0f bytes/s", channel, field[6], field[10],
				field[1], truth);
	return true;
}

enum { FIELDS_MAX = 40 };

/* Takes a record into its fields, which must be as many as the heading has. */
static bool take_fields(struct attempt *a, char *line, char *field[FIELDS_MAX])
{
	unsigned n = 0, wanted = 1;

	for (const char *c = a->outcome->out; *c && *c != '\n'; c++)
		wanted += *c == ',';
	while (n < FIELDS_MAX && (field[n] = strsep(&line, ",")))
		n++;
	return n == wanted || complain(a, "a record of %u fields, under %u columns", n, wanted);
}

static bool record_is_right(struct attempt *a, char *line)
{
	char *field[FIELDS_MAX] = {NULL};
	unsigned channel;
	double read, written;

	if (!take_fields(a, line, field))
		return false;
	channel = (unsigned)atoi(field[4]);
	if (channel >= channels_of(a->command))
		return complain(a, "channel %u", channel);
	if (a->command->kind == COUNTS)
		return count_is_right(a, field, channel);
	read = a->world->read_rate[channel];
	written = a->world->write_rate[channel];
	if (strcmp(field[12], "free_running;simulated") == 0) { /* of the controller */
		read += a->world->read_rate[1];
		written += a->world->write_rate[1];
	}
	if (strcmp(field[12], "simulated") == 0 || strcmp(field[12], "free_running;simulated") == 0) {
		if (!number_is_right(field[8], read) || !number_is_right(field[9], written))
			return complain(a, "channel %u: %s and %s bytes/s, not %.0f and %.0f", channel, field[8],
					field[9], read, written);
	} else if (!strstr(field[12], "late") && (*field[6] || *field[8] || *field[10])) {
		return complain(a, "channel %u: a number, and %s", channel, field[12]);
	}
	return true;
}

/* A status and a number, or no number; of two. */
static bool value_is_right(struct attempt *a, char *const field[FIELDS_MAX], unsigned status, double truth)
{
	const char *number = field[status - 1];

	if (strcmp(field[status], "ok") != 0)
		return (!*number && !*field[status - 2]) || complain(a, "a number, %s, and %s", number, field[status]);
	return number_is_right(number, truth) || complain(a, "%s bytes/s, not %.0f", number, truth);
}

static bool values_are_right(struct attempt *a)
{
	char *copy = strdup(a->outcome->out), *rest = copy, *line, *field[FIELDS_MAX];
	bool right = true;
	unsigned rows = 0;

	while (right && (line = strsep(&rest, "\n"))) {
		if (!*line || *line == 't')
			continue;
		rows++;
		right = take_fields(a, line, field) &&
			value_is_right(a, field, F_TOTAL_STATUS - 1, a->world->llc_rate[0]) &&
			value_is_right(a, field, F_LOCAL_STATUS - 1, a->world->llc_rate[1]);
	}
	free(copy);
	return right && (a->outcome->status || rows == 2 || complain(a, "%u records", rows));
}

bool numbers_are_right(struct attempt *a)
{
	char *copy, *rest, *line;
	unsigned n = 0, n_free = 0, channels = channels_of(a->command);
	unsigned wanted = a->command->flags & WITH_COMMAND ? channels : 2 * channels;
	bool right = true;

	if (a->command->kind == MONITORS)
		return values_are_right(a);
	if (a->command->kind != MEASURES && a->command->kind != COUNTS && a->command->kind != OBSERVES)
		return true;
	if (a->command->kind == COUNTS) /* an event is a record */
		wanted *= a->command->flags & FREEZE ? 2 : 5;
	copy = rest = strdup(a->outcome->out);
	while (right && (line = strsep(&rest, "\n")))
		if (*line && *line != 't') {
			n_free += strstr(line, "free_running") != NULL;
			right = record_is_right(a, line);
			n++;
		}
	free(copy);
	/*
	 * In memory counters that always run have one row, of the controller; and a channel is absent, without a row, only where its
	 * mode register reads as all ones.
	 */
	if (is_in_memory(a->command) && 2 * n == wanted && (n_free == n || a->how == UNC_FAULT_ONES))
		return right;
	if (right && a->outcome->status == 0 && n != wanted)
		return complain(a, "%u records", n);
	return right;
}
