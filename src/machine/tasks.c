// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds whether other processes used the CPUs of a task: the busy time of these CPUs minus the time of all processes of
 * the task.
 *
 * Both are whole ticks, and a part of a tick is cut off for each CPU and each process.  So 2 % can be decided only over
 * about a second or longer, where it is two ticks of each CPU.  In a shorter time only a much larger share is certain.
 */
#include "machine/tasks.h"

enum {
	PROC_STAT_MAX = 8 << 20,
	ONE_IN = 50,        /* 2 % */
	TICKS_AT_LEAST = 2, /* more ticks than these are of others */
	DECIDE_TICKS = 90,  /* of each CPU; less than a second, since an interval of a second may seem to have 99 */
	TICKS_CUT_OFF = 4,  /* of the four times of a process */
	TICKS_OF_CPU = 2,   /* of the user and system time of a CPU, which a task has too */
	DEVIATIONS = 3,     /* deviations that chance may cause: less than one interval in 700 exceeds three upwards */
};

struct used {
	uint64_t ticks; /* that the tree used between two walks */
	bool known;     /* false: a process ended whose last use is not known */
};

/*
 * The time of a process that ended and was waited for is part of its parent's waited-for time, from its first moment
 * on, so the sum over all present processes grows only by what was used.  The time of a child that was not waited for
 * (SIGCHLD ignored, or its parent had ended) is not added: then its use since the last walk is not known.
 */
static struct used used_between(const struct unc_task_walk *before, const struct unc_task_walk *after)
{
	struct used used = {.known = true};
	uint64_t ended = 0, n_ended = 0, waited = 0, grown = 0;

	for (size_t i = 0; i < after->n_members; i++) {
		grown += after->members[i].total;
		waited += after->members[i].waited;
	}
	for (size_t i = 0; i < before->n_members; i++) {
		const struct unc_task_member *was = &before->members[i], *is = NULL;

		for (size_t k = 0; k < after->n_members && !is; k++)
			if (after->members[k].pid == was->pid && after->members[k].starttime == was->starttime)
				is = &after->members[k];
		if (!is) {
			ended += was->total;
			n_ended++;
			continue;
		}
		grown -= was->total < grown ? was->total : grown;
		waited -= was->waited < waited ? was->waited : waited;
	}
	if (ended > waited + TICKS_CUT_OFF * n_ended)
		used.known = false;
	used.ticks = grown - (ended < waited ? ended : waited);
	return used;
}

/* Free the result with free().  NULL: this machine does not report it, or not now.  UNC_ENOMEM. */
static int read_times(struct unc_task *task, struct unc_cpu_time **ret_times)
{
	struct unc_host *host = task->m->host;
	struct unc_cpu_time *times, time;
	const char *rest;
	uint64_t cpu;
	char *text;
	int rc = unc_host_file(host, "/proc/stat", PROC_STAT_MAX, &text, NULL);

	*ret_times = NULL;
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	times = calloc(UNC_CPUSET_MAX, sizeof(*times));
	for (rest = text; times && unc_proc_next_cpu_time(&rest, &cpu, &time);)
		if (cpu < UNC_CPUSET_MAX && task->at_open.has[cpu])
			times[cpu] = time;
	free(text);
	if (!times)
		return unc_fail(host->ctx, UNC_ENOMEM, "out of memory");
	*ret_times = times;
	return UNC_OK;
}

struct spent { /* by all the CPUs together */
	uint64_t busy, total;
	size_t n_cpus;
	bool comparable; /* no CPU came or went, and no time ran backwards */
};

static struct spent spent_between(const struct unc_cpu_time *before, const struct unc_cpu_time *after)
{
	struct spent spent = {.comparable = true};

	for (size_t i = 0; i < UNC_CPUSET_MAX; i++) {
		if (!before[i].told && !after[i].told)
			continue;
		if (before[i].told != after[i].told || after[i].busy < before[i].busy ||
		    after[i].total < before[i].total) {
			spent.comparable = false;
			continue;
		}
		spent.busy += after[i].busy - before[i].busy;
		spent.total += after[i].total - before[i].total;
		spent.n_cpus++;
	}
	return spent;
}

/*
 * Decides whether it is more than 2 %, whatever the ticks hide.  Besides cut-off ticks there is chance: the kernel
 * samples the busy time of a CPU (Linux kernel/sched/cputime.c, irqtime_account_process_tick() and
 * account_process_tick()), while the time of a process is exact (cputime_adjust() there).  For n samples of a CPU that
 * the task uses for a part p of the time the deviation is sqrt(n p (1 - p)); for several CPUs with mean p it is at most
 * that.
 */
