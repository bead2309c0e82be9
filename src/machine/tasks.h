/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of /proc (Linux Documentation/filesystems/proc.rst, proc(5)).  For any text these functions end and report
 * whether it made sense.
 */
#ifndef UNC_MACHINE_TASKS_H
#define UNC_MACHINE_TASKS_H

#include "machine/machine.h"
#include "uncore/task.h"

enum { UNC_CPUSET_MAX = 8192 }; /* the maximum of Linux: NR_CPUS of x86 */
struct unc_cpuset {
	bool has[UNC_CPUSET_MAX];
};

/*
 * Reads a list as Linux writes them.  False: it is not a list, or names a CPU that no kernel has; the set is as before.
 */
bool unc_cpuset_of_list(const char *list, struct unc_cpuset *ret_set);
size_t unc_cpuset_count(const struct unc_cpuset *set);

/* Of /proc/PID/stat; times in ticks, of all present and former threads of the process. */
struct unc_proc_stat {
	char comm[64]; /* may contain spaces and parentheses */
	char state;    /* 'Z': it has ended, and its parent has not waited for it yet */
	uint64_t utime, stime;
	uint64_t cutime, cstime; /* of children that ended and were waited for, and of their children */
	uint64_t n_threads;
	uint64_t starttime; /* since boot: distinguishes it from a later process with the same number */
	uint64_t vsize;     /* bytes */
	bool processor_told;
	uint64_t processor; /* where it runs or ran last; for a process, its first thread */
};
bool unc_proc_stat_parse(const char *text, struct unc_proc_stat *ret_stat);
/*
 * Returns true if it has ended.  A first thread that ended before the others is a zombie too, while the process lives.
 */
bool unc_proc_ended(const struct unc_proc_stat *stat);

/* Cpus_allowed_list of /proc/PID/task/TID/status. */
bool unc_proc_status_cpus(const char *text, struct unc_cpuset *ret_set);

/* Reads the next number of a line, as in /proc/PID/task/TID/children; *rest moves on.  False: there are no more. */
bool unc_proc_next_number(const char **rest, uint64_t *ret_number);

struct unc_cpu_time { /* of a CPU since boot, in ticks */
	bool told;    /* false for a CPU that is offline */
	uint64_t busy;
	uint64_t total;
};
/*
 * Reads the next line "cpu17 ..." of /proc/stat; *rest moves on.  False: there are no more.  Busy is everything except idle and
 * iowait: user, nice, system, irq, softirq, and steal, in which a hypervisor gave the processor to another guest.  guest and
 * guest_nice are part of user and nice, and are not added again.
 */
bool unc_proc_next_cpu_time(const char **rest, uint64_t *ret_cpu, struct unc_cpu_time *ret_time);

/* A process and all that it started: shared by the files of tasks.  Inside machine/ only. */

/* At most this many threads are read each time; each costs three system calls for each of two files. */
enum { UNC_TASK_THREADS_MAX = 1024 };

struct unc_task_member { /* one process of the tree */
	char name[24];   /* its directory in /proc: "1234", or "COMMAND" */
	uint64_t pid;
	uint64_t starttime;
	uint64_t total;  /* ticks that it used, with those of children it waited for */
	uint64_t waited; /* the children's part of these */
	bool alive;
};

/* The result of one walk through the tree. */
struct unc_task_walk {
	struct unc_task_member *members; /* [0] is the process itself; owned */
	size_t n_members;
	size_t n_threads;
	struct unc_cpuset cpus; /* existing CPUs on which any of the threads may run */
	bool cut;               /* there are more threads than are read */
	bool gone;              /* the process itself has ended; nothing else was read */
	bool no_children;       /* this kernel does not report the children of a thread */
};

struct unc_task {
	struct unc_machine *m; /* outlives the task */
	const char *proc;      /* "/proc" or "own:/proc" */
	char title[40];        /* "process 1234" or "COMMAND" */
	struct unc_task_member root;
	struct unc_cpuset online; /* when the task was opened */
	bool online_told;
	struct unc_cpuset at_open;
	struct unc_task_walk last; /* members of the last walk; owned */
	bool cut_told;             /* the note about too many threads was sent */
	unsigned flags;            /* of the last walk */
	uint64_t looked_ns, look_cost_ns;
	unsigned *cpus; /* the result of unc_task_cpus(); owned */

	/*
	 * For UNC_TASK_OTHERS: times of the CPUs at the begin of the interval and at the last walk, UNC_CPUSET_MAX of
	 * each.
	 */
	bool stat_told;                      /* this machine has a /proc/stat */
	struct unc_cpu_time *begun, *latest; /* owned; NULL: not known */
	uint64_t used;                       /* ticks that the tree used in between */
	bool decided;                        /* the interval is long enough, or others surely used more */
	bool others_before;                  /* the decision about the interval before */
	bool spoilt;                         /* a part of the interval is not known */
};

/* proc.c: reads every process of the tree; free ret_walk->members with free().  As unc_task_look(). */
int unc_task_walk(struct unc_task *task, struct unc_task_walk *ret_walk);

#endif
