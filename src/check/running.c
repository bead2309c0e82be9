// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does a channel count at all?  Another program or the firmware may have frozen it, or all of its socket, and on most parts no bit
 * shows that: only its clock does.  A channel that BOX_CTL froze runs once BOX_CTL is released; one that GLOBAL_CTL froze does not,
 * since BOX_CTL releases nothing then.  Neither is a defect of the silicon.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check/clock.h"
#include "check/drive.h"
#include "machine/users.h"

/* The slowest DRAM clock, of 400 MHz, ticks 40000 times in 100 us; a package that sleeps wakes up now and then. */
enum { SHORT_NS = 100000, LONG_NS = 5000000, LONG_TIMES = 20 };

/* ---- one channel, before and after it is released ---- */

/* Does the slot's counter move?  If it does not at once, it is given some time. */
static int ticks(struct unc_check_box *b, unsigned slot, bool *ret_ticks)
{
	const struct unc_check *c = b->owner;
	struct unc_reading first = unc_drive_count(b, slot), now;
	int rc = unc_drive_end(b);

	*ret_ticks = false;
	for (unsigned i = 0; i < 3 && rc == 0 && !*ret_ticks; i++) {
		if (i > 0)
			rc = unc_check_wait(c, SHORT_NS);
		if (rc < 0)
			return rc;
		now = unc_drive_count(b, slot);
		rc = unc_drive_end(b);
		*ret_ticks = rc == 0 && unc_drive_gained(b, first.value, now.value) != 0;
	}
	return rc;
}

int unc_running_release(struct unc_check_box *b)
{
	unsigned slot = unc_clock_slot(b);
	bool before = true, after = false;
	int rc = UNC_OK;

	if (slot == UNC_CLOCK_NONE) {
		unc_drive_release(b);
		return unc_drive_end(b);
	}
	/* It is written before it moves, so that the journal has the value that it held. */
	unc_drive_preset(b, slot, b->counters[slot] & unc_reg_mask(b->pbox.slots[slot].ctr, UNC_RW));
	unc_clock_start(b, slot);
	rc = unc_drive_end(b);
	if (rc == 0)
		rc = ticks(b, slot, &before);
	if (rc < 0)
		return rc;
	unc_drive_release(b);
	rc = unc_drive_end(b);
	if (rc == 0 && !before)
		rc = ticks(b, slot, &after);
	b->was_frozen = rc == 0 && !before && after;
	if (rc < 0)
		return rc;
	unc_drive_set(b, slot, unc_reg_blank(b->pbox.slots[slot].ctl), false);
	return unc_drive_end(b);
}

/* ---- all channels ---- */

struct looked { /* what was seen of a channel */
	bool in, moved;
	int rc; /* what failed */
	struct unc_reading first[UNC_PMON_SLOTS];
};

struct watching {
	struct unc_check *c;
	struct looked *of;
	uint64_t begin_ns;
};

/* Lets every counter that can do so count clocks. */
static void start(struct unc_check_box *b, struct looked *l)
{
	const char *name = unc_drive_clock_event(b);
	const struct unc_event *event = name ? unc_unit_event(b->box->unit, name) : NULL;
	uint64_t control = event ? unc_drive_event(b, name) : 0;

	for (unsigned i = 0; i < b->pbox.n_slots; i++)
		if (b->pbox.slots[i].fixed || (event && unc_slot_can_count(&b->pbox.slots[i], event)))
			unc_drive_set(b, i, control, true);
	for (unsigned i = 0; i < b->pbox.n_slots; i++)
		l->first[i] = unc_drive_count(b, i);
}

static void see(struct unc_check_box *b, struct looked *l)
{
	struct unc_reading now[UNC_PMON_SLOTS];

	for (unsigned i = 0; i < b->pbox.n_slots; i++)
		now[i] = unc_drive_count(b, i);
	for (unsigned i = 0; i < b->pbox.n_slots && !b->failed; i++)
		l->moved |= now[i].value != l->first[i].value;
}

