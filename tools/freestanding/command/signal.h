/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_SIGNAL_H
#define UNC_COMMAND_SIGNAL_H
/* No signal comes before an operating system, except that keys are taken for one (cli/os_none.c). */
enum { SIGINT = 2, SIGTERM = 15, SIGPIPE = 13, SA_RESTART = 1 };
#define SIG_DFL ((void (*)(int))0)
struct sigaction {
	void (*sa_handler)(int signal);
	int sa_flags;
};
static inline int sigaction(int signal, const struct sigaction *action, struct sigaction *former)
{
	(void)signal, (void)action;
	if (former)
		*former = (struct sigaction){SIG_DFL, 0};
	return 0;
}
#endif
