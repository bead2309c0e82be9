/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where on a socket a PCI function is, as maps and lspci write it. */
#ifndef UNC_MAP_PLACE_H
#define UNC_MAP_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct unc_pci_place {
	uint16_t vendor, device;
	uint8_t dev, fn;
};

/* "8086:3cb0" and "0b.0", in hex and with all their digits: true and *ret_place. */
bool unc_pci_place_parse(const char *id, const char *at, struct unc_pci_place *ret_place);

#endif
