// SPDX-License-Identifier: GPL-2.0-or-later
/* The ways of dying.  Each is tried at every place until the command lives to its end. */
#define _GNU_SOURCE
#include "safety.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const sides[] = {"before", "after"};

static void first_line(const struct world *w, char *line, size_t size)
{
	FILE *err = fopen(w->err, "r");

	line[0] = '\0';
	while (err && fgets(line, (int)size, err) && (strstr(line, ": machine: ") || strstr(line, ": note: ")))
		;
	if (err)
		fclose(err);
	line[strcspn(line, "\n")] = '\0';
}

/* As somebody finds it who did not see what happened: `recover` is all he does. */
static void recovers(struct world *w, const char *how)
{
	char text[300];
	unsigned over;
	int status = run_recover(w, NULL);

	if (status != 0) {
		first_line(w, text, sizeof(text));
		wrong(w, "%s: recover has status %d: %s", how, status, text);
	}
	over = world_differs(w, text, sizeof(text));
	w->result->left_over += over;
	if (over)
		wrong(w, "%s: %u registers are left over: %s", how, over, text);
	if (world_has_journal(w, text, sizeof(text)))
		wrong(w, "%s: the journal %s is left over", how, text);
}

/* It died, and what it left is counted. */
static void died(struct world *w, const char *how)
{
	char text[300];

	w->result->points++;
	w->result->left_by_kill += world_differs(w, text, sizeof(text));
	recovers(w, how);
}

/* It lived: then it has put everything back itself. */
static void lived(struct world *w, const char *how, int status)
{
	char text[300];
	unsigned over = world_differs(w, text, sizeof(text));

	if (status != 0)
		wrong(w, "%s: status %d", how, status);
	w->result->left_over += over;
	if (over)
		wrong(w, "%s: it ended, and %u registers are left: %s", how, over, text);
	if (world_has_journal(w, text, sizeof(text)))
		wrong(w, "%s: it ended, and left the journal %s", how, text);
}

/* One death.  False: there is no such place any more. */
static bool dies(struct world *w, const struct death *death, const char *how)
{
	int status;

	world_make(w);
	status = run_command(w, death);
	if (status != BY_SIGNAL + SIGKILL) {
		lived(w, how, status);
		return false;
	}
	died(w, how);
	return true;
}

static void is_killed(struct world *w, unsigned n_expected)
{
	if (n_expected && w->result->points * w->tools->step + w->tools->step < 2 * n_expected)
		wrong(w, "only %u places of %u: was it killed at all?", w->result->points, 2 * n_expected);
}

static void at_every_access(struct world *w)
{
	unsigned n_accesses = count_accesses(w);
	char key[32], how[64];
	bool alive = true;

	for (unsigned n = 1; alive && n < PLACES_MAX; n += w->tools->step)
		for (unsigned side = 0; side < 2; side++) {
			snprintf(key, sizeof(key), ",kill=%u:%s", n, sides[side]);
			snprintf(how, sizeof(how), "SIGKILL %s access %u", sides[side], n);
			alive = dies(w, &(struct death){.key = key}, how);
		}
	is_killed(w, n_accesses);
}

/* Killed where most is changed: in the middle. */
static unsigned middle(struct world *w)
{
	return count_accesses(w) / 2;
}

static void leave_changed(struct world *w, unsigned n)
{
	char key[32];

	world_make(w);
	snprintf(key, sizeof(key), ",kill=%u:after", n);
	if (run_command(w, &(struct death){.key = key}) != BY_SIGNAL + SIGKILL)
		wrong(w, "it was not killed at access %u", n);
}

/* `recover` is killed there, begun again, killed there again, and then left alone. */
static bool recover_dies(struct world *w, unsigned where, const struct death *death, const char *how)
{
	char text[300];
	int status;

	leave_changed(w, where);
	if (run_recover(w, death) != BY_SIGNAL + SIGKILL) {
		recovers(w, how);
		return false;
	}
	w->result->points++;
	w->result->left_by_kill += world_differs(w, text, sizeof(text));
	status = run_recover(w, death);
	if (status != 0 && status != BY_SIGNAL + SIGKILL)
		wrong(w, "%s: the second recover has status %d", how, status);
	recovers(w, how);
	return true;
}

