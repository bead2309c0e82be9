// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults UNCORECTL SIMPOKE SIGAT SCRATCH PART PARTS [STEP [ONLY]]: runs every command on a simulated machine whose NTH access goes
 * wrong, for NTH = 1, 2, 3, ... until the command meets the fault no more, in each way, once and for ever.  Then each
 * that writes is ended by a signal at every fifth moment.  Prints lines of "ok" and "not ok".  PART of PARTS: which
 * share of the commands and ways is tried here; STEP: only every so many accesses and moments are; ONLY: commands that have that
 * in their name.
 *
 * Looked at after each run: its exit status, its sentences, that it ended, its numbers against a load that is constant, and the
 * controls of every channel, straight from the machine's state.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell_failure(const struct attempt *a, const char *fail)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;

	printf("not ok %s on %s: %s\n", a->command->name, fail, a->complaint);
	for (unsigned n = 0; n < 12 && (line = strsep(&rest, "\n")); n++)
		if (*line)
			printf("# %s\n", line);
	free(copy);
}

static bool is_many(const struct attempt *a)
{
	return a->command->kind == CHECKS && a->baseline->n > 300;
}

/* Of many thousands some, that no loop of the command is in step with; those at the beginning are all different. */
static unsigned next_place(const struct attempt *a)
{
	enum { TRIED = 10, BEGINNING = 40 };

	if (!is_many(a))
		return a->world->step;
	return (a->at < BEGINNING ? 4 : a->baseline->n / TRIED + a->at % 29 + 7 * (unsigned)a->how) * a->world->step;
}

/* How many places were tried; failures are told, three at most. */
static unsigned loop(struct attempt *a, unsigned *failures)
{
	struct outcome *outcome = malloc(sizeof(*outcome));
	unsigned n = 0;

	a->outcome = outcome;
	for (a->at = 1; a->at < ACCESSES_MAX && *failures < 3; a->at += next_place(a)) {
		char fail[64];

		if (a->how == UNC_FAULT_DROP && is_many(a))
			while (a->at <= a->baseline->n && !a->baseline->write[a->at])
				a->at++;
		if (a->how == UNC_FAULT_DROP && a->at <= a->baseline->n && !a->baseline->write[a->at])
			continue; /* a read is as ever */
		snprintf(fail, sizeof(fail), ",fail=%u:%s%s", a->at, unc_fault_name(a->how),
			 a->forever ? ":forever" : "");
		run(a->world, a->command, fail, NULL, outcome);
		if (!is_right(a)) {
			tell_failure(a, fail + 1);
			++*failures;
		}
		if (outcome->accesses < a->at)
			break;
		n++;
	}
	free(outcome);
	return n;
}

static void each_way(const struct world *world, const struct command *command, const struct baseline *baseline,
		     enum unc_fault_how how)
{
	struct attempt a = {.world = world, .command = command, .baseline = baseline, .how = how};
	unsigned failures = 0, once, forever;

	once = loop(&a, &failures);
	a.forever = true;
	forever = loop(&a, &failures);
	if (failures == 0)
		printf("ok %s survives %s: each of %u accesses once, and from each of %u on\n", command->name,
		       unc_fault_name(how), once, forever);
	fflush(stdout);
}

/* Ended by a signal in every moment there is, near enough: it dies by that signal, with all registers back. */
static void each_moment(const struct world *world, const struct command *command, int signal_number)
{
	struct attempt a = {.world = world, .command = command};
	struct outcome *outcome = malloc(sizeof(*outcome));
	unsigned n = 0;
	bool good = true;

	a.outcome = outcome;
	for (a.at = 1; good && a.at < 10000; a.at += 5 * world->step) {
		char signal_at[32];

		snprintf(signal_at, sizeof(signal_at), "%u:%d", a.at, signal_number);
		run(world, command, "", signal_at, outcome);
		if (outcome->status == 0)
			break;
		good = outcome->status == 256 + signal_number || complain(&a, "status %d", outcome->status);
		outcome->status = 0; /* a signal is no failure: there is nothing to say */
		good = good && sentences_are_right(&a) && registers_are_right(&a);
		if (!good)
			tell_failure(&a, signal_at);
		n++;
	}
	if (good && n > 5 / world->step)
		printf("ok %s ended by signal %d at %u moments leaves the registers as they were\n", command->name,
		       signal_number, n);
	else if (good)
		printf("not ok %s was not ended by signal %d: %u moments\n", command->name, signal_number, n);
	fflush(stdout);
	free(outcome);
}

int main(int argc, char **argv)
{
	unsigned part, parts, turn = 0;
	struct baseline baseline;
	static struct world w;
	struct world *world = &w;
	struct {
		char *path;
		const char *name;
	} files[] = {{w.state, "state"}, {w.trace, "trace"},   {w.out, "out"},          {w.err, "err"},
		     {w.data, "data"},   {w.record, "record"}, {w.journals, "journals"}};

	if (argc < 7 || argc > 9)
		return 2;
	world->uncorectl = argv[1];
	world->simpoke = argv[2];
	world->sigat = argv[3];
	world->step = argc > 7 ? (unsigned)atoi(argv[7]) : 1;
	part = (unsigned)atoi(argv[5]);
	parts = (unsigned)atoi(argv[6]);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		snprintf(files[i].path, PATH_TEXT, "%s/%s%u", argv[4], files[i].name, part);
	world->before = state_new();
	world->after = state_new();
	if (!world->before || !world->after)
		die("no memory");
	block_child();
	for (size_t i = 0; i < n_commands; i++) {
		if (argc == 9 && !strstr(commands[i].name, argv[8]))
			continue;
		prepare(world, &commands[i]);
		learn(world, &commands[i], &baseline);
		for (unsigned how = 0; how < UNC_FAULT_HOWS; how++)
			/* An MSR that is not there is refused; it never reads as all ones. */
			if (!(commands[i].kind == MONITORS && how == UNC_FAULT_ONES) && turn++ % parts == part)
				each_way(world, &commands[i], &baseline, (enum unc_fault_how)how);
		if ((commands[i].kind == MEASURES || commands[i].kind == COUNTS || commands[i].kind == WRITES ||
		     commands[i].kind == MONITORS) &&
		    !(commands[i].flags & WITH_COMMAND) && turn++ % parts == part)
			each_moment(world, &commands[i], i % 2 ? SIGTERM : SIGHUP);
	}
	return 0;
}
