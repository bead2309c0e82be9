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

#include "../onstate.h"

enum { PATH_TEXT = 512 };
enum { CHANNELS = 4, CPUS = 2, PLACES_MAX = 20000 };

/*
 * What a command is, and which commands a job is for: EACH, also the FEW that die in every way, or ...  SAMPLED: it makes so many
 * accesses that only some places are tried, drawn by lot.  CACHES: it monitors them; else it counts in memory channels.
 * COUNTERS: it writes counters, which stand still.
 */
enum { EACH = 1, FEW = 2, ONE_CHANNEL = 4, SAMPLED = 8, CACHES = 16, COUNTERS = 32 };

struct command {
	const char *name;
	unsigned is;
	const char *machine; /* options of it, besides; of one that is SAMPLED model, size and options */
	const char *args;    /* words with a space between them */
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
	char doing[80];  /* what happens now: the beginning of what is wrong */
	unsigned middle; /* of the accesses of the command */
	bool reached;    /* the last process got as far as the system call of its death */
	bool counted;    /* another program did, since the machine was made: so no counter is as it was */
	pid_t server;    /* who serves the mounted machine; 0: it is not mounted */
};

/* How one process is made to die: by SIGKILL at an access of a simulated machine, or at a system call that matters, or by a signal
 * when it locks the state's file. */
enum place_of { ACCESS, CALL, MOMENT };
struct death {
	enum place_of at;
	unsigned place; /* the place-th of them; 0: it lives */
	int signal;     /* at a moment */
	bool behind;    /* when that has had its effect, else in front of it */
	bool registers; /* of system calls those that may be accesses matter, else those that may be of the journal */
	const char *folder; /* those alone that are about a file there, or a name in it; NULL: all */
	int error;          /* it is not killed there, but the call fails with this; 0: killed */
};

/* world.c */
void world_make(struct world *w);    /* the machine as it is found; its journals are gone */
void world_prepare(struct world *w); /* once for a job */
/* How many registers are not as they were found; what the first is goes to text. */
unsigned world_differs(struct world *w, char *text, size_t size);
/* Is there a journal left?  Then its name is the text. */
bool world_has_journal(const struct world *w, char *text, size_t size);
/* Mounted: a machine whose files uncore-simfs serves, which kills who asks it at that access.  False: it cannot be. */
bool world_mount(struct world *w, const struct death *death);
void world_unmount(struct world *w);
void wrong(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* run.c: as wait_for(). */
int run_command(struct world *w, const struct death *death);
int run_recover(struct world *w, const struct death *death);
/* Another command on the same machine, undisturbed. */
int run_other(struct world *w, const char *args);
/* What it said, but for which machine that is and notes; without its newline. */
void first_line(const struct world *w, char *line, size_t size);
/* The name of a machine with what kills at an access. */
void name_killer(char *buf, size_t size, const char *machine, const struct death *death);
/* Accesses of an undisturbed run of the command. */
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

#endif