static bool is_surely_others(const struct spent *spent, uint64_t used, uint64_t others, size_t n_processes)
{
	uint64_t over, cut_off = TICKS_OF_CPU * spent->n_cpus + TICKS_CUT_OFF * n_processes;

	if (others <= spent->total / ONE_IN + cut_off)
		return false;
	over = others - spent->total / ONE_IN - cut_off;
	return over * over * spent->total > (uint64_t)DEVIATIONS * DEVIATIONS * used * (spent->total - used);
}

/*
 * Call it after each walk, before task->last is replaced: sets or clears UNC_TASK_OTHERS in task->flags.  UNC_ENOMEM.
 */
static int task_time_look(struct unc_task *task, const struct unc_task_walk *now)
{
	struct used used = used_between(&task->last, now);
	struct spent spent = {.comparable = false};
	bool others_found = false;
	uint64_t others;
	int rc;

	if (!task->stat_told)
		return UNC_OK;
	task->used += used.ticks;
	free(task->latest);
	rc = read_times(task, &task->latest);
	if (rc < 0)
		return rc;
	if (used.known && !now->cut && !now->no_children && !(task->flags & UNC_TASK_MOVED) && task->begun &&
	    task->latest)
		spent = spent_between(task->begun, task->latest);
	task->spoilt |= !spent.comparable;
	if (!task->spoilt && !spent.n_cpus)
		return UNC_OK;
	others = spent.busy > task->used ? spent.busy - task->used : 0;
	if (!task->spoilt && spent.total >= spent.n_cpus * DECIDE_TICKS) {
		task->decided = true;
		others_found = others > TICKS_AT_LEAST && others > spent.total / ONE_IN;
	} else if (!task->spoilt) {
		/* An earlier walk of the same interval may have been certain when this one is not. */
		task->decided = is_surely_others(&spent, task->used, others, now->n_members);
		others_found = task->decided || task->others_before;
	}
	task->flags &= ~(unsigned)UNC_TASK_OTHERS;
	task->flags |= others_found ? UNC_TASK_OTHERS : 0;
	return UNC_OK;
}

/* Processes: on which CPUs they may run, and whether others run there too. */

enum { LOOKS_PART = 20 /* walks take at most one part in so many of the time */ };

/*
 * Reads which CPUs are online.  A mask may have more: for a process that was never bound, every CPU that could exist.
 */
static int find_online(struct unc_task *task)
{
	struct unc_host *host = task->m->host;
	struct unc_host_cpu *cpus;
	size_t n;
	int rc = host->ops->cpus(host, &cpus, &n);

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	task->online_told = true;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].online && cpus[i].cpu < UNC_CPUSET_MAX)
			task->online.has[cpus[i].cpu] = true;
	free(cpus);
	return UNC_OK;
}

/* A simulated machine has processes of its own only if it was given such files; else they are those of this computer. */
static int name_it(struct unc_task *task, unsigned pid)
{
	struct unc_host *host = task->m->host;
	const char *const *names;
	size_t n;
	int rc = UNC_OK;

	task->proc = "/proc";
	if (pid) {
		task->root.pid = pid;
		snprintf(task->root.name, sizeof(task->root.name), "%u", pid);
		snprintf(task->title, sizeof(task->title), "process %u", pid);
		if (host->simulated)
			rc = unc_host_names(host, "/proc", &names, &n);
		if (host->simulated && rc == 0)
			free((void *)names);
		if (rc == UNC_ENOMEM)
			return rc;
	} else {
		if (host->command <= 0)
			return unc_fail(task->m->ctx, UNC_EARG, "there is no COMMAND whose CPUs could be told");
		task->root.pid = (uint64_t)host->command;
		snprintf(task->root.name, sizeof(task->root.name), "COMMAND");
		snprintf(task->title, sizeof(task->title), "COMMAND");
	}
	if (!pid || rc < 0)
		task->proc = "own:/proc";
	return UNC_OK;
}

