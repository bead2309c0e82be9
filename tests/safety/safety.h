/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of `safety` share: a command dies on a simulated machine, wherever it can; `recover` follows; then every register
 * is as it was found, counters excepted.
 */
#ifndef UNC_TESTS_SAFETY_H
#define UNC_TESTS_SAFETY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sim/state.h"

enum { PATH_TEXT = 512 };
enum { CHANNELS = 4, CPUS = 2, PLACES_MAX = 20000, TIMEOUT_S = 20 };

/* Which commands a job is for.  SAMPLED: it makes so many accesses that only some places are tried, drawn by lot. */
enum { EACH = 1, FEW = 2, ONE_CHANNEL = 4, SAMPLED = 8 };

struct command {
	const char *name;
	bool caches;         /* it monitors them; else it counts in memory channels */
	unsigned jobs;       /* of which commands it is one: EACH, also of the FEW that die in every way, or ... */
	bool counters;       /* it writes counters, which stand still */
	const char *machine; /* options of it, besides; of one that is SAMPLED model, size and options */
	const char *args[16];
};
extern const struct command commands[];
extern const size_t n_commands;

/* What the tool and the files around it are; the same for all jobs. */
struct tools {
	const char *uncorectl, *simfs, *sigat, *scratch;
	unsigned step; /* every so many places are tried */
};

struct result {
	unsigned points;       /* ways of dying that were tried */
	unsigned left_by_kill; /* registers that these left changed, in all */
	unsigned left_over;    /* that were so after `recover`, too */
	unsigned wrong;        /* whatever else was not right */
	bool skipped;
	double seconds;
	char told[2000]; /* the first of what is wrong, or why it was skipped */
};

struct world { /* one job's machine */
	const struct tools *tools;
	const struct command *command;
	struct result *result;
	struct unc_sim_state *before, *after; /* their first part alone: REGISTERS */
	char machine[PATH_TEXT + 160];        /* its name, as behind --machine */
	char folder[PATH_TEXT - 32];          /* all files of this job */
	char state[PATH_TEXT], journals[PATH_TEXT], err[PATH_TEXT], trace[PATH_TEXT], mount[PATH_TEXT];
	bool counted; /* somebody else did, since the machine was made: so that no counter is as it was */
	pid_t server; /* who serves the mounted machine; 0: it is not mounted */
};

/* What caches own and have moved stands behind all registers, and is large. */
#define REGISTERS offsetof(struct unc_sim_state, shares)

/* How one process is made to die. */
struct death {
	const char *key; /* of a simulated machine: ",kill=3:after"; or NULL */
	unsigned moment; /* its moment-th lock of the state's file: then this signal; 0: none */
	int signal;
	unsigned call;  /* at its call-th system call that matters: SIGKILL; 0: none */
	bool behind;    /* when that has had its effect, else in front of it */
	bool registers; /* of system calls those that may be accesses matter, else those that may be of the journal */
	const char *folder; /* those alone that are about a file there, or a name in it; NULL: all */
	int error;          /* it is not killed there, but the call fails with this; 0: killed */
};

/* world.c */
void world_make(struct world *w);    /* the machine as it is found; its journals are gone */
void world_prepare(struct world *w); /* once for a job */
void world_clear(struct world *w);
/* How many registers are not as they were found; what the first is goes to text. */
unsigned world_differs(struct world *w, char *text, size_t size);
/* Is there a journal left?  Then its name is the text. */
bool world_has_journal(const struct world *w, char *text, size_t size);
/* Mounted: a machine whose files uncore-simfs serves, with one more key of it, or "".  False: it cannot be. */
bool world_mount(struct world *w, const char *key);
void world_unmount(struct world *w);
void wrong(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* run.c: the exit status; 256 + N: ended by signal N; -1: it had to be killed. */
enum { BY_SIGNAL = 256 };
int run_command(struct world *w, const struct death *death);
/* Its system call fails, and it goes on; false: it did not get so far. */
bool run_failing(struct world *w, const struct death *death, int *ret_status);
int run_recover(struct world *w, const struct death *death);
/* Another command on the same machine, which nobody disturbs. */
int run_other(struct world *w, const char *const *args);
/* What it said, but for which machine that is and notes; without its newline. */
void first_line(const struct world *w, char *line, size_t size);
/* Accesses of a run of the command that nobody disturbs. */
unsigned count_accesses(struct world *w);
/* calls.c: until it has ended.  *ret_reached: it got as far as that system call. */
int follow_calls(pid_t pid, const struct death *death, bool *ret_reached);
bool calls_can_be_followed(void);

/* jobs.c: a way of dying, everywhere it can happen. */
struct job {
	const char *name; /* "SIGKILL at every access" */
	void (*run)(struct world *w);
	unsigned commands; /* EACH, the FEW, or ONE_CHANNEL */
};
extern const struct job jobs[];
extern const size_t n_jobs;
bool job_is_for(const struct job *job, const struct command *command);

#endif
