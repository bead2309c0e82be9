// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does each socket have the same channels?  A channel without DIMMs is present like any other and its clock ticks, but it has no
 * commands: that is not a difference of the silicon, but it is reported.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/drive.h"
#include "check/presence.h"

struct counted { /* what a channel counted while it ran */
	bool good;
	unsigned slot, fixed; /* the slots that count commands, and the clock */
	uint64_t commands, clocks;
};

struct list { /* a text such as "imc0.ch2 imc1.ch0" */
	char text[200];
	unsigned n;
};

static void add(struct list *list, const struct unc_box *box)
{
	size_t used = strlen(list->text);

	snprintf(list->text + used, sizeof(list->text) - used, "%simc%u.ch%u", list->n++ ? " " : "", box->instance->imc,
		 box->instance->channel);
}

/* The channel of the same instance on another socket, if one is present; NULL: none. */
static const struct unc_box *elsewhere(const struct unc_check *c, const struct unc_box *box)
{
	const struct unc_box *other;

	for (size_t i = 0; (other = unc_box_at(c->m, "imc", i)); i++)
		if (other->instance == box->instance && other->socket != box->socket && other->presence == UNC_PRESENT)
			return other;
	return NULL;
}

/* ---- which channels have commands ---- */

static bool find_slots(const struct unc_check_box *b, struct counted *counted)
{
	counted->slot = 0; /* general counters come first */
	counted->fixed = unc_drive_fixed(b);
	return counted->fixed > 0 && counted->fixed < UNC_PMON_SLOTS;
}

static int start(struct unc_check_box *b, struct counted *counted)
{
	const char *event = unc_unit_event(b->box->unit, "cas_count.all") ? "cas_count.all" : "cas_count.rd";
	uint64_t control = 0;
	int rc = unc_drive_event(b, event, &control);

	if (rc == 0)
		rc = unc_drive_freeze(b);
	if (rc == 0)
		rc = unc_drive_preset(b, counted->slot, 0);
	if (rc == 0)
		rc = unc_drive_preset(b, counted->fixed, 0);
	if (rc == 0)
		rc = unc_drive_set(b, counted->slot, control, true);
	if (rc == 0)
		rc = unc_drive_set(b, counted->fixed, 0, true);
	return rc == 0 ? unc_drive_release(b) : rc;
}

static int stop(struct unc_check_box *b, struct counted *counted)
{
	struct unc_drive_reading commands, clocks;
	int rc = unc_drive_freeze(b);

	if (rc == 0)
		rc = unc_drive_count(b, counted->slot, &commands);
	if (rc == 0)
		rc = unc_drive_count(b, counted->fixed, &clocks);
	if (rc == 0) {
		counted->commands = commands.value;
		counted->clocks = clocks.value;
	}
	return rc;
}

/* An access that fails here does not fail this check, which then reports nothing about commands of the channel. */
static int count(struct unc_check *c, struct counted *counted, uint64_t ns)
{
	int rc = unc_drive_take(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];

		counted[i].good = b->usable && find_slots(b, &counted[i]) && start(b, &counted[i]) == 0;
	}
	if (rc == 0)
		rc = unc_check_wait(c, ns);
	for (size_t i = 0; i < c->n_boxes && rc == 0; i++)
		counted[i].good = counted[i].good && stop(&c->boxes[i], &counted[i]) == 0;
	return rc;
}

/* ---- results ---- */

struct channels { /* the channels of a socket */
	struct list there, lacking, idle;
	const struct unc_box *lacked_here, *there_elsewhere; /* the first of those */
	bool counted;
};

static void look_at_counts(struct unc_check *c, unsigned socket, const struct counted *counted,
			   struct channels *channels)
{
	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_check_box *b = &c->boxes[i];

		if (b->box->socket != socket || !counted[i].good)
			continue;
		channels->counted = true;
		if (counted[i].commands == 0 && counted[i].clocks > 0)
			add(&channels->idle, b->box);
		unc_check_see(c, &(struct unc_check_seen){.what = "reads and writes",
							  .box = b->box,
							  .reg = b->pbox.slots[counted[i].slot].ctr,
							  .index = b->pbox.slots[counted[i].slot].index,
							  .read = counted[i].commands});
	}
}

static void look_at_presence(const struct unc_check *c, unsigned socket, struct channels *channels)
{
	const struct unc_box *box, *other;

	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++) {
		if (box->socket != socket)
			continue;
		other = elsewhere(c, box);
		if (box->presence == UNC_PRESENT) {
			add(&channels->there, box);
		} else if (other) {
			add(&channels->lacking, box);
			channels->there_elsewhere = channels->there_elsewhere ? channels->there_elsewhere : other;
		}
	}
}

static void tell(struct unc_check *c, unsigned socket, size_t n_sockets, const struct counted *counted, uint64_t ns)
{
	struct channels channels = {0};
	char subject[24], idle[320] = "";

	snprintf(subject, sizeof(subject), "socket%u", socket);
	unc_check_begin(c, subject);
	look_at_presence(c, socket, &channels);
	look_at_counts(c, socket, counted, &channels);
	if (channels.idle.n)
		snprintf(idle, sizeof(idle),
			 "; nothing was read from or written to %s in %" PRIu64
			 " ms, while the clock ticked: without DIMMs, or nobody used it",
			 channels.idle.text, ns / 1000000);
	else if (channels.counted)
		snprintf(idle, sizeof(idle), "; all that could be tried had reads or writes");
	if (channels.lacking.n)
		unc_check_fail(c, "%s of this socket cannot be reached, though socket%u has it%s",
			       channels.lacking.text, channels.there_elsewhere->socket, idle);
	else
		unc_check_pass(c, "%u channels (%s)%s%s", channels.there.n, channels.there.text,
			       n_sockets > 1 ? ", as on the other sockets"
					     : "; there is no other socket to compare with",
			       idle);
}

int unc_presence_alike(struct unc_check *c)
{
	struct counted *counted = calloc(c->n_boxes + 1, sizeof(*counted));
	uint64_t ns = unc_check_ms(c, 5, 20, 100);
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_presence_sockets(c, sockets);
	int rc;

	if (!counted)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	rc = count(c, counted, ns);
	for (size_t i = 0; i < n && rc == 0; i++)
		tell(c, sockets[i], n, counted, ns);
	free(counted);
	return rc;
}
