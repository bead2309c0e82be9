// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/llc_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"

struct adding {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	const struct llc_want *want;
	struct unc_llc *llc;
	struct llc_groups groups;
};

static int no_memory(struct unc_ctx *ctx)
{
	return unc_fail(ctx, UNC_ENOMEM, "out of memory");
}

/* The CPUs of the cache of index l3; UNC_ENODEV: there are fewer caches. */
static int l3_cpus(struct adding *adding, size_t l3, struct unc_l3_info *ret_info, struct cpu_list *ret_cpus)
{
	int rc = unc_l3_info(adding->machine, l3, ret_info);

	if (rc < 0)
		return rc;
	*ret_cpus = (struct cpu_list){0};
	if (cpu_list_add(ret_cpus, ret_info->cpus) == CPU_LIST_GOOD)
		return UNC_OK;
	cpu_list_clear(ret_cpus);
	return no_memory(adding->ctx);
}

static size_t count_l3s(struct adding *adding, int *ret_rc)
{
	struct unc_llc_info info;

	*ret_rc = unc_llc_info(adding->machine, &info);
	return *ret_rc < 0 ? 0 : info.n_l3s;
}

static int add_l3s(struct adding *adding)
{
	int rc;
	size_t n = count_l3s(adding, &rc);

	for (size_t i = 0; i < n && rc == 0; i++) {
		struct unc_l3_info info;
		struct cpu_list cpus;
		char name[32];

		rc = l3_cpus(adding, i, &info, &cpus);
		if (rc < 0)
			return rc;
		snprintf(name, sizeof(name), "l3-%u", info.id);
		rc = unc_llc_add(adding->llc, name, cpus.cpus, cpus.n);
		cpu_list_clear(&cpus);
	}
	return rc;
}

/*
 * Adds the CPUs of an L3 on which a process may run.  If these are all of them it fails (except with --shared), since the process
 * cannot be distinguished from others that run there.
 */
static int take_online(struct adding *adding, const struct cpu_list *allowed, size_t l3, const char *who,
		       const char *how_to_bind, struct cpu_list *online)
{
	struct unc_l3_info info;
	struct cpu_list cpus;
	size_t n = 0;
	int rc = l3_cpus(adding, l3, &info, &cpus);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < cpus.n; i++)
		if (cpu_list_has(allowed, cpus.cpus[i]))
			online->cpus[online->n + n++] = cpus.cpus[i];
	online->n += n;
	if (n == cpus.n && !adding->want->shared)
		rc = unc_fail(adding->ctx, UNC_EARG,
			      "llc: %s may run on every CPU of L3 %u (%s), so that whatever else runs there would be "
			      "counted as its own; bind it to fewer (%s), or count all (--shared)",
			      who, info.id, info.cpus, how_to_bind);
	cpu_list_clear(&cpus);
	return rc;
}

/* The online ones of the CPUs on which it may run: the operating system's list also names CPUs that could be plugged in. */
static int online_cpus(struct adding *adding, const struct cpu_list *allowed, const char *who, const char *how_to_bind,
		       struct cpu_list *ret_online)
{
	struct cpu_list online = {.cpus = calloc(allowed->n + 1, sizeof(*online.cpus))};
	int rc;
	size_t n = count_l3s(adding, &rc);

	if (!online.cpus)
		return no_memory(adding->ctx);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_online(adding, allowed, i, who, how_to_bind, &online);
	if (rc == 0 && online.n == 0)
		rc = unc_fail(adding->ctx, UNC_ENODEV,
			      "llc: %s may run on no CPU that is online on this machine; bind it to one (%s)", who,
			      how_to_bind);
	if (rc < 0)
		cpu_list_clear(&online);
	else
		*ret_online = online;
	return rc;
}

static int keep_task(struct llc_groups *groups, const char *group, bool is_pid, struct unc_task *task)
{
	struct llc_task *tasks = unc_array_more(groups->tasks, groups->n_tasks, sizeof(*tasks));
	struct llc_task kept = {.group = unc_text_dup(group), .is_pid = is_pid, .task = task};

	if (tasks)
		groups->tasks = tasks;
	if (!tasks || !kept.group) {
		free(kept.group);
		unc_task_close(task);
		return UNC_ENOMEM;
	}
	tasks[groups->n_tasks++] = kept;
	return UNC_OK;
}

