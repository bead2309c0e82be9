// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>

#include "served.h"

/*
 * Blocked for good.  A shell has SIGINT ignored for what it starts in the background, where it is meant for us all the
 * same; SIGHUP is ignored by nohup(1), which means it.
 */
int signals_open(const int *more, size_t n)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	for (size_t i = 0; i < n; i++)
		sigaddset(&set, more[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
