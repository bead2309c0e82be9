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

/* How a process dies from now on, which every complaint begins with; who: "", or "recover: ". */
static void doing(struct world *w, const char *who, const struct death *death)
{
	static const char *const places[] = {"access", "system call"};

	if (death->error)
		snprintf(w->doing, sizeof(w->doing), "errno %d of call %u of the journal", death->error, death->place);
	else if (death->at == MOMENT)
		snprintf(w->doing, sizeof(w->doing), "signal %d at moment %u", death->signal, death->place);
	else
		snprintf(w->doing, sizeof(w->doing), "%sSIGKILL %s %s %u", who, death->behind ? "after" : "before",
			 places[death->at], death->place);
}

/* No register is left changed, and no journal, unless that may be. */
static void is_as_found(struct world *w, bool without_journal)
{
	char text[300];
	unsigned over = world_differs(w, text, sizeof(text));

	w->result->left_over += over;
	if (over)
		wrong(w, "%u registers are left: %s", over, text);
	if (without_journal && world_has_journal(w, text, sizeof(text)))
		wrong(w, "the journal %s is left", text);
}

/* As a user finds it who did not see what happened: `recover` is the only command. */
static void recovers(struct world *w)
{
	char text[300];
	int status = run_recover(w, NULL);

	if (status != 0) {
		first_line(w, text, sizeof(text));
		wrong(w, "recover has status %d: %s", status, text);
	}
	is_as_found(w, true);
}

/* It died, and what it left is counted. */
static void left_behind(struct world *w)
{
	char text[300];

	w->result->points++;
	w->result->left_by_kill += world_differs(w, text, sizeof(text));
}

static void died(struct world *w)
{
	left_behind(w);
	recovers(w);
}

/* It lived: then it has put everything back itself. */
static void lived(struct world *w, int status)
{
	if (status != 0)
		wrong(w, "status %d", status);
	is_as_found(w, true);
}

/* One death.  False: there is no such place any more. */
static bool dies(struct world *w, const struct death *death)
{
	int status;

	doing(w, "", death);
	world_make(w);
	status = run_command(w, death);
	if (status != BY_SIGNAL + SIGKILL) {
		lived(w, status);
		return false;
	}
	died(w);
	return true;
}

/* At each place, on either side of it, until the process lives. */
static void at_each(struct world *w, struct death death, unsigned step,
		    bool (*one)(struct world *w, const struct death *death))
{
	bool alive = true;

	for (death.place = 1; alive && death.place < PLACES_MAX; death.place += step) {
		for (unsigned side = 0; side < 2; side++) {
			death.behind = side;
			alive = one(w, &death);
		}
	}
}

static void at_every_access(struct world *w)
{
	unsigned n_accesses = count_accesses(w), step = w->tools->step;

	at_each(w, (struct death){.at = ACCESS}, step, dies);
	if (n_accesses && w->result->points * step + step < 2 * n_accesses)
		wrong(w, "only %u places of %u: was it killed at all?", w->result->points, 2 * n_accesses);
}

static void kill_command(struct world *w, const struct death *death)
{
	int status;

	doing(w, "", death);
	world_make(w);
	status = run_command(w, death);
	if (status != BY_SIGNAL + SIGKILL)
		wrong(w, "it has status %d", status);
}

/* `recover` is killed there, begun again, killed there again, and then left alone. */
static bool recover_dies(struct world *w, const struct death *death)
{
	int status;

	kill_command(w, &(struct death){.at = ACCESS, .place = w->middle, .behind = true});
	doing(w, "recover: ", death);
	if (run_recover(w, death) != BY_SIGNAL + SIGKILL) {
		recovers(w);
		return false;
	}
	left_behind(w);
	status = run_recover(w, death);
	if (status != 0 && status != BY_SIGNAL + SIGKILL)
		wrong(w, "the second recover has status %d", status);
	recovers(w);
	return true;
}

