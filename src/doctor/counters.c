// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds channels that stand still: frozen by another program or by firmware, or asleep.  Nothing is written for that, so it is
 * known only if a freeze bit reads 1, or if an enabled counter counts the clock of the channel.
 */

#include "doctor/doctor.h"
#include "machine/users.h"
#include "uncore/event.h"

enum { SHOWN = 6 };

struct stopped { /* channels of one socket that stand still */
	struct unc_box *first, *global;
	size_t n_clocks, n_still; /* channels with a clock to read, and those of them in which it did not tick */
	size_t n_stopped;         /* channels whose clock did not tick, or whose BOX_CTL reads as frozen */
	char still[400];
};

static void note_stopped(struct unc_doctor_box *seen, struct stopped *s)
{
	const struct unc_slot *clock = seen->rc == 0 ? unc_box_clock_of_others(&seen->pbox) : NULL;
	bool ticks = clock && seen->ticks[clock - seen->pbox.slots];
	bool stands = clock ? !ticks : seen->pbox.frozen;

	s->n_clocks += clock != NULL;
	s->n_still += clock && !ticks;
	if (!stands || s->n_stopped++ >= SHOWN)
		return;
	if (clock)
		unc_text_join(s->still, sizeof(s->still), ", ", "%s.%s[%u] did not tick for 20 ms",
			      seen->pbox.box->name, clock->ctr->name, clock->index);
	else
		unc_text_join(s->still, sizeof(s->still), ", ", "%s.BOX_CTL = 0x%08x", seen->pbox.box->name,
			      (unsigned)seen->pbox.found);
}

void unc_doctor_stopped(struct unc_doctor *d)
{
	size_t i = 0, n_clocks = 0, n_told = 0;

	while (i < d->n_boxes) {
		struct stopped s = {.first = d->boxes[i].pbox.box};

		for (; i < d->n_boxes && d->boxes[i].pbox.box->socket == s.first->socket; i++)
			note_stopped(&d->boxes[i], &s);
		s.global = unc_users_global(s.first);
		if (unc_users_is_frozen(s.first)) {
			n_told++;
			unc_doctor_say(d, "frozen", UNC_DOCTOR_WARN,
				       "socket%u: another program or the firmware froze all its counters; until they "
				       "are released every count is 0",
				       s.first->socket);
			unc_doctor_seen(d, "GLOBAL_CTL reads frz_all=1");
			unc_doctor_todo(d,
					"if no program of those above needs it: `%s reg set "
					"'%s.GLOBAL_CTL.%s' --write --keep`",
					d->command, s.global->name, unc_users_release(s.global));
		} else if (s.n_stopped) {
			n_told++;
			unc_doctor_say(
				d, "stopped", UNC_DOCTOR_WARN,
				"socket%u: %zu of its channels stand still: another program or the firmware froze "
				"them, the package sleeps (PC3, PC6), or they have no DIMMs; the clocks of %zu "
				"others tick",
				s.first->socket, s.n_stopped, s.n_clocks - s.n_still);
			unc_doctor_seen(d, "%s%s", s.still, s.n_stopped > SHOWN ? ", ..." : "");
			if (s.global && s.n_still > 1 && s.n_still == s.n_clocks)
				unc_doctor_todo(
					d,
					"none of its clocks ticks, as after GLOBAL_CTL.frz_all; if no program of "
					"those above needs it: `%s reg set '%s.GLOBAL_CTL.%s' --write --keep`",
					d->command, s.global->name, unc_users_release(s.global));
			else
				unc_doctor_todo(d,
						"nothing, if no DIMM is there; else see `%s check --force --only "
						"behaviour.runs`",
						d->command);
		}
		n_clocks += s.n_clocks;
	}
	if (!n_told && n_clocks)
		unc_doctor_add(d, "stopped", UNC_DOCTOR_OK, "no channel is seen to stand still", NULL,
			       "the clocks of %zu of %zu channels are counted, and tick", n_clocks, d->n_boxes);
}

/* Counters that another program has enabled: whether enough others are free, whether they count, and who owns them. */

enum { PAUSE_NS = 20000000 /* a clock of 100 MHz ticks two million times in this time */ };

