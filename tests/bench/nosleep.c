// SPDX-License-Identifier: GPL-2.0-or-later
/* To be preloaded: who sleeps by ppoll() is back at once, so that CPU time is that of the work between two sleeps. */
#undef _FORTIFY_SOURCE /* with it ppoll() is defined in the header */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>

__attribute__((visibility("default"))) int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
						 const sigset_t *mask)
{
	(void)timeout, (void)mask;
	for (nfds_t i = 0; i < n; i++)
		fds[i].revents = 0;
	return 0;
}
