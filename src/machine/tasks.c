// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes: where they may run, and whether others run there too. */
#include "base/err.h"
#include "machine/machine.h"

int unc_task_open(struct unc_machine *machine, unsigned pid, struct unc_task **ret_task)
{
	(void)ret_task;
	return unc_fail(machine->ctx, UNC_ENODEV, "there is no process %u", pid);
}

void unc_task_close(struct unc_task *task)
{
	(void)task;
}

int unc_task_cpus(struct unc_task *task, const unsigned **ret_cpus, size_t *ret_n)
{
	(void)task, (void)ret_cpus, (void)ret_n;
	return UNC_ENODEV;
}

int unc_task_look(struct unc_task *task, unsigned *ret_flags)
{
	(void)task, (void)ret_flags;
	return UNC_ENODEV;
}
