// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cpu_list.h"

#include <stdlib.h>

#include "base/text.h"

struct reading {
	struct cpu_list *list;
	bool no_memory;
};

static void add(void *arg, uint64_t number)
{
	struct reading *reading = arg;
	struct cpu_list *list = reading->list;
	unsigned *cpus = unc_array_more(list->cpus, list->n, sizeof(*cpus));

	if (!cpus) {
		reading->no_memory = true;
		return;
	}
	list->cpus = cpus;
	cpus[list->n++] = (unsigned)number;
}

static int compare(const void *a, const void *b)
{
	unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;

	return (one > other) - (one < other);
}

/* Is it a list that is valid except for a number that is too high for a CPU? */
static bool is_too_high(const char *text)
{
	bool high = false, in_range = false;

	for (;; text++) {
		char *end;

		if (*text < '0' || *text > '9')
			return false;
		high |= strtoull(text, &end, 10) > CPU_LIST_MAX; /* ULLONG_MAX if it is higher than that */
		if (!*end)
			return high;
		if (*end != ',' && (*end != '-' || in_range))
			return false;
		in_range = *end == '-';
		text = end;
	}
}

enum cpu_list_fault cpu_list_add(struct cpu_list *list, const char *text)
{
	struct reading reading = {.list = list};
	size_t n = 0;

	if (!unc_text_list(text, CPU_LIST_MAX, add, &reading))
		return is_too_high(text) ? CPU_LIST_TOO_HIGH : CPU_LIST_MALFORMED;
	if (reading.no_memory)
		return CPU_LIST_NO_MEMORY;
	qsort(list->cpus, list->n, sizeof(*list->cpus), compare);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || list->cpus[n - 1] != list->cpus[i])
			list->cpus[n++] = list->cpus[i];
	list->n = n;
	return CPU_LIST_GOOD;
}

bool cpu_list_has(const struct cpu_list *list, unsigned cpu)
{
	return list->n && bsearch(&cpu, list->cpus, list->n, sizeof(*list->cpus), compare);
}

void cpu_list_clear(struct cpu_list *list)
{
	free(list->cpus);
	*list = (struct cpu_list){0};
}
