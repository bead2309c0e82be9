// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy.h"

static int link_open(struct served *sim, size_t i, struct link *link)
{
	struct unc_sim_pci pci = {0};
	int ends[2];

	unc_sim_pci(sim->host, i, &pci);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	*link = (struct link){.addr = pci.addr, .socket = pci.socket, .fd = ends[0], .theirs = ends[1]};
	return 0;
}

int links_open(struct served *sim, struct link **ret_links, size_t *ret_n)
{
	size_t n = unc_sim_pcis(sim->host), i;
	struct link *links = calloc(n + 1, sizeof(*links));
	int error = links ? 0 : ENOMEM;

	for (i = 0; i < n && !error; i++)
		error = link_open(sim, i, &links[i]);
	*ret_links = links;
	*ret_n = error ? i - (i > 0) : n;
	if (!error)
		return DONE;
	say("no socket for each function can be made: %s", strerror(error));
	return FAILED;
}

void links_close(struct link *links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (links[i].fd >= 0)
			close(links[i].fd);
		if (links[i].theirs >= 0)
			close(links[i].theirs);
	}
	free(links);
}
