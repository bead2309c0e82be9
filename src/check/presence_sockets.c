// SPDX-License-Identifier: GPL-2.0-or-later
/* Is every socket what it says, and does it have the same channels as the others? */
#include "check/presence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/discovery.h"
#include "map/field.h"

/* ==== presence.alike ==== */

/*
 * Does each socket have the same channels?  A channel without DIMMs is present like any other and its clock ticks, but it has no
 * commands: that is not a difference of the silicon, but it is reported.
 */

struct counted {   /* what a channel counted while it ran */
	bool good; /* all accesses went well; else nothing is reported about commands of the channel */
	uint64_t commands, clocks;
};

struct list { /* a text such as "imc0.ch2 imc1.ch0" */
	char text[200];
	unsigned n;
};

static void add(struct list *list, const struct unc_box *box)
{
	list->n++;
	unc_text_join(list->text, sizeof(list->text), " ", "imc%u.ch%u", box->instance->imc, box->instance->channel);
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

static void start(struct unc_window *w)
{
	const char *event = unc_unit_event(w->b->box->unit, "cas_count.all") ? "cas_count.all" : "cas_count.rd";
	unsigned fixed = unc_drive_fixed(w->b);
	uint64_t control;

	w->in = fixed > 0 && fixed < UNC_PMON_SLOTS;
	if (!w->in)
		return;
	control = unc_drive_event(w->b, event);
	unc_drive_freeze(w->b);
	unc_drive_preset(w->b, 0, 0); /* general counters come first */
	unc_drive_preset(w->b, fixed, 0);
	unc_drive_set(w->b, 0, control, true);
	unc_drive_set(w->b, fixed, 0, true);
	unc_drive_release(w->b);
}

static void stop(struct unc_window *w)
{
	struct counted *counted = w->seen;

	unc_drive_freeze(w->b);
	counted->commands = unc_drive_count(w->b, 0).value;
	counted->clocks = unc_drive_count(w->b, unc_drive_fixed(w->b)).value;
	counted->good = w->b->failed == 0;
}

/* ---- results ---- */

static void report_alike(struct unc_windows *ws, unsigned socket, bool only, uint64_t ns)
{
	struct unc_check *c = ws->c;
	struct list there = {.n = 0}, lacking = {.n = 0}, silent = {.n = 0};
	const struct unc_box *box, *other, *there_elsewhere = NULL;
	bool counted = false;
	char idle[320] = "";

	unc_check_begin_socket(c, socket);
	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++) {
		if (box->socket != socket)
			continue;
		other = elsewhere(c, box);
		if (box->presence == UNC_PRESENT) {
			add(&there, box);
		} else if (other) {
			add(&lacking, box);
			there_elsewhere = there_elsewhere ? there_elsewhere : other;
		}
	}
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];
		const struct counted *seen = w->seen;

		if (w->b->box->socket != socket || !seen->good)
			continue;
		counted = true;
		if (seen->commands == 0 && seen->clocks > 0)
			add(&silent, w->b->box);
		unc_check_see(c, unc_window_seen(w, 0, "reads and writes", seen->commands));
	}
	if (silent.n)
		snprintf(idle, sizeof(idle),
			 "; nothing was read from or written to %s in %" PRIu64
			 " ms, while the clock ticked: without DIMMs, or unused",
			 silent.text, ns / 1000000);
	else if (counted)
		snprintf(idle, sizeof(idle), "; all that could be tried had reads or writes");
	if (lacking.n)
		unc_check_fail(c, "%s of this socket cannot be reached, though socket%u has it%s", lacking.text,
			       there_elsewhere->socket, idle);
	else
		unc_check_pass(c, "%u channels (%s)%s%s", there.n, there.text,
			       only ? "; there is no other socket to compare with" : ", as on the other sockets", idle);
}

static void count(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 5, 20, 100);
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(ws->c, sockets);

	unc_windows_each(ws, start);
	unc_windows_wait(ws, ns);
	unc_windows_each(ws, stop);
	for (size_t i = 0; i < n && ws->rc == 0; i++)
		report_alike(ws, sockets[i], n == 1, ns);
}

const struct unc_windows_def unc_presence_alike = {sizeof(struct counted), count, NULL, NULL};

/* ==== presence.ubox ==== */

/*
 * Checks the numbers of sockets.  A UBOX holds its node id, and a map in which the index of that node is the physical package
 * (Linux arch/x86/events/intel/uncore_snbep.c, snbep_pci2phy_map_init()).  Two UBOXes whose numbers are swapped show only by the
 * NUMA node that the firmware gives their bus, if it does so; otherwise only traffic.nodes can detect that.
 */

struct told { /* what the UBOX of a socket reports */
	struct unc_box *ubox;
	uint64_t node, node_value, map_value;
	bool answers;          /* its registers were read */
	char why[UNC_MSG_MAX]; /* the reason if they were not */
	unsigned n_entries;    /* entries of the map that hold this node */
	unsigned entry;        /* the first of these entries */
	int package;           /* package of the NUMA node that the firmware gives its bus; -1: not known */
};