static bool skips(struct world *w)
{
	if (calls_can_be_followed())
		return false;
	w->result->skipped = true;
	snprintf(w->result->told, sizeof(w->result->told), "no process may be followed here");
	return true;
}

/* After the command was killed where most is changed: in the middle. */
static void recover_at_each(struct world *w, enum place_of at)
{
	w->middle = count_accesses(w) / 2;
	at_each(w, (struct death){.at = at}, w->tools->step, recover_dies);
}

static void recover_at_every_access(struct world *w)
{
	recover_at_each(w, ACCESS);
}

static void recover_at_every_call(struct world *w)
{
	if (!skips(w))
		recover_at_each(w, CALL);
}

/* No recover in between: a second command is killed beside what the first left; the third ends normally, or finds no free counter. */
static void again(struct world *w)
{
	static const struct death none;
	enum { IN_USE = 5 };
	int status;

	for (unsigned n = 1; n < PLACES_MAX; n += 3 * w->tools->step) {
		const struct death death = {.at = ACCESS, .place = n, .behind = true};

		doing(w, "again: ", &death);
		world_make(w);
		status = run_command(w, &death);
		if (status != BY_SIGNAL + SIGKILL) {
			lived(w, status);
			break;
		}
		run_command(w, &death);
		status = run_command(w, &none);
		if (status != 0 && status != IN_USE)
			wrong(w, "the third run has status %d", status);
		died(w);
	}
}

static void at_every_call(struct world *w)
{
	if (!skips(w))
		at_each(w, (struct death){.at = CALL}, w->tools->step, dies);
}

/*
 * Each system call about the journal fails: whatever it makes of that, in the end every register is as it was, and what is left of
 * the journal is not in anybody's way.
 */
static void failing_calls(struct world *w)
{
	static const int errors[] = {ENOSPC, EIO, EROFS};
	bool reached = !skips(w);
	int status;

	for (unsigned n = 1; reached && n < PLACES_MAX; n += w->tools->step) {
		struct death death = {.at = CALL, .place = n, .folder = w->journals, .error = errors[n % 3]};

		doing(w, "", &death);
		world_make(w);
		status = run_command(w, &death);
		reached = w->reached;
		if (status < 0 || status >= BY_SIGNAL)
			wrong(w, "status %d", status);
		is_as_found(w, false);
		w->result->points += reached;
		recovers(w);
	}
}

