// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does a channel count at all?  Another program or the firmware may have frozen it, or all of its socket, and on most parts no bit
 * shows that: only its clock does.  A channel that BOX_CTL froze runs once BOX_CTL is released; one that GLOBAL_CTL froze does not,
 * since BOX_CTL releases nothing then.  Neither is a defect of the silicon.
 */

#include "check/clock.h"
#include "machine/users.h"

/* The slowest DRAM clock, of 400 MHz, ticks 40000 times in 100 us; a package that sleeps wakes up now and then. */
enum { SHORT_NS = 100000, LONG_NS = 5000000, LONG_TIMES = 20 };

/* ---- one channel, before and after it is released ---- */

/* Does the slot's counter move?  If it does not at once, it is given some time.  An access of drive.h. */
static bool ticks(struct unc_check_box *b, unsigned slot)
{
	struct unc_reading first = unc_drive_count(b, slot), now;
	bool moved = false;

	for (unsigned i = 0; i < 3 && !b->failed && !moved; i++) {
		if (i > 0)
			b->failed = unc_check_wait(b->owner, SHORT_NS);
		now = unc_drive_count(b, slot);
		moved = !b->failed && unc_drive_gained(b, first.value, now.value) != 0;
	}
	return moved;
}

int unc_running_release(struct unc_check_box *b)
{
	unsigned slot = unc_clock_slot(b);
	bool before;

	if (slot == UNC_CLOCK_NONE) {
		unc_drive_release(b);
		return unc_drive_end(b);
	}
	/* It is written before it moves, so that the journal has the value that it held. */
	unc_drive_preset(b, slot, b->counters[slot] & unc_reg_mask(b->pbox.slots[slot].ctr, UNC_RW));
	unc_clock_start(b, slot);
	before = ticks(b, slot);
	unc_drive_release(b);
	b->was_frozen = !before && ticks(b, slot);
	unc_drive_set(b, slot, unc_reg_blank(b->pbox.slots[slot].ctl), false);
	return unc_drive_end(b);
}

/* ---- all channels ---- */

struct looked { /* what was seen of a channel */
	bool started, moved;
};

static struct looked *looked_at(const struct unc_window *w)
{
	return w->seen;
}

/* Lets every counter that can do so count clocks. */
static void start(struct unc_window *w)
{
	const struct unc_event *event = w->clock ? unc_unit_event(w->b->box->unit, w->clock) : NULL;

	w->in = unc_clock_slot(w->b) != UNC_CLOCK_NONE;
	if (!w->in)
		return;
	looked_at(w)->started = true;
	for (unsigned i = 0; i < w->n; i++)
		if (w->slots[i].fixed || (event && unc_slot_can_count(&w->slots[i], event)))
			unc_drive_set(w->b, i, w->control, true);
	unc_window_read(w);
}

static void see(struct unc_window *w)
{
	if (looked_at(w)->moved)
		return;
	unc_window_read(w);
	for (unsigned i = 0; i < w->n && !w->b->failed; i++)
		looked_at(w)->moved |= w->now[i].value != w->before[i].value;
}

/* A channel that other programs use runs if one of their counters moves. */
static bool others_count(struct unc_check_box *b)
{
	bool moved = false;

	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		struct unc_reading first = {0}, now = {0};

		if (b->pbox.slots[i].enabled) {
			first = unc_drive_count(b, i);
			now = unc_drive_count(b, i);
		}
		moved |= unc_drive_end(b) == 0 && first.value != now.value;
	}
	return moved;
}

/* Returns how many channels of a socket were examined, if all of them stand still; 0: one runs, or none could be examined. */
static size_t n_standing(const struct unc_windows *ws, unsigned socket)
{
	size_t n = 0;

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		if (w->b->box->socket != socket)
			continue;
		if (w->rc < 0 || looked_at(w)->moved || (!w->in && w->b->there && w->b->busy && others_count(w->b)))
			return 0;
		n += w->in;
	}
	return n;
}

static bool any_stands(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in && n_standing(ws, ws->of[i].b->box->socket))
			return true;
	return false;
}

/* Disables all counters again, as each check expects to find them, also where an access has failed. */
static int stop(const struct unc_windows *ws)
{
	for (size_t i = 0; ws->of && i < ws->n; i++) {
		struct unc_window *w = &ws->of[i];
		int rc;

		if (!w->seen || !looked_at(w)->started)
			continue;
		unc_drive_off(w->b);
		rc = unc_drive_end(w->b);
		if (rc == UNC_EAGAIN || rc == UNC_ENOMEM)
			return rc;
	}
	return UNC_OK;
}

/* ---- results ---- */

