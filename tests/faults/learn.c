// SPDX-License-Identifier: GPL-2.0-or-later
/* What a command does where nothing goes wrong: its accesses, in phases, and its rates. */
#define _GNU_SOURCE
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sandy Bridge-EP, Intel 327043-001, chapter "iMC": offsets in configuration space, written here by hand. */
enum {
	INSPECT_AT = 0xd8,
	INSPECT_HEX = 64,
	BOX_CTL_AT = 0xf4,
};
enum { PAUSE_NS = 1000000 }; /* longer than any access takes, shorter than each interval here and each turn */
/* Snow Ridge, in memory, from BOX_CTL on: Linux arch/x86/events/intel/uncore_snbep.c, SNR_IMC_MMIO_PMON_*. */
enum { MEMORY_CTL_AT = 0x40, MEMORY_BOX_CTL_AT = 0 };
/* Monitoring of caches: Intel SDM vol. 3, "Intel Resource Director Technology", likewise. */
enum { QM_EVTSEL_AT = 0xc8d, PQR_ASSOC_AT = 0xc8f };
enum { EVTSEL_BEFORE_SAMPLES = 3 }; /* is the RMID clean, and two first readings */

struct box_ctl { /* what was written last to one */
	char place[32];
	bool frozen;
	unsigned released; /* the access that did; 0: none */
};

/* A release that fails is written again, whether that was meant anyhow or not. */
static void learn_release(struct baseline *b, const char *place, bool frozen, struct box_ctl *last)
{
	bool same = strcmp(place, last->place) == 0;

	b->release[b->n] = same && !frozen && (last->frozen || (last->released && last->released == b->n - 1));
	last->released = b->release[b->n] ? b->n : 0;
	last->frozen = frozen;
	snprintf(last->place, sizeof(last->place), "%s", place);
}

/*
 * Controls are read before anything else is done to a box.  The start is over with the pause of the first interval; a dry run
 * has none, and comes to its end, where the controls are read once more.
 */
static void learn_start(struct baseline *b, bool paused, bool inspects, bool dry)
{
	if (b->start_first && !b->start_last && (paused || (dry && inspects && b->n >= b->start_first + CHANNELS)))
		b->start_last = b->n - 1;
	if (inspects && !b->start_first)
		b->start_first = b->n;
}

/* The last accesses before the first sample follow the third write of QM_EVTSEL: CTR is read, and EVTSEL again. */
static void learn_monitoring(struct baseline *b, const char *op, unsigned off, unsigned *n_selected)
{
	if (off == PQR_ASSOC_AT && !b->start_first)
		b->start_first = b->n;
	if (off == QM_EVTSEL_AT && strcmp(op, "w64") == 0 && ++*n_selected == EVTSEL_BEFORE_SAMPLES)
		b->start_last = b->n + 2;
}

/* Field number n of a record, from 1. */
static double field_of(const char *record, unsigned n)
{
	while (--n && record)
		record = strchr(record + 1, ',');
	return record ? strtod(record + 1, NULL) : 0;
}

/* Where the start begins and ends, from the trace of a run without fault. */
void learn(struct world *world, const struct command *command, struct baseline *b)
{
	unsigned n_selected = 0;
	unsigned long long now, before = 0;
	struct box_ctl last = {.place = ""};
	struct outcome *outcome = malloc(sizeof(*outcome));
	bool in_memory = is_in_memory(command);
	char line[9000];
	FILE *trace;

	run(world, command, "", NULL, outcome);
	if (outcome->status != 0)
		die(command->name);
	if (command->kind == MONITORS) {
		const char *record = strchr(outcome->out, '\n');

		world->llc_rate[0] = field_of(record, 10);
		world->llc_rate[1] = field_of(record, 13);
		if (!(world->llc_rate[0] > world->llc_rate[1] && world->llc_rate[1] > 1e6))
			die("llc without a fault has no rates");
	}
	free(outcome);
	*b = (struct baseline){0};
	trace = fopen(world->trace, "re");
	while (trace && fgets(line, sizeof(line), trace) && b->n + 1 < ACCESSES_MAX) {
		char place[32], op[8], value[8200];
		unsigned off;

		if (sscanf(line, "%llu %*s %31s %7s 0x%x %8199s", &now, place, op, &off, value) != 5)
			die("a line of the trace makes no sense");
		b->n++;
		b->write[b->n] = op[0] == 'w';
		b->imc[b->n] = strstr(place, in_memory ? "0xf" : ":10.") != NULL;
		if (command->kind == MONITORS)
			learn_monitoring(b, op, off, &n_selected);
		if (strcmp(op, "w32") == 0 && off == (in_memory ? MEMORY_BOX_CTL_AT : BOX_CTL_AT))
			learn_release(b, place, strstr(value, "0x00010100") != NULL, &last);
		if (in_memory)
			learn_start(b, now - before >= PAUSE_NS, strcmp(op, "r32") == 0 && off == MEMORY_CTL_AT, false);
		else if (command->kind != MONITORS)
			learn_start(b, now - before >= PAUSE_NS,
				    strcmp(op, "rblk") == 0 && off == INSPECT_AT && strlen(value) == INSPECT_HEX,
				    command->kind == DRY);
		before = now;
	}
	if (trace)
		fclose(trace);
	if (in_memory)
		b->start_first--; /* BOX_CTL is read before */
	if (command->kind >= MEASURES && command->kind <= DRY && !b->start_last)
		die("a start that has no end");
}