/* pid 0: the COMMAND. */
static int add_task(struct adding *adding, const char *group, unsigned pid)
{
	struct cpu_list allowed = {0}, online = {0};
	const unsigned *cpus;
	struct unc_task *task;
	char who[40] = LLC_COMMAND_GROUP;
	int rc = unc_task_open(adding->machine, pid, &task);

	if (rc < 0)
		return rc;
	if (pid)
		snprintf(who, sizeof(who), "process %u", pid);
	if (keep_task(&adding->groups, group, pid != 0, task) < 0)
		return no_memory(adding->ctx);
	rc = unc_task_cpus(task, &cpus, &allowed.n);
	if (rc < 0)
		return rc;
	allowed.cpus = malloc(allowed.n * sizeof(*cpus) + 1);
	if (!allowed.cpus)
		return no_memory(adding->ctx);
	memcpy(allowed.cpus, cpus, allowed.n * sizeof(*cpus));
	rc = online_cpus(adding, &allowed, who, pid ? "taskset -p" : "--bind LIST", &online);
	if (rc == 0)
		rc = unc_llc_add(adding->llc, group, online.cpus, online.n);
	cpu_list_clear(&online);
	cpu_list_clear(&allowed);
	return rc;
}

static int add_all(struct adding *adding)
{
	const struct llc_want *want = adding->want;
	int rc = UNC_OK;

	for (size_t i = 0; i < want->n_groups && rc == 0; i++) {
		const struct llc_want_group *group = &want->groups[i];

		rc = group->pid ? add_task(adding, group->name, group->pid)
				: unc_llc_add(adding->llc, group->name, group->cpus.cpus, group->cpus.n);
	}
	if (rc == 0 && want->command)
		rc = add_task(adding, LLC_COMMAND_GROUP, 0);
	if (rc == 0 && want->all_rmids)
		rc = unc_llc_add_rmids(adding->llc);
	if (rc == 0 && want->n_groups == 0 && !want->command && !want->all_rmids)
		rc = add_l3s(adding);
	return rc;
}

int llc_groups_add(struct unc_ctx *ctx, struct unc_machine *machine, const struct llc_want *want, struct unc_llc *llc,
		   struct llc_groups *ret_groups)
{
	struct adding adding = {.ctx = ctx, .machine = machine, .want = want, .llc = llc};
	int rc = add_all(&adding);

	if (rc < 0)
		llc_groups_clear(&adding.groups);
	else
		*ret_groups = adding.groups;
	return rc;
}

void llc_groups_clear(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		unc_task_close(groups->tasks[i].task);
		free(groups->tasks[i].group);
	}
	free(groups->tasks);
	*groups = (struct llc_groups){0};
}

int llc_groups_look(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		unsigned flags;
		int rc = unc_task_look(groups->tasks[i].task, &flags);

		if (rc < 0)
			return rc;
		/* The flag for other tasks covers the interval as a whole, all other flags any moment in it. */
		groups->tasks[i].seen &= ~(unsigned)UNC_TASK_OTHERS;
		groups->tasks[i].seen |= flags;
	}
	return UNC_OK;
}

void llc_groups_end_interval(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		groups->tasks[i].flags = groups->tasks[i].seen;
		groups->tasks[i].seen = 0;
		unc_task_begin(groups->tasks[i].task);
	}
}

unsigned llc_groups_flags(const struct llc_groups *groups, const char *group)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		const struct llc_task *task = &groups->tasks[i];

		if (strcmp(task->group, group) == 0)
			return task->is_pid ? task->flags : task->flags & ~(unsigned)UNC_TASK_GONE;
	}
	return 0;
}

bool llc_groups_ended(const struct llc_groups *groups)
{
	size_t pids = 0, ended = 0;

	for (size_t i = 0; i < groups->n_tasks; i++) {
		pids += groups->tasks[i].is_pid;
		ended += groups->tasks[i].is_pid && (groups->tasks[i].flags & UNC_TASK_GONE);
	}
	return pids && ended == pids;
}