static void recover_at_every_access(struct world *w)
{
	unsigned where = middle(w);
	char key[32], how[64];
	bool alive = true;

	for (unsigned n = 1; alive && n < PLACES_MAX; n += w->tools->step)
		for (unsigned side = 0; side < 2; side++) {
			snprintf(key, sizeof(key), ",kill=%u:%s", n, sides[side]);
			snprintf(how, sizeof(how), "recover: SIGKILL %s access %u", sides[side], n);
			alive = recover_dies(w, where, &(struct death){.key = key}, how);
		}
}

/* Nobody recovers at once: one is killed beside what the first left, and the third ends in peace, or finds no place. */
static void again(struct world *w)
{
	static const struct death none;
	enum { IN_USE = 5 };
	char key[32], how[64];
	int status;

	for (unsigned n = 1; n < PLACES_MAX; n += 3 * w->tools->step) {
		const struct death death = {.key = key};

		snprintf(key, sizeof(key), ",kill=%u:after", n);
		snprintf(how, sizeof(how), "SIGKILL after access %u, and again", n);
		world_make(w);
		status = run_command(w, &death);
		if (status != BY_SIGNAL + SIGKILL) {
			lived(w, how, status);
			break;
		}
		run_command(w, &death);
		status = run_command(w, &none);
		if (status != 0 && status != IN_USE)
			wrong(w, "%s: the third run has status %d", how, status);
		died(w, how);
	}
}

static bool skips(struct world *w)
{
	if (calls_can_be_followed())
		return false;
	w->result->skipped = true;
	snprintf(w->result->told, sizeof(w->result->told), "no process may be followed here");
	return true;
}

static void at_calls(struct world *w, bool registers)
{
	char how[64];
	bool alive = true;

	for (unsigned n = 1; alive && n < PLACES_MAX; n += w->tools->step)
		for (unsigned side = 0; side < 2; side++) {
			snprintf(how, sizeof(how), "SIGKILL %s system call %u", sides[side], n);
			alive = dies(w, &(struct death){.call = n, .behind = side, .registers = registers}, how);
		}
}

static void at_every_call(struct world *w)
{
	if (!skips(w))
		at_calls(w, false);
}

/*
 * Each system call about the journal fails: whatever it makes of that, in the end every register is as it was, and what is left of
 * the journal is not in anybody's way.
 */
static void failing_calls(struct world *w)
{
	static const int errors[] = {ENOSPC, EIO, EROFS};
	char how[64], text[300];
	bool reached = !skips(w);
	unsigned over;
	int status;

	for (unsigned n = 1; reached && n < PLACES_MAX; n += w->tools->step) {
		struct death death = {.call = n, .folder = w->journals, .error = errors[n % 3]};

		snprintf(how, sizeof(how), "errno %d of call %u of the journal", death.error, n);
		world_make(w);
		reached = run_failing(w, &death, &status);
		if (status < 0 || status >= BY_SIGNAL)
			wrong(w, "%s: status %d", how, status);
		over = world_differs(w, text, sizeof(text));
		w->result->left_over += over;
		if (over)
			wrong(w, "%s: it ended, and %u registers are left: %s", how, over, text);
		w->result->points += reached;
		recovers(w, how);
	}
}

static void recover_at_every_call(struct world *w)
{
	unsigned where;
	char how[64];
	bool alive = true;

	if (skips(w))
		return;
	where = middle(w);
	for (unsigned n = 1; alive && n < PLACES_MAX; n += w->tools->step)
		for (unsigned side = 0; side < 2; side++) {
			snprintf(how, sizeof(how), "recover: SIGKILL %s system call %u", sides[side], n);
			alive = recover_dies(w, where, &(struct death){.call = n, .behind = side}, how);
		}
}

/* What a handler could put back it does not, as nobody knows what is broken: as after SIGKILL, to the last register. */
static void crashes(struct world *w)
{
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	struct unc_sim_state *killed = malloc(REGISTERS);
	char how[64], text[300];

	for (unsigned n = 1; killed && n < PLACES_MAX; n += 3 * w->tools->step) {
		int signal = crashes[n % (sizeof(crashes) / sizeof(crashes[0]))];

		snprintf(how, sizeof(how), "signal %d at moment %u", signal, n);
		world_make(w);
		if (run_command(w, &(struct death){.moment = n, .signal = SIGKILL}) != BY_SIGNAL + SIGKILL)
			break;
		world_differs(w, text, sizeof(text));
		memcpy(killed, w->after, REGISTERS);
		world_make(w);
		if (run_command(w, &(struct death){.moment = n, .signal = signal}) != BY_SIGNAL + signal)
			wrong(w, "%s: it did not die of it", how);
		world_differs(w, text, sizeof(text));
		if (memcmp(killed, w->after, REGISTERS) != 0)
			wrong(w, "%s: something was written by a handler", how);
		died(w, how);
	}
	free(killed);
}