/* Acts on each channel that is in and has not moved yet.  Not 0: the run ends. */
static int each(struct watching *all, void (*act)(struct unc_check_box *b, struct looked *l))
{
	for (size_t i = 0; i < all->c->n_boxes; i++) {
		struct looked *l = &all->of[i];

		if (l->in && !l->moved && l->rc == 0) {
			act(&all->c->boxes[i], l);
			l->rc = unc_drive_end(&all->c->boxes[i]);
		}
		if (l->rc == UNC_EAGAIN || l->rc == UNC_ENOMEM)
			return l->rc;
	}
	return UNC_OK;
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
static size_t n_standing(const struct watching *all, unsigned socket)
{
	size_t n = 0;

	for (size_t i = 0; i < all->c->n_boxes; i++) {
		const struct looked *l = &all->of[i];
		struct unc_check_box *b = &all->c->boxes[i];

		if (b->box->socket != socket)
			continue;
		if (l->rc < 0 || (l->in && l->moved) || (!l->in && b->there && b->busy && others_count(b)))
			return 0;
		n += l->in;
	}
	return n;
}

static bool any_stands(const struct watching *all)
{
	for (size_t i = 0; i < all->c->n_boxes; i++)
		if (all->of[i].in && n_standing(all, all->c->boxes[i].box->socket))
			return true;
	return false;
}

/* Channels that have not moved at its end stood still for the whole time. */
static int watch(struct watching *all)
{
	int rc = unc_drive_take(all->c);

	for (size_t i = 0; i < all->c->n_boxes; i++)
		all->of[i].in = all->c->boxes[i].usable && unc_clock_slot(&all->c->boxes[i]) != UNC_CLOCK_NONE;
	if (rc == 0)
		rc = each(all, start);
	all->begin_ns = unc_machine_raw_ns(all->c->m);
	if (rc == 0)
		rc = unc_check_wait(all->c, SHORT_NS);
	if (rc == 0)
		rc = each(all, see);
	for (unsigned i = 0; i < LONG_TIMES && rc == 0 && any_stands(all); i++) {
		rc = unc_check_wait(all->c, LONG_NS);
		if (rc == 0)
			rc = each(all, see);
	}
	return rc;
}

/* Disables all counters again, as each check expects to find them. */
static int stop(struct watching *all)
{
	for (size_t i = 0; i < all->c->n_boxes; i++) {
		int rc;

		if (all->of[i].in)
			unc_drive_off(&all->c->boxes[i]);
		rc = unc_drive_end(&all->c->boxes[i]);
		if (rc == UNC_EAGAIN || rc == UNC_ENOMEM)
			return rc;
	}
	return UNC_OK;
}

/* ---- results ---- */

static int say_why(const struct watching *all, struct unc_check_box *b, size_t n, char *buf, size_t size)
{
	uint64_t ms = (unc_machine_raw_ns(all->c->m) - all->begin_ns + 500000) / 1000000;
	const struct unc_box *global = unc_users_global(b->box);
	char evidence[260], release[160] = "";
	int rc = unc_users_of_freeze(b->box, evidence, sizeof(evidence));

	if (global)
		snprintf(release, sizeof(release),
			 "; `uncorectl reg set %s.GLOBAL_CTL.unfrz_all=1 --write --keep` lets them count",
			 global->name);
	snprintf(buf, size,
		 "%s stood still for %" PRIu64 " ms, enabled and released: another program or the firmware froze the "
		 "socket%s, or "
		 "its package sleeps (PC3, PC6)%s; %s%s%s",
		 n > 1 ? "all channels that can be checked" : "the only channel that can be checked", ms,
		 global ? " (GLOBAL_CTL)" : "", n > 1 ? "" : ", or the clock of this channel is dead",
		 evidence[0] ? "found here: " : "no evidence tells which program", evidence, release);
	return rc;
}

/* Makes it a failure of the socket, in this check. */
static void fail_socket(struct unc_check *c, unsigned socket, const char *why)
{
	unc_check_begin_socket(c, socket);
	unc_check_fail(c, "%s", why);
}

static int give_up(const struct watching *all, unsigned socket, size_t n)
{
	struct unc_check *c = all->c;
	char why[UNC_CHECK_TEXT] = "";
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];

		if (!all->of[i].in || b->box->socket != socket)
			continue;
		if (!why[0])
			rc = say_why(all, b, n, why, sizeof(why));
		b->usable = false;
		b->stands = true;
		snprintf(b->why, sizeof(b->why),
			 "all of socket%u stands still, frozen or asleep (see its failure): nothing can count here",
			 socket);
	}
	if (rc == 0)
		fail_socket(c, socket, why);
	return rc;
}

