// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy.h"

enum { WINDOW_DEV = 0x10 }; /* on bus 0, where QEMU's own are below and at the end */

static int link_open(const struct unc_sim_pci *pci, struct link *link)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	*link = (struct link){.addr = pci->addr, .socket = pci->socket, .fd = ends[0], .theirs = ends[1]};
	return 0;
}

static int window_open(struct link *link)
{
	const struct unc_sim_pci place = {.addr = {.kind = UNC_PCI, .pci = {.dev = WINDOW_DEV}}};
	int error = link_open(&place, link);

	link->is_window = true;
	return error;
}

int links_open(struct served *sim, bool extended, struct link **ret_links, size_t *ret_n)
{
	size_t windows = unc_sim_info(sim->host).memory_bytes > 0, n = windows + unc_sim_info(sim->host).n_pcis, i;
	struct link *links = calloc(n + 1, sizeof(*links));
	int error = links ? 0 : ENOMEM;

	for (i = 0; i < n && !error; i++) {
		struct unc_sim_pci pci = {0};

		if (i >= windows)
			unc_sim_pci(sim->host, i - windows, &pci);
		error = i < windows ? window_open(&links[i]) : link_open(&pci, &links[i]);
		links[i].extended = extended;
	}
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
