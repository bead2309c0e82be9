// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Finds channels that stand still: frozen by another program or by firmware, or asleep.  Nothing is written for that, so it is
 * known only if a freeze bit reads 1, or if an enabled counter counts the clock of the channel.
 */
#include <stdio.h>

#include "doctor/doctor.h"
#include "machine/users.h"

enum { SHOWN = 6 };

struct stopped { /* channels of one socket that stand still */
	struct unc_box *first, *global;
	bool frozen_global;       /* GLOBAL_CTL reads as frozen */
	size_t n_clocks, n_still; /* channels with a clock to read, and those of them in which it did not tick */
	size_t n_stopped;         /* channels whose clock did not tick, or whose BOX_CTL reads as frozen */
	char still[400];
};

static void look(struct unc_doctor_box *seen, struct stopped *s)
{
	const struct unc_slot *clock = seen->rc == 0 ? unc_box_clock_of_others(&seen->pbox) : NULL;
	bool ticks = clock && seen->ticks[clock - seen->pbox.slots];
	bool stands = clock ? !ticks : seen->pbox.frozen;

	s->n_clocks += clock != NULL;
	s->n_still += clock && !ticks;
	if (!stands || s->n_stopped++ >= SHOWN)
		return;
	if (clock)
		unc_doctor_list(s->still, sizeof(s->still), "%s.%s[%u] did not tick for 20 ms", seen->pbox.box->name,
				clock->ctr->name, clock->index);
	else
		unc_doctor_list(s->still, sizeof(s->still), "%s.BOX_CTL = 0x%08x", seen->pbox.box->name,
				(unsigned)seen->pbox.found);
}

static void say_frozen(struct unc_doctor *d, const struct stopped *s)
{
	unc_doctor_say(
		d, "frozen", UNC_DOCTOR_WARN,
		"socket%u: another program or the firmware froze all its counters; until they are released every "
		"count is 0",
		s->first->socket);
	unc_doctor_seen(d, "GLOBAL_CTL reads frz_all=1");
	unc_doctor_todo(
		d, "if no program of those above needs it: `%s reg set '%s.GLOBAL_CTL.unfrz_all=1' --write --keep`",
		d->command, s->global->name);
}

static void say_stopped(struct unc_doctor *d, const struct stopped *s)
{
	unc_doctor_say(
		d, "stopped", UNC_DOCTOR_WARN,
		"socket%u: %zu of its channels stand still: another program or the firmware froze them, the package "
		"sleeps (PC3, PC6), or they have no DIMMs; the clocks of %zu others tick",
		s->first->socket, s->n_stopped, s->n_clocks - s->n_still);
	unc_doctor_seen(d, "%s%s", s->still, s->n_stopped > SHOWN ? ", ..." : "");
	if (s->global && s->n_still > 1 && s->n_still == s->n_clocks)
		unc_doctor_todo(d,
				"none of its clocks ticks, as after GLOBAL_CTL.frz_all; if no program of those above "
				"needs it: `%s reg set '%s.GLOBAL_CTL.unfrz_all=1' --write --keep`",
				d->command, s->global->name);
	else
		unc_doctor_todo(d, "nothing, if no DIMM is there; else see `%s check --force --only behaviour.runs`",
				d->command);
}

void unc_doctor_stopped(struct unc_doctor *d)
{
	size_t i = 0, n_clocks = 0, n_told = 0;

	while (i < d->n_boxes) {
		struct stopped s = {.first = d->boxes[i].pbox.box};

		for (; i < d->n_boxes && d->boxes[i].pbox.box->socket == s.first->socket; i++)
			look(&d->boxes[i], &s);
		s.global = unc_users_global(s.first);
		s.frozen_global = unc_users_is_frozen(s.first);
		if (s.frozen_global)
			say_frozen(d, &s);
		else if (s.n_stopped)
			say_stopped(d, &s);
		n_told += s.frozen_global || s.n_stopped;
		n_clocks += s.n_clocks;
	}
	if (n_told || !n_clocks)
		return;
	unc_doctor_say(d, "stopped", UNC_DOCTOR_OK, "no channel is seen to stand still");
	unc_doctor_seen(d, "the clocks of %zu of %zu channels are counted, and tick", n_clocks, d->n_boxes);
}
