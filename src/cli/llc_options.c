// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/llc_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { CPUS = SAMPLER_OWN_OPTION, GROUP, PID, ALL_RMIDS, EVENTS, READ_CPU, SHARED, NO_WAIT, NO_VERIFY, BIND };

const struct option llc_own_options[] = {
	{"cpus", required_argument, NULL, CPUS},
	{"group", required_argument, NULL, GROUP},
	{"pid", required_argument, NULL, PID},
	{"all-rmids", no_argument, NULL, ALL_RMIDS},
	{"events", required_argument, NULL, EVENTS},
	{"read-cpu", required_argument, NULL, READ_CPU},
	{"shared", no_argument, NULL, SHARED},
	{"no-wait", no_argument, NULL, NO_WAIT},
	{"no-verify", no_argument, NULL, NO_VERIFY},
	{"bind", required_argument, NULL, BIND},
	{NULL, 0, NULL, 0},
};

static int no_memory(void)
{
	say("out of memory");
	return EXIT_FAILED;
}

/* Makes an empty text visible, too. */
static const char *shown(const char *given)
{
	return *given ? given : "\"\"";
}

/* given: what was typed, for the beginning of the message. */
static int add_cpus(struct cpu_list *list, const char *option, const char *given, const char *text)
{
	switch (cpu_list_add(list, text)) {
	case CPU_LIST_GOOD:
		return EXIT_DONE;
	case CPU_LIST_NO_MEMORY:
		return no_memory();
	case CPU_LIST_TOO_HIGH:
		say("llc: %s %s: there is no such CPU, the highest that could be is %d", option, given, CPU_LIST_MAX);
		return EXIT_NOT_HERE;
	default:
		return usage_error("llc: %s %s: not a list of CPUs, such as 0-3,8", option, shown(given));
	}
}

static int add_group(struct llc_want *want, const char *name, size_t len, struct llc_want_group **ret_group)
{
	struct llc_want_group *groups = unc_array_more(want->groups, want->n_groups, sizeof(*groups));

	if (!groups)
		return no_memory();
	want->groups = groups;
	*ret_group = &groups[want->n_groups];
	(*ret_group)->name = strndup(name, len);
	if (!(*ret_group)->name)
		return no_memory();
	want->n_groups++;
	return EXIT_DONE;
}

static bool same_cpus(const struct cpu_list *one, const struct cpu_list *other)
{
	return one->n == other->n && memcmp(one->cpus, other->cpus, one->n * sizeof(*one->cpus)) == 0;
}

static int take_cpus(struct llc_want *want, const char *list)
{
	struct llc_want_group *group;
	int status = add_group(want, list, strlen(list), &group);

	if (status == EXIT_DONE)
		status = add_cpus(&group->cpus, "--cpus", list, list);
	for (size_t i = 0; status == EXIT_DONE && &want->groups[i] != group; i++)
		if (strcmp(want->groups[i].name, list) == 0 && same_cpus(&want->groups[i].cpus, &group->cpus))
			status = usage_error("llc: --cpus %s: given twice", list);
	return status;
}

/* Names appear in tables and in records, where they are printed unchanged. */
static bool good_name(const char *name, size_t len)
{
	const char *end = name + len;

	while (name < end) {
		char piece[UNC_TEXT_PIECE];
		const char *at = name;

		if (unc_text_show_next(&name, piece) != (size_t)(name - at))
			return false;
	}
	return true;
}

static int take_group(struct llc_want *want, const char *text)
{
	const char *equals = strchr(text, '=');
	struct llc_want_group *group;
	int status;

	if (!equals || equals == text)
		return usage_error("llc: --group %s: write NAME=LIST, such as web=0-3,8", shown(text));
	if (!good_name(text, (size_t)(equals - text)))
		return usage_error("llc: --group %s: the NAME has characters that do not print, or is no UTF-8", text);
	if (strspn(text, " ") == (size_t)(equals - text))
		return usage_error("llc: --group %s: the NAME is blank", text);
	status = add_group(want, text, (size_t)(equals - text), &group);
	return status == EXIT_DONE ? add_cpus(&group->cpus, "--group", text, equals + 1) : status;
}

static int take_pid(struct llc_want *want, const char *text)
{
	struct llc_want_group *group;
	char name[32];
	uint64_t pid;
	int status;

	if (!unc_text_u64(text, &pid) || pid == 0 || pid > INT32_MAX)
		return usage_error("llc: --pid %s: not the number of a process", shown(text));
	snprintf(name, sizeof(name), "pid%u", (unsigned)pid);
	for (size_t i = 0; i < want->n_groups; i++)
		if (want->groups[i].pid == pid)
			return usage_error("llc: --pid %s: given twice", text);
	status = add_group(want, name, strlen(name), &group);
	if (status == EXIT_DONE)
		group->pid = (unsigned)pid;
	return status;
}

static int take_events(struct llc_want *want, const char *given)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local"};
	const char *text = given;

	want->events = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned i = 0;

		while (i < UNC_LLC_EVENTS && (strlen(names[i]) != len || memcmp(names[i], text, len) != 0))
			i++;
		if (i == UNC_LLC_EVENTS)
			return usage_error("llc: --events %s: there are occupancy, total and local, joined by commas",
					   shown(given));
		want->events |= 1U << i;
		if (!text[len])
			return EXIT_DONE;
		text += len + 1;
	}
}

int llc_option(struct llc_want *want, int option)
{
	switch (option) {
	case CPUS:
		return take_cpus(want, optarg);
	case GROUP:
		return take_group(want, optarg);
	case PID:
		return take_pid(want, optarg);
	case EVENTS:
		return take_events(want, optarg);
	case READ_CPU:
		return add_cpus(&want->read_cpus, "--read-cpu", optarg, optarg);
	case BIND:
		return add_cpus(&want->bind, "--bind", optarg, optarg);
	case ALL_RMIDS:
		want->all_rmids = true;
		return EXIT_DONE;
	case SHARED:
		want->shared = true;
		return EXIT_DONE;
	case NO_WAIT:
		want->no_wait = true;
		return EXIT_DONE;
	default:
		want->no_verify = true;
		return EXIT_DONE;
	}
}

/* Does it look like "rmid17", the name of a row of --all-rmids? */
static bool names_rmid(const char *group)
{
	uint64_t rmid;

	return strncmp(group, "rmid", 4) == 0 && unc_text_u64(group + 4, &rmid);
}

int llc_options_done(struct llc_want *want, const struct sampler_options *options)
{
	if (want->bind.n && !options->command)
		return usage_error("llc: --bind is where the COMMAND may run, and there is none; write -- COMMAND");
	/* If groups are named, a COMMAND without --bind only determines the duration. */
	want->command = options->command && (want->bind.n || (want->n_groups == 0 && !want->all_rmids));
	for (size_t i = 0; i < want->n_groups; i++) {
		if (want->command && strcmp(want->groups[i].name, LLC_COMMAND_GROUP) == 0)
			return usage_error("llc: the group of the COMMAND is called " LLC_COMMAND_GROUP
					   "; choose another name");
		if (want->all_rmids && names_rmid(want->groups[i].name))
			return usage_error("llc: --group %s: so a row of --all-rmids is called; choose another name",
					   want->groups[i].name);
	}
	return EXIT_DONE;
}

void llc_want_clear(struct llc_want *want)
{
	for (size_t i = 0; i < want->n_groups; i++) {
		cpu_list_clear(&want->groups[i].cpus);
		free(want->groups[i].name);
	}
	free(want->groups);
	cpu_list_clear(&want->bind);
	cpu_list_clear(&want->read_cpus);
	*want = (struct llc_want){0};
}
