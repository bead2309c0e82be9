/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a PCI function says it is: PCI Local Bus Specification 3.0, section 6.1. */
#ifndef UNC_MACHINE_PCI_HEADER_H
#define UNC_MACHINE_PCI_HEADER_H

#include "map/map.h"

struct unc_pci_header {
	uint32_t ids; /* vendor in the low half, device in the high one; all ones: no device answers */
	bool bridge;  /* its header is of another type than 0 */
	uint8_t type; /* as read: bit 7, the device has several functions */
	uint8_t revision;
	uint32_t class_code; /* 24 bits */
};

/* One access.  Fails as unc_read_block(). */
int unc_pci_header_read(struct unc_space *space, struct unc_pci_header *ret_header);
/* The ids that the map gives an instance, as they are read. */
uint32_t unc_instance_ids(const struct unc_instance *instance);
/* Are these the ids that the map gives the instance? */
bool unc_instance_has_ids(const struct unc_instance *instance, uint32_t ids);

#endif
