/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process and all that it started, between the files of tasks.  Inside machine/ only. */
#ifndef UNC_MACHINE_TASKS_H
#define UNC_MACHINE_TASKS_H

#include "machine/machine.h"
#include "machine/proc_text.h"
#include "uncore/task.h"

/* Threads that are looked at each time; a look at one costs three system calls for each of two files. */
enum { UNC_TASK_THREADS_MAX = 1024 };

struct unc_task_member { /* one process of the tree */
	char name[24];   /* its directory in /proc: "1234", or "COMMAND" */
	uint64_t pid;
	uint64_t starttime;
	uint64_t total;  /* ticks that it used, with those of children it waited for */
	uint64_t waited; /* of these the children's */
	bool alive;
};

/* What one walk through the tree has found. */
struct unc_task_walk {
	struct unc_task_member *members; /* [0] is the process itself; owned */
	size_t n_members;
	size_t n_threads;
	struct unc_cpuset cpus; /* that any of the threads may run on, of those that there are */
	bool cut;               /* there are more threads than we look at */
	bool gone;              /* the process itself has ended; nothing else was looked at */
	bool no_children;       /* this kernel does not tell who the children of a thread are */
};

struct unc_task {
	struct unc_machine *m; /* outlives the task */
	const char *proc;      /* "/proc" or "own:/proc" */
	struct unc_task_member root;
	struct unc_cpuset online; /* when it was opened */
	bool online_told;
	struct unc_cpuset at_open;
	struct unc_task_walk last; /* members of last look; owned */
	bool cut_told;             /* that there are too many threads was noted */
	unsigned flags;            /* of the last look */
	uint64_t looked_ns, look_cost_ns;
	unsigned *cpus; /* what unc_task_cpus() gave; owned */

	/* For UNC_TASK_OTHERS: times of the CPUs when the interval began and at the last look, each of UNC_CPUSET_MAX. */
	bool stat_told;                      /* this machine has a /proc/stat */
	struct unc_cpu_time *begun, *latest; /* owned; NULL: not known */
	uint64_t used;                       /* ticks that the tree used in between */
	bool decided;                        /* the interval is long enough, or what others used in it is */
	bool others_before;                  /* what was decided of the interval before */
	bool spoilt;                         /* something in it is not known */
};

/* task_walk.c: looks at every process of the tree, ret_walk->members is the caller's to free().  As unc_task_look(). */
int unc_task_walk(struct unc_task *task, struct unc_task_walk *ret_walk);

/* task_time.c */
/* Begins to compare the time of the CPUs with that of the tree.  UNC_ENOMEM. */
int unc_task_time_open(struct unc_task *task);
/* After each walk, before task->last is replaced by it: sets or clears UNC_TASK_OTHERS in task->flags. UNC_ENOMEM. */
int unc_task_time_look(struct unc_task *task, const struct unc_task_walk *now);
/* As unc_task_begin(). */
void unc_task_time_begin(struct unc_task *task);

#endif