/* Makes it a failure of the socket, in this check.  n: how many channels were examined. */
static int give_up(const struct unc_windows *ws, uint64_t begin_ns, unsigned socket, size_t n)
{
	uint64_t ms = (unc_machine_raw_ns(ws->c->m) - begin_ns + 500000) / 1000000;
	const struct unc_check_box *first = NULL;
	const struct unc_box *global;
	char evidence[260], release[160] = "";
	int rc;

	for (size_t i = 0; i < ws->n; i++) {
		struct unc_check_box *b = ws->of[i].b;

		if (!ws->of[i].in || b->box->socket != socket)
			continue;
		first = first ? first : b;
		b->usable = false;
		b->stands = true;
		snprintf(b->why, sizeof(b->why),
			 "all of socket%u stands still, frozen or asleep (see its failure): nothing can count here",
			 socket);
	}
	if (!first)
		return UNC_OK;
	global = unc_users_global(first->box);
	rc = unc_users_of_freeze(first->box, evidence, sizeof(evidence));
	if (rc < 0)
		return rc;
	if (global)
		snprintf(release, sizeof(release),
			 "; `uncorectl reg set %s.GLOBAL_CTL.%s --write --keep` lets them count", global->name,
			 unc_users_release(global));
	unc_check_begin_socket(ws->c, socket);
	unc_check_fail(ws->c,
		       "%s stood still for %" PRIu64 " ms, enabled and released: another program or the firmware froze "
		       "the socket%s, or its package sleeps (PC3, PC6)%s; %s%s%s",
		       n > 1 ? "all channels that can be checked" : "the only channel that can be checked", ms,
		       global ? " (GLOBAL_CTL)" : "", n > 1 ? "" : ", or the clock of this channel is dead",
		       evidence[0] ? "found here: " : "no evidence tells which program", evidence, release);
	return UNC_OK;
}

/* Channels that have not moved at its end stood still for the whole time. */
int unc_running_look(struct unc_check *c)
{
	struct unc_windows ws;
	uint64_t begin_ns;
	int rc, stopped;

	c->looked_running = true;
	unc_windows_open(c, sizeof(struct looked), &ws);
	unc_windows_each(&ws, start);
	begin_ns = unc_machine_raw_ns(c->m);
	unc_windows_wait(&ws, SHORT_NS);
	unc_windows_each(&ws, see);
	for (unsigned i = 0; i < LONG_TIMES && ws.rc == 0 && any_stands(&ws); i++) {
		unc_windows_wait(&ws, LONG_NS);
		unc_windows_each(&ws, see);
	}
	rc = ws.rc;
	for (size_t i = 0; i < ws.n && rc == 0; i++) {
		unsigned socket = ws.of[i].b->box->socket;
		size_t n = ws.of[i].in && ws.of[i].b->usable ? n_standing(&ws, socket) : 0;

		if (n)
			rc = give_up(&ws, begin_ns, socket, n);
	}
	stopped = stop(&ws);
	unc_windows_close(&ws);
	return rc < 0 ? rc : stopped;
}

/* A failure that only the stop of the socket caused is not a failure of its own. */
int unc_running_look_again(struct unc_check *c, size_t first)
{
	size_t end = c->n_entries;
	bool any = false;
	int rc;

	for (size_t i = first; i < end; i++)
		any |= c->entries[i].result.state == UNC_CHECK_FAIL && strncmp(c->entries[i].subject, "socket", 6) == 0;
	if (!any || !c->looked_running)
		return UNC_OK;
	rc = unc_running_look(c);
	for (size_t i = first; i < end && rc == 0; i++) {
		struct unc_check_entry *entry = &c->entries[i];
		char found[UNC_CHECK_TEXT], name[24];

		for (size_t k = 0; k < c->n_boxes && entry->result.state == UNC_CHECK_FAIL; k++) {
			size_t len = (size_t)snprintf(name, sizeof(name), "socket%u", c->boxes[k].box->socket);

			if (!c->boxes[k].stands || strncmp(entry->subject, name, len) != 0 ||
			    (entry->subject[len] && entry->subject[len] != '.'))
				continue;
			memcpy(found, entry->finding, sizeof(found));
			snprintf(entry->finding, sizeof(entry->finding),
				 "%s stopped while this was checked, so its finding proves nothing: %.400s", name,
				 found);
			entry->result.state = UNC_CHECK_SKIP;
		}
	}
	return rc;
}

/* If it was frozen, the silicon is good, and is checked as any other; but until then other programs counted 0 there. */
static void report_runs(struct unc_window *w)
{
	const struct unc_check_box *b = w->b;
	struct unc_check *c = w->c;
	char evidence[300] = "";

	if (b->was_frozen)
		w->ws->rc = unc_users_of_freeze(b->box, evidence, sizeof(evidence));
	if (unc_clock_slot(b) == UNC_CLOCK_NONE)
		unc_check_skip(c, "the map names nothing that counts its clock");
	else if (b->was_frozen)
		unc_check_skip(
			c,
			"it was frozen when it was found%s: its clock ticks since BOX_CTL was released here; another "
			"program or the firmware froze it (%s%s)",
			b->pbox.frozen ? ", BOX_CTL read frz=1" : ", or its package slept",
			evidence[0] ? "found here: " : "no evidence tells which program", evidence);
	else
		unc_check_pass(c, "no other program or firmware keeps it from counting");
}

const struct unc_windows_def unc_check_runs = {0, NULL, NULL, report_runs};
