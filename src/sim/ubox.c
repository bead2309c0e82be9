// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The UBOX, which knows what socket this is.  Registers as the Linux driver reads them on Sandy Bridge-EP (8086:3ce0):
 * the node id at 0x40, and at 0x54 eight fields of 3 bits; the index of the field that holds the node id is the
 * physical package.
 *
 * The node ids here are the sockets turned by one, so that a reader who takes them for sockets goes wrong.  The fields
 * that no socket uses hold node ids that no socket has.
 */
#include "sim/computer.h"

enum {
	UBOX_CPUNODEID = 0x40, /* 2:0 node id */
	UBOX_GIDNIDMAP = 0x54, /* 8 fields of 3 bits */
	MAP_FIELDS = 8,
	MAP_FIELD_BITS = 3,
};

static uint32_t node_id(const struct unc_sim *sim, unsigned socket)
{
	return socket < sim->options.sockets ? (socket + 1) % sim->options.sockets : socket;
}

static uint32_t node_map(const struct unc_sim *sim)
{
	uint32_t map = 0;
	unsigned i;

	for (i = 0; i < MAP_FIELDS; i++)
		map |= node_id(sim, i) << i * MAP_FIELD_BITS;
	return map;
}

uint32_t unc_sim_ubox_read(const struct unc_sim_cycle *cycle)
{
	switch (cycle->off) {
	case UBOX_CPUNODEID:
		return node_id(cycle->sim, cycle->place->socket);
	case UBOX_GIDNIDMAP:
		return node_map(cycle->sim);
	default:
		return 0;
	}
}

void unc_sim_ubox_write(const struct unc_sim_cycle *cycle)
{
	bool known = cycle->off == UBOX_CPUNODEID || cycle->off == UBOX_GIDNIDMAP;

	unc_sim_violate(cycle, known ? UNC_SIM_READ_ONLY : UNC_SIM_NO_REGISTER, cycle->enabled);
}