/* What a handler could put back it does not, as it is unknown what is broken: as after SIGKILL, to the last register. */
static void crashes(struct world *w)
{
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	struct unc_sim_state *killed = state_new();
	char text[300];

	for (unsigned n = 1; killed && n < PLACES_MAX; n += 3 * w->tools->step) {
		struct death death = {.at = MOMENT, .place = n, .signal = SIGKILL};

		world_make(w);
		if (run_command(w, &death) != BY_SIGNAL + SIGKILL)
			break;
		world_differs(w, text, sizeof(text));
		memcpy(killed, w->after, REGISTERS);
		death.signal = crashes[n % (sizeof(crashes) / sizeof(crashes[0]))];
		doing(w, "", &death);
		world_make(w);
		if (run_command(w, &death) != BY_SIGNAL + death.signal)
			wrong(w, "it did not die of it");
		world_differs(w, text, sizeof(text));
		if (memcmp(killed, w->after, REGISTERS) != 0)
			wrong(w, "something was written by a handler");
		died(w);
	}
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

/* One that can be caught ends it with everything put back, and nothing left to recover.  False: it ended before. */
static bool ends_once(struct world *w, int signal, unsigned n)
{
	const struct death death = {.at = MOMENT, .place = n, .signal = signal};
	char text[PATH_TEXT];
	int status;

	doing(w, "", &death);
	world_make(w);
	status = run_command(w, &death);
	if (status == 0)
		return false;
	first_line(w, text, sizeof(text));
	/* A check that was interrupted reports what it has found so far. */
	if (status != BY_SIGNAL + signal &&
	    (status != 1 || strcmp(text, "uncorectl: check: incomplete: it was interrupted") != 0))
		wrong(w, "status %d", status);
	w->result->points++;
	is_as_found(w, true);
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

static bool mounts(struct world *w, const struct death *death)
{
	if (world_mount(w, death))
		return true;
	w->result->skipped = true;
	snprintf(w->result->told, sizeof(w->result->told), "nothing can be mounted here");
	return false;
}

static void mounted_calls(struct world *w)
{
	static const struct death none;

	if (skips(w) || !mounts(w, &none))
		return;
	at_each(w, (struct death){.at = CALL, .registers = true}, w->tools->step, dies);
	world_unmount(w);
}

/* The machine itself kills the process that asks, while that waits for its answer.  It is mounted anew for each time. */
static bool mounted_dies(struct world *w, const struct death *death)
{
	bool alive = mounts(w, death) && dies(w, death);

	world_unmount(w);
	return alive;
}

static void mounted_kills(struct world *w)
{
	at_each(w, (struct death){.at = ACCESS}, 10 * w->tools->step, mounted_dies);
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

/* Killed at places drawn by lot, one of so many; then something else comes, and then recover. */
static void at_drawn(struct world *w, uint64_t seed, unsigned one_of,
		     void (*then)(struct world *w, struct lot *lot, unsigned i))
{
	unsigned last = count_accesses(w), n = 1 + (n_places(w, last) - 1) / one_of;
	struct lot lot = {seed};

	for (unsigned i = 0; i < n; i++) {
		struct death death = {.at = ACCESS, .place = place(&lot, i, n, last)};

		death.behind = draw(&lot, 2);
		kill_command(w, &death);
		if (then)
			then(w, &lot, i);
		died(w);
	}
}

static void at_drawn_accesses(struct world *w)
{
	at_drawn(w, 1, 1, NULL);
}

/* Who comes before `recover` leaves alone what is left changed, and says what puts it back. */
static void comes_before(struct world *w, struct lot *lot, unsigned i)
{
	enum { NOT_HERE = 3, IN_USE = 5 };
	const char *other = w->command->is & CACHES ? "llc --cpus 0 -n 1" : "mem -n 1",
		   *args = i % 2 ? w->command->args : other;
	int status = run_other(w, args);
	char text[PATH_TEXT];

	(void)lot;
	if (status != 0 && status != NOT_HERE && status != IN_USE)
		wrong(w, "then %s: status %d", args, status);
	w->counted |= status == 0; /* counters do not stand still then */
	if (status != IN_USE)
		return;
	first_line(w, text, sizeof(text));
	if (!strstr(text, "left") || !strstr(text, "uncorectl recover"))
		wrong(w, "then %s: it says %s", args, text);
}

static void others_beside(struct world *w)
{
	at_drawn(w, 2, 3, comes_before);
}

static void recover_dies_twice(struct world *w, struct lot *lot, unsigned i)
{
	struct death death = {.at = ACCESS, .place = 1 + (unsigned)draw(lot, 100)};

	(void)i;
	death.behind = draw(lot, 2);
	for (unsigned times = 0; times < 2; times++) {
		int status = run_recover(w, &death);

		if (status != 0 && status != BY_SIGNAL + SIGKILL)
			wrong(w, "recover that is killed at access %u has status %d", death.place, status);
		if (status != 0)
			left_behind(w);
	}
}

static void recover_at_drawn_accesses(struct world *w)
{
	at_drawn(w, 3, 2, recover_dies_twice);
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
	{"SIGKILL there, and another command before recover", others_beside, SAMPLED},
	{"SIGKILL there, and of recover, twice", recover_at_drawn_accesses, SAMPLED},
	{"signals that can be caught, at moments drawn by lot", ends_at_drawn_moments, SAMPLED},
};
const size_t n_jobs = sizeof(jobs) / sizeof(jobs[0]);
