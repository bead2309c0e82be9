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

/* A check that was interrupted reports what it has found so far. */
static bool is_incomplete(const struct world *w, int status)
{
	char text[PATH_TEXT];

	first_line(w, text, sizeof(text));
	return status == 1 && strcmp(text, "uncorectl: check: incomplete: it was interrupted") == 0;
}

/* One that can be caught ends it with everything put back, and nothing left to recover.  False: it ended before. */
static bool ends_once(struct world *w, int signal, unsigned n)
{
	char how[64], text[300];
	unsigned over;
	int status;

	snprintf(how, sizeof(how), "signal %d at moment %u", signal, n);
	world_make(w);
	status = run_command(w, &(struct death){.moment = n, .signal = signal});
	if (status == 0)
		return false;
	if (status != BY_SIGNAL + signal && !is_incomplete(w, status))
		wrong(w, "%s: status %d", how, status);
	w->result->points++;
	over = world_differs(w, text, sizeof(text));
	w->result->left_over += over;
	if (over)
		wrong(w, "%s: %u registers are left: %s", how, over, text);
	if (world_has_journal(w, text, sizeof(text)))
		wrong(w, "%s: the journal %s is left", how, text);
	return true;
}

/* One signal at every moment. */
static void ends(struct world *w, int signal, unsigned first, unsigned every)
{
	for (unsigned n = first; n < PLACES_MAX && ends_once(w, signal, n); n += every)
		;
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

/* ---- drawn by lot ---- */

struct lot { /* the same numbers each time */
	uint64_t state;
};

static uint64_t draw(struct lot *lot, uint64_t below)
{
	lot->state = lot->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (lot->state >> 33) % below;
}

/* The i-th of n places from 1 to last: one in each n-th part of them. */
static unsigned place(struct lot *lot, unsigned i, unsigned n, unsigned last)
{
	uint64_t from = (uint64_t)i * last / n, to = (uint64_t)(i + 1) * last / n;

	return 1 + (unsigned)(from + draw(lot, to > from ? to - from : 1));
}

/* More where a run is short. */
static unsigned n_places(const struct world *w, unsigned n_accesses)
{
	enum { FEW_ACCESSES = 5000 };

	return 1 + (n_accesses < FEW_ACCESSES ? 64 : 24) / w->tools->step;
}

/* Leaves the machine as it is when the command is killed there. */
static void kill_at(struct world *w, unsigned n, unsigned side, char *how, size_t size)
{
	char key[32];
	int status;

	world_make(w);
	snprintf(key, sizeof(key), ",kill=%u:%s", n, sides[side]);
	snprintf(how, size, "SIGKILL %s access %u", sides[side], n);
	status = run_command(w, &(struct death){.key = key});
	if (status != BY_SIGNAL + SIGKILL)
		wrong(w, "%s: it has status %d", how, status);
}

static void at_drawn_accesses(struct world *w)
{
	unsigned last = count_accesses(w), n = n_places(w, last);
	struct lot lot = {1};
	char how[64];

	for (unsigned i = 0; i < n; i++) {
		kill_at(w, place(&lot, i, n, last), (unsigned)draw(&lot, 2), how, sizeof(how));
		died(w, how);
	}
}

/* Who comes before `recover` leaves alone what is left changed, and says what puts it back. */
static void comes_before(struct world *w, const char *how, const char *const *args)
{
	enum { NOT_HERE = 3, IN_USE = 5 };
	int status = run_other(w, args);
	char text[PATH_TEXT];

	if (status != 0 && status != NOT_HERE && status != IN_USE)
		wrong(w, "%s, then %s: status %d", how, args[0], status);
	w->counted |= status == 0; /* counters do not stand still then */
	if (status != IN_USE)
		return;
	first_line(w, text, sizeof(text));
	if (!strstr(text, "left") || !strstr(text, "uncorectl recover"))
		wrong(w, "%s, then %s: it says %s", how, args[0], text);
}

static void others_beside(struct world *w)
{
	static const char *const of_channels[] = {"mem", "-n", "1", NULL}, *const of_caches[] = {"llc", "--cpus", "0",
												 "-n",  "1",      NULL};
	unsigned last = count_accesses(w), n = 1 + n_places(w, last) / 3;
	struct lot lot = {2};
	char how[64];

	for (unsigned i = 0; i < n; i++) {
		kill_at(w, place(&lot, i, n, last), (unsigned)draw(&lot, 2), how, sizeof(how));
		comes_before(w, how, i % 2 ? w->command->args : w->command->caches ? of_caches : of_channels);
		died(w, how);
	}
}

static void recover_at_drawn_accesses(struct world *w)
{
	unsigned last = count_accesses(w), n = 1 + n_places(w, last) / 2;
	struct lot lot = {3};
	char how[64], key[32], text[300];
	int status;

	for (unsigned i = 0; i < n; i++) {
		kill_at(w, place(&lot, i, n, last), (unsigned)draw(&lot, 2), how, sizeof(how));
		snprintf(key, sizeof(key), ",kill=%u:%s", 1 + (unsigned)draw(&lot, 100), sides[draw(&lot, 2)]);
		for (unsigned times = 0; times < 2; times++) {
			status = run_recover(w, &(struct death){.key = key});
			if (status != 0 && status != BY_SIGNAL + SIGKILL)
				wrong(w, "%s: recover%s has status %d", how, key, status);
			w->result->points += status != 0;
			w->result->left_by_kill += world_differs(w, text, sizeof(text));
		}
		recovers(w, how);
	}
}

static void ends_at_drawn_moments(struct world *w)
{
	unsigned last = count_accesses(w), n = n_places(w, last);
	struct lot lot = {4};

	for (unsigned i = 0; i < n; i++)
		ends_once(w, ending((unsigned)draw(&lot, N_ENDINGS)), place(&lot, i, n, last));
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
	{"SIGKILL at accesses drawn by lot", at_drawn_accesses, SAMPLED},
	{"SIGKILL there, and somebody else before recover", others_beside, SAMPLED},
	{"SIGKILL there, and of recover, twice", recover_at_drawn_accesses, SAMPLED},
	{"signals that can be caught, at moments drawn by lot", ends_at_drawn_moments, SAMPLED},
};
const size_t n_jobs = sizeof(jobs) / sizeof(jobs[0]);

bool job_is_for(const struct job *job, const struct command *command)
{
	return (job->commands & command->jobs) != 0;
}
