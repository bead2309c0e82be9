// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/suspend.h"

/* BOOT and MONO are read one after the other, so what lies between them is known as at least and at most so much. */
bool unc_was_suspended(struct unc_suspend *suspend, struct unc_machine *m)
{
	struct unc_host *host = m->host;
	uint64_t before = host->ops->now_ns(host, UNC_CLOCK_MONO), boot = host->ops->now_ns(host, UNC_CLOCK_BOOT);
	uint64_t after = host->ops->now_ns(host, UNC_CLOCK_MONO);
	int64_t least = (int64_t)(boot - after), most = (int64_t)(boot - before);
	bool suspended = least > suspend->asleep_ns;

	if (suspended || most < suspend->asleep_ns)
		suspend->asleep_ns = most;
	return suspended;
}

void unc_suspend_init(struct unc_suspend *suspend, struct unc_machine *m)
{
	suspend->asleep_ns = INT64_MAX;
	unc_was_suspended(suspend, m);
}
