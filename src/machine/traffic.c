// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic between CPUs and memory that is made on purpose. */
#include "base/err.h"
#include "machine/machine.h"

static int none(const struct unc_machine *m)
{
	return unc_fail(m->ctx, UNC_ENOSUP, "%s: nobody can make memory traffic on this machine from here", m->name);
}

int unc_traffic_start(struct unc_machine *m, const struct unc_traffic *traffic)
{
	struct unc_host *host = m->host;
	int rc;

	if (!host->ops->traffic)
		return none(m);
	if (m->has_traffic)
		return unc_fail(m->ctx, UNC_EARG, "%s: memory traffic is being made already", m->name);
	if (!traffic->n_cpus || !traffic->size_bytes)
		return unc_fail(m->ctx, UNC_EARG, "%s: memory traffic needs a CPU, and a buffer of some size", m->name);
	rc = host->ops->traffic(host, UNC_TRAFFIC_START, traffic, NULL);
	m->has_traffic = rc == 0;
	return rc;
}

static int ask(struct unc_machine *m, enum unc_traffic_op op, struct unc_traffic_done *ret_done)
{
	struct unc_traffic_done done;
	int rc;

	if (!m->has_traffic)
		return unc_fail(m->ctx, UNC_EARG, "%s: no memory traffic is being made", m->name);
	rc = m->host->ops->traffic(m->host, op, NULL, &done);
	if (rc == 0)
		*ret_done = done;
	return rc;
}

int unc_traffic_look(struct unc_machine *m, struct unc_traffic_done *ret_done)
{
	return ask(m, UNC_TRAFFIC_LOOK, ret_done);
}

int unc_traffic_stop(struct unc_machine *m, struct unc_traffic_done *ret_done)
{
	int rc = ask(m, UNC_TRAFFIC_STOP, ret_done);

	m->has_traffic = false;
	return rc;
}
