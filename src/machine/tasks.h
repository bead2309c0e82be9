/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of /proc (Linux Documentation/filesystems/proc.rst, proc(5)).  Whatever stands in them, these functions end and say
 * whether it made sense.
 */
#ifndef UNC_MACHINE_TASKS_H
#define UNC_MACHINE_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "uncore/task.h"

/*
 * Clock ticks a second in these texts.  USER_HZ is 100 on every architecture that has the registers we are for (Linux
 * include/asm-generic/param.h), whatever the kernel's own HZ; no file tells it.
 */
enum { UNC_PROC_HZ = 100 };

enum { UNC_CPUSET_MAX = 8192 }; /* the most that Linux can be built for: NR_CPUS of x86 */
struct unc_cpuset {
	bool has[UNC_CPUSET_MAX];
};

/* A list as Linux writes them.  False: it is none, or names a CPU that no kernel has; the set is as before. */
bool unc_cpuset_of_list(const char *list, struct unc_cpuset *ret_set);
size_t unc_cpuset_count(const struct unc_cpuset *set);

/* Of /proc/PID/stat; times in ticks, of all threads that the process has and had. */
struct unc_proc_stat {
	char comm[64]; /* with spaces and parentheses, if it has such */
	char state;    /* 'Z': it has ended, and was not waited for yet */
	uint64_t utime, stime;
	uint64_t cutime, cstime; /* of children that ended and were waited for, and of theirs */
	uint64_t n_threads;
	uint64_t starttime; /* since boot: tells it from one that has its number later */
	uint64_t vsize;     /* bytes */
	bool processor_told;
	uint64_t processor; /* that it runs on, or ran on last; of a process its first thread */
};
bool unc_proc_stat_parse(const char *text, struct unc_proc_stat *ret_stat);
/* It has ended.  A first thread that ended before the others is a zombie too, while the process lives. */
bool unc_proc_ended(const struct unc_proc_stat *stat);

/* Cpus_allowed_list of /proc/PID/task/TID/status. */
bool unc_proc_status_cpus(const char *text, struct unc_cpuset *ret_set);

/* The next number of a line, as of /proc/PID/task/TID/children; *rest moves on.  False: there is none any more. */
bool unc_proc_next_number(const char **rest, uint64_t *ret_number);

struct unc_cpu_time { /* of a CPU since boot, in ticks */
	bool told;    /* a CPU that is offline is not */
	uint64_t busy;
	uint64_t total;
};
/*
 * Lines of /proc/stat, "cpu17 ...".  Busy is all but idle and iowait: user, nice, system, irq, softirq, and steal, in which
 * a hypervisor gave the processor to another guest.  guest and guest_nice are within user and nice, and are not added again.
 */
void unc_proc_cpu_times(const char *text, void (*add)(void *arg, uint64_t cpu, const struct unc_cpu_time *time),
			void *arg);

/* A process and all that it started, between the files of tasks.  Inside machine/ only. */

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

/* proc.c: looks at every process of the tree, ret_walk->members is the caller's to free().  As unc_task_look(). */
int unc_task_walk(struct unc_task *task, struct unc_task_walk *ret_walk);

/* tasks.c */

#endif