/* Lists the enabled controls: "CTL[3] at 0xe4 = 0x00400304". */
static void list_enabled(const struct unc_doctor_box *seen, char *buf, size_t size)
{
	buf[0] = '\0';
	for (unsigned i = 0; i < seen->pbox.n_slots; i++) {
		const struct unc_slot *slot = &seen->pbox.slots[i];
		char name[UNC_GATE_TEXT];

		if (slot->enabled)
			unc_text_join(buf, size, ", ", "%s at 0x%x = 0x%08" PRIx64,
				      unc_gate_reg_text(slot->ctl, slot->index, name),
				      unc_reg_off(slot->ctl, slot->index), slot->found);
	}
}

/* Counters of a channel that `mem` needs: for reads and writes, and with Optane modules for theirs. */
static size_t wanted_by_mem(struct unc_doctor *d)
{
	static const char *const metrics[] = {"read_bandwidth", "write_bandwidth", "pmem_read_rate", "pmem_write_rate"};
	size_t wanted = 0, metric;

	for (size_t i = 0; i < (d->n_pmem ? 4 : 2); i++) {
		struct unc_metric_info info = {.n_events = 1}; /* at least, where the metric is not known */

		if (unc_doctor_rc(d, unc_metric_find(d->m, "imc", metrics[i], &metric)) == 0)
			unc_doctor_rc(d, unc_metric_info(d->m, "imc", metric, &info));
		wanted += info.n_events;
	}
	return wanted;
}

void unc_doctor_in_use(struct unc_doctor *d)
{
	size_t wanted;
	const struct unc_doctor_box *first = NULL;
	size_t n = 0, n_few = 0;
	char enabled[300], more[40] = "";

	if (!d->n_boxes)
		return;
	wanted = wanted_by_mem(d);
	for (size_t i = 0; i < d->n_boxes; i++) {
		const struct unc_doctor_box *seen = &d->boxes[i];

		if (!seen->n_enabled)
			continue;
		n++;
		if (!first || (seen->n_free < wanted && !n_few))
			first = seen;
		n_few += seen->n_free < wanted;
	}
	if (!first) {
		unc_doctor_add(d, "in use", UNC_DOCTOR_OK, "no counter is enabled: all are free", NULL,
			       "%severy control of %zu channels is 0", d->boxes[0].pbox.regs.en ? "the en bit of " : "",
			       d->n_boxes);
		return;
	}
	if (n_few)
		unc_doctor_say(d, "in use", UNC_EBUSY,
			       "another program has enabled counters of %zu of %zu channels, and leaves fewer than %zu "
			       "of %zu, so that mem is refused",
			       n, d->n_boxes, wanted, n_few);
	else
		unc_doctor_say(d, "in use", UNC_DOCTOR_WARN,
			       "another program has enabled counters of %zu of %zu channels; others are free and are "
			       "taken, without freezing",
			       n, d->n_boxes);
	list_enabled(first, enabled, sizeof(enabled));
	if (n > 1)
		snprintf(more, sizeof(more), "; and %zu more", n - 1);
	unc_doctor_seen(d, "%s: %s%s", first->pbox.box->name, enabled, more);
	unc_doctor_todo(
		d, n_few ? "stop the program that counts there, or free counters without an owner, or take them with "
			   "--force"
			 : "nothing; journals, perf, LIKWID, PCM and uncorectl above tell which program it may be");
}

struct reading {
	uint64_t of[UNC_PMON_SLOTS];
};

/* One that cannot be read counts as 0. */
static struct reading read_enabled(const struct unc_doctor_box *seen)
{
	struct reading reading = {{0}};

	for (unsigned i = 0; i < seen->pbox.n_slots && seen->rc == 0; i++) {
		const struct unc_slot *slot = &seen->pbox.slots[i];

		if (slot->enabled)
			unc_reg_get(seen->pbox.box, slot->ctr, slot->index, &reading.of[i]);
	}
	return reading;
}