static int watch_all(struct unc_check *c)
{
	struct watching all = {.c = c, .of = calloc(c->n_boxes + 1, sizeof(*all.of))};
	int rc = all.of ? watch(&all) : unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory"), stopped;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		size_t n = all.of[i].in && c->boxes[i].usable ? n_standing(&all, c->boxes[i].box->socket) : 0;

		if (n)
			rc = give_up(&all, c->boxes[i].box->socket, n);
	}
	stopped = all.of ? stop(&all) : UNC_OK;
	free(all.of);
	return rc < 0 ? rc : stopped;
}

int unc_running_look(struct unc_check *c)
{
	if (c->looked_running)
		return UNC_OK;
	c->looked_running = true;
	return watch_all(c);
}

static bool is_of_socket(const char *subject, unsigned socket)
{
	char name[24];
	size_t len = (size_t)snprintf(name, sizeof(name), "socket%u", socket);

	return strncmp(subject, name, len) == 0 && (subject[len] == '\0' || subject[len] == '.');
}

/* A failure that only the stop of the socket caused is not a failure of its own. */
static void excuse(struct unc_check *c, unsigned socket, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct unc_check_entry *entry = &c->entries[i];
		char found[UNC_CHECK_TEXT];

		if (entry->state != UNC_CHECK_FAIL || !is_of_socket(entry->subject, socket))
			continue;
		memcpy(found, entry->finding, sizeof(found));
		snprintf(entry->finding, sizeof(entry->finding),
			 "socket%u stopped while this was checked, so its finding proves nothing: %.400s", socket,
			 found);
		entry->state = UNC_CHECK_SKIP;
	}
}

int unc_running_look_again(struct unc_check *c, size_t first)
{
	size_t end = c->n_entries;
	bool any = false;
	int rc;

	for (size_t i = first; i < end; i++)
		any |= c->entries[i].state == UNC_CHECK_FAIL && strncmp(c->entries[i].subject, "socket", 6) == 0;
	if (!any || !c->looked_running)
		return UNC_OK;
	rc = watch_all(c);
	for (size_t i = 0; i < c->n_boxes && rc == 0; i++)
		if (c->boxes[i].stands)
			excuse(c, c->boxes[i].box->socket, first, end);
	return rc;
}

/* The silicon is good, and is checked as any other; but until then other programs counted 0 there. */
static int say_was_frozen(struct unc_check *c, const struct unc_check_box *b)
{
	char evidence[300];
	int rc = unc_users_of_freeze(b->box, evidence, sizeof(evidence));

	unc_check_skip(c,
		       "it was frozen when it was found%s: its clock ticks since BOX_CTL was released here; another "
		       "program or the firmware froze it (%s%s)",
		       b->pbox.frozen ? ", BOX_CTL read frz=1" : ", or its package slept",
		       evidence[0] ? "found here: " : "no evidence tells which program", evidence);
	return rc;
}

int unc_running_run(struct unc_check *c)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		const struct unc_check_box *b = &c->boxes[i];

		if (!unc_check_begin_box(c, b, false))
			continue;
		if (unc_clock_slot(b) == UNC_CLOCK_NONE)
			unc_check_skip(c, "the map names nothing that counts its clock");
		else if (b->was_frozen)
			rc = say_was_frozen(c, b);
		else
			unc_check_pass(c, "no other program or firmware keeps it from counting");
	}
	return rc;
}
