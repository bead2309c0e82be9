/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids in the configuration header of a PCI function: PCI Local Bus Specification 3.0, section 6.1. */
#ifndef UNC_MACHINE_BOXES_H
#define UNC_MACHINE_BOXES_H

#include "machine/machine.h"

struct unc_pci_header {
	uint32_t ids; /* vendor in the low half, device in the high one; all ones: no device answers */
	bool bridge;  /* its header is of a type other than 0 */
	uint8_t type; /* as read; bit 7: the device has several functions */
	uint8_t revision;
	uint32_t class_code; /* 24 bits */
};

enum { UNC_CLASS_HOST_BRIDGE = 0x060000 };

/* Reads the header with one access.  Fails as unc_read_block(). */
int unc_pci_header_read(struct unc_space *space, struct unc_pci_header *ret_header);
/* Returns the ids that the map gives an instance, in the form in which they are read. */
uint32_t unc_instance_ids(const struct unc_instance *instance);
/* Makes room for that many more boxes, all zeros; the array may move.  UNC_ENOMEM. */
int unc_boxes_make_room(struct unc_machine *m, size_t n);
/* Which uncore bus belongs to which socket. */

struct unc_uncore_bus { /* a PCI bus on which a UBOX or a memory channel was found */
	uint32_t domain;
	uint8_t bus;
	uint8_t dev, fn;        /* a function that was found there */
	bool channels;          /* a memory channel was found there */
	struct unc_space *ubox; /* borrowed; NULL: none found there */
};

/*
 * Fills m->sockets from the UBOX of each bus; buses are sorted by domain and number.  If the map says that the UBOX is
 * on another bus, the nearest one in that direction counts, but each UBOX only for one bus, the nearest.  If a UBOX is
 * missing or makes no sense, the NUMA node of the bus counts; without one the bus gets the lowest number left, in bus order, and
 * m->socket_rule says so.  A package without any bus is a socket too.  UNC_ERANGE: more sockets than UNC_SOCKETS_MAX; UNC_ENODEV:
 * of a part with counters in memory, which are never numbered in bus order, a bus has neither.
 */
int unc_machine_number_sockets(struct unc_machine *m, const struct unc_unit *ubox, const struct unc_uncore_bus *buses,
			       size_t n_buses);
/* For machines without units in PCI: a socket for each package, or one if packages are not known.  UNC_ERANGE. */
int unc_machine_sockets_of_packages(struct unc_machine *m);

#endif
