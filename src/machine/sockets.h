/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which uncore bus belongs to which socket. */
#ifndef UNC_MACHINE_SOCKETS_H
#define UNC_MACHINE_SOCKETS_H

#include "machine/machine.h"

struct unc_uncore_bus { /* a PCI bus on which a UBOX or a memory channel was found */
	uint32_t domain;
	uint8_t bus;
	bool channels;          /* a memory channel was found there */
	struct unc_space *ubox; /* borrowed; NULL: none found there */
};

/*
 * Fills m->sockets from the UBOX of each bus; buses sorted by domain and number.  Where the map says that the UBOX is on
 * another bus, the nearest one in that direction counts, but each UBOX for one bus only, the nearest.  Where a UBOX is
 * missing or makes no sense, the bus gets the lowest number left, in bus order, and m->socket_rule says so.  A package
 * without any bus is a socket too.  UNC_ERANGE: more sockets than UNC_SOCKETS_MAX.
 */
int unc_machine_number_sockets(struct unc_machine *m, const struct unc_unit *ubox, const struct unc_uncore_bus *buses,
			       size_t n_buses);
/* Where no unit is in PCI: a socket for each package, or one if packages are not known.  UNC_ERANGE. */
int unc_machine_sockets_of_packages(struct unc_machine *m);

#endif
