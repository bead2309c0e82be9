// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function whose BAR is the machine's registers in memory, since accesses to a BAR are what QEMU forwards.  Firmware places it, and
 * the machine's registers move there.
 */
#include <string.h>

#include "base/err.h"
#include "proxy.h"

enum { ID = 0, COMMAND = 4, CLASS = 8, BAR = 0x10, HEADER_BYTES = 0x40 };

/* QEMU's own vendor, a number that none of its devices has, and a device of no class. */
#define IDS    UINT32_C(0xfff01b36)
#define OTHERS UINT32_C(0xff000000)

/* A power of two that has room for all sockets. */
static uint32_t bar_bytes(const struct served *sim)
{
	uint32_t bytes = 1;

	while (bytes < unc_sim_mem_bytes(sim->host))
		bytes <<= 1;
	return bytes;
}

uint32_t window_config_read(const struct served *sim, const struct link *link, uint32_t off)
{
	switch (off & ~UINT32_C(3)) {
	case ID:
		return IDS >> off % 4 * 8;
	case COMMAND:
		return link->window.command >> off % 4 * 8;
	case CLASS:
		return OTHERS >> off % 4 * 8;
	case BAR:
		return (link->window.bar & ~(bar_bytes(sim) - 1)) >> off % 4 * 8;
	default:
		return 0;
	}
}

/* All ones ask how large it is, and say nothing of where it is. */
void window_config_write(struct served *sim, struct link *link, uint32_t off, uint32_t value)
{
	if (off == COMMAND)
		link->window.command = value & 0xffff;
	if (off != BAR)
		return;
	link->window.bar = value;
	if (value != UINT32_MAX && (value & ~(bar_bytes(sim) - 1)))
		unc_sim_mem_move(sim->host, value & ~(bar_bytes(sim) - 1));
}
