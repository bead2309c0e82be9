// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function whose BAR is the machine's registers in memory, since accesses to a BAR are what QEMU forwards.  Firmware places it, and
 * the machine's registers move there.  A second BAR, where it is wanted, is the configuration space of all functions, 1 MiB a bus and
 * 4096 bytes a function, as PCI Express has it (ECAM); QEMU itself forwards 256 bytes of a function.
 */
#include <string.h>

#include "base/err.h"
#include "proxy.h"

enum { ID = 0, COMMAND = 4, CLASS = 8, BAR0 = 0x10, BAR1 = 0x14 };

/* QEMU's own vendor, a number that none of its devices has, and a device of no class. */
#define IDS    UINT32_C(0xfff01b36)
#define OTHERS UINT32_C(0xff000000)

#define ECAM_BYTES (UINT32_C(1) << 28)

/* A power of two: room for all sockets, or for 256 buses. */
static uint32_t bar_bytes(const struct served *sim, unsigned bar)
{
	uint32_t bytes = 1;

	if (bar == 1)
		return ECAM_BYTES;
	while (bytes < unc_sim_info(sim->host).memory_bytes)
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
	case BAR1:
		if (!link->extended)
			return 0;
		/* fall through */
	case BAR0:
		return (link->window.bar[off / 4 % 2] & ~(bar_bytes(sim, off / 4 % 2) - 1)) >> off % 4 * 8;
	default:
		return 0;
	}
}

/* All ones ask how large it is, and say nothing of where it is. */
void window_config_write(struct served *sim, struct link *link, uint32_t off, uint32_t value)
{
	if (off == COMMAND)
		link->window.command = value & 0xffff;
	if (off == BAR0 || off == BAR1)
		link->window.bar[off / 4 % 2] = value;
	if (off == BAR0 && value != UINT32_MAX && (value & ~(bar_bytes(sim, 0) - 1)))
		unc_sim_mem_move(sim->host, value & ~(bar_bytes(sim, 0) - 1));
}

bool window_config_at(const struct link *link, uint64_t address, struct unc_addr *ret_addr, uint32_t *ret_off)
{
	uint64_t into = address - (link->window.bar[1] & ~(ECAM_BYTES - 1));

	if (!link->extended || into >= ECAM_BYTES)
		return false;
	*ret_addr = (struct unc_addr){
		.kind = UNC_PCI, .pci = {.bus = into >> 20 & 0xff, .dev = into >> 15 & 0x1f, .fn = into >> 12 & 7}};
	*ret_off = into & 0xfff;
	return true;
}