static int first_look(struct unc_task *task)
{
	struct unc_ctx *ctx = task->m->ctx;
	struct unc_task_walk walk;
	int rc = unc_task_walk(task, &walk);

	if (rc < 0)
		return unc_wrap(ctx, rc, "%s", task->title);
	task->last = walk;
	task->root = walk.members[0];
	if (walk.gone)
		return unc_fail(ctx, UNC_ENODEV, "%s: there is no such process, or it has ended", task->title);
	if (unc_cpuset_count(&walk.cpus) == 0)
		return unc_fail(ctx, UNC_ENODEV, "%s: it may run on no CPU that is online on this machine",
				task->title);
	task->at_open = walk.cpus;
	if (walk.no_children)
		unc_note(ctx,
			 "%s: this kernel does not tell what it started (CONFIG_PROC_CHILDREN), so only the process "
			 "itself is looked at, and not whether others use its CPUs",
			 task->title);
	return UNC_OK;
}

static void note_cut(struct unc_task *task)
{

	if (!task->last.cut || task->cut_told)
		return;
	task->cut_told = true;
	unc_note(task->m->ctx,
		 "%s: of its threads only the first %d are looked at, and not whether others use its CPUs", task->title,
		 UNC_TASK_THREADS_MAX);
}

int unc_task_open(struct unc_machine *machine, unsigned pid, struct unc_task **ret_task)
{
	struct unc_task *task = calloc(1, sizeof(*task));
	int rc;

	if (!task)
		return unc_fail(machine->ctx, UNC_ENOMEM, "out of memory");
	task->m = machine;
	rc = name_it(task, pid);
	if (rc == 0)
		rc = find_online(task);
	if (rc == 0)
		rc = first_look(task);
	if (rc == 0)
		rc = read_times(task, &task->begun);
	if (rc < 0) {
		unc_task_close(task);
		return rc;
	}
	task->stat_told = task->begun != NULL;
	note_cut(task);
	*ret_task = task;
	return UNC_OK;
}

void unc_task_close(struct unc_task *task)
{
	if (!task)
		return;
	free(task->last.members);
	free(task->begun);
	free(task->latest);
	free(task->cpus);
	free(task);
}

int unc_task_cpus(struct unc_task *task, const unsigned **ret_cpus, size_t *ret_n)
{
	size_t n = unc_cpuset_count(&task->last.cpus), k = 0;
	unsigned *cpus = calloc(n ? n : 1, sizeof(*cpus));

	if (!cpus)
		return unc_fail(task->m->ctx, UNC_ENOMEM, "out of memory");
	for (unsigned i = 0; i < UNC_CPUSET_MAX; i++)
		if (task->last.cpus.has[i])
			cpus[k++] = i;
	free(task->cpus);
	task->cpus = cpus;
	*ret_cpus = cpus;
	*ret_n = n;
	return UNC_OK;
}

static int update(struct unc_task *task)
{
	struct unc_task_walk walk;
	unsigned flags = task->flags & UNC_TASK_OTHERS;
	bool known;
	int rc = unc_task_walk(task, &walk);

	if (rc < 0)
		return unc_wrap(task->m->ctx, rc, "%s", task->title);
	if (walk.gone) {
		task->flags = UNC_TASK_GONE | flags;
		free(walk.members);
		return UNC_OK;
	}
	/*
	 * An empty set means not known, so it is not a move.  If only some threads were read, another may still run on a missing
	 * CPU.
	 */
	known = unc_cpuset_count(&walk.cpus) != 0;
	for (size_t i = 0; known && i < UNC_CPUSET_MAX; i++) {
		if (walk.cpus.has[i] && !task->at_open.has[i])
			flags |= UNC_TASK_MOVED;
		if (!walk.cpus.has[i] && task->at_open.has[i] && !walk.cut)
			flags |= UNC_TASK_NARROWED;
	}
	task->flags = flags;
	rc = task_time_look(task, &walk);
	free(task->last.members);
	task->last = walk;
	note_cut(task);
	return rc;
}

int unc_task_look(struct unc_task *task, unsigned *ret_flags)
{
	struct unc_host *host = task->m->host;
	uint64_t begun_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
	int rc = UNC_OK;

	if (!(task->flags & UNC_TASK_GONE) && begun_ns - task->looked_ns >= (LOOKS_PART - 1) * task->look_cost_ns) {
		rc = update(task);
		task->looked_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
		task->look_cost_ns = task->looked_ns - begun_ns;
	}
	if (rc == 0)
		*ret_flags = task->flags;
	return rc;
}

void unc_task_begin(struct unc_task *task)
{
	if (task->flags & UNC_TASK_GONE) {
		task->flags = UNC_TASK_GONE;
	} else if (task->decided || task->spoilt) {
		task->others_before = task->flags & UNC_TASK_OTHERS;
		free(task->begun);
		task->begun = task->latest;
		task->latest = NULL;
		task->used = 0;
		task->decided = false;
		task->spoilt = false;
	}
}
