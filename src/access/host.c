// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/host.h"

#include <stdlib.h>

void unc_topo_clear(struct unc_topo *topo)
{
	if (!topo)
		return;
	free(topo->packages);
	*topo = (struct unc_topo){0};
}

void unc_host_close(struct unc_host *host)
{
	if (host)
		host->ops->close(host);
}