static void ask(const struct unc_check *c, struct told *told)
{
	const struct unc_unit *unit = told->ubox->unit;
	const struct unc_reg *node = unc_unit_reg(unit, "CPUNODEID"), *map = unc_unit_reg(unit, "GIDNIDMAP");
	const struct unc_field *entry = NULL;

	told->answers = unc_reg_look(told->ubox, node, 0, &told->node_value) == 0 &&
			unc_reg_look(told->ubox, map, 0, &told->map_value) == 0;
	if (!told->answers) {
		memcpy(told->why, c->m->ctx->msg, sizeof(told->why));
		return;
	}
	told->node = unc_field_get(unc_reg_field(node, "node"), told->node_value);
	for (unsigned i = 0; i == 0 || entry; i++) {
		char name[16];

		snprintf(name, sizeof(name), "gid%u", i);
		entry = unc_reg_field(map, name);
		if (entry && unc_field_get(entry, told->map_value) == told->node && told->n_entries++ == 0)
			told->entry = i;
	}
}

/* If there are fewer than eight sockets, no document defines the entries of the others: Linux takes the first that matches. */
static void report_number(struct unc_check *c, unsigned socket, const struct told *told, int twin)
{
	int package = told->package;
	bool known = false; /* the operating system knows such a package */

	for (size_t i = 0; i < c->m->topo.n_packages; i++)
		known |= c->m->topo.packages[i].id == socket;
	if (!told->n_entries)
		unc_check_fail(c, "its node %" PRIu64 " is in no entry of GIDNIDMAP 0x%08" PRIx64, told->node,
			       told->map_value);
	else if (twin >= 0)
		unc_check_fail(c, "it is node %" PRIu64 ", as socket%d says of itself too", told->node, twin);
	else if (told->entry != socket)
		unc_check_fail(c, "its UBOX says that it is socket %u", told->entry);
	else if (package >= 0 && (unsigned)package != socket)
		unc_check_fail(
			c, "its UBOX says that it is socket %u, but the firmware put %s on a NUMA node of package %d",
			told->entry, told->ubox->pci, package);
	else
		unc_check_pass(c, "node %" PRIu64 " is entry %u of GIDNIDMAP 0x%08" PRIx64 "%s%s", told->node,
			       told->entry, told->map_value,
			       known ? ", a package of the operating system"
				     : "; the operating system has no such package, since none of its CPUs "
				       "is online",
			       package >= 0 ? ", to which the firmware gives its bus too"
					    : "; the firmware does not tell the node of its bus");
	if (unc_check_failed(c))
		return;
	unc_check_tested(c, "CPUNODEID", "node %" PRIu64 " is socket %u, as krn", told->node, socket);
	unc_check_tested(c, "GIDNIDMAP", "0x%08" PRIx64 " has node %" PRIu64 " %s, as krn", told->map_value, told->node,
			 told->n_entries == 1 ? "once" : "several times, and the first counts");
}

static void report_ubox(struct unc_check *c, unsigned socket, const struct told *told, int twin)
{
	const struct unc_box *ubox = told->ubox;

	unc_check_begin_socket(c, socket);
	if (!ubox) {
		unc_check_skip(c, "the maps name no UBOX for this processor");
	} else if (ubox->presence != UNC_PRESENT) {
		unc_check_say(c, ubox->presence == UNC_MISSING ? UNC_CHECK_FAIL : UNC_CHECK_SKIP, "%s", ubox->why);
	} else if (!told->answers) {
		unc_check_fail(c, "%s", told->why);
	} else {
		unc_check_see(c, unc_seen(ubox, unc_unit_reg(ubox->unit, "CPUNODEID"), 0,
					  "the node that this socket is", told->node_value));
		unc_check_see(c, unc_seen(ubox, unc_unit_reg(ubox->unit, "GIDNIDMAP"), 0, "the node of each socket",
					  told->map_value));
		report_number(c, socket, told, twin);
	}
}

int unc_presence_ubox(struct unc_check *c)
{
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t n = unc_check_sockets(c, sockets);
	struct told *told = calloc(n + 1, sizeof(*told));
	bool distinct = n == 1;
	struct unc_box *box;

	if (!told)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; !told[i].ubox && (box = unc_box_at(c->m, "ubox", k)); k++)
			told[i].ubox = box->socket == sockets[i] ? box : NULL;
		told[i].package = -1;
		if (told[i].ubox && told[i].ubox->addr_known)
			told[i].package = unc_machine_package_near(c->m, &told[i].ubox->addr);
		if (told[i].ubox && told[i].ubox->presence == UNC_PRESENT)
			ask(c, &told[i]);
		for (size_t k = 0; k < i; k++)
			distinct |= told[i].package != told[k].package;
	}
	for (size_t i = 0; i < n; i++) {
		int twin = -1; /* another socket that reports the same number */

		for (size_t k = n; k-- > 0;)
			if (k != i && told[k].answers && told[k].node == told[i].node)
				twin = (int)sockets[k];
		/* Some firmware gives the buses of all sockets the same node, which says nothing. */
		told[i].package = distinct ? told[i].package : -1;
		report_ubox(c, sockets[i], &told[i], twin);
	}
	free(told);
	return UNC_OK;
}