static const int endings[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,   SIGALRM,  SIGTERM,
			      SIGXCPU, SIGPROF, SIGPWR,  SIGIO,   SIGVTALRM, SIGSTKFLT};
enum { N_ENDINGS = sizeof(endings) / sizeof(endings[0]) + 2 }; /* and the first and last of the real-time signals */

static int ending(unsigned i)
{
	if (i < N_ENDINGS - 2)
		return endings[i];
	return i == N_ENDINGS - 2 ? SIGRTMIN : SIGRTMAX;
}

/* One signal at every moment: those that can be caught end it with everything put back, and nothing left to recover. */
static unsigned ends(struct world *w, int signal, unsigned first, unsigned every)
{
	/* `check` still writes its report, which says that it is incomplete. */
	int right = strcmp(w->command->args[0], "check") == 0 ? 1 : BY_SIGNAL + signal;
	char how[64], text[300];
	unsigned n, over;

	for (n = first; n < PLACES_MAX; n += every) {
		int status;

		snprintf(how, sizeof(how), "signal %d at moment %u", signal, n);
		world_make(w);
		status = run_command(w, &(struct death){.moment = n, .signal = signal});
		if (status == 0)
			break;
		if (status != right)
			wrong(w, "%s: status %d", how, status);
		w->result->points++;
		over = world_differs(w, text, sizeof(text));
		w->result->left_over += over;
		if (over)
			wrong(w, "%s: %u registers are left: %s", how, over, text);
		if (world_has_journal(w, text, sizeof(text)))
			wrong(w, "%s: the journal %s is left", how, text);
	}
	return n;
}

static void ends_at_moments(struct world *w)
{
	for (unsigned i = 0; i < N_ENDINGS; i++)
		ends(w, ending(i), 1 + i, N_ENDINGS * w->tools->step);
}

static void ends_everywhere(struct world *w)
{
	for (unsigned i = 0; i < N_ENDINGS; i++)
		ends(w, ending(i), 1 + i % w->tools->step, w->tools->step);
}

static bool cannot_mount(struct world *w)
{
	w->result->skipped = true;
	snprintf(w->result->told, sizeof(w->result->told), "nothing can be mounted here");
	return false;
}

static void mounted_calls(struct world *w)
{
	if (skips(w) || (!world_mount(w, "") && !cannot_mount(w)))
		return;
	at_calls(w, true);
	world_unmount(w);
}

/* The machine itself kills who asks, while he waits for its answer.  It is mounted anew for each time. */
static void mounted_kills(struct world *w)
{
	static const struct death none;
	char key[32], how[64];
	bool alive = true;

	for (unsigned n = 1; alive && n < PLACES_MAX; n += 10 * w->tools->step)
		for (unsigned side = 0; side < 2; side++) {
			snprintf(key, sizeof(key), ",kill=%u:%s", n, sides[side]);
			snprintf(how, sizeof(how), "killed by the machine %s access %u", sides[side], n);
			if (!world_mount(w, key)) {
				cannot_mount(w);
				return;
			}
			alive = dies(w, &none, how);
			world_unmount(w);
		}
}

const struct job jobs[] = {
	{"SIGKILL at every access", at_every_access, EACH},
	{"SIGKILL, again beside that, and a run beside both", again, EACH},
	{"SIGKILL of recover at every access", recover_at_every_access, EACH},
	{"SIGKILL at every system call that writes", at_every_call, FEW},
	{"each system call about the journal fails", failing_calls, EACH},
	{"SIGKILL of recover at every system call that writes", recover_at_every_call, FEW},
	{"a crash at every third moment", crashes, EACH},
	{"the signals that can be caught, one at each moment", ends_at_moments, EACH},
	{"each signal that can be caught, at every moment", ends_everywhere, ONE_CHANNEL},
	{"SIGKILL at every access of the mounted machine", mounted_calls, FEW},
	{"SIGKILL by the mounted machine at every tenth access", mounted_kills, FEW},
};
const size_t n_jobs = sizeof(jobs) / sizeof(jobs[0]);

bool job_is_for(const struct job *job, const struct command *command)
{
	return (job->commands & command->jobs) != 0;
}