void unc_doctor_ticking(struct unc_doctor *d)
{
	size_t n_enabled = 0, n_still = 0, n_frozen = 0;
	struct reading *before;
	char still[300] = "";

	for (size_t b = 0; b < d->n_boxes; b++)
		n_enabled += d->boxes[b].n_enabled;
	if (!n_enabled)
		return;
	before = calloc(d->n_boxes, sizeof(*before));
	if (!before) {
		d->rc = unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	/* Reads twice, with one pause for all of them together. */
	for (size_t b = 0; b < d->n_boxes; b++)
		before[b] = read_enabled(&d->boxes[b]);
	unc_machine_sleep_until(d->m, unc_machine_mono_ns(d->m) + PAUSE_NS);
	for (size_t b = 0; b < d->n_boxes; b++) {
		struct reading after = read_enabled(&d->boxes[b]);

		for (unsigned i = 0; i < UNC_PMON_SLOTS; i++)
			d->boxes[b].ticks[i] = after.of[i] != before[b].of[i];
	}
	free(before);
	for (size_t b = 0; b < d->n_boxes; b++) {
		const struct unc_doctor_box *seen = &d->boxes[b];

		for (unsigned i = 0; i < seen->pbox.n_slots && seen->rc == 0; i++) {
			if (!seen->pbox.slots[i].enabled || seen->ticks[i])
				continue;
			n_frozen += seen->pbox.frozen;
			if (n_still++ < SHOWN)
				unc_text_join(still, sizeof(still), ", ", "%s.%s[%u]", seen->pbox.box->name,
					      seen->pbox.slots[i].ctr->name, seen->pbox.slots[i].index);
		}
	}
	if (!n_still) {
		unc_doctor_say(d, "ticking", UNC_DOCTOR_OK, "all %zu enabled counters count", n_enabled);
		unc_doctor_seen(d, "each read twice, 20 ms apart, and not the same");
		return;
	}
	unc_doctor_say(d, "ticking", UNC_DOCTOR_WARN,
		       "%zu of %zu enabled counters stand still%s; innocent reasons: a channel without DIMMs or asleep "
		       "has no clock, and what is counted may not happen",
		       n_still, n_enabled, n_frozen ? ", some in a box that is frozen (BOX_CTL.frz is 1)" : "");
	unc_doctor_seen(d, "%s%s: read twice, 20 ms apart, the same", still, n_still > SHOWN ? ", ..." : "");
	unc_doctor_todo(d,
			"nothing, if the channel is empty; a counter that never counts was perhaps left frozen: see "
			"`%s reg get '*.BOX_CTL'`",
			d->command);
}

/* Reports counters without a known owner: a killed program, or the firmware, has left them enabled. */
void unc_doctor_left(struct unc_doctor *d)
{
	size_t n = 0;

	for (size_t b = 0; b < d->n_boxes; b++) {
		const struct unc_doctor_box *seen = &d->boxes[b];
		char enabled[300], releases[600] = ""; /* of the command that frees them: "socket0.imc0.ch2.CTL[3]=0" */

		if (!seen->n_enabled || seen->claimed || d->counting)
			continue;
		list_enabled(seen, enabled, sizeof(enabled));
		for (unsigned i = 0; i < seen->pbox.n_slots; i++) {
			const struct unc_slot *slot = &seen->pbox.slots[i];
			char name[UNC_GATE_TEXT];

			/* What is in the journal of a killed process is put back by `recover`. */
			if (slot->enabled && !unc_journals_left(&d->journals, &seen->pbox.box->addr,
								unc_reg_off(slot->ctl, slot->index)))
				unc_text_join(releases, sizeof(releases), "", " '%s.%s=0'", seen->pbox.box->name,
					      unc_gate_reg_text(slot->ctl, slot->index, name));
		}
		if (!releases[0])
			continue;
		unc_doctor_say(d, "left enabled", UNC_DOCTOR_WARN,
			       "%s: counters are enabled, and no program was found that owns them: a killed program "
			       "leaves that, or firmware",
			       seen->pbox.box->name);
		unc_doctor_seen(d, "%s", enabled);
		unc_doctor_todo(d, "if no program needs them: `%s reg set%s --write --keep`", d->command, releases);
		n++;
	}
	if (d->n_boxes && !n)
		unc_doctor_add(d, "left enabled", UNC_DOCTOR_OK,
			       d->counting ? "the enabled ones may belong to the programs named above"
					   : "no control is enabled without an owner",
			       NULL, "controls of %zu channels", d->n_boxes);
}
