// SPDX-License-Identifier: GPL-2.0-or-later
/* Is every function present, and if one is not, what is at its place? */
#include "access/access.h"
#include "check/presence.h"
#include "machine/pci_header.h"

/* Returns the ids of the function at the place of a channel; false: no function answers. */
static bool who_answers(const struct unc_box *box, struct unc_bus *bus, uint32_t *ret_ids)
{
	struct unc_pci_header header;
	struct unc_space *space;
	bool good;

	if (!bus || !box->addr_known || unc_space_open(bus, &box->addr, &space) < 0)
		return false;
	good = unc_pci_header_read(space, &header) == 0 && header.ids != UINT32_MAX;
	unc_space_close(space);
	if (good)
		*ret_ids = header.ids;
	return good;
}

/* The channel of this part that has these ids, on any socket; NULL: none. */
static const struct unc_instance *channel_of(const struct unc_unit *unit, uint32_t ids)
{
	for (size_t i = 0; i < unit->n_instances; i++)
		if (unc_instance_has_ids(&unit->instances[i], ids))
			return &unit->instances[i];
	return NULL;
}

static void see_ids(struct unc_check *c, const struct unc_box *box, uint32_t ids)
{
	unc_check_see(c, &(struct unc_check_seen){.what = "device and vendor at its place",
						  .name = "ids",
						  .has_expected = true,
						  .read = ids,
						  .expected = unc_instance_ids(box->instance)});
}

/* False: the function at that place is not another channel. */
static bool is_swapped(struct unc_check *c, const struct unc_box *box, struct unc_bus *bus)
{
	const struct unc_instance *other;
	uint32_t ids;

	if (!who_answers(box, bus, &ids))
		return false;
	other = channel_of(box->unit, ids);
	if (!other)
		return false;
	unc_check_begin(c, box->name);
	see_ids(c, box, ids);
	unc_check_fail(c,
		       "at %s the function of imc%u.ch%u answers, %04x:%04x, where that of this channel ought to be, "
		       "%04x:%04x: channels are swapped",
		       box->pci, other->imc, other->channel, other->vendor, other->device, box->instance->vendor,
		       box->instance->device);
	return true;
}

static void look_at(struct unc_check *c, const struct unc_check_box *b, struct unc_bus *bus)
{
	uint32_t ids;

	if (!b->there && b->box->presence == UNC_MISSING && is_swapped(c, b->box, bus))
		return;
	unc_check_begin(c, b->box->name);
	if (b->there) {
		unc_check_pass(c, "%s is there and answers", b->box->pci);
	} else if (b->box->presence == UNC_DENIED) {
		unc_check_prevented(c, b->rc, b->why);
	} else {
		if (who_answers(b->box, bus, &ids))
			see_ids(c, b->box, ids);
		unc_check_fail(c, "%s", b->why);
	}
}

/* A present channel of the same controller with a higher number; NULL: none. */
static const struct unc_box *behind_gap(const struct unc_check *c, const struct unc_box *absent)
{
	const struct unc_instance *at = absent->instance;

	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_box *box = c->boxes[i].box;

		if (c->boxes[i].there && box->socket == absent->socket && box->instance->imc == at->imc &&
		    box->instance->channel > at->channel)
			return box;
	}
	return NULL;
}

/*
 * A channel that is on no socket does not belong to this machine, except in two cases: another channel answers at its place, or
 * channels after it are present, since no known part leaves a gap.
 */
static void look_at_absent(struct unc_check *c, const struct unc_box *box, struct unc_bus *bus)
{
	const struct unc_box *behind;

	if (is_swapped(c, box, bus))
		return;
	behind = behind_gap(c, box);
	if (!behind)
		return;
	unc_check_begin(c, box->name);
	unc_check_fail(c, "%s is on no socket, but %s behind it is there: the firmware hides it",
		       box->pci[0] ? box->pci : box->name, behind->name);
}

/* Are all channels that are present on some socket among those that are checked? */
static bool has_all(const struct unc_check *c)
{
	size_t n = 0;
	const struct unc_box *box;

	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)); i++)
		n += box->presence != UNC_ABSENT;
	return n == c->n_boxes;
}

int unc_presence_functions(struct unc_check *c)
{
	const struct unc_box *box;
	struct unc_bus *bus;

	if (unc_machine_bus_open(c->m, UNC_PCI, false, &bus) < 0)
		bus = NULL;
	for (size_t i = 0; i < c->n_boxes; i++)
		look_at(c, &c->boxes[i], bus);
	for (size_t i = 0; has_all(c) && (box = unc_box_at(c->m, "imc", i)); i++)
		if (box->presence == UNC_ABSENT)
			look_at_absent(c, box, bus);
	unc_bus_close(bus);
	return UNC_OK;
}
