/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What firmware says of memory: structures of type 17 of SMBIOS (DSP0134, section 7.18). */
#ifndef UNC_CHECK_SMBIOS_H
#define UNC_CHECK_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unc_smbios_memory { /* a memory device: a place for a module */
	uint16_t handle;
	bool installed;
	uint8_t type;            /* 0x18 DDR3, 0x1a DDR4 */
	uint32_t speed_mts;      /* what it can do, in MT/s; 0: not told */
	uint32_t configured_mts; /* what it was set up for; 0: not told */
	bool may_be_clock; /* a structure from before SMBIOS 3.2, where some firmware has the clock in MHz there */
};

/*
 * Goes through a table of structures from *at on (0 at first) to the next memory device.  False: there is none any more; *ret_whole
 * then tells whether the table was well-formed to its end.  Any bytes are survived.
 */
bool unc_smbios_next(const void *table, size_t len, size_t *at, struct unc_smbios_memory *ret_memory, bool *ret_whole);

#endif
