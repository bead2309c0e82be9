// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/pci_header.h"

enum { HEADER_BYTES = 16, HEADER_CLASS = 0x08, HEADER_TYPE = 0x0e, TYPE_MASK = 0x7f };

int unc_pci_header_read(struct unc_space *space, struct unc_pci_header *ret_header)
{
	unsigned char bytes[HEADER_BYTES];
	int rc = unc_read_block(space, 0, bytes, sizeof(bytes));

	if (rc < 0)
		return rc;
	ret_header->ids = unc_le32(bytes);
	ret_header->bridge = (bytes[HEADER_TYPE] & TYPE_MASK) != 0;
	ret_header->type = bytes[HEADER_TYPE];
	ret_header->revision = bytes[HEADER_CLASS];
	ret_header->class_code = unc_le32(bytes + HEADER_CLASS) >> 8;
	return UNC_OK;
}

uint32_t unc_instance_ids(const struct unc_instance *instance)
{
	return (uint32_t)(instance->vendor | (uint32_t)instance->device << 16);
}

bool unc_instance_has_ids(const struct unc_instance *instance, uint32_t ids)
{
	return ids == unc_instance_ids(instance);
}
