/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of /proc (Linux Documentation/filesystems/proc.rst, proc(5)).  Whatever stands in them, these functions end and say
 * whether it made sense.
 */
#ifndef UNC_MACHINE_PROC_TEXT_H
#define UNC_MACHINE_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
