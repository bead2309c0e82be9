/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process and all that it started, whose CPUs are monitored. */
#ifndef UNCORE_TASK_H
#define UNCORE_TASK_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

struct unc_task; /* a process and all that it started */

/*
 * Looks at a process for the first time.  pid 0: that of unc_machine_cfg.command_pid, on the computer that this program runs on;
 * any other pid belongs to the machine, unless that is a simulated one without files of its own. UNC_ENODEV: there is no such
 * process, or it may run on no CPU of this machine; UNC_EARG: pid 0, and there is no COMMAND; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_task_open(struct unc_machine *machine, unsigned pid, struct unc_task **ret_task);
/* NULL is fine. */
UNC_API void unc_task_close(struct unc_task *task);
/*
 * Returns the CPUs on which its threads and those of what it started might run at the last look, sorted; only those that were
 * online when it was opened.  The array lives until the next call for this task.  UNC_ENOMEM.
 */
UNC_API int unc_task_cpus(struct unc_task *task, const unsigned **ret_cpus, size_t *ret_n);
enum unc_task_flag {
	UNC_TASK_MOVED = 1 << 0, /* it may run on a CPU on which it might not when it was opened */
	/*
	 * Other tasks used the CPUs that it had when it was opened for more than 2 % of the interval until now.  The figures are
	 * in ticks of 10 ms: in an interval of less than about a second the flag is set only if ticks cannot explain the excess.
	 * Otherwise the flag is that of the interval before, and this one continues into the next.
	 */
	UNC_TASK_OTHERS = 1 << 1,
	UNC_TASK_GONE = 1 << 2,     /* it has ended; this flag stays set */
	UNC_TASK_NARROWED = 1 << 3, /* it may not run on some CPU on which it might when it was opened */
};
/*
 * Looks at it now, unless looks would take more than a twentieth of the time: then the flags are those of the look before.  What
 * this machine does not report is not flagged.  Other tasks cannot be distinguished from it, and so are not flagged, in an
 * interval in which it was moved, had more than 1024 threads, or a process of it ended and was not waited for.  UNC_EPERM,
 * UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_task_look(struct unc_task *task, unsigned *ret_flags);
/* Ends an interval at the last look, and begins the next. */
UNC_API void unc_task_begin(struct unc_task *task);

#ifdef __cplusplus
}
#endif

#endif
