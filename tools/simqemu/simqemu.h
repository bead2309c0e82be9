/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated machine's functions in the computer that QEMU emulates: what all parts of uncore-simqemu share. */
#ifndef SIMQEMU_SIMQEMU_H
#define SIMQEMU_SIMQEMU_H

#include <sys/types.h>

#include "proxy.h"
#include "served.h"

struct simqemu {
	struct served sim;
	struct link *links; /* one for each function that is not hidden, by address; owned */
	size_t n_links;
	const char *truth_path, *violations_path; /* NULL: not wanted */
	bool extended;                            /* functions have 4096 bytes of configuration space */
	int truth_errno;                          /* the first failure to write one of them after the start */
	pid_t qemu;                               /* 0: not running */
};

/* args.c: words for QEMU, the last one NULL. */
struct args {
	char **words; /* owned, and so are they */
	size_t n;
	bool failed; /* out of memory */
};
/* The program, what makes the machine's functions appear, then what the user says.  DONE, or an exit status. */
int args_make(const struct simqemu *q, const char *program, char **user, struct args *ret_args);
void args_clear(struct args *args);
void args_add(struct args *args, const char *fmt, ...) UNC_PRINTF(2, 3);

/* guest.c: what processors, memory and NUMA nodes the computer has. */
void guest_add(const struct simqemu *q, char **user, struct args *args);
/* Can it be made?  DONE, or an exit status after a sentence. */
int guest_check(char **user);
/* The NUMA node of a socket, if the computer has several nodes; else -1. */
int guest_node(const struct simqemu *q, char **user, unsigned socket);
/* The value of an option's last occurrence ("-m"), or NULL. */
const char *user_value(char **user, const char *option);

/* qemu.c: starting it, DONE or an exit status after a sentence; ending it. */
int qemu_start(struct simqemu *q, const struct args *args);
void qemu_kill(void *simqemu);
/* It failed before it looked at any function: a sentence if that is because it does not know such devices. */
void qemu_explain(const char *program);

/* reports.c: what the hardware really did, into the files that are wanted.  0 or an errno, after a sentence. */
int reports_write(struct simqemu *q);

/* serve.c: until QEMU ends.  The exit status. */
int serve(struct simqemu *q, int signals, const char *program);

#endif
