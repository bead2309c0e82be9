// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The UBOX, which holds the number of its socket. Its registers are as the Linux driver reads them
 * (snbep_pci2phy_map_init): the node id, and eight fields of 3 bits; the index of the field that holds the node id is
 * the physical package. They are at 0x40 and 0x54 on Sandy Bridge-EP to Broadwell-EP, at 0xc0 and 0xd4 on Skylake-SP.
 *
 * Here the node ids are the socket numbers rotated by one, so that a reader that mistakes them for socket numbers gets
 * wrong results. The fields that no socket uses hold node ids that no socket has.
 */
#include "sim/computer.h"

enum {
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
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;

	if (cycle->off == ubox->node_id)
		return node_id(cycle->sim, cycle->sim->tells[cycle->place->socket]);
	if (cycle->off == ubox->node_map)
		return node_map(cycle->sim);
	return 0;
}

void unc_sim_ubox_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_ubox *ubox = &cycle->sim->options.model->ubox;
	bool known = cycle->off == ubox->node_id || cycle->off == ubox->node_map;

	unc_sim_violate(cycle, known ? UNC_SIM_READ_ONLY : UNC_SIM_NO_REGISTER, cycle->enabled);
}
